/* files.c: files that this process keeps, behind the system calls that the library makes. Does what the system does for a
 * regular file without a name, as far as the library asks for it; leaves all other descriptors and paths to the system.
 *
 * Names that begin with two underscores are the linker's. With files of 64 bits the C library calls some of them by another
 * name, open64 for open. Several threads may read; the rest is for one thread at a time. */
#define _GNU_SOURCE /* NOLINT: memfd_create */
#include "fuzz/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define FIRST 900000 /* the first descriptor of ours: the system has none so large, and the library reads six digits */
#define MOST 64
#define MOST_BYTES ((off_t)1 << 30)

struct file {
    char *name; /* of a temporary file that has not lost it yet */
    uint8_t *bytes;
    size_t size;
    size_t room;
    unsigned holders; /* descriptions of it */
};

/* What is open: two descriptors may share one, so that they share a place. */
struct description {
    struct file *file;
    off_t place;
    int flags;
    unsigned holders; /* descriptors of it */
};

static struct description *opened[MOST];
static bool is_real = true;
static const char directory[] = "/proc/self/fd/";

/* ---- descriptors -------------------------------------------------------------------------------------------- */

/* What a descriptor of ours has open; NULL, if it is not ours. */
static struct description *description_of(int descriptor)
{
    return descriptor >= FIRST && descriptor < FIRST + MOST ? opened[descriptor - FIRST] : NULL;
}

static int give_descriptor(struct description *description)
{
    for (int i = 0; i < MOST; i++) {
        if (opened[i] != NULL) continue;
        opened[i] = description;
        description->holders++;
        return FIRST + i;
    }
    fuzz_fail("a descriptor is free", __FILE__, __LINE__);
}

static struct file *make_file(void)
{
    struct file *file = fuzz_memory(1, sizeof *file);
    const struct file empty = {NULL, NULL, 0, 0, 0};
    *file = empty;
    return file;
}

static int open_file(struct file *file, int flags)
{
    struct description *description = fuzz_memory(1, sizeof *description);
    const struct description fresh = {file, 0, flags, 0};
    *description = fresh;
    file->holders++;
    return give_descriptor(description);
}

static void close_file(int descriptor)
{
    struct description *description = opened[descriptor - FIRST];
    opened[descriptor - FIRST] = NULL;
    if (--description->holders > 0) return;
    if (--description->file->holders == 0) {
        free(description->file->name);
        free(description->file->bytes);
        free(description->file);
    }
    free(description);
}

/* The file of a path; NULL, if it is not ours. */
static struct file *file_of(const char *path)
{
    if (strncmp(path, directory, sizeof directory - 1) != 0) return NULL;
    const struct description *description = description_of((int)strtol(path + sizeof directory - 1, NULL, 10));
    return description != NULL ? description->file : NULL;
}

/* A temporary file, which is new whatever its name; the library takes the name away before it does anything else. */
static int open_temporary(const char *name, int flags)
{
    struct file *file = make_file();
    const size_t size = strlen(name) + 1;
    file->name = fuzz_memory(size, 1);
    memcpy(file->name, name, size);
    return open_file(file, flags);
}

/* ---- what harnesses ask for --------------------------------------------------------------------------------- */

void fuzz_files_begin(bool are_real)
{
    for (size_t i = 0; i < MOST; i++) FUZZ_MUST(opened[i] == NULL);
    is_real = are_real;
}

int fuzz_file(const uint8_t *bytes, size_t size)
{
    int descriptor;
    if (is_real) {
        descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    } else {
        descriptor = open_file(make_file(), O_RDWR);
    }
    FUZZ_MUST(descriptor >= 0);
    FUZZ_MUST(size == 0 || write(descriptor, bytes, size) == (ssize_t)size);
    return descriptor;
}

void fuzz_file_path(int descriptor, char path[FUZZ_PATH_SIZE])
{
    snprintf(path, FUZZ_PATH_SIZE, "%s%d", directory, descriptor);
}

/* ---- what the calls do -------------------------------------------------------------------------------------- */

static ssize_t fail(int reason)
{
    errno = reason;
    return -1;
}

static bool can_read(const struct description *description)
{
    return (description->flags & O_ACCMODE) != O_WRONLY;
}

static bool can_write(const struct description *description)
{
    return (description->flags & O_ACCMODE) != O_RDONLY;
}

static ssize_t read_at(const struct description *description, void *out, size_t size, off_t place)
{
    const struct file *file = description->file;
    if (!can_read(description)) return fail(EBADF);
    if (place < 0) return fail(EINVAL);
    const size_t at = (size_t)place < file->size ? (size_t)place : file->size;
    const size_t part = file->size - at < size ? file->size - at : size;
    if (part > 0) memcpy(out, file->bytes + at, part);
    return (ssize_t)part;
}

/* Gives a file a size; what is new is zeros. */
static ssize_t resize(struct file *file, off_t wanted)
{
    if (wanted < 0) return fail(EINVAL);
    if (wanted > MOST_BYTES) return fail(EFBIG);
    const size_t size = (size_t)wanted;
    if (size > file->room) {
        const size_t room = size < 4096 ? 4096 : 2 * size;
        uint8_t *bytes = fuzz_memory(room, 1);
        if (file->size > 0) memcpy(bytes, file->bytes, file->size);
        free(file->bytes);
        file->bytes = bytes;
        file->room = room;
    }
    if (size > file->size) memset(file->bytes + file->size, 0, size - file->size);
    file->size = size;
    return 0;
}

static ssize_t write_at(struct description *description, const void *bytes, size_t size, off_t place)
{
    struct file *file = description->file;
    if (!can_write(description)) return fail(EBADF);
    if (place < 0) return fail(EINVAL);
    if (place > MOST_BYTES || size > (size_t)(MOST_BYTES - place)) return fail(EFBIG);
    if (size == 0) return 0;
    if ((size_t)place + size > file->size && resize(file, place + (off_t)size) != 0) return -1;
    memcpy(file->bytes + place, bytes, size);
    return (ssize_t)size;
}

/* Where a write goes; with O_APPEND that of pwrite too, on Linux. */
static off_t place_of_write(const struct description *description, off_t wanted)
{
    return (description->flags & O_APPEND) != 0 ? (off_t)description->file->size : wanted;
}

static off_t seek(struct description *description, off_t offset, int whence)
{
    const off_t base = whence == SEEK_SET   ? 0
                       : whence == SEEK_CUR ? description->place
                                            : (off_t)description->file->size;
    if (offset < -base || offset > INT64_MAX - base) return fail(offset < 0 ? EINVAL : EOVERFLOW);
    return description->place = base + offset;
}

static int describe(const struct file *file, struct stat *about)
{
    memset(about, 0, sizeof *about);
    about->st_mode = S_IFREG | 0777;
    about->st_uid = getuid();
    about->st_gid = getgid();
    about->st_dev = FIRST;
    about->st_ino = (ino_t)(uintptr_t)file;
    about->st_size = (off_t)file->size;
    about->st_blksize = 4096;
    return 0;
}

/* Flags that can be asked for and changed, copies, and locks, which one process alone always has. */
static int control(struct description *description, int command, long argument)
{
    const int changing = O_APPEND | O_NONBLOCK;
    switch (command) {
    case F_GETFD:
        return FD_CLOEXEC;
    case F_GETFL:
        return description->flags;
    case F_SETFL:
        description->flags = (description->flags & ~changing) | ((int)argument & changing);
        return 0;
    case F_DUPFD_CLOEXEC:
        return give_descriptor(description);
    case F_SETLK:
    case F_SETLKW:
        return 0;
    default:
        return (int)fail(EINVAL);
    }
}

/* ---- the calls ---------------------------------------------------------------------------------------------- */

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker chooses the names */
int __real_open64(const char *path, int flags, ...);
int __real_unlink(const char *path);
int __real_close(int descriptor);
ssize_t __real_read(int descriptor, void *out, size_t size);
ssize_t __real_pread64(int descriptor, void *out, size_t size, off_t place);
ssize_t __real_write(int descriptor, const void *bytes, size_t size);
ssize_t __real_pwrite64(int descriptor, const void *bytes, size_t size, off_t place);
off_t __real_lseek64(int descriptor, off_t offset, int whence);
int __real_fstat64(int descriptor, struct stat *about);
int __real_stat64(const char *path, struct stat *about);
int __real_lstat64(const char *path, struct stat *about);
int __real_ftruncate64(int descriptor, off_t size);
int __real_fsync(int descriptor);
int __real_isatty(int descriptor);
int __real_fcntl64(int descriptor, int command, ...);
int __real_posix_fadvise64(int descriptor, off_t offset, off_t size, int advice);

int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? (mode_t)va_arg(arguments, int) : 0;
    va_end(arguments);
    struct file *file = file_of(path);
    const int kept = flags & (O_ACCMODE | O_APPEND | O_NONBLOCK);
    if (file == NULL && !is_real && (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) return open_temporary(path, kept);
    if (file == NULL) return __real_open64(path, flags, mode);
    if ((flags & O_TRUNC) != 0) (void)resize(file, 0);
    return open_file(file, kept);
}

int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path)
{
    for (size_t i = 0; i < MOST; i++) {
        struct file *file = opened[i] != NULL ? opened[i]->file : NULL;
        if (file == NULL || file->name == NULL || strcmp(file->name, path) != 0) continue;
        free(file->name);
        file->name = NULL;
        return 0;
    }
    return __real_unlink(path);
}

int __wrap_close(int descriptor);
int __wrap_close(int descriptor)
{
    if (description_of(descriptor) == NULL) return __real_close(descriptor);
    close_file(descriptor);
    return 0;
}

ssize_t __wrap_read(int descriptor, void *out, size_t size);
ssize_t __wrap_read(int descriptor, void *out, size_t size)
{
    struct description *description = description_of(descriptor);
    if (description == NULL) return __real_read(descriptor, out, size);
    const ssize_t received = read_at(description, out, size, description->place);
    if (received > 0) description->place += received;
    return received;
}

ssize_t __wrap_pread64(int descriptor, void *out, size_t size, off_t place);
ssize_t __wrap_pread64(int descriptor, void *out, size_t size, off_t place)
{
    const struct description *description = description_of(descriptor);
    return description != NULL ? read_at(description, out, size, place) : __real_pread64(descriptor, out, size, place);
}

ssize_t __wrap_write(int descriptor, const void *bytes, size_t size);
ssize_t __wrap_write(int descriptor, const void *bytes, size_t size)
{
    struct description *description = description_of(descriptor);
    if (description == NULL) return __real_write(descriptor, bytes, size);
    const off_t place = place_of_write(description, description->place);
    const ssize_t sent = write_at(description, bytes, size, place);
    if (sent > 0) description->place = place + sent;
    return sent;
}

ssize_t __wrap_pwrite64(int descriptor, const void *bytes, size_t size, off_t place);
ssize_t __wrap_pwrite64(int descriptor, const void *bytes, size_t size, off_t place)
{
    struct description *description = description_of(descriptor);
    if (description == NULL) return __real_pwrite64(descriptor, bytes, size, place);
    return write_at(description, bytes, size, place_of_write(description, place));
}

off_t __wrap_lseek64(int descriptor, off_t offset, int whence);
off_t __wrap_lseek64(int descriptor, off_t offset, int whence)
{
    struct description *description = description_of(descriptor);
    return description != NULL ? seek(description, offset, whence) : __real_lseek64(descriptor, offset, whence);
}

int __wrap_fstat64(int descriptor, struct stat *about);
int __wrap_fstat64(int descriptor, struct stat *about)
{
    const struct description *description = description_of(descriptor);
    return description != NULL ? describe(description->file, about) : __real_fstat64(descriptor, about);
}

int __wrap_stat64(const char *path, struct stat *about);
int __wrap_stat64(const char *path, struct stat *about)
{
    const struct file *file = file_of(path);
    return file != NULL ? describe(file, about) : __real_stat64(path, about);
}

/* Such a path is a symbolic link. */
int __wrap_lstat64(const char *path, struct stat *about);
int __wrap_lstat64(const char *path, struct stat *about)
{
    const struct file *file = file_of(path);
    if (file == NULL) return __real_lstat64(path, about);
    (void)describe(file, about);
    about->st_mode = S_IFLNK | 0700;
    return 0;
}

int __wrap_ftruncate64(int descriptor, off_t size);
int __wrap_ftruncate64(int descriptor, off_t size)
{
    const struct description *description = description_of(descriptor);
    if (description == NULL) return __real_ftruncate64(descriptor, size);
    return can_write(description) ? (int)resize(description->file, size) : (int)fail(EINVAL);
}

int __wrap_fsync(int descriptor);
int __wrap_fsync(int descriptor)
{
    return description_of(descriptor) != NULL ? 0 : __real_fsync(descriptor);
}

int __wrap_isatty(int descriptor);
int __wrap_isatty(int descriptor)
{
    if (description_of(descriptor) == NULL) return __real_isatty(descriptor);
    errno = ENOTTY;
    return 0;
}

/* What the library asks of the system with a pointer, it asks of files: its locks. */
int __wrap_fcntl64(int descriptor, int command, ...);
int __wrap_fcntl64(int descriptor, int command, ...)
{
    struct description *description = description_of(descriptor);
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (description == NULL) return __real_fcntl64(descriptor, command, argument);
    return control(description, command, (long)(intptr_t)argument);
}

int __wrap_posix_fadvise64(int descriptor, off_t offset, off_t size, int advice);
int __wrap_posix_fadvise64(int descriptor, off_t offset, off_t size, int advice)
{
    return description_of(descriptor) != NULL ? 0 : __real_posix_fadvise64(descriptor, offset, size, advice);
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
