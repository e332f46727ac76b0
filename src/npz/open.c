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
    if (archive->bytes_ != NULL) {
        *bytes = archive->bytes_ + offset;
        return SNPY_OK;
    }
    if (skipped <= window->length && window->length - skipped >= wanted) {
        *bytes += (size_t)skipped;
        return SNPY_OK;
    }
    if (wish > archive->directory_.offset - offset) wish = (size_t)(archive->directory_.offset - offset);
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
    if (archive->zip_.prefix) return SNPY_OK;
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
    if (archive->bytes_ != NULL)
        return snpy_zip_find(archive->bytes_ + (size - length), length, size, &archive->zip_, &archive->directory_,
                             &error->error);
    uint8_t *tail = malloc(length > 0 ? length : 1);
    if (tail == NULL) return snpy_io_no_memory(error, "malloc");
    snpy_status status = snpy_archive_fetch(archive, size - length, tail, length, error);
    if (status == SNPY_OK)
        status = snpy_zip_find(tail, length, size, &archive->zip_, &archive->directory_, &error->error);
    free(tail);
    return status;
}

/* Reads the directory. Memory is taken for as many members as it can hold: a count that is larger is a lie, and one
 * more than that is enough to find it out.                                                       NPZ-END-008 */
static snpy_status snpy_read_directory(snpy_archive *archive, snpy_io_error *error)
{
    snpy_zip_directory directory = archive->directory_;
    uint64_t most = directory.size / SNPY_CENTRAL_FIXED + 1;
    if (directory.count > most) directory.count = most;
    if (directory.size >= SIZE_MAX) return snpy_io_no_memory(error, "malloc");
    archive->central_ = malloc((size_t)directory.size + 1);
    if (archive->central_ == NULL) return snpy_io_no_memory(error, "malloc");
    archive->members = calloc((size_t)directory.count + 1, sizeof(snpy_zip_member));
    if (archive->members == NULL) return snpy_io_no_memory(error, "calloc");
    snpy_status status = snpy_archive_fetch(archive, directory.offset, archive->central_, directory.size, error);
    if (status != SNPY_OK) return status;
    return snpy_zip_list(archive->central_, (size_t)directory.size, &directory, archive->members,
                         (size_t)directory.count, &error->error);
}

/* Visits one local header. */
static snpy_status snpy_visit_local(snpy_archive *archive, size_t index, snpy_window *window, size_t wish,
                                    snpy_io_error *error)
{
    const snpy_zip_directory *directory = &archive->directory_;
    const uint64_t start = archive->members[index].local_offset;
    size_t wanted = snpy_zip_local_size(directory, &archive->members[index]);
    snpy_status status = SNPY_BUFFER_TOO_SMALL;
    for (int attempt = 0; attempt < 3 && status == SNPY_BUFFER_TOO_SMALL; attempt++) {
        const uint8_t *bytes = window->room;
        size_t length = wanted < WINDOW_ROOM ? wanted : WINDOW_ROOM;
        status = length == 0 ? SNPY_OK : snpy_look(archive, window, start, length, wish, &bytes, error);
        if (status != SNPY_OK) return status;
        status = snpy_zip_local(bytes, length, archive->central_, (size_t)directory->size, directory, &archive->zip_,
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
    uint64_t left = archive->directory_.offset - member->end_offset;
    size_t length = (size_t)(left < DESCRIPTOR_ROOM ? left : DESCRIPTOR_ROOM);
    status = snpy_look(archive, window, member->end_offset, length, wish, &bytes, error);
    if (status != SNPY_OK) return status;
    return snpy_zip_descriptor(bytes, length, &archive->zip_, &archive->members[index], &error->error);
}

/* Visits all local headers, then compares places and keys. Of a member at fault the error has the name. */
static snpy_status snpy_visit_all(snpy_archive *archive, snpy_io_error *error)
{
    snpy_window window = {malloc(WINDOW_ROOM), 0, 0};
    const snpy_zip_directory *directory = &archive->directory_;
    size_t count = (size_t)directory->count;
    snpy_status status = window.room != NULL ? SNPY_OK : snpy_io_no_memory(error, "malloc");
    for (size_t i = 0; i < count && status == SNPY_OK; i++) {
        status = snpy_visit(archive, i, &window, error);
        if (status != SNPY_OK) snpy_archive_blame(archive, i, error);
    }
    free(window.room);
    if (status == SNPY_OK) status = snpy_zip_settle(directory, &archive->zip_, archive->members, count, &error->error);
    if (status == SNPY_OK)
        status = snpy_zip_keys(archive->central_, (size_t)directory->size, directory, archive->members, count,
                               &error->error);
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
    archive->count = (size_t)archive->directory_.count;
    if (archive->options_.portable_names) status = snpy_archive_judge_names(archive, error);
    if (status != SNPY_OK) return status;
    return archive->options_.strict ? snpy_archive_check_all(archive, error) : SNPY_OK;
}

/* --- where the bytes are ----------------------------------------------------------------------------------- */

/* Makes an empty archive with options. */
static snpy_status snpy_archive_start(const snpy_archive_options *options, snpy_archive *archive, snpy_io_error *error)
{
    static const snpy_archive empty = {.descriptor_ = -1};
    static const snpy_archive_options defaults = SNPY_ARCHIVE_OPTIONS_INIT;
    static const snpy_options plain = SNPY_OPTIONS_INIT;
    static const snpy_zip_options zip = SNPY_ZIP_OPTIONS_INIT;
    *archive = empty;
    archive->options_ = defaults;
    if (options != NULL && !snpy_take_options(&archive->options_, sizeof defaults, options, options->size))
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    archive->zip_ = zip;
    const snpy_zip_options *walk = archive->options_.zip;
    if (walk != NULL && !snpy_take_options(&archive->zip_, sizeof zip, walk, walk->size))
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    archive->limits_ = plain;
    const snpy_options *limits = archive->options_.limits;
    if (limits != NULL && !snpy_take_options(&archive->limits_, sizeof plain, limits, limits->size))
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    archive->options_.zip = NULL;
    archive->options_.limits = NULL;
    return SNPY_OK;
}

/* Measures a file from where its descriptor stands. */
static snpy_status snpy_archive_measure(snpy_archive *archive, snpy_io_error *error)
{
    struct stat about;
    if (fstat(archive->descriptor_, &about) != 0) return snpy_io_fail(error, "fstat", errno);
    if (S_ISDIR(about.st_mode)) return snpy_io_fail(error, "pread", EISDIR);
    if (!S_ISREG(about.st_mode)) return snpy_io_fail(error, "pread", ESPIPE); /* what was read cannot be read again */
    off_t position = lseek(archive->descriptor_, 0, SEEK_CUR);
    if (position < 0) return snpy_io_fail(error, "lseek", errno);
    archive->start_ = (uint64_t)position;
    if (position < about.st_size) archive->file_size = (uint64_t)(about.st_size - position);
    return SNPY_OK;
}

/* Ends opening: an archive that failed is closed. */
static snpy_status snpy_archive_ready(snpy_archive *archive, snpy_status status)
{
    if (status != SNPY_OK) snpy_archive_close(archive);
    return status;
}

snpy_status snpy_archive_open_memory(const void *bytes, size_t length, const snpy_archive_options *options,
                                     snpy_archive *archive, snpy_io_error *error)
{
    static const uint8_t nothing[1] = {0};
    snpy_io_begin(error, "");
    snpy_status status = snpy_archive_start(options, archive, error);
    if (status != SNPY_OK) return status;
    archive->bytes_ = length > 0 ? bytes : nothing;
    archive->file_size = length;
    return snpy_archive_ready(archive, snpy_walk(archive, error));
}

snpy_status snpy_archive_open_function(uint64_t size, const struct snpy_archive_source *source,
                                       const snpy_archive_options *options, snpy_archive *archive, snpy_io_error *error)
{
    snpy_io_begin(error, "");
    snpy_status status = snpy_archive_start(options, archive, error);
    if (status != SNPY_OK) return status;
    archive->source_ = source;
    archive->file_size = size;
    return snpy_archive_ready(archive, snpy_walk(archive, error));
}

snpy_status snpy_archive_open_descriptor(int descriptor, const snpy_archive_options *options, snpy_archive *archive,
                                         snpy_io_error *error)
{
    snpy_io_begin(error, "");
    snpy_status status = snpy_archive_start(options, archive, error);
    if (status != SNPY_OK) return status;
    archive->descriptor_ = descriptor;
    status = snpy_archive_measure(archive, error);
    if (status == SNPY_OK) status = snpy_walk(archive, error);
    return snpy_archive_ready(archive, status);
}

snpy_status snpy_archive_open_owned(int descriptor, const snpy_archive_options *options, snpy_archive *archive,
                                    snpy_io_error *error)
{
    snpy_status status = snpy_archive_open_descriptor(descriptor, options, archive, error);
    archive->owns_ = status == SNPY_OK;
    return status;
}

snpy_status snpy_archive_open_file(const char *path, int descriptor, const snpy_archive_options *options,
                                   snpy_archive *archive, snpy_io_error *error)
{
    size_t length = strlen(path);
    snpy_io_begin(error, path);
    snpy_status status = snpy_archive_start(options, archive, error);
    archive->descriptor_ = descriptor;
    archive->owns_ = true;
    if (status != SNPY_OK) return snpy_archive_ready(archive, status);
    archive->path_ = malloc(length + 1);
    if (archive->path_ == NULL) return snpy_archive_ready(archive, snpy_io_no_memory(error, "malloc"));
    memcpy(archive->path_, path, length + 1);
    if (archive->descriptor_ < 0)
        archive->descriptor_ =
            snpy_open(path, O_RDONLY | O_NONBLOCK, 0); /* a FIFO must not hold us up: it is refused */
    if (archive->descriptor_ < 0) return snpy_archive_ready(archive, snpy_io_fail(error, "open", errno));
    status = snpy_archive_measure(archive, error);
    if (status == SNPY_OK) status = snpy_walk(archive, error);
    return snpy_archive_ready(archive, status);
}

snpy_status snpy_archive_open(const char *path, const snpy_archive_options *options, snpy_archive *archive,
                              snpy_io_error *error)
{
    return snpy_archive_open_file(path, -1, options, archive, error);
}

void snpy_archive_close(snpy_archive *archive)
{
    static const snpy_archive empty = {.descriptor_ = -1};
    if (archive->owns_ && archive->descriptor_ >= 0) (void)close(archive->descriptor_); /* only read from */
    free(archive->central_);
    free(archive->members);
    free(archive->path_);
    *archive = empty;
}
