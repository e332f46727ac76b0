/* part.h: parts of a file's data in memory, and parts that a view is cut into, for arrays larger than memory.
 * Proves nothing; it is tested. Leaves to the core where elements lie.
 *
 * Nothing is mapped: a mapped file can be cut under its reader. Functions that return a status fill the error they
 * are given when they fail, and leave it alone else. */
#ifndef SAFENPY_HOST_PART_H
#define SAFENPY_HOST_PART_H

#include "host/io.h"

/* --- input.c: the data of one array, in a file or a stream -------------------------------------------------- */

/* Bytes that are read at once where few of them are wanted. */
#define SNPY_WINDOW ((size_t)65536)

/* The data of one array: in a regular file, where any part can be read, or in a stream, which is read once from front
 * to end. Offsets count from the first byte of the data. */
typedef struct snpy_input {
    snpy_reader reader;   /* moved to the data */
    bool is_borrowed;     /* the descriptor is not ours to close */
    uint64_t header;      /* bytes from where the array begins to its data: errors count from there */
    uint64_t position;    /* of a stream: bytes of data taken */
    uint64_t window_from; /* where the window's bytes are from */
    size_t window_size;
    uint8_t window[SNPY_WINDOW];
} snpy_input;

/* Takes an open regular file whose data begin at a byte of it. The descriptor stays the caller's; where it stands is
 * neither looked at nor changed. */
void snpy_input_from_file(snpy_input *input, int descriptor, uint64_t start);

/* Opens and judges a file as snpy_judge_file does; "-" is standard input. Of a stream only the header is read, and
 * whether it holds all its data turns out later.                                            HOST-IO, HOST-MEMORY
 *
 * file     to be released after the input is closed, whatever the verdict
 * returns  file->error.status; the input is open if that is SNPY_OK, and to be closed */
snpy_status snpy_input_open(const char *path, const snpy_options *options, snpy_file *file, snpy_input *input);

/* Likewise an array that begins at a byte of a regular file. */
snpy_status snpy_input_open_at(const char *path, uint64_t start, const snpy_options *options, snpy_file *file,
                               snpy_input *input);

/* Closes an input; a closed one stays so. */
void snpy_input_close(snpy_input *input);

/* Reads bytes of the data. SNPY_FILE_CHANGED if a file ends before them, SNPY_TRUNCATED_DATA if a stream does, both at
 * the byte of the array where it ends; SNPY_IO_ERROR.                               NPY-DATA-001, HOST-CHANGED, HOST-IO */
snpy_status snpy_input_read(snpy_input *input, uint64_t offset, uint8_t *out, uint64_t size, snpy_io_error *error);

/* Reads at least one byte and at most `size` of the data, as many as come at once; 0 at the end. Of a stream, `offset`
 * is where it stands.                                                                                    HOST-IO */
snpy_status snpy_input_some(snpy_input *input, uint64_t offset, uint8_t *out, uint64_t size, uint64_t *got,
                            snpy_io_error *error);

/* Asks the system to read `size` bytes of the data of a file in one go, if they take a small part of its memory.
 * Returns whether they do: then they can be read in small pieces later. */
bool snpy_input_expect(const snpy_input *input, uint64_t size);

/* The data end at an offset where there should be more.                                    NPY-DATA-001, HOST-CHANGED */
snpy_status snpy_input_refuse_end(const snpy_input *input, uint64_t offset, snpy_io_error *error);

/* Makes `size` bytes of the data, at most SNPY_WINDOW, readable at *bytes until the next call. Reads ahead, but not
 * after `end`; a window of a stream may overlap the one before.                        as snpy_input_read */
snpy_status snpy_input_window(snpy_input *input, uint64_t offset, size_t size, uint64_t end, const uint8_t **bytes,
                              snpy_io_error *error);

/* Makes a stream of `size` bytes of data a file that can be read anywhere: a temporary one without a name, in the
 * directory for them, which an error of that file names. Nothing to do for a file. NPY-DATA-001, HOST-IO, HOST-MEMORY */
snpy_status snpy_input_spool(snpy_input *input, uint64_t size, snpy_io_error *error);

/* The directory for temporary files: what TMPDIR names, else /tmp. */
const char *snpy_temporary_directory(void);

/* Makes a file without a name in the directory for temporary files. It loses its name before anything is in it, so
 * that nothing is left however this process ends.                                           HOST-IO, HOST-MEMORY */
snpy_status snpy_make_nameless(int *descriptor, snpy_io_error *error);

/* --- part.c: a view's elements in memory ------------------------------------------------------------------- */

/* Where the elements of a view of a file's data come to lie when they are read: densely, in the order that the file
 * has them in, so that long stretches of the file stay together. `memory` has the view's shape and type, and
 * data_size bytes. SNPY_OK, or SNPY_BAD_ARGUMENT for a view that is not sound.                         API-VIEW */
snpy_status snpy_part_place(const snpy_view *part, snpy_view *memory, snpy_io_error *error);

/* Reads the elements of a view of a file's data into memory, each byte of the file at most once.
 *
 * part     sound; of a stream, one that snpy_part_is_forward
 * out      the caller's, of memory->data_size bytes
 * memory   where the elements are in `out`, as snpy_part_place has it
 * returns  SNPY_OK; SNPY_BAD_ARGUMENT; what snpy_input_read returns                API-VIEW, HOST-CHANGED, HOST-IO */
snpy_status snpy_part_read(snpy_input *input, const snpy_view *part, uint8_t *out, snpy_view *memory,
                           snpy_io_error *error);

/* Whether the elements of a view, taken in C order, lie one after another: a stream can give them. */
bool snpy_part_is_forward(const snpy_view *view);

/* --- parts.c: a view in parts -------------------------------------------------------------------------------- */

/* A view that is taken part by part. */
typedef struct snpy_parts {
    const snpy_view *whole;        /* borrowed */
    bool is_done;                  /* there are no more parts */
    uint64_t side[SNPY_MAX_NDIM];  /* elements of a part along each axis, fewer at the end */
    uint64_t first[SNPY_MAX_NDIM]; /* index in the whole of the first element of the last part given */
    uint64_t next[SNPY_MAX_NDIM];  /* likewise of the next one */
} snpy_parts;

/* Cuts a view into parts that follow one another in C order, of at most `limit` bytes (or one element). */
void snpy_parts_rows(const snpy_view *whole, uint64_t limit, snpy_parts *parts);

/* Cuts a view into boxes of at most `limit` bytes (or one element) with long stretches both in its own data and in
 * those of another view of the same shape: for what is read in one order and compared or written in another. Boxes
 * follow one another in C order of their first elements. */
void snpy_parts_boxes(const snpy_view *whole, const snpy_view *other, uint64_t limit, snpy_parts *parts);

/* Likewise boxes of at most `limit` bytes whose stretches in their own data have about `least` bytes, and those in the
 * other view's as many as possible. */
void snpy_parts_strips(const snpy_view *whole, const snpy_view *other, uint64_t limit, uint64_t least,
                       snpy_parts *parts);

/* Takes the next part; to be called unless parts->is_done. SNPY_OK or SNPY_BAD_ARGUMENT. */
snpy_status snpy_parts_next(snpy_parts *parts, snpy_view *part, snpy_io_error *error);

#endif
