/* archive.h: one archive of the command line, and its members as files to be judged.
 * Proves nothing. Leaves the archive to src/npz, and what is said of it to check_archive.c and info_archive.c. */
#ifndef SAFENPY_CLI_ARCHIVE_H
#define SAFENPY_CLI_ARCHIVE_H

#include "cli/cli.h"
#include "safenpy/archive.h"

/* An open archive. */
typedef struct cli_archive {
    snpy_archive archive;
    const char *name; /* as it was given, a key included */
    bool is_named;    /* it has a key */
    bool is_single;   /* one member is meant: archive.members[only] */
    size_t only;
    char *shown; /* owned: what the member that was judged last is called in messages */
    char *text;  /* owned: its name, then its key */
} cli_archive;

/* A member that was judged. */
typedef struct cli_member {
    snpy_file file;  /* as if the member were a file */
    snpy_array head; /* what `file` borrows from; to be released */
    bool is_array;
} cli_member;

/* Opens the archive that a name means. Reports it and returns what that means if it cannot be opened; else close it. */
enum cli_exit cli_open_archive(const char *name, const snpy_file *file, const cli_options *options, cli_archive *about);
void cli_close_archive(cli_archive *about);

/* An error of the library as that of a file. */
void cli_take_error(const snpy_io_error *error, snpy_file *file);

/* Whether members, or all if `indices` is NULL, are not too much for one call. If they are, it is reported, and *result
 * is what that means.                                                                              NPZ-LIMIT-003 */
bool cli_is_within_total(const cli_archive *about, const size_t *indices, size_t count, const cli_options *options,
                         enum cli_exit *result);

/* Writes what is left of a member to a file. SNPY_OK only if its CRC was right and all of it is written. */
snpy_status cli_pour_member(snpy_member *member, int descriptor, snpy_io_error *error);

/* Judges a member, in the profile that the options say, if there is a workspace. Release member->head. */
snpy_status cli_judge_member(cli_archive *about, size_t index, const cli_options *options, snpy_workspace *workspace,
                             cli_member *member);

/* The name of a member in messages: that of the archive, a colon and the key. NULL without memory. */
const char *cli_member_shown(cli_archive *about, size_t index);

/* Puts the keys `name` and `key` of a member. */
void cli_json_member(cli_archive *about, size_t index, bool *first);

#endif
