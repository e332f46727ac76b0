/* safenpy/view.h: where an element, a field or a slice lies within the data. */
#ifndef SAFENPY_VIEW_H
#define SAFENPY_VIEW_H

#include "safenpy/header.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An array inside the data, without the data: all it knows is where each element begins. The element at
 * index (i, j, …) takes the bytes offset + i * strides[0] + j * strides[1] + … and the `itemsize - 1` after
 * it, counted from the start of the data. Slices, fields and transposes are views again; nothing is copied.
 *
 * Filled by snpy_view_open and the functions below it. What you change yourself, or bring from elsewhere,
 * must pass snpy_view_check before it is used. A function that returns SNPY_BAD_ARGUMENT leaves the view
 * unspecified; it does so only for a view that was not sound. */
typedef struct snpy_view {
    uint64_t data_size;             /* bytes of the data that it may reach */
    uint64_t offset;                /* bytes from the start of the data to the element of index 0, 0, … */
    uint64_t count;                 /* elements */
    uint32_t itemsize;              /* bytes of one element */
    uint32_t ndim;                  /* 0 to 64 */
    snpy_dtype dtype;               /* of one element; SNPY_KIND_RECORD: `entry` tells where its fields are */
    uint32_t entry;                 /* of the field table, if the element is a record */
    uint64_t shape[SNPY_MAX_NDIM];  /* elements along each axis; only the first ndim are set */
    int64_t strides[SNPY_MAX_NDIM]; /* bytes from one element to the next; may be negative */
} snpy_view;

/* A slice as Python writes it, start:stop:step. What is absent is as in Python: step 1, the whole axis. */
typedef struct snpy_slice {
    int64_t start; /* negative: counted from the end */
    int64_t stop;
    int64_t step; /* not 0 */
    bool has_start;
    bool has_stop;
    bool has_step;
} snpy_slice;

/* The whole array of a header, in its own order (C or Fortran).                     NPY-DATA-005 … 008, API-VIEW
 *
 * length   bytes of data that are there; more than the header declares are left alone
 * returns  SNPY_OK; SNPY_TRUNCATED_DATA at `length`; SNPY_OBJECT_DATA; SNPY_BAD_ARGUMENT if the header is not
 *          one that snpy_parse_header computed */
SNPY_API snpy_status snpy_view_open(const snpy_header *header, uint64_t length, snpy_view *view, snpy_error *error);

/* Whether all elements of a view lie inside its data: SNPY_OK, or SNPY_BAD_ARGUMENT at the axis at fault
 * (the number of dimensions if it is none of them). Counts the elements, too.                     API-VIEW */
SNPY_API snpy_status snpy_view_check(snpy_view *view, snpy_error *error);

/* Where the element at an index begins, in bytes from the start of the data.                      API-INDEX
 *
 * index    view->ndim numbers, each from 0 to shape - 1
 * returns  SNPY_OK, or SNPY_BAD_INDEX at the axis at fault */
SNPY_API snpy_status snpy_view_at(const snpy_view *view, const uint64_t *index, uint64_t *offset, snpy_error *error);

/* Likewise for the element of flat number `flat` in C order, whatever the order of the data: the last index
 * varies fastest. SNPY_BAD_INDEX at `flat` if it is not below view->count.                         API-INDEX */
SNPY_API snpy_status snpy_view_flat(const snpy_view *view, uint64_t flat, uint64_t *offset, snpy_error *error);

/* Takes one element along an axis: the view loses that axis. A negative index counts from the end.  API-INDEX
 * returns  SNPY_OK; SNPY_BAD_INDEX at `axis`, the view as it was; SNPY_BAD_ARGUMENT (no such axis, a view
 *          that is not sound) */
SNPY_API snpy_status snpy_view_pick(snpy_view *view, uint32_t axis, int64_t index, snpy_error *error);

/* Takes a slice along an axis, as Python does: what lies outside is left out.                       API-SLICE
 * returns  SNPY_OK; SNPY_BAD_SLICE at `axis` for a step of 0, the view as it was; SNPY_BAD_ARGUMENT */
SNPY_API snpy_status snpy_view_slice(snpy_view *view, uint32_t axis, const snpy_slice *slice, snpy_error *error);

/* Reverses the axes. SNPY_OK, or SNPY_BAD_ARGUMENT for a view that is not sound.                    API-VIEW */
SNPY_API snpy_status snpy_view_transpose(snpy_view *view, snpy_error *error);

/* Takes a field of each record; the dimensions of a sub-array become the last axes.                 API-TYPE
 *
 * table    the header's, as snpy_parse_header filled it
 * entry    of the field; its parent is view->entry
 * returns  SNPY_OK; SNPY_WRONG_TYPE if the element has no such field; SNPY_TOO_MANY_DIMENSIONS;
 *          SNPY_BAD_ARGUMENT (a table that no header has). But for the last, the view stays as it was. */
SNPY_API snpy_status snpy_view_field(snpy_view *view, const snpy_table *table, uint32_t entry, snpy_error *error);

#ifdef __cplusplus
}
#endif

#endif
