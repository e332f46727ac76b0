/* flat_members.c: plain arrays in memory, the members of a flat archive.                       NPY-PKL-031, HOST-MEMORY */
#include "host/flat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX 12u                               /* bytes before the text of a header of version 3.0 */
#define DRAFT ((size_t)4096)                     /* of a header: a type, and at most 64 dimensions */
#define MOST_NAMES ((uint64_t)256 * 1024 * 1024) /* bytes */

void snpy_flat_release(snpy_flat *flat)
{
    for (size_t i = 0; i < flat->count; i++) {
        free(flat->members[i].name);
        free(flat->members[i].bytes);
    }
    free(flat->members);
    *flat = (snpy_flat){.form = flat->form};
}

snpy_status snpy_flat_keep(snpy_flat *flat, const char *name, uint8_t *bytes, size_t size)
{
    const size_t length = strlen(name) + 1;
    snpy_status status = SNPY_NO_MEMORY;
    char *copy = malloc(length);
    flat->name_bytes += length;
    const uint64_t most = flat->most_names != 0 && flat->most_names < MOST_NAMES ? flat->most_names : MOST_NAMES;
    if (flat->count == SNPY_FLAT_MOST_ROWS || flat->name_bytes > most) status = SNPY_PKL_NOT_FLAT;
    if (flat->count == flat->capacity && copy != NULL && status == SNPY_NO_MEMORY) {
        const size_t wanted = 2 * flat->capacity + 16;
        snpy_flat_member *grown = realloc(flat->members, wanted * sizeof *grown);
        if (grown != NULL) {
            flat->members = grown;
            flat->capacity = wanted;
        }
    }
    if (copy == NULL || flat->count == flat->capacity || status != SNPY_NO_MEMORY) {
        free(copy);
        free(bytes);
        return status;
    }
    memcpy(copy, name, length);
    snpy_flat_member *member = &flat->members[flat->count++];
    member->name = copy;
    member->bytes = bytes;
    member->size = size;
    member->is_used = false;
    return SNPY_OK;
}

/* Adds an array of which the header is known. */
static snpy_status keep_array(snpy_flat *flat, const char *name, snpy_array *head, const void *data, uint64_t size)
{
    snpy_description description;
    snpy_array made;
    snpy_io_error error;
    snpy_array_describe(head, &description);
    description.version = SNPY_VERSION_AUTO;
    snpy_status status = snpy_make_new_head(description, 0, SNPY_BYTEORDER_KEEP, false, &made, &error);
    if (status == SNPY_OK && made.header.data_size == size && !made.header.has_object) {
        const size_t start = (size_t)made.header.frame.data_offset;
        uint8_t *bytes = size <= SIZE_MAX - start ? malloc(start + (size_t)size) : NULL;
        if (bytes != NULL) {
            memcpy(bytes, made.head_, start);
            if (size > 0) memcpy(bytes + start, data, (size_t)size);
        }
        status = bytes == NULL ? SNPY_NO_MEMORY : snpy_flat_keep(flat, name, bytes, start + (size_t)size);
    } else if (status != SNPY_NO_MEMORY) {
        status = SNPY_PKL_NOT_FLAT;
    }
    snpy_array_release(&made);
    return status;
}

/* Writes a header with any type and shape. Returns its bytes. */
static size_t draft(char *out, const char *descr, const snpy_flat_shape *shape)
{
    const char prefix[PREFIX] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 3, 0, 0, 0, 0, 0};
    memcpy(out, prefix, PREFIX);
    int length = snprintf(out + PREFIX, DRAFT - PREFIX, "{'descr': %s, 'fortran_order': False, 'shape': (", descr);
    size_t end = PREFIX + (size_t)length;
    for (uint32_t i = 0; i < shape->ndim; i++)
        end += (size_t)snprintf(out + end, DRAFT - end, "%" PRIu64 ",", shape->dims[i]);
    end += (size_t)snprintf(out + end, DRAFT - end, ")}\n");
    for (size_t i = 0; i < 4; i++) out[8 + i] = (char)(uint8_t)((end - PREFIX) >> (8 * i));
    return end;
}

snpy_status snpy_flat_add(snpy_flat *flat, const char *name, const char *descr, const snpy_flat_shape *shape,
                          const void *data, size_t size)
{
    const snpy_options limits = SNPY_OPTIONS_INIT;
    snpy_io_error error;
    snpy_array head;
    char *text = malloc(DRAFT);
    if (text == NULL) return SNPY_NO_MEMORY;
    snpy_array_clear(&head);
    const size_t length = draft(text, descr, shape);
    snpy_array_own_header(&head, (uint8_t *)text, length);
    snpy_status status = snpy_parse_head(&limits, &head, &error);
    if (status == SNPY_OK) status = keep_array(flat, name, &head, data, size);
    snpy_array_release(&head);
    return status == SNPY_OK || status == SNPY_NO_MEMORY ? status : SNPY_PKL_NOT_FLAT;
}

snpy_status snpy_flat_add_array(snpy_flat *flat, const char *name, snpy_array *array)
{
    return keep_array(flat, name, array, array->data, array->header.data_size);
}

static int compare_members(const void *left, const void *right)
{
    return strcmp(((const snpy_flat_member *)left)->name, ((const snpy_flat_member *)right)->name);
}

void snpy_flat_sort(snpy_flat *flat)
{
    if (flat->count > 0) qsort(flat->members, flat->count, sizeof *flat->members, compare_members);
}

/* Compares a name with that of a member, for bsearch. */
static int compare_name(const void *name, const void *member)
{
    return strcmp(name, ((const snpy_flat_member *)member)->name);
}

/* Returns the member with a name; NULL if there is none. */
static snpy_flat_member *find_member(const snpy_flat *flat, const char *name)
{
    if (flat->count == 0) return NULL;
    return bsearch(name, flat->members, flat->count, sizeof *flat->members, compare_name);
}

void snpy_flat_forget(snpy_flat *flat, const char *name)
{
    snpy_flat_member *found = find_member(flat, name);
    if (found != NULL) found->is_used = false;
}

snpy_status snpy_flat_open(snpy_flat *flat, const char *name, snpy_array *array)
{
    snpy_options limits = SNPY_OPTIONS_INIT;
    snpy_load_options how = SNPY_LOAD_OPTIONS_INIT;
    snpy_io_error error;
    limits.max_header_bytes = SNPY_MAX_HEADER;
    limits.max_fields = SNPY_MAX_FIELDS;
    limits.compat.platform_float = true;
    how.limits = &limits;
    snpy_array_clear(array);
    snpy_flat_member *found = find_member(flat, name);
    if (found == NULL || found->is_used) return SNPY_PKL_FLAT_SCHEMA;
    found->is_used = true;
    const snpy_status status = snpy_load_memory(found->bytes, found->size, &how, array, &error);
    if (status == SNPY_NO_MEMORY) return status;
    const snpy_header *header = &array->header;
    const bool is_whole = status == SNPY_OK && header->frame.data_offset + header->data_size == found->size;
    return is_whole && !header->has_object ? SNPY_OK : SNPY_PKL_FLAT_SCHEMA;
}
