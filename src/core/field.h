/* field.h: reads the tokens of a field: what precedes its type, and what follows it.          NPY-LIT-010 … NPY-LIT-023
 * Proves that each result and each offset are those of the specification, and that nothing outside the text is read.
 * record.c parses types and the order of fields; only it includes this file. */
#ifndef SAFENPY_CORE_FIELD_H
#define SAFENPY_CORE_FIELD_H

#include "core/record.h"

/* What precedes the type of a field. */
struct head {
    uint64_t stop;
    uint64_t at; /* offset of its opening bracket; 0: the type has no name */
    uint64_t name_offset;
    uint64_t name_length;
    uint64_t title_offset;
    uint64_t title_length;
    bool has_name;
    bool has_title;
};

/* What follows the type of a field. */
struct tail {
    uint64_t stop;
    uint64_t shape_offset;
    uint64_t ndim;
    bool is_metadata;
};

/* clang-format off */
#define HEAD_OK(h, length)                                                                                   \
    ((h)->stop <= (length) && (h)->name_offset + (h)->name_length <= (length) &&                             \
     (h)->title_offset + (h)->title_length <= (length))

#define HEAD_FIELDS(h)                                                                                       \
    (h)->stop, (h)->at, (h)->name_offset, (h)->name_length, (h)->title_offset, (h)->title_length,            \
        (h)->has_name, (h)->has_title
/* clang-format on */

/* Reads the end of a tuple: an optional comma, and its closing bracket. *stop is the offset after it, or the byte at
 * fault.                                                                                                 NPY-LIT-011 */
/*@ requires text_ok(text, length) && pos <= length && \valid(stop) && \separated(stop, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *stop;
    ensures NPY_LIT_011: \result == \old(close_status(text, length, pos, close));
    ensures stop: *stop == \old(close_stop(text, length, pos, close));
    ensures range: pos <= *stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < *stop;
 */
static snpy_status lex_close(const uint8_t *text, size_t length, size_t pos, uint8_t close, uint64_t *stop)
{
    size_t i = snpy_skip_blanks(text, length, pos);
    if (i < length && text[i] == ',') i = snpy_skip_blanks(text, length, i + 1);
    //@ assert at: i == close_at(text, length, pos);
    *stop = i;
    if (i == length) return SNPY_UNEXPECTED_END;
    if (text[i] != close) return SNPY_EXPECTED_CLOSE;
    *stop = i + 1;
    return SNPY_OK;
}

/* Expects a comma after a part of a tuple that ends at `pos`. *stop is at the comma, or at the byte at fault.
 *                                                                                                        NPY-LIT-010 */
/*@ requires text_ok(text, length) && pos <= length && \valid(stop) && \separated(stop, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *stop;
    ensures NPY_LIT_010: \result == \old(comma_status(text, length, pos));
    ensures stop: *stop == \old(blanks_end(text, length, pos));
    ensures range: pos <= *stop <= length;
    ensures more: \result == SNPY_OK ==> *stop < length;
 */
static snpy_status lex_comma(const uint8_t *text, size_t length, size_t pos, uint64_t *stop)
{
    size_t i = snpy_skip_blanks(text, length, pos);
    *stop = i;
    if (i == length) return SNPY_UNEXPECTED_END;
    return text[i] == ',' ? SNPY_OK : SNPY_EXPECTED_COMMA;
}

/* Reads the title of a pair (title, name). head->stop is then at the comma after it.        NPY-LIT-004, NPY-LIT-010 */
/*@ requires text_ok(text, length) && pos <= length && \valid(head) && \separated(head, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns head->stop, head->title_offset, head->title_length;
    ensures begins: \result == SNPY_OK <==> \old(pair_begins(text, length, pos));
    ensures NPY_LIT_010: \result != SNPY_OK ==> \result == \old(pair_status(text, length, pos));
    ensures stop: head->stop == (\result == SNPY_OK ? \old(pair_comma(text, length, pos))
                                                    : \old(pair_stop(text, length, pos)));
    ensures title_at: \result == SNPY_OK ==>
            head->title_offset == \old(span_offset(text, length, pair_title(text, length, pos)));
    ensures title: \result == SNPY_OK ==>
            head->title_length == \old(span_length(text, length, pair_title(text, length, pos)));
    ensures range: pos <= head->stop <= length;
    ensures more: \result == SNPY_OK ==> head->stop < length && head->title_offset + head->title_length <= length;
 */
static snpy_status lex_title(const uint8_t *text, size_t length, size_t pos, struct head *head)
{
    size_t start = pos;
    size_t stop = pos;
    size_t i = snpy_skip_blanks(text, length, pos);
    snpy_status status = snpy_lex_string(text, length, i, &start, &stop);
    head->stop = stop;
    if (status != SNPY_OK) return status;
    head->title_offset = start;
    head->title_length = stop - 1 - start;
    return lex_comma(text, length, stop, &head->stop);
}

/* Reads a pair (title, name) from the byte after its parenthesis on.                        NPY-LIT-004, NPY-LIT-011 */
/*@ requires text_ok(text, length) && pos <= length && \valid(head) && \separated(head, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns head->stop, head->name_offset, head->name_length, head->title_offset, head->title_length;
    ensures NPY_LIT_011: \result == \old(pair_status(text, length, pos));
    ensures stop: head->stop == \old(pair_stop(text, length, pos));
    ensures name_at: \result == SNPY_OK ==>
            head->name_offset == \old(span_offset(text, length, pair_name(text, length, pos)));
    ensures name: \result == SNPY_OK ==>
            head->name_length == \old(span_length(text, length, pair_name(text, length, pos)));
    ensures title_at: \result == SNPY_OK ==>
            head->title_offset == \old(span_offset(text, length, pair_title(text, length, pos)));
    ensures title: \result == SNPY_OK ==>
            head->title_length == \old(span_length(text, length, pair_title(text, length, pos)));
    ensures range: pos <= head->stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < head->stop;
    ensures spans: \result == SNPY_OK ==> HEAD_OK(head, length);
 */
static snpy_status lex_pair(const uint8_t *text, size_t length, size_t pos, struct head *head)
{
    size_t start = pos;
    size_t stop = pos;
    snpy_status status = lex_title(text, length, pos, head);
    if (status != SNPY_OK) return status;
    size_t i = snpy_skip_blanks(text, length, (size_t)head->stop + 1);
    status = snpy_lex_string(text, length, i, &start, &stop);
    head->stop = stop;
    if (status != SNPY_OK) return status;
    head->name_offset = start;
    head->name_length = stop - 1 - start;
    return lex_close(text, length, stop, ')', &head->stop);
}

/* Reads a name, or a pair (title, name).                                                                 NPY-LIT-014 */
/*@ requires text_ok(text, length) && pos < length && \valid(head) && \separated(head, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns head->stop, head->name_offset, head->name_length, head->title_offset, head->title_length,
            head->has_name, head->has_title;
    ensures NPY_LIT_014: \result == \old(names_status(text, length, pos));
    ensures stop: head->stop == \old(names_stop(text, length, pos));
    ensures has_name: head->has_name == 1;
    ensures has_title: head->has_title == 1 <==> \old(is_pair(text, pos));
    ensures name_at: \result == SNPY_OK ==>
            head->name_offset == \old(span_offset(text, length, name_of(text, length, pos)));
    ensures name: \result == SNPY_OK ==>
            head->name_length == \old(span_length(text, length, name_of(text, length, pos)));
    ensures title_at: \result == SNPY_OK && head->has_title != 0 ==>
            head->title_offset == \old(span_offset(text, length, title_of(text, length, pos)));
    ensures title: \result == SNPY_OK && head->has_title != 0 ==>
            head->title_length == \old(span_length(text, length, title_of(text, length, pos)));
    ensures no_title: head->has_title == 0 ==> head->title_offset == 0 && head->title_length == 0;
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

/* Reads a field from the byte after its opening bracket to the first byte of its type.      NPY-LIT-010, NPY-LIT-014 */
/*@ requires text_ok(text, length) && pos <= length && \valid(head) && \separated(head, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns head->stop, head->name_offset, head->name_length, head->title_offset, head->title_length,
            head->has_name, head->has_title;
    ensures NPY_LIT_014: \result == \old(head_status(text, length, pos));
    ensures stop: head->stop == \old(head_stop(text, length, pos));
    ensures has_name: \result == SNPY_OK ==> head->has_name == 1;
    ensures has_title: \result == SNPY_OK ==> (head->has_title == 1 <==> \old(head_has_title(text, length, pos)));
    ensures name_at: \result == SNPY_OK ==>
            head->name_offset == \old(span_offset(text, length, head_name(text, length, pos)));
    ensures name: \result == SNPY_OK ==>
            head->name_length == \old(span_length(text, length, head_name(text, length, pos)));
    ensures title_at: \result == SNPY_OK && head->has_title != 0 ==>
            head->title_offset == \old(span_offset(text, length, head_title(text, length, pos)));
    ensures title: \result == SNPY_OK && head->has_title != 0 ==>
            head->title_length == \old(span_length(text, length, head_title(text, length, pos)));
    ensures no_title: \result == SNPY_OK && head->has_title == 0 ==>
            head->title_offset == 0 && head->title_length == 0;
    ensures range: pos <= head->stop <= length;
    ensures spans: \result == SNPY_OK ==> HEAD_OK(head, length);
 */
static snpy_status lex_head(const uint8_t *text, size_t length, size_t pos, struct head *head)
{
    size_t i = snpy_skip_blanks(text, length, pos);
    head->stop = i;
    if (i == length) return SNPY_UNEXPECTED_END;
    snpy_status status = lex_names(text, length, i, head);
    //@ assert names: status == names_status(text, length, i) && head->stop == head_names_end(text, length, pos);
    if (status != SNPY_OK) return status;
    status = lex_comma(text, length, (size_t)head->stop, &head->stop);
    //@ assert comma: head->stop == head_comma(text, length, pos);
    if (status != SNPY_OK) return status;
    head->stop = snpy_skip_blanks(text, length, (size_t)head->stop + 1);
    return SNPY_OK;
}

/* Whether a byte is a closing bracket of any kind. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures closing: \result <==> closing_bracket(byte);
 */
static inline bool is_closing(uint8_t byte)
{
    return byte == ')' || byte == ']' || byte == '}';
}

/* Returns how many brackets are open after a byte, if `open` are before it. */
/*@ requires open < 0xffffffff && (closing_bracket(byte) ==> 1 <= open);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures open: \result == metadata_open(byte, open);
 */
static inline size_t count_bracket(uint8_t byte, size_t open)
{
    if (byte == '(' || byte == '[' || byte == '{') return open + 1;
    return is_closing(byte) ? open - 1 : open;
}

/* Skips a dictionary of metadata from its brace on: counts brackets, and skips strings. For the flag metadata. */
/*@ requires text_ok(text, length) && pos < length && \valid(stop) && \separated(stop, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *stop;
    ensures status: \result == \old(metadata_status(text, length, pos));
    ensures stop: *stop == \old(metadata_stop(text, length, pos));
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
        loop invariant last: metadata_last(text, length, i, open) == metadata_last(text, length, pos, 0);
        loop assigns i, open, start, next, *stop;
        loop variant length - i; */
    while (i < length) {
        uint8_t byte = text[i];
        /*@ assert step: metadata_ends(text, length, i, open)
                || metadata_last(text, length, i, open) == metadata_last(text, length,
                       i + metadata_length(text, length, i), metadata_after(text, i, open)); */
        if (byte == '\'' || byte == '"') {
            snpy_status status = snpy_lex_string(text, length, i, &start, &next);
            *stop = next;
            if (status != SNPY_OK) return status;
            //@ assert string: next == i + metadata_length(text, length, i) && metadata_after(text, i, open) == open;
            i = next;
            //@ assert behind: metadata_last(text, length, i, open) == metadata_last(text, length, pos, 0);
            continue;
        }
        //@ assert byte: metadata_length(text, length, i) == 1;
        if (is_closing(byte) && open <= 1) {
            *stop = i + 1;
            return SNPY_OK;
        }
        //@ assert more: !metadata_ends(text, length, i, open);
        //@ assert open: metadata_after(text, i, open) == metadata_open(byte, open);
        open = count_bracket(byte, open);
        i++;
        //@ assert next: metadata_last(text, length, i, open) == metadata_last(text, length, pos, 0);
    }
    *stop = length;
    return SNPY_UNEXPECTED_END;
}

/* Counts a dimension and stores it in the table; one that is too large as -1. If the table is full, sets
 * scan->dim_over, unless it is set, to `at`, the offset of the shape. */
/*@ requires \valid(scan) && \valid(dims + (0 .. capacity-1)) && \separated(scan, dims + (0 .. capacity-1));
    requires 1 <= at && scan->dim_count < 0xffffffffffffffff;
    requires fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    terminates \true;
    exits \false;
    assigns scan->dim_count, scan->dim_over, dims[0 .. capacity-1];
    ensures stored: \old(scan->dim_count) < capacity ==> dims[\old(scan->dim_count)] == kept_dim(value);
    ensures kept: \forall integer j; 0 <= j < capacity && j != \old(scan->dim_count) ==> dims[j] == \old(dims[j]);
    ensures dim_over: scan->dim_over == (\old(scan->dim_count) < capacity || \old(scan->dim_over) != 0
            ? \old(scan->dim_over) : at);
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

/* clang-format off */
#define DIM_FLAGS (boolean)form->allow_long, (boolean)form->numpy_int
#define DIM_ITEM(k) shape_item(text, length, pos - 1, closing(text[pos - 1]), DIM_FLAGS, k)
#define DIM_LAST(k) shape_last(text, length, pos - 1, closing(text[pos - 1]), DIM_FLAGS, k)
/* clang-format on */

/* Reads the dimensions of a sub-array from the byte after the opening bracket on, and stores those that fit. */
/*@ requires text_ok(text, length) && 2 <= pos <= length && \valid_read(form) && \valid(tail) && \valid(scan);
    requires \valid(dims + (0 .. capacity-1)) && scan->dim_count <= pos;
    requires \separated(text + (0 .. length-1), tail, scan, dims + (0 .. capacity-1));
    requires \separated(form, tail, scan, dims + (0 .. capacity-1));
    requires fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    requires over: scan->dim_over < length;
    requires bracket: form->close == closing(text[pos - 1]) && !digit(text[pos - 1]);
    terminates \true;
    exits \false;
    assigns tail->stop, tail->ndim, scan->dim_count, scan->dim_over, dims[0 .. capacity-1];
    ensures status: \result == \old(items_status(text, length, pos - 1, DIM_FLAGS));
    ensures stop: tail->stop == \old(items_stop(text, length, pos - 1, DIM_FLAGS));
    ensures ndim: \result == SNPY_OK ==> tail->ndim == \old(shape_ndim(text, length, pos - 1, DIM_FLAGS));
    ensures dims: \result == SNPY_OK ==>
            \forall integer j; \old(scan->dim_count) <= j < scan->dim_count && j < capacity ==>
            dims[j] == kept_dim(shape_dim(text, length, pos - 1, DIM_FLAGS, j - \old(scan->dim_count)));
    ensures kept: \forall integer j; 0 <= j < \old(scan->dim_count) && j < capacity ==> dims[j] == \old(dims[j]);
    ensures dim_over: \result == SNPY_OK ==>
            scan->dim_over == (\old(scan->dim_over) != 0 || scan->dim_count <= capacity ? \old(scan->dim_over)
            : pos - 1);
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
    snpy_status status = SNPY_OK;
    //@ ghost uint64_t first = scan->dim_count;
    uint64_t ndim = 0;
    /*@ loop invariant range: pos <= item.stop <= length && 0 <= ndim <= item.stop - pos;
        loop invariant forward: item.closed != 0 && status == SNPY_OK ==> pos < item.stop;
        loop invariant count: scan->dim_count == \at(scan->dim_count, Pre) + ndim;
        loop invariant fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
        loop invariant over: scan->dim_over < length;
        loop invariant dim_over: scan->dim_over == (\at(scan->dim_over, Pre) != 0 || scan->dim_count <= capacity
                       ? \at(scan->dim_over, Pre) : pos - 1);
        loop invariant dims: \forall integer j; first <= j < scan->dim_count && j < capacity ==>
                       dims[j] == table_dim(text, length, pos - 1, DIM_FLAGS, first, j);
        loop invariant kept: \forall integer j; 0 <= j < \at(scan->dim_count, Pre) && j < capacity ==>
                       dims[j] == \at(dims[j], Pre);
        loop invariant open: status == SNPY_OK && item.closed == 0 ==>
                       item.stop == DIM_ITEM(ndim) && DIM_LAST(ndim) == DIM_LAST(0);
        loop invariant closed: status != SNPY_OK || item.closed != 0 ==>
                       status == items_status(text, length, pos - 1, DIM_FLAGS)
                       && item.stop == items_stop(text, length, pos - 1, DIM_FLAGS);
        loop invariant ndim: status == SNPY_OK && item.closed != 0 ==>
                       ndim == shape_ndim(text, length, pos - 1, DIM_FLAGS);
        loop assigns item.value, item.at, item.stop, item.has_value, item.closed, status, ndim, scan->dim_count,
                     scan->dim_over, dims[0 .. capacity-1];
        loop variant length - item.stop + (status == SNPY_OK ? 1 : 0); */
    while (status == SNPY_OK && !item.closed) {
        status = snpy_lex_item(text, length, item.stop, form, ndim == 0, &item);
        //@ assert item: status == item_status(text, length, DIM_ITEM(ndim), form->close, DIM_FLAGS, ndim == 0);
        //@ assert behind: item.stop == item_stop(text, length, DIM_ITEM(ndim), form->close, DIM_FLAGS, ndim == 0);
        //@ assert last: status != SNPY_OK || item.closed != 0 ==> DIM_LAST(ndim) == ndim;
        //@ assert next: status == SNPY_OK ==> item.stop == DIM_ITEM(ndim + 1);
        //@ assert on: status == SNPY_OK && item.closed == 0 ==> DIM_LAST(ndim) == DIM_LAST(ndim + 1);
        if (status == SNPY_OK && item.has_value) {
            //@ assert value: kept_dim(item.value) == table_dim(text, length, pos - 1, DIM_FLAGS, first, first + ndim);
            store_dim(dims, capacity, scan, item.value, pos - 1);
            ndim++;
        }
    }
    tail->stop = item.stop;
    tail->ndim = ndim;
    return status;
}

/* Reads an integer in place of a sub-array shape. 1 is refused, because NumPy reads it in two ways.
 *                                                                                      NPY-LIT-019, 020, NPY-LIT-023 */
/*@ requires text_ok(text, length) && pos < length && '0' <= text[pos] <= '9' && \valid(value) && \valid(stop);
    requires \separated(text + (0 .. length-1), value, stop);
    terminates \true;
    exits \false;
    assigns *value, *stop;
    ensures NPY_LIT_023: \result == int_shape_status(text, length, pos, (boolean)allow_long);
    ensures stop: *stop == int_shape_stop(text, length, pos, (boolean)allow_long);
    ensures value: *value == capped(dec(text, pos, digits_end(text, length, pos)), SNPY_MAX_ITEMSIZE);
    ensures range: pos <= *stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < *stop;
 */
static snpy_status lex_int(const uint8_t *text, size_t length, size_t pos, bool allow_long, uint64_t *value,
                           uint64_t *stop)
{
    size_t end = snpy_lex_digits(text, length, pos, SNPY_MAX_ITEMSIZE, value);
    *stop = pos;
    if (text[pos] == '0' && end - pos > 1) return SNPY_LEADING_ZERO;
    if (*value == 1) return SNPY_ONE_AS_SHAPE;
    *stop = end;
    if (end == length || text[end] != 'L') return SNPY_OK;
    if (!allow_long) return SNPY_LONG_SUFFIX;
    *stop = end + 1;
    return SNPY_OK;
}

/* Reads an integer in place of a sub-array shape and stores it as a dimension: flag int-shape.           NPY-LIT-023 */
/*@ requires text_ok(text, length) && 2 <= pos < length && '0' <= text[pos] <= '9' && \valid(tail) && \valid(scan);
    requires \valid(dims + (0 .. capacity-1)) && scan->dim_count <= pos;
    requires \separated(text + (0 .. length-1), tail, scan, dims + (0 .. capacity-1));
    requires fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    requires over: scan->dim_over < length;
    terminates \true;
    exits \false;
    assigns tail->stop, tail->ndim, scan->dim_count, scan->dim_over, dims[0 .. capacity-1];
    ensures NPY_LIT_023: \result == int_shape_status(text, length, pos, (boolean)allow_long);
    ensures stop: tail->stop == int_shape_stop(text, length, pos, (boolean)allow_long);
    ensures ndim: \result == SNPY_OK ==> tail->ndim == 1;
    ensures dims: \result == SNPY_OK ==>
            \forall integer j; \old(scan->dim_count) <= j < scan->dim_count && j < capacity ==>
            dims[j] == table_dim(text, length, pos, (boolean)allow_long, (boolean)numpy_int, \old(scan->dim_count), j);
    ensures kept: \forall integer j; 0 <= j < \old(scan->dim_count) && j < capacity ==> dims[j] == \old(dims[j]);
    ensures dim_over: \result == SNPY_OK ==>
            scan->dim_over == (\old(scan->dim_over) != 0 || scan->dim_count <= capacity ? \old(scan->dim_over) : pos);
    ensures range: pos <= tail->stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < tail->stop;
    ensures count: \result == SNPY_OK ==> scan->dim_count == \old(scan->dim_count) + tail->ndim <= tail->stop;
    ensures fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    ensures over: scan->dim_over < length;
 */
static snpy_status lex_int_shape(const uint8_t *text, size_t length, size_t pos, bool allow_long, int32_t *dims,
                                 size_t capacity, struct snpy_scan *scan, struct tail *tail)
/*@ ghost (bool numpy_int) */
{
    uint64_t value = 0;
    tail->ndim = 1;
    snpy_status status = lex_int(text, length, pos, allow_long, &value, &tail->stop);
    if (status != SNPY_OK) return status;
    store_dim(dims, capacity, scan, value, pos);
    return SNPY_OK;
}

/* How to read the tail of one field. It is passed by value, as the options are. */
struct tail_form {
    uint8_t close;    /* ')' or ']', the bracket that ends it */
    bool needs_shape; /* true for a sub-array tuple, or a field whose type is one */
    bool may_be_metadata;
    bool allow_long;
};

/* clang-format off */
#define TAIL_NEEDS (boolean)form.needs_shape, (boolean)form.may_be_metadata
#define TAIL_NUMBERS (boolean)form.allow_long, (boolean)compat.numpy_int
#define TAIL_FLAGS TAIL_NUMBERS, (boolean)compat.list_shape, (boolean)compat.int_shape
/* clang-format on */

/* Reads a sub-array shape in brackets, from the opening one on.                             NPY-LIT-015, NPY-LIT-022 */
/*@ requires text_ok(text, length) && 2 <= pos < length && \valid(tail) && \valid(scan);
    requires \valid(dims + (0 .. capacity-1)) && scan->dim_count <= pos;
    requires \separated(text + (0 .. length-1), tail, scan, dims + (0 .. capacity-1));
    requires fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    requires over: scan->dim_over < length;
    requires opens: text[pos] == '(' || text[pos] == '[';
    terminates \true;
    exits \false;
    assigns tail->stop, tail->ndim, scan->dim_count, scan->dim_over, dims[0 .. capacity-1];
    ensures NPY_LIT_022: \result == bracket_shape_status(text, length, pos, (boolean)form.needs_shape, TAIL_NUMBERS);
    ensures stop: tail->stop == bracket_shape_stop(text, length, pos, (boolean)form.needs_shape, TAIL_NUMBERS);
    ensures ndim: \result == SNPY_OK ==> tail->ndim == sub_ndim(text, length, pos, TAIL_NUMBERS);
    ensures dims: \result == SNPY_OK ==>
            \forall integer j; \old(scan->dim_count) <= j < scan->dim_count && j < capacity ==>
            dims[j] == table_dim(text, length, pos, TAIL_NUMBERS, \old(scan->dim_count), j);
    ensures kept: \forall integer j; 0 <= j < \old(scan->dim_count) && j < capacity ==> dims[j] == \old(dims[j]);
    ensures dim_over: \result == SNPY_OK ==>
            scan->dim_over == (\old(scan->dim_over) != 0 || scan->dim_count <= capacity ? \old(scan->dim_over) : pos);
    ensures range: pos <= tail->stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < tail->stop;
    ensures count: \result == SNPY_OK ==> scan->dim_count == \old(scan->dim_count) + tail->ndim <= tail->stop;
    ensures fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    ensures over: scan->dim_over < length;
 */
static snpy_status lex_brackets(const uint8_t *text, size_t length, size_t pos, const struct tail_form form,
                                const snpy_compat compat, int32_t *dims, size_t capacity, struct snpy_scan *scan,
                                struct tail *tail)
{
    struct snpy_shape_form shape = {text[pos] == '[' ? ']' : ')', form.allow_long, compat.numpy_int};
    snpy_status status = lex_dims(text, length, pos + 1, &shape, dims, capacity, scan, tail);
    if (status != SNPY_OK || tail->ndim > 0 || !form.needs_shape) return status;
    tail->stop = pos;
    return SNPY_SUBARRAY_NEEDS_SHAPE;
}

/* Reads a sub-array shape, in any spelling that the flags allow.                                         NPY-LIT-015 */
/*@ requires text_ok(text, length) && 2 <= pos < length && \valid(tail) && \valid(scan);
    requires \valid(dims + (0 .. capacity-1)) && scan->dim_count <= pos;
    requires \separated(text + (0 .. length-1), tail, scan, dims + (0 .. capacity-1));
    requires fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    requires over: scan->dim_over < length;
    terminates \true;
    exits \false;
    assigns tail->stop, tail->ndim, scan->dim_count, scan->dim_over, dims[0 .. capacity-1];
    ensures NPY_LIT_015: \result == sub_status(text, length, pos, (boolean)form.needs_shape, TAIL_FLAGS);
    ensures stop: tail->stop == sub_stop(text, length, pos, (boolean)form.needs_shape, TAIL_FLAGS);
    ensures ndim: \result == SNPY_OK ==> tail->ndim == sub_ndim(text, length, pos, TAIL_NUMBERS);
    ensures dims: \result == SNPY_OK ==>
            \forall integer j; \old(scan->dim_count) <= j < scan->dim_count && j < capacity ==>
            dims[j] == table_dim(text, length, pos, TAIL_NUMBERS, \old(scan->dim_count), j);
    ensures kept: \forall integer j; 0 <= j < \old(scan->dim_count) && j < capacity ==> dims[j] == \old(dims[j]);
    ensures dim_over: \result == SNPY_OK ==>
            scan->dim_over == (\old(scan->dim_over) != 0 || scan->dim_count <= capacity ? \old(scan->dim_over) : pos);
    ensures range: pos <= tail->stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < tail->stop;
    ensures count: \result == SNPY_OK ==> scan->dim_count == \old(scan->dim_count) + tail->ndim <= tail->stop;
    ensures fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    ensures over: scan->dim_over < length;
 */
static snpy_status lex_shape(const uint8_t *text, size_t length, size_t pos, const struct tail_form form,
                             const snpy_compat compat, int32_t *dims, size_t capacity, struct snpy_scan *scan,
                             struct tail *tail)
{
    uint8_t byte = text[pos];
    tail->stop = pos;
    tail->ndim = 0;
    bool is_int = snpy_is_digit(byte) && compat.int_shape;
    //@ assert int: is_int != 0 <==> is_int_shape(text, pos, (boolean)compat.int_shape);
    if (is_int)
        return lex_int_shape(text, length, pos, form.allow_long, dims, capacity, scan, tail)
            /*@ ghost (compat.numpy_int) */;
    bool opens = byte == '(' || (byte == '[' && compat.list_shape);
    //@ assert opens: opens != 0 <==> shape_opens(text, pos, (boolean)compat.list_shape);
    if (!opens) return SNPY_EXPECTED_SHAPE;
    return lex_brackets(text, length, pos, form, compat, dims, capacity, scan, tail);
}

/* Reads a sub-array shape or metadata, and the end of the tuple after it.                   NPY-LIT-011, NPY-LIT-015 */
/*@ requires text_ok(text, length) && 2 <= pos < length && \valid(tail) && \valid(scan);
    requires \valid(dims + (0 .. capacity-1)) && scan->dim_count <= pos;
    requires \separated(text + (0 .. length-1), tail, scan, dims + (0 .. capacity-1));
    requires fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    requires over: scan->dim_over < length;
    terminates \true;
    exits \false;
    assigns tail->stop, tail->ndim, tail->is_metadata, scan->dim_count, scan->dim_over, dims[0 .. capacity-1];
    ensures NPY_LIT_011: \result == last_status(text, length, pos, form.close, TAIL_NEEDS, TAIL_FLAGS);
    ensures stop: tail->stop == last_stop(text, length, pos, form.close, TAIL_NEEDS, TAIL_FLAGS);
    ensures metadata: tail->is_metadata == 1 <==> is_metadata(text, pos, (boolean)form.may_be_metadata);
    ensures ndim: \result == SNPY_OK ==>
            tail->ndim == (tail->is_metadata == 1 ? 0 : sub_ndim(text, length, pos, TAIL_NUMBERS));
    ensures dims: \result == SNPY_OK ==>
            \forall integer j; \old(scan->dim_count) <= j < scan->dim_count && j < capacity ==>
            dims[j] == table_dim(text, length, pos, TAIL_NUMBERS, \old(scan->dim_count), j);
    ensures kept: \forall integer j; 0 <= j < \old(scan->dim_count) && j < capacity ==> dims[j] == \old(dims[j]);
    ensures dim_over: \result == SNPY_OK ==>
            scan->dim_over == (\old(scan->dim_over) != 0 || scan->dim_count <= capacity ? \old(scan->dim_over) : pos);
    ensures range: pos <= tail->stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < tail->stop;
    ensures count: \result == SNPY_OK ==> scan->dim_count == \old(scan->dim_count) + tail->ndim <= tail->stop;
    ensures fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    ensures over: scan->dim_over < length;
 */
static snpy_status lex_last_part(const uint8_t *text, size_t length, size_t pos, const struct tail_form form,
                                 const snpy_compat compat, int32_t *dims, size_t capacity, struct snpy_scan *scan,
                                 struct tail *tail)
{
    snpy_status status;
    tail->ndim = 0;
    tail->is_metadata = text[pos] == '{' && form.may_be_metadata;
    if (tail->is_metadata)
        status = skip_metadata(text, length, pos, &tail->stop);
    else
        status = lex_shape(text, length, pos, form, compat, dims, capacity, scan, tail);
    //@ assert status: status == part_status(text, length, pos, TAIL_NEEDS, TAIL_FLAGS);
    //@ assert stop: tail->stop == part_stop(text, length, pos, TAIL_NEEDS, TAIL_FLAGS);
    if (status != SNPY_OK) return status;
    return lex_close(text, length, (size_t)tail->stop, form.close, &tail->stop);
}

/* Reads the comma between a type and its shape, if there is one. *stop is at the shape or at the closing bracket.
 *                                                                                                        NPY-LIT-010 */
/*@ requires text_ok(text, length) && pos <= length && \valid(stop) && \separated(stop, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *stop;
    ensures NPY_LIT_010: \result == \old(separator_status(text, length, pos, close));
    ensures stop: *stop == \old(separator_stop(text, length, pos, close));
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

/* Reads everything after a type, up to the end of its tuple.                   NPY-LIT-010, NPY-LIT-011, NPY-LIT-022 */
/*@ requires text_ok(text, length) && 2 <= pos <= length && \valid(tail) && \valid(scan);
    requires \valid(dims + (0 .. capacity-1)) && scan->dim_count <= pos;
    requires \separated(text + (0 .. length-1), tail, scan, dims + (0 .. capacity-1));
    requires fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    requires over: scan->dim_over < length;
    terminates \true;
    exits \false;
    assigns tail->stop, tail->shape_offset, tail->ndim, tail->is_metadata, scan->dim_count, scan->dim_over,
            dims[0 .. capacity-1];
    ensures NPY_LIT_022: \result == tail_status(text, length, pos, form.close, TAIL_NEEDS, TAIL_FLAGS);
    ensures stop: tail->stop == tail_stop(text, length, pos, form.close, TAIL_NEEDS, TAIL_FLAGS);
    ensures metadata: \result == SNPY_OK ==> (tail->is_metadata == 1 <==>
            tail_is_metadata(text, length, pos, form.close, (boolean)form.may_be_metadata));
    ensures ndim: \result == SNPY_OK ==> tail->ndim ==
            tail_ndim(text, length, pos, form.close, (boolean)form.may_be_metadata, TAIL_NUMBERS);
    ensures shape_at: \result == SNPY_OK ==> tail->shape_offset ==
            tail_shape_at(text, length, pos, form.close, (boolean)form.may_be_metadata);
    ensures dims: \result == SNPY_OK ==>
            \forall integer j; \old(scan->dim_count) <= j < scan->dim_count && j < capacity ==>
            dims[j] == table_dim(text, length, separator_stop(text, length, pos, form.close), TAIL_NUMBERS,
                                 \old(scan->dim_count), j);
    ensures kept: \forall integer j; 0 <= j < \old(scan->dim_count) && j < capacity ==> dims[j] == \old(dims[j]);
    ensures dim_over: \result == SNPY_OK ==>
            scan->dim_over == (\old(scan->dim_over) != 0 || scan->dim_count <= capacity ? \old(scan->dim_over)
            : separator_stop(text, length, pos, form.close));
    ensures range: pos <= tail->stop <= length;
    ensures shape: tail->shape_offset < length || tail->shape_offset == 0;
    ensures forward: \result == SNPY_OK ==> pos < tail->stop;
    ensures count: \result == SNPY_OK ==> scan->dim_count == \old(scan->dim_count) + tail->ndim <= tail->stop;
    ensures fits: scan->dim_over == 0 ==> scan->dim_count <= capacity;
    ensures over: scan->dim_over < length;
 */
static snpy_status lex_tail(const uint8_t *text, size_t length, size_t pos, const struct tail_form form,
                            const snpy_compat compat, int32_t *dims, size_t capacity, struct snpy_scan *scan,
                            struct tail *tail)
{
    tail->shape_offset = 0;
    tail->ndim = 0;
    tail->is_metadata = false;
    snpy_status status = lex_separator(text, length, pos, form.close, &tail->stop);
    if (status != SNPY_OK) return status;
    size_t i = (size_t)tail->stop;
    if (text[i] != form.close) {
        status = lex_last_part(text, length, i, form, compat, dims, capacity, scan, tail);
        if (!tail->is_metadata) tail->shape_offset = i;
        return status;
    }
    if (form.needs_shape) return SNPY_SUBARRAY_NEEDS_SHAPE;
    tail->stop = i + 1;
    return SNPY_OK;
}

#endif
