/* source.c: bytes from a descriptor, a stream or memory.                                                  HOST-IO
 * Proves nothing. Leaves read(2) to read.c and the meaning of the bytes to load.c. */
#include "host/io.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A source of nothing. */
static void snpy_source_clear(snpy_source *source)
{
    static const snpy_source empty = {.descriptor = -1};
    *source = empty;
}

/* Finds how many bytes a regular file holds behind where it stands. */
static snpy_status snpy_source_measure(snpy_source *source, int descriptor, snpy_io_error *error)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0) return snpy_io_fail(error, "fstat", errno);
    source->is_file = S_ISREG(about.st_mode);
    if (!source->is_file || about.st_size <= 0) return SNPY_OK;
    off_t position = source->stream != NULL ? ftello(source->stream) : lseek(descriptor, 0, SEEK_CUR);
    if (position < 0) return snpy_io_fail(error, source->stream != NULL ? "ftello" : "lseek", errno);
    if (position >= about.st_size) return SNPY_OK;
    source->size = (uint64_t)(about.st_size - position);
    source->knows_size = true;
    return SNPY_OK;
}

snpy_status snpy_source_descriptor(snpy_source *source, int descriptor, snpy_io_error *error)
{
    snpy_source_clear(source);
    source->descriptor = descriptor;
    return snpy_source_measure(source, descriptor, error);
}

snpy_status snpy_source_stream(snpy_source *source, FILE *stream, snpy_io_error *error)
{
    snpy_source_clear(source);
    source->stream = stream;
    int descriptor = fileno(stream);
    return descriptor < 0 ? SNPY_OK : snpy_source_measure(source, descriptor, error); /* none: a stream over memory */
}

void snpy_source_memory(snpy_source *source, const void *bytes, size_t length)
{
    snpy_source_clear(source);
    source->bytes = bytes;
    source->size = length;
    source->knows_size = true;
}

/* Waits until a stream's descriptor has something to read. */
static bool snpy_wait_stream(FILE *stream)
{
    struct pollfd waiting = {fileno(stream), POLLIN, 0};
    while (poll(&waiting, 1, -1) < 0)
        if (errno != EINTR) return false;
    return true;
}

/* Reads from a stream: its bytes, 0 at the end, -1 with errno. */
static ptrdiff_t snpy_read_stream(FILE *stream, uint8_t *out, size_t wanted)
{
    for (;;) {
        errno = 0;
        size_t received = fread(out, 1, wanted, stream);
        int reason = errno;
        bool failed = ferror(stream) != 0;
        if (failed) clearerr(stream); /* or the next call would see the error of this one */
        if (received > 0) return (ptrdiff_t)received;
        if (!failed) return 0;
        bool is_waiting = reason == EAGAIN && snpy_wait_stream(stream);
        if (reason != EINTR && !is_waiting) {
            errno = reason != 0 ? reason : EIO;
            return -1;
        }
    }
}

/* Copies from memory. */
static ptrdiff_t snpy_read_memory(const snpy_source *source, uint8_t *out, size_t wanted)
{
    uint64_t left = source->size - source->position;
    size_t length = left < wanted ? (size_t)left : wanted;
    if (length > 0) memcpy(out, source->bytes + source->position, length);
    return (ptrdiff_t)length;
}

snpy_status snpy_source_read(snpy_source *source, uint8_t *out, uint64_t wanted, uint64_t *received,
                             snpy_io_error *error)
{
    *received = 0;
    while (*received < wanted) {
        uint64_t left = wanted - *received;
        size_t request = (size_t)(left < PTRDIFF_MAX ? left : PTRDIFF_MAX);
        ptrdiff_t got;
        if (source->stream != NULL)
            got = snpy_read_stream(source->stream, out + *received, request);
        else if (source->descriptor >= 0)
            got = snpy_read_some(source->descriptor, out + *received, request);
        else
            got = snpy_read_memory(source, out + *received, request);
        if (got < 0) return snpy_io_fail(error, source->stream != NULL ? "fread" : "read", errno);
        if (got == 0) break;
        *received += (uint64_t)got;
        source->position += (uint64_t)got;
    }
    return SNPY_OK;
}
