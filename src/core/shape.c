/* shape.c: the array's own shape, and the sizes that it makes.                    NPY-SHAPE-001, 004, NPY-SHAPE-005
 * Proves that no dimension is written past the 64th and that no product wraps.
 * Leaves sub-array shapes to record.c and layout.c. */
#include "core/shape.h"

/* A dimension goes into the shape, if it fits. */
/*@ requires max_ndim <= SNPY_MAX_NDIM && \valid(dims + (0 .. SNPY_MAX_NDIM-1)) && value <= SNPY_MAX_SIZE + 1;
    requires values: \forall integer k; 0 <= k < ndim && k < max_ndim ==> dims[k] <= SNPY_MAX_SIZE + 1;
    terminates \true;
    exits \false;
    assigns dims[0 .. SNPY_MAX_NDIM-1];
    ensures values: \forall integer k; 0 <= k <= ndim && k < max_ndim ==> dims[k] <= SNPY_MAX_SIZE + 1;
 */
static void store_dimension(uint64_t *dims, uint32_t max_ndim, size_t ndim, uint64_t value)
{
    if (ndim < max_ndim) dims[ndim] = value;
}

snpy_status snpy_parse_shape(const struct snpy_text *text, size_t pos, bool list_shape, uint32_t max_ndim,
                             struct snpy_shape *shape, uint64_t *dims)
{
    struct snpy_shape_form form = {text->text[pos] == '[' ? ']' : ')', text->allow_long, text->numpy_int};
    struct snpy_item item = {0, pos, pos + 1, false, false};
    size_t ndim = 0;
    shape->stop = pos;
    shape->at = pos;
    shape->extra_at = 0;
    shape->ndim = 0;
    if (text->text[pos] != '(' && !(text->text[pos] == '[' && list_shape)) return SNPY_EXPECTED_SHAPE;
    /*@ loop invariant range: pos < item.stop <= text->length && ndim <= item.stop - pos - 1;
        loop invariant extra: shape->extra_at <= text->length && (shape->extra_at == 0 ==> ndim <= max_ndim);
        loop invariant stop: pos <= shape->stop <= text->length;
        loop invariant value: \forall integer k; 0 <= k < ndim && k < max_ndim ==> dims[k] <= SNPY_MAX_SIZE + 1;
        loop assigns item.value, item.at, item.stop, item.has_value, item.closed, ndim, shape->stop, shape->extra_at,
                     dims[0 .. SNPY_MAX_NDIM-1];
        loop variant text->length - item.stop; */
    while (!item.closed) {
        snpy_status status = snpy_lex_item(text->text, text->length, item.stop, &form, ndim == 0, &item);
        shape->stop = item.stop;
        if (status != SNPY_OK) return status;
        if (item.has_value) {
            if (ndim >= max_ndim && shape->extra_at == 0) shape->extra_at = item.at;
            store_dimension(dims, max_ndim, ndim, item.value);
            ndim++;
        }
    }
    shape->stop = item.stop;
    shape->ndim = ndim;
    return SNPY_OK;
}

bool snpy_count_elements(const uint64_t *dims, size_t ndim, uint32_t itemsize, uint64_t *count)
{
    uint64_t base = itemsize == 0 ? 1 : itemsize;
    uint64_t extent = base; /* of the array, empty dimensions counted as 1 */
    uint64_t number = 1;
    *count = 0;
    /*@ loop invariant range: 0 <= k <= ndim && 1 <= extent <= SNPY_MAX_SIZE;
        loop invariant within: number * base <= extent;
        loop assigns k, extent, number;
        loop variant ndim - k; */
    for (size_t k = 0; k < ndim; k++) {
        uint64_t factor = dims[k] == 0 ? 1 : dims[k];
        //@ ghost uint64_t before = extent;
        extent = snpy_extend(extent, factor, SNPY_MAX_SIZE);
        if (extent > SNPY_MAX_SIZE) return false;
        //@ assert extent: extent == before * factor;
        //@ assert within: number * base * factor <= before * factor;
        //@ assert number: number * dims[k] * base <= extent;
        number = number * dims[k];
    }
    *count = number;
    return true;
}
