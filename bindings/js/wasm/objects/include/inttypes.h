/* inttypes.h: what object_data.c and object_array.c take of it to compile.  */
#ifndef SAFENPY_WASM_INTTYPES_H
#define SAFENPY_WASM_INTTYPES_H

#include <stdint.h>

#define PRId64 "lld"

#endif
