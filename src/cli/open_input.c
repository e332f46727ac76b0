/* open_input.c: opens the one array that a command reads: a file, a stream, or a member of an archive.
 * The host opens files, archive.c archives.
 *
 * A stored member is read in place, after its CRC was verified; a deflated one is first inflated to a file without a
 * name. */
#include "cli/archive.h"
#include "cli/data.h"

enum cli_exit cli_open_input(const char *name, const cli_options *options, snpy_file *file, snpy_input *input)
{
    if (snpy_input_open_at(name, options->array_start, &options->limits, file, input) == SNPY_OK) {
        if (cli_check_no_member(name, options)) return CLI_ACCEPTED;
        snpy_input_close(input);
        return CLI_TROUBLE;
    }
    return cli_open_other(name, options, file, input);
}

enum cli_exit cli_open_other(const char *name, const cli_options *options, snpy_file *file, snpy_input *input)
{
    if (cli_is_archive(name, file, options)) return cli_open_member(name, options, file, input);
    return cli_refuse_by(name, file, options);
}

#ifdef SNPY_ARCHIVES

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The most keys that the message about a missing key names. */
#define MAX_KEYS 20u

/* Reports that a member must be named, and which there are. Returns CLI_TROUBLE. */
static enum cli_exit ask_for_key(cli_archive *about)
{
    const size_t count = snpy_archive_count(about->archive);
    cli_stream *stream = cli_complain();
    cli_say(stream, "%-s%s", about->name,
            count == 0 ? ": an archive without members\n" : ": an archive: one member is to be named, as in ");
    for (size_t i = 0; i < count && i < MAX_KEYS; i++) {
        const char *shown = cli_member_shown(about, i);
        if (i > 0) cli_put(stream, i == 1 ? "; there are also " : ", ");
        cli_put_argument(stream, i > 0 ? shown + strlen(about->name) + 1 : shown);
    }
    if (count > MAX_KEYS) {
        cli_say(stream, " and %" PRIu64 " more", (uint64_t)(count - MAX_KEYS));
    }
    if (count > 0) cli_put(stream, "\n");
    cli_flush(stream);
    return CLI_TROUBLE;
}

/* Opens a stored member in place, after its data and CRC were checked. The input begins at the data, `header` bytes
 * into the member. */
static snpy_status open_stored(const cli_archive *about, snpy_member *member, uint64_t header, snpy_input *input,
                               snpy_io_error *error)
{
    uint64_t offset = 0;
    snpy_status status = snpy_member_drain(member, error);
    if (status != SNPY_OK) return status;
    int descriptor = fcntl(snpy_archive_locate(about->archive, about->only, &offset), F_DUPFD_CLOEXEC, 3);
    if (descriptor < 0) return snpy_io_fail(error, "fcntl", errno);
    snpy_input_from_file(input, descriptor, offset + header);
    return SNPY_OK;
}

/* Inflates the rest of a member, its data, to a file without a name, and opens that. */
static snpy_status open_inflated(snpy_member *member, snpy_input *input, snpy_io_error *error)
{
    int descriptor = -1;
    snpy_status status = snpy_make_nameless(&descriptor, error);
    if (status != SNPY_OK) return status;
    status = cli_pour_member(member, descriptor, error);
    if (status == SNPY_OK) {
        snpy_input_from_file(input, descriptor, 0);
        return SNPY_OK;
    }
    if (error->call != NULL && strcmp(error->call, "write") == 0) snpy_io_name(error, snpy_temporary_directory());
    (void)close(descriptor); /* this deletes the file: it has no name */
    return status;
}

/* Opens the data of a member whose header has been read. */
static snpy_status open_data(const cli_archive *about, snpy_member *member, const snpy_header *header,
                             snpy_input *input, snpy_io_error *error)
{
    const uint64_t start = header->frame.data_offset;
    const bool is_stored = snpy_archive_member(about->archive, about->only)->method == SNPY_ZIP_STORED;
    snpy_status status =
        is_stored ? open_stored(about, member, start, input, error) : open_inflated(member, input, error);
    if (status != SNPY_OK) return status;
    input->is_borrowed = false;
    input->header = start;
    return SNPY_OK;
}

/* Reads the header of a member. Objects are no error here. */
static snpy_status read_head(snpy_member *member, const snpy_options *limits, snpy_array *head, snpy_io_error *error)
{
    snpy_status status = snpy_member_read_header(member, limits, head, error);
    return status == SNPY_OBJECT_DATA ? SNPY_OK : status;
}

/* Opens the member that the user named, and makes `file` describe it. */
static snpy_status open_single(const cli_archive *about, const cli_options *options, snpy_file *file, snpy_input *input,
                               snpy_io_error *error)
{
    static const snpy_error accepted = {SNPY_OK, 0};
    snpy_member *member;
    snpy_array_release(&file->head); /* it had the first bytes of the archive */
    snpy_status status = snpy_member_open(about->archive, about->only, &member, error);
    if (status == SNPY_OK) status = read_head(member, &options->limits, &file->head, error);
    if (status == SNPY_OK) status = open_data(about, member, &file->head.header, input, error);
    file->error = accepted;
    file->system_error = 0;
    file->size = snpy_member_size(member);
    snpy_member_close(&member);
    if (status != SNPY_OK) snpy_array_release(&file->head);
    return status;
}

enum cli_exit cli_open_member(const char *name, const cli_options *options, snpy_file *file, snpy_input *input)
{
    cli_archive about;
    snpy_io_error error;
    enum cli_exit result = cli_open_archive(name, file, options, &about);
    if (result != CLI_ACCEPTED) return result;
    if (!about.is_single) {
        result = ask_for_key(&about);
    } else if (open_single(&about, options, file, input, &error) != SNPY_OK) {
        const char *shown = cli_member_shown(&about, about.only);
        (void)snpy_file_fail(file, &error);
        result = error.call != NULL ? cli_report_read(shown, &error) : cli_refuse_by(shown, file, options);
    }
    cli_close_archive(&about);
    return result;
}

#endif
