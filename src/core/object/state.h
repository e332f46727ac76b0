/* state.h: what states say, once call.h has found that they have the parts of a form.
 * Leaves out whether the numbers of a dtype are those of its type, and whether shapes match the bytes: NPY-PKL-019 and 020. */
#ifndef SAFENPY_CORE_OBJECT_STATE_H
#define SAFENPY_CORE_OBJECT_STATE_H

#include "core/object/arguments.h"

/* Whether the value of a call takes a state that has the parts of a form.                              NPY-PKL-014 */
/*@ READ_REQUIRES
    requires 0 <= index < table->count && 0 <= state < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_takes_state(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t index, int32_t state);

#endif
