/* info.c: `safenpy info`: describes the header of a file.
 * info_text.c writes text, info_json.c JSON, report.c refusals. */
#include "cli/payload.h"
#include "cli/subject.h"

/* Checks one file and writes what its header says, and with --objects what its object data are. In text, an empty line
 * separates the output of two files; *has_spoken says that one has had output. */
static enum cli_exit describe(const char *name, const cli_options *options, snpy_file *file, cli_subject *about,
                              cli_object_data *objects, bool *has_spoken)
{
    const bool is_wanted = options->objects != CLI_OBJECTS_ANY;
    enum cli_exit result = CLI_TROUBLE;
    bool is_accepted = cli_check_file(name, options, true, file, is_wanted ? objects : NULL) == SNPY_OK &&
                       cli_check_objects(options, file, objects) == SNPY_OK;
    if (!cli_is_start_enough(name, file, options, &result)) return result;
    bool is_known = is_accepted ? options->member == NULL : file->system_error == 0;
    if (!options->json && (is_known || cli_is_archive(name, file, options))) {
        if (*has_spoken) cli_put(&cli_output, "\n");
        *has_spoken = true;
    }
    if (!is_accepted && cli_is_archive(name, file, options)) return cli_info_archive(name, file, options);
    if (!is_accepted) return cli_report(name, file, options);
    if (!cli_check_no_member(name, options)) return CLI_TROUBLE;
    cli_describe_file(about, name, file);
    return cli_put_info(about, objects, options);
}

/* The state that is reused from one array to the next. */
typedef struct description {
    cli_subject about;
    bool has_spoken;
} description;

/* Describes one array, or an archive: the callback of cli_visit_arrays. */
static enum cli_exit describe_array(const char *name, const cli_options *options, void *context)
{
    description *state = context;
    snpy_file file;
    cli_object_data objects = {.is_known = false};
    const enum cli_exit result = describe(name, options, &file, &state->about, &objects, &state->has_spoken);
    cli_release_objects(&objects);
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
