/* safenpy/name.h: decodes the names and titles of fields to UTF-8. */
#ifndef SAFENPY_NAME_H
#define SAFENPY_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "safenpy/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the bytes of a name are encoded. */
typedef enum snpy_name_encoding {
    SNPY_NAME_LATIN1 = 1, /* a span of a header of version 1.0 or 2.0: Latin-1 with escapes */
    SNPY_NAME_UTF8 = 3,   /* a span of a header of version 3.0: UTF-8 with escapes */
    SNPY_NAME_PLAIN = 4   /* UTF-8 without escapes; surrogates as three bytes each */
} snpy_name_encoding;

/* Decodes a name to UTF-8. A name is counted, not terminated: it may contain NUL. A lone surrogate ('\ud800' is a legal
 * Python string) becomes its three bytes ED A0 80, which strict UTF-8 does not allow: *surrogates counts them, so that
 * the caller can decide. Pairs of surrogates are not joined.                                              NPY-DTYPE-013
 *
 * text, offset, length  the span; offset + length is within the `text_length` bytes of the text
 * out, capacity         the caller's buffer; at most `capacity` bytes are written; NULL with 0 to measure
 * size                  bytes of the decoded name, also if it did not fit
 * surrogates            number of surrogate code points in it
 * returns               SNPY_OK, SNPY_BUFFER_TOO_SMALL (size is right, out is unspecified), SNPY_WRITE_NAME if the
 *                       bytes are no name in that encoding
 *
 * Thread-safe. */
/*@ requires \valid_read(text + (0 .. text_length-1)) && \valid(out + (0 .. capacity-1));
    requires \valid(size) && \valid(surrogates);
    requires \separated(text + (0 .. text_length-1), out + (0 .. capacity-1), size, surrogates);
    requires offset <= text_length && length <= text_length - offset;
    requires text_length <= 0xffffffff;
    terminates \true;
    exits \false;
    assigns out[0 .. capacity-1], *size, *surrogates;
    ensures result: \result == SNPY_OK || \result == SNPY_BUFFER_TOO_SMALL || \result == SNPY_WRITE_NAME;
    ensures fits: \result == SNPY_OK ==> *size <= capacity;
    ensures too_small: \result == SNPY_BUFFER_TOO_SMALL ==> *size > capacity;
 */
SNPY_API snpy_status snpy_name_decode(const uint8_t *text, size_t text_length, size_t offset, size_t length,
                                      snpy_name_encoding encoding, uint8_t *out, size_t capacity, uint64_t *size,
                                      size_t *surrogates);

#ifdef __cplusplus
}
#endif

#endif
