/* safenpy/status.h: why a file was refused.
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

/* The statuses. Each stands in safenpy/statuses.h with its number, rule, message, hint and an example. */
typedef enum snpy_status {
    SNPY_OK = 0
#define SNPY_STATUS(name, number, rule, message, hint, example) , name = number
#include "safenpy/statuses.h"
} snpy_status;

/* What was wrong, and where. `offset` counts bytes from the start of the file (of the buffer handed in);
 * when writing it is the entry of the field table at fault. */
typedef struct snpy_error {
    snpy_status status;
    uint64_t offset;
} snpy_error;

/* The four functions below return static text, never NULL, for every value, known or not: do not free it.
 * Thread-safe: they read constants only. */

/* The stable name of a status, as the enumeration spells it: "SNPY_BAD_MAGIC".             API-STATUS */
SNPY_API const char *snpy_status_name(snpy_status status);

/* The rule a status reports: "NPY-FRAME-001".                                             API-STATUS */
SNPY_API const char *snpy_status_rule(snpy_status status);

/* One sentence that a person understands, without full stop: "the file does not begin with …". API-STATUS */
SNPY_API const char *snpy_status_message(snpy_status status);

/* How to mend the file: one sentence, or what to ask of its author.                        API-STATUS */
SNPY_API const char *snpy_status_hint(snpy_status status);

#ifdef __cplusplus
}
#endif

#endif
