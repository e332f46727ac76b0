/* convert_archive.c: `safenpy convert` of an archive: its members stored or deflated anew, or as they were.
 * Proves nothing; tests/cli/pack.py tries it. Leaves archives to src/npz.
 *
 * Members keep their bytes, names and order, those that are no NPY files, too. Each is checked as it is read, and OUT
 * takes its name only when all were good. */
#include "cli/archive.h"
#include "cli/pack.h"

#ifdef SNPY_ARCHIVES

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes that are moved at once. */
#define STEP ((size_t)262144)

/* The level of members that stay deflated: that of numpy.savez_compressed. */
#define USUAL_LEVEL 6u

/* The work. */
typedef struct conversion {
    const cli_change *change;
    const snpy_file *file; /* what was read of standard input; NULL: nothing */
    const char *from;
    const char *to;
    snpy_archive archive;
    snpy_output *output; /* claimed */
    snpy_archive_writer writer;
    uint32_t level; /* of what is deflated */
    cli_progress progress;
    uint8_t *step; /* STEP bytes */
    char *name;    /* of the member, with room for any */
} conversion;

/* Room for the longest name in UTF-8. */
#define NAME_ROOM (3 * (size_t)UINT16_MAX + 1)

/* Says why the archive is not converted. */
static enum cli_exit fail_open(const conversion *work, snpy_io_error *error)
{
    if (error->call != NULL && error->system_error == ESPIPE) {
        cli_put(cli_complain_of(work->from), "an archive is read from its end: it needs a file, or a pipe as '-'\n");
        cli_flush(&cli_messages);
        return CLI_TROUBLE;
    }
    if (strcmp(work->from, "-") == 0) cli_say_copied(work->from, &work->change->common, error);
    if (error->path[0] == '\0') snpy_io_name(error, work->from);
    if (error->error.status == SNPY_BAD_MAGIC)
        return cli_refuse(work->from, &error->error,
                          "--store and --deflate are for archives: 'safenpy pack' makes one");
    return cli_fail(error);
}

/* Opens the archive. */
static enum cli_exit open_from(conversion *work)
{
    const bool is_input = strcmp(work->from, "-") == 0;
    size_t length = 0;
    const uint8_t *start = snpy_file_start(work->file, &length);
    snpy_archive_options how;
    snpy_io_error error;
    cli_archive_how(&work->change->common, &how);
    snpy_status status = is_input ? cli_open_archive_input(start, length, &how, &work->archive, &error)
                                  : snpy_archive_open(work->from, &how, &work->archive, &error);
    if (status == SNPY_OK) status = snpy_archive_total(&work->archive, NULL, work->archive.count, &error);
    return status == SNPY_OK ? CLI_ACCEPTED : fail_open(work, &error);
}

/* Says what is wrong with a member that was read. */
static enum cli_exit fail_read(const conversion *work, snpy_io_error *error)
{
    if (error->call != NULL) {
        snpy_io_name(error, work->from);
        return cli_fail(error);
    }
    cli_stream *stream = cli_complain_of(work->from);
    cli_put_argument(stream, work->name);
    cli_put(stream, ": ");
    cli_put_refusal(stream, &error->error);
    cli_put(stream, "\n");
    cli_flush(stream);
    return error->error.status == SNPY_FILE_CHANGED ? CLI_TROUBLE : CLI_REFUSED;
}

/* Moves the bytes of an open member. */
static enum cli_exit convert_bytes(conversion *work, snpy_member *member)
{
    snpy_io_error error;
    size_t received = 1;
    while (received > 0) { /* once more than there are bytes: then the CRC of an empty member is judged, too */
        if (snpy_member_read(member, work->step, STEP, &received, &error) != SNPY_OK) return fail_read(work, &error);
        if (snpy_archive_writer_put(&work->writer, work->step, received, &error) != SNPY_OK)
            return cli_fail_member(work->to, work->name, &error);
        cli_progress_add(&work->progress, received);
    }
    return CLI_ACCEPTED;
}

/* Converts one member. */
static enum cli_exit convert_member(conversion *work, size_t index)
{
    snpy_member member;
    snpy_io_error error;
    (void)snpy_archive_name(&work->archive, index, work->name, NAME_ROOM);
    const bool is_stored = !work->change->has_level && work->archive.members[index].method == SNPY_ZIP_STORED;
    if (snpy_archive_writer_set_level(&work->writer, is_stored ? 0 : work->level, &error) != SNPY_OK)
        return cli_fail_member(work->to, work->name, &error);
    if (snpy_member_open(&work->archive, index, &member, &error) != SNPY_OK) return fail_read(work, &error);
    enum cli_exit result = CLI_ACCEPTED;
    if (snpy_archive_writer_begin_bytes(&work->writer, work->name, member.size, &error) != SNPY_OK)
        result = cli_fail_member(work->to, work->name, &error);
    if (result == CLI_ACCEPTED) result = convert_bytes(work, &member);
    snpy_member_close(&member);
    if (result == CLI_ACCEPTED && snpy_archive_writer_end(&work->writer, &error) != SNPY_OK)
        result = cli_fail_member(work->to, work->name, &error);
    return result;
}

/* Converts all members of an open archive. */
static enum cli_exit convert_members(conversion *work)
{
    snpy_io_error error;
    uint64_t total = 0;
    cli_change change = *work->change;
    if (!change.has_level) change.level = USUAL_LEVEL;
    work->level = change.level;
    for (size_t i = 0; i < work->archive.count; i++) total += work->archive.members[i].size;
    if (cli_open_writer(&change, true, work->output, &work->writer, &error) != SNPY_OK)
        return cli_fail_member(work->to, work->to, &error);
    enum cli_exit result = CLI_ACCEPTED;
    cli_progress_begin(&work->progress, total);
    for (size_t i = 0; i < work->archive.count && result == CLI_ACCEPTED; i++) result = convert_member(work, i);
    result = cli_close_writer(work->to, &work->writer, result);
    cli_progress_end(&work->progress);
    return result;
}

enum cli_exit cli_convert_archive(const cli_change *change, const snpy_file *file, snpy_output *output)
{
    conversion work = {.change = change,
                       .file = file,
                       .from = change->common.files[0],
                       .to = change->common.files[1],
                       .output = output};
    work.step = malloc(STEP);
    work.name = malloc(NAME_ROOM);
    enum cli_exit result = CLI_TROUBLE;
    if (work.step == NULL || work.name == NULL) {
        cli_put(cli_complain_of(work.to), "there is not enough memory\n");
        cli_flush(&cli_messages);
    } else {
        result = open_from(&work);
        if (result == CLI_ACCEPTED) result = convert_members(&work);
    }
    snpy_archive_close(&work.archive);
    free(work.step);
    free(work.name);
    return result;
}

#endif
