/* archive.h: one archive of the command line, and its members as files to be judged.
 * Proves nothing. Leaves the archive to src/npz, and what is said of it to check_archive.c and info_archive.c. */
#ifndef SAFENPY_CLI_ARCHIVE_H
#define SAFENPY_CLI_ARCHIVE_H

#include "cli/cli.h"
#include "safenpy/archive.h"

/* An open archive. */
typedef struct cli_archive {
    snpy_archive *archive;
    const char *name; /* as it was given, a key included */
    bool is_named;    /* it has a key */
    bool is_single;   /* one member is meant: archive.members[only] */
    size_t only;
    size_t room;    /* for the longest name or key, with its NUL */
    char *shown;    /* owned: what the member that was judged last is called in messages */
    char *text;     /* owned: its name or its key */
    bool *collides; /* owned, one for each member: its path is that of an earlier one; NULL: it was not looked for */
} cli_archive;

/* A member that was judged. */
typedef struct cli_member {
    snpy_file file; /* as if the member were a file */
    bool is_array;
} cli_member;

/* Opens the archive that a name means. Reports it and returns what that means if it cannot be opened; else close it.
 * `file` is what was found out by judging it as an NPY file, with the bytes that were read of standard input; NULL: it
 * was not, and an archive is all that it may be. */
enum cli_exit cli_open_archive(const char *name, const snpy_file *file, const cli_options *options, cli_archive *about);
void cli_close_archive(cli_archive *about);

/* The options for opening archives. */
void cli_archive_how(const cli_options *options, snpy_archive_options *how);

/* Opens the archive on standard input, of which the first bytes were read already. What is no file is copied first, of
 * at most how->max_total_bytes: SNPY_ZIP_TOTAL_TOO_LARGE at that byte if there are more. Errors that have a path are of
 * the copy.                                                                                          NPZ-LIMIT-003 */
snpy_status cli_open_archive_input(const uint8_t *head, size_t length, const snpy_archive_options *how,
                                   snpy_archive **archive, snpy_io_error *error);

/* Says, if that is the error, that the limit is one of the copy. */
void cli_say_copied(const char *name, const cli_options *options, const snpy_io_error *error);

/* Whether members, or all if `indices` is NULL, are not too much for one call. If they are, it is reported, and *result
 * is what that means.                                                                              NPZ-LIMIT-003 */
bool cli_is_within_total(const cli_archive *about, const size_t *indices, size_t count, const cli_options *options,
                         enum cli_exit *result);

/* Writes what is left of a member to a file. SNPY_OK only if its CRC was right and all of it is written. */
snpy_status cli_pour_member(snpy_member *member, int descriptor, snpy_io_error *error);

/* Reads the header of a member, and nothing of its data. Release member->file.head. */
snpy_status cli_read_member(cli_archive *about, size_t index, cli_member *member);

/* Checks a member as a whole, in the profile that the options give. Release member->file.head. */
snpy_status cli_judge_member(cli_archive *about, size_t index, const cli_options *options, cli_member *member);

/* Finds the members whose paths collide with those of others, for cli_refuse_member. Returns false if
 * there is no memory for it.                                                                        NPZ-PATH-003 */
bool cli_find_collisions(cli_archive *about);

/* Refuses an accepted member, if the options say so: for its name, as one that is named .npy and is no NPY file, or for
 * objects. Returns its status. */
snpy_status cli_refuse_member(cli_archive *about, size_t index, const cli_options *options, cli_member *member);

/* The name of a member in messages: that of the archive, a colon and the key. Valid until the next call. */
const char *cli_member_shown(cli_archive *about, size_t index);

/* The name, or the key, of a member. Valid until the next call of one of the two. */
const char *cli_member_name(cli_archive *about, size_t index);
const char *cli_member_key(cli_archive *about, size_t index);

/* Writes the keys of the numbers of a member, after others: method, size, compressed_size, crc, archive_offset:
 * where its data begin in the archive. */
void cli_json_sizes(bool is_deflated, uint64_t size, uint64_t compressed_size, uint32_t crc, uint64_t offset);

/* Puts the keys `name` and `key` of a member. */
void cli_json_member(cli_archive *about, size_t index, bool *first);

#endif
