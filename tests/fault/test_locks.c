/* test_locks.c: files that one process at a time changes.                                        HOST-LOCK, HOST-IO
 *
 * Locks of other processes are those of other descriptors here: both exclude each other in the same way. Nobody sleeps
 * but where a thread does: what was to be slept is counted. */
#ifdef __linux__
#define _GNU_SOURCE /* F_OFD_SETLK */
#endif
#include <pthread.h>
#include <sys/file.h>

#include "host/io.h"
#include "tests/fault/wrap.h"
#include "tests/unit/files.h"
#ifdef SNPY_ARCHIVES
#include "safenpy/archive_write.h"
#endif

#define ROWS 20u

static uint8_t *rows;
static snpy_io_error error;

static void save_rows(const char *name, uint64_t count)
{
    struct made made;
    make_rows(&made, count);
    expect_ok(snpy_save(in_work(name), &made.description, rows, count * ROW, &error), &error);
}

/* Appends a row to a.npy. */
static snpy_status append_row(int32_t timeout_ms)
{
    const snpy_append_options how = {.size = sizeof(snpy_append_options), .lock_timeout_ms = timeout_ms};
    struct made made;
    make_rows(&made, 1);
    return snpy_append(in_work("a.npy"), &made.description, rows, ROW, &how, &error);
}

static snpy_status save_row(int32_t timeout_ms)
{
    struct made made;
    (void)timeout_ms;
    make_rows(&made, 1);
    return snpy_save(in_work("a.npy"), &made.description, rows, ROW, &error);
}

static snpy_status map_row(int32_t timeout_ms)
{
    struct made made;
    snpy_array array;
    (void)timeout_ms;
    make_rows(&made, 1);
    snpy_status status = snpy_map_create(in_work("a.npy"), &made.description, true, &array, &error);
    if (status == SNPY_OK) memcpy(array.data, rows, ROW);
    snpy_array_release(&array);
    return status;
}

#ifdef SNPY_ARCHIVES
static snpy_status pack_row(int32_t timeout_ms)
{
    snpy_archive_write_options how = SNPY_ARCHIVE_WRITE_OPTIONS_INIT;
    snpy_archive_writer writer;
    how.lock_timeout_ms = timeout_ms;
    snpy_status status = snpy_archive_writer_open(&writer, in_work("a.npy"), &how, &error);
    return status == SNPY_OK ? snpy_archive_writer_finish(&writer, &error) : status;
}
#endif

/* Each changes a.npy; some take a time. */
static const struct changer {
    const char *name;
    snpy_status (*run)(int32_t timeout_ms);
    bool takes_time;
} changers[] = {
    {"append", append_row, true},
    {"save", save_row, false},
    {"map", map_row, false},
#ifdef SNPY_ARCHIVES
    {"pack", pack_row, true},
#endif
};

/* Locks a.npy as another process does. */
static int lock_elsewhere(void)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int descriptor = open(in_work("a.npy"), O_RDWR);
    assert_true(descriptor >= 0 && fcntl(descriptor, F_OFD_SETLK, &lock) == 0);
    return descriptor;
}

/* So many rows must be in a.npy. */
static void expect_rows(uint64_t count)
{
    snpy_array array;
    expect_ok(snpy_load(in_work("a.npy"), NULL, &array, &error), &error);
    assert_int_equal(array.header.shape[0], count);
    snpy_array_release(&array);
}

/* a.npy must not be locked. */
static void expect_unlocked(void)
{
    (void)close(lock_elsewhere());
}

/* --- waiting ----------------------------------------------------------------------------------------------- */

/* Who changes a file waits for 10 s or as long as it is told to, then gives up and leaves it as it was. */
static void test_a_lock_is_waited_for(void **state)
{
    static const struct {
        int32_t given;
        unsigned long long slept;
    } times[] = {{0, 10000}, {-1, 0}, {-70000, 0}, {1, 1}, {25, 25}};
    size_t length = 0;
    (void)state;
    save_rows("a.npy", ROWS);
    uint8_t *before = read_file(in_work("a.npy"), &length);
    int other = lock_elsewhere();
    for (size_t i = 0; i < COUNT(changers); i++) {
        for (size_t t = 0; t < (changers[i].takes_time ? COUNT(times) : 1); t++) {
            pretend_to_sleep();
            expect_failure(changers[i].run(times[t].given), &error, SNPY_LOCKED, changers[i].name);
            expect_that(pretended_sleep() == times[t].slept, "%s, %d\n", changers[i].name, (int)times[t].given);
            assert_string_equal(error.path, in_work("a.npy"));
            assert_non_null(strstr(error_text(&error), "a.npy: the file is locked: another process is changing it; "));
            expect_bytes(in_work("a.npy"), before, length);
            assert_int_equal(count_files(false), 1);
        }
    }
    (void)close(other);
    free(before);
}

static int held = -1;

static void let_go(void)
{
    (void)close(held);
}

/* When the other one is done, it is our turn; each waits from 1 ms on, and longer each time, but 50 ms at most. */
static void test_a_lock_is_granted_when_it_is_free(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(changers); i++) {
        save_rows("a.npy", ROWS);
        held = lock_elsewhere();
        pretend_to_sleep();
        act_before("nanosleep", 9, let_go);
        expect_ok(changers[i].run(0), &error);
        expect_that(pretended_sleep() == 1 + 2 + 4 + 8 + 16 + 32 + 3 * 50, "%s\n", changers[i].name);
        expect_unlocked();
    }
}

/* A signal while it is waited is no end of it. */
static void test_waiting_goes_on_after_a_signal(void **state)
{
    static const char *const calls[] = {"nanosleep", "fcntl"};
    (void)state;
    for (size_t i = 0; i < COUNT(calls); i++) {
        save_rows("a.npy", ROWS);
        held = lock_elsewhere();
        pretend_to_sleep();
        act_before("nanosleep", 3, let_go);
        arm_fault_for(calls[i], FAULT_SIGNAL, 1, EINTR);
        expect_ok(append_row(0), &error);
        assert_true(disarm_fault() && pretended_sleep() > 0);
    }
}

/* --- what the lock is of ------------------------------------------------------------------------------------ */

/* Replaces a.npy, as who does not wait for its lock, or has had it. */
static void replace(void)
{
    snpy_io_error ignored;
    struct made made;
    make_rows(&made, 2);
    if (snpy_save(in_work("b.npy"), &made.description, rows, 2 * ROW, &ignored) != SNPY_OK) abort();
    if (rename(in_work("b.npy"), in_work("a.npy")) != 0) abort();
}

static void replace_and_let_go(void)
{
    replace();
    let_go();
}

static void remove_old(void)
{
    if (unlink(in_work("a.npy")) != 0) abort();
}

/* A name that leads to another file between open and lock, or while it is waited: the call starts again with that file. */
static void test_a_file_that_is_replaced_meanwhile(void **state)
{
    (void)state;
    save_rows("a.npy", ROWS);
    act_before("fcntl", 1, replace);
    expect_ok(append_row(0), &error);
    expect_rows(3);
    held = lock_elsewhere();
    pretend_to_sleep();
    act_before("nanosleep", 2, replace_and_let_go);
    expect_ok(append_row(0), &error);
    (void)pretended_sleep();
    expect_rows(3);
    /* It may be one that nobody may have yet. */
    act_before("fcntl", 1, replace);
    expect_failure(append_row(-1), &error, SNPY_LOCKED, "no time to start again");
    expect_file(in_work("a.npy"), 0, 2, rows, 2 * ROW);
    expect_unlocked();
}

/* A name that is gone by then: nothing can grow there, but something new be saved. */
static void test_a_file_that_is_removed_meanwhile(void **state)
{
    (void)state;
    save_rows("a.npy", ROWS);
    act_before("fcntl", 1, remove_old);
    expect_failure(append_row(0), &error, SNPY_IO_ERROR, "append");
    assert_true(strcmp(error.call, "open") == 0 && error.system_error == ENOENT);
    save_rows("a.npy", ROWS);
    act_before("fcntl", 1, remove_old);
    expect_ok(save_row(0), &error);
    expect_file(in_work("a.npy"), 0, 1, rows, ROW);
}

/* Files with other descriptors in this process: to close them gives up no lock, and no lock is taken twice. */
static void test_a_lock_survives_another_descriptor(void **state)
{
    snpy_appender *appender;
    snpy_array array;
    (void)state;
    save_rows("a.npy", ROWS);
    expect_ok(snpy_appender_open(&appender, in_work("a.npy"), NULL, &error), &error);
    (void)close(open(in_work("a.npy"), O_RDWR));
    expect_ok(snpy_load(in_work("a.npy"), NULL, &array, &error), &error);
    snpy_array_release(&array);
    for (size_t i = 0; i < COUNT(changers); i++) {
        pretend_to_sleep();
        expect_failure(changers[i].run(0), &error, SNPY_LOCKED, changers[i].name);
        (void)pretended_sleep();
    }
    snpy_appender_abandon(&appender);
    expect_ok(append_row(-1), &error);
    expect_unlocked();
}

/* A child of fork has the lock's description, too; it does not keep the lock. */
static void test_a_child_keeps_no_lock(void **state)
{
    snpy_appender *appender;
    int result = 0;
    (void)state;
    save_rows("a.npy", ROWS);
    expect_ok(snpy_appender_open(&appender, in_work("a.npy"), NULL, &error), &error);
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(20); /* should nobody kill it */
        for (;;) (void)pause();
    }
    snpy_appender_abandon(&appender);
    expect_ok(append_row(-1), &error);
    assert_true(kill(child, SIGKILL) == 0 && waitpid(child, &result, 0) == child);
}

/* --- threads ------------------------------------------------------------------------------------------------ */

#define THREADS 4u
#define TURNS 25u

static void *append_turns(void *argument)
{
    const snpy_append_options patient = {.size = sizeof(snpy_append_options), .lock_timeout_ms = 600000};
    const unsigned *number = argument;
    snpy_io_error own;
    struct made made;
    uint8_t row[ROW];
    make_rows(&made, 1);
    memset(row, (int)*number, sizeof row);
    for (size_t i = 0; i < TURNS; i++)
        if (snpy_append(in_work("a.npy"), &made.description, row, ROW, &patient, &own) != SNPY_OK) return argument;
    return NULL;
}

/* Threads that append to one file take turns: no row is lost, none is torn. */
static void test_threads_take_turns(void **state)
{
    pthread_t threads[THREADS];
    unsigned numbers[THREADS];
    size_t seen[THREADS] = {0};
    snpy_array array;
    (void)state;
    save_rows("a.npy", 0);
    pretend_to_sync();
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i + 1;
        assert_int_equal(pthread_create(&threads[i], NULL, append_turns, &numbers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    expect_ok(snpy_load(in_work("a.npy"), NULL, &array, &error), &error);
    assert_int_equal(array.header.shape[0], THREADS * TURNS);
    for (size_t i = 0; i < THREADS * TURNS; i++) {
        const uint8_t *row = array.data + i * ROW;
        for (size_t k = 0; k < ROW; k++) assert_int_equal(row[k], row[0]);
        assert_in_range(row[0], 1, THREADS);
        seen[row[0] - 1]++;
    }
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(seen[i], TURNS);
    snpy_array_release(&array);
}

/* --- what systems do not have -------------------------------------------------------------------------------- */

/* Where there are no locks of descriptions, flock does. */
static void test_flock_where_descriptions_have_no_locks(void **state)
{
    static const int reasons[] = {EINVAL, ENOLCK, ENOSYS, EOPNOTSUPP};
    (void)state;
    for (size_t i = 0; i < COUNT(reasons); i++) {
        for (size_t c = 0; c < COUNT(changers); c++) {
            save_rows("a.npy", ROWS);
            int other = open(in_work("a.npy"), O_RDWR);
            assert_true(other >= 0 && flock(other, LOCK_EX) == 0);
            arm_fault_for("fcntl", FAULT_FOR_GOOD, 1, reasons[i]);
            pretend_to_sleep();
            expect_failure(changers[c].run(0), &error, SNPY_LOCKED, changers[c].name);
            assert_true(pretended_sleep() == 10000 && disarm_fault());
            (void)close(other);
        }
        arm_fault_for("fcntl", FAULT_FOR_GOOD, 1, reasons[i]);
        expect_ok(append_row(-1), &error);
        expect_ok(append_row(-1), &error); /* it was given back */
        assert_true(disarm_fault());
        expect_rows(ROWS + 2);
    }
}

static struct {
    const char *call;
    enum fault_kind kind;
    int reason;
} next_fault;

static void arm_next(void)
{
    arm_fault_for(next_fault.call, next_fault.kind, 1, next_fault.reason);
}

/* Two calls fail, one after the other. */
static void arm_two(const char *call, int reason, const char *other, enum fault_kind kind, int other_reason)
{
    next_fault.call = other;
    next_fault.kind = kind;
    next_fault.reason = other_reason;
    act_before(other, strcmp(call, other) == 0 ? 2 : 1, arm_next);
    arm_fault_for(call, FAULT_ONCE, 1, reason);
}

/* File systems without any locks: their users take turns by other means. What else fails is an error. */
static void test_file_systems_without_locks(void **state)
{
    static const int reasons[] = {EINVAL, ENOLCK, ENOSYS, EOPNOTSUPP};
    (void)state;
    for (size_t i = 0; i < COUNT(reasons); i++) {
        for (size_t c = 0; c < COUNT(changers); c++) {
            save_rows("a.npy", ROWS);
            int other = lock_elsewhere();
            arm_two("fcntl", reasons[i], "flock", FAULT_ONCE, reasons[i]);
            expect_ok(changers[c].run(0), &error);
            assert_true(disarm_fault());
            (void)close(other);
        }
    }
    save_rows("a.npy", ROWS);
    arm_two("fcntl", ENOLCK, "flock", FAULT_ONCE, EIO);
    expect_failure(append_row(0), &error, SNPY_IO_ERROR, "flock");
    assert_true(disarm_fault() && strcmp(error.call, "flock") == 0 && error.system_error == EIO);
    arm_two("fcntl", ENOLCK, "flock", FAULT_SIGNAL, 0);
    expect_ok(append_row(0), &error);
    assert_true(disarm_fault());
    expect_rows(ROWS + 1);
}

/* --- files that may not be written to ------------------------------------------------------------------------ */

/* A file that can be replaced though it cannot be opened for writing is locked against those that write to it, if it can
 * be read; one that cannot be opened at all is replaced as it is. Other reasons are failures. */
static void test_targets_that_cannot_be_written_to(void **state)
{
    static const int reasons[] = {EACCES, EPERM, EROFS, ETXTBSY};
    struct flock reading = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    (void)state;
    for (size_t i = 0; i < COUNT(reasons); i++) {
        save_rows("a.npy", ROWS);
        int other = lock_elsewhere();
        arm_fault_for("open", FAULT_ONCE, 1, reasons[i]);
        pretend_to_sleep();
        expect_failure(save_row(0), &error, SNPY_LOCKED, "it is written to");
        assert_true(disarm_fault() && pretended_sleep() == 10000);
        assert_int_equal(fcntl(other, F_OFD_SETLK, &reading), 0);
        arm_fault_for("open", FAULT_ONCE, 1, reasons[i]);
        expect_ok(save_row(0), &error);
        assert_true(disarm_fault());
        (void)close(other);
        save_rows("a.npy", ROWS);
        other = lock_elsewhere();
        arm_two("open", reasons[i], "open", FAULT_ONCE, reasons[i]);
        expect_ok(save_row(0), &error);
        assert_true(disarm_fault());
        (void)close(other);
        arm_fault_for("open", FAULT_ONCE, 1, reasons[i]);
        expect_failure(append_row(0), &error, SNPY_IO_ERROR, "append");
        assert_true(disarm_fault() && strcmp(error.call, "open") == 0 && error.system_error == reasons[i]);
    }
    arm_fault_for("open", FAULT_ONCE, 1, EMFILE);
    expect_failure(save_row(0), &error, SNPY_IO_ERROR, "save");
    assert_true(disarm_fault() && strcmp(error.call, "open") == 0 && error.system_error == EMFILE);
}

static int set_up_locks(void **state)
{
    rows = make_data(ROWS * ROW, 1);
    return set_up(state);
}

static int tear_down_locks(void **state)
{
    free(rows);
    return tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_lock_is_waited_for),
        cmocka_unit_test(test_a_lock_is_granted_when_it_is_free),
        cmocka_unit_test(test_waiting_goes_on_after_a_signal),
        cmocka_unit_test(test_a_file_that_is_replaced_meanwhile),
        cmocka_unit_test(test_a_file_that_is_removed_meanwhile),
        cmocka_unit_test(test_a_lock_survives_another_descriptor),
        cmocka_unit_test(test_a_child_keeps_no_lock),
        cmocka_unit_test(test_threads_take_turns),
        cmocka_unit_test(test_flock_where_descriptions_have_no_locks),
        cmocka_unit_test(test_file_systems_without_locks),
        cmocka_unit_test(test_targets_that_cannot_be_written_to),
    };
    return cmocka_run_group_tests(tests, set_up_locks, tear_down_locks);
}
