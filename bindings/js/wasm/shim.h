/* shim.h: what the files of the shim share: the words in which a call returns what it has found. */
#ifndef SAFENPY_WASM_SHIM_H
#define SAFENPY_WASM_SHIM_H

#include <stdint.h>

#include "safenpy/options.h"
#include "safenpy/status.h"

#define EXPORT(name) __attribute__((export_name(#name)))

/* src/core.js knows the places by these numbers. */
enum {
    AT_STATUS = 0,
    AT_OFFSET = 1,
    AT_NUMBERS = 2, /* of the call */
    AT_SHAPE = 20,
    WORDS = AT_SHAPE + SNPY_MAX_NDIM
};

extern uint64_t words[WORDS];

/* Keeps an error in the words. Returns its status. */
int32_t answer(snpy_error error);

#endif
