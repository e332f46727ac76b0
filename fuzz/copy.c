/* copy.c: copies between random layouts, in any byte order, against one that goes element by element and byte by byte;
 * by the proved loops and by the fast ones, into other memory and in place. */
#include "fuzz/model.h"
#include "safenpy/copy_fast.h"

#include <stdlib.h>
#include <string.h>

/* Of each byte of an element: the byte it is copied from, or that it is padding. */
#define PADDING UINT32_MAX

/* A number of `unit` bytes at a place of an element. */
static void map_number(uint32_t *from, uint32_t at, uint32_t unit, bool swap)
{
    for (uint32_t b = 0; b < unit; b++) from[at + b] = swap ? at + unit - 1 - b : at + b;
}

static void map_simple(uint32_t *from, uint32_t at, const snpy_dtype *dtype, snpy_byteorder order)
{
    bool swap = (order == SNPY_BYTEORDER_LITTLE && dtype->byteorder == '>') ||
                (order == SNPY_BYTEORDER_BIG && dtype->byteorder == '<');
    uint32_t unit = dtype->itemsize;
    if (dtype->kind == SNPY_KIND_STRING) unit = 4;
    if (dtype->kind == SNPY_KIND_COMPLEX) unit /= 2;
    if (dtype->kind == SNPY_KIND_BYTES || dtype->kind == SNPY_KIND_VOID) unit = 1;
    for (uint32_t b = 0; unit > 0 && b < dtype->itemsize; b += unit) map_number(from, at + b, unit, swap);
}

static void map_type(uint32_t *from, uint32_t at, const snpy_table *table, size_t entry, snpy_byteorder order);

/* A field with all its dimensions. */
static void map_field(uint32_t *from, uint32_t at, const snpy_table *table, size_t entry, snpy_byteorder order)
{
    const snpy_field *field = &table->fields[entry];
    uint32_t item = field->dtype.itemsize;
    for (uint32_t k = 0; item > 0 && k < field->itemsize / item; k++)
        map_type(from, at + k * item, table, entry, order);
}

static void map_type(uint32_t *from, uint32_t at, const snpy_table *table, size_t entry, snpy_byteorder order)
{
    const snpy_field *type = &table->fields[entry];
    if (type->dtype.kind == SNPY_KIND_SUBARRAY) {
        map_field(from, at, table, entry + 1, order);
    } else if (type->dtype.kind == SNPY_KIND_RECORD) {
        for (size_t e = entry + 1; e < table->field_count && table->fields[e].depth > type->depth; e++)
            if (table->fields[e].parent == entry && !table->fields[e].is_padding)
                map_field(from, at + (uint32_t)table->fields[e].offset, table, e, order);
    } else {
        map_simple(from, at, &type->dtype, order);
    }
}

static uint32_t *make_map(const struct model_case *c, snpy_byteorder order)
{
    const snpy_view *view = &c->view;
    uint32_t *from = fuzz_memory(view->itemsize, sizeof *from);
    for (uint32_t b = 0; b < view->itemsize; b++) from[b] = PADDING;
    if (view->dtype.kind == SNPY_KIND_RECORD)
        map_type(from, 0, &c->parsed.table, view->entry, order);
    else
        map_simple(from, 0, &view->dtype, order);
    return from;
}

static void copy_plainly(const uint32_t *from, uint32_t itemsize, const uint8_t *element, uint8_t *out)
{
    for (uint32_t b = 0; b < itemsize; b++) out[b] = from[b] == PADDING ? 0 : element[from[b]];
}

/* A plan with exactly the runs it needs; one run less is refused. */
static void make_plan(const struct model_case *c, snpy_byteorder order, snpy_plan *plan)
{
    snpy_error error;
    memset(plan, 0, sizeof *plan);
    for (;;) {
        plan->runs = fuzz_memory(plan->capacity, sizeof *plan->runs);
        snpy_status status = snpy_plan_make(&c->view, &c->parsed.table, order, plan, &error);
        if (status == SNPY_OK) break;
        FUZZ_MUST(status == SNPY_TABLE_TOO_SMALL && plan->capacity < 4096);
        free(plan->runs);
        plan->capacity++;
    }
    FUZZ_MUST(plan->count <= plan->capacity && plan->itemsize == c->view.itemsize);
    FUZZ_MUST(snpy_plan_check(plan, &error) == SNPY_OK);
}

/* Copies into a dense view with both kinds of loops, then converts that where it is. */
static void dense_must_agree(const struct model_case *c, const uint8_t *data, const snpy_plan *plan,
                             const uint32_t *from, bool fortran)
{
    snpy_view to;
    snpy_error error;
    FUZZ_MUST(snpy_view_dense(&c->view, fortran, &to, &error) == SNPY_OK);
    FUZZ_MUST(to.data_size == c->model.count * c->view.itemsize);
    size_t size = (size_t)to.data_size;
    uint8_t *wanted = fuzz_memory(size, 1);
    uint8_t *out = fuzz_memory(size, 1);
    uint8_t *fast = fuzz_memory(size, 1);
    fuzz_fill(wanted, size);
    fuzz_fill(out, size);
    fuzz_fill(fast, size);
    for (uint64_t i = 0; i < c->model.count; i++) {
        uint64_t place;
        FUZZ_MUST(snpy_view_flat(&to, i, &place, &error) == SNPY_OK && place + to.itemsize <= size);
        copy_plainly(from, to.itemsize, data + c->model.places[i], wanted + place);
    }
    FUZZ_MUST(snpy_copy(&c->view, data, plan, &to, out, &error) == SNPY_OK && memcmp(out, wanted, size) == 0);
    FUZZ_MUST(snpy_copy_fast(&c->view, data, plan, &to, fast, &error) == SNPY_OK && memcmp(fast, wanted, size) == 0);
    for (uint64_t i = 0; i < c->model.count; i++)
        copy_plainly(from, to.itemsize, out + i * to.itemsize, wanted + i * to.itemsize);
    FUZZ_MUST(snpy_convert(&to, out, plan, &error) == SNPY_OK && memcmp(out, wanted, size) == 0);
    FUZZ_MUST(snpy_copy_fast_in_place(&to, fast, plan, &error) == SNPY_OK && memcmp(fast, wanted, size) == 0);
    free(wanted);
    free(out);
    free(fast);
}

/* Copies into a layout that leaves gaps, backwards along some axes; what lies between stays as it was. */
static void spread_must_agree(struct fuzz_input *input, const struct model_case *c, const uint8_t *data,
                              const snpy_plan *plan, const uint32_t *from)
{
    snpy_view to = c->view;
    snpy_error error;
    uint64_t extent = (uint64_t)to.itemsize + fuzz_below(input, 4);
    to.offset = fuzz_below(input, 9);
    for (uint32_t d = to.ndim; d > 0; d--) {
        int64_t stride = (int64_t)extent;
        bool backwards = to.shape[d - 1] > 0 && fuzz_below(input, 2) == 1;
        to.strides[d - 1] = backwards ? -stride : stride;
        if (backwards) to.offset += extent * (to.shape[d - 1] - 1);
        extent = extent * (to.shape[d - 1] == 0 ? 1 : to.shape[d - 1]) + fuzz_below(input, 5);
    }
    to.data_size = extent + 16;
    if (to.data_size > 1u << 22) return;
    size_t size = (size_t)to.data_size;
    uint8_t *wanted = fuzz_memory(size, 1);
    uint8_t *out = fuzz_memory(size, 1);
    FUZZ_MUST(snpy_view_check(&to, &error) == SNPY_OK);
    fuzz_fill(wanted, size);
    for (uint64_t i = 0; i < c->model.count; i++) {
        uint64_t place;
        FUZZ_MUST(snpy_view_flat(&to, i, &place, &error) == SNPY_OK);
        copy_plainly(from, to.itemsize, data + c->model.places[i], wanted + place);
    }
    for (unsigned fast = 0; fast < 2; fast++) {
        fuzz_fill(out, size);
        snpy_status status = fast == 0 ? snpy_copy(&c->view, data, plan, &to, out, &error)
                                       : snpy_copy_fast(&c->view, data, plan, &to, out, &error);
        FUZZ_MUST(status == SNPY_OK && memcmp(out, wanted, size) == 0);
    }
    free(wanted);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    struct model_case *c = fuzz_memory(1, sizeof *c);
    snpy_plan plan;
    snpy_byteorder order = (snpy_byteorder)fuzz_below(&input, 3);
    uint32_t steps = fuzz_below(&input, 5);
    model_make(&input, c);
    while (steps-- > 0 && model_step(&input, c)) {
    }
    size_t bytes = (size_t)c->view.data_size;
    uint8_t *elements = fuzz_memory(bytes, 1);
    for (size_t i = 0; i < bytes; i++) elements[i] = (uint8_t)(i * 2654435761u >> 13);
    uint32_t *from = make_map(c, order);
    make_plan(c, order, &plan);
    dense_must_agree(c, elements, &plan, from, fuzz_below(&input, 2) == 1);
    spread_must_agree(&input, c, elements, &plan, from);
    free(plan.runs);
    free(from);
    free(elements);
    model_release(c);
    free(c);
    return 0;
}
