/* string.h: what the decoder takes of the C library, besides what the core's module takes. */
#ifndef SAFENPY_WASM_OBJECTS_STRING_H
#define SAFENPY_WASM_OBJECTS_STRING_H

#include "wasm/include/string.h"

#define memcpy __builtin_memcpy /* instructions of WebAssembly */
#define memset __builtin_memset

static inline int strcmp(const char *one, const char *other)
{
    while (*one != '\0' && *one == *other) {
        one++;
        other++;
    }
    return *one - *other;
}

#endif
