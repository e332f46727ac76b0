/* part.h: reads parts of a file's data, and cuts views into parts, for arrays larger than memory.
 * The core says where elements are.
 *
 * Nothing is mapped: another process could truncate a mapped file. Functions that return a status fill `error` if they
 * fail and leave it alone otherwise. */
#ifndef SAFENPY_HOST_PART_H
#define SAFENPY_HOST_PART_H

#include "host/io.h"

/* --- input.c: the data of one array, in a file or a stream -------------------------------------------------- */

/* Bytes that are read ahead when only a few are needed. */
#define SNPY_WINDOW ((size_t)65536)

/* The data of one array: in a regular file, of which any part can be read, or in a stream, which is read once from front
 * to end. Offsets count from the first byte of the data. */
typedef struct snpy_input {
    snpy_reader reader;   /* its offset 0 is the first byte of the data */
    bool is_borrowed;     /* the descriptor is not closed */
    uint64_t header;      /* bytes of the header: offsets in errors count from its first byte */
    uint64_t position;    /* of a stream: bytes of data read so far */
    uint64_t window_from; /* offset of the window's bytes */
    size_t window_size;
    uint8_t window[SNPY_WINDOW];
} snpy_input;

/* Makes an input of an open regular file whose data begin at byte `start`. The caller closes the descriptor; its position
 * is neither used nor changed. */
void snpy_input_from_file(snpy_input *input, int descriptor, uint64_t start);

/* Opens and checks a file like snpy_check_file; "-" is standard input. Only the header of a stream is read: whether its
 * data are complete turns out when they are read.                                           HOST-IO, HOST-MEMORY
 *
 * file     the caller releases its head after closing the input, whatever the verdict
 * returns  file->error.status; if that is SNPY_OK, the input is open and the caller closes it */
snpy_status snpy_input_open(const char *path, const snpy_options *options, snpy_file *file, snpy_input *input);

/* Does the same for an array that begins at byte `start` of a regular file. */
snpy_status snpy_input_open_at(const char *path, uint64_t start, const snpy_options *options, snpy_file *file,
                               snpy_input *input);

/* Closes an input, if it is open. */
void snpy_input_close(snpy_input *input);

/* Reads exactly `size` bytes of the data; a stream skips forward to `offset`. If the input ends too early,
 * SNPY_FILE_CHANGED for a file and SNPY_TRUNCATED_DATA for a stream, at the byte where it ends; SNPY_IO_ERROR.
 *                                                                                   NPY-DATA-001, HOST-CHANGED, HOST-IO */
snpy_status snpy_input_read(snpy_input *input, uint64_t offset, uint8_t *out, uint64_t size, snpy_io_error *error);

/* Reads 1 to `size` bytes of the data, as many as one call gives; sets *got to their number, 0 at the end. `offset` must
 * be a stream's position.                                                                                HOST-IO */
snpy_status snpy_input_some(snpy_input *input, uint64_t offset, uint8_t *out, uint64_t size, uint64_t *got,
                            snpy_io_error *error);

/* Asks the system to read `size` bytes of a file's data ahead, if they fit a quarter of its memory. Returns whether it
 * did: then they can be read in small pieces later. */
bool snpy_input_expect(const snpy_input *input, uint64_t size);

/* Refuses data that end too early, at `offset`. Returns SNPY_TRUNCATED_DATA for a stream, SNPY_FILE_CHANGED for a file.
 *                                                                                           NPY-DATA-001, HOST-CHANGED */
snpy_status snpy_input_refuse_end(const snpy_input *input, uint64_t offset, snpy_io_error *error);

/* Sets *bytes to `size` bytes of the data at `offset`, at most SNPY_WINDOW, valid until the next call. Reads ahead, but
 * not beyond `end`. In a stream, `offset` may be within the last window. Returns what snpy_input_read returns. */
snpy_status snpy_input_window(snpy_input *input, uint64_t offset, size_t size, uint64_t end, const uint8_t **bytes,
                              snpy_io_error *error);

/* Copies a stream of `size` bytes of data to a temporary file without a name, so that any part can be read. An error of
 * that file has the directory as its path. Does nothing for a file.            NPY-DATA-001, HOST-IO, HOST-MEMORY */
snpy_status snpy_input_spool(snpy_input *input, uint64_t size, snpy_io_error *error);

/* Returns the directory for temporary files: TMPDIR, or /tmp if that is not set. */
const char *snpy_temporary_directory(void);

/* Creates a file without a name in the directory for temporary files. Its name is removed before anything is written, so
 * that nothing is left however the process ends. The caller closes it.                      HOST-IO, HOST-MEMORY */
snpy_status snpy_make_nameless(int *descriptor, snpy_io_error *error);

/* --- part.c: a view's elements in memory ------------------------------------------------------------------- */

/* Sets `memory` to the view of the elements once snpy_part_read has read them: without gaps, in the order of the file, so
 * that long stretches of the file stay together. It has the shape and dtype of `part`. SNPY_BAD_ARGUMENT if `part` is not
 * valid.                                                                                               API-VIEW */
snpy_status snpy_part_place(const snpy_view *part, snpy_view *memory, snpy_io_error *error);

/* Reads the elements of a view of a file's data into memory, each byte of the file at most once.
 *
 * part     a valid view; for a stream, one for which snpy_part_is_forward is true
 * out      memory->data_size bytes; the caller owns them
 * memory   set to the view of the elements in `out`, as by snpy_part_place
 * returns  SNPY_OK; SNPY_BAD_ARGUMENT; what snpy_input_read returns                API-VIEW, HOST-CHANGED, HOST-IO */
snpy_status snpy_part_read(snpy_input *input, const snpy_view *part, uint8_t *out, snpy_view *memory,
                           snpy_io_error *error);

/* Whether the offsets of a view's elements increase in C order, so that a stream can be read in that order. */
bool snpy_part_is_forward(const snpy_view *view);

/* --- parts.c: a view in parts -------------------------------------------------------------------------------- */

/* A view that is cut into parts, and the position among them. */
typedef struct snpy_parts {
    const snpy_view *whole;        /* borrowed */
    bool is_done;                  /* there are no more parts */
    uint64_t side[SNPY_MAX_NDIM];  /* elements of a part along each axis; the last part may have fewer */
    uint64_t first[SNPY_MAX_NDIM]; /* index, in the whole, of the first element of the last part returned */
    uint64_t next[SNPY_MAX_NDIM];  /* index of the first element of the next part */
} snpy_parts;

/* Cuts a view into consecutive parts in C order, each of at most `limit` bytes or of one element. */
void snpy_parts_rows(const snpy_view *whole, uint64_t limit, snpy_parts *parts);

/* Cuts a view into boxes, each of at most `limit` bytes or of one element. They have long contiguous stretches both in
 * its own data and in those of another view of the same shape: for data that are read in one order and compared or
 * written in another. Boxes come in C order of their first elements. */
void snpy_parts_boxes(const snpy_view *whole, const snpy_view *other, uint64_t limit, snpy_parts *parts);

/* Does the same, with stretches of about `least` bytes in its own data, and stretches as long as possible in the other
 * view's. */
void snpy_parts_strips(const snpy_view *whole, const snpy_view *other, uint64_t limit, uint64_t least,
                       snpy_parts *parts);

/* Sets `part` to the next part and advances. Must not be called once parts->is_done. SNPY_OK or SNPY_BAD_ARGUMENT. */
snpy_status snpy_parts_next(snpy_parts *parts, snpy_view *part, snpy_io_error *error);

#endif
