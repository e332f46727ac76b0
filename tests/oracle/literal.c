/* literal.c: the text of a header, by recursive descent over part 2 of spec/grammar.abnf.            NPY-LIT, NPY-HDR
 * Makes a tree and refuses what has none. Leaves type strings, names, shapes and sizes to judge.c. */
#include "oracle.h"

#include <string.h>

static const char blanks[] = " \t\n\r\f";

/* The place behind the blanks at `at`. */
static size_t skip(const struct oracle *o, size_t at)
{
    while (at < o->length && o->text[at] != 0 && strchr(blanks, o->text[at]) != NULL) at++;
    return at;
}

static bool has(const struct oracle *o, size_t at, char byte)
{
    return at < o->length && o->text[at] == (uint8_t)byte;
}

/* Refuses what stands at `at`: if nothing does, because the text has ended.                             NPY-LIT-001 */
static bool refuse_here(struct oracle *o, const char *status, size_t at)
{
    return oracle_refuse(o, at >= o->length ? "SNPY_UNEXPECTED_END" : status, at);
}

/* A byte that has to be there, and the blanks behind it. */
static bool take(struct oracle *o, size_t *at, char byte, const char *status)
{
    if (!has(o, *at, byte)) return refuse_here(o, status, *at);
    *at = skip(o, *at + 1);
    return true;
}

/* A byte that may be there, and the blanks behind it. */
static bool take_optional(struct oracle *o, size_t *at, char byte)
{
    if (!has(o, *at, byte)) return false;
    *at = skip(o, *at + 1);
    return true;
}

/* The quote of a string, behind a prefix.                                                               NPY-LIT-004 */
static bool take_quote(struct oracle *o, size_t *at, char *quote, const char *status)
{
    if (has(o, *at, 'u')) ++*at;
    if (!has(o, *at, '\'') && !has(o, *at, '"')) return refuse_here(o, status, *at);
    *quote = (char)o->text[*at];
    return true;
}

/* ---- names -------------------------------------------------------------------------------------------------- */

static int hex_digit(uint8_t byte)
{
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
    return -1;
}

/* An escape, at its backslash.                                                              NPY-LIT-006, NPY-LIT-007 */
static bool read_escape(struct oracle *o, size_t *at, uint32_t *point)
{
    size_t start = *at;
    char letter = start + 1 < o->length ? (char)o->text[start + 1] : ' ';
    size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    const char *plain = "\\\\''\"\"n\nr\rt\t";
    uint64_t value = 0;
    *at = start + 2;
    if (digits == 0) {
        for (; *plain != 0; plain += 2)
            if (*plain == letter) break;
        if (*plain == 0) return oracle_refuse(o, "SNPY_BAD_ESCAPE", start);
        *point = (uint8_t)plain[1];
        return true;
    }
    for (; digits > 0; digits--, ++*at) {
        int digit = *at < o->length ? hex_digit(o->text[*at]) : -1;
        if (digit < 0) return oracle_refuse(o, "SNPY_BAD_ESCAPE", start);
        value = value * 16 + (uint64_t)digit;
    }
    if (value > 0x10ffff) return oracle_refuse(o, "SNPY_CODE_POINT_RANGE", start);
    *point = (uint32_t)value;
    return true;
}

/* A character that is no escape: Latin-1, or UTF-8 that is known to be well-formed.                   NPY-FRAME-007 */
static void read_plain(const struct oracle *o, size_t *at, uint32_t *point)
{
    uint8_t first = o->text[(*at)++];
    size_t more = o->version < 3 || first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    *point = more == 0 ? first : first & (0x3fu >> more);
    for (; more > 0; more--) *point = *point * 64 + (o->text[(*at)++] & 0x3fu);
}

/* A name or title, and the blanks behind it.                                       NPY-LIT-004 … 007, NPY-DTYPE-013 */
static bool read_name(struct oracle *o, size_t *at, struct oracle_name *name)
{
    char quote = 0;
    if (!take_quote(o, at, &quote, "SNPY_EXPECTED_STRING")) return false;
    name->at = (*at)++;
    name->points = oracle_memory(o, o->length - name->at, sizeof *name->points);
    name->count = 0;
    while (!has(o, *at, quote)) {
        uint32_t *point = &name->points[name->count++];
        if (*at >= o->length) return oracle_refuse(o, "SNPY_UNEXPECTED_END", *at);
        if (o->text[*at] < 0x20 || o->text[*at] == 0x7f) return oracle_refuse(o, "SNPY_CONTROL_IN_STRING", *at);
        if (o->text[*at] != '\\')
            read_plain(o, at, point);
        else if (!read_escape(o, at, point))
            return false;
    }
    *at = skip(o, *at + 1);
    return true;
}

/* ---- shapes ------------------------------------------------------------------------------------------------- */

static bool is_digit(const struct oracle *o, size_t at)
{
    return at < o->length && o->text[at] >= '0' && o->text[at] <= '9';
}

/* A dimension, and the blanks behind it.                                                          NPY-LIT-017 … 020 */
static bool read_dimension(struct oracle *o, size_t *at, uint64_t *value)
{
    size_t start = *at;
    if (has(o, start, '-') || has(o, start, '+')) return oracle_refuse(o, "SNPY_SIGNED_DIMENSION", start);
    if (!is_digit(o, start)) return refuse_here(o, "SNPY_BAD_DIMENSION", start);
    if (has(o, start, '0') && is_digit(o, start + 1)) return oracle_refuse(o, "SNPY_LEADING_ZERO", start);
    for (*value = 0; is_digit(o, *at); ++*at) {
        uint64_t digit = (uint64_t)o->text[*at] - '0';
        *value = *value > (UINT64_MAX - digit) / 10 ? UINT64_MAX : *value * 10 + digit;
    }
    if (has(o, *at, 'L')) {
        if (o->version == 3) return oracle_refuse(o, "SNPY_LONG_SUFFIX", *at);
        ++*at;
    }
    *at = skip(o, *at);
    return true;
}

/* A shape, and the blanks behind it.                                                              NPY-LIT-015 … 020 */
static bool read_shape(struct oracle *o, size_t *at, struct oracle_shape *shape)
{
    shape->at = *at;
    shape->count = 0;
    if (!take(o, at, '(', "SNPY_EXPECTED_SHAPE")) return false;
    /* A dimension takes two bytes at least: a digit, and a comma or the bracket. */
    shape->dims = oracle_memory(o, (o->length - shape->at) / 2 + 1, sizeof *shape->dims);
    shape->dims_at = oracle_memory(o, (o->length - shape->at) / 2 + 1, sizeof *shape->dims_at);
    while (!has(o, *at, ')')) {
        shape->dims_at[shape->count] = *at;
        if (!read_dimension(o, at, &shape->dims[shape->count])) return false;
        shape->count++;
        if (take_optional(o, at, ',')) continue;
        if (!has(o, *at, ')')) return refuse_here(o, "SNPY_BAD_DIMENSION", *at);
        if (shape->count == 1) return oracle_refuse(o, "SNPY_SHAPE_NOT_A_TUPLE", *at);
    }
    *at = skip(o, *at + 1);
    return true;
}

/* A shape that must not be empty: that of a tuple, and of a field whose type is one.                    NPY-LIT-022 */
static bool read_full_shape(struct oracle *o, size_t *at, struct oracle_shape *shape)
{
    if (has(o, *at, ')')) return oracle_refuse(o, "SNPY_SUBARRAY_NEEDS_SHAPE", *at);
    if (!read_shape(o, at, shape)) return false;
    return shape->count > 0 || oracle_refuse(o, "SNPY_SUBARRAY_NEEDS_SHAPE", shape->at);
}

/* ---- types and fields --------------------------------------------------------------------------------------- */

static bool read_type(struct oracle *o, size_t *at, unsigned depth, struct oracle_type *type);

/* A type string, and the blanks behind it.                                        NPY-LIT-005, NPY-LIT-008, NPY-LIT-012 */
static bool read_type_string(struct oracle *o, size_t *at, struct oracle_type *type)
{
    char quote = 0;
    if (!take_quote(o, at, &quote, "SNPY_EXPECTED_TYPE")) return false;
    type->form = '\'';
    type->text_at = ++*at;
    for (; !has(o, *at, quote); ++*at) {
        if (*at >= o->length) return oracle_refuse(o, "SNPY_UNEXPECTED_END", *at);
        if (o->text[*at] < 0x20 || o->text[*at] == 0x7f) return oracle_refuse(o, "SNPY_CONTROL_IN_STRING", *at);
        if (o->text[*at] == '\\') return oracle_refuse(o, "SNPY_ESCAPE_IN_TYPE", *at);
    }
    type->text_end = *at;
    *at = skip(o, *at + 1);
    return true;
}

/* A name, or a pair of title and name.                                                   NPY-LIT-011, NPY-DTYPE-016 */
static bool read_label(struct oracle *o, size_t *at, struct oracle_field *field)
{
    if (!take_optional(o, at, '(')) return read_name(o, at, &field->name);
    field->has_title = true;
    if (!read_name(o, at, &field->title)) return false;
    if (!take(o, at, ',', "SNPY_EXPECTED_COMMA")) return false;
    if (!read_name(o, at, &field->name)) return false;
    take_optional(o, at, ',');
    return take(o, at, ')', "SNPY_EXPECTED_CLOSE");
}

/* A field, and the blanks behind it.                                            NPY-LIT-010, NPY-LIT-011, NPY-LIT-014 */
static bool read_field(struct oracle *o, size_t *at, unsigned depth, struct oracle_field *field)
{
    if (!take(o, at, '(', "SNPY_EXPECTED_FIELD")) return false;
    if (!read_label(o, at, field)) return false;
    if (!take(o, at, ',', "SNPY_EXPECTED_COMMA")) return false;
    if (!read_type(o, at, depth, &field->type)) return false;
    bool needs_shape = field->type.form == '(';
    if (!has(o, *at, ')') && !take(o, at, ',', "SNPY_EXPECTED_COMMA")) return false;
    if (!needs_shape && take_optional(o, at, ')')) return true;
    field->has_shape = true;
    if (!(needs_shape ? read_full_shape : read_shape)(o, at, &field->shape)) return false;
    take_optional(o, at, ',');
    return take(o, at, ')', "SNPY_EXPECTED_CLOSE");
}

/* A list of fields, and the blanks behind it.                                              NPY-LIT-010, NPY-LIT-021 */
static bool read_list(struct oracle *o, size_t *at, unsigned depth, struct oracle_type *type)
{
    if (depth == 64) return oracle_refuse(o, "SNPY_TOO_DEEP", *at);
    type->form = '[';
    *at = skip(o, *at + 1);
    size_t room = 0;
    while (!take_optional(o, at, ']')) {
        if (type->field_count == room) {
            struct oracle_field *old = type->fields;
            room = 2 * room + 4;
            type->fields = oracle_memory(o, room, sizeof *type->fields);
            if (old != NULL) memcpy(type->fields, old, type->field_count * sizeof *old);
        }
        if (!read_field(o, at, depth + 1, &type->fields[type->field_count])) return false;
        type->field_count++;
        if (!has(o, *at, ']') && !take(o, at, ',', "SNPY_EXPECTED_COMMA")) return false;
    }
    return true;
}

/* A tuple of a type and a shape, and the blanks behind it.                    NPY-LIT-011, NPY-LIT-021, NPY-LIT-022 */
static bool read_tuple(struct oracle *o, size_t *at, unsigned depth, struct oracle_type *type)
{
    if (depth == 64) return oracle_refuse(o, "SNPY_TOO_DEEP", *at);
    type->form = '(';
    *at = skip(o, *at + 1);
    type->inner = oracle_memory(o, 1, sizeof *type->inner);
    if (!read_type(o, at, depth + 1, type->inner)) return false;
    if (!has(o, *at, ')') && !take(o, at, ',', "SNPY_EXPECTED_COMMA")) return false;
    if (!read_full_shape(o, at, &type->shape)) return false;
    take_optional(o, at, ',');
    return take(o, at, ')', "SNPY_EXPECTED_CLOSE");
}

/* A type inside `depth` lists and tuples, and the blanks behind it.                        NPY-LIT-012, NPY-LIT-013 */
static bool read_type(struct oracle *o, size_t *at, unsigned depth, struct oracle_type *type)
{
    type->at = *at;
    if (has(o, *at, '[')) return read_list(o, at, depth, type);
    if (!has(o, *at, '(')) return read_type_string(o, at, type);
    if (depth == 0) return oracle_refuse(o, "SNPY_TOP_LEVEL_SUBARRAY", *at);
    return read_tuple(o, at, depth, type);
}

/* ---- the dictionary ----------------------------------------------------------------------------------------- */

static bool starts_with(const struct oracle *o, size_t at, const char *word)
{
    size_t length = strlen(word);
    return o->length - at >= length && memcmp(o->text + at, word, length) == 0;
}

/* The value of fortran_order, and the blanks behind it.                                                 NPY-HDR-004 */
static bool read_order(struct oracle *o, size_t *at)
{
    o->fortran_order = starts_with(o, *at, "True");
    if (!o->fortran_order && !starts_with(o, *at, "False")) return refuse_here(o, "SNPY_BAD_FORTRAN_ORDER", *at);
    *at = skip(o, *at + (o->fortran_order ? 4 : 5));
    return true;
}

/* A key with its quotes, and the blanks behind it; which one it is.                        NPY-HDR-001, NPY-HDR-002 */
static bool read_key(struct oracle *o, size_t *at, unsigned *seen, unsigned *key)
{
    static const char *const keys[2][3] = {{"'descr'", "'fortran_order'", "'shape'"},
                                           {"\"descr\"", "\"fortran_order\"", "\"shape\""}};
    char quote = 0;
    if (!take_quote(o, at, &quote, "SNPY_EXPECTED_STRING")) return false;
    for (*key = 0; *key < 3; ++*key)
        if (starts_with(o, *at, keys[quote == '"'][*key])) break;
    if (*key == 3) return oracle_refuse(o, "SNPY_UNKNOWN_KEY", *at);
    if ((*seen >> *key & 1u) != 0) return oracle_refuse(o, "SNPY_DUPLICATE_KEY", *at);
    *seen |= 1u << *key;
    *at = skip(o, *at + strlen(keys[0][*key]));
    return true;
}

static bool read_entry(struct oracle *o, size_t *at, unsigned *seen)
{
    unsigned key;
    if (!read_key(o, at, seen, &key)) return false;
    if (!take(o, at, ':', "SNPY_EXPECTED_COLON")) return false;
    if (*at >= o->length) return oracle_refuse(o, "SNPY_UNEXPECTED_END", *at);
    if (key == 0) return read_type(o, at, 0, &o->type);
    if (key == 1) return read_order(o, at);
    return read_shape(o, at, &o->shape);
}

bool oracle_read_text(struct oracle *o)
{
    size_t at = 0;
    unsigned seen = 0;
    if (!has(o, at, '{')) return refuse_here(o, "SNPY_NOT_A_DICT", at);
    at = skip(o, 1);
    while (!has(o, at, '}')) {
        if (!read_entry(o, &at, &seen)) return false;
        if (!has(o, at, '}') && !take(o, &at, ',', "SNPY_EXPECTED_COMMA")) return false;
    }
    if (seen != 7) return oracle_refuse(o, "SNPY_MISSING_KEY", at);
    at = skip(o, at + 1);
    return at == o->length || oracle_refuse(o, "SNPY_TRAILING_TEXT", at);
}
