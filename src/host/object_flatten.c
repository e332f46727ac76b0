/* object_flatten.c: walks decoded values, and writes them as plain arrays with a schema.      NPY-PKL-031, NPY-PKL-034
 * flat_columns.c writes values of one kind; flat_input.c decodes and proves that they come back. */
#include "host/flat.h"

#include <stdlib.h>
#include <string.h>

#define LONG_TEXT 64u          /* bytes above which a value that occurs again is a reference */
#define FACTOR ((uint64_t)256) /* bytes of columns for each of a pickle, */
#ifndef SNPY_FLAT_BUDGET       /* and these; the harness has fewer */
#define SNPY_FLAT_BUDGET 1048576u
#endif
#define MOST_BUDGET ((uint64_t)4 * 1024 * 1024 * 1024)

/* A value whose children are being written. */
struct frame {
    int32_t value;
    uint32_t row;
    snpy_object_members members;
    uint64_t next; /* the child that comes next */
    size_t path;   /* bytes */
};

/* The walk. */
struct walk {
    snpy_flattening work;
    snpy_flat_row *rows; /* owned */
    size_t row_count;
    size_t row_capacity;
    struct frame *frames; /* owned */
    size_t depth;
    size_t frame_capacity;
};

/* ---- rows and frames -------------------------------------------------------------------------------------- */

/* Enlarges a table by doubling. Returns the new one; NULL, and the old one stays, if there is no memory. */
static void *enlarge(void *table, size_t *capacity, size_t size)
{
    const size_t wanted = 2 * *capacity + 16;
    void *grown = wanted <= SIZE_MAX / size ? realloc(table, wanted * size) : NULL;
    if (grown != NULL) *capacity = wanted;
    return grown;
}

/* Adds a row. Returns its number; the status is set if that fails. */
static uint32_t add_row(struct walk *walk, uint8_t kind)
{
    if (walk->row_count == SNPY_FLAT_MOST_ROWS) (void)snpy_flat_fail(&walk->work, SNPY_PKL_NOT_FLAT);
    if (walk->row_count == walk->row_capacity && walk->work.status == SNPY_OK) {
        snpy_flat_row *grown = enlarge(walk->rows, &walk->row_capacity, sizeof *grown);
        if (grown != NULL) walk->rows = grown;
        if (grown == NULL) (void)snpy_flat_fail(&walk->work, SNPY_NO_MEMORY);
    }
    if (walk->work.status != SNPY_OK) return 0;
    walk->rows[walk->row_count] = (snpy_flat_row){.kind = kind, .count = 1};
    return (uint32_t)walk->row_count++;
}

/* Begins the children of a value. */
static void push_frame(struct walk *walk, int32_t value, uint32_t row)
{
    if (walk->depth == walk->frame_capacity) {
        struct frame *grown = enlarge(walk->frames, &walk->frame_capacity, sizeof *grown);
        if (grown != NULL) walk->frames = grown;
        if (grown == NULL) (void)snpy_flat_fail(&walk->work, SNPY_NO_MEMORY);
    }
    if (walk->work.status != SNPY_OK) return;
    walk->frames[walk->depth++] =
        (struct frame){value, row, snpy_object_begin(walk->work.data, value), 0, walk->work.path.length};
}

/* ---- containers ------------------------------------------------------------------------------------------- */

/* Counts the occurrences in a column. */
static void visit_items(struct walk *walk, uint32_t kind, const snpy_flat_items *items)
{
    snpy_object_members members = snpy_flat_begin(walk->work.data, items);
    for (int32_t value; (value = snpy_flat_next(walk->work.data, items, &members)) != 0;)
        snpy_flat_visit_leaf(&walk->work, kind, value);
}

/* Writes a column whose member has a word of its own. */
static void put_named(struct walk *walk, const char *word, uint32_t kind, const snpy_flat_items *items, uint64_t count)
{
    const size_t length = walk->work.path.length;
    const snpy_flat_shape shape = {1, {count}};
    snpy_flat_push_word(&walk->work.path, word);
    snpy_flat_column(&walk->work, kind, items, &shape);
    snpy_flat_cut(&walk->work.path, length);
}

/* Writes a shape. */
static void put_shape(struct walk *walk, const snpy_flat_shape *shape)
{
    uint8_t bytes[8 * SNPY_MAX_NDIM];
    const size_t length = walk->work.path.length;
    const snpy_flat_shape of_shape = {1, {shape->ndim}};
    for (uint32_t i = 0; i < 8 * shape->ndim; i++) bytes[i] = (uint8_t)(shape->dims[i / 8] >> (8 * (i % 8)));
    snpy_flat_push_word(&walk->work.path, "$shape");
    if (walk->work.path.status != SNPY_OK) (void)snpy_flat_fail(&walk->work, walk->work.path.status);
    if (walk->work.status == SNPY_OK)
        (void)snpy_flat_fail(&walk->work, snpy_flat_add(walk->work.flat, snpy_flat_name(&walk->work.path), "'<i8'",
                                                        &of_shape, bytes, 8 * (size_t)shape->ndim));
    snpy_flat_cut(&walk->work.path, length);
}

/* Begins a container of items, or the arguments of a call: in one column if they are of one kind. */
static void begin_items(struct walk *walk, int32_t value, uint32_t row, const snpy_flat_shape *shape)
{
    const snpy_object_data *data = walk->work.data;
    const bool is_call = walk->rows[row].kind >= SNPY_FLAT_CALL;
    const snpy_flat_items items = {is_call ? snpy_object_arguments(data, value) : value, 0, 1};
    uint64_t count = 0;
    snpy_object_members members = snpy_flat_begin(data, &items);
    while (snpy_flat_next(data, &items, &members) != 0) count++;
    const snpy_flat_shape line = {1, {count}};
    uint32_t kind = SNPY_FLAT_ROWS;
    if (walk->rows[row].kind != SNPY_FLAT_OBJECT) kind = snpy_flat_column_kind(&walk->work, &items);
    walk->rows[row].items = (uint8_t)kind;
    walk->rows[row].count = (int64_t)count;
    if (shape != NULL && shape->ndim > 1 && !snpy_flat_has_shape(kind)) {
        if (walk->rows[row].kind == SNPY_FLAT_OBJECTS) walk->rows[row].kind = SNPY_FLAT_OBJECTS_ND;
        put_shape(walk, shape);
    }
    if (kind != SNPY_FLAT_ROWS) {
        snpy_flat_column(&walk->work, kind, &items, shape != NULL ? shape : &line);
        visit_items(walk, kind, &items);
    }
    if (kind != SNPY_FLAT_ROWS && !is_call) return;
    push_frame(walk, value, row);
    if (walk->work.status != SNPY_OK) return;
    struct frame *frame = &walk->frames[walk->depth - 1];
    frame->members = snpy_flat_begin(data, &items);
    if (kind != SNPY_FLAT_ROWS) frame->next = count;
}

/* Begins a dictionary: by path, as a column of keys, or with a row for each key. */
static void begin_dict(struct walk *walk, int32_t value, uint32_t row)
{
    const snpy_flat_items keys = {value, 0, 2};
    const snpy_flat_items values = {value, 1, 2};
    uint64_t count = 0;
    uint32_t kind = SNPY_FLAT_ROWS;
    if (!snpy_flat_are_keys_short(&walk->work, value, &count)) {
        kind = snpy_flat_column_kind(&walk->work, &keys);
        if (kind <= SNPY_FLAT_NONE || kind == SNPY_FLAT_ARRAY || kind >= SNPY_FLAT_ARRAYS) kind = SNPY_FLAT_MIXED;
        if (kind == SNPY_FLAT_MIXED) count *= 2;
    }
    walk->rows[row].keys = (uint8_t)kind;
    walk->rows[row].count = (int64_t)count;
    if (kind != SNPY_FLAT_ROWS && kind != SNPY_FLAT_MIXED) {
        put_named(walk, "$keys", kind, &keys, count);
        walk->rows[row].items = (uint8_t)snpy_flat_column_kind(&walk->work, &values);
        if (walk->rows[row].items != SNPY_FLAT_ROWS) put_named(walk, "$values", walk->rows[row].items, &values, count);
    }
    push_frame(walk, value, row);
}

/* Begins an object array. */
static void begin_objects(struct walk *walk, int32_t value, uint32_t row)
{
    const snpy_object_data *data = walk->work.data;
    const int32_t dtype = snpy_flat_dtype(data, value);
    snpy_flat_shape shape = {0, {0}};
    snpy_object_members members = snpy_object_begin(data, snpy_object_part(data, snpy_object_state(data, value), 1));
    for (int32_t dim; shape.ndim < SNPY_MAX_NDIM && (dim = snpy_object_next(data, &members)) != 0; shape.ndim++)
        (void)snpy_flat_number(data, dim, &shape.dims[shape.ndim]);
    snpy_flat_visit_dtype(&walk->work, dtype);
    begin_items(walk, value, row, &shape);
}

/* Begins an array without objects. */
static void begin_array(struct walk *walk, int32_t value, uint32_t row)
{
    snpy_array array;
    snpy_io_error error;
    const snpy_object_data *data = walk->work.data;
    const bool is_simple = snpy_flat_is_simple(data, snpy_flat_dtype(data, value));
    snpy_status status = snpy_object_array(data, value, &array, &error);
    if (walk->work.path.status != SNPY_OK) status = walk->work.path.status;
    if (status == SNPY_OK) status = snpy_flat_add_array(walk->work.flat, snpy_flat_name(&walk->work.path), &array);
    snpy_array_release(&array);
    if (status != SNPY_OK) (void)snpy_flat_fail(&walk->work, status == SNPY_NO_MEMORY ? status : SNPY_PKL_NOT_FLAT);
    walk->rows[row].count = (is_simple ? 0 : 1) + (walk->rows[row].kind == SNPY_FLAT_MASKED ? 2 : 0);
    if (is_simple) snpy_flat_visit_dtype(&walk->work, snpy_flat_dtype(data, value));
    if (walk->rows[row].count > 0) push_frame(walk, value, row);
}

/* ---- values ----------------------------------------------------------------------------------------------- */

/* Whether a value that occurred already becomes a reference. */
static bool is_reference(const struct walk *walk, int32_t value, snpy_flat_kind kind)
{
    if (kind == SNPY_FLAT_STR || kind == SNPY_FLAT_TEXT)
        return walk->work.row_of[value] != 0 && snpy_object_node(walk->work.data, value)->size > LONG_TEXT;
    if (walk->work.first[value] == 0 || snpy_flat_is_simple(walk->work.data, value)) return false;
    return kind == SNPY_FLAT_ROWS || kind == SNPY_FLAT_ARRAY || kind == SNPY_FLAT_SCALAR;
}

/* Writes a value that has no children. */
static void put_leaf(struct walk *walk, int32_t value, snpy_flat_kind kind)
{
    const snpy_flat_items self = {value, 0, 0};
    const snpy_flat_shape none = {0, {0}};
    snpy_flat_visit_leaf(&walk->work, kind, value);
    snpy_flat_column(&walk->work, kind, &self, &none);
}

/* Begins what is no leaf. */
static void begin_other(struct walk *walk, int32_t value, uint32_t row)
{
    const snpy_object_data *data = walk->work.data;
    const uint8_t kind = walk->rows[row].kind;
    const bool is_empty_tuple = kind == SNPY_FLAT_TUPLE && snpy_object_node(data, value)->first == 0;
    if (kind >= SNPY_FLAT_CALL || kind == SNPY_FLAT_GLOBAL)
        walk->rows[row].role = (uint8_t)snpy_object_node(data, value)->role;
    if (kind == SNPY_FLAT_GLOBAL) return;
    if (kind == SNPY_FLAT_TYPE) {
        (void)snpy_flat_read_type(data, value, &walk->rows[row].type);
        snpy_flat_visit_dtype(&walk->work, value);
        return;
    }
    if (kind == SNPY_FLAT_DEFAULTDICT)
        walk->rows[row].role =
            (uint8_t)snpy_object_node(data, snpy_object_part(data, snpy_object_arguments(data, value), 0))->role;
    if (!is_empty_tuple) (void)snpy_flat_visit(&walk->work, value);
    if (snpy_flat_is_array(kind))
        begin_array(walk, value, row);
    else if (snpy_flat_is_dict(kind))
        begin_dict(walk, value, row);
    else if (kind >= SNPY_FLAT_OBJECT && kind <= SNPY_FLAT_OBJECTS_F)
        begin_objects(walk, value, row);
    else
        begin_items(walk, value, row, NULL);
}

/* Begins a value at the path: adds its row, and what it has besides children. */
static void begin_row(struct walk *walk, int32_t value, uint32_t key, uint32_t key_length)
{
    const snpy_flat_kind leaf = snpy_flat_kind_of(walk->work.data, value);
    const bool is_leaf = leaf != SNPY_FLAT_ROWS && leaf != SNPY_FLAT_ARRAY;
    const bool is_ref = is_reference(walk, value, leaf);
    const uint32_t row = add_row(walk, is_ref    ? SNPY_FLAT_REF
                                       : is_leaf ? (uint8_t)leaf
                                                 : snpy_flat_row_kind(&walk->work, value));
    if (walk->work.status != SNPY_OK) return;
    walk->rows[row].key = key;
    walk->rows[row].key_length = key_length;
    if (is_ref) {
        walk->rows[row].count = (int64_t)walk->work.row_of[value] - 1; /* -1: it has none, $same says which it is */
        if (walk->work.row_of[value] == 0)
            (void)snpy_flat_visit(&walk->work, value);
        else
            walk->work.count++;
        return;
    }
    const bool is_value = walk->rows[row].kind != SNPY_FLAT_GLOBAL && leaf > SNPY_FLAT_BOOL;
    const bool is_tuple =
        walk->rows[row].kind == SNPY_FLAT_TUPLE && snpy_object_node(walk->work.data, value)->first == 0;
    if ((is_value || leaf == SNPY_FLAT_ROWS) && !is_tuple && walk->rows[row].kind != SNPY_FLAT_GLOBAL &&
        walk->work.row_of[value] == 0)
        walk->work.row_of[value] = row + 1;
    if (is_leaf)
        put_leaf(walk, value, leaf);
    else
        begin_other(walk, value, row);
}

/* Begins the next value of a dictionary, and counts its key. Returns false if there is none. */
static bool step_dict(struct walk *walk, struct frame *frame)
{
    snpy_flattening *work = &walk->work;
    const snpy_flat_row row = walk->rows[frame->row];
    const int32_t key = snpy_object_next(work->data, &frame->members);
    const uint64_t index = frame->next++;
    if (key == 0) return false;
    if (row.keys == SNPY_FLAT_MIXED) {
        snpy_flat_push_index(&work->path, index);
        begin_row(walk, key, 0, 0);
        return true;
    }
    const int32_t value = snpy_object_next(work->data, &frame->members);
    snpy_flat_visit_leaf(work, row.keys == SNPY_FLAT_ROWS ? SNPY_FLAT_STR : row.keys, key);
    if (row.items != SNPY_FLAT_ROWS) {
        snpy_flat_visit_leaf(work, row.items, value);
        return true;
    }
    const uint32_t first = (uint32_t)work->point_count;
    size_t length = 0;
    if (row.keys == SNPY_FLAT_ROWS) {
        length = snpy_flat_points(work, SNPY_FLAT_STR, key);
        if (work->status != SNPY_OK) return false;
        snpy_flat_push_key(&work->path, work->points + first, length);
        work->point_count += length;
    } else {
        snpy_flat_push_index(&work->path, index);
    }
    begin_row(walk, value, first, (uint32_t)length);
    return true;
}

/* Begins the next part of an array: its type, and the mask and fill value of a masked one. */
static bool step_array(struct walk *walk, struct frame *frame)
{
    const snpy_object_data *data = walk->work.data;
    const int32_t state = snpy_object_state(data, frame->value);
    const bool is_simple = snpy_flat_is_simple(data, snpy_flat_dtype(data, frame->value));
    const uint64_t part = frame->next++ + (is_simple ? 1 : 0);
    if (frame->next > (uint64_t)walk->rows[frame->row].count) return false;
    snpy_flat_push_word(&walk->work.path, part == 0 ? "$dtype" : part == 1 ? "$mask" : "$fill");
    begin_row(walk, part == 0 ? snpy_flat_dtype(data, frame->value) : snpy_object_part(data, state, part == 1 ? 5 : 6),
              0, 0);
    return true;
}

/* Begins the next item, or the state after the arguments of a call. */
static bool step_items(struct walk *walk, struct frame *frame)
{
    snpy_flattening *work = &walk->work;
    const snpy_flat_row row = walk->rows[frame->row];
    const uint64_t index = frame->next++;
    if (index < (uint64_t)row.count) {
        const int32_t item = snpy_object_next(work->data, &frame->members);
        if (row.kind != SNPY_FLAT_OBJECT) snpy_flat_push_index(&work->path, index);
        begin_row(walk, item, 0, 0);
        return true;
    }
    if (row.kind < SNPY_FLAT_BUILD || index > (uint64_t)row.count) return false;
    snpy_flat_push_word(&work->path, "$state");
    begin_row(walk, snpy_object_state(work->data, frame->value), 0, 0);
    return true;
}

/* Begins the next child of the innermost value, or ends it. */
static void step_frame(struct walk *walk)
{
    struct frame *frame = &walk->frames[walk->depth - 1];
    const size_t depth = walk->depth;
    const uint8_t kind = walk->rows[frame->row].kind;
    bool has_more;
    snpy_flat_cut(&walk->work.path, frame->path);
    if (snpy_flat_is_dict(kind))
        has_more = step_dict(walk, frame);
    else if (snpy_flat_is_array(kind))
        has_more = step_array(walk, frame);
    else
        has_more = step_items(walk, frame);
    if (!has_more && walk->work.status == SNPY_OK) walk->depth = depth - 1;
}

/* ---- the whole -------------------------------------------------------------------------------------------- */

/* Returns how many bytes columns may take: a pickle that repeats a text costs them more than itself, but bytes and ints, which it has
 * as often as they occur, cost them no more.                                                          NPY-PKL-033 */
static uint64_t count_budget(const snpy_object_data *data)
{
    uint64_t copied = 0;
    for (size_t i = 0; i < data->table.count; i++) {
        const snpy_node *node = &data->table.nodes[i];
        if (node->kind == SNPY_NODE_BYTES || node->kind == SNPY_NODE_BYTEARRAY || node->kind == SNPY_NODE_INT)
            copied += node->size;
    }
    const uint64_t budget = FACTOR * (data->length - copied) + copied + SNPY_FLAT_BUDGET;
    return budget < MOST_BUDGET ? budget : MOST_BUDGET;
}

/* Allocates the tables by value. */
static snpy_status allocate_tables(struct walk *walk)
{
    const size_t count = snpy_object_count(walk->work.data);
    walk->work.budget = count_budget(walk->work.data);
    walk->work.flat->most_names = walk->work.budget;
    walk->work.first = calloc(count, sizeof *walk->work.first);
    walk->work.row_of = calloc(count, sizeof *walk->work.row_of);
    return walk->work.first != NULL && walk->work.row_of != NULL ? SNPY_OK : SNPY_NO_MEMORY;
}

/* Sets the key of the first row. */
static void set_version(struct walk *walk, const char *version)
{
    const size_t length = strlen(version);
    for (size_t i = 0; i < length; i++)
        snpy_flat_add_point(&walk->work, walk->work.point_count + i, (uint8_t)version[i]);
    if (walk->work.status != SNPY_OK || walk->row_count == 0) return;
    walk->rows[0].key = (uint32_t)walk->work.point_count;
    walk->rows[0].key_length = (uint32_t)length;
    walk->work.point_count += length;
}

snpy_status snpy_flatten_data(const snpy_object_data *data, const char *version, snpy_flat *flat)
{
    struct walk walk = {.work = {.data = data, .flat = flat}};
    walk.work.status = allocate_tables(&walk);
    if (walk.work.status == SNPY_OK) begin_row(&walk, snpy_object_root(data), 0, 0);
    while (walk.depth > 0 && walk.work.status == SNPY_OK) step_frame(&walk);
    if (walk.work.status == SNPY_OK) set_version(&walk, version);
    if (walk.work.status == SNPY_OK) snpy_flat_put_schema(&walk.work, walk.rows, walk.row_count);
    free(walk.work.first);
    free(walk.work.row_of);
    free(walk.work.same);
    free(walk.work.points);
    free(walk.work.path.text);
    free(walk.rows);
    free(walk.frames);
    return walk.work.status;
}
