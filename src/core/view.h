/* view.h: has the contracts of views: each element of a valid view is inside the data. */
#ifndef SAFENPY_CORE_VIEW_H
#define SAFENPY_CORE_VIEW_H

#include "core/core.h"
#include "safenpy/view.h"
#include "spec/logic/view.h"

/* clang-format off */
/* The numbers of a view are in range, whatever they mean. */
#define SNPY_VIEW_RANGES(v) \
    ((v)->ndim <= SNPY_MAX_NDIM && (v)->data_size <= SNPY_MAX_SIZE && (v)->itemsize <= SNPY_MAX_ITEMSIZE)

/* The axes from k on refer to no byte outside the data. */
#define SNPY_VIEW_FITS(v, k) \
    (0 <= (v)->offset + lowest(&(v)->shape[0], &(v)->strides[0], k, (v)->ndim) && \
     (v)->offset + highest(&(v)->shape[0], &(v)->strides[0], k, (v)->ndim) + (v)->itemsize <= (v)->data_size)

#define SNPY_AXIS_FULL(v, k) \
    (1 <= (v)->shape[k] <= SNPY_MAX_SIZE && \
     -SNPY_MAX_SIZE <= reach((v)->shape[k], (v)->strides[k]) <= SNPY_MAX_SIZE)

/* No axis is empty and each element is inside the data; or there is no element. */
/*@ predicate view_inside(snpy_view *v) =
        SNPY_VIEW_FITS(v, v->ndim)
        && \forall integer k; 0 <= k < v->ndim ==> SNPY_AXIS_FULL(v, k) && SNPY_VIEW_FITS(v, k);
    predicate view_ok(snpy_view *v) = SNPY_VIEW_RANGES(v) && (v->count != 0 ==> view_inside(v));
 */

/* The strides of axes that are packed around an element of `size` bytes; an empty axis counts as one element. The
 * innermost axis is the last of first .. last-1, or in Fortran order the first of n. */
#define SNPY_PACKED_C(v, first, last, size) \
    ((first < last ==> (v)->strides[last - 1] == size) && \
     \forall integer packed; first <= packed < last - 1 ==> \
        encloses((v)->strides[packed], (v)->strides[packed + 1], (v)->shape[packed + 1]))
#define SNPY_PACKED_FORTRAN(v, n, size) \
    ((0 < n ==> (v)->strides[0] == size) && \
     \forall integer packed; 1 <= packed < n ==> \
        encloses((v)->strides[packed], (v)->strides[packed - 1], (v)->shape[packed - 1]))

/* What a slice selects on an axis of n elements: the step, the first element, and the number of elements. */
#define SNPY_SLICE_STEP(slice) ((slice)->has_step ? (slice)->step : 1)
#define SNPY_SLICE_FIRST(slice, n) slice_first((boolean)(slice)->has_start, (slice)->start, n, SNPY_SLICE_STEP(slice))
#define SNPY_SLICE_STOP(slice, n) slice_stop((boolean)(slice)->has_stop, (slice)->stop, n, SNPY_SLICE_STEP(slice))
#define SNPY_SLICE_COUNT(slice, n) \
    range_count(SNPY_SLICE_FIRST(slice, n), SNPY_SLICE_STOP(slice, n), SNPY_SLICE_STEP(slice))
/* clang-format on */

/* hop is a product. */
/*@ ghost
    /@ terminates \true;
       exits \false;
       assigns \nothing;
       ensures hop: hop(index, stride) == index * stride; @/
    static void show_hop(uint64_t index, int64_t stride)
    {
        uint64_t i = 0;
        /@ loop invariant range: 0 <= i <= index;
           loop invariant hop: hop(i, stride) == i * stride;
           loop assigns i;
           loop variant index - i; @/
        while (i < index) {
            /@ assert step: hop(i + 1, stride) == hop(i, stride) + stride; @/
            i++;
        }
    }
*/

/*@ requires \valid_read(view) && view_ok(view) && \valid_read(index + (0 .. view->ndim-1)) && \valid(offset);
    requires \valid(error) && \separated(offset, error, view, index + (0 .. view->ndim-1));
    terminates \true;
    exits \false;
    assigns *offset, error->status, error->offset;
    ensures result: \result == error->status && (\result == SNPY_OK || \result == SNPY_BAD_INDEX);
    ensures API_INDEX: \result == SNPY_OK <==>
            \old(view->count != 0 && \forall integer k; 0 <= k < view->ndim ==> index[k] < view->shape[k]);
    ensures place: \result == SNPY_OK ==>
            *offset == \old(view->offset + distance(index, &view->strides[0], 0, view->ndim));
    ensures NPY_DATA_008: \result == SNPY_OK ==> *offset + \old(view->itemsize) <= \old(view->data_size);
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_view_at(const snpy_view *view, const uint64_t *index, uint64_t *offset, snpy_error *error);

/*@ requires \valid_read(view) && view_ok(view) && \valid(offset);
    requires \valid(error) && \separated(offset, error, view);
    terminates \true;
    exits \false;
    assigns *offset, error->status, error->offset;
    ensures result: \result == error->status && (\result == SNPY_OK || \result == SNPY_BAD_INDEX);
    ensures API_INDEX: \result == SNPY_OK <==> flat < \old(view->count);
    ensures place: \result == SNPY_OK ==>
            *offset == \old(view->offset + flat_distance(&view->shape[0], &view->strides[0], view->ndim, flat));
    ensures NPY_DATA_008: \result == SNPY_OK ==> *offset + \old(view->itemsize) <= \old(view->data_size);
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_view_flat(const snpy_view *view, uint64_t flat, uint64_t *offset, snpy_error *error);

/* Returns the offset of the element with a number in C order, which must exist. It writes nothing, so that what is
 * known of views stays known. */
/*@ requires \valid_read(view) && view_ok(view) && flat < view->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures place: \result == view->offset + flat_distance(&view->shape[0], &view->strides[0], view->ndim, flat);
    ensures NPY_DATA_008: \result + view->itemsize <= view->data_size;
 */
uint64_t snpy_view_place(const snpy_view *view, uint64_t flat);

/*@ requires \valid(view) && \valid(error) && \separated(view, error);
    terminates \true;
    exits \false;
    assigns view->count, error->status, error->offset;
    ensures result: \result == error->status && (\result == SNPY_OK || \result == SNPY_BAD_ARGUMENT);
    ensures API_VIEW: \result == SNPY_OK ==> view_ok(view);
    ensures count: \result == SNPY_OK ==> view->count == product(&view->shape[0], view->ndim);
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_view_check(snpy_view *view, snpy_error *error);

/*@ requires \valid_read(header) && \valid(view) && \valid(error);
    requires \separated(header, view, error);
    terminates \true;
    exits \false;
    assigns view->data_size, view->offset, view->count, view->itemsize, view->ndim, view->dtype.kind,
            view->dtype.byteorder, view->dtype.unit, view->dtype.itemsize, view->dtype.multiplier, view->entry,
            view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1], error->status, error->offset;
    ensures result: \result == error->status;
    ensures API_VIEW: \result == SNPY_OK ==> view_ok(view) && view->data_size <= length;
    ensures API_OBJECTS: header->has_object ==> \result == SNPY_OBJECT_DATA;
    ensures NPY_DATA_001: !header->has_object && \old(header->data_size) > length ==> \result == SNPY_TRUNCATED_DATA;
    ensures whole: \result == SNPY_OK ==> view->offset == 0 && view->itemsize == \old(header->dtype.itemsize)
                   && view->data_size == \old(header->data_size);
    ensures shape: \result == SNPY_OK ==> view->ndim == \old(header->ndim)
                   && \forall integer k; 0 <= k < view->ndim ==> view->shape[k] == \old(header->shape[k]);
    ensures count: \result == SNPY_OK ==> view->count == product(&view->shape[0], view->ndim);
    ensures NPY_DATA_005: \result == SNPY_OK && !\old(header->fortran_order) ==>
            SNPY_PACKED_C(view, 0, view->ndim, view->itemsize);
    ensures NPY_DATA_006: \result == SNPY_OK && \old(header->fortran_order) ==>
            SNPY_PACKED_FORTRAN(view, view->ndim, view->itemsize);
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_view_open(const snpy_header *header, uint64_t length, snpy_view *view, snpy_error *error);

/*@ requires \valid(view) && \valid(error) && \separated(view, error);
    terminates \true;
    exits \false;
    assigns view->offset, view->count, view->ndim, view->shape[0 .. SNPY_MAX_NDIM-1],
            view->strides[0 .. SNPY_MAX_NDIM-1], error->status, error->offset;
    ensures result: \result == error->status;
    ensures API_VIEW: \result == SNPY_OK ==> view_ok(view) && view->ndim == \old(view->ndim) - 1;
    ensures API_INDEX: \result == SNPY_OK ==>
            -\old(view->shape[axis]) <= index < \old(view->shape[axis]) && axis < \old(view->ndim);
    ensures offset: \result == SNPY_OK ==> shifted(view->offset, \old(view->offset),
            index < 0 ? index + \old(view->shape[axis]) : index, \old(view->strides[axis]));
    ensures before: \result == SNPY_OK ==> \forall integer k; 0 <= k < axis ==>
            view->shape[k] == \old(view->shape[k]) && view->strides[k] == \old(view->strides[k]);
    ensures behind: \result == SNPY_OK ==> \forall integer k; axis <= k < view->ndim ==>
            view->shape[k] == \old(view->shape[k + 1]) && view->strides[k] == \old(view->strides[k + 1]);
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_view_index(snpy_view *view, uint32_t axis, int64_t index, snpy_error *error);

/*@ requires \valid(view) && \valid(error) && \valid_read(slice) && \separated(view, error, slice);
    terminates \true;
    exits \false;
    assigns view->offset, view->count, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1],
            error->status, error->offset;
    ensures result: \result == error->status;
    ensures API_VIEW: \result == SNPY_OK ==> view_ok(view);
    ensures API_SLICE: \old(slice->has_step) && \old(slice->step) == 0 && axis < \old(view->ndim) <= SNPY_MAX_NDIM
            && \old(view->shape[axis]) <= SNPY_MAX_SIZE ==> \result == SNPY_BAD_SLICE;
    ensures sound: \result == SNPY_OK ==> \old(view->shape[axis]) <= SNPY_MAX_SIZE
            && (\old(slice->has_step) ==> \old(slice->step) != 0);
    ensures API_SLICE_length: \result == SNPY_OK ==> axis < view->ndim
            && view->shape[axis] == \old(SNPY_SLICE_COUNT(slice, view->shape[axis]));
    ensures offset: \result == SNPY_OK ==> shifted(view->offset, \old(view->offset),
            view->shape[axis] > 0 ? \old(SNPY_SLICE_FIRST(slice, view->shape[axis])) : 0, \old(view->strides[axis]));
    ensures stride: \result == SNPY_OK ==> times(view->strides[axis],
            view->shape[axis] > 1 ? \old(SNPY_SLICE_STEP(slice)) : 1, \old(view->strides[axis]));
    ensures others: \result == SNPY_OK ==> \forall integer k; 0 <= k < view->ndim && k != axis ==>
            view->shape[k] == \old(view->shape[k]);
    ensures kept: \result == SNPY_OK ==> \forall integer k; 0 <= k < view->ndim && k != axis ==>
            view->strides[k] == \old(view->strides[k]);
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_view_slice(snpy_view *view, uint32_t axis, const snpy_slice *slice, snpy_error *error);

/*@ requires \valid(view) && \valid(error) && \separated(view, error);
    terminates \true;
    exits \false;
    assigns view->count, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1], error->status,
            error->offset;
    ensures result: \result == error->status;
    ensures API_VIEW: \result == SNPY_OK ==> view_ok(view);
    ensures reversed: \result == SNPY_OK ==> \forall integer k; 0 <= k < view->ndim ==>
            view->shape[k] == \old(view->shape[view->ndim - 1 - k])
            && view->strides[k] == \old(view->strides[view->ndim - 1 - k]);
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_view_transpose(snpy_view *view, snpy_error *error);

/*@ requires \valid_read(like) && \valid(view) && \valid(error) && \separated(like, view, error);
    terminates \true;
    exits \false;
    assigns view->data_size, view->offset, view->count, view->itemsize, view->ndim, view->dtype.kind,
            view->dtype.byteorder, view->dtype.unit, view->dtype.itemsize, view->dtype.multiplier, view->entry,
            view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1], error->status, error->offset;
    ensures result: \result == error->status;
    ensures API_VIEW: \result == SNPY_OK ==> view_ok(view);
    ensures shape: \result == SNPY_OK ==> view->ndim == \old(like->ndim)
                   && \forall integer k; 0 <= k < view->ndim ==> view->shape[k] == \old(like->shape[k]);
    ensures whole: \result == SNPY_OK ==> view->offset == 0 && view->itemsize == \old(like->itemsize)
                   && view->data_size == \old(like->count * like->itemsize);
    ensures count: \result == SNPY_OK ==> view->count == product(&view->shape[0], view->ndim);
    ensures NPY_DATA_005: \result == SNPY_OK && !fortran_order ==> SNPY_PACKED_C(view, 0, view->ndim, view->itemsize);
    ensures NPY_DATA_006: \result == SNPY_OK && fortran_order ==> SNPY_PACKED_FORTRAN(view, view->ndim, view->itemsize);
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_view_dense(const snpy_view *like, bool fortran_order, snpy_view *view, snpy_error *error);

#endif
