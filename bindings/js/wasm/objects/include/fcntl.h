/* fcntl.h: what src/host takes of it to compile. Nothing is called. */
#ifndef SAFENPY_WASM_FCNTL_H
#define SAFENPY_WASM_FCNTL_H

#define O_RDONLY 0

#endif
