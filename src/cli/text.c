/* text.c: writes text from outside so that it is safe on a terminal.
 * host/text.c decodes and escapes characters, json.c escapes for JSON. */
#include "cli/cli.h"

#include <string.h>

/* Writes a byte that is not part of a character as \xHH. No character from 0x80 on is written so. */
static void put_bad_byte(cli_stream *stream, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";
    char escape[4] = {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    cli_put_bytes(stream, escape, sizeof escape);
}

/* Writes text with unsafe characters escaped, and backslashes doubled if `doubles`. */
static void put_text(cli_stream *stream, const uint8_t *bytes, size_t length, snpy_text_encoding encoding, bool doubles)
{
    char escape[SNPY_TEXT_ESCAPE_CAPACITY];
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t size = snpy_text_decode(bytes + at, length - at, encoding, &code);
        if (size == 0) {
            put_bad_byte(stream, bytes[at++]);
            continue;
        }
        if (doubles && code == '\\') cli_put(stream, "\\");
        if (snpy_text_is_plain(code))
            cli_put_bytes(stream, (const char *)bytes + at, size);
        else
            cli_put_bytes(stream, escape, snpy_text_escape(code, escape));
        at += size;
    }
}

void cli_put_safe(cli_stream *stream, const uint8_t *bytes, size_t length, snpy_text_encoding encoding)
{
    put_text(stream, bytes, length, encoding, false);
}

void cli_put_exact(cli_stream *stream, const uint8_t *bytes, size_t length, snpy_text_encoding encoding)
{
    put_text(stream, bytes, length, encoding, true);
}

void cli_put_argument(cli_stream *stream, const char *argument)
{
    cli_put_exact(stream, (const uint8_t *)argument, strlen(argument), SNPY_TEXT_UTF8);
}
