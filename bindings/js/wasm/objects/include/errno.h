/* errno.h: what object_data.c and object_array.c take of it to compile. Nothing is called. */
#ifndef SAFENPY_WASM_ERRNO_H
#define SAFENPY_WASM_ERRNO_H

extern int errno;

#endif
