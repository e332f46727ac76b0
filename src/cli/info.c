/* info.c: `safenpy info`: what a file's header says.
 * Proves nothing. Leaves the text to info_text.c, JSON to info_json.c, refusals to report.c. */
#include "cli/subject.h"

/* Checks one file and describes it. An empty line parts what standard output has of two files; of one that was not
 * judged it has nothing. */
static enum cli_exit describe(const char *name, const cli_options *options, snpy_file *file, cli_subject *about,
                              bool *has_spoken)
{
    enum cli_exit result = CLI_TROUBLE;
    bool is_accepted = cli_judge_file(name, options, true, file) == SNPY_OK;
    if (!cli_is_start_enough(name, file, options, &result)) return result;
    bool is_known = is_accepted ? options->member == NULL : file->system_error == 0;
    if (!options->json && (is_known || cli_is_archive(name, file, options))) {
        if (*has_spoken) cli_put(&cli_output, "\n");
        *has_spoken = true;
    }
    if (!is_accepted && cli_is_archive(name, file, options)) return cli_info_archive(name, file, options);
    if (!is_accepted) return cli_report(name, file, options);
    if (!cli_has_no_member(name, options)) return CLI_TROUBLE;
    cli_describe_file(about, name, file);
    if (options->json)
        cli_put_info_json(about);
    else
        cli_put_info_text(about);
    return CLI_ACCEPTED;
}

/* What one array after another uses. */
typedef struct description {
    cli_subject about;
    bool has_spoken;
} description;

/* Describes one array, or archive. */
static enum cli_exit describe_array(const char *name, const cli_options *options, void *context)
{
    description *state = context;
    snpy_file file;
    const enum cli_exit result = describe(name, options, &file, &state->about, &state->has_spoken);
    snpy_array_release(&file.head);
    return result;
}

enum cli_exit cli_info(int argc, char **argv)
{
    cli_options options;
    description state = {.has_spoken = false};
    enum cli_exit result = CLI_ACCEPTED;
    enum cli_parsed parsed = cli_read_options(argc, argv, false, &options);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help(argv[0]) : CLI_TROUBLE;
    for (int i = 0; i < options.file_count && cli_output.error == 0; i++) {
        enum cli_exit one = cli_visit_arrays(options.files[i], &options, describe_array, &state);
        if (one > result) result = one;
        cli_end_file();
    }
    cli_release_subject(&state.about);
    return result;
}
