/* safenpy/value.h: one element's bytes as a number or a text, in any byte order, at any address. */
#ifndef SAFENPY_VALUE_H
#define SAFENPY_VALUE_H

#include "safenpy/dtype.h"
#include "safenpy/export.h"
#include "safenpy/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In all functions: `element` is dtype->itemsize bytes, as snpy_view_at found them, borrowed for the call;
 * `dtype` is the element's. On failure what would be filled is left as it was. They return
 *   SNPY_OK
 *   SNPY_WRONG_TYPE   the element is not of this kind, or of a size that has no such value (floats of
 *                     16 bytes are the platform's own)
 *   SNPY_VALUE_RANGE  the value does not fit
 * Thread-safe: they touch nothing but their arguments. */

/* Booleans (any byte other than 0 is 1, as NumPy has it), integers, and the counts of datetimes and
 * timedeltas, of which -2^63 is NaT.                                             NPY-VALUE-001 … 003, 010 */
SNPY_API snpy_status snpy_get_int(const uint8_t *element, const snpy_dtype *dtype, int64_t *value);
SNPY_API snpy_status snpy_get_uint(const uint8_t *element, const snpy_dtype *dtype, uint64_t *value);
SNPY_API snpy_status snpy_set_int(uint8_t *element, const snpy_dtype *dtype, int64_t value);
SNPY_API snpy_status snpy_set_uint(uint8_t *element, const snpy_dtype *dtype, uint64_t value);

/* Floats of 2, 4 and 8 bytes, widened exactly. The value is the 64 bits of an IEEE 754 binary64, because the
 * core has no floating-point arithmetic: snpy_double and snpy_double_bits of double.h turn one into the other.
 * A NaN keeps its sign and as much of its payload as there is room for. Setting rounds to nearest, ties to
 * even; what is too large becomes infinite, as in NumPy.                      NPY-VALUE-004, NPY-VALUE-006 */
SNPY_API snpy_status snpy_get_float(const uint8_t *element, const snpy_dtype *dtype, uint64_t *bits);
SNPY_API snpy_status snpy_set_float(uint8_t *element, const snpy_dtype *dtype, uint64_t bits);

/* Complex numbers of 8 and 16 bytes: bits[0] is the real, bits[1] the imaginary part.            NPY-VALUE-005 */
SNPY_API snpy_status snpy_get_complex(const uint8_t *element, const snpy_dtype *dtype, uint64_t bits[2]);
SNPY_API snpy_status snpy_set_complex(uint8_t *element, const snpy_dtype *dtype, const uint64_t bits[2]);

/* Strings of kind U as UTF-8, of kind S as the bytes they are, without the zeros at their end; not
 * terminated. *size is the number of bytes the text takes, whether they fitted into `out` or not: NULL with 0
 * measures. SNPY_BUFFER_TOO_SMALL if they did not fit (`out` is then unspecified); SNPY_BAD_CODE_POINT for a
 * number in an element of kind U that is no Unicode scalar value, *size is then its byte within the element.
 *                                                                           API-TEXT, NPY-VALUE-007, NPY-VALUE-008 */
SNPY_API snpy_status snpy_get_text(const uint8_t *element, const snpy_dtype *dtype, uint8_t *out, size_t capacity,
                                   uint64_t *size);

/* The other way round; the rest of the element is filled with zeros. SNPY_VALUE_RANGE if the text is too
 * long, SNPY_BAD_CODE_POINT if it is not UTF-8 (kind U); the element is then as it was.      API-TEXT */
SNPY_API snpy_status snpy_set_text(uint8_t *element, const snpy_dtype *dtype, const uint8_t *text, size_t length);

#ifdef __cplusplus
}
#endif

#endif
