/* object_check.c: whether the arrays and scalars in object data have the bytes, masks and objects of their shapes and types.
 *                                                                         NPY-PKL-019, NPY-PKL-020, HOST-MEMORY
 * object_types.c checks the types.
 *
 * A state may be given to a dtype, and a dictionary may grow, after the opcode that used it. So what is wrong, and where records
 * have fields, is decided by a second scan, which checks each value when its last opcode comes. Most pickles have nothing of
 * both, and are checked without. */
#include "host/object_types.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ELEMENTS ((uint64_t)10000000) /* dimensions, fields and members that are looked at */
#define MAX_NESTING 65u                   /* types in one another, with the outermost */

struct check {
    struct snpy_types types;
    const snpy_object_data *data;
};

/* ---- bytes ------------------------------------------------------------------------------------------------ */

/* Whether a value is bytes, and of what they are made. */
static bool is_bytes(const snpy_node *node)
{
    if (node->kind == SNPY_NODE_CALL)
        return node->role == SNPY_ROLE_ENCODE || node->role == SNPY_ROLE_BYTES || node->role == SNPY_ROLE_BYTEARRAY;
    return node->kind == SNPY_NODE_BYTES || node->kind == SNPY_NODE_RAW || node->kind == SNPY_NODE_BYTEARRAY;
}

/* Copies the bytes of a value; the caller frees them. NULL if there is no memory. */
static uint8_t *copy_bytes(const snpy_object_data *data, int32_t value, uint64_t size)
{
    uint8_t *bytes = malloc((size_t)size + 1); /* never 0 */
    if (bytes != NULL) (void)snpy_object_text(data, value, bytes, size);
    return bytes;
}

/* A type whose elements are visited. */
struct nesting {
    const struct snpy_type *type;
    const uint8_t *bytes;
    uint64_t left; /* of a sub-array: elements; of a record: 1 more than the number of the next field that has text */
};

/* Begins a type that has text. */
static struct nesting begin_nesting(const struct snpy_type *type, const uint8_t *bytes)
{
    return (struct nesting){type, bytes, type->is_record ? type->first_text : type->repeat};
}

/* Whether the code points of a string of fixed size are at most U+10FFFF. */
static bool has_points(const struct snpy_type *type, const uint8_t *bytes)
{
    const size_t high = type->is_big_endian ? 0 : 3;
    const size_t second = type->is_big_endian ? 1 : 2;
    for (uint64_t i = 0; i < type->itemsize; i += 4)
        if (bytes[i + high] != 0 || bytes[i + second] > 0x10) return false;
    return true;
}

/* Whether the strings of an element have code points only: visits the fields and sub-arrays that have text. */
static bool has_text_points(const struct snpy_types *types, const struct snpy_type *type, const uint8_t *bytes)
{
    struct nesting stack[MAX_NESTING];
    uint32_t depth = 1;
    if (!type->is_record && !type->is_subarray) return has_points(type, bytes);
    stack[0] = begin_nesting(type, bytes);
    while (depth > 0) {
        struct nesting *top = &stack[depth - 1];
        const uint8_t *at = top->bytes;
        const struct snpy_type *inner = NULL;
        if (top->left == 0) {
            depth--;
            continue;
        }
        if (top->type->is_record) {
            const struct snpy_type_field *field = &types->fields[top->left - 1];
            inner = &types->types[field->type];
            at += field->offset;
            top->left = field->next_text;
        } else {
            inner = &types->types[top->type->base];
            top->bytes += inner->itemsize;
            top->left--;
        }
        if (inner->is_record || inner->is_subarray)
            stack[depth++] = begin_nesting(inner, at);
        else if (!has_points(inner, at))
            return false;
    }
    return true;
}

/* Checks the strings of elements that are bytes. */
static snpy_status check_text(struct check *check, const struct snpy_type *type, int32_t value, uint64_t size)
{
    bool is_good = true;
    if (!type->has_text || size == 0) return SNPY_OK;
    uint8_t *bytes = copy_bytes(check->data, value, size);
    if (bytes == NULL) return SNPY_NO_MEMORY;
    for (uint64_t at = 0; is_good && at < size; at += type->itemsize)
        is_good = has_text_points(&check->types, type, bytes + at);
    free(bytes);
    return is_good ? SNPY_OK : SNPY_PKL_ARRAY;
}

/* ---- objects ---------------------------------------------------------------------------------------------- */

/* Whether a float keeps its value in 2 or 4 bytes. */
static bool is_exact(double value, uint64_t size)
{
    const double most = 65504; /* of 2 bytes */
    if (size == 8 || value != value || value - value != 0) return size >= 2;
    if (size == 4)
        return value <= 3.4028234663852886e38 && value >= -3.4028234663852886e38 && (double)(float)value == value;
    if (value > most || value < -most) return false;
    const double scaled = value * 16777216; /* a multiple of 2^-24, of 11 bits */
    int64_t whole = (int64_t)scaled;
    if ((double)whole != scaled) return false;
    while (whole != 0 && whole % 2 == 0) whole /= 2;
    return whole < 2048 && whole > -2048;
}

static bool holds_float(const snpy_object_data *data, int32_t value, uint64_t size)
{
    double number = 0;
    return snpy_object_float(data, value, &number) == SNPY_OK && is_exact(number, size);
}

/* Whether a value is an integer of so many bytes. */
static bool holds_integer(const snpy_object_data *data, int32_t value, const struct snpy_type *type)
{
    int64_t number = 0;
    const unsigned bits = 8 * (unsigned)type->itemsize;
    const snpy_node *node = snpy_object_node(data, value);
    if (node->kind != SNPY_NODE_INT) return false;
    if (snpy_object_int(data, value, &number) == SNPY_OK) {
        if (type->kind == 'u') return number >= 0 && (bits == 64 || number < INT64_C(1) << bits);
        return bits == 64 || (number >= -(INT64_C(1) << (bits - 1)) && number < INT64_C(1) << (bits - 1));
    }
    char digits[SNPY_OBJECT_DIGITS];
    const size_t length = snpy_object_digits(data, value, digits);
    static const char most[] = "18446744073709551615";
    const size_t longest = sizeof most - 1;
    if (type->kind != 'u' || bits != 64 || digits[0] == '-' || length > longest) return false;
    return length < longest || memcmp(digits, most, longest) <= 0;
}

/* Whether a value is one that a field without fields holds in a record with objects. */
static bool holds(const snpy_object_data *data, const struct snpy_type *type, int32_t value)
{
    const snpy_node *node = snpy_object_node(data, value);
    const int32_t arguments = snpy_object_arguments(data, value);
    switch (type->kind) {
    case 'O':
        return true;
    case 'b':
        return node->kind == SNPY_NODE_TRUE || node->kind == SNPY_NODE_FALSE;
    case 'i':
    case 'u':
        return holds_integer(data, value, type);
    case 'f':
        return type->itemsize <= 8 && holds_float(data, value, type->itemsize);
    case 'c':
        return type->itemsize <= 16 && node->kind == SNPY_NODE_CALL && node->role == SNPY_ROLE_COMPLEX &&
               holds_float(data, snpy_object_part(data, arguments, 0), type->itemsize / 2) &&
               holds_float(data, snpy_object_part(data, arguments, 1), type->itemsize / 2);
    case 'S':
        return is_bytes(node) && node->role != SNPY_ROLE_BYTEARRAY && node->kind != SNPY_NODE_BYTEARRAY &&
               snpy_object_text(data, value, NULL, 0) <= type->itemsize;
    case 'U':
        return snpy_is_text(data, value) &&
               snpy_leaf_count(data->pickle, snpy_leaf_of(data->pickle, data->length, &data->table, value), 0x10ffff) <=
                   type->itemsize / 4;
    default:
        return false;
    }
}

/* A record whose fields are compared with the members of a tuple. */
struct pairing {
    const struct snpy_type *type;
    size_t next; /* field */
    snpy_object_members members;
};

/* Begins a record. Returns false if the value is no tuple. */
static bool begin_pairing(const struct check *check, const struct snpy_type *type, int32_t value,
                          struct pairing *pairing)
{
    *pairing = (struct pairing){type, 0, snpy_object_begin(check->data, value)};
    return snpy_object_node(check->data, value)->kind == SNPY_NODE_TUPLE;
}

/* Checks an element of an array of records: a tuple with a value for each field. */
static snpy_status check_record(struct check *check, const struct snpy_type *type, int32_t value)
{
    struct pairing stack[MAX_NESTING];
    uint32_t depth = 1;
    if (!begin_pairing(check, type, value, &stack[0])) return SNPY_PKL_ARRAY;
    while (depth > 0) {
        struct pairing *top = &stack[depth - 1];
        const int32_t member = snpy_object_next(check->data, &top->members);
        if ((member == 0) != (top->next == top->type->count)) return SNPY_PKL_ARRAY;
        if (member == 0) {
            depth--;
            continue;
        }
        if (!snpy_look(&check->types, 1)) return SNPY_PKL_TOO_MANY_NODES;
        const struct snpy_type *inner = &check->types.types[check->types.fields[top->type->first + top->next++].type];
        if (!inner->is_record && (inner->is_subarray || !holds(check->data, inner, member))) return SNPY_PKL_ARRAY;
        if (inner->is_record && !begin_pairing(check, inner, member, &stack[depth++])) return SNPY_PKL_ARRAY;
    }
    return SNPY_OK;
}

/* Whether an element of an array of strings is one, or stands for a missing one. */
static bool is_string(const snpy_object_data *data, int32_t value, int32_t missing)
{
    double number = 0;
    const int32_t kind = snpy_object_node(data, value)->kind;
    if (snpy_is_text(data, value)) return true;
    if (missing == 0 || kind != snpy_object_node(data, missing)->kind) return false;
    return kind != SNPY_NODE_FLOAT || (snpy_object_float(data, value, &number) == SNPY_OK && number != number);
}

/* ---- arrays ----------------------------------------------------------------------------------------------- */

/* Whether an array of a shape has so many elements of so many bytes, within the bounds of npy.md. */
static bool has_extent(struct check *check, int32_t shape, uint64_t itemsize, uint64_t size)
{
    uint32_t axes = 0;
    const uint64_t most = snpy_shape_product(&check->types, shape, 1, 64, &axes);
    const uint64_t count = snpy_shape_product(&check->types, shape, 0, 64, &axes);
    if (most > INT64_MAX / (itemsize > 0 ? itemsize : 1)) return false;
    return count * itemsize == size && (itemsize > 0 || count == 0);
}

/* Counts the elements of an array that are objects. */
static uint64_t count_elements(const snpy_object_data *data, int32_t array)
{
    snpy_object_members members = snpy_object_begin(data, array);
    uint64_t count = 0;
    if (snpy_object_node(data, array)->size == 0) return 0; /* the list had no members */
    while (snpy_object_next(data, &members) != 0) count++;
    return count;
}

/* Checks an array of strings of NumPy 2. */
static snpy_status check_strings(struct check *check, int32_t array, int32_t state)
{
    const snpy_object_data *data = check->data;
    const int32_t kind = snpy_object_part(data, state, 2);
    const int32_t missing = snpy_object_part(data, snpy_object_arguments(data, kind), 1);
    uint64_t left = count_elements(data, array);
    snpy_object_members members = snpy_object_begin(data, array);
    if (!has_extent(check, snpy_object_part(data, state, 1), 8, 8 * left)) return SNPY_PKL_ARRAY;
    for (; left > 0; left--) {
        if (!snpy_look(&check->types, 1)) return SNPY_PKL_TOO_MANY_NODES;
        if (!is_string(data, snpy_object_next(data, &members), missing)) return SNPY_PKL_ARRAY;
    }
    return SNPY_OK;
}

/* Checks an array with objects. */
static snpy_status check_objects(struct check *check, int32_t array, int32_t state, const struct snpy_type *type)
{
    uint64_t left = count_elements(check->data, array);
    snpy_object_members members = snpy_object_begin(check->data, array);
    if (!has_extent(check, snpy_object_part(check->data, state, 1), type->itemsize, type->itemsize * left))
        return SNPY_PKL_ARRAY;
    for (; type->is_record && left > 0; left--) {
        if (!snpy_look(&check->types, 1)) return SNPY_PKL_TOO_MANY_NODES;
        const snpy_status status = check_record(check, type, snpy_object_next(check->data, &members));
        if (status != SNPY_OK) return status;
    }
    return SNPY_OK;
}

/* Checks the elements of an array that are bytes. */
static snpy_status check_bytes(struct check *check, int32_t shape, const struct snpy_type *type, int32_t value)
{
    const uint64_t size = snpy_object_text(check->data, value, NULL, 0);
    if (!has_extent(check, shape, type->itemsize, size)) return SNPY_PKL_ARRAY;
    return check_text(check, type, value, size);
}

/* Checks the mask of an array, bytes of 0 and 1, and its fill value: an array without dimensions, or None. NumPy writes one of
 * int64 or float64 for smaller types. */
static snpy_status check_mask(struct check *check, int32_t state, const struct snpy_type *type)
{
    const snpy_object_data *data = check->data;
    const int32_t mask = snpy_object_part(data, state, 5);
    const int32_t fill = snpy_object_part(data, state, 6);
    const uint64_t size = snpy_object_text(data, mask, NULL, 0);
    bool is_mask = true;
    uint64_t count = 0;
    uint32_t axes = 0;
    if (!snpy_look(&check->types, type->leaves)) return SNPY_PKL_TOO_MANY_NODES;
    count = snpy_shape_product(&check->types, snpy_object_part(data, state, 1), 0, 64, &axes);
    if (type->mask == 0 ? size != 0 : count > size || count * type->mask != size) return SNPY_PKL_ARRAY;
    uint8_t *bytes = copy_bytes(data, mask, size);
    if (bytes == NULL) return SNPY_NO_MEMORY;
    for (uint64_t i = 0; i < size; i++) is_mask = is_mask && bytes[i] <= 1;
    free(bytes);
    if (!is_mask) return SNPY_PKL_ARRAY;
    if (snpy_object_node(data, fill)->kind == SNPY_NODE_NONE) return SNPY_OK;
    const bool is_buffer = snpy_object_node(data, fill)->role == SNPY_ROLE_FROMBUFFER;
    const int32_t parts = is_buffer ? snpy_object_arguments(data, fill) : snpy_object_state(data, fill);
    (void)snpy_shape_product(&check->types, snpy_object_part(data, parts, is_buffer ? 2 : 1), 0, 64, &axes);
    return axes == 0 ? SNPY_OK : SNPY_PKL_ARRAY;
}

/* Checks the state of an array. */
static snpy_status check_array(struct check *check, int32_t array)
{
    const snpy_object_data *data = check->data;
    const int32_t state = snpy_object_state(data, array);
    const int32_t shape = snpy_object_part(data, state, 1);
    const int32_t kind = snpy_object_part(data, state, 2);
    const int32_t class_ = snpy_object_part(data, snpy_object_arguments(data, array), 0);
    const struct snpy_type *type = snpy_type_of(&check->types, kind);
    uint32_t axes = 0;
    if (snpy_object_node(data, kind)->role == SNPY_ROLE_STRINGDTYPE) return check_strings(check, array, state);
    if (type == NULL) return SNPY_PKL_ARRAY;
    (void)snpy_shape_product(&check->types, shape, 0, 64, &axes);
    if (snpy_object_node(data, class_)->role == SNPY_ROLE_MATRIX && axes != 2) return SNPY_PKL_ARRAY;
    const snpy_status status = type->has_objects ? check_objects(check, array, state, type)
                                                 : check_bytes(check, shape, type, snpy_object_part(data, state, 4));
    const bool has_mask = snpy_object_node(data, array)->role == SNPY_ROLE_MARECONSTRUCT;
    return status == SNPY_OK && has_mask ? check_mask(check, state, type) : status;
}

/* Checks a scalar: as many bytes as its type. An empty string may have any. */
static snpy_status check_scalar(struct check *check, int32_t scalar)
{
    const int32_t arguments = snpy_object_arguments(check->data, scalar);
    const int32_t bytes = snpy_object_part(check->data, arguments, 1);
    const struct snpy_type *type = snpy_type_of(&check->types, snpy_object_part(check->data, arguments, 0));
    const uint64_t size = snpy_object_text(check->data, bytes, NULL, 0);
    if (type == NULL) return SNPY_PKL_ARRAY;
    if (type->itemsize == 0 && (type->kind == 'S' || type->kind == 'U')) return SNPY_OK;
    return size == type->itemsize ? check_text(check, type, bytes, size) : SNPY_PKL_ARRAY;
}

/* Checks an array over a buffer. */
static snpy_status check_buffer(struct check *check, int32_t array)
{
    const int32_t arguments = snpy_object_arguments(check->data, array);
    const struct snpy_type *type = snpy_type_of(&check->types, snpy_object_part(check->data, arguments, 1));
    if (type == NULL) return SNPY_PKL_ARRAY;
    return check_bytes(check, snpy_object_part(check->data, arguments, 2), type,
                       snpy_object_part(check->data, arguments, 0));
}

/* ---- the whole -------------------------------------------------------------------------------------------- */

/* Checks a value that an opcode at the byte `until` - 1 has finished. */
static snpy_status check_value(struct check *check, int32_t value, uint32_t until)
{
    switch (snpy_object_node(check->data, value)->role) {
    case SNPY_ROLE_DTYPE:
        return snpy_build_type(&check->types, value, until);
    case SNPY_ROLE_SCALAR:
        return check_scalar(check, value);
    case SNPY_ROLE_FROMBUFFER:
        return check_buffer(check, value);
    case SNPY_ROLE_RECONSTRUCT:
    case SNPY_ROLE_MARECONSTRUCT:
        return check_array(check, value);
    default:
        return SNPY_OK;
    }
}

/* Whether a node is finished by a call, or by a state that it has. */
static bool is_finished(const snpy_node *node)
{
    return node->kind == SNPY_NODE_CALL &&
           (node->role == SNPY_ROLE_SCALAR || node->role == SNPY_ROLE_FROMBUFFER || node->state != 0);
}

/* Numbers the dtypes. Returns how many there are. */
static uint32_t number_types(struct check *check)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < check->data->table.count; i++) {
        const snpy_node *node = &check->data->table.nodes[i];
        if (node->kind == SNPY_NODE_CALL && node->role == SNPY_ROLE_DTYPE) check->types.numbers[i] = ++count;
    }
    return count;
}

/* Whether a dtype has fields or a shape. */
static bool is_compound(const snpy_object_data *data, int32_t dtype)
{
    const int32_t state = snpy_object_state(data, dtype);
    return snpy_object_node(data, snpy_object_part(data, state, 2))->kind != SNPY_NODE_NONE ||
           snpy_object_node(data, snpy_object_part(data, state, 3))->kind != SNPY_NODE_NONE;
}

/* Checks all values in the order of the opcodes that made them: first the dtypes. Returns false if that does not decide. */
static bool check_quickly(struct check *check)
{
    const snpy_object_data *data = check->data;
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < data->table.count; i++) {
            const snpy_node *node = &data->table.nodes[i];
            const bool is_dtype = node->role == SNPY_ROLE_DTYPE;
            if (!is_finished(node) || is_dtype != (pass == 0)) continue;
            if (is_dtype && is_compound(data, (int32_t)i)) return false;
            if (check_value(check, (int32_t)i, UINT32_MAX) != SNPY_OK) return false;
        }
    }
    return true;
}

/* Returns the value that an opcode which the scan has just done has finished; 0: none; -1: the decoder has refused it. */
static int32_t finished_by(const snpy_object_data *data, const snpy_object_scan *scan, const snpy_opcode *opcode)
{
    if (opcode->code != 'R' && opcode->code != 'b') return 0;
    const uint32_t at = opcode->code == 'R' ? (uint32_t)opcode->at : scan->stack[scan->depth - 1];
    const int32_t value = snpy_nodes_find(&data->table, at);
    const snpy_node *node = &data->table.nodes[value];
    if (node->at != at || node->kind != SNPY_NODE_CALL) return -1;
    const bool is_call = node->role == SNPY_ROLE_SCALAR || node->role == SNPY_ROLE_FROMBUFFER;
    if (opcode->code == 'R') return is_call ? value : 0;
    return node->state == 0 ? -1 : value;
}

/* Scans the pickle once more, and checks each value when it is finished. */
static snpy_status check_in_order(struct check *check, snpy_object_scan *scan, uint64_t *offset)
{
    const snpy_object_data *data = check->data;
    snpy_opcode opcode = {.code = 0};
    snpy_error ignored;
    snpy_status status = SNPY_OK;
    while (status == SNPY_OK && opcode.code != '.') {
        if (snpy_scan_opcode(data->pickle, data->length, scan, &opcode, &ignored) != SNPY_OK) return SNPY_OK;
        const int32_t value = finished_by(data, scan, &opcode);
        if (value < 0) return SNPY_OK;
        if (value > 0) status = check_value(check, value, (uint32_t)opcode.at);
    }
    *offset = opcode.at;
    return status;
}

snpy_status snpy_object_check(const snpy_object_data *data, snpy_object_scan *scan, uint64_t *offset)
{
    struct check check = {.types = {.data = data, .looks = MAX_ELEMENTS}, .data = data};
    const size_t nodes = (size_t)data->table.count;
    snpy_status status = SNPY_NO_MEMORY;
    *offset = 0;
    check.types.numbers = calloc(nodes + 1, sizeof *check.types.numbers); /* never 0 */
    const uint32_t count = check.types.numbers != NULL ? number_types(&check) : 0;
    check.types.types = calloc((size_t)count + 1, sizeof *check.types.types);
    if (check.types.numbers != NULL && check.types.types != NULL) {
        status = SNPY_OK;
        if (!check_quickly(&check)) {
            memset(check.types.types, 0, count * sizeof *check.types.types);
            check.types.looks = MAX_ELEMENTS;
            check.types.field_count = 0;
            status = check_in_order(&check, scan, offset);
        }
    }
    free(check.types.numbers);
    free(check.types.types);
    free(check.types.fields);
    return status;
}
