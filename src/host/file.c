/* file.c: checks the file at a path.                                     NPY-FRAME … NPY-DATA, NPY-HDR-006, HOST-IO
 * reader.c and read_header.c read it; the core decides about its bytes. */
#include "host/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

snpy_status snpy_file_fail(snpy_file *file, const snpy_io_error *error)
{
    file->error = error->error;
    file->system_error = error->system_error;
    return file->error.status;
}

const uint8_t *snpy_file_start(const snpy_file *file, size_t *size)
{
    *size = file != NULL ? file->head.head_size_ : 0;
    return *size > 0 ? file->head.head_ : NULL;
}

/* Bytes of the magic string with which an array begins. */
#define MAGIC_SIZE ((uint64_t)6)

/* Returns the offset of the first byte after the data; UINT64_MAX for objects, whose end the header does not give. */
static uint64_t snpy_end_of_data(const snpy_header *header)
{
    return header->has_object ? UINT64_MAX : header->frame.data_offset + header->data_size;
}

/* Copies to `magic` those of the MAGIC_SIZE bytes from `end` on that are in `piece`, which begins at `offset` of the
 * file. */
static void snpy_keep_magic(const uint8_t *piece, uint64_t offset, uint64_t size, uint64_t end,
                            uint8_t magic[MAGIC_SIZE])
{
    for (uint64_t i = 0; i < MAGIC_SIZE; i++)
        if (end + i >= offset && end + i - offset < size) magic[i] = piece[end + i - offset];
}

/* Sets file->another to `end` if the bytes there are the magic string: another array follows the data. */
static void snpy_take_magic(snpy_file *file, uint64_t end, const uint8_t magic[MAGIC_SIZE])
{
    if (memcmp(magic, "\x93NUMPY", MAGIC_SIZE) == 0) file->another = end;
}

void snpy_find_another(const snpy_reader *reader, snpy_file *file)
{
    snpy_reader anywhere = *reader; /* reads at any offset: also possible if standard input is a file */
    const uint64_t end = snpy_end_of_data(&file->head.header);
    uint8_t magic[MAGIC_SIZE] = {0};
    uint64_t got = 0;
    snpy_io_error ignored;
    if (!reader->knows_size || reader->size < MAGIC_SIZE || end > reader->size - MAGIC_SIZE) return;
    anywhere.is_stream = false;
    snpy_io_begin(&ignored, "");
    if (snpy_reader_read(&anywhere, end, magic, MAGIC_SIZE, &got, &ignored) == SNPY_OK)
        snpy_take_magic(file, end, magic);
}

/* Reads a stream of unknown size to its end, sets file->size and file->another, and checks the size against what the
 * header declares. */
static snpy_status snpy_count_rest(snpy_reader *reader, bool allow_trailing, snpy_file *file, snpy_io_error *error)
{
    uint8_t scratch[65536];
    uint8_t magic[MAGIC_SIZE] = {0};
    uint64_t got = 1;
    const uint64_t end = snpy_end_of_data(&file->head.header);
    if (reader->knows_size) return SNPY_OK; /* snpy_read_header has checked it */
    snpy_keep_magic(file->head.head_, 0, file->head.head_size_, end, magic);
    for (file->size = file->head.head_size_; got > 0; file->size += got) {
        snpy_status status = snpy_reader_some(reader, file->size, scratch, sizeof scratch, &got, error);
        if (status != SNPY_OK) return status;
        snpy_keep_magic(scratch, file->size, got, end, magic);
    }
    snpy_take_magic(file, end, magic);
    return snpy_check_data(&file->head.header, file->size, allow_trailing, &error->error);
}

/* Whether an extent asks for the data of an object array, and they can be read. */
static bool snpy_wants_objects(const snpy_reader *reader, const snpy_extent *extent, const snpy_header *header)
{
    if (extent->objects == NULL || !header->has_object) return false;
    return extent->needs_objects || (reader->knows_size && reader->size - header->frame.data_offset <= SNPY_MAX_PICKLE);
}

/* Reads the data of an object array to the end, sets file->size, and checks it. */
static snpy_status snpy_read_objects(snpy_reader *reader, const snpy_extent *extent, snpy_file *file,
                                     snpy_io_error *error)
{
    snpy_pickle *objects = extent->objects;
    const uint64_t start = file->head.header.frame.data_offset;
    const uint64_t known = reader->knows_size ? reader->size - start : SNPY_SIZE_UNKNOWN;
    snpy_status status = snpy_read_payload(reader, start, known, &objects->bytes, &objects->size, error);
    if (status == SNPY_OK) {
        file->size = start + objects->size;
        return snpy_check_data(&file->head.header, file->size, true, &error->error);
    }
    free(objects->bytes);
    objects->bytes = NULL;
    if (status != SNPY_NO_MEMORY || extent->needs_objects) return status;
    snpy_io_begin(error, ""); /* a file can be accepted without them */
    return SNPY_OK;
}

/* Makes a reader begin at the start of an extent. For a part of a file its size becomes that of the whole object, or unknown,
 * so that the header is checked against that. */
static snpy_status snpy_apply_extent(snpy_reader *reader, const snpy_extent *extent, snpy_io_error *error)
{
    if (extent->is_partial) {
        reader->size = extent->size;
        reader->knows_size = extent->size != UINT64_MAX;
    }
    return snpy_reader_skip(reader, extent->start, error);
}

/* Checks what a reader reads, and fills `file`. */
static snpy_status snpy_check_reader(snpy_reader *reader, const snpy_options *options, bool allow_trailing,
                                     const snpy_extent *extent, snpy_file *file, snpy_io_error *error)
{
    snpy_status status = snpy_apply_extent(reader, extent, error);
    file->size = reader->size;
    file->start = extent->start;
    if (status != SNPY_OK) return status;
    status = snpy_read_header(reader, options, !allow_trailing, &file->head, error);
    if (extent->is_partial) return status;
    if (status == SNPY_OK) {
        status = snpy_wants_objects(reader, extent, &file->head.header)
                     ? snpy_read_objects(reader, extent, file, error)
                     : snpy_count_rest(reader, allow_trailing, file, error);
    }
    if (status == SNPY_OK || status == SNPY_TRAILING_DATA) snpy_find_another(reader, file);
    return status;
}

snpy_status snpy_check_extent(const char *path, const snpy_options *options, bool allow_trailing,
                              const snpy_extent *extent, snpy_file *file)
{
    static const snpy_file unknown = {.size = 0};
    snpy_io_error error;
    snpy_reader reader;
    const bool is_standard_input = strcmp(path, "-") == 0;
    *file = unknown;
    snpy_io_begin(&error, "");
    int descriptor = is_standard_input ? STDIN_FILENO : snpy_open(path, O_RDONLY, 0);
    if (descriptor < 0) {
        (void)snpy_io_fail(&error, "open", errno);
        return snpy_file_fail(file, &error);
    }
    snpy_status status = snpy_reader_of_input(&reader, descriptor, is_standard_input, &error);
    if (status == SNPY_OK) status = snpy_check_reader(&reader, options, allow_trailing, extent, file, &error);
    if (!is_standard_input) (void)close(descriptor); /* only read from */
    return status == SNPY_OK ? SNPY_OK : snpy_file_fail(file, &error);
}

snpy_status snpy_check_file(const char *path, const snpy_options *options, bool allow_trailing, snpy_file *file)
{
    static const snpy_extent all = {.start = 0};
    return snpy_check_extent(path, options, allow_trailing, &all, file);
}

snpy_status snpy_check_canonical_file(snpy_file *file)
{
    const size_t length = (size_t)file->head.header.frame.data_offset;
    snpy_description description;
    uint8_t *written = malloc(length);
    if (written == NULL) {
        file->error.status = SNPY_NO_MEMORY;
        file->system_error = ENOMEM;
        return SNPY_NO_MEMORY;
    }
    snpy_array_describe(&file->head, &description);
    snpy_status status = snpy_check_canonical(file->head.head_, length, &description, written, length, &file->error);
    free(written);
    return status;
}
