/* test_canonical.c: the canonical profile: which headers are the ones that numpy.save writes, and the byte at which
 * another one differs.                                                            NPY-HDR-006, NPY-CANON-001 … 008 */
#include "support.h"

#define GROWN "                    " /* 20 spaces, for a first dimension of one digit */
#define SIMPLE "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }" GROWN
#define RECORD "{'descr': [('a', '<i2'), ('\\x00', '|u1', (2,))], 'fortran_order': False, 'shape': (3,), }" GROWN

/* A file of `total` bytes: a text, spaces, a newline. */
static uint8_t *pad(unsigned major, const char *text, size_t total)
{
    size_t length = strlen(text);
    size_t prefix = prefix_length(major);
    assert_true(prefix + length < total);
    char *padded = allocate(total - prefix);
    memset(padded, ' ', total - prefix);
    memcpy(padded, text, length);
    padded[total - prefix - 1] = '\n';
    uint8_t *file = make_file(major, padded, total - prefix, &length);
    assert_int_equal(length, total);
    free(padded);
    return file;
}

static snpy_description describe(struct parsed *parsed)
{
    snpy_description description = {&parsed->header,
                                    &parsed->table,
                                    parsed->file + parsed->header.frame.text_offset,
                                    parsed->header.frame.header_len,
                                    parsed->header.frame.major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1,
                                    SNPY_VERSION_3_0}; /* not looked at */
    return description;
}

/* Judges a file of which all is a header, with as much room as it is long; the header that was read does not change. */
static snpy_status judge(struct parsed *parsed, snpy_error *error)
{
    snpy_description description = describe(parsed);
    snpy_header before = parsed->header;
    uint8_t *room = allocate(parsed->length);
    memset(room, GUARD, parsed->length);
    snpy_status status = snpy_check_canonical(parsed->file, parsed->length, &description, room, parsed->length, error);
    assert_int_equal(status, error->status);
    assert_memory_equal(&before, &parsed->header, sizeof before);
    if (status == SNPY_OK) assert_memory_equal(room, parsed->file, parsed->length);
    free(room);
    return status;
}

static void expect_file(const uint8_t *file, size_t length, snpy_status status, uint64_t offset)
{
    const snpy_options options = default_options();
    struct parsed parsed = parse_file(file, length, &options);
    snpy_error error;
    expect_that(parsed.status == SNPY_OK, "%s is refused\n", legible(file, length));
    judge(&parsed, &error);
    expect_that(error.status == status && error.offset == offset, "%s at %llu, not %s at %llu:\n    %s\n",
                snpy_status_name(error.status), (unsigned long long)error.offset, snpy_status_name(status),
                (unsigned long long)offset, legible(file, length));
    release(&parsed);
}

static void expect(unsigned major, const char *text, size_t total, snpy_status status, uint64_t offset)
{
    uint8_t *file = pad(major, text, total);
    expect_file(file, total, status, offset);
    free(file);
}

static void test_canonical_headers(void **state)
{
    (void)state;
    expect(1, SIMPLE, 128, SNPY_OK, 0);
    expect(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (), }", 128, SNPY_OK, 0);
    expect(1, "{'descr': '<M8[25us]', 'fortran_order': True, 'shape': (3, 10), }" GROWN, 128, SNPY_OK, 0);
    expect(1, RECORD, 128, SNPY_OK, 0);
    expect(3, "{'descr': [('\xe2\x82\xac', '<i2')], 'fortran_order': False, 'shape': (3,), }" GROWN, 128, SNPY_OK, 0);
    expect(1, "{'descr': [('\xe9', '<i2')], 'fortran_order': False, 'shape': (3,), }" GROWN, 128, SNPY_OK, 0);
}

/* What is longer or shorter than NumPy's differs where it says its length, or its version. */
static void test_other_lengths(void **state)
{
    (void)state;
    expect(1, SIMPLE, 96, SNPY_NOT_CANONICAL, 8);
    expect(1, SIMPLE, 192, SNPY_NOT_CANONICAL, 8);
    expect(1, SIMPLE, 127, SNPY_NOT_CANONICAL, 8);
    expect(1, SIMPLE, 128 + 256, SNPY_NOT_CANONICAL, 9);
    expect(1, SIMPLE, 128 + 1024, SNPY_NOT_CANONICAL, 9);
    expect(2, SIMPLE, 96, SNPY_NOT_CANONICAL, 6);
    expect(2, SIMPLE, 128, SNPY_NOT_CANONICAL, 6);
    expect(3, SIMPLE, 192, SNPY_NOT_CANONICAL, 6);
    /* Here the spaces to grow do not fit: NumPy writes a line more. */
    expect(1, "{'descr': [('a', '<i2'), ('bcdefghijklmnop', '|u1', (2,))], 'fortran_order': False, 'shape': (3,), }",
           128, SNPY_NOT_CANONICAL, 8);
}

/* Each byte of a header changed to what is read all the same. */
static void test_every_byte(void **state)
{
    static const char *const texts[] = {SIMPLE, RECORD};
    const snpy_options options = default_options();
    size_t read = 0;
    (void)state;
    for (size_t t = 0; t < COUNT(texts); t++) {
        uint8_t *file = pad(1, texts[t], 128);
        for (size_t at = 10; at < 128; at++) {
            const uint8_t byte = file[at];
            for (unsigned other = 0; other < 256; other++) {
                snpy_error error;
                file[at] = (uint8_t)other;
                struct parsed parsed = parse_file(file, 128, &options);
                if (parsed.status == SNPY_OK && other != byte) {
                    judge(&parsed, &error);
                    read++;
                    /* A digit, or the letter of a name: canonical all the same, of another array, if nothing else
                     * has to change with it. What has is behind it or in front of it. */
                    expect_that(error.status == SNPY_OK || (error.status == SNPY_NOT_CANONICAL && error.offset < 128),
                                "%s\n", legible(file, 128));
                    if (byte == ' ' || byte == '\n')
                        expect_that(error.status == SNPY_NOT_CANONICAL && error.offset == at, "%llu, not %zu: %s\n",
                                    (unsigned long long)error.offset, at, legible(file, 128));
                }
                release(&parsed);
            }
            file[at] = byte;
        }
        free(file);
    }
    assert_true(read > 900);
}

static void test_other_spellings(void **state)
{
    (void)state;
    expect(1, "{\"descr\": '<f8', 'fortran_order': False, 'shape': (3, 4), }", 128, SNPY_NOT_CANONICAL, 11);
    expect(1, "{'descr': u'<f8', 'fortran_order': False, 'shape': (3, 4), }", 128, SNPY_NOT_CANONICAL, 20);
    expect(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}", 128, SNPY_NOT_CANONICAL, 66);
    expect(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (3,), }", 128, SNPY_NOT_CANONICAL, 44);
    expect(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 3, 1), }", 128, SNPY_NOT_CANONICAL, 44);
    expect(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (0, 3), }", 128, SNPY_NOT_CANONICAL, 44);
    expect(1, "{'shape': (3,), 'descr': '<f8', 'fortran_order': False, }", 128, SNPY_NOT_CANONICAL, 12);
    expect(1, "{'descr': [('a', '<i2', ())], 'fortran_order': False, 'shape': (3,), }", 128, SNPY_NOT_CANONICAL, 32);
}

/* Room as long as the header is always enough; what is written tells nothing behind it. */
static void test_room(void **state)
{
    const snpy_options options = default_options();
    uint8_t *file = pad(1, SIMPLE, 128);
    struct parsed parsed = parse_file(file, 128, &options);
    snpy_description description = describe(&parsed);
    uint8_t room[160];
    snpy_error error;
    (void)state;
    for (size_t capacity = 0; capacity <= sizeof room; capacity++) {
        memset(room, GUARD, sizeof room);
        snpy_status status = snpy_check_canonical(parsed.file, 128, &description, room, capacity, &error);
        assert_int_equal(status, capacity < 128 ? SNPY_BUFFER_TOO_SMALL : SNPY_OK);
        assert_true(error.status == status && error.offset == 0);
        assert_true(capacity < 128 || memcmp(room, file, 128) == 0);
        assert_true(is_filled(room + (capacity < 128 ? 0 : 128), GUARD, sizeof room - (capacity < 128 ? 0 : 128)));
    }
    /* More bytes than the header has, as of a file with its data. */
    uint8_t *whole = allocate(192);
    memset(whole, GUARD, 192);
    memcpy(whole, parsed.file, 128);
    assert_int_equal(snpy_check_canonical(whole, 192, &description, room, sizeof room, &error), SNPY_OK);
    /* Fewer: no header that NumPy writes. */
    for (size_t length = 0; length < 128; length++) {
        uint8_t *part = allocate(length);
        memcpy(part, parsed.file, length);
        snpy_status status = snpy_check_canonical(part, length, &description, room, sizeof room, &error);
        assert_true(status == SNPY_NOT_CANONICAL && error.offset == (length < 10 ? length : 10));
        free(part);
    }
    free(whole);
    free(file);
    release(&parsed);
}

/* A description that is not of these bytes. */
static void test_other_descriptions(void **state)
{
    const snpy_options options = default_options();
    uint8_t *file = pad(1, SIMPLE, 128);
    struct parsed parsed = parse_file(file, 128, &options);
    snpy_error error;
    (void)state;
    parsed.header.shape[0] = 5;
    assert_true(judge(&parsed, &error) == SNPY_NOT_CANONICAL && error.offset == 61);
    parsed.header.shape[0] = 3;
    parsed.header.fortran_order = true;
    assert_true(judge(&parsed, &error) == SNPY_NOT_CANONICAL && error.offset == 44);
    parsed.header.dtype.kind = 'x';
    assert_true(judge(&parsed, &error) == SNPY_NOT_CANONICAL && error.offset == 0);
    parsed.header.dtype.kind = 'f';
    parsed.header.ndim = 65;
    assert_true(judge(&parsed, &error) == SNPY_NOT_CANONICAL && error.offset == 0);
    release(&parsed);
    free(file);

    /* One dimension: the bytes say False as they should, the description says True. */
    file = pad(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", 128);
    parsed = parse_file(file, 128, &options);
    assert_int_equal(judge(&parsed, &error), SNPY_OK);
    parsed.header.fortran_order = true;
    assert_true(judge(&parsed, &error) == SNPY_BAD_ARGUMENT && error.offset == 0);
    parsed.header.fortran_order = false;
    snpy_description description = describe(&parsed);
    uint8_t room[128];
    description.encoding = (snpy_name_encoding)77;
    assert_int_equal(snpy_check_canonical(parsed.file, 128, &description, room, 128, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(error.offset, 0);
    description.encoding = SNPY_NAME_UTF8;
    description.version = (snpy_version_choice)77;
    assert_int_equal(snpy_check_canonical(parsed.file, 128, &description, room, 128, &error), SNPY_OK);
    release(&parsed);
    free(file);
}

/* The contract has names apart from the room. Laid into it all the same, so that they change while they are written,
 * they make no canonical header. */
static void test_names_that_are_written_over(void **state)
{
    const snpy_options options = default_options();
    uint8_t *file = pad(1, "{'descr': [('\xe9', '|u1')], 'fortran_order': False, 'shape': (), }", 128);
    struct parsed parsed = parse_file(file, 128, &options);
    snpy_description description = describe(&parsed);
    uint8_t room[128] = {0};
    snpy_error error;
    (void)state;
    assert_int_equal(parsed.table.field_count, 2);
    memcpy(room + 9, "\xc3\xa9", 2); /* the text begins at byte 10 */
    description.names = room + 9;
    description.names_length = 2;
    description.encoding = SNPY_NAME_UTF8;
    parsed.table.fields[1].name_offset = 0;
    parsed.table.fields[1].name_length = 2;
    assert_int_equal(snpy_check_canonical(file, 128, &description, room, sizeof room, &error), SNPY_NOT_CANONICAL);
    assert_int_equal(error.offset, 0);
    release(&parsed);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical_headers),
        cmocka_unit_test(test_other_lengths),
        cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_other_spellings),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_other_descriptions),
        cmocka_unit_test(test_names_that_are_written_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
