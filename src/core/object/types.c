/* types.c: whether the state of a dtype has the numbers of its type.                                   NPY-PKL-019
 * Proves that it stays inside the pickle and the table. Leaves out fields and shapes, version and number of parts to
 * state.c. */
#include "core/object/types.h"

#define MOST_DIGITS 10u /* of a size */
#define MOST_SIZE 0x7fffffff
#define OBJECT_FLAGS 63
#define UNICODE_FLAGS 8 /* needs to be initialised */

struct snpy_type snpy_read_type(const uint8_t *pickle, struct snpy_leaf leaf)
{
    struct snpy_type type = {leaf.point, 0};
    snpy_leaf_step(pickle, &leaf);
    /*@ loop invariant range: 0 <= i <= MOST_DIGITS && leaf_ok(pickle, leaf);
        loop invariant size: 0 <= type.size <= 9999999999;
        loop assigns i, leaf, type.size;
        loop variant MOST_DIGITS - i; */
    for (uint32_t i = 0; i < MOST_DIGITS && leaf.point >= '0' && leaf.point <= '9'; i++) {
        if (type.size > 999999999) return type;
        type.size = 10 * type.size + ((int64_t)leaf.point - '0');
        snpy_leaf_step(pickle, &leaf);
    }
    return type;
}

/* Whether a type has its size in its type string only: the itemsize in the state is -1. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_fixed(uint32_t kind)
{
    return kind != 'S' && kind != 'U' && kind != 'V';
}

/* Whether a byte order is one that a type may have. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_order(struct snpy_type type, uint32_t order)
{
    bool has_none = type.kind == 'O' || type.kind == 'S' || type.kind == 'V' || type.kind == 'b' ||
                    ((type.kind == 'i' || type.kind == 'u') && type.size == 1);
    return has_none ? order == '|' : order == '<' || order == '>';
}

/* Whether text is a byte order of a type. */
/*@ requires leaf_ok(pickle, leaf);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool has_order(const uint8_t *pickle, struct snpy_leaf leaf, struct snpy_type type)
{
    uint32_t order = leaf.point;
    snpy_leaf_step(pickle, &leaf);
    return is_order(type, order) && leaf.point == SNPY_LEAF_END;
}

/* Whether an integer of a state is that of a type, or as much less as a signed byte makes of it. */
/*@ READ_REQUIRES
    requires 0 <= state < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool has_flags(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t state, uint32_t kind)
{
    int64_t flags = kind == 'O' ? OBJECT_FLAGS : kind == 'U' ? UNICODE_FLAGS : 0;
    int32_t part = snpy_nodes_part(table, state, 7);
    return snpy_is_between(pickle, length, table, part, flags, flags) ||
           snpy_is_between(pickle, length, table, part, flags - 256, flags - 256);
}

/* Whether an alignment is -1, or 1, 2, 4, 8 or 16 where the type has no size of its own. */
/*@ READ_REQUIRES
    requires 0 <= part < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool has_alignment(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t part,
                          uint32_t kind)
{
    if (is_fixed(kind)) return snpy_is_between(pickle, length, table, part, -1, -1);
    /*@ loop invariant range: 1 <= alignment <= 32;
        loop assigns alignment;
        loop variant 32 - alignment; */
    for (int64_t alignment = 1; alignment <= 16; alignment = 2 * alignment) {
        if (snpy_is_between(pickle, length, table, part, alignment, alignment)) return true;
    }
    return false;
}

/* Whether the itemsize of a state is that of a type. */
/*@ READ_REQUIRES
    requires 0 <= part < table->count;
    requires size: 0 <= type.size <= 99999999999;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool has_itemsize(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t part,
                         struct snpy_type type)
{
    int64_t size = type.kind == 'U' ? 4 * type.size : type.size;
    if (is_fixed(type.kind)) return snpy_is_between(pickle, length, table, part, -1, -1);
    return size <= MOST_SIZE && snpy_is_between(pickle, length, table, part, size, size);
}

/* Whether a character is the name of a unit. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_unit_letter(uint32_t point)
{
    return point == 'Y' || point == 'M' || point == 'W' || point == 'D' || point == 'h' || point == 'm' || point == 's';
}

/* Whether a character before an s makes the name of a unit. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_prefix(uint32_t point)
{
    return point == 'm' || point == 'u' || point == 'n' || point == 'p' || point == 'f' || point == 'a';
}

/* Whether bytes are the name of a unit. */
/*@ requires leaf_ok(pickle, leaf);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_unit(const uint8_t *pickle, struct snpy_leaf leaf)
{
    uint32_t first = leaf.point;
    snpy_leaf_step(pickle, &leaf);
    uint32_t second = leaf.point;
    if (second == SNPY_LEAF_END) return is_unit_letter(first);
    snpy_leaf_step(pickle, &leaf);
    return leaf.point == SNPY_LEAF_END && second == 's' && is_prefix(first);
}

/* Whether bytes are the name that stands for no unit. */
/*@ requires leaf_ok(pickle, leaf);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_generic(const uint8_t *pickle, struct snpy_leaf leaf)
{
    return snpy_leaf_take(pickle, &leaf, 'g') && snpy_leaf_take(pickle, &leaf, 'e') &&
           snpy_leaf_take(pickle, &leaf, 'n') && snpy_leaf_take(pickle, &leaf, 'e') &&
           snpy_leaf_take(pickle, &leaf, 'r') && snpy_leaf_take(pickle, &leaf, 'i') &&
           snpy_leaf_take(pickle, &leaf, 'c') && leaf.point == SNPY_LEAF_END;
}

/* Whether a tuple has n members. */
/*@ TABLE_REQUIRES
    requires 0 <= tuple < table->count && 0 < count <= 4;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool has_members(const snpy_node_table *table, int32_t tuple, uint32_t count)
{
    int32_t last = snpy_nodes_member(table, tuple, count - 1u);
    return table->nodes[tuple].kind == SNPY_NODE_TUPLE && last != 0 && table->nodes[last].next == 0;
}

/* Whether a node is bytes, also of Python 2 or by a call. */
/*@ requires \valid_read(node);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_data(const snpy_node *node)
{
    if (node->kind == SNPY_NODE_CALL) return node->role == SNPY_ROLE_ENCODE;
    return node->kind == SNPY_NODE_BYTES || node->kind == SNPY_NODE_RAW;
}

/* Whether a tuple is a unit of time: (unit, multiple, 1, 1). */
/*@ READ_REQUIRES
    requires 0 <= tuple < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_multiple(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t tuple)
{
    if (!has_members(table, tuple, 4)) return false;
    int32_t name = snpy_nodes_part(table, tuple, 0);
    struct snpy_leaf leaf = snpy_leaf_of(pickle, length, table, name);
    bool generic = is_generic(pickle, leaf);
    if (!is_data(&table->nodes[name]) || !(generic || is_unit(pickle, leaf))) return false;
    if (!snpy_is_between(pickle, length, table, snpy_nodes_part(table, tuple, 1), 1, generic ? 1 : MOST_SIZE))
        return false;
    return snpy_is_between(pickle, length, table, snpy_nodes_part(table, tuple, 2), 1, 1) &&
           snpy_is_between(pickle, length, table, snpy_nodes_part(table, tuple, 3), 1, 1);
}

/* Whether the ninth part of a state is that of a type: of times (None or {}, unit), of others there is none. */
/*@ READ_REQUIRES
    requires 0 <= state < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool has_unit(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t state, uint32_t kind)
{
    if (kind != 'M' && kind != 'm') return true;
    int32_t pair = snpy_nodes_part(table, state, 8);
    if (!has_members(table, pair, 2)) return false;
    int32_t data = snpy_nodes_part(table, pair, 0);
    bool is_empty = table->nodes[data].kind == SNPY_NODE_DICT && table->nodes[data].first == 0;
    if (table->nodes[data].kind != SNPY_NODE_NONE && !is_empty) return false;
    return is_multiple(pickle, length, table, snpy_nodes_part(table, pair, 1));
}

/* Whether shape, names and fields of a dtype are None. */
/*@ TABLE_REQUIRES
    requires 0 <= state < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_simple(const snpy_node_table *table, int32_t state)
{
    return table->nodes[snpy_nodes_part(table, state, 2)].kind == SNPY_NODE_NONE &&
           table->nodes[snpy_nodes_part(table, state, 3)].kind == SNPY_NODE_NONE &&
           table->nodes[snpy_nodes_part(table, state, 4)].kind == SNPY_NODE_NONE;
}

bool snpy_has_type_numbers(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args,
                           int32_t state)
{
    int32_t name = snpy_nodes_part(table, args, 0);
    struct snpy_type type = snpy_read_type(pickle, snpy_leaf_of(pickle, length, table, name));
    if (table->nodes[name].kind == SNPY_NODE_GLOBAL) return !is_simple(table, state); /* numpy.record */
    if (!is_simple(table, state)) return type.kind == 'V';
    int32_t order = snpy_nodes_part(table, state, 1);
    int32_t kind = table->nodes[order].kind;
    if (kind != SNPY_NODE_STR && kind != SNPY_NODE_RAW) return false;
    return has_order(pickle, snpy_leaf_of(pickle, length, table, order), type) &&
           has_itemsize(pickle, length, table, snpy_nodes_part(table, state, 5), type) &&
           has_alignment(pickle, length, table, snpy_nodes_part(table, state, 6), type.kind) &&
           has_flags(pickle, length, table, state, type.kind) && has_unit(pickle, length, table, state, type.kind);
}
