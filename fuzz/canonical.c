/* canonical.c: a header, rewritten as NumPy writes it and judged by the canonical profile. Holds: a header is canonical
 * if and only if writing what it says gives the same bytes, and of another one the first byte that differs is told; what
 * is written is canonical, is taken by the standard profile with the same meaning, and looks the part. */
#include "fuzz/fuzz.h"
#include "host/host.h"

#include <stdlib.h>
#include <string.h>

/* What the command's canonical profile says of an accepted header. */
static snpy_status judge(struct fuzz_header *parsed, uint64_t *at)
{
    snpy_file file = {0};
    file.head.table = parsed->table;
    file.head.head_ = fuzz_copy(parsed->bytes, parsed->length);
    file.head.head_size_ = parsed->length;
    file.head.header = parsed->header;
    file.head.text = parsed->bytes + parsed->header.frame.text_offset;
    snpy_status status = snpy_check_canonical_file(&file);
    *at = file.error.offset;
    free(file.head.head_);
    return status;
}

/* What can be said of a canonical header without a writer.                          NPY-CANON-001, 002, 006, 008 */
static void must_look_canonical(const struct fuzz_header *parsed)
{
    static const char before[] = "{'descr': ";
    const snpy_frame *frame = &parsed->header.frame;
    const uint8_t *text = parsed->bytes + frame->text_offset;
    size_t end = frame->header_len - 1;
    FUZZ_MUST(frame->data_offset % 64 == 0 && text[end] == '\n');
    while (end > 0 && text[end - 1] == ' ') end--;
    FUZZ_MUST(end > 3 && memcmp(text + end - 3, ", }", 3) == 0 && memcmp(text, before, sizeof before - 1) == 0);
    for (size_t i = 0; i < end; i++) FUZZ_MUST(text[i] >= 0x20 && text[i] != 0x7f);
    if (!parsed->header.fortran_order) return;
    unsigned many = 0;
    for (uint32_t d = 0; d < parsed->header.ndim; d++) many += parsed->header.shape[d] > 1;
    FUZZ_MUST(many >= 2 && parsed->header.count > 0);
}

/* 0 if there is nothing to compare with. */
static uint64_t first_difference(const uint8_t *written, size_t written_length, const uint8_t *read, size_t read_length)
{
    size_t at = 0;
    while (at < written_length && at < read_length && written[at] == read[at]) at++;
    return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    struct fuzz_header parsed;
    struct fuzz_header rewritten;
    snpy_description description;
    snpy_error error;
    uint64_t at;
    size_t written;
    fuzz_parse(data, size, &options, &parsed);
    if (parsed.status == SNPY_OK) {
        snpy_status status = judge(&parsed, &at);
        bool was_fortran = parsed.header.fortran_order;
        snpy_normalise_order(&parsed.header);
        fuzz_describe(&parsed, SNPY_VERSION_AUTO, &description);
        uint8_t *bytes = fuzz_write(&description, &written, &error);
        size_t header_size = (size_t)parsed.header.frame.data_offset;
        bool is_same = written == header_size && memcmp(bytes, data, written) == 0;
        FUZZ_MUST((status == SNPY_OK) == is_same);
        FUZZ_MUST(is_same ||
                  (status == SNPY_NOT_CANONICAL && at == first_difference(bytes, written, data, header_size)));
        FUZZ_MUST(!is_same || was_fortran == parsed.header.fortran_order);
        if (written > 0) {
            options.max_header_bytes = SNPY_MAX_HEADER;
            fuzz_parse(bytes, written, &options, &rewritten);
            fuzz_must_agree(&parsed, &rewritten);
            FUZZ_MUST(judge(&rewritten, &at) == SNPY_OK && at == 0);
            must_look_canonical(&rewritten);
            fuzz_release(&rewritten);
        }
        free(bytes);
    }
    fuzz_release(&parsed);
    return 0;
}
