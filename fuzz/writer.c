/* writer.c: a header and a table of fields that the input describes, written and read back. Holds: what is sound is
 * written; what is written means the same when it is read; a table that was spoiled is refused, with the entry at
 * fault, or still means what is written. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#define ENTRIES 24u
#define DIMS 64u
#define NAMES 1024u
#define DEEPEST 4u

struct maker {
    struct fuzz_input *input;
    struct fuzz_header made;
    snpy_field fields[ENTRIES];
    int32_t dims[DIMS];
    uint8_t names[NAMES];
    size_t names_length;
    snpy_name_encoding encoding;
};

/* ---- names -------------------------------------------------------------------------------------------------- */

static void put_text(struct maker *m, const char *text)
{
    size_t length = strlen(text);
    if (m->names_length + length > NAMES) return;
    memcpy(m->names + m->names_length, text, length);
    m->names_length += length;
}

/* A name that no other entry has: a letter and the entry's number, then whatever comes. */
static void put_name(struct maker *m, char letter, uint32_t entry, uint32_t *offset, uint32_t *length)
{
    static const char *const latin[] = {"",     "x",    "'",   "\"",      " ",       "\xe9",
                                        "\xff", "\xad", "\\n", "\\u20ac", "\\ud800", "\\x00"};
    static const char *const utf8[] = {"",
                                       "x",
                                       "'",
                                       "\"",
                                       " ",
                                       "\xc3\xa9",
                                       "\xe2\x82\xac",
                                       "\xf0\x9f\x98\x80",
                                       "\\\\",
                                       "\\U0010ffff",
                                       "\\ud800\\udc00",
                                       "\\'"};
    static const char *const plain[] = {
        "", "x", "'", "\"", " ", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\n", "\t", "\x7f", "\xed\x9f\xbf"};
    const char *const *parts = m->encoding == SNPY_NAME_LATIN1 ? latin : m->encoding == SNPY_NAME_UTF8 ? utf8 : plain;
    char start[4] = {letter, (char)('a' + entry), 0, 0};
    *offset = (uint32_t)m->names_length;
    put_text(m, start);
    for (uint32_t more = fuzz_below(m->input, 4); more > 0; more--) put_text(m, parts[fuzz_below(m->input, 12)]);
    *length = (uint32_t)m->names_length - *offset;
}

/* ---- types -------------------------------------------------------------------------------------------------- */

static snpy_dtype make_simple(struct fuzz_input *input)
{
    static const snpy_dtype types[] = {
        {'b', '|', 0, 1, 0},  {'i', '|', 0, 1, 0},          {'u', '<', 0, 2, 0}, {'i', '>', 0, 4, 0},
        {'u', '<', 0, 8, 0},  {'f', '>', 0, 2, 0},          {'f', '<', 0, 8, 0}, {'f', '<', 0, 16, 0},
        {'c', '>', 0, 8, 0},  {'c', '<', 0, 32, 0},         {'S', '|', 0, 5, 0}, {'S', '|', 0, 0, 0},
        {'U', '<', 0, 12, 0}, {'U', '>', 0, 0, 0},          {'V', '|', 0, 3, 0}, {'V', '|', 0, 0, 0},
        {'M', '<', 10, 8, 1}, {'M', '>', 4, 8, 25},         {'m', '<', 0, 8, 1}, {'m', '>', 13, 8, 2147483647},
        {'O', '|', 0, 8, 0},  {'S', '|', 0, 0x7fffffff, 0},
    };
    return types[fuzz_below(input, sizeof types / sizeof types[0])];
}

/* Dimensions of an entry whose items have `item` bytes; none if there is no room, or they would be too large. */
static uint64_t make_dims(struct maker *m, snpy_field *field, uint64_t item, bool needs_some)
{
    uint64_t size = item;
    uint64_t extent = item;
    uint32_t ndim = needs_some ? 1 + fuzz_below(m->input, 2) : fuzz_below(m->input, 6) % 4;
    field->first_dim = (uint32_t)m->made.table.dim_count;
    for (field->ndim = 0; item > 0 && field->ndim < ndim && m->made.table.dim_count < DIMS; field->ndim++) {
        uint32_t dim = fuzz_below(m->input, 16) == 0 ? 1u << fuzz_below(m->input, 31) : fuzz_below(m->input, 4);
        if (extent * (dim == 0 ? 1 : dim) > SNPY_MAX_ITEMSIZE) dim = 1;
        extent *= dim == 0 ? 1 : dim;
        size *= dim;
        m->dims[m->made.table.dim_count++] = (int32_t)dim;
    }
    return size;
}

static snpy_field *add_entry(struct maker *m, uint32_t parent)
{
    snpy_field *field = &m->fields[m->made.table.field_count++];
    memset(field, 0, sizeof *field);
    field->parent = parent;
    field->depth = (uint16_t)(m->made.table.field_count == 1 ? 0 : m->fields[parent].depth + 1);
    return field;
}

static void make_record(struct maker *m, uint32_t entry);

/* The type of an entry, without its own dimensions: simple, a record, or a sub-array of a simple type. */
static void make_type(struct maker *m, uint32_t entry)
{
    snpy_field *field = &m->fields[entry];
    uint32_t form = fuzz_below(m->input, 8);
    bool has_room = m->made.table.field_count + 2 < ENTRIES && field->depth < DEEPEST;
    field->dtype = make_simple(m->input);
    if (form == 0 && has_room) make_record(m, entry);
    if (form != 1 || !has_room || field->dtype.itemsize == 0) return;
    snpy_field *inner = add_entry(m, entry);
    inner->dtype = field->dtype;
    inner->itemsize = make_dims(m, inner, inner->dtype.itemsize, true);
    snpy_dtype outer = {SNPY_KIND_SUBARRAY, '|', 0, (uint32_t)inner->itemsize, 0};
    if (inner->ndim > 0 && inner->itemsize > 0)
        field->dtype = outer;
    else
        m->made.table.field_count--;
}

static void make_field(struct maker *m, uint32_t parent, uint64_t *end)
{
    uint32_t entry = (uint32_t)m->made.table.field_count;
    snpy_field *field = add_entry(m, parent);
    field->has_name = true;
    put_name(m, 'n', entry, &field->name_offset, &field->name_length);
    field->has_title = fuzz_below(m->input, 4) == 0;
    if (field->has_title) put_name(m, 't', entry, &field->title_offset, &field->title_length);
    if (fuzz_below(m->input, 4) == 0) *end += fuzz_below(m->input, 5);
    make_type(m, entry);
    field->itemsize = make_dims(m, field, field->dtype.itemsize, field->dtype.kind == SNPY_KIND_SUBARRAY);
    field->offset = (int64_t)*end;
    *end += field->itemsize;
}

static void make_record(struct maker *m, uint32_t entry)
{
    uint64_t end = 0;
    for (uint32_t more = fuzz_below(m->input, 5); more > 0 && m->made.table.field_count + 1 < ENTRIES; more--)
        make_field(m, entry, &end);
    if (fuzz_below(m->input, 4) == 0) end += fuzz_below(m->input, 5);
    snpy_dtype record = {SNPY_KIND_RECORD, '|', 0, end > SNPY_MAX_ITEMSIZE ? UINT32_MAX : (uint32_t)end, 0};
    m->fields[entry].dtype = record;
    m->fields[entry].itemsize = end;
}

/* ---- headers ------------------------------------------------------------------------------------------------ */

/* What follows from dtype, shape and table, as a reader would find it. */
static void settle(struct maker *m)
{
    snpy_header *header = &m->made.header;
    size_t hidden = 0; /* below this depth all is padding, if not 0 */
    header->count = 1;
    for (uint32_t d = 0; d < header->ndim && d < SNPY_MAX_NDIM; d++) header->count *= header->shape[d];
    header->has_object = header->dtype.kind == SNPY_KIND_OBJECT;
    for (size_t i = 0; i < m->made.table.field_count; i++) {
        if (hidden != 0 && m->fields[i].depth >= hidden) continue;
        hidden = m->fields[i].is_padding ? m->fields[i].depth + 1u : 0;
        if (hidden == 0 && m->fields[i].dtype.kind == SNPY_KIND_OBJECT) header->has_object = true;
    }
    header->data_size = header->has_object ? 0 : header->count * header->dtype.itemsize;
}

/* Whether array and elements are small enough to exist. */
static bool is_sound(const struct maker *m)
{
    const snpy_header *header = &m->made.header;
    uint64_t extent = header->dtype.itemsize == 0 ? 1 : header->dtype.itemsize;
    for (size_t i = 0; i < m->made.table.field_count; i++)
        if (m->fields[i].dtype.itemsize > SNPY_MAX_ITEMSIZE) return false;
    if (header->dtype.itemsize > SNPY_MAX_ITEMSIZE) return false;
    for (uint32_t d = 0; d < header->ndim; d++) {
        uint64_t dim = header->shape[d] == 0 ? 1 : header->shape[d];
        if (dim > SNPY_MAX_SIZE / extent) return false;
        extent *= dim;
    }
    return true;
}

static void make_header(struct maker *m)
{
    snpy_header *header = &m->made.header;
    header->fortran_order = fuzz_below(m->input, 2) == 1;
    header->ndim = fuzz_below(m->input, 16) == 0 ? fuzz_below(m->input, 65) : fuzz_below(m->input, 5);
    for (uint32_t d = 0; d < header->ndim; d++) header->shape[d] = d < 6 ? fuzz_size(m->input) : 1;
    header->dtype = make_simple(m->input);
    if (fuzz_below(m->input, 4) == 0) return;
    add_entry(m, 0);
    make_record(m, 0);
    header->dtype = m->fields[0].dtype;
}

/* Changes some numbers of the table or the header; indices may lie anywhere after that. */
static void spoil(struct maker *m)
{
    for (uint32_t times = 1 + fuzz_below(m->input, 3); times > 0; times--) {
        snpy_header *header = &m->made.header;
        size_t count = m->made.table.field_count;
        snpy_field *field = &m->fields[fuzz_below(m->input, (uint32_t)count + 1)];
        uint64_t value = fuzz_size(m->input);
        switch (fuzz_below(m->input, 18)) {
        case 0:
            field->name_offset = (uint32_t)value;
            break;
        case 1:
            field->name_length = (uint32_t)value;
            break;
        case 2:
            field->title_offset = (uint32_t)value;
            break;
        case 3:
            field->parent = (uint32_t)value;
            break;
        case 4:
            field->first_dim = (uint32_t)value;
            break;
        case 5:
            field->ndim = (uint16_t)value;
            break;
        case 6:
            field->depth = (uint16_t)value;
            break;
        case 7:
            field->itemsize = value;
            break;
        case 8:
            field->offset = (int64_t)value;
            break;
        case 9:
            field->dtype.itemsize = (uint32_t)value;
            break;
        case 10:
            field->dtype.kind = (int8_t)value;
            break;
        case 11:
            field->dtype.unit = (int8_t)value;
            break;
        case 12:
            field->is_padding = !field->is_padding;
            break;
        case 13:
            field->has_name = !field->has_name;
            break;
        case 14:
            m->dims[fuzz_below(m->input, DIMS)] = (int32_t)(uint32_t)value;
            break;
        case 15:
            header->ndim = (uint32_t)value;
            break;
        case 16:
            header->dtype.itemsize = (uint32_t)value;
            break;
        default:
            m->names[fuzz_below(m->input, NAMES)] = (uint8_t)value;
            break;
        }
    }
}

static bool is_of_writer(snpy_status status)
{
    return status == SNPY_WRITE_DTYPE || status == SNPY_WRITE_TABLE || status == SNPY_WRITE_LAYOUT ||
           status == SNPY_WRITE_SHAPE || status == SNPY_WRITE_NAME || status == SNPY_WRITE_UNREADABLE ||
           status == SNPY_WRITE_VERSION || status == SNPY_DUPLICATE_NAME || status == SNPY_BAD_ARGUMENT;
}

/* Whether a sub-array has no dimensions, or none inside it: it is written as the type inside, and reads back as that. */
static bool has_plain_tuple(const struct maker *m)
{
    for (size_t i = 0; i + 1 < m->made.table.field_count; i++)
        if (m->fields[i].dtype.kind == SNPY_KIND_SUBARRAY && (m->fields[i].ndim == 0 || m->fields[i + 1].ndim == 0))
            return true;
    return false;
}

/* Reads back what was written. */
static void written_must_agree(struct maker *m, const uint8_t *bytes, size_t size)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    struct fuzz_header read;
    options.max_header_bytes = SNPY_MAX_HEADER;
    fuzz_parse(bytes, size, &options, &read);
    /* The record itself has no name, whatever its entry says. */
    m->fields[0].has_name = m->fields[0].has_title = m->fields[0].is_padding = false;
    settle(m);
    m->made.status = SNPY_OK;
    m->made.has_plain_names = m->encoding == SNPY_NAME_PLAIN;
    m->made.header.frame.major = m->encoding == SNPY_NAME_LATIN1 ? 1 : 3;
    m->made.header.frame.header_len = (uint32_t)m->names_length;
    m->made.bytes = m->names;
    FUZZ_MUST(read.status == SNPY_OK);
    if (!has_plain_tuple(m)) fuzz_must_agree(&m->made, &read);
    FUZZ_MUST(read.header.fortran_order == m->made.header.fortran_order);
    FUZZ_MUST(read.header.frame.data_offset == size);
    fuzz_release(&read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    static const snpy_name_encoding encodings[] = {SNPY_NAME_LATIN1, SNPY_NAME_UTF8, SNPY_NAME_PLAIN};
    struct maker *m = fuzz_memory(1, sizeof *m);
    memset(m, 0, sizeof *m);
    m->input = &input;
    m->encoding = encodings[fuzz_below(&input, 3)];
    m->made.table.fields = m->fields;
    m->made.table.field_capacity = ENTRIES;
    m->made.table.dims = m->dims;
    m->made.table.dim_capacity = DIMS;
    bool is_spoiled = fuzz_below(&input, 3) == 0;
    snpy_version_choice version =
        fuzz_below(&input, 4) == 0 ? (snpy_version_choice)fuzz_below(&input, 5) : SNPY_VERSION_AUTO;
    make_header(m);
    if (is_spoiled) spoil(m);
    snpy_description description = {&m->made.header, &m->made.table, m->names, m->names_length, m->encoding, version};
    snpy_error error;
    size_t written;
    uint8_t *bytes = fuzz_write(&description, &written, &error);
    if (written > 0) {
        written_must_agree(m, bytes, written);
    } else {
        FUZZ_MUST(is_of_writer(error.status) && error.offset <= m->made.table.field_count);
        FUZZ_MUST(is_spoiled || version != SNPY_VERSION_AUTO || !is_sound(m));
    }
    free(bytes);
    free(m);
    return 0;
}
