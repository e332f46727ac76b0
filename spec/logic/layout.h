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
    logic integer dims_extent(int32_t *d, integer a, integer m, integer base) =
        m <= 0 ? base : dims_extent(d, a, m - 1, base) * dim_factor(d[a + m - 1]);
    logic boolean dims_empty(int32_t *d, integer a, integer m) = m > 0 && (dims_empty(d, a, m - 1) || d[a + m - 1] == 0);
    // NPY-SHAPE-003: the bytes; one more than any type may have if the bound is exceeded
    logic integer dims_bytes(int32_t *d, integer a, integer m, integer base) =
        dims_extent(d, a, m, base) > SNPY_MAX_ITEMSIZE ? SNPY_MAX_ITEMSIZE + 1 :
        dims_empty(d, a, m) ? 0 : dims_extent(d, a, m, base);

    // NPY-SHAPE-001: the dimensions of an entry and of all sub-arrays nested in it, and the last of the first
    // k entries that has too many
    logic integer nested_ndim(snpy_field *f, integer n, integer k) =
        k >= n ? 0 : f[k].ndim + (f[k].dtype.kind == SNPY_KIND_SUBARRAY ? nested_ndim(f, n, k + 1) : 0);
    logic integer deep_entry(snpy_field *f, integer n, integer k) =
        k <= 0 ? 0 : nested_ndim(f, n, k - 1) > SNPY_MAX_NDIM ? k - 1 : deep_entry(f, n, k - 1);

    // where the shape of the first such entry in the text begins, of the entries from k on; 0 if there is none
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
    // NPY-DTYPE-019: whether an entry from k on is an object, where those deeper than h lie in padding
    logic boolean object_from(snpy_field *f, integer n, integer k, integer h) =
        k < n
        && (f[k].depth > h ? object_from(f, n, k + 1, h) :
            f[k].is_padding ? object_from(f, n, k + 1, f[k].depth) :
            f[k].dtype.kind == SNPY_KIND_OBJECT || object_from(f, n, k + 1, SNPY_MAX_DEPTH + 1));

    // ---- siblings: of the first n entries, the next one of the same depth, and the next part of the same type; 0: none

    logic integer level_next(snpy_field *f, integer k, integer n) =
        n <= k + 1 ? 0 :
        level_next(f, k, n - 1) != 0 ? level_next(f, k, n - 1) : f[n - 1].depth == f[k].depth ? n - 1 : 0;
    logic integer sibling(snpy_field *f, integer k, integer n) =
        \let s = level_next(f, k, n);
        s != 0 && f[s].parent == f[k].parent ? s : 0;

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

    // NPY-SHAPE-002, when the itemsizes are known
    predicate nothing_shaped(snpy_field *f) = shapes_nothing(f->dtype.itemsize, f->ndim, f->shape_offset, f->dtype.kind);
*/
/* clang-format on */

#endif
