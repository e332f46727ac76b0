/* dict.h: parses the dictionary of a header: its keys, their values, and what follows it.    NPY-LIT, NPY-HDR-001 … 004
 * Proves that status, offset and values are those of the specification. literal.h has the tokens, dtype.c and record.c
 * parse types. Only header.c includes this file. */
#ifndef SAFENPY_CORE_DICT_H
#define SAFENPY_CORE_DICT_H

#include "core/record.h"
#include "core/shape.h"
#include "spec/logic/header.h"

/* What has been parsed of the dictionary so far. Its integers are signed and have 64 bits, unlike everything else that
 * is written meanwhile: the provers keep one memory for each integer type (see record.h). */
struct dict {
    int64_t pos;      /* offset of the next byte; on failure of the byte at fault */
    int64_t descr_at; /* offset of the value of the key; 0: the key has not been read */
    int64_t order_at;
    int64_t shape_at;
    int64_t fortran_order; /* 0 or 1 */
    int64_t is_record;     /* 0 or 1 */
    struct snpy_shape shape;
    struct snpy_scan scan;
    snpy_dtype dtype; /* the dtype, unless it is a record */
};

/* Returns the length of "True" or "False" if the text at `pos` begins with one of them; else 0. */
/*@ requires text_ok(text, length) && pos <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_HDR_004: \result == bool_length(text, length, pos);
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

/* Reads the value of fortran_order at `pos` into *value. `digits` accepts 0 and 1, `numpy_bool` np.True_ and np.False_.
 * Returns its length; 0 if it is not valid.                                                              NPY-HDR-004 */
/*@ requires text_ok(text, length) && pos < length && \valid(value);
    requires \separated(value, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *value;
    ensures NPY_HDR_004: \result == \old(fortran_length(text, length, pos, (boolean)digits,
                                                       (boolean)numpy_bool));
    ensures value: \result > 0 ==>
            (*value != 0 <==> \old(fortran_value(text, length, pos, (boolean)digits)));
    ensures range: pos + \result <= length;
 */
static inline size_t lex_fortran_order(const uint8_t *text, size_t length, size_t pos, bool digits, bool numpy_bool,
                                       bool *value)
{
    size_t size = lex_bool(text, length, pos);
    *value = size == 4;
    if (size > 0) return size;
    if (digits && (text[pos] == '0' || text[pos] == '1')) {
        *value = text[pos] == '1';
        return 1;
    }
    if (!numpy_bool || length - pos < 8) return 0;
    if (text[pos] != 'n' || text[pos + 1] != 'p' || text[pos + 2] != '.') return 0;
    size = lex_bool(text, length, pos + 3);
    if (size == 0 || length - pos - 3 - size < 1 || text[pos + 3 + size] != '_') return 0;
    *value = size == 4;
    return size + 4;
}

/* clang-format off */
#define SHAPE_FIELDS(s) (s)->stop, (s)->at, (s)->extra_at, (s)->ndim

#define SCAN_FIELDS(s)                                                                                       \
    (s)->stop, (s)->field_count, (s)->dim_count, (s)->field_over, (s)->limit_over, (s)->dim_over, (s)->type_status, \
        (s)->type_at

#define DTYPE_FIELDS(d) (d)->kind, (d)->byteorder, (d)->unit, (d)->itemsize, (d)->multiplier

#define DICT_FIELDS(d)                                                                                       \
    (d)->pos, (d)->descr_at, (d)->order_at, (d)->shape_at, (d)->is_record, (d)->fortran_order,               \
        SHAPE_FIELDS(&(d)->shape), SCAN_FIELDS(&(d)->scan), DTYPE_FIELDS(&(d)->dtype)

/* What all functions that fill the table require: a text, options, and memory that does not overlap them. */
#define READING                                                                                              \
    (text_ok(text, length) &&                                                                                \
     options.max_depth <= SNPY_MAX_DEPTH && options.max_ndim <= SNPY_MAX_NDIM &&                             \
     options.max_fields <= SNPY_MAX_FIELDS &&                                                                \
     \object_pointer(fields) && \object_pointer(dims) && \valid(fields + (0 .. field_capacity - 1)) &&       \
     \valid(dims + (0 .. dim_capacity - 1)) && \valid(dict) &&                                               \
     \separated(text + (0 .. length - 1), dict, fields + (0 .. field_capacity - 1), dims + (0 .. dim_capacity - 1)))

/* The same, with the dimensions of the array. */
#define READING_SHAPE                                                                                        \
    (\valid(shape + (0 .. SNPY_MAX_NDIM - 1)) &&                                                             \
     \separated(shape + (0 .. SNPY_MAX_NDIM - 1), dict, fields + (0 .. field_capacity - 1),                  \
                dims + (0 .. dim_capacity - 1)) &&                                                           \
     \separated(shape + (0 .. SNPY_MAX_NDIM - 1), text + (0 .. length - 1)))

/* The options as arguments of logic functions. */
#define FLAG_OF(o, f) (boolean)(o).compat.f
#define FLAG(f) FLAG_OF(options, f)
#define LIST_OF(o) SNPY_RECORD_FLAGS(allow_long, o)
#define DICT_OF(o) LIST_OF(o), FLAG_OF(o, int_fortran_order), FLAG_OF(o, numpy_bool)
#define TYPE_OF(o) SNPY_TYPE_OPTIONS((o).compat)
#define LIST_BY LIST_OF(options)
#define DICT_BY DICT_OF(options)
#define TYPE_BY TYPE_OF(options)
#define SHAPE_OF(o) (boolean)allow_long, FLAG_OF(o, numpy_int)
#define SHAPE_BY SHAPE_OF(options)
#define T text, length
#define SEEN dict->descr_at, dict->order_at, dict->shape_at

/* `dict` has what the value of descr at `i` says. */
#define SIMPLE_SOUND (dict->is_record == 0 && dict->scan.type_status == SNPY_OK)
#define DESCR_SAYS(i)                                                                                        \
    ((dict->is_record != 0 <==> is_list(text, i)) &&                                                         \
     dict->scan.type_status == descr_type_status(T, i, LIST_BY, TYPE_BY) &&                                  \
     (dict->scan.type_status != SNPY_OK ==>                                                                  \
      dict->scan.type_at == descr_type_at(T, i, LIST_BY, TYPE_BY)) &&                                        \
     (SIMPLE_SOUND ==> dict->dtype.kind == simple_kind(T, i)) &&                                             \
     (SIMPLE_SOUND ==> dict->dtype.byteorder == simple_byteorder(T, i)) &&                                   \
     (SIMPLE_SOUND ==> dict->dtype.itemsize == simple_itemsize(T, i)) &&                                     \
     (SIMPLE_SOUND ==> dict->dtype.unit == simple_unit(T, i)) &&                                             \
     (SIMPLE_SOUND ==> dict->dtype.multiplier == simple_multiplier(T, i)) &&                                 \
     (dict->is_record != 0 ==> dict->scan.field_count == record_fields(T, i, LIST_BY)) &&                    \
     (dict->is_record != 0 ==> dict->scan.dim_count == record_dims(T, i, LIST_BY)) &&                        \
     (dict->is_record != 0 ==> entries_read(fields, dict->scan.field_count, field_capacity, T, i, LIST_BY,   \
                                            dict->scan.type_status)))

/* The same for the value of shape, with the dimensions in `shape`. */
#define SHAPE_SAYS(i)                                                                                        \
    (dict->shape.at == i && dict->shape.ndim == shape_ndim(T, i, SHAPE_BY) &&                                \
     dict->shape.extra_at ==                                                                                 \
      (dict->shape.ndim <= options.max_ndim ? 0 : shape_dim_at(T, i, SHAPE_BY, options.max_ndim)) &&         \
     shape_status(T, i, FLAG(list_shape), SHAPE_BY) == SNPY_OK)
#define DIMS_SAY(i)                                                                                          \
    (\forall integer k; 0 <= k < dict->shape.ndim && k < options.max_ndim ==>                                \
     shape[k] == capped(shape_dim(T, i, SHAPE_BY, k), SNPY_MAX_SIZE))

/* The same for the value of fortran_order. */
#define ORDER_SAYS(i) (dict->fortran_order != 0 <==> fortran_value(T, i, FLAG(int_fortran_order)))

/* What is known about the type once it has been read. */
#define TYPE_READ                                                                                            \
    (dict->scan.type_at <= length && (dict->is_record == 0 ==> dict->dtype.itemsize <= SNPY_MAX_ITEMSIZE) && \
     (dict->is_record != 0 ==> 1 <= dict->scan.field_count <= length && dict->scan.dim_count <= length &&    \
      (dict->scan.field_over == 0 ==> dict->scan.field_count <= field_capacity) &&                           \
      (dict->scan.dim_over == 0 ==> dict->scan.dim_count <= dim_capacity) &&                                 \
      (dict->scan.limit_over == 0 ==> dict->scan.field_count <= SNPY_MAX_FIELDS) &&                          \
      dict->scan.field_over < length && dict->scan.dim_over < length && dict->scan.limit_over < length &&    \
      entries_ok(fields, dict->scan.field_count, field_capacity, length, dict->scan.dim_count)))

/* What is known about the shape once it has been read. */
#define SHAPE_READ                                                                                           \
    (dict->shape.at < length && dict->shape.extra_at <= length &&                                            \
     (dict->shape.extra_at == 0 ==> dict->shape.ndim <= options.max_ndim))

#define READ_SO_FAR ((dict->descr_at != 0 ==> TYPE_READ) && (dict->shape_at != 0 ==> SHAPE_READ))
/* One clause for each key whose value has been read. */
#define SAID_BUT_DIMS(clause, given)                                                                         \
    clause says_descr: given && dict->descr_at != 0 ==> DESCR_SAYS(dict->descr_at);                          \
    clause says_order: given && dict->order_at != 0 ==> ORDER_SAYS(dict->order_at);                          \
    clause says_shape: given && dict->shape_at != 0 ==> SHAPE_SAYS(dict->shape_at);
#define SAID(clause, given)                                                                                  \
    SAID_BUT_DIMS(clause, given)                                                                             \
    clause says_dims: given && dict->shape_at != 0 ==> DIMS_SAY(dict->shape_at);
#define DIMS_KEPT (\forall integer k; 0 <= k < SNPY_MAX_NDIM ==> shape[k] == \at(shape[k], Pre))
#define ALWAYS (0 == 0)
#define WHOLE                                                                                                \
    ensures descr: \result == SNPY_OK ==> dict->descr_at == \old(dict_descr(T, DICT_BY)) && dict->descr_at != 0; \
    ensures order: \result == SNPY_OK ==> dict->order_at == \old(dict_order(T, DICT_BY)) && dict->order_at != 0; \
    ensures shape: \result == SNPY_OK ==> dict->shape_at == \old(dict_shape(T, DICT_BY)) && dict->shape_at != 0; \
    ensures says_descr: \result == SNPY_OK ==> DESCR_SAYS(dict->descr_at);                                   \
    ensures says_order: \result == SNPY_OK ==> ORDER_SAYS(dict->order_at);                                   \
    ensures says_shape: \result == SNPY_OK ==> SHAPE_SAYS(dict->shape_at);                                   \
    ensures says_dims: \result == SNPY_OK ==> DIMS_SAY(dict->shape_at);
#define SEEN_BEHIND                                                                                          \
    ensures descr: \result == SNPY_OK ==> dict->descr_at == \old(seen_behind(T, dict->pos, 1, dict->descr_at)); \
    ensures order: \result == SNPY_OK ==> dict->order_at == \old(seen_behind(T, dict->pos, 2, dict->order_at)); \
    ensures shape: \result == SNPY_OK ==> dict->shape_at == \old(seen_behind(T, dict->pos, 3, dict->shape_at));

#define TABLE_CELLS SNPY_SCAN_COLUMNS(fields, field_capacity), dims[0 .. dim_capacity - 1]
/* clang-format on */

/* Parses a list of fields as the value of descr, into the table and dict->scan. Fails at dict->pos.
 *                                                                                          NPY-LIT-010 … NPY-LIT-023 */
/*@ requires READING && 1 <= pos < length && text[pos] == '[';
    terminates \true;
    exits \false;
    assigns dict->pos, dict->is_record, SCAN_FIELDS(&dict->scan), TABLE_CELLS;
    ensures NPY_LIT_010: \result == \old(descr_status(T, pos, LIST_BY));
    ensures stop: dict->pos == \old(descr_stop(T, pos, LIST_BY));
    ensures says: \result == SNPY_OK ==> DESCR_SAYS(pos);
    ensures range: pos <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> pos < dict->pos;
    ensures type: \result == SNPY_OK ==> TYPE_READ;
 */
static snpy_status read_record(const uint8_t *text, size_t length, size_t pos, bool allow_long,
                               const struct snpy_text_options options, snpy_field *fields, size_t field_capacity,
                               int32_t *dims, size_t dim_capacity, struct dict *dict)
{
    snpy_status status = snpy_scan_record(text, length, pos, allow_long, options, fields, field_capacity, dims,
                                          dim_capacity, &dict->scan);
    dict->is_record = 1;
    dict->pos = (int64_t)dict->scan.stop;
    return status;
}

/* Parses a type string as the value of descr, into dict->dtype. Fails at dict->pos.    NPY-LIT-005, NPY-LIT-008, 012 */
/*@ requires text_ok(text, length) && \valid(dict) && 1 <= pos < length && \separated(text + (0 .. length-1), dict);
    terminates \true;
    exits \false;
    assigns dict->pos, dict->is_record, DTYPE_FIELDS(&dict->dtype), SCAN_FIELDS(&dict->scan);
    ensures NPY_LIT_012: \result == \old(type_string_status(T, pos));
    ensures stop: dict->pos == \old(type_string_stop(T, pos));
    ensures type_status: \result == SNPY_OK ==>
            dict->scan.type_status == \old(simple_status(T, pos, \false, TYPE_BY));
    ensures type_at: \result == SNPY_OK && dict->scan.type_status != SNPY_OK ==>
            dict->scan.type_at == \old(simple_at(T, pos, \false, TYPE_BY));
    ensures kind: \result == SNPY_OK && dict->scan.type_status == SNPY_OK ==>
            dict->dtype.kind == simple_kind(T, pos);
    ensures byteorder: \result == SNPY_OK && dict->scan.type_status == SNPY_OK ==>
            dict->dtype.byteorder == simple_byteorder(T, pos);
    ensures itemsize: \result == SNPY_OK && dict->scan.type_status == SNPY_OK ==>
            dict->dtype.itemsize == simple_itemsize(T, pos);
    ensures unit: \result == SNPY_OK && dict->scan.type_status == SNPY_OK ==>
            dict->dtype.unit == simple_unit(T, pos);
    ensures multiplier: \result == SNPY_OK && dict->scan.type_status == SNPY_OK ==>
            dict->dtype.multiplier == simple_multiplier(T, pos);
    ensures range: pos <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> pos < dict->pos;
    ensures type: \result == SNPY_OK ==> dict->is_record == 0 && dict->dtype.itemsize <= SNPY_MAX_ITEMSIZE
                  && dict->scan.type_at <= length;
 */
static snpy_status read_simple(const uint8_t *text, size_t length, size_t pos, const struct snpy_text_options options,
                               struct dict *dict)
{
    dict->is_record = 0;
    dict->scan.field_count = 0;
    dict->scan.dim_count = 0;
    dict->scan.field_over = 0;
    dict->scan.limit_over = 0;
    dict->scan.dim_over = 0;
    dict->scan.type_status = SNPY_OK;
    dict->scan.type_at = 0;
    snpy_status status = snpy_lex_simple_type(text, length, pos, false, options.compat, &dict->dtype, &dict->scan);
    dict->pos = (int64_t)dict->scan.stop;
    return status;
}

/* Parses the value of descr: a type string or a list of fields.                             NPY-LIT-012, NPY-LIT-013 */
/*@ requires READING && 1 <= pos < length;
    terminates \true;
    exits \false;
    assigns dict->pos, dict->is_record, DTYPE_FIELDS(&dict->dtype), SCAN_FIELDS(&dict->scan), TABLE_CELLS;
    ensures NPY_LIT_013: \result == \old(descr_status(T, pos, LIST_BY));
    ensures stop: dict->pos == \old(descr_stop(T, pos, LIST_BY));
    ensures says: \result == SNPY_OK ==> DESCR_SAYS(pos);
    ensures range: pos <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> pos < dict->pos;
    ensures type: \result == SNPY_OK ==> TYPE_READ;
 */
static snpy_status read_descr(const uint8_t *text, size_t length, size_t pos, bool allow_long,
                              const struct snpy_text_options options, snpy_field *fields, size_t field_capacity,
                              int32_t *dims, size_t dim_capacity, struct dict *dict)
{
    if (text[pos] == '[')
        return read_record(text, length, pos, allow_long, options, fields, field_capacity, dims, dim_capacity, dict);
    dict->pos = (int64_t)pos;
    if (text[pos] == '(') return SNPY_TOP_LEVEL_SUBARRAY;
    return read_simple(text, length, pos, options, dict);
}

/* Whether the dictionary has had a key already.                                                          NPY-HDR-002 */
/*@ requires \valid_read(dict) && SNPY_KEY_DESCR <= key <= SNPY_KEY_SHAPE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_HDR_002: \result <==> key_seen(key, SEEN);
 */
static inline bool is_seen(const struct dict *dict, unsigned key)
{
    if (key == SNPY_KEY_DESCR) return dict->descr_at != 0;
    if (key == SNPY_KEY_SHAPE) return dict->shape_at != 0;
    return dict->order_at != 0;
}

/* Stores the offset of the value of a key in `dict`. */
/*@ requires \valid(dict) && SNPY_KEY_DESCR <= key <= SNPY_KEY_SHAPE;
    terminates \true;
    exits \false;
    assigns dict->descr_at, dict->order_at, dict->shape_at;
    ensures descr: dict->descr_at == (key == SNPY_KEY_DESCR ? at : \old(dict->descr_at));
    ensures order: dict->order_at == (key == SNPY_KEY_FORTRAN_ORDER ? at : \old(dict->order_at));
    ensures shape: dict->shape_at == (key == SNPY_KEY_SHAPE ? at : \old(dict->shape_at));
 */
static inline void note_key(struct dict *dict, unsigned key, int64_t at)
{
    if (key == SNPY_KEY_DESCR) dict->descr_at = at;
    if (key == SNPY_KEY_FORTRAN_ORDER) dict->order_at = at;
    if (key == SNPY_KEY_SHAPE) dict->shape_at = at;
}

/* Reads a key, with its quotes, that must not have been read before. *key is which, *stop the offset after it. Fails at
 * dict->pos.                                                                   NPY-HDR-001, NPY-HDR-002, NPY-LIT-004 */
/*@ requires text_ok(text, length) && \valid(dict) && \valid(key) && \valid(stop);
    requires \separated(dict, key, stop) && \separated(text + (0 .. length-1), dict, key, stop);
    requires 0 <= dict->pos <= length;
    terminates \true;
    exits \false;
    assigns dict->pos, *key, *stop;
    ensures NPY_HDR_001: \result == \old(name_of_key_status(T, dict->pos, SEEN));
    ensures at: \result != SNPY_OK ==> dict->pos == \old(name_of_key_at(T, dict->pos));
    ensures which: \result == SNPY_OK ==> *key == \old(key_of(T, dict->pos));
    ensures stop: \result == SNPY_OK ==> *stop == \old(key_end(T, dict->pos));
    ensures key: \result == SNPY_OK ==> SNPY_KEY_DESCR <= *key <= SNPY_KEY_SHAPE;
    ensures range: \old(dict->pos) <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> \old(dict->pos) < *stop <= length;
 */
static inline snpy_status read_key_name(const uint8_t *text, size_t length, struct dict *dict, unsigned *key,
                                        size_t *stop)
{
    size_t pos = (size_t)dict->pos;
    size_t start = pos;
    snpy_status status = snpy_lex_quote(text, length, pos, &start);
    dict->pos = (int64_t)start;
    if (status != SNPY_OK) return status;
    //@ assert open: start == quote_stop(T, pos);
    unsigned found = snpy_lex_key(text, length, start, text[start - 1], stop);
    //@ assert found: found == key_of(T, pos);
    *key = found;
    dict->pos = (int64_t)start - 1;
    if (found == SNPY_KEY_NONE) return SNPY_UNKNOWN_KEY;
    return is_seen(dict, found) ? SNPY_DUPLICATE_KEY : SNPY_OK;
}

/* Reads the colon after a key and the blanks around it. *stop is the offset of the value, or of the byte at fault.
 *                                                                                                        NPY-LIT-009 */
/*@ requires text_ok(text, length) && pos <= length && \valid(stop) && \separated(text + (0 .. length-1), stop);
    terminates \true;
    exits \false;
    assigns *stop;
    ensures NPY_LIT_009: \result == \old(colon_status(T, pos));
    ensures stop: *stop == \old(colon_stop(T, pos));
    ensures range: pos <= *stop <= length;
    ensures forward: \result == SNPY_OK ==> *stop < length;
 */
static inline snpy_status lex_colon(const uint8_t *text, size_t length, size_t pos, size_t *stop)
{
    size_t colon = snpy_skip_blanks(text, length, pos);
    *stop = colon;
    if (colon == length) return SNPY_UNEXPECTED_END;
    if (text[colon] != ':') return SNPY_EXPECTED_COLON;
    size_t value = snpy_skip_blanks(text, length, colon + 1);
    *stop = value;
    return value == length ? SNPY_UNEXPECTED_END : SNPY_OK;
}

/* Reads a key and its colon. *key is which; dict->pos is the first byte of its value, or the byte at fault. */
/*@ requires text_ok(text, length);
    requires \valid(dict) && \valid(key);
    requires \separated(dict, key) && \separated(text + (0 .. length-1), dict, key);
    requires 0 <= dict->pos <= length;
    terminates \true;
    exits \false;
    assigns dict->pos, dict->descr_at, dict->order_at, dict->shape_at, *key;
    ensures NPY_HDR_001: \result == \old(key_status(T, dict->pos, SEEN));
    ensures stop: dict->pos == \old(key_stop(T, dict->pos, SEEN));
    ensures value: \result == SNPY_OK ==> dict->pos == \old(value_at(T, dict->pos));
    ensures which: \result == SNPY_OK ==> *key == \old(key_of(T, dict->pos));
    ensures descr: \result == SNPY_OK ==>
            dict->descr_at == (*key == SNPY_KEY_DESCR ? dict->pos : \old(dict->descr_at));
    ensures order: \result == SNPY_OK ==>
            dict->order_at == (*key == SNPY_KEY_FORTRAN_ORDER ? dict->pos : \old(dict->order_at));
    ensures shape: \result == SNPY_OK ==>
            dict->shape_at == (*key == SNPY_KEY_SHAPE ? dict->pos : \old(dict->shape_at));
    ensures range: \old(dict->pos) <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> \old(dict->pos) < dict->pos < length;
    ensures key: \result == SNPY_OK ==> SNPY_KEY_DESCR <= *key <= SNPY_KEY_SHAPE;
 */
static inline snpy_status read_key(const uint8_t *text, size_t length, struct dict *dict, unsigned *key)
{
    size_t stop = 0;
    snpy_status status = read_key_name(text, length, dict, key, &stop);
    if (status != SNPY_OK) return status;
    status = lex_colon(text, length, stop, &stop);
    dict->pos = (int64_t)stop;
    if (status == SNPY_OK) note_key(dict, *key, (int64_t)stop);
    return status;
}

/* Parses the value of shape, into dict->shape and the dimensions `shape`. Fails at dict->pos.
 *                                                                                          NPY-LIT-015 … NPY-LIT-020 */
/*@ requires text_ok(text, length);
    requires options.max_ndim <= SNPY_MAX_NDIM && \valid(dict) && 1 <= pos < length;
    requires \valid(shape + (0 .. SNPY_MAX_NDIM-1)) && \separated(shape + (0 .. SNPY_MAX_NDIM-1), dict);
    requires \separated(text + (0 .. length-1), dict, shape + (0 .. SNPY_MAX_NDIM-1));
    terminates \true;
    exits \false;
    assigns dict->pos, SHAPE_FIELDS(&dict->shape), shape[0 .. SNPY_MAX_NDIM-1];
    ensures NPY_LIT_015: \result == \old(shape_status(T, pos, FLAG(list_shape), SHAPE_BY));
    ensures stop: dict->pos == \old(shape_stop(T, pos, FLAG(list_shape), SHAPE_BY));
    ensures says: \result == SNPY_OK ==> SHAPE_SAYS(pos);
    ensures dims: \result == SNPY_OK ==> DIMS_SAY(pos);
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
                              const struct snpy_text_options options, struct dict *dict, uint64_t *shape)
{
    struct snpy_text view = {text, length, allow_long, options.compat.numpy_int};
    snpy_status status =
        snpy_parse_shape(&view, pos, options.compat.list_shape, (uint32_t)options.max_ndim, &dict->shape, shape);
    dict->pos = (int64_t)dict->shape.stop;
    return status;
}

/* Parses the value of fortran_order, into dict. Fails at dict->pos.                                      NPY-HDR-004 */
/*@ requires text_ok(text, length);
    requires \valid(dict) && pos < length;
    requires \separated(text + (0 .. length-1), dict);
    terminates \true;
    exits \false;
    assigns dict->pos, dict->fortran_order;
    ensures NPY_HDR_004: \result ==
            \old(fortran_status(T, pos, FLAG(int_fortran_order), FLAG(numpy_bool)));
    ensures stop: dict->pos ==
            \old(fortran_stop(T, pos, FLAG(int_fortran_order), FLAG(numpy_bool)));
    ensures says: \result == SNPY_OK ==> ORDER_SAYS(pos);
    ensures range: pos <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> pos < dict->pos;
 */
static snpy_status read_order(const uint8_t *text, size_t length, size_t pos, const struct snpy_text_options options,
                              struct dict *dict)
{
    bool value = false;
    size_t size =
        lex_fortran_order(text, length, pos, options.compat.int_fortran_order, options.compat.numpy_bool, &value);
    dict->fortran_order = value ? 1 : 0;
    dict->pos = (int64_t)(pos + size);
    return size > 0 ? SNPY_OK : SNPY_BAD_FORTRAN_ORDER;
}

/* clang-format off */
#define APART(x) (\forall integer k; 0 <= k < SNPY_MAX_NDIM ==> shape + k != &dict->scan.x)
/* clang-format on */

/* Ghost lemma: no dimension is a number of the scan. */
/*@ ghost
    /@ requires \separated(shape + (0 .. SNPY_MAX_NDIM - 1), dict);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures stop: APART(stop);
       ensures field_count: APART(field_count);
       ensures dim_count: APART(dim_count);
       ensures field_over: APART(field_over);
       ensures limit_over: APART(limit_over);
       ensures dim_over: APART(dim_over);
       ensures type_at: APART(type_at); @/
    static void show_apart(const struct dict *dict, const uint64_t *shape)
    {
        ;
    } */

/* Parses the value of one key and moves dict->pos after it, or to the byte at fault. */
/*@ requires READING && READING_SHAPE && 1 <= pos < length && SNPY_KEY_DESCR <= key <= SNPY_KEY_SHAPE;
    requires others: (key != SNPY_KEY_DESCR && dict->descr_at != 0 ==> TYPE_READ)
                     && (key != SNPY_KEY_SHAPE && dict->shape_at != 0 ==> SHAPE_READ);
    requires at: (key == SNPY_KEY_DESCR ==> dict->descr_at == pos)
                 && (key == SNPY_KEY_FORTRAN_ORDER ==> dict->order_at == pos)
                 && (key == SNPY_KEY_SHAPE ==> dict->shape_at == pos);
    requires says_descr: key != SNPY_KEY_DESCR && dict->descr_at != 0 ==> DESCR_SAYS(dict->descr_at);
    requires says_order: key != SNPY_KEY_FORTRAN_ORDER && dict->order_at != 0 ==> ORDER_SAYS(dict->order_at);
    requires says_shape: key != SNPY_KEY_SHAPE && dict->shape_at != 0 ==> SHAPE_SAYS(dict->shape_at);
    terminates \true;
    exits \false;
    assigns dict->pos, dict->is_record, dict->fortran_order, DTYPE_FIELDS(&dict->dtype), SCAN_FIELDS(&dict->scan),
            SHAPE_FIELDS(&dict->shape), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
    ensures status: \result == \old(value_status(T, pos, key, DICT_BY));
    ensures stop: dict->pos == \old(value_stop(T, pos, key, DICT_BY));
    SAID_BUT_DIMS(ensures, \result == SNPY_OK)
    ensures dims: \result == SNPY_OK && key == SNPY_KEY_SHAPE ==> DIMS_SAY(pos);
    ensures kept: key != SNPY_KEY_SHAPE ==> DIMS_KEPT;
    ensures kept_ndim: key != SNPY_KEY_SHAPE ==> dict->shape.ndim == \old(dict->shape.ndim);
    ensures range: pos <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> pos < dict->pos;
    ensures read: \result == SNPY_OK ==> READ_SO_FAR;
 */
static snpy_status read_value(const uint8_t *text, size_t length, size_t pos, unsigned key, bool allow_long,
                              const struct snpy_text_options options, snpy_field *fields, size_t field_capacity,
                              int32_t *dims, size_t dim_capacity, struct dict *dict, uint64_t *shape)
{
    snpy_status status;
    //@ ghost show_apart(dict, shape);
    if (key == SNPY_KEY_DESCR) {
        status = read_descr(text, length, pos, allow_long, options, fields, field_capacity, dims, dim_capacity, dict);
        //@ assert type: status == SNPY_OK ==> TYPE_READ;
        //@ assert shape: dict->shape_at != 0 ==> SHAPE_READ;
        //@ assert kept: DIMS_KEPT;
    } else if (key == SNPY_KEY_SHAPE) {
        status = read_shape(text, length, pos, allow_long, options, dict, shape);
        //@ assert type: dict->descr_at != 0 ==> TYPE_READ;
        //@ assert shape: status == SNPY_OK ==> SHAPE_READ;
    } else {
        status = read_order(text, length, pos, options, dict);
        //@ assert type: dict->descr_at != 0 ==> TYPE_READ;
        //@ assert shape: dict->shape_at != 0 ==> SHAPE_READ;
    }
    return status;
}

/* Parses one entry of the dictionary, a key and its value. */
/*@ requires READING && READING_SHAPE && 1 <= dict->pos <= length && READ_SO_FAR;
    SAID(requires, ALWAYS)
    terminates \true;
    exits \false;
    assigns DICT_FIELDS(dict), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
    ensures status: \result == \old(entry_status(T, dict->pos, SEEN, DICT_BY));
    ensures stop: dict->pos == \old(entry_stop(T, dict->pos, SEEN, DICT_BY));
    SEEN_BEHIND
    SAID(ensures, \result == SNPY_OK)
    ensures range: \old(dict->pos) <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> \old(dict->pos) < dict->pos;
    ensures read: \result == SNPY_OK ==> READ_SO_FAR;
 */
static snpy_status read_entry(const uint8_t *text, size_t length, bool allow_long,
                              const struct snpy_text_options options, snpy_field *fields, size_t field_capacity,
                              int32_t *dims, size_t dim_capacity, struct dict *dict, uint64_t *shape)
{
    unsigned key = SNPY_KEY_NONE;
    snpy_status status = read_key(text, length, dict, &key);
    if (status != SNPY_OK) return status;
    size_t pos = (size_t)dict->pos;
    //@ assert descr: dict->descr_at == \at(seen_behind(T, dict->pos, 1, dict->descr_at), Pre);
    //@ assert order: dict->order_at == \at(seen_behind(T, dict->pos, 2, dict->order_at), Pre);
    //@ assert shape: dict->shape_at == \at(seen_behind(T, dict->pos, 3, dict->shape_at), Pre);
    status = read_value(text, length, pos, key, allow_long, options, fields, field_capacity, dims, dim_capacity, dict,
                        shape);
    //@ assert dims_read: status == SNPY_OK && key == SNPY_KEY_SHAPE ==> DIMS_SAY(dict->shape_at);
    //@ assert dims_kept: key != SNPY_KEY_SHAPE && dict->shape_at != 0 ==> DIMS_SAY(dict->shape_at);
    return status;
}

/* Reads the comma after an entry, if there is one. Without a comma only the closing brace may follow: else fails at
 * dict->pos.                                                                                             NPY-LIT-010 */
/*@ requires text_ok(text, length) && \valid(dict);
    requires \separated(text + (0 .. length-1), dict);
    requires 0 <= dict->pos <= length;
    terminates \true;
    exits \false;
    assigns dict->pos;
    ensures NPY_LIT_010: \result == \old(entry_comma_status(T, dict->pos));
    ensures stop: dict->pos == \old(entry_comma_stop(T, dict->pos));
    ensures range: \old(dict->pos) <= dict->pos <= length;
 */
static snpy_status read_comma(const uint8_t *text, size_t length, struct dict *dict)
{
    size_t pos = snpy_skip_blanks(text, length, (size_t)dict->pos);
    dict->pos = (int64_t)pos;
    if (pos == length || text[pos] == '}') return SNPY_OK;
    if (text[pos] != ',') return SNPY_EXPECTED_COMMA;
    dict->pos = (int64_t)snpy_skip_blanks(text, length, pos + 1);
    return SNPY_OK;
}

/* Parses an entry and the comma after it. */
/*@ requires READING && READING_SHAPE && 1 <= dict->pos <= length && READ_SO_FAR;
    SAID(requires, ALWAYS)
    terminates \true;
    exits \false;
    assigns DICT_FIELDS(dict), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
    ensures status: \result == \old(step_status(T, dict->pos, SEEN, DICT_BY));
    ensures stop: dict->pos == \old(step_stop(T, dict->pos, SEEN, DICT_BY));
    SEEN_BEHIND
    SAID(ensures, \result == SNPY_OK)
    ensures range: \old(dict->pos) <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> \old(dict->pos) < dict->pos;
    ensures read: \result == SNPY_OK ==> READ_SO_FAR;
 */
static snpy_status read_step(const uint8_t *text, size_t length, bool allow_long,
                             const struct snpy_text_options options, snpy_field *fields, size_t field_capacity,
                             int32_t *dims, size_t dim_capacity, struct dict *dict, uint64_t *shape)
{
    snpy_status status =
        read_entry(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, dict, shape);
    if (status != SNPY_OK) return status;
    return read_comma(text, length, dict);
}

/* clang-format off */
/* The result of all entries from here on is that of the first of them and the rest. */
#define WHOLE_OF(f) \at(f(T, dict->pos, SEEN, DICT_BY), Pre)
#define AT_PRE(f) f(T, dict->pos, SEEN, DICT_BY) == WHOLE_OF(f)
#define WHAT(f) f(T, from, descr_at, order_at, shape_at, DICT_BY)
#define REST(f)                                                                                              \
    f(T, from + WHAT(step_length), seen_behind(T, from, 1, descr_at), seen_behind(T, from, 2, order_at),     \
      seen_behind(T, from, 3, shape_at), DICT_BY)
#define UNFOLDED(f, last) WHAT(f) == (WHAT(step_status) != SNPY_OK ? last : REST(f))
/* clang-format on */

/* Ghost lemmas, each with a memory of its own. */
/*@ ghost
    /@ requires !entries_end(T, from);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures unfolded: UNFOLDED(entries_status, WHAT(step_status)); @/
    static void show_status(const uint8_t *text, size_t length, int64_t from, int64_t descr_at, int64_t order_at,
                            int64_t shape_at, bool allow_long, const struct snpy_text_options options)
    {
        ;
    }

    /@ requires !entries_end(T, from);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures unfolded: UNFOLDED(entries_stop, WHAT(step_stop)); @/
    static void show_stop(const uint8_t *text, size_t length, int64_t from, int64_t descr_at, int64_t order_at,
                          int64_t shape_at, bool allow_long, const struct snpy_text_options options)
    {
        ;
    }

    /@ requires !entries_end(T, from);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures descr: UNFOLDED(entries_descr, descr_at); @/
    static void show_descr(const uint8_t *text, size_t length, int64_t from, int64_t descr_at, int64_t order_at,
                           int64_t shape_at, bool allow_long, const struct snpy_text_options options)
    {
        ;
    }

    /@ requires !entries_end(T, from);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures order: UNFOLDED(entries_order, order_at); @/
    static void show_order(const uint8_t *text, size_t length, int64_t from, int64_t descr_at, int64_t order_at,
                           int64_t shape_at, bool allow_long, const struct snpy_text_options options)
    {
        ;
    }

    /@ requires !entries_end(T, from);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures shape: UNFOLDED(entries_shape, shape_at); @/
    static void show_shape(const uint8_t *text, size_t length, int64_t from, int64_t descr_at, int64_t order_at,
                           int64_t shape_at, bool allow_long, const struct snpy_text_options options)
    {
        ;
    }

    /@ requires entries_end(T, from);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures status: WHAT(entries_status) == SNPY_OK;
       ensures stop: WHAT(entries_stop) == from;
       ensures descr: WHAT(entries_descr) == descr_at;
       ensures order: WHAT(entries_order) == order_at;
       ensures shape: WHAT(entries_shape) == shape_at; @/
    static void show_end(const uint8_t *text, size_t length, int64_t from, int64_t descr_at, int64_t order_at,
                         int64_t shape_at, bool allow_long, const struct snpy_text_options options)
    {
        ;
    } */

/* Parses an entry and the comma after it. If it is refused, that is the result of all entries from here on; otherwise
 * their result is that of the entries that follow. */
/*@ requires READING && READING_SHAPE && 1 <= dict->pos < length && text[dict->pos] != '}' && READ_SO_FAR;
    SAID(requires, ALWAYS)
    terminates \true;
    exits \false;
    assigns DICT_FIELDS(dict), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
    ensures NPY_HDR_008: \result != SNPY_OK ==> \result == WHOLE_OF(entries_status);
    ensures stop: \result != SNPY_OK ==> dict->pos == WHOLE_OF(entries_stop);
    ensures on: \result == SNPY_OK ==> AT_PRE(entries_status);
    ensures on_stop: \result == SNPY_OK ==> AT_PRE(entries_stop);
    ensures descr: \result == SNPY_OK ==> AT_PRE(entries_descr);
    ensures order: \result == SNPY_OK ==> AT_PRE(entries_order);
    ensures shape: \result == SNPY_OK ==> AT_PRE(entries_shape);
    SAID(ensures, \result == SNPY_OK)
    ensures range: \old(dict->pos) <= dict->pos <= length;
    ensures forward: \result == SNPY_OK ==> \old(dict->pos) < dict->pos;
    ensures read: \result == SNPY_OK ==> READ_SO_FAR;
 */
static snpy_status read_more(const uint8_t *text, size_t length, bool allow_long,
                             const struct snpy_text_options options, snpy_field *fields, size_t field_capacity,
                             int32_t *dims, size_t dim_capacity, struct dict *dict, uint64_t *shape)
{
    //@ ghost int64_t from = dict->pos;
    //@ ghost int64_t descr_at = dict->descr_at;
    //@ ghost int64_t order_at = dict->order_at;
    //@ ghost int64_t shape_at = dict->shape_at;
    //@ ghost show_status(text, length, from, descr_at, order_at, shape_at, allow_long, options);
    //@ ghost show_stop(text, length, from, descr_at, order_at, shape_at, allow_long, options);
    //@ ghost show_descr(text, length, from, descr_at, order_at, shape_at, allow_long, options);
    //@ ghost show_order(text, length, from, descr_at, order_at, shape_at, allow_long, options);
    //@ ghost show_shape(text, length, from, descr_at, order_at, shape_at, allow_long, options);
    snpy_status status =
        read_step(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, dict, shape);
    //@ assert next: status == SNPY_OK ==> dict->pos == from + WHAT(step_length);
    return status;
}

/* Parses all entries, up to the closing brace or the end of the text, which dict->pos then is.           NPY-LIT-010 */
/*@ requires READING && READING_SHAPE && 1 <= dict->pos <= length && READ_SO_FAR;
    SAID(requires, ALWAYS)
    terminates \true;
    exits \false;
    assigns DICT_FIELDS(dict), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
    ensures NPY_HDR_008: \result == WHOLE_OF(entries_status);
    ensures stop: dict->pos == WHOLE_OF(entries_stop);
    ensures descr: \result == SNPY_OK ==> dict->descr_at == WHOLE_OF(entries_descr);
    ensures order: \result == SNPY_OK ==> dict->order_at == WHOLE_OF(entries_order);
    ensures shape: \result == SNPY_OK ==> dict->shape_at == WHOLE_OF(entries_shape);
    SAID(ensures, \result == SNPY_OK)
    ensures range: 1 <= dict->pos <= length;
    ensures read: \result == SNPY_OK ==> READ_SO_FAR;
 */
static snpy_status read_entries(const uint8_t *text, size_t length, bool allow_long,
                                const struct snpy_text_options options, snpy_field *fields, size_t field_capacity,
                                int32_t *dims, size_t dim_capacity, struct dict *dict, uint64_t *shape)
{
    /*@ loop invariant range: 1 <= dict->pos <= length;
        loop invariant read: READ_SO_FAR;
        SAID(loop invariant, ALWAYS)
        loop invariant status: AT_PRE(entries_status);
        loop invariant stop: AT_PRE(entries_stop);
        loop invariant descr: AT_PRE(entries_descr);
        loop invariant order: AT_PRE(entries_order);
        loop invariant shape: AT_PRE(entries_shape);
        loop assigns DICT_FIELDS(dict), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
        loop variant length - dict->pos; */
    while ((size_t)dict->pos < length && text[dict->pos] != '}') {
        snpy_status status =
            read_more(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, dict, shape);
        if (status != SNPY_OK) return status;
    }
    /*@ ghost show_end(text, length, dict->pos, dict->descr_at, dict->order_at, dict->shape_at, allow_long,
                       options); */
    return SNPY_OK;
}

/* Reads the closing brace and checks that all keys are there and only blanks follow.
 *                                                                              NPY-LIT-001, NPY-LIT-003, NPY-HDR-003 */
/*@ requires text_ok(text, length) && \valid(dict);
    requires \separated(text + (0 .. length-1), dict);
    requires 0 <= dict->pos <= length;
    terminates \true;
    exits \false;
    assigns dict->pos;
    ensures NPY_LIT_003: \result == \old(end_status(T, dict->pos, SEEN));
    ensures stop: dict->pos == \old(end_stop(T, dict->pos, SEEN));
    ensures range: 0 <= dict->pos <= length;
    ensures NPY_HDR_003: \result == SNPY_OK ==> dict->descr_at != 0 && dict->order_at != 0 && dict->shape_at != 0;
 */
static snpy_status read_end(const uint8_t *text, size_t length, struct dict *dict)
{
    size_t pos = (size_t)dict->pos;
    if (pos == length) return SNPY_UNEXPECTED_END;
    if (dict->descr_at == 0 || dict->order_at == 0 || dict->shape_at == 0) return SNPY_MISSING_KEY;
    pos = snpy_is_padding(text, length, pos + 1) ? length : snpy_skip_blanks(text, length, pos + 1);
    dict->pos = (int64_t)pos;
    return pos == length ? SNPY_OK : SNPY_TRAILING_TEXT;
}

/* Parses the dictionary from the byte after its opening brace to the end of the text. */
/*@ requires READING && READING_SHAPE && 1 <= length;
    terminates \true;
    exits \false;
    assigns DICT_FIELDS(dict), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
    ensures status: \result == \old(inside_status(T, DICT_BY));
    ensures stop: dict->pos == \old(inside_stop(T, DICT_BY));
    WHOLE
    ensures range: 0 <= dict->pos <= length;
    ensures read: \result == SNPY_OK ==> TYPE_READ && SHAPE_READ;
 */
static snpy_status read_inside(const uint8_t *text, size_t length, bool allow_long,
                               const struct snpy_text_options options, snpy_field *fields, size_t field_capacity,
                               int32_t *dims, size_t dim_capacity, struct dict *dict, uint64_t *shape)
{
    size_t first = snpy_skip_blanks(text, length, 1);
    dict->pos = (int64_t)first;
    dict->descr_at = 0;
    dict->order_at = 0;
    dict->shape_at = 0;
    snpy_status status =
        read_entries(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, dict, shape);
    //@ assert entries: status == inside_entries_status(T, DICT_BY);
    //@ assert end: dict->pos == inside_entries_stop(T, DICT_BY);
    return status == SNPY_OK ? read_end(text, length, dict) : status;
}

/* Parses the whole dictionary and what follows it: the literal phase. On failure dict->pos is the byte at fault.
 *                                                                                           NPY-LIT-001, NPY-LIT-002 */
/*@ requires READING && READING_SHAPE;
    terminates \true;
    exits \false;
    assigns DICT_FIELDS(dict), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
    ensures NPY_LIT_002: \result == \old(dict_status(T, DICT_BY));
    ensures stop: dict->pos == \old(dict_stop(T, DICT_BY));
    WHOLE
    ensures range: 0 <= dict->pos <= length;
    ensures read: \result == SNPY_OK ==> TYPE_READ && SHAPE_READ;
 */
static snpy_status read_dict(const uint8_t *text, size_t length, bool allow_long,
                             const struct snpy_text_options options, snpy_field *fields, size_t field_capacity,
                             int32_t *dims, size_t dim_capacity, struct dict *dict, uint64_t *shape)
{
    dict->pos = 0;
    if (length == 0) return SNPY_UNEXPECTED_END;
    if (text[0] != '{') return SNPY_NOT_A_DICT;
    return read_inside(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, dict, shape);
}

#endif
