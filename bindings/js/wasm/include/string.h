/* string.h: what src/host/looks_like.c takes of the C library, which WebAssembly does not have. */
#ifndef SAFENPY_WASM_STRING_H
#define SAFENPY_WASM_STRING_H

#include <stddef.h>

static inline int memcmp(const void *one, const void *other, size_t size)
{
    const unsigned char *a = one;
    const unsigned char *b = other;
    for (size_t i = 0; i < size; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static inline size_t strlen(const char *text)
{
    size_t size = 0;
    while (text[size] != '\0') size++;
    return size;
}

static inline const char *strchr(const char *text, int wanted)
{
    while (*text != (char)wanted && *text != '\0') text++;
    return *text == (char)wanted ? text : NULL;
}

#endif
