/* mutate.h: a mutator that knows what a header looks like. */
#ifndef SAFENPY_FUZZ_MUTATE_H
#define SAFENPY_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Changes `size` bytes in place, in memory of `capacity` bytes; returns the new size. `other` is a second input to
 * take parts from; it may be empty. What begins like a file keeps a prefix whose length is right, mostly. */
size_t fuzz_mutate(uint8_t *bytes, size_t size, size_t capacity, const uint8_t *other, size_t other_size,
                   uint32_t seed);

#endif
