/* path.c: fields of structured dtypes found by the path of their names.                       API-TYPE, HOST-MEMORY
 * Leaves names to core/name.c, and where a field lies to core/view.c. */
#include "host/io.h"

#include <stdlib.h>
#include <string.h>

/* The bytes of a path that are the whole name of an entry, followed by a dot or the end; *is_name is false if there are
 * none. `name` has space for `length` bytes. */
static size_t snpy_match_name(const snpy_array *array, const snpy_field *field, const char *path, size_t length,
                              uint8_t *name, bool *is_name)
{
    const snpy_frame *frame = &array->header.frame;
    uint64_t size = 0;
    size_t surrogates = 0;
    snpy_status status =
        snpy_name_decode(array->text, frame->header_len, field->name_offset, field->name_length,
                         frame->major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1, name, length, &size, &surrogates);
    *is_name = status == SNPY_OK && memcmp(name, path, (size_t)size) == 0 && (size == length || path[size] == '.');
    return *is_name ? (size_t)size : 0;
}

/* Finds the field of a record that a path begins with, the one of the longest name if there are several; 0: none, as that is
 * the array's own entry. *taken is filled with the length of its name. */
static uint32_t snpy_find_field(const snpy_array *array, uint32_t record, const char *path, size_t length,
                                uint8_t *name, size_t *taken)
{
    const snpy_field *fields = array->table.fields;
    uint32_t found = 0;
    *taken = 0;
    if (record + 1 >= array->table.field_count || fields[record + 1].parent != record) return 0;
    for (uint32_t entry = record + 1; entry != 0; entry = fields[entry].next) {
        bool is_name = false;
        if (fields[entry].is_padding) continue; /* it has no name */
        const size_t size = snpy_match_name(array, &fields[entry], path, length, name, &is_name);
        if (!is_name || (found != 0 && size < *taken)) continue;
        found = entry;
        *taken = size;
    }
    return found;
}

snpy_status snpy_view_path(const snpy_array *array, const char *path, snpy_view *view, snpy_io_error *error)
{
    const size_t length = strlen(path);
    snpy_view found = *view;
    snpy_io_begin(error, "");
    uint8_t *name = malloc(length + 1);
    if (name == NULL) return snpy_io_no_memory(error, "malloc");
    snpy_status status = SNPY_OK;
    for (size_t at = 0; status == SNPY_OK && at <= length; at++) { /* after the dot */
        size_t taken = 0;
        const bool is_record = found.dtype.kind == SNPY_KIND_RECORD;
        const uint32_t entry =
            is_record ? snpy_find_field(array, found.entry, path + at, length - at, name, &taken) : 0;
        status = entry != 0 ? snpy_view_field(&found, &array->table, entry, &error->error)
                            : snpy_io_refuse(error, SNPY_WRONG_TYPE, at);
        at += taken;
    }
    free(name);
    if (status == SNPY_OK) *view = found;
    return status;
}
