/* view.h: what the core knows of a view: each of its elements lies inside the data. */
#ifndef SAFENPY_CORE_VIEW_H
#define SAFENPY_CORE_VIEW_H

#include "core/core.h"
#include "safenpy/view.h"
#include "spec/logic/view.h"

/* clang-format off */
/* Numbers in range, whatever they say. */
#define SNPY_VIEW_RANGES(v) \
    ((v)->ndim <= SNPY_MAX_NDIM && (v)->data_size <= SNPY_MAX_SIZE && (v)->itemsize <= SNPY_MAX_ITEMSIZE)

/* The axes from k on reach no byte outside the data. */
#define SNPY_VIEW_FITS(v, k) \
    (0 <= (v)->offset + lowest(&(v)->shape[0], &(v)->strides[0], k, (v)->ndim) && \
     (v)->offset + highest(&(v)->shape[0], &(v)->strides[0], k, (v)->ndim) + (v)->itemsize <= (v)->data_size)

#define SNPY_AXIS_FULL(v, k) \
    (1 <= (v)->shape[k] <= SNPY_MAX_SIZE && \
     -SNPY_MAX_SIZE <= reach((v)->shape[k], (v)->strides[k]) <= SNPY_MAX_SIZE)

/* No axis is empty and each element lies in the data; or there is no element. */
/*@ predicate view_inside(snpy_view *v) =
        SNPY_VIEW_FITS(v, v->ndim)
        && \forall integer k; 0 <= k < v->ndim ==> SNPY_AXIS_FULL(v, k) && SNPY_VIEW_FITS(v, k);
    predicate view_ok(snpy_view *v) = SNPY_VIEW_RANGES(v) && (v->count != 0 ==> view_inside(v));
 */
/* clang-format on */

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

/* Where the element of a flat number that exists begins. It writes nothing, so that what is known of views is
 * known still. */
/*@ requires \valid_read(view) && view_ok(view) && flat < view->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures place: \result == view->offset + flat_distance(&view->shape[0], &view->strides[0], view->ndim, flat);
    ensures NPY_DATA_008: \result + view->itemsize <= view->data_size;
 */
uint64_t snpy_view_place(const snpy_view *view, uint64_t flat);

#endif
