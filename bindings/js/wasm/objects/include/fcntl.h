/* fcntl.h: what object_data.c and object_array.c take of it to compile. Nothing is called. */
#ifndef SAFENPY_WASM_FCNTL_H
#define SAFENPY_WASM_FCNTL_H

#define O_RDONLY 0

#endif
