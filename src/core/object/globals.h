/* globals.h: the set to which a global belongs.
 * Leaves what may be done with it to the rules on calls. */
#ifndef SAFENPY_CORE_OBJECT_GLOBALS_H
#define SAFENPY_CORE_OBJECT_GLOBALS_H

#include "core/object/opcode.h"

/* Text in a pickle, which stands there as it is, or as a line of UNICODE with its escapes. */
struct snpy_pickle_text {
    uint64_t from;
    uint64_t end;
    bool escaped;
};

/* The set of a global, SNPY_SET_OTHER if it is not in the table. Looks at no more than the longest name. NPY-PKL-011 */
/*@ requires text_ok(bytes, module.end) && module.from <= module.end;
    requires text_ok(bytes, name.end) && name.from <= name.end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures set: SNPY_SET_DATA <= \result <= SNPY_SET_OTHER;
 */
unsigned snpy_set_of_global(const uint8_t *bytes, struct snpy_pickle_text module, struct snpy_pickle_text name,
                            uint64_t protocol);

#endif
