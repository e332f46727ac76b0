/* file.c: from a path to a verdict.                                      NPY-FRAME … NPY-DATA, NPY-HDR-006, HOST-IO
 * Proves nothing. Leaves reading to reader.c and read_header.c, and every decision about bytes to the core. */
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

/* Counts what is left of a file that does not know its size, and compares it with what the header declares. */
static snpy_status snpy_count_rest(snpy_reader *reader, bool allow_trailing, snpy_file *file, snpy_io_error *error)
{
    uint8_t scratch[65536];
    uint64_t got = 1;
    if (reader->knows_size) return SNPY_OK; /* it was compared */
    for (file->size = file->head.head_size_; got > 0; file->size += got) {
        snpy_status status = snpy_reader_some(reader, file->size, scratch, sizeof scratch, &got, error);
        if (status != SNPY_OK) return status;
    }
    return snpy_check_data(&file->head.header, file->size, allow_trailing, &error->error);
}

/* Reads the header of what a path names, and with `is_whole` all else that the size needs. `size`, if it is not NULL, is
 * that of the object which the bytes begin. */
static snpy_status snpy_judge_path(const char *path, const snpy_options *options, bool allow_trailing,
                                   const uint64_t *size, snpy_file *file)
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
    if (size != NULL) {
        reader.size = *size;
        reader.knows_size = *size != UINT64_MAX;
    }
    file->size = reader.size;
    if (status == SNPY_OK) status = snpy_read_header(&reader, options, !allow_trailing, &file->head, &error);
    if (status == SNPY_OK && size == NULL) status = snpy_count_rest(&reader, allow_trailing, file, &error);
    if (!is_standard_input) (void)close(descriptor); /* only read from */
    return status == SNPY_OK ? SNPY_OK : snpy_file_fail(file, &error);
}

snpy_status snpy_judge_file(const char *path, const snpy_options *options, bool allow_trailing, snpy_file *file)
{
    return snpy_judge_path(path, options, allow_trailing, NULL, file);
}

snpy_status snpy_judge_start(const char *path, const snpy_options *options, bool allow_trailing, uint64_t size,
                             snpy_file *file)
{
    return snpy_judge_path(path, options, allow_trailing, &size, file);
}

snpy_status snpy_judge_canonical(snpy_file *file)
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
