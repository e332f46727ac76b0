/* wrap.c: `safenpy wrap`: writes raw bytes as an array.
 * Type and shape are written into the text of a header, which the core parses. */
#include "cli/change.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option known[] = {{"dtype", required_argument, NULL, CLI_OPTION_DTYPE},
                                      {"shape", required_argument, NULL, CLI_OPTION_SHAPE},
                                      {"order", required_argument, NULL, CLI_OPTION_ORDER},
                                      {"format-version", required_argument, NULL, CLI_OPTION_VERSION},
                                      {"dtype-version", required_argument, NULL, CLI_OPTION_DTYPE_VERSION},
                                      {"drop-acl", no_argument, NULL, CLI_OPTION_DROP_ACL},
                                      CLI_LOCK_OPTION,
                                      {"compat", required_argument, NULL, CLI_OPTION_COMPAT},
                                      {"max-header", required_argument, NULL, CLI_OPTION_MAX_HEADER},
                                      {"help", no_argument, NULL, 'h'},
                                      {NULL, 0, NULL, 0}};

/* The text around the type in a header. */
static const char before_type[] = "{'descr': ";
static const char after_type[] = ", 'fortran_order': False, 'shape': (";

/* The shape that --shape gives. */
typedef struct lengths {
    uint32_t ndim;
    uint32_t open; /* the axis whose length is -1; ndim if no axis has it */
    uint64_t dims[SNPY_MAX_NDIM];
} lengths;

/* The state of the work. */
typedef struct wrapping {
    const cli_change *change;
    const char *from;
    const char *to;
    lengths shape;
    snpy_array head; /* the parsed header, of version 3.0, so that the user's text is UTF-8 */
    snpy_input input;
    snpy_output output; /* claimed before the input is read */
    uint64_t size;      /* bytes of the input */
    bool knows_size;
} wrapping;

/* --- the arguments ----------------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *at)
{
    while (*at == ' ') at++;
    return at;
}

/* Reads one dimension, a number or -1. Returns the text after it; NULL if it is neither, or there is a second -1. */
static const char *read_dimension(const char *at, lengths *shape)
{
    uint64_t length = 0;
    if (shape->ndim == SNPY_MAX_NDIM) return NULL;
    if (at[0] == '-' && at[1] == '1' && shape->open == UINT32_MAX) {
        shape->open = shape->ndim;
        shape->dims[shape->ndim++] = 1;
        return at + 2;
    }
    if (*at < '0' || *at > '9') return NULL;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (length > SNPY_MAX_SIZE / 10) return NULL;
        length = length * 10 + (uint64_t)(*at - '0');
    }
    shape->dims[shape->ndim++] = length;
    return at;
}

/* Reads dimensions up to `end`, such as "3, 4" or "3,". Returns false if the text is anything else. */
static bool read_dimensions(const char *at, const char *end, lengths *shape)
{
    while ((at = skip_blanks(at)) < end) {
        at = read_dimension(at, shape);
        if (at == NULL) return false;
        at = skip_blanks(at);
        if (at >= end) return at == end;
        if (*at++ != ',') return false;
    }
    return at == end;
}

/* Reads the argument of --shape: "3,4", "(3, 4)", "()". Returns false after a message. */
static bool read_shape(const char *argument, lengths *shape)
{
    const char *at = skip_blanks(argument);
    size_t length = strlen(at);
    while (length > 0 && at[length - 1] == ' ') length--;
    const bool has_parentheses = length >= 2 && at[0] == '(' && at[length - 1] == ')';
    const char *end = has_parentheses ? at + length - 1 : at + length;
    if (has_parentheses) at = skip_blanks(at + 1);
    shape->ndim = 0;
    shape->open = UINT32_MAX;
    bool is_shape = at >= end ? has_parentheses : read_dimensions(at, end, shape);
    if (shape->open == UINT32_MAX) shape->open = shape->ndim;
    if (!is_shape)
        cli_put(cli_complain_about("--shape", argument),
                "a shape: up to 64 lengths as in 3,4 or (3, 4), one of them perhaps -1");
    return is_shape;
}

/* Whether --dtype is written as in a header, with quotes or brackets. */
static bool is_literal(const char *dtype)
{
    return dtype[0] == '[' || dtype[0] == '(' || dtype[0] == '\'' || dtype[0] == '"';
}

/* Makes a header, prefix and text, of type and shape. The caller frees it. Returns NULL if there is no memory. */
static uint8_t *write_text(const char *dtype, const lengths *shape, size_t *size)
{
    const char *quote = is_literal(dtype) ? "" : "'";
    const size_t capacity =
        SNPY_MAX_PREFIX + sizeof before_type + strlen(dtype) + sizeof after_type + 40 + (size_t)24 * SNPY_MAX_NDIM;
    char *text = malloc(capacity);
    if (text == NULL) return NULL;
    size_t at = SNPY_MAX_PREFIX;
    at += (size_t)snprintf(text + at, capacity - at, "%s%s%s%s%s", before_type, quote, dtype, quote, after_type);
    for (uint32_t k = 0; k < shape->ndim; k++)
        at += (size_t)snprintf(text + at, capacity - at, "%llu,", (unsigned long long)shape->dims[k]);
    at += (size_t)snprintf(text + at, capacity - at, ")}\n");
    memcpy(text, "\x93NUMPY\x03", 8);
    for (size_t i = 0; i < 4; i++) text[8 + i] = (char)(uint8_t)((at - SNPY_MAX_PREFIX) >> (8 * i));
    *size = at;
    return (uint8_t *)text;
}

/* Reports an invalid type or shape. The offset in the message counts from the beginning of --dtype. Returns
 * CLI_TROUBLE. */
static enum cli_exit refuse_arguments(const wrapping *work, const snpy_error *error)
{
    const char *dtype = work->change->dtype;
    uint64_t start = SNPY_MAX_PREFIX + sizeof before_type - 1 + (is_literal(dtype) ? 0 : 1);
    uint64_t end = start + strlen(dtype);
    bool is_type = error->status < SNPY_TOO_MANY_DIMENSIONS && error->status != SNPY_HEADER_TOO_LONG;
    cli_stream *stream = cli_complain();
    cli_say(stream, "%s%-s': %s", is_type ? "--dtype: '" : "--dtype and --shape: '", dtype,
            snpy_status_message(error->status));
    if (is_type) { /* text before the type is not the user's */
        cli_say(stream, " at byte %" PRIu64, (error->offset < end ? error->offset : end) - start);
    }
    cli_say(stream, " [%s]\n  hint: %s", snpy_status_rule(error->status), snpy_status_hint(error->status));
    return cli_wrong_usage(stream);
}

/* Makes a header of type and shape and parses it into work->head. Returns the exit status, after a message unless it is
 * CLI_ACCEPTED. */
static enum cli_exit make_header(wrapping *work)
{
    snpy_io_error error;
    snpy_array_release(&work->head);
    snpy_io_begin(&error, work->from);
    size_t size = 0;
    uint8_t *text = write_text(work->change->dtype, &work->shape, &size);
    if (text == NULL) {
        (void)snpy_io_no_memory(&error, "malloc");
        return cli_fail(&error);
    }
    snpy_array_own_header(&work->head, text, size);
    snpy_status status = snpy_parse_head(&work->change->common.limits, &work->head, &error);
    if (status == SNPY_NO_MEMORY) return cli_fail(&error);
    if (status != SNPY_OK) return refuse_arguments(work, &error.error);
    if (!work->head.header.has_object) return CLI_ACCEPTED;
    error.error.status = SNPY_OBJECT_DATA;
    return refuse_arguments(work, &error.error);
}

/* --- the sizes --------------------------------------------------------------------------------------------- */

/* Reports that the file's size is not what type and shape need. `holds_more`: it has more than `holds` bytes, of a
 * stream that was not read to its end. Returns CLI_REFUSED. */
static enum cli_exit refuse_size(const wrapping *work, bool holds_more, uint64_t holds, uint64_t needs)
{
    cli_stream *stream = cli_complain_of(work->from);
    cli_say(stream, "%s%" PRIu64 "%s", holds_more ? "the file holds more than " : "the file holds ", holds,
            holds == 1 ? " byte, but " : " bytes, but ");
    if (work->shape.open < work->shape.ndim)
        cli_put(stream, "each step along the axis of -1 needs ");
    else
        cli_put(stream, "type and shape need ");
    cli_say(stream, "%" PRIu64 "\n", needs);
    cli_flush(stream);
    return CLI_REFUSED;
}

/* Copies an input of unknown size to a file without a name, which replaces it. */
static snpy_status spool(wrapping *work, snpy_io_error *error)
{
    snpy_output file;
    const snpy_flow flow = {&work->input, work->from, snpy_put_output, &file, NULL, NULL};
    int descriptor = -1;
    snpy_status status = snpy_make_nameless(&descriptor, error);
    if (status != SNPY_OK) return status;
    snpy_output_lend(&file, descriptor);
    snpy_io_name(error, snpy_temporary_directory());
    status = snpy_pour(&flow, SNPY_TO_THE_END, error);
    work->size = work->input.position;
    snpy_input_close(&work->input);
    snpy_input_from_file(&work->input, descriptor, 0);
    work->input.is_borrowed = false;
    work->knows_size = true;
    return status;
}

/* Computes the length that was given as -1 from the size of the input, and parses the header again. */
static enum cli_exit close_shape(wrapping *work)
{
    const uint64_t step = work->head.header.data_size;
    snpy_io_error error;
    snpy_io_begin(&error, work->from);
    if (step == 0) {
        cli_put(cli_complain_about("--shape", work->change->shape),
                "a shape that the file's size can complete: a step along the axis of -1 has no bytes");
        return cli_wrong_usage(&cli_messages);
    }
    if (!work->knows_size && spool(work, &error) != SNPY_OK) return cli_fail(&error);
    if (work->size % step != 0) return refuse_size(work, false, work->size, step);
    work->shape.dims[work->shape.open] = work->size / step;
    work->shape.open = work->shape.ndim;
    return make_header(work);
}

/* --- the work ---------------------------------------------------------------------------------------------- */

/* Adds bytes to a writer: the callback of snpy_pour. */
static snpy_status put_writer(void *writer, const uint8_t *bytes, uint64_t size, snpy_io_error *error)
{
    return snpy_writer_add(writer, bytes, size, error);
}

/* Opens the writer for the new array. */
static snpy_status open_writer(wrapping *work, snpy_writer **writer, snpy_io_error *error)
{
    snpy_description description;
    snpy_header header = work->head.header;
    snpy_array_describe(&work->head, &description);
    header.fortran_order = work->change->order == 'F';
    snpy_normalise_order(&header);
    description.header = &header;
    description.version = work->change->has_version ? work->change->version : SNPY_VERSION_AUTO;
    return snpy_writer_open_claimed(writer, &work->output, &description, false, error);
}

/* Checks that a stream ends with the array. Returns the exit status, after a message unless it is CLI_ACCEPTED. */
static enum cli_exit expect_end(wrapping *work, snpy_io_error *error)
{
    const uint64_t size = work->head.header.data_size;
    uint8_t byte;
    uint64_t got = 0;
    snpy_io_begin(error, work->from);
    if (work->knows_size) return CLI_ACCEPTED;
    if (snpy_input_some(&work->input, size, &byte, 1, &got, error) != SNPY_OK) return cli_fail(error);
    return got == 0 ? CLI_ACCEPTED : refuse_size(work, true, size, size);
}

/* Reports a failure to write the array. Returns the exit status for it. */
static enum cli_exit fail(const wrapping *work, snpy_io_error *error)
{
    if (error->error.status == SNPY_TRUNCATED_DATA)
        return refuse_size(work, false, work->input.position, work->head.header.data_size);
    if (error->path[0] == '\0') snpy_io_name(error, work->to);
    return cli_fail(error);
}

/* Writes the array and finishes it. */
static enum cli_exit write_array(wrapping *work)
{
    const uint64_t size = work->head.header.data_size;
    snpy_writer *writer;
    snpy_io_error error;
    cli_progress progress;
    if (open_writer(work, &writer, &error) != SNPY_OK) return fail(work, &error);
    const snpy_flow flow = {&work->input, work->from, put_writer, writer, cli_progress_add, &progress};
    if (work->change->drops_acl) snpy_writer_forget_acl(writer);
    cli_progress_begin(&progress, size);
    snpy_status status = snpy_pour(&flow, size, &error);
    enum cli_exit result = status == SNPY_OK ? expect_end(work, &error) : fail(work, &error);
    if (result == CLI_ACCEPTED && snpy_writer_finish(&writer, &error) != SNPY_OK) result = fail(work, &error);
    if (result == CLI_ACCEPTED) cli_note_lost(work->to, &error);
    snpy_writer_abandon(&writer);
    cli_progress_end(&progress);
    return result;
}

/* Checks the size of an open input and writes the array. */
static enum cli_exit wrap_input(wrapping *work)
{
    if (work->shape.open < work->shape.ndim) {
        enum cli_exit result = close_shape(work);
        if (result != CLI_ACCEPTED) return result;
    }
    if (work->knows_size && work->size != work->head.header.data_size)
        return refuse_size(work, false, work->size, work->head.header.data_size);
    return write_array(work);
}

/* Parses type and shape, then opens output and input and writes the array. */
static enum cli_exit wrap(wrapping *work)
{
    snpy_io_error error;
    if (!read_shape(work->change->shape, &work->shape)) return cli_wrong_usage(&cli_messages);
    enum cli_exit result = make_header(work);
    if (result != CLI_ACCEPTED) return result;
    if (cli_claim_output(work->to, &work->change->common, &work->output, &error) != SNPY_OK) return cli_fail(&error);
    if (snpy_input_open_raw(work->from, &work->input, &work->size, &work->knows_size, &error) != SNPY_OK)
        return cli_fail(&error);
    result = wrap_input(work);
    snpy_input_close(&work->input);
    return result;
}

enum cli_exit cli_wrap(int argc, char **argv)
{
    cli_change change;
    wrapping work = {.change = &change};
    enum cli_parsed parsed = cli_read_change(argc, argv, known, 2, 2, "RAW OUT", &change);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help(argv[0]) : CLI_TROUBLE;
    if (change.dtype == NULL || change.shape == NULL) {
        cli_put(cli_complain(), "wrap: --dtype and --shape are required");
        return cli_wrong_usage(&cli_messages);
    }
    work.from = change.common.files[0];
    work.to = change.common.files[1];
    if (!cli_may_write(work.to)) return CLI_TROUBLE;
    cli_catch_signals();
    snpy_array_clear(&work.head);
    snpy_output_clear(&work.output);
    enum cli_exit result = wrap(&work);
    snpy_output_abandon(&work.output);
    snpy_array_release(&work.head);
    return result;
}
