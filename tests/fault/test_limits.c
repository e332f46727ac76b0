/* test_limits.c: data that are larger than the limit are refused before memory is asked for or anything is mapped: the
 * first call that would do so is armed to fail, and never made.               NPY-DATA-004, NPY-LIMIT-003, NPZ-NPY-004 */
#include "tests/fault/wrap.h"
#ifdef SNPY_ARCHIVES
#include "safenpy/archive_write.h"
#endif
#include "tests/unit/files.h"

#define SIZE ((uint64_t)8 << 20) /* many bytes: they get pages of their own, by mmap */

static uint8_t *data;
static snpy_io_error error;

static int make_all(void **state)
{
    data = make_data(SIZE, 1);
    return set_up(state);
}

static int free_all(void **state)
{
    free(data);
    return tear_down(state);
}

static void describe_bytes(struct made *made)
{
    const uint64_t shape[1] = {SIZE};
    make(made, 'u', 1, false, 1, shape);
}

static const char *save_bytes(void)
{
    const char *path = in_work("large.npy");
    struct made made;
    describe_bytes(&made);
    expect_ok(snpy_save(path, &made.description, data, SIZE, &error), &error);
    return path;
}

static snpy_options at_most(uint64_t bytes)
{
    snpy_options limits = SNPY_OPTIONS_INIT;
    limits.max_data_bytes = bytes;
    return limits;
}

/* A way to come by an array: fills it under a limit. */
typedef snpy_status get_array(const void *from, const snpy_options *limits, snpy_array *array);

/* Lets the call of that number fail while an array is got. It must be made if the data are as large as the limit, and
 * not if they are larger. */
static void expect_refused_before(const char *call, unsigned number, get_array *get, const void *from)
{
    const snpy_options enough = at_most(SIZE);
    const snpy_options small = at_most(SIZE - 1);
    snpy_array array;
    arm_fault_for(call, FAULT_ONCE, number, ENOMEM);
    snpy_status status = get(from, &enough, &array);
    expect_that(disarm_fault() && status != SNPY_OK, "%s was not called, or to no avail\n", call);
    snpy_array_release(&array);
    arm_fault_for(call, FAULT_ONCE, number, ENOMEM);
    status = get(from, &small, &array);
    expect_that(!disarm_fault(), "%s was called for data that are refused\n", call);
    expect_failure(status, &error, SNPY_DATA_TOO_LARGE, "a byte less");
    assert_int_equal(error.error.offset, 128);
    assert_true(array.data == NULL && array.base_ == NULL);
    snpy_array_release(&array);
}

/* --- files ------------------------------------------------------------------------------------------------------- */

static snpy_status load_path(const void *from, const snpy_options *limits, snpy_array *array)
{
    const snpy_load_options how = {.size = sizeof(snpy_load_options), .limits = limits};
    return snpy_load(from, &how, array, &error);
}

static snpy_status map_path(const void *from, const snpy_options *limits, snpy_array *array)
{
    const snpy_load_options how = {.size = sizeof(snpy_load_options), .limits = limits};
    return snpy_map(from, SNPY_MAP_READ, &how, array, &error);
}

/* From a pipe that has the header and the first of the data, and whose other end is closed. */
static snpy_status load_pipe(const void *from, const snpy_options *limits, snpy_array *array)
{
    const snpy_load_options how = {.size = sizeof(snpy_load_options), .limits = limits};
    const size_t sent = 4096;
    uint8_t rest[4096];
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], from, sent) != (ssize_t)sent) abort();
    (void)close(ends[1]);
    snpy_status status = snpy_load_descriptor(ends[0], &how, array, &error);
    if (status == SNPY_DATA_TOO_LARGE) /* and nothing behind the header was read */
        expect_that(read(ends[0], rest, sizeof rest) == (ssize_t)sent - 128, "data that are refused were read\n");
    (void)close(ends[0]);
    return status;
}

static void test_a_limit_comes_before_memory(void **state)
{
    const char *path = save_bytes();
    size_t length = 0;
    uint8_t *file = read_file(path, &length);
    (void)state;
    assert_non_null(file);
    expect_refused_before("mmap", 1, load_path, path);
    expect_refused_before("mmap", 1, map_path, path);
    expect_refused_before("realloc", 3, load_pipe, file); /* two are the header's */
    free(file);
    (void)count_files(true);
}

/* The array that an append would lengthen. */
static void test_a_limit_comes_before_an_append(void **state)
{
    const char *path = save_bytes();
    const snpy_options small = at_most(SIZE - 1);
    const snpy_append_options how = {.size = sizeof(snpy_append_options), .limits = &small};
    struct made made;
    (void)state;
    describe_bytes(&made);
    made.header.shape[0] = 1;
    record_calls();
    expect_failure(snpy_append(path, &made.description, data, 1, &how, &error), &error, SNPY_DATA_TOO_LARGE, "append");
    const char *calls = recorded_calls();
    expect_that(strstr(calls, "write") == NULL && strstr(calls, "ftruncate") == NULL, "%s\n", calls);
    (void)count_files(true);
}

/* --- members ----------------------------------------------------------------------------------------------------- */

#ifdef SNPY_ARCHIVES
/* An archive, and how its first member is got. */
struct place {
    const char *path;
    bool is_map;
};

static snpy_status get_member(const void *from, const snpy_options *limits, snpy_array *array)
{
    const struct place *place = from;
    snpy_archive_options options = SNPY_ARCHIVE_OPTIONS_INIT;
    snpy_archive *archive;
    options.limits = limits;
    expect_ok(snpy_archive_open(place->path, &options, &archive, &error), &error);
    snpy_status status = place->is_map ? snpy_archive_map(archive, 0, SNPY_MAP_READ, true, array, &error)
                                       : snpy_archive_load(archive, 0, NULL, array, &error);
    snpy_archive_close(&archive);
    return status;
}

/* What the header of a member claims counts, not how long the member is, which is judged after it. */
static void test_a_limit_holds_for_each_member(void **state)
{
    const char *path = in_work("large.npz");
    const struct place places[] = {{path, false}, {path, true}};
    struct made made;
    (void)state;
    for (uint32_t level = 0; level < 2; level++) {
        snpy_archive_write_options options = SNPY_ARCHIVE_WRITE_OPTIONS_INIT;
        snpy_archive_writer *writer;
        options.level = level;
        describe_bytes(&made);
        expect_ok(snpy_archive_writer_open(&writer, path, &options, &error), &error);
        expect_ok(snpy_archive_writer_add(writer, "large", &made.description, data, SIZE, &error), &error);
        expect_ok(snpy_archive_writer_finish(&writer, &error), &error);
        expect_refused_before("mmap", 1, get_member, &places[0]);
        if (level == 0) expect_refused_before("mmap", 1, get_member, &places[1]);
    }
    (void)count_files(true);
}

/* A member of a few bytes whose header claims more than there is: first the limit, then the bytes that are missing. */
static void test_a_claim_is_held_against_the_limit(void **state)
{
    const char *path = in_work("claim.npz");
    const struct place place = {path, false};
    const snpy_options limits[] = {at_most(SIZE - 1), at_most(SIZE)};
    const snpy_status statuses[] = {SNPY_DATA_TOO_LARGE, SNPY_TRUNCATED_DATA};
    size_t length = 0;
    uint8_t *file = read_file(save_bytes(), &length);
    snpy_archive_writer *writer;
    (void)state;
    assert_non_null(file);
    expect_ok(snpy_archive_writer_open(&writer, path, NULL, &error), &error);
    expect_ok(snpy_archive_writer_begin_bytes(writer, "large.npy", 200, &error), &error);
    expect_ok(snpy_archive_writer_put(writer, file, 200, &error), &error);
    expect_ok(snpy_archive_writer_end(writer, &error), &error);
    expect_ok(snpy_archive_writer_finish(&writer, &error), &error);
    for (size_t i = 0; i < COUNT(limits); i++) {
        snpy_array array;
        arm_fault_for("mmap", FAULT_ONCE, 1, ENOMEM);
        snpy_status status = get_member(&place, &limits[i], &array);
        assert_false(disarm_fault());
        expect_failure(status, &error, statuses[i], "claim");
        assert_string_equal(error.member, "large.npy");
        snpy_array_release(&array);
    }
    free(file);
    (void)count_files(true);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_limit_comes_before_memory),
        cmocka_unit_test(test_a_limit_comes_before_an_append),
#ifdef SNPY_ARCHIVES
        cmocka_unit_test(test_a_limit_holds_for_each_member),
        cmocka_unit_test(test_a_claim_is_held_against_the_limit),
#endif
    };
    return cmocka_run_group_tests_name("limits", tests, make_all, free_all);
}
