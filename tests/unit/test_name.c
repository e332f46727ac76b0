/* test_name.c: names and titles, from spans to UTF-8.                                                   NPY-DTYPE-013 */
#include "support.h"

#define L SNPY_NAME_LATIN1
#define U SNPY_NAME_UTF8
#define P SNPY_NAME_PLAIN

struct name {
    snpy_name_encoding encoding;
    struct text span;
    struct text decoded;
    size_t surrogates;
};

static const struct name names[] = {
    {L, T(""), T(""), 0},
    {U, T(""), T(""), 0},
    {P, T(""), T(""), 0},
    {L, T("abc"), T("abc"), 0},
    {U, T("abc"), T("abc"), 0},
    {P, T("abc"), T("abc"), 0},
    {L, T("a'b\"c"), T("a'b\"c"), 0},
    /* raw bytes above ASCII */
    {L, T("\xe9"), T("\xc3\xa9"), 0},
    {L, T("\x80\xff"), T("\xc2\x80\xc3\xbf"), 0},
    {L, T("\xc3\xa9"), T("\xc3\x83\xc2\xa9"), 0},
    {U, T("\xc3\xa9"), T("\xc3\xa9"), 0},
    {P, T("\xc3\xa9"), T("\xc3\xa9"), 0},
    {U, T("\xe6\x95\xb4\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"), T("\xe6\x95\xb4\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"), 0},
    /* escapes */
    {L, T("\\\\\\'\\\"\\n\\r\\t"), T("\\'\"\n\r\t"), 0},
    {U, T("\\\\\\'\\\"\\n\\r\\t"), T("\\'\"\n\r\t"), 0},
    {P, T("\\\\\\'\\\"\\n\\r\\t"), T("\\\\\\'\\\"\\n\\r\\t"), 0},
    {P, T("\\q\\"), T("\\q\\"), 0},
    {L, T("\\x00a\\u0000\\U00000000"), T("\0a\0\0"), 0},
    {P, T("\0\x01\n\x7f'"), T("\0\x01\n\x7f'"), 0},
    {L, T("\\x41\\x7f\\x80\\xFF"), T("A\x7f\xc2\x80\xc3\xbf"), 0},
    {U, T("\\u007f\\u0080\\u07ff\\u0800\\uFFFF"), T("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"), 0},
    {L, T("\\U0000ffff\\U00010000\\U0010FFFF"), T("\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"), 0},
    {U, T("\xc3\xa9\\xe9\\u00e9"), T("\xc3\xa9\xc3\xa9\xc3\xa9"), 0},
    /* surrogates: three bytes each, pairs not joined */
    {L, T("\\ud7ff\\ud800\\udfff\\ue000"), T("\xed\x9f\xbf\xed\xa0\x80\xed\xbf\xbf\xee\x80\x80"), 2},
    {L, T("\\ud83d\\ude00"), T("\xed\xa0\xbd\xed\xb8\x80"), 2},
    {U, T("x\\U0000dc00y"), T("x\xed\xb0\x80y"), 1},
    {P, T("\xed\x9f\xbf\xed\xa0\x80\xed\xbf\xbf\xee\x80\x80"), T("\xed\x9f\xbf\xed\xa0\x80\xed\xbf\xbf\xee\x80\x80"),
     2},
    {P, T("\xed\xa0\xbd\xed\xb8\x80"), T("\xed\xa0\xbd\xed\xb8\x80"), 2},
};

/* Decodes a span in the middle of a text, into a buffer of `capacity` bytes with guards around it. */
static snpy_status decode(const struct name *name, size_t capacity, uint8_t *out, uint64_t *size, size_t *surrogates)
{
    enum { BEFORE = 3, BEHIND = 5 };
    size_t length = name->span.length;
    uint8_t *text = allocate(BEFORE + length + BEHIND);
    uint8_t *buffer = allocate(capacity + 16);
    memset(text, '7', BEFORE + length + BEHIND); /* digits: an escape must not go on behind its span */
    if (length > 0) memcpy(text + BEFORE, name->span.bytes, length);
    memset(buffer, GUARD, capacity + 16);
    *size = 12345;
    *surrogates = 12345;
    snpy_status status = snpy_name_decode(text, BEFORE + length + BEHIND, BEFORE, length, name->encoding, buffer + 8,
                                          capacity, size, surrogates);
    assert_true(is_filled(buffer, GUARD, 8));
    assert_true(is_filled(buffer + 8 + capacity, GUARD, 8));
    if (out != NULL && capacity > 0) memcpy(out, buffer + 8, capacity);
    free(buffer);
    free(text);
    return status;
}

static void test_decoding_into_every_capacity(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct text *decoded = &names[i].decoded;
        for (size_t capacity = 0; capacity <= decoded->length + 3; capacity++) {
            uint8_t out[64];
            uint64_t size = 0;
            size_t surrogates = 0;
            memset(out, 0, sizeof out);
            snpy_status status = decode(&names[i], capacity, out, &size, &surrogates);
            bool fits = capacity >= decoded->length;
            expect_that(status == (fits ? SNPY_OK : SNPY_BUFFER_TOO_SMALL), "%s into %zu bytes: %s\n",
                        legible(names[i].span.bytes, names[i].span.length), capacity, snpy_status_name(status));
            assert_int_equal(size, decoded->length);
            assert_int_equal(surrogates, names[i].surrogates);
            if (fits) {
                expect_that(memcmp(out, decoded->bytes, decoded->length) == 0, "%s becomes %s\n",
                            legible(names[i].span.bytes, names[i].span.length), legible(out, decoded->length));
                assert_true(is_filled(out + decoded->length, GUARD, capacity - decoded->length));
            }
        }
    }
}

/* NULL with 0 measures. */
static void test_measuring(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        uint64_t size = 12345;
        size_t surrogates = 12345;
        const struct text *span = &names[i].span;
        uint8_t *text = allocate(span->length);
        if (span->length > 0) memcpy(text, span->bytes, span->length);
        snpy_status status =
            snpy_name_decode(text, span->length, 0, span->length, names[i].encoding, NULL, 0, &size, &surrogates);
        assert_int_equal(status, names[i].decoded.length > 0 ? SNPY_BUFFER_TOO_SMALL : SNPY_OK);
        assert_int_equal(size, names[i].decoded.length);
        assert_int_equal(surrogates, names[i].surrogates);
        free(text);
    }
}

static void test_what_is_no_name(void **state)
{
    static const struct name wrong[] = {
        /* escapes that end with their span, or are none */
        {L, T("\\"), T(""), 0},
        {L, T("a\\q"), T(""), 0},
        {L, T("\\x"), T(""), 0},
        {L, T("\\x4"), T(""), 0},
        {L, T("\\x4g"), T(""), 0},
        {L, T("\\u123"), T(""), 0},
        {U, T("\\U0001f60"), T(""), 0},
        {U, T("\\U00110000"), T(""), 0},
        {U, T("\\0"), T(""), 0},
        {L, T("good\\N{DASH}"), T(""), 0},
        /* ill-formed UTF-8 */
        {U, T("\x80"), T(""), 0},
        {U, T("\xc0\x80"), T(""), 0},
        {U, T("\xc1\xbf"), T(""), 0},
        {U, T("\xc3"), T(""), 0},
        {U, T("\xe6\x95"), T(""), 0},
        {U, T("\xf0\x9f\x98"), T(""), 0},
        {U, T("\xe0\x9f\xbf"), T(""), 0},
        {U, T("\xf0\x8f\xbf\xbf"), T(""), 0},
        {U, T("\xf4\x90\x80\x80"), T(""), 0},
        {U, T("\xff"), T(""), 0},
        {U, T("\xed\xa0\x80"), T(""), 0},
        {P, T("\xc0\x80"), T(""), 0},
        {P, T("\xed\xa0"), T(""), 0},
        {P, T("\xf4\x90\x80\x80"), T(""), 0},
        {P, T("\xf5\x80\x80\x80"), T(""), 0},
        {P, T("abc\xe9"), T(""), 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        for (size_t capacity = 0; capacity < 20; capacity++) {
            uint64_t size = 0;
            size_t surrogates = 0;
            snpy_status status = decode(&wrong[i], capacity, NULL, &size, &surrogates);
            expect_that(status == SNPY_WRITE_NAME, "%s into %zu bytes: %s\n",
                        legible(wrong[i].span.bytes, wrong[i].span.length), capacity, snpy_status_name(status));
        }
    }
}

/* Every code point, by each of the spellings that reach it. */
static void test_every_code_point(void **state)
{
    (void)state;
    for (uint32_t code_point = 0; code_point <= 0x10ffff;
         code_point += code_point < 0x3000 || (code_point & 0xff) < 2 || (code_point & 0xff) > 0xfc ? 1 : 37) {
        char escape[16];
        uint8_t expected[4];
        size_t length = 0;
        bool is_surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
        /* UTF-8 by its definition: the payload, six bits at a time from the end */
        if (code_point < 0x80) {
            expected[length++] = (uint8_t)code_point;
        } else {
            unsigned more = code_point < 0x800 ? 1 : code_point < 0x10000 ? 2 : 3;
            expected[length++] = (uint8_t)((more == 1 ? 0xc0u : more == 2 ? 0xe0u : 0xf0u) | code_point >> (6 * more));
            for (unsigned k = more; k > 0; k--)
                expected[length++] = (uint8_t)(0x80 | (code_point >> (6 * (k - 1)) & 0x3f));
        }
        for (unsigned form = 0; form < 4; form++) {
            struct name name = {form == 1 ? L : U, {escape, 0}, {NULL, 0}, 0};
            if (form == 0) {
                name.encoding = P;
                memcpy(escape, expected, length);
                name.span.length = length;
            } else {
                if ((form == 1 && code_point > 0xff) || (form == 2 && code_point > 0xffff)) continue;
                name.span.length = (size_t)sprintf(escape,
                                                   form == 1   ? "\\x%02x"
                                                   : form == 2 ? "\\u%04X"
                                                               : "\\U%08x",
                                                   (unsigned)code_point);
            }
            uint8_t out[4] = {0};
            uint64_t size = 0;
            size_t surrogates = 0;
            snpy_status status = decode(&name, 4, out, &size, &surrogates);
            expect_that(status == SNPY_OK && size == length && memcmp(out, expected, length) == 0 &&
                            surrogates == (is_surrogate ? 1u : 0u),
                        "U+%04X in form %u: %s, %s\n", (unsigned)code_point, form, snpy_status_name(status),
                        legible(out, 4));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decoding_into_every_capacity),
        cmocka_unit_test(test_measuring),
        cmocka_unit_test(test_what_is_no_name),
        cmocka_unit_test(test_every_code_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
