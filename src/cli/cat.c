/* cat.c: `safenpy cat`: prints the elements of arrays, or of parts of them.
 * index.c reads indices, print.c prints elements. */
#include "cli/change.h"
#include "cli/data.h"
#include "cli/payload.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_SLICE = CLI_OPTION_OTHERS, OPTION_OUTPUT, OPTION_FORMAT, OPTION_MAX_ELEMENTS, OPTION_MAX_COLUMNS };

/* Limits on what is printed, unless an option changes them. */
#define USUAL_ELEMENTS 1000000u
#define USUAL_COLUMNS 100000u

static const struct option long_options[] = {{"slice", required_argument, NULL, OPTION_SLICE},
                                             {"output", required_argument, NULL, OPTION_OUTPUT},
                                             {"format", required_argument, NULL, OPTION_FORMAT},
                                             {"max-elements", required_argument, NULL, OPTION_MAX_ELEMENTS},
                                             {"max-columns", required_argument, NULL, OPTION_MAX_COLUMNS},
                                             CLI_ARRAY_OPTIONS,
                                             CLI_MEMBER_OPTIONS,
                                             {"objects", required_argument, NULL, CLI_OPTION_OBJECTS},
                                             {"max-header", required_argument, NULL, CLI_OPTION_MAX_HEADER},
                                             {"max-data-bytes", required_argument, NULL, CLI_OPTION_MAX_DATA_BYTES},
                                             {"compat", required_argument, NULL, CLI_OPTION_COMPAT},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

/* The options of the command. */
struct request {
    cli_options common;
    const char *slice; /* the argument of --slice; NULL: indices follow the name of each file */
    enum cli_form form;
    cli_bounds bounds;
};

/* Reads the argument of --output or --format. Returns false after a message. */
static bool read_form(const char *option, const char *argument, enum cli_form *form)
{
    static const char *const names[] = {"text", "csv", "json", "raw"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(argument, names[i]) != 0) continue;
        *form = (enum cli_form)i;
        return true;
    }
    cli_put(cli_complain_about(option, argument), "a form of output: use text, csv, json or raw");
    return false;
}

/* Handles one option that getopt found. Returns false after a message. */
static bool take_option(int option, char **argv, struct request *request)
{
    if (option == OPTION_OUTPUT) return read_form("--output", optarg, &request->form);
    if (option == OPTION_FORMAT) return read_form("--format", optarg, &request->form);
    if (option == OPTION_MAX_ELEMENTS)
        return cli_read_number("--max-elements", optarg, UINT64_MAX, &request->bounds.elements);
    if (option == OPTION_MAX_COLUMNS) {
        request->bounds.has_columns = true;
        return cli_read_number("--max-columns", optarg, UINT64_MAX, &request->bounds.columns);
    }
    if (option != OPTION_SLICE) return cli_take_option(option, argv, &request->common);
    request->slice = optarg;
    return true;
}

/* Returns false, after a message, if raw bytes would go to a terminal, which they could control. */
static bool may_write_raw(const struct request *request)
{
    if (request->form != CLI_FORM_RAW || isatty(cli_output.descriptor) != 1) return true;
    cli_put(cli_complain(), "cat: raw bytes are not written to a terminal");
    return false;
}

/* Reads the command line into `request`. Returns CLI_WRONG after a message. */
static enum cli_parsed read_request(int argc, char **argv, struct request *request)
{
    bool understood = true;
    int option;
    cli_begin_options(&request->common);
    request->slice = NULL;
    request->form = CLI_FORM_TEXT;
    request->bounds = (cli_bounds){USUAL_ELEMENTS, USUAL_COLUMNS, false};
    while (understood && (option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        if (option == 'h') return CLI_HELP;
        understood = take_option(option, argv, request);
    }
    request->common.files = argv + optind;
    request->common.file_count = argc - optind;
    if (understood && cli_has_file(&request->common, argv[0]) && may_write_raw(request)) return CLI_RUN;
    cli_wrong_usage(&cli_messages);
    return CLI_WRONG;
}

/* The state that is reused from one file to the next. */
struct reused {
    cli_subject about;
    snpy_input input;
};

/* Prints the values of object data that `indices` selects. */
static enum cli_exit print_objects(struct reused *reused, snpy_file *file, const char *argument, const char *indices,
                                   const struct request *request)
{
    cli_values objects = {reused->about.name, NULL, request->form, &request->bounds};
    cli_decoded decoded;
    snpy_io_error error = {.call = NULL};
    enum cli_exit result;
    if (cli_decode_objects(&request->common, file, &reused->input, &decoded, &error) == SNPY_OK) {
        objects.data = decoded.data;
        result = cli_print_selected(&objects, argument, indices);
    } else {
        result = cli_report_read(reused->about.name, &error);
    }
    cli_release_decoded(&decoded);
    return result;
}

/* Prints the elements of an open file that `indices` selects. `argument` is the text that messages about indices
 * quote. */
static enum cli_exit print_open(struct reused *reused, snpy_file *file, const char *argument, const char *indices,
                                const struct request *request)
{
    snpy_view view;
    snpy_io_error error = {.call = NULL};
    const snpy_header *header = reused->about.header;
    if (header->has_object) return print_objects(reused, file, argument, indices, request);
    snpy_status status = snpy_view_open(header, header->data_size, &view, &error.error);
    if (status != SNPY_OK) return cli_report_read(reused->about.name, &error);
    if (!cli_take_index(&reused->about, argument, indices, &view))
        return cli_output.error == 0 ? cli_wrong_usage(&cli_messages) : CLI_TROUBLE;
    return cli_print(&reused->about, &reused->input, &view, request->form, &request->bounds);
}

/* Reports a refused file on standard error, because standard output is for elements. */
static enum cli_exit refuse_file(const char *name, const snpy_file *file)
{
    return cli_report_to(&cli_messages, name, file);
}

/* How each array of a file is printed. */
struct part {
    struct reused *reused;
    const char *argument;
    const char *indices; /* the end of `argument`: the indices */
    const struct request *request;
};

/* Opens one array of a file and prints it: the callback of cli_visit_arrays. */
static enum cli_exit print_array(const char *name, const cli_options *options, void *context)
{
    const struct part *part = context;
    struct reused *reused = part->reused;
    snpy_file file = {.size = 0};
    enum cli_exit result = cli_open_input(name, options, &file, &reused->input);
    if (result == CLI_ACCEPTED) {
        cli_describe_file(&reused->about, name, &file);
        result = print_open(reused, &file, part->argument, part->indices, part->request);
        snpy_input_close(&reused->input);
    }
    snpy_array_release(&file.head);
    return result;
}

/* Splits an argument into a file name and indices, and prints that file. */
static enum cli_exit print_argument(struct reused *reused, const char *argument, const struct request *request)
{
    const bool has_slice = request->slice != NULL;
    const size_t length = has_slice ? strlen(argument) : cli_name_length(argument);
    const snpy_io_error no_memory = {.error = {SNPY_NO_MEMORY, 0}, .system_error = ENOMEM, .call = "malloc"};
    char *name = malloc(length + 1); /* the argument without its indices */
    if (name == NULL) return cli_report_read(argument, &no_memory);
    memcpy(name, argument, length);
    name[length] = '\0';
    struct part part = {reused, has_slice ? request->slice : argument, has_slice ? request->slice : argument + length,
                        request};
    enum cli_exit result = cli_visit_arrays(name, &request->common, print_array, &part);
    free(name);
    return result;
}

enum cli_exit cli_cat(int argc, char **argv)
{
    struct request request;
    struct reused reused = {.input = {.reader = {.descriptor = -1}}};
    enum cli_exit result = CLI_ACCEPTED;
    enum cli_parsed parsed = read_request(argc, argv, &request);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help(argv[0]) : CLI_TROUBLE;
    request.common.refuse = refuse_file;
    cli_catch_signals();
    for (int i = 0; i < request.common.file_count && cli_output.error == 0; i++) {
        enum cli_exit one = print_argument(&reused, request.common.files[i], &request);
        if (one > result) result = one;
        cli_end_file();
    }
    cli_release_subject(&reused.about);
    return result;
}
