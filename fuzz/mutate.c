/* mutate.c: which mutator an input goes to. */
#include "fuzz/mutate.h"

size_t fuzz_mutate(uint8_t *bytes, size_t size, size_t capacity, const uint8_t *other, size_t other_size, uint32_t seed)
{
    if (fuzz_is_zip(bytes, size)) return fuzz_mutate_zip(bytes, size, capacity, other, other_size, seed);
    return fuzz_mutate_text(bytes, size, capacity, other, other_size, seed);
}
