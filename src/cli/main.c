/* main.c: the safenpy command: which subcommand is meant.
 * Proves nothing. Leaves the work to one file a subcommand. */
#include "cli/cli.h"

#include <signal.h>
#include <string.h>

static const char help[] = "Usage: safenpy check [OPTION]... FILE...\n"
                           "       safenpy info [OPTION]... FILE...\n"
                           "       safenpy unpack [OPTION]... ARCHIVE [KEY]...\n"
                           "       safenpy explain RULE|STATUS...\n"
                           "       safenpy --help | --version\n"
                           "\n"
                           "Reads files in NumPy's NPY format and archives of them (NPZ), and says whether they\n"
                           "keep the format's rules. FILE '-' is standard input; ARCHIVE:KEY is one member of an\n"
                           "archive; behind '--' a name may begin with '-'.\n"
                           "\n"
                           "check: a verdict a file\n"
                           "  --json                one JSON object a line\n"
                           "  --max-header BYTES    the longest header that is read (65536)\n"
                           "  --profile PROFILE     standard, or canonical: exactly the header NumPy writes\n"
                           "  --no-trailing         refuse bytes behind the data\n"
                           "  --compat FLAG,...     let spellings pass that are refused by default: all,\n"
                           "                        int-fortran-order, numpy-bool, numpy-int, list-shape,\n"
                           "                        int-shape, list-field, metadata, native-order,\n"
                           "                        type-names, bytes-alias, platform-float;\n"
                           "                        of archives, and not in all: zip-prefix, zip-trailing,\n"
                           "                        zip-gaps, unsigned-descriptor\n"
                           "  --member KEY          of archives, only this member\n"
                           "  --npy                 refuse archives\n"
                           "  -q, --quiet           say nothing of accepted files\n"
                           "\n"
                           "info: what a file's header says, or what an archive holds\n"
                           "  --json, --max-header BYTES, --compat FLAG,..., --member KEY, --npy    as above\n"
                           "\n"
                           "unpack: a file for each member of an archive\n"
                           "  -d, --directory DIR   where to; the current directory otherwise\n"
                           "  --force               replace files that exist\n"
                           "  --map-names           write what is no good path as %XX, instead of refusing it\n"
                           "\n"
                           "explain: what a rule asks for, an example, and how to mend the file\n"
                           "  --list                all rules\n"
                           "\n"
                           "Exit status: 0 if every file is accepted, 1 if one is refused, 2 for wrong usage\n"
                           "or a file that cannot be read.\n";

enum cli_exit cli_help(void)
{
    cli_put(&cli_output, help);
    return CLI_ACCEPTED;
}

/* Runs what the first argument names. */
static enum cli_exit dispatch(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "check") == 0) return cli_check(argc - 1, argv + 1);
    if (strcmp(name, "info") == 0) return cli_info(argc - 1, argv + 1);
    if (strcmp(name, "unpack") == 0) return cli_unpack(argc - 1, argv + 1);
    if (strcmp(name, "explain") == 0) return cli_explain(argc - 1, argv + 1);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) return cli_help();
    if (strcmp(name, "--version") == 0) {
        cli_put(&cli_output, "safenpy ");
        cli_put(&cli_output, snpy_version());
        cli_put(&cli_output, "\n");
        return CLI_ACCEPTED;
    }
    cli_stream *stream = cli_complain();
    if (argc < 2) {
        cli_put(stream, "no subcommand: there are check, info, unpack, explain");
    } else {
        cli_put(stream, "no subcommand '");
        cli_put_argument(stream, name);
        cli_put(stream, "': there are check, info, unpack, explain");
    }
    return cli_wrong_usage(stream);
}

int main(int argc, char **argv)
{
    /* A closed pipe is an error of write(2), with an exit status of ours, not the end by a signal. */
    signal(SIGPIPE, SIG_IGN);
    return (int)cli_finish(dispatch(argc, argv));
}
