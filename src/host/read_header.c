/* read_header.c: reads and parses a header.                     NPY-FRAME … NPY-DATA, API-TABLE, API-OBJECTS, HOST-MEMORY
 * reader.c provides the bytes; the core parses them. */
#include "host/reader.h"

#include "host/io.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of the first read: a page, which has the whole header of almost every file. */
#define FIRST_READ ((size_t)4096)

/* Structured dtypes of at most this many fields and sub-array dimensions are parsed only once. */
#define FIRST_FIELDS 24u
#define FIRST_DIMS 24u

/* Enlarges the table's memory to its counts of fields and dimensions. Returns false if there is no memory. HOST-MEMORY */
static bool snpy_grow_table(snpy_table *table)
{
    if (table->field_count > table->field_capacity) {
        if (table->field_count > SIZE_MAX / sizeof *table->fields) return false;
        snpy_field *fields = realloc(table->fields, table->field_count * sizeof *fields);
        if (fields == NULL) return false;
        table->fields = fields;
        table->field_capacity = table->field_count;
    }
    if (table->dim_count > table->dim_capacity) {
        if (table->dim_count > SIZE_MAX / sizeof *table->dims) return false;
        int32_t *dims = realloc(table->dims, table->dim_count * sizeof *dims);
        if (dims == NULL) return false;
        table->dims = dims;
        table->dim_capacity = table->dim_count;
    }
    return true;
}

/* Copies the counts of the first attempt to `table`, enlarges it, and copies the entries, too, if they are all there
 * (`is_whole`). Returns false if there is no memory. */
static bool snpy_keep_table(const snpy_table *first, bool is_whole, snpy_table *table)
{
    table->field_count = first->field_count;
    table->dim_count = first->dim_count;
    if (!snpy_grow_table(table)) return false;
    if (!is_whole) return true;
    if (first->field_count > 0) memcpy(table->fields, first->fields, first->field_count * sizeof *first->fields);
    if (first->dim_count > 0) memcpy(table->dims, first->dims, first->dim_count * sizeof *first->dims);
    return true;
}

snpy_status snpy_parse_and_allocate(const uint8_t *bytes, size_t length, const snpy_options *options, snpy_table *table,
                                    snpy_header *header, snpy_error *error)
{
    snpy_field fields[FIRST_FIELDS];
    int32_t dims[FIRST_DIMS];
    snpy_table first = {fields, FIRST_FIELDS, dims, FIRST_DIMS, 0, 0};
    snpy_status status = snpy_parse_header(bytes, length, options, &first, header, error);
    if (status != SNPY_OK && status != SNPY_TABLE_TOO_SMALL) return status;
    if (!snpy_keep_table(&first, status == SNPY_OK, table)) {
        error->status = SNPY_NO_MEMORY;
        error->offset = 0;
        return SNPY_NO_MEMORY;
    }
    return status == SNPY_OK ? SNPY_OK : snpy_parse_header(bytes, length, options, table, header, error);
}

snpy_status snpy_parse_head(const snpy_options *limits, snpy_array *array, snpy_io_error *error)
{
    const snpy_frame frame = array->header.frame;
    snpy_status status =
        snpy_parse_and_allocate(array->head_, array->head_size_, limits, &array->table, &array->header, &error->error);
    if (status == SNPY_NO_MEMORY) return snpy_io_no_memory(error, "realloc");
    if (status == SNPY_OK)
        array->text = array->head_ + array->header.frame.text_offset;
    else
        array->header.frame = frame; /* the only part that is valid in a refused header */
    return status;
}

/* Reads until at least `wanted` bytes are in memory or the reader ends, but at most `most` bytes. If the size is unknown,
 * memory grows as bytes arrive, so that a large claim costs none.                                   HOST-MEMORY */
static snpy_status snpy_fill_head(snpy_reader *reader, size_t wanted, size_t most, snpy_array *array,
                                  snpy_io_error *error)
{
    size_t capacity = array->head_size_;
    while (array->head_size_ < wanted) {
        uint64_t got = 0;
        if (array->head_size_ == capacity) {
            size_t next = capacity < FIRST_READ / 2 ? FIRST_READ : capacity <= SIZE_MAX / 2 ? 2 * capacity : SIZE_MAX;
            capacity = reader->knows_size || next > most ? most : next;
            uint8_t *grown = realloc(array->head_, capacity);
            if (grown == NULL) return snpy_io_no_memory(error, "realloc");
            array->head_ = grown;
        }
        snpy_status status = snpy_reader_some(reader, array->head_size_, array->head_ + array->head_size_,
                                              capacity - array->head_size_, &got, error);
        if (status != SNPY_OK || got == 0) return status;
        array->head_size_ += (size_t)got;
    }
    return SNPY_OK;
}

/* Reads and parses the prefix; may read more.                                                  NPY-FRAME-001 … 005 */
static snpy_status snpy_read_frame(snpy_reader *reader, const snpy_options *limits, snpy_array *array,
                                   snpy_io_error *error)
{
    size_t most = reader->reads_ahead ? FIRST_READ : SNPY_MAX_PREFIX;
    if (reader->knows_size && reader->size < most) most = (size_t)reader->size;
    if (most < SNPY_MAX_PREFIX) most = SNPY_MAX_PREFIX;
    snpy_status status = snpy_fill_head(reader, SNPY_MAX_PREFIX, most, array, error);
    if (status != SNPY_OK) return status;
    const size_t size = array->head_size_;
    status = snpy_parse_frame(array->head_, size, limits, &array->header.frame, &error->error);
    bool ends_early = reader->knows_size && size < SNPY_MAX_PREFIX && size < reader->size;
    return status == SNPY_TRUNCATED_PREFIX && ends_early ? snpy_io_refuse(error, SNPY_FILE_CHANGED, size) : status;
}

/* Reads the rest of the header: its text.                                                      NPY-FRAME-006 */
static snpy_status snpy_read_text(snpy_reader *reader, snpy_array *array, snpy_io_error *error)
{
    const uint64_t end = array->header.frame.data_offset;
    if (reader->knows_size && end > reader->size) return snpy_io_refuse(error, SNPY_TRUNCATED_HEADER, reader->size);
    if (end > SIZE_MAX) return snpy_io_no_memory(error, "realloc");
    snpy_status status = snpy_fill_head(reader, (size_t)end, (size_t)end, array, error);
    if (status != SNPY_OK || array->head_size_ >= end) return status;
    return snpy_reader_refuse_end(reader, SNPY_TRUNCATED_HEADER, array->head_size_, error);
}

snpy_status snpy_read_header(snpy_reader *reader, const snpy_options *limits, bool no_trailing, snpy_array *array,
                             snpy_io_error *error)
{
    snpy_options own = SNPY_OPTIONS_INIT;
    snpy_array_clear(array);
    if (limits != NULL && !snpy_take_options(&own, sizeof own, limits, limits->size))
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    snpy_status status = snpy_read_frame(reader, &own, array, error);
    if (status == SNPY_OK) status = snpy_read_text(reader, array, error);
    if (status == SNPY_OK) status = snpy_parse_head(&own, array, error);
    reader->held = array->head_;
    reader->held_size = array->head_size_;
    if (status != SNPY_OK || !reader->knows_size) return status;
    return snpy_check_data(&array->header, reader->size, !no_trailing, &error->error);
}

snpy_status snpy_read_array_header(snpy_reader *reader, const snpy_options *limits, bool no_trailing, snpy_array *array,
                                   snpy_io_error *error)
{
    snpy_status status = snpy_read_header(reader, limits, no_trailing, array, error);
    if (status != SNPY_OK || !array->header.has_object) return status;
    return snpy_io_refuse(error, SNPY_OBJECT_DATA, array->header.frame.data_offset);
}
