/* safenpy/status.h: the statuses that report why a file was refused.
 *
 * Errors are data: a status with a stable number and the byte offset at which its rule was broken.
 * safenpy/statuses.h lists them, with the rule that each reports and an example of what triggers it.
 *
 * When several rules are broken, the earliest failing phase wins, then the earliest byte. The phases
 * are the blocks of statuses in their order: frame, limits, text encoding, literal, dtype, table,
 * duplicates, shape, sizes, data.
 */
#ifndef SAFENPY_STATUS_H
#define SAFENPY_STATUS_H

#include <stdint.h>

#include "safenpy/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The statuses. safenpy/statuses.h has the number, rule, message, hint and example of each. */
typedef enum snpy_status {
    SNPY_OK = 0
#define SNPY_STATUS(name, number, rule, message, hint, example) , name = number
#include "safenpy/statuses.h"
} snpy_status;

/* A status, and where it was found. `offset` counts bytes from the beginning of the file, or of the buffer that was
 * given; when writing, it is the entry of the field table at fault. */
typedef struct snpy_error {
    snpy_status status;
    uint64_t offset;
} snpy_error;

/* The four functions below return static text, never NULL, for every value, known or not: do not free it. Thread-safe:
 * they only read constants. */

/* Returns the stable name of a status, as the enumeration spells it: "SNPY_BAD_MAGIC".                    API-STATUS */
SNPY_API const char *snpy_status_name(snpy_status status);

/* Returns the rule that a status reports: "NPY-FRAME-001".                                                API-STATUS */
SNPY_API const char *snpy_status_rule(snpy_status status);

/* Returns one sentence for people, without a full stop: "the file does not begin with …". */
SNPY_API const char *snpy_status_message(snpy_status status);

/* Returns how to fix the file, or what to ask its author for, in one sentence.                            API-STATUS */
SNPY_API const char *snpy_status_hint(snpy_status status);

#ifdef __cplusplus
}
#endif

#endif
