/* reader.h: one way to ask for bytes, wherever they are, and the one function that reads a header with it.
 * Proves nothing; it is tested, and each system call made to fail. Leaves every decision about bytes to the core.
 *
 * Functions that return a status fill the error they are given when they fail, and leave it alone else. */
#ifndef SAFENPY_HOST_READER_H
#define SAFENPY_HOST_READER_H

#include <stdio.h>

#include "safenpy/array.h"

/* --- read.c: read(2) and pread(2) without their surprises ---------------------------------------------------- */

/* Reads up to `capacity` bytes like read(2), but goes on after a signal and waits where a descriptor
 * does not block. Returns the bytes read, 0 at the end, -1 with errno.                              HOST-IO */
ptrdiff_t snpy_read_some(int descriptor, uint8_t *out, size_t capacity);

/* Likewise from an offset of a file, like pread(2).                                                HOST-IO */
ptrdiff_t snpy_read_some_at(int descriptor, uint8_t *out, size_t capacity, uint64_t offset);

/* --- reader.c: bytes at an offset ----------------------------------------------------------------------------- */

/* Reads bytes of a source that is none of the others: at least one and at most `wanted`; *got is 0 at the end. */
typedef snpy_status snpy_read_bytes(void *context, uint64_t offset, uint8_t *out, size_t wanted, size_t *got,
                                    snpy_io_error *error);

/* Where bytes come from: a file, a stream, memory, or what a function reads. Offsets count from where the reader was
 * made. A stream is read once, from front to end. */
typedef struct snpy_reader {
    int descriptor;        /* -1: none */
    FILE *file;            /* NULL: none */
    const uint8_t *memory; /* NULL: none; `size` bytes */
    snpy_read_bytes *read; /* NULL: none */
    void *context;         /* of `read` */
    uint64_t start;        /* the byte of the descriptor's file that offset 0 is */
    uint64_t size;         /* bytes from there on, if known */
    uint64_t position;     /* of a stream: bytes taken from it */
    const uint8_t *held;   /* the bytes from offset 0 on that were read already; borrowed */
    size_t held_size;
    bool is_stream;   /* what was taken cannot be read again */
    bool is_file;     /* a regular one */
    bool knows_size;  /* a file's size of 0 is not believed: files of /proc say so */
    bool reads_ahead; /* more bytes than asked for may be taken from it */
} snpy_reader;

/* A file that was just opened. The descriptor stays the caller's.                                        HOST-IO */
snpy_status snpy_reader_of_file(snpy_reader *reader, int descriptor, snpy_io_error *error);

/* A file that others measured: its bytes from `start` on. The descriptor stays the caller's. */
void snpy_reader_of_part(snpy_reader *reader, int descriptor, uint64_t start);

/* What a descriptor holds from where it stands. Its position is then after the last byte that was read.           HOST-IO */
snpy_status snpy_reader_of_descriptor(snpy_reader *reader, int descriptor, snpy_io_error *error);

/* One of the two, that a command reads: reads ahead in either case. */
snpy_status snpy_reader_of_input(snpy_reader *reader, int descriptor, bool is_lent, snpy_io_error *error);

/* What a stream of the C library holds from where it stands.                                             HOST-IO */
snpy_status snpy_reader_of_stdio(snpy_reader *reader, FILE *file, snpy_io_error *error);

/* Memory, and `size` bytes that a function reads: anywhere, or as a stream, of which no byte is read ahead. */
void snpy_reader_of_memory(snpy_reader *reader, const void *bytes, size_t length);
void snpy_reader_of_function(snpy_reader *reader, snpy_read_bytes *read, void *context, uint64_t size, bool is_stream);

/* Moves offset 0 forward to a byte; in a stream, to one before which all was read. */
void snpy_reader_move(snpy_reader *reader, uint64_t offset);

/* Likewise in a regular file of which nothing was read yet, wherever its descriptor stands. SNPY_IO_ERROR with ESPIPE for
 * a stream, SNPY_FILE_CHANGED if the file ends before the offset.                                        HOST-IO */
snpy_status snpy_reader_skip(snpy_reader *reader, uint64_t offset, snpy_io_error *error);

/* Reads at least one byte at an offset and at most `wanted`, as many as come at once; *got is 0 at the end.
 * SNPY_BAD_ARGUMENT for an offset at which a stream does not stand.                                      HOST-IO */
snpy_status snpy_reader_some(snpy_reader *reader, uint64_t offset, uint8_t *out, uint64_t wanted, uint64_t *got,
                             snpy_io_error *error);

/* Reads `wanted` bytes at an offset, fewer only at the end; *got says how many.                          HOST-IO */
snpy_status snpy_reader_read(snpy_reader *reader, uint64_t offset, uint8_t *out, uint64_t wanted, uint64_t *got,
                             snpy_io_error *error);

/* Refuses what ends at an offset where there should be more: with `status`, or SNPY_FILE_CHANGED if its size was known.
 *                                                                                                   HOST-CHANGED */
snpy_status snpy_reader_refuse_end(const snpy_reader *reader, snpy_status status, uint64_t offset,
                                   snpy_io_error *error);

/* --- read_header.c: from bytes to a header -------------------------------------------------------------------------- */

/* Reads and parses the header at offset 0, and compares its data size with the reader's size, if that is known. Takes one
 * read for a header of at most 4 KiB, if the reader reads ahead; else no byte after the header.
 *
 * limits  NULL: the defaults
 * array   filled as far as was read: `head_` has the bytes, and `header.frame` is filled, once it was accepted; to be
 *         released, whatever the status. The reader borrows the bytes from it.
 *                                                          NPY-FRAME … NPY-DATA, HOST-IO, HOST-MEMORY, HOST-CHANGED */
snpy_status snpy_read_header(snpy_reader *reader, const snpy_options *limits, bool no_trailing, snpy_array *array,
                             snpy_io_error *error);

/* Likewise, for those who want the data: SNPY_OBJECT_DATA if they are objects.                         API-OBJECTS */
snpy_status snpy_read_array_header(snpy_reader *reader, const snpy_options *limits, bool no_trailing, snpy_array *array,
                                   snpy_io_error *error);

/* Parses a header whose bytes an array has in memory of its own.                                       HOST-MEMORY */
snpy_status snpy_parse_head(const snpy_options *limits, snpy_array *array, snpy_io_error *error);

/* Parses a header as snpy_parse_header does. The memory of the table, which was empty, is the caller's to free, whatever
 * the status. SNPY_NO_MEMORY if there is none.                                             API-TABLE, HOST-MEMORY */
snpy_status snpy_parse_growing(const uint8_t *bytes, size_t length, const snpy_options *options, snpy_table *table,
                               snpy_header *header, snpy_error *error);

#endif
