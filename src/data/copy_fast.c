/* copy_fast.c: copies and converts whole views at the speed of memory.               NPY-VALUE-001, 011, 012, API-VIEW
 * Tested against the proved snpy_copy, which does the work wherever this file cannot. The core
 * checks views and plan; block.c has the loops.
 *
 * The axes are sorted by their stride in `to`, so that writing goes forward in memory. Adjacent axes are joined where
 * they continue one another, and elements that are contiguous on both sides become one large element. If `from` is
 * contiguous along another axis than `to`, the two axes are moved in tiles, so that every cache line is used as a whole
 * while it is cached. */
#include "safenpy/copy_fast.h"
#include "core/core.h"
#include "data/block.h"

/* Bytes along a side of a tile. The lines of a small tile fit the first cache on both sides; a large tile consists of
 * small ones, so that neighbours are moved one after another. Other sizes were measured to be slower. */
#define SMALL_TILE_BYTES 512u
#define LARGE_TILE_BYTES 2048u

typedef struct snpy_axis {
    uint64_t length;
    int64_t from_stride; /* bytes from one element to the next */
    int64_t to_stride;
} snpy_axis;

/* How a view is copied: the axes with at least two elements, sorted; the last one has the smallest stride in `to`. */
typedef struct snpy_route {
    snpy_block block; /* the block at the current index; at first, `from` and `to` of the first element */
    snpy_mover *mover;
    uint32_t ndim;
    snpy_axis axes[SNPY_MAX_NDIM];
} snpy_route;

/* --- choosing a route -------------------------------------------------------------------------------------- */

/* Inserts an axis, sorted by its stride in `to`. If that is negative, the axis is reversed: it starts at its last
 * element. */
static void snpy_add_axis(snpy_route *route, uint64_t length, int64_t from_stride, int64_t to_stride)
{
    if (length == 1) return;
    if (to_stride < 0) {
        const int64_t last = (int64_t)(length - 1);
        route->block.from += last * from_stride;
        route->block.to += last * to_stride;
        from_stride = -from_stride;
        to_stride = -to_stride;
    }
    uint32_t k = route->ndim++;
    for (; k > 0 && route->axes[k - 1].to_stride < to_stride; k--) route->axes[k] = route->axes[k - 1];
    route->axes[k].length = length;
    route->axes[k].from_stride = from_stride;
    route->axes[k].to_stride = to_stride;
}

/* Whether no two elements share a byte in `to`: only then may they be copied in any order. */
static bool snpy_is_spread(const snpy_route *route)
{
    int64_t span = (int64_t)route->block.size;
    for (uint32_t k = route->ndim; k > 0;) {
        const snpy_axis *axis = &route->axes[--k];
        if (axis->to_stride < span) return false;
        span += (int64_t)(axis->length - 1) * axis->to_stride;
    }
    return true;
}

/* Joins adjacent axes that one longer axis can replace on both sides, from the last to the first. */
static void snpy_join_axes(snpy_route *route)
{
    uint32_t kept = SNPY_MAX_NDIM;
    snpy_axis joined[SNPY_MAX_NDIM];
    for (uint32_t k = route->ndim; k > 0;) {
        const snpy_axis *axis = &route->axes[--k];
        snpy_axis *inner = kept < SNPY_MAX_NDIM ? &joined[kept] : NULL;
        if (inner != NULL && axis->from_stride == inner->from_stride * (int64_t)inner->length &&
            axis->to_stride == inner->to_stride * (int64_t)inner->length)
            inner->length *= axis->length;
        else
            joined[--kept] = *axis;
    }
    route->ndim = SNPY_MAX_NDIM - kept;
    for (uint32_t k = 0; k < route->ndim; k++) route->axes[k] = joined[kept + k];
}

/* Makes the elements along the last axis one large element, if they are contiguous on both sides and have no plan. */
static void snpy_join_elements(snpy_route *route)
{
    if (route->ndim == 0 || route->block.plan != NULL) return;
    const snpy_axis *last = &route->axes[route->ndim - 1];
    const int64_t size = (int64_t)route->block.size;
    if (last->from_stride != size || last->to_stride != size) return;
    route->block.size *= last->length;
    route->ndim--;
}

/* Sets how the block converts elements: by size and unit, without a plan, if a single run keeps or reverses the whole
 * element; else by the plan. */
static void snpy_take_plan(snpy_route *route, const snpy_plan *plan)
{
    const snpy_run *run = plan->runs;
    route->block.size = plan->itemsize;
    route->block.unit = 1;
    route->block.plan = plan;
    if (plan->count != 1 || run->offset != 0 || run->end != (int64_t)plan->itemsize) return;
    if (run->action == SNPY_ACTION_ZERO) return;
    if (run->action == SNPY_ACTION_SWAP && run->end % run->unit != 0) return;
    route->block.unit = run->action == SNPY_ACTION_SWAP ? (uint32_t)run->unit : 1;
    route->block.plan = NULL;
}

/* Sorts and joins the axes of two views of the same shape and chooses the function that moves their blocks. Returns
 * false if the shapes differ or elements overlap in `to`: then snpy_copy, or in place snpy_convert, does the work. */
static bool snpy_find_route(const snpy_view *from, const uint8_t *data, const snpy_plan *plan, const snpy_view *to,
                            uint8_t *out, snpy_route *route)
{
    route->ndim = 0;
    route->block.from = data + from->offset;
    route->block.to = out + to->offset;
    snpy_take_plan(route, plan);
    if (from->ndim != to->ndim) return false;
    for (uint32_t k = 0; k < to->ndim; k++) {
        if (from->shape[k] != to->shape[k]) return false;
        snpy_add_axis(route, to->shape[k], from->strides[k], to->strides[k]);
    }
    if (!snpy_is_spread(route)) return false;
    snpy_join_axes(route);
    snpy_join_elements(route);
    route->mover = snpy_find_mover(&route->block);
    return true;
}

/* --- taking the route -------------------------------------------------------------------------------------- */

/* Returns how many elements of `size` bytes a tile's side of `bytes` bytes has; at least 1. */
static inline uint64_t snpy_side(uint64_t bytes, uint64_t size)
{
    return size < bytes ? bytes / size : 1;
}

/* Moves a block, one small tile after another. */
static void snpy_move_small_tiles(const snpy_block *whole, snpy_mover *mover)
{
    const uint64_t side = snpy_side(SMALL_TILE_BYTES, whole->size);
    for (uint64_t row = 0; row < whole->rows; row += side) {
        for (uint64_t column = 0; column < whole->columns; column += side) {
            const snpy_block tile = snpy_cut_block(whole, row, column, side, side);
            mover(&tile);
        }
    }
}

/* Moves a block in large tiles, each in small ones. */
static void snpy_move_large_tiles(const snpy_block *whole, snpy_mover *mover)
{
    const uint64_t side = snpy_side(LARGE_TILE_BYTES, whole->size);
    for (uint64_t row = 0; row < whole->rows; row += side) {
        for (uint64_t column = 0; column < whole->columns; column += side) {
            const snpy_block tile = snpy_cut_block(whole, row, column, side, side);
            snpy_move_small_tiles(&tile, mover);
        }
    }
}

/* Returns the absolute value of a stride. */
static inline uint64_t snpy_abs_stride(int64_t stride)
{
    return stride < 0 ? (uint64_t)-stride : (uint64_t)stride;
}

/* Moves two axes from the route to its block: the last one becomes the columns. The rows are the axis with the smallest
 * stride in `from` if that is smaller than the columns' stride, else the next axis. Returns whether the block is to be
 * moved in tiles: in the first case. */
static bool snpy_take_axes(snpy_route *route)
{
    snpy_block *block = &route->block;
    block->rows = block->columns = 1;
    block->from_row = block->to_row = block->from_column = block->to_column = 0;
    if (route->ndim == 0) return false;
    const snpy_axis column = route->axes[--route->ndim];
    block->columns = column.length;
    block->from_column = column.from_stride;
    block->to_column = column.to_stride;
    if (route->ndim == 0) return false;
    uint32_t nearest = route->ndim - 1;
    for (uint32_t k = 0; k < route->ndim; k++)
        if (snpy_abs_stride(route->axes[k].from_stride) < snpy_abs_stride(route->axes[nearest].from_stride))
            nearest = k;
    const bool is_tiled = snpy_abs_stride(route->axes[nearest].from_stride) < snpy_abs_stride(column.from_stride);
    if (!is_tiled) nearest = route->ndim - 1;
    block->rows = route->axes[nearest].length;
    block->from_row = route->axes[nearest].from_stride;
    block->to_row = route->axes[nearest].to_stride;
    for (uint32_t k = nearest + 1; k < route->ndim; k++) route->axes[k - 1] = route->axes[k];
    route->ndim--;
    return is_tiled;
}

/* Sets the block to the next index of the route's axes, the last axis fastest. Returns false after the last index. */
static bool snpy_step(snpy_route *route, uint64_t *index)
{
    for (uint32_t k = route->ndim; k > 0;) {
        const snpy_axis *axis = &route->axes[--k];
        if (++index[k] < axis->length) {
            route->block.from += axis->from_stride;
            route->block.to += axis->to_stride;
            return true;
        }
        index[k] = 0;
        route->block.from -= (int64_t)(axis->length - 1) * axis->from_stride;
        route->block.to -= (int64_t)(axis->length - 1) * axis->to_stride;
    }
    return false;
}

/* Copies all elements along a route. */
static void snpy_run_route(snpy_route *route)
{
    uint64_t index[SNPY_MAX_NDIM] = {0};
    const bool is_tiled = snpy_take_axes(route);
    do {
        if (!is_tiled)
            route->mover(&route->block);
        else if (!snpy_transpose(&route->block))
            snpy_move_large_tiles(&route->block, route->mover);
    } while (snpy_step(route, index));
}

/* --- the public functions ---------------------------------------------------------------------------------- */

snpy_status snpy_copy_fast(const snpy_view *from, const uint8_t *data, const snpy_plan *plan, const snpy_view *to,
                           uint8_t *out, snpy_error *error)
{
    snpy_route route;
    snpy_view source = *from; /* copies, since snpy_view_check sets `count` */
    snpy_view target = *to;
    if (snpy_view_check(&source, error) != SNPY_OK || snpy_view_check(&target, error) != SNPY_OK) return error->status;
    if (snpy_plan_check(plan, error) != SNPY_OK || source.count != target.count || source.itemsize != plan->itemsize ||
        target.itemsize != plan->itemsize)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    if (source.count == 0 || plan->itemsize == 0) return snpy_fail(error, SNPY_OK, 0);
    if (!snpy_find_route(&source, data, plan, &target, out, &route))
        return snpy_copy(&source, data, plan, &target, out, error);
    snpy_run_route(&route);
    return snpy_fail(error, SNPY_OK, 0);
}

snpy_status snpy_copy_fast_in_place(const snpy_view *view, uint8_t *data, const snpy_plan *plan, snpy_error *error)
{
    snpy_route route;
    snpy_view checked = *view;
    if (snpy_view_check(&checked, error) != SNPY_OK) return error->status;
    if (snpy_plan_check(plan, error) != SNPY_OK || checked.itemsize != plan->itemsize)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    if (checked.count == 0 || plan->itemsize == 0) return snpy_fail(error, SNPY_OK, 0);
    if (!snpy_find_route(&checked, data, plan, &checked, data, &route))
        return snpy_convert(&checked, data, plan, error);
    snpy_run_route(&route);
    return snpy_fail(error, SNPY_OK, 0);
}
