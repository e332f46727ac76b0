/* test_zip_steps.c: the steps of a walk through an archive, each by itself, with numbers that no archive of a bearable size
 * has and that no step before would hand on; and the records of archives that are written.
 *                    API-ARCHIVE, API-ARGUMENT, NPZ-END-002, NPZ-PLACE-005, NPZ-DESC-002, NPZ-WIDE-001, NPZ-WRITE-004 to 007 */
#include "core/zip/write_records.h"
#include "tests/unit/zips.h"

static const uint8_t bytes[] = "the bytes of a member";
static snpy_error error;

static void expect(snpy_status got, snpy_status status, uint64_t offset, const char *what, size_t number)
{
    expect_that(got == status && error.status == status && error.offset == offset,
                "%s, %zu: %s at %llu, not %s at %llu\n", what, number, snpy_status_name(got),
                (unsigned long long)error.offset, snpy_status_name(status), (unsigned long long)offset);
}

/* An archive of two members, one with a descriptor, and what the first two steps say of it. */
struct walk {
    struct zip zip;
    snpy_zip_options options;
    snpy_zip_directory directory;
    snpy_zip_member members[2];
    uint8_t *central;
    size_t central_length;
};

static void begin(struct walk *walk)
{
    const snpy_zip_options options = SNPY_ZIP_OPTIONS_INIT;
    struct entry entries[2] = {stored("a", bytes, sizeof bytes), stored("b", bytes, sizeof bytes)};
    entries[1].descriptor = NARROW;
    walk->zip = build(entries, 2, false, "");
    walk->options = options;
    assert_int_equal(
        snpy_zip_find(walk->zip.bytes, walk->zip.length, walk->zip.length, &options, &walk->directory, &error),
        SNPY_OK);
    walk->central = walk->zip.bytes + walk->directory.offset;
    walk->central_length = (size_t)walk->directory.size;
    assert_int_equal(snpy_zip_list(walk->central, walk->central_length, &walk->directory, walk->members, 2, &error),
                     SNPY_OK);
}

static void end(struct walk *walk)
{
    free(walk->zip.bytes);
}

static snpy_status read_local(struct walk *walk, size_t index, size_t length, size_t *wanted)
{
    return snpy_zip_local(walk->zip.bytes + walk->zip.local[index], length, walk->central, walk->central_length,
                          &walk->directory, &walk->options, walk->members, index, wanted, &error);
}

static void read_all(struct walk *walk)
{
    size_t wanted = 0;
    for (size_t i = 0; i < 2; i++)
        expect(read_local(walk, i, walk->zip.length - walk->zip.local[i], &wanted), SNPY_OK, 0, "local header", i);
    expect(snpy_zip_descriptor(walk->zip.bytes + walk->zip.behind[1], 16, &walk->options, &walk->members[1], &error),
           SNPY_OK, 0, "descriptor", 1);
    assert_int_equal(walk->members[1].end_offset, walk->directory.offset);
}

/* Step 1: options of another library, and tails that are no tail of that file. */
static void test_find_refuses_callers(void **state)
{
    const snpy_zip_options good = SNPY_ZIP_OPTIONS_INIT;
    struct walk walk;
    snpy_zip_directory directory;
    (void)state;
    begin(&walk);
    const uint8_t *tail = walk.zip.bytes;
    const size_t length = walk.zip.length;
    const uint64_t sizes[] = {SNPY_MAX_SIZE + 1, length - 1, length + 1, UINT64_MAX};
    for (size_t i = 0; i < COUNT(sizes); i++)
        expect(snpy_zip_find(tail, length, sizes[i], &good, &directory, &error), SNPY_BAD_ARGUMENT, 0, "size", i);
    snpy_zip_options options = good;
    options.size--;
    expect(snpy_zip_find(tail, length, length, &options, &directory, &error), SNPY_BAD_ARGUMENT, 0, "options", 0);
    options = good;
    options.max_members = (uint64_t)SNPY_ZIP_MAX_MEMBERS + 1;
    expect(snpy_zip_find(tail, length, length, &options, &directory, &error), SNPY_BAD_ARGUMENT, 0, "options", 1);
    end(&walk);
}

/* The tail of a large file is enough: places are those of the file.                                     NPZ-END-002 */
static void test_find_in_a_tail(void **state)
{
    const snpy_zip_options options = SNPY_ZIP_OPTIONS_INIT;
    const size_t length = SNPY_ZIP_TAIL;
    const uint64_t file_size = UINT64_C(1) << 40;
    uint8_t *tail = allocate(length);
    snpy_zip_directory directory;
    (void)state;
    memset(tail, 0, length);
    uint8_t *record = tail + length - 22;
    memcpy(record, "PK\5\6\0\0\0\0\1\0\1\0\144\0\0\0", 16); /* one member, 100 bytes of directory */
    expect(snpy_zip_find(tail, length, file_size, &options, &directory, &error), SNPY_ZIP_BAD_DIRECTORY,
           file_size - 22 + 16, "narrow", 0);
    expect(snpy_zip_find(tail, length - 1, file_size, &options, &directory, &error), SNPY_BAD_ARGUMENT, 0, "short", 0);
    free(tail);
}

/* A locator with too little in front of it for the record that it leads to.                            NPZ-WIDE-002 */
static void test_locator_at_the_start(void **state)
{
    const snpy_zip_options options = SNPY_ZIP_OPTIONS_INIT;
    (void)state;
    for (size_t before = 0; before < 56; before += 55) {
        uint8_t tail[55 + 20 + 22];
        const size_t length = before + 20 + 22;
        snpy_zip_directory directory;
        memset(tail, 0, sizeof tail);
        memcpy(tail + before, "PK\6\7", 4);
        memcpy(tail + before + 20, "PK\5\6", 4);
        expect(snpy_zip_find(tail, length, length, &options, &directory, &error), SNPY_ZIP_BAD_LOCATOR, before,
               "locator", before);
    }
}

/* Step 2: a directory that is not the one that was found, and a table without room. */
static void test_list_refuses_callers(void **state)
{
    struct walk walk;
    (void)state;
    begin(&walk);
    snpy_zip_directory directory = walk.directory;
    expect(snpy_zip_list(walk.central, walk.central_length - 1, &directory, walk.members, 2, &error), SNPY_BAD_ARGUMENT,
           0, "length", 0);
    directory.offset = SNPY_MAX_SIZE - walk.central_length + 1;
    expect(snpy_zip_list(walk.central, walk.central_length, &directory, walk.members, 2, &error), SNPY_BAD_ARGUMENT, 0,
           "place", 0);
    directory.size = SIZE_MAX; /* refused before a byte is read */
    expect(snpy_zip_list(walk.central, SIZE_MAX, &directory, walk.members, 2, &error), SNPY_BAD_ARGUMENT, 0, "length",
           1);
    directory = walk.directory;
    expect(snpy_zip_list(walk.central, walk.central_length, &directory, walk.members, 1, &error), SNPY_TABLE_TOO_SMALL,
           2, "room", 0);
    directory.prefix = UINT64_MAX; /* an offset that would wrap around is out of any file */
    assert_int_equal(snpy_zip_list(walk.central, walk.central_length, &directory, walk.members, 2, &error), SNPY_OK);
    assert_true(walk.members[0].local_offset == UINT64_MAX && walk.members[1].local_offset == UINT64_MAX);
    end(&walk);
}

/* Step 3: members whose names lie elsewhere, and local headers of which too little is there. */
static void test_local_refuses_callers(void **state)
{
    struct walk walk;
    size_t wanted = 77;
    (void)state;
    for (int fault = 0; fault < 6; fault++) {
        begin(&walk);
        if (fault == 0) walk.directory.offset = SNPY_MAX_SIZE + 1;
        if (fault == 1) walk.directory.offset = SNPY_MAX_SIZE - walk.central_length + 1;
        if (fault == 2) walk.members[0].central_offset = walk.directory.offset - 1;
        if (fault == 3) walk.members[0].central_offset = walk.directory.offset + walk.central_length + 1;
        if (fault == 4) walk.members[0].central_offset = walk.directory.offset + walk.central_length - 46;
        if (fault == 5) walk.members[0].name_length = 65535;
        expect(read_local(&walk, 0, walk.zip.length, &wanted), SNPY_BAD_ARGUMENT, 0, "fault", (size_t)fault);
        end(&walk);
    }
    begin(&walk);
    for (size_t length = 0; length < 31; length++) {
        expect(read_local(&walk, 0, length, &wanted), SNPY_BUFFER_TOO_SMALL, 0, "length", length);
        assert_int_equal(wanted, length < 30 ? 30 : 31);
    }
    expect(read_local(&walk, 0, 31, &wanted), SNPY_OK, 0, "length", 31);
    assert_int_equal(walk.members[0].data_offset, 31);
    end(&walk);
    /* A header that would reach into the directory is none. */
    begin(&walk);
    walk.members[0].local_offset = 0;
    walk.directory.offset = 29;
    walk.members[0].central_offset = 29;
    expect(read_local(&walk, 0, 29, &wanted), SNPY_ZIP_BAD_LOCAL, 0, "limit", 29);
    end(&walk);
}

/* A gap that is allowed, and one that is not.                                                          NPZ-PLACE-003 */
static void test_gaps_between_members(void **state)
{
    struct walk walk;
    size_t wanted = 0;
    (void)state;
    begin(&walk);
    expect(read_local(&walk, 0, walk.zip.length, &wanted), SNPY_OK, 0, "first", 0);
    walk.members[0].end_offset--;
    const uint64_t gap = walk.members[0].end_offset;
    expect(read_local(&walk, 1, walk.zip.length - walk.zip.local[1], &wanted), SNPY_ZIP_GAP, gap, "gap", 0);
    walk.options.gaps = true;
    expect(read_local(&walk, 1, walk.zip.length - walk.zip.local[1], &wanted), SNPY_OK, 0, "gap", 1);
    end(&walk);
}

/* Descriptors: places that wrap around, and pieces that are too short. */
static void test_descriptor_refuses(void **state)
{
    struct walk walk;
    (void)state;
    begin(&walk);
    read_all(&walk);
    snpy_zip_member member = walk.members[1];
    const uint8_t *behind = walk.zip.bytes + walk.zip.behind[1];
    const uint64_t places[] = {SNPY_MAX_SIZE + 1, SNPY_MAX_SIZE - 15, UINT64_MAX};
    for (size_t i = 0; i < COUNT(places); i++) {
        member.end_offset = places[i];
        expect(snpy_zip_descriptor(behind, 16, &walk.options, &member, &error), SNPY_BAD_ARGUMENT, 0, "place", i);
        assert_true(member.end_offset == places[i]);
    }
    member.end_offset = walk.zip.behind[1];
    for (size_t length = 0; length < 16; length++)
        expect(snpy_zip_descriptor(behind, length, &walk.options, &member, &error),
               length < 4 ? SNPY_ZIP_NO_DESCRIPTOR : SNPY_ZIP_DESCRIPTOR_DIFFERS, walk.zip.behind[1], "length", length);
    walk.options.unsigned_descriptor = true;
    for (size_t length = 0; length < 12; length++)
        expect(snpy_zip_descriptor(behind + 4, length, &walk.options, &member, &error), SNPY_ZIP_DESCRIPTOR_DIFFERS,
               walk.zip.behind[1], "unsigned", length);
    expect(snpy_zip_descriptor(behind + 4, 12, &walk.options, &member, &error), SNPY_OK, 0, "unsigned", 12);
    end(&walk);
}

/* What is larger than 4 GiB has a descriptor of 24 bytes, whether or not the local header says so.       NPZ-DESC-002 */
static void test_wide_descriptors(void **state)
{
    static const uint64_t sizes[][2] = {{UINT64_C(5) << 30, 7}, {7, UINT64_C(5) << 30}, {7, 7}};
    const snpy_zip_options options = SNPY_ZIP_OPTIONS_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        snpy_zip_member member;
        struct snpy_zip_entry entry;
        uint8_t out[SNPY_ZIP_MAX_DESCRIPTOR];
        memset(&member, 0, sizeof member);
        memset(&entry, 0, sizeof entry);
        member.crc = entry.crc = 0x12345678;
        member.size = entry.size = sizes[i][0];
        member.compressed_size = entry.compressed_size = sizes[i][1];
        member.end_offset = 1000;
        member.has_zip64 = i == 2;
        entry.has_zip64 = true;
        assert_int_equal(snpy_zip_put_descriptor(&entry, out), 24);
        expect(snpy_zip_descriptor(out, 24, &options, &member, &error), SNPY_OK, 0, "wide", i);
        assert_int_equal(member.end_offset, 1024);
    }
}

/* 24 bytes that say what the directory says are a descriptor without a word of the local header; a byte less, or one other
 * bit, and they are none.                                                                              NPZ-DESC-002 */
static void test_long_descriptor_by_its_numbers(void **state)
{
    const snpy_zip_options options = SNPY_ZIP_OPTIONS_INIT;
    struct snpy_zip_entry entry;
    snpy_zip_member member;
    uint8_t out[SNPY_ZIP_MAX_DESCRIPTOR];
    (void)state;
    memset(&member, 0, sizeof member);
    memset(&entry, 0, sizeof entry);
    member.crc = entry.crc = 0x12345678;
    member.size = entry.size = 0xfffffffe;
    member.compressed_size = entry.compressed_size = 7;
    entry.has_zip64 = true;
    assert_int_equal(snpy_zip_put_descriptor(&entry, out), 24);
    for (size_t bit = 0; bit < 192; bit++) {
        out[bit / 8] ^= (uint8_t)(1u << bit % 8);
        snpy_status status = snpy_zip_descriptor(out, 24, &options, &member, &error);
        assert_int_equal(status, bit < 32 ? SNPY_ZIP_NO_DESCRIPTOR : SNPY_ZIP_DESCRIPTOR_DIFFERS);
        assert_int_equal(member.end_offset, 0);
        out[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t length = 16; length < 24; length++)
        expect(snpy_zip_descriptor(out, length, &options, &member, &error), SNPY_ZIP_DESCRIPTOR_DIFFERS, 12, "cut",
               length);
    expect(snpy_zip_descriptor(out, 24, &options, &member, &error), SNPY_OK, 0, "long", 24);
    assert_int_equal(member.end_offset, 24);
}

/* Step 4 believes nothing: each number of a member that lies is found, and where two of them meet. */
static void test_ranges_are_checked_again(void **state)
{
    struct walk walk;
    (void)state;
    for (int fault = 0; fault < 13; fault++) {
        snpy_status status = SNPY_BAD_ARGUMENT;
        uint64_t offset = 1;
        begin(&walk);
        read_all(&walk);
        snpy_zip_member *member = &walk.members[1];
        switch (fault) {
        case 0:
            member->end_offset = walk.directory.offset + 1;
            break;
        case 1:
            member->data_offset = member->end_offset + 1;
            break;
        case 2:
            member->compressed_size = member->end_offset - member->data_offset + 1;
            break;
        case 3:
            member->data_offset = 29, member->compressed_size = 0;
            break;
        case 4:
            member->local_offset = member->data_offset - 29;
            break;
        case 5:
            walk.directory.offset = SNPY_MAX_SIZE + 1, offset = 0;
            break;
        case 6: /* the second begins in the first */
            member->local_offset--, status = SNPY_ZIP_OVERLAP, offset = member->local_offset;
            break;
        case 7: /* bytes between them */
            walk.members[0].compressed_size--, walk.members[0].end_offset--, status = SNPY_ZIP_GAP,
                                                                             offset = walk.members[0].end_offset;
            break;
        case 8: /* bytes behind the second */
            member->end_offset--, status = SNPY_ZIP_GAP, offset = member->end_offset;
            break;
        case 9:
            member->end_offset--, walk.options.gaps = true, status = SNPY_OK, offset = 0;
            break;
        case 10: /* the first does not begin at byte 0 */
            walk.members[0].local_offset = 1, status = SNPY_ZIP_PREFIX, offset = 0;
            break;
        case 11:
            walk.members[0].local_offset = 1, walk.options.prefix = true, status = SNPY_OK, offset = 0;
            break;
        default:
            status = SNPY_OK, offset = 0;
            break;
        }
        expect(snpy_zip_check_ranges(&walk.directory, &walk.options, walk.members, 2, &error), status, offset, "fault",
               (size_t)fault);
        end(&walk);
    }
}

/* No member: bytes in front of the directory are a gap, or with the flag a prefix.                     NPZ-PLACE-003 */
static void test_ranges_without_members(void **state)
{
    snpy_zip_options options = SNPY_ZIP_OPTIONS_INIT;
    snpy_zip_directory directory;
    (void)state;
    memset(&directory, 0, sizeof directory);
    expect(snpy_zip_check_ranges(&directory, &options, NULL, 0, &error), SNPY_OK, 0, "empty", 0);
    directory.offset = 10;
    expect(snpy_zip_check_ranges(&directory, &options, NULL, 0, &error), SNPY_ZIP_GAP, 0, "empty", 1);
    options.prefix = true;
    expect(snpy_zip_check_ranges(&directory, &options, NULL, 0, &error), SNPY_OK, 0, "empty", 2);
    options.prefix = false;
    options.gaps = true;
    expect(snpy_zip_check_ranges(&directory, &options, NULL, 0, &error), SNPY_OK, 0, "empty", 3);
}

/* Step 5: names that lie elsewhere. */
static void test_keys_refuse_callers(void **state)
{
    struct walk walk;
    (void)state;
    for (int fault = 0; fault < 6; fault++) {
        size_t count = 2;
        size_t length;
        begin(&walk);
        length = walk.central_length;
        if (fault == 0) count = (size_t)SNPY_ZIP_MAX_MEMBERS + 1; /* refused before one is looked at */
        if (fault == 1) walk.directory.offset = SNPY_MAX_SIZE + 1;
        if (fault == 2) walk.directory.offset = SNPY_MAX_SIZE - length + 1;
        if (fault == 3) walk.members[1].central_offset = walk.directory.offset - 1;
        if (fault == 4) walk.members[1].central_offset++;
        if (fault == 5) walk.members[1].name_length = 65535;
        expect(snpy_zip_keys(walk.central, length, &walk.directory, walk.members, count, &error), SNPY_BAD_ARGUMENT, 0,
               "fault", (size_t)fault);
        end(&walk);
    }
    begin(&walk); /* without members it is the place alone that is wrong */
    walk.directory.offset = SNPY_MAX_SIZE - walk.central_length + 1;
    expect(snpy_zip_keys(walk.central, walk.central_length, &walk.directory, NULL, 0, &error), SNPY_BAD_ARGUMENT, 0,
           "no members", 0);
    walk.directory.offset--;
    expect(snpy_zip_keys(walk.central, walk.central_length, &walk.directory, NULL, 0, &error), SNPY_OK, 0, "no members",
           1);
    end(&walk);
}

/* Of several keys that come again, the one that comes first in the directory is at fault.              NPZ-NAME-006 */
static void test_first_of_the_duplicates(void **state)
{
    static const char *const orders[][4] = {
        {"a", "a.npy", "b", "b.npy"}, {"b", "b.npy", "a", "a.npy"}, {"a", "b", "b.npy", "a.npy"}, {"c", "c", "c", "a"}};
    static const size_t again[] = {1, 1, 2, 1};
    const snpy_zip_options options = SNPY_ZIP_OPTIONS_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT(orders); i++) {
        struct entry entries[4];
        snpy_zip_member members[4];
        snpy_zip_directory directory;
        for (size_t k = 0; k < 4; k++) entries[k] = stored(orders[i][k], bytes, sizeof bytes);
        struct zip zip = build(entries, 4, false, "");
        assert_int_equal(snpy_zip_find(zip.bytes, zip.length, zip.length, &options, &directory, &error), SNPY_OK);
        const uint8_t *central = zip.bytes + directory.offset;
        const size_t length = (size_t)directory.size;
        assert_int_equal(snpy_zip_list(central, length, &directory, members, 4, &error), SNPY_OK);
        expect(snpy_zip_keys(central, length, &directory, members, 4, &error), SNPY_ZIP_DUPLICATE_KEY,
               zip.central[again[i]] + 46, "order", i);
        free(zip.bytes);
    }
}

/* Names from elsewhere that are no UTF-8 are no key, and equal to none.                                NPZ-NAME-001 */
static void test_names_that_are_none(void **state)
{
    static const char *const names[][2] = {{"a", "\xff"}, {"\xff", "a"}, {"\xff", "\xff"}};
    const snpy_zip_options options = SNPY_ZIP_OPTIONS_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        struct entry entries[2] = {stored(names[i][0], bytes, sizeof bytes), stored(names[i][1], bytes, sizeof bytes)};
        snpy_zip_member members[2];
        snpy_zip_directory directory;
        struct zip zip = build(entries, 2, false, "");
        assert_int_equal(snpy_zip_find(zip.bytes, zip.length, zip.length, &options, &directory, &error), SNPY_OK);
        const uint8_t *central = zip.bytes + directory.offset;
        assert_int_equal(snpy_zip_list(central, (size_t)directory.size, &directory, members, 2, &error), SNPY_OK);
        members[0].flags = members[1].flags = SNPY_ZIP_FLAG_UTF8; /* the directory has not said so */
        expect(snpy_zip_keys(central, (size_t)directory.size, &directory, members, 2, &error), SNPY_OK, 0, "names", i);
        free(zip.bytes);
    }
}

static uint64_t number_at(const uint8_t *out, size_t at, size_t size)
{
    uint64_t number = 0;
    for (size_t i = size; i > 0; i--) number = number * 256 + out[at + i - 1];
    return number;
}

/* What does not fit is all ones, and stands in the wide field, in the order that readers expect.      NPZ-WRITE-006 */
static void test_wide_central_headers(void **state)
{
    const uint64_t wide = UINT64_C(0xffffffff);
    (void)state;
    for (unsigned which = 0; which < 16; which++) {
        struct snpy_zip_entry entry;
        uint8_t field[SNPY_ZIP_MAX_ZIP64_FIELD];
        uint8_t out[46];
        const uint64_t numbers[3] = {which & 1 ? wide : wide - 1, which & 2 ? wide + 1 : 2, which & 4 ? wide * 3 : 3};
        memset(&entry, 0, sizeof entry);
        entry.size = numbers[0];
        entry.compressed_size = numbers[1];
        entry.offset = numbers[2];
        entry.has_zip64 = which >= 8;
        size_t at = 4;
        size_t length = snpy_zip_put_central_zip64(&entry, field);
        for (size_t k = 0; k < 3; k++) {
            if (numbers[k] < wide) continue;
            assert_true(number_at(field, at, 8) == numbers[k]);
            at += 8;
        }
        assert_int_equal(length, at == 4 ? 0 : at);
        if (length > 0) assert_true(number_at(field, 0, 2) == 1 && number_at(field, 2, 2) == length - 4);
        snpy_zip_put_central(&entry, (uint32_t)length, out);
        assert_true(number_at(out, 24, 4) == (numbers[0] < wide ? numbers[0] : wide));
        assert_true(number_at(out, 20, 4) == (numbers[1] < wide ? numbers[1] : wide));
        assert_true(number_at(out, 42, 4) == (numbers[2] < wide ? numbers[2] : wide));
        assert_int_equal(number_at(out, 6, 2), which == 0 ? 20 : 45);
    }
}

/* A wide end record is written if a number does not fit, and not otherwise.                            NPZ-WRITE-007 */
static void test_ends(void **state)
{
    static const struct {
        uint64_t count;
        uint64_t size;
        uint64_t offset;
        size_t length;
    } cases[] = {
        {0xfffe, 100, 1000, 22},         {0xffff, 100, 1000, 98},         {1, 0x7fffffff, 0x7fffffff, 22},
        {1, 0x7fffffff, 0x80000000, 98}, {1, 100, UINT64_C(1) << 40, 98},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t out[SNPY_ZIP_MAX_END];
        const uint64_t count = cases[i].count;
        const uint64_t size = cases[i].size;
        const uint64_t offset = cases[i].offset;
        assert_int_equal(snpy_zip_put_end(count, size, offset, out), cases[i].length);
        const size_t at = cases[i].length - 22;
        assert_memory_equal(out + at, "PK\5\6", 4);
        assert_true(number_at(out, at + 10, 2) == (count < 0xffff ? count : 0xffff));
        assert_true(number_at(out, at + 12, 4) == size);
        assert_true(number_at(out, at + 16, 4) == (offset < 0xffffffff ? offset : 0xffffffff));
        if (at == 0) continue;
        assert_true(number_at(out, 32, 8) == count && number_at(out, 40, 8) == size && number_at(out, 48, 8) == offset);
        assert_true(number_at(out, 64, 8) == offset + size);
    }
}

/* Data behind the padding are aligned, whatever stands in front.                                       NPZ-WRITE-005 */
static void test_padding(void **state)
{
    (void)state;
    for (uint64_t before = 0; before < 200; before++) {
        uint32_t padding = snpy_zip_padding(before);
        assert_true(padding >= 6 && padding < 70 && (before + padding) % 64 == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find_refuses_callers),
        cmocka_unit_test(test_find_in_a_tail),
        cmocka_unit_test(test_locator_at_the_start),
        cmocka_unit_test(test_list_refuses_callers),
        cmocka_unit_test(test_local_refuses_callers),
        cmocka_unit_test(test_gaps_between_members),
        cmocka_unit_test(test_descriptor_refuses),
        cmocka_unit_test(test_wide_descriptors),
        cmocka_unit_test(test_long_descriptor_by_its_numbers),
        cmocka_unit_test(test_ranges_are_checked_again),
        cmocka_unit_test(test_ranges_without_members),
        cmocka_unit_test(test_keys_refuse_callers),
        cmocka_unit_test(test_first_of_the_duplicates),
        cmocka_unit_test(test_names_that_are_none),
        cmocka_unit_test(test_wide_central_headers),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_padding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
