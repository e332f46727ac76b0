/* test_zip.c: archives in which one number lies: each is refused with the status and the byte that spec/npz.md says,
 * from a file as from memory.
 *                                     NPZ-ERR-001, NPZ-ERR-003, NPZ-END-001 to 009, NPZ-WIDE-001 to 004, NPZ-DIR-001 to 008,
 *                                     NPZ-EXTRA-001 to 006, NPZ-LOCAL-001 to 007, NPZ-DESC-001 to 003, NPZ-PLACE-001 to 005 */
#include "tests/unit/zips.h"

static const uint8_t one[] = "the bytes of the first member";
static const uint8_t two[] = "and those of the second";

/* Opens an archive from a copy in memory of exactly its size, and from a file: both must say the same. */
static void expect_open(const struct zip *zip, const snpy_archive_options *options, snpy_status status, uint64_t offset)
{
    snpy_archive *archive;
    snpy_io_error error;
    uint8_t *copy = allocate(zip->length);
    memcpy(copy, zip->bytes, zip->length);
    write_bytes(in_work("lie.npz"), zip->bytes, zip->length);
    for (int way = 0; way < 2; way++) {
        snpy_status got = way == 0 ? snpy_archive_open_memory(copy, zip->length, options, &archive, &error)
                                   : snpy_archive_open(in_work("lie.npz"), options, &archive, &error);
        expect_that(got == status && error.error.status == status && error.error.offset == offset,
                    "%s at %llu, not %s at %llu\n", snpy_status_name(got), (unsigned long long)error.error.offset,
                    snpy_status_name(status), (unsigned long long)offset);
        if (status != SNPY_OK) assert_null(archive);
        snpy_archive_close(&archive);
        snpy_archive_close(&archive);
    }
    free(copy);
}

/* Two stored members. */
static struct zip plain(void)
{
    struct entry entries[2] = {stored("a", one, sizeof one), stored("b.npy", two, sizeof two)};
    return build(entries, 2, false, "");
}

/* Likewise with a wide end record. */
static struct zip wide(void)
{
    struct entry entries[2] = {stored("a", one, sizeof one), stored("b.npy", two, sizeof two)};
    return build(entries, 2, true, "");
}

/* Changes one number of an archive, which is given back then, and expects a refusal. */
static void expect_lie(struct zip zip, size_t place, uint64_t number, size_t size, snpy_status status, uint64_t offset)
{
    patch(&zip, place, number, size);
    expect_open(&zip, NULL, status, offset);
    free(zip.bytes);
}

/* An archive, which is given back, under options. */
static void expect_built(struct zip zip, const snpy_archive_options *options, snpy_status status, uint64_t offset)
{
    expect_open(&zip, options, status, offset);
    free(zip.bytes);
}

static void test_good_archives_open(void **state)
{
    struct entry entries[3] = {stored("a", one, sizeof one), deflated("b.npy", two, sizeof two), stored("c/", "", 0)};
    (void)state;
    expect_built(plain(), NULL, SNPY_OK, 0);
    expect_built(wide(), NULL, SNPY_OK, 0);
    expect_built(build(entries, 3, false, "any comment PK\5 at all"), NULL, SNPY_OK, 0); /* NPZ-END-009 */
    expect_built(build(entries, 0, false, ""), NULL, SNPY_OK, 0);
    expect_built(build(entries, 0, true, "empty"), NULL, SNPY_BAD_MAGIC, 0); /* begins with the wide record */
    for (enum descriptor way = NARROW; way <= WIDE; way++) {
        entries[1].descriptor = way;
        entries[1].has_zip64 = way == WIDE;
        expect_built(build(entries, 3, false, ""), NULL, SNPY_OK, 0);
    }
    free_data(&entries[1]);
}

static void test_what_is_no_archive(void **state)
{
    static const char *const others[] = {"", "P", "PK\3", "PK\1\2", "\x93NUMPY"};
    (void)state;
    for (size_t i = 0; i < COUNT(others); i++) {
        struct zip zip;
        memset(&zip, 0, sizeof zip);
        put(&zip, others[i], strlen(others[i]));
        if (zip.bytes == NULL) zip.bytes = allocate(1);
        expect_built(zip, NULL, SNPY_BAD_MAGIC, 0); /* NPZ-END-001 */
    }
}

/* Every prefix of an archive is refused, and nothing beyond its end is read. */
static void test_every_prefix_is_refused(void **state)
{
    struct zip zip = wide();
    (void)state;
    for (size_t length = 0; length < zip.length; length++) {
        uint8_t *copy = allocate(length);
        snpy_archive *archive;
        snpy_io_error error;
        memcpy(copy, zip.bytes, length);
        snpy_status status = snpy_archive_open_memory(copy, length, NULL, &archive, &error);
        expect_that(status != SNPY_OK && error.error.offset <= length, "%zu bytes: %s at %llu\n", length,
                    snpy_status_name(status), (unsigned long long)error.error.offset);
        if (length >= 4) assert_int_equal(status, length < zip.end + 22 ? SNPY_ZIP_NO_END : SNPY_OK);
        free(copy);
    }
    free(zip.bytes);
}

static void test_end_records(void **state)
{
    struct entry entry = stored("a", one, sizeof one);
    struct zip zip = plain();
    size_t end = zip.end;
    size_t length = zip.length;
    (void)state;
    free(zip.bytes);
    expect_lie(plain(), end, 0, 1, SNPY_ZIP_NO_END, length);
    expect_lie(plain(), end + 20, 1, 2, SNPY_ZIP_TRUNCATED_COMMENT, end + 20);
    zip = build(&entry, 1, false, "xy");
    expect_lie(zip, zip.end + 20, 1, 2, SNPY_ZIP_TRAILING_DATA, zip.length - 1);
    for (size_t at = 4; at <= 6; at += 2) expect_lie(plain(), end + at, 1, 2, SNPY_ZIP_MULTI_DISK, end + at);
    expect_lie(plain(), end + 8, 1, 2, SNPY_ZIP_MULTI_DISK, end + 8);
    expect_lie(plain(), end + 12, zip.end, 4, SNPY_ZIP_BAD_DIRECTORY, end + 16);
    expect_lie(plain(), end + 16, 0xffffffff, 4, SNPY_ZIP_BAD_DIRECTORY, end + 16);
    expect_lie(plain(), end + 16, 3, 4, SNPY_ZIP_BAD_DIRECTORY, end + 16);
    for (uint64_t count = 0; count < 65536; count += count < 4 ? 1 : 9361) {
        if (count == 2) continue;
        zip = plain();
        patch(&zip, end + 8, count, 2);
        expect_lie(zip, end + 10, count, 2, SNPY_ZIP_BAD_COUNT, end + 10);
    }
}

/* A record inside the comment, one that reaches over the end, is another archive to some. */
static void test_two_end_records(void **state)
{
    struct zip zip = plain();
    size_t end = zip.end;
    (void)state;
    uint8_t record[22];
    memcpy(record, zip.bytes + end, sizeof record);
    patch(&zip, end + 20, sizeof record, 2);
    put(&zip, record, sizeof record);
    expect_built(zip, NULL, SNPY_ZIP_AMBIGUOUS_END, end);
}

static void test_wide_end_records(void **state)
{
    struct zip zip = wide();
    size_t at = zip.wide_end;
    size_t end = zip.end;
    (void)state;
    free(zip.bytes);
    expect_lie(wide(), at + 56 + 8, at - 1, 8, SNPY_ZIP_BAD_LOCATOR, at + 56);
    expect_lie(wide(), at + 56 + 16, 2, 4, SNPY_ZIP_BAD_LOCATOR, at + 56);
    expect_lie(wide(), at, 0, 1, SNPY_ZIP_BAD_LOCATOR, at + 56);
    expect_lie(wide(), at + 4, 45, 8, SNPY_ZIP_BAD_WIDE_END, at + 4);
    expect_lie(wide(), end + 10, 1, 2, SNPY_ZIP_WIDE_END_DIFFERS, end + 10);
    expect_lie(wide(), end + 12, 1, 4, SNPY_ZIP_WIDE_END_DIFFERS, end + 12);
    expect_lie(wide(), end + 16, 1, 4, SNPY_ZIP_WIDE_END_DIFFERS, end + 16);
    expect_lie(wide(), at + 24, 3, 8, SNPY_ZIP_MULTI_DISK, at + 24);
    for (size_t disk = 16; disk <= 20; disk += 4) expect_lie(wide(), at + disk, 1, 4, SNPY_ZIP_MULTI_DISK, at + disk);
    zip = wide(); /* all ones in the narrow record say nothing */
    patch(&zip, end + 10, 0xffff, 2);
    patch(&zip, end + 12, 0xffffffff, 4);
    expect_lie(zip, end + 16, 0xffffffff, 4, SNPY_OK, 0);
    zip = wide();
    patch(&zip, end + 12, 0xffffffff, 4);
    expect_lie(zip, at + 40, 1, 8, SNPY_ZIP_BAD_DIRECTORY, at + 48);
    zip = wide(); /* a count that would take all memory */
    patch(&zip, end + 10, 0xffff, 2);
    patch(&zip, end + 8, 0xffff, 2);
    patch(&zip, at + 24, 1000000, 8);
    expect_lie(zip, at + 32, 1000000, 8, SNPY_ZIP_BAD_COUNT, at + 32);
    zip = wide();
    patch(&zip, end + 10, 0xffff, 2);
    patch(&zip, end + 8, 0xffff, 2);
    patch(&zip, at + 24, UINT64_MAX, 8);
    expect_lie(zip, at + 32, UINT64_MAX, 8, SNPY_ZIP_TOO_MANY_MEMBERS, at + 32);
}

static void test_member_limit(void **state)
{
    snpy_archive_options options = archive_defaults();
    snpy_zip_options walk = zip_defaults();
    struct zip zip = plain();
    (void)state;
    options.zip = &walk;
    walk.max_members = 2;
    expect_open(&zip, &options, SNPY_OK, 0);
    walk.max_members = 1;
    expect_built(zip, &options, SNPY_ZIP_TOO_MANY_MEMBERS, zip.end + 10);
}

static void test_central_headers(void **state)
{
    struct zip zip = plain();
    size_t at = zip.central[1];
    size_t end = zip.end;
    (void)state;
    free(zip.bytes);
    expect_lie(plain(), at, 0, 1, SNPY_ZIP_BAD_CENTRAL, at);
    for (size_t length = 28; length <= 32; length += 2)
        expect_lie(plain(), at + length, 100, 2, SNPY_ZIP_TRUNCATED_CENTRAL, end);
    expect_lie(plain(), at + 6, 46, 2, SNPY_ZIP_VERSION, at + 6);
    expect_lie(plain(), at + 8, 1, 2, SNPY_ZIP_ENCRYPTED, at + 8);
    expect_lie(plain(), at + 8, 1 << 13, 2, SNPY_ZIP_ENCRYPTED, at + 8);
    expect_lie(plain(), at + 8, 1 << 5, 2, SNPY_ZIP_FLAGS, at + 8);
    expect_lie(plain(), at + 10, 12, 2, SNPY_ZIP_METHOD, at + 10);
    expect_lie(plain(), at + 20, sizeof two + 1, 4, SNPY_ZIP_STORED_SIZE, at + 20);
    expect_lie(plain(), at + 24, 0, 4, SNPY_ZIP_STORED_SIZE, at + 20);
    expect_lie(plain(), at + 34, 1, 2, SNPY_ZIP_MULTI_DISK, at + 34);
    expect_lie(plain(), at + 46 + 2, 0, 1, SNPY_ZIP_NUL_IN_NAME, at + 46 + 2);
    for (size_t free_of_meaning = 36; free_of_meaning < 42; free_of_meaning++) /* NPZ-DIR-008 */
        expect_lie(plain(), at + free_of_meaning, 0xff, 1, SNPY_OK, 0);
    expect_lie(plain(), at + 4, 0xffff, 2, SNPY_OK, 0);
    expect_lie(plain(), at + 12, 0xffffffff, 4, SNPY_OK, 0);
}

static void test_names(void **state)
{
    struct entry entries[2] = {stored("a", one, sizeof one), stored("\xff.npy", two, sizeof two)};
    struct zip zip = build(entries, 2, false, "");
    (void)state;
    expect_built(zip, NULL, SNPY_OK, 0); /* code page 437 has a character for each byte: NPZ-NAME-002 */
    entries[1].flags = 0x800;
    zip = build(entries, 2, false, "");
    expect_built(zip, NULL, SNPY_ZIP_NAME_UTF8, zip.central[1] + 46);
    entries[1].flags = 0;
    entries[1].name = "a.npy";
    zip = build(entries, 2, false, "");
    expect_built(zip, NULL, SNPY_ZIP_DUPLICATE_KEY, zip.central[1] + 46);
    entries[1].name = "dir/";
    zip = build(entries, 2, false, "");
    expect_built(zip, NULL, SNPY_ZIP_DIRECTORY_DATA, zip.central[1] + 24);
    entries[1].name = "";
    zip = build(entries, 2, false, "");
    expect_built(zip, NULL, SNPY_ZIP_EMPTY_NAME, zip.central[1] + 28);
    entries[0].name = "\x82"; /* é in code page 437, then in UTF-8: one key */
    entries[1].name = "\xc3\xa9.npy";
    entries[1].flags = 0x800;
    zip = build(entries, 2, false, "");
    expect_built(zip, NULL, SNPY_ZIP_DUPLICATE_KEY, zip.central[1] + 46);
}

static void test_extra_fields(void **state)
{
    struct entry entry = stored("b.npy", two, sizeof two);
    static const struct text good = T("\xfe\xca\2\0xy");
    static const struct text cut = T("\xfe\xca\3\0xy");
    static const struct text rest = T("\xfe\xca\2\0xyz");
    static const struct text twice = T("\1\0\0\0\1\0\0\0");
    static const struct text thrice = T("\1\0\0\0\1\0\0\0\1\0\0\0");
    static const struct text differs = T("\1\0\10\0\1\0\0\0\0\0\0\0");
    static const struct text path = T("\x75\x70\6\0\1\0\0\0\0x");
    struct zip zip;
    (void)state;
    entry.central_extra = entry.local_extra = good;
    expect_built(build(&entry, 1, false, ""), NULL, SNPY_OK, 0); /* NPZ-EXTRA-006 */
    entry.local_extra.length = 0;
    entry.central_extra = cut;
    zip = build(&entry, 1, false, "");
    expect_built(zip, NULL, SNPY_ZIP_BAD_EXTRA, zip.central[0] + 46 + 5);
    entry.central_extra = rest;
    zip = build(&entry, 1, false, "");
    expect_built(zip, NULL, SNPY_ZIP_BAD_EXTRA, zip.central[0] + 46 + 5 + 6);
    entry.central_extra = twice;
    zip = build(&entry, 1, false, "");
    expect_built(zip, NULL, SNPY_ZIP_EXTRA_TWICE, zip.central[0] + 46 + 5 + 4);
    entry.central_extra = thrice;
    zip = build(&entry, 1, false, "");
    expect_built(zip, NULL, SNPY_ZIP_EXTRA_TWICE, zip.central[0] + 46 + 5 + 4); /* the first that comes again */
    entry.central_extra = differs;
    zip = build(&entry, 1, false, "");
    expect_built(zip, NULL, SNPY_ZIP_WIDE_DIFFERS, zip.central[0] + 46 + 5 + 4);
    expect_lie(build(&entry, 1, false, ""), zip.central[0] + 20, 0xffffffff, 4, SNPY_ZIP_STORED_SIZE,
               zip.central[0] + 20); /* all ones: the field has the compressed size, NPZ-EXTRA-003 */
    entry.central_extra.length = 4;
    expect_lie(build(&entry, 1, false, ""), zip.central[0] + 46 + 5 + 2, 0, 2, SNPY_OK, 0);
    zip = build(&entry, 1, false, "");
    patch(&zip, zip.central[0] + 46 + 5 + 2, 0, 2);
    expect_lie(zip, zip.central[0] + 24, 0xffffffff, 4, SNPY_ZIP_WIDE_MISSING, zip.central[0] + 46 + 5);
    entry.central_extra = path;
    zip = build(&entry, 1, false, "");
    expect_built(zip, NULL, SNPY_ZIP_UNICODE_PATH, zip.central[0] + 46 + 5);
}

/* Zeros behind the extra fields of a local header align its data; in the directory nothing is to be aligned, and a byte
 * that is not zero may be the beginning of a field.                                                    NPZ-EXTRA-001 */
static void test_zeros_pad_local_headers_only(void **state)
{
    uint8_t bytes[4 + 2 + 64];
    (void)state;
    memcpy(bytes, "\xfe\xca\2\0xy", 6);
    for (size_t from = 0; from <= 6; from += 6) {
        for (size_t count = 0; count < 64; count++) {
            const struct text field = {(const char *)bytes + 6 - from, from + count};
            struct entry entry = stored("b.npy", two, sizeof two);
            memset(bytes + 6, 0, 64);
            entry.local_extra = field;
            expect_built(build(&entry, 1, false, ""), NULL, SNPY_OK, 0);
            if (count % 4 == 0) continue;
            struct zip zip = build(&entry, 1, false, "");
            size_t rest = zip.local[0] + 30 + 5 + from + count / 4 * 4;
            for (size_t i = 1; i < count % 4; i++) {
                expect_lie(build(&entry, 1, false, ""), rest + i, 1, 1, SNPY_ZIP_BAD_EXTRA, rest);
            }
            expect_lie(zip, rest, 0x80, 1, SNPY_ZIP_BAD_EXTRA, rest);
            entry.local_extra.length = 0;
            entry.central_extra = field;
            zip = build(&entry, 1, false, "");
            expect_built(zip, NULL, SNPY_ZIP_BAD_EXTRA, zip.central[0] + 46 + 5 + from + count / 4 * 4);
        }
    }
}

/* A wide field of the directory may end in the number of the disk, 0, and has to where the header says all ones.
 *                                                                      NPZ-END-006, NPZ-EXTRA-003, NPZ-EXTRA-004 */
static void test_disk_in_a_wide_field(void **state)
{
    uint8_t field[32] = "\1\0\34\0";
    struct entry entry = stored("b.npy", two, sizeof two);
    (void)state;
    field[4] = field[12] = sizeof two;
    entry.central_extra = (struct text){(const char *)field, sizeof field};
    struct zip zip = build(&entry, 1, false, "");
    const size_t at = zip.central[0];
    const size_t extra = at + 46 + 5;
    free(zip.bytes);
    for (unsigned ones = 0; ones < 16; ones++) {
        /* size, compressed size, offset, disk: the field has all of them, whichever are all ones in the header */
        const bool is_sequence = ones % 8 == 0 || ones % 8 == 1 || ones % 8 == 3 || ones % 8 == 7;
        if (!is_sequence) continue;
        for (unsigned lie = 0; lie <= 4; lie++) {
            zip = build(&entry, 1, false, "");
            if (ones % 2 == 1) patch(&zip, at + 24, 0xffffffff, 4);
            if (ones / 2 % 2 == 1) patch(&zip, at + 20, 0xffffffff, 4);
            if (ones / 4 % 2 == 1) patch(&zip, at + 42, 0xffffffff, 4);
            if (ones / 8 == 1) patch(&zip, at + 34, 0xffff, 2);
            if (lie == 4) expect_open(&zip, NULL, SNPY_OK, 0);
            if (lie == 3) patch(&zip, extra + 28, 0x01000000, 4);
            if (lie == 3) expect_open(&zip, NULL, SNPY_ZIP_WIDE_DIFFERS, extra + 28);
            if (lie < 3 && ones % 8 == 0) patch(&zip, extra + 4 + 8 * (size_t)lie, 77, 8);
            if (lie < 3 && ones % 8 == 0) expect_open(&zip, NULL, SNPY_ZIP_WIDE_DIFFERS, extra + 4 + 8 * (size_t)lie);
            free(zip.bytes);
        }
    }
    entry.central_extra.length = 8; /* the disk alone */
    field[2] = 4;
    field[4] = 0;
    expect_lie(build(&entry, 1, false, ""), at + 34, 0xffff, 2, SNPY_OK, 0);
    expect_built(build(&entry, 1, false, ""), NULL, SNPY_ZIP_WIDE_DIFFERS, extra + 4);
    field[7] = 1;
    expect_lie(build(&entry, 1, false, ""), at + 34, 0xffff, 2, SNPY_ZIP_WIDE_DIFFERS, extra + 4);
    entry.central_extra.length = 4; /* neither disk nor anything else */
    field[2] = 0;
    expect_lie(build(&entry, 1, false, ""), at + 34, 0xffff, 2, SNPY_ZIP_WIDE_MISSING, extra);
    entry.central_extra.length = 0;
    expect_lie(build(&entry, 1, false, ""), at + 34, 0xffff, 2, SNPY_ZIP_MULTI_DISK, at + 34);
}

static void test_local_headers(void **state)
{
    struct zip zip = plain();
    size_t at = zip.local[1];
    size_t central = zip.central[1];
    (void)state;
    free(zip.bytes);
    expect_lie(plain(), at, 0, 1, SNPY_ZIP_BAD_LOCAL, at);
    expect_lie(plain(), central + 42, at + 1, 4, SNPY_ZIP_GAP, at);
    expect_lie(plain(), central + 42, zip.central[0], 4, SNPY_ZIP_BAD_LOCAL, zip.central[0]);
    expect_lie(plain(), at + 4, 46, 2, SNPY_ZIP_VERSION, at + 4);
    expect_lie(plain(), at + 26, 2000, 2, SNPY_ZIP_TRUNCATED_LOCAL, at);
    expect_lie(plain(), at + 28, 2000, 2, SNPY_ZIP_TRUNCATED_LOCAL, at);
    expect_lie(plain(), at + 26, 4, 2, SNPY_ZIP_NAME_DIFFERS, at + 26);
    expect_lie(plain(), at + 30 + 1, 'x', 1, SNPY_ZIP_NAME_DIFFERS, at + 30 + 1);
    expect_lie(plain(), at + 8, 8, 2, SNPY_ZIP_METHOD_DIFFERS, at + 8);
    expect_lie(plain(), at + 6, 8, 2, SNPY_ZIP_FLAGS_DIFFER, at + 6);
    expect_lie(plain(), at + 18, 0, 4, SNPY_ZIP_SIZE_DIFFERS, at + 18);
    expect_lie(plain(), at + 22, 0, 4, SNPY_ZIP_SIZE_DIFFERS, at + 22);
    expect_lie(plain(), at + 14, 0, 4, SNPY_ZIP_CRC_DIFFERS, at + 14);
}

static void test_places(void **state)
{
    snpy_archive_options options = archive_defaults();
    snpy_zip_options walk = zip_defaults();
    struct zip zip = plain();
    size_t last = zip.central[1];
    (void)state;
    options.zip = &walk;
    free(zip.bytes);
    expect_lie(plain(), zip.central[0] + 42, 1, 4, SNPY_ZIP_PREFIX, 0);
    expect_lie(plain(), last + 42, 0, 4, SNPY_ZIP_OVERLAP, 0);
    zip = plain();
    for (size_t at = 18; at <= 22; at += 4) {
        patch(&zip, zip.local[1] + at, 1000000, 4);
        patch(&zip, last + at + 2, 1000000, 4);
    }
    expect_built(zip, NULL, SNPY_ZIP_OUT_OF_BOUNDS, last + 20);
    zip = plain();
    for (size_t at = 18; at <= 22; at += 4) {
        patch(&zip, zip.local[1] + at, sizeof two - 1, 4);
        patch(&zip, last + at + 2, sizeof two - 1, 4);
    }
    expect_open(&zip, NULL, SNPY_ZIP_GAP, zip.behind[1] - 1);
    walk.gaps = true;
    expect_built(zip, &options, SNPY_OK, 0);
}

static void test_flags(void **state)
{
    struct entry entry = stored("a", one, sizeof one);
    snpy_archive_options options = archive_defaults();
    snpy_zip_options walk = zip_defaults();
    struct zip zip = plain();
    struct zip behind;
    (void)state;
    options.zip = &walk;
    memset(&behind, 0, sizeof behind);
    put(&behind, "#!/bin/sh\n", 10);
    put(&behind, zip.bytes, zip.length);
    expect_open(&behind, NULL, SNPY_BAD_MAGIC, 0);
    walk.prefix = true;
    expect_open(&behind, &options, SNPY_OK, 0);
    free(behind.bytes);
    walk = zip_defaults();
    put(&zip, "more", 4);
    expect_open(&zip, NULL, SNPY_ZIP_TRAILING_DATA, zip.length - 4);
    walk.trailing = true;
    expect_built(zip, &options, SNPY_OK, 0);
    walk = zip_defaults();
    entry.descriptor = UNSIGNED;
    zip = build(&entry, 1, false, "");
    expect_open(&zip, NULL, SNPY_ZIP_NO_DESCRIPTOR, zip.behind[0]);
    walk.unsigned_descriptor = true;
    expect_built(zip, &options, SNPY_OK, 0);
}

/* A descriptor that no flag announces is a gap.                                                      NPZ-DESC-004 */
static void test_unannounced_descriptors(void **state)
{
    struct entry entry = stored("a", one, sizeof one);
    (void)state;
    entry.descriptor = NARROW;
    struct zip zip = build(&entry, 1, false, "");
    for (size_t at = 14; at <= 22; at += 4) patch(&zip, zip.local[0] + at, at == 14 ? entry.crc : sizeof one, 4);
    patch(&zip, zip.local[0] + 6, 0, 2);
    expect_lie(zip, zip.central[0] + 8, 0, 2, SNPY_ZIP_GAP, zip.behind[0]);
}

static void test_descriptors(void **state)
{
    struct entry entry = stored("a", one, sizeof one);
    struct zip zip;
    (void)state;
    for (enum descriptor way = NARROW; way <= WIDE; way++) {
        entry.descriptor = way;
        entry.has_zip64 = way == WIDE;
        zip = build(&entry, 1, false, "");
        size_t at = zip.behind[0];
        free(zip.bytes);
        expect_lie(build(&entry, 1, false, ""), at, 0, 1, SNPY_ZIP_NO_DESCRIPTOR, at);
        expect_lie(build(&entry, 1, false, ""), at + 4, 0, 4, SNPY_ZIP_DESCRIPTOR_DIFFERS, at + 4);
        expect_lie(build(&entry, 1, false, ""), at + 8, 0, 4, SNPY_ZIP_DESCRIPTOR_DIFFERS, at + 8);
        size_t size_at = at + (way == WIDE ? 16 : 12);
        expect_lie(build(&entry, 1, false, ""), size_at, 0, 4, SNPY_ZIP_DESCRIPTOR_DIFFERS, size_at);
    }
}

/* A descriptor of 24 bytes that no wide field announces: the next entry begins right behind it, for a member without bytes
 * too, of which 16 bytes would say the same.                                                           NPZ-DESC-002 */
static void test_long_descriptors_unannounced(void **state)
{
    struct entry entries[3] = {stored("a", one, sizeof one), stored("b", "", 0), stored("c", two, sizeof two)};
    snpy_archive_options options = archive_defaults();
    snpy_zip_options walk = zip_defaults();
    (void)state;
    options.zip = &walk;
    walk.gaps = true;
    for (size_t i = 0; i < COUNT(entries); i++) {
        entries[i].descriptor = WIDE;
        struct zip zip = build(entries, 3, false, "");
        expect_open(&zip, NULL, SNPY_OK, 0);
        expect_open(&zip, &options, SNPY_OK, 0);
        free(zip.bytes);
    }
    struct zip zip = build(entries, 3, false, "");
    size_t at = zip.behind[2];
    free(zip.bytes);
    expect_lie(build(entries, 3, false, ""), at, 0, 1, SNPY_ZIP_NO_DESCRIPTOR, at);
    expect_lie(build(entries, 3, false, ""), at + 4, 0, 4, SNPY_ZIP_DESCRIPTOR_DIFFERS, at + 4);
    expect_lie(build(entries, 3, false, ""), at + 8, 0, 4, SNPY_ZIP_DESCRIPTOR_DIFFERS, at + 8);
    expect_lie(build(entries, 3, false, ""), at + 12, 1, 4, SNPY_ZIP_DESCRIPTOR_DIFFERS, at + 12);
    expect_lie(build(entries, 3, false, ""), at + 16, 0, 4, SNPY_ZIP_DESCRIPTOR_DIFFERS, at + 12);
    expect_lie(build(entries, 3, false, ""), at + 20, 1, 4, SNPY_ZIP_DESCRIPTOR_DIFFERS, at + 12);
    at = zip.behind[1]; /* of the empty member the short reading is left, and a gap */
    expect_lie(build(entries, 3, false, ""), at + 20, 1, 4, SNPY_ZIP_GAP, at + 16);
}

/* Beside a descriptor, a wide field that nobody needs holds zeros or the truth.                        NPZ-EXTRA-004 */
static void test_needless_numbers_beside_a_descriptor(void **state)
{
    static const struct text zeros = T("\1\0\20\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    static const struct text other = T("\1\0\20\0\0\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0");
    struct entry entry = stored("a", one, sizeof one);
    (void)state;
    entry.descriptor = WIDE;
    entry.local_extra = zeros;
    expect_built(build(&entry, 1, false, ""), NULL, SNPY_OK, 0);
    entry.local_extra = other;
    struct zip zip = build(&entry, 1, false, "");
    expect_built(zip, NULL, SNPY_ZIP_WIDE_DIFFERS, zip.local[0] + 30 + 1 + 4 + 8);
}

/* Whatever byte changes, nothing is read that is not there, and no offset leads out. */
static void test_every_byte(void **state)
{
    struct entry entries[2] = {stored("a", one, sizeof one), stored("b.npy", two, sizeof two)};
    static const uint8_t changes[] = {0x01, 0x80, 0xff};
    (void)state;
    entries[1].descriptor = WIDE;
    entries[1].has_zip64 = true;
    struct zip zip = build(entries, 2, true, "end");
    uint8_t *copy = allocate(zip.length);
    for (size_t i = 0; i < zip.length * COUNT(changes); i++) {
        snpy_archive *archive;
        snpy_io_error error;
        memcpy(copy, zip.bytes, zip.length);
        copy[i / COUNT(changes)] ^= changes[i % COUNT(changes)];
        snpy_status status = snpy_archive_open_memory(copy, zip.length, NULL, &archive, &error);
        assert_true(status == error.error.status);
        /* where a local header should be is what the archive says */
        assert_true(error.error.offset <= zip.length || status == SNPY_ZIP_BAD_LOCAL);
        for (size_t k = 0; status == SNPY_OK && k < snpy_archive_count(archive); k++) { /* NPZ-PLACE-005 */
            const snpy_zip_member *member = snpy_archive_member(archive, k);
            uint64_t limit = k + 1 < snpy_archive_count(archive) ? member[1].local_offset : zip.central[0];
            assert_true(member->local_offset < member->data_offset && member->end_offset <= limit);
            assert_true(member->data_offset + member->compressed_size <= member->end_offset);
        }
        snpy_archive_close(&archive);
    }
    free(copy);
    free(zip.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_archives_open),
        cmocka_unit_test(test_what_is_no_archive),
        cmocka_unit_test(test_every_prefix_is_refused),
        cmocka_unit_test(test_end_records),
        cmocka_unit_test(test_two_end_records),
        cmocka_unit_test(test_wide_end_records),
        cmocka_unit_test(test_member_limit),
        cmocka_unit_test(test_central_headers),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_extra_fields),
        cmocka_unit_test(test_zeros_pad_local_headers_only),
        cmocka_unit_test(test_disk_in_a_wide_field),
        cmocka_unit_test(test_local_headers),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_long_descriptors_unannounced),
        cmocka_unit_test(test_needless_numbers_beside_a_descriptor),
        cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_unannounced_descriptors),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
