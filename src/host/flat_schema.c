/* flat_schema.c: writes and reads the members of a flat archive that say how to come back.    NPY-PKL-034, NPY-PKL-035 */
#include "host/flat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DESCR ((size_t)160)

/* Writes the type of a schema. */
static int describe_schema(char out[DESCR], uint32_t kind, uint32_t items, uint32_t key)
{
    return snprintf(out, DESCR, "[('kind', '|S%u'), ('items', '|S%u'), ('count', '<i8'), ('key', '<U%u')]", kind, items,
                    key);
}

/* Finds how long the longest texts are, at least 1. */
static void find_widths(const snpy_flat_row *rows, size_t count, snpy_flat_schema *widths)
{
    widths->kind_size = widths->items_size = widths->key_size = 1;
    for (size_t i = 0; i < count; i++) {
        char text[SNPY_FLAT_WORD];
        snpy_flat_describe(&rows[i], text);
        const uint32_t kind = (uint32_t)strlen(text);
        snpy_flat_describe_items(rows[i].items, text);
        const uint32_t items = (uint32_t)strlen(text);
        if (kind > widths->kind_size) widths->kind_size = kind;
        if (items > widths->items_size) widths->items_size = items;
        if (rows[i].key_length > widths->key_size) widths->key_size = rows[i].key_length;
    }
}

/* Writes a row, at bytes that are 0. */
static void write_row(const snpy_flattening *work, const snpy_flat_row *row, const snpy_flat_schema *widths,
                      uint8_t *out)
{
    char text[SNPY_FLAT_WORD];
    snpy_flat_describe(row, text);
    for (size_t i = 0; text[i] != '\0'; i++) out[i] = (uint8_t)text[i];
    snpy_flat_describe_items(row->items, text);
    for (size_t i = 0; text[i] != '\0'; i++) out[widths->kind_size + i] = (uint8_t)text[i];
    out += widths->kind_size + widths->items_size;
    for (size_t i = 0; i < 8; i++) out[i] = (uint8_t)((uint64_t)row->count >> (8 * i));
    out += 8;
    for (size_t i = 0; i < row->key_length; i++)
        for (size_t k = 0; k < 4; k++) out[4 * i + k] = (uint8_t)(work->points[row->key + i] >> (8 * k));
}

/* Adds $same, if there are values to be named in it. */
static snpy_status put_same(const snpy_flattening *work)
{
    const snpy_flat_shape shape = {2, {work->same_count / 2, 2}};
    uint8_t *bytes = malloc(8 * work->same_count + 1);
    if (bytes == NULL) return SNPY_NO_MEMORY;
    for (size_t i = 0; i < 8 * work->same_count; i++)
        bytes[i] = (uint8_t)((uint64_t)work->same[i / 8] >> (8 * (i % 8)));
    const snpy_status status =
        snpy_flat_add(work->flat, SNPY_FLAT_SAME_NAME, "'<i8'", &shape, bytes, 8 * work->same_count);
    free(bytes);
    return status;
}

void snpy_flat_put_schema(snpy_flattening *work, const snpy_flat_row *rows, size_t count)
{
    char descr[DESCR];
    snpy_flat_schema widths;
    const snpy_flat_shape shape = {1, {count}};
    find_widths(rows, count, &widths);
    (void)describe_schema(descr, widths.kind_size, widths.items_size, widths.key_size);
    const size_t itemsize = (size_t)widths.kind_size + widths.items_size + 8 + 4 * (size_t)widths.key_size;
    uint8_t *bytes = calloc(count, itemsize);
    if (bytes == NULL) {
        (void)snpy_flat_fail(work, SNPY_NO_MEMORY);
        return;
    }
    for (size_t i = 0; i < count; i++) write_row(work, &rows[i], &widths, bytes + i * itemsize);
    (void)snpy_flat_fail(work,
                         snpy_flat_add(work->flat, SNPY_FLAT_SCHEMA_NAME, descr, &shape, bytes, count * itemsize));
    free(bytes);
    if (work->status == SNPY_OK && work->same_count > 0) (void)snpy_flat_fail(work, put_same(work));
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

/* Whether the type is that of a schema; sets the sizes of its texts. */
static bool has_type(snpy_flat_schema *schema)
{
    char wanted[DESCR];
    char found[DESCR];
    uint64_t size = 0;
    snpy_error error;
    snpy_description description;
    const snpy_table *table = &schema->array.table;
    if (schema->array.header.ndim != 1 || schema->array.header.dtype.kind != SNPY_KIND_RECORD ||
        table->field_count != 5)
        return false;
    schema->kind_size = table->fields[1].dtype.itemsize;
    schema->items_size = table->fields[2].dtype.itemsize;
    schema->key_size = table->fields[4].dtype.itemsize / 4;
    const int length = describe_schema(wanted, schema->kind_size, schema->items_size, schema->key_size);
    snpy_array_describe(&schema->array, &description);
    const snpy_status status = snpy_write_descr(&description, 0, (uint8_t *)found, sizeof found, &size, &error);
    return status == SNPY_OK && size == (uint64_t)length && memcmp(wanted, found, (size_t)size) == 0;
}

snpy_status snpy_flat_open_schema(snpy_flat *flat, snpy_flat_schema *schema)
{
    static const snpy_flat_schema none = {.count = 0};
    *schema = none;
    snpy_status status = snpy_flat_open(flat, SNPY_FLAT_SCHEMA_NAME, &schema->array);
    if (status != SNPY_OK) return status;
    if (!has_type(schema) || schema->array.header.count == 0 || schema->array.header.count > SNPY_FLAT_MOST_ROWS)
        return SNPY_PKL_FLAT_SCHEMA;
    schema->count = (size_t)schema->array.header.count;
    status = snpy_flat_open(flat, SNPY_FLAT_SAME_NAME, &schema->same);
    const snpy_header *same = &schema->same.header;
    if (status == SNPY_PKL_FLAT_SCHEMA && schema->same.text == NULL) return SNPY_OK; /* there is none */
    if (status != SNPY_OK) return status;
    schema->same_count = (size_t)(schema->same.data_size / 16);
    const bool is_table = same->ndim == 2 && same->shape[1] == 2 && !same->fortran_order;
    return is_table && same->dtype.kind == SNPY_KIND_INT && same->dtype.byteorder == '<' && same->dtype.itemsize == 8
               ? SNPY_OK
               : SNPY_PKL_FLAT_SCHEMA;
}

void snpy_flat_release_schema(snpy_flat_schema *schema)
{
    snpy_array_release(&schema->array);
    snpy_array_release(&schema->same);
}

/* Reads a little-endian number of 64 bits. */
static uint64_t read_number(const uint8_t *bytes)
{
    uint64_t number = 0;
    for (size_t i = 8; i > 0; i--) number = (number << 8) + bytes[i - 1];
    return number;
}

/* The length of a text in its column. */
static size_t text_length(const uint8_t *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] == 0) size--;
    return size;
}

bool snpy_flat_read_row(const snpy_flat_schema *schema, size_t index, snpy_flat_entry *entry)
{
    const size_t start = (size_t)schema->kind_size + schema->items_size;
    const uint8_t *bytes = schema->array.data + index * (start + 8 + 4 * (size_t)schema->key_size);
    const char *kind = (const char *)bytes;
    size_t name = 0;
    const uint64_t count = read_number(bytes + start);
    entry->row = (snpy_flat_row){.count = (int64_t)count};
    entry->key = bytes + start + 8;
    entry->key_length = (text_length(entry->key, 4 * (size_t)schema->key_size) + 3) / 4;
    if (!snpy_flat_parse(kind, text_length(bytes, schema->kind_size), &entry->row, &name, &entry->name_length))
        return false;
    entry->name = kind + name;
    const char *items = (const char *)bytes + schema->kind_size;
    const bool is_count = count <= INT64_MAX || (count == UINT64_MAX && entry->row.kind == SNPY_FLAT_REF);
    return is_count &&
           snpy_flat_parse_items(items, text_length(bytes + schema->kind_size, schema->items_size), &entry->row.items);
}

void snpy_flat_read_same(const snpy_flat_schema *schema, size_t index, uint64_t *occurrence, uint64_t *first)
{
    *occurrence = read_number(schema->same.data + 16 * index);
    *first = read_number(schema->same.data + 16 * index + 8);
}
