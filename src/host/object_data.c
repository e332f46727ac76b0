/* object_data.c: walks the values of decoded object data, and reads them.                   NPY-PKL-001, HOST-MEMORY
 * object_open.c decodes; object_array.c makes arrays of values. */
#include "host/object_data.h"

#include <stdlib.h>
#include <string.h>

void snpy_object_data_close(snpy_object_data **data)
{
    if (*data == NULL) return;
    free((*data)->table.nodes);
    free((*data)->shared);
    free((*data)->own);
    free(*data);
    *data = NULL;
}

/* ---- walking ---------------------------------------------------------------------------------------------- */

/* Returns what an entry refers to, or itself. */
static int32_t value_of(const snpy_object_data *data, int32_t entry)
{
    const snpy_node *node = &data->table.nodes[entry];
    return node->kind == SNPY_NODE_REF ? node->target : entry;
}

int32_t snpy_object_root(const snpy_object_data *data)
{
    return value_of(data, (int32_t)data->table.top);
}

const snpy_node *snpy_object_node(const snpy_object_data *data, int32_t value)
{
    return &data->table.nodes[value_of(data, value)];
}

size_t snpy_object_count(const snpy_object_data *data)
{
    return (size_t)data->table.count;
}

bool snpy_object_is_shared(const snpy_object_data *data, int32_t value)
{
    return data->shared[value_of(data, value)] != 0;
}

int32_t snpy_object_part(const snpy_object_data *data, int32_t tuple, uint32_t place)
{
    return value_of(data, snpy_nodes_member(&data->table, tuple, place));
}

snpy_object_members snpy_object_begin(const snpy_object_data *data, int32_t value)
{
    const int32_t index = value_of(data, value);
    const snpy_node *node = &data->table.nodes[index];
    const int32_t list = snpy_nodes_list(&data->table, index);
    snpy_object_members members = {node->first, 0, 0, false, false};
    if (list == 0 || node->size == 0) return members;
    members.then_ = members.next_;
    members.next_ = data->table.nodes[list].first;
    members.stop_ = (int32_t)node->size;
    members.is_ordered_ = node->role == SNPY_ROLE_ORDERED_DICT;
    return members;
}

int32_t snpy_object_next(const snpy_object_data *data, snpy_object_members *members)
{
    const int32_t entry = members->next_;
    members->is_pair = members->is_ordered_ && members->stop_ != 0;
    if (entry == 0) return 0;
    if (entry == members->stop_) {
        members->next_ = members->then_;
        members->stop_ = 0;
    } else {
        members->next_ = data->table.nodes[entry].next;
    }
    return value_of(data, entry);
}

int32_t snpy_object_arguments(const snpy_object_data *data, int32_t value)
{
    const snpy_node *node = snpy_object_node(data, value);
    return node->kind == SNPY_NODE_CALL ? value_of(data, node->args) : 0;
}

int32_t snpy_object_state(const snpy_object_data *data, int32_t value)
{
    const snpy_node *node = snpy_object_node(data, value);
    return node->kind == SNPY_NODE_CALL ? value_of(data, node->state) : 0;
}

/* ---- finding a key ---------------------------------------------------------------------------------------- */

/* Encodes a code point in UTF-8. Returns its bytes, at most 4. */
static size_t encode(uint32_t point, uint8_t *bytes)
{
    static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
    const unsigned more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    bytes[0] = (uint8_t)(first[more] | point >> (6 * more));
    for (unsigned k = 1; k <= more; k++) bytes[k] = (uint8_t)(0x80u | (point >> (6 * (more - k)) & 0x3fu));
    return more + 1;
}

/* Whether a value is a string with this text. */
static bool is_text(const snpy_object_data *data, int32_t value, const char *key, size_t length)
{
    const snpy_node *node = snpy_object_node(data, value);
    size_t at = 0;
    if (node->kind != SNPY_NODE_STR && node->kind != SNPY_NODE_RAW) return false;
    struct snpy_leaf leaf = snpy_leaf_open(data->pickle, data->length, node);
    for (; leaf.point != SNPY_LEAF_END; snpy_leaf_step(data->pickle, &leaf)) {
        uint8_t bytes[4];
        const size_t size = encode(leaf.point, bytes);
        if (size > length - at || memcmp(key + at, bytes, size) != 0) return false;
        at += size;
    }
    return at == length;
}

bool snpy_object_is_dict(const snpy_object_data *data, int32_t value)
{
    const snpy_node *node = snpy_object_node(data, value);
    if (node->kind != SNPY_NODE_CALL) return node->kind == SNPY_NODE_DICT;
    return node->role == SNPY_ROLE_ORDERED_DICT || node->role == SNPY_ROLE_DEFAULTDICT;
}

int32_t snpy_object_find(const snpy_object_data *data, int32_t value, const char *key, size_t length)
{
    const bool is_dict = snpy_object_is_dict(data, value);
    snpy_object_members members = snpy_object_begin(data, value);
    int32_t found = 0;
    while (is_dict && members.next_ != 0) {
        int32_t name = snpy_object_next(data, &members);
        const int32_t pair = members.is_pair ? name : 0;
        const int32_t of = pair != 0 ? snpy_object_part(data, pair, 1) : snpy_object_next(data, &members);
        if (pair != 0) name = snpy_object_part(data, pair, 0);
        if (is_text(data, name, key, length)) found = of;
    }
    return found;
}

/* ---- leaves ----------------------------------------------------------------------------------------------- */

snpy_status snpy_object_int(const snpy_object_data *data, int32_t value, int64_t *number)
{
    const bool is_int = snpy_leaf_integer(data->pickle, data->length, snpy_object_node(data, value), number);
    return is_int ? SNPY_OK : SNPY_WRONG_TYPE;
}

/* Writes a number in decimal, given its limbs of 32 bits, the least first; they become 0. Returns its length. */
static size_t write_decimal(uint32_t *limbs, size_t count, char *out)
{
    char digits[SNPY_OBJECT_DIGITS] = {0};
    size_t length = 0;
    while (count > 0 && limbs[count - 1] == 0) count--;
    do {
        uint64_t rest = 0;
        for (size_t i = count; i > 0; i--) {
            rest = (rest << 32) + limbs[i - 1];
            limbs[i - 1] = (uint32_t)(rest / 1000000000u);
            rest %= 1000000000u;
        }
        while (count > 0 && limbs[count - 1] == 0) count--;
        for (size_t k = 0; k < 9 && (count > 0 || rest > 0 || length == 0); k++, rest /= 10)
            digits[length++] = (char)('0' + (int)(rest % 10));
    } while (count > 0);
    for (size_t i = 0; i < length; i++) out[i] = digits[length - 1 - i];
    return length;
}

/* Writes a little-endian integer in two's complement, of at most 4,096 bytes, in decimal. */
static size_t write_bytes_in_decimal(const uint8_t *bytes, size_t size, bool is_signed, char *out)
{
    uint32_t limbs[1024] = {0};
    const bool is_negative = is_signed && size > 0 && bytes[size - 1] > 0x7f;
    uint32_t carry = 1; /* of the negation */
    if (size > sizeof limbs) return 0;
    for (size_t i = 0; i < size; i++) {
        uint32_t byte = bytes[i];
        if (is_negative) {
            byte = (0xffu - byte) + carry;
            carry = byte >> 8;
            byte &= 0xffu;
        }
        limbs[i / 4] |= byte << (8 * (i % 4));
    }
    if (is_negative) *out = '-';
    return write_decimal(limbs, sizeof limbs / sizeof limbs[0], out + (is_negative ? 1 : 0)) + (is_negative ? 1 : 0);
}

size_t snpy_object_digits(const snpy_object_data *data, int32_t value, char out[SNPY_OBJECT_DIGITS])
{
    const snpy_node *node = snpy_object_node(data, value);
    if (node->kind != SNPY_NODE_INT) return 0;
    const uint8_t code = data->pickle[node->at];
    const uint8_t *bytes = data->pickle + node->start;
    size_t size = node->size;
    if (code != 'I' && code != 'L') return write_bytes_in_decimal(bytes, size, code != 'K' && code != 'M', out);
    if (code == 'L' && size > 0) size--; /* its suffix */
    if (size > SNPY_OBJECT_DIGITS) return 0;
    memcpy(out, bytes, size); /* spelt as Python and JSON do: NPY-PKL-009 */
    return size;
}

/* The bits of a float that is a whole number times a power of two, which it has room for. */
static uint64_t float_bits(const struct snpy_number *number)
{
    uint64_t whole =
        (number->count > 1 ? (uint64_t)number->limbs[1] << 32 : 0) + (number->count > 0 ? number->limbs[0] : 0);
    int64_t exponent = number->exponent + 1075; /* of the bit of weight 1, if the highest bit is bit 52 */
    if (number->kind == SNPY_NUMBER_NAN) return UINT64_C(0x7ff8000000000000);
    if (number->kind == SNPY_NUMBER_INFINITE) return UINT64_C(0x7ff0000000000000);
    if (whole == 0) return 0;
    for (; whole < UINT64_C(1) << 52; exponent--) whole <<= 1;
    if (exponent < 1) return whole >> (1 - exponent); /* subnormal */
    return ((uint64_t)exponent << 52) + (whole - (UINT64_C(1) << 52));
}

snpy_status snpy_object_float(const snpy_object_data *data, int32_t value, double *number)
{
    const snpy_node *node = snpy_object_node(data, value);
    if (node->kind != SNPY_NODE_FLOAT) return SNPY_WRONG_TYPE;
    const uint8_t *bytes = data->pickle + node->start;
    uint64_t bits = 0;
    if (data->pickle[node->at] == 'F') {
        struct snpy_number exact;
        snpy_number_of_node(data->pickle, data->length, node, &exact);
        bits = float_bits(&exact) + (bytes[0] == '-' ? UINT64_C(1) << 63 : 0);
    } else {
        for (uint32_t i = 0; i < 8; i++) bits = bits << 8 | bytes[i];
    }
    memcpy(number, &bits, sizeof *number);
    return SNPY_OK;
}

/* Whether a value is text or bytes, or the result of a call that makes bytes. */
static bool has_characters(const snpy_node *node)
{
    if (node->kind == SNPY_NODE_CALL)
        return node->role == SNPY_ROLE_ENCODE || node->role == SNPY_ROLE_BYTES || node->role == SNPY_ROLE_BYTEARRAY;
    return node->kind >= SNPY_NODE_STR && node->kind <= SNPY_NODE_BYTEARRAY;
}

/* Whether a leaf has its text or bytes as the pickle has them: the opcodes UNICODE and STRING have escapes. */
static bool is_verbatim(const snpy_object_data *data, const snpy_node *node)
{
    const uint8_t code = data->pickle[node->at];
    return node->kind != SNPY_NODE_CALL && code != 'V' && code != 'S';
}

uint64_t snpy_object_text(const snpy_object_data *data, int32_t value, uint8_t *out, uint64_t capacity)
{
    const int32_t index = value_of(data, value);
    const snpy_node *node = &data->table.nodes[index];
    if (!has_characters(node)) return UINT64_MAX;
    if (is_verbatim(data, node)) {
        const size_t size = capacity < node->size ? (size_t)capacity : node->size;
        if (size > 0) memcpy(out, data->pickle + node->start, size);
        return node->size;
    }
    struct snpy_leaf leaf = snpy_leaf_of(data->pickle, data->length, &data->table, index);
    uint64_t length = 0;
    for (; leaf.point != SNPY_LEAF_END; snpy_leaf_step(data->pickle, &leaf)) {
        uint8_t bytes[4] = {(uint8_t)leaf.point};
        const size_t size = node->kind == SNPY_NODE_STR ? encode(leaf.point, bytes) : 1;
        for (size_t i = 0; i < size; i++)
            if (length + i < capacity) out[length + i] = bytes[i];
        length += size;
    }
    return length;
}
