/* stdlib.h: what the decoder takes of the C library. */
#ifndef SAFENPY_WASM_STDLIB_H
#define SAFENPY_WASM_STDLIB_H

#include <stddef.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
long long strtoll(const char *text, char **rest, int base);
double strtod(const char *text, char **rest);

#endif
