/* key_form.c: the values in keys as Python compares them.                                                 NPY-PKL-017
 * Proves that it stays inside the pickle and the table. That equal values have equal parts is tested against tests/oracle. */
#include "core/object/key_form.h"

#include "core/object/types.h"

#define FLOAT_COST 16u /* for each byte of a float: text is multiplied or divided by powers of 10 */
#define NO_END UINT64_MAX

enum {
    KEY_NONE = 1,
    KEY_NUMBER = 2,
    KEY_TEXT = 3,
    KEY_BYTES = 4,
    KEY_DATE = 5,
    KEY_DATETIME = 6,
    KEY_TIMEDELTA = 7,
    KEY_UUID = 8,
    KEY_TUPLE = 9
};

void snpy_key_mix(struct snpy_key_hash *hash, uint32_t number)
{
    uint64_t sum = hash->value + number;
    uint64_t factor = hash->factor;
    /*@ assert sum: sum <= 6442450942; */
    /*@ assert factor: factor <= 2147483646; */
    /*@ assert product: sum * factor <= 6442450942 * factor; */
    hash->value = sum * factor % SNPY_KEY_PRIME;
}

/* clang-format off */
/* What the functions ask for that fill a part. */
#define LOAD_REQUIRES                                                                                                 \
    READ_REQUIRES                                                                                                     \
    requires \valid(part) && part_ok(pickle, part, length);                                                          \
    requires \separated(part, table, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1));
#define UNIT_REQUIRES                                                                                                 \
    requires text_ok(pickle, length) && \valid(part) && part_ok(pickle, part, length);                               \
    requires \separated(part, pickle + (0 .. length-1));
/* clang-format on */

/* Sets a part to one without numbers and characters. */
/*@ requires \valid(part);
    terminates \true;
    exits \false;
    assigns part->form, part->numbers, part->leaf, part->units, part->width, part->is_big_endian, part->cost;
    ensures leaf: part->leaf.pos == 0 && part->leaf.end == 0;
 */
static void clear(struct snpy_key_part *part)
{
    part->form = 0;
    part->numbers = 0;
    part->leaf.pos = 0;
    part->leaf.end = 0;
    part->leaf.form = 0;
    part->leaf.point = SNPY_LEAF_END;
    part->units = 0;
    part->width = 1;
    part->is_big_endian = false;
    part->cost = 0;
}

/* Reads bytes of a leaf, in either order. Those that are missing are 0. */
/*@ requires text_ok(pickle, length) && \valid(leaf) && leaf_ok(pickle, *leaf) && leaf->end <= length;
    requires \valid(bytes) && \separated(leaf, bytes, pickle + (0 .. length-1)) && count <= SNPY_NUMBER_BYTES;
    terminates \true;
    exits \false;
    assigns *bytes, leaf->pos, leaf->point;
    ensures leaf: leaf_ok(pickle, *leaf);
    ensures count: bytes->count == count;
 */
static void read_bytes(const uint8_t *pickle, size_t length, struct snpy_leaf *leaf, uint32_t count, bool is_big_endian,
                       struct snpy_number_bytes *bytes)
{
    bytes->count = count;
    /*@ loop invariant range: 0 <= i <= SNPY_NUMBER_BYTES && bytes->count == count;
        loop assigns i, bytes->bytes[0 .. SNPY_NUMBER_BYTES-1];
        loop variant SNPY_NUMBER_BYTES - i; */
    for (uint32_t i = 0; i < SNPY_NUMBER_BYTES; i++) bytes->bytes[i] = 0;
    /*@ loop invariant range: 0 <= i <= count && bytes->count == count && leaf_ok(pickle, *leaf);
        loop assigns i, bytes->bytes[0 .. SNPY_NUMBER_BYTES-1], leaf->pos, leaf->point;
        loop variant count - i; */
    for (uint32_t i = 0; i < count && leaf->point != SNPY_LEAF_END; i++) {
        bytes->bytes[is_big_endian ? count - 1u - i : i] = (uint8_t)(leaf->point % 256u);
        snpy_leaf_step(pickle, leaf);
    }
    (void)length;
}

/* Reads the next character; SNPY_LEAF_END after the last. */
/*@ UNIT_REQUIRES
    terminates \true;
    exits \false;
    assigns part->leaf, part->units;
    ensures part: part_ok(pickle, part, length);
 */
static uint32_t next_unit(const uint8_t *pickle, size_t length, struct snpy_key_part *part)
{
    uint32_t unit = part->leaf.point;
    struct snpy_number_bytes bytes;
    if (part->units == 0 || unit == SNPY_LEAF_END) return SNPY_LEAF_END;
    part->units--;
    if (part->width == 1) {
        snpy_leaf_step(pickle, &part->leaf);
        return unit;
    }
    read_bytes(pickle, length, &part->leaf, 4, part->is_big_endian, &bytes);
    return (uint32_t)snpy_opcode_number(bytes.bytes, 0, 4);
}

/* Leaves out the zeros at the end of a NumPy string. */
/*@ UNIT_REQUIRES
    requires length <= SNPY_MAX_PICKLE;
    terminates \true;
    exits \false;
    assigns part->units, part->leaf;
    ensures part: part_ok(pickle, part, length);
 */
static void trim_zeros(const uint8_t *pickle, size_t length, struct snpy_key_part *part)
{
    struct snpy_leaf leaf = part->leaf;
    uint64_t units = 0;
    part->units = NO_END;
    /*@ loop invariant part: part_ok(pickle, part, length) && 1 <= i <= length + 2;
        loop assigns i, units, part->units, part->leaf;
        loop variant length + 2 - i; */
    for (uint64_t i = 1; i < (uint64_t)length + 2u; i++) {
        uint32_t unit = next_unit(pickle, length, part);
        if (unit == SNPY_LEAF_END) break;
        if (unit != 0) units = i;
    }
    part->leaf.pos = leaf.pos;
    part->leaf.end = leaf.end;
    part->leaf.form = leaf.form;
    part->leaf.point = leaf.point;
    part->units = units;
}

/* Fills a part with text or bytes. */
/*@ LOAD_REQUIRES
    requires leaf_ok(pickle, leaf) && leaf.end <= length;
    terminates \true;
    exits \false;
    assigns part->form, part->leaf, part->units, part->width, part->cost;
    ensures part: part_ok(pickle, part, length);
 */
static void load_text(const uint8_t *pickle, size_t length, const snpy_node_table *table, uint32_t form,
                      struct snpy_leaf leaf, struct snpy_key_part *part)
{
    (void)pickle;
    (void)length;
    (void)table;
    part->form = form;
    part->leaf = leaf;
    part->units = NO_END;
    part->width = 1;
    part->cost = (uint64_t)(leaf.end - leaf.pos) + 1u; /* the first character has been read */
}

/* Fills a part with a number that is a node. */
/*@ LOAD_REQUIRES
    requires 0 <= index < table->count && place < SNPY_KEY_NUMBERS;
    terminates \true;
    exits \false;
    assigns part->form, part->numbers, part->number[0 .. SNPY_KEY_NUMBERS-1], part->cost;
    ensures part: part_ok(pickle, part, length);
 */
static void load_number(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t index,
                        uint32_t place, struct snpy_key_part *part)
{
    const snpy_node *node = &table->nodes[index];
    struct snpy_number number;
    snpy_number_of_node(pickle, length, node, &number);
    part->form = KEY_NUMBER;
    part->number[place] = number;
    part->numbers = place + 1u;
    if (node->kind == SNPY_NODE_FLOAT) part->cost = FLOAT_COST * (uint64_t)node->size;
}

/* Makes one number of two where one is NaN, or the second is 0: a complex number is then equal to a real one. */
/*@ requires \valid(part);
    terminates \true;
    exits \false;
    assigns part->numbers, part->number[0];
 */
static void finish_complex(struct snpy_key_part *part)
{
    const struct snpy_number *second = &part->number[1];
    if (second->kind == SNPY_NUMBER_NAN) part->number[0] = *second;
    if (part->number[0].kind == SNPY_NUMBER_NAN || (second->kind == SNPY_NUMBER_FINITE && second->count == 0))
        part->numbers = 1;
}

/* Fills a part with the first arguments of a call, which are numbers. */
/*@ LOAD_REQUIRES
    requires 0 <= args < table->count && count <= SNPY_KEY_NUMBERS;
    terminates \true;
    exits \false;
    assigns part->form, part->numbers, part->number[0 .. SNPY_KEY_NUMBERS-1], part->cost;
    ensures part: part_ok(pickle, part, length);
 */
static void load_arguments(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args,
                           uint32_t count, struct snpy_key_part *part)
{
    part->numbers = 0;
    /*@ loop invariant part: 0 <= i <= count && part_ok(pickle, part, length);
        loop assigns i, part->form, part->numbers, part->number[0 .. SNPY_KEY_NUMBERS-1], part->cost;
        loop variant count - i; */
    for (uint32_t i = 0; i < count; i++) load_number(pickle, length, table, snpy_nodes_part(table, args, i), i, part);
}

/* Fills a part with a complex number. */
/*@ LOAD_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns part->form, part->numbers, part->number[0 .. SNPY_KEY_NUMBERS-1], part->cost;
    ensures part: part_ok(pickle, part, length);
 */
static void load_complex(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args,
                         struct snpy_key_part *part)
{
    load_arguments(pickle, length, table, args, 2, part);
    finish_complex(part);
}

/* Fills a part with a timedelta. */
/*@ LOAD_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns part->form, part->numbers, part->number[0 .. SNPY_KEY_NUMBERS-1], part->cost;
    ensures part: part_ok(pickle, part, length);
 */
static void load_timedelta(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args,
                           struct snpy_key_part *part)
{
    load_arguments(pickle, length, table, args, 3, part);
    part->form = KEY_TIMEDELTA;
}

/* Fills a part with a date or datetime, without its fold. */
/*@ LOAD_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns part->form, part->numbers, part->number[0 .. SNPY_KEY_NUMBERS-1], part->cost;
    ensures part: part_ok(pickle, part, length);
 */
static void load_moment(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args, bool has_time,
                        struct snpy_key_part *part)
{
    struct snpy_leaf leaf = snpy_leaf_of(pickle, length, table, table->nodes[args].first);
    struct snpy_number_bytes bytes;
    read_bytes(pickle, length, &leaf, has_time ? 10 : 4, false, &bytes);
    if (has_time) bytes.bytes[2] = (uint8_t)(bytes.bytes[2] % 128u);
    snpy_number_of_bytes(&bytes, false, &part->number[0]);
    part->numbers = 1;
    part->form = has_time ? KEY_DATETIME : KEY_DATE;
}

/* Fills a part with the number of a UUID, which is one of the first two values of its state. */
/*@ LOAD_REQUIRES
    requires 0 <= state < table->count;
    terminates \true;
    exits \false;
    assigns part->form, part->numbers, part->number[0 .. SNPY_KEY_NUMBERS-1], part->cost;
    ensures part: part_ok(pickle, part, length);
 */
static void load_uuid(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t state,
                      struct snpy_key_part *part)
{
    int32_t name = snpy_nodes_part(table, state, 0);
    bool is_first = snpy_leaf_is(pickle, snpy_leaf_of(pickle, length, table, name), SNPY_WORD_INT);
    load_number(pickle, length, table, snpy_nodes_part(table, state, is_first ? 1 : 3), 0, part);
    part->form = KEY_UUID;
}

/* Fills a part with a number of a NumPy scalar. */
/*@ requires text_ok(pickle, length) && \valid(leaf) && leaf_ok(pickle, *leaf) && leaf->end <= length;
    requires \valid(number) && \separated(leaf, number, pickle + (0 .. length-1)) && size <= SNPY_NUMBER_BYTES;
    terminates \true;
    exits \false;
    assigns *number, leaf->pos, leaf->point;
    ensures leaf: leaf_ok(pickle, *leaf);
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
 */
static void read_number(const uint8_t *pickle, size_t length, struct snpy_leaf *leaf, uint32_t kind, uint32_t size,
                        bool is_big_endian, struct snpy_number *number)
{
    struct snpy_number_bytes bytes;
    read_bytes(pickle, length, leaf, size, is_big_endian, &bytes);
    if (kind == 'b' && bytes.bytes[0] > 1) bytes.bytes[0] = 1;
    if (kind == 'f' || kind == 'c')
        snpy_number_of_float(&bytes, number);
    else
        snpy_number_of_bytes(&bytes, kind == 'i', number);
}

/* Fills a part with a NumPy string. */
/*@ LOAD_REQUIRES
    requires leaf_ok(pickle, leaf) && leaf.end <= length;
    terminates \true;
    exits \false;
    assigns part->form, part->leaf, part->units, part->width, part->is_big_endian, part->cost;
    ensures part: part_ok(pickle, part, length);
 */
static void load_string(const uint8_t *pickle, size_t length, const snpy_node_table *table, struct snpy_type type,
                        struct snpy_leaf leaf, bool is_big_endian, struct snpy_key_part *part)
{
    load_text(pickle, length, table, type.kind == 'U' ? KEY_TEXT : KEY_BYTES, leaf, part);
    part->width = type.kind == 'U' ? 4 : 1;
    part->is_big_endian = is_big_endian;
    trim_zeros(pickle, length, part);
    if (type.size == 0) part->units = 0; /* NumPy drops its bytes */
}

/* Fills a part with a NumPy scalar. */
/*@ LOAD_REQUIRES
    requires 0 <= args < table->count;
    terminates \true;
    exits \false;
    assigns part->form, part->numbers, part->number[0 .. SNPY_KEY_NUMBERS-1], part->leaf, part->units, part->width,
            part->is_big_endian, part->cost;
    ensures part: part_ok(pickle, part, length);
 */
static void load_scalar(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t args,
                        struct snpy_key_part *part)
{
    int32_t dtype = snpy_nodes_part(table, args, 0);
    int32_t order = snpy_nodes_part(table, table->nodes[dtype].state, 1);
    int32_t name = snpy_nodes_part(table, table->nodes[dtype].args, 0);
    struct snpy_type type = snpy_read_type(pickle, snpy_leaf_of(pickle, length, table, name));
    struct snpy_leaf leaf = snpy_leaf_of(pickle, length, table, snpy_nodes_part(table, args, 1));
    bool is_big_endian = snpy_leaf_of(pickle, length, table, order).point == '>';
    if (type.kind == 'S' || type.kind == 'U') {
        load_string(pickle, length, table, type, leaf, is_big_endian, part);
        return;
    }
    uint32_t numbers = type.kind == 'c' ? 2 : 1;
    uint32_t size = type.size > 16 ? 0 : (uint32_t)type.size / numbers; /* of a long double, which is no key */
    part->form = KEY_NUMBER;
    part->numbers = numbers;
    read_number(pickle, length, &leaf, type.kind, size, is_big_endian, &part->number[0]);
    if (numbers == 1) return;
    read_number(pickle, length, &leaf, type.kind, size, is_big_endian, &part->number[1]);
    finish_complex(part);
}

/* Fills a part with what a call makes. */
/*@ LOAD_REQUIRES
    requires 0 <= index < table->count;
    terminates \true;
    exits \false;
    assigns part->form, part->numbers, part->number[0 .. SNPY_KEY_NUMBERS-1], part->leaf, part->units, part->width,
            part->is_big_endian, part->cost;
    ensures part: part_ok(pickle, part, length);
 */
static void load_call(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t index,
                      struct snpy_key_part *part)
{
    const snpy_node *node = &table->nodes[index];
    int32_t args = node->args;
    switch (node->role) {
    case SNPY_ROLE_COMPLEX:
        load_complex(pickle, length, table, args, part);
        break;
    case SNPY_ROLE_TIMEDELTA:
        load_timedelta(pickle, length, table, args, part);
        break;
    case SNPY_ROLE_DATE:
    case SNPY_ROLE_DATETIME:
        load_moment(pickle, length, table, args, node->role == SNPY_ROLE_DATETIME, part);
        break;
    case SNPY_ROLE_UUID:
    case SNPY_ROLE_RECONSTRUCTOR:
        load_uuid(pickle, length, table, node->state, part);
        break;
    case SNPY_ROLE_SCALAR:
        load_scalar(pickle, length, table, args, part);
        break;
    default: { /* bytes and encode */
        struct snpy_leaf leaf = snpy_leaf_of(pickle, length, table, index);
        load_text(pickle, length, table, KEY_BYTES, leaf, part);
        break;
    }
    }
}

void snpy_key_load(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t index,
                   struct snpy_key_part *part)
{
    const snpy_node *node = &table->nodes[index];
    clear(part);
    switch (node->kind) {
    case SNPY_NODE_NONE:
        part->form = KEY_NONE;
        break;
    case SNPY_NODE_TUPLE:
        part->form = KEY_TUPLE;
        break;
    case SNPY_NODE_STR:
    case SNPY_NODE_RAW:
        load_text(pickle, length, table, KEY_TEXT, snpy_leaf_open(pickle, length, node), part);
        break;
    case SNPY_NODE_BYTES:
        load_text(pickle, length, table, KEY_BYTES, snpy_leaf_open(pickle, length, node), part);
        break;
    case SNPY_NODE_CALL:
        load_call(pickle, length, table, index, part);
        break;
    default: /* a bool, int or float */
        load_number(pickle, length, table, index, 0, part);
        break;
    }
}

/* Adds a number to a hash. */
/*@ requires \valid_read(number) && \valid(hash) && hash_ok(hash);
    requires \separated(number, hash);
    terminates \true;
    exits \false;
    assigns hash->value;
    ensures hash: hash_ok(hash);
 */
static void hash_number(const struct snpy_number *number, struct snpy_key_hash *hash)
{
    snpy_key_mix(hash, 2u * (number->kind % 16u) + number->sign % 2u);
    snpy_key_mix(hash, (uint32_t)(number->exponent < 0 ? 65536 - number->exponent % 65536 : number->exponent % 65536));
    /*@ loop invariant hash: 0 <= i <= SNPY_NUMBER_LIMBS && hash_ok(hash);
        loop assigns i, hash->value;
        loop variant SNPY_NUMBER_LIMBS - i; */
    for (uint32_t i = 0; i < SNPY_NUMBER_LIMBS; i++) {
        if (i == number->count) return;
        /* Two numbers below the prime: limbs of the same rest would have the same hash whatever the factor. */
        snpy_key_mix(hash, number->limbs[i] % 65536u);
        snpy_key_mix(hash, number->limbs[i] / 65536u);
    }
}

void snpy_key_hash_part(const uint8_t *pickle, size_t length, struct snpy_key_part *part, struct snpy_key_hash *hash)
{
    snpy_key_mix(hash, part->form);
    /*@ loop invariant hash: 0 <= i <= SNPY_KEY_NUMBERS && hash_ok(hash);
        loop assigns i, hash->value;
        loop variant SNPY_KEY_NUMBERS - i; */
    for (uint32_t i = 0; i < SNPY_KEY_NUMBERS; i++) {
        if (i == part->numbers) break;
        hash_number(&part->number[i], hash);
    }
    /*@ loop invariant part: part_ok(pickle, part, length) && hash_ok(hash);
        loop assigns left, part->leaf, part->units, hash->value;
        loop variant left; */
    for (uint64_t left = (uint64_t)length + 1u; left > 0; left--) {
        uint32_t unit = next_unit(pickle, length, part);
        snpy_key_mix(hash, unit);
        if (unit == SNPY_LEAF_END) return;
    }
}

bool snpy_key_is_part(const uint8_t *pickle, size_t length, struct snpy_key_part *left, struct snpy_key_part *right)
{
    if (left->form != right->form || left->numbers != right->numbers) return false;
    /*@ loop invariant range: 0 <= i <= SNPY_KEY_NUMBERS;
        loop assigns i;
        loop variant SNPY_KEY_NUMBERS - i; */
    for (uint32_t i = 0; i < SNPY_KEY_NUMBERS; i++) {
        if (i == left->numbers) break;
        if (!snpy_number_is(&left->number[i], &right->number[i])) return false;
    }
    /*@ loop invariant part: part_ok(pickle, left, length) && part_ok(pickle, right, length);
        loop assigns count, left->leaf, left->units, right->leaf, right->units;
        loop variant count; */
    for (uint64_t count = (uint64_t)length + 1u; count > 0; count--) {
        uint32_t unit = next_unit(pickle, length, left);
        if (next_unit(pickle, length, right) != unit) return false;
        if (unit == SNPY_LEAF_END) return true;
    }
    return true;
}
