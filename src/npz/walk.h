/* walk.h: what the walk through deflate streams shares: codes, tables that say by how much to go on, and where it is.
 * Proves nothing; it is tested. Leaves streams to walk.c, tables to walk_table.c, looking ahead to walk_ahead.c. */
#ifndef SNPY_NPZ_WALK_H
#define SNPY_NPZ_WALK_H

#include "npz/npz.h"

#define SNPY_CODE_BITS 15u
#define SNPY_LITERALS 288u
#define SNPY_DISTANCES 32u
#define SNPY_END_OF_BLOCK 256u

/* Those that have a meaning. */
#define SNPY_LENGTH_END 286u
#define SNPY_DISTANCE_END 30u

/* A code: how many codewords there are of each length, and what they mean, in their order. */
typedef struct snpy_walk_code {
    unsigned count[SNPY_CODE_BITS + 1];
    uint16_t symbol[SNPY_LITERALS];
} snpy_walk_code;

/* Makes a code of the lengths of its codewords. Returns whether it may be one: complete, or, where that is allowed, one
 * codeword of one bit, or none. */
bool snpy_walk_make(snpy_walk_code *code, const uint8_t *lengths, unsigned symbols, bool must_be_complete);

/* The bits behind the codewords of lengths and distances. */
unsigned snpy_length_bits(unsigned symbol);
unsigned snpy_distance_bits(unsigned symbol);

/* A table is asked with so many bits, those that come next: that of literals and lengths; that of distances, which
 * stands behind it; and behind both, where a block is over, one that says to stay. */
#define SNPY_TABLE_BITS 11u
#define SNPY_TABLE_SIZE (1u << SNPY_TABLE_BITS)
#define SNPY_TABLE_MASK (SNPY_TABLE_SIZE - 1)
enum { SNPY_AT_LITERAL = 0, SNPY_AT_DISTANCE = SNPY_TABLE_SIZE, SNPY_AT_END = 2 * SNPY_TABLE_SIZE };

/* What an entry says: how many bits to go on by, those behind codewords included, 24 at most; how many the codeword has,
 * if it is one; which table to ask next. RARE: it is not said here; such an entry says to stay, too. */
#define SNPY_ENTRY_SKIP(entry) ((entry)&63u)
#define SNPY_ENTRY_RARE 64u
#define SNPY_ENTRY_WORD(entry) ((entry) >> 8 & 15u)
#define SNPY_ENTRY_NEXT(entry) ((entry) >> 16)

/* Makes all three tables. */
void snpy_walk_tables(uint32_t *table, const snpy_walk_code *literals, const snpy_walk_code *distances);

/* Where a block's codewords are walked through. */
typedef struct snpy_walk_spot {
    uint64_t place; /* the next bit, from the stream's first one */
    uint32_t at;    /* the table that is asked next */
    bool is_bad;    /* at the end: here is what may not be */
} snpy_walk_spot;

/* So many walks go at once, each so many steps at most before they are joined; a step asks twice. */
#define SNPY_WALKS 4u
#define SNPY_MOST_STEPS 256u

typedef struct snpy_walk {
    const uint8_t *stream;
    size_t size;
    uint64_t place; /* the next bit */
    unsigned steps; /* of walks that go at once; 0: there is but one */
    uint64_t gap;   /* how many bits further on the next one begins */
    unsigned alone; /* how often to ask before the next try, if the last one was in vain */
    snpy_walk_code literals;
    snpy_walk_code distances;
    uint32_t table[3 * SNPY_TABLE_SIZE];
    uint32_t traces[SNPY_WALKS][SNPY_MOST_STEPS]; /* where each of those that go at once has been */
} snpy_walk;

/* --- walk.c ------------------------------------------------------------------------------------------------ */

/* Eight bytes as one number; compilers make one load of it. */
static inline uint64_t snpy_walk_load(const uint8_t *bytes)
{
    uint64_t low = bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24;
    uint64_t high = bytes[4] | (uint64_t)bytes[5] << 8 | (uint64_t)bytes[6] << 16 | (uint64_t)bytes[7] << 24;
    return low | high << 32;
}

/* As snpy_deflate_walk, with so many steps at once, SNPY_MOST_STEPS at most, 0: none; and the first gap, of up to
 * 65,536 bits. Neither changes what is found. */
bool snpy_deflate_walk_by(const uint8_t *stream, size_t size, unsigned steps, uint64_t gap, snpy_deflate_ends *ends);

/* Begins a walk at a stream's first bit; its bytes are to be set. */
void snpy_walk_begin(snpy_walk *walk);

/* Goes on by a block. Returns whether there is one that may be there, as a whole within the stream's bytes. */
bool snpy_walk_block(snpy_walk *walk, bool *is_last);

/* Goes on by one codeword, where a table has said that it does not say; else leaves a spot alone. */
void snpy_walk_rare(const snpy_walk *walk, snpy_walk_spot *spot);

/* Goes on by what the table says, or by one codeword. */
void snpy_walk_on(const snpy_walk *walk, snpy_walk_spot *spot);

/* --- walk_ahead.c ------------------------------------------------------------------------------------------ */

/* Goes on by several walks at once, where that is possible. Returns how often to ask alone behind it. */
unsigned snpy_walk_ahead(snpy_walk *walk, snpy_walk_spot *spot);

#endif
