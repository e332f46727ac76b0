/* check.c: `safenpy check`: a verdict a file.
 * Proves nothing. Leaves refusals to report.c. */
#include "cli/cli.h"
#include "cli/scan.h"
#include "cli/summary.h"

/* Begins a note behind an accepted file's name, or another string of the array in JSON. */
static void begin_note(bool json, bool *first)
{
    if (json)
        cli_put(&cli_output, *first ? "\"" : ", \"");
    else
        cli_put(&cli_output, ", note: ");
    *first = false;
}

/* Ends a note. Notes are plain ASCII, so that both forms are the same text. */
static void end_note(bool json, const char *text)
{
    cli_put(&cli_output, text);
    if (json) cli_put(&cli_output, "\"");
}

void cli_put_notes(const snpy_file *file, bool json)
{
    const snpy_header *header = &file->header;
    const snpy_frame *frame = &header->frame;
    bool first = true;
    if (header->has_object) {
        begin_note(json, &first);
        end_note(json, "object data are a pickle, which is not checked");
    } else if (file->size - frame->data_offset > header->data_size) {
        uint64_t trailing = file->size - frame->data_offset - header->data_size;
        begin_note(json, &first);
        cli_put_number(&cli_output, trailing);
        end_note(json, trailing == 1 ? " trailing byte" : " trailing bytes");
    }
    if (frame->data_offset % CLI_DATA_ALIGNMENT != 0) {
        begin_note(json, &first);
        cli_put(&cli_output, "data begin at byte ");
        cli_put_number(&cli_output, frame->data_offset);
        end_note(json, ", not a multiple of 64");
    }
    if (file->bytes[frame->data_offset - 1] != '\n') { /* an empty header is refused */
        begin_note(json, &first);
        end_note(json, "header does not end with a newline");
    }
}

/* Puts the version of the format: "1.0". */
static void put_version(const snpy_frame *frame)
{
    cli_put_number(&cli_output, frame->major);
    cli_put(&cli_output, ".");
    cli_put_number(&cli_output, frame->minor);
}

void cli_json_format(const snpy_frame *frame, bool *first)
{
    cli_json_key(&cli_output, "format", first);
    cli_put(&cli_output, "\"npy\"");
    cli_json_key(&cli_output, "version", first);
    cli_put(&cli_output, "\"");
    put_version(frame);
    cli_put(&cli_output, "\"");
}

enum cli_exit cli_put_acceptance(const char *name, const snpy_file *file, const cli_options *options)
{
    if (options->quiet) return CLI_ACCEPTED;
    if (options->json) {
        bool first = true;
        cli_put(&cli_output, "{");
        cli_json_file(&cli_output, name, &first);
        cli_json_format(&file->header.frame, &first);
        cli_put(&cli_output, ", \"verdict\": \"accept\", \"notes\": [");
        cli_put_notes(file, true);
        cli_put(&cli_output, "]}\n");
    } else {
        cli_put_argument(&cli_output, name);
        cli_put(&cli_output, ": accept, npy ");
        put_version(&file->header.frame);
        cli_put_notes(file, false);
        cli_put(&cli_output, "\n");
    }
    return CLI_ACCEPTED;
}

snpy_status cli_judge_file(const char *name, const cli_options *options, bool allow_trailing, snpy_workspace *workspace,
                           snpy_file *file)
{
    (void)snpy_judge_file(name, &options->limits, allow_trailing, workspace, file);
    if (options->npz && file->system_error == 0) file->error = (snpy_error){SNPY_BAD_MAGIC, 0};
    return file->error.status;
}

/* Checks one file and reports on it. */
static enum cli_exit check_file(const char *name, const cli_options *options, snpy_workspace *workspace)
{
    snpy_file file = {.length = 0};
    snpy_status status = cli_judge_file(name, options, !options->no_trailing, workspace, &file);
    if (file.system_error == 0) cli_counts.bytes += file.size;
    if (status != SNPY_OK && cli_is_archive(name, &file, options))
        return cli_check_archive(name, &file, options, workspace);
    if (status == SNPY_OK && options->profile == CLI_CANONICAL) status = snpy_judge_canonical(workspace, &file);
    return status == SNPY_OK ? cli_put_acceptance(name, &file, options) : cli_report(name, &file, options);
}

/* What the check of each file needs. */
typedef struct checker {
    const cli_options *options;
    snpy_workspace workspace;
} checker;

/* Checks one file of a scan, and counts it. */
static enum cli_exit visit(const char *name, void *context)
{
    checker *state = context;
    const enum cli_exit result = check_file(name, state->options, &state->workspace);
    if (result == CLI_ACCEPTED) cli_counts.accepted++;
    if (result == CLI_REFUSED) cli_counts.refused++;
    if (result == CLI_TROUBLE) cli_counts.unreadable++;
    return result;
}

enum cli_exit cli_check(int argc, char **argv)
{
    cli_options options;
    checker state = {.options = &options};
    enum cli_parsed parsed = cli_read_options(argc, argv, true, &options);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help() : CLI_TROUBLE;
    const bool has_summary =
        options.summary_only || ((options.recursive || options.files_from != NULL) && !options.quiet);
    options.quiet = options.quiet || options.summary_only;
    cli_begin_summary();
    const enum cli_exit result = cli_scan(&options, visit, &state);
    if (has_summary) cli_put_summary(options.json);
    snpy_workspace_release(&state.workspace);
    return result;
}
