/* streams.h: what the tests of deflate streams share: numbers that look random, and data to deflate. */
#ifndef SAFENPY_TESTS_STREAMS_H
#define SAFENPY_TESTS_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers that look random and are the same on every run (xorshift). */
static inline uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Data of several kinds: few different bytes, many, long and short repetitions. */
static inline void fill(uint8_t *data, size_t size, uint64_t *seed)
{
    unsigned kinds = 1u + (unsigned)(next_random(seed) % 200);
    size_t far = 1 + (size_t)(next_random(seed) % 300);
    bool repeats = next_random(seed) % 2 == 0;
    for (size_t i = 0; i < size; i++) {
        bool is_same = repeats && i >= far && next_random(seed) % 16 != 0;
        data[i] = (uint8_t)(is_same ? data[i - far] : next_random(seed) % kinds);
    }
}

#endif
