/* change.h: what the subcommands that write files share: options, signals, failures.
 * Proves nothing. Leaves the work to one file a subcommand. */
#ifndef SAFENPY_CLI_CHANGE_H
#define SAFENPY_CLI_CHANGE_H

#include <getopt.h>

#include "cli/cli.h"
#include "cli/progress.h"

/* Values of long options, beside those of cli.h; each subcommand takes some of them. */
enum {
    CLI_OPTION_AS_IS = CLI_OPTION_OTHERS,
    CLI_OPTION_BYTEORDER,
    CLI_OPTION_CANONICAL,
    CLI_OPTION_DEFLATE,
    CLI_OPTION_DROP_ACL,
    CLI_OPTION_DROP_TRAILING,
    CLI_OPTION_DTYPE,
    CLI_OPTION_ORDER,
    CLI_OPTION_SHAPE,
    CLI_OPTION_STORE,
    CLI_OPTION_THREADS,
    CLI_OPTION_VERSION,
    CLI_OPTION_DTYPE_VERSION
};

/* The option of all commands that change files, for the tables of getopt_long. */
#define CLI_LOCK_OPTION                                                  \
    {                                                                    \
        "lock-timeout", required_argument, NULL, CLI_OPTION_LOCK_TIMEOUT \
    }

/* What was asked for. */
typedef struct cli_change {
    cli_options common; /* limits, flags and files */
    snpy_target_order byteorder;
    snpy_version_choice version;
    bool has_version;
    bool is_canonical;
    bool drops_trailing;
    bool drops_acl;
    bool is_as_is;
    bool has_level; /* of the members of an archive: 0, they are stored; 1 to 9, deflated */
    uint32_t level;
    uint32_t threads;  /* 0: not said */
    char order;        /* 'C', 'F', or 0 */
    const char *dtype; /* borrowed from the command line, as the rest */
    const char *shape;
} cli_change;

/* Reads the options that a table names; argv[0] is the subcommand. At least `fewest` files must follow, and at most
 * `most`; `operands` says which, for the message. Reports wrong usage on standard error. */
enum cli_parsed cli_read_change(int argc, char **argv, const struct option *known, int fewest, int most,
                                const char *operands, cli_change *change);

/* From now on SIGINT, SIGTERM and SIGHUP leave no temporary file: they end the process as they would, a little later.
 * A file that becomes too long is an error of write(2). */
void cli_catch_signals(void);

/* Begins a message about a file: "safenpy: NAME: ". */
cli_stream *cli_complain_of(const char *name);

/* Says what is wrong with a file, on standard error; returns the exit status it means. `hint` stands instead of the
 * status's own unless it is NULL. */
enum cli_exit cli_refuse(const char *name, const snpy_error *error, const char *hint);

/* Reports an input that was not accepted, on standard error; returns the exit status it means. */
enum cli_exit cli_refuse_input(const char *name, const snpy_file *file);

/* Likewise what went wrong later, of the file that the error names. Nothing is said of a pipe that nobody reads. */
enum cli_exit cli_fail(const snpy_io_error *error);

/* Whether an output may be written to: not if it is a terminal, to which bytes that strangers chose do not go raw.
 * Says so. */
bool cli_may_write(const char *name);

/* Locks an output before the input is read, which may be the same file: "-" is standard output. What was claimed is to
 * be opened, finished or abandoned. */
snpy_status cli_claim_output(const char *name, const cli_options *options, snpy_output *output, snpy_io_error *error);

/* Opens an output that was claimed. */
snpy_status cli_open_output(const char *name, snpy_output *output, snpy_io_error *error);

/* Reports what a file has not kept of the one that it replaced: error->lost. */
void cli_note_lost(const char *name, const snpy_io_error *error);

/* Finishes an output, or abandons it if the work has failed. Reports what the file has lost. */
snpy_status cli_close_output(const char *name, snpy_output *output, snpy_status status, snpy_io_error *error);

/* Says how many bytes after the data of a regular file were left out, if there are any. */
void cli_note_trailing(const char *name, const snpy_file *file, const snpy_input *input);

/* ---- repairs.c ---- */

/* What the header of an input needed to be accepted. */
typedef struct cli_repairs {
    bool is_needed[CLI_FLAGS];
    snpy_error reason[CLI_FLAGS]; /* what the header is refused for without that flag, and where */
} cli_repairs;

/* Finds the flags without which the header would be refused: those that it does not need are turned off one after
 * another; then each that is left is needed. */
void cli_find_repairs(const snpy_file *file, const snpy_options *limits, cli_repairs *found);

/* Reports each repair: the flag, the byte of the old header, and why it would have been refused. Platform floats have no
 * spelling that all readers accept. Returns whether everything is repaired. */
bool cli_put_repairs(const char *name, const cli_repairs *found);

#endif
