/* objects.c: a pickle, scanned by snpy_scan_opcode and decoded by snpy_decode_objects. Holds: what the scan refuses, the
 * decoder refuses there, if it has not refused a call, a state, a container or a global before; the table needs no more
 * entries than opcodes, and one; one entry less is too few; and the nodes are a graph in which each is a member once. */
#include "fuzz/fuzz.h"

#include "safenpy/object.h"

#include <stdlib.h>
#include <string.h>

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

/* Decodes with a table of so many entries. */
static void decode(const uint8_t *data, size_t size, uint64_t capacity, snpy_node_table *table, snpy_error *error)
{
    snpy_object_scan scan = begin_scan(size);
    table->nodes = fuzz_memory((size_t)capacity, sizeof(snpy_node));
    table->capacity = capacity;
    FUZZ_MUST(snpy_decode_objects(data, size, &scan, table, error) == error->status);
    FUZZ_MUST(table->count <= capacity);
    end_scan(&scan);
}

/* Whether the status is one of those that only the decoder has. */
static bool is_of_decoder(snpy_status status)
{
    return status == SNPY_PKL_CALL || status == SNPY_PKL_STATE || status == SNPY_PKL_CONTAINER ||
           status == SNPY_PKL_GLOBAL;
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
    FUZZ_MUST(node->kind >= SNPY_NODE_MARK && node->kind <= SNPY_NODE_CALL &&
              (uint64_t)node->start + node->size <= size);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snpy_error scanned = {SNPY_OK, 0};
    snpy_error decoded;
    snpy_error error;
    snpy_node_table table;
    snpy_node_table other;
    uint8_t *pickle = fuzz_copy(data, size);
    size_t opcodes = scan_all(pickle, size, &scanned);
    decode(pickle, size, opcodes + 1, &table, &decoded);
    FUZZ_MUST(decoded.status == scanned.status || is_of_decoder(decoded.status));
    FUZZ_MUST(decoded.status != scanned.status || decoded.status == SNPY_OK || decoded.offset == scanned.offset);
    FUZZ_MUST(decoded.status == scanned.status || scanned.status == SNPY_OK || decoded.offset <= scanned.offset);
    check_table(&table, size);
    if (decoded.status == SNPY_OK) {
        decode(pickle, size, table.count, &other, &error);
        FUZZ_MUST(error.status == SNPY_OK && other.count == table.count && other.top == table.top);
        FUZZ_MUST(memcmp(other.nodes, table.nodes, (size_t)table.count * sizeof(snpy_node)) == 0);
        free(other.nodes);
        decode(pickle, size, table.count - 1, &other, &error);
        FUZZ_MUST(error.status == SNPY_PKL_TOO_MANY_NODES && error.offset == table.nodes[table.count - 1].at);
        free(other.nodes);
    }
    free(table.nodes);
    free(pickle);
    return 0;
}
