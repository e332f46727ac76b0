/* test_value.c: the numbers and texts that bytes stand for, and which of them an element refuses.
 *                                                NPY-VALUE-001 … NPY-VALUE-010, API-TYPE, API-RANGE, API-TEXT
 *
 * tests/data/run.py compares them with NumPy's; here are the ends of each range, and what NumPy cannot be asked. */
#include "safenpy/double.h"
#include "support.h"

static const uint32_t word_sizes[] = {1, 2, 4, 8};
static const int8_t orders[] = {'<', '>'};

static snpy_dtype type_of(int8_t kind, int8_t order, uint32_t size)
{
    snpy_dtype dtype = {0, 0, 0, 0, 0};
    dtype.kind = kind;
    dtype.byteorder = order;
    dtype.itemsize = size;
    return dtype;
}

/* A number as `size` bytes of an order, made without the functions that are tested. */
static void spell(uint64_t number, uint32_t size, int8_t order, uint8_t *bytes)
{
    for (uint32_t i = 0; i < size; i++) bytes[order == '<' ? i : size - 1 - i] = (uint8_t)(number >> (8 * i));
}

static uint64_t largest_of(uint32_t size)
{
    return UINT64_MAX >> (64 - 8 * size);
}

/* A number that an element must take and give back, with and without a sign; UINT64_MAX and -1 stand for "out of range". */
static void expect_both_ways(int8_t kind, int8_t order, uint32_t size, uint64_t pattern, bool negative)
{
    const snpy_dtype dtype = type_of(kind, order, size);
    uint8_t expected[8];
    uint8_t element[9];
    int64_t number = 77;
    uint64_t natural = 77;
    bool in_int64 = negative || pattern <= INT64_MAX;
    uint64_t bits = negative ? UINT64_MAX - largest_of(size) + pattern : pattern; /* with the sign spread */
    int64_t value = 0;
    memcpy(&value, &bits, sizeof value);
    spell(pattern, size, order, expected);
    assert_int_equal(snpy_get_int(expected, &dtype, &number), in_int64 ? SNPY_OK : SNPY_VALUE_RANGE);
    expect_that(number == (in_int64 ? value : 77), "%c%c%u: %lld\n", order, kind, size, (long long)number);
    assert_int_equal(snpy_get_uint(expected, &dtype, &natural), negative ? SNPY_VALUE_RANGE : SNPY_OK);
    expect_that(natural == (negative ? 77 : pattern), "%c%c%u: %llu\n", order, kind, size, (unsigned long long)natural);
    memset(element, GUARD, sizeof element);
    if (in_int64) {
        assert_int_equal(snpy_set_int(element, &dtype, value), SNPY_OK);
        assert_memory_equal(element, expected, size);
        assert_int_equal(element[size], GUARD);
    }
    if (negative) return;
    memset(element, GUARD, sizeof element);
    assert_int_equal(snpy_set_uint(element, &dtype, pattern), SNPY_OK);
    assert_memory_equal(element, expected, size);
    assert_int_equal(element[size], GUARD);
}

static void test_integers_both_ways(void **state)
{
    static const int8_t with_sign[] = {'i', 'M', 'm'};
    (void)state;
    for (size_t i = 0; i < COUNT(word_sizes); i++) {
        const uint32_t size = word_sizes[i];
        const uint64_t most = largest_of(size);
        for (size_t o = 0; o < COUNT(orders); o++) {
            const uint64_t numbers[] = {0, 1, 0x0102030405060708u & most, most / 2};
            for (size_t k = 0; k < COUNT(numbers); k++) {
                expect_both_ways('u', orders[o], size, numbers[k], false);
                for (size_t s = 0; s < COUNT(with_sign); s++)
                    expect_both_ways(with_sign[s], orders[o], size, numbers[k], false);
            }
            expect_both_ways('u', orders[o], size, most, false);
            expect_both_ways('u', orders[o], size, most / 2 + 1, false);
            for (size_t s = 0; s < COUNT(with_sign); s++) {
                expect_both_ways(with_sign[s], orders[o], size, most, true);
                expect_both_ways(with_sign[s], orders[o], size, most / 2 + 1, true);
            }
        }
    }
}

/* The first number on each side that an element has no room for; nothing is written. */
static void test_integers_out_of_range(void **state)
{
    uint8_t element[8];
    (void)state;
    memset(element, GUARD, sizeof element);
    for (size_t i = 0; i < COUNT(word_sizes); i++) {
        const uint32_t size = word_sizes[i];
        const uint64_t most = largest_of(size);
        const snpy_dtype natural = type_of('u', '<', size);
        const snpy_dtype number = type_of('i', '>', size);
        assert_int_equal(snpy_set_int(element, &natural, -1), SNPY_VALUE_RANGE);
        assert_int_equal(snpy_set_int(element, &natural, INT64_MIN), SNPY_VALUE_RANGE);
        assert_int_equal(snpy_set_uint(element, &number, most / 2 + 1), SNPY_VALUE_RANGE);
        assert_int_equal(snpy_set_uint(element, &number, UINT64_MAX), SNPY_VALUE_RANGE);
        if (size == 8) continue;
        assert_int_equal(snpy_set_uint(element, &natural, most + 1), SNPY_VALUE_RANGE);
        assert_int_equal(snpy_set_int(element, &natural, (int64_t)most + 1), SNPY_VALUE_RANGE);
        assert_int_equal(snpy_set_int(element, &number, (int64_t)(most / 2) + 1), SNPY_VALUE_RANGE);
        assert_int_equal(snpy_set_int(element, &number, -(int64_t)(most / 2) - 2), SNPY_VALUE_RANGE);
    }
    assert_true(is_filled(element, GUARD, sizeof element));
}

/* Any byte but 0 is true; only 0 and 1 are written.                                               NPY-VALUE-002 */
static void test_booleans(void **state)
{
    const snpy_dtype dtype = type_of('b', '|', 1);
    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        const uint8_t element = (uint8_t)byte;
        int64_t number = 77;
        uint64_t natural = 77;
        assert_int_equal(snpy_get_int(&element, &dtype, &number), SNPY_OK);
        assert_int_equal(snpy_get_uint(&element, &dtype, &natural), SNPY_OK);
        assert_true(number == (byte != 0) && natural == (byte != 0));
    }
    uint8_t element = GUARD;
    assert_int_equal(snpy_set_uint(&element, &dtype, 2), SNPY_VALUE_RANGE);
    assert_int_equal(snpy_set_int(&element, &dtype, -1), SNPY_VALUE_RANGE);
    assert_int_equal(element, GUARD);
    assert_int_equal(snpy_set_uint(&element, &dtype, 1), SNPY_OK);
    assert_int_equal(element, 1);
    assert_int_equal(snpy_set_int(&element, &dtype, 0), SNPY_OK);
    assert_int_equal(element, 0);
}

/* A type that is no such number, or a number of a size that none has: nothing is read and nothing written. */
static void test_wrong_types(void **state)
{
    static const struct {
        int8_t kind;
        uint32_t size;
        bool is_float;
        bool is_complex;
    } cases[] = {
        {'S', 4, false, false}, {'V', 8, false, false},  {'U', 8, false, false},  {'O', 8, false, false},
        {'i', 3, false, false}, {'u', 16, false, false}, {'M', 0, false, false},  {'f', 2, true, false},
        {'f', 4, true, false},  {'f', 8, true, false},   {'f', 16, false, false}, {'f', 10, false, false},
        {'c', 8, false, true},  {'c', 16, false, true},  {'c', 4, false, false},  {'c', 32, false, false},
    };
    uint8_t element[32];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const snpy_dtype dtype = type_of(cases[i].kind, '<', cases[i].size);
        uint64_t pair[2] = {77, 77};
        int64_t number = 77;
        uint64_t bits = 77;
        memset(element, GUARD, sizeof element);
        assert_int_equal(snpy_get_int(element, &dtype, &number), SNPY_WRONG_TYPE);
        assert_int_equal(snpy_get_uint(element, &dtype, &bits), SNPY_WRONG_TYPE);
        assert_int_equal(snpy_set_int(element, &dtype, 1), SNPY_WRONG_TYPE);
        assert_int_equal(snpy_set_int(element, &dtype, -1), SNPY_WRONG_TYPE);
        assert_int_equal(snpy_set_uint(element, &dtype, 1), SNPY_WRONG_TYPE);
        assert_true(number == 77 && bits == 77);
        snpy_status status = cases[i].is_float ? SNPY_OK : SNPY_WRONG_TYPE;
        assert_int_equal(snpy_get_float(element, &dtype, &bits), status);
        assert_true(cases[i].is_float == (bits != 77));
        double real = 77.0;
        assert_int_equal(snpy_get_double(element, &dtype, &real), status);
        assert_true(snpy_double_bits(real) == (cases[i].is_float ? bits : snpy_double_bits(77.0)));
        snpy_status pair_status = cases[i].is_complex ? SNPY_OK : SNPY_WRONG_TYPE;
        assert_int_equal(snpy_get_complex(element, &dtype, pair), pair_status);
        assert_true(cases[i].is_complex == (pair[0] != 77 && pair[1] != 77));
        assert_int_equal(snpy_set_float(element, &dtype, 0), status);
        assert_true(cases[i].is_float == (element[0] == 0));
        memset(element, GUARD, sizeof element);
        pair[0] = pair[1] = 0;
        assert_int_equal(snpy_set_complex(element, &dtype, pair), pair_status);
        assert_true(cases[i].is_complex == (element[0] == 0));
        assert_true(is_filled(element + cases[i].size, GUARD, sizeof element - cases[i].size));
    }
}

/* The binary64 of a float of a smaller format, by arithmetic on doubles; NaNs by their bits, which hardware may change. */
static uint64_t widened(uint64_t number, unsigned significand_bits, unsigned exponent_bits)
{
    const uint64_t one = (uint64_t)1 << significand_bits;
    const uint64_t significand = number % one;
    const uint64_t most = ((uint64_t)1 << exponent_bits) - 1;
    const uint64_t exponent = number / one % (most + 1);
    const uint64_t sign = number / one / (most + 1) << 63;
    if (exponent == most) return sign | (uint64_t)2047 << 52 | significand << (52 - significand_bits);
    double value = (double)(exponent == 0 ? significand : one + significand);
    int64_t power = (int64_t)(exponent == 0 ? 1 : exponent) - (int64_t)(most / 2) - (int64_t)significand_bits;
    for (; power < 0; power++) value /= 2;
    for (; power > 0; power--) value *= 2;
    return sign | snpy_double_bits(value);
}

/* A float of 2 or 4 bytes is widened, and what it was widened to is written as the same bytes. */
static void expect_widened(uint32_t size, int8_t order, uint64_t number)
{
    const snpy_dtype dtype = type_of('f', order, size);
    uint64_t expected = size == 2 ? widened(number, 10, 5) : widened(number, 23, 8);
    uint64_t bits = 77;
    uint8_t element[4];
    uint8_t again[4];
    spell(number, size, order, element);
    assert_int_equal(snpy_get_float(element, &dtype, &bits), SNPY_OK);
    expect_that(bits == expected, "f%u %llx: %llx, not %llx\n", size, (unsigned long long)number,
                (unsigned long long)bits, (unsigned long long)expected);
    assert_int_equal(snpy_set_float(again, &dtype, bits), SNPY_OK);
    assert_memory_equal(again, element, size);
}

static void test_floats_are_widened(void **state)
{
    static const uint32_t significands[] = {0, 1, 2, 3, 0x3fffff, 0x400000, 0x400001, 0x7ffffe, 0x7fffff};
    (void)state;
    for (uint64_t number = 0; number < 65536; number++) {
        expect_widened(2, '<', number);
        expect_widened(2, '>', number);
    }
    for (uint64_t top = 0; top < 512; top++)
        for (size_t k = 0; k < COUNT(significands); k++) expect_widened(4, '>', top << 23 | significands[k]);
    for (unsigned k = 0; k < 23; k++) expect_widened(4, '<', (uint64_t)1 << k);
}

/* Rounding to nearest, ties to even, into 16 and 32 bits. */
static void test_floats_are_rounded(void **state)
{
    static const struct {
        double value;
        uint32_t half;
        uint32_t single;
    } cases[] = {
        {0.0, 0x0000, 0x00000000},        {-0.0, 0x8000, 0x80000000},         {1.0, 0x3c00, 0x3f800000},
        {65504.0, 0x7bff, 0x477fe000},    {65519.9, 0x7bff, 0x477fefe6},      {65520.0, 0x7c00, 0x477ff000},
        {-1e300, 0xfc00, 0xff800000},     {0x1p-24, 0x0001, 0x33800000},      {0x1p-25, 0x0000, 0x33000000},
        {0x3p-25, 0x0002, 0x33c00000},    {0x1.8p-25, 0x0001, 0x33400000},    {0x1p-70, 0x0000, 0x1c800000},
        {-0x1.fp-74, 0x8000, 0x9af80000}, {0x1p-149, 0x0000, 0x00000001},     {0x1p-150, 0x0000, 0x00000000},
        {0x1.8p-150, 0x0000, 0x00000001}, {0x1p-1074, 0x0000, 0x00000000},    {2049.0, 0x6800, 0x45001000},
        {2051.0, 0x6802, 0x45003000},     {0x1.ffffffp0, 0x4000, 0x40000000}, {0x1.fffffefffffffp0, 0x4000, 0x3fffffff},
    };
    const snpy_dtype half = type_of('f', '>', 2);
    const snpy_dtype single = type_of('f', '>', 4);
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t bytes[4];
        assert_int_equal(snpy_set_float(bytes, &half, snpy_double_bits(cases[i].value)), SNPY_OK);
        expect_that(bytes[0] * 256u + bytes[1] == cases[i].half, "%a: %02x%02x\n", cases[i].value, bytes[0], bytes[1]);
        assert_int_equal(snpy_set_float(bytes, &single, snpy_double_bits(cases[i].value)), SNPY_OK);
        uint32_t found = ((bytes[0] * 256u + bytes[1]) * 256u + bytes[2]) * 256u + bytes[3];
        expect_that(found == cases[i].single, "%a: %08x\n", cases[i].value, found);
    }
}

/* A NaN stays one, also where the bits that make it one are dropped; an infinity stays an infinity.      NPY-VALUE-004 */
static void test_nan_stays_nan(void **state)
{
    static const struct {
        uint64_t bits;
        uint64_t single;
        uint64_t half;
    } cases[] = {
        {0x7ff0000000000000u, 0x7f800000, 0x7c00}, {0xfff0000000000000u, 0xff800000, 0xfc00},
        {0x7ff8000000000000u, 0x7fc00000, 0x7e00}, {0x7ff0000000000001u, 0x7f800001, 0x7c01},
        {0xfff000001fffffffu, 0xff800001, 0xfc01}, {0x7ff0000020000000u, 0x7f800001, 0x7c01},
        {0x7fffffffffffffffu, 0x7fffffff, 0x7fff},
    };
    const snpy_dtype half = type_of('f', '<', 2);
    const snpy_dtype single = type_of('f', '<', 4);
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t expected[4];
        uint8_t element[4];
        spell(cases[i].half, 2, '<', expected);
        assert_int_equal(snpy_set_float(element, &half, cases[i].bits), SNPY_OK);
        assert_memory_equal(element, expected, 2);
        spell(cases[i].single, 4, '<', expected);
        assert_int_equal(snpy_set_float(element, &single, cases[i].bits), SNPY_OK);
        assert_memory_equal(element, expected, 4);
    }
}

/* The real part comes first, whatever the byte order, which turns each part by itself.                   NPY-VALUE-005 */
static void test_complex_numbers(void **state)
{
    const uint64_t pair[2] = {0x3ff8000000000000u, 0xc004000000000000u}; /* 1.5 - 2.5i */
    static const uint32_t sizes[] = {8, 16};
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (size_t o = 0; o < COUNT(orders); o++) {
            const snpy_dtype dtype = type_of('c', orders[o], sizes[i]);
            const uint32_t part = sizes[i] / 2;
            uint8_t expected[16];
            uint8_t element[16];
            uint64_t found[2] = {77, 77};
            spell(part == 4 ? 0x3fc00000 : pair[0], part, orders[o], expected);
            spell(part == 4 ? 0xc0200000 : pair[1], part, orders[o], expected + part);
            assert_int_equal(snpy_set_complex(element, &dtype, pair), SNPY_OK);
            assert_memory_equal(element, expected, sizes[i]);
            assert_int_equal(snpy_get_complex(element, &dtype, found), SNPY_OK);
            assert_true(found[0] == pair[0] && found[1] == pair[1]);
        }
    }
}

static void test_texts(void **state)
{
    const snpy_dtype narrow = {'S', '|', 0, 4, 0};
    const snpy_dtype wide = {'U', '>', 0, 8, 0};
    const snpy_dtype number = {'i', '<', 0, 4, 0};
    uint8_t element[8];
    uint8_t out[16];
    uint64_t size = 0;
    (void)state;
    memset(element, GUARD, sizeof element);
    assert_int_equal(snpy_set_text(element, &narrow, (const uint8_t *)"abcde", 5), SNPY_VALUE_RANGE);
    assert_int_equal(snpy_set_text(element, &number, (const uint8_t *)"a", 1), SNPY_WRONG_TYPE);
    assert_int_equal(snpy_set_text(element, &wide, (const uint8_t *)"abc", 3), SNPY_VALUE_RANGE);
    assert_int_equal(snpy_set_text(element, &wide, (const uint8_t *)"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3", 9),
                     SNPY_VALUE_RANGE); /* too long to be looked at, else it would be no UTF-8 */
    assert_int_equal(snpy_set_text(element, &wide, (const uint8_t *)"\xff", 1), SNPY_BAD_CODE_POINT);
    assert_int_equal(snpy_set_text(element, &wide, (const uint8_t *)"\xed\xa0\x80", 3), SNPY_BAD_CODE_POINT);
    assert_int_equal(element[0], GUARD);
    assert_int_equal(snpy_set_text(element, &wide, (const uint8_t *)"\xf0\x9f\x98\x80!", 5), SNPY_OK);
    assert_memory_equal(element, "\0\1\xf6\0\0\0\0!", 8);
    assert_int_equal(snpy_get_text(element, &wide, out, sizeof out, &size), SNPY_OK);
    assert_int_equal(size, 5);
    assert_memory_equal(out, "\xf0\x9f\x98\x80!", 5);
    assert_int_equal(snpy_get_text(element, &wide, NULL, 0, &size), SNPY_BUFFER_TOO_SMALL);
    assert_int_equal(size, 5);
    element[5] = 0x11; /* the second number is U+110021 */
    assert_int_equal(snpy_get_text(element, &wide, out, sizeof out, &size), SNPY_BAD_CODE_POINT);
    assert_int_equal(size, 4);
    assert_int_equal(snpy_set_text(element, &narrow, (const uint8_t *)"a\0b", 3), SNPY_OK);
    assert_int_equal(snpy_get_text(element, &narrow, out, sizeof out, &size), SNPY_OK);
    assert_int_equal(size, 3);
    assert_memory_equal(out, "a\0b", 3);
    assert_int_equal(snpy_get_text(element, &number, out, sizeof out, &size), SNPY_WRONG_TYPE);
}

/* Zeros at the end are no part of a text, in units of one byte or four; zeros before them are.      NPY-VALUE-007, 008 */
static void test_zeros_at_the_end(void **state)
{
    static const struct {
        snpy_dtype dtype;
        struct text element;
        struct text text;
    } cases[] = {
        {{'S', '|', 0, 4, 0}, T("\0\0\0\0"), T("")},
        {{'S', '|', 0, 4, 0}, T("\0a\0\0"), T("\0a")},
        {{'S', '|', 0, 0, 0}, T(""), T("")},
        {{'U', '<', 0, 8, 0}, T("\0\0\0\0\0\0\0\0"), T("")},
        {{'U', '<', 0, 8, 0}, T("\0\0\0\0a\0\0\0"), T("\0a")},
        {{'U', '<', 0, 8, 0}, T("a\0\0\0\0\1\0\0"), T("a\xc4\x80")},
        {{'U', '<', 0, 8, 0}, T("a\0\0\0\0\0\1\0"), T("a\xf0\x90\x80\x80")},
        {{'U', '<', 0, 8, 0}, T("\xff\xff\x10\0\0\0\0\0"), T("\xf4\x8f\xbf\xbf")},
        {{'U', '>', 0, 8, 0}, T("\0\0\0a\0\0\0\0"), T("a")},
        {{'U', '>', 0, 8, 0}, T("\0\0\xd7\xff\0\0\xe0\0"), T("\xed\x9f\xbf\xee\x80\x80")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t element[8];
        uint8_t out[16];
        uint64_t size = 77;
        memset(out, GUARD, sizeof out);
        memcpy(element, cases[i].element.bytes, cases[i].element.length);
        assert_int_equal(snpy_get_text(element, &cases[i].dtype, out, sizeof out, &size), SNPY_OK);
        expect_that(size == cases[i].text.length && memcmp(out, cases[i].text.bytes, size) == 0, "case %zu: %s\n", i,
                    legible(out, size));
        assert_true(is_filled(out + size, GUARD, sizeof out - size));
        memset(element, GUARD, sizeof element);
        assert_int_equal(snpy_set_text(element, &cases[i].dtype, out, size), SNPY_OK);
        assert_memory_equal(element, cases[i].element.bytes, cases[i].element.length);
        assert_true(is_filled(element + cases[i].element.length, GUARD, sizeof element - cases[i].element.length));
    }
}

/* A number that is no code point is told by its byte, with what stands in front of it left out. */
static void test_no_code_points(void **state)
{
    static const struct {
        struct text element;
        uint64_t at;
    } cases[] = {
        {T("\0\xd8\0\0\0\0\0\0"), 0},
        {T("a\0\0\0\xff\xdf\0\0"), 4},
        {T("a\0\0\0\0\0\x11\0"), 4},
        {T("a\0\0\0\0\0\0\x80"), 4},
    };
    const snpy_dtype dtype = {'U', '<', 0, 8, 0};
    uint8_t out[16];
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t size = 77;
        assert_int_equal(snpy_get_text((const uint8_t *)cases[i].element.bytes, &dtype, out, sizeof out, &size),
                         SNPY_BAD_CODE_POINT);
        expect_that(size == cases[i].at, "case %zu: byte %llu\n", i, (unsigned long long)size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_both_ways),
        cmocka_unit_test(test_integers_out_of_range),
        cmocka_unit_test(test_booleans),
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_floats_are_widened),
        cmocka_unit_test(test_floats_are_rounded),
        cmocka_unit_test(test_nan_stays_nan),
        cmocka_unit_test(test_complex_numbers),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_zeros_at_the_end),
        cmocka_unit_test(test_no_code_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
