/* Tests of text made fit for a terminal: src/host/text.c. */
#include "tests/unit/support.h"

#include "safenpy/safe_text.h"

/* A text of bytes and what becomes of it. */
static const struct {
    const char *text;
    size_t length;
    const char *safe;
} samples[] = {
    {"", 0, ""},
    {"a.npy", 5, "a.npy"},
    {"caf\xc3\xa9 \xe6\x95\xb4 \xf0\x9f\x98\x80", 14, "caf\xc3\xa9 \xe6\x95\xb4 \xf0\x9f\x98\x80"},
    {"C:\\x1b", 6, "C:\\\\x1b"},
    {"\x1b[31m", 5, "\\x1b[31m"},
    {"a\nb\r\t\0\x7f", 7, "a\\x0ab\\x0d\\x09\\x00\\x7f"},
    {"\xe2\x80\xae"
     "ynp.exe",
     10, "\\u{202e}ynp.exe"},
    {"\xc2\x85\xc2\x9b", 4, "\\u{85}\\u{9b}"},             /* controls of C1 */
    {"\xef\xbb\xbf\xe2\x80\x8b", 6, "\\u{feff}\\u{200b}"}, /* seen by nobody */
    {"\xed\xa0\x80", 3, "\\u{d800}"},                      /* a surrogate, as names can have them */
    {"\xf4\x8f\xbf\xbf", 4, "\\u{10ffff}"},
    {"\xff\x80z\xc3", 4, "\\xff\\x80z\\xc3"},
    {"\xc0\xaf\xe0\x80\xaf", 5, "\\xc0\\xaf\\xe0\\x80\\xaf"}, /* longer than needed */
    {"\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80"},          /* above U+10FFFF */
};

static void test_samples(void **state)
{
    char out[64];
    (void)state;
    for (size_t i = 0; i < COUNT(samples); i++) {
        assert_int_equal(snpy_safe_text(samples[i].text, samples[i].length, out, sizeof out), strlen(samples[i].safe));
        assert_string_equal(out, samples[i].safe);
    }
}

/* Whether a text is what a beginning of a sample becomes: no character and no escape is cut. */
static bool is_beginning(size_t sample, const char *text)
{
    char out[64];
    for (size_t length = 0; length <= samples[sample].length; length++) {
        (void)snpy_safe_text(samples[sample].text, length, out, sizeof out);
        if (strcmp(out, text) == 0) return true;
    }
    return false;
}

static void test_every_capacity(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(samples); i++) {
        const size_t whole = strlen(samples[i].safe);
        assert_int_equal(snpy_safe_text(samples[i].text, samples[i].length, NULL, 0), whole);
        for (size_t capacity = 1; capacity <= whole + 1; capacity++) {
            char *out = allocate(capacity);
            assert_int_equal(snpy_safe_text(samples[i].text, samples[i].length, out, capacity), whole);
            assert_true(strlen(out) < capacity && is_beginning(i, out));
            assert_true(strncmp(out, samples[i].safe, strlen(out)) == 0);
            if (capacity > whole) assert_string_equal(out, samples[i].safe);
            free(out);
        }
    }
}

/* Every byte by itself, and between two letters: nothing but printable ASCII comes out. */
static void test_every_byte(void **state)
{
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        const char text[3] = {'a', (char)byte, 'b'};
        char out[16];
        const size_t length = snpy_safe_text(text, sizeof text, out, sizeof out);
        assert_true(length == strlen(out) && out[0] == 'a' && out[length - 1] == 'b');
        for (size_t i = 0; i < length; i++) assert_true(out[i] >= 0x20 && out[i] < 0x7f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_every_capacity),
        cmocka_unit_test(test_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
