/* header.c: the dictionary, and a header in which every size is settled.                    NPY-HDR, NPY-SHAPE-004
 * Proves that what it hands out is in range. Leaves tokens to literal.h, types to dtype.c and record.c,
 * sizes to layout.c and shape.c.
 *
 * One pass over the text settles the literal and the dtype; the phases behind it run in the order in which
 * errors are reported. */
#include "spec/logic/header.h"
#include "core/duplicates.h"
#include "core/frame.h"
#include "core/shape.h"

/* What the dictionary has said so far. Its own numbers are signed and 64 bits wide, as nothing else is that is
 * written while it is read: the provers keep one memory for each integer type (see record.h). */
struct dict {
    int64_t pos;      /* the next byte; on failure the byte at fault */
    int64_t descr_at; /* where the value of the key begins; 0 if the key has not been read */
    int64_t order_at;
    int64_t shape_at;
    int64_t fortran_order; /* 0 or 1 */
    bool is_record;
    struct snpy_shape shape;
    struct snpy_scan scan;
    snpy_dtype dtype; /* unless it is a record */
};

/* Whether the text at `pos` begins with "True" or "False": the number of its bytes, or 0. */
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

/* The value of fortran_order: how many bytes it takes, 0 if it is none.                              NPY-HDR-004 */
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

/* What all that read into the table need: text, options, and room that lies apart from them. */
#define READING                                                                                              \
    (text_ok(text, length) &&                                                                                \
     options.max_depth <= SNPY_MAX_DEPTH && options.max_ndim <= SNPY_MAX_NDIM &&                             \
     options.max_fields <= SNPY_MAX_FIELDS &&                                                                \
     \object_pointer(fields) && \object_pointer(dims) && \valid(fields + (0 .. field_capacity - 1)) &&       \
     \valid(dims + (0 .. dim_capacity - 1)) && \valid(dict) &&                                               \
     \separated(text + (0 .. length - 1), dict, fields + (0 .. field_capacity - 1), dims + (0 .. dim_capacity - 1)))

/* Likewise with the dimensions of the array. */
#define READING_SHAPE                                                                                        \
    (\valid(shape + (0 .. SNPY_MAX_NDIM - 1)) &&                                                             \
     \separated(shape + (0 .. SNPY_MAX_NDIM - 1), dict, fields + (0 .. field_capacity - 1),                  \
                dims + (0 .. dim_capacity - 1)) &&                                                           \
     \separated(shape + (0 .. SNPY_MAX_NDIM - 1), text + (0 .. length - 1)))

/* The options as the logic takes them. */
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

/* What the value of descr that begins at `i` says, as `dict` has it. */
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
     (dict->is_record != 0 ==> dict->scan.dim_count == record_dims(T, i, LIST_BY)))

/* Likewise the value of shape, and the dimensions in `shape`. */
#define SHAPE_SAYS(i)                                                                                        \
    (dict->shape.at == i && dict->shape.ndim == shape_ndim(T, i, SHAPE_BY) &&                                \
     dict->shape.extra_at ==                                                                                 \
      (dict->shape.ndim <= options.max_ndim ? 0 : shape_dim_at(T, i, SHAPE_BY, options.max_ndim)) &&         \
     shape_status(T, i, FLAG(list_shape), SHAPE_BY) == SNPY_OK)
#define DIMS_SAY(i)                                                                                          \
    (\forall integer k; 0 <= k < dict->shape.ndim && k < options.max_ndim ==>                                \
     shape[k] == capped(shape_dim(T, i, SHAPE_BY, k), SNPY_MAX_SIZE))

/* Likewise the value of fortran_order. */
#define ORDER_SAYS(i) (dict->fortran_order != 0 <==> fortran_value(T, i, FLAG(int_fortran_order)))

/* What is known of the type once it has been read. */
#define TYPE_READ                                                                                            \
    (dict->scan.type_at <= length && (dict->is_record == 0 ==> dict->dtype.itemsize <= SNPY_MAX_ITEMSIZE) && \
     (dict->is_record != 0 ==> 1 <= dict->scan.field_count <= length && dict->scan.dim_count <= length &&    \
      (dict->scan.field_over == 0 ==> dict->scan.field_count <= field_capacity) &&                           \
      (dict->scan.dim_over == 0 ==> dict->scan.dim_count <= dim_capacity) &&                                 \
      (dict->scan.limit_over == 0 ==> dict->scan.field_count <= SNPY_MAX_FIELDS) &&                          \
      dict->scan.field_over < length && dict->scan.dim_over < length && dict->scan.limit_over < length &&    \
      entries_ok(fields, dict->scan.field_count, field_capacity, length, dict->scan.dim_count)))

/* What is known of the shape once it has been read. */
#define SHAPE_READ                                                                                           \
    (dict->shape.at < length && dict->shape.extra_at <= length &&                                            \
     (dict->shape.extra_at == 0 ==> dict->shape.ndim <= options.max_ndim))

#define READ_SO_FAR ((dict->descr_at != 0 ==> TYPE_READ) && (dict->shape_at != 0 ==> SHAPE_READ))
/* A clause for each key whose value has been read. */
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

/* A list of fields as the value of descr.                                            NPY-LIT-010 … NPY-LIT-023 */
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
    dict->is_record = true;
    dict->pos = (int64_t)dict->scan.stop;
    return status;
}

/* A type string as the value of descr.                                               NPY-LIT-005, NPY-LIT-008, 012 */
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
    dict->is_record = false;
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

/* The value of descr.                                                                NPY-LIT-012, NPY-LIT-013 */
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

/* Whether a key was read before.                                                                   NPY-HDR-002 */
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

/* Notes where the value of a key begins. */
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

/* A key, with its quotes, that was not read before: *key is which, *stop behind it. dict->pos is the byte at fault.
 *                                                                       NPY-HDR-001, NPY-HDR-002, NPY-LIT-004 */
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

/* The colon behind a key, and the blanks around it: *stop is where the value begins, or the byte at fault.
 *                                                                                                  NPY-LIT-009 */
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

/* A key with its colon: *key is which, dict->pos the first byte of its value. NPY-HDR-001, NPY-HDR-002, NPY-LIT-009 */
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

/* The value of shape.                                                                NPY-LIT-015 … NPY-LIT-020 */
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

/* The value of fortran_order.                                                                      NPY-HDR-004 */
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

/* Shown as a ghost function, which is proved like any other: no dimension is a number of the scan. */
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

/* The value of one entry. */
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

/* One entry of the dictionary, key and value. */
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

/* Whether another entry may follow the one that was read: behind a comma.                         NPY-LIT-010 */
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

/* An entry with its comma. */
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
/* What the entries from here on say is what the first of them, and the rest behind it, say. */
#define WHOLE_OF(f) \at(f(T, dict->pos, SEEN, DICT_BY), Pre)
#define AT_PRE(f) f(T, dict->pos, SEEN, DICT_BY) == WHOLE_OF(f)
#define WHAT(f) f(T, from, descr_at, order_at, shape_at, DICT_BY)
#define REST(f)                                                                                              \
    f(T, from + WHAT(step_length), seen_behind(T, from, 1, descr_at), seen_behind(T, from, 2, order_at),     \
      seen_behind(T, from, 3, shape_at), DICT_BY)
#define UNFOLDED(f, last) WHAT(f) == (WHAT(step_status) != SNPY_OK ? last : REST(f))
/* clang-format on */

/* Shown as ghost functions, which are proved like any other, each in a room of its own. */
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

/* An entry with its comma, and what it leaves to do: what all entries from here on say is what it says itself, if it
 * is refused, and else what the entries behind it say. */
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

/* The entries, up to the closing brace or the end of the text, at which dict->pos stands.            NPY-LIT-010 */
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

/* What ends the dictionary, and what stands behind it.                   NPY-LIT-001, NPY-LIT-003, NPY-HDR-003 */
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

/* The dictionary behind its opening brace, and what stands behind it. */
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

/* The whole dictionary and what stands behind it: the literal phase.                       NPY-LIT-001, NPY-LIT-002 */
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

/* clang-format off */
#define EARLIER(a, b) ((a) == 0 || ((b) != 0 && (b) < (a)) ? (b) : (a))
/* clang-format on */

/* The smaller of two positions of which 0 means none. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures smaller: \result == EARLIER(a, b);
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
    ensures NPY_HDR_005: \old(scan->limit_over) != 0 ==>
            \result == SNPY_TOO_MANY_FIELDS && *at == \old(scan->limit_over);
    ensures API_TABLE: \old(scan->limit_over) == 0 ==>
            \result == (\old(scan->field_over) == 0 && \old(scan->dim_over) == 0 ? SNPY_OK : SNPY_TABLE_TOO_SMALL)
            && *at == EARLIER(\old(scan->field_over), \old(scan->dim_over));
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

/* Shown as a ghost function, which is proved like any other: the length of a text is no number of the table. */
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

/* The phases of a record between its table and its size: duplicates, then shapes, then sizes.
 *                                                                   NPY-DTYPE-012, NPY-SHAPE-001 … NPY-SHAPE-003 */
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
 */
static snpy_status judge_record(const struct snpy_text *text, snpy_field *fields, size_t count, const int32_t *dims,
                                size_t dim_count, size_t extra_at, size_t *at)
{
    //@ assert unfold: SNPY_ENTRIES_OK(fields, count, count, text->length, dim_count);
    snpy_mark_padding(fields, count);
    size_t start = locate_duplicate(text, fields, count);
    if (start > 0) {
        *at = start - 1;
        return SNPY_DUPLICATE_NAME;
    }
    size_t extra = earlier(extra_at, snpy_find_deep_subarray(fields, count));
    if (extra > 0) {
        *at = extra;
        return SNPY_TOO_MANY_DIMENSIONS;
    }
    //@ ghost show_length_apart(text, fields, count);
    //@ assert length: text->length == \at(text->length, Pre);
    /*@ assert read: \forall integer k; 0 <= k < count ==> fields[k].shape_offset < text->length
                     && fields[k].type_offset < text->length; */
    snpy_settle_layout(fields, count, dims, dim_count);
    //@ assert kept: text->length == \at(text->length, Pre);
    /*@ assert places: \forall integer k; 0 <= k < count ==> fields[k].shape_offset < text->length
                       && fields[k].type_offset < text->length; */
    return snpy_judge_layout(text, fields, count, at);
}

/* The element as a whole. */
/*@ requires \valid_read(dtype) && \valid(header) && \separated(dtype, header);
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

/* Shown as a ghost function, which is proved like any other: no dimension of the array is the place of a fault, or a size
 * in the table. */
/*@ ghost
    /@ requires \separated(header, at) && \separated(header, fields + (0 .. field_capacity-1));
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures at: \forall integer k; 0 <= k < SNPY_MAX_NDIM ==> \separated(&header->shape[k], at);
       ensures itemsize: \forall integer k, i; 0 <= k < SNPY_MAX_NDIM && 0 <= i < field_capacity ==>
                         &header->shape[k] != &fields[i].itemsize; @/
    static void show_shape_apart(const snpy_header *header, const size_t *at, const snpy_field *fields,
                                 size_t field_capacity)
    {
        ;
    } */

/* clang-format off */
#define SHAPE_KEPT (\forall integer k; 0 <= k < SNPY_MAX_NDIM ==> header->shape[k] == \at(header->shape[k], Pre))
/* clang-format on */

/* clang-format off */
/* The dimensions of the array as the text has them, and that they stand in `shape`. */
#define DIMENSIONS T, dict->shape.at, (boolean)allow_long, (boolean)numpy_int, dict->shape.ndim
#define SHAPE_IN(at) T, at, (boolean)allow_long, (boolean)numpy_int
#define DIMS_READ(shape, at, ndim)                                                                           \
    (\forall integer k; 0 <= k < ndim ==> shape[k] == shape_length(SHAPE_IN(at), k))
/* clang-format on */

/* The bytes of so many elements. */
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

/* The sizes of the array, from its shape and its element.                 NPY-SHAPE-004, NPY-SHAPE-005, NPY-DATA-004 */
/*@ requires SETTLING && ndim <= SNPY_MAX_NDIM && shape_at < length && header->dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    requires lengths: DIMS_READ(header->shape, shape_at, ndim);
    requires sound: shape_status(T, shape_at, \true, (boolean)allow_long, (boolean)numpy_int) == SNPY_OK;
    terminates \true;
    exits \false;
    assigns header->ndim, header->count, header->data_size, *at;
    ensures ndim: header->ndim == ndim;
    ensures NPY_DATA_004: \result == (\old(extent(&header->shape[0], ndim, at_least_one(header->dtype.itemsize)))
            > SNPY_MAX_SIZE
            ? SNPY_SIZE_OVERFLOW
            : header->data_size > max_data_bytes ? SNPY_DATA_TOO_LARGE : SNPY_OK);
    ensures NPY_SHAPE_005: \result == SNPY_OK || \result == SNPY_DATA_TOO_LARGE ==>
            header->count == \old(product(&header->shape[0], ndim));
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
static snpy_status judge_sizes(const uint8_t *text, size_t length, bool allow_long, bool numpy_int,
                               uint64_t max_data_bytes, size_t ndim, size_t shape_at, snpy_header *header, size_t *at)
{
    struct snpy_text view = {text, length, allow_long, numpy_int};
    uint32_t itemsize = header->dtype.itemsize;
    uint64_t count = 0;
    header->ndim = (uint32_t)ndim;
    if (!snpy_count_elements(header->shape, ndim, itemsize, &count)) {
        *at = snpy_locate_overflow(&view, shape_at, itemsize == 0 ? 1 : itemsize, SNPY_MAX_SIZE);
        return SNPY_SIZE_OVERFLOW;
    }
    uint64_t data_size = header->has_object ? 0 : data_bytes(count, itemsize);
    header->count = count;
    header->data_size = data_size;
    *at = length;
    //@ assert count: header->count == count && header->dtype.itemsize == itemsize;
    //@ assert object: header->has_object != 0 ==> header->data_size == 0;
    //@ assert plain: header->has_object == 0 ==> header->data_size == count * itemsize;
    return data_size > max_data_bytes ? SNPY_DATA_TOO_LARGE : SNPY_OK;
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
    ensures kept: SHAPE_KEPT;
 */
static snpy_status settle_record(const uint8_t *text, size_t length, bool allow_long, bool numpy_int,
                                 snpy_field *fields, size_t field_capacity, const int32_t *dims, size_t dim_capacity,
                                 const struct snpy_scan *scan, size_t extra_at, snpy_header *header, size_t *at)
{
    struct snpy_text view = {text, length, allow_long, numpy_int};
    size_t count = (size_t)scan->field_count;
    size_t dim_count = (size_t)scan->dim_count;
    //@ ghost show_shape_apart(header, at, fields, field_capacity);
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

/* clang-format off */
/* A sound type string goes into the header as it is. */
#define SIMPLE_GIVEN \old(dict->scan.type_status == SNPY_OK && dict->is_record == 0)
#define SIMPLE_FILLED                                                                                        \
    ensures kind: \result == SNPY_OK && SIMPLE_GIVEN ==> header->dtype.kind == \old(dict->dtype.kind);       \
    ensures byteorder: \result == SNPY_OK && SIMPLE_GIVEN ==> header->dtype.byteorder == \old(dict->dtype.byteorder); \
    ensures itemsize: \result == SNPY_OK && SIMPLE_GIVEN ==> header->dtype.itemsize == \old(dict->dtype.itemsize); \
    ensures unit: \result == SNPY_OK && SIMPLE_GIVEN ==> header->dtype.unit == \old(dict->dtype.unit);       \
    ensures multiplier: \result == SNPY_OK && SIMPLE_GIVEN ==> header->dtype.multiplier == \old(dict->dtype.multiplier); \
    ensures object: \result == SNPY_OK && SIMPLE_GIVEN ==>                                                   \
            (header->has_object != 0 <==> \old(dict->dtype.kind) == SNPY_KIND_OBJECT);
/* clang-format on */

/* The type of the array, from its record or its type string. */
/*@ requires SETTLING && SETTLING_RECORD && \valid_read(dict);
    requires \separated(dict, header, at, fields + (0 .. field_capacity-1));
    requires type: dict->scan.type_at <= length && dict->shape.extra_at <= length;
    requires simple: dict->is_record == 0 ==> dict->dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    requires record: dict->is_record != 0 ==> RECORD_READ(&dict->scan);
    terminates \true;
    exits \false;
    assigns *at, HEADER_TYPE_FIELDS, SETTLED_COLUMNS(fields, field_capacity);
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
    ensures kept: SHAPE_KEPT;
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
/*@ requires READING && READING_SHAPE && \object_pointer(text);
    terminates \true;
    exits \false;
    assigns DICT_FIELDS(dict), TABLE_CELLS, shape[0 .. SNPY_MAX_NDIM-1];
    ensures NPY_FRAME_007: \result == \old(text_status(T, DICT_BY));
    ensures stop: dict->pos == \old(text_stop(T, DICT_BY));
    WHOLE
    ensures range: 0 <= dict->pos <= length;
    ensures type: \result == SNPY_OK ==> dict->scan.type_at <= length
                  && (dict->is_record == 0 ==> dict->dtype.itemsize <= SNPY_MAX_ITEMSIZE);
    ensures record: \result == SNPY_OK && dict->is_record != 0 ==> RECORD_READ(&dict->scan);
    ensures shape: \result == SNPY_OK ==> dict->shape.at < length && dict->shape.extra_at <= length
                   && (dict->shape.extra_at == 0 ==> dict->shape.ndim <= options.max_ndim);
 */
static snpy_status read_text(const uint8_t *text, size_t length, bool allow_long,
                             const struct snpy_text_options options, snpy_field *fields, size_t field_capacity,
                             int32_t *dims, size_t dim_capacity, struct dict *dict, uint64_t *shape)
{
    if (!allow_long) {
        size_t end = snpy_utf8_check(text, length);
        dict->pos = (int64_t)end;
        if (end < length) return SNPY_BAD_UTF8;
    }
    return read_dict(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, dict, shape);
}

/* Shown as ghost functions, which are proved like any other: the sizes of the dimensions that were read are those of the
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

/* Likewise: an equal factor makes an equal product. */
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

/* The phases behind the literal; *at is the byte of the text at fault. */
/*@ requires SETTLING && SETTLING_RECORD && \valid_read(dict);
    requires \separated(dict, header, at, fields + (0 .. field_capacity-1));
    requires type: dict->scan.type_at <= length && dict->shape.extra_at <= length && dict->shape.at < length
             && (dict->shape.extra_at == 0 ==> dict->shape.ndim <= SNPY_MAX_NDIM);
    requires simple: dict->is_record == 0 ==> dict->dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    requires record: dict->is_record != 0 ==> RECORD_READ(&dict->scan);
    requires dims: dict->shape.extra_at == 0 ==> DIMS_READ(header->shape, dict->shape.at, dict->shape.ndim);
    requires sound: shape_status(T, dict->shape.at, \true, (boolean)allow_long, (boolean)numpy_int) == SNPY_OK;
    terminates \true;
    exits \false;
    assigns *at, HEADER_TYPE_FIELDS, header->fortran_order, header->ndim, header->count, header->data_size,
            SETTLED_COLUMNS(fields, field_capacity);
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
 */
static snpy_status settle(const uint8_t *text, size_t length, bool allow_long, bool numpy_int, uint64_t max_data_bytes,
                          snpy_field *fields, size_t field_capacity, const int32_t *dims, size_t dim_capacity,
                          const struct dict *dict, snpy_header *header, size_t *at)
{
    uint64_t ndim = dict->shape.ndim;
    size_t shape_at = (size_t)dict->shape.at;
    bool fortran_order = dict->fortran_order != 0;
    //@ ghost int is_record = dict->is_record;
    //@ ghost uint32_t given = dict->dtype.itemsize;
    snpy_status status =
        settle_type(text, length, allow_long, numpy_int, fields, field_capacity, dims, dim_capacity, dict, header, at);
    if (status != SNPY_OK) return status;
    header->fortran_order = fortran_order;
    //@ assert kept: SHAPE_KEPT;
    //@ assert dims: DIMS_READ(header->shape, shape_at, ndim);
    /*@ ghost show_sizes(text, length, shape_at, allow_long, numpy_int, header->shape, (size_t)ndim,
                         header->dtype.itemsize == 0 ? 1 : header->dtype.itemsize); */
    //@ ghost int has_object = header->has_object ? 1 : 0;
    /*@ assert simple: \at(dict->is_record, Pre) == 0 ==>
                       (has_object != 0 <==> \at(dict->dtype.kind, Pre) == SNPY_KIND_OBJECT)
                       && header->dtype.itemsize == \at(dict->dtype.itemsize, Pre); */
    //@ ghost uint32_t itemsize = header->dtype.itemsize;
    /*@ assert extent: \at(dict->is_record, Pre) == 0 ==> extent(&header->shape[0], ndim, at_least_one(itemsize)) ==
                       \at(shape_extent(DIMENSIONS, at_least_one(dict->dtype.itemsize)), Pre); */
    //@ assert product: product(&header->shape[0], ndim) == \at(shape_product(DIMENSIONS), Pre);
    status = judge_sizes(text, length, allow_long, numpy_int, max_data_bytes, (size_t)ndim, shape_at, header, at);
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

/* clang-format off */
/* What a text that is accepted says of the array, as it is handed out: `p` and `n` are the text, `d` the flags of its
 * dictionary, `s` those of its shape, `io` whether a number may stand for the order. */
#define SAYS(p, n, d, s, io)                                                                                 \
    ensures order: \result == SNPY_OK ==>                                                                    \
            (header->fortran_order != 0 <==> \old(fortran_value(p, n, dict_order(p, n, d), io)));            \
    ensures ndim: \result == SNPY_OK ==> header->ndim == \old(shape_ndim(p, n, dict_shape(p, n, d), s));     \
    ensures NPY_SHAPE_005: \result == SNPY_OK ==>                                                            \
            header->count == \old(shape_product(p, n, dict_shape(p, n, d), s,                                \
                                                shape_ndim(p, n, dict_shape(p, n, d), s)));                  \
    ensures object_size: \result == SNPY_OK && header->has_object != 0 ==> header->data_size == 0;           \
    ensures data_size: \result == SNPY_OK && header->has_object == 0 ==>                                     \
            header->data_size == header->count * header->dtype.itemsize;                                     \
    ensures kind: \result == SNPY_OK && \old(!is_list(p, dict_descr(p, n, d))) ==>                           \
            header->dtype.kind == \old(simple_kind(p, n, dict_descr(p, n, d)));                              \
    ensures byteorder: \result == SNPY_OK && \old(!is_list(p, dict_descr(p, n, d))) ==>                      \
            header->dtype.byteorder == \old(simple_byteorder(p, n, dict_descr(p, n, d)));                    \
    ensures itemsize: \result == SNPY_OK && \old(!is_list(p, dict_descr(p, n, d))) ==>                       \
            header->dtype.itemsize == \old(simple_itemsize(p, n, dict_descr(p, n, d)));                      \
    ensures unit: \result == SNPY_OK && \old(!is_list(p, dict_descr(p, n, d))) ==>                           \
            header->dtype.unit == \old(simple_unit(p, n, dict_descr(p, n, d)));                              \
    ensures multiplier: \result == SNPY_OK && \old(!is_list(p, dict_descr(p, n, d))) ==>                     \
            header->dtype.multiplier == \old(simple_multiplier(p, n, dict_descr(p, n, d)));
#define GIVEN_TEXT \old(text_status(T, DICT_BY))
#define GIVEN_TYPE                                                                                           \
    \old(descr_type_status(T, dict_descr(T, DICT_BY), LIST_BY, TYPE_BY))
/* Likewise of an array of a simple type whose text and type are sound: how its sizes are judged. */
#define ARRAY_STATUS(p, n, d, s, most_dims, most_bytes)                                                      \
    \old(array_status(p, n, dict_shape(p, n, d), s, simple_kind(p, n, dict_descr(p, n, d)),                 \
                      simple_itemsize(p, n, dict_descr(p, n, d)), most_dims, most_bytes))
#define ARRAY_FAULT(p, n, d, s, most_dims)                                                                   \
    \old(array_fault(p, n, dict_shape(p, n, d), s, simple_itemsize(p, n, dict_descr(p, n, d)), most_dims))
#define GIVEN_SIMPLE                                                                                         \
    (GIVEN_TEXT == SNPY_OK && \old(!is_list(text, dict_descr(T, DICT_BY))) && GIVEN_TYPE == SNPY_OK)
/* clang-format on */

/* Shown as a ghost function, which is proved like any other: the place of the shape is no size in the table. */
/*@ ghost
    /@ requires \separated(dict, fields + (0 .. field_capacity-1)) && \separated(dict, at) && \separated(dict, header);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures itemsize: \forall integer i; 0 <= i < field_capacity ==> &dict->shape.at != &fields[i].itemsize;
       ensures apart: \separated(&dict->shape.at, at) && \separated(&dict->shape.at, &header->count, &header->data_size); @/
    static void show_place_apart(const struct dict *dict, const size_t *at, const snpy_header *header,
                                 const snpy_field *fields, size_t field_capacity)
    {
        ;
    } */

/*@ // Whether a shape holds the dimensions that a text has at i. In one state is the shape, in the other the text.
    predicate shape_read{S, R}(uint64_t *shape, integer ndim, uint8_t *t, integer n, integer i, boolean l, boolean np) =
        \forall integer k; 0 <= k < ndim ==> \at(shape[k], S) == shape_length{R}(t, n, i, l, np, k); */

/*@ predicate same_shape{S, R}(uint64_t *shape) =
        \forall integer k; 0 <= k < SNPY_MAX_NDIM ==> \at(shape[k], S) == \at(shape[k], R); */

/* A text, both parts. *at is the byte of the text at fault; the table's counts are told. */
/*@ requires \object_pointer(text) && text_ok(text, length);
    requires options.max_depth <= SNPY_MAX_DEPTH && options.max_ndim <= SNPY_MAX_NDIM
             && options.max_fields <= SNPY_MAX_FIELDS;
    requires \object_pointer(fields) && \object_pointer(dims) && \valid(fields + (0 .. field_capacity - 1));
    requires \valid(dims + (0 .. dim_capacity - 1)) && \valid(header) && \valid(at) && \valid(dict) && \valid(table);
    requires \separated(text + (0 .. length - 1), header, at, dict, fields + (0 .. field_capacity - 1),
                        dims + (0 .. dim_capacity - 1));
    requires \separated(table, header, at, dict, fields + (0 .. field_capacity - 1), dims + (0 .. dim_capacity - 1));
    terminates \true;
    exits \false;
    assigns *at, DICT_FIELDS(dict), HEADER_TYPE_FIELDS, header->fortran_order, header->ndim, header->count,
            header->data_size, header->shape[0 .. SNPY_MAX_NDIM-1], TABLE_CELLS,
            SETTLED_COLUMNS(fields, field_capacity), table->field_count, table->dim_count;
    ensures literal: GIVEN_TEXT != SNPY_OK ==> \result == GIVEN_TEXT;
    ensures literal_at: GIVEN_TEXT != SNPY_OK ==> *at == \old(text_stop(T, DICT_BY));
    ensures type: GIVEN_TEXT == SNPY_OK && GIVEN_TYPE != SNPY_OK ==> \result == GIVEN_TYPE;
    ensures type_at: GIVEN_TEXT == SNPY_OK && GIVEN_TYPE != SNPY_OK ==>
            *at == \old(descr_type_at(T, dict_descr(T, DICT_BY), LIST_BY, TYPE_BY));
    ensures sizes: GIVEN_SIMPLE ==>
            \result == ARRAY_STATUS(text, length, DICT_BY, SHAPE_BY, options.max_ndim, max_data_bytes);
    ensures sizes_at: GIVEN_SIMPLE && \result != SNPY_OK ==>
            *at == ARRAY_FAULT(text, length, DICT_BY, SHAPE_BY, options.max_ndim);
    SAYS(text, length, DICT_BY, SHAPE_BY, FLAG(int_fortran_order))
    ensures shape_at: \result == SNPY_OK ==> dict->shape.at == \old(dict_shape(T, DICT_BY));
    ensures dims: \result == SNPY_OK ==>
            shape_read{Post, Pre}(&header->shape[0], header->ndim, T, dict->shape.at, SHAPE_BY);
    ensures range: *at <= length;
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> header->ndim <= SNPY_MAX_NDIM;
    ensures NPY_SHAPE_004: \result == SNPY_OK ==> header->data_size <= SNPY_MAX_SIZE && header->count <= SNPY_MAX_SIZE;
    ensures table: \result == SNPY_OK ==> table->field_count <= field_capacity && table->dim_count <= dim_capacity;
 */
static snpy_status parse_text(const uint8_t *text, size_t length, bool allow_long,
                              const struct snpy_text_options options, uint64_t max_data_bytes, snpy_field *fields,
                              size_t field_capacity, int32_t *dims, size_t dim_capacity, struct dict *dict,
                              snpy_table *table, snpy_header *header, size_t *at)
{
    snpy_status status =
        read_text(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, dict, header->shape);
    if (status != SNPY_OK) {
        *at = (size_t)dict->pos;
        return status;
    }
    size_t field_count = dict->is_record ? (size_t)dict->scan.field_count : 0;
    size_t dim_count = dict->is_record ? (size_t)dict->scan.dim_count : 0;
    //@ assert limit: dict->shape.extra_at == 0 ==> dict->shape.ndim <= options.max_ndim;
    /*@ assert dims: dict->shape.extra_at == 0 ==> \forall integer k; 0 <= k < dict->shape.ndim ==>
                     header->shape[k] == shape_length(T, dict->shape.at, SHAPE_BY, k); */
    //@ ghost uint64_t ndim = dict->shape.ndim;
    //@ ghost uint64_t shape_at = dict->shape.at;
    //@ assert at: shape_at == \at(dict_shape(T, DICT_BY), Pre);
    /*@ assert lengths: dict->shape.extra_at == 0 ==> \forall integer k; 0 <= k < ndim ==>
                        header->shape[k] == shape_length(T, shape_at, SHAPE_BY, k); */
    //@ ghost show_place_apart(dict, at, header, fields, field_capacity);
    status = settle(text, length, allow_long, options.compat.numpy_int, max_data_bytes, fields, field_capacity, dims,
                    dim_capacity, dict, header, at);
    //@ assert ndim: status == SNPY_OK ==> header->ndim == ndim;
    //@ assert kept: dict->shape.at == shape_at;
    /*@ assert lengths: status == SNPY_OK ==> \forall integer k; 0 <= k < ndim ==>
                        header->shape[k] == shape_length(T, shape_at, SHAPE_BY, k); */
    //@ ghost uint64_t count = header->count;
    //@ ghost uint64_t data_size = header->data_size;
    //@ ghost uint32_t itemsize = header->dtype.itemsize;
    //@ assert size: status == SNPY_OK && header->has_object == 0 ==> data_size == count * itemsize;
    tell_counts(table, field_count, dim_count);
    //@ assert numbers: header->count == count && header->data_size == data_size && header->dtype.itemsize == itemsize;
    //@ assert ndim: status == SNPY_OK ==> header->ndim == ndim;
    //@ assert kept: dict->shape.at == shape_at;
    /*@ assert lengths: status == SNPY_OK ==> \forall integer k; 0 <= k < ndim ==>
                        header->shape[k] == shape_length(T, shape_at, SHAPE_BY, k); */
    return status;
}

/* Writes what a sound frame says. The text has been read by then: of what lies before a write, the proofs need not show
 * that it is still there. */
/*@ requires \valid(header);
    terminates \true;
    exits \false;
    assigns header->frame.major, header->frame.minor, header->frame.text_offset, header->frame.header_len,
            header->frame.data_offset;
    ensures data: header->frame.data_offset == text_offset + header_len;
    ensures kept: same_shape{Pre, Post}(&header->shape[0]);
    ensures numbers: header->frame.major == major && header->frame.minor == 0
                     && header->frame.text_offset == text_offset && header->frame.header_len == header_len;
 */
static void fill_frame(snpy_header *header, uint16_t major, uint32_t text_offset, uint32_t header_len)
{
    header->frame.major = major;
    header->frame.minor = 0;
    header->frame.text_offset = text_offset;
    header->frame.header_len = header_len;
    header->frame.data_offset = (uint64_t)text_offset + header_len;
}

/* clang-format off */
/* The text of a header whose frame is sound, and whether it is there as a whole. */
#define FRAME_SOUND (options_ok(options) && frame_status(bytes, length, options->max_header_bytes) == SNPY_OK)
#define WHOLE_HEADER (FRAME_SOUND && length - prefix_length(bytes) >= header_length_of(bytes))
#define TEXT_OF_HEADER bytes + prefix_length(bytes), header_length_of(bytes)
#define LIST_IN(o)                                                                                           \
    long_allowed(bytes), FLAG_OF(o, numpy_int), FLAG_OF(o, list_shape), FLAG_OF(o, int_shape), FLAG_OF(o, list_field), \
        FLAG_OF(o, metadata), (o).max_depth
#define DICT_IN(o) LIST_IN(o), FLAG_OF(o, int_fortran_order), FLAG_OF(o, numpy_bool)
#define SUFFIXES_IN(o) long_allowed(bytes), FLAG_OF(o, numpy_int)
#define HEADER_TEXT(f, o) f(TEXT_OF_HEADER, DICT_IN(o))
#define DIMS_OF_HEADER                                                                                       \
    shape_read{Here, Pre}(&header->shape[0], ndim, bytes + \at(prefix_length(bytes), Pre),                  \
                          \at(header_length_of(bytes), Pre), \at(HEADER_TEXT(dict_shape, *options), Pre),  \
                          \at(long_allowed(bytes), Pre), \at(FLAG_OF(*options, numpy_int), Pre))

/* The members of the first n entries of a table, one by one. */
#define ENTRIES(t, n)                                                                                        \
    t[0 .. n - 1].name_offset, t[0 .. n - 1].name_length, t[0 .. n - 1].title_offset,                        \
        t[0 .. n - 1].title_length, t[0 .. n - 1].type_offset, t[0 .. n - 1].shape_offset,                   \
        t[0 .. n - 1].parent, t[0 .. n - 1].next, t[0 .. n - 1].first_dim, t[0 .. n - 1].ndim,               \
        t[0 .. n - 1].depth, t[0 .. n - 1].dtype.kind, t[0 .. n - 1].dtype.byteorder,                        \
        t[0 .. n - 1].dtype.unit, t[0 .. n - 1].dtype.itemsize, t[0 .. n - 1].dtype.multiplier,              \
        t[0 .. n - 1].has_name, t[0 .. n - 1].has_title, t[0 .. n - 1].is_padding, t[0 .. n - 1].itemsize,   \
        t[0 .. n - 1].offset, t[0 .. n - 1].sort_low_, t[0 .. n - 1].sort_high_
/* clang-format on */

/* clang-format off */
#define LITERAL_IN(o) \old(HEADER_TEXT(text_status, o))
#define TYPE_IN(o)                                                                                           \
    \old(descr_type_status(TEXT_OF_HEADER, HEADER_TEXT(dict_descr, o), LIST_IN(o), TYPE_OF(o)))
#define UNDER_TEXT \old(text_status(T, DICT_OF(*options)))
#define UNDER_TYPE                                                                                           \
    \old(descr_type_status(T, dict_descr(T, DICT_OF(*options)), LIST_OF(*options), TYPE_OF(*options)))
#define UNDER_SIMPLE                                                                                         \
    (UNDER_TEXT == SNPY_OK && \old(!is_list(text, dict_descr(T, DICT_OF(*options)))) && UNDER_TYPE == SNPY_OK)
#define SIMPLE_IN(o)                                                                                         \
    (LITERAL_IN(o) == SNPY_OK && \old(!is_list(bytes + prefix_length(bytes), HEADER_TEXT(dict_descr, o))) && \
     TYPE_IN(o) == SNPY_OK)
/* clang-format on */

/* Likewise with options, fields and dimensions where the caller has them. */
/*@ requires \object_pointer(text) && text_ok(text, length) && \valid_read(options);
    requires \valid(table) && \valid(header) && \valid(at);
    requires depth: options->max_depth <= SNPY_MAX_DEPTH;
    requires limits: options->max_ndim <= SNPY_MAX_NDIM && options->max_fields <= SNPY_MAX_FIELDS;
    requires \valid(table->fields + (0 .. table->field_capacity-1)) && \object_pointer(table->fields);
    requires \valid(table->dims + (0 .. table->dim_capacity-1)) && \object_pointer(table->dims);
    requires \separated(text + (0 .. length-1), table, header, at, table->fields + (0 .. table->field_capacity-1),
                        table->dims + (0 .. table->dim_capacity-1));
    terminates \true;
    exits \false;
    assigns table->field_count, table->dim_count, ENTRIES(table->fields, table->field_capacity),
            table->dims[0 .. table->dim_capacity-1], HEADER_TYPE_FIELDS, header->fortran_order, header->ndim,
            header->count, header->data_size, header->shape[0 .. SNPY_MAX_NDIM-1], *at;
    ensures literal: UNDER_TEXT != SNPY_OK ==> \result == UNDER_TEXT;
    ensures literal_at: UNDER_TEXT != SNPY_OK ==> *at == \old(text_stop(T, DICT_OF(*options)));
    ensures type: UNDER_TEXT == SNPY_OK && UNDER_TYPE != SNPY_OK ==> \result == UNDER_TYPE;
    ensures type_at: UNDER_TEXT == SNPY_OK && UNDER_TYPE != SNPY_OK ==>
            *at == \old(descr_type_at(T, dict_descr(T, DICT_OF(*options)), LIST_OF(*options), TYPE_OF(*options)));
    ensures dims: \result == SNPY_OK ==>
            shape_read{Post, Pre}(&header->shape[0], header->ndim, T, \old(dict_shape(T, DICT_OF(*options))),
                                  SHAPE_OF(\old(*options)));
    ensures sizes: UNDER_SIMPLE ==>
            \result == ARRAY_STATUS(text, length, DICT_OF(*options), SHAPE_OF(*options), options->max_ndim,
                                    options->max_data_bytes);
    ensures sizes_at: UNDER_SIMPLE && \result != SNPY_OK ==>
            *at == ARRAY_FAULT(text, length, DICT_OF(*options), SHAPE_OF(*options), options->max_ndim);
    SAYS(text, length, DICT_OF(*options), SHAPE_OF(*options), FLAG_OF(*options, int_fortran_order))
    ensures range: *at <= length;
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> header->ndim <= SNPY_MAX_NDIM;
    ensures NPY_SHAPE_004: \result == SNPY_OK ==> header->data_size <= SNPY_MAX_SIZE && header->count <= SNPY_MAX_SIZE;
    ensures table: \result == SNPY_OK ==> table->field_count <= \old(table->field_capacity)
                   && table->dim_count <= \old(table->dim_capacity);
 */
static snpy_status parse_under(const uint8_t *text, size_t length, bool allow_long, const snpy_options *options,
                               snpy_table *table, snpy_header *header, size_t *at)
{
    struct dict dict;
    const struct snpy_text_options of_text = {options->compat, (uint8_t)options->max_ndim, (uint8_t)options->max_depth,
                                              (uint32_t)options->max_fields};
    snpy_status status = parse_text(text, length, allow_long, of_text, options->max_data_bytes, table->fields,
                                    table->field_capacity, table->dims, table->dim_capacity, &dict, table, header, at);
    //@ ghost uint64_t shape_at = dict.shape.at;
    //@ assert shape_at: status == SNPY_OK ==> shape_at == \at(dict_shape(T, DICT_OF(*options)), Pre);
    return status;
}

/* Shown as a ghost function, which is proved like any other: no dimension is the place where an error is told. */
/*@ ghost
    /@ requires \separated(header, error);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures apart: \forall integer k; 0 <= k < SNPY_MAX_NDIM ==> &header->shape[k] != &error->offset; @/
    static void show_error_apart(const snpy_header *header, const snpy_error *error)
    {
        ;
    } */

/* The contract stands here and not in the public header because it speaks in terms of spec/logic, which users do not
 * have. */
/*@ requires \valid_read(bytes + (0 .. length-1));
    requires \valid_read(options) && \valid(table) && \valid(header) && \valid(error);
    requires \valid(table->fields + (0 .. table->field_capacity-1));
    requires \valid(table->dims + (0 .. table->dim_capacity-1));
    requires \object_pointer(table->fields) && \object_pointer(table->dims) && \object_pointer(bytes);
    requires \separated(bytes + (0 .. length-1), table, header, error,
                        table->fields + (0 .. table->field_capacity-1),
                        table->dims + (0 .. table->dim_capacity-1));
    requires \separated(options, table, header, error, table->fields + (0 .. table->field_capacity-1),
                        table->dims + (0 .. table->dim_capacity-1));
    terminates \true;
    exits \false;
    assigns table->field_count, table->dim_count, ENTRIES(table->fields, table->field_capacity),
            table->dims[0 .. table->dim_capacity-1], header->frame.major, header->frame.minor,
            header->frame.text_offset, header->frame.header_len, header->frame.data_offset, header->dtype.kind,
            header->dtype.byteorder, header->dtype.unit, header->dtype.itemsize, header->dtype.multiplier,
            header->has_object, header->fortran_order, header->ndim, header->count, header->data_size,
            header->shape[0 .. SNPY_MAX_NDIM-1], error->status, error->offset;
    ensures result: \result == error->status;
    ensures NPY_FRAME_006: \result == SNPY_OK ==> header->frame.data_offset <= length;
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> header->ndim <= SNPY_MAX_NDIM;
    ensures NPY_SHAPE_004: \result == SNPY_OK ==> header->data_size <= SNPY_MAX_SIZE && header->count <= SNPY_MAX_SIZE;
    ensures table: \result == SNPY_OK ==> table->field_count <= \old(table->field_capacity)
                   && table->dim_count <= \old(table->dim_capacity);
    ensures offset: error->offset <= length;
    ensures API_ARGUMENT: \old(!options_ok(options)) ==> \result == SNPY_BAD_ARGUMENT && error->offset == 0;
    ensures frame: \old(options_ok(options)) && \old(frame_status(bytes, length, options->max_header_bytes)) != SNPY_OK
            ==> \result == \old(frame_status(bytes, length, options->max_header_bytes))
                && error->offset == \old(frame_at(bytes, length, options->max_header_bytes));
    ensures truncated: \old(FRAME_SOUND) && \old(length - prefix_length(bytes) < header_length_of(bytes)) ==>
            \result == SNPY_TRUNCATED_HEADER && error->offset == length;
    ensures literal: \old(WHOLE_HEADER) && LITERAL_IN(*options) != SNPY_OK ==> \result == LITERAL_IN(*options);
    ensures literal_at: \old(WHOLE_HEADER) && LITERAL_IN(*options) != SNPY_OK ==>
            error->offset == \old(prefix_length(bytes) + HEADER_TEXT(text_stop, *options));
    ensures type: \old(WHOLE_HEADER) && LITERAL_IN(*options) == SNPY_OK && TYPE_IN(*options) != SNPY_OK ==>
            \result == TYPE_IN(*options);
    ensures type_at: \old(WHOLE_HEADER) && LITERAL_IN(*options) == SNPY_OK && TYPE_IN(*options) != SNPY_OK ==>
            error->offset == \old(prefix_length(bytes) + descr_type_at(TEXT_OF_HEADER, HEADER_TEXT(dict_descr, *options),
                                                                       LIST_IN(*options), TYPE_OF(*options)));
    ensures dims: \result == SNPY_OK ==>
            shape_read{Post, Pre}(&header->shape[0], header->ndim, \old(bytes + prefix_length(bytes)),
                                  \old(header_length_of(bytes)), \old(HEADER_TEXT(dict_shape, *options)),
                                  \old(long_allowed(bytes)), \old(FLAG_OF(*options, numpy_int)));
    ensures sizes: \old(WHOLE_HEADER) && SIMPLE_IN(*options) ==>
            \result == ARRAY_STATUS(bytes + prefix_length(bytes), header_length_of(bytes), DICT_IN(*options),
                                    SUFFIXES_IN(*options), options->max_ndim, options->max_data_bytes);
    ensures sizes_at: \old(WHOLE_HEADER) && SIMPLE_IN(*options) && \result != SNPY_OK ==>
            error->offset == \old(prefix_length(bytes))
                             + ARRAY_FAULT(bytes + prefix_length(bytes), header_length_of(bytes), DICT_IN(*options),
                                           SUFFIXES_IN(*options), options->max_ndim);
    SAYS(bytes + prefix_length(bytes), header_length_of(bytes), DICT_IN(*options), SUFFIXES_IN(*options),
         FLAG_OF(*options, int_fortran_order))
 */
snpy_status snpy_parse_header(const uint8_t *bytes, size_t length, const snpy_options *options, snpy_table *table,
                              snpy_header *header, snpy_error *error)
{
    snpy_frame frame;
    size_t at = 0;
    snpy_status status = snpy_parse_frame(bytes, length, options, &frame, error);
    tell_counts(table, 0, 0);
    //@ assert depth: options->max_depth == \at(options->max_depth, Pre);
    //@ assert ndim: options->max_ndim == \at(options->max_ndim, Pre);
    //@ assert limit: options->max_fields == \at(options->max_fields, Pre);
    //@ assert data: options->max_data_bytes == \at(options->max_data_bytes, Pre);
    //@ assert fields: table->field_capacity == \at(table->field_capacity, Pre);
    //@ assert dims: table->dim_capacity == \at(table->dim_capacity, Pre);
    if (status != SNPY_OK) return status;
    uint16_t major = frame.major;
    uint32_t text_offset = frame.text_offset;
    uint32_t header_len = frame.header_len;
    if (length - text_offset < header_len) return snpy_fail(error, SNPY_TRUNCATED_HEADER, length);
    //@ assert inside: text_offset + header_len <= length;
    //@ assert table: table->fields == \at(table->fields, Pre) && table->dims == \at(table->dims, Pre);
    //@ assert apart: \separated(bytes + text_offset + (0 .. header_len-1), table, header, &at);
    //@ assert fields: \separated(bytes + text_offset + (0 .. header_len-1), table->fields + (0 .. table->field_capacity-1));
    //@ assert dims: \separated(bytes + text_offset + (0 .. header_len-1), table->dims + (0 .. table->dim_capacity-1));
    status = parse_under(bytes + text_offset, header_len, major < 3, options, table, header, &at);
    //@ ghost uint64_t count = header->count;
    //@ ghost uint64_t data_size = header->data_size;
    //@ ghost uint32_t ndim = header->ndim;
    //@ ghost uint32_t itemsize = header->dtype.itemsize;
    //@ ghost uint32_t multiplier = header->dtype.multiplier;
    //@ assert data_size: status == SNPY_OK && header->has_object == 0 ==> data_size == count * itemsize;
    //@ assert dims: status == SNPY_OK ==> DIMS_OF_HEADER;
    //@ ghost Read: ;
    fill_frame(header, major, text_offset, header_len);
    //@ assert same: same_shape{Read, Here}(&header->shape[0]);
    //@ ghost show_error_apart(header, error);
    snpy_fail(error, status, status == SNPY_OK ? 0 : (uint64_t)text_offset + at);
    //@ assert same: same_shape{Read, Here}(&header->shape[0]);
    //@ assert dims: status == SNPY_OK ==> DIMS_OF_HEADER;
    //@ assert sizes: header->count == count && header->data_size == data_size;
    //@ assert numbers: header->ndim == ndim && header->dtype.itemsize == itemsize && header->dtype.multiplier == multiplier;
    return status;
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
