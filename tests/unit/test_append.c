/* test_append.c: arrays that grow in their file.      NPY-WRITE-012, HOST-GROWTH, HOST-MATCH, HOST-IO, API-OBJECTS */
#include "tests/unit/files.h"

/* Saves rows 0 to n-1 of the data. */
static void save_rows(const char *path, uint64_t rows, const uint8_t *data)
{
    struct made made;
    snpy_io_error error;
    make_rows(&made, rows);
    expect_ok(snpy_save(path, &made.description, data, rows * ROW, &error), &error);
}

static snpy_status append_rows(const char *path, uint64_t rows, const uint8_t *data, snpy_io_error *error)
{
    struct made made;
    make_rows(&made, rows);
    return snpy_append(path, &made.description, data, rows * ROW, NULL, error);
}

/* Each step makes the file that would have been saved as a whole. */
static void test_step_by_step(void **state)
{
    static const uint64_t steps[] = {0, 1, 8, 1, 90, 0, 899, 1, 5000};
    const char *path = in_work("grow.npy");
    uint8_t *data = make_data(6000 * ROW, 1);
    uint64_t rows = 0;
    (void)state;
    save_rows(path, 0, data);
    for (size_t i = 0; i < COUNT(steps); i++) {
        snpy_io_error error;
        size_t length = 0;
        expect_ok(append_rows(path, steps[i], data + rows * ROW, &error), &error);
        rows += steps[i];
        save_rows(in_work("whole.npy"), rows, data);
        uint8_t *whole = read_file(in_work("whole.npy"), &length);
        expect_bytes(path, whole, length);
        free(whole);
    }
    free(data);
}

/* In Fortran order the last axis grows; with one axis both are the same, and so is an order that says nothing. */
static void test_axes(void **state)
{
    const char *path = in_work("grow.npy");
    uint8_t *data = make_data(1000, 2);
    struct made made;
    snpy_io_error error;
    (void)state;
    const uint64_t cube[3] = {2, 3, 5};
    const uint64_t more[3] = {2, 3, 4};
    const uint64_t wrong[3] = {3, 3, 5};
    snpy_writer *writer;
    make(&made, 'f', 4, true, 3, cube);
    expect_ok(snpy_writer_open(&writer, path, &made.description, false, &error), &error);
    expect_ok(snpy_writer_add(writer, data, 120, &error), &error);
    expect_ok(snpy_writer_finish(&writer, &error), &error);
    make(&made, 'f', 4, true, 3, more);
    expect_ok(snpy_append(path, &made.description, data + 120, 96, NULL, &error), &error);
    expect_file(path, 2, 9, data, 216);
    make(&made, 'f', 4, false, 3, more);
    expect_failure(snpy_append(path, &made.description, data, 96, NULL, &error), &error, SNPY_NOT_ALIKE, "C to F");
    make(&made, 'f', 4, true, 3, wrong);
    expect_failure(snpy_append(path, &made.description, data, 180, NULL, &error), &error, SNPY_NOT_ALIKE, "the first");
    expect_file(path, 2, 9, data, 216);
    make(&made, 'u', 1, true, 1, cube);
    expect_ok(snpy_save(path, &made.description, data, 2, &error), &error);
    expect_ok(snpy_append(path, &made.description, data + 2, 2, NULL, &error), &error);
    expect_file(path, 0, 4, data, 4);
    const uint64_t row[2] = {1, 3};
    save_rows(path, 2, data);
    make(&made, 'i', 4, true, 2, row);
    expect_ok(snpy_append(path, &made.description, data + 2 * ROW, ROW, NULL, &error), &error);
    expect_file(path, 0, 3, data, 3 * ROW);
    free(data);
}

/* HOST-MATCH */
static void test_what_differs_is_refused(void **state)
{
    const char *path = in_work("grow.npy");
    uint8_t *data = make_data(1000, 3);
    size_t length = 0;
    (void)state;
    save_rows(path, 4, data);
    uint8_t *before = read_file(path, &length);
    static const struct {
        char kind;
        uint32_t itemsize;
        uint32_t ndim;
        uint64_t shape[3];
    } others[] = {
        {'u', 4, 2, {1, 3, 0}}, {'i', 8, 2, {1, 3, 0}}, {'f', 4, 2, {1, 3, 0}}, {'i', 4, 2, {1, 4, 0}},
        {'i', 4, 1, {3, 0, 0}}, {'i', 4, 3, {1, 3, 1}}, {'i', 4, 0, {0, 0, 0}}, {'V', 12, 1, {1, 0, 0}},
    };
    for (size_t i = 0; i < COUNT(others); i++) {
        struct made made;
        snpy_io_error error;
        uint64_t size = others[i].itemsize;
        for (uint32_t k = 0; k < others[i].ndim; k++) size *= others[i].shape[k];
        make(&made, others[i].kind, others[i].itemsize, false, others[i].ndim, others[i].shape);
        expect_failure(snpy_append(path, &made.description, data, size, NULL, &error), &error, SNPY_NOT_ALIKE, "other");
    }
    struct made made;
    snpy_io_error error;
    make_rows(&made, 1);
    made.header.dtype.byteorder = '>';
    expect_failure(snpy_append(path, &made.description, data, ROW, NULL, &error), &error, SNPY_NOT_ALIKE, "big-endian");
    make_rows(&made, 1);
    expect_failure(snpy_append(path, &made.description, data, ROW - 1, NULL, &error), &error, SNPY_BAD_ARGUMENT, "11");
    make(&made, 'O', 8, false, 1, others[0].shape);
    expect_failure(snpy_append(path, &made.description, data, 8, NULL, &error), &error, SNPY_OBJECT_DATA, "objects");
    expect_bytes(path, before, length);
    free(before);
    free(data);
}

/* Records are alike if NumPy writes their types alike, whatever the escapes and versions. */
static void test_records(void **state)
{
    static const char *const texts[] = {
        "{'descr': [('a', '<i4'), ('b\\n', '|S2')], 'fortran_order': False, 'shape': (2,), }                    ",
        "{'descr': [('\\x61', '<i4'), ('b\\x0a', '|S2')], 'shape': (2,), 'fortran_order': False, }              ",
        "{'descr': [('a', '<i4'), ('c', '|S2')], 'fortran_order': False, 'shape': (2,), }                       "};
    const char *path = in_work("record.npy");
    uint8_t *data = make_data(24, 4);
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        snpy_array arrays[2];
        snpy_description description;
        snpy_io_error error;
        for (size_t k = 0; k < 2; k++) {
            const char *text = texts[k == 0 ? i : 0];
            size_t length = 0;
            uint8_t *head = make_file(k == 0 ? 3 : 1, text, strlen(text), &length);
            uint8_t *file = allocate(length + 12);
            memcpy(file, head, length);
            memcpy(file + length, data + 12 * k, 12);
            if (k == 0) write_bytes(path, file, length + 12);
            expect_ok(snpy_load_memory(file, length + 12, NULL, &arrays[k], &error), &error);
            free(file);
            free(head);
        }
        snpy_array_describe(&arrays[1], &description);
        snpy_status status = snpy_append(path, &description, arrays[1].data, 12, NULL, &error);
        if (i < 2) {
            expect_ok(status, &error);
            expect_file(path, 0, 4, data, 24);
        } else {
            expect_failure(status, &error, SNPY_NOT_ALIKE, "another name");
            expect_file(path, 0, 2, data, 12);
        }
        snpy_array_release(&arrays[0]);
        snpy_array_release(&arrays[1]);
    }
    free(data);
}

/* HOST-GROWTH: a header without spaces can take a digit's change, not one digit more. */
static void test_headers_without_room(void **state)
{
    const char text[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (8,), }\n";
    const char *path = in_work("full.npy");
    const uint64_t one[1] = {1};
    struct made made;
    snpy_io_error error;
    (void)state;
    make(&made, 'u', 1, false, 1, one);
    for (size_t spare = 0; spare < 3; spare++) {
        size_t length = 0;
        char padded[80];
        size_t text_length = sizeof text - 1 + spare;
        memset(padded, ' ', sizeof padded);
        memcpy(padded, text, sizeof text - 2);
        padded[text_length - 1] = '\n';
        uint8_t *head = make_file(1, padded, text_length, &length);
        uint8_t *file = allocate(length + 8);
        memcpy(file, head, length);
        memcpy(file + length, "01234567", 8);
        write_bytes(path, file, length + 8);
        expect_ok(snpy_append(path, &made.description, "8", 1, NULL, &error), &error);
        expect_file(path, 0, 9, (const uint8_t *)"012345678", 9);
        snpy_status status = snpy_append(path, &made.description, "9", 1, NULL, &error);
        if (spare == 0) {
            expect_failure(status, &error, SNPY_HEADER_FULL, "ten");
            assert_true(strstr(error_text(&error), "has no space for the new length") != NULL);
            expect_file(path, 0, 9, (const uint8_t *)"012345678", 9);
        } else {
            expect_ok(status, &error);
            expect_file(path, 0, 10, (const uint8_t *)"0123456789", 10);
        }
        free(file);
        free(head);
    }
}

/* What an append that was killed leaves is refused, and overwritten when that is asked for. */
static void test_bytes_behind_the_data(void **state)
{
    const char *path = in_work("grow.npy");
    const snpy_append_options drop = {.size = sizeof(snpy_append_options), .drop_trailing = true};
    uint8_t *data = make_data(100 * ROW, 5);
    struct made made;
    snpy_io_error error;
    (void)state;
    for (size_t rows = 0; rows < 3; rows++) {
        save_rows(path, 4, data);
        FILE *file = fopen(path, "ab");
        assert_true(fwrite(data, 1, 2 * ROW - 5, file) == 2 * ROW - 5);
        (void)fclose(file);
        expect_failure(append_rows(path, 1, data, &error), &error, SNPY_TRAILING_DATA, "bytes after the data");
        assert_true(error.error.offset == 128 + 4 * ROW);
        make_rows(&made, rows);
        expect_ok(snpy_append(path, &made.description, data + 4 * ROW, rows * ROW, &drop, &error), &error);
        expect_file(path, 0, 4 + rows, data, (4 + rows) * ROW);
    }
    free(data);
}

/* As in test_load.c. */
static void test_options_that_have_grown(void **state)
{
    static const uint32_t unknown[] = {0, 3, sizeof(snpy_append_options) + 1};
    const char *path = in_work("grow.npy");
    uint8_t *data = make_data(2 * ROW, 5);
    struct made made;
    snpy_io_error error;
    (void)state;
    save_rows(path, 1, data);
    make_rows(&made, 1);
    for (size_t i = 0; i < COUNT(unknown); i++) {
        const snpy_append_options how = {.size = unknown[i]};
        expect_failure(snpy_append(path, &made.description, data + ROW, ROW, &how, &error), &error, SNPY_BAD_ARGUMENT,
                       "size");
        expect_file(path, 0, 1, data, ROW);
    }
    FILE *file = fopen(path, "ab");
    assert_true(fwrite(data, 1, 5, file) == 5);
    (void)fclose(file);
    snpy_append_options how = {.size = offsetof(snpy_append_options, drop_trailing), .drop_trailing = true};
    expect_failure(snpy_append(path, &made.description, data + ROW, ROW, &how, &error), &error, SNPY_TRAILING_DATA,
                   "an option that is not there");
    how.size = sizeof how;
    expect_ok(snpy_append(path, &made.description, data + ROW, ROW, &how, &error), &error);
    expect_file(path, 0, 2, data, 2 * ROW);
    free(data);
}

static void test_what_cannot_grow(void **state)
{
    const char *path = in_work("grow.npy");
    const uint64_t one[1] = {1};
    struct made made;
    snpy_io_error error;
    (void)state;
    make(&made, 'u', 1, false, 0, NULL);
    expect_ok(snpy_save(path, &made.description, "x", 1, &error), &error);
    make(&made, 'u', 1, false, 1, one);
    expect_failure(snpy_append(path, &made.description, "x", 1, NULL, &error), &error, SNPY_NOT_ALIKE, "a scalar");
    expect_failure(snpy_append(in_work("absent"), &made.description, "x", 1, NULL, &error), &error, SNPY_IO_ERROR,
                   "no file");
    write_bytes(path, "\x93NUMPY\1", 7);
    expect_failure(snpy_append(path, &made.description, "x", 1, NULL, &error), &error, SNPY_TRUNCATED_PREFIX, "half");
    write_bytes(path, "", 0);
    expect_failure(snpy_append(path, &made.description, "x", 1, NULL, &error), &error, SNPY_TRUNCATED_PREFIX,
                   "nothing");
    const char *pipe = in_work("pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    expect_failure(snpy_append(pipe, &made.description, "x", 1, NULL, &error), &error, SNPY_IO_ERROR, "a pipe");
    assert_int_equal(error.system_error, ESPIPE);
    const uint64_t most[1] = {SNPY_MAX_SIZE - 1};
    make(&made, 'u', 1, false, 1, most);
    const uint64_t two[1] = {2};
    struct made second;
    snpy_error plain;
    uint64_t size = 0;
    uint8_t head[256];
    assert_int_equal(snpy_write_header(&made.description, head, sizeof head, &size, &plain), SNPY_OK);
    write_bytes(path, head, (size_t)size);
    make(&second, 'u', 1, false, 1, two);
    expect_failure(snpy_append(path, &second.description, "xy", 2, NULL, &error), &error, SNPY_TRUNCATED_DATA, "2^63");
}

/* No room for the new rows: the file is what it was, to its last byte. */
static void test_no_room(void **state)
{
    const char *path = in_work("grow.npy");
    uint8_t *data = make_data(100 * ROW, 5);
    size_t length = 0;
    (void)state;
    save_rows(path, 4, data);
    uint8_t *before = read_file(path, &length);
    for (size_t size = length; size < length + 96 * ROW; size += 101) {
        snpy_io_error error;
        limit_files(size);
        snpy_status status = append_rows(path, 96, data + 4 * ROW, &error);
        limit_files(0);
        expect_failure(status, &error, SNPY_IO_ERROR, "no room");
        assert_true(error.system_error == EFBIG);
        expect_bytes(path, before, length);
    }
    free(before);
    free(data);
}

/* Several processes append at once: each row is there, whole. */
static void test_processes_take_turns(void **state)
{
    const char *path = in_work("turns.npy");
    enum { CHILDREN = 4, TURNS = 15 };
    size_t seen[CHILDREN] = {0};
    snpy_array array;
    snpy_io_error error;
    pid_t children[CHILDREN];
    (void)state;
    save_rows(path, 0, NULL);
    for (size_t i = 0; i < CHILDREN; i++) {
        children[i] = fork();
        if (children[i] != 0) continue;
        uint8_t row[ROW];
        memset(row, (int)i + 1, sizeof row);
        for (size_t turn = 0; turn < TURNS; turn++)
            if (append_rows(path, 1, row, &error) != SNPY_OK) _exit(1);
        _exit(0);
    }
    for (size_t i = 0; i < CHILDREN; i++) {
        int result = -1;
        assert_true(waitpid(children[i], &result, 0) == children[i] && result == 0);
    }
    expect_ok(snpy_load(path, NULL, &array, &error), &error);
    assert_true(array.header.shape[0] == CHILDREN * TURNS);
    for (size_t i = 0; i < CHILDREN * TURNS; i++) {
        const uint8_t *row = array.data + i * ROW;
        assert_true(row[0] >= 1 && row[0] <= CHILDREN && is_filled(row, row[0], ROW));
        seen[row[0] - 1]++;
    }
    for (size_t i = 0; i < CHILDREN; i++) assert_true(seen[i] == TURNS);
    snpy_array_release(&array);
}

/* Until the end, the file is the old array, with bytes behind it. */
static void expect_old_rows(const char *path, uint64_t count)
{
    snpy_array array;
    snpy_io_error error;
    expect_ok(snpy_load(path, NULL, &array, &error), &error);
    assert_true(array.header.shape[0] == count);
    snpy_array_release(&array);
}

/* By parts: what was announced is added, in pieces of any size, and takes effect in the end or not at all. */
static void test_by_parts(void **state)
{
    const char *path = in_work("grow.npy");
    uint8_t *data = make_data(1000 * ROW, 9);
    snpy_appender *appender;
    struct made made;
    snpy_io_error error;
    (void)state;
    for (size_t step = 1; step < 500; step += 41) {
        save_rows(path, 5, data);
        expect_ok(snpy_appender_open(&appender, path, NULL, &error), &error);
        size_t at = 5 * ROW;
        for (uint64_t count = 0; count < 4; count++) {
            make_rows(&made, count);
            expect_ok(snpy_appender_announce(appender, &made.description, &error), &error);
            for (size_t left = count * ROW; left > 0;) {
                size_t size = left < step ? left : step;
                expect_ok(snpy_appender_add(appender, data + at, size, &error), &error);
                at += size;
                left -= size;
            }
            expect_old_rows(path, 5);
        }
        expect_ok(snpy_appender_finish(&appender, &error), &error);
        expect_file(path, 0, 11, data, 11 * ROW);
    }
    free(data);
}

/* What is not announced is refused; what is not complete, or abandoned, or cut by a signal handler, is undone. */
static void test_parts_that_do_not_fit(void **state)
{
    const char *path = in_work("grow.npy");
    uint8_t *data = make_data(100 * ROW, 10);
    snpy_appender *appender;
    struct made made;
    snpy_io_error error;
    size_t length = 0;
    (void)state;
    save_rows(path, 5, data);
    uint8_t *before = read_file(path, &length);
    for (int way = 0; way < 4; way++) {
        expect_ok(snpy_appender_open(&appender, path, NULL, &error), &error);
        expect_failure(snpy_appender_add(appender, data, 1, &error), &error, SNPY_TRAILING_DATA, "too early");
        make_rows(&made, 2);
        made.header.shape[1] = 4;
        expect_failure(snpy_appender_announce(appender, &made.description, &error), &error, SNPY_NOT_ALIKE, "a column");
        make_rows(&made, 2);
        expect_ok(snpy_appender_announce(appender, &made.description, &error), &error);
        expect_ok(snpy_appender_add(appender, data, 2 * ROW - 1, &error), &error);
        expect_failure(snpy_appender_add(appender, data, 2, &error), &error, SNPY_TRAILING_DATA, "a byte too many");
        if (way == 0)
            expect_failure(snpy_appender_finish(&appender, &error), &error, SNPY_TRUNCATED_DATA, "a byte less");
        if (way == 1) snpy_appender_abandon(&appender);
        if (way == 2) snpy_remove_temporaries();
        if (way == 3) expect_ok(snpy_appender_add(appender, data, 1, &error), &error);
        if (way == 3) expect_ok(snpy_appender_finish(&appender, &error), &error);
        if (way < 3) expect_bytes(path, before, length);
        snpy_appender_abandon(&appender);
        snpy_appender_abandon(&appender);
        expect_failure(snpy_appender_finish(&appender, &error), &error, SNPY_BAD_ARGUMENT, "closed");
    }
    snpy_remove_temporaries();
    free(before);
    before = read_file(path, &length);
    expect_that(length == 128 + 7 * ROW, "%zu bytes\n", length);
    free(before);
    free(data);
}

/* A handler that cuts the file and lets the process live: the header must not come to declare what was cut off. */
static void test_a_handler_that_returns_fails_the_append(void **state)
{
    const char *path = in_work("cut.npy");
    uint8_t *data = make_data(5 * ROW, 9);
    size_t length = 0;
    struct made made;
    snpy_appender *appender;
    snpy_io_error error;
    (void)state;
    make_rows(&made, 3);
    expect_ok(snpy_save(path, &made.description, data, 3 * ROW, &error), &error);
    uint8_t *before = read_file(path, &length);
    for (int way = 0; way < 2; way++) { /* cut at the end, and between two pieces */
        make_rows(&made, 2);
        expect_ok(snpy_appender_open(&appender, path, NULL, &error), &error);
        expect_ok(snpy_appender_announce(appender, &made.description, &error), &error);
        expect_ok(snpy_appender_add(appender, data, ROW, &error), &error);
        if (way == 1) snpy_remove_temporaries();
        expect_ok(snpy_appender_add(appender, data, ROW, &error), &error);
        if (way == 0) snpy_remove_temporaries();
        expect_failure(snpy_appender_finish(&appender, &error), &error, SNPY_IO_ERROR, "cut");
        assert_int_equal(error.system_error, EINTR);
        expect_bytes(path, before, length);
    }
    expect_ok(snpy_append(path, &made.description, data, 2 * ROW, NULL, &error),
              &error); /* and the next one is whole */
    free(before);
    before = read_file(path, &length);
    assert_int_equal(length, 128 + 5 * ROW);
    free(before);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_parts),
        cmocka_unit_test(test_parts_that_do_not_fit),
        cmocka_unit_test(test_step_by_step),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_a_handler_that_returns_fails_the_append),
        cmocka_unit_test(test_what_differs_is_refused),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_headers_without_room),
        cmocka_unit_test(test_bytes_behind_the_data),
        cmocka_unit_test(test_options_that_have_grown),
        cmocka_unit_test(test_what_cannot_grow),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_processes_take_turns),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
