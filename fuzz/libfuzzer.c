/* libfuzzer.c: hands the mutator to libFuzzer, which mutates by itself the other half of the time. */
#include "fuzz/mutate.h"

#include <string.h>

/* Only libFuzzer and its like have it. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t capacity, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
    if (LLVMFuzzerMutate != NULL && (seed % 4 == 0 || size == 0)) return LLVMFuzzerMutate(data, size, capacity);
    return fuzz_mutate(data, size, capacity, data, 0, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t capacity, unsigned seed)
{
    if (size > capacity) size = capacity;
    memcpy(out, data, size);
    return fuzz_mutate(out, size, capacity, other, other_size, seed);
}
