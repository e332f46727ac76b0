/* unistd.h: what src/host takes of it to compile. Nothing is called. */
#ifndef SAFENPY_WASM_UNISTD_H
#define SAFENPY_WASM_UNISTD_H

int close(int descriptor);

#endif
