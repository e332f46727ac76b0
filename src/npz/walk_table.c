/* walk_table.c: codes of a deflate stream, and the tables that say by how much to go on.                 NPZ-DATA-007
 * Proves nothing. Leaves the stream to walk.c. */
#include "npz/walk.h"

#include <string.h>

bool snpy_walk_make(snpy_walk_code *code, const uint8_t *lengths, unsigned symbols, bool must_be_complete)
{
    unsigned next[SNPY_CODE_BITS + 2] = {0};
    long left = 1;
    memset(code->count, 0, sizeof code->count);
    for (unsigned i = 0; i < symbols; i++) code->count[lengths[i]]++;
    code->count[0] = 0;
    for (unsigned bits = 1; bits <= SNPY_CODE_BITS; bits++) {
        left = 2 * left - (long)code->count[bits];
        if (left < 0) return false;
        next[bits + 1] = next[bits] + code->count[bits];
    }
    for (unsigned i = 0; i < symbols; i++)
        if (lengths[i] > 0) code->symbol[next[lengths[i]]++] = (uint16_t)i;
    const unsigned used = next[SNPY_CODE_BITS + 1];
    return left == 0 || (!must_be_complete && (used == 0 || (used == 1 && code->count[1] == 1)));
}

unsigned snpy_length_bits(unsigned symbol)
{
    unsigned form = symbol - (SNPY_END_OF_BLOCK + 1);
    return form < 8 || form == 28 ? 0 : form / 4 - 1;
}

unsigned snpy_distance_bits(unsigned symbol)
{
    return symbol < 4 ? 0 : symbol / 2 - 1;
}

/* What a table says of a codeword. */
static uint32_t snpy_walk_entry(uint32_t at, unsigned symbol, unsigned bits)
{
    const uint32_t rare = at << 16 | SNPY_ENTRY_RARE;
    if (at == SNPY_AT_DISTANCE)
        return symbol < SNPY_DISTANCE_END ? bits << 8 | (bits + snpy_distance_bits(symbol)) : rare;
    if (symbol < SNPY_END_OF_BLOCK) return bits << 8 | bits;
    if (symbol == SNPY_END_OF_BLOCK || symbol >= SNPY_LENGTH_END) return rare;
    return (uint32_t)SNPY_AT_DISTANCE << 16 | bits << 8 | (bits + snpy_length_bits(symbol));
}

/* The next codeword of the same length, last bit first; 0 behind the last one. */
static unsigned snpy_walk_next_word(unsigned word, unsigned bits)
{
    unsigned bit = 1u << (bits - 1);
    while (word & bit) bit >>= 1;
    return bit > 0 ? (word & (bit - 1)) | bit : 0;
}

/* Fills a table with the codewords that are no longer than what it is asked with. */
static void snpy_walk_fill(uint32_t *table, uint32_t at, const snpy_walk_code *code)
{
    table += at;
    const uint16_t *symbol = code->symbol;
    unsigned word = 0;
    for (unsigned i = 0; i < SNPY_TABLE_SIZE; i++) table[i] = at << 16 | SNPY_ENTRY_RARE;
    for (unsigned bits = 1; bits <= SNPY_TABLE_BITS; bits++) {
        for (unsigned left = code->count[bits]; left > 0; left--) {
            const uint32_t entry = snpy_walk_entry(at, *symbol++, bits);
            for (unsigned i = word; i < SNPY_TABLE_SIZE; i += 1u << bits) table[i] = entry;
            word = snpy_walk_next_word(word, bits);
        }
    }
}

/* Lets an entry speak of several codewords: literals, then one more, and of the distance behind a length, as far as the
 * bits of a question tell. What is behind is asked of entries with smaller numbers, which still speak of one. */
static uint32_t snpy_walk_joined(const uint32_t *table, unsigned index)
{
    uint32_t entry = table[index];
    while (!(entry & SNPY_ENTRY_RARE) && SNPY_ENTRY_SKIP(entry) < SNPY_TABLE_BITS) {
        const unsigned used = SNPY_ENTRY_SKIP(entry);
        const uint32_t more = table[SNPY_ENTRY_NEXT(entry) + (index >> used)];
        if ((more & SNPY_ENTRY_RARE) || used + SNPY_ENTRY_WORD(more) > SNPY_TABLE_BITS) return entry;
        const bool is_over = SNPY_ENTRY_NEXT(entry) == SNPY_AT_DISTANCE;
        entry = SNPY_ENTRY_NEXT(more) << 16 | (used + SNPY_ENTRY_SKIP(more));
        if (is_over) return entry;
    }
    return entry;
}

void snpy_walk_tables(uint32_t *table, const snpy_walk_code *literals, const snpy_walk_code *distances)
{
    snpy_walk_fill(table, SNPY_AT_DISTANCE, distances);
    snpy_walk_fill(table, SNPY_AT_LITERAL, literals);
    for (unsigned i = SNPY_TABLE_SIZE; i-- > 1;) table[i] = snpy_walk_joined(table, i);
    for (unsigned i = 0; i < SNPY_TABLE_SIZE; i++) table[SNPY_AT_END + i] = (uint32_t)SNPY_AT_END << 16;
}
