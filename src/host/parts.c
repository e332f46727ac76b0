/* parts.c: cuts a view into parts and iterates over them.                                                   API-VIEW
 * The core's slices keep each part within the whole. */
#include "host/part.h"

/* Returns how many elements `limit` bytes can hold, at least 1. An itemsize of 0 counts as 1. */
static uint64_t snpy_elements_within(const snpy_view *whole, uint64_t limit)
{
    uint64_t size = whole->itemsize > 0 ? whole->itemsize : 1;
    return limit > size ? limit / size : 1;
}

/* Starts at the first element, with parts of one element. */
static void snpy_parts_begin(const snpy_view *whole, snpy_parts *parts)
{
    parts->whole = whole;
    parts->is_done = whole->count == 0;
    for (uint32_t k = 0; k < whole->ndim; k++) {
        parts->side[k] = 1;
        parts->first[k] = 0;
        parts->next[k] = 0;
    }
}

void snpy_parts_rows(const snpy_view *whole, uint64_t limit, snpy_parts *parts)
{
    uint64_t left = snpy_elements_within(whole, limit);
    snpy_parts_begin(whole, parts);
    for (uint32_t k = whole->ndim; k > 0 && left > 1; k--) {
        uint64_t length = whole->shape[k - 1];
        const bool is_broken = left < length; /* then parts have length 1 along the axes before it */
        parts->side[k - 1] = is_broken ? left : length;
        left = is_broken ? 1 : left / (length > 1 ? length : 1);
    }
}

/* Returns the size of a view's stride along an axis, in bytes. */
static uint64_t snpy_leap_of(const snpy_view *view, uint32_t axis)
{
    return (uint64_t)(view->strides[axis] < 0 ? -view->strides[axis] : view->strides[axis]);
}

/* Returns the axis with the smallest stride in `view` along which a part can still grow; ndim if there is none. */
static uint32_t snpy_innermost(const snpy_view *view, const snpy_parts *parts)
{
    uint32_t best = view->ndim;
    for (uint32_t k = view->ndim; k > 0; k--) {
        if (parts->side[k - 1] >= view->shape[k - 1]) continue;
        if (best == view->ndim || snpy_leap_of(view, k - 1) < snpy_leap_of(view, best)) best = k - 1;
    }
    return best;
}

void snpy_parts_boxes(const snpy_view *whole, const snpy_view *other, uint64_t limit, snpy_parts *parts)
{
    const snpy_view *const views[2] = {whole, other};
    snpy_parts_begin(whole, parts);
    unsigned turn = 0;
    /* The two views take turns doubling the box along their innermost axis: both get stretches of similar length. */
    for (uint64_t left = snpy_elements_within(whole, limit); left > 1; left /= 2) {
        uint32_t axis = snpy_innermost(views[turn], parts);
        if (axis == whole->ndim) return;
        uint64_t rest = whole->shape[axis] - parts->side[axis];
        parts->side[axis] += rest < parts->side[axis] ? rest : parts->side[axis];
        turn = 1 - turn;
    }
}

/* Enlarges the parts along an axis, to at most `most` elements each, so that they divide the axis about equally. `count`
 * is the number of elements of a part before; returns the number after. */
static uint64_t snpy_grow_side(snpy_parts *parts, uint32_t axis, uint64_t most, uint64_t count)
{
    const uint64_t length = parts->whole->shape[axis];
    const uint64_t others = count / parts->side[axis];
    const uint64_t per_step = most / others;
    const uint64_t steps = length / per_step + (length % per_step != 0);
    parts->side[axis] = length / steps + (length % steps != 0);
    return others * parts->side[axis];
}

void snpy_parts_strips(const snpy_view *whole, const snpy_view *other, uint64_t limit, uint64_t least,
                       snpy_parts *parts)
{
    const uint64_t most = snpy_elements_within(whole, limit);
    const uint64_t first = snpy_elements_within(whole, least);
    uint64_t count = 1;
    snpy_parts_begin(whole, parts);
    if (parts->is_done) return;
    while (count < first) {
        const uint32_t axis = snpy_innermost(whole, parts);
        if (axis == whole->ndim) return;
        const uint64_t before = count;
        count = snpy_grow_side(parts, axis, first < most ? first : most, count);
        if (count == before || parts->side[axis] < whole->shape[axis]) break;
    }
    for (;;) {
        const uint32_t axis = snpy_innermost(other, parts);
        if (axis == whole->ndim) return;
        count = snpy_grow_side(parts, axis, most, count);
        if (parts->side[axis] < whole->shape[axis]) return;
    }
}

/* Advances to the next part, the last axis fastest; sets is_done after the last one. */
static void snpy_parts_step(snpy_parts *parts)
{
    for (uint32_t k = parts->whole->ndim; k > 0; k--) {
        uint64_t rest = parts->whole->shape[k - 1] - parts->next[k - 1];
        if (parts->side[k - 1] < rest) {
            parts->next[k - 1] += parts->side[k - 1];
            return;
        }
        parts->next[k - 1] = 0;
    }
    parts->is_done = true;
}

snpy_status snpy_parts_next(snpy_parts *parts, snpy_view *part, snpy_io_error *error)
{
    *part = *parts->whole;
    for (uint32_t k = 0; k < part->ndim; k++) {
        uint64_t rest = part->shape[k] - parts->next[k];
        uint64_t side = parts->side[k] < rest ? parts->side[k] : rest;
        snpy_slice slice = {(int64_t)parts->next[k], (int64_t)(parts->next[k] + side), 1, true, true, false};
        parts->first[k] = parts->next[k];
        if (side == part->shape[k]) continue;
        snpy_status status = snpy_view_slice(part, k, &slice, &error->error);
        if (status != SNPY_OK) return status;
    }
    snpy_parts_step(parts);
    return SNPY_OK;
}
