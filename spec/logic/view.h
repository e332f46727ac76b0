/* view.h: where the elements of an array lie, as the provers know it. spec/npy.md, "Data" and "Caller and host".
 *
 * Logic only: the compiler sees an empty file. Axes are taken from the last to the first, as the code does. */
#ifndef SAFENPY_LOGIC_VIEW_H
#define SAFENPY_LOGIC_VIEW_H

/* clang-format off */
/*@ // how far the last element of an axis of n elements lies from its first, in bytes
    logic integer reach(integer n, integer stride) = (n - 1) * stride;

    // how far the axes k .. n-1 of a view reach below and above its offset, in bytes; none of them is empty
    logic integer lowest(uint64_t *s, int64_t *d, integer k, integer n) =
        k >= n ? 0 : lowest(s, d, k + 1, n) + (d[k] < 0 ? reach(s[k], d[k]) : 0);
    logic integer highest(uint64_t *s, int64_t *d, integer k, integer n) =
        k >= n ? 0 : highest(s, d, k + 1, n) + (d[k] > 0 ? reach(s[k], d[k]) : 0);

    // the bytes from an axis' first element to the one at index i: i * stride, as a sum, because products
    // inside a recursion lead the provers astray
    logic integer hop(integer i, integer stride) = i <= 0 ? 0 : hop(i - 1, stride) + stride;

    // the bytes from the element of index 0, 0, … to the one at the index x, over the axes k .. n-1
    logic integer distance(uint64_t *x, int64_t *d, integer k, integer n) =
        k >= n ? 0 : distance(x, d, k + 1, n) + hop(x[k], d[k]);

    // likewise for the element of flat number f in C order, over the first n axes
    logic integer flat_distance(uint64_t *s, int64_t *d, integer n, integer f) =
        n <= 0 ? 0 : flat_distance(s, d, n - 1, f / s[n - 1]) + hop(f % s[n - 1], d[n - 1]);
*/
/* clang-format on */

#endif
