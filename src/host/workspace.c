/* workspace.c: memory that one file after the other uses.
 * Proves nothing. Leaves the contents to file.c and canonical.c. */
#include "host/host.h"

#include <stdlib.h>

/* Smaller buffers are not worth a call: a header of the default limit fits with its prefix. */
#define SMALLEST_BUFFER 65600u

void snpy_workspace_release(snpy_workspace *workspace)
{
    static const snpy_workspace empty = {0};
    free(workspace->bytes);
    free(workspace->canonical);
    free(workspace->table.fields);
    free(workspace->table.dims);
    *workspace = empty;
}

bool snpy_grow(uint8_t **buffer, size_t *capacity, uint64_t wanted)
{
    if (wanted <= *capacity) return true;
    if (wanted > SIZE_MAX / 2) return false;
    size_t size = *capacity < SMALLEST_BUFFER ? SMALLEST_BUFFER : *capacity;
    while (size < wanted) size *= 2;
    uint8_t *grown = realloc(*buffer, size);
    if (grown == NULL) return false;
    *buffer = grown;
    *capacity = size;
    return true;
}
