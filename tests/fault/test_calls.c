/* test_calls.c: what single calls answer on rare systems and in rare moments.            HOST-IO, HOST-CHANGED
 *
 * File systems that know no locks, no fsync of directories, no reserved space and no owners; descriptors that do not
 * block and cannot be waited for; names that are taken; files that say that they are empty; signals while a file is
 * written, in this process and in its child. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "host/io.h"
#include "host/part.h"
#include "tests/fault/wrap.h"
#include "tests/unit/files.h"

#include <sys/mman.h>
#include <sys/xattr.h>
#include <time.h>

#define ROWS 20u

static uint8_t *rows;
static snpy_io_error error;

static void save_rows(const char *path, uint64_t count)
{
    struct made made;
    make_rows(&made, count);
    expect_ok(snpy_save(path, &made.description, rows, count * ROW, &error), &error);
}

/* Saves over an old file with one call at fault. */
static snpy_status save_with(const char *path, const char *call, enum fault_kind kind, unsigned number, int reason)
{
    struct made made;
    make_rows(&made, ROWS);
    arm_fault_for(call, kind, number, reason);
    snpy_status status = snpy_save(path, &made.description, rows, ROWS * ROW, &error);
    assert_true(disarm_fault());
    return status;
}

/* A call must have failed for a reason. */
static void expect_reason(snpy_status status, const char *call, int reason)
{
    expect_failure(status, &error, SNPY_IO_ERROR, call);
    expect_that(strcmp(error.call, call) == 0 && error.system_error == reason, "%s: %s\n", call, error_text(&error));
}

/* --- file systems that cannot do everything -------------------------------------------------------------------- */

static void test_no_locks(void **state)
{
    static const int reasons[] = {ENOLCK, EINVAL, EOPNOTSUPP};
    struct made made;
    (void)state;
    make_rows(&made, 1);
    for (size_t i = 0; i < COUNT(reasons); i++) {
        save_rows(in_work("a.npy"), 1);
        arm_fault_for("fcntl", FAULT_FOR_GOOD, 1, reasons[i]);
        expect_ok(snpy_append(in_work("a.npy"), &made.description, rows + ROW, ROW, NULL, &error), &error);
        assert_true(disarm_fault());
        expect_file(in_work("a.npy"), 0, 2, rows, 2 * ROW);
    }
}

/* The second fsync is that of the directory. */
static void test_no_fsync_of_directories(void **state)
{
    (void)state;
    save_rows(in_work("a.npy"), 1);
    expect_ok(save_with(in_work("a.npy"), "fsync", FAULT_ONCE, 2, EINVAL), &error);
    expect_file(in_work("a.npy"), 0, ROWS, rows, ROWS * ROW);
    save_rows(in_work("a.npy"), 1);
    expect_reason(save_with(in_work("a.npy"), "fsync", FAULT_ONCE, 1, EINVAL), "fsync", EINVAL);
    expect_file(in_work("a.npy"), 0, 1, rows, ROW);
}

static void test_no_owners(void **state)
{
    struct stat about;
    (void)state;
    for (unsigned number = 1; number <= 2; number++) {
        save_rows(in_work("a.npy"), 1);
        assert_int_equal(chmod(in_work("a.npy"), 0646), 0);
        if (chown(in_work("a.npy"), 1, 1) != 0) return; /* only the superuser gives files away */
        expect_ok(save_with(in_work("a.npy"), "fchown", FAULT_ONCE, number, EPERM), &error);
        assert_int_equal(error.lost, number == 1 ? SNPY_LOST_GROUP : SNPY_LOST_OWNER);
        assert_int_equal(stat(in_work("a.npy"), &about), 0);
        assert_int_equal(about.st_mode & 0777, number == 1 ? 0604 : 0646);
        assert_int_equal(unlink(in_work("a.npy")), 0);
    }
}

/* File systems without ACLs and attributes, and attributes that are lost. */
static void test_no_attributes(void **state)
{
    static const int reasons[] = {ENODATA, ENOTSUP, ENOSYS};
    static const char *const calls[] = {"fgetxattr", "fremovexattr", "flistxattr"};
    const char *path = in_work("a.npy");
    (void)state;
    save_rows(path, 1);
    for (size_t i = 0; i < COUNT(reasons); i++) {
        for (size_t c = 0; c < COUNT(calls); c++) {
            expect_ok(save_with(path, calls[c], FAULT_ONCE, 1, reasons[i]), &error);
            assert_int_equal(error.lost, 0);
        }
    }
    expect_reason(save_with(path, "openat", FAULT_ONCE, 1, EMFILE), "openat", EMFILE);
    if (setxattr(path, "user.note", "kept", 4, 0) != 0) return;              /* not on this file system */
    expect_ok(save_with(path, "fgetxattr", FAULT_ONCE, 1, ENODATA), &error); /* removed meanwhile */
    assert_int_equal(error.lost, 0);
    static const char *const losing[] = {"fgetxattr", "fsetxattr", "flistxattr"};
    for (size_t c = 0; c < COUNT(losing); c++) {
        assert_int_equal(setxattr(path, "user.note", "kept", 4, 0), 0);
        expect_ok(save_with(path, losing[c], FAULT_ONCE, 1, ENOSPC), &error);
        assert_int_equal(error.lost, SNPY_LOST_ATTRIBUTES);
    }
    assert_int_equal(unlink(path), 0);
}

static void test_no_reserved_space(void **state)
{
    static const int reasons[] = {EINVAL, EOPNOTSUPP, ENOSYS};
    struct made made;
    snpy_array array;
    (void)state;
    make_rows(&made, ROWS);
    for (size_t i = 0; i < COUNT(reasons); i++) {
        arm_fault_for("posix_fallocate", FAULT_ONCE, 1, reasons[i]);
        expect_ok(snpy_map_create(in_work("m.npy"), &made.description, SNPY_REPLACE_NOT, &array, &error), &error);
        assert_true(disarm_fault());
        memcpy(array.data, rows, ROWS * ROW);
        snpy_array_release(&array);
        expect_file(in_work("m.npy"), 0, ROWS, rows, ROWS * ROW);
        assert_int_equal(unlink(in_work("m.npy")), 0);
    }
    limit_files(64); /* where nothing can be reserved, the length says that there is no room */
    arm_fault_for("posix_fallocate", FAULT_ONCE, 1, ENOSYS);
    snpy_status status = snpy_map_create(in_work("m.npy"), &made.description, SNPY_REPLACE_NOT, &array, &error);
    assert_true(disarm_fault());
    limit_files(0);
    expect_reason(status, "ftruncate", EFBIG);
    assert_int_equal(access(in_work("m.npy"), F_OK), -1);
}

/* --- writes and reads -------------------------------------------------------------------------------------------- */

static void test_a_write_that_takes_nothing(void **state)
{
    (void)state;
    save_rows(in_work("a.npy"), 1);
    expect_reason(save_with(in_work("a.npy"), "write", FAULT_NOTHING, 1, 0), "write", EIO);
    expect_file(in_work("a.npy"), 0, 1, rows, ROW);
}

/* Makes a pipe whose ends do not block; its writing end is full. */
static void make_full_pipe(int ends[2])
{
    static const uint8_t page[4096] = {0};
    if (pipe(ends) != 0) abort();
    for (int i = 0; i < 2; i++)
        if (fcntl(ends[i], F_SETFL, O_NONBLOCK) != 0) abort();
    while (write(ends[1], page, sizeof page) > 0) {
    }
}

/* Lets a child do something with a descriptor after a moment. */
static pid_t start_child(void (*act)(int descriptor), int descriptor)
{
    const struct timespec moment = {0, 20000000};
    pid_t child = fork();
    if (child < 0) abort();
    if (child > 0) return child;
    (void)nanosleep(&moment, NULL);
    act(descriptor);
    _exit(0);
}

static void drain(int descriptor)
{
    uint8_t page[4096];
    while (read(descriptor, page, sizeof page) > 0) {
    }
}

static void feed(int descriptor)
{
    if (write(descriptor, "x", 1) != 1) _exit(1);
}

static void expect_end_of(pid_t child)
{
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_waiting_to_write(void **state)
{
    int ends[2];
    (void)state;
    make_full_pipe(ends);
    arm_fault_for("poll", FAULT_ONCE, 1, ENOMEM);
    expect_reason(snpy_write_all(ends[1], rows, ROW, &error), "write", ENOMEM);
    assert_true(disarm_fault());
    arm_fault_for("poll", FAULT_SIGNAL, 1, 0);
    pid_t child = start_child(drain, ends[0]);
    expect_ok(snpy_write_all(ends[1], rows, ROW, &error), &error);
    assert_true(disarm_fault());
    expect_end_of(child);
    for (int i = 0; i < 2; i++) (void)close(ends[i]);
}

static void test_waiting_to_read(void **state)
{
    uint8_t byte = 0;
    int ends[2];
    (void)state;
    make_full_pipe(ends);
    drain(ends[0]);
    arm_fault_for("poll", FAULT_ONCE, 1, ENOMEM);
    assert_int_equal(snpy_read_some(ends[0], &byte, 1), -1);
    assert_int_equal(errno, ENOMEM);
    assert_true(disarm_fault());
    arm_fault_for("poll", FAULT_SIGNAL, 1, 0);
    pid_t child = start_child(feed, ends[1]);
    assert_int_equal(snpy_read_some(ends[0], &byte, 1), 1);
    assert_true(disarm_fault() && byte == 'x');
    expect_end_of(child);
    for (int i = 0; i < 2; i++) (void)close(ends[i]);
}

static void test_waiting_for_a_stream(void **state)
{
    snpy_reader reader;
    uint8_t byte = 0;
    uint64_t received = 0;
    int ends[2];
    (void)state;
    make_full_pipe(ends);
    drain(ends[0]);
    FILE *stream = fdopen(ends[0], "rb");
    assert_true(stream != NULL);
    assert_int_equal(snpy_reader_of_stdio(&reader, stream, &error), SNPY_OK);
    arm_fault_for("poll", FAULT_ONCE, 1, ENOMEM);
    expect_reason(snpy_reader_read(&reader, 0, &byte, 1, &received, &error), "fread", EAGAIN);
    assert_true(disarm_fault());
    arm_fault_for("poll", FAULT_SIGNAL, 1, 0);
    pid_t child = start_child(feed, ends[1]);
    expect_ok(snpy_reader_read(&reader, 0, &byte, 1, &received, &error), &error);
    assert_true(disarm_fault() && received == 1 && byte == 'x');
    expect_end_of(child);
    (void)fclose(stream);
    (void)close(ends[1]);
}

/* Linux moves at most 2 GiB with one call; what is asked for is cut. No page of this memory is ever touched. */
static void test_more_than_one_call_moves(void **state)
{
    const size_t size = ((size_t)5 << 28) + 1;
    uint8_t *much = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int sink = open("/dev/null", O_WRONLY);
    int file = open(in_work("a.npy"), O_RDONLY);
    uint64_t got = 0;
    snpy_input input;
    (void)state;
    assert_true(much != MAP_FAILED && sink >= 0);
    expect_ok(snpy_write_all(sink, much, size, &error), &error);
    save_rows(in_work("a.npy"), 1);
    if (file >= 0) (void)close(file);
    file = open(in_work("a.npy"), O_RDONLY);
    snpy_input_from_file(&input, file, 0);
    expect_ok(snpy_input_some(&input, 0, much, size, &got, &error), &error);
    assert_int_equal(got, 128 + ROW);
    assert_int_equal(snpy_read_some(file, much, size), 128 + ROW);
    (void)close(file);
    (void)close(sink);
    assert_int_equal(munmap(much, size), 0);
}

/* --- files that are not what they seem --------------------------------------------------------------------------- */

/* A regular file that says that it is empty, as those of /proc, is read to its end; it cannot be mapped or grow. */
static void test_files_that_say_they_are_empty(void **state)
{
    struct made made;
    snpy_array array;
    (void)state;
    make_rows(&made, 1);
    save_rows(in_work("a.npy"), ROWS);
    arm_fault_for("fstat", FAULT_NOTHING, 1, 0);
    expect_ok(snpy_load(in_work("a.npy"), NULL, &array, &error), &error);
    assert_true(disarm_fault());
    assert_int_equal(array.data_size, ROWS * ROW);
    snpy_array_release(&array);
    arm_fault_for("fstat", FAULT_NOTHING, 1, 0);
    expect_reason(snpy_map(in_work("a.npy"), SNPY_MAP_READ, NULL, &array, &error), "mmap", ENODEV);
    assert_true(disarm_fault());
    arm_fault_for("fstat", FAULT_NOTHING, 2, 0);
    expect_reason(snpy_append(in_work("a.npy"), &made.description, rows, ROW, NULL, &error), "pwrite", ESPIPE);
    assert_true(disarm_fault());
    expect_file(in_work("a.npy"), 0, ROWS, rows, ROWS * ROW);
}

/* A descriptor that stands behind the end of its file has nothing to give. */
static void test_descriptors_behind_the_end(void **state)
{
    snpy_array array;
    (void)state;
    save_rows(in_work("a.npy"), 1);
    int descriptor = open(in_work("a.npy"), O_RDONLY);
    assert_true(lseek(descriptor, 4096, SEEK_SET) == 4096);
    expect_failure(snpy_load_descriptor(descriptor, NULL, &array, &error), &error, SNPY_TRUNCATED_PREFIX, "behind");
    (void)close(descriptor);
    FILE *stream = fopen(in_work("a.npy"), "rb");
    assert_int_equal(fseek(stream, 128 + ROW, SEEK_SET), 0);
    expect_failure(snpy_load_stream(stream, NULL, &array, &error), &error, SNPY_TRUNCATED_PREFIX, "at the end");
    assert_int_equal(fseek(stream, 0, SEEK_SET), 0);
    expect_ok(snpy_load_stream(stream, NULL, &array, &error), &error);
    snpy_array_release(&array);
    (void)fclose(stream);
}

static void test_devices_cannot_be_mapped(void **state)
{
    struct made made;
    snpy_array array;
    (void)state;
    make_rows(&made, 1);
    expect_reason(snpy_map_create("/dev/null", &made.description, SNPY_REPLACE, &array, &error), "mmap", ENODEV);
    assert_true(array.data == NULL && array.head_ == NULL);
}

/* --- copies and headers --------------------------------------------------------------------------------------- */

/* Copies of records take memory of several kinds; without one of them there is no copy. */
static void test_copies_without_memory(void **state)
{
    static const char text[] =
        "{'descr': [('a', '<i2'), ('b', '<f4', (2,))], 'fortran_order': True, 'shape': (2, 2), }";
    uint8_t file[512] = {0};
    size_t length = 0;
    snpy_array array;
    snpy_array copy;
    (void)state;
    uint8_t *head = make_file(1, text, sizeof text - 1, &length);
    memcpy(file, head, length);
    free(head);
    expect_ok(snpy_load_memory(file, length + 40, NULL, &array, &error), &error);
    for (unsigned number = 1;; number++) {
        arm_fault_for("malloc", FAULT_ONCE, number, ENOMEM);
        snpy_status status = snpy_array_copy(&array, 'C', SNPY_BYTEORDER_BIG, &copy, &error);
        if (!disarm_fault()) {
            expect_ok(status, &error);
            assert_true(number > 4);
            break;
        }
        expect_failure(status, &error, SNPY_NO_MEMORY, "malloc");
        assert_true(copy.data == NULL && copy.head_ == NULL && copy.table.fields == NULL);
    }
    snpy_array_release(&copy);
    snpy_array_release(&array);
}

static void test_growing_axes(void **state)
{
    snpy_header header = {.fortran_order = true};
    (void)state;
    assert_int_equal(snpy_growing_axis(&header), 0);
    header.ndim = 3;
    assert_int_equal(snpy_growing_axis(&header), 2);
    header.fortran_order = false;
    assert_int_equal(snpy_growing_axis(&header), 0);
}

/* --- temporary files -------------------------------------------------------------------------------------------- */

static void test_names_that_are_taken(void **state)
{
    (void)state;
    /* the first open is that of the file to be replaced */
    save_rows(in_work("a.npy"), 1);
    expect_ok(save_with(in_work("a.npy"), "open", FAULT_ONCE, 2, EEXIST), &error);
    expect_file(in_work("a.npy"), 0, ROWS, rows, ROWS * ROW);
    expect_reason(save_with(in_work("a.npy"), "open", FAULT_FOR_GOOD, 2, EEXIST), "open", EEXIST);
    expect_file(in_work("a.npy"), 0, ROWS, rows, ROWS * ROW);
}

static void test_where_temporary_files_go(void **state)
{
    const char *given = getenv("TMPDIR");
    char *kept = given != NULL ? strdup(given) : NULL;
    (void)state;
    assert_int_equal(setenv("TMPDIR", "", 1), 0);
    assert_string_equal(snpy_temporary_directory(), "/tmp");
    assert_int_equal(setenv("TMPDIR", work_directory, 1), 0);
    assert_string_equal(snpy_temporary_directory(), work_directory);
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_string_equal(snpy_temporary_directory(), "/tmp");
    if (kept != NULL) assert_int_equal(setenv("TMPDIR", kept, 1), 0);
    free(kept);
}

/* What a signal handler removes: the files of this process, not those of its parent. */
static void test_a_child_leaves_files_alone(void **state)
{
    snpy_io_error ignored;
    char *name = NULL;
    int slot = 0;
    int descriptor = -1;
    (void)state;
    assert_int_equal(snpy_make_temporary(in_work("a.npy"), true, &descriptor, &name, &slot, &ignored), SNPY_OK);
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        snpy_remove_temporaries();
        exit(0); /* and not _exit, so that what it has reached is counted */
    }
    expect_end_of(child);
    assert_int_equal(access(name, F_OK), 0);
    errno = EDOM;
    snpy_remove_temporaries();
    assert_int_equal(errno, EDOM);
    assert_int_equal(access(name, F_OK), -1);
    (void)close(descriptor);
    snpy_drop_temporary(&name, &slot);
}

/* More files than a handler can remember are made all the same, and one with a longer path than any system takes. */
static void test_more_files_than_are_remembered(void **state)
{
    char path[5000];
    int slots[600];
    size_t remembered = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(slots); i++) {
        slots[i] = snpy_remember_temporary("/nowhere/at all");
        remembered += slots[i] > 0;
    }
    assert_true(remembered >= 8 && remembered < COUNT(slots));
    save_rows(in_work("b.npy"), ROWS);
    expect_file(in_work("b.npy"), 0, ROWS, rows, ROWS * ROW);
    for (size_t i = 0; i < COUNT(slots); i++) snpy_forget_temporary(slots[i]);
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_int_equal(snpy_remember_temporary(path), 0);
}

/* --- files that grow -------------------------------------------------------------------------------------------- */

/* Opens an appender and lets it write a row that its header does not say yet. */
static void begin_growth(snpy_appender **appender, const char *path)
{
    struct made made;
    save_rows(path, 1);
    make_rows(&made, 2);
    expect_ok(snpy_appender_open(appender, path, NULL, &error), &error);
    expect_ok(snpy_appender_announce(*appender, &made.description, &error), &error);
    expect_ok(snpy_appender_add(*appender, rows + ROW, ROW, &error), &error);
}

static long long size_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (long long)about.st_size : -1;
}

/* A handler cuts off what is not yet part of the array, unless the process is another, or the system refuses. */
static void test_a_handler_cuts_growth(void **state)
{
    snpy_appender *appender;
    (void)state;
    begin_growth(&appender, in_work("g.npy"));
    assert_int_equal(size_of(in_work("g.npy")), 128 + 2 * ROW);
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        snpy_remove_temporaries();
        exit(0); /* and not _exit, so that what it has reached is counted */
    }
    expect_end_of(child);
    assert_int_equal(size_of(in_work("g.npy")), 128 + 2 * ROW);
    arm_fault_for("ftruncate", FAULT_ONCE, 1, EIO);
    snpy_remove_temporaries();
    assert_true(disarm_fault());
    assert_int_equal(size_of(in_work("g.npy")), 128 + 2 * ROW);
    snpy_remove_temporaries();
    assert_int_equal(size_of(in_work("g.npy")), 128 + ROW);
    snpy_appender_abandon(&appender);
    expect_file(in_work("g.npy"), 0, 1, rows, ROW);
}

/* Only one growing file is remembered; the other one is undone all the same when its appender is given up. */
static void test_two_files_that_grow(void **state)
{
    snpy_appender *appenders[2];
    (void)state;
    begin_growth(&appenders[0], in_work("g.npy"));
    begin_growth(&appenders[1], in_work("h.npy"));
    snpy_remove_temporaries();
    assert_int_equal(size_of(in_work("g.npy")), 128 + ROW);
    assert_int_equal(size_of(in_work("h.npy")), 128 + 2 * ROW);
    snpy_appender_abandon(&appenders[1]);
    snpy_appender_abandon(&appenders[0]);
    expect_file(in_work("g.npy"), 0, 1, rows, ROW);
    expect_file(in_work("h.npy"), 0, 1, rows, ROW);
}

/* Once something has failed, nothing more is taken, and the file is what it was. */
static void test_growth_after_a_failure(void **state)
{
    snpy_appender *appender;
    struct made made;
    (void)state;
    make_rows(&made, 1);
    begin_growth(&appender, in_work("g.npy"));
    arm_fault_for("pwrite", FAULT_ONCE, 1, ENOSPC);
    expect_reason(snpy_appender_add(appender, rows + ROW, ROW, &error), "pwrite", ENOSPC);
    assert_true(disarm_fault());
    expect_failure(snpy_appender_add(appender, rows, ROW, &error), &error, SNPY_BAD_ARGUMENT, "add");
    expect_failure(snpy_appender_announce(appender, &made.description, &error), &error, SNPY_BAD_ARGUMENT, "announce");
    expect_failure(snpy_appender_finish(&appender, &error), &error, SNPY_BAD_ARGUMENT, "finish");
    expect_file(in_work("g.npy"), 0, 1, rows, ROW);
    expect_failure(snpy_appender_finish(&appender, &error), &error, SNPY_BAD_ARGUMENT, "finish of what is closed");
}

/* A size that no memory has is refused, and does not wrap around to a small one. */
static void test_sizes_beyond_memory(void **state)
{
    snpy_array array;
    (void)state;
    for (uint64_t less = 0; less < 8; less++) { /* up to nearly 2 MiB less */
        snpy_array_clear(&array);
        expect_failure(snpy_array_reserve(&array, UINT64_MAX - (less << 18), &error), &error, SNPY_NO_MEMORY,
                       "reserve");
        assert_true(array.data == NULL && array.base_ == NULL);
    }
}

/* Bytes after the data that cannot be cut off are told of, even if nothing else was to be done. */
static void test_bytes_that_stay_behind_the_data(void **state)
{
    const snpy_append_options how = {.size = sizeof(snpy_append_options), .drop_trailing = true};
    const char *path = in_work("g.npy");
    snpy_appender *appender;
    size_t size = 0;
    (void)state;
    save_rows(path, 1);
    uint8_t *file = read_file(path, &size);
    file = realloc(file, size + 1);
    if (file == NULL) abort();
    file[size] = 'x';
    write_bytes(path, file, size + 1);
    expect_ok(snpy_appender_open(&appender, path, &how, &error), &error);
    arm_fault_for("ftruncate", FAULT_ONCE, 1, EIO);
    expect_reason(snpy_appender_finish(&appender, &error), "ftruncate", EIO);
    assert_true(disarm_fault());
    expect_bytes(path, file, size + 1);
    expect_ok(snpy_appender_open(&appender, path, &how, &error), &error);
    expect_ok(snpy_appender_finish(&appender, &error), &error);
    expect_bytes(path, file, size);
    free(file);
}

static int set_up_rows(void **state)
{
    rows = make_data(ROWS * ROW, 1);
    return set_up(state);
}

static int tear_down_rows(void **state)
{
    free(rows);
    return tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_locks),
        cmocka_unit_test(test_no_fsync_of_directories),
        cmocka_unit_test(test_no_owners),
        cmocka_unit_test(test_no_attributes),
        cmocka_unit_test(test_no_reserved_space),
        cmocka_unit_test(test_a_write_that_takes_nothing),
        cmocka_unit_test(test_waiting_to_write),
        cmocka_unit_test(test_waiting_to_read),
        cmocka_unit_test(test_waiting_for_a_stream),
        cmocka_unit_test(test_more_than_one_call_moves),
        cmocka_unit_test(test_files_that_say_they_are_empty),
        cmocka_unit_test(test_descriptors_behind_the_end),
        cmocka_unit_test(test_devices_cannot_be_mapped),
        cmocka_unit_test(test_copies_without_memory),
        cmocka_unit_test(test_growing_axes),
        cmocka_unit_test(test_names_that_are_taken),
        cmocka_unit_test(test_where_temporary_files_go),
        cmocka_unit_test(test_a_child_leaves_files_alone),
        cmocka_unit_test(test_more_files_than_are_remembered),
        cmocka_unit_test(test_a_handler_cuts_growth),
        cmocka_unit_test(test_two_files_that_grow),
        cmocka_unit_test(test_growth_after_a_failure),
        cmocka_unit_test(test_sizes_beyond_memory),
        cmocka_unit_test(test_bytes_that_stay_behind_the_data),
    };
    return cmocka_run_group_tests(tests, set_up_rows, tear_down_rows);
}
