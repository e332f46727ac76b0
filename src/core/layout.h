/* layout.h: computes what follows from a field table: padding, siblings, sizes and offsets. */
#ifndef SAFENPY_CORE_LAYOUT_H
#define SAFENPY_CORE_LAYOUT_H

#include "core/record.h"
#include "spec/logic/layout.h"
#include "spec/logic/name.h"

/* The text of a header, for the phases that read it again to find the byte at fault. */
struct snpy_text {
    const uint8_t *text;
    size_t length;
    bool allow_long; /* dimensions may end in L: versions 1.0 and 2.0 */
    bool numpy_int;  /* the compatibility flag numpy-int */
};

/* Sets is_padding of the entries that NumPy drops: nameless ones of kind void or sub-array.            NPY-DTYPE-014 */
/*@ requires \valid(fields + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].is_padding;
    ensures NPY_DTYPE_014: \forall integer k; 0 <= k < count ==> (fields[k].is_padding <==> is_dropped(fields, count, k));
 */
void snpy_mark_padding(snpy_field *fields, size_t count);

/* Sets `next` of each entry to the next entry with the same parent. */
/*@ requires \valid(fields + (0 .. count-1)) && count <= SNPY_MAX_FIELDS;
    requires depth: \forall integer k; 0 <= k < count ==> fields[k].depth <= SNPY_MAX_DEPTH;
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].next;
    ensures forward: \forall integer k; 0 <= k < count ==> fields[k].next == 0 || k < fields[k].next < count;
    ensures linked: linked(fields, count);
 */
void snpy_link_siblings(snpy_field *fields, size_t count);

/* Whether an entry is an object. Padding, and entries inside padding, do not count. */
/*@ requires \valid_read(fields + (0 .. count-1));
    requires depth: \forall integer k; 0 <= k < count ==> fields[k].depth <= SNPY_MAX_DEPTH;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_DTYPE_019: \result <==> has_object_in(fields, count);
 */
bool snpy_has_object(const snpy_field *fields, size_t count);

/* Finds the first sub-array in the text that has more than 64 dimensions, together with those nested in it. Returns the
 * offset of its shape; 0 if there is none.                                                             NPY-SHAPE-001 */
/*@ requires \valid_read(fields + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures place: \result == 0 || \exists integer k; 0 <= k < count && fields[k].shape_offset == \result;
    ensures NPY_SHAPE_001: \result == deep_shape(fields, count, 0);
 */
uint32_t snpy_find_deep_subarray(const snpy_field *fields, size_t count);

/* Returns the bytes of a sub-array with `ndim` dimensions, from dims[first] on, of items of `base` bytes;
 * SNPY_MAX_ITEMSIZE + 1 if it has more than SNPY_MAX_ITEMSIZE. For that bound a dimension of 0 counts as 1.
 *                                                                                                      NPY-SHAPE-003 */
/*@ requires \valid_read(dims + (first .. first + ndim - 1)) && base <= SNPY_MAX_ITEMSIZE + 1;
    requires first + ndim <= SIZE_MAX;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= SNPY_MAX_ITEMSIZE + 1;
    ensures over: base == SNPY_MAX_ITEMSIZE + 1 ==> \result == SNPY_MAX_ITEMSIZE + 1;
    ensures size: \result == dims_bytes(dims, first, ndim, base);
 */
uint64_t snpy_subarray_size(const int32_t *dims, size_t first, size_t ndim, uint64_t base);

/* Computes itemsize and offset of every entry, and dtype.itemsize of records. A size above SNPY_MAX_ITEMSIZE becomes
 * SNPY_MAX_ITEMSIZE + 1.                                                                               NPY-DTYPE-015 */
/*@ requires \valid(fields + (0 .. count-1)) && \valid_read(dims + (0 .. dim_count-1));
    requires \separated(fields + (0 .. count-1), dims + (0 .. dim_count-1));
    requires dims: \forall integer k; 0 <= k < count ==> fields[k].first_dim + fields[k].ndim <= dim_count;
    requires parent: \forall integer k; 0 < k < count ==> fields[k].parent < k;
    requires depth: \forall integer k; 0 <= k < count ==> fields[k].depth <= SNPY_MAX_DEPTH;
    requires size: \forall integer k; 0 <= k < count ==> fields[k].dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].dtype.itemsize, fields[0 .. count-1].itemsize, fields[0 .. count-1].offset;
    ensures sizes: \forall integer k; 0 <= k < count ==> fields[k].itemsize == \old(entry_bytes(fields, count, dims, k));
    ensures types: \forall integer k; 0 <= k < count ==> fields[k].dtype.itemsize ==
            (open_kind(fields[k].dtype.kind) ? \old(content_bytes(fields, count, dims, k, 0))
                                             : \old(fields[k].dtype.itemsize));
    ensures NPY_DTYPE_015: \forall integer k; 0 <= k < count ==> fields[k].offset == entry_offset(fields, k);
    ensures range: \forall integer k; 0 <= k < count ==> 0 <= fields[k].offset <= SNPY_MAX_ITEMSIZE + 1;
    ensures type_at: \forall integer k; 0 <= k < count ==> fields[k].type_offset == \old(fields[k].type_offset);
    ensures shape_at: \forall integer k; 0 <= k < count ==> fields[k].shape_offset == \old(fields[k].shape_offset);
    ensures names: same_names{Pre, Post}(fields, count);
 */
void snpy_compute_layout(snpy_field *fields, size_t count, const int32_t *dims, size_t dim_count);

/* clang-format off */
#define SNPY_TEXT_AT text->text, text->length, (boolean)text->allow_long, (boolean)text->numpy_int
#define SNPY_SHAPES_SOUND (\forall integer k; 0 <= k < count ==> shape_sound(fields + k, SNPY_TEXT_AT))
/* clang-format on */

/* Checks the computed sizes and offsets. On failure *at is the byte at fault, the earliest of all.
 *                                                           NPY-DTYPE-015, NPY-ERR-001, NPY-SHAPE-002, NPY-SHAPE-003 */
/*@ requires \valid_read(text) && text_ok(text->text, text->length) && \valid(at);
    requires 1 <= count && \valid_read(fields + (0 .. count-1)) && \separated(at, text, fields + (0 .. count-1));
    requires \separated(at, text->text + (0 .. text->length-1));
    requires places: \forall integer k; 0 <= k < count ==> fields[k].shape_offset < text->length
             && fields[k].type_offset < text->length && 0 <= fields[k].offset <= SNPY_MAX_ITEMSIZE + 1;
    terminates \true;
    exits \false;
    assigns *at;
    ensures range: *at <= text->length;
    ensures accepted: \result == SNPY_OK <==> \old(fields[0].dtype.itemsize) <= SNPY_MAX_ITEMSIZE
            && \forall integer k; 0 <= k < count ==> !\old(is_refused(fields + k));
    ensures sound: \result == SNPY_OK ==> \forall integer k; 0 <= k < count ==> !is_refused(fields + k);
    ensures NPY_SHAPE_002: \forall integer k; 0 <= k < count && \old(nothing_shaped(fields + k)) ==>
            \result != SNPY_OK && *at <= \old(fields[k].shape_offset);
    ensures others: \result == SNPY_OK || \result == SNPY_EMPTY_SUBARRAY_TYPE || \result == SNPY_ITEMSIZE_OVERFLOW;
    ensures empty_at: \result == SNPY_EMPTY_SUBARRAY_TYPE ==> \exists integer k; 0 <= k < count
            && \old(nothing_shaped(fields + k)) && *at == \old(fields[k].shape_offset);
    ensures status: (\exists integer k; 0 <= k < count && \old(is_refused(fields + k))) && \old(SNPY_SHAPES_SOUND) ==>
            \exists integer k; 0 <= k < count && \old(is_refused(fields + k))
            && \result == \old(refused_status(fields + k))
            && *at == \old(refused_at(fields + k, SNPY_TEXT_AT));
    ensures NPY_ERR_001: \old(SNPY_SHAPES_SOUND) ==> \forall integer k; 0 <= k < count && \old(is_refused(fields + k)) ==>
            *at <= \old(refused_at(fields + k, SNPY_TEXT_AT));
 */
snpy_status snpy_check_layout(const struct snpy_text *text, const snpy_field *fields, size_t count, size_t *at);

/* Finds the first dimension of a shape with which the product of `base` and the dimensions (0 counts as 1) exceeds
 * `bound`. Returns its offset in the text. The shape begins at `pos`, has been read before, and is known to exceed the
 * bound; if it does not, or is one number without brackets, the result is `pos`.        NPY-SHAPE-003, NPY-SHAPE-004 */
/*@ requires \valid_read(text) && text_ok(text->text, text->length) && pos < text->length;
    requires 1 <= base <= bound <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: pos <= \result <= text->length;
    ensures number: !shape_opens(text->text, pos, \true) ==> \result == pos;
    ensures at: shape_status(text->text, text->length, pos, \true, (boolean)text->allow_long, (boolean)text->numpy_int)
                == SNPY_OK ==> \result == overflow_at(text->text, text->length, pos, (boolean)text->allow_long,
                                                     (boolean)text->numpy_int, 0, base, bound);
 */
size_t snpy_locate_overflow(const struct snpy_text *text, size_t pos, uint64_t base, uint64_t bound);

/* Returns the product of two numbers, where a `value` of 0 counts as 1; bound + 1 if it exceeds the bound. */
/*@ requires product <= bound + 1 && bound <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures bound: \result <= bound + 1;
    ensures exact: product <= bound ==> \result == capped(product * at_least_one(value), bound);
    ensures over: product > bound ==> \result == bound + 1;
 */
static inline uint64_t snpy_extend(uint64_t product, uint64_t value, uint64_t bound)
{
    uint64_t factor = value == 0 ? 1 : value;
    return product > bound / factor ? bound + 1 : product * factor;
}

#endif
