/* append.c: appends rows to an array in its file.                    NPY-WRITE-012, HOST-GROWTH, HOST-MATCH, HOST-IO
 * head.c makes the headers.
 *
 * The order makes it safe: data, fsync, header, fsync. Until the header is written, the file is the old array with
 * trailing bytes. Only the bytes of the header that differ are written, usually the digits of one dimension: they fit
 * one page, and nearly always one sector of the disk. */
#include "host/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct snpy_appender {
    uint64_t written;   /* bytes of data so far */
    snpy_array old;     /* the header that the file has */
    snpy_array grown;   /* the header that it gets */
    uint64_t end;       /* offset after the file's old data */
    uint64_t length;    /* along the growing axis, with what was announced */
    uint64_t announced; /* bytes of data */
    char *path;
    snpy_lock lock;     /* on the file; its descriptor reads and writes the file */
    bool drops;         /* bytes after the old data are dropped */
    bool has_begun;     /* the file has been written to */
    bool is_remembered; /* snpy_pending_append is of this appender */
    bool failed;
};

/* --- what a signal handler has to undo --------------------------------------------------------------------- */

/* The file to which this process is appending, if any. Until the new header is written, a signal handler may truncate it
 * to its old length. `state` works like that of a slot in temporary.c, except that snpy_forget_pending_append waits for
 * handlers: the file must not be truncated once its header is written. */
enum {
    PENDING_HELD = 1,   /* an appender uses the variable */
    PENDING_SET = 2,    /* handlers may truncate its file */
    PENDING_CUT = 4,    /* a handler has truncated it */
    PENDING_HANDLER = 8 /* added by each handler while it runs */
};

static struct {
    int state; /* atomic; it guards the rest */
    int descriptor;
    pid_t owner;
    off_t end;
} snpy_pending_append;

/* Remembers the appender's file for the handlers. Returns false if another file is remembered: there is one at a time. */
static bool snpy_remember_pending_append(const snpy_appender *appender)
{
    int expected = 0;
    if (!__atomic_compare_exchange_n(&snpy_pending_append.state, &expected, PENDING_HELD, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return false;
    snpy_pending_append.descriptor = appender->lock.descriptor;
    snpy_pending_append.owner = getpid();
    snpy_pending_append.end = (off_t)appender->end;
    (void)__atomic_fetch_or(&snpy_pending_append.state, PENDING_SET, __ATOMIC_RELEASE);
    return true;
}

/* Forgets the appender's file: afterwards no handler truncates it. Returns false if one has already done so. */
static bool snpy_forget_pending_append(snpy_appender *appender)
{
    if (!appender->is_remembered) return true;
    appender->is_remembered = false;
    (void)__atomic_fetch_and(&snpy_pending_append.state, ~PENDING_SET, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&snpy_pending_append.state, __ATOMIC_ACQUIRE) >= PENDING_HANDLER &&
           snpy_pending_append.owner == getpid())
        ; /* at most one ftruncate; after fork, the child has no such thread */
    return (__atomic_fetch_and(&snpy_pending_append.state, ~(PENDING_HELD | PENDING_CUT), __ATOMIC_ACQ_REL) &
            PENDING_CUT) == 0;
}

void snpy_cut_pending_append(void)
{
    const int state = __atomic_fetch_add(&snpy_pending_append.state, PENDING_HANDLER, __ATOMIC_ACQUIRE);
    /* If ftruncate fails, there are bytes after the data, as after a kill. */
    if ((state & PENDING_SET) != 0 && snpy_pending_append.owner == getpid() &&
        ftruncate(snpy_pending_append.descriptor, snpy_pending_append.end) == 0)
        (void)__atomic_fetch_or(&snpy_pending_append.state, PENDING_CUT, __ATOMIC_RELAXED);
    (void)__atomic_fetch_sub(&snpy_pending_append.state, PENDING_HANDLER, __ATOMIC_RELEASE);
}

/* --- opening ----------------------------------------------------------------------------------------------- */

/* Closes the file and frees the appender, if there is one; sets *appender to NULL. close() cannot report a loss here:
 * the data were synced before, or truncated. */
static void snpy_appender_close(snpy_appender **appender)
{
    snpy_appender *own = *appender;
    *appender = NULL;
    if (own == NULL) return;
    (void)snpy_forget_pending_append(own);
    snpy_lock_release(&own->lock);
    snpy_array_release(&own->old);
    snpy_array_release(&own->grown);
    free(own->path);
    free(own);
}

/* Reads the header of the file and sets `old`, `end`, `length` and `drops`. */
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

/* Takes the options, opens and locks the file, and reads its header. */
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

/* --- announcing -------------------------------------------------------------------------------------------- */

/* Makes the header that the array will have with `more` appended. SNPY_NOT_ALIKE if that does not match the array,
 * SNPY_HEADER_FULL if the new header does not fit the old one's bytes.                    HOST-MATCH, HOST-GROWTH */
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

/* Starts a call: clears the error and sets its path. Returns false with SNPY_BAD_ARGUMENT if the appender is NULL or has
 * failed before. */
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

/* Writes what differs between two headers of the same length, from the first to the last byte that differs. */
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

/* Restores the old file as far as possible: first its header, so that it never declares more data than there are, then
 * its length. Errors are ignored: the caller reports the one that led here. */
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

/* Truncates trailing bytes after the old data before the first write, if the options ask for it. */
static snpy_status snpy_drop_trailing(snpy_appender *appender, snpy_io_error *error)
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
    appender->failed = true; /* until all is written */
    snpy_status status = snpy_drop_trailing(appender, error);
    if (status != SNPY_OK) return status;
    if (!appender->has_begun) appender->is_remembered = snpy_remember_pending_append(appender);
    appender->has_begun = true;
    status = snpy_write_at(appender->lock.descriptor, data, size, appender->end + appender->written, error);
    if (status != SNPY_OK) return status;
    appender->written += size;
    appender->failed = false;
    return SNPY_OK;
}

/* Syncs the data, writes the new header, and syncs it. Restores the old file if any of this fails. NPY-WRITE-012 */
static snpy_status snpy_commit_growth(snpy_appender *appender, snpy_io_error *error)
{
    int descriptor = appender->lock.descriptor;
    snpy_status status = snpy_sync(descriptor, error);
    if (status != SNPY_OK) {
        snpy_undo(appender, false);
        return status;
    }
    if (!snpy_forget_pending_append(appender)) {
        status = snpy_io_fail(error, "ftruncate", EINTR); /* the data are gone: the header must not declare them */
        snpy_undo(appender, false);
        return status;
    }
    status = snpy_write_difference(descriptor, &appender->old, &appender->grown, error);
    if (status == SNPY_OK) status = snpy_sync(descriptor, error);
    if (status != SNPY_OK) snpy_undo(appender, true);
    return status;
}

/* Commits the append: drops trailing bytes, if asked to, then syncs data and header. If fewer bytes came than were
 * announced, restores the file and returns SNPY_TRUNCATED_DATA. The caller closes the appender. */
static snpy_status snpy_appender_complete(snpy_appender *appender, snpy_io_error *error)
{
    const snpy_header *old = &appender->old.header;
    snpy_status status = SNPY_OK;
    if (appender->written != appender->announced) {
        status = snpy_io_refuse(error, SNPY_TRUNCATED_DATA, appender->end + appender->written);
        if (appender->has_begun) snpy_undo(appender, false);
        return status;
    }
    status = snpy_drop_trailing(appender, error);
    if (status != SNPY_OK || appender->length == old->shape[snpy_growing_axis(old)]) return status;
    return snpy_commit_growth(appender, error);
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

/* --- in one call ------------------------------------------------------------------------------------------- */

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
