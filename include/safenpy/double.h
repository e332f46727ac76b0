/* safenpy/double.h: converts between double and the 64 bits of the core's floats, on hosts whose double is binary64. */
#ifndef SAFENPY_DOUBLE_H
#define SAFENPY_DOUBLE_H

#include <stdint.h>
#include <string.h>

#include "safenpy/value.h"

/* Returns the double whose bits snpy_get_float has returned. */
static inline double snpy_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the bits of a double, for snpy_set_float. */
static inline uint64_t snpy_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/**
 * Reads a float of 2, 4 or 8 bytes as a double, widened exactly.
 *
 * element  dtype->itemsize bytes, as snpy_view_at found them; borrowed for the call
 * dtype    the element's
 * value    set on success, else left as it was
 * returns  SNPY_OK; SNPY_WRONG_TYPE for another kind, or a float of 16 bytes
 *
 * Thread-safe.                                                                          NPY-VALUE-004, NPY-VALUE-006
 */
static inline snpy_status snpy_get_double(const uint8_t *element, const snpy_dtype *dtype, double *value)
{
    uint64_t bits = 0;
    snpy_status status = snpy_get_float(element, dtype, &bits);
    if (status == SNPY_OK) *value = snpy_double(bits);
    return status;
}

#endif
