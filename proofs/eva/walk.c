/* walk.c: the driver of the walk through deflate streams. */
#include "npz/walk.h"
#include "__fc_builtin.h"

void eva_walk(void)
{
    static uint8_t stream[256]; /* of which any number is there */
    snpy_deflate_ends ends;
    Frama_C_make_unknown((char *)stream, sizeof stream);
    (void)snpy_deflate_walk(stream, Frama_C_unsigned_long_interval(0, sizeof stream), &ends);
}
