/* print.c: the elements of a view in rows: as text, CSV, JSON or raw bytes.
 * Proves nothing. Leaves values to value.c and reading to the host's part.c. */
#include "cli/data.h"
#include "cli/progress.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of elements that are in memory at once. A larger element is read piece by piece. */
#define BLOCK ((uint64_t)4 << 20)

/* What prints the elements of a view, one after the other in C order. */
typedef struct printer {
    cli_subject *about;
    enum cli_form form;
    enum cli_style style;
    cli_steps steps;
    const snpy_view *view;
    uint32_t ndim;  /* of the view; of an array without elements, the axes in front of the empty one */
    uint32_t lines; /* how many of the last axes are within a line */
    bool is_first;
    uint64_t index[SNPY_MAX_NDIM]; /* of the element that comes next */
    uint8_t *path;                 /* owned: the name of a column of CSV */
    size_t path_size;
    size_t path_length;
    cli_progress progress;
} printer;

/* ---- around an element ---- */

/* Puts what stands in front of an element. */
static void put_before(printer *print)
{
    uint32_t begun = 0; /* axes that begin with this element */
    while (begun < print->ndim && print->index[print->ndim - 1 - begun] == 0) begun++;
    if (print->form == CLI_FORM_JSON) {
        if (!print->is_first) cli_put(&cli_output, begun == 0 ? ", " : ",\n");
        for (uint32_t k = 0; k < begun; k++) cli_put(&cli_output, "[");
    } else if (print->lines > 0 && begun == 0) {
        cli_put(&cli_output, print->form == CLI_FORM_CSV ? "," : " ");
    }
    print->is_first = false;
}

/* Goes on to the next element; puts what stands behind this one. */
static void put_behind(printer *print)
{
    uint32_t ended = 0; /* axes that end with this element */
    for (uint32_t k = print->ndim; k > 0; k--, ended++) {
        if (++print->index[k - 1] < print->view->shape[k - 1]) break;
        print->index[k - 1] = 0;
    }
    if (print->form == CLI_FORM_JSON) {
        for (uint32_t k = 0; k < ended; k++) cli_put(&cli_output, "]");
        if (ended == print->ndim) cli_put(&cli_output, "\n");
        return;
    }
    if (ended >= print->lines) cli_put(&cli_output, "\n");
    if (print->form == CLI_FORM_TEXT && ended > print->lines && ended < print->ndim) cli_put(&cli_output, "\n");
}

/* ---- within an element ---- */

/* Puts the name of a field as a key, and what parts it from the one before. */
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

static void put_json_step(printer *print, const cli_step *step, bool again)
{
    if (step->kind == CLI_RECORD) cli_put(&cli_output, step->is_pairs ? "[" : "{");
    if (step->kind == CLI_RECORD_END) cli_put(&cli_output, step->is_pairs ? "]]" : "}");
    if (step->kind == CLI_FIELD) put_json_key(print, step);
    if (step->kind == CLI_AXIS) cli_put(&cli_output, "[");
    if (step->kind == CLI_AXIS_END) cli_put(&cli_output, again ? ", " : "]");
}

/* Records look like Python's tuples, sub-arrays like its lists; no blanks, for these part the elements. */
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

/* Puts an element of any type. */
static void put_element(printer *print, cli_element *element)
{
    cli_stroll stroll = {0, 0};
    bool again = false;
    bool is_first = true;
    for (const cli_step *step; (step = cli_next_step(&print->steps, &stroll, &again)) != NULL;) {
        if (cli_output.error != 0 || element->status != SNPY_OK) return;
        if (step->kind == CLI_VALUE) {
            if (print->form == CLI_FORM_CSV && !is_first) cli_put(&cli_output, ",");
            is_first = false;
            cli_put_value(element, stroll.base + step->offset, step->dtype, print->style);
        } else if (print->form == CLI_FORM_JSON) {
            put_json_step(print, step, again);
        } else if (print->form == CLI_FORM_TEXT) {
            put_text_step(print, step, again);
        }
    }
}

/* Puts the bytes of an element. */
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
    if (element->status == SNPY_OK) put_behind(print);
    return element->status;
}

/* ---- the columns of CSV ---- */

/* Adds to the name of a column. */
static void add_to_path(printer *print, const char *bytes, size_t length)
{
    if (!snpy_grow(&print->path, &print->path_size, print->path_length + length + 1)) {
        cli_lack_memory();
        return;
    }
    if (length > 0) memcpy(print->path + print->path_length, bytes, length);
    print->path_length += length;
}

static void add_index(printer *print, uint64_t index)
{
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = ']';
    do digits[--at] = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    digits[--at] = '[';
    add_to_path(print, digits + at, sizeof digits - at);
}

static void add_name(printer *print, uint32_t entry)
{
    const snpy_field *field = &print->about->table->fields[entry];
    bool has_surrogates;
    size_t size = cli_decode_name(print->about, field->name_offset, field->name_length, &has_surrogates);
    if (print->path_length > 0) add_to_path(print, ".", 1);
    add_to_path(print, (const char *)print->about->scratch, size);
}

/* Puts the names of all columns: pos.x, name[0][1]. How long the name is where a record or an axis begins, its step
 * remembers in a member that it does not need else; so does a record which one it is in. */
static void put_columns(printer *print)
{
    cli_stroll stroll = {0, 0};
    bool again = false;
    bool is_first = true;
    size_t record = 0;
    for (cli_step *step; (step = cli_next_step(&print->steps, &stroll, &again)) != NULL && cli_output.error == 0;) {
        size_t number = (size_t)(step - print->steps.steps);
        cli_step *begin = &print->steps.steps[step->match];
        if (step->kind == CLI_RECORD) {
            step->length = print->path_length;
            step->stride = record;
            record = number;
        } else if (step->kind == CLI_RECORD_END) {
            record = (size_t)begin->stride;
        } else if (step->kind == CLI_FIELD) {
            print->path_length = (size_t)print->steps.steps[record].length;
            add_name(print, step->entry);
        } else if (step->kind == CLI_AXIS) {
            step->offset = print->path_length;
            if (step->length > 0) add_index(print, 0);
        } else if (step->kind == CLI_AXIS_END) {
            print->path_length = (size_t)begin->offset;
            if (again) add_index(print, begin->index);
        } else {
            if (!is_first) cli_put(&cli_output, ",");
            is_first = false;
            cli_put_quoted(print->path, print->path_length, CLI_STYLE_CSV);
        }
    }
    cli_put(&cli_output, "\n");
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
        if (left == 1) break; /* no pointer may leave the memory */
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

/* Prints one element that is too large to be in memory. */
static snpy_status print_large(printer *print, snpy_input *input, const snpy_view *part, snpy_io_error *error)
{
    cli_element element = {.input = input, .offset = part->offset, .size = part->itemsize, .error = *error};
    snpy_status status = print_element(print, &element);
    if (status != SNPY_OK) *error = element.error;
    return status;
}

/* Reads and prints part after part. */
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

/* An array without elements still has a shape, which JSON can say. */
static void print_empty(printer *print)
{
    uint64_t left = 1;
    if (print->form != CLI_FORM_JSON) return;
    for (print->ndim = 0; print->view->shape[print->ndim] != 0; print->ndim++) left *= print->view->shape[print->ndim];
    for (; left > 0 && cli_output.error == 0; left--) {
        put_before(print);
        cli_put(&cli_output, "[]");
        put_behind(print);
    }
}

/* Prints with memory for a part. */
static snpy_status print_view(printer *print, snpy_input *input, snpy_io_error *error)
{
    uint8_t *block = malloc((size_t)BLOCK);
    if (block == NULL || !cli_find_steps(print->about, print->view, &print->steps)) {
        free(block);
        return snpy_io_no_memory(error, "malloc");
    }
    bool is_record = print->view->dtype.kind == SNPY_KIND_RECORD;
    snpy_status status = SNPY_OK;
    if (print->form == CLI_FORM_CSV && is_record) put_columns(print);
    print->lines = is_record || (print->form == CLI_FORM_CSV && print->ndim < 2) || print->ndim == 0 ? 0 : 1;
    if (print->form == CLI_FORM_CSV && is_record) {
        cli_release_steps(&print->steps); /* what the columns remembered in them */
        if (!cli_find_steps(print->about, print->view, &print->steps)) status = snpy_io_no_memory(error, "malloc");
    }
    if (status == SNPY_OK && print->view->count == 0)
        print_empty(print);
    else if (status == SNPY_OK)
        status = print_parts(print, input, block, error);
    cli_progress_end(&print->progress);
    free(block);
    return status;
}

snpy_status cli_print(cli_subject *about, snpy_input *input, const snpy_view *view, enum cli_form form,
                      snpy_io_error *error)
{
    printer print = {.about = about, .form = form, .view = view, .ndim = view->ndim, .is_first = true};
    snpy_status status = SNPY_OK;
    print.style = form == CLI_FORM_JSON ? CLI_STYLE_JSON : form == CLI_FORM_CSV ? CLI_STYLE_CSV : CLI_STYLE_TEXT;
    cli_progress_begin(&print.progress, view->count * view->itemsize);
    if (isatty(cli_output.descriptor) == 1) cli_progress_end(&print.progress); /* the elements themselves are seen */
    /* What is larger than a part may be looked at twice. */
    if (input->is_stream && view->count > 0 && (!snpy_part_is_forward(view) || view->itemsize > BLOCK))
        status = snpy_input_spool(input, view->data_size, error);
    if (status == SNPY_OK) status = print_view(&print, input, error);
    cli_release_steps(&print.steps);
    free(print.path);
    return status;
}
