/* shape.c: the text of a shape, read by snpy_parse_shape from memory that ends with it, and its product. Holds:
 * positions are in range; the product is that of long arithmetic; inside a header the same text is judged alike, and as
 * the oracle does. The first byte of the input is the version. */
#include "core/shape.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>

/* The product by repeated addition of halves: no product of this harness can wrap. */
static bool naive_product(const uint64_t *dims, size_t count, uint64_t item, uint64_t *product)
{
    *product = item;
    for (size_t i = 0; i < count; i++) {
        uint64_t sum = 0;
        uint64_t term = *product;
        for (uint64_t left = dims[i]; left > 0; left /= 2) {
            if (left % 2 == 1) {
                if (sum > SNPY_MAX_SIZE - term) return false;
                sum += term;
            }
            if (left > 1) {
                if (term > SNPY_MAX_SIZE / 2) return false;
                term *= 2;
            }
        }
        *product = sum;
    }
    return true;
}

static void product_must_hold(const uint64_t *dims, size_t ndim, uint32_t itemsize)
{
    uint64_t filled[SNPY_MAX_NDIM];
    uint64_t extent;
    uint64_t product = 0;
    uint64_t count;
    for (size_t i = 0; i < ndim; i++) filled[i] = dims[i] == 0 ? 1 : dims[i];
    fuzz_fill(&count, sizeof count);
    bool fits = naive_product(filled, ndim, itemsize == 0 ? 1 : itemsize, &extent) && extent <= SNPY_MAX_SIZE;
    FUZZ_MUST(snpy_count_elements(dims, ndim, itemsize, &count) == fits);
    if (!fits) return;
    FUZZ_MUST(naive_product(dims, ndim, 1, &product) && product == count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char before[] = "{'descr': '|b1', 'fortran_order': False, 'shape': ";
    snpy_options options = SNPY_OPTIONS_INIT;
    struct snpy_text text = {data, size, size > 0 && data[0] != 3, false};
    struct snpy_shape shape;
    struct fuzz_header parsed;
    uint64_t dims[SNPY_MAX_NDIM];
    /* The caller has skipped the blanks. */
    if (size < 2 || data[0] < 1 || data[0] > 3 || snpy_is_blank(data[1])) return 0;
    fuzz_work = 0;
    snpy_status status = snpy_parse_shape(&text, 1, false, SNPY_MAX_NDIM, &shape, dims);
    FUZZ_MUST(fuzz_work <= 64 * (uint64_t)size);
    FUZZ_MUST(shape.stop >= 1 && shape.stop <= size);
    if (status == SNPY_OK && shape.ndim <= SNPY_MAX_NDIM) {
        static const uint32_t sizes[] = {0, 1, 2, 3, 8, 0x7ffffffe, 0x7fffffff};
        FUZZ_MUST(shape.extra_at == 0);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            product_must_hold(dims, (size_t)shape.ndim, sizes[i]);
    }
    size_t length;
    uint8_t *file = fuzz_compose(data[0], before, data + 1, size - 1, "}", &length);
    size_t start = (data[0] == 1 ? 10u : 12u) + sizeof before - 2;
    fuzz_parse(file, length, &options, &parsed);
    if (status != SNPY_OK && shape.stop < size && parsed.status != SNPY_BAD_UTF8)
        FUZZ_MUST(parsed.status == status && parsed.error.offset == start + shape.stop);
    fuzz_must_match_oracle(&parsed);
    fuzz_release(&parsed);
    free(file);
    return 0;
}
