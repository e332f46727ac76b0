/* write_values.c: writes the values of a decoded pickle as a pickle, in one form.      NPY-PKL-028, NPY-PKL-029, NPY-PKL-030
 * Proves that it ends, and stays inside the caller's tables and buffer. A value is written by tasks on a stack. A first pass
 * without output finds which values occur more than once: only these are in the memo.
 * Leaves opcodes with their arguments to emit.c. */
#include "core/object/arguments.h"
#include "core/object/emit.h"

#define ALL_MARKS 64u                            /* besides two for each node: globals by role */
#define MOST_COUNT 0x7fffff00u                   /* nodes, so that every mark has a number of 32 bits */
#define MOST_KEPT 0xfffffff0u                    /* indices of the memo */
#define ONCE 1u                                  /* a mark: the value was written, once */
#define SHARED 2u                                /* it occurs more than once */
#define KEPT 3u                                  /* it was written, and has the index that is 3 less */
#define ELEMENTS 4u                              /* which part of the state of an array has its elements */
#define PARTS_MOST 0xffffu                       /* no call with so many parts has any of its own form there */
#define NO_ROLE (67108864 * (int64_t)SNPY_ROLES) /* more than 31 bits, and no other role */

enum task { TASK_BYTE, TASK_KEEP, TASK_VALUE, TASK_MEMBERS, TASK_TAKEN, TASK_PAIRS, TASK_ARGUMENTS, TASK_STATE };

/* How a value is written. */
enum form {
    FORM_VALUE,
    FORM_DATA, /* strings of Python 2 and byte arrays as bytes, and no metadata of a dtype, also in a tuple */
    FORM_FLAG, /* 0 and 1 as bools */
    FORM_FLAGS /* flags of a dtype: a signed byte, which NumPy 1 reads, or as NumPy 2 has them */
};

/* clang-format off */
#define WRITER_OK                                                                                                     \
    (writer->depth_ <= writer->task_capacity && writer->kept_ < MOST_KEPT                                           \
     && table->count <= MOST_COUNT && 2 * table->count + ALL_MARKS <= writer->mark_capacity)
/* What all functions on a writer ask for. */
#define WRITE_REQUIRES                                                                                                \
    READ_REQUIRES                                                                                                     \
    EMIT_REQUIRES                                                                                                     \
    requires \valid(writer) && \valid(writer->marks + (0 .. writer->mark_capacity-1));                                \
    requires \valid(writer->tasks + (0 .. writer->task_capacity-1));                                                  \
    requires \valid_read(writer->same + (0 .. table->count-1));                                                       \
    requires \separated(writer, table, sink, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1),       \
                        writer->marks + (0 .. writer->mark_capacity-1),                                               \
                        writer->tasks + (0 .. writer->task_capacity-1), sink->out + (0 .. sink->capacity-1));         \
    requires writer: WRITER_OK;
#define WRITE_PARAMETERS                                                                                              \
    const uint8_t *pickle, size_t length, const snpy_node_table *table, snpy_object_writer *writer,                   \
        struct snpy_sink *sink
#define WRITE_ARGUMENTS pickle, length, table, writer, sink
#define WRITE_FIELDS                                                                                                  \
    writer->status_, writer->at_, writer->depth_, writer->kept_, writer->marks[0 .. writer->mark_capacity-1],         \
    writer->tasks[0 .. writer->task_capacity-1], EMIT_FIELDS
/* What functions ask for that only change the stack of tasks. */
#define PUSH_REQUIRES                                                                                                 \
    requires \valid(writer) && \valid(writer->tasks + (0 .. writer->task_capacity-1));                                \
    requires \separated(writer, writer->tasks + (0 .. writer->task_capacity-1));                                      \
    requires writer->depth_ <= writer->task_capacity;
#define PUSH_FIELDS writer->status_, writer->depth_, writer->tasks[0 .. writer->task_capacity-1]
#define PUSHED writer->depth_ <= writer->task_capacity
/* clang-format on */

/* Pushes a task. */
/*@ PUSH_REQUIRES
    requires links: 0 <= entry && 0 <= node;
    terminates \true;
    exits \false;
    assigns PUSH_FIELDS;
    ensures depth: PUSHED;
 */
static void push(snpy_object_writer *writer, uint32_t what, uint32_t form, int32_t entry, int32_t node)
{
    if (writer->depth_ == writer->task_capacity) {
        writer->status_ = SNPY_PKL_TOO_DEEP;
        return;
    }
    snpy_write_task *task = &writer->tasks[writer->depth_];
    task->what = what;
    task->form = form;
    task->entry = (uint32_t)entry;
    task->node = (uint32_t)node;
    writer->depth_++;
}

/* Pushes a byte. */
/*@ PUSH_REQUIRES
    terminates \true;
    exits \false;
    assigns PUSH_FIELDS;
    ensures depth: PUSHED;
 */
static void push_byte(snpy_object_writer *writer, uint32_t byte)
{
    push(writer, TASK_BYTE, byte, 0, 0);
}

/* ---- the memo ---- */

/* clang-format off */
#define MEMO_REQUIRES                                                                                                 \
    EMIT_REQUIRES                                                                                                     \
    requires \valid(writer) && \valid(writer->marks + (0 .. writer->mark_capacity-1));                                \
    requires \separated(writer, sink, writer->marks + (0 .. writer->mark_capacity-1),                                 \
                        sink->out + (0 .. sink->capacity-1));                                                         \
    requires kept: slot < writer->mark_capacity && writer->kept_ < MOST_KEPT;
/* clang-format on */

/* Writes an opcode of the memo: with one byte for the index if it is less than 256, else with four. */
/*@ EMIT_REQUIRES
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
static void emit_index(struct snpy_sink *sink, uint32_t brief, uint32_t full, uint64_t index)
{
    bool is_brief = index < 256u;
    snpy_put(sink, (uint8_t)((is_brief ? brief : full) % 256u));
    snpy_emit_number(sink, index, is_brief ? 1 : 4);
}

/* Writes a value once more, if it was written. */
/*@ MEMO_REQUIRES
    terminates \true;
    exits \false;
    assigns writer->marks[slot], EMIT_FIELDS;
 */
static bool refer(snpy_object_writer *writer, struct snpy_sink *sink, uint64_t slot)
{
    uint32_t mark = writer->marks[slot];
    if (writer->is_dry_) {
        if (mark == 0) return false;
        writer->marks[slot] = SHARED;
        snpy_put(sink, 'h');
        return true;
    }
    if (mark < KEPT) return false;
    emit_index(sink, 'h', 'j', mark - KEPT);
    return true;
}

/* Gives a value that occurs more than once the next index. */
/*@ MEMO_REQUIRES
    terminates \true;
    exits \false;
    assigns writer->marks[slot], writer->kept_, EMIT_FIELDS;
    ensures kept: writer->kept_ < MOST_KEPT;
 */
static void give_index(snpy_object_writer *writer, struct snpy_sink *sink, uint64_t slot)
{
    if (writer->protocol < 4) {
        emit_index(sink, 'q', 'r', writer->kept_);
    } else {
        snpy_put(sink, MEMOIZE);
    }
    writer->marks[slot] = (uint32_t)writer->kept_ + KEPT;
    writer->kept_ = (writer->kept_ + 1) % MOST_KEPT; /* there are fewer marks */
}

/* Keeps the value that was written last, if it occurs more than once. One that was written as a part of itself is dropped
 * for that. */
/*@ MEMO_REQUIRES
    terminates \true;
    exits \false;
    assigns writer->marks[slot], writer->kept_, EMIT_FIELDS;
    ensures kept: writer->kept_ < MOST_KEPT;
 */
static void keep(snpy_object_writer *writer, struct snpy_sink *sink, uint64_t slot)
{
    uint32_t mark = writer->marks[slot];
    if (writer->is_dry_) {
        writer->marks[slot] = mark == 0 ? ONCE : SHARED;
    } else if (mark == SHARED) {
        give_index(writer, sink, slot);
    } else if (mark >= KEPT) {
        snpy_put(sink, '0');
        (void)refer(writer, sink, slot);
    }
}

/* The mark of a global. */
/*@ requires table->count <= MOST_COUNT && \valid_read(table);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result < 2 * table->count + ALL_MARKS;
 */
static uint64_t slot_of_role(const snpy_node_table *table, uint32_t role)
{
    return 2u * table->count + role % SNPY_ROLES;
}

/* The mark of a value in a form: equal strs have one, and a tuple has two. */
/*@ TABLE_REQUIRES
    requires \valid_read(writer) && \valid_read(writer->same + (0 .. table->count-1));
    requires table->count <= MOST_COUNT && 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result < 2 * table->count;
 */
static uint64_t slot_of(const snpy_node_table *table, const snpy_object_writer *writer, int32_t index, uint32_t form)
{
    bool is_data = form == FORM_DATA && table->nodes[index].kind == SNPY_NODE_TUPLE;
    return (is_data ? table->count : 0) + writer->same[index] % table->count;
}

/* Whether a value is written once, and is in the memo from then on. Numbers and bytes are not: they are what they hold, and bytes
 * in the memo would be the memory of several arrays.                                                   NPY-PKL-029 */
/*@ requires \valid_read(node);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_kept(const snpy_node *node, uint32_t form)
{
    bool is_data = form == FORM_DATA;
    /* clang-format off */
    switch (node->kind) {
    case SNPY_NODE_INT: case SNPY_NODE_FLOAT: case SNPY_NODE_BYTES: return false;
    case SNPY_NODE_RAW: case SNPY_NODE_BYTEARRAY: return !is_data;
    case SNPY_NODE_CALL: break;
    default: return true;
    }
    /* clang-format on */
    if (node->role == SNPY_ROLE_ENCODE || node->role == SNPY_ROLE_BYTES) return false;
    return node->role != SNPY_ROLE_BYTEARRAY || !is_data;
}

/* ---- globals and leaves ---- */

/* Ends the arguments of a call, and calls. */
/*@ EMIT_REQUIRES
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
static void reduce(struct snpy_sink *sink)
{
    snpy_put(sink, 't');
    snpy_put(sink, 'R');
}

/* Writes a global. */
/*@ WRITE_REQUIRES
    requires role < SNPY_ROLES;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_global(WRITE_PARAMETERS, uint32_t role)
{
    uint64_t slot = slot_of_role(table, role);
    (void)pickle;
    (void)length;
    if (refer(writer, sink, slot)) return;
    snpy_emit_global(sink, role, writer->protocol, writer->is_numpy_2);
    keep(writer, sink, slot);
}

/* The role of a global or a call. No role is negative. */
/*@ TABLE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result < SNPY_ROLES;
 */
static uint32_t role_of(const snpy_node_table *table, int32_t index)
{
    return (uint32_t)(((int64_t)table->nodes[index].role + NO_ROLE) % SNPY_ROLES);
}

/* Refuses a value. */
/*@ requires \valid(writer) && \valid_read(node) && \separated(writer, node);
    terminates \true;
    exits \false;
    assigns writer->status_, writer->at_;
 */
static void refuse(snpy_object_writer *writer, const snpy_node *node, snpy_status status)
{
    writer->status_ = status;
    writer->at_ = node->at;
}

/* Writes a str, or a string of Python 2 in ASCII as one. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_text(WRITE_PARAMETERS, int32_t index)
{
    const snpy_node *node = &table->nodes[index];
    if (writer->is_dry_) return;
    struct snpy_leaf leaf = snpy_leaf_open(pickle, length, node);
    uint32_t most = node->kind == SNPY_NODE_RAW ? 0x7f : 0x10ffff;
    if (!snpy_emit_text(pickle, leaf, most, writer->protocol, sink)) refuse(writer, node, SNPY_PKL_RAW_STRING);
}

/* Whether the bytes of a value stand in the pickle as they are. */
/*@ requires \valid_read(node) && \valid_read(pickle + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_span(const uint8_t *pickle, size_t length, const snpy_node *node)
{
    if (node->kind == SNPY_NODE_BYTES || node->kind == SNPY_NODE_BYTEARRAY) return true;
    return node->kind == SNPY_NODE_RAW && node->at < length && pickle[node->at] != 'S';
}

/* How many bytes a value has. */
/*@ READ_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint64_t count_bytes(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t index)
{
    const snpy_node *node = &table->nodes[index];
    if (is_span(pickle, length, node)) return node->size;
    return snpy_leaf_count(pickle, snpy_leaf_of(pickle, length, table, index), 0xff);
}

/* Writes the bytes of a value, without their number. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_content(WRITE_PARAMETERS, int32_t index)
{
    const snpy_node *node = &table->nodes[index];
    if (writer->is_dry_) return;
    if (is_span(pickle, length, node)) {
        snpy_emit_span(pickle, length, node, sink);
    } else {
        snpy_emit_bytes(pickle, snpy_leaf_of(pickle, length, table, index), sink);
    }
}

/* Calls a global with the bytes of a value as text, and the name of the encoding: under protocol 2. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count && role < SNPY_ROLES && word < SNPY_WORDS;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_encoded(WRITE_PARAMETERS, int32_t index, uint32_t role, uint32_t word)
{
    write_global(WRITE_ARGUMENTS, role);
    if (writer->is_dry_) return;
    snpy_put(sink, '(');
    (void)snpy_emit_text(pickle, snpy_leaf_of(pickle, length, table, index), 0xff, 2, sink);
    snpy_emit_word(sink, word, 2);
    reduce(sink);
}

/* Writes bytes. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_bytes(WRITE_PARAMETERS, int32_t index)
{
    if (writer->protocol == 2) {
        write_encoded(WRITE_ARGUMENTS, index, SNPY_ROLE_ENCODE, SNPY_WORD_LATIN1);
        return;
    }
    snpy_emit_length_of_bytes(sink, count_bytes(pickle, length, table, index));
    write_content(WRITE_ARGUMENTS, index);
}

/* Writes a byte array by its own opcode, which protocol 5 has. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_plain_bytearray(WRITE_PARAMETERS, int32_t index)
{
    snpy_put(sink, BYTEARRAY8);
    snpy_emit_number(sink, count_bytes(pickle, length, table, index), 8);
    write_content(WRITE_ARGUMENTS, index);
}

/* Writes a byte array as a call with bytes. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void call_bytearray(WRITE_PARAMETERS, int32_t index)
{
    write_global(WRITE_ARGUMENTS, SNPY_ROLE_BYTEARRAY);
    snpy_put(sink, '(');
    write_bytes(WRITE_ARGUMENTS, index);
    reduce(sink);
}

/* Writes a byte array. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_bytearray(WRITE_PARAMETERS, int32_t index)
{
    if (writer->protocol == 2) {
        write_encoded(WRITE_ARGUMENTS, index, SNPY_ROLE_BYTEARRAY, SNPY_WORD_LATIN_1);
    } else if (writer->protocol == 5) {
        write_plain_bytearray(WRITE_ARGUMENTS, index);
    } else {
        call_bytearray(WRITE_ARGUMENTS, index);
    }
}

/* Whether a value is a byte array. */
/*@ requires \valid_read(node);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_bytearray(const snpy_node *node)
{
    if (node->kind == SNPY_NODE_CALL) return node->role == SNPY_ROLE_BYTEARRAY;
    return node->kind == SNPY_NODE_BYTEARRAY;
}

/* Writes text or bytes. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_characters(WRITE_PARAMETERS, int32_t index, uint32_t form)
{
    const snpy_node *node = &table->nodes[index];
    if (node->kind == SNPY_NODE_STR || (node->kind == SNPY_NODE_RAW && form != FORM_DATA)) {
        write_text(WRITE_ARGUMENTS, index);
    } else if (is_bytearray(node) && form != FORM_DATA) {
        write_bytearray(WRITE_ARGUMENTS, index);
    } else {
        write_bytes(WRITE_ARGUMENTS, index);
    }
}

/* Writes a number, text or bytes. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_leaf(WRITE_PARAMETERS, int32_t index, uint32_t form)
{
    const snpy_node *node = &table->nodes[index];
    if (node->kind == SNPY_NODE_INT) {
        snpy_emit_int(pickle, length, node, sink);
    } else if (node->kind == SNPY_NODE_FLOAT) {
        snpy_emit_float(pickle, length, node, sink);
    } else {
        write_characters(WRITE_ARGUMENTS, index, form);
    }
    if (is_kept(node, form)) keep(writer, sink, slot_of(table, writer, index, form));
}

/* Writes a flag of an array or call: 1 as True, 0 as False. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_flag(WRITE_PARAMETERS, int32_t index)
{
    bool is_set = snpy_is_flag(pickle, length, table, index, true);
    (void)writer;
    snpy_put(sink, is_set ? NEWTRUE : NEWFALSE);
}

/* Writes the flags of a dtype. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_flags(WRITE_PARAMETERS, int32_t index)
{
    int64_t flags = 0;
    (void)snpy_leaf_integer(pickle, length, &table->nodes[index], &flags);
    if (writer->is_numpy_2) {
        snpy_emit_integer(sink, flags < 0 && flags >= -128 ? flags + 256 : flags);
    } else {
        snpy_emit_integer(sink, flags > 127 ? flags - 256 : flags);
    }
}

/* Whether a value says that a dtype has no metadata: nothing else in this form is None or a dictionary. */
/*@ requires \valid_read(node);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_metadata(const snpy_node *node, uint32_t form)
{
    return form == FORM_DATA && (node->kind == SNPY_NODE_NONE || node->kind == SNPY_NODE_DICT);
}

/* ---- members ---- */

/* Pushes that a value is complete. */
/*@ TABLE_REQUIRES
    PUSH_REQUIRES
    requires \valid_read(writer->same + (0 .. table->count-1));
    requires table->count <= MOST_COUNT && 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns PUSH_FIELDS;
    ensures depth: PUSHED;
 */
static void push_keep(const snpy_node_table *table, snpy_object_writer *writer, int32_t index, uint32_t form)
{
    push(writer, TASK_KEEP, (uint32_t)slot_of(table, writer, index, form), 0, 0);
}

/* The list from which a value has its first members; 0 if it took none. */
/*@ TABLE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < table->count;
 */
static int32_t taken_list(const snpy_node_table *table, int32_t index)
{
    const snpy_node *node = &table->nodes[index];
    return node->kind != SNPY_NODE_CALL || node->size == 0 ? 0 : snpy_nodes_list(table, index);
}

/* Pushes the members of a value. */
/*@ TABLE_REQUIRES
    PUSH_REQUIRES
    requires 0 <= index < table->count;
    requires \separated(writer, writer->tasks + (0 .. writer->task_capacity-1), table,
                        table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns PUSH_FIELDS;
    ensures depth: PUSHED;
 */
static void push_members(const snpy_node_table *table, snpy_object_writer *writer, int32_t index, uint32_t form)
{
    int32_t list = taken_list(table, index);
    uint32_t what = table->nodes[index].role == SNPY_ROLE_ORDERED_DICT ? TASK_PAIRS : TASK_TAKEN;
    if (list == 0) {
        push(writer, TASK_MEMBERS, form, table->nodes[index].first, index);
    } else {
        push(writer, what, form, table->nodes[list].first, index);
    }
}

/* Writes the members of a value between a mark and an opcode; nothing if it has none. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void fill(WRITE_PARAMETERS, int32_t index, uint32_t code)
{
    (void)pickle;
    (void)length;
    if (taken_list(table, index) == 0 && table->nodes[index].first == 0) return;
    snpy_put(sink, '(');
    push_byte(writer, code);
    push_members(table, writer, index, FORM_VALUE);
}

/* The entry after a member. What was taken from a list ends with the member `size`: 0, although the list may go on. */
/*@ TABLE_REQUIRES
    requires 0 <= entry < table->count && 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < table->count;
 */
static int32_t after(const snpy_node_table *table, int32_t entry, int32_t index, bool is_taken)
{
    if (is_taken && table->nodes[index].size == (uint32_t)entry) return 0;
    return table->nodes[entry].next;
}

/* Pushes a member and the rest of the members. */
/*@ TABLE_REQUIRES
    PUSH_REQUIRES
    requires 0 <= entry < table->count && 0 <= index < table->count;
    requires \separated(writer, writer->tasks + (0 .. writer->task_capacity-1), table,
                        table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns PUSH_FIELDS;
    ensures depth: PUSHED;
 */
static void step_members(const snpy_node_table *table, snpy_object_writer *writer, uint32_t what, uint32_t form,
                         int32_t entry, int32_t index)
{
    int32_t next = after(table, entry, index, what != TASK_MEMBERS);
    if (entry == 0) return;
    if (next == 0 && what != TASK_MEMBERS) {
        push(writer, TASK_MEMBERS, form, table->nodes[index].first, index);
    } else {
        push(writer, what, form, next, index);
    }
    if (what == TASK_PAIRS) {
        int32_t pair = snpy_nodes_value(table, entry);
        push(writer, TASK_VALUE, form, snpy_nodes_member(table, pair, 1), 0);
        push(writer, TASK_VALUE, form, snpy_nodes_member(table, pair, 0), 0);
    } else {
        push(writer, TASK_VALUE, form, entry, 0);
    }
}

/* ---- calls ---- */

/* The form of a part of a state. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint32_t form_of_part(int32_t role, uint32_t place)
{
    if (role == SNPY_ROLE_DTYPE) return place == 7 ? FORM_FLAGS : place == 8 ? FORM_DATA : FORM_VALUE;
    if (place == 3) return FORM_FLAG;
    return place == ELEMENTS || place == ELEMENTS + 1u ? FORM_DATA : FORM_VALUE;
}

/* clang-format off */
/* The form of an argument. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint32_t form_of_argument(int32_t role, uint32_t place)
{
    switch (role) {
    case SNPY_ROLE_SCALAR: return place == 1 ? FORM_DATA : FORM_VALUE;
    case SNPY_ROLE_DATE: case SNPY_ROLE_DATETIME: case SNPY_ROLE_TIME: return place == 0 ? FORM_DATA : FORM_VALUE;
    case SNPY_ROLE_DTYPE: return place > 0 ? FORM_FLAG : FORM_VALUE;
    case SNPY_ROLE_STRINGDTYPE: return place == 0 ? FORM_FLAG : FORM_VALUE;
    default: return FORM_VALUE;
    }
}
/* clang-format on */

/* Writes the elements that an array took from a list, as a list of their own. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_elements(WRITE_PARAMETERS, int32_t index)
{
    snpy_put(sink, ']');
    fill(WRITE_ARGUMENTS, index, 'e');
}

/* Writes an argument or a part of a state, and pushes the rest; `form` of the task is which one it is. */
/*@ WRITE_REQUIRES
    requires 0 <= entry < table->count && 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void step_parts(WRITE_PARAMETERS, uint32_t what, uint32_t place, int32_t entry, int32_t index)
{
    int32_t role = table->nodes[index].role;
    bool is_state = what == TASK_STATE;
    if (entry == 0) return;
    push(writer, what, place % PARTS_MOST + 1, table->nodes[entry].next, index);
    if (is_state && place == ELEMENTS && table->nodes[snpy_nodes_value(table, entry)].kind == SNPY_NODE_LIST) {
        write_elements(WRITE_ARGUMENTS, index);
    } else {
        push(writer, TASK_VALUE, is_state ? form_of_part(role, place) : form_of_argument(role, place), entry, 0);
    }
}

/* Begins a call: its arguments, REDUCE, and its index follow. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_call(WRITE_PARAMETERS, int32_t index)
{
    write_global(WRITE_ARGUMENTS, role_of(table, index));
    snpy_put(sink, '(');
    push_keep(table, writer, index, FORM_VALUE);
    push_byte(writer, 'R');
    push_byte(writer, 't');
    push(writer, TASK_ARGUMENTS, 0, table->nodes[table->nodes[index].args].first, index);
}

/* Pushes the state of a value. */
/*@ TABLE_REQUIRES
    PUSH_REQUIRES
    requires 0 <= index < table->count;
    requires \separated(writer, writer->tasks + (0 .. writer->task_capacity-1), table,
                        table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns PUSH_FIELDS;
    ensures depth: PUSHED;
 */
static void push_state(const snpy_node_table *table, snpy_object_writer *writer, int32_t index)
{
    push_byte(writer, 'b');
    push_byte(writer, 't');
    push(writer, TASK_STATE, 0, table->nodes[table->nodes[index].state].first, index);
    push_byte(writer, '(');
}

/* Writes what an array is made of before it has a state: (0,) and b. */
/*@ WRITE_REQUIRES
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_placeholder(WRITE_PARAMETERS, bool is_masked)
{
    snpy_put(sink, '(');
    snpy_emit_integer(sink, 0);
    snpy_put(sink, 't');
    if (is_masked) {
        snpy_emit_word(sink, SNPY_WORD_B, writer->protocol);
    } else if (writer->protocol == 2) {
        write_global(WRITE_ARGUMENTS, SNPY_ROLE_ENCODE);
        snpy_put(sink, '(');
        snpy_emit_word(sink, SNPY_WORD_B, 2);
        snpy_emit_word(sink, SNPY_WORD_LATIN1, 2);
        reduce(sink);
    } else {
        snpy_emit_length_of_bytes(sink, 1);
        snpy_put(sink, 'b');
    }
}

/* Writes what makes an array, and the first of its arguments: classes. */
/*@ WRITE_REQUIRES
    requires array_role < SNPY_ROLES;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_maker(WRITE_PARAMETERS, uint32_t array_role, bool is_masked)
{
    write_global(WRITE_ARGUMENTS, is_masked ? SNPY_ROLE_MARECONSTRUCT : SNPY_ROLE_RECONSTRUCT);
    snpy_put(sink, '(');
    write_global(WRITE_ARGUMENTS, array_role);
    if (is_masked) write_global(WRITE_ARGUMENTS, SNPY_ROLE_NDARRAY);
}

/* Writes an array without its state, and keeps it. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count && array_role < SNPY_ROLES;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_array(WRITE_PARAMETERS, int32_t index, uint32_t array_role)
{
    bool is_masked = array_role == SNPY_ROLE_MASKED_ARRAY;
    write_maker(WRITE_ARGUMENTS, array_role, is_masked);
    write_placeholder(WRITE_ARGUMENTS, is_masked);
    reduce(sink);
    keep(writer, sink, slot_of(table, writer, index, FORM_VALUE));
}

/* Writes an array that was made of a buffer as one with a state. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_frombuffer(WRITE_PARAMETERS, int32_t index)
{
    int32_t args = table->nodes[index].args;
    struct snpy_leaf order = snpy_leaf_of(pickle, length, table, snpy_nodes_part(table, args, 3));
    write_array(WRITE_ARGUMENTS, index, SNPY_ROLE_NDARRAY);
    snpy_put(sink, '(');
    snpy_emit_integer(sink, 1);
    push_byte(writer, 'b');
    push_byte(writer, 't');
    push(writer, TASK_VALUE, FORM_DATA, snpy_nodes_member(table, args, 0), 0);
    push_byte(writer, snpy_leaf_is(pickle, order, SNPY_WORD_F) ? NEWTRUE : NEWFALSE);
    push(writer, TASK_VALUE, FORM_VALUE, snpy_nodes_member(table, args, 1), 0);
    push(writer, TASK_VALUE, FORM_VALUE, snpy_nodes_member(table, args, 2), 0);
}

/* Writes an OrderedDict or a defaultdict, which are empty at first. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_dictionary(WRITE_PARAMETERS, int32_t index)
{
    int32_t factory = snpy_nodes_part(table, table->nodes[index].args, 0);
    write_global(WRITE_ARGUMENTS, role_of(table, index));
    snpy_put(sink, '(');
    if (table->nodes[factory].kind == SNPY_NODE_GLOBAL) write_global(WRITE_ARGUMENTS, role_of(table, factory));
    reduce(sink);
    keep(writer, sink, slot_of(table, writer, index, FORM_VALUE));
    fill(WRITE_ARGUMENTS, index, 'u');
}

/* Begins the call of set or frozenset with a list, before protocol 4. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void call_set(WRITE_PARAMETERS, int32_t index, bool is_frozen)
{
    write_global(WRITE_ARGUMENTS, is_frozen ? SNPY_ROLE_FROZENSET : SNPY_ROLE_SET);
    snpy_put(sink, '(');
    snpy_put(sink, ']');
    push_keep(table, writer, index, FORM_VALUE);
    push_byte(writer, 'R');
    push_byte(writer, 't');
    fill(WRITE_ARGUMENTS, index, 'e');
}

/* Begins a frozenset by its opcode, which takes all members. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void begin_frozenset(WRITE_PARAMETERS, int32_t index)
{
    (void)pickle;
    (void)length;
    snpy_put(sink, '(');
    push_keep(table, writer, index, FORM_VALUE);
    push_byte(writer, FROZENSET);
    push_members(table, writer, index, FORM_VALUE);
}

/* Begins a set, which is empty at first. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void begin_set(WRITE_PARAMETERS, int32_t index)
{
    snpy_put(sink, EMPTY_SET);
    keep(writer, sink, slot_of(table, writer, index, FORM_VALUE));
    fill(WRITE_ARGUMENTS, index, ADDITEMS);
}

/* Begins a set or frozenset. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_set(WRITE_PARAMETERS, int32_t index, bool is_frozen)
{
    if (writer->protocol < 4) {
        call_set(WRITE_ARGUMENTS, index, is_frozen);
    } else if (is_frozen) {
        begin_frozenset(WRITE_ARGUMENTS, index);
    } else {
        begin_set(WRITE_ARGUMENTS, index);
    }
}

/* Writes a UUID, and its state. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_uuid(WRITE_PARAMETERS, int32_t index)
{
    int32_t number = table->nodes[index].state;
    write_global(WRITE_ARGUMENTS, SNPY_ROLE_UUID);
    snpy_put(sink, ')');
    snpy_put(sink, NEWOBJ);
    keep(writer, sink, slot_of(table, writer, index, FORM_VALUE));
    push_byte(writer, 'b');
    push(writer, TASK_VALUE, FORM_VALUE, number, 0);
}

/* Writes an array with a state. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_reconstructed(WRITE_PARAMETERS, int32_t index)
{
    push_state(table, writer, index);
    write_array(WRITE_ARGUMENTS, index, role_of(table, snpy_nodes_part(table, table->nodes[index].args, 0)));
}

/* clang-format off */
/* Begins the value of a call. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void begin_call(WRITE_PARAMETERS, int32_t index, uint32_t form)
{
    switch (table->nodes[index].role) {
    case SNPY_ROLE_ENCODE: case SNPY_ROLE_BYTES: case SNPY_ROLE_BYTEARRAY:
        write_leaf(WRITE_ARGUMENTS, index, form); break;
    case SNPY_ROLE_SET: write_set(WRITE_ARGUMENTS, index, false); break;
    case SNPY_ROLE_FROZENSET: write_set(WRITE_ARGUMENTS, index, true); break;
    case SNPY_ROLE_RECONSTRUCT: case SNPY_ROLE_MARECONSTRUCT: write_reconstructed(WRITE_ARGUMENTS, index); break;
    case SNPY_ROLE_FROMBUFFER: write_frombuffer(WRITE_ARGUMENTS, index); break;
    case SNPY_ROLE_UUID: case SNPY_ROLE_RECONSTRUCTOR: write_uuid(WRITE_ARGUMENTS, index); break;
    case SNPY_ROLE_ORDERED_DICT: case SNPY_ROLE_DEFAULTDICT: write_dictionary(WRITE_ARGUMENTS, index); break;
    case SNPY_ROLE_DTYPE: push_state(table, writer, index); write_call(WRITE_ARGUMENTS, index); break;
    default: write_call(WRITE_ARGUMENTS, index); break;
    }
}
/* clang-format on */

/* ---- values ---- */

/* Writes an empty list or dictionary, keeps it, and begins its members. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void begin_container(WRITE_PARAMETERS, int32_t index)
{
    bool is_list = table->nodes[index].kind == SNPY_NODE_LIST;
    snpy_put(sink, is_list ? ']' : '}');
    keep(writer, sink, slot_of(table, writer, index, FORM_VALUE));
    fill(WRITE_ARGUMENTS, index, is_list ? 'e' : 'u');
}

/* Begins a tuple. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void begin_tuple(WRITE_PARAMETERS, int32_t index, uint32_t form)
{
    (void)pickle;
    (void)length;
    snpy_put(sink, '(');
    push_keep(table, writer, index, form);
    push_byte(writer, 't');
    push_members(table, writer, index, form);
}

/* clang-format off */
/* Begins a value that may be in the memo. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void begin_value(WRITE_PARAMETERS, int32_t index, uint32_t form)
{
    switch (table->nodes[index].kind) {
    case SNPY_NODE_TUPLE: begin_tuple(WRITE_ARGUMENTS, index, form); break;
    case SNPY_NODE_LIST: case SNPY_NODE_DICT: begin_container(WRITE_ARGUMENTS, index); break;
    case SNPY_NODE_SET: write_set(WRITE_ARGUMENTS, index, false); break;
    case SNPY_NODE_FROZENSET: write_set(WRITE_ARGUMENTS, index, true); break;
    case SNPY_NODE_CALL: begin_call(WRITE_ARGUMENTS, index, form); break;
    default: write_leaf(WRITE_ARGUMENTS, index, form); break;
    }
}

/* Writes a value that is never in the memo. Returns whether it is one. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static bool write_constant(WRITE_PARAMETERS, int32_t index)
{
    const snpy_node *node = &table->nodes[index];
    switch (node->kind) {
    case SNPY_NODE_NONE: snpy_put(sink, 'N'); return true;
    case SNPY_NODE_FALSE: snpy_put(sink, NEWFALSE); return true;
    case SNPY_NODE_TRUE: snpy_put(sink, NEWTRUE); return true;
    case SNPY_NODE_GLOBAL: write_global(WRITE_ARGUMENTS, role_of(table, index)); return true;
    default: break;
    }
    if (node->kind != SNPY_NODE_TUPLE || node->first != 0) return false;
    snpy_put(sink, ')');
    return true;
}
/* clang-format on */

/* Begins a value that is no constant: refers to it, or writes what comes before its members. */
/*@ WRITE_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void begin_or_refer(WRITE_PARAMETERS, int32_t index, uint32_t form)
{
    if (is_kept(&table->nodes[index], form) && refer(writer, sink, slot_of(table, writer, index, form))) return;
    begin_value(WRITE_ARGUMENTS, index, form);
}

/* Begins a value: writes it, or what comes before its members. */
/*@ WRITE_REQUIRES
    requires 0 <= entry < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void write_value(WRITE_PARAMETERS, int32_t entry, uint32_t form)
{
    int32_t index = snpy_nodes_value(table, entry);
    if (form == FORM_FLAG) {
        write_flag(WRITE_ARGUMENTS, index);
    } else if (form == FORM_FLAGS) {
        write_flags(WRITE_ARGUMENTS, index);
    } else if (is_metadata(&table->nodes[index], form)) {
        snpy_put(sink, writer->is_numpy_2 ? 'N' : '}'); /* NumPy 1 cannot use a dtype with None */
    } else if (!write_constant(WRITE_ARGUMENTS, index)) {
        begin_or_refer(WRITE_ARGUMENTS, index, form);
    }
}

/* ---- tasks ---- */

/* A link of a task, which is in range. */
/*@ requires \valid_read(table) && 1 <= table->count <= 0x7fffffff;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < table->count;
 */
static int32_t link_of(const snpy_node_table *table, uint32_t link)
{
    return (int32_t)(link % table->count);
}

/* clang-format off */
/* Does a task. */
/*@ WRITE_REQUIRES
    requires 0 <= entry < table->count && 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void run(WRITE_PARAMETERS, uint32_t what, uint32_t form, int32_t entry, int32_t index)
{
    switch (what) {
    case TASK_BYTE: snpy_put(sink, (uint8_t)(form % 256u)); break;
    case TASK_KEEP: keep(writer, sink, form % writer->mark_capacity); break;
    case TASK_VALUE: write_value(WRITE_ARGUMENTS, entry, form); break;
    case TASK_ARGUMENTS: case TASK_STATE: step_parts(WRITE_ARGUMENTS, what, form, entry, index); break;
    default: step_members(table, writer, what, form, entry, index); break;
    }
}
/* clang-format on */

/* Does the task on top of the stack. */
/*@ WRITE_REQUIRES
    requires writer->depth_ > 0;
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void step(WRITE_PARAMETERS)
{
    writer->depth_--;
    snpy_write_task task = writer->tasks[writer->depth_];
    run(WRITE_ARGUMENTS, task.what, task.form, link_of(table, task.entry), link_of(table, task.node));
    if (writer->status_ == SNPY_OK && sink->length > writer->most) writer->status_ = SNPY_PKL_TOO_MANY_BYTES;
}

/* Writes everything, or finds which values occur more than once. */
/*@ WRITE_REQUIRES
    terminates \true;
    exits \false;
    assigns WRITE_FIELDS;
    ensures writer: WRITER_OK;
 */
static void pass(WRITE_PARAMETERS)
{
    writer->depth_ = 0;
    writer->kept_ = 0;
    snpy_put(sink, PROTO);
    snpy_put(sink, (uint8_t)(writer->protocol % 256u));
    push(writer, TASK_VALUE, FORM_VALUE, (int32_t)table->top, 0);
    /*@ loop invariant writer: WRITER_OK;
        loop assigns left, WRITE_FIELDS;
        loop variant left; */
    for (uint64_t left = UINT64_MAX; left > 0;
         left--) { /* never used up: each value is begun once, or its bytes end it */
        if (writer->depth_ == 0 || writer->status_ != SNPY_OK) break;
        step(WRITE_ARGUMENTS);
    }
    snpy_put(sink, '.');
}

/* Finds which values occur more than once. */
/*@ READ_REQUIRES
    requires \valid(writer) && \valid(writer->marks + (0 .. writer->mark_capacity-1));
    requires \valid(writer->tasks + (0 .. writer->task_capacity-1));
    requires \valid_read(writer->same + (0 .. table->count-1));
    requires \separated(writer, table, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1),
                        writer->marks + (0 .. writer->mark_capacity-1),
                        writer->tasks + (0 .. writer->task_capacity-1));
    requires writer: WRITER_OK;
    terminates \true;
    exits \false;
    assigns writer->is_dry_, writer->status_, writer->at_, writer->depth_, writer->kept_,
            writer->marks[0 .. writer->mark_capacity-1], writer->tasks[0 .. writer->task_capacity-1];
    ensures writer: WRITER_OK;
 */
static void find_shared(const uint8_t *pickle, size_t length, const snpy_node_table *table, snpy_object_writer *writer)
{
    uint8_t none = 0;
    struct snpy_sink sink = {&none, 0, 0};
    /*@ loop invariant range: 0 <= i <= writer->mark_capacity;
        loop assigns i, writer->marks[0 .. writer->mark_capacity-1];
        loop variant writer->mark_capacity - i; */
    for (uint64_t i = 0; i < writer->mark_capacity; i++) writer->marks[i] = 0;
    writer->is_dry_ = true;
    pass(pickle, length, table, writer, &sink);
    writer->is_dry_ = false;
}

snpy_status snpy_write_objects(const uint8_t *pickle, size_t length, const snpy_node_table *table,
                               snpy_object_writer *writer, uint8_t *out, size_t capacity, size_t *size,
                               snpy_error *error)
{
    struct snpy_sink sink = {out, capacity, 0};
    writer->status_ = SNPY_OK;
    writer->at_ = 0;
    writer->depth_ = 0;
    writer->kept_ = 0;
    if (writer->protocol < 2 || writer->protocol > 5 || writer->most > SNPY_MAX_PICKLE)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    if (table->count > MOST_COUNT || 2u * table->count + ALL_MARKS > writer->mark_capacity)
        return snpy_fail(error, SNPY_PKL_TOO_MANY_NODES, 0);
    find_shared(pickle, length, table, writer);
    if (writer->status_ == SNPY_OK) pass(pickle, length, table, writer, &sink);
    if (writer->status_ == SNPY_OK && sink.length > writer->most) writer->status_ = SNPY_PKL_TOO_MANY_BYTES;
    if (writer->status_ == SNPY_OK) *size = (size_t)sink.length;
    return snpy_fail(error, writer->status_, writer->at_);
}
