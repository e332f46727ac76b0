/* check.c: `safenpy check`: writes one verdict per file.
 * accept.c reports accepted files, report.c refusals. */
#include "cli/change.h"
#include "cli/payload.h"
#include "cli/pool.h"
#include "cli/scan.h"
#include "cli/summary.h"

#include <errno.h>

/* Reports a file that was checked as an NPY file, or checks it as an archive. */
static enum cli_exit put_verdict(const char *name, const snpy_file *file, const cli_object_data *objects,
                                 const cli_options *options)
{
    const bool is_accepted = file->error.status == SNPY_OK;
    if (is_accepted && !cli_check_no_member(name, options)) return CLI_TROUBLE;
    if (is_accepted) return cli_put_acceptance(name, file, objects, options);
    if (cli_is_archive(name, file, options)) return cli_check_archive(name, file, options);
    return cli_report(name, file, options);
}

/* Checks one array, or archive, and reports its verdict. */
static enum cli_exit check_array(const char *name, const cli_options *options, void *context)
{
    (void)context;
    snpy_file file;
    cli_object_data objects;
    enum cli_exit result;
    snpy_status status = cli_check_file(name, options, (options->refused & CLI_REFUSE_TRAILING) == 0, &file, &objects);
    if (file.system_error == 0 && (file.start == 0 || options->all_arrays)) cli_counts.bytes += file.size;
    if (status == SNPY_OK && options->profile == CLI_CANONICAL) (void)snpy_check_canonical_file(&file);
    (void)cli_check_objects(options, &file, &objects);
    if (cli_is_start_enough(name, &file, options, &result)) result = put_verdict(name, &file, &objects, options);
    if (file.system_error == EISDIR && !options->json && !options->junit)
        cli_warn("-r checks the files below a directory");
    cli_release_objects(&objects);
    snpy_array_release(&file.head);
    return result;
}

/* Checks one file of a scan, and counts it. */
static enum cli_exit visit(const char *name, void *context)
{
    const enum cli_exit result = cli_visit_arrays(name, context, check_array, NULL);
    if (result == CLI_ACCEPTED) cli_counts.accepted++;
    if (result == CLI_REFUSED) cli_counts.refused++;
    if (result == CLI_TROUBLE) cli_counts.unreadable++;
    if (!cli_pool_is_worker()) cli_show_counts();
    return result;
}

enum cli_exit cli_check(int argc, char **argv)
{
    cli_options options;
    enum cli_parsed parsed = cli_read_options(argc, argv, true, &options);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help(argv[0]) : CLI_TROUBLE;
    const bool is_scan = options.recursive || options.files_from != NULL;
    const bool has_summary = options.summary_only || (is_scan && !options.quiet && !options.junit);
    options.quiet = options.quiet || options.summary_only;
    cli_begin_summary(is_scan);
    if (is_scan) cli_catch_signals(); /* which take the bar away */
    if (options.junit) cli_junit_begin();
    const enum cli_exit result = cli_scan(&options, visit, &options);
    cli_hide_counts();
    if (options.junit) cli_junit_end();
    if (has_summary) cli_put_summary(options.json);
    return result;
}
