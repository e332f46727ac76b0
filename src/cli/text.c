/* text.c: bytes that strangers chose, made fit for a terminal.
 * Proves nothing. Leaves the escapes of JSON to json.c.
 *
 * A file name or a field name can hold bytes that move the cursor, change colours, or turn the reading
 * direction around so that a line says something else than it does. */
#include "cli/cli.h"

#include <string.h>

/* Ranges of characters that change how their neighbours look, or that nobody sees: C1 controls, the
 * format characters of Unicode 14 (Cf), separators, variation selectors, private use, noncharacters. */
static const uint32_t hidden[][2] = {
    {0x80, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},     {0x61c, 0x61c},
    {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},     {0x115f, 0x1160},
    {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
    {0x3164, 0x3164},   {0xd800, 0xf8ff},   {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
    {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0xfffe, 0xffff},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
    {0x13430, 0x13438}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0x10ffff}};

bool cli_is_plain(uint32_t code)
{
    if (code < 0x80) return code >= 0x20 && code < 0x7f;
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        if (code >= hidden[i][0] && code <= hidden[i][1]) return false;
    }
    return true;
}

/* The bytes that a UTF-8 sequence has by its first byte; 0 if none begins so. */
static size_t sequence_length(uint8_t first)
{
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first < 0xe0) return 2;
    if (first >= 0xe0 && first < 0xf0) return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

size_t cli_decode(const uint8_t *bytes, size_t length, enum cli_encoding encoding, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    static const uint8_t mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    size_t size = encoding == CLI_LATIN1 ? 1 : sequence_length(bytes[0]);
    if (size == 0 || size > length) return 0;
    *code = encoding == CLI_LATIN1 ? bytes[0] : (uint32_t)(bytes[0] & mask[size]);
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80) return 0;
        *code = *code * 64 + (bytes[i] & 0x3fu);
    }
    bool is_surrogate = *code >= 0xd800 && *code < 0xe000;
    if (*code < smallest[size] || *code > 0x10ffff) return 0;
    return is_surrogate && encoding == CLI_UTF8 ? 0 : size;
}

size_t cli_escape(uint32_t code, char out[CLI_ESCAPE_ROOM])
{
    static const char digits[] = "0123456789abcdef";
    size_t at = 0;
    out[at++] = '\\';
    if (code < 0x80) {
        out[at++] = 'x';
        out[at++] = digits[code / 16];
        out[at++] = digits[code % 16];
        return at;
    }
    out[at++] = 'u';
    out[at++] = '{';
    unsigned shift = 20;
    while (shift > 0 && (code >> shift) == 0) shift -= 4;
    for (;; shift -= 4) {
        out[at++] = digits[(code >> shift) & 15u];
        if (shift == 0) break;
    }
    out[at++] = '}';
    return at;
}

/* Puts a byte that is no character: \xHH, which no character from 0x80 on is written as. */
static void put_bad_byte(cli_stream *stream, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";
    char escape[4] = {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    cli_put_bytes(stream, escape, sizeof escape);
}

/* Puts text made safe, its backslashes doubled or not. */
static void put_text(cli_stream *stream, const uint8_t *bytes, size_t length, enum cli_encoding encoding, bool doubles)
{
    char escape[CLI_ESCAPE_ROOM];
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t size = cli_decode(bytes + at, length - at, encoding, &code);
        if (size == 0) {
            put_bad_byte(stream, bytes[at++]);
            continue;
        }
        if (doubles && code == '\\') cli_put(stream, "\\");
        if (cli_is_plain(code))
            cli_put_bytes(stream, (const char *)bytes + at, size);
        else
            cli_put_bytes(stream, escape, cli_escape(code, escape));
        at += size;
    }
}

void cli_put_safe(cli_stream *stream, const uint8_t *bytes, size_t length, enum cli_encoding encoding)
{
    put_text(stream, bytes, length, encoding, false);
}

void cli_put_exact(cli_stream *stream, const uint8_t *bytes, size_t length, enum cli_encoding encoding)
{
    put_text(stream, bytes, length, encoding, true);
}

void cli_put_argument(cli_stream *stream, const char *argument)
{
    cli_put_exact(stream, (const uint8_t *)argument, strlen(argument), CLI_UTF8);
}
