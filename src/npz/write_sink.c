/* write_sink.c: writes the bytes of an archive to the output, through a buffer.                    HOST-IO, HOST-MEMORY
 * The host opens and closes files. The buffer saves system calls when there are many small members; a header that is
 * still in it is completed there. */
#include "npz/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Capacity of the buffer, in bytes. */
#ifndef SNPY_HELD_CAPACITY /* harnesses use less */
#define SNPY_HELD_CAPACITY ((size_t)131072)
#endif

/* Sets can_patch and start: a regular file can be overwritten, unless it is opened with O_APPEND. */
static snpy_status snpy_sink_measure(snpy_zip_sink *sink, snpy_io_error *error)
{
    struct stat about;
    if (fstat(sink->output.descriptor, &about) != 0) return snpy_io_fail(error, "fstat", errno);
    if (!S_ISREG(about.st_mode)) return SNPY_OK;
    int flags = fcntl(sink->output.descriptor, F_GETFL);
    if (flags < 0) return snpy_io_fail(error, "fcntl", errno);
    off_t position = lseek(sink->output.descriptor, 0, SEEK_CUR);
    if (position < 0) return snpy_io_fail(error, "lseek", errno);
    sink->start = (uint64_t)position;
    sink->can_patch = (flags & O_APPEND) == 0; /* with O_APPEND, pwrite would append */
    return SNPY_OK;
}

snpy_status snpy_sink_begin(snpy_zip_sink *sink, snpy_io_error *error)
{
    snpy_status status = snpy_sink_measure(sink, error);
    if (status != SNPY_OK) return status;
    sink->held = malloc(SNPY_HELD_CAPACITY);
    sink->tail = malloc(SNPY_ZIP_TAIL);
    if (sink->held == NULL || sink->tail == NULL) return snpy_io_no_memory(error, "malloc");
    return SNPY_OK;
}

void snpy_sink_end(snpy_zip_sink *sink)
{
    free(sink->held);
    free(sink->tail);
    sink->held = NULL;
    sink->tail = NULL;
}

snpy_status snpy_sink_flush(snpy_zip_sink *sink, snpy_io_error *error)
{
    size_t size = sink->held_size;
    sink->held_size = 0;
    return size > 0 ? snpy_write_all(sink->output.descriptor, sink->held, size, error) : SNPY_OK;
}

/* Copies the last bytes of a piece, which begins at offset `at` of the archive, to the tail. */
static void snpy_sink_remember(snpy_zip_sink *sink, uint64_t at, const uint8_t *bytes, uint64_t size)
{
    uint64_t done = size > SNPY_ZIP_TAIL ? size - SNPY_ZIP_TAIL : 0;
    while (done < size) {
        size_t slot = (size_t)((at + done) % SNPY_ZIP_TAIL);
        size_t to_end = SNPY_ZIP_TAIL - slot;
        size_t part = size - done < to_end ? (size_t)(size - done) : to_end;
        memcpy(sink->tail + slot, bytes + done, part);
        done += part;
    }
}

snpy_status snpy_sink_put(snpy_zip_sink *sink, const uint8_t *bytes, uint64_t size, snpy_io_error *error)
{
    snpy_status status = SNPY_OK;
    if (size == 0) return SNPY_OK;
    if (size > SNPY_MAX_SIZE - sink->position) return snpy_io_fail(error, "write", EFBIG);
    snpy_sink_remember(sink, sink->position, bytes, size);
    sink->position += size;
    if (size > SNPY_HELD_CAPACITY - sink->held_size) status = snpy_sink_flush(sink, error);
    if (status != SNPY_OK) return status;
    if (size >= SNPY_HELD_CAPACITY) return snpy_write_all(sink->output.descriptor, bytes, size, error);
    memcpy(sink->held + sink->held_size, bytes, (size_t)size);
    sink->held_size += (size_t)size;
    return SNPY_OK;
}

snpy_status snpy_sink_patch(snpy_zip_sink *sink, uint64_t at, const uint8_t *bytes, size_t size, snpy_io_error *error)
{
    uint64_t written = sink->position - sink->held_size;
    for (size_t i = 0; i < size; i++)
        if (sink->position - (at + i) <= SNPY_ZIP_TAIL) sink->tail[(at + i) % SNPY_ZIP_TAIL] = bytes[i];
    if (at >= written) {
        memcpy(sink->held + (size_t)(at - written), bytes, size);
        return SNPY_OK;
    }
    snpy_status status = at + size > written ? snpy_sink_flush(sink, error) : SNPY_OK;
    if (status != SNPY_OK) return status;
    return snpy_write_at(sink->output.descriptor, bytes, size, sink->start + at, error);
}

size_t snpy_sink_tail(const snpy_zip_sink *sink, uint8_t *out)
{
    size_t length = sink->position < SNPY_ZIP_TAIL ? (size_t)sink->position : SNPY_ZIP_TAIL;
    size_t slot = (size_t)((sink->position - length) % SNPY_ZIP_TAIL);
    size_t first = length < SNPY_ZIP_TAIL - slot ? length : SNPY_ZIP_TAIL - slot;
    memcpy(out, sink->tail + slot, first);
    memcpy(out + first, sink->tail, length - first);
    return length;
}
