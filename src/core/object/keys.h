/* keys.h: whether values may be keys of dictionaries and members of sets, and whether they are new there.
 *                                                                             NPY-PKL-016, NPY-PKL-017, NPY-PKL-018
 * Leaves to key_form.h what values are compared by. */
#ifndef SAFENPY_CORE_OBJECT_KEYS_H
#define SAFENPY_CORE_OBJECT_KEYS_H

#include "core/object/arguments.h"

/* Where keys are among entries: each one, each one that is followed by its value, or the first member of each. */
enum snpy_key_step { SNPY_KEY_EACH = 0, SNPY_KEY_SECOND = 1, SNPY_KEY_FIRST = 2 };

/* clang-format off */
/* What the functions ask for that count what they look at. */
#define LOOK_REQUIRES                                                                                                 \
    READ_REQUIRES                                                                                                     \
    requires \separated(table, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1));
/* And that keep keys. */
#define KEY_REQUIRES                                                                                                  \
    LOOK_REQUIRES                                                                                                     \
    requires \valid(keys) && \valid(keys->slots + (0 .. keys->capacity-1));                                          \
    requires \separated(keys, keys->slots + (0 .. keys->capacity-1), pickle + (0 .. length-1), table,                \
                        table->nodes + (0 .. table->capacity-1));
/* clang-format on */

/* Checks the keys among entries that are added to a container, and that it has no equal ones. `step` is a snpy_key_step.
 *                                                                             NPY-PKL-016, NPY-PKL-017, NPY-PKL-018 */
/*@ KEY_REQUIRES
    requires 0 <= first < table->count;
    terminates \true;
    exits \false;
    assigns table->looks, table->bytes, keys->count, keys->slots[0 .. keys->capacity-1];
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
snpy_status snpy_check_keys(const uint8_t *pickle, size_t length, snpy_node_table *table, snpy_object_keys *keys,
                            int32_t first, uint32_t step, uint32_t container);

/* Checks the keys that a call takes from a list: the members of a set, or the first of each pair of an OrderedDict. The
 * container is the next node.                                                 NPY-PKL-016, NPY-PKL-017, NPY-PKL-018 */
/*@ KEY_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns table->looks, table->bytes, keys->count, keys->slots[0 .. keys->capacity-1];
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
snpy_status snpy_check_call_keys(const uint8_t *pickle, size_t length, snpy_node_table *table, snpy_object_keys *keys,
                                 int32_t role, int32_t args);

#endif
