/* archive.h: an archive named on the command line, and its members, which are checked like files.
 * src/npz reads the archive; check_archive.c and info_archive.c write the reports. */
#ifndef SAFENPY_CLI_ARCHIVE_H
#define SAFENPY_CLI_ARCHIVE_H

#include "cli/cli.h"
#include "safenpy/archive.h"

/* An open archive. */
typedef struct cli_archive {
    snpy_archive *archive;
    const char *name; /* as given on the command line: PATH or PATH:KEY */
    bool is_named;    /* the name is PATH:KEY */
    bool is_single;   /* one member was asked for, by its key or --member: the one with the index `only` */
    size_t only;
    size_t capacity; /* bytes of `text`: enough for the longest name or key, with its NUL */
    char *shown;     /* owned: the result of cli_member_shown */
    char *text;      /* owned: the result of cli_member_name and cli_member_key */
    bool *collides;  /* owned, one per member: its path collides with an earlier one's; NULL: not determined */
} cli_archive;

/* A member that was checked. */
typedef struct cli_member {
    snpy_file file; /* as if the member were a file */
    bool is_array;
} cli_member;

/* Opens the archive that PATH or PATH:KEY refers to, and finds the member that was asked for, if any. Returns
 * CLI_ACCEPTED, and the caller closes the archive; else reports why not and returns the exit status for it. `file` is
 * the result of checking the name as an NPY file, with the bytes that were read of standard input; NULL: it was not
 * checked, because only an archive will do. */
enum cli_exit cli_open_archive(const char *name, const snpy_file *file, const cli_options *options, cli_archive *about);

/* Closes an archive and frees what belongs to it. */
void cli_close_archive(cli_archive *about);

/* Sets *how to the library's options for opening archives. It borrows from `options`. */
void cli_archive_how(const cli_options *options, snpy_archive_options *how);

/* Opens the archive on standard input, of which the first `length` bytes, `head`, were read already. Unless standard
 * input is a regular file, it is copied to a temporary file first; fails with SNPY_ZIP_TOTAL_TOO_LARGE if it has more
 * than how->max_total_bytes. If the error has a path, it concerns the copy.                       NPZ-LIMIT-003 */
snpy_status cli_open_archive_input(const uint8_t *head, size_t length, const snpy_archive_options *how,
                                   snpy_archive **archive, snpy_io_error *error);

/* Copies an archive from a pipe on standard input, of which the first `length` bytes, `head`, were read already, to a
 * temporary file without a name. Fails with SNPY_ZIP_TOTAL_TOO_LARGE if it has more than `limit` bytes. The caller
 * closes *descriptor, which is -1 after a failure.                                                NPZ-LIMIT-003 */
snpy_status cli_copy_archive_input(const uint8_t *head, size_t length, uint64_t limit, int *descriptor,
                                   snpy_io_error *error);

/* After a failure to open an archive on standard input: if the input exceeded the limit on its copy, warns that a pipe
 * is copied and which limit that has exceeded. Writes nothing for any other error. */
void cli_explain_copy_limit(const char *name, const cli_options *options, const snpy_io_error *error);

/* Returns whether the sizes of `count` members, or of all members if `indices` is NULL, add up to no more than
 * --max-total-bytes allows. If not, reports that and sets *result to the exit status.                NPZ-LIMIT-003 */
bool cli_is_within_total(const cli_archive *about, const size_t *indices, size_t count, const cli_options *options,
                         enum cli_exit *result);

/* Writes the rest of a member's data to a file. Returns SNPY_OK only if the CRC was right and everything was
 * written. */
snpy_status cli_pour_member(snpy_member *member, int descriptor, snpy_io_error *error);

/* Reads the header of a member, but none of its data. The caller releases member->file.head, whatever the status. */
snpy_status cli_read_member(cli_archive *about, size_t index, cli_member *member);

/* Checks a member, header and data, with the profile of the options. The caller releases member->file.head, whatever
 * the status. */
snpy_status cli_check_member(cli_archive *about, size_t index, const cli_options *options, cli_member *member);

/* Reads the object data of an accepted member, and refuses it if the options name a set that does not have them. The caller
 * releases *objects, whatever the status. Returns the member's status.                     NPY-OBJ-002, NPY-PKL-012 */
snpy_status cli_check_member_objects(const cli_archive *about, size_t index, const cli_options *options,
                                     cli_member *member, struct cli_object_data *objects);

/* Fills about->collides, which cli_refuse_member needs to refuse names. Returns false if there is not enough memory.
 *                                                                                                     NPZ-PATH-003 */
bool cli_find_collisions(cli_archive *about);

/* Sets the status of an accepted member to a refusal, if the options ask for one: because of its name, because it is
 * named .npy without being an NPY file, or because of object data. Returns the member's status. */
snpy_status cli_refuse_member(cli_archive *about, size_t index, const cli_options *options, cli_member *member);

/* Returns what a member is called in messages, PATH:KEY. Valid until the next call. */
const char *cli_member_shown(cli_archive *about, size_t index);

/* Return the name of a member in the archive, or its key: the name without ".npy". Valid until the next call of
 * either. */
const char *cli_member_name(cli_archive *about, size_t index);
const char *cli_member_key(cli_archive *about, size_t index);

/* Writes the JSON keys method, size, compressed_size, crc and archive_offset (the byte of the archive at which the data
 * begin) of a member, with a comma before each. */
void cli_json_sizes(bool is_deflated, uint64_t size, uint64_t compressed_size, uint32_t crc, uint64_t offset);

/* Writes the JSON keys `name` and `key` of a member. */
void cli_json_member(cli_archive *about, size_t index, bool *first);

#endif
