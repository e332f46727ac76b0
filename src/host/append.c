/* append.c: arrays that grow in their file.                          NPY-WRITE-012, HOST-GROWTH, HOST-MATCH, HOST-IO
 * Proves nothing. Leaves headers to head.c.
 *
 * The order is what makes it safe: data, fsync, header, fsync. Until the header is written, the file is the old
 * array with bytes behind it. Of the header only the bytes that differ are written, the digits of one dimension as
 * a rule: so few that they lie in one page, and all but always in one sector of the disk. */
#include "host/io.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* One append. */
typedef struct snpy_growth {
    int descriptor;
    uint64_t end; /* of the old data */
    snpy_array old;
    snpy_array more;  /* the header of what is appended */
    snpy_array grown; /* the header of both together */
} snpy_growth;

/* Waits until no other process appends. File systems without locks leave that to their users.             HOST-IO */
static snpy_status snpy_lock(int descriptor, snpy_io_error *error)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int result;
    do result = fcntl(descriptor, F_SETLKW, &lock);
    while (result != 0 && errno == EINTR);
    if (result == 0 || errno == ENOLCK || errno == EINVAL || errno == EOPNOTSUPP) return SNPY_OK;
    return snpy_io_fail(error, "fcntl", errno);
}

/* Reads the header of the file, and finds the end of its data. */
static snpy_status snpy_read_old(snpy_growth *growth, const snpy_append_options *how, snpy_io_error *error)
{
    snpy_source source;
    snpy_status status = snpy_source_descriptor(&source, growth->descriptor, error);
    if (status != SNPY_OK) return status;
    if (!source.is_file) return snpy_io_fail(error, "pwrite", ESPIPE);
    status = snpy_load_head(&source, how->limits, !how->drop_trailing, &growth->old, error);
    if (status != SNPY_OK) return status;
    if (!source.knows_size) return snpy_io_fail(error, "pwrite", ESPIPE); /* a file of /proc */
    growth->end = growth->old.header.frame.data_offset + growth->old.header.data_size;
    return SNPY_OK;
}

/* Makes the new header, if what is appended fits the array.                                HOST-MATCH, HOST-GROWTH */
static snpy_status snpy_plan_growth(snpy_growth *growth, uint64_t size, snpy_io_error *error)
{
    const snpy_header *old = &growth->old.header;
    const snpy_header *more = &growth->more.header;
    const uint32_t axis = snpy_growing_axis(old);
    snpy_status status = snpy_compare_heads(&growth->old, &growth->more, error);
    if (status != SNPY_OK) return status;
    if (size != more->data_size) return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    status = snpy_make_grown_head(&growth->old, old->shape[axis] + more->shape[axis], &growth->grown, error);
    if (status != SNPY_OK) return status;
    if (growth->grown.header.data_size == old->data_size + size) return SNPY_OK;
    return snpy_io_refuse(error, SNPY_NOT_ALIKE, 0); /* cannot be: both have the same rows */
}

/* Writes the bytes in which one header differs from another of the same length, with one call. */
static snpy_status snpy_write_difference(int descriptor, const snpy_array *from, const snpy_array *to,
                                         snpy_io_error *error)
{
    size_t first = 0;
    size_t last = (size_t)from->header.frame.data_offset;
    while (first < last && from->head_[first] == to->head_[first]) first++;
    while (last > first && from->head_[last - 1] == to->head_[last - 1]) last--;
    return snpy_write_at(descriptor, to->head_ + first, last - first, first, error);
}

/* Makes the file what it was, as far as the system lets us: first the header, so that it never declares more than
 * is there. The error that led here is the one to report. */
static void snpy_undo(const snpy_growth *growth, bool has_new_header)
{
    snpy_io_error ignored;
    snpy_io_begin(&ignored, "");
    if (has_new_header && snpy_write_difference(growth->descriptor, &growth->grown, &growth->old, &ignored) != SNPY_OK)
        return;
    if (snpy_cut(growth->descriptor, growth->end) == 0) (void)snpy_sync(growth->descriptor, &ignored);
}

/* Data, fsync, header, fsync.                                                                     NPY-WRITE-012 */
static snpy_status snpy_write_growth(const snpy_growth *growth, const void *data, uint64_t size, snpy_io_error *error)
{
    int descriptor = growth->descriptor;
    snpy_status status = snpy_write_at(descriptor, data, size, growth->end, error);
    if (status == SNPY_OK) status = snpy_sync(descriptor, error);
    if (status != SNPY_OK) {
        snpy_undo(growth, false);
        return status;
    }
    status = snpy_write_difference(descriptor, &growth->old, &growth->grown, error);
    if (status == SNPY_OK) status = snpy_sync(descriptor, error);
    if (status != SNPY_OK) snpy_undo(growth, true);
    return status;
}

/* Appends to an open file. */
static snpy_status snpy_grow_file(snpy_growth *growth, const void *data, uint64_t size, const snpy_append_options *how,
                                  snpy_io_error *error)
{
    snpy_status status = snpy_lock(growth->descriptor, error);
    if (status == SNPY_OK) status = snpy_read_old(growth, how, error);
    if (status == SNPY_OK) status = snpy_plan_growth(growth, size, error);
    if (status != SNPY_OK) return status;
    if (how->drop_trailing && snpy_cut(growth->descriptor, growth->end) != 0)
        return snpy_io_fail(error, "ftruncate", errno);
    if (growth->more.header.shape[snpy_growing_axis(&growth->old.header)] == 0) return SNPY_OK;
    return snpy_write_growth(growth, data, size, error);
}

/* Opens the file, appends, closes it. All that was written is safe by then, so that close has nothing to say. */
static snpy_status snpy_open_and_grow(const char *path, snpy_growth *growth, const void *data, uint64_t size,
                                      const snpy_append_options *how, snpy_io_error *error)
{
    growth->descriptor = snpy_open(path, O_RDWR, 0);
    if (growth->descriptor < 0) return snpy_io_fail(error, "open", errno);
    snpy_status status = snpy_grow_file(growth, data, size, how, error);
    (void)close(growth->descriptor);
    return status;
}

snpy_status snpy_append(const char *path, const snpy_description *description, const void *data, uint64_t size,
                        const snpy_append_options *how, snpy_io_error *error)
{
    static const snpy_append_options plain = {.limits = NULL};
    snpy_growth growth = {.descriptor = -1};
    snpy_io_begin(error, path);
    snpy_array_clear(&growth.old);
    snpy_array_clear(&growth.grown);
    snpy_status status = snpy_make_head(description, &growth.more, error);
    if (status == SNPY_OK) status = snpy_open_and_grow(path, &growth, data, size, how != NULL ? how : &plain, error);
    snpy_array_release(&growth.old);
    snpy_array_release(&growth.more);
    snpy_array_release(&growth.grown);
    return status;
}
