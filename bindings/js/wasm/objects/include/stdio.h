/* stdio.h: what src/host takes of it to compile. No file is opened. */
#ifndef SAFENPY_WASM_STDIO_H
#define SAFENPY_WASM_STDIO_H

#include <stddef.h>

typedef struct safenpy_no_file FILE;

int snprintf(char *out, size_t capacity, const char *format, ...);

#endif
