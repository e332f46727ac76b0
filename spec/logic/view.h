/* view.h: where the elements of an array lie, as the provers know it. spec/npy.md, "Data" and "Caller and host".
 *
 * Logic only: the compiler sees an empty file. Axes are taken from the last to the first, as the code does. */
#ifndef SAFENPY_LOGIC_VIEW_H
#define SAFENPY_LOGIC_VIEW_H

#include "spec/logic/shape.h"

/* clang-format off */
/*@ // how far the last element of an axis of n elements lies from its first, in bytes
    logic integer reach(integer n, integer stride) = (n - 1) * stride;

    // how far the axes k .. n-1 of a view reach below and above its offset, in bytes; none of them is empty
    // decreases n - k
    logic integer lowest(uint64_t *s, int64_t *d, integer k, integer n) =
        k >= n ? 0 : lowest(s, d, k + 1, n) + (d[k] < 0 ? reach(s[k], d[k]) : 0);
    // decreases n - k
    logic integer highest(uint64_t *s, int64_t *d, integer k, integer n) =
        k >= n ? 0 : highest(s, d, k + 1, n) + (d[k] > 0 ? reach(s[k], d[k]) : 0);

    // the bytes from an axis' first element to the one at index i: i * stride, as a sum, because products
    // inside a recursion lead the provers astray
    // decreases i
    logic integer hop(integer i, integer stride) = i <= 0 ? 0 : hop(i - 1, stride) + stride;

    // the bytes from the element of index 0, 0, … to the one at the index x, over the axes k .. n-1
    // decreases n - k
    logic integer distance(uint64_t *x, int64_t *d, integer k, integer n) =
        k >= n ? 0 : distance(x, d, k + 1, n) + hop(x[k], d[k]);

    // likewise for the element of flat number f in C order, over the first n axes
    // decreases n
    logic integer flat_distance(uint64_t *s, int64_t *d, integer n, integer f) =
        n <= 0 ? 0 : flat_distance(s, d, n - 1, f / s[n - 1]) + hop(f % s[n - 1], d[n - 1]);

    // a product as a predicate: provers that see products multiply what they can find
    predicate times(integer product, integer a, integer b) = product == a * b;

    // the offset of a view that begins at the element `index` of an axis
    predicate shifted(integer offset, integer before, integer index, integer stride) = offset == before + index * stride;

    // the stride of an axis around another one: it steps over all elements of that one, or over one if it is empty
    predicate encloses(integer stride, integer inner, integer length) = stride == inner * at_least_one(length);

    // API-SLICE: Python's slice.indices(n): the bounds are counted from the end if they are negative, and then moved
    // into low .. high; a missing one is the end that the step comes from, or goes to
    logic integer slice_low(integer step) = step < 0 ? -1 : 0;
    logic integer slice_high(integer n, integer step) = step < 0 ? n - 1 : n;
    logic integer slice_bound(integer bound, integer n, integer step) =
        \let b = bound < 0 ? bound + n : bound;
        b < slice_low(step) ? slice_low(step) : b > slice_high(n, step) ? slice_high(n, step) : b;
    logic integer slice_first(boolean has, integer start, integer n, integer step) =
        has ? slice_bound(start, n, step) : step < 0 ? slice_high(n, step) : slice_low(step);
    logic integer slice_stop(boolean has, integer stop, integer n, integer step) =
        has ? slice_bound(stop, n, step) : step < 0 ? slice_low(step) : slice_high(n, step);

    // API-SLICE: Python's len(range(first, stop, step))
    logic integer range_count(integer first, integer stop, integer step) =
        step > 0 ? (first < stop ? (stop - first - 1) / step + 1 : 0)
                 : (stop < first ? (first - stop - 1) / -step + 1 : 0);

    // ---- how the axes of a view nest, so that no two elements share a byte

    // an axis' step, whatever its direction, and how far it reaches
    logic integer width(integer stride) = stride < 0 ? -stride : stride;
    logic integer span(integer n, integer stride) = reach(n, width(stride));

    // an axis of n elements that have `room` bytes each fits into one element, of `outer` bytes, of another axis
    predicate nests(integer n, integer stride, integer room, integer outer) = span(n, stride) + room <= outer;

    // the reach of all axes k .. n-1 whose elements have less room than `limit`; r[j] is the room of axis j
    // decreases n - k
    logic integer span_below(uint64_t *s, int64_t *d, uint64_t *r, integer limit, integer k, integer n) =
        k >= n ? 0 : span_below(s, d, r, limit, k + 1, n) + (s[k] > 1 && r[k] < limit ? span(s[k], d[k]) : 0);

    // so many elements of an axis of n, each `step` behind the one before, do not reach beyond it
    predicate stays(integer count, integer step, integer n) = (count - 1) * width(step) <= n - 1;
*/
/* clang-format on */

#endif
