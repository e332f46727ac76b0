/* test_map.c: files mapped in four modes, and filled by several processes.
 *                                             NPY-MAP-001 to 003, HOST-IO, HOST-CHANGED, API-OBJECTS */
#include "tests/unit/files.h"

static const snpy_map_mode modes[] = {SNPY_MAP_READ, SNPY_MAP_COPY, SNPY_MAP_WRITE};

/* A file of version 1.0 with one dimension of '|u1', its header of a given length. */
static void make_bytes_file(const char *path, size_t header_len, size_t count, const uint8_t *data, size_t size)
{
    char *text = allocate(header_len + 1);
    size_t start = 0;
    int used = snprintf(text, header_len, "{'descr': '|u1', 'fortran_order': False, 'shape': (%zu,)}", count);
    memset(text + used, ' ', header_len - (size_t)used);
    uint8_t *head = make_file(1, text, header_len, &start);
    uint8_t *file = allocate(start + size);
    memcpy(file, head, start);
    if (size > 0) memcpy(file + start, data, size);
    write_bytes(path, file, start + size);
    free(file);
    free(head);
    free(text);
}

/* NPY-MAP-002: data that begin at, in front of and behind a page. */
static void test_any_offset(void **state)
{
    static const size_t headers[] = {118, 119, 4085, 4086, 4087, 8181, 8182, 8183};
    const char *path = in_work("map.npy");
    uint8_t *data = make_data(10000, 2);
    (void)state;
    for (size_t i = 0; i < COUNT(headers); i++) {
        for (size_t m = 0; m < COUNT(modes); m++) {
            snpy_array array;
            snpy_io_error error;
            make_bytes_file(path, headers[i], 10000, data, 10000);
            expect_ok(snpy_map(path, modes[m], NULL, &array, &error), &error);
            assert_true(array.data_size == 10000 && array.header.frame.data_offset == headers[i] + 10);
            assert_memory_equal(array.data, data, 10000);
            assert_int_equal(array.is_writable, modes[m] != SNPY_MAP_READ);
            assert_int_equal(array.is_shared, modes[m] == SNPY_MAP_WRITE);
            if (array.is_writable) array.data[9999] ^= 0x55;
            if (array.is_writable) assert_true(array.data[9999] == (data[9999] ^ 0x55));
            expect_ok(snpy_map_flush(&array, &error), &error);
            snpy_array_release(&array);
            data[9999] ^= modes[m] == SNPY_MAP_WRITE ? 0x55 : 0;
            expect_file(path, 0, 10000, data, 10000);
        }
    }
    free(data);
}

/* NPY-MAP-003: also where the header ends at a page. */
static void test_nothing_to_map(void **state)
{
    const char *path = in_work("map.npy");
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (size_t m = 0; m < COUNT(modes); m++) {
            snpy_array array;
            snpy_io_error error;
            make_bytes_file(path, i == 0 ? 118 : 4086, 0, NULL, 0);
            expect_ok(snpy_map(path, modes[m], NULL, &array, &error), &error);
            assert_true(array.data == NULL && array.data_size == 0);
            expect_ok(snpy_map_flush(&array, &error), &error);
            snpy_array_release(&array);
        }
    }
}

/* NPY-MAP-001: a file that is too short is refused and stays as it is; one that is longer stays so, too. */
static void test_length_is_checked_and_kept(void **state)
{
    const char *path = in_work("map.npy");
    const snpy_load_options strict = {.size = sizeof(snpy_load_options), .no_trailing = true};
    uint8_t *data = make_data(5001, 2);
    struct stat about;
    (void)state;
    for (size_t m = 0; m < COUNT(modes); m++) {
        snpy_array array;
        snpy_io_error error;
        make_bytes_file(path, 118, 5000, data, 4999);
        expect_failure(snpy_map(path, modes[m], NULL, &array, &error), &error, SNPY_TRUNCATED_DATA, "a byte less");
        assert_true(error.error.offset == 128 + 4999 && array.data == NULL && array.base_ == NULL);
        assert_true(stat(path, &about) == 0 && about.st_size == 128 + 4999);
        make_bytes_file(path, 118, 5000, data, 5001);
        expect_ok(snpy_map(path, modes[m], NULL, &array, &error), &error);
        assert_true(array.data_size == 5000);
        snpy_array_release(&array);
        assert_true(stat(path, &about) == 0 && about.st_size == 128 + 5001);
        expect_failure(snpy_map(path, modes[m], &strict, &array, &error), &error, SNPY_TRAILING_DATA, "a byte more");
    }
    free(data);
}

static void test_what_cannot_be_mapped(void **state)
{
    const char *path = in_work("map.npy");
    const char *pipe = in_work("pipe");
    const char text[] = "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }";
    size_t length = 0;
    uint8_t *file = make_file(1, text, sizeof text, &length);
    snpy_array array;
    snpy_io_error error;
    (void)state;
    file[length - 1] = ' ';
    write_bytes(path, file, length);
    FILE *more = fopen(path, "ab");
    (void)fputs("pickle", more);
    (void)fclose(more);
    expect_failure(snpy_map(path, SNPY_MAP_READ, NULL, &array, &error), &error, SNPY_OBJECT_DATA, "objects");
    assert_true(array.header.has_object && array.data == NULL);
    snpy_array_release(&array);
    expect_failure(snpy_map(path, (snpy_map_mode)4, NULL, &array, &error), &error, SNPY_BAD_ARGUMENT, "a mode");
    expect_failure(snpy_map(in_work("absent"), SNPY_MAP_READ, NULL, &array, &error), &error, SNPY_IO_ERROR, "no file");
    expect_failure(snpy_map("/dev/null", SNPY_MAP_READ, NULL, &array, &error), &error, SNPY_IO_ERROR, "a device");
    write_bytes(path, "", 0);
    expect_failure(snpy_map(path, SNPY_MAP_WRITE, NULL, &array, &error), &error, SNPY_TRUNCATED_PREFIX, "no bytes");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    int descriptor = open(pipe, O_RDWR);
    make_bytes_file(path, 118, 3, (const uint8_t *)"abc", 3);
    uint8_t *bytes = read_file(path, &length);
    assert_true(write(descriptor, bytes, length) == (ssize_t)length);
    expect_failure(snpy_map(pipe, SNPY_MAP_READ, NULL, &array, &error), &error, SNPY_IO_ERROR, "a pipe");
    assert_int_equal(error.system_error, ENODEV);
    (void)close(descriptor);
    free(bytes);
    free(file);
}

static void test_create(void **state)
{
    static const uint64_t shapes[][2] = {{4, 3}, {0, 3}, {1000, 1000}};
    const char *path = in_work("new.npy");
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        for (unsigned fortran = 0; fortran < 2; fortran++) {
            struct made made;
            snpy_array array;
            snpy_io_error error;
            size_t size = (size_t)(shapes[i][0] * shapes[i][1] * 8);
            uint8_t *data = make_data(size, 3);
            make(&made, 'f', 8, fortran != 0, 2, shapes[i]);
            (void)unlink(path);
            expect_ok(snpy_map_create(path, &made.description, SNPY_REPLACE_NOT, &array, &error), &error);
            assert_true(array.is_writable && array.is_shared && array.data_size == size);
            assert_true(is_filled(array.data, 0, size));
            if (size > 0) memcpy(array.data, data, size);
            expect_ok(snpy_map_flush(&array, &error), &error);
            snpy_array_release(&array);
            expect_file(path, 0, shapes[i][0], data, size);
            free(data);
        }
    }
}

/* A file that exists is only replaced if that is asked for, as a whole, and with its permissions. */
static void test_create_over_a_file(void **state)
{
    const char *path = in_work("new.npy");
    struct made made;
    snpy_array array;
    snpy_array old;
    snpy_io_error error;
    struct stat about;
    uint8_t *data = make_data(3000, 4);
    (void)state;
    make_rows(&made, 5);
    make_bytes_file(path, 118, 3000, data, 3000);
    assert_int_equal(chmod(path, 0640), 0);
    expect_failure(snpy_map_create(path, &made.description, SNPY_REPLACE_NOT, &array, &error), &error, SNPY_IO_ERROR,
                   "a file");
    assert_true(error.system_error == EEXIST && array.data == NULL);
    expect_file(path, 0, 3000, data, 3000);
    expect_ok(snpy_map(path, SNPY_MAP_READ, NULL, &old, &error), &error);
    expect_ok(snpy_map_create(path, &made.description, SNPY_REPLACE, &array, &error), &error);
    assert_memory_equal(old.data, data, 3000);
    assert_true(stat(path, &about) == 0 && (about.st_mode & 0777) == 0640);
    memset(array.data, 7, 5 * ROW);
    snpy_array_release(&array);
    snpy_array_release(&old);
    memset(data, 7, 5 * ROW);
    expect_file(path, 0, 5, data, 5 * ROW);
    assert_true(count_files(false) >= 1);
    free(data);
}

/* What cannot be made leaves no file behind. */
static void test_create_that_fails(void **state)
{
    const uint64_t shape[1] = {SNPY_MAX_SIZE - 1};
    struct made made;
    snpy_array array;
    snpy_io_error error;
    size_t before = count_files(false);
    (void)state;
    make(&made, 'u', 1, false, 1, shape);
    expect_failure(snpy_map_create(in_work("huge.npy"), &made.description, SNPY_REPLACE_NOT, &array, &error), &error,
                   SNPY_IO_ERROR, "2^63 bytes");
    make(&made, 'O', 8, false, 1, shape);
    made.header.shape[0] = 3;
    expect_failure(snpy_map_create(in_work("huge.npy"), &made.description, SNPY_REPLACE_NOT, &array, &error), &error,
                   SNPY_OBJECT_DATA, "objects");
    make(&made, 'f', 3, false, 1, shape);
    expect_failure(snpy_map_create(in_work("huge.npy"), &made.description, SNPY_REPLACE_NOT, &array, &error), &error,
                   SNPY_WRITE_DTYPE, "a float of 3 bytes");
    expect_failure(snpy_map_create("/no/such/place.npy", &made.description, SNPY_REPLACE, &array, &error), &error,
                   SNPY_WRITE_DTYPE, "no directory");
    assert_true(count_files(false) == before);
}

#define PROCESSES 4u
#define ROWS_EACH 25001u

/* One process: maps the file and fills its part of the rows. */
static void fill_part(const char *path, unsigned part)
{
    snpy_array array;
    snpy_io_error error;
    if (snpy_map(path, SNPY_MAP_WRITE, NULL, &array, &error) != SNPY_OK) _exit(1);
    uint8_t *rows = array.data + (size_t)part * ROWS_EACH * ROW;
    for (size_t i = 0; i < (size_t)ROWS_EACH * ROW; i++) rows[i] = (uint8_t)(i + part * 37);
    if (snpy_map_flush(&array, &error) != SNPY_OK) _exit(1);
    snpy_array_release(&array);
    _exit(0);
}

static void test_four_processes_fill_one_array(void **state)
{
    const char *path = in_work("shared.npy");
    struct made made;
    snpy_array array;
    snpy_io_error error;
    pid_t children[PROCESSES];
    (void)state;
    make_rows(&made, (uint64_t)PROCESSES * ROWS_EACH);
    expect_ok(snpy_map_create(path, &made.description, SNPY_REPLACE_NOT, &array, &error), &error);
    for (unsigned part = 0; part < PROCESSES; part++) {
        children[part] = fork();
        if (children[part] == 0) fill_part(path, part);
    }
    for (unsigned part = 0; part < PROCESSES; part++) {
        int result = -1;
        assert_true(waitpid(children[part], &result, 0) == children[part] && result == 0);
    }
    size_t size = (size_t)PROCESSES * ROWS_EACH * ROW;
    uint8_t *expected = allocate(size);
    for (size_t i = 0; i < size; i++) {
        size_t part = i / ((size_t)ROWS_EACH * ROW);
        expected[i] = (uint8_t)(i % ((size_t)ROWS_EACH * ROW) + part * 37);
    }
    assert_memory_equal(array.data, expected, size); /* the map made first sees it, too */
    snpy_array_release(&array);
    expect_file(path, 0, (uint64_t)PROCESSES * ROWS_EACH, expected, size);
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_offset),
        cmocka_unit_test(test_nothing_to_map),
        cmocka_unit_test(test_length_is_checked_and_kept),
        cmocka_unit_test(test_what_cannot_be_mapped),
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_create_over_a_file),
        cmocka_unit_test(test_create_that_fails),
        cmocka_unit_test(test_four_processes_fill_one_array),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
