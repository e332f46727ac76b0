/* sys/types.h: what object_data.c and object_array.c take of it to compile.  */
#ifndef SAFENPY_WASM_SYS_TYPES_H
#define SAFENPY_WASM_SYS_TYPES_H

typedef int mode_t;
typedef long off_t;

#endif
