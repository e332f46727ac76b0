/* rights.c: the rights of a file that replaces another: its owner, group, mode, ACL and user attributes, or fewer.
 *                                                                                                          HOST-IO
 * Proves nothing; in tests/fault/test_rights.c a second user looks on after each system call. Leaves names and
 * temporary files to temporary.c.
 *
 * A file that will replace another is private while it is written: mode 0600, no ACL. Its rights are handed over last,
 * in an order in which no step lets anyone in whom the old file kept out: attributes, owner bits that the old file has
 * not are taken away, group, owner, and then mode and ACL in one call. */
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

/* Names of the calls as errors report them. */
static const char snpy_call_get[] = "fgetxattr";
static const char snpy_call_set[] = "fsetxattr";

#ifdef __linux__
#define ACL_ATTRIBUTE "system.posix_acl_access"

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

/* Whether a call failed because there is no such attribute, or the file system has none at all. */
static bool snpy_has_none(int reason)
{
    return reason == ENODATA || reason == ENOTSUP || reason == ENOSYS;
}

/* Reads an attribute, or the list of their names if `name` is NULL. *value is the caller's to free; NULL if there is
 * none. Returns false with errno: ENOMEM if there is no memory. */
static bool snpy_read_attribute(int descriptor, const char *name, uint8_t **value, size_t *size)
{
    *value = NULL;
    *size = 0;
    ssize_t length = snpy_get_attribute(descriptor, name, NULL, 0);
    if (length == 0 && name == NULL) return true;
    if (length < 0) return snpy_has_none(errno);
    *value = malloc((size_t)length + 1);
    if (*value == NULL) {
        errno = ENOMEM;
        return false;
    }
    length = snpy_get_attribute(descriptor, name, *value, (size_t)length);
    *size = length > 0 ? (size_t)length : 0;
    (*value)[*size] = '\0'; /* after a list that does not end in one, as it should */
    return length >= 0;
}

/* An attribute was not to be had: it is lost, unless there was no memory for it.                        HOST-MEMORY */
static snpy_status snpy_lose_attribute(snpy_io_error *error)
{
    if (errno == ENOMEM) return snpy_io_no_memory(error, "malloc");
    error->lost |= SNPY_LOST_ATTRIBUTES;
    return SNPY_OK;
}

/* Copies one attribute. */
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

/* Copies the attributes that users have given to a file.                                                HOST-MEMORY */
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

/* An ACL as the kernel hands it out: a version in 4 bytes, then entries of 8: tag, permissions, and the user or group
 * that is named; little-endian. */
#define ACL_HEADER ((size_t)4)
#define ACL_ENTRY ((size_t)8)
static const uint8_t snpy_acl_version[ACL_HEADER] = {2, 0, 0, 0};

enum { ACL_OWNER = 1, ACL_USER = 2, ACL_GROUP = 4, ACL_NAMED_GROUP = 8, ACL_MASK = 16, ACL_OTHERS = 32 };

/* Who may do what. A file without an ACL has its mode in the same form. */
typedef struct snpy_acl {
    uint8_t *bytes; /* owned */
    size_t size;
    bool is_real; /* the file has an ACL, not only a mode */
} snpy_acl;

/* The tag of an entry, 0 after the last. */
static unsigned snpy_acl_tag(const snpy_acl *acl, size_t entry)
{
    const size_t at = ACL_HEADER + entry * ACL_ENTRY;
    return at < acl->size ? acl->bytes[at] + 256u * acl->bytes[at + 1] : 0;
}

/* What an entry permits. */
static uint8_t *snpy_acl_permissions(const snpy_acl *acl, size_t entry)
{
    return &acl->bytes[ACL_HEADER + entry * ACL_ENTRY + 2];
}

/* What all entries of some tags permit: 7 if there are none. */
static uint8_t snpy_acl_common(const snpy_acl *acl, unsigned tags)
{
    uint8_t common = 7;
    for (size_t i = 0; snpy_acl_tag(acl, i) != 0; i++)
        if (snpy_acl_tag(acl, i) & tags) common &= *snpy_acl_permissions(acl, i);
    return common;
}

/* Takes permissions away from all entries of some tags. */
static void snpy_acl_limit(const snpy_acl *acl, unsigned tags, uint8_t most)
{
    for (size_t i = 0; snpy_acl_tag(acl, i) != 0; i++)
        if (snpy_acl_tag(acl, i) & tags) *snpy_acl_permissions(acl, i) &= most;
}

/* The mode that lets nobody in whom the list keeps out. Who is named in the list belongs to the group or to the others
 * without it, so these two get no more than he had. */
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

/* Writes a mode as a list. */
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

/* Reads who may do what with an open file. The list is to be freed, whatever the status.        HOST-IO, HOST-MEMORY */
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

/* Takes away what nobody must gain by a group or an owner that was not to be kept: who belonged to the group is one of
 * the others now, and the old owner perhaps anybody. */
static void snpy_limit_rights(const snpy_acl *acl, unsigned lost)
{
    if (lost & SNPY_LOST_GROUP) {
        snpy_acl_limit(acl, ACL_OTHERS, snpy_acl_common(acl, ACL_GROUP | ACL_MASK));
        snpy_acl_limit(acl, ACL_GROUP, 0);
    }
    if (lost & SNPY_LOST_OWNER) snpy_acl_limit(acl, ~(unsigned)ACL_OWNER, snpy_acl_common(acl, ACL_OWNER));
}

/* Gives a file the owner and group of another one, as far as the system lets us, and finds out which it has then. */
static snpy_status snpy_give_owner(int descriptor, const struct stat *old, struct stat *about, snpy_io_error *error)
{
    /* A mode of the old one's that lacks owner bits must hold for its owner from his first moment on. */
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

/* Gives a private file the mode and ACL of another one, less what lost owners and groups take away. */
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
    snpy_status status = snpy_copy_attributes(from, to, error); /* first: afterwards the file may be another's */
    if (status == SNPY_OK) status = snpy_acl_read(from, old.st_mode, &acl, error);
    if (status == SNPY_OK) status = snpy_give_owner(to, &old, &about, error);
    if (status == SNPY_OK) status = snpy_give_acl(to, &acl, &about, drop_acl, error);
    free(acl.bytes);
    return status;
}

snpy_status snpy_make_private(int descriptor, snpy_io_error *error)
{
    if (snpy_remove_attribute(descriptor, ACL_ATTRIBUTE) == 0 || snpy_has_none(errno)) return SNPY_OK;
    return snpy_io_fail(error, "fremovexattr", errno);
}

/* openat(2) of what is no link, in spite of signals. */
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
    if (is_seen && !S_ISREG(about.st_mode)) { /* to open a FIFO or device would be seen */
        errno = ENOENT;
        return -1;
    }
    int descriptor = snpy_open_at(directory, name, O_RDONLY);
    return descriptor >= 0 || errno != EACCES ? descriptor : snpy_open_at(directory, name, O_WRONLY);
}

/* Hands over the rights of a file that has appeared where there was none: the new file has those of a new file, perhaps
 * more than that one, and is made private first. */
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
    error->lost = SNPY_LOST_ALL; /* another one is there: the new file stays private */
    return SNPY_OK;
}
