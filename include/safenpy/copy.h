/* safenpy/copy.h: elements into the caller's memory, in the order and byte order that the caller wants. */
#ifndef SAFENPY_COPY_H
#define SAFENPY_COPY_H

#include "safenpy/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which byte order the copy is to have. */
typedef enum snpy_target_order { SNPY_ORDER_KEEP = 0, SNPY_ORDER_LITTLE = 1, SNPY_ORDER_BIG = 2 } snpy_target_order;

/* What happens to some bytes of each element. */
typedef enum snpy_action {
    SNPY_ACTION_KEEP = 0, /* they are copied */
    SNPY_ACTION_SWAP = 1, /* each number's bytes are reversed */
    SNPY_ACTION_ZERO = 2  /* padding: zeros, so that no old memory leaks */
} snpy_action;

typedef struct snpy_run {
    int32_t offset; /* bytes from the start of the element */
    int32_t end;    /* the byte after its last */
    int32_t unit;   /* bytes of one number: 2, 4, 8 or 16 where they are swapped, else 1 */
    int8_t action;  /* enum snpy_action */
} snpy_run;

/* How one element is copied: runs in the order of their offsets that cover it from end to end. The room for the
 * runs is the caller's; one run is enough for simple types, and as many as a record has fields and gaps are
 * enough for it, unless it has sub-arrays of records. */
typedef struct snpy_plan {
    snpy_run *runs;
    uint32_t capacity; /* runs */
    uint32_t count;    /* used */
    uint32_t itemsize; /* bytes of one element */
} snpy_plan;

/* The most runs that a plan may need, and steps that finding them may take. */
#define SNPY_MAX_RUNS 0x1000000u

/* Finds out how the elements of a view are copied.                             NPY-VALUE-001, NPY-VALUE-011, API-VIEW
 *
 * table    the header's; not looked at unless the elements are records
 * returns  SNPY_OK; SNPY_TABLE_TOO_SMALL if there are more runs than plan->capacity; SNPY_TOO_MANY_FIELDS
 *          above SNPY_MAX_RUNS (a sub-array of very many records); SNPY_BAD_ARGUMENT */
SNPY_API snpy_status snpy_plan_make(const snpy_view *view, const snpy_table *table, snpy_target_order order,
                                    snpy_plan *plan, snpy_error *error);

/* Whether every run of a plan lies within the element: for plans that did not come from snpy_plan_make.
 * SNPY_OK, or SNPY_BAD_ARGUMENT at the run at fault.                                                   API-VIEW */
SNPY_API snpy_status snpy_plan_check(const snpy_plan *plan, snpy_error *error);

/* A view of the same shape whose elements lie densely in C order, or Fortran order: what a copy can be made
 * into. Its data_size is the room that the copy needs. SNPY_OK or SNPY_BAD_ARGUMENT.                   API-VIEW */
SNPY_API snpy_status snpy_view_dense(const snpy_view *like, bool fortran_order, snpy_view *view, snpy_error *error);

/* Copies all elements of `from` into the places that `to` gives them, element for element in C order.
 *
 * data     what `from` looks into, from->data_size bytes
 * plan     snpy_plan_make made it for `from`
 * to       as many elements of the same itemsize; its own places may lie anywhere in `out`
 * out      the caller's, to->data_size bytes; it must not overlap `data`. Bytes that no element takes are left
 *          as they were
 * returns  SNPY_OK, or SNPY_BAD_ARGUMENT, before anything is written, if views and plan do not fit each other */
SNPY_API snpy_status snpy_copy(const snpy_view *from, const uint8_t *data, const snpy_plan *plan, const snpy_view *to,
                               uint8_t *out, snpy_error *error);

/* Converts all elements of a view where they are: swaps bytes and clears padding. The view must reach each element
 * once (no stride of 0). SNPY_OK or SNPY_BAD_ARGUMENT, before anything is written. */
SNPY_API snpy_status snpy_convert(const snpy_view *view, uint8_t *data, const snpy_plan *plan, snpy_error *error);

#ifdef __cplusplus
}
#endif

#endif
