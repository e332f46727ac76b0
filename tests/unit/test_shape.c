/* test_shape.c: dimensions, and the sizes that they make with their types.               NPY-SHAPE-001 … NPY-SHAPE-005 */
#include "support.h"

/* A shape of `ndim` dimensions, each 1; where dimension `mark` begins (counted from its parenthesis). */
static size_t ones(char *text, unsigned ndim, unsigned mark, size_t *at)
{
    size_t length = (size_t)sprintf(text, "(");
    for (unsigned i = 0; i < ndim; i++) {
        if (i == mark) *at = length;
        length += (size_t)sprintf(text + length, i + 1 < ndim ? "1, " : ndim == 1 ? "1," : "1");
    }
    return length + (size_t)sprintf(text + length, ")");
}

static void test_number_of_dimensions(void **state)
{
    static const char before[] = "{'descr': '|u1', 'fortran_order': False, 'shape': ";
    (void)state;
    for (unsigned limit = 0; limit <= SNPY_MAX_NDIM; limit++) {
        for (unsigned ndim = 0; ndim <= 70; ndim++) {
            char text[512];
            size_t at = 0;
            snpy_options options = default_options();
            options.max_ndim = limit;
            memcpy(text, before, sizeof before);
            size_t length = sizeof before - 1;
            length += ones(text + length, ndim, limit, &at);
            text[length++] = '}';
            struct parsed parsed = parse_text(1, text, length, &options);
            if (ndim <= limit) {
                assert_int_equal(parsed.status, SNPY_OK);
                assert_int_equal(parsed.header.ndim, ndim);
                for (unsigned k = 0; k < ndim; k++) assert_true(parsed.header.shape[k] == 1);
                assert_true(parsed.header.count == 1 && parsed.header.data_size == 1);
            } else {
                assert_int_equal(parsed.status, SNPY_TOO_MANY_DIMENSIONS);
                assert_int_equal(parsed.error.offset, 10 + sizeof before - 1 + at);
            }
            /* nothing behind the dimensions that are allowed */
            unsigned used = ndim < limit ? ndim : limit;
            assert_true(is_filled(parsed.header.shape + used, GUARD, (SNPY_MAX_NDIM - used) * sizeof(uint64_t)));
            release(&parsed);
        }
    }
}

/* A sub-array counts with the tuples nested in it; the shape that brings the sum beyond the bound is at fault. */
static void check_levels(unsigned limit, const unsigned *levels, size_t count)
{
    char shapes[3][512];
    char text[2048];
    size_t at = 0;
    size_t ignored = 0;
    unsigned sum = 0;
    snpy_options options = default_options();
    options.max_ndim = limit;
    size_t length = (size_t)sprintf(text, "{'descr': [('a', ");
    for (size_t i = 1; i < count; i++) length += (size_t)sprintf(text + length, "(");
    length += (size_t)sprintf(text + length, "'|u1'");
    for (size_t i = 0; i < count; i++) {
        (void)ones(shapes[i], levels[i], 0, &ignored);
        if (sum <= limit && sum + levels[i] > limit) at = length + 2;
        sum += levels[i];
        length += (size_t)sprintf(text + length, ", %s)", shapes[i]);
    }
    length += (size_t)sprintf(text + length, "], 'fortran_order': False, 'shape': ()}");
    expect_status(3, text, length, &options, sum <= limit ? SNPY_OK : SNPY_TOO_MANY_DIMENSIONS, at);
}

static void test_dimensions_of_subarrays(void **state)
{
    (void)state;
    for (unsigned a = 1; a <= 66; a++) {
        unsigned one[] = {a};
        check_levels(64, one, 1);
        for (unsigned b = 1; b <= 66; b += a % 3 + 1) {
            unsigned two[] = {a, b};
            unsigned three[] = {a, 1 + b / 2, b};
            check_levels(64, two, 2);
            check_levels(64, three, 3);
        }
    }
}

/* NPY-SHAPE-001: the reader's limit is one on the dimensions of the array, not on those of sub-arrays. */
static void test_reader_limit_is_not_for_subarrays(void **state)
{
    static const char text[] = "{'descr': [('a', '|u1', (1, 2))], 'fortran_order': False, 'shape': (3,)}";
    snpy_options options = default_options();
    (void)state;
    options.max_ndim = 1;
    expect_status(1, text, sizeof text - 1, &options, SNPY_OK, 0);
    options.max_ndim = 0;
    expect_status(1, text, sizeof text - 1, &options, SNPY_TOO_MANY_DIMENSIONS,
                  (size_t)(strstr(text, "(3,)") + 1 - text));
}

/* Dimensions of a record's fields do not add up with those of the record, nor with each other. */
static void test_dimensions_are_counted_by_subarray(void **state)
{
    char shape[512];
    char text[4096];
    size_t at = 0;
    snpy_options options = default_options();
    (void)state;
    (void)ones(shape, 64, 0, &at);
    size_t length = (size_t)sprintf(
        text, "{'descr': [('a', [('b', '|u1', %s), ('c', '|u1', %s)], %s)], 'fortran_order': False, 'shape': %s}",
        shape, shape, shape, shape);
    expect_status(1, text, length, &options, SNPY_OK, 0);
}

/* Of two sub-arrays that nest too deep, the one that comes first in the text is at fault. */
static void test_first_of_two_deep_subarrays(void **state)
{
    char shape[512];
    char text[4096];
    size_t at = 0;
    snpy_options options = default_options();
    (void)state;
    (void)ones(shape, 40, 0, &at);
    size_t first = (size_t)sprintf(text, "{'descr': [('a', ('|u1', %s), ", shape);
    size_t length = first + (size_t)sprintf(text + first, "%s), ('b', ('|u1', %s), %s)], ", shape, shape, shape);
    length += (size_t)sprintf(text + length, "'fortran_order': False, 'shape': ()}");
    expect_status(1, text, length, &options, SNPY_TOO_MANY_DIMENSIONS, first);
}

/* More dimensions than 16 bits can count are not taken for few. */
static void test_very_many_dimensions_of_a_subarray(void **state)
{
    static const char before[] = "{'descr': [('a', '|u1', ";
    static const unsigned counts[] = {65535, 65536, 65537, 65600};
    snpy_options options = default_options();
    (void)state;
    options.max_header_bytes = 1u << 20;
    for (size_t i = 0; i < COUNT(counts); i++) {
        char *text = allocate(200000);
        size_t length = (size_t)sprintf(text, "%s(", before);
        for (unsigned k = 0; k < counts[i]; k++) length += (size_t)sprintf(text + length, "1,");
        length += (size_t)sprintf(text + length, "))], 'fortran_order': False, 'shape': ()}");
        expect_status(2, text, length, &options, SNPY_TOO_MANY_DIMENSIONS, sizeof before - 1);
        free(text);
    }
}

/* ---- Sizes ------------------------------------------------------------------------------------------------------- */

#define TYPED(type, shape) "{'descr': " type ", 'fortran_order': False, 'shape': " shape ", }"

static void test_size_of_arrays(void **state)
{
    static const struct {
        struct marked text;
        uint64_t count;
        uint64_t data_size;
    } cases[] = {
        {GOOD(TYPED("'<f8'", "()")), 1, 8},
        {GOOD(TYPED("'<f8'", "(3, 4)")), 12, 96},
        {GOOD(TYPED("'<f8'", "(0,)")), 0, 0},
        {GOOD(TYPED("'<f8'", "(3, 0, 4)")), 0, 0},
        {GOOD(TYPED("'|S0'", "()")), 1, 0},
        {GOOD(TYPED("'|S0'", "(5,)")), 5, 0},
        {GOOD(TYPED("[]", "(5, 6)")), 30, 0},
        {GOOD(TYPED("'|S2147483647'", "()")), 1, 2147483647},
        {GOOD(TYPED("'<U536870911'", "(2,)")), 2, 4294967288},
        {GOOD(TYPED("'|O'", "(1152921504606846975,)")), 1152921504606846975, 0},
        {GOOD(TYPED("'|u1'", "(9223372036854775807,)")), 9223372036854775807, 9223372036854775807},
        {GOOD(TYPED("'|V0'", "(9223372036854775807,)")), 9223372036854775807, 0},
        {GOOD(TYPED("'<f8'", "(1152921504606846975,)")), 1152921504606846975, 9223372036854775800},
        {GOOD(TYPED("'|V3'", "(3074457345618258602,)")), 3074457345618258602, 9223372036854775806},
        {GOOD(TYPED("'|u1'", "(4294967296, 2147483647)")), 9223372032559808512, 9223372032559808512},
        {GOOD(TYPED("'|u1'", "(7, 7, 73, 127, 337, 92737, 649657)")), 9223372036854775807, 9223372036854775807},
        {GOOD(TYPED("'|V7'", "(1, 7, 73, 127, 337, 1, 92737, 649657, 1)")), 1317624576693539401, 9223372036854775807},
        {GOOD(TYPED("'|u1'", "(0, 9223372036854775807)")), 0, 0},
        {GOOD(TYPED("'|u1'", "(9223372036854775807, 0, 0, 0)")), 0, 0},
        {GOOD(TYPED("'|V0'", "(0, 9223372036854775807)")), 0, 0},
        {BAD(TYPED("'|u1'", "(^9223372036854775808,)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|V0'", "(^9223372036854775808,)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'<f8'", "(^1152921504606846976,)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|O'", "(^1152921504606846976,)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|V3'", "(^3074457345618258603,)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|u1'", "(^18446744073709551615,)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|u1'", "(^18446744073709551616,)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|u1'", "(^18446744073709551617,)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|u1'", "(^36893488147419103233, 2)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|u1'", "(2, ^99999999999999999999999999999999999999999999)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|u1'", "(4294967296, ^2147483648)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|u1'", "(4294967296, ^4294967296)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|u1'", "(4294967296, 2147483647, ^2)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|u1'", "(4294967296, 2147483647, 1, 1, ^3, 5)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|u1'", "(7, 7, 73, 127, 337, 92737, ^649658)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|V7'", "(7, 7, 73, 127, 337, 92737, ^649657)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|u1'", "(0, ^9223372036854775808)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|u1'", "(^9223372036854775808, 0)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|V0'", "(0, 3, ^9223372036854775807)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|u1'", "(0, 4294967296, ^4294967296)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'<f8'", "(0, 4294967296, ^4294967296)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("'|S2147483647'", "(2, 2, ^4294967296)"), SNPY_SIZE_OVERFLOW), 0, 0},
        {BAD(TYPED("[('a', '<f8', (100000000,))]", "(3, ^4294967296)"), SNPY_SIZE_OVERFLOW), 0, 0},
        /* the array's shape in front of its type: its bytes alone are at fault */
        {BAD("{'shape': (3, ^4294967296, 1), 'fortran_order': True, 'descr': [('a', '<f8', (100000000,))]}",
             SNPY_SIZE_OVERFLOW),
         0, 0},
    };
    snpy_options options = default_options();
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        expect_all_marked(1, 3, &cases[i].text, 1, &options);
        if (cases[i].text.status != SNPY_OK) continue;
        struct parsed parsed = parse_text(1, cases[i].text.text, cases[i].text.length, &options);
        expect_that(parsed.header.count == cases[i].count, "%s\n", cases[i].text.text);
        expect_that(parsed.header.data_size == cases[i].data_size, "%s\n", cases[i].text.text);
        release(&parsed);
    }
}

static void test_size_of_subarrays_and_records(void **state)
{
    static const struct marked cases[] = {
        /* NPY-SHAPE-002 */
        BAD(DESCR("[('a', '|S0', ^(5,))]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('a', '<U0', ^( 2, 3))]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('a', '|V0', ^(0,))]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('', '|V0', ^(2,))]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('a', [], ^(2,))]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('a', [('b', '<f8', (0,))], ^(2,))]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('a', ('<f8', (0,)), ^(2,))]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('a', ('|S0', ^(2,)), (2,))]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('x', '<f8'), ('a', [('b', '|S0', ^(1,))])]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('x', '|V2147483647'), ('a', [('b', '|S0', ^()), ('c', '|V1')])]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('x', '|V2147483647'), ('a', [('b', '|S0', ^(2,)), ('c', '|V1')], (2,))]"),
            SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('x', '|V2147483647'), ('a', ^[('b', '|S1', ()), ('c', '|V1')])]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|S0', ^())]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('a', '<U0', ^( ))]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('', '|V0', ^())]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('b', '|S0'), ('r', [('c', [], ()), ('a', '|V0' ,  ^())], ())]"), SNPY_EMPTY_SUBARRAY_TYPE),
        GOOD(DESCR("[('a', '|S1', ()), ('b', '|S0'), ('c', [], ())]")),
        GOOD(DESCR("[('a', [('b', '<f8', (0,)), ('c', '|V0')], ())]")),
        GOOD(DESCR("[('a', '<f8', (0, 5)), ('b', ('<f8', (2,)), (0,))]")),
        /* NPY-SHAPE-003: sub-arrays */
        GOOD(DESCR("[('a', '<f8', (268435455,))]")),
        GOOD(DESCR("[('a', '|u1', (2147483647,))]")),
        GOOD(DESCR("[('a', '|u1', (0, 2147483647))]")),
        GOOD(DESCR("[('a', '|S46341', (46340,))]")),
        BAD(DESCR("[('a', '<f8', (^268435456,))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|u1', (^2147483648,))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|u1', (^4294967297,))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|u1', (^18446744073709551617,))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|u1', (2, ^1073741824))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|u1', (2, 3, 1, ^1073741824, 4))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|u1', (0, ^2147483648))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|u1', (^2147483648, 0))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '<f8', (0, 268435455, ^2))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|S46341', (^46342,))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('', '|V3', (^1000000000,))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', ('<f8', (268435455,)), (^2,))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', ('<f8', (^268435456,)), (2,))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', ('<f8', (^268435456,)), (0,))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', [('b', '|S1073741824')], (^2,))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', [('b', '|S2147483647')], (0, ^2))]"), SNPY_ITEMSIZE_OVERFLOW),
        /* NPY-SHAPE-003: records */
        GOOD(DESCR("[('a', '|S2147483647')]")),
        GOOD(DESCR("[('a', '|S2147483646'), ('b', '|u1')]")),
        GOOD(DESCR("[('a', '|S2147483647'), ('b', '|S0'), ('c', '<f8', (0,)), ('d', [])]")),
        BAD(DESCR("[('a', '|S2147483647'), ('b', ^'|u1')]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|S2147483647'), ('b', ^u'|u1')]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|S2147483646'), ('b', '|u1'), ('c', ^'|u1'), ('d', '|u1')]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('', '|V2147483647'), ('b', ^'|u1')]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|S2147483647'), ('', ^'|V1')]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|S2147483647'), ('b', ^'|u1', (2,))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|S2147483647'), ('b', ^('|u1', (2,)), (3,))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|u1'), ('r', ^[('b', '|S2147483647')])]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('r', [('a', '|S2147483647'), ('b', ^'|u1')])]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('r', [('a', '|S2147483647'), ('b', ^'|u1')], (0,))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '<U536870911'), ('b', '<U0'), ('c', '|V3'), ('d', ^'|V1')]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '<f8', (200000000,)), ('b', ^'<f8', (200000000,))]"), SNPY_ITEMSIZE_OVERFLOW),
        /* the earliest byte */
        BAD(DESCR("[('a', '|S0', ^(5,)), ('b', '<f8', (1073741824,))]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('a', '|S0', ^()), ('b', '<f8', (1073741824,))]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('a', '<f8', (^1073741824,)), ('b', '|S0', (5,))]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '<f8', (^1073741824,)), ('b', '|S0', ())]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|S0', ^()), ('b', '|V0', (5,))]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('a', [('b', '|S0', ^(5,))], (2147483648,))]"), SNPY_EMPTY_SUBARRAY_TYPE),
        BAD(DESCR("[('a', '<f8', (^1073741824,)), ('b', '|S2147483647'), ('c', '|u1')]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|S2147483647'), ('b', ^'|u1'), ('c', '|u1', (2147483648,))]"), SNPY_ITEMSIZE_OVERFLOW),
    };
    snpy_options options = default_options();
    (void)state;
    expect_all_marked(1, 3, cases, COUNT(cases), &options);
}

/* Versions 1.0 and 2.0 with the suffix of Python 2: the same numbers. */
static void test_sizes_with_suffix(void **state)
{
    static const struct marked cases[] = {
        GOOD(TYPED("[('a', '<f8', (2L, 3))]", "(3L, 4L)")),
        BAD(TYPED("[('a', '<f8', (2L, ^268435456L))]", "()"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(TYPED("'|u1'", "(4294967296L, ^2147483648L)"), SNPY_SIZE_OVERFLOW),
        BAD(TYPED("'|u1'", "(1L,1L,^9223372036854775808L)"), SNPY_SIZE_OVERFLOW),
    };
    snpy_options options = default_options();
    (void)state;
    expect_all_marked(1, 2, cases, COUNT(cases), &options);
}

/* ---- An independent calculation: decimal numbers of any length, digit by digit -------------------------------------- */

struct decimal {
    unsigned digits[128]; /* the last one first */
    size_t length;
};

static struct decimal decimal_of(uint64_t number)
{
    struct decimal decimal = {{0}, 0};
    for (; number > 0; number /= 10) decimal.digits[decimal.length++] = (unsigned)(number % 10);
    return decimal;
}

static struct decimal multiply(const struct decimal *a, const struct decimal *b)
{
    struct decimal product = {{0}, 0};
    for (size_t i = 0; i < a->length; i++)
        for (size_t k = 0; k < b->length; k++) product.digits[i + k] += a->digits[i] * b->digits[k];
    for (size_t i = 0; i + 1 < COUNT(product.digits); i++) {
        product.digits[i + 1] += product.digits[i] / 10;
        product.digits[i] %= 10;
        if (product.digits[i] > 0) product.length = i + 1;
    }
    return product;
}

static bool exceeds(const struct decimal *a, const struct decimal *b)
{
    if (a->length != b->length) return a->length > b->length;
    for (size_t i = a->length; i > 0; i--)
        if (a->digits[i - 1] != b->digits[i - 1]) return a->digits[i - 1] > b->digits[i - 1];
    return false;
}

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Shapes whose products lie around the bound. */
static void test_random_products(void **state)
{
    struct decimal bound = decimal_of(SNPY_MAX_SIZE);
    snpy_options options = default_options();
    unsigned accepted = 0;
    (void)state;
    random_state = 20240607;
    print_message("seed %llu\n", (unsigned long long)random_state);
    for (unsigned round = 0; round < 20000; round++) {
        uint32_t itemsize = (uint32_t)(next_random() % 2 == 0 ? next_random() % 9 : next_random() % 2147483648);
        char text[512];
        size_t length = (size_t)sprintf(text, "{'descr': '|V%u', 'fortran_order': False, 'shape': (", itemsize);
        struct decimal product = decimal_of(itemsize == 0 ? 1 : itemsize);
        unsigned ndim = 2 + (unsigned)(next_random() % 5);
        size_t at = 0;
        bool empty = false;
        for (unsigned i = 0; i < ndim; i++) {
            uint64_t dim = next_random() >> (next_random() % 64);
            if (next_random() % 8 == 0) dim = 0;
            /* sometimes what is exactly at the bound, or one beyond */
            if (i == ndim - 1 && !exceeds(&product, &bound) && next_random() % 2 == 0) {
                uint64_t so_far = 0;
                for (size_t k = product.length; k > 0; k--) so_far = so_far * 10 + product.digits[k - 1];
                dim = SNPY_MAX_SIZE / so_far + next_random() % 2;
            }
            if (dim == 0) empty = true;
            struct decimal factor = decimal_of(dim == 0 ? 1 : dim);
            bool was_within = !exceeds(&product, &bound);
            product = multiply(&product, &factor);
            if (was_within && exceeds(&product, &bound)) at = length;
            length += (size_t)sprintf(text + length, "%llu, ", (unsigned long long)dim);
        }
        length += (size_t)sprintf(text + length, ")}");
        expect_status(1, text, length, &options, at == 0 ? SNPY_OK : SNPY_SIZE_OVERFLOW, at);
        if (at > 0) continue;
        accepted++;
        struct parsed parsed = parse_text(1, text, length, &options);
        struct decimal item = decimal_of(itemsize == 0 ? 1 : itemsize);
        struct decimal count = decimal_of(parsed.header.count);
        count = multiply(&count, &item);
        if (empty)
            assert_true(parsed.header.count == 0);
        else
            assert_false(exceeds(&count, &product) || exceeds(&product, &count));
        assert_true(parsed.header.data_size == parsed.header.count * itemsize);
        release(&parsed);
    }
    assert_true(accepted > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_number_of_dimensions),
        cmocka_unit_test(test_dimensions_of_subarrays),
        cmocka_unit_test(test_reader_limit_is_not_for_subarrays),
        cmocka_unit_test(test_dimensions_are_counted_by_subarray),
        cmocka_unit_test(test_first_of_two_deep_subarrays),
        cmocka_unit_test(test_very_many_dimensions_of_a_subarray),
        cmocka_unit_test(test_size_of_arrays),
        cmocka_unit_test(test_size_of_subarrays_and_records),
        cmocka_unit_test(test_sizes_with_suffix),
        cmocka_unit_test(test_random_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
