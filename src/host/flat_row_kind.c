/* flat_row_kind.c: what the row of a value is called in the schema of a flat archive.                       NPY-PKL-034 */
#include "host/flat.h"

/* The kind of an array with objects; 0 if it has another class or type, or dimensions and flag that no array has. */
static uint8_t objects_kind(const snpy_object_data *data, int32_t value)
{
    const int32_t class = snpy_object_part(data, snpy_object_arguments(data, value), 0);
    const int32_t state = snpy_object_state(data, value);
    const int32_t arguments = snpy_object_arguments(data, snpy_object_part(data, state, 2));
    const int32_t flag = snpy_object_node(data, snpy_object_part(data, state, 3))->kind;
    const int32_t dtype_state = snpy_object_state(data, snpy_object_part(data, state, 2));
    uint8_t text[4] = {0};
    uint32_t ndim = 0;
    if (snpy_object_node(data, class)->role != SNPY_ROLE_NDARRAY || dtype_state == 0) return 0;
    if (snpy_object_text(data, snpy_object_part(data, arguments, 0), text, 3) > 2 || text[0] != 'O') return 0;
    snpy_object_members members = snpy_object_begin(data, snpy_object_part(data, state, 1));
    while (snpy_object_next(data, &members) != 0) ndim++;
    if (flag != SNPY_NODE_FALSE) return flag == SNPY_NODE_TRUE && ndim > 1 ? SNPY_FLAT_OBJECTS_F : 0;
    return ndim == 0 ? SNPY_FLAT_OBJECT : SNPY_FLAT_OBJECTS;
}

/* The kind of an array without objects, of any class; 0 for others. */
static uint8_t array_kind(snpy_flattening *work, int32_t value)
{
    const snpy_object_data *data = work->data;
    snpy_array array;
    snpy_io_error error;
    const int32_t class = snpy_object_part(data, snpy_object_arguments(data, value), 0);
    const snpy_status status = snpy_object_array(data, value, &array, &error);
    const bool is_plain = status == SNPY_OK && !array.header.has_object;
    if (status == SNPY_NO_MEMORY) (void)snpy_flat_fail(work, status);
    snpy_array_release(&array);
    if (!is_plain) return 0;
    switch (snpy_object_node(data, class)->role) {
    case SNPY_ROLE_NDARRAY:
        return SNPY_FLAT_ARRAY;
    case SNPY_ROLE_MATRIX:
        return SNPY_FLAT_MATRIX;
    case SNPY_ROLE_RECARRAY:
        return SNPY_FLAT_RECARRAY;
    default:
        return snpy_object_node(data, value)->role == SNPY_ROLE_MARECONSTRUCT ? SNPY_FLAT_MASKED : 0;
    }
}

/* The kind of the result of a call. */
static uint8_t call_row_kind(snpy_flattening *work, int32_t value)
{
    const snpy_object_data *data = work->data;
    const snpy_node *node = snpy_object_node(data, value);
    uint8_t kind = 0;
    switch (node->role) {
    case SNPY_ROLE_DTYPE:
        return snpy_flat_is_simple(data, value) ? SNPY_FLAT_TYPE : SNPY_FLAT_BUILD;
    case SNPY_ROLE_RECONSTRUCT:
    case SNPY_ROLE_MARECONSTRUCT:
        kind = node->role == SNPY_ROLE_RECONSTRUCT ? objects_kind(data, value) : 0;
        if (kind == 0) kind = array_kind(work, value);
        return kind != 0 ? kind : SNPY_FLAT_BUILD;
    case SNPY_ROLE_ORDERED_DICT:
        return SNPY_FLAT_ORDERED_DICT;
    case SNPY_ROLE_DEFAULTDICT:
        return SNPY_FLAT_DEFAULTDICT;
    case SNPY_ROLE_UUID:
        return SNPY_FLAT_NEW;
    default:
        return node->state != 0 ? SNPY_FLAT_BUILD : SNPY_FLAT_CALL;
    }
}

uint8_t snpy_flat_row_kind(snpy_flattening *work, int32_t value)
{
    switch (snpy_object_node(work->data, value)->kind) {
    case SNPY_NODE_LIST:
        return SNPY_FLAT_LIST;
    case SNPY_NODE_TUPLE:
        return SNPY_FLAT_TUPLE;
    case SNPY_NODE_SET:
        return SNPY_FLAT_SET;
    case SNPY_NODE_FROZENSET:
        return SNPY_FLAT_FROZENSET;
    case SNPY_NODE_DICT:
        return SNPY_FLAT_DICT;
    case SNPY_NODE_GLOBAL:
        return SNPY_FLAT_GLOBAL;
    default:
        return call_row_kind(work, value);
    }
}

bool snpy_flat_are_keys_short(snpy_flattening *work, int32_t value, uint64_t *count)
{
    const snpy_object_data *data = work->data;
    const snpy_flat_items keys = {value, 0, 2};
    snpy_object_members members = snpy_flat_begin(data, &keys);
    bool is_good = true;
    *count = 0;
    for (int32_t key; (key = snpy_flat_next(data, &keys, &members)) != 0; ++*count) {
        if (!is_good) continue;
        is_good = snpy_flat_kind_of(data, key) == SNPY_FLAT_STR &&
                  snpy_object_node(data, key)->size <= 4 * SNPY_FLAT_KEY &&
                  snpy_flat_points(work, SNPY_FLAT_STR, key) <= SNPY_FLAT_KEY;
    }
    return is_good && *count <= SNPY_FLAT_KEYS;
}
