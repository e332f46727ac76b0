/* plain.c: what a careful programmer writes without proofs, records, escapes, or positions of errors: one
 * pass, byte by byte, keys in any order, every read and every product checked. It is here for scale. */
#include "plain.h"

#include <string.h>

typedef struct cursor {
    const uint8_t *text;
    size_t length;
    size_t pos;
} cursor;

static void skip_blanks(cursor *c)
{
    while (c->pos < c->length && (c->text[c->pos] == ' ' || (c->text[c->pos] >= '\t' && c->text[c->pos] <= '\r')))
        c->pos++;
}

static bool take(cursor *c, char byte)
{
    skip_blanks(c);
    if (c->pos == c->length || c->text[c->pos] != (uint8_t)byte) return false;
    c->pos++;
    return true;
}

static bool take_word(cursor *c, const char *word)
{
    size_t size = strlen(word);
    skip_blanks(c);
    if (c->length - c->pos < size || memcmp(c->text + c->pos, word, size) != 0) return false;
    c->pos += size;
    return true;
}

static bool take_number(cursor *c, uint64_t *value)
{
    size_t begin = c->pos;
    *value = 0;
    while (c->pos < c->length && c->text[c->pos] >= '0' && c->text[c->pos] <= '9') {
        uint64_t digit = (uint64_t)c->text[c->pos] - '0';
        if (*value > (UINT64_MAX - digit) / 10) return false;
        *value = *value * 10 + digit;
        c->pos++;
    }
    return c->pos > begin && (c->text[begin] != '0' || c->pos == begin + 1);
}

static bool take_quote(cursor *c, uint8_t *quote)
{
    skip_blanks(c);
    if (c->pos == c->length) return false;
    *quote = c->text[c->pos];
    if (*quote != '\'' && *quote != '"') return false;
    c->pos++;
    return true;
}

static bool one_of(char byte, const char *set)
{
    return byte != '\0' && strchr(set, byte) != NULL;
}

static bool take_type(cursor *c, plain_header *header)
{
    uint8_t quote;
    uint64_t size;
    if (!take_quote(c, &quote) || c->length - c->pos < 2) return false;
    header->byteorder = (char)c->text[c->pos++];
    header->kind = (char)c->text[c->pos++];
    if (!one_of(header->byteorder, "<>|") || !one_of(header->kind, "biufcSUV")) return false;
    if (!take_number(c, &size) || size > (header->kind == 'U' ? 0x1fffffffu : 0x7fffffffu)) return false;
    header->itemsize = (uint32_t)(header->kind == 'U' ? 4 * size : size);
    return take(c, (char)quote);
}

static bool take_shape(cursor *c, plain_header *header)
{
    if (!take(c, '(')) return false;
    header->ndim = 0;
    while (!take(c, ')')) {
        if (header->ndim == PLAIN_MAX_NDIM || !take_number(c, &header->shape[header->ndim])) return false;
        header->ndim++;
        if (take(c, ',')) continue;
        if (header->ndim == 1 || !take(c, ')')) return false;
        break;
    }
    return true;
}

static bool settle(plain_header *header)
{
    uint64_t bound = header->itemsize > 0 ? header->itemsize : 1, size = header->itemsize;
    for (unsigned i = 0; i < header->ndim; i++) {
        uint64_t dim = header->shape[i] > 0 ? header->shape[i] : 1;
        if (bound > INT64_MAX / dim) return false;
        bound *= dim;
        size *= header->shape[i];
    }
    header->data_size = size;
    return true;
}

bool plain_parse(const uint8_t *bytes, size_t length, plain_header *header)
{
    unsigned seen = 0;
    if (length < 10 || memcmp(bytes, "\x93NUMPY\1\0", 8) != 0) return false;
    size_t size = bytes[8] + 256u * bytes[9];
    if (size > length - 10) return false;
    cursor c = {bytes + 10, size, 0};
    header->data_offset = 10 + size;
    if (!take(&c, '{')) return false;
    while (!take(&c, '}')) {
        uint8_t quote;
        unsigned key = 0;
        if (!take_quote(&c, &quote)) return false;
        if (take_word(&c, "descr"))
            key = 1;
        else if (take_word(&c, "fortran_order"))
            key = 2;
        else if (take_word(&c, "shape"))
            key = 4;
        if (key == 0 || (seen & key) != 0 || !take(&c, (char)quote) || !take(&c, ':')) return false;
        seen |= key;
        if (key == 1 && !take_type(&c, header)) return false;
        if (key == 2) {
            header->fortran_order = take_word(&c, "True");
            if (!header->fortran_order && !take_word(&c, "False")) return false;
        }
        if (key == 4 && !take_shape(&c, header)) return false;
        if (take(&c, ',')) continue;
        if (!take(&c, '}')) return false;
        break;
    }
    skip_blanks(&c);
    return seen == 7 && c.pos == c.length && settle(header);
}
