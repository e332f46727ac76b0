/* main.c: runs the subcommand that the first argument names.
 * Each subcommand has a file of its own. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

/* Runs the subcommand that the first argument names; reports wrong usage if there is none. */
static enum cli_exit dispatch(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "check") == 0) return cli_check(argc - 1, argv + 1);
    if (strcmp(name, "info") == 0) return cli_info(argc - 1, argv + 1);
    if (strcmp(name, "cat") == 0) return cli_cat(argc - 1, argv + 1);
    if (strcmp(name, "diff") == 0) return cli_diff(argc - 1, argv + 1);
    if (strcmp(name, "unpack") == 0) return cli_unpack(argc - 1, argv + 1);
    if (strcmp(name, "pack") == 0) return cli_pack(argc - 1, argv + 1);
    if (strcmp(name, "explain") == 0) return cli_explain(argc - 1, argv + 1);
    if (strcmp(name, "convert") == 0) return cli_convert(argc - 1, argv + 1);
    if (strcmp(name, "wrap") == 0) return cli_wrap(argc - 1, argv + 1);
    if (strcmp(name, "unwrap") == 0) return cli_unwrap(argc - 1, argv + 1);
    if (strcmp(name, "append") == 0) return cli_append(argc - 1, argv + 1);
    if (strcmp(name, "objects") == 0) return cli_objects(argc - 1, argv + 1);
    if (strcmp(name, "salvage") == 0) return cli_salvage(argc - 1, argv + 1);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) return cli_help(NULL);
    if (strcmp(name, "--version") == 0) {
        cli_say(&cli_output, "safenpy %s\n", snpy_version());
        return CLI_ACCEPTED;
    }
    cli_stream *stream = cli_complain();
    if (argc < 2) {
        cli_put(stream, "no subcommand: there are check, info, cat, diff, pack, unpack, explain, convert, wrap, "
                        "unwrap, append, objects, salvage");
    } else {
        cli_say(stream,
                "no subcommand '%-s': there are check, info, cat, diff, pack, unpack, explain, convert, wrap, unwrap, "
                "append, objects, salvage",
                name);
    }
    return cli_wrong_usage(stream);
}

/* Opens /dev/null for each standard stream that is closed, in a mode in which it can be neither read nor written as
 * that stream. Otherwise the next file to be opened would get its number, and receive the output. Returns false if that
 * fails. */
static bool keep_standard_streams(void)
{
    static const int useless[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int i = 0; i < 3; i++) {
        if (fcntl(i, F_GETFD) >= 0 || errno != EBADF) continue;
        if (open("/dev/null", useless[i]) != i) return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    if (!keep_standard_streams()) return CLI_TROUBLE;
    /* A closed pipe is reported by write(2), so that the exit status is ours and no signal ends the process. */
    signal(SIGPIPE, SIG_IGN);
    return (int)cli_finish(dispatch(argc, argv));
}
