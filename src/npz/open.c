/* open.c: opens an archive: reads its directory and all local headers, and checks them.
 *                                                               NPZ-END … NPZ-NAME, NPZ-LIMIT-001, HOST-IO, HOST-MEMORY
 * The core makes every decision about bytes, in steps (safenpy/zip.h); this file takes the steps in order and reads the
 * bytes that each needs. */
#include "npz/member_path.h"
#include "npz/npz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The longest local header; and how much is read at once where members are close together. */
#define WINDOW_SIZE ((size_t)30 + 65535 + 65535)
#define WINDOW_READ_AHEAD ((size_t)65536)

/* Bytes of the longest data descriptor. */
#define MAX_DESCRIPTOR 24u

/* --- windows ----------------------------------------------------------------------------------------------- */

/* A part of the file in memory, so that one read serves several small members. */
typedef struct snpy_window {
    uint8_t *buffer; /* WINDOW_SIZE bytes */
    uint64_t start;
    size_t length;
    size_t read_ahead; /* bytes to read at once, if the file has them */
} snpy_window;

/* Sets *bytes to `wanted` bytes at an offset, which the file has. If they are not in the window, refills it from
 * there. */
static snpy_status snpy_window_bytes(const snpy_archive *archive, snpy_window *window, uint64_t offset, size_t wanted,
                                     const uint8_t **bytes, snpy_io_error *error)
{
    size_t read_ahead = window->read_ahead;
    uint64_t skipped = offset - window->start; /* offsets never descend */
    *bytes = window->buffer;
    if (archive->bytes != NULL) {
        *bytes = archive->bytes + offset;
        return SNPY_OK;
    }
    if (skipped <= window->length && window->length - skipped >= wanted) {
        *bytes += (size_t)skipped;
        return SNPY_OK;
    }
    if (read_ahead > archive->directory.offset - offset) read_ahead = (size_t)(archive->directory.offset - offset);
    if (read_ahead < wanted) read_ahead = wanted;
    window->start = offset;
    window->length = 0;
    snpy_status status = snpy_archive_fetch(archive, offset, window->buffer, read_ahead, error);
    if (status == SNPY_OK) window->length = read_ahead;
    return status;
}

/* --- the steps of the walk --------------------------------------------------------------------------------- */

/* Checks that the file begins with a local header or an end record, unless bytes before the archive are allowed.
 * SNPY_BAD_MAGIC if not.                                                                                 NPZ-END-001 */
static snpy_status snpy_check_first_bytes(const snpy_archive *archive, snpy_io_error *error)
{
    uint8_t first[4] = {0};
    if (archive->zip.prefix) return SNPY_OK;
    if (archive->file_size < sizeof first) return snpy_io_refuse(error, SNPY_BAD_MAGIC, 0);
    snpy_status status = snpy_archive_fetch(archive, 0, first, sizeof first, error);
    if (status != SNPY_OK) return status;
    bool is_archive = memcmp(first, "PK\3\4", 4) == 0 || memcmp(first, "PK\5\6", 4) == 0;
    return is_archive ? SNPY_OK : snpy_io_refuse(error, SNPY_BAD_MAGIC, 0);
}

/* Finds the directory by the end records: fills archive->directory. */
static snpy_status snpy_find_directory(snpy_archive *archive, snpy_io_error *error)
{
    uint64_t size = archive->file_size;
    size_t length = (size_t)(size < SNPY_ZIP_TAIL ? size : SNPY_ZIP_TAIL);
    if (archive->bytes != NULL)
        return snpy_zip_find(archive->bytes + (size - length), length, size, &archive->zip, &archive->directory,
                             &error->error);
    uint8_t *tail = malloc(length > 0 ? length : 1);
    if (tail == NULL) return snpy_io_no_memory(error, "malloc");
    snpy_status status = snpy_archive_fetch(archive, size - length, tail, length, error);
    if (status == SNPY_OK)
        status = snpy_zip_find(tail, length, size, &archive->zip, &archive->directory, &error->error);
    free(tail);
    return status;
}

/* Reads the directory: fills archive->central and archive->members. Memory is allocated for at most one member more
 * than the directory has space for: a larger count is wrong, and snpy_zip_list detects that with one entry too many.
 *                                                                                                        NPZ-END-008 */
static snpy_status snpy_read_directory(snpy_archive *archive, snpy_io_error *error)
{
    snpy_zip_directory directory = archive->directory;
    uint64_t most = directory.size / SNPY_CENTRAL_FIXED + 1;
    if (directory.count > most) directory.count = most;
    if (directory.size >= SIZE_MAX) return snpy_io_no_memory(error, "malloc");
    archive->central = malloc((size_t)directory.size + 1);
    if (archive->central == NULL) return snpy_io_no_memory(error, "malloc");
    archive->members = calloc((size_t)directory.count + 1, sizeof(snpy_zip_member));
    if (archive->members == NULL) return snpy_io_no_memory(error, "calloc");
    snpy_status status = snpy_archive_fetch(archive, directory.offset, archive->central, directory.size, error);
    if (status != SNPY_OK) return status;
    return snpy_zip_list(archive->central, (size_t)directory.size, &directory, archive->members,
                         (size_t)directory.count, &error->error);
}

/* Reads a member's local header and compares it with the directory. The core may ask for more bytes than it first
 * estimated; then it is called again.
 *
 * members, index  the member is members[index]; members[0] may begin at the first byte of the archive only
 * local_options   archive->zip; or a copy with `prefix` set, if the caller has checked where members[0] begins */
static snpy_status snpy_check_local_header(const snpy_archive *archive, snpy_zip_member *members, size_t index,
                                           const snpy_zip_options *local_options, snpy_window *window,
                                           snpy_io_error *error)
{
    const snpy_zip_directory *directory = &archive->directory;
    const uint64_t start = members[index].local_offset;
    size_t wanted = snpy_zip_local_size(directory, &members[index]);
    snpy_status status = SNPY_BUFFER_TOO_SMALL;
    for (int attempt = 0; attempt < 3 && status == SNPY_BUFFER_TOO_SMALL; attempt++) {
        const uint8_t *bytes = window->buffer;
        size_t length = wanted < WINDOW_SIZE ? wanted : WINDOW_SIZE;
        status = length == 0 ? SNPY_OK : snpy_window_bytes(archive, window, start, length, &bytes, error);
        if (status != SNPY_OK) return status;
        status = snpy_zip_local(bytes, length, archive->central, (size_t)directory->size, directory, local_options,
                                members, index, &wanted, &error->error);
    }
    return status;
}

/* Checks a member's local header, and its data descriptor if it has one. The arguments are those of
 * snpy_check_local_header: local_options only relax where the first member begins; a descriptor is checked by
 * archive->zip in any case. */
static snpy_status snpy_check_records(const snpy_archive *archive, snpy_zip_member *members, size_t index,
                                      const snpy_zip_options *local_options, snpy_window *window, snpy_io_error *error)
{
    snpy_zip_member *member = &members[index];
    snpy_status status = snpy_check_local_header(archive, members, index, local_options, window, error);
    if (status != SNPY_OK || (member->flags & SNPY_ZIP_FLAG_DESCRIPTOR) == 0) return status;
    const uint8_t *bytes = NULL;
    uint64_t left = archive->directory.offset - member->end_offset;
    size_t length = (size_t)(left < MAX_DESCRIPTOR ? left : MAX_DESCRIPTOR);
    status = snpy_window_bytes(archive, window, member->end_offset, length, &bytes, error);
    if (status != SNPY_OK) return status;
    return snpy_zip_descriptor(bytes, length, &archive->zip, member, &error->error);
}

/* Checks all local headers and descriptors, then the ranges of the members. Sets error->member if one member is at
 * fault. */
static snpy_status snpy_check_all_records(snpy_archive *archive, snpy_io_error *error)
{
    snpy_window window = {malloc(WINDOW_SIZE), 0, 0, 0};
    const snpy_zip_directory *directory = &archive->directory;
    size_t count = (size_t)directory->count;
    snpy_status status = window.buffer != NULL ? SNPY_OK : snpy_io_no_memory(error, "malloc");
    for (size_t i = 0; i < count && status == SNPY_OK; i++) {
        window.read_ahead = archive->members[i].compressed_size < WINDOW_READ_AHEAD / 2 ? WINDOW_READ_AHEAD : 0;
        status = snpy_check_records(archive, archive->members, i, &archive->zip, &window, error);
        if (status != SNPY_OK) snpy_set_error_member(archive, i, error);
    }
    free(window.buffer);
    if (status != SNPY_OK) return status;
    return snpy_zip_check_ranges(directory, &archive->zip, archive->members, count, &error->error);
}

/* Checks the offsets of the local headers, without reading one, for defer_local: the first is at byte 0 of the archive, unless
 * the options allow a prefix, and they ascend in the order of the directory.
 *                                                                                       NPZ-PLACE-001, NPZ-PLACE-002 */
static snpy_status snpy_check_ascending(const snpy_archive *archive, snpy_io_error *error)
{
    const snpy_zip_member *members = archive->members;
    size_t count = (size_t)archive->directory.count;
    if (count > 0 && members[0].local_offset != 0 && !archive->zip.prefix)
        return snpy_io_refuse(error, SNPY_ZIP_PREFIX, 0);
    for (size_t i = 1; i < count; i++)
        if (members[i].local_offset <= members[i - 1].local_offset) {
            snpy_set_error_member(archive, i, error);
            return snpy_io_refuse(error, SNPY_ZIP_OVERLAP, members[i].local_offset);
        }
    return SNPY_OK;
}

/* Checks that a member ends where the next one, or the directory, begins.            NPZ-PLACE-002, 003, 005 */
static snpy_status snpy_check_member_end(const snpy_archive *archive, size_t index, snpy_io_error *error)
{
    const bool is_last = index + 1 == archive->count;
    const uint64_t next = is_last ? archive->directory.offset : archive->members[index + 1].local_offset;
    const uint64_t end = archive->members[index].end_offset;
    if (end > next) return snpy_io_refuse(error, SNPY_ZIP_OVERLAP, next);
    return end == next || archive->zip.gaps ? SNPY_OK : snpy_io_refuse(error, SNPY_ZIP_GAP, end);
}

snpy_status snpy_archive_check_local(snpy_archive *archive, size_t index, snpy_io_error *error)
{
    snpy_io_begin(error, archive != NULL && archive->path != NULL ? archive->path : "");
    if (archive == NULL || index >= archive->count) return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, index);
    snpy_zip_member *member = &archive->members[index];
    if (member->data_offset != 0) return SNPY_OK;
    snpy_zip_options local_options = archive->zip;
    local_options.prefix = true; /* snpy_check_ascending has checked where members begin */
    snpy_window window = {malloc(WINDOW_SIZE), 0, 0, 0};
    if (window.buffer == NULL) return snpy_io_no_memory(error, "malloc");
    snpy_status status = snpy_check_records(archive, member, 0, &local_options, &window, error);
    free(window.buffer);
    if (status == SNPY_OK) status = snpy_check_member_end(archive, index, error);
    if (status == SNPY_OK) return SNPY_OK;
    member->data_offset = 0; /* the member stays closed */
    snpy_set_error_member(archive, index, error);
    return status;
}

/* Checks a whole archive, in the order that decides which error is reported; with `strict`, the data of all members
 * too. Sets archive->count.                                                                              NPZ-ERR-001 */
static snpy_status snpy_check_structure(snpy_archive *archive, snpy_io_error *error)
{
    snpy_status status = snpy_check_first_bytes(archive, error);
    if (status == SNPY_OK) status = snpy_find_directory(archive, error);
    if (status == SNPY_OK) status = snpy_read_directory(archive, error);
    if (status == SNPY_OK)
        status = archive->options.defer_local ? snpy_check_ascending(archive, error)
                                              : snpy_check_all_records(archive, error);
    if (status == SNPY_OK)
        status = snpy_zip_keys(archive->central, (size_t)archive->directory.size, &archive->directory, archive->members,
                               (size_t)archive->directory.count, &error->error);
    if (status != SNPY_OK) return status;
    archive->count = (size_t)archive->directory.count;
    if (archive->options.portable_names) status = snpy_archive_check_names(archive, error);
    if (status != SNPY_OK) return status;
    return archive->options.strict ? snpy_archive_check_all(archive, error) : SNPY_OK;
}

/* --- where the bytes are ----------------------------------------------------------------------------------- */

/* Copies the caller's options, with defaults for what is not given, into an archive. SNPY_BAD_ARGUMENT for a bad
 * `size`. */
static snpy_status snpy_archive_set_options(const snpy_archive_options *options, snpy_archive *archive,
                                            snpy_io_error *error)
{
    static const snpy_archive_options defaults = SNPY_ARCHIVE_OPTIONS_INIT;
    static const snpy_options plain = SNPY_OPTIONS_INIT;
    static const snpy_zip_options zip = SNPY_ZIP_OPTIONS_INIT;
    archive->options = defaults;
    if (options != NULL && !snpy_take_options(&archive->options, sizeof defaults, options, options->size))
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    archive->zip = zip;
    const snpy_zip_options *walk = archive->options.zip;
    if (walk != NULL && !snpy_take_options(&archive->zip, sizeof zip, walk, walk->size))
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    archive->limits = plain;
    const snpy_options *limits = archive->options.limits;
    if (limits != NULL && !snpy_take_options(&archive->limits, sizeof plain, limits, limits->size))
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    if (archive->options.strict && archive->options.defer_local) return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    archive->options.zip = NULL;
    archive->options.limits = NULL;
    return SNPY_OK;
}

/* Allocates an archive without members, with options. Returns NULL after a failure, with `error` filled. */
static snpy_archive *snpy_archive_make(const snpy_archive_options *options, snpy_io_error *error)
{
    static const snpy_archive empty = {.descriptor = -1};
    snpy_archive *archive = malloc(sizeof *archive);
    if (archive == NULL) {
        (void)snpy_io_no_memory(error, "malloc");
        return NULL;
    }
    *archive = empty;
    if (snpy_archive_set_options(options, archive, error) != SNPY_OK) snpy_archive_close(&archive);
    return archive;
}

/* Sets archive->start to the descriptor's position and file_size to the bytes from there on. Refuses anything but a
 * regular file. */
static snpy_status snpy_archive_measure(snpy_archive *archive, snpy_io_error *error)
{
    struct stat about;
    if (fstat(archive->descriptor, &about) != 0) return snpy_io_fail(error, "fstat", errno);
    if (S_ISDIR(about.st_mode)) return snpy_io_fail(error, "pread", EISDIR);
    if (!S_ISREG(about.st_mode)) return snpy_io_fail(error, "pread", ESPIPE); /* cannot be read at any offset */
    off_t position = lseek(archive->descriptor, 0, SEEK_CUR);
    if (position < 0) return snpy_io_fail(error, "lseek", errno);
    archive->start = (uint64_t)position;
    if (position < about.st_size) archive->file_size = (uint64_t)(about.st_size - position);
    return SNPY_OK;
}

/* Checks an archive whose bytes can be read. Closes it if that fails. */
static snpy_status snpy_archive_check_or_close(snpy_archive **archive, snpy_io_error *error)
{
    snpy_status status = snpy_check_structure(*archive, error);
    if (status != SNPY_OK) snpy_archive_close(archive);
    return status;
}

/* Measures the file of an archive, then checks the archive. Closes it if that fails. */
static snpy_status snpy_archive_check_file_or_close(snpy_archive **archive, snpy_io_error *error)
{
    snpy_status status = snpy_archive_measure(*archive, error);
    if (status == SNPY_OK) return snpy_archive_check_or_close(archive, error);
    snpy_archive_close(archive);
    return status;
}

snpy_status snpy_archive_open_memory(const void *bytes, size_t length, const snpy_archive_options *options,
                                     snpy_archive **archive, snpy_io_error *error)
{
    static const uint8_t nothing[1] = {0};
    snpy_io_begin(error, "");
    *archive = snpy_archive_make(options, error);
    if (*archive == NULL) return error->error.status;
    (*archive)->bytes = length > 0 ? bytes : nothing;
    (*archive)->file_size = length;
    return snpy_archive_check_or_close(archive, error);
}

snpy_status snpy_archive_open_function(uint64_t size, const struct snpy_archive_source *source,
                                       const snpy_archive_options *options, snpy_archive **archive,
                                       snpy_io_error *error)
{
    snpy_io_begin(error, "");
    *archive = snpy_archive_make(options, error);
    if (*archive == NULL) return error->error.status;
    (*archive)->source = source;
    (*archive)->file_size = size;
    return snpy_archive_check_or_close(archive, error);
}

snpy_status snpy_archive_open_callback(uint64_t size, snpy_read_callback *read, void *context,
                                       const snpy_archive_options *options, snpy_archive **archive,
                                       snpy_io_error *error)
{
    snpy_io_begin(error, "");
    *archive = snpy_archive_make(options, error);
    if (*archive == NULL) return error->error.status;
    snpy_archive *own = *archive;
    own->lent = (snpy_lent){read, context};
    own->own_source = (struct snpy_archive_source){snpy_ask_caller, &own->lent};
    own->source = &own->own_source;
    own->file_size = size;
    return snpy_archive_check_or_close(archive, error);
}

snpy_status snpy_archive_open_descriptor(int descriptor, const snpy_archive_options *options, snpy_archive **archive,
                                         snpy_io_error *error)
{
    snpy_io_begin(error, "");
    *archive = snpy_archive_make(options, error);
    if (*archive == NULL) return error->error.status;
    (*archive)->descriptor = descriptor;
    return snpy_archive_check_file_or_close(archive, error);
}

snpy_status snpy_archive_open_owned(int descriptor, const snpy_archive_options *options, snpy_archive **archive,
                                    snpy_io_error *error)
{
    snpy_status status = snpy_archive_open_descriptor(descriptor, options, archive, error);
    if (status == SNPY_OK) (*archive)->owns = true;
    return status;
}

/* Copies the path into an archive, and opens the file unless the archive has a descriptor. */
static snpy_status snpy_archive_open_path(snpy_archive *archive, const char *path, snpy_io_error *error)
{
    const size_t length = strlen(path);
    archive->path = malloc(length + 1);
    if (archive->path == NULL) return snpy_io_no_memory(error, "malloc");
    memcpy(archive->path, path, length + 1);
    if (archive->descriptor < 0)
        archive->descriptor = snpy_open(path, O_RDONLY | O_NONBLOCK, 0); /* a FIFO must not block: it is refused */
    return archive->descriptor >= 0 ? SNPY_OK : snpy_io_fail(error, "open", errno);
}

snpy_status snpy_archive_open_file(const char *path, int descriptor, const snpy_archive_options *options,
                                   snpy_archive **archive, snpy_io_error *error)
{
    snpy_io_begin(error, path);
    *archive = snpy_archive_make(options, error);
    if (*archive == NULL) {
        if (descriptor >= 0) (void)close(descriptor); /* only read from */
        return error->error.status;
    }
    (*archive)->descriptor = descriptor;
    (*archive)->owns = true;
    snpy_status status = snpy_archive_open_path(*archive, path, error);
    if (status == SNPY_OK) return snpy_archive_check_file_or_close(archive, error);
    snpy_archive_close(archive);
    return status;
}

snpy_status snpy_archive_open(const char *path, const snpy_archive_options *options, snpy_archive **archive,
                              snpy_io_error *error)
{
    return snpy_archive_open_file(path, -1, options, archive, error);
}

void snpy_archive_close(snpy_archive **archive)
{
    snpy_archive *own = *archive;
    *archive = NULL;
    if (own == NULL) return;
    if (own->owns && own->descriptor >= 0) (void)close(own->descriptor); /* only read from */
    free(own->central);
    free(own->members);
    free(own->path);
    free(own);
}
