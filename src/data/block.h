/* block.h: moving elements between places that transfer.c has found to be sound.
 * Proves nothing; it is tested against the proved copy. */
#ifndef SAFENPY_DATA_BLOCK_H
#define SAFENPY_DATA_BLOCK_H

#include "safenpy/copy.h"

/* Elements in rows and columns, and what becomes of each. A part of the elements' bytes may be treated by a plan of
 * runs; if there is none, numbers of `unit` bytes are reversed one by one, and a unit of 1 keeps the bytes. `from` and
 * `to` are the same memory, with the same strides, or do not overlap. */
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

/* Moves all elements of a block, row for row. */
typedef void snpy_mover(const snpy_block *block);

/* The mover for elements of a block's size, unit and plan. */
snpy_mover *snpy_find_mover(const snpy_block *block);

/* The part of a block that begins at a row and a column, with so many of them, or as many as there are. */
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

/* Vectors of this many bytes that numbers are reversed with. */
enum snpy_vectors { SNPY_VECTORS_NONE = 0, SNPY_VECTORS_16 = 16, SNPY_VECTORS_32 = 32 };

/* The largest that the processor has which runs this. */
enum snpy_vectors snpy_best_vectors(void);

/* Bytes that are worth vectors. */
#define SNPY_GROUP_BYTES ((uint64_t)16384)

/* Reverses numbers of a unit that lie one after another. Returns how many bytes are done, from the first one on: as
 * many as go in whole groups of pages, 0 if there is no way for the unit.
 *
 * to       begins a line of memory; the same as `from`, or apart from it
 * vectors  no larger than the processor has them */
uint64_t snpy_reverse_groups(const uint8_t *from, uint8_t *to, uint64_t size, uint32_t unit, enum snpy_vectors vectors);

/* --- transpose.c ------------------------------------------------------------------------------------------- */

/* Moves a block whose columns are dense in `from` and whose rows are dense in `to`, line by line of the memory that is
 * written. Returns false, and nothing is done, where there is no way for that. */
bool snpy_transpose(const snpy_block *block);

#endif
