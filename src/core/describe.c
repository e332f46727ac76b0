/* describe.c: writes a field table as NumPy's list of fields.                              NPY-WRITE-003, NPY-WRITE-010
 * Proves that the iteration stays inside its stack and the pen inside its sink, and what the parts of the text are; not
 * their order, nor the names. Relies on check.c for a well-formed table; write.c writes the text around the list.
 *
 * Entries are in pre-order: when one is reached, every open one of the same or a greater depth ends. */
#include "core/describe.h"

/* For each depth: the entry that is open there, where its content ends so far, and whether it has any. Its integers
 * have other types than the columns of the table, so that the provers cannot mistake one for the other. */
struct walk {
    int32_t open[SNPY_MAX_DEPTH + 1];
    int64_t end[SNPY_MAX_DEPTH + 1];
    int8_t has_content[SNPY_MAX_DEPTH + 1];
};

#define END_BOUND (2 * (int64_t)SNPY_MAX_ITEMSIZE)

/* clang-format off */
#define WALK_OK(w, count)                                                                                    \
    ((\forall integer e; 0 <= e <= SNPY_MAX_DEPTH ==> 0 <= (w)->open[e] < (count)) &&                        \
     (\forall integer e; 0 <= e <= SNPY_MAX_DEPTH ==> 0 <= (w)->end[e] <= END_BOUND))
/* clang-format on */

/* Writes a sub-array shape after a comma: ", (2, 3)". */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && \valid_read(dims + (0 .. ndim-1));
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen);
    ensures text: SNPY_PEN_WRITES(pen, \old(tuple_text(sink_text(&pen->sink), dims, ndim)));
 */
static void pen_shape(struct snpy_pen *pen, const int32_t *dims, uint32_t ndim)
{
    snpy_pen_word(pen, SNPY_WORD4(',', ' ', '(', 0));
    /*@ loop invariant range: 0 <= k <= ndim;
        loop invariant grows: pen->sink.length >= \at(pen->sink.length, Pre);
        loop invariant text: sink_fits(&pen->sink) ==> sink_text(&pen->sink) ==
                append_items(append_word(\at(sink_text(&pen->sink), Pre), word(',', ' ', '(', 0, 0, 0, 0, 0)), dims, k);
        loop assigns k, SNPY_PEN_FIELDS(pen);
        loop variant ndim - k; */
    for (uint32_t k = 0; k < ndim; k++) {
        if (k > 0) snpy_pen_word(pen, SNPY_WORD4(',', ' ', 0, 0));
        snpy_pen_number(pen, dims[k] < 0 ? 0 : (uint64_t)dims[k]);
    }
    if (ndim == 1) snpy_put(&pen->sink, ',');
    snpy_put(&pen->sink, ')');
}

/* Writes a comma before a field, unless it is the first of its list: *has_content tells, and is true afterwards. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && \valid(has_content) && \separated(has_content, pen);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), *has_content;
    ensures text: SNPY_PEN_WRITES(pen, \old(separated_text(sink_text(&pen->sink), *has_content)));
    ensures content: *has_content == 1;
 */
static void pen_separator(struct snpy_pen *pen, int8_t *has_content)
{
    if (*has_content) snpy_pen_word(pen, SNPY_WORD4(',', ' ', 0, 0));
    *has_content = 1;
}

/* Writes a gap of this many bytes as a padding field, ('', '|V3'), unless it is empty.                 NPY-WRITE-003 */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && \valid(has_content) && \separated(has_content, pen);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), *has_content;
    ensures NPY_WRITE_003: SNPY_PEN_WRITES(pen, \old(gap_text(sink_text(&pen->sink), *has_content, size)));
    ensures content: *has_content == (size > 0 ? 1 : \old(*has_content));
 */
static void pen_gap(struct snpy_pen *pen, int8_t *has_content, int64_t size)
{
    if (size <= 0) return;
    pen_separator(pen, has_content);
    snpy_pen_word(pen, SNPY_WORD('(', '\'', '\'', ',', ' ', '\'', '|', 'V'));
    snpy_pen_number(pen, (uint64_t)size);
    snpy_pen_word(pen, SNPY_WORD4('\'', ')', 0, 0));
}

/* Whether a tuple contains its type with metadata only: then it is written as that type. */
/*@ requires SNPY_TABLE_READABLE(table) && entry < table->field_count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures transparent: \result <==> entry + 1 < table->field_count && table->fields[entry + 1].ndim == 0;
 */
static bool is_transparent(const snpy_table *table, size_t entry)
{
    return entry + 1 < table->field_count && table->fields[entry + 1].ndim == 0;
}

/* Writes the end of an entry's tuple: its shape and the parenthesis. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && SNPY_TABLE_READABLE(table) && entry < table->field_count;
    requires dims: table->fields[entry].first_dim + table->fields[entry].ndim <= table->dim_count;
    requires SNPY_APART(pen, table) && SNPY_APART(pen->sink.out + (0 .. pen->sink.capacity-1), table);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen);
    ensures text: SNPY_PEN_WRITES(pen, \old(tail_text(sink_text(&pen->sink), table->fields[entry].has_name,
            table->fields[entry].ndim, table->dims + table->fields[entry].first_dim)));
 */
static void pen_tail(struct snpy_pen *pen, const snpy_table *table, size_t entry)
{
    const snpy_field *field = &table->fields[entry];
    if (!field->has_name && field->ndim == 0) return; /* it is inside a transparent tuple */
    if (field->ndim > 0) pen_shape(pen, table->dims + field->first_dim, field->ndim);
    snpy_put(&pen->sink, ')');
}

/* What closing the type of an entry writes: the end of its list, and the end of its tuple unless it is the first
 * entry. */
/* clang-format off */
#define CLOSED(pen, t, entry, has_content, stop, first)                                                       \
    (\let ended = list_end_text(sink_text(&(pen)->sink), (t)->fields[entry].dtype.kind, has_content,           \
                                (t)->fields[entry].dtype.itemsize - (stop));                                  \
     (entry) == (first) ? ended :                                                                             \
     tail_text(ended, (t)->fields[entry].has_name, (t)->fields[entry].ndim, (t)->dims + (t)->fields[entry].first_dim))
/* clang-format on */

/* Closes the type that is open at a depth: ends its list, and its tuple unless it is the first entry. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && SNPY_TABLE_READABLE(table) && \valid(walk) && depth <= SNPY_MAX_DEPTH;
    requires table_ok(table->fields, table->field_count, names_length, table->dim_count);
    requires WALK_OK(walk, table->field_count) && SNPY_APART(pen, table) && SNPY_APART(walk, table);
    requires \separated(walk, pen, pen->sink.out + (0 .. pen->sink.capacity-1));
    requires SNPY_APART(pen->sink.out + (0 .. pen->sink.capacity-1), table);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), walk->has_content[0 .. SNPY_MAX_DEPTH];
    ensures text: SNPY_PEN_WRITES(pen, \old(CLOSED(pen, table, walk->open[depth], walk->has_content[depth], walk->end[depth],
            first)));
 */
static void close_depth(struct snpy_pen *pen, const snpy_table *table, struct walk *walk, uint32_t depth, size_t first,
                        size_t names_length)
{
    size_t entry = (size_t)walk->open[depth];
    const snpy_dtype *dtype = &table->fields[entry].dtype;
    (void)names_length; /* used in the contract only */
    if (dtype->kind == SNPY_KIND_RECORD) {
        pen_gap(pen, &walk->has_content[depth], (int64_t)dtype->itemsize - walk->end[depth]);
        snpy_put(&pen->sink, ']');
    }
    if (entry != first) pen_tail(pen, table, entry);
}

/* Closes the types that are open from one depth up to another, the deepest first. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && SNPY_TABLE_READABLE(table) && \valid(walk) && from <= SNPY_MAX_DEPTH + 1;
    requires table_ok(table->fields, table->field_count, names_length, table->dim_count);
    requires WALK_OK(walk, table->field_count) && SNPY_APART(pen, table) && SNPY_APART(walk, table);
    requires \separated(walk, pen, pen->sink.out + (0 .. pen->sink.capacity-1));
    requires SNPY_APART(pen->sink.out + (0 .. pen->sink.capacity-1), table);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), walk->has_content[0 .. SNPY_MAX_DEPTH];
 */
static void close_depths(struct snpy_pen *pen, const snpy_table *table, struct walk *walk, uint32_t from, uint32_t to,
                         size_t first, size_t names_length)
{
    uint32_t depth = from;
    /*@ loop invariant range: depth <= from;
        loop assigns depth, SNPY_PEN_FIELDS(pen), walk->has_content[0 .. SNPY_MAX_DEPTH];
        loop variant depth; */
    while (depth > to) {
        depth--;
        close_depth(pen, table, walk, depth, first, names_length);
    }
}

/* Writes the end of a field's names: the parenthesis of a title, and the comma before the type. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen);
    ensures text: SNPY_PEN_WRITES(pen, names_end_text(SNPY_PEN_TEXT(pen), has_title));
 */
static void end_names(struct snpy_pen *pen, bool has_title)
{
    if (has_title) snpy_put(&pen->sink, ')');
    snpy_pen_word(pen, SNPY_WORD4(',', ' ', 0, 0));
}

/* Writes a field's name, or its title and name, and the comma before its type. Returns false if a name is
 * ill-formed. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && \valid_read(field) && text_ok(names, length);
    requires \separated(field, pen) && \separated(names + (0 .. length-1), pen);
    requires spans: field->name_offset + field->name_length <= length
                    && field->title_offset + field->title_length <= length;
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), pen->wide;
 */
static bool pen_names(struct snpy_pen *pen, const snpy_field *field, const uint8_t *names, size_t length,
                      snpy_name_encoding encoding)
{
    bool has_title = field->has_title;
    snpy_put(&pen->sink, '(');
    if (has_title) {
        snpy_put(&pen->sink, '(');
        if (!snpy_pen_name(pen, names, length, field->title_offset, field->title_length, encoding)) return false;
        end_names(pen, false);
    }
    if (!snpy_pen_name(pen, names, length, field->name_offset, field->name_length, encoding)) return false;
    end_names(pen, has_title);
    return true;
}

/* What opening the type of an entry writes. */
/* clang-format off */
#define OPENED(pen, t, entry)                                                                                 \
    ((t)->fields[entry].dtype.kind == SNPY_KIND_RECORD ? append(sink_text(&(pen)->sink), '[') :                \
     (t)->fields[entry].dtype.kind != SNPY_KIND_SUBARRAY ?                                                     \
         type_text(sink_text(&(pen)->sink), (t)->fields[entry].dtype) :                                        \
     (entry) + 1 < (t)->field_count && (t)->fields[(entry) + 1].ndim == 0 ? sink_text(&(pen)->sink) :           \
         append(sink_text(&(pen)->sink), '('))
/* clang-format on */

/* Opens the type of an entry: writes all of it if it is simple, its bracket if not. Returns whether it is open. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && SNPY_TABLE_READABLE(table) && \valid(walk);
    requires entry < table->field_count && table->fields[entry].depth <= SNPY_MAX_DEPTH;
    requires WALK_OK(walk, table->field_count) && SNPY_APART(pen, table) && SNPY_APART(walk, table);
    requires \separated(walk, pen);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), walk->open[0 .. SNPY_MAX_DEPTH], walk->end[0 .. SNPY_MAX_DEPTH],
            walk->has_content[0 .. SNPY_MAX_DEPTH];
    ensures walk: WALK_OK(walk, table->field_count);
    ensures text: SNPY_PEN_WRITES(pen, \old(OPENED(pen, table, entry)));
    ensures open: \result <==> open_kind(table->fields[entry].dtype.kind);
    ensures here: walk->open[table->fields[entry].depth] == entry && walk->end[table->fields[entry].depth] == 0
                  && walk->has_content[table->fields[entry].depth] == 0;
    ensures rest: \forall integer e; 0 <= e <= SNPY_MAX_DEPTH && e != table->fields[entry].depth ==>
                  walk->open[e] == \old(walk->open[e]) && walk->end[e] == \old(walk->end[e])
                  && walk->has_content[e] == \old(walk->has_content[e]);
 */
static bool open_type(struct snpy_pen *pen, const snpy_table *table, struct walk *walk, size_t entry)
{
    const snpy_field *field = &table->fields[entry];
    uint16_t depth = field->depth;
    walk->open[depth] = (int32_t)entry;
    walk->end[depth] = 0;
    walk->has_content[depth] = 0;
    if (field->dtype.kind == SNPY_KIND_RECORD) {
        snpy_put(&pen->sink, '[');
        return true;
    }
    if (field->dtype.kind == SNPY_KIND_SUBARRAY) {
        if (!is_transparent(table, entry)) snpy_put(&pen->sink, '(');
        return true;
    }
    snpy_pen_type(pen, &field->dtype);
    return false;
}

/* Writes what comes before a field, the gap and the comma, and moves the end of the content after the field.
 *                                                                                                      NPY-WRITE-003 */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && \valid_read(field) && \valid(walk);
    requires above <= SNPY_MAX_DEPTH && \separated(field, pen, walk);
    requires \separated(walk, pen->sink.out + (0 .. pen->sink.capacity-1));
    requires end: \forall integer e; 0 <= e <= SNPY_MAX_DEPTH ==> 0 <= walk->end[e] <= END_BOUND;
    requires sizes: field->itemsize <= SNPY_MAX_ITEMSIZE && 0 <= field->offset <= SNPY_MAX_ITEMSIZE;
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), walk->end[0 .. SNPY_MAX_DEPTH], walk->has_content[0 .. SNPY_MAX_DEPTH];
    ensures end: \forall integer e; 0 <= e <= SNPY_MAX_DEPTH ==> 0 <= walk->end[e] <= END_BOUND;
    ensures here: walk->end[above] == \old(field->offset + field->itemsize) && walk->has_content[above] == 1;
    ensures rest: \forall integer e; 0 <= e <= SNPY_MAX_DEPTH && e != above ==>
                  walk->end[e] == \old(walk->end[e]) && walk->has_content[e] == \old(walk->has_content[e]);
    ensures NPY_WRITE_003: SNPY_PEN_WRITES(pen, \old(front_text(sink_text(&pen->sink), walk->has_content[above],
            field->offset - walk->end[above])));
 */
static void pen_front(struct snpy_pen *pen, const snpy_field *field, struct walk *walk, uint32_t above)
{
    int64_t gap = field->offset - walk->end[above];
    walk->end[above] = field->offset + (int64_t)field->itemsize;
    pen_gap(pen, &walk->has_content[above], gap);
    pen_separator(pen, &walk->has_content[above]);
}

/* Writes what comes before a field's type: the gap, the comma and the names. Returns false if a name is ill-formed. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && \valid_read(field) && \valid(walk) && text_ok(names, names_length);
    requires above <= SNPY_MAX_DEPTH && \separated(field, pen, walk);
    requires \separated(walk, pen->sink.out + (0 .. pen->sink.capacity-1));
    requires \separated(names + (0 .. names_length-1), pen, walk);
    requires end: \forall integer e; 0 <= e <= SNPY_MAX_DEPTH ==> 0 <= walk->end[e] <= END_BOUND;
    requires sizes: field->itemsize <= SNPY_MAX_ITEMSIZE && 0 <= field->offset <= SNPY_MAX_ITEMSIZE;
    requires spans: field->name_offset + field->name_length <= names_length
                    && field->title_offset + field->title_length <= names_length;
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), pen->wide, walk->end[0 .. SNPY_MAX_DEPTH], walk->has_content[0 .. SNPY_MAX_DEPTH];
    ensures end: \forall integer e; 0 <= e <= SNPY_MAX_DEPTH ==> 0 <= walk->end[e] <= END_BOUND;
    ensures here: walk->end[above] == field->offset + field->itemsize && walk->has_content[above] == 1;
    ensures rest: \forall integer e; 0 <= e <= SNPY_MAX_DEPTH && e != above ==>
                  walk->end[e] == \old(walk->end[e]) && walk->has_content[e] == \old(walk->has_content[e]);
 */
static bool open_field(struct snpy_pen *pen, const snpy_field *field, struct walk *walk, uint32_t above,
                       const uint8_t *names, size_t names_length, snpy_name_encoding encoding)
{
    pen_front(pen, field, walk, above);
    return pen_names(pen, field, names, names_length, encoding);
}

/* Writes one visible entry: closes what ends before it, and writes its names and the beginning of its type. *top is one
 * more than the deepest open depth. Returns false if a name is ill-formed. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && SNPY_TABLE_READABLE(table) && text_ok(names, names_length);
    requires \valid(walk) && \valid(top) && entry < table->field_count && 0 <= *top <= SNPY_MAX_DEPTH + 1;
    requires 1 <= table->fields[entry].depth;
    requires table_ok(table->fields, table->field_count, names_length, table->dim_count);
    requires sizes_ok(table->fields, table->field_count) && WALK_OK(walk, table->field_count);
    requires SNPY_APART(pen, table) && SNPY_APART(walk, table) && SNPY_APART(top, table);
    requires SNPY_APART(pen->sink.out + (0 .. pen->sink.capacity-1), table);
    requires \separated(walk, pen, top, pen->sink.out + (0 .. pen->sink.capacity-1));
    requires \separated(names + (0 .. names_length-1), pen, walk, top);
    requires \separated(names + (0 .. names_length-1), pen->sink.out + (0 .. pen->sink.capacity-1));
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), pen->wide, walk->open[0 .. SNPY_MAX_DEPTH], walk->end[0 .. SNPY_MAX_DEPTH],
            walk->has_content[0 .. SNPY_MAX_DEPTH], *top;
    ensures walk: WALK_OK(walk, table->field_count);
    ensures top: 0 <= *top <= SNPY_MAX_DEPTH + 1;
    ensures open: \result ==> *top == \old(table->fields[entry].depth
                  + (open_kind(table->fields[entry].dtype.kind) ? 1 : 0));
    ensures here: \result ==> walk->open[\old(table->fields[entry].depth)] == entry
                  && walk->end[\old(table->fields[entry].depth)] == 0
                  && walk->has_content[\old(table->fields[entry].depth)] == 0;
    ensures above: \result && \old(table->fields[entry].has_name) ==>
                   walk->end[\old(table->fields[entry].depth) - 1]
                   == \old(table->fields[entry].offset + table->fields[entry].itemsize);
    ensures unnamed: \result && !\old(table->fields[entry].has_name) ==>
                     walk->end[\old(table->fields[entry].depth) - 1]
                     == \old(walk->end[table->fields[entry].depth - 1]);
 */
static bool pen_entry(struct snpy_pen *pen, const snpy_table *table, struct walk *walk, const uint8_t *names,
                      size_t names_length, snpy_name_encoding encoding, size_t first, size_t entry, int16_t *top)
{
    const snpy_field *field = &table->fields[entry];
    uint16_t depth = field->depth;
    close_depths(pen, table, walk, (uint32_t)*top, depth, first, names_length);
    *top = (int16_t)depth;
    if (field->has_name && !open_field(pen, field, walk, depth - 1u, names, names_length, encoding)) return false;
    if (open_type(pen, table, walk, entry))
        *top = (int16_t)(depth + 1);
    else
        pen_tail(pen, table, entry);
    return true;
}

snpy_status snpy_pen_descr(struct snpy_pen *pen, const snpy_table *table, const uint8_t *names, size_t names_length,
                           snpy_name_encoding encoding, size_t first, uint64_t *entry)
{
    struct walk walk = {{0}, {0}, {0}};
    uint16_t base = table->fields[first].depth;
    int16_t top = (int16_t)(base + 1);
    uint16_t hidden = SNPY_MAX_DEPTH + 1; /* entries deeper than this are inside padding */
    *entry = first;
    if (!open_type(pen, table, &walk, first)) return SNPY_OK;
    /*@ loop invariant range: first < i <= table->field_count && 0 <= top <= SNPY_MAX_DEPTH + 1;
        loop invariant walk: WALK_OK(&walk, table->field_count);
        loop invariant sizes: sizes_ok(table->fields, table->field_count);
        loop assigns i, hidden, top, walk, *entry, SNPY_PEN_FIELDS(pen), pen->wide;
        loop variant table->field_count - i; */
    for (size_t i = first + 1; i < table->field_count && table->fields[i].depth > base; i++) {
        if (table->fields[i].depth > hidden) continue;
        hidden = table->fields[i].is_padding ? table->fields[i].depth : SNPY_MAX_DEPTH + 1;
        if (table->fields[i].is_padding) continue;
        *entry = i;
        if (!pen_entry(pen, table, &walk, names, names_length, encoding, first, i, &top)) return SNPY_WRITE_NAME;
    }
    close_depths(pen, table, &walk, (uint32_t)top, base, first, names_length);
    return SNPY_OK;
}
