/* test_archive.c: what the members of an archive hold: loaded, checked, streamed and mapped.
 *       NPZ-ERR-002, NPZ-ERR-003, NPZ-NAME-002, NPZ-NAME-005, NPZ-NAME-007, NPZ-DATA-001 to 006, NPZ-NPY-001 to 006, NPZ-LIMIT-001 to 004,
 *       NPZ-LOCAL-008, API-MEMBER, API-ARRAY, API-ARCHIVE */
#include "npz/npz.h"
#include "tests/unit/zips.h"

#define COUNT_OF_X 5000u

/* The bytes of an NPY file: `count` numbers of 1 byte behind a header of version 1.0. */
static uint8_t *make_npy(const char *descr, size_t count, size_t data_size, size_t *length)
{
    char text[119];
    size_t start = 0;
    (void)snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,), }", descr, count);
    size_t used = strlen(text);
    memset(text + used, ' ', sizeof text - used);
    text[117] = '\n';
    uint8_t *file = make_file(1, text, 118, &start);
    uint8_t *data = make_data(data_size, 3);
    file = realloc(file, start + data_size);
    if (file == NULL) abort();
    if (data_size > 0) memcpy(file + start, data, data_size);
    free(data);
    *length = start + data_size;
    return file;
}

/* An archive in memory and the same in a file; opened from either. */
static void open_both(const struct zip *zip, const snpy_archive_options *options, snpy_archive *archives[2])
{
    snpy_io_error error;
    write_bytes(in_work("a.npz"), zip->bytes, zip->length);
    expect_ok(snpy_archive_open_memory(zip->bytes, zip->length, options, &archives[0], &error), &error);
    expect_ok(snpy_archive_open(in_work("a.npz"), options, &archives[1], &error), &error);
}

static void close_both(snpy_archive *archives[2])
{
    snpy_archive_close(&archives[0]);
    snpy_archive_close(&archives[1]);
}

/* The one member of an archive must be refused so, however it is read: at a byte of the archive, or of the member. */
static void expect_bad(const struct entry *entry, const snpy_archive_options *options, snpy_status status,
                       size_t (*where)(const struct zip *zip), size_t offset)
{
    struct entry entries[2] = {*entry, stored("good", "good", 4)};
    struct zip zip = build(entries, 2, false, "");
    snpy_archive *archives[2];
    open_both(&zip, options, archives);
    if (where != NULL) offset += where(&zip);
    for (int i = 0; i < 8; i++) {
        const snpy_archive *archive = archives[i % 2];
        snpy_load_options how = {.size = sizeof(snpy_load_options), .header_only = i / 2 == 2};
        uint8_t room[8192];
        snpy_io_error error;
        snpy_array array;
        bool is_array = false;
        snpy_status got = i / 2 == 0   ? snpy_archive_check(archive, 0, &is_array, &array, &error)
                          : i / 2 == 3 ? snpy_archive_read(archive, 0, room, sizeof room, &error)
                                       : snpy_archive_load(archive, 0, &how, &array, &error);
        if (i / 2 == 3 && status < SNPY_ZIP_NO_END) continue; /* bytes are bytes, whatever they say */
        expect_that(got == status && error.error.status == status && error.error.offset == offset,
                    "way %d: %s at %llu, not %s at %zu\n", i, snpy_status_name(got),
                    (unsigned long long)error.error.offset, snpy_status_name(status), offset);
        assert_string_equal(error.member, entry->name);
        assert_string_equal(error.path, i % 2 == 0 ? "" : in_work("a.npz"));
        assert_true(strstr(error_text(&error), entry->name) != NULL);
        if (i / 2 != 3) assert_true(array.data == NULL && array.head_ == NULL);
        assert_int_equal(snpy_archive_read(archive, 1, room, 4, &error), SNPY_OK); /* the other one is unharmed */
        assert_memory_equal(room, "good", 4);
    }
    close_both(archives);
    snpy_archive_options strict = options != NULL ? *options : archive_defaults();
    snpy_io_error error;
    strict.strict = true;
    expect_failure(snpy_archive_open_memory(zip.bytes, zip.length, &strict, &archives[0], &error), &error, status,
                   "strict");
    assert_true(snpy_archive_count(archives[0]) == 0 && error.error.offset == offset);
    free(zip.bytes);
}

static size_t at_data(const struct zip *zip)
{
    return zip->data[0];
}

static size_t at_behind(const struct zip *zip)
{
    return zip->behind[0];
}

static size_t at_crc(const struct zip *zip)
{
    return zip->central[0] + 16;
}

static size_t at_size(const struct zip *zip)
{
    return zip->central[0] + 24;
}

/* A member, stored or deflated, that is to be spoilt; its data are to be freed. */
static struct entry make_member(bool is_deflated, const uint8_t *bytes, size_t length)
{
    if (is_deflated) return deflated("x.npy", bytes, length);
    uint8_t *copy = allocate(length);
    memcpy(copy, bytes, length);
    return stored("x.npy", copy, length);
}

static void test_members_load(void **state)
{
    size_t length = 0;
    uint8_t *file = make_npy("|u1", COUNT_OF_X, COUNT_OF_X, &length);
    (void)state;
    for (int way = 0; way < 2 * 3; way++) {
        struct entry entries[2] = {stored("readme", "hello", 5), make_member(way % 2 == 1, file, length)};
        snpy_archive *archives[2];
        entries[1].descriptor = (enum descriptor)(way / 2);
        entries[1].has_zip64 = entries[1].descriptor == WIDE;
        struct zip zip = build(entries, 2, false, "");
        open_both(&zip, NULL, archives);
        for (int i = 0; i < 2; i++) {
            uint8_t buffer[COUNT_OF_X + 1];
            snpy_load_options how = {.size = sizeof(snpy_load_options), .buffer = buffer, .capacity = COUNT_OF_X};
            snpy_array array;
            snpy_io_error error;
            expect_ok(snpy_archive_load(archives[i], 1, NULL, &array, &error), &error);
            assert_true(array.data_size == COUNT_OF_X && array.is_writable && !array.is_shared);
            assert_memory_equal(array.data, file + 128, COUNT_OF_X);
            if (way % 2 == 1) assert_true((uintptr_t)array.data % 64 == 0);
            snpy_array_release(&array);
            memset(buffer, GUARD, sizeof buffer);
            expect_ok(snpy_archive_load(archives[i], 1, &how, &array, &error), &error);
            assert_true(array.data == buffer && buffer[COUNT_OF_X] == GUARD);
            assert_memory_equal(buffer, file + 128, COUNT_OF_X);
            snpy_array_release(&array);
            how.capacity--;
            expect_failure(snpy_archive_load(archives[i], 1, &how, &array, &error), &error, SNPY_BUFFER_TOO_SMALL,
                           "a small buffer");
            assert_true(array.header.data_size == COUNT_OF_X && array.data == NULL);
            snpy_array_release(&array);
            expect_failure(snpy_archive_load(archives[i], 0, NULL, &array, &error), &error, SNPY_NOT_AN_ARRAY,
                           "a text");
            expect_failure(snpy_archive_load(archives[i], 2, NULL, &array, &error), &error, SNPY_BAD_ARGUMENT,
                           "no such member");
            bool is_array = true;
            expect_ok(snpy_archive_check(archives[i], 0, &is_array, &array, &error), &error);
            assert_true(!is_array);
            expect_ok(snpy_archive_check(archives[i], 1, &is_array, &array, &error), &error);
            assert_true(is_array && array.header.count == COUNT_OF_X && array.data == NULL);
            snpy_array_release(&array);
            expect_failure(snpy_archive_read(archives[i], 0, buffer, 4, &error), &error, SNPY_BUFFER_TOO_SMALL,
                           "four bytes");
            assert_true(error.error.offset == 5);
        }
        close_both(archives);
        free(zip.bytes);
        free_data(&entries[1]);
    }
    free(file);
}

/* Whatever the pieces in which it is read, a member is the same. */
static void test_members_stream(void **state)
{
    size_t length = 0;
    uint8_t *file = make_npy("|u1", COUNT_OF_X, COUNT_OF_X, &length);
    (void)state;
    for (size_t piece = 1; piece < 2 * length; piece = piece * 3 + 1) {
        struct entry entries[3] = {make_member(true, file, length), make_member(false, file, length),
                                   stored("empty", "", 0)};
        entries[1].name = "y";
        struct zip zip = build(entries, 3, false, "");
        snpy_archive *archives[2];
        open_both(&zip, NULL, archives);
        for (size_t i = 0; i < 6; i++) {
            snpy_member *member;
            snpy_io_error error;
            size_t received = 1;
            uint8_t *out = allocate(piece);
            expect_ok(snpy_member_open(archives[i % 2], i / 2, &member, &error), &error);
            assert_true(snpy_member_size(member) == (i / 2 == 2 ? 0 : length));
            while (received > 0) {
                uint64_t before = snpy_member_position(member);
                expect_ok(snpy_member_read(member, out, piece, &received, &error), &error);
                assert_true(received <= piece && snpy_member_position(member) == before + received);
                if (received > 0) assert_memory_equal(out, file + before, received);
            }
            assert_true(snpy_member_position(member) == snpy_member_size(member));
            snpy_member_close(&member);
            snpy_member_close(&member);
            free(out);
        }
        close_both(archives);
        free(zip.bytes);
        free_data(&entries[0]);
        free_data(&entries[1]);
    }
    free(file);
}

static void test_bad_data(void **state)
{
    size_t length = 0;
    uint8_t *file = make_npy("|u1", COUNT_OF_X, COUNT_OF_X, &length);
    (void)state;
    for (int way = 0; way < 2; way++) {
        struct entry entry = make_member(way == 1, file, length);
        entry.crc ^= 1;
        expect_bad(&entry, NULL, SNPY_ZIP_BAD_CRC, at_crc, 0);
        free_data(&entry);
    }
    struct entry good = make_member(true, file, length);
    struct entry entry = good;
    entry.data_size--; /* the stream is cut off */
    expect_bad(&entry, NULL, SNPY_ZIP_BAD_DEFLATE, at_data, 0);
    entry = good;
    uint8_t *longer = allocate(good.data_size + 3);
    memcpy(longer, good.data, good.data_size);
    memset(longer + good.data_size, 0, 3);
    entry.data = longer;
    entry.data_size += 3;
    expect_bad(&entry, NULL, SNPY_ZIP_DEFLATE_TRAILING, at_behind, (size_t)-3);
    longer[0] |= 6; /* a block of no kind */
    entry.data_size -= 3;
    expect_bad(&entry, NULL, SNPY_ZIP_BAD_DEFLATE, at_data, 0);
    free(longer);
    entry = good;
    entry.size++;
    expect_bad(&entry, NULL, SNPY_ZIP_INFLATED_SIZE, at_size, 0);
    entry.size -= 2;
    expect_bad(&entry, NULL, SNPY_ZIP_INFLATED_SIZE, at_size, 0);
    entry.data_size = 0; /* no stream at all */
    entry.size = 0;
    entry.crc = 0;
    expect_bad(&entry, NULL, SNPY_ZIP_BAD_DEFLATE, at_data, 0);
    /* "a", "b" and a length of no meaning: for a member of one byte, the byte too many counts, not what is behind it */
    static const uint8_t beyond[] = {0x4b, 0x4a, 0x1a, 0x03, 0, 0};
    entry.data = beyond;
    entry.data_size = sizeof beyond;
    entry.size = 1;
    entry.crc = (uint32_t)crc32(0, (const uint8_t *)"a", 1);
    expect_bad(&entry, NULL, SNPY_ZIP_INFLATED_SIZE, at_size, 0);
    entry.size = 2;
    expect_bad(&entry, NULL, SNPY_ZIP_BAD_DEFLATE, at_data, 0);
    free_data(&good);
    free(file);
}

/* A stream that is much longer than what it holds is no deflater's work, and good all the same: it is read by parts,
 * strictly or not. Into the caller's memory as well. */
static void test_wasteful_streams(void **state)
{
    const size_t count = 100000;
    const size_t waste = ((size_t)1 << 20) + 2 * count;
    size_t length = 0;
    uint8_t *file = make_npy("|u1", count, count, &length);
    struct entry entry = make_member(true, file, length);
    uint8_t *longer = allocate(waste / 5 * 5 + entry.data_size);
    uint8_t *room = allocate(count);
    size_t at = 0;
    (void)state;
    for (; at < waste / 5 * 5; at += 5) memcpy(longer + at, "\0\0\0\xff\xff", 5); /* a stored block of nothing */
    memcpy(longer + at, entry.data, entry.data_size);
    free_data(&entry);
    entry.data = longer;
    entry.data_size += at;
    struct zip zip = build(&entry, 1, false, "");
    for (int way = 0; way < 4; way++) {
        snpy_archive_options options = archive_defaults();
        const snpy_load_options how = {.size = sizeof(snpy_load_options), .buffer = room, .capacity = count};
        snpy_archive *archives[2];
        options.strict_deflate = way % 2 == 1;
        open_both(&zip, &options, archives);
        for (int i = 0; i < 2; i++) {
            snpy_array array;
            snpy_io_error error;
            expect_ok(snpy_archive_load(archives[i], 0, way < 2 ? NULL : &how, &array, &error), &error);
            assert_true(array.data_size == count && (array.data == room) == (way >= 2));
            assert_memory_equal(array.data, file + length - count, count);
            snpy_array_release(&array);
        }
        close_both(archives);
    }
    free(zip.bytes);
    free(room);
    free(longer);
    free(file);
}

/* The data come first: a header that a flipped bit has spoilt is a wrong CRC.                          NPZ-ERR-001 */
static void test_data_come_before_headers(void **state)
{
    size_t length = 0;
    uint8_t *file = make_npy("|u1", COUNT_OF_X, COUNT_OF_X, &length);
    (void)state;
    for (int way = 0; way < 2; way++) {
        file[12] ^= 1;
        struct entry entry = make_member(way == 1, file, length);
        expect_bad(&entry, NULL, SNPY_UNKNOWN_KEY, NULL, 11);
        entry.crc ^= 1;
        expect_bad(&entry, NULL, SNPY_ZIP_BAD_CRC, at_crc, 0);
        free_data(&entry);
        file[12] ^= 1;
    }
    free(file);
}

/* A bit that has flipped in the magic makes no text of an array: its CRC is wrong, in all ways.        NPZ-ERR-001 */
static void test_spoilt_magic_is_a_wrong_crc(void **state)
{
    size_t length = 0;
    uint8_t *file = make_npy("|u1", COUNT_OF_X, COUNT_OF_X, &length);
    (void)state;
    file[0] ^= 1;
    for (int way = 0; way < 2; way++) {
        struct entry entry = make_member(way == 1, file, length);
        entry.crc ^= 1;
        expect_bad(&entry, NULL, SNPY_ZIP_BAD_CRC, at_crc, 0);
        free_data(&entry);
    }
    free(file);
}

/* An array must fill its member, and no more of it is inflated than that takes.          NPZ-NPY-002, NPZ-NPY-003 */
static void test_sizes_of_arrays(void **state)
{
    size_t length = 0;
    uint8_t *file = make_npy("|u1", COUNT_OF_X, COUNT_OF_X, &length);
    (void)state;
    for (int way = 0; way < 2; way++) {
        struct entry entry = make_member(way == 1, file, length - 1);
        expect_bad(&entry, NULL, SNPY_TRUNCATED_DATA, NULL, length - 1);
        free_data(&entry);
        entry = make_member(way == 1, file, 100);
        expect_bad(&entry, NULL, SNPY_TRUNCATED_HEADER, NULL, 100);
        free_data(&entry);
        entry = make_member(way == 1, file, 7);
        expect_bad(&entry, NULL, SNPY_TRUNCATED_PREFIX, NULL, 7);
        free_data(&entry);
        uint8_t *longer = allocate(length + 1);
        memcpy(longer, file, length);
        longer[length] = 0;
        entry = make_member(way == 1, longer, length + 1);
        expect_bad(&entry, NULL, SNPY_TRAILING_DATA, NULL, length);
        free_data(&entry);
        free(longer);
    }
    free(file);
}

static void test_objects(void **state)
{
    size_t length = 0;
    uint8_t *file = make_npy("|O", 3, 40, &length);
    (void)state;
    for (int way = 0; way < 2; way++) {
        struct entry entry = make_member(way == 1, file, length);
        struct zip zip = build(&entry, 1, false, "");
        snpy_archive *archives[2];
        snpy_io_error error;
        snpy_array array;
        bool is_array = false;
        uint8_t room[256];
        open_both(&zip, NULL, archives);
        expect_failure(snpy_archive_load(archives[1], 0, NULL, &array, &error), &error, SNPY_OBJECT_DATA, "objects");
        assert_true(array.header.has_object && array.data == NULL);
        snpy_array_release(&array);
        expect_ok(snpy_archive_check(archives[1], 0, &is_array, &array, &error), &error);
        assert_true(is_array && array.header.has_object);
        snpy_array_release(&array);
        expect_ok(snpy_archive_read(archives[1], 0, room, sizeof room, &error), &error); /* never unpickled */
        assert_memory_equal(room, file, length);
        for (int i = 0; i < 2 && way == 0; i++) { /* no map of them, but the header says what they are */
            expect_failure(snpy_archive_map(archives[i], 0, SNPY_MAP_READ, false, &array, &error), &error,
                           SNPY_OBJECT_DATA, "a map of objects");
            assert_true(array.header.has_object && array.data == NULL);
            snpy_array_release(&array);
        }
        close_both(archives);
        free(zip.bytes);
        entry.crc ^= 1;
        expect_bad(&entry, NULL, SNPY_ZIP_BAD_CRC, at_crc, 0);
        free_data(&entry);
        entry = make_member(way == 1, file, 128);
        expect_bad(&entry, NULL, SNPY_NO_OBJECTS, NULL, 128);
        free_data(&entry);
    }
    free(file);
}

static void test_limits(void **state)
{
    size_t length = 0;
    uint8_t *file = make_npy("|u1", COUNT_OF_X, COUNT_OF_X, &length);
    struct entry entry = make_member(true, file, length);
    snpy_archive_options options = archive_defaults();
    (void)state;
    options.max_member_bytes = length - 1;
    expect_bad(&entry, &options, SNPY_ZIP_MEMBER_TOO_LARGE, at_size, 0);
    options = archive_defaults();
    options.max_ratio = (length - 1) / entry.data_size;
    expect_bad(&entry, &options, SNPY_ZIP_RATIO, at_size, 0);
    entry.size = (uint64_t)4294967294u; /* a bomb, by what it says: refused before anything is inflated */
    expect_bad(&entry, NULL, SNPY_ZIP_RATIO, at_size, 0);
    free_data(&entry);
    entry = make_member(true, file, length);
    struct zip zip = build(&entry, 1, false, "");
    snpy_options limits = SNPY_OPTIONS_INIT;
    const snpy_load_options how = {.size = sizeof(snpy_load_options), .limits = &limits};
    snpy_archive *archive;
    snpy_io_error error;
    snpy_array array;
    expect_ok(snpy_archive_open_memory(zip.bytes, zip.length, NULL, &archive, &error), &error);
    limits.max_header_bytes = 117; /* of this call alone */
    expect_failure(snpy_archive_load(archive, 0, &how, &array, &error), &error, SNPY_HEADER_TOO_LONG, "its own limit");
    expect_ok(snpy_archive_load(archive, 0, NULL, &array, &error), &error);
    snpy_array_release(&array);
    limits.size = 0;
    expect_failure(snpy_archive_load(archive, 0, &how, &array, &error), &error, SNPY_BAD_ARGUMENT, "no limits");
    patch(&zip, zip.central[0] + 16, entry.crc ^ 1, 4); /* the data come first here, too */
    patch(&zip, zip.local[0] + 14, entry.crc ^ 1, 4);
    snpy_archive_close(&archive);
    expect_ok(snpy_archive_open_memory(zip.bytes, zip.length, NULL, &archive, &error), &error);
    expect_failure(snpy_archive_load(archive, 0, &how, &array, &error), &error, SNPY_ZIP_BAD_CRC,
                   "no limits, bad data");
    snpy_archive_close(&archive);
    free(zip.bytes);
    free_data(&entry);
    free(file);
}

/* A bomb that keeps the ratio costs no more than the limit, and nothing of it is held in memory. */
static void test_bombs(void **state)
{
    const size_t length = 64u << 20;
    uint8_t *zeros = calloc(1, length);
    struct rusage before;
    struct rusage after;
    struct entry entry = deflated("x.npy", zeros, length);
    snpy_archive *archives[2];
    snpy_array array;
    snpy_io_error error;
    bool is_array = true;
    (void)state;
    free(zeros);
    struct zip zip = build(&entry, 1, false, "");
    open_both(&zip, NULL, archives);
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    expect_failure(snpy_archive_load(archives[1], 0, NULL, &array, &error), &error, SNPY_NOT_AN_ARRAY, "zeros");
    expect_ok(snpy_archive_check(archives[1], 0, &is_array, &array, &error), &error);
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_true(!is_array && after.ru_maxrss - before.ru_maxrss < 8192); /* KiB */
    close_both(archives);
    free(zip.bytes);
    free_data(&entry);
}

/* An error keeps the end of a name that is too long for it, however long that is. */
static void test_an_error_keeps_the_end_of_a_name(void **state)
{
    enum { ROOM = SNPY_ERROR_PATH - 1 };
    static const size_t lengths[] = {ROOM, ROOM + 1, ROOM + 2, ROOM + 6, 2000, 65000};
    char *name = (char *)allocate(65001);
    (void)state;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        for (size_t at = 0; at < lengths[i]; at++) name[at] = (char)('!' + at * at % 71);
        name[lengths[i]] = '\0';
        struct entry entry = stored(name, "note", 4);
        entry.crc ^= 1;
        struct zip zip = build(&entry, 1, false, "");
        snpy_archive *archive;
        snpy_io_error error;
        size_t received = 0;
        snpy_member *member;
        char bytes[4];
        expect_ok(snpy_archive_open_memory(zip.bytes, zip.length, NULL, &archive, &error), &error);
        expect_ok(snpy_member_open(archive, 0, &member, &error), &error);
        expect_failure(snpy_member_read(member, bytes, 4, &received, &error), &error, SNPY_ZIP_BAD_CRC, "a long name");
        snpy_member_close(&member);
        if (lengths[i] > ROOM) assert_memory_equal(error.member, "...", 3);
        const size_t kept = lengths[i] > ROOM ? ROOM - 3 : ROOM;
        assert_string_equal(error.member + ROOM - kept, name + lengths[i] - kept);
        snpy_archive_close(&archive);
        free(zip.bytes);
    }
    free(name);
}

static void test_names_and_keys(void **state)
{
    struct entry entries[6] = {stored("x.npy", "1", 1), stored("a.npy", "2", 1),   stored("a.npy.npy", "3", 1),
                               stored("\x82", "4", 1),  stored("d/y.npy", "5", 1), stored(".npy", "6", 1)};
    static const struct {
        const char *text;
        size_t index;
    } finds[] = {{"x", 0},        {"x.npy", 0}, {"a", 1},       {"a.npy", 1}, {"a.npy.npy", 2},
                 {"\xc3\xa9", 3}, {"d/y", 4},   {"d/y.npy", 4}, {"", 5},      {".npy", 5}};
    static const char *const none[] = {"y", "X", "x.npy.npy", "\x82", "d", "a.", "x.np", "\xff", "\xc3\xa9.npy"};
    struct zip zip = build(entries, 6, false, "");
    snpy_archive *archive;
    snpy_io_error error;
    char text[64];
    size_t index = 0;
    (void)state;
    expect_ok(snpy_archive_open_memory(zip.bytes, zip.length, NULL, &archive, &error), &error);
    for (size_t i = 0; i < COUNT(finds); i++) {
        expect_ok(snpy_archive_find(archive, finds[i].text, &index, &error), &error);
        expect_that(index == finds[i].index, "%s is member %zu\n", finds[i].text, index);
    }
    for (size_t i = 0; i < COUNT(none); i++) {
        expect_failure(snpy_archive_find(archive, none[i], &index, &error), &error, SNPY_NO_MEMBER, none[i]);
        assert_string_equal(error.member, none[i]);
    }
    assert_int_equal(snpy_archive_name(archive, 3, text, sizeof text), 2);
    assert_string_equal(text, "\xc3\xa9");
    assert_int_equal(snpy_archive_key(archive, 2, text, sizeof text), 5);
    assert_string_equal(text, "a.npy");
    assert_int_equal(snpy_archive_key(archive, 5, text, sizeof text), 0);
    assert_string_equal(text, "");
    memset(text, GUARD, sizeof text);
    assert_int_equal(snpy_archive_name(archive, 2, text, 4), 9);
    assert_true(strcmp(text, "a.n") == 0 && (uint8_t)text[4] == GUARD);
    assert_int_equal(snpy_archive_name(archive, 3, text, 2), 2); /* no half of a character */
    assert_string_equal(text, "");
    memset(text, GUARD, sizeof text);
    assert_int_equal(snpy_archive_name(archive, 6, text, sizeof text), 0);
    assert_string_equal(text, ""); /* terminated, though there is no such member */
    assert_int_equal(snpy_archive_name(archive, 6, NULL, 0), 0);
    text[0] = 'x';
    assert_int_equal(snpy_archive_name(archive, 6, text, 1), 0);
    assert_string_equal(text, "");
    memset(text, GUARD, sizeof text);
    assert_int_equal(snpy_archive_key(archive, 6, text, sizeof text), 0);
    assert_string_equal(text, "");
    snpy_archive_close(&archive);
    free(zip.bytes);
}

static void test_several_at_once(void **state)
{
    size_t length = 0;
    uint8_t *file = make_npy("|u1", COUNT_OF_X, COUNT_OF_X, &length);
    struct entry entries[MOST_ENTRIES];
    static const char *const names[MOST_ENTRIES] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    size_t indices[MOST_ENTRIES];
    snpy_array arrays[MOST_ENTRIES];
    snpy_io_error errors[MOST_ENTRIES];
    snpy_archive *archives[2];
    snpy_archive_options options = archive_defaults();
    (void)state;
    for (size_t i = 0; i < MOST_ENTRIES; i++) {
        entries[i] = make_member(i % 3 != 0, file, length);
        entries[i].name = names[i];
        if (i == 5) entries[i].crc ^= 1;
        indices[i] = MOST_ENTRIES - 1 - i;
    }
    struct zip zip = build(entries, MOST_ENTRIES, false, "");
    open_both(&zip, NULL, archives);
    for (unsigned threads = 0; threads < 100; threads = threads * 3 + 1) {
        for (int way = 0; way < 2; way++) {
            snpy_status status =
                snpy_archive_load_several(archives[way], indices, MOST_ENTRIES, threads, arrays, errors);
            assert_int_equal(status, SNPY_ZIP_BAD_CRC);
            for (size_t i = 0; i < MOST_ENTRIES; i++) {
                bool is_bad = indices[i] == 5;
                assert_int_equal(errors[i].error.status, is_bad ? SNPY_ZIP_BAD_CRC : SNPY_OK);
                assert_true(arrays[i].data_size == (is_bad ? 0 : COUNT_OF_X));
                if (!is_bad) assert_memory_equal(arrays[i].data, file + 128, COUNT_OF_X);
                snpy_array_release(&arrays[i]);
            }
        }
    }
    assert_int_equal(snpy_archive_load_several(archives[0], indices, 0, 4, arrays, errors), SNPY_OK);
    close_both(archives);
    options.max_total_bytes = 2 * length; /* 7 is deflated, 6 stored, 5 and 4 deflated */
    open_both(&zip, &options, archives);
    assert_int_equal(snpy_archive_load_several(archives[0], indices, MOST_ENTRIES, 2, arrays, errors),
                     SNPY_ZIP_TOTAL_TOO_LARGE);
    for (size_t i = 0; i < MOST_ENTRIES; i++) {
        assert_true(errors[i].error.status == SNPY_ZIP_TOTAL_TOO_LARGE && arrays[i].data == NULL);
        assert_true(errors[i].error.offset == zip.central[4] + 24);
    }
    close_both(archives);
    free(zip.bytes);
    for (size_t i = 0; i < MOST_ENTRIES; i++) free_data(&entries[i]);
    free(file);
}

static void test_maps(void **state)
{
    size_t length = 0;
    uint8_t *file = make_npy("|u1", COUNT_OF_X, COUNT_OF_X, &length);
    struct entry entries[3] = {make_member(false, file, length), make_member(false, file, 128),
                               make_member(true, file, length)};
    snpy_archive *archives[2];
    snpy_array array;
    snpy_io_error error;
    (void)state;
    entries[0].crc ^= 1;
    entries[1].name = "y";
    entries[2].name = "z";
    struct zip zip = build(entries, 3, false, "");
    open_both(&zip, NULL, archives);
    for (int i = 0; i < 4; i++) {
        const snpy_archive *archive = archives[i % 2];
        const snpy_map_mode mode = i == 3 ? SNPY_MAP_COPY : SNPY_MAP_READ;
        expect_failure(snpy_archive_map(archive, 0, mode, false, &array, &error), &error, SNPY_ZIP_BAD_CRC, "map");
        assert_true(error.error.offset == zip.central[0] + 16 && array.data == NULL);
        expect_ok(snpy_archive_map(archive, 0, mode, true, &array, &error), &error); /* deferred: NPZ-DATA-006 */
        assert_true(array.data_size == COUNT_OF_X && array.is_writable == (i == 3) && !array.is_shared);
        assert_memory_equal(array.data, file + 128, COUNT_OF_X);
        if (i % 2 == 0) assert_true(array.data == zip.bytes + zip.data[0] + 128); /* no copy */
        expect_failure(snpy_archive_verify(archive, 0, &array, &error), &error, SNPY_ZIP_BAD_CRC, "settle");
        expect_failure(snpy_archive_verify(archive, 1, &array, &error), &error, SNPY_BAD_ARGUMENT, "another one's");
        expect_failure(snpy_archive_verify(archive, 3, &array, &error), &error, SNPY_BAD_ARGUMENT, "none's");
        if (i == 3) array.data[0] ^= 1; /* ours alone */
        snpy_array_release(&array);
        expect_failure(snpy_archive_map(archive, 1, mode, true, &array, &error), &error, SNPY_TRUNCATED_DATA, "cut");
        expect_failure(snpy_archive_map(archive, 2, mode, true, &array, &error), &error, SNPY_BAD_ARGUMENT, "deflated");
        expect_failure(snpy_archive_map(archive, 3, mode, true, &array, &error), &error, SNPY_BAD_ARGUMENT, "none");
    }
    expect_failure(snpy_archive_map(archives[1], 0, SNPY_MAP_WRITE, true, &array, &error), &error, SNPY_BAD_ARGUMENT,
                   "for writing");
    expect_failure(snpy_archive_map(archives[0], 0, SNPY_MAP_COPY, true, &array, &error), &error, SNPY_BAD_ARGUMENT,
                   "a copy of memory");
    expect_bytes(in_work("a.npz"), zip.bytes, zip.length);
    close_both(archives);
    free(zip.bytes);
    entries[0].crc ^= 1;
    zip = build(entries, 1, false, "");
    open_both(&zip, NULL, archives);
    expect_ok(snpy_archive_map(archives[1], 0, SNPY_MAP_READ, false, &array, &error), &error);
    expect_ok(snpy_archive_verify(archives[1], 0, &array, &error), &error);
    close_both(archives);
    assert_memory_equal(array.data, file + 128, COUNT_OF_X); /* a map outlives its archive */
    snpy_array_release(&array);
    open_both(&zip, NULL, archives);
    assert_int_equal(truncate(in_work("a.npz"), (off_t)(zip.data[0] + 200)), 0);
    for (int defer = 0; defer < 2; defer++) { /* a page behind the end of a file is no page to look at */
        expect_failure(snpy_archive_map(archives[1], 0, SNPY_MAP_READ, defer == 1, &array, &error), &error,
                       SNPY_FILE_CHANGED, "a file that was cut");
        assert_true(array.data == NULL);
    }
    close_both(archives);
    free(zip.bytes);
    for (size_t i = 0; i < 3; i++) free_data(&entries[i]);
    free(file);
}

static void test_empty_arrays(void **state)
{
    size_t length = 0;
    uint8_t *file = make_npy("<f8", 0, 0, &length);
    (void)state;
    for (int way = 0; way < 2; way++) {
        struct entry entry = make_member(way == 1, file, length);
        struct zip zip = build(&entry, 1, false, "");
        snpy_archive *archives[2];
        snpy_array array;
        snpy_io_error error;
        open_both(&zip, NULL, archives);
        for (int i = 0; i < 2; i++) {
            expect_ok(snpy_archive_load(archives[i], 0, NULL, &array, &error), &error);
            assert_true(array.header.count == 0 && array.data_size == 0 && array.data == NULL);
            snpy_array_release(&array);
            if (way == 1) continue;
            expect_ok(snpy_archive_map(archives[i], 0, SNPY_MAP_READ, false, &array, &error), &error);
            assert_true(array.data_size == 0 && array.data == NULL);
            snpy_array_release(&array);
        }
        close_both(archives);
        free(zip.bytes);
        entry.crc ^= 1;
        expect_bad(&entry, NULL, SNPY_ZIP_BAD_CRC, at_crc, 0);
        free_data(&entry);
    }
    free(file);
}

/* From where a descriptor stands; what cannot be read twice is an error, and so is a file that becomes shorter. */
static void test_where_archives_are(void **state)
{
    struct entry entry = stored("x", "hello", 5);
    struct zip zip = build(&entry, 1, false, "");
    struct zip behind;
    snpy_archive *archive;
    snpy_io_error error;
    char room[5];
    int ends[2];
    (void)state;
    memset(&behind, 0, sizeof behind);
    put(&behind, "something else", 14);
    put(&behind, zip.bytes, zip.length);
    write_bytes(in_work("b.npz"), behind.bytes, behind.length);
    int descriptor = open(in_work("b.npz"), O_RDWR);
    assert_true(lseek(descriptor, 14, SEEK_SET) == 14);
    expect_ok(snpy_archive_open_descriptor(descriptor, NULL, &archive, &error), &error);
    expect_ok(snpy_archive_read(archive, 0, room, 5, &error), &error);
    assert_memory_equal(room, "hello", 5);
    assert_int_equal(ftruncate(descriptor, 14 + 33), 0);
    expect_failure(snpy_archive_read(archive, 0, room, 5, &error), &error, SNPY_FILE_CHANGED, "a cut file");
    assert_true(error.error.offset == 33);
    snpy_archive_close(&archive);
    assert_int_equal(close(descriptor), 0); /* it was left open */
    assert_int_equal(pipe(ends), 0);
    expect_failure(snpy_archive_open_descriptor(ends[0], NULL, &archive, &error), &error, SNPY_IO_ERROR, "a pipe");
    assert_int_equal(error.system_error, ESPIPE);
    (void)close(ends[0]);
    (void)close(ends[1]);
    assert_int_equal(mkfifo(in_work("fifo"), 0600), 0);
    expect_failure(snpy_archive_open(in_work("fifo"), NULL, &archive, &error), &error, SNPY_IO_ERROR, "a FIFO");
    expect_failure(snpy_archive_open(work_directory, NULL, &archive, &error), &error, SNPY_IO_ERROR, "a directory");
    assert_int_equal(error.system_error, EISDIR);
    expect_failure(snpy_archive_open(in_work("none"), NULL, &archive, &error), &error, SNPY_IO_ERROR, "no file");
    assert_true(error.system_error == ENOENT && strcmp(error.call, "open") == 0);
    snpy_archive_options options = archive_defaults();
    options.size++;
    expect_failure(snpy_archive_open(in_work("b.npz"), &options, &archive, &error), &error, SNPY_BAD_ARGUMENT, "size");
    options = archive_defaults();
    snpy_zip_options walk = SNPY_ZIP_OPTIONS_INIT;
    options.zip = &walk;
    walk.size = 0;
    expect_failure(snpy_archive_open_memory(zip.bytes, zip.length, &options, &archive, &error), &error,
                   SNPY_BAD_ARGUMENT, "size of the walk's options");
    snpy_options limits = SNPY_OPTIONS_INIT;
    options = archive_defaults();
    options.limits = &limits;
    limits.size++;
    expect_failure(snpy_archive_open_memory(zip.bytes, zip.length, &options, &archive, &error), &error,
                   SNPY_BAD_ARGUMENT, "size of the limits");
    free(behind.bytes);
    free(zip.bytes);
}

/* Options of a program that was compiled when they were smaller: the fields after them are the defaults. */
static void test_options_that_have_grown(void **state)
{
    struct entry entry = stored("a", "12345", 5);
    struct zip zip = build(&entry, 1, false, "");
    snpy_archive *archive;
    snpy_io_error error;
    snpy_archive_options options = archive_defaults();
    snpy_zip_options walk = zip_defaults();
    (void)state;
    options.max_member_bytes = 1;
    options.max_total_bytes = 1;
    options.strict_deflate = true;
    options.size = (uint32_t)offsetof(snpy_archive_options, max_total_bytes);
    assert_int_equal(snpy_archive_open_memory(zip.bytes, zip.length, &options, &archive, &error), SNPY_OK);
    assert_int_equal(archive->options.max_member_bytes, 1);
    assert_int_equal(archive->options.max_total_bytes, archive_defaults().max_total_bytes);
    assert_false(archive->options.strict_deflate);
    assert_int_equal(archive->options.size, sizeof options);
    snpy_archive_close(&archive);
    options = archive_defaults();
    options.zip = &walk;
    walk.max_members = 0;
    assert_int_equal(snpy_archive_open_memory(zip.bytes, zip.length, &options, &archive, &error),
                     SNPY_ZIP_TOO_MANY_MEMBERS);
    walk.size = (uint32_t)offsetof(snpy_zip_options, max_members);
    assert_int_equal(snpy_archive_open_memory(zip.bytes, zip.length, &options, &archive, &error), SNPY_OK);
    snpy_archive_close(&archive);
    free(zip.bytes);
}

/* Where a member is, and a descriptor that the archive takes over. */
static void test_owned_and_located(void **state)
{
    struct entry entry = stored("a", "12345", 5);
    struct zip zip = build(&entry, 1, false, "");
    snpy_archive *archive;
    snpy_io_error error;
    uint64_t offset = 0;
    char bytes[5];
    (void)state;
    write_bytes(in_work("owned.npz"), zip.bytes, zip.length);
    int descriptor = open(in_work("owned.npz"), O_RDONLY);
    assert_true(descriptor >= 0);
    assert_int_equal(snpy_archive_open_owned(descriptor, NULL, &archive, &error), SNPY_OK);
    assert_int_equal(snpy_archive_locate(archive, 0, &offset), descriptor);
    assert_int_equal(pread(descriptor, bytes, sizeof bytes, (off_t)offset), 5);
    assert_memory_equal(bytes, "12345", 5);
    assert_int_equal(snpy_archive_locate(archive, 1, &offset), -1);
    snpy_archive_close(&archive);
    assert_int_equal(fcntl(descriptor, F_GETFD), -1);
    descriptor = open("/dev/null", O_RDONLY);
    assert_int_equal(snpy_archive_open_owned(descriptor, NULL, &archive, &error), SNPY_IO_ERROR);
    assert_int_equal(close(descriptor), 0); /* still the caller's */
    assert_int_equal(snpy_archive_open_memory(zip.bytes, zip.length, NULL, &archive, &error), SNPY_OK);
    assert_int_equal(snpy_archive_locate(archive, 0, &offset), -1);
    snpy_archive_close(&archive);
    free(zip.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_that_have_grown),
        cmocka_unit_test(test_owned_and_located),
        cmocka_unit_test(test_members_load),
        cmocka_unit_test(test_members_stream),
        cmocka_unit_test(test_bad_data),
        cmocka_unit_test(test_wasteful_streams),
        cmocka_unit_test(test_data_come_before_headers),
        cmocka_unit_test(test_spoilt_magic_is_a_wrong_crc),
        cmocka_unit_test(test_sizes_of_arrays),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_names_and_keys),
        cmocka_unit_test(test_an_error_keeps_the_end_of_a_name),
        cmocka_unit_test(test_several_at_once),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_empty_arrays),
        cmocka_unit_test(test_where_archives_are),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
