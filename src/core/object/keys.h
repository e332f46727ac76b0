/* keys.h: whether values may be keys of dictionaries and members of sets.                          NPY-PKL-016, NPY-PKL-018
 * Leaves out which keys are equal: NPY-PKL-017 is not checked. */
#ifndef SAFENPY_CORE_OBJECT_KEYS_H
#define SAFENPY_CORE_OBJECT_KEYS_H

#include "core/object/arguments.h"

/* clang-format off */
/* What the functions ask for that count what they look at. */
#define KEY_REQUIRES                                                                                                  \
    READ_REQUIRES                                                                                                     \
    requires \separated(table, pickle + (0 .. length-1));
/* clang-format on */

/* Checks every entry from `first` on, or every second one, as a key.                                   NPY-PKL-016 */
/*@ KEY_REQUIRES
    requires 0 <= first < table->count;
    terminates \true;
    exits \false;
    assigns table->looks, table->bytes;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
snpy_status snpy_check_keys(const uint8_t *pickle, size_t length, snpy_node_table *table, int32_t first, bool in_pairs);

/* Checks the keys that a call takes from a list: the members of a set, or the first of each pair of an OrderedDict.
 *                                                                                                      NPY-PKL-016 */
/*@ KEY_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns table->looks, table->bytes;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
snpy_status snpy_check_call_keys(const uint8_t *pickle, size_t length, snpy_node_table *table, int32_t role,
                                 int32_t args);

#endif
