/* archive_input.c: an archive on standard input, which is read from its end.                          NPZ-LIMIT-003
 * Proves nothing; tests/cli/run.py tries it. Leaves the archive to src/npz.
 *
 * A file is read where it stands. A pipe cannot go back: what comes out of it is copied to a file without a name, of
 * no more bytes than are to be inflated in one call, so that nobody fills a disk. */
#include "cli/archive.h"

#ifdef SNPY_ARCHIVES

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is copied at once. */
#define PIECE ((size_t)262144)

void cli_archive_how(const cli_options *options, snpy_archive_options *how)
{
    static const snpy_archive_options defaults = SNPY_ARCHIVE_OPTIONS_INIT;
    *how = defaults;
    how->zip = &options->archives;
    how->limits = &options->limits;
    how->strict = options->strict;
    how->max_member_bytes = options->max_member_bytes;
    how->max_total_bytes = options->max_total_bytes;
    how->max_ratio = options->max_ratio;
}

/* Puts bytes after those that were copied; *room is how many more there may be. */
static snpy_status put_copy(int descriptor, const uint8_t *bytes, size_t size, uint64_t limit, uint64_t *room,
                            snpy_io_error *error)
{
    if (size > *room) return snpy_io_refuse(error, SNPY_ZIP_TOTAL_TOO_LARGE, limit);
    *room -= size;
    snpy_status status = snpy_write_all(descriptor, bytes, size, error);
    if (status != SNPY_OK) snpy_io_name(error, snpy_temporary_directory());
    return status;
}

/* Copies what was read of standard input and what is left of it, and goes back to its beginning. */
static snpy_status copy_input(int descriptor, const uint8_t *head, size_t length, uint64_t limit, snpy_io_error *error)
{
    uint64_t room = limit;
    ptrdiff_t received = 1;
    uint8_t *piece = malloc(PIECE);
    if (piece == NULL) return snpy_io_no_memory(error, "malloc");
    snpy_status status = put_copy(descriptor, head, length, limit, &room, error);
    while (status == SNPY_OK && received > 0) {
        received = snpy_read_some(STDIN_FILENO, piece, PIECE);
        status = received < 0 ? snpy_io_fail(error, "read", errno)
                              : put_copy(descriptor, piece, (size_t)received, limit, &room, error);
    }
    free(piece);
    if (status == SNPY_OK && lseek(descriptor, 0, SEEK_SET) < 0) status = snpy_io_fail(error, "lseek", errno);
    return status;
}

/* Opens a copy, which is the archive's to close. */
static snpy_status open_copy(const uint8_t *head, size_t length, const snpy_archive_options *how,
                             snpy_archive **archive, snpy_io_error *error)
{
    int descriptor = -1;
    snpy_status status = snpy_make_nameless(&descriptor, error);
    if (status != SNPY_OK) return status;
    status = copy_input(descriptor, head, length, how->max_total_bytes, error);
    if (status == SNPY_OK) status = snpy_archive_open_owned(descriptor, how, archive, error);
    if (status != SNPY_OK) (void)close(descriptor); /* it has no name and is gone */
    return status;
}

snpy_status cli_open_archive_input(const uint8_t *head, size_t length, const snpy_archive_options *how,
                                   snpy_archive **archive, snpy_io_error *error)
{
    struct stat about;
    *archive = NULL;
    snpy_io_begin(error, "");
    if (fstat(STDIN_FILENO, &about) != 0) return snpy_io_fail(error, "fstat", errno);
    if (!S_ISREG(about.st_mode)) return open_copy(head, length, how, archive, error);
    if (lseek(STDIN_FILENO, -(off_t)length, SEEK_CUR) < 0) return snpy_io_fail(error, "lseek", errno);
    return snpy_archive_open_descriptor(STDIN_FILENO, how, archive, error);
}

void cli_say_copied(const char *name, const cli_options *options, const snpy_io_error *error)
{
    /* Of a file that is not copied, members are known before their total is: then there is one to be named. */
    if (error->error.status != SNPY_ZIP_TOTAL_TOO_LARGE || error->member[0] != '\0') return;
    cli_flush(&cli_output);
    cli_stream *stream = cli_complain();
    cli_put_argument(stream, name);
    cli_put(stream, ": an archive is read from its end, so a pipe is copied first; it has more than the ");
    cli_put_number(stream, options->max_total_bytes);
    cli_put(stream, " bytes that --max-total-bytes allows\n");
    cli_flush(stream);
}

#else
typedef int cli_no_archives; /* a file of C is not empty */
#endif
