/* lock.c: one process at a time, and one thread of it, changes a file.                          HOST-LOCK, HOST-IO
 * Proves nothing. Leaves to append.c, output.c and map.c how long a lock is held.
 *
 * A lock belongs to a file, not to its name, and a process that replaces the file gives the name to another one. So the
 * name is looked up again once the lock is granted: if it leads to another file, that one is opened and locked instead.
 *
 * An open-file-description lock is kept when the process closes another descriptor of the file, and excludes other
 * threads of the process. The older locks of fcntl do neither. The two kinds exclude each other. */
#ifdef __linux__
#define _GNU_SOURCE /* NOLINT: F_OFD_SETLK came into POSIX in 2024 only */
#else
#undef _POSIX_C_SOURCE /* it hides flock */
#endif
#include "host/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Milliseconds between two attempts: the first ones, and all after some. */
#define FIRST_PAUSE 1u
#define LONGEST_PAUSE 50u

/* What is to be locked. */
typedef struct snpy_lock_place {
    int directory; /* that the path begins in; AT_FDCWD: the current one */
    const char *path;
    int access; /* O_RDWR: it is to grow; O_WRONLY: it is to be replaced, if it is there */
    int flags;  /* of open */
} snpy_lock_place;

/* The time that is left. */
typedef struct snpy_lock_wait {
    uint32_t left; /* milliseconds */
    uint32_t pause;
} snpy_lock_wait;

/* --- one lock ---------------------------------------------------------------------------------------------- */

/* Whether an attempt failed because the system or the file system has no such locks. */
static bool snpy_has_no_locks(int reason)
{
    return reason == EINVAL || reason == ENOLCK || reason == ENOSYS || reason == EOPNOTSUPP;
}

/* Takes or gives back an open-file-description lock. Returns 0 or errno. */
static int snpy_lock_description(int descriptor, short type)
{
#ifdef F_OFD_SETLK
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    int result;
    do result = fcntl(descriptor, F_OFD_SETLK, &lock);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
#else
    (void)descriptor, (void)type;
    return EINVAL;
#endif
}

/* Tries once to lock an open file. Returns 0, EAGAIN if it is locked already, or another errno. Without any locks, 0: a
 * file system that has none is still to be used, and its users must take turns by other means. */
static int snpy_try_lock(int descriptor, short type, const char **call)
{
    *call = "fcntl";
    int reason = snpy_lock_description(descriptor, type);
    if (reason == EACCES) return EAGAIN; /* POSIX allows both */
    if (!snpy_has_no_locks(reason)) return reason;
    *call = "flock";
    int result;
    do result = flock(descriptor, (type == F_RDLCK ? LOCK_SH : LOCK_EX) | LOCK_NB);
    while (result != 0 && errno == EINTR);
    if (result == 0 || snpy_has_no_locks(errno)) return 0;
    return errno == EWOULDBLOCK ? EAGAIN : errno;
}

/* Sleeps for a moment. Returns false if the time is over. */
static bool snpy_lock_pause(snpy_lock_wait *wait)
{
    const uint32_t pause = wait->pause < wait->left ? wait->pause : wait->left;
    struct timespec rest = {.tv_sec = 0, .tv_nsec = (long)pause * 1000000};
    if (pause == 0) return false;
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
        ;
    wait->left -= pause;
    wait->pause = 2 * wait->pause < LONGEST_PAUSE ? 2 * wait->pause : LONGEST_PAUSE;
    return true;
}

/* Waits for the lock of an open file. */
static snpy_status snpy_lock_descriptor(int descriptor, short type, snpy_lock_wait *wait, snpy_io_error *error)
{
    const char *call;
    int reason;
    while ((reason = snpy_try_lock(descriptor, type, &call)) == EAGAIN)
        if (!snpy_lock_pause(wait)) return snpy_io_refuse(error, SNPY_LOCKED, 0);
    return reason == 0 ? SNPY_OK : snpy_io_fail(error, call, reason);
}

/* --- one file ---------------------------------------------------------------------------------------------- */

/* Opens a file. */
static int snpy_lock_open_as(const snpy_lock_place *place, int access)
{
    int descriptor;
    if (place->directory == AT_FDCWD) return snpy_open(place->path, place->flags | access, 0);
    do descriptor = openat(place->directory, place->path, place->flags | access | O_CLOEXEC | O_NOCTTY);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

/* Whether a file that cannot be opened for this reason can be replaced all the same: there is none, or our process may
 * have no lock of it. */
static bool snpy_needs_no_lock(int reason)
{
    return reason == ENOENT || reason == EACCES || reason == EPERM || reason == EROFS || reason == ETXTBSY ||
           reason == ELOOP || reason == EISDIR || reason == ENXIO;
}

/* Opens a file so that its lock excludes all others; one to be replaced that must not be written to, so that it excludes
 * those that write to it. */
static snpy_status snpy_lock_open(const snpy_lock_place *place, snpy_lock *lock, short *type, snpy_io_error *error)
{
    const bool is_replaced = place->access == O_WRONLY;
    *type = F_WRLCK;
    lock->descriptor = snpy_lock_open_as(place, place->access);
    if (lock->descriptor < 0 && is_replaced && errno != ENOENT && snpy_needs_no_lock(errno)) {
        *type = F_RDLCK;
        lock->descriptor = snpy_lock_open_as(place, O_RDONLY);
    }
    lock->is_held = lock->descriptor >= 0;
    if (lock->is_held || (is_replaced && snpy_needs_no_lock(errno))) return SNPY_OK;
    return snpy_io_fail(error, place->directory == AT_FDCWD ? "open" : "openat", errno);
}

/* Whether a name still leads to a file. */
static snpy_status snpy_lock_look_up(const snpy_lock_place *place, const struct stat *file, bool *is_current,
                                     snpy_io_error *error)
{
    const int flags = (place->flags & O_NOFOLLOW) != 0 ? AT_SYMLINK_NOFOLLOW : 0;
    struct stat found;
    if (fstatat(place->directory, place->path, &found, flags) == 0)
        *is_current = found.st_dev == file->st_dev && found.st_ino == file->st_ino;
    else if (errno != ENOENT)
        return snpy_io_fail(error, "fstatat", errno);
    return SNPY_OK;
}

/* Opens and locks a file. *is_current: the name still leads to it, or there is nothing to lock. */
static snpy_status snpy_lock_once(const snpy_lock_place *place, snpy_lock_wait *wait, snpy_lock *lock, bool *is_current,
                                  snpy_io_error *error)
{
    struct stat about;
    short type;
    snpy_status status = snpy_lock_open(place, lock, &type, error);
    if (status != SNPY_OK) return status;
    if (lock->is_held && fstat(lock->descriptor, &about) != 0) return snpy_io_fail(error, "fstat", errno);
    *is_current = !lock->is_held || !S_ISREG(about.st_mode);
    if (*is_current) return SNPY_OK;
    status = snpy_lock_descriptor(lock->descriptor, type, wait, error);
    return status == SNPY_OK ? snpy_lock_look_up(place, &about, is_current, error) : status;
}

static snpy_status snpy_lock_file(const snpy_lock_place *place, int32_t timeout_ms, snpy_lock *lock,
                                  snpy_io_error *error)
{
    snpy_lock_wait wait = {SNPY_LOCK_TIMEOUT_MS, FIRST_PAUSE};
    if (timeout_ms != 0) wait.left = timeout_ms > 0 ? (uint32_t)timeout_ms : 0;
    do {
        bool is_current = false;
        snpy_status status = snpy_lock_once(place, &wait, lock, &is_current, error);
        if (status == SNPY_OK && is_current) return SNPY_OK;
        snpy_lock_release(lock);
        if (status != SNPY_OK) return status;
        wait.pause = FIRST_PAUSE; /* it was our turn, with a file that is replaced */
    } while (snpy_lock_pause(&wait));
    return snpy_io_refuse(error, SNPY_LOCKED, 0);
}

snpy_status snpy_lock_to_grow(const char *path, int32_t timeout_ms, snpy_lock *lock, snpy_io_error *error)
{
    const snpy_lock_place place = {AT_FDCWD, path, O_RDWR, 0};
    return snpy_lock_file(&place, timeout_ms, lock, error);
}

snpy_status snpy_lock_to_replace(const char *path, int32_t timeout_ms, snpy_lock *lock, snpy_io_error *error)
{
    const snpy_lock_place place = {AT_FDCWD, path, O_WRONLY, O_NONBLOCK};
    return snpy_lock_file(&place, timeout_ms, lock, error);
}

snpy_status snpy_lock_entry(int directory, const char *name, int32_t timeout_ms, snpy_lock *lock, snpy_io_error *error)
{
    const snpy_lock_place place = {directory, name, O_WRONLY, O_NONBLOCK | O_NOFOLLOW};
    static const snpy_lock none = {.is_held = false};
    struct stat about;
    *lock = none;
    if (fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode)) return SNPY_OK;
    return snpy_lock_file(&place, timeout_ms, lock, error);
}

void snpy_lock_release(snpy_lock *lock)
{
    static const snpy_lock none = {.is_held = false};
    if (lock->is_held) {
        /* A child of fork may have the description, too: closing our descriptor would leave the lock to it. */
        if (snpy_lock_description(lock->descriptor, F_UNLCK) != 0) (void)flock(lock->descriptor, LOCK_UN);
        (void)close(lock->descriptor); /* what was written to it is safe by then, or undone */
    }
    *lock = none;
}
