/* keys.c: whether values may be keys of dictionaries and members of sets.                          NPY-PKL-016, NPY-PKL-018
 * Proves that it ends, and looks at no more than the table allows. Leaves out which keys are equal: NPY-PKL-017. */
#include "core/object/keys.h"

#define MOST_LEVELS 64u  /* of tuples in one another */
#define MOST_PARTS 1000u /* of a tuple, at all levels */

/* Whether a scalar of a type may be a key, by its type string: all sizes but those of long doubles. */
/*@ requires leaf_ok(pickle, leaf);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_key_type(const uint8_t *pickle, struct snpy_leaf leaf)
{
    uint32_t kind = leaf.point;
    snpy_leaf_step(pickle, &leaf);
    if (kind == 'f') return leaf.point != '1'; /* f16 */
    if (kind == 'c') return leaf.point != '3'; /* c32 */
    return kind == 'b' || kind == 'i' || kind == 'u' || kind == 'S' || kind == 'U';
}

/* Whether a scalar may be a key, by its first argument. */
/*@ READ_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_key_scalar(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args)
{
    int32_t type = snpy_nodes_value(table, table->nodes[args].first);
    int32_t name = table->nodes[table->nodes[type].args].first;
    return is_key_type(pickle, snpy_leaf_of(pickle, length, table, name));
}

/* Whether what a call makes may be a key: a datetime only without zone, a UUID only with its number. */
/*@ READ_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_key_call(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t index)
{
    const snpy_node *node = &table->nodes[index];
    /* clang-format off */
    switch (node->role) {
    case SNPY_ROLE_BYTES: case SNPY_ROLE_COMPLEX: case SNPY_ROLE_DATE: case SNPY_ROLE_ENCODE: case SNPY_ROLE_TIMEDELTA:
        return true;
    case SNPY_ROLE_DATETIME: return snpy_nodes_member(table, node->args, 1) == 0;
    case SNPY_ROLE_UUID: case SNPY_ROLE_RECONSTRUCTOR: return node->state != 0;
    case SNPY_ROLE_SCALAR: return is_key_scalar(pickle, length, table, node->args);
    default: return false;
    }
    /* clang-format on */
}

/* Checks a string of Python 2, which is read again for each key that it is.                  NPY-PKL-018, NPY-PKL-026 */
/*@ KEY_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns table->bytes;
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status check_raw_key(const uint8_t *pickle, size_t length, snpy_node_table *table, int32_t index)
{
    snpy_status status = snpy_nodes_charge(table, table->nodes[index].size);
    if (status != SNPY_OK) return status;
    return snpy_is_ascii_raw(pickle, length, &table->nodes[index]) ? SNPY_OK : SNPY_PKL_RAW_STRING;
}

/* Checks a value as a key, or as a part of one; of a tuple not the members. */
/*@ KEY_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns table->bytes;
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status check_part(const uint8_t *pickle, size_t length, snpy_node_table *table, int32_t index)
{
    /* clang-format off */
    switch (table->nodes[index].kind) {
    case SNPY_NODE_NONE: case SNPY_NODE_FALSE: case SNPY_NODE_TRUE: case SNPY_NODE_INT: case SNPY_NODE_FLOAT:
    case SNPY_NODE_STR: case SNPY_NODE_BYTES: case SNPY_NODE_TUPLE:
        return SNPY_OK;
    case SNPY_NODE_RAW: return check_raw_key(pickle, length, table, index);
    case SNPY_NODE_CALL: return is_key_call(pickle, length, table, index) ? SNPY_OK : SNPY_PKL_KEY;
    default: return SNPY_PKL_KEY;
    }
    /* clang-format on */
}

/* The first member of a tuple; 0 for other values. */
/*@ TABLE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < table->count;
 */
static int32_t first_part(const snpy_node_table *table, int32_t index)
{
    return table->nodes[index].kind == SNPY_NODE_TUPLE ? table->nodes[index].first : 0;
}

/* Checks the members of a tuple, at all levels. */
/*@ KEY_REQUIRES
    requires 0 <= first < table->count;
    terminates \true;
    exits \false;
    assigns table->looks, table->bytes;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status check_parts(const uint8_t *pickle, size_t length, snpy_node_table *table, int32_t first)
{
    uint32_t rest[MOST_LEVELS] = {0}; /* of each level: the member that comes next; of another type than links */
    uint32_t depth = 1;
    uint32_t left = MOST_PARTS;
    rest[0] = (uint32_t)first;
    /*@ loop invariant range: 0 <= depth <= MOST_LEVELS && 0 <= left <= MOST_PARTS;
        loop invariant NPY_PKL_023: table->looks <= \at(table->looks, Pre);
        loop invariant NPY_PKL_026: table->bytes <= \at(table->bytes, Pre);
        loop assigns depth, left, rest[0 .. MOST_LEVELS - 1], table->looks, table->bytes;
        loop variant 2 * left + depth; */
    while (depth > 0) {
        uint32_t member = rest[depth - 1];
        if (member == 0 || member >= table->count) {
            depth--;
        } else {
            if (left == 0) return SNPY_PKL_KEY;
            if (table->looks == 0) return SNPY_PKL_TOO_MANY_NODES;
            table->looks--;
            left--;
            rest[depth - 1] = (uint32_t)table->nodes[member].next;
            int32_t index = snpy_nodes_value(table, (int32_t)member);
            snpy_status status = check_part(pickle, length, table, index);
            if (status != SNPY_OK) return status;
            int32_t inner = first_part(table, index);
            if (inner != 0) {
                if (depth == MOST_LEVELS) return SNPY_PKL_KEY;
                rest[depth] = (uint32_t)inner;
                depth++;
            }
        }
    }
    return SNPY_OK;
}

/* Checks an entry as a key. */
/*@ KEY_REQUIRES
    requires 0 <= entry < table->count;
    terminates \true;
    exits \false;
    assigns table->looks, table->bytes;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status check_key(const uint8_t *pickle, size_t length, snpy_node_table *table, int32_t entry)
{
    int32_t index = snpy_nodes_value(table, entry);
    snpy_status status = check_part(pickle, length, table, index);
    return status == SNPY_OK ? check_parts(pickle, length, table, first_part(table, index)) : status;
}

snpy_status snpy_check_keys(const uint8_t *pickle, size_t length, snpy_node_table *table, int32_t first, bool in_pairs)
{
    int32_t entry = first;
    /*@ loop invariant range: 0 <= entry < table->count;
        loop invariant NPY_PKL_023: table->looks <= \at(table->looks, Pre);
        loop invariant NPY_PKL_026: table->bytes <= \at(table->bytes, Pre);
        loop assigns left, entry, table->looks, table->bytes;
        loop variant left; */
    for (uint64_t left = table->count; left > 0 && entry != 0; left--) {
        snpy_status status = check_key(pickle, length, table, entry);
        if (status != SNPY_OK) return status;
        if (in_pairs) entry = table->nodes[entry].next;
        entry = table->nodes[entry].next;
    }
    return SNPY_OK;
}

/* Checks the first of each pair of a list, which has only pairs. */
/*@ KEY_REQUIRES
    requires 0 <= first < table->count;
    terminates \true;
    exits \false;
    assigns table->looks, table->bytes;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status check_pairs(const uint8_t *pickle, size_t length, snpy_node_table *table, int32_t first)
{
    int32_t entry = first;
    /*@ loop invariant range: 0 <= entry < table->count;
        loop invariant NPY_PKL_023: table->looks <= \at(table->looks, Pre);
        loop invariant NPY_PKL_026: table->bytes <= \at(table->bytes, Pre);
        loop assigns left, entry, table->looks, table->bytes;
        loop variant left; */
    for (uint64_t left = table->count; left > 0 && entry != 0; left--) {
        int32_t pair = snpy_nodes_value(table, entry);
        snpy_status status = check_key(pickle, length, table, table->nodes[pair].first);
        if (status != SNPY_OK) return status;
        entry = table->nodes[entry].next;
    }
    return SNPY_OK;
}

snpy_status snpy_check_call_keys(const uint8_t *pickle, size_t length, snpy_node_table *table, int32_t role,
                                 int32_t args)
{
    int32_t list = snpy_nodes_value(table, table->nodes[args].first);
    int32_t first = table->nodes[list].first;
    if (role == SNPY_ROLE_ORDERED_DICT) return check_pairs(pickle, length, table, first);
    if (role != SNPY_ROLE_SET && role != SNPY_ROLE_FROZENSET) return SNPY_OK;
    return snpy_check_keys(pickle, length, table, first, false);
}
