/* sys/types.h: what src/host takes of it to compile. */
#ifndef SAFENPY_WASM_SYS_TYPES_H
#define SAFENPY_WASM_SYS_TYPES_H

typedef int mode_t;
typedef long off_t;

#endif
