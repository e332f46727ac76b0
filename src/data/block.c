/* block.c: the loops that move elements.                                       NPY-VALUE-001, 011, 012, NPY-DATA-008
 * Tested against the proved copy. copy_fast.c says where elements are; reverse.c reverses long
 * runs of numbers.
 *
 * Elements of up to 16 bytes are moved as one or two words. A macro writes one loop per size and unit, so that both are
 * constants in it. */
#include "data/block.h"
#include "data/vector.h"

#include <string.h>

/* --- words ------------------------------------------------------------------------------------------------- */

/* Reverses the bytes of each number of `unit` bytes in a word: swaps neighbouring bytes, then pairs, then halves.
 * Compilers make one instruction of it where the unit is 8. */
static inline uint64_t snpy_reverse_word(uint64_t word, uint32_t unit)
{
    const uint64_t odd = 0x00ff00ff00ff00ffu;
    const uint64_t low = 0x0000ffff0000ffffu;
    if (unit >= 2) word = (word & odd) << 8 | (word >> 8 & odd);
    if (unit >= 4) word = (word & low) << 16 | (word >> 16 & low);
    if (unit >= 8) word = word << 32 | word >> 32;
    return word;
}

/* snpy_move_N copies an element of N bytes and reverses each number of `unit` bytes in it. */

static inline void snpy_move_1(const uint8_t *from, uint8_t *to, uint32_t unit)
{
    (void)unit;
    *to = *from;
}

static inline void snpy_move_2(const uint8_t *from, uint8_t *to, uint32_t unit)
{
    uint16_t word;
    memcpy(&word, from, sizeof word);
    if (unit == 2) word = (uint16_t)(word << 8 | word >> 8);
    memcpy(to, &word, sizeof word);
}

static inline void snpy_move_4(const uint8_t *from, uint8_t *to, uint32_t unit)
{
    uint32_t word;
    memcpy(&word, from, sizeof word);
    word = (uint32_t)(snpy_reverse_word(word, unit) & UINT32_MAX);
    memcpy(to, &word, sizeof word);
}

static inline void snpy_move_8(const uint8_t *from, uint8_t *to, uint32_t unit)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    word = snpy_reverse_word(word, unit);
    memcpy(to, &word, sizeof word);
}

static inline void snpy_move_16(const uint8_t *from, uint8_t *to, uint32_t unit)
{
    uint64_t words[2];
    memcpy(words, from, sizeof words);
    uint64_t first = snpy_reverse_word(words[unit == 16 ? 1 : 0], unit);
    words[1] = snpy_reverse_word(words[unit == 16 ? 0 : 1], unit);
    words[0] = first;
    memcpy(to, words, sizeof words);
}

/* --- runs of numbers ----------------------------------------------------------------------------------------- */

/* Reverses one number of 1 to 16 bytes; in place too. */
static void snpy_reverse_number(const uint8_t *from, uint8_t *to, uint32_t unit)
{
    uint8_t old[16];
    memcpy(old, from, unit);
    for (uint32_t i = 0; i < unit; i++) to[i] = old[unit - 1 - i];
}

/* Reverses the bytes of each number in a contiguous run of numbers; in place too. One loop per unit, so that the
 * compiler sees it as a constant. */
static void snpy_reverse_words(const uint8_t *from, uint8_t *to, uint64_t size, uint32_t unit)
{
    uint64_t at = 0;
    if (unit == 2)
        for (; size - at >= 8; at += 8) snpy_move_8(from + at, to + at, 2);
    if (unit == 4)
        for (; size - at >= 8; at += 8) snpy_move_8(from + at, to + at, 4);
    if (unit == 8)
        for (; size - at >= 8; at += 8) snpy_move_8(from + at, to + at, 8);
    if (unit == 16)
        for (; size - at >= 16; at += 16) snpy_move_16(from + at, to + at, 16);
    for (; size - at >= unit; at += unit) snpy_reverse_number(from + at, to + at, unit);
}

/* Does the same with vectors if the run is long. Vectors start at the first cache line of `to`, if a number starts
 * there. */
static void snpy_reverse_numbers(const uint8_t *from, uint8_t *to, uint64_t size, uint32_t unit)
{
    const uint64_t first = (SNPY_LINE - (uintptr_t)to % SNPY_LINE) % SNPY_LINE;
    uint64_t at = 0;
    if (size >= SNPY_GROUP_BYTES && first % unit == 0) {
        snpy_reverse_words(from, to, first, unit);
        at = first + snpy_reverse_groups(from + first, to + first, size - first, unit, snpy_best_vectors());
    }
    snpy_reverse_words(from + at, to + at, size - at, unit);
}

/* Moves an element of any size, without a plan. */
static inline void snpy_move_any(const uint8_t *from, uint8_t *to, const snpy_block *block)
{
    if (block->unit != 1)
        snpy_reverse_numbers(from, to, block->size, block->unit);
    else if (from != to)
        memcpy(to, from, (size_t)block->size);
}

/* Moves an element by its plan, as copy_element of the core does. */
static inline void snpy_move_planned(const uint8_t *from, uint8_t *to, const snpy_block *block)
{
    for (uint32_t k = 0; k < block->plan->count; k++) {
        const snpy_run *run = &block->plan->runs[k];
        const size_t size = (size_t)(run->end - run->offset);
        const uint8_t *source = from + run->offset;
        uint8_t *target = to + run->offset;
        if (run->action == SNPY_ACTION_KEEP && source != target) memcpy(target, source, size);
        if (run->action == SNPY_ACTION_SWAP) snpy_reverse_numbers(source, target, size, (uint32_t)run->unit);
        if (run->action == SNPY_ACTION_ZERO) memset(target, 0, size);
    }
}

/* --- blocks ------------------------------------------------------------------------------------------------ */

/* Defines a mover that runs the statement `move` for each element, with `from` and `to` pointing to it. */
#define DEFINE_MOVER(name, move)                                                \
    static void name(const snpy_block *block)                                   \
    {                                                                           \
        for (uint64_t row = 0; row < block->rows; row++) {                      \
            const uint8_t *from = block->from + (int64_t)row * block->from_row; \
            uint8_t *to = block->to + (int64_t)row * block->to_row;             \
            for (uint64_t column = 0;;) {                                       \
                move;                                                           \
                if (++column == block->columns) break;                          \
                from += block->from_column;                                     \
                to += block->to_column;                                         \
            }                                                                   \
        }                                                                       \
    }

DEFINE_MOVER(snpy_mover_any, snpy_move_any(from, to, block))
DEFINE_MOVER(snpy_mover_planned, snpy_move_planned(from, to, block))

#define DEFINE_WORD_MOVER(size, unit) DEFINE_MOVER(snpy_mover_##size##_##unit, snpy_move_##size(from, to, unit))
DEFINE_WORD_MOVER(1, 1)
DEFINE_WORD_MOVER(2, 1)
DEFINE_WORD_MOVER(2, 2)
DEFINE_WORD_MOVER(4, 1)
DEFINE_WORD_MOVER(4, 2)
DEFINE_WORD_MOVER(4, 4)
DEFINE_WORD_MOVER(8, 1)
DEFINE_WORD_MOVER(8, 2)
DEFINE_WORD_MOVER(8, 4)
DEFINE_WORD_MOVER(8, 8)
DEFINE_WORD_MOVER(16, 1)
DEFINE_WORD_MOVER(16, 2)
DEFINE_WORD_MOVER(16, 4)
DEFINE_WORD_MOVER(16, 8)
DEFINE_WORD_MOVER(16, 16)

snpy_mover *snpy_find_mover(const snpy_block *block)
{
    static const struct {
        uint32_t size;
        uint32_t unit;
        snpy_mover *mover;
    } movers[] = {
        {1, 1, snpy_mover_1_1},   {2, 1, snpy_mover_2_1},   {2, 2, snpy_mover_2_2},     {4, 1, snpy_mover_4_1},
        {4, 2, snpy_mover_4_2},   {4, 4, snpy_mover_4_4},   {8, 1, snpy_mover_8_1},     {8, 2, snpy_mover_8_2},
        {8, 4, snpy_mover_8_4},   {8, 8, snpy_mover_8_8},   {16, 1, snpy_mover_16_1},   {16, 2, snpy_mover_16_2},
        {16, 4, snpy_mover_16_4}, {16, 8, snpy_mover_16_8}, {16, 16, snpy_mover_16_16},
    };
    if (block->plan != NULL) return snpy_mover_planned;
    for (size_t k = 0; k < sizeof movers / sizeof movers[0]; k++)
        if (movers[k].size == block->size && movers[k].unit == block->unit) return movers[k].mover;
    return snpy_mover_any;
}
