/* append.c: arrays that grow in their file.                          NPY-WRITE-012, HOST-GROWTH, HOST-MATCH, HOST-IO
 * Proves nothing. Leaves headers to head.c.
 *
 * The order is what makes it safe: data, fsync, header, fsync. Until the header is written, the file is the old
 * array with bytes after it. Of the header only the bytes that differ are written, the digits of one dimension as
 * a rule: so few that they lie in one page, and all but always in one sector of the disk. */
#include "host/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct snpy_appender {
    uint64_t written; /* bytes of data so far */
    snpy_array old;
    snpy_array grown;
    uint64_t end;
    uint64_t length;
    uint64_t announced;
    char *path;
    snpy_lock lock; /* of the file, which its descriptor reads and writes */
    bool drops;
    bool has_begun;
    bool is_remembered;
    bool failed;
};

/* --- what a signal handler has to undo --------------------------------------------------------------------- */

/* The file that this process lengthens, if it is one: until its header is written, a handler may cut it back. Its state
 * is as that of a slot in temporary.c, but that who ends it waits for the handlers, because a file must not be cut after
 * its header was written. */
enum { GROWING_HELD = 1, GROWING_SET = 2, GROWING_CUT = 4, GROWING_HANDLER = 8 };

static struct {
    int state; /* atomic; it guards the rest */
    int descriptor;
    pid_t owner;
    off_t end;
} snpy_growing;

/* Remembers a file whose old data end there; only one at a time. */
static bool snpy_remember_growing(const snpy_appender *appender)
{
    int expected = 0;
    if (!__atomic_compare_exchange_n(&snpy_growing.state, &expected, GROWING_HELD, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return false;
    snpy_growing.descriptor = appender->lock.descriptor;
    snpy_growing.owner = getpid();
    snpy_growing.end = (off_t)appender->end;
    (void)__atomic_fetch_or(&snpy_growing.state, GROWING_SET, __ATOMIC_RELEASE);
    return true;
}

/* From here on no handler cuts the file. Returns false if one has done so. */
static bool snpy_forget_growing(snpy_appender *appender)
{
    if (!appender->is_remembered) return true;
    appender->is_remembered = false;
    (void)__atomic_fetch_and(&snpy_growing.state, ~GROWING_SET, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&snpy_growing.state, __ATOMIC_ACQUIRE) >= GROWING_HANDLER && snpy_growing.owner == getpid())
        ; /* for the time of one ftruncate; a child of fork has no such thread */
    return (__atomic_fetch_and(&snpy_growing.state, ~(GROWING_HELD | GROWING_CUT), __ATOMIC_ACQ_REL) & GROWING_CUT) ==
           0;
}

void snpy_cut_growing(void)
{
    const int state = __atomic_fetch_add(&snpy_growing.state, GROWING_HANDLER, __ATOMIC_ACQUIRE);
    /* If ftruncate fails, there are bytes after the data, as after a kill. */
    if ((state & GROWING_SET) != 0 && snpy_growing.owner == getpid() &&
        ftruncate(snpy_growing.descriptor, snpy_growing.end) == 0)
        (void)__atomic_fetch_or(&snpy_growing.state, GROWING_CUT, __ATOMIC_RELAXED);
    (void)__atomic_fetch_sub(&snpy_growing.state, GROWING_HANDLER, __ATOMIC_RELEASE);
}

/* --- opening ----------------------------------------------------------------------------------------------- */

/* Closes the file. All that was written is safe by then, or cut off, so that close has nothing to say. */
static void snpy_appender_close(snpy_appender **appender)
{
    snpy_appender *own = *appender;
    *appender = NULL;
    if (own == NULL) return;
    (void)snpy_forget_growing(own);
    snpy_lock_release(&own->lock);
    snpy_array_release(&own->old);
    snpy_array_release(&own->grown);
    free(own->path);
    free(own);
}

/* Reads the header of the file, and finds the end of its data. */
static snpy_status snpy_read_old(snpy_appender *appender, const snpy_append_options *how, snpy_io_error *error)
{
    snpy_reader reader;
    snpy_status status = snpy_reader_of_file(&reader, appender->lock.descriptor, error);
    if (status != SNPY_OK) return status;
    if (!reader.is_file) return snpy_io_fail(error, "pwrite", ESPIPE);
    status = snpy_read_array_header(&reader, how->limits, !how->drop_trailing, &appender->old, error);
    if (status != SNPY_OK) return status;
    if (!reader.knows_size) return snpy_io_fail(error, "pwrite", ESPIPE); /* a file of /proc */
    if (appender->old.header.ndim == 0) return snpy_io_refuse(error, SNPY_NOT_ALIKE, 0);
    appender->end = appender->old.header.frame.data_offset + appender->old.header.data_size;
    appender->length = appender->old.header.shape[snpy_growing_axis(&appender->old.header)];
    appender->drops = how->drop_trailing;
    return SNPY_OK;
}

/* Opens and locks the file. */
static snpy_status snpy_open_old(snpy_appender *appender, const char *path, const snpy_append_options *how,
                                 snpy_io_error *error)
{
    snpy_append_options own = SNPY_APPEND_OPTIONS_INIT;
    if (how != NULL && !snpy_take_options(&own, sizeof own, how, how->size))
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    size_t length = strlen(path);
    appender->path = malloc(length + 1);
    if (appender->path == NULL) return snpy_io_no_memory(error, "malloc");
    memcpy(appender->path, path, length + 1);
    snpy_status status = snpy_lock_to_grow(path, own.lock_timeout_ms, &appender->lock, error);
    return status == SNPY_OK ? snpy_read_old(appender, &own, error) : status;
}

snpy_status snpy_appender_open(snpy_appender **appender, const char *path, const snpy_append_options *how,
                               snpy_io_error *error)
{
    snpy_io_begin(error, path);
    *appender = calloc(1, sizeof **appender);
    if (*appender == NULL) return snpy_io_no_memory(error, "calloc");
    snpy_status status = snpy_open_old(*appender, path, how, error);
    if (status != SNPY_OK) snpy_appender_close(appender);
    return status;
}

/* --- what is to come --------------------------------------------------------------------------------------- */

/* Makes the new header, if what is appended fits the array.                                HOST-MATCH, HOST-GROWTH */
static snpy_status snpy_plan_growth(snpy_appender *appender, snpy_array *more, snpy_io_error *error)
{
    const uint64_t rows = more->header.shape[snpy_growing_axis(&appender->old.header)];
    snpy_array grown;
    snpy_status status = snpy_compare_heads(&appender->old, more, error);
    if (status != SNPY_OK) return status;
    status = snpy_make_grown_head(&appender->old, appender->length + rows, &grown, error);
    if (status != SNPY_OK) {
        snpy_array_release(&grown);
        return status;
    }
    snpy_array_release(&appender->grown);
    appender->grown = grown;
    appender->length += rows;
    appender->announced += more->header.data_size;
    return SNPY_OK;
}

/* Whether an appender may go on, and what its errors speak of. */
static bool snpy_appender_begin(const snpy_appender *appender, snpy_io_error *error)
{
    snpy_io_begin(error, appender != NULL ? appender->path : "");
    if (appender != NULL && !appender->failed) return true;
    (void)snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    return false;
}

snpy_status snpy_appender_announce(snpy_appender *appender, const snpy_description *description, snpy_io_error *error)
{
    snpy_array more;
    if (!snpy_appender_begin(appender, error)) return SNPY_BAD_ARGUMENT;
    snpy_status status = snpy_make_head(description, &more, error);
    if (status == SNPY_OK) status = snpy_plan_growth(appender, &more, error);
    snpy_array_release(&more);
    return status;
}

/* --- growing ----------------------------------------------------------------------------------------------- */

/* Writes the bytes in which one header differs from another of the same length, with one call. */
static snpy_status snpy_write_difference(int descriptor, const snpy_array *from, const snpy_array *to,
                                         snpy_io_error *error)
{
    const size_t size = (size_t)from->header.frame.data_offset;
    size_t first = 0;
    size_t end = 0;
    for (size_t i = 0; i < size; i++) {
        if (from->head_[i] == to->head_[i]) continue;
        if (end == 0) first = i;
        end = i + 1;
    }
    return snpy_write_at(descriptor, to->head_ + first, end - first, first, error);
}

/* Makes the file what it was, as far as the system lets us: first the header, so that it never declares more than
 * is there. The error that led here is the one to report. */
static void snpy_undo(const snpy_appender *appender, bool has_new_header)
{
    int descriptor = appender->lock.descriptor;
    snpy_io_error ignored;
    snpy_io_begin(&ignored, "");
    if (has_new_header && snpy_write_difference(descriptor, &appender->grown, &appender->old, &ignored) != SNPY_OK)
        return;
    if (snpy_cut(descriptor, appender->end) == 0) (void)snpy_sync(descriptor, &ignored);
}

snpy_array *snpy_appender_array(snpy_appender *appender)
{
    return appender != NULL ? &appender->old : NULL;
}

int snpy_appender_descriptor(const snpy_appender *appender)
{
    return appender != NULL ? appender->lock.descriptor : -1;
}

void snpy_appender_abandon(snpy_appender **appender)
{
    if (*appender != NULL && (*appender)->has_begun) snpy_undo(*appender, false);
    snpy_appender_close(appender);
}

/* Before the first byte is written: what lies after the data goes. */
static snpy_status snpy_make_way(snpy_appender *appender, snpy_io_error *error)
{
    if (appender->has_begun) return SNPY_OK;
    if (appender->drops && snpy_cut(appender->lock.descriptor, appender->end) != 0)
        return snpy_io_fail(error, "ftruncate", errno);
    appender->drops = false;
    return SNPY_OK;
}

snpy_status snpy_appender_add(snpy_appender *appender, const void *data, uint64_t size, snpy_io_error *error)
{
    if (!snpy_appender_begin(appender, error)) return SNPY_BAD_ARGUMENT;
    if (size > appender->announced - appender->written)
        return snpy_io_refuse(error, SNPY_TRAILING_DATA, appender->end + appender->announced);
    if (size == 0) return SNPY_OK;
    appender->failed = true; /* unless it ends well */
    snpy_status status = snpy_make_way(appender, error);
    if (status != SNPY_OK) return status;
    if (!appender->has_begun) appender->is_remembered = snpy_remember_growing(appender);
    appender->has_begun = true;
    status = snpy_write_at(appender->lock.descriptor, data, size, appender->end + appender->written, error);
    if (status != SNPY_OK) return status;
    appender->written += size;
    appender->failed = false;
    return SNPY_OK;
}

/* Data, fsync, header, fsync.                                                                     NPY-WRITE-012 */
static snpy_status snpy_settle_growth(snpy_appender *appender, snpy_io_error *error)
{
    int descriptor = appender->lock.descriptor;
    snpy_status status = snpy_sync(descriptor, error);
    if (status != SNPY_OK) {
        snpy_undo(appender, false);
        return status;
    }
    if (!snpy_forget_growing(appender)) {
        status = snpy_io_fail(error, "ftruncate", EINTR); /* the data are gone: the header must not declare them */
        snpy_undo(appender, false);
        return status;
    }
    status = snpy_write_difference(descriptor, &appender->old, &appender->grown, error);
    if (status == SNPY_OK) status = snpy_sync(descriptor, error);
    if (status != SNPY_OK) snpy_undo(appender, true);
    return status;
}

/* Ends an appender that can. */
static snpy_status snpy_appender_complete(snpy_appender *appender, snpy_io_error *error)
{
    const snpy_header *old = &appender->old.header;
    snpy_status status = SNPY_OK;
    if (appender->written != appender->announced) {
        status = snpy_io_refuse(error, SNPY_TRUNCATED_DATA, appender->end + appender->written);
        if (appender->has_begun) snpy_undo(appender, false);
        return status;
    }
    status = snpy_make_way(appender, error);
    if (status != SNPY_OK || appender->length == old->shape[snpy_growing_axis(old)]) return status;
    return snpy_settle_growth(appender, error);
}

snpy_status snpy_appender_finish(snpy_appender **appender, snpy_io_error *error)
{
    snpy_status status = SNPY_BAD_ARGUMENT;
    if (snpy_appender_begin(*appender, error)) {
        status = snpy_appender_complete(*appender, error);
        snpy_appender_close(appender);
    } else {
        snpy_appender_abandon(appender);
    }
    return status;
}

/* --- at once ----------------------------------------------------------------------------------------------- */

snpy_status snpy_append(const char *path, const snpy_description *description, const void *data, uint64_t size,
                        const snpy_append_options *how, snpy_io_error *error)
{
    snpy_appender *appender;
    snpy_array more;
    snpy_io_begin(error, path);
    snpy_status status = snpy_make_head(description, &more, error);
    uint64_t declared = more.header.data_size;
    snpy_array_release(&more);
    if (status != SNPY_OK) return status;
    status = snpy_appender_open(&appender, path, how, error);
    if (status != SNPY_OK) return status;
    status = snpy_appender_announce(appender, description, error);
    if (status == SNPY_OK && size != declared) status = snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    if (status == SNPY_OK) status = snpy_appender_add(appender, data, size, error);
    if (status == SNPY_OK) return snpy_appender_finish(&appender, error);
    snpy_appender_abandon(&appender);
    return status;
}
