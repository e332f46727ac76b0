/* calls.c: wraps system calls that open, write and sync: retries after signals, writes everything.          HOST-IO
 * read.c wraps those that read. */
#ifdef __linux__
#define _GNU_SOURCE /* NOLINT: sync_file_range and syncfs are Linux's own */
#endif
#include "host/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <stdio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#endif

/* Bytes per call. POSIX does not define requests above SSIZE_MAX, and Linux writes at most 2 GiB per call. */
#define LARGEST_WRITE ((uint64_t)1 << 30)

/* Names of calls, as error messages give them. */
static const char snpy_call_write[] = "write";
static const char snpy_call_pwrite[] = "pwrite";

int snpy_open(const char *path, int flags, mode_t mode)
{
    int descriptor;
    do descriptor = open(path, flags | O_CLOEXEC | O_NOCTTY, mode);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

snpy_status snpy_close(int descriptor, snpy_io_error *error)
{
    if (close(descriptor) != 0 && errno != EINTR) return snpy_io_fail(error, "close", errno);
    return SNPY_OK;
}

/* Waits until the descriptor is writable. Returns false with errno if waiting fails. */
static bool snpy_wait_writable(int descriptor)
{
    struct pollfd waiting = {descriptor, POLLOUT, 0};
    while (poll(&waiting, 1, -1) < 0)
        if (errno != EINTR) return false;
    return true;
}

/* Calls write(2) once or, given an offset, pwrite(2). Returns the number of bytes written, 0 if the call must be
 * repeated, -1 with errno if it failed. */
static ptrdiff_t snpy_write_some(int descriptor, const uint8_t *bytes, uint64_t size, const uint64_t *offset)
{
    size_t request = (size_t)(size < LARGEST_WRITE ? size : LARGEST_WRITE);
    ssize_t sent =
        offset == NULL ? write(descriptor, bytes, request) : pwrite(descriptor, bytes, request, (off_t)*offset);
    if (sent > 0) return sent;
    if (sent == 0) errno = EIO; /* writing nothing without an error would loop forever */
    if (sent < 0 && errno == EINTR) return 0;
    if (sent < 0 && errno == EAGAIN && snpy_wait_writable(descriptor)) return 0;
    return -1;
}

snpy_status snpy_write_all(int descriptor, const uint8_t *bytes, uint64_t size, snpy_io_error *error)
{
    uint64_t done = 0;
    while (done < size) {
        ptrdiff_t sent = snpy_write_some(descriptor, bytes + done, size - done, NULL);
        if (sent < 0) return snpy_io_fail(error, snpy_call_write, errno);
        done += (uint64_t)sent;
    }
    return SNPY_OK;
}

snpy_status snpy_write_at(int descriptor, const uint8_t *bytes, uint64_t size, uint64_t offset, snpy_io_error *error)
{
    uint64_t done = 0;
    while (done < size) {
        uint64_t place = offset + done;
        ptrdiff_t sent = snpy_write_some(descriptor, bytes + done, size - done, &place);
        if (sent < 0) return snpy_io_fail(error, snpy_call_pwrite, errno);
        done += (uint64_t)sent;
    }
    return SNPY_OK;
}

void snpy_begin_writing(int descriptor, uint64_t offset, uint64_t size)
{
#ifdef SYNC_FILE_RANGE_WRITE
    const int reason = errno;
    (void)sync_file_range(descriptor, (off_t)offset, (off_t)size, SYNC_FILE_RANGE_WRITE);
    errno = reason;
#else
    (void)descriptor, (void)offset, (void)size;
#endif
}

int snpy_cut(int descriptor, uint64_t size)
{
    int result;
    do result = ftruncate(descriptor, (off_t)size);
    while (result != 0 && errno == EINTR);
    return result;
}

snpy_status snpy_sync(int descriptor, snpy_io_error *error)
{
    int result;
    do result = fsync(descriptor);
    while (result != 0 && errno == EINTR);
    return result == 0 ? SNPY_OK : snpy_io_fail(error, "fsync", errno);
}

#ifdef __linux__
/* Whether syncfs reports write errors on this kernel: since Linux 5.8. */
static bool snpy_is_new_system(void)
{
    struct utsname system;
    char *end = NULL;
    if (uname(&system) != 0) return false;
    const unsigned long major = strtoul(system.release, &end, 10);
    const unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    return major > 5 || (major == 5 && minor >= 8);
}

bool snpy_can_sync_all(int descriptor)
{
    static const uint32_t known[] = {0xef53, 0x58465342, 0x9123683e, 0x01021994}; /* ext4, XFS, Btrfs, tmpfs */
    struct statfs about;
    bool is_known = false;
    if (!snpy_is_new_system() || fstatfs(descriptor, &about) != 0) return false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        is_known = is_known || (uint32_t)about.f_type == known[i];
    return is_known;
}

snpy_status snpy_sync_all(int descriptor, snpy_io_error *error)
{
    return syncfs(descriptor) == 0 ? SNPY_OK : snpy_io_fail(error, "syncfs", errno);
}
#else
bool snpy_can_sync_all(int descriptor)
{
    (void)descriptor;
    return false;
}

snpy_status snpy_sync_all(int descriptor, snpy_io_error *error)
{
    return snpy_sync(descriptor, error);
}
#endif

/* Returns the directory part of a path, "." if it has none. The caller frees it. NULL if there is no memory. */
static char *snpy_directory_of(const char *path)
{
    const char *slash = snpy_last_separator(path);
    size_t length = slash == NULL ? 1 : (size_t)(slash - path);
    if (slash == path || (slash != NULL && *slash != '/')) length++; /* "/"; "C:" of "C:name" */
    char *directory = malloc(length + 1);
    if (directory == NULL) return NULL;
    memcpy(directory, slash == NULL ? "." : path, length);
    directory[length] = '\0';
    return directory;
}

snpy_status snpy_open_directory(const char *path, int *descriptor, snpy_io_error *error)
{
    char *directory = snpy_directory_of(path);
    *descriptor = -1;
    if (directory == NULL) return snpy_io_no_memory(error, "malloc");
    *descriptor = snpy_open(directory, O_RDONLY | O_DIRECTORY, 0);
    snpy_status status = *descriptor >= 0 ? SNPY_OK : snpy_io_fail(error, "open", errno);
    if (status != SNPY_OK) snpy_io_name(error, directory);
    free(directory);
    return status;
}

snpy_status snpy_sync_directory(int descriptor, const char *path, snpy_io_error *error)
{
    snpy_io_error failure = *error;
    if (snpy_sync(descriptor, &failure) == SNPY_OK || failure.system_error == EINVAL) return SNPY_OK;
    *error = failure;
    char *directory = snpy_directory_of(path);
    snpy_io_name(error, directory != NULL ? directory : path);
    free(directory);
    return error->error.status;
}
