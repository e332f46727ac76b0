/* object_array.c: makes arrays of NumPy arrays and scalars in object data.       NPY-PKL-019, NPY-PKL-020, HOST-MEMORY
 * Writes the type as the descr of a header, which the core then parses: so no type is let through that a header may not
 * have. object_open.c decodes. */
#include "host/object_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX 12u                 /* bytes before the text of a header of version 3.0 */
#define MAX_TEXT ((size_t)1 << 24) /* of a header that is written here; types that occur twice are written twice */
#define MAX_LEVELS 64u
#define MAX_LOOKS ((uint64_t)10000000) /* at names of fields, when they are looked up */

/* A record whose fields are being written. */
struct level {
    snpy_object_members names;
    int32_t fields; /* the dictionary of its fields */
    snpy_object_members search;
    int64_t end; /* bytes that are described */
    int64_t itemsize;
    int32_t shape; /* of the field that has it as its type; 0: none */
};

/* A header that is being written. */
struct writer {
    const snpy_object_data *data;
    char *text; /* owned */
    size_t length;
    size_t capacity;
    snpy_status status;
    uint64_t looks;
    uint32_t depth;
    struct level levels[MAX_LEVELS];
};

static bool fail(struct writer *out, snpy_status status)
{
    if (out->status == SNPY_OK) out->status = status;
    return false;
}

static void put_bytes(struct writer *out, const char *bytes, size_t size)
{
    if (out->status != SNPY_OK) return;
    if (size > MAX_TEXT - out->length) {
        (void)fail(out, SNPY_PKL_DTYPE);
        return;
    }
    if (out->length + size > out->capacity) {
        const size_t wanted = 2 * (out->length + size) + 256;
        char *grown = realloc(out->text, wanted);
        if (grown == NULL) {
            (void)fail(out, SNPY_NO_MEMORY);
            return;
        }
        out->text = grown;
        out->capacity = wanted;
    }
    memcpy(out->text + out->length, bytes, size);
    out->length += size;
}

static void put(struct writer *out, const char *text)
{
    put_bytes(out, text, strlen(text));
}

static void put_number(struct writer *out, int64_t number)
{
    char text[24];
    put_bytes(out, text, (size_t)snprintf(text, sizeof text, "%" PRId64, number));
}

/* Writes a string in quotes, as Python reads it: all but plain ASCII is escaped. */
static void put_quoted(struct writer *out, int32_t value)
{
    const snpy_object_data *data = out->data;
    struct snpy_leaf leaf = snpy_leaf_of(data->pickle, data->length, &data->table, value);
    put(out, "'");
    for (; leaf.point != SNPY_LEAF_END && out->status == SNPY_OK; snpy_leaf_step(data->pickle, &leaf)) {
        char text[12];
        const uint32_t point = leaf.point;
        const bool is_plain = point >= 0x20 && point < 0x7f && point != '\'' && point != '\\';
        const char *form = is_plain ? "%c" : point <= 0xff ? "\\x%02x" : point <= 0xffff ? "\\u%04x" : "\\U%08x";
        put_bytes(out, text, (size_t)snprintf(text, sizeof text, form, point));
    }
    put(out, "'");
}

/* Copies a short text of ASCII, such as a type string or an order, with a NUL. Returns false if the value is none. */
static bool take_word(const snpy_object_data *data, int32_t value, char *out, size_t room)
{
    const uint64_t length = snpy_object_text(data, value, (uint8_t *)out, room - 1);
    if (length >= room) return false;
    out[length] = '\0';
    return length > 0 && strlen(out) == length && strchr(out, '\'') == NULL && strchr(out, '\\') == NULL;
}

/* Writes a shape as a tuple: "(2, 3)", "(2,)", "()". */
static void put_shape(struct writer *out, int32_t shape)
{
    snpy_object_members members = snpy_object_begin(out->data, shape);
    const char *separator = "";
    uint32_t count = 0;
    put(out, "(");
    for (int32_t dim; out->status == SNPY_OK && (dim = snpy_object_next(out->data, &members)) != 0; count++) {
        int64_t length = -1;
        if (snpy_object_int(out->data, dim, &length) != SNPY_OK || length < 0 || count == SNPY_MAX_NDIM)
            (void)fail(out, SNPY_PKL_ARRAY);
        put(out, separator);
        put_number(out, length);
        separator = ", ";
    }
    put(out, count == 1 ? ",)" : ")");
}

/* Writes the type string of a datetime or timedelta with its unit, which its state has. */
static bool put_moment(struct writer *out, const char *order, const char *type, int32_t state)
{
    char unit[8];
    int64_t multiple = 0;
    const int32_t metadata = snpy_object_part(out->data, state, 8);
    const int32_t unit_parts = snpy_object_part(out->data, metadata, 1);
    if (metadata == 0 || unit_parts == 0 || strcmp(type + 1, "8") != 0) return fail(out, SNPY_PKL_DTYPE);
    if (!take_word(out->data, snpy_object_part(out->data, unit_parts, 0), unit, sizeof unit) ||
        snpy_object_int(out->data, snpy_object_part(out->data, unit_parts, 1), &multiple) != SNPY_OK)
        return fail(out, SNPY_PKL_DTYPE);
    put(out, "'");
    put(out, order);
    put(out, type);
    if (strcmp(unit, "generic") != 0) {
        put(out, "[");
        if (multiple != 1) put_number(out, multiple);
        put(out, unit);
        put(out, "]");
    }
    put(out, "'");
    return true;
}

/* Writes the type string of a dtype without fields. */
static bool put_simple(struct writer *out, int32_t dtype, int32_t state)
{
    char type[16];
    char order[2];
    const int32_t arguments = snpy_object_arguments(out->data, dtype);
    if (!take_word(out->data, snpy_object_part(out->data, arguments, 0), type, sizeof type) ||
        !take_word(out->data, snpy_object_part(out->data, state, 1), order, sizeof order))
        return fail(out, SNPY_PKL_DTYPE);
    if (type[0] == 'M' || type[0] == 'm') return put_moment(out, order, type, state);
    put(out, "'");
    put(out, order);
    put(out, type[0] == 'O' ? "O" : type);
    put(out, "'");
    return true;
}

/* Begins a record: its fields follow. */
static bool open_record(struct writer *out, int32_t state, int32_t shape)
{
    struct level *level = &out->levels[out->depth];
    const int32_t names = snpy_object_part(out->data, state, 3);
    if (out->depth == MAX_LEVELS) return fail(out, SNPY_PKL_DTYPE);
    level->names = snpy_object_begin(out->data, names);
    level->fields = snpy_object_part(out->data, state, 4);
    level->search = snpy_object_begin(out->data, level->fields);
    level->end = 0;
    level->shape = shape;
    if (snpy_object_int(out->data, snpy_object_part(out->data, state, 5), &level->itemsize) != SNPY_OK)
        return fail(out, SNPY_PKL_DTYPE);
    if (snpy_object_node(out->data, level->fields)->kind != SNPY_NODE_DICT) return fail(out, SNPY_PKL_DTYPE);
    out->depth++;
    put(out, "[");
    return true;
}

/* Writes a type, or begins it if it is a record. `shape` comes after the type of a field; 0: none. */
static bool put_type(struct writer *out, int32_t dtype, int32_t shape)
{
    const snpy_node *node = snpy_object_node(out->data, dtype);
    const int32_t state = snpy_object_state(out->data, dtype);
    if (node->kind != SNPY_NODE_CALL || node->role != SNPY_ROLE_DTYPE || state == 0) return fail(out, SNPY_PKL_DTYPE);
    if (snpy_object_node(out->data, snpy_object_part(out->data, state, 3))->kind != SNPY_NODE_NONE)
        return open_record(out, state, shape);
    if (!put_simple(out, dtype, state)) return false;
    if (shape != 0) {
        put(out, ", ");
        put_shape(out, shape);
    }
    return true;
}

/* Writes padding up to a byte of a record. */
static bool put_padding(struct writer *out, struct level *level, int64_t offset)
{
    if (offset < level->end) return fail(out, SNPY_PKL_DTYPE);
    if (offset > level->end) {
        put(out, "('', '|V");
        put_number(out, offset - level->end);
        put(out, "'), ");
    }
    level->end = offset;
    return true;
}

/* The bytes of a value of a dtype: that of its state, or that of its type string. */
static int64_t size_of(const snpy_object_data *data, int32_t dtype, int32_t state)
{
    char type[16];
    int64_t size = -1;
    if (snpy_object_int(data, snpy_object_part(data, state, 5), &size) == SNPY_OK && size >= 0) return size;
    if (!take_word(data, snpy_object_part(data, snpy_object_arguments(data, dtype), 0), type, sizeof type)) return -1;
    return strtoll(type + 1, NULL, 10);
}

/* Finds what the dictionary of fields has under a name: the same value as the name, or an equal text. Looks on from the field
 * before, because dictionaries have the order of the names. */
static int32_t find_field(struct writer *out, struct level *level, int32_t name)
{
    uint8_t wanted[256];
    uint8_t got[256];
    const uint64_t length = snpy_object_text(out->data, name, wanted, sizeof wanted);
    for (int turn = 0; turn < 2; turn++) {
        for (int32_t key; (key = snpy_object_next(out->data, &level->search)) != 0 && out->looks > 0; out->looks--) {
            const int32_t field = snpy_object_next(out->data, &level->search);
            if (key == name) return field;
            if (length > sizeof wanted || snpy_object_text(out->data, key, got, sizeof got) != length) continue;
            if (memcmp(wanted, got, (size_t)length) == 0) return field;
        }
        level->search = snpy_object_begin(out->data, level->fields);
    }
    return 0;
}

/* Writes the next field of the innermost record, or ends the record. */
static bool put_field(struct writer *out)
{
    const snpy_object_data *data = out->data;
    struct level *level = &out->levels[out->depth - 1];
    int64_t offset = -1;
    const int32_t name = snpy_object_next(data, &level->names);
    if (name == 0) {
        if (!put_padding(out, level, level->itemsize)) return false;
        out->depth--;
        put(out, "]");
        if (level->shape != 0) {
            put(out, ", ");
            put_shape(out, level->shape);
        }
        if (out->depth > 0) put(out, "), ");
        return true;
    }
    const int32_t field = find_field(out, level, name);
    const int32_t title = snpy_object_part(data, field, 2);
    int32_t dtype = snpy_object_part(data, field, 0);
    int32_t shape = 0;
    if (field == 0 || snpy_object_int(data, snpy_object_part(data, field, 1), &offset) != SNPY_OK)
        return fail(out, SNPY_PKL_DTYPE);
    int32_t state = snpy_object_state(data, dtype);
    const int64_t size = size_of(data, dtype, state);
    if (size < 0 || offset > INT32_MAX || size > INT32_MAX || !put_padding(out, level, offset))
        return fail(out, SNPY_PKL_DTYPE);
    level->end += size;
    const int32_t subarray = snpy_object_part(data, state, 2);
    if (snpy_object_node(data, subarray)->kind == SNPY_NODE_TUPLE) {
        dtype = snpy_object_part(data, subarray, 0);
        shape = snpy_object_part(data, subarray, 1);
    }
    put(out, "(");
    if (title != 0) {
        put(out, "(");
        put_quoted(out, title);
        put(out, ", ");
    }
    put_quoted(out, name);
    put(out, title != 0 ? "), " : ", ");
    const uint32_t depth = out->depth;
    if (!put_type(out, dtype, shape)) return false;
    if (out->depth == depth) put(out, "), ");
    return true;
}

/* Writes the descr of a dtype. */
static snpy_status write_descr(struct writer *out, int32_t dtype)
{
    (void)put_type(out, dtype, 0);
    while (out->depth > 0 && out->status == SNPY_OK) (void)put_field(out);
    return out->status;
}

/* Writes a header: the type, the order and the shape. */
static snpy_status write_header(struct writer *out, int32_t dtype, bool fortran_order, int32_t shape)
{
    const char prefix[PREFIX] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 3, 0, 0, 0, 0, 0};
    put_bytes(out, prefix, sizeof prefix);
    put(out, "{'descr': ");
    if (snpy_object_node(out->data, dtype)->role == SNPY_ROLE_STRINGDTYPE)
        put(out, "'|O'");
    else
        (void)write_descr(out, dtype);
    put(out, fortran_order ? ", 'fortran_order': True, 'shape': " : ", 'fortran_order': False, 'shape': ");
    if (shape == 0)
        put(out, "()");
    else
        put_shape(out, shape);
    put(out, "}\n");
    if (out->status != SNPY_OK) return out->status;
    const uint64_t length = out->length - PREFIX;
    for (size_t i = 0; i < 4; i++) out->text[8 + i] = (char)(uint8_t)(length >> (8 * i));
    return SNPY_OK;
}

/* Parses the header that was written, of which the array becomes the owner. */
static snpy_status parse_header(struct writer *out, snpy_array *array, snpy_io_error *error)
{
    snpy_options limits = SNPY_OPTIONS_INIT;
    limits.max_header_bytes = SNPY_MAX_HEADER;
    limits.max_fields = SNPY_MAX_FIELDS;
    limits.compat.platform_float = true;
    snpy_array_own_header(array, (uint8_t *)out->text, out->length);
    out->text = NULL;
    const snpy_status status = snpy_parse_head(&limits, array, error);
    return status == SNPY_OK || status == SNPY_NO_MEMORY ? status : SNPY_PKL_DTYPE;
}

/* Copies the bytes of a value into an array, of which they must be all. */
static snpy_status copy_data(const snpy_object_data *data, int32_t bytes, snpy_array *array, snpy_io_error *error)
{
    const uint64_t size = array->header.data_size;
    const uint64_t length = snpy_object_text(data, bytes, NULL, 0);
    if (length != size || snpy_object_node(data, bytes)->kind == SNPY_NODE_STR) return SNPY_PKL_ARRAY;
    if (size == 0) return SNPY_OK;
    const snpy_status status = snpy_array_reserve(array, size, error);
    if (status != SNPY_OK) return status;
    (void)snpy_object_text(data, bytes, array->data, size);
    array->data_size = size;
    array->is_writable = true;
    return SNPY_OK;
}

/* Whether a list has as many members as an array elements. */
static snpy_status check_elements(const snpy_object_data *data, int32_t value, const snpy_array *array)
{
    snpy_object_members members = snpy_object_begin(data, value);
    uint64_t count = 0;
    while (snpy_object_next(data, &members) != 0) count++;
    return count == array->header.count ? SNPY_OK : SNPY_PKL_ARRAY;
}

/* Where the parts of an array are. */
struct parts {
    int32_t shape; /* 0: a scalar */
    int32_t dtype;
    int32_t bytes;
    bool fortran_order;
};

/* Finds the parts of an array or scalar. Returns false for other values. */
static bool find_parts(const snpy_object_data *data, int32_t value, struct parts *parts)
{
    const snpy_node *node = snpy_object_node(data, value);
    const int32_t arguments = snpy_object_arguments(data, value);
    const int32_t state = snpy_object_state(data, value);
    if (node->kind != SNPY_NODE_CALL) return false;
    if (node->role == SNPY_ROLE_SCALAR) {
        *parts = (struct parts){0, snpy_object_part(data, arguments, 0), snpy_object_part(data, arguments, 1), false};
        return true;
    }
    if (node->role == SNPY_ROLE_FROMBUFFER) {
        char order[2];
        *parts = (struct parts){snpy_object_part(data, arguments, 2), snpy_object_part(data, arguments, 1),
                                snpy_object_part(data, arguments, 0), false};
        parts->fortran_order = take_word(data, snpy_object_part(data, arguments, 3), order, 2) && order[0] == 'F';
        return true;
    }
    if (node->role == SNPY_ROLE_DTYPE) {
        *parts = (struct parts){0, value, 0, false};
        return snpy_object_node(data, snpy_object_part(data, state, 2))->kind == SNPY_NODE_NONE; /* no sub-array */
    }
    if (node->role != SNPY_ROLE_RECONSTRUCT && node->role != SNPY_ROLE_MARECONSTRUCT) return false;
    int64_t flag = 0;
    const int32_t is_fortran = snpy_object_part(data, state, 3);
    *parts = (struct parts){snpy_object_part(data, state, 1), snpy_object_part(data, state, 2),
                            snpy_object_part(data, state, 4), false};
    parts->fortran_order = snpy_object_node(data, is_fortran)->kind == SNPY_NODE_TRUE ||
                           (snpy_object_int(data, is_fortran, &flag) == SNPY_OK && flag == 1);
    return state != 0;
}

snpy_status snpy_object_array(const snpy_object_data *data, int32_t value, snpy_array *array, snpy_io_error *error)
{
    struct parts parts;
    snpy_array_clear(array);
    snpy_io_begin(error, "");
    error->error.offset = snpy_object_node(data, value)->at;
    if (!find_parts(data, value, &parts)) return error->error.status = SNPY_WRONG_TYPE;
    struct writer *out = calloc(1, sizeof *out);
    if (out == NULL) return snpy_io_no_memory(error, "calloc");
    out->data = data;
    out->looks = MAX_LOOKS;
    snpy_status status = write_header(out, parts.dtype, parts.fortran_order, parts.shape);
    if (status == SNPY_OK) status = parse_header(out, array, error);
    if (status == SNPY_OK && snpy_object_node(data, value)->role != SNPY_ROLE_DTYPE)
        status =
            array->header.has_object ? check_elements(data, value, array) : copy_data(data, parts.bytes, array, error);
    free(out->text);
    free(out);
    if (status == SNPY_NO_MEMORY) return snpy_io_no_memory(error, "malloc");
    return snpy_io_refuse(error, status, snpy_object_node(data, value)->at);
}
