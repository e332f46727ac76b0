/* header.c: parses a whole header, from its prefix to its last size.                                 NPY-HDR, NPY-FRAME
 * Proves that it accepts what the specification accepts, and returns what the text says. frame.h parses the prefix,
 * dict.h the literal, sizes.h checks the phases after it; they run in the order in which errors are reported. */
#include "core/frame.h"
#include "core/sizes.h"

/* Checks the encoding of a header's text and parses it up to the end of its literal. */
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

/* clang-format off */
/* Where the entries are in the text, and that a write elsewhere leaves that. */
#define ENTRIES_FOUND entries_found(fields, count, count, text, length, start, LIST_BY, SNPY_OK)
#define ENTRIES_LEFT ensures found: \old(ENTRIES_FOUND) ==> ENTRIES_FOUND;
/* clang-format on */

/* Stores in the table how many entries and dimensions are used, or needed. What its entries say stays. */
/*@ requires \valid(table) && \separated(table, fields + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns table->field_count, table->dim_count;
    ensures counts: table->field_count == field_count && table->dim_count == dim_count;
    ENTRIES_LEFT
    NAMES_STAY
 */
static void tell_counts(snpy_table *table, size_t field_count, size_t dim_count)
/*@ ghost (const snpy_field *fields, size_t count, SAID_OF) */
{
    table->field_count = field_count;
    table->dim_count = dim_count;
    //@ assert kept: entries_kept{Pre, Here}(fields, count, count);
    //@ assert types: \at(entries_typed(fields, count, count, T), Pre) ==> entries_typed(fields, count, count, T);
    /*@ assert placed: \at(entries_placed(fields, count, count, T, start, LIST_BY), Pre) ==>
            entries_placed(fields, count, count, T, start, LIST_BY); */
    //@ assert keys: KEYS_KEPT(Pre, fields, count);
    //@ assert equal: EQUALS_KEPT(Pre, count, NAMES_BY);
}

/* clang-format off */
/* What an accepted text says about the array that is returned: `p` and `n` are the text, `d` the flags of its
 * dictionary, `s` those of its shape, `io` whether a number may be the order. */
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
/* An array has objects exactly if its type is one, or an entry of its table is, outside of padding. */
#define HAS_OBJECTS(entries, p, n, d)                                                                        \
    ensures object: \result == SNPY_OK && \old(!is_list(p, dict_descr(p, n, d))) ==>                         \
            (header->has_object != 0 <==> header->dtype.kind == SNPY_KIND_OBJECT);                           \
    ensures NPY_DTYPE_019: \result == SNPY_OK && \old(is_list(p, dict_descr(p, n, d))) ==>                   \
            (header->has_object != 0 <==> has_object_in(entries, table->field_count));
/* The entries of an accepted table are where the text has them; `l` are the flags of a list of fields. */
#define ENTRIES_SAY(entries, p, n, d, l)                                                                     \
    ensures said: \result == SNPY_OK && \old(is_list(p, dict_descr(p, n, d))) ==>                            \
            entries_found(entries, table->field_count, table->field_count, p, n, \old(dict_descr(p, n, d)), l, SNPY_OK);
/* An accepted table has no more entries, and none of them lies deeper, than the core can parse. */
#define TABLE_LIMITS(entries)                                                                                \
    ensures NPY_HDR_005: \result == SNPY_OK ==> table->field_count <= SNPY_MAX_FIELDS;                       \
    ensures depth: \result == SNPY_OK ==> depths_ok(entries, table->field_count);
/* The counts of the table are those of the text, in which `l` are the flags of a list of fields. */
#define COUNTS(p, n, d, l)                                                                                   \
    (table->field_count == \old(is_list(p, dict_descr(p, n, d)) ? record_fields(p, n, dict_descr(p, n, d), l) : 0) && \
     table->dim_count == \old(is_list(p, dict_descr(p, n, d)) ? record_dims(p, n, dict_descr(p, n, d), l) : 0))
#define GIVEN_TEXT \old(text_status(T, DICT_BY))
#define GIVEN_TYPE                                                                                           \
    \old(descr_type_status(T, dict_descr(T, DICT_BY), LIST_BY, TYPE_BY))
/* The status of an array of a simple type whose text and type are valid: how its sizes are checked. */
#define ARRAY_STATUS(p, n, d, s, most_dims, most_bytes)                                                      \
    \old(array_status(p, n, dict_shape(p, n, d), s, simple_kind(p, n, dict_descr(p, n, d)),                 \
                      simple_itemsize(p, n, dict_descr(p, n, d)), most_dims, most_bytes))
#define ARRAY_FAULT(p, n, d, s, most_dims)                                                                   \
    \old(array_fault(p, n, dict_shape(p, n, d), s, simple_itemsize(p, n, dict_descr(p, n, d)), most_dims))
#define GIVEN_SIMPLE                                                                                         \
    (GIVEN_TEXT == SNPY_OK && \old(!is_list(text, dict_descr(T, DICT_BY))) && GIVEN_TYPE == SNPY_OK)
/* clang-format on */

/* Ghost lemma: the offset of the shape is no size in the table. */
/*@ ghost
    /@ requires \separated(dict, fields + (0 .. field_capacity-1)) && \separated(dict, at) && \separated(dict, header);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures itemsize: \forall integer i; 0 <= i < field_capacity ==> &dict->shape.at != &fields[i].itemsize;
       ensures descr: \forall integer i; 0 <= i < field_capacity ==> &dict->descr_at != &fields[i].offset;
       ensures apart: \separated(&dict->shape.at, at) && \separated(&dict->shape.at, &header->count, &header->data_size); @/
    static void show_place_apart(const struct dict *dict, const uint64_t *at, const snpy_header *header,
                                 const snpy_field *fields, size_t field_capacity)
    {
        ;
    } */

/*@ // Whether a shape holds the dimensions that a text has at i. In one state is the shape, in the other the text.
    predicate shape_read{S, R}(uint64_t *shape, integer ndim, uint8_t *t, integer n, integer i, boolean l, boolean np) =
        \forall integer k; 0 <= k < ndim ==> \at(shape[k], S) == shape_length{R}(t, n, i, l, np, k); */

/*@ predicate same_shape{S, R}(uint64_t *shape) =
        \forall integer k; 0 <= k < SNPY_MAX_NDIM ==> \at(shape[k], S) == \at(shape[k], R); */

/* Parses a text: the literal, then the phases after it. *at is the byte of the text at fault. Sets the table's
 * counts. */
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
            FINALISED_COLUMNS(fields, field_capacity), table->field_count, table->dim_count;
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
    HAS_OBJECTS(fields, text, length, DICT_BY)
    ENTRIES_SAY(fields, text, length, DICT_BY, LIST_BY)
    ensures NPY_DTYPE_012: \result == SNPY_OK ==> DIFFER(table->field_count);
    TABLE_LIMITS(fields)
    ensures shape_at: \result == SNPY_OK ==> dict->shape.at == \old(dict_shape(T, DICT_BY));
    ensures descr_at: \result == SNPY_OK ==> dict->descr_at == \old(dict_descr(T, DICT_BY));
    ensures dims: \result == SNPY_OK ==>
            shape_read{Post, Pre}(&header->shape[0], header->ndim, T, dict->shape.at, SHAPE_BY);
    ensures range: *at <= length;
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> header->ndim <= SNPY_MAX_NDIM;
    ensures NPY_SHAPE_004: \result == SNPY_OK ==> header->data_size <= SNPY_MAX_SIZE && header->count <= SNPY_MAX_SIZE;
    ensures table: \result == SNPY_OK ==> table->field_count <= field_capacity && table->dim_count <= dim_capacity;
    ensures counts: GIVEN_TEXT == SNPY_OK ==> COUNTS(text, length, DICT_BY, LIST_BY);
 */
static snpy_status parse_text(const uint8_t *text, size_t length, bool allow_long,
                              const struct snpy_text_options options, uint64_t max_data_bytes, snpy_field *fields,
                              size_t field_capacity, int32_t *dims, size_t dim_capacity, struct dict *dict,
                              snpy_table *table, snpy_header *header, uint64_t *at)
{
    snpy_status status =
        read_text(text, length, allow_long, options, fields, field_capacity, dims, dim_capacity, dict, header->shape);
    if (status != SNPY_OK) {
        *at = (uint64_t)dict->pos;
        return status;
    }
    size_t field_count = dict->is_record != 0 ? (size_t)dict->scan.field_count : 0;
    size_t dim_count = dict->is_record != 0 ? (size_t)dict->scan.dim_count : 0;
    //@ assert limit: dict->shape.extra_at == 0 ==> dict->shape.ndim <= options.max_ndim;
    /*@ assert dims: dict->shape.extra_at == 0 ==> \forall integer k; 0 <= k < dict->shape.ndim ==>
                     header->shape[k] == shape_length(T, dict->shape.at, SHAPE_BY, k); */
    //@ ghost uint64_t ndim = dict->shape.ndim;
    //@ ghost uint64_t shape_at = dict->shape.at;
    //@ assert at: shape_at == \at(dict_shape(T, DICT_BY), Pre);
    /*@ assert lengths: dict->shape.extra_at == 0 ==> \forall integer k; 0 <= k < ndim ==>
                        header->shape[k] == shape_length(T, shape_at, SHAPE_BY, k); */
    //@ ghost show_place_apart(dict, at, header, fields, field_capacity);
    //@ ghost bool is_record = dict->is_record != 0;
    //@ ghost int64_t start = dict->descr_at;
    //@ assert start: start == \at(dict_descr(T, DICT_BY), Pre);
    //@ assert list: is_record != 0 <==> \at(is_list(text, dict_descr(T, DICT_BY)), Pre);
    status = finalise_header(text, length, allow_long, options.compat.numpy_int, max_data_bytes, fields, field_capacity,
                             dims, dim_capacity, dict, header, at) /*@ ghost (options) */;
    /*@ assert said: status == SNPY_OK && is_record != 0 ==>
            entries_read(fields, field_count, field_count, T, start, LIST_BY, SNPY_OK); */
    //@ assert ndim: status == SNPY_OK ==> header->ndim == ndim;
    //@ assert kept: dict->shape.at == shape_at;
    /*@ assert lengths: status == SNPY_OK ==> \forall integer k; 0 <= k < ndim ==>
                        header->shape[k] == shape_length(T, shape_at, SHAPE_BY, k); */
    //@ ghost uint64_t count = header->count;
    //@ ghost uint64_t data_size = header->data_size;
    //@ ghost uint32_t itemsize = header->dtype.itemsize;
    //@ assert size: status == SNPY_OK && header->has_object == 0 ==> data_size == count * itemsize;
    //@ ghost size_t entries = status == SNPY_OK ? field_count : 0;
    /*@ assert found: status == SNPY_OK && is_record != 0 ==>
            entries_found(fields, entries, entries, T, start, LIST_BY, SNPY_OK); */
    //@ assert differ: DIFFER(entries);
    //@ assert descr: dict->descr_at == start;
    tell_counts(table, field_count, dim_count)
        /*@ ghost (fields, entries, text, length, allow_long, options, start) */;
    //@ assert differ: DIFFER(entries);
    //@ assert descr: dict->descr_at == start;
    //@ assert numbers: header->count == count && header->data_size == data_size && header->dtype.itemsize == itemsize;
    //@ assert ndim: status == SNPY_OK ==> header->ndim == ndim;
    //@ assert kept: dict->shape.at == shape_at;
    /*@ assert lengths: status == SNPY_OK ==> \forall integer k; 0 <= k < ndim ==>
                        header->shape[k] == shape_length(T, shape_at, SHAPE_BY, k); */
    return status;
}

/* clang-format off */
/* What was read stays when a parse ends. Under 32 bits a count has the type of an offset and of a status. */
#define KEPT_BY_END                                                                                          \
    ensures shape: same_shape{Pre, Post}(&header->shape[0]);                                                 \
    ensures sizes: header->count == \old(header->count) && header->data_size == \old(header->data_size);     \
    ensures ndim: header->ndim == \old(header->ndim);                                                        \
    ensures type: header->dtype.itemsize == \old(header->dtype.itemsize)                                     \
                  && header->dtype.multiplier == \old(header->dtype.multiplier);                             \
    ensures counts: table->field_count == \old(table->field_count) && table->dim_count == \old(table->dim_count);
/* clang-format on */

/*@ predicate frame_is(snpy_header *h, integer major, integer text_offset, integer header_len) =
        h->frame.major == major && h->frame.minor == 0 && h->frame.text_offset == text_offset
        && h->frame.header_len == header_len && h->frame.data_offset == text_offset + header_len; */

/* Stores a valid frame in the header, and the status with its offset. The text has been read by then, so the proofs
 * need not show that this write leaves it alone; the table keeps its objects, its depth and what its entries say. */
/*@ requires \valid(header) && \valid(error) && \valid_read(table);
    requires \separated(header, error, table, fields + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns header->frame, error->status, error->offset;
    ensures error: error->status == status && error->offset == offset;
    ensures frame: frame_is(header, major, text_offset, header_len);
    KEPT_BY_END
    ensures objects: has_object_in(fields, count) <==> \old(has_object_in(fields, count));
    ensures depth: \old(depths_ok(fields, count)) ==> depths_ok(fields, count);
    ensures entries: entries_kept{Pre, Post}(fields, count, count);
 */
static void fill_frame(snpy_header *header, uint16_t major, uint32_t text_offset, uint32_t header_len,
                       snpy_error *error, snpy_status status, uint64_t offset)
/*@ ghost (const snpy_table *table, const snpy_field *fields, size_t count) */
{
    header->frame.major = major;
    header->frame.minor = 0;
    header->frame.text_offset = text_offset;
    header->frame.header_len = header_len;
    header->frame.data_offset = (uint64_t)text_offset + header_len;
    snpy_fail(error, status, offset);
    //@ assert kept: ENTRY_KEPT;
    //@ assert covers: COVERS_KEPT;
    //@ assert padding: OBJECT_KEPT(in_padding);
    //@ assert object: OBJECT_KEPT(is_kept_object);
}

/* Ghost lemma: no link of the table is a number of the header, a status or a count. */
/*@ ghost
    /@ requires \separated(header, fields + (0 .. count-1)) && \separated(table, fields + (0 .. count-1));
       requires \separated(error, fields + (0 .. count-1));
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures frame: \forall integer k; 0 <= k < count ==>
                      \separated(&header->frame.text_offset, &fields[k].next)
                      && \separated(&header->frame.header_len, &fields[k].next)
                      && \separated(&error->status, &fields[k].next);
       ensures type: \forall integer k; 0 <= k < count ==>
                     \separated(&header->ndim, &fields[k].next) && \separated(&header->dtype.itemsize, &fields[k].next)
                     && \separated(&header->dtype.multiplier, &fields[k].next);
       ensures counts: \forall integer k; 0 <= k < count ==>
                       \separated(&table->field_count, &fields[k].next)
                       && \separated(&table->dim_count, &fields[k].next); @/
    static void show_links_apart(const snpy_header *header, const snpy_error *error, const snpy_table *table,
                                 const snpy_field *fields, size_t count)
    {
        ;
    } */

/* Links the siblings of the table. The header, the status, the counts of the table and what its entries say stay. */
/*@ requires \valid_read(header) && \valid_read(error) && \valid_read(table) && \valid(fields + (0 .. count-1));
    requires \separated(header, fields + (0 .. count-1)) && \separated(table, fields + (0 .. count-1));
    requires \separated(error, fields + (0 .. count-1));
    requires depth: count <= SNPY_MAX_FIELDS && depths_ok(fields, count);
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].next;
    ensures linked: linked(fields, count);
    ensures frame: header->frame.text_offset == \old(header->frame.text_offset)
                   && header->frame.header_len == \old(header->frame.header_len);
    ensures error: error->status == \old(error->status);
    ensures type: header->ndim == \old(header->ndim) && header->dtype.itemsize == \old(header->dtype.itemsize)
                  && header->dtype.multiplier == \old(header->dtype.multiplier);
    ensures counts: table->field_count == \old(table->field_count) && table->dim_count == \old(table->dim_count);
    ENTRIES_LEFT
 */
static void link_entries(snpy_field *fields, size_t count)
/*@ ghost (const snpy_header *header, const snpy_error *error, const snpy_table *table, SAID_OF) */
{
    //@ ghost show_links_apart(header, error, table, fields, count);
    snpy_link_siblings(fields, count);
    /*@ assert counts: table->field_count == \at(table->field_count, Pre)
                       && table->dim_count == \at(table->dim_count, Pre); */
    //@ assert types: \at(entries_typed(fields, count, count, T), Pre) ==> entries_typed(fields, count, count, T);
    /*@ assert placed: \at(entries_placed(fields, count, count, T, start, LIST_BY), Pre) ==>
            entries_placed(fields, count, count, T, start, LIST_BY); */
}

/* Ends the parse of a text: stores the frame, and the status with its offset, and links the siblings of the `count`
 * entries of the table. What was read stays. */
/*@ requires \valid(header) && \valid(error) && \valid(fields + (0 .. count-1)) && \valid_read(table);
    requires \separated(header, error, table, fields + (0 .. count-1));
    requires depth: count <= SNPY_MAX_FIELDS && depths_ok(fields, count);
    terminates \true;
    exits \false;
    assigns header->frame, error->status, error->offset, fields[0 .. count-1].next;
    ensures error: error->status == status && error->offset == offset;
    ensures frame: frame_is(header, major, text_offset, header_len);
    KEPT_BY_END
    ensures objects: has_object_in(fields, count) <==> \old(has_object_in(fields, count));
    ensures depth: depths_ok(fields, count);
    ensures linked: linked(fields, count);
    ENTRIES_LEFT
 */
static void end_parse(snpy_header *header, uint16_t major, uint32_t text_offset, uint32_t header_len,
                      snpy_field *fields, size_t count, snpy_error *error, snpy_status status, uint64_t offset)
/*@ ghost (const snpy_table *table, SAID_OF) */
{
    fill_frame(header, major, text_offset, header_len, error, status, offset) /*@ ghost (table, fields, count) */;
    //@ assert types: \at(entries_typed(fields, count, count, T), Pre) ==> entries_typed(fields, count, count, T);
    /*@ assert placed: \at(entries_placed(fields, count, count, T, start, LIST_BY), Pre) ==>
            entries_placed(fields, count, count, T, start, LIST_BY); */
    //@ assert found: \at(ENTRIES_FOUND, Pre) ==> ENTRIES_FOUND;
    if (count > 0)
        link_entries(fields, count) /*@ ghost (header, error, table, text, length, allow_long, options, start) */;
}

/* clang-format off */
/* The text of a header whose frame is valid, and whether all of it is there. */
#define FRAME_SOUND (options_ok(options) && frame_status(bytes, length, options->max_header_bytes) == SNPY_OK)
#define WHOLE_HEADER (FRAME_SOUND && length - prefix_length(bytes) >= header_length_of(bytes))
#define TEXT_OF_HEADER bytes + prefix_length(bytes), header_length_of(bytes)
#define LONG_IN (boolean)(major_of(bytes) < 3)
#define LIST_IN(o)                                                                                           \
    LONG_IN, FLAG_OF(o, numpy_int), FLAG_OF(o, list_shape), FLAG_OF(o, int_shape), FLAG_OF(o, list_field), \
        FLAG_OF(o, metadata), (o).max_depth
#define DICT_IN(o) LIST_IN(o), FLAG_OF(o, int_fortran_order), FLAG_OF(o, numpy_bool)
#define SUFFIXES_IN(o) LONG_IN, FLAG_OF(o, numpy_int)
#define HEADER_TEXT(f, o) f(TEXT_OF_HEADER, DICT_IN(o))
#define LITERAL_IN(o) \old(HEADER_TEXT(text_status, o))
#define TYPE_IN(o)                                                                                           \
    \old(descr_type_status(TEXT_OF_HEADER, HEADER_TEXT(dict_descr, o), LIST_IN(o), TYPE_OF(o)))
#define SIMPLE_IN(o)                                                                                         \
    (LITERAL_IN(o) == SNPY_OK && \old(!is_list(bytes + prefix_length(bytes), HEADER_TEXT(dict_descr, o))) && \
     TYPE_IN(o) == SNPY_OK)

/* Where the shape is in that text. */
#define SHAPE_THERE                                                                                          \
    \at(bytes + prefix_length(bytes), Pre), \at(header_length_of(bytes), Pre),                               \
        \at(HEADER_TEXT(dict_shape, *options), Pre), \at(LONG_IN, Pre), \at(FLAG_OF(*options, numpy_int), Pre)

/* What is returned of a header all of which is there, where `whole` holds, and of a header that is accepted. */
#define PARSED(whole)                                                                                        \
    ensures result: \result == error->status;                                                                \
    ensures NPY_FRAME_006: whole ==>                                                                         \
            frame_is(header, \old(major_of(bytes)), \old(prefix_length(bytes)), \old(header_length_of(bytes)));     \
    ensures literal: whole && LITERAL_IN(*options) != SNPY_OK ==> \result == LITERAL_IN(*options);           \
    ensures literal_at: whole && LITERAL_IN(*options) != SNPY_OK ==>                                         \
            error->offset == \old(prefix_length(bytes) + HEADER_TEXT(text_stop, *options));                  \
    ensures type: whole && LITERAL_IN(*options) == SNPY_OK && TYPE_IN(*options) != SNPY_OK ==>               \
            \result == TYPE_IN(*options);                                                                    \
    ensures type_at: whole && LITERAL_IN(*options) == SNPY_OK && TYPE_IN(*options) != SNPY_OK ==>            \
            error->offset == \old(prefix_length(bytes) + descr_type_at(                                      \
                TEXT_OF_HEADER, HEADER_TEXT(dict_descr, *options), LIST_IN(*options), TYPE_OF(*options)));   \
    ensures dims: \result == SNPY_OK ==>                                                                     \
            shape_read{Post, Pre}(&header->shape[0], header->ndim, \old(bytes + prefix_length(bytes)),       \
                                  \old(header_length_of(bytes)), \old(HEADER_TEXT(dict_shape, *options)),    \
                                  \old(LONG_IN), \old(FLAG_OF(*options, numpy_int)));            \
    ensures sizes: whole && SIMPLE_IN(*options) ==>                                                          \
            \result == ARRAY_STATUS(bytes + prefix_length(bytes), header_length_of(bytes), DICT_IN(*options), \
                                    SUFFIXES_IN(*options), options->max_ndim, options->max_data_bytes);      \
    ensures sizes_at: whole && SIMPLE_IN(*options) && \result != SNPY_OK ==>                                 \
            error->offset == \old(prefix_length(bytes))                                                      \
                             + ARRAY_FAULT(bytes + prefix_length(bytes), header_length_of(bytes),            \
                                           DICT_IN(*options), SUFFIXES_IN(*options), options->max_ndim);     \
    SAYS(bytes + prefix_length(bytes), header_length_of(bytes), DICT_IN(*options), SUFFIXES_IN(*options),    \
         FLAG_OF(*options, int_fortran_order))                                                               \
    HAS_OBJECTS(table->fields, bytes + prefix_length(bytes), header_length_of(bytes), DICT_IN(*options))     \
    ENTRIES_SAY(table->fields, bytes + prefix_length(bytes), header_length_of(bytes), DICT_IN(*options),     \
                LIST_IN(\old(*options)))                                                                     \
    TABLE_LIMITS(table->fields)                                                                              \
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> header->ndim <= SNPY_MAX_NDIM;                             \
    ensures NPY_SHAPE_004: \result == SNPY_OK ==>                                                            \
            header->data_size <= SNPY_MAX_SIZE && header->count <= SNPY_MAX_SIZE;                            \
    ensures table: \result == SNPY_OK ==> table->field_count <= \old(table->field_capacity)                  \
                   && table->dim_count <= \old(table->dim_capacity);                                         \
    ensures counts: whole && LITERAL_IN(*options) == SNPY_OK ==>                                             \
            COUNTS(bytes + prefix_length(bytes), header_length_of(bytes), DICT_IN(*options), LIST_IN(*options)); \
    ensures linked: \result == SNPY_OK ==> linked(table->fields, table->field_count);

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
#define TEXT_SOUND (text_status(T, DICT_OF(*options)) == SNPY_OK)
#define TYPE_STATUS descr_type_status(T, dict_descr(T, DICT_OF(*options)), LIST_OF(*options), TYPE_OF(*options))
#define TYPE_FAULT descr_type_at(T, dict_descr(T, DICT_OF(*options)), LIST_OF(*options), TYPE_OF(*options))
#define UNDER_TEXT \old(text_status(T, DICT_OF(*options)))
#define UNDER_TYPE \old(TYPE_STATUS)
#define UNDER_SIMPLE                                                                                         \
    (UNDER_TEXT == SNPY_OK && \old(!is_list(text, dict_descr(T, DICT_OF(*options)))) && UNDER_TYPE == SNPY_OK)
/* clang-format on */

/* Does the same with options, fields and dimensions as the caller passes them. */
/*@ requires \object_pointer(text) && text_ok(text, length) && \valid_read(options);
    requires \valid(table) && \valid(header) && \valid(at) && \valid(start);
    requires depth: options->max_depth <= SNPY_MAX_DEPTH;
    requires limits: options->max_ndim <= SNPY_MAX_NDIM && options->max_fields <= SNPY_MAX_FIELDS;
    requires \valid(table->fields + (0 .. table->field_capacity-1)) && \object_pointer(table->fields);
    requires \valid(table->dims + (0 .. table->dim_capacity-1)) && \object_pointer(table->dims);
    requires \separated(text + (0 .. length-1), table, header, at, start,
                        table->fields + (0 .. table->field_capacity-1),
                        table->dims + (0 .. table->dim_capacity-1));
    terminates \true;
    exits \false;
    assigns table->field_count, table->dim_count, ENTRIES(table->fields, table->field_capacity),
            table->dims[0 .. table->dim_capacity-1], HEADER_TYPE_FIELDS, header->fortran_order, header->ndim,
            header->count, header->data_size, header->shape[0 .. SNPY_MAX_NDIM-1], *at, *start;
    ensures literal: UNDER_TEXT != SNPY_OK ==> \result == UNDER_TEXT;
    ensures literal_at: UNDER_TEXT != SNPY_OK ==> *at == \old(text_stop(T, DICT_OF(*options)));
    ensures type: UNDER_TEXT == SNPY_OK && UNDER_TYPE != SNPY_OK ==> \result == UNDER_TYPE;
    ensures type_at: UNDER_TEXT == SNPY_OK && UNDER_TYPE != SNPY_OK ==>
            *at == \old(TYPE_FAULT);
    ensures dims: \result == SNPY_OK ==>
            shape_read{Post, Pre}(&header->shape[0], header->ndim, T, \old(dict_shape(T, DICT_OF(*options))),
                                  SHAPE_OF(\old(*options)));
    ensures sizes: UNDER_SIMPLE ==>
            \result == ARRAY_STATUS(text, length, DICT_OF(*options), SHAPE_OF(*options), options->max_ndim,
                                    options->max_data_bytes);
    ensures sizes_at: UNDER_SIMPLE && \result != SNPY_OK ==>
            *at == ARRAY_FAULT(text, length, DICT_OF(*options), SHAPE_OF(*options), options->max_ndim);
    SAYS(text, length, DICT_OF(*options), SHAPE_OF(*options), FLAG_OF(*options, int_fortran_order))
    HAS_OBJECTS(table->fields, text, length, DICT_OF(*options))
    ENTRIES_SAY(table->fields, text, length, DICT_OF(*options), LIST_OF(\old(*options)))
    TABLE_LIMITS(table->fields)
    ensures start: \result == SNPY_OK ==> *start == \old(dict_descr(T, DICT_OF(*options)));
    ensures range: *at <= length;
    ensures NPY_SHAPE_001: \result == SNPY_OK ==> header->ndim <= SNPY_MAX_NDIM;
    ensures NPY_SHAPE_004: \result == SNPY_OK ==> header->data_size <= SNPY_MAX_SIZE && header->count <= SNPY_MAX_SIZE;
    ensures table: \result == SNPY_OK ==> table->field_count <= \old(table->field_capacity)
                   && table->dim_count <= \old(table->dim_capacity);
    ensures counts: UNDER_TEXT == SNPY_OK ==> COUNTS(text, length, DICT_OF(*options), LIST_OF(*options));
 */
static snpy_status parse_under(const uint8_t *text, size_t length, bool allow_long, const snpy_options *options,
                               snpy_table *table, snpy_header *header, uint64_t *at)
/*@ ghost (int64_t \ghost *start) */
{
    struct dict dict;
    const struct snpy_text_options of_text = {options->compat, (uint8_t)options->max_ndim, (uint8_t)options->max_depth,
                                              (uint32_t)options->max_fields};
    snpy_status status = parse_text(text, length, allow_long, of_text, options->max_data_bytes, table->fields,
                                    table->field_capacity, table->dims, table->dim_capacity, &dict, table, header, at);
    //@ ghost uint64_t shape_at = dict.shape.at;
    //@ assert shape_at: status == SNPY_OK ==> shape_at == \at(dict_shape(T, DICT_OF(*options)), Pre);
    /*@ assert type: \at(TEXT_SOUND && TYPE_STATUS != SNPY_OK, Pre) ==> status == \at(TYPE_STATUS, Pre); */
    /*@ assert type_at: \at(TEXT_SOUND && TYPE_STATUS != SNPY_OK, Pre) ==> *at == \at(TYPE_FAULT, Pre); */
    //@ ghost *start = dict.descr_at;
    return status;
}

/* Parses the text that follows a valid frame, and fills the frame and the error. */
/*@ requires \valid_read(bytes + (0 .. prefix_length(bytes)+header_len-1)) && \object_pointer(bytes);
    requires text: \valid_read(bytes + text_offset + (0 .. header_len-1)) && \object_pointer(bytes + text_offset);
    requires frame: text_offset == prefix_length(bytes) && header_len == header_length_of(bytes)
                    && major == major_of(bytes);
    requires \valid_read(options) && \valid(table) && \valid(header) && \valid(error);
    requires depth: options->max_depth <= SNPY_MAX_DEPTH;
    requires limits: options->max_ndim <= SNPY_MAX_NDIM && options->max_fields <= SNPY_MAX_FIELDS;
    requires \valid(table->fields + (0 .. table->field_capacity-1)) && \object_pointer(table->fields);
    requires \valid(table->dims + (0 .. table->dim_capacity-1)) && \object_pointer(table->dims);
    requires \separated(bytes + (0 .. prefix_length(bytes)+header_len-1), table, header, error,
                        table->fields + (0 .. table->field_capacity-1), table->dims + (0 .. table->dim_capacity-1));
    terminates \true;
    exits \false;
    assigns table->field_count, table->dim_count, ENTRIES(table->fields, table->field_capacity),
            table->dims[0 .. table->dim_capacity-1], HEADER_TYPE_FIELDS, header->fortran_order, header->ndim,
            header->count, header->data_size, header->shape[0 .. SNPY_MAX_NDIM-1], header->frame,
            error->status, error->offset;
    ensures range: error->offset <= text_offset + header_len;
    PARSED(\true)
 */
static snpy_status parse_framed(const uint8_t *bytes, uint16_t major, uint32_t text_offset, uint32_t header_len,
                                const snpy_options *options, snpy_table *table, snpy_header *header, snpy_error *error)
{
    //@ ghost int64_t start = 0;
    //@ ghost struct snpy_text_options of_text;
    //@ ghost of_text.compat = options->compat;
    //@ ghost of_text.max_depth = (uint8_t)options->max_depth;
    snpy_status status = parse_under(bytes + text_offset, header_len, major < 3, options, table, header, &error->offset)
        /*@ ghost (&start) */;
    size_t entries = status == SNPY_OK ? table->field_count : 0;
    uint64_t offset = status == SNPY_OK ? 0 : text_offset + error->offset;
    //@ ghost uint32_t ndim = header->ndim;
    //@ ghost uint64_t count = header->count;
    //@ ghost uint64_t data_size = header->data_size;
    //@ ghost uint32_t itemsize = header->dtype.itemsize;
    //@ assert few: status == SNPY_OK ==> ndim <= SNPY_MAX_NDIM;
    //@ assert given: status == SNPY_OK ==> shape_read{Here, Pre}(&header->shape[0], ndim, SHAPE_THERE);
    //@ assert data_size: status == SNPY_OK && header->has_object == 0 ==> data_size == count * itemsize;
    end_parse(header, major, text_offset, header_len, table->fields, entries, error, status, offset)
        /*@ ghost (table, bytes + text_offset, header_len, major < 3, of_text, start) */;
    //@ assert shape: status == SNPY_OK ==> shape_read{Here, Pre}(&header->shape[0], ndim, SHAPE_THERE);
    //@ assert sizes: header->count == count && header->data_size == data_size && header->dtype.itemsize == itemsize;
    //@ assert ndim: header->ndim == ndim;
    return status;
}

/* The contract is not in the public header, because it uses spec/logic, which is not installed. */
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
            table->dims[0 .. table->dim_capacity-1], header->frame, header->dtype.kind,
            header->dtype.byteorder, header->dtype.unit, header->dtype.itemsize, header->dtype.multiplier,
            header->has_object, header->fortran_order, header->ndim, header->count, header->data_size,
            header->shape[0 .. SNPY_MAX_NDIM-1], error->status, error->offset;
    ensures whole: \result == SNPY_OK ==> \old(WHOLE_HEADER);
    ensures data: \result == SNPY_OK ==> header->frame.data_offset <= length;
    ensures offset: error->offset <= length;
    ensures API_ARGUMENT: \old(!options_ok(options)) ==> \result == SNPY_BAD_ARGUMENT && error->offset == 0;
    ensures frame: \old(options_ok(options)) && \old(frame_status(bytes, length, options->max_header_bytes)) != SNPY_OK
            ==> \result == \old(frame_status(bytes, length, options->max_header_bytes))
                && error->offset == \old(frame_at(bytes, length, options->max_header_bytes));
    ensures truncated: \old(FRAME_SOUND) && \old(length - prefix_length(bytes) < header_length_of(bytes)) ==>
            \result == SNPY_TRUNCATED_HEADER && error->offset == length;
    PARSED(\old(WHOLE_HEADER))
 */
snpy_status snpy_parse_header(const uint8_t *bytes, size_t length, const snpy_options *options, snpy_table *table,
                              snpy_header *header, snpy_error *error)
{
    snpy_frame frame;
    snpy_status status = snpy_parse_frame(bytes, length, options, &frame, error);
    table->field_count = 0;
    table->dim_count = 0;
    //@ assert depth: options->max_depth == \at(options->max_depth, Pre);
    //@ assert ndim: options->max_ndim == \at(options->max_ndim, Pre);
    //@ assert limit: options->max_fields == \at(options->max_fields, Pre);
    //@ assert data: options->max_data_bytes == \at(options->max_data_bytes, Pre);
    //@ assert fields: table->field_capacity == \at(table->field_capacity, Pre);
    //@ assert dims: table->dim_capacity == \at(table->dim_capacity, Pre);
    if (status != SNPY_OK) return status;
    uint32_t text_offset = frame.text_offset;
    uint32_t header_len = frame.header_len;
    if (length - text_offset < header_len) return snpy_fail(error, SNPY_TRUNCATED_HEADER, length);
    //@ assert inside: text_offset + header_len <= length;
    //@ assert table: table->fields == \at(table->fields, Pre) && table->dims == \at(table->dims, Pre);
    return parse_framed(bytes, frame.major, text_offset, header_len, options, table, header, error);
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
