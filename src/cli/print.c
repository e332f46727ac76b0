/* print.c: prints the elements of a view in rows: as text, CSV, JSON or raw bytes.
 * value.c writes values, the host's part.c reads elements. */
#include "cli/data.h"
#include "cli/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of elements in memory at once. A larger element is read in pieces. */
#define BLOCK ((uint64_t)4 << 20)

/* The state of printing the elements of a view, in C order. */
typedef struct printer {
    cli_subject *about;
    enum cli_form form;
    enum cli_style style;
    cli_steps steps;
    const snpy_view *view;
    uint32_t ndim;  /* of the view; if it has no elements, the number of axes before the empty one */
    uint32_t lines; /* how many of the last axes are printed on one line */
    bool is_first;
    bool is_inner;                 /* JSON of an array in object data: on one line, which goes on */
    uint64_t index[SNPY_MAX_NDIM]; /* index of the next element */
    cli_progress progress;
} printer;

/* ---- around an element ---- */

/* Writes what comes before an element: brackets and separators. */
static void put_before(printer *print)
{
    uint32_t begun = 0; /* axes whose first element this is */
    while (begun < print->ndim && print->index[print->ndim - 1 - begun] == 0) begun++;
    if (print->form == CLI_FORM_JSON) {
        if (!print->is_first) cli_put(&cli_output, begun == 0 || print->is_inner ? ", " : ",\n");
        for (uint32_t k = 0; k < begun; k++) cli_put(&cli_output, "[");
    } else if (print->lines > 0 && begun == 0) {
        cli_put(&cli_output, print->form == CLI_FORM_CSV ? "," : " ");
    }
    print->is_first = false;
}

/* Writes what comes after an element, and moves on to the next. */
static void put_after(printer *print)
{
    uint32_t ended = 0; /* axes whose last element this is */
    for (uint32_t k = print->ndim; k > 0; k--, ended++) {
        if (++print->index[k - 1] < print->view->shape[k - 1]) break;
        print->index[k - 1] = 0;
    }
    if (print->form == CLI_FORM_JSON) {
        for (uint32_t k = 0; k < ended; k++) cli_put(&cli_output, "]");
        if (ended == print->ndim && !print->is_inner) cli_put(&cli_output, "\n");
        return;
    }
    if (ended >= print->lines) cli_put(&cli_output, "\n");
    if (print->form == CLI_FORM_TEXT && ended > print->lines && ended < print->ndim) cli_put(&cli_output, "\n");
}

/* ---- within an element ---- */

/* Writes the name of a field as a JSON key, after what separates it from the field before. */
static void put_json_key(printer *print, const cli_step *step)
{
    const snpy_field *field = &print->about->table->fields[step->entry];
    bool is_hard = cli_has_surrogates(print->about, field->name_offset, field->name_length);
    if (!step->is_first) cli_put(&cli_output, step->is_pairs ? "], " : ", ");
    if (step->is_pairs) cli_put(&cli_output, "[");
    cli_put_name(print->about, field->name_offset, field->name_length,
                 is_hard ? CLI_NAME_CODE_POINTS : CLI_NAME_STRING);
    cli_put(&cli_output, step->is_pairs ? ", " : ": ");
}

/* Writes a step of an element in JSON. `again`: an axis goes on with its next item. */
static void put_json_step(printer *print, const cli_step *step, bool again)
{
    if (step->kind == CLI_RECORD) cli_put(&cli_output, step->is_pairs ? "[" : "{");
    if (step->kind == CLI_RECORD_END) cli_put(&cli_output, step->is_pairs ? "]]" : "}");
    if (step->kind == CLI_FIELD) put_json_key(print, step);
    if (step->kind == CLI_AXIS) cli_put(&cli_output, "[");
    if (step->kind == CLI_AXIS_END) cli_put(&cli_output, again ? ", " : "]");
}

/* Writes a step of an element as text: records as Python's tuples, sub-arrays as lists, without blanks, which separate
 * elements. */
static void put_text_step(const printer *print, const cli_step *step, bool again)
{
    if (step->kind == CLI_RECORD) cli_put(&cli_output, "(");
    if (step->kind == CLI_FIELD && !step->is_first) cli_put(&cli_output, ",");
    if (step->kind == CLI_RECORD_END) {
        const cli_step *first = &print->steps.steps[step->match + 1];
        bool is_only = first->kind == CLI_FIELD && print->about->table->fields[first->entry].next == 0;
        cli_put(&cli_output, is_only ? ",)" : ")");
    }
    if (step->kind == CLI_AXIS) cli_put(&cli_output, "[");
    if (step->kind == CLI_AXIS_END) cli_put(&cli_output, again ? "," : "]");
}

/* Writes a structured element. */
static void put_element(printer *print, cli_element *element)
{
    cli_iterator iterator = {0, 0};
    bool again = false;
    bool is_first = true;
    for (const cli_step *step; (step = cli_next_step(&print->steps, &iterator, &again)) != NULL;) {
        if (cli_output.error != 0 || element->status != SNPY_OK) return;
        if (step->kind == CLI_VALUE) {
            if (print->form == CLI_FORM_CSV && !is_first) cli_put(&cli_output, ",");
            is_first = false;
            cli_put_value(element, iterator.base + step->offset, step->dtype, print->style);
        } else if (print->form == CLI_FORM_JSON) {
            put_json_step(print, step, again);
        } else if (print->form == CLI_FORM_TEXT) {
            put_text_step(print, step, again);
        }
    }
}

/* Writes the bytes of an element unchanged. */
static void put_raw(cli_element *element)
{
    for (uint64_t at = 0; at < element->size && cli_output.error == 0;) {
        uint64_t left = element->size - at;
        size_t step = left < CLI_PIECE ? (size_t)left : CLI_PIECE;
        const uint8_t *bytes = cli_element_bytes(element, at, step);
        if (bytes == NULL) return;
        cli_put_bytes(&cli_output, (const char *)bytes, step);
        at += step;
    }
}

/* Writes an element in the form that was asked for. Returns the status of reading it. */
static snpy_status print_element(printer *print, cli_element *element)
{
    if (print->form == CLI_FORM_RAW) {
        put_raw(element);
        return element->status;
    }
    put_before(print);
    if (print->steps.count == 1)
        cli_put_value(element, 0, print->steps.steps[0].dtype, print->style);
    else
        put_element(print, element);
    if (element->status == SNPY_OK) put_after(print);
    return element->status;
}

/* ---- all elements ---- */

/* Prints the elements of a part that is in memory, in C order. */
static snpy_status print_memory(printer *print, const snpy_view *memory, const uint8_t *bytes, snpy_io_error *error)
{
    uint64_t index[SNPY_MAX_NDIM] = {0};
    cli_element element = {.bytes = bytes + memory->offset, .size = memory->itemsize};
    for (uint64_t left = memory->count; left > 0 && cli_output.error == 0; left--) {
        snpy_status status = print_element(print, &element);
        if (status != SNPY_OK) {
            *error = element.error;
            return status;
        }
        if (left == 1) break; /* the pointer must not leave the memory */
        for (uint32_t k = memory->ndim; k > 0; k--) {
            if (++index[k - 1] < memory->shape[k - 1]) {
                element.bytes += memory->strides[k - 1];
                break;
            }
            element.bytes -= (int64_t)(memory->shape[k - 1] - 1) * memory->strides[k - 1];
            index[k - 1] = 0;
        }
    }
    return SNPY_OK;
}

/* Prints one element that is too large for the memory. */
static snpy_status print_large(printer *print, snpy_input *input, const snpy_view *part, snpy_io_error *error)
{
    cli_element element = {.input = input, .offset = part->offset, .size = part->itemsize, .error = *error};
    snpy_status status = print_element(print, &element);
    if (status != SNPY_OK) *error = element.error;
    return status;
}

/* Reads and prints the view part by part. */
static snpy_status print_parts(printer *print, snpy_input *input, uint8_t *block, snpy_io_error *error)
{
    snpy_parts parts;
    snpy_parts_rows(print->view, BLOCK, &parts);
    while (!parts.is_done && cli_output.error == 0) {
        snpy_view part;
        snpy_view memory;
        snpy_status status = snpy_parts_next(&parts, &part, error);
        if (status != SNPY_OK) return status;
        if (part.itemsize > BLOCK) {
            status = print_large(print, input, &part, error);
        } else {
            status = snpy_part_read(input, &part, block, &memory, error);
            if (status == SNPY_OK) status = print_memory(print, &memory, block, error);
        }
        if (status != SNPY_OK) return status;
        cli_progress_add(&print->progress, part.count * part.itemsize);
    }
    return SNPY_OK;
}

/* Prints an array without elements: in JSON its shape, as nested empty lists; else nothing. */
static void print_empty(printer *print)
{
    uint64_t left = 1;
    if (print->form != CLI_FORM_JSON) return;
    for (print->ndim = 0; print->view->shape[print->ndim] != 0; print->ndim++) left *= print->view->shape[print->ndim];
    for (; left > 0 && cli_output.error == 0; left--) {
        put_before(print);
        cli_put(&cli_output, "[]");
        put_after(print);
    }
}

/* Returns a product, or UINT64_MAX if that is exceeded. */
static uint64_t multiply(uint64_t one, uint64_t other)
{
    return other > 0 && one > UINT64_MAX / other ? UINT64_MAX : one * other;
}

/* Returns how many values, lists and records that take no bytes of the file would be printed. */
static uint64_t count_empty(const printer *print, const cli_counts *counts)
{
    const snpy_view *view = print->view;
    uint64_t lists = 1;
    if (view->count > 0 && print->form == CLI_FORM_RAW) return view->itemsize > 0 ? 0 : view->count;
    if (view->count > 0) return multiply(counts->empty, view->count);
    for (uint32_t axis = 0; view->shape[axis] != 0; axis++) lists = multiply(lists, view->shape[axis]);
    return print->form == CLI_FORM_JSON ? lists : 0;
}

/* Returns false, after a message, if the output would exceed the bounds. */
static bool is_bounded(printer *print, const cli_bounds *bounds)
{
    const cli_counts counts = cli_count_steps(&print->steps);
    const snpy_view *view = print->view;
    const bool is_csv_record = print->form == CLI_FORM_CSV && view->dtype.kind == SNPY_KIND_RECORD;
    const uint64_t empty = count_empty(print, &counts);
    if (empty <= bounds->elements || empty - bounds->elements <= view->count * view->itemsize)
        return print->form == CLI_FORM_JSON && view->dtype.kind == SNPY_KIND_RECORD
                   ? cli_check_keys(print->about, view, bounds)
                   : !is_csv_record || cli_check_columns(print->about, &print->steps, counts.values, bounds);
    cli_warn("%-s: more than %" PRIu64
             " elements or empty lists without bytes; take a part of them, or raise --max-elements",
             print->about->name, bounds->elements);
    return false;
}

/* Prints a view, with a buffer of BLOCK bytes. */
static snpy_status print_view(printer *print, snpy_input *input, snpy_io_error *error)
{
    const bool is_record = print->view->dtype.kind == SNPY_KIND_RECORD;
    uint8_t *block = malloc((size_t)BLOCK);
    snpy_status status = SNPY_OK;
    if (block == NULL) return snpy_io_no_memory(error, "malloc");
    if (print->form == CLI_FORM_CSV && is_record) cli_put_columns(print->about, &print->steps);
    print->lines = is_record || (print->form == CLI_FORM_CSV && print->ndim < 2) || print->ndim == 0 ? 0 : 1;
    if (print->view->count == 0)
        print_empty(print);
    else
        status = print_parts(print, input, block, error);
    cli_progress_end(&print->progress);
    free(block);
    return status;
}

/* Prints the elements of an input. A stream is copied to a file first if its bytes are needed out of order or twice. */
static snpy_status print_input(printer *print, snpy_input *input, snpy_io_error *error)
{
    const snpy_view *view = print->view;
    snpy_status status = SNPY_OK;
    cli_progress_begin(&print->progress, view->count * view->itemsize);
    if (isatty(cli_output.descriptor) == 1) cli_progress_end(&print->progress); /* the elements are seen */
    /* An element that is larger than a part may be read twice. */
    if (input->reader.is_stream && view->count > 0 && (!snpy_part_is_forward(view) || view->itemsize > BLOCK))
        status = snpy_input_spool(input, view->data_size, error);
    return status == SNPY_OK ? print_view(print, input, error) : status;
}

enum cli_exit cli_print(cli_subject *about, snpy_input *input, const snpy_view *view, enum cli_form form,
                        const cli_bounds *bounds)
{
    printer print = {.about = about, .form = form, .view = view, .ndim = view->ndim, .is_first = true};
    print.is_inner = form == CLI_FORM_INNER_JSON;
    if (print.is_inner) print.form = CLI_FORM_JSON;
    snpy_io_error error = {.call = NULL};
    enum cli_exit result = CLI_ACCEPTED;
    snpy_status status = SNPY_OK;
    print.style = print.form == CLI_FORM_JSON ? CLI_STYLE_JSON : form == CLI_FORM_CSV ? CLI_STYLE_CSV : CLI_STYLE_TEXT;
    if (!cli_find_steps(about, view, &print.steps))
        status = snpy_io_no_memory(&error, "malloc");
    else if (!is_bounded(&print, bounds))
        result = CLI_REFUSED;
    else
        status = print_input(&print, input, &error);
    cli_release_steps(&print.steps);
    return status == SNPY_OK ? result : cli_report_read(about->name, &error);
}
