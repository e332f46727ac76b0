/* safenpy/copy.h: copies elements into the caller's memory, in the order and byte order that the caller wants.
 *
 * All functions here are thread-safe as long as no other thread uses the view, the plan or the memory that they write
 * to; what they read may be shared. */
#ifndef SAFENPY_COPY_H
#define SAFENPY_COPY_H

#include "safenpy/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The byte order that a copy gets. */
typedef enum snpy_byteorder {
    SNPY_BYTEORDER_KEEP = 0,
    SNPY_BYTEORDER_LITTLE = 1,
    SNPY_BYTEORDER_BIG = 2
} snpy_byteorder;

/* What happens to some bytes of each element. */
typedef enum snpy_action {
    SNPY_ACTION_KEEP = 0, /* copied */
    SNPY_ACTION_SWAP = 1, /* the bytes of each number are reversed */
    SNPY_ACTION_ZERO = 2  /* padding: set to zeros, so that no old memory leaks */
} snpy_action;

typedef struct snpy_run {
    int32_t offset; /* bytes from the start of the element */
    int32_t end;    /* the byte after its last */
    int32_t unit;   /* bytes of one number: 2, 4, 8 or 16 if they are swapped, else 1 */
    int8_t action;  /* enum snpy_action */
} snpy_run;

/* How one element is copied: runs, in the order of their offsets, that cover it from beginning to end. The caller
 * provides the memory for the runs. One run is enough for simple dtypes; a structured dtype needs at most as many as it
 * has fields and gaps, unless it has sub-arrays of records. */
typedef struct snpy_plan {
    snpy_run *runs;
    uint32_t capacity; /* runs */
    uint32_t count;    /* used */
    uint32_t itemsize; /* bytes of one element */
} snpy_plan;

/* The most runs that a plan may have, and the most steps to find them. */
#define SNPY_MAX_RUNS 0x1000000u

/* Makes the plan by which the elements of a view are copied.                     NPY-VALUE-001, NPY-VALUE-011, API-VIEW
 *
 * table    the header's; used for structured dtypes only
 * returns  SNPY_OK; SNPY_TABLE_TOO_SMALL if there are more runs than plan->capacity; SNPY_TOO_MANY_FIELDS above
 *          SNPY_MAX_RUNS (a sub-array of very many records); SNPY_BAD_ARGUMENT */
SNPY_API snpy_status snpy_plan_make(const snpy_view *view, const snpy_table *table, snpy_byteorder byteorder,
                                    snpy_plan *plan, snpy_error *error);

/* Checks that every run of a plan is within the element: for plans that snpy_plan_make did not make. Returns SNPY_OK,
 * or SNPY_BAD_ARGUMENT at the run at fault.                                                                 API-VIEW */
SNPY_API snpy_status snpy_plan_check(const snpy_plan *plan, snpy_error *error);

/* Makes a view of the same shape as `like` whose elements are contiguous in C or Fortran order: a copy can be written
 * into it, in a buffer of its data_size. Returns SNPY_OK or SNPY_BAD_ARGUMENT.                              API-VIEW */
SNPY_API snpy_status snpy_view_dense(const snpy_view *like, bool fortran_order, snpy_view *view, snpy_error *error);

/* Copies all elements of `from` to where `to` places them, element by element in C order.
 *
 * data     what `from` refers to, from->data_size bytes
 * plan     made by snpy_plan_make for `from`
 * to       as many elements of the same itemsize, at any offsets in `out`
 * out      the caller's buffer, to->data_size bytes; it must not overlap `data`. Bytes that belong to no element are
 *          not changed
 * returns  SNPY_OK; SNPY_BAD_ARGUMENT, with nothing written, if views and plan do not fit each other */
SNPY_API snpy_status snpy_copy(const snpy_view *from, const uint8_t *data, const snpy_plan *plan, const snpy_view *to,
                               uint8_t *out, snpy_error *error);

/* Converts all elements of a view in place: swaps bytes and clears padding. The view must reach each element once (no
 * stride of 0). Returns SNPY_OK, or SNPY_BAD_ARGUMENT with nothing written. */
SNPY_API snpy_status snpy_convert(const snpy_view *view, uint8_t *data, const snpy_plan *plan, snpy_error *error);

#ifdef __cplusplus
}
#endif

#endif
