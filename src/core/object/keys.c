/* keys.c: whether values may be keys of dictionaries and members of sets, and whether they are new there.
 *                                                                             NPY-PKL-016, NPY-PKL-017, NPY-PKL-018
 * Proves that it ends, and looks at no more than the table allows. That equal keys are found is tested against tests/oracle. */
#include "core/object/keys.h"

#include "core/object/key_form.h"

#define MAX_LEVELS 64u    /* of tuples in one another */
#define MAX_PARTS 1000u   /* of a tuple, at all levels */
#define END_OF_TUPLE 100u /* in a hash; no form */

/* The members of a tuple, at all levels. */
struct walk {
    uint32_t depth;
    uint32_t rest[MAX_LEVELS]; /* of each level: the member that comes next; of another type than links */
};

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
/*@ LOOK_REQUIRES
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

/* Whether an integer has at most 40 bytes, without the L of LONG. */
/*@ requires text_ok(pickle, length) && \valid_read(node);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_key_int(const uint8_t *pickle, size_t length, const snpy_node *node)
{
    bool has_suffix = node->at < length && pickle[node->at] == 'L';
    return node->size <= SNPY_NUMBER_BYTES + (has_suffix ? 1u : 0);
}

/* Checks a value as a key, or as a part of one; of a tuple not the members. */
/*@ LOOK_REQUIRES
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
    case SNPY_NODE_NONE: case SNPY_NODE_FALSE: case SNPY_NODE_TRUE: case SNPY_NODE_FLOAT: case SNPY_NODE_STR:
    case SNPY_NODE_BYTES: case SNPY_NODE_TUPLE:
        return SNPY_OK;
    case SNPY_NODE_INT: return is_key_int(pickle, length, &table->nodes[index]) ? SNPY_OK : SNPY_PKL_KEY;
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

/* Begins with the members of a value, if it is a tuple. */
/*@ TABLE_REQUIRES
    requires 0 <= index < table->count && \valid(walk) && \separated(walk, table, table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns *walk;
    ensures depth: walk->depth <= 1;
 */
static void begin(const snpy_node_table *table, int32_t index, struct walk *walk)
{
    int32_t first = first_part(table, index);
    walk->rest[0] = (uint32_t)first;
    walk->depth = first != 0 ? 1 : 0;
}

/* The next member; 0 at the end of a tuple. */
/*@ TABLE_REQUIRES
    requires \valid(walk) && 1 <= walk->depth <= MAX_LEVELS;
    requires \separated(walk, table, table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns *walk;
    ensures range: 0 <= \result < table->count;
    ensures depth: walk->depth == (\result == 0 ? \old(walk->depth) - 1 : \old(walk->depth));
 */
static int32_t next_member(const snpy_node_table *table, struct walk *walk)
{
    uint32_t member = walk->rest[walk->depth - 1u];
    int32_t index = member < table->count ? snpy_nodes_value(table, (int32_t)member) : 0;
    if (index == 0 || member == 0) {
        walk->depth--;
        return 0;
    }
    walk->rest[walk->depth - 1u] = (uint32_t)table->nodes[member].next;
    return index;
}

/* Goes on with the members of a value, if it is a tuple. Returns false if it is too deep. */
/*@ TABLE_REQUIRES
    requires 0 <= index < table->count && \valid(walk) && walk->depth <= MAX_LEVELS;
    requires \separated(walk, table, table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns *walk;
    ensures depth: \old(walk->depth) <= walk->depth <= \old(walk->depth) + 1 && walk->depth <= MAX_LEVELS;
 */
static bool enter(const snpy_node_table *table, int32_t index, struct walk *walk)
{
    int32_t first = first_part(table, index);
    if (first == 0) return true;
    if (walk->depth == MAX_LEVELS) return false;
    walk->rest[walk->depth] = (uint32_t)first;
    walk->depth++;
    return true;
}

/* Reads what a value is compared by, and counts the bytes of it.                                       NPY-PKL-026 */
/*@ LOOK_REQUIRES
    requires 0 <= index < table->count && \valid(part);
    requires \separated(part, table, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns table->bytes, *part;
    ensures part: part_ok(pickle, part, length);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status load_part(const uint8_t *pickle, size_t length, snpy_node_table *table, int32_t index,
                             struct snpy_key_part *part)
{
    snpy_key_load(pickle, length, table, index, part);
    return snpy_nodes_charge(table, part->cost);
}

/* Checks a value as a key or as a part of one, and adds it to the hash. Of a tuple not the members. */
/*@ LOOK_REQUIRES
    requires 0 <= index < table->count && \valid(hash) && hash_ok(hash);
    requires \separated(hash, table, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns table->bytes, hash->value;
    ensures hash: hash_ok(hash);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status read_part(const uint8_t *pickle, size_t length, snpy_node_table *table, int32_t index,
                             struct snpy_key_hash *hash)
{
    struct snpy_key_part part;
    snpy_status status = check_part(pickle, length, table, index);
    if (status != SNPY_OK) return status;
    status = load_part(pickle, length, table, index, &part);
    if (status == SNPY_OK) snpy_key_hash_part(pickle, length, &part, hash);
    return status;
}

/* Counts a member of a tuple as one that is looked at.                                                 NPY-PKL-023 */
/*@ requires \valid(table);
    terminates \true;
    exits \false;
    assigns table->looks;
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
 */
static snpy_status look(snpy_node_table *table)
{
    if (table->looks == 0) return SNPY_PKL_TOO_MANY_NODES;
    table->looks--;
    return SNPY_OK;
}

/* Checks the members of a tuple, at all levels, and adds them to the hash. */
/*@ LOOK_REQUIRES
    requires 0 <= index < table->count && \valid(hash) && hash_ok(hash);
    requires \separated(hash, table, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns table->looks, table->bytes, hash->value;
    ensures hash: hash_ok(hash);
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status read_parts(const uint8_t *pickle, size_t length, snpy_node_table *table, int32_t index,
                              struct snpy_key_hash *hash)
{
    struct walk walk;
    uint32_t left = MAX_PARTS;
    begin(table, index, &walk);
    /*@ loop invariant range: walk.depth <= MAX_LEVELS && 0 <= left <= MAX_PARTS && hash_ok(hash);
        loop invariant NPY_PKL_023: table->looks <= \at(table->looks, Pre);
        loop invariant NPY_PKL_026: table->bytes <= \at(table->bytes, Pre);
        loop assigns left, walk, table->looks, table->bytes, hash->value;
        loop variant 2 * left + walk.depth; */
    while (walk.depth > 0) {
        int32_t member = next_member(table, &walk);
        if (member == 0) {
            snpy_key_mix(hash, END_OF_TUPLE);
        } else {
            if (left == 0) return SNPY_PKL_KEY;
            left--;
            snpy_status status = look(table);
            if (status == SNPY_OK) status = read_part(pickle, length, table, member, hash);
            if (status != SNPY_OK) return status;
            if (!enter(table, member, &walk)) return SNPY_PKL_KEY;
        }
    }
    return SNPY_OK;
}

/* Returns SNPY_PKL_DUPLICATE_KEY if two values are equal; of tuples not the members. */
/*@ LOOK_REQUIRES
    requires 0 <= left < table->count && 0 <= right < table->count;
    terminates \true;
    exits \false;
    assigns table->bytes;
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status compare_parts(const uint8_t *pickle, size_t length, snpy_node_table *table, int32_t left,
                                 int32_t right)
{
    struct snpy_key_part one;
    struct snpy_key_part other;
    snpy_status status = load_part(pickle, length, table, left, &one);
    if (status != SNPY_OK) return status;
    status = load_part(pickle, length, table, right, &other);
    if (status != SNPY_OK) return status;
    return snpy_key_is_part(pickle, length, &one, &other) ? SNPY_PKL_DUPLICATE_KEY : SNPY_OK;
}

/* Returns SNPY_PKL_DUPLICATE_KEY if two values are equal that may be keys.                             NPY-PKL-017 */
/*@ LOOK_REQUIRES
    requires 0 <= left < table->count && 0 <= right < table->count;
    terminates \true;
    exits \false;
    assigns table->bytes;
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status compare_keys(const uint8_t *pickle, size_t length, snpy_node_table *table, int32_t left,
                                int32_t right)
{
    struct walk one;
    struct walk other;
    begin(table, left, &one);
    begin(table, right, &other);
    snpy_status status = compare_parts(pickle, length, table, left, right);
    /*@ loop invariant range: 0 <= steps <= 2 * MAX_PARTS + 2 && one.depth <= MAX_LEVELS && other.depth <= MAX_LEVELS;
        loop invariant NPY_PKL_026: table->bytes <= \at(table->bytes, Pre);
        loop assigns steps, status, one, other, table->bytes;
        loop variant steps; */
    for (uint32_t steps = 2u * MAX_PARTS + 2u; steps > 0 && status == SNPY_PKL_DUPLICATE_KEY; steps--) {
        if (one.depth != other.depth) return SNPY_OK;
        if (one.depth == 0) return status;
        int32_t first = next_member(table, &one);
        int32_t second = next_member(table, &other);
        status = compare_parts(pickle, length, table, first, second);
        if (!enter(table, first, &one) || !enter(table, second, &other)) return SNPY_PKL_KEY; /* was refused before */
    }
    return status;
}

/* Returns SNPY_PKL_DUPLICATE_KEY if a slot has a key that equals another one of the same container.    NPY-PKL-017 */
/*@ LOOK_REQUIRES
    requires 0 <= entry < table->count;
    terminates \true;
    exits \false;
    assigns table->bytes;
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status compare_slot(const uint8_t *pickle, size_t length, snpy_node_table *table, snpy_object_key slot,
                                snpy_object_key key, int32_t entry)
{
    if (slot.hash != key.hash || slot.container != key.container || slot.entry >= table->count) return SNPY_OK;
    int32_t other = snpy_nodes_value(table, (int32_t)slot.entry);
    return compare_keys(pickle, length, table, other, snpy_nodes_value(table, entry));
}

/* Keeps a key, if its container has no equal one. Each slot that is taken counts as a look.
 *                                                                                         NPY-PKL-017, NPY-PKL-023 */
/*@ KEY_REQUIRES
    requires 0 <= entry < table->count && key.entry != 0;
    terminates \true;
    exits \false;
    assigns table->looks, table->bytes, keys->count, keys->slots[0 .. keys->capacity-1];
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status keep_key(const uint8_t *pickle, size_t length, snpy_node_table *table, snpy_object_keys *keys,
                            snpy_object_key key, int32_t entry)
{
    if (keys->count >= keys->capacity / 2u) return SNPY_PKL_TOO_MANY_NODES;
    uint64_t slot = key.hash % keys->capacity;
    /*@ loop invariant range: 0 <= slot < keys->capacity;
        loop invariant NPY_PKL_023: table->looks <= \at(table->looks, Pre);
        loop invariant NPY_PKL_026: table->bytes <= \at(table->bytes, Pre);
        loop assigns slot, table->looks, table->bytes;
        loop variant table->looks; */
    while (keys->slots[slot].entry != 0) {
        snpy_status status = compare_slot(pickle, length, table, keys->slots[slot], key, entry);
        if (status == SNPY_OK && table->looks == 0) return SNPY_PKL_TOO_MANY_NODES;
        if (status != SNPY_OK) return status;
        table->looks--;
        slot = slot + 1u == keys->capacity ? 0 : slot + 1u;
    }
    keys->slots[slot] = key;
    keys->count++;
    return SNPY_OK;
}

/* Checks an entry as a key, and keeps it. */
/*@ KEY_REQUIRES
    requires 0 <= entry < table->count;
    terminates \true;
    exits \false;
    assigns table->looks, table->bytes, keys->count, keys->slots[0 .. keys->capacity-1];
    ensures NPY_PKL_023: table->looks <= \old(table->looks);
    ensures NPY_PKL_026: table->bytes <= \old(table->bytes);
 */
static snpy_status check_key(const uint8_t *pickle, size_t length, snpy_node_table *table, snpy_object_keys *keys,
                             int32_t entry, uint32_t container)
{
    int32_t index = snpy_nodes_value(table, entry);
    struct snpy_key_hash hash = {(keys->seed / SNPY_KEY_PRIME) % SNPY_KEY_PRIME,
                                 1u + keys->seed % (SNPY_KEY_PRIME - 1u)};
    if (entry == 0) return SNPY_PKL_KEY; /* the mark */
    snpy_key_mix(&hash, container);
    snpy_status status = read_part(pickle, length, table, index, &hash);
    if (status == SNPY_OK) status = read_parts(pickle, length, table, index, &hash);
    if (status != SNPY_OK) return status;
    snpy_object_key key = {(uint32_t)entry, container, (uint32_t)hash.value};
    return keep_key(pickle, length, table, keys, key, entry);
}

/* Where the key of an entry is. */
/*@ TABLE_REQUIRES
    requires 0 <= entry < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < table->count;
 */
static int32_t key_of(const snpy_node_table *table, int32_t entry, uint32_t step)
{
    return step == SNPY_KEY_FIRST ? table->nodes[snpy_nodes_value(table, entry)].first : entry;
}

snpy_status snpy_check_keys(const uint8_t *pickle, size_t length, snpy_node_table *table, snpy_object_keys *keys,
                            int32_t first, uint32_t step, uint32_t container)
{
    int32_t entry = first;
    /*@ loop invariant range: 0 <= entry < table->count;
        loop invariant NPY_PKL_023: table->looks <= \at(table->looks, Pre);
        loop invariant NPY_PKL_026: table->bytes <= \at(table->bytes, Pre);
        loop assigns left, entry, table->looks, table->bytes, keys->count, keys->slots[0 .. keys->capacity-1];
        loop variant left; */
    for (uint64_t left = table->count; left > 0 && entry != 0; left--) {
        snpy_status status = check_key(pickle, length, table, keys, key_of(table, entry, step), container);
        if (status != SNPY_OK) return status;
        if (step == SNPY_KEY_SECOND) entry = table->nodes[entry].next;
        entry = table->nodes[entry].next;
    }
    return SNPY_OK;
}

snpy_status snpy_check_call_keys(const uint8_t *pickle, size_t length, snpy_node_table *table, snpy_object_keys *keys,
                                 int32_t role, int32_t args)
{
    int32_t list = snpy_nodes_value(table, table->nodes[args].first);
    int32_t first = table->nodes[list].first;
    bool is_ordered = role == SNPY_ROLE_ORDERED_DICT;
    if (!is_ordered && role != SNPY_ROLE_SET && role != SNPY_ROLE_FROZENSET) return SNPY_OK;
    return snpy_check_keys(pickle, length, table, keys, first, is_ordered ? SNPY_KEY_FIRST : SNPY_KEY_EACH,
                           (uint32_t)table->count);
}
