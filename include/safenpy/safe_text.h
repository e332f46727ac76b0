/* safenpy/safe_text.h: makes untrusted text safe for a terminal.
 *
 * A path, a member's key or a field's name can contain bytes that move the cursor, change colours, or reverse the
 * direction of writing, so that a line seems to say something else. */
#ifndef SAFENPY_SAFE_TEXT_H
#define SAFENPY_SAFE_TEXT_H

#include <stddef.h>

#include "safenpy/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copies text and escapes whatever a terminal would not show as it is. Control characters, invisible characters and
 * those that change their neighbours become \x1b or \u{202e}; a byte that is not part of UTF-8 becomes \xff; a
 * backslash is doubled, so that no other text gives the same result. The result is UTF-8 without a line break.
 *
 * text, length   bytes: a path, a name from snpy_name_decode, the sentence of snpy_io_error_text
 * out, capacity  the caller's buffer, terminated if capacity > 0; a longer result is cut between two characters
 * returns        bytes of the whole result, without its NUL
 *
 * Thread-safe; never fails.
 */
SNPY_API size_t snpy_safe_text(const void *text, size_t length, char *out, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
