/* header.c: the dictionary, and a header in which every size is settled.                    NPY-HDR, NPY-SHAPE-004
 * Proves that what it hands out is in range. Leaves tokens to literal.h, types to dtype.c and record.c,
 * sizes to layout.c and shape.c.
 *
 * One pass over the text settles the literal and the dtype; the phases behind it run in the order in which
 * errors are reported. */
#include "core/duplicates.h"
#include "core/shape.h"

/* What the dictionary has said so far. */
struct dict {
    size_t pos;       /* the next byte; on failure the byte at fault */
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

/* The buffers a parse writes to lie apart from each other and from what it reads. */
#define TABLE_OK(t)                                                                                          \
    (\valid(t) && \valid((t)->fields + (0 .. (t)->field_capacity - 1)) && \valid((t)->dims + (0 .. (t)->dim_capacity - 1)) \
     && \separated(t, (t)->fields + (0 .. (t)->field_capacity - 1), (t)->dims + (0 .. (t)->dim_capacity - 1)))

#define APART_FROM_TABLE(p, t)                                                                               \
    \separated(p, t, (t)->fields + (0 .. (t)->field_capacity - 1), (t)->dims + (0 .. (t)->dim_capacity - 1))

#define SHAPE_FIELDS(s) (s)->stop, (s)->at, (s)->extra_at, (s)->ndim

#define SCAN_FIELDS(s)                                                                                       \
    (s)->stop, (s)->field_count, (s)->dim_count, (s)->field_over, (s)->limit_over, (s)->dim_over,            \
        (s)->type_status, (s)->type_at

#define DTYPE_FIELDS(d) (d)->kind, (d)->byteorder, (d)->unit, (d)->itemsize, (d)->multiplier

/* The value of descr.                                                       NPY-LIT-010 … 014, NPY-LIT-021 … 023 */
/*@ requires \valid_read(text) && text_ok(text->text, text->length) && 1 <= pos < text->length;
    requires \valid_read(options) && options->max_depth <= SNPY_MAX_DEPTH && TABLE_OK(table) && \valid(dict);
    requires APART_FROM_TABLE(dict, table) && APART_FROM_TABLE(text, table) && APART_FROM_TABLE(options, table);
    requires APART_FROM_TABLE(text->text + (0 .. text->length-1), table);
    requires \separated(dict, text, options) && \separated(dict, text->text + (0 .. text->length-1));
    terminates \true;
    exits \false;
    assigns dict->pos, dict->is_record, DTYPE_FIELDS(&dict->dtype), SCAN_FIELDS(&dict->scan),
            SNPY_SCAN_COLUMNS(table->fields, table->field_capacity), table->dims[0 .. table->dim_capacity-1];
    ensures range: pos <= dict->pos <= text->length;
    ensures forward: \result == SNPY_OK ==> pos < dict->pos;
 */
static snpy_status read_descr(const struct snpy_text *text, size_t pos, const snpy_options *options, snpy_table *table,
                              struct dict *dict)
{
    uint8_t byte = text->text[pos];
    snpy_status status;
    dict->pos = pos;
    dict->is_record = byte == '[';
    dict->scan.field_count = 0;
    dict->scan.dim_count = 0;
    dict->scan.field_over = 0;
    dict->scan.limit_over = 0;
    dict->scan.dim_over = 0;
    dict->scan.type_status = SNPY_OK;
    dict->scan.type_at = 0;
    if (byte == '(') return SNPY_TOP_LEVEL_SUBARRAY;
    if (byte == '[')
        status = snpy_scan_record(text->text, text->length, pos, text->allow_long, options, table->fields,
                                  table->field_capacity, table->dims, table->dim_capacity, &dict->scan);
    else
        status = snpy_lex_simple_type(text->text, text->length, pos, false, &options->compat, &dict->dtype,
                                      &dict->scan);
    dict->pos = (size_t)dict->scan.stop;
    return status;
}

/* A key with its colon: *key is which, dict->pos the first byte of its value.  NPY-HDR-001, NPY-HDR-002, NPY-LIT-009 */
static snpy_status read_key(const struct snpy_text *text, struct dict *dict, unsigned *key)
{
    size_t start = dict->pos;
    size_t stop = dict->pos;
    snpy_status status = snpy_lex_quote(text->text, text->length, dict->pos, &start);
    dict->pos = start;
    if (status != SNPY_OK) return status;
    *key = snpy_lex_key(text->text, text->length, start, text->text[start - 1], &stop);
    dict->pos = start - 1;
    if (*key == SNPY_KEY_NONE) return SNPY_UNKNOWN_KEY;
    bool *seen = *key == SNPY_KEY_DESCR            ? &dict->has_descr
                 : *key == SNPY_KEY_FORTRAN_ORDER ? &dict->has_order
                                                  : &dict->has_shape;
    if (*seen) return SNPY_DUPLICATE_KEY;
    *seen = true;
    stop = snpy_skip_blanks(text->text, text->length, stop);
    dict->pos = stop;
    if (stop == text->length) return SNPY_UNEXPECTED_END;
    if (text->text[stop] != ':') return SNPY_EXPECTED_COLON;
    dict->pos = snpy_skip_blanks(text->text, text->length, stop + 1);
    return dict->pos == text->length ? SNPY_UNEXPECTED_END : SNPY_OK;
}

/* One entry of the dictionary, key and value. */
static snpy_status read_entry(const struct snpy_text *text, const snpy_options *options, snpy_table *table,
                              struct dict *dict, uint64_t *dims)
{
    unsigned key = SNPY_KEY_NONE;
    snpy_status status = read_key(text, dict, &key);
    if (status != SNPY_OK) return status;
    size_t pos = dict->pos;
    if (key == SNPY_KEY_DESCR) return read_descr(text, pos, options, table, dict);
    if (key == SNPY_KEY_SHAPE) {
        status = snpy_parse_shape(text, pos, options->compat.list_shape, options->max_ndim, &dict->shape, dims);
        dict->pos = dict->shape.stop;
        return status;
    }
    size_t size = lex_fortran_order(text->text, text->length, pos, &options->compat, &dict->fortran_order);
    dict->pos = pos + size;
    return size > 0 ? SNPY_OK : SNPY_BAD_FORTRAN_ORDER;
}

/* The whole dictionary and what stands behind it: the literal phase.       NPY-LIT-001 … 003, NPY-LIT-010, NPY-HDR-003 */
static snpy_status read_dict(const struct snpy_text *text, const snpy_options *options, snpy_table *table,
                             struct dict *dict, uint64_t *dims)
{
    dict->pos = 0;
    dict->has_descr = false;
    dict->has_order = false;
    dict->has_shape = false;
    if (text->length == 0) return SNPY_UNEXPECTED_END;
    if (text->text[0] != '{') return SNPY_NOT_A_DICT;
    dict->pos = snpy_skip_blanks(text->text, text->length, 1);
    while (dict->pos < text->length && text->text[dict->pos] != '}') {
        snpy_status status = read_entry(text, options, table, dict, dims);
        if (status != SNPY_OK) return status;
        dict->pos = snpy_skip_blanks(text->text, text->length, dict->pos);
        if (dict->pos == text->length) return SNPY_UNEXPECTED_END;
        if (text->text[dict->pos] == '}') break;
        if (text->text[dict->pos] != ',') return SNPY_EXPECTED_COMMA;
        dict->pos = snpy_skip_blanks(text->text, text->length, dict->pos + 1);
    }
    if (dict->pos == text->length) return SNPY_UNEXPECTED_END;
    if (!dict->has_descr || !dict->has_order || !dict->has_shape) return SNPY_MISSING_KEY;
    dict->pos = snpy_skip_blanks(text->text, text->length, dict->pos + 1);
    return dict->pos == text->length ? SNPY_OK : SNPY_TRAILING_TEXT;
}

/* The smaller of two positions of which 0 means none. */
static size_t earlier(size_t a, size_t b) { return a == 0 || (b != 0 && b < a) ? b : a; }

/* Table and duplicates: the phases of a record between its text and its sizes.       NPY-HDR-005, NPY-DTYPE-012 */
static snpy_status judge_record(const struct snpy_text *text, snpy_name_encoding encoding, snpy_table *table,
                                const struct snpy_scan *scan, size_t *at)
{
    size_t count = (size_t)scan->field_count;
    *at = (size_t)scan->limit_over;
    if (scan->limit_over != 0) return SNPY_TOO_MANY_FIELDS;
    table->field_count = count;
    table->dim_count = (size_t)scan->dim_count;
    *at = earlier((size_t)scan->field_over, (size_t)scan->dim_over);
    if (*at != 0) return SNPY_TABLE_TOO_SMALL;
    snpy_mark_padding(table->fields, count);
    snpy_link_siblings(table->fields, count);
    int32_t key = snpy_find_duplicate(text->text, text->length, encoding, table->fields, count);
    if (key == SNPY_NO_DUPLICATE) return SNPY_OK;
    const snpy_field *field = &table->fields[key / 2];
    *at = (key % 2 == 1 ? field->name_offset : field->title_offset) - 1;
    return SNPY_DUPLICATE_NAME;
}

/* The shape of the array against its limit and the sub-arrays against theirs, then the sizes of a record.
 *                                                                                    NPY-SHAPE-001 … NPY-SHAPE-003 */
static snpy_status judge_shapes(const struct snpy_text *text, const struct dict *dict, snpy_table *table, size_t *at)
{
    size_t deep = dict->is_record ? snpy_find_deep_subarray(table->fields, table->field_count) : 0;
    *at = earlier(dict->shape.extra_at, deep);
    if (*at != 0) return SNPY_TOO_MANY_DIMENSIONS;
    if (!dict->is_record) return SNPY_OK;
    return snpy_settle_layout(text, table->fields, table->field_count, table->dims, table->dim_count, at);
}

/* The element as a whole. */
static void fill_dtype(const struct dict *dict, const snpy_table *table, snpy_header *header)
{
    const snpy_dtype *dtype = dict->is_record ? &table->fields[0].dtype : &dict->dtype;
    header->dtype.kind = dtype->kind;
    header->dtype.byteorder = dtype->byteorder;
    header->dtype.unit = dtype->unit;
    header->dtype.itemsize = dtype->itemsize;
    header->dtype.multiplier = dtype->multiplier;
    header->has_object =
        dict->is_record ? snpy_has_object(table->fields, table->field_count) : dtype->kind == SNPY_KIND_OBJECT;
}

/* The phases behind the literal; *at is the byte of the text at fault. */
static snpy_status settle(const struct snpy_text *text, const snpy_options *options, const struct dict *dict,
                          snpy_table *table, snpy_header *header, size_t *at)
{
    snpy_status status = SNPY_OK;
    *at = (size_t)dict->scan.type_at;
    if (dict->scan.type_status != SNPY_OK) return (snpy_status)dict->scan.type_status;
    if (dict->is_record)
        status = judge_record(text, text->allow_long ? SNPY_NAME_LATIN1 : SNPY_NAME_UTF8, table, &dict->scan, at);
    if (status != SNPY_OK) return status;
    status = judge_shapes(text, dict, table, at);
    if (status != SNPY_OK) return status;

    fill_dtype(dict, table, header);
    header->fortran_order = dict->fortran_order;
    header->ndim = (uint8_t)dict->shape.ndim;
    uint32_t itemsize = header->dtype.itemsize;
    if (!snpy_count_elements(header->shape, dict->shape.ndim, itemsize, &header->count)) {
        *at = snpy_locate_overflow(text, dict->shape.at, itemsize == 0 ? 1 : itemsize, SNPY_MAX_SIZE);
        return SNPY_SIZE_OVERFLOW;
    }
    header->data_size = header->has_object ? 0 : header->count * itemsize;
    *at = text->length;
    return header->data_size > options->max_data_bytes ? SNPY_DATA_TOO_LARGE : SNPY_OK;
}

/* The text of a header; *at is the byte of the text at fault. */
static snpy_status parse_text(const struct snpy_text *text, const snpy_options *options, snpy_table *table,
                              snpy_header *header, size_t *at)
{
    struct dict dict;
    if (!text->allow_long) {
        *at = snpy_utf8_check(text->text, text->length);
        if (*at < text->length) return SNPY_BAD_UTF8;
    }
    snpy_status status = read_dict(text, options, table, &dict, header->shape);
    *at = dict.pos;
    if (status != SNPY_OK) return status;
    return settle(text, options, &dict, table, header, at);
}

snpy_status snpy_parse_header(const uint8_t *bytes, size_t length, const snpy_options *options, snpy_table *table,
                              snpy_header *header, snpy_error *error)
{
    size_t at = 0;
    table->field_count = 0;
    table->dim_count = 0;
    if (snpy_parse_frame(bytes, length, options, &header->frame, error) != SNPY_OK) return error->status;
    uint8_t text_offset = header->frame.text_offset;
    if (length - text_offset < header->frame.header_len) return snpy_fail(error, SNPY_TRUNCATED_HEADER, length);
    struct snpy_text text = {bytes + text_offset, header->frame.header_len, header->frame.major < 3,
                             options->compat.numpy_int};
    snpy_status status = parse_text(&text, options, table, header, &at);
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
