/* reader.h: one way to read bytes, wherever they are, and the one function that reads a header with it.
 * Tested with each system call made to fail. The core decides about bytes.
 *
 * Functions that return a status fill `error` if they fail and leave it alone otherwise. */
#ifndef SAFENPY_HOST_READER_H
#define SAFENPY_HOST_READER_H

#include <stdio.h>

#include "safenpy/array.h"

/* --- read.c: read(2) and pread(2) ---------------------------------------------------------------------------- */

/* Reads up to `capacity` bytes like read(2), but retries after a signal and waits if the descriptor is non-blocking.
 * Returns the number of bytes, 0 at the end, -1 with errno.                                         HOST-IO */
ptrdiff_t snpy_read_some(int descriptor, uint8_t *out, size_t capacity);

/* Does the same at an offset of a file, like pread(2).                                             HOST-IO */
ptrdiff_t snpy_read_some_at(int descriptor, uint8_t *out, size_t capacity, uint64_t offset);

/* --- reader.c: bytes at an offset ----------------------------------------------------------------------------- */

/* A function that reads 1 to `wanted` bytes at an offset, and sets *got to their number, 0 at the end. */
typedef snpy_status snpy_read_bytes(void *context, uint64_t offset, uint8_t *out, size_t wanted, size_t *got,
                                    snpy_io_error *error);

/* Where bytes come from: a descriptor, a FILE, memory, or a function. Offset 0 is the position at which the reader was
 * made. A stream is read once, from front to end. */
typedef struct snpy_reader {
    int descriptor;        /* -1: none */
    FILE *file;            /* NULL: none */
    const uint8_t *memory; /* NULL: none; `size` bytes */
    snpy_read_bytes *read; /* NULL: none */
    void *context;         /* of `read` */
    uint64_t start;        /* byte of the descriptor's file at offset 0 */
    uint64_t size;         /* bytes from offset 0 on, if known */
    uint64_t position;     /* of a stream: bytes read so far */
    const uint8_t *held;   /* bytes from offset 0 on that are already in memory; borrowed */
    size_t held_size;
    bool is_stream;   /* bytes cannot be read twice */
    bool is_file;     /* a regular file */
    bool knows_size;  /* false for a file of size 0, too: those of /proc have bytes nevertheless */
    bool reads_ahead; /* more bytes than needed may be read */
} snpy_reader;

/* Makes a reader of a file that was just opened. The caller closes the descriptor.                       HOST-IO */
snpy_status snpy_reader_of_file(snpy_reader *reader, int descriptor, snpy_io_error *error);

/* Makes a reader of an open file's bytes from `start` on, without looking at its size. The caller closes it. */
void snpy_reader_of_part(snpy_reader *reader, int descriptor, uint64_t start);

/* Makes a reader of a descriptor, from its position on. Afterwards the position is after the last byte read. HOST-IO */
snpy_status snpy_reader_of_descriptor(snpy_reader *reader, int descriptor, snpy_io_error *error);

/* Makes a reader of standard input (is_lent) or of a file that was just opened; both read ahead. */
snpy_status snpy_reader_of_input(snpy_reader *reader, int descriptor, bool is_lent, snpy_io_error *error);

/* Makes a reader of a stream of the C library, from its position on.                                     HOST-IO */
snpy_status snpy_reader_of_stdio(snpy_reader *reader, FILE *file, snpy_io_error *error);

/* Makes a reader of memory, which stays the caller's. */
void snpy_reader_of_memory(snpy_reader *reader, const void *bytes, size_t length);

/* Makes a reader of `size` bytes that a function reads: at any offset, or as a stream without reading ahead. */
void snpy_reader_of_function(snpy_reader *reader, snpy_read_bytes *read, void *context, uint64_t size, bool is_stream);

/* The caller's read function and its context. */
typedef struct snpy_lent {
    snpy_read_callback *read;
    void *context;
} snpy_lent;

/* Calls the caller's read function and checks what it returns. `context` is a snpy_lent.                   HOST-IO */
snpy_status snpy_ask_caller(void *context, uint64_t offset, uint8_t *out, size_t wanted, size_t *got,
                            snpy_io_error *error);

/* Makes `offset` the new offset 0. All bytes of a stream before it must have been read. */
void snpy_reader_move(snpy_reader *reader, uint64_t offset);

/* Makes `offset` the new offset 0 of a regular file from which nothing was read yet. SNPY_IO_ERROR with ESPIPE for a
 * stream, SNPY_FILE_CHANGED if the file ends before the offset.                                          HOST-IO */
snpy_status snpy_reader_skip(snpy_reader *reader, uint64_t offset, snpy_io_error *error);

/* Reads 1 to `wanted` bytes at an offset, as many as one call gives; sets *got to their number, 0 at the end.
 * SNPY_BAD_ARGUMENT if `offset` is not a stream's position.                                              HOST-IO */
snpy_status snpy_reader_some(snpy_reader *reader, uint64_t offset, uint8_t *out, uint64_t wanted, uint64_t *got,
                             snpy_io_error *error);

/* Reads `wanted` bytes at an offset, fewer only at the end; sets *got to their number.                   HOST-IO */
snpy_status snpy_reader_read(snpy_reader *reader, uint64_t offset, uint8_t *out, uint64_t wanted, uint64_t *got,
                             snpy_io_error *error);

/* Refuses a source that ends too early, at `offset`. Returns SNPY_FILE_CHANGED if the reader knows its size: the source
 * had more bytes before. Otherwise returns `status_if_size_unknown`.                                    HOST-CHANGED */
snpy_status snpy_reader_refuse_end(const snpy_reader *reader, snpy_status status_if_size_unknown, uint64_t offset,
                                   snpy_io_error *error);

/* --- read_header.c ------------------------------------------------------------------------------------------- */

/* Reads and parses the header at offset 0, and checks the size of its data against the reader's size, if that is known.
 * A reader that reads ahead needs one read for a header of at most 4 KiB; any other reads no byte after the header.
 *
 * limits  NULL: the defaults
 * array   filled as far as possible, also if the header is refused: `head_` with the bytes read, `header.frame` once the
 *         prefix was accepted. The caller releases it, whatever the status. The reader borrows the bytes from it.
 *                                                          NPY-FRAME … NPY-DATA, HOST-IO, HOST-MEMORY, HOST-CHANGED */
snpy_status snpy_read_header(snpy_reader *reader, const snpy_options *limits, bool no_trailing, snpy_array *array,
                             snpy_io_error *error);

/* Does the same for callers that need the data: SNPY_OBJECT_DATA if they are objects.                  API-OBJECTS */
snpy_status snpy_read_array_header(snpy_reader *reader, const snpy_options *limits, bool no_trailing, snpy_array *array,
                                   snpy_io_error *error);

/* Parses the header whose bytes are in array->head_, and fills table, header and text.                 HOST-MEMORY */
snpy_status snpy_parse_head(const snpy_options *limits, snpy_array *array, snpy_io_error *error);

/* Parses a header like snpy_parse_header, and allocates the table, which must be empty. The caller frees its fields and
 * dims, whatever the status. SNPY_NO_MEMORY if there is no memory.                         API-TABLE, HOST-MEMORY */
snpy_status snpy_parse_and_allocate(const uint8_t *bytes, size_t length, const snpy_options *options, snpy_table *table,
                                    snpy_header *header, snpy_error *error);

#endif
