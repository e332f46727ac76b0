/* safenpy/header.h: parses bytes into a header in which every size is computed. */
#ifndef SAFENPY_HEADER_H
#define SAFENPY_HEADER_H

#include "safenpy/dtype.h"
#include "safenpy/options.h"
#include "safenpy/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most bytes before the header text. */
#define SNPY_MAX_PREFIX 12u

/* What the bytes before the header text declare. */
typedef struct snpy_frame {
    uint16_t major;       /* 1, 2 or 3 */
    uint16_t minor;       /* 0 */
    uint32_t text_offset; /* 10 for version 1.0, 12 for 2.0 and 3.0 */
    uint32_t header_len;  /* bytes of header text, with padding and newline */
    uint64_t data_offset; /* text_offset + header_len */
} snpy_frame;

/* A parsed header. */
typedef struct snpy_header {
    snpy_frame frame;
    snpy_dtype dtype;              /* of one element; SNPY_KIND_RECORD: the table has its fields */
    bool fortran_order;            /* as written; true for arrays of one dimension, too, if they say so */
    bool has_object;               /* an element or a field is an object: the data are a pickle */
    uint32_t ndim;                 /* 0 to 64 */
    uint64_t shape[SNPY_MAX_NDIM]; /* the dimensions, shape[0 .. ndim-1]; the rest is not set */
    uint64_t count;                /* number of elements: the product of the shape */
    uint64_t data_size; /* bytes: count * itemsize; 0 if has_object: then the data are the rest of the file */
} snpy_header;

/* Parses magic, version and header length from the first bytes of a file, and checks the length against
 * options->max_header_bytes. It does not read beyond the prefix: `length` may be the whole file or as little as 12
 * bytes (10 for version 1.0).                                                                       NPY-FRAME-001 … 005
 *
 * bytes    the file's first `length` bytes, read only
 * frame    filled on SNPY_OK; unchanged otherwise
 * error    filled always: SNPY_OK and 0, or the status returned and its offset in `bytes`
 * returns  SNPY_OK, SNPY_BAD_ARGUMENT, SNPY_BAD_MAGIC, SNPY_TRUNCATED_PREFIX, SNPY_UNSUPPORTED_VERSION,
 *          SNPY_HEADER_TOO_LONG
 *
 * Thread-safe: uses nothing but its arguments. */
SNPY_API snpy_status snpy_parse_frame(const uint8_t *bytes, size_t length, const snpy_options *options,
                                      snpy_frame *frame, snpy_error *error);

/* Parses a whole header: frame, text, dtype, shape and sizes. It does not read beyond the header's end; the data need
 * not be there. The time is linear in the header's length, n log n in the names of a structured dtype.
 *                                                                                      NPY-FRAME … NPY-SHAPE, API-TABLE
 *
 * bytes    the file's first `length` bytes, at least up to the end of the header, read only
 * table    the caller's memory for the fields of a structured dtype; see snpy_table
 * header   filled on SNPY_OK; unspecified otherwise
 * error    filled always: SNPY_OK and 0, or the status returned and its offset in `bytes`
 * returns  SNPY_OK or any status from 101 to 904, or SNPY_BAD_ARGUMENT
 *
 * Thread-safe: uses nothing but its arguments. */
SNPY_API snpy_status snpy_parse_header(const uint8_t *bytes, size_t length, const snpy_options *options,
                                       snpy_table *table, snpy_header *header, snpy_error *error);

/* Compares the size of the data that a header declares with the size of the file.                    NPY-DATA-001 … 003
 *
 * file_size       bytes of the whole file
 * allow_trailing  whether bytes after the data are accepted
 * error           filled always; the offset is 0 if all is well, the end of the data for trailing bytes, else the
 *                 file's size
 * returns         SNPY_OK, SNPY_TRUNCATED_HEADER, SNPY_TRUNCATED_DATA, SNPY_TRAILING_DATA, SNPY_NO_OBJECTS
 *
 * Thread-safe. */
/*@ requires \valid_read(header) && \valid(error) && \separated(header, error);
    requires header->data_size <= SNPY_MAX_SIZE && header->frame.data_offset <= 0xffffffff + 12;
    terminates \true;
    exits \false;
    assigns error->status, error->offset;
    ensures result: \result == error->status;
    ensures NPY_DATA_001: \result == SNPY_OK && !header->has_object ==>
                          header->frame.data_offset + header->data_size <= file_size;
    ensures NPY_DATA_002: \result == SNPY_OK && !header->has_object && !allow_trailing ==>
                          header->frame.data_offset + header->data_size == file_size;
    ensures NPY_DATA_003: \result == SNPY_OK && header->has_object ==> header->frame.data_offset < file_size;
    ensures status: \result ==
            (file_size < header->frame.data_offset ? SNPY_TRUNCATED_HEADER :
             header->has_object != 0 ? (file_size == header->frame.data_offset ? SNPY_NO_OBJECTS : SNPY_OK) :
             file_size < header->frame.data_offset + header->data_size ? SNPY_TRUNCATED_DATA :
             file_size > header->frame.data_offset + header->data_size && allow_trailing == 0 ? SNPY_TRAILING_DATA :
             SNPY_OK);
    ensures offset: error->offset == (\result == SNPY_OK ? 0 :
            \result == SNPY_TRAILING_DATA ? header->frame.data_offset + header->data_size : file_size);
 */
SNPY_API snpy_status snpy_check_data(const snpy_header *header, uint64_t file_size, bool allow_trailing,
                                     snpy_error *error);

#ifdef __cplusplus
}
#endif

#endif
