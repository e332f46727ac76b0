/* separator.c: finds the name in a path. */
#include "host/io.h"

#include <string.h>

/* What separates the parts of a path. */
#ifdef _WIN32
#define SEPARATORS "/\\:"
#else
#define SEPARATORS "/"
#endif

const char *snpy_last_separator(const char *path)
{
    const char *last = NULL;
    for (const char *at = path; *at != '\0'; at++)
        if (strchr(SEPARATORS, *at) != NULL) last = at;
    return last;
}
