/* safenpy/transfer.h: copies and conversions as in safenpy/copy.h, at the speed of memory. */
#ifndef SAFENPY_TRANSFER_H
#define SAFENPY_TRANSFER_H

#include "safenpy/copy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Does what snpy_copy does, and leaves the same bytes. The proved core decides first whether views and plan are sound
 * and fit each other; the loops after that are tested against snpy_copy, not proved. Both views are checked here: they
 * may come from anywhere. Thread-safe for memory that no other thread uses.                             API-VIEW
 *
 * data     what `from` looks into, from->data_size bytes
 * plan     snpy_plan_make made it for `from`
 * to       as many elements of the same itemsize
 * out      the caller's, to->data_size bytes; it must not overlap `data`
 * returns  SNPY_OK, or SNPY_BAD_ARGUMENT, before anything is written */
SNPY_API snpy_status snpy_transfer(const snpy_view *from, const uint8_t *data, const snpy_plan *plan,
                                   const snpy_view *to, uint8_t *out, snpy_error *error);

/* Does what snpy_convert does: swaps bytes and clears padding where the elements are. The view must reach each element
 * once. SNPY_OK or SNPY_BAD_ARGUMENT, before anything is written.                                       API-VIEW */
SNPY_API snpy_status snpy_transfer_here(const snpy_view *view, uint8_t *data, const snpy_plan *plan, snpy_error *error);

#ifdef __cplusplus
}
#endif

#endif
