/* nodes.c: entries of the table of nodes: pushed, taken from the stack, linked, found.                 NPY-PKL-023, 027
 * Proves that each link leads to an entry, and that the stack goes downward.
 * Leaves what opcodes do with it to decode.c. */
#include "core/object/nodes.h"

#define NOWHERE 0xffu

/* Fills a node, which has no members yet. */
/*@ requires \valid(node);
    terminates \true;
    exits \false;
    assigns *node;
    ensures value: node->kind == value.kind && node->at == value.at && node->below == below;
    ensures call: node->target == value.target && node->args == value.args && node->role == value.role;
    ensures later: node->first == 0 && node->last == 0 && node->next == 0 && node->state == 0;
 */
static void fill_node(snpy_node *node, snpy_node value, int32_t below)
{
    node->kind = value.kind;
    node->at = value.at;
    node->start = value.start;
    node->size = value.size;
    node->first = 0;
    node->last = 0;
    node->next = 0;
    node->below = below;
    node->target = value.target;
    node->args = value.args;
    node->state = 0;
    node->role = value.role;
}

snpy_status snpy_nodes_begin(snpy_node_table *table)
{
    table->count = 0;
    table->top = 0;
    if (table->capacity == 0) return SNPY_PKL_TOO_MANY_NODES;
    snpy_node mark = {.kind = SNPY_NODE_MARK};
    fill_node(&table->nodes[0], mark, 0);
    table->count = 1;
    return SNPY_OK;
}

int32_t snpy_nodes_value(const snpy_node_table *table, int32_t entry)
{
    const snpy_node *node = &table->nodes[entry];
    return node->kind == SNPY_NODE_REF ? node->target : entry;
}

int32_t snpy_nodes_find(const snpy_node_table *table, uint64_t at)
{
    int32_t low = 0;
    int32_t high = (int32_t)table->count;
    /*@ loop invariant range: 0 <= low < high <= table->count;
        loop assigns low, high;
        loop variant high - low; */
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (table->nodes[middle].at > at) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return low;
}

snpy_status snpy_nodes_push(snpy_node_table *table, snpy_node value)
{
    if (table->count == table->capacity) return SNPY_PKL_TOO_MANY_NODES;
    fill_node(&table->nodes[table->count], value, (int32_t)table->top);
    table->top = table->count;
    table->count++;
    return SNPY_OK;
}

struct snpy_members snpy_nodes_take(snpy_node_table *table, uint64_t most)
{
    int32_t top = (int32_t)table->top;
    int32_t entry = top;
    int32_t first = 0;
    /*@ loop invariant range: 0 <= i <= most && 0 <= entry < table->count && 0 <= first < table->count;
        loop invariant nodes: table->nodes[0].kind == SNPY_NODE_MARK && links_ok(table->nodes, table->count);
        loop assigns i, entry, first, table->nodes[0 .. table->count-1];
        loop variant most - i; */
    for (uint64_t i = 0; i < most && table->nodes[entry].kind != SNPY_NODE_MARK; i++) {
        table->nodes[entry].next = first;
        first = entry;
        entry = table->nodes[entry].below;
    }
    table->top = (uint64_t)entry;
    struct snpy_members members = {first, first == 0 ? 0 : top};
    return members;
}

void snpy_nodes_pop(snpy_node_table *table)
{
    table->top = (uint64_t)table->nodes[table->top].below;
}

snpy_status snpy_nodes_count(snpy_node_table *table, int32_t container, uint64_t *count)
{
    int32_t member = table->nodes[container].first;
    uint64_t most = table->looks;
    uint64_t found = 0;
    /*@ loop invariant range: 0 <= found <= most && 0 <= member < table->count;
        loop assigns found, member;
        loop variant most - found; */
    while (member != 0 && found < most) {
        member = table->nodes[member].next;
        found++;
    }
    *count = found;
    table->looks = most - found;
    return member == 0 ? SNPY_OK : SNPY_PKL_TOO_MANY_NODES;
}

/* Where in its arguments or state a call has a list; NOWHERE if it has none. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint32_t place_of_list(int32_t role)
{
    if (role == SNPY_ROLE_SET || role == SNPY_ROLE_FROZENSET || role == SNPY_ROLE_ORDERED_DICT) return 0;
    return role == SNPY_ROLE_RECONSTRUCT || role == SNPY_ROLE_MARECONSTRUCT ? 4 : NOWHERE;
}

int32_t snpy_nodes_member(const snpy_node_table *table, int32_t container, uint32_t place)
{
    int32_t member = table->nodes[container].first;
    /*@ loop invariant range: 0 <= i <= place && 0 <= member < table->count;
        loop assigns i, member;
        loop variant place - i; */
    for (uint32_t i = 0; i < place && member != 0; i++) member = table->nodes[member].next;
    return member;
}

int32_t snpy_nodes_part(const snpy_node_table *table, int32_t container, uint32_t place)
{
    return snpy_nodes_value(table, snpy_nodes_member(table, container, place));
}

int32_t snpy_nodes_list(const snpy_node_table *table, int32_t index)
{
    const snpy_node *node = &table->nodes[index];
    uint32_t place = node->kind == SNPY_NODE_CALL ? place_of_list(node->role) : NOWHERE;
    if (place == NOWHERE) return 0;
    int32_t list = snpy_nodes_part(table, place == 0 ? node->args : node->state, place);
    return table->nodes[list].kind == SNPY_NODE_LIST ? list : 0;
}

/* Links a node after the last member of a container. */
/*@ TABLE_REQUIRES
    requires 0 <= container < table->count && 0 <= member < table->count;
    terminates \true;
    exits \false;
    assigns table->nodes[table->nodes[container].last].next, table->nodes[container].first;
    ensures nodes: NODES_OK;
 */
static void link(snpy_node_table *table, int32_t container, int32_t member)
{
    if (table->nodes[container].first == 0) {
        table->nodes[container].first = member;
    } else {
        table->nodes[table->nodes[container].last].next = member;
    }
}

snpy_status snpy_nodes_charge(snpy_node_table *table, uint64_t bytes)
{
    if (bytes > table->bytes) return SNPY_PKL_TOO_MANY_BYTES;
    table->bytes -= bytes;
    return SNPY_OK;
}

void snpy_nodes_append(snpy_node_table *table, int32_t container, struct snpy_members members)
{
    if (members.first == 0) return;
    link(table, container, members.first);
    table->nodes[container].last = members.last;
}
