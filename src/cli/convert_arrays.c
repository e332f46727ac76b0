/* convert_arrays.c: `safenpy convert --all-arrays`: writes a file of several arrays as an archive, with the names that
 * numpy.savez gives.
 * arrays.c finds where each array begins, src/npz writes archives.
 *
 * The archive gets its name only when all arrays are written. */
#include "cli/pack.h"

#ifdef SNPY_ARCHIVES

#include <stdio.h>

/* The state of the conversion. */
typedef struct work {
    const cli_change *change;
    snpy_archive_writer *writer;
    cli_progress progress;
    uint64_t count;       /* arrays written so far */
    enum cli_exit failed; /* the exit status of the first failure; CLI_ACCEPTED: none */
    bool is_repaired;     /* every header written so far is canonical */
} work;

/* Writes an array as the next member, with a new header. */
static snpy_status put_array(work *state, const char *from, snpy_file *file, snpy_input *input, snpy_io_error *error)
{
    char name[32];
    snpy_array head;
    snpy_description description;
    const snpy_header *header = &file->head.header;
    const snpy_flow flow = {input, from, cli_put_member, state->writer, cli_progress_add, &state->progress};
    const uint64_t size = header->has_object ? file->size - header->frame.data_offset : header->data_size;
    snpy_array_describe(&file->head, &description);
    if (state->change->is_canonical) description.version = SNPY_VERSION_AUTO;
    (void)snprintf(name, sizeof name, "arr_%llu.npy", (unsigned long long)state->count);
    snpy_status status = snpy_make_new_head(description, 0, SNPY_BYTEORDER_KEEP, true, &head, error);
    if (status == SNPY_OK) {
        const snpy_file written = {.head = head}; /* borrowed */
        size_t length = 0;
        const uint8_t *start = snpy_file_start(&written, &length);
        status = snpy_archive_writer_begin_bytes(state->writer, name, length + size, error);
        if (status == SNPY_OK) status = snpy_archive_writer_put(state->writer, start, length, error);
        if (status == SNPY_OK) status = snpy_pour(&flow, size, error);
        if (status == SNPY_OK) status = snpy_archive_writer_end(state->writer, error);
    }
    snpy_array_release(&head);
    return status;
}

/* Opens the array that begins at options->array_start and writes it: the callback of cli_visit_arrays. After a failure
 * it only returns that again. */
static enum cli_exit add_array(const char *from, const cli_options *options, void *context)
{
    work *state = context;
    snpy_file file;
    snpy_input input;
    snpy_io_error error;
    cli_repairs found;
    if (state->failed != CLI_ACCEPTED) return state->failed;
    if (snpy_input_open_at(from, options->array_start, &options->limits, &file, &input) != SNPY_OK) {
        state->failed = cli_refuse_input(from, &file);
        snpy_array_release(&file.head);
        return state->failed;
    }
    if (state->count == 0) cli_progress_begin(&state->progress, file.size);
    if (put_array(state, from, &file, &input, &error) != SNPY_OK) {
        state->failed = cli_fail_member(state->change->common.files[1], from, &error);
    } else {
        state->count++;
        cli_find_repairs(&file, &options->limits, &found);
        if (!cli_put_repairs(from, &found)) state->is_repaired = false;
        if (file.another == 0) cli_note_trailing(from, &file, &input);
    }
    snpy_input_close(&input);
    snpy_array_release(&file.head);
    return state->failed;
}

enum cli_exit cli_convert_arrays(const cli_change *change, snpy_output *output)
{
    work state = {.change = change, .is_repaired = true};
    snpy_io_error error;
    const char *to = change->common.files[1];
    if (cli_open_writer(change, false, output, &state.writer, &error) != SNPY_OK)
        return cli_fail_member(to, to, &error);
    enum cli_exit result = cli_visit_arrays(change->common.files[0], &change->common, add_array, &state);
    result = cli_close_writer(to, &state.writer, result);
    cli_progress_end(&state.progress);
    return result == CLI_ACCEPTED && change->is_canonical && !state.is_repaired ? CLI_REFUSED : result;
}

#else

enum cli_exit cli_convert_arrays(const cli_change *change, snpy_output *output)
{
    (void)change;
    (void)output;
    return cli_have_no_archives("convert");
}

#endif
