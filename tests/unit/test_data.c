/* test_data.c: what a header declares against what a file holds.                          NPY-DATA-001 … NPY-DATA-003 */
#include "support.h"

static void check(uint64_t data_offset, uint64_t data_size, bool has_object, uint64_t file_size, bool allow_trailing,
                  snpy_status status, uint64_t at)
{
    snpy_header header;
    snpy_header before;
    snpy_error error;
    memset(&header, GUARD, sizeof header);
    memset(&error, GUARD, sizeof error);
    header.frame.data_offset = data_offset;
    header.data_size = data_size;
    header.has_object = has_object;
    before = header;
    snpy_status got = snpy_check_data(&header, file_size, allow_trailing, &error);
    expect_that(got == status && error.status == status && error.offset == at,
                "offset %llu, size %llu, file of %llu: %s at %llu, not %s at %llu\n", (unsigned long long)data_offset,
                (unsigned long long)data_size, (unsigned long long)file_size, snpy_status_name(got),
                (unsigned long long)error.offset, snpy_status_name(status), (unsigned long long)at);
    assert_memory_equal(&header, &before, sizeof header);
}

static const uint64_t offsets[] = {10, 12, 64, 128, 65546, 0xffffffff, 0x10000000bu};

static void test_both_sides_of_the_data(void **state)
{
    static const uint64_t sizes[] = {
        0, 1, 24, 4096, 0xffffffff, 0x100000000, SNPY_MAX_SIZE / 2, SNPY_MAX_SIZE - 1, SNPY_MAX_SIZE};
    (void)state;
    for (size_t i = 0; i < COUNT(offsets); i++) {
        for (size_t k = 0; k < COUNT(sizes); k++) {
            uint64_t start = offsets[i];
            uint64_t end = start + sizes[k];
            for (unsigned trailing = 0; trailing < 2; trailing++) {
                check(start, sizes[k], false, end, trailing, SNPY_OK, 0);
                check(start, sizes[k], false, end + 1, trailing, trailing ? SNPY_OK : SNPY_TRAILING_DATA,
                      trailing ? 0 : end);
                check(start, sizes[k], false, UINT64_MAX, trailing, trailing ? SNPY_OK : SNPY_TRAILING_DATA,
                      trailing ? 0 : end);
                check(start, sizes[k], false, start - 1, trailing, SNPY_TRUNCATED_HEADER, start - 1);
                check(start, sizes[k], false, 0, trailing, SNPY_TRUNCATED_HEADER, 0);
                if (sizes[k] == 0) continue;
                check(start, sizes[k], false, end - 1, trailing, SNPY_TRUNCATED_DATA, end - 1);
                check(start, sizes[k], false, start, trailing, SNPY_TRUNCATED_DATA, start);
            }
        }
    }
}

/* Objects: the rest of the file, whatever it is, but something. */
static void test_objects(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(offsets); i++) {
        uint64_t start = offsets[i];
        for (unsigned trailing = 0; trailing < 2; trailing++) {
            check(start, 0, true, start - 1, trailing, SNPY_TRUNCATED_HEADER, start - 1);
            check(start, 0, true, start, trailing, SNPY_NO_OBJECTS, start);
            check(start, 0, true, start + 1, trailing, SNPY_OK, 0);
            check(start, 0, true, UINT64_MAX, trailing, SNPY_OK, 0);
        }
    }
}

/* The same on headers that were read. */
static void test_parsed_headers(void **state)
{
    static const struct {
        const char *text;
        uint64_t data_size;
        bool has_object;
    } cases[] = {
        {SHAPE("(3,)"), 24, false},
        {SHAPE("()"), 8, false},
        {SHAPE("(0,)"), 0, false},
        {DESCR("'|S0'"), 0, false},
        {DESCR("'|O'"), 0, true},
        {DESCR("[('a', '<f8'), ('b', [('c', 'O8')])]"), 0, true},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (0,)}", 0, true},
    };
    snpy_options options = default_options();
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct parsed parsed = parse_text(1, cases[i].text, strlen(cases[i].text), &options);
        snpy_error error;
        assert_int_equal(parsed.status, SNPY_OK);
        assert_true(parsed.header.data_size == cases[i].data_size);
        assert_int_equal(parsed.header.has_object, cases[i].has_object);
        uint64_t end = parsed.length + cases[i].data_size;
        snpy_status status = snpy_check_data(&parsed.header, end, false, &error);
        assert_int_equal(status, cases[i].has_object ? SNPY_NO_OBJECTS : SNPY_OK);
        status = snpy_check_data(&parsed.header, end + 1, false, &error);
        assert_int_equal(status, cases[i].has_object ? SNPY_OK : SNPY_TRAILING_DATA);
        status = snpy_check_data(&parsed.header, end + 1, true, &error);
        assert_int_equal(status, SNPY_OK);
        release(&parsed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_sides_of_the_data),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_parsed_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
