/* transpose.c: moves blocks whose rows become columns.                         NPY-VALUE-001, 011, 012, NPY-DATA-008
 * Tested against the proved copy. copy_fast.c says where elements are; block.c moves what is left
 * over at the edges.
 *
 * Squares of elements are transposed in registers, four side by side, so that each cache line is written as a whole. If
 * the block is large, lines are written past the caches: then they need not be read first. A tile is processed column by
 * column: reads are contiguous for a while, and the few pages written to stay in the processor's page cache (TLB). */
#include "data/block.h"
#include "data/vector.h"

#include <string.h>

#ifdef __SSE2__

/* Rows of a tile, and bytes of each row. Other sizes were measured to be slower. */
#define TILE_ROWS ((uint64_t)256)
#define TILE_BYTES ((uint64_t)2048)

/* Rows that are collected before they are written, if cache lines start at different columns in them. They fit the
 * first cache. */
#define STAGE_ROWS ((uint64_t)16)

/* Bytes of a row and of a block from which on the caches may be bypassed: each row then has a whole cache line. */
#define STREAM_ROW ((uint64_t)128)
#define STREAM_BLOCK ((uint64_t)4096)

#define VECTOR ((uint32_t)sizeof(__m128i))
#define SQUARES ((uint32_t)(SNPY_LINE / sizeof(__m128i)))

/* Interleaves the elements of the first halves of two vectors. */
SNPY_INLINED __m128i snpy_mix_low(__m128i a, __m128i b, uint32_t size)
{
    if (size == 1) return _mm_unpacklo_epi8(a, b);
    if (size == 2) return _mm_unpacklo_epi16(a, b);
    return size == 4 ? _mm_unpacklo_epi32(a, b) : _mm_unpacklo_epi64(a, b);
}

/* Interleaves the elements of their second halves. */
SNPY_INLINED __m128i snpy_mix_high(__m128i a, __m128i b, uint32_t size)
{
    if (size == 1) return _mm_unpackhi_epi8(a, b);
    if (size == 2) return _mm_unpackhi_epi16(a, b);
    return size == 4 ? _mm_unpackhi_epi32(a, b) : _mm_unpackhi_epi64(a, b);
}

/* The innermost loops are short. Compilers are asked to unroll them, so that a square stays in registers. */

/* Transposes a square of elements. Each step interleaves the first half of its vectors with the second; log2(side)
 * steps transpose it. */
SNPY_INLINED void snpy_transpose_square(__m128i *square, uint32_t size)
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

/* Transposes squares that lie side by side in `to`: one cache line in each of `side` rows. */
SNPY_INLINED void snpy_transpose_lines(const snpy_block *block, const uint8_t *from, uint8_t *to, uint32_t size,
                                       uint32_t unit, bool streams)
{
    const uint32_t side = VECTOR / size;
    __m128i squares[SQUARES][VECTOR];
#pragma GCC unroll 4
    for (uint32_t k = 0; k < SQUARES; k++) {
#pragma GCC unroll 16
        for (uint32_t column = 0; column < side; column++, from += block->from_column)
            squares[k][column] = snpy_load_vector(from);
        snpy_transpose_square(squares[k], size);
    }
#pragma GCC unroll 16
    for (uint32_t row = 0; row < side; row++, to += block->to_row) {
#pragma GCC unroll 4
        for (size_t k = 0; k < SQUARES; k++)
            snpy_store_vector(to + k * VECTOR, snpy_reverse_vector(squares[k][row], unit), streams);
    }
}

/* Transposes a tile. Its rows must be a multiple of a vector's elements, its columns of a cache line's. While one line
 * of columns is read, the next one is prefetched. */
SNPY_INLINED void snpy_transpose_tile(const snpy_block *tile, uint32_t size, uint32_t unit, bool streams)
{
    const uint32_t side = VECTOR / size;
    const uint64_t width = SNPY_LINE / size;
    for (uint64_t column = 0; column < tile->columns; column += width) {
        const uint8_t *from = tile->from + (int64_t)column * tile->from_column;
        uint8_t *to = tile->to + column * size;
        const bool is_last = column + width == tile->columns;
        for (uint64_t row = 0; row < tile->rows; row += side, from += VECTOR, to += (int64_t)side * tile->to_row) {
            snpy_transpose_lines(tile, from, to, size, unit, streams);
            if (is_last || row * size % SNPY_LINE != 0) continue;
            for (uint64_t k = width; k < 2 * width; k++)
                _mm_prefetch((const char *)from + (int64_t)k * tile->from_column, _MM_HINT_T0);
        }
    }
}

/* Defines the function for one size and unit, constants in its loops. */
#define DEFINE_TRANSPOSE_KERNEL(size, unit)                                                 \
    static void snpy_transpose_kernel_##size##_##unit(const snpy_block *tile, bool streams) \
    {                                                                                       \
        if (streams)                                                                        \
            snpy_transpose_tile(tile, size, unit, true);                                    \
        else                                                                                \
            snpy_transpose_tile(tile, size, unit, false);                                   \
    }
DEFINE_TRANSPOSE_KERNEL(1, 1)
DEFINE_TRANSPOSE_KERNEL(2, 1)
DEFINE_TRANSPOSE_KERNEL(2, 2)
DEFINE_TRANSPOSE_KERNEL(4, 1)
DEFINE_TRANSPOSE_KERNEL(4, 2)
DEFINE_TRANSPOSE_KERNEL(4, 4)
DEFINE_TRANSPOSE_KERNEL(8, 1)
DEFINE_TRANSPOSE_KERNEL(8, 2)
DEFINE_TRANSPOSE_KERNEL(8, 4)
DEFINE_TRANSPOSE_KERNEL(8, 8)
DEFINE_TRANSPOSE_KERNEL(16, 1)
DEFINE_TRANSPOSE_KERNEL(16, 2)
DEFINE_TRANSPOSE_KERNEL(16, 4)
DEFINE_TRANSPOSE_KERNEL(16, 8)
DEFINE_TRANSPOSE_KERNEL(16, 16)

typedef void snpy_transpose_kernel(const snpy_block *tile, bool streams);

/* Returns the function for a block's size and unit; NULL if there is none or the block has a plan. */
static snpy_transpose_kernel *snpy_find_transpose_kernel(const snpy_block *block)
{
    static const struct {
        uint32_t size;
        uint32_t unit;
        snpy_transpose_kernel *kernel;
    } kernels[] = {
        {1, 1, snpy_transpose_kernel_1_1},   {2, 1, snpy_transpose_kernel_2_1},   {2, 2, snpy_transpose_kernel_2_2},
        {4, 1, snpy_transpose_kernel_4_1},   {4, 2, snpy_transpose_kernel_4_2},   {4, 4, snpy_transpose_kernel_4_4},
        {8, 1, snpy_transpose_kernel_8_1},   {8, 2, snpy_transpose_kernel_8_2},   {8, 4, snpy_transpose_kernel_8_4},
        {8, 8, snpy_transpose_kernel_8_8},   {16, 1, snpy_transpose_kernel_16_1}, {16, 2, snpy_transpose_kernel_16_2},
        {16, 4, snpy_transpose_kernel_16_4}, {16, 8, snpy_transpose_kernel_16_8}, {16, 16, snpy_transpose_kernel_16_16},
    };
    if (block->plan != NULL) return NULL;
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++)
        if (kernels[k].size == block->size && kernels[k].unit == block->unit) return kernels[k].kernel;
    return NULL;
}

/* Moves the rows or columns at an edge of a block that fill no whole square or cache line, if there are any. */
static void snpy_move_edge(const snpy_block *edge)
{
    if (edge->rows > 0 && edge->columns > 0) snpy_find_mover(edge)(edge);
}

/* Copies contiguous bytes, whole cache lines past the caches. The caller ends with a fence. */
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

/* Transposes a tile whose rows start anywhere in a cache line: into a small buffer, STAGE_ROWS rows at a time, and from
 * there past the caches. */
static void snpy_stage_tile(const snpy_block *tile, snpy_transpose_kernel *kernel)
{
    uint8_t stage[STAGE_ROWS * TILE_BYTES];
    for (uint64_t row = 0; row < tile->rows; row += STAGE_ROWS) {
        snpy_block part = snpy_cut_block(tile, row, 0, STAGE_ROWS, tile->columns);
        uint8_t *to = part.to;
        part.to = stage;
        part.to_row = (int64_t)TILE_BYTES;
        kernel(&part, false);
        for (uint64_t k = 0; k < part.rows; k++, to += tile->to_row)
            snpy_stream_bytes(stage + k * TILE_BYTES, to, part.columns * part.size);
    }
}

/* How whole cache lines are written: through the caches, past them, or past them by way of a buffer. */
enum snpy_store_mode { SNPY_STORE_CACHED, SNPY_STORE_STREAMED, SNPY_STORE_STAGED };

/* Moves a block in tiles: first what fills whole lines, then the last rows and columns, which snpy_cut_block limits to
 * those that are left. */
static void snpy_transpose_tiles(const snpy_block *block, snpy_transpose_kernel *kernel,
                                 enum snpy_store_mode store_mode)
{
    const uint64_t side = VECTOR / block->size;
    const uint64_t width = SNPY_LINE / block->size;
    const uint64_t rows = block->rows - block->rows % side;
    const uint64_t columns = block->columns - block->columns % width;
    const snpy_block whole = snpy_cut_block(block, 0, 0, rows, columns);
    for (uint64_t row = 0; row < rows; row += TILE_ROWS) {
        for (uint64_t column = 0; column < columns; column += TILE_BYTES / block->size) {
            const snpy_block tile = snpy_cut_block(&whole, row, column, TILE_ROWS, TILE_BYTES / block->size);
            if (store_mode == SNPY_STORE_STAGED)
                snpy_stage_tile(&tile, kernel);
            else
                kernel(&tile, store_mode == SNPY_STORE_STREAMED);
        }
    }
    const snpy_block last_columns = snpy_cut_block(block, 0, columns, rows, width);
    const snpy_block last_rows = snpy_cut_block(block, rows, 0, side, block->columns);
    snpy_move_edge(&last_columns);
    snpy_move_edge(&last_rows);
}

/* Returns the number of columns before the first cache line that starts with an element in every row. If there is no
 * such line, returns the number of all columns. */
static uint64_t snpy_columns_before_line(const snpy_block *block)
{
    const uint64_t missing = (SNPY_LINE - (uintptr_t)block->to % SNPY_LINE) % SNPY_LINE;
    const bool is_regular = block->to_row % (int64_t)SNPY_LINE == 0 && missing % block->size == 0;
    return is_regular ? missing / block->size : block->columns; /* a row is longer than a line: STREAM_ROW */
}

/* Whether to write past the caches. They do not help if rows are so far apart that a line is evicted before its next
 * element comes. Very short rows and very small blocks go through the caches in any case. */
static bool snpy_bypasses_caches(const snpy_block *block)
{
    const uint64_t row = block->columns * block->size;
    if (row < STREAM_ROW || row < STREAM_BLOCK / block->rows) return false;
    return (uint64_t)block->to_row >= SNPY_STREAM_BYTES / block->rows;
}

bool snpy_transpose(const snpy_block *block)
{
    snpy_transpose_kernel *kernel = snpy_find_transpose_kernel(block);
    if (kernel == NULL) return false;
    if (block->from_row != (int64_t)block->size || block->to_column != (int64_t)block->size) return false;
    if (!snpy_bypasses_caches(block)) {
        snpy_transpose_tiles(block, kernel, SNPY_STORE_CACHED);
        return true;
    }
    const uint64_t first = snpy_columns_before_line(block);
    if (first == block->columns) {
        snpy_transpose_tiles(block, kernel, SNPY_STORE_STAGED);
    } else {
        const snpy_block edge = snpy_cut_block(block, 0, 0, block->rows, first);
        const snpy_block rest = snpy_cut_block(block, 0, first, block->rows, block->columns - first);
        snpy_move_edge(&edge);
        snpy_transpose_tiles(&rest, kernel, SNPY_STORE_STREAMED);
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
