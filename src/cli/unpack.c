/* unpack.c: `safenpy unpack`: writes each member of an archive to a file.                            NPZ-PATH-001 … 006
 * member_path.c checks names, src/npz reads members, src/host/rights.c keeps rights.
 *
 * Each directory is opened inside the one before it, never through a symbolic link, and each file is created new. So
 * nothing is written outside the target directory, whatever other users or the archive have put there. A file gets its
 * name once all of it is on the disk. */
#include "cli/archive.h"
#include "cli/change.h"

#ifdef SNPY_ARCHIVES

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { OPTION_FORCE = CLI_OPTION_OTHERS, OPTION_MAP_NAMES, OPTION_DROP_ACL };

static const struct option unpack_options[] = {{"directory", required_argument, NULL, 'd'},
                                               {"force", no_argument, NULL, OPTION_FORCE},
                                               {"map-names", no_argument, NULL, OPTION_MAP_NAMES},
                                               {"drop-acl", no_argument, NULL, OPTION_DROP_ACL},
                                               {"max-header", required_argument, NULL, CLI_OPTION_MAX_HEADER},
                                               {"compat", required_argument, NULL, CLI_OPTION_COMPAT},
                                               CLI_ARCHIVE_LIMITS,
                                               CLI_LOCK_OPTION,
                                               {"help", no_argument, NULL, 'h'},
                                               {NULL, 0, NULL, 0}};

/* A member to be unpacked. Its path is NULL if it was refused, which has been reported. */
typedef snpy_place item;

/* Where syncfs reports errors, one call syncs a batch of files: up to this many, which the signal handler can remember,
 * or up to this many bytes. syncfs also waits for other programs' data, so a few files are synced one by one. */
#define MAX_PENDING 512u
#define MAX_PENDING_BYTES ((uint64_t)64 << 20)
#define FEW_FILES 7u

/* A file of at least this size is written to the disk while the next ones are unpacked. */
#define LARGE_FILE ((uint64_t)1 << 20)

/* Bytes of the longest name of a temporary file, with its NUL. */
#define MAX_NAME_LENGTH ((size_t)96)

/* A file that is complete but still has its temporary name. */
typedef struct pending {
    item *one;
    char *temporary; /* owned: its temporary path, from the root */
    size_t at;       /* offset of the last part in both paths */
    int slot;
    unsigned lost; /* what it could not keep of the file that it replaces */
} pending;

/* The state of unpacking. */
typedef struct unpacking {
    cli_archive about;
    cli_options options; /* for reports */
    const char *directory;
    int root; /* descriptor of the target directory */
    bool force;
    bool map_names;
    bool drop_acl;
    item *items;
    size_t count;
    bool in_batches; /* sync the root's file system once per batch */
    dev_t device;    /* the root's file system */
    pending pending[MAX_PENDING];
    size_t pending_count;
    uint64_t pending_bytes;
    enum cli_exit result;
} unpacking;

/* Raises the exit status to `result`, if that is greater. */
static void note(unpacking *work, enum cli_exit result)
{
    if (result > work->result) work->result = result;
}

/* Reports the system call that failed for a member. A file that exists is reported as such. */
static void put_call(const char *shown, const snpy_io_error *error)
{
    snpy_io_error named = *error;
    snpy_io_name(&named, shown);
    if (error->system_error != EEXIST) {
        (void)cli_fail(&named);
        return;
    }
    /* Otherwise all names for a temporary file exist. */
    const bool is_member = error->call != NULL && strcmp(error->call, "linkat") == 0;
    cli_put(cli_complain_of(shown), is_member ? "the file exists; --force replaces it\n" : "File exists\n");
    cli_flush(&cli_messages);
}

/* Reports why a member is not unpacked: a rule, a lock, or a system call that failed. */
static void refuse(unpacking *work, size_t index, const snpy_io_error *error)
{
    snpy_file file = {.error = error->error, .system_error = error->system_error};
    const char *shown = cli_member_shown(&work->about, index);
    if (error->error.status == SNPY_LOCKED) {
        note(work, cli_refuse(shown, &error->error, NULL));
    } else if (error->call == NULL) {
        note(work, cli_report(shown, &file, &work->options));
    } else {
        put_call(shown, error);
        note(work, CLI_TROUBLE);
    }
}

/* Reports that a member is not unpacked because of an errno. */
static void refuse_call(unpacking *work, size_t index, int reason)
{
    snpy_io_error error = {.error = {SNPY_IO_ERROR, 0}, .system_error = reason};
    refuse(work, index, &error);
}

/* --- paths ------------------------------------------------------------------------------------------------- */

/* Sets one->path to the path of a member. If the name is no good path, it is mapped or, without --map-names, refused:
 * then the path is NULL.                                                                      NPZ-PATH-001, 002, 004 */
static void find_path(unpacking *work, item *one)
{
    if (snpy_archive_count(work->about.archive) == 0) return; /* there is no member to report */
    const snpy_zip_member *record = snpy_archive_member(work->about.archive, one->index);
    size_t capacity = 3 * (size_t)record->name_length + 1;
    char *name = malloc(capacity);
    one->path = malloc(3 * capacity + 1);
    if (name == NULL || one->path == NULL) refuse_call(work, one->index, ENOMEM);
    snpy_io_error error = {.error = {SNPY_OK, 0}};
    size_t fault = 0;
    bool is_good = name != NULL && one->path != NULL;
    if (is_good) {
        size_t length = snpy_archive_name(work->about.archive, one->index, name, capacity);
        if (work->map_names)
            (void)snpy_map_path((const uint8_t *)name, length, one->path);
        else
            memcpy(one->path, name, length + 1);
        error.error.status = snpy_check_path((const uint8_t *)one->path, strlen(one->path), &fault);
    }
    if (error.error.status != SNPY_OK) {
        error.error.offset = snpy_place_in_name(record, name, work->map_names ? 0 : fault);
        refuse(work, one->index, &error);
        is_good = false;
    }
    if (!is_good) {
        free(one->path);
        one->path = NULL;
    }
    free(name);
}

/* Refuses the later of two members whose paths collide, and sets its path to NULL.                      NPZ-PATH-003 */
static void refuse_collisions(unpacking *work)
{
    if (work->items == NULL) return; /* nothing was chosen */
    snpy_mark_collisions(work->items, work->count);
    for (size_t i = 0; i < work->count; i++) {
        item *one = &work->items[i];
        if (!one->collides) continue;
        snpy_io_error error = {.error = {SNPY_ZIP_PATH_COLLIDES, 0}};
        error.error.offset =
            snpy_archive_member(work->about.archive, one->index)->central_offset + SNPY_ZIP_NAME_OFFSET;
        refuse(work, one->index, &error);
        free(one->path);
        one->path = NULL;
    }
}

/* --- files ------------------------------------------------------------------------------------------------- */

/* Calls openat(2) without following a link, again after a signal. */
static int open_at(int directory, const char *name, int flags, mode_t mode)
{
    int descriptor;
    do descriptor = openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

/* Opens a directory inside another one, never through a link; creates it if there is none. Returns the descriptor; or
 * -1 with errno, and *call is the call that failed.                                                     NPZ-PATH-005 */
static int enter(int directory, const char *name, const char **call)
{
    *call = "openat";
    int inner = open_at(directory, name, O_RDONLY | O_DIRECTORY, 0);
    if (inner >= 0 || errno != ENOENT) return inner;
    *call = "mkdirat";
    if (mkdirat(directory, name, 0777) != 0 && errno != EEXIST) return -1;
    *call = "openat";
    return open_at(directory, name, O_RDONLY | O_DIRECTORY, 0);
}

/* Opens the directories of a path one inside another, and creates those that are missing. Returns the descriptor of the
 * last one, and *last is the rest of the path, empty for a directory. Returns -1, with `error` filled, if one fails.
 * Changes the path meanwhile. */
static int descend(int root, char *path, const char **last, snpy_io_error *error)
{
    const char *call = "dup";
    char *next = path;
    int directory = dup(root);
    for (char *slash = strchr(path, '/'); slash != NULL && directory >= 0; slash = strchr(next, '/')) {
        *slash = '\0';
        int inner = enter(directory, next, &call);
        int reason = errno;
        *slash = '/';
        (void)close(directory); /* only read from */
        errno = reason;
        directory = inner;
        next = slash + 1;
    }
    if (directory < 0) (void)snpy_io_fail(error, call, errno);
    *last = next;
    return directory;
}

/* Writes a member to an open file. Returns SNPY_OK only if its CRC is right and all of it is written. */
static snpy_status write_member(const unpacking *work, size_t index, int descriptor, snpy_io_error *error)
{
    snpy_member *member;
    snpy_status status = snpy_member_open(work->about.archive, index, &member, error);
    if (status == SNPY_OK) status = cli_pour_member(member, descriptor, error);
    snpy_member_close(&member);
    return status;
}

/* Whether the sync of the batch covers an open file, because it is on the root's file system. */
static bool is_in_batch(const unpacking *work, int descriptor)
{
    struct stat about;
    return work->in_batches && fstat(descriptor, &about) == 0 && about.st_dev == work->device;
}

/* Renames a complete temporary file to its name. Fails with EEXIST if there is a file of that name, unless --force
 * replaces it. */
static snpy_status give_name(const unpacking *work, const pending *file, int directory, snpy_io_error *error)
{
    const char *temporary = file->temporary + file->at;
    const char *name = file->one->path + file->at;
    struct stat about;
    if (!work->force) {
        if (linkat(directory, temporary, directory, name, 0) == 0) {
            if (unlinkat(directory, temporary, 0) == 0) return SNPY_OK;
            return snpy_io_fail(error, "unlinkat", errno);
        }
        if (errno != EPERM && errno != ENOTSUP && errno != EMLINK) return snpy_io_fail(error, "linkat", errno);
        if (fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) == 0) return snpy_io_fail(error, "linkat", EEXIST);
    }
    snpy_lock lock;
    snpy_status status = snpy_lock_entry(directory, name, cli_lock_timeout_ms(&work->options), &lock, error);
    if (status == SNPY_OK && renameat(directory, temporary, directory, name) != 0)
        status = snpy_io_fail(error, "renameat", errno);
    snpy_lock_release(&lock);
    return status;
}

/* Removes a file's temporary path, unless it has its name, and frees it. */
static void end_file(const unpacking *work, pending *file, bool has_name)
{
    if (!has_name && file->temporary != NULL) (void)unlinkat(work->root, file->temporary, 0);
    snpy_forget_temporary(file->slot);
    free(file->temporary);
    file->temporary = NULL;
}

/* Renames a synced file, or removes it if `status` is an error, and reports failures. Opens its directory again,
 * because there may be too many to be kept open. */
static void finish_file(unpacking *work, pending *file, snpy_status status, snpy_io_error *error)
{
    const char *name = NULL;
    const size_t index = file->one->index;
    int directory = -1;
    if (status == SNPY_OK) {
        directory = descend(work->root, file->one->path, &name, error);
        status = directory >= 0 ? give_name(work, file, directory, error) : SNPY_IO_ERROR;
    }
    file->one->is_made = status == SNPY_OK;
    end_file(work, file, file->one->is_made);
    error->lost = file->lost;
    if (status == SNPY_OK)
        cli_note_lost(cli_member_shown(&work->about, index), error);
    else
        refuse(work, index, error);
    if (directory >= 0) (void)close(directory); /* only read from */
}

/* Syncs all pending files and renames them. */
static void finish_pending_files(unpacking *work)
{
    snpy_io_error error;
    snpy_status status = SNPY_OK;
    snpy_io_begin(&error, "");
    if (work->in_batches && work->pending_count > 0) status = snpy_sync_all(work->root, &error);
    for (size_t i = 0; i < work->pending_count; i++) {
        snpy_io_error own = error;
        finish_file(work, &work->pending[i], status, &own);
    }
    work->pending_count = 0;
    work->pending_bytes = 0;
}

/* Creates a temporary file with a new name, which the signal handler knows before the file exists. Returns the
 * descriptor, or -1 with errno. */
static int try_name(const unpacking *work, pending *file, int directory, mode_t mode)
{
    struct timespec now = {0, 0};
    const size_t length = strlen(work->directory);
    char *whole = malloc(length + 1 + file->at + MAX_NAME_LENGTH);
    if (whole == NULL) return -1;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)snprintf(file->temporary + file->at, MAX_NAME_LENGTH, ".safenpy-%ld-%lu-%ld.tmp", (long)getpid(),
                   (unsigned long)file->one->index, (long)now.tv_nsec);
    memcpy(whole, work->directory, length);
    whole[length] = '/';
    memcpy(whole + length + 1, file->temporary, strlen(file->temporary) + 1);
    file->slot = snpy_remember_temporary(whole);
    free(whole);
    int descriptor = open_at(directory, file->temporary + file->at, O_WRONLY | O_CREAT | O_EXCL, mode);
    int reason = errno;
    if (descriptor < 0) snpy_forget_temporary(file->slot);
    errno = reason;
    return descriptor;
}

/* Creates a temporary file in the directory of a member's file. */
static snpy_status make_temporary(const unpacking *work, pending *file, int directory, mode_t mode, int *descriptor,
                                  snpy_io_error *error)
{
    file->temporary = malloc(file->at + MAX_NAME_LENGTH);
    if (file->temporary == NULL) return snpy_io_no_memory(error, "malloc");
    memcpy(file->temporary, file->one->path, file->at);
    *descriptor = -1;
    errno = EEXIST; /* a killed process with the same id may have left one */
    for (int attempt = 0; attempt < 100 && *descriptor < 0 && errno == EEXIST; attempt++)
        *descriptor = try_name(work, file, directory, mode);
    if (*descriptor >= 0) return SNPY_OK;
    snpy_status status = snpy_io_fail(error, "openat", errno);
    free(file->temporary);
    file->temporary = NULL;
    return status;
}

/* Writes a member to its temporary file, sets its rights and syncs it, unless the batch does. The rights are those of a
 * new file, or of `old`, the file that it replaces (-1: none), and are set last. Closes the file. */
static snpy_status fill_file(const unpacking *work, pending *file, int directory, int descriptor, int old,
                             snpy_io_error *error)
{
    const uint64_t size = snpy_archive_member(work->about.archive, file->one->index)->size;
    snpy_status status = old >= 0 ? snpy_make_private(descriptor, error) : SNPY_OK;
    if (status == SNPY_OK) status = write_member(work, file->one->index, descriptor, error);
    if (status == SNPY_OK && work->force) {
        status = snpy_hand_over(descriptor, old, directory, file->one->path + file->at, work->drop_acl, error);
        file->lost = error->lost;
    }
    if (status == SNPY_OK && size >= LARGE_FILE) snpy_begin_writing(descriptor, 0, size);
    if (status == SNPY_OK && !is_in_batch(work, descriptor)) status = snpy_sync(descriptor, error);
    if (status == SNPY_OK) return snpy_close(descriptor, error);
    (void)close(descriptor); /* the caller removes the file */
    return status;
}

/* Writes a member to a temporary file, which gets its name when the batch is synced. */
static snpy_status write_file(const unpacking *work, pending *file, int directory, snpy_io_error *error)
{
    const char *name = file->one->path + file->at;
    struct stat about;
    int old = -1;
    int descriptor = -1;
    if (work->force) {
        old = snpy_open_replaced(directory, name);
        if (old < 0 && errno != ENOENT) return snpy_io_fail(error, "openat", errno);
    } else if (fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) == 0) {
        return snpy_io_fail(error, "linkat", EEXIST);
    }
    snpy_status status = make_temporary(work, file, directory, old >= 0 ? 0600 : 0666, &descriptor, error);
    if (status == SNPY_OK) {
        status = fill_file(work, file, directory, descriptor, old, error);
        if (status != SNPY_OK) end_file(work, file, false);
    }
    if (old >= 0) (void)close(old); /* only read from */
    return status;
}

/* Unpacks one member: a file, or a directory if its path ends in a slash. Ends the batch when it is full.
 *                                                                                         NPZ-PATH-005, NPZ-PATH-006 */
static void unpack_item(unpacking *work, item *one)
{
    pending *file = &work->pending[work->pending_count];
    snpy_io_error error;
    snpy_status status = SNPY_OK;
    const char *name = NULL;
    snpy_io_begin(&error, "");
    int directory = descend(work->root, one->path, &name, &error);
    if (directory < 0) {
        refuse(work, one->index, &error);
        return;
    }
    const pending empty = {.one = one, .at = (size_t)(name - one->path), .slot = -1};
    const bool is_file = name[0] != '\0';
    *file = empty;
    if (is_file) status = write_file(work, file, directory, &error);
    (void)close(directory); /* only read from */
    if (is_file && status == SNPY_OK) {
        work->pending_count++;
        work->pending_bytes += snpy_archive_member(work->about.archive, one->index)->size;
    } else {
        one->is_made = status == SNPY_OK;
        if (status != SNPY_OK) refuse(work, one->index, &error);
    }
    if (!work->in_batches || work->pending_count == MAX_PENDING || work->pending_bytes >= MAX_PENDING_BYTES)
        finish_pending_files(work);
}

/* --- directories ------------------------------------------------------------------------------------------- */

/* Reports that a directory could not be synced; `path` is relative to the root. */
static void put_unsafe(unpacking *work, const char *path, const snpy_io_error *error)
{
    cli_warn("%-s/%-s: %s failed: %s", work->directory, path, error->call, strerror(error->system_error));
    note(work, CLI_TROUBLE);
}

/* Syncs a directory, so that the names in it are on the disk: that of a path that ends in a slash, or the root for an
 * empty path. EINVAL is not a failure: some file systems cannot sync directories. */
static void sync_directory(unpacking *work, char *path)
{
    snpy_io_error error;
    const char *rest = NULL;
    snpy_io_begin(&error, "");
    int directory = descend(work->root, path, &rest, &error);
    snpy_status status = directory >= 0 ? SNPY_OK : SNPY_IO_ERROR;
    if (status == SNPY_OK && !is_in_batch(work, directory)) status = snpy_sync(directory, &error);
    if (directory >= 0) (void)close(directory); /* only read from */
    if (status != SNPY_OK && error.system_error != EINVAL) put_unsafe(work, path, &error);
}

/* Returns the length of the directories that two paths have in common. */
static size_t common_directories(const char *one, const char *other)
{
    size_t common = 0;
    for (size_t i = 0; one[i] != '\0' && one[i] == other[i]; i++)
        if (one[i] == '/') common = i + 1;
    return common;
}

/* Syncs all directories with unpacked files. The items are sorted by path, so each directory is synced once. */
static void sync_directories(unpacking *work)
{
    static char root[] = "";
    const char *before = root;
    bool is_any = false;
    for (size_t i = 0; i < work->count; i++) {
        char *path = work->items[i].path;
        if (!work->items[i].is_made || path == NULL) continue;
        for (size_t at = common_directories(before, path); path[at] != '\0'; at++) {
            if (path[at] != '/') continue;
            const char next = path[at + 1];
            path[at + 1] = '\0';
            sync_directory(work, path);
            path[at + 1] = next;
        }
        before = path;
        is_any = true;
    }
    if (is_any) sync_directory(work, root);
    snpy_io_error error;
    snpy_io_begin(&error, "");
    if (is_any && work->in_batches && snpy_sync_all(work->root, &error) != SNPY_OK) put_unsafe(work, root, &error);
}

/* --- the command ------------------------------------------------------------------------------------------- */

/* Makes the list of members to be unpacked: those with the given keys, or all. Returns false after a message. */
static bool choose(unpacking *work, char **keys, int key_count)
{
    const snpy_archive *archive = work->about.archive;
    size_t capacity = key_count > 0 ? (size_t)key_count : snpy_archive_count(archive);
    work->items = calloc(capacity + 1, sizeof *work->items);
    if (work->items == NULL) {
        refuse_call(work, 0, ENOMEM);
        return false;
    }
    for (size_t i = 0; i < capacity; i++) {
        snpy_io_error error;
        item *one = &work->items[work->count];
        one->index = i;
        if (key_count > 0 && snpy_archive_find(archive, keys[i], &one->index, &error) != SNPY_OK) {
            cli_warn("%-s: %-s: %s", work->about.name, keys[i], snpy_status_message(error.error.status));
            note(work, CLI_TROUBLE);
            return false;
        }
        bool is_again = false;
        for (size_t k = 0; k < work->count && key_count > 0; k++)
            is_again = is_again || work->items[k].index == one->index;
        if (!is_again) work->count++;
    }
    return true;
}

/* Returns false, after a message, if the chosen members exceed the limit on all that is inflated.      NPZ-LIMIT-003 */
static bool is_within_limits(unpacking *work)
{
    enum cli_exit result = CLI_ACCEPTED;
    size_t *indices = malloc((work->count + 1) * sizeof *indices);
    if (indices == NULL) {
        refuse_call(work, 0, ENOMEM);
        return false;
    }
    for (size_t i = 0; i < work->count; i++) indices[i] = work->items[i].index;
    bool is_within = cli_is_within_total(&work->about, indices, work->count, &work->options, &result);
    free(indices);
    note(work, result);
    return is_within;
}

/* Unpacks the chosen members. All names are checked before the first file is written. */
static void unpack_all(unpacking *work)
{
    struct stat about;
    work->in_batches = work->count > FEW_FILES && snpy_can_sync_all(work->root) && fstat(work->root, &about) == 0;
    if (work->in_batches) work->device = about.st_dev;
    for (size_t i = 0; i < work->count; i++) find_path(work, &work->items[i]);
    refuse_collisions(work);
    for (size_t i = 0; i < work->count; i++)
        if (work->items[i].path != NULL) unpack_item(work, &work->items[i]);
    finish_pending_files(work);
    sync_directories(work);
    for (size_t i = 0; i < work->count; i++) free(work->items[i].path);
}

/* Opens the target directory, and creates it if there is none. It may be a symbolic link, because the user named it.
 * Returns false after a message. */
static bool open_root(unpacking *work)
{
    if (mkdir(work->directory, 0777) == 0 || errno == EEXIST) {
        work->root = snpy_open(work->directory, O_RDONLY | O_DIRECTORY, 0);
        if (work->root >= 0) return true;
    }
    cli_warn("%-s: %s", work->directory, strerror(errno));
    return false;
}

/* Reads the command line into `work`. Returns CLI_WRONG after a message. */
static enum cli_parsed read_options(int argc, char **argv, unpacking *work)
{
    int option;
    bool understood = true;
    cli_begin_options(&work->options);
    work->directory = ".";
    work->options.npz = true;
    work->options.no_archive_hint = "'safenpy cat' and 'safenpy convert' read NPY files; only archives have members";
    while (understood && (option = getopt_long(argc, argv, ":d:h", unpack_options, NULL)) != -1) {
        if (option == 'h') return CLI_HELP;
        if (option == 'd')
            work->directory = optarg;
        else if (option == OPTION_FORCE)
            work->force = true;
        else if (option == OPTION_MAP_NAMES)
            work->map_names = true;
        else if (option == OPTION_DROP_ACL)
            work->drop_acl = true;
        else
            understood = cli_take_option(option, argv, &work->options);
    }
    if (!understood) {
        (void)cli_wrong_usage(&cli_messages);
        return CLI_WRONG;
    }
    if (optind < argc) return CLI_RUN;
    cli_put(cli_complain(), "unpack: no archive given");
    (void)cli_wrong_usage(&cli_messages);
    return CLI_WRONG;
}

enum cli_exit cli_unpack(int argc, char **argv)
{
    unpacking work = {.root = -1};
    enum cli_parsed parsed = read_options(argc, argv, &work);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help(argv[0]) : CLI_TROUBLE;
    cli_catch_signals();
    enum cli_exit opened = cli_open_archive(argv[optind], NULL, &work.options, &work.about);
    if (opened != CLI_ACCEPTED) return opened;
    if (choose(&work, argv + optind + 1, argc - optind - 1) && is_within_limits(&work)) {
        if (open_root(&work))
            unpack_all(&work);
        else
            note(&work, CLI_TROUBLE);
    }
    if (work.root >= 0) (void)close(work.root); /* only read from */
    free(work.items);
    cli_close_archive(&work.about);
    return work.result;
}

#else

enum cli_exit cli_unpack(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    cli_stream *stream = cli_complain();
    cli_put(stream, "unpack: this build reads no archives: it was made without zlib and libdeflate\n");
    cli_flush(stream);
    return CLI_TROUBLE;
}

#endif
