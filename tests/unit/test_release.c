/* test_release.c: what every struct of the public headers promises: it may be released while it is all zeros, twice, and
 * after a call that failed, and nobody else's descriptor or temporary file suffers.        HOST-IO, HOST-MEMORY, API-ARCHIVE
 *
 * Reads include/safenpy, so it is run from the project's root. */
#include "safenpy/archive.h"
#include "safenpy/archive_write.h"
#include "tests/unit/files.h"

#define HEADERS "include/safenpy"

/* --- every function that releases ------------------------------------------------------------------------------ */

static void release_array(void *array)
{
    snpy_array_release(array);
}

static void abandon_writer(void *writer)
{
    snpy_writer_abandon(writer);
}

static void abandon_appender(void *appender)
{
    snpy_appender_abandon(appender);
}

static void close_object_data(void *data)
{
    snpy_object_data_close(data);
}

static void free_object_bytes(void *bytes)
{
    snpy_object_bytes_free(bytes);
}

#ifdef SNPY_ARCHIVES
static void close_archive(void *archive)
{
    snpy_archive_close(archive);
}

static void close_member(void *member)
{
    snpy_member_close(member);
}

static void close_contents(void *contents)
{
    snpy_contents_close(contents);
}

static void abandon_archive_writer(void *writer)
{
    snpy_archive_writer_abandon(writer);
}
#endif

static const struct releaser {
    const char *name;
    size_t size; /* of the struct */
    void (*release)(void *object);
} releasers[] = {
    {"snpy_array_release", sizeof(snpy_array), release_array},
    {"snpy_writer_abandon", sizeof(snpy_writer *), abandon_writer},
    {"snpy_appender_abandon", sizeof(snpy_appender *), abandon_appender},
    {"snpy_object_data_close", sizeof(snpy_object_data *), close_object_data},
    {"snpy_object_bytes_free", sizeof(uint8_t *), free_object_bytes},
#ifdef SNPY_ARCHIVES
    {"snpy_archive_close", sizeof(snpy_archive *), close_archive},
    {"snpy_member_close", sizeof(snpy_member *), close_member},
    {"snpy_contents_close", sizeof(snpy_contents), close_contents},
    {"snpy_archive_writer_abandon", sizeof(snpy_archive_writer *), abandon_archive_writer},
#endif
};

/* Whether the table has a function. */
static bool is_listed(const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT(releasers); i++)
        if (strlen(releasers[i].name) == length && memcmp(releasers[i].name, name, length) == 0) return true;
#ifndef SNPY_ARCHIVES
    if (length > 12 && (memcmp(name, "snpy_archive", 12) == 0 || memcmp(name, "snpy_member_", 12) == 0)) return true;
    if (length > 14 && memcmp(name, "snpy_contents_", 14) == 0) return true;
#endif
    return false;
}

/* Whether a function's name says that it gives something back. */
static bool is_releasing(const char *name, size_t length)
{
    static const char *const words[] = {"release", "close", "abandon", "free", "destroy", "drop"};
    for (size_t i = 0; i < COUNT(words); i++)
        for (size_t at = 0; at + strlen(words[i]) <= length; at++)
            if (memcmp(name + at, words[i], strlen(words[i])) == 0) return true;
    return false;
}

/* Counts the functions of a header that release, each of which must be in the table. */
static size_t count_releasing(const char *path)
{
    size_t length = 0;
    size_t count = 0;
    uint8_t *bytes = read_file(path, &length);
    expect_that(bytes != NULL, "%s cannot be read\n", path);
    char *text = allocate(length + 1);
    memcpy(text, bytes, length);
    text[length] = '\0';
    for (const char *at = strstr(text, "SNPY_API "); at != NULL; at = strstr(at + 1, "SNPY_API ")) {
        const char *name = strstr(at, "snpy_");
        const char *end = strchr(at, '(');
        while (name != NULL && end != NULL && name < end && name + strcspn(name, " (") < end)
            name = strstr(name + 1, "snpy_");
        if (name == NULL || end == NULL || name > end || !is_releasing(name, (size_t)(end - name))) continue;
        expect_that(is_listed(name, (size_t)(end - name)), "%s: %.*s has no test here\n", path, (int)(end - name),
                    name);
        count++;
    }
    free(text);
    free(bytes);
    return count;
}

static void test_every_releasing_function_is_listed(void **state)
{
    size_t count = 0;
    DIR *directory = opendir(HEADERS);
    (void)state;
    expect_that(directory != NULL, "there is no %s: run this from the root of the project\n", HEADERS);
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        char path[sizeof HEADERS + 257];
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".h") != 0) continue;
        (void)snprintf(path, sizeof path, "%s/%s", HEADERS, entry->d_name);
        count += count_releasing(path);
    }
    (void)closedir(directory);
    expect_that(count >= 6, "%zu functions that release\n", count);
}

/* --- zeroed and twice -------------------------------------------------------------------------------------------- */

/* What descriptor 0 was before the tests: it must stay that. */
static struct stat standard_input;

static void expect_standard_input(const char *what)
{
    struct stat now;
    expect_that(fstat(0, &now) == 0 && now.st_dev == standard_input.st_dev && now.st_ino == standard_input.st_ino,
                "%s closed descriptor 0\n", what);
}

/* Releases a struct twice, with descriptor 0 open and another writer's temporary file alive, which a signal's handler
 * must still know afterwards. */
static void release_twice(const char *what, void (*give_back)(void *object), void *object)
{
    struct made made;
    snpy_writer *other;
    snpy_writer *later;
    snpy_io_error error;
    make_rows(&made, 2);
    expect_ok(snpy_writer_open(&other, in_work("other.npy"), &made.description, true, &error), &error);
    give_back(object);
    expect_standard_input(what);
    give_back(object);
    expect_standard_input(what);
    expect_ok(snpy_writer_open(&later, in_work("later.npy"), &made.description, true, &error), &error);
    assert_true(count_files(false) == 2);
    snpy_remove_temporaries();
    expect_that(count_files(true) == 0, "%s: another writer's temporary file was forgotten\n", what);
    snpy_writer_abandon(&other);
    snpy_writer_abandon(&later);
}

static void test_zeroed_structs_are_released(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(releasers); i++) {
        void *object = calloc(1, releasers[i].size); /* of exactly its size: the sanitizer sees more */
        assert_non_null(object);
        release_twice(releasers[i].name, releasers[i].release, object);
        free(object);
    }
}

/* What ends a struct with a result refuses one that was never opened, and releases it. */
static void test_zeroed_structs_are_not_finished(void **state)
{
    snpy_writer *writer = NULL;
    snpy_appender *appender = NULL;
    snpy_io_error error;
    (void)state;
    expect_failure(snpy_writer_add(writer, "a", 1, &error), &error, SNPY_BAD_ARGUMENT, "add");
    expect_failure(snpy_writer_finish(&writer, &error), &error, SNPY_BAD_ARGUMENT, "finish");
    expect_failure(snpy_appender_add(appender, "a", 1, &error), &error, SNPY_BAD_ARGUMENT, "add");
    expect_failure(snpy_appender_announce(appender, NULL, &error), &error, SNPY_BAD_ARGUMENT, "announce");
    assert_true(snpy_writer_written(writer) == 0 && snpy_appender_array(appender) == NULL &&
                snpy_appender_descriptor(appender) < 0);
    snpy_writer_forget_acl(writer);
    expect_failure(snpy_appender_finish(&appender, &error), &error, SNPY_BAD_ARGUMENT, "finish");
    release_twice("finished writer", abandon_writer, &writer);
    release_twice("finished appender", abandon_appender, &appender);
#ifdef SNPY_ARCHIVES
    snpy_archive_writer *archive_writer = NULL;
    expect_failure(snpy_archive_writer_put(archive_writer, "a", 1, &error), &error, SNPY_BAD_ARGUMENT, "put");
    expect_failure(snpy_archive_writer_finish(&archive_writer, &error), &error, SNPY_BAD_ARGUMENT, "finish");
    release_twice("finished archive writer", abandon_archive_writer, &archive_writer);
#endif
}

/* --- after a failed call ----------------------------------------------------------------------------------------- */

/* Fills a struct with what the stack may hold, before a call that fails. */
#define SPOIL(object) memset(&(object), GUARD, sizeof(object))

/* The call must fail, and the struct be empty: released twice without harm. */
#define expect_released(call, release, object)                   \
    do {                                                         \
        SPOIL(object);                                           \
        expect_that((call) != SNPY_OK, "%s succeeded\n", #call); \
        release_twice(#call, release, &(object));                \
    } while (0)

static void test_arrays_are_released_after_failures(void **state)
{
    const char *missing = in_work("missing/a.npy");
    struct made made;
    snpy_array array;
    snpy_array copy;
    snpy_io_error error;
    (void)state;
    make_rows(&made, 2);
    expect_released(snpy_load(missing, NULL, &array, &error), release_array, array);
    expect_released(snpy_load_descriptor(-1, NULL, &array, &error), release_array, array);
    expect_released(snpy_load_memory("no array", 8, NULL, &array, &error), release_array, array);
    expect_released(snpy_map(missing, SNPY_MAP_READ, NULL, &array, &error), release_array, array);
    expect_released(snpy_map(missing, (snpy_map_mode)99, NULL, &array, &error), release_array, array);
    expect_released(snpy_map_create(missing, &made.description, true, &array, &error), release_array, array);
    expect_released(snpy_map_create(missing, &made.description, false, &array, &error), release_array, array);
    make(&made, 'f', 3, false, 1, (const uint64_t[]){2}); /* no such type */
    expect_released(snpy_map_create(missing, &made.description, true, &array, &error), release_array, array);
    memset(&array, 0, sizeof array);
    expect_released(snpy_array_copy(&array, 'X', SNPY_BYTEORDER_LITTLE, &copy, &error), release_array, copy);
    expect_released(snpy_array_copy(&array, 0, SNPY_BYTEORDER_LITTLE, &copy, &error), release_array, copy);
}

static void test_writers_are_abandoned_after_failures(void **state)
{
    const char *missing = in_work("missing/a.npy");
    struct made made;
    snpy_writer *writer;
    snpy_appender *appender;
    snpy_io_error error;
    FILE *read_only = fopen("/dev/null", "rb");
    (void)state;
    assert_non_null(read_only);
    make_rows(&made, 2);
    expect_released(snpy_writer_open(&writer, missing, &made.description, true, &error), abandon_writer, writer);
    expect_released(snpy_writer_open_descriptor(&writer, -1, &made.description, false, &error), abandon_writer, writer);
    expect_released(snpy_writer_open_descriptor(&writer, fileno(read_only), &made.description, false, &error),
                    abandon_writer, writer);
    expect_released(snpy_writer_open_stream(&writer, read_only, &made.description, false, &error), abandon_writer,
                    writer);
    make(&made, 'f', 3, false, 1, (const uint64_t[]){2}); /* no such type */
    expect_released(snpy_writer_open(&writer, missing, &made.description, true, &error), abandon_writer, writer);
    expect_released(snpy_appender_open(&appender, missing, NULL, &error), abandon_appender, appender);
    expect_released(snpy_appender_open(&appender, "/dev/null", NULL, &error), abandon_appender, appender);
    (void)fclose(read_only);
}

#ifdef SNPY_ARCHIVES
/* Makes an archive of one array, in memory that is the caller's to free. */
static uint8_t *make_archive(size_t *length)
{
    const uint8_t data[2 * ROW] = {0};
    const char *path = in_work("good.npz");
    struct made made;
    snpy_archive_writer *writer;
    snpy_io_error error;
    make_rows(&made, 2);
    expect_ok(snpy_archive_writer_open(&writer, path, NULL, &error), &error);
    expect_ok(snpy_archive_writer_add(writer, "x", &made.description, data, sizeof data, &error), &error);
    expect_ok(snpy_archive_writer_finish(&writer, &error), &error);
    uint8_t *bytes = read_file(path, length);
    assert_non_null(bytes);
    assert_true(count_files(true) == 1);
    return bytes;
}

static void test_archives_are_closed_after_failures(void **state)
{
    const char *missing = in_work("missing/a.npz");
    snpy_archive_options options = SNPY_ARCHIVE_OPTIONS_INIT;
    snpy_archive *archive;
    snpy_io_error error;
    (void)state;
    options.size = 0;
    expect_released(snpy_archive_open(missing, NULL, &archive, &error), close_archive, archive);
    expect_released(snpy_archive_open(missing, &options, &archive, &error), close_archive, archive);
    expect_released(snpy_archive_open("/dev/null", NULL, &archive, &error), close_archive, archive);
    expect_released(snpy_archive_open_descriptor(-1, NULL, &archive, &error), close_archive, archive);
    expect_released(snpy_archive_open_descriptor(0, &options, &archive, &error), close_archive, archive);
    expect_released(snpy_archive_open_memory("no archive", 10, NULL, &archive, &error), close_archive, archive);
    expect_released(snpy_archive_open_memory(NULL, 0, NULL, &archive, &error), close_archive, archive);
}

static void test_members_are_closed_after_failures(void **state)
{
    size_t length = 0;
    uint8_t *bytes = make_archive(&length);
    bool is_array = false;
    snpy_archive *archive;
    snpy_member *member;
    snpy_array array;
    snpy_io_error error;
    (void)state;
    expect_ok(snpy_archive_open_memory(bytes, length, NULL, &archive, &error), &error);
    expect_released(snpy_member_open(archive, 1, &member, &error), close_member, member);
    expect_released(snpy_archive_load(archive, 1, NULL, &array, &error), release_array, array);
    expect_released(snpy_archive_map(archive, 1, SNPY_MAP_READ, false, &array, &error), release_array, array);
    expect_released(snpy_archive_map(archive, 0, SNPY_MAP_WRITE, false, &array, &error), release_array, array);
    expect_released(snpy_archive_check(archive, 1, &is_array, &array, &error), release_array, array);
    expect_ok(snpy_member_open(archive, 0, &member, &error), &error);
    release_twice("member", close_member, &member);
    release_twice("archive", close_archive, &archive);
    free(bytes);
}

static void test_archive_writers_are_abandoned_after_failures(void **state)
{
    const char *missing = in_work("missing/a.npz");
    snpy_archive_write_options options = SNPY_ARCHIVE_WRITE_OPTIONS_INIT;
    snpy_archive_writer *writer;
    snpy_io_error error;
    (void)state;
    options.level = 10;
    expect_released(snpy_archive_writer_open(&writer, missing, NULL, &error), abandon_archive_writer, writer);
    expect_released(snpy_archive_writer_open(&writer, missing, &options, &error), abandon_archive_writer, writer);
    expect_released(snpy_archive_writer_open_descriptor(&writer, -1, NULL, &error), abandon_archive_writer, writer);
}
#endif

/* Descriptor 0 is open, whatever the one who calls has done with it. */
static int open_standard_input(void **state)
{
    if (fstat(0, &standard_input) != 0 && (open("/dev/null", O_RDONLY) != 0 || fstat(0, &standard_input) != 0))
        return -1;
    return set_up(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_releasing_function_is_listed),
        cmocka_unit_test(test_zeroed_structs_are_released),
        cmocka_unit_test(test_zeroed_structs_are_not_finished),
        cmocka_unit_test(test_arrays_are_released_after_failures),
        cmocka_unit_test(test_writers_are_abandoned_after_failures),
#ifdef SNPY_ARCHIVES
        cmocka_unit_test(test_archives_are_closed_after_failures),
        cmocka_unit_test(test_members_are_closed_after_failures),
        cmocka_unit_test(test_archive_writers_are_abandoned_after_failures),
#endif
    };
    return cmocka_run_group_tests_name("release", tests, open_standard_input, tear_down);
}
