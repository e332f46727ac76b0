/* change.h: what the subcommands that write files share: options, signals, messages, outputs.
 * Each subcommand does its work in a file of its own. */
#ifndef SAFENPY_CLI_CHANGE_H
#define SAFENPY_CLI_CHANGE_H

#include <getopt.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "safenpy/object_data.h"

/* The values of further long options, after those of cli.h; each subcommand has some of them. */
enum {
    CLI_OPTION_AS_IS = CLI_OPTION_OTHERS,
    CLI_OPTION_BYTEORDER,
    CLI_OPTION_CANONICAL,
    CLI_OPTION_DEFLATE,
    CLI_OPTION_DISARM,
    CLI_OPTION_DROP_ACL,
    CLI_OPTION_DROP_TRAILING,
    CLI_OPTION_DTYPE,
    CLI_OPTION_FLATTEN,
    CLI_OPTION_NUMPY,
    CLI_OPTION_ORDER,
    CLI_OPTION_PROTOCOL,
    CLI_OPTION_SHAPE,
    CLI_OPTION_STORE,
    CLI_OPTION_THREADS,
    CLI_OPTION_UNFLATTEN,
    CLI_OPTION_VERSION,
    CLI_OPTION_DTYPE_VERSION
};

/* The entry for the tables of getopt_long that every subcommand has that changes files. */
#define CLI_LOCK_OPTION                                                  \
    {                                                                    \
        "lock-timeout", required_argument, NULL, CLI_OPTION_LOCK_TIMEOUT \
    }

/* The options of one run. */
typedef struct cli_change {
    cli_options common; /* limits, flags and files */
    snpy_byteorder byteorder;
    snpy_version_choice version;
    bool has_version;
    bool is_canonical;
    bool drops_trailing;
    bool drops_acl;
    bool is_as_is;
    bool disarms;
    bool flattens;
    bool unflattens;
    bool has_form;         /* --protocol or --numpy was given */
    snpy_pickle_form form; /* of pickles that are disarmed */
    bool has_level;        /* --store or --deflate was given */
    uint32_t level;        /* 0: store the members of an archive; 1 to 9: deflate them */
    uint32_t threads;      /* 0: not given */
    char order;            /* 'C', 'F', or 0: not given */
    const char *dtype;     /* the argument of --dtype, borrowed; NULL: not given */
    const char *shape;     /* the argument of --shape, borrowed; NULL: not given */
} cli_change;

/* Reads the options in the table `known`; argv[0] is the subcommand. Then `fewest` to `most` files must follow;
 * `operands` names them in the message if not. Returns CLI_WRONG after a message on standard error. */
enum cli_parsed cli_read_change(int argc, char **argv, const struct option *known, int fewest, int most,
                                const char *operands, cli_change *change);

/* Installs a handler for SIGINT, SIGTERM and SIGHUP that removes temporary files and the progress bar before the signal
 * ends the process. Ignores SIGXFSZ, so that write(2) fails with EFBIG instead. */
void cli_catch_signals(void);

/* Writes "safenpy: NAME: ", the beginning of a message about a file. Returns the stream of messages, for the rest. */
cli_stream *cli_complain_of(const char *name);

/* Reports on standard error that a file is refused, with `hint`, or the hint of the status if that is NULL. Returns
 * CLI_REFUSED, or CLI_TROUBLE if the file was locked or changed while it was read. */
enum cli_exit cli_refuse(const char *name, const snpy_error *error, const char *hint);

/* Reports on standard error that an input was refused or could not be read. Returns the exit status for it. */
enum cli_exit cli_refuse_input(const char *name, const snpy_file *file);

/* Reports on standard error a later failure, with the file that error->path names. Writes nothing if the reader of a
 * pipe has gone. Returns the exit status for it. */
enum cli_exit cli_fail(const snpy_io_error *error);

/* Returns false, after a message, if an output is a terminal: raw bytes from outside could control it. */
bool cli_may_write(const char *name);

/* Locks an output file, so that nobody changes it while the input is read, which may be the same file. "-" is standard
 * output and needs no lock. The caller then opens it, and finishes or abandons it. */
snpy_status cli_claim_output(const char *name, const cli_options *options, snpy_output *output, snpy_io_error *error);

/* Opens an output that was claimed, so that it can be written to. */
snpy_status cli_open_output(const char *name, snpy_output *output, snpy_io_error *error);

/* Reports what a new file could not keep of the file that it replaced, such as its owner: the bits of error->lost. */
void cli_note_lost(const char *name, const snpy_io_error *error);

/* Finishes an output and reports what it could not keep of the file that it replaced; or abandons it, if `status` says
 * that the work has failed. Returns that status, or that of finishing; the caller reports the failure. */
snpy_status cli_close_output(const char *name, snpy_output *output, snpy_status status, snpy_io_error *error);

/* Reports how many bytes after the data of a regular file were dropped, or that another array was; nothing if the file
 * ends with its data. */
void cli_note_trailing(const char *name, const snpy_file *file, const snpy_input *input);

/* ---- repairs.c ---- */

/* The compatibility flags that the header of an input needed to be accepted. */
typedef struct cli_repairs {
    bool is_needed[CLI_FLAGS];
    snpy_error reason[CLI_FLAGS]; /* for a needed flag: why and where the header is refused without it */
} cli_repairs;

/* Finds a smallest set of flags with which the header is accepted: turns off each flag that the others make
 * unnecessary, one after another, and sets found->is_needed for those that are left. */
void cli_find_repairs(const snpy_file *file, const snpy_options *limits, cli_repairs *found);

/* Reports each needed flag as a repair: its name, the byte of the old header, and why it would have been refused. A
 * platform float is not repaired, because no spelling of it is accepted by all readers. Returns whether everything was
 * repaired. */
bool cli_put_repairs(const char *name, const cli_repairs *found);

#endif
