/* locale.h: what object_data.c and object_array.c take of it to compile. Nothing is called. */
#ifndef SAFENPY_WASM_LOCALE_H
#define SAFENPY_WASM_LOCALE_H

struct lconv {
    char *decimal_point;
};

struct lconv *localeconv(void);

#endif
