/* shape.h: shapes and the sizes that they make, as the provers know them. spec/npy.md, "Shape and sizes".
 *
 * Logic only: the compiler sees an empty file. A shape stands in the text `t` of `n` bytes and opens at `i`;
 * `c` is its closing bracket, `l` whether the suffix L is allowed, `np` the flag numpy-int. */
#ifndef SAFENPY_LOGIC_SHAPE_H
#define SAFENPY_LOGIC_SHAPE_H

#include "safenpy/options.h"
#include "spec/logic/tokens.h"

/* clang-format off */
/*@ logic integer closing(integer open) = open == '[' ? ']' : ')';

    logic integer item_length(uint8_t *t, integer n, integer i, integer c, boolean l, boolean np, boolean first) =
        item_stop(t, n, i, c, l, np, first) - i;

    // where item k begins, if all items in front of it are sound and do not close the shape
    // decreases k
    logic integer shape_item(uint8_t *t, integer n, integer i, integer c, boolean l, boolean np, integer k) =
        k <= 0 ? i + 1 :
        \let before = shape_item(t, n, i, c, l, np, k - 1);
        before + item_length(t, n, before, c, l, np, k - 1 == 0);

    logic boolean item_ends(uint8_t *t, integer n, integer i, integer c, boolean l, boolean np, boolean first) =
        item_status(t, n, i, c, l, np, first) != SNPY_OK || item_closes(t, n, i, c, l, np);

    // the first item from k on that closes the shape or is unsound
    // tail call
    logic integer shape_last(uint8_t *t, integer n, integer i, integer c, boolean l, boolean np, integer k) =
        item_ends(t, n, shape_item(t, n, i, c, l, np, k), c, l, np, k == 0)
            ? k : shape_last(t, n, i, c, l, np, k + 1);

    // NPY-LIT-015: a shape opens with a parenthesis, or with a bracket under the flag list-shape
    logic boolean shape_opens(uint8_t *t, integer i, boolean list) = t[i] == '(' || (t[i] == '[' && list);

    // what the last item says is what the shape says
    logic integer items_status(uint8_t *t, integer n, integer i, boolean l, boolean np) =
        \let c = closing(t[i]);
        \let k = shape_last(t, n, i, c, l, np, 0);
        item_status(t, n, shape_item(t, n, i, c, l, np, k), c, l, np, k == 0);
    logic integer items_stop(uint8_t *t, integer n, integer i, boolean l, boolean np) =
        \let c = closing(t[i]);
        \let k = shape_last(t, n, i, c, l, np, 0);
        item_stop(t, n, shape_item(t, n, i, c, l, np, k), c, l, np, k == 0);

    logic integer shape_status(uint8_t *t, integer n, integer i, boolean list, boolean l, boolean np) =
        shape_opens(t, i, list) ? items_status(t, n, i, l, np) : SNPY_EXPECTED_SHAPE;
    logic integer shape_stop(uint8_t *t, integer n, integer i, boolean list, boolean l, boolean np) =
        shape_opens(t, i, list) ? items_stop(t, n, i, l, np) : i;

    // of a sound shape: how many dimensions, where each begins, and what it is
    logic integer shape_ndim(uint8_t *t, integer n, integer i, boolean l, boolean np) =
        \let c = closing(t[i]);
        \let k = shape_last(t, n, i, c, l, np, 0);
        item_is_close(t, n, shape_item(t, n, i, c, l, np, k), c) ? k : k + 1;
    logic integer shape_dim_at(uint8_t *t, integer n, integer i, boolean l, boolean np, integer k) =
        item_at(t, n, shape_item(t, n, i, closing(t[i]), l, np, k));
    logic integer shape_dim(uint8_t *t, integer n, integer i, boolean l, boolean np, integer k) =
        item_value(t, n, shape_item(t, n, i, closing(t[i]), l, np, k), np);

    // ---- sizes

    logic integer at_least_one(integer value) = value == 0 ? 1 : value;

    // NPY-SHAPE-005: the number of elements of the first n dimensions
    // decreases n
    logic integer product(uint64_t *d, integer n) = n <= 0 ? 1 : product(d, n - 1) * d[n - 1];

    // NPY-SHAPE-004: likewise times `base`, with each 0 counted as 1
    // decreases n
    logic integer extent(uint64_t *d, integer n, integer base) =
        n <= 0 ? base : extent(d, n - 1, base) * at_least_one(d[n - 1]);

    // both, of the first k dimensions as the text has them. One beyond the bound counts as the bound + 1: the extent is
    // beyond it all the same
    logic integer shape_length(uint8_t *t, integer n, integer i, boolean l, boolean np, integer k) =
        capped(shape_dim(t, n, i, l, np, k), SNPY_MAX_SIZE);
    // decreases k
    logic integer shape_product(uint8_t *t, integer n, integer i, boolean l, boolean np, integer k) =
        k <= 0 ? 1 : shape_product(t, n, i, l, np, k - 1) * shape_length(t, n, i, l, np, k - 1);
    // decreases k
    logic integer shape_extent(uint8_t *t, integer n, integer i, boolean l, boolean np, integer k, integer base) =
        k <= 0 ? base
               : shape_extent(t, n, i, l, np, k - 1, base) * at_least_one(shape_length(t, n, i, l, np, k - 1));
    // of the items from k on, where the first one stands with which the extent exceeds a bound; the shape if none does
    // tail call
    logic integer overflow_at(uint8_t *t, integer n, integer i, boolean l, boolean np, integer k, integer base,
                              integer bound) =
        \let c = closing(t[i]);
        \let item = shape_item(t, n, i, c, l, np, k);
        item_is_close(t, n, item, c) ? i :
        shape_extent(t, n, i, l, np, k + 1, base) > bound ? shape_dim_at(t, n, i, l, np, k) :
        item_ends(t, n, item, c, l, np, k == 0) ? i : overflow_at(t, n, i, l, np, k + 1, base, bound);
*/
/* clang-format on */

#endif
