/* call.c: the forms of arguments, by role.                                                             NPY-PKL-013
 * Proves that the search stays inside both tables. Leaves to tests/oracle that the rows are those of spec/objects.md, and
 * what numbers, texts and bytes among the arguments say to who reads them. */
#include "core/object/call.h"

#define ROWS 31u
#define COLUMNS 4u
#define STATE_ROWS 5u
#define PARTS 9u
#define MANY 0x7fffffffu /* arguments: no tuple has more */

/* The sorts of arguments, a bit for each: kinds of nodes, then classes, then values of calls. */
#define NONE 0x4u
#define BOOL 0x8u
#define INT 0x20u
#define BOOL_OR_INT (BOOL | INT)
#define FLOAT 0x40u
#define STR 0x80u
#define RAW 0x100u
#define TEXT (STR | RAW)
#define BYTES 0x200u
#define DATA (BYTES | RAW)
#define BYTEARRAY 0x400u
#define TUPLE 0x800u
#define LIST 0x1000u
#define DICT 0x2000u
#define NDARRAY 0x10000u
#define SUBCLASS 0x20000u /* recarray and matrix */
#define MASKED 0x40000u
#define RECORD 0x80000u
#define UUID 0x100000u
#define OBJECT 0x200000u
#define FACTORY 0x400000u
#define DTYPE 0x800000u /* with its state */
#define TIMEDELTA 0x1000000u
#define TIMEZONE 0x2000000u
#define STRINGDTYPE 0x4000000u
#define ARRAY 0x8000000u /* with its state */
#define ANY 0xffffffffu

/* A role with its arguments, from least to most; a column is a set of sorts, and the last one is for all that follow. */
struct call_form {
    int32_t role;
    uint32_t least;
    uint32_t most;
    uint32_t takes[COLUMNS];
};

/* A role with the parts of its state, of which there are as many as columns that are not 0. */
struct state_form {
    int32_t role;
    uint32_t takes[PARTS];
};

/* The sorts of nodes by their kind, up to FROZENSET; no call takes a mark, a reference or a set. */
static const uint32_t SORTS[SNPY_NODE_GLOBAL] = {0,   0,     NONE,      BOOL,  BOOL, INT,  FLOAT, STR,
                                                 RAW, BYTES, BYTEARRAY, TUPLE, LIST, DICT, 0,     0};

/* The table of globals in spec/objects.md, by role. */
static const struct call_form FORMS[ROWS] = {
    {SNPY_ROLE_DTYPE, 3, 3, {TEXT | RECORD, BOOL_OR_INT, BOOL_OR_INT, 0}},
    {SNPY_ROLE_RECONSTRUCT, 3, 3, {NDARRAY | SUBCLASS, TUPLE, DATA, 0}},
    {SNPY_ROLE_SCALAR, 2, 2, {DTYPE, DATA, 0, 0}},
    {SNPY_ROLE_FROMBUFFER, 4, 4, {BYTES | BYTEARRAY, DTYPE, TUPLE, TEXT}},
    {SNPY_ROLE_ENCODE, 2, 2, {STR, TEXT, 0, 0}},
    {SNPY_ROLE_BYTES, 0, 0, {0, 0, 0, 0}},
    {SNPY_ROLE_COMPLEX, 2, 2, {FLOAT, FLOAT, 0, 0}},
    {SNPY_ROLE_BYTEARRAY, 0, 1, {BYTES, 0, 0, 0}},
    {SNPY_ROLE_BYTEARRAY, 2, 2, {STR, TEXT, 0, 0}},
    {SNPY_ROLE_SET, 1, 1, {LIST, 0, 0, 0}},
    {SNPY_ROLE_FROZENSET, 1, 1, {LIST, 0, 0, 0}},
    {SNPY_ROLE_SLICE, 3, 3, {NONE | INT, NONE | INT, NONE | INT, 0}},
    {SNPY_ROLE_RANGE, 3, 3, {INT, INT, INT, 0}},
    {SNPY_ROLE_MARECONSTRUCT, 4, 4, {MASKED, NDARRAY, TUPLE, TEXT}},
    {SNPY_ROLE_STRINGDTYPE, 1, 2, {BOOL_OR_INT, NONE | STR | FLOAT, 0, 0}},
    {SNPY_ROLE_DATE, 1, 1, {DATA, 0, 0, 0}},
    {SNPY_ROLE_DATETIME, 1, 2, {DATA, TIMEZONE, 0, 0}},
    {SNPY_ROLE_TIME, 1, 2, {DATA, TIMEZONE, 0, 0}},
    {SNPY_ROLE_TIMEDELTA, 3, 3, {INT, INT, INT, 0}},
    {SNPY_ROLE_TIMEZONE, 1, 2, {TIMEDELTA, STR, 0, 0}},
    {SNPY_ROLE_DECIMAL, 1, 1, {TEXT, 0, 0, 0}},
    {SNPY_ROLE_FRACTION, 1, 1, {TEXT, 0, 0, 0}},
    {SNPY_ROLE_FRACTION, 2, 2, {INT, INT, 0, 0}},
    {SNPY_ROLE_RECONSTRUCTOR, 3, 3, {UUID, OBJECT, NONE, 0}},
    {SNPY_ROLE_ORDERED_DICT, 0, 1, {LIST, 0, 0, 0}},
    {SNPY_ROLE_DEFAULTDICT, 0, 1, {FACTORY, 0, 0, 0}},
    {SNPY_ROLE_STRUCT_TIME, 2, 2, {TUPLE, DICT, 0, 0}},
    {SNPY_ROLE_POSIX_PATH, 0, MANY, {TEXT, TEXT, TEXT, TEXT}},
    {SNPY_ROLE_PURE_POSIX_PATH, 0, MANY, {TEXT, TEXT, TEXT, TEXT}},
    {SNPY_ROLE_WINDOWS_PATH, 0, MANY, {TEXT, TEXT, TEXT, TEXT}},
    {SNPY_ROLE_PURE_WINDOWS_PATH, 0, MANY, {TEXT, TEXT, TEXT, TEXT}},
};

/* The table of states in spec/objects.md, by role, but for that of a UUID. */
static const struct state_form STATES[STATE_ROWS] = {
    {SNPY_ROLE_DTYPE, {INT, ANY, ANY, ANY, ANY, ANY, ANY, ANY, 0}},
    {SNPY_ROLE_DTYPE, {INT, ANY, ANY, ANY, ANY, ANY, ANY, ANY, ANY}},
    {SNPY_ROLE_RECONSTRUCT, {INT, TUPLE, DTYPE, BOOL_OR_INT, DATA | LIST, 0, 0, 0, 0}},
    {SNPY_ROLE_RECONSTRUCT, {INT, TUPLE, STRINGDTYPE, BOOL_OR_INT, LIST, 0, 0, 0, 0}},
    {SNPY_ROLE_MARECONSTRUCT, {INT, TUPLE, DTYPE, BOOL_OR_INT, DATA | LIST, DATA, NONE | ARRAY, 0, 0}},
};

/* Whether a row is for a role with so many arguments. */
/*@ requires row < ROWS;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_row(uint32_t row, int32_t role, uint64_t count)
{
    return FORMS[row].role == role && FORMS[row].least <= count && count <= FORMS[row].most;
}

/* What a row takes as the argument `index`. */
/*@ requires row < ROWS;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint32_t row_takes(uint32_t row, uint64_t index)
{
    return FORMS[row].takes[index < COLUMNS ? index : COLUMNS - 1u];
}

/* The sort of a node that is neither a global nor a call. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint32_t sort_of_kind(int32_t kind)
{
    return kind >= 0 && kind < SNPY_NODE_GLOBAL ? SORTS[kind] : 0;
}

/* clang-format off */
/* The sort of a class; 0 if no call takes it. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint32_t sort_of_class(int32_t role)
{
    switch (role) {
    case SNPY_ROLE_NDARRAY: return NDARRAY;
    case SNPY_ROLE_RECARRAY: case SNPY_ROLE_MATRIX: return SUBCLASS;
    case SNPY_ROLE_MASKED_ARRAY: return MASKED;
    case SNPY_ROLE_RECORD: return RECORD;
    case SNPY_ROLE_UUID: return UUID;
    case SNPY_ROLE_OBJECT: return OBJECT;
    case SNPY_ROLE_BOOL: case SNPY_ROLE_BYTES: case SNPY_ROLE_COMPLEX: case SNPY_ROLE_DICT: case SNPY_ROLE_FLOAT:
    case SNPY_ROLE_FROZENSET: case SNPY_ROLE_INT: case SNPY_ROLE_LIST: case SNPY_ROLE_SET: case SNPY_ROLE_STR:
    case SNPY_ROLE_TUPLE:
        return FACTORY;
    default: return 0;
    }
}

/* The sort of what a call has made; 0 if no call takes it. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint32_t sort_of_call(int32_t role, int32_t state)
{
    switch (role) {
    case SNPY_ROLE_ENCODE: case SNPY_ROLE_BYTES: return BYTES;
    case SNPY_ROLE_BYTEARRAY: return BYTEARRAY;
    case SNPY_ROLE_DTYPE: return state == 0 ? 0 : DTYPE;
    case SNPY_ROLE_STRINGDTYPE: return STRINGDTYPE;
    case SNPY_ROLE_FROMBUFFER: return ARRAY;
    case SNPY_ROLE_RECONSTRUCT: return state == 0 ? 0 : ARRAY;
    case SNPY_ROLE_TIMEDELTA: return TIMEDELTA;
    case SNPY_ROLE_TIMEZONE: return TIMEZONE;
    default: return 0;
    }
}
/* clang-format on */

/* The sort of an entry; 0 if no call takes it. */
/*@ TABLE_REQUIRES
    requires 0 <= entry < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint32_t sort_of(const snpy_node_table *table, int32_t entry)
{
    const snpy_node *node = &table->nodes[snpy_nodes_value(table, entry)];
    if (node->kind == SNPY_NODE_GLOBAL) return sort_of_class(node->role);
    if (node->kind == SNPY_NODE_CALL) return sort_of_call(node->role, node->state);
    return sort_of_kind(node->kind);
}

/* Whether the first arguments are of the sorts that a row has. */
/*@ TABLE_REQUIRES
    requires 0 <= args < table->count && row < ROWS;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool fits(const snpy_node_table *table, uint32_t row, int32_t args, uint64_t count)
{
    int32_t entry = table->nodes[args].first;
    /*@ loop invariant range: 0 <= i <= count && 0 <= entry < table->count;
        loop assigns i, entry;
        loop variant count - i; */
    for (uint64_t i = 0; i < count; i++) {
        if ((sort_of(table, entry) & row_takes(row, i)) == 0) return false;
        entry = table->nodes[entry].next;
    }
    return true;
}

bool snpy_is_call(const snpy_node_table *table, int32_t role, int32_t args, uint64_t count)
{
    /*@ loop invariant range: 0 <= row <= ROWS;
        loop assigns row;
        loop variant ROWS - row; */
    for (uint32_t row = 0; row < ROWS; row++) {
        if (is_row(row, role, count) && fits(table, row, args, count)) return true;
    }
    return false;
}

/* The role that a row of states is for. */
/*@ requires row < STATE_ROWS;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static int32_t state_role(uint32_t row)
{
    return STATES[row].role;
}

/* What a row of states takes as the part `index`; 0 after the last. */
/*@ requires row < STATE_ROWS;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint32_t state_takes(uint32_t row, uint32_t index)
{
    return index < PARTS ? STATES[row].takes[index] : 0;
}

/* Whether a part is of the sorts that a row has; a part of the sort 0 fits only where anything does. */
/*@ TABLE_REQUIRES
    requires 0 <= part < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool fits_part(const snpy_node_table *table, int32_t part, uint32_t takes)
{
    return takes == ANY || (sort_of(table, part) & takes) != 0;
}

/* Whether a tuple has the parts of a row. */
/*@ TABLE_REQUIRES
    requires 0 <= state < table->count && row < STATE_ROWS;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool has_parts(const snpy_node_table *table, uint32_t row, int32_t state)
{
    int32_t part = table->nodes[state].first;
    uint32_t index = 0;
    /*@ loop invariant range: 0 <= index <= PARTS && 0 <= part < table->count;
        loop assigns index, part;
        loop variant PARTS - index; */
    while (index < PARTS && part != 0) {
        if (!fits_part(table, part, state_takes(row, index))) return false;
        part = table->nodes[part].next;
        index++;
    }
    return part == 0 && state_takes(row, index) == 0;
}

bool snpy_is_state(const snpy_node_table *table, int32_t role, int32_t state)
{
    if (role == SNPY_ROLE_UUID || role == SNPY_ROLE_RECONSTRUCTOR) return table->nodes[state].kind == SNPY_NODE_DICT;
    if (table->nodes[state].kind != SNPY_NODE_TUPLE) return false;
    /*@ loop invariant range: 0 <= row <= STATE_ROWS;
        loop assigns row;
        loop variant STATE_ROWS - row; */
    for (uint32_t row = 0; row < STATE_ROWS; row++) {
        if (state_role(row) == role && has_parts(table, row, state)) return true;
    }
    return false;
}
