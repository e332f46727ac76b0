/* record.c: structured dtypes, from the text of a list to the caller's flat table.   NPY-LIT-010 … NPY-LIT-023
 * Proves that the table and the stack are never overrun and that each step goes forward in the text.
 * Leaves sizes, offsets and padding to layout.c, and equal names to duplicates.c.
 *
 * A pushdown automaton: one step a call, one loop, no recursion. The stack holds, for each depth, the
 * last entry at that depth; the types that are still open are the last entries of the depths above. */
#include "core/record.h"

/* What a list may hold where the automaton stands. */
enum state {
    STATE_TYPE, /* a type must follow; its name has been read */
    STATE_ITEM, /* behind '[' or a comma of a list: a field or ']' */
    STATE_TAIL, /* behind a type: a shape or the end of its tuple */
    STATE_NEXT  /* behind a field: a comma or ']' */
};

/* The kinds of types as the stack knows them. */
enum form { FORM_SIMPLE, FORM_LIST, FORM_TUPLE };

/* The part of a field in front of its type. */
struct head {
    uint64_t stop;
    uint64_t name_offset;
    uint64_t name_length;
    uint64_t title_offset;
    uint64_t title_length;
    bool has_name;
    bool has_title;
};

/* The part of a field behind its type. */
struct tail {
    uint64_t stop;
    uint64_t shape_offset;
    uint64_t ndim;
    bool is_metadata;
};

struct walk {
    uint64_t pos;
    uint64_t depth;      /* of the type that is read next, or was read last */
    uint64_t count;      /* entries so far */
    uint64_t max_fields; /* the limits, here because the provers know that no entry written changes them */
    uint64_t max_depth;
    struct head head;
    struct snpy_scan scan;
    int state;
    int64_t last[SNPY_MAX_DEPTH + 1]; /* the last entry at each depth */
    int8_t form[SNPY_MAX_DEPTH + 1];  /* the form of its type */
    int8_t close[SNPY_MAX_DEPTH + 1]; /* the bracket that ends the tuple around it */
};

/* What holds between two steps. Macros and not predicates: WP simplifies reads behind writes in a formula,
 * but does not look into a predicate, and the provers take a thousand steps where it takes one. */
/* clang-format off */
#define HEAD_OK(h, length)                                                                                   \
    ((h)->stop <= (length) && (h)->name_offset + (h)->name_length <= (length) &&                             \
     (h)->title_offset + (h)->title_length <= (length))

#define STACK_OK(w, n)                                                                                       \
    (\forall integer e; 0 <= e <= SNPY_MAX_DEPTH ==> 0 <= (w)->last[e] <= (n) && (1 <= (n) ==> (w)->last[e] < (n)))

#define WALK_OK(w, length)                                                                                   \
    (1 <= (w)->pos <= (length) && (w)->depth <= SNPY_MAX_DEPTH && STATE_TYPE <= (w)->state <= STATE_NEXT &&  \
     (w)->count < (w)->pos && ((w)->state != STATE_TYPE ==> 1 <= (w)->count) &&                              \
     ((w)->state == STATE_ITEM || (w)->state == STATE_NEXT ==> 1 <= (w)->depth) &&                           \
     ((w)->state == STATE_TYPE ==> ((w)->depth == 0 <==> (w)->count == 0)) && HEAD_OK(&(w)->head, length) && \
     (w)->max_depth <= SNPY_MAX_DEPTH && STACK_OK(w, (w)->count))

/* The counts that go on where the table ends. */
#define SCAN_OK(w, length, field_capacity, dim_capacity)                                                     \
    ((w)->scan.stop <= (length) && (w)->scan.type_at <= (length) && (w)->scan.field_over < (length) &&       \
     (w)->scan.limit_over < (length) && (w)->scan.dim_over < (length) && (w)->scan.dim_count <= (w)->pos &&  \
     ((w)->scan.field_over == 0 ==> (w)->count <= (field_capacity)) &&                                       \
     ((w)->scan.limit_over == 0 ==> (w)->count <= (w)->max_fields) &&                                        \
     ((w)->scan.dim_over == 0 ==> (w)->scan.dim_count <= (dim_capacity)))

#define HEAD_FIELDS(h)                                                                                       \
    (h)->stop, (h)->name_offset, (h)->name_length, (h)->title_offset, (h)->title_length, (h)->has_name, (h)->has_title

#define SCAN_FIELDS(s)                                                                                       \
    (s)->stop, (s)->dim_count, (s)->field_over, (s)->limit_over, (s)->dim_over, (s)->type_status, (s)->type_at

#define WALK_FIELDS(w)                                                                                       \
    (w)->pos, (w)->depth, (w)->state, (w)->count, HEAD_FIELDS(&(w)->head), SCAN_FIELDS(&(w)->scan),          \
        (w)->last[0 .. SNPY_MAX_DEPTH], (w)->form[0 .. SNPY_MAX_DEPTH], (w)->close[0 .. SNPY_MAX_DEPTH]
/* clang-format on */

/* The end of a tuple: a comma or none, and its bracket.                                            NPY-LIT-011 */
/*@ requires text_ok(text, length) && pos <= length && \valid(stop) && \separated(stop, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *stop;
    ensures range: pos <= *stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < *stop;
 */
static snpy_status lex_close(const uint8_t *text, size_t length, size_t pos, uint8_t close, uint64_t *stop)
{
    size_t i = snpy_skip_blanks(text, length, pos);
    if (i < length && text[i] == ',') i = snpy_skip_blanks(text, length, i + 1);
    *stop = i;
    if (i == length) return SNPY_UNEXPECTED_END;
    if (text[i] != close) return SNPY_EXPECTED_CLOSE;
    *stop = i + 1;
    return SNPY_OK;
}

/* A pair (title, name) from behind its parenthesis on.                               NPY-LIT-004, NPY-LIT-011 */
/*@ requires text_ok(text, length) && pos <= length && \valid(head) && \separated(head, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns head->stop, head->name_offset, head->name_length, head->title_offset, head->title_length;
    ensures range: pos <= head->stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < head->stop;
    ensures spans: \result == SNPY_OK ==> HEAD_OK(head, length);
 */
static snpy_status lex_pair(const uint8_t *text, size_t length, size_t pos, struct head *head)
{
    size_t start = pos;
    size_t stop = pos;
    size_t i = snpy_skip_blanks(text, length, pos);
    snpy_status status = snpy_lex_string(text, length, i, &start, &stop);
    head->stop = stop;
    if (status != SNPY_OK) return status;
    head->title_offset = start;
    head->title_length = stop - 1 - start;
    i = snpy_skip_blanks(text, length, stop);
    head->stop = i;
    if (i == length) return SNPY_UNEXPECTED_END;
    if (text[i] != ',') return SNPY_EXPECTED_COMMA;

    i = snpy_skip_blanks(text, length, i + 1);
    status = snpy_lex_string(text, length, i, &start, &stop);
    head->stop = stop;
    if (status != SNPY_OK) return status;
    head->name_offset = start;
    head->name_length = stop - 1 - start;
    return lex_close(text, length, stop, ')', &head->stop);
}

/* A name or a pair of title and name.                                                              NPY-LIT-014 */
/*@ requires text_ok(text, length) && pos < length && \valid(head) && \separated(head, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns head->stop, head->name_offset, head->name_length, head->title_offset, head->title_length,
            head->has_name, head->has_title;
    ensures range: pos <= head->stop <= length;
    ensures spans: \result == SNPY_OK ==> HEAD_OK(head, length);
 */
static snpy_status lex_names(const uint8_t *text, size_t length, size_t pos, struct head *head)
{
    size_t start = pos;
    size_t stop = pos;
    head->title_offset = 0;
    head->title_length = 0;
    head->has_name = true;
    head->has_title = text[pos] == '(';
    if (text[pos] == '(') return lex_pair(text, length, pos + 1, head);
    snpy_status status = snpy_lex_string(text, length, pos, &start, &stop);
    head->stop = stop;
    if (status != SNPY_OK) return status;
    head->name_offset = start;
    head->name_length = stop - 1 - start;
    return SNPY_OK;
}

/* A field from behind its opening bracket to the first byte of its type.             NPY-LIT-010, NPY-LIT-014 */
/*@ requires text_ok(text, length) && pos <= length && \valid(head) && \separated(head, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns head->stop, head->name_offset, head->name_length, head->title_offset, head->title_length,
            head->has_name, head->has_title;
    ensures range: pos <= head->stop <= length;
    ensures spans: \result == SNPY_OK ==> HEAD_OK(head, length);
 */
static snpy_status lex_head(const uint8_t *text, size_t length, size_t pos, struct head *head)
{
    size_t i = snpy_skip_blanks(text, length, pos);
    head->stop = i;
    if (i == length) return SNPY_UNEXPECTED_END;
    snpy_status status = lex_names(text, length, i, head);
    if (status != SNPY_OK) return status;
    i = snpy_skip_blanks(text, length, (size_t)head->stop);
    head->stop = i;
    if (i == length) return SNPY_UNEXPECTED_END;
    if (text[i] != ',') return SNPY_EXPECTED_COMMA;
    head->stop = snpy_skip_blanks(text, length, i + 1);
    return SNPY_OK;
}

snpy_status snpy_lex_simple_type(const uint8_t *text, size_t length, size_t pos, bool is_unnamed,
                                 const snpy_compat *compat, snpy_dtype *dtype, struct snpy_scan *scan)
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
    status = snpy_parse_type(text, start, stop, is_unnamed, compat, dtype, &at);
    if (status != SNPY_OK && scan->type_status == SNPY_OK) {
        scan->type_status = (int)status;
        scan->type_at = at;
    }
    scan->stop = stop + 1;
    return SNPY_OK;
}

/* A dictionary of metadata from its brace on, skipped: brackets balanced, strings as strings. Flag metadata. */
/*@ requires text_ok(text, length) && pos < length && \valid(stop) && \separated(stop, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *stop;
    ensures range: pos <= *stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < *stop;
 */
static snpy_status skip_metadata(const uint8_t *text, size_t length, size_t pos, uint64_t *stop)
{
    size_t open = 0;
    size_t start = pos;
    size_t next = pos;
    size_t i = pos;
    /*@ loop invariant range: pos <= i <= length && open <= i - pos;
        loop assigns i, open, start, next, *stop;
        loop variant length - i; */
    while (i < length) {
        uint8_t byte = text[i];
        if (byte == '\'' || byte == '"') {
            snpy_status status = snpy_lex_string(text, length, i, &start, &next);
            *stop = next;
            if (status != SNPY_OK) return status;
            i = next;
            continue;
        }
        i++;
        if (byte == '(' || byte == '[' || byte == '{') open++;
        if (byte == ')' || byte == ']' || byte == '}') {
            *stop = i;
            if (open <= 1) return SNPY_OK;
            open--;
        }
    }
    *stop = length;
    return SNPY_UNEXPECTED_END;
}

/* A dimension of the shape that begins at `at` goes into the table, if it fits; -1 is too large a one. */
/*@ requires \valid(scan) && \valid(dims + (0 .. capacity-1)) && \separated(scan, dims + (0 .. capacity-1));
    requires 1 <= at && scan->dim_count < 0xffffffffffffffff;
    requires fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    terminates \true;
    exits \false;
    assigns scan->dim_count, scan->dim_over, dims[0 .. capacity-1];
    ensures count: scan->dim_count == \old(scan->dim_count) + 1;
    ensures fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    ensures over: scan->dim_over == \old(scan->dim_over) || scan->dim_over == at;
 */
static void store_dim(int32_t *dims, size_t capacity, struct snpy_scan *scan, uint64_t value, size_t at)
{
    if (scan->dim_count < capacity) {
        dims[scan->dim_count] = value > SNPY_MAX_ITEMSIZE ? -1 : (int32_t)value;
    } else if (scan->dim_over == 0) {
        scan->dim_over = at;
    }
    scan->dim_count++;
}

/* The dimensions of a sub-array from behind the opening bracket on; those that fit are written. */
/*@ requires text_ok(text, length) && 2 <= pos <= length && \valid_read(form) && \valid(tail) && \valid(scan);
    requires \valid(dims + (0 .. capacity-1)) && scan->dim_count <= pos;
    requires \separated(text + (0 .. length-1), tail, scan, dims + (0 .. capacity-1));
    requires \separated(form, tail, scan, dims + (0 .. capacity-1));
    requires fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    requires over: scan->dim_over < length;
    terminates \true;
    exits \false;
    assigns tail->stop, tail->ndim, scan->dim_count, scan->dim_over, dims[0 .. capacity-1];
    ensures range: pos <= tail->stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < tail->stop;
    ensures count: \result == SNPY_OK ==> scan->dim_count == \old(scan->dim_count) + tail->ndim <= tail->stop;
    ensures fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    ensures over: scan->dim_over < length;
 */
static snpy_status lex_dims(const uint8_t *text, size_t length, size_t pos, const struct snpy_shape_form *form,
                            int32_t *dims, size_t capacity, struct snpy_scan *scan, struct tail *tail)
{
    struct snpy_item item = {0, pos, pos, false, false};
    uint64_t ndim = 0;
    /*@ loop invariant range: pos <= item.stop <= length && 0 <= ndim <= item.stop - pos;
        loop invariant forward: item.closed != 0 ==> pos < item.stop;
        loop invariant count: scan->dim_count == \at(scan->dim_count, Pre) + ndim;
        loop invariant fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
        loop invariant over: scan->dim_over < length;
        loop assigns item, ndim, tail->stop, tail->ndim, scan->dim_count, scan->dim_over, dims[0 .. capacity-1];
        loop variant length - item.stop; */
    while (!item.closed) {
        snpy_status status = snpy_lex_item(text, length, item.stop, form, ndim == 0, &item);
        tail->stop = item.stop;
        tail->ndim = ndim;
        if (status != SNPY_OK) return status;
        if (item.has_value) {
            store_dim(dims, capacity, scan, item.value, pos - 1);
            ndim++;
        }
    }
    tail->stop = item.stop;
    tail->ndim = ndim;
    return SNPY_OK;
}

/* An integer in place of a sub-array shape: flag int-shape. 1 is refused, because NumPy reads it in two
 * ways.                                                                        NPY-LIT-019, 020, NPY-LIT-023 */
/*@ requires text_ok(text, length) && 2 <= pos < length && '0' <= text[pos] <= '9' && \valid(tail) && \valid(scan);
    requires \valid(dims + (0 .. capacity-1)) && scan->dim_count <= pos;
    requires \separated(text + (0 .. length-1), tail, scan, dims + (0 .. capacity-1));
    requires fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    requires over: scan->dim_over < length;
    terminates \true;
    exits \false;
    assigns tail->stop, tail->ndim, scan->dim_count, scan->dim_over, dims[0 .. capacity-1];
    ensures range: pos <= tail->stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < tail->stop;
    ensures count: \result == SNPY_OK ==> scan->dim_count == \old(scan->dim_count) + tail->ndim <= tail->stop;
    ensures fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    ensures over: scan->dim_over < length;
 */
static snpy_status lex_int_shape(const uint8_t *text, size_t length, size_t pos, bool allow_long, int32_t *dims,
                                 size_t capacity, struct snpy_scan *scan, struct tail *tail)
{
    uint64_t value = 0;
    size_t stop = snpy_lex_digits(text, length, pos, SNPY_MAX_ITEMSIZE, &value);
    tail->ndim = 1;
    tail->stop = pos;
    if (text[pos] == '0' && stop - pos > 1) return SNPY_LEADING_ZERO;
    if (value == 1) return SNPY_ONE_AS_SHAPE;
    if (stop < length && text[stop] == 'L') {
        tail->stop = stop;
        if (!allow_long) return SNPY_LONG_SUFFIX;
        stop++;
    }
    store_dim(dims, capacity, scan, value, pos);
    tail->stop = stop;
    return SNPY_OK;
}

/* How the tail of one field is to be read. */
struct tail_form {
    uint8_t close;    /* its bracket */
    bool needs_shape; /* a sub-array tuple, or a field whose type is one */
    bool may_be_metadata;
    bool allow_long;
};

/* A sub-array shape in brackets, from the opening one on.                             NPY-LIT-015, NPY-LIT-022 */
/*@ requires text_ok(text, length) && 2 <= pos < length && \valid_read(form) && \valid(tail) && \valid(scan);
    requires \valid(dims + (0 .. capacity-1)) && \valid_read(compat) && scan->dim_count <= pos;
    requires \separated(text + (0 .. length-1), tail, scan, dims + (0 .. capacity-1));
    requires \separated(form, tail, scan, dims + (0 .. capacity-1));
    requires \separated(compat, tail, scan, dims + (0 .. capacity-1));
    requires fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    requires over: scan->dim_over < length;
    terminates \true;
    exits \false;
    assigns tail->stop, tail->ndim, scan->dim_count, scan->dim_over, dims[0 .. capacity-1];
    ensures range: pos <= tail->stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < tail->stop;
    ensures count: \result == SNPY_OK ==> scan->dim_count == \old(scan->dim_count) + tail->ndim <= tail->stop;
    ensures fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    ensures over: scan->dim_over < length;
 */
static snpy_status lex_brackets(const uint8_t *text, size_t length, size_t pos, const struct tail_form *form,
                                const snpy_compat *compat, int32_t *dims, size_t capacity, struct snpy_scan *scan,
                                struct tail *tail)
{
    struct snpy_shape_form shape = {text[pos] == '[' ? ']' : ')', form->allow_long, compat->numpy_int};
    snpy_status status = lex_dims(text, length, pos + 1, &shape, dims, capacity, scan, tail);
    if (status != SNPY_OK || tail->ndim > 0 || !form->needs_shape) return status;
    tail->stop = pos;
    return SNPY_SUBARRAY_NEEDS_SHAPE;
}

/* A sub-array shape, in whatever spelling the flags allow.                                         NPY-LIT-015 */
/*@ requires text_ok(text, length) && 2 <= pos < length && \valid_read(form) && \valid(tail) && \valid(scan);
    requires \valid(dims + (0 .. capacity-1)) && \valid_read(compat) && scan->dim_count <= pos;
    requires \separated(text + (0 .. length-1), tail, scan, dims + (0 .. capacity-1));
    requires \separated(form, tail, scan, dims + (0 .. capacity-1));
    requires \separated(compat, tail, scan, dims + (0 .. capacity-1));
    requires fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    requires over: scan->dim_over < length;
    terminates \true;
    exits \false;
    assigns tail->stop, tail->ndim, scan->dim_count, scan->dim_over, dims[0 .. capacity-1];
    ensures range: pos <= tail->stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < tail->stop;
    ensures count: \result == SNPY_OK ==> scan->dim_count == \old(scan->dim_count) + tail->ndim <= tail->stop;
    ensures fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    ensures over: scan->dim_over < length;
 */
static snpy_status lex_shape(const uint8_t *text, size_t length, size_t pos, const struct tail_form *form,
                             const snpy_compat *compat, int32_t *dims, size_t capacity, struct snpy_scan *scan,
                             struct tail *tail)
{
    uint8_t byte = text[pos];
    tail->stop = pos;
    tail->ndim = 0;
    if (snpy_is_digit(byte) && compat->int_shape)
        return lex_int_shape(text, length, pos, form->allow_long, dims, capacity, scan, tail);
    if (byte != '(' && !(byte == '[' && compat->list_shape)) return SNPY_EXPECTED_SHAPE;
    return lex_brackets(text, length, pos, form, compat, dims, capacity, scan, tail);
}

/* A sub-array shape or metadata, and the end of the tuple behind it.                   NPY-LIT-011, NPY-LIT-015 */
/*@ requires text_ok(text, length) && 2 <= pos < length && \valid_read(form) && \valid(tail) && \valid(scan);
    requires \valid(dims + (0 .. capacity-1)) && \valid_read(compat) && scan->dim_count <= pos;
    requires \separated(text + (0 .. length-1), tail, scan, dims + (0 .. capacity-1));
    requires \separated(form, tail, scan, dims + (0 .. capacity-1));
    requires \separated(compat, tail, scan, dims + (0 .. capacity-1));
    requires fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    requires over: scan->dim_over < length;
    terminates \true;
    exits \false;
    assigns tail->stop, tail->ndim, tail->is_metadata, scan->dim_count, scan->dim_over, dims[0 .. capacity-1];
    ensures range: pos <= tail->stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < tail->stop;
    ensures count: \result == SNPY_OK ==> scan->dim_count == \old(scan->dim_count) + tail->ndim <= tail->stop;
    ensures fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    ensures over: scan->dim_over < length;
 */
static snpy_status lex_last_part(const uint8_t *text, size_t length, size_t pos, const struct tail_form *form,
                                 const snpy_compat *compat, int32_t *dims, size_t capacity, struct snpy_scan *scan,
                                 struct tail *tail)
{
    snpy_status status;
    tail->ndim = 0;
    tail->is_metadata = text[pos] == '{' && form->may_be_metadata && compat->metadata;
    if (tail->is_metadata)
        status = skip_metadata(text, length, pos, &tail->stop);
    else
        status = lex_shape(text, length, pos, form, compat, dims, capacity, scan, tail);
    if (status != SNPY_OK) return status;
    return lex_close(text, length, (size_t)tail->stop, form->close, &tail->stop);
}

/* What separates a type from the shape or the bracket behind it; *stop is at one or the other.        NPY-LIT-010 */
/*@ requires text_ok(text, length) && pos <= length && \valid(stop) && \separated(stop, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *stop;
    ensures range: pos <= *stop <= length;
    ensures more: \result == SNPY_OK ==> *stop < length;
 */
static snpy_status lex_separator(const uint8_t *text, size_t length, size_t pos, uint8_t close, uint64_t *stop)
{
    size_t i = snpy_skip_blanks(text, length, pos);
    *stop = i;
    if (i == length) return SNPY_UNEXPECTED_END;
    if (text[i] == close) return SNPY_OK;
    if (text[i] != ',') return SNPY_EXPECTED_COMMA;
    i = snpy_skip_blanks(text, length, i + 1);
    *stop = i;
    return i == length ? SNPY_UNEXPECTED_END : SNPY_OK;
}

/* What stands behind a type, to the end of its tuple.                   NPY-LIT-010, NPY-LIT-011, NPY-LIT-022 */
/*@ requires text_ok(text, length) && 2 <= pos <= length && \valid_read(form) && \valid(tail) && \valid(scan);
    requires \valid(dims + (0 .. capacity-1)) && \valid_read(compat) && scan->dim_count <= pos;
    requires \separated(text + (0 .. length-1), tail, scan, dims + (0 .. capacity-1));
    requires \separated(form, tail, scan, dims + (0 .. capacity-1));
    requires \separated(compat, tail, scan, dims + (0 .. capacity-1));
    requires fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    requires over: scan->dim_over < length;
    terminates \true;
    exits \false;
    assigns tail->stop, tail->shape_offset, tail->ndim, tail->is_metadata, scan->dim_count, scan->dim_over,
            dims[0 .. capacity-1];
    ensures range: pos <= tail->stop <= length;
    ensures shape: tail->shape_offset < length || tail->shape_offset == 0;
    ensures forward: \result == SNPY_OK ==> pos < tail->stop;
    ensures count: \result == SNPY_OK ==> scan->dim_count == \old(scan->dim_count) + tail->ndim <= tail->stop;
    ensures fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    ensures over: scan->dim_over < length;
 */
static snpy_status lex_tail(const uint8_t *text, size_t length, size_t pos, const struct tail_form *form,
                            const snpy_compat *compat, int32_t *dims, size_t capacity, struct snpy_scan *scan,
                            struct tail *tail)
{
    tail->shape_offset = 0;
    tail->ndim = 0;
    tail->is_metadata = false;
    snpy_status status = lex_separator(text, length, pos, form->close, &tail->stop);
    if (status != SNPY_OK) return status;
    size_t i = (size_t)tail->stop;
    if (text[i] != form->close) {
        tail->shape_offset = i;
        return lex_last_part(text, length, i, form, compat, dims, capacity, scan, tail);
    }
    if (form->needs_shape) return SNPY_SUBARRAY_NEEDS_SHAPE;
    tail->stop = i + 1;
    return SNPY_OK;
}

/* Writes a new entry, whose shape is not known yet. */
/*@ requires \valid(entry) && \valid_read(walk) && \valid_read(dtype);
    requires \separated(entry, walk) && \separated(entry, dtype);
    requires HEAD_OK(&walk->head, SNPY_MAX_TEXT) && walk->pos <= SNPY_MAX_TEXT;
    requires place: walk->depth <= SNPY_MAX_DEPTH
                    && (walk->depth > 0 ==> 0 <= walk->last[walk->depth - 1] <= SNPY_MAX_TEXT);
    terminates \true;
    exits \false;
    assigns entry->name_offset, entry->name_length, entry->title_offset, entry->title_length, entry->type_offset,
            entry->shape_offset, entry->parent, entry->first_dim, entry->ndim, entry->depth, entry->dtype.kind,
            entry->dtype.byteorder, entry->dtype.unit, entry->dtype.itemsize, entry->dtype.multiplier,
            entry->has_name, entry->has_title;
    ensures names: entry->name_offset == walk->head.name_offset && entry->name_length == walk->head.name_length
                   && entry->title_offset == walk->head.title_offset && entry->title_length == walk->head.title_length;
    ensures place: entry->type_offset == walk->pos && entry->depth == walk->depth
                   && entry->parent == (walk->depth > 0 ? walk->last[walk->depth - 1] : 0);
    ensures dtype: entry->dtype.itemsize == \old(dtype->itemsize);
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
    entry->parent = walk->depth > 0 ? (uint32_t)walk->last[walk->depth - 1] : 0;
    entry->first_dim = 0;
    entry->ndim = 0;
    entry->depth = (uint16_t)walk->depth;
    entry->dtype.kind = dtype->kind;
    entry->dtype.byteorder = dtype->byteorder;
    entry->dtype.unit = dtype->unit;
    entry->dtype.itemsize = dtype->itemsize;
    entry->dtype.multiplier = dtype->multiplier;
}

/* The type at the automaton's position: read whole if it is simple, only its bracket and the blanks behind it
 * if it is not. *form says which; the type of a list or tuple has no size yet.        NPY-LIT-012, NPY-LIT-021 */
/*@ requires text_ok(text, length) && pos <= length && \valid_read(compat) && \valid(dtype) && \valid(scan);
    requires \valid(form) && scan->type_at <= length;
    requires \separated(text + (0 .. length-1), dtype, scan, form) && \separated(compat, dtype, scan, form);
    terminates \true;
    exits \false;
    assigns scan->stop, scan->type_status, scan->type_at, dtype->kind, dtype->byteorder, dtype->unit,
            dtype->itemsize, dtype->multiplier, *form;
    ensures range: pos <= scan->stop <= length && scan->type_at <= length;
    ensures forward: \result == SNPY_OK ==> pos < length && pos < scan->stop;
    ensures size: \result == SNPY_OK ==> dtype->itemsize <= SNPY_MAX_ITEMSIZE;
    ensures form: \result == SNPY_OK ==> FORM_SIMPLE <= *form <= FORM_TUPLE;
    ensures depth: \result == SNPY_OK && *form != FORM_SIMPLE ==> may_nest != 0;
 */
static snpy_status lex_type(const uint8_t *text, size_t length, size_t pos, bool may_nest, bool is_unnamed,
                            const snpy_compat *compat, snpy_dtype *dtype, int8_t *form, struct snpy_scan *scan)
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

/* A new entry goes into the table. */
/*@ requires walk->count < capacity;
    requires \valid(fields + (0 .. capacity-1)) && \valid_read(walk) && \valid_read(dtype);
    requires \separated(fields + (0 .. capacity-1), walk) && \separated(fields + (0 .. capacity-1), dtype);
    requires HEAD_OK(&walk->head, length) && walk->pos < length <= SNPY_MAX_TEXT && walk->count < length;
    requires place: walk->depth <= SNPY_MAX_DEPTH && (walk->count == 0 <==> walk->depth == 0)
                    && (walk->depth > 0 ==> 0 <= walk->last[walk->depth - 1] < walk->count);
    requires size: dtype->itemsize <= SNPY_MAX_ITEMSIZE;
    requires entries: entries_ok(fields, walk->count, capacity, length, walk->scan.dim_count);
    terminates \true;
    exits \false;
    assigns SNPY_SCAN_COLUMNS(fields, capacity);
    ensures entries: SNPY_ENTRIES_OK(fields, walk->count + 1, capacity, length, walk->scan.dim_count);
 */
static void store_entry(snpy_field *fields, const struct walk *walk, const snpy_dtype *dtype)
/*@ ghost (size_t capacity, size_t length) */
{
    fill_entry(&fields[walk->count], walk, dtype);
    //@ assert others: SNPY_ENTRIES_OK(fields, walk->count, capacity, length, walk->scan.dim_count);
    //@ assert here: SNPY_ENTRY_OK(fields, walk->count, length, walk->scan.dim_count);
}

/* The shape of an entry goes into the table. */
/*@ requires \valid(fields + (0 .. capacity-1)) && \valid_read(tail) && \separated(fields + (0 .. capacity-1), tail);
    requires entry < count && entry < capacity && length <= SNPY_MAX_TEXT && tail->shape_offset < length;
    requires dims: first_dim + tail->ndim <= dim_count && dim_count <= SNPY_MAX_TEXT;
    requires entries: entries_ok(fields, count, capacity, length, dim_count);
    terminates \true;
    exits \false;
    assigns fields[0 .. capacity-1].shape_offset, fields[0 .. capacity-1].first_dim, fields[0 .. capacity-1].ndim;
    ensures entries: SNPY_ENTRIES_OK(fields, count, capacity, length, dim_count);
 */
static void store_shape(snpy_field *fields, uint64_t entry, uint64_t first_dim, const struct tail *tail)
/*@ ghost (size_t capacity, uint64_t count, uint64_t dim_count, size_t length) */
{
    fields[entry].shape_offset = (uint32_t)tail->shape_offset;
    fields[entry].first_dim = (uint32_t)first_dim;
    fields[entry].ndim = tail->ndim > UINT16_MAX ? UINT16_MAX : (uint16_t)tail->ndim;
    //@ assert here: SNPY_ENTRY_OK(fields, entry, length, dim_count);
}

/* The automaton behind the first bytes of a type, which became an entry. */
/*@ requires \valid(walk) && WALK_OK(walk, length) && walk->state == STATE_TYPE;
    requires walk->pos < stop <= length <= SNPY_MAX_TEXT;
    requires FORM_SIMPLE <= form <= FORM_TUPLE && (form != FORM_SIMPLE ==> walk->depth < SNPY_MAX_DEPTH);
    terminates \true;
    exits \false;
    assigns walk->pos, walk->depth, walk->state, walk->count, HEAD_FIELDS(&walk->head),
            walk->last[0 .. SNPY_MAX_DEPTH], walk->form[0 .. SNPY_MAX_DEPTH], walk->close[0 .. SNPY_MAX_DEPTH];
    ensures walk: WALK_OK(walk, length);
    ensures forward: walk->pos == stop && walk->count == \old(walk->count) + 1;
 */
static void push_entry(struct walk *walk, int8_t form, size_t stop) /*@ ghost (size_t length) */
{
    uint64_t depth = walk->depth;
    uint64_t count = walk->count;
    walk->last[depth] = (int64_t)count;
    walk->form[depth] = form;
    walk->count = count + 1;
    walk->pos = stop;
    walk->state = form == FORM_LIST ? STATE_ITEM : form == FORM_TUPLE ? STATE_TYPE : STATE_TAIL;
    if (form == FORM_SIMPLE) return;
    walk->depth = depth + 1;
    walk->close[depth + 1] = ')';
    walk->head.has_name = false;
    walk->head.has_title = false;
    walk->head.name_length = 0;
    walk->head.title_length = 0;
}

/* Remembers where the table or the limit on entries was first exceeded. */
/*@ requires \valid(walk) && walk->pos >= 1;
    terminates \true;
    exits \false;
    assigns walk->scan.field_over, walk->scan.limit_over;
    ensures over: (walk->scan.field_over == \old(walk->scan.field_over) || walk->scan.field_over == walk->pos)
                  && (walk->scan.limit_over == \old(walk->scan.limit_over) || walk->scan.limit_over == walk->pos);
    ensures fits: walk->scan.field_over == 0 ==> \old(walk->scan.field_over) == 0 && walk->count < capacity;
    ensures limit: walk->scan.limit_over == 0 ==> \old(walk->scan.limit_over) == 0 && walk->count < walk->max_fields;
 */
static void note_entry(struct walk *walk, size_t capacity)
{
    if (walk->count >= capacity && walk->scan.field_over == 0) walk->scan.field_over = walk->pos;
    if (walk->count >= walk->max_fields && walk->scan.limit_over == 0) walk->scan.limit_over = walk->pos;
}

/* The type that was read, up to `stop`, becomes an entry. */
/*@ requires \valid(walk) && \valid(fields + (0 .. capacity-1)) && \valid_read(dtype);
    requires \separated(dtype, walk, fields + (0 .. capacity-1));
    requires WALK_OK(walk, length) && walk->state == STATE_TYPE && walk->pos < stop <= length <= SNPY_MAX_TEXT;
    requires FORM_SIMPLE <= form <= FORM_TUPLE && (form != FORM_SIMPLE ==> walk->depth < SNPY_MAX_DEPTH);
    requires size: dtype->itemsize <= SNPY_MAX_ITEMSIZE;
    requires scan: SCAN_OK(walk, length, capacity, dim_capacity);
    requires entries: entries_ok(fields, walk->count, capacity, length, walk->scan.dim_count);
    terminates \true;
    exits \false;
    assigns walk->pos, walk->depth, walk->state, walk->count, HEAD_FIELDS(&walk->head),
            walk->last[0 .. SNPY_MAX_DEPTH], walk->form[0 .. SNPY_MAX_DEPTH], walk->close[0 .. SNPY_MAX_DEPTH],
            walk->scan.field_over, walk->scan.limit_over, SNPY_SCAN_COLUMNS(fields, capacity);
    ensures walk: WALK_OK(walk, length) && walk->pos == stop;
    ensures scan: SCAN_OK(walk, length, capacity, dim_capacity);
    ensures entries: entries_ok(fields, walk->count, capacity, length, walk->scan.dim_count);
 */
static void enter_type(snpy_field *fields, size_t capacity, struct walk *walk, const snpy_dtype *dtype, int8_t form,
                       size_t stop) /*@ ghost (size_t dim_capacity, size_t length) */
{
    if (walk->count < capacity) store_entry(fields, walk, dtype) /*@ ghost (capacity, length) */;
    note_entry(walk, capacity);
    push_entry(walk, form, stop) /*@ ghost (length) */;
}

/* Step: a type, which is a new entry. What lies in it follows. */
/*@ requires text_ok(text, length) && \valid_read(compat) && \valid(walk) && \valid(fields + (0 .. capacity-1));
    requires \separated(text + (0 .. length-1), walk, fields + (0 .. capacity-1));
    requires \separated(compat, walk, fields + (0 .. capacity-1));
    requires WALK_OK(walk, length) && walk->state == STATE_TYPE;
    requires scan: SCAN_OK(walk, length, capacity, dim_capacity);
    requires entries: entries_ok(fields, walk->count, capacity, length, walk->scan.dim_count);
    terminates \true;
    exits \false;
    assigns WALK_FIELDS(walk), SNPY_SCAN_COLUMNS(fields, capacity);
    ensures range: \old(walk->pos) <= walk->scan.stop <= length && walk->scan.type_at <= length;
    ensures over: walk->scan.field_over < length && walk->scan.limit_over < length && walk->scan.dim_over < length;
    ensures walk: \result == SNPY_OK ==> WALK_OK(walk, length) && \old(walk->pos) < walk->pos;
    ensures scan: \result == SNPY_OK ==> SCAN_OK(walk, length, capacity, dim_capacity);
    ensures entries: \result == SNPY_OK ==>
                     entries_ok(fields, walk->count, capacity, length, walk->scan.dim_count);
 */
static snpy_status step_type(const uint8_t *text, size_t length, const snpy_compat *compat, snpy_field *fields,
                             size_t capacity, struct walk *walk) /*@ ghost (size_t dim_capacity) */
{
    snpy_dtype dtype = {0, 0, 0, 0, 0};
    int8_t form = FORM_SIMPLE;
    bool may_nest = walk->depth < walk->max_depth;
    bool is_unnamed = walk->head.has_name && walk->head.name_length == 0 && !walk->head.has_title;
    snpy_status status =
        lex_type(text, length, (size_t)walk->pos, may_nest, is_unnamed, compat, &dtype, &form, &walk->scan);
    if (status == SNPY_OK)
        enter_type(fields, capacity, walk, &dtype, form, (size_t)walk->scan.stop) /*@ ghost (dim_capacity, length) */;
    return status;
}

/* Step: behind '[' or a comma of a list, a field up to its type, or the end of the list.           NPY-LIT-014 */
/*@ requires text_ok(text, length) && \valid(walk) && \separated(text + (0 .. length-1), walk);
    requires WALK_OK(walk, length) && walk->state == STATE_ITEM;
    terminates \true;
    exits \false;
    assigns walk->pos, walk->depth, walk->state, HEAD_FIELDS(&walk->head), walk->close[0 .. SNPY_MAX_DEPTH],
            walk->scan.stop;
    ensures range: \old(walk->pos) <= walk->scan.stop <= length;
    ensures walk: \result == SNPY_OK ==> WALK_OK(walk, length) && \old(walk->pos) < walk->pos;
 */
static snpy_status step_item(const uint8_t *text, size_t length, bool list_field, struct walk *walk)
{
    size_t i = snpy_skip_blanks(text, length, (size_t)walk->pos);
    walk->scan.stop = i;
    if (i == length) return SNPY_UNEXPECTED_END;
    if (text[i] == ']') {
        walk->pos = i + 1;
        walk->depth--;
        walk->state = STATE_TAIL;
        return SNPY_OK;
    }
    if (text[i] != '(' && !(text[i] == '[' && list_field)) return SNPY_EXPECTED_FIELD;
    walk->close[walk->depth] = text[i] == '[' ? ']' : ')';
    snpy_status status = lex_head(text, length, i + 1, &walk->head);
    walk->scan.stop = walk->head.stop;
    walk->pos = walk->head.stop;
    walk->state = STATE_TYPE;
    return status;
}

/* How the tail of the type that was read last is to be read. */
/*@ requires \valid_read(walk) && WALK_OK(walk, length) && 1 <= walk->depth && \valid(form) && \separated(form, walk);
    terminates \true;
    exits \false;
    assigns form->close, form->needs_shape, form->may_be_metadata, form->allow_long;
 */
static void form_of_tail(const struct walk *walk, bool allow_long, struct tail_form *form) /*@ ghost (size_t length) */
{
    bool in_tuple = walk->form[walk->depth - 1] == FORM_TUPLE;
    form->close = walk->close[walk->depth] == ']' ? ']' : ')';
    form->needs_shape = in_tuple || walk->form[walk->depth] == FORM_TUPLE;
    form->may_be_metadata = in_tuple && walk->form[walk->depth] == FORM_SIMPLE;
    form->allow_long = allow_long;
}

/* The automaton behind the tail of a type: in the list around its field, or behind the tuple that it ends. */
/*@ requires \valid(walk) && WALK_OK(walk, length) && walk->state == STATE_TAIL && 1 <= walk->depth;
    requires walk->pos < stop <= length;
    terminates \true;
    exits \false;
    assigns walk->pos, walk->depth, walk->state, walk->form[0 .. SNPY_MAX_DEPTH];
    ensures walk: WALK_OK(walk, length) && walk->pos == stop;
 */
static void leave_field(struct walk *walk, uint64_t stop, bool is_metadata) /*@ ghost (size_t length) */
{
    uint64_t depth = walk->depth;
    bool in_tuple = walk->form[depth - 1] == FORM_TUPLE;
    walk->pos = stop;
    walk->state = in_tuple ? STATE_TAIL : STATE_NEXT;
    if (in_tuple) walk->depth = depth - 1;
    if (is_metadata) walk->form[depth - 1] = FORM_SIMPLE;
}

/* Step: behind a type, its shape and the end of its tuple.                             NPY-LIT-015, NPY-LIT-022 */
/*@ requires text_ok(text, length) && \valid_read(compat) && \valid(walk);
    requires \valid(fields + (0 .. field_capacity-1)) && \valid(dims + (0 .. dim_capacity-1));
    requires \separated(text + (0 .. length-1), walk, fields + (0 .. field_capacity-1), dims + (0 .. dim_capacity-1));
    requires \separated(compat, walk, fields + (0 .. field_capacity-1), dims + (0 .. dim_capacity-1));
    requires WALK_OK(walk, length) && walk->state == STATE_TAIL && 1 <= walk->depth;
    requires scan: SCAN_OK(walk, length, field_capacity, dim_capacity);
    requires entries: entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
    terminates \true;
    exits \false;
    assigns walk->pos, walk->depth, walk->state, walk->form[0 .. SNPY_MAX_DEPTH], walk->scan.stop,
            walk->scan.dim_count, walk->scan.dim_over, dims[0 .. dim_capacity-1],
            fields[0 .. field_capacity-1].shape_offset, fields[0 .. field_capacity-1].first_dim,
            fields[0 .. field_capacity-1].ndim;
    ensures range: \old(walk->pos) <= walk->scan.stop <= length;
    ensures over: walk->scan.dim_over < length;
    ensures walk: \result == SNPY_OK ==> WALK_OK(walk, length) && \old(walk->pos) < walk->pos;
    ensures scan: \result == SNPY_OK ==>
                  SCAN_OK(walk, length, field_capacity, dim_capacity);
    ensures entries: \result == SNPY_OK ==>
                     entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
 */
static snpy_status step_tail(const uint8_t *text, size_t length, bool allow_long, const snpy_compat *compat,
                             snpy_field *fields, size_t field_capacity, int32_t *dims, size_t dim_capacity,
                             struct walk *walk)
{
    struct tail tail = {0, 0, 0, false};
    struct tail_form form = {0, false, false, false};
    uint64_t first_dim = walk->scan.dim_count;
    uint64_t entry = (uint64_t)walk->last[walk->depth];
    form_of_tail(walk, allow_long, &form) /*@ ghost (length) */;
    snpy_status status =
        lex_tail(text, length, (size_t)walk->pos, &form, compat, dims, dim_capacity, &walk->scan, &tail);
    walk->scan.stop = tail.stop;
    if (status != SNPY_OK) return status;
    //@ assert wider: entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
    if (entry < field_capacity && tail.ndim > 0)
        store_shape(fields, entry, first_dim, &tail)
            /*@ ghost (field_capacity, walk->count, walk->scan.dim_count, length) */;
    leave_field(walk, tail.stop, tail.is_metadata) /*@ ghost (length) */;
    return SNPY_OK;
}

/* Step: behind a field, a comma or the end of the list.                                            NPY-LIT-010 */
/*@ requires text_ok(text, length) && \valid(walk) && \separated(text + (0 .. length-1), walk);
    requires WALK_OK(walk, length) && walk->state == STATE_NEXT;
    terminates \true;
    exits \false;
    assigns walk->pos, walk->depth, walk->state, walk->scan.stop;
    ensures range: \old(walk->pos) <= walk->scan.stop <= length;
    ensures walk: \result == SNPY_OK ==> WALK_OK(walk, length) && \old(walk->pos) < walk->pos;
 */
static snpy_status step_next(const uint8_t *text, size_t length, struct walk *walk)
{
    size_t i = snpy_skip_blanks(text, length, (size_t)walk->pos);
    walk->scan.stop = i;
    if (i == length) return SNPY_UNEXPECTED_END;
    if (text[i] != ',' && text[i] != ']') return SNPY_EXPECTED_COMMA;
    walk->pos = i + 1;
    walk->state = text[i] == ',' ? STATE_ITEM : STATE_TAIL;
    if (text[i] == ']') walk->depth--;
    return SNPY_OK;
}

/* One step of the automaton. */
/*@ requires text_ok(text, length) && \valid_read(compat) && \valid(walk);
    requires \valid(fields + (0 .. field_capacity-1)) && \valid(dims + (0 .. dim_capacity-1));
    requires \separated(text + (0 .. length-1), walk, fields + (0 .. field_capacity-1), dims + (0 .. dim_capacity-1));
    requires \separated(compat, walk, fields + (0 .. field_capacity-1), dims + (0 .. dim_capacity-1));
    requires WALK_OK(walk, length);
    requires open: walk->state != STATE_TAIL || walk->depth > 0;
    requires scan: SCAN_OK(walk, length, field_capacity, dim_capacity);
    requires entries: entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
    terminates \true;
    exits \false;
    assigns WALK_FIELDS(walk), SNPY_SCAN_COLUMNS(fields, field_capacity), dims[0 .. dim_capacity-1];
    ensures range: \old(walk->pos) <= walk->scan.stop <= length && walk->scan.type_at <= length;
    ensures over: walk->scan.field_over < length && walk->scan.limit_over < length && walk->scan.dim_over < length;
    ensures walk: \result == SNPY_OK ==> WALK_OK(walk, length) && \old(walk->pos) < walk->pos;
    ensures scan: \result == SNPY_OK ==>
                  SCAN_OK(walk, length, field_capacity, dim_capacity);
    ensures entries: \result == SNPY_OK ==>
                     entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
 */
static snpy_status step(const uint8_t *text, size_t length, bool allow_long, const snpy_compat *compat,
                        snpy_field *fields, size_t field_capacity, int32_t *dims, size_t dim_capacity,
                        struct walk *walk)
{
    snpy_status status;
    switch (walk->state) {
    case STATE_TYPE:
        status = step_type(text, length, compat, fields, field_capacity, walk) /*@ ghost (dim_capacity) */;
        break;
    case STATE_ITEM:
        status = step_item(text, length, compat->list_field, walk);
        break;
    case STATE_NEXT:
        status = step_next(text, length, walk);
        break;
    default:
        status = step_tail(text, length, allow_long, compat, fields, field_capacity, dims, dim_capacity, walk);
    }
    return status;
}

/* The automaton before its first step. */
/*@ requires \valid(walk) && \valid_read(options) && \separated(walk, options) && options->max_depth <= SNPY_MAX_DEPTH;
    requires 1 <= pos <= SNPY_MAX_TEXT;
    terminates \true;
    exits \false;
    assigns WALK_FIELDS(walk), walk->max_fields, walk->max_depth;
    ensures start: WALK_OK(walk, pos) && walk->pos == pos && walk->state == STATE_TYPE && walk->count == 0
                   && walk->max_fields == options->max_fields;
    ensures scan: walk->scan.stop == pos && walk->scan.type_at == 0 && walk->scan.type_status == SNPY_OK
                  && walk->scan.field_over == 0 && walk->scan.limit_over == 0 && walk->scan.dim_over == 0
                  && walk->scan.dim_count == 0;
 */
static void start_walk(struct walk *walk, size_t pos, const snpy_options *options)
{
    walk->max_fields = options->max_fields;
    walk->max_depth = options->max_depth;
    walk->pos = pos;
    walk->depth = 0;
    walk->state = STATE_TYPE;
    walk->count = 0;
    walk->head.stop = 0;
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
    /*@ loop invariant stack: 0 <= e <= SNPY_MAX_DEPTH + 1
            && \forall integer k; 0 <= k < e ==> walk->last[k] == 0;
        loop assigns e, walk->last[0 .. SNPY_MAX_DEPTH], walk->form[0 .. SNPY_MAX_DEPTH],
                     walk->close[0 .. SNPY_MAX_DEPTH];
        loop variant SNPY_MAX_DEPTH + 1 - e; */
    for (int e = 0; e <= (int)SNPY_MAX_DEPTH; e++) {
        walk->last[e] = 0;
        walk->form[e] = FORM_SIMPLE;
        walk->close[e] = ')';
    }
}

/* Steps from the outermost list's bracket until that list is closed. */
/*@ requires text_ok(text, length) && \valid_read(options) && \valid(walk) && 1 <= pos < length;
    requires \valid(fields + (0 .. field_capacity-1)) && \valid(dims + (0 .. dim_capacity-1));
    requires \separated(text + (0 .. length-1), walk, fields + (0 .. field_capacity-1), dims + (0 .. dim_capacity-1));
    requires \separated(options, walk, fields + (0 .. field_capacity-1), dims + (0 .. dim_capacity-1));
    requires options->max_depth <= SNPY_MAX_DEPTH;
    terminates \true;
    exits \false;
    assigns WALK_FIELDS(walk), walk->max_fields, walk->max_depth, SNPY_SCAN_COLUMNS(fields, field_capacity),
            dims[0 .. dim_capacity-1];
    ensures range: pos <= walk->scan.stop <= length && walk->scan.type_at <= length;
    ensures over: walk->scan.field_over < length && walk->scan.limit_over < length && walk->scan.dim_over < length;
    ensures walk: \result == SNPY_OK ==> WALK_OK(walk, length) && pos < walk->pos && 1 <= walk->count
                  && walk->scan.stop == walk->pos;
    ensures limit: walk->max_fields == \old(options->max_fields);
    ensures scan: \result == SNPY_OK ==>
                  SCAN_OK(walk, length, field_capacity, dim_capacity);
    ensures entries: \result == SNPY_OK ==>
                     entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
 */
static snpy_status run(const uint8_t *text, size_t length, size_t pos, bool allow_long, const snpy_options *options,
                       snpy_field *fields, size_t field_capacity, int32_t *dims, size_t dim_capacity, struct walk *walk)
{
    start_walk(walk, pos, options);
    /*@ loop invariant walk: WALK_OK(walk, length) && pos <= walk->pos && (walk->count > 0 ==> pos < walk->pos);
        loop invariant scan: SCAN_OK(walk, length, field_capacity, dim_capacity);
        loop invariant limit: walk->max_fields == \at(options->max_fields, Pre);
        loop invariant entries: entries_ok(fields, walk->count, field_capacity, length, walk->scan.dim_count);
        loop assigns WALK_FIELDS(walk), SNPY_SCAN_COLUMNS(fields, field_capacity), dims[0 .. dim_capacity-1];
        loop variant length - walk->pos; */
    while (walk->state != STATE_TAIL || walk->depth > 0) {
        snpy_status status =
            step(text, length, allow_long, &options->compat, fields, field_capacity, dims, dim_capacity, walk);
        //@ assert range: pos <= walk->scan.stop <= length && walk->scan.type_at <= length;
        if (status != SNPY_OK) return status;
    }
    walk->scan.stop = walk->pos;
    //@ assert range: pos <= walk->scan.stop <= length && walk->scan.type_at <= length;
    return SNPY_OK;
}

snpy_status snpy_scan_record(const uint8_t *text, size_t length, size_t pos, bool allow_long,
                             const snpy_options *options, snpy_field *fields, size_t field_capacity, int32_t *dims,
                             size_t dim_capacity, struct snpy_scan *scan)
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
