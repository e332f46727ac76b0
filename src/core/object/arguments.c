/* arguments.c: what the arguments of calls say, by role.                                   NPY-PKL-013, NPY-PKL-026
 * Proves that it stays inside the pickle and the table. Leaves kinds of arguments to call.c, dates to moment.c, numbers in text
 * to number_text.c and paths to path.c. */
#include "core/object/arguments.h"

#define MOST_DIMENSIONS 64u
#define MOST_DAYS 999999999
#define DAY_SECONDS 86400
#define SECOND 1000000     /* microseconds */
#define MOST_TIME_PARTS 2u /* tm_zone and tm_gmtoff */

bool snpy_is_between(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t entry, int64_t least,
                     int64_t most)
{
    int64_t value = 0;
    const snpy_node *node = &table->nodes[snpy_nodes_value(table, entry)];
    return snpy_leaf_integer(pickle, length, node, &value) && least <= value && value <= most;
}

bool snpy_is_flag(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t entry, bool wanted)
{
    int32_t kind = table->nodes[snpy_nodes_value(table, entry)].kind;
    if (kind == (wanted ? SNPY_NODE_TRUE : SNPY_NODE_FALSE)) return true;
    return snpy_is_between(pickle, length, table, entry, wanted ? 1 : 0, wanted ? 1 : 0);
}

/* Whether an argument has the characters of a word. */
/*@ READ_REQUIRES
    requires 0 <= args < table->count && word < SNPY_WORDS;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_word(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args, uint32_t place,
                    uint32_t word)
{
    return snpy_leaf_is(pickle, snpy_leaf_of(pickle, length, table, snpy_nodes_part(table, args, place)), word);
}

/* Whether two arguments are (0,) and b, with which an array is made before it has a state. */
/*@ READ_REQUIRES
    requires 0 <= args < table->count && place <= 2;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_placeholder(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args,
                           uint32_t place)
{
    int32_t shape = snpy_nodes_part(table, args, place);
    int32_t dim = table->nodes[shape].first;
    if (dim == 0 || table->nodes[dim].next != 0) return false;
    if (!snpy_is_between(pickle, length, table, dim, 0, 0)) return false;
    return is_word(pickle, length, table, args, place + 1, SNPY_WORD_B);
}

/* The size of a type string after its first character; UINT64_MAX if it is none. */
/*@ requires leaf_ok(pickle, leaf);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint64_t size_of_type(const uint8_t *pickle, struct snpy_leaf leaf)
{
    uint64_t size = 0;
    bool is_zero = leaf.point == '0';
    uint32_t digits = 0;
    /*@ loop invariant range: 0 <= digits <= 10 && leaf_ok(pickle, leaf);
        loop invariant size: size <= 9999999999;
        loop assigns leaf, digits, size;
        loop variant 10 - digits; */
    while (digits < 10 && leaf.point >= '0' && leaf.point <= '9') {
        if (size > 999999999u) return UINT64_MAX;
        size = 10u * size + (leaf.point - '0');
        snpy_leaf_step(pickle, &leaf);
        digits++;
    }
    if (leaf.point != SNPY_LEAF_END || digits == 0 || (is_zero && digits > 1)) return UINT64_MAX;
    return size;
}

/* clang-format off */
/* Whether NumPy has a type of a kind with such a size. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool has_size(uint32_t kind, uint64_t size)
{
    switch (kind) {
    case 'b': return size == 1;
    case 'i': case 'u': return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f': return size == 2 || size == 4 || size == 8 || size == 16;
    case 'c': return size == 8 || size == 16 || size == 32;
    case 'M': case 'm': case 'O': return size == 8;
    case 'S': case 'U': case 'V': return size != UINT64_MAX;
    default: return false;
    }
}
/* clang-format on */

/* Whether text is a type string of NumPy, without its order. */
/*@ requires leaf_ok(pickle, leaf);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_type(const uint8_t *pickle, struct snpy_leaf leaf)
{
    uint32_t kind = leaf.point;
    snpy_leaf_step(pickle, &leaf);
    return has_size(kind, size_of_type(pickle, leaf));
}

/* Whether the arguments of a dtype are a type string or numpy.record, False and True. */
/*@ READ_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_dtype_call(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args)
{
    if (!snpy_is_flag(pickle, length, table, snpy_nodes_part(table, args, 1), false)) return false;
    if (!snpy_is_flag(pickle, length, table, snpy_nodes_part(table, args, 2), true)) return false;
    int32_t type = snpy_nodes_part(table, args, 0);
    if (table->nodes[type].kind == SNPY_NODE_GLOBAL) return true;
    return is_type(pickle, snpy_leaf_of(pickle, length, table, type));
}

/* Whether text is of code points up to U+00FF, and the encoding is that of the call; *bytes is how many. NPY-PKL-026 */
/*@ READ_REQUIRES
    requires 0 <= args < table->count && word < SNPY_WORDS && \valid(bytes);
    requires \separated(bytes, table, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns *bytes;
 */
static bool is_encoded(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args, uint32_t word,
                       uint64_t *bytes)
{
    if (!is_word(pickle, length, table, args, 1, word)) return false;
    *bytes = snpy_leaf_count(pickle, snpy_leaf_of(pickle, length, table, snpy_nodes_part(table, args, 0)), 0xff);
    return *bytes != UINT64_MAX;
}

/* Whether a byte array is made of nothing, of bytes, or of text; *bytes is how many.                     NPY-PKL-026 */
/*@ READ_REQUIRES
    requires 0 <= args < table->count && \valid(bytes);
    requires \separated(bytes, table, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns *bytes;
 */
static bool is_bytearray_call(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args,
                              uint64_t *bytes)
{
    if (snpy_nodes_part(table, args, 1) != 0) return is_encoded(pickle, length, table, args, SNPY_WORD_LATIN_1, bytes);
    *bytes = snpy_leaf_count(pickle, snpy_leaf_of(pickle, length, table, snpy_nodes_part(table, args, 0)), 0xff);
    return *bytes != UINT64_MAX;
}

/* Whether days, seconds and microseconds are as a timedelta has them. */
/*@ READ_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_timedelta_call(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args)
{
    return snpy_is_between(pickle, length, table, snpy_nodes_part(table, args, 0), -MOST_DAYS, MOST_DAYS) &&
           snpy_is_between(pickle, length, table, snpy_nodes_part(table, args, 1), 0, DAY_SECONDS - 1) &&
           snpy_is_between(pickle, length, table, snpy_nodes_part(table, args, 2), 0, SECOND - 1);
}

/* Whether the offset of a time zone, a timedelta, is less than a day either way. */
/*@ READ_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_timezone_call(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args)
{
    int32_t offset = table->nodes[snpy_nodes_part(table, args, 0)].args;
    if (snpy_is_between(pickle, length, table, snpy_nodes_part(table, offset, 0), 0, 0)) return true;
    if (!snpy_is_between(pickle, length, table, snpy_nodes_part(table, offset, 0), -1, -1)) return false;
    return !snpy_is_between(pickle, length, table, snpy_nodes_part(table, offset, 1), 0, 0) ||
           !snpy_is_between(pickle, length, table, snpy_nodes_part(table, offset, 2), 0, 0);
}

/* Whether a node is an integer other than 0; *bytes is how many bytes it has, which are looked at again. NPY-PKL-026 */
/*@ requires text_ok(pickle, length) && \valid_read(node) && \valid(bytes);
    requires \separated(bytes, node) && \separated(bytes, pickle + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *bytes;
 */
static bool is_step(const uint8_t *pickle, size_t length, const snpy_node *node, uint64_t *bytes)
{
    *bytes = node->size;
    return snpy_leaf_sign(pickle, length, node) != 0;
}

/* Whether the arguments of a Fraction are text, or an integer and one above 0; *bytes is how many bytes are looked at again.
 *                                                                                                        NPY-PKL-026 */
/*@ READ_REQUIRES
    requires 0 <= args < table->count && \valid(bytes);
    requires \separated(bytes, table, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns *bytes;
 */
static bool is_fraction_call(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args,
                             uint64_t *bytes)
{
    int32_t first = snpy_nodes_part(table, args, 0);
    int32_t below = snpy_nodes_part(table, args, 1);
    *bytes = table->nodes[below == 0 ? first : below].size;
    if (below != 0) return snpy_leaf_sign(pickle, length, &table->nodes[below]) > 0;
    return snpy_is_fraction(pickle, snpy_leaf_of(pickle, length, table, first));
}

/* Whether an entry is a list of two. */
/*@ TABLE_REQUIRES
    requires 0 <= entry < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_pair(const snpy_node_table *table, int32_t entry)
{
    int32_t list = snpy_nodes_value(table, entry);
    int32_t second = snpy_nodes_member(table, list, 1);
    return table->nodes[list].kind == SNPY_NODE_LIST && second != 0 && table->nodes[second].next == 0;
}

/* Whether the argument of an OrderedDict, if it has one, is a list of lists of two. */
/*@ TABLE_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_ordered_call(const snpy_node_table *table, int32_t args)
{
    int32_t entry = table->nodes[snpy_nodes_part(table, args, 0)].first;
    /*@ loop invariant range: 0 <= entry < table->count;
        loop assigns left, entry;
        loop variant left; */
    for (uint64_t left = table->count; left > 0 && entry != 0; left--) {
        if (!is_pair(table, entry)) return false;
        entry = table->nodes[entry].next;
    }
    return true;
}

/* Whether a key of a struct_time has a value that it may have: tm_zone text, tm_gmtoff an integer, or None. */
/*@ READ_REQUIRES
    requires 0 <= key < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_time_part(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t key)
{
    int32_t kind = table->nodes[snpy_nodes_value(table, table->nodes[key].next)].kind;
    int32_t key_kind = table->nodes[snpy_nodes_value(table, key)].kind;
    struct snpy_leaf leaf = snpy_leaf_of(pickle, length, table, key);
    if (key_kind != SNPY_NODE_STR && key_kind != SNPY_NODE_RAW) return false;
    if (snpy_leaf_is(pickle, leaf, SNPY_WORD_TM_ZONE)) return kind == SNPY_NODE_NONE || kind == SNPY_NODE_STR;
    return snpy_leaf_is(pickle, leaf, SNPY_WORD_TM_GMTOFF) && (kind == SNPY_NODE_NONE || kind == SNPY_NODE_INT);
}

/* Whether a dictionary has nothing but what a struct_time may have. */
/*@ READ_REQUIRES
    requires 0 <= names < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool has_time_parts(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t names)
{
    int32_t key = table->nodes[names].first;
    /*@ loop invariant range: 0 <= i <= MOST_TIME_PARTS && 0 <= key < table->count;
        loop assigns i, key;
        loop variant MOST_TIME_PARTS - i; */
    for (uint32_t i = 0; i < MOST_TIME_PARTS && key != 0; i++) {
        if (!is_time_part(pickle, length, table, key)) return false;
        key = table->nodes[table->nodes[key].next].next;
    }
    return key == 0;
}

/* Whether the arguments of a struct_time are nine integers of 64 bits, and what it may have besides. */
/*@ READ_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_struct_time_call(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args)
{
    int32_t entry = table->nodes[snpy_nodes_part(table, args, 0)].first;
    int64_t value = 0;
    /*@ loop invariant range: 0 <= i <= 9 && 0 <= entry < table->count;
        loop assigns i, entry, value;
        loop variant 9 - i; */
    for (uint32_t i = 0; i < 9; i++) {
        const snpy_node *node = &table->nodes[snpy_nodes_value(table, entry)];
        if (!snpy_leaf_integer(pickle, length, node, &value)) return false;
        entry = table->nodes[entry].next;
    }
    return entry == 0 && has_time_parts(pickle, length, table, snpy_nodes_part(table, args, 1));
}

/* Whether a node is no float, or NaN. */
/*@ requires text_ok(pickle, length) && length <= SNPY_MAX_PICKLE && \valid_read(node);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_nan_if_float(const uint8_t *pickle, size_t length, const snpy_node *node)
{
    if (node->kind != SNPY_NODE_FLOAT) return true;
    if (node->at >= length || node->start >= length || node->size > length - node->start) return false;
    size_t at = node->start;
    if (pickle[node->at] != 'G') return pickle[at] == 'n'; /* nan */
    if (node->size != 8 || pickle[at] % 128u != 127 || pickle[at + 1] < 0xf0) return false;
    return pickle[at + 1] > 0xf0 || snpy_opcode_number(pickle, at, 8) >= 65536u;
}

/* Whether the arguments of the type of an array of strings are a flag, and what stands for a missing one. */
/*@ READ_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_stringdtype_call(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args)
{
    int32_t coerce = snpy_nodes_part(table, args, 0);
    if (!snpy_is_flag(pickle, length, table, coerce, true) && !snpy_is_flag(pickle, length, table, coerce, false))
        return false;
    return is_nan_if_float(pickle, length, &table->nodes[snpy_nodes_part(table, args, 1)]);
}

/* How many bytes a path counts as: the characters of its parts, and one for each; UINT64_MAX if a string of Python 2 is not
 * in ASCII.                                                                                              NPY-PKL-026 */
/*@ READ_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint64_t size_of_path(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args)
{
    uint64_t sum = 0;
    int32_t entry = table->nodes[args].first;
    /*@ loop invariant range: 0 <= entry < table->count && left <= table->count;
        loop invariant sum: sum <= (table->count - left) * (2 * SNPY_MAX_TEXT + 2);
        loop assigns left, entry, sum;
        loop variant left; */
    for (uint64_t left = table->count; left > 0 && entry != 0; left--) {
        bool is_raw = table->nodes[snpy_nodes_value(table, entry)].kind == SNPY_NODE_RAW;
        struct snpy_leaf leaf = snpy_leaf_of(pickle, length, table, entry);
        uint64_t count = snpy_leaf_count(pickle, leaf, is_raw ? 0x7f : SNPY_LEAF_END - 1u);
        if (count == UINT64_MAX) return count;
        sum += 1u + count;
        entry = table->nodes[entry].next;
    }
    return sum;
}

/* Whether a tuple has a path; *bytes is how many it counts as.                                           NPY-PKL-026 */
/*@ READ_REQUIRES
    requires 0 <= args < table->count && \valid(bytes);
    requires \separated(bytes, table, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns *bytes;
 */
static bool is_path_call(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t role, int32_t args,
                         uint64_t *bytes)
{
    *bytes = size_of_path(pickle, length, table, args);
    return *bytes != UINT64_MAX && snpy_is_path(pickle, length, table, role, args);
}

/* Whether text is a Decimal; *bytes is how many characters it has.                                       NPY-PKL-026 */
/*@ requires leaf_ok(pickle, leaf) && \valid(bytes) && \separated(bytes, pickle + (0 .. leaf.end - 1));
    terminates \true;
    exits \false;
    assigns *bytes;
 */
static bool is_decimal_call(const uint8_t *pickle, struct snpy_leaf leaf, uint64_t *bytes)
{
    *bytes = snpy_leaf_count(pickle, leaf, 0x7f);
    return snpy_is_decimal(pickle, leaf);
}

bool snpy_is_shape(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t shape)
{
    int32_t entry = table->nodes[shape].first;
    /*@ loop invariant range: 0 <= i <= MOST_DIMENSIONS && 0 <= entry < table->count;
        loop assigns i, entry;
        loop variant MOST_DIMENSIONS - i; */
    for (uint32_t i = 0; i < MOST_DIMENSIONS && entry != 0; i++) {
        if (!snpy_is_between(pickle, length, table, entry, 0, INT64_MAX)) return false;
        entry = table->nodes[entry].next;
    }
    return entry == 0;
}

bool snpy_is_subarray(const snpy_node_table *table, int32_t type)
{
    return table->nodes[snpy_nodes_part(table, table->nodes[type].state, 2)].kind == SNPY_NODE_TUPLE;
}

bool snpy_has_objects(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t type)
{
    int64_t flags = 0;
    int32_t part = snpy_nodes_part(table, table->nodes[type].state, 7);
    return snpy_leaf_integer(pickle, length, &table->nodes[part], &flags) && flags % 2 != 0;
}

/* Whether bytes may be elements of a dtype: it is no sub-array, and has no objects. */
/*@ READ_REQUIRES
    requires 0 <= type < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_element_type(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t type)
{
    return !snpy_is_subarray(table, type) && !snpy_has_objects(pickle, length, table, type);
}

/* Whether an array of bytes has a type without objects, a shape, and an order. */
/*@ READ_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_frombuffer_call(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args)
{
    if (!is_element_type(pickle, length, table, snpy_nodes_part(table, args, 1))) return false;
    if (!snpy_is_shape(pickle, length, table, snpy_nodes_part(table, args, 2))) return false;
    return is_word(pickle, length, table, args, 3, SNPY_WORD_C) || is_word(pickle, length, table, args, 3, SNPY_WORD_F);
}

bool snpy_takes_arguments(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t role,
                          int32_t args, uint64_t *bytes)
{
    struct snpy_leaf leaf = snpy_leaf_of(pickle, length, table, snpy_nodes_part(table, args, 0));
    *bytes = 0;
    /* clang-format off */
    switch (role) {
    case SNPY_ROLE_DTYPE: return is_dtype_call(pickle, length, table, args);
    case SNPY_ROLE_RECONSTRUCT: return is_placeholder(pickle, length, table, args, 1);
    case SNPY_ROLE_SCALAR: return is_element_type(pickle, length, table, snpy_nodes_part(table, args, 0));
    case SNPY_ROLE_FROMBUFFER: return is_frombuffer_call(pickle, length, table, args);
    case SNPY_ROLE_MARECONSTRUCT: return is_placeholder(pickle, length, table, args, 2);
    case SNPY_ROLE_ENCODE: return is_encoded(pickle, length, table, args, SNPY_WORD_LATIN1, bytes);
    case SNPY_ROLE_BYTEARRAY: return is_bytearray_call(pickle, length, table, args, bytes);
    case SNPY_ROLE_RANGE: return is_step(pickle, length, &table->nodes[snpy_nodes_part(table, args, 2)], bytes);
    case SNPY_ROLE_STRINGDTYPE: return is_stringdtype_call(pickle, length, table, args);
    case SNPY_ROLE_DATE: case SNPY_ROLE_DATETIME: case SNPY_ROLE_TIME: return snpy_is_moment(pickle, leaf, role);
    case SNPY_ROLE_TIMEDELTA: return is_timedelta_call(pickle, length, table, args);
    case SNPY_ROLE_TIMEZONE: return is_timezone_call(pickle, length, table, args);
    case SNPY_ROLE_DECIMAL: return is_decimal_call(pickle, leaf, bytes);
    case SNPY_ROLE_FRACTION: return is_fraction_call(pickle, length, table, args, bytes);
    case SNPY_ROLE_ORDERED_DICT: return is_ordered_call(table, args);
    case SNPY_ROLE_STRUCT_TIME: return is_struct_time_call(pickle, length, table, args);
    case SNPY_ROLE_POSIX_PATH: case SNPY_ROLE_PURE_POSIX_PATH: case SNPY_ROLE_WINDOWS_PATH:
    case SNPY_ROLE_PURE_WINDOWS_PATH:
        return is_path_call(pickle, length, table, role, args, bytes);
    default: return true;
    }
    /* clang-format on */
}
