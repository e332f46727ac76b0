/* test_threads.c: what the headers call thread-safe, by many threads at once; tools/check.py runs it under ThreadSanitizer.
 *                                                                               HOST-IO, API-ARCHIVE, NPZ-LIMIT-003
 * cmocka is for one thread: the others count what went wrong, and the test looks at their numbers when they are done. */
#include <pthread.h>

#include "safenpy/archive.h"
#include "safenpy/archive_write.h"
#include "tests/unit/files.h"

#define THREADS 8u
#define ROUNDS 60u
#define ROWS 5u

/* What one thread does, and what came of it. */
struct worker {
    pthread_t thread;
    unsigned number;
    void (*work)(struct worker *worker);
    const void *shared; /* for all of them to read */
    char path[1024];
    size_t good;
    size_t bad;
    int reason; /* errno of what went wrong last */
};

static void *run(void *argument)
{
    struct worker *worker = argument;
    worker->work(worker);
    return NULL;
}

/* Counts a call. */
static bool note(struct worker *worker, snpy_status status, const snpy_io_error *error)
{
    if (status == SNPY_OK) {
        worker->good++;
        return true;
    }
    worker->bad++;
    worker->reason = error->system_error;
    return false;
}

static void start(struct worker *workers, const char *suffix, void (*work)(struct worker *worker), const void *shared)
{
    memset(workers, 0, THREADS * sizeof *workers);
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].number = i;
        workers[i].work = work;
        workers[i].shared = shared;
        (void)snprintf(workers[i].path, sizeof workers[i].path, "%s/%u%s", work_directory, i, suffix);
        if (pthread_create(&workers[i].thread, NULL, run, &workers[i]) != 0) abort();
    }
}

static void join(struct worker *workers)
{
    for (unsigned i = 0; i < THREADS; i++)
        if (pthread_join(workers[i].thread, NULL) != 0) abort();
}

/* All calls of all threads must have succeeded. */
static void expect_all_good(const struct worker *workers)
{
    for (unsigned i = 0; i < THREADS; i++)
        expect_that(workers[i].bad == 0 && workers[i].good > 0, "thread %u: %zu calls failed: %s\n", i, workers[i].bad,
                    strerror(workers[i].reason));
}

/* --- files ------------------------------------------------------------------------------------------------------- */

/* Writes an array to a path, a row at a time, and gives up every third. */
static void write_once(struct worker *worker, const char *path, unsigned round)
{
    const uint8_t *data = worker->shared;
    struct made made;
    snpy_writer *writer;
    snpy_io_error error;
    make_rows(&made, 0);
    if (!note(worker, snpy_writer_open(&writer, path, &made.description, true, &error), &error)) return;
    for (unsigned i = 0; i < ROWS; i++)
        (void)note(worker, snpy_writer_add(writer, data + (size_t)i * ROW, ROW, &error), &error);
    if (round % 3 == 2)
        snpy_writer_abandon(&writer);
    else
        (void)note(worker, snpy_writer_finish(&writer, &error), &error);
}

static void write_own(struct worker *worker)
{
    for (unsigned round = 0; round < ROUNDS; round++) write_once(worker, worker->path, round);
}

static void write_shared(struct worker *worker)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/shared.npy", work_directory);
    for (unsigned round = 0; round < ROUNDS; round++) write_once(worker, path, round);
}

static void test_many_threads_create_and_finish_writers(void **state)
{
    struct worker workers[THREADS];
    uint8_t *data = make_data((size_t)ROWS * ROW, 1);
    (void)state;
    start(workers, ".npy", write_own, data);
    join(workers);
    expect_all_good(workers);
    for (unsigned i = 0; i < THREADS; i++) expect_file(workers[i].path, 0, ROWS, data, (size_t)ROWS * ROW);
    assert_true(count_files(true) == THREADS);
    start(workers, ".npy", write_shared, data);
    join(workers);
    expect_all_good(workers);
    expect_file(in_work("shared.npy"), 0, ROWS, data, (size_t)ROWS * ROW);
    assert_true(count_files(true) == 1);
    free(data);
}

/* Appends a row at a time. Counts what took effect. */
static void append_own(struct worker *worker)
{
    struct made made;
    snpy_io_error error;
    make_rows(&made, 1);
    for (unsigned round = 0; round < ROUNDS; round++)
        (void)note(worker, snpy_append(worker->path, &made.description, worker->shared, ROW, NULL, &error), &error);
}

/* Saves an array of one row for each thread that will append to it. */
static void save_for_all(const uint8_t *data)
{
    struct made made;
    snpy_io_error error;
    make_rows(&made, 1);
    for (unsigned i = 0; i < THREADS; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%u.npy", i);
        expect_ok(snpy_save(in_work(name), &made.description, data, ROW, &error), &error);
    }
}

/* Each file must hold the row that it began with, and one for each append that succeeded. */
static void expect_appended(const struct worker *workers)
{
    for (unsigned i = 0; i < THREADS; i++) {
        const snpy_load_options how = {.size = sizeof(snpy_load_options), .no_trailing = true};
        snpy_array array;
        snpy_io_error error;
        expect_ok(snpy_load(workers[i].path, &how, &array, &error), &error);
        expect_that(array.header.shape[0] == 1 + workers[i].good, "thread %u: %llu rows, and %zu appended\n", i,
                    (unsigned long long)array.header.shape[0], workers[i].good);
        snpy_array_release(&array);
    }
}

static void test_many_threads_append(void **state)
{
    struct worker workers[THREADS];
    uint8_t *data = make_data(ROW, 2);
    (void)state;
    save_for_all(data);
    start(workers, ".npy", append_own, data);
    join(workers);
    expect_all_good(workers);
    expect_appended(workers);
    assert_true(count_files(true) == THREADS);
    free(data);
}

/* --- a handler beside them ----------------------------------------------------------------------------------------- */

static int is_over; /* atomic */

/* What the handler of a signal does, again and again. */
static void *remove_all(void *argument)
{
    (void)argument;
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) snpy_remove_temporaries();
    return NULL;
}

/* Lets all threads work while another one removes what they have not finished. */
static void work_beside_a_handler(struct worker *workers, void (*work)(struct worker *worker), const void *shared)
{
    pthread_t handler;
    __atomic_store_n(&is_over, 0, __ATOMIC_RELEASE);
    if (pthread_create(&handler, NULL, remove_all, NULL) != 0) abort();
    start(workers, ".npy", work, shared);
    join(workers);
    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
    if (pthread_join(handler, NULL) != 0) abort();
}

/* Files are removed under their writers, which report it; whatever is there at the end is whole. */
static void test_a_handler_beside_writers(void **state)
{
    struct worker workers[THREADS];
    uint8_t *data = make_data((size_t)ROWS * ROW, 3);
    size_t there = 0;
    (void)state;
    work_beside_a_handler(workers, write_own, data);
    for (unsigned i = 0; i < THREADS; i++) {
        expect_that(workers[i].bad == 0 || workers[i].reason == ENOENT, "thread %u: %s\n", i,
                    strerror(workers[i].reason));
        if (access(workers[i].path, F_OK) != 0) continue;
        expect_file(workers[i].path, 0, ROWS, data, (size_t)ROWS * ROW);
        there++;
    }
    assert_true(count_files(true) == there);
    free(data);
}

/* A file is cut under its appender, which reports it: never does a header declare rows that are not there. */
static void test_a_handler_beside_appenders(void **state)
{
    struct worker workers[THREADS];
    uint8_t *data = make_data(ROW, 4);
    (void)state;
    save_for_all(data);
    work_beside_a_handler(workers, append_own, data);
    for (unsigned i = 0; i < THREADS; i++)
        expect_that(workers[i].bad == 0 || workers[i].reason == EINTR, "thread %u: %s\n", i,
                    strerror(workers[i].reason));
    expect_appended(workers);
    assert_true(count_files(true) == THREADS);
    free(data);
}

/* --- archives ------------------------------------------------------------------------------------------------------ */

#ifdef SNPY_ARCHIVES
#define MEMBERS 4u
#define MEMBER_ROWS 20000u /* more than is inflated at once by zlib alone */

/* Writes an archive of equal arrays, deflated by several threads unless `level` is 0. */
static void write_archive(struct worker *worker, const char *path, uint32_t level)
{
    snpy_archive_write_options options = SNPY_ARCHIVE_WRITE_OPTIONS_INIT;
    struct made made;
    snpy_archive_writer writer;
    snpy_io_error error;
    options.level = level;
    options.threads = 3;
    make_rows(&made, MEMBER_ROWS);
    if (!note(worker, snpy_archive_writer_open(&writer, path, &options, &error), &error)) return;
    for (unsigned i = 0; i < MEMBERS; i++) {
        const char key[2] = {(char)('a' + i), '\0'};
        (void)note(worker,
                   snpy_archive_writer_add(&writer, key, &made.description, worker->shared, MEMBER_ROWS * ROW, &error),
                   &error);
    }
    (void)note(worker, snpy_archive_writer_finish(&writer, &error), &error);
}

static void write_own_archive(struct worker *worker)
{
    for (uint32_t level = 0; level < 2; level++) write_archive(worker, worker->path, level);
}

/* What the threads that read share. */
struct shared_archive {
    snpy_archive *archive;
    const uint8_t *data;
};

/* An array must have been loaded. */
static void expect_loaded(struct worker *worker, snpy_array *array)
{
    const struct shared_archive *shared = worker->shared;
    if (array->data_size != MEMBER_ROWS * ROW || memcmp(array->data, shared->data, MEMBER_ROWS * ROW) != 0)
        worker->bad++;
    snpy_array_release(array);
}

/* Reads all members of an archive that others read, too, in every way; with further threads in the end. */
static void read_shared_archive(struct worker *worker)
{
    const struct shared_archive *shared = worker->shared;
    size_t indices[MEMBERS];
    snpy_array arrays[MEMBERS];
    snpy_io_error errors[MEMBERS];
    for (size_t i = 0; i < MEMBERS; i++) {
        bool is_array = false;
        indices[i] = (i + worker->number) % MEMBERS;
        snpy_status status = snpy_archive_load(shared->archive, indices[i], NULL, &arrays[i], &errors[i]);
        if (note(worker, status, &errors[i])) expect_loaded(worker, &arrays[i]);
        status = snpy_archive_check(shared->archive, indices[i], &is_array, &arrays[i], &errors[i]);
        if (note(worker, status, &errors[i])) snpy_array_release(&arrays[i]);
        if (shared->archive->members[indices[i]].method != SNPY_ZIP_STORED) continue;
        status = snpy_archive_map(shared->archive, indices[i], SNPY_MAP_READ, false, &arrays[i], &errors[i]);
        if (note(worker, status, &errors[i])) expect_loaded(worker, &arrays[i]);
    }
    (void)note(worker, snpy_archive_load_several(shared->archive, indices, MEMBERS, 2 * MEMBERS, arrays, errors),
               &errors[0]);
    for (size_t i = 0; i < MEMBERS; i++) expect_loaded(worker, &arrays[i]);
}

static void test_many_threads_write_archives(void **state)
{
    struct worker workers[THREADS];
    uint8_t *data = make_data(MEMBER_ROWS * ROW, 5);
    size_t length = 0;
    (void)state;
    start(workers, ".npz", write_own_archive, data);
    join(workers);
    expect_all_good(workers);
    uint8_t *first = read_file(workers[0].path, &length);
    assert_non_null(first);
    for (unsigned i = 1; i < THREADS; i++) expect_bytes(workers[i].path, first, length);
    assert_true(count_files(true) == THREADS);
    free(first);
    free(data);
}

static void test_many_threads_read_one_archive(void **state)
{
    struct worker workers[THREADS];
    struct worker author = {.path = ""};
    uint8_t *data = make_data(MEMBER_ROWS * ROW, 6);
    const char *path = in_work("shared.npz");
    snpy_archive archive;
    snpy_io_error error;
    struct shared_archive shared = {&archive, data};
    (void)state;
    author.shared = data;
    for (uint32_t level = 0; level < 2; level++) {
        write_archive(&author, path, level);
        assert_true(author.bad == 0);
        expect_ok(snpy_archive_open(path, NULL, &archive, &error), &error);
        start(workers, ".npz", read_shared_archive, &shared);
        join(workers);
        expect_all_good(workers);
        snpy_archive_close(&archive);
    }
    (void)count_files(true);
    free(data);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_threads_create_and_finish_writers),
        cmocka_unit_test(test_many_threads_append),
        cmocka_unit_test(test_a_handler_beside_writers),
        cmocka_unit_test(test_a_handler_beside_appenders),
#ifdef SNPY_ARCHIVES
        cmocka_unit_test(test_many_threads_write_archives),
        cmocka_unit_test(test_many_threads_read_one_archive),
#endif
    };
    return cmocka_run_group_tests_name("threads", tests, set_up, tear_down);
}
