/* model.c: what a view should be, kept plainly. */
#include "fuzz/model.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const types[] = {
    "'|b1'",
    "'<i2'",
    "'>f8'",
    "'<c16'",
    "'|S3'",
    "'>U2'",
    "'|V0'",
    "'|V7'",
    "'<f16'",
    "'>c32'",
    "'<M8[s]'",
    "[('a', '<i4'), ('b', '>f2')]",
    "[('a', '|u1'), ('', '|V3'), ('b', '>i4', (2, 3)), ('c', [('x', '>c8'), ('', '|V1'), ('y', '|S2')])]",
    "[('a', ('<u2', (2,)), (3,)), ('', [('z', '<f4')], (2,)), ('t', [], ()), ('e', '<f8', (0,))]",
    "[('r', [('p', '>U1'), ('q', [('o', '<i8')], (2,))], (2, 1)), ('n', '|b1')]",
    "[]",
};

/* The places of a whole array, by its own order.                                                  NPY-DATA-005, 006 */
static void place_all(struct model *m, const snpy_header *header)
{
    for (uint64_t flat = 0; flat < m->count; flat++) {
        uint64_t index[MODEL_AXES];
        uint64_t rest = flat;
        uint64_t place = 0;
        for (uint32_t d = m->ndim; d > 0; d--) {
            index[d - 1] = rest % m->shape[d - 1];
            rest /= m->shape[d - 1];
        }
        if (header->fortran_order)
            for (uint32_t d = m->ndim; d > 0; d--) place = place * m->shape[d - 1] + index[d - 1];
        else
            for (uint32_t d = 0; d < m->ndim; d++) place = place * m->shape[d] + index[d];
        m->places[flat] = place * header->dtype.itemsize;
    }
}

void model_make(struct fuzz_input *input, struct model_case *c)
{
    char text[512];
    size_t length;
    uint64_t count = 1;
    snpy_error error;
    snpy_options options = SNPY_OPTIONS_INIT;
    const char *type = types[fuzz_below(input, sizeof types / sizeof types[0])];
    uint32_t ndim = fuzz_below(input, 6);
    int at = snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': %s, 'shape': (", type,
                      fuzz_below(input, 2) == 0 ? "False" : "True");
    for (uint32_t d = 0; d < ndim; d++) {
        uint64_t dim = fuzz_below(input, 12) % 7;
        if (count * dim > MODEL_ELEMENTS / 2) dim = 1;
        count *= dim;
        at += snprintf(text + at, sizeof text - (size_t)at, "%d,", (int)dim);
    }
    c->bytes = fuzz_compose(1, text, NULL, 0, ")}", &length);
    fuzz_parse(c->bytes, length, &options, &c->parsed);
    const snpy_header *header = &c->parsed.header;
    FUZZ_MUST(c->parsed.status == SNPY_OK && header->ndim == ndim && header->count == count);
    c->model.ndim = ndim;
    c->model.count = count;
    memcpy(c->model.shape, header->shape, ndim * sizeof header->shape[0]);
    place_all(&c->model, header);
    if (header->data_size > 0) {
        FUZZ_MUST(snpy_view_open(header, header->data_size - 1, &c->view, &error) == SNPY_TRUNCATED_DATA);
        FUZZ_MUST(error.offset == header->data_size - 1);
    }
    FUZZ_MUST(snpy_view_open(header, header->data_size + fuzz_below(input, 3), &c->view, &error) == SNPY_OK);
}

void model_release(struct model_case *c)
{
    fuzz_release(&c->parsed);
    free(c->bytes);
}

/* ---- steps -------------------------------------------------------------------------------------------------- */

/* A copy in memory of its own, without the places that are not used. */
static struct model *copy_of(const struct model *m)
{
    struct model *copy = fuzz_memory(1, sizeof *copy);
    memcpy(copy, m, offsetof(struct model, places));
    memcpy(copy->places, m->places, (size_t)m->count * sizeof m->places[0]);
    return copy;
}

/* Keeps of an axis the indices listed, and drops the axis if `drop` is true and there is one. */
static void keep_indices(struct model *m, uint32_t axis, const uint64_t *indices, uint64_t kept, bool drop)
{
    struct model *old = copy_of(m);
    uint64_t inner = 1;
    uint64_t outer = 1;
    for (uint32_t d = 0; d < axis; d++) outer *= old->shape[d];
    for (uint32_t d = axis + 1; d < old->ndim; d++) inner *= old->shape[d];
    m->count = 0;
    for (uint64_t o = 0; o < outer; o++)
        for (uint64_t k = 0; k < kept; k++)
            for (uint64_t i = 0; i < inner; i++)
                m->places[m->count++] = old->places[(o * old->shape[axis] + indices[k]) * inner + i];
    m->shape[axis] = kept;
    if (drop) {
        for (uint32_t d = axis; d + 1 < m->ndim; d++) m->shape[d] = m->shape[d + 1];
        m->ndim--;
    }
    free(old);
}

static int64_t take_index(struct fuzz_input *input, uint64_t length)
{
    if (fuzz_below(input, 16) == 0) return (int64_t)fuzz_take(input, 8);
    return (int64_t)fuzz_below(input, (uint32_t)length * 2 + 5) - (int64_t)length - 2;
}

/* Not a byte of a view has changed. */
static bool is_untouched(const snpy_view *one, const snpy_view *other)
{
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c): every byte, padding too */
    return memcmp(one, other, sizeof *one) == 0;
}

static void pick(struct fuzz_input *input, struct model_case *c, uint32_t axis)
{
    uint64_t length = c->model.shape[axis];
    int64_t index = take_index(input, length);
    snpy_view before = c->view;
    snpy_error error;
    snpy_status status = snpy_view_index(&c->view, axis, index, &error);
    bool is_inside = index >= 0 ? (uint64_t)index < length : index >= -(int64_t)length;
    FUZZ_MUST(status == (is_inside ? SNPY_OK : SNPY_BAD_INDEX));
    if (is_inside) {
        uint64_t kept = index >= 0 ? (uint64_t)index : length - (uint64_t)-index;
        keep_indices(&c->model, axis, &kept, 1, true);
    } else {
        FUZZ_MUST(error.offset == axis && is_untouched(&before, &c->view));
    }
}

/* A bound of a slice, as Python moves it into an axis. */
static int64_t clip(int64_t bound, int64_t length, bool backwards)
{
    if (bound < 0) bound = bound < -length ? -1 : bound + length;
    if (bound < 0) return backwards ? -1 : 0;
    return bound >= length ? (backwards ? length - 1 : length) : bound;
}

static void slice(struct fuzz_input *input, struct model_case *c, uint32_t axis)
{
    int64_t length = (int64_t)c->model.shape[axis];
    uint32_t has = fuzz_below(input, 8);
    snpy_slice part = {take_index(input, (uint64_t)length),
                       take_index(input, (uint64_t)length),
                       take_index(input, 3),
                       (has & 1) != 0,
                       (has & 2) != 0,
                       (has & 4) != 0};
    int64_t step = part.has_step ? part.step : 1;
    snpy_view before = c->view;
    snpy_error error;
    snpy_status status = snpy_view_slice(&c->view, axis, &part, &error);
    if (step == 0) {
        FUZZ_MUST(status == SNPY_BAD_SLICE && error.offset == axis);
        FUZZ_MUST(is_untouched(&before, &c->view));
        return;
    }
    FUZZ_MUST(status == SNPY_OK);
    bool backwards = step < 0;
    int64_t start = part.has_start ? clip(part.start, length, backwards) : backwards ? length - 1 : 0;
    int64_t stop = part.has_stop ? clip(part.stop, length, backwards) : backwards ? -1 : length;
    uint64_t kept = 0;
    uint64_t *indices = fuzz_memory((size_t)length, sizeof *indices);
    /* No step is taken beyond the axis: it might not be a number any more. */
    for (int64_t at = start; backwards ? at > stop : at < stop;) {
        indices[kept++] = (uint64_t)at;
        if (backwards ? step < -length : step > length) break;
        at += step;
    }
    keep_indices(&c->model, axis, indices, kept, false);
    free(indices);
}

static void transpose(struct model_case *c)
{
    struct model *m = &c->model;
    struct model *old = copy_of(m);
    snpy_error error;
    FUZZ_MUST(snpy_view_transpose(&c->view, &error) == SNPY_OK);
    for (uint32_t d = 0; d < m->ndim; d++) m->shape[d] = old->shape[m->ndim - 1 - d];
    for (uint64_t flat = 0; flat < m->count; flat++) {
        uint64_t rest = flat;
        uint64_t from = 0;
        for (uint32_t d = m->ndim; d > 0; d--) {
            from = from * m->shape[d - 1] + rest % m->shape[d - 1];
            rest /= m->shape[d - 1];
        }
        /* The last axis of the new array is the first of the old one: its index counts most there. */
        m->places[flat] = old->places[from];
    }
    free(old);
}

/* The dimensions of a field and of what is nested in it become the last axes. */
static void take_field(struct model *m, const snpy_table *table, uint32_t entry)
{
    const snpy_field *field = &table->fields[entry];
    uint64_t shift = (uint64_t)field->offset;
    for (uint64_t i = 0; i < m->count; i++) m->places[i] += shift;
    for (bool more = true; more; field++) {
        for (uint32_t d = 0; d < field->ndim; d++) {
            uint64_t dim = (uint64_t)table->dims[field->first_dim + d];
            uint64_t item = field->dtype.itemsize;
            for (uint32_t e = d + 1; e < field->ndim; e++) item *= (uint64_t)table->dims[field->first_dim + e];
            struct model *old = copy_of(m);
            m->count = 0;
            for (uint64_t i = 0; i < old->count; i++)
                for (uint64_t k = 0; k < dim; k++) m->places[m->count++] = old->places[i] + k * item;
            m->shape[m->ndim++] = dim;
            free(old);
        }
        more = field->dtype.kind == SNPY_KIND_SUBARRAY;
    }
}

static void pick_field(struct fuzz_input *input, struct model_case *c)
{
    const snpy_table *table = &c->parsed.table;
    uint32_t entry = fuzz_below(input, (uint32_t)table->field_count + 1);
    snpy_view before = c->view;
    snpy_error error;
    bool is_record = c->view.dtype.kind == SNPY_KIND_RECORD;
    bool is_part = is_record && entry > 0 && entry < table->field_count &&
                   table->fields[entry].parent == c->view.entry && table->fields[entry].has_name;
    uint64_t size = is_part ? table->fields[entry].itemsize : 0;
    uint32_t ndim = c->model.ndim;
    for (size_t e = entry; is_part; e++) {
        ndim += table->fields[e].ndim;
        if (table->fields[e].dtype.kind != SNPY_KIND_SUBARRAY) break;
    }
    if (ndim > MODEL_AXES || c->model.count * (size + 1) > MODEL_ELEMENTS) return;
    snpy_status status = snpy_view_field(&c->view, table, entry, &error);
    FUZZ_MUST(status == (is_part ? SNPY_OK : SNPY_WRONG_TYPE));
    if (is_part)
        take_field(&c->model, table, entry);
    else
        FUZZ_MUST(is_untouched(&before, &c->view));
}

bool model_step(struct fuzz_input *input, struct model_case *c)
{
    if (input->left == 0) return false;
    uint32_t form = fuzz_below(input, 8);
    uint32_t ndim = c->model.ndim;
    if (form < 4 && ndim > 0)
        slice(input, c, fuzz_below(input, ndim));
    else if (form < 6 && ndim > 0)
        pick(input, c, fuzz_below(input, ndim));
    else if (form == 6)
        transpose(c);
    else
        pick_field(input, c);
    return true;
}

/* ---- comparing ---------------------------------------------------------------------------------------------- */

static void element_must_agree(const struct model_case *c, uint64_t flat)
{
    uint64_t index[MODEL_AXES];
    uint32_t rest = (uint32_t)flat; /* small, as all of a model is: divisions are most of this harness's work */
    uint64_t place;
    snpy_error error;
    for (uint32_t d = c->model.ndim; d > 0; d--) {
        uint32_t dim = (uint32_t)c->model.shape[d - 1];
        index[d - 1] = rest % dim;
        rest /= dim;
    }
    FUZZ_MUST(snpy_view_flat(&c->view, flat, &place, &error) == SNPY_OK && place == c->model.places[flat]);
    FUZZ_MUST(snpy_view_at(&c->view, index, &place, &error) == SNPY_OK && place == c->model.places[flat]);
    FUZZ_MUST(place + c->view.itemsize <= c->parsed.header.data_size);
}

void model_must_agree(const struct model_case *c, uint64_t most)
{
    snpy_view checked = c->view;
    snpy_error error;
    uint64_t place;
    FUZZ_MUST(c->view.ndim == c->model.ndim && c->view.count == c->model.count);
    for (uint32_t d = 0; d < c->model.ndim; d++) FUZZ_MUST(c->view.shape[d] == c->model.shape[d]);
    FUZZ_MUST(snpy_view_check(&checked, &error) == SNPY_OK && checked.count == c->view.count);
    const uint64_t step = c->model.count <= most ? 1 : c->model.count / most;
    for (uint64_t flat = 0; flat < c->model.count; flat += step) element_must_agree(c, flat);
    if (c->model.count > 0) element_must_agree(c, c->model.count - 1);
    fuzz_fill(&place, sizeof place);
    FUZZ_MUST(snpy_view_flat(&c->view, c->model.count, &place, &error) == SNPY_BAD_INDEX);
    FUZZ_MUST(error.offset == c->model.count && fuzz_is_filled(&place, sizeof place));
}
