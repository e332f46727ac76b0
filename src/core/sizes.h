/* sizes.h: checks what follows the literal phase: table, duplicates, shapes, sizes.
 *                                                                              NPY-HDR-005, NPY-SHAPE-004, NPY-DATA-004
 * Proves that each size that is returned is in range and is that of the text, and that no two names of an accepted
 * record are equal. layout.c computes the layout of records, duplicates.c finds equal names. Only header.c includes this
 * file. */
#ifndef SAFENPY_CORE_SIZES_H
#define SAFENPY_CORE_SIZES_H

#include "core/dict.h"
#include "core/duplicates.h"

/* clang-format off */
#define EARLIER(a, b) ((a) == 0 || ((b) != 0 && (b) < (a)) ? (b) : (a))
/* clang-format on */

/* Returns the smaller of two positions, where 0 means none. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures smaller: \result == EARLIER(a, b);
 */
static size_t earlier(size_t a, size_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Checks that the caller's table, and the limit, have space for all entries and dimensions. On failure *at is the byte
 * at fault.                                                                                   NPY-HDR-005, API-TABLE */
/*@ requires \valid_read(scan) && \valid(at) && \separated(scan, at);
    requires scan->field_over <= SNPY_MAX_TEXT && scan->dim_over <= SNPY_MAX_TEXT && scan->limit_over <= SNPY_MAX_TEXT;
    terminates \true;
    exits \false;
    assigns *at;
    ensures NPY_HDR_005: \old(scan->limit_over) != 0 ==>
            \result == SNPY_TOO_MANY_FIELDS && *at == \old(scan->limit_over);
    ensures API_TABLE: \old(scan->limit_over) == 0 ==>
            \result == (\old(scan->field_over) == 0 && \old(scan->dim_over) == 0 ? SNPY_OK : SNPY_TABLE_TOO_SMALL)
            && *at == EARLIER(\old(scan->field_over), \old(scan->dim_over));
 */
static snpy_status check_capacity(const struct snpy_scan *scan, uint64_t *at)
{
    size_t limit_over = (size_t)scan->limit_over;
    size_t over = earlier((size_t)scan->field_over, (size_t)scan->dim_over);
    *at = limit_over != 0 ? limit_over : over;
    if (limit_over != 0) return SNPY_TOO_MANY_FIELDS;
    return over != 0 ? SNPY_TABLE_TOO_SMALL : SNPY_OK;
}

/* clang-format off */
/* What the phases after the scan write. */
#define FINALISED_COLUMNS(t, n)                                                                                \
    t[0 .. n - 1].is_padding, t[0 .. n - 1].sort_low_, t[0 .. n - 1].sort_high_, t[0 .. n - 1].dtype.itemsize, \
        t[0 .. n - 1].itemsize, t[0 .. n - 1].offset, t[0 .. n - 1].next

#define RECORD_GIVEN                                                                                         \
    (\valid_read(text) && \object_pointer(text->text) && text_ok(text->text, text->length) &&                \
     1 <= count <= SNPY_MAX_FIELDS && \valid(fields + (0 .. count - 1)) && \object_pointer(dims) &&          \
     \valid_read(dims + (0 .. dim_count - 1)) && \valid(at) &&                                               \
     entries_ok(fields, count, count, text->length, dim_count) &&                                            \
     \separated(text->text + (0 .. text->length - 1), at, fields + (0 .. count - 1)) &&                      \
     \separated(dims + (0 .. dim_count - 1), at, fields + (0 .. count - 1), text->text + (0 .. text->length - 1)) && \
     \separated(text, at, fields + (0 .. count - 1)))
/* clang-format on */

/* clang-format off */
/* Which names and titles there are, where they are, and which of them are equal, is as it was at the label. */
#define KEYS_KEPT(label, f, n)                                                                               \
    (\forall integer a; 0 <= a < 2 * (n) ==>                                                                 \
     (is_key(f, a) <==> \at(is_key(f, a), label)) && f[a / 2].parent == \at(f[a / 2].parent, label) &&       \
     start_of_key(f, a) == \at(start_of_key(f, a), label) && end_of_key(f, a) == \at(end_of_key(f, a), label))
#define EQUALS_KEPT(label, n, ...)                                                                           \
    (\forall integer a, b; 0 <= a < 2 * (n) && 0 <= b < 2 * (n) ==>                                          \
     (are_equal(__VA_ARGS__, a, b) <==> \at(are_equal(__VA_ARGS__, a, b), label)))

/* The names of the first n entries differ, in the text that is parsed; and a write elsewhere leaves that. */
#define NAMES_BY text, header_encoding((boolean)allow_long), fields
#define DIFFER(n) names_differ(NAMES_BY, n)
#define ARE_EQUAL(a, b) are_equal(NAMES_BY, a, b)
#define NONE_EQUAL(label, n)                                                                                 \
    (\at(DIFFER(n), label) ==>                                                                               \
     \forall integer a, b; 0 <= a < b < 2 * (n) ==> !\at(ARE_EQUAL(a, b), label) && !ARE_EQUAL(a, b))
#define NAMES_STAY ensures differ: \old(DIFFER(count)) ==> DIFFER(count);
/* clang-format on */

/* Marks padding, then finds the first name or title that equals an earlier one of its record. Returns its key;
 * SNPY_NO_DUPLICATE if there is none.                                                   NPY-DTYPE-012, NPY-DTYPE-014 */
/*@ requires text_ok(text, length) && count <= SNPY_MAX_FIELDS && \valid(fields + (0 .. count-1));
    requires \separated(text + (0 .. length-1), fields + (0 .. count-1));
    requires spans: \forall integer k; 0 <= k < count ==>
             fields[k].name_offset + fields[k].name_length <= length
             && fields[k].title_offset + fields[k].title_length <= length;
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].is_padding, fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    ensures NPY_DTYPE_014: \forall integer k; 0 <= k < count ==>
            (fields[k].is_padding <==> is_dropped(fields, count, k));
    ensures range: \result == SNPY_NO_DUPLICATE || 0 <= \result < 2 * count;
    ensures none: \result == SNPY_NO_DUPLICATE ==> names_differ(text, encoding, fields, count);
    ensures NPY_DTYPE_012: \result != SNPY_NO_DUPLICATE ==> first_duplicate(text, encoding, fields, count, \result);
    ensures quote: \result != SNPY_NO_DUPLICATE ==> quote_of_key(fields, \result) <= length;
    ensures entries: entries_kept{Pre, Post}(fields, count, count);
 */
static int32_t find_duplicate(const uint8_t *text, size_t length, snpy_name_encoding encoding, snpy_field *fields,
                              size_t count)
{
    snpy_mark_padding(fields, count);
    //@ assert marked: entries_kept{Pre, Here}(fields, count, count);
    return snpy_find_duplicate(text, length, encoding, fields, count);
}

/* Sets *at to the quote before the first name or title that equals an earlier one, which a key stands for. */
/*@ requires \valid_read(fields + (0 .. count-1)) && count <= SNPY_MAX_FIELDS && \valid(at);
    requires \separated(at, fields + (0 .. count-1));
    requires first: first_duplicate(text, encoding, fields, count, key);
    terminates \true;
    exits \false;
    assigns *at;
    ensures quote: *at == quote_of_key(fields, key) == \old(quote_of_key(fields, key));
    ensures first: first_duplicate(text, encoding, fields, count, key);
    ensures entries: entries_kept{Pre, Post}(fields, count, count);
 */
static void report_duplicate(const snpy_field *fields, int32_t key, uint64_t *at)
/*@ ghost (const uint8_t *text, snpy_name_encoding encoding, size_t count) */
{
    const snpy_field *field = &fields[key / 2];
    size_t start = key % 2 == 1 ? field->name_offset : field->title_offset;
    *at = start > 0 ? start - 1 : 0;
}

/* Ghost lemma: the length of a text is no number of the table. */
/*@ ghost
    /@ requires \separated(text, fields + (0 .. count-1));
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures itemsize: \forall integer k; 0 <= k < count ==> \separated(&fields[k].dtype.itemsize, &text->length);
       ensures size: \forall integer k; 0 <= k < count ==> \separated(&fields[k].itemsize, &text->length); @/
    static void show_length_apart(const struct snpy_text *text, const snpy_field *fields, size_t count)
    {
        ;
    } */

/* Checks the shapes and sizes of a record. On failure *at is the byte at fault.        NPY-SHAPE-001 … NPY-SHAPE-003 */
/*@ requires RECORD_GIVEN && extra_at <= text->length;
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].dtype.itemsize, fields[0 .. count-1].itemsize, fields[0 .. count-1].offset, *at;
    ensures range: *at <= text->length;
    ensures size: \result == SNPY_OK ==> fields[0].dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    ensures NPY_SHAPE_001: \result != SNPY_OK || (extra_at == 0 && \old(deep_shape(fields, count, 0)) == 0);
    ensures too_many: \result == SNPY_TOO_MANY_DIMENSIONS ==>
            *at == EARLIER(extra_at, \old(deep_shape(fields, count, 0))) && *at > 0;
    ensures others: \result == SNPY_OK || \result == SNPY_TOO_MANY_DIMENSIONS || \result == SNPY_EMPTY_SUBARRAY_TYPE
            || \result == SNPY_ITEMSIZE_OVERFLOW;
    ensures NPY_DTYPE_015: \result == SNPY_OK ==> \forall integer k; 0 <= k < count ==> !is_refused(fields + k);
    ensures entries: entries_kept{Pre, Post}(fields, count, count);
 */
static snpy_status check_shapes(const struct snpy_text *text, snpy_field *fields, size_t count, const int32_t *dims,
                                size_t dim_count, size_t extra_at, uint64_t *at)
{
    //@ assert unfold: SNPY_ENTRIES_OK(fields, count, count, text->length, dim_count);
    size_t extra = earlier(extra_at, snpy_find_deep_subarray(fields, count));
    if (extra > 0) {
        *at = extra;
        return SNPY_TOO_MANY_DIMENSIONS;
    }
    //@ ghost show_length_apart(text, fields, count);
    //@ assert length: text->length == \at(text->length, Pre);
    /*@ assert read: \forall integer k; 0 <= k < count ==> fields[k].shape_offset < text->length
                     && fields[k].type_offset < text->length; */
    snpy_compute_layout(fields, count, dims, dim_count);
    //@ assert entries: entries_kept{Pre, Here}(fields, count, count);
    //@ assert kept: text->length == \at(text->length, Pre);
    /*@ assert places: \forall integer k; 0 <= k < count ==> fields[k].shape_offset < text->length
                       && fields[k].type_offset < text->length; */
    return snpy_check_layout(text, fields, count, at);
}

/* Checks a record in the phases between its table and its size: duplicates, then shapes, then sizes. On failure *at is
 * the byte at fault.                                                    NPY-DTYPE-012, NPY-SHAPE-001 … NPY-SHAPE-003 */
/*@ requires RECORD_GIVEN && extra_at <= text->length;
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].is_padding, fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_,
            fields[0 .. count-1].dtype.itemsize, fields[0 .. count-1].itemsize, fields[0 .. count-1].offset, *at;
    ensures range: *at <= text->length;
    ensures size: \result == SNPY_OK ==> fields[0].dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    ensures NPY_SHAPE_001: \result != SNPY_OK || (extra_at == 0 && \old(deep_shape(fields, count, 0)) == 0);
    ensures too_many: \result == SNPY_TOO_MANY_DIMENSIONS ==>
            *at == EARLIER(extra_at, \old(deep_shape(fields, count, 0))) && *at > 0;
    ensures others: \result == SNPY_OK || \result == SNPY_DUPLICATE_NAME || \result == SNPY_TOO_MANY_DIMENSIONS
            || \result == SNPY_EMPTY_SUBARRAY_TYPE || \result == SNPY_ITEMSIZE_OVERFLOW;
    ensures NPY_DTYPE_015: \result == SNPY_OK ==> \forall integer k; 0 <= k < count ==> !is_refused(fields + k);
    ensures NPY_DTYPE_012: \result != SNPY_DUPLICATE_NAME ==>
            names_differ(\old(text->text), \old(header_encoding((boolean)text->allow_long)), fields, count);
    ensures duplicate: \result == SNPY_DUPLICATE_NAME ==>
            \exists integer key; 0 <= key < 2 * count && *at == quote_of_key(fields, key)
            && first_duplicate(\old(text->text), \old(header_encoding((boolean)text->allow_long)), fields, count, key);
    ensures entries: entries_kept{Pre, Post}(fields, count, count);
 */
static snpy_status check_record(const struct snpy_text *text, snpy_field *fields, size_t count, const int32_t *dims,
                                size_t dim_count, size_t extra_at, uint64_t *at)
{
    //@ assert unfold: SNPY_ENTRIES_OK(fields, count, count, text->length, dim_count);
    snpy_name_encoding encoding = text->allow_long ? SNPY_NAME_LATIN1 : SNPY_NAME_UTF8;
    int32_t key = find_duplicate(text->text, text->length, encoding, fields, count);
    //@ ghost Named: ;
    //@ assert named: entries_kept{Pre, Here}(fields, count, count);
    if (key != SNPY_NO_DUPLICATE) {
        report_duplicate(fields, key, at) /*@ ghost (text->text, encoding, count) */;
        return SNPY_DUPLICATE_NAME;
    }
    snpy_status status = check_shapes(text, fields, count, dims, dim_count, extra_at, at);
    //@ assert checked: entries_kept{Named, Here}(fields, count, count);
    //@ assert keys: KEYS_KEPT(Named, fields, count);
    //@ assert equal: EQUALS_KEPT(Named, count, text->text, encoding, fields);
    //@ assert differ: names_differ(text->text, encoding, fields, count);
    return status;
}

/* The objects of a table stay, step by step, when nothing is written into it. */
/* clang-format off */
#define OBJECT_KEPT(predicate)                                                                               \
    (\forall integer k; 0 <= k < count ==> (predicate(fields, k) <==> \at(predicate(fields, k), Pre)))
#define ENTRY_KEPT                                                                                           \
    (\forall integer k; 0 <= k < count ==>                                                                   \
     fields[k].dtype.kind == \at(fields[k].dtype.kind, Pre) && fields[k].depth == \at(fields[k].depth, Pre) && \
     (fields[k].is_padding <==> \at(fields[k].is_padding, Pre)))
#define COVERS_KEPT                                                                                          \
    (\forall integer j, k; 0 <= j <= k < count ==> (covers(fields, j, k) <==> \at(covers(fields, j, k), Pre)))
/* clang-format on */

/* Stores the dtype of the array, and whether it has objects. The table keeps the objects and names that it has. */
/*@ requires \valid_read(dtype) && \valid(header) && \separated(dtype, header);
    requires \separated(header, fields + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns header->dtype.kind, header->dtype.byteorder, header->dtype.unit, header->dtype.itemsize,
            header->dtype.multiplier, header->has_object;
    ensures kind: header->dtype.kind == \old(dtype->kind);
    ensures byteorder: header->dtype.byteorder == \old(dtype->byteorder);
    ensures unit: header->dtype.unit == \old(dtype->unit);
    ensures size: header->dtype.itemsize == \old(dtype->itemsize);
    ensures multiplier: header->dtype.multiplier == \old(dtype->multiplier);
    ensures object: header->has_object != 0 <==> has_object;
    ensures objects: has_object_in(fields, count) <==> \old(has_object_in(fields, count));
    ensures entries: entries_kept{Pre, Post}(fields, count, count);
    NAMES_STAY
 */
static void fill_dtype(snpy_header *header, const snpy_dtype *dtype, bool has_object)
/*@ ghost (const uint8_t *text, bool allow_long, const snpy_field *fields, size_t count) */
{
    header->dtype.kind = dtype->kind;
    header->dtype.byteorder = dtype->byteorder;
    header->dtype.unit = dtype->unit;
    header->dtype.itemsize = dtype->itemsize;
    header->dtype.multiplier = dtype->multiplier;
    header->has_object = has_object;
    //@ assert kept: ENTRY_KEPT;
    //@ assert covers: COVERS_KEPT;
    //@ assert padding: OBJECT_KEPT(in_padding);
    //@ assert object: OBJECT_KEPT(is_kept_object);
    //@ assert objects: has_object_in(fields, count) <==> \at(has_object_in(fields, count), Pre);
    //@ assert keys: KEYS_KEPT(Pre, fields, count);
    //@ assert equal: EQUALS_KEPT(Pre, count, NAMES_BY);
}

/* Stores the order of the array. The table keeps the objects and names that it has. */
/*@ requires \valid(header) && \separated(header, fields + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns header->fortran_order;
    ensures fortran_order: header->fortran_order != 0 <==> fortran_order;
    ensures objects: has_object_in(fields, count) <==> \old(has_object_in(fields, count));
    ensures entries: entries_kept{Pre, Post}(fields, count, count);
    NAMES_STAY
 */
static void fill_order(snpy_header *header, bool fortran_order)
/*@ ghost (const uint8_t *text, bool allow_long, const snpy_field *fields, size_t count) */
{
    header->fortran_order = fortran_order;
    //@ assert kept: ENTRY_KEPT;
    //@ assert covers: COVERS_KEPT;
    //@ assert padding: OBJECT_KEPT(in_padding);
    //@ assert object: OBJECT_KEPT(is_kept_object);
    //@ assert objects: has_object_in(fields, count) <==> \at(has_object_in(fields, count), Pre);
    //@ assert keys: KEYS_KEPT(Pre, fields, count);
    //@ assert equal: EQUALS_KEPT(Pre, count, NAMES_BY);
}

/* clang-format off */
#define HEADER_TYPE_FIELDS                                                                                   \
    header->dtype.kind, header->dtype.byteorder, header->dtype.unit, header->dtype.itemsize,                 \
        header->dtype.multiplier, header->has_object

/* The text of a parse, and what the phases after the literal write, do not overlap. */
#define FINALISING                                                                                             \
    (\object_pointer(text) && text_ok(text, length) && \valid(header) && \valid(at) && \separated(header, at) && \
     \separated(text + (0 .. length - 1), header, at))

#define FINALISING_RECORD                                                                                      \
    (\object_pointer(fields) && \object_pointer(dims) && \valid(fields + (0 .. field_capacity - 1)) &&       \
     \valid(dims + (0 .. dim_capacity - 1)) &&                                                               \
     \separated(fields + (0 .. field_capacity - 1), text + (0 .. length - 1), header, at,                    \
                dims + (0 .. dim_capacity - 1)) &&                                                           \
     \separated(dims + (0 .. dim_capacity - 1), text + (0 .. length - 1), header, at))

#define RECORD_READ(scan)                                                                                    \
    (1 <= (scan)->field_count <= length && (scan)->dim_count <= length && (scan)->field_over < length &&     \
     (scan)->dim_over < length && (scan)->limit_over < length &&                                             \
     ((scan)->field_over == 0 ==> (scan)->field_count <= field_capacity) &&                                  \
     ((scan)->dim_over == 0 ==> (scan)->dim_count <= dim_capacity) &&                                        \
     ((scan)->limit_over == 0 ==> (scan)->field_count <= SNPY_MAX_FIELDS) &&                                 \
     entries_ok(fields, (scan)->field_count, field_capacity, length, (scan)->dim_count))
/* clang-format on */

/* Ghost lemma: no dimension of the array is the offset of a fault, or a size
 * in the table. */
/*@ ghost
    /@ requires \separated(header, at) && \separated(header, fields + (0 .. field_capacity-1));
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures at: \forall integer k; 0 <= k < SNPY_MAX_NDIM ==> \separated(&header->shape[k], at);
       ensures itemsize: \forall integer k, i; 0 <= k < SNPY_MAX_NDIM && 0 <= i < field_capacity ==>
                         &header->shape[k] != &fields[i].itemsize; @/
    static void show_shape_apart(const snpy_header *header, const uint64_t *at, const snpy_field *fields,
                                 size_t field_capacity)
    {
        ;
    } */

/* clang-format off */
#define SHAPE_KEPT (\forall integer k; 0 <= k < SNPY_MAX_NDIM ==> header->shape[k] == \at(header->shape[k], Pre))
/* clang-format on */

/* clang-format off */
/* The dimensions of the array are those of the text, and are in `shape`. */
#define DIMENSIONS T, dict->shape.at, (boolean)allow_long, (boolean)numpy_int, dict->shape.ndim
#define SHAPE_IN(at) T, at, (boolean)allow_long, (boolean)numpy_int
#define DIMS_READ(shape, at, ndim)                                                                           \
    (\forall integer k; 0 <= k < ndim ==> shape[k] == shape_length(SHAPE_IN(at), k))
/* clang-format on */

/* Ghost lemmas: the sizes of the dimensions that were read are those of the
 * text. */
/*@ ghost
    /@ requires text_ok(text, length) && 0 <= k && dim == shape_length(SHAPE_IN(at), k) && factor == at_least_one(dim);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures extent: shape_extent(SHAPE_IN(at), k + 1, base) ==
                       shape_extent(SHAPE_IN(at), k, base) * factor;
       ensures product: shape_product(SHAPE_IN(at), k + 1) == shape_product(SHAPE_IN(at), k) * dim; @/
    static void show_size(const uint8_t *text, size_t length, size_t at, bool allow_long, bool numpy_int, size_t k,
                          uint64_t base, uint64_t dim, uint64_t factor)
    {
        /@ assert extent: shape_extent(SHAPE_IN(at), k + 1, base) ==
                          shape_extent(SHAPE_IN(at), k, base) * at_least_one(shape_length(SHAPE_IN(at), k)); @/
        /@ assert product: shape_product(SHAPE_IN(at), k + 1) ==
                           shape_product(SHAPE_IN(at), k) * shape_length(SHAPE_IN(at), k); @/
        ;
    }

    /@ requires text_ok(text, length) && \valid_read(shape + (0 .. ndim-1));
       requires dims: DIMS_READ(shape, at, ndim);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures extent: shape_extent(SHAPE_IN(at), ndim, base) == extent(shape, ndim, base);
       ensures product: shape_product(SHAPE_IN(at), ndim) == product(shape, ndim); @/
    static void show_sizes(const uint8_t *text, size_t length, size_t at, bool allow_long, bool numpy_int,
                           const uint64_t *shape, size_t ndim, uint64_t base)
    {
        size_t k = 0;
        /@ loop invariant range: 0 <= k <= ndim;
           loop invariant extent: shape_extent(SHAPE_IN(at), k, base) == extent(shape, k, base);
           loop invariant product: shape_product(SHAPE_IN(at), k) == product(shape, k);
           loop assigns k;
           loop variant ndim - k; @/
        while (k < ndim) {
            uint64_t dim = shape[k];
            uint64_t factor = dim == 0 ? 1 : dim;
            /@ assert length: dim == shape_length(SHAPE_IN(at), k); @/
            /@ assert step: extent(shape, k + 1, base) == extent(shape, k, base) * at_least_one(shape[k]); @/
            /@ assert factor: at_least_one(shape[k]) == factor; @/
            /@ assert extent: extent(shape, k + 1, base) == extent(shape, k, base) * factor; @/
            /@ assert product: product(shape, k + 1) == product(shape, k) * dim; @/
            show_size(text, length, at, allow_long, numpy_int, k, base, dim, factor);
            k++;
        }
    } */

/* Returns how many bytes `count` elements take. */
/*@ requires count * itemsize <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_DATA_004: \result == count * itemsize;
 */
static inline uint64_t data_bytes(uint64_t count, uint32_t itemsize)
{
    return count * itemsize;
}

/* What the entries say of the text, in which the record begins at `start`; and that a write elsewhere leaves that. Each
 * write names the text, because the provers lose what they know of three states among what they know of sizes. */
/* clang-format off */
#define SAID_OF                                                                                              \
    const uint8_t *text, size_t length, bool allow_long, const struct snpy_text_options options, int64_t start
#define ENTRIES_SAID entries_read(fields, count, count, text, length, start, LIST_BY, SNPY_OK)
#define ENTRIES_STAY                                                                                         \
    ensures said: \old(ENTRIES_SAID) ==> ENTRIES_SAID;                                                       \
    NAMES_STAY
/* clang-format on */

/* Stores the number of dimensions. */
/*@ requires \valid(header) && \separated(fields + (0 .. count-1), header);
    terminates \true;
    exits \false;
    assigns header->ndim;
    ensures ndim: header->ndim == ndim;
    ENTRIES_STAY
 */
static void fill_ndim(snpy_header *header, uint32_t ndim) /*@ ghost (const snpy_field *fields, size_t count, SAID_OF) */
{
    header->ndim = ndim;
    //@ assert kept: entries_kept{Pre, Here}(fields, count, count);
    //@ assert nested: \at(entries_nested(fields, count, count), Pre) ==> entries_nested(fields, count, count);
    //@ assert types: \at(entries_typed(fields, count, count, T), Pre) ==> entries_typed(fields, count, count, T);
    /*@ assert placed: \at(entries_placed(fields, count, count, T, start, LIST_BY), Pre) ==>
            entries_placed(fields, count, count, T, start, LIST_BY); */
    //@ assert keys: KEYS_KEPT(Pre, fields, count);
    //@ assert equal: EQUALS_KEPT(Pre, count, NAMES_BY);
    //@ assert none: NONE_EQUAL(Pre, count);
}

/* Stores the sizes of the array, and the byte at fault. */
/*@ requires \valid(header) && \valid(at) && \separated(fields + (0 .. count-1), header, at);
    requires \separated(header, at);
    terminates \true;
    exits \false;
    assigns header->count, header->data_size, *at;
    ensures sizes: header->count == elements && header->data_size == data_size && *at == fault;
    ensures kept: SHAPE_KEPT;
    ENTRIES_STAY
 */
static void fill_sizes(snpy_header *header, uint64_t elements, uint64_t data_size, size_t fault, uint64_t *at)
/*@ ghost (const snpy_field *fields, size_t count, SAID_OF) */
{
    header->count = elements;
    header->data_size = data_size;
    *at = fault;
}

/* Computes and checks the sizes of the array, from its shape and its itemsize. On failure *at is the byte at fault.
 *                                                                         NPY-SHAPE-004, NPY-SHAPE-005, NPY-DATA-004 */
/*@ requires FINALISING && ndim <= SNPY_MAX_NDIM && shape_at < length && header->dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    requires lengths: DIMS_READ(header->shape, shape_at, ndim);
    requires sound: shape_status(T, shape_at, \true, (boolean)allow_long, (boolean)numpy_int) == SNPY_OK;
    requires apart: \separated(fields + (0 .. count-1), header, at);
    terminates \true;
    exits \false;
    assigns header->ndim, header->count, header->data_size, *at;
    ENTRIES_STAY
    ensures ndim: header->ndim == ndim;
    ensures NPY_DATA_004: \result ==
            (\old(shape_extent(SHAPE_IN(shape_at), ndim, at_least_one(header->dtype.itemsize))) > SNPY_MAX_SIZE
            ? SNPY_SIZE_OVERFLOW
            : header->data_size > max_data_bytes ? SNPY_DATA_TOO_LARGE : SNPY_OK);
    ensures NPY_SHAPE_005: \result != SNPY_SIZE_OVERFLOW ==>
            header->count == \old(shape_product(SHAPE_IN(shape_at), ndim));
    ensures object: \result != SNPY_SIZE_OVERFLOW && header->has_object != 0 ==> header->data_size == 0;
    ensures data: \result != SNPY_SIZE_OVERFLOW && header->has_object == 0 ==>
            header->data_size == header->count * header->dtype.itemsize;
    ensures at: *at == (\result == SNPY_SIZE_OVERFLOW
                        ? \old(overflow_at(SHAPE_IN(shape_at), 0, at_least_one(header->dtype.itemsize), SNPY_MAX_SIZE))
                        : length);
    ensures range: *at <= length;
    ensures lengths: DIMS_READ(header->shape, shape_at, ndim);
    ensures NPY_SHAPE_001: header->ndim <= SNPY_MAX_NDIM;
    ensures NPY_SHAPE_004: \result == SNPY_OK ==> header->data_size <= SNPY_MAX_SIZE && header->count <= SNPY_MAX_SIZE;
 */
static snpy_status compute_sizes(const uint8_t *text, size_t length, bool allow_long, bool numpy_int,
                                 uint64_t max_data_bytes, size_t ndim, size_t shape_at, snpy_header *header,
                                 uint64_t *at)
/*@ ghost (const snpy_field *fields, size_t count, const struct snpy_text_options options, int64_t start) */
{
    struct snpy_text view = {text, length, allow_long, numpy_int};
    uint32_t itemsize = header->dtype.itemsize;
    uint64_t elements = 0;
    /*@ ghost show_sizes(text, length, shape_at, allow_long, numpy_int, header->shape, ndim,
                         header->dtype.itemsize == 0 ? 1 : header->dtype.itemsize); */
    bool fits = snpy_count_elements(header->shape, ndim, itemsize, &elements);
    uint64_t data_size = !fits || header->has_object ? 0 : data_bytes(elements, itemsize);
    size_t fault = fits ? length : snpy_locate_overflow(&view, shape_at, itemsize == 0 ? 1 : itemsize, SNPY_MAX_SIZE);
    fill_ndim(header, (uint32_t)ndim) /*@ ghost (fields, count, text, length, allow_long, options, start) */;
    fill_sizes(header, fits ? elements : 0, data_size, fault, at)
        /*@ ghost (fields, count, text, length, allow_long, options, start) */;
    if (!fits) return SNPY_SIZE_OVERFLOW;
    return data_size > max_data_bytes ? SNPY_DATA_TOO_LARGE : SNPY_OK;
}

/*@ predicate depths_ok(snpy_field *f, integer n) = \forall integer k; 0 <= k < n ==> f[k].depth <= SNPY_MAX_DEPTH; */

/* Finalises the type of an array of records, from its table. On failure *at is the byte at fault.
 *                                                                    NPY-HDR-005, NPY-DTYPE-012, NPY-SHAPE-001 … 003 */
/*@ requires FINALISING && FINALISING_RECORD && \valid_read(scan) && RECORD_READ(scan) && extra_at <= length;
    requires \separated(scan, header, at, fields + (0 .. field_capacity-1));
    terminates \true;
    exits \false;
    assigns *at, HEADER_TYPE_FIELDS, FINALISED_COLUMNS(fields, field_capacity);
    ensures range: *at <= length;
    ensures size: \result == SNPY_OK ==> header->dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> extra_at == 0;
    ensures fits: \result == SNPY_OK ==> \old(scan->field_over) == 0 && \old(scan->dim_over) == 0;
    ensures NPY_HDR_005: \result == SNPY_OK ==> \old(scan->field_count) <= SNPY_MAX_FIELDS;
    ensures depth: \result == SNPY_OK ==> depths_ok(fields, \old(scan->field_count));
    ensures NPY_DTYPE_019: \result == SNPY_OK ==>
            (header->has_object != 0 <==> has_object_in(fields, \old(scan->field_count)));
    ensures NPY_DTYPE_012: \result == SNPY_OK ==> DIFFER(\old(scan->field_count));
    ensures kept: SHAPE_KEPT;
    ensures entries: \result == SNPY_OK ==>
                     entries_kept{Pre, Post}(fields, \old(scan->field_count), \old(scan->field_count));
 */
static snpy_status finalise_record_type(const uint8_t *text, size_t length, bool allow_long, bool numpy_int,
                                        snpy_field *fields, size_t field_capacity, const int32_t *dims,
                                        size_t dim_capacity, const struct snpy_scan *scan, size_t extra_at,
                                        snpy_header *header, uint64_t *at)
{
    struct snpy_text view = {text, length, allow_long, numpy_int};
    size_t count = (size_t)scan->field_count;
    size_t dim_count = (size_t)scan->dim_count;
    //@ ghost show_shape_apart(header, at, fields, field_capacity);
    (void)field_capacity;
    (void)dim_capacity; /* used in the contract only */
    snpy_status status = check_capacity(scan, at);
    if (status != SNPY_OK) return status;
    status = check_record(&view, fields, count, dims, dim_count, extra_at, at);
    if (status != SNPY_OK) return status;
    //@ assert depth: depths_ok(fields, count);
    //@ assert differ: DIFFER(count);
    fill_dtype(header, &fields[0].dtype, snpy_has_object(fields, count)) /*@ ghost (text, allow_long, fields, count) */;
    return SNPY_OK;
}

/* clang-format off */
/* A valid type string is stored in the header unchanged. */
#define SIMPLE_GIVEN \old(dict->scan.type_status == SNPY_OK && dict->is_record == 0)
#define SIMPLE_FILLED                                                                                        \
    ensures kind: \result == SNPY_OK && SIMPLE_GIVEN ==> header->dtype.kind == \old(dict->dtype.kind);       \
    ensures byteorder: \result == SNPY_OK && SIMPLE_GIVEN ==> header->dtype.byteorder == \old(dict->dtype.byteorder); \
    ensures itemsize: \result == SNPY_OK && SIMPLE_GIVEN ==> header->dtype.itemsize == \old(dict->dtype.itemsize); \
    ensures unit: \result == SNPY_OK && SIMPLE_GIVEN ==> header->dtype.unit == \old(dict->dtype.unit);       \
    ensures multiplier: \result == SNPY_OK && SIMPLE_GIVEN ==> header->dtype.multiplier == \old(dict->dtype.multiplier); \
    ensures object: \result == SNPY_OK && SIMPLE_GIVEN ==>                                                   \
            (header->has_object != 0 <==> \old(dict->dtype.kind) == SNPY_KIND_OBJECT);
/* An array of records has the objects of its table, whose size and depth are limited, and whose names differ. */
#define RECORD_FILLED                                                                                        \
    ensures NPY_HDR_005: \result == SNPY_OK && \old(dict->is_record) != 0 ==>                                \
            \old(dict->scan.field_count) <= SNPY_MAX_FIELDS;                                                 \
    ensures depth: \result == SNPY_OK && \old(dict->is_record) != 0 ==>                                      \
            depths_ok(fields, \old(dict->scan.field_count));                                                 \
    ensures NPY_DTYPE_019: \result == SNPY_OK && \old(dict->is_record) != 0 ==>                              \
            (header->has_object != 0 <==> has_object_in(fields, \old(dict->scan.field_count)));              \
    ensures NPY_DTYPE_012: \result == SNPY_OK && \old(dict->is_record) != 0 ==>                              \
            DIFFER(\old(dict->scan.field_count));
/* clang-format on */

/* clang-format off */
#define RECORD_SAID                                                                                          \
    (dict->is_record != 0 && dict->scan.type_status == SNPY_OK ==>                                           \
     entries_read(fields, dict->scan.field_count, field_capacity, text, length, dict->descr_at, LIST_BY, SNPY_OK))
/* clang-format on */

/* Finalises the type of the array, from its record or its type string. */
/*@ requires FINALISING && FINALISING_RECORD && \valid_read(dict);
    requires \separated(dict, header, at, fields + (0 .. field_capacity-1));
    requires type: dict->scan.type_at <= length && dict->shape.extra_at <= length;
    requires simple: dict->is_record == 0 ==> dict->dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    requires record: dict->is_record != 0 ==> RECORD_READ(&dict->scan);
    terminates \true;
    exits \false;
    assigns *at, HEADER_TYPE_FIELDS, FINALISED_COLUMNS(fields, field_capacity);
    ensures type_status: \old(dict->scan.type_status) != SNPY_OK ==>
            \result == \old(dict->scan.type_status) && *at == \old(dict->scan.type_at);
    ensures extra: SIMPLE_GIVEN ==>
            \result == (\old(dict->shape.extra_at) == 0 ? SNPY_OK : SNPY_TOO_MANY_DIMENSIONS)
            && *at == \old(dict->shape.extra_at);
    SIMPLE_FILLED
    ensures range: *at <= length;
    ensures size: \result == SNPY_OK ==> header->dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> \old(dict->shape.extra_at) == 0;
    ensures fits: \result == SNPY_OK && \old(dict->is_record) != 0 ==>
                  \old(dict->scan.field_over) == 0 && \old(dict->scan.dim_over) == 0;
    RECORD_FILLED
    ensures kept: SHAPE_KEPT;
    ensures entries: \result == SNPY_OK && \old(dict->is_record) != 0 ==>
            entries_kept{Pre, Post}(fields, \old(dict->scan.field_count), \old(dict->scan.field_count));
 */
static snpy_status finalise_type(const uint8_t *text, size_t length, bool allow_long, bool numpy_int,
                                 snpy_field *fields, size_t field_capacity, const int32_t *dims, size_t dim_capacity,
                                 const struct dict *dict, snpy_header *header, uint64_t *at)
{
    size_t extra_at = (size_t)dict->shape.extra_at;
    int type_status = dict->scan.type_status;
    *at = (size_t)dict->scan.type_at;
    if (type_status != SNPY_OK) return (snpy_status)type_status;
    if (dict->is_record != 0)
        return finalise_record_type(text, length, allow_long, numpy_int, fields, field_capacity, dims, dim_capacity,
                                    &dict->scan, extra_at, header, at);
    fill_dtype(header, &dict->dtype, dict->dtype.kind == SNPY_KIND_OBJECT) /*@ ghost (text, allow_long, fields, 0) */;
    *at = extra_at;
    return extra_at == 0 ? SNPY_OK : SNPY_TOO_MANY_DIMENSIONS;
}

/* Ghost lemma: an equal factor makes an equal product. */
/*@ ghost
    /@ requires item == given;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures product: count * item == count * given; @/
    static void show_same_product(uint64_t count, uint32_t item, uint32_t given)
    {
        ;
    } */

/* The same: entries that fit into the table are all in it. */
/*@ ghost
    /@ requires \valid_read(fields + (0 .. capacity-1)) && \valid_read(text + (0 .. length-1));
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures nested: count <= capacity && entries_nested(fields, count, capacity) ==>
                       entries_nested(fields, count, count);
       ensures types: count <= capacity && entries_typed(fields, count, capacity, T) ==>
                      entries_typed(fields, count, count, T);
       ensures placed: count <= capacity && entries_placed(fields, count, capacity, T, start, LIST_BY) ==>
                       entries_placed(fields, count, count, T, start, LIST_BY);
       ensures said: count <= capacity && entries_read(fields, count, capacity, T, start, LIST_BY, SNPY_OK) ==>
                     entries_read(fields, count, count, T, start, LIST_BY, SNPY_OK); @/
    static void show_fitting(const snpy_field *fields, size_t count, size_t capacity, SAID_OF)
    {
        /@ assert nested: count <= capacity && entries_nested(fields, count, capacity) ==>
                          entries_nested(fields, count, count); @/
        /@ assert types: count <= capacity && entries_typed(fields, count, capacity, T) ==>
                         entries_typed(fields, count, count, T); @/
        /@ assert placed: count <= capacity && entries_placed(fields, count, capacity, T, start, LIST_BY) ==>
                          entries_placed(fields, count, count, T, start, LIST_BY); @/
        ;
    } */

/* Runs the phases after the literal. On failure *at is the byte of the text at fault. */
/*@ requires FINALISING && FINALISING_RECORD && \valid_read(dict);
    requires \separated(dict, header, at, fields + (0 .. field_capacity-1));
    requires type: dict->scan.type_at <= length && dict->shape.extra_at <= length && dict->shape.at < length
             && (dict->shape.extra_at == 0 ==> dict->shape.ndim <= SNPY_MAX_NDIM);
    requires simple: dict->is_record == 0 ==> dict->dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    requires record: dict->is_record != 0 ==> RECORD_READ(&dict->scan);
    requires dims: dict->shape.extra_at == 0 ==> DIMS_READ(header->shape, dict->shape.at, dict->shape.ndim);
    requires sound: shape_status(T, dict->shape.at, \true, (boolean)allow_long, (boolean)numpy_int) == SNPY_OK;
    requires said: RECORD_SAID;
    terminates \true;
    exits \false;
    assigns *at, HEADER_TYPE_FIELDS, header->fortran_order, header->ndim, header->count, header->data_size,
            FINALISED_COLUMNS(fields, field_capacity);
    ensures type_status: \old(dict->scan.type_status) != SNPY_OK ==>
            \result == \old(dict->scan.type_status) && *at == \old(dict->scan.type_at);
    ensures extra: SIMPLE_GIVEN && \old(dict->shape.extra_at) != 0 ==>
            \result == SNPY_TOO_MANY_DIMENSIONS && *at == \old(dict->shape.extra_at);
    ensures sizes: SIMPLE_GIVEN && \old(dict->shape.extra_at) == 0 ==>
            \result == (\old(shape_extent(DIMENSIONS, at_least_one(dict->dtype.itemsize))) > SNPY_MAX_SIZE
                        ? SNPY_SIZE_OVERFLOW
                        : \old(dict->dtype.kind == SNPY_KIND_OBJECT ? 0 : shape_product(DIMENSIONS) * dict->dtype.itemsize)
                              > max_data_bytes ? SNPY_DATA_TOO_LARGE : SNPY_OK);
    ensures sizes_at: SIMPLE_GIVEN && \old(dict->shape.extra_at) == 0 && \result == SNPY_SIZE_OVERFLOW ==>
            *at == \old(overflow_at(SHAPE_IN(dict->shape.at), 0, at_least_one(dict->dtype.itemsize), SNPY_MAX_SIZE));
    ensures NPY_SHAPE_005: \result == SNPY_OK ==> header->count == \old(shape_product(DIMENSIONS));
    ensures object: \result == SNPY_OK && header->has_object != 0 ==> header->data_size == 0;
    ensures data: \result == SNPY_OK && header->has_object == 0 ==>
            header->data_size == header->count * header->dtype.itemsize;
    ensures limit: \result == SNPY_DATA_TOO_LARGE && SIMPLE_GIVEN ==> *at == length;
    SIMPLE_FILLED
    ensures fortran_order: \result == SNPY_OK ==> (header->fortran_order != 0 <==> \old(dict->fortran_order) != 0);
    ensures ndim: \result == SNPY_OK ==> header->ndim == \old(dict->shape.ndim);
    ensures lengths: \result == SNPY_OK ==> DIMS_READ(header->shape, \old(dict->shape.at), \old(dict->shape.ndim));
    ensures none_beyond: \result == SNPY_OK ==> \old(dict->shape.extra_at) == 0;
    ensures NPY_DATA_004: \result == SNPY_OK ==> header->data_size <= max_data_bytes;
    ensures range: *at <= length;
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> header->ndim <= SNPY_MAX_NDIM;
    ensures NPY_SHAPE_004: \result == SNPY_OK ==> header->data_size <= SNPY_MAX_SIZE && header->count <= SNPY_MAX_SIZE;
    ensures fits: \result == SNPY_OK && \old(dict->is_record) != 0 ==>
                  \old(dict->scan.field_over) == 0 && \old(dict->scan.dim_over) == 0;
    RECORD_FILLED
    ensures said: \result == SNPY_OK && \old(dict->is_record) != 0 ==>
            entries_read(fields, \old(dict->scan.field_count), \old(dict->scan.field_count), text, length,
                         \old(dict->descr_at), LIST_BY, SNPY_OK);
 */
static snpy_status finalise_header(const uint8_t *text, size_t length, bool allow_long, bool numpy_int,
                                   uint64_t max_data_bytes, snpy_field *fields, size_t field_capacity,
                                   const int32_t *dims, size_t dim_capacity, const struct dict *dict,
                                   snpy_header *header, uint64_t *at)
/*@ ghost (const struct snpy_text_options options) */
{
    uint64_t ndim = dict->shape.ndim;
    size_t shape_at = (size_t)dict->shape.at;
    bool fortran_order = dict->fortran_order != 0;
    //@ ghost int64_t is_record = dict->is_record;
    //@ ghost size_t entry_count = dict->is_record != 0 ? (size_t)dict->scan.field_count : 0;
    //@ ghost uint32_t given = dict->dtype.itemsize;
    //@ ghost int64_t start = dict->descr_at;
    //@ ghost show_fitting(fields, entry_count, field_capacity, text, length, allow_long, options, start);
    //@ ghost int type_status = dict->scan.type_status;
    /*@ assert before: is_record != 0 && type_status == SNPY_OK && entry_count <= field_capacity ==>
            entries_read(fields, entry_count, entry_count, T, start, LIST_BY, SNPY_OK); */
    //@ ghost Before: ;
    snpy_status status = finalise_type(text, length, allow_long, numpy_int, fields, field_capacity, dims, dim_capacity,
                                       dict, header, at);
    if (status != SNPY_OK) return status;
    //@ ghost Typed: ;
    //@ assert typed: entries_kept{Pre, Here}(fields, entry_count, entry_count);
    //@ assert differ: is_record != 0 ==> DIFFER(entry_count);
    fill_order(header, fortran_order) /*@ ghost (text, allow_long, fields, entry_count) */;
    //@ assert differ: is_record != 0 ==> DIFFER(entry_count);
    //@ assert ordered: entries_kept{Typed, Here}(fields, entry_count, entry_count);
    //@ assert kept: SHAPE_KEPT;
    //@ assert dims: DIMS_READ(header->shape, shape_at, ndim);
    //@ ghost int has_object = header->has_object ? 1 : 0;
    /*@ assert simple: \at(dict->is_record, Pre) == 0 ==>
                       (has_object != 0 <==> \at(dict->dtype.kind, Pre) == SNPY_KIND_OBJECT)
                       && header->dtype.itemsize == \at(dict->dtype.itemsize, Pre); */
    //@ ghost uint32_t itemsize = header->dtype.itemsize;
    //@ assert entries: entries_kept{Pre, Here}(fields, entry_count, entry_count);
    //@ assert fits: is_record != 0 ==> entry_count <= field_capacity;
    /*@ assert said_before: is_record != 0 ==>
            \at(entries_read(fields, entry_count, entry_count, T, start, LIST_BY, SNPY_OK), Before); */
    //@ assert nested: is_record != 0 ==> entries_nested(fields, entry_count, entry_count);
    //@ assert types: is_record != 0 ==> entries_typed(fields, entry_count, entry_count, T);
    //@ assert placed: is_record != 0 ==> entries_placed(fields, entry_count, entry_count, T, start, LIST_BY);
    /*@ assert said: is_record != 0 ==>
            entries_read(fields, entry_count, entry_count, text, length, start, LIST_BY, SNPY_OK); */
    status = compute_sizes(text, length, allow_long, numpy_int, max_data_bytes, (size_t)ndim, shape_at, header, at)
        /*@ ghost (fields, entry_count, options, start) */;
    //@ assert differ: is_record != 0 ==> DIFFER(entry_count);
    //@ assert count: status != SNPY_SIZE_OVERFLOW ==> header->count == \at(shape_product(DIMENSIONS), Pre);
    //@ assert same: (header->has_object != 0 <==> has_object != 0) && header->dtype.itemsize == itemsize;
    /*@ assert bytes: status != SNPY_SIZE_OVERFLOW ==>
                      header->data_size == (has_object != 0 ? 0 : \at(shape_product(DIMENSIONS), Pre) * itemsize); */
    /*@ assert none: \at(dict->is_record, Pre) == 0 && status != SNPY_SIZE_OVERFLOW
                     && \at(dict->dtype.kind, Pre) == SNPY_KIND_OBJECT ==> header->data_size == 0; */
    //@ assert item: \at(dict->is_record, Pre) == 0 ==> header->dtype.itemsize == \at(dict->dtype.itemsize, Pre);
    /*@ assert plain: status != SNPY_SIZE_OVERFLOW && header->has_object == 0 ==>
                      header->data_size == header->count * header->dtype.itemsize; */
    //@ ghost if (is_record == 0) show_same_product(header->count, header->dtype.itemsize, given);
    /*@ assert each: \at(dict->is_record, Pre) == 0 && status != SNPY_SIZE_OVERFLOW && has_object == 0 ==>
                     header->data_size == header->count * \at(dict->dtype.itemsize, Pre); */
    /*@ assert some: \at(dict->is_record, Pre) == 0 && status != SNPY_SIZE_OVERFLOW
                     && \at(dict->dtype.kind, Pre) != SNPY_KIND_OBJECT ==>
                     header->data_size == \at(shape_product(DIMENSIONS), Pre) * \at(dict->dtype.itemsize, Pre); */
    /*@ assert data: \at(dict->is_record, Pre) == 0 && status != SNPY_SIZE_OVERFLOW ==> header->data_size ==
                     \at(dict->dtype.kind == SNPY_KIND_OBJECT ? 0
                         : shape_product(DIMENSIONS) * dict->dtype.itemsize, Pre); */
    /*@ assert extent: \at(dict->is_record, Pre) == 0 ==>
                       (status == SNPY_SIZE_OVERFLOW <==>
                        \at(shape_extent(DIMENSIONS, at_least_one(dict->dtype.itemsize)), Pre) > SNPY_MAX_SIZE); */
    /*@ assert limit: status != SNPY_SIZE_OVERFLOW ==>
                      status == (header->data_size > max_data_bytes ? SNPY_DATA_TOO_LARGE : SNPY_OK); */
    return status;
}

#endif
