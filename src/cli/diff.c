/* diff.c: `safenpy diff`: reports how two arrays differ.
 * compare.c compares the elements, object_compare.c objects.
 *
 * Byte order, order of the elements and padding are only ways to store a value, so they count as differences of the
 * headers. */
#include "cli/change.h"
#include "cli/object_compare.h"
#include "cli/payload.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>

enum { OPTION_VALUES = CLI_OPTION_OTHERS };

static const struct option long_options[] = {{"json", no_argument, NULL, CLI_OPTION_JSON},
                                             {"values", no_argument, NULL, OPTION_VALUES},
                                             CLI_MEMBER_OPTIONS,
                                             {"objects", required_argument, NULL, CLI_OPTION_OBJECTS},
                                             {"max-header", required_argument, NULL, CLI_OPTION_MAX_HEADER},
                                             {"max-data-bytes", required_argument, NULL, CLI_OPTION_MAX_DATA_BYTES},
                                             {"compat", required_argument, NULL, CLI_OPTION_COMPAT},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

/* The options, and the state of the report. */
struct report {
    cli_options common;
    bool only_values; /* ignore how the values are stored */
    bool is_first;    /* no difference has been written yet */
};

/* The parts of two headers that are compared, in the order of the output. */
enum item { ITEM_VERSION, ITEM_DESCR, ITEM_ORDER, ITEM_SHAPE, ITEM_DATA_SIZE, ITEM_TRAILING, ITEM_TEXT, ITEM_COUNT };

static const char *const item_names[] = {"version",   "descr",          "fortran_order", "shape",
                                         "data_size", "trailing_bytes", "header"};

/* Whether two dtypes have the same text in NumPy's spelling. */
static bool is_same_descr(const cli_subject *one, const cli_subject *other)
{
    char texts[2][32];
    const snpy_dtype *type = &one->header->dtype;
    if (type->kind != other->header->dtype.kind) return false;
    if (type->kind == SNPY_KIND_RECORD)
        return one->descr_length == other->descr_length && memcmp(one->descr, other->descr, one->descr_length) == 0;
    cli_simple_type(type, texts[0]);
    cli_simple_type(&other->header->dtype, texts[1]);
    return strcmp(texts[0], texts[1]) == 0;
}

/* Whether two headers are the same byte for byte. */
static bool is_same_text(const snpy_file *one, const snpy_file *other)
{
    const snpy_frame *frame = &one->head.header.frame;
    size_t read = 0; /* bytes read: at least the header */
    return frame->data_offset == other->head.header.frame.data_offset &&
           memcmp(snpy_file_start(one, &read), snpy_file_start(other, &read), (size_t)frame->data_offset) == 0;
}

/* Whether two headers agree in an item. The text is only compared if nothing else differs. */
static bool is_same_item(const cli_side *sides, enum item item, bool has_difference)
{
    const snpy_header *one = &sides[0].file.head.header;
    const snpy_header *other = &sides[1].file.head.header;
    switch (item) {
    case ITEM_VERSION:
        return one->frame.major == other->frame.major;
    case ITEM_DESCR:
        return is_same_descr(&sides[0].about, &sides[1].about);
    case ITEM_ORDER:
        return one->fortran_order == other->fortran_order;
    case ITEM_SHAPE:
        return cli_is_same_shape(one, other);
    case ITEM_DATA_SIZE:
        return one->data_size == other->data_size;
    case ITEM_TRAILING:
        return sides[0].trailing == sides[1].trailing;
    default:
        return has_difference || is_same_text(&sides[0].file, &sides[1].file);
    }
}

/* Writes the value that a header has for an item. */
static void put_item(cli_side *side, enum item item, bool json)
{
    const snpy_header *header = &side->file.head.header;
    cli_stream *stream = &cli_output;
    if (item == ITEM_VERSION) {
        cli_say(stream, "%s%" PRIu64 "%s", json ? "\"" : "", (uint64_t)header->frame.major, json ? ".0\"" : ".0");
    } else if (item == ITEM_DESCR) {
        cli_put_type(&side->about, &header->dtype, json);
    } else if (item == ITEM_ORDER) {
        cli_put(stream, header->fortran_order ? "true" : "false");
    } else if (item == ITEM_SHAPE) {
        cli_put(stream, json ? "[" : "(");
        cli_put_shape(header);
        cli_put(stream, json ? "]" : header->ndim == 1 ? ",)" : ")");
    } else if (header->has_object) {
        cli_put(stream, json ? "null" : "unknown"); /* only the pickle tells where it ends */
    } else {
        cli_put_number(stream, item == ITEM_DATA_SIZE ? header->data_size : side->trailing);
    }
}

/* Writes a difference of the headers. */
static void put_difference(cli_side *sides, enum item item, struct report *report)
{
    const bool json = report->common.json;
    cli_stream *stream = &cli_output;
    if (json) {
        cli_put(stream, report->is_first ? "{\"what\": " : ", {\"what\": ");
        cli_json_text(stream, item_names[item]);
    } else {
        cli_say(stream, "%s%s", item_names[item], item == ITEM_TEXT ? ": same meaning, other text" : ": ");
    }
    report->is_first = false;
    if (item != ITEM_TEXT) {
        cli_put(stream, json ? ", \"a\": " : "");
        put_item(&sides[0], item, json);
        cli_put(stream, json ? ", \"b\": " : " | ");
        put_item(&sides[1], item, json);
    }
    cli_put(stream, json ? "}" : "\n");
}

/* Writes all differences of the headers. Returns whether there are any; with --values only those that prevent or change
 * a comparison of values count. */
static bool put_header_differences(cli_side *sides, struct report *report)
{
    bool has_difference = false;
    for (enum item item = ITEM_VERSION; item < ITEM_COUNT; item++) {
        bool counts = !report->only_values || item == ITEM_SHAPE ||
                      (item == ITEM_DESCR && !cli_is_same_layout(&sides[0], &sides[1]));
        if (!counts || is_same_item(sides, item, has_difference)) continue;
        put_difference(sides, item, report);
        has_difference = true;
    }
    return has_difference;
}

/* Writes where the first difference of the values is, and both values. */
static snpy_status put_first(cli_comparison *result, bool json)
{
    const enum cli_style style = json ? CLI_STYLE_JSON : CLI_STYLE_TEXT;
    cli_put(&cli_output, json ? ", \"first\": {" : "; first at ");
    cli_put_place(result, json);
    cli_put(&cli_output, json ? ", \"a\": " : ": ");
    snpy_status status = cli_put_first(result, 0, style);
    cli_put(&cli_output, json ? ", \"b\": " : " | ");
    if (status == SNPY_OK) status = cli_put_first(result, 1, style);
    cli_put(&cli_output, json ? "}" : "");
    return status;
}

/* Writes the result of comparing the values. */
static snpy_status put_values(cli_comparison *result, bool json)
{
    snpy_status status = SNPY_OK;
    cli_put(&cli_output, json ? ", \"count\": " : "values: ");
    if (json || result->differing > 0) cli_put_number(&cli_output, json ? result->count : result->differing);
    if (json) {
        cli_say(&cli_output, ", \"differing\": %" PRIu64, result->differing);
        if (result->differing > 0) status = put_first(result, true);
    } else if (result->differing == 0) {
        cli_put(&cli_output, "equal");
    } else {
        cli_say(&cli_output, " of %" PRIu64 "%s", result->count, result->differing == 1 ? " differs" : " differ");
        status = put_first(result, false);
    }
    return status;
}

/* Writes why the values were not compared. */
static void put_no_values(const cli_side *sides, bool json)
{
    const bool is_same_shape = cli_is_same_shape(&sides[0].file.head.header, &sides[1].file.head.header);
    const char *why = is_same_shape ? "the types differ" : "the shapes differ";
    cli_say(&cli_output, "%s%s%s", json ? ", \"count\": null, \"reason\": \"" : "values: not compared: ", why,
            json ? "\"" : "");
}

/* Decodes the objects of both files and compares them. */
static enum cli_exit compare_objects(cli_side *sides, cli_decoded decoded[2], const struct report *report,
                                     cli_object_differences *found)
{
    static const cli_bounds bounds = {1000, 1000,
                                      false}; /* of arrays that are written as a part of a value: short ones */
    cli_values values[2];
    snpy_io_error error = {.call = NULL};
    for (int i = 0; i < 2; i++) {
        values[i] = (cli_values){sides[i].about.name, NULL, CLI_FORM_JSON, &bounds};
        const snpy_status status =
            cli_decode_objects(&report->common, &sides[i].file, &sides[i].input, &decoded[i], &error);
        if (status != SNPY_OK) return cli_report_read(sides[i].about.name, &error);
        values[i].data = decoded[i].data;
    }
    return cli_compare_objects(values, report->common.json, found);
}

/* Compares the objects of two arrays, and writes the differences and the result. Returns the exit status for all
 * differences. */
static enum cli_exit diff_objects(cli_side *sides, const struct report *report, bool has_difference)
{
    cli_object_differences found = {0, 0, 0};
    cli_decoded decoded[2] = {{NULL, NULL}, {NULL, NULL}};
    const bool json = report->common.json;
    if (json) cli_put(&cli_output, ", \"values\": [");
    const enum cli_exit result = compare_objects(sides, decoded, report, &found);
    const uint64_t count = sides[0].file.head.header.count;
    cli_release_decoded(&decoded[0]);
    cli_release_decoded(&decoded[1]);
    if (json && result == CLI_ACCEPTED)
        cli_say(&cli_output, "], \"more\": %" PRIu64 ", \"count\": %" PRIu64 ", \"differing\": %" PRIu64,
                found.count - found.shown, count, found.differing);
    if (json && result != CLI_ACCEPTED)
        cli_put(&cli_output, "], \"count\": null, \"reason\": \"the objects cannot be compared\"");
    if (result != CLI_ACCEPTED) return CLI_TROUBLE;
    if (!json && found.count > found.shown) cli_say(&cli_output, "and %" PRIu64 " more\n", found.count - found.shown);
    if (!json && found.differing > 0)
        cli_say(&cli_output, "values: %" PRIu64 " of %" PRIu64 "%s\n", found.differing, count,
                found.differing == 1 ? " differs" : " differ");
    else if (!json && has_difference)
        cli_put(&cli_output, "values: equal\n");
    return has_difference || found.differing > 0 ? CLI_REFUSED : CLI_ACCEPTED;
}

/* Whether both arrays have objects, of the same type. */
static bool has_same_objects(const cli_side *sides)
{
    return sides[0].file.head.header.has_object && sides[1].file.head.header.has_object &&
           cli_is_same_shape(&sides[0].file.head.header, &sides[1].file.head.header) &&
           is_same_descr(&sides[0].about, &sides[1].about);
}

/* Compares the values if shapes and types allow it, and writes the result. Returns the exit status for all differences;
 * `has_difference`: the headers differ. */
static enum cli_exit diff_values(cli_side *sides, struct report *report, bool has_difference)
{
    cli_comparison result;
    snpy_io_error error = {.call = NULL};
    if (has_same_objects(sides)) return diff_objects(sides, report, has_difference);
    if (!cli_is_comparable(sides)) {
        put_no_values(sides, report->common.json);
        if (!report->common.json) cli_put(&cli_output, "\n");
        return has_difference ? CLI_REFUSED : CLI_TROUBLE;
    }
    snpy_status status = cli_compare(sides, &result, &error);
    bool is_silent = !report->common.json && (status != SNPY_OK || (!has_difference && result.differing == 0));
    if (status == SNPY_OK && !is_silent) status = put_values(&result, report->common.json);
    if (!report->common.json && !is_silent) cli_put(&cli_output, "\n");
    if (status != SNPY_OK) {
        cli_report_read(sides[result.side].about.name, result.error.error.status != SNPY_OK ? &result.error : &error);
        return CLI_TROUBLE;
    }
    return has_difference || result.differing > 0 ? CLI_REFUSED : CLI_ACCEPTED;
}

/* Writes the names of both files, the beginning of the JSON object. */
static void put_names(const cli_side *sides)
{
    for (int i = 0; i < 2; i++) {
        bool first = true;
        cli_put(&cli_output, i == 0 ? "{\"files\": [{" : "}, {");
        cli_json_file(&cli_output, sides[i].about.name, &first);
    }
    cli_put(&cli_output, "}], \"differences\": [");
}

/* Compares two open files and writes the report. */
static enum cli_exit diff_open(cli_side *sides, struct report *report)
{
    const bool json = report->common.json;
    snpy_io_error error = {.call = NULL};
    for (int i = 0; i < 2; i++) {
        if (cli_prepare_side(&sides[i], &error) == SNPY_OK) continue;
        cli_report_read(sides[i].about.name, &error);
        return CLI_TROUBLE;
    }
    if (json) put_names(sides);
    bool has_difference = put_header_differences(sides, report);
    if (json) cli_put(&cli_output, "]");
    enum cli_exit result = diff_values(sides, report, has_difference);
    if (json) cli_put(&cli_output, "}\n");
    return result;
}

/* Handles one option that getopt found. Returns false after a message. */
static bool take_option(int option, char **argv, struct report *report)
{
    if (option != OPTION_VALUES) return cli_take_option(option, argv, &report->common);
    report->only_values = true;
    return true;
}

/* Returns false, after a message, unless there are two files, at most one of them standard input. */
static bool has_two_files(const cli_options *options)
{
    const bool both =
        options->file_count == 2 && strcmp(options->files[0], "-") == 0 && strcmp(options->files[1], "-") == 0;
    if (options->file_count == 2 && !both) return true;
    cli_put(cli_complain(), both ? "diff: only one of the files can be standard input" : "diff: two files are needed");
    return false;
}

/* Reads the command line into `report`. Returns CLI_WRONG after a message. */
static enum cli_parsed read_report(int argc, char **argv, struct report *report)
{
    bool understood = true;
    int option;
    cli_begin_options(&report->common);
    report->only_values = false;
    report->is_first = true;
    while (understood && (option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        if (option == 'h') return CLI_HELP;
        understood = take_option(option, argv, report);
    }
    report->common.files = argv + optind;
    report->common.file_count = argc - optind;
    if (understood && has_two_files(&report->common)) return CLI_RUN;
    cli_wrong_usage(&cli_messages);
    return CLI_WRONG;
}

/* Reports a refused file on standard error, because standard output is for differences. */
static enum cli_exit refuse_file(const char *name, const snpy_file *file)
{
    return cli_report_to(&cli_messages, name, file);
}

/* Opens a file, or a member of an archive. Returns false, after a message, if it is refused. */
static bool open_side(cli_side *side, const char *name, const cli_options *options)
{
    side->is_member = snpy_input_open(name, &options->limits, &side->file, &side->input) != SNPY_OK;
    if (side->is_member && cli_open_other(name, options, &side->file, &side->input) != CLI_ACCEPTED) return false;
    cli_describe_file(&side->about, name, &side->file);
    return true;
}

enum cli_exit cli_diff(int argc, char **argv)
{
    static cli_side sides[2];
    struct report report;
    enum cli_parsed parsed = read_report(argc, argv, &report);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help(argv[0]) : CLI_TROUBLE;
    if (!report.common.json) report.common.refuse = refuse_file;
    cli_catch_signals();
    sides[0].input.reader.descriptor = -1;
    sides[1].input.reader.descriptor = -1;
    bool is_open = open_side(&sides[0], report.common.files[0], &report.common);
    is_open = open_side(&sides[1], report.common.files[1], &report.common) && is_open;
    /* --member selects from whichever file is an archive; the other may be an NPY file. */
    bool has_archive = sides[0].is_member || sides[1].is_member;
    if (is_open && !has_archive) is_open = cli_check_no_member(report.common.files[0], &report.common);
    enum cli_exit result = is_open ? diff_open(sides, &report) : CLI_TROUBLE;
    for (int i = 0; i < 2; i++) {
        snpy_input_close(&sides[i].input);
        cli_release_steps(&sides[i].steps);
        cli_release_subject(&sides[i].about);
        snpy_array_release(&sides[i].file.head);
    }
    return result;
}
