/* fuzz.c: what the harnesses share. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_fail(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

/* The compiler calls the first name at each basic block of the core; the linker turns it into the second (--wrap),
 * because libFuzzer has a function of the first. */
uint64_t fuzz_work;
/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the compiler and linker choose the name */
void __wrap___sanitizer_cov_trace_pc(void);
void __wrap___sanitizer_cov_trace_pc(void)
{
    fuzz_work++;
}
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

/* Eight bytes at a time, for this is done with every input. */
static uint64_t hash_of(const uint8_t *data, size_t size)
{
    uint64_t hash = size;
    uint64_t word = 0;
    for (size_t at = 0; at < size; at += sizeof word) {
        memcpy(&word, data + at, size - at < sizeof word ? size - at : sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

bool fuzz_is_chosen(const uint8_t *data, size_t size)
{
    static uint64_t every;
    if (every == 0) {
        const char *wanted = getenv("SAFENPY_FUZZ_EVERY");
        every = wanted == NULL ? 1 : strtoull(wanted, NULL, 10);
        if (every == 0) {
            fputs("SAFENPY_FUZZ_EVERY is not a number from 1 on\n", stderr);
            exit(2);
        }
    }
    return every == 1 || hash_of(data, size) % every == 0;
}

uint64_t fuzz_lot(const uint8_t *data, size_t size)
{
    return (hash_of(data, size) * UINT64_C(0x9e3779b97f4a7c15)) >> 16;
}

/* ---- inputs that choose ------------------------------------------------------------------------------------- */

uint64_t fuzz_take(struct fuzz_input *input, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes && input->left > 0; i++, input->left--) value = value << 8 | *input->bytes++;
    return value;
}

uint32_t fuzz_below(struct fuzz_input *input, uint32_t bound)
{
    unsigned bytes = bound <= 0x100 ? 1 : bound <= 0x10000 ? 2 : 4;
    return bound == 0 ? 0 : (uint32_t)(fuzz_take(input, bytes) % bound);
}

uint64_t fuzz_size(struct fuzz_input *input)
{
    uint32_t form = fuzz_below(input, 8);
    if (form < 5) return fuzz_below(input, 6);
    if (form == 5) return fuzz_take(input, 2);
    uint64_t power = UINT64_C(1) << fuzz_below(input, 64);
    return power + fuzz_below(input, 3) - 1;
}

void *fuzz_memory(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / 2 / size) abort();
    void *memory = malloc(count * size == 0 ? 1 : count * size);
    if (memory == NULL) {
        fputs("no memory for the harness itself\n", stderr);
        abort();
    }
    return memory;
}

uint8_t *fuzz_copy(const uint8_t *bytes, size_t length)
{
    uint8_t *copy = fuzz_memory(length, 1);
    if (length > 0) memcpy(copy, bytes, length);
    return copy;
}

void fuzz_fill(void *memory, size_t size)
{
    if (size > 0) memset(memory, 0xa5, size);
}

bool fuzz_is_filled(const void *memory, size_t size)
{
    const uint8_t *bytes = memory;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0xa5) return false;
    return true;
}

/* ---- headers ------------------------------------------------------------------------------------------------ */

static void parse_with(struct fuzz_header *parsed, const snpy_options *options, size_t fields, size_t dims)
{
    fuzz_release(parsed);
    parsed->table.fields = fuzz_memory(fields, sizeof *parsed->table.fields);
    parsed->table.dims = fuzz_memory(dims, sizeof *parsed->table.dims);
    parsed->table.field_capacity = fields;
    parsed->table.dim_capacity = dims;
    /* What is not written must not be looked at; valgrind and the memory sanitizer see to that. */
    parsed->status =
        snpy_parse_header(parsed->bytes, parsed->length, options, &parsed->table, &parsed->header, &parsed->error);
    FUZZ_MUST(parsed->status == parsed->error.status);
    FUZZ_MUST(parsed->error.offset <= parsed->length);
    FUZZ_MUST(parsed->status != SNPY_OK || parsed->error.offset == 0);
}

void fuzz_parse(const uint8_t *bytes, size_t length, const snpy_options *options, struct fuzz_header *parsed)
{
    memset(parsed, 0, sizeof *parsed);
    parsed->bytes = bytes;
    parsed->length = length;
    parse_with(parsed, options, 0, 0);
    if (parsed->status != SNPY_TABLE_TOO_SMALL) return;
    size_t fields = parsed->table.field_count;
    size_t dims = parsed->table.dim_count;
    FUZZ_MUST(fields > 0 && fields <= length && dims <= length);
    parse_with(parsed, options, fields - 1, dims);
    FUZZ_MUST(parsed->status == SNPY_TABLE_TOO_SMALL);
    FUZZ_MUST(parsed->table.field_count == fields && parsed->table.dim_count == dims);
    parse_with(parsed, options, fields, dims);
    FUZZ_MUST(parsed->status != SNPY_TABLE_TOO_SMALL);
    FUZZ_MUST(parsed->status != SNPY_OK || (parsed->table.field_count == fields && parsed->table.dim_count == dims));
}

void fuzz_release(struct fuzz_header *parsed)
{
    free(parsed->table.fields);
    free(parsed->table.dims);
    parsed->table.fields = NULL;
    parsed->table.dims = NULL;
}

void fuzz_describe(struct fuzz_header *parsed, snpy_version_choice version, snpy_description *description)
{
    const snpy_frame *frame = &parsed->header.frame;
    description->header = &parsed->header;
    description->table = &parsed->table;
    description->names = parsed->bytes + frame->text_offset;
    description->names_length = frame->header_len;
    description->encoding = frame->major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1;
    description->version = version;
}

uint8_t *fuzz_compose(uint8_t version, const char *before, const uint8_t *text, size_t length, const char *after,
                      size_t *size)
{
    size_t prefix = version == 1 ? 10 : 12;
    size_t lengths[3] = {strlen(before), length, strlen(after)};
    size_t claim = lengths[0] + lengths[1] + lengths[2];
    if (claim > (version == 1 ? 0xffffu : SNPY_MAX_HEADER)) abort();
    uint8_t *bytes = fuzz_memory(prefix + claim, 1);
    *size = prefix + claim;
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = version;
    bytes[7] = 0;
    for (size_t i = 8, rest = claim; i < prefix; i++, rest /= 256) bytes[i] = (uint8_t)(rest % 256);
    memcpy(bytes + prefix, before, lengths[0]);
    if (length > 0) memcpy(bytes + prefix + lengths[0], text, length);
    memcpy(bytes + prefix + lengths[0] + length, after, lengths[2]);
    return bytes;
}

uint8_t *fuzz_write(const snpy_description *description, size_t *size, snpy_error *error)
{
    uint64_t wanted;
    uint64_t written;
    snpy_error again;
    uint8_t *out;
    *size = 0;
    if (snpy_header_size(description, &wanted, error) != SNPY_OK) {
        out = fuzz_memory(64, 1);
        fuzz_fill(out, 64);
        FUZZ_MUST(wanted == 0);
        FUZZ_MUST(snpy_write_header(description, out, 64, &written, &again) == error->status && written == 0);
        FUZZ_MUST(again.offset == error->offset && fuzz_is_filled(out, 64));
        return out;
    }
    FUZZ_MUST(wanted >= 64 && wanted % 64 == 0);
    out = fuzz_memory((size_t)wanted, 1);
    fuzz_fill(out, (size_t)wanted);
    FUZZ_MUST(snpy_write_header(description, out, (size_t)wanted - 1, &written, &again) == SNPY_BUFFER_TOO_SMALL);
    FUZZ_MUST(written == 0 && fuzz_is_filled(out, (size_t)wanted));
    FUZZ_MUST(snpy_write_header(description, out, (size_t)wanted, &written, &again) == SNPY_OK);
    FUZZ_MUST(written == wanted && again.status == SNPY_OK && again.offset == 0);
    *size = (size_t)wanted;
    return out;
}

uint8_t *fuzz_name(const struct fuzz_header *parsed, size_t offset, size_t length, size_t *size)
{
    const snpy_frame *frame = &parsed->header.frame;
    snpy_name_encoding encoding = parsed->has_plain_names ? SNPY_NAME_PLAIN
                                  : frame->major == 3     ? SNPY_NAME_UTF8
                                                          : SNPY_NAME_LATIN1;
    const uint8_t *text = parsed->bytes + frame->text_offset;
    uint64_t wanted;
    uint64_t written;
    size_t surrogates;
    FUZZ_MUST(offset <= frame->header_len && length <= frame->header_len - offset);
    snpy_status status =
        snpy_name_decode(text, frame->header_len, offset, length, encoding, NULL, 0, &wanted, &surrogates);
    FUZZ_MUST(status == (wanted == 0 ? SNPY_OK : SNPY_BUFFER_TOO_SMALL) && wanted <= 2 * (uint64_t)length);
    uint8_t *name = fuzz_memory((size_t)wanted, 1);
    status = snpy_name_decode(text, frame->header_len, offset, length, encoding, name, (size_t)wanted, &written,
                              &surrogates);
    FUZZ_MUST(status == SNPY_OK && written == wanted);
    *size = (size_t)wanted;
    return name;
}

/* Of records and sub-arrays the writer looks at kind and size only. */
static bool is_same_dtype(const snpy_dtype *one, const snpy_dtype *other)
{
    if (one->kind == SNPY_KIND_RECORD || one->kind == SNPY_KIND_SUBARRAY)
        return one->kind == other->kind && one->itemsize == other->itemsize;
    return one->kind == other->kind && one->byteorder == other->byteorder && one->unit == other->unit &&
           one->itemsize == other->itemsize && one->multiplier == other->multiplier;
}

/* Padding is merged when it is written, and may be written for a gap: only what lies outside it is compared. */
static size_t next_field(const struct fuzz_header *parsed, size_t entry)
{
    const snpy_field *fields = parsed->table.fields;
    while (entry < parsed->table.field_count && fields[entry].is_padding) {
        uint16_t depth = fields[entry++].depth;
        while (entry < parsed->table.field_count && fields[entry].depth > depth) entry++;
    }
    return entry;
}

static void names_must_agree(const struct fuzz_header *one, size_t at, size_t length, const struct fuzz_header *other,
                             size_t other_at, size_t other_length)
{
    size_t size;
    size_t other_size;
    uint8_t *name = fuzz_name(one, at, length, &size);
    uint8_t *other_name = fuzz_name(other, other_at, other_length, &other_size);
    FUZZ_MUST(size == other_size && memcmp(name, other_name, size) == 0);
    free(name);
    free(other_name);
}

static void fields_must_agree(const struct fuzz_header *one, const snpy_field *field, const struct fuzz_header *other,
                              const snpy_field *twin)
{
    FUZZ_MUST(is_same_dtype(&field->dtype, &twin->dtype) && field->depth == twin->depth && field->ndim == twin->ndim);
    FUZZ_MUST(field->offset == twin->offset && field->itemsize == twin->itemsize);
    for (size_t d = 0; d < field->ndim; d++)
        FUZZ_MUST(one->table.dims[field->first_dim + d] == other->table.dims[twin->first_dim + d]);
    FUZZ_MUST(field->has_name == twin->has_name && field->has_title == twin->has_title);
    if (field->has_name)
        names_must_agree(one, field->name_offset, field->name_length, other, twin->name_offset, twin->name_length);
    if (field->has_title)
        names_must_agree(one, field->title_offset, field->title_length, other, twin->title_offset, twin->title_length);
}

void fuzz_must_agree(const struct fuzz_header *one, const struct fuzz_header *other)
{
    const snpy_header *a = &one->header;
    const snpy_header *b = &other->header;
    FUZZ_MUST(one->status == SNPY_OK && other->status == SNPY_OK);
    FUZZ_MUST(a->ndim == b->ndim && a->count == b->count && a->data_size == b->data_size);
    for (uint32_t d = 0; d < a->ndim; d++) FUZZ_MUST(a->shape[d] == b->shape[d]);
    FUZZ_MUST(a->has_object == b->has_object && is_same_dtype(&a->dtype, &b->dtype));
    if (a->dtype.kind != SNPY_KIND_RECORD) return;
    size_t i = next_field(one, 0);
    size_t k = next_field(other, 0);
    while (i < one->table.field_count && k < other->table.field_count) {
        fields_must_agree(one, &one->table.fields[i], other, &other->table.fields[k]);
        i = next_field(one, i + 1);
        k = next_field(other, k + 1);
    }
    FUZZ_MUST(i == one->table.field_count && k == other->table.field_count);
}
