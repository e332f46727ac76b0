/* record.h: parses structured dtypes: the text of a list of fields into a table. */
#ifndef SAFENPY_CORE_RECORD_H
#define SAFENPY_CORE_RECORD_H

#include "core/dtype.h"
#include "spec/logic/layout.h"
#include "spec/logic/record.h"

/* The options that affect the text of a header, in five words. They are passed by value, so that the provers cannot
 * mistake any write for one to them; const, so that compilers need no copy when they inline. */
struct snpy_text_options {
    snpy_compat compat;
    uint8_t max_ndim;
    uint8_t max_depth;
    uint32_t max_fields;
};

/* The options that affect a list of fields, in the order in which record_status takes them, and those that affect a
 * type string, as in SNPY_TYPE_FLAGS. */
/* clang-format off */
#define SNPY_RECORD_FLAGS(allow_long, o)                                                                     \
    (boolean)allow_long, (boolean)(o).compat.numpy_int, (boolean)(o).compat.list_shape,                      \
        (boolean)(o).compat.int_shape, (boolean)(o).compat.list_field, (boolean)(o).compat.metadata, (o).max_depth
#define SNPY_TYPE_OPTIONS(c)                                                                                 \
    (boolean)(c).native_order, (boolean)(c).type_names, (boolean)(c).bytes_alias, (boolean)(c).platform_float
/* clang-format on */

/* The result of a scan, besides the table. Counting continues when the table is full, so that the counts tell what is
 * needed. */
struct snpy_scan {
    uint64_t stop;        /* offset after the list; on failure of the byte at fault */
    uint64_t field_count; /* entries in the text */
    uint64_t dim_count;   /* sub-array dimensions in the text */
    uint64_t field_over;  /* offset of the type of the first entry that did not fit into the table; 0 if all did */
    uint64_t limit_over;  /* the same for the limit on entries */
    uint64_t dim_over;    /* offset of the shape of the first dimension that did not fit; 0 if all did */
    uint64_t type_at;     /* offset of the type string at fault */
    int type_status;      /* why the first type string was refused, in a phase after the literal's */
};

/* The provers keep one memory for each integer type. The numbers above and in the automaton have 64 bits; the columns
 * that a scan writes have 32, 16 and 8 bits unsigned; sub-array dimensions have 32 bits signed. So a write to one
 * cannot be mistaken for a write to another, and nothing has to be proved about that. Columns are named one by one,
 * because the provers do not see that t[0 .. n-1].c is part of t[0 .. m-1]. */
/* clang-format off */
#define SNPY_SCAN_COLUMNS(t, n)                                                                              \
    t[0 .. n - 1].name_offset, t[0 .. n - 1].name_length, t[0 .. n - 1].title_offset, t[0 .. n - 1].title_length, \
        t[0 .. n - 1].type_offset, t[0 .. n - 1].shape_offset, t[0 .. n - 1].parent, t[0 .. n - 1].first_dim, \
        t[0 .. n - 1].ndim, t[0 .. n - 1].depth, t[0 .. n - 1].dtype.kind, t[0 .. n - 1].dtype.byteorder,    \
        t[0 .. n - 1].dtype.unit, t[0 .. n - 1].dtype.itemsize, t[0 .. n - 1].dtype.multiplier,              \
        t[0 .. n - 1].has_name, t[0 .. n - 1].has_title

/* The numbers of an entry are in range, and its parent is before it. */
#define SNPY_ENTRY_OK(t, k, length, dim_count)                                                               \
    (((k) == 0 ==> (t)[k].parent == 0 && (t)[k].depth == 0) &&                                               \
     ((k) > 0 ==> (t)[k].parent < (k) && 1 <= (t)[k].depth <= SNPY_MAX_DEPTH) &&                             \
     (t)[k].type_offset < (length) && (t)[k].shape_offset < (length) &&                                      \
     (t)[k].name_offset + (t)[k].name_length <= (length) && (t)[k].title_offset + (t)[k].title_length <= (length) && \
     (t)[k].first_dim + (t)[k].ndim <= (dim_count) && (t)[k].dtype.itemsize <= SNPY_MAX_ITEMSIZE)

/* The same for the entries written so far: those of the first `count` that fit. */
#define SNPY_ENTRIES_OK(t, count, capacity, length, dim_count)                                               \
    (\forall integer k; 0 <= k < (count) && k < (capacity) ==> SNPY_ENTRY_OK(t, k, length, dim_count))

/* What is kept of the sound type at `i`. The layout gives records and sub-arrays their itemsize. */
#define SNPY_TYPED(dtype, text, length, i)                                                                   \
    ((dtype)->kind == entry_kind(text, length, i) && (dtype)->byteorder == entry_byteorder(text, length, i) && \
     (!open_kind((dtype)->kind) ==> (dtype)->itemsize == entry_itemsize(text, length, i)) &&                 \
     (dtype)->unit == entry_unit(text, length, i) && (dtype)->multiplier == entry_multiplier(text, length, i))

/* What an entry says of the head of its field, which opens at `h`. */
#define SNPY_ENTRY_NAMED(t, k, text, length, h)                                                              \
    (((t)[k].has_name != 0 <==> 0 < (h)) &&                                                                  \
     ((t)[k].has_title != 0 <==> 0 < (h) && head_has_title(text, length, (h) + 1)) &&                        \
     (0 < (h) ==> (t)[k].name_offset == span_offset(text, length, head_name(text, length, (h) + 1)) &&       \
      (t)[k].name_length == span_length(text, length, head_name(text, length, (h) + 1))) &&                  \
     ((t)[k].has_title != 0 ==>                                                                              \
      (t)[k].title_offset == span_offset(text, length, head_title(text, length, (h) + 1)) &&                 \
      (t)[k].title_length == span_length(text, length, head_title(text, length, (h) + 1))))

/* The entry's type stands at `i`, its field opens at `h`. */
#define SNPY_ENTRY_PLACED(t, k, text, length, i, d, h)                                                       \
    ((t)[k].type_offset == (i) && (t)[k].depth == (d) && SNPY_ENTRY_NAMED(t, k, text, length, h))

#define SNPY_RECORD_PLACE(text, length, start, allow_long, o)                                                \
    text, length, start, SNPY_RECORD_FLAGS(allow_long, o)

/* The same for the entry k of the record at `start`, in the names of the predicates below. */
#define SNPY_COLUMN_OF_TEXT(column) record_entry(text, length, start, l, np, ls, ints, lf, md, most, k, column)
#define SNPY_ENTRY_OF_TEXT                                                                                   \
    SNPY_ENTRY_PLACED(t, k, text, length, SNPY_COLUMN_OF_TEXT(ENTRY_PLACE), SNPY_COLUMN_OF_TEXT(ENTRY_DEPTH), \
                      SNPY_COLUMN_OF_TEXT(ENTRY_HEAD))
/* clang-format on */

/*@ predicate entries_ok(snpy_field *t, integer count, integer capacity, integer length, integer dim_count) =
        SNPY_ENTRIES_OK(t, count, capacity, length, dim_count);
    // what the first n entries say of the text is the same in two states
    predicate entries_kept{A, B}(snpy_field *t, integer n, integer capacity) =
        \forall integer k; 0 <= k < n && k < capacity ==>
        \at(t[k].type_offset, A) == \at(t[k].type_offset, B) && \at(t[k].depth, A) == \at(t[k].depth, B)
        && \at(t[k].parent, A) == \at(t[k].parent, B)
        && \at(t[k].name_offset, A) == \at(t[k].name_offset, B)
        && \at(t[k].name_length, A) == \at(t[k].name_length, B)
        && \at(t[k].title_offset, A) == \at(t[k].title_offset, B)
        && \at(t[k].title_length, A) == \at(t[k].title_length, B) && \at(t[k].has_name, A) == \at(t[k].has_name, B)
        && \at(t[k].has_title, A) == \at(t[k].has_title, B) && \at(t[k].dtype.kind, A) == \at(t[k].dtype.kind, B)
        && \at(t[k].dtype.byteorder, A) == \at(t[k].dtype.byteorder, B)
        && \at(t[k].dtype.unit, A) == \at(t[k].dtype.unit, B)
        && (!open_kind(\at(t[k].dtype.kind, A)) ==> \at(t[k].dtype.itemsize, A) == \at(t[k].dtype.itemsize, B))
        && \at(t[k].dtype.multiplier, A) == \at(t[k].dtype.multiplier, B);
    // the shapes of the first n entries are the same in two states, but for that of one
    predicate shapes_kept{A, B}(snpy_field *t, integer n, integer except) =
        \forall integer k; 0 <= k < n && k != except ==>
        \at(t[k].shape_offset, A) == \at(t[k].shape_offset, B) && \at(t[k].first_dim, A) == \at(t[k].first_dim, B)
        && \at(t[k].ndim, A) == \at(t[k].ndim, B);
    // of the first n entries, p is the last one of depth d - 1: a type that is open there
    predicate is_open(snpy_field *t, integer n, integer p, integer d) =
        0 <= p < n && t[p].depth + 1 == d && \forall integer j; p < j < n ==> d <= t[j].depth;
    // two variables, so that no chain of parents is unfolded
    predicate entries_nested(snpy_field *t, integer count, integer capacity) =
        \forall integer k, p; 0 < k < count && k < capacity && t[k].parent <= p < k ==>
        (p == t[k].parent ? t[p].depth + 1 == t[k].depth : t[k].depth <= t[p].depth);
    predicate entries_typed(snpy_field *t, integer count, integer capacity, uint8_t *text, integer length) =
        \forall integer k; 0 <= k < count && k < capacity ==>
        SNPY_TYPED(&t[k].dtype, text, length, t[k].type_offset);
    predicate entry_placed(snpy_field *t, integer k, uint8_t *text, integer length, integer start, boolean l,
                           boolean np, boolean ls, boolean ints, boolean lf, boolean md, integer most) =
        SNPY_ENTRY_OF_TEXT;
    predicate entries_placed(snpy_field *t, integer count, integer capacity, uint8_t *text, integer length,
                             integer start, boolean l, boolean np, boolean ls, boolean ints, boolean lf, boolean md,
                             integer most) =
        \forall integer k; 0 <= k < count && k < capacity ==>
        SNPY_ENTRY_OF_TEXT;
    // where the entries are in the text, in which the record begins at `start`, with their types if these are sound
    predicate entries_found(snpy_field *t, integer count, integer capacity, uint8_t *text, integer length,
                            integer start, boolean l, boolean np, boolean ls, boolean ints, boolean lf, boolean md,
                            integer most, integer type_status) =
        entries_placed(t, count, capacity, text, length, start, l, np, ls, ints, lf, md, most)
        && (type_status == SNPY_OK ==> entries_typed(t, count, capacity, text, length));
    // all that the entries say of the text, in which the record begins at `start`, with their types if these are sound
    predicate entries_read(snpy_field *t, integer count, integer capacity, uint8_t *text, integer length, integer start,
                           boolean l, boolean np, boolean ls, boolean ints, boolean lf, boolean md, integer most,
                           integer type_status) =
        entries_placed(t, count, capacity, text, length, start, l, np, ls, ints, lf, md, most)
        && entries_nested(t, count, capacity)
        && (type_status == SNPY_OK ==> entries_typed(t, count, capacity, text, length)); */

/* Reads a type string as the value of descr or of a field, from its prefix or quote on; scan->stop is after it. A type
 * that is refused is not an error here: the first refusal is kept in scan->type_status, because literal errors anywhere
 * in the text are reported first.                                                      NPY-LIT-005, 008, NPY-LIT-012 */
/*@ requires text_ok(text, length) && pos <= length && \valid(dtype) && \valid(scan);
    requires \separated(text + (0 .. length-1), dtype, scan);
    requires scan->type_at <= length;
    terminates \true;
    exits \false;
    assigns scan->stop, scan->type_status, scan->type_at, dtype->kind, dtype->byteorder, dtype->unit,
            dtype->itemsize, dtype->multiplier;
    ensures NPY_LIT_012: \result == \old(type_string_status(text, length, pos));
    ensures stop: scan->stop == \old(type_string_stop(text, length, pos));
    ensures type_status: scan->type_status == (\result != SNPY_OK || \old(scan->type_status) != SNPY_OK
            ? \old(scan->type_status)
            : \old(simple_status(text, length, pos, (boolean)is_unnamed, SNPY_TYPE_OPTIONS(compat))));
    ensures type_at: scan->type_at == (\old(scan->type_status) != SNPY_OK || scan->type_status == SNPY_OK
            ? \old(scan->type_at)
            : \old(simple_at(text, length, pos, (boolean)is_unnamed, SNPY_TYPE_OPTIONS(compat))));
    ensures kind: \result == SNPY_OK
            && \old(simple_status(text, length, pos, (boolean)is_unnamed, SNPY_TYPE_OPTIONS(compat))) == SNPY_OK ==>
            dtype->kind == \old(simple_kind(text, length, pos));
    ensures byteorder: \result == SNPY_OK
            && \old(simple_status(text, length, pos, (boolean)is_unnamed, SNPY_TYPE_OPTIONS(compat))) == SNPY_OK ==>
            dtype->byteorder == \old(simple_byteorder(text, length, pos));
    ensures itemsize: \result == SNPY_OK
            && \old(simple_status(text, length, pos, (boolean)is_unnamed, SNPY_TYPE_OPTIONS(compat))) == SNPY_OK ==>
            dtype->itemsize == \old(simple_itemsize(text, length, pos));
    ensures unit: \result == SNPY_OK
            && \old(simple_status(text, length, pos, (boolean)is_unnamed, SNPY_TYPE_OPTIONS(compat))) == SNPY_OK ==>
            dtype->unit == \old(simple_unit(text, length, pos));
    ensures multiplier: \result == SNPY_OK
            && \old(simple_status(text, length, pos, (boolean)is_unnamed, SNPY_TYPE_OPTIONS(compat))) == SNPY_OK ==>
            dtype->multiplier == \old(simple_multiplier(text, length, pos));
    ensures range: pos <= scan->stop <= length && scan->type_at <= length;
    ensures forward: \result == SNPY_OK ==> pos < scan->stop;
    ensures size: \result == SNPY_OK ==> dtype->itemsize <= SNPY_MAX_ITEMSIZE;
    ensures dtype: \result == SNPY_OK && scan->type_status == SNPY_OK ==> simple_dtype(dtype);
 */
snpy_status snpy_lex_simple_type(const uint8_t *text, size_t length, size_t pos, bool is_unnamed, snpy_compat compat,
                                 snpy_dtype *dtype, struct snpy_scan *scan);

/* Reads a list of fields, from its opening bracket on, into the caller's table. Entries and dimensions that do not fit
 * are counted and not written.                                                             NPY-LIT-010 … NPY-LIT-023 */
/*@ requires text_ok(text, length) && 1 <= pos < length && \valid(scan);
    requires \valid(fields + (0 .. field_capacity-1)) && \valid(dims + (0 .. dim_capacity-1));
    requires \separated(text + (0 .. length-1), scan, fields + (0 .. field_capacity-1), dims + (0 .. dim_capacity-1));
    requires options.max_depth <= SNPY_MAX_DEPTH && text[pos] == '[';
    terminates \true;
    exits \false;
    assigns SNPY_SCAN_COLUMNS(fields, field_capacity), dims[0 .. dim_capacity-1], scan->stop, scan->field_count,
            scan->dim_count, scan->field_over, scan->limit_over, scan->dim_over, scan->type_status, scan->type_at;
    ensures NPY_LIT_010: \result == \old(record_status(text, length, pos, SNPY_RECORD_FLAGS(allow_long, options)));
    ensures stop: scan->stop == \old(record_stop(text, length, pos, SNPY_RECORD_FLAGS(allow_long, options)));
    ensures type_status: \result == SNPY_OK ==> scan->type_status == \old(record_type_status(text, length, pos,
            SNPY_RECORD_FLAGS(allow_long, options), SNPY_TYPE_OPTIONS(options.compat)));
    ensures type_at: \result == SNPY_OK && scan->type_status != SNPY_OK ==>
            scan->type_at == \old(record_type_at(text, length, pos, SNPY_RECORD_FLAGS(allow_long, options),
            SNPY_TYPE_OPTIONS(options.compat)));
    ensures field_count: \result == SNPY_OK ==>
            scan->field_count == \old(record_fields(text, length, pos, SNPY_RECORD_FLAGS(allow_long, options)));
    ensures dim_count: \result == SNPY_OK ==>
            scan->dim_count == \old(record_dims(text, length, pos, SNPY_RECORD_FLAGS(allow_long, options)));
    ensures range: pos <= scan->stop <= length && scan->type_at <= length && scan->field_over < length
                   && scan->dim_over < length && scan->limit_over < length;
    ensures forward: \result == SNPY_OK ==> pos < scan->stop && 1 <= scan->field_count;
    ensures counts: \result == SNPY_OK ==> scan->field_count <= length && scan->dim_count <= length;
    ensures field_over: \result == SNPY_OK ==> (scan->field_over == 0 <==> scan->field_count <= field_capacity);
    ensures dim_over: \result == SNPY_OK ==> (scan->dim_over == 0 <==> scan->dim_count <= dim_capacity);
    ensures limit_over: \result == SNPY_OK ==> (scan->limit_over == 0 <==> scan->field_count <= options.max_fields);
    ensures entries: \result == SNPY_OK ==>
                     entries_ok(fields, scan->field_count, field_capacity, length, scan->dim_count);
    ensures read: \result == SNPY_OK ==>
                  entries_read(fields, scan->field_count, field_capacity, text, length, pos,
                               SNPY_RECORD_FLAGS(allow_long, options), scan->type_status);
 */
snpy_status snpy_scan_record(const uint8_t *text, size_t length, size_t pos, bool allow_long,
                             struct snpy_text_options options, snpy_field *fields, size_t field_capacity, int32_t *dims,
                             size_t dim_capacity, struct snpy_scan *scan);

#endif
