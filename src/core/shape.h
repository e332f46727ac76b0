/* shape.h: parses the array's own shape and computes sizes from it. */
#ifndef SAFENPY_CORE_SHAPE_H
#define SAFENPY_CORE_SHAPE_H

#include "core/layout.h"

/* A parsed shape. */
struct snpy_shape {
    uint64_t stop;     /* offset after the closing bracket; on failure of the byte at fault */
    uint64_t at;       /* offset of its opening bracket */
    uint64_t extra_at; /* offset of the first dimension beyond the limit; 0: none */
    uint64_t ndim;     /* number of dimensions, with those beyond the limit */
};

/* Parses a shape from its opening bracket on. Stores the first `max_ndim` dimensions; those above SNPY_MAX_SIZE as
 * SNPY_MAX_SIZE + 1. More dimensions are not an error of this phase.                       NPY-LIT-015 … NPY-LIT-020 */
/*@ requires \valid_read(text) && text_ok(text->text, text->length) && 1 <= pos < text->length;
    requires \valid(shape) && max_ndim <= SNPY_MAX_NDIM && \valid(dims + (0 .. SNPY_MAX_NDIM-1));
    requires \separated(text->text + (0 .. text->length-1), shape, dims + (0 .. SNPY_MAX_NDIM-1));
    requires \separated(text, shape, dims + (0 .. SNPY_MAX_NDIM-1));
    terminates \true;
    exits \false;
    assigns shape->stop, shape->at, shape->extra_at, shape->ndim, dims[0 .. SNPY_MAX_NDIM-1];
    ensures NPY_LIT_015: \result == \old(shape_status(text->text, text->length, pos, (boolean)list_shape,
                         (boolean)text->allow_long, (boolean)text->numpy_int));
    ensures stop: shape->stop == \old(shape_stop(text->text, text->length, pos, (boolean)list_shape,
                  (boolean)text->allow_long, (boolean)text->numpy_int));
    ensures ndim: \result == SNPY_OK ==> shape->ndim == \old(shape_ndim(text->text, text->length, pos,
                  (boolean)text->allow_long, (boolean)text->numpy_int));
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> shape->extra_at == (shape->ndim <= max_ndim ? 0
                           : \old(shape_dim_at(text->text, text->length, pos, (boolean)text->allow_long,
                                               (boolean)text->numpy_int, max_ndim)));
    ensures value: \result == SNPY_OK ==> \forall integer k; 0 <= k < shape->ndim && k < max_ndim ==>
            dims[k] == capped(shape_dim{Pre}(\old(text->text), \old(text->length), pos, (boolean)\old(text->allow_long),
                                            (boolean)\old(text->numpy_int), k), SNPY_MAX_SIZE);
    ensures limit: \result == SNPY_OK && shape->extra_at == 0 ==> shape->ndim <= max_ndim;
    ensures at: \result == SNPY_OK ==> shape->at == pos;
    ensures range: pos <= shape->stop <= text->length && shape->extra_at <= text->length;
    ensures forward: \result == SNPY_OK ==> pos < shape->stop;
    ensures bound: \result == SNPY_OK ==>
            \forall integer k; 0 <= k < shape->ndim && k < max_ndim ==> dims[k] <= SNPY_MAX_SIZE + 1;
 */
snpy_status snpy_parse_shape(const struct snpy_text *text, size_t pos, bool list_shape, uint32_t max_ndim,
                             struct snpy_shape *shape, uint64_t *dims);

/* Computes the number of elements of a shape. Returns false if the product of its dimensions and the itemsize exceeds
 * SNPY_MAX_SIZE, where 0 counts as 1 in each.                                           NPY-SHAPE-004, NPY-SHAPE-005 */
/*@ requires \valid_read(dims + (0 .. ndim-1)) && \valid(count) && \separated(count, dims + (0 .. ndim-1));
    requires itemsize <= SNPY_MAX_ITEMSIZE;
    terminates \true;
    exits \false;
    assigns *count;
    ensures NPY_SHAPE_004: \result <==> \old(extent(dims, ndim, at_least_one(itemsize))) <= SNPY_MAX_SIZE;
    ensures NPY_SHAPE_005: \result ==> *count == \old(product(dims, ndim));
    ensures range: \result ==> *count * itemsize <= SNPY_MAX_SIZE && *count <= SNPY_MAX_SIZE;
 */
bool snpy_count_elements(const uint64_t *dims, size_t ndim, uint32_t itemsize, uint64_t *count);

#endif
