/* memory.h: counts the memory that the library takes, and can refuse it. The linker brings every allocation here
 * (FUZZ_COUNTED in fuzz.mk). */
#ifndef SAFENPY_FUZZ_MEMORY_H
#define SAFENPY_FUZZ_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins to count. Returns what is taken now. */
size_t fuzz_memory_begin(void);

/* Returns the most bytes that were taken at any time since then, beyond what was taken then. */
size_t fuzz_memory_most(size_t begin);

/* Refuses the allocation that comes after `count` others; UINT64_MAX: none. */
void fuzz_memory_refuse(uint64_t count);

/* Whether an allocation was refused since the last call of fuzz_memory_refuse. */
bool fuzz_memory_was_refused(void);

#endif
