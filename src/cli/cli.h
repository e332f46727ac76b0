/* cli.h: what the files of the command share.
 * Proves nothing; tests/cli runs the command. Leaves files to the host and bytes to the core. */
#ifndef SAFENPY_CLI_H
#define SAFENPY_CLI_H

#include "npz/tool.h"
#include "safenpy/array.h"
#include "safenpy/zip.h"

/* Exit statuses. The greatest of all files is the command's. */
enum cli_exit {
    CLI_ACCEPTED = 0, /* every file was accepted */
    CLI_REFUSED = 1,  /* something was refused */
    CLI_TROUBLE = 2   /* wrong usage, a file that cannot be read, output that cannot be written */
};

/* The alignment that numpy.save gives to data. */
#define CLI_DATA_ALIGNMENT 64u

/* ---- output.c: buffered output that remembers what went wrong ---- */

typedef struct cli_stream {
    int descriptor;
    int error;      /* errno of the first write that failed, or ENOMEM; nothing is written after it */
    size_t length;  /* bytes waiting */
    bool is_framed; /* each flush begins with its length, as 4 bytes: for pool.c */
    char bytes[32768];
} cli_stream;

extern cli_stream cli_output;   /* standard output */
extern cli_stream cli_messages; /* standard error */

void cli_put_bytes(cli_stream *stream, const char *bytes, size_t length);
void cli_put(cli_stream *stream, const char *text);
void cli_put_number(cli_stream *stream, uint64_t number);
void cli_put_spaces(cli_stream *stream, size_t count);
void cli_flush(cli_stream *stream);

/* Ends what is said of one file: a terminal shows it at once, a pipe or file when the buffer is full. */
void cli_end_file(void);

/* How many decimal digits a number has. */
size_t cli_digits(uint64_t number);

/* There was no memory for what has to be put: nothing more is, and cli_finish says why. */
void cli_lack_memory(void);

/* Writes what waits and turns a failed write, or a lack of memory, into CLI_TROUBLE with a message (none for a closed pipe);
 * else returns `result`. */
enum cli_exit cli_finish(enum cli_exit result);

/* ---- text.c: bytes that strangers chose, made fit for a terminal ---- */

/* Puts text in which control, format and ill-formed bytes are escaped. */
void cli_put_safe(cli_stream *stream, const uint8_t *bytes, size_t length, enum snpy_text_encoding encoding);

/* The same with every backslash doubled, so that what was escaped differs from what only looks so. */
void cli_put_exact(cli_stream *stream, const uint8_t *bytes, size_t length, enum snpy_text_encoding encoding);

/* cli_put_exact for a terminated string of the command line. */
void cli_put_argument(cli_stream *stream, const char *argument);

/* ---- junit.c: the report as XML, as JUnit has it ---- */

/* Writes what comes before all files, and after them. */
void cli_junit_begin(void);
void cli_junit_end(void);

/* Puts a file, or a member, that is accepted. */
void cli_junit_accept(const char *name);

/* Begins one that is not, up to the sentence that says why, which is to be put as text; and ends it. */
void cli_junit_begin_failure(const char *name, const char *rule, bool is_trouble);
void cli_junit_end_failure(void);

/* Puts text of an attribute. */
void cli_junit_text(const char *text);

/* ---- json.c: JSON in pure ASCII ---- */

/* Puts a JSON string that every reader of JSON takes: U+FFFD stands for each surrogate and each ill-formed byte.
 * Returns whether there was none, so that the string says all there is. */
bool cli_json_string(cli_stream *stream, const uint8_t *bytes, size_t length, enum snpy_text_encoding encoding);
void cli_json_text(cli_stream *stream, const char *text);

/* Puts one character inside a JSON string. */
void cli_json_character(cli_stream *stream, uint32_t code);

/* Puts the code points of a name, surrogates included, as an array of numbers. */
void cli_json_code_points(cli_stream *stream, const uint8_t *bytes, size_t length);

/* Puts the key `file` with a name and, if the name is not UTF-8, `file_hex` with its bytes. */
void cli_json_file(cli_stream *stream, const char *name, bool *first);

/* Puts `"key": ` with a comma in front unless it is the first of its object. */
void cli_json_key(cli_stream *stream, const char *key, bool *first);

/* ---- options.c ---- */

enum cli_profile { CLI_STANDARD, CLI_CANONICAL };

/* What --untrusted refuses; --allow takes one back. */
enum { CLI_REFUSE_OBJECTS = 1, CLI_REFUSE_TRAILING = 2, CLI_REFUSE_NAMES = 4, CLI_REFUSE_MEMBERS = 8 };

typedef struct cli_options {
    snpy_options limits;
    snpy_zip_options archives; /* limits and flags of archives */
    uint64_t max_member_bytes; /* of what is inflated; as in snpy_archive_options, and so are the next two */
    uint64_t max_total_bytes;
    uint64_t max_ratio;
    uint64_t lock_timeout;       /* seconds to wait until another process has finished with a file */
    const char *member;          /* the one member of an archive that is meant, NULL: all */
    const char *no_archive_hint; /* how to fix it; NULL: without --npz */
    uint64_t array;              /* the one that is meant, from 0 */
    uint64_t array_start;        /* where the array in question begins in its file: see arrays.c */
    uint64_t file_size;          /* of such an object; UINT64_MAX: not known */
    unsigned refused;            /* what is refused beside what breaks a rule: CLI_REFUSE_... */
    unsigned allowed;            /* what of it --allow takes back */
    const char *files_from;      /* the list of names; NULL: none */
    uint64_t jobs;               /* processes that check files, or the members of one archive */
    enum cli_profile profile;
    char **files; /* borrowed from the command line */
    int file_count;
    enum cli_exit (*refuse)(const char *name, const snpy_file *file); /* reports a refused input; NULL: cli_report */

    bool strict; /* one bad member refuses the archive */
    bool npy;    /* archives are refused */
    bool npz;    /* all else is refused */
    bool json;
    bool quiet;
    bool all_arrays; /* all arrays of a file, one after another */
    bool has_array;
    bool is_start;  /* the first bytes are given of objects that are elsewhere */
    bool recursive; /* directories stand for the files below them */
    bool null;      /* the names of the list end with NUL */
    bool summary_only;
    bool junit; /* the report as JUnit's XML */
} cli_options;

/* What is to be done after the options were read. */
enum cli_parsed { CLI_RUN, CLI_HELP, CLI_WRONG };

/* Reads the options of `check` or, with fewer of them, of `info`; argv[0] is the subcommand. Reports
 * wrong usage on standard error. */
enum cli_parsed cli_read_options(int argc, char **argv, bool is_check, cli_options *options);

/* The compatibility flags, in the order of spec/npy.md: how many, their names, where each stands. */
#define CLI_FLAGS 11u
const char *cli_flag_name(size_t flag);
bool *cli_flag(snpy_compat *compat, size_t flag);

/* What getopt_long returns for the long options that have no letter. */
enum cli_option {
    CLI_OPTION_JSON = 256,
    CLI_OPTION_MAX_HEADER,
    CLI_OPTION_COMPAT,
    CLI_OPTION_PROFILE,
    CLI_OPTION_NO_TRAILING,
    CLI_OPTION_NO_OBJECTS,
    CLI_OPTION_UNTRUSTED,
    CLI_OPTION_ALLOW,
    CLI_OPTION_MEMBER,
    CLI_OPTION_NPY,
    CLI_OPTION_NPZ,
    CLI_OPTION_STRICT,
    CLI_OPTION_MAX_MEMBERS,
    CLI_OPTION_MAX_MEMBER_BYTES,
    CLI_OPTION_MAX_TOTAL_BYTES,
    CLI_OPTION_MAX_RATIO,
    CLI_OPTION_LOCK_TIMEOUT,
    CLI_OPTION_MAX_DATA_BYTES,
    CLI_OPTION_FILES_FROM,
    CLI_OPTION_SUMMARY_ONLY,
    CLI_OPTION_JUNIT,
    CLI_OPTION_ARRAY,
    CLI_OPTION_ALL_ARRAYS,
    CLI_OPTION_FILE_SIZE,
    CLI_OPTION_HEADER_ONLY,
    CLI_OPTION_OTHERS /* from here on: those of one subcommand */
};

/* The options that all commands have which read archives, for the tables of getopt_long. */
#define CLI_ARCHIVE_LIMITS                                                          \
    {"max-members", required_argument, NULL, CLI_OPTION_MAX_MEMBERS},               \
        {"max-member-bytes", required_argument, NULL, CLI_OPTION_MAX_MEMBER_BYTES}, \
        {"max-total-bytes", required_argument, NULL, CLI_OPTION_MAX_TOTAL_BYTES},   \
    {                                                                               \
        "max-ratio", required_argument, NULL, CLI_OPTION_MAX_RATIO                  \
    }
#define CLI_ARRAY_OPTIONS                                      \
    {"array", required_argument, NULL, CLI_OPTION_ARRAY},      \
    {                                                          \
        "all-arrays", no_argument, NULL, CLI_OPTION_ALL_ARRAYS \
    }
#define CLI_MEMBER_OPTIONS {"member", required_argument, NULL, CLI_OPTION_MEMBER}, CLI_ARCHIVE_LIMITS

/* How long to wait for a lock, as the library's options count. */
int32_t cli_lock_timeout_ms(const cli_options *options);

/* Takes one of these options, or complains of one that there is not. Returns false after a message. */
bool cli_take_option(int option, char **argv, cli_options *options);

/* Complains if no file was given. Returns whether one was. */
bool cli_has_file(const cli_options *options, const char *subcommand);

/* Empties options, and makes getopt begin anew. */
void cli_begin_options(cli_options *options);

/* Begins a message about an option's argument: "safenpy: --x: 'y' is not ". */
cli_stream *cli_complain_about(const char *option, const char *argument);

/* Reads the argument of an option: decimal digits only, of a number up to `most`. Returns false after a message. */
bool cli_read_number(const char *option, const char *argument, uint64_t most, uint64_t *number);

/* Begins a message: "safenpy: ". */
cli_stream *cli_complain(void);

/* Ends it: a newline, and where to look for help. */
enum cli_exit cli_wrong_usage(cli_stream *stream);

/* ---- report.c ---- */

/* Reports a file that was not accepted, as text or JSON; returns the exit status it means. */
enum cli_exit cli_report(const char *name, const snpy_file *file, const cli_options *options);

/* Reports it as text on a stream, for commands whose output is something else. */
enum cli_exit cli_report_to(cli_stream *stream, const char *name, const snpy_file *file);

/* Puts where an array begins in its file, if that is not the file's first byte: after the name, or as a key. */
void cli_put_start(cli_stream *stream, const snpy_file *file);
void cli_json_start(const snpy_file *file, bool *first);

/* Puts what stands after the name of a refused file, up to the rule. */
void cli_put_refusal(cli_stream *stream, const snpy_error *error);

/* Puts the keys from `verdict` to `hint` for a file that was not accepted. */
void cli_json_verdict(const snpy_file *file, bool *first);

/* Reports what went wrong while data were read, on standard error; returns the exit status it means. */
enum cli_exit cli_report_read(const char *name, const snpy_io_error *error);

/* ---- accept.c ---- */

/* Puts what deserves a word about an accepted NPY file: notes after its name, or strings of a JSON array. */
void cli_put_notes(const snpy_file *file, bool json);

/* Refuses an accepted file of objects, if the options say so. Returns its status. */
snpy_status cli_refuse_objects(snpy_file *file, const cli_options *options);

/* Checks a file as an NPY file. With --npz, every file that can be read gets the status of an archive, SNPY_BAD_MAGIC.
 *                                                                                                      NPZ-END-001 */
snpy_status cli_judge_file(const char *name, const cli_options *options, bool allow_trailing, snpy_file *file);

/* Returns true unless first bytes were given, and more of them are needed for a verdict. Then it is reported, and *result
 * is what that means. */
bool cli_is_start_enough(const char *name, const snpy_file *file, const cli_options *options, enum cli_exit *result);

/* Puts the keys `format` and `version` of an NPY file. */
void cli_json_format(const snpy_frame *frame, bool *first);

/* Reports an accepted NPY file, as text or JSON, if that is wanted. Returns CLI_ACCEPTED. */
enum cli_exit cli_put_acceptance(const char *name, const snpy_file *file, const cli_options *options);

/* ---- check_archive.c, info_archive.c ---- */

/* Whether an archive is meant, or a member of one: the file that was judged begins as archives do, or there is none
 * and its name is that of an archive, a colon and a key. */
bool cli_is_archive(const char *name, const snpy_file *file, const cli_options *options);

/* Reports what kept a file, an archive or a member from being read: as JSON, or as a sentence on standard error. Returns
 * CLI_TROUBLE. */
enum cli_exit cli_report_trouble(const char *name, const char *sentence, int reason, const cli_options *options);

/* Returns true unless --member is given, which an NPY file has none of; false after a message. */
bool cli_has_no_member(const char *name, const cli_options *options);

/* Whether a file that was judged begins as archives do, and no member of it is named. */
bool cli_is_whole_archive(const snpy_file *file, const cli_options *options);

/* The length of the archive's path in PATH:KEY: up to the first colon before which an archive is named. 0 if there
 * is none. */
size_t cli_archive_length(const char *name);

/* Reports an input that was refused, in the way that the options say. */
enum cli_exit cli_refuse_by(const char *name, const snpy_file *file, const cli_options *options);

/* Judge and describe an archive, or its member. */
enum cli_exit cli_check_archive(const char *name, const snpy_file *file, const cli_options *options);
enum cli_exit cli_info_archive(const char *name, const snpy_file *file, const cli_options *options);

/* ---- arrays.c ---- */

/* What is to be done with one array of a file: it begins at options->array_start. */
typedef enum cli_exit cli_visit_array(const char *name, const cli_options *options, void *context);

/* Visits the first array of a file, the one that --array names, or with --all-arrays all of them. Returns the greatest
 * exit status; reports an array that there is not. */
enum cli_exit cli_visit_arrays(const char *name, const cli_options *options, cli_visit_array *visit, void *context);

/* ---- open_input.c ---- */

struct snpy_input;

/* Opens and judges the one array that a name means: a file, a stream, or a member of an archive. CLI_ACCEPTED with
 * the input open, which is to be closed; else it is reported, and what that means. */
enum cli_exit cli_open_input(const char *name, const cli_options *options, snpy_file *file, struct snpy_input *input);
/* Likewise a name that was judged and is no NPY file: a member of an archive, or it is reported. */
enum cli_exit cli_open_other(const char *name, const cli_options *options, snpy_file *file, struct snpy_input *input);
enum cli_exit cli_open_member(const char *name, const cli_options *options, snpy_file *file, struct snpy_input *input);

/* ---- help.c ---- */

/* Writes the help text of a subcommand; NULL: what the command is for, and its subcommands. */
enum cli_exit cli_help(const char *subcommand);

/* ---- subcommands; argv[0] is the subcommand ---- */

enum cli_exit cli_check(int argc, char **argv);
enum cli_exit cli_info(int argc, char **argv);
enum cli_exit cli_unpack(int argc, char **argv);
enum cli_exit cli_explain(int argc, char **argv);
enum cli_exit cli_cat(int argc, char **argv);
enum cli_exit cli_diff(int argc, char **argv);
enum cli_exit cli_convert(int argc, char **argv);
enum cli_exit cli_pack(int argc, char **argv);
enum cli_exit cli_wrap(int argc, char **argv);
enum cli_exit cli_unwrap(int argc, char **argv);
enum cli_exit cli_append(int argc, char **argv);
enum cli_exit cli_objects(int argc, char **argv);
enum cli_exit cli_salvage(int argc, char **argv);

#endif
