/* flat_source.c: reads the columns of a flat archive, and writes their items to the draft of a pickle.        NPY-PKL-035
 * Every size is checked before an item is read. */
#include "host/flat_return.h"

#include <string.h>

bool snpy_return_open(snpy_returning *back, const char *word, snpy_array *array)
{
    const size_t length = back->path.length;
    snpy_array_clear(array);
    if (word != NULL) snpy_flat_push_word(&back->path, word);
    if (back->path.status != SNPY_OK)
        (void)snpy_return_fail(back, back->path.status == SNPY_NO_MEMORY ? SNPY_NO_MEMORY : SNPY_PKL_FLAT_SCHEMA);
    if (back->status == SNPY_OK)
        (void)snpy_return_fail(back, snpy_flat_open(back->flat, snpy_flat_name(&back->path), array));
    snpy_flat_cut(&back->path, length);
    return back->status == SNPY_OK;
}

/* Reads a little-endian number of 64 bits. */
static uint64_t number_at(const snpy_array *array, uint64_t index)
{
    uint64_t number = 0;
    for (size_t i = 8; i > 0; i--) number = (number << 8) + array->data[8 * index + i - 1];
    return number;
}

/* The bytes of an array from an offset on, which it has. */
static const uint8_t *bytes_at(const snpy_array *array, uint64_t offset)
{
    static const uint8_t none = 0;
    return array->data_size == 0 ? &none : array->data + offset;
}

/* Whether an array has this type. */
static bool has_dtype(const snpy_array *array, int kind, uint32_t itemsize)
{
    const snpy_dtype *dtype = &array->header.dtype;
    return dtype->kind == kind && dtype->itemsize == itemsize && dtype->byteorder == (itemsize > 1 ? '<' : '|');
}

/* Whether a datetime or timedelta counts this unit. */
static bool has_unit(const snpy_array *array, int unit)
{
    return array->header.dtype.unit == unit && array->header.dtype.multiplier == 1;
}

/* Whether the values of a column have its type. */
static bool has_type(const snpy_array *array, uint32_t kind)
{
    char text[16];
    int64_t unused;
    switch (kind) {
    case SNPY_FLAT_BOOL:
        return has_dtype(array, SNPY_KIND_BOOL, 1);
    case SNPY_FLAT_INT:
        return has_dtype(array, SNPY_KIND_INT, 8) || has_dtype(array, SNPY_KIND_UINT, 8);
    case SNPY_FLAT_FLOAT:
        return has_dtype(array, SNPY_KIND_FLOAT, 8);
    case SNPY_FLAT_COMPLEX:
        return has_dtype(array, SNPY_KIND_COMPLEX, 16);
    case SNPY_FLAT_DATE:
        return has_dtype(array, SNPY_KIND_DATETIME, 8) && has_unit(array, SNPY_UNIT_DAY);
    case SNPY_FLAT_DATETIME:
        return has_dtype(array, SNPY_KIND_DATETIME, 8) && has_unit(array, SNPY_UNIT_MICROSECOND);
    case SNPY_FLAT_TIMEDELTA:
        return has_dtype(array, SNPY_KIND_TIMEDELTA, 8) && has_unit(array, SNPY_UNIT_MICROSECOND);
    case SNPY_FLAT_TEXT:
    case SNPY_FLAT_BYTES:
        return has_dtype(array, SNPY_KIND_UINT, 1);
    case SNPY_FLAT_ARRAY:
    case SNPY_FLAT_SCALAR:
        return snpy_flat_type(&array->header.dtype, text, &unused, &unused, &unused);
    default:
        return array->header.dtype.kind == SNPY_KIND_STRING && array->header.dtype.byteorder == '<' &&
               array->header.dtype.itemsize > 0;
    }
}

/* Checks that offsets begin with 0, do not decrease, and end with the number of values. */
static bool are_offsets_good(const snpy_flat_source *source)
{
    const snpy_array *offsets = &source->offsets;
    if (!has_dtype(offsets, SNPY_KIND_INT, 8) || offsets->header.ndim != 1 ||
        offsets->header.count != source->count + 1)
        return false;
    if (number_at(offsets, 0) != 0 || number_at(offsets, source->count) != source->values.header.count) return false;
    for (uint64_t i = 0; i < source->count; i++)
        if (number_at(offsets, i) > number_at(offsets, i + 1)) return false;
    return true;
}

/* Checks that shapes have as many elements as offsets say. */
static bool are_shapes_good(const snpy_flat_source *source)
{
    const snpy_header *header = &source->shapes.header;
    if (!has_dtype(&source->shapes, SNPY_KIND_INT, 8) || header->ndim != 2 || header->shape[0] != source->count ||
        header->fortran_order)
        return false;
    if (header->shape[1] < 2 || header->shape[1] > SNPY_MAX_NDIM) return false;
    for (uint64_t i = 0; i < source->count; i++) {
        uint64_t elements = 1;
        bool is_empty = false;
        for (uint64_t k = 0; k < header->shape[1]; k++) {
            const uint64_t dim = number_at(&source->shapes, i * header->shape[1] + k);
            if (dim > INT64_MAX || (dim > 0 && elements > INT64_MAX / dim)) return false;
            is_empty |= dim == 0;
            if (dim > 0) elements *= dim;
        }
        if ((is_empty ? 0 : elements) != number_at(&source->offsets, i + 1) - number_at(&source->offsets, i))
            return false;
    }
    return true;
}

/* Opens offsets and shapes. */
static bool open_offsets(snpy_returning *back, snpy_flat_source *source)
{
    source->has_offsets = true;
    if (!snpy_return_open(back, "offsets", &source->offsets) || !are_offsets_good(source)) return false;
    if (!source->has_shapes) return true;
    return snpy_return_open(back, "shapes", &source->shapes) && are_shapes_good(source);
}

void snpy_source_open(snpy_returning *back, uint32_t items, uint64_t count, bool is_single, bool has_any_shape,
                      snpy_flat_source *source)
{
    static const snpy_flat_source none = {.count = 0};
    const uint32_t kind = items == SNPY_FLAT_ARRAYS ? (uint32_t)SNPY_FLAT_ARRAY : items & ~SNPY_FLAT_OPTIONAL;
    *source = none;
    source->kind = kind;
    source->is_optional = (items & SNPY_FLAT_OPTIONAL) != 0;
    source->has_shapes = items == SNPY_FLAT_ARRAYS;
    source->count = count;
    source->is_single = is_single;
    back->items += count;
    back->nones += kind == SNPY_FLAT_NONE && !is_single && count <= SNPY_FLAT_MOST_ITEMS ? count : 0;
    if (count > SNPY_FLAT_MOST_ITEMS || back->items > SNPY_FLAT_MOST_ITEMS || back->nones > SNPY_FLAT_MOST_ROWS)
        (void)snpy_return_fail(back, SNPY_PKL_FLAT_SCHEMA);
    if (kind == SNPY_FLAT_NONE || back->status != SNPY_OK) return;
    const bool is_one = snpy_flat_has_shape(kind);
    if (!snpy_return_open(back, is_one || is_single ? NULL : "values", &source->values)) return;
    const snpy_header *header = &source->values.header;
    bool is_good = has_type(&source->values, kind) && !(header->fortran_order && header->ndim > 1);
    if (is_one)
        is_good = is_good && header->count == count &&
                  (is_single ? header->ndim == 0 : header->ndim == 1 || (has_any_shape && header->ndim > 1));
    else
        is_good = is_good && header->ndim == 1 && (is_single || open_offsets(back, source));
    if (source->is_optional && is_good && snpy_return_open(back, "$none", &source->nones))
        is_good = has_dtype(&source->nones, SNPY_KIND_BOOL, 1) && source->nones.header.ndim == 1 &&
                  source->nones.header.count == count;
    if (!is_good) (void)snpy_return_fail(back, SNPY_PKL_FLAT_SCHEMA);
}

void snpy_source_release(snpy_flat_source *source)
{
    snpy_array_release(&source->values);
    snpy_array_release(&source->offsets);
    snpy_array_release(&source->shapes);
    snpy_array_release(&source->nones);
}

/* ---- items ------------------------------------------------------------------------------------------------ */

/* Writes a float. */
static void put_float(snpy_returning *back, const uint8_t *bytes)
{
    uint8_t opcode[9] = {'G'};
    for (size_t i = 0; i < 8; i++) opcode[1 + i] = bytes[7 - i];
    snpy_draft_put(back, opcode, 9);
}

/* The text of an item: its code points, without the NULs at the end. */
static const uint8_t *text_at(const snpy_flat_source *source, uint64_t index, size_t *count)
{
    const size_t width = source->values.header.dtype.itemsize;
    const uint8_t *points = source->values.data + index * width;
    size_t size = width;
    while (size > 0 && points[size - 1] == 0) size--;
    *count = (size + 3) / 4;
    return points;
}

/* Writes a date, datetime or timedelta. */
static void put_moment(snpy_returning *back, uint32_t kind, int64_t number)
{
    static const char *const names[] = {"date", "datetime", "timedelta"};
    uint8_t bytes[10] = {0};
    int64_t numbers[3] = {0};
    if (!snpy_flat_moment_parts(kind, number, bytes, numbers)) (void)snpy_return_fail(back, SNPY_PKL_FLAT_SCHEMA);
    snpy_draft_global(back, "datetime", names[kind - SNPY_FLAT_DATE]);
    snpy_draft_byte(back, '(');
    if (kind != SNPY_FLAT_TIMEDELTA) snpy_draft_sized(back, 'B', bytes, kind == SNPY_FLAT_DATE ? 4 : 10);
    for (int i = 0; i < 3 && kind == SNPY_FLAT_TIMEDELTA; i++) snpy_draft_int(back, (uint64_t)numbers[i], false);
    snpy_draft_put(back, "tR", 2);
}

/* Writes a number, as a leaf. */
static void put_leaf(snpy_returning *back, const snpy_flat_source *source, uint64_t index, size_t row)
{
    size_t count = 0;
    const uint8_t *points = NULL;
    const uint8_t *bytes = source->values.data;
    snpy_flat_place place;
    switch (source->kind) {
    case SNPY_FLAT_INT:
        snpy_draft_int(back, number_at(&source->values, index), source->values.header.dtype.kind == SNPY_KIND_UINT);
        break;
    case SNPY_FLAT_FLOAT:
        put_float(back, bytes + 8 * index);
        break;
    case SNPY_FLAT_COMPLEX:
        place = snpy_return_begin(back, row);
        snpy_draft_global(back, "builtins", "complex");
        snpy_draft_byte(back, '(');
        put_float(back, bytes + 16 * index);
        put_float(back, bytes + 16 * index + 8);
        snpy_draft_put(back, "tR", 2);
        snpy_return_end(back, &place);
        break;
    case SNPY_FLAT_DATE:
    case SNPY_FLAT_DATETIME:
    case SNPY_FLAT_TIMEDELTA:
        place = snpy_return_begin(back, row);
        put_moment(back, source->kind, (int64_t)number_at(&source->values, index));
        snpy_return_end(back, &place);
        break;
    case SNPY_FLAT_FLOAT_TEXT:
        points = text_at(source, index, &count);
        snpy_draft_byte(back, 'F');
        for (size_t i = 0; i < count; i++) {
            const uint8_t *point = points + 4 * i;
            if (point[0] <= ' ' || point[0] > '~' || point[1] != 0 || point[2] != 0 || point[3] != 0)
                (void)snpy_return_fail(back, SNPY_PKL_FLAT_SCHEMA);
            snpy_draft_byte(back, point[0]);
        }
        snpy_draft_byte(back, '\n');
        break;
    default:
        points = text_at(source, index, &count);
        snpy_draft_digits(back, points, count, source->kind == SNPY_FLAT_BIG_TEXT);
        break;
    }
}

/* Writes a bool. */
static void put_bool(snpy_returning *back, uint8_t byte)
{
    if (byte > 1) (void)snpy_return_fail(back, SNPY_PKL_FLAT_SCHEMA);
    snpy_draft_byte(back, byte == 1 ? 0x88 : 0x89);
}

/* Writes a scalar. */
static void put_scalar(snpy_returning *back, const snpy_flat_source *source, uint64_t index, size_t row)
{
    const snpy_dtype *dtype = &source->values.header.dtype;
    snpy_flat_place place = snpy_return_begin(back, row);
    snpy_draft_global(back, "numpy.core.multiarray", "scalar");
    snpy_draft_byte(back, '(');
    snpy_draft_dtype(back, dtype);
    snpy_draft_sized(back, 'B', bytes_at(&source->values, index * dtype->itemsize), dtype->itemsize);
    snpy_draft_put(back, "tR", 2);
    snpy_return_end(back, &place);
}

/* Writes one of many arrays. */
static void put_array(snpy_returning *back, const snpy_flat_source *source, uint64_t index)
{
    uint64_t shape[SNPY_MAX_NDIM];
    const snpy_dtype *dtype = &source->values.header.dtype;
    const uint64_t start = number_at(&source->offsets, index);
    const uint64_t elements = number_at(&source->offsets, index + 1) - start;
    const uint32_t ndim = source->has_shapes ? (uint32_t)source->shapes.header.shape[1] : 1;
    shape[0] = elements;
    for (uint32_t i = 0; i < ndim && source->has_shapes; i++) shape[i] = number_at(&source->shapes, index * ndim + i);
    snpy_flat_place place = snpy_return_begin(back, SNPY_FLAT_NO_ROW);
    snpy_draft_array(back, SNPY_FLAT_ARRAY, shape, ndim);
    snpy_draft_dtype(back, dtype);
    snpy_draft_byte(back, 0x89);
    snpy_draft_sized(back, 'B', bytes_at(&source->values, start * dtype->itemsize),
                     (size_t)(elements * dtype->itemsize));
    snpy_draft_put(back, "tb", 2);
    snpy_return_end(back, &place);
}

void snpy_source_put(snpy_returning *back, const snpy_flat_source *source, uint64_t index, size_t row)
{
    uint64_t start = 0;
    uint64_t end = source->values.header.count;
    size_t count = 0;
    const uint8_t *points;
    if (back->status != SNPY_OK) return;
    if (source->is_optional && source->nones.data[index] != 0) {
        snpy_draft_byte(back, 'N');
        return;
    }
    if (source->has_offsets) {
        start = number_at(&source->offsets, index);
        end = number_at(&source->offsets, index + 1);
    }
    switch (source->kind) {
    case SNPY_FLAT_NONE:
        snpy_draft_byte(back, 'N');
        break;
    case SNPY_FLAT_BOOL:
        put_bool(back, source->values.data[index]);
        break;
    case SNPY_FLAT_STR:
        points = text_at(source, index, &count);
        snpy_draft_text(back, points, count);
        break;
    case SNPY_FLAT_TEXT:
        snpy_draft_sized(back, 'X', bytes_at(&source->values, start), (size_t)(end - start));
        break;
    case SNPY_FLAT_BYTES:
        snpy_draft_sized(back, 'B', bytes_at(&source->values, start), (size_t)(end - start));
        break;
    case SNPY_FLAT_SCALAR:
        put_scalar(back, source, index, row);
        break;
    case SNPY_FLAT_ARRAY:
        put_array(back, source, index);
        break;
    default:
        put_leaf(back, source, index, row);
        break;
    }
}
