/* test_copy.c: new arrays made of others.                 NPY-WRITE-009, NPY-VALUE-001, 011, API-OBJECTS, HOST-MEMORY
 *
 * tests/data/files.py compares such copies with NumPy's for all types, orders and byte orders. */
#include "tests/unit/files.h"

static snpy_array array;
static snpy_array copy;
static snpy_io_error error;

/* Loads a file of version 1.0 around a text, with data behind it. */
static snpy_status load(const char *text, size_t data_size)
{
    size_t start = 0;
    uint8_t *head = make_file(1, text, strlen(text), &start);
    uint8_t *data = make_data(data_size, 1);
    uint8_t *file = allocate(start + data_size);
    memcpy(file, head, start);
    if (data_size > 0) memcpy(file + start, data, data_size);
    snpy_status status = snpy_load_memory(file, start + data_size, NULL, &array, &error);
    free(head);
    free(data);
    free(file);
    return status;
}

static void expect_nothing(char order, snpy_byteorder byteorder, snpy_status status)
{
    memset(&copy, GUARD, sizeof copy);
    expect_failure(snpy_array_copy(&array, order, byteorder, &copy, &error), &error, status, "a copy");
    assert_true(copy.data == NULL && copy.base_ == NULL && copy.head_ == NULL && copy.text == NULL);
}

/* Padding becomes zeros, numbers and their types turn, names stay; the old array stays as it is. */
static void test_records(void **state)
{
    static const uint8_t expected[2][12] = {{2, 1, 0, 0, 8, 7, 6, 5, 9, 10, 11, 12},
                                            {14, 13, 0, 0, 20, 19, 18, 17, 21, 22, 23, 24}};
    (void)state;
    expect_ok(load("{'descr': [('a', '<i2'), ('', '|V2'), ('b\\xe9', '<u4'), ('c', '|S4')], 'fortran_order': False, "
                   "'shape': (2,), }",
                   24),
              &error);
    for (uint8_t i = 0; i < 24; i++) array.data[i] = (uint8_t)(i + 1);
    expect_ok(snpy_array_copy(&array, 'C', SNPY_BYTEORDER_BIG, &copy, &error), &error);
    assert_int_equal(copy.data_size, 24);
    assert_memory_equal(copy.data, expected, 24);
    assert_int_equal(copy.table.fields[1].dtype.byteorder, '>');
    assert_int_equal(array.table.fields[1].dtype.byteorder, '<');
    assert_int_equal(array.data[0], 1);
    assert_true(copy.is_writable && !copy.is_shared);
    assert_true(copy.header.frame.major == 3 || memchr(copy.text, 0xe9, copy.header.frame.header_len) != NULL);
    snpy_array_release(&copy);
    snpy_array_release(&array);
}

/* Arrays without elements, without axes, without bytes. */
static void test_small_ones(void **state)
{
    static const struct {
        const char *text;
        size_t size;
        bool is_fortran;
    } cases[] = {
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8, false},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", 0, false},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3), }", 24, false},
        {"{'descr': '|S0', 'fortran_order': False, 'shape': (2, 3), }", 0, true},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 48, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        expect_ok(load(cases[i].text, cases[i].size), &error);
        expect_ok(snpy_array_copy(&array, 'F', SNPY_BYTEORDER_KEEP, &copy, &error), &error);
        assert_int_equal(copy.data_size, cases[i].size);
        assert_true((copy.data != NULL) == (cases[i].size > 0));
        assert_int_equal(copy.header.fortran_order, cases[i].is_fortran);
        if (cases[i].size == 8) assert_memory_equal(copy.data, array.data, 8);
        snpy_array_release(&array);
        expect_ok(snpy_array_copy(&copy, 0, SNPY_BYTEORDER_KEEP, &array, &error), &error); /* of a copy, and back */
        assert_int_equal(array.header.fortran_order, cases[i].is_fortran);
        snpy_array_release(&array);
        snpy_array_release(&copy);
    }
}

/* Large arrays lie where huge pages can, and every element is in its place. */
static void test_large_ones(void **state)
{
    const uint64_t rows = 1031;
    const uint64_t columns = 1021;
    (void)state;
    expect_ok(load("{'descr': '<i8', 'fortran_order': True, 'shape': (1031, 1021), }", (size_t)(rows * columns * 8)),
              &error);
    assert_true((uintptr_t)array.data % 4096 == 0);
    expect_ok(snpy_array_copy(&array, 'C', SNPY_BYTEORDER_BIG, &copy, &error), &error);
    assert_true(!copy.header.fortran_order && (uintptr_t)copy.data % ((uintptr_t)2 << 20) == 0);
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t column = 0; column < columns; column++)
            for (uint64_t k = 0; k < 8; k++)
                if (copy.data[8 * (row * columns + column) + k] != array.data[8 * (column * rows + row) + 7 - k])
                    fail_msg("row %u, column %u, byte %u", (unsigned)row, (unsigned)column, (unsigned)k);
    snpy_array_release(&copy);
    snpy_array_release(&array);
}

static void test_refusals(void **state)
{
    static const snpy_load_options header_only = {.size = sizeof(snpy_load_options), .header_only = true};
    struct made made;
    (void)state;
    make_rows(&made, 2);
    uint8_t *data = make_data(2 * ROW, 1);
    expect_ok(snpy_save(in_work("rows.npy"), &made.description, data, 2 * ROW, &error), &error);
    free(data);
    expect_ok(snpy_load(in_work("rows.npy"), NULL, &array, &error), &error);
    expect_nothing('K', SNPY_BYTEORDER_KEEP, SNPY_BAD_ARGUMENT);
    expect_nothing('C', (snpy_byteorder)3, SNPY_BAD_ARGUMENT);
    snpy_array_release(&array);
    expect_nothing('C', SNPY_BYTEORDER_KEEP, SNPY_BAD_ARGUMENT); /* an empty one */
    expect_ok(snpy_load(in_work("rows.npy"), &header_only, &array, &error), &error);
    expect_nothing('C', SNPY_BYTEORDER_KEEP, SNPY_BAD_ARGUMENT);
    snpy_array_release(&array);
    assert_int_equal(load("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", 16), SNPY_OBJECT_DATA);
    expect_nothing('C', SNPY_BYTEORDER_KEEP, SNPY_OBJECT_DATA);
    snpy_array_release(&array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_small_ones),
        cmocka_unit_test(test_large_ones),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
