/* safenpy/view.h: finds where an element, a field or a slice is within the data.
 *
 * All functions here are thread-safe as long as no other thread uses the view that they change. */
#ifndef SAFENPY_VIEW_H
#define SAFENPY_VIEW_H

#include "safenpy/header.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An array inside the data, without the data: it only knows where each element begins. The element at index (i, j, …)
 * occupies `itemsize` bytes from offset + i * strides[0] + j * strides[1] + … on, counted from the beginning of the
 * data. Slices, fields and transposes are views too; nothing is copied.
 *
 * A view is filled by snpy_view_open and the functions after it. One that you change yourself, or that comes from
 * elsewhere, must pass snpy_view_check before it is used. A function that returns SNPY_BAD_ARGUMENT leaves the view
 * unspecified; this happens only if the view was not valid. */
typedef struct snpy_view {
    uint64_t data_size;             /* bytes of the data that it may refer to */
    uint64_t offset;                /* offset of the element of index 0, 0, … in the data */
    uint64_t count;                 /* elements */
    uint32_t itemsize;              /* bytes of one element */
    uint32_t ndim;                  /* 0 to 64 */
    snpy_dtype dtype;               /* of one element; SNPY_KIND_RECORD: `entry` has its fields */
    uint32_t entry;                 /* entry of the field table, if the element is a record */
    uint64_t shape[SNPY_MAX_NDIM];  /* elements along each axis; only the first ndim are set */
    int64_t strides[SNPY_MAX_NDIM]; /* bytes from one element to the next; may be negative */
} snpy_view;

/* A slice as in Python, start:stop:step. What is absent has Python's default: step 1, the whole axis. */
typedef struct snpy_slice {
    int64_t start; /* negative: counted from the end */
    int64_t stop;
    int64_t step; /* not 0 */
    bool has_start;
    bool has_stop;
    bool has_step;
} snpy_slice;

/* Makes a view of the whole array of a header, in its own order (C or Fortran).            NPY-DATA-005 … 008, API-VIEW
 *
 * length   bytes of data that exist; more than the header declares are ignored
 * returns  SNPY_OK; SNPY_TRUNCATED_DATA at `length`; SNPY_OBJECT_DATA; SNPY_BAD_ARGUMENT if snpy_parse_header did not
 *          compute the header */
SNPY_API snpy_status snpy_view_open(const snpy_header *header, uint64_t length, snpy_view *view, snpy_error *error);

/* Checks that all elements of a view are inside its data, and sets view->count. Returns SNPY_OK, or SNPY_BAD_ARGUMENT
 * at the axis at fault (at the number of dimensions if no axis is).                                         API-VIEW */
SNPY_API snpy_status snpy_view_check(snpy_view *view, snpy_error *error);

/* Computes the offset in the data of the element at an index.                                                 API-INDEX
 *
 * index    view->ndim numbers, each from 0 to shape - 1
 * returns  SNPY_OK, or SNPY_BAD_INDEX at the axis at fault */
SNPY_API snpy_status snpy_view_at(const snpy_view *view, const uint64_t *index, uint64_t *offset, snpy_error *error);

/* Computes the offset of the element with number `flat` in C order, whatever the order of the data: the last index
 * varies fastest. SNPY_BAD_INDEX at `flat` if it is not below view->count.                                 API-INDEX */
SNPY_API snpy_status snpy_view_flat(const snpy_view *view, uint64_t flat, uint64_t *offset, snpy_error *error);

/* Selects one index along an axis, which the view loses. A negative index counts from the end.                API-INDEX
 *
 * returns  SNPY_OK; SNPY_BAD_INDEX at `axis`, with the view unchanged; SNPY_BAD_ARGUMENT (no such axis, a view that is
 *          not valid) */
SNPY_API snpy_status snpy_view_index(snpy_view *view, uint32_t axis, int64_t index, snpy_error *error);

/* Applies a slice along an axis, as Python does: elements that do not exist are left out.                     API-SLICE
 *
 * returns  SNPY_OK; SNPY_BAD_SLICE at `axis` for a step of 0, with the view unchanged; SNPY_BAD_ARGUMENT */
SNPY_API snpy_status snpy_view_slice(snpy_view *view, uint32_t axis, const snpy_slice *slice, snpy_error *error);

/* Reverses the order of the axes. Returns SNPY_OK, or SNPY_BAD_ARGUMENT for a view that is not valid.       API-VIEW */
SNPY_API snpy_status snpy_view_transpose(snpy_view *view, snpy_error *error);

/* Selects a field of each record; the dimensions of a sub-array become the last axes.                          API-TYPE
 *
 * table    the header's, as snpy_parse_header filled it
 * entry    of the field; its parent is view->entry
 * returns  SNPY_OK; SNPY_WRONG_TYPE if the element has no such field; SNPY_TOO_MANY_DIMENSIONS; SNPY_BAD_ARGUMENT (a
 *          table that no header has). After SNPY_WRONG_TYPE and SNPY_TOO_MANY_DIMENSIONS the view is unchanged */
SNPY_API snpy_status snpy_view_field(snpy_view *view, const snpy_table *table, uint32_t entry, snpy_error *error);

#ifdef __cplusplus
}
#endif

#endif
