/* printable.h: what Python's repr() writes as it is.                                             NPY-WRITE-010 */
#ifndef SAFENPY_CORE_PRINTABLE_H
#define SAFENPY_CORE_PRINTABLE_H

#include "core/core.h"

/* Whether str.isprintable() holds for a code point, in the Unicode version that printable.c names. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_is_printable(uint32_t code_point);

#endif
