/* text.c: escapes text from strangers, so that a terminal can show it.
 *
 * The name of a file or a field can contain bytes that move the cursor, change colours, or reverse the reading
 * direction, so that a line reads as something it is not. */
#include "host/text.h"

#include "safenpy/safe_text.h"

#include <string.h>

/* Ranges of characters that are invisible or change how their neighbours look: C1 controls, the format characters of
 * Unicode 14 (Cf), separators, variation selectors, private use, noncharacters. */
static const uint32_t snpy_hidden[][2] = {
    {0x80, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},     {0x61c, 0x61c},
    {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},     {0x115f, 0x1160},
    {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
    {0x3164, 0x3164},   {0xd800, 0xf8ff},   {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
    {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0xfffe, 0xffff},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
    {0x13430, 0x13438}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0x10ffff}};

bool snpy_text_is_plain(uint32_t code)
{
    if (code < 0x80) return code >= 0x20 && code < 0x7f;
    for (size_t i = 0; i < sizeof snpy_hidden / sizeof snpy_hidden[0]; i++) {
        if (code >= snpy_hidden[i][0] && code <= snpy_hidden[i][1]) return false;
    }
    return true;
}

/* Returns the length of a UTF-8 sequence by its first byte; 0 if no sequence begins with that byte. */
static size_t sequence_length(uint8_t first)
{
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first < 0xe0) return 2;
    if (first >= 0xe0 && first < 0xf0) return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

size_t snpy_text_decode(const uint8_t *bytes, size_t length, snpy_text_encoding encoding, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    static const uint8_t mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    size_t size = encoding == SNPY_TEXT_LATIN1 ? 1 : sequence_length(bytes[0]);
    if (size == 0 || size > length) return 0;
    *code = encoding == SNPY_TEXT_LATIN1 ? bytes[0] : (uint32_t)(bytes[0] & mask[size]);
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80) return 0;
        *code = *code * 64 + (bytes[i] & 0x3fu);
    }
    bool is_surrogate = *code >= 0xd800 && *code < 0xe000;
    if (*code < smallest[size] || *code > 0x10ffff) return 0;
    return is_surrogate && encoding == SNPY_TEXT_UTF8 ? 0 : size;
}

size_t snpy_text_escape(uint32_t code, char out[SNPY_TEXT_ESCAPE_CAPACITY])
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

/* Appends a piece if it fits whole, with a NUL after it. If not, sets *room so that the text ends here and later pieces
 * are left out, too. *length counts all pieces. */
static void snpy_text_add(char *out, size_t *room, size_t *length, const char *piece, size_t size)
{
    if (*length < *room && size < *room - *length)
        memcpy(out + *length, piece, size);
    else if (*length < *room)
        *room = *length + 1;
    *length += size;
}

size_t snpy_safe_text(const void *text, size_t length, char *out, size_t capacity)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *bytes = text;
    size_t room = capacity;
    size_t written = 0;
    for (size_t at = 0; at < length;) {
        char escape[SNPY_TEXT_ESCAPE_CAPACITY] = "\\x";
        uint32_t code = 0;
        const size_t size = snpy_text_decode(bytes + at, length - at, SNPY_TEXT_SURROGATES, &code);
        if (size == 0) {
            escape[2] = digits[bytes[at] / 16];
            escape[3] = digits[bytes[at] % 16];
            snpy_text_add(out, &room, &written, escape, 4);
        } else if (code == '\\') {
            snpy_text_add(out, &room, &written, "\\\\", 2);
        } else if (snpy_text_is_plain(code)) {
            snpy_text_add(out, &room, &written, (const char *)bytes + at, size);
        } else {
            snpy_text_add(out, &room, &written, escape, snpy_text_escape(code, escape));
        }
        at += size > 0 ? size : 1;
    }
    if (capacity > 0) out[written < room ? written : room - 1] = '\0';
    return written;
}
