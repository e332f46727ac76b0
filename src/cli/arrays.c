/* arrays.c: visits the arrays of a file that holds several, as repeated calls of numpy.save on an open file write them.
 * The subcommands handle each array. */
#include "cli/cli.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Moves one->array_start to the next array. Returns false if there is none, or the current array is refused. If that is
 * a failure, reports it, unless the visit of the current array (`is_visited`) did, and raises *result. */
static bool find_next(const char *name, cli_options *one, uint64_t index, bool is_visited, enum cli_exit *result)
{
    const snpy_extent extent = {.start = one->array_start};
    snpy_file file;
    enum cli_exit failure = CLI_ACCEPTED;
    const bool is_accepted = snpy_check_extent(name, &one->limits, true, &extent, &file) == SNPY_OK;
    const bool is_found = is_accepted && file.another != 0;
    if (is_found) {
        one->array_start += file.another;
    } else if (!is_visited && !is_accepted) {
        failure = cli_refuse_by(name, &file, one);
    } else if (!one->all_arrays) {
        cli_warn("%-s: the last array is number %" PRIu64 ", counted from 0%s", name, index,
                 file.head.header.has_object ? "; where an object array ends is not known" : "");
        failure = CLI_TROUBLE;
    }
    if (failure > *result) *result = failure;
    snpy_array_release(&file.head);
    return is_found;
}

/* Whether a file can be read from any offset. Also true if it does not exist, which is reported later. */
static bool can_seek(const char *name)
{
    struct stat about;
    const int found = strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &about) : stat(name, &about);
    return found != 0 || !(S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode) || S_ISCHR(about.st_mode));
}

/* Moves standard input back to `origin`, if it is the file: each visit reads from there. */
static void go_back(const char *name, off_t origin)
{
    if (strcmp(name, "-") == 0 && origin >= 0) (void)lseek(STDIN_FILENO, origin, SEEK_SET);
}

enum cli_exit cli_visit_arrays(const char *name, const cli_options *options, cli_visit_array *visit, void *context)
{
    cli_options one = *options;
    enum cli_exit result = CLI_ACCEPTED;
    bool goes_on = true;
    if (!options->all_arrays && (!options->has_array || options->array == 0)) return visit(name, options, context);
    const off_t origin = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (!can_seek(name)) {
        cli_warn("%-s: arrays after the first are read from a file, not from a pipe", name);
        return CLI_TROUBLE;
    }
    for (uint64_t index = 0; goes_on && cli_output.error == 0; index++) {
        const bool is_wanted = options->all_arrays || index == options->array;
        go_back(name, origin);
        const enum cli_exit visited = is_wanted ? visit(name, &one, context) : CLI_ACCEPTED;
        if (visited > result) result = visited;
        if (is_wanted && !options->all_arrays) return result;
        go_back(name, origin);
        goes_on = find_next(name, &one, index, is_wanted, &result);
    }
    return result;
}
