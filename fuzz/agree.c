/* agree.c: the library's answer and the oracle's: status, byte, and every value of an accepted header. */
#include "fuzz/fuzz.h"
#include "tests/oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

static void name_must_match(const struct fuzz_header *parsed, size_t offset, size_t length,
                            const struct oracle_name *name)
{
    size_t size;
    size_t at = 0;
    uint8_t *decoded = fuzz_name(parsed, offset, length, &size);
    for (size_t i = 0; i < name->count; i++) {
        uint32_t point = name->points[i];
        uint8_t bytes[4];
        size_t count = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        for (size_t k = count; k > 1; k--, point >>= 6) bytes[k - 1] = (uint8_t)(0x80u | (point & 0x3fu));
        bytes[0] = (uint8_t)(count == 1 ? point : (0xf00u >> count & 0xffu) | point);
        FUZZ_MUST(size - at >= count && memcmp(decoded + at, bytes, count) == 0);
        at += count;
    }
    FUZZ_MUST(at == size);
    free(decoded);
}

/* The entry of a type, and those inside it; *entry moves behind them. */
static void type_must_match(const struct fuzz_header *parsed, const struct oracle_type *type, size_t *entry);

static void dims_must_match(const struct fuzz_header *parsed, const snpy_field *field, const struct oracle_shape *shape)
{
    FUZZ_MUST(field->ndim == shape->count);
    for (size_t d = 0; d < shape->count; d++) {
        FUZZ_MUST(parsed->table.dims[field->first_dim + d] >= 0);
        FUZZ_MUST((uint64_t)parsed->table.dims[field->first_dim + d] == shape->dims[d]);
    }
}

static void fields_must_match(const struct fuzz_header *parsed, const struct oracle_type *type, size_t *entry)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const struct oracle_field *wanted = &type->fields[i];
        FUZZ_MUST(*entry < parsed->table.field_count);
        const snpy_field *field = &parsed->table.fields[*entry];
        FUZZ_MUST(field->has_name && field->has_title == wanted->has_title);
        FUZZ_MUST(field->is_padding == wanted->is_padding);
        FUZZ_MUST(field->itemsize == wanted->size && (uint64_t)field->offset == wanted->offset);
        name_must_match(parsed, field->name_offset, field->name_length, &wanted->name);
        if (wanted->has_title) name_must_match(parsed, field->title_offset, field->title_length, &wanted->title);
        dims_must_match(parsed, field, &wanted->shape);
        type_must_match(parsed, &wanted->type, entry);
    }
}

static void dtype_must_match(const snpy_dtype *dtype, const struct oracle_type *type)
{
    FUZZ_MUST(dtype->itemsize == type->size);
    FUZZ_MUST(dtype->kind == (type->form == '[' ? 'r' : type->form == '(' ? 's' : type->kind));
    if (type->form != '\'') return;
    FUZZ_MUST(dtype->byteorder == type->order && dtype->multiplier == type->multiplier);
    FUZZ_MUST((uint32_t)dtype->unit == type->unit);
}

static void type_must_match(const struct fuzz_header *parsed, const struct oracle_type *type, size_t *entry)
{
    FUZZ_MUST(*entry < parsed->table.field_count);
    const snpy_field *field = &parsed->table.fields[(*entry)++];
    FUZZ_MUST(field->type_offset == type->at);
    dtype_must_match(&field->dtype, type);
    if (type->form == '[') fields_must_match(parsed, type, entry);
    if (type->form != '(') return;
    FUZZ_MUST(*entry < parsed->table.field_count);
    const snpy_field *inner = &parsed->table.fields[*entry];
    FUZZ_MUST(!inner->has_name && !inner->has_title && inner->offset == 0 && inner->itemsize == type->size);
    dims_must_match(parsed, inner, &type->shape);
    type_must_match(parsed, type->inner, entry);
}

void fuzz_must_match_oracle(const struct fuzz_header *parsed)
{
    struct oracle oracle;
    const snpy_header *header = &parsed->header;
    size_t entry = 0;
    oracle_judge(&oracle, parsed->bytes, parsed->length);
    const char *status = oracle.status == NULL ? "SNPY_OK" : oracle.status;
    if (strcmp(status, snpy_status_name(parsed->status)) != 0) fuzz_fail(status, snpy_status_name(parsed->status), 0);
    FUZZ_MUST(oracle.at == parsed->error.offset);
    if (parsed->status == SNPY_OK) {
        FUZZ_MUST(header->frame.major == oracle.version && header->frame.data_offset == oracle.data_offset);
        FUZZ_MUST(header->ndim == oracle.shape.count && header->count == oracle.count);
        for (uint32_t d = 0; d < header->ndim; d++) FUZZ_MUST(header->shape[d] == oracle.shape.dims[d]);
        FUZZ_MUST(header->fortran_order == oracle.fortran_order && header->has_object == oracle.has_object);
        FUZZ_MUST(header->data_size == (oracle.has_object ? 0 : oracle.count * oracle.type.size));
        dtype_must_match(&header->dtype, &oracle.type);
        if (oracle.type.form == '[') type_must_match(parsed, &oracle.type, &entry);
        FUZZ_MUST(entry == (oracle.type.form == '[' ? parsed->table.field_count : 0));
    }
    oracle_release(&oracle);
}
