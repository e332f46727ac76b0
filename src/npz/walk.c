/* walk.c: a deflate stream walked from its first bit to its last: where its blocks are, not what they say. NPZ-DATA-007
 * Proves nothing. Takes what RFC 1951 describes and nothing else, but for distances that lead too far and how much is
 * given, which only libdeflate knows. Makes no byte: so it is faster than what does, and can do no harm. */
#include "npz/walk.h"

#include <string.h>

/* How many bits further on another walk begins, as long as none has shown how far one comes: 15 an entry are many. */
#define FIRST_GAP ((uint64_t)2 * 15 * SNPY_MOST_STEPS)

/* --- bits -------------------------------------------------------------------------------------------------- */

/* At least 57 bits from a place on, the first one lowest, zeros behind the end. */
static uint64_t snpy_walk_bits(const snpy_walk *walk, uint64_t place)
{
    const uint64_t at = place / 8;
    uint64_t bits = 0;
    if (at + 8 <= walk->size) return snpy_walk_load(walk->stream + at) >> place % 8;
    for (unsigned i = 0; at + i < walk->size; i++) bits |= (uint64_t)walk->stream[at + i] << 8 * i;
    return bits >> place % 8;
}

static bool snpy_walk_is_inside(const snpy_walk *walk, uint64_t place)
{
    return place <= (uint64_t)walk->size * 8;
}

/* Takes a number of up to 16 bits. */
static unsigned snpy_walk_take(snpy_walk *walk, unsigned count)
{
    const unsigned number = (unsigned)(snpy_walk_bits(walk, walk->place) & ((1u << count) - 1));
    walk->place += count;
    return number;
}

/* Takes a codeword of any length. Returns its meaning, or SNPY_LITERALS: none. */
static unsigned snpy_walk_symbol(const snpy_walk *walk, const snpy_walk_code *code, uint64_t *place)
{
    uint64_t bits = snpy_walk_bits(walk, *place);
    unsigned word = 0;
    unsigned first = 0;
    unsigned index = 0;
    for (unsigned length = 1; length <= SNPY_CODE_BITS; length++) {
        word = 2 * word + (unsigned)(bits & 1);
        bits >>= 1;
        first *= 2;
        ++*place;
        if (word < first + code->count[length]) return code->symbol[index + word - first];
        index += code->count[length];
        first += code->count[length];
    }
    return SNPY_LITERALS;
}

/* --- codewords --------------------------------------------------------------------------------------------- */

/* Goes on by a codeword and the bits behind it. Returns whether it may be there. */
static bool snpy_walk_word(const snpy_walk *walk, snpy_walk_spot *spot)
{
    const bool is_distance = spot->at == SNPY_AT_DISTANCE;
    const unsigned symbol = snpy_walk_symbol(walk, is_distance ? &walk->distances : &walk->literals, &spot->place);
    spot->at = SNPY_AT_LITERAL;
    if (is_distance) {
        if (symbol >= SNPY_DISTANCE_END) return false;
        spot->place += snpy_distance_bits(symbol);
    } else if (symbol == SNPY_END_OF_BLOCK) {
        spot->at = SNPY_AT_END;
    } else if (symbol > SNPY_END_OF_BLOCK) {
        if (symbol >= SNPY_LENGTH_END) return false;
        spot->place += snpy_length_bits(symbol);
        spot->at = SNPY_AT_DISTANCE;
    }
    return snpy_walk_is_inside(walk, spot->place);
}

/* Goes on by one codeword, or stays where there is none that may be there. */
static void snpy_walk_slowly(const snpy_walk *walk, snpy_walk_spot *spot)
{
    const uint64_t place = spot->place;
    if (snpy_walk_word(walk, spot)) return;
    spot->place = place;
    spot->at = SNPY_AT_END;
    spot->is_bad = true;
}

/* What the table says of the bits that come next. */
static uint32_t snpy_walk_ask(const snpy_walk *walk, const snpy_walk_spot *spot)
{
    return walk->table[spot->at + (snpy_walk_bits(walk, spot->place) & SNPY_TABLE_MASK)];
}

void snpy_walk_rare(const snpy_walk *walk, snpy_walk_spot *spot)
{
    if (snpy_walk_ask(walk, spot) & SNPY_ENTRY_RARE) snpy_walk_slowly(walk, spot);
}

void snpy_walk_on(const snpy_walk *walk, snpy_walk_spot *spot)
{
    const uint32_t entry = snpy_walk_ask(walk, spot);
    const uint64_t place = spot->place + SNPY_ENTRY_SKIP(entry);
    if ((entry & SNPY_ENTRY_RARE) || !snpy_walk_is_inside(walk, place)) {
        snpy_walk_slowly(walk, spot);
        return;
    }
    spot->place = place;
    spot->at = SNPY_ENTRY_NEXT(entry);
}

/* The codewords of a block, up to its end. */
static bool snpy_walk_words(snpy_walk *walk)
{
    snpy_walk_spot spot = {walk->place, SNPY_AT_LITERAL, false};
    snpy_walk_tables(walk->table, &walk->literals, &walk->distances);
    while (spot.at != SNPY_AT_END) {
        unsigned alone = snpy_walk_ahead(walk, &spot);
        for (; alone > 0 && spot.at != SNPY_AT_END; alone--) snpy_walk_on(walk, &spot);
    }
    walk->place = spot.place;
    return !spot.is_bad;
}

/* --- blocks ------------------------------------------------------------------------------------------------ */

static bool snpy_walk_stored(snpy_walk *walk)
{
    const uint64_t place = (walk->place + 7) / 8;
    if (place + 4 > walk->size) return false;
    const uint8_t *head = walk->stream + place;
    const unsigned length = head[0] | (unsigned)head[1] << 8;
    const unsigned complement = head[2] | (unsigned)head[3] << 8;
    if (length != (complement ^ 0xffffu) || walk->size - place - 4 < length) return false;
    walk->place = (place + 4 + length) * 8;
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
        const unsigned symbol = snpy_walk_symbol(walk, code, &walk->place);
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

void snpy_walk_begin(snpy_walk *walk)
{
    memset(walk, 0, sizeof *walk);
    walk->steps = SNPY_MOST_STEPS;
    walk->gap = FIRST_GAP;
}

bool snpy_walk_block(snpy_walk *walk, bool *is_last)
{
    *is_last = snpy_walk_take(walk, 1) == 1;
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

bool snpy_deflate_walk_by(const uint8_t *stream, size_t size, unsigned steps, uint64_t gap, snpy_deflate_ends *ends)
{
    snpy_walk walk;
    snpy_walk_begin(&walk);
    walk.stream = stream;
    walk.size = size;
    walk.steps = steps;
    walk.gap = gap;
    for (bool is_last = false; !is_last;) {
        ends->last_block = walk.place;
        if (!snpy_walk_block(&walk, &is_last)) return false;
    }
    ends->end = walk.place;
    return true;
}

bool snpy_deflate_walk(const uint8_t *stream, size_t size, snpy_deflate_ends *ends)
{
    return snpy_deflate_walk_by(stream, size, SNPY_MOST_STEPS, FIRST_GAP, ends);
}
