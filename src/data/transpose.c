/* transpose.c: elements whose rows become columns.                             NPY-VALUE-001, 011, 012, NPY-DATA-008
 * Proves nothing; it is tested against the proved copy. Leaves where elements lie to transfer.c, and to block.c what is
 * left over at the edges.
 *
 * Squares of vectors are turned in registers, four of them side by side, so that each line of memory is written at once
 * and, if there is much to write, past the caches: then it need not be read first. A tile is walked along its columns:
 * what is read lies densely for a while, and the system's pages that are written stay known to the processor. */
#include "data/block.h"
#include "data/vector.h"

#include <string.h>

#ifdef __SSE2__

/* Sides of a tile, and bytes of it along a row. Measured: others are slower. */
#define TILE_ROWS ((uint64_t)256)
#define TILE_BYTES ((uint64_t)2048)

/* Rows that are collected where lines of memory do not begin alike in all rows: few enough for the first cache. */
#define STAGE_ROWS ((uint64_t)16)

/* Bytes of a row and of a block from which on the caches may be passed by: there are whole lines in each row then. */
#define STREAM_ROW ((uint64_t)128)
#define STREAM_BLOCK ((uint64_t)4096)

#define VECTOR ((uint32_t)sizeof(__m128i))
#define SQUARES ((uint32_t)(SNPY_LINE / sizeof(__m128i)))

/* The first or the second halves of two vectors, element by element in turn. */
SNPY_INLINED __m128i snpy_mix_low(__m128i a, __m128i b, uint32_t size)
{
    if (size == 1) return _mm_unpacklo_epi8(a, b);
    if (size == 2) return _mm_unpacklo_epi16(a, b);
    return size == 4 ? _mm_unpacklo_epi32(a, b) : _mm_unpacklo_epi64(a, b);
}

SNPY_INLINED __m128i snpy_mix_high(__m128i a, __m128i b, uint32_t size)
{
    if (size == 1) return _mm_unpackhi_epi8(a, b);
    if (size == 2) return _mm_unpackhi_epi16(a, b);
    return size == 4 ? _mm_unpackhi_epi32(a, b) : _mm_unpackhi_epi64(a, b);
}

/* The loops of squares are short and lie deepest: compilers are asked to write them out, so that a square stays in
 * registers. */

/* Turns a square: as often as its side can be halved, the first half of its elements is mixed with the second. */
SNPY_INLINED void snpy_turn_square(__m128i *square, uint32_t size)
{
    const uint32_t side = VECTOR / size;
    __m128i mixed[VECTOR];
#pragma GCC unroll 4
    for (uint32_t step = 1; step < side; step *= 2) {
#pragma GCC unroll 8
        for (size_t k = 0; k < side / 2; k++) {
            mixed[2 * k] = snpy_mix_low(square[k], square[k + side / 2], size);
            mixed[2 * k + 1] = snpy_mix_high(square[k], square[k + side / 2], size);
        }
#pragma GCC unroll 16
        for (uint32_t k = 0; k < side; k++) square[k] = mixed[k];
    }
}

/* A line of elements in each of as many rows as there are elements in a vector. */
SNPY_INLINED void snpy_turn_lines(const snpy_block *block, const uint8_t *from, uint8_t *to, uint32_t size,
                                  uint32_t unit, bool streams)
{
    const uint32_t side = VECTOR / size;
    __m128i squares[SQUARES][VECTOR];
#pragma GCC unroll 4
    for (uint32_t k = 0; k < SQUARES; k++) {
#pragma GCC unroll 16
        for (uint32_t column = 0; column < side; column++, from += block->from_column)
            squares[k][column] = snpy_load_vector(from);
        snpy_turn_square(squares[k], size);
    }
#pragma GCC unroll 16
    for (uint32_t row = 0; row < side; row++, to += block->to_row) {
#pragma GCC unroll 4
        for (size_t k = 0; k < SQUARES; k++)
            snpy_store_vector(to + k * VECTOR, snpy_reverse_vector(squares[k][row], unit), streams);
    }
}

/* The lines of a tile, both of whose sides are multiples; of the columns that come next, what will be read is fetched
 * ahead. */
SNPY_INLINED void snpy_turn_tile(const snpy_block *tile, uint32_t size, uint32_t unit, bool streams)
{
    const uint32_t side = VECTOR / size;
    const uint64_t width = SNPY_LINE / size;
    for (uint64_t column = 0; column < tile->columns; column += width) {
        const uint8_t *from = tile->from + (int64_t)column * tile->from_column;
        uint8_t *to = tile->to + column * size;
        const bool is_last = column + width == tile->columns;
        for (uint64_t row = 0; row < tile->rows; row += side, from += VECTOR, to += (int64_t)side * tile->to_row) {
            snpy_turn_lines(tile, from, to, size, unit, streams);
            if (is_last || row * size % SNPY_LINE != 0) continue;
            for (uint64_t k = width; k < 2 * width; k++)
                _mm_prefetch((const char *)from + (int64_t)k * tile->from_column, _MM_HINT_T0);
        }
    }
}

#define DEFINE_TURNER(size, unit)                                                 \
    static void snpy_turner_##size##_##unit(const snpy_block *tile, bool streams) \
    {                                                                             \
        if (streams)                                                              \
            snpy_turn_tile(tile, size, unit, true);                               \
        else                                                                      \
            snpy_turn_tile(tile, size, unit, false);                              \
    }
DEFINE_TURNER(1, 1)
DEFINE_TURNER(2, 1)
DEFINE_TURNER(2, 2)
DEFINE_TURNER(4, 1)
DEFINE_TURNER(4, 2)
DEFINE_TURNER(4, 4)
DEFINE_TURNER(8, 1)
DEFINE_TURNER(8, 2)
DEFINE_TURNER(8, 4)
DEFINE_TURNER(8, 8)
DEFINE_TURNER(16, 1)
DEFINE_TURNER(16, 2)
DEFINE_TURNER(16, 4)
DEFINE_TURNER(16, 8)
DEFINE_TURNER(16, 16)

typedef void snpy_turner(const snpy_block *tile, bool streams);

/* The function for elements of a block's size and unit, NULL if there is none. */
static snpy_turner *snpy_find_turner(const snpy_block *block)
{
    static const struct {
        uint32_t size;
        uint32_t unit;
        snpy_turner *turner;
    } turners[] = {
        {1, 1, snpy_turner_1_1},   {2, 1, snpy_turner_2_1},   {2, 2, snpy_turner_2_2},     {4, 1, snpy_turner_4_1},
        {4, 2, snpy_turner_4_2},   {4, 4, snpy_turner_4_4},   {8, 1, snpy_turner_8_1},     {8, 2, snpy_turner_8_2},
        {8, 4, snpy_turner_8_4},   {8, 8, snpy_turner_8_8},   {16, 1, snpy_turner_16_1},   {16, 2, snpy_turner_16_2},
        {16, 4, snpy_turner_16_4}, {16, 8, snpy_turner_16_8}, {16, 16, snpy_turner_16_16},
    };
    if (block->plan != NULL) return NULL;
    for (size_t k = 0; k < sizeof turners / sizeof turners[0]; k++)
        if (turners[k].size == block->size && turners[k].unit == block->unit) return turners[k].turner;
    return NULL;
}

/* Moves what does not fill lines. */
static void snpy_move_edge(const snpy_block *edge)
{
    if (edge->rows > 0 && edge->columns > 0) snpy_find_mover(edge)(edge);
}

/* Writes bytes that lie densely: whole lines of memory past the caches. */
static void snpy_stream_bytes(const uint8_t *from, uint8_t *to, uint64_t size)
{
    uint64_t at = (SNPY_LINE - (uintptr_t)to % SNPY_LINE) % SNPY_LINE;
    if (at > size) at = size;
    memcpy(to, from, (size_t)at);
    for (; size - at >= SNPY_LINE; at += SNPY_LINE)
        for (uint64_t k = 0; k < SNPY_LINE; k += VECTOR)
            snpy_store_vector(to + at + k, snpy_load_vector(from + at + k), true);
    memcpy(to + at, from + at, (size_t)(size - at));
}

/* Moves a tile whose rows begin anywhere in a line: some rows at a time are collected in memory that the caches hold. */
static void snpy_stage_tile(const snpy_block *tile, snpy_turner *turner)
{
    uint8_t stage[STAGE_ROWS * TILE_BYTES];
    for (uint64_t row = 0; row < tile->rows; row += STAGE_ROWS) {
        snpy_block part = snpy_cut_block(tile, row, 0, STAGE_ROWS, tile->columns);
        uint8_t *to = part.to;
        part.to = stage;
        part.to_row = (int64_t)TILE_BYTES;
        turner(&part, false);
        for (uint64_t k = 0; k < part.rows; k++, to += tile->to_row)
            snpy_stream_bytes(stage + k * TILE_BYTES, to, part.columns * part.size);
    }
}

/* How whole lines are written. */
enum snpy_way { SNPY_WAY_CACHED, SNPY_WAY_STREAMED, SNPY_WAY_STAGED };

/* Moves a block in tiles: whole lines first, then the rows and columns that are left over. */
static void snpy_transpose_tiles(const snpy_block *block, snpy_turner *turner, enum snpy_way way)
{
    const uint64_t side = VECTOR / block->size;
    const uint64_t width = SNPY_LINE / block->size;
    const uint64_t rows = block->rows - block->rows % side;
    const uint64_t columns = block->columns - block->columns % width;
    const snpy_block whole = snpy_cut_block(block, 0, 0, rows, columns);
    for (uint64_t row = 0; row < rows; row += TILE_ROWS) {
        for (uint64_t column = 0; column < columns; column += TILE_BYTES / block->size) {
            const snpy_block tile = snpy_cut_block(&whole, row, column, TILE_ROWS, TILE_BYTES / block->size);
            if (way == SNPY_WAY_STAGED)
                snpy_stage_tile(&tile, turner);
            else
                turner(&tile, way == SNPY_WAY_STREAMED);
        }
    }
    const snpy_block last_columns = snpy_cut_block(block, 0, columns, rows, width);
    const snpy_block last_rows = snpy_cut_block(block, rows, 0, side, block->columns);
    snpy_move_edge(&last_columns);
    snpy_move_edge(&last_rows);
}

/* The columns before the first whole line of each row; as many as there are if no line is whole in all rows. */
static uint64_t snpy_columns_before_line(const snpy_block *block)
{
    const uint64_t missing = (SNPY_LINE - (uintptr_t)block->to % SNPY_LINE) % SNPY_LINE;
    const bool is_regular = block->to_row % (int64_t)SNPY_LINE == 0 && missing % block->size == 0;
    return is_regular ? missing / block->size : block->columns; /* a row has more bytes than a line: STREAM_ROW */
}

/* Whether lines are to be written past the caches: the rows lie further apart than these reach, so that a line is gone
 * before it is wanted again, and the block is worth it. Blocks of many axes are small, but there are many of them. */
static bool snpy_passes_caches(const snpy_block *block)
{
    const uint64_t row = block->columns * block->size;
    if (row < STREAM_ROW || row < STREAM_BLOCK / block->rows) return false;
    return (uint64_t)block->to_row >= SNPY_STREAM_BYTES / block->rows;
}

bool snpy_transpose(const snpy_block *block)
{
    snpy_turner *turner = snpy_find_turner(block);
    if (turner == NULL) return false;
    if (block->from_row != (int64_t)block->size || block->to_column != (int64_t)block->size) return false;
    if (!snpy_passes_caches(block)) {
        snpy_transpose_tiles(block, turner, SNPY_WAY_CACHED);
        return true;
    }
    const uint64_t first = snpy_columns_before_line(block);
    if (first == block->columns) {
        snpy_transpose_tiles(block, turner, SNPY_WAY_STAGED);
    } else {
        const snpy_block edge = snpy_cut_block(block, 0, 0, block->rows, first);
        const snpy_block rest = snpy_cut_block(block, 0, first, block->rows, block->columns - first);
        snpy_move_edge(&edge);
        snpy_transpose_tiles(&rest, turner, SNPY_WAY_STREAMED);
    }
    _mm_sfence();
    return true;
}

#else

bool snpy_transpose(const snpy_block *block)
{
    (void)block;
    return false;
}

#endif
