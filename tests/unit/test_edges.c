/* test_edges.c: what files, streams, parts and errors do at the edge of what they take.
 *                                                     HOST-IO, HOST-MEMORY, API-ARRAY, NPY-DATA-001, NPY-WRITE-012 */
#define _XOPEN_SOURCE 700 /* fmemopen, sockets */
#include <sys/socket.h>
#include <sys/un.h>

#include "host/flow.h"
#include "safenpy/copy_fast.h"
#include "tests/unit/files.h"

static snpy_io_error error;

/* --- streams without a descriptor ---------------------------------------------------------------------------- */

static FILE *open_memory(void *room, size_t size, int buffering)
{
    FILE *stream = fmemopen(room, size, "wb");
    if (stream == NULL || setvbuf(stream, NULL, buffering, 512) != 0) abort();
    return stream;
}

/* Memory that is too small is told of by the write, or, where the stream keeps the bytes for itself, by its flush. */
static void test_streams_over_memory(void **state)
{
    static const uint64_t none[2] = {0, 3};
    uint8_t rows[ROW] = {0};
    uint8_t room[256];
    struct made made;
    (void)state;
    make_rows(&made, 1);
    FILE *stream = open_memory(room, sizeof room, _IOFBF);
    expect_ok(snpy_save_stream(stream, &made.description, rows, ROW, &error), &error);
    (void)fclose(stream);
    stream = open_memory(room, 100, _IONBF);
    expect_failure(snpy_save_stream(stream, &made.description, rows, ROW, &error), &error, SNPY_IO_ERROR, "at once");
    assert_string_equal(error.call, "fwrite");
    assert_true(error.system_error != 0);
    (void)fclose(stream);
    stream = open_memory(room, 100, _IOFBF);
    expect_failure(snpy_save_stream(stream, &made.description, rows, ROW, &error), &error, SNPY_IO_ERROR, "buffered");
    (void)fclose(stream);
    make(&made, 'i', 4, false, 2, none);
    stream = open_memory(room, sizeof room, _IOFBF);
    expect_ok(snpy_save_stream(stream, &made.description, rows, 0, &error), &error);
    (void)fclose(stream);
}

/* --- writers -------------------------------------------------------------------------------------------------- */

static void test_writers_that_cannot_begin(void **state)
{
    uint64_t shape[SNPY_MAX_NDIM + 1] = {1};
    snpy_writer *writer;
    struct made made;
    (void)state;
    make_rows(&made, 1);
    expect_failure(snpy_writer_open_descriptor(&writer, -1, &made.description, false, &error), &error, SNPY_IO_ERROR,
                   "no descriptor");
    assert_true(strcmp(error.call, "write") == 0 && error.system_error == EBADF);
    make(&made, 'i', 4, false, 1, shape);
    made.header.ndim = SNPY_MAX_NDIM + 1;
    for (int grows = 0; grows < 2; grows++) {
        expect_failure(snpy_writer_open_descriptor(&writer, 1, &made.description, grows == 1, &error), &error,
                       SNPY_WRITE_SHAPE, "too many axes");
        expect_failure(snpy_writer_open_stream(&writer, stdout, &made.description, grows == 1, &error), &error,
                       SNPY_WRITE_SHAPE, "too many axes");
        assert_null(writer);
    }
}

static void test_writers_take_no_more(void **state)
{
    uint8_t rows[ROW] = {0};
    snpy_writer *writer;
    struct made made;
    (void)state;
    make_rows(&made, 0);
    expect_ok(snpy_writer_open(&writer, in_work("w.npy"), &made.description, true, &error), &error);
    expect_failure(snpy_writer_add(writer, rows, SNPY_MAX_SIZE + 1u, &error), &error, SNPY_SIZE_OVERFLOW, "2^63 bytes");
    snpy_writer_abandon(&writer);
    assert_int_equal(access(in_work("w.npy"), F_OK), -1);
    expect_failure(snpy_writer_add(writer, rows, ROW, &error), &error, SNPY_BAD_ARGUMENT, "a closed writer");
}

/* A socket can be opened by no one; the path stays what it is. */
static void test_output_to_a_socket(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snpy_output output;
    (void)state;
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", in_work("socket"));
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(listener >= 0 && bind(listener, (const struct sockaddr *)&address, sizeof address) == 0);
    expect_failure(snpy_output_open(&output, in_work("socket"), 0, &error), &error, SNPY_IO_ERROR, "a socket");
    assert_true(strcmp(error.call, "open") == 0 && error.system_error == ENXIO);
    (void)close(listener);
    assert_int_equal(unlink(in_work("socket")), 0);
}

/* The directory of a file in the root. */
static void test_files_in_the_root(void **state)
{
    struct stat about;
    struct stat root;
    int descriptor = -1;
    (void)state;
    expect_ok(snpy_open_directory("/a.npy", &descriptor, &error), &error);
    assert_true(fstat(descriptor, &about) == 0 && stat("/", &root) == 0);
    assert_true(about.st_ino == root.st_ino && about.st_dev == root.st_dev);
    (void)close(descriptor);
}

/* --- inputs --------------------------------------------------------------------------------------------------- */

static void test_streams_go_forward_only(void **state)
{
    uint8_t bytes[64];
    uint64_t got = 0;
    snpy_input input;
    int ends[2];
    (void)state;
    if (pipe(ends) != 0) abort();
    assert_int_equal(write(ends[1], "0123456789", 10), 10);
    (void)close(ends[1]);
    snpy_input_from_file(&input, ends[0], 0);
    input.reader.is_stream = true;
    expect_ok(snpy_input_read(&input, 2, bytes, 3, &error), &error);
    assert_memory_equal(bytes, "234", 3);
    expect_failure(snpy_input_read(&input, 4, bytes, 1, &error), &error, SNPY_BAD_ARGUMENT, "backwards");
    expect_failure(snpy_input_some(&input, 9, bytes, 1, &got, &error), &error, SNPY_BAD_ARGUMENT, "elsewhere");
    expect_failure(snpy_input_read(&input, 20, bytes, 1, &error), &error, SNPY_TRUNCATED_DATA, "behind the end");
    assert_int_equal(error.error.offset, 10);
    (void)close(ends[0]);
}

static void test_advice_for_large_files(void **state)
{
    snpy_input input;
    (void)state;
    snpy_input_from_file(&input, STDIN_FILENO, 0);
    assert_false(snpy_input_expect(&input, SNPY_MAX_SIZE));
}

static void test_work_of_huge_conversions(void **state)
{
    const snpy_conversion how = {.order = 'F'};
    snpy_output output;
    snpy_file file;
    (void)state;
    memset(&file, 0, sizeof file);
    snpy_output_lend(&output, 1);
    file.head.header.ndim = 2;
    file.head.header.shape[0] = file.head.header.shape[1] = 2;
    file.head.header.data_size = SNPY_MAX_SIZE / 2;
    assert_true(snpy_conversion_work(&how, &file, &output) == SNPY_MAX_SIZE / 2 * 2);
    file.head.header.data_size = SNPY_MAX_SIZE;
    assert_true(snpy_conversion_work(&how, &file, &output) == SNPY_MAX_SIZE);
}

/* --- arrays --------------------------------------------------------------------------------------------------- */

static void test_arrays_without_a_file(void **state)
{
    struct made made;
    snpy_array array;
    snpy_array copy;
    uint8_t *file;
    size_t length = 0;
    uint8_t rows[ROW] = {1};
    (void)state;
    make_rows(&made, 1);
    expect_ok(snpy_save(in_work("a.npy"), &made.description, rows, ROW, &error), &error);
    file = read_file(in_work("a.npy"), &length);
    expect_ok(snpy_load_memory(file, length, NULL, &array, &error), &error);
    expect_ok(snpy_map_flush(&array, &error), &error);
    expect_failure(snpy_array_copy(&array, 'C', (snpy_byteorder)-1, &copy, &error), &error, SNPY_BAD_ARGUMENT, "order");
    expect_failure(snpy_array_copy(&array, 'C', (snpy_byteorder)99, &copy, &error), &error, SNPY_BAD_ARGUMENT, "order");
    snpy_array_release(&array);
    free(file);
}

/* Elements larger than a tile change their places as smaller ones do. */
static void test_large_elements_change_places(void **state)
{
    enum { SIZE = 70000 };
    uint8_t *data = make_data((size_t)4 * SIZE, 1);
    uint8_t *moved = allocate((size_t)4 * SIZE);
    snpy_run run = {0, SIZE, 1, SNPY_ACTION_KEEP};
    snpy_plan plan = {&run, 1, 1, SIZE};
    snpy_view from = {.data_size = 4 * SIZE, .count = 4, .itemsize = SIZE, .ndim = 2, .shape = {2, 2}};
    snpy_view to;
    snpy_error verdict;
    (void)state;
    from.dtype.kind = SNPY_KIND_VOID;
    from.dtype.byteorder = '|';
    from.dtype.itemsize = SIZE;
    from.strides[0] = SIZE;
    from.strides[1] = 2 * SIZE;
    to = from;
    to.strides[0] = 2 * SIZE;
    to.strides[1] = SIZE;
    assert_int_equal(snpy_copy_fast(&from, data, &plan, &to, moved, &verdict), SNPY_OK);
    for (size_t i = 0; i < 4; i++)
        assert_memory_equal(moved + i * SIZE, data + (size_t)SIZE * (i == 1 ? 2 : i == 2 ? 1 : i), SIZE);
    free(data);
    free(moved);
}

/* --- errors --------------------------------------------------------------------------------------------------- */

/* Only offsets of bytes are called so. */
static void test_texts_of_errors(void **state)
{
    static const struct {
        snpy_status status;
        bool has_byte;
    } cases[] = {{SNPY_BAD_MAGIC, true},      {SNPY_ZIP_NO_END, true},   {SNPY_TABLE_TOO_SMALL, false},
                 {SNPY_ZIP_WRITE_KEY, false}, {SNPY_WRITE_DTYPE, false}, {SNPY_BAD_ARGUMENT, false}};
    char text[512];
    (void)state;
    snpy_io_begin(&error, "a.npy");
    (void)snpy_io_error_text(&error, text, sizeof text);
    assert_string_equal(text, "a.npy: no error");
    for (size_t i = 0; i < COUNT(cases); i++) {
        (void)snpy_io_refuse(&error, cases[i].status, 7);
        (void)snpy_io_error_text(&error, text, sizeof text);
        assert_non_null(strstr(text, snpy_status_message(cases[i].status)));
        expect_that((strstr(text, " (byte 7)") != NULL) == cases[i].has_byte, "%s\n", text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams_over_memory),    cmocka_unit_test(test_writers_that_cannot_begin),
        cmocka_unit_test(test_writers_take_no_more),   cmocka_unit_test(test_output_to_a_socket),
        cmocka_unit_test(test_files_in_the_root),      cmocka_unit_test(test_streams_go_forward_only),
        cmocka_unit_test(test_advice_for_large_files), cmocka_unit_test(test_work_of_huge_conversions),
        cmocka_unit_test(test_arrays_without_a_file),  cmocka_unit_test(test_large_elements_change_places),
        cmocka_unit_test(test_texts_of_errors),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
