/* shim.c: the core as JavaScript calls it: bytes by address, numbers in one table of 64-bit words, no pointer kept.
 *
 * One call at a time uses the tables below: a module of WebAssembly has one thread. They hold what the last call of
 * `parse` has read, until the next one. The memory from __heap_base on is the caller's, src/core.js shares it out.
 * Decides nothing: each verdict is that of the function of the core which is called. */
#include "wasm/shim.h"
#include "safenpy/header.h"
#include "safenpy/looks_like.h"
#include "safenpy/write.h"

uint64_t words[WORDS];
static snpy_options options = SNPY_OPTIONS_INIT;
static snpy_header header;
static snpy_table table;
static const uint8_t *text; /* of the header */

int32_t answer(snpy_error error)
{
    words[AT_STATUS] = (uint64_t)error.status;
    words[AT_OFFSET] = error.offset;
    return (int32_t)error.status;
}

/* Where the words are. */
EXPORT(words_at) uint64_t *words_at(void)
{
    return words;
}

/* Bytes of an entry of the table of fields. */
EXPORT(field_size) size_t field_size(void)
{
    return sizeof(snpy_field);
}

/* Whether `parse` accepts the spellings that have a compatibility flag: all of them, or none. */
EXPORT(set_compat) void set_compat(int32_t is_on)
{
    const bool on = is_on != 0;
    options.compat = (snpy_compat){on, on, on, on, on, on, on, on, on, on, on};
}

/* Reads a header. The bytes and the tables stay the caller's and must stay in place for the calls below.
 * Numbers: major, data_offset, header_len, fortran_order, has_object, count, data_size, field_count, dim_count, ndim, kind,
 * itemsize, byteorder, unit, multiplier. The counts of fields and dims are there after SNPY_TABLE_TOO_SMALL, too. */
EXPORT(parse)
int32_t parse(const uint8_t *bytes, size_t length, snpy_field *fields, size_t field_capacity, int32_t *dims,
              size_t dim_capacity)
{
    snpy_error error;
    table = (snpy_table){fields, field_capacity, dims, dim_capacity, 0, 0};
    const snpy_status status = snpy_parse_header(bytes, length, &options, &table, &header, &error);
    uint64_t *out = &words[AT_NUMBERS];
    out[7] = table.field_count;
    out[8] = table.dim_count;
    if (status != SNPY_OK) return answer(error);
    text = bytes + header.frame.text_offset;
    out[0] = header.frame.major;
    out[1] = header.frame.data_offset;
    out[2] = header.frame.header_len;
    out[3] = header.fortran_order;
    out[4] = header.has_object;
    out[5] = header.count;
    out[6] = header.data_size;
    out[9] = header.ndim;
    out[10] = (uint64_t)header.dtype.kind;
    out[11] = header.dtype.itemsize;
    out[12] = (uint64_t)header.dtype.byteorder;
    out[13] = (uint64_t)header.dtype.unit;
    out[14] = header.dtype.multiplier;
    for (uint32_t i = 0; i < header.ndim; i++) words[AT_SHAPE + i] = header.shape[i];
    return answer(error);
}

/* Compares the header with the size of the file. */
EXPORT(check_data) int32_t check_data(uint64_t file_size, int32_t allow_trailing)
{
    snpy_error error;
    (void)snpy_check_data(&header, file_size, allow_trailing != 0, &error);
    return answer(error);
}

static snpy_name_encoding encoding(void)
{
    return header.frame.major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1;
}

/* NumPy's text for the type of an entry, of entry 0 for the whole type. Number: bytes it takes, whether they fitted or not. */
EXPORT(descr) int32_t descr(size_t entry, uint8_t *out, size_t capacity)
{
    snpy_error error;
    const snpy_description all = {&header, &table, text, header.frame.header_len, encoding(), SNPY_VERSION_AUTO};
    (void)snpy_write_descr(&all, entry, out, capacity, &words[AT_NUMBERS], &error);
    return answer(error);
}

/* Writes the header that `parse` has read as NumPy would write it. Number: bytes it takes, whether they fitted or not. */
EXPORT(write_header) int32_t write_header(uint8_t *out, size_t capacity)
{
    snpy_error error;
    uint64_t size = 0;
    const snpy_description all = {&header, &table, text, header.frame.header_len, encoding(), SNPY_VERSION_AUTO};
    snpy_normalise_order(&header);
    if (snpy_header_size(&all, &words[AT_NUMBERS], &error) == SNPY_OK)
        (void)snpy_write_header(&all, out, capacity, &size, &error);
    return answer(error);
}

/* What the table has of one entry, after `parse`. Numbers: parent, next, ndim, first_dim, kind, bytes of one item,
 * byteorder, unit, multiplier, bytes of the field, offset in its parent, has_name, has_title, is_padding. */
EXPORT(field) void field(size_t index)
{
    const snpy_field *entry = &table.fields[index];
    const uint64_t found[] = {entry->parent,
                              entry->next,
                              entry->ndim,
                              entry->first_dim,
                              (uint64_t)entry->dtype.kind,
                              entry->dtype.itemsize,
                              (uint64_t)entry->dtype.byteorder,
                              (uint64_t)entry->dtype.unit,
                              entry->dtype.multiplier,
                              entry->itemsize,
                              (uint64_t)entry->offset,
                              entry->has_name,
                              entry->has_title,
                              entry->is_padding};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) words[AT_NUMBERS + i] = found[i];
}

/* The name of an entry, or its title, in UTF-8; each surrogate in three bytes. Number: bytes it takes, whether they fitted
 * or not. */
EXPORT(name) int32_t name(size_t index, int32_t is_title, uint8_t *out, size_t capacity)
{
    const snpy_field *entry = &table.fields[index];
    size_t surrogates = 0;
    return (int32_t)snpy_name_decode(text, header.frame.header_len, is_title ? entry->title_offset : entry->name_offset,
                                     is_title ? entry->title_length : entry->name_length, encoding(), out, capacity,
                                     &words[AT_NUMBERS], &surrogates);
}

/* --- texts: addresses of static text that ends with a zero; 0 for none --- */

/* Of a status: 0 its name, 1 its rule, 2 the sentence, 3 the hint; else the version of the library. */
EXPORT(status_text) const char *status_text(int32_t which, int32_t status)
{
    if (which == 0) return snpy_status_name((snpy_status)status);
    if (which == 1) return snpy_status_rule((snpy_status)status);
    if (which == 2) return snpy_status_message((snpy_status)status);
    if (which == 3) return snpy_status_hint((snpy_status)status);
    return snpy_version();
}

/* What a file looks like from its first bytes, and its words: 0 the name, 1 the noun, else the hint. */
EXPORT(look) int32_t look(const uint8_t *bytes, size_t length)
{
    return (int32_t)snpy_looks_like(bytes, length);
}

EXPORT(look_text) const char *look_text(int32_t which, int32_t kind)
{
    if (which == 0) return snpy_look_name((snpy_look_kind)kind);
    if (which == 1) return snpy_look_noun((snpy_look_kind)kind);
    return snpy_look_hint((snpy_look_kind)kind);
}
