/* object_write.c: writes decoded values as a pickle, into memory of its own.           NPY-PKL-028, NPY-PKL-029, HOST-MEMORY
 * The core writes; object_data.c decodes. */
#include "host/flow.h"
#include "host/object_data.h"

#include <stdlib.h>

#define MARKS ((uint64_t)64)    /* besides two for each node */
#define TASKS ((uint64_t)16384) /* 1,000 levels of containers, with what calls have besides */

/* Allocates the memory of a writer. Free both tables, whatever the status. */
static snpy_status allocate_writer(const snpy_object_data *data, snpy_object_writer *writer, snpy_io_error *error)
{
    writer->mark_capacity = 2 * data->table.count + MARKS;
    writer->task_capacity = TASKS;
    if (writer->mark_capacity <= SIZE_MAX / sizeof *writer->marks)
        writer->marks = malloc((size_t)writer->mark_capacity * sizeof *writer->marks);
    writer->tasks = malloc((size_t)TASKS * sizeof *writer->tasks);
    if (writer->marks != NULL && writer->tasks != NULL) return SNPY_OK;
    return snpy_io_no_memory(error, "malloc");
}

/* Writes to a buffer that is as long as the pickle needs: the first guess is the length of the old one. */
static snpy_status write_pickle(const snpy_object_data *data, snpy_object_writer *writer, uint8_t **bytes, size_t *size,
                                snpy_io_error *error)
{
    size_t capacity = data->length + data->length / 8 + 64; /* the length is less than 4 GiB */
    for (;;) {
        uint8_t *longer = capacity >= data->length ? realloc(*bytes, capacity) : NULL; /* 32 bits may be too few */
        if (longer == NULL) return snpy_io_no_memory(error, "realloc");
        *bytes = longer;
        snpy_status status =
            snpy_write_objects(data->pickle, data->length, &data->table, writer, *bytes, capacity, size, &error->error);
        if (status != SNPY_OK || *size <= capacity) return status;
        capacity = *size;
    }
}

/* Checks that what was written is decoded again. It is not where calls have taken a dictionary that was changed later. */
static snpy_status decode_again(const uint8_t *bytes, size_t size, snpy_io_error *error)
{
    snpy_object_data *again = NULL;
    snpy_io_error other;
    snpy_status status = snpy_object_data_open(bytes, size, SNPY_SET_PLAIN, &again, &other);
    snpy_object_data_close(&again);
    if (status == SNPY_NO_MEMORY) return snpy_io_no_memory(error, "malloc");
    return snpy_io_refuse(error, status, 0);
}

snpy_status snpy_object_data_write(const snpy_object_data *data, const snpy_pickle_form *form, uint8_t **bytes,
                                   size_t *size, snpy_io_error *error)
{
    snpy_object_writer writer = {.protocol = form == NULL || form->protocol == 0 ? 4 : form->protocol};
    *bytes = NULL;
    *size = 0;
    snpy_io_begin(error, "");
    if (form != NULL) writer.is_numpy_2 = form->is_numpy_2;
    snpy_status status = allocate_writer(data, &writer, error);
    if (status == SNPY_OK) status = write_pickle(data, &writer, bytes, size, error);
    free(writer.marks);
    free(writer.tasks);
    if (status == SNPY_OK) status = decode_again(*bytes, *size, error);
    if (status != SNPY_OK) snpy_object_bytes_free(bytes);
    return status;
}

void snpy_object_bytes_free(uint8_t **bytes)
{
    free(*bytes);
    *bytes = NULL;
}

snpy_status snpy_disarm_payload(const uint8_t *pickle, size_t length, snpy_array *head,
                                const snpy_pickle_form *form, uint8_t **bytes, size_t *size, snpy_io_error *error)
{
    snpy_object_data *data = NULL;
    *bytes = NULL;
    snpy_status status = snpy_object_data_open(pickle, length, SNPY_SET_PLAIN, &data, error);
    if (status == SNPY_OK) status = snpy_io_refuse(error, snpy_object_data_match(data, head), 0);
    if (status == SNPY_OK) status = snpy_object_data_write(data, form, bytes, size, error);
    snpy_object_data_close(&data);
    error->error.offset += head->header.frame.data_offset;
    return status;
}

snpy_status snpy_disarm_input(snpy_input *input, snpy_file *file, const snpy_pickle_form *form, uint8_t **bytes,
                              size_t *size, snpy_io_error *error)
{
    const snpy_header *header = &file->head.header;
    const bool is_stream = input->reader.is_stream;
    const uint64_t known = is_stream ? SNPY_SIZE_UNKNOWN : file->size - header->frame.data_offset;
    uint8_t *pickle = NULL;
    size_t length = 0;
    snpy_status status = snpy_read_payload(&input->reader, 0, known, &pickle, &length, error);
    if (status == SNPY_OK) status = snpy_disarm_payload(pickle, length, &file->head, form, bytes, size, error);
    free(pickle);
    return status;
}
