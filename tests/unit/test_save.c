/* test_save.c: whole arrays and arrays by parts, to paths, descriptors, pipes and streams.
 *                                                        HOST-IO, NPY-WRITE-009, NPY-DATA-001, NPY-HDR-007 */
#include "tests/unit/files.h"

#include <poll.h>
#include <signal.h>

/* Where an array is saved to. */
enum way { PATH, DESCRIPTOR, STREAM, PIPE, PIPE_STREAM, WAYS };

/* Reads all of a pipe in another process, slowly at first, into a file. */
static int drain_pipe(const char *path, pid_t *child)
{
    int ends[2];
    if (pipe(ends) != 0) abort();
    *child = fork();
    if (*child < 0) abort();
    if (*child == 0) {
        static uint8_t part[3000];
        int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ssize_t got;
        (void)close(ends[1]);
        (void)poll(NULL, 0, 2);
        while ((got = read(ends[0], part, sizeof part)) > 0)
            if (write(out, part, (size_t)got) != got) _exit(1);
        _exit(got == 0 ? 0 : 1);
    }
    (void)close(ends[0]);
    return ends[1];
}

static snpy_status save(enum way way, const char *path, const snpy_description *description, const uint8_t *data,
                        uint64_t size, snpy_io_error *error)
{
    pid_t child = 0;
    bool is_pipe = way == PIPE || way == PIPE_STREAM;
    snpy_status status;
    if (way == PATH) return snpy_save(path, description, data, size, error);
    int descriptor = is_pipe ? drain_pipe(path, &child) : open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (is_pipe && fcntl(descriptor, F_SETFL, O_NONBLOCK) != 0) abort();
    if (way == STREAM || way == PIPE_STREAM) {
        FILE *stream = fdopen(descriptor, "wb");
        status = snpy_save_stream(stream, description, data, size, error);
        (void)fclose(stream);
    } else {
        status = snpy_save_descriptor(descriptor, description, data, size, error);
        (void)close(descriptor);
    }
    if (is_pipe) (void)waitpid(child, NULL, 0);
    return status;
}

static void test_every_way_writes_the_same(void **state)
{
    static const uint64_t shapes[][2] = {{4, 3}, {0, 3}, {1, 1}, {30000, 3}, {500, 1001}};
    const char *path = in_work("save.npy");
    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct made made;
        snpy_error plain;
        uint64_t head_size = 0;
        size_t size = (size_t)(shapes[i][0] * shapes[i][1] * 4);
        uint8_t *data = make_data(size, 5);
        make(&made, 'i', 4, i % 2 != 0, 2, shapes[i]);
        snpy_header normal = made.header;
        snpy_description canonical = made.description;
        canonical.header = &normal;
        snpy_normalise_order(&normal);
        assert_int_equal(snpy_header_size(&canonical, &head_size, &plain), SNPY_OK);
        uint8_t *expected = allocate((size_t)head_size + size);
        assert_int_equal(snpy_write_header(&canonical, expected, (size_t)head_size, &head_size, &plain), SNPY_OK);
        memcpy(expected + head_size, data, size);
        for (unsigned way = 0; way < WAYS; way++) {
            snpy_io_error error;
            (void)unlink(path);
            expect_ok(save((enum way)way, path, &made.description, data, size, &error), &error);
            expect_bytes(path, expected, (size_t)head_size + size);
        }
        assert_true(count_files(true) == 1);
        free(expected);
        free(data);
    }
}

/* A record with names that need escapes comes back as it was: loaded, described, saved. */
static void test_records_from_array_to_file(void **state)
{
    const char text[] = "{'descr': [('t', '<M8[ns]'), (('title', 'n\\n'), '<f4', (2, 2)), ('r', [('x', '|S3')])], "
                        "'fortran_order': False, 'shape': (3,), }";
    size_t length = 0;
    uint8_t *head = make_file(1, text, sizeof text - 1, &length);
    uint8_t *file = allocate(length + 81);
    uint8_t *data = make_data(81, 6);
    snpy_array array;
    snpy_array again;
    snpy_description description;
    snpy_io_error error;
    (void)state;
    memcpy(file, head, length);
    memcpy(file + length, data, 81);
    expect_ok(snpy_load_memory(file, length + 81, NULL, &array, &error), &error);
    snpy_array_describe(&array, &description);
    expect_ok(snpy_save(in_work("record.npy"), &description, array.data, array.data_size, &error), &error);
    expect_ok(snpy_load(in_work("record.npy"), NULL, &again, &error), &error);
    assert_memory_equal(again.data, data, 81);
    assert_true(again.header.frame.data_offset % 64 == 0);
    assert_memory_equal(again.text, text, sizeof text - 1);
    snpy_array_release(&array);
    snpy_array_release(&again);
    free(head);
    free(file);
    free(data);
    (void)count_files(true);
}

static void test_wrong_sizes_are_refused(void **state)
{
    const char *path = in_work("save.npy");
    uint8_t data[5 * ROW] = {0};
    struct made made;
    snpy_io_error error;
    (void)state;
    write_bytes(path, "old", 3);
    make_rows(&made, 4);
    for (unsigned way = 0; way < WAYS; way++) {
        expect_failure(save((enum way)way, way == PATH ? path : in_work("other"), &made.description, data, 47, &error),
                       &error, SNPY_BAD_ARGUMENT, "47 of 48 bytes");
        expect_failure(save((enum way)way, way == PATH ? path : in_work("other"), &made.description, data, 49, &error),
                       &error, SNPY_BAD_ARGUMENT, "49 of 48 bytes");
    }
    make(&made, 'O', 8, false, 0, NULL);
    expect_failure(snpy_save(path, &made.description, data, 8, &error), &error, SNPY_OBJECT_DATA, "objects");
    make(&made, 'i', 3, false, 0, NULL);
    expect_failure(snpy_save(path, &made.description, data, 3, &error), &error, SNPY_WRITE_DTYPE, "three bytes");
    make(&made, 'i', 4, false, 0, NULL);
    made.header.ndim = 65;
    expect_failure(snpy_save(path, &made.description, data, 3, &error), &error, SNPY_WRITE_SHAPE, "65 dimensions");
    expect_bytes(path, (const uint8_t *)"old", 3);
    (void)unlink(in_work("other"));
    assert_true(count_files(true) == 1);
}

/* Permissions are kept, links followed, what may not be written to is left alone. */
static void test_what_a_file_was(void **state)
{
    const char *path = in_work("save.npy");
    const char *link = in_work("link.npy");
    uint8_t *data = make_data(2 * ROW, 7);
    struct made made;
    struct stat about;
    snpy_io_error error;
    mode_t mask = umask(027);
    (void)state;
    make_rows(&made, 2);
    expect_ok(snpy_save(path, &made.description, data, 2 * ROW, &error), &error);
    assert_true(stat(path, &about) == 0 && (about.st_mode & 07777) == 0640);
    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(symlink("save.npy", link), 0);
    expect_ok(snpy_save(link, &made.description, data, 2 * ROW, &error), &error);
    assert_true(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
    assert_true(stat(path, &about) == 0 && (about.st_mode & 07777) == 0604);
    expect_file(path, 0, 2, data, 2 * ROW);
    (void)unlink(path);
    expect_failure(snpy_save(link, &made.description, data, 2 * ROW, &error), &error, SNPY_IO_ERROR, "a dangling link");
    assert_int_equal(error.system_error, ENOENT);
    expect_failure(snpy_save(work_directory, &made.description, data, 2 * ROW, &error), &error, SNPY_IO_ERROR,
                   "a directory");
    assert_int_equal(error.system_error, EISDIR);
    expect_failure(snpy_save("", &made.description, data, 2 * ROW, &error), &error, SNPY_IO_ERROR, "no name");
    expect_failure(snpy_save("/no/such/directory.npy", &made.description, data, 2 * ROW, &error), &error, SNPY_IO_ERROR,
                   "no directory");
    assert_true(strstr(error_text(&error), "/no/such/directory.npy: open failed: No such file") != NULL);
    expect_ok(snpy_save("/dev/null", &made.description, data, 2 * ROW, &error), &error);
    assert_true(stat("/dev/null", &about) == 0 && S_ISCHR(about.st_mode));
    if (geteuid() != 0) { /* root may write to everything */
        write_bytes(path, "old", 3);
        assert_int_equal(chmod(path, 0444), 0);
        expect_failure(snpy_save(path, &made.description, data, 2 * ROW, &error), &error, SNPY_IO_ERROR, "read-only");
        expect_bytes(path, (const uint8_t *)"old", 3);
    }
    expect_failure(snpy_save("/dev/full", &made.description, data, 2 * ROW, &error), &error, SNPY_IO_ERROR, "full");
    assert_string_equal(error_text(&error), "/dev/full: write failed: No space left on device");
    (void)umask(mask);
    (void)count_files(true);
    free(data);
}

/* --- by parts ---------------------------------------------------------------------------------------------- */

/* Writes data in pieces of a size, the length of the growing axis unknown or known. */
static void write_in_pieces(snpy_writer *writer, const uint8_t *data, size_t size, size_t piece)
{
    snpy_io_error error;
    for (size_t at = 0; at < size; at += piece)
        expect_ok(snpy_writer_add(writer, data + at, size - at < piece ? size - at : piece, &error), &error);
    assert_true(snpy_writer_written(writer) == size);
}

static void test_parts(void **state)
{
    static const uint64_t lengths[] = {0, 1, 9, 10, 1000, 12345};
    static const size_t pieces[] = {1, 5, 12, 4096, 1000000};
    const char *path = in_work("parts.npy");
    (void)state;
    for (size_t i = 0; i < COUNT(lengths) * COUNT(pieces) * 4; i++) {
        uint64_t length = lengths[i % COUNT(lengths)];
        size_t piece = pieces[i / COUNT(lengths) % COUNT(pieces)];
        bool grows = i / COUNT(lengths) / COUNT(pieces) % 2 == 1;
        bool fortran = i / COUNT(lengths) / COUNT(pieces) / 2 == 1;
        if (piece == 1 && length > 1000) continue;
        const uint64_t shape[2] = {fortran ? 3 : grows ? 77 : length, fortran ? (grows ? 77 : length) : 3};
        size_t size = (size_t)length * ROW;
        uint8_t *data = make_data(size, 8);
        struct made made;
        snpy_writer *writer;
        snpy_io_error error;
        make(&made, 'i', 4, fortran, 2, shape);
        write_bytes(path, "old", 3);
        expect_ok(snpy_writer_open(&writer, path, &made.description, grows, &error), &error);
        write_in_pieces(writer, data, size, piece);
        expect_bytes(path, (const uint8_t *)"old", 3);
        expect_ok(snpy_writer_finish(&writer, &error), &error);
        expect_file(path, fortran ? 1 : 0, length, data, size);
        assert_true(count_files(false) == 1);
        free(data);
    }
    (void)count_files(true);
}

/* A file that grew is the one that numpy.save would have written of the whole. */
static void test_parts_make_the_same_file(void **state)
{
    uint8_t *data = make_data(1234 * ROW, 9);
    struct made made;
    snpy_writer *writer;
    snpy_io_error error;
    size_t length = 0;
    (void)state;
    make_rows(&made, 1234);
    expect_ok(snpy_save(in_work("whole.npy"), &made.description, data, 1234 * ROW, &error), &error);
    expect_ok(snpy_writer_open(&writer, in_work("parts.npy"), &made.description, true, &error), &error);
    write_in_pieces(writer, data, 1234 * ROW, 1000);
    expect_ok(snpy_writer_finish(&writer, &error), &error);
    uint8_t *whole = read_file(in_work("whole.npy"), &length);
    expect_bytes(in_work("parts.npy"), whole, length);
    free(whole);
    free(data);
    (void)count_files(true);
}

/* Rows without bytes cannot be counted: the description's number stands. */
static void test_parts_without_bytes(void **state)
{
    const uint64_t shape[3] = {3, 0, 2};
    struct made made;
    snpy_writer *writer;
    snpy_io_error error;
    (void)state;
    make(&made, 'f', 8, false, 3, shape);
    expect_ok(snpy_writer_open(&writer, in_work("empty.npy"), &made.description, true, &error), &error);
    expect_ok(snpy_writer_finish(&writer, &error), &error);
    expect_file(in_work("empty.npy"), 0, 3, NULL, 0);
    expect_ok(snpy_writer_open(&writer, in_work("empty.npy"), &made.description, true, &error), &error);
    expect_failure(snpy_writer_add(writer, "x", 1, &error), &error, SNPY_TRAILING_DATA, "a byte");
    snpy_writer_abandon(&writer);
    (void)count_files(true);
}

/* In the middle of a file, between other bytes; and a stream goes on behind the array. */
static void test_parts_into_the_middle(void **state)
{
    const char *path = in_work("middle");
    uint8_t *data = make_data(40 * ROW, 9);
    struct made made;
    (void)state;
    for (unsigned way = 0; way < 2; way++) {
        snpy_writer *writer;
        snpy_io_error error;
        snpy_array array;
        uint8_t ends[5];
        FILE *stream = fopen(path, "w+b");
        make_rows(&made, 1);
        assert_true(fputs("front", stream) >= 0);
        if (way == 0) (void)fflush(stream);
        expect_ok(way == 0 ? snpy_writer_open_descriptor(&writer, fileno(stream), &made.description, true, &error)
                           : snpy_writer_open_stream(&writer, stream, &made.description, true, &error),
                  &error);
        write_in_pieces(writer, data, 40 * ROW, 100);
        expect_ok(snpy_writer_finish(&writer, &error), &error);
        if (way == 0) assert_true(write(fileno(stream), "back!", 5) == 5);
        if (way == 1) assert_true(fputs("back!", stream) >= 0);
        (void)fclose(stream);
        stream = fopen(path, "rb");
        assert_true(fread(ends, 1, 5, stream) == 5 && memcmp(ends, "front", 5) == 0);
        expect_ok(snpy_load_stream(stream, NULL, &array, &error), &error);
        assert_true(array.header.shape[0] == 40);
        assert_memory_equal(array.data, data, 40 * ROW);
        assert_true(fread(ends, 1, 5, stream) == 5 && memcmp(ends, "back!", 5) == 0);
        snpy_array_release(&array);
        (void)fclose(stream);
    }
    free(data);
    (void)count_files(true);
}

static void test_parts_that_do_not_add_up(void **state)
{
    const char *path = in_work("parts.npy");
    const uint8_t data[200] = {0};
    struct made made;
    snpy_writer *writer;
    snpy_io_error error;
    (void)state;
    write_bytes(path, "old", 3);
    make_rows(&made, 4);
    expect_ok(snpy_writer_open(&writer, path, &made.description, false, &error), &error);
    expect_ok(snpy_writer_add(writer, data, 47, &error), &error);
    expect_failure(snpy_writer_finish(&writer, &error), &error, SNPY_TRUNCATED_DATA, "a byte is missing");
    expect_ok(snpy_writer_open(&writer, path, &made.description, false, &error), &error);
    expect_failure(snpy_writer_add(writer, data, 49, &error), &error, SNPY_TRAILING_DATA, "a byte too many");
    expect_failure(snpy_writer_add(writer, data, 1, &error), &error, SNPY_BAD_ARGUMENT, "after a failure");
    expect_failure(snpy_writer_finish(&writer, &error), &error, SNPY_BAD_ARGUMENT, "after a failure");
    expect_ok(snpy_writer_open(&writer, path, &made.description, true, &error), &error);
    expect_ok(snpy_writer_add(writer, data, 23, &error), &error);
    expect_failure(snpy_writer_finish(&writer, &error), &error, SNPY_TRUNCATED_DATA, "half a row");
    expect_failure(snpy_writer_finish(&writer, &error), &error, SNPY_BAD_ARGUMENT, "twice");
    expect_ok(snpy_writer_open(&writer, path, &made.description, true, &error), &error);
    assert_true(count_files(false) == 2);
    snpy_writer_abandon(&writer);
    snpy_writer_abandon(&writer);
    make(&made, 'i', 4, false, 0, NULL);
    expect_failure(snpy_writer_open(&writer, path, &made.description, true, &error), &error, SNPY_BAD_ARGUMENT,
                   "a scalar that grows");
    expect_bytes(path, (const uint8_t *)"old", 3);
    assert_true(count_files(true) == 1);
}

/* The length is only unknown where the header can be written once more. */
static void test_growing_needs_a_file(void **state)
{
    struct made made;
    snpy_writer *writer;
    snpy_io_error error;
    int ends[2];
    (void)state;
    make_rows(&made, 4);
    assert_int_equal(pipe(ends), 0);
    expect_failure(snpy_writer_open_descriptor(&writer, ends[1], &made.description, true, &error), &error,
                   SNPY_IO_ERROR, "a pipe");
    assert_true(error.system_error == ESPIPE && strcmp(error.call, "lseek") == 0);
    (void)close(ends[0]);
    (void)close(ends[1]);
    int descriptor = open(in_work("append"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    expect_failure(snpy_writer_open_descriptor(&writer, descriptor, &made.description, true, &error), &error,
                   SNPY_BAD_ARGUMENT, "O_APPEND");
    (void)close(descriptor);
    char *memory = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&memory, &length);
    expect_failure(snpy_writer_open_stream(&writer, stream, &made.description, true, &error), &error, SNPY_IO_ERROR,
                   "a stream over memory");
    uint8_t *data = make_data(4 * ROW, 3);
    expect_ok(snpy_save_stream(stream, &made.description, data, 4 * ROW, &error), &error);
    assert_true(length == 128 + 4 * ROW && memcmp(memory + 128, data, 4 * ROW) == 0);
    (void)fclose(stream);
    free(memory);
    free(data);
    (void)count_files(true);
}

/* SIGPIPE ignored, a reader that is gone is an error. */
static void test_a_reader_that_is_gone(void **state)
{
    uint8_t *data = make_data(4 * ROW, 3);
    struct made made;
    snpy_io_error error;
    int ends[2];
    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    make_rows(&made, 4);
    assert_int_equal(pipe(ends), 0);
    (void)close(ends[0]);
    expect_failure(snpy_save_descriptor(ends[1], &made.description, data, 4 * ROW, &error), &error, SNPY_IO_ERROR,
                   "nobody reads");
    assert_int_equal(error.system_error, EPIPE);
    (void)close(ends[1]);
    (void)signal(SIGPIPE, SIG_DFL);
    free(data);
}

/* No room for the file, wherever it ends: an error, and the old file. */
static void test_no_room(void **state)
{
    const char *path = in_work("save.npy");
    uint8_t *data = make_data(1000 * ROW, 3);
    struct made made;
    snpy_io_error error;
    snpy_array array;
    (void)state;
    write_bytes(path, "old", 3);
    make_rows(&made, 1000);
    for (size_t size = 1; size < 128 + 1000 * ROW; size += 1 + size / 3) {
        limit_files(size);
        snpy_status saved = snpy_save(path, &made.description, data, 1000 * ROW, &error);
        int reason = error.system_error;
        snpy_status created = snpy_map_create(path, &made.description, SNPY_REPLACE, &array, &error);
        limit_files(0);
        expect_failure(created, &error, SNPY_IO_ERROR, "no room");
        assert_true(saved == SNPY_IO_ERROR && reason == EFBIG && error.system_error == EFBIG);
        expect_bytes(path, (const uint8_t *)"old", 3);
        assert_true(count_files(false) == 1);
    }
    expect_ok(snpy_save(path, &made.description, data, 1000 * ROW, &error), &error);
    free(data);
    (void)count_files(true);
}

/* --- what a signal handler does ---------------------------------------------------------------------------- */

static void stop(int number)
{
    snpy_remove_temporaries();
    _exit(number);
}

/* A process that is stopped leaves no temporary file; a child of it leaves its parent's. */
static void test_a_signal_removes_temporaries(void **state)
{
    static const char *const names[] = {"parts.npy", "new.npy", "newer.npy"};
    const char *path = in_work(names[0]);
    struct made made;
    snpy_io_error error;
    int result = 0;
    (void)state;
    write_bytes(path, "old", 3);
    make_rows(&made, 4);
    pid_t child = fork();
    if (child == 0) {
        snpy_writer *writers[3];
        (void)signal(SIGTERM, stop);
        for (size_t i = 0; i < COUNT(writers); i++)
            if (snpy_writer_open(&writers[i], in_work(names[i]), &made.description, true, &error) != SNPY_OK) _exit(1);
        if (count_files(false) != 4) _exit(2);
        (void)raise(SIGTERM);
        _exit(3);
    }
    assert_true(waitpid(child, &result, 0) == child && WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), SIGTERM);
    assert_true(count_files(false) == 1);
    snpy_writer *writer;
    expect_ok(snpy_writer_open(&writer, path, &made.description, true, &error), &error);
    child = fork();
    if (child == 0) stop(0);
    assert_true(waitpid(child, &result, 0) == child && result == 0);
    assert_true(count_files(false) == 2);
    expect_ok(snpy_writer_finish(&writer, &error), &error);
    snpy_remove_temporaries();
    expect_file(path, 0, 0, NULL, 0);
    (void)count_files(true);
}

/* More writers at once than are remembered: all of them work. */
static void test_many_writers_at_once(void **state)
{
    snpy_writer *writers[40];
    struct made made;
    snpy_io_error error;
    uint8_t *data = make_data(2 * ROW, 3);
    (void)state;
    make_rows(&made, 2);
    for (size_t i = 0; i < COUNT(writers); i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "many-%zu.npy", i);
        expect_ok(snpy_writer_open(&writers[i], in_work(name), &made.description, false, &error), &error);
    }
    for (size_t i = 0; i < COUNT(writers); i++) {
        expect_ok(snpy_writer_add(writers[i], data, 2 * ROW, &error), &error);
        expect_ok(snpy_writer_finish(&writers[i], &error), &error);
    }
    expect_file(in_work("many-39.npy"), 0, 2, data, 2 * ROW);
    assert_true(count_files(true) == COUNT(writers));
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_way_writes_the_same),
        cmocka_unit_test(test_records_from_array_to_file),
        cmocka_unit_test(test_wrong_sizes_are_refused),
        cmocka_unit_test(test_what_a_file_was),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_parts_make_the_same_file),
        cmocka_unit_test(test_parts_without_bytes),
        cmocka_unit_test(test_parts_into_the_middle),
        cmocka_unit_test(test_parts_that_do_not_add_up),
        cmocka_unit_test(test_growing_needs_a_file),
        cmocka_unit_test(test_a_reader_that_is_gone),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_a_signal_removes_temporaries),
        cmocka_unit_test(test_many_writers_at_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
