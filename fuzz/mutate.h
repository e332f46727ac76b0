/* mutate.h: a mutator that knows what a header looks like, and an archive. */
#ifndef SAFENPY_FUZZ_MUTATE_H
#define SAFENPY_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changes `size` bytes in place, in memory of `capacity` bytes; returns the new size. `other` is a second input to
 * take parts from; it may be empty. What begins like a file keeps a prefix whose length is right, mostly; an archive
 * keeps offsets, sizes and CRCs that are right, or lies in one of them. */
size_t fuzz_mutate(uint8_t *bytes, size_t size, size_t capacity, const uint8_t *other, size_t other_size,
                   uint32_t seed);

/* Likewise of text and of archives: fuzz_mutate asks one of them. */
size_t fuzz_mutate_text(uint8_t *bytes, size_t size, size_t capacity, const uint8_t *other, size_t other_size,
                        uint32_t seed);
size_t fuzz_mutate_zip(uint8_t *bytes, size_t size, size_t capacity, const uint8_t *other, size_t other_size,
                       uint32_t seed);

/* Whether bytes begin as an archive does. */
bool fuzz_is_zip(const uint8_t *bytes, size_t size);

#endif
