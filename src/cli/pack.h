/* pack.h: what the subcommands that write archives share.
 * Proves nothing. Leaves the archive to src/npz. */
#ifndef SAFENPY_CLI_PACK_H
#define SAFENPY_CLI_PACK_H

#include "cli/change.h"
#include "safenpy/archive_write.h"

/* Opens an archive to be written, as the options say: "-" is standard output. */
snpy_status cli_open_writer(const cli_change *change, const char *to, snpy_archive_writer *writer,
                            snpy_io_error *error);

/* Finishes an archive, or abandons it if the work has failed, and reports what fails. Returns the exit status. */
enum cli_exit cli_close_writer(const char *to, snpy_archive_writer *writer, enum cli_exit result);

/* Reports what went wrong with a member, or with the archive `to`: a refusal is said of the member as `shown`. */
enum cli_exit cli_fail_member(const char *to, const char *shown, snpy_io_error *error);

/* A snpy_flow.put whose target is a snpy_archive_writer. */
snpy_status cli_put_member(void *writer, const uint8_t *bytes, uint64_t size, snpy_io_error *error);

/* `convert` of an archive: its members stored or deflated. */
enum cli_exit cli_convert_archive(const cli_change *change);

#endif
