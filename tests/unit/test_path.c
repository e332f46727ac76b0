/* Tests of fields found by the path of their names: src/host/path.c.                                      API-TYPE */
#include "tests/unit/support.h"

#define RECORD                                                                                                     \
    "[('a', '<i2'), ('p', [('x', '<f4'), (('title', 'y'), '>f8'), ('q', [('z', '|u1')], (2,))]), ('p.x', '|u1'), " \
    "('caf\xe9', '<i4'), ('', '|V3'), ('p.', '|b1')]"

/* Loads an array of three such records, or of something else. */
static void load_array(const char *descr, size_t data_size, snpy_array *array)
{
    char text[512];
    size_t length = 0;
    snpy_io_error error;
    (void)snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': False, 'shape': (3,), }\n", descr);
    uint8_t *head = make_file(1, text, strlen(text), &length);
    uint8_t *file = allocate(length + data_size);
    memcpy(file, head, length);
    memset(file + length, 0, data_size);
    assert_int_equal(snpy_load_memory(file, length + data_size, NULL, array, &error), SNPY_OK);
    free(file);
    free(head);
}

static void open_view(const snpy_array *array, snpy_view *view)
{
    snpy_error error;
    assert_int_equal(snpy_view_open(&array->header, array->data_size, view, &error), SNPY_OK);
}

static void test_paths(void **state)
{
    static const struct {
        const char *path;
        uint64_t offset;
        uint32_t itemsize;
        uint32_t ndim;
    } cases[] = {
        {"a", 0, 2, 1},
        {"p", 2, 14, 1},
        {"p.y", 6, 8, 1},
        {"p.q", 14, 1, 2},
        {"p.q.z", 14, 1, 2},
        {"p.x", 16, 1, 1}, /* the longer name comes first */
        {"caf\xc3\xa9", 17, 4, 1},
        {"p.", 24, 1, 1},
    };
    snpy_array array;
    (void)state;
    load_array(RECORD, 3 * 25, &array);
    for (size_t i = 0; i < COUNT(cases); i++) {
        snpy_view view;
        snpy_io_error error;
        open_view(&array, &view);
        snpy_status status = snpy_view_path(&array, cases[i].path, &view, &error);
        expect_that(status == SNPY_OK, "%s: %s at %u", cases[i].path, snpy_status_name(status),
                    (unsigned)error.error.offset);
        assert_true(view.offset == cases[i].offset && view.itemsize == cases[i].itemsize);
        assert_true(view.ndim == cases[i].ndim && view.shape[0] == 3 && view.strides[0] == 25);
    }
    snpy_array_release(&array);
}

/* The error names the byte at which no field begins; the view stays as it was. */
static void test_what_is_not_there(void **state)
{
    static const struct {
        const char *path;
        uint64_t offset;
    } cases[] = {{"b", 0},    {"A", 0},       {"aa", 0},    {"a.b", 2},     {"a.", 2},  {"p.z", 2},
                 {"p.q.", 4}, {"p.q.z.w", 6}, {"title", 0}, {"p.title", 2}, {"caf", 0}, {"caf\xe9", 0}};
    snpy_array array;
    snpy_view view;
    snpy_view before;
    (void)state;
    load_array(RECORD, 3 * 25, &array);
    memset(&view, 0, sizeof view);
    open_view(&array, &view);
    memcpy(&before, &view, sizeof view);
    for (size_t i = 0; i < COUNT(cases); i++) {
        snpy_io_error error;
        snpy_status status = snpy_view_path(&array, cases[i].path, &view, &error);
        expect_that(status == SNPY_WRONG_TYPE && error.error.status == status && error.error.offset == cases[i].offset,
                    "%s: %s at %u", cases[i].path, snpy_status_name(status), (unsigned)error.error.offset);
        assert_memory_equal(&view, &before, sizeof view);
    }
    snpy_array_release(&array);
}

/* Elements without fields have none, not even one without a name. */
static void test_simple_types(void **state)
{
    snpy_array array;
    snpy_view view;
    snpy_io_error error;
    (void)state;
    load_array("'<f8'", 24, &array);
    open_view(&array, &view);
    assert_int_equal(snpy_view_path(&array, "x", &view, &error), SNPY_WRONG_TYPE);
    assert_int_equal(snpy_view_path(&array, "", &view, &error), SNPY_WRONG_TYPE);
    snpy_array_release(&array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_what_is_not_there),
        cmocka_unit_test(test_simple_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
