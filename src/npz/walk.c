/* walk.c: a deflate stream walked from its first bit to its last: where its blocks are, not what they say. NPZ-DATA-007
 * Proves nothing. Takes what RFC 1951 describes and nothing else, but for distances that lead too far and how much is
 * given, which only libdeflate knows. Makes no byte: so it is faster than what does, and can do no harm. */
#include "npz/npz.h"

#include <string.h>

#define MOST_BITS 15u
#define LITERALS 288u
#define DISTANCES 32u
#define END_OF_BLOCK 256u

/* A table is asked with so many bits. */
#define TABLE_BITS 11u
#define TABLE_SIZE (1u << TABLE_BITS)
#define TABLE_MASK (TABLE_SIZE - 1)

/* What an entry of a table says: how many bits to go on by, those behind codewords included; how many the codewords have,
 * of a single one; where to ask next. RARE: it is not said here. */
#define ENTRY_SKIP(entry) ((entry)&63u)
#define ENTRY_RARE 64u
#define ENTRY_WORD(entry) ((entry) >> 8 & 15u)
#define ENTRY_NEXT(entry) ((entry) >> 16)

/* What is asked by the bits that come next: first the table of literals and lengths, behind it that of distances. */
enum { AT_LITERAL = 0, AT_DISTANCE = TABLE_SIZE };

/* A code: how many codewords there are of each length, and what they mean, in their order. */
typedef struct snpy_walk_code {
    unsigned count[MOST_BITS + 1];
    uint16_t symbol[LITERALS];
} snpy_walk_code;

typedef struct snpy_walk {
    const uint8_t *begin;
    const uint8_t *next;
    const uint8_t *end;
    uint64_t bits;   /* that come next, the first one lowest */
    unsigned held;   /* how many of them count */
    unsigned beyond; /* bytes of zeros that were taken behind the end */
    snpy_walk_code literals;
    snpy_walk_code distances;
    uint32_t table[2 * TABLE_SIZE];
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

/* --- codes ------------------------------------------------------------------------------------------------- */

/* Makes a code of the lengths of its codewords. Returns whether it may be one: complete, or, where that is allowed, one
 * codeword of one bit, or none. */
static bool snpy_walk_make(snpy_walk_code *code, const uint8_t *lengths, unsigned symbols, bool must_be_complete)
{
    unsigned next[MOST_BITS + 2] = {0};
    long left = 1;
    memset(code->count, 0, sizeof code->count);
    for (unsigned i = 0; i < symbols; i++) code->count[lengths[i]]++;
    code->count[0] = 0;
    for (unsigned bits = 1; bits <= MOST_BITS; bits++) {
        left = 2 * left - (long)code->count[bits];
        if (left < 0) return false;
        next[bits + 1] = next[bits] + code->count[bits];
    }
    for (unsigned i = 0; i < symbols; i++)
        if (lengths[i] > 0) code->symbol[next[lengths[i]]++] = (uint16_t)i;
    const unsigned used = next[MOST_BITS + 1];
    return left == 0 || (!must_be_complete && (used == 0 || (used == 1 && code->count[1] == 1)));
}

/* The bits behind the codewords of lengths and distances. */
static unsigned snpy_length_bits(unsigned symbol)
{
    unsigned form = symbol - (END_OF_BLOCK + 1);
    return form < 8 || form == 28 ? 0 : form / 4 - 1;
}

static unsigned snpy_distance_bits(unsigned symbol)
{
    return symbol < 4 ? 0 : symbol / 2 - 1;
}

/* What a table says of a codeword. */
static uint32_t snpy_walk_entry(uint32_t at, unsigned symbol, unsigned bits)
{
    if (at == AT_DISTANCE) return symbol < 30 ? bits << 8 | (bits + snpy_distance_bits(symbol)) : ENTRY_RARE;
    if (symbol < END_OF_BLOCK) return bits << 8 | bits;
    if (symbol == END_OF_BLOCK || symbol > 285) return ENTRY_RARE;
    return (uint32_t)AT_DISTANCE << 16 | bits << 8 | (bits + snpy_length_bits(symbol));
}

/* The next codeword of the same length, last bit first; 0 behind the last one. */
static unsigned snpy_walk_next_word(unsigned word, unsigned bits)
{
    unsigned bit = 1u << (bits - 1);
    while (word & bit) bit >>= 1;
    return bit > 0 ? (word & (bit - 1)) | bit : 0;
}

/* Fills a table with the codewords that are no longer than what it is asked with. */
static void snpy_walk_fill(snpy_walk *walk, uint32_t at, const snpy_walk_code *code)
{
    uint32_t *table = walk->table + at;
    const uint16_t *symbol = code->symbol;
    unsigned word = 0;
    for (unsigned i = 0; i < TABLE_SIZE; i++) table[i] = ENTRY_RARE;
    for (unsigned bits = 1; bits <= TABLE_BITS; bits++) {
        for (unsigned left = code->count[bits]; left > 0; left--) {
            const uint32_t entry = snpy_walk_entry(at, *symbol++, bits);
            for (unsigned i = word; i < TABLE_SIZE; i += 1u << bits) table[i] = entry;
            word = snpy_walk_next_word(word, bits);
        }
    }
}

/* Lets an entry speak of several codewords: literals, then one more, and of the distance behind a length, as far as the
 * bits of a question tell. What is behind is asked of entries with smaller numbers, which still speak of one. */
static uint32_t snpy_walk_joined(const uint32_t *table, unsigned index)
{
    uint32_t entry = table[index];
    while (!(entry & ENTRY_RARE) && ENTRY_SKIP(entry) < TABLE_BITS) {
        const unsigned used = ENTRY_SKIP(entry);
        const uint32_t more = table[ENTRY_NEXT(entry) + (index >> used)];
        if ((more & ENTRY_RARE) || used + ENTRY_WORD(more) > TABLE_BITS) return entry;
        const bool is_over = ENTRY_NEXT(entry) == AT_DISTANCE;
        entry = ENTRY_NEXT(more) << 16 | (used + ENTRY_SKIP(more));
        if (is_over) return entry;
    }
    return entry;
}

/* Makes the tables. */
static void snpy_walk_tables(snpy_walk *walk)
{
    snpy_walk_fill(walk, AT_DISTANCE, &walk->distances);
    snpy_walk_fill(walk, AT_LITERAL, &walk->literals);
    for (unsigned i = TABLE_SIZE; i-- > 1;) walk->table[i] = snpy_walk_joined(walk->table, i);
}

/* Takes a codeword of any length. Returns its meaning, or LITERALS: none. */
static unsigned snpy_walk_symbol(snpy_walk *walk, const snpy_walk_code *code)
{
    unsigned word = 0;
    unsigned first = 0;
    unsigned index = 0;
    snpy_walk_refill(walk);
    for (unsigned bits = 1; bits <= MOST_BITS; bits++) {
        word = 2 * word + (unsigned)(walk->bits & 1);
        first *= 2;
        snpy_walk_skip(walk, 1);
        if (word < first + code->count[bits]) return code->symbol[index + word - first];
        index += code->count[bits];
        first += code->count[bits];
    }
    return LITERALS;
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
        uint32_t entry = table[at + (bits & TABLE_MASK)]; /* at most 24 bits each */
        if (entry & ENTRY_RARE) break;
        bits >>= ENTRY_SKIP(entry);
        held -= ENTRY_SKIP(entry);
        at = ENTRY_NEXT(entry);
        entry = table[at + (bits & TABLE_MASK)];
        if (entry & ENTRY_RARE) break;
        bits >>= ENTRY_SKIP(entry);
        held -= ENTRY_SKIP(entry);
        at = ENTRY_NEXT(entry);
    }
    walk->next = next;
    walk->bits = bits;
    walk->held = held;
    return at;
}

/* Goes on by one codeword. Returns whether it may be there; *at is TABLE_END behind the last one of a block. */
#define TABLE_END (2 * TABLE_SIZE)
static bool snpy_walk_one(snpy_walk *walk, uint32_t *at)
{
    const bool is_distance = *at == AT_DISTANCE;
    const unsigned symbol = snpy_walk_symbol(walk, is_distance ? &walk->distances : &walk->literals);
    *at = AT_LITERAL;
    if (is_distance) {
        if (symbol >= 30) return false;
        snpy_walk_skip(walk, snpy_distance_bits(symbol));
    } else if (symbol == END_OF_BLOCK) {
        *at = TABLE_END;
    } else if (symbol > END_OF_BLOCK) {
        if (symbol > 285) return false;
        snpy_walk_skip(walk, snpy_length_bits(symbol));
        *at = AT_DISTANCE;
    }
    return snpy_walk_is_inside(walk);
}

/* The codewords of a block, up to its end. */
static bool snpy_walk_words(snpy_walk *walk)
{
    uint32_t at = AT_LITERAL;
    snpy_walk_tables(walk);
    while (at != TABLE_END) {
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
    uint8_t lengths[LITERALS + DISTANCES];
    for (unsigned i = 0; i < LITERALS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    memset(lengths + LITERALS, 5, DISTANCES);
    return snpy_walk_make(&walk->literals, lengths, LITERALS, true) &&
           snpy_walk_make(&walk->distances, lengths + LITERALS, DISTANCES, true) && snpy_walk_words(walk);
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
    uint8_t lengths[LITERALS + DISTANCES];
    const unsigned literals = 257 + snpy_walk_take(walk, 5);
    const unsigned distances = 1 + snpy_walk_take(walk, 5);
    if (literals > 286 || distances > 30) return false;
    if (!snpy_walk_lengths(walk, literals + distances, lengths) || lengths[END_OF_BLOCK] == 0) return false;
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
    snpy_walk walk;
    walk.begin = stream;
    walk.next = stream;
    walk.end = stream + size;
    walk.bits = 0;
    walk.held = 0;
    walk.beyond = 0;
    for (bool is_last = false; !is_last;) {
        ends->last_block = snpy_walk_place(&walk);
        is_last = snpy_walk_take(&walk, 1) == 1;
        if (!snpy_walk_block(&walk)) return false;
    }
    ends->end = snpy_walk_place(&walk);
    return true;
}
