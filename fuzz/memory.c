/* memory.c: counts the memory that the library takes, and can refuse it. */
#include "fuzz/memory.h"

#include <malloc.h>

static size_t taken;
static size_t most_taken;
static uint64_t left = UINT64_MAX; /* allocations until one is refused */
static bool was_refused;

static void count_memory(void *memory)
{
    taken += malloc_usable_size(memory);
    if (taken > most_taken) most_taken = taken;
}

/* Whether this allocation is refused. */
static bool is_refused(void)
{
    if (left == UINT64_MAX || left-- > 0) return false;
    left = UINT64_MAX;
    was_refused = true;
    return true;
}

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker chooses the names */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t size)
{
    void *memory = is_refused() ? NULL : __real_malloc(size);
    count_memory(memory);
    return memory;
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *memory = is_refused() ? NULL : __real_calloc(count, size);
    count_memory(memory);
    return memory;
}

void *__wrap_realloc(void *memory, size_t size)
{
    size_t before = malloc_usable_size(memory);
    void *grown = is_refused() ? NULL : __real_realloc(memory, size);
    if (grown == NULL && size > 0) return NULL;
    taken -= before;
    count_memory(grown);
    return grown;
}

void __wrap_free(void *memory)
{
    taken -= malloc_usable_size(memory);
    __real_free(memory);
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

size_t fuzz_memory_begin(void)
{
    most_taken = taken;
    return taken;
}

size_t fuzz_memory_most(size_t begin)
{
    return most_taken - begin;
}

void fuzz_memory_refuse(uint64_t count)
{
    left = count;
    was_refused = false;
}

bool fuzz_memory_was_refused(void)
{
    return was_refused;
}
