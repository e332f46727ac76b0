/* temporary.c: files that take their name when they are complete, and that a signal handler can remove.   HOST-IO
 * Proves nothing. Leaves their contents to save.c and map.c.
 *
 * What is remembered lies in memory that is never given back, and a name is removed only by the process that made
 * it: so a handler may look at any time, and a child of fork leaves its parent's files alone. */
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
#define LONGEST_PATH 4096u
#define MOST_ATTEMPTS 100

/* The longest name of a temporary file, its NUL included. */
#define LONGEST_NAME 96u

enum { SLOT_FREE = 0, SLOT_TAKEN = 1, SLOT_IN_USE = 2 };

static struct {
    volatile int state;
    volatile pid_t owner;
    char path[LONGEST_PATH];
} snpy_slots[SLOT_COUNT];

int snpy_remember_temporary(const char *path)
{
    size_t length = strlen(path);
    if (length >= LONGEST_PATH) return -1;
    for (int i = 0; i < SLOT_COUNT; i++) {
        if (!__sync_bool_compare_and_swap(&snpy_slots[i].state, SLOT_FREE, SLOT_TAKEN)) continue;
        memcpy(snpy_slots[i].path, path, length + 1);
        snpy_slots[i].owner = getpid();
        __sync_synchronize();
        snpy_slots[i].state = SLOT_IN_USE;
        return i;
    }
    return -1;
}

void snpy_forget_temporary(int slot)
{
    if (slot < 0) return;
    snpy_slots[slot].state = SLOT_TAKEN; /* the handler no longer looks */
    __sync_synchronize();
    snpy_slots[slot].state = SLOT_FREE;
}

void snpy_remove_temporaries(void)
{
    int reason = errno;
    for (int i = 0; i < SLOT_COUNT; i++)
        if (snpy_slots[i].state == SLOT_IN_USE && snpy_slots[i].owner == getpid()) (void)unlink(snpy_slots[i].path);
    snpy_cut_growing();
    errno = reason;
}

/* Puts a new name in the directory of a path. It begins with a dot, so that a directory's listing does not show it,
 * and does not contain the old one, so that it is never too long. */
static char *snpy_invent_name(const char *path)
{
    static unsigned long turn = 0;
    const char *slash = strrchr(path, '/');
    size_t directory = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    struct timespec now = {0, 0};
    char *name = malloc(directory + LONGEST_NAME);
    if (name == NULL) return NULL;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    memcpy(name, path, directory);
    (void)snprintf(name + directory, LONGEST_NAME, ".safenpy-%ld-%lu-%ld.tmp", (long)getpid(),
                   __sync_add_and_fetch(&turn, 1ul), (long)now.tv_nsec);
    return name;
}

/* Tries one new name: remembered before it is made, so that no signal comes between. -1 with errno. */
static int snpy_try_name(const char *name, mode_t mode, int *slot)
{
    *slot = snpy_remember_temporary(name);
    int descriptor = snpy_open(name, O_RDWR | O_CREAT | O_EXCL, mode);
    if (descriptor >= 0) return descriptor;
    int reason = errno;
    snpy_forget_temporary(*slot);
    *slot = -1;
    errno = reason;
    return -1;
}

/* Makes a file of a new name in the directory of a path. */
static snpy_status snpy_make_named(const char *path, mode_t mode, int *descriptor, char **name, int *slot,
                                   snpy_io_error *error)
{
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
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
    *slot = -1;
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
    *slot = -1;
    return SNPY_OK;
}

snpy_status snpy_place_temporary(const char *path, char **name, int *slot, snpy_io_error *error)
{
    int directory = -1;
    snpy_status status = snpy_open_directory(path, &directory, error); /* first: then only its fsync can fail late */
    if (status == SNPY_OK) status = snpy_rename_temporary(path, name, slot, error);
    if (status == SNPY_OK) status = snpy_sync_directory(directory, path, error);
    if (directory >= 0) (void)close(directory); /* only read from */
    if (status != SNPY_OK) snpy_drop_temporary(name, slot);
    return status;
}

/* Follows a path that a file was found at. */
static snpy_status snpy_follow(const char *path, const struct stat *about, snpy_target *target, snpy_io_error *error)
{
    struct stat link;
    target->is_device = !S_ISREG(about->st_mode);
    if (S_ISDIR(about->st_mode)) return snpy_io_fail(error, "open", EISDIR);
    if (target->is_device) return SNPY_OK;
    if (access(path, W_OK) != 0) return snpy_io_fail(error, "access", errno);
    if (lstat(path, &link) != 0) return snpy_io_fail(error, "lstat", errno);
    if (!S_ISLNK(link.st_mode)) return SNPY_OK;
    target->path = realpath(path, NULL);
    return target->path != NULL ? SNPY_OK : snpy_io_fail(error, "realpath", errno);
}

/* Copies a path that leads to no link. */
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
        status = snpy_follow(path, &about, target, error);
    else if (errno != ENOENT || lstat(path, &about) == 0) /* a link that leads nowhere is not replaced */
        status = snpy_io_fail(error, "stat", errno);
    if (status == SNPY_OK && target->path == NULL) status = snpy_take_path(path, target, error);
    if (status != SNPY_OK || !is_there || target->is_device) return status;
    target->old = snpy_open_replaced(AT_FDCWD, target->path);
    return target->old >= 0 || errno == ENOENT ? SNPY_OK : snpy_io_fail(error, "openat", errno);
}
