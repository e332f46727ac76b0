/* name.c: a name, decoded by snpy_name_decode. Holds: what comes out is what a plain decoder of this harness says, in
 * any amount of room; what does not fit is measured all the same. The first byte of the input is the encoding. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* The number of hexadecimal digits at `text`, none if one is missing. */
static bool read_hex(const uint8_t *text, size_t left, size_t digits, uint32_t *point)
{
    *point = 0;
    if (left < digits) return false;
    for (size_t i = 0; i < digits; i++) {
        const char *all = "00112233445566778899aAbBcCdDeEfF";
        const char *digit = text[i] == 0 ? NULL : strchr(all, text[i]);
        if (digit == NULL || *point > 0xfffffff) return false;
        *point = *point * 16 + (uint32_t)(digit - all) / 2;
    }
    return *point <= 0x10ffff;
}

/* Bytes that an escape takes, 0 if it is none. */
static size_t read_escape(const uint8_t *text, size_t left, uint32_t *point)
{
    static const char letters[] = "\\'\"nrt";
    static const char values[] = "\\'\"\n\r\t";
    if (left < 2 || text[1] == 0) return 0;
    const char *letter = strchr(letters, text[1]);
    size_t digits = text[1] == 'x' ? 2 : text[1] == 'u' ? 4 : text[1] == 'U' ? 8 : 0;
    if (letter != NULL) {
        *point = (uint8_t)values[letter - letters];
        return 2;
    }
    return digits > 0 && read_hex(text + 2, left - 2, digits, point) ? 2 + digits : 0;
}

/* Bytes that a character of UTF-8 takes, 0 if it is none: found by encoding what it seems to be. */
static size_t read_utf8(const uint8_t *text, size_t left, bool surrogates, uint32_t *point)
{
    size_t size = text[0] < 0x80 ? 1 : text[0] < 0xc0 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (size == 0 || size > left || text[0] >= 0xf8) return 0;
    *point = size == 1 ? text[0] : text[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
        *point = *point << 6 | (text[i] & 0x3fu);
    }
    if (*point < least[size] || *point > 0x10ffff) return 0;
    return *point >= 0xd800 && *point <= 0xdfff && !surrogates ? 0 : size;
}

static size_t put_utf8(uint32_t point, uint8_t out[4])
{
    size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t k = size; k > 1; k--, point >>= 6) out[k - 1] = (uint8_t)(0x80u | (point & 0x3fu));
    out[0] = (uint8_t)(size == 1 ? point : (0xf00u >> size & 0xffu) | point);
    return size;
}

/* Decodes plainly; returns whether there is a name. */
static bool decode(const uint8_t *text, size_t length, snpy_name_encoding encoding, uint8_t *out, size_t *size,
                   size_t *surrogates)
{
    *size = 0;
    *surrogates = 0;
    for (size_t at = 0, step; at < length; at += step) {
        uint32_t point = text[at];
        step = 1;
        if (encoding != SNPY_NAME_PLAIN && text[at] == '\\')
            step = read_escape(text + at, length - at, &point);
        else if (encoding != SNPY_NAME_LATIN1)
            step = read_utf8(text + at, length - at, encoding == SNPY_NAME_PLAIN, &point);
        if (step == 0) return false;
        if (point >= 0xd800 && point <= 0xdfff) ++*surrogates;
        *size += put_utf8(point, out + *size);
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    snpy_name_encoding encoding = data[0] == 4 ? SNPY_NAME_PLAIN : data[0] == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1;
    const uint8_t *text = data + 1;
    size_t length = size - 1;
    uint8_t *wanted = fuzz_memory(4 * length, 1);
    size_t wanted_size;
    size_t wanted_surrogates;
    bool is_name = decode(text, length, encoding, wanted, &wanted_size, &wanted_surrogates);
    size_t rooms[] = {0, wanted_size / 2, wanted_size > 0 ? wanted_size - 1 : 0, wanted_size, wanted_size + 1};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        uint8_t *out = fuzz_memory(rooms[i], 1);
        uint64_t found;
        size_t surrogates;
        snpy_status status = snpy_name_decode(data, size, 1, length, encoding, out, rooms[i], &found, &surrogates);
        if (!is_name) {
            FUZZ_MUST(status == SNPY_WRITE_NAME);
        } else {
            FUZZ_MUST(status == (wanted_size <= rooms[i] ? SNPY_OK : SNPY_BUFFER_TOO_SMALL));
            FUZZ_MUST(found == wanted_size && surrogates == wanted_surrogates);
            FUZZ_MUST(status != SNPY_OK || memcmp(out, wanted, wanted_size) == 0);
        }
        free(out);
    }
    free(wanted);
    return 0;
}
