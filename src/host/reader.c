/* reader.c: reads bytes at an offset of a file, a stream, memory, or a callback.                           HOST-IO
 * read.c wraps read(2). */
#include "host/reader.h"

#include "host/io.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The build sets _FILE_OFFSET_BITS, so that 32-bit machines, too, read files above 2 GiB. */
typedef char snpy_sizes_have_64_bits[sizeof(off_t) == 8 ? 1 : -1];

static void snpy_reader_clear(snpy_reader *reader)
{
    static const snpy_reader empty = {.descriptor = -1};
    *reader = empty;
}

/* Sets is_file, and for a regular file that is not empty `start`, `size` and knows_size, from its position on; `is_new`
 * says that the position is 0. */
static snpy_status snpy_reader_measure(snpy_reader *reader, int descriptor, bool is_new, snpy_io_error *error)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0) return snpy_io_fail(error, "fstat", errno);
    reader->is_file = S_ISREG(about.st_mode);
    if (!reader->is_file || about.st_size <= 0) return SNPY_OK;
    off_t position = 0;
    if (!is_new) position = reader->file != NULL ? ftello(reader->file) : lseek(descriptor, 0, SEEK_CUR);
    if (position < 0) return snpy_io_fail(error, reader->file != NULL ? "ftello" : "lseek", errno);
    if (position >= about.st_size) return SNPY_OK;
    reader->start = (uint64_t)position;
    reader->size = (uint64_t)(about.st_size - position);
    reader->knows_size = true;
    return SNPY_OK;
}

snpy_status snpy_reader_of_file(snpy_reader *reader, int descriptor, snpy_io_error *error)
{
    snpy_reader_clear(reader);
    reader->descriptor = descriptor;
    reader->reads_ahead = true;
    snpy_status status = snpy_reader_measure(reader, descriptor, true, error);
    reader->is_stream = !reader->knows_size;
    return status;
}

void snpy_reader_of_part(snpy_reader *reader, int descriptor, uint64_t start)
{
    snpy_reader_clear(reader);
    reader->descriptor = descriptor;
    reader->start = start;
}

snpy_status snpy_reader_of_descriptor(snpy_reader *reader, int descriptor, snpy_io_error *error)
{
    snpy_reader_clear(reader);
    reader->descriptor = descriptor;
    reader->is_stream = true;
    return snpy_reader_measure(reader, descriptor, false, error);
}

snpy_status snpy_reader_of_input(snpy_reader *reader, int descriptor, bool is_lent, snpy_io_error *error)
{
    if (!is_lent) return snpy_reader_of_file(reader, descriptor, error);
    snpy_status status = snpy_reader_of_descriptor(reader, descriptor, error);
    reader->reads_ahead = true;
    return status;
}

snpy_status snpy_reader_of_stdio(snpy_reader *reader, FILE *file, snpy_io_error *error)
{
    snpy_reader_clear(reader);
    reader->file = file;
    reader->is_stream = true;
    int descriptor = fileno(file);
    return descriptor < 0
               ? SNPY_OK
               : snpy_reader_measure(reader, descriptor, false, error); /* no descriptor: a stream over memory */
}

void snpy_reader_of_memory(snpy_reader *reader, const void *bytes, size_t length)
{
    static const uint8_t nothing[1] = {0};
    snpy_reader_clear(reader);
    reader->memory = length > 0 ? bytes : nothing;
    reader->size = length;
    reader->knows_size = true;
}

void snpy_reader_of_function(snpy_reader *reader, snpy_read_bytes *read, void *context, uint64_t size, bool is_stream)
{
    snpy_reader_clear(reader);
    reader->read = read;
    reader->context = context;
    reader->is_stream = is_stream;
    reader->reads_ahead = !is_stream;
    reader->size = size;
    reader->knows_size = true;
}

snpy_status snpy_ask_caller(void *context, uint64_t offset, uint8_t *out, size_t wanted, size_t *got,
                            snpy_io_error *error)
{
    const snpy_lent *lent = context;
    int64_t received = lent->read(lent->context, offset, wanted, out);
    if (received < 0) return snpy_io_fail(error, "callback", received >= -INT_MAX ? (int)-received : EIO);
    if ((uint64_t)received > wanted) return snpy_io_fail(error, "callback", EIO);
    *got = (size_t)received;
    return SNPY_OK;
}

void snpy_reader_move(snpy_reader *reader, uint64_t offset)
{
    bool is_held = reader->held_size > offset;
    reader->held = is_held ? reader->held + offset : NULL;
    reader->held_size = is_held ? reader->held_size - (size_t)offset : 0;
    reader->position = reader->is_stream ? reader->position - offset : 0;
    reader->start += offset;
    reader->size -= reader->knows_size ? offset : 0;
}

snpy_status snpy_reader_skip(snpy_reader *reader, uint64_t offset, snpy_io_error *error)
{
    if (offset == 0) return SNPY_OK;
    if (!reader->knows_size) return snpy_io_fail(error, "lseek", ESPIPE);
    if (offset >= reader->size) return snpy_io_refuse(error, SNPY_FILE_CHANGED, 0);
    reader->is_stream = false;
    snpy_reader_move(reader, offset);
    return SNPY_OK;
}

/* Waits until a stream's descriptor is readable. Returns false with errno if waiting fails. */
static bool snpy_wait_stdio(FILE *file)
{
    struct pollfd waiting = {fileno(file), POLLIN, 0};
    while (poll(&waiting, 1, -1) < 0)
        if (errno != EINTR) return false;
    return true;
}

/* Reads from a stream of the C library. Returns the number of bytes, 0 at the end, -1 with errno. */
static ptrdiff_t snpy_read_stdio(FILE *file, uint8_t *out, size_t wanted)
{
    for (;;) {
        errno = 0;
        size_t received = fread(out, 1, wanted, file);
        int reason = errno;
        bool failed = ferror(file) != 0;
        if (failed) clearerr(file); /* else the next call would see this error */
        if (received > 0) return (ptrdiff_t)received;
        if (!failed) return 0;
        bool is_waiting = reason == EAGAIN && snpy_wait_stdio(file);
        if (reason != EINTR && !is_waiting) {
            errno = reason != 0 ? reason : EIO;
            return -1;
        }
    }
}

/* Copies up to `wanted` bytes at `offset` of `size` bytes in memory; sets *got to their number. */
static void snpy_reader_copy(const uint8_t *from, uint64_t size, uint64_t offset, uint8_t *out, uint64_t wanted,
                             uint64_t *got)
{
    uint64_t left = offset < size ? size - offset : 0;
    *got = left < wanted ? left : wanted;
    if (*got > 0) memcpy(out, from + offset, (size_t)*got);
}

/* Reads once from the callback, stream or descriptor; sets *got to the number of bytes, 0 at the end. */
static snpy_status snpy_reader_ask(snpy_reader *reader, uint64_t offset, uint8_t *out, size_t wanted, size_t *got,
                                   snpy_io_error *error)
{
    if (reader->read != NULL) return reader->read(reader->context, offset, out, wanted, got, error);
    const char *call = reader->file != NULL ? "fread" : reader->is_stream ? "read" : "pread";
    ptrdiff_t received;
    if (reader->file != NULL)
        received = snpy_read_stdio(reader->file, out, wanted);
    else if (reader->is_stream)
        received = snpy_read_some(reader->descriptor, out, wanted);
    else
        received = snpy_read_some_at(reader->descriptor, out, wanted, reader->start + offset);
    if (received < 0) return snpy_io_fail(error, call, errno);
    *got = (size_t)received;
    return SNPY_OK;
}

snpy_status snpy_reader_some(snpy_reader *reader, uint64_t offset, uint8_t *out, uint64_t wanted, uint64_t *got,
                             snpy_io_error *error)
{
    size_t request = (size_t)(wanted < PTRDIFF_MAX ? wanted : PTRDIFF_MAX);
    size_t received = 0;
    if (offset < reader->held_size) {
        snpy_reader_copy(reader->held, reader->held_size, offset, out, wanted, got);
        return SNPY_OK;
    }
    if (reader->memory != NULL) {
        snpy_reader_copy(reader->memory, reader->size, offset, out, wanted, got);
        return SNPY_OK;
    }
    if (reader->is_stream && offset != reader->position) return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, offset);
    snpy_status status = snpy_reader_ask(reader, offset, out, request, &received, error);
    reader->position += reader->is_stream ? received : 0;
    *got = received;
    return status;
}

snpy_status snpy_reader_read(snpy_reader *reader, uint64_t offset, uint8_t *out, uint64_t wanted, uint64_t *got,
                             snpy_io_error *error)
{
    *got = 0;
    while (*got < wanted) {
        uint64_t received = 0;
        snpy_status status = snpy_reader_some(reader, offset + *got, out + *got, wanted - *got, &received, error);
        if (status != SNPY_OK) return status;
        if (received == 0) break;
        *got += received;
    }
    return SNPY_OK;
}

snpy_status snpy_reader_refuse_end(const snpy_reader *reader, snpy_status status_if_size_unknown, uint64_t offset,
                                   snpy_io_error *error)
{
    return snpy_io_refuse(error, reader->knows_size ? SNPY_FILE_CHANGED : status_if_size_unknown, offset);
}
