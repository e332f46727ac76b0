/* cli.h: the declarations that the files of the command share: exit statuses, output, options and reports.
 * Files are opened by src/host, bytes are parsed by src/core. */
#ifndef SAFENPY_CLI_H
#define SAFENPY_CLI_H

#include "npz/tool.h"
#include "safenpy/array.h"
#include "safenpy/zip.h"

/* Exit statuses. The command exits with the greatest that any file got. */
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
    int error;      /* errno of the first write that failed, or ENOMEM; 0: none. After an error nothing is written */
    size_t length;  /* bytes in the buffer that are not written yet */
    bool is_framed; /* each flush writes 4 bytes with its length first: a worker's answers to pool.c */
    char bytes[32768];
} cli_stream;

extern cli_stream cli_output;   /* standard output */
extern cli_stream cli_messages; /* standard error */

/* Append to the buffer of a stream, and flush it whenever it is full. Text ends with NUL; numbers are written in
 * decimal. */
void cli_put_bytes(cli_stream *stream, const char *bytes, size_t length);
void cli_put(cli_stream *stream, const char *text);
void cli_put_number(cli_stream *stream, uint64_t number);
void cli_put_spaces(cli_stream *stream, size_t count);

/* Writes the buffer of a stream to its descriptor and empties it. Sets stream->error if that fails. */
void cli_flush(cli_stream *stream);

/* Marks the end of the output for one file: flushes standard output if it is a terminal, so that it is shown at
 * once. */
void cli_end_file(void);

/* Returns the number of decimal digits of a number; 1 for 0. */
size_t cli_digits(uint64_t number);

/* Sets the error of standard output to ENOMEM, so that nothing more is written and cli_finish reports it. */
void cli_lack_memory(void);

/* Flushes standard output. Returns `result`, or CLI_TROUBLE if a write failed or memory was short; then writes a
 * message, but none if the reader of a pipe has gone. */
enum cli_exit cli_finish(enum cli_exit result);

/* ---- say.c: text with values in it, and messages ---- */

/* Lets the compiler check the arguments against the format, which uses conversions of printf only. */
#if defined(__GNUC__) || defined(__clang__)
#define CLI_FORMAT(at, first) __attribute__((format(printf, at, first)))
#else
#define CLI_FORMAT(at, first)
#endif

/* Writes formatted text. %s is for trusted text, %-s for text from outside (escaped as cli_put_argument does), PRIu64
 * for a number. No other flags, widths or conversions are supported. */
void cli_say(cli_stream *stream, const char *format, ...) CLI_FORMAT(2, 3);

/* Writes a one-line message to standard error: "safenpy: ", the text formatted as by cli_say, and a newline. */
void cli_warn(const char *format, ...) CLI_FORMAT(1, 2);

/* Flushes standard output and writes "safenpy: ", the beginning of a message. Returns the stream of messages. */
cli_stream *cli_complain(void);

/* Writes the beginning of a message about an option's argument, "safenpy: --x: 'y' is not ". Returns its stream. */
cli_stream *cli_complain_about(const char *option, const char *argument);

/* Ends a message about wrong usage with a newline and a line that points to the help. Returns CLI_TROUBLE. */
enum cli_exit cli_wrong_usage(cli_stream *stream);

/* ---- text.c: text from outside, made safe for a terminal ---- */

/* Writes text with control characters, format characters and ill-formed bytes escaped. */
void cli_put_safe(cli_stream *stream, const uint8_t *bytes, size_t length, snpy_text_encoding encoding);

/* As cli_put_safe, but doubles each backslash, so that a reader can tell an escape from text that looks like one. */
void cli_put_exact(cli_stream *stream, const uint8_t *bytes, size_t length, snpy_text_encoding encoding);

/* As cli_put_exact, for a NUL-terminated string of the command line. */
void cli_put_argument(cli_stream *stream, const char *argument);

/* ---- junit.c: the report as JUnit's XML ---- */

/* Write what comes before the first file and after the last one. */
void cli_junit_begin(void);
void cli_junit_end(void);

/* Writes the test case of an accepted file or member. */
void cli_junit_accept(const char *name);

/* Begins the test case of a refused file or member; the caller writes the reason with cli_junit_text, then ends it.
 * With is_trouble the file could not be checked: an error, not a failure. */
void cli_junit_begin_failure(const char *name, const char *rule, bool is_trouble);
void cli_junit_end_failure(void);

/* Writes text inside an XML attribute, with the characters escaped that have a meaning there. */
void cli_junit_text(const char *text);

/* ---- json.c: JSON in pure ASCII ---- */

/* Writes a JSON string that every JSON parser accepts: U+FFFD replaces each surrogate and each ill-formed byte.
 * Returns true if nothing was replaced. */
bool cli_json_string(cli_stream *stream, const uint8_t *bytes, size_t length, snpy_text_encoding encoding);

/* Writes a NUL-terminated UTF-8 text as a JSON string. */
void cli_json_text(cli_stream *stream, const char *text);

/* Writes one character inside a JSON string. */
void cli_json_character(cli_stream *stream, uint32_t code);

/* Writes the code points of a name, surrogates included, as an array of numbers; a byte that cannot be decoded as 65533. */
void cli_json_code_points(cli_stream *stream, const uint8_t *bytes, size_t length);

/* Writes the key `file` with a name and, if the name is not UTF-8, `file_hex` with its bytes. */
void cli_json_file(cli_stream *stream, const char *name, bool *first);

/* Writes `"key": `, after a comma unless *first is true; sets *first to false. */
void cli_json_key(cli_stream *stream, const char *key, bool *first);

/* ---- options.c ---- */

enum cli_profile { CLI_STANDARD, CLI_CANONICAL };

/* The checks that --untrusted turns on; --allow turns one off again. */
enum { CLI_REFUSE_OBJECTS = 1, CLI_REFUSE_TRAILING = 2, CLI_REFUSE_NAMES = 4, CLI_REFUSE_MEMBERS = 8 };

/* The set that object data must fit: --objects. ANY: they are not checked. */
enum cli_object_set { CLI_OBJECTS_ANY, CLI_OBJECTS_DATA, CLI_OBJECTS_PLAIN };

typedef struct cli_options {
    snpy_options limits;
    snpy_zip_options archives; /* limits and flags of archives */
    uint64_t max_member_bytes; /* inflated bytes; this and the next two mean the same as in snpy_archive_options */
    uint64_t max_total_bytes;
    uint64_t max_ratio;
    uint64_t lock_timeout;       /* seconds to wait for another process's lock on a file */
    const char *member;          /* the name given by --member; NULL: all members */
    const char *no_archive_hint; /* the hint for a file that is not an archive; NULL: suggest leaving out --npz */
    uint64_t array;              /* the number given by --array, from 0 */
    uint64_t array_start;        /* the byte of the file at which the array to be read begins: see arrays.c */
    uint64_t file_size;          /* with is_start: bytes of the whole file; UINT64_MAX: not known */
    unsigned refused;            /* CLI_REFUSE_... bits: refused although no rule is broken */
    unsigned allowed;            /* CLI_REFUSE_... bits that --allow has cleared */
    const char *files_from;      /* the file with the list of names; NULL: none */
    uint64_t jobs;               /* processes that check files, or the members of one archive */
    enum cli_profile profile;
    enum cli_object_set objects;
    char **files; /* borrowed from the command line */
    int file_count;
    enum cli_exit (*refuse)(const char *name, const snpy_file *file); /* reports a refused input; NULL: cli_report */

    bool strict; /* the whole archive is refused if one member is bad */
    bool npy;    /* archives are refused */
    bool npz;    /* everything but archives is refused */
    bool json;
    bool quiet;
    bool all_arrays; /* read all arrays of a file, one after another */
    bool has_array;  /* --array was given */
    bool is_start;   /* the input is only the first bytes of a file that is elsewhere */
    bool recursive;  /* check the files below a directory */
    bool null;       /* the names in the list end with NUL, not with a newline */
    bool summary_only;
    bool junit; /* report as JUnit's XML */
} cli_options;

/* What a subcommand does after its options were read: run, show its help, or end, because they were wrong. */
enum cli_parsed { CLI_RUN, CLI_HELP, CLI_WRONG };

/* Reads the options of `check`, or the smaller set of `info`; argv[0] is the subcommand. Returns CLI_WRONG after a
 * message on standard error. */
enum cli_parsed cli_read_options(int argc, char **argv, bool is_check, cli_options *options);

/* The compatibility flags, numbered in the order of spec/npy.md: how many there are, the name of one, and its field. */
#define CLI_FLAGS 11u
const char *cli_flag_name(size_t flag);
bool *cli_flag(snpy_compat *compat, size_t flag);

/* The values that getopt_long returns for long options without a letter. */
enum cli_option {
    CLI_OPTION_JSON = 256,
    CLI_OPTION_MAX_HEADER,
    CLI_OPTION_COMPAT,
    CLI_OPTION_PROFILE,
    CLI_OPTION_NO_TRAILING,
    CLI_OPTION_NO_OBJECTS,
    CLI_OPTION_OBJECTS,
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
    CLI_OPTION_OTHERS /* subcommands number their own options from here on */
};

/* Entries for the tables of getopt_long: the limits that every subcommand has that reads archives. */
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

/* Returns the lock timeout as the library's options count it: in milliseconds, or -1 for no waiting at all. */
int32_t cli_lock_timeout_ms(const cli_options *options);

/* Stores one option that getopt_long returned. Returns false after a message if it is unknown or its argument is
 * wrong. */
bool cli_take_option(int option, char **argv, cli_options *options);

/* Returns whether a file was given, and whether the options that select an array agree. If not, begins a message on
 * standard error, which cli_wrong_usage ends. */
bool cli_has_file(const cli_options *options, const char *subcommand);

/* Sets options to their defaults and restarts getopt. */
void cli_begin_options(cli_options *options);

/* Parses the argument of an option as a decimal number from 0 to `most`. Returns false after a message. */
bool cli_read_number(const char *option, const char *argument, uint64_t most, uint64_t *number);

/* ---- report.c ---- */

/* Reports a file that was not accepted, on standard output, in the form that the options ask for: text, JSON or JUnit's
 * XML. Returns CLI_REFUSED, or CLI_TROUBLE if the file could not be read. */
enum cli_exit cli_report(const char *name, const snpy_file *file, const cli_options *options);

/* As cli_report, but always as text and on the given stream. */
enum cli_exit cli_report_to(cli_stream *stream, const char *name, const snpy_file *file);

/* Write the byte at which an array begins in its file, after the file's name or as a JSON key; nothing if that is 0. */
void cli_put_start(cli_stream *stream, const snpy_file *file);
void cli_json_start(const snpy_file *file, bool *first);

/* Writes the part of a refusal that follows the file's name: what is wrong, at which byte, and the rule. */
void cli_put_refusal(cli_stream *stream, const snpy_error *error);

/* Ends the line of a refusal, and writes what to do about it. */
void cli_put_hint(cli_stream *stream, const snpy_error *error);

/* Writes the JSON keys from `verdict` to `hint` for a file that was not accepted. */
void cli_json_verdict(const snpy_file *file, bool *first);

/* Reports on standard error why data could not be read. Returns the exit status for it. */
enum cli_exit cli_report_read(const char *name, const snpy_io_error *error);

/* ---- accept.c ---- */

/* What is known of object data: see payload.h. */
struct cli_object_data;

/* Writes notes about an accepted NPY file, such as trailing bytes: after its name, or as strings of a JSON array. As text,
 * the first is what the object data need. */
void cli_put_notes(const snpy_file *file, const struct cli_object_data *objects, bool json);

/* Sets the status of an accepted file with object data to SNPY_OBJECT_DATA, if the options refuse objects. Returns the
 * file's status. */
snpy_status cli_refuse_objects(snpy_file *file, const cli_options *options);

/* Checks a file as an NPY file. Fills *file, whose head the caller releases, and returns its status. With --npz, every
 * file that can be read gets SNPY_BAD_MAGIC, so that the caller tries it as an archive. *objects, if not NULL, gets the
 * data of an object array for cli_check_objects; the caller releases it.                            NPZ-END-001 */
snpy_status cli_check_file(const char *name, const cli_options *options, bool allow_trailing, snpy_file *file,
                           struct cli_object_data *objects);

/* Returns false if only the first bytes of a file were given and they are too few for a verdict; then reports that and
 * sets *result to the exit status. */
bool cli_is_start_enough(const char *name, const snpy_file *file, const cli_options *options, enum cli_exit *result);

/* Writes the JSON keys `format` and `version` of an NPY file. */
void cli_json_format(const snpy_frame *frame, bool *first);

/* Reports an accepted NPY file in the form that the options ask for, or not at all with --quiet. Returns
 * CLI_ACCEPTED. */
enum cli_exit cli_put_acceptance(const char *name, const snpy_file *file, const struct cli_object_data *objects,
                                 const cli_options *options);

/* ---- archive.c, check_archive.c, info_archive.c ---- */

/* Returns whether a name that was checked as an NPY file is that of an archive, or PATH:KEY of a member: the file
 * begins with a ZIP signature, or it does not exist and an archive does before a colon of the name. */
bool cli_is_archive(const char *name, const snpy_file *file, const cli_options *options);

/* Reports why a file, an archive or a member could not be read: as JSON, with the errno `reason`, or as a sentence on
 * standard error. Returns CLI_TROUBLE. */
enum cli_exit cli_report_trouble(const char *name, const char *sentence, int reason, const cli_options *options);

/* For an NPY file: returns true unless --member was given; then returns false after a message. */
bool cli_check_no_member(const char *name, const cli_options *options);

/* Returns whether a file that was checked as an NPY file begins with a ZIP signature, and no member of it was asked
 * for. */
bool cli_is_whole_archive(const snpy_file *file, const cli_options *options);

/* Returns the length of PATH in PATH:KEY: up to the first colon that follows the path of an archive. 0: no such
 * colon. */
size_t cli_archive_length(const char *name);

/* Reports a refused input with options->refuse, or with cli_report if that is NULL. Returns the exit status for it. */
enum cli_exit cli_refuse_by(const char *name, const snpy_file *file, const cli_options *options);

/* Check or describe an archive, or one member of it, and report the result. `file` is what checking the name as an NPY
 * file has found. Return the exit status for it. */
enum cli_exit cli_check_archive(const char *name, const snpy_file *file, const cli_options *options);
enum cli_exit cli_info_archive(const char *name, const snpy_file *file, const cli_options *options);

/* ---- arrays.c ---- */

/* Handles one array of a file, the one that begins at options->array_start. Returns the exit status for it. */
typedef enum cli_exit cli_visit_array(const char *name, const cli_options *options, void *context);

/* Calls `visit` for the first array of a file, for the one that --array names, or for each one with --all-arrays.
 * Returns the greatest exit status; CLI_TROUBLE, after a message, if the file has no such array. */
enum cli_exit cli_visit_arrays(const char *name, const cli_options *options, cli_visit_array *visit, void *context);

/* ---- open_input.c ---- */

struct snpy_input;

/* Opens and checks the one array that a name refers to: a file, a stream, or a member of an archive. Returns
 * CLI_ACCEPTED with the input open, which the caller closes. Else reports why not, and returns the exit status for it.
 * In both cases the caller releases file->head. */
enum cli_exit cli_open_input(const char *name, const cli_options *options, snpy_file *file, struct snpy_input *input);

/* As cli_open_input, for a name that turned out not to be an NPY file, as *file says: opens it as a member of an
 * archive, or reports that it is not one either. */
enum cli_exit cli_open_other(const char *name, const cli_options *options, snpy_file *file, struct snpy_input *input);
enum cli_exit cli_open_member(const char *name, const cli_options *options, snpy_file *file, struct snpy_input *input);

/* ---- help.c ---- */

/* Writes the help text of a subcommand; for NULL, that of the whole command. Returns CLI_ACCEPTED. */
enum cli_exit cli_help(const char *subcommand);

/* ---- subcommands: each gets its own name as argv[0] and returns the exit status of the command ---- */

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
