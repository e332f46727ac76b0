/* view.c: slices, elements, transposes and fields of a small array, one after the other, against a list of the places
 * of all elements; and views that come from nowhere, which snpy_view_check must take only if they stay in their data. */
#include "fuzz/model.h"

#include <stdlib.h>

/* Adds a multiple to a sum, in two numbers for what is above and below 0; false if a sum is beyond all data. */
static bool add_reach(uint64_t count, int64_t stride, uint64_t *sum)
{
    uint64_t size = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
    if (size != 0 && count > SNPY_MAX_SIZE / size) return false;
    if (*sum > SNPY_MAX_SIZE - count * size) return false;
    *sum += count * size;
    return true;
}

/* What a view says that was accepted: every element lies in its data. */
static void must_stay_inside(const snpy_view *view)
{
    uint64_t up = 0;
    uint64_t down = 0;
    FUZZ_MUST(view->ndim <= SNPY_MAX_NDIM);
    for (uint32_t d = 0; d < view->ndim; d++)
        if (view->shape[d] == 0) return;
    for (uint32_t d = 0; d < view->ndim; d++)
        FUZZ_MUST(add_reach(view->shape[d] - 1, view->strides[d], view->strides[d] < 0 ? &down : &up));
    FUZZ_MUST(down <= view->offset && view->offset <= view->data_size);
    FUZZ_MUST(up <= view->data_size - view->offset && view->itemsize <= view->data_size - view->offset - up);
}

static void try_any_view(struct fuzz_input *input)
{
    snpy_view view = {0};
    snpy_error error;
    uint64_t place;
    view.data_size = fuzz_size(input);
    view.offset = fuzz_size(input);
    view.itemsize = (uint32_t)fuzz_size(input);
    view.ndim = fuzz_below(input, 32) == 0 ? fuzz_below(input, 70) : fuzz_below(input, 5);
    view.dtype.kind = SNPY_KIND_VOID;
    view.dtype.byteorder = '|';
    view.dtype.itemsize = view.itemsize;
    for (uint32_t d = 0; d < SNPY_MAX_NDIM; d++) {
        view.shape[d] = fuzz_size(input);
        uint64_t stride = fuzz_size(input);
        view.strides[d] = (int64_t)(fuzz_below(input, 3) == 0 ? 0 - stride : stride);
    }
    if (snpy_view_check(&view, &error) != SNPY_OK) {
        FUZZ_MUST(error.status == SNPY_BAD_ARGUMENT);
        return;
    }
    must_stay_inside(&view);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t flat = i == 0 ? view.count - 1 : fuzz_take(input, 8);
        bool is_inside = flat < view.count;
        FUZZ_MUST(snpy_view_flat(&view, flat, &place, &error) == (is_inside ? SNPY_OK : SNPY_BAD_INDEX));
        FUZZ_MUST(!is_inside || (place <= view.data_size && view.itemsize <= view.data_size - place));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    if (fuzz_below(&input, 4) == 0) {
        try_any_view(&input);
        return 0;
    }
    struct model_case *c = fuzz_memory(1, sizeof *c);
    model_make(&input, c);
    const uint64_t most = fuzz_is_chosen(data, size) ? MODEL_ELEMENTS : 16;
    model_must_agree(c, most);
    while (model_step(&input, c)) model_must_agree(c, most);
    model_release(c);
    free(c);
    return 0;
}
