/* record.c: parses structured dtypes: the text of a list of fields into the caller's flat table.
 *                                                                                             NPY-LIT-010 … NPY-LIT-023
 * Proves that table and stack are never overrun and that each step goes forward in the text. field.h reads tokens,
 * layout.c computes sizes, offsets and padding, duplicates.c finds equal names.
 *
 * It is a pushdown automaton: one step per call, one loop, no recursion. Its stack consists of two numbers, with one
 * bit for each type that is still open, and of the table itself, where each entry has its parent. */
#include "core/field.h"

struct walk {
    uint64_t pos;
    uint64_t depth; /* depth of the type that is read next, or was read last */
    uint64_t count; /* number of entries so far */
    struct head head;
    struct snpy_scan scan;
    uint64_t tuples;   /* one bit for each open type, the innermost lowest: 1 for a tuple, 0 for a list */
    uint64_t brackets; /* one bit for each open type: 1 if the field read last in it ends with ']' */
    int16_t state;
    int16_t form; /* form of the type that was read last */
    int64_t open; /* entry of the innermost open type; if that is not in the table, nothing after it is */
    int64_t read; /* entry of the type that was read last */
};

/* The invariants between two steps. They are macros, not predicates: WP simplifies reads after writes in a formula, but
 * not inside a predicate, where provers take a thousand steps instead of one. */
/* clang-format off */
#define STACK_OK(w, n)                                                                                       \
    (0 <= (w)->open <= (n) && 0 <= (w)->read <= (n) && (1 <= (n) ==> (w)->open < (n) && (w)->read < (n)))

/* The parent of an open type is before it, if the table contains the type. */
#define PARENT_OK(w, t, capacity)                                                                            \
    ((w)->open < (capacity) ==>                                                                              \
     (t)[(w)->open].parent <= (w)->open && (0 < (w)->open ==> (t)[(w)->open].parent < (w)->open))

#define WALK_OK(w, length)                                                                                   \
    (1 <= (w)->pos <= (length) && (w)->depth <= SNPY_MAX_DEPTH && STATE_TYPE <= (w)->state <= STATE_NEXT &&  \
     (w)->count < (w)->pos && ((w)->state != STATE_TYPE ==> 1 <= (w)->count) &&                              \
     ((w)->state == STATE_ITEM || (w)->state == STATE_NEXT ==> 1 <= (w)->depth) &&                           \
     ((w)->state == STATE_TYPE ==> ((w)->depth == 0 <==> (w)->count == 0)) && HEAD_OK(&(w)->head, length) && \
     FORM_SIMPLE <= (w)->form <= FORM_TUPLE &&                           \
     (w)->tuples < power((w)->depth) && (w)->brackets < power((w)->depth) && STACK_OK(w, (w)->count))

/* The counts, which continue when the table is full. */
#define SCAN_OK(w, length, field_capacity, dim_capacity, max_fields)                                               \
    ((w)->scan.stop <= (length) && (w)->scan.type_at <= (length) && (w)->scan.field_over < (length) &&       \
     (w)->scan.limit_over < (length) && (w)->scan.dim_over < (length) && (w)->scan.dim_count <= (w)->pos &&  \
     ((w)->scan.field_over == 0 <==> (w)->count <= (field_capacity)) &&                                      \
     ((w)->scan.limit_over == 0 <==> (w)->count <= (max_fields)) &&                                          \
     ((w)->scan.dim_over == 0 <==> (w)->scan.dim_count <= (dim_capacity)))

#define SCAN_FIELDS(s)                                                                                       \
    (s)->stop, (s)->dim_count, (s)->field_over, (s)->limit_over, (s)->dim_over, (s)->type_status, (s)->type_at

#define WALK_FIELDS(w)                                                                                       \
    (w)->pos, (w)->depth, (w)->state, (w)->form, (w)->tuples, (w)->brackets, (w)->count, HEAD_FIELDS(&(w)->head), \
        SCAN_FIELDS(&(w)->scan), (w)->open, (w)->read

/* `h` is the head of the field that opens at h->at. */
#define HEAD_READ(h)                                                                                         \
    (((h)->has_name != 0 <==> 0 < (h)->at) && ((h)->at == 0 ==> (h)->has_title == 0) && (h)->at < length &&  \
     (0 < (h)->at ==>                                                                                        \
      ((h)->has_title != 0 <==> head_has_title(text, length, (h)->at + 1)) &&                                \
      (h)->name_offset == span_offset(text, length, head_name(text, length, (h)->at + 1)) &&                 \
      (h)->name_length == span_length(text, length, head_name(text, length, (h)->at + 1)) &&                 \
      ((h)->has_title != 0 ==>                                                                               \
       (h)->title_offset == span_offset(text, length, head_title(text, length, (h)->at + 1)) &&              \
       (h)->title_length == span_length(text, length, head_title(text, length, (h)->at + 1)))))

/* Entry k of the table, as the automaton and the type that was read give it. */
#define ENTRY_AT(t, k, w)                                                                                    \
    ((t)[k].type_offset == (w)->pos && (t)[k].depth == (w)->depth)
#define ENTRY_HEADED(t, k, h)                                                                                \
    ((t)[k].name_offset == (h)->name_offset && (t)[k].name_length == (h)->name_length &&                     \
     (t)[k].title_offset == (h)->title_offset && (t)[k].title_length == (h)->title_length &&                 \
     (t)[k].has_name == (h)->has_name && (t)[k].has_title == (h)->has_title)
#define ENTRY_WAS_HEADED(t, k, w)                                                                            \
    ((t)[k].name_offset == \old((w)->head.name_offset) && (t)[k].name_length == \old((w)->head.name_length) && \
     (t)[k].title_offset == \old((w)->head.title_offset) &&                                                  \
     (t)[k].title_length == \old((w)->head.title_length) && (t)[k].has_name == \old((w)->head.has_name) &&   \
     (t)[k].has_title == \old((w)->head.has_title))
#define SAME_TYPE(d, e)                                                                                      \
    ((d)->kind == (e)->kind && (d)->byteorder == (e)->byteorder && (d)->unit == (e)->unit &&                 \
     (d)->itemsize == (e)->itemsize && (d)->multiplier == (e)->multiplier)

/* The arguments of logic functions. The options are passed by value, so that the provers cannot mistake any write for
 * one to them. */
#define STEP_NEST may_nest(walk->depth, options.max_depth)
#define STEP_UNNAMED unnamed(text, length, walk->head.at)
#define STEP_INPUT text, length, SNPY_RECORD_FLAGS(allow_long, options)
#define STEP_TYPE SNPY_TYPE_OPTIONS(options.compat)
#define STEP_NESTED(t, capacity) are_nested(t, walk->count, capacity, walk->open, walk->depth)
#define STEP_START SNPY_RECORD_PLACE(text, length, start, allow_long, options)
#define STEP_STATE                                                                                           \
    walk->pos, walk->state, walk->form, walk->depth, walk->tuples, walk->brackets, walk->head.at
#define STEP_NEXT                                                                                            \
    walk->pos + step_length(STEP_INPUT, STEP_STATE),                                                         \
        next_state(text, length, walk->pos, walk->state, walk->tuples),                                      \
        next_form(text, length, walk->pos, walk->state, walk->form, walk->tuples, walk->brackets,            \
                  (boolean)options.compat.metadata),                                                         \
        next_depth(text, length, walk->pos, walk->state, walk->depth, walk->tuples),                         \
        next_tuples(text, length, walk->pos, walk->state, walk->tuples),                                     \
        next_brackets(text, length, walk->pos, walk->state, walk->tuples, walk->brackets),                   \
        next_head(text, length, walk->pos, walk->state, walk->head.at)
/* clang-format on */

/* Each entry lies in the last one before it that is less deep by one, and the innermost open type is that of the
 * next. */
/*@ predicate are_nested(snpy_field *t, integer n, integer capacity, integer open, integer depth) =
        entries_nested(t, n, capacity) && (0 < n && 0 < capacity ==> t[0].depth == 0)
        && (n <= capacity && depth > 0 ==> is_open(t, n, open, depth)); */

/* clang-format off */
/*@ // numbers below it have `d` binary digits
    // decreases d
    logic integer power(integer d) = d <= 0 ? 1 : 2 * power(d - 1); */
/* clang-format on */

/* Ghost lemma: one more digit fits into 64 bits. */
/*@ ghost
    /@ requires depth < SNPY_MAX_DEPTH;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures room: power(depth) <= 0x8000000000000000; @/
    static void show_room(uint64_t depth)
    {
        uint64_t e = 0;
        /@ loop invariant range: 0 <= e <= SNPY_MAX_DEPTH - 1;
           loop invariant natural: power(e) >= 1;
           loop invariant grows: e >= depth ==> power(e) >= power(depth);
           loop assigns e;
           loop variant SNPY_MAX_DEPTH - e; @/
        while (e < SNPY_MAX_DEPTH - 1) e++;
        /@ assert p8: power(8) == 0x100; @/
        /@ assert p16: power(16) == 0x10000; @/
        /@ assert p24: power(24) == 0x1000000; @/
        /@ assert p32: power(32) == 0x100000000; @/
        /@ assert p40: power(40) == 0x10000000000; @/
        /@ assert p48: power(48) == 0x1000000000000; @/
        /@ assert p56: power(56) == 0x100000000000000; @/
        /@ assert p63: power(63) == 0x8000000000000000; @/
        ;
    } */

snpy_status snpy_lex_simple_type(const uint8_t *text, size_t length, size_t pos, bool is_unnamed,
                                 const snpy_compat compat, snpy_dtype *dtype, struct snpy_scan *scan)
{
    size_t start = pos;
    size_t stop = pos;
    size_t at = pos;
    snpy_status status = snpy_lex_quote(text, length, pos, &start);
    scan->stop = start;
    if (status != SNPY_OK) return status == SNPY_EXPECTED_STRING ? SNPY_EXPECTED_TYPE : status;
    status = snpy_lex_type_string(text, length, start, text[start - 1], &stop);
    scan->stop = stop;
    if (status != SNPY_OK) return status;
    status = snpy_parse_type(text, start, stop, is_unnamed, &compat, dtype, &at);
    if (status != SNPY_OK && scan->type_status == SNPY_OK) {
        scan->type_status = (int)status;
        scan->type_at = at;
    }
    scan->stop = stop + 1;
    return SNPY_OK;
}

/* Fills a new entry, whose shape is not known yet. */
/*@ requires \valid(entry) && \valid_read(walk) && \valid_read(dtype);
    requires \separated(entry, walk) && \separated(entry, dtype);
    requires HEAD_OK(&walk->head, SNPY_MAX_TEXT) && walk->pos <= SNPY_MAX_TEXT;
    requires place: walk->depth <= SNPY_MAX_DEPTH
                    && (walk->depth > 0 ==> 0 <= walk->open <= SNPY_MAX_TEXT);
    terminates \true;
    exits \false;
    assigns entry->name_offset, entry->name_length, entry->title_offset, entry->title_length, entry->type_offset,
            entry->shape_offset, entry->parent, entry->first_dim, entry->ndim, entry->depth, entry->dtype.kind,
            entry->dtype.byteorder, entry->dtype.unit, entry->dtype.itemsize, entry->dtype.multiplier,
            entry->has_name, entry->has_title;
    ensures names: entry->name_offset == walk->head.name_offset && entry->name_length == walk->head.name_length
                   && entry->title_offset == walk->head.title_offset && entry->title_length == walk->head.title_length;
    ensures place: entry->type_offset == walk->pos && entry->depth == walk->depth
                   && entry->parent == (walk->depth > 0 ? walk->open : 0);
    ensures named: entry->has_name == walk->head.has_name && entry->has_title == walk->head.has_title;
    ensures dtype: entry->dtype.kind == \old(dtype->kind) && entry->dtype.byteorder == \old(dtype->byteorder)
                   && entry->dtype.itemsize == \old(dtype->itemsize) && entry->dtype.unit == \old(dtype->unit)
                   && entry->dtype.multiplier == \old(dtype->multiplier);
    ensures head: walk->head.has_name == \old(walk->head.has_name)
                  && walk->head.has_title == \old(walk->head.has_title);
    ensures open: entry->shape_offset == 0 && entry->first_dim == 0 && entry->ndim == 0;
 */
static void fill_entry(snpy_field *entry, const struct walk *walk, const snpy_dtype *dtype)
{
    entry->name_offset = (uint32_t)walk->head.name_offset;
    entry->name_length = (uint32_t)walk->head.name_length;
    entry->title_offset = (uint32_t)walk->head.title_offset;
    entry->title_length = (uint32_t)walk->head.title_length;
    entry->has_name = walk->head.has_name;
    entry->has_title = walk->head.has_title;
    entry->type_offset = (uint32_t)walk->pos;
    entry->shape_offset = 0;
    entry->parent = walk->depth > 0 ? (uint32_t)walk->open : 0;
    entry->first_dim = 0;
    entry->ndim = 0;
    entry->depth = (uint16_t)walk->depth;
    entry->dtype.kind = dtype->kind;
    entry->dtype.byteorder = dtype->byteorder;
    entry->dtype.unit = dtype->unit;
    entry->dtype.itemsize = dtype->itemsize;
    entry->dtype.multiplier = dtype->multiplier;
}

/* Reads the type at the automaton's position: all of it if it is simple, else only its bracket and the blanks after it,
 * and only if it `may_nest`. *form says which it is. A list or tuple has no size yet.       NPY-LIT-012, NPY-LIT-021 */
/*@ requires text_ok(text, length) && pos <= length && \valid(dtype) && \valid(scan);
    requires \valid(form) && scan->type_at <= length;
    requires \separated(text + (0 .. length-1), dtype, scan, form);
    terminates \true;
    exits \false;
    assigns scan->stop, scan->type_status, scan->type_at, dtype->kind, dtype->byteorder, dtype->unit,
            dtype->itemsize, dtype->multiplier, *form;
    ensures NPY_LIT_012: \result == \old(opening_status(text, length, pos, (boolean)may_nest));
    ensures stop: scan->stop == \old(opening_stop(text, length, pos, (boolean)may_nest));
    ensures first: \result == SNPY_OK ==> *form == \old(form_at(text, pos));
    ensures type_status: \result == SNPY_OK ==> scan->type_status == (\old(scan->type_status) != SNPY_OK
            ? \old(scan->type_status)
            : \old(opening_type_status(text, length, pos, (boolean)is_unnamed, SNPY_TYPE_OPTIONS(compat))));
    ensures type_at: \result == SNPY_OK ==>
            scan->type_at == (\old(scan->type_status) != SNPY_OK || scan->type_status == SNPY_OK
            ? \old(scan->type_at)
            : \old(simple_at(text, length, pos, (boolean)is_unnamed, SNPY_TYPE_OPTIONS(compat))));
    ensures range: pos <= scan->stop <= length && scan->type_at <= length;
    ensures forward: \result == SNPY_OK ==> pos < length && pos < scan->stop;
    ensures size: \result == SNPY_OK ==> dtype->itemsize <= SNPY_MAX_ITEMSIZE;
    ensures typed: \result == SNPY_OK && scan->type_status == SNPY_OK ==> SNPY_TYPED(dtype, text, length, pos);
    ensures form: \result == SNPY_OK ==> FORM_SIMPLE <= *form <= FORM_TUPLE;
    ensures depth: \result == SNPY_OK && *form != FORM_SIMPLE ==> may_nest != 0;
 */
static snpy_status lex_type(const uint8_t *text, size_t length, size_t pos, bool may_nest, bool is_unnamed,
                            const snpy_compat compat, snpy_dtype *dtype, int16_t *form, struct snpy_scan *scan)
{
    scan->stop = pos;
    *form = FORM_SIMPLE;
    if (pos == length) return SNPY_UNEXPECTED_END;
    if (text[pos] != '[' && text[pos] != '(')
        return snpy_lex_simple_type(text, length, pos, is_unnamed, compat, dtype, scan);
    if (!may_nest) return SNPY_TOO_DEEP;
    *form = text[pos] == '[' ? FORM_LIST : FORM_TUPLE;
    dtype->kind = text[pos] == '[' ? SNPY_KIND_RECORD : SNPY_KIND_SUBARRAY;
    dtype->byteorder = '|';
    dtype->unit = SNPY_UNIT_GENERIC;
    dtype->itemsize = 0;
    dtype->multiplier = 0;
    scan->stop = snpy_skip_blanks(text, length, pos + 1);
    return SNPY_OK;
}

/* Stores a new entry, if the table has space for it. */
/*@ requires walk->count < capacity;
    requires \valid(fields + (0 .. capacity-1)) && \valid_read(walk) && \valid_read(dtype);
    requires \separated(fields + (0 .. capacity-1), walk) && \separated(fields + (0 .. capacity-1), dtype);
    requires HEAD_OK(&walk->head, length) && walk->pos < length <= SNPY_MAX_TEXT && walk->count < length;
    requires place: walk->depth <= SNPY_MAX_DEPTH && (walk->count == 0 <==> walk->depth == 0)
                    && (walk->depth > 0 ==> 0 <= walk->open < walk->count);
    requires size: dtype->itemsize <= SNPY_MAX_ITEMSIZE;
    requires entries: entries_ok(fields, walk->count, capacity, length, walk->scan.dim_count);
    requires nested: are_nested(fields, walk->count, capacity, walk->open, walk->depth);
    terminates \true;
    exits \false;
    assigns SNPY_SCAN_COLUMNS(fields, capacity);
    ensures head: walk->head.has_name == \old(walk->head.has_name)
                  && walk->head.has_title == \old(walk->head.has_title);
    ensures entries: entries_ok(fields, walk->count + 1, capacity, length, walk->scan.dim_count);
    ensures kept: entries_kept{Pre, Post}(fields, walk->count, capacity);
    ensures place: ENTRY_AT(fields, walk->count, walk);
    ensures headed: ENTRY_HEADED(fields, walk->count, &walk->head);
    ensures type: SAME_TYPE(&fields[walk->count].dtype, dtype);
    ensures parent: fields[walk->count].parent == (walk->depth > 0 ? walk->open : 0);
    ensures nested: entries_nested(fields, walk->count + 1, capacity);
    ensures opened: walk->depth > 0 ==> is_open(fields, walk->count, walk->open, walk->depth);
 */
static void store_entry(snpy_field *fields, const struct walk *walk, const snpy_dtype *dtype)
/*@ ghost (size_t capacity, size_t length) */
{
    fill_entry(&fields[walk->count], walk, dtype);
    //@ assert others: SNPY_ENTRIES_OK(fields, walk->count, capacity, length, walk->scan.dim_count);
    //@ assert here: SNPY_ENTRY_OK(fields, walk->count, length, walk->scan.dim_count);
    //@ assert parents: \forall integer k; 0 <= k < walk->count ==> fields[k].parent == \at(fields[k].parent, Pre);
    //@ assert depths: \forall integer k; 0 <= k < walk->count ==> fields[k].depth == \at(fields[k].depth, Pre);
    //@ assert old_nested: entries_nested(fields, walk->count, capacity);
}

/* An entry has the shape that is read at `at`, whose dimensions follow the first `first`. A table has no ndim above
 * 65,535; what has so many is refused later. */
/* clang-format off */
#define SHAPE_STORED(t, k, at, first, n)                                                                     \
    ((t)[k].shape_offset == (at) && (t)[k].first_dim == (first) &&                                           \
     (t)[k].ndim == ((n) > UINT16_MAX ? UINT16_MAX : (n)))
/* clang-format on */

/* Stores the shape of an entry, if the table contains that. */
/*@ requires \valid(fields + (0 .. capacity-1)) && \valid_read(tail) && \separated(fields + (0 .. capacity-1), tail);
    requires entry < count && entry < capacity && length <= SNPY_MAX_TEXT && tail->shape_offset < length;
    requires dims: first_dim + tail->ndim <= dim_count && dim_count <= SNPY_MAX_TEXT;
    requires entries: entries_ok(fields, count, capacity, length, dim_count);
    requires nested: are_nested(fields, count, capacity, open, depth);
    terminates \true;
    exits \false;
    assigns fields[0 .. capacity-1].shape_offset, fields[0 .. capacity-1].first_dim, fields[0 .. capacity-1].ndim;
    ensures shape: SHAPE_STORED(fields, entry, tail->shape_offset, first_dim, tail->ndim);
    ensures others: shapes_kept{Pre, Post}(fields, capacity, entry);
    ensures entries: SNPY_ENTRIES_OK(fields, count, capacity, length, dim_count);
    ensures kept: entries_kept{Pre, Post}(fields, count, capacity);
    ensures nested: are_nested(fields, count, capacity, open, depth);
 */
static void store_shape(snpy_field *fields, uint64_t entry, uint64_t first_dim, const struct tail *tail)
/*@ ghost (size_t capacity, uint64_t count, uint64_t dim_count, size_t length, uint64_t open, uint64_t depth) */
{
    fields[entry].shape_offset = (uint32_t)tail->shape_offset;
    fields[entry].first_dim = (uint32_t)first_dim;
    fields[entry].ndim = tail->ndim > UINT16_MAX ? UINT16_MAX : (uint16_t)tail->ndim;
    //@ assert here: SNPY_ENTRY_OK(fields, entry, length, dim_count);
    //@ assert parents: \forall integer k; 0 <= k < capacity ==> fields[k].parent == \at(fields[k].parent, Pre);
    //@ assert depths: \forall integer k; 0 <= k < capacity ==> fields[k].depth == \at(fields[k].depth, Pre);
    //@ assert old_nested: entries_nested(fields, count, capacity);
}

/* Moves the automaton after the first bytes of a type, which has become an entry. */
/*@ requires \valid(walk) && WALK_OK(walk, length) && walk->state == STATE_TYPE;
    requires walk->pos < stop <= length <= SNPY_MAX_TEXT;
    requires FORM_SIMPLE <= form <= FORM_TUPLE && (form != FORM_SIMPLE ==> walk->depth < SNPY_MAX_DEPTH);
    terminates \true;
    exits \false;
    assigns walk->pos, walk->depth, walk->state, walk->form, walk->tuples, walk->brackets, walk->count,
            walk->head.at, walk->head.name_length, walk->head.title_length, walk->head.has_name,
            walk->head.has_title, walk->open, walk->read;
    ensures walk: WALK_OK(walk, length);
    ensures forward: walk->pos == stop && walk->count == \old(walk->count) + 1;
    ensures form: walk->form == form;
    ensures state: walk->state == (form == FORM_LIST ? STATE_ITEM : form == FORM_TUPLE ? STATE_TYPE : STATE_TAIL);
    ensures depth: walk->depth == \old(walk->depth) + (form == FORM_SIMPLE ? 0 : 1);
    ensures tuples: walk->tuples == (form == FORM_SIMPLE ? \old(walk->tuples)
            : 2 * \old(walk->tuples) + (form == FORM_TUPLE ? 1 : 0));
    ensures brackets: walk->brackets == (form == FORM_SIMPLE ? \old(walk->brackets) : 2 * \old(walk->brackets));
    ensures head: form == FORM_SIMPLE ==> walk->head.at == \old(walk->head.at)
            && walk->head.has_name == \old(walk->head.has_name) && walk->head.has_title == \old(walk->head.has_title)
            && walk->head.name_length == \old(walk->head.name_length)
            && walk->head.title_length == \old(walk->head.title_length);
    ensures no_head: form != FORM_SIMPLE ==>
            walk->head.at == 0 && walk->head.has_name == 0 && walk->head.has_title == 0
            && walk->head.name_length == 0 && walk->head.title_length == 0;
    ensures read: walk->read == \old(walk->count);
    ensures open: walk->open == (form == FORM_SIMPLE ? \old(walk->open) : \old(walk->count));
 */
static void push_entry(struct walk *walk, int16_t form, size_t stop) /*@ ghost (size_t length) */
{
    uint64_t depth = walk->depth;
    uint64_t count = walk->count;
    walk->read = (int64_t)count;
    walk->form = form;
    walk->count = count + 1;
    walk->pos = stop;
    walk->state = form == FORM_LIST ? STATE_ITEM : form == FORM_TUPLE ? STATE_TYPE : STATE_TAIL;
    if (form == FORM_SIMPLE) return;
    //@ ghost show_room(depth);
    //@ assert twice: power(depth + 1) == 2 * power(depth);
    walk->depth = depth + 1;
    walk->open = (int64_t)count;
    walk->tuples = 2 * walk->tuples + (form == FORM_TUPLE ? 1 : 0);
    walk->brackets = 2 * walk->brackets;
    walk->head.at = 0;
    walk->head.has_name = false;
    walk->head.has_title = false;
    walk->head.name_length = 0;
    walk->head.title_length = 0;
}

/* Stores where the table, or the limit on entries, was first exceeded: at this entry, if it is the first to exceed it. */
/*@ requires \valid(walk) && walk->pos >= 1;
    terminates \true;
    exits \false;
    assigns walk->scan.field_over, walk->scan.limit_over;
    ensures API_TABLE: walk->scan.field_over == (\old(walk->scan.field_over) == 0 && walk->count >= capacity
            ? walk->pos : \old(walk->scan.field_over));
    ensures NPY_HDR_005: walk->scan.limit_over == (\old(walk->scan.limit_over) == 0 && walk->count >= max_fields
            ? walk->pos : \old(walk->scan.limit_over));
 */
static void note_entry(struct walk *walk, size_t capacity, uint64_t max_fields)
{
    if (walk->count >= capacity && walk->scan.field_over == 0) walk->scan.field_over = walk->pos;
    if (walk->count >= max_fields && walk->scan.limit_over == 0) walk->scan.limit_over = walk->pos;
}

// A flag of an entry is none of the automaton's.
/*@ ghost
/@ requires \valid_read(fields + (0 .. capacity-1)) && \valid_read(walk);
   requires \separated(fields + (0 .. capacity-1), walk);
   terminates \true;
   exits \false;
   assigns \nothing;
   ensures names: \forall integer k; 0 <= k < capacity ==>
           &fields[k].has_name != &walk->head.has_name && &fields[k].has_name != &walk->head.has_title;
   ensures titles: \forall integer k; 0 <= k < capacity ==>
           &fields[k].has_title != &walk->head.has_name && &fields[k].has_title != &walk->head.has_title; @/
static void show_flags_apart(const snpy_field *fields, size_t capacity, const struct walk *walk) {} */

/* Makes an entry of the type that was read up to `stop`. */
/*@ requires \valid(walk) && \valid(fields + (0 .. capacity-1)) && \valid_read(dtype);
    requires \separated(dtype, walk, fields + (0 .. capacity-1));
    requires WALK_OK(walk, length) && walk->state == STATE_TYPE && walk->pos < stop <= length <= SNPY_MAX_TEXT;
    requires FORM_SIMPLE <= form <= FORM_TUPLE && (form != FORM_SIMPLE ==> walk->depth < SNPY_MAX_DEPTH);
    requires size: dtype->itemsize <= SNPY_MAX_ITEMSIZE;
    requires scan: SCAN_OK(walk, length, capacity, dim_capacity, max_fields);
    requires entries: entries_ok(fields, walk->count, capacity, length, walk->scan.dim_count);
    requires nested: STEP_NESTED(fields, capacity);
    terminates \true;
    exits \false;
    assigns walk->pos, walk->depth, walk->state, walk->form, walk->tuples, walk->brackets, walk->count,
            walk->head.at, walk->head.name_length, walk->head.title_length, walk->head.has_name,
            walk->head.has_title, walk->open, walk->read,
            walk->scan.field_over, walk->scan.limit_over, SNPY_SCAN_COLUMNS(fields, capacity);
    ensures count: walk->count == \old(walk->count) + 1;
    ensures form: walk->form == form;
    ensures state: walk->state == (form == FORM_LIST ? STATE_ITEM : form == FORM_TUPLE ? STATE_TYPE : STATE_TAIL);
    ensures depth: walk->depth == \old(walk->depth) + (form == FORM_SIMPLE ? 0 : 1);
    ensures tuples: walk->tuples == (form == FORM_SIMPLE ? \old(walk->tuples)
            : 2 * \old(walk->tuples) + (form == FORM_TUPLE ? 1 : 0));
    ensures brackets: walk->brackets == (form == FORM_SIMPLE ? \old(walk->brackets) : 2 * \old(walk->brackets));
    ensures head: form == FORM_SIMPLE ==> walk->head.at == \old(walk->head.at)
            && walk->head.has_name == \old(walk->head.has_name) && walk->head.has_title == \old(walk->head.has_title)
            && walk->head.name_length == \old(walk->head.name_length)
            && walk->head.title_length == \old(walk->head.title_length);
    ensures no_head: form != FORM_SIMPLE ==>
            walk->head.at == 0 && walk->head.has_name == 0 && walk->head.has_title == 0;
    ensures walk: WALK_OK(walk, length) && walk->pos == stop;
    ensures scan: SCAN_OK(walk, length, capacity, dim_capacity, max_fields);
    ensures entries: entries_ok(fields, walk->count, capacity, length, walk->scan.dim_count);
    ensures kept: entries_kept{Pre, Post}(fields, \old(walk->count), capacity);
    ensures place: \old(walk->count) < capacity ==>
                   fields[\old(walk->count)].type_offset == \old(walk->pos)
                   && fields[\old(walk->count)].depth == \old(walk->depth);
    ensures headed: \old(walk->count) < capacity ==> ENTRY_WAS_HEADED(fields, \old(walk->count), walk);
    ensures type: \old(walk->count) < capacity ==> SAME_TYPE(&fields[\old(walk->count)].dtype, dtype);
    ensures nested: STEP_NESTED(fields, capacity);
 */
static void enter_type(snpy_field *fields, size_t capacity, struct walk *walk, const snpy_dtype *dtype, int16_t form,
                       size_t stop, uint64_t max_fields) /*@ ghost (size_t dim_capacity, size_t length) */
{
    //@ ghost show_flags_apart(fields, capacity, walk);
    if (walk->count < capacity) {
        store_entry(fields, walk, dtype) /*@ ghost (capacity, length) */;
    }
    //@ assert entries: entries_ok(fields, walk->count + 1, capacity, length, walk->scan.dim_count);
    //@ assert nested: entries_nested(fields, walk->count + 1, capacity);
    note_entry(walk, capacity, max_fields);
    push_entry(walk, form, stop) /*@ ghost (length) */;
}

/* Step: reads a type, which becomes a new entry. Its content follows. */
/*@ requires text_ok(text, length) && \valid(walk) && \valid(fields + (0 .. capacity-1));
    requires \separated(text + (0 .. length-1), walk, fields + (0 .. capacity-1));
    requires WALK_OK(walk, length) && walk->state == STATE_TYPE && HEAD_READ(&walk->head);
    requires scan: SCAN_OK(walk, length, capacity, dim_capacity, options.max_fields);
    requires entries: entries_ok(fields, walk->count, capacity, length, walk->scan.dim_count);
    requires nesting: options.max_depth <= SNPY_MAX_DEPTH;
    requires nested: STEP_NESTED(fields, capacity);
    terminates \true;
    exits \false;
    assigns walk->pos, walk->depth, walk->state, walk->form, walk->tuples, walk->brackets, walk->count,
            walk->head.at, walk->head.name_length, walk->head.title_length, walk->head.has_name,
            walk->head.has_title, walk->open, walk->read, walk->scan.stop, walk->scan.type_status,
            walk->scan.type_at, walk->scan.field_over, walk->scan.limit_over, SNPY_SCAN_COLUMNS(fields, capacity);
    ensures NPY_LIT_012: \result == \old(opening_status(text, length, walk->pos, STEP_NEST));
    ensures stop: walk->scan.stop == \old(opening_stop(text, length, walk->pos, STEP_NEST));
    ensures pos: \result == SNPY_OK ==> walk->pos == walk->scan.stop;
    ensures state: \result == SNPY_OK ==>
            walk->state == \old(next_state(text, length, walk->pos, STATE_TYPE, walk->tuples));
    ensures form: \result == SNPY_OK ==> walk->form == \old(form_at(text, walk->pos));
    ensures depth: \result == SNPY_OK ==>
            walk->depth == \old(next_depth(text, length, walk->pos, STATE_TYPE, walk->depth, walk->tuples));
    ensures tuples: \result == SNPY_OK ==>
            walk->tuples == \old(next_tuples(text, length, walk->pos, STATE_TYPE, walk->tuples));
    ensures brackets: \result == SNPY_OK ==>
            walk->brackets == \old(next_brackets(text, length, walk->pos, STATE_TYPE, walk->tuples, walk->brackets));
    ensures head: \result == SNPY_OK ==>
            walk->head.at == \old(next_head(text, length, walk->pos, STATE_TYPE, walk->head.at));
    ensures read: \result == SNPY_OK ==> HEAD_READ(&walk->head);
    ensures count: \result == SNPY_OK ==> walk->count == \old(walk->count) + 1;
    ensures dim_count: walk->scan.dim_count == \old(walk->scan.dim_count);
    ensures type_status: \result == SNPY_OK ==> walk->scan.type_status == (\old(walk->scan.type_status) != SNPY_OK
            ? \old(walk->scan.type_status)
            : \old(opening_type_status(text, length, walk->pos, STEP_UNNAMED, STEP_TYPE)));
    ensures type_at: \result == SNPY_OK ==>
            walk->scan.type_at == (\old(walk->scan.type_status) != SNPY_OK || walk->scan.type_status == SNPY_OK
            ? \old(walk->scan.type_at)
            : \old(simple_at(text, length, walk->pos, STEP_UNNAMED, STEP_TYPE)));
    ensures range: \old(walk->pos) <= walk->scan.stop <= length && walk->scan.type_at <= length;
    ensures over: walk->scan.field_over < length && walk->scan.limit_over < length && walk->scan.dim_over < length;
    ensures walk: \result == SNPY_OK ==> WALK_OK(walk, length) && \old(walk->pos) < walk->pos;
    ensures scan: \result == SNPY_OK ==> SCAN_OK(walk, length, capacity, dim_capacity, options.max_fields);
    ensures entries: \result == SNPY_OK ==>
                     entries_ok(fields, walk->count, capacity, length, walk->scan.dim_count);
    ensures kept: entries_kept{Pre, Post}(fields, \old(walk->count), capacity);
    ensures place: \result == SNPY_OK && \old(walk->count) < capacity ==>
                   fields[\old(walk->count)].type_offset == \old(walk->pos)
                   && fields[\old(walk->count)].depth == \old(walk->depth);
    ensures headed: \result == SNPY_OK && \old(walk->count) < capacity ==>
                    ENTRY_WAS_HEADED(fields, \old(walk->count), walk);
    ensures typed: \result == SNPY_OK && walk->scan.type_status == SNPY_OK && \old(walk->count) < capacity ==>
                   SNPY_TYPED(&fields[\old(walk->count)].dtype, text, length, \old(walk->pos));
    ensures nested: \result == SNPY_OK ==> STEP_NESTED(fields, capacity);
 */
static snpy_status step_type(const uint8_t *text, size_t length, const struct snpy_text_options options,
                             snpy_field *fields, size_t capacity, struct walk *walk) /*@ ghost (size_t dim_capacity) */
{
    snpy_dtype dtype = {0, 0, 0, 0, 0};
    int16_t form = FORM_SIMPLE;
    bool may_nest = walk->depth < options.max_depth;
    bool is_unnamed = walk->head.has_name && walk->head.name_length == 0 && !walk->head.has_title;
    //@ assert nest: may_nest != 0 <==> STEP_NEST;
    //@ assert unnamed: is_unnamed != 0 <==> STEP_UNNAMED;
    snpy_status status =
        lex_type(text, length, (size_t)walk->pos, may_nest, is_unnamed, options.compat, &dtype, &form, &walk->scan);
    if (status != SNPY_OK) return status;
    enter_type(fields, capacity, walk, &dtype, form, (size_t)walk->scan.stop, options.max_fields)
        /*@ ghost (dim_capacity, length) */;
    /*@ assert kept: form == FORM_SIMPLE ==> walk->head.at == \at(walk->head.at, Pre)
            && walk->head.name_offset == \at(walk->head.name_offset, Pre)
            && walk->head.name_length == \at(walk->head.name_length, Pre)
            && walk->head.title_offset == \at(walk->head.title_offset, Pre)
            && walk->head.title_length == \at(walk->head.title_length, Pre); */
    //@ assert simple: form == FORM_SIMPLE ==> HEAD_READ(&walk->head);
    //@ assert nested: form != FORM_SIMPLE ==> HEAD_READ(&walk->head);
    return status;
}

// Once a type is left, the one that it lies in is the innermost.
/*@ ghost
/@ requires \valid_read(fields + (0 .. capacity-1)) && 0 <= open < n && 1 <= depth;
   requires nested: are_nested(fields, n, capacity, open, depth);
   requires parent: open < capacity ==> fields[open].parent <= open && (0 < open ==> fields[open].parent < open);
   terminates \true;
   exits \false;
   assigns \nothing;
   ensures nested: open < capacity ==> are_nested(fields, n, capacity, fields[open].parent, depth - 1);
   ensures full: open >= capacity ==> are_nested(fields, n, capacity, open, depth - 1); @/
static void show_left(const snpy_field *fields, size_t capacity, uint64_t n, int64_t open, uint64_t depth)
{
    /@ assert root: n <= capacity && depth > 1 ==> 0 < open; @/
    /@ assert lies: n <= capacity && depth > 1 ==> is_open(fields, open, fields[open].parent, depth - 1); @/
    /@ assert open: n <= capacity && depth > 1 ==> is_open(fields, n, fields[open].parent, depth - 1); @/
} */

/* Moves the automaton after a list or a tuple, whose form is now known. Entries that are not in the table are never
 * read: if an open entry is not in it, none after it is. */
/*@ requires \valid(walk) && WALK_OK(walk, length) && 1 <= walk->depth && walk->state != STATE_TYPE;
    requires \valid_read(fields + (0 .. capacity-1)) && \separated(fields + (0 .. capacity-1), walk);
    requires parent: PARENT_OK(walk, fields, capacity);
    requires walk->pos < stop <= length && FORM_SIMPLE <= form <= FORM_TUPLE;
    requires nested: STEP_NESTED(fields, capacity);
    terminates \true;
    exits \false;
    assigns walk->pos, walk->depth, walk->state, walk->form, walk->tuples, walk->brackets, walk->open, walk->read;
    ensures walk: WALK_OK(walk, length) && walk->pos == stop && walk->state == STATE_TAIL && walk->form == form;
    ensures pops: walk->depth == \old(walk->depth) - 1 && walk->tuples == \old(walk->tuples) / 2
            && walk->brackets == \old(walk->brackets) / 2;
    ensures read: walk->read == \old(walk->open);
    ensures open: walk->open == (\old(walk->open) < capacity ? \old(fields[walk->open].parent) : \old(walk->open));
    ensures nested: STEP_NESTED(fields, capacity);
 */
static void leave_type(const snpy_field *fields, size_t capacity, struct walk *walk, int16_t form, uint64_t stop)
/*@ ghost (size_t length) */
{
    //@ assert half: power(walk->depth) == 2 * power(walk->depth - 1);
    //@ ghost show_left(fields, capacity, walk->count, walk->open, walk->depth);
    walk->read = walk->open;
    if ((uint64_t)walk->open < capacity) walk->open = fields[walk->open].parent;
    walk->pos = stop;
    walk->depth--;
    walk->tuples /= 2;
    walk->brackets /= 2;
    walk->form = form;
    walk->state = STATE_TAIL;
}

/* Reads a field that opens at `pos`, up to its type. */
/*@ requires text_ok(text, length) && \valid(walk) && \separated(text + (0 .. length-1), walk);
    requires WALK_OK(walk, length) && walk->state == STATE_ITEM && walk->pos <= pos < length;
    terminates \true;
    exits \false;
    assigns walk->pos, walk->state, walk->brackets, HEAD_FIELDS(&walk->head), walk->scan.stop;
    ensures NPY_LIT_014: \result == \old(head_status(text, length, pos + 1));
    ensures stop: walk->scan.stop == \old(head_stop(text, length, pos + 1));
    ensures state: walk->pos == walk->scan.stop && walk->state == STATE_TYPE && walk->head.at == pos;
    ensures brackets: walk->brackets == \old(2 * (walk->brackets / 2) + bit(text[pos] == '['));
    ensures read: \result == SNPY_OK ==> HEAD_READ(&walk->head);
    ensures range: pos < walk->scan.stop <= length;
    ensures walk: \result == SNPY_OK ==> WALK_OK(walk, length);
 */
static snpy_status enter_field(const uint8_t *text, size_t length, size_t pos, struct walk *walk)
{
    //@ assert even: power(walk->depth) == 2 * power(walk->depth - 1);
    walk->brackets = 2 * (walk->brackets / 2) + (text[pos] == '[' ? 1 : 0);
    snpy_status status = lex_head(text, length, pos + 1, &walk->head);
    walk->head.at = pos;
    walk->scan.stop = walk->head.stop;
    walk->pos = walk->head.stop;
    walk->state = STATE_TYPE;
    return status;
}

/* Step: after '[' or a comma of a list, reads a field up to its type, or the end of the list.            NPY-LIT-014 */
/*@ requires text_ok(text, length) && \valid(walk) && \separated(text + (0 .. length-1), walk);
    requires WALK_OK(walk, length) && walk->state == STATE_ITEM && HEAD_READ(&walk->head);
    requires \valid_read(fields + (0 .. capacity-1)) && \separated(fields + (0 .. capacity-1), walk);
    requires parent: PARENT_OK(walk, fields, capacity);
    requires nested: STEP_NESTED(fields, capacity);
    terminates \true;
    exits \false;
    assigns walk->pos, walk->depth, walk->state, walk->form, walk->tuples, walk->brackets, HEAD_FIELDS(&walk->head),
            walk->open, walk->read, walk->scan.stop;
    ensures NPY_LIT_014: \result == \old(field_status(text, length, walk->pos, (boolean)list_field));
    ensures stop: walk->scan.stop == \old(field_stop(text, length, walk->pos, (boolean)list_field));
    ensures pos: \result == SNPY_OK ==> walk->pos == walk->scan.stop;
    ensures state: \result == SNPY_OK ==>
            walk->state == \old(next_state(text, length, walk->pos, STATE_ITEM, walk->tuples));
    ensures form: \result == SNPY_OK ==>
            walk->form == (\old(ends_list(text, length, walk->pos)) ? FORM_LIST : \old(walk->form));
    ensures depth: \result == SNPY_OK ==>
            walk->depth == \old(next_depth(text, length, walk->pos, STATE_ITEM, walk->depth, walk->tuples));
    ensures tuples: \result == SNPY_OK ==>
            walk->tuples == \old(next_tuples(text, length, walk->pos, STATE_ITEM, walk->tuples));
    ensures brackets: \result == SNPY_OK ==>
            walk->brackets == \old(next_brackets(text, length, walk->pos, STATE_ITEM, walk->tuples, walk->brackets));
    ensures head: \result == SNPY_OK ==>
            walk->head.at == \old(next_head(text, length, walk->pos, STATE_ITEM, walk->head.at));
    ensures read: \result == SNPY_OK ==> HEAD_READ(&walk->head);
    ensures range: \old(walk->pos) <= walk->scan.stop <= length;
    ensures walk: \result == SNPY_OK ==> WALK_OK(walk, length) && \old(walk->pos) < walk->pos;
    ensures kept: entries_kept{Pre, Post}(fields, walk->count, capacity);
    ensures nested: \result == SNPY_OK ==> STEP_NESTED(fields, capacity);
 */
static snpy_status step_item(const uint8_t *text, size_t length, bool list_field, const snpy_field *fields,
                             size_t capacity, struct walk *walk)
{
    size_t i = snpy_skip_blanks(text, length, (size_t)walk->pos);
    walk->scan.stop = i;
    if (i == length) return SNPY_UNEXPECTED_END;
    if (text[i] == ']') {
        //@ assert ends: ends_list(text, length, walk->pos);
        //@ assert end_stop: item_begin_stop(text, length, i, (boolean)list_field) == i + 1;
        leave_type(fields, capacity, walk, FORM_LIST, i + 1) /*@ ghost (length) */;
        walk->scan.stop = i + 1;
        return SNPY_OK;
    }
    //@ assert on: !ends_list(text, length, walk->pos);
    bool opens = text[i] == '(' || (text[i] == '[' && list_field);
    //@ assert opens: opens != 0 <==> opens_field(text, i, (boolean)list_field);
    if (!opens) return SNPY_EXPECTED_FIELD;
    //@ assert field: item_begin_status(text, length, i, (boolean)list_field) == head_status(text, length, i + 1);
    //@ assert behind: item_begin_stop(text, length, i, (boolean)list_field) == head_stop(text, length, i + 1);
    //@ ghost show_flags_apart(fields, capacity, walk);
    return enter_field(text, length, i, walk);
}

/* Returns how the tail of the type that was read last is to be read. */
/*@ requires \valid_read(walk) && WALK_OK(walk, length) && 1 <= walk->depth;
    terminates \true;
    exits \false;
    assigns \result \from *walk;
    ensures close: \result.close == field_close(walk->brackets);
    ensures needs: (boolean)\result.needs_shape == needs_shape(walk->form, walk->tuples);
    ensures may: (boolean)\result.may_be_metadata == may_be_metadata(walk->form, walk->tuples, (boolean)metadata);
    ensures long: (boolean)\result.allow_long == (boolean)allow_long;
 */
static struct tail_form form_of_tail(const struct walk *walk, bool allow_long, bool metadata)
/*@ ghost (size_t length) */
{
    bool in_tuple = walk->tuples % 2 == 1;
    struct tail_form form = {walk->brackets % 2 == 1 ? ']' : ')', in_tuple || walk->form == FORM_TUPLE,
                             metadata && in_tuple && walk->form == FORM_SIMPLE, allow_long};
    return form;
}

/* Moves the automaton after the tail of a type: into the list around its field, or after the tuple that it ends. If the
 * tail `is_metadata`, that tuple counts as the type inside it. */
/*@ requires \valid(walk) && WALK_OK(walk, length) && walk->state == STATE_TAIL && 1 <= walk->depth;
    requires walk->pos < stop <= length;
    requires \valid_read(fields + (0 .. capacity-1)) && \separated(fields + (0 .. capacity-1), walk);
    requires parent: PARENT_OK(walk, fields, capacity);
    requires nested: STEP_NESTED(fields, capacity);
    terminates \true;
    exits \false;
    assigns walk->pos, walk->depth, walk->state, walk->form, walk->tuples, walk->brackets, walk->open, walk->read;
    ensures walk: WALK_OK(walk, length) && walk->pos == stop;
    ensures state: walk->state == (\old(in_tuple(walk->tuples)) ? STATE_TAIL : STATE_NEXT);
    ensures form: walk->form == (!\old(in_tuple(walk->tuples)) ? \old(walk->form)
            : is_metadata != 0 ? FORM_SIMPLE : FORM_TUPLE);
    ensures depth: walk->depth == \old(walk->depth) - \old(bit(in_tuple(walk->tuples)));
    ensures tuples: walk->tuples == (\old(in_tuple(walk->tuples)) ? \old(walk->tuples) / 2 : \old(walk->tuples));
    ensures brackets: walk->brackets == (\old(in_tuple(walk->tuples)) ? \old(walk->brackets) / 2
            : \old(walk->brackets));
    ensures nested: STEP_NESTED(fields, capacity);
 */
static void leave_field(const snpy_field *fields, size_t capacity, struct walk *walk, uint64_t stop, bool is_metadata)
/*@ ghost (size_t length) */
{
    if (walk->tuples % 2 == 1) {
        leave_type(fields, capacity, walk, is_metadata ? FORM_SIMPLE : FORM_TUPLE, stop) /*@ ghost (length) */;
        return;
    }
    walk->pos = stop;
    walk->state = STATE_NEXT;
}

/* Step: after a type, reads its shape and the end of its tuple.                             NPY-LIT-015, NPY-LIT-022 */
/*@ requires text_ok(text, length) && \valid(walk);
    requires \valid(fields + (0 .. field_capacity-1)) && \valid(dims + (0 .. dim_capacity-1));
    requires \separated(text + (0 .. length-1), walk, fields + (0 .. field_capacity-1), dims + (0 .. dim_capacity-1));
    requires WALK_OK(walk, length) && walk->state == STATE_TAIL && 1 <= walk->depth;
    requires scan: SCAN_OK(walk, length, field_capacity, dim_capacity, options.max_fields);
    requires entries: entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
    requires nested: STEP_NESTED(fields, field_capacity);
    terminates \true;
    exits \false;
    assigns walk->pos, walk->depth, walk->state, walk->form, walk->tuples, walk->brackets, walk->open, walk->read,
            walk->scan.stop, walk->scan.dim_count, walk->scan.dim_over, dims[0 .. dim_capacity-1],
            fields[0 .. field_capacity-1].shape_offset, fields[0 .. field_capacity-1].first_dim,
            fields[0 .. field_capacity-1].ndim;
    ensures NPY_LIT_022: \result == \old(step_status(STEP_INPUT, STEP_STATE));
    ensures stop: walk->scan.stop == \old(step_stop(STEP_INPUT, STEP_STATE));
    ensures pos: \result == SNPY_OK ==> walk->pos == walk->scan.stop;
    ensures state: \result == SNPY_OK ==>
            walk->state == \old(next_state(text, length, walk->pos, STATE_TAIL, walk->tuples));
    ensures form: \result == SNPY_OK ==> walk->form == \old(next_form(text, length, walk->pos, STATE_TAIL,
            walk->form, walk->tuples, walk->brackets, (boolean)options.compat.metadata));
    ensures depth: \result == SNPY_OK ==>
            walk->depth == \old(next_depth(text, length, walk->pos, STATE_TAIL, walk->depth, walk->tuples));
    ensures tuples: \result == SNPY_OK ==>
            walk->tuples == \old(next_tuples(text, length, walk->pos, STATE_TAIL, walk->tuples));
    ensures brackets: \result == SNPY_OK ==>
            walk->brackets == \old(next_brackets(text, length, walk->pos, STATE_TAIL, walk->tuples, walk->brackets));
    ensures dim_count: \result == SNPY_OK ==>
            walk->scan.dim_count == \old(walk->scan.dim_count + step_ndim(STEP_INPUT, STEP_STATE));
    ensures range: \old(walk->pos) <= walk->scan.stop <= length;
    ensures over: walk->scan.dim_over < length;
    ensures walk: \result == SNPY_OK ==> WALK_OK(walk, length) && \old(walk->pos) < walk->pos;
    ensures scan: \result == SNPY_OK ==>
                  SCAN_OK(walk, length, field_capacity, dim_capacity, options.max_fields);
    ensures entries: \result == SNPY_OK ==>
                     entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
    ensures kept: entries_kept{Pre, Post}(fields, \old(walk->count), field_capacity);
    ensures shape: \result == SNPY_OK && \old(walk->read) < field_capacity && \old(step_shape(STEP_INPUT, STEP_STATE)) > 0 ==>
            SHAPE_STORED(fields, \old(walk->read), \old(step_shape(STEP_INPUT, STEP_STATE)), \old(walk->scan.dim_count),
                         \old(step_ndim(STEP_INPUT, STEP_STATE)));
    ensures none: \result == SNPY_OK && \old(step_shape(STEP_INPUT, STEP_STATE)) == 0 ==>
            shapes_kept{Pre, Post}(fields, field_capacity, -1);
    ensures others: shapes_kept{Pre, Post}(fields, field_capacity, \old(walk->read));
    ensures nested: \result == SNPY_OK ==> STEP_NESTED(fields, field_capacity);
 */
static snpy_status step_tail(const uint8_t *text, size_t length, bool allow_long,
                             const struct snpy_text_options options, snpy_field *fields, size_t field_capacity,
                             int32_t *dims, size_t dim_capacity, struct walk *walk)
{
    struct tail tail = {0, 0, 0, false};
    uint64_t first_dim = walk->scan.dim_count;
    uint64_t entry = (uint64_t)walk->read;
    struct tail_form form = form_of_tail(walk, allow_long, options.compat.metadata) /*@ ghost (length) */;
    //@ assert pushes: !pushes(text, walk->pos, walk->state);
    //@ assert pops: pops(text, length, walk->pos, walk->state, walk->tuples) <==> in_tuple(walk->tuples);
    snpy_status status =
        lex_tail(text, length, (size_t)walk->pos, form, options.compat, dims, dim_capacity, &walk->scan, &tail);
    //@ assert status: status == step_status(STEP_INPUT, STEP_STATE);
    //@ assert stop: tail.stop == step_stop(STEP_INPUT, STEP_STATE);
    walk->scan.stop = tail.stop;
    if (status != SNPY_OK) return status;
    //@ assert wider: entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
    if (entry < field_capacity && tail.shape_offset > 0)
        store_shape(fields, entry, first_dim, &tail)
            /*@ ghost (field_capacity, walk->count, walk->scan.dim_count, length, (uint64_t)walk->open, walk->depth) */;
    //@ assert here: entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
    //@ assert parent: PARENT_OK(walk, fields, field_capacity);
    leave_field(fields, field_capacity, walk, tail.stop, tail.is_metadata) /*@ ghost (length) */;
    return SNPY_OK;
}

/* Step: after a field, reads a comma or the end of the list.                                             NPY-LIT-010 */
/*@ requires text_ok(text, length) && \valid(walk) && \separated(text + (0 .. length-1), walk);
    requires WALK_OK(walk, length) && walk->state == STATE_NEXT;
    requires \valid_read(fields + (0 .. capacity-1)) && \separated(fields + (0 .. capacity-1), walk);
    requires parent: PARENT_OK(walk, fields, capacity);
    requires nested: STEP_NESTED(fields, capacity);
    terminates \true;
    exits \false;
    assigns walk->pos, walk->depth, walk->state, walk->form, walk->tuples, walk->brackets, walk->open, walk->read,
            walk->scan.stop;
    ensures NPY_LIT_010: \result == \old(next_status(text, length, walk->pos));
    ensures stop: walk->scan.stop == \old(next_stop(text, length, walk->pos));
    ensures pos: \result == SNPY_OK ==> walk->pos == walk->scan.stop;
    ensures state: \result == SNPY_OK ==>
            walk->state == \old(next_state(text, length, walk->pos, STATE_NEXT, walk->tuples));
    ensures form: \result == SNPY_OK ==>
            walk->form == (\old(ends_list(text, length, walk->pos)) ? FORM_LIST : \old(walk->form));
    ensures depth: \result == SNPY_OK ==>
            walk->depth == \old(next_depth(text, length, walk->pos, STATE_NEXT, walk->depth, walk->tuples));
    ensures tuples: \result == SNPY_OK ==>
            walk->tuples == \old(next_tuples(text, length, walk->pos, STATE_NEXT, walk->tuples));
    ensures brackets: \result == SNPY_OK ==>
            walk->brackets == \old(next_brackets(text, length, walk->pos, STATE_NEXT, walk->tuples, walk->brackets));
    ensures range: \old(walk->pos) <= walk->scan.stop <= length;
    ensures walk: \result == SNPY_OK ==> WALK_OK(walk, length) && \old(walk->pos) < walk->pos;
    ensures nested: \result == SNPY_OK ==> STEP_NESTED(fields, capacity);
 */
static snpy_status step_next(const uint8_t *text, size_t length, const snpy_field *fields, size_t capacity,
                             struct walk *walk)
{
    size_t i = snpy_skip_blanks(text, length, (size_t)walk->pos);
    walk->scan.stop = i;
    if (i == length) return SNPY_UNEXPECTED_END;
    if (text[i] != ',' && text[i] != ']') return SNPY_EXPECTED_COMMA;
    walk->scan.stop = i + 1;
    if (text[i] == ']') {
        leave_type(fields, capacity, walk, FORM_LIST, i + 1) /*@ ghost (length) */;
        return SNPY_OK;
    }
    walk->pos = i + 1;
    walk->state = STATE_ITEM;
    return SNPY_OK;
}

/* Ghost lemmas, each with a memory of its own. */
/*@ ghost
    /@ requires state == STATE_ITEM || state == STATE_NEXT;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures form: next_form(text, length, pos, state, form, tuples, brackets, (boolean)options.compat.metadata)
               == (ends_list(text, length, pos) ? FORM_LIST : form); @/
    static void show_form(const uint8_t *text, size_t length, uint64_t pos, int state, int16_t form, uint64_t tuples,
                          uint64_t brackets, const struct snpy_text_options options)
    {
        ;
    }

    /@ requires state == STATE_NEXT || state == STATE_TAIL;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures head: next_head(text, length, pos, state, at) == at; @/
    static void show_head(const uint8_t *text, size_t length, uint64_t pos, int state, uint64_t at)
    {
        ;
    } */

/* Takes one step of the automaton. */
/*@ requires text_ok(text, length) && \valid(walk);
    requires \valid(fields + (0 .. field_capacity-1)) && \valid(dims + (0 .. dim_capacity-1));
    requires \separated(text + (0 .. length-1), walk, fields + (0 .. field_capacity-1), dims + (0 .. dim_capacity-1));
    requires WALK_OK(walk, length) && HEAD_READ(&walk->head);
    requires open: walk->state != STATE_TAIL || walk->depth > 0;
    requires scan: SCAN_OK(walk, length, field_capacity, dim_capacity, options.max_fields);
    requires entries: entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
    requires nesting: options.max_depth <= SNPY_MAX_DEPTH;
    requires nested: STEP_NESTED(fields, field_capacity);
    terminates \true;
    exits \false;
    assigns WALK_FIELDS(walk), SNPY_SCAN_COLUMNS(fields, field_capacity), dims[0 .. dim_capacity-1];
    ensures NPY_LIT_010: \result == \old(step_status(STEP_INPUT, STEP_STATE));
    ensures stop: walk->scan.stop == \old(step_stop(STEP_INPUT, STEP_STATE));
    ensures pos: \result == SNPY_OK ==> walk->pos == walk->scan.stop;
    ensures state: \result == SNPY_OK ==>
            walk->state == \old(next_state(text, length, walk->pos, walk->state, walk->tuples));
    ensures form: \result == SNPY_OK ==> walk->form == \old(next_form(text, length, walk->pos, walk->state,
            walk->form, walk->tuples, walk->brackets, (boolean)options.compat.metadata));
    ensures depth: \result == SNPY_OK ==>
            walk->depth == \old(next_depth(text, length, walk->pos, walk->state, walk->depth, walk->tuples));
    ensures tuples: \result == SNPY_OK ==>
            walk->tuples == \old(next_tuples(text, length, walk->pos, walk->state, walk->tuples));
    ensures brackets: \result == SNPY_OK ==> walk->brackets
            == \old(next_brackets(text, length, walk->pos, walk->state, walk->tuples, walk->brackets));
    ensures head: \result == SNPY_OK ==>
            walk->head.at == \old(next_head(text, length, walk->pos, walk->state, walk->head.at));
    ensures read: \result == SNPY_OK ==> HEAD_READ(&walk->head);
    ensures count: \result == SNPY_OK ==> walk->count == \old(walk->count + bit(walk->state == STATE_TYPE));
    ensures dim_count: \result == SNPY_OK ==>
            walk->scan.dim_count == \old(walk->scan.dim_count + step_ndim(STEP_INPUT, STEP_STATE));
    ensures type_status: \result == SNPY_OK ==> walk->scan.type_status == (\old(walk->scan.type_status) != SNPY_OK
            ? \old(walk->scan.type_status)
            : \old(step_type_status(STEP_INPUT, STEP_STATE, STEP_TYPE)));
    ensures type_at: \result == SNPY_OK ==>
            walk->scan.type_at == (\old(walk->scan.type_status) != SNPY_OK || walk->scan.type_status == SNPY_OK
            ? \old(walk->scan.type_at)
            : \old(simple_at(text, length, walk->pos, STEP_UNNAMED, STEP_TYPE)));
    ensures range: \old(walk->pos) <= walk->scan.stop <= length && walk->scan.type_at <= length;
    ensures over: walk->scan.field_over < length && walk->scan.limit_over < length && walk->scan.dim_over < length;
    ensures walk: \result == SNPY_OK ==> WALK_OK(walk, length) && \old(walk->pos) < walk->pos;
    ensures scan: \result == SNPY_OK ==>
                  SCAN_OK(walk, length, field_capacity, dim_capacity, options.max_fields);
    ensures entries: \result == SNPY_OK ==>
                     entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
    ensures kept: entries_kept{Pre, Post}(fields, \old(walk->count), field_capacity);
    ensures place: \result == SNPY_OK && \old(walk->state) == STATE_TYPE && \old(walk->count) < field_capacity ==>
                   fields[\old(walk->count)].type_offset == \old(walk->pos)
                   && fields[\old(walk->count)].depth == \old(walk->depth);
    ensures headed: \result == SNPY_OK && \old(walk->state) == STATE_TYPE && \old(walk->count) < field_capacity ==>
                    ENTRY_WAS_HEADED(fields, \old(walk->count), walk);
    ensures typed: \result == SNPY_OK && walk->scan.type_status == SNPY_OK && \old(walk->state) == STATE_TYPE
                   && \old(walk->count) < field_capacity ==>
                   SNPY_TYPED(&fields[\old(walk->count)].dtype, text, length, \old(walk->pos));
    ensures nested: \result == SNPY_OK ==> STEP_NESTED(fields, field_capacity);
 */
static snpy_status step(const uint8_t *text, size_t length, bool allow_long, const struct snpy_text_options options,
                        snpy_field *fields, size_t field_capacity, int32_t *dims, size_t dim_capacity,
                        struct walk *walk)
{
    snpy_status status;
    //@ assert parent: 1 <= walk->count ==> PARENT_OK(walk, fields, field_capacity);
    switch (walk->state) {
    case STATE_TYPE:
        status = step_type(text, length, options, fields, field_capacity, walk) /*@ ghost (dim_capacity) */;
        //@ assert kept: entries_kept{Pre, Here}(fields, \at(walk->count, Pre), field_capacity);
        break;
    case STATE_ITEM:
        //@ ghost show_form(text, length, walk->pos, STATE_ITEM, walk->form, walk->tuples, walk->brackets, options);
        status = step_item(text, length, options.compat.list_field, fields, field_capacity, walk);
        break;
    case STATE_NEXT:
        //@ ghost show_form(text, length, walk->pos, STATE_NEXT, walk->form, walk->tuples, walk->brackets, options);
        //@ ghost show_head(text, length, walk->pos, STATE_NEXT, walk->head.at);
        status = step_next(text, length, fields, field_capacity, walk);
        break;
    default:
        //@ ghost show_head(text, length, walk->pos, STATE_TAIL, walk->head.at);
        status = step_tail(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, walk);
        //@ assert kept: entries_kept{Pre, Here}(fields, \at(walk->count, Pre), field_capacity);
        break;
    }
    return status;
}

/* The entries that follow are those of the whole record. */
/* clang-format off */
#define AHEAD                                                                                                \
    (\forall integer k, column; walk->count <= k ==>                                                         \
     record_entry(STEP_START, k, column) == run_entry(STEP_INPUT, STEP_STATE, walk->count, k, column))
/* clang-format on */

// One more entry is as the text has it.
/*@ ghost
/@ requires \valid_read(fields + (0 .. capacity-1)) && \valid_read(text + (0 .. length-1)) && count < length;
   requires typed: is_sound != 0 ==> entries_typed(fields, count, capacity, text, length);
   requires placed: entries_placed(fields, count, capacity, STEP_START);
   requires new_typed: is_sound != 0 && count < capacity ==>
            SNPY_TYPED(&fields[count].dtype, text, length, fields[count].type_offset);
   requires new_placed: count < capacity ==>
            SNPY_ENTRY_PLACED(fields, count, text, length, record_entry(STEP_START, count, ENTRY_PLACE),
                              record_entry(STEP_START, count, ENTRY_DEPTH),
                              record_entry(STEP_START, count, ENTRY_HEAD));
   terminates \true;
   exits \false;
   assigns \nothing;
   ensures typed: is_sound != 0 ==> entries_typed(fields, count + 1, capacity, text, length);
   ensures placed: entries_placed(fields, count + 1, capacity, STEP_START); @/
static void show_entries(const uint8_t *text, size_t length, size_t start, bool allow_long,
                         const struct snpy_text_options options, const snpy_field *fields, size_t capacity,
                         uint64_t count, bool is_sound)
{
    /@ assert old: \forall integer k; 0 <= k < count && k < capacity ==> entry_placed(fields, k, STEP_START); @/
    /@ assert here: count < capacity ==> entry_placed(fields, count, STEP_START); @/
    /@ assert all: \forall integer k; 0 <= k < count + 1 && k < capacity ==> entry_placed(fields, k, STEP_START); @/
} */

/* Takes one step of the automaton. If it is the last, its result is that of all steps from here on; otherwise theirs is
 * that of the steps after it. */
/*@ requires text_ok(text, length) && \valid(walk);
    requires \valid(fields + (0 .. field_capacity-1)) && \valid(dims + (0 .. dim_capacity-1));
    requires \separated(text + (0 .. length-1), walk, fields + (0 .. field_capacity-1), dims + (0 .. dim_capacity-1));
    requires WALK_OK(walk, length) && HEAD_READ(&walk->head);
    requires open: walk->state != STATE_TAIL || walk->depth > 0;
    requires scan: SCAN_OK(walk, length, field_capacity, dim_capacity, options.max_fields);
    requires entries: entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
    requires placed: entries_placed(fields, walk->count, field_capacity, STEP_START);
    requires typed: walk->scan.type_status == SNPY_OK ==>
                    entries_typed(fields, walk->count, field_capacity, text, length);
    requires ahead: AHEAD;
    requires nesting: options.max_depth <= SNPY_MAX_DEPTH;
    requires nested: STEP_NESTED(fields, field_capacity);
    terminates \true;
    exits \false;
    assigns WALK_FIELDS(walk), SNPY_SCAN_COLUMNS(fields, field_capacity), dims[0 .. dim_capacity-1];
    ensures NPY_LIT_010: \result != SNPY_OK ==> \result == \old(run_status(STEP_INPUT, STEP_STATE));
    ensures stop: \result != SNPY_OK ==> walk->scan.stop == \old(run_stop(STEP_INPUT, STEP_STATE));
    ensures on: \result == SNPY_OK ==>
            \old(run_status(STEP_INPUT, STEP_STATE)) == run_status(STEP_INPUT, STEP_STATE);
    ensures on_stop: \result == SNPY_OK ==>
            \old(run_stop(STEP_INPUT, STEP_STATE)) == run_stop(STEP_INPUT, STEP_STATE);
    ensures fields: \result == SNPY_OK ==> \old(run_fields(STEP_INPUT, STEP_STATE, walk->count))
            == run_fields(STEP_INPUT, STEP_STATE, walk->count);
    ensures dims: \result == SNPY_OK ==> \old(run_dims(STEP_INPUT, STEP_STATE, walk->scan.dim_count))
            == run_dims(STEP_INPUT, STEP_STATE, walk->scan.dim_count);
    ensures type_status: \result == SNPY_OK && \old(walk->scan.type_status) == SNPY_OK ==>
            \old(run_type_status(STEP_INPUT, STEP_STATE, STEP_TYPE))
            == (walk->scan.type_status != SNPY_OK ? walk->scan.type_status
                : run_type_status(STEP_INPUT, STEP_STATE, STEP_TYPE));
    ensures type_at: \result == SNPY_OK && \old(walk->scan.type_status) == SNPY_OK ==>
            \old(run_type_at(STEP_INPUT, STEP_STATE, STEP_TYPE))
            == (walk->scan.type_status != SNPY_OK ? walk->scan.type_at
                : run_type_at(STEP_INPUT, STEP_STATE, STEP_TYPE));
    ensures type_status_on: \result == SNPY_OK && walk->scan.type_status == SNPY_OK ==>
            \old(run_type_status(STEP_INPUT, STEP_STATE, STEP_TYPE))
            == run_type_status(STEP_INPUT, STEP_STATE, STEP_TYPE);
    ensures type_at_on: \result == SNPY_OK && walk->scan.type_status == SNPY_OK ==>
            \old(run_type_at(STEP_INPUT, STEP_STATE, STEP_TYPE))
            == run_type_at(STEP_INPUT, STEP_STATE, STEP_TYPE);
    ensures kept: \result == SNPY_OK && \old(walk->scan.type_status) != SNPY_OK ==>
            walk->scan.type_status == \old(walk->scan.type_status) && walk->scan.type_at == \old(walk->scan.type_at);
    ensures read: \result == SNPY_OK ==> HEAD_READ(&walk->head);
    ensures range: \old(walk->pos) <= walk->scan.stop <= length && walk->scan.type_at <= length;
    ensures over: walk->scan.field_over < length && walk->scan.limit_over < length && walk->scan.dim_over < length;
    ensures walk: \result == SNPY_OK ==> WALK_OK(walk, length) && \old(walk->pos) < walk->pos;
    ensures scan: \result == SNPY_OK ==>
                  SCAN_OK(walk, length, field_capacity, dim_capacity, options.max_fields);
    ensures entries: \result == SNPY_OK ==>
                     entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
    ensures placed: \result == SNPY_OK ==> entries_placed(fields, walk->count, field_capacity, STEP_START);
    ensures typed: \result == SNPY_OK && walk->scan.type_status == SNPY_OK ==>
                   entries_typed(fields, walk->count, field_capacity, text, length);
    ensures ahead: \result == SNPY_OK ==> AHEAD;
    ensures nested: \result == SNPY_OK ==> STEP_NESTED(fields, field_capacity);
 */
static snpy_status advance(const uint8_t *text, size_t length, bool allow_long, const struct snpy_text_options options,
                           snpy_field *fields, size_t field_capacity, int32_t *dims, size_t dim_capacity,
                           struct walk *walk) /*@ ghost (size_t start) */
{
    /*@ assert entry: step_status(STEP_INPUT, STEP_STATE) == SNPY_OK ==>
            \forall integer k, column; walk->count <= k && !(walk->state == STATE_TYPE && k == walk->count) ==>
            run_entry(STEP_INPUT, STEP_STATE, walk->count, k, column)
            == run_entry(STEP_INPUT, STEP_NEXT, walk->count + bit(walk->state == STATE_TYPE), k, column); */
    /*@ assert new: step_status(STEP_INPUT, STEP_STATE) == SNPY_OK && walk->state == STATE_TYPE ==>
            record_entry(STEP_START, walk->count, ENTRY_PLACE) == walk->pos
            && record_entry(STEP_START, walk->count, ENTRY_DEPTH) == walk->depth
            && record_entry(STEP_START, walk->count, ENTRY_HEAD) == walk->head.at; */
    /*@ assert later_type: step_status(STEP_INPUT, STEP_STATE) == SNPY_OK && walk->state == STATE_TYPE ==>
            \forall integer k, column; walk->count + 1 <= k ==>
            record_entry(STEP_START, k, column)
            == run_entry(STEP_INPUT, STEP_NEXT, walk->count + bit(walk->state == STATE_TYPE), k, column); */
    /*@ assert later_other: step_status(STEP_INPUT, STEP_STATE) == SNPY_OK && walk->state != STATE_TYPE ==>
            \forall integer k, column; walk->count <= k ==>
            record_entry(STEP_START, k, column)
            == run_entry(STEP_INPUT, STEP_NEXT, walk->count + bit(walk->state == STATE_TYPE), k, column); */
    //@ assert one: bit(walk->state == STATE_TYPE) == (walk->state == STATE_TYPE ? 1 : 0);
    /*@ assert later: step_status(STEP_INPUT, STEP_STATE) == SNPY_OK ==>
            \forall integer k, column; walk->count + bit(walk->state == STATE_TYPE) <= k ==>
            record_entry(STEP_START, k, column)
            == run_entry(STEP_INPUT, STEP_NEXT, walk->count + bit(walk->state == STATE_TYPE), k, column); */
    /*@ assert status: run_status(STEP_INPUT, STEP_STATE) == (step_status(STEP_INPUT, STEP_STATE) != SNPY_OK
            ? step_status(STEP_INPUT, STEP_STATE) : run_status(STEP_INPUT, STEP_NEXT)); */
    /*@ assert stop: run_stop(STEP_INPUT, STEP_STATE) == (step_status(STEP_INPUT, STEP_STATE) != SNPY_OK
            ? step_stop(STEP_INPUT, STEP_STATE) : run_stop(STEP_INPUT, STEP_NEXT)); */
    /*@ assert fields: step_status(STEP_INPUT, STEP_STATE) == SNPY_OK ==>
            run_fields(STEP_INPUT, STEP_STATE, walk->count)
            == run_fields(STEP_INPUT, STEP_NEXT, walk->count + bit(walk->state == STATE_TYPE)); */
    /*@ assert dims: step_status(STEP_INPUT, STEP_STATE) == SNPY_OK ==>
            run_dims(STEP_INPUT, STEP_STATE, walk->scan.dim_count)
            == run_dims(STEP_INPUT, STEP_NEXT, walk->scan.dim_count + step_ndim(STEP_INPUT, STEP_STATE)); */
    /*@ assert type_status: step_status(STEP_INPUT, STEP_STATE) == SNPY_OK ==>
            run_type_status(STEP_INPUT, STEP_STATE, STEP_TYPE)
            == (step_type_status(STEP_INPUT, STEP_STATE, STEP_TYPE) != SNPY_OK
                ? step_type_status(STEP_INPUT, STEP_STATE, STEP_TYPE)
                : run_type_status(STEP_INPUT, STEP_NEXT, STEP_TYPE)); */
    /*@ assert type_at: step_status(STEP_INPUT, STEP_STATE) == SNPY_OK ==>
            run_type_at(STEP_INPUT, STEP_STATE, STEP_TYPE)
            == (step_type_status(STEP_INPUT, STEP_STATE, STEP_TYPE) != SNPY_OK
                ? simple_at(text, length, walk->pos, STEP_UNNAMED, STEP_TYPE)
                : run_type_at(STEP_INPUT, STEP_NEXT, STEP_TYPE)); */
    //@ ghost uint64_t last = walk->count;
    snpy_status status = step(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, walk);
    //@ assert pos: status == SNPY_OK ==> walk->pos == \at(walk->pos + step_length(STEP_INPUT, STEP_STATE), Pre);
    //@ assert ahead: status == SNPY_OK ==> AHEAD;
    /*@ assert old_typed: \at(walk->scan.type_status, Pre) == SNPY_OK ==>
            entries_typed(fields, last, field_capacity, text, length); */
    //@ assert old_placed: entries_placed(fields, last, field_capacity, STEP_START);
    /*@ assert new_here: status == SNPY_OK && walk->count > last && last < field_capacity ==>
            SNPY_ENTRY_PLACED(fields, last, text, length, \at(walk->pos, Pre), \at(walk->depth, Pre),
                              \at(walk->head.at, Pre)); */
    //@ assert was_type: status == SNPY_OK && walk->count > last ==> \at(walk->state, Pre) == STATE_TYPE;
    /*@ assert new_text: status == SNPY_OK && walk->count > last && last < field_capacity ==>
            SNPY_ENTRY_PLACED(fields, last, text, length, record_entry(STEP_START, last, ENTRY_PLACE),
                              record_entry(STEP_START, last, ENTRY_DEPTH),
                              record_entry(STEP_START, last, ENTRY_HEAD)); */
    /*@ ghost if (status == SNPY_OK && walk->count > last)
                  show_entries(text, length, start, allow_long, options, fields, field_capacity, last,
                               walk->scan.type_status == SNPY_OK); */
    return status;
}

/* Sets the automaton to its state before the first step. */
/*@ requires \valid(walk) && 1 <= pos <= SNPY_MAX_TEXT;
    terminates \true;
    exits \false;
    assigns WALK_FIELDS(walk);
    ensures start: WALK_OK(walk, pos) && walk->pos == pos && walk->state == STATE_TYPE && walk->count == 0;
    ensures state: walk->form == FORM_SIMPLE && walk->depth == 0 && walk->tuples == 0 && walk->brackets == 0
                   && walk->head.at == 0 && walk->head.has_name == 0 && walk->head.has_title == 0;
    ensures scan: walk->scan.stop == pos && walk->scan.type_at == 0 && walk->scan.type_status == SNPY_OK
                  && walk->scan.field_over == 0 && walk->scan.limit_over == 0 && walk->scan.dim_over == 0
                  && walk->scan.dim_count == 0;
 */
static void start_walk(struct walk *walk, size_t pos)
{
    walk->pos = pos;
    walk->depth = 0;
    walk->state = STATE_TYPE;
    walk->count = 0;
    walk->form = FORM_SIMPLE;
    walk->tuples = 0;
    walk->brackets = 0;
    walk->head.stop = 0;
    walk->head.at = 0;
    walk->head.name_offset = 0;
    walk->head.name_length = 0;
    walk->head.title_offset = 0;
    walk->head.title_length = 0;
    walk->head.has_name = false;
    walk->head.has_title = false;
    walk->scan.stop = pos;
    walk->scan.dim_count = 0;
    walk->scan.field_over = 0;
    walk->scan.limit_over = 0;
    walk->scan.dim_over = 0;
    walk->scan.type_status = SNPY_OK;
    walk->scan.type_at = 0;
    walk->open = 0;
    walk->read = 0;
}

/* clang-format off */
#define WHOLE(f) f(text, length, pos, SNPY_RECORD_FLAGS(allow_long, options))
#define WHOLE_TYPE(f) f(text, length, pos, SNPY_RECORD_FLAGS(allow_long, options), STEP_TYPE)
/* clang-format on */

/* Takes all steps from the bracket of the outermost list until that list is closed. */
/*@ requires text_ok(text, length) && \valid(walk) && 1 <= pos < length && options.max_depth <= SNPY_MAX_DEPTH;
    requires \valid(fields + (0 .. field_capacity-1)) && \valid(dims + (0 .. dim_capacity-1));
    requires \separated(text + (0 .. length-1), walk, fields + (0 .. field_capacity-1), dims + (0 .. dim_capacity-1));
    terminates \true;
    exits \false;
    assigns WALK_FIELDS(walk), SNPY_SCAN_COLUMNS(fields, field_capacity), dims[0 .. dim_capacity-1];
    ensures NPY_LIT_010: \result == \old(WHOLE(record_status));
    ensures stop: walk->scan.stop == \old(WHOLE(record_stop));
    ensures field_count: \result == SNPY_OK ==>
            walk->count == \old(WHOLE(record_fields));
    ensures dim_count: \result == SNPY_OK ==>
            walk->scan.dim_count == \old(WHOLE(record_dims));
    ensures type_status: \result == SNPY_OK ==> walk->scan.type_status == \old(WHOLE_TYPE(record_type_status));
    ensures type_at: \result == SNPY_OK && walk->scan.type_status != SNPY_OK ==>
            walk->scan.type_at == \old(WHOLE_TYPE(record_type_at));
    ensures range: pos <= walk->scan.stop <= length && walk->scan.type_at <= length;
    ensures over: walk->scan.field_over < length && walk->scan.limit_over < length && walk->scan.dim_over < length;
    ensures walk: \result == SNPY_OK ==> WALK_OK(walk, length) && pos < walk->pos && 1 <= walk->count
                  && walk->scan.stop == walk->pos;
    ensures scan: \result == SNPY_OK ==>
                  SCAN_OK(walk, length, field_capacity, dim_capacity, options.max_fields);
    ensures entries: \result == SNPY_OK ==>
                     entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
    ensures placed: \result == SNPY_OK ==> entries_placed(fields, walk->count, field_capacity,
                    SNPY_RECORD_PLACE(text, length, pos, allow_long, options));
    ensures typed: \result == SNPY_OK && walk->scan.type_status == SNPY_OK ==>
                   entries_typed(fields, walk->count, field_capacity, text, length);
    ensures nested: \result == SNPY_OK ==> entries_nested(fields, walk->count, field_capacity);
 */
static snpy_status run(const uint8_t *text, size_t length, size_t pos, bool allow_long,
                       const struct snpy_text_options options, snpy_field *fields, size_t field_capacity, int32_t *dims,
                       size_t dim_capacity, struct walk *walk)
{
    //@ ghost size_t start = pos;
    start_walk(walk, pos);
    /*@ loop invariant walk: WALK_OK(walk, length) && pos <= walk->pos && (walk->count > 0 ==> pos < walk->pos);
        loop invariant scan: SCAN_OK(walk, length, field_capacity, dim_capacity, options.max_fields);
        loop invariant entries: entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
        loop invariant nested: STEP_NESTED(fields, field_capacity);
        loop invariant placed: entries_placed(fields, walk->count, field_capacity, STEP_START);
        loop invariant typed: walk->scan.type_status == SNPY_OK ==>
                       entries_typed(fields, walk->count, field_capacity, text, length);
        loop invariant ahead: AHEAD;
        loop invariant read: HEAD_READ(&walk->head);
        loop invariant NPY_LIT_010: \at(WHOLE(record_status), Pre) == run_status(STEP_INPUT, STEP_STATE);
        loop invariant stop: \at(WHOLE(record_stop), Pre) == run_stop(STEP_INPUT, STEP_STATE);
        loop invariant field_count: \at(WHOLE(record_fields), Pre) == run_fields(STEP_INPUT, STEP_STATE, walk->count);
        loop invariant dim_count: \at(WHOLE(record_dims), Pre) == run_dims(STEP_INPUT, STEP_STATE, walk->scan.dim_count);
        loop invariant type_status_on: walk->scan.type_status == SNPY_OK ==>
                       \at(WHOLE_TYPE(record_type_status), Pre) == run_type_status(STEP_INPUT, STEP_STATE, STEP_TYPE);
        loop invariant type_status: walk->scan.type_status != SNPY_OK ==>
                       \at(WHOLE_TYPE(record_type_status), Pre) == walk->scan.type_status;
        loop invariant type_at_on: walk->scan.type_status == SNPY_OK ==>
                       \at(WHOLE_TYPE(record_type_at), Pre) == run_type_at(STEP_INPUT, STEP_STATE, STEP_TYPE);
        loop invariant type_at: walk->scan.type_status != SNPY_OK ==>
                       \at(WHOLE_TYPE(record_type_at), Pre) == walk->scan.type_at;
        loop assigns WALK_FIELDS(walk), SNPY_SCAN_COLUMNS(fields, field_capacity), dims[0 .. dim_capacity-1];
        loop variant length - walk->pos; */
    while (walk->state != STATE_TAIL || walk->depth > 0) {
        snpy_status status =
            advance(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, walk)
            /*@ ghost (start) */;
        //@ assert range: pos <= walk->scan.stop <= length && walk->scan.type_at <= length;
        if (status != SNPY_OK) return status;
    }
    walk->scan.stop = walk->pos;
    //@ assert range: pos <= walk->scan.stop <= length && walk->scan.type_at <= length;
    //@ assert end: run_status(STEP_INPUT, STEP_STATE) == SNPY_OK && run_stop(STEP_INPUT, STEP_STATE) == walk->pos;
    //@ assert fields: run_fields(STEP_INPUT, STEP_STATE, walk->count) == walk->count;
    //@ assert dims: run_dims(STEP_INPUT, STEP_STATE, walk->scan.dim_count) == walk->scan.dim_count;
    //@ assert type: run_type_status(STEP_INPUT, STEP_STATE, STEP_TYPE) == SNPY_OK;
    return SNPY_OK;
}

snpy_status snpy_scan_record(const uint8_t *text, size_t length, size_t pos, bool allow_long,
                             const struct snpy_text_options options, snpy_field *fields, size_t field_capacity,
                             int32_t *dims, size_t dim_capacity, struct snpy_scan *scan)
{
    struct walk walk;
    snpy_status status = run(text, length, pos, allow_long, options, fields, field_capacity, dims, dim_capacity, &walk);
    scan->stop = walk.scan.stop;
    scan->field_count = walk.count;
    scan->dim_count = walk.scan.dim_count;
    scan->field_over = walk.scan.field_over;
    scan->limit_over = walk.scan.limit_over;
    scan->dim_over = walk.scan.dim_over;
    scan->type_status = walk.scan.type_status;
    scan->type_at = walk.scan.type_at;
    return status;
}
