/* flatten.c: `safenpy convert --flatten` and `--unflatten`: an object array as an archive of plain arrays, and back.
 * The host makes the arrays; src/npz reads and writes archives.                       NPY-PKL-031, NPY-PKL-035 */
#include "cli/archive.h"
#include "cli/pack.h"

#ifdef SNPY_ARCHIVES

#include <stdlib.h>
#include <string.h>

/* Writes a member. */
static snpy_status write_flat_member(snpy_archive_writer *writer, const snpy_flat_member *member, snpy_io_error *error)
{
    const size_t length = strlen(member->name);
    char *name = malloc(length + sizeof ".npy");
    if (name == NULL) return snpy_io_no_memory(error, "malloc");
    memcpy(name, member->name, length);
    memcpy(name + length, ".npy", sizeof ".npy");
    snpy_status status = snpy_archive_writer_begin_bytes(writer, name, member->size, error);
    free(name);
    if (status == SNPY_OK) status = snpy_archive_writer_put(writer, member->bytes, member->size, error);
    return status == SNPY_OK ? snpy_archive_writer_end(writer, error) : status;
}

/* Writes all members to a claimed output. */
static enum cli_exit write_flat(const cli_change *change, const snpy_flat *flat, snpy_output *output)
{
    const char *to = change->common.files[1];
    snpy_archive_writer *writer = NULL;
    snpy_io_error error;
    enum cli_exit result = CLI_ACCEPTED;
    if (cli_open_writer(change, false, output, &writer, &error) != SNPY_OK) return cli_fail_member(to, to, &error);
    for (size_t i = 0; i < flat->count && result == CLI_ACCEPTED; i++)
        if (write_flat_member(writer, &flat->members[i], &error) != SNPY_OK)
            result = cli_fail_member(to, flat->members[i].name, &error);
    return cli_close_writer(to, &writer, result);
}

/* Flattens an open input. */
static enum cli_exit flatten_input(const cli_change *change, snpy_file *file, snpy_input *input, snpy_output *output)
{
    const char *from = change->common.files[0];
    snpy_flat flat = {.count = 0};
    snpy_io_error error;
    enum cli_exit result = CLI_ACCEPTED;
    cli_repairs found;
    cli_find_repairs(file, &change->common.limits, &found);
    if (!file->head.header.has_object) {
        cli_put(cli_complain_of(from), "its elements are no objects: it is plain already\n");
        cli_flush(&cli_messages);
        return CLI_TROUBLE;
    }
    snpy_io_begin(&error, from);
    if (snpy_flatten_input(input, file, &flat, &error) != SNPY_OK) {
        snpy_io_name(&error, from);
        result = cli_fail(&error);
    }
    if (result == CLI_ACCEPTED) result = write_flat(change, &flat, output);
    if (result == CLI_ACCEPTED) (void)cli_put_repairs(from, &found); /* what comes back has a header that is in order */
    snpy_flat_release(&flat);
    return result;
}

/* The context of flattening. */
struct flattening {
    const cli_change *change;
    snpy_output *output;
};

/* Opens an array and flattens it: the callback of cli_visit_arrays. */
static enum cli_exit flatten(const char *from, const cli_options *options, void *context)
{
    const struct flattening *asked = context;
    snpy_file file;
    snpy_input input;
    enum cli_exit result = cli_open_input(from, options, &file, &input);
    if (result == CLI_ACCEPTED) {
        result = flatten_input(asked->change, &file, &input, asked->output);
        snpy_input_close(&input);
    }
    snpy_array_release(&file.head);
    return result;
}

enum cli_exit cli_flatten(const cli_change *change, snpy_output *output)
{
    struct flattening asked = {change, output};
    return cli_visit_arrays(change->common.files[0], &change->common, flatten, &asked);
}

/* ---- back ------------------------------------------------------------------------------------------------- */

/* Reports why members are not those of a flat archive. Returns the exit status for it. */
static enum cli_exit fail_schema(const char *from, snpy_io_error *error)
{
    if (error->call != NULL) {
        snpy_io_name(error, from);
        return cli_fail(error);
    }
    cli_stream *stream = cli_complain_of(from);
    cli_put_argument(stream, error->member);
    cli_put(stream, ".npy");
    cli_put_refusal(stream, &error->error);
    cli_put_hint(stream, &error->error);
    cli_flush(stream);
    return error->error.status == SNPY_FILE_CHANGED ? CLI_TROUBLE : CLI_REFUSED;
}

/* Checks the header of a member by the limits that were asked for, and by nothing else: snpy_unflatten does that. Without
 * any, what was flattened always comes back. */
static snpy_status check_flat_header(const cli_change *change, const uint8_t *bytes, size_t size, snpy_io_error *error)
{
    static const snpy_options defaults = SNPY_OPTIONS_INIT;
    snpy_options limits = change->common.limits;
    snpy_reader reader;
    snpy_array head;
    if (limits.max_header_bytes == defaults.max_header_bytes) limits.max_header_bytes = SNPY_MAX_HEADER;
    limits.max_fields = SNPY_MAX_FIELDS;
    limits.compat.platform_float = true;
    snpy_array_clear(&head);
    snpy_reader_of_memory(&reader, bytes, size);
    const snpy_status status = snpy_read_header(&reader, &limits, false, &head, error);
    snpy_array_release(&head);
    const bool is_within = status != SNPY_HEADER_TOO_LONG && status != SNPY_DATA_TOO_LARGE && status != SNPY_NO_MEMORY;
    return is_within ? SNPY_OK : status;
}

/* Reads a member. */
static snpy_status read_flat_member(const cli_change *change, const snpy_archive *archive, size_t index,
                                    snpy_flat *flat, snpy_io_error *error)
{
    const size_t capacity = snpy_archive_key(archive, index, NULL, 0) + 1;
    const uint64_t size = snpy_archive_member(archive, index)->size;
    char *name = malloc(capacity);
    uint8_t *bytes = size < SIZE_MAX ? malloc((size_t)size + 1) : NULL;
    snpy_io_begin(error, "");
    if (name != NULL) (void)snpy_archive_key(archive, index, name, capacity);
    snpy_status status = name == NULL || bytes == NULL ? snpy_io_no_memory(error, "malloc") : SNPY_OK;
    if (status == SNPY_OK) status = snpy_archive_read(archive, index, bytes, size, error);
    if (status == SNPY_OK) status = check_flat_header(change, bytes, (size_t)size, error);
    if (name != NULL) snpy_io_member(error, name);
    if (status == SNPY_OK) {
        status = snpy_flat_keep(flat, name, bytes, (size_t)size);
        bytes = NULL;
        if (status == SNPY_NO_MEMORY) (void)snpy_io_no_memory(error, "malloc");
        if (status == SNPY_PKL_NOT_FLAT) status = snpy_io_refuse(error, SNPY_PKL_FLAT_SCHEMA, 0);
    }
    free(bytes);
    free(name);
    return status;
}

/* Reads all members of an archive. Returns the exit status, after a message unless it is CLI_ACCEPTED. */
static enum cli_exit read_flat(const cli_change *change, snpy_flat *flat)
{
    const char *from = change->common.files[0];
    snpy_archive *archive = NULL;
    snpy_archive_options how;
    snpy_io_error error;
    enum cli_exit result = CLI_ACCEPTED;
    cli_archive_how(&change->common, &how);
    snpy_status status = strcmp(from, "-") == 0 ? cli_open_archive_input(NULL, 0, &how, &archive, &error)
                                                : snpy_archive_open(from, &how, &archive, &error);
    if (status == SNPY_OK) status = snpy_archive_total(archive, NULL, snpy_archive_count(archive), &error);
    if (status != SNPY_OK)
        result = cli_fail_open(change, "--unflatten reads an archive that --flatten has written", &error);
    for (size_t i = 0; result == CLI_ACCEPTED && i < snpy_archive_count(archive); i++)
        if (read_flat_member(change, archive, i, flat, &error) != SNPY_OK) result = fail_schema(from, &error);
    snpy_archive_close(&archive);
    snpy_flat_sort(flat);
    return result;
}

/* Writes header and pickle to a claimed output. */
static enum cli_exit write_objects(const cli_change *change, const snpy_array *head, const uint8_t *pickle, size_t size,
                                   snpy_output *output)
{
    const char *to = change->common.files[1];
    const snpy_file file = {.head = *head}; /* borrowed */
    snpy_io_error error;
    size_t length = 0;
    const uint8_t *start = snpy_file_start(&file, &length);
    if (cli_open_output(to, output, &error) != SNPY_OK) return cli_fail(&error);
    output->drop_acl = change->drops_acl;
    snpy_status status = snpy_write_all(output->descriptor, start, length, &error);
    if (status == SNPY_OK) status = snpy_write_all(output->descriptor, pickle, size, &error);
    if (status != SNPY_OK) snpy_io_name(&error, to);
    return cli_close_output(to, output, status, &error) == SNPY_OK ? CLI_ACCEPTED : cli_fail(&error);
}

enum cli_exit cli_unflatten(const cli_change *change, snpy_output *output)
{
    snpy_flat flat = {.form = change->form};
    snpy_array head;
    snpy_io_error error;
    uint8_t *pickle = NULL;
    size_t size = 0;
    enum cli_exit result = read_flat(change, &flat);
    if (result != CLI_ACCEPTED) {
        snpy_flat_release(&flat);
        return result;
    }
    if (snpy_unflatten(&flat, true, &head, &pickle, &size, &error) != SNPY_OK) {
        result = fail_schema(change->common.files[0], &error);
        snpy_array_release(&head);
    } else {
        result = write_objects(change, &head, pickle, size, output);
        snpy_array_release(&head);
    }
    snpy_object_bytes_free(&pickle);
    snpy_flat_release(&flat);
    return result;
}

#else

enum cli_exit cli_flatten(const cli_change *change, snpy_output *output)
{
    (void)change;
    (void)output;
    return cli_have_no_archives("convert");
}

enum cli_exit cli_unflatten(const cli_change *change, snpy_output *output)
{
    return cli_flatten(change, output);
}

#endif
