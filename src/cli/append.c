/* append.c: `safenpy append`: appends arrays to the array of a file.
 * The host lets the file grow; this file explains why an array does not fit. */
#include "cli/change.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option known[] = {{"drop-trailing", no_argument, NULL, CLI_OPTION_DROP_TRAILING},
                                      CLI_LOCK_OPTION,
                                      {"max-header", required_argument, NULL, CLI_OPTION_MAX_HEADER},
                                      {"max-data-bytes", required_argument, NULL, CLI_OPTION_MAX_DATA_BYTES},
                                      {"compat", required_argument, NULL, CLI_OPTION_COMPAT},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

/* The file that grows, and the one that is being appended. */
typedef struct appending {
    const cli_change *change;
    const char *path;
    const char *name;
    snpy_appender *appender;
    snpy_file file; /* the file that is being appended */
    cli_progress progress;
} appending;

/* The hint for a file that is not in the NPY format. */
static const char not_npy[] =
    "append takes NPY files; 'safenpy unpack' writes the members of an archive (NPZ) to such files";

/* --- what differs ------------------------------------------------------------------------------------------ */

/* Writes a shape as NumPy does, such as "(3, 4)". */
static void put_shape(cli_stream *stream, const snpy_header *header)
{
    cli_put(stream, "(");
    for (uint32_t k = 0; k < header->ndim; k++) {
        if (k > 0) cli_put(stream, ", ");
        cli_put_number(stream, header->shape[k]);
    }
    cli_put(stream, header->ndim == 1 ? ",)" : ")");
}

/* Writes the type of an array as NumPy does. Without memory for its text it writes "another one". */
static void put_type(cli_stream *stream, const snpy_description *description)
{
    uint64_t size = 0;
    snpy_error error;
    (void)snpy_write_descr(description, 0, NULL, 0, &size, &error);
    uint8_t *text = malloc((size_t)size); /* a size that does not fit is refused by snpy_write_descr */
    snpy_status status = SNPY_NO_MEMORY;
    if (text != NULL) status = snpy_write_descr(description, 0, text, (size_t)size, &size, &error);
    if (status == SNPY_OK)
        cli_put_safe(stream, text, (size_t)size, SNPY_TEXT_SURROGATES);
    else
        cli_put(stream, "another one");
    free(text);
}

/* Whether two shapes agree in all dimensions but the growing axis. */
static bool has_same_shape(const snpy_header *one, const snpy_header *other)
{
    const uint32_t axis = snpy_growing_axis(one);
    if (one->ndim != other->ndim) return false;
    for (uint32_t k = 0; k < one->ndim; k++)
        if (k != axis && one->shape[k] != other->shape[k]) return false;
    return true;
}

/* Writes how an array differs from the one it was to be appended to: in shape, order or type. */
static void put_difference(appending *work, cli_stream *stream)
{
    snpy_array *old = snpy_appender_array(work->appender);
    const snpy_header *more = &work->file.head.header;
    snpy_description description;
    snpy_array_describe(&work->file.head, &description);
    if (!has_same_shape(&old->header, more)) {
        cli_put(stream, "its shape is ");
        put_shape(stream, more);
        cli_put(stream, ", that of the array ");
        put_shape(stream, &old->header);
        cli_say(stream, ", which may differ in axis %" PRIu64 " only", (uint64_t)snpy_growing_axis(&old->header));
    } else if (old->header.fortran_order != more->fortran_order && snpy_order_matters(more)) {
        cli_put(stream, more->fortran_order ? "it is in Fortran order, the array in C order"
                                            : "it is in C order, the array in Fortran order");
    } else {
        cli_put(stream, "its type is ");
        put_type(stream, &description);
        cli_put(stream, ", that of the array ");
        snpy_array_describe(old, &description);
        put_type(stream, &description);
    }
}

/* Reports that an array cannot be appended. Returns the exit status for it. */
static enum cli_exit refuse_more(appending *work, const snpy_io_error *error)
{
    static const char hint[] = "'safenpy convert FILE FILE' writes the header anew, with room to grow";
    if (error->error.status == SNPY_HEADER_FULL) return cli_refuse(work->path, &error->error, hint);
    if (error->error.status != SNPY_NOT_ALIKE) return cli_fail(error);
    cli_stream *stream = cli_complain_of(work->name);
    put_difference(work, stream);
    cli_put(stream, " [HOST-MATCH]\n");
    cli_flush(stream);
    return CLI_REFUSED;
}

/* --- the work ---------------------------------------------------------------------------------------------- */

/* Adds bytes to an appender: the callback of snpy_pour. */
static snpy_status put_appender(void *appender, const uint8_t *bytes, uint64_t size, snpy_io_error *error)
{
    return snpy_appender_add(appender, bytes, size, error);
}

/* Whether two descriptors refer to the same file. */
static bool is_same_file(int one, int other)
{
    struct stat about;
    struct stat other_about;
    return fstat(one, &about) == 0 && fstat(other, &other_about) == 0 && about.st_dev == other_about.st_dev &&
           about.st_ino == other_about.st_ino;
}

/* Appends the array of an open input. Returns the exit status, after a message unless it is CLI_ACCEPTED. */
static enum cli_exit append_input(appending *work, snpy_input *input)
{
    snpy_io_error error;
    snpy_description description;
    const snpy_header *header = &work->file.head.header;
    const snpy_flow flow = {input, work->name, put_appender, work->appender, cli_progress_add, &work->progress};
    snpy_array_describe(&work->file.head, &description);
    if (header->has_object) {
        work->file.error.status = SNPY_OBJECT_DATA;
        return cli_refuse_input(work->name, &work->file);
    }
    if (snpy_appender_announce(work->appender, &description, &error) != SNPY_OK) return refuse_more(work, &error);
    work->progress.total += header->data_size;
    if (snpy_pour(&flow, header->data_size, &error) != SNPY_OK) return cli_fail(&error);
    if (!is_same_file(input->reader.descriptor, snpy_appender_descriptor(work->appender)))
        cli_note_trailing(work->name, &work->file, input);
    return CLI_ACCEPTED;
}

/* Opens and appends the file work->name. */
static enum cli_exit append_file(appending *work)
{
    snpy_input input;
    enum cli_exit result;
    if (snpy_input_open(work->name, &work->change->common.limits, &work->file, &input) == SNPY_OK) {
        result = append_input(work, &input);
        snpy_input_close(&input);
    } else if (work->file.error.status == SNPY_BAD_MAGIC) {
        result = cli_refuse(work->name, &work->file.error, not_npy);
    } else {
        result = cli_refuse_input(work->name, &work->file);
    }
    snpy_array_release(&work->file.head);
    return result;
}

/* Appends all files to the open one: all of them or, if one fails, none. */
static enum cli_exit append_files(appending *work)
{
    snpy_io_error error;
    enum cli_exit result = CLI_ACCEPTED;
    cli_progress_begin(&work->progress, 0);
    for (int i = 1; i < work->change->common.file_count && result == CLI_ACCEPTED; i++) {
        work->name = work->change->common.files[i];
        result = append_file(work);
    }
    if (result != CLI_ACCEPTED)
        snpy_appender_abandon(&work->appender);
    else if (snpy_appender_finish(&work->appender, &error) != SNPY_OK)
        result = cli_fail(&error);
    cli_progress_end(&work->progress);
    return result;
}

/* Reports that the file to append to could not be opened or cannot grow. Returns the exit status for it. */
static enum cli_exit refuse_old(const char *path, const snpy_io_error *error)
{
    static const char hint[] = "an append that was killed leaves such bytes; --drop-trailing removes them";
    if (error->error.status == SNPY_TRAILING_DATA) return cli_refuse(path, &error->error, hint);
    if (error->error.status == SNPY_BAD_MAGIC) return cli_refuse(path, &error->error, not_npy);
    const bool is_file = error->system_error != ESPIPE;
    if (is_file && error->error.status != SNPY_NOT_ALIKE) return cli_fail(error);
    cli_stream *stream = cli_complain_of(path);
    if (!is_file) {
        cli_put(stream, "arrays grow in regular files only\n");
        cli_flush(stream);
        return CLI_TROUBLE;
    }
    cli_put(stream, "an array without axes cannot grow [HOST-MATCH]\n");
    cli_flush(stream);
    return CLI_REFUSED;
}

enum cli_exit cli_append(int argc, char **argv)
{
    cli_change change;
    appending work = {.change = &change};
    snpy_io_error error;
    enum cli_parsed parsed = cli_read_change(argc, argv, known, 2, argc, "FILE MORE...", &change);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help(argv[0]) : CLI_TROUBLE;
    const snpy_append_options how = {.size = sizeof how,
                                     .limits = &change.common.limits,
                                     .drop_trailing = change.drops_trailing,
                                     .lock_timeout_ms = cli_lock_timeout_ms(&change.common)};
    work.path = change.common.files[0];
    cli_catch_signals();
    enum cli_exit result;
    if (snpy_appender_open(&work.appender, work.path, &how, &error) != SNPY_OK)
        result = refuse_old(work.path, &error);
    else
        result = append_files(&work);
    return result;
}
