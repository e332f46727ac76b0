/* unistd.h: what object_data.c and object_array.c take of it to compile. Nothing is called. */
#ifndef SAFENPY_WASM_UNISTD_H
#define SAFENPY_WASM_UNISTD_H

int close(int descriptor);

#endif
