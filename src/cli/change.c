/* change.c: reads options, catches signals, opens outputs and reports failures for the subcommands that write files. */
#include "cli/change.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- options ----------------------------------------------------------------------------------------------- */

/* Reads the argument of --order, "C" or "F". Returns false after a message. */
static bool read_order(cli_change *change, const char *argument)
{
    if (strcmp(argument, "C") == 0 || strcmp(argument, "F") == 0) {
        change->order = argument[0];
        return true;
    }
    cli_put(cli_complain_about("--order", argument), "an order: use C or F");
    return false;
}

/* Returns the byte order of this machine. */
static snpy_byteorder native_order(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1 ? SNPY_BYTEORDER_LITTLE : SNPY_BYTEORDER_BIG;
}

/* Reads the argument of --byteorder. Returns false after a message. */
static bool read_byteorder(cli_change *change, const char *argument)
{
    if (strcmp(argument, "little") == 0) {
        change->byteorder = SNPY_BYTEORDER_LITTLE;
    } else if (strcmp(argument, "big") == 0) {
        change->byteorder = SNPY_BYTEORDER_BIG;
    } else if (strcmp(argument, "native") == 0) {
        change->byteorder = native_order();
    } else {
        cli_put(cli_complain_about("--byteorder", argument), "a byte order: use little, big or native");
        return false;
    }
    return true;
}

/* Reads a version of the format, the argument of `option`. Returns false after a message. */
static bool read_version(cli_change *change, const char *option, const char *argument)
{
    static const char *const versions[] = {"1.0", "2.0", "3.0"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(argument, versions[i]) != 0) continue;
        change->version = (snpy_version_choice)(i + 1);
        change->has_version = true;
        return true;
    }
    cli_put(cli_complain_about(option, argument), "a version: use 1.0, 2.0 or 3.0");
    return false;
}

/* Reads a number of one to three digits, from 1 to `most`. Returns false after a message that the argument is not
 * `what`. */
static bool read_count(const char *option, const char *argument, uint32_t most, const char *what, uint32_t *count)
{
    const size_t digits = strspn(argument, "0123456789");
    *count = 0;
    for (size_t i = 0; i < digits && digits <= 3; i++) *count = *count * 10 + (uint32_t)(argument[i] - '0');
    if (argument[digits] == '\0' && *count >= 1 && *count <= most) return true;
    cli_put(cli_complain_about(option, argument), what);
    return false;
}

/* Reads the optional level of --deflate; without one it is 6, as in numpy.savez_compressed. Returns false after a
 * message. */
static bool read_level(cli_change *change, const char *argument)
{
    change->has_level = true;
    change->level = 6;
    return argument == NULL || read_count("--deflate", argument, 9, "a level from 1 to 9", &change->level);
}

/* Reads a number of one digit, the argument of `option`, from `least` to `most`. Returns false after a message that the
 * argument is not `what`. */
static bool read_digit(cli_change *change, const char *option, char least, char most, const char *what, uint32_t *digit)
{
    change->has_form = true;
    *digit = (uint32_t)(optarg[0] - '0');
    if (optarg[0] >= least && optarg[0] <= most && optarg[1] == '\0') return true;
    cli_put(cli_complain_about(option, optarg), what);
    return false;
}

/* Handles an option for archives, or one that all subcommands have. Returns false after a message. */
static bool take_archive_option(int option, char **argv, cli_change *change)
{
    switch (option) {
    case CLI_OPTION_AS_IS:
        return change->is_as_is = true;
    case CLI_OPTION_DEFLATE:
        return read_level(change, optarg);
    case CLI_OPTION_STORE:
        change->level = 0;
        return change->has_level = true;
    case CLI_OPTION_THREADS:
        return read_count("--threads", optarg, 64, "a number of threads from 1 to 64", &change->threads);
    default:
        return cli_take_option(option, argv, &change->common);
    }
}

/* Handles an option for pickles, or one for archives. Returns false after a message. */
static bool take_pickle_option(int option, char **argv, cli_change *change)
{
    uint32_t version = 0;
    bool is_good;
    switch (option) {
    case CLI_OPTION_DISARM:
        return change->disarms = true;
    case CLI_OPTION_FLATTEN:
        return change->flattens = true;
    case CLI_OPTION_UNFLATTEN:
        return change->unflattens = true;
    case CLI_OPTION_NUMPY:
        is_good = read_digit(change, "--numpy", '1', '2', "a version of NumPy: use 1 or 2", &version);
        change->form.is_numpy_2 = version == 2;
        return is_good;
    case CLI_OPTION_PROTOCOL:
        return read_digit(change, "--protocol", '2', '5', "a protocol: use 2 to 5", &change->form.protocol);
    default:
        return take_archive_option(option, argv, change);
    }
}

/* Handles one option that getopt found. Returns false after a message. */
static bool take_option(int option, char **argv, cli_change *change)
{
    switch (option) {
    case CLI_OPTION_BYTEORDER:
        return read_byteorder(change, optarg);
    case CLI_OPTION_CANONICAL:
        return change->is_canonical = true;
    case CLI_OPTION_DROP_ACL:
        return change->drops_acl = true;
    case CLI_OPTION_DROP_TRAILING:
        return change->drops_trailing = true;
    case CLI_OPTION_DTYPE:
        change->dtype = optarg;
        return true;
    case CLI_OPTION_ORDER:
        return read_order(change, optarg);
    case CLI_OPTION_SHAPE:
        change->shape = optarg;
        return true;
    case CLI_OPTION_VERSION:
        return read_version(change, "--format-version", optarg);
    case CLI_OPTION_DTYPE_VERSION:
        return read_version(change, "--dtype-version", optarg);
    default:
        return take_pickle_option(option, argv, change);
    }
}

enum cli_parsed cli_read_change(int argc, char **argv, const struct option *known, int fewest, int most,
                                const char *operands, cli_change *change)
{
    static const cli_change empty = {.order = 0};
    bool understood = true;
    int option;
    *change = empty;
    cli_begin_options(&change->common);
    while (understood && (option = getopt_long(argc, argv, ":h", known, NULL)) != -1) {
        if (option == 'h') return CLI_HELP;
        understood = take_option(option, argv, change);
    }
    change->common.files = argv + optind;
    change->common.file_count = argc - optind;
    if (understood && change->common.file_count >= fewest && change->common.file_count <= most) return CLI_RUN;
    if (understood) {
        cli_stream *stream = cli_complain();
        cli_say(stream, "%s: expected %s", argv[0], operands);
    }
    cli_wrong_usage(&cli_messages);
    return CLI_WRONG;
}

/* --- signals ----------------------------------------------------------------------------------------------- */

/* Removes temporary files and the progress bar, then raises the signal again with its default action, which is
 * delivered when this handler returns. */
static void end_by_signal(int signal_number)
{
    struct sigaction usual;
    snpy_remove_temporaries();
    cli_erase_progress();
    memset(&usual, 0, sizeof usual);
    usual.sa_handler = SIG_DFL;
    (void)sigaction(signal_number, &usual, NULL);
    (void)raise(signal_number);
}

void cli_catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = end_by_signal;
    (void)sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction old;
        /* A signal that nohup or a shell has set to be ignored stays ignored. */
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &action, NULL);
    }
    (void)signal(SIGXFSZ, SIG_IGN);
}

/* --- failures ---------------------------------------------------------------------------------------------- */

cli_stream *cli_complain_of(const char *name)
{
    cli_stream *stream = cli_complain();
    cli_put_argument(stream, name);
    if (name[0] == '\0') cli_put(stream, "'' (an empty name)");
    cli_put(stream, ": ");
    return stream;
}

/* Whether the offset of a refusal with this status is a byte of the file. */
static bool has_byte(snpy_status status)
{
    return status < SNPY_WRITE_DTYPE || (status >= SNPY_PKL_TRUNCATED && status <= SNPY_PKL_FLAT_SCHEMA);
}

enum cli_exit cli_refuse(const char *name, const snpy_error *error, const char *hint)
{
    cli_stream *stream = cli_complain_of(name);
    cli_put(stream, snpy_status_message(error->status));
    if (has_byte(error->status)) {
        cli_say(stream, " at byte %" PRIu64, error->offset);
    }
    cli_say(stream, " [%s]\n  hint: %s\n", snpy_status_rule(error->status),
            hint != NULL ? hint : snpy_status_hint(error->status));
    cli_flush(stream);
    return error->status == SNPY_FILE_CHANGED || error->status == SNPY_LOCKED ? CLI_TROUBLE : CLI_REFUSED;
}

enum cli_exit cli_refuse_input(const char *name, const snpy_file *file)
{
    const snpy_error error = {file->error.status, file->start + file->error.offset};
    if (file->system_error == 0) return cli_refuse(name, &error, NULL);
    cli_stream *stream = cli_complain_of(name);
    cli_say(stream, "%s\n", strerror(file->system_error));
    cli_flush(stream);
    return CLI_TROUBLE;
}

/* Whether there is a directory entry at a path that could not be opened: a symbolic link whose target does not
 * exist. */
static bool leads_nowhere(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

/* Reports that the ACL of the old file cannot be kept. Returns CLI_TROUBLE. */
static enum cli_exit fail_acl(const snpy_io_error *error)
{
    cli_stream *stream = cli_complain_of(error->path);
    cli_say(stream,
            "its access control list (ACL) cannot be kept: %s\n  hint: --drop-acl replaces the file without it; its "
            "mode then grants no access that the ACL denied\n",
            strerror(error->system_error));
    cli_flush(stream);
    return CLI_TROUBLE;
}

enum cli_exit cli_fail(const snpy_io_error *error)
{
    if (error->call == NULL) return cli_refuse(error->path, &error->error, NULL);
    if (error->system_error == EPIPE) return CLI_TROUBLE;
    if (strcmp(error->call, "fsetxattr") == 0) return fail_acl(error);
    cli_stream *stream = cli_complain_of(error->path);
    if (error->system_error == ENOENT && leads_nowhere(error->path)) {
        cli_put(stream, "the symbolic link is dangling; remove it or create its target\n");
        cli_flush(stream);
        return CLI_TROUBLE;
    }
    cli_say(stream, "%s failed: %s\n", error->call, strerror(error->system_error));
    cli_flush(stream);
    return CLI_TROUBLE;
}

/* --- inputs and outputs ------------------------------------------------------------------------------------ */

bool cli_may_write(const char *name)
{
    const bool is_standard = strcmp(name, "-") == 0;
    struct stat about;
    int descriptor = is_standard ? STDOUT_FILENO : -1;
    if (!is_standard && stat(name, &about) == 0 && S_ISCHR(about.st_mode)) /* opening a FIFO has effects */
        descriptor = open(name, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    const bool is_terminal = descriptor >= 0 && isatty(descriptor) == 1;
    if (!is_standard && descriptor >= 0) (void)close(descriptor);
    if (is_terminal) {
        cli_put(cli_complain_of(name), "raw bytes are not written to a terminal\n");
        cli_flush(&cli_messages);
    }
    return !is_terminal;
}

snpy_status cli_claim_output(const char *name, const cli_options *options, snpy_output *output, snpy_io_error *error)
{
    snpy_io_begin(error, name);
    if (strcmp(name, "-") != 0) return snpy_output_claim(output, name, cli_lock_timeout_ms(options), error);
    snpy_output_lend(output, STDOUT_FILENO);
    return SNPY_OK;
}

snpy_status cli_open_output(const char *name, snpy_output *output, snpy_io_error *error)
{
    snpy_io_begin(error, name);
    return snpy_output_open_claimed(output, error);
}

snpy_status cli_close_output(const char *name, snpy_output *output, snpy_status status, snpy_io_error *error)
{
    if (status != SNPY_OK) {
        snpy_output_abandon(output);
        return status;
    }
    snpy_io_begin(error, name);
    status = snpy_output_finish(output, error);
    if (status == SNPY_OK) cli_note_lost(name, error);
    return status;
}

void cli_note_lost(const char *name, const snpy_io_error *error)
{
    static const struct {
        unsigned flag;
        const char *note;
    } notes[] = {
        {SNPY_LOST_OWNER, "the owner could not be kept: group, others and ACL have at most the old owner's rights\n"},
        {SNPY_LOST_GROUP, "the group could not be kept: the new group has no rights, others at most the old group's\n"},
        {SNPY_LOST_ATTRIBUTES, "not all user attributes (user.*) could be kept\n"},
        {SNPY_LOST_ALL, "another program replaced the file meanwhile; it was overwritten, and only you can read it\n"},
    };
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        if (!(error->lost & notes[i].flag)) continue;
        cli_put(cli_complain_of(name), notes[i].note);
        cli_flush(&cli_messages);
    }
}

void cli_note_trailing(const char *name, const snpy_file *file, const snpy_input *input)
{
    const snpy_header *header = &file->head.header;
    uint64_t end = header->frame.data_offset + header->data_size;
    if (input->reader.is_stream || header->has_object || file->size <= end) return;
    cli_stream *stream = cli_complain_of(name);
    if (file->another != 0) {
        cli_say(stream, "another array begins at byte %" PRIu64 ", and is dropped\n", file->start + file->another);
        cli_flush(stream);
        return;
    }
    cli_say(stream, "%" PRIu64 "%s", file->size - end,
            file->size - end == 1 ? " trailing byte is dropped\n" : " trailing bytes are dropped\n");
    cli_flush(stream);
}
