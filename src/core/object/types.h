/* types.h: whether the state of a dtype has the numbers of its type.                                   NPY-PKL-019
 * Leaves out fields and shapes: those of a V. */
#ifndef SAFENPY_CORE_OBJECT_TYPES_H
#define SAFENPY_CORE_OBJECT_TYPES_H

#include "core/object/arguments.h"

/* A type string. */
struct snpy_type {
    uint32_t kind;
    int64_t size;
};

/* Reads a type string, which is well-formed. */
/*@ requires leaf_ok(pickle, leaf);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures size: 0 <= \result.size <= 99999999999;
 */
struct snpy_type snpy_read_type(const uint8_t *pickle, struct snpy_leaf leaf);

/* Whether byte order, itemsize, alignment, flags and unit are those of a type string. True for a V with fields or a
 * shape. */
/*@ READ_REQUIRES
    requires 0 <= args < table->count && 0 <= state < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_has_type_numbers(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args,
                           int32_t state);

#endif
