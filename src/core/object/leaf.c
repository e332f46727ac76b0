/* leaf.c: what a leaf of a pickle holds: characters of text, bytes, an integer.
 * Proves that a reader stays inside the leaf and goes forward. Leaves to scan.c that numbers and text are well-formed, and what
 * they may be to arguments.c. */
#include "core/object/leaf.h"

#define LARGEST (UINT64_MAX / 2) /* the largest integer of 64 bits */
#define MOST_BYTES 20u           /* of an integer of 64 bits: in text it has no more, so that a look costs little */
#define MOST_UUID_BYTES 40u      /* of an integer of 128 bits, likewise */
#define LARGEST_DIGITS 39u

enum { FORM_BYTES, FORM_UTF8, FORM_UNICODE, FORM_QUOTED, FORM_OTHER };

struct word {
    uint8_t text[SNPY_WORD_MOST];
};

/* By snpy_word. */
static const struct word WORDS[SNPY_WORDS] = {{"b"},       {"C"},       {"F"},         {"latin1"},
                                              {"latin-1"}, {"tm_zone"}, {"tm_gmtoff"}, {"Infinity"},
                                              {"NaN"},     {"int"},     {"is_safe"}};

/* The largest integer of 128 bits. */
static const struct {
    uint8_t digits[LARGEST_DIGITS + 1];
} LARGEST_UUID = {"340282366920938463463374607431768211455"};

uint32_t snpy_word_character(uint32_t word, uint32_t index)
{
    return WORDS[word].text[index];
}

/* How the characters of a node are written, by its kind and its opcode. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint32_t form_of(int32_t kind, uint8_t code)
{
    if (kind == SNPY_NODE_STR) return code == 'V' ? FORM_UNICODE : FORM_UTF8;
    if (kind == SNPY_NODE_RAW) return code == 'S' ? FORM_QUOTED : FORM_BYTES;
    return kind == SNPY_NODE_BYTES || kind == SNPY_NODE_BYTEARRAY ? FORM_BYTES : FORM_OTHER;
}

/* One character of a STRING: how many bytes it takes. */
/*@ requires text_ok(pickle, end) && pos < end && \valid(point) && \separated(point, pickle + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *point;
    ensures range: 1 <= \result <= 4 && pos + \result <= end;
 */
static size_t quoted_character(const uint8_t *pickle, size_t end, size_t pos, uint32_t *point)
{
    *point = pickle[pos];
    if (pickle[pos] != '\\' || end - pos < 2) return 1;
    uint8_t byte = pickle[pos + 1];
    if (byte == 'x' && end - pos >= 4) {
        *point = 16u * snpy_opcode_hex(pickle[pos + 2]) + snpy_opcode_hex(pickle[pos + 3]);
        return 4;
    }
    *point = byte == 'n' ? '\n' : byte == 'r' ? '\r' : byte == 't' ? '\t' : byte;
    return 2;
}

/* One character: how many bytes it takes; 0 if it is ill-formed, which the scan has refused. */
/*@ requires text_ok(pickle, end) && pos < end && \valid(point) && \separated(point, pickle + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *point;
    ensures range: 0 <= \result <= 10 && pos + \result <= end;
 */
static size_t character(const uint8_t *pickle, size_t end, size_t pos, uint32_t form, uint32_t *point)
{
    if (form == FORM_UTF8) return snpy_utf8_next(pickle, end, pos, true, point);
    if (form == FORM_UNICODE) return snpy_opcode_character(pickle, end, pos, point);
    if (form == FORM_QUOTED) return quoted_character(pickle, end, pos, point);
    *point = pickle[pos];
    return 1;
}

void snpy_leaf_step(const uint8_t *pickle, struct snpy_leaf *leaf)
{
    uint32_t point = SNPY_LEAF_END;
    size_t step = leaf->pos < leaf->end ? character(pickle, leaf->end, leaf->pos, leaf->form, &point) : 0;
    leaf->pos += step;
    leaf->point = step == 0 ? SNPY_LEAF_END : point;
}

struct snpy_leaf snpy_leaf_open(const uint8_t *pickle, size_t length, const snpy_node *node)
{
    struct snpy_leaf leaf = {.pos = 0, .end = 0, .form = FORM_OTHER, .point = SNPY_LEAF_END};
    if (node->at >= length || node->start > length || node->size > length - node->start) return leaf;
    leaf.form = form_of(node->kind, pickle[node->at]);
    uint32_t quote = leaf.form == FORM_QUOTED ? 1 : 0;
    if (leaf.form == FORM_OTHER || node->size < 2 * quote) return leaf;
    leaf.pos = (size_t)node->start + quote;
    leaf.end = (size_t)node->start + node->size - quote;
    snpy_leaf_step(pickle, &leaf);
    return leaf;
}

/* Whether a call makes bytes of its first argument, if it has one. */
/*@ requires \valid_read(node);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool makes_bytes(const snpy_node *node)
{
    if (node->kind != SNPY_NODE_CALL) return false;
    return node->role == SNPY_ROLE_ENCODE || node->role == SNPY_ROLE_BYTES || node->role == SNPY_ROLE_BYTEARRAY;
}

/* What an entry is made of: the first argument of a call that makes bytes of it; the mark if it has none. */
/*@ TABLE_REQUIRES
    requires 0 <= entry < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < table->count;
 */
static int32_t source_of(const snpy_node_table *table, int32_t entry)
{
    int32_t index = snpy_nodes_value(table, entry);
    if (!makes_bytes(&table->nodes[index])) return index;
    return snpy_nodes_value(table, table->nodes[table->nodes[index].args].first);
}

struct snpy_leaf snpy_leaf_of(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t entry)
{
    int32_t source = source_of(table, source_of(table, entry)); /* a byte array of bytes of a str */
    return snpy_leaf_open(pickle, length, &table->nodes[source]);
}

bool snpy_leaf_take(const uint8_t *pickle, struct snpy_leaf *leaf, uint32_t point)
{
    if (leaf->point != point) return false;
    snpy_leaf_step(pickle, leaf);
    return true;
}

bool snpy_leaf_take_word(const uint8_t *pickle, struct snpy_leaf *leaf, uint32_t word)
{
    /*@ loop invariant range: 0 <= i <= SNPY_WORD_MOST;
        loop invariant leaf: leaf_ok(pickle, *leaf) && leaf_left(*leaf) <= \at(leaf_left(*leaf), Pre);
        loop assigns i, leaf->pos, leaf->point;
        loop variant SNPY_WORD_MOST - i; */
    for (uint32_t i = 0; i < SNPY_WORD_MOST; i++) {
        uint32_t wanted = snpy_word_character(word, i);
        if (wanted == 0) return true;
        if (!snpy_leaf_take(pickle, leaf, wanted)) return false;
    }
    return true;
}

uint64_t snpy_leaf_take_digits(const uint8_t *pickle, struct snpy_leaf *leaf)
{
    uint64_t count = 0;
    /*@ loop invariant leaf: leaf_ok(pickle, *leaf);
        loop invariant left: count + leaf_left(*leaf) <= \at(leaf_left(*leaf), Pre);
        loop assigns count, leaf->pos, leaf->point;
        loop variant leaf_left(*leaf); */
    while (leaf->point >= '0' && leaf->point <= '9') {
        snpy_leaf_step(pickle, leaf);
        count++;
    }
    return count;
}

bool snpy_leaf_is(const uint8_t *pickle, struct snpy_leaf leaf, uint32_t word)
{
    return snpy_leaf_take_word(pickle, &leaf, word) && leaf.point == SNPY_LEAF_END;
}

uint64_t snpy_leaf_count(const uint8_t *pickle, struct snpy_leaf leaf, uint32_t most)
{
    uint64_t count = 0;
    /*@ loop invariant leaf: leaf_ok(pickle, leaf);
        loop invariant left: count + leaf_left(leaf) <= \at(leaf_left(leaf), Pre);
        loop assigns count, leaf;
        loop variant leaf_left(leaf); */
    while (leaf.point != SNPY_LEAF_END) {
        if (leaf.point > most) return UINT64_MAX;
        snpy_leaf_step(pickle, &leaf);
        count++;
    }
    return count;
}

bool snpy_is_ascii_raw(const uint8_t *pickle, size_t length, const snpy_node *node)
{
    return snpy_leaf_count(pickle, snpy_leaf_open(pickle, length, node), 0x7f) != UINT64_MAX;
}

/* The bytes of an integer in the pickle, without the L of LONG; none if the node is no integer. */
struct span {
    size_t from;
    size_t end;
    bool is_text;
    bool is_signed;
};

/* clang-format off */
/*@ predicate span_ok(uint8_t *pickle, struct span span) = text_ok(pickle, span.end) && span.from <= span.end; */
/* clang-format on */

/*@ requires text_ok(pickle, length) && \valid_read(node);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures span: span_ok(pickle, \result) && \result.end <= length;
    ensures integer: \result.from < \result.end ==> node->kind == SNPY_NODE_INT;
 */
static struct span span_of(const uint8_t *pickle, size_t length, const snpy_node *node)
{
    struct span span = {0, 0, false, true};
    if (node->kind != SNPY_NODE_INT || node->at >= length) return span;
    uint8_t code = pickle[node->at];
    uint32_t suffix = code == 'L' ? 1 : 0;
    if (node->start > length || node->size > length - node->start || node->size < suffix) return span;
    span.from = node->start;
    span.end = (size_t)node->start + node->size - suffix;
    span.is_text = code == 'I' || code == 'L';
    span.is_signed = code != 'K' && code != 'M';
    return span;
}

/* Whether the bytes of an integer begin or end with its sign, and it is negative. */
/*@ requires span_ok(pickle, span);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures some: \result ==> span.from < span.end;
 */
static bool is_negative(const uint8_t *pickle, struct span span)
{
    if (span.from == span.end) return false;
    return span.is_text ? pickle[span.from] == '-' : span.is_signed && pickle[span.end - 1] > 0x7f;
}

/* What an integer has besides its sign: -1 - n for a negative n in bytes, -n in text. Returns false above the largest. */
/*@ requires span_ok(pickle, span) && \valid(number) && \separated(number, pickle + (0 .. span.end - 1));
    requires sign: negative != 0 ==> span.from < span.end;
    terminates \true;
    exits \false;
    assigns *number;
    ensures bound: \result ==> *number <= LARGEST + (span.is_text ? 1 : 0);
 */
static bool magnitude(const uint8_t *pickle, struct span span, bool negative, uint64_t *number)
{
    *number = 0;
    if (span.is_text)
        return snpy_lex_digits(pickle, span.end, span.from + (negative ? 1 : 0), LARGEST + 1, number) == span.end &&
               *number <= LARGEST + 1;
    uint64_t sum = 0;
    /*@ loop invariant range: span.from <= i <= span.end && sum <= LARGEST;
        loop assigns i, sum;
        loop variant i - span.from; */
    for (size_t i = span.end; i > span.from; i--) {
        uint32_t byte = pickle[i - 1];
        if (sum > LARGEST / 256u) return false;
        sum = 256u * sum + (negative ? 255u - byte : byte);
    }
    *number = sum;
    return true;
}

bool snpy_leaf_integer(const uint8_t *pickle, size_t length, const snpy_node *node, int64_t *value)
{
    struct span span = span_of(pickle, length, node);
    bool negative = is_negative(pickle, span);
    uint64_t number = 0;
    *value = 0;
    if (node->kind != SNPY_NODE_INT || span.end - span.from > MOST_BYTES) return false;
    if (!magnitude(pickle, span, negative, &number)) return false;
    if (negative && span.is_text && number > 0) number--;
    if (number > LARGEST) return false;
    *value = negative ? -1 - (int64_t)number : (int64_t)number;
    return true;
}

/* Whether an integer that is not negative has a bit that is set, or a digit other than 0. */
/*@ requires span_ok(pickle, span);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures some: \result ==> span.from < span.end;
 */
static bool is_some(const uint8_t *pickle, struct span span)
{
    /*@ loop invariant range: span.from <= i <= span.end;
        loop assigns i;
        loop variant span.end - i; */
    for (size_t i = span.from; i < span.end; i++) {
        if (pickle[i] != (span.is_text ? '0' : 0)) return true;
    }
    return false;
}

/* A digit of the largest integer of 128 bits. */
/*@ requires index < LARGEST_DIGITS;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint8_t largest_digit(size_t index)
{
    return LARGEST_UUID.digits[index];
}

/* Whether the text of an integer that is not negative is at most 2^128 - 1. */
/*@ requires span_ok(pickle, span) && span.end - span.from <= MOST_UUID_BYTES;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_text_of_128_bits(const uint8_t *pickle, struct span span)
{
    size_t size = span.end - span.from;
    if (size != LARGEST_DIGITS) return size < LARGEST_DIGITS;
    /*@ loop invariant range: 0 <= i <= size;
        loop assigns i;
        loop variant size - i; */
    for (size_t i = 0; i < size; i++) {
        uint8_t digit = pickle[span.from + i];
        if (digit != largest_digit(i)) return digit < largest_digit(i);
    }
    return true;
}

/* Whether the bytes of an integer that is not negative have nothing after the first 16. */
/*@ requires span_ok(pickle, span);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_binary_of_128_bits(const uint8_t *pickle, struct span span)
{
    if (span.end - span.from <= 16) return true;
    struct span rest = span;
    rest.from = span.from + 16;
    return !is_some(pickle, rest);
}

bool snpy_leaf_is_128_bits(const uint8_t *pickle, size_t length, const snpy_node *node)
{
    struct span span = span_of(pickle, length, node);
    if (node->kind != SNPY_NODE_INT || span.end - span.from > MOST_UUID_BYTES || is_negative(pickle, span))
        return false;
    return span.is_text ? is_text_of_128_bits(pickle, span) : is_binary_of_128_bits(pickle, span);
}

int snpy_leaf_sign(const uint8_t *pickle, size_t length, const snpy_node *node)
{
    struct span span = span_of(pickle, length, node);
    if (is_negative(pickle, span)) return -1;
    return is_some(pickle, span) ? 1 : 0;
}
