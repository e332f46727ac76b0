/* text.c: code points, escapes, numbers and names that are written are read back as they were. */
#include "any.h"
#include "core/pen.c"

#define ROOM 40

/* Which characters beyond ASCII are printable does not matter: what is written is read back either way. */
bool snpy_is_printable(uint32_t code_point)
{
    return code_point < 0x80 ? code_point >= 0x20 && code_point < 0x7f : nondet_bool();
}

static struct snpy_pen begin_pen(uint8_t *out)
{
    struct snpy_pen pen = {{out, ROOM, 0}, nondet_bool(), false};
    return pen;
}

/* Every code point in UTF-8 is read back; surrogates only where they are allowed. */
void code_points(void)
{
    uint8_t out[ROOM] = {0};
    struct snpy_sink sink = {out, ROOM, 0};
    const bool allow_surrogates = nondet_bool();
    const uint32_t written = nondet_uint32();
    uint32_t read = 0;
    ASSUME(written <= 0x10ffff);
    snpy_put_code_point(&sink, written, true);
    const size_t size = snpy_utf8_next(out, (size_t)sink.length, 0, allow_surrogates, &read);
    const bool is_surrogate = written >= 0xd800 && written <= 0xdfff;
    CHECK(size == (is_surrogate && !allow_surrogates ? 0 : sink.length));
    CHECK(size == 0 || read == written);
}

/* Whatever bytes are read as a code point: it is written with the same bytes. */
void utf8(void)
{
    uint8_t text[4] = {nondet_byte(), nondet_byte(), nondet_byte(), nondet_byte()};
    uint8_t out[ROOM] = {0};
    struct snpy_sink sink = {out, ROOM, 0};
    uint32_t read = 0;
    const size_t size = snpy_utf8_next(text, 4, 0, nondet_bool(), &read);
    if (size == 0) return;
    snpy_put_code_point(&sink, read, true);
    CHECK(sink.length == size);
    for (size_t i = 0; i < 4; i++) CHECK(i >= size || out[i] == text[i]);
}

/* An escape that the writer chooses is read back, whatever follows it. */
void escapes(void)
{
    uint8_t out[ROOM];
    struct snpy_pen pen = begin_pen(out);
    const uint32_t written = nondet_uint32();
    uint32_t read = 0;
    size_t stop = 0;
    for (size_t i = 0; i < ROOM; i++) out[i] = nondet_byte();
    ASSUME(written <= 0x10ffff);
    pen_escape(&pen, written);
    CHECK(pen.sink.length <= 10);
    const snpy_status status = snpy_lex_escape(out, ROOM, 0, &read, &stop);
    CHECK(status == SNPY_OK && read == written && stop == pen.sink.length);
}

/* A number is written with as many digits as are counted, and read back. */
void numbers(void)
{
    uint8_t out[ROOM] = {0};
    struct snpy_pen pen = begin_pen(out);
    const uint64_t written = nondet_uint64();
    uint64_t read = 0;
    ASSUME(written <= 0xffff);
    snpy_pen_number(&pen, written);
    CHECK(pen.sink.length == snpy_count_digits(written));
    CHECK(snpy_lex_digits(out, ROOM, 0, SNPY_MAX_SIZE, &read) == pen.sink.length && read == written);
}

/* A name of any character, and one that could end or escape it, is written as a literal that the parser reads, with the same
 * characters. */
void names(void)
{
    static const uint8_t others[4] = {'a', '\'', '"', '\\'};
    uint8_t name[8] = {0};
    uint8_t out[ROOM] = {0};
    struct snpy_pen pen = {{out, ROOM, 0}, true, false};
    struct snpy_sink sink = {name, sizeof name, 0};
    const uint32_t first = nondet_uint32();
    const uint8_t second = others[nondet_byte() % 4];
    uint32_t read = 0;
    size_t start = 0;
    size_t stop = 0;
    ASSUME(first <= 0x10ffff && (first < 0xd800 || first > 0xdfff));
    snpy_put_code_point(&sink, first, true);
    snpy_put(&sink, second);
    CHECK(snpy_pen_name(&pen, name, sizeof name, 0, (size_t)sink.length, SNPY_NAME_PLAIN));
    const size_t length = (size_t)pen.sink.length;
    CHECK(length <= 14);
    CHECK(snpy_lex_string(out, length, 0, &start, &stop) == SNPY_OK && start == 1 && stop == length);
    const size_t step = snpy_name_next(out, stop - 1, start, SNPY_NAME_UTF8, &read);
    CHECK(step > 0 && read == first);
    CHECK(snpy_name_next(out, stop - 1, start + step, SNPY_NAME_UTF8, &read) == stop - 1 - start - step &&
          read == second);
}
