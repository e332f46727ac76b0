/* Tests of files that are opened by what they hold: src/npz/contents.c.                        API-ARCHIVE, HOST-IO */
#include "safenpy/archive.h"
#include "safenpy/archive_write.h"
#include "tests/unit/files.h"

/* Saves rows to an NPY file, or to an archive with one member, x. */
static void save_both(const char *npy, const char *npz, uint64_t rows, const uint8_t *data)
{
    struct made made;
    snpy_io_error error;
    snpy_archive_writer *writer;
    make_rows(&made, rows);
    expect_ok(snpy_save(npy, &made.description, data, rows * ROW, &error), &error);
    expect_ok(snpy_archive_writer_open(&writer, npz, NULL, &error), &error);
    expect_ok(snpy_archive_writer_add(writer, "x", &made.description, data, rows * ROW, &error), &error);
    expect_ok(snpy_archive_writer_finish(&writer, &error), &error);
}

static void test_both_formats(void **state)
{
    uint8_t *data = make_data(4 * ROW, 3);
    snpy_contents contents;
    snpy_io_error error;
    snpy_array array;
    (void)state;
    save_both(in_work("a.npy"), in_work("a.npz"), 4, data);
    expect_ok(snpy_contents_open(in_work("a.npy"), NULL, NULL, &contents, &error), &error);
    assert_false(contents.is_archive);
    assert_true(contents.array.data_size == 4 * ROW);
    assert_memory_equal(contents.array.data, data, 4 * ROW);
    snpy_contents_close(&contents);
    expect_ok(snpy_contents_open(in_work("a.npz"), NULL, NULL, &contents, &error), &error);
    assert_true(contents.is_archive && snpy_archive_count(contents.archive) == 1 && contents.array.data == NULL);
    expect_ok(snpy_archive_load(contents.archive, 0, NULL, &array, &error), &error);
    assert_memory_equal(array.data, data, 4 * ROW);
    snpy_array_release(&array);
    assert_int_equal(snpy_archive_load(contents.archive, 1, NULL, &array, &error), SNPY_BAD_ARGUMENT);
    assert_string_equal(error.path, in_work("a.npz"));
    snpy_contents_close(&contents);
    assert_true(!contents.is_archive && contents.archive == NULL);
    snpy_contents_close(&contents);
    free(data);
}

/* A pipe is an NPY file: the writer at its other end is not cut off. */
static void test_a_pipe(void **state)
{
    uint8_t *data = make_data(4 * ROW, 3);
    snpy_contents contents;
    snpy_io_error error;
    size_t length = 0;
    int status = -1;
    (void)state;
    save_both(in_work("a.npy"), in_work("a.npz"), 4, data);
    uint8_t *file = read_file(in_work("a.npy"), &length);
    assert_int_equal(mkfifo(in_work("fifo"), 0600), 0);
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        int descriptor = open(in_work("fifo"), O_WRONLY);
        _exit(write(descriptor, file, length) == (ssize_t)length ? 0 : 1);
    }
    expect_ok(snpy_contents_open(in_work("fifo"), NULL, NULL, &contents, &error), &error);
    assert_true(!contents.is_archive && contents.array.data_size == 4 * ROW);
    snpy_contents_close(&contents);
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    assert_int_equal(unlink(in_work("fifo")), 0);
    free(file);
    free(data);
}

/* The lowest descriptor that is free: the same as long as none is left open. */
static int free_descriptor(void)
{
    int descriptor = open("/dev/null", O_RDONLY);
    (void)close(descriptor);
    return descriptor;
}

static void test_refusals(void **state)
{
    static const struct {
        struct text file;
        snpy_status status;
        bool is_archive;
    } cases[] = {
        {T(""), SNPY_TRUNCATED_PREFIX, false},    {T("PK"), SNPY_BAD_MAGIC, false},
        {T("plain text"), SNPY_BAD_MAGIC, false}, {T("\x93NUMPY\1\0"), SNPY_TRUNCATED_PREFIX, false},
        {T("PK\3\4"), SNPY_ZIP_NO_END, true},     {T("PK\3\4 and no directory behind it"), SNPY_ZIP_NO_END, true},
    };
    const int before = free_descriptor();
    snpy_contents contents;
    snpy_io_error error;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *path = in_work("bad");
        write_bytes(path, cases[i].file.bytes, cases[i].file.length);
        expect_failure(snpy_contents_open(path, NULL, NULL, &contents, &error), &error, cases[i].status,
                       cases[i].file.bytes);
        assert_true(contents.is_archive == cases[i].is_archive);
        assert_string_equal(error.path, path);
        snpy_contents_close(&contents);
        assert_int_equal(free_descriptor(), before);
    }
    assert_int_equal(snpy_contents_open(in_work("none"), NULL, NULL, &contents, &error), SNPY_IO_ERROR);
    assert_true(error.system_error == ENOENT && strcmp(error.call, "open") == 0);
    assert_int_equal(snpy_contents_open(work_directory, NULL, NULL, &contents, &error), SNPY_IO_ERROR);
    assert_int_equal(error.system_error, EISDIR);
    snpy_contents_close(&contents);
    assert_int_equal(free_descriptor(), before);
}

/* Each format has options of its own. */
static void test_options(void **state)
{
    uint8_t *data = make_data(4 * ROW, 3);
    snpy_options limits = SNPY_OPTIONS_INIT;
    snpy_load_options how = SNPY_LOAD_OPTIONS_INIT;
    snpy_zip_options zip = SNPY_ZIP_OPTIONS_INIT;
    snpy_archive_options options = SNPY_ARCHIVE_OPTIONS_INIT;
    const int before = free_descriptor();
    snpy_contents contents;
    snpy_io_error error;
    (void)state;
    save_both(in_work("a.npy"), in_work("a.npz"), 4, data);
    limits.max_data_bytes = 4 * ROW - 1;
    how.limits = &limits;
    zip.max_members = 0;
    options.zip = &zip;
    expect_ok(snpy_contents_open(in_work("a.npy"), NULL, &options, &contents, &error), &error);
    snpy_contents_close(&contents);
    expect_ok(snpy_contents_open(in_work("a.npz"), &how, NULL, &contents, &error), &error);
    snpy_contents_close(&contents);
    expect_failure(snpy_contents_open(in_work("a.npy"), &how, NULL, &contents, &error), &error, SNPY_DATA_TOO_LARGE,
                   "limits");
    expect_failure(snpy_contents_open(in_work("a.npz"), NULL, &options, &contents, &error), &error,
                   SNPY_ZIP_TOO_MANY_MEMBERS, "limits");
    options.size = 0;
    expect_failure(snpy_contents_open(in_work("a.npz"), NULL, &options, &contents, &error), &error, SNPY_BAD_ARGUMENT,
                   "size");
    snpy_contents_close(&contents);
    assert_int_equal(free_descriptor(), before);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_formats),
        cmocka_unit_test(test_a_pipe),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
