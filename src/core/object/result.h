/* result.h: whether what a pickle makes is whole: the values that its result reaches.
 * Leaves what makes them to decode.c. */
#ifndef SAFENPY_CORE_OBJECT_RESULT_H
#define SAFENPY_CORE_OBJECT_RESULT_H

#include "core/object/leaf.h"
#include "core/object/nodes.h"

/* Whether the value of a call takes a state.                                                           NPY-PKL-014 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_has_state(int32_t role);

/* Checks each value that the topmost one reaches, a value before its members; *at is the opcode that made the first one
 * that breaks a rule. The path to a value is kept in `path`. Leaves `start` of containers changed.
 *                                                                 NPY-PKL-012, NPY-PKL-018, NPY-PKL-021, NPY-PKL-024 */
/*@ TABLE_REQUIRES
    requires text_ok(pickle, length) && length <= SNPY_MAX_PICKLE;
    requires \valid(path + (0 .. capacity-1)) && \valid(at);
    requires \separated(table, at, pickle + (0 .. length-1), path + (0 .. capacity-1),
                        table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns *at, path[0 .. capacity-1], table->nodes[0 .. table->count-1];
    ensures nodes: NODES_OK;
 */
snpy_status snpy_check_result(const uint8_t *pickle, size_t length, snpy_set allowed, snpy_node_table *table,
                              uint32_t *path, uint64_t capacity, uint32_t *at);

#endif
