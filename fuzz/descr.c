/* descr.c: the text of a type, read by snpy_lex_simple_type and snpy_scan_record from memory that ends with it. Holds:
 * positions are in range and the table is kept; inside a header the same text is judged alike, and as the oracle does.
 * The first byte of the input is the version. */
#include "core/record.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static snpy_status read_simple(const uint8_t *text, size_t size, struct snpy_scan *scan)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_dtype dtype;
    snpy_status status = snpy_lex_simple_type(text, size, 1, false, options.compat, &dtype, scan);
    FUZZ_MUST(scan->stop >= 1 && scan->stop <= size && scan->type_at <= size);
    if (status == SNPY_OK && scan->type_status == SNPY_OK) {
        FUZZ_MUST(dtype.itemsize <= SNPY_MAX_ITEMSIZE);
        FUZZ_MUST(dtype.byteorder == '<' || dtype.byteorder == '>' || dtype.byteorder == '|');
    }
    return status;
}

/* A table of `room` entries and dimensions, in which nothing behind them may change. */
static snpy_status read_record(const uint8_t *text, size_t size, size_t room, struct snpy_scan *scan)
{
    const snpy_options all = SNPY_OPTIONS_INIT;
    const struct snpy_text_options options = {all.compat, (uint8_t)all.max_ndim, (uint8_t)all.max_depth,
                                              (uint32_t)all.max_fields};
    snpy_field *fields = fuzz_memory(room, sizeof *fields);
    int32_t *dims = fuzz_memory(room, sizeof *dims);
    snpy_status status = snpy_scan_record(text, size, 1, text[0] != 3, options, fields, room, dims, room, scan);
    FUZZ_MUST(scan->stop >= 1 && scan->stop <= size && scan->type_at <= size && scan->field_over < size);
    FUZZ_MUST(scan->dim_over < size && scan->limit_over < size);
    if (status == SNPY_OK) {
        FUZZ_MUST(scan->field_count >= 1 && scan->field_count <= size && scan->dim_count <= size);
        FUZZ_MUST((scan->field_over == 0) == (scan->field_count <= room));
        FUZZ_MUST((scan->dim_over == 0) == (scan->dim_count <= room));
        for (size_t i = 0; i < scan->field_count && i < room; i++) {
            FUZZ_MUST(fields[i].type_offset < size && fields[i].depth <= SNPY_MAX_DEPTH);
            FUZZ_MUST(fields[i].name_offset + (uint64_t)fields[i].name_length <= size);
            FUZZ_MUST(i == 0 ? fields[i].parent == 0 : fields[i].parent < i);
            FUZZ_MUST(fields[i].first_dim + (uint64_t)fields[i].ndim <= scan->dim_count);
        }
    }
    free(fields);
    free(dims);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char before[] = "{'fortran_order': True, 'shape': (), 'descr': ";
    snpy_options options = SNPY_OPTIONS_INIT;
    struct snpy_scan scan = {0};
    struct fuzz_header parsed;
    /* The caller has skipped the blanks. */
    if (size < 2 || data[0] < 1 || data[0] > 3 || snpy_is_blank(data[1])) return 0;
    bool is_record = data[1] == '[';
    snpy_status status = is_record ? read_record(data, size, size, &scan) : read_simple(data, size, &scan);
    if (is_record) {
        struct snpy_scan small = {0};
        FUZZ_MUST(read_record(data, size, 1, &small) == status && small.stop == scan.stop);
        FUZZ_MUST(status != SNPY_OK || small.field_count == scan.field_count);
    }
    size_t length;
    uint8_t *file = fuzz_compose(data[0], before, data + 1, size - 1, "}", &length);
    size_t start = (data[0] == 1 ? 10u : 12u) + sizeof before - 2;
    fuzz_parse(file, length, &options, &parsed);
    /* A text that is at fault before its end is at fault there, whatever follows; a version of 3.0 is judged as UTF-8
     * first, and a tuple is another error at the top. */
    bool is_early = status != SNPY_OK && scan.stop < size && data[1] != '(';
    if (is_early && parsed.status != SNPY_BAD_UTF8 && status != SNPY_BAD_ESCAPE)
        FUZZ_MUST(parsed.status == status && parsed.error.offset == start + scan.stop);
    fuzz_must_match_oracle(&parsed);
    fuzz_release(&parsed);
    free(file);
    return 0;
}
