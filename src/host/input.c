/* input.c: reads the data of one array from a file or a stream.                              HOST-IO, HOST-CHANGED
 * read_header.c reads the header; part.c decides which bytes are read. */
#include "host/part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void snpy_input_clear(snpy_input *input)
{
    input->is_borrowed = false;
    input->header = 0;
    input->position = 0;
    input->window_from = 0;
    input->window_size = 0;
}

void snpy_input_from_file(snpy_input *input, int descriptor, uint64_t start)
{
    static const snpy_reader empty = {.descriptor = -1};
    snpy_input_clear(input);
    input->reader = empty;
    input->reader.descriptor = descriptor;
    input->reader.start = start;
    input->is_borrowed = true;
    input->header = start;
}

snpy_status snpy_input_open(const char *path, const snpy_options *options, snpy_file *file, snpy_input *input)
{
    return snpy_input_open_at(path, 0, options, file, input);
}

snpy_status snpy_input_open_at(const char *path, uint64_t start, const snpy_options *options, snpy_file *file,
                               snpy_input *input)
{
    static const snpy_file unknown = {.size = 0};
    snpy_io_error error;
    snpy_reader *reader = &input->reader;
    *file = unknown;
    snpy_io_begin(&error, "");
    snpy_input_clear(input);
    input->is_borrowed = strcmp(path, "-") == 0;
    int descriptor = input->is_borrowed ? STDIN_FILENO : snpy_open(path, O_RDONLY, 0);
    reader->descriptor = descriptor;
    if (descriptor < 0) {
        (void)snpy_io_fail(&error, "open", errno);
        return snpy_file_fail(file, &error);
    }
    snpy_status status = snpy_reader_of_input(reader, descriptor, input->is_borrowed, &error);
    if (status == SNPY_OK) status = snpy_reader_skip(reader, start, &error);
    if (status == SNPY_OK) status = snpy_read_header(reader, options, false, &file->head, &error);
    file->start = start;
    if (status != SNPY_OK) {
        snpy_input_close(input);
        return snpy_file_fail(file, &error);
    }
    file->size = reader->size;
    input->header = file->head.header.frame.data_offset;
    if (reader->knows_size) { /* a regular file: any part can be read; what was held may have changed */
        reader->is_stream = false;
        reader->held_size = 0;
        snpy_find_another(reader, file);
    }
    snpy_reader_move(reader, input->header);
    return SNPY_OK;
}

void snpy_input_close(snpy_input *input)
{
    const int descriptor = input->reader.descriptor;
    if (descriptor >= 0 && !input->is_borrowed) (void)close(descriptor); /* only read from */
    input->reader.descriptor = -1;
}

snpy_status snpy_input_some(snpy_input *input, uint64_t offset, uint8_t *out, uint64_t size, uint64_t *got,
                            snpy_io_error *error)
{
    const bool is_stream = input->reader.is_stream;
    if (is_stream && input->position != offset) return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, offset);
    snpy_status status = snpy_reader_some(&input->reader, offset, out, size, got, error);
    if (is_stream && status == SNPY_OK) input->position += *got;
    return status;
}

bool snpy_input_expect(const snpy_input *input, uint64_t size)
{
#if defined(_SC_PHYS_PAGES) && defined(POSIX_FADV_WILLNEED)
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0 || size / (uint64_t)page >= (uint64_t)pages / 4) return false;
    return posix_fadvise(input->reader.descriptor, (off_t)input->reader.start, (off_t)size, POSIX_FADV_WILLNEED) == 0;
#else
    (void)input, (void)size;
    return false;
#endif
}

snpy_status snpy_input_refuse_end(const snpy_input *input, uint64_t offset, snpy_io_error *error)
{
    snpy_status status = input->reader.is_stream ? SNPY_TRUNCATED_DATA : SNPY_FILE_CHANGED;
    return snpy_io_refuse(error, status, input->header + offset);
}

/* Reads exactly `size` bytes; from a stream `offset` must be its position.   NPY-DATA-001, HOST-IO, HOST-CHANGED */
static snpy_status snpy_input_take(snpy_input *input, uint64_t offset, uint8_t *out, uint64_t size,
                                   snpy_io_error *error)
{
    uint64_t done = 0;
    while (done < size) {
        uint64_t got = 0;
        snpy_status status = snpy_input_some(input, offset + done, out + done, size - done, &got, error);
        if (status != SNPY_OK) return status;
        if (got == 0) return snpy_input_refuse_end(input, offset + done, error);
        done += got;
    }
    return SNPY_OK;
}

/* Reads and drops a stream's bytes up to an offset. SNPY_BAD_ARGUMENT if it is already past it. */
static snpy_status snpy_input_skip(snpy_input *input, uint64_t offset, snpy_io_error *error)
{
    uint8_t dropped[16384];
    while (input->position < offset) {
        uint64_t left = offset - input->position;
        uint64_t step = left < sizeof dropped ? left : sizeof dropped;
        snpy_status status = snpy_input_take(input, input->position, dropped, step, error);
        if (status != SNPY_OK) return status;
    }
    return input->position == offset ? SNPY_OK : snpy_io_refuse(error, SNPY_BAD_ARGUMENT, offset);
}

snpy_status snpy_input_read(snpy_input *input, uint64_t offset, uint8_t *out, uint64_t size, snpy_io_error *error)
{
    snpy_status status = input->reader.is_stream ? snpy_input_skip(input, offset, error) : SNPY_OK;
    return status != SNPY_OK ? status : snpy_input_take(input, offset, out, size, error);
}

snpy_status snpy_input_window(snpy_input *input, uint64_t offset, size_t size, uint64_t end, const uint8_t **bytes,
                              snpy_io_error *error)
{
    uint64_t window_end = input->window_from + input->window_size;
    bool begins_inside = offset >= input->window_from && offset <= window_end;
    *bytes = input->window;
    if (begins_inside && size <= window_end - offset) {
        *bytes = input->window + (offset - input->window_from);
        return SNPY_OK;
    }
    /* A stream's bytes cannot be read again: those still needed move to the front of the window. */
    size_t kept = begins_inside ? (size_t)(window_end - offset) : 0;
    size_t wanted = (size_t)(end - offset < SNPY_WINDOW ? end - offset : SNPY_WINDOW);
    if (kept > 0) memmove(input->window, input->window + (offset - input->window_from), kept);
    input->window_from = offset;
    input->window_size = 0; /* until it is filled */
    snpy_status status = snpy_input_read(input, offset + kept, input->window + kept, wanted - kept, error);
    if (status == SNPY_OK) input->window_size = wanted;
    return status;
}

const char *snpy_temporary_directory(void)
{
    const char *directory = getenv("TMPDIR");
    return directory == NULL || directory[0] == '\0' ? "/tmp" : directory;
}

snpy_status snpy_make_nameless(int *descriptor, snpy_io_error *error)
{
    const char *directory = snpy_temporary_directory();
    size_t length = strlen(directory);
    char *place = malloc(length + 2);
    char *name = NULL;
    int slot = 0;
    if (place == NULL) return snpy_io_no_memory(error, "malloc");
    memcpy(place, directory, length);
    place[length] = '/';
    place[length + 1] = '\0';
    snpy_status status = snpy_make_temporary(place, true, descriptor, &name, &slot, error);
    if (status != SNPY_OK) snpy_io_name(error, directory);
    snpy_drop_temporary(&name, &slot);
    free(place);
    return status;
}

/* Copies `size` bytes of data from a stream to a file. */
static snpy_status snpy_input_pour(snpy_input *input, int descriptor, uint64_t size, snpy_io_error *error)
{
    while (input->position < size) {
        uint64_t left = size - input->position;
        uint64_t step = left < SNPY_WINDOW ? left : SNPY_WINDOW;
        snpy_status status = snpy_input_take(input, input->position, input->window, step, error);
        if (status != SNPY_OK) return status;
        status = snpy_write_all(descriptor, input->window, step, error);
        if (status == SNPY_OK) continue;
        snpy_io_name(error, snpy_temporary_directory());
        return status;
    }
    return SNPY_OK;
}

snpy_status snpy_input_spool(snpy_input *input, uint64_t size, snpy_io_error *error)
{
    int descriptor = -1;
    if (!input->reader.is_stream) return SNPY_OK;
    snpy_status status = snpy_make_nameless(&descriptor, error);
    if (status != SNPY_OK) return status;
    status = snpy_input_pour(input, descriptor, size, error);
    if (status != SNPY_OK) {
        (void)close(descriptor); /* which deletes the file: it has no name */
        return status;
    }
    const uint64_t header = input->header;
    snpy_input_close(input);
    snpy_input_from_file(input, descriptor, 0);
    input->is_borrowed = false;
    input->header = header;
    return SNPY_OK;
}
