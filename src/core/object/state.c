/* state.c: what states say, by role.                                                                   NPY-PKL-014
 * Proves that it stays inside the pickle and the table. Leaves the kinds of parts to call.c. */
#include "core/object/state.h"

#define MOST_UUID_PARTS 2u /* int and is_safe */

/* Whether an entry is a flag, either way. */
/*@ READ_REQUIRES
    requires 0 <= entry < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_some_flag(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t entry)
{
    return snpy_is_flag(pickle, length, table, entry, false) || snpy_is_flag(pickle, length, table, entry, true);
}

/* Whether a dtype has the version and the number of parts that its kind has: 4 and 9 for times, else 3 and 8. */
/*@ READ_REQUIRES
    requires 0 <= args < table->count && 0 <= state < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_dtype_state(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args,
                           int32_t state)
{
    uint32_t kind = snpy_leaf_of(pickle, length, table, snpy_nodes_part(table, args, 0)).point;
    bool is_time = kind == 'M' || kind == 'm';
    int64_t version = is_time ? 4 : 3;
    if ((snpy_nodes_member(table, state, 8) != 0) != is_time) return false;
    return snpy_is_between(pickle, length, table, snpy_nodes_part(table, state, 0), version, version);
}

/* Whether an array of a class has such elements: objects and strings in a list, others as bytes. */
/*@ READ_REQUIRES
    requires 0 <= state < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool has_elements(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t role,
                         int32_t state)
{
    int32_t type = snpy_nodes_part(table, state, 2);
    if (table->nodes[type].role == SNPY_ROLE_STRINGDTYPE) return role == SNPY_ROLE_NDARRAY;
    if (snpy_is_subarray(table, type)) return false;
    bool is_list = table->nodes[snpy_nodes_part(table, state, 4)].kind == SNPY_NODE_LIST;
    return is_list == snpy_has_objects(pickle, length, table, type);
}

/* Whether the state of an array has the version 1, a shape, an order, and elements as its type has them. */
/*@ READ_REQUIRES
    requires 0 <= args < table->count && 0 <= state < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_array_state(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args,
                           int32_t state)
{
    if (!snpy_is_between(pickle, length, table, snpy_nodes_part(table, state, 0), 1, 1)) return false;
    if (!snpy_is_shape(pickle, length, table, snpy_nodes_part(table, state, 1))) return false;
    if (!is_some_flag(pickle, length, table, snpy_nodes_part(table, state, 3))) return false;
    return has_elements(pickle, length, table, table->nodes[snpy_nodes_part(table, args, 0)].role, state);
}

/* Whether a fill value is None or an ndarray of a dtype. */
/*@ TABLE_REQUIRES
    requires 0 <= fill < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_fill(const snpy_node_table *table, int32_t fill)
{
    const snpy_node *node = &table->nodes[fill];
    if (node->kind != SNPY_NODE_CALL || node->role != SNPY_ROLE_RECONSTRUCT) return true;
    if (table->nodes[snpy_nodes_part(table, node->args, 0)].role != SNPY_ROLE_NDARRAY) return false;
    return table->nodes[snpy_nodes_part(table, node->state, 2)].role == SNPY_ROLE_DTYPE;
}

/* Whether a key has the characters of a word. */
/*@ READ_REQUIRES
    requires 0 <= key < table->count && word < SNPY_WORDS;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_key(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t key, uint32_t word)
{
    int32_t kind = table->nodes[snpy_nodes_value(table, key)].kind;
    if (kind != SNPY_NODE_STR && kind != SNPY_NODE_RAW) return false;
    return snpy_leaf_is(pickle, snpy_leaf_of(pickle, length, table, key), word);
}

/* Whether a key of the state of a UUID has a value that it may have. */
/*@ READ_REQUIRES
    requires 0 <= key < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_uuid_part(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t key)
{
    int32_t value = snpy_nodes_value(table, table->nodes[key].next);
    if (is_key(pickle, length, table, key, SNPY_WORD_INT))
        return snpy_leaf_is_128_bits(pickle, length, &table->nodes[value]);
    return is_key(pickle, length, table, key, SNPY_WORD_IS_SAFE) &&
           snpy_is_between(pickle, length, table, value, -1, 0);
}

/* Whether a dictionary has the number of a UUID, and perhaps whether it is safe. */
/*@ READ_REQUIRES
    requires 0 <= state < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_uuid_state(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t state)
{
    int32_t key = table->nodes[state].first;
    bool has_int = false;
    /*@ loop invariant range: 0 <= i <= MOST_UUID_PARTS && 0 <= key < table->count;
        loop assigns i, key, has_int;
        loop variant MOST_UUID_PARTS - i; */
    for (uint32_t i = 0; i < MOST_UUID_PARTS && key != 0; i++) {
        if (!is_uuid_part(pickle, length, table, key)) return false;
        if (is_key(pickle, length, table, key, SNPY_WORD_INT)) has_int = true;
        key = table->nodes[table->nodes[key].next].next;
    }
    return key == 0 && has_int;
}

bool snpy_takes_state(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t index, int32_t state)
{
    int32_t args = table->nodes[index].args;
    int32_t role = table->nodes[index].role;
    if (role == SNPY_ROLE_DTYPE) return is_dtype_state(pickle, length, table, args, state);
    if (role != SNPY_ROLE_RECONSTRUCT && role != SNPY_ROLE_MARECONSTRUCT)
        return is_uuid_state(pickle, length, table, state);
    if (!is_array_state(pickle, length, table, args, state)) return false;
    return role == SNPY_ROLE_RECONSTRUCT || is_fill(table, snpy_nodes_part(table, state, 6));
}
