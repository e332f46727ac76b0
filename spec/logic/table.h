/* table.h: which field tables can be written, as the provers know them. spec/npy.md, NPY-WRITE-001 … NPY-WRITE-006.
 *
 * Logic only: the compiler sees an empty file. Each function reads a table and nothing else: `f` are its entries, `n`
 * their number, `d` its dimensions, `dn` their number; `k` is an entry. */
#ifndef SAFENPY_LOGIC_TABLE_H
#define SAFENPY_LOGIC_TABLE_H

#include "spec/logic/dtype.h"
#include "spec/logic/layout.h"

/* clang-format off */
/*@
    // ---- simple types, NPY-WRITE-001: those that are read back as they are

    logic boolean writable_size(integer kind, integer size) =
        kind == 'O' ? size == 8 :
        kind == 'S' || kind == 'V' ? size <= SNPY_MAX_ITEMSIZE :
        kind == 'U' ? size % 4 == 0 && size <= SNPY_MAX_ITEMSIZE : listed_size(kind, size) || platform_size(kind, size);
    logic boolean writable_unit(integer kind, integer unit, integer multiplier) =
        time_kind(kind) ? SNPY_UNIT_GENERIC <= unit && unit <= SNPY_UNIT_ATTOSECOND && 1 <= multiplier
                          && multiplier <= (unit == SNPY_UNIT_GENERIC ? 1 : 2147483647)
                        : unit == SNPY_UNIT_GENERIC && multiplier == 0;
    logic boolean writable_parts(integer kind, integer order, integer size, integer unit, integer multiplier) =
        known_kind(kind) && writable_size(kind, size) && order == order_meant(kind, size, order)
        && writable_unit(kind, unit, multiplier);
    logic boolean writable_type(snpy_dtype *t) =
        writable_parts(t->kind, t->byteorder, t->itemsize, t->unit, t->multiplier);

    // ---- the numbers of one entry, wherever it stands; `l` bytes of names

    logic boolean inside(integer first, integer length, integer bound) = first + length <= bound;
    logic integer spans_status(snpy_field *f, integer k, integer dn, integer l) =
        f[k].depth > SNPY_MAX_DEPTH || (f[k].depth == SNPY_MAX_DEPTH && open_kind(f[k].dtype.kind)) ? SNPY_WRITE_TABLE :
        !inside(f[k].name_offset, f[k].name_length, l) ? SNPY_WRITE_NAME :
        !inside(f[k].title_offset, f[k].title_length, l) ? SNPY_WRITE_NAME :
        !open_kind(f[k].dtype.kind) && !writable_type(&f[k].dtype) ? SNPY_WRITE_DTYPE :
        f[k].ndim > SNPY_MAX_NDIM || !inside(f[k].first_dim, f[k].ndim, dn) ? SNPY_WRITE_SHAPE : SNPY_OK;
    // the first entry is the array's type
    logic integer sizes_status(snpy_field *f, integer k, int32_t *d) =
        k == 0 ? (f[0].ndim == 0 && f[0].offset == 0 && f[0].itemsize == f[0].dtype.itemsize
                  && f[0].itemsize <= SNPY_MAX_ITEMSIZE ? SNPY_OK : SNPY_WRITE_TABLE) :
        f[k].offset < 0 || f[k].offset > SNPY_MAX_ITEMSIZE ? SNPY_WRITE_LAYOUT :
        (f[k].ndim > 0 && f[k].dtype.itemsize == 0) || f[k].dtype.itemsize > SNPY_MAX_ITEMSIZE ? SNPY_WRITE_SHAPE :
        \let b = dims_bytes(d, f[k].first_dim, f[k].ndim, f[k].dtype.itemsize);
        b > SNPY_MAX_ITEMSIZE ? SNPY_WRITE_SHAPE : f[k].itemsize != b ? SNPY_WRITE_LAYOUT : SNPY_OK;
    logic integer numbers_status(snpy_field *f, integer k, int32_t *d, integer dn, integer l) =
        spans_status(f, k, dn, l) != SNPY_OK ? spans_status(f, k, dn, l) : sizes_status(f, k, d);

    // ---- the place of an entry: behind the one before it, inside entry p, of which the first z bytes are taken

    // NPY-WRITE-006: a reader would see a field without a name
    logic boolean nameless(snpy_field *f) = f->has_name && !f->has_title && f->name_length == 0 && !f->is_padding;
    logic integer in_record_status(snpy_field *e, snpy_field *p, integer z) =
        e->offset < z || e->offset + e->itemsize > p->dtype.itemsize ? SNPY_WRITE_LAYOUT :
        nameless(e) && (e->ndim > 0 || e->dtype.kind == SNPY_KIND_VOID) ? SNPY_WRITE_UNREADABLE : SNPY_OK;
    // Without dimensions of its own, a tuple held metadata: it is written as the type inside it.
    logic integer in_subarray_status(snpy_field *e, snpy_field *p) =
        e->is_padding ? SNPY_WRITE_TABLE :
        e->offset != 0 || e->itemsize != p->dtype.itemsize ? SNPY_WRITE_LAYOUT :
        p->ndim == 0 && e->ndim > 0 ? SNPY_WRITE_UNREADABLE :
        nameless(p) && e->dtype.kind == SNPY_KIND_VOID ? SNPY_WRITE_UNREADABLE : SNPY_OK;
    // NPY-WRITE-002: a tree in pre-order
    logic boolean misplaced(snpy_field *b, snpy_field *e) =
        e->depth > b->depth ? !open_kind(b->dtype.kind) : b->dtype.kind == SNPY_KIND_SUBARRAY;
    logic boolean misnamed(snpy_field *e, snpy_field *p) =
        e->has_name ? p->dtype.kind != SNPY_KIND_RECORD : p->dtype.kind == SNPY_KIND_RECORD;
    logic integer place_status(snpy_field *b, snpy_field *e, snpy_field *p, integer parent, integer entry, integer z) =
        misplaced(b, e) || e->parent != parent ? SNPY_WRITE_TABLE :
        misnamed(e, p) ? SNPY_WRITE_TABLE :
        p->dtype.kind == SNPY_KIND_RECORD ? in_record_status(e, p, z) :
        parent + 1 != entry ? SNPY_WRITE_TABLE :
        in_subarray_status(e, p) != SNPY_OK ? in_subarray_status(e, p) : z > 0 ? SNPY_WRITE_LAYOUT : SNPY_OK;

    // ---- the whole table

    // of the first k entries, the last one of a depth: it is open there; and where the last one that lies in it ends
    // decreases k
    logic integer open_at(snpy_field *f, integer k, integer depth) =
        k <= 0 ? 0 : f[k - 1].depth == depth ? k - 1 : open_at(f, k - 1, depth);
    // decreases k
    logic integer end_at(snpy_field *f, integer k, integer depth) =
        k <= 0 || f[k - 1].depth == depth ? 0 :
        f[k - 1].depth == depth + 1 ? f[k - 1].offset + f[k - 1].itemsize : end_at(f, k - 1, depth);

    logic integer entry_status(snpy_field *f, integer k, int32_t *d, integer dn, integer l) =
        numbers_status(f, k, d, dn, l) != SNPY_OK ? numbers_status(f, k, d, dn, l) :
        f[k].depth == 0 || f[k].depth > f[k - 1].depth + 1 ? SNPY_WRITE_TABLE :
        \let p = open_at(f, k, f[k].depth - 1);
        place_status(f + (k - 1), f + k, f + p, p, k, end_at(f, k, f[k].depth - 1));
    // the first entry from k on that is refused; n if none is
    // decreases n - k
    logic integer refused_entry(snpy_field *f, integer n, integer k, int32_t *d, integer dn, integer l) =
        k >= n ? n : entry_status(f, k, d, dn, l) != SNPY_OK ? k : refused_entry(f, n, k + 1, d, dn, l);

    logic integer root_status(snpy_field *f, int32_t *d, integer dn, integer l) =
        f[0].depth != 0 || f[0].dtype.kind != SNPY_KIND_RECORD ? SNPY_WRITE_TABLE : numbers_status(f, 0, d, dn, l);
    logic boolean unfinished(snpy_field *f, integer n) = f[n - 1].dtype.kind == SNPY_KIND_SUBARRAY;
    logic integer table_status(snpy_field *f, integer n, int32_t *d, integer dn, integer l) =
        n == 0 || n > SNPY_MAX_FIELDS ? SNPY_WRITE_TABLE :
        root_status(f, d, dn, l) != SNPY_OK ? root_status(f, d, dn, l) :
        \let r = refused_entry(f, n, 1, d, dn, l);
        r < n ? entry_status(f, r, d, dn, l) :
        unfinished(f, n) ? SNPY_WRITE_TABLE : deep_entry(f, n, n) != 0 ? SNPY_WRITE_SHAPE : SNPY_OK;
    // the entry at fault; 0 if there is none
    logic integer table_fault(snpy_field *f, integer n, int32_t *d, integer dn, integer l) =
        n == 0 || n > SNPY_MAX_FIELDS || root_status(f, d, dn, l) != SNPY_OK ? 0 :
        \let r = refused_entry(f, n, 1, d, dn, l);
        r < n ? r : unfinished(f, n) ? n - 1 : deep_entry(f, n, n);
*/
/* clang-format on */

#endif
