/* flow.h: copies and converts data from one file to another in bounded memory.
 * Tested with each system call made to fail. part.h has parts of arrays.
 *
 * Functions that return a status fill `error` if they fail and leave it alone otherwise. */
#ifndef SAFENPY_HOST_FLOW_H
#define SAFENPY_HOST_FLOW_H

#include "host/part.h"
#include "safenpy/copy.h"
#include "safenpy/object_data.h"

/* --- flow.c: bytes as they are ----------------------------------------------------------------------------- */

/* Where bytes come from and where they go. */
typedef struct snpy_flow {
    snpy_input *input;
    const char *from; /* the input's name, for errors; borrowed */
    snpy_status (*put)(void *target, const uint8_t *bytes, uint64_t size, snpy_io_error *error);
    void *target;
    void (*tell)(void *watcher, uint64_t bytes); /* called after each write with its bytes; may be NULL */
    void *watcher;
} snpy_flow;

/* As a size: everything up to the end of the input. */
#define SNPY_TO_THE_END UINT64_MAX

/* Opens a file without reading a header; "-" is standard input, from its current position. Sets *knows_size and *size if
 * it is a regular file; the size of any other is known only at its end.                                   HOST-IO */
snpy_status snpy_input_open_raw(const char *path, snpy_input *input, uint64_t *size, bool *knows_size,
                                snpy_io_error *error);

/* Copies the first `size` bytes of the data. The bytes of a stream are passed on as they arrive.
 * returns  SNPY_OK; those of snpy_input_read, with the path flow->from; what flow->put returns  HOST-IO, HOST-MEMORY */
snpy_status snpy_pour(const snpy_flow *flow, uint64_t size, snpy_io_error *error);

/* A `put` function whose target is a snpy_output: writes at its current position. */
snpy_status snpy_put_output(void *output, const uint8_t *bytes, uint64_t size, snpy_io_error *error);

/* --- convert.c: arrays in another form --------------------------------------------------------------------- */

/* How an array is converted. If all but the names is zero, only its header is rewritten. */
typedef struct snpy_conversion {
    char order;               /* 'C', 'F', or 0: the old order */
    snpy_byteorder byteorder; /* of all numbers */
    bool has_version;         /* false: the old version, unless it cannot hold the header */
    snpy_version_choice version;
    /* NULL: the pickle of an object array is copied; else snpy_disarm_input */
    snpy_status (*disarm)(snpy_input *input, snpy_file *file, const snpy_pickle_form *form, uint8_t **bytes,
                          size_t *size, snpy_io_error *error);
    snpy_pickle_form form; /* for `disarm` */
    const char *from;      /* names of input and output, for errors; borrowed */
    const char *to;
    void (*tell)(void *watcher, uint64_t bytes); /* as in snpy_flow; snpy_conversion_work bytes in total */
    void *watcher;
} snpy_conversion;

/* Returns how many bytes `tell` will report in total; 0 if that is not known. */
uint64_t snpy_conversion_work(const snpy_conversion *how, const snpy_file *file, const snpy_output *output);

/* Rewrites an array: the header that numpy.save would write for it, then its data in the order and byte order asked for,
 * with the padding of records cleared. The pickle of an object array is copied unchanged, or disarmed. Needs a few MiB of
 * memory, whatever the array's size, unless a pickle is disarmed. Data that are reordered for a pipe are first written to a
 * temporary file without a name.
 *
 * file       what snpy_input_open filled together with `input`; the byte orders in its field table change
 * output     open; the caller finishes or abandons it
 * returns    SNPY_OK; SNPY_OBJECT_DATA if objects should change their order; SNPY_WRITE_VERSION and the other statuses of
 *            snpy_write_header; those of snpy_object_data_open, _match and _write; SNPY_TOO_MANY_FIELDS (a sub-array of
 *            very many records); those of snpy_input_read; SNPY_IO_ERROR; SNPY_NO_MEMORY  NPY-WRITE-009, NPY-VALUE-011 */
snpy_status snpy_convert_array(const snpy_conversion *how, snpy_file *file, snpy_input *input, snpy_output *output,
                               snpy_io_error *error);

/* --- object_write.c ---------------------------------------------------------------------------------------- */

/* Decodes the payload of a file with this header as plain values, checks that it is the array of the header, and writes it
 * again. error->offset counts bytes of the file. The caller frees *bytes.
 * returns  SNPY_OK; those of snpy_object_data_open, _match and _write                                      HOST-MEMORY */
snpy_status snpy_disarm_payload(const uint8_t *pickle, size_t length, snpy_array *head, const snpy_pickle_form *form,
                                uint8_t **bytes, size_t *size, snpy_io_error *error);

/* Reads the payload of an input that was opened together with `file`, decodes it as plain values, checks that it is the array
 * of the header, and writes it again. error->offset counts bytes of the file. The caller frees *bytes.
 * returns  SNPY_OK; those of snpy_read_payload, snpy_object_data_open, _match and _write  HOST-IO, HOST-MEMORY */
snpy_status snpy_disarm_input(snpy_input *input, snpy_file *file, const snpy_pickle_form *form, uint8_t **bytes,
                              size_t *size, snpy_io_error *error);

#endif
