/* element.c: lists the parts of an element, its fields, sub-arrays and values, and iterates over them.
 * value.c prints values.
 *
 * A dtype is a tree, but there is no recursion: it is flattened once into a list of steps, which serves all
 * elements. */
#include "cli/data.h"

#include <stdlib.h>

/* A record whose fields are being listed. */
struct level {
    uint32_t child;  /* entry of the next field; 0: none */
    uint64_t offset; /* offset of the record in the element */
    uint32_t axes;   /* axes that are open around the record and end after it */
};

/* The state of making the list of steps. */
struct maker {
    cli_subject *about;
    cli_steps *steps;
    size_t open; /* 1 + the index of the innermost step that has no end yet; 0: none */
    size_t depth;
    struct level levels[CLI_LEVELS]; /* more than a header can have */
};

/* Adds an empty step. Returns NULL if there is no memory. */
static cli_step *add_step(struct maker *maker, enum cli_step_kind kind)
{
    static const cli_step empty = {.kind = CLI_VALUE};
    cli_steps *steps = maker->steps;
    if (steps->count == steps->capacity) {
        size_t capacity = steps->capacity == 0 ? 16 : 2 * steps->capacity;
        cli_step *grown = capacity > SIZE_MAX / sizeof *grown ? NULL : realloc(steps->steps, capacity * sizeof *grown);
        if (grown == NULL) return NULL;
        steps->steps = grown;
        steps->capacity = capacity;
    }
    cli_step *step = &steps->steps[steps->count++];
    *step = empty;
    step->kind = kind;
    return step;
}

/* Adds a step that begins something. Until it is closed, its `match` saves maker->open. Returns NULL if there is no
 * memory. */
static cli_step *open_step(struct maker *maker, enum cli_step_kind kind)
{
    cli_step *step = add_step(maker, kind);
    if (step == NULL) return NULL;
    step->match = maker->open;
    maker->open = maker->steps->count;
    return step;
}

/* Adds the end of the innermost open step and links both. Returns false if there is no memory. */
static bool close_step(struct maker *maker, enum cli_step_kind kind)
{
    cli_step *end = add_step(maker, kind);
    if (end == NULL) return false;
    size_t begin = maker->open - 1;
    maker->open = maker->steps->steps[begin].match;
    maker->steps->steps[begin].match = maker->steps->count - 1;
    end->match = begin;
    end->is_pairs = maker->steps->steps[begin].is_pairs;
    return true;
}

/* Ends the innermost `axes` axes. Returns false if there is no memory. */
static bool close_axes(struct maker *maker, uint32_t axes)
{
    for (uint32_t k = 0; k < axes; k++)
        if (!close_step(maker, CLI_AXIS_END)) return false;
    return true;
}

/* Returns the first entry, from a field on, that is not padding; 0 if there is none. */
static uint32_t skip_padding(const snpy_table *table, uint32_t entry)
{
    while (entry != 0 && table->fields[entry].is_padding) entry = table->fields[entry].next;
    return entry;
}

/* Returns the entry of a record's first field that is not padding; 0 if there is none. */
static uint32_t first_child(const snpy_table *table, uint32_t record)
{
    bool has_child = record + 1 < table->field_count && table->fields[record + 1].parent == record;
    return has_child ? skip_padding(table, record + 1) : 0;
}

/* Whether a field of a record has a name with surrogates, which a JSON string cannot hold. */
static bool has_hard_name(cli_subject *about, uint32_t record)
{
    const snpy_table *table = about->table;
    for (uint32_t entry = first_child(table, record); entry != 0;
         entry = skip_padding(table, table->fields[entry].next))
        if (cli_has_surrogates(about, table->fields[entry].name_offset, table->fields[entry].name_length)) return true;
    return false;
}

/* Begins a record, whose fields the loop of cli_find_steps adds. Returns false if there is no memory. */
static bool add_record(struct maker *maker, uint32_t record, uint64_t offset, uint32_t axes)
{
    cli_step *step = open_step(maker, CLI_RECORD);
    if (step == NULL || maker->depth + 1 == CLI_LEVELS) return false;
    step->is_pairs = has_hard_name(maker->about, record);
    maker->levels[maker->depth++] = (struct level){first_child(maker->about->table, record), offset, axes};
    return true;
}

/* Adds a value. Returns false if there is no memory. */
static bool add_value(struct maker *maker, const snpy_dtype *dtype, uint64_t offset)
{
    cli_step *step = add_step(maker, CLI_VALUE);
    if (step == NULL) return false;
    step->dtype = dtype;
    step->offset = offset;
    return true;
}

/* Adds the axes of a field, for all levels of its sub-arrays, and sets their strides. *axes is their number. Returns
 * false if there is no memory. */
static bool add_axes(struct maker *maker, uint32_t entry, uint32_t base, uint32_t *axes)
{
    const snpy_table *table = maker->about->table;
    size_t first = maker->steps->count;
    uint64_t stride = table->fields[base].dtype.itemsize;
    *axes = 0;
    for (uint32_t level = entry; level <= base; level++) {
        for (uint32_t k = 0; k < table->fields[level].ndim; k++, ++*axes) {
            cli_step *step = open_step(maker, CLI_AXIS);
            if (step == NULL) return false;
            step->length = (uint64_t)table->dims[table->fields[level].first_dim + k];
        }
    }
    for (size_t at = maker->steps->count; at > first; at--) {
        maker->steps->steps[at - 1].stride = stride;
        stride *= maker->steps->steps[at - 1].length;
    }
    return true;
}

/* Adds the next field of the innermost record and moves level->child on. Returns false if there is no memory. */
static bool add_field(struct maker *maker, struct level *level)
{
    const snpy_table *table = maker->about->table;
    const uint32_t entry = level->child;
    const uint32_t base = (uint32_t)cli_base_entry(table, entry);
    const uint64_t offset = level->offset + (uint64_t)table->fields[entry].offset;
    const cli_step *record = &maker->steps->steps[maker->open - 1];
    const bool is_pairs = record->is_pairs;
    const bool is_first = record == &maker->steps->steps[maker->steps->count - 1];
    uint32_t axes = 0;
    cli_step *step = add_step(maker, CLI_FIELD);
    if (step == NULL) return false;
    step->entry = entry;
    step->is_pairs = is_pairs;
    step->is_first = is_first;
    level->child = skip_padding(table, table->fields[entry].next);
    if (!add_axes(maker, entry, base, &axes)) return false;
    if (table->fields[base].dtype.kind == SNPY_KIND_RECORD) return add_record(maker, base, offset, axes);
    return add_value(maker, &table->fields[base].dtype, offset) && close_axes(maker, axes);
}

bool cli_find_steps(cli_subject *about, const snpy_view *view, cli_steps *steps)
{
    struct maker maker = {.about = about, .steps = steps};
    steps->count = 0;
    steps->dtype = view->dtype;
    if (view->dtype.kind != SNPY_KIND_RECORD) return add_value(&maker, &steps->dtype, 0);
    if (!add_record(&maker, view->entry, 0, 0)) return false;
    while (maker.depth > 0) {
        struct level *level = &maker.levels[maker.depth - 1];
        if (level->child != 0) {
            if (!add_field(&maker, level)) return false;
            continue;
        }
        maker.depth--;
        if (!close_step(&maker, CLI_RECORD_END) || !close_axes(&maker, level->axes)) return false;
    }
    return true;
}

/* Returns a sum, or UINT64_MAX if that is exceeded. */
static uint64_t add_up(uint64_t one, uint64_t other)
{
    return one > UINT64_MAX - other ? UINT64_MAX : one + other;
}

cli_counts cli_count_steps(const cli_steps *steps)
{
    cli_counts counts = {0, 0};
    /* How often the step occurs in an element. At most 2^62: a sub-array has at most 2^31 items, and one without bytes
     * contains no sub-arrays. */
    uint64_t times = 1;
    for (size_t at = 0; at < steps->count; at++) {
        const cli_step *step = &steps->steps[at];
        bool is_empty = false;
        if (step->kind == CLI_VALUE) {
            counts.values = add_up(counts.values, times);
            is_empty = step->dtype->itemsize == 0;
        } else if (step->kind == CLI_RECORD) {
            is_empty = step->match == at + 1;
        } else if (step->kind == CLI_AXIS && step->length > 0) {
            times *= step->length;
        } else if (step->kind == CLI_AXIS) {
            is_empty = true;
            at = step->match;
        } else if (step->kind == CLI_AXIS_END) {
            times /= steps->steps[step->match].length;
        }
        if (is_empty) counts.empty = add_up(counts.empty, times);
    }
    return counts;
}

void cli_release_steps(cli_steps *steps)
{
    static const cli_steps empty = {.steps = NULL};
    free(steps->steps);
    *steps = empty;
}

cli_step *cli_next_step(const cli_steps *steps, cli_iterator *iterator, bool *again)
{
    *again = false;
    if (iterator->at == steps->count) return NULL;
    cli_step *step = &steps->steps[iterator->at++];
    if (step->kind == CLI_AXIS) {
        step->index = 0;
        if (step->length == 0) iterator->at = step->match;
    } else if (step->kind == CLI_AXIS_END) {
        cli_step *axis = &steps->steps[step->match];
        if (axis->length == 0) return step;
        if (++axis->index < axis->length) {
            iterator->base += axis->stride;
            iterator->at = step->match + 1;
            *again = true;
        } else {
            iterator->base -= axis->stride * (axis->length - 1);
        }
    }
    return step;
}

const uint8_t *cli_element_bytes(cli_element *element, uint64_t at, size_t size)
{
    const uint8_t *bytes = NULL;
    if (element->bytes != NULL) return element->bytes + at;
    if (element->status != SNPY_OK) return NULL;
    element->status = snpy_input_window(element->input, element->offset + at, size, element->offset + element->size,
                                        &bytes, &element->error);
    return element->status == SNPY_OK ? bytes : NULL;
}
