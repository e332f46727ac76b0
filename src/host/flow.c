/* flow.c: copies bytes from one file to another.                                             HOST-IO, HOST-MEMORY
 * input.c reads them; a callback writes them. */
#include "host/flow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes that are copied at once: few enough to stay in the processor's cache between reading and writing. */
#define STEP ((uint64_t)262144)

snpy_status snpy_input_open_raw(const char *path, snpy_input *input, uint64_t *size, bool *knows_size,
                                snpy_io_error *error)
{
    bool is_standard_input = strcmp(path, "-") == 0;
    int descriptor = is_standard_input ? STDIN_FILENO : snpy_open(path, O_RDONLY, 0);
    snpy_io_begin(error, path);
    snpy_input_from_file(input, descriptor, 0);
    input->is_borrowed = is_standard_input;
    if (descriptor < 0) return snpy_io_fail(error, "open", errno);
    snpy_status status = snpy_reader_of_input(&input->reader, descriptor, is_standard_input, error);
    *knows_size = input->reader.knows_size;
    *size = input->reader.size;
    input->reader.is_stream = !*knows_size;
    if (status != SNPY_OK) snpy_input_close(input);
    return status;
}

/* Copies `size` bytes, or all up to the end, through a buffer of STEP bytes. */
static snpy_status snpy_pour_through(const snpy_flow *flow, uint64_t size, uint8_t *buffer, snpy_io_error *error)
{
    uint64_t done = 0;
    while (done < size) {
        uint64_t wanted = size - done < STEP ? size - done : STEP;
        uint64_t got = 0;
        snpy_status status = snpy_input_some(flow->input, done, buffer, wanted, &got, error);
        if (status == SNPY_OK && got == 0 && size == SNPY_TO_THE_END) return SNPY_OK;
        if (status == SNPY_OK && got == 0) status = snpy_input_refuse_end(flow->input, done, error);
        if (status != SNPY_OK) {
            snpy_io_name(error, flow->from);
            return status;
        }
        status = flow->put(flow->target, buffer, got, error);
        if (status != SNPY_OK) return status;
        done += got;
        if (flow->tell != NULL) flow->tell(flow->watcher, got);
    }
    return SNPY_OK;
}

snpy_status snpy_pour(const snpy_flow *flow, uint64_t size, snpy_io_error *error)
{
    if (size == 0) return SNPY_OK;
    uint8_t *buffer = malloc((size_t)STEP);
    if (buffer == NULL) return snpy_io_no_memory(error, "malloc");
    snpy_status status = snpy_pour_through(flow, size, buffer, error);
    free(buffer);
    return status;
}

snpy_status snpy_put_output(void *output, const uint8_t *bytes, uint64_t size, snpy_io_error *error)
{
    const snpy_output *to = output;
    return snpy_write_all(to->descriptor, bytes, size, error);
}
