/* inttypes.h: what src/host takes of it to compile. */
#ifndef SAFENPY_WASM_INTTYPES_H
#define SAFENPY_WASM_INTTYPES_H

#include <stdint.h>

#define PRId64 "lld"

#endif
