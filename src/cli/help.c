/* help.c: the help texts, one per subcommand.
 * Each names all options of its subcommand: tests/cli/test_help.py compares it with the tables of getopt. */
#include "cli/cli.h"

#include <string.h>

/* clang-format off */
#define HEADER_LIMIT \
    "  --max-header BYTES    the longest header that is read (65536)\n"

#define DATA_LIMIT \
    "  --max-data-bytes N    the most data that a header may declare (2^63 - 1)\n"

#define COMPAT \
    "  --compat FLAG,...     accept spellings that are refused by default: all, or\n" \
    "                        int-fortran-order, numpy-bool, numpy-int, list-shape,\n" \
    "                        int-shape, list-field, metadata, native-order,\n" \
    "                        type-names, bytes-alias, platform-float\n"

#define COMPAT_OF_ARCHIVES \
    "  --compat FLAG,...     accept spellings that are refused by default: all, or\n" \
    "                        int-fortran-order, numpy-bool, numpy-int, list-shape,\n" \
    "                        int-shape, list-field, metadata, native-order,\n" \
    "                        type-names, bytes-alias, platform-float\n" \
    "                        for archives, not part of all: zip-prefix,\n" \
    "                        zip-trailing, zip-gaps, unsigned-descriptor\n"

#define ARRAY \
    "  --array N             array number N, counted from 0, of a file that holds one\n" \
    "                        array after another\n"

#define ARRAYS \
    ARRAY \
    "  --all-arrays          all arrays of such a file\n"

#define MEMBER \
    "  --member KEY          this member of each archive\n"

#define ARCHIVE_LIMITS \
    "  --max-members N       the most members of an archive (1048576)\n" \
    "  --max-member-bytes N  the most bytes that one member inflates to (4 GiB)\n" \
    "  --max-total-bytes N   the most bytes that all members inflate to (16 GiB)\n" \
    "  --max-ratio N         the most bytes for each byte of deflated data (1032)\n"

#define DROP_ACL \
    "  --drop-acl            do not keep the ACL of a file that is replaced\n"

#define LOCK \
    "  --lock-timeout SECS   how long to wait for a file that another process is\n" \
    "                        changing (10)\n"

#define LAST \
    "  -h, --help            this text\n"

/* A subcommand: its arguments, what it does in a line, and the text of its help. */
static const struct {
    const char *name;
    const char *arguments;
    const char *summary;
    const char *text;
} subcommands[] = {
    {"check", "[OPTION]... FILE...", "check files and archives; one verdict per file",
     "\n"
     "Checks each file, and each member of an archive, against the rules of the\n"
     "format.\n"
     "\n"
     "  -q, --quiet           report refused files only\n"
     "  --json                one JSON object per line\n"
     "  --junit               the report as XML for CI systems\n"
     "  -r, --recursive       the .npy and .npz files below each directory\n"
     "  --files-from LIST     also the files that LIST names, one per line; - is\n"
     "                        standard input\n"
     "  -0, --null            the names in LIST end with a zero byte\n"
     "  -j, --jobs N          check N files, or N members of one archive, at a time;\n"
     "                        0: one per processor (1)\n"
     "  --summary-only        how many files were accepted and refused, and by which\n"
     "                        rules\n"
     "  --profile PROFILE     standard, or canonical: the header must be byte for byte\n"
     "                        the one that NumPy writes\n"
     "  --untrusted           for files from strangers: refuse object arrays, bytes\n"
     "                        after the data, members named .npy that are not NPY\n"
     "                        files, and names that unpack refuses; lower limits:\n"
     "                        10000 members, 1 GiB each, 4 GiB in all\n"
     "  --allow WHAT,...      accept with --untrusted: objects, trailing, members,\n"
     "                        names\n"
     "  --objects SET         data or plain: check object data against the rules of\n"
     "                        values, and refuse what is not in the set\n"
     "  --no-objects          refuse object arrays\n"
     "  --no-trailing         refuse bytes after the data\n"
     "  --npy, --npz          refuse archives, or refuse everything else\n"
     "  --file-size N         FILE has the first bytes of a file of N bytes: check its\n"
     "                        header, and N against what it declares\n"
     ARRAYS
     "  --strict              refuse the whole archive if one member is bad\n"
     MEMBER
     COMPAT_OF_ARCHIVES
     HEADER_LIMIT
     DATA_LIMIT
     ARCHIVE_LIMITS
     LAST
     "\n"
     "Exit status: 0 if every file is accepted, 1 if one is refused, 2 for wrong usage\n"
     "or a file that cannot be read.\n"},
    {"info", "[OPTION]... FILE...", "show what a header says, or what an archive holds",
     "\n"
     "Shows the header of each file, or the members of each archive.\n"
     "\n"
     "  --json                one JSON object per line\n"
     "  --npy, --npz          refuse archives, or refuse everything else\n"
     "  --header-only         read nothing after the header, so that the first bytes\n"
     "                        of a file are enough\n"
     "  --objects SET         data or plain: read object data, too; refuse what is not\n"
     "                        in the set; JSON shows the first values\n"
     ARRAYS
     MEMBER
     COMPAT_OF_ARCHIVES
     HEADER_LIMIT
     DATA_LIMIT
     ARCHIVE_LIMITS
     LAST},
    {"cat", "[OPTION]... FILE[INDICES]...", "print the elements of arrays, or of parts of them",
     "\n"
     "Prints elements. INDICES are written as in Python: a.npy[0:3,::2]['x']\n"
     "Object arrays are decoded without running anything, and printed as JSON:\n"
     "d.npy[()]['weights'][0]\n"
     "\n"
     "  --output FORM         text, csv, json or raw\n"
     "  --format FORM         the same option under another name\n"
     "  --slice INDICES       indices for all files; then names are taken literally\n"
     "  --max-elements N      the most elements, and empty lists, to print (1000000)\n"
     "  --max-columns N       the most columns of a structured dtype (100000)\n"
     "  --objects SET         data or plain (default): what object data may hold, by\n"
     "                        spec/objects.md\n"
     ARRAYS
     MEMBER
     COMPAT_OF_ARCHIVES
     HEADER_LIMIT
     DATA_LIMIT
     ARCHIVE_LIMITS
     LAST},
    {"diff", "[OPTION]... FILE FILE", "compare two arrays",
     "\n"
     "Shows how two arrays differ.\n"
     "\n"
     "  --values              compare values only, not how they are stored\n"
     "  --json                one JSON object\n"
     "  --objects SET         data or plain (default): what object data may hold, by\n"
     "                        spec/objects.md\n"
     MEMBER
     COMPAT_OF_ARCHIVES
     HEADER_LIMIT
     DATA_LIMIT
     ARCHIVE_LIMITS
     LAST
     "\n"
     "Exit status: 0 if they are equal, 1 if they differ, 2 for trouble.\n"},
    {"pack", "[OPTION]... OUT [KEY=]FILE...", "write an archive of arrays",
     "\n"
     "Writes an archive. KEY is the name of the file without .npy unless it is given.\n"
     "\n"
     "  --store               store the data, so that readers can map them (default)\n"
     "  --deflate[=LEVEL]     deflate the data, at a level from 1 to 9 (6)\n"
     "  --threads N           threads that deflate; the output is the same for every\n"
     "                        N (one per processor)\n"
     "  --as-is               pack files of any kind unread; KEY is the member's name\n"
     "  --json                report what was packed as one JSON object\n"
     COMPAT
     HEADER_LIMIT
     DATA_LIMIT
     DROP_ACL
     LOCK
     LAST},
    {"unpack", "[OPTION]... ARCHIVE [KEY]...", "write each member of an archive to a file",
     "\n"
     "Writes the members that are named, or all, to files.\n"
     "\n"
     "  -d, --directory DIR   write to this directory (the current one)\n"
     "  --force               replace existing files; their owner, mode and ACL stay\n"
     "  --map-names           write unsafe bytes of a member's name as %XX instead of\n"
     "                        refusing the member\n"
     COMPAT_OF_ARCHIVES
     HEADER_LIMIT
     ARCHIVE_LIMITS
     DROP_ACL
     LOCK
     LAST},
    {"salvage", "[OPTION]... BROKEN OUT", "copy the whole members of a broken archive",
     "\n"
     "Copies each member of a broken archive that is whole (header, size, CRC) to a\n"
     "new one, and reports what is lost. If the directory at the end is gone, members\n"
     "are found by their local headers.\n"
     "\n"
     "  --json                one JSON object per member and line\n"
     COMPAT_OF_ARCHIVES
     HEADER_LIMIT
     ARCHIVE_LIMITS
     DROP_ACL
     LOCK
     LAST
     "\n"
     "Exit status: 0 if no member is lost, 1 if one is, 2 for wrong usage or a file\n"
     "that cannot be read or written.\n"},
    {"explain", "RULE|STATUS...", "show what a rule requires, an example, and the remedy",
     "\n"
     "Shows what a rule requires, an example, and how to fix the file.\n"
     "\n"
     "  --list                list all rules\n"
     LAST},
    {"convert", "[OPTION]... IN OUT", "write the same array or archive anew",
     "\n"
     "Writes the array, or all arrays of an archive, anew. OUT may be IN, and is\n"
    "replaced only when all of it is written.\n"
     "\n"
     "  --order C|F           order of the elements\n"
     "  --byteorder ORDER     byte order of all numbers: little, big or native\n"
     "  --format-version V    1.0, 2.0 or 3.0; otherwise it stays\n"
     "  --dtype-version V     the same option under another name\n"
     ARRAY
     "  --all-arrays          all arrays of such a file, to an archive: arr_0, arr_1\n"
     "                        and so on; with the options for archives below\n"
     MEMBER
     "\n"
     "Options for whole archives (default: each member stays stored or deflated):\n"
     "\n"
     "  --store               store the data, so that readers can map them\n"
     "  --deflate[=LEVEL]     deflate the data, at a level from 1 to 9 (6)\n"
     "  --threads N           threads that deflate; the output is the same for every\n"
     "                        N (one per processor)\n"
     "\n"
     "Options for both; --compat also fixes what its flags accept and reports it:\n"
     "\n"
     "  --canonical           the version and header that numpy.save chooses, also of\n"
     "                        each array of an archive\n"
     "  --disarm              decode the pickles of object arrays and write plain\n"
     "                        values; refuse what would call anything else\n"
     "  --flatten             an object array, to an archive of plain arrays: numbers,\n"
     "                        strings, ragged arrays, dictionaries by path\n"
     "  --unflatten           such an archive, to the object array, as disarmed\n"
     "  --protocol N          of these pickles: 2 to 5 (4)\n"
     "  --numpy 1|2           names in them that every NumPy has, or NumPy 2 only (1)\n"
     COMPAT_OF_ARCHIVES
     HEADER_LIMIT
     DATA_LIMIT
     ARCHIVE_LIMITS
     DROP_ACL
     LOCK
     LAST},
    {"wrap", "--dtype TYPE --shape SHAPE [OPTION]... RAW OUT", "write an array from raw bytes",
     "\n"
     "Puts an NPY header before raw bytes.\n"
     "\n"
     "  --dtype TYPE          as in a header: '<f8', or a list of fields\n"
     "  --shape SHAPE         as in 3,4; one length may be -1: what the size gives\n"
     "  --order C|F           the order of the elements in RAW (C)\n"
     "  --format-version V    1.0, 2.0 or 3.0; otherwise NumPy's choice\n"
     "  --dtype-version V     the same option under another name\n"
     COMPAT
     HEADER_LIMIT
     DROP_ACL
     LOCK
     LAST},
    {"unwrap", "[OPTION]... IN RAW", "write the data of an array without the header",
     "\n"
     "Writes the data of an array without the header.\n"
     "\n"
     MEMBER
     COMPAT_OF_ARCHIVES
     HEADER_LIMIT
     DATA_LIMIT
     ARCHIVE_LIMITS
     DROP_ACL
     LOCK
     LAST},
    {"append", "[OPTION]... FILE MORE...", "append arrays of the same dtype to a file",
     "\n"
     "Appends the arrays of all MORE to the array in FILE, or none of them.\n"
     "\n"
     "  --drop-trailing       first remove the bytes after the data of FILE, which an\n"
     "                        append that was killed leaves\n"
     COMPAT
     HEADER_LIMIT
     DATA_LIMIT
     LOCK
     LAST},
    {"objects", "[OPTION]... FILE...", "list what the pickles of object arrays need",
     "\n"
     "Lists the globals and opcodes of each pickle: of an NPY file with objects, of\n"
     "the members of an archive, or of a whole file that is neither. Nothing is run\n"
     "or decoded: arguments of calls are not checked.\n"
     "\n"
     "  --json                one JSON object per line\n"
     MEMBER
     COMPAT_OF_ARCHIVES
     HEADER_LIMIT
     ARCHIVE_LIMITS
     LAST
     "\n"
     "Exit status: 0 if all that is needed belongs to plain values, 1 if not, 2 for\n"
     "wrong usage or a file that cannot be read.\n"},
};
/* clang-format on */

static const char about[] = "\n"
                            "Reads files in NumPy's NPY format and archives of them (NPZ), checks them against\n"
                            "the rules of the format, and writes them. FILE '-' is standard input, OUT '-' is\n"
                            "standard output. ARCHIVE:KEY, as FILE or IN, is one member of an archive. After\n"
                            "'--' a name may begin with '-'.\n"
                            "\n";

static const char statuses[] = "\n"
                               "'safenpy COMMAND --help' lists the options of a command.\n"
                               "Exit status: 0 for success, 1 if a file is refused or two differ, 2 for wrong\n"
                               "usage or a file that cannot be read or written.\n";

#define SUBCOMMANDS (sizeof subcommands / sizeof subcommands[0])

/* Writes the usage line of a subcommand. */
static void put_usage(size_t which, const char *before)
{
    cli_say(&cli_output, "%ssafenpy %s %s\n", before, subcommands[which].name, subcommands[which].arguments);
}

enum cli_exit cli_help(const char *subcommand)
{
    for (size_t i = 0; i < SUBCOMMANDS && subcommand != NULL; i++) {
        if (strcmp(subcommands[i].name, subcommand) != 0) continue;
        put_usage(i, "Usage: ");
        cli_put(&cli_output, subcommands[i].text);
        return CLI_ACCEPTED;
    }
    for (size_t i = 0; i < SUBCOMMANDS; i++) put_usage(i, i == 0 ? "Usage: " : "       ");
    cli_say(&cli_output, "       safenpy --help | --version\n%s", about);
    for (size_t i = 0; i < SUBCOMMANDS; i++) {
        cli_say(&cli_output, "  %s", subcommands[i].name);
        cli_put_spaces(&cli_output, 10 - strlen(subcommands[i].name));
        cli_say(&cli_output, "%s\n", subcommands[i].summary);
    }
    cli_put(&cli_output, statuses);
    return CLI_ACCEPTED;
}
