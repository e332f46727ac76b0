/* errno.h: what src/host takes of it to compile. Nothing is called. */
#ifndef SAFENPY_WASM_ERRNO_H
#define SAFENPY_WASM_ERRNO_H

extern int errno;

#endif
