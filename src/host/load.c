/* load.c: whole arrays into memory.                      NPY-FRAME … NPY-DATA, API-BUFFER, HOST-IO, HOST-MEMORY
 * Proves nothing. Leaves where bytes come from to source.c, and every decision about them to the core. */
#include "host/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is asked for before it has arrived: of a header, of data from a pipe. */
#define FIRST_HEAD ((uint64_t)4096)
#define FIRST_DATA ((uint64_t)65536)

/* A source has ended too early: a file shorter than its size said has changed, any other was never longer. */
static snpy_status snpy_refuse_end(const snpy_source *source, snpy_status status, snpy_io_error *error)
{
    return snpy_io_refuse(error, source->knows_size ? SNPY_FILE_CHANGED : status, source->position);
}

/* Reads on until `size` bytes of the header are there; its memory grows as they arrive.            HOST-MEMORY */
static snpy_status snpy_read_head(snpy_source *source, uint64_t size, uint8_t **head, snpy_io_error *error)
{
    uint64_t room = source->knows_size || size < FIRST_HEAD ? size : FIRST_HEAD;
    if (size > SIZE_MAX) return snpy_io_no_memory(error, "realloc");
    for (;;) {
        uint64_t have = source->position;
        uint64_t received = 0;
        uint8_t *grown = realloc(*head, (size_t)room);
        if (grown == NULL) return snpy_io_no_memory(error, "realloc");
        *head = grown;
        snpy_status status = snpy_source_read(source, grown + have, room - have, &received, error);
        if (status != SNPY_OK) return status;
        if (received < room - have) return snpy_refuse_end(source, SNPY_TRUNCATED_HEADER, error);
        if (room == size) return SNPY_OK;
        room = room > size / 2 ? size : 2 * room;
    }
}

/* Reads the prefix and, if it is sound, the text. *head is the caller's to free.     NPY-FRAME-001 … 006, HOST-IO */
static snpy_status snpy_take_head(snpy_source *source, const snpy_options *limits, uint8_t **head, size_t *size,
                                  snpy_io_error *error)
{
    uint64_t received = 0;
    snpy_frame frame;
    *head = malloc(SNPY_MAX_PREFIX);
    if (*head == NULL) return snpy_io_no_memory(error, "malloc");
    snpy_status status = snpy_source_read(source, *head, SNPY_MAX_PREFIX, &received, error);
    if (status != SNPY_OK) return status;
    if (source->knows_size && received < SNPY_MAX_PREFIX && received < source->size)
        return snpy_refuse_end(source, SNPY_TRUNCATED_PREFIX, error);
    status = snpy_parse_frame(*head, (size_t)received, limits, &frame, &error->error);
    if (status != SNPY_OK) return status;
    if (source->knows_size && frame.data_offset > source->size)
        return snpy_io_refuse(error, SNPY_TRUNCATED_HEADER, source->size);
    *size = (size_t)frame.data_offset;
    if (frame.data_offset <= received) return SNPY_OK; /* a text of two bytes at most, which is refused */
    if (received < SNPY_MAX_PREFIX) return snpy_refuse_end(source, SNPY_TRUNCATED_HEADER, error);
    return snpy_read_head(source, frame.data_offset, head, error);
}

snpy_status snpy_parse_head(uint8_t *head, size_t size, const snpy_options *limits, snpy_array *array,
                            snpy_io_error *error)
{
    array->head_ = head;
    snpy_status status = snpy_parse_growing(head, size, limits, &array->table, &array->header, &error->error);
    if (status == SNPY_NO_MEMORY) return snpy_io_no_memory(error, "realloc");
    if (status == SNPY_OK) array->text = head + array->header.frame.text_offset;
    return status;
}

snpy_status snpy_load_head(snpy_source *source, const snpy_options *limits, bool no_trailing, snpy_array *array,
                           snpy_io_error *error)
{
    const snpy_options defaults = SNPY_OPTIONS_INIT;
    uint8_t *head = NULL;
    size_t size = 0;
    snpy_array_clear(array);
    if (limits == NULL) limits = &defaults;
    snpy_status status = snpy_take_head(source, limits, &head, &size, error);
    if (status != SNPY_OK) {
        free(head);
        return status;
    }
    status = snpy_parse_head(head, size, limits, array, error);
    if (status != SNPY_OK) return status;
    if (source->knows_size) {
        status = snpy_check_data(&array->header, source->size, !no_trailing, &error->error);
        if (status != SNPY_OK) return status;
    }
    if (!array->header.has_object) return SNPY_OK;
    return snpy_io_refuse(error, SNPY_OBJECT_DATA, array->header.frame.data_offset);
}

/* Reads data whose size was only claimed: memory grows as they arrive.                    NPY-DATA-001, HOST-MEMORY */
static snpy_status snpy_read_growing(snpy_source *source, uint64_t size, snpy_array *array, snpy_io_error *error)
{
    uint64_t room = size < FIRST_DATA ? size : FIRST_DATA;
    uint64_t have = 0;
    for (;;) {
        uint64_t received = 0;
        snpy_status status = snpy_array_extend(array, room, error);
        if (status != SNPY_OK) return status;
        status = snpy_source_read(source, array->data + have, room - have, &received, error);
        if (status != SNPY_OK) return status;
        have += received;
        if (have < room) return snpy_refuse_end(source, SNPY_TRUNCATED_DATA, error);
        if (room == size) return SNPY_OK;
        room = room > size / 2 ? size : 2 * room;
    }
}

/* Reads data into the array's memory, which is large enough.                                   NPY-DATA-001 */
static snpy_status snpy_read_fixed(snpy_source *source, uint64_t size, const snpy_array *array, snpy_io_error *error)
{
    uint64_t received = 0;
    snpy_status status = snpy_source_read(source, array->data, size, &received, error);
    if (status != SNPY_OK) return status;
    return received == size ? SNPY_OK : snpy_refuse_end(source, SNPY_TRUNCATED_DATA, error);
}

/* Brings the data, not of size 0, to where they belong.                                 API-BUFFER, HOST-MEMORY */
static snpy_status snpy_load_data(snpy_source *source, const snpy_load_options *how, snpy_array *array,
                                  snpy_io_error *error)
{
    uint64_t size = array->header.data_size;
    snpy_status status = SNPY_OK;
    if (how->buffer != NULL)
        array->data = how->buffer;
    else if (source->knows_size)
        status = snpy_array_reserve(array, size, error);
    else
        return snpy_read_growing(source, size, array, error);
    return status != SNPY_OK ? status : snpy_read_fixed(source, size, array, error);
}

/* Whether a source whose size is unknown ends behind the data.                                  NPY-DATA-002 */
static snpy_status snpy_expect_end(snpy_source *source, snpy_io_error *error)
{
    uint8_t byte = 0;
    uint64_t received = 0;
    uint64_t end = source->position;
    if (source->knows_size) return SNPY_OK; /* it was compared */
    snpy_status status = snpy_source_read(source, &byte, 1, &received, error);
    if (status != SNPY_OK) return status;
    return received == 0 ? SNPY_OK : snpy_io_refuse(error, SNPY_TRAILING_DATA, end);
}

/* Loads what stands behind the header. */
static snpy_status snpy_load_rest(snpy_source *source, const snpy_load_options *how, snpy_array *array,
                                  snpy_io_error *error)
{
    uint64_t size = array->header.data_size;
    if (how->header_only) return SNPY_OK;
    if (how->buffer != NULL && how->capacity < size) return snpy_io_refuse(error, SNPY_BUFFER_TOO_SMALL, 0);
    snpy_status status = size > 0 ? snpy_load_data(source, how, array, error) : SNPY_OK;
    if (status == SNPY_OK && how->no_trailing) status = snpy_expect_end(source, error);
    if (status != SNPY_OK) return status;
    array->data_size = size;
    array->is_writable = size > 0;
    return SNPY_OK;
}

/* Loads from a source. The array keeps its header where it is of use without data. */
static snpy_status snpy_load_source(snpy_source *source, const snpy_load_options *how, snpy_array *array,
                                    snpy_io_error *error)
{
    static const snpy_load_options plain = {.limits = NULL};
    if (how == NULL) how = &plain;
    snpy_status status = snpy_load_head(source, how->limits, how->no_trailing, array, error);
    if (status == SNPY_OK) status = snpy_load_rest(source, how, array, error);
    if (status != SNPY_OK && status != SNPY_OBJECT_DATA && status != SNPY_BUFFER_TOO_SMALL) snpy_array_release(array);
    return status;
}

snpy_status snpy_load_descriptor(int descriptor, const snpy_load_options *how, snpy_array *array, snpy_io_error *error)
{
    snpy_source source;
    snpy_io_begin(error, "");
    snpy_array_clear(array);
    snpy_status status = snpy_source_descriptor(&source, descriptor, error);
    return status != SNPY_OK ? status : snpy_load_source(&source, how, array, error);
}

snpy_status snpy_load_stream(FILE *stream, const snpy_load_options *how, snpy_array *array, snpy_io_error *error)
{
    snpy_source source;
    snpy_io_begin(error, "");
    snpy_array_clear(array);
    snpy_status status = snpy_source_stream(&source, stream, error);
    return status != SNPY_OK ? status : snpy_load_source(&source, how, array, error);
}

snpy_status snpy_load_memory(const void *bytes, size_t length, const snpy_load_options *how, snpy_array *array,
                             snpy_io_error *error)
{
    snpy_source source;
    snpy_io_begin(error, "");
    snpy_source_memory(&source, bytes, length);
    return snpy_load_source(&source, how, array, error);
}

snpy_status snpy_load(const char *path, const snpy_load_options *how, snpy_array *array, snpy_io_error *error)
{
    snpy_io_begin(error, path);
    snpy_array_clear(array);
    int descriptor = snpy_open(path, O_RDONLY, 0);
    if (descriptor < 0) return snpy_io_fail(error, "open", errno);
    snpy_status status = snpy_load_descriptor(descriptor, how, array, error);
    snpy_io_name(error, path);
    (void)close(descriptor); /* only read from: what it says is of no use */
    return status;
}
