/* lock.c: locks a file, so that only one thread of one process changes it.                      HOST-LOCK, HOST-IO
 *
 * A lock belongs to a file, not to its name, and another process may replace the file while we wait. So the name is
 * looked up again once the lock is granted; if it now leads to another file, that one is opened and locked instead.
 *
 * Open-file-description locks are used: they exclude other threads of the process, and stay when the process closes
 * another descriptor of the file. The older locks of fcntl do neither. The two kinds exclude each other. */
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

/* Milliseconds between two attempts: at first, and at most. */
#define FIRST_PAUSE 1u
#define MAX_PAUSE 50u

/* Which file is to be locked, and how to open it. */
typedef struct snpy_lock_place {
    int directory; /* to which the path is relative; AT_FDCWD: the current directory */
    const char *path;
    int access; /* O_RDWR: to append; O_WRONLY: to replace it, if it exists */
    int flags;  /* further flags of open(2) */
} snpy_lock_place;

/* How long to wait. */
typedef struct snpy_lock_wait {
    uint32_t left;  /* milliseconds */
    uint32_t pause; /* milliseconds until the next attempt */
} snpy_lock_wait;

/* --- one lock ---------------------------------------------------------------------------------------------- */

/* Whether an errno says that the system or the file system has no such locks. */
static bool snpy_has_no_locks(int reason)
{
    return reason == EINVAL || reason == ENOLCK || reason == ENOSYS || reason == EOPNOTSUPP;
}

/* Takes or releases (F_UNLCK) an open-file-description lock, without waiting. Returns 0 or an errno. */
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

/* Tries once to lock an open file, with flock if fcntl has no locks here. Returns 0, EAGAIN if another holds the lock, or
 * another errno; sets *call to the call that failed. Also returns 0 on a file system without any locks: its users must
 * take turns by other means. */
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

/* Sleeps until the next attempt. Returns false, without sleeping, if no time is left. */
static bool snpy_lock_pause(snpy_lock_wait *wait)
{
    const uint32_t pause = wait->pause < wait->left ? wait->pause : wait->left;
    struct timespec rest = {.tv_sec = 0, .tv_nsec = (long)pause * 1000000};
    if (pause == 0) return false;
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
        ;
    wait->left -= pause;
    wait->pause = 2 * wait->pause < MAX_PAUSE ? 2 * wait->pause : MAX_PAUSE;
    return true;
}

/* Locks an open file; waits while another holds the lock. SNPY_LOCKED if the time is over. */
static snpy_status snpy_lock_descriptor(int descriptor, short type, snpy_lock_wait *wait, snpy_io_error *error)
{
    const char *call;
    int reason;
    while ((reason = snpy_try_lock(descriptor, type, &call)) == EAGAIN)
        if (!snpy_lock_pause(wait)) return snpy_io_refuse(error, SNPY_LOCKED, 0);
    return reason == 0 ? SNPY_OK : snpy_io_fail(error, call, reason);
}

/* --- one file ---------------------------------------------------------------------------------------------- */

/* Opens the file with an access mode. Returns -1 with errno. */
static int snpy_lock_open_as(const snpy_lock_place *place, int access)
{
    int descriptor;
    if (place->directory == AT_FDCWD) return snpy_open(place->path, place->flags | access, 0);
    do descriptor = openat(place->directory, place->path, place->flags | access | O_CLOEXEC | O_NOCTTY);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

/* Whether a file may be replaced although opening it failed with this errno: it does not exist, or this process has no
 * right to lock it. */
static bool snpy_needs_no_lock(int reason)
{
    return reason == ENOENT || reason == EACCES || reason == EPERM || reason == EROFS || reason == ETXTBSY ||
           reason == ELOOP || reason == EISDIR || reason == ENXIO;
}

/* Opens the file and sets the type of its lock: exclusive, or shared if it is to be replaced and can only be read. If it is
 * to be replaced and cannot be opened at all, returns SNPY_OK with lock->is_held false. */
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

/* Sets *is_current to whether the path still leads to `file`. */
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

/* Opens and locks the file once. Sets *is_current if the path still leads to it afterwards, or if there is nothing to
 * lock. */
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

/* Opens and locks the file; starts again if it was replaced meanwhile. */
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
        wait.pause = FIRST_PAUSE; /* we got the lock, but of a file that was replaced */
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
        /* A forked child may share the open file description, and closing our descriptor would not unlock it then. */
        if (snpy_lock_description(lock->descriptor, F_UNLCK) != 0) (void)flock(lock->descriptor, LOCK_UN);
        (void)close(lock->descriptor); /* what was written to it is already synced or undone */
    }
    *lock = none;
}
