/* nodes.h: the table of nodes, on which the stack of a pickle's machine is a list.
 * Proves that each link leads to an entry, and that the stack goes downward.
 * Leaves what opcodes do with it to decode.c. */
#ifndef SAFENPY_CORE_OBJECT_NODES_H
#define SAFENPY_CORE_OBJECT_NODES_H

#include "core/core.h"
#include "safenpy/object.h"

/* Nodes that follow each other by `next`; none if both are 0. */
struct snpy_members {
    int32_t first;
    int32_t last;
};

/* clang-format off */
/* A table whose links are sound: what every function here is given, and leaves. */
#define NODES_OK                                                                                                      \
    (1 <= table->count <= table->capacity <= 0x7fffffff && table->top < table->count                                 \
     && table->nodes[0].kind == SNPY_NODE_MARK && links_ok(table->nodes, table->count))
#define TABLE_REQUIRES                                                                                                \
    requires \valid(table) && \valid(table->nodes + (0 .. table->capacity-1));                                        \
    requires \separated(table, table->nodes + (0 .. table->capacity-1));                                              \
    requires nodes: NODES_OK;
/* clang-format on */

/* Begins a table with the mark below the stack.                                                        NPY-PKL-023 */
/*@ requires \valid(table) && \valid(table->nodes + (0 .. table->capacity-1)) && table->capacity <= 0x7fffffff;
    requires \separated(table, table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns table->count, table->top, table->nodes[0 .. table->capacity-1];
    ensures NPY_PKL_023: \result == (table->capacity > 0 ? SNPY_OK : SNPY_PKL_TOO_MANY_NODES);
    ensures empty: \result != SNPY_OK ==> table->count == 0;
    ensures nodes: \result == SNPY_OK ==> NODES_OK;
 */
snpy_status snpy_nodes_begin(snpy_node_table *table);

/* What an entry of the stack is: itself, or what it refers to. */
/*@ TABLE_REQUIRES
    requires 0 <= entry < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < table->count;
 */
int32_t snpy_nodes_value(const snpy_node_table *table, int32_t entry);

/* The node that the opcode at `at` made: entries ascend by it. Another one if none did.              NPY-PKL-027 */
/*@ TABLE_REQUIRES
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < table->count;
 */
int32_t snpy_nodes_find(const snpy_node_table *table, uint64_t at);

/* Pushes a node that has no members yet.                                                               NPY-PKL-023 */
/*@ TABLE_REQUIRES
    requires 0 <= value.target < table->count && 0 <= value.args < table->count;
    terminates \true;
    exits \false;
    assigns table->count, table->top, table->nodes[table->count .. table->capacity-1];
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_TOO_MANY_NODES;
    ensures NPY_PKL_023: \result == SNPY_OK <==> \old(table->count) < table->capacity;
    ensures pushed: \result == SNPY_OK ==> table->top == \old(table->count) && table->count == \old(table->count) + 1;
    ensures nodes: NODES_OK;
 */
snpy_status snpy_nodes_push(snpy_node_table *table, snpy_node value);

/* Takes the topmost entries down to the topmost mark, but at most `most`, and links them in their order. */
/*@ TABLE_REQUIRES
    terminates \true;
    exits \false;
    assigns table->top, table->nodes[0 .. table->count-1];
    ensures range: 0 <= \result.first < table->count && 0 <= \result.last < table->count;
    ensures nodes: NODES_OK;
 */
struct snpy_members snpy_nodes_take(snpy_node_table *table, uint64_t most);

/* Takes the topmost entry. */
/*@ TABLE_REQUIRES
    terminates \true;
    exits \false;
    assigns table->top;
    ensures top: table->top == table->nodes[\old(table->top)].below;
    ensures nodes: NODES_OK;
 */
void snpy_nodes_pop(snpy_node_table *table);

/* Counts the members of a container, each of them as one that is looked at again.                      NPY-PKL-023 */
/*@ TABLE_REQUIRES
    requires 0 <= container < table->count && \valid(count);
    requires \separated(count, table, table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns *count, table->looks;
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_TOO_MANY_NODES;
    ensures NPY_PKL_023: *count <= \old(table->looks) && table->looks == \old(table->looks) - *count;
 */
snpy_status snpy_nodes_count(snpy_node_table *table, int32_t container, uint64_t *count);

/* The member `place` of a container, counted from 0; 0 if it has fewer. */
/*@ TABLE_REQUIRES
    requires 0 <= container < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < table->count;
 */
int32_t snpy_nodes_member(const snpy_node_table *table, int32_t container, uint32_t place);

/* The value of the member `place` of a container. */
/*@ TABLE_REQUIRES
    requires 0 <= container < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < table->count;
 */
int32_t snpy_nodes_part(const snpy_node_table *table, int32_t container, uint32_t place);

/* The list from which a value has its first members; 0 if there is none: an argument of a set, frozenset or OrderedDict, or a
 * part of the state of an array. */
/*@ TABLE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < table->count;
 */
int32_t snpy_nodes_list(const snpy_node_table *table, int32_t index);

/* Counts bytes that a value has of its own.                                                            NPY-PKL-026 */
/*@ requires \valid(table);
    terminates \true;
    exits \false;
    assigns table->bytes;
    ensures NPY_PKL_026: \result == (bytes <= \old(table->bytes) ? SNPY_OK : SNPY_PKL_TOO_MANY_BYTES);
    ensures left: table->bytes == (\result == SNPY_OK ? \old(table->bytes) - bytes : \old(table->bytes));
 */
snpy_status snpy_nodes_charge(snpy_node_table *table, uint64_t bytes);

/* Appends members to a container. */
/*@ TABLE_REQUIRES
    requires 0 <= container < table->count && 0 <= members.first < table->count && 0 <= members.last < table->count;
    terminates \true;
    exits \false;
    assigns table->nodes[0 .. table->count-1];
    ensures nodes: NODES_OK;
 */
void snpy_nodes_append(snpy_node_table *table, int32_t container, struct snpy_members members);

#endif
