/* test_archive_callback.c: archives that a function of the caller's reads, with and without deferred local headers.
 *                                                    API-ARCHIVE, HOST-IO, HOST-CHANGED, NPZ-LOCAL, NPZ-DESC, NPZ-PLACE
 * Every archive of the corpus is opened from memory and by a function, and must get the same verdict. */
#include <errno.h>
#include <glob.h>

#include "tests/unit/zips.h"

/* The bytes of an archive, and what was asked of them. */
struct store {
    const uint8_t *bytes;
    size_t length;
    size_t most;   /* bytes of one answer at most; 0: all that is asked for */
    uint64_t from; /* the answer is `failure` from this offset on, if that is not 0 */
    int64_t failure;
    size_t calls;
    uint64_t asked; /* bytes */
};

static int64_t read_store(void *context, uint64_t offset, size_t length, void *out)
{
    struct store *store = context;
    store->calls++;
    store->asked += length;
    if (store->failure != 0 && offset + length > store->from) return store->failure;
    if (offset >= store->length) return 0;
    size_t there = store->length - (size_t)offset;
    size_t given = length < there ? length : there;
    if (store->most > 0 && given > store->most) given = store->most;
    memcpy(out, store->bytes + offset, given);
    return (int64_t)given;
}

static snpy_status open_store(struct store *store, bool defer, snpy_archive **archive, snpy_io_error *error)
{
    snpy_archive_options how = SNPY_ARCHIVE_OPTIONS_INIT;
    how.defer_local = defer;
    return snpy_archive_open_callback(store->length, read_store, store, &how, archive, error);
}

/* Whether every member has the same bytes, or the same reason why not, in both. */
static void expect_same_members(const char *name, const snpy_archive *one, const snpy_archive *other)
{
    assert_true(snpy_archive_count(one) == snpy_archive_count(other));
    for (size_t i = 0; i < snpy_archive_count(one); i++) {
        const uint64_t size = snpy_archive_member(one, i)->size;
        if (size > 1000000) continue; /* one that lies */
        uint8_t *a = allocate((size_t)size + 1);
        uint8_t *b = allocate((size_t)size + 1);
        snpy_io_error first;
        snpy_io_error second;
        const snpy_status status = snpy_archive_read(one, i, a, size, &first);
        expect_that(snpy_archive_read(other, i, b, size, &second) == status &&
                        first.error.offset == second.error.offset && (status != SNPY_OK || memcmp(a, b, size) == 0),
                    "%s: member %zu: %s, %s", name, i, snpy_status_name(status), snpy_status_name(second.error.status));
        free(a);
        free(b);
    }
}

/* Opens an archive with deferred local headers and checks all of them: SNPY_OK, or the first refusal. */
static snpy_status check_each(snpy_archive *archive, snpy_io_error *error)
{
    snpy_status status = SNPY_OK;
    for (size_t i = 0; i < snpy_archive_count(archive) && status == SNPY_OK; i++)
        status = snpy_archive_check_local(archive, i, error);
    return status;
}

static void test_the_corpus_gets_the_same_verdicts(void **state)
{
    size_t accepted = 0;
    size_t refused = 0;
    glob_t found;
    (void)state;
    assert_int_equal(glob("corpus/archives/*/*/*.npz", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *name = found.gl_pathv[i];
        struct store store = {.bytes = NULL, .most = i % 3 == 0 ? 7 : 0};
        snpy_archive *archive = NULL;
        snpy_archive *memory = NULL;
        snpy_io_error error;
        snpy_io_error expected;
        uint8_t *bytes = read_file(name, &store.length);
        store.bytes = bytes;
        const snpy_status status = snpy_archive_open_memory(store.bytes, store.length, NULL, &memory, &expected);
        expect_that(open_store(&store, false, &archive, &error) == status &&
                        error.error.offset == expected.error.offset && strcmp(error.member, expected.member) == 0,
                    "%s: %s in memory, %s by a function", name, snpy_status_name(status),
                    snpy_status_name(error.error.status));
        if (status == SNPY_OK) expect_same_members(name, memory, archive);
        snpy_archive_close(&archive);
        snpy_status later = open_store(&store, true, &archive, &error);
        if (later == SNPY_OK) later = check_each(archive, &error);
        expect_that((later == SNPY_OK) == (status == SNPY_OK), "%s: %s at once, %s by member at byte %llu", name,
                    snpy_status_name(status), snpy_status_name(later), (unsigned long long)error.error.offset);
        if (later == SNPY_OK) expect_same_members(name, memory, archive);
        accepted += status == SNPY_OK;
        refused += status != SNPY_OK;
        snpy_archive_close(&archive);
        snpy_archive_close(&memory);
        free(bytes);
    }
    print_message("%zu accepted, %zu refused\n", accepted, refused);
    assert_true(accepted > 150 && refused > 200);
    globfree(&found);
}

/* An archive in a store, and what is opened of it. */
struct three {
    uint8_t *data; /* of each member */
    struct zip zip;
    struct store store;
    snpy_archive *archive;
    snpy_io_error error;
};

/* Three stored members "a", "b", "c" of 100,000 bytes each. */
static struct three make_three(void)
{
    struct three three = {.data = make_data(100000, 1)};
    struct entry entries[3] = {stored("a", three.data, 100000), stored("b", three.data, 100000),
                               stored("c", three.data, 100000)};
    three.zip = build(entries, 3, false, "");
    three.store = (struct store){.bytes = three.zip.bytes, .length = three.zip.length};
    return three;
}

static void release_three(struct three *three)
{
    snpy_archive_close(&three->archive);
    free(three->data);
    free(three->zip.bytes);
}

static void test_a_deferred_member_costs_its_own_bytes(void **state)
{
    struct three t = make_three();
    uint8_t *out = allocate(100000);
    uint64_t offset;
    (void)state;
    expect_ok(open_store(&t.store, true, &t.archive, &t.error), &t.error);
    const uint64_t opening = t.store.asked;
    assert_true(t.store.calls == 3 && opening < 4 + 65557 + 20 + 300);
    assert_true(snpy_archive_read(t.archive, 1, out, 100000, &t.error) == SNPY_BAD_ARGUMENT);
    assert_true(t.store.asked == opening);
    assert_int_equal(snpy_archive_locate(t.archive, 1, &offset), -1);
    expect_ok(snpy_archive_check_local(t.archive, 1, &t.error), &t.error);
    assert_true(t.store.asked - opening < 200);
    const uint64_t checked = t.store.asked;
    expect_ok(snpy_archive_check_local(t.archive, 1, &t.error), &t.error);
    assert_true(t.store.asked == checked); /* it is known already */
    expect_ok(snpy_archive_read(t.archive, 1, out, 100000, &t.error), &t.error);
    assert_true(t.store.asked == checked + 100000 && memcmp(out, t.data, 100000) == 0);
    assert_true(snpy_archive_check_local(t.archive, 3, &t.error) == SNPY_BAD_ARGUMENT);
    assert_true(snpy_archive_check_local(NULL, 0, &t.error) == SNPY_BAD_ARGUMENT);
    free(out);
    release_three(&t);
}

static void test_what_the_function_may_return(void **state)
{
    struct three t = make_three();
    const struct {
        int64_t failure;
        int number;
    } cases[] = {{-EACCES, EACCES}, {INT64_MIN, EIO}, {INT64_MAX, EIO}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        t.store.failure = cases[i].failure;
        assert_true(open_store(&t.store, false, &t.archive, &t.error) == SNPY_IO_ERROR && t.archive == NULL);
        assert_true(t.error.system_error == cases[i].number && strcmp(t.error.call, "callback") == 0);
        t.store.failure = 0;
        expect_ok(open_store(&t.store, true, &t.archive, &t.error), &t.error);
        t.store.failure = cases[i].failure; /* from now on */
        assert_true(snpy_archive_check_local(t.archive, 0, &t.error) == SNPY_IO_ERROR);
        t.store.failure = 0;
        expect_ok(snpy_archive_check_local(t.archive, 0, &t.error), &t.error); /* a failure is no verdict */
        snpy_archive_close(&t.archive);
    }
    assert_true(snpy_archive_open_callback(t.store.length + 1, read_store, &t.store, NULL, &t.archive, &t.error) ==
                SNPY_FILE_CHANGED); /* the source ends one byte before its size */
    release_three(&t);
}

static void test_a_source_that_becomes_shorter(void **state)
{
    struct three t = make_three();
    uint8_t *out = allocate(100000);
    (void)state;
    expect_ok(open_store(&t.store, false, &t.archive, &t.error), &t.error);
    t.store.length = 150000; /* within b */
    assert_true(snpy_archive_read(t.archive, 1, out, 100000, &t.error) == SNPY_FILE_CHANGED);
    expect_ok(snpy_archive_read(t.archive, 0, out, 100000, &t.error), &t.error);
    free(out);
    release_three(&t);
}

static void test_options_and_maps(void **state)
{
    struct three t = make_three();
    snpy_archive_options how = SNPY_ARCHIVE_OPTIONS_INIT;
    snpy_array array;
    (void)state;
    how.strict = how.defer_local = true;
    assert_true(snpy_archive_open_callback(t.store.length, read_store, &t.store, &how, &t.archive, &t.error) ==
                SNPY_BAD_ARGUMENT);
    expect_ok(open_store(&t.store, false, &t.archive, &t.error), &t.error);
    assert_true(snpy_archive_map(t.archive, 0, SNPY_MAP_READ, true, &array, &t.error) == SNPY_BAD_ARGUMENT);
    snpy_array_release(&array);
    release_three(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_corpus_gets_the_same_verdicts),
        cmocka_unit_test(test_a_deferred_member_costs_its_own_bytes),
        cmocka_unit_test(test_what_the_function_may_return),
        cmocka_unit_test(test_a_source_that_becomes_shorter),
        cmocka_unit_test(test_options_and_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
