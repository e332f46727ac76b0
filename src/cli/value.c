/* value.c: writes one value of an array as text, in JSON or in CSV.
 * shortest.c writes floats, moment.c datetimes; tests/data compares them with NumPy.
 *
 * A text can have up to 2 GiB, so it is written in pieces. */
#include "cli/data.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whether a number is no code point or a surrogate, which a JSON string cannot hold. */
static bool is_beyond(uint32_t code)
{
    return code > 0x10ffff || (code >= 0xd800 && code < 0xe000);
}

/* Writes a character in UTF-8. */
static void put_utf8(uint32_t code)
{
    char out[4];
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(first[length] | code);
    cli_put_bytes(&cli_output, out, length);
}

/* Writes a character inside quotes, with the escapes of Python if a terminal would not show it. With `is_bytes` it is a
 * byte of kind S. */
static void put_escaped(uint32_t code, bool is_bytes, enum cli_style style)
{
    const bool is_csv = style == CLI_STYLE_CSV;
    const bool is_quote = code == (is_csv ? '"' : '\'');
    const bool is_plain = !is_beyond(code) && snpy_text_is_plain(code) && !(is_bytes && code >= 0x80);
    char escape[16] = {is_csv && is_quote ? '"' : '\\', (char)(code & 0x7f), '\0'};
    if (code == '\n' || code == '\r' || code == '\t')
        escape[1] = code == '\n' ? 'n' : code == '\r' ? 'r' : 't';
    else if (!is_plain)
        (void)snprintf(escape, sizeof escape,
                       code > 0x10ffff  ? "\\u{%x}" /* no code point: Python has no escape for it */
                       : code < 0x100   ? "\\x%02x"
                       : code < 0x10000 ? "\\u%04x"
                                        : "\\U%08x",
                       (unsigned)code);
    else if (!is_quote && code != '\\')
        escape[0] = '\0';
    if (escape[0] == '\0')
        put_utf8(code);
    else
        cli_put(&cli_output, escape);
}

/* Writes a character of a text in the given style. With is_bytes it is a byte, and those outside ASCII are escaped. */
static void put_character(uint32_t code, bool is_bytes, enum cli_style style)
{
    if (style == CLI_STYLE_JSON)
        cli_json_character(&cli_output, code);
    else if (code >= 0x20 && code < 0x7f && code != '\\' && code != '"' && code != '\'')
        put_utf8(code);
    else
        put_escaped(code, is_bytes, style);
}

void cli_put_quoted(const uint8_t *bytes, size_t length, enum cli_style style)
{
    const char *quote = style == CLI_STYLE_TEXT ? "'" : "\"";
    cli_put(&cli_output, quote);
    for (size_t at = 0; at < length;) {
        uint32_t code = 0xfffd;
        size_t size = snpy_text_decode(bytes + at, length - at, SNPY_TEXT_SURROGATES, &code);
        put_character(code, false, style);
        at += size > 0 ? size : 1;
    }
    cli_put(&cli_output, quote);
}

/* Iterates over the characters of an element of kind S or U, without the zeros at its end. */
typedef struct letters {
    cli_element *element;
    uint64_t at;   /* offset of the next piece in the element */
    uint64_t left; /* bytes after it that were not read */
    uint64_t zeros;
    uint32_t held; /* the character that follows `zeros` zeros */
    bool has_held;
    uint32_t unit; /* bytes of a character */
    bool is_big;
    const uint8_t *piece;
    size_t piece_left;
} letters;

/* Starts at the first character of the value at `at`. */
static letters begin_letters(cli_element *element, uint64_t at, const snpy_dtype *dtype)
{
    letters result = {.element = element, .at = at, .left = dtype->itemsize};
    result.unit = dtype->kind == SNPY_KIND_STRING ? 4 : 1;
    result.is_big = dtype->byteorder == '>';
    return result;
}

/* Reads the next character, zeros included. Returns false at the end, or if reading fails. */
static bool next_unit(letters *text, uint32_t *code)
{
    if (text->piece_left == 0) {
        size_t size = text->left < CLI_PIECE ? (size_t)text->left : CLI_PIECE;
        size -= size % text->unit;
        if (size == 0) return false;
        text->piece = cli_element_bytes(text->element, text->at, size);
        if (text->piece == NULL) return false;
        text->piece_left = size;
        text->at += size;
        text->left -= size;
    }
    *code = 0;
    for (uint32_t i = 0; i < text->unit; i++)
        *code = *code * 256 + text->piece[text->is_big || text->unit == 1 ? i : text->unit - 1 - i];
    text->piece += text->unit;
    text->piece_left -= text->unit;
    return true;
}

/* Reads the next character. Zeros are returned only if another character follows them. Returns false at the end, or if
 * reading fails. */
static bool next_letter(letters *text, uint32_t *code)
{
    while (!text->has_held) {
        if (!next_unit(text, code)) return false;
        if (*code != 0 && text->zeros == 0) return true;
        if (*code != 0) {
            text->has_held = true;
            text->held = *code;
        } else {
            text->zeros++;
        }
    }
    *code = 0;
    if (text->zeros > 0) {
        text->zeros--;
        return true;
    }
    *code = text->held;
    text->has_held = false;
    return true;
}

/* Whether a JSON string can hold the text of an element. */
static bool is_sayable(cli_element *element, uint64_t at, const snpy_dtype *dtype)
{
    letters text = begin_letters(element, at, dtype);
    uint32_t code = 0;
    while (next_letter(&text, &code))
        if (is_beyond(code)) return false;
    return true;
}

/* Writes the code points of a text as an array of numbers. */
static void put_code_points(cli_element *element, uint64_t at, const snpy_dtype *dtype)
{
    letters text = begin_letters(element, at, dtype);
    const char *separator = "[";
    uint32_t code = 0;
    while (next_letter(&text, &code)) {
        cli_say(&cli_output, "%s%" PRIu64, separator, (uint64_t)code);
        separator = ", ";
    }
    cli_put(&cli_output, "]");
}

/* Writes a text of kind S or U; in JSON as an array of code points if a string cannot hold it. */
static void put_text(cli_element *element, uint64_t at, const snpy_dtype *dtype, enum cli_style style)
{
    const bool is_bytes = dtype->kind == SNPY_KIND_BYTES;
    const char *quote = style == CLI_STYLE_TEXT ? "'" : "\"";
    letters text = begin_letters(element, at, dtype);
    uint32_t code = 0;
    if (style == CLI_STYLE_JSON && !is_bytes && !is_sayable(element, at, dtype)) {
        put_code_points(element, at, dtype);
        return;
    }
    if (style == CLI_STYLE_TEXT && is_bytes) cli_put(&cli_output, "b");
    cli_put(&cli_output, quote);
    while (next_letter(&text, &code)) put_character(code, is_bytes, style);
    cli_put(&cli_output, quote);
}

/* Writes a word, in JSON as a string. */
static void put_word(const char *text, size_t length, enum cli_style style)
{
    if (style == CLI_STYLE_JSON) cli_put(&cli_output, "\"");
    cli_put_bytes(&cli_output, text, length);
    if (style == CLI_STYLE_JSON) cli_put(&cli_output, "\"");
}

/* Writes bytes as hexadecimal digits, in the order of the file; for values that have no other text here. */
static void put_hex(cli_element *element, uint64_t at, uint64_t size, enum cli_style style)
{
    static const char digits[] = "0123456789abcdef";
    cli_put(&cli_output, style == CLI_STYLE_JSON ? "\"0x" : "0x");
    while (size > 0) {
        size_t step = size < CLI_PIECE ? (size_t)size : CLI_PIECE;
        const uint8_t *bytes = cli_element_bytes(element, at, step);
        if (bytes == NULL) return;
        for (size_t i = 0; i < step; i++) {
            char pair[2] = {digits[bytes[i] / 16], digits[bytes[i] % 16]};
            cli_put_bytes(&cli_output, pair, sizeof pair);
        }
        at += step;
        size -= step;
    }
    if (style == CLI_STYLE_JSON) cli_put(&cli_output, "\"");
}

/* Writes a float of any size; a whole number gets ".0" if `has_point`. Returns its length; 0 if this machine cannot
 * interpret it. */
static size_t write_float(const uint8_t *bytes, uint32_t size, bool is_big, bool has_point,
                          char out[CLI_FLOAT_CAPACITY])
{
    uint64_t bits = 0;
    if (size == 16) return cli_long_float_text(bytes, is_big, has_point, out);
    if (size != 2 && size != 4 && size != 8) return 0;
    for (uint32_t i = 0; i < size; i++) bits = bits << 8 | bytes[is_big ? i : size - 1 - i];
    return cli_float_text(bits, size, has_point, out);
}

/* Writes the text of a float. JSON has no infinities and NaNs, so these are strings there. */
static void put_float_text(const char *text, size_t length, enum cli_style style)
{
    bool is_number = text[length - 1] != 'n' && text[length - 1] != 'f';
    if (style != CLI_STYLE_JSON || is_number)
        cli_put_bytes(&cli_output, text, length);
    else
        cli_put(&cli_output, text[0] == 'n' ? "\"NaN\"" : text[0] == 'i' ? "\"Infinity\"" : "\"-Infinity\"");
}

/* Writes a float, or its bytes in hexadecimal if this machine cannot interpret it. */
static void put_float(cli_element *element, uint64_t at, const snpy_dtype *dtype, enum cli_style style)
{
    char text[CLI_FLOAT_CAPACITY];
    const uint8_t *bytes = cli_element_bytes(element, at, dtype->itemsize);
    if (bytes == NULL) return;
    size_t length = write_float(bytes, dtype->itemsize, dtype->byteorder == '>', true, text);
    if (length == 0)
        put_hex(element, at, dtype->itemsize, style);
    else
        put_float_text(text, length, style);
}

/* Writes a complex number: "(1-2j)" as in Python; in JSON an array of two numbers. */
static void put_complex(cli_element *element, uint64_t at, const snpy_dtype *dtype, enum cli_style style)
{
    const bool is_json = style == CLI_STYLE_JSON;
    const uint32_t half = dtype->itemsize / 2;
    char parts[2][CLI_FLOAT_CAPACITY];
    size_t lengths[2];
    const uint8_t *bytes = cli_element_bytes(element, at, dtype->itemsize);
    if (bytes == NULL) return;
    for (size_t i = 0; i < 2; i++)
        lengths[i] = write_float(bytes + i * half, half, dtype->byteorder == '>', is_json, parts[i]);
    if (lengths[0] == 0 || lengths[1] == 0) {
        put_hex(element, at, dtype->itemsize, style);
        return;
    }
    cli_put(&cli_output, is_json ? "[" : "(");
    put_float_text(parts[0], lengths[0], style);
    cli_put(&cli_output, is_json ? ", " : parts[1][0] == '-' ? "" : "+");
    put_float_text(parts[1], lengths[1], style);
    cli_put(&cli_output, is_json ? "]" : "j)");
}

/* Writes a signed integer, a bool, a datetime or a timedelta. */
static void put_integer(cli_element *element, uint64_t at, const snpy_dtype *dtype, enum cli_style style)
{
    char text[CLI_MOMENT_CAPACITY];
    int64_t value = 0;
    const uint8_t *bytes = cli_element_bytes(element, at, dtype->itemsize);
    if (bytes == NULL) return;
    (void)snpy_get_int(bytes, dtype, &value); /* cannot fail: the kind is right */
    if (dtype->kind == SNPY_KIND_INT) {
        if (value < 0) cli_put(&cli_output, "-");
        cli_put_number(&cli_output, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
    } else if (dtype->kind == SNPY_KIND_BOOL) {
        cli_put(&cli_output, style == CLI_STYLE_JSON ? (value != 0 ? "true" : "false") : value != 0 ? "True" : "False");
    } else {
        put_word(text, cli_moment_text(value, dtype, text), style);
    }
}

void cli_put_value(cli_element *element, uint64_t at, const snpy_dtype *dtype, enum cli_style style)
{
    uint64_t number = 0;
    const uint8_t *bytes = NULL;
    switch (dtype->kind) {
    case SNPY_KIND_FLOAT:
        put_float(element, at, dtype, style);
        return;
    case SNPY_KIND_COMPLEX:
        put_complex(element, at, dtype, style);
        return;
    case SNPY_KIND_UINT:
        bytes = cli_element_bytes(element, at, dtype->itemsize);
        if (bytes == NULL) return;
        (void)snpy_get_uint(bytes, dtype, &number);
        cli_put_number(&cli_output, number);
        return;
    case SNPY_KIND_BYTES:
    case SNPY_KIND_STRING:
        put_text(element, at, dtype, style);
        return;
    case SNPY_KIND_VOID:
        put_hex(element, at, dtype->itemsize, style);
        return;
    default:
        put_integer(element, at, dtype, style);
    }
}
