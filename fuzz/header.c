/* header.c: the first bytes of a file, judged by snpy_parse_frame and snpy_parse_header. Holds: the oracle says the
 * same, status, byte and values; nothing behind the header matters, and nothing of it can be missing; flags only add;
 * the three versions agree; what is written means the same; work is linear. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void frame_must_hold(const uint8_t *bytes, size_t length, const snpy_options *options)
{
    snpy_frame frame;
    snpy_error error;
    fuzz_fill(&frame, sizeof frame);
    snpy_status status = snpy_parse_frame(bytes, length, options, &frame, &error);
    FUZZ_MUST(status == error.status && error.offset <= length);
    if (status != SNPY_OK) {
        FUZZ_MUST(fuzz_is_filled(&frame, sizeof frame));
        return;
    }
    FUZZ_MUST(frame.major >= 1 && frame.major <= 3 && frame.minor == 0);
    FUZZ_MUST(frame.text_offset == (frame.major == 1 ? 10u : 12u));
    FUZZ_MUST(frame.data_offset == (uint64_t)frame.text_offset + frame.header_len);
    FUZZ_MUST(frame.header_len <= options->max_header_bytes);
}

/* ---- other readings of the same header ---------------------------------------------------------------------- */

/* Exactly the header is enough, a byte less is not, and what lies behind it is not looked at. */
static void length_must_matter(const struct fuzz_header *parsed, const snpy_options *options)
{
    struct fuzz_header other;
    size_t size = (size_t)parsed->header.frame.data_offset;
    uint8_t *exact = fuzz_copy(parsed->bytes, size);
    fuzz_parse(exact, size, options, &other);
    fuzz_must_agree(parsed, &other);
    FUZZ_MUST(other.header.fortran_order == parsed->header.fortran_order);
    fuzz_release(&other);
    fuzz_parse(exact, size - 1, options, &other);
    FUZZ_MUST(other.status == SNPY_TRUNCATED_HEADER && other.error.offset == size - 1);
    fuzz_release(&other);
    free(exact);
}

/* A flag may only let more pass. */
static void flags_must_add(const struct fuzz_header *parsed, const snpy_options *standard)
{
    snpy_options options = *standard;
    struct fuzz_header other;
    memset(&options.compat, true, sizeof options.compat);
    fuzz_parse(parsed->bytes, parsed->length, &options, &other);
    if (parsed->status == SNPY_OK)
        fuzz_must_agree(parsed, &other);
    else if (other.status == SNPY_OK)
        FUZZ_MUST(parsed->status >= SNPY_UNEXPECTED_END);
    fuzz_release(&other);
}

/* Whether a text is ASCII and has no L outside of names: those are the texts on which the versions agree. */
static bool is_common_text(const uint8_t *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] >= 0x80 || text[i] == 'L') return false;
    return true;
}

/* The same text under another version: the same answer, at the same byte of the text.                 NPY-FRAME-010 */
static void version_must_agree(const struct fuzz_header *parsed, const snpy_options *options, uint8_t version)
{
    size_t old_prefix = parsed->bytes[6] == 1 ? 10 : 12;
    size_t prefix = version == 1 ? 10 : 12;
    size_t length = 0;
    for (size_t i = old_prefix; i > 8; i--) length = length * 256 + parsed->bytes[i - 1];
    if (version == 1 && length > 0xffff) return;
    size_t size;
    uint8_t *bytes = fuzz_compose(version, "", parsed->bytes + old_prefix, length, "", &size);
    struct fuzz_header other;
    fuzz_parse(bytes, size, options, &other);
    FUZZ_MUST(other.status == parsed->status);
    if (parsed->status == SNPY_OK)
        fuzz_must_agree(parsed, &other);
    else
        FUZZ_MUST(other.error.offset - prefix == parsed->error.offset - old_prefix);
    fuzz_release(&other);
    free(bytes);
}

static void versions_must_agree(const struct fuzz_header *parsed, const snpy_options *options)
{
    size_t prefix = parsed->length > 6 && parsed->bytes[6] == 1 ? 10 : 12;
    if (parsed->status != SNPY_OK && parsed->status < SNPY_UNEXPECTED_END) return;
    size_t length = 0;
    for (size_t i = prefix; i > 8; i--) length = length * 256 + parsed->bytes[i - 1];
    if (!is_common_text(parsed->bytes + prefix, length)) return;
    for (uint8_t version = 1; version <= 3; version++) version_must_agree(parsed, options, version);
}

/* What is written says the same, and is written again as it is. A header may be refused by the writer only for
 * what no reader could take back.                                                            NPY-WRITE-006, 009 */
static void writing_must_keep(struct fuzz_header *parsed, const snpy_options *options)
{
    snpy_description description;
    snpy_error error;
    size_t size;
    size_t again;
    struct fuzz_header other;
    fuzz_describe(parsed, SNPY_VERSION_AUTO, &description);
    uint8_t *bytes = fuzz_write(&description, &size, &error);
    if (size == 0) {
        FUZZ_MUST(error.status == SNPY_WRITE_UNREADABLE || error.status == SNPY_WRITE_VERSION);
        free(bytes);
        return;
    }
    snpy_options larger = *options;
    larger.max_header_bytes = SNPY_MAX_HEADER;
    fuzz_parse(bytes, size, &larger, &other);
    fuzz_must_agree(parsed, &other);
    FUZZ_MUST(other.header.fortran_order == parsed->header.fortran_order);
    fuzz_describe(&other, SNPY_VERSION_AUTO, &description);
    uint8_t *second = fuzz_write(&description, &again, &error);
    FUZZ_MUST(again == size && memcmp(bytes, second, size) == 0);
    free(second);
    free(bytes);
    fuzz_release(&other);
}

/* Blocks that may run for a byte of text in three parses, whatever stands there. The worst seed takes 105 with gcc 12,
 * below 64 with clang 14: a record of short fields. Work that grows with the square of the length goes beyond. */
#define WORK_A_BYTE 160u
#define WORK_AT_LEAST 4096u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    struct fuzz_header parsed;
    frame_must_hold(data, size, &options);
    fuzz_work = 0;
    fuzz_parse(data, size, &options, &parsed);
    FUZZ_MUST(fuzz_work <= WORK_A_BYTE * (uint64_t)size + WORK_AT_LEAST);
    fuzz_must_match_oracle(&parsed);
    /* Parsing anew, eleven times and more. */
    if (fuzz_is_chosen(data, size)) {
        flags_must_add(&parsed, &options);
        versions_must_agree(&parsed, &options);
        if (parsed.status == SNPY_OK) {
            length_must_matter(&parsed, &options);
            writing_must_keep(&parsed, &options);
        }
    }
    fuzz_release(&parsed);
    return 0;
}
