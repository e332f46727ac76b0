/* save.c: writes arrays, at once or in parts, to files, pipes and streams.     NPY-WRITE-009, NPY-DATA-001, HOST-IO
 * head.c makes headers; output.c opens and renames files. */
#include "host/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct snpy_writer {
    uint64_t written; /* bytes of data so far */
    uint64_t row_size;
    int64_t start; /* position of the header in the file, to rewrite it */
    snpy_array array;
    FILE *stream;
    snpy_output output;
    bool grows;
    bool failed;
};

/* Sets a writer to closed, without releasing anything. */
static void snpy_writer_clear(snpy_writer *writer)
{
    static const snpy_writer closed = {.written = 0};
    *writer = closed;
    snpy_output_clear(&writer->output);
    snpy_array_clear(&writer->array);
}

/* Closes a writer and abandons its output; does nothing if it is closed. */
static void snpy_writer_close(snpy_writer *writer)
{
    snpy_output_abandon(&writer->output);
    snpy_array_release(&writer->array);
    snpy_writer_clear(writer);
}

void snpy_writer_abandon(snpy_writer **writer)
{
    if (*writer != NULL) snpy_writer_close(*writer);
    free(*writer);
    *writer = NULL;
}

/* Marks an open writer as failed and sets the error's path. Returns the error's status. */
static snpy_status snpy_writer_fail(snpy_writer *writer, snpy_io_error *error)
{
    writer->failed = true;
    if (writer->output.path != NULL) snpy_io_name(error, writer->output.path);
    return error->error.status;
}

/* Closes a writer that could not be opened. Returns `status`. */
static snpy_status snpy_writer_give_up(snpy_writer *writer, snpy_status status)
{
    snpy_writer_close(writer);
    return status;
}

/* Returns the bytes of one step along the growing axis, which may be 0. It cannot overflow: NPY-SHAPE-004. */
static uint64_t snpy_row_size(const snpy_header *header)
{
    const uint32_t axis = snpy_growing_axis(header);
    uint64_t size = header->dtype.itemsize;
    for (uint32_t k = 0; k < header->ndim; k++)
        if (k != axis) size *= header->shape[k];
    return size;
}

/* Makes the header of an array that grows, with length 0 along its growing axis. If a row has no bytes, the number of
 * rows cannot be known from the data: then the description's length is written, and nothing grows. NPY-WRITE-012 */
static snpy_status snpy_prepare_growing(snpy_writer *writer, const snpy_description *description, snpy_io_error *error)
{
    snpy_header header = *description->header;
    snpy_description empty = *description;
    empty.header = &header;
    if (header.ndim == 0) return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    if (header.ndim <= SNPY_MAX_NDIM) header.shape[snpy_growing_axis(&header)] = 0;
    snpy_status status = snpy_make_head(&empty, &writer->array, error);
    if (status != SNPY_OK) return status;
    writer->row_size = snpy_row_size(&writer->array.header);
    writer->grows = writer->row_size > 0;
    if (writer->grows) return SNPY_OK;
    snpy_array_release(&writer->array);
    return snpy_make_head(description, &writer->array, error);
}

/* Clears the writer and makes the header.                                                         NPY-WRITE-009 */
static snpy_status snpy_writer_prepare(snpy_writer *writer, const snpy_description *description, bool grows,
                                       snpy_io_error *error)
{
    snpy_writer_clear(writer);
    if (grows) return snpy_prepare_growing(writer, description, error);
    return snpy_make_head(description, &writer->array, error);
}

/* Writes to a stream that has no descriptor, such as one over memory. */
static snpy_status snpy_write_stream(FILE *stream, const uint8_t *bytes, uint64_t size, snpy_io_error *error)
{
    if (size > SIZE_MAX) return snpy_io_fail(error, "fwrite", EFBIG);
    errno = 0;
    if (size > 0 && fwrite(bytes, 1, (size_t)size, stream) != size)
        return snpy_io_fail(error, "fwrite", errno != 0 ? errno : EIO);
    return SNPY_OK;
}

/* Writes bytes at the writer's position. */
static snpy_status snpy_writer_put(const snpy_writer *writer, const uint8_t *bytes, uint64_t size, snpy_io_error *error)
{
    if (writer->output.descriptor >= 0) return snpy_write_all(writer->output.descriptor, bytes, size, error);
    return snpy_write_stream(writer->stream, bytes, size, error);
}

/* Sets `start`, where the header will be rewritten. Fails for pipes, which cannot seek, and for O_APPEND, which writes
 * only at the end.                                                                                NPY-WRITE-012 */
static snpy_status snpy_writer_mark(snpy_writer *writer, snpy_io_error *error)
{
    if (writer->output.descriptor < 0) return snpy_io_fail(error, "lseek", ESPIPE);
    off_t start = lseek(writer->output.descriptor, 0, SEEK_CUR);
    if (start < 0) return snpy_io_fail(error, "lseek", errno);
    int flags = fcntl(writer->output.descriptor, F_GETFL);
    if (flags < 0) return snpy_io_fail(error, "fcntl", errno);
    if (flags & O_APPEND) return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    writer->start = (int64_t)start;
    return SNPY_OK;
}

/* Writes the header to an output that is open; closes the writer if that fails. */
static snpy_status snpy_writer_begin(snpy_writer *writer, snpy_io_error *error)
{
    const snpy_array *array = &writer->array;
    snpy_status status = writer->grows ? snpy_writer_mark(writer, error) : SNPY_OK;
    if (status == SNPY_OK) status = snpy_writer_put(writer, array->head_, array->header.frame.data_offset, error);
    if (status != SNPY_OK) {
        snpy_writer_fail(writer, error);
        snpy_writer_close(writer);
    }
    return status;
}

/* Opens the path for a prepared writer and writes the header. */
static snpy_status snpy_writer_to_path(snpy_writer *writer, const char *path, snpy_io_error *error)
{
    snpy_status status = snpy_output_open(&writer->output, path, 0, error);
    if (status != SNPY_OK) return snpy_writer_give_up(writer, status);
    return snpy_writer_begin(writer, error);
}

/* Makes a prepared writer write to a stream, and writes the header. It writes to the stream's descriptor: a write of the
 * stream that a signal interrupts would lose its buffer. */
static snpy_status snpy_writer_to_stream(snpy_writer *writer, FILE *stream, snpy_io_error *error)
{
    errno = 0;
    if (fflush(stream) != 0) return snpy_writer_give_up(writer, snpy_io_fail(error, "fflush", errno));
    writer->stream = stream;
    writer->output.descriptor = fileno(stream);
    return snpy_writer_begin(writer, error);
}

/* Makes a prepared writer write to a descriptor, and writes the header. */
static snpy_status snpy_writer_to_descriptor(snpy_writer *writer, int descriptor, snpy_io_error *error)
{
    if (descriptor < 0) return snpy_writer_give_up(writer, snpy_io_fail(error, "write", EBADF));
    writer->output.descriptor = descriptor;
    return snpy_writer_begin(writer, error);
}

/* --- handles ----------------------------------------------------------------------------------------------- */

/* Allocates and prepares a writer. Returns NULL with the error filled if that fails.      NPY-WRITE-009, HOST-MEMORY */
static snpy_writer *snpy_writer_make(const snpy_description *description, bool grows, snpy_io_error *error)
{
    snpy_writer *writer = malloc(sizeof *writer);
    if (writer == NULL)
        (void)snpy_io_no_memory(error, "malloc");
    else if (snpy_writer_prepare(writer, description, grows, error) != SNPY_OK)
        snpy_writer_abandon(&writer);
    return writer;
}

/* Frees a writer that could not be opened and sets it to NULL. Returns `status`. */
static snpy_status snpy_writer_hand_out(snpy_writer **writer, snpy_status status)
{
    if (status != SNPY_OK) snpy_writer_abandon(writer);
    return status;
}

snpy_status snpy_writer_open(snpy_writer **writer, const char *path, const snpy_description *description, bool grows,
                             snpy_io_error *error)
{
    snpy_io_begin(error, path);
    *writer = snpy_writer_make(description, grows, error);
    if (*writer == NULL) return error->error.status;
    return snpy_writer_hand_out(writer, snpy_writer_to_path(*writer, path, error));
}

snpy_status snpy_writer_open_claimed(snpy_writer **writer, snpy_output *output, const snpy_description *description,
                                     bool grows, snpy_io_error *error)
{
    snpy_io_begin(error, output->path != NULL ? output->path : "");
    *writer = snpy_writer_make(description, grows, error);
    if (*writer == NULL) {
        snpy_output_abandon(output);
        return error->error.status;
    }
    (*writer)->output = *output;
    snpy_output_clear(output);
    snpy_status status = snpy_output_open_claimed(&(*writer)->output, error);
    if (status == SNPY_OK) status = snpy_writer_begin(*writer, error);
    return snpy_writer_hand_out(writer, status);
}

snpy_status snpy_writer_open_descriptor(snpy_writer **writer, int descriptor, const snpy_description *description,
                                        bool grows, snpy_io_error *error)
{
    snpy_io_begin(error, "");
    *writer = snpy_writer_make(description, grows, error);
    if (*writer == NULL) return error->error.status;
    return snpy_writer_hand_out(writer, snpy_writer_to_descriptor(*writer, descriptor, error));
}

snpy_status snpy_writer_open_stream(snpy_writer **writer, FILE *stream, const snpy_description *description, bool grows,
                                    snpy_io_error *error)
{
    snpy_io_begin(error, "");
    *writer = snpy_writer_make(description, grows, error);
    if (*writer == NULL) return error->error.status;
    return snpy_writer_hand_out(writer, snpy_writer_to_stream(*writer, stream, error));
}

void snpy_writer_forget_acl(snpy_writer *writer)
{
    if (writer != NULL) writer->output.drop_acl = true;
}

uint64_t snpy_writer_written(const snpy_writer *writer)
{
    return writer != NULL ? writer->written : 0;
}

/* --- data -------------------------------------------------------------------------------------------------- */

/* Starts a call: clears the error and sets its path. Returns false with SNPY_BAD_ARGUMENT if the writer is NULL or has
 * failed before. */
static bool snpy_writer_is_open(const snpy_writer *writer, snpy_io_error *error)
{
    const bool has_path = writer != NULL && writer->output.path != NULL;
    snpy_io_begin(error, has_path ? writer->output.path : "");
    if (writer != NULL && !writer->failed) return true;
    (void)snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    return false;
}

snpy_status snpy_writer_add(snpy_writer *writer, const void *data, uint64_t size, snpy_io_error *error)
{
    if (!snpy_writer_is_open(writer, error)) return SNPY_BAD_ARGUMENT;
    const snpy_header *header = &writer->array.header;
    const uint64_t most = writer->grows ? SNPY_MAX_SIZE : header->data_size;
    if (size > most - writer->written) {
        (void)snpy_io_refuse(error, writer->grows ? SNPY_SIZE_OVERFLOW : SNPY_TRAILING_DATA,
                             header->frame.data_offset + most);
        return snpy_writer_fail(writer, error);
    }
    if (snpy_writer_put(writer, data, size, error) != SNPY_OK) return snpy_writer_fail(writer, error);
    writer->written += size;
    return SNPY_OK;
}

/* Overwrites the header with that of the array's final length.                           NPY-WRITE-012, HOST-GROWTH */
static snpy_status snpy_writer_rewrite_header(snpy_writer *writer, snpy_io_error *error)
{
    const uint64_t start = writer->array.header.frame.data_offset;
    const uint64_t row = writer->row_size;
    snpy_array grown;
    if (writer->written % row != 0) return snpy_io_refuse(error, SNPY_TRUNCATED_DATA, start + writer->written);
    snpy_status status = snpy_make_grown_head(&writer->array, writer->written / row, &grown, error);
    if (status == SNPY_OK)
        status = snpy_write_at(writer->output.descriptor, grown.head_, start, (uint64_t)writer->start, error);
    snpy_array_release(&grown);
    return status;
}

/* Sets the stream's position to its descriptor's, if it can seek. */
static snpy_status snpy_writer_return_stream(const snpy_writer *writer, snpy_io_error *error)
{
    if (writer->output.descriptor < 0)
        return fflush(writer->stream) == 0 ? SNPY_OK : snpy_io_fail(error, "fflush", errno);
    off_t position = lseek(writer->output.descriptor, 0, SEEK_CUR);
    if (position < 0 && errno == ESPIPE) return SNPY_OK;
    if (position < 0) return snpy_io_fail(error, "lseek", errno);
    return fseeko(writer->stream, position, SEEK_SET) == 0 ? SNPY_OK : snpy_io_fail(error, "fseeko", errno);
}

/* Checks that all data were written, rewrites the header of an array that grew, and finishes the output. */
static snpy_status snpy_writer_complete(snpy_writer *writer, snpy_io_error *error)
{
    const snpy_header *header = &writer->array.header;
    snpy_status status = SNPY_OK;
    if (writer->grows)
        status = snpy_writer_rewrite_header(writer, error);
    else if (writer->written != header->data_size)
        status = snpy_io_refuse(error, SNPY_TRUNCATED_DATA, header->frame.data_offset + writer->written);
    if (status == SNPY_OK && writer->stream != NULL) status = snpy_writer_return_stream(writer, error);
    return status == SNPY_OK ? snpy_output_finish(&writer->output, error) : status;
}

snpy_status snpy_writer_finish(snpy_writer **writer, snpy_io_error *error)
{
    snpy_status status = SNPY_BAD_ARGUMENT;
    if (snpy_writer_is_open(*writer, error)) status = snpy_writer_complete(*writer, error);
    snpy_writer_abandon(writer);
    return status;
}

/* --- whole arrays ------------------------------------------------------------------------------------------ */

/* Prepares to save a whole array as numpy.save would, and checks its size against the header. */
static snpy_status snpy_save_prepare(snpy_writer *writer, const snpy_description *description, uint64_t size,
                                     snpy_io_error *error)
{
    snpy_header header = *description->header;
    snpy_description normal = *description;
    normal.header = &header;
    snpy_normalise_order(&header);
    snpy_status status = snpy_writer_prepare(writer, &normal, false, error);
    const snpy_header *prepared = &writer->array.header;
    if (status == SNPY_OK && size != prepared->data_size) /* the call is wrong, not a file */
        status = snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    return status == SNPY_OK ? SNPY_OK : snpy_writer_give_up(writer, status);
}

/* Writes all data, completes the file and closes the writer. */
static snpy_status snpy_save_data(snpy_writer *writer, const void *data, uint64_t size, snpy_io_error *error)
{
    snpy_status status = snpy_writer_add(writer, data, size, error);
    if (status == SNPY_OK) status = snpy_writer_complete(writer, error);
    snpy_writer_close(writer);
    return status;
}

snpy_status snpy_save(const char *path, const snpy_description *description, const void *data, uint64_t size,
                      snpy_io_error *error)
{
    snpy_writer writer;
    snpy_io_begin(error, path);
    snpy_status status = snpy_save_prepare(&writer, description, size, error);
    if (status == SNPY_OK) status = snpy_writer_to_path(&writer, path, error);
    return status == SNPY_OK ? snpy_save_data(&writer, data, size, error) : status;
}

snpy_status snpy_save_descriptor(int descriptor, const snpy_description *description, const void *data, uint64_t size,
                                 snpy_io_error *error)
{
    snpy_writer writer;
    snpy_io_begin(error, "");
    snpy_status status = snpy_save_prepare(&writer, description, size, error);
    if (status == SNPY_OK) status = snpy_writer_to_descriptor(&writer, descriptor, error);
    return status == SNPY_OK ? snpy_save_data(&writer, data, size, error) : status;
}

snpy_status snpy_save_stream(FILE *stream, const snpy_description *description, const void *data, uint64_t size,
                             snpy_io_error *error)
{
    snpy_writer writer;
    snpy_io_begin(error, "");
    snpy_status status = snpy_save_prepare(&writer, description, size, error);
    if (status == SNPY_OK) status = snpy_writer_to_stream(&writer, stream, error);
    return status == SNPY_OK ? snpy_save_data(&writer, data, size, error) : status;
}
