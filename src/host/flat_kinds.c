/* flat_kinds.c: which values can be kept in one plain array.                                                NPY-PKL-033
 * flat_columns.c writes them. */
#include "host/flat.h"

#include <stdio.h>
#include <string.h>

bool snpy_flat_has_shape(uint32_t items)
{
    const uint32_t kind = items & ~SNPY_FLAT_OPTIONAL;
    return kind > SNPY_FLAT_NONE && kind <= SNPY_FLAT_SCALAR && kind != SNPY_FLAT_TEXT && kind != SNPY_FLAT_BYTES &&
           kind != SNPY_FLAT_ARRAY;
}

/* ---- items ------------------------------------------------------------------------------------------------ */

snpy_object_members snpy_flat_begin(const snpy_object_data *data, const snpy_flat_items *items)
{
    snpy_object_members members = snpy_object_begin(data, items->value);
    if (items->step == 0) members.next_ = items->value;
    for (uint32_t i = 0; i < items->skip; i++) (void)snpy_object_next(data, &members);
    return members;
}

int32_t snpy_flat_next(const snpy_object_data *data, const snpy_flat_items *items, snpy_object_members *members)
{
    if (items->step == 0) {
        const int32_t value = members->next_;
        members->next_ = 0;
        return value;
    }
    const int32_t value = snpy_object_next(data, members);
    for (uint32_t i = 1; i < items->step && value != 0; i++) (void)snpy_object_next(data, members);
    return value;
}

/* ---- arrays ----------------------------------------------------------------------------------------------- */

int32_t snpy_flat_dtype(const snpy_object_data *data, int32_t value)
{
    const bool is_scalar = snpy_object_node(data, value)->role == SNPY_ROLE_SCALAR;
    if (is_scalar) return snpy_object_part(data, snpy_object_arguments(data, value), 0);
    return snpy_object_part(data, snpy_object_state(data, value), 2);
}

int32_t snpy_flat_bytes(const snpy_object_data *data, int32_t value)
{
    const bool is_scalar = snpy_object_node(data, value)->role == SNPY_ROLE_SCALAR;
    if (is_scalar) return snpy_object_part(data, snpy_object_arguments(data, value), 1);
    return snpy_object_part(data, snpy_object_state(data, value), 4);
}

/* Copies a short text, with a NUL. Returns false for other values. */
static bool copy_word(const snpy_object_data *data, int32_t value, char *out, size_t capacity)
{
    const bool is_str = snpy_object_node(data, value)->kind == SNPY_NODE_STR;
    const uint64_t length = is_str ? snpy_object_text(data, value, (uint8_t *)out, capacity - 1) : UINT64_MAX;
    out[length < capacity ? length : 0] = '\0';
    return length < capacity && strlen(out) == length;
}

bool snpy_flat_read_type(const snpy_object_data *data, int32_t dtype, snpy_dtype *type)
{
    static const snpy_dtype object = {.kind = SNPY_KIND_OBJECT, .byteorder = '|', .itemsize = 8};
    char text[16];
    char order[2];
    if (!copy_word(data, snpy_object_part(data, snpy_object_arguments(data, dtype), 0), text, sizeof text))
        return false;
    if (!copy_word(data, snpy_object_part(data, snpy_object_state(data, dtype), 1), order, sizeof order)) return false;
    *type = object;
    if (strcmp(text, "O8") == 0 && order[0] == '|') return true;
    type->byteorder = (int8_t)order[0];
    return snpy_flat_parse_type(text, type);
}

/* Whether a part of a tuple is this number. */
static bool is_number(const snpy_object_data *data, int32_t tuple, uint32_t place, int64_t number)
{
    int64_t found = 0;
    const int32_t part = snpy_object_part(data, tuple, place);
    return part != 0 && snpy_object_int(data, part, &found) == SNPY_OK && found == number;
}

bool snpy_flat_is_simple(const snpy_object_data *data, int32_t dtype)
{
    char text[16];
    snpy_dtype type;
    int64_t size;
    int64_t alignment;
    int64_t flags;
    const int32_t arguments = snpy_object_arguments(data, dtype);
    const int32_t state = snpy_object_state(data, dtype);
    if (snpy_object_node(data, dtype)->role != SNPY_ROLE_DTYPE || state == 0 ||
        !snpy_flat_read_type(data, dtype, &type))
        return false;
    if (type.kind == SNPY_KIND_OBJECT) return false;
    (void)snpy_flat_type(&type, text, &size, &alignment, &flags);
    if (snpy_object_node(data, snpy_object_part(data, arguments, 1))->kind != SNPY_NODE_FALSE) return false;
    if (snpy_object_node(data, snpy_object_part(data, arguments, 2))->kind != SNPY_NODE_TRUE) return false;
    for (uint32_t i = 2; i < 5; i++)
        if (snpy_object_node(data, snpy_object_part(data, state, i))->kind != SNPY_NODE_NONE) return false;
    return is_number(data, state, 0, 3) && is_number(data, state, 5, size) && is_number(data, state, 6, alignment) &&
           is_number(data, state, 7, flags) && snpy_object_part(data, state, 8) == 0;
}

/* ---- single values ---------------------------------------------------------------------------------------- */

/* The kind of an int. */
static snpy_flat_kind int_kind(const snpy_object_data *data, int32_t value)
{
    uint64_t number;
    if (snpy_flat_number(data, value, &number)) return SNPY_FLAT_INT;
    return data->pickle[snpy_object_node(data, value)->at] == 'L' ? SNPY_FLAT_BIG_TEXT : SNPY_FLAT_BIG;
}

bool snpy_flat_number(const snpy_object_data *data, int32_t value, uint64_t *number)
{
    int64_t small = 0;
    const snpy_node *node = snpy_object_node(data, value);
    const uint8_t *bytes = data->pickle + node->start;
    if (snpy_object_int(data, value, &small) == SNPY_OK) {
        *number = (uint64_t)small;
        return true;
    }
    *number = 0;
    if (data->pickle[node->at] == 'L' || data->pickle[node->at] == 'I' || node->size != 9 || bytes[8] != 0)
        return false;
    for (size_t i = 8; i > 0; i--) *number = (*number << 8) + bytes[i - 1];
    return true;
}

bool snpy_flat_is_negative(const snpy_object_data *data, int32_t value)
{
    int64_t small = 0;
    return snpy_object_int(data, value, &small) == SNPY_OK && small < 0;
}

/* Whether a value is a float of eight bytes in the pickle. */
static bool is_binary_float(const snpy_object_data *data, int32_t value)
{
    const snpy_node *node = snpy_object_node(data, value);
    return node->kind == SNPY_NODE_FLOAT && data->pickle[node->at] != 'F';
}

/* Whether a str ends in NUL, which an array of strings drops. */
static bool ends_in_nul(const snpy_object_data *data, int32_t value)
{
    uint32_t last = 1;
    const snpy_node *node = snpy_object_node(data, value);
    struct snpy_leaf leaf = snpy_leaf_open(data->pickle, data->length, node);
    if (node->size == 0 || data->pickle[node->start + node->size - 1] != 0) return false;
    for (; leaf.point != SNPY_LEAF_END; snpy_leaf_step(data->pickle, &leaf)) last = leaf.point;
    return last == 0;
}

/* The kind of the result of a call. */
static snpy_flat_kind call_kind(const snpy_object_data *data, int32_t value)
{
    const int32_t arguments = snpy_object_arguments(data, value);
    const int32_t first = snpy_object_part(data, arguments, 0);
    snpy_flat_kind kind = SNPY_FLAT_ROWS;
    int64_t unused;
    switch (snpy_object_node(data, value)->role) {
    case SNPY_ROLE_COMPLEX:
        return is_binary_float(data, first) && is_binary_float(data, snpy_object_part(data, arguments, 1))
                   ? SNPY_FLAT_COMPLEX
                   : SNPY_FLAT_ROWS;
    case SNPY_ROLE_SCALAR:
        return snpy_flat_is_simple(data, first) ? SNPY_FLAT_SCALAR : SNPY_FLAT_ROWS;
    case SNPY_ROLE_RECONSTRUCT:
        return snpy_object_node(data, first)->role == SNPY_ROLE_NDARRAY &&
                       snpy_flat_is_simple(data, snpy_flat_dtype(data, value))
                   ? SNPY_FLAT_ARRAY
                   : SNPY_FLAT_ROWS;
    default:
        return snpy_flat_moment(data, value, &kind, &unused) ? kind : SNPY_FLAT_ROWS;
    }
}

snpy_flat_kind snpy_flat_kind_of(const snpy_object_data *data, int32_t value)
{
    switch (snpy_object_node(data, value)->kind) {
    case SNPY_NODE_NONE:
        return SNPY_FLAT_NONE;
    case SNPY_NODE_FALSE:
    case SNPY_NODE_TRUE:
        return SNPY_FLAT_BOOL;
    case SNPY_NODE_INT:
        return int_kind(data, value);
    case SNPY_NODE_FLOAT:
        return is_binary_float(data, value) ? SNPY_FLAT_FLOAT : SNPY_FLAT_FLOAT_TEXT;
    case SNPY_NODE_STR:
        return ends_in_nul(data, value) ? SNPY_FLAT_TEXT : SNPY_FLAT_STR;
    case SNPY_NODE_BYTES:
        return SNPY_FLAT_BYTES;
    case SNPY_NODE_CALL:
        return call_kind(data, value);
    default:
        return SNPY_FLAT_ROWS;
    }
}

/* ---- columns ---------------------------------------------------------------------------------------------- */

/* What is known of the items so far. */
struct items_so_far {
    snpy_flat_kind kind; /* of those that are not None; SNPY_FLAT_NONE if there are none so far */
    uint64_t count;
    uint64_t nones;
    uint64_t bytes; /* of all texts and data */
    uint64_t width; /* code points of the longest text */
    bool has_negative;
    bool has_large; /* an int above 2^63 - 1 */
    snpy_dtype type;
    uint32_t ndim;
};

/* Returns the number of dimensions of an array; 0 for one in Fortran order, too. */
static uint32_t count_dimensions(const snpy_object_data *data, int32_t value)
{
    uint32_t ndim = 0;
    const int32_t state = snpy_object_state(data, value);
    snpy_object_members members = snpy_object_begin(data, snpy_object_part(data, state, 1));
    if (snpy_object_node(data, snpy_object_part(data, state, 3))->kind != SNPY_NODE_FALSE) return 0;
    while (snpy_object_next(data, &members) != 0) ndim++;
    return ndim;
}

/* The kind that has values of both kinds. */
static snpy_flat_kind join_kinds(snpy_flat_kind one, snpy_flat_kind other)
{
    if (one == other) return one;
    const snpy_flat_kind low = one < other ? one : other;
    const snpy_flat_kind high = one < other ? other : one;
    if (low == SNPY_FLAT_INT && high == SNPY_FLAT_BIG) return SNPY_FLAT_BIG;
    return low == SNPY_FLAT_STR && high == SNPY_FLAT_TEXT ? SNPY_FLAT_TEXT : SNPY_FLAT_ROWS;
}

/* Adds the numbers of one item. */
static void add_item(snpy_flattening *work, struct items_so_far *all, int32_t value, snpy_flat_kind kind)
{
    const snpy_object_data *data = work->data;
    uint64_t number = 0;
    uint64_t bytes = 0;
    uint64_t width = 0;
    if (kind == SNPY_FLAT_INT && snpy_flat_number(data, value, &number) && number > INT64_MAX) {
        all->has_negative |= snpy_flat_is_negative(data, value);
        all->has_large |= !snpy_flat_is_negative(data, value);
    }
    if (kind == SNPY_FLAT_STR || (kind >= SNPY_FLAT_BIG && kind <= SNPY_FLAT_FLOAT_TEXT && kind != SNPY_FLAT_FLOAT))
        width = snpy_flat_points(work, kind, value);
    if (kind == SNPY_FLAT_STR || kind == SNPY_FLAT_TEXT || kind == SNPY_FLAT_BYTES)
        bytes = snpy_object_text(data, value, NULL, 0);
    else if (kind == SNPY_FLAT_ARRAY || kind == SNPY_FLAT_SCALAR)
        bytes = snpy_object_text(data, snpy_flat_bytes(data, value), NULL, 0);
    else
        bytes = width;
    all->bytes += bytes;
    if (width > all->width) all->width = width;
}

/* Whether arrays or scalars have one type. The first decides. */
static bool is_alike(const snpy_object_data *data, struct items_so_far *all, int32_t value, snpy_flat_kind kind)
{
    snpy_dtype type;
    uint32_t ndim = 0;
    if (kind != SNPY_FLAT_ARRAY && kind != SNPY_FLAT_SCALAR) return true;
    if (snpy_object_is_shared(data, value)) return false; /* so that its data are there once */
    if (!snpy_flat_read_type(data, snpy_flat_dtype(data, value), &type)) return false;
    if (kind == SNPY_FLAT_ARRAY) ndim = count_dimensions(data, value);
    if (all->kind == SNPY_FLAT_NONE) {
        all->type = type;
        all->ndim = ndim;
    }
    return (ndim > 0 || kind == SNPY_FLAT_SCALAR) && ndim == all->ndim && type.kind == all->type.kind &&
           type.itemsize == all->type.itemsize && type.byteorder == all->type.byteorder && type.itemsize > 0;
}

/* Decides about all items: returns the kind, and sets the bytes that the column takes. */
static uint32_t decide(const struct items_so_far *all, uint64_t *bytes)
{
    const uint64_t offsets = 8 * (all->count + 1) * (1 + (uint64_t)all->ndim);
    snpy_flat_kind kind = all->kind;
    if (kind == SNPY_FLAT_INT && all->has_negative && all->has_large) kind = SNPY_FLAT_BIG;
    if (kind == SNPY_FLAT_STR && all->width > (all->bytes + offsets) / all->count) kind = SNPY_FLAT_TEXT;
    if (kind == SNPY_FLAT_ARRAY && all->count < 2) kind = SNPY_FLAT_ROWS;
    const bool is_wide = all->width > 0 && kind != SNPY_FLAT_TEXT;
    *bytes = all->nones + (is_wide ? 4 * all->width * all->count : all->bytes + 2 * offsets);
    if (kind == SNPY_FLAT_ARRAY && all->nones == 0) return all->ndim > 1 ? SNPY_FLAT_ARRAYS : SNPY_FLAT_ARRAY;
    if (all->nones == 0 || kind == SNPY_FLAT_NONE) return kind;
    return kind <= SNPY_FLAT_BYTES ? (uint32_t)kind | SNPY_FLAT_OPTIONAL : SNPY_FLAT_ROWS;
}

uint32_t snpy_flat_column_kind(snpy_flattening *work, const snpy_flat_items *items)
{
    struct items_so_far all = {.kind = SNPY_FLAT_NONE};
    uint64_t bytes = 0;
    snpy_object_members members = snpy_flat_begin(work->data, items);
    for (int32_t value; (value = snpy_flat_next(work->data, items, &members)) != 0; all.count++) {
        const snpy_flat_kind kind = snpy_flat_kind_of(work->data, value);
        if (kind == SNPY_FLAT_NONE) {
            all.nones++;
            continue;
        }
        if (!is_alike(work->data, &all, value, kind)) return SNPY_FLAT_ROWS;
        all.kind = all.kind == SNPY_FLAT_NONE ? kind : join_kinds(all.kind, kind);
        if (all.kind == SNPY_FLAT_ROWS) return SNPY_FLAT_ROWS;
        add_item(work, &all, value, kind);
        if (all.bytes > work->budget || all.width > UINT32_MAX) return SNPY_FLAT_ROWS;
    }
    if (all.count == 0) return SNPY_FLAT_ROWS;
    const uint32_t kind = decide(&all, &bytes);
    if (bytes > work->budget) return SNPY_FLAT_ROWS;
    if (kind == SNPY_FLAT_NONE) work->nones += all.count;
    if (work->nones > SNPY_FLAT_MOST_ROWS) return SNPY_FLAT_ROWS;
    work->budget -= kind == SNPY_FLAT_ROWS ? 0 : bytes;
    return kind;
}
