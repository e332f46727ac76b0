/* arguments.h: what the arguments of a call say, once call.h has found that they are of the kinds that its form has.
 * Leaves to other files what types, shapes and keys may be. */
#ifndef SAFENPY_CORE_OBJECT_ARGUMENTS_H
#define SAFENPY_CORE_OBJECT_ARGUMENTS_H

#include "core/object/leaf.h"
#include "core/object/nodes.h"

/* clang-format off */
/* What the functions ask for that read a node's characters. */
#define READ_REQUIRES                                                                                                 \
    TABLE_REQUIRES                                                                                                    \
    requires text_ok(pickle, length) && length <= SNPY_MAX_PICKLE;
/* clang-format on */

/* Whether a global may be called with arguments of the kinds that its form has: whether texts, bytes and numbers are what it
 * takes. *bytes is how many bytes the value has of its own.                                 NPY-PKL-013, NPY-PKL-026 */
/*@ READ_REQUIRES
    requires 0 <= args < table->count && \valid(bytes);
    requires \separated(bytes, table, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns *bytes;
 */
bool snpy_takes_arguments(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t role,
                          int32_t args, uint64_t *bytes);

/* Whether an entry is a bool, or 0 or 1 as old picklers write it, with this value. */
/*@ READ_REQUIRES
    requires 0 <= entry < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_is_flag(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t entry, bool wanted);

/* Whether an entry is an integer from `least` to `most`. */
/*@ READ_REQUIRES
    requires 0 <= entry < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_is_between(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t entry, int64_t least,
                     int64_t most);

/* Whether a tuple has at most 64 dimensions, none negative or of more than 63 bits. */
/*@ READ_REQUIRES
    requires 0 <= shape < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_is_shape(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t shape);

/* Whether a dtype with its state is a sub-array. */
/*@ TABLE_REQUIRES
    requires 0 <= type < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_is_subarray(const snpy_node_table *table, int32_t type);

/* Whether a dtype with its state has objects, by its flags. */
/*@ READ_REQUIRES
    requires 0 <= type < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_has_objects(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t type);

/* Whether bytes are the state of a date, a datetime or a time. */
/*@ requires leaf_ok(pickle, leaf);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_is_moment(const uint8_t *pickle, struct snpy_leaf leaf, int32_t role);

/* Whether text is a decimal number as str(Decimal) writes it, with an exponent of at most 9 digits. */
/*@ requires leaf_ok(pickle, leaf);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_is_decimal(const uint8_t *pickle, struct snpy_leaf leaf);

/* Whether text is n or n/d, each with at most 4,300 digits. */
/*@ requires leaf_ok(pickle, leaf);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_is_fraction(const uint8_t *pickle, struct snpy_leaf leaf);

/* Whether a tuple has the parts of a path, or a whole path. */
/*@ READ_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_is_path(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t role, int32_t args);

#endif
