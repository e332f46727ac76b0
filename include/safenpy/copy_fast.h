/* safenpy/copy_fast.h: copies and converts as safenpy/copy.h does, at the speed of memory. */
#ifndef SAFENPY_COPY_FAST_H
#define SAFENPY_COPY_FAST_H

#include "safenpy/copy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies as snpy_copy does, with the same result. The proved core checks first that views and plan are valid and fit
 * each other, so both views may come from anywhere. The loops after that are not proved, but tested against snpy_copy.
 * Thread-safe for memory that no other thread uses.                                                            API-VIEW
 *
 * data     what `from` refers to, from->data_size bytes
 * plan     made by snpy_plan_make for `from`
 * to       as many elements of the same itemsize
 * out      the caller's buffer, to->data_size bytes; it must not overlap `data`
 * returns  SNPY_OK, or SNPY_BAD_ARGUMENT with nothing written */
SNPY_API snpy_status snpy_copy_fast(const snpy_view *from, const uint8_t *data, const snpy_plan *plan,
                                    const snpy_view *to, uint8_t *out, snpy_error *error);

/* Converts in place as snpy_convert does: swaps bytes and clears padding. The view must reach each element once.
 * Returns SNPY_OK, or SNPY_BAD_ARGUMENT with nothing written. Thread-safe for memory that no other thread uses.
 *                                                                                                           API-VIEW */
SNPY_API snpy_status snpy_copy_fast_in_place(const snpy_view *view, uint8_t *data, const snpy_plan *plan,
                                             snpy_error *error);

#ifdef __cplusplus
}
#endif

#endif
