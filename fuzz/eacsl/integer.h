/* integer.h: the integers of the logic, as the C twin of spec/logic computes with them. They have 128 bits and stop at
 * 2^120: a number of so many digits is beyond every bound that the specification knows. */
#ifndef SAFENPY_EACSL_INTEGER_H
#define SAFENPY_EACSL_INTEGER_H

#include "core/core.h"

__extension__ typedef __int128 integer;
#define LAST ((integer)1 << 120)

static inline integer within(integer a)
{
    return a > LAST ? LAST : a < -LAST ? -LAST : a;
}

static inline integer plus(integer a, integer b)
{
    return within(a + b);
}

static inline integer minus(integer a, integer b)
{
    return within(a - b);
}

static inline integer times(integer a, integer b)
{
    integer product;
    if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? LAST : -LAST;
    return within(product);
}

static inline integer quotient(integer a, integer b)
{
    return b == 0 ? 0 : a / b;
}

static inline integer remains(integer a, integer b)
{
    return b == 0 ? 0 : a % b;
}

/* What is handed to E-ACSL, which takes no 128 bits. */
static inline unsigned long narrow(integer a)
{
    return a > UINT64_MAX ? UINT64_MAX : (unsigned long)a;
}

/* The logic is total: it has some value where the memory ends. E-ACSL knows where that is. */
int __e_acsl_valid_read(void *pointer, size_t size, void *base, void *base_address);
#define READ(p) (__e_acsl_valid_read((void *)(uintptr_t)(p), sizeof *(p), (void *)(uintptr_t)(p), NULL) ? *(p) : 0)

#endif
