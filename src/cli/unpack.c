/* unpack.c: `safenpy unpack`: a file for each member of an archive.                            NPZ-PATH-001 … 006
 * Proves nothing; tests/cli/run.py and test_unpack_many.py try it. Leaves names to member_path.c, members to src/npz,
 * rights to src/host/rights.c.
 *
 * Each directory is opened in the one before it and never through a link, each file is made anew. So whatever
 * other users or the archive itself have put there, nothing is written outside. A file has its name when all of it is
 * on the disk. */
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

/* A member to be unpacked. Without a path it is refused, which was reported. */
typedef snpy_place item;

/* Where syncfs can be trusted, files are made safe in batches by one call each: until there are as many, which a signal's
 * handler can remember, or they hold as many bytes. It waits for other programs' data too, so a few files are made safe
 * one by one. */
#define MOST_PENDING 512u
#define MOST_BYTES ((uint64_t)64 << 20)
#define FEW_FILES 7u

/* The disk begins with a file of this size while the next ones are written. */
#define LARGE_FILE ((uint64_t)1 << 20)

/* The longest name of a temporary file, its NUL included. */
#define LONGEST_NAME ((size_t)96)

/* A file that is written and has no name yet. */
typedef struct pending {
    item *one;
    char *temporary; /* owned: its path in the root until then */
    size_t at;       /* where the last part of both paths begins */
    int slot;
    unsigned lost; /* what it has not kept of the file that it replaces */
} pending;

/* The work. */
typedef struct unpacking {
    cli_archive about;
    cli_options options; /* those that reports take */
    const char *directory;
    int root; /* the open directory */
    bool force;
    bool map_names;
    bool drop_acl;
    item *items;
    size_t count;
    bool in_batches; /* syncfs makes safe what is on the root's file system */
    dev_t device;    /* that file system */
    pending pending[MOST_PENDING];
    size_t pending_count;
    uint64_t pending_bytes;
    enum cli_exit result;
} unpacking;

/* Keeps the greatest exit status. */
static void note(unpacking *work, enum cli_exit result)
{
    if (result > work->result) work->result = result;
}

/* Says which system call failed for a member. That a file is in the way needs no call to be understood. */
static void put_call(const char *shown, const snpy_io_error *error)
{
    snpy_io_error named = *error;
    snpy_io_name(&named, shown);
    if (error->system_error != EEXIST) {
        (void)cli_fail(&named);
        return;
    }
    /* Otherwise every name for a temporary file is taken. */
    const bool is_member = error->call != NULL && strcmp(error->call, "linkat") == 0;
    cli_put(cli_complain_of(shown), is_member ? "the file exists; --force replaces it\n" : "File exists\n");
    cli_flush(&cli_messages);
}

/* Says why a member is not unpacked: a rule, or a system call that failed. */
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

/* Likewise, by errno. */
static void refuse_call(unpacking *work, size_t index, int reason)
{
    snpy_io_error error = {.error = {SNPY_IO_ERROR, 0}, .system_error = reason};
    refuse(work, index, &error);
}

/* --- paths ------------------------------------------------------------------------------------------------- */

/* Finds the path of a member; a name that is no good path is refused, or mapped.          NPZ-PATH-001, 002, 004 */
static void find_path(unpacking *work, item *one)
{
    if (snpy_archive_count(work->about.archive) == 0) return; /* there is none to be named then */
    const snpy_zip_member *record = snpy_archive_member(work->about.archive, one->index);
    size_t room = 3 * (size_t)record->name_length + 1;
    char *name = malloc(room);
    one->path = malloc(3 * room + 1);
    if (name == NULL || one->path == NULL) refuse_call(work, one->index, ENOMEM);
    snpy_io_error error = {.error = {SNPY_OK, 0}};
    size_t fault = 0;
    bool is_good = name != NULL && one->path != NULL;
    if (is_good) {
        size_t length = snpy_archive_name(work->about.archive, one->index, name, room);
        if (work->map_names)
            (void)snpy_map_path((const uint8_t *)name, length, one->path);
        else
            memcpy(one->path, name, length + 1);
        error.error.status = snpy_judge_path((const uint8_t *)one->path, strlen(one->path), &fault);
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

/* Refuses the later of two members whose paths collide.                                               NPZ-PATH-003 */
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

/* openat(2), in spite of signals. */
static int open_at(int directory, const char *name, int flags, mode_t mode)
{
    int descriptor;
    do descriptor = openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

/* Opens a directory in another one, which is made if there is none; never through a link. -1 with errno, and *call says
 * what failed.                                                                                        NPZ-PATH-005 */
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

/* Goes through all directories of a path, which is cut at its slashes meanwhile. *last is what stands after them,
 * empty for a directory. -1 and an error if one of them cannot be opened or made. */
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
        (void)close(directory); /* only looked into */
        errno = reason;
        directory = inner;
        next = slash + 1;
    }
    if (directory < 0) (void)snpy_io_fail(error, call, errno);
    *last = next;
    return directory;
}

/* Writes a member to an open file. Returns SNPY_OK only if its CRC was right and all of it is written. */
static snpy_status write_member(const unpacking *work, size_t index, int descriptor, snpy_io_error *error)
{
    snpy_member *member;
    snpy_status status = snpy_member_open(work->about.archive, index, &member, error);
    if (status == SNPY_OK) status = cli_pour_member(member, descriptor, error);
    snpy_member_close(&member);
    return status;
}

/* Whether syncfs will make an open file safe. */
static bool is_in_batch(const unpacking *work, int descriptor)
{
    struct stat about;
    return work->in_batches && fstat(descriptor, &about) == 0 && about.st_dev == work->device;
}

/* Gives a complete file its name in its directory; the name must be new unless files are replaced. */
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

/* Forgets a file; removes it if it has not got its name. */
static void end_file(const unpacking *work, pending *file, bool has_name)
{
    if (!has_name && file->temporary != NULL) (void)unlinkat(work->root, file->temporary, 0);
    snpy_forget_temporary(file->slot);
    free(file->temporary);
    file->temporary = NULL;
}

/* Gives a file that is safe its name, or removes it. Its directory is found anew: it may be one of very many. */
static void settle_file(unpacking *work, pending *file, snpy_status status, snpy_io_error *error)
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
    if (directory >= 0) (void)close(directory); /* only looked into */
}

/* Makes all files safe that wait, and gives them their names. */
static void settle_files(unpacking *work)
{
    snpy_io_error error;
    snpy_status status = SNPY_OK;
    snpy_io_begin(&error, "");
    if (work->in_batches && work->pending_count > 0) status = snpy_sync_all(work->root, &error);
    for (size_t i = 0; i < work->pending_count; i++) {
        snpy_io_error own = error;
        settle_file(work, &work->pending[i], status, &own);
    }
    work->pending_count = 0;
    work->pending_bytes = 0;
}

/* Tries one new name in a directory, which is remembered before it is made, so that no signal comes between. -1 with
 * errno. */
static int try_name(const unpacking *work, pending *file, int directory, mode_t mode)
{
    struct timespec now = {0, 0};
    const size_t length = strlen(work->directory);
    char *whole = malloc(length + 1 + file->at + LONGEST_NAME);
    if (whole == NULL) return -1;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)snprintf(file->temporary + file->at, LONGEST_NAME, ".safenpy-%ld-%lu-%ld.tmp", (long)getpid(),
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

/* Makes a temporary file in the directory that a member's file will be in. */
static snpy_status make_temporary(const unpacking *work, pending *file, int directory, mode_t mode, int *descriptor,
                                  snpy_io_error *error)
{
    file->temporary = malloc(file->at + LONGEST_NAME);
    if (file->temporary == NULL) return snpy_io_no_memory(error, "malloc");
    memcpy(file->temporary, file->one->path, file->at);
    *descriptor = -1;
    errno = EEXIST; /* one that a killed process of the same number has left */
    for (int attempt = 0; attempt < 100 && *descriptor < 0 && errno == EEXIST; attempt++)
        *descriptor = try_name(work, file, directory, mode);
    if (*descriptor >= 0) return SNPY_OK;
    snpy_status status = snpy_io_fail(error, "openat", errno);
    free(file->temporary);
    file->temporary = NULL;
    return status;
}

/* Fills a temporary file and gives it its rights: those of a new file, which it has, or of `old`, last of all. */
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
    (void)close(descriptor); /* the file is removed */
    return status;
}

/* Makes a file of a member, which gets its name when it is complete and safe. */
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

/* Unpacks one member.                                                                   NPZ-PATH-005, NPZ-PATH-006 */
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
    (void)close(directory); /* only looked into */
    if (is_file && status == SNPY_OK) {
        work->pending_count++;
        work->pending_bytes += snpy_archive_member(work->about.archive, one->index)->size;
    } else {
        one->is_made = status == SNPY_OK;
        if (status != SNPY_OK) refuse(work, one->index, &error);
    }
    if (!work->in_batches || work->pending_count == MOST_PENDING || work->pending_bytes >= MOST_BYTES)
        settle_files(work);
}

/* --- directories ------------------------------------------------------------------------------------------- */

/* Says that a directory is not safe: that of a path in the root, or the root. */
static void put_unsafe(unpacking *work, const char *path, const snpy_io_error *error)
{
    cli_stream *stream = cli_complain();
    cli_put_argument(stream, work->directory);
    cli_put(stream, "/");
    cli_put_argument(stream, path);
    cli_put(stream, ": ");
    cli_put(stream, error->call);
    cli_put(stream, " failed: ");
    cli_put(stream, strerror(error->system_error));
    cli_put(stream, "\n");
    cli_flush(stream);
    note(work, CLI_TROUBLE);
}

/* Makes the names in a directory safe: that of a path that ends in a slash, or the root if it is empty. Not all file
 * systems can (EINVAL). */
static void sync_directory(unpacking *work, char *path)
{
    snpy_io_error error;
    const char *rest = NULL;
    snpy_io_begin(&error, "");
    int directory = descend(work->root, path, &rest, &error);
    snpy_status status = directory >= 0 ? SNPY_OK : SNPY_IO_ERROR;
    if (status == SNPY_OK && !is_in_batch(work, directory)) status = snpy_sync(directory, &error);
    if (directory >= 0) (void)close(directory); /* only looked into */
    if (status != SNPY_OK && error.system_error != EINVAL) put_unsafe(work, path, &error);
}

/* How many bytes two paths have in common, up to a slash. */
static size_t common_directories(const char *one, const char *other)
{
    size_t common = 0;
    for (size_t i = 0; one[i] != '\0' && one[i] == other[i]; i++)
        if (one[i] == '/') common = i + 1;
    return common;
}

/* Makes safe what the directories say of the files: each of them once, as all that is in it comes together. */
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

/* Chooses the members that are named, or all. Returns false after a message. */
static bool choose(unpacking *work, char **keys, int key_count)
{
    const snpy_archive *archive = work->about.archive;
    size_t room = key_count > 0 ? (size_t)key_count : snpy_archive_count(archive);
    work->items = calloc(room + 1, sizeof *work->items);
    if (work->items == NULL) {
        refuse_call(work, 0, ENOMEM);
        return false;
    }
    for (size_t i = 0; i < room; i++) {
        snpy_io_error error;
        item *one = &work->items[work->count];
        one->index = i;
        if (key_count > 0 && snpy_archive_find(archive, keys[i], &one->index, &error) != SNPY_OK) {
            cli_stream *stream = cli_complain();
            cli_put_argument(stream, work->about.name);
            cli_put(stream, ": ");
            cli_put_argument(stream, keys[i]);
            cli_put(stream, ": ");
            cli_put(stream, snpy_status_message(error.error.status));
            cli_put(stream, "\n");
            cli_flush(stream);
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

/* Whether what is chosen is not too much for one call.                                               NPZ-LIMIT-003 */
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

/* Unpacks what was chosen: first all names are judged, then the members follow one another. */
static void unpack_all(unpacking *work)
{
    struct stat about;
    work->in_batches = work->count > FEW_FILES && snpy_can_sync_all(work->root) && fstat(work->root, &about) == 0;
    if (work->in_batches) work->device = about.st_dev;
    for (size_t i = 0; i < work->count; i++) find_path(work, &work->items[i]);
    refuse_collisions(work);
    for (size_t i = 0; i < work->count; i++)
        if (work->items[i].path != NULL) unpack_item(work, &work->items[i]);
    settle_files(work);
    sync_directories(work);
    for (size_t i = 0; i < work->count; i++) free(work->items[i].path);
}

/* Opens the directory, which is made if there is none. It may be a link: the user has named it. */
static bool open_root(unpacking *work)
{
    if (mkdir(work->directory, 0777) == 0 || errno == EEXIST) {
        work->root = snpy_open(work->directory, O_RDONLY | O_DIRECTORY, 0);
        if (work->root >= 0) return true;
    }
    cli_stream *stream = cli_complain();
    cli_put_argument(stream, work->directory);
    cli_put(stream, ": ");
    cli_put(stream, strerror(errno));
    cli_put(stream, "\n");
    cli_flush(stream);
    return false;
}

/* Reads the options. */
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
    if (work.root >= 0) (void)close(work.root); /* only looked into */
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
