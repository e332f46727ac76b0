/* header.c: the dictionary, and a header in which every size is settled.                    NPY-HDR, NPY-SHAPE-004
 * Proves that what it hands out is in range. Leaves tokens to literal.h, types to dtype.c and record.c,
 * sizes to layout.c and shape.c.
 *
 * One pass over the text settles the literal and the dtype; the phases behind it run in the order in which
 * errors are reported. */
#include "core/duplicates.h"
#include "core/frame.h"
#include "core/shape.h"

/* What the dictionary has said so far. */
struct dict {
    uint64_t pos; /* the next byte; on failure the byte at fault */
    bool has_descr;
    bool has_order;
    bool has_shape;
    bool is_record;
    bool fortran_order;
    struct snpy_shape shape;
    struct snpy_scan scan;
    snpy_dtype dtype; /* unless it is a record */
};

/* Whether the text at `pos` begins with "True" or "False": the number of its bytes, or 0. */
/*@ requires text_ok(text, length) && pos <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: (\result == 0 || \result == 4 || \result == 5) && pos + \result <= length;
 */
static inline size_t lex_bool(const uint8_t *text, size_t length, size_t pos)
{
    size_t left = length - pos;
    if (left >= 5 && text[pos] == 'F' && text[pos + 1] == 'a' && text[pos + 2] == 'l' && text[pos + 3] == 's' &&
        text[pos + 4] == 'e')
        return 5;
    if (left >= 4 && text[pos] == 'T' && text[pos + 1] == 'r' && text[pos + 2] == 'u' && text[pos + 3] == 'e') return 4;
    return 0;
}

/* The value of fortran_order: how many bytes it takes, 0 if it is none.                              NPY-HDR-004 */
/*@ requires text_ok(text, length) && pos < length && \valid_read(compat) && \valid(value);
    requires \separated(value, text + (0 .. length-1)) && \separated(value, compat);
    terminates \true;
    exits \false;
    assigns *value;
    ensures range: pos + \result <= length;
 */
static inline size_t lex_fortran_order(const uint8_t *text, size_t length, size_t pos, const snpy_compat *compat,
                                       bool *value)
{
    size_t size = lex_bool(text, length, pos);
    *value = size == 4;
    if (size > 0) return size;
    if (compat->int_fortran_order && (text[pos] == '0' || text[pos] == '1')) {
        *value = text[pos] == '1';
        return 1;
    }
    if (!compat->numpy_bool || length - pos < 8) return 0;
    if (text[pos] != 'n' || text[pos + 1] != 'p' || text[pos + 2] != '.') return 0;
    size = lex_bool(text, length, pos + 3);
    if (size == 0 || length - pos - 3 - size < 1 || text[pos + 3 + size] != '_') return 0;
    *value = size == 4;
    return size + 4;
}

/* clang-format off */
#define SHAPE_FIELDS(s) (s)->stop, (s)->at, (s)->extra_at, (s)->ndim

#define SCAN_FIELDS(s)                                                                                              \
    (s)->stop, (s)->field_count, (s)->dim_count, (s)->field_over, (s)->limit_over, (s)->dim_over, (s)->type_status, \
        (s)->type_at

#define DTYPE_FIELDS(d) (d)->kind, (d)->byteorder, (d)->unit, (d)->itemsize, (d)->multiplier

#define DICT_FIELDS(d)                                                                            \
    (d)->pos, (d)->has_descr, (d)->has_order, (d)->has_shape, (d)->is_record, (d)->fortran_order, \
        SHAPE_FIELDS(&(d)->shape), SCAN_FIELDS(&(d)->scan), DTYPE_FIELDS(&(d)->dtype)

/* What all that read into the table need: text, options, and room that lies apart from them. */
#define READING \
    (text_ok(text, length) &&                                                                                \
     \valid_read(options) && options->max_depth <= SNPY_MAX_DEPTH && options->max_ndim <= SNPY_MAX_NDIM &&   \
     options->max_fields <= SNPY_MAX_FIELDS &&                                                               \
     \object_pointer(fields) && \object_pointer(dims) && \valid(fields + (0 .. field_capacity - 1)) &&       \
     \valid(dims + (0 .. dim_capacity - 1)) && \valid(dict) &&                                               \
     \separated(text + (0 .. length - 1), dict, fields + (0 .. field_capacity - 1), dims + (0 .. dim_capacity - 1)) &&                                                           \
     \separated(options, dict, fields + (0 .. field_capacity - 1), dims + (0 .. dim_capacity - 1)))

/* Likewise with the dimensions of the array. */
#define READING_SHAPE                                                                                                  \
    (\valid(shape + (0 .. SNPY_MAX_NDIM - 1)) &&                                                             \
     \separated(shape + (0 .. SNPY_MAX_NDIM - 1), dict, fields + (0 .. field_capacity - 1), dims + (0 .. dim_capacity - 1), \
                 options) &&                                            \
     \separated(shape + (0 .. SNPY_MAX_NDIM - 1), text + (0 .. length - 1)))

/* What is known of the type once it has been read. */
#define TYPE_READ                                                                                             \
    (dict->scan.type_at <= length && (dict->is_record == 0 ==> dict->dtype.itemsize <= SNPY_MAX_ITEMSIZE) && \
     (dict->is_record != 0 ==> 1 <= dict->scan.field_count <= length && dict->scan.dim_count <= length &&    \
      (dict->scan.field_over == 0 ==> dict->scan.field_count <= field_capacity) &&                           \
      (dict->scan.dim_over == 0 ==> dict->scan.dim_count <= dim_capacity) &&                                 \
      (dict->scan.limit_over == 0 ==> dict->scan.field_count <= SNPY_MAX_FIELDS) &&                          \
      dict->scan.field_over < length && dict->scan.dim_over < length && dict->scan.limit_over < length &&     \
      entries_ok(fields, dict->scan.field_count, field_capacity, length, dict->scan.dim_count)))

/* What is known of the shape once it has been read. */
#define SHAPE_READ                                                \
    (dict->shape.at < length && dict->shape.extra_at <= length && \
     (dict->shape.extra_at == 0 ==> dict->shape.ndim <= options->max_ndim))

#define READ_SO_FAR ((dict->has_descr != 0 ==> TYPE_READ) && (dict->has_shape != 0 ==> SHAPE_READ))

#define TABLE_CELLS SNPY_SCAN_COLUMNS(fields, field_capacity), dims[0 .. dim_capacity - 1]
/* clang-format on */

/* A list of fields as the value of descr.                                            NPY-LIT-010 … NPY-LIT-023 */
/*@ requires READING && 1 <= pos < length && text[pos] == '[';
    terminates \true;
    exits \false;
    assigns dict->pos, dict->is_record, SCAN_FIELDS(&dict->scan), TABLE_CELLS;
    ensures range: pos <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> pos < dict->pos;
    ensures type: \result == SNPY_OK ==> TYPE_READ;
    ensures kept: options->max_depth == \old(options->max_depth) && options->max_ndim == \old(options->max_ndim)
                  && options->max_fields == \old(options->max_fields);
 */
static snpy_status read_record(const uint8_t *text, size_t length, size_t pos, bool allow_long,
                               const snpy_options *options, snpy_field *fields, size_t field_capacity, int32_t *dims,
                               size_t dim_capacity, struct dict *dict)
{
    snpy_status status = snpy_scan_record(text, length, pos, allow_long, options, fields, field_capacity, dims,
                                          dim_capacity, &dict->scan);
    dict->is_record = true;
    dict->pos = dict->scan.stop;
    return status;
}

/* A type string as the value of descr.                                               NPY-LIT-005, NPY-LIT-008, 012 */
/*@ requires text_ok(text, length) && \valid_read(options) && \valid(dict) && 1 <= pos < length;
    requires \separated(text + (0 .. length-1), dict) && \separated(options, dict);
    terminates \true;
    exits \false;
    assigns dict->pos, dict->is_record, DTYPE_FIELDS(&dict->dtype), SCAN_FIELDS(&dict->scan);
    ensures range: pos <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> pos < dict->pos;
    ensures type: \result == SNPY_OK ==> dict->is_record == 0 && dict->dtype.itemsize <= SNPY_MAX_ITEMSIZE
                  && dict->scan.type_at <= length;
 */
static snpy_status read_simple(const uint8_t *text, size_t length, size_t pos, const snpy_options *options,
                               struct dict *dict)
{
    dict->is_record = false;
    dict->scan.field_count = 0;
    dict->scan.dim_count = 0;
    dict->scan.field_over = 0;
    dict->scan.limit_over = 0;
    dict->scan.dim_over = 0;
    dict->scan.type_status = SNPY_OK;
    dict->scan.type_at = 0;
    snpy_status status = snpy_lex_simple_type(text, length, pos, false, &options->compat, &dict->dtype, &dict->scan);
    dict->pos = dict->scan.stop;
    return status;
}

/* The value of descr.                                                                NPY-LIT-012, NPY-LIT-013 */
/*@ requires READING && 1 <= pos < length;
    terminates \true;
    exits \false;
    assigns dict->pos, dict->is_record, DTYPE_FIELDS(&dict->dtype), SCAN_FIELDS(&dict->scan), TABLE_CELLS;
    ensures range: pos <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> pos < dict->pos;
    ensures type: \result == SNPY_OK ==> TYPE_READ;
    ensures kept: options->max_depth == \old(options->max_depth) && options->max_ndim == \old(options->max_ndim)
                  && options->max_fields == \old(options->max_fields);
 */
static snpy_status read_descr(const uint8_t *text, size_t length, size_t pos, bool allow_long,
                              const snpy_options *options, snpy_field *fields, size_t field_capacity, int32_t *dims,
                              size_t dim_capacity, struct dict *dict)
{
    if (text[pos] == '[')
        return read_record(text, length, pos, allow_long, options, fields, field_capacity, dims, dim_capacity, dict);
    dict->pos = pos;
    if (text[pos] == '(') return SNPY_TOP_LEVEL_SUBARRAY;
    return read_simple(text, length, pos, options, dict);
}

/* Marks a key as seen; false if it was seen before.                                                NPY-HDR-002 */
/*@ requires \valid(dict);
    terminates \true;
    exits \false;
    assigns dict->has_descr, dict->has_order, dict->has_shape;
    ensures descr: key != SNPY_KEY_DESCR ==> dict->has_descr == \old(dict->has_descr);
    ensures shape: key != SNPY_KEY_SHAPE ==> dict->has_shape == \old(dict->has_shape);
 */
static inline bool mark_key(struct dict *dict, unsigned key)
{
    if (key == SNPY_KEY_DESCR) {
        if (dict->has_descr) return false;
        dict->has_descr = true;
    } else if (key == SNPY_KEY_SHAPE) {
        if (dict->has_shape) return false;
        dict->has_shape = true;
    } else {
        if (dict->has_order) return false;
        dict->has_order = true;
    }
    return true;
}

/* A key with its colon: *key is which, dict->pos the first byte of its value.  NPY-HDR-001, NPY-HDR-002, NPY-LIT-009 */
/*@ requires text_ok(text, length);
    requires \valid(dict) && \valid(key);
    requires \separated(dict, key) && \separated(text + (0 .. length-1), dict, key);
    requires dict->pos <= length;
    terminates \true;
    exits \false;
    assigns dict->pos, dict->has_descr, dict->has_order, dict->has_shape, *key;
    ensures range: \old(dict->pos) <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> \old(dict->pos) < dict->pos < length;
    ensures key: \result == SNPY_OK ==> SNPY_KEY_DESCR <= *key <= SNPY_KEY_SHAPE;
    ensures descr: \result == SNPY_OK && *key != SNPY_KEY_DESCR ==> dict->has_descr == \old(dict->has_descr);
    ensures shape: \result == SNPY_OK && *key != SNPY_KEY_SHAPE ==> dict->has_shape == \old(dict->has_shape);
 */
static inline snpy_status read_key(const uint8_t *text, size_t length, struct dict *dict, unsigned *key)
{
    size_t start = (size_t)dict->pos;
    size_t stop = (size_t)dict->pos;
    snpy_status status = snpy_lex_quote(text, length, start, &start);
    dict->pos = start;
    if (status != SNPY_OK) return status;
    unsigned found = snpy_lex_key(text, length, start, text[start - 1], &stop);
    *key = found;
    dict->pos = start - 1;
    if (found == SNPY_KEY_NONE) return SNPY_UNKNOWN_KEY;
    if (!mark_key(dict, found)) return SNPY_DUPLICATE_KEY;
    stop = snpy_skip_blanks(text, length, stop);
    dict->pos = stop;
    if (stop == length) return SNPY_UNEXPECTED_END;
    if (text[stop] != ':') return SNPY_EXPECTED_COLON;
    stop = snpy_skip_blanks(text, length, stop + 1);
    dict->pos = stop;
    return stop == length ? SNPY_UNEXPECTED_END : SNPY_OK;
}

/* The value of shape.                                                                NPY-LIT-015 … NPY-LIT-020 */
/*@ requires text_ok(text, length);
    requires \valid_read(options) && options->max_ndim <= SNPY_MAX_NDIM && \valid(dict) && 1 <= pos < length;
    requires \valid(shape + (0 .. SNPY_MAX_NDIM-1)) && \separated(shape + (0 .. SNPY_MAX_NDIM-1), dict, options);
    requires \separated(text + (0 .. length-1), dict, shape + (0 .. SNPY_MAX_NDIM-1));
    requires \separated(dict, options);
    terminates \true;
    exits \false;
    assigns dict->pos, SHAPE_FIELDS(&dict->shape), shape[0 .. SNPY_MAX_NDIM-1];
    ensures range: pos <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> pos < dict->pos;
    ensures scan: dict->scan.field_count == \old(dict->scan.field_count)
                  && dict->scan.dim_count == \old(dict->scan.dim_count)
                  && dict->scan.field_over == \old(dict->scan.field_over)
                  && dict->scan.limit_over == \old(dict->scan.limit_over)
                  && dict->scan.dim_over == \old(dict->scan.dim_over)
                  && dict->scan.type_at == \old(dict->scan.type_at);
    ensures shape: \result == SNPY_OK ==> SHAPE_READ;
 */
static snpy_status read_shape(const uint8_t *text, size_t length, size_t pos, bool allow_long,
                              const snpy_options *options, struct dict *dict, uint64_t *shape)
{
    struct snpy_text view = {text, length, allow_long, options->compat.numpy_int};
    snpy_status status =
        snpy_parse_shape(&view, pos, options->compat.list_shape, (uint32_t)options->max_ndim, &dict->shape, shape);
    dict->pos = dict->shape.stop;
    return status;
}

/* The value of fortran_order.                                                                      NPY-HDR-004 */
/*@ requires text_ok(text, length);
    requires \valid_read(options) && \valid(dict) && pos < length && \separated(dict, options);
    requires \separated(text + (0 .. length-1), dict);
    terminates \true;
    exits \false;
    assigns dict->pos, dict->fortran_order;
    ensures range: pos <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> pos < dict->pos;
 */
static snpy_status read_order(const uint8_t *text, size_t length, size_t pos, const snpy_options *options,
                              struct dict *dict)
{
    bool value = false;
    size_t size = lex_fortran_order(text, length, pos, &options->compat, &value);
    dict->fortran_order = value;
    dict->pos = pos + size;
    return size > 0 ? SNPY_OK : SNPY_BAD_FORTRAN_ORDER;
}

/* The value of one entry. */
/*@ requires READING && READING_SHAPE && 1 <= pos < length && SNPY_KEY_DESCR <= key <= SNPY_KEY_SHAPE;
    requires others: (key != SNPY_KEY_DESCR && dict->has_descr != 0 ==> TYPE_READ)
                     && (key != SNPY_KEY_SHAPE && dict->has_shape != 0 ==> SHAPE_READ);
    terminates \true;
    exits \false;
    assigns dict->pos, dict->is_record, dict->fortran_order, DTYPE_FIELDS(&dict->dtype), SCAN_FIELDS(&dict->scan),
            SHAPE_FIELDS(&dict->shape), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
    ensures range: pos <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> pos < dict->pos;
    ensures kept: options->max_depth == \old(options->max_depth) && options->max_ndim == \old(options->max_ndim)
                  && options->max_fields == \old(options->max_fields);
    ensures read: \result == SNPY_OK ==> READ_SO_FAR;
 */
static snpy_status read_value(const uint8_t *text, size_t length, size_t pos, unsigned key, bool allow_long,
                              const snpy_options *options, snpy_field *fields, size_t field_capacity, int32_t *dims,
                              size_t dim_capacity, struct dict *dict, uint64_t *shape)
{
    snpy_status status;
    if (key == SNPY_KEY_DESCR) {
        status = read_descr(text, length, pos, allow_long, options, fields, field_capacity, dims, dim_capacity, dict);
        //@ assert type: status == SNPY_OK ==> TYPE_READ;
        //@ assert shape: dict->has_shape != 0 ==> SHAPE_READ;
    } else if (key == SNPY_KEY_SHAPE) {
        status = read_shape(text, length, pos, allow_long, options, dict, shape);
        //@ assert type: dict->has_descr != 0 ==> TYPE_READ;
        //@ assert shape: status == SNPY_OK ==> SHAPE_READ;
    } else {
        status = read_order(text, length, pos, options, dict);
        //@ assert type: dict->has_descr != 0 ==> TYPE_READ;
        //@ assert shape: dict->has_shape != 0 ==> SHAPE_READ;
    }
    return status;
}

/* One entry of the dictionary, key and value, and the blanks behind it. */
/*@ requires READING && READING_SHAPE && 1 <= dict->pos <= length && READ_SO_FAR;
    terminates \true;
    exits \false;
    assigns DICT_FIELDS(dict), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
    ensures range: \old(dict->pos) <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> \old(dict->pos) < dict->pos;
    ensures kept: options->max_depth == \old(options->max_depth) && options->max_ndim == \old(options->max_ndim)
                  && options->max_fields == \old(options->max_fields);
    ensures read: \result == SNPY_OK ==> READ_SO_FAR;
 */
static snpy_status read_entry(const uint8_t *text, size_t length, bool allow_long, const snpy_options *options,
                              snpy_field *fields, size_t field_capacity, int32_t *dims, size_t dim_capacity,
                              struct dict *dict, uint64_t *shape)
{
    unsigned key = SNPY_KEY_NONE;
    snpy_status status = read_key(text, length, dict, &key);
    if (status != SNPY_OK) return status;
    size_t pos = (size_t)dict->pos;
    status = read_value(text, length, pos, key, allow_long, options, fields, field_capacity, dims, dim_capacity, dict,
                        shape);
    if (status != SNPY_OK) return status;
    dict->pos = snpy_skip_blanks(text, length, (size_t)dict->pos);
    return SNPY_OK;
}

/* Whether another entry may follow the one that was read: behind a comma.                          NPY-LIT-010 */
/*@ requires text_ok(text, length) && \valid(dict);
    requires \separated(text + (0 .. length-1), dict);
    requires dict->pos <= length;
    terminates \true;
    exits \false;
    assigns dict->pos;
    ensures range: \old(dict->pos) <= dict->pos <= length;
 */
static snpy_status read_comma(const uint8_t *text, size_t length, struct dict *dict)
{
    size_t pos = (size_t)dict->pos;
    if (pos == length || text[pos] == '}') return SNPY_OK;
    if (text[pos] != ',') return SNPY_EXPECTED_COMMA;
    dict->pos = snpy_skip_blanks(text, length, pos + 1);
    return SNPY_OK;
}

/* The entries, up to the closing brace or the end of the text, at which dict->pos stands.            NPY-LIT-010 */
/*@ requires READING && READING_SHAPE && 1 <= dict->pos <= length && READ_SO_FAR;
    terminates \true;
    exits \false;
    assigns DICT_FIELDS(dict), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
    ensures range: 1 <= dict->pos <= length;
    ensures read: \result == SNPY_OK ==> READ_SO_FAR;
 */
static snpy_status read_entries(const uint8_t *text, size_t length, bool allow_long, const snpy_options *options,
                                snpy_field *fields, size_t field_capacity, int32_t *dims, size_t dim_capacity,
                                struct dict *dict, uint64_t *shape)
{
    /*@ loop invariant range: 1 <= dict->pos <= length;
        loop invariant read: READ_SO_FAR;
        loop invariant kept: options->max_depth <= SNPY_MAX_DEPTH && options->max_ndim <= SNPY_MAX_NDIM
            && options->max_fields <= SNPY_MAX_FIELDS;
        loop assigns DICT_FIELDS(dict), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
        loop variant length - dict->pos; */
    while (dict->pos < length && text[dict->pos] != '}') {
        snpy_status status =
            read_entry(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, dict, shape);
        if (status == SNPY_OK) status = read_comma(text, length, dict);
        if (status != SNPY_OK) return status;
    }
    return SNPY_OK;
}

/* What ends the dictionary, and what stands behind it.                   NPY-LIT-001, NPY-LIT-003, NPY-HDR-003 */
/*@ requires text_ok(text, length) && \valid(dict);
    requires \separated(text + (0 .. length-1), dict);
    requires dict->pos <= length;
    terminates \true;
    exits \false;
    assigns dict->pos;
    ensures range: dict->pos <= length;
    ensures NPY_HDR_003: \result == SNPY_OK ==> dict->has_descr != 0 && dict->has_order != 0 && dict->has_shape != 0;
 */
static snpy_status read_end(const uint8_t *text, size_t length, struct dict *dict)
{
    if (dict->pos == length) return SNPY_UNEXPECTED_END;
    if (!dict->has_descr || !dict->has_order || !dict->has_shape) return SNPY_MISSING_KEY;
    dict->pos = snpy_skip_blanks(text, length, (size_t)dict->pos + 1);
    return dict->pos == length ? SNPY_OK : SNPY_TRAILING_TEXT;
}

/* The whole dictionary and what stands behind it: the literal phase.                       NPY-LIT-001, NPY-LIT-002 */
/*@ requires READING && READING_SHAPE;
    terminates \true;
    exits \false;
    assigns DICT_FIELDS(dict), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
    ensures range: dict->pos <= length;
    ensures read: \result == SNPY_OK ==> TYPE_READ && SHAPE_READ;
 */
static snpy_status read_dict(const uint8_t *text, size_t length, bool allow_long, const snpy_options *options,
                             snpy_field *fields, size_t field_capacity, int32_t *dims, size_t dim_capacity,
                             struct dict *dict, uint64_t *shape)
{
    dict->pos = 0;
    dict->has_descr = false;
    dict->has_order = false;
    dict->has_shape = false;
    if (length == 0) return SNPY_UNEXPECTED_END;
    if (text[0] != '{') return SNPY_NOT_A_DICT;
    dict->pos = snpy_skip_blanks(text, length, 1);
    snpy_status status =
        read_entries(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, dict, shape);
    return status == SNPY_OK ? read_end(text, length, dict) : status;
}

/* The smaller of two positions of which 0 means none. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures smaller: \result == a || \result == b;
    ensures none: \result == 0 <==> a == 0 && b == 0;
 */
static size_t earlier(size_t a, size_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Whether the caller's table and the limit hold all entries.                             NPY-HDR-005, API-TABLE */
/*@ requires \valid_read(scan) && \valid(at) && \separated(scan, at);
    requires scan->field_over <= SNPY_MAX_TEXT && scan->dim_over <= SNPY_MAX_TEXT && scan->limit_over <= SNPY_MAX_TEXT;
    terminates \true;
    exits \false;
    assigns *at;
    ensures result: \result == SNPY_OK <==> scan->limit_over == 0 && scan->field_over == 0 && scan->dim_over == 0;
    ensures at: *at == scan->limit_over || *at == scan->field_over || *at == scan->dim_over;
 */
static snpy_status judge_table(const struct snpy_scan *scan, size_t *at)
{
    size_t limit_over = (size_t)scan->limit_over;
    size_t over = earlier((size_t)scan->field_over, (size_t)scan->dim_over);
    *at = limit_over != 0 ? limit_over : over;
    if (limit_over != 0) return SNPY_TOO_MANY_FIELDS;
    return over != 0 ? SNPY_TABLE_TOO_SMALL : SNPY_OK;
}

/* clang-format off */
/* What the phases behind the scan write. */
#define SETTLED_COLUMNS(t, n)                                                                                \
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

/* Where the first name begins that is equal to an earlier one of its record; 0 if there is none. NPY-DTYPE-012 */
/*@ requires \valid_read(text) && \object_pointer(text->text) && text_ok(text->text, text->length);
    requires count <= SNPY_MAX_FIELDS && \valid(fields + (0 .. count-1));
    requires \separated(text->text + (0 .. text->length-1), fields + (0 .. count-1));
    requires \separated(text, fields + (0 .. count-1));
    requires spans: \forall integer k; 0 <= k < count ==>
             fields[k].name_offset + fields[k].name_length <= text->length
             && fields[k].title_offset + fields[k].title_length <= text->length;
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    ensures range: \result <= text->length;
 */
static size_t locate_duplicate(const struct snpy_text *text, snpy_field *fields, size_t count)
{
    snpy_name_encoding encoding = text->allow_long ? SNPY_NAME_LATIN1 : SNPY_NAME_UTF8;
    int32_t key = snpy_find_duplicate(text->text, text->length, encoding, fields, count);
    if (key == SNPY_NO_DUPLICATE) return 0;
    return key % 2 == 1 ? fields[key / 2].name_offset : fields[key / 2].title_offset;
}

/* The phases of a record between its table and its size: duplicates, then shapes, then sizes.
 *                                                                   NPY-DTYPE-012, NPY-SHAPE-001 … NPY-SHAPE-003 */
/*@ requires RECORD_GIVEN && extra_at <= text->length;
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].is_padding, fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_,
            fields[0 .. count-1].dtype.itemsize, fields[0 .. count-1].itemsize, fields[0 .. count-1].offset, *at;
    ensures range: *at <= text->length;
    ensures size: \result == SNPY_OK ==> fields[0].dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> extra_at == 0;
 */
static snpy_status judge_record(const struct snpy_text *text, snpy_field *fields, size_t count, const int32_t *dims,
                                size_t dim_count, size_t extra_at, size_t *at)
{
    snpy_mark_padding(fields, count);
    size_t start = locate_duplicate(text, fields, count);
    if (start > 0) {
        *at = start - 1;
        return SNPY_DUPLICATE_NAME;
    }
    size_t extra = earlier(extra_at, snpy_find_deep_subarray(fields, count));
    if (extra > 0) {
        *at = extra <= text->length ? extra : text->length;
        return SNPY_TOO_MANY_DIMENSIONS;
    }
    return snpy_settle_layout(text, fields, count, dims, dim_count, at);
}

/* The element as a whole. */
/*@ requires \valid_read(dtype) && \valid(header) && \separated(dtype, header);
    terminates \true;
    exits \false;
    assigns header->dtype.kind, header->dtype.byteorder, header->dtype.unit, header->dtype.itemsize,
            header->dtype.multiplier, header->has_object;
    ensures size: header->dtype.itemsize == \old(dtype->itemsize);
 */
static void fill_dtype(snpy_header *header, const snpy_dtype *dtype, bool has_object)
{
    header->dtype.kind = dtype->kind;
    header->dtype.byteorder = dtype->byteorder;
    header->dtype.unit = dtype->unit;
    header->dtype.itemsize = dtype->itemsize;
    header->dtype.multiplier = dtype->multiplier;
    header->has_object = has_object;
}

/* clang-format off */
#define HEADER_TYPE_FIELDS                                                                                   \
    header->dtype.kind, header->dtype.byteorder, header->dtype.unit, header->dtype.itemsize,                 \
        header->dtype.multiplier, header->has_object

/* A parse's text, and what the phases behind the literal write, apart from each other. */
#define SETTLING                                                                                             \
    (\object_pointer(text) && text_ok(text, length) && \valid(header) && \valid(at) && \separated(header, at) && \
     \separated(text + (0 .. length - 1), header, at))

#define SETTLING_RECORD                                                                                      \
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

/* The sizes of the array, from its shape and its element.                 NPY-SHAPE-004, NPY-SHAPE-005, NPY-DATA-004 */
/*@ requires SETTLING && \valid_read(options) && \separated(options, header, at);
    requires ndim <= SNPY_MAX_NDIM && shape_at < length && header->dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    terminates \true;
    exits \false;
    assigns header->ndim, header->count, header->data_size, *at;
    ensures range: *at <= length;
    ensures NPY_SHAPE_001: header->ndim <= SNPY_MAX_NDIM;
    ensures NPY_SHAPE_004: \result == SNPY_OK ==> header->data_size <= SNPY_MAX_SIZE && header->count <= SNPY_MAX_SIZE;
 */
static snpy_status judge_sizes(const uint8_t *text, size_t length, bool allow_long, const snpy_options *options,
                               size_t ndim, size_t shape_at, snpy_header *header, size_t *at)
{
    struct snpy_text view = {text, length, allow_long, options->compat.numpy_int};
    uint64_t limit = options->max_data_bytes;
    uint32_t itemsize = header->dtype.itemsize;
    uint64_t count = 0;
    header->ndim = (uint32_t)ndim;
    if (!snpy_count_elements(header->shape, ndim, itemsize, &count)) {
        *at = snpy_locate_overflow(&view, shape_at, itemsize == 0 ? 1 : itemsize, SNPY_MAX_SIZE);
        return SNPY_SIZE_OVERFLOW;
    }
    uint64_t data_size = header->has_object ? 0 : count * itemsize;
    header->count = count;
    header->data_size = data_size;
    *at = length;
    return data_size > limit ? SNPY_DATA_TOO_LARGE : SNPY_OK;
}

/* The type of an array of records, from its table.              NPY-HDR-005, NPY-DTYPE-012, NPY-SHAPE-001 … 003 */
/*@ requires SETTLING && SETTLING_RECORD && \valid_read(scan) && RECORD_READ(scan) && extra_at <= length;
    requires \separated(scan, header, at, fields + (0 .. field_capacity-1));
    terminates \true;
    exits \false;
    assigns *at, HEADER_TYPE_FIELDS, SETTLED_COLUMNS(fields, field_capacity);
    ensures range: *at <= length;
    ensures size: \result == SNPY_OK ==> header->dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> extra_at == 0;
    ensures fits: \result == SNPY_OK ==> \old(scan->field_over) == 0 && \old(scan->dim_over) == 0;
 */
static snpy_status settle_record(const uint8_t *text, size_t length, bool allow_long, bool numpy_int,
                                 snpy_field *fields, size_t field_capacity, const int32_t *dims, size_t dim_capacity,
                                 const struct snpy_scan *scan, size_t extra_at, snpy_header *header, size_t *at)
{
    struct snpy_text view = {text, length, allow_long, numpy_int};
    size_t count = (size_t)scan->field_count;
    size_t dim_count = (size_t)scan->dim_count;
    (void)field_capacity;
    (void)dim_capacity; /* both are the contract's */
    snpy_status status = judge_table(scan, at);
    if (status != SNPY_OK) return status;
    status = judge_record(&view, fields, count, dims, dim_count, extra_at, at);
    if (status != SNPY_OK) return status;
    fill_dtype(header, &fields[0].dtype, snpy_has_object(fields, count));
    snpy_link_siblings(fields, count);
    return SNPY_OK;
}

/* The type of the array, from its record or its type string. */
/*@ requires SETTLING && SETTLING_RECORD && \valid_read(dict);
    requires \separated(dict, header, at, fields + (0 .. field_capacity-1));
    requires type: dict->scan.type_at <= length && dict->shape.extra_at <= length;
    requires simple: dict->is_record == 0 ==> dict->dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    requires record: dict->is_record != 0 ==> RECORD_READ(&dict->scan);
    terminates \true;
    exits \false;
    assigns *at, HEADER_TYPE_FIELDS, SETTLED_COLUMNS(fields, field_capacity);
    ensures range: *at <= length;
    ensures size: \result == SNPY_OK ==> header->dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> \old(dict->shape.extra_at) == 0;
    ensures fits: \result == SNPY_OK && \old(dict->is_record) != 0 ==>
                  \old(dict->scan.field_over) == 0 && \old(dict->scan.dim_over) == 0;
 */
static snpy_status settle_type(const uint8_t *text, size_t length, bool allow_long, bool numpy_int, snpy_field *fields,
                               size_t field_capacity, const int32_t *dims, size_t dim_capacity, const struct dict *dict,
                               snpy_header *header, size_t *at)
{
    size_t extra_at = (size_t)dict->shape.extra_at;
    int type_status = dict->scan.type_status;
    *at = (size_t)dict->scan.type_at;
    if (type_status != SNPY_OK) return (snpy_status)type_status;
    if (dict->is_record)
        return settle_record(text, length, allow_long, numpy_int, fields, field_capacity, dims, dim_capacity,
                             &dict->scan, extra_at, header, at);
    fill_dtype(header, &dict->dtype, dict->dtype.kind == SNPY_KIND_OBJECT);
    *at = extra_at;
    return extra_at == 0 ? SNPY_OK : SNPY_TOO_MANY_DIMENSIONS;
}

/* The text of a header up to the end of its literal. */
/*@ requires READING && READING_SHAPE && options->max_fields <= SNPY_MAX_FIELDS && \object_pointer(text);
    terminates \true;
    exits \false;
    assigns DICT_FIELDS(dict), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
    ensures range: dict->pos <= length;
    ensures type: \result == SNPY_OK ==> dict->scan.type_at <= length
                  && (dict->is_record == 0 ==> dict->dtype.itemsize <= SNPY_MAX_ITEMSIZE);
    ensures record: \result == SNPY_OK && dict->is_record != 0 ==> RECORD_READ(&dict->scan);
    ensures shape: \result == SNPY_OK ==> dict->shape.at < length && dict->shape.extra_at <= length
                   && (dict->shape.extra_at == 0 ==> dict->shape.ndim <= SNPY_MAX_NDIM);
 */
static snpy_status read_text(const uint8_t *text, size_t length, bool allow_long, const snpy_options *options,
                             snpy_field *fields, size_t field_capacity, int32_t *dims, size_t dim_capacity,
                             struct dict *dict, uint64_t *shape)
{
    if (!allow_long) {
        dict->pos = snpy_utf8_check(text, length);
        if (dict->pos < length) return SNPY_BAD_UTF8;
    }
    return read_dict(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, dict, shape);
}

/* The phases behind the literal; *at is the byte of the text at fault. */
/*@ requires SETTLING && SETTLING_RECORD && \valid_read(dict) && \valid_read(options);
    requires \separated(dict, header, at, fields + (0 .. field_capacity-1));
    requires \separated(options, header, at, fields + (0 .. field_capacity-1));
    requires type: dict->scan.type_at <= length && dict->shape.extra_at <= length && dict->shape.at < length
             && (dict->shape.extra_at == 0 ==> dict->shape.ndim <= SNPY_MAX_NDIM);
    requires simple: dict->is_record == 0 ==> dict->dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    requires record: dict->is_record != 0 ==> RECORD_READ(&dict->scan);
    terminates \true;
    exits \false;
    assigns *at, HEADER_TYPE_FIELDS, header->fortran_order, header->ndim, header->count, header->data_size,
            SETTLED_COLUMNS(fields, field_capacity);
    ensures range: *at <= length;
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> header->ndim <= SNPY_MAX_NDIM;
    ensures NPY_SHAPE_004: \result == SNPY_OK ==> header->data_size <= SNPY_MAX_SIZE && header->count <= SNPY_MAX_SIZE;
    ensures fits: \result == SNPY_OK && \old(dict->is_record) != 0 ==>
                  \old(dict->scan.field_over) == 0 && \old(dict->scan.dim_over) == 0;
 */
static snpy_status settle(const uint8_t *text, size_t length, bool allow_long, const snpy_options *options,
                          snpy_field *fields, size_t field_capacity, const int32_t *dims, size_t dim_capacity,
                          const struct dict *dict, snpy_header *header, size_t *at)
{
    uint64_t ndim = dict->shape.ndim;
    size_t shape_at = (size_t)dict->shape.at;
    bool fortran_order = dict->fortran_order;
    snpy_status status = settle_type(text, length, allow_long, options->compat.numpy_int, fields, field_capacity, dims,
                                     dim_capacity, dict, header, at);
    if (status != SNPY_OK) return status;
    header->fortran_order = fortran_order;
    return judge_sizes(text, length, allow_long, options, (size_t)ndim, shape_at, header, at);
}

/* Tells the caller how many entries and dimensions are used, or needed. */
/*@ requires \valid(table);
    terminates \true;
    exits \false;
    assigns table->field_count, table->dim_count;
    ensures counts: table->field_count == field_count && table->dim_count == dim_count;
 */
static void tell_counts(snpy_table *table, size_t field_count, size_t dim_count)
{
    table->field_count = field_count;
    table->dim_count = dim_count;
}

/* A text, both parts. *at is the byte of the text at fault; the table's counts are told. */
/*@ requires \object_pointer(text) && text_ok(text, length) && \valid_read(options);
    requires options->max_depth <= SNPY_MAX_DEPTH && options->max_ndim <= SNPY_MAX_NDIM
             && options->max_fields <= SNPY_MAX_FIELDS;
    requires \object_pointer(fields) && \object_pointer(dims) && \valid(fields + (0 .. field_capacity - 1));
    requires \valid(dims + (0 .. dim_capacity - 1)) && \valid(header) && \valid(at) && \valid(dict) && \valid(table);
    requires \separated(text + (0 .. length - 1), header, at, dict, fields + (0 .. field_capacity - 1),
                        dims + (0 .. dim_capacity - 1));
    requires \separated(options, header, at, dict, fields + (0 .. field_capacity - 1), dims + (0 .. dim_capacity - 1));
    requires \separated(table, header, at, dict, fields + (0 .. field_capacity - 1), dims + (0 .. dim_capacity - 1));
    terminates \true;
    exits \false;
    assigns *at, DICT_FIELDS(dict), HEADER_TYPE_FIELDS, header->fortran_order, header->ndim, header->count,
            header->data_size, header->shape[0 .. SNPY_MAX_NDIM-1], TABLE_CELLS,
            SETTLED_COLUMNS(fields, field_capacity), table->field_count, table->dim_count;
    ensures range: *at <= length;
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> header->ndim <= SNPY_MAX_NDIM;
    ensures NPY_SHAPE_004: \result == SNPY_OK ==> header->data_size <= SNPY_MAX_SIZE && header->count <= SNPY_MAX_SIZE;
    ensures table: \result == SNPY_OK ==> table->field_count <= field_capacity && table->dim_count <= dim_capacity;
 */
static snpy_status parse_text(const uint8_t *text, size_t length, bool allow_long, const snpy_options *options,
                              snpy_field *fields, size_t field_capacity, int32_t *dims, size_t dim_capacity,
                              struct dict *dict, snpy_table *table, snpy_header *header, size_t *at)
{
    snpy_status status =
        read_text(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, dict, header->shape);
    *at = (size_t)dict->pos;
    if (status != SNPY_OK) return status;
    size_t field_count = dict->is_record ? (size_t)dict->scan.field_count : 0;
    size_t dim_count = dict->is_record ? (size_t)dict->scan.dim_count : 0;
    status = settle(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, dict, header, at);
    tell_counts(table, field_count, dim_count);
    return status;
}

snpy_status snpy_parse_header(const uint8_t *bytes, size_t length, const snpy_options *options, snpy_table *table,
                              snpy_header *header, snpy_error *error)
{
    struct dict dict;
    size_t at = 0;
    snpy_field *fields = table->fields;
    int32_t *dims = table->dims;
    size_t field_capacity = table->field_capacity;
    size_t dim_capacity = table->dim_capacity;
    tell_counts(table, 0, 0);
    snpy_status status = snpy_parse_frame(bytes, length, options, &header->frame, error);
    if (status != SNPY_OK) return status;
    uint32_t text_offset = header->frame.text_offset;
    uint32_t header_len = header->frame.header_len;
    bool allow_long = header->frame.major < 3;
    if (length - text_offset < header_len) return snpy_fail(error, SNPY_TRUNCATED_HEADER, length);
    //@ assert fits: header->frame.data_offset <= length;
    status = parse_text(bytes + text_offset, header_len, allow_long, options, fields, field_capacity, dims,
                        dim_capacity, &dict, table, header, &at);
    //@ assert kept: header->frame.data_offset <= length;
    return snpy_fail(error, status, status == SNPY_OK ? 0 : (uint64_t)text_offset + at);
}

snpy_status snpy_check_data(const snpy_header *header, uint64_t file_size, bool allow_trailing, snpy_error *error)
{
    uint64_t start = header->frame.data_offset;
    if (file_size < start) return snpy_fail(error, SNPY_TRUNCATED_HEADER, file_size);
    if (header->has_object) {
        if (file_size == start) return snpy_fail(error, SNPY_NO_OBJECTS, file_size);
        return snpy_fail(error, SNPY_OK, 0);
    }
    uint64_t end = start + header->data_size;
    if (file_size < end) return snpy_fail(error, SNPY_TRUNCATED_DATA, file_size);
    if (file_size > end && !allow_trailing) return snpy_fail(error, SNPY_TRAILING_DATA, end);
    return snpy_fail(error, SNPY_OK, 0);
}
