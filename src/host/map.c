/* map.c: maps arrays, so that their data stay in the file.   NPY-MAP-001 … 003, HOST-IO, HOST-CHANGED
 * read_header.c reads headers, head.c makes those of new files.
 *
 * A map begins at a page boundary, at or before the data. The descriptor is closed as soon as the file is mapped, so
 * that many maps do not use up the descriptors. */
#include "host/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What each mode asks of the system. */
typedef struct snpy_map_way {
    int open_flags;
    int protection;
    int sharing;
} snpy_map_way;

static const snpy_map_way snpy_map_ways[] = {
    [SNPY_MAP_READ] = {O_RDONLY, PROT_READ, MAP_SHARED},
    [SNPY_MAP_COPY] = {O_RDONLY, PROT_READ | PROT_WRITE, MAP_PRIVATE},
    [SNPY_MAP_WRITE] = {O_RDWR, PROT_READ | PROT_WRITE, MAP_SHARED},
};

snpy_status snpy_map_range(int descriptor, uint64_t start, uint64_t size, int protection, int sharing,
                           snpy_array *array, snpy_io_error *error)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t before = start % page;
    if (size > SIZE_MAX - before) return snpy_io_fail(error, "mmap", ENOMEM);
    void *base = mmap(NULL, (size_t)(size + before), protection, sharing, descriptor, (off_t)(start - before));
    if (base == MAP_FAILED) return snpy_io_fail(error, "mmap", errno);
    array->base_ = base;
    array->base_length_ = (size_t)(size + before);
    array->held_ = SNPY_HELD_PAGES;
    array->data = (uint8_t *)base + before;
    array->data_size = size;
    return SNPY_OK;
}

/* Maps the data of an array whose header is filled; the file must have them. Empty data are not mapped.  NPY-MAP-002, 003 */
static snpy_status snpy_map_data(int descriptor, const snpy_map_way *way, snpy_array *array, snpy_io_error *error)
{
    const uint64_t start = array->header.frame.data_offset;
    const uint64_t size = array->header.data_size;
    array->is_writable = (way->protection & PROT_WRITE) != 0;
    array->is_shared = array->is_writable && way->sharing == MAP_SHARED;
    if (size == 0) return SNPY_OK;
    return snpy_map_range(descriptor, start, size, way->protection, way->sharing, array, error);
}

snpy_status snpy_check_not_shorter(int descriptor, uint64_t size, snpy_io_error *error)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0) return snpy_io_fail(error, "fstat", errno);
    if ((uint64_t)about.st_size >= size) return SNPY_OK;
    return snpy_io_refuse(error, SNPY_FILE_CHANGED, (uint64_t)about.st_size);
}

/* Keeps a path for the errors of snpy_map_flush.                                                   HOST-MEMORY */
static snpy_status snpy_keep_path(const char *path, snpy_array *array, snpy_io_error *error)
{
    size_t length = strlen(path);
    array->path_ = malloc(length + 1);
    if (array->path_ == NULL) return snpy_io_no_memory(error, "malloc");
    memcpy(array->path_, path, length + 1);
    return SNPY_OK;
}

/* Reads the header of an open file and maps its data. SNPY_FILE_CHANGED if the file became shorter meanwhile. */
static snpy_status snpy_map_open(int descriptor, const snpy_map_way *way, const snpy_load_options *how,
                                 snpy_array *array, snpy_io_error *error)
{
    snpy_reader reader;
    snpy_status status = snpy_reader_of_file(&reader, descriptor, error);
    if (status != SNPY_OK) return status;
    if (!reader.is_file) return snpy_io_fail(error, "mmap", ENODEV);
    status = snpy_read_array_header(&reader, how->limits, how->no_trailing, array, error);
    if (status == SNPY_OK && !reader.knows_size) status = snpy_io_fail(error, "mmap", ENODEV); /* a file of /proc */
    if (status == SNPY_OK) status = snpy_map_data(descriptor, way, array, error);
    const snpy_header *header = &array->header;
    if (status == SNPY_OK)
        status = snpy_check_not_shorter(descriptor, header->frame.data_offset + header->data_size, error);
    return status;
}

snpy_status snpy_map(const char *path, snpy_map_mode mode, const snpy_load_options *how, snpy_array *array,
                     snpy_io_error *error)
{
    snpy_load_options own;
    snpy_io_begin(error, path);
    snpy_array_clear(array);
    snpy_status status = snpy_take_load_options(&own, how, error);
    if (status != SNPY_OK) return status;
    if (mode != SNPY_MAP_READ && mode != SNPY_MAP_COPY && mode != SNPY_MAP_WRITE)
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    const snpy_map_way *way = &snpy_map_ways[mode];
    int descriptor = snpy_open(path, way->open_flags, 0);
    if (descriptor < 0) return snpy_io_fail(error, "open", errno);
    status = snpy_map_open(descriptor, way, &own, array, error);
    if (status == SNPY_OK) status = snpy_keep_path(path, array, error);
    (void)close(descriptor); /* not written to: no error can matter */
    if (status != SNPY_OK && status != SNPY_OBJECT_DATA) snpy_array_release(array);
    return status;
}

/* Reserves disk space for the first `size` bytes of a file. Returns 0 or an errno. */
static int snpy_reserve(int descriptor, off_t size)
{
#ifdef __APPLE__
    fstore_t wanted = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, size, 0};
    if (fcntl(descriptor, F_PREALLOCATE, &wanted) < 0 && errno == ENOSPC) return ENOSPC;
    return EOPNOTSUPP; /* it does not change the length */
#else
    int reason;
    do reason = posix_fallocate(descriptor, 0, size);
    while (reason == EINTR);
    return reason;
#endif
}

/* Sets the length of a new file, and reserves its disk space if the file system can.                       HOST-IO */
static snpy_status snpy_claim_space(int descriptor, uint64_t size, snpy_io_error *error)
{
    if (size > INT64_MAX) return snpy_io_fail(error, "posix_fallocate", EFBIG);
    const int reason = snpy_reserve(descriptor, (off_t)size);
    if (reason == 0) return SNPY_OK;
    if (reason != EINVAL && reason != EOPNOTSUPP && reason != ENOSYS)
        return snpy_io_fail(error, "posix_fallocate", reason);
    return snpy_cut(descriptor, size) == 0 ? SNPY_OK : snpy_io_fail(error, "ftruncate", errno);
}

/* Writes the header to a new file, sets the file's length, and maps the data, which are zeros. */
static snpy_status snpy_fill_new(int descriptor, snpy_array *array, snpy_io_error *error)
{
    const snpy_header *header = &array->header;
    const uint64_t start = header->frame.data_offset;
    snpy_status status = snpy_claim_space(descriptor, start + header->data_size, error);
    if (status == SNPY_OK) status = snpy_write_at(descriptor, array->head_, start, 0, error);
    if (status == SNPY_OK) status = snpy_map_data(descriptor, &snpy_map_ways[SNPY_MAP_WRITE], array, error);
    return status;
}

/* Creates and maps a file that must not exist yet. Removes it on failure. */
static snpy_status snpy_create_new(const char *path, snpy_array *array, snpy_io_error *error)
{
    int descriptor = snpy_open(path, O_RDWR | O_CREAT | O_EXCL, 0666);
    if (descriptor < 0) return snpy_io_fail(error, "open", errno);
    int slot = snpy_remember_temporary(path);
    snpy_status status = snpy_fill_new(descriptor, array, error);
    if (status == SNPY_OK)
        status = snpy_close(descriptor, error);
    else
        (void)close(descriptor); /* the file is removed */
    if (status != SNPY_OK) (void)unlink(path);
    snpy_forget_temporary(slot);
    return status;
}

/* Creates and maps a temporary file, and renames it to the target's path. */
static snpy_status snpy_create_beside(const snpy_target *target, bool drop_acl, snpy_array *array, snpy_io_error *error)
{
    int descriptor = -1;
    int slot = 0;
    char *name = NULL;
    if (target->is_not_regular) return snpy_io_fail(error, "mmap", ENODEV);
    snpy_status status = snpy_make_temporary(target->path, target->old >= 0, &descriptor, &name, &slot, error);
    if (status != SNPY_OK) return status;
    status = snpy_fill_new(descriptor, array, error);
    if (status == SNPY_OK) status = snpy_hand_over(descriptor, target->old, AT_FDCWD, target->path, drop_acl, error);
    if (status == SNPY_OK)
        status = snpy_close(descriptor, error);
    else
        (void)close(descriptor); /* the file is removed */
    if (status == SNPY_OK) return snpy_rename_temporary(target->path, &name, &slot, error);
    snpy_drop_temporary(&name, &slot);
    return status;
}

/* Does the same while it holds a lock on the file that is replaced. */
static snpy_status snpy_create_over(const char *path, bool drop_acl, snpy_array *array, snpy_io_error *error)
{
    snpy_target target = {.old = -1};
    snpy_output claim;
    snpy_status status = snpy_output_claim(&claim, path, 0, error);
    if (status == SNPY_OK) status = snpy_find_target(claim.path != NULL ? claim.path : path, &target, error);
    if (status == SNPY_OK) status = snpy_create_beside(&target, drop_acl, array, error);
    if (target.old >= 0) (void)close(target.old); /* only read from */
    free(target.path);
    snpy_output_abandon(&claim);
    return status;
}

snpy_status snpy_map_create(const char *path, const snpy_description *description, snpy_replacing replace,
                            snpy_array *array, snpy_io_error *error)
{
    snpy_io_begin(error, path);
    snpy_status status = snpy_make_head(description, array, error);
    if (status == SNPY_OK) status = snpy_keep_path(path, array, error);
    if (status == SNPY_OK && replace != SNPY_REPLACE_NOT) {
        status = snpy_create_over(path, replace == SNPY_REPLACE_DROP_ACL, array, error);
    } else if (status == SNPY_OK) {
        status = snpy_create_new(path, array, error);
    }
    if (status != SNPY_OK) snpy_array_release(array);
    return status;
}

snpy_status snpy_map_flush(const snpy_array *array, snpy_io_error *error)
{
    snpy_io_begin(error, array->path_ != NULL ? array->path_ : "");
    if (!array->is_shared || array->data_size == 0) return SNPY_OK;
    if (msync(array->base_, array->base_length_, MS_SYNC) != 0) return snpy_io_fail(error, "msync", errno);
    return SNPY_OK;
}
