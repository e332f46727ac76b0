/* flow.h: data on their way from one file to another, in bounded memory.
 * Proves nothing; it is tested, and each system call made to fail. Leaves parts of arrays to part.h.
 *
 * Functions that return a status fill the error they are given when they fail, and leave it alone else. */
#ifndef SAFENPY_HOST_FLOW_H
#define SAFENPY_HOST_FLOW_H

#include "host/part.h"
#include "safenpy/copy.h"

/* --- flow.c: bytes as they are ----------------------------------------------------------------------------- */

/* Where bytes come from, and where they go. */
typedef struct snpy_flow {
    snpy_input *input;
    const char *from; /* its name, for errors; borrowed */
    snpy_status (*put)(void *target, const uint8_t *bytes, uint64_t size, snpy_io_error *error);
    void *target;
    void (*tell)(void *watcher, uint64_t bytes); /* told of the bytes that have been put since; NULL: nobody */
    void *watcher;
} snpy_flow;

/* A size that says: up to the end, wherever that is. */
#define SNPY_TO_THE_END UINT64_MAX

/* Opens a file that has no header: "-" is standard input, from where it stands. *knows_size: it is a regular file of
 * *size bytes, else its end turns out later.                                                             HOST-IO */
snpy_status snpy_input_open_raw(const char *path, snpy_input *input, uint64_t *size, bool *knows_size,
                                snpy_io_error *error);

/* Moves bytes of the data, from their first one on. Of a stream each piece is passed on as it arrives.
 * returns  SNPY_OK; as snpy_input_read, the error naming flow->from; what flow->put returns    HOST-IO, HOST-MEMORY */
snpy_status snpy_pour(const snpy_flow *flow, uint64_t size, snpy_io_error *error);

/* A snpy_flow.put whose target is a snpy_output: writes where it stands. */
snpy_status snpy_put_output(void *output, const uint8_t *bytes, uint64_t size, snpy_io_error *error);

/* --- convert.c: arrays in another form --------------------------------------------------------------------- */

/* How an array is to be converted. All zero but the names: only its header is written anew. */
typedef struct snpy_conversion {
    char order;                  /* 'C', 'F', or 0: as it is */
    snpy_target_order byteorder; /* of all numbers */
    bool has_version;            /* else the version stays, if it can hold the header */
    snpy_version_choice version;
    const char *from; /* names of input and output, for errors; borrowed */
    const char *to;
    void (*tell)(void *watcher, uint64_t bytes); /* as in snpy_flow; in all, snpy_conversion_work bytes */
    void *watcher;
} snpy_conversion;

/* Bytes that a watcher will be told of, in all; 0 if that is not known. */
uint64_t snpy_conversion_work(const snpy_conversion *how, const snpy_file *file, const snpy_output *output);

/* Writes an array anew: the header that numpy.save would write for it, then its data in the order and byte order asked
 * for, padding of records cleared. The payload of objects is copied as it is. In memory of a few MiB, whatever the
 * size; what must be written out of order to a pipe takes the way through a temporary file without a name.
 *
 * file       what snpy_input_open filled with `input`; its field table changes
 * output     open; to be finished or abandoned by the caller
 * returns    SNPY_OK; SNPY_OBJECT_DATA if objects are to have another order; SNPY_WRITE_VERSION and the other statuses of
 *            snpy_write_header; SNPY_TOO_MANY_FIELDS (a sub-array of very many records); as snpy_input_read;
 *            SNPY_IO_ERROR; SNPY_NO_MEMORY                                                 NPY-WRITE-009, NPY-VALUE-011 */
snpy_status snpy_convert_array(const snpy_conversion *how, snpy_file *file, snpy_input *input, snpy_output *output,
                               snpy_io_error *error);

#endif
