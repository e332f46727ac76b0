/* mutate_text.c: a mutator that knows what a header looks like: it puts in tokens, changes numbers to ones near powers of
 * two, copies, moves and nests what stands between brackets, from a second input too, and makes the header length fit
 * again. Plain flips of bits are left to the fuzzer. */
#include "fuzz/mutate.h"
#include "fuzz/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* ---- places ------------------------------------------------------------------------------------------------- */

/* An offset where a token may begin: mostly after a byte that ends one. */
static size_t pick_place(struct text *t)
{
    for (unsigned i = 0; i < 8; i++) {
        size_t at = text_below(t, t->length + 1);
        if (at == 0 || memchr("([{,: ])}'\"", t->bytes[at - 1], 11) != NULL) return at;
    }
    return text_below(t, t->length + 1);
}

/* From an opening bracket or quote to the one that closes it; a single byte if there is none. */
static struct span pick_group(const uint8_t *bytes, size_t length, size_t start)
{
    struct span group = {0, 0};
    long depth = 0;
    while (start < length && memchr("([{'\"", bytes[start], 5) == NULL) start++;
    group.at = start < length ? start : 0;
    if (start >= length) return group;
    group.length = 1;
    if (bytes[start] == '\'' || bytes[start] == '"') {
        const uint8_t *end = memchr(bytes + start + 1, bytes[start], length - start - 1);
        if (end != NULL) group.length = (size_t)(end - bytes) - start + 1;
        return group;
    }
    for (size_t at = start; at < length; at++) {
        if (memchr("([{", bytes[at], 3) != NULL) depth++;
        if (memchr(")]}", bytes[at], 3) != NULL && --depth == 0) {
            group.length = at - start + 1;
            break;
        }
    }
    return group;
}

static struct span pick_own_group(struct text *t)
{
    return pick_group(t->bytes, t->length, text_below(t, t->length));
}

/* ---- changes ------------------------------------------------------------------------------------------------ */

static void insert_token(struct text *t)
{
    static const char *const tokens[] = {
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "'",
        "\"",
        "u'",
        "L",
        " ",
        "\t",
        "\n",
        "\r",
        "\f",
        "0",
        "1",
        "-1",
        "()",
        "(2,)",
        "(0,)",
        "(3, 4)",
        "[]",
        "('', '|V3')",
        "('a', '<f8')",
        "(('t', 'n'), '<i4', (2,))",
        "('', '|V0')",
        "('b', ('<i2', (2,)), (3,))",
        "('', [('x', '<f8')])",
        "'<f8'",
        "'|b1'",
        "'>U3'",
        "'|S0'",
        "'<M8[ns]'",
        "'|O'",
        "'<m8[25s]'",
        "'|V2147483647'",
        "'<c16'",
        "'=V4'",
        "'f8'",
        "'float64'",
        "'<f12'",
        "True",
        "False",
        "None",
        "np.int64(",
        "np.True_",
        "'descr': ",
        "'fortran_order': ",
        "'shape': ",
        "\\x41",
        "\\u00e9",
        "\\ud800",
        "\\U0010ffff",
        "\\U00110000",
        "\\\\",
        "\\'",
        "\\n",
        "\xc3\xa9",
        "\xed\xa0\x80",
        "\xff",
        "#",
        "{'vlen': str}",
    };
    const char *token = tokens[text_below(t, sizeof tokens / sizeof tokens[0])];
    struct span nothing = {pick_place(t), 0};
    text_replace(t, nothing, (const uint8_t *)token, strlen(token));
}

/* A number near a power of two, or near a bound of the format, in place of another one. */
static void change_number(struct text *t)
{
    char digits[32];
    struct span number = {text_below(t, t->length), 0};
    while (number.at < t->length && !is_digit(t->bytes[number.at])) number.at++;
    while (number.at > 0 && number.at < t->length && is_digit(t->bytes[number.at - 1])) number.at--;
    while (number.at + number.length < t->length && is_digit(t->bytes[number.at + number.length])) number.length++;
    uint64_t value = (UINT64_C(1) << text_below(t, 64)) + text_below(t, 3) - 1;
    if (text_below(t, 3) == 0) value = text_below(t, 70);
    if (text_below(t, 16) == 0) value = UINT64_C(0x7fffffffffffffff) / (text_below(t, 64) + 1);
    int length =
        snprintf(digits, sizeof digits, "%llu%s", (unsigned long long)value, text_below(t, 32) == 0 ? "0" : "");
    text_replace(t, number, (const uint8_t *)digits, (size_t)length);
}

/* A group of this text or of the other one, put into a place or over another group. */
static void splice(struct text *t, const uint8_t *other, size_t other_size, bool over)
{
    uint8_t copy[512];
    bool from_other = other_size > 0 && text_below(t, 2) == 0;
    struct span group = from_other ? pick_group(other, other_size, text_below(t, other_size)) : pick_own_group(t);
    if (group.length == 0 || group.length > sizeof copy) return;
    memcpy(copy, (from_other ? other : t->bytes) + group.at, group.length);
    struct span place = {pick_place(t), 0};
    if (over) place = pick_own_group(t);
    text_replace(t, place, copy, group.length);
    if (!over && text_below(t, 2) == 0) {
        place.at += group.length;
        if (place.at <= t->length) text_replace(t, place, (const uint8_t *)", ", 2);
    }
}

static void nest(struct text *t)
{
    static const char *const around[][2] = {{"(", ")"}, {"[", "]"}, {"[('n', ", ")]"}, {"(", ", (2,))"}, {"u", ""}};
    struct span group = pick_own_group(t);
    size_t form = text_below(t, sizeof around / sizeof around[0]);
    struct span end = {group.at + group.length, 0};
    struct span start = {group.at, 0};
    text_replace(t, end, (const uint8_t *)around[form][1], strlen(around[form][1]));
    text_replace(t, start, (const uint8_t *)around[form][0], strlen(around[form][0]));
}

static void drop(struct text *t)
{
    struct span group = pick_own_group(t);
    if (text_below(t, 2) == 0) {
        group.at = text_below(t, t->length);
        group.length = 1 + text_below(t, 3);
        if (group.length > t->length - group.at) group.length = t->length - group.at;
    }
    text_replace(t, group, NULL, 0);
}

static void change_text(struct text *t, const uint8_t *other, size_t other_size)
{
    switch (text_below(t, 10)) {
    case 0:
    case 1:
        insert_token(t);
        break;
    case 2:
    case 3:
        change_number(t);
        break;
    case 4:
        splice(t, other, other_size, false);
        break;
    case 5:
    case 6:
        splice(t, other, other_size, true);
        break;
    case 7:
        nest(t);
        break;
    case 8:
        drop(t);
        break;
    default:
        text_change_byte(t);
        break;
    }
}

/* ---- frames ------------------------------------------------------------------------------------------------- */

/* Writes the prefix of a version before a text, replacing one of `old` bytes. Returns the size of the new prefix. */
static size_t put_prefix(uint8_t *bytes, size_t size, size_t capacity, size_t old, uint8_t version, size_t length)
{
    size_t prefix = version == 1 ? 10 : 12;
    if (size - old + prefix > capacity) return old;
    memmove(bytes + prefix, bytes + old, size - old);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = version;
    bytes[7] = 0;
    for (size_t i = 8; i < prefix; i++, length /= 256) bytes[i] = (uint8_t)(length % 256);
    return prefix;
}

/* A file: its text is changed, its data are not; version and length are written anew, seldom wrongly. */
static size_t mutate_file(struct text *t, size_t prefix, const uint8_t *other, size_t other_size)
{
    uint8_t *bytes = t->bytes;
    size_t size = t->length;
    size_t capacity = t->capacity;
    uint8_t version = bytes[6];
    size_t length = bytes[8] + 256u * (size_t)bytes[9];
    if (length > size - prefix) length = size - prefix;
    struct text text = {bytes + prefix, length, 0, t->random};
    /* The data move out of the way: to the end of the memory. */
    size_t data = size - prefix - length;
    text.capacity = capacity - prefix - data;
    memmove(bytes + capacity - data, bytes + prefix + length, data);
    for (uint32_t times = 1 + text_below(&text, 3); times > 0; times--) change_text(&text, other, other_size);
    memmove(bytes + prefix + text.length, bytes + capacity - data, data);
    size = prefix + text.length + data;
    size_t claim = text.length;
    if (text_below(&text, 32) == 0) claim += text_below(&text, 5) - (size_t)2;
    if (text_below(&text, 16) == 0) version = (uint8_t)(1 + text_below(&text, 3));
    size_t renewed = put_prefix(bytes, size, capacity, prefix, version, claim);
    return size - prefix + renewed;
}

size_t fuzz_mutate_text(uint8_t *bytes, size_t size, size_t capacity, const uint8_t *other, size_t other_size,
                        uint32_t seed)
{
    struct text text = {bytes, size, capacity, 0};
    text_seed(&text, seed);
    size_t prefix = size > 6 && bytes[6] == 1 ? 10 : 12;
    bool is_file = size >= prefix && memcmp(bytes, "\x93NUMPY", 6) == 0 && bytes[6] >= 1 && bytes[6] <= 3;
    if (is_file && text_below(&text, 32) != 0) return mutate_file(&text, prefix, other, other_size);
    change_text(&text, other, other_size);
    return text.length;
}
