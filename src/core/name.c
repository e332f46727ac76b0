/* name.c: decodes names and titles of fields.                                                             NPY-DTYPE-013
 * Proves that nothing outside the span is read and nothing outside the buffer is written. duplicates.c compares names,
 * the writer escapes them. */
#include "core/name.h"

void snpy_put_code_point(struct snpy_sink *sink, uint32_t code_point, bool utf8)
{
    if (code_point < 0x80 || (code_point <= 0xff && !utf8)) {
        snpy_put(sink, (uint8_t)code_point);
        return;
    }
    if (code_point < 0x800) {
        snpy_put(sink, (uint8_t)(0xc0 + code_point / 64));
    } else if (code_point < 0x10000) {
        snpy_put(sink, (uint8_t)(0xe0 + code_point / 4096));
        snpy_put(sink, (uint8_t)(0x80 + code_point / 64 % 64));
    } else {
        snpy_put(sink, (uint8_t)(0xf0 + code_point / 262144));
        snpy_put(sink, (uint8_t)(0x80 + code_point / 4096 % 64));
        snpy_put(sink, (uint8_t)(0x80 + code_point / 64 % 64));
    }
    snpy_put(sink, (uint8_t)(0x80 + code_point % 64));
}

size_t snpy_name_next(const uint8_t *text, size_t end, size_t pos, snpy_name_encoding encoding, uint32_t *code_point)
{
    size_t stop = pos;
    *code_point = 0;
    if (encoding != SNPY_NAME_PLAIN && text[pos] == '\\') {
        if (snpy_lex_escape(text, end, pos, code_point, &stop) != SNPY_OK) return 0;
        return stop - pos;
    }
    if (encoding != SNPY_NAME_LATIN1) return snpy_utf8_next(text, end, pos, encoding == SNPY_NAME_PLAIN, code_point);
    *code_point = text[pos];
    return 1;
}

snpy_status snpy_name_decode(const uint8_t *text, size_t text_length, size_t offset, size_t length,
                             snpy_name_encoding encoding, uint8_t *out, size_t capacity, uint64_t *size,
                             size_t *surrogates)
{
    struct snpy_sink sink = {out, capacity, 0};
    size_t end = offset + length;
    size_t pos = offset;
    size_t found = 0;
    uint32_t code_point = 0;
    (void)text_length; /* used in the contract only: the span is inside the text */
    *size = 0;
    *surrogates = 0;
    /*@ loop invariant range: offset <= pos <= end && found <= pos - offset;
        loop invariant sink: sink.out == out && sink.capacity == capacity;
        loop assigns pos, found, code_point, sink.length, out[0 .. capacity-1];
        loop variant end - pos; */
    while (pos < end) {
        size_t step = snpy_name_next(text, end, pos, encoding, &code_point);
        if (step == 0) return SNPY_WRITE_NAME;
        if (code_point >= 0xd800 && code_point <= 0xdfff) found++;
        snpy_put_code_point(&sink, code_point, true);
        pos += step;
    }
    *size = sink.length;
    *surrogates = found;
    return sink.length <= capacity ? SNPY_OK : SNPY_BUFFER_TOO_SMALL;
}
