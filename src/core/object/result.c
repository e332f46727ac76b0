/* result.c: the values that the result of a pickle reaches.                            NPY-PKL-012, 018, 021, 024
 * Proves that the walk stays inside the tables, and changes only `start` of containers: 0 before it is reached, then 1 plus
 * the member that comes next.
 * Leaves what opcodes do to decode.c. */
#include "core/object/result.h"

#define DEEPEST 1000u /* containers in one another */

/* clang-format off */
bool snpy_has_state(int32_t role)
{
    switch (role) {
    case SNPY_ROLE_DTYPE: case SNPY_ROLE_RECONSTRUCT: case SNPY_ROLE_MARECONSTRUCT: case SNPY_ROLE_UUID:
    case SNPY_ROLE_RECONSTRUCTOR:
        return true;
    default:
        return false;
    }
}

/* What the functions on the walk ask for. */
#define WALK_REQUIRES                                                                                                 \
    TABLE_REQUIRES                                                                                                    \
    requires \valid(path + (0 .. capacity-1));                                                                       \
    requires \separated(table, path + (0 .. capacity-1), table->nodes + (0 .. table->capacity-1));
/* clang-format on */

/* Whether a node may be part of the result.                                   NPY-PKL-012, NPY-PKL-018, NPY-PKL-021 */
/*@ requires text_ok(pickle, length) && length <= SNPY_MAX_PICKLE && \valid_read(node);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures global: node->kind == SNPY_NODE_GLOBAL ==> \result == SNPY_PKL_RESULT;
    ensures set: node->kind == SNPY_NODE_BYTEARRAY ==>
            \result == (allowed == SNPY_SET_DATA ? SNPY_PKL_NOT_DATA : SNPY_OK);
    ensures others: node->kind != SNPY_NODE_RAW && node->kind != SNPY_NODE_GLOBAL && node->kind != SNPY_NODE_CALL
            && node->kind != SNPY_NODE_BYTEARRAY ==> \result == SNPY_OK;
 */
static snpy_status check_value(const uint8_t *pickle, size_t length, snpy_set allowed, const snpy_node *node)
{
    bool is_call = node->kind == SNPY_NODE_CALL;
    if (node->kind == SNPY_NODE_RAW) return snpy_is_ascii_raw(pickle, length, node) ? SNPY_OK : SNPY_PKL_RAW_STRING;
    if (allowed == SNPY_SET_DATA && node->kind == SNPY_NODE_BYTEARRAY) return SNPY_PKL_NOT_DATA;
    if (node->kind == SNPY_NODE_GLOBAL) return SNPY_PKL_RESULT;
    if (is_call && node->role == SNPY_ROLE_STRINGDTYPE) return SNPY_PKL_RESULT;
    return is_call && snpy_has_state(node->role) && node->state == 0 ? SNPY_PKL_RESULT : SNPY_OK;
}

/* The first member that a value has besides those from a list: a masked array has its fill value. */
/*@ TABLE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < table->count;
 */
static int32_t own_member(const snpy_node_table *table, int32_t index)
{
    const snpy_node *node = &table->nodes[index];
    if (node->kind != SNPY_NODE_CALL || node->role != SNPY_ROLE_MARECONSTRUCT) return node->first;
    int32_t fill = table->nodes[node->state].last;
    return table->nodes[snpy_nodes_value(table, fill)].kind == SNPY_NODE_NONE ? 0 : fill;
}

/* The first member of a value. */
/*@ TABLE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < table->count;
 */
static int32_t first_member(const snpy_node_table *table, int32_t index)
{
    int32_t list = snpy_nodes_list(table, index);
    if (list != 0 && table->nodes[index].size != 0) return table->nodes[list].first;
    return own_member(table, index);
}

/* The member after another one. What a call or state took from a list ends with the member `size`. */
/*@ TABLE_REQUIRES
    requires 0 <= index < table->count && 0 <= member < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < table->count;
 */
static int32_t next_member(const snpy_node_table *table, int32_t index, int32_t member)
{
    const snpy_node *node = &table->nodes[index];
    if (node->kind == SNPY_NODE_CALL && node->size == (uint32_t)member) return own_member(table, index);
    return table->nodes[member].next;
}

/* Sets which member comes next. */
/*@ TABLE_REQUIRES
    requires 0 <= index < table->count && 0 <= member < table->count;
    terminates \true;
    exits \false;
    assigns table->nodes[index].start;
    ensures nodes: NODES_OK;
 */
static void set_next(snpy_node_table *table, int32_t index, int32_t member)
{
    table->nodes[index].start = (uint32_t)member + 1u;
}

/* Takes the next member of a container; 0 if it has no more. */
/*@ TABLE_REQUIRES
    terminates \true;
    exits \false;
    assigns table->nodes[0 .. table->count-1];
    ensures range: 0 <= \result < table->count;
    ensures nodes: NODES_OK;
 */
static int32_t take_member(snpy_node_table *table, uint32_t index)
{
    if (index >= table->count) return 0;
    uint32_t start = table->nodes[index].start;
    if (start <= 1 || start > table->count) return 0;
    int32_t member = (int32_t)(start - 1u);
    set_next(table, (int32_t)index, next_member(table, (int32_t)index, member));
    return member;
}

/* Appends a container to the path, if it has members and was not reached before.                       NPY-PKL-024 */
/*@ WALK_REQUIRES
    requires 0 <= index < table->count && *depth <= capacity && \valid(depth);
    requires \separated(depth, table, path + (0 .. capacity-1), table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns *depth, path[0 .. capacity-1], table->nodes[0 .. table->count-1];
    ensures depth: *depth <= capacity;
    ensures nodes: NODES_OK;
 */
static snpy_status enter(snpy_node_table *table, int32_t index, uint32_t *path, uint64_t capacity, uint64_t *depth)
{
    int32_t first = first_member(table, index);
    if (first == 0 || table->nodes[index].start != 0) return SNPY_OK;
    if (*depth >= DEEPEST) return SNPY_PKL_TOO_DEEP;
    if (*depth == capacity) return SNPY_PKL_TOO_MANY_NODES;
    set_next(table, index, first);
    path[*depth] = (uint32_t)index;
    *depth = *depth + 1;
    return SNPY_OK;
}

/* Checks the value of an entry, and appends it to the path if it has members; without an entry, shortens the path. */
/*@ WALK_REQUIRES
    requires text_ok(pickle, length) && length <= SNPY_MAX_PICKLE;
    requires 0 <= entry < table->count && *depth <= capacity && \valid(depth) && \valid(at);
    requires \separated(depth, table, at, pickle + (0 .. length-1), path + (0 .. capacity-1),
                        table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns *at, *depth, path[0 .. capacity-1], table->nodes[0 .. table->count-1];
    ensures depth: *depth <= capacity;
    ensures nodes: NODES_OK;
 */
static snpy_status visit(const uint8_t *pickle, size_t length, snpy_set allowed, snpy_node_table *table, int32_t entry,
                         uint32_t *path, uint64_t capacity, uint64_t *depth, uint32_t *at)
{
    if (entry == 0) {
        if (*depth > 0) *depth = *depth - 1;
        return SNPY_OK;
    }
    int32_t index = snpy_nodes_value(table, entry);
    *at = table->nodes[index].at;
    snpy_status status = check_value(pickle, length, allowed, &table->nodes[index]);
    return status == SNPY_OK ? enter(table, index, path, capacity, depth) : status;
}

snpy_status snpy_check_result(const uint8_t *pickle, size_t length, snpy_set allowed, snpy_node_table *table,
                              uint32_t *path, uint64_t capacity, uint32_t *at)
{
    uint64_t depth = 0;
    int32_t entry = (int32_t)table->top;
    /*@ loop invariant range: 0 <= entry < table->count && depth <= capacity;
        loop invariant nodes: NODES_OK;
        loop assigns left, entry, depth, *at, path[0 .. capacity-1], table->nodes[0 .. table->count-1];
        loop variant left; */
    for (uint64_t left = UINT64_MAX; left > 0; left--) { /* never used up: each container is entered once */
        snpy_status status = visit(pickle, length, allowed, table, entry, path, capacity, &depth, at);
        if (status != SNPY_OK || depth == 0) return status;
        entry = take_member(table, path[depth - 1]);
    }
    return SNPY_PKL_TOO_MANY_NODES;
}
