/* test_rewrite.c: headers that NumPy wrote, read and written again to the same bytes.            NPY-WRITE-008 … 010
 *
 * The corpus is $SNPY_CORPUS, or corpus/ below the directory that the tests run from. */
#include "support.h"

#include <jansson.h>

static const char *corpus(void)
{
    const char *path = getenv("SNPY_CORPUS");
    return path != NULL && path[0] != '\0' ? path : "corpus";
}

/* The manifest. The library refuses lone surrogates, which names in `expect` may hold; nothing that is read here
 * does, so that any surrogate may become another character of the same length. */
static json_t *load_manifest(const char *path)
{
    json_error_t error;
    size_t length = 0;
    uint8_t *text = read_file(path, &length);
    expect_that(text != NULL, "%s cannot be read\n", path);
    if (text == NULL) abort();
    for (size_t i = 0; i + 6 <= length; i++)
        if (memcmp(text + i, "\\ud", 3) == 0 && strchr("89abcdef", text[i + 3]) != NULL) memcpy(text + i, "\\ufffd", 6);
    json_t *manifest = json_loadb((const char *)text, length, JSON_ALLOW_NUL, &error);
    expect_that(manifest != NULL, "%s, line %d: %s\n", path, error.line, error.text);
    free(text);
    return manifest;
}

/* One file: its header must come out as it is. */
static void rewrite(const char *id, const char *path)
{
    size_t length = 0;
    snpy_options options = default_options();
    uint8_t *file = read_file(path, &length);
    expect_that(file != NULL, "%s cannot be read\n", path);
    options.max_header_bytes = SNPY_MAX_HEADER;
    struct parsed parsed = parse_file(file, length, &options);
    expect_that(parsed.status == SNPY_OK, "%s: %s at %llu\n", id, snpy_status_name(parsed.status),
                (unsigned long long)parsed.error.offset);
    snpy_description description = {&parsed.header,
                                    &parsed.table,
                                    parsed.file + parsed.text_offset,
                                    parsed.header.frame.header_len,
                                    parsed.header.frame.major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1,
                                    (snpy_version_choice)parsed.header.frame.major};
    snpy_error error;
    uint64_t size = 0;
    snpy_status status = snpy_header_size(&description, &size, &error);
    expect_that(status == SNPY_OK, "%s: %s at entry %llu\n", id, snpy_status_name(status),
                (unsigned long long)error.offset);
    expect_that(size == parsed.header.frame.data_offset, "%s: %llu bytes, not %llu\n", id, (unsigned long long)size,
                (unsigned long long)parsed.header.frame.data_offset);
    uint8_t *out = allocate((size_t)size);
    assert_int_equal(snpy_write_header(&description, out, (size_t)size, &size, &error), SNPY_OK);
    assert_true(size == parsed.header.frame.data_offset);
    expect_that(memcmp(out, parsed.file, (size_t)size) == 0, "%s:\n  NumPy %s\n  we    %s\n", id,
                legible(parsed.file, (size_t)size), legible(out, (size_t)size));
    free(out);
    free(file);
    release(&parsed);
}

static void test_headers_of_numpy(void **state)
{
    char path[4096];
    size_t index = 0;
    unsigned compared = 0;
    unsigned versions[4] = {0};
    (void)state;
    (void)snprintf(path, sizeof path, "%s/manifest.json", corpus());
    json_t *manifest = load_manifest(path);
    json_t *cases = json_object_get(manifest, "cases");
    json_t *record = NULL;
    assert_true(json_is_array(cases));
    json_array_foreach(cases, index, record)
    {
        const char *id = json_string_value(json_object_get(record, "id"));
        const char *file = json_string_value(json_object_get(record, "file"));
        const char *format = json_string_value(json_object_get(record, "format"));
        assert_non_null(id);
        assert_non_null(file);
        if (!json_is_true(json_object_get(record, "rewrite"))) continue;
        assert_non_null(format);
        assert_true(strncmp(format, "npy ", 4) == 0 && format[4] >= '1' && format[4] <= '3');
        assert_true((size_t)snprintf(path, sizeof path, "%s/%s", corpus(), file) < sizeof path);
        rewrite(id, path);
        versions[format[4] - '0']++;
        compared++;
    }
    json_decref(manifest);
    print_message("%u headers compared: %u of 1.0, %u of 2.0, %u of 3.0\n", compared, versions[1], versions[2],
                  versions[3]);
    assert_true(compared >= 150);
    assert_true(versions[1] > 0 && versions[2] > 0 && versions[3] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_headers_of_numpy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
