/* load.c: loads whole arrays into memory.                NPY-FRAME … NPY-DATA, API-BUFFER, HOST-IO, HOST-MEMORY
 * reader.c provides the bytes; read_header.c reads the header. */
#include "host/io.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* Bytes of memory that are allocated for data from a pipe before any have arrived. */
#define FIRST_DATA ((uint64_t)65536)

/* Reads `size` bytes of data from a source of unknown size. Memory grows as data arrive, so that a header that claims too
 * much costs none.                                                                        NPY-DATA-001, HOST-MEMORY */
static snpy_status snpy_read_into_growing_memory(snpy_reader *reader, uint64_t size, snpy_array *array,
                                                 snpy_io_error *error)
{
    const uint64_t start = array->header.frame.data_offset;
    uint64_t capacity = size < FIRST_DATA ? size : FIRST_DATA;
    uint64_t have = 0;
    for (;;) {
        uint64_t got = 0;
        snpy_status status = snpy_array_extend(array, capacity, error);
        if (status != SNPY_OK) return status;
        status = snpy_reader_read(reader, start + have, array->data + have, capacity - have, &got, error);
        if (status != SNPY_OK) return status;
        have += got;
        if (have < capacity) return snpy_reader_refuse_end(reader, SNPY_TRUNCATED_DATA, start + have, error);
        if (capacity == size) return SNPY_OK;
        capacity = capacity > size / 2 ? size : 2 * capacity;
    }
}

/* Reads `size` bytes of data into the array's memory, which is large enough. If the source ends too early:
 * SNPY_FILE_CHANGED if its size is known, as snpy_read_header has compared that with the header; else
 * SNPY_TRUNCATED_DATA.                                                                    NPY-DATA-001, HOST-CHANGED */
static snpy_status snpy_read_into_fixed_memory(snpy_reader *reader, uint64_t size, const snpy_array *array,
                                               snpy_io_error *error)
{
    const uint64_t start = array->header.frame.data_offset;
    uint64_t got = 0;
    snpy_status status = snpy_reader_read(reader, start, array->data, size, &got, error);
    if (status != SNPY_OK || got == size) return status;
    return snpy_reader_refuse_end(reader, SNPY_TRUNCATED_DATA, start + got, error);
}

/* Reads the data, not empty, into the caller's buffer or into new memory.               API-BUFFER, HOST-MEMORY */
static snpy_status snpy_load_data(snpy_reader *reader, const snpy_load_options *how, snpy_array *array,
                                  snpy_io_error *error)
{
    uint64_t size = array->header.data_size;
    snpy_status status = SNPY_OK;
    if (how->buffer != NULL)
        array->data = how->buffer;
    else if (reader->knows_size)
        status = snpy_array_reserve(array, size, error);
    else
        return snpy_read_into_growing_memory(reader, size, array, error);
    return status != SNPY_OK ? status : snpy_read_into_fixed_memory(reader, size, array, error);
}

/* Checks that a source of unknown size ends after the data; else SNPY_TRAILING_DATA.            NPY-DATA-002 */
static snpy_status snpy_check_no_trailing(snpy_reader *reader, const snpy_header *header, snpy_io_error *error)
{
    const uint64_t end = header->frame.data_offset + header->data_size;
    uint8_t byte = 0;
    uint64_t got = 0;
    if (reader->knows_size) return SNPY_OK; /* snpy_read_header has checked it */
    snpy_status status = snpy_reader_some(reader, end, &byte, 1, &got, error);
    if (status != SNPY_OK) return status;
    return got == 0 ? SNPY_OK : snpy_io_refuse(error, SNPY_TRAILING_DATA, end);
}

/* Loads the data, and fills the array's fields about them. */
static snpy_status snpy_load_rest(snpy_reader *reader, const snpy_load_options *how, snpy_array *array,
                                  snpy_io_error *error)
{
    uint64_t size = array->header.data_size;
    if (how->header_only) return SNPY_OK;
    if (how->buffer != NULL && how->capacity < size) return snpy_io_refuse(error, SNPY_BUFFER_TOO_SMALL, 0);
    snpy_status status = size > 0 ? snpy_load_data(reader, how, array, error) : SNPY_OK;
    if (status == SNPY_OK && how->no_trailing) status = snpy_check_no_trailing(reader, &array->header, error);
    if (status != SNPY_OK) return status;
    array->data_size = size;
    array->is_writable = size > 0;
    return SNPY_OK;
}

/* Loads from a reader. Returns `status`, of making the reader, if that failed. After SNPY_OBJECT_DATA and
 * SNPY_BUFFER_TOO_SMALL the array keeps its header; after other failures it is released. */
static snpy_status snpy_load_reader(snpy_status status, snpy_reader *reader, const snpy_load_options *how,
                                    snpy_array *array, snpy_io_error *error)
{
    snpy_load_options own;
    snpy_array_clear(array);
    if (status == SNPY_OK) status = snpy_take_load_options(&own, how, error);
    if (status == SNPY_OK) status = snpy_read_array_header(reader, own.limits, own.no_trailing, array, error);
    if (status == SNPY_OK) status = snpy_load_rest(reader, &own, array, error);
    if (status != SNPY_OK && status != SNPY_OBJECT_DATA && status != SNPY_BUFFER_TOO_SMALL) snpy_array_release(array);
    return status;
}

snpy_status snpy_load_descriptor(int descriptor, const snpy_load_options *how, snpy_array *array, snpy_io_error *error)
{
    snpy_reader reader;
    snpy_io_begin(error, "");
    snpy_status status = snpy_reader_of_descriptor(&reader, descriptor, error);
    return snpy_load_reader(status, &reader, how, array, error);
}

snpy_status snpy_load_stream(FILE *stream, const snpy_load_options *how, snpy_array *array, snpy_io_error *error)
{
    snpy_reader reader;
    snpy_io_begin(error, "");
    snpy_status status = snpy_reader_of_stdio(&reader, stream, error);
    return snpy_load_reader(status, &reader, how, array, error);
}

snpy_status snpy_load_memory(const void *bytes, size_t length, const snpy_load_options *how, snpy_array *array,
                             snpy_io_error *error)
{
    snpy_reader reader;
    snpy_io_begin(error, "");
    snpy_reader_of_memory(&reader, bytes, length);
    return snpy_load_reader(SNPY_OK, &reader, how, array, error);
}

snpy_status snpy_load_callback(uint64_t size, snpy_read_callback *read, void *context, const snpy_load_options *how,
                               snpy_array *array, snpy_io_error *error)
{
    snpy_lent lent = {read, context};
    snpy_reader reader;
    snpy_io_begin(error, "");
    snpy_reader_of_function(&reader, snpy_ask_caller, &lent, size, false);
    return snpy_load_reader(SNPY_OK, &reader, how, array, error);
}

snpy_status snpy_load_file(int descriptor, const snpy_load_options *how, snpy_array *array, snpy_io_error *error)
{
    snpy_reader reader;
    snpy_status status = snpy_reader_of_file(&reader, descriptor, error);
    return snpy_load_reader(status, &reader, how, array, error);
}

snpy_status snpy_load(const char *path, const snpy_load_options *how, snpy_array *array, snpy_io_error *error)
{
    snpy_io_begin(error, path);
    snpy_array_clear(array);
    int descriptor = snpy_open(path, O_RDONLY, 0);
    if (descriptor < 0) return snpy_io_fail(error, "open", errno);
    snpy_status status = snpy_load_file(descriptor, how, array, error);
    (void)close(descriptor); /* only read from: no error can matter */
    return status;
}
