/* printable.h: tells which code points Python's repr() does not escape.                                NPY-WRITE-010 */
#ifndef SAFENPY_CORE_PRINTABLE_H
#define SAFENPY_CORE_PRINTABLE_H

#include "core/core.h"

/* Whether str.isprintable() is true for a code point, in the Unicode version that printable.c names. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_is_printable(uint32_t code_point);

#endif
