/* walk.c: a deflate stream walked from its first bit to its last: where its blocks are, not what they say. NPZ-DATA-007
 * Proves nothing. Takes what RFC 1951 describes and nothing else, but for distances that lead too far and how much is
 * given, which only libdeflate knows. Makes no byte: so it is faster than what does, and can do no harm. */
#include "npz/walk.h"

#include <string.h>

/* Behind a block, no table is asked. */
#define AT_END (2 * SNPY_TABLE_SIZE)

typedef struct snpy_walk {
    const uint8_t *begin;
    const uint8_t *next;
    const uint8_t *end;
    uint64_t bits;   /* that come next, the first one lowest */
    unsigned held;   /* how many of them count */
    unsigned beyond; /* bytes of zeros that were taken behind the end */
    snpy_walk_code literals;
    snpy_walk_code distances;
    uint32_t table[2 * SNPY_TABLE_SIZE];
} snpy_walk;

/* --- bits -------------------------------------------------------------------------------------------------- */

/* Eight bytes as one number; compilers make one load of it. */
static uint64_t snpy_walk_load(const uint8_t *bytes)
{
    uint64_t low = bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24;
    uint64_t high = bytes[4] | (uint64_t)bytes[5] << 8 | (uint64_t)bytes[6] << 16 | (uint64_t)bytes[7] << 24;
    return low | high << 32;
}

/* Brings at least 56 bits, zeros behind the end. */
static void snpy_walk_refill(snpy_walk *walk)
{
    if (walk->end - walk->next >= 8) {
        walk->bits |= snpy_walk_load(walk->next) << walk->held;
        walk->next += (63 - walk->held) >> 3;
        walk->held |= 56;
        return;
    }
    for (; walk->held < 56; walk->held += 8) {
        if (walk->next < walk->end)
            walk->bits |= (uint64_t)*walk->next++ << walk->held;
        else
            walk->beyond++;
    }
}

static void snpy_walk_skip(snpy_walk *walk, unsigned count)
{
    walk->bits >>= count;
    walk->held -= count;
}

/* Takes a number of up to 16 bits. */
static unsigned snpy_walk_take(snpy_walk *walk, unsigned count)
{
    snpy_walk_refill(walk);
    unsigned number = (unsigned)(walk->bits & ((1u << count) - 1));
    snpy_walk_skip(walk, count);
    return number;
}

/* Bits up to here. */
static uint64_t snpy_walk_place(const snpy_walk *walk)
{
    return ((uint64_t)(walk->next - walk->begin) + walk->beyond) * 8 - walk->held;
}

static bool snpy_walk_is_inside(const snpy_walk *walk)
{
    return walk->beyond * 8 <= walk->held;
}

/* Takes a codeword of any length. Returns its meaning, or SNPY_LITERALS: none. */
static unsigned snpy_walk_symbol(snpy_walk *walk, const snpy_walk_code *code)
{
    unsigned word = 0;
    unsigned first = 0;
    unsigned index = 0;
    snpy_walk_refill(walk);
    for (unsigned bits = 1; bits <= SNPY_CODE_BITS; bits++) {
        word = 2 * word + (unsigned)(walk->bits & 1);
        first *= 2;
        snpy_walk_skip(walk, 1);
        if (word < first + code->count[bits]) return code->symbol[index + word - first];
        index += code->count[bits];
        first += code->count[bits];
    }
    return SNPY_LITERALS;
}

/* --- blocks ------------------------------------------------------------------------------------------------ */

/* Goes on as long as the tables can say by how much, and 8 bytes can be read. Returns where to ask next. */
static uint32_t snpy_walk_quickly(snpy_walk *walk, uint32_t at)
{
    const uint32_t *const table = walk->table;
    const uint8_t *next = walk->next;
    uint64_t bits = walk->bits;
    unsigned held = walk->held;
    while (walk->end - next >= 8) {
        bits |= snpy_walk_load(next) << held;
        next += (63 - held) >> 3;
        held |= 56;
        uint32_t entry = table[at + (bits & SNPY_TABLE_MASK)]; /* at most 24 bits each */
        if (entry & SNPY_ENTRY_RARE) break;
        bits >>= SNPY_ENTRY_SKIP(entry);
        held -= SNPY_ENTRY_SKIP(entry);
        at = SNPY_ENTRY_NEXT(entry);
        entry = table[at + (bits & SNPY_TABLE_MASK)];
        if (entry & SNPY_ENTRY_RARE) break;
        bits >>= SNPY_ENTRY_SKIP(entry);
        held -= SNPY_ENTRY_SKIP(entry);
        at = SNPY_ENTRY_NEXT(entry);
    }
    walk->next = next;
    walk->bits = bits;
    walk->held = held;
    return at;
}

/* Goes on by one codeword. Returns whether it may be there; *at is AT_END behind the last one of a block. */
static bool snpy_walk_one(snpy_walk *walk, uint32_t *at)
{
    const bool is_distance = *at == SNPY_AT_DISTANCE;
    const unsigned symbol = snpy_walk_symbol(walk, is_distance ? &walk->distances : &walk->literals);
    *at = SNPY_AT_LITERAL;
    if (is_distance) {
        if (symbol >= SNPY_DISTANCE_END) return false;
        snpy_walk_skip(walk, snpy_distance_bits(symbol));
    } else if (symbol == SNPY_END_OF_BLOCK) {
        *at = AT_END;
    } else if (symbol > SNPY_END_OF_BLOCK) {
        if (symbol >= SNPY_LENGTH_END) return false;
        snpy_walk_skip(walk, snpy_length_bits(symbol));
        *at = SNPY_AT_DISTANCE;
    }
    return snpy_walk_is_inside(walk);
}

/* The codewords of a block, up to its end. */
static bool snpy_walk_words(snpy_walk *walk)
{
    uint32_t at = SNPY_AT_LITERAL;
    snpy_walk_tables(walk->table, &walk->literals, &walk->distances);
    while (at != AT_END) {
        at = snpy_walk_quickly(walk, at);
        if (!snpy_walk_one(walk, &at)) return false;
    }
    return true;
}

static bool snpy_walk_stored(snpy_walk *walk)
{
    const uint64_t place = (snpy_walk_place(walk) + 7) / 8;
    if (place + 4 > (uint64_t)(walk->end - walk->begin)) return false;
    const uint8_t *head = walk->begin + place;
    const unsigned length = head[0] | (unsigned)head[1] << 8;
    const unsigned complement = head[2] | (unsigned)head[3] << 8;
    if (length != (complement ^ 0xffffu) || (size_t)(walk->end - head) - 4 < length) return false;
    walk->next = head + 4 + length;
    walk->bits = 0;
    walk->held = 0;
    walk->beyond = 0;
    return true;
}

static bool snpy_walk_fixed(snpy_walk *walk)
{
    uint8_t lengths[SNPY_LITERALS + SNPY_DISTANCES];
    for (unsigned i = 0; i < SNPY_LITERALS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    memset(lengths + SNPY_LITERALS, 5, SNPY_DISTANCES);
    return snpy_walk_make(&walk->literals, lengths, SNPY_LITERALS, true) &&
           snpy_walk_make(&walk->distances, lengths + SNPY_LITERALS, SNPY_DISTANCES, true) && snpy_walk_words(walk);
}

/* Reads the lengths of the codewords of both codes, which are themselves in a code. */
static bool snpy_walk_lengths(snpy_walk *walk, unsigned wanted, uint8_t *lengths)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t own[19] = {0};
    snpy_walk_code *code = &walk->literals; /* which is made of what this one says */
    const unsigned count = 4 + snpy_walk_take(walk, 4);
    for (unsigned i = 0; i < count; i++) own[order[i]] = (uint8_t)snpy_walk_take(walk, 3);
    if (!snpy_walk_make(code, own, 19, true)) return false;
    for (unsigned at = 0; at < wanted;) {
        const unsigned symbol = snpy_walk_symbol(walk, code);
        const unsigned times = symbol < 16    ? 1
                               : symbol == 16 ? 3 + snpy_walk_take(walk, 2)
                               : symbol == 17 ? 3 + snpy_walk_take(walk, 3)
                                              : 11 + snpy_walk_take(walk, 7);
        if (times > wanted - at || (symbol == 16 && at == 0)) return false;
        const uint8_t length = symbol < 16 ? (uint8_t)symbol : symbol == 16 ? lengths[at - 1] : 0;
        memset(lengths + at, length, times);
        at += times;
    }
    return true;
}

static bool snpy_walk_dynamic(snpy_walk *walk)
{
    uint8_t lengths[SNPY_LITERALS + SNPY_DISTANCES];
    const unsigned literals = 257 + snpy_walk_take(walk, 5);
    const unsigned distances = 1 + snpy_walk_take(walk, 5);
    if (literals > SNPY_LENGTH_END || distances > SNPY_DISTANCE_END) return false;
    if (!snpy_walk_lengths(walk, literals + distances, lengths) || lengths[SNPY_END_OF_BLOCK] == 0) return false;
    return snpy_walk_make(&walk->literals, lengths, literals, false) &&
           snpy_walk_make(&walk->distances, lengths + literals, distances, false) && snpy_walk_words(walk);
}

/* A block behind the bit that says whether it is the last one. */
static bool snpy_walk_block(snpy_walk *walk)
{
    switch (snpy_walk_take(walk, 2)) {
    case 0:
        return snpy_walk_stored(walk);
    case 1:
        return snpy_walk_fixed(walk);
    case 2:
        return snpy_walk_dynamic(walk);
    default:
        return false;
    }
}

bool snpy_deflate_walk(const uint8_t *stream, size_t size, snpy_deflate_ends *ends)
{
    snpy_walk walk = {.begin = stream, .next = stream, .end = stream + size};
    for (bool is_last = false; !is_last;) {
        ends->last_block = snpy_walk_place(&walk);
        is_last = snpy_walk_take(&walk, 1) == 1;
        if (!snpy_walk_block(&walk)) return false;
    }
    ends->end = snpy_walk_place(&walk);
    return true;
}
