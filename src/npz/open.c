/* open.c: from a file to the list of its members.    NPZ-END … NPZ-NAME, NPZ-LIMIT-001, HOST-IO, HOST-MEMORY
 * Proves nothing. Leaves every decision about bytes to the core's walk, whose steps it takes in order; it brings the
 * bytes that each step wants. */
#include "npz/member_path.h"
#include "npz/npz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The longest local header, and what is read at once where members lie close together. */
#define WINDOW_ROOM ((size_t)30 + 65535 + 65535)
#define WINDOW_WISH ((size_t)65536)

/* The longest descriptor. */
#define DESCRIPTOR_ROOM 24u

/* --- windows ----------------------------------------------------------------------------------------------- */

/* A part of the file in memory, so that small members that lie close together cost one read. */
typedef struct snpy_window {
    uint8_t *room; /* WINDOW_ROOM bytes */
    uint64_t start;
    size_t length;
} snpy_window;

/* Brings `wanted` bytes at an offset into memory, and up to `wish` if they are to be read anyway; the file has them. */
static snpy_status snpy_look(const snpy_archive *archive, snpy_window *window, uint64_t offset, size_t wanted,
                             size_t wish, const uint8_t **bytes, snpy_io_error *error)
{
    uint64_t skipped = offset - window->start; /* local headers ascend */
    *bytes = window->room;
    if (archive->bytes != NULL) {
        *bytes = archive->bytes + offset;
        return SNPY_OK;
    }
    if (skipped <= window->length && window->length - skipped >= wanted) {
        *bytes += (size_t)skipped;
        return SNPY_OK;
    }
    if (wish > archive->directory.offset - offset) wish = (size_t)(archive->directory.offset - offset);
    if (wish < wanted) wish = wanted;
    window->start = offset;
    window->length = 0;
    snpy_status status = snpy_archive_fetch(archive, offset, window->room, wish, error);
    if (status == SNPY_OK) window->length = wish;
    return status;
}

/* --- the steps of the walk --------------------------------------------------------------------------------- */

/* Whether the first bytes are an archive's.                                                          NPZ-END-001 */
static snpy_status snpy_expect_archive(const snpy_archive *archive, snpy_io_error *error)
{
    uint8_t first[4] = {0};
    if (archive->zip.prefix) return SNPY_OK;
    if (archive->file_size < sizeof first) return snpy_io_refuse(error, SNPY_BAD_MAGIC, 0);
    snpy_status status = snpy_archive_fetch(archive, 0, first, sizeof first, error);
    if (status != SNPY_OK) return status;
    bool is_archive = memcmp(first, "PK\3\4", 4) == 0 || memcmp(first, "PK\5\6", 4) == 0;
    return is_archive ? SNPY_OK : snpy_io_refuse(error, SNPY_BAD_MAGIC, 0);
}

/* Finds the directory from the end of the file. */
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

/* Reads the directory. Memory is taken for as many members as it can hold: a count that is larger is a lie, and one
 * more than that is enough to find it out.                                                       NPZ-END-008 */
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

/* Visits one local header. */
static snpy_status snpy_visit_local(snpy_archive *archive, size_t index, snpy_window *window, size_t wish,
                                    snpy_io_error *error)
{
    const snpy_zip_directory *directory = &archive->directory;
    const uint64_t start = archive->members[index].local_offset;
    size_t wanted = snpy_zip_local_size(directory, &archive->members[index]);
    snpy_status status = SNPY_BUFFER_TOO_SMALL;
    for (int attempt = 0; attempt < 3 && status == SNPY_BUFFER_TOO_SMALL; attempt++) {
        const uint8_t *bytes = window->room;
        size_t length = wanted < WINDOW_ROOM ? wanted : WINDOW_ROOM;
        status = length == 0 ? SNPY_OK : snpy_look(archive, window, start, length, wish, &bytes, error);
        if (status != SNPY_OK) return status;
        status = snpy_zip_local(bytes, length, archive->central, (size_t)directory->size, directory, &archive->zip,
                                archive->members, index, &wanted, &error->error);
    }
    return status;
}

/* Visits one local header, and the descriptor. */
static snpy_status snpy_visit(snpy_archive *archive, size_t index, snpy_window *window, snpy_io_error *error)
{
    const snpy_zip_member *member = &archive->members[index];
    size_t wish = member->compressed_size < WINDOW_WISH / 2 ? WINDOW_WISH : 0;
    snpy_status status = snpy_visit_local(archive, index, window, wish, error);
    if (status != SNPY_OK || (member->flags & SNPY_ZIP_FLAG_DESCRIPTOR) == 0) return status;
    const uint8_t *bytes = NULL;
    uint64_t left = archive->directory.offset - member->end_offset;
    size_t length = (size_t)(left < DESCRIPTOR_ROOM ? left : DESCRIPTOR_ROOM);
    status = snpy_look(archive, window, member->end_offset, length, wish, &bytes, error);
    if (status != SNPY_OK) return status;
    return snpy_zip_descriptor(bytes, length, &archive->zip, &archive->members[index], &error->error);
}

/* Visits all local headers, then compares places and keys. Of a member at fault the error has the name. */
static snpy_status snpy_visit_all(snpy_archive *archive, snpy_io_error *error)
{
    snpy_window window = {malloc(WINDOW_ROOM), 0, 0};
    const snpy_zip_directory *directory = &archive->directory;
    size_t count = (size_t)directory->count;
    snpy_status status = window.room != NULL ? SNPY_OK : snpy_io_no_memory(error, "malloc");
    for (size_t i = 0; i < count && status == SNPY_OK; i++) {
        status = snpy_visit(archive, i, &window, error);
        if (status != SNPY_OK) snpy_archive_blame(archive, i, error);
    }
    free(window.room);
    if (status == SNPY_OK) status = snpy_zip_settle(directory, &archive->zip, archive->members, count, &error->error);
    if (status == SNPY_OK)
        status =
            snpy_zip_keys(archive->central, (size_t)directory->size, directory, archive->members, count, &error->error);
    return status;
}

/* Takes all steps.                                                                                    NPZ-ERR-001 */
static snpy_status snpy_walk(snpy_archive *archive, snpy_io_error *error)
{
    snpy_status status = snpy_expect_archive(archive, error);
    if (status == SNPY_OK) status = snpy_find_directory(archive, error);
    if (status == SNPY_OK) status = snpy_read_directory(archive, error);
    if (status == SNPY_OK) status = snpy_visit_all(archive, error);
    if (status != SNPY_OK) return status;
    archive->count = (size_t)archive->directory.count;
    if (archive->options.portable_names) status = snpy_archive_judge_names(archive, error);
    if (status != SNPY_OK) return status;
    return archive->options.strict ? snpy_archive_check_all(archive, error) : SNPY_OK;
}

/* --- where the bytes are ----------------------------------------------------------------------------------- */

/* Fills the options of an empty archive. */
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
    archive->options.zip = NULL;
    archive->options.limits = NULL;
    return SNPY_OK;
}

/* Makes an empty archive with options. NULL after a failure, which the error has. */
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

/* Measures a file from where its descriptor stands. */
static snpy_status snpy_archive_measure(snpy_archive *archive, snpy_io_error *error)
{
    struct stat about;
    if (fstat(archive->descriptor, &about) != 0) return snpy_io_fail(error, "fstat", errno);
    if (S_ISDIR(about.st_mode)) return snpy_io_fail(error, "pread", EISDIR);
    if (!S_ISREG(about.st_mode)) return snpy_io_fail(error, "pread", ESPIPE); /* what was read cannot be read again */
    off_t position = lseek(archive->descriptor, 0, SEEK_CUR);
    if (position < 0) return snpy_io_fail(error, "lseek", errno);
    archive->start = (uint64_t)position;
    if (position < about.st_size) archive->file_size = (uint64_t)(about.st_size - position);
    return SNPY_OK;
}

/* Walks through an archive whose bytes can be read; closes it if that fails. */
static snpy_status snpy_archive_enter(snpy_archive **archive, snpy_io_error *error)
{
    snpy_status status = snpy_walk(*archive, error);
    if (status != SNPY_OK) snpy_archive_close(archive);
    return status;
}

/* Likewise an archive in a file. */
static snpy_status snpy_archive_enter_file(snpy_archive **archive, snpy_io_error *error)
{
    snpy_status status = snpy_archive_measure(*archive, error);
    if (status == SNPY_OK) return snpy_archive_enter(archive, error);
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
    return snpy_archive_enter(archive, error);
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
    return snpy_archive_enter(archive, error);
}

snpy_status snpy_archive_open_descriptor(int descriptor, const snpy_archive_options *options, snpy_archive **archive,
                                         snpy_io_error *error)
{
    snpy_io_begin(error, "");
    *archive = snpy_archive_make(options, error);
    if (*archive == NULL) return error->error.status;
    (*archive)->descriptor = descriptor;
    return snpy_archive_enter_file(archive, error);
}

snpy_status snpy_archive_open_owned(int descriptor, const snpy_archive_options *options, snpy_archive **archive,
                                    snpy_io_error *error)
{
    snpy_status status = snpy_archive_open_descriptor(descriptor, options, archive, error);
    if (status == SNPY_OK) (*archive)->owns = true;
    return status;
}

/* Gives an archive its path, and opens the file if it is not open. */
static snpy_status snpy_archive_open_path(snpy_archive *archive, const char *path, snpy_io_error *error)
{
    const size_t length = strlen(path);
    archive->path = malloc(length + 1);
    if (archive->path == NULL) return snpy_io_no_memory(error, "malloc");
    memcpy(archive->path, path, length + 1);
    if (archive->descriptor < 0)
        archive->descriptor = snpy_open(path, O_RDONLY | O_NONBLOCK, 0); /* a FIFO must not hold us up: it is refused */
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
    if (status == SNPY_OK) return snpy_archive_enter_file(archive, error);
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
