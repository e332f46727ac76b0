/* convert.c: `safenpy convert`: writes an array in another order, byte order or version, with the header that NumPy
 * writes, or with its pickle disarmed.
 * The host converts the data, convert_archive.c archives; repairs.c reports repairs. */
#include "cli/pack.h"

#include <string.h>

static const struct option known[] = {{"order", required_argument, NULL, CLI_OPTION_ORDER},
                                      {"byteorder", required_argument, NULL, CLI_OPTION_BYTEORDER},
                                      {"format-version", required_argument, NULL, CLI_OPTION_VERSION},
                                      {"dtype-version", required_argument, NULL, CLI_OPTION_DTYPE_VERSION},
                                      {"canonical", no_argument, NULL, CLI_OPTION_CANONICAL},
                                      {"disarm", no_argument, NULL, CLI_OPTION_DISARM},
                                      {"flatten", no_argument, NULL, CLI_OPTION_FLATTEN},
                                      {"unflatten", no_argument, NULL, CLI_OPTION_UNFLATTEN},
                                      {"protocol", required_argument, NULL, CLI_OPTION_PROTOCOL},
                                      {"numpy", required_argument, NULL, CLI_OPTION_NUMPY},
                                      {"drop-acl", no_argument, NULL, CLI_OPTION_DROP_ACL},
                                      {"store", no_argument, NULL, CLI_OPTION_STORE},
                                      {"deflate", optional_argument, NULL, CLI_OPTION_DEFLATE},
                                      {"threads", required_argument, NULL, CLI_OPTION_THREADS},
                                      {"compat", required_argument, NULL, CLI_OPTION_COMPAT},
                                      CLI_ARRAY_OPTIONS,
                                      CLI_MEMBER_OPTIONS,
                                      CLI_LOCK_OPTION,
                                      {"max-header", required_argument, NULL, CLI_OPTION_MAX_HEADER},
                                      {"max-data-bytes", required_argument, NULL, CLI_OPTION_MAX_DATA_BYTES},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

/* --- the work ---------------------------------------------------------------------------------------------- */

/* Converts an open input and writes the output. Returns the exit status, after a message unless it is CLI_ACCEPTED. */
static enum cli_exit convert_input(const cli_change *change, snpy_file *file, snpy_input *input, snpy_output *output)
{
    snpy_io_error error;
    cli_progress progress;
    const char *to = change->common.files[1];
    const snpy_conversion how = {change->order,
                                 change->byteorder,
                                 change->has_version || change->is_canonical,
                                 change->is_canonical ? SNPY_VERSION_AUTO : change->version,
                                 change->disarms ? snpy_disarm_input : NULL,
                                 change->form,
                                 change->common.files[0],
                                 to,
                                 cli_progress_add,
                                 &progress};
    if (cli_open_output(to, output, &error) != SNPY_OK) return cli_fail(&error);
    output->drop_acl = change->drops_acl;
    cli_progress_begin(&progress, snpy_conversion_work(&how, file, output));
    snpy_status status = snpy_convert_array(&how, file, input, output, &error);
    status = cli_close_output(to, output, status, &error);
    cli_progress_end(&progress);
    if (status == SNPY_TOO_MANY_FIELDS) /* not the limit on fields, which was checked before */
    {
        cli_put(cli_complain_of(error.path), "an element has more than 16777216 parts that are moved or changed\n");
        cli_flush(&cli_messages);
        return CLI_TROUBLE;
    }
    return status == SNPY_OK ? CLI_ACCEPTED : cli_fail(&error);
}

/* Whether an option is given that concerns single arrays only. */
static bool is_of_array(const cli_change *change)
{
    const bool has_limit =
        change->common.limits.max_data_bytes < SNPY_MAX_SIZE; /* a plain copy of members reads no headers */
    return change->has_version || change->common.has_array || change->order != 0 ||
           change->byteorder != SNPY_BYTEORDER_KEEP || (has_limit && !change->is_canonical);
}

/* Whether a name ends in ".npy". */
static bool is_named_array(const char *name)
{
    const size_t length = strlen(name);
    return length >= 4 && strcmp(name + length - 4, ".npy") == 0;
}

/* Whether a name ends in ".npz". */
static bool is_named_archive(const char *name)
{
    const size_t length = strlen(name);
    return length >= 4 && strcmp(name + length - 4, ".npz") == 0;
}

/* Whether a whole archive is to be converted: IN is one, no option concerns a single array, and OUT does not end in
 * ".npy". */
static bool is_of_archive(const cli_change *change, const snpy_file *file)
{
    const bool is_npy = is_named_array(change->common.files[1]);
    return cli_is_whole_archive(file, &change->common) && !is_of_array(change) && !is_npy;
}

/* Returns why the options contradict --all-arrays, which writes an archive; NULL if they do not. */
static const char *contradicts_archive(const cli_change *change)
{
    if (change->common.has_array) return "--array and --all-arrays contradict each other";
    if (change->common.member != NULL) return "--member is for archives, and --all-arrays for a file of several arrays";
    if (change->has_version || change->order != 0 || change->byteorder != SNPY_BYTEORDER_KEEP)
        return "--all-arrays writes an archive: --order, --byteorder and --format-version are for one array";
    if (change->disarms) return "--all-arrays and --disarm contradict each other: disarm the archive that it writes";
    if (is_named_array(change->common.files[1])) return "--all-arrays writes an archive, and OUT is named .npy";
    return NULL;
}

/* Returns why the options contradict --flatten or --unflatten; NULL if they do not. */
static const char *contradicts_flat(const cli_change *change)
{
    if (change->flattens && change->unflattens) return "--flatten and --unflatten contradict each other";
    if (change->disarms) return "what is flattened is disarmed: leave --disarm out";
    if (change->is_canonical || change->common.all_arrays || change->has_version || change->order != 0 ||
        change->byteorder != SNPY_BYTEORDER_KEEP)
        return "--flatten and --unflatten keep the array: options that change or select arrays are not for them";
    if (change->unflattens && (change->common.has_array || change->common.member != NULL))
        return "--unflatten reads a whole archive: --array and --member are not for it";
    if (change->unflattens && change->has_level)
        return "--store and --deflate are for archives, and --unflatten writes an array";
    if (change->flattens && change->has_form)
        return "--protocol and --numpy are for pickles, and --flatten writes none";
    if (change->flattens && is_named_array(change->common.files[1]))
        return "--flatten writes an archive, and OUT is named .npy";
    if (change->unflattens && is_named_archive(change->common.files[1]))
        return "--unflatten writes an array, and OUT is named .npz";
    return NULL;
}

/* Returns false, after a message, if options contradict one another. */
static bool agrees(const cli_change *change)
{
    const char *fault = NULL;
    if (change->is_canonical && change->has_version) fault = "--canonical and --format-version contradict each other";
    if (change->flattens || change->unflattens)
        fault = contradicts_flat(change);
    else if (change->common.all_arrays)
        fault = contradicts_archive(change);
    else if (change->has_level && is_of_array(change))
        fault = "--store and --deflate are for archives, the other options for arrays";
    if (change->has_form && !change->disarms && !change->flattens && !change->unflattens)
        fault = "--protocol and --numpy are for pickles, with --disarm or --unflatten";
    if (change->threads > 0 && !change->has_level) fault = "--threads is for archives, with --deflate";
    if (fault == NULL) return true;
    cli_put(cli_complain(), fault);
    (void)cli_wrong_usage(&cli_messages);
    return false;
}

/* Converts an open input, closes it, and reports repairs and trailing bytes. */
static enum cli_exit convert_open(const cli_change *change, snpy_file *file, snpy_input *input, snpy_output *output)
{
    const char *from = change->common.files[0];
    cli_repairs found;
    cli_find_repairs(file, &change->common.limits, &found);
    enum cli_exit result = convert_input(change, file, input, output);
    if (result == CLI_ACCEPTED) {
        const bool is_all_fixed = cli_put_repairs(from, &found);
        if (change->is_canonical && !is_all_fixed) result = CLI_REFUSED; /* it is written, but not canonical */
        cli_note_trailing(from, file, input);
    }
    snpy_input_close(input);
    return result;
}

/* The context of converting one array. */
typedef struct conversion {
    const cli_change *change;
    snpy_output *output;
} conversion;

/* Opens an array, or an archive, and converts it: the callback of cli_visit_arrays. */
static enum cli_exit convert(const char *from, const cli_options *options, void *context)
{
    const conversion *asked = context;
    snpy_output *output = asked->output;
    cli_change changed = *asked->change;
    const cli_change *change = &changed;
    snpy_file file;
    snpy_input input;
    enum cli_exit result = CLI_ACCEPTED;
    changed.common = *options;
    bool is_open = snpy_input_open_at(from, options->array_start, &options->limits, &file, &input) == SNPY_OK;
    bool is_whole = !is_open && is_of_archive(change, &file);
    if (is_whole) {
        result = cli_convert_archive(change, &file, output);
    } else if (!is_open) {
        result = cli_open_other(from, &change->common, &file, &input);
    } else if (!cli_check_no_member(from, &change->common)) {
        snpy_input_close(&input);
        result = CLI_TROUBLE;
    }
    if (!is_whole && result == CLI_ACCEPTED) result = convert_open(change, &file, &input, output);
    snpy_array_release(&file.head);
    return result;
}

enum cli_exit cli_convert(int argc, char **argv)
{
    cli_change change;
    snpy_output output;
    snpy_io_error error;
    enum cli_parsed parsed = cli_read_change(argc, argv, known, 2, 2, "IN OUT", &change);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help(argv[0]) : CLI_TROUBLE;
    if (!agrees(&change)) return CLI_TROUBLE;
    if (!cli_may_write(change.common.files[1])) return CLI_TROUBLE;
    change.common.refuse = cli_refuse_input;
    cli_catch_signals();
    if (cli_claim_output(change.common.files[1], &change.common, &output, &error) != SNPY_OK) return cli_fail(&error);
    conversion asked = {&change, &output};
    enum cli_exit result;
    if (change.flattens)
        result = cli_flatten(&change, &output);
    else if (change.unflattens)
        result = cli_unflatten(&change, &output);
    else if (change.common.all_arrays)
        result = cli_convert_arrays(&change, &output);
    else if (change.has_level)
        result = cli_convert_archive(&change, NULL, &output);
    else
        result = cli_visit_arrays(change.common.files[0], &change.common, convert, &asked);
    snpy_output_abandon(&output);
    return result;
}
