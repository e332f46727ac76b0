/* decode.c: what opcodes do to the table of nodes.                        NPY-PKL-012 … 018, 021, 023, 024, 026, 027
 * Proves that the decoder ends, and stays inside the caller's tables.
 * Leaves stack, memo and frames to scan.c, which sees each opcode first, the kinds of arguments to call.c, what they say to
 * arguments.c, what states say to state.c and types.c, keys to keys.c, and what the result reaches to result.c. */
#include "core/object/arguments.h"
#include "core/object/call.h"
#include "core/object/keys.h"
#include "core/object/nodes.h"
#include "core/object/opcode.h"
#include "core/object/result.h"
#include "core/object/state.h"
#include "core/object/types.h"

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

/* Whether an opcode adds keys, alone or before values.                                                 NPY-PKL-016 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool adds_keys(uint64_t code)
{
    return code == 's' || code == 'u' || code == 'd' || code == ADDITEMS || code == FROZENSET;
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
#define READING                                                                                                       \
    (text_ok(pickle, length) && length <= SNPY_MAX_PICKLE                                                            \
     && \separated(pickle + (0 .. length-1), table, table->nodes + (0 .. table->capacity-1)))
#define STEP_KEYS                                                                                                     \
    (\valid(keys) && \valid(keys->slots + (0 .. keys->capacity-1))                                                   \
     && \separated(keys, keys->slots + (0 .. keys->capacity-1), opcode, pickle + (0 .. length-1), table,              \
                   table->nodes + (0 .. table->capacity-1)))
/* clang-format on */

/* Whether the bytes of leaves of a kind count.                                                        NPY-PKL-026 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool has_bytes(int32_t kind)
{
    return kind >= SNPY_NODE_STR && kind <= SNPY_NODE_BYTEARRAY;
}

/* Pushes a value that has its bytes in the pickle, or is empty.                           NPY-PKL-023, NPY-PKL-026 */
/*@ STEP_REQUIRES
    terminates \true;
    exits \false;
    assigns table->count, table->top, table->bytes, table->nodes[0 .. table->capacity-1];
    ensures nodes: NODES_OK;
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status push_leaf(snpy_node_table *table, const snpy_opcode *opcode, int32_t kind)
{
    snpy_node leaf = {.kind = kind, .at = (uint32_t)opcode->at};
    if (kind < SNPY_NODE_TUPLE) {
        leaf.start = (uint32_t)opcode->argument;
        leaf.size = (uint32_t)opcode->argument_size;
    }
    snpy_status status = snpy_nodes_push(table, leaf);
    if (status != SNPY_OK || !has_bytes(kind)) return status;
    return snpy_nodes_charge(table, opcode->argument_size);
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

/* Checks the keys among what an opcode adds.                                                           NPY-PKL-016 */
/*@ KEY_REQUIRES
    requires 0 <= first < table->count && container <= 0x7fffffff;
    terminates \true;
    exits \false;
    assigns table->looks, table->bytes,
            keys->count, keys->slots[0 .. keys->capacity-1];
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status check_added(const uint8_t *pickle, size_t length, snpy_node_table *table, snpy_object_keys *keys,
                               uint64_t code, int32_t first, uint64_t container)
{
    if (!adds_keys(code)) return SNPY_OK;
    uint32_t step = code == ADDITEMS || code == FROZENSET ? SNPY_KEY_EACH : SNPY_KEY_SECOND;
    return snpy_check_keys(pickle, length, table, keys, first, step, (uint32_t)container);
}

/* Pushes a container of what is on the stack.                                                          NPY-PKL-016 */
/*@ STEP_REQUIRES
    requires STEP_KEYS && READING;
    terminates \true;
    exits \false;
    assigns table->count, table->looks, table->bytes, table->top, table->nodes[0 .. table->capacity-1],
            keys->count, keys->slots[0 .. keys->capacity-1];
    ensures nodes: NODES_OK;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status push_container(const uint8_t *pickle, size_t length, snpy_node_table *table, snpy_object_keys *keys,
                                  const snpy_opcode *opcode, int32_t kind)
{
    struct snpy_members members = take_members(table, opcode->code);
    snpy_status status = check_added(pickle, length, table, keys, opcode->code, members.first, table->count);
    return status == SNPY_OK ? push_members(table, kind, (uint32_t)opcode->at, members) : status;
}

/* Adds what is on top of the stack to the container below.                                NPY-PKL-015, NPY-PKL-016 */
/*@ KEY_REQUIRES
    requires READING;
    terminates \true;
    exits \false;
    assigns table->looks, table->bytes, table->top, table->nodes[0 .. table->count-1],
            keys->count, keys->slots[0 .. keys->capacity-1];
    ensures nodes: NODES_OK;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status add_members(const uint8_t *pickle, size_t length, snpy_node_table *table, snpy_object_keys *keys,
                               uint64_t code)
{
    struct snpy_members members = take_members(table, code);
    int32_t container = snpy_nodes_value(table, (int32_t)table->top);
    if (!can_add(code, table->nodes[container].kind, table->nodes[container].role)) return SNPY_PKL_CONTAINER;
    if (table->nodes[container].kind == SNPY_NODE_DICT && table->nodes[container].size != 0) return SNPY_PKL_CONTAINER;
    snpy_status status = check_added(pickle, length, table, keys, code, members.first, (uint64_t)container);
    if (status == SNPY_OK) snpy_nodes_append(table, container, members);
    return status;
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

/* Whether an opcode may call a global with a tuple: NEWOBJ only UUID, without arguments. *bytes is how many the value has.
 *                                                                                         NPY-PKL-013, NPY-PKL-026 */
/*@ KEY_REQUIRES
    requires 0 <= args < table->count && \valid(bytes);
    requires \separated(bytes, table, keys, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1),
                        keys->slots + (0 .. keys->capacity-1));
    terminates \true;
    exits \false;
    assigns table->looks, table->bytes, *bytes,
            keys->count, keys->slots[0 .. keys->capacity-1];
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status check_call(const uint8_t *pickle, size_t length, snpy_node_table *table, snpy_object_keys *keys,
                              uint64_t code, int32_t role, int32_t args, uint64_t *bytes)
{
    uint64_t count = 0;
    if (code == NEWOBJ) return role == SNPY_ROLE_UUID && table->nodes[args].first == 0 ? SNPY_OK : SNPY_PKL_CALL;
    snpy_status status = snpy_nodes_count(table, args, &count);
    if (status != SNPY_OK) return status;
    if (!snpy_is_call(table, role, args, count)) return SNPY_PKL_CALL;
    if (!snpy_takes_arguments(pickle, length, table, role, args, bytes)) return SNPY_PKL_CALL;
    return snpy_check_call_keys(pickle, length, table, keys, role, args);
}

/* Keeps how much of a list a call or state takes: its last member now.                                 NPY-PKL-015, 023 */
/*@ TABLE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns table->looks, table->nodes[index].size;
    ensures status: \result == SNPY_OK || \result == SNPY_PKL_TOO_MANY_NODES;
    ensures nodes: NODES_OK;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
 */
static snpy_status take_list(snpy_node_table *table, int32_t index)
{
    uint64_t count = 0;
    int32_t list = snpy_nodes_list(table, index);
    if (list == 0) return SNPY_OK;
    table->nodes[index].size = (uint32_t)table->nodes[list].last;
    return snpy_nodes_count(table, list, &count);
}

/* Marks a dictionary that a call or state takes, so that no key is added to it afterwards.                   NPY-PKL-015 */
/*@ TABLE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns table->nodes[index].size;
    ensures nodes: NODES_OK;
    ensures NPY_PKL_015: table->nodes[index].kind == SNPY_NODE_DICT ==> table->nodes[index].size == 1;
 */
static void take_dict(snpy_node_table *table, int32_t index)
{
    if (table->nodes[index].kind == SNPY_NODE_DICT) table->nodes[index].size = 1;
}

/* Pushes the node of a call, whose value has so many bytes of its own.                    NPY-PKL-023, NPY-PKL-026 */
/*@ TABLE_REQUIRES
    requires 0 <= call.target < table->count && 0 <= call.args < table->count;
    terminates \true;
    exits \false;
    assigns table->count, table->looks, table->bytes, table->top, table->nodes[0 .. table->capacity-1];
    ensures nodes: NODES_OK;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status push_value(snpy_node_table *table, snpy_node call, uint64_t bytes)
{
    snpy_status status = snpy_nodes_push(table, call);
    if (status == SNPY_OK) status = snpy_nodes_charge(table, bytes);
    return status == SNPY_OK && !snpy_has_state(call.role) ? take_list(table, (int32_t)table->top) : status;
}

/* Pushes the value of a call.                                                                          NPY-PKL-013 */
/*@ STEP_REQUIRES
    requires STEP_KEYS && READING;
    terminates \true;
    exits \false;
    assigns table->count, table->looks, table->bytes, table->top, table->nodes[0 .. table->capacity-1],
            keys->count, keys->slots[0 .. keys->capacity-1];
    ensures nodes: NODES_OK;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status push_call(const uint8_t *pickle, size_t length, snpy_node_table *table, snpy_object_keys *keys,
                             const snpy_opcode *opcode)
{
    uint64_t bytes = 0;
    int32_t args = snpy_nodes_value(table, (int32_t)table->top);
    snpy_nodes_pop(table);
    int32_t called = snpy_nodes_value(table, (int32_t)table->top);
    snpy_nodes_pop(table);
    int32_t role = table->nodes[called].role;
    if (table->nodes[called].kind != SNPY_NODE_GLOBAL) return SNPY_PKL_CALL;
    if (table->nodes[args].kind != SNPY_NODE_TUPLE) return SNPY_PKL_CALL;
    snpy_status status = check_call(pickle, length, table, keys, opcode->code, role, args, &bytes);
    if (status != SNPY_OK) return status;
    if (role == SNPY_ROLE_STRUCT_TIME) take_dict(table, snpy_nodes_value(table, snpy_nodes_member(table, args, 1)));
    snpy_node call = {.kind = SNPY_NODE_CALL, .at = (uint32_t)opcode->at, .target = called, .args = args, .role = role};
    return push_value(table, call, bytes);
}

/* Gives the value of a call its state.                                                    NPY-PKL-014, NPY-PKL-019 */
/*@ LOOK_REQUIRES
    requires READING;
    terminates \true;
    exits \false;
    assigns table->top, table->looks, table->nodes[0 .. table->count-1];
    ensures nodes: NODES_OK;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
 */
static snpy_status build(const uint8_t *pickle, size_t length, snpy_node_table *table)
{
    int32_t state = snpy_nodes_value(table, (int32_t)table->top);
    snpy_nodes_pop(table);
    int32_t index = snpy_nodes_value(table, (int32_t)table->top);
    snpy_node *node = &table->nodes[index];
    if (node->kind != SNPY_NODE_CALL || !snpy_has_state(node->role) || node->state != 0) return SNPY_PKL_STATE;
    if (!snpy_is_state(table, node->role, state)) return SNPY_PKL_STATE;
    if (!snpy_takes_state(pickle, length, table, index, state)) return SNPY_PKL_STATE;
    if (node->role == SNPY_ROLE_DTYPE && !snpy_has_type_numbers(pickle, length, table, node->args, state))
        return SNPY_PKL_DTYPE;
    node->state = state;
    take_dict(table, state);
    return take_list(table, index);
}

/* Does what an opcode says that changes what is on the stack, or calls something. */
/*@ STEP_REQUIRES
    requires STEP_KEYS && READING;
    terminates \true;
    exits \false;
    assigns table->count, table->looks, table->bytes, table->top, table->nodes[0 .. table->capacity-1],
            keys->count, keys->slots[0 .. keys->capacity-1];
    ensures nodes: NODES_OK;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status act(const uint8_t *pickle, size_t length, snpy_node_table *table, snpy_object_keys *keys,
                       const snpy_opcode *opcode)
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
        return push_call(pickle, length, table, keys, opcode);
    case 'b':
        return build(pickle, length, table);
    case 'a':
    case 'e':
    case 's':
    case 'u':
    case ADDITEMS:
        return add_members(pickle, length, table, keys, opcode->code);
    default: /* PROTO, FRAME, STOP, and what writes to the memo */
        return SNPY_OK;
    }
}

/* Does to the table what an opcode says that the scan has passed. */
/*@ STEP_REQUIRES
    requires STEP_KEYS && READING && opcode->argument + opcode->argument_size <= length;
    terminates \true;
    exits \false;
    assigns table->count, table->looks, table->bytes, table->top, table->nodes[0 .. table->capacity-1],
            keys->count, keys->slots[0 .. keys->capacity-1];
    ensures nodes: NODES_OK;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status decode_opcode(const uint8_t *pickle, size_t length, snpy_node_table *table, snpy_object_keys *keys,
                                 const snpy_opcode *opcode)
{
    uint64_t code = opcode->code;
    if (code == 'I') return push_leaf(table, opcode, kind_of_int(pickle, opcode->argument, opcode->argument_size));
    int32_t leaf = leaf_of(code);
    if (leaf != NO_KIND) return push_leaf(table, opcode, leaf);
    int32_t container = container_of(code);
    if (container != NO_KIND) return push_container(pickle, length, table, keys, opcode, container);
    return act(pickle, length, table, keys, opcode);
}

/* Whether an opcode is in the set that the caller allows. A byte array may be the bytes of an array.   NPY-PKL-012 */
/*@ requires \valid_read(opcode);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_PKL_012: \result == SNPY_OK <==> opcode->set <= allowed || opcode->code == BYTEARRAY8;
 */
static snpy_status judge_set(const snpy_opcode *opcode, snpy_set allowed)
{
    if (opcode->set <= (uint64_t)allowed || opcode->code == BYTEARRAY8) return SNPY_OK;
    return opcode->set == SNPY_SET_OTHER ? SNPY_PKL_GLOBAL : SNPY_PKL_NOT_DATA;
}

/* Decodes the next opcode. */
/*@ TABLE_REQUIRES
    requires length <= SNPY_MAX_PICKLE && \valid_read(pickle + (0 .. length-1));
    requires \valid(scan) && \valid(opcode) && \valid(error) && scan_ok(scan, length);
    requires \valid(scan->stack + (0 .. scan->stack_capacity-1)) && \valid(scan->memo + (0 .. scan->memo_capacity-1));
    requires \separated(scan, table, keys, opcode, error, pickle + (0 .. length-1), scan->stack + (0 .. scan->stack_capacity-1),
                        scan->memo + (0 .. scan->memo_capacity-1), table->nodes + (0 .. table->capacity-1),
                        keys->slots + (0 .. keys->capacity-1));
    requires \valid(keys) && \valid(keys->slots + (0 .. keys->capacity-1));
    terminates \true;
    exits \false;
    assigns *opcode, error->status, error->offset, scan->position, scan->depth, scan->kept, scan->frame_end,
            scan->protocol, scan->stack[0 .. scan->stack_capacity-1], scan->memo[0 .. scan->memo_capacity-1],
            table->count, table->looks, table->bytes, table->top, table->nodes[0 .. table->capacity-1],
            keys->count, keys->slots[0 .. keys->capacity-1];
    ensures result: \result == error->status;
    ensures scan: scan_ok(scan, length);
    ensures forward: \result == SNPY_OK ==> \old(scan->position) < scan->position;
    ensures NPY_PKL_012: \result == SNPY_OK ==> opcode->set <= allowed || opcode->code == BYTEARRAY8;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
    ensures end: \result == SNPY_OK && opcode->code == '.' ==> scan->position == length;
    ensures range: \result != SNPY_OK ==> error->offset <= length;
    ensures nodes: NODES_OK;
 */
static snpy_status step_opcode(const uint8_t *pickle, size_t length, snpy_set allowed, snpy_object_scan *scan,
                               snpy_node_table *table, snpy_object_keys *keys, snpy_opcode *opcode, snpy_error *error)
{
    snpy_status status = snpy_scan_opcode(pickle, length, scan, opcode, error);
    if (status != SNPY_OK) return status;
    status = judge_set(opcode, allowed);
    if (status == SNPY_OK) status = decode_opcode(pickle, length, table, keys, opcode);
    return snpy_fail(error, status, status == SNPY_OK ? 0 : opcode->at);
}

/* Decodes all opcodes. */
/*@ TABLE_REQUIRES
    requires length <= SNPY_MAX_PICKLE && \valid_read(pickle + (0 .. length-1));
    requires \valid(scan) && \valid(error) && scan_ok(scan, length);
    requires \valid(scan->stack + (0 .. scan->stack_capacity-1)) && \valid(scan->memo + (0 .. scan->memo_capacity-1));
    requires \separated(scan, table, keys, error, pickle + (0 .. length-1), scan->stack + (0 .. scan->stack_capacity-1),
                        scan->memo + (0 .. scan->memo_capacity-1), table->nodes + (0 .. table->capacity-1),
                        keys->slots + (0 .. keys->capacity-1));
    requires \valid(keys) && \valid(keys->slots + (0 .. keys->capacity-1));
    terminates \true;
    exits \false;
    assigns error->status, error->offset, scan->position, scan->depth, scan->kept, scan->frame_end,
            scan->protocol, scan->stack[0 .. scan->stack_capacity-1], scan->memo[0 .. scan->memo_capacity-1],
            table->count, table->looks, table->bytes, table->top, table->nodes[0 .. table->capacity-1],
            keys->count, keys->slots[0 .. keys->capacity-1];
    ensures result: \result == error->status;
    ensures end: \result == SNPY_OK ==> scan->position == length;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
    ensures range: \result != SNPY_OK ==> error->offset <= length;
    ensures nodes: NODES_OK;
 */
static snpy_status decode_opcodes(const uint8_t *pickle, size_t length, snpy_set allowed, snpy_object_scan *scan,
                                  snpy_node_table *table, snpy_object_keys *keys, snpy_error *error)
{
    snpy_opcode opcode = {.code = 0};
    /*@ loop invariant scan: scan_ok(scan, length);
        loop invariant end: opcode.code == '.' ==> scan->position == length;
        loop invariant nodes: NODES_OK && table->looks <= \at(table->looks, Pre) && table->bytes <= \at(table->bytes, Pre);
        loop assigns opcode, error->status, error->offset, scan->position, scan->depth, scan->kept,
            scan->frame_end, scan->protocol, scan->stack[0 .. scan->stack_capacity-1],
            scan->memo[0 .. scan->memo_capacity-1], table->count, table->looks, table->bytes, table->top,
            table->nodes[0 .. table->capacity-1], keys->count, keys->slots[0 .. keys->capacity-1];
        loop variant length - scan->position; */
    while (opcode.code != '.') {
        snpy_status status = step_opcode(pickle, length, allowed, scan, table, keys, &opcode, error);
        if (status != SNPY_OK) return status;
    }
    return snpy_fail(error, SNPY_OK, 0);
}

/* Checks what the result reaches, with the stack of the scan as memory.             NPY-PKL-012, 018, 021, 024 */
/*@ TABLE_REQUIRES
    requires length <= SNPY_MAX_PICKLE && text_ok(pickle, length);
    requires \valid(scan) && \valid(error) && \valid(scan->stack + (0 .. scan->stack_capacity-1));
    requires \separated(scan, table, error, pickle + (0 .. length-1), scan->stack + (0 .. scan->stack_capacity-1),
                        table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns error->status, error->offset, scan->stack[0 .. scan->stack_capacity-1],
            table->nodes[0 .. table->capacity-1];
    ensures result: \result == error->status;
    ensures range: \result != SNPY_OK ==> error->offset <= length;
    ensures nodes: NODES_OK;
 */
static snpy_status check_end(const uint8_t *pickle, size_t length, snpy_set allowed, snpy_object_scan *scan,
                             snpy_node_table *table, snpy_error *error)
{
    uint32_t at = 0;
    if (scan->stack_capacity == 0) return snpy_fail(error, SNPY_PKL_TOO_MANY_NODES, 0); /* cannot be after STOP */
    snpy_status status = snpy_check_result(pickle, length, allowed, table, scan->stack, scan->stack_capacity, &at);
    return snpy_fail(error, status, at < length ? at : length);
}

snpy_status snpy_decode_objects(const uint8_t *pickle, size_t length, snpy_set allowed, snpy_object_scan *scan,
                                snpy_node_table *table, snpy_object_keys *keys, snpy_error *error)
{
    snpy_status status = snpy_nodes_begin(table);
    if (status != SNPY_OK) return snpy_fail(error, status, scan->position);
    status = decode_opcodes(pickle, length, allowed, scan, table, keys, error);
    return status == SNPY_OK ? check_end(pickle, length, allowed, scan, table, error) : status;
}
