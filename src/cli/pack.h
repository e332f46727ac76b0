/* pack.h: what the subcommands that write archives share.
 * Proves nothing. Leaves the archive to src/npz. */
#ifndef SAFENPY_CLI_PACK_H
#define SAFENPY_CLI_PACK_H

#include "cli/change.h"
#include "safenpy/archive_write.h"

/* Opens an archive to be written, as the options say, to an output that was claimed; with any_keys, keys may hide one
 * another. */
snpy_status cli_open_writer(const cli_change *change, bool any_keys, snpy_output *output, snpy_archive_writer **writer,
                            snpy_io_error *error);

/* Finishes an archive, or abandons it if the work has failed, and reports what fails. Returns the exit status. */
enum cli_exit cli_close_writer(const char *to, snpy_archive_writer **writer, enum cli_exit result);

/* Reports what went wrong with a member, or with the archive `to`: a refusal is said of the member as `shown`. */
enum cli_exit cli_fail_member(const char *to, const char *shown, snpy_io_error *error);

/* A snpy_flow.put whose target is a snpy_archive_writer. */
snpy_status cli_put_member(void *writer, const uint8_t *bytes, uint64_t size, snpy_io_error *error);

#ifndef SNPY_ARCHIVES
/* What is said where archives cannot be written. Returns CLI_TROUBLE. */
enum cli_exit cli_have_no_archives(const char *subcommand);
#endif

/* ---- pack_json.c ---- */

/* What was packed. Owned; to be released. */
typedef struct cli_packed {
    snpy_written_member *members;
    size_t count;
    uint8_t *names; /* of all members, contiguous */
} cli_packed;

/* Takes it from a writer to which all members were given. It is to be released, whatever the status. */
snpy_status cli_take_packed(snpy_archive_writer *writer, cli_packed *packed, snpy_io_error *error);

/* Puts it as one line of JSON. */
void cli_put_packed(const char *to, const cli_packed *packed);
void cli_release_packed(cli_packed *packed);

/* `convert` of an archive, into an output that was claimed: its members stored or deflated, or, unless change->has_level,
 * each as it was. `file` has what was read of standard input, if that was judged before. */
enum cli_exit cli_convert_archive(const cli_change *change, const snpy_file *file, snpy_output *output);

/* `convert` of all arrays of a file, one after another, to the members arr_0, arr_1 and so on of an archive, into an output
 * that was claimed. */
enum cli_exit cli_convert_arrays(const cli_change *change, snpy_output *output);

#endif
