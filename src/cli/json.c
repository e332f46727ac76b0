/* json.c: JSON in pure ASCII, so that it is safe on a terminal as well.
 * Proves nothing. Leaves the order and meaning of keys to its callers. */
#include "cli/cli.h"

#include <string.h>

/* Puts one UTF-16 unit as \uXXXX. */
static void put_unit(cli_stream *stream, uint32_t unit)
{
    static const char digits[] = "0123456789abcdef";
    char escape[6] = {
        '\\', 'u', digits[unit >> 12 & 15], digits[unit >> 8 & 15], digits[unit >> 4 & 15], digits[unit & 15]};
    cli_put_bytes(stream, escape, sizeof escape);
}

/* Puts one character inside a JSON string. */
static void put_character(cli_stream *stream, uint32_t code)
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

void cli_json_string(cli_stream *stream, const uint8_t *bytes, size_t length, enum cli_encoding encoding)
{
    cli_put(stream, "\"");
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t size = cli_decode(bytes + at, length - at, encoding, &code);
        if (size == 0) {
            code = 0xdc00u + bytes[at];
            size = 1;
        }
        put_character(stream, code);
        at += size;
    }
    cli_put(stream, "\"");
}

void cli_json_text(cli_stream *stream, const char *text)
{
    cli_json_string(stream, (const uint8_t *)text, strlen(text), CLI_UTF8);
}

void cli_json_key(cli_stream *stream, const char *key, bool *first)
{
    if (!*first) cli_put(stream, ", ");
    *first = false;
    cli_json_text(stream, key);
    cli_put(stream, ": ");
}
