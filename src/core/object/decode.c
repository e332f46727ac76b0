/* decode.c: what opcodes do to the table of nodes.                        NPY-PKL-013 … 015, 023, 027
 * Proves that the decoder ends, and stays inside the caller's tables.
 * Leaves stack, memo and frames to scan.c, which sees each opcode first, and the values of arguments to who reads them. */
#include "core/object/nodes.h"
#include "core/object/opcode.h"

#define NO_KIND (-1)
#define ALL 0x7fffffffu /* entries: no table has more */

/* The kind of node that an opcode without effect on others pushes; NO_KIND for all else, and for I. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
/* clang-format off */
static int32_t leaf_of(uint64_t code)
{
    switch (code) {
    case '(': return SNPY_NODE_MARK;
    case 'N': return SNPY_NODE_NONE;
    case NEWTRUE: return SNPY_NODE_TRUE;
    case NEWFALSE: return SNPY_NODE_FALSE;
    case 'L': case 'J': case 'K': case 'M': case LONG1: case LONG4: return SNPY_NODE_INT;
    case 'F': case 'G': return SNPY_NODE_FLOAT;
    case 'V': case 'X': case SHORT_BINUNICODE: case BINUNICODE8: return SNPY_NODE_STR;
    case 'S': case 'T': case 'U': return SNPY_NODE_RAW;
    case 'B': case 'C': case BINBYTES8: return SNPY_NODE_BYTES;
    case BYTEARRAY8: return SNPY_NODE_BYTEARRAY;
    case ')': return SNPY_NODE_TUPLE;
    case ']': return SNPY_NODE_LIST;
    case '}': return SNPY_NODE_DICT;
    case EMPTY_SET: return SNPY_NODE_SET;
    default: return NO_KIND;
    }
}

/* The kind of container that an opcode makes of entries of the stack; NO_KIND if it makes none. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static int32_t container_of(uint64_t code)
{
    switch (code) {
    case 't': case TUPLE1: case TUPLE2: case TUPLE3: return SNPY_NODE_TUPLE;
    case 'l': return SNPY_NODE_LIST;
    case 'd': return SNPY_NODE_DICT;
    case FROZENSET: return SNPY_NODE_FROZENSET;
    default: return NO_KIND;
    }
}

/* How many entries an opcode takes as members; ALL: those above the topmost mark, and the mark. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint64_t members_of(uint64_t code)
{
    switch (code) {
    case 'a': case TUPLE1: return 1;
    case 's': case TUPLE2: return 2;
    case TUPLE3: return 3;
    default: return ALL;
    }
}

/* Whether a container takes the members that an opcode adds.                                           NPY-PKL-015 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool can_add(uint64_t code, int32_t kind, int32_t role)
{
    switch (code) {
    case 'a': case 'e': return kind == SNPY_NODE_LIST;
    case ADDITEMS: return kind == SNPY_NODE_SET || (kind == SNPY_NODE_CALL && role == SNPY_ROLE_SET);
    default: break; /* SETITEM and SETITEMS */
    }
    if (kind == SNPY_NODE_DICT) return true;
    return kind == SNPY_NODE_CALL && (role == SNPY_ROLE_ORDERED_DICT || role == SNPY_ROLE_DEFAULTDICT);
}

/* Whether the value of a call takes a state.                                                           NPY-PKL-014 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool has_state(int32_t role)
{
    switch (role) {
    case SNPY_ROLE_DTYPE: case SNPY_ROLE_RECONSTRUCT: case SNPY_ROLE_MARECONSTRUCT: case SNPY_ROLE_UUID:
    case SNPY_ROLE_RECONSTRUCTOR:
        return true;
    default:
        return false;
    }
}
/* clang-format on */

/* The kind of an INT: a bool if it has two digits of which the first is 0. */
/*@ requires text_ok(pickle, start + size);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static int32_t kind_of_int(const uint8_t *pickle, uint64_t start, uint64_t size)
{
    if (size != 2 || pickle[start] != '0') return SNPY_NODE_INT;
    return pickle[start + 1] == '1' ? SNPY_NODE_TRUE : SNPY_NODE_FALSE;
}

/* clang-format off */
/* What the functions on an opcode ask for besides. */
#define STEP_REQUIRES                                                                                                 \
    TABLE_REQUIRES                                                                                                    \
    requires \valid_read(opcode) && opcode->at < SNPY_MAX_PICKLE && opcode->role <= 255;                             \
    requires opcode->argument + opcode->argument_size <= SNPY_MAX_PICKLE;                                            \
    requires \separated(table, opcode, table->nodes + (0 .. table->capacity-1));
/* clang-format on */

/* Pushes a value that has its bytes in the pickle, or is empty. */
/*@ STEP_REQUIRES
    terminates \true;
    exits \false;
    assigns table->count, table->top, table->nodes[0 .. table->capacity-1];
    ensures nodes: NODES_OK;
 */
static snpy_status push_leaf(snpy_node_table *table, const snpy_opcode *opcode, int32_t kind)
{
    snpy_node leaf = {.kind = kind, .at = (uint32_t)opcode->at};
    leaf.start = (uint32_t)opcode->argument;
    leaf.size = (uint32_t)opcode->argument_size;
    return snpy_nodes_push(table, leaf);
}

/* Takes what an opcode adds to a container or makes one of. */
/*@ TABLE_REQUIRES
    terminates \true;
    exits \false;
    assigns table->top, table->nodes[0 .. table->count-1];
    ensures range: 0 <= \result.first < table->count && 0 <= \result.last < table->count;
    ensures nodes: NODES_OK;
 */
static struct snpy_members take_members(snpy_node_table *table, uint64_t code)
{
    uint64_t most = members_of(code);
    struct snpy_members members = snpy_nodes_take(table, most);
    if (most == ALL) snpy_nodes_pop(table);
    return members;
}

/* Pushes a container with its members. */
/*@ TABLE_REQUIRES
    requires 0 <= members.first < table->count && 0 <= members.last < table->count;
    terminates \true;
    exits \false;
    assigns table->count, table->top, table->nodes[0 .. table->capacity-1];
    ensures nodes: NODES_OK;
 */
static snpy_status push_members(snpy_node_table *table, int32_t kind, uint32_t at, struct snpy_members members)
{
    snpy_node container = {.kind = kind, .at = at};
    snpy_status status = snpy_nodes_push(table, container);
    if (status != SNPY_OK) return status;
    snpy_nodes_append(table, (int32_t)table->top, members);
    return SNPY_OK;
}

/* Pushes a container of what is on the stack. */
/*@ STEP_REQUIRES
    terminates \true;
    exits \false;
    assigns table->count, table->top, table->nodes[0 .. table->capacity-1];
    ensures nodes: NODES_OK;
 */
static snpy_status push_container(snpy_node_table *table, const snpy_opcode *opcode, int32_t kind)
{
    struct snpy_members members = take_members(table, opcode->code);
    return push_members(table, kind, (uint32_t)opcode->at, members);
}

/* Adds what is on top of the stack to the container below.                                             NPY-PKL-015 */
/*@ TABLE_REQUIRES
    terminates \true;
    exits \false;
    assigns table->top, table->nodes[0 .. table->count-1];
    ensures nodes: NODES_OK;
 */
static snpy_status add_members(snpy_node_table *table, uint64_t code)
{
    struct snpy_members members = take_members(table, code);
    int32_t container = snpy_nodes_value(table, (int32_t)table->top);
    if (!can_add(code, table->nodes[container].kind, table->nodes[container].role)) return SNPY_PKL_CONTAINER;
    snpy_nodes_append(table, container, members);
    return SNPY_OK;
}

/* Pushes a value of the memo once more.                                                                NPY-PKL-027 */
/*@ STEP_REQUIRES
    terminates \true;
    exits \false;
    assigns table->count, table->top, table->nodes[0 .. table->capacity-1];
    ensures nodes: NODES_OK;
 */
static snpy_status push_reference(snpy_node_table *table, const snpy_opcode *opcode)
{
    snpy_node reference = {.kind = SNPY_NODE_REF, .at = (uint32_t)opcode->at};
    reference.target = snpy_nodes_find(table, opcode->source);
    return snpy_nodes_push(table, reference);
}

/* Pushes a global; STACK_GLOBAL takes its names from the stack.                                        NPY-PKL-011 */
/*@ STEP_REQUIRES
    terminates \true;
    exits \false;
    assigns table->count, table->top, table->nodes[0 .. table->capacity-1];
    ensures nodes: NODES_OK;
 */
static snpy_status push_global(snpy_node_table *table, const snpy_opcode *opcode)
{
    if (opcode->role == SNPY_ROLE_NONE) return SNPY_PKL_GLOBAL;
    if (opcode->code == STACK_GLOBAL) {
        snpy_nodes_pop(table);
        snpy_nodes_pop(table);
    }
    snpy_node global = {.kind = SNPY_NODE_GLOBAL, .at = (uint32_t)opcode->at, .role = (int32_t)opcode->role};
    return snpy_nodes_push(table, global);
}

/* Pushes the value of a call: of any global by REDUCE, of UUID without arguments by NEWOBJ.            NPY-PKL-013 */
/*@ STEP_REQUIRES
    terminates \true;
    exits \false;
    assigns table->count, table->top, table->nodes[0 .. table->capacity-1];
    ensures nodes: NODES_OK;
 */
static snpy_status push_call(snpy_node_table *table, const snpy_opcode *opcode)
{
    int32_t args = snpy_nodes_value(table, (int32_t)table->top);
    snpy_nodes_pop(table);
    int32_t called = snpy_nodes_value(table, (int32_t)table->top);
    snpy_nodes_pop(table);
    int32_t role = table->nodes[called].role;
    if (table->nodes[called].kind != SNPY_NODE_GLOBAL) return SNPY_PKL_CALL;
    if (table->nodes[args].kind != SNPY_NODE_TUPLE) return SNPY_PKL_CALL;
    if (opcode->code == NEWOBJ && (role != SNPY_ROLE_UUID || table->nodes[args].first != 0)) return SNPY_PKL_CALL;
    snpy_node call = {.kind = SNPY_NODE_CALL, .at = (uint32_t)opcode->at, .target = called, .args = args, .role = role};
    return snpy_nodes_push(table, call);
}

/* Gives the value of a call its state.                                                                 NPY-PKL-014 */
/*@ TABLE_REQUIRES
    terminates \true;
    exits \false;
    assigns table->top, table->nodes[0 .. table->count-1].state;
    ensures nodes: NODES_OK;
 */
static snpy_status build(snpy_node_table *table)
{
    int32_t state = snpy_nodes_value(table, (int32_t)table->top);
    snpy_nodes_pop(table);
    snpy_node *node = &table->nodes[snpy_nodes_value(table, (int32_t)table->top)];
    if (node->kind != SNPY_NODE_CALL || !has_state(node->role) || node->state != 0) return SNPY_PKL_STATE;
    node->state = state;
    return SNPY_OK;
}

/* Does what an opcode says that changes what is on the stack, or calls something. */
/*@ STEP_REQUIRES
    terminates \true;
    exits \false;
    assigns table->count, table->top, table->nodes[0 .. table->capacity-1];
    ensures nodes: NODES_OK;
 */
static snpy_status act(snpy_node_table *table, const snpy_opcode *opcode)
{
    switch (opcode->code) {
    case '0':
        snpy_nodes_pop(table);
        return SNPY_OK;
    case '1':
        (void)take_members(table, opcode->code);
        return SNPY_OK;
    case 'g':
    case 'h':
    case 'j':
        return push_reference(table, opcode);
    case 'c':
    case STACK_GLOBAL:
        return push_global(table, opcode);
    case 'R':
    case NEWOBJ:
        return push_call(table, opcode);
    case 'b':
        return build(table);
    case 'a':
    case 'e':
    case 's':
    case 'u':
    case ADDITEMS:
        return add_members(table, opcode->code);
    default: /* PROTO, FRAME, STOP, and what writes to the memo */
        return SNPY_OK;
    }
}

/* Does to the table what an opcode says that the scan has passed. */
/*@ STEP_REQUIRES
    requires text_ok(pickle, opcode->argument + opcode->argument_size);
    requires \separated(pickle + (0 .. opcode->argument + opcode->argument_size - 1), table,
                        table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns table->count, table->top, table->nodes[0 .. table->capacity-1];
    ensures nodes: NODES_OK;
 */
static snpy_status decode_opcode(const uint8_t *pickle, snpy_node_table *table, const snpy_opcode *opcode)
{
    uint64_t code = opcode->code;
    if (code == 'I') return push_leaf(table, opcode, kind_of_int(pickle, opcode->argument, opcode->argument_size));
    int32_t leaf = leaf_of(code);
    if (leaf != NO_KIND) return push_leaf(table, opcode, leaf);
    int32_t container = container_of(code);
    if (container != NO_KIND) return push_container(table, opcode, container);
    return act(table, opcode);
}

/* Decodes the next opcode. */
/*@ TABLE_REQUIRES
    requires length <= SNPY_MAX_PICKLE && \valid_read(pickle + (0 .. length-1));
    requires \valid(scan) && \valid(opcode) && \valid(error) && scan_ok(scan, length);
    requires \valid(scan->stack + (0 .. scan->stack_capacity-1)) && \valid(scan->memo + (0 .. scan->memo_capacity-1));
    requires \separated(scan, table, opcode, error, pickle + (0 .. length-1), scan->stack + (0 .. scan->stack_capacity-1),
                        scan->memo + (0 .. scan->memo_capacity-1), table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns *opcode, error->status, error->offset, scan->position, scan->depth, scan->kept, scan->frame_end,
            scan->protocol, scan->stack[0 .. scan->stack_capacity-1], scan->memo[0 .. scan->memo_capacity-1],
            table->count, table->top, table->nodes[0 .. table->capacity-1];
    ensures result: \result == error->status;
    ensures scan: scan_ok(scan, length);
    ensures forward: \result == SNPY_OK ==> \old(scan->position) < scan->position;
    ensures end: \result == SNPY_OK && opcode->code == '.' ==> scan->position == length;
    ensures range: \result != SNPY_OK ==> error->offset <= length;
    ensures nodes: NODES_OK;
 */
static snpy_status step_opcode(const uint8_t *pickle, size_t length, snpy_object_scan *scan, snpy_node_table *table,
                               snpy_opcode *opcode, snpy_error *error)
{
    snpy_status status = snpy_scan_opcode(pickle, length, scan, opcode, error);
    if (status != SNPY_OK) return status;
    status = decode_opcode(pickle, table, opcode);
    return snpy_fail(error, status, status == SNPY_OK ? 0 : opcode->at);
}

/* Decodes all opcodes. */
/*@ TABLE_REQUIRES
    requires length <= SNPY_MAX_PICKLE && \valid_read(pickle + (0 .. length-1));
    requires \valid(scan) && \valid(error) && scan_ok(scan, length);
    requires \valid(scan->stack + (0 .. scan->stack_capacity-1)) && \valid(scan->memo + (0 .. scan->memo_capacity-1));
    requires \separated(scan, table, error, pickle + (0 .. length-1), scan->stack + (0 .. scan->stack_capacity-1),
                        scan->memo + (0 .. scan->memo_capacity-1), table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns error->status, error->offset, scan->position, scan->depth, scan->kept, scan->frame_end,
            scan->protocol, scan->stack[0 .. scan->stack_capacity-1], scan->memo[0 .. scan->memo_capacity-1],
            table->count, table->top, table->nodes[0 .. table->capacity-1];
    ensures result: \result == error->status;
    ensures end: \result == SNPY_OK ==> scan->position == length;
    ensures range: \result != SNPY_OK ==> error->offset <= length;
    ensures nodes: NODES_OK;
 */
static snpy_status decode_opcodes(const uint8_t *pickle, size_t length, snpy_object_scan *scan, snpy_node_table *table,
                                  snpy_error *error)
{
    snpy_opcode opcode = {.code = 0};
    /*@ loop invariant scan: scan_ok(scan, length);
        loop invariant end: opcode.code == '.' ==> scan->position == length;
        loop invariant nodes: NODES_OK;
        loop assigns opcode, error->status, error->offset, scan->position, scan->depth, scan->kept,
            scan->frame_end, scan->protocol, scan->stack[0 .. scan->stack_capacity-1],
            scan->memo[0 .. scan->memo_capacity-1], table->count, table->top, table->nodes[0 .. table->capacity-1];
        loop variant length - scan->position; */
    while (opcode.code != '.') {
        snpy_status status = step_opcode(pickle, length, scan, table, &opcode, error);
        if (status != SNPY_OK) return status;
    }
    return snpy_fail(error, SNPY_OK, 0);
}

snpy_status snpy_decode_objects(const uint8_t *pickle, size_t length, snpy_object_scan *scan, snpy_node_table *table,
                                snpy_error *error)
{
    snpy_status status = snpy_nodes_begin(table);
    if (status != SNPY_OK) return snpy_fail(error, status, scan->position);
    return decode_opcodes(pickle, length, scan, table, error);
}
