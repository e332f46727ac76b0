/* unwrap.c: `safenpy unwrap`: writes the data of an array without its header.
 * The host copies the bytes. */
#include "cli/change.h"

static const struct option known[] = {CLI_MEMBER_OPTIONS,
                                      {"drop-acl", no_argument, NULL, CLI_OPTION_DROP_ACL},
                                      CLI_LOCK_OPTION,
                                      {"max-header", required_argument, NULL, CLI_OPTION_MAX_HEADER},
                                      {"max-data-bytes", required_argument, NULL, CLI_OPTION_MAX_DATA_BYTES},
                                      {"compat", required_argument, NULL, CLI_OPTION_COMPAT},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

/* Writes the data of an open input to the output. */
static enum cli_exit unwrap_input(const cli_change *change, const snpy_file *file, snpy_input *input,
                                  snpy_output *output)
{
    const char *from = change->common.files[0];
    const char *to = change->common.files[1];
    snpy_io_error error;
    cli_progress progress;
    const snpy_flow flow = {input, from, snpy_put_output, output, cli_progress_add, &progress};
    if (cli_open_output(to, output, &error) != SNPY_OK) return cli_fail(&error);
    output->drop_acl = change->drops_acl;
    cli_progress_begin(&progress, file->head.header.data_size);
    snpy_status status = snpy_pour(&flow, file->head.header.data_size, &error);
    status = cli_close_output(to, output, status, &error);
    cli_progress_end(&progress);
    if (status != SNPY_OK) return cli_fail(&error);
    cli_note_trailing(from, file, input);
    return CLI_ACCEPTED;
}

enum cli_exit cli_unwrap(int argc, char **argv)
{
    cli_change change;
    snpy_file file;
    snpy_input input;
    snpy_output output;
    snpy_io_error error;
    enum cli_parsed parsed = cli_read_change(argc, argv, known, 2, 2, "IN RAW", &change);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help(argv[0]) : CLI_TROUBLE;
    const char *from = change.common.files[0];
    const char *to = change.common.files[1];
    if (!cli_may_write(to)) return CLI_TROUBLE;
    cli_catch_signals();
    if (cli_claim_output(to, &change.common, &output, &error) != SNPY_OK) return cli_fail(&error);
    change.common.refuse = cli_refuse_input;
    enum cli_exit result = cli_open_input(from, &change.common, &file, &input);
    if (result == CLI_ACCEPTED) {
        file.error.status = file.head.header.has_object ? SNPY_OBJECT_DATA : SNPY_OK;
        result =
            file.head.header.has_object ? cli_refuse_input(from, &file) : unwrap_input(&change, &file, &input, &output);
        snpy_input_close(&input);
    }
    snpy_output_abandon(&output);
    snpy_array_release(&file.head);
    return result;
}
