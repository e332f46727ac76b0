/* grow.c: accepts option structs of callers that were compiled when they had fewer fields.                    HOST-MEMORY */
#include "host/io.h"

#include <string.h>

bool snpy_take_options(void *own, size_t known, const void *given, uint32_t size)
{
    const uint32_t own_size = (uint32_t)known;
    if (size < sizeof size || size > known) return false;
    memcpy(own, given, size);
    memcpy(own, &own_size, sizeof own_size);
    return true;
}

snpy_status snpy_take_load_options(snpy_load_options *own, const snpy_load_options *how, snpy_io_error *error)
{
    static const snpy_load_options defaults = SNPY_LOAD_OPTIONS_INIT;
    *own = defaults;
    if (how == NULL || snpy_take_options(own, sizeof *own, how, how->size)) return SNPY_OK;
    return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
}
