/* collisions.c: members of an archive that cannot all be files.                                          NPZ-PATH-003
 * Leaves paths to unpack_path.c. */
#include "cli/unpack.h"

#ifdef SNPY_ARCHIVES

#include <stdlib.h>
#include <string.h>

/* The order of paths; of equal ones that of the directory. */
static int compare_places(const void *left, const void *right)
{
    const cli_place *one = left;
    const cli_place *other = right;
    if (one->path == NULL || other->path == NULL) return (one->path == NULL) - (other->path == NULL);
    const int order = cli_compare_paths(one->path, strlen(one->path), other->path, strlen(other->path));
    if (order != 0) return order;
    return one->index < other->index ? -1 : one->index > other->index;
}

void cli_mark_collisions(cli_place *places, size_t count)
{
    size_t last = 0;
    if (count > 0) qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 1; i < count && places[i].path != NULL; i++) {
        const bool is_later = places[i].index > places[last].index;
        if (!cli_paths_collide(places[last].path, places[i].path)) {
            last = i;
            continue;
        }
        places[is_later ? i : last].collides = true;
        if (!is_later) last = i;
    }
}

#else
typedef int cli_no_archives; /* a file of C is not empty */
#endif
