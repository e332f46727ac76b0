/* test_load.c: whole arrays from paths, descriptors, pipes, streams and memory.
 *                             HOST-IO, HOST-MEMORY, API-BUFFER, API-OBJECTS, API-STREAM, NPY-DATA-001 to 003 */
#include "tests/unit/files.h"

#include <glob.h>
#include <time.h>

#include "host/host.h"

/* Where the bytes of a file come from. */
enum way { PATH, DESCRIPTOR, STREAM, PIPE, PIPE_STREAM, SLOW_PIPE, MEMORY, MEMORY_STREAM, CALLBACK, WAYS };

/* A source of bytes that a function reads. */
struct source {
    const uint8_t *bytes;
    uint64_t length;
    uint64_t cuts[2]; /* no call reads across one of them */
    unsigned calls;
    int64_t answer; /* not 0: what the calls return */
};

static int64_t read_source(void *context, uint64_t offset, size_t length, void *out)
{
    struct source *source = context;
    uint64_t end = source->length;
    source->calls++;
    if (source->answer != 0) return source->answer;
    for (size_t i = 0; i < 2; i++)
        if (offset < source->cuts[i] && source->cuts[i] < end) end = source->cuts[i];
    if (offset >= end) return 0;
    const size_t size = end - offset < length ? (size_t)(end - offset) : length;
    memcpy(out, source->bytes + offset, size);
    return (int64_t)size;
}

/* Fills a pipe from another process; slowly, some bytes at a time, if told to. */
static int fill_pipe(const uint8_t *bytes, size_t length, bool slowly, pid_t *child)
{
    int ends[2];
    if (pipe(ends) != 0) abort();
    *child = fork();
    if (*child < 0) abort();
    if (*child == 0) {
        size_t done = 0;
        (void)close(ends[0]);
        while (done < length) {
            size_t part = slowly && length - done > 7 ? 7 : length - done;
            struct timespec pause = {0, 200000};
            ssize_t sent = write(ends[1], bytes + done, part);
            if (sent < 0) _exit(1);
            done += (size_t)sent;
            if (slowly && done < 300) (void)nanosleep(&pause, NULL);
        }
        _exit(0);
    }
    (void)close(ends[1]);
    if (slowly && fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) abort();
    return ends[0];
}

static snpy_status load_descriptor(enum way way, int descriptor, const snpy_load_options *how, snpy_array *array,
                                   snpy_io_error *error)
{
    if (way != STREAM && way != PIPE_STREAM) return snpy_load_descriptor(descriptor, how, array, error);
    FILE *stream = fdopen(dup(descriptor), "rb");
    snpy_status status = snpy_load_stream(stream, how, array, error);
    (void)fclose(stream);
    return status;
}

/* Loads bytes in one of the ways. */
static snpy_status load(enum way way, const uint8_t *bytes, size_t length, const snpy_load_options *how,
                        snpy_array *array, snpy_io_error *error)
{
    const char *path = in_work("load.npy");
    snpy_status status;
    pid_t child = 0;
    if (way == MEMORY) return snpy_load_memory(bytes, length, how, array, error);
    if (way == CALLBACK) {
        struct source source = {bytes, length, {0, 0}, 0, 0};
        return snpy_load_callback(length, read_source, &source, how, array, error);
    }
    if (way == MEMORY_STREAM) {
        uint8_t *copy = allocate(length + 1); /* of length 0 there is none */
        if (length > 0) memcpy(copy, bytes, length);
        FILE *stream = length > 0 ? fmemopen(copy, length, "rb") : fopen("/dev/null", "rb");
        status = snpy_load_stream(stream, how, array, error);
        (void)fclose(stream);
        free(copy);
        return status;
    }
    bool is_pipe = way == PIPE || way == PIPE_STREAM || way == SLOW_PIPE;
    if (!is_pipe) write_bytes(path, bytes, length);
    if (way == PATH) return snpy_load(path, how, array, error);
    int descriptor = is_pipe ? fill_pipe(bytes, length, way == SLOW_PIPE, &child) : open(path, O_RDONLY);
    status = load_descriptor(way, descriptor, how, array, error);
    (void)close(descriptor);
    if (is_pipe) (void)waitpid(child, NULL, 0);
    return status;
}

/* A file of version 1.0 around a text, with data behind it. */
static uint8_t *make_array_file(const char *text, size_t data_size, size_t *length, size_t *start)
{
    uint8_t *head = make_file(1, text, strlen(text), start);
    uint8_t *data = make_data(data_size, 1);
    uint8_t *file = allocate(*start + data_size);
    memcpy(file, head, *start);
    if (data_size > 0) memcpy(file + *start, data, data_size);
    *length = *start + data_size;
    free(head);
    free(data);
    return file;
}

static const struct sample {
    const char *text;
    size_t size;
} samples[] = {
    {SHAPE("(3, 4)"), 96},
    {SHAPE("()"), 8},
    {SHAPE("(0, 4)"), 0},
    {"{'descr': '|u1', 'fortran_order': True, 'shape': (3, 1000), }", 3000},
    {"{'descr': [('a', '<i4'), ('b', '|S3', (2,))], 'fortran_order': False, 'shape': (7,), }", 70},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (65536,), }", 65536},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (65537,), }", 65537},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (300000,), }", 300000},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (5000001,), }", 5000001},
};

static void test_every_way_gives_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(samples); i++) {
        size_t length = 0;
        size_t start = 0;
        uint8_t *file = make_array_file(samples[i].text, samples[i].size, &length, &start);
        uint8_t *buffer = allocate(samples[i].size + 1);
        for (unsigned way = 0; way < 2 * (unsigned)WAYS; way++) {
            snpy_load_options how = {.size = sizeof(snpy_load_options), .no_trailing = true};
            snpy_array array;
            snpy_io_error error;
            if (way >= WAYS) {
                how.buffer = buffer;
                how.capacity = samples[i].size;
                memset(buffer, GUARD, samples[i].size + 1);
            }
            expect_ok(load((enum way)(way % WAYS), file, length, &how, &array, &error), &error);
            assert_true(array.data_size == samples[i].size && array.header.data_size == samples[i].size);
            if (array.data_size > 0) {
                assert_memory_equal(array.data, file + start, array.data_size);
                assert_true(array.is_writable && !array.is_shared);
                array.data[0] ^= 1;
            }
            assert_memory_equal(array.text, file + array.header.frame.text_offset, array.header.frame.header_len);
            if (way >= WAYS) assert_true(array.data_size == 0 || array.data == buffer);
            if (way >= WAYS) assert_true(buffer[samples[i].size] == GUARD);
            snpy_array_release(&array);
            snpy_array_release(&array);
        }
        free(file);
        free(buffer);
    }
}

/* Of an array that says more than is there, every prefix is refused, whatever it comes from. */
static void test_every_prefix_is_refused(void **state)
{
    size_t length = 0;
    size_t start = 0;
    uint8_t *file = make_array_file(samples[0].text, samples[0].size, &length, &start);
    (void)state;
    for (size_t cut = 0; cut < length; cut++) {
        snpy_status status = cut < 10      ? SNPY_TRUNCATED_PREFIX
                             : cut < start ? SNPY_TRUNCATED_HEADER
                                           : SNPY_TRUNCATED_DATA;
        for (unsigned way = 0; way < WAYS; way++) {
            snpy_array array;
            snpy_io_error error;
            if (way == SLOW_PIPE && cut % 17 != 0) continue;
            expect_failure(load((enum way)way, file, cut, NULL, &array, &error), &error, status, "a prefix");
            expect_that(error.error.offset == cut, "way %u, %zu bytes: at %llu\n", way, cut,
                        (unsigned long long)error.error.offset);
            assert_true(array.data == NULL && array.head_ == NULL && array.base_ == NULL);
        }
    }
    free(file);
}

static void test_bytes_behind_the_data(void **state)
{
    size_t length = 0;
    size_t start = 0;
    uint8_t *file = make_array_file(samples[0].text, samples[0].size + 1, &length, &start);
    const snpy_load_options strict = {.size = sizeof(snpy_load_options), .no_trailing = true};
    (void)state;
    for (unsigned way = 0; way < WAYS; way++) {
        snpy_array array;
        snpy_io_error error;
        expect_ok(load((enum way)way, file, length, NULL, &array, &error), &error);
        assert_true(array.data_size == samples[0].size);
        snpy_array_release(&array);
        expect_failure(load((enum way)way, file, length, &strict, &array, &error), &error, SNPY_TRAILING_DATA,
                       "a byte");
        assert_true(error.error.offset == length - 1 && array.data == NULL);
    }
    free(file);
}

/* Options of a program that was compiled when they were smaller: the rest are defaults. Larger ones are refused. */
static void test_options_that_have_grown(void **state)
{
    size_t length = 0;
    size_t start = 0;
    uint8_t *file = make_array_file(samples[0].text, samples[0].size + 1, &length, &start);
    snpy_options limits = SNPY_OPTIONS_INIT;
    (void)state;
    for (unsigned way = 0; way < WAYS; way++) {
        static const uint32_t unknown[] = {0, 3, sizeof(snpy_load_options) + 1, UINT32_MAX};
        snpy_array array;
        snpy_io_error error;
        snpy_load_options how = {
            .size = offsetof(snpy_load_options, no_trailing), .limits = &limits, .no_trailing = true};
        limits.size = sizeof limits;
        limits.max_data_bytes = 1;
        expect_failure(load((enum way)way, file, length, &how, &array, &error), &error, SNPY_DATA_TOO_LARGE, "limits");
        limits.size = offsetof(snpy_options, max_data_bytes);
        expect_ok(load((enum way)way, file, length, &how, &array, &error), &error);
        assert_true(array.data_size == samples[0].size);
        snpy_array_release(&array);
        limits.size = sizeof limits + 1;
        expect_failure(load((enum way)way, file, length, &how, &array, &error), &error, SNPY_BAD_ARGUMENT, "limits");
        for (size_t i = 0; i < COUNT(unknown); i++) {
            how = (snpy_load_options){.size = unknown[i]};
            expect_failure(load((enum way)way, file, length, &how, &array, &error), &error, SNPY_BAD_ARGUMENT, "size");
            assert_true(array.data == NULL && array.text == NULL);
        }
    }
    free(file);
}

/* Arrays behind one another: each call takes its own bytes and no more. */
static void test_several_arrays_in_one_stream(void **state)
{
    const char *path = in_work("several.npy");
    FILE *out = fopen(path, "wb");
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        size_t length = 0;
        size_t start = 0;
        uint8_t *file = make_array_file(samples[i].text, samples[i].size, &length, &start);
        assert_true(fwrite(file, 1, length, out) == length);
        free(file);
    }
    (void)fclose(out);
    int descriptor = open(path, O_RDONLY);
    FILE *stream = fopen(path, "rb");
    for (size_t i = 0; i < 10; i++) {
        snpy_array array;
        snpy_io_error error;
        snpy_status status = i < 5 ? snpy_load_descriptor(descriptor, NULL, &array, &error)
                                   : snpy_load_stream(stream, NULL, &array, &error);
        expect_ok(status, &error);
        uint8_t *data = make_data(samples[i % 5].size, 1);
        assert_true(array.data_size == samples[i % 5].size);
        if (array.data_size > 0) assert_memory_equal(array.data, data, array.data_size);
        free(data);
        snpy_array_release(&array);
    }
    (void)close(descriptor);
    (void)fclose(stream);
}

static void test_header_only_leaves_the_data(void **state)
{
    size_t length = 0;
    size_t start = 0;
    uint8_t *file = make_array_file(samples[0].text, samples[0].size, &length, &start);
    const snpy_load_options how = {.size = sizeof(snpy_load_options), .header_only = true};
    snpy_array array;
    snpy_io_error error;
    pid_t child = 0;
    uint8_t rest[200];
    (void)state;
    int descriptor = fill_pipe(file, length, false, &child);
    expect_ok(snpy_load_descriptor(descriptor, &how, &array, &error), &error);
    assert_true(array.header.data_size == 96 && array.data == NULL && array.data_size == 0);
    assert_true(read(descriptor, rest, sizeof rest) == 96);
    assert_memory_equal(rest, file + start, 96);
    (void)close(descriptor);
    (void)waitpid(child, NULL, 0);
    snpy_array_release(&array);
    free(file);
}

/* API-BUFFER */
static void test_buffer_too_small(void **state)
{
    size_t length = 0;
    size_t start = 0;
    uint8_t buffer[96];
    uint8_t *file = make_array_file(samples[0].text, samples[0].size, &length, &start);
    (void)state;
    memset(buffer, GUARD, sizeof buffer);
    for (unsigned way = 0; way < WAYS; way++) {
        const snpy_load_options how = {
            .size = sizeof(snpy_load_options), .buffer = buffer, .capacity = sizeof buffer - 1};
        snpy_array array;
        snpy_io_error error;
        expect_failure(load((enum way)way, file, length, &how, &array, &error), &error, SNPY_BUFFER_TOO_SMALL,
                       "95 bytes");
        assert_true(array.header.data_size == sizeof buffer && array.data == NULL);
        assert_true(is_filled(buffer, GUARD, sizeof buffer));
        snpy_array_release(&array);
    }
    free(file);
}

/* API-OBJECTS: the header is there, the pickle is left alone. */
static void test_objects(void **state)
{
    size_t length = 0;
    size_t start = 0;
    uint8_t *file = make_array_file("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", 50, &length, &start);
    (void)state;
    for (unsigned way = 0; way < WAYS; way++) {
        snpy_array array;
        snpy_io_error error;
        expect_failure(load((enum way)way, file, length, NULL, &array, &error), &error, SNPY_OBJECT_DATA, "objects");
        assert_true(array.header.has_object && array.header.shape[0] == 3 && array.data == NULL);
        snpy_array_release(&array);
    }
    free(file);
}

/* NPY-LIMIT-002, NPY-LIMIT-003: what is only claimed costs nothing. */
static void test_claims_cost_no_memory(void **state)
{
    static const char *const texts[] = {"{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807,), }",
                                        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000), }"};
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        size_t length = 0;
        size_t start = 0;
        uint8_t *file = make_array_file(texts[i], 100000, &length, &start);
        for (unsigned way = 0; way < WAYS; way++) {
            snpy_array array;
            snpy_io_error error;
            expect_failure(load((enum way)way, file, length, NULL, &array, &error), &error, SNPY_TRUNCATED_DATA,
                           texts[i]);
            assert_true(error.error.offset == length);
        }
        free(file);
    }
    uint8_t claim[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 0xff, 0xff, 0xff, 0xff, '{', '\''};
    snpy_options limits = SNPY_OPTIONS_INIT;
    limits.max_header_bytes = SNPY_MAX_HEADER;
    const snpy_load_options how = {.size = sizeof(snpy_load_options), .limits = &limits};
    for (unsigned way = 0; way < WAYS; way++) {
        snpy_array array;
        snpy_io_error error;
        expect_failure(load((enum way)way, claim, sizeof claim, &how, &array, &error), &error, SNPY_TRUNCATED_HEADER,
                       "a header of 4 GiB");
        assert_true(error.error.offset == sizeof claim);
        expect_failure(load((enum way)way, claim, sizeof claim, NULL, &array, &error), &error, SNPY_HEADER_TOO_LONG,
                       "a header of 4 GiB");
    }
}

/* Headers longer than the first piece that is asked for, through a pipe. */
static void test_long_headers(void **state)
{
    static const size_t lengths[] = {4083, 4084, 4085, 4086, 8191, 8192, 50000, 65536};
    const char text[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }";
    (void)state;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        char *padded = allocate(lengths[i]);
        size_t start = 0;
        memset(padded, ' ', lengths[i]);
        memcpy(padded, text, sizeof text - 1);
        uint8_t *head = make_file(2, padded, lengths[i], &start);
        uint8_t *file = allocate(start + 5);
        memcpy(file, head, start);
        memcpy(file + start, "abcde", 5);
        for (unsigned way = 0; way < WAYS; way++) {
            snpy_array array;
            snpy_io_error error;
            expect_ok(load((enum way)way, file, start + 5, NULL, &array, &error), &error);
            assert_memory_equal(array.data, "abcde", 5);
            snpy_array_release(&array);
        }
        free(file);
        free(head);
        free(padded);
    }
}

/* API-STREAM: wherever a file is cut into pieces, it is read as the whole file is. */
static void test_every_cut_gives_the_same(void **state)
{
    static const struct sample cut[] = {{SHAPE("(3, 1)"), 24}, {SHAPE("(3, 1)"), 23}, {SHAPE("(-1,)"), 24}};
    (void)state;
    for (size_t i = 0; i < COUNT(cut); i++) {
        size_t length = 0;
        size_t start = 0;
        uint8_t *file = make_array_file(cut[i].text, cut[i].size, &length, &start);
        snpy_array whole;
        snpy_io_error expected;
        snpy_status status = snpy_load_memory(file, length, NULL, &whole, &expected);
        for (uint64_t first = 1; first < length; first++) {
            for (uint64_t second = first; second < length; second++) {
                struct source source = {file, length, {first, second}, 0, 0};
                snpy_array array;
                snpy_io_error error;
                expect_that(snpy_load_callback(length, read_source, &source, NULL, &array, &error) == status &&
                                error.error.offset == expected.error.offset && array.data_size == whole.data_size,
                            "file %zu, cut at %llu and %llu: %s\n", i, (unsigned long long)first,
                            (unsigned long long)second, error_text(&error));
                if (array.data_size > 0) assert_memory_equal(array.data, whole.data, whole.data_size);
                snpy_array_release(&array);
            }
        }
        snpy_array_release(&whole);
        free(file);
    }
}

/* A header takes one call, and a file that is as small as one page, too. */
static void test_calls_of_a_callback(void **state)
{
    size_t length = 0;
    size_t start = 0;
    uint8_t *file =
        make_array_file("{'descr': '|u1', 'fortran_order': False, 'shape': (50000,), }", 50000, &length, &start);
    const struct {
        uint64_t length;
        bool header_only;
        int64_t answer;
        unsigned calls;
        snpy_status status;
        int reason;
    } cases[] = {
        {length, true, 0, 1, SNPY_OK, 0},
        {length, false, 0, 2, SNPY_OK, 0},
        {length, false, -ETIMEDOUT, 1, SNPY_IO_ERROR, ETIMEDOUT},
        {length, false, INT64_MIN, 1, SNPY_IO_ERROR, EIO},
        {length, false, 4097, 1, SNPY_IO_ERROR, EIO},
        {5, false, 0, 2, SNPY_FILE_CHANGED, 0},
        {start + 49999, false, 0, 3, SNPY_FILE_CHANGED, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const snpy_load_options how = {.size = sizeof(snpy_load_options), .header_only = cases[i].header_only};
        struct source source = {file, cases[i].length, {0, 0}, 0, cases[i].answer};
        snpy_array array;
        snpy_io_error error;
        snpy_status status = snpy_load_callback(length, read_source, &source, &how, &array, &error);
        expect_that(status == cases[i].status && error.system_error == cases[i].reason &&
                        source.calls == cases[i].calls,
                    "case %zu: %s, after %u calls\n", i, error_text(&error), source.calls);
        if (cases[i].reason != 0) assert_string_equal(error.call, "callback");
        if (status == SNPY_FILE_CHANGED) assert_true(error.error.offset == cases[i].length);
        snpy_array_release(&array);
    }
    free(file);
}

/* Every file of the suite: the verdict of `check`, at the same byte. */
static void test_suite_as_check_judges_it(void **state)
{
    glob_t found;
    snpy_options limits = SNPY_OPTIONS_INIT;
    size_t loaded = 0;
    (void)state;
    assert_int_equal(glob("corpus/*/*/*.npy", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        snpy_file file;
        snpy_array array;
        snpy_io_error error;
        snpy_status judged = snpy_check_file(found.gl_pathv[i], &limits, true, &file);
        snpy_status status = snpy_load(found.gl_pathv[i], NULL, &array, &error);
        if (status == SNPY_OBJECT_DATA) {
            assert_true(judged == SNPY_OK && file.head.header.has_object);
        } else {
            expect_that(status == judged && error.error.offset == file.error.offset, "%s: %s, check says %s at %llu\n",
                        found.gl_pathv[i], error_text(&error), snpy_status_name(judged),
                        (unsigned long long)file.error.offset);
        }
        loaded += status == SNPY_OK;
        snpy_array_release(&array);
        snpy_array_release(&file.head);
    }
    assert_true(loaded > 100);
    globfree(&found);
}

/* HOST-IO: an error names the file, the call and the reason. */
static void test_errors_say_what_failed(void **state)
{
    snpy_array array;
    snpy_io_error error;
    char text[400];
    char name[600];
    (void)state;
    expect_failure(snpy_load(in_work("absent.npy"), NULL, &array, &error), &error, SNPY_IO_ERROR, "no file");
    (void)snprintf(text, sizeof text, "%s: open failed: No such file or directory", in_work("absent.npy"));
    assert_string_equal(error_text(&error), text);
    assert_int_equal(error.system_error, ENOENT);
    expect_failure(snpy_load(work_directory, NULL, &array, &error), &error, SNPY_IO_ERROR, "a directory");
    assert_true(strstr(error_text(&error), "read failed: Is a directory") != NULL);
    expect_failure(snpy_load_descriptor(-1, NULL, &array, &error), &error, SNPY_IO_ERROR, "no descriptor");
    assert_int_equal(error.system_error, EBADF);
    write_bytes(in_work("load.npy"), "PK\3\4", 4);
    expect_failure(snpy_load(in_work("load.npy"), NULL, &array, &error), &error, SNPY_BAD_MAGIC, "a zip");
    assert_true(strstr(error_text(&error), "(byte 0)") != NULL);
    size_t whole = snpy_io_error_text(&error, NULL, 0);
    for (size_t capacity = 1; capacity < whole + 3; capacity++) {
        char *out = allocate(capacity);
        assert_true(snpy_io_error_text(&error, out, capacity) == whole);
        assert_true(strlen(out) == (capacity - 1 < whole ? capacity - 1 : whole));
        free(out);
    }
    memset(name, 'x', sizeof name - 1);
    memcpy(name, "/tmp/", 5);
    name[sizeof name - 1] = '\0';
    expect_failure(snpy_load(name, NULL, &array, &error), &error, SNPY_IO_ERROR, "a long name");
    assert_int_equal(strlen(error.path), SNPY_ERROR_PATH - 1);
    assert_memory_equal(error.path, "...x", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_way_gives_the_same),
        cmocka_unit_test(test_every_cut_gives_the_same),
        cmocka_unit_test(test_calls_of_a_callback),
        cmocka_unit_test(test_every_prefix_is_refused),
        cmocka_unit_test(test_bytes_behind_the_data),
        cmocka_unit_test(test_options_that_have_grown),
        cmocka_unit_test(test_several_arrays_in_one_stream),
        cmocka_unit_test(test_header_only_leaves_the_data),
        cmocka_unit_test(test_buffer_too_small),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_claims_cost_no_memory),
        cmocka_unit_test(test_long_headers),
        cmocka_unit_test(test_suite_as_check_judges_it),
        cmocka_unit_test(test_errors_say_what_failed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
