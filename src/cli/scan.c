/* scan.c: many files: those below directories, and those that a list names.
 * Proves nothing; tests/cli/test_scan.py tries it. Leaves each file to check.c, and processes to pool.c.
 *
 * Names are used as they come and none is kept, so that a million of them take no more memory than one. */
#define _XOPEN_SOURCE 700 /* NOLINT: nftw */
#include "cli/scan.h"
#include "cli/pool.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Directories that are open at a time: deeper ones cost more calls, not more descriptors. */
#define OPEN_DIRECTORIES 32

typedef struct scan {
    const cli_options *options;
    cli_visit *visit;
    void *context;
    cli_pool *pool; /* NULL: this process does the work */
    enum cli_exit result;
    size_t length;              /* of the names that wait to be handed out, each with its NUL */
    char names[CLI_WORK_BYTES]; /* the names */
} scan;

/* What nftw calls has no other argument. */
static scan *current;

static void raise_result(scan *state, enum cli_exit result)
{
    if (result > state->result) state->result = result;
}

/* Visits names, each with its NUL. This is what a worker does. */
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

/* Hands out the names that wait. Returns false if there is no use in going on. */
static bool hand_out(scan *state)
{
    if (state->length == 0) return true;
    const size_t length = state->length;
    state->length = 0;
    return cli_pool_give(state->pool, state->names, length);
}

/* Visits a name, or has it visited. Returns false if there is no use in going on. */
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

/* Reports what is wrong with a directory or a list. */
static void report(scan *state, const char *name, const char *sentence)
{
    cli_stream *stream = cli_complain();
    cli_put_argument(stream, name);
    cli_put(stream, ": ");
    cli_put(stream, sentence);
    cli_put(stream, "\n");
    cli_flush(stream);
    raise_result(state, CLI_TROUBLE);
}

static void report_unreadable(scan *state, const char *name, int reason)
{
    report(state, name, strerror(reason));
}

/* Whether a file below a directory is one to be checked: by its name, in any case. */
static bool is_wanted(const char *name, const cli_options *options)
{
    const size_t length = strlen(name);
    if (length < 4) return false;
    const char *suffix = name + length - 4;
    return (!options->npz && strcasecmp(suffix, ".npy") == 0) || (!options->npy && strcasecmp(suffix, ".npz") == 0);
}

/* One entry below a directory. Symbolic links are not followed: they could lead out of it, or round in circles. */
static int visit_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    scan *state = current;
    (void)place;
    if (kind == FTW_DNR || kind == FTW_NS) report_unreadable(state, path, errno != 0 ? errno : EACCES);
    if (kind != FTW_F || !S_ISREG(about->st_mode) || !is_wanted(path, state->options)) return 0;
    return add_name(state, path) ? 0 : 1;
}

/* Visits the files below a directory. Returns false if there is no use in going on. */
static bool add_directory(scan *state, const char *path)
{
    current = state;
    const int how = nftw(path, visit_entry, OPEN_DIRECTORIES, FTW_PHYS);
    if (how < 0) report_unreadable(state, path, errno);
    return how <= 0;
}

/* Visits what a name of the command line or of a list means. */
static bool add(scan *state, const char *name)
{
    struct stat about;
    const bool is_directory = state->options->recursive && stat(name, &about) == 0 && S_ISDIR(about.st_mode);
    return is_directory ? add_directory(state, name) : add_name(state, name);
}

/* Visits the names of a list, which end with a newline or with NUL. A name in it is that of a file: "-", too. */
static bool add_lines(scan *state, FILE *list)
{
    const int end = state->options->null ? '\0' : '\n';
    bool goes_on = true;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while (goes_on && (length = getdelim(&line, &room, end, list)) > 0) {
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

/* Visits the names of the list that --files-from names. */
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

/* Visits all names. */
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
