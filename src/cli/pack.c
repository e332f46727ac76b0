/* pack.c: `safenpy pack`: writes files to an archive.                                               NPZ-WRITE-001 … 010
 * src/npz writes the archive, the host reads files.
 *
 * All files are packed or none: the archive gets its name when it is complete. */
#include "cli/pack.h"

#ifdef SNPY_ARCHIVES

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option known[] = {{"store", no_argument, NULL, CLI_OPTION_STORE},
                                      {"deflate", optional_argument, NULL, CLI_OPTION_DEFLATE},
                                      {"threads", required_argument, NULL, CLI_OPTION_THREADS},
                                      {"drop-acl", no_argument, NULL, CLI_OPTION_DROP_ACL},
                                      {"json", no_argument, NULL, CLI_OPTION_JSON},
                                      {"as-is", no_argument, NULL, CLI_OPTION_AS_IS},
                                      CLI_LOCK_OPTION,
                                      {"compat", required_argument, NULL, CLI_OPTION_COMPAT},
                                      {"max-header", required_argument, NULL, CLI_OPTION_MAX_HEADER},
                                      {"max-data-bytes", required_argument, NULL, CLI_OPTION_MAX_DATA_BYTES},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

/* The most threads that are used without --threads: each needs some MiB of memory. */
#define MAX_THREADS 8

/* The state of packing. */
typedef struct packing {
    const cli_change *change;
    const char *to;
    snpy_archive_writer *writer;
    cli_progress progress;
    const char *shown; /* the argument that is being packed */
    const char *path;  /* its file */
} packing;

/* --- writers ----------------------------------------------------------------------------------------------- */

/* Returns the number of processors, at most MAX_THREADS. */
static uint32_t usual_threads(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors < 1) return 1;
    return processors < MAX_THREADS ? (uint32_t)processors : MAX_THREADS;
}

snpy_status cli_open_writer(const cli_change *change, bool any_keys, snpy_output *output, snpy_archive_writer **writer,
                            snpy_io_error *error)
{
    snpy_archive_write_options how = SNPY_ARCHIVE_WRITE_OPTIONS_INIT;
    how.level = change->level;
    how.drop_acl = change->drops_acl;
    how.any_keys = any_keys;
    how.threads = change->threads > 0 ? change->threads : usual_threads();
    return snpy_archive_writer_open_claimed(writer, output, &how, error);
}

enum cli_exit cli_fail_member(const char *to, const char *shown, snpy_io_error *error)
{
    bool is_of_key = error->error.status == SNPY_ZIP_WRITE_KEY || error->error.status == SNPY_ZIP_WRITE_DUPLICATE;
    if (is_of_key) return cli_refuse(shown, &error->error, NULL);
    if (error->path[0] == '\0') snpy_io_name(error, to);
    return cli_fail(error);
}

enum cli_exit cli_close_writer(const char *to, snpy_archive_writer **writer, enum cli_exit result)
{
    snpy_io_error error;
    if (result == CLI_ACCEPTED) {
        if (snpy_archive_writer_finish(writer, &error) == SNPY_OK)
            cli_note_lost(to, &error);
        else
            result = cli_fail_member(to, to, &error);
    }
    snpy_archive_writer_abandon(writer);
    return result;
}

snpy_status cli_put_member(void *writer, const uint8_t *bytes, uint64_t size, snpy_io_error *error)
{
    return snpy_archive_writer_put(writer, bytes, size, error);
}

/* --- files ------------------------------------------------------------------------------------------------- */

/* Reports a failure with the file that is being packed. Returns the exit status for it. */
static enum cli_exit fail(packing *work, snpy_io_error *error)
{
    return cli_fail_member(work->to, work->shown, error);
}

/* Writes a member: `head`, then the rest of an open input. `size` is that of the member, or SNPY_SIZE_UNKNOWN. */
static enum cli_exit pack_input(packing *work, const char *name, uint64_t size, const uint8_t *head, uint64_t head_size,
                                snpy_input *input)
{
    snpy_io_error error;
    const snpy_flow flow = {input, work->path, cli_put_member, work->writer, cli_progress_add, &work->progress};
    const uint64_t rest = size == SNPY_SIZE_UNKNOWN ? SNPY_TO_THE_END : size - head_size;
    snpy_status status = snpy_archive_writer_begin_bytes(work->writer, name, size, &error);
    if (status == SNPY_OK) status = snpy_archive_writer_put(work->writer, head, head_size, &error);
    if (status == SNPY_OK) status = snpy_pour(&flow, rest, &error);
    if (status == SNPY_OK) status = snpy_archive_writer_end(work->writer, &error);
    return status == SNPY_OK ? CLI_ACCEPTED : fail(work, &error);
}

/* Returns the size of an array with its header, without trailing bytes; of an object array on a stream it is not
 * known. */
static uint64_t array_size(const snpy_file *file, const snpy_input *input)
{
    const snpy_header *header = &file->head.header;
    if (!header->has_object) return header->frame.data_offset + header->data_size;
    return input->reader.is_stream ? SNPY_SIZE_UNKNOWN : file->size;
}

/* Reports a file that was refused or could not be read. Returns the exit status for it. */
static enum cli_exit refuse_file(const char *path, const snpy_file *file)
{
    if (file->system_error != 0 || file->error.status != SNPY_BAD_MAGIC) return cli_refuse_input(path, file);
    return cli_refuse(path, &file->error, "only arrays are packed; --as-is packs files of any kind, unread");
}

/* Packs an NPY file, without trailing bytes. */
static enum cli_exit pack_array(packing *work, const char *name)
{
    snpy_file file;
    snpy_input input;
    enum cli_exit result;
    if (snpy_input_open(work->path, &work->change->common.limits, &file, &input) == SNPY_OK) {
        size_t read = 0; /* bytes read: at least the header */
        const uint8_t *start = snpy_file_start(&file, &read);
        result = pack_input(work, name, array_size(&file, &input), start, file.head.header.frame.data_offset, &input);
        if (result == CLI_ACCEPTED) cli_note_trailing(work->path, &file, &input);
        snpy_input_close(&input);
    } else {
        result = refuse_file(work->path, &file);
    }
    snpy_array_release(&file.head);
    return result;
}

/* Packs a file of any kind, without reading what it means. */
static enum cli_exit pack_bytes(packing *work, const char *name)
{
    snpy_io_error error;
    snpy_input input;
    uint64_t size = 0;
    bool knows_size = false;
    if (snpy_input_open_raw(work->path, &input, &size, &knows_size, &error) != SNPY_OK) return fail(work, &error);
    enum cli_exit result = pack_input(work, name, knows_size ? size : SNPY_SIZE_UNKNOWN, NULL, 0, &input);
    snpy_input_close(&input);
    return result;
}

/* Makes the name of a member: the given key, or the last part of the file's path; for an array with ".npy" at its end.
 * The caller frees it. Returns NULL if there is no memory. */
static char *make_name(const packing *work, const char *key, size_t length)
{
    const bool is_array = !work->change->is_as_is;
    const char *slash = snpy_last_separator(work->path);
    if (key == NULL) {
        key = slash != NULL ? slash + 1 : work->path;
        length = strlen(key);
        if (is_array && length >= 4 && strcmp(key + length - 4, ".npy") == 0) length -= 4;
    }
    char *name = malloc(length + sizeof ".npy");
    if (name == NULL) return NULL;
    memcpy(name, key, length);
    memcpy(name + length, is_array ? ".npy" : "", is_array ? sizeof ".npy" : 1);
    return name;
}

/* Packs one argument: FILE or KEY=FILE. */
static enum cli_exit pack_argument(packing *work, const char *argument)
{
    const char *equals = strchr(argument, '=');
    snpy_io_error error;
    work->shown = argument;
    work->path = equals != NULL ? equals + 1 : argument;
    if (equals == NULL && strcmp(argument, "-") == 0) {
        cli_put(cli_complain(), "pack: standard input has no name: give it one as KEY=-");
        return cli_wrong_usage(&cli_messages);
    }
    char *name = make_name(work, equals != NULL ? argument : NULL, equals != NULL ? (size_t)(equals - argument) : 0);
    if (name == NULL) {
        snpy_io_begin(&error, work->path);
        (void)snpy_io_no_memory(&error, "malloc");
        return fail(work, &error);
    }
    enum cli_exit result = work->change->is_as_is ? pack_bytes(work, name) : pack_array(work, name);
    free(name);
    return result;
}

/* Returns the total size of all files, for the progress bar; 0 if that of one is not known. */
static uint64_t count_work(const cli_change *change)
{
    uint64_t total = 0;
    for (int i = 1; i < change->common.file_count; i++) {
        const char *equals = strchr(change->common.files[i], '=');
        struct stat about;
        if (stat(equals != NULL ? equals + 1 : change->common.files[i], &about) != 0 || !S_ISREG(about.st_mode))
            return 0;
        total += (uint64_t)about.st_size;
    }
    return total;
}

/* Finishes the archive, or abandons it if `result` is a failure. With --json reports what it contains. */
static enum cli_exit finish(packing *work, enum cli_exit result)
{
    snpy_io_error error;
    cli_packed packed = {.count = 0};
    const bool is_said = work->change->common.json;
    snpy_io_begin(&error, work->to);
    if (is_said && result == CLI_ACCEPTED && cli_take_packed(work->writer, &packed, &error) != SNPY_OK)
        result = cli_fail_member(work->to, work->to, &error);
    result = cli_close_writer(work->to, &work->writer, result);
    cli_progress_end(&work->progress);
    if (is_said && result == CLI_ACCEPTED) cli_put_packed(work->to, &packed);
    cli_release_packed(&packed);
    return result;
}

/* Returns false, after a message, if the archive and the JSON report would both go to standard output. */
static bool agrees(const cli_change *change)
{
    const char *to = change->common.files[0];
    if (!change->common.json || (strcmp(to, "-") != 0 && strcmp(to, "/dev/stdout") != 0)) return true;
    cli_put(cli_complain(), "pack: the archive and what --json says of it cannot both go to standard output");
    (void)cli_wrong_usage(&cli_messages);
    return false;
}

enum cli_exit cli_pack(int argc, char **argv)
{
    cli_change change;
    packing work = {.change = &change};
    snpy_output output;
    snpy_io_error error;
    enum cli_parsed parsed = cli_read_change(argc, argv, known, 2, argc, "OUT FILE...", &change);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help(argv[0]) : CLI_TROUBLE;
    work.to = change.common.files[0];
    if (!agrees(&change) || !cli_may_write(work.to)) return CLI_TROUBLE;
    cli_catch_signals();
    if (cli_claim_output(work.to, &change.common, &output, &error) != SNPY_OK ||
        cli_open_writer(&change, false, &output, &work.writer, &error) != SNPY_OK)
        return cli_fail_member(work.to, work.to, &error);
    enum cli_exit result = CLI_ACCEPTED;
    cli_progress_begin(&work.progress, count_work(&change));
    for (int i = 1; i < change.common.file_count && result == CLI_ACCEPTED; i++)
        result = pack_argument(&work, change.common.files[i]);
    result = finish(&work, result);
    return result;
}

#else

enum cli_exit cli_have_no_archives(const char *subcommand)
{
    cli_warn("%s: this build writes no archives: it was made without zlib and libdeflate", subcommand);
    return CLI_TROUBLE;
}

enum cli_exit cli_pack(int argc, char **argv)
{
    (void)argc;
    return cli_have_no_archives(argv[0]);
}

enum cli_exit cli_convert_archive(const cli_change *change, const snpy_file *file, snpy_output *output)
{
    (void)change;
    (void)file;
    (void)output;
    return cli_have_no_archives("convert");
}

#endif
