/* name.h: decodes names by code points, in any of their encodings. */
#ifndef SAFENPY_CORE_NAME_H
#define SAFENPY_CORE_NAME_H

#include "core/sink.h"
#include "safenpy/name.h"
#include "spec/logic/name.h"

/* Decodes one code point of a name that ends at `end`. Returns the number of its bytes, 0 if they are ill-formed. */
/*@ requires text_ok(text, end) && pos < end && \valid(code_point);
    requires \separated(code_point, text + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *code_point;
    ensures NPY_DTYPE_013: \result == \old(name_step(text, end, pos, encoding));
    ensures value: \result > 0 ==> *code_point == \old(name_value(text, pos, encoding));
    ensures range: pos + \result <= end;
    ensures bound: *code_point <= 0x10ffff;
 */
size_t snpy_name_next(const uint8_t *text, size_t end, size_t pos, snpy_name_encoding encoding, uint32_t *code_point);

#endif
