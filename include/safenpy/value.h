/* safenpy/value.h: reads and writes one element as a number or a text, in any byte order, at any address. */
#ifndef SAFENPY_VALUE_H
#define SAFENPY_VALUE_H

#include "safenpy/dtype.h"
#include "safenpy/export.h"
#include "safenpy/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Common to all functions: `element` is dtype->itemsize bytes, at the offset from snpy_view_at, borrowed for the call;
 * `dtype` is the element's. On failure nothing is written to the result. They return
 *   SNPY_OK
 *   SNPY_WRONG_TYPE   the element is not of this kind, or its size has no such value (floats of 16 bytes are the
 *                     platform's own)
 *   SNPY_VALUE_RANGE  the value does not fit
 * Thread-safe: they use nothing but their arguments. */

/* Get and set booleans (any byte other than 0 is 1, as in NumPy), integers, and the counts of datetimes and timedeltas,
 * where -2^63 is NaT.                                                                       NPY-VALUE-001 … 003, 010 */
SNPY_API snpy_status snpy_get_int(const uint8_t *element, const snpy_dtype *dtype, int64_t *value);
SNPY_API snpy_status snpy_get_uint(const uint8_t *element, const snpy_dtype *dtype, uint64_t *value);
SNPY_API snpy_status snpy_set_int(uint8_t *element, const snpy_dtype *dtype, int64_t value);
SNPY_API snpy_status snpy_set_uint(uint8_t *element, const snpy_dtype *dtype, uint64_t value);

/* Get and set floats of 2, 4 and 8 bytes, widened exactly. The value is the 64 bits of an IEEE 754 binary64, because
 * the core has no floating-point arithmetic: snpy_double and snpy_double_bits of double.h convert. A NaN keeps its sign
 * and as much of its payload as fits. Setting rounds to nearest, ties to even; a value that is too large becomes
 * infinite, as in NumPy.                                                                NPY-VALUE-004, NPY-VALUE-006 */
SNPY_API snpy_status snpy_get_float(const uint8_t *element, const snpy_dtype *dtype, uint64_t *bits);
SNPY_API snpy_status snpy_set_float(uint8_t *element, const snpy_dtype *dtype, uint64_t bits);

/* Get and set complex numbers of 8 and 16 bytes: bits[0] is the real, bits[1] the imaginary part.      NPY-VALUE-005 */
SNPY_API snpy_status snpy_get_complex(const uint8_t *element, const snpy_dtype *dtype, uint64_t bits[2]);
SNPY_API snpy_status snpy_set_complex(uint8_t *element, const snpy_dtype *dtype, const uint64_t bits[2]);

/* Gets a string of kind U as UTF-8, or of kind S as its bytes, without trailing zeros; not terminated. *size is the
 * number of bytes of the text, also if it did not fit: NULL with 0 measures. SNPY_BUFFER_TOO_SMALL if it did not fit
 * (`out` is then unspecified). SNPY_BAD_CODE_POINT for a number in an element of kind U that is no Unicode scalar
 * value; *size is then its offset in the element.                             API-TEXT, NPY-VALUE-007, NPY-VALUE-008 */
SNPY_API snpy_status snpy_get_text(const uint8_t *element, const snpy_dtype *dtype, uint8_t *out, size_t capacity,
                                   uint64_t *size);

/* Sets a string: the opposite of snpy_get_text. The rest of the element is filled with zeros. SNPY_VALUE_RANGE if the
 * text is too long; SNPY_BAD_CODE_POINT if it is not UTF-8 (kind U). The element is then unchanged.         API-TEXT */
SNPY_API snpy_status snpy_set_text(uint8_t *element, const snpy_dtype *dtype, const uint8_t *text, size_t length);

#ifdef __cplusplus
}
#endif

#endif
