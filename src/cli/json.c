/* json.c: writes JSON in pure ASCII, so that it is also safe on a terminal.
 * The callers choose keys and values. */
#include "cli/cli.h"

#include <string.h>

/* Replaces what a JSON string cannot hold: many parsers refuse lone surrogates. */
#define REPLACEMENT 0xfffdu

static const char lower_digits[] = "0123456789abcdef";

/* Writes one UTF-16 unit as \uXXXX. */
static void put_unit(cli_stream *stream, uint32_t unit)
{
    const char *digits = lower_digits;
    char escape[6] = {
        '\\', 'u', digits[unit >> 12 & 15], digits[unit >> 8 & 15], digits[unit >> 4 & 15], digits[unit & 15]};
    cli_put_bytes(stream, escape, sizeof escape);
}

void cli_json_character(cli_stream *stream, uint32_t code)
{
    char plain = (char)(code & 0x7f);
    if (code == '"' || code == '\\') {
        cli_put_bytes(stream, "\\", 1);
        cli_put_bytes(stream, &plain, 1);
    } else if (code >= 0x20 && code < 0x7f) {
        cli_put_bytes(stream, &plain, 1);
    } else if (code == '\n') {
        cli_put(stream, "\\n");
    } else if (code >= 0x10000) {
        put_unit(stream, 0xd800 + ((code - 0x10000) >> 10));
        put_unit(stream, 0xdc00 + ((code - 0x10000) & 0x3ff));
    } else {
        put_unit(stream, code);
    }
}

/* Whether a code point is a surrogate, which parsers of JSON do not handle alike. */
static bool is_surrogate(uint32_t code)
{
    return code >= 0xd800 && code < 0xe000;
}

bool cli_json_string(cli_stream *stream, const uint8_t *bytes, size_t length, snpy_text_encoding encoding)
{
    bool is_exact = true;
    cli_put(stream, "\"");
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t size = snpy_text_decode(bytes + at, length - at, encoding, &code);
        if (size == 0 || is_surrogate(code)) {
            is_exact = false;
            code = REPLACEMENT;
        }
        cli_json_character(stream, code);
        at += size > 0 ? size : 1;
    }
    cli_put(stream, "\"");
    return is_exact;
}

void cli_json_code_points(cli_stream *stream, const uint8_t *bytes, size_t length)
{
    cli_put(stream, "[");
    for (size_t at = 0; at < length;) {
        uint32_t code = REPLACEMENT;
        size_t size = snpy_text_decode(bytes + at, length - at, SNPY_TEXT_SURROGATES, &code);
        if (at > 0) cli_put(stream, ", ");
        cli_put_number(stream, code);
        at += size > 0 ? size : 1;
    }
    cli_put(stream, "]");
}

/* Writes the bytes of a text as a string of hexadecimal digits. */
static void put_hex(cli_stream *stream, const char *text)
{
    cli_put(stream, "\"");
    for (; *text != '\0'; text++) {
        uint8_t byte = (uint8_t)*text;
        char digits[2] = {lower_digits[byte / 16], lower_digits[byte % 16]};
        cli_put_bytes(stream, digits, sizeof digits);
    }
    cli_put(stream, "\"");
}

void cli_json_file(cli_stream *stream, const char *name, bool *first)
{
    cli_json_key(stream, "file", first);
    if (cli_json_string(stream, (const uint8_t *)name, strlen(name), SNPY_TEXT_UTF8)) return;
    cli_json_key(stream, "file_hex", first);
    put_hex(stream, name);
}

void cli_json_text(cli_stream *stream, const char *text)
{
    cli_json_string(stream, (const uint8_t *)text, strlen(text), SNPY_TEXT_UTF8);
}

void cli_json_key(cli_stream *stream, const char *key, bool *first)
{
    if (!*first) cli_put(stream, ", ");
    *first = false;
    cli_json_text(stream, key);
    cli_put(stream, ": ");
}
