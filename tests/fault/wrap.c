/* wrap.c: system calls that fail when they are told to. Leaves which and when to the tests.
 *
 * Names that begin with two underscores are the linker's. With files of 64 bits the C library calls some of them by another name, open64 for open: both are wrapped. */
#ifdef __linux__
#define _GNU_SOURCE /* F_OFD_SETLK */
#endif
#include "tests/fault/wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

const struct faulty_call faulty_calls[] = {
    {"open", EMFILE, false, true, true},        {"read", EIO, true, true, true},
    {"write", ENOSPC, true, true, true},        {"pwrite", ENOSPC, true, true, true},
    {"fsync", EIO, false, true, true},          {"close", EIO, false, true, false},
    {"rename", EACCES, false, false, true},     {"ftruncate", EIO, false, true, false},
    {"mmap", ENOMEM, false, false, true},       {"msync", EIO, false, false, true},
    {"malloc", ENOMEM, false, false, true},     {"realloc", ENOMEM, false, false, true},
    {"fstat", EIO, false, false, true},         {"lseek", EIO, false, false, false},
    {"fcntl", EDEADLK, false, true, true},      {"posix_fallocate", ENOSPC, false, true, true},
    {"fchmod", EPERM, false, false, true},      {"access", EACCES, false, false, true},
    {"realpath", EACCES, false, false, true},   {"fread", EIO, true, true, true},
    {"fflush", ENOSPC, false, false, true},     {"fseeko", EIO, false, false, true},
    {"fwrite", ENOSPC, false, false, true},     {"pread", EIO, true, true, true},
    {"calloc", ENOMEM, false, false, true},     {"stat", EACCES, false, false, true},
    {"lstat", EACCES, false, false, false},     {"openat", EACCES, false, true, false},
    {"mkdir", EROFS, false, false, true},       {"mkdirat", ENOSPC, false, false, true},
    {"fstatat", EIO, false, false, false},      {"linkat", EIO, false, false, true},
    {"renameat", EIO, false, false, true},      {"unlinkat", EROFS, false, false, true},
    {"dup", EMFILE, false, false, true},        {"pthread_create", EAGAIN, false, false, false},
    {"poll", ENOMEM, false, true, true},        {"fchown", EPERM, false, false, false},
    {"fgetxattr", EIO, false, false, true},     {"flistxattr", EIO, false, false, false},
    {"fsetxattr", ENOTSUP, false, false, true}, {"fremovexattr", EIO, false, false, true},
    {"sysconf", EINVAL, false, false, false},   {"posix_fadvise", ESPIPE, false, false, false},
    {"sigaction", EINVAL, false, false, false}, {"clock_gettime", EINVAL, false, false, false},
    {"unlock", EIO, false, true, false},        {"flock", EIO, false, true, true},
    {"nanosleep", EINVAL, false, true, false},  {"syncfs", EIO, false, false, true},
    {"fstatfs", EIO, false, false, false},      {"uname", EFAULT, false, false, false},
};
const size_t faulty_call_count = sizeof faulty_calls / sizeof faulty_calls[0];

static struct {
    bool is_armed;
    size_t which;
    enum fault_kind kind;
    unsigned left; /* calls until the one at fault, that one included */
    bool has_happened;
    int reason; /* errno of it; 0: that of the table */
} fault;

static int next_reason = 0;

void fault_reason(int reason)
{
    next_reason = reason;
}

void arm_fault(size_t which, enum fault_kind kind, unsigned number)
{
    fault.is_armed = true;
    fault.which = which;
    fault.kind = kind;
    fault.left = number;
    fault.has_happened = false;
    fault.reason = next_reason;
}

void arm_fault_for(const char *name, enum fault_kind kind, unsigned number, int reason)
{
    size_t which = 0;
    while (strcmp(faulty_calls[which].name, name) != 0)
        if (++which == faulty_call_count) abort();
    arm_fault(which, kind, number);
    fault.reason = reason;
}

bool disarm_fault(void)
{
    fault.is_armed = false;
    return fault.has_happened;
}

static struct {
    const char *path; /* NULL: nothing to cut */
    const char *call;
    long long size;
    unsigned left;
} cut;

void cut_on_pread(const char *path, long long size, unsigned number)
{
    cut.path = path;
    cut.call = "pread";
    cut.size = size;
    cut.left = number;
}

void cut_on_mmap(const char *path, long long size)
{
    cut_on_pread(path, size, 1);
    cut.call = "mmap";
}

static struct {
    const char *path;
    long at;
    int byte;
    unsigned left;
} change;

void change_on_pread(const char *path, long at, int byte, unsigned number)
{
    change.path = path;
    change.at = at;
    change.byte = byte;
    change.left = number;
}

bool leave_unchanged(void)
{
    bool was_to_come = change.left > 0;
    change.left = 0;
    return was_to_come;
}

static struct {
    bool is_on;
    char calls[400];
} record;

void record_calls(void)
{
    record.is_on = true;
    record.calls[0] = '\0';
}

const char *recorded_calls(void)
{
    record.is_on = false;
    return record.calls;
}

static struct {
    void (*act)(void); /* NULL: nothing to do */
    const char *call;
    unsigned left;
} deed;

void act_before(const char *call, unsigned number, void (*act)(void))
{
    deed.act = act;
    deed.call = call;
    deed.left = number;
}

/* Does what is to be done before this call. */
static void do_before(const char *name)
{
    if (deed.act == NULL || strcmp(name, deed.call) != 0 || --deed.left > 0) return;
    void (*act)(void) = deed.act;
    deed.act = NULL; /* its own calls are not looked at */
    act();
}

/* Writes a call down if it changes a file, a name or the disk. */
static void record_call(const char *name)
{
    static const char *const changing[] = {"write",     "pwrite",          "fsync", "rename",
                                           "ftruncate", "posix_fallocate", "msync"};
    if (!record.is_on) return;
    for (size_t i = 0; i < sizeof changing / sizeof changing[0]; i++) {
        size_t used = strlen(record.calls);
        if (strcmp(name, changing[i]) == 0)
            (void)snprintf(record.calls + used, sizeof record.calls - used, "%s ", name);
    }
}

static void (*looking)(const char *call) = NULL;

void watch_calls(void (*look)(const char *call))
{
    looking = look;
}

/* Lets the watcher look, now that a call has been made. Its own calls are not watched. */
static void look_after(const char *name)
{
    void (*look)(const char *call) = looking;
    if (look == NULL) return;
    int reason = errno;
    looking = NULL;
    look(name);
    looking = look;
    errno = reason;
}

/* Cuts the file if this is the call to do so. */
static void cut_before(const char *name)
{
    if (cut.path == NULL || strcmp(name, cut.call) != 0 || --cut.left > 0) return;
    if (truncate(cut.path, (off_t)cut.size) != 0) abort();
    cut.path = NULL;
}

/* Changes the file if this is the call to do so. */
static void change_before(const char *name)
{
    if (change.left == 0 || strcmp(name, "pread") != 0 || --change.left > 0) return;
    FILE *file = fopen(change.path, "r+b");
    if (file == NULL || fseek(file, change.at, SEEK_SET) != 0 || fputc(change.byte, file) == EOF || fclose(file) != 0)
        abort();
}

/* Whether this call is at fault. */
static bool is_due(const char *name)
{
    record_call(name);
    cut_before(name);
    change_before(name);
    do_before(name);
    if (!fault.is_armed || strcmp(name, faulty_calls[fault.which].name) != 0) return false;
    if (fault.left > 1) {
        fault.left--;
        return false;
    }
    bool lasts = fault.kind == FAULT_FOR_GOOD || fault.kind == FAULT_ONE_BYTE;
    bool happens = lasts || fault.left == 1;
    fault.left = 0;
    fault.has_happened = true;
    return happens;
}

/* Lets a call fail, with the errno of its fault. */
static bool fail_now(void)
{
    errno = fault.kind == FAULT_SIGNAL ? EINTR
            : fault.kind == FAULT_WAIT ? EAGAIN
            : fault.reason != 0        ? fault.reason
                                       : faulty_calls[fault.which].reason;
    return true;
}

/* Whether this call fails; then errno says why. */
static bool fails(const char *name)
{
    if (!is_due(name)) return false;
    if (fault.kind == FAULT_SHORT || fault.kind == FAULT_ONE_BYTE) return false;
    return fail_now();
}

/* Likewise for a call that moves bytes; it may move fewer of them. */
static bool moves_fewer(const char *name, size_t *size)
{
    if (!is_due(name)) return false;
    if (fault.kind == FAULT_SHORT && *size > 1) (*size)--;
    if (fault.kind == FAULT_ONE_BYTE && *size > 1) *size = 1;
    if (fault.kind == FAULT_NOTHING) *size = 0;
    if (fault.kind == FAULT_SHORT || fault.kind == FAULT_ONE_BYTE || fault.kind == FAULT_NOTHING) return false;
    return fail_now();
}

/* A wrapper of a call under both of its names, that returns `failure` or what the call returns. */
#define WRAP_AS(symbol, name, type, parameters, arguments, failure) \
    type __real_##symbol parameters;                                \
    type __wrap_##symbol parameters;                                \
    type __wrap_##symbol parameters                                 \
    {                                                               \
        if (fails(name)) return failure;                            \
        type result = __real_##symbol arguments;                    \
        look_after(name);                                           \
        return result;                                              \
    }
#define WRAP(symbol, type, parameters, arguments, failure) \
    WRAP_AS(symbol, #symbol, type, parameters, arguments, failure)
#define WRAP_BOTH(symbol, type, parameters, arguments, failure)    \
    WRAP_AS(symbol, #symbol, type, parameters, arguments, failure) \
    WRAP_AS(symbol##64, #symbol, type, parameters, arguments, failure)

WRAP(rename, int, (const char *from, const char *to), (from, to), -1)
WRAP(msync, int, (void *start, size_t length, int flags), (start, length, flags), -1)
WRAP(malloc, void *, (size_t size), (size), NULL)
WRAP(realloc, void *, (void *memory, size_t size), (memory, size), NULL)
WRAP(calloc, void *, (size_t count, size_t size), (count, size), NULL)
WRAP(fchmod, int, (int descriptor, mode_t mode), (descriptor, mode), -1)
WRAP(access, int, (const char *path, int mode), (path, mode), -1)
WRAP(realpath, char *, (const char *path, char *out), (path, out), NULL)
WRAP(fflush, int, (FILE * stream), (stream), EOF)
WRAP(mkdir, int, (const char *path, mode_t mode), (path, mode), -1)
WRAP(mkdirat, int, (int directory, const char *path, mode_t mode), (directory, path, mode), -1)
WRAP(linkat, int, (int old, const char *path, int directory, const char *name, int flags),
     (old, path, directory, name, flags), -1)
WRAP(renameat, int, (int old, const char *path, int directory, const char *name), (old, path, directory, name), -1)
WRAP(unlinkat, int, (int directory, const char *path, int flags), (directory, path, flags), -1)
WRAP(dup, int, (int descriptor), (descriptor), -1)
WRAP(poll, int, (struct pollfd * waiting, nfds_t count, int limit), (waiting, count, limit), -1)
WRAP(fchown, int, (int descriptor, uid_t owner, gid_t group), (descriptor, owner, group), -1)
WRAP(fgetxattr, ssize_t, (int descriptor, const char *name, void *out, size_t size), (descriptor, name, out, size), -1)
WRAP(flistxattr, ssize_t, (int descriptor, char *out, size_t size), (descriptor, out, size), -1)
WRAP(fsetxattr, int, (int descriptor, const char *name, const void *value, size_t size, int flags),
     (descriptor, name, value, size, flags), -1)
WRAP(fremovexattr, int, (int descriptor, const char *name), (descriptor, name), -1)
WRAP(sysconf, long, (int name), (name), -1)
WRAP(clock_gettime, int, (clockid_t clock, struct timespec *now), (clock, now), -1)
WRAP(sigaction, int, (int number, const struct sigaction *action, struct sigaction *old), (number, action, old), -1)
WRAP_BOTH(posix_fadvise, int, (int descriptor, off_t start, off_t size, int advice), (descriptor, start, size, advice),
          errno)
WRAP(pthread_create, int, (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument),
     (thread, attributes, run, argument), errno)
WRAP(uname, int, (struct utsname * system), (system), -1)
WRAP_BOTH(fstatfs, int, (int descriptor, struct statfs *about), (descriptor, about), -1)
WRAP_BOTH(stat, int, (const char *path, struct stat *about), (path, about), -1)
WRAP_BOTH(lstat, int, (const char *path, struct stat *about), (path, about), -1)
WRAP_BOTH(fstatat, int, (int directory, const char *path, struct stat *about, int flags),
          (directory, path, about, flags), -1)
WRAP_BOTH(ftruncate, int, (int descriptor, off_t size), (descriptor, size), -1)
WRAP_BOTH(lseek, off_t, (int descriptor, off_t offset, int whence), (descriptor, offset, whence), -1)
WRAP_BOTH(fseeko, int, (FILE * stream, off_t offset, int whence), (stream, offset, whence), -1)
WRAP_BOTH(posix_fallocate, int, (int descriptor, off_t start, off_t size), (descriptor, start, size), errno)
WRAP_BOTH(mmap, void *, (void *start, size_t length, int protection, int flags, int descriptor, off_t offset),
          (start, length, protection, flags, descriptor, offset), (void *)-1)

/* Files of /proc say that they are empty, and hold bytes. */
#define WRAP_FSTAT(symbol)                                                                      \
    int __real_##symbol(int descriptor, struct stat *about);                                    \
    int __wrap_##symbol(int descriptor, struct stat *about);                                    \
    int __wrap_##symbol(int descriptor, struct stat *about)                                     \
    {                                                                                           \
        size_t size = 0;                                                                        \
        const bool was_armed = fault.is_armed && !fault.has_happened;                           \
        if (moves_fewer("fstat", &size)) return -1;                                             \
        int result = __real_##symbol(descriptor, about);                                        \
        if (was_armed && fault.has_happened && fault.kind == FAULT_NOTHING) about->st_size = 0; \
        return result;                                                                          \
    }
WRAP_FSTAT(fstat)
WRAP_FSTAT(fstat64)

static bool only_pretends = false;

static struct {
    bool is_on;
    unsigned long long slept; /* milliseconds */
} sleep_log;

void pretend_to_sleep(void)
{
    sleep_log.is_on = true;
    sleep_log.slept = 0;
}

unsigned long long pretended_sleep(void)
{
    sleep_log.is_on = false;
    return sleep_log.slept;
}

int __real_nanosleep(const struct timespec *time, struct timespec *rest);
int __wrap_nanosleep(const struct timespec *time, struct timespec *rest);
int __wrap_nanosleep(const struct timespec *time, struct timespec *rest)
{
    if (fails("nanosleep")) return -1;
    if (!sleep_log.is_on) return __real_nanosleep(time, rest);
    sleep_log.slept += (unsigned long long)time->tv_sec * 1000 + (unsigned long long)time->tv_nsec / 1000000;
    return 0;
}

WRAP(flock, int, (int descriptor, int operation), (descriptor, operation), -1)

void pretend_to_sync(void)
{
    only_pretends = true;
}

int __real_fsync(int descriptor);
int __wrap_fsync(int descriptor);
int __wrap_fsync(int descriptor)
{
    if (fails("fsync")) return -1;
    int result = only_pretends ? 0 : __real_fsync(descriptor);
    look_after("fsync");
    return result;
}

int __real_syncfs(int descriptor);
int __wrap_syncfs(int descriptor);
int __wrap_syncfs(int descriptor)
{
    if (fails("syncfs")) return -1;
    int result = only_pretends ? 0 : __real_syncfs(descriptor);
    look_after("syncfs");
    return result;
}

/* A descriptor is closed, whatever close says of it. */
int __real_close(int descriptor);
int __wrap_close(int descriptor);
int __wrap_close(int descriptor)
{
    bool failed = fails("close");
    int reason = errno;
    int result = __real_close(descriptor);
    look_after("close");
    if (!failed) return result;
    errno = reason;
    return -1;
}

#define WRAP_TRANSFER(symbol, name, buffer, extra, argument)                    \
    ssize_t __real_##symbol(int descriptor, buffer bytes, size_t size extra);   \
    ssize_t __wrap_##symbol(int descriptor, buffer bytes, size_t size extra);   \
    ssize_t __wrap_##symbol(int descriptor, buffer bytes, size_t size extra)    \
    {                                                                           \
        /* what is said of a fault is no part of it */                          \
        if (descriptor != STDERR_FILENO && moves_fewer(name, &size)) return -1; \
        ssize_t result = __real_##symbol(descriptor, bytes, size argument);     \
        look_after(name);                                                       \
        return result;                                                          \
    }
#define NOTHING
#define OFFSET , off_t offset
#define OFFSET_ARGUMENT , offset

WRAP_TRANSFER(read, "read", void *, NOTHING, NOTHING)
WRAP_TRANSFER(pread, "pread", void *, OFFSET, OFFSET_ARGUMENT)
WRAP_TRANSFER(pread64, "pread", void *, OFFSET, OFFSET_ARGUMENT)
WRAP_TRANSFER(write, "write", const void *, NOTHING, NOTHING)
WRAP_TRANSFER(pwrite, "pwrite", const void *, OFFSET, OFFSET_ARGUMENT)
WRAP_TRANSFER(pwrite64, "pwrite", const void *, OFFSET, OFFSET_ARGUMENT)

/* fread sets the stream's mark of an error when it fails; here it fails before it has touched the stream, and the
 * mark is set by a write to a stream that is only read. */
size_t __real_fread(void *out, size_t size, size_t count, FILE *stream);
size_t __wrap_fread(void *out, size_t size, size_t count, FILE *stream);
size_t __wrap_fread(void *out, size_t size, size_t count, FILE *stream)
{
    if (!moves_fewer("fread", &count)) return __real_fread(out, size, count, stream);
    int reason = errno;
    (void)fputc(0, stream);
    errno = reason;
    return 0;
}

size_t __real_fwrite(const void *bytes, size_t size, size_t count, FILE *stream);
size_t __wrap_fwrite(const void *bytes, size_t size, size_t count, FILE *stream);
size_t __wrap_fwrite(const void *bytes, size_t size, size_t count, FILE *stream)
{
    return fails("fwrite") ? 0 : __real_fwrite(bytes, size, count, stream);
}

/* Variadic calls. */
#define WRAP_OPEN(symbol)                                      \
    int __real_##symbol(const char *path, int flags, ...);     \
    int __wrap_##symbol(const char *path, int flags, ...);     \
    int __wrap_##symbol(const char *path, int flags, ...)      \
    {                                                          \
        mode_t mode = 0;                                       \
        va_list arguments;                                     \
        va_start(arguments, flags);                            \
        if (flags & O_CREAT) mode = va_arg(arguments, mode_t); \
        va_end(arguments);                                     \
        if (fails("open")) return -1;                          \
        int result = __real_##symbol(path, flags, mode);       \
        look_after("open");                                    \
        return result;                                         \
    }
WRAP_OPEN(open)
WRAP_OPEN(open64)

#define WRAP_OPENAT(symbol)                                               \
    int __real_##symbol(int directory, const char *path, int flags, ...); \
    int __wrap_##symbol(int directory, const char *path, int flags, ...); \
    int __wrap_##symbol(int directory, const char *path, int flags, ...)  \
    {                                                                     \
        mode_t mode = 0;                                                  \
        va_list arguments;                                                \
        va_start(arguments, flags);                                       \
        if (flags & O_CREAT) mode = va_arg(arguments, mode_t);            \
        va_end(arguments);                                                \
        if (fails("openat")) return -1;                                   \
        int result = __real_##symbol(directory, path, flags, mode);       \
        look_after("openat");                                             \
        return result;                                                    \
    }
WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)

/* Giving a lock back is a call of its own: its failure is harmless. */
#define WRAP_FCNTL(symbol)                                                                                          \
    int __real_##symbol(int descriptor, int command, ...);                                                          \
    int __wrap_##symbol(int descriptor, int command, ...);                                                          \
    int __wrap_##symbol(int descriptor, int command, ...)                                                           \
    {                                                                                                               \
        const bool is_lock = command == F_OFD_SETLK;                                                                \
        struct flock *lock = NULL;                                                                                  \
        int number = 0;                                                                                             \
        va_list arguments;                                                                                          \
        va_start(arguments, command);                                                                               \
        if (is_lock) lock = va_arg(arguments, struct flock *);                                                      \
        if (command == F_SETFL || command == F_DUPFD) number = va_arg(arguments, int);                              \
        va_end(arguments);                                                                                          \
        /* only a lock can be interrupted */                                                                        \
        bool is_at_fault = is_lock || fault.kind != FAULT_SIGNAL;                                                   \
        if (is_at_fault && fails(is_lock && lock->l_type == F_UNLCK ? "unlock" : "fcntl")) return -1;               \
        return is_lock ? __real_##symbol(descriptor, command, lock) : __real_##symbol(descriptor, command, number); \
    }
WRAP_FCNTL(fcntl)
WRAP_FCNTL(fcntl64)
