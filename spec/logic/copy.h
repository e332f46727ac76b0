/* copy.h: what a copy has to hold, as the provers know it. spec/npy.md, "Values".
 *
 * Logic only: the compiler sees an empty file. */
#ifndef SAFENPY_LOGIC_COPY_H
#define SAFENPY_LOGIC_COPY_H

#include "safenpy/copy.h"
#include "spec/logic/view.h"

/* clang-format off */
/*@ // the bytes of a number that can be swapped; 1 where there is nothing to swap
    predicate is_unit(integer unit) = unit == 1 || unit == 2 || unit == 4 || unit == 8 || unit == 16;

    // NPY-VALUE-001: the byte that comes to place k where numbers of so many bytes are reversed that begin at `first`
    logic integer mirror(integer k, integer first, integer unit) = k + unit - 1 - 2 * ((k - first) % unit);

    // likewise where the pairs of bytes in a number are reversed, and each pair stays as it is
    logic integer pair(integer k, integer unit) = k + unit - 2 - 2 * (k % unit) + 2 * (k % 2);

    // NPY-VALUE-001, NPY-VALUE-011: what a run makes, at T, of the bytes that an element had at F; those of the run alone
    logic integer origin(snpy_run r, integer k) = r.action == SNPY_ACTION_SWAP ? mirror(k, r.offset, r.unit) : k;
    predicate is_done{F, T}(uint8_t *from, uint8_t *to, snpy_run r) =
        \forall integer k; r.offset <= k < r.end ==>
            r.offset <= origin(r, k) < r.end &&
            \at(to[k], T) == (r.action == SNPY_ACTION_ZERO ? 0 : \at(from[origin(r, k)], F));

    // the numbers of a run are whole
    predicate is_whole(snpy_run r) = r.action == SNPY_ACTION_SWAP ==> is_unit(r.unit) && (r.end - r.offset) % r.unit == 0;

    // a plan as snpy_plan_make makes them: its runs are in the order of their offsets, none overlaps another
    predicate in_order(snpy_plan *p) =
        (\forall integer k; 0 <= k < p->count ==> is_whole(p->runs[k]))
        && \forall integer j, k; 0 <= j < k < p->count ==> p->runs[j].end <= p->runs[k].offset;

    // byte k at T is the byte i of F; so for the first n bytes of numbers that are reversed; bytes that stay as they were
    predicate comes_from{F, T}(uint8_t *from, uint8_t *to, integer k, integer i) = \at(to[k], T) == \at(from[i], F);
    predicate is_mirrored{F, T}(uint8_t *from, uint8_t *to, integer n, integer unit) =
        \forall integer k; 0 <= k < n ==> comes_from{F, T}(from, to, k, mirror(k, 0, unit));
    predicate is_same{F, T}(uint8_t *p, integer n) = \forall integer k; 0 <= k < n ==> \at(p[k], F) == \at(p[k], T);

    // all runs of an element are done, as a plan says at P
    predicate is_copied{P, F, T}(uint8_t *from, uint8_t *to, snpy_plan *p) =
        \forall integer k; 0 <= k < \at(p->count, P) ==> is_done{F, T}(from, to, \at(p->runs[k], P));

    // how far the last element lies from the first, over the first n axes, none of which is empty or goes backwards
    // decreases n
    logic integer lead(uint64_t *s, int64_t *d, integer n) = n <= 0 ? 0 : lead(s, d, n - 1) + hop(s[n - 1] - 1, d[n - 1]);

    // named, for a remainder by a variable in sight costs provers more than all else
    predicate is_multiple(integer size, integer unit) = size % unit == 0;

    // an axis along which whole numbers of `unit` bytes lie one behind the other
    predicate is_level(integer length, integer stride, integer unit) =
        length == 1 || length > 1 && stride >= 0 && is_multiple(stride, unit);

    // where the element of flat number f begins, and that no two elements share a byte
    logic integer place(snpy_view *v, integer f) =
        v->offset + flat_distance(&v->shape[0], &v->strides[0], v->ndim, f);
    predicate is_spread(snpy_view *v) = \forall integer j, k; 0 <= j < k < v->count ==>
        place(v, j) + v->itemsize <= place(v, k) || place(v, k) + v->itemsize <= place(v, j);

    // the first n elements are converted where they are; says so without a quantifier, which would be in a prover's way
    // decreases n
    predicate are_converted{F, T}(uint8_t *data, snpy_view *v, snpy_plan *p, integer n) = n <= 0 ||
        are_converted{F, T}(data, v, p, n - 1) &&
        is_copied{F, F, T}(data + \at(place(v, n - 1), F), data + \at(place(v, n - 1), F), p);
*/
/* clang-format on */

#endif
