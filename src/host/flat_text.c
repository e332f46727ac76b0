/* flat_text.c: the code points of texts that are flattened.                                   NPY-PKL-033, HOST-MEMORY */
#include "host/flat.h"

#include <stdlib.h>

bool snpy_flat_fail(snpy_flattening *work, snpy_status status)
{
    if (work->status == SNPY_OK) work->status = status;
    return false;
}

void snpy_flat_add_point(snpy_flattening *work, size_t place, uint32_t point)
{
    if (place >= work->point_capacity) {
        const size_t wanted = 2 * place + 256;
        uint32_t *grown = wanted <= SIZE_MAX / sizeof *grown ? realloc(work->points, wanted * sizeof *grown) : NULL;
        if (grown == NULL) {
            (void)snpy_flat_fail(work, SNPY_NO_MEMORY);
            return;
        }
        work->points = grown;
        work->point_capacity = wanted;
    }
    work->points[place] = point;
}

size_t snpy_flat_points(snpy_flattening *work, uint32_t kind, int32_t value)
{
    const snpy_object_data *data = work->data;
    const snpy_node *node = snpy_object_node(data, value);
    char digits[SNPY_OBJECT_DIGITS];
    size_t count = 0;
    if (node->kind == SNPY_NODE_NONE) return 0;
    if (kind == SNPY_FLAT_STR) {
        struct snpy_leaf leaf = snpy_leaf_open(data->pickle, data->length, node);
        for (; leaf.point != SNPY_LEAF_END && work->status == SNPY_OK; snpy_leaf_step(data->pickle, &leaf))
            snpy_flat_add_point(work, work->point_count + count++, leaf.point);
        return count;
    }
    const bool is_float = kind == SNPY_FLAT_FLOAT_TEXT;
    const char *text = is_float ? (const char *)data->pickle + node->start : digits;
    const size_t length = is_float ? node->size : snpy_object_digits(data, value, digits);
    for (; count < length && work->status == SNPY_OK; count++)
        snpy_flat_add_point(work, work->point_count + count, (uint8_t)text[count]);
    return count;
}
