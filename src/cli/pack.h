/* pack.h: what the subcommands that write archives share. src/npz writes the archive. */
#ifndef SAFENPY_CLI_PACK_H
#define SAFENPY_CLI_PACK_H

#include "cli/change.h"
#include "safenpy/archive_write.h"

/* Opens a claimed output as a new archive, with the level and threads of the options. With any_keys, a member may be
 * added although its key is that of another member, which it or the other then hides from readers that ask by key. */
snpy_status cli_open_writer(const cli_change *change, bool any_keys, snpy_output *output, snpy_archive_writer **writer,
                            snpy_io_error *error);

/* Finishes an archive, or abandons it if `result` is not CLI_ACCEPTED. Returns `result`, or, if finishing fails,
 * reports that and returns the exit status for it. */
enum cli_exit cli_close_writer(const char *to, snpy_archive_writer **writer, enum cli_exit result);

/* Reports a failure to write a member: a refusal with the member's name, `shown`, a failed call with the name of the
 * archive, `to`. Returns the exit status for it. */
enum cli_exit cli_fail_member(const char *to, const char *shown, snpy_io_error *error);

/* Writes bytes to the open member of a snpy_archive_writer; has the form of snpy_flow.put. */
snpy_status cli_put_member(void *writer, const uint8_t *bytes, uint64_t size, snpy_io_error *error);

/* Reports why the archive that is converted cannot be opened, with a hint if the file is none. Returns the exit status for it. */
enum cli_exit cli_fail_open(const cli_change *change, const char *hint, snpy_io_error *error);

#ifndef SNPY_ARCHIVES
/* Reports that this build cannot write archives. Returns CLI_TROUBLE. */
enum cli_exit cli_have_no_archives(const char *subcommand);
#endif

/* ---- pack_json.c ---- */

/* The members that were packed. */
typedef struct cli_packed {
    snpy_written_member *members; /* owned */
    size_t count;
    uint8_t *names; /* owned: the names of all members, contiguous */
} cli_packed;

/* Copies the list of members from a writer to which all were added; it is still needed when the writer is closed. The
 * caller releases it, whatever the status. */
snpy_status cli_take_packed(snpy_archive_writer *writer, cli_packed *packed, snpy_io_error *error);

/* Writes a list of members as one line of JSON. */
void cli_put_packed(const char *to, const cli_packed *packed);

/* Frees a list of members. */
void cli_release_packed(cli_packed *packed);

/* ---- flatten.c ---- */

/* Write an object array as an archive of plain arrays to a claimed output, and such an archive as the object array that it
 * was. Return the exit status, after a report. */
enum cli_exit cli_flatten(const cli_change *change, snpy_output *output);
enum cli_exit cli_unflatten(const cli_change *change, snpy_output *output);

/* ---- convert_archive.c, convert_arrays.c ---- */

/* Copies an archive to a claimed output, and its members with the level of the options, or stored or deflated as they
 * were. `file` has the bytes that were read of standard input already; NULL: none. Returns the exit status, after a
 * report. */
enum cli_exit cli_convert_archive(const cli_change *change, const snpy_file *file, snpy_output *output);

/* Writes all arrays of a file as an archive with the members arr_0, arr_1 and so on to a claimed output. Returns the
 * exit status, after a report. */
enum cli_exit cli_convert_arrays(const cli_change *change, snpy_output *output);

#endif
