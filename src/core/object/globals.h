/* globals.h: the role of a global, and the set to which it belongs.
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

/* The role of a global, SNPY_ROLE_NONE if it is not in the table. Looks at no more than the longest name. NPY-PKL-011 */
/*@ requires text_ok(bytes, module.end) && module.from <= module.end;
    requires text_ok(bytes, name.end) && name.from <= name.end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= 255;
 */
unsigned snpy_role_of_global(const uint8_t *bytes, struct snpy_pickle_text module, struct snpy_pickle_text name,
                             uint64_t protocol);

/* The set to which a role belongs.                                                                    NPY-PKL-012 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures set: \result == (role == SNPY_ROLE_NONE ? SNPY_SET_OTHER
                            : role <= SNPY_ROLE_LAST_OF_DATA ? SNPY_SET_DATA : SNPY_SET_PLAIN);
 */
unsigned snpy_set_of_role(unsigned role);

#endif
