/* walk.h: what the walk through deflate streams shares: codes, and tables that say by how much to go on.
 * Proves nothing; it is tested. Leaves streams to walk.c, tables to walk_table.c. */
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

/* A table is asked with so many bits, those that come next: that of literals and lengths, or that of distances, which
 * stands behind it. */
#define SNPY_TABLE_BITS 11u
#define SNPY_TABLE_SIZE (1u << SNPY_TABLE_BITS)
#define SNPY_TABLE_MASK (SNPY_TABLE_SIZE - 1)
enum { SNPY_AT_LITERAL = 0, SNPY_AT_DISTANCE = SNPY_TABLE_SIZE };

/* What an entry says: how many bits to go on by, those behind codewords included, 24 at most; how many the codeword has,
 * if it is one; which table to ask next. RARE: it is not said here. */
#define SNPY_ENTRY_SKIP(entry) ((entry)&63u)
#define SNPY_ENTRY_RARE 64u
#define SNPY_ENTRY_WORD(entry) ((entry) >> 8 & 15u)
#define SNPY_ENTRY_NEXT(entry) ((entry) >> 16)

/* Makes both tables. */
void snpy_walk_tables(uint32_t *table, const snpy_walk_code *literals, const snpy_walk_code *distances);

#endif
