/* file.c: from a path to a verdict.
 * Proves nothing. Leaves every decision about bytes to the core. */
#include "host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The build asks for files above 2 GiB on machines of 32 bits, too (_FILE_OFFSET_BITS). */
typedef char snpy_sizes_have_64_bits[sizeof(off_t) == 8 ? 1 : -1];

/* What the first read asks for: the header of almost every file, in one page. */
#define FIRST_READ 4096u

/* One file while it is being read. */
typedef struct snpy_reader {
    int descriptor;
    bool at_end;        /* a read has returned nothing */
    bool knows_size;    /* file->size is right before the file was read: a regular file */
    bool stops_at_data; /* of a file whose size is not known, the data are left for others */
    snpy_workspace *workspace;
    snpy_file *file;
} snpy_reader;

/* Ends with a verdict about the file. */
static snpy_status snpy_refuse(snpy_file *file, snpy_status status, uint64_t offset)
{
    file->error.status = status;
    file->error.offset = offset;
    return status;
}

/* Ends without a verdict: `reason` is an errno.                                                  HOST-IO */
static snpy_status snpy_give_up(snpy_file *file, snpy_status status, int reason)
{
    file->system_error = reason;
    return snpy_refuse(file, status, 0);
}

/* Finds the size of a regular file, counted from where the descriptor stands (standard input may have
 * been read before). A size of 0 is not believed: files of /proc say so and hold bytes.            HOST-IO */
static snpy_status snpy_find_size(snpy_reader *reader)
{
    struct stat about;
    if (fstat(reader->descriptor, &about) != 0) return snpy_give_up(reader->file, SNPY_IO_ERROR, errno);
    if (!S_ISREG(about.st_mode) || about.st_size <= 0) return SNPY_OK;
    off_t position = reader->descriptor == STDIN_FILENO ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    if (position < 0 || position >= about.st_size) return SNPY_OK;
    reader->file->size = (uint64_t)(about.st_size - position);
    reader->knows_size = true;
    return SNPY_OK;
}

/* Reads on until `wanted` bytes are in memory or the file ends, never beyond `most` bytes. The buffer
 * grows as bytes arrive, not as they are claimed.                                      HOST-IO, HOST-MEMORY */
static snpy_status snpy_fill(snpy_reader *reader, size_t wanted, size_t most)
{
    snpy_workspace *workspace = reader->workspace;
    snpy_file *file = reader->file;
    while (file->length < wanted && !reader->at_end) {
        if (!snpy_grow(&workspace->bytes, &workspace->capacity, file->length + 1))
            return snpy_give_up(file, SNPY_NO_MEMORY, ENOMEM);
        size_t end = workspace->capacity < most ? workspace->capacity : most;
        ptrdiff_t received = snpy_read_some(reader->descriptor, workspace->bytes + file->length, end - file->length);
        if (received < 0) return snpy_give_up(file, SNPY_IO_ERROR, errno);
        reader->at_end = received == 0;
        file->length += (size_t)received;
        file->bytes = workspace->bytes;
    }
    if (reader->at_end) file->size = file->length;
    return SNPY_OK;
}

/* Reads the prefix, checks it, and brings the header text into memory.   NPY-FRAME-001 … 006, HOST-MEMORY */
static snpy_status snpy_load_header(snpy_reader *reader, const snpy_options *options)
{
    snpy_file *file = reader->file;
    snpy_frame *frame = &file->header.frame;
    if (snpy_fill(reader, SNPY_MAX_PREFIX, FIRST_READ) != SNPY_OK) return file->error.status;
    if (snpy_parse_frame(file->bytes, file->length, options, frame, &file->error) != SNPY_OK) return file->error.status;
    file->has_frame = true;
    if (reader->knows_size && !reader->at_end && frame->data_offset > file->size)
        return snpy_refuse(file, SNPY_TRUNCATED_HEADER, file->size);
    size_t wanted = frame->data_offset < SIZE_MAX ? (size_t)frame->data_offset : SIZE_MAX;
    if (snpy_fill(reader, wanted, wanted) != SNPY_OK) return file->error.status;
    if (file->length < frame->data_offset) return snpy_refuse(file, SNPY_TRUNCATED_HEADER, file->length);
    return SNPY_OK;
}

/* Parses the header.                                                                             HOST-MEMORY */
static snpy_status snpy_parse_loaded(snpy_reader *reader, const snpy_options *options)
{
    snpy_file *file = reader->file;
    if (snpy_parse_growing(file->bytes, file->length, options, &reader->workspace->table, &file->header,
                           &file->error) == SNPY_NO_MEMORY)
        return snpy_give_up(file, SNPY_NO_MEMORY, ENOMEM);
    return file->error.status;
}

/* Counts what is left of a file that does not know its size.                                       HOST-IO */
static snpy_status snpy_count_rest(snpy_reader *reader)
{
    uint8_t scratch[65536];
    snpy_file *file = reader->file;
    if (reader->knows_size) return SNPY_OK;
    uint64_t size = file->length;
    ptrdiff_t received;
    while ((received = snpy_read_some(reader->descriptor, scratch, sizeof scratch)) > 0) size += (uint64_t)received;
    if (received < 0) return snpy_give_up(file, SNPY_IO_ERROR, errno);
    file->size = size;
    return SNPY_OK;
}

/* Judges what an open descriptor holds; the descriptor stays open.               NPY-FRAME … NPY-DATA, HOST-IO */
static snpy_status snpy_judge_reader(snpy_reader *reader, const snpy_options *options, bool allow_trailing)
{
    snpy_file *file = reader->file;
    if (snpy_find_size(reader) != SNPY_OK) return file->error.status;
    if (snpy_load_header(reader, options) != SNPY_OK) return file->error.status;
    if (snpy_parse_loaded(reader, options) != SNPY_OK) return file->error.status;
    if (reader->stops_at_data && !reader->knows_size) return SNPY_OK;
    if (snpy_count_rest(reader) != SNPY_OK) return file->error.status;
    return snpy_check_data(&file->header, file->size, allow_trailing, &file->error);
}

/* Empties what is said of a file; the shape of a header that was not parsed is never looked at. */
static void snpy_forget(snpy_file *file, const snpy_workspace *workspace)
{
    file->error.status = SNPY_OK;
    file->error.offset = 0;
    file->system_error = 0;
    file->bytes = workspace->bytes;
    file->length = 0;
    file->size = 0;
    file->has_frame = false;
}

snpy_status snpy_judge_file(const char *path, const snpy_options *options, bool allow_trailing,
                            snpy_workspace *workspace, snpy_file *file)
{
    snpy_reader reader = {STDIN_FILENO, false, false, false, workspace, file};
    bool is_standard_input = strcmp(path, "-") == 0;
    snpy_forget(file, workspace);
    if (!is_standard_input) {
        do reader.descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        while (reader.descriptor < 0 && errno == EINTR);
        if (reader.descriptor < 0) return snpy_give_up(file, SNPY_IO_ERROR, errno);
    }
    snpy_judge_reader(&reader, options, allow_trailing);
    if (!is_standard_input) close(reader.descriptor);
    return file->error.status;
}

snpy_status snpy_judge_descriptor(int descriptor, const snpy_options *options, snpy_workspace *workspace,
                                  snpy_file *file, bool *knows_size)
{
    snpy_reader reader = {descriptor, false, false, true, workspace, file};
    snpy_forget(file, workspace);
    snpy_judge_reader(&reader, options, true);
    *knows_size = reader.knows_size;
    return file->error.status;
}
