/* temporary.c: temporary files that are renamed when they are complete, and that a signal handler can remove. HOST-IO
 *
 * Their names are in static memory, so that a handler may look at any time. A process removes only files that it created
 * itself: a forked child leaves its parent's files alone. */
#define _XOPEN_SOURCE 700 /* NOLINT: realpath is an extension of POSIX that all systems have */
#include "host/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SLOT_COUNT 528 /* a batch of `safenpy unpack`, and 16 */
#define MAX_PATH_LENGTH 4096u
#define MAX_ATTEMPTS 100

/* The longest name of a temporary file, its NUL included. */
#define MAX_NAME_LENGTH 96u

/* A slot is free while its state is 0. Remembering sets HELD, writes the name, and sets NAMED. From then on handlers may
 * read the name, several at once; each adds HANDLER while it does. Forgetting clears HELD and NAMED only: the slot is
 * free, and its name overwritten, once the last handler is done. Nobody waits. */
enum { SLOT_HELD = 1, SLOT_NAMED = 2, SLOT_HANDLER = 4 };

static struct {
    int state; /* atomic; it guards the rest */
    pid_t owner;
    char path[MAX_PATH_LENGTH];
} snpy_slots[SLOT_COUNT];

int snpy_remember_temporary(const char *path)
{
    size_t length = strlen(path);
    if (length >= MAX_PATH_LENGTH) return 0;
    for (int i = 0; i < SLOT_COUNT; i++) {
        int expected = 0;
        if (!__atomic_compare_exchange_n(&snpy_slots[i].state, &expected, SLOT_HELD, false, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        memcpy(snpy_slots[i].path, path, length + 1);
        snpy_slots[i].owner = getpid();
        (void)__atomic_fetch_or(&snpy_slots[i].state, SLOT_NAMED, __ATOMIC_RELEASE);
        return i + 1;
    }
    return 0;
}

/* A slot's number is its index + 1. */
void snpy_forget_temporary(int slot)
{
    if (slot > 0) (void)__atomic_fetch_and(&snpy_slots[slot - 1].state, ~(SLOT_HELD | SLOT_NAMED), __ATOMIC_RELEASE);
}

void snpy_remove_temporaries(void)
{
    int reason = errno;
    for (int i = 0; i < SLOT_COUNT; i++) {
        const int state = __atomic_fetch_add(&snpy_slots[i].state, SLOT_HANDLER, __ATOMIC_ACQUIRE);
        if ((state & SLOT_NAMED) != 0 && snpy_slots[i].owner == getpid()) (void)unlink(snpy_slots[i].path);
        (void)__atomic_fetch_sub(&snpy_slots[i].state, SLOT_HANDLER, __ATOMIC_RELEASE);
    }
    snpy_cut_pending_append();
    errno = reason;
}

/* Returns a new path in the directory of `path`; the caller frees it; NULL if there is no memory. The name begins with a
 * dot, so that listings do not show it, and does not contain the old name, so that it is never too long. */
static char *snpy_invent_name(const char *path)
{
    static unsigned long turn = 0;
    const char *slash = snpy_last_separator(path);
    size_t directory = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    struct timespec now = {0, 0};
    char *name = malloc(directory + MAX_NAME_LENGTH);
    if (name == NULL) return NULL;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    memcpy(name, path, directory);
    (void)snprintf(name + directory, MAX_NAME_LENGTH, ".safenpy-%ld-%lu-%ld.tmp", (long)getpid(),
                   __atomic_add_fetch(&turn, 1ul, __ATOMIC_RELAXED), (long)now.tv_nsec);
    return name;
}

/* Creates a file that must not exist. Remembers its name first, so that a signal in between finds it. Returns the
 * descriptor, or -1 with errno. */
static int snpy_try_name(const char *name, mode_t mode, int *slot)
{
    *slot = snpy_remember_temporary(name);
    int descriptor = snpy_open(name, O_RDWR | O_CREAT | O_EXCL, mode);
    if (descriptor >= 0) return descriptor;
    int reason = errno;
    snpy_forget_temporary(*slot);
    *slot = 0;
    errno = reason;
    return -1;
}

/* Creates a file with a new name in the directory of `path`; tries other names if one exists. */
static snpy_status snpy_make_named(const char *path, mode_t mode, int *descriptor, char **name, int *slot,
                                   snpy_io_error *error)
{
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        *name = snpy_invent_name(path);
        if (*name == NULL) return snpy_io_no_memory(error, "malloc");
        *descriptor = snpy_try_name(*name, mode, slot);
        if (*descriptor >= 0) return SNPY_OK;
        free(*name);
        *name = NULL;
        if (errno != EEXIST) break;
    }
    return snpy_io_fail(error, "open", errno);
}

void snpy_drop_temporary(char **name, int *slot)
{
    if (*name != NULL) (void)unlink(*name);
    snpy_forget_temporary(*slot);
    free(*name);
    *name = NULL;
    *slot = 0;
}

snpy_status snpy_make_temporary(const char *path, bool is_private, int *descriptor, char **name, int *slot,
                                snpy_io_error *error)
{
    snpy_status status = snpy_make_named(path, is_private ? 0600 : 0666, descriptor, name, slot, error);
    if (status != SNPY_OK || !is_private) return status;
    status = snpy_make_private(*descriptor, error);
    if (status == SNPY_OK) return status;
    (void)close(*descriptor); /* the file is removed */
    *descriptor = -1;
    snpy_drop_temporary(name, slot);
    return status;
}

snpy_status snpy_rename_temporary(const char *path, char **name, int *slot, snpy_io_error *error)
{
    if (rename(*name, path) != 0) {
        snpy_status status = snpy_io_fail(error, "rename", errno);
        snpy_drop_temporary(name, slot);
        return status;
    }
    snpy_forget_temporary(*slot);
    free(*name);
    *name = NULL;
    *slot = 0;
    return SNPY_OK;
}

snpy_status snpy_place_temporary(const char *path, char **name, int *slot, snpy_io_error *error)
{
    int directory = -1;
    snpy_status status =
        snpy_open_directory(path, &directory, error); /* first, so that only its fsync can fail after the rename */
    if (status == SNPY_OK) status = snpy_rename_temporary(path, name, slot, error);
    if (status == SNPY_OK) status = snpy_sync_directory(directory, path, error);
    if (directory >= 0) (void)close(directory); /* only read from */
    if (status != SNPY_OK) snpy_drop_temporary(name, slot);
    return status;
}

/* Fills `target` for a path at which there is a file: follows links, refuses directories and files without write access. */
static snpy_status snpy_resolve_target(const char *path, const struct stat *about, snpy_target *target,
                                       snpy_io_error *error)
{
    struct stat link;
    target->is_not_regular = !S_ISREG(about->st_mode);
    if (S_ISDIR(about->st_mode)) return snpy_io_fail(error, "open", EISDIR);
    if (target->is_not_regular) return SNPY_OK;
    if (access(path, W_OK) != 0) return snpy_io_fail(error, "access", errno);
    if (lstat(path, &link) != 0) return snpy_io_fail(error, "lstat", errno);
    if (!S_ISLNK(link.st_mode)) return SNPY_OK;
    target->path = realpath(path, NULL);
    return target->path != NULL ? SNPY_OK : snpy_io_fail(error, "realpath", errno);
}

/* Sets target->path to a copy of a path that is not a link. */
static snpy_status snpy_take_path(const char *path, snpy_target *target, snpy_io_error *error)
{
    size_t length = strlen(path);
    target->path = malloc(length + 1);
    if (target->path == NULL) return snpy_io_no_memory(error, "malloc");
    memcpy(target->path, path, length + 1);
    return SNPY_OK;
}

snpy_status snpy_find_target(const char *path, snpy_target *target, snpy_io_error *error)
{
    static const snpy_target none = {.old = -1};
    struct stat about;
    snpy_status status = SNPY_OK;
    *target = none;
    const bool is_there = stat(path, &about) == 0;
    if (is_there)
        status = snpy_resolve_target(path, &about, target, error);
    else if (errno != ENOENT || lstat(path, &about) == 0) /* a dangling link is not replaced */
        status = snpy_io_fail(error, "stat", errno);
    if (status == SNPY_OK && target->path == NULL) status = snpy_take_path(path, target, error);
    if (status != SNPY_OK || !is_there || target->is_not_regular) return status;
    target->old = snpy_open_replaced(AT_FDCWD, target->path);
    return target->old >= 0 || errno == ENOENT ? SNPY_OK : snpy_io_fail(error, "openat", errno);
}
