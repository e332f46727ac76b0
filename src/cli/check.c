/* check.c: `safenpy check`: a verdict a file.
 * Proves nothing. Leaves accepted files to accept.c, refusals to report.c. */
#include "cli/cli.h"

/* Judges one file and says so. */
static enum cli_exit check_file(const char *name, const cli_options *options)
{
    snpy_file file;
    enum cli_exit result;
    snpy_status status = cli_judge_file(name, options, !options->no_trailing, &file);
    if (status == SNPY_OK && options->profile == CLI_CANONICAL) status = snpy_judge_canonical(&file);
    if (status == SNPY_OK && !cli_has_no_member(name, options))
        result = CLI_TROUBLE;
    else if (status == SNPY_OK)
        result = cli_put_acceptance(name, &file, options);
    else if (cli_is_archive(name, &file, options))
        result = cli_check_archive(name, &file, options);
    else
        result = cli_report(name, &file, options);
    snpy_array_release(&file.head);
    return result;
}

enum cli_exit cli_check(int argc, char **argv)
{
    cli_options options;
    enum cli_exit result = CLI_ACCEPTED;
    enum cli_parsed parsed = cli_read_options(argc, argv, true, &options);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help(argv[0]) : CLI_TROUBLE;
    for (int i = 0; i < options.file_count && cli_output.error == 0; i++) {
        enum cli_exit one = check_file(options.files[i], &options);
        if (one > result) result = one;
        cli_end_file();
    }
    return result;
}
