/* block.h: moves blocks of elements whose addresses copy_fast.c has checked.
 * Tested against the proved copy. */
#ifndef SAFENPY_DATA_BLOCK_H
#define SAFENPY_DATA_BLOCK_H

#include "safenpy/copy.h"

/* A block of elements in rows and columns, and how each is converted: by `plan` if there is one, else by reversing
 * every `unit` bytes of it; a unit of 1 keeps the bytes. `from` and `to` either do not overlap or are the same memory
 * with the same strides. */
typedef struct snpy_block {
    const uint8_t *from;
    uint8_t *to;
    uint64_t rows;
    uint64_t columns;
    int64_t from_row; /* bytes from one row to the next */
    int64_t to_row;
    int64_t from_column;
    int64_t to_column;
    uint64_t size;         /* bytes of an element */
    uint32_t unit;         /* 1 to 16; `size` is a multiple of it */
    const snpy_plan *plan; /* NULL: all bytes alike */
} snpy_block;

/* Copies and converts all elements of a block, row by row. */
typedef void snpy_mover(const snpy_block *block);

/* Returns the mover for the block's size, unit and plan; never NULL. */
snpy_mover *snpy_find_mover(const snpy_block *block);

/* Returns the part of a block that begins at `row` and `column`. It has `rows` rows and `columns` columns, or fewer at
 * the edge of the block. */
static inline snpy_block snpy_cut_block(const snpy_block *whole, uint64_t row, uint64_t column, uint64_t rows,
                                        uint64_t columns)
{
    snpy_block part = *whole;
    part.from += (int64_t)row * whole->from_row + (int64_t)column * whole->from_column;
    part.to += (int64_t)row * whole->to_row + (int64_t)column * whole->to_column;
    part.rows = rows < whole->rows - row ? rows : whole->rows - row;
    part.columns = columns < whole->columns - column ? columns : whole->columns - column;
    return part;
}

/* --- reverse.c --------------------------------------------------------------------------------------------- */

/* Sizes of the vectors that reverse numbers, in bytes. */
enum snpy_vectors { SNPY_VECTORS_NONE = 0, SNPY_VECTORS_16 = 16, SNPY_VECTORS_32 = 32 };

/* Returns the widest vectors that this processor supports. */
enum snpy_vectors snpy_best_vectors(void);

/* From this many bytes on, vectors pay off. */
#define SNPY_GROUP_BYTES ((uint64_t)16384)

/* Reverses the bytes of each number in a contiguous run of numbers of `unit` bytes, in whole groups of pages. Returns
 * the number of bytes done; the caller does the rest. 0 if vectors cannot reverse this unit.
 *
 * to       starts a cache line; the same as `from`, or not overlapping it
 * vectors  not wider than the processor supports */
uint64_t snpy_reverse_groups(const uint8_t *from, uint8_t *to, uint64_t size, uint32_t unit, enum snpy_vectors vectors);

/* --- transpose.c ------------------------------------------------------------------------------------------- */

/* Moves a block whose columns are contiguous in `from` and whose rows are contiguous in `to`, one cache line of `to` at
 * a time. Returns false, with nothing written, for any other block and where the processor has no vectors. */
bool snpy_transpose(const snpy_block *block);

#endif
