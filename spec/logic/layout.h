/* layout.h: what follows from a table of fields that was read, as the provers know it. spec/npy.md, NPY-DTYPE-014,
 * NPY-DTYPE-015, NPY-SHAPE-001 … NPY-SHAPE-003.
 *
 * Logic only: the compiler sees an empty file. Each function reads a table and nothing else: `f` are its entries, `n`
 * their number, `d` its dimensions; `k` is an entry. */
#ifndef SAFENPY_LOGIC_LAYOUT_H
#define SAFENPY_LOGIC_LAYOUT_H

#include "safenpy/dtype.h"
#include "spec/logic/shape.h"

/* clang-format off */
/*@ // ---- sub-arrays: m dimensions from the one numbered `a` on

    // a negative dimension stands for one that was too large
    logic integer dim_factor(integer dim) = dim < 0 ? SNPY_MAX_ITEMSIZE + 1 : at_least_one(dim);
    // decreases m
    logic integer dims_extent(int32_t *d, integer a, integer m, integer base) =
        m <= 0 ? base : dims_extent(d, a, m - 1, base) * dim_factor(d[a + m - 1]);
    // decreases m
    logic boolean dims_empty(int32_t *d, integer a, integer m) = m > 0 && (dims_empty(d, a, m - 1) || d[a + m - 1] == 0);
    // NPY-SHAPE-003: the bytes; one more than any type may have if the bound is exceeded
    logic integer dims_bytes(int32_t *d, integer a, integer m, integer base) =
        dims_extent(d, a, m, base) > SNPY_MAX_ITEMSIZE ? SNPY_MAX_ITEMSIZE + 1 :
        dims_empty(d, a, m) ? 0 : dims_extent(d, a, m, base);

    // NPY-SHAPE-001: the dimensions of an entry and of all sub-arrays nested in it, and the last of the first
    // k entries that has too many
    // decreases n - k
    logic integer nested_ndim(snpy_field *f, integer n, integer k) =
        k >= n ? 0 : f[k].ndim + (f[k].dtype.kind == SNPY_KIND_SUBARRAY ? nested_ndim(f, n, k + 1) : 0);
    // decreases k
    logic integer deep_entry(snpy_field *f, integer n, integer k) =
        k <= 0 ? 0 : nested_ndim(f, n, k - 1) > SNPY_MAX_NDIM ? k - 1 : deep_entry(f, n, k - 1);

    // where the shape of the first such entry in the text begins, of the entries from k on; 0 if there is none
    // decreases n - k
    logic integer deep_shape(snpy_field *f, integer n, integer k) =
        k >= n ? 0 :
        \let r = deep_shape(f, n, k + 1);
        nested_ndim(f, n, k) > SNPY_MAX_NDIM && (r == 0 || f[k].shape_offset < r) ? f[k].shape_offset : r;

    // ---- padding and objects

    // NPY-DTYPE-014: the kind of an entry, seen through a tuple; and what NumPy drops
    logic integer direct_kind(snpy_field *f, integer n, integer k) =
        f[k].dtype.kind == SNPY_KIND_SUBARRAY && k + 1 < n ? f[k + 1].dtype.kind : f[k].dtype.kind;
    logic boolean is_dropped(snpy_field *f, integer n, integer k) =
        f[k].has_name && f[k].name_length == 0 && !f[k].has_title
        && (f[k].ndim > 0 || direct_kind(f, n, k) == SNPY_KIND_VOID);
    // whether entry k is padding, or lies in an entry j that is
    predicate covers(snpy_field *f, integer j, integer k) =
        f[j].is_padding != 0 && \forall integer m; j < m <= k ==> f[m].depth > f[j].depth;
    predicate in_padding(snpy_field *f, integer k) = \exists integer j; 0 <= j <= k && covers(f, j, k);
    // NPY-DTYPE-019: whether an entry that NumPy keeps is an object
    predicate is_kept_object(snpy_field *f, integer k) = f[k].dtype.kind == SNPY_KIND_OBJECT && !in_padding(f, k);
    predicate has_object_in(snpy_field *f, integer n) = \exists integer k; 0 <= k < n && is_kept_object(f, k);

    // ---- siblings: of the first n entries, the next one of the same depth is entry s, if it is a part of the same type;
    // s is 0 if it is not, or if there is none

    predicate none_between(snpy_field *f, integer k, integer m) =
        \forall integer j; k < j < m ==> f[j].depth != f[k].depth;
    predicate is_next(snpy_field *f, integer n, integer k, integer s) =
        s == 0 ? (\forall integer m; k < m < n && f[m].depth == f[k].depth && none_between(f, k, m) ==>
                  f[m].parent != f[k].parent)
               : k < s < n && f[s].depth == f[k].depth && f[s].parent == f[k].parent && none_between(f, k, s);
    predicate linked(snpy_field *f, integer n) = \forall integer k; 0 < k < n ==> is_next(f, n, k, f[k].next);

    // ---- sizes

    logic integer cut_size(integer size) = size > SNPY_MAX_ITEMSIZE ? SNPY_MAX_ITEMSIZE + 1 : size;
    // NPY-SHAPE-002: a shape stands behind a type of size zero: any if it is no record, one with dimensions if it is
    logic boolean shapes_nothing(integer size, integer ndim, integer shape_offset, integer kind) =
        size == 0 && (ndim > 0 || (shape_offset > 0 && kind != SNPY_KIND_RECORD));
    // the bytes of entry k, of which one element has so many; too many if its shape is refused, so that no type around
    // it is judged
    logic integer shaped_bytes(snpy_field *f, int32_t *d, integer k, integer size) =
        shapes_nothing(size, f[k].ndim, f[k].shape_offset, f[k].dtype.kind) ? SNPY_MAX_ITEMSIZE + 1 :
        dims_bytes(d, f[k].first_dim, f[k].ndim, size);
    // NPY-DTYPE-015: the bytes of all that lies directly in entry p, of the entries from k on
    // decreases n - k
    logic integer content_bytes(snpy_field *f, integer n, int32_t *d, integer p, integer k) =
        k >= n ? 0 :
        k > 0 && f[k].parent == p
            ? cut_size(content_bytes(f, n, d, p, k + 1)
                       + shaped_bytes(f, d, k, cut_size(f[k].dtype.itemsize + content_bytes(f, n, d, k, k + 1))))
            : content_bytes(f, n, d, p, k + 1);
    // and those of an entry
    logic integer entry_bytes(snpy_field *f, integer n, int32_t *d, integer k) =
        shaped_bytes(f, d, k, cut_size(f[k].dtype.itemsize + content_bytes(f, n, d, k, k + 1)));

    logic boolean open_kind(integer kind) = kind == SNPY_KIND_RECORD || kind == SNPY_KIND_SUBARRAY;

    // ---- offsets, NPY-DTYPE-015: where the next entry of depth e + 1 begins, behind the first k entries; and entry k

    // decreases k
    logic integer fill_at(snpy_field *f, integer k, integer e) =
        k <= 0 || f[k - 1].depth == e ? 0 :
        f[k - 1].depth == e + 1 ? cut_size(fill_at(f, k - 1, e) + f[k - 1].itemsize) : fill_at(f, k - 1, e);
    logic integer entry_offset(snpy_field *f, integer k) = f[k].depth == 0 ? 0 : fill_at(f, k, f[k].depth - 1);

    // ---- refusals, when sizes and offsets are known

    // NPY-SHAPE-002
    logic boolean nothing_shaped(snpy_field *f) =
        shapes_nothing(f->dtype.itemsize, f->ndim, f->shape_offset, f->dtype.kind);
    // NPY-SHAPE-003: of a sound type
    logic boolean over_shaped(snpy_field *f) =
        f->ndim > 0 && f->dtype.itemsize <= SNPY_MAX_ITEMSIZE && f->itemsize > SNPY_MAX_ITEMSIZE;
    // NPY-DTYPE-015: a sound entry that makes what it lies in too large
    logic boolean over_placed(snpy_field *f) =
        f->depth > 0 && f->itemsize <= SNPY_MAX_ITEMSIZE && f->offset + f->itemsize > SNPY_MAX_ITEMSIZE;

    // where the shape at i exceeds the bound; a number without brackets does as a whole
    logic integer shape_fault(uint8_t *t, integer n, integer i, boolean l, boolean np, integer base) =
        shape_opens(t, i, (boolean)1) ? overflow_at(t, n, i, l, np, 0, base, SNPY_MAX_ITEMSIZE) : i;
    logic integer shape_refused_at(snpy_field *f, uint8_t *t, integer n, boolean l, boolean np) =
        nothing_shaped(f) ? f->shape_offset : shape_fault(t, n, f->shape_offset, l, np, f->dtype.itemsize);

    // the refusal of an entry: of its shape, and only of a sound shape what it makes too large
    logic boolean badly_shaped(snpy_field *f) = nothing_shaped(f) || over_shaped(f);
    logic boolean is_refused(snpy_field *f) = nothing_shaped(f) || over_shaped(f) || over_placed(f);
    logic integer refused_status(snpy_field *f) =
        nothing_shaped(f) ? SNPY_EMPTY_SUBARRAY_TYPE : is_refused(f) ? SNPY_ITEMSIZE_OVERFLOW : SNPY_OK;
    logic integer refused_at(snpy_field *f, uint8_t *t, integer n, boolean l, boolean np) =
        badly_shaped(f) ? shape_refused_at(f, t, n, l, np) : f->type_offset;

    // a shape of which the place of an overflow is asked for is one
    predicate shape_sound(snpy_field *f, uint8_t *t, integer n, boolean l, boolean np) =
        over_shaped(f) && shape_opens(t, f->shape_offset, (boolean)1) ==>
        shape_status(t, n, f->shape_offset, (boolean)1, l, np) == SNPY_OK;
*/
/* clang-format on */

#endif
