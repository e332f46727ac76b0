/* test_frame.c: the bytes before the header text: magic, version, length.                 NPY-FRAME-001 … NPY-FRAME-006 */
#include "support.h"

static const uint8_t magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

/* A prefix must give this status at this byte, and leave the frame untouched. */
static void expect_refusal(const uint8_t *bytes, size_t length, const snpy_options *options, snpy_status status,
                           uint64_t at)
{
    uint8_t *exact = allocate(length);
    snpy_frame frame;
    snpy_error error;
    memcpy(exact, bytes, length);
    memset(&frame, GUARD, sizeof frame);
    memset(&error, GUARD, sizeof error);
    snpy_status got = snpy_parse_frame(exact, length, options, &frame, &error);
    expect_that(got == status && error.status == status && error.offset == at, "%s: %s at %llu, not %s at %llu\n",
                legible(bytes, length), snpy_status_name(got), (unsigned long long)error.offset,
                snpy_status_name(status), (unsigned long long)at);
    expect_that(is_filled(&frame, GUARD, sizeof frame), "%s: the frame was touched\n", legible(bytes, length));

    /* The whole parser says the same. */
    struct parsed parsed = parse_file(exact, length, options);
    expect_that(parsed.status == status && parsed.error.offset == at, "%s: the parser says %s at %llu\n",
                legible(bytes, length), snpy_status_name(parsed.status), (unsigned long long)parsed.error.offset);
    assert_int_equal(parsed.table.field_count, 0);
    assert_int_equal(parsed.table.dim_count, 0);
    release(&parsed);
    free(exact);
}

static void expect_frame(const uint8_t *bytes, size_t length, const snpy_options *options, uint32_t header_len)
{
    uint8_t *exact = allocate(length);
    snpy_frame frame;
    snpy_error error;
    memcpy(exact, bytes, length);
    memset(&frame, GUARD, sizeof frame);
    memset(&error, GUARD, sizeof error);
    snpy_status got = snpy_parse_frame(exact, length, options, &frame, &error);
    expect_that(got == SNPY_OK && error.status == SNPY_OK && error.offset == 0, "%s: %s at %llu\n",
                legible(bytes, length), snpy_status_name(got), (unsigned long long)error.offset);
    assert_int_equal(frame.major, bytes[6]);
    assert_int_equal(frame.minor, 0);
    assert_int_equal(frame.text_offset, bytes[6] == 1 ? 10 : 12);
    assert_int_equal(frame.header_len, header_len);
    assert_true(frame.data_offset == (uint64_t)header_len + frame.text_offset);
    free(exact);
}

static void test_magic_refused_at_first_other_byte(void **state)
{
    snpy_options options = default_options();
    (void)state;
    for (size_t position = 0; position < sizeof magic; position++) {
        for (unsigned value = 0; value < 256; value++) {
            uint8_t bytes[16] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0, 0};
            if (value == magic[position]) continue;
            bytes[position] = (uint8_t)value;
            expect_refusal(bytes, sizeof bytes, &options, SNPY_BAD_MAGIC, position);
            expect_refusal(bytes, position + 1, &options, SNPY_BAD_MAGIC, position);
            bytes[5] = (uint8_t)(bytes[5] ^ 1); /* two wrong bytes: the first one counts */
            if (position < 5) expect_refusal(bytes, sizeof bytes, &options, SNPY_BAD_MAGIC, position);
        }
    }
}

static void test_prefix_truncated_at_every_byte(void **state)
{
    snpy_options options = default_options();
    (void)state;
    for (uint8_t major = 1; major <= 3; major++) {
        uint8_t bytes[12] = {0x93, 'N', 'U', 'M', 'P', 'Y', 0, 0, 2, 0, 0, 0};
        size_t prefix = prefix_length(major);
        bytes[6] = major;
        for (size_t length = 0; length < prefix; length++)
            expect_refusal(bytes, length, &options, SNPY_TRUNCATED_PREFIX, length);
        expect_frame(bytes, prefix, &options, 2);
    }
}

static void test_every_version(void **state)
{
    snpy_options options = default_options();
    (void)state;
    for (unsigned major = 0; major < 256; major++) {
        for (unsigned minor = 0; minor < 256; minor++) {
            uint8_t bytes[12] = {0x93, 'N', 'U', 'M', 'P', 'Y', 0, 0, 0, 0, 0, 0};
            bool known = major >= 1 && major <= 3;
            bytes[6] = (uint8_t)major;
            bytes[7] = (uint8_t)minor;
            if (known && minor == 0) {
                expect_frame(bytes, sizeof bytes, &options, 0);
            } else {
                expect_refusal(bytes, sizeof bytes, &options, SNPY_UNSUPPORTED_VERSION, known ? 7 : 6);
                expect_refusal(bytes, 8, &options, SNPY_UNSUPPORTED_VERSION, known ? 7 : 6);
            }
            /* The earliest byte: a wrong major is known before the minor is there. */
            if (minor == 0 && !known) expect_refusal(bytes, 7, &options, SNPY_UNSUPPORTED_VERSION, 6);
            if (minor == 0 && known) expect_refusal(bytes, 7, &options, SNPY_TRUNCATED_PREFIX, 7);
        }
    }
}

/* Both sides of the limit on the length, for lengths whose bytes all differ. */
static void test_header_length_against_limit(void **state)
{
    static const uint32_t limits[] = {0,      1,       117,     255,        256,        0x0102,     0xfffe,
                                      0xffff, 0x10000, 0x10001, 0x01020304, 0x7fffffff, 0x80000000, 0xfffffffe};
    (void)state;
    for (size_t i = 0; i < COUNT(limits); i++) {
        for (uint8_t major = 1; major <= 3; major++) {
            uint8_t bytes[12] = {0x93, 'N', 'U', 'M', 'P', 'Y', 0, 0, 0, 0, 0, 0};
            uint32_t most = major == 1 ? 0xffff : 0xffffffff;
            snpy_options options = default_options();
            options.max_header_bytes = limits[i];
            bytes[6] = major;
            for (uint32_t step = 0; step < 2; step++) {
                if (limits[i] > most - step) continue;
                uint32_t header_len = limits[i] + step;
                for (unsigned k = 0; k < (major == 1 ? 2u : 4u); k++) bytes[8 + k] = (uint8_t)(header_len >> (8 * k));
                if (step == 0)
                    expect_frame(bytes, prefix_length(major), &options, header_len);
                else
                    expect_refusal(bytes, prefix_length(major), &options, SNPY_HEADER_TOO_LONG, 8);
            }
        }
    }
}

static void test_default_limit_is_64_kib(void **state)
{
    uint8_t bytes[12] = {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 0, 0, 1, 0};
    snpy_options options = default_options();
    (void)state;
    expect_frame(bytes, sizeof bytes, &options, 0x10000);
    bytes[8] = 1;
    expect_refusal(bytes, sizeof bytes, &options, SNPY_HEADER_TOO_LONG, 8);
    memset(bytes + 8, 0xff, 4);
    expect_refusal(bytes, sizeof bytes, &options, SNPY_HEADER_TOO_LONG, 8);
    options.max_header_bytes = SNPY_MAX_HEADER;
    expect_frame(bytes, sizeof bytes, &options, 0xffffffff);
}

/* A header that is cut off: at the file's length, whatever its text begins with. */
static void test_text_truncated_at_every_byte(void **state)
{
    static const char text[] = SHAPE("(3, 4)") "          \n";
    snpy_options options = default_options();
    (void)state;
    for (unsigned major = 1; major <= 3; major++) {
        size_t length = 0;
        uint8_t *file = make_file(major, text, sizeof text - 1, &length);
        for (size_t cut = prefix_length(major); cut <= length; cut++) {
            struct parsed parsed = parse_file(file, cut, &options);
            assert_int_equal(parsed.status, cut < length ? SNPY_TRUNCATED_HEADER : SNPY_OK);
            assert_int_equal(parsed.error.offset, cut < length ? cut : 0);
            release(&parsed);
        }
        free(file);
    }
}

/* Limits come before what is there; frame before limits; both before the text. */
static void test_order_of_phases(void **state)
{
    static const uint8_t too_long[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 1, 0, 1, 0, 0xff, '['};
    static const uint8_t truncated[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 3, 0, 3, 0, 0, 0, 0xff, '['};
    static const uint8_t version[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 3, 1, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t wrong[] = {0x93, 'N', 'U', 'M', 'P', 'y', 9, 9, 0xff, 0xff, 0xff, 0xff, 0xff};
    snpy_options options = default_options();
    (void)state;
    expect_status(3, "\xff[", 2, &options, SNPY_BAD_UTF8, 0);
    struct parsed parsed = parse_file(too_long, sizeof too_long, &options);
    assert_int_equal(parsed.status, SNPY_HEADER_TOO_LONG);
    assert_int_equal(parsed.error.offset, 8);
    release(&parsed);
    parsed = parse_file(truncated, sizeof truncated, &options);
    assert_int_equal(parsed.status, SNPY_TRUNCATED_HEADER);
    assert_int_equal(parsed.error.offset, sizeof truncated);
    release(&parsed);
    expect_refusal(version, sizeof version, &options, SNPY_UNSUPPORTED_VERSION, 7);
    expect_refusal(wrong, sizeof wrong, &options, SNPY_BAD_MAGIC, 5);
}

/* What stands behind the prefix is not looked at, and the length may be the whole file's. */
static void test_frame_ignores_what_follows(void **state)
{
    uint8_t bytes[64] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 7, 0};
    snpy_options options = default_options();
    (void)state;
    memset(bytes + 10, 0xff, sizeof bytes - 10);
    for (size_t length = 10; length <= sizeof bytes; length++) expect_frame(bytes, length, &options, 7);
}

/* Options that were not initialised, or beyond what the library can do: before the first byte is looked at. */
static void test_options_are_checked_first(void **state)
{
    static const uint8_t wrong[] = {'P', 'K', 3, 4};
    snpy_options good = default_options();
    snpy_options options = good;
    (void)state;
    static const uint32_t sizes[] = {0, 1, 4, sizeof(snpy_options) - 1, sizeof(snpy_options) + 1, 0xffffffff};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        options.size = sizes[i];
        expect_refusal(wrong, sizeof wrong, &options, SNPY_BAD_ARGUMENT, 0);
    }
    static const uint32_t beyond[] = {1, 2, 1000, 0};
    for (size_t i = 0; i < COUNT(beyond); i++) {
        options = good;
        options.max_ndim = beyond[i] == 0 ? 0xffffffff : SNPY_MAX_NDIM + beyond[i];
        expect_refusal(wrong, sizeof wrong, &options, SNPY_BAD_ARGUMENT, 0);
        options = good;
        options.max_depth = beyond[i] == 0 ? 0xffffffff : SNPY_MAX_DEPTH + beyond[i];
        expect_refusal(wrong, sizeof wrong, &options, SNPY_BAD_ARGUMENT, 0);
        options = good;
        options.max_fields = beyond[i] == 0 ? 0xffffffff : SNPY_MAX_FIELDS + beyond[i];
        expect_refusal(wrong, sizeof wrong, &options, SNPY_BAD_ARGUMENT, 0);
    }
    expect_refusal(wrong, sizeof wrong, &good, SNPY_BAD_MAGIC, 0);
    /* No header and no array exceeds these two: above what a file can say they are no limit, and no mistake. */
    good.max_header_bytes = UINT64_MAX;
    good.max_data_bytes = UINT64_MAX;
    good.max_fields = SNPY_MAX_FIELDS;
    good.max_ndim = 0;
    good.max_depth = 0;
    expect_refusal(wrong, sizeof wrong, &good, SNPY_BAD_MAGIC, 0);
}

/* What SNPY_OPTIONS_INIT promises. */
static void test_default_options(void **state)
{
    snpy_options options = default_options();
    static const snpy_compat none;
    (void)state;
    assert_int_equal(options.size, sizeof(snpy_options));
    assert_int_equal(options.max_header_bytes, 65536);
    assert_int_equal(options.max_fields, 65536);
    assert_int_equal(options.max_ndim, 64);
    assert_int_equal(options.max_depth, 64);
    assert_true(options.max_data_bytes == 0x7fffffffffffffff);
    assert_memory_equal(&options.compat, &none, sizeof none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_magic_refused_at_first_other_byte),
        cmocka_unit_test(test_prefix_truncated_at_every_byte),
        cmocka_unit_test(test_every_version),
        cmocka_unit_test(test_header_length_against_limit),
        cmocka_unit_test(test_default_limit_is_64_kib),
        cmocka_unit_test(test_text_truncated_at_every_byte),
        cmocka_unit_test(test_order_of_phases),
        cmocka_unit_test(test_frame_ignores_what_follows),
        cmocka_unit_test(test_options_are_checked_first),
        cmocka_unit_test(test_default_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
