/* name.h: the code points of a name, in each of its encodings.                                    NPY-DTYPE-013 */
#ifndef SAFENPY_LOGIC_NAME_H
#define SAFENPY_LOGIC_NAME_H

#include "safenpy/name.h"
#include "spec/logic/tokens.h"

/*@ // bytes of the code point at i of a name that ends at n; 0 if it is not well-formed
    logic integer name_step(uint8_t *t, integer n, integer i, integer encoding) =
        encoding != SNPY_NAME_PLAIN && t[i] == '\\' ? (escape_status(t, n, i) == SNPY_OK ? escape_length(t, i) : 0)
        : encoding == SNPY_NAME_LATIN1 ? 1
        : encoding == SNPY_NAME_PLAIN ? utf8_size(t, n, i, \true) : utf8_size(t, n, i, \false);

    // the code point at i, if it is well-formed
    logic integer name_value(uint8_t *t, integer i, integer encoding) =
        encoding != SNPY_NAME_PLAIN && t[i] == '\\' ? escape_value(t, i)
        : encoding == SNPY_NAME_LATIN1 ? t[i] : utf8_value(t, i); */

#endif
