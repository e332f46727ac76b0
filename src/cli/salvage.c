/* salvage.c: `safenpy salvage`: copies the intact members of a broken archive to a new one.
 * src/npz finds and copies members. */
#include "cli/archive.h"
#include "cli/pack.h"

#ifdef SNPY_ARCHIVES

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static const struct option known[] = {CLI_ARCHIVE_LIMITS,
                                      {"json", no_argument, NULL, CLI_OPTION_JSON},
                                      {"compat", required_argument, NULL, CLI_OPTION_COMPAT},
                                      {"max-header", required_argument, NULL, CLI_OPTION_MAX_HEADER},
                                      {"drop-acl", no_argument, NULL, CLI_OPTION_DROP_ACL},
                                      CLI_LOCK_OPTION,
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

/* The level for members that were deflated: that of numpy.savez_compressed. */
#define USUAL_LEVEL 6u

/* The state of the work. */
typedef struct salvage {
    const cli_change *change;
    cli_stream *stream; /* for the report: standard output, unless the archive goes there */
    uint64_t kept;
    uint64_t lost;
} salvage;

/* Writes the result for a member as a JSON object. */
static void put_json(const salvage *work, const snpy_salvaged *member)
{
    bool first = true;
    const snpy_error *error = &member->error;
    cli_put(work->stream, "{");
    cli_json_key(work->stream, "name", &first);
    (void)cli_json_string(work->stream, (const uint8_t *)member->name, strlen(member->name), SNPY_TEXT_UTF8);
    cli_json_key(work->stream, "verdict", &first);
    cli_json_text(work->stream, member->is_kept ? "kept" : "lost");
    cli_json_key(work->stream, "local_offset", &first);
    cli_put_number(work->stream, member->offset);
    if (member->is_kept) {
        cli_json_key(work->stream, "size", &first);
        cli_put_number(work->stream, member->size);
    }
    if (error->status != SNPY_OK) {
        cli_json_key(work->stream, "rule", &first);
        cli_json_text(work->stream, snpy_status_rule(error->status));
        cli_json_key(work->stream, "offset", &first);
        cli_put_number(work->stream, error->offset);
        cli_json_key(work->stream, "message", &first);
        cli_json_text(work->stream, snpy_status_message(error->status));
    }
    cli_put(work->stream, "}\n");
}

/* Writes the result for a member as a line. */
static void put_text(const salvage *work, const snpy_salvaged *member)
{
    const snpy_error *error = &member->error;
    if (member->name[0] == '\0')
        cli_put(work->stream, "a member without a name that can be read");
    else
        cli_put_argument(work->stream, member->name);
    cli_say(work->stream, "%s%" PRIu64, member->is_kept ? ": kept, " : ": lost, it begins at byte ",
            member->is_kept ? member->size : member->offset);
    if (member->is_kept) cli_put(work->stream, member->size == 1 ? " byte" : " bytes");
    if (error->status != SNPY_OK) {
        cli_say(work->stream, "%s%s at byte %" PRIu64 " [%s]", member->is_kept ? "; but its header: " : ": ",
                snpy_status_message(error->status), error->offset, snpy_status_rule(error->status));
    }
    cli_put(work->stream, "\n");
}

/* Counts a member and writes its result: the callback of snpy_archive_salvage. */
static void report(void *context, const snpy_salvaged *member)
{
    salvage *work = context;
    if (member->is_kept)
        work->kept++;
    else
        work->lost++;
    if (work->change->common.json)
        put_json(work, member);
    else
        put_text(work, member);
}

/* Opens the broken archive; a pipe is copied to a file. The caller closes *descriptor; -1: nothing is open. */
static snpy_status open_broken(const cli_options *options, int *descriptor, snpy_reader *reader, snpy_io_error *error)
{
    const char *name = options->files[0];
    const bool is_input = strcmp(name, "-") == 0;
    snpy_io_begin(error, name);
    *descriptor = is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : snpy_open(name, O_RDONLY, 0);
    if (*descriptor < 0) return snpy_io_fail(error, is_input ? "fcntl" : "open", errno);
    snpy_status status = snpy_reader_of_input(reader, *descriptor, is_input, error);
    if (status != SNPY_OK || reader->is_file) return status;
    if (!is_input) return snpy_io_fail(error, "pread", ESPIPE);
    (void)close(*descriptor); /* a duplicate of standard input */
    status = cli_copy_archive_input(NULL, 0, options->max_total_bytes, descriptor, error);
    return status == SNPY_OK ? snpy_reader_of_input(reader, *descriptor, false, error) : status;
}

/* Opens the broken archive. Returns its descriptor, or -1 after a message. */
static int open_or_report(const cli_options *options, snpy_reader *reader)
{
    int descriptor = -1;
    snpy_io_error error;
    if (open_broken(options, &descriptor, reader, &error) == SNPY_OK) return descriptor;
    if (error.error.status == SNPY_ZIP_TOTAL_TOO_LARGE)
        cli_explain_copy_limit(options->files[0], options, &error);
    else
        (void)cli_fail(&error);
    if (descriptor >= 0) (void)close(descriptor); /* only read from */
    return -1;
}

/* Returns the exit status for the whole archive. Reports that nothing was written if no member is intact. */
static enum cli_exit conclude(const salvage *work, enum cli_exit result)
{
    if (result == CLI_TROUBLE) return result;
    if (work->kept == 0) {
        cli_put(cli_complain_of(work->change->common.files[0]), "no member is whole, and nothing was written\n");
        cli_flush(&cli_messages);
    }
    return work->kept == 0 || work->lost > 0 ? CLI_REFUSED : CLI_ACCEPTED;
}

/* Salvages an open archive: writes the new one, or nothing if no member is intact. */
static enum cli_exit salvage_open(salvage *work, snpy_reader *reader, snpy_output *output)
{
    const char *to = work->change->common.files[1];
    snpy_archive_options how;
    snpy_archive_writer *writer;
    snpy_io_error error;
    cli_archive_how(&work->change->common, &how);
    if (cli_open_writer(work->change, true, output, &writer, &error) != SNPY_OK) return cli_fail_member(to, to, &error);
    const snpy_salvage_request request = {reader, &how, writer, USUAL_LEVEL, report, work};
    enum cli_exit result = CLI_ACCEPTED;
    if (snpy_archive_salvage(&request, &error) != SNPY_OK) {
        snpy_io_name(&error,
                     error.call != NULL && strcmp(error.call, "pread") == 0 ? work->change->common.files[0] : to);
        result = cli_fail(&error) == CLI_ACCEPTED ? CLI_ACCEPTED : CLI_TROUBLE;
    }
    if (result == CLI_ACCEPTED && work->kept > 0)
        result = cli_close_writer(to, &writer, result);
    else
        snpy_archive_writer_abandon(&writer);
    return conclude(work, result);
}

enum cli_exit cli_salvage(int argc, char **argv)
{
    cli_change change;
    snpy_output output;
    snpy_io_error error;
    snpy_reader reader;
    enum cli_parsed parsed = cli_read_change(argc, argv, known, 2, 2, "BROKEN OUT", &change);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help(argv[0]) : CLI_TROUBLE;
    const char *to = change.common.files[1];
    const bool is_piped = strcmp(to, "-") == 0 || strcmp(to, "/dev/stdout") == 0;
    salvage work = {.change = &change, .stream = is_piped ? &cli_messages : &cli_output};
    if (!cli_may_write(to)) return CLI_TROUBLE;
    change.level = USUAL_LEVEL;
    cli_catch_signals();
    const int descriptor = open_or_report(&change.common, &reader);
    if (descriptor < 0) return CLI_TROUBLE;
    enum cli_exit result = CLI_TROUBLE;
    reader.is_stream = false; /* it is a file: any part can be read */
    if (cli_claim_output(to, &change.common, &output, &error) != SNPY_OK)
        (void)cli_fail(&error);
    else
        result = salvage_open(&work, &reader, &output);
    cli_flush(work.stream);
    (void)close(descriptor); /* only read from */
    return result;
}

#else

enum cli_exit cli_salvage(int argc, char **argv)
{
    (void)argc;
    return cli_have_no_archives(argv[0]);
}

#endif
