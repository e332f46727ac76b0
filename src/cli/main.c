/* main.c: the safenpy command: which subcommand is meant.
 * Proves nothing. Leaves the work to one file a subcommand. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

static const char help[] = "Usage: safenpy check [OPTION]... FILE...\n"
                           "       safenpy info [OPTION]... FILE...\n"
                           "       safenpy cat [OPTION]... FILE[INDICES]...\n"
                           "       safenpy diff [OPTION]... FILE FILE\n"
                           "       safenpy pack [OPTION]... OUT [KEY=]FILE...\n"
                           "       safenpy unpack [OPTION]... ARCHIVE [KEY]...\n"
                           "       safenpy explain RULE|STATUS...\n"
                           "       safenpy convert [OPTION]... IN OUT\n"
                           "       safenpy wrap --dtype TYPE --shape SHAPE [OPTION]... RAW OUT\n"
                           "       safenpy unwrap [OPTION]... IN RAW\n"
                           "       safenpy append [OPTION]... FILE MORE...\n"
                           "       safenpy --help | --version\n"
                           "\n"
                           "Reads files in NumPy's NPY format and archives of them (NPZ), says whether they keep\n"
                           "the format's rules, and writes them anew. FILE '-' is standard input, OUT '-' standard\n"
                           "output; ARCHIVE:KEY, for FILE or IN, is one member of an archive; behind '--' a name\n"
                           "may begin with '-'.\n"
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
                           "  --strict              of archives, one bad member refuses the whole\n"
                           "  --max-members N, --max-member-bytes N, --max-total-bytes N, --max-ratio N\n"
                           "                        the most members, bytes that one inflates to, and all together,\n"
                           "                        and bytes for each byte of the archive\n"
                           "  -q, --quiet           say nothing of accepted files\n"
                           "\n"
                           "info: what a file's header says, or what an archive holds\n"
                           "  --json, --max-header BYTES, --compat FLAG,..., --member KEY, --npy, --max-...\n"
                           "                        as above\n"
                           "\n"
                           "pack: an archive of arrays; KEY is the file's name without .npy unless it is given\n"
                           "  --store               the data as they are, to be mapped (this is the default)\n"
                           "  --deflate[=LEVEL]     deflated, from 1 to 9 (6)\n"
                           "  --threads N           that deflate; they change no byte (one a processor)\n"
                           "  --as-is               files of any kind, unread; KEY is the member's whole name\n"
                           "  --json                what was packed, and where it is, as one JSON object\n"
                           "  --max-header BYTES, --compat FLAG,...            as above\n"
                           "\n"
                           "unpack: a file for each member of an archive\n"
                           "  -d, --directory DIR   where to; the current directory otherwise\n"
                           "  --force               replace files that exist; their owner, mode and ACL stay\n"
                           "  --map-names           write what is no good path as %XX, instead of refusing it\n"
                           "\n"
                           "cat: the elements of arrays, or of parts: a.npy[0:3,::2]['x']\n"
                           "  --output FORM         text, csv, json or raw (--format is the same)\n"
                           "  --slice INDICES       the indices for all files, whose names are taken whole\n"
                           "  --max-header BYTES, --compat FLAG,...            as above\n"
                           "\n"
                           "diff: in what two arrays differ; 0: nothing, 1: something, 2: trouble\n"
                           "  --values              how the values are stored is no difference\n"
                           "  --json, --max-header BYTES, --compat FLAG,...    as above\n"
                           "\n"
                           "explain: what a rule asks for, an example, and how to mend the file\n"
                           "  --list                all rules\n"
                           "\n";

/* Apart, because the standard promises strings of 4,095 bytes only. */
static const char more_help[] = "convert: the same array, written anew; OUT may be IN, and is replaced as a whole\n"
                                "  --order C|F           the order of the elements\n"
                                "  --byteorder ORDER     of all numbers: little, big, native\n"
                                "  --format-version V    1.0, 2.0 or 3.0; else it stays\n"
                                "  --canonical           the version and the header that numpy.save chooses\n"
                                "  --compat FLAG,...     mend what these flags accept, and say what was mended\n"
                                "  --store, --deflate[=LEVEL], --threads N          of an archive: its members anew;\n"
                                "                        without an option, each stored or deflated as it was\n"
                                "\n"
                                "wrap: an array from raw bytes; unwrap: its data without the header\n"
                                "  --dtype TYPE          as in a header: '<f8', or a list of fields\n"
                                "  --shape SHAPE         as 3,4; one length may be -1: what the file's size gives\n"
                                "  --order C|F           the order that the bytes are in (C)\n"
                                "  --format-version V    as above\n"
                                "\n"
                                "append: arrays of the same type behind that of FILE, all of them or none\n"
                                "  --drop-trailing       first remove what an append that was killed has left\n"
                                "\n"
                                "convert, wrap, unwrap and append take --max-header and --compat, too; cat, diff,\n"
                                "convert and unwrap --member KEY; these and unpack the limits of archives.\n"
                                "convert, pack, wrap, unwrap and unpack --force take --drop-acl: a file that is\n"
                                "replaced keeps owner, group, mode and ACL, or with this option all but the ACL.\n"
                                "\n"
                                "Exit status: 0 if every file is accepted, 1 if one is refused, 2 for wrong usage\n"
                                "or a file that cannot be read.\n";

enum cli_exit cli_help(void)
{
    cli_put(&cli_output, help);
    cli_put(&cli_output, more_help);
    return CLI_ACCEPTED;
}

/* Runs what the first argument names. */
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
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) return cli_help();
    if (strcmp(name, "--version") == 0) {
        cli_put(&cli_output, "safenpy ");
        cli_put(&cli_output, snpy_version());
        cli_put(&cli_output, "\n");
        return CLI_ACCEPTED;
    }
    cli_stream *stream = cli_complain();
    if (argc < 2) {
        cli_put(
            stream,
            "no subcommand: there are check, info, cat, diff, pack, unpack, explain, convert, wrap, unwrap, append");
    } else {
        cli_put(stream, "no subcommand '");
        cli_put_argument(stream, name);
        cli_put(stream, "': there are check, info, cat, diff, pack, unpack, explain, convert, wrap, unwrap, append");
    }
    return cli_wrong_usage(stream);
}

/* Standard streams that were closed are taken, by what can be neither read nor written as they are: else the next file
 * to be opened would have their number, and get what is said. Returns whether that was to be had. */
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
    /* A closed pipe is an error of write(2), with an exit status of ours, not the end by a signal. */
    signal(SIGPIPE, SIG_IGN);
    return (int)cli_finish(dispatch(argc, argv));
}
