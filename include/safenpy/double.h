/* safenpy/double.h: a double and the 64 bits it is made of, for hosts whose double is binary64. */
#ifndef SAFENPY_DOUBLE_H
#define SAFENPY_DOUBLE_H

#include <stdint.h>
#include <string.h>

/* The double that the bits of snpy_get_float stand for. */
static inline double snpy_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The bits of a double, for snpy_set_float. */
static inline uint64_t snpy_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
