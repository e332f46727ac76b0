/* rights.c: gives a new file the rights of the file that it replaces: owner, group, mode, ACL and user attributes, or
 * fewer.                                                                                                   HOST-IO
 * In tests/fault/test_rights.c a second user tries to open the file after each system call.
 *
 * A file that will replace another is private while it is written: mode 0600, no ACL. Its rights are set last, in an
 * order in which no step admits anybody whom the old file keeps out: user attributes; owner bits that the old file lacks
 * are removed; group; owner; then mode and ACL in one call. */
#include "host/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/xattr.h>
#endif

/* --- extended attributes ----------------------------------------------------------------------------------- */

/* Names of calls, as error messages give them. */
static const char snpy_call_get[] = "fgetxattr";
static const char snpy_call_set[] = "fsetxattr";

#ifdef __linux__
#define ACL_ATTRIBUTE "system.posix_acl_access"

/* Reads an extended attribute, or the list of all names if `name` is NULL. Returns its size, or -1 with errno; with `size` 0
 * only that. */
static ssize_t snpy_get_attribute(int descriptor, const char *name, void *out, size_t size)
{
    return name != NULL ? fgetxattr(descriptor, name, out, size) : flistxattr(descriptor, out, size);
}

static int snpy_set_attribute(int descriptor, const char *name, const void *value, size_t size)
{
    return fsetxattr(descriptor, name, value, size, 0);
}

static int snpy_remove_attribute(int descriptor, const char *name)
{
    return fremovexattr(descriptor, name);
}
#else
/* Elsewhere there are no ACLs of this kind, and user attributes are not kept. */
#define ACL_ATTRIBUTE ""
#ifndef ENODATA
#define ENODATA ENOTSUP
#endif

static ssize_t snpy_get_attribute(int descriptor, const char *name, void *out, size_t size)
{
    (void)descriptor, (void)name, (void)out, (void)size;
    errno = ENOTSUP;
    return -1;
}

static int snpy_set_attribute(int descriptor, const char *name, const void *value, size_t size)
{
    (void)descriptor, (void)name, (void)value, (void)size;
    errno = ENOTSUP;
    return -1;
}

static int snpy_remove_attribute(int descriptor, const char *name)
{
    (void)descriptor, (void)name;
    errno = ENOTSUP;
    return -1;
}
#endif

/* Whether an errno says that there is no such attribute, or that the file system has none at all. */
static bool snpy_is_no_attribute(int reason)
{
    return reason == ENODATA || reason == ENOTSUP || reason == ENOSYS;
}

/* Reads an attribute, or the list of all names if `name` is NULL, into new memory. The caller frees *value, NULL if there
 * is no such attribute. Returns false with errno if reading fails, ENOMEM if there is no memory. */
static bool snpy_read_attribute(int descriptor, const char *name, uint8_t **value, size_t *size)
{
    *value = NULL;
    *size = 0;
    ssize_t length = snpy_get_attribute(descriptor, name, NULL, 0);
    if (length == 0 && name == NULL) return true;
    if (length < 0) return snpy_is_no_attribute(errno);
    *value = malloc((size_t)length + 1);
    if (*value == NULL) {
        errno = ENOMEM;
        return false;
    }
    length = snpy_get_attribute(descriptor, name, *value, (size_t)length);
    *size = length > 0 ? (size_t)length : 0;
    (*value)[*size] = '\0'; /* ends the last name, if the list does not */
    return length >= 0;
}

/* Reports, by errno, that an attribute could not be copied: it is lost, which is no failure, unless there was no memory.
 *                                                                                                      HOST-MEMORY */
static snpy_status snpy_lose_attribute(snpy_io_error *error)
{
    if (errno == ENOMEM) return snpy_io_no_memory(error, "malloc");
    error->lost |= SNPY_LOST_ATTRIBUTES;
    return SNPY_OK;
}

/* Copies one attribute, or notes that it is lost. */
static snpy_status snpy_copy_attribute(int from, int to, const char *name, snpy_io_error *error)
{
    uint8_t *value = NULL;
    size_t size = 0;
    bool is_kept = snpy_read_attribute(from, name, &value, &size);
    if (is_kept && value != NULL) is_kept = snpy_set_attribute(to, name, value, size) == 0;
    snpy_status status = is_kept ? SNPY_OK : snpy_lose_attribute(error);
    free(value);
    return status;
}

/* Copies all attributes whose names begin with "user.".                                                HOST-MEMORY */
static snpy_status snpy_copy_attributes(int from, int to, snpy_io_error *error)
{
    static const char prefix[] = "user.";
    uint8_t *names = NULL;
    size_t size = 0;
    snpy_status status = snpy_read_attribute(from, NULL, &names, &size) ? SNPY_OK : snpy_lose_attribute(error);
    for (size_t at = 0; at < size && status == SNPY_OK;) {
        const char *name = (const char *)names + at;
        if (strncmp(name, prefix, sizeof prefix - 1) == 0) status = snpy_copy_attribute(from, to, name, error);
        at += strlen(name) + 1;
    }
    free(names);
    return status;
}

/* --- access control lists ---------------------------------------------------------------------------------- */

/* An ACL in the kernel's form, little-endian: a version of 4 bytes, then entries of 8 bytes: tag, permissions, and the
 * user or group of a named entry. */
#define ACL_HEADER ((size_t)4)
#define ACL_ENTRY ((size_t)8)
static const uint8_t snpy_acl_version[ACL_HEADER] = {2, 0, 0, 0};

enum { ACL_OWNER = 1, ACL_USER = 2, ACL_GROUP = 4, ACL_NAMED_GROUP = 8, ACL_MASK = 16, ACL_OTHERS = 32 };

/* An access control list; for a file without one, its mode in the same form. */
typedef struct snpy_acl {
    uint8_t *bytes; /* owned */
    size_t size;
    bool is_real; /* false: made from a mode */
} snpy_acl;

/* Returns the tag of an entry; 0 after the last one. */
static unsigned snpy_acl_tag(const snpy_acl *acl, size_t entry)
{
    const size_t at = ACL_HEADER + entry * ACL_ENTRY;
    return at < acl->size ? acl->bytes[at] + 256u * acl->bytes[at + 1] : 0;
}

/* Returns a pointer to the permissions of an entry: 4 read, 2 write, 1 execute. */
static uint8_t *snpy_acl_permissions(const snpy_acl *acl, size_t entry)
{
    return &acl->bytes[ACL_HEADER + entry * ACL_ENTRY + 2];
}

/* Returns the permissions that all entries with these tags have; 7 if there are none. */
static uint8_t snpy_acl_common(const snpy_acl *acl, unsigned tags)
{
    uint8_t common = 7;
    for (size_t i = 0; snpy_acl_tag(acl, i) != 0; i++)
        if (snpy_acl_tag(acl, i) & tags) common &= *snpy_acl_permissions(acl, i);
    return common;
}

/* Removes the permissions that are not in `most` from all entries with these tags. */
static void snpy_acl_limit(const snpy_acl *acl, unsigned tags, uint8_t most)
{
    for (size_t i = 0; snpy_acl_tag(acl, i) != 0; i++)
        if (snpy_acl_tag(acl, i) & tags) *snpy_acl_permissions(acl, i) &= most;
}

/* Returns the mode that admits nobody whom the list keeps out. Without the list, a user or group that it names falls
 * under group or others; so neither gets more than the named entries had. */
static mode_t snpy_acl_mode(const snpy_acl *acl)
{
    const unsigned owner = snpy_acl_common(acl, ACL_OWNER);
    const unsigned group = snpy_acl_common(acl, ACL_GROUP | ACL_USER | ACL_MASK);
    unsigned others = snpy_acl_common(acl, ACL_OTHERS);
    for (size_t i = 0; snpy_acl_tag(acl, i) != 0; i++)
        if (snpy_acl_tag(acl, i) & (ACL_USER | ACL_NAMED_GROUP))
            others &= *snpy_acl_permissions(acl, i) & snpy_acl_common(acl, ACL_MASK);
    return (mode_t)(owner * 64 + group * 8 + others);
}

/* Makes a list of a mode. Returns false if there is no memory. */
static bool snpy_acl_from_mode(mode_t mode, snpy_acl *acl)
{
    static const uint8_t tags[] = {ACL_OWNER, ACL_GROUP, ACL_OTHERS};
    acl->size = ACL_HEADER + sizeof tags * ACL_ENTRY;
    acl->bytes = calloc(1, acl->size);
    for (size_t i = 0; acl->bytes != NULL && i < sizeof tags; i++) {
        acl->bytes[ACL_HEADER + i * ACL_ENTRY] = tags[i];
        *snpy_acl_permissions(acl, i) = (uint8_t)(mode >> (6 - 3 * i) & 7);
    }
    return acl->bytes != NULL;
}

/* Reads the ACL of an open file, or makes one of its mode. The caller frees acl->bytes, whatever the status.
 *                                                                                               HOST-IO, HOST-MEMORY */
static snpy_status snpy_acl_read(int descriptor, mode_t mode, snpy_acl *acl, snpy_io_error *error)
{
    acl->is_real = false;
    if (!snpy_read_attribute(descriptor, ACL_ATTRIBUTE, &acl->bytes, &acl->size))
        return errno == ENOMEM ? snpy_io_no_memory(error, "malloc") : snpy_io_fail(error, snpy_call_get, errno);
    if (acl->bytes == NULL) return snpy_acl_from_mode(mode, acl) ? SNPY_OK : snpy_io_no_memory(error, "calloc");
    acl->is_real = true;
    if (acl->size % ACL_ENTRY == ACL_HEADER && memcmp(acl->bytes, snpy_acl_version, ACL_HEADER) == 0) return SNPY_OK;
    return snpy_io_fail(error, snpy_call_get, EINVAL);
}

/* --- handing over ------------------------------------------------------------------------------------------ */

/* Removes the rights that somebody would gain because the group or the owner could not be kept: members of the old group
 * now count as others, and the old owner may count as anybody. */
static void snpy_limit_rights(const snpy_acl *acl, unsigned lost)
{
    if (lost & SNPY_LOST_GROUP) {
        snpy_acl_limit(acl, ACL_OTHERS, snpy_acl_common(acl, ACL_GROUP | ACL_MASK));
        snpy_acl_limit(acl, ACL_GROUP, 0);
    }
    if (lost & SNPY_LOST_OWNER) snpy_acl_limit(acl, ~(unsigned)ACL_OWNER, snpy_acl_common(acl, ACL_OWNER));
}

/* Sets owner and group of a file to those in `old`, as far as the system permits. Adds what could not be set to
 * error->lost, and updates `about`. */
static snpy_status snpy_give_owner(int descriptor, const struct stat *old, struct stat *about, snpy_io_error *error)
{
    /* Owner bits that the old file lacks are removed before the file gets its owner. */
    const mode_t common = about->st_mode & old->st_mode & 0777;
    if ((about->st_mode & 0777) != common && fchmod(descriptor, common) != 0)
        return snpy_io_fail(error, "fchmod", errno);
    bool is_changed = about->st_gid != old->st_gid || about->st_uid != old->st_uid;
    if (about->st_gid != old->st_gid && fchown(descriptor, (uid_t)-1, old->st_gid) != 0) errno = 0;
    if (about->st_uid != old->st_uid && fchown(descriptor, old->st_uid, (gid_t)-1) != 0) errno = 0;
    if (is_changed || (about->st_mode & 0777) != common) {
        if (fstat(descriptor, about) != 0) return snpy_io_fail(error, "fstat", errno);
    }
    if (about->st_gid != old->st_gid) error->lost |= SNPY_LOST_GROUP;
    if (about->st_uid != old->st_uid) error->lost |= SNPY_LOST_OWNER;
    return SNPY_OK;
}

/* Sets mode and ACL of a private file to those of the old file, without the rights that a lost owner or group costs. */
static snpy_status snpy_give_acl(int descriptor, const snpy_acl *acl, const struct stat *about, bool drop_acl,
                                 snpy_io_error *error)
{
    snpy_limit_rights(acl, error->lost);
    if (acl->is_real && !drop_acl) { /* the mode comes with it */
        if (snpy_set_attribute(descriptor, ACL_ATTRIBUTE, acl->bytes, acl->size) == 0) return SNPY_OK;
        return snpy_io_fail(error, snpy_call_set, errno);
    }
    const mode_t mode = snpy_acl_mode(acl);
    if (mode == (about->st_mode & 0777) || fchmod(descriptor, mode) == 0) return SNPY_OK;
    return snpy_io_fail(error, "fchmod", errno);
}

snpy_status snpy_copy_rights(int from, int to, bool drop_acl, snpy_io_error *error)
{
    struct stat old;
    struct stat about;
    snpy_acl acl = {.bytes = NULL};
    if (fstat(from, &old) != 0 || fstat(to, &about) != 0) return snpy_io_fail(error, "fstat", errno);
    snpy_status status = snpy_copy_attributes(from, to, error); /* first: later we may not own the file */
    if (status == SNPY_OK) status = snpy_acl_read(from, old.st_mode, &acl, error);
    if (status == SNPY_OK) status = snpy_give_owner(to, &old, &about, error);
    if (status == SNPY_OK) status = snpy_give_acl(to, &acl, &about, drop_acl, error);
    free(acl.bytes);
    return status;
}

snpy_status snpy_make_private(int descriptor, snpy_io_error *error)
{
    if (snpy_remove_attribute(descriptor, ACL_ATTRIBUTE) == 0 || snpy_is_no_attribute(errno)) return SNPY_OK;
    return snpy_io_fail(error, "fremovexattr", errno);
}

/* Opens a name in a directory, without following a link or waiting for a FIFO; retries after signals. */
static int snpy_open_at(int directory, const char *name, int flags)
{
    int descriptor;
    do descriptor = openat(directory, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

int snpy_open_replaced(int directory, const char *name)
{
    struct stat about;
    const bool is_seen = fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) == 0; /* else openat reports why */
    if (is_seen && !S_ISREG(about.st_mode)) { /* opening a FIFO or a device has effects */
        errno = ENOENT;
        return -1;
    }
    int descriptor = snpy_open_at(directory, name, O_RDONLY);
    return descriptor >= 0 || errno != EACCES ? descriptor : snpy_open_at(directory, name, O_WRONLY);
}

/* Gives the new file the rights of a file that has appeared at `name` meanwhile, if there is one. The new file has the
 * usual rights, perhaps more than that file, so it is made private first. */
static snpy_status snpy_take_late_rights(int descriptor, int directory, const char *name, bool drop_acl,
                                         snpy_io_error *error)
{
    int old = snpy_open_replaced(directory, name);
    if (old < 0) return errno == ENOENT ? SNPY_OK : snpy_io_fail(error, "openat", errno);
    snpy_status status = SNPY_OK;
    if (fchmod(descriptor, 0600) != 0) status = snpy_io_fail(error, "fchmod", errno);
    if (status == SNPY_OK) status = snpy_make_private(descriptor, error);
    if (status == SNPY_OK) status = snpy_copy_rights(old, descriptor, drop_acl, error);
    (void)close(old); /* only read from */
    return status;
}

snpy_status snpy_hand_over(int descriptor, int old, int directory, const char *name, bool drop_acl,
                           snpy_io_error *error)
{
    struct stat about;
    struct stat now;
    error->lost = 0;
    if (old < 0) return snpy_take_late_rights(descriptor, directory, name, drop_acl, error);
    if (fstat(old, &about) != 0) return snpy_io_fail(error, "fstat", errno);
    const bool is_there = fstatat(directory, name, &now, AT_SYMLINK_NOFOLLOW) == 0;
    if (!is_there && errno != ENOENT) return snpy_io_fail(error, "fstatat", errno);
    if (!is_there || (now.st_dev == about.st_dev && now.st_ino == about.st_ino))
        return snpy_copy_rights(old, descriptor, drop_acl, error);
    error->lost = SNPY_LOST_ALL; /* another file is there: the new one stays private */
    return SNPY_OK;
}
