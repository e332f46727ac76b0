/* unpack.c: `safenpy unpack`: a file for each member of an archive.                            NPZ-PATH-001 … 006
 * Proves nothing; tests/cli/run.py tries it. Leaves names to unpack_path.c, members to src/npz.
 *
 * Each directory is opened in the one in front of it and never through a link, each file is made anew. So whatever
 * other users or the archive itself have put there, nothing is written outside. */
#include "cli/unpack.h"
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
#include <unistd.h>

#include "npz/npz.h"

enum { OPTION_FORCE = CLI_OPTION_OTHERS, OPTION_MAP_NAMES };

static const struct option unpack_options[] = {{"directory", required_argument, NULL, 'd'},
                                               {"force", no_argument, NULL, OPTION_FORCE},
                                               {"map-names", no_argument, NULL, OPTION_MAP_NAMES},
                                               {"max-header", required_argument, NULL, CLI_OPTION_MAX_HEADER},
                                               {"compat", required_argument, NULL, CLI_OPTION_COMPAT},
                                               CLI_ARCHIVE_LIMITS,
                                               {"help", no_argument, NULL, 'h'},
                                               {NULL, 0, NULL, 0}};

/* A member to be unpacked. */
typedef struct item {
    size_t index;
    char *path; /* owned; NULL: refused, and said so */
} item;

/* The work. */
typedef struct unpacking {
    cli_archive about;
    cli_options options; /* those that reports take */
    const char *directory;
    int root; /* the open directory */
    bool force;
    bool map_names;
    item *items;
    size_t count;
    enum cli_exit result;
} unpacking;

/* Keeps the greatest exit status. */
static void note(unpacking *work, enum cli_exit result)
{
    if (result > work->result) work->result = result;
}

/* Says why a member is not unpacked: a rule, or a system call on a path that failed. */
static void refuse(unpacking *work, size_t index, const snpy_io_error *error)
{
    snpy_file file = {.error = error->error, .system_error = error->system_error, .bytes = (const uint8_t *)""};
    const char *shown = cli_member_shown(&work->about, index);
    note(work, cli_report(shown != NULL ? shown : work->about.name, &file, &work->options));
}

/* Likewise, by errno. */
static void refuse_call(unpacking *work, size_t index, int reason)
{
    snpy_io_error error = {.error = {SNPY_IO_ERROR, 0}, .system_error = reason};
    refuse(work, index, &error);
}

/* --- paths ------------------------------------------------------------------------------------------------- */

/* Where a byte of a name in UTF-8 stands in the directory: of code page 437 each character has one byte there. */
static uint64_t place_of(const snpy_zip_member *record, const char *name, size_t at)
{
    size_t place = 0;
    bool is_utf8 = (record->flags & SNPY_ZIP_FLAG_UTF8) != 0;
    for (size_t i = 0; i < at; i++) place += is_utf8 || ((uint8_t)name[i] & 0xc0) != 0x80;
    return record->central_offset + SNPY_CENTRAL_FIXED + place;
}

/* Finds the path of a member; a name that is no good path is refused, or mapped.          NPZ-PATH-001, 002, 004 */
static void find_path(unpacking *work, item *one)
{
    if (work->about.archive.members == NULL) return; /* there is none to be named then */
    const snpy_zip_member *record = &work->about.archive.members[one->index];
    size_t room = 3 * (size_t)record->name_length + 1;
    char *name = malloc(room);
    one->path = malloc(3 * room + 1);
    if (name == NULL || one->path == NULL) refuse_call(work, one->index, ENOMEM);
    snpy_io_error error = {.error = {SNPY_OK, 0}};
    size_t fault = 0;
    bool is_good = name != NULL && one->path != NULL;
    if (is_good) {
        size_t length = snpy_archive_name(&work->about.archive, one->index, name, room);
        if (work->map_names)
            (void)cli_map_path((const uint8_t *)name, length, one->path);
        else
            memcpy(one->path, name, length + 1);
        error.error.status = cli_judge_path((const uint8_t *)one->path, strlen(one->path), &fault);
    }
    if (error.error.status != SNPY_OK) {
        error.error.offset = place_of(record, name, work->map_names ? 0 : fault);
        refuse(work, one->index, &error);
        is_good = false;
    }
    if (!is_good) {
        free(one->path);
        one->path = NULL;
    }
    free(name);
}

/* The order of paths; those that are refused come last, equal ones in the order of the directory. */
static int compare_items(const void *left, const void *right)
{
    const item *one = left;
    const item *other = right;
    if (one->path == NULL || other->path == NULL) return (one->path == NULL) - (other->path == NULL);
    int order = cli_compare_paths(one->path, strlen(one->path), other->path, strlen(other->path));
    if (order != 0) return order;
    return one->index < other->index ? -1 : one->index > other->index;
}

/* Refuses the later of two members whose paths collide.                                               NPZ-PATH-003 */
static void refuse_collisions(unpacking *work)
{
    size_t last = 0;
    if (work->items == NULL || work->about.archive.members == NULL) return; /* nothing was chosen */
    qsort(work->items, work->count, sizeof *work->items, compare_items);
    for (size_t i = 1; i < work->count && work->items[i].path != NULL; i++) {
        item *one = &work->items[last];
        item *other = &work->items[i];
        if (!cli_paths_collide(one->path, other->path)) {
            last = i;
            continue;
        }
        item *later = one->index < other->index ? other : one;
        snpy_io_error error = {.error = {SNPY_ZIP_PATH_COLLIDES, 0}};
        error.error.offset = work->about.archive.members[later->index].central_offset + SNPY_CENTRAL_FIXED;
        refuse(work, later->index, &error);
        free(later->path);
        later->path = NULL;
        if (later == one) last = i;
    }
}

/* --- files ------------------------------------------------------------------------------------------------- */

/* Opens a directory in another one, which is made if there is none; never through a link. -1 with errno. NPZ-PATH-005 */
static int enter(int directory, const char *name)
{
    if (mkdirat(directory, name, 0777) != 0 && errno != EEXIST) return -1;
    return openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Goes through all directories of a path, which is cut at its slashes meanwhile. *last is what stands behind them,
 * empty for a directory. -1 with errno. */
static int descend(int root, char *path, char **last)
{
    int directory = dup(root);
    *last = path;
    for (char *slash = strchr(path, '/'); slash != NULL && directory >= 0; slash = strchr(*last, '/')) {
        *slash = '\0';
        int inner = enter(directory, *last);
        int reason = errno;
        *slash = '/';
        (void)close(directory); /* only looked into */
        errno = reason;
        directory = inner;
        *last = slash + 1;
    }
    return directory;
}

/* Writes a member to an open file. Returns SNPY_OK only if its CRC was right and all of it is written. */
static snpy_status write_member(const unpacking *work, size_t index, int descriptor, snpy_io_error *error)
{
    snpy_member member;
    snpy_status status = snpy_member_open(&work->about.archive, index, &member, error);
    if (status == SNPY_OK) status = cli_pour_member(&member, descriptor, error);
    snpy_member_close(&member);
    return status;
}

/* Gives a complete file its name, which must be new unless files are replaced. */
static snpy_status give_name(const unpacking *work, const char *temporary, int directory, const char *name,
                             snpy_io_error *error)
{
    struct stat about;
    if (!work->force) {
        if (linkat(work->root, temporary, directory, name, 0) == 0) return SNPY_OK;
        if (errno != EPERM && errno != ENOTSUP && errno != EMLINK) return snpy_io_fail(error, "linkat", errno);
        if (fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) == 0) return snpy_io_fail(error, "linkat", EEXIST);
    }
    if (renameat(work->root, temporary, directory, name) != 0) return snpy_io_fail(error, "renameat", errno);
    return SNPY_OK;
}

/* Writes a member to a new file, which is on the disk when this returns. */
static snpy_status write_file(const unpacking *work, size_t index, int descriptor, snpy_io_error *error)
{
    snpy_status status = write_member(work, index, descriptor, error);
    if (status == SNPY_OK) status = snpy_sync(descriptor, error);
    if (status == SNPY_OK) return snpy_close(descriptor, error);
    (void)close(descriptor); /* the file is removed */
    return status;
}

/* Makes a file of a member. It is written in the directory that the user has named, where a signal's handler finds it
 * by its path, and takes its place when it is complete. */
static snpy_status make_file(const unpacking *work, size_t index, int directory, const char *name, snpy_io_error *error)
{
    struct stat about;
    char temporary[64];
    const size_t length = strlen(work->directory);
    char *path = malloc(length + 1 + sizeof temporary);
    if (path == NULL) return snpy_io_no_memory(error, "malloc");
    if (!work->force && fstatat(directory, name, &about, AT_SYMLINK_NOFOLLOW) == 0) {
        free(path);
        return snpy_io_fail(error, "openat", EEXIST);
    }
    (void)snprintf(temporary, sizeof temporary, ".safenpy-%ld-%lu.tmp", (long)getpid(), (unsigned long)index);
    memcpy(path, work->directory, length);
    path[length] = '/';
    memcpy(path + length + 1, temporary, strlen(temporary) + 1);
    int slot = snpy_remember_temporary(path);
    free(path);
    int descriptor = openat(work->root, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        snpy_forget_temporary(slot);
        return snpy_io_fail(error, "openat", errno);
    }
    snpy_status status = write_file(work, index, descriptor, error);
    if (status == SNPY_OK) status = give_name(work, temporary, directory, name, error);
    if (status == SNPY_OK) status = snpy_sync_directory(directory, work->directory, error);
    (void)unlinkat(work->root, temporary, 0); /* by its second name it has taken its place, if all went well */
    snpy_forget_temporary(slot);
    return status;
}

/* Unpacks one member.                                                                   NPZ-PATH-005, NPZ-PATH-006 */
static void unpack_item(unpacking *work, const item *one)
{
    snpy_io_error error;
    char *name = NULL;
    snpy_io_begin(&error, "");
    int directory = descend(work->root, one->path, &name);
    if (directory < 0) {
        refuse_call(work, one->index, errno);
        return;
    }
    snpy_status status = SNPY_OK;
    if (name[0] != '\0') status = make_file(work, one->index, directory, name, &error);
    (void)close(directory); /* only looked into */
    if (status != SNPY_OK) refuse(work, one->index, &error);
}

/* --- the command ------------------------------------------------------------------------------------------- */

/* Chooses the members that are named, or all. Returns false after a message. */
static bool choose(unpacking *work, char **keys, int key_count)
{
    const snpy_archive *archive = &work->about.archive;
    size_t room = key_count > 0 ? (size_t)key_count : archive->count;
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
    for (size_t i = 0; i < work->count; i++) find_path(work, &work->items[i]);
    refuse_collisions(work);
    for (size_t i = 0; i < work->count; i++)
        if (work->items[i].path != NULL) unpack_item(work, &work->items[i]);
    for (size_t i = 0; i < work->count; i++) free(work->items[i].path);
}

/* Opens the directory, which is made if there is none. It may be a link: the user has named it. */
static bool open_root(unpacking *work)
{
    if (mkdir(work->directory, 0777) == 0 || errno == EEXIST) {
        work->root = open(work->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
    while (understood && (option = getopt_long(argc, argv, ":d:h", unpack_options, NULL)) != -1) {
        if (option == 'h') return CLI_HELP;
        if (option == 'd')
            work->directory = optarg;
        else if (option == OPTION_FORCE)
            work->force = true;
        else if (option == OPTION_MAP_NAMES)
            work->map_names = true;
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
    snpy_file file = {.error = {SNPY_BAD_MAGIC, 0}, .bytes = (const uint8_t *)"PK\3\4", .length = 4};
    enum cli_parsed parsed = read_options(argc, argv, &work);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help() : CLI_TROUBLE;
    cli_catch_signals();
    enum cli_exit opened = cli_open_archive(argv[optind], &file, &work.options, &work.about);
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
