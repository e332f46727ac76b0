/* view.c: different indices have different bytes, in every view that the library makes of a whole array.
 *
 * A view is spread by rooms: r[k] is the room that each element of axis k has for all that lies within it. Axes of
 * one element or none take no part. Rooms are no part of a view: they are the witness of these proofs. */
#include "core/view.h"

/* clang-format off */
#define ROOM(v, r, k) ((v)->shape[k] > 1 ==> (v)->itemsize <= (r)[k] <= width((v)->strides[k]))
#define NEST(v, r, j, k) nests((v)->shape[j], (v)->strides[j], (r)[j], (r)[k])
#define SPREAD(v, r) \
    ((\forall integer k; 0 <= k < (v)->ndim ==> ROOM(v, r, k)) && \
     \forall integer j, k; 0 <= j < (v)->ndim && 0 <= k < (v)->ndim && j != k \
        && (v)->shape[j] > 1 && (v)->shape[k] > 1 ==> \
        NEST(v, r, j, k) || NEST(v, r, k, j))
#define BELOW(v, r, limit, k) span_below(&(v)->shape[0], &(v)->strides[0], r, limit, k, (v)->ndim)
#define DISTANCE(x, v, k) distance(x, &(v)->strides[0], k, (v)->ndim)
#define SOUND(v, r) (\valid_read(v) && (v)->ndim <= SNPY_MAX_NDIM && \valid_read(r + (0 .. SNPY_MAX_NDIM-1)))
/* clang-format on */

/* An axis of several elements reaches at least one step. */
/*@ requires 1 < n && stride != 0;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures span: width(stride) <= span(n, stride) && 1 <= width(stride);
 */
static void show_span(uint64_t n, int64_t stride)
{
    //@ assert more: 0 <= (n - 2) * width(stride);
    (void)n;
    (void)stride;
}

/* Two limits with no room between them have the same axes below them. */
/*@ requires SOUND(view, room) && low <= high;
    requires gap: \forall integer j; 0 <= j < view->ndim && view->shape[j] > 1 ==> room[j] < low || high <= room[j];
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures same: BELOW(view, room, low, 0) == BELOW(view, room, high, 0);
 */
static void show_gap(const snpy_view *view, const uint64_t *room, uint64_t low, uint64_t high)
{
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant same: BELOW(view, room, low, k) == BELOW(view, room, high, k);
        loop assigns k;
        loop variant k; */
    for (uint32_t k = view->ndim; k > 0;) {
        k--;
        //@ assert step: BELOW(view, room, low, k) == BELOW(view, room, low, k + 1) + (view->shape[k] > 1 && room[k] < low ? span(view->shape[k], view->strides[k]) : 0);
    }
    (void)room;
    (void)low;
    (void)high;
}

/* Two limits with one room between them differ by the span of its axis. */
/*@ requires SOUND(view, room) && one < view->ndim && view->shape[one] > 1 && low <= room[one] < high;
    requires gap: \forall integer j; 0 <= j < view->ndim && view->shape[j] > 1 && j != one ==>
             room[j] < low || high <= room[j];
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures one: BELOW(view, room, high, 0) == BELOW(view, room, low, 0) + span(view->shape[one], view->strides[one]);
 */
static void show_one(const snpy_view *view, const uint64_t *room, uint64_t low, uint64_t high, uint32_t one)
{
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant one: BELOW(view, room, high, k) == BELOW(view, room, low, k)
                            + (k <= one ? span(view->shape[one], view->strides[one]) : 0);
        loop assigns k;
        loop variant k; */
    for (uint32_t k = view->ndim; k > 0;) {
        k--;
        //@ assert low: BELOW(view, room, low, k) == BELOW(view, room, low, k + 1) + (view->shape[k] > 1 && room[k] < low ? span(view->shape[k], view->strides[k]) : 0);
        //@ assert high: BELOW(view, room, high, k) == BELOW(view, room, high, k + 1) + (view->shape[k] > 1 && room[k] < high ? span(view->shape[k], view->strides[k]) : 0);
    }
    (void)room;
    (void)low;
    (void)high;
    (void)one;
}

/* No axis has less room than the itemsize. */
/*@ requires SOUND(view, room) && SPREAD(view, room);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures none: BELOW(view, room, view->itemsize, 0) == 0;
 */
static void show_none_below(const snpy_view *view, const uint64_t *room)
{
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant none: BELOW(view, room, view->itemsize, k) == 0;
        loop assigns k;
        loop variant k; */
    for (uint32_t k = view->ndim; k > 0;) k--;
    (void)room;
}

/* Each axis of several elements reaches further than its room. */
/*@ requires SOUND(view, room) && SPREAD(view, room) && 0 < view->itemsize;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures spans: \forall integer k; 0 <= k < view->ndim && view->shape[k] > 1 ==>
            0 < room[k] <= width(view->strides[k]) <= span(view->shape[k], view->strides[k]);
 */
static void show_spans(const snpy_view *view, const uint64_t *room)
{
    /*@ loop invariant range: 0 <= j <= view->ndim;
        loop invariant spans: \forall integer k; 0 <= k < j && view->shape[k] > 1 ==>
            0 < room[k] <= width(view->strides[k]) <= span(view->shape[k], view->strides[k]);
        loop assigns j;
        loop variant view->ndim - j; */
    for (uint32_t j = 0; j < view->ndim; j++)
        if (view->shape[j] > 1) show_span(view->shape[j], view->strides[j]);
    (void)room;
}

/* The axis of several elements with the least room that is not below a limit; `top` is one of them. */
/*@ requires SOUND(view, room) && top < view->ndim && view->shape[top] > 1 && limit <= room[top];
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result < view->ndim && view->shape[\result] > 1 && limit <= room[\result] <= room[top];
    ensures least: \forall integer j; 0 <= j < view->ndim && view->shape[j] > 1 && limit <= room[j] ==>
            room[\result] <= room[j];
 */
static uint32_t next_axis(const snpy_view *view, const uint64_t *room, uint64_t limit, uint32_t top)
{
    uint32_t least = top;
    /*@ loop invariant range: 0 <= k <= view->ndim && least < view->ndim;
        loop invariant axis: view->shape[least] > 1 && limit <= room[least] <= room[top];
        loop invariant least: \forall integer j; 0 <= j < k && view->shape[j] > 1 && limit <= room[j] ==>
                room[least] <= room[j];
        loop assigns k, least;
        loop variant view->ndim - k; */
    for (uint32_t k = 0; k < view->ndim; k++)
        if (view->shape[k] > 1 && limit <= room[k] && room[k] < room[least]) least = k;
    return least;
}

/* The width of a stride. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures exact: \result == width(stride);
 */
static uint64_t width_of(int64_t stride)
{
    return stride < 0 ? (uint64_t) - (stride + 1) + 1 : (uint64_t)stride;
}

/* The room of one axis less than the next: its whole span behind it. */
/*@ requires 1 <= n && nests(n, stride, room, outer);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures exact: \result == span(n, stride) + room;
 */
static uint64_t end_of(uint64_t n, int64_t stride, uint64_t room, uint64_t outer)
{
    uint64_t step = stride < 0 ? (uint64_t) - (stride + 1) + 1 : (uint64_t)stride;
    (void)outer;
    //@ assert step: step == width(stride);
    //@ assert span: 0 <= (n - 1) * step == span(n, stride);
    return (n - 1) * step + room;
}

/* The axis with the least room that is not below a limit has the next ones lie behind its end. */
/*@ requires SOUND(view, room) && SPREAD(view, room) && 0 < view->itemsize;
    requires next < view->ndim && view->shape[next] > 1;
    requires end == span(view->shape[next], view->strides[next]) + room[next];
    requires least: \forall integer j; 0 <= j < view->ndim && view->shape[j] > 1 && limit <= room[j] ==>
            room[next] <= room[j];
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures alone: \forall integer j; 0 <= j < view->ndim && view->shape[j] > 1 && j != next ==>
            room[j] < limit || end <= room[j];
 */
static void show_alone(const snpy_view *view, const uint64_t *room, uint64_t limit, uint64_t end, uint32_t next)
{
    show_spans(view, room);
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant alone: \forall integer j; 0 <= j < k && view->shape[j] > 1 && j != next ==>
            room[j] < limit || end <= room[j];
        loop assigns k;
        loop variant view->ndim - k; */
    for (uint32_t k = 0; k < view->ndim; k++) {
        if (view->shape[k] <= 1 || k == next) continue;
        //@ assert nests: NEST(view, room, k, next) || NEST(view, room, next, k);
    }
    (void)limit;
    (void)end;
}

/* All axes with less room than an axis have, lie within one of its elements, with an itemsize left. */
/*@ requires SOUND(view, room) && SPREAD(view, room) && 0 < view->itemsize;
    requires top < view->ndim && view->shape[top] > 1;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures within: BELOW(view, room, room[top], 0) + view->itemsize <= room[top];
 */
static void show_within(const snpy_view *view, const uint64_t *room, uint32_t top)
{
    uint64_t limit = view->itemsize;
    show_none_below(view, room);
    show_spans(view, room);
    /*@ loop invariant range: view->itemsize <= limit <= room[top];
        loop invariant within: BELOW(view, room, limit, 0) + view->itemsize <= limit;
        loop assigns limit;
        loop variant room[top] - limit; */
    for (;;) {
        uint32_t next = next_axis(view, room, limit, top);
        show_gap(view, room, limit, room[next]);
        if (room[next] == room[top]) return;
        //@ assert nests: NEST(view, room, next, top);
        uint64_t end = end_of(view->shape[next], view->strides[next], room[next], room[top]);
        show_alone(view, room, limit, end, next);
        show_one(view, room, room[next], end, next);
        limit = end;
    }
}

/* Products are ordered as their factors. */
/*@ requires a <= b;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures ordered: 0 <= a * factor <= b * factor;
    ensures least: 1 <= a ==> factor <= a * factor;
 */
static void show_ordered(uint64_t a, uint64_t b, uint64_t factor)
{
    //@ assert more: 0 <= (b - a) * factor;
    //@ assert least: 1 <= a ==> 0 <= (a - 1) * factor;
    (void)a;
    (void)b;
    (void)factor;
}

/* A difference times a width. */
/*@ requires y < x;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures up: stride >= 0 ==> (x - y) * width(stride) == x * stride - y * stride;
    ensures down: stride < 0 ==> (x - y) * width(stride) == y * stride - x * stride;
 */
static void show_difference(uint64_t x, uint64_t y, int64_t stride)
{
    (void)x;
    (void)y;
    (void)stride;
}

/* Two indices of an axis lie no further apart than the axis reaches, and one step at least. */
/*@ requires y < x < n <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures far: -span(n, stride) <= hop(x, stride) - hop(y, stride) <= span(n, stride);
    ensures apart: hop(x, stride) - hop(y, stride) >= width(stride)
                   || hop(x, stride) - hop(y, stride) <= -width(stride);
 */
static void show_hops(uint64_t n, int64_t stride, uint64_t x, uint64_t y)
{
    show_ordered(x - y, n - 1, width_of(stride));
    show_difference(x, y, stride);
    //@ ghost show_hop(x, stride);
    //@ ghost show_hop(y, stride);
    //@ assert up: stride >= 0 ==> hop(x, stride) - hop(y, stride) == (x - y) * width(stride);
    //@ assert down: stride < 0 ==> hop(y, stride) - hop(x, stride) == (x - y) * width(stride);
    (void)n;
}

/* The axis with the most room of those where two indices differ; ndim if they do not. */
/*@ requires SOUND(view, room) && SPREAD(view, room) && 0 < view->itemsize;
    requires \valid_read(x + (0 .. view->ndim-1)) && \valid_read(y + (0 .. view->ndim-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures none: \result == view->ndim ==> \forall integer k; 0 <= k < view->ndim ==> x[k] == y[k];
    ensures one: \result != view->ndim ==> \result < view->ndim && x[\result] != y[\result];
    ensures most: \result != view->ndim ==> \forall integer k; 0 <= k < view->ndim && x[k] != y[k] ==>
            room[k] <= room[\result];
 */
static uint32_t widest(const snpy_view *view, const uint64_t *room, const uint64_t *x, const uint64_t *y)
{
    uint32_t most = view->ndim;
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant none: most == view->ndim ==> \forall integer j; 0 <= j < k ==> x[j] == y[j];
        loop invariant one: most != view->ndim ==> most < view->ndim && x[most] != y[most];
        loop invariant most: most != view->ndim ==> \forall integer j; 0 <= j < k && x[j] != y[j] ==>
                room[j] <= room[most];
        loop assigns k, most;
        loop variant view->ndim - k; */
    for (uint32_t k = 0; k < view->ndim; k++)
        if (x[k] != y[k] && (most == view->ndim || room[k] > room[most])) most = k;
    return most;
}

/* One axis' part of the distance between two indices: none, or at most its span, and at least its width. */
/*@ requires \valid_read(view) && k < view->ndim <= SNPY_MAX_NDIM && x < view->shape[k] && y < view->shape[k];
    requires SNPY_AXIS_FULL(view, k);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures same: x == y ==> hop(x, view->strides[k]) == hop(y, view->strides[k]);
    ensures far: x != y ==> -span(view->shape[k], view->strides[k])
                            <= hop(x, view->strides[k]) - hop(y, view->strides[k])
                            <= span(view->shape[k], view->strides[k]);
    ensures apart: x != y ==> hop(x, view->strides[k]) - hop(y, view->strides[k]) >= width(view->strides[k])
                              || hop(x, view->strides[k]) - hop(y, view->strides[k]) <= -width(view->strides[k]);
 */
static void show_part(const snpy_view *view, uint32_t k, uint64_t x, uint64_t y)
{
    if (x > y) show_hops(view->shape[k], view->strides[k], x, y);
    if (y > x) show_hops(view->shape[k], view->strides[k], y, x);
}

/* All axes but the widest bring two places no closer than they reach together. */
/*@ requires SOUND(view, room) && SPREAD(view, room) && 0 < view->itemsize;
    requires \valid_read(x + (0 .. view->ndim-1)) && \valid_read(y + (0 .. view->ndim-1));
    requires full: \forall integer k; 0 <= k < view->ndim ==>
             SNPY_AXIS_FULL(view, k) && x[k] < view->shape[k] && y[k] < view->shape[k];
    requires top < view->ndim && x[top] != y[top];
    requires most: \forall integer k; 0 <= k < view->ndim && x[k] != y[k] ==> room[k] <= room[top];
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures rest: -BELOW(view, room, room[top], 0)
                  <= DISTANCE(x, view, 0) - DISTANCE(y, view, 0)
                     - (hop(x[top], view->strides[top]) - hop(y[top], view->strides[top]))
                  <= BELOW(view, room, room[top], 0);
 */
static void show_rest(const snpy_view *view, const uint64_t *room, const uint64_t *x, const uint64_t *y, uint32_t top)
{
    show_spans(view, room);
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant rest: -BELOW(view, room, room[top], k)
                             <= DISTANCE(x, view, k) - DISTANCE(y, view, k)
                                - (k <= top ? hop(x[top], view->strides[top]) - hop(y[top], view->strides[top]) : 0)
                             <= BELOW(view, room, room[top], k);
        loop assigns k;
        loop variant k; */
    for (uint32_t k = view->ndim; k > 0;) {
        k--;
        show_part(view, k, x[k], y[k]);
        //@ assert full: SNPY_AXIS_FULL(view, k);
        //@ assert nests: k != top && x[k] != y[k] ==> NEST(view, room, k, top) || NEST(view, room, top, k);
        //@ assert less: k != top && x[k] != y[k] ==> view->shape[k] > 1 && room[k] < room[top];
        //@ assert x: DISTANCE(x, view, k) == DISTANCE(x, view, k + 1) + hop(x[k], view->strides[k]);
        //@ assert y: DISTANCE(y, view, k) == DISTANCE(y, view, k + 1) + hop(y[k], view->strides[k]);
        //@ assert below: BELOW(view, room, room[top], k) == BELOW(view, room, room[top], k + 1) + (view->shape[k] > 1 && room[k] < room[top] ? span(view->shape[k], view->strides[k]) : 0);
    }
    (void)top;
}

/* Theorem: in a view that is spread, elements of different indices share no byte. */
/*@ requires SOUND(view, room) && SPREAD(view, room) && view_ok(view);
    requires \valid_read(x + (0 .. view->ndim-1)) && \valid_read(y + (0 .. view->ndim-1));
    requires view->count != 0;
    requires inside: \forall integer k; 0 <= k < view->ndim ==> x[k] < view->shape[k] && y[k] < view->shape[k];
    requires differ: \exists integer k; 0 <= k < view->ndim && x[k] != y[k];
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures disjoint: DISTANCE(x, view, 0) + view->itemsize <= DISTANCE(y, view, 0)
                      || DISTANCE(y, view, 0) + view->itemsize <= DISTANCE(x, view, 0);
 */
void theorem_disjoint(const snpy_view *view, const uint64_t *room, const uint64_t *x, const uint64_t *y)
{
    if (view->itemsize == 0) return;
    uint32_t top = widest(view, room, x, y);
    //@ assert full: \forall integer k; 0 <= k < view->ndim ==> SNPY_AXIS_FULL(view, k);
    show_spans(view, room);
    show_within(view, room, top);
    show_rest(view, room, x, y, top);
    show_part(view, top, x[top], y[top]);
}

/* ---- Whole arrays are spread: each element of an axis has as much room as its stride. */

/* A stride that steps over an axis is at least as large as that axis' own. */
/*@ requires 0 <= inner && encloses(outer, inner, length);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures larger: inner <= outer;
    ensures nests: 1 < length ==> nests(length, inner, width(inner), outer);
 */
static void show_enclosed(int64_t outer, int64_t inner, uint64_t length)
{
    //@ assert more: 1 < length ==> span(length, inner) + inner == length * inner;
    //@ assert least: 1 < length ==> 0 <= (length - 1) * inner;
    (void)outer;
    (void)inner;
    (void)length;
}

/* In C order. */
/*@ requires SOUND(view, room) && SNPY_PACKED_C(view, 0, view->ndim, view->itemsize);
    requires rooms: \forall integer k; 0 <= k < view->ndim ==> room[k] == width(view->strides[k]);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures spread: SPREAD(view, room);
 */
static void show_packed_c(const snpy_view *view, const uint64_t *room)
{
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant large: \forall integer j; k <= j < view->ndim ==> view->itemsize <= view->strides[j];
        loop invariant nests: \forall integer i, j; k <= i < j < view->ndim && view->shape[j] > 1 ==>
                NEST(view, room, j, i);
        loop assigns k;
        loop variant k; */
    for (uint32_t k = view->ndim; k > 0;) {
        k--;
        if (k + 1 == view->ndim) continue;
        show_enclosed(view->strides[k], view->strides[k + 1], view->shape[k + 1]);
        //@ assert here: \forall integer j; k < j < view->ndim && view->shape[j] > 1 ==> NEST(view, room, j, k);
    }
    (void)room;
}

/* In Fortran order. */
/*@ requires SOUND(view, room) && SNPY_PACKED_FORTRAN(view, view->ndim, view->itemsize);
    requires rooms: \forall integer k; 0 <= k < view->ndim ==> room[k] == width(view->strides[k]);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures spread: SPREAD(view, room);
 */
static void show_packed_fortran(const snpy_view *view, const uint64_t *room)
{
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant large: \forall integer j; 0 <= j < k ==> view->itemsize <= view->strides[j];
        loop invariant nests: \forall integer i, j; 0 <= j < i < k && view->shape[j] > 1 ==> NEST(view, room, j, i);
        loop assigns k;
        loop variant view->ndim - k; */
    for (uint32_t k = 0; k < view->ndim; k++) {
        if (k == 0) continue;
        show_enclosed(view->strides[k], view->strides[k - 1], view->shape[k - 1]);
        //@ assert here: \forall integer j; 0 <= j < k && view->shape[j] > 1 ==> NEST(view, room, j, k);
    }
    (void)room;
}

/* Whether the rooms are the strides' widths. */
/*@ requires SOUND(view, room);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures exact: \result <==> \forall integer k; 0 <= k < view->ndim ==> room[k] == width(view->strides[k]);
 */
static bool are_widths(const snpy_view *view, const uint64_t *room)
{
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant same: \forall integer j; 0 <= j < k ==> room[j] == width(view->strides[j]);
        loop assigns k;
        loop variant view->ndim - k; */
    for (uint32_t k = 0; k < view->ndim; k++)
        if (room[k] != width_of(view->strides[k])) return false;
    return true;
}

/* In either order. */
/*@ requires SOUND(view, room);
    requires c: !fortran_order ==> SNPY_PACKED_C(view, 0, view->ndim, view->itemsize);
    requires fortran: fortran_order ==> SNPY_PACKED_FORTRAN(view, view->ndim, view->itemsize);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures spread: (\forall integer k; 0 <= k < view->ndim ==> room[k] == width(view->strides[k])) ==> SPREAD(view, room);
 */
static void show_whole(const snpy_view *view, bool fortran_order, const uint64_t *room)
{
    if (!are_widths(view, room)) return;
    if (fortran_order) {
        show_packed_fortran(view, room);
    } else {
        show_packed_c(view, room);
    }
}

/* Theorem: the view of a whole array is spread by its strides, in either order. */
/*@ requires \valid_read(header) && \valid(view) && \valid(error) && \valid_read(room + (0 .. SNPY_MAX_NDIM-1));
    requires \separated(header, view, error, room + (0 .. SNPY_MAX_NDIM-1));
    terminates \true;
    exits \false;
    assigns *view, *error;
    ensures spread: \result == SNPY_OK ==>
            (\forall integer k; 0 <= k < view->ndim ==> room[k] == width(view->strides[k])) ==> SPREAD(view, room);
 */
snpy_status theorem_open_spread(const snpy_header *header, uint64_t length, const uint64_t *room, snpy_view *view,
                                snpy_error *error)
{
    snpy_status status = snpy_view_open(header, length, view, error);
    if (status == SNPY_OK) show_whole(view, header->fortran_order, room);
    return status;
}

/* Theorem: so is a dense one. */
/*@ requires \valid_read(like) && \valid(view) && \valid(error) && \valid_read(room + (0 .. SNPY_MAX_NDIM-1));
    requires \separated(like, view, error, room + (0 .. SNPY_MAX_NDIM-1));
    terminates \true;
    exits \false;
    assigns *view, *error;
    ensures spread: \result == SNPY_OK ==>
            (\forall integer k; 0 <= k < view->ndim ==> room[k] == width(view->strides[k])) ==> SPREAD(view, room);
 */
snpy_status theorem_dense_spread(const snpy_view *like, bool fortran_order, const uint64_t *room, snpy_view *view,
                                 snpy_error *error)
{
    snpy_status status = snpy_view_dense(like, fortran_order, view, error);
    if (status == SNPY_OK) show_whole(view, fortran_order, room);
    return status;
}

/* ---- What takes from the axes of a spread view is spread. */

/* A slice of several elements steps at least as far as the axis, and reaches no further. */
/*@ requires 1 < count && 1 <= n <= SNPY_MAX_SIZE && step != 0 && times(after, step, stride);
    requires stays(count, step, n);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures reach: span(count, after) <= span(n, stride) && width(stride) <= width(after);
    ensures several: 1 < n;
 */
static void show_slice(uint64_t n, uint64_t count, int64_t step, int64_t stride, int64_t after)
{
    uint64_t size = width_of(stride);
    uint64_t pace = width_of(step);
    //@ assert size: width(after) == pace * size;
    show_ordered(1, pace, size);
    show_ordered(1, count - 1, pace);
    show_ordered((count - 1) * pace, n - 1, size);
    //@ assert reach: span(count, after) == (count - 1) * pace * size;
    (void)after;
}

/* A quotient times its divisor is not more than what was divided. */
/*@ ghost
    /@ terminates \true;
       exits \false;
       assigns \nothing;
       ensures quotient: \forall integer a, b; 0 <= a && 0 < b ==> 0 <= (a / b) * b <= a; @/
    static void show_quotients(void)
    {
        ;
    }
*/

/* A range of several numbers between 0 and n reaches no further than n - 1. */
/*@ ghost
    /@ terminates \true;
       exits \false;
       assigns \nothing;
       ensures up: \forall integer first, stop, step, n;
               0 < step && 0 <= first && stop <= n && 1 < range_count(first, stop, step) ==>
               stays(range_count(first, stop, step), step, n);
       ensures down: \forall integer first, stop, step, n;
               step < 0 && first < n && -1 <= stop && 1 < range_count(first, stop, step) ==>
               stays(range_count(first, stop, step), step, n); @/
    static void show_ranges(void)
    {
        show_quotients();
    }
*/

/* The elements of a slice lie within its axis. */
/*@ requires \valid_read(slice) && n <= SNPY_MAX_SIZE && SNPY_SLICE_STEP(slice) != 0;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures inside: 1 < SNPY_SLICE_COUNT(slice, n) ==> stays(SNPY_SLICE_COUNT(slice, n), SNPY_SLICE_STEP(slice), n) && 1 <= n;
 */
static void show_count(const snpy_slice *slice, uint64_t n)
{
    //@ ghost show_ranges();
    //@ assert up: 0 < SNPY_SLICE_STEP(slice) ==> 0 <= SNPY_SLICE_FIRST(slice, n) && SNPY_SLICE_STOP(slice, n) <= n;
    //@ assert down: SNPY_SLICE_STEP(slice) < 0 ==> SNPY_SLICE_FIRST(slice, n) < n && -1 <= SNPY_SLICE_STOP(slice, n);
    (void)slice;
    (void)n;
}

/* What an axis of a view takes from an axis of another: some elements of several, in the same room. */
/* clang-format off */
#define TAKES(v, r, k, from, room, i) \
    ((v)->shape[k] > 1 ==> (from)->shape[i] > 1 && (r)[k] == (room)[i] \
        && width((from)->strides[i]) <= width((v)->strides[k]) \
        && span((v)->shape[k], (v)->strides[k]) <= span((from)->shape[i], (from)->strides[i]))
#define TWO(v, r, from, room) (SOUND(v, r) && SOUND(from, room) && SPREAD(from, room) && (v)->itemsize == (from)->itemsize)
/* clang-format on */

/* Two axes nest as those that they come from. */
/*@ requires TWO(view, r, from, room) && j < view->ndim && k < view->ndim && j != k;
    requires i < from->ndim && l < from->ndim && i != l;
    requires takes: TAKES(view, r, j, from, room, i) && TAKES(view, r, k, from, room, l);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures nest: view->shape[j] > 1 && view->shape[k] > 1 ==> NEST(view, r, j, k) || NEST(view, r, k, j);
 */
static void show_pair(const snpy_view *view, const uint64_t *r, const snpy_view *from, const uint64_t *room, uint32_t j,
                      uint32_t k, uint32_t i, uint32_t l)
{
    if (view->shape[j] <= 1 || view->shape[k] <= 1) return;
    //@ assert pair: NEST(from, room, i, l) || NEST(from, room, l, i);
    (void)r;
    (void)from;
    (void)room;
    (void)i;
    (void)l;
}

/* One axis nests with all others. */
/*@ requires TWO(view, r, from, room) && \valid_read(origin + (0 .. SNPY_MAX_NDIM-1)) && j < view->ndim;
    requires takes: \forall integer k; 0 <= k < view->ndim ==>
             origin[k] < from->ndim && TAKES(view, r, k, from, room, origin[k]);
    requires single: \forall integer k; 0 <= k < view->ndim && k != j ==> origin[k] != origin[j];
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures room: ROOM(view, r, j);
    ensures nests: \forall integer k; 0 <= k < view->ndim && k != j && view->shape[j] > 1 && view->shape[k] > 1 ==>
            NEST(view, r, j, k) || NEST(view, r, k, j);
 */
static void show_row(const snpy_view *view, const uint64_t *r, const snpy_view *from, const uint64_t *room,
                     const uint32_t *origin, uint32_t j)
{
    //@ assert room: ROOM(from, room, origin[j]);
    /*@ loop invariant range: 0 <= n <= view->ndim;
        loop invariant nests: \forall integer k; 0 <= k < n && k != j && view->shape[j] > 1 && view->shape[k] > 1 ==>
                NEST(view, r, j, k) || NEST(view, r, k, j);
        loop assigns n;
        loop variant view->ndim - n; */
    for (uint32_t n = 0; n < view->ndim; n++)
        if (n != j) show_pair(view, r, from, room, j, n, origin[j], origin[n]);
}

/* Theorem: a view is spread if each of its axes comes from an axis of its own of a view that is. So are slices (show_count
 * and show_slice say that they take no more than their axis), what is left when an axis goes, and transposes. */
/*@ requires TWO(view, r, from, room) && \valid_read(origin + (0 .. SNPY_MAX_NDIM-1));
    requires takes: \forall integer k; 0 <= k < view->ndim ==>
             origin[k] < from->ndim && TAKES(view, r, k, from, room, origin[k]);
    requires single: \forall integer j, k; 0 <= j < view->ndim && 0 <= k < view->ndim && k != j ==>
             origin[k] != origin[j];
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures spread: SPREAD(view, r);
 */
void theorem_kept(const snpy_view *view, const uint64_t *r, const snpy_view *from, const uint64_t *room,
                  const uint32_t *origin)
{
    /*@ loop invariant range: 0 <= n <= view->ndim;
        loop invariant rooms: \forall integer k; 0 <= k < n ==> ROOM(view, r, k);
        loop invariant nests: \forall integer j, k; 0 <= j < n && 0 <= k < view->ndim && k != j
                && view->shape[j] > 1 && view->shape[k] > 1 ==> NEST(view, r, j, k) || NEST(view, r, k, j);
        loop assigns n;
        loop variant view->ndim - n; */
    for (uint32_t n = 0; n < view->ndim; n++) show_row(view, r, from, room, origin, n);
}

/* ---- What is cut from a spread view is spread, in the rooms of the axes that are left. */

/* clang-format off */
/* The axis k of a view, behind a call, takes from what its axis i was before it. */
#define TOOK(r, k, i) \
    (view->shape[k] > 1 ==> \at(view->shape[i], Pre) > 1 && (r)[k] == \at(room[i], Pre) \
        && width(\at(view->strides[i], Pre)) <= width(view->strides[k]) \
        && span(view->shape[k], view->strides[k]) <= span(\at(view->shape[i], Pre), \at(view->strides[i], Pre)))
#define WAS(r, k, i) \
    (view->shape[k] == \at(view->shape[i], Pre) && view->strides[k] == \at(view->strides[i], Pre) \
        && (r)[k] == \at(room[i], Pre))
#define NESTED(r, j, k) \
    (view->shape[j] > 1 && view->shape[k] > 1 ==> NEST(view, r, j, k) || NEST(view, r, k, j))
/* clang-format on */

/* Axes nest if those before an axis do, those from it on, and each of those with each of these. */
/*@ requires SOUND(view, room);
    requires rooms: \forall integer k; 0 <= k < view->ndim ==> ROOM(view, room, k);
    requires low: \forall integer j, k; 0 <= j < axis && 0 <= k < axis && j != k ==> NESTED(room, j, k);
    requires high: \forall integer j, k; axis <= j < view->ndim && axis <= k < view->ndim && j != k ==>
             NESTED(room, j, k);
    requires across: \forall integer j, k; 0 <= j < axis <= k < view->ndim ==> NESTED(room, j, k);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures spread: SPREAD(view, room);
 */
static void show_joined(const snpy_view *view, const uint64_t *room, uint32_t axis)
{
    (void)view;
    (void)room;
    (void)axis;
}

/* Theorem: a slice is. */
/*@ requires \valid(view) && \valid(error) && \valid_read(slice) && \separated(view, error, slice);
    requires SOUND(view, room) && SPREAD(view, room);
    requires \separated(room + (0 .. SNPY_MAX_NDIM-1), view, error);
    terminates \true;
    exits \false;
    assigns view->offset, view->count, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1],
            error->status, error->offset;
    ensures spread: \result == SNPY_OK ==> SPREAD(view, room) && view_ok(view);
 */
snpy_status theorem_slice_spread(snpy_view *view, const uint64_t *room, uint32_t axis, const snpy_slice *slice,
                                 snpy_error *error)
{
    const bool there = axis < view->ndim;
    const uint64_t length = there ? view->shape[axis] : 0;
    const int64_t stride = there ? view->strides[axis] : 0;
    const int64_t step = slice->has_step ? slice->step : 1;
    if (step != 0 && length <= SNPY_MAX_SIZE) show_count(slice, length);
    snpy_status status = snpy_view_slice(view, axis, slice, error);
    if (status != SNPY_OK) return status;
    if (view->shape[axis] > 1) show_slice(length, view->shape[axis], step, stride, view->strides[axis]);
    //@ assert rooms: \forall integer k; 0 <= k < view->ndim ==> room[k] == \at(room[k], Pre);
    //@ assert axis: TOOK(room, axis, axis);
    //@ assert took: \forall integer k; 0 <= k < view->ndim ==> TOOK(room, k, k);
    (void)room;
    return status;
}

/* Theorem: so is what is left when an axis goes. */
/*@ requires \valid(view) && \valid(error) && \separated(view, error);
    requires SOUND(view, room) && SPREAD(view, room) && \valid_read(left + (0 .. SNPY_MAX_NDIM-1));
    requires \separated(room + (0 .. SNPY_MAX_NDIM-1), view, error);
    requires \separated(left + (0 .. SNPY_MAX_NDIM-1), view, error);
    requires before: \forall integer k; 0 <= k < axis ==> left[k] == room[k];
    requires behind: \forall integer k; axis <= k < view->ndim - 1 ==> left[k] == room[k + 1];
    terminates \true;
    exits \false;
    assigns view->offset, view->count, view->ndim, view->shape[0 .. SNPY_MAX_NDIM-1],
            view->strides[0 .. SNPY_MAX_NDIM-1], error->status, error->offset;
    ensures spread: \result == SNPY_OK ==> SPREAD(view, left) && view_ok(view);
 */
snpy_status theorem_index_spread(snpy_view *view, const uint64_t *room, const uint64_t *left, uint32_t axis,
                                 int64_t index, snpy_error *error)
{
    snpy_status status = snpy_view_index(view, axis, index, error);
    if (status != SNPY_OK) return status;
    //@ assert before: \forall integer k; 0 <= k < axis ==> WAS(left, k, k);
    //@ assert behind: \forall integer k; axis <= k < view->ndim ==> WAS(left, k, k + 1);
    //@ assert low: \forall integer j, k; 0 <= j < axis && 0 <= k < axis && j != k ==> NESTED(left, j, k);
    //@ assert high: \forall integer j, k; axis <= j < view->ndim && axis <= k < view->ndim && j != k ==> NESTED(left, j, k);
    /*@ loop invariant range: 0 <= n <= axis;
        loop invariant across: \forall integer j, k; 0 <= j < n && axis <= k < view->ndim ==> NESTED(left, j, k);
        loop assigns n;
        loop variant axis - n; */
    for (uint32_t n = 0; n != axis; n++) {
        //@ assert here: WAS(left, n, \at(n, Here));
        //@ assert row: \forall integer k; axis <= k < view->ndim ==> NESTED(left, n, k);
    }
    show_joined(view, left, axis);
    (void)room;
    return status;
}

/* Theorem: so is a transpose. */
/*@ requires \valid(view) && \valid(error) && \separated(view, error);
    requires SOUND(view, room) && SPREAD(view, room) && \valid_read(left + (0 .. SNPY_MAX_NDIM-1));
    requires \separated(room + (0 .. SNPY_MAX_NDIM-1), view, error);
    requires \separated(left + (0 .. SNPY_MAX_NDIM-1), view, error);
    requires left: \forall integer k; 0 <= k < view->ndim ==> left[k] == room[view->ndim - 1 - k];
    terminates \true;
    exits \false;
    assigns view->count, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1], error->status,
            error->offset;
    ensures spread: \result == SNPY_OK ==> SPREAD(view, left) && view_ok(view);
 */
snpy_status theorem_transpose_spread(snpy_view *view, const uint64_t *room, const uint64_t *left, snpy_error *error)
{
    snpy_status status = snpy_view_transpose(view, error);
    if (status != SNPY_OK) return status;
    //@ assert rooms: \forall integer k; 0 <= k < view->ndim ==> left[k] == \at(left[k], Pre);
    //@ assert took: \forall integer k; 0 <= k < view->ndim ==> TOOK(left, k, view->ndim - 1 - k);
    //@ assert room: \forall integer k; 0 <= k < view->ndim ==> ROOM(view, left, k);
    (void)room;
    (void)left;
    return status;
}

/* ---- So different indices have different bytes in what is cut. */

/* clang-format off */
#define TWO_INDICES(v, x, y) \
    ((v)->count != 0 && (\forall integer k; 0 <= k < (v)->ndim ==> x[k] < (v)->shape[k] && y[k] < (v)->shape[k]) \
     && \exists integer k; 0 <= k < (v)->ndim && x[k] != y[k])
#define DISJOINT(v, x, y) \
    (DISTANCE(x, v, 0) + (v)->itemsize <= DISTANCE(y, v, 0) || DISTANCE(y, v, 0) + (v)->itemsize <= DISTANCE(x, v, 0))
#define INDEX(x) (\valid_read(x + (0 .. SNPY_MAX_NDIM-1)) && \separated(x + (0 .. SNPY_MAX_NDIM-1), view, error))
/* clang-format on */

/* Whether two indices differ and are those of elements. */
/*@ requires \valid_read(view) && view->ndim <= SNPY_MAX_NDIM;
    requires \valid_read(x + (0 .. view->ndim-1)) && \valid_read(y + (0 .. view->ndim-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures exact: \result <==> TWO_INDICES(view, x, y);
 */
static bool are_two(const snpy_view *view, const uint64_t *x, const uint64_t *y)
{
    bool differ = false;
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant inside: \forall integer j; 0 <= j < k ==> x[j] < view->shape[j] && y[j] < view->shape[j];
        loop invariant differ: differ <==> \exists integer j; 0 <= j < k && x[j] != y[j];
        loop assigns k, differ;
        loop variant view->ndim - k; */
    for (uint32_t k = 0; k < view->ndim; k++) {
        if (x[k] >= view->shape[k] || y[k] >= view->shape[k]) return false;
        if (x[k] != y[k]) differ = true;
    }
    return differ && view->count != 0;
}

/* Two indices of a spread view, if they are two. */
/*@ requires SOUND(view, room) && SPREAD(view, room) && view_ok(view);
    requires \valid_read(x + (0 .. view->ndim-1)) && \valid_read(y + (0 .. view->ndim-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures disjoint: TWO_INDICES(view, x, y) ==> DISJOINT(view, x, y);
 */
static void show_apart(const snpy_view *view, const uint64_t *room, const uint64_t *x, const uint64_t *y)
{
    if (are_two(view, x, y)) theorem_disjoint(view, room, x, y);
}

/* Theorem: in a slice of what is spread, elements of different indices share no byte. */
/*@ requires \valid(view) && \valid(error) && \valid_read(slice) && \separated(view, error, slice);
    requires SOUND(view, room) && SPREAD(view, room) && INDEX(x) && INDEX(y);
    requires \separated(room + (0 .. SNPY_MAX_NDIM-1), view, error);
    terminates \true;
    exits \false;
    assigns view->offset, view->count, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1],
            error->status, error->offset;
    ensures disjoint: \result == SNPY_OK && TWO_INDICES(view, x, y) ==> DISJOINT(view, x, y);
 */
snpy_status theorem_slice_disjoint(snpy_view *view, const uint64_t *room, uint32_t axis, const snpy_slice *slice,
                                   const uint64_t *x, const uint64_t *y, snpy_error *error)
{
    snpy_status status = theorem_slice_spread(view, room, axis, slice, error);
    if (status == SNPY_OK) show_apart(view, room, x, y);
    return status;
}

/* Theorem: so it is in what is left when an axis goes. */
/*@ requires \valid(view) && \valid(error) && \separated(view, error);
    requires SOUND(view, room) && SPREAD(view, room) && INDEX(x) && INDEX(y);
    requires \valid_read(left + (0 .. SNPY_MAX_NDIM-1));
    requires \separated(room + (0 .. SNPY_MAX_NDIM-1), view, error);
    requires \separated(left + (0 .. SNPY_MAX_NDIM-1), view, error);
    requires before: \forall integer k; 0 <= k < axis ==> left[k] == room[k];
    requires behind: \forall integer k; axis <= k < view->ndim - 1 ==> left[k] == room[k + 1];
    terminates \true;
    exits \false;
    assigns view->offset, view->count, view->ndim, view->shape[0 .. SNPY_MAX_NDIM-1],
            view->strides[0 .. SNPY_MAX_NDIM-1], error->status, error->offset;
    ensures disjoint: \result == SNPY_OK && TWO_INDICES(view, x, y) ==> DISJOINT(view, x, y);
 */
snpy_status theorem_pick_disjoint(snpy_view *view, const uint64_t *room, const uint64_t *left, uint32_t axis,
                                  int64_t index, const uint64_t *x, const uint64_t *y, snpy_error *error)
{
    snpy_status status = theorem_index_spread(view, room, left, axis, index, error);
    if (status == SNPY_OK) show_apart(view, left, x, y);
    return status;
}

/* Theorem: and in a transpose. */
/*@ requires \valid(view) && \valid(error) && \separated(view, error);
    requires SOUND(view, room) && SPREAD(view, room) && INDEX(x) && INDEX(y);
    requires \valid_read(left + (0 .. SNPY_MAX_NDIM-1));
    requires \separated(room + (0 .. SNPY_MAX_NDIM-1), view, error);
    requires \separated(left + (0 .. SNPY_MAX_NDIM-1), view, error);
    requires left: \forall integer k; 0 <= k < view->ndim ==> left[k] == room[view->ndim - 1 - k];
    terminates \true;
    exits \false;
    assigns view->count, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1], error->status,
            error->offset;
    ensures disjoint: \result == SNPY_OK && TWO_INDICES(view, x, y) ==> DISJOINT(view, x, y);
 */
snpy_status theorem_transpose_disjoint(snpy_view *view, const uint64_t *room, const uint64_t *left, const uint64_t *x,
                                       const uint64_t *y, snpy_error *error)
{
    snpy_status status = theorem_transpose_spread(view, room, left, error);
    if (status == SNPY_OK) show_apart(view, left, x, y);
    return status;
}

/* ---- Fields lie inside the elements of a record, and so do the axes of a sub-array. */

/* The axes behind the first ones nest among themselves. */
/*@ requires SOUND(view, r) && first <= view->ndim && SNPY_PACKED_C(view, first, view->ndim, view->itemsize);
    requires rooms: \forall integer k; first <= k < view->ndim ==> r[k] == width(view->strides[k]);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures large: \forall integer k; first <= k < view->ndim ==> view->itemsize <= view->strides[k];
    ensures nest: \forall integer i, j; first <= i < j < view->ndim && view->shape[j] > 1 ==> NEST(view, r, j, i);
 */
static void show_inner(const snpy_view *view, const uint64_t *r, uint32_t first)
{
    /*@ loop invariant range: first <= k <= view->ndim;
        loop invariant large: \forall integer j; k <= j < view->ndim ==> view->itemsize <= view->strides[j];
        loop invariant nests: \forall integer i, j; k <= i < j < view->ndim && view->shape[j] > 1 ==>
                NEST(view, r, j, i);
        loop assigns k;
        loop variant k; */
    for (uint32_t k = view->ndim; k > first;) {
        k--;
        if (k + 1 == view->ndim) continue;
        show_enclosed(view->strides[k], view->strides[k + 1], view->shape[k + 1]);
        //@ assert here: \forall integer j; k < j < view->ndim && view->shape[j] > 1 ==> NEST(view, r, j, k);
    }
    (void)r;
}

/* All of them nest in the first of them. */
/*@ requires SOUND(view, r) && first < view->ndim;
    requires nest: \forall integer j; first < j < view->ndim && view->shape[j] > 1 ==> NEST(view, r, j, first);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures inner: \forall integer j; first < j < view->ndim && view->shape[j] > 1 ==>
            span(view->shape[j], view->strides[j]) + r[j] <= r[first];
 */
static void show_first(const snpy_view *view, const uint64_t *r, uint32_t first)
{
    /*@ loop invariant range: first < k <= view->ndim;
        loop invariant inner: \forall integer j; first < j < k && view->shape[j] > 1 ==>
                span(view->shape[j], view->strides[j]) + r[j] <= r[first];
        loop assigns k;
        loop variant view->ndim - k; */
    for (uint32_t k = first + 1; k < view->ndim; k++) {
        //@ assert nest: view->shape[k] > 1 ==> NEST(view, r, k, first);
    }
    (void)r;
}

/* Theorem: a view is spread whose first axes are those of one that is spread, and whose others lie packed in `whole` bytes
 * of an element of it. Such a view is made by snpy_view_field of a field that lies inside its record. */
/*@ requires SOUND(view, r) && SOUND(from, room) && SPREAD(from, room) && from->ndim <= view->ndim;
    requires kept: \forall integer k; 0 <= k < from->ndim ==>
            view->shape[k] == from->shape[k] && view->strides[k] == from->strides[k] && r[k] == room[k];
    requires SNPY_PACKED_C(view, from->ndim, view->ndim, view->itemsize);
    requires rooms: \forall integer k; from->ndim <= k < view->ndim ==> r[k] == width(view->strides[k]);
    requires inside: whole <= from->itemsize;
    requires axes: from->ndim < view->ndim ==> encloses(whole, view->strides[from->ndim], view->shape[from->ndim]);
    requires none: from->ndim == view->ndim ==> view->itemsize == whole;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures spread: SPREAD(view, r);
 */
void theorem_field(const snpy_view *view, const uint64_t *r, const snpy_view *from, const uint64_t *room,
                   uint32_t whole)
{
    const uint32_t first = from->ndim;
    show_inner(view, r, first);
    if (first < view->ndim) {
        show_enclosed(whole, view->strides[first], view->shape[first]);
        show_first(view, r, first);
    }
    //@ assert large: first < view->ndim ==> 0 <= view->strides[first];
    //@ assert room: first < view->ndim ==> r[first] == view->strides[first];
    //@ assert top: first < view->ndim ==> r[first] <= whole;
    //@ assert alone: first < view->ndim && view->shape[first] > 1 ==> span(view->shape[first], view->strides[first]) + r[first] <= whole;
    //@ assert inner: \forall integer j; first < j < view->ndim && view->shape[j] > 1 ==> span(view->shape[j], view->strides[j]) + r[j] <= r[first];
    //@ assert within: \forall integer j; first <= j < view->ndim && view->shape[j] > 1 ==> span(view->shape[j], view->strides[j]) + r[j] <= whole;
    //@ assert item: view->itemsize <= whole;
    //@ assert outer: \forall integer k; 0 <= k < first && view->shape[k] > 1 ==> whole <= r[k];
    //@ assert between: \forall integer j, k; 0 <= k < first <= j < view->ndim && view->shape[j] > 1 && view->shape[k] > 1 ==> NEST(view, r, j, k);
    //@ assert old: \forall integer j, k; 0 <= j < first && 0 <= k < first && j != k && view->shape[j] > 1 && view->shape[k] > 1 ==> NEST(view, r, j, k) || NEST(view, r, k, j);
    (void)room;
    (void)whole;
}

/* ---- Flat numbers: each stands for an index of its own. */

/* clang-format off */
/* What is left of a flat number when the axes behind the first k have taken their indices, and these. */
/*@ // decreases n - k
    logic integer rest_of(uint64_t *s, integer n, integer k, integer flat) =
        k >= n ? flat : rest_of(s, n, k + 1, flat) / s[k];
 */
#define REST(v, k, flat) rest_of(&(v)->shape[0], (v)->ndim, k, flat)
#define STANDS_FOR(v, flat, x) (\forall integer k; 0 <= k < (v)->ndim ==> x[k] == REST(v, k + 1, flat) % (v)->shape[k])
#define FLAT_DISTANCE(v, k, flat) flat_distance(&(v)->shape[0], &(v)->strides[0], k, flat)
#define PRODUCT(v, k) product(&(v)->shape[0], k)
/* How many elements the first k axes have, for each k. */
#define COUNTS(v, counts) (\forall integer k; 0 <= k < (v)->ndim ==> counts[k] == PRODUCT(v, k))
/* Two flat numbers that differ, and their indices. */
#define TWO_NUMBERS(v, flat, other, x, y, counts) \
    (\valid_read(x + (0 .. (v)->ndim-1)) && STANDS_FOR(v, flat, x) && \
     \valid_read(y + (0 .. (v)->ndim-1)) && STANDS_FOR(v, other, y) && \
     \valid_read(counts + (0 .. (v)->ndim-1)) && COUNTS(v, counts) && \
     flat != other && flat < (v)->count && other < (v)->count && (v)->count == PRODUCT(v, (v)->ndim))
#define FULL(v) (\forall integer k; 0 <= k < (v)->ndim ==> 1 <= (v)->shape[k] <= SNPY_MAX_SIZE)
/* clang-format on */

/* The element of a flat number lies where that of its index lies. */
/*@ requires \valid_read(view) && view->ndim <= SNPY_MAX_NDIM && FULL(view);
    requires \valid_read(x + (0 .. view->ndim-1)) && STANDS_FOR(view, flat, x);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures same: FLAT_DISTANCE(view, view->ndim, flat) == DISTANCE(x, view, 0);
 */
static void show_place(const snpy_view *view, uint64_t flat, const uint64_t *x)
{
    uint64_t rest = flat;
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant left: rest == REST(view, k, flat);
        loop invariant sum: FLAT_DISTANCE(view, k, rest) + DISTANCE(x, view, k) ==
                            FLAT_DISTANCE(view, view->ndim, flat);
        loop assigns k, rest;
        loop variant k; */
    for (uint32_t k = view->ndim; k > 0;) {
        k--;
        uint64_t length = view->shape[k];
        //@ assert index: x[k] == rest % length;
        //@ assert whole: FLAT_DISTANCE(view, k + 1, rest) == FLAT_DISTANCE(view, k, rest / length) + hop(rest % length, view->strides[k]);
        //@ assert part: DISTANCE(x, view, k) == DISTANCE(x, view, k + 1) + hop(x[k], view->strides[k]);
        rest /= length;
    }
    (void)rest;
    (void)x;
}

/* Numbers that differ, and leave the same when they are divided, differ in what they are divided to. */
/*@ requires 0 < length && a != b && a % length == b % length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures differ: a / length != b / length;
 */
static void show_shares(uint64_t a, uint64_t b, uint64_t length)
{
    //@ assert first: a == a / length * length + a % length;
    //@ assert second: b == b / length * length + b % length;
    (void)a;
    (void)b;
    (void)length;
}

/* What is below a product is below one factor when it is divided by the other. */
/*@ requires 0 < length && flat < others * length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures below: flat / length < others;
 */
static void show_share(uint64_t flat, uint64_t others, uint64_t length)
{
    //@ assert least: flat / length * length <= flat;
    //@ assert more: others <= flat / length ==> 0 <= (flat / length - others) * length;
    (void)flat;
    (void)others;
    (void)length;
}

/* One axis more makes so many times as many elements. */
/*@ requires k < SNPY_MAX_NDIM && \valid_read(dims + (0 .. k)) && others == product(dims, k);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures product: product(dims, k + 1) == others * dims[k];
 */
static void show_product(const uint64_t *dims, uint32_t k, uint64_t others)
{
    (void)dims;
    (void)k;
    (void)others;
}

/* An axis along which two flat numbers have different indices. */
/*@ requires \valid_read(view) && view->ndim <= SNPY_MAX_NDIM && FULL(view);
    requires TWO_NUMBERS(view, flat, other, x, y, counts);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures differ: \result < view->ndim && x[\result] != y[\result];
 */
static uint32_t parting(const snpy_view *view, const uint64_t *counts, uint64_t flat, uint64_t other, const uint64_t *x,
                        const uint64_t *y)
{
    uint64_t a = flat;
    uint64_t b = other;
    uint32_t k = view->ndim;
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant rests: a == REST(view, k, flat) && b == REST(view, k, other) && a != b;
        loop invariant below: a < PRODUCT(view, k) && b < PRODUCT(view, k);
        loop assigns a, b, k;
        loop variant k; */
    while (k > 0) {
        k--;
        if (x[k] != y[k]) return k;
        uint64_t length = view->shape[k];
        show_shares(a, b, length);
        uint64_t others = counts[k];
        show_product(&view->shape[0], k, others);
        show_share(a, others, length);
        show_share(b, others, length);
        a /= length;
        b /= length;
    }
    return 0;
}

/* Theorem: in a view that is spread, elements of different flat numbers share no byte; x and y are their indices. */
/*@ requires SOUND(view, room) && SPREAD(view, room) && view_ok(view);
    requires TWO_NUMBERS(view, flat, other, x, y, counts);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures disjoint: FLAT_DISTANCE(view, view->ndim, flat) + view->itemsize <= FLAT_DISTANCE(view, view->ndim, other)
                      || FLAT_DISTANCE(view, view->ndim, other) + view->itemsize <= FLAT_DISTANCE(view, view->ndim, flat);
 */
void theorem_flat_disjoint(const snpy_view *view, const uint64_t *room, const uint64_t *counts, uint64_t flat,
                           uint64_t other, const uint64_t *x, const uint64_t *y)
{
    //@ assert axes: \forall integer k; 0 <= k < view->ndim ==> SNPY_AXIS_FULL(view, k);
    uint32_t axis = parting(view, counts, flat, other, x, y);
    //@ assert inside: \forall integer k; 0 <= k < view->ndim ==> x[k] < view->shape[k] && y[k] < view->shape[k];
    //@ assert differ: x[axis] != y[axis];
    theorem_disjoint(view, room, x, y);
    show_place(view, flat, x);
    show_place(view, other, y);
    (void)axis;
}
