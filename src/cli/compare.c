/* compare.c: compares the values of two arrays.
 * The host's part.c reads them; tests/data compares the results with NumPy.
 *
 * Both arrays are read in the same boxes, chosen so that reads are long in both orders. Values are compared as stored;
 * if the byte orders differ, the bytes of one are compared backwards. */
#include "cli/compare.h"
#include "cli/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of elements of each file in memory at once. A larger element is read in pieces. */
#define BLOCK ((uint64_t)4 << 20)

bool cli_is_same_shape(const snpy_header *one, const snpy_header *other)
{
    if (one->ndim != other->ndim) return false;
    for (uint32_t k = 0; k < one->ndim; k++)
        if (one->shape[k] != other->shape[k]) return false;
    return true;
}

/* Whether two types are the same but for the byte order. */
static bool is_same_type(const snpy_dtype *one, const snpy_dtype *other)
{
    return one->kind == other->kind && one->itemsize == other->itemsize && one->unit == other->unit &&
           one->multiplier == other->multiplier;
}

/* Whether two fields have the same name, decoded. */
static bool is_same_name(const cli_side *one, uint32_t entry, const cli_side *other, uint32_t other_entry)
{
    cli_subject names[2] = {one->about, other->about};
    const snpy_field *fields[2] = {&one->about.table->fields[entry], &other->about.table->fields[other_entry]};
    size_t sizes[2];
    bool has_surrogates;
    for (int i = 0; i < 2; i++) {
        names[i].scratch = NULL; /* a buffer of its own: two names are needed at once */
        names[i].scratch_size = 0;
        sizes[i] = cli_decode_name(&names[i], fields[i]->name_offset, fields[i]->name_length, &has_surrogates);
    }
    bool is_same = sizes[0] == sizes[1] && (sizes[0] == 0 || memcmp(names[0].scratch, names[1].scratch, sizes[0]) == 0);
    free(names[0].scratch);
    free(names[1].scratch);
    return is_same;
}

bool cli_is_same_layout(const cli_side *one, const cli_side *other)
{
    if (one->file.head.header.has_object || other->file.head.header.has_object) return false;
    if (one->steps.count != other->steps.count) return false;
    for (size_t i = 0; i < one->steps.count; i++) {
        const cli_step *step = &one->steps.steps[i];
        const cli_step *twin = &other->steps.steps[i];
        if (step->kind != twin->kind || step->length != twin->length) return false;
        if (step->kind == CLI_VALUE && !is_same_type(step->dtype, twin->dtype)) return false;
        if (step->kind == CLI_FIELD && !is_same_name(one, step->entry, other, twin->entry)) return false;
    }
    return true;
}

bool cli_is_comparable(const cli_side *sides)
{
    return cli_is_same_shape(&sides[0].file.head.header, &sides[1].file.head.header) &&
           cli_is_same_layout(&sides[0], &sides[1]);
}

snpy_status cli_prepare_side(cli_side *side, snpy_io_error *error)
{
    const snpy_header *header = &side->file.head.header;
    side->trailing = side->input.reader.is_stream ? 0 : cli_trailing_bytes(&side->about);
    if (header->has_object) return SNPY_OK;
    snpy_status status = snpy_view_open(header, header->data_size, &side->view, &error->error);
    if (status == SNPY_OK) status = snpy_input_spool(&side->input, header->data_size, error);
    if (status != SNPY_OK) return status;
    return cli_find_steps(&side->about, &side->view, &side->steps) ? SNPY_OK : snpy_io_no_memory(error, "malloc");
}

/* Returns the size of one number in bytes, which the other byte order reverses; 1 for types without one. */
static size_t unit_of(const snpy_dtype *dtype)
{
    switch (dtype->kind) {
    case SNPY_KIND_COMPLEX:
        return dtype->itemsize / 2;
    case SNPY_KIND_STRING:
        return 4;
    case SNPY_KIND_BOOL:
    case SNPY_KIND_BYTES:
    case SNPY_KIND_VOID:
        return 1;
    default:
        return dtype->itemsize;
    }
}

/* Whether `other` is `one` with the bytes of each unit reversed. `size` is a multiple of `unit`. */
static bool is_reverse(const uint8_t *one, const uint8_t *other, size_t size, size_t unit)
{
    for (size_t at = 0; at < size; at += unit)
        for (size_t i = 0; i < unit; i++)
            if (one[at + i] != other[at + unit - 1 - i]) return false;
    return true;
}

/* Whether a value at `places` is the same in both elements. True too if it cannot be read; then the status of an
 * element says so. */
static bool is_same_value(cli_element elements[2], const uint64_t places[2], const snpy_dtype *one,
                          const snpy_dtype *other)
{
    size_t unit = unit_of(one);
    bool is_swapped = unit > 1 && one->byteorder != other->byteorder;
    for (uint64_t at = 0; at < one->itemsize;) {
        uint64_t left = one->itemsize - at;
        size_t step = left < CLI_PIECE ? (size_t)left : CLI_PIECE;
        const uint8_t *bytes = cli_element_bytes(&elements[0], places[0] + at, step);
        const uint8_t *twins = cli_element_bytes(&elements[1], places[1] + at, step);
        if (bytes == NULL || twins == NULL) return true;
        if (one->kind == SNPY_KIND_BOOL && (bytes[0] != 0) != (twins[0] != 0)) return false;
        if (one->kind != SNPY_KIND_BOOL && !is_swapped && memcmp(bytes, twins, step) != 0) return false;
        if (is_swapped && !is_reverse(bytes, twins, step, unit)) return false;
        at += step;
    }
    return true;
}

/* Compares two elements value by value. Returns the step of the first value that differs, or NULL if none does or
 * reading fails; `iterators` then stand after it. */
static const cli_step *find_difference(const cli_side *sides, cli_element elements[2], cli_iterator iterators[2])
{
    bool again = false;
    for (;;) {
        const cli_step *step = cli_next_step(&sides[0].steps, &iterators[0], &again);
        const cli_step *twin = cli_next_step(&sides[1].steps, &iterators[1], &again);
        if (step == NULL) return NULL; /* both have the same steps */
        if (cli_is_bare(step) || cli_is_bare(twin)) iterators[0].at = iterators[1].at = step->match + 1;
        if (step->kind != CLI_VALUE) continue;
        const uint64_t places[2] = {iterators[0].base + step->offset, iterators[1].base + twin->offset};
        if (!is_same_value(elements, places, step->dtype, twin->dtype)) return step;
        if (elements[0].status != SNPY_OK || elements[1].status != SNPY_OK) return NULL;
    }
}

/* Compares one element of both arrays and counts it in result->differing if it differs. `number` is its number in C
 * order; the smallest is kept in result->first. */
static snpy_status compare_element(cli_comparison *result, cli_element elements[2], uint64_t number)
{
    cli_iterator iterators[2] = {{0, 0}, {0, 0}};
    const cli_step *step = find_difference(result->sides, elements, iterators);
    for (int i = 0; i < 2; i++) {
        if (elements[i].status == SNPY_OK) continue;
        result->side = i;
        result->error = elements[i].error;
        return elements[i].status;
    }
    if (step == NULL) return SNPY_OK;
    result->differing++;
    if (result->differing > 1 && number >= result->first) return SNPY_OK;
    result->first = number;
    return SNPY_OK;
}

/* The same box of both files. */
struct boxes {
    snpy_view views[2]; /* of the memory; of the file, if an element is too large for the memory */
    uint8_t *bytes[2];  /* owned */
    bool is_large;
};

/* Reads the same box of both files into memory, unless an element is larger than BLOCK. */
static snpy_status read_boxes(cli_comparison *result, const snpy_parts *parts, const snpy_view *part,
                              struct boxes *boxes)
{
    boxes->is_large = part->itemsize > BLOCK || result->sides[1].view.itemsize > BLOCK;
    for (int i = 0; i < 2; i++) {
        snpy_view box = result->sides[i].view;
        snpy_status status = SNPY_OK;
        result->side = i;
        for (uint32_t k = 0; k < box.ndim; k++) {
            int64_t first = (int64_t)parts->first[k];
            snpy_slice slice = {first, first + (int64_t)part->shape[k], 1, true, true, false};
            if (part->shape[k] < box.shape[k]) status = snpy_view_slice(&box, k, &slice, &result->error.error);
            if (status != SNPY_OK) return status;
        }
        boxes->views[i] = box;
        if (boxes->is_large) continue;
        status = snpy_part_read(&result->sides[i].input, &box, boxes->bytes[i], &boxes->views[i], &result->error);
        if (status != SNPY_OK) return status;
    }
    return SNPY_OK;
}

/* Whether two boxes are known to be equal because their bytes are. False means nothing: the values must be compared. */
static bool is_same_box(const cli_comparison *result, const struct boxes *boxes)
{
    const snpy_view *one = &boxes->views[0];
    const snpy_view *other = &boxes->views[1];
    const cli_steps *steps = &result->sides[0].steps;
    if (boxes->is_large || one->dtype.kind == SNPY_KIND_RECORD) return false;
    if (unit_of(&one->dtype) > 1 && steps->dtype.byteorder != result->sides[1].steps.dtype.byteorder) return false;
    for (uint32_t k = 0; k < one->ndim; k++)
        if (one->shape[k] > 1 && one->strides[k] != other->strides[k]) return false;
    return memcmp(boxes->bytes[0], boxes->bytes[1], (size_t)one->data_size) == 0;
}

/* Returns the number in C order, within the whole array, of an element given by its index in a box. */
static uint64_t number_of(const snpy_view *whole, const snpy_parts *parts, const uint64_t *index)
{
    uint64_t number = 0;
    for (uint32_t k = 0; k < whole->ndim; k++) number = number * whole->shape[k] + parts->first[k] + index[k];
    return number;
}

/* Compares the elements of two boxes one by one. */
static snpy_status compare_boxes(cli_comparison *result, const snpy_parts *parts, const struct boxes *boxes)
{
    const snpy_view *const views[2] = {&boxes->views[0], &boxes->views[1]};
    cli_element elements[2] = {{.status = SNPY_OK}, {.status = SNPY_OK}};
    uint64_t index[SNPY_MAX_NDIM] = {0};
    uint64_t places[2] = {views[0]->offset, views[1]->offset};
    if (is_same_box(result, boxes)) return SNPY_OK;
    for (uint64_t left = views[0]->count; left > 0; left--) {
        for (int i = 0; i < 2; i++) {
            elements[i].bytes = boxes->is_large ? NULL : boxes->bytes[i] + places[i];
            elements[i].input = &result->sides[i].input;
            elements[i].offset = places[i];
            elements[i].size = views[i]->itemsize;
        }
        snpy_status status = compare_element(result, elements, number_of(&result->sides[0].view, parts, index));
        if (status != SNPY_OK) return status;
        for (uint32_t k = views[0]->ndim; k > 0; k--) {
            bool ends = ++index[k - 1] == views[0]->shape[k - 1];
            uint64_t steps = ends ? index[k - 1] - 1 : 1;
            for (int i = 0; i < 2; i++) {
                uint64_t way = steps * (uint64_t)views[i]->strides[k - 1]; /* not negative, as in the file */
                places[i] = ends ? places[i] - way : places[i] + way;
            }
            if (!ends) break;
            index[k - 1] = 0;
        }
    }
    return SNPY_OK;
}

/* Compares two arrays box by box. */
static snpy_status compare_parts(cli_comparison *result, struct boxes *boxes, cli_progress *progress)
{
    snpy_parts parts;
    const cli_side *sides = result->sides;
    uint64_t size = sides[0].view.itemsize > sides[1].view.itemsize ? sides[0].view.itemsize : sides[1].view.itemsize;
    uint64_t limit = size > 0 ? BLOCK / size * sides[0].view.itemsize : BLOCK; /* so that the elements of both fit */
    snpy_parts_boxes(&sides[0].view, &sides[1].view, limit, &parts);
    while (!parts.is_done && cli_output.error == 0) {
        snpy_view part;
        snpy_status status = snpy_parts_next(&parts, &part, &result->error);
        if (status == SNPY_OK) status = read_boxes(result, &parts, &part, boxes);
        if (status == SNPY_OK) status = compare_boxes(result, &parts, boxes);
        if (status != SNPY_OK) return status;
        cli_progress_add(progress, part.count * part.itemsize);
    }
    return SNPY_OK;
}

snpy_status cli_compare(cli_side *sides, cli_comparison *result, snpy_io_error *error)
{
    static const cli_comparison nothing = {.sides = NULL};
    struct boxes boxes = {.bytes = {malloc((size_t)BLOCK), malloc((size_t)BLOCK)}};
    snpy_status status = SNPY_OK;
    cli_progress progress;
    *result = nothing;
    result->sides = sides;
    result->count = sides[0].view.count;
    cli_progress_begin(&progress, sides[0].view.count * sides[0].view.itemsize);
    if (boxes.bytes[0] == NULL || boxes.bytes[1] == NULL)
        status = snpy_io_no_memory(error, "malloc");
    else if (sides[0].view.itemsize > 0) /* elements without bytes are all equal */
        status = compare_parts(result, &boxes, &progress);
    cli_progress_end(&progress);
    free(boxes.bytes[0]);
    free(boxes.bytes[1]);
    return status;
}

/* Returns the first element that differs, as an element of one of the files. */
static cli_element first_element(const cli_comparison *result, int side)
{
    cli_side *from = &result->sides[side];
    cli_element element = {.input = &from->input, .size = from->view.itemsize};
    snpy_error error;
    (void)snpy_view_flat(&from->view, result->first, &element.offset, &error);
    from->input.window_size = 0; /* discards the bytes of another element */
    return element;
}

/* Finds the first value that differs again. Returns its step, and leaves the indices of the sub-arrays around it in
 * their steps; NULL if the file has changed. */
static const cli_step *find_first(const cli_comparison *result, cli_iterator iterators[2])
{
    cli_element elements[2] = {first_element(result, 0), first_element(result, 1)};
    iterators[0] = iterators[1] = (cli_iterator){0, 0};
    return find_difference(result->sides, elements, iterators);
}

/* Whether a field contains a later step `at`: no other field of its record begins between them. */
static bool is_around(const cli_step *steps, size_t field, size_t at)
{
    size_t i = field + 1;
    while (i < at) {
        if (steps[i].kind == CLI_FIELD || steps[i].kind == CLI_RECORD_END) return false;
        bool begins = steps[i].kind == CLI_AXIS || steps[i].kind == CLI_RECORD;
        if (begins && steps[i].match > at) return true; /* `at` is inside it, so inside the field */
        i = (begins ? steps[i].match : i) + 1;
    }
    return true;
}

/* Writes the index of the element with a number in C order, such as "1, 2". */
static void put_index(const snpy_view *view, uint64_t number)
{
    uint64_t index[SNPY_MAX_NDIM];
    for (uint32_t k = view->ndim; k > 0; k--) {
        index[k - 1] = number % view->shape[k - 1];
        number /= view->shape[k - 1];
    }
    for (uint32_t k = 0; k < view->ndim; k++) {
        if (k > 0) cli_put(&cli_output, ", ");
        cli_put_number(&cli_output, index[k]);
    }
}

/* Writes one level of the path to a value: the name of a field, or an index. */
static void put_level(cli_subject *about, const cli_step *step, bool json)
{
    cli_stream *stream = &cli_output;
    if (step->kind == CLI_AXIS) {
        cli_say(stream, "%s%" PRIu64 "%s", json ? "" : "[", step->index, json ? "" : "]");
        return;
    }
    const snpy_field *field = &about->table->fields[step->entry];
    bool is_hard = json && cli_has_surrogates(about, field->name_offset, field->name_length);
    bool has_surrogates;
    if (json) {
        cli_put_name(about, field->name_offset, field->name_length, is_hard ? CLI_NAME_CODE_POINTS : CLI_NAME_STRING);
        return;
    }
    size_t size = cli_decode_name(about, field->name_offset, field->name_length, &has_surrogates);
    cli_put(stream, "[");
    cli_put_quoted(about->scratch, size, CLI_STYLE_TEXT);
    cli_put(stream, "]");
}

/* Writes the path from an element to the value in it that differs: "['x'][2]", or members of a JSON array. */
static void put_levels(const cli_comparison *result, bool json, bool is_first)
{
    cli_side *side = &result->sides[0];
    cli_iterator iterators[2];
    const cli_step *found = find_first(result, iterators);
    const cli_step *steps = side->steps.steps;
    size_t at = found == NULL ? 0 : (size_t)(found - steps);
    for (size_t i = 0; i < at; i++) {
        bool is_level =
            steps[i].kind == CLI_FIELD ? is_around(steps, i, at) : steps[i].kind == CLI_AXIS && steps[i].match > at;
        if (!is_level) continue;
        if (json && !is_first) cli_put(&cli_output, ", ");
        is_first = false;
        put_level(&side->about, &steps[i], json);
    }
}

void cli_put_place(const cli_comparison *result, bool json)
{
    cli_put(&cli_output, json ? "\"index\": [" : "[");
    put_index(&result->sides[0].view, result->first);
    cli_put(&cli_output, json ? "], \"path\": [" : "]");
    put_levels(result, json, true);
    if (json) cli_put(&cli_output, "]");
}

void cli_put_inner_place(const cli_comparison *result, bool json, bool is_first)
{
    const snpy_view *view = &result->sides[0].view;
    if (view->ndim > 0) {
        cli_put(&cli_output, json && !is_first ? ", [" : "[");
        put_index(view, result->first);
        cli_put(&cli_output, "]");
    }
    put_levels(result, json, is_first && view->ndim == 0);
}

snpy_status cli_put_first(cli_comparison *result, int side, enum cli_style style)
{
    cli_iterator iterators[2];
    const cli_step *found = find_first(result, iterators);
    if (found == NULL) return SNPY_OK; /* the file has changed */
    const cli_step *step = &result->sides[side].steps.steps[found - result->sides[0].steps.steps];
    cli_element element = first_element(result, side);
    cli_put_value(&element, iterators[side].base + step->offset, step->dtype, style);
    result->side = side;
    result->error = element.error;
    return element.status;
}
