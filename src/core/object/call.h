/* call.h: whether a global may be called with what stands in a tuple.
 * Leaves to who reads them what numbers, texts and bytes among the arguments say. */
#ifndef SAFENPY_CORE_OBJECT_CALL_H
#define SAFENPY_CORE_OBJECT_CALL_H

#include "core/object/nodes.h"

/* Whether a role is called with a tuple of so many arguments, each of a kind that its form has.        NPY-PKL-013 */
/*@ TABLE_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_is_call(const snpy_node_table *table, int32_t role, int32_t args, uint64_t count);

/* Whether the value of a role takes such a state: how many parts it has, each of a kind that its form has. NPY-PKL-014 */
/*@ TABLE_REQUIRES
    requires 0 <= state < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_is_state(const snpy_node_table *table, int32_t role, int32_t state);

#endif
