/* test_kill.c: processes that are killed while they save and append.                         HOST-IO, NPY-WRITE-012
 *
 * A child saves, or appends to, one file over and over and says how often it is done; after some time it is killed
 * (SIGKILL). The file is then what it was before the last call or what it was to be after it, and `check` accepts
 * it. What a killed process leaves beside it, a temporary file or bytes after the data, is in nobody's way. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "host/host.h"
#include "tests/unit/files.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#define KILLS 200u
#define CHUNK_ROWS 300u /* rows of one append */

/* How many calls the child has completed. */
static volatile uint64_t *done;

/* The bytes of row number i, in the file of that seed. */
static void fill_rows(uint8_t *rows, uint64_t first, uint64_t count, uint64_t seed)
{
    for (uint64_t i = 0; i < count * ROW; i++) rows[i] = (uint8_t)((first * ROW + i) * 13 + seed * 101 + (i >> 9));
}

/* The rows of the file that is saved in a turn: never the same number twice in a row. */
static uint64_t rows_of_turn(uint64_t turn)
{
    return 1 + turn * 37 % 5000;
}

static void save_turn(const char *path, uint64_t turn)
{
    static uint8_t rows[5001 * ROW];
    struct made made;
    snpy_io_error error;
    uint64_t count = rows_of_turn(turn);
    fill_rows(rows, 0, count, turn);
    make_rows(&made, count);
    if (snpy_save(path, &made.description, rows, count * ROW, &error) != SNPY_OK) _exit(1);
}

static void append_turn(const char *path, uint64_t turn)
{
    static uint8_t rows[CHUNK_ROWS * ROW];
    const snpy_append_options drop = {.size = sizeof(snpy_append_options), .drop_trailing = true};
    struct made made;
    snpy_io_error error;
    fill_rows(rows, 0, CHUNK_ROWS, turn);
    make_rows(&made, CHUNK_ROWS);
    if (snpy_append(path, &made.description, rows, sizeof rows, &drop, &error) != SNPY_OK) _exit(1);
}

/* Lets a child work from a turn on, and kills it at some time. Returns the number of the turn that was cut off. */
static uint64_t work_and_kill(void (*work)(const char *path, uint64_t turn), const char *path, uint64_t turn,
                              unsigned *seed)
{
    int result = 0;
    *done = turn;
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        for (;; turn++) {
            work(path, turn);
            *done = turn + 1;
        }
    }
    *seed = *seed * 1103515245u + 12345u;
    struct timespec pause = {0, 1000L * (long)(*seed / 65536u % 8000u)};
    (void)nanosleep(&pause, NULL);
    (void)kill(child, SIGKILL);
    assert_true(waitpid(child, &result, 0) == child);
    expect_that(WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL, "the child has failed by itself: %d\n", result);
    return *done;
}

/* What `check` says of a file. */
static void expect_accepted(const char *path)
{
    snpy_options limits = SNPY_OPTIONS_INIT;
    snpy_file file;
    snpy_status status = snpy_check_file(path, &limits, true, &file);
    expect_that(status == SNPY_OK, "%s\n", snpy_status_name(status));
    snpy_array_release(&file.head);
}

static void test_save(void **state)
{
    const char *path = in_work("saved.npy");
    uint8_t *rows = allocate(5001 * ROW);
    uint64_t turn = 1;
    unsigned seed = 1;
    (void)state;
    save_turn(path, 0);
    for (unsigned i = 0; i < KILLS; i++) {
        const snpy_load_options strict = {.size = sizeof(snpy_load_options), .no_trailing = true};
        snpy_array array;
        snpy_io_error error;
        turn = work_and_kill(save_turn, path, turn, &seed);
        expect_accepted(path);
        expect_ok(snpy_load(path, &strict, &array, &error), &error);
        bool is_new = array.header.shape[0] == rows_of_turn(turn); /* the call was killed behind the rename */
        uint64_t found = is_new ? turn : turn - 1;
        expect_that(array.header.shape[0] == rows_of_turn(found), "neither old nor new: %llu rows\n",
                    (unsigned long long)array.header.shape[0]);
        fill_rows(rows, 0, rows_of_turn(found), found);
        assert_memory_equal(array.data, rows, array.data_size);
        snpy_array_release(&array);
        turn = found + 1;
    }
    print_message("%u kills, %llu files saved, %zu temporary files left\n", KILLS, (unsigned long long)turn,
                  count_files(false) - 1);
    (void)count_files(true);
    free(rows);
}

static void test_append(void **state)
{
    const char *path = in_work("grown.npy");
    uint8_t *rows = allocate(CHUNK_ROWS * ROW);
    uint64_t turn = 0;
    unsigned seed = 2;
    size_t with_rest = 0;
    struct made made;
    snpy_io_error error;
    (void)state;
    make_rows(&made, 0);
    expect_ok(snpy_save(path, &made.description, NULL, 0, &error), &error);
    for (unsigned i = 0; i < KILLS; i++) {
        snpy_array array;
        struct stat about;
        turn = work_and_kill(append_turn, path, turn, &seed);
        expect_accepted(path);
        expect_ok(snpy_load(path, NULL, &array, &error), &error);
        uint64_t count = array.header.shape[0];
        expect_that(count == turn * CHUNK_ROWS || count == (turn + 1) * CHUNK_ROWS, "neither old nor new: %llu rows\n",
                    (unsigned long long)count);
        turn = count / CHUNK_ROWS;
        for (uint64_t k = 0; k < turn; k++) {
            fill_rows(rows, 0, CHUNK_ROWS, k);
            assert_memory_equal(array.data + k * CHUNK_ROWS * ROW, rows, CHUNK_ROWS * ROW);
        }
        assert_int_equal(stat(path, &about), 0);
        with_rest += (uint64_t)about.st_size > array.header.frame.data_offset + array.data_size;
        snpy_array_release(&array);
    }
    print_message("%u kills, %llu appends, %zu files with bytes behind their data\n", KILLS, (unsigned long long)turn,
                  with_rest);
    assert_true(count_files(true) == 1);
    free(rows);
}

static int set_up_counter(void **state)
{
    done = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return done == MAP_FAILED ? -1 : set_up(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_save),
        cmocka_unit_test(test_append),
    };
    return cmocka_run_group_tests(tests, set_up_counter, tear_down);
}
