/* path.c: finds a field of a structured dtype by a path of names.                             API-TYPE, HOST-MEMORY
 * core/name.c decodes names; core/view.c selects the field. */
#include "host/io.h"

#include <stdlib.h>
#include <string.h>

/* Checks whether a path begins with a field's name, followed by a dot or the end. Sets *is_name, and returns the length of
 * the name in bytes if it does. `name` is a buffer of `length` bytes. */
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

/* Returns the entry of the field of a record with whose name a path begins; the one with the longest name if there are
 * several; 0 if there is none. Sets *taken to the length of its name in bytes. */
static uint32_t snpy_find_field(const snpy_array *array, uint32_t record, const char *path, size_t length,
                                uint8_t *name, size_t *taken)
{
    const snpy_field *fields = array->table.fields;
    uint32_t found = 0;
    *taken = 0;
    if (record + 1 >= array->table.field_count || fields[record + 1].parent != record) return 0;
    for (uint32_t entry = record + 1; entry != 0; entry = fields[entry].next) {
        bool is_name = false;
        if (fields[entry].is_padding) continue; /* padding has no name */
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
