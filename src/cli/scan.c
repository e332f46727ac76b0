/* scan.c: visits many files: those below directories, and those that a list names.
 * check.c checks each file, pool.c shares them among processes.
 *
 * Each name is visited as it is found and then forgotten, so that a million files take no more memory than one. */
#ifdef __linux__
#define _DEFAULT_SOURCE /* NOLINT: DT_REG is in POSIX since 2024 only */
#endif
#include "cli/scan.h"
#include "cli/pool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most directories that are open at a time, one inside another. Deeper ones are visited later. */
#define OPEN_DIRECTORIES 32u

/* A growing list of paths, each ends with NUL. */
typedef struct paths {
    char *bytes;
    size_t length;
    size_t capacity;
} paths;

typedef struct scan {
    const cli_options *options;
    cli_visit *visit;
    void *context;
    cli_pool *pool; /* NULL: this process does the work */
    enum cli_exit result;
    size_t length;              /* bytes of `names` */
    char names[CLI_WORK_BYTES]; /* names not given to the pool yet, each ends with NUL */
} scan;

/* Raises the exit status of the scan to `result`, if that is greater. */
static void raise_result(scan *state, enum cli_exit result)
{
    if (result > state->result) state->result = result;
}

/* Visits the files in a list of names, each ends with NUL: a piece of work for pool.c. */
static enum cli_exit visit_names(const char *names, size_t length, void *context)
{
    scan *state = context;
    state->result = CLI_ACCEPTED;
    for (size_t at = 0; at < length && cli_output.error == 0; at += strlen(names + at) + 1) {
        raise_result(state, state->visit(names + at, state->context));
        cli_end_file();
    }
    return state->result;
}

/* Gives the collected names to the pool. Returns false if the scan must end: a worker is lost, or output fails. */
static bool hand_out(scan *state)
{
    if (state->length == 0) return true;
    const size_t length = state->length;
    state->length = 0;
    return cli_pool_give(state->pool, state->names, length);
}

/* Visits a file, or collects its name for the pool. Returns false if the scan must end. */
static bool add_name(scan *state, const char *name)
{
    const size_t size = strlen(name) + 1;
    if (state->pool == NULL) {
        raise_result(state, state->visit(name, state->context));
        cli_end_file();
        return cli_output.error == 0;
    }
    if (size > sizeof state->names - state->length && !hand_out(state)) return false;
    if (size > sizeof state->names) return cli_pool_give(state->pool, name, size);
    memcpy(state->names + state->length, name, size);
    state->length += size;
    return true;
}

/* Reports a problem with a directory or a list, and raises the result to CLI_TROUBLE. */
static void report(scan *state, const char *name, const char *sentence)
{
    cli_warn("%-s: %s", name, sentence);
    raise_result(state, CLI_TROUBLE);
}

/* Reports that a directory or a list cannot be read; `reason` is an errno. */
static void report_unreadable(scan *state, const char *name, int reason)
{
    report(state, name, strerror(reason));
}

/* Whether a file found in a directory is to be checked: its name ends in .npy or .npz, in any case. */
static bool is_wanted(const char *name, const cli_options *options)
{
    const size_t length = strlen(name);
    if (length < 4) return false;
    const char *suffix = name + length - 4;
    return (!options->npz && strcasecmp(suffix, ".npy") == 0) || (!options->npy && strcasecmp(suffix, ".npz") == 0);
}

/* The kinds of entries of a directory that the scan distinguishes. */
enum kind { KIND_OTHER, KIND_FILE, KIND_DIRECTORY, KIND_UNREADABLE };

/* Returns the kind of an entry. A call of stat per file would take a fifth of the scan's time, so it is made only if
 * the directory does not tell. Symbolic links are not followed: they could lead out of the directory, or into a
 * cycle. */
static enum kind kind_of(int directory, const struct dirent *entry)
{
    struct stat about;
#ifdef DT_UNKNOWN
    if (entry->d_type == DT_REG) return KIND_FILE;
    if (entry->d_type == DT_DIR) return KIND_DIRECTORY;
    if (entry->d_type != DT_UNKNOWN) return KIND_OTHER;
#endif
    if (fstatat(directory, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) return KIND_UNREADABLE;
    if (S_ISREG(about.st_mode)) return KIND_FILE;
    return S_ISDIR(about.st_mode) ? KIND_DIRECTORY : KIND_OTHER;
}

/* Appends bytes to a list. Returns false if there is no memory. */
static bool append(paths *list, const char *bytes, size_t length)
{
    if (length > list->capacity - list->length) {
        const size_t wanted = list->length + length;
        const size_t capacity = wanted < 4096 ? 4096 : wanted / 2 * 3;
        char *grown = realloc(list->bytes, capacity);
        if (grown == NULL) return false;
        list->bytes = grown;
        list->capacity = capacity;
    }
    memcpy(list->bytes + list->length, bytes, length);
    list->length += length;
    return true;
}

/* The directories on the current path that are open, the innermost last. */
typedef struct walk {
    paths path;    /* path of the innermost directory, or of an entry of it while that is visited */
    paths waiting; /* directories too deep to be opened yet; the last is opened next */
    size_t depth;
    struct level {
        DIR *stream;
        size_t length; /* length of its path, with the slash */
    } levels[OPEN_DIRECTORIES];
} walk;

/* Opens a directory, whose path is in about->path, by its name in the innermost one. Returns false, with errno, if that
 * fails. */
static bool enter(walk *about, const char *name, int how)
{
    const int parent = about->depth > 0 ? dirfd(about->levels[about->depth - 1].stream) : AT_FDCWD;
    const int descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | how);
    DIR *stream = descriptor >= 0 ? fdopendir(descriptor) : NULL;
    if (stream == NULL) {
        const int reason = errno;
        if (descriptor >= 0) (void)close(descriptor);
        errno = reason;
        return false;
    }
    size_t length = strlen(about->path.bytes);
    const bool has_slash = about->path.bytes[length - 1] == '/';
    about->path.length = length;
    if (!append(&about->path, "/", has_slash ? 0 : 1)) {
        (void)closedir(stream);
        errno = ENOMEM;
        return false;
    }
    about->levels[about->depth++] = (struct level){stream, about->path.length};
    return true;
}

/* Visits an entry of the innermost directory: a file, or opens a directory. Returns false if the scan must end. */
static bool visit_entry(scan *state, walk *about, const struct dirent *entry)
{
    const struct level *inside = &about->levels[about->depth - 1];
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return true;
    const enum kind kind = kind_of(dirfd(inside->stream), entry);
    if (kind == KIND_OTHER || (kind == KIND_FILE && !is_wanted(name, state->options))) return true;
    const int reason = errno;
    about->path.length = inside->length;
    if (!append(&about->path, name, strlen(name) + 1)) {
        report_unreadable(state, name, ENOMEM);
        return true;
    }
    const char *path = about->path.bytes;
    if (kind == KIND_FILE) return add_name(state, path);
    if (kind == KIND_UNREADABLE)
        report_unreadable(state, path, reason);
    else if (about->depth == OPEN_DIRECTORIES ? !append(&about->waiting, path, about->path.length)
                                              : !enter(about, name, O_NOFOLLOW))
        report_unreadable(state, path, errno);
    return true;
}

/* Visits the files below the directory that was opened, and closes it. Returns false if the scan must end. */
static bool visit_below(scan *state, walk *about)
{
    bool goes_on = true;
    while (about->depth > 0) {
        const struct level *inside = &about->levels[about->depth - 1];
        errno = 0;
        const struct dirent *entry = goes_on ? readdir(inside->stream) : NULL;
        if (entry != NULL) {
            goes_on = visit_entry(state, about, entry);
            continue;
        }
        if (errno != 0) {
            about->path.bytes[inside->length - 1] = '\0';
            report_unreadable(state, about->path.bytes, errno);
        }
        (void)closedir(inside->stream); /* only read from */
        about->depth--;
    }
    return goes_on;
}

/* Moves the last waiting path to about->path. */
static void take_waiting(walk *about)
{
    const char *bytes = about->waiting.bytes;
    size_t begin = about->waiting.length - 1;
    while (begin > 0 && bytes[begin - 1] != '\0') begin--;
    about->path.length = 0;
    (void)append(&about->path, bytes + begin, about->waiting.length - begin); /* cannot fail: it was that long before */
    about->waiting.length = begin;
}

/* Visits the files below a directory. Returns false if the scan must end. */
static bool add_directory(scan *state, const char *path)
{
    static walk about;
    bool goes_on = true;
    int how = 0; /* a symbolic link that the user named is followed */
    about.waiting.length = 0;
    if (!append(&about.waiting, path, strlen(path) + 1)) report_unreadable(state, path, ENOMEM);
    for (; goes_on && about.waiting.length > 0; how = O_NOFOLLOW) {
        take_waiting(&about);
        if (enter(&about, about.path.bytes, how))
            goes_on = visit_below(state, &about);
        else
            report_unreadable(state, about.path.bytes, errno);
    }
    return goes_on;
}

/* Visits a file, or with --recursive the files below a directory. Returns false if the scan must end. */
static bool add(scan *state, const char *name)
{
    struct stat about;
    const bool is_directory = state->options->recursive && stat(name, &about) == 0 && S_ISDIR(about.st_mode);
    return is_directory ? add_directory(state, name) : add_name(state, name);
}

/* Visits the names of an open list, which end with a newline or NUL. In a list "-" is the name of a file. Returns false
 * if the scan must end. */
static bool add_lines(scan *state, FILE *list)
{
    const int end = state->options->null ? '\0' : '\n';
    bool goes_on = true;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    while (goes_on && (length = getdelim(&line, &capacity, end, list)) > 0) {
        if (line[length - 1] == end) line[--length] = '\0';
        if (length == 0) continue;
        if (strlen(line) != (size_t)length)
            report(state, state->options->files_from,
                   "a name has a zero byte in it: -0 is for names that end with one");
        else
            goes_on = add(state, strcmp(line, "-") == 0 ? "./-" : line);
    }
    free(line);
    return goes_on;
}

/* Visits the names of the list that --files-from gives. Returns false if the scan must end. */
static bool add_list(scan *state, const char *path)
{
    const bool is_input = strcmp(path, "-") == 0;
    errno = 0;
    FILE *list = is_input ? stdin : fopen(path, "r");
    if (list == NULL) {
        report_unreadable(state, path, errno);
        return true;
    }
    const bool goes_on = add_lines(state, list);
    if (ferror(list)) report_unreadable(state, path, errno != 0 ? errno : EIO);
    if (!is_input) (void)fclose(list); /* only read from */
    return goes_on;
}

/* Visits all files of the list and of the command line. */
static void add_all(scan *state)
{
    const cli_options *options = state->options;
    bool goes_on = options->files_from == NULL || add_list(state, options->files_from);
    for (int i = 0; i < options->file_count && goes_on; i++) goes_on = add(state, options->files[i]);
    if (goes_on && state->pool != NULL) (void)hand_out(state);
}

enum cli_exit cli_scan(const cli_options *options, cli_visit *visit, void *context)
{
    static cli_pool pool; /* too large for a stack */
    static scan state;
    state = (scan){.options = options, .visit = visit, .context = context};
    const bool is_single = !options->recursive && options->files_from == NULL && options->file_count == 1;
    if (options->jobs > 1 && !is_single) {
        if (!cli_pool_begin(&pool, (unsigned)options->jobs, visit_names, &state)) return CLI_TROUBLE;
        state.pool = &pool;
    }
    add_all(&state);
    if (state.pool != NULL) raise_result(&state, cli_pool_end(&pool));
    return state.result;
}
