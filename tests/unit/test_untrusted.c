/* Tests of the options for files from strangers: src/host/untrusted.c, and what archives refuse by them.
 *                                          NPY-DATA-004, NPZ-LIMIT-001 … 004, NPZ-PATH-001 … 003, API-ARCHIVE, API-OBJECTS */
#include "tests/unit/zips.h"

/* All options, as a service has them. */
struct service {
    snpy_options limits;
    snpy_zip_options zip;
    snpy_load_options load;
    snpy_archive_options archive;
};

static void begin(struct service *service)
{
    const snpy_options limits = SNPY_OPTIONS_INIT;
    const snpy_load_options load = SNPY_LOAD_OPTIONS_INIT;
    *service = (struct service){limits, zip_defaults(), load, archive_defaults()};
}

static void test_numbers(void **state)
{
    struct service service;
    (void)state;
    begin(&service);
    service.limits.max_header_bytes = SNPY_MAX_HEADER;
    service.limits.compat.list_shape = true;
    service.zip.prefix = true;
    service.load.header_only = true;
    service.archive.max_ratio = UINT64_MAX;
    snpy_options_untrusted(&service.limits, &service.zip, &service.load, &service.archive);
    assert_true(service.limits.max_header_bytes == 65536 && service.limits.max_data_bytes == 1073741824);
    assert_true(service.zip.max_members == 10000);
    assert_true(service.load.no_trailing && service.load.limits == &service.limits);
    assert_true(service.archive.limits == &service.limits && service.archive.zip == &service.zip);
    assert_true(service.archive.max_member_bytes == 1073741824);
    assert_true(service.archive.max_total_bytes == (uint64_t)4 * 1073741824);
    assert_true(service.archive.max_ratio == 1032);
    assert_true(service.archive.strict && service.archive.strict_deflate);
    assert_true(service.archive.no_objects && service.archive.portable_names);
    /* What the caller has chosen stays. */
    assert_true(service.limits.compat.list_shape && service.zip.prefix && service.load.header_only);
}

static void test_each_may_be_left_out(void **state)
{
    struct service service;
    (void)state;
    snpy_options_untrusted(NULL, NULL, NULL, NULL);
    begin(&service);
    snpy_options_untrusted(NULL, NULL, &service.load, &service.archive);
    assert_true(service.load.limits == NULL && service.load.no_trailing);
    assert_true(service.archive.limits == NULL && service.archive.zip == NULL && service.archive.strict);
    snpy_options_untrusted(&service.limits, NULL, NULL, NULL);
    assert_true(service.limits.max_data_bytes == 1073741824);
}

/* An NPY file: a header, and some bytes. */
static uint8_t *make_array(const char *text, size_t data_size, size_t *length)
{
    uint8_t *head = make_file(1, text, strlen(text), length);
    uint8_t *file = allocate(*length + data_size);
    memcpy(file, head, *length);
    memset(file + *length, 1, data_size);
    *length += data_size;
    free(head);
    return file;
}

#define FLOATS SHAPE("(2,)") "\n"
#define OBJECTS "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }\n"

/* Opens an archive of the members as a stranger's: its status is `status` at `offset`, and it is accepted without. */
static void expect_refused(struct zip *zip, const struct service *service, snpy_status status, uint64_t offset,
                           const char *member)
{
    snpy_archive *archive;
    snpy_io_error error;
    expect_ok(snpy_archive_open_memory(zip->bytes, zip->length, NULL, &archive, &error), &error);
    snpy_archive_close(&archive);
    expect_failure(snpy_archive_open_memory(zip->bytes, zip->length, &service->archive, &archive, &error), &error,
                   status, member);
    assert_true(error.error.offset == offset && archive == NULL);
    assert_string_equal(error.member, member);
}

static void expect_accepted(struct zip *zip, const struct service *service)
{
    snpy_archive *archive;
    snpy_io_error error;
    expect_ok(snpy_archive_open_memory(zip->bytes, zip->length, &service->archive, &archive, &error), &error);
    snpy_archive_close(&archive);
}

/* Names that `unpack` refuses. Each is accepted if that is relaxed. */
static void test_names(void **state)
{
    static const struct {
        const char *name;
        snpy_status status;
        size_t fault; /* in the second name */
    } cases[] = {{"../evil.npy", SNPY_ZIP_PATH_ESCAPES, 0},     {"/a.npy", SNPY_ZIP_PATH_ESCAPES, 0},
                 {"x/../a.npy", SNPY_ZIP_PATH_ESCAPES, 0},      {"a?b.npy", SNPY_ZIP_PATH_NOT_PORTABLE, 1},
                 {"nul.npy", SNPY_ZIP_PATH_NOT_PORTABLE, 0},    {"GOOD.npy", SNPY_ZIP_PATH_COLLIDES, 0},
                 {"good.npy/b.npy", SNPY_ZIP_PATH_COLLIDES, 0}, {"fine/a.npy", SNPY_OK, 0}};
    size_t length = 0;
    uint8_t *file = make_array(FLOATS, 16, &length);
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct entry entries[2] = {stored("good.npy", file, length), stored(cases[i].name, file, length)};
        struct zip zip = build(entries, 2, false, "");
        struct service service;
        begin(&service);
        snpy_options_untrusted(&service.limits, &service.zip, &service.load, &service.archive);
        if (cases[i].status == SNPY_OK)
            expect_accepted(&zip, &service);
        else
            expect_refused(&zip, &service, cases[i].status, zip.central[1] + 46 + cases[i].fault, cases[i].name);
        service.archive.portable_names = false;
        expect_accepted(&zip, &service);
        free(zip.bytes);
    }
    free(file);
}

/* Members whose data a service does not want. */
static void test_members(void **state)
{
    struct service service;
    size_t sizes[3];
    uint8_t *floats = make_array(FLOATS, 16, &sizes[0]);
    uint8_t *objects = make_array(OBJECTS, 16, &sizes[1]);
    uint8_t *longer = make_array(FLOATS, 17, &sizes[2]);
    const uint64_t at_data = sizes[1] - 16;
    (void)state;
    begin(&service);
    snpy_options_untrusted(&service.limits, &service.zip, &service.load, &service.archive);

    struct entry entries[2] = {stored("a.npy", floats, sizes[0]), stored("b.npy", objects, sizes[1])};
    struct zip zip = build(entries, 2, false, "");
    expect_refused(&zip, &service, SNPY_OBJECT_DATA, at_data, "b.npy");
    service.archive.no_objects = false;
    expect_accepted(&zip, &service);
    service.archive.no_objects = true;
    free(zip.bytes);

    entries[1] = stored("b.npy", "text", 4);
    zip = build(entries, 2, false, "");
    expect_refused(&zip, &service, SNPY_NOT_AN_ARRAY, 0, "b.npy");
    free(zip.bytes);
    entries[1] = stored("b.txt", "text", 4);
    zip = build(entries, 2, false, "");
    expect_accepted(&zip, &service);
    free(zip.bytes);

    entries[1] = stored("b.npy", longer, sizes[2]);
    zip = build(entries, 2, false, "");
    expect_refused(&zip, &service, SNPY_TRAILING_DATA, sizes[0], "b.npy");
    free(zip.bytes);

    entries[1] = deflated("b.npy", floats, sizes[0]);
    entries[1].size = (uint64_t)1073741824 + 1;
    zip = build(entries, 2, false, "");
    expect_refused(&zip, &service, SNPY_ZIP_MEMBER_TOO_LARGE, zip.central[1] + 24, "b.npy");
    free(zip.bytes);
    free_data(&entries[1]);
    free(floats);
    free(objects);
    free(longer);
}

/* Objects are refused by a check of one member, too, if that is asked for. */
static void test_objects_of_one_member(void **state)
{
    size_t length = 0;
    uint8_t *objects = make_array(OBJECTS, 16, &length);
    const struct entry entry = stored("a.npy", objects, length);
    struct zip zip = build(&entry, 1, false, "");
    snpy_archive_options options = archive_defaults();
    (void)state;
    for (int no_objects = 0; no_objects < 2; no_objects++) {
        snpy_archive *archive;
        snpy_io_error error;
        snpy_array head;
        bool is_array = false;
        options.no_objects = no_objects == 1;
        expect_ok(snpy_archive_open_memory(zip.bytes, zip.length, &options, &archive, &error), &error);
        const snpy_status status = snpy_archive_check(archive, 0, &is_array, &head, &error);
        assert_true(status == (no_objects == 1 ? SNPY_OBJECT_DATA : SNPY_OK) && is_array);
        assert_true(error.error.status == status && head.header.has_object == (no_objects == 0));
        snpy_array_release(&head);
        snpy_archive_close(&archive);
    }
    free(zip.bytes);
    free(objects);
}

/* NPY files. */
static void test_arrays(void **state)
{
    static const struct {
        const char *text;
        size_t data_size;
        snpy_status status;
    } cases[] = {{FLOATS, 16, SNPY_OK},
                 {FLOATS, 17, SNPY_TRAILING_DATA},
                 {OBJECTS, 16, SNPY_OBJECT_DATA},
                 {SHAPE("(134217729,)") "\n", 16, SNPY_DATA_TOO_LARGE},
                 {SHAPE("(134217728,)") "\n", 16, SNPY_TRUNCATED_DATA}};
    struct service service;
    (void)state;
    begin(&service);
    snpy_options_untrusted(&service.limits, &service.zip, &service.load, &service.archive);
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t length = 0;
        uint8_t *file = make_array(cases[i].text, cases[i].data_size, &length);
        snpy_array array;
        snpy_io_error error;
        const snpy_status status = snpy_load_memory(file, length, &service.load, &array, &error);
        expect_that(status == cases[i].status, "case %zu: %s\n", i, snpy_status_name(status));
        snpy_array_release(&array);
        free(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_each_may_be_left_out),  cmocka_unit_test(test_names),
        cmocka_unit_test(test_members), cmocka_unit_test(test_objects_of_one_member), cmocka_unit_test(test_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
