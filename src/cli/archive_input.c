/* archive_input.c: opens an archive on standard input, which must be read from its end.                   NPZ-LIMIT-003
 * src/npz reads the archive.
 *
 * A file is read in place. A pipe cannot be read from its end, so its bytes are copied to a file without a name, up to
 * the limit on what one call inflates, so that nobody fills the disk. */
#include "cli/archive.h"

#ifdef SNPY_ARCHIVES

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that are copied at once. */
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

/* Appends bytes to the copy and subtracts them from *left, the bytes that it may still take. SNPY_ZIP_TOTAL_TOO_LARGE
 * if that is not enough. */
static snpy_status put_copy(int descriptor, const uint8_t *bytes, size_t size, uint64_t limit, uint64_t *left,
                            snpy_io_error *error)
{
    if (size > *left) return snpy_io_refuse(error, SNPY_ZIP_TOTAL_TOO_LARGE, limit);
    *left -= size;
    snpy_status status = snpy_write_all(descriptor, bytes, size, error);
    if (status != SNPY_OK) snpy_io_name(error, snpy_temporary_directory());
    return status;
}

/* Copies `head`, the bytes of standard input that were read already, and the rest of it. Then moves the descriptor to
 * the beginning of the copy. */
static snpy_status copy_input(int descriptor, const uint8_t *head, size_t length, uint64_t limit, snpy_io_error *error)
{
    uint64_t left = limit;
    ptrdiff_t received = 1;
    uint8_t *piece = malloc(PIECE);
    if (piece == NULL) return snpy_io_no_memory(error, "malloc");
    snpy_status status = put_copy(descriptor, head, length, limit, &left, error);
    while (status == SNPY_OK && received > 0) {
        received = snpy_read_some(STDIN_FILENO, piece, PIECE);
        status = received < 0 ? snpy_io_fail(error, "read", errno)
                              : put_copy(descriptor, piece, (size_t)received, limit, &left, error);
    }
    free(piece);
    if (status == SNPY_OK && lseek(descriptor, 0, SEEK_SET) < 0) status = snpy_io_fail(error, "lseek", errno);
    return status;
}

snpy_status cli_copy_archive_input(const uint8_t *head, size_t length, uint64_t limit, int *descriptor,
                                   snpy_io_error *error)
{
    *descriptor = -1;
    snpy_status status = snpy_make_nameless(descriptor, error);
    if (status != SNPY_OK) return status;
    status = copy_input(*descriptor, head, length, limit, error);
    if (status == SNPY_OK) return SNPY_OK;
    (void)close(*descriptor); /* this deletes the file: it has no name */
    *descriptor = -1;
    return status;
}

/* Copies standard input and opens the copy as an archive, which closes it in the end. */
static snpy_status open_copy(const uint8_t *head, size_t length, const snpy_archive_options *how,
                             snpy_archive **archive, snpy_io_error *error)
{
    int descriptor = -1;
    snpy_status status = cli_copy_archive_input(head, length, how->max_total_bytes, &descriptor, error);
    if (status != SNPY_OK) return status;
    status = snpy_archive_open_owned(descriptor, how, archive, error);
    if (status != SNPY_OK) (void)close(descriptor);
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

void cli_explain_copy_limit(const char *name, const cli_options *options, const snpy_io_error *error)
{
    /* Without a copy, the members are known when their total exceeds the limit, and the error names one. */
    if (error->error.status != SNPY_ZIP_TOTAL_TOO_LARGE || error->member[0] != '\0') return;
    cli_flush(&cli_output);
    cli_warn("%-s: an archive is read from its end, so a pipe is copied first; it has more than the %" PRIu64
             " bytes that --max-total-bytes allows",
             name, options->max_total_bytes);
}

#else
typedef int cli_no_archives; /* a file of C is not empty */
#endif
