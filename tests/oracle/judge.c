/* judge.c: what a header means: frame, type strings, names, shapes, sizes, phase by phase.
 * Leaves the text to literal.c. Work is quadratic in the names of a record: slow and plain. */
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ITEMSIZE UINT64_C(0x7fffffff)
#define MOST_SIZE UINT64_C(0x7fffffffffffffff)

void *oracle_memory(struct oracle *o, size_t count, size_t size)
{
    void **list = realloc(o->memory, (o->memory_count + 1) * sizeof *list);
    void *memory = calloc(count + 1, size);
    if (list == NULL || memory == NULL) abort();
    o->memory = list;
    o->memory[o->memory_count++] = memory;
    return memory;
}

void oracle_release(struct oracle *o)
{
    for (size_t i = 0; i < o->memory_count; i++) free(o->memory[i]);
    free(o->memory);
}

bool oracle_refuse(struct oracle *o, const char *status, size_t at)
{
    o->status = status;
    o->at = o->version == 0 ? at : at + (o->version == 1 ? 10u : 12u);
    return false;
}

/* ---- frame -------------------------------------------------------------------------------------------------- */

/* The length of the UTF-8 sequence at `at`, as the rule utf8-char has it; 0 if it is none.            NPY-FRAME-007 */
static size_t utf8_length(const struct oracle *o, size_t at)
{
    static const struct {
        uint8_t first, last, low, high, length;
    } rows[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const uint8_t *bytes = o->text + at;
        if (bytes[0] < rows[r].first || bytes[0] > rows[r].last) continue;
        if (o->length - at < rows[r].length) return 0;
        if (rows[r].length > 1 && (bytes[1] < rows[r].low || bytes[1] > rows[r].high)) return 0;
        for (size_t k = 2; k < rows[r].length; k++)
            if (bytes[k] < 0x80 || bytes[k] > 0xbf) return 0;
        return rows[r].length;
    }
    return 0;
}

static bool judge_encoding(struct oracle *o)
{
    size_t step = 0;
    for (size_t at = 0; o->version == 3 && at < o->length; at += step) {
        step = utf8_length(o, at);
        if (step == 0) return oracle_refuse(o, "SNPY_BAD_UTF8", at);
    }
    return true;
}

/* Prefix and length of the text.                                                              NPY-FRAME-001 … 006 */
static bool judge_frame(struct oracle *o, const uint8_t *bytes, size_t length)
{
    static const uint8_t magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    for (size_t i = 0; i < 6 && i < length; i++)
        if (bytes[i] != magic[i]) return oracle_refuse(o, "SNPY_BAD_MAGIC", i);
    if (length > 6 && (bytes[6] < 1 || bytes[6] > 3)) return oracle_refuse(o, "SNPY_UNSUPPORTED_VERSION", 6);
    if (length > 7 && bytes[7] != 0) return oracle_refuse(o, "SNPY_UNSUPPORTED_VERSION", 7);
    size_t prefix = length > 6 && bytes[6] == 1 ? 10 : 12;
    if (length < prefix) return oracle_refuse(o, "SNPY_TRUNCATED_PREFIX", length);
    uint64_t claim = bytes[8] + 256u * bytes[9];
    if (prefix == 12) claim += UINT64_C(65536) * bytes[10] + UINT64_C(16777216) * bytes[11];
    if (claim > 65536) return oracle_refuse(o, "SNPY_HEADER_TOO_LONG", 8);
    if (length - prefix < claim) return oracle_refuse(o, "SNPY_TRUNCATED_HEADER", length);
    o->version = bytes[6];
    o->text = bytes + prefix;
    o->length = (size_t)claim;
    o->data_offset = prefix + claim;
    return true;
}

/* ---- type strings ------------------------------------------------------------------------------------------- */

/* A decimal number without sign and leading zeros that takes all of a text; UINT64_MAX if it is too large. */
static bool read_number(const char *text, size_t length, uint64_t *value)
{
    *value = 0;
    if (length == 0 || (text[0] == '0' && length > 1)) return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        uint64_t digit = (uint64_t)(text[i] - '0');
        *value = *value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *value * 10 + digit;
    }
    return true;
}

static bool is_one_of(uint64_t value, const char *list)
{
    char word[32];
    snprintf(word, sizeof word, " %llu ", (unsigned long long)value);
    return strstr(list, word) != NULL;
}

/* The sizes that the table of the specification lists for a kind, but for M and m.          NPY-DTYPE-004, 005, 008 */
static const char *judge_size(char kind, const char *text, size_t length, uint64_t *size)
{
    uint64_t number;
    if (kind == 'O') {
        *size = 8;
        return length == 0 || (length == 1 && (text[0] == '4' || text[0] == '8')) ? NULL : "SNPY_BAD_TYPE_SIZE";
    }
    if (!read_number(text, length, &number)) return "SNPY_BAD_TYPE_SIZE";
    *size = kind == 'U' ? number * 4 : number;
    if (kind == 'S' || kind == 'V') return number <= MOST_ITEMSIZE ? NULL : "SNPY_TYPE_TOO_LARGE";
    if (kind == 'U') return number <= 536870911 ? NULL : "SNPY_TYPE_TOO_LARGE";
    if ((kind == 'f' && is_one_of(number, " 10 12 ")) || (kind == 'c' && is_one_of(number, " 20 24 ")))
        return "SNPY_PLATFORM_FLOAT";
    const char *list = kind == 'b' ? " 1 " : kind == 'f' ? " 2 4 8 16 " : kind == 'c' ? " 8 16 32 " : " 1 2 4 8 ";
    return is_one_of(number, list) ? NULL : "SNPY_BAD_TYPE_SIZE";
}

/* Whether a kind and size may have an order.                                        NPY-DTYPE-002, NPY-DTYPE-003 */
static const char *judge_order(struct oracle_type *type, char order, bool is_direct_padding)
{
    bool has_none = strchr("bSV", type->kind) != NULL || (strchr("iu", type->kind) != NULL && type->size == 1);
    type->order = has_none || type->kind == 'O' ? '|' : order;
    if (order == 0 || order == '=')
        return type->kind == 'O' || (type->kind == 'V' && is_direct_padding) ? NULL : "SNPY_NO_BYTE_ORDER";
    if (order == '|') return has_none || type->kind == 'O' ? NULL : "SNPY_BAD_BYTE_ORDER";
    return type->kind == 'O' ? "SNPY_BAD_BYTE_ORDER" : NULL;
}

/* What follows M8: nothing, or a bracket with a multiplier and a unit; *at is the byte at fault. NPY-DTYPE-009 … 011 */
static const char *judge_unit(struct oracle_type *type, const char *text, size_t length, size_t *at)
{
    static const char *const units[] = {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"};
    size_t digits = 0;
    uint64_t multiplier = 1;
    type->multiplier = 1;
    *at = 0;
    if (length == 0) return NULL;
    if (text[0] != '[') return "SNPY_BAD_UNIT";
    *at = 1;
    if (length > 1 && (text[1] == '-' || text[1] == '+')) return "SNPY_BAD_MULTIPLIER";
    while (1 + digits < length && text[1 + digits] >= '0' && text[1 + digits] <= '9') digits++;
    if (digits > 0 && (!read_number(text + 1, digits, &multiplier) || multiplier == 0 || multiplier > MOST_ITEMSIZE))
        return "SNPY_BAD_MULTIPLIER";
    type->multiplier = (uint32_t)multiplier;
    *at = 1 + digits;
    for (uint32_t i = 0; i < 13; i++) {
        size_t end = *at + strlen(units[i]);
        if (end > length || memcmp(text + *at, units[i], end - *at) != 0) continue;
        if (end < length && text[end] == '/') {
            *at = end;
            return "SNPY_UNIT_DIVISOR";
        }
        type->unit = i + 1;
        if (end + 1 == length && text[end] == ']') return NULL;
    }
    return "SNPY_BAD_UNIT";
}

/* One type string, from left to right; kind and size are settled before the order, a bracket last. */
static bool judge_type_string(struct oracle *o, struct oracle_type *type, bool is_direct_padding)
{
    const char *text = (const char *)o->text + type->text_at;
    size_t length = type->text_end - type->text_at;
    size_t at = length > 0 && memchr("<>|=", text[0], 4) != NULL ? 1 : 0;
    char order = at == 1 ? text[0] : 0;
    if (at == 0 && length > 1 && text[0] >= 'a' && text[0] <= 'z' && text[1] >= 'a' && text[1] <= 'z')
        return oracle_refuse(o, "SNPY_TYPE_NAME", type->text_at);
    if (at < length && text[at] == 'a') return oracle_refuse(o, "SNPY_BYTES_ALIAS", type->text_at + at);
    if (at == length || memchr("biufcSVUMmO", text[at], 11) == NULL)
        return oracle_refuse(o, "SNPY_UNKNOWN_TYPE", type->text_at + at);
    type->kind = text[at++];
    const char *status = NULL;
    bool has_unit = type->kind == 'M' || type->kind == 'm';
    size_t digits = 0;
    while (at + digits < length && text[at + digits] >= '0' && text[at + digits] <= '9') digits++;
    if (!has_unit)
        status = judge_size(type->kind, text + at, length - at, &type->size);
    else if (digits != 1 || text[at] != '8')
        status = "SNPY_BAD_TYPE_SIZE";
    else
        type->size = 8;
    if (status != NULL) return oracle_refuse(o, status, type->text_at + at);
    status = judge_order(type, order, is_direct_padding);
    if (status != NULL) return oracle_refuse(o, status, type->text_at);
    if (!has_unit) return true;
    size_t fault;
    status = judge_unit(type, text + at + 1, length - at - 1, &fault);
    return status == NULL || oracle_refuse(o, status, type->text_at + at + 1 + fault);
}

/* ---- trees of types ----------------------------------------------------------------------------------------- */

/* All type strings below a type, in the order of the text; says which fields are padding.             NPY-DTYPE-014 */
static bool judge_types(struct oracle *o, struct oracle_type *type, bool is_nameless)
{
    if (type->form == '(') return judge_types(o, type->inner, false);
    if (type->form == '\'') return judge_type_string(o, type, is_nameless);
    for (size_t i = 0; i < type->field_count; i++) {
        struct oracle_field *field = &type->fields[i];
        bool nameless = field->name.count == 0 && !field->has_title;
        if (!judge_types(o, &field->type, nameless)) return false;
        bool is_void = field->type.form == '\'' && field->type.kind == 'V';
        field->is_padding = nameless && (is_void || field->shape.count > 0);
    }
    return true;
}

/* Whether a type has objects, padding excepted.                                                         NPY-OBJ-003 */
static bool has_object(const struct oracle_type *type)
{
    bool found = type->form == '\'' ? type->kind == 'O' : type->form == '(' && has_object(type->inner);
    for (size_t i = 0; i < type->field_count; i++)
        found |= !type->fields[i].is_padding && has_object(&type->fields[i].type);
    return found;
}

bool oracle_judge_types(struct oracle *o)
{
    if (!judge_types(o, &o->type, false)) return false;
    o->has_object = has_object(&o->type);
    return true;
}

static bool is_same_name(const struct oracle_name *one, const struct oracle_name *other)
{
    return one->count == other->count && memcmp(one->points, other->points, one->count * sizeof *one->points) == 0;
}

/* Names of one record, titles before the name of their field; `first` is the earliest that stood before. */
static void find_twins(const struct oracle_type *type, size_t *first)
{
    size_t count = 0;
    const struct oracle_name **names = calloc(2 * type->field_count + 1, sizeof(void *));
    if (names == NULL) abort();
    for (size_t i = 0; i < type->field_count; i++) {
        const struct oracle_field *field = &type->fields[i];
        if (field->has_title) names[count++] = &field->title;
        if (!field->is_padding) names[count++] = &field->name;
    }
    for (size_t later = 1; later < count; later++)
        for (size_t earlier = 0; earlier < later; earlier++)
            if (is_same_name(names[earlier], names[later]) && names[later]->at < *first) *first = names[later]->at;
    free(names);
}

static void find_all_twins(const struct oracle_type *type, size_t *first)
{
    if (type->form == '(') find_all_twins(type->inner, first);
    if (type->form != '[') return;
    find_twins(type, first);
    for (size_t i = 0; i < type->field_count; i++) find_all_twins(&type->fields[i].type, first);
}

bool oracle_judge_names(struct oracle *o)
{
    size_t first = SIZE_MAX;
    find_all_twins(&o->type, &first);
    return first == SIZE_MAX || oracle_refuse(o, "SNPY_DUPLICATE_NAME", first);
}

/* The number of dimensions of a type's tuples; the earliest shape that brings the sum above 64.        NPY-SHAPE-001 */
static size_t sum_dimensions(const struct oracle_type *type, size_t *first)
{
    if (type->form == '(') {
        size_t sum = sum_dimensions(type->inner, first) + type->shape.count;
        if (sum > 64 && type->shape.at < *first) *first = type->shape.at;
        return sum;
    }
    for (size_t i = 0; i < type->field_count; i++) {
        const struct oracle_field *field = &type->fields[i];
        size_t sum = sum_dimensions(&field->type, first) + field->shape.count;
        if (sum > 64 && field->has_shape && field->shape.at < *first) *first = field->shape.at;
    }
    return 0;
}

bool oracle_judge_shapes(struct oracle *o)
{
    size_t first = SIZE_MAX;
    sum_dimensions(&o->type, &first);
    if (o->shape.count > 64 && o->shape.dims_at[64] < first) first = o->shape.dims_at[64];
    return first == SIZE_MAX || oracle_refuse(o, "SNPY_TOO_MANY_DIMENSIONS", first);
}

/* ---- sizes -------------------------------------------------------------------------------------------------- */

/* The product of a size and a shape, empty dimensions counted as one, against a bound.     NPY-SHAPE-003, NPY-SHAPE-004 */
static bool judge_product(struct oracle *o, uint64_t size, const struct oracle_shape *shape, uint64_t most,
                          const char *status)
{
    uint64_t product = size == 0 ? 1 : size;
    for (size_t i = 0; i < shape->count; i++) {
        uint64_t dim = shape->dims[i] == 0 ? 1 : shape->dims[i];
        if (dim > most / product) return oracle_refuse(o, status, shape->dims_at[i]);
        product *= dim;
    }
    return true;
}

/* How many items a shape has that was judged. */
static uint64_t count_items(const struct oracle_shape *shape)
{
    uint64_t count = 1;
    for (size_t i = 0; i < shape->count; i++) count = shape->dims[i] == 0 || count == 0 ? 0 : count * shape->dims[i];
    return count;
}

/* The size of an array of a type inside a record: `has_shape` of a shape without dimensions, too.
 *                                                                                          NPY-SHAPE-002, NPY-SHAPE-003 */
static bool judge_subarray(struct oracle *o, const struct oracle_type *item, bool has_shape,
                           const struct oracle_shape *shape, uint64_t *size)
{
    bool is_record = item->form == '[';
    if (item->size == 0 && has_shape && (shape->count > 0 || !is_record))
        return oracle_refuse(o, "SNPY_EMPTY_SUBARRAY_TYPE", shape->at);
    if (!judge_product(o, item->size, shape, MOST_ITEMSIZE, "SNPY_ITEMSIZE_OVERFLOW")) return false;
    *size = item->size * count_items(shape);
    return true;
}

/* The size of a type: of each field those of its parts, then the sum so far. What is at fault first stands first: a part
 * that is refused has no size, and is in no sum.                             NPY-SHAPE-003, NPY-DTYPE-015, NPY-ERR-001 */
static bool judge_size_of(struct oracle *o, struct oracle_type *type)
{
    if (type->form == '\'') return true;
    if (type->form == '(')
        return judge_size_of(o, type->inner) && judge_subarray(o, type->inner, true, &type->shape, &type->size);
    for (size_t i = 0; i < type->field_count; i++) {
        struct oracle_field *field = &type->fields[i];
        if (!judge_size_of(o, &field->type)) return false;
        if (!judge_subarray(o, &field->type, field->has_shape, &field->shape, &field->size)) return false;
        field->offset = type->size;
        type->size += field->size;
        if (type->size > MOST_ITEMSIZE) return oracle_refuse(o, "SNPY_ITEMSIZE_OVERFLOW", field->type.at);
    }
    return true;
}

bool oracle_judge_sizes(struct oracle *o)
{
    if (!judge_size_of(o, &o->type)) return false;
    if (!judge_product(o, o->type.size, &o->shape, MOST_SIZE, "SNPY_SIZE_OVERFLOW")) return false;
    o->count = count_items(&o->shape);
    return true;
}

void oracle_judge(struct oracle *o, const uint8_t *bytes, size_t length)
{
    memset(o, 0, sizeof *o);
    /* Each phase is begun if the one before it has found no fault.                                      NPY-ERR-001 */
    (void)(judge_frame(o, bytes, length) && judge_encoding(o) && oracle_read_text(o) && oracle_judge_types(o) &&
           oracle_judge_names(o) && oracle_judge_shapes(o) && oracle_judge_sizes(o));
}
