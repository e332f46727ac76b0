/* flat_begin.c: reads a row of the schema of a flat archive, and begins the value that it is.                 NPY-PKL-035
 * flat_source.c reads columns; flat_draft.c writes opcodes; object_unflatten.c goes on with the children. */
#include "host/flat_return.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FRAMES 8192u /* as containers in one another have, with states and arguments */

/* Refuses the row that was read last. */
void snpy_back_refuse(snpy_walk_back *walk)
{
    (void)snpy_return_fail(&walk->back, SNPY_PKL_FLAT_SCHEMA);
}

/* ---- names ------------------------------------------------------------------------------------------------ */

/* Writes the global that a kind names: "module.name", or one of builtins without a dot. */
static void put_global(snpy_walk_back *walk, const snpy_flat_entry *entry)
{
    char text[SNPY_FLAT_WORD];
    size_t dot = entry->name_length;
    if (entry->name_length >= sizeof text || memchr(entry->name, '\n', entry->name_length) != NULL) {
        snpy_back_refuse(walk);
        return;
    }
    memcpy(text, entry->name, entry->name_length);
    text[entry->name_length] = '\0';
    while (dot > 0 && text[dot - 1] != '.') dot--;
    if (dot > 0) text[dot - 1] = '\0';
    snpy_draft_global(&walk->back, dot > 0 ? text : "builtins", text + dot);
}

/* ---- frames ----------------------------------------------------------------------------------------------- */

/* Begins the children of a value. */
static snpy_back_frame *push_frame_back(snpy_walk_back *walk, const snpy_flat_entry *entry, size_t row)
{
    if (walk->depth == MOST_FRAMES) (void)snpy_return_fail(&walk->back, SNPY_PKL_TOO_DEEP);
    if (walk->depth == walk->capacity && walk->back.status == SNPY_OK) {
        const size_t wanted = 2 * walk->capacity + 16;
        snpy_back_frame *grown = realloc(walk->frames, wanted * sizeof *grown);
        if (grown != NULL) {
            walk->frames = grown;
            walk->capacity = wanted;
        } else {
            (void)snpy_return_fail(&walk->back, SNPY_NO_MEMORY);
        }
    }
    if (walk->back.status != SNPY_OK) return NULL;
    snpy_back_frame *frame = &walk->frames[walk->depth++];
    *frame = (snpy_back_frame){.entry = *entry, .row = row, .path = walk->back.path.length};
    return frame;
}

/* Releases the columns of a frame. */
void snpy_back_release_columns(snpy_back_frame *frame)
{
    if (frame->columns == NULL) return;
    snpy_source_release(&frame->columns->keys);
    snpy_source_release(&frame->columns->values);
    free(frame->columns);
    frame->columns = NULL;
}

/* ---- ends of values --------------------------------------------------------------------------------------- */

/* Writes what comes after the children of a value, and keeps it. */
void snpy_back_close(snpy_walk_back *walk, const snpy_flat_entry *entry, snpy_flat_place *place, bool has_place)
{
    static const char *const ends[] = {
        [SNPY_FLAT_ARRAY] = "tb",       [SNPY_FLAT_MATRIX] = "tb",      [SNPY_FLAT_RECARRAY] = "tb",
        [SNPY_FLAT_MASKED] = "tb",      [SNPY_FLAT_OBJECT] = "etb",     [SNPY_FLAT_OBJECTS] = "etb",
        [SNPY_FLAT_OBJECTS_ND] = "etb", [SNPY_FLAT_OBJECTS_F] = "etb",  [SNPY_FLAT_LIST] = "e",
        [SNPY_FLAT_TUPLE] = "t",        [SNPY_FLAT_SET] = "\x90",       [SNPY_FLAT_FROZENSET] = "\x91",
        [SNPY_FLAT_DICT] = "u",         [SNPY_FLAT_ORDERED_DICT] = "u", [SNPY_FLAT_DEFAULTDICT] = "u",
        [SNPY_FLAT_CALL] = "tR",        [SNPY_FLAT_BUILD] = "b",        [SNPY_FLAT_NEW] = "b"};
    const char *end = ends[entry->row.kind];
    if (end != NULL) snpy_draft_put(&walk->back, end, strlen(end));
    if (has_place) snpy_return_end(&walk->back, place);
}

/* Writes what comes between the arguments and the state. */
void snpy_back_close_arguments(snpy_walk_back *walk, const snpy_flat_entry *entry)
{
    if (entry->row.kind == SNPY_FLAT_BUILD) snpy_draft_put(&walk->back, "tR", 2);
    if (entry->row.kind == SNPY_FLAT_NEW) snpy_draft_put(&walk->back, "t\x81", 2);
}

/* ---- beginnings of values --------------------------------------------------------------------------------- */

/* Finds the shape of an object array: that of its column, that of a member, or one dimension. */
static bool open_shape(snpy_walk_back *walk, const snpy_flat_entry *entry, const snpy_array *values,
                       snpy_flat_shape *shape)
{
    snpy_array array;
    const bool has_member = entry->row.kind == SNPY_FLAT_OBJECTS_ND || entry->row.kind == SNPY_FLAT_OBJECTS_F;
    *shape = (snpy_flat_shape){entry->row.kind == SNPY_FLAT_OBJECT ? 0 : 1, {(uint64_t)entry->row.count}};
    if (values != NULL) {
        shape->ndim = values->header.ndim;
        memcpy(shape->dims, values->header.shape, sizeof shape->dims[0] * shape->ndim);
    }
    if (values != NULL || !has_member) return true;
    const snpy_header *header = &array.header;
    bool is_good = snpy_return_open(&walk->back, "$shape", &array) && header->ndim == 1 &&
                   header->count <= SNPY_MAX_NDIM && header->dtype.kind == SNPY_KIND_INT &&
                   header->dtype.itemsize == 8 && header->dtype.byteorder == '<';
    shape->ndim = is_good ? (uint32_t)header->count : 0;
    for (uint32_t i = 0; i < shape->ndim; i++) {
        shape->dims[i] = 0;
        for (size_t k = 8; k > 0; k--) shape->dims[i] = (shape->dims[i] << 8) + array.data[8 * (size_t)i + k - 1];
    }
    snpy_array_release(&array);
    return is_good || snpy_return_fail(&walk->back, SNPY_PKL_FLAT_SCHEMA);
}

/* Writes what an object array has before its items. */
static void put_object_array(snpy_walk_back *walk, const snpy_flat_entry *entry, const snpy_array *values)
{
    static const snpy_dtype object = {.kind = SNPY_KIND_OBJECT, .byteorder = '|', .itemsize = 8};
    snpy_flat_shape shape;
    if (!open_shape(walk, entry, values, &shape)) return;
    snpy_draft_array(&walk->back, SNPY_FLAT_ARRAY, shape.dims, shape.ndim);
    snpy_draft_dtype(&walk->back, &object);
    snpy_draft_put(&walk->back, entry->row.kind == SNPY_FLAT_OBJECTS_F ? "\x88](" : "\x89](", 3);
}

/* Writes what a container or call has before its items. `values` is its column; NULL: each item has a row. */
static void open_container(snpy_walk_back *walk, const snpy_flat_entry *entry, const snpy_array *values)
{
    snpy_returning *back = &walk->back;
    switch (entry->row.kind) {
    case SNPY_FLAT_OBJECT:
    case SNPY_FLAT_OBJECTS:
    case SNPY_FLAT_OBJECTS_ND:
    case SNPY_FLAT_OBJECTS_F:
        put_object_array(walk, entry, values);
        break;
    case SNPY_FLAT_LIST:
        snpy_draft_put(back, "](", 2);
        break;
    case SNPY_FLAT_SET:
        snpy_draft_put(back, "\x8f(", 2);
        break;
    case SNPY_FLAT_DICT:
        snpy_draft_put(back, "}(", 2);
        break;
    case SNPY_FLAT_ORDERED_DICT:
        snpy_draft_global(back, "collections", "OrderedDict");
        snpy_draft_put(back, ")R(", 3);
        break;
    case SNPY_FLAT_DEFAULTDICT:
        snpy_draft_global(back, "collections", "defaultdict");
        snpy_draft_byte(back, '(');
        if (entry->name_length > 0) put_global(walk, entry);
        snpy_draft_put(back, "tR(", 3);
        break;
    case SNPY_FLAT_CALL:
    case SNPY_FLAT_BUILD:
    case SNPY_FLAT_NEW:
        put_global(walk, entry);
        snpy_draft_byte(back, '(');
        break;
    default:
        snpy_draft_byte(back, '(');
        break;
    }
}

/* Begins a container of items, or a call. */
static void begin_items_back(snpy_walk_back *walk, const snpy_flat_entry *entry, size_t row)
{
    snpy_returning *back = &walk->back;
    const bool is_empty_tuple = entry->row.kind == SNPY_FLAT_TUPLE && entry->row.count == 0;
    const bool has_column = entry->row.items != SNPY_FLAT_ROWS;
    snpy_flat_source source = {.count = 0};
    snpy_flat_place place = {.row = row, .start = back->length};
    if (!is_empty_tuple) place = snpy_return_begin(back, row);
    if (entry->row.kind == SNPY_FLAT_OBJECT && (has_column || entry->row.count != 1)) snpy_back_refuse(walk);
    if (has_column)
        snpy_source_open(back, entry->row.items, (uint64_t)entry->row.count, false,
                         entry->row.kind <= SNPY_FLAT_OBJECTS_F, &source);
    if (back->status == SNPY_OK)
        open_container(walk, entry, has_column && snpy_flat_has_shape(entry->row.items) ? &source.values : NULL);
    for (uint64_t i = 0; i < source.count && back->status == SNPY_OK; i++)
        snpy_source_put(back, &source, i, SNPY_FLAT_NO_ROW);
    snpy_source_release(&source);
    if (has_column && entry->row.kind < SNPY_FLAT_BUILD) {
        snpy_back_close(walk, entry, &place, !is_empty_tuple);
        return;
    }
    snpy_back_frame *frame = push_frame_back(walk, entry, row);
    if (frame == NULL) return;
    frame->place = place;
    frame->has_place = !is_empty_tuple;
    if (has_column) frame->next = (uint64_t)entry->row.count;
}

/* Begins a dictionary. */
static void begin_dict_back(snpy_walk_back *walk, const snpy_flat_entry *entry, size_t row)
{
    snpy_returning *back = &walk->back;
    const bool has_keys = entry->row.keys != SNPY_FLAT_ROWS && entry->row.keys != SNPY_FLAT_MIXED;
    const uint64_t count = (uint64_t)entry->row.count;
    snpy_flat_place place = snpy_return_begin(back, row);
    if (!has_keys && entry->row.items != SNPY_FLAT_ROWS) snpy_back_refuse(walk);
    if (entry->row.keys == SNPY_FLAT_MIXED && count % 2 != 0) snpy_back_refuse(walk);
    open_container(walk, entry, NULL);
    snpy_back_frame *frame = push_frame_back(walk, entry, row);
    if (frame == NULL) return;
    frame->place = place;
    frame->has_place = true;
    if (!has_keys) return;
    frame->columns = calloc(1, sizeof *frame->columns);
    if (frame->columns == NULL) {
        (void)snpy_return_fail(back, SNPY_NO_MEMORY);
        return;
    }
    snpy_flat_push_word(&back->path, "$keys");
    snpy_source_open(back, entry->row.keys, count, false, false, &frame->columns->keys);
    snpy_flat_cut(&back->path, frame->path);
    if (entry->row.items == SNPY_FLAT_ROWS || back->status != SNPY_OK) return;
    snpy_flat_push_word(&back->path, "$values");
    snpy_source_open(back, entry->row.items, count, false, false, &frame->columns->values);
    snpy_flat_cut(&back->path, frame->path);
}

/* Writes the flag and the data of an array. */
void snpy_back_data(snpy_walk_back *walk, const snpy_array *array)
{
    static const uint8_t none = 0;
    snpy_draft_byte(&walk->back, array->header.fortran_order ? 0x88 : 0x89);
    snpy_draft_sized(&walk->back, 'B', array->data_size > 0 ? array->data : &none, (size_t)array->data_size);
}

/* Begins an array without objects: its member follows from the path. */
static void begin_array_back(snpy_walk_back *walk, const snpy_flat_entry *entry, size_t row)
{
    snpy_returning *back = &walk->back;
    snpy_array array;
    const int64_t parts = entry->row.kind == SNPY_FLAT_MASKED ? 2 : 0;
    const int64_t types = entry->row.count - parts;
    snpy_flat_place place = snpy_return_begin(back, row);
    if (types < 0 || types > 1) snpy_back_refuse(walk);
    if (snpy_return_open(back, NULL, &array)) {
        snpy_draft_array(back, entry->row.kind, array.header.shape, array.header.ndim);
        if (types == 0) {
            snpy_draft_dtype(back, &array.header.dtype);
            snpy_back_data(walk, &array);
        } else {
            snpy_flat_forget(back->flat, snpy_flat_name(&back->path)); /* its data come after the row of its type */
        }
    }
    snpy_array_release(&array);
    if (entry->row.count == 0) {
        snpy_back_close(walk, entry, &place, true);
        return;
    }
    snpy_back_frame *frame = push_frame_back(walk, entry, row);
    if (frame == NULL) return;
    frame->place = place;
    frame->has_place = true;
}

/* Writes the value of an earlier row. */
static void put_reference(snpy_walk_back *walk, const snpy_flat_entry *entry, size_t row)
{
    snpy_returning *back = &walk->back;
    uint64_t later = 0;
    uint64_t first = 0;
    if (back->next_same < back->schema.same_count) snpy_flat_read_same(&back->schema, back->next_same, &later, &first);
    if (entry->row.count == -1) {
        snpy_flat_place place = snpy_return_begin(back, row);
        if (!place.is_same) snpy_back_refuse(walk);
        if (back->status == SNPY_OK) snpy_draft_get(back, place.target->kept - 1);
        return;
    }
    if ((uint64_t)entry->row.count >= row || back->row_kept[entry->row.count] < 2 || later == back->count) {
        snpy_back_refuse(walk);
        return;
    }
    back->count++;
    snpy_draft_get(back, back->row_kept[entry->row.count] - 2);
}

/* Writes a value without children. */
static void put_single(snpy_walk_back *walk, const snpy_flat_entry *entry, size_t row)
{
    snpy_flat_source source;
    snpy_flat_place place = {.row = row, .start = walk->back.length}; /* a str is no occurrence */
    snpy_source_open(&walk->back, entry->row.kind, 1, true, false, &source);
    if (entry->row.count != 1) snpy_back_refuse(walk);
    snpy_source_put(&walk->back, &source, 0, row);
    if (entry->row.kind == SNPY_FLAT_STR || entry->row.kind == SNPY_FLAT_TEXT) snpy_return_end(&walk->back, &place);
    snpy_source_release(&source);
}

/* Writes a simple type. */
static void put_type(snpy_walk_back *walk, const snpy_flat_entry *entry)
{
    char text[16] = "";
    snpy_dtype type = {.byteorder = (int8_t)entry->name[0]};
    const bool is_short = entry->name_length >= 2 && entry->name_length <= sizeof text;
    if (is_short) memcpy(text, entry->name + 1, entry->name_length - 1);
    if (is_short && entry->row.count == 1 && snpy_flat_parse_type(text, &type))
        snpy_draft_dtype(&walk->back, &type);
    else
        snpy_back_refuse(walk);
}

/* Reads the next row, whose value is at the path, and begins it. */
void snpy_back_row(snpy_walk_back *walk)
{
    snpy_flat_entry entry;
    snpy_returning *back = &walk->back;
    const size_t row = walk->next_row;
    if (back->status != SNPY_OK) return;
    if (row < back->schema.count) {
        walk->starts[row] = back->length;
        walk->next_row++;
    }
    if (row == back->schema.count || !snpy_flat_read_row(&back->schema, row, &entry)) {
        snpy_back_refuse(walk);
        return;
    }
    const uint8_t kind = entry.row.kind;
    if (kind == SNPY_FLAT_REF)
        put_reference(walk, &entry, row);
    else if (kind == SNPY_FLAT_TYPE)
        put_type(walk, &entry);
    else if (kind == SNPY_FLAT_GLOBAL && entry.row.count == 1)
        put_global(walk, &entry);
    else if (snpy_flat_is_array(kind))
        begin_array_back(walk, &entry, row);
    else if (kind <= SNPY_FLAT_SCALAR)
        put_single(walk, &entry, row);
    else if (snpy_flat_is_dict(kind))
        begin_dict_back(walk, &entry, row);
    else if (kind != SNPY_FLAT_GLOBAL)
        begin_items_back(walk, &entry, row);
    else
        snpy_back_refuse(walk);
}
