/* object_unflatten.c: walks the rows of the schema of a flat archive, and makes the NPY file that it was.     NPY-PKL-035
 * flat_begin.c begins values. What the rows say is a draft, which is decoded like any pickle. */
#include "host/flat_return.h"

#include <stdlib.h>
#include <string.h>

/* ---- children --------------------------------------------------------------------------------------------- */

/* Begins the next value of a dictionary, after its key. Returns false if there is none. */
static bool step_dict_back(snpy_walk_back *walk, snpy_back_frame *frame)
{
    snpy_returning *back = &walk->back;
    snpy_flat_entry child;
    const uint64_t index = frame->next++;
    if (index >= (uint64_t)frame->entry.row.count) return false;
    if (frame->columns != NULL) {
        snpy_source_put(back, &frame->columns->keys, index, SNPY_FLAT_NO_ROW);
        if (frame->entry.row.items != SNPY_FLAT_ROWS) {
            snpy_source_put(back, &frame->columns->values, index, SNPY_FLAT_NO_ROW);
            return true;
        }
    }
    if (frame->columns != NULL || frame->entry.row.keys == SNPY_FLAT_MIXED) {
        snpy_flat_push_index(&back->path, index);
    } else {
        uint32_t points[SNPY_FLAT_KEY];
        if (walk->next_row == back->schema.count || !snpy_flat_read_row(&back->schema, walk->next_row, &child) ||
            child.key_length > SNPY_FLAT_KEY) {
            snpy_back_row(walk); /* says where it is */
            snpy_back_refuse(walk);
            return true;
        }
        for (size_t i = 0; i < child.key_length; i++) {
            const uint8_t *at = child.key + 4 * i;
            points[i] = at[0] + 256u * at[1] + 65536u * at[2] + 16777216u * at[3];
        }
        snpy_draft_text(back, child.key, child.key_length);
        snpy_flat_push_key(&back->path, points, child.key_length);
    }
    snpy_back_row(walk);
    return true;
}

/* Begins the next part of an array: its type, and the mask and fill value of a masked one. */
static bool step_array_back(snpy_walk_back *walk, snpy_back_frame *frame)
{
    snpy_returning *back = &walk->back;
    snpy_array array;
    const uint64_t count = (uint64_t)frame->entry.row.count;
    const uint64_t parts = frame->entry.row.kind == SNPY_FLAT_MASKED ? 2 : 0;
    const uint64_t part = frame->next++ + (count == parts ? 1 : 0);
    if (part == 1 && count > parts) {
        if (snpy_return_open(back, NULL, &array)) snpy_back_data(walk, &array);
        snpy_array_release(&array);
    }
    if (frame->next > count) return false;
    snpy_flat_push_word(&back->path, part == 0 ? "$dtype" : part == 1 ? "$mask" : "$fill");
    snpy_back_row(walk);
    return true;
}

/* Begins the next item, or the state after the arguments of a call. */
static bool step_items_back(snpy_walk_back *walk, snpy_back_frame *frame)
{
    const snpy_flat_entry entry = frame->entry;
    const uint64_t index = frame->next++;
    if (index < (uint64_t)entry.row.count) {
        if (entry.row.kind != SNPY_FLAT_OBJECT) snpy_flat_push_index(&walk->back.path, index);
        snpy_back_row(walk);
        return true;
    }
    if (entry.row.kind < SNPY_FLAT_BUILD || index > (uint64_t)entry.row.count) return false;
    snpy_back_close_arguments(walk, &entry);
    snpy_flat_push_word(&walk->back.path, "$state");
    snpy_back_row(walk);
    return true;
}

/* Begins the next child of the innermost value, or ends it. */
static void step_frame_back(snpy_walk_back *walk)
{
    snpy_back_frame *frame = &walk->frames[walk->depth - 1];
    const uint8_t kind = frame->entry.row.kind;
    bool has_more;
    snpy_flat_cut(&walk->back.path, frame->path);
    if (snpy_flat_is_dict(kind))
        has_more = step_dict_back(walk, frame);
    else if (snpy_flat_is_array(kind))
        has_more = step_array_back(walk, frame);
    else
        has_more = step_items_back(walk, frame);
    if (has_more || walk->back.status != SNPY_OK) return;
    snpy_back_close(walk, &frame->entry, &frame->place, frame->has_place);
    snpy_back_release_columns(frame);
    walk->depth--;
}

/* ---- the draft -------------------------------------------------------------------------------------------- */

/* Marks the rows that others refer to. */
static void mark_rows(snpy_walk_back *walk)
{
    const size_t count = walk->back.schema.count;
    walk->back.row_kept = calloc(count, sizeof *walk->back.row_kept);
    walk->starts = calloc(count, sizeof *walk->starts);
    if (walk->back.row_kept == NULL || walk->starts == NULL) {
        (void)snpy_return_fail(&walk->back, SNPY_NO_MEMORY);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        snpy_flat_entry entry;
        if (!snpy_flat_read_row(&walk->back.schema, i, &entry) || entry.row.kind != SNPY_FLAT_REF) continue;
        if ((uint64_t)entry.row.count < i) walk->back.row_kept[entry.row.count] = 1;
    }
}

/* Whether every member has been used. */
static bool is_all_used(const snpy_flat *flat)
{
    for (size_t i = 0; i < flat->count; i++)
        if (!flat->members[i].is_used) return false;
    return true;
}

/* Makes the draft of the pickle. */
static void make_draft(snpy_walk_back *walk)
{
    snpy_returning *back = &walk->back;
    (void)snpy_return_fail(back, snpy_flat_open_schema(back->flat, &back->schema));
    if (back->status == SNPY_OK) snpy_return_open_targets(back);
    if (back->status == SNPY_OK) mark_rows(walk);
    snpy_draft_put(back, "\x80\x04", 2);
    snpy_back_row(walk);
    while (walk->depth > 0 && back->status == SNPY_OK) step_frame_back(walk);
    snpy_draft_byte(back, '.');
    const bool is_whole = walk->next_row == back->schema.count && back->next_same == back->schema.same_count;
    if (back->status == SNPY_OK && (!is_whole || !is_all_used(back->flat))) snpy_back_refuse(walk);
}

/* The byte of $schema at which the row is that makes a byte of the draft. */
static uint64_t find_row(const snpy_walk_back *walk, uint64_t at)
{
    const snpy_header *header = &walk->back.schema.array.header;
    size_t row = walk->next_row > 0 ? walk->next_row - 1 : 0;
    if (walk->starts == NULL || header->count == 0) return 0;
    while (row > 0 && walk->starts[row] > at) row--;
    return header->frame.data_offset + row * (header->data_size / header->count);
}

/* ---- the file --------------------------------------------------------------------------------------------- */

/* The version that the key of the first row asks for. */
static snpy_version_choice read_version(const snpy_walk_back *walk)
{
    snpy_flat_entry first;
    if (!snpy_flat_read_row(&walk->back.schema, 0, &first) || first.key_length == 0) return SNPY_VERSION_AUTO;
    const uint8_t digit = first.key[0];
    return digit >= '1' && digit <= '3' ? (snpy_version_choice)(digit - '0') : SNPY_VERSION_AUTO;
}

/* Compares members with those that the values have when they are flattened.                                NPY-PKL-035 */
static snpy_status compare_members_again(const snpy_flat *flat, snpy_flat *again, snpy_io_error *error)
{
    snpy_flat_sort(again);
    for (size_t i = 0; i < flat->count; i++) {
        const snpy_flat_member *one = &flat->members[i];
        const snpy_flat_member *other = &again->members[i < again->count ? i : 0];
        const bool has_other = i < again->count && strcmp(one->name, other->name) == 0;
        size_t at = 0;
        while (has_other && at < one->size && at < other->size && one->bytes[at] == other->bytes[at]) at++;
        if (has_other && at == one->size && at == other->size) continue;
        snpy_io_member(error, one->name);
        return snpy_io_refuse(error, SNPY_PKL_FLAT_SCHEMA, at);
    }
    return flat->count == again->count ? SNPY_OK : snpy_io_refuse(error, SNPY_PKL_FLAT_SCHEMA, 0);
}

/* Flattens the values again. */
static snpy_status flatten_again(const snpy_walk_back *walk, const snpy_object_data *data, snpy_io_error *error)
{
    static const char *const versions[] = {"", "1.0", "2.0", "3.0"};
    snpy_object_data *plain = NULL;
    uint8_t *written = NULL;
    size_t size = 0;
    snpy_flat again = {.count = 0};
    snpy_status status = snpy_object_data_write(data, NULL, &written, &size, error);
    if (status == SNPY_OK) status = snpy_object_data_open(written, size, SNPY_SET_PLAIN, &plain, error);
    if (status == SNPY_OK) status = snpy_flatten_data(plain, versions[read_version(walk)], &again);
    if (status == SNPY_OK) status = compare_members_again(walk->back.flat, &again, error);
    snpy_object_data_close(&plain);
    snpy_object_bytes_free(&written);
    snpy_flat_release(&again);
    if (status != SNPY_PKL_NOT_FLAT) return status;
    snpy_io_member(error, SNPY_FLAT_SCHEMA_NAME);
    return snpy_io_refuse(error, SNPY_PKL_FLAT_SCHEMA, 0);
}

/* Decodes the draft, and writes the header and the pickle. */
static snpy_status write_file(snpy_walk_back *walk, bool is_checked, snpy_array *head, uint8_t **pickle, size_t *size,
                              snpy_io_error *error)
{
    snpy_object_data *data = NULL;
    snpy_status status = snpy_object_data_open(walk->back.draft, walk->back.length, SNPY_SET_PLAIN, &data, error);
    if (status != SNPY_OK) {
        const uint64_t at = find_row(walk, error->error.offset);
        snpy_io_member(error, SNPY_FLAT_SCHEMA_NAME);
        return snpy_io_refuse(error, status, at);
    }
    status = snpy_make_object_head(data, read_version(walk), head, error);
    if (status != SNPY_OK && status != SNPY_NO_MEMORY) status = SNPY_PKL_FLAT_SCHEMA;
    snpy_io_member(error, SNPY_FLAT_SCHEMA_NAME);
    if (status == SNPY_OK) status = snpy_object_data_write(data, &walk->back.flat->form, pickle, size, error);
    if (status == SNPY_OK && is_checked)
        status = flatten_again(walk, data, error);
    else
        status = snpy_io_refuse(error, status, 0);
    snpy_object_data_close(&data);
    return status;
}

/* Frees the tables of a walk. */
static void release_walk(snpy_walk_back *walk)
{
    while (walk->depth > 0) snpy_back_release_columns(&walk->frames[--walk->depth]);
    snpy_flat_release_schema(&walk->back.schema);
    free(walk->back.draft);
    free(walk->back.targets);
    free(walk->back.row_kept);
    free(walk->back.path.text);
    free(walk->starts);
    free(walk->frames);
}

snpy_status snpy_unflatten(snpy_flat *flat, bool is_checked, snpy_array *head, uint8_t **pickle, size_t *size,
                           snpy_io_error *error)
{
    snpy_walk_back walk = {.back = {.flat = flat}};
    snpy_io_begin(error, "");
    snpy_array_clear(head);
    *pickle = NULL;
    *size = 0;
    for (size_t i = 0; i < flat->count; i++) flat->members[i].is_used = false;
    make_draft(&walk);
    snpy_status status = walk.back.status;
    snpy_io_member(error, SNPY_FLAT_SCHEMA_NAME);
    if (status == SNPY_OK)
        status = write_file(&walk, is_checked, head, pickle, size, error);
    else
        status = snpy_io_refuse(error, status, find_row(&walk, UINT64_MAX));
    release_walk(&walk);
    if (status == SNPY_NO_MEMORY) return snpy_io_no_memory(error, "malloc");
    return status;
}
