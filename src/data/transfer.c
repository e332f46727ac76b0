/* transfer.c: whole views copied and converted at the speed of memory.              NPY-VALUE-001, 011, 012, API-VIEW
 * Proves nothing; it is tested against the proved snpy_copy, to which it leaves what it does not understand. Leaves to
 * the core whether views and plan are sound, and the loops to block.c.
 *
 * The axes are sorted so that the places written to follow one another, those that lie together are joined, and what
 * is contiguous on both sides becomes one large element. If the places read from follow another axis, the two axes
 * are walked in tiles, so that each line of memory that is touched is used as a whole while it is in the cache. */
#include "safenpy/transfer.h"
#include "core/core.h"
#include "data/block.h"

/* Bytes along a side of a tile: of the small ones, whose lines the first cache holds on both sides, and of the large
 * ones that are made of them, so that neighbours follow one another. Measured: others are slower. */
#define SMALL_TILE_BYTES 512u
#define LARGE_TILE_BYTES 2048u

typedef struct snpy_axis {
    uint64_t length;
    int64_t from; /* bytes from one element to the next */
    int64_t to;
} snpy_axis;

/* A copy, with the axes along which there are two elements at least; the last one has the smallest stride in `to`. */
typedef struct snpy_route {
    snpy_block block; /* its elements; `from` and `to` are those of the first one */
    snpy_mover *mover;
    uint32_t ndim;
    snpy_axis axes[SNPY_MAX_NDIM];
} snpy_route;

/* --- finding the way --------------------------------------------------------------------------------------- */

/* Adds an axis where its stride belongs. A negative stride in `to` is walked from the other end. */
static void snpy_add_axis(snpy_route *route, uint64_t length, int64_t from, int64_t to)
{
    if (length == 1) return;
    if (to < 0) {
        const int64_t last = (int64_t)(length - 1);
        route->block.from += last * from;
        route->block.to += last * to;
        from = -from;
        to = -to;
    }
    uint32_t k = route->ndim++;
    for (; k > 0 && route->axes[k - 1].to < to; k--) route->axes[k] = route->axes[k - 1];
    route->axes[k].length = length;
    route->axes[k].from = from;
    route->axes[k].to = to;
}

/* Whether no two elements share a byte in `to`: only then is their order of no account. */
static bool snpy_is_spread(const snpy_route *route)
{
    int64_t span = (int64_t)route->block.size;
    for (uint32_t k = route->ndim; k > 0;) {
        const snpy_axis *axis = &route->axes[--k];
        if (axis->to < span) return false;
        span += (int64_t)(axis->length - 1) * axis->to;
    }
    return true;
}

/* Joins axes that continue one another on both sides, from the last to the first. */
static void snpy_join_axes(snpy_route *route)
{
    uint32_t kept = SNPY_MAX_NDIM;
    snpy_axis joined[SNPY_MAX_NDIM];
    for (uint32_t k = route->ndim; k > 0;) {
        const snpy_axis *axis = &route->axes[--k];
        snpy_axis *inner = kept < SNPY_MAX_NDIM ? &joined[kept] : NULL;
        if (inner != NULL && axis->from == inner->from * (int64_t)inner->length &&
            axis->to == inner->to * (int64_t)inner->length)
            inner->length *= axis->length;
        else
            joined[--kept] = *axis;
    }
    route->ndim = SNPY_MAX_NDIM - kept;
    for (uint32_t k = 0; k < route->ndim; k++) route->axes[k] = joined[kept + k];
}

/* Makes one element of those that lie directly after one another, unless each has a plan. */
static void snpy_join_elements(snpy_route *route)
{
    if (route->ndim == 0 || route->block.plan != NULL) return;
    const snpy_axis *last = &route->axes[route->ndim - 1];
    const int64_t size = (int64_t)route->block.size;
    if (last->from != size || last->to != size) return;
    route->block.size *= last->length;
    route->ndim--;
}

/* Takes a plan of one run that treats all bytes of the element alike as such. */
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

/* Finds the way for views of the same shape; false if there is none. */
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

/* --- going it ---------------------------------------------------------------------------------------------- */

/* The elements of a size along a side of this many bytes. */
static inline uint64_t snpy_side(uint64_t bytes, uint64_t size)
{
    return size < bytes ? bytes / size : 1;
}

/* Moves a block in small tiles. */
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

/* Moves a block in large tiles of small ones. */
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

static inline uint64_t snpy_distance(int64_t stride)
{
    return stride < 0 ? (uint64_t)-stride : (uint64_t)stride;
}

/* Takes two axes out of a route, for the block: the last one as its columns, and, as its rows, the one along which
 * `from` is dense. Returns whether the block is to be moved in tiles. */
static bool snpy_take_axes(snpy_route *route)
{
    snpy_block *block = &route->block;
    block->rows = block->columns = 1;
    block->from_row = block->to_row = block->from_column = block->to_column = 0;
    if (route->ndim == 0) return false;
    const snpy_axis column = route->axes[--route->ndim];
    block->columns = column.length;
    block->from_column = column.from;
    block->to_column = column.to;
    if (route->ndim == 0) return false;
    uint32_t nearest = route->ndim - 1;
    for (uint32_t k = 0; k < route->ndim; k++)
        if (snpy_distance(route->axes[k].from) < snpy_distance(route->axes[nearest].from)) nearest = k;
    const bool is_tiled = snpy_distance(route->axes[nearest].from) < snpy_distance(column.from);
    if (!is_tiled) nearest = route->ndim - 1;
    block->rows = route->axes[nearest].length;
    block->from_row = route->axes[nearest].from;
    block->to_row = route->axes[nearest].to;
    for (uint32_t k = nearest + 1; k < route->ndim; k++) route->axes[k - 1] = route->axes[k];
    route->ndim--;
    return is_tiled;
}

/* Moves a block along the axes of its route: to the next place, the last axis fastest. False after the last place. */
static bool snpy_step(snpy_route *route, uint64_t *index)
{
    for (uint32_t k = route->ndim; k > 0;) {
        const snpy_axis *axis = &route->axes[--k];
        if (++index[k] < axis->length) {
            route->block.from += axis->from;
            route->block.to += axis->to;
            return true;
        }
        index[k] = 0;
        route->block.from -= (int64_t)(axis->length - 1) * axis->from;
        route->block.to -= (int64_t)(axis->length - 1) * axis->to;
    }
    return false;
}

/* Moves all elements of a route. */
static void snpy_go(snpy_route *route)
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

snpy_status snpy_transfer(const snpy_view *from, const uint8_t *data, const snpy_plan *plan, const snpy_view *to,
                          uint8_t *out, snpy_error *error)
{
    snpy_route route;
    snpy_view source = *from; /* the check counts their elements, and shall not write to the caller's */
    snpy_view target = *to;
    if (snpy_view_check(&source, error) != SNPY_OK || snpy_view_check(&target, error) != SNPY_OK) return error->status;
    if (snpy_plan_check(plan, error) != SNPY_OK || source.count != target.count || source.itemsize != plan->itemsize ||
        target.itemsize != plan->itemsize)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    if (source.count == 0 || plan->itemsize == 0) return snpy_fail(error, SNPY_OK, 0);
    if (!snpy_find_route(&source, data, plan, &target, out, &route))
        return snpy_copy(&source, data, plan, &target, out, error);
    snpy_go(&route);
    return snpy_fail(error, SNPY_OK, 0);
}

snpy_status snpy_transfer_here(const snpy_view *view, uint8_t *data, const snpy_plan *plan, snpy_error *error)
{
    snpy_route route;
    snpy_view checked = *view;
    if (snpy_view_check(&checked, error) != SNPY_OK) return error->status;
    if (snpy_plan_check(plan, error) != SNPY_OK || checked.itemsize != plan->itemsize)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    if (checked.count == 0 || plan->itemsize == 0) return snpy_fail(error, SNPY_OK, 0);
    if (!snpy_find_route(&checked, data, plan, &checked, data, &route))
        return snpy_convert(&checked, data, plan, error);
    snpy_go(&route);
    return snpy_fail(error, SNPY_OK, 0);
}
