/* test_moves.c: conversions of arrays too large for one box, whose calls fail in their midst.    HOST-IO, HOST-CHANGED
 *
 * Whatever fails, the error names the call and the file, the old file stays, and no other is left. What the
 * conversions give, tests/data/convert.py compares with NumPy. */
#include "host/flow.h"
#include "tests/fault/wrap.h"
#include "tests/unit/files.h"

/* A file of zeros, without blocks on the disk. */
static void make_file_of(const char *path, const char *text, uint64_t size)
{
    size_t length = 0;
    uint8_t *head = make_file(1, text, strlen(text), &length);
    write_bytes(path, head, length);
    if (truncate(path, (off_t)(length + size)) != 0) abort();
    free(head);
}

/* Converts a file; `call`, if there is one, fails for the time that has the number, once the input is open. */
static snpy_status convert(const char *from, char order, const char *call, unsigned number, int reason,
                           snpy_io_error *error)
{
    const char *to = in_work("old.npy");
    const snpy_options limits = SNPY_OPTIONS_INIT;
    const snpy_conversion how = {.from = from, .to = to, .order = order, .byteorder = SNPY_BYTEORDER_BIG};
    snpy_file file;
    snpy_input input;
    snpy_output output;
    assert_int_equal(snpy_input_open(from, &limits, &file, &input), SNPY_OK);
    if (call != NULL) arm_fault_for(call, FAULT_ONCE, number, reason);
    expect_ok(snpy_output_open(&output, to, 0, error), error);
    snpy_status status = snpy_convert_array(&how, &file, &input, &output, error);
    snpy_input_close(&input);
    snpy_array_release(&file.head);
    snpy_output_abandon(&output);
    return status;
}

/* Lets calls of one kind fail, one after the other in growing steps, until there are no more. */
static void fail_at(const char *call, const char *from, char order, int reason)
{
    snpy_io_error error;
    unsigned failures = 0;
    for (unsigned number = 1;; number += 1 + number / 2) {
        snpy_status status = convert(from, order, call, number, reason, &error);
        if (!disarm_fault()) {
            expect_ok(status, &error);
            break;
        }
        failures++;
        const bool is_memory = strcmp(call, "malloc") == 0;
        expect_failure(status, &error, is_memory ? SNPY_NO_MEMORY : SNPY_IO_ERROR, call);
        assert_string_equal(error.call, call);
        if (!is_memory) assert_string_equal(error.path, strcmp(call, "pread") == 0 ? from : in_work("old.npy"));
        expect_bytes(in_work("old.npy"), (const uint8_t *)"old", 3);
        assert_int_equal(count_files(false), 4);
    }
    assert_true(failures >= 1);
}

/* Numbers and boxes that change their places; large elements that do, and that stay where they are. */
static void test_failures_in_the_midst(void **state)
{
    static const char *const inputs[] = {"square.npy", "cube.npy", "large.npy"};
    (void)state;
    for (size_t i = 0; i < COUNT(inputs); i++) {
        fail_at("pread", in_work(inputs[i]), 'F', EIO);
        fail_at("pwrite", in_work(inputs[i]), 'F', ENOSPC);
    }
    fail_at("pread", in_work("large.npy"), 'C', EIO);
    fail_at("write", in_work("square.npy"), 'C', ENOSPC);
}

/* Without advice of the system, boxes are cut so that they are long in both files. */
static void test_boxes_without_advice(void **state)
{
    static const char *const inputs[] = {"square.npy", "cube.npy"};
    snpy_io_error error;
    (void)state;
    for (size_t i = 0; i < COUNT(inputs); i++) {
        arm_fault_for("posix_fadvise", FAULT_FOR_GOOD, 1, ESPIPE);
        expect_ok(convert(in_work(inputs[i]), 'F', NULL, 0, 0, &error), &error);
        assert_true(disarm_fault());
        expect_bytes(in_work("old.npy"), (const uint8_t *)"old", 3); /* the output was given up, as if by a signal */
    }
}

static int set_up_files(void **state)
{
    int result = set_up(state);
    if (result != 0) return result;
    make_file_of(in_work("square.npy"), "{'descr': '<f8', 'fortran_order': False, 'shape': (1600, 1500), }",
                 (uint64_t)8 * 1600 * 1500);
    make_file_of(in_work("cube.npy"), "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 900, 30, 30), }",
                 (uint64_t)8 * 3 * 900 * 900);
    make_file_of(in_work("large.npy"),
                 "{'descr': [('a', '<i4', (600000,)), ('b', '<f8', (300000,)), ('c', '|u1')], 'fortran_order': False, "
                 "'shape': (2, 2), }",
                 (uint64_t)4 * (4 * 600000 + 8 * 300000 + 1));
    write_bytes(in_work("old.npy"), "old", 3);
    pretend_to_sync();
    return 0;
}

static int tear_down_files(void **state)
{
    return tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_in_the_midst),
        cmocka_unit_test(test_boxes_without_advice),
    };
    return cmocka_run_group_tests(tests, set_up_files, tear_down_files);
}
