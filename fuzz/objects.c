/* objects.c: a pickle, scanned by snpy_scan_opcode and decoded by snpy_decode_objects. Holds: what the scan refuses, the
 * decoder refuses there, if it has not refused a call, a state, a container, a key, an equal key, a dtype, a global, too many looks or too many bytes
 * before; what the scan accepts, it may refuse for a value of the result; the set data refuses more; the table needs no more
 * entries than opcodes, and one; one entry less is too few; the nodes are a graph in which each is a member once; and what is
 * written of the values is accepted, and is the same whether it was written before, under another protocol, or not. */
#include "fuzz/fuzz.h"

#include "safenpy/object.h"

#include <stdlib.h>
#include <string.h>

#define LOOKS 10000u
#define BYTES 100000u
#define SLOTS 4096u /* few, so that keys can be too many */

/* A scan with memory of its own. */
static snpy_object_scan begin_scan(size_t size)
{
    snpy_object_scan scan = {NULL, NULL, size + 1, size, 0, 0, 0, 0, 0};
    scan.stack = fuzz_memory(size + 1, sizeof(uint32_t));
    scan.memo = fuzz_memory(size, sizeof(uint32_t));
    if (size > 0) memset(scan.memo, 0, size * sizeof(uint32_t));
    return scan;
}

static void end_scan(snpy_object_scan *scan)
{
    free(scan->stack);
    free(scan->memo);
}

/* Scans all; how many opcodes passed. */
static size_t scan_all(const uint8_t *data, size_t size, snpy_error *error)
{
    snpy_object_scan scan = begin_scan(size);
    snpy_opcode opcode;
    size_t count = 0;
    opcode.code = 0;
    while (opcode.code != '.') {
        if (snpy_scan_opcode(data, size, &scan, &opcode, error) != SNPY_OK) break;
        FUZZ_MUST(opcode.set <= SNPY_SET_OTHER && (opcode.set == SNPY_SET_OTHER) <= (opcode.role == SNPY_ROLE_NONE));
        FUZZ_MUST(opcode.role <= SNPY_ROLE_PURE_WINDOWS_PATH && opcode.source < size);
        count++;
    }
    end_scan(&scan);
    return count;
}

/* Decodes what fits a set, with a table of so many entries. */
static void decode(const uint8_t *data, size_t size, snpy_set allowed, uint64_t capacity, snpy_node_table *table,
                   snpy_error *error)
{
    snpy_object_scan scan = begin_scan(size);
    table->nodes = fuzz_memory((size_t)capacity, sizeof(snpy_node));
    table->capacity = capacity;
    table->looks = LOOKS;
    table->bytes = BYTES;
    snpy_object_keys keys = {fuzz_memory(SLOTS, sizeof(snpy_object_key)), SLOTS, 0, size};
    memset(keys.slots, 0, SLOTS * sizeof(snpy_object_key));
    FUZZ_MUST(snpy_decode_objects(data, size, allowed, &scan, table, &keys, error) == error->status);
    FUZZ_MUST(keys.count <= SLOTS / 2);
    free(keys.slots);
    FUZZ_MUST(table->looks <= LOOKS && table->bytes <= BYTES);
    FUZZ_MUST(table->count <= capacity);
    end_scan(&scan);
}

/* Whether the status is of what the result reaches, which is checked in another order than that of the bytes. */
static bool is_of_result(snpy_status status)
{
    return status == SNPY_PKL_RAW_STRING || status == SNPY_PKL_RESULT || status == SNPY_PKL_TOO_DEEP;
}

/* Whether the status is one of those that only the decoder has. */
static bool is_of_decoder(snpy_status status)
{
    return status == SNPY_PKL_CALL || status == SNPY_PKL_STATE || status == SNPY_PKL_CONTAINER ||
           status == SNPY_PKL_KEY || status == SNPY_PKL_DUPLICATE_KEY || status == SNPY_PKL_DTYPE ||
           status == SNPY_PKL_GLOBAL || status == SNPY_PKL_TOO_MANY_NODES || status == SNPY_PKL_TOO_MANY_BYTES ||
           is_of_result(status);
}

/* Where the data set is asked for, the verdict is the same, or NOT_DATA at an earlier byte or the same. */
static void check_data(const uint8_t *data, size_t size, uint64_t capacity, const snpy_error *plain)
{
    snpy_node_table table;
    snpy_error error;
    decode(data, size, SNPY_SET_DATA, capacity, &table, &error);
    if (error.status == SNPY_PKL_NOT_DATA) {
        FUZZ_MUST(plain->status == SNPY_OK || is_of_result(plain->status) || error.offset <= plain->offset);
    } else {
        FUZZ_MUST(error.status == plain->status && error.offset == plain->offset);
    }
    free(table.nodes);
}

/* Members are a chain that ends with `last`, each in one container. */
static void check_members(const snpy_node_table *table, const snpy_node *node, uint8_t *is_member)
{
    int32_t last = 0;
    for (int32_t at = node->first; at != 0; at = table->nodes[at].next) {
        FUZZ_MUST(!is_member[at] && table->nodes[at].kind != SNPY_NODE_MARK);
        is_member[at] = 1;
        last = at;
    }
    FUZZ_MUST(node->last == last);
}

static void check_node(const snpy_node_table *table, const snpy_node *node, size_t size)
{
    const snpy_node *target = &table->nodes[node->target];
    bool is_leaf = node->kind < SNPY_NODE_TUPLE;
    FUZZ_MUST(node->kind >= SNPY_NODE_MARK && node->kind <= SNPY_NODE_CALL);
    FUZZ_MUST(!is_leaf || (uint64_t)node->start + node->size <= size);
    FUZZ_MUST(is_leaf || node->kind == SNPY_NODE_CALL || node->size <= (node->kind == SNPY_NODE_DICT ? 1 : 0));
    FUZZ_MUST(node->kind != SNPY_NODE_CALL || node->size < table->count);
    FUZZ_MUST(node->at > node[-1].at || node == &table->nodes[1]);
    FUZZ_MUST(node->kind != SNPY_NODE_REF || (node->target != 0 && target < node && target->kind != SNPY_NODE_REF));
    FUZZ_MUST(node->kind != SNPY_NODE_CALL || (target->kind == SNPY_NODE_GLOBAL && target->role == node->role));
    FUZZ_MUST(node->kind != SNPY_NODE_CALL || table->nodes[node->args].kind == SNPY_NODE_TUPLE);
    FUZZ_MUST(node->state == 0 || node->kind == SNPY_NODE_CALL);
    bool has_role = node->kind == SNPY_NODE_GLOBAL || node->kind == SNPY_NODE_CALL;
    FUZZ_MUST((node->role != SNPY_ROLE_NONE) == has_role);
}

static void check_table(const snpy_node_table *table, size_t size)
{
    uint8_t *is_member = fuzz_memory((size_t)table->count, 1);
    memset(is_member, 0, (size_t)table->count);
    for (uint64_t i = 1; i < table->count; i++) check_node(table, &table->nodes[i], size);
    for (uint64_t i = 1; i < table->count; i++) check_members(table, &table->nodes[i], is_member);
    free(is_member);
}

/* Reads a value in every way: none reads or writes beyond memory, and what is no such value is refused. */
static void read_value(const snpy_object_data *data, int32_t value)
{
    snpy_array array;
    snpy_io_error error;
    char digits[SNPY_OBJECT_DIGITS];
    double number;
    int64_t integer;
    uint8_t text[16];
    const snpy_node *node = snpy_object_node(data, value);
    const bool is_int = node->kind == SNPY_NODE_INT;
    FUZZ_MUST(node->kind != SNPY_NODE_REF && (size_t)value < snpy_object_count(data));
    FUZZ_MUST((snpy_object_digits(data, value, digits) > 0) == is_int);
    FUZZ_MUST(snpy_object_int(data, value, &integer) != SNPY_OK || is_int);
    FUZZ_MUST((snpy_object_float(data, value, &number) == SNPY_OK) == (node->kind == SNPY_NODE_FLOAT));
    (void)snpy_object_text(data, value, text, sizeof text);
    (void)snpy_object_find(data, value, "a", 1);
    snpy_status status = snpy_object_array(data, value, &array, &error);
    FUZZ_MUST(status == error.error.status && (status == SNPY_OK || array.data == NULL));
    FUZZ_MUST(status != SNPY_OK || array.header.has_object || array.data_size == array.header.data_size ||
              node->role == SNPY_ROLE_DTYPE);
    snpy_array_release(&array);
    snpy_object_members members = snpy_object_begin(data, value);
    for (int32_t member = snpy_object_next(data, &members); member != 0; member = snpy_object_next(data, &members))
        FUZZ_MUST((size_t)member < snpy_object_count(data));
}

/* What is written of values does not change when it was written before, under another protocol. */
static void check_written(const snpy_object_data *data, size_t size)
{
    const snpy_pickle_form before = {2 + (uint32_t)(size % 4), size / 4 % 2 == 1};
    const snpy_pickle_form after = {2 + (uint32_t)(size / 8 % 4), size / 32 % 2 == 1};
    snpy_object_data *again = NULL;
    snpy_io_error error;
    uint8_t *bytes[3] = {NULL, NULL, NULL};
    size_t sizes[3] = {0, 0, 0};
    if (snpy_object_data_write(data, &before, &bytes[0], &sizes[0], &error) == SNPY_OK &&
        snpy_object_data_write(data, &after, &bytes[1], &sizes[1], &error) == SNPY_OK) {
        FUZZ_MUST(snpy_object_data_open(bytes[0], sizes[0], SNPY_SET_PLAIN, &again, &error) == SNPY_OK);
        FUZZ_MUST(snpy_object_data_write(again, &after, &bytes[2], &sizes[2], &error) == SNPY_OK);
        FUZZ_MUST(sizes[2] == sizes[1] && memcmp(bytes[2], bytes[1], sizes[1]) == 0);
    }
    snpy_object_data_close(&again);
    for (unsigned i = 0; i < 3; i++) snpy_object_bytes_free(&bytes[i]);
}

/* The library decodes what the core does, and each node can be read. */
static void check_values(const uint8_t *pickle, size_t size, uint64_t count)
{
    snpy_object_data *data;
    snpy_io_error error;
    if (snpy_object_data_open(pickle, size, SNPY_SET_PLAIN, &data, &error) != SNPY_OK) return;
    FUZZ_MUST(snpy_object_count(data) == count);
    for (int32_t i = 1; (uint64_t)i < count; i++) {
        const bool is_reference = snpy_object_node(data, i) != snpy_object_node(data, 0) + i;
        if (!is_reference) read_value(data, i);
    }
    check_written(data, size);
    snpy_object_data_close(&data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snpy_error scanned = {SNPY_OK, 0};
    snpy_error decoded;
    snpy_error error;
    snpy_node_table table;
    snpy_node_table other;
    uint8_t *pickle = fuzz_copy(data, size);
    size_t opcodes = scan_all(pickle, size, &scanned);
    decode(pickle, size, SNPY_SET_PLAIN, opcodes + 1, &table, &decoded);
    check_data(pickle, size, opcodes + 1, &decoded);
    FUZZ_MUST(decoded.status == scanned.status || is_of_decoder(decoded.status));
    FUZZ_MUST(decoded.status != scanned.status || decoded.status == SNPY_OK || decoded.offset == scanned.offset);
    FUZZ_MUST(decoded.status == scanned.status || scanned.status == SNPY_OK || decoded.offset <= scanned.offset);
    check_table(&table, size);
    if (decoded.status == SNPY_OK) {
        decode(pickle, size, SNPY_SET_PLAIN, table.count, &other, &error);
        FUZZ_MUST(error.status == SNPY_OK && other.count == table.count && other.top == table.top);
        FUZZ_MUST(memcmp(other.nodes, table.nodes, (size_t)table.count * sizeof(snpy_node)) == 0);
        free(other.nodes);
        decode(pickle, size, SNPY_SET_PLAIN, table.count - 1, &other, &error);
        FUZZ_MUST(error.status == SNPY_PKL_TOO_MANY_NODES && error.offset == table.nodes[table.count - 1].at);
        free(other.nodes);
        check_values(pickle, size, table.count);
    }
    free(table.nodes);
    free(pickle);
    return 0;
}
