/* flat_columns.c: writes values of one kind as plain arrays.                                  NPY-PKL-033, HOST-MEMORY
 * flat_kinds.c finds which kind they are. */
#include "host/flat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that are collected. */
struct collected {
    uint8_t *bytes; /* owned */
    size_t length;
    size_t capacity;
};

/* What a column is made of. */
struct column {
    struct collected values;
    struct collected offsets;
    struct collected shapes;
    struct collected nones;
    snpy_dtype type;
    uint64_t ends; /* values or bytes so far */
    uint64_t count;
    uint64_t width;
    uint32_t ndim;
    bool is_unsigned;
};

/* ---- occurrences ------------------------------------------------------------------------------------------ */

/* Remembers that an occurrence is the value of an earlier one. */
static void add_same(snpy_flattening *work, int64_t occurrence, int64_t first)
{
    if (work->same_count + 2 > work->same_capacity) {
        const size_t wanted = 2 * work->same_capacity + 32;
        int64_t *grown = wanted <= SIZE_MAX / sizeof *grown ? realloc(work->same, wanted * sizeof *grown) : NULL;
        if (grown == NULL) {
            (void)snpy_flat_fail(work, SNPY_NO_MEMORY);
            return;
        }
        work->same = grown;
        work->same_capacity = wanted;
    }
    work->same[work->same_count++] = occurrence;
    work->same[work->same_count++] = first;
}

bool snpy_flat_visit(snpy_flattening *work, int32_t value)
{
    const uint32_t occurrence = work->count++;
    if (work->first[value] != 0) {
        add_same(work, occurrence, work->first[value] - 1);
        return false;
    }
    work->first[value] = occurrence + 1;
    return true;
}

void snpy_flat_visit_dtype(snpy_flattening *work, int32_t dtype)
{
    snpy_dtype type = {.kind = 0};
    (void)snpy_flat_read_type(work->data, dtype, &type);
    const uint32_t usual = snpy_flat_usual(&type);
    const uint32_t occurrence = work->count;
    const uint32_t expected = work->usual[usual]; /* of 0: none, ever */
    if (usual == 0 || work->first[dtype] != expected) {
        if (!snpy_flat_visit(work, dtype) || expected == 0) return;
        add_same(work, occurrence, SNPY_FLAT_APART);
        return;
    }
    work->count++;
    if (expected != 0) return;
    work->first[dtype] = occurrence + 1;
    work->usual[usual] = occurrence + 1;
}

void snpy_flat_visit_leaf(snpy_flattening *work, uint32_t kind, int32_t value)
{
    const bool is_array = kind == SNPY_FLAT_ARRAY || kind == SNPY_FLAT_ARRAYS || kind == SNPY_FLAT_SCALAR;
    if (snpy_object_node(work->data, value)->kind != SNPY_NODE_CALL) return;
    if (snpy_flat_visit(work, value) && is_array) snpy_flat_visit_dtype(work, snpy_flat_dtype(work->data, value));
}

/* Whether values of a kind are texts of one width. */
static bool is_wide(uint32_t kind)
{
    return kind == SNPY_FLAT_STR || kind == SNPY_FLAT_BIG || kind == SNPY_FLAT_BIG_TEXT || kind == SNPY_FLAT_FLOAT_TEXT;
}

/* ---- collecting ------------------------------------------------------------------------------------------- */

/* Makes space for bytes at the end. Returns where they are; NULL if there is no memory. */
static uint8_t *collect(snpy_flattening *work, struct collected *all, size_t size)
{
    if (all->bytes == NULL || size > all->capacity - all->length) {
        const size_t wanted = all->length <= SIZE_MAX / 2 - size - 64 ? 2 * (all->length + size) + 64 : 0;
        uint8_t *grown = wanted > 0 ? realloc(all->bytes, wanted) : NULL;
        if (grown == NULL) {
            (void)snpy_flat_fail(work, SNPY_NO_MEMORY);
            return NULL;
        }
        all->bytes = grown;
        all->capacity = wanted;
    }
    all->length += size;
    return all->bytes + all->length - size;
}

/* Adds a little-endian number. */
static void collect_number(snpy_flattening *work, struct collected *all, uint64_t number, size_t width)
{
    uint8_t *out = collect(work, all, width);
    for (size_t i = 0; i < width && out != NULL; i++) out[i] = (uint8_t)(number >> (8 * i));
}

/* Adds a float, which the pickle has with its highest byte first. */
static void collect_float(snpy_flattening *work, struct collected *all, int32_t value)
{
    const uint8_t *bytes = work->data->pickle + snpy_object_node(work->data, value)->start;
    uint8_t *out = collect(work, all, 8);
    for (size_t i = 0; i < 8 && out != NULL; i++) out[i] = bytes[7 - i];
}

/* Adds a text, and what the width needs besides. */
static void collect_text(snpy_flattening *work, struct column *column, uint32_t kind, int32_t value)
{
    const size_t length = snpy_flat_points(work, kind, value);
    for (size_t i = 0; i < column->width; i++)
        collect_number(work, &column->values,
                       i < length && work->status == SNPY_OK ? work->points[work->point_count + i] : 0, 4);
}

/* Adds the bytes of a str, of bytes, or of an array. */
static void collect_bytes(snpy_flattening *work, struct column *column, int32_t value)
{
    const uint64_t size = snpy_object_text(work->data, value, NULL, 0);
    uint8_t *out = size <= SIZE_MAX / 4 ? collect(work, &column->values, (size_t)size) : NULL;
    if (out != NULL) (void)snpy_object_text(work->data, value, out, size);
    if (size > SIZE_MAX / 4) (void)snpy_flat_fail(work, SNPY_NO_MEMORY);
}

/* Adds an array or a scalar. */
static void collect_array(snpy_flattening *work, struct column *column, int32_t value)
{
    snpy_array array;
    snpy_io_error error;
    const snpy_status status = snpy_object_array(work->data, value, &array, &error);
    if (status != SNPY_OK) (void)snpy_flat_fail(work, status == SNPY_NO_MEMORY ? status : SNPY_PKL_NOT_FLAT);
    column->type = array.header.dtype;
    column->ndim = status == SNPY_OK ? array.header.ndim : 0;
    for (uint32_t i = 0; i < column->ndim; i++) collect_number(work, &column->shapes, array.header.shape[i], 8);
    if (status == SNPY_OK) column->ends += array.header.count;
    snpy_array_release(&array);
    collect_bytes(work, column, snpy_flat_bytes(work->data, value));
    collect_number(work, &column->offsets, column->ends, 8);
}

/* Adds what stands for None: NaN, an empty text, or 0. */
static void collect_none(snpy_flattening *work, struct column *column, uint32_t kind)
{
    const uint64_t nan = UINT64_C(0x7ff8000000000000);
    if (kind >= SNPY_FLAT_DATE && kind <= SNPY_FLAT_TIMEDELTA)
        collect_number(work, &column->values, UINT64_C(1) << 63, 8);
    if (kind == SNPY_FLAT_BOOL) collect_number(work, &column->values, 0, 1);
    if (kind == SNPY_FLAT_INT) collect_number(work, &column->values, 0, 8);
    if (kind == SNPY_FLAT_FLOAT || kind == SNPY_FLAT_COMPLEX) collect_number(work, &column->values, nan, 8);
    if (kind == SNPY_FLAT_COMPLEX) collect_number(work, &column->values, nan, 8);
    if (kind == SNPY_FLAT_TEXT || kind == SNPY_FLAT_BYTES)
        collect_number(work, &column->offsets, column->values.length, 8);
    for (size_t i = 0; i < column->width && is_wide(kind); i++) collect_number(work, &column->values, 0, 4);
    column->count++;
}

/* Adds one value. */
static void collect_value(snpy_flattening *work, struct column *column, uint32_t kind, int32_t value)
{
    const snpy_object_data *data = work->data;
    const int32_t arguments = snpy_object_arguments(data, value);
    uint64_t number = 0;
    int64_t moment = 0;
    snpy_flat_kind unused;
    switch (kind) {
    case SNPY_FLAT_NONE:
        break;
    case SNPY_FLAT_BOOL:
        collect_number(work, &column->values, snpy_object_node(data, value)->kind == SNPY_NODE_TRUE, 1);
        break;
    case SNPY_FLAT_INT:
        (void)snpy_flat_number(data, value, &number);
        column->is_unsigned |= number > INT64_MAX && !snpy_flat_is_negative(data, value);
        collect_number(work, &column->values, number, 8);
        break;
    case SNPY_FLAT_FLOAT:
        collect_float(work, &column->values, value);
        break;
    case SNPY_FLAT_COMPLEX:
        collect_float(work, &column->values, snpy_object_part(data, arguments, 0));
        collect_float(work, &column->values, snpy_object_part(data, arguments, 1));
        break;
    case SNPY_FLAT_DATE:
    case SNPY_FLAT_DATETIME:
    case SNPY_FLAT_TIMEDELTA:
        (void)snpy_flat_moment(data, value, &unused, &moment);
        collect_number(work, &column->values, (uint64_t)moment, 8);
        break;
    case SNPY_FLAT_TEXT:
    case SNPY_FLAT_BYTES:
        collect_bytes(work, column, value);
        collect_number(work, &column->offsets, column->values.length, 8);
        break;
    case SNPY_FLAT_ARRAY:
    case SNPY_FLAT_SCALAR:
        collect_array(work, column, value);
        break;
    default:
        collect_text(work, column, kind, value);
        break;
    }
    column->count++;
}

/* ---- members ---------------------------------------------------------------------------------------------- */

/* Adds a member at the path, or one of its own with a word. */
static void add_member(snpy_flattening *work, const char *word, const char *descr, const snpy_flat_shape *shape,
                       const struct collected *data)
{
    const size_t length = work->path.length;
    if (word != NULL) snpy_flat_push_word(&work->path, word);
    if (work->path.status != SNPY_OK) (void)snpy_flat_fail(work, work->path.status);
    if (work->status == SNPY_OK)
        (void)snpy_flat_fail(
            work, snpy_flat_add(work->flat, snpy_flat_name(&work->path), descr, shape, data->bytes, data->length));
    snpy_flat_cut(&work->path, length);
}

/* Writes the type of a column as a header has it. */
static void describe_column(const struct column *column, uint32_t kind, char out[32])
{
    static const char *const types[] = {"",       "",         "'|b1'",     "'<i8'",     "", "",      "'<f8'", "",
                                        "'<c16'", "'<M8[D]'", "'<M8[us]'", "'<m8[us]'", "", "'|u1'", "'|u1'"};
    if (kind == SNPY_FLAT_ARRAY || kind == SNPY_FLAT_SCALAR) {
        char type[16];
        int64_t unused;
        (void)snpy_flat_type(&column->type, type, &unused, &unused, &unused);
        (void)snprintf(out, 32, "'%c%s'", column->type.byteorder, type);
    } else if (types[kind][0] == '\0') {
        (void)snprintf(out, 32, "'<U%u'", (unsigned)column->width);
    } else {
        (void)snprintf(out, 32, "%s", kind == SNPY_FLAT_INT && column->is_unsigned ? "'<u8'" : types[kind]);
    }
}

/* Writes what was collected. */
static void put_column(snpy_flattening *work, const struct column *column, uint32_t kind, bool is_single,
                       const snpy_flat_shape *shape)
{
    char descr[32];
    const snpy_flat_shape one = {1, {kind == SNPY_FLAT_ARRAY ? column->ends : column->values.length}};
    const snpy_flat_shape ends = {1, {column->count + 1}};
    const snpy_flat_shape table = {2, {column->count, column->ndim}};
    if (kind == SNPY_FLAT_NONE) return;
    describe_column(column, kind, descr);
    const snpy_flat_shape line = {1, {column->count}};
    if (column->nones.length > 0) add_member(work, "$none", "'|b1'", &line, &column->nones);
    if (snpy_flat_has_shape(kind) || is_single) {
        add_member(work, NULL, descr, snpy_flat_has_shape(kind) ? shape : &one, &column->values);
        return;
    }
    add_member(work, "values", descr, &one, &column->values);
    add_member(work, "offsets", "'<i8'", &ends, &column->offsets);
    if (kind == SNPY_FLAT_ARRAY && column->ndim > 1) add_member(work, "shapes", "'<i8'", &table, &column->shapes);
}

void snpy_flat_column(snpy_flattening *work, uint32_t of_items, const snpy_flat_items *items,
                      const snpy_flat_shape *shape)
{
    const bool is_optional = (of_items & SNPY_FLAT_OPTIONAL) != 0;
    const uint32_t kind = of_items == SNPY_FLAT_ARRAYS ? (uint32_t)SNPY_FLAT_ARRAY : of_items & ~SNPY_FLAT_OPTIONAL;
    struct column column = {.width = 1};
    snpy_object_members members = snpy_flat_begin(work->data, items);
    for (int32_t value; is_wide(kind) && (value = snpy_flat_next(work->data, items, &members)) != 0;) {
        const size_t width = snpy_flat_points(work, kind, value);
        if (width > column.width) column.width = width;
    }
    members = snpy_flat_begin(work->data, items);
    collect_number(work, &column.offsets, 0, 8);
    for (int32_t value; work->status == SNPY_OK && (value = snpy_flat_next(work->data, items, &members)) != 0;) {
        const bool is_none = is_optional && snpy_object_node(work->data, value)->kind == SNPY_NODE_NONE;
        if (is_optional) collect_number(work, &column.nones, is_none ? 1 : 0, 1);
        if (is_none)
            collect_none(work, &column, kind);
        else
            collect_value(work, &column, kind, value);
    }
    put_column(work, &column, kind, items->step == 0, shape);
    free(column.values.bytes);
    free(column.offsets.bytes);
    free(column.shapes.bytes);
    free(column.nones.bytes);
}
