/* test_archive_write.c: archives that are written: read back by our own reader, and looked at byte by byte.
 *                                                  NPZ-WRITE-001 to 010, API-ARCHIVE, HOST-IO */
#include "npz/write.h"
#include "tests/unit/zips.h"

#define ROWS 1000u
#define BIG_ROWS 800000u /* more than one whole member: blocks */

static snpy_archive_write_options written_as(uint32_t level, uint32_t threads)
{
    snpy_archive_write_options options = SNPY_ARCHIVE_WRITE_OPTIONS_INIT;
    options.level = level;
    options.threads = threads;
    return options;
}

/* Bytes that deflate to about half. */
static uint8_t *make_rows_data(size_t rows)
{
    uint8_t *data = allocate(rows * ROW);
    uint32_t state = 1;
    for (size_t i = 0; i < rows * ROW; i++) {
        state = state * 1664525u + 1013904223u;
        data[i] = (uint8_t)(i % 4 < 2 ? state >> 24 : i >> 12);
    }
    return data;
}

/* Adds rows under a key. */
static void add_rows(snpy_archive_writer *writer, const char *key, const uint8_t *data, uint64_t rows)
{
    struct made made;
    snpy_io_error error;
    make_rows(&made, rows);
    expect_ok(snpy_archive_writer_add(writer, key, &made.description, data, rows * ROW, &error), &error);
}

/* Puts bytes in pieces of an odd size, between which nothing is given. */
static void put_pieces(snpy_archive_writer *writer, const uint8_t *bytes, size_t size)
{
    snpy_io_error error;
    for (size_t at = 0; at < size;) {
        size_t part = size - at < 77777 ? size - at : 77777;
        expect_ok(snpy_archive_writer_put(writer, bytes + at, part, &error), &error);
        expect_ok(snpy_archive_writer_put(writer, NULL, 0, &error), &error);
        at += part;
    }
}

/* The members of every archive below: arrays, one of them by parts, one empty, and a text whose size was not known. */
static void add_all(snpy_archive_writer *writer, const uint8_t *data)
{
    struct made made;
    snpy_io_error error;
    add_rows(writer, "small", data, ROWS);
    add_rows(writer, "empty", data, 0);
    make_rows(&made, BIG_ROWS);
    expect_ok(snpy_archive_writer_begin(writer, "big", &made.description, &error), &error);
    put_pieces(writer, data, BIG_ROWS * ROW);
    expect_ok(snpy_archive_writer_end(writer, &error), &error);
    add_rows(writer, "", data, 3);
    expect_ok(snpy_archive_writer_begin_bytes(writer, "notes \xc3\xa4.txt", SNPY_SIZE_UNKNOWN, &error), &error);
    put_pieces(writer, (const uint8_t *)"no array", 8);
    expect_ok(snpy_archive_writer_end(writer, &error), &error);
    expect_ok(snpy_archive_writer_begin_bytes(writer, "nothing", 0, &error), &error);
    expect_ok(snpy_archive_writer_end(writer, &error), &error);
    add_rows(writer, "last", data, 17);
}

/* Writes all to a path, or through a pipe into it. */
static void write_all(const char *path, const snpy_archive_write_options *options, bool is_piped, const uint8_t *data)
{
    snpy_archive_writer *writer;
    snpy_io_error error;
    int ends[2];
    pid_t child = 0;
    if (is_piped) {
        assert_int_equal(pipe(ends), 0);
        child = fork();
        if (child == 0) {
            static uint8_t room[65536];
            FILE *out = fopen(path, "wb");
            (void)close(ends[1]);
            for (ssize_t got = 1; got > 0;) {
                got = read(ends[0], room, sizeof room);
                if (got > 0 && fwrite(room, 1, (size_t)got, out) != (size_t)got) _exit(1);
            }
            _exit(fclose(out) == 0 ? 0 : 1);
        }
        (void)close(ends[0]);
        expect_ok(snpy_archive_writer_open_descriptor(&writer, ends[1], options, &error), &error);
    } else {
        expect_ok(snpy_archive_writer_open(&writer, path, options, &error), &error);
    }
    add_all(writer, data);
    expect_ok(snpy_archive_writer_finish(&writer, &error), &error);
    assert_null(writer);
    if (is_piped) {
        int result = 0;
        (void)close(ends[1]);
        assert_true(waitpid(child, &result, 0) == child && result == 0);
    }
}

/* A member must be an array of so many rows. */
static void expect_rows(const snpy_archive *archive, const char *key, const uint8_t *data, uint64_t rows)
{
    snpy_array array;
    snpy_io_error error;
    size_t index = 0;
    expect_ok(snpy_archive_find(archive, key, &index, &error), &error);
    expect_ok(snpy_archive_load(archive, index, NULL, &array, &error), &error);
    assert_true(array.header.shape[0] == rows && array.data_size == rows * ROW);
    if (rows > 0) assert_memory_equal(array.data, data, rows * ROW);
    snpy_array_release(&array);
}

/* What add_all has written must be there: in its order, with nothing else in the headers.      NPZ-WRITE-003 to 007 */
static void expect_all(const char *path, uint32_t level, bool is_piped, const uint8_t *data)
{
    static const char *const names[] = {"small.npy",          "empty.npy", "big.npy", ".npy",
                                        "notes \xc3\xa4.txt", "nothing",   "last.npy"};
    snpy_archive_options strict = archive_defaults();
    snpy_archive *archive;
    snpy_io_error error;
    uint8_t text[8];
    char name[64];
    strict.strict = true;
    expect_ok(snpy_archive_open(path, &strict, &archive, &error), &error);
    assert_int_equal(snpy_archive_count(archive), COUNT(names));
    for (size_t i = 0; i < COUNT(names); i++) {
        const snpy_zip_member *member = snpy_archive_member(archive, i);
        bool is_empty = strcmp(names[i], "nothing") == 0;
        (void)snpy_archive_name(archive, i, name, sizeof name);
        assert_string_equal(name, names[i]);
        assert_int_equal(member->method, level > 0 && !is_empty ? SNPY_ZIP_DEFLATED : SNPY_ZIP_STORED);
        assert_int_equal((member->flags & SNPY_ZIP_FLAG_UTF8) != 0, strstr(names[i], "notes") != NULL);
        if (member->method == SNPY_ZIP_STORED) assert_int_equal(member->data_offset % 64, 0);
        /* Of what is added by parts to a pipe the CRC, or the compressed size, is not known ahead. */
        bool is_late = is_piped && (strcmp(names[i], "big.npy") == 0 || strstr(names[i], "notes") != NULL);
        assert_int_equal((member->flags & SNPY_ZIP_FLAG_DESCRIPTOR) != 0, is_late);
        assert_int_equal(member->has_zip64, strstr(names[i], "notes") != NULL); /* its size might have been anything */
    }
    expect_rows(archive, "small", data, ROWS);
    expect_rows(archive, "empty", data, 0);
    expect_rows(archive, "big", data, BIG_ROWS);
    expect_rows(archive, "", data, 3);
    expect_rows(archive, "last", data, 17);
    expect_ok(snpy_archive_read(archive, 4, text, sizeof text, &error), &error);
    assert_memory_equal(text, "no array", 8);
    snpy_archive_close(&archive);
}

/* Every level and way is read back; threads make no difference.                                    NPZ-WRITE-008 */
static void test_what_is_written_is_read(void **state)
{
    static const uint32_t levels[] = {0, 1, 6, 9};
    static const size_t percents[] = {101, 90, 75, 75}; /* of the data, at most */
    uint8_t *data = make_rows_data(BIG_ROWS);
    (void)state;
    for (size_t i = 0; i < COUNT(levels); i++) {
        for (int is_piped = 0; is_piped < 2; is_piped++) {
            uint8_t *first = NULL;
            size_t length = 0;
            for (uint32_t threads = 1; threads <= 3; threads++) {
                const snpy_archive_write_options options = written_as(levels[i], threads);
                if (levels[i] == 9 && threads == 3) continue; /* it takes long, and is no other way */
                write_all(in_work("a.npz"), &options, is_piped == 1, data);
                if (first != NULL) expect_bytes(in_work("a.npz"), first, length);
                if (first == NULL) {
                    first = read_file(in_work("a.npz"), &length);
                    expect_all(in_work("a.npz"), levels[i], is_piped == 1, data);
                }
            }
            assert_true(length < BIG_ROWS * ROW / 100 * percents[i]);
            free(first);
        }
    }
    assert_int_equal(count_files(false), 1);
    free(data);
}

/* The bytes of a stored archive, one by one: they are promised, and must not change.               NPZ-WRITE-004 */
static void test_bytes_of_an_archive(void **state)
{
    static const uint8_t wanted[] = "PK\3\4\24\0\0\0\0\0\0\0\41\0\254\052\223\330\2\0\0\0\2\0\0\0\1\0\41\0x"
                                    "\65\331\35\0\100\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0hi"
                                    "PK\1\2\24\3\24\0\0\0\0\0\0\0\41\0\254\052\223\330\2\0\0\0\2\0\0\0\1\0"
                                    "\0\0\0\0\0\0\0\0\0\0\200\1\0\0\0\0x"
                                    "PK\5\6\0\0\0\0\1\0\1\0\57\0\0\0\102\0\0\0\0\0";
    snpy_archive_writer *writer;
    snpy_io_error error;
    (void)state;
    expect_ok(snpy_archive_writer_open(&writer, in_work("b.npz"), NULL, &error), &error);
    expect_ok(snpy_archive_writer_begin_bytes(writer, "x", 2, &error), &error);
    expect_ok(snpy_archive_writer_put(writer, "hi", 2, &error), &error);
    expect_ok(snpy_archive_writer_end(writer, &error), &error);
    expect_ok(snpy_archive_writer_finish(&writer, &error), &error);
    expect_bytes(in_work("b.npz"), wanted, sizeof wanted - 1);
    expect_ok(snpy_archive_writer_open(&writer, in_work("b.npz"), NULL, &error), &error);
    expect_ok(snpy_archive_writer_finish(&writer, &error), &error);
    expect_bytes(in_work("b.npz"), (const uint8_t *)"PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
    (void)count_files(true);
}

/* Keys that cannot be written, and keys that are there already; the archive goes on as if nothing had been.
 *                                                                                           NPZ-WRITE-001, 002 */
static void test_keys(void **state)
{
    static const struct {
        const char *key;
        snpy_status status;
    } keys[] = {
        {"a", SNPY_OK},
        {"a", SNPY_ZIP_WRITE_DUPLICATE},
        {"a.npy", SNPY_ZIP_WRITE_DUPLICATE},
        {"b.npy", SNPY_OK},
        {"b", SNPY_ZIP_WRITE_DUPLICATE},
        {"b.npy.npy", SNPY_ZIP_WRITE_DUPLICATE},
        {"", SNPY_OK},
        {".npy", SNPY_ZIP_WRITE_DUPLICATE},
        {"ab", SNPY_OK},
        {"abc", SNPY_OK},
        {"ac", SNPY_OK},
        {"A", SNPY_OK},
        {"\xc3\xa4", SNPY_OK},
        {"\xc3\xa4", SNPY_ZIP_WRITE_DUPLICATE},
        {"\xff", SNPY_ZIP_WRITE_KEY},
        {"\xc3", SNPY_ZIP_WRITE_KEY},
        {"\xed\xa0\x80", SNPY_ZIP_WRITE_KEY},
        {"../x", SNPY_OK},
    };
    struct made made;
    snpy_archive_writer *writer;
    snpy_archive *archive;
    snpy_io_error error;
    uint8_t data[ROW] = {1};
    uint64_t count = 0;
    (void)state;
    make_rows(&made, 1);
    expect_ok(snpy_archive_writer_open(&writer, in_work("k.npz"), NULL, &error), &error);
    for (size_t i = 0; i < COUNT(keys); i++) {
        snpy_status got = snpy_archive_writer_add(writer, keys[i].key, &made.description, data, ROW, &error);
        expect_that(got == keys[i].status && error.error.status == got, "%zu: %s\n", i, snpy_status_name(got));
        if (got == SNPY_OK)
            count++;
        else
            assert_true(error.error.offset == count && strncmp(error.member, keys[i].key, strlen(keys[i].key)) == 0);
    }
    char *longest = (char *)allocate(65532 + 1);
    memset(longest, 'k', 65532);
    longest[65532] = '\0';
    expect_failure(snpy_archive_writer_add(writer, longest, &made.description, data, ROW, &error), &error,
                   SNPY_ZIP_WRITE_KEY, "a key of 65,532 bytes");
    longest[65531] = '\0';
    expect_ok(snpy_archive_writer_add(writer, longest, &made.description, data, ROW, &error), &error);
    expect_failure(snpy_archive_writer_begin_bytes(writer, "", 0, &error), &error, SNPY_ZIP_WRITE_KEY, "no name");
    expect_failure(snpy_archive_writer_begin_bytes(writer, "A", 0, &error), &error, SNPY_ZIP_WRITE_DUPLICATE, "A");
    expect_failure(snpy_archive_writer_begin_bytes(writer, "A.npy", 0, &error), &error, SNPY_ZIP_WRITE_DUPLICATE,
                   "A.npy");
    expect_failure(snpy_archive_writer_begin_bytes(writer, "x/", 1, &error), &error, SNPY_ZIP_WRITE_KEY,
                   "a directory with data");
    expect_failure(snpy_archive_writer_begin_bytes(writer, "x/", SNPY_SIZE_UNKNOWN, &error), &error, SNPY_ZIP_WRITE_KEY,
                   "a directory that may have data");
    expect_ok(snpy_archive_writer_begin_bytes(writer, "x/", 0, &error), &error);
    expect_ok(snpy_archive_writer_end(writer, &error), &error);
    count++;
    expect_ok(snpy_archive_writer_finish(&writer, &error), &error);
    expect_ok(snpy_archive_open(in_work("k.npz"), NULL, &archive, &error), &error);
    assert_int_equal(snpy_archive_count(archive), count + 1);
    snpy_archive_close(&archive);
    free(longest);
    (void)count_files(true);
}

/* Many keys in every order stand in the tree as in a plain list. */
static void test_many_keys(void **state)
{
    snpy_key_set keys = {.count = 0};
    snpy_io_error error;
    uint32_t number = 1;
    char name[16];
    size_t length = 0;
    uint8_t *is_there = calloc(4096, 1);
    (void)state;
    for (int i = 0; i < 20000; i++) {
        number = number * 1664525u + 1013904223u;
        uint32_t key = number >> 20; /* 4,096 of them, as octal digits of different lengths */
        (void)snprintf(name, sizeof name, "%o", (unsigned)key);
        snpy_status status = snpy_keys_add(&keys, (const uint8_t *)name, strlen(name), true, &error);
        assert_int_equal(status, is_there[key] ? SNPY_ZIP_WRITE_DUPLICATE : SNPY_OK);
        is_there[key] = 1;
    }
    assert_true(keys.count > 4000);
    assert_true(snpy_keys_name(&keys, 0, &length) != NULL && length > 0);
    snpy_keys_release(&keys);
    free(is_there);
}

/* Sizes that are not what was said, and calls in the wrong order. */
static void test_wrong_use(void **state)
{
    struct made made;
    snpy_archive_writer *writer;
    snpy_io_error error;
    uint8_t data[2 * ROW] = {1};
    (void)state;
    make_rows(&made, 1);
    for (uint32_t level = 0; level <= 6; level += 6) {
        const snpy_archive_write_options options = written_as(level, 2);
        expect_ok(snpy_archive_writer_open(&writer, in_work("w.npz"), &options, &error), &error);
        expect_failure(snpy_archive_writer_put(writer, data, 1, &error), &error, SNPY_BAD_ARGUMENT, "put");
        expect_failure(snpy_archive_writer_end(writer, &error), &error, SNPY_BAD_ARGUMENT, "end");
        expect_failure(snpy_archive_writer_add(writer, "a", &made.description, data, ROW - 1, &error), &error,
                       SNPY_TRUNCATED_DATA, "too few");
        assert_int_equal(error.error.offset, 128 + ROW - 1);
        expect_failure(snpy_archive_writer_add(writer, "a", &made.description, data, ROW + 1, &error), &error,
                       SNPY_TRAILING_DATA, "too many");
        made.header.dtype.kind = 'O';
        made.header.dtype.itemsize = 8;
        made.header.dtype.byteorder = '|';
        expect_failure(snpy_archive_writer_add(writer, "a", &made.description, data, 24, &error), &error,
                       SNPY_OBJECT_DATA, "objects");
        make_rows(&made, 1);
        expect_ok(snpy_archive_writer_begin(writer, "a", &made.description, &error), &error);
        expect_failure(snpy_archive_writer_begin(writer, "b", &made.description, &error), &error, SNPY_BAD_ARGUMENT,
                       "begin");
        expect_ok(snpy_archive_writer_put(writer, data, ROW - 1, &error), &error);
        expect_failure(snpy_archive_writer_put(writer, data, 2, &error), &error, SNPY_TRAILING_DATA, "put");
        expect_failure(snpy_archive_writer_put(writer, data, 1, &error), &error, SNPY_BAD_ARGUMENT, "put again");
        expect_failure(snpy_archive_writer_finish(&writer, &error), &error, SNPY_BAD_ARGUMENT, "finish");
        assert_null(writer);
        expect_failure(snpy_archive_writer_finish(&writer, &error), &error, SNPY_BAD_ARGUMENT, "a closed writer");
        expect_ok(snpy_archive_writer_open(&writer, in_work("w.npz"), &options, &error), &error);
        expect_ok(snpy_archive_writer_begin_bytes(writer, "a", 3, &error), &error);
        expect_failure(snpy_archive_writer_finish(&writer, &error), &error, SNPY_BAD_ARGUMENT, "an open member");
        expect_ok(snpy_archive_writer_open(&writer, in_work("w.npz"), &options, &error), &error);
        expect_ok(snpy_archive_writer_begin_bytes(writer, "a", 3, &error), &error);
        expect_failure(snpy_archive_writer_end(writer, &error), &error, SNPY_TRUNCATED_DATA, "an early end");
        snpy_archive_writer_abandon(&writer);
        snpy_archive_writer_abandon(&writer);
    }
    snpy_archive_write_options options = written_as(10, 1);
    expect_failure(snpy_archive_writer_open(&writer, in_work("w.npz"), &options, &error), &error, SNPY_BAD_ARGUMENT,
                   "level 10");
    options = written_as(0, 0);
    expect_failure(snpy_archive_writer_open(&writer, in_work("w.npz"), &options, &error), &error, SNPY_BAD_ARGUMENT,
                   "no threads");
    options = written_as(0, 1);
    options.size = 0;
    expect_failure(snpy_archive_writer_open(&writer, in_work("w.npz"), &options, &error), &error, SNPY_BAD_ARGUMENT,
                   "options of another size");
    expect_failure(snpy_archive_writer_open_descriptor(&writer, -1, NULL, &error), &error, SNPY_IO_ERROR, "-1");
    assert_int_equal(count_files(false), 0);
}

/* Members and names whose bytes look like end records: a reader must not take them for one.
 *                                                                    NPZ-END-005, NPZ-WIDE-001, NPZ-WRITE-010 */
static void test_bytes_like_end_records(void **state)
{
    static const char end[] = "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\377\377";
    static const struct {
        const char *name;
        const char *data;
        size_t size;
    } members[] = {
        {"x", end, sizeof end - 1},
        {"PK\5\6 a long name with bytes that say PK\5\6 and more of them", "", 0},
        {"a name of twenty bytes PK\6\7a locator of 8by", "x", 1},
        {"PK\5\6", end, sizeof end - 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(members); i++) {
        for (uint32_t level = 0; level < 2; level++) {
            const snpy_archive_write_options options = written_as(level, 1);
            snpy_archive_writer *writer;
            snpy_archive *archive;
            snpy_io_error error;
            uint8_t room[64];
            expect_ok(snpy_archive_writer_open(&writer, in_work("e.npz"), &options, &error), &error);
            expect_ok(snpy_archive_writer_begin_bytes(writer, members[i].name, members[i].size, &error), &error);
            expect_ok(snpy_archive_writer_put(writer, members[i].data, members[i].size, &error), &error);
            expect_ok(snpy_archive_writer_end(writer, &error), &error);
            expect_ok(snpy_archive_writer_finish(&writer, &error), &error);
            expect_ok(snpy_archive_open(in_work("e.npz"), NULL, &archive, &error), &error);
            assert_int_equal(snpy_archive_count(archive), 1);
            expect_ok(snpy_archive_read(archive, 0, room, sizeof room, &error), &error);
            assert_memory_equal(room, members[i].data, members[i].size);
            snpy_archive_close(&archive);
        }
    }
    (void)count_files(true);
}

/* An archive behind other bytes of a file counts from its own beginning; one that is appended to cannot go back. */
static void test_descriptors(void **state)
{
    static const int flags[] = {O_WRONLY, O_WRONLY | O_APPEND};
    uint8_t *data = make_rows_data(ROWS);
    (void)state;
    for (size_t i = 0; i < COUNT(flags); i++) {
        const char *path = in_work("d.bin");
        snpy_archive_writer *writer;
        snpy_archive *archive;
        snpy_io_error error;
        write_bytes(path, "in front", 8);
        int descriptor = open(path, flags[i]);
        assert_true(descriptor >= 0 && lseek(descriptor, 8, SEEK_SET) == 8);
        expect_ok(snpy_archive_writer_open_descriptor(&writer, descriptor, NULL, &error), &error);
        expect_ok(snpy_archive_writer_begin_bytes(writer, "bytes", ROWS * ROW, &error), &error);
        put_pieces(writer, data, ROWS * ROW);
        expect_ok(snpy_archive_writer_end(writer, &error), &error);
        add_rows(writer, "x", data, ROWS);
        expect_ok(snpy_archive_writer_finish(&writer, &error), &error);
        assert_int_equal(close(descriptor), 0); /* it was left open */
        descriptor = open(path, O_RDONLY);
        assert_true(lseek(descriptor, 8, SEEK_SET) == 8);
        expect_ok(snpy_archive_open_descriptor(descriptor, NULL, &archive, &error), &error);
        assert_int_equal((snpy_archive_member(archive, 0)->flags & SNPY_ZIP_FLAG_DESCRIPTOR) != 0,
                         (flags[i] & O_APPEND) != 0);
        assert_int_equal(snpy_archive_member(archive, 1)->flags, 0);
        expect_rows(archive, "x", data, ROWS);
        snpy_archive_close(&archive);
        assert_int_equal(close(descriptor), 0);
    }
    free(data);
    (void)count_files(true);
}

/* A full disk leaves the old archive.                                                              NPZ-WRITE-010 */
static void test_a_full_disk(void **state)
{
    uint8_t *data = make_rows_data(BIG_ROWS);
    (void)state;
    for (uint32_t level = 0; level < 2; level++) {
        const snpy_archive_write_options options = written_as(level, 2);
        snpy_archive_writer *writer;
        snpy_io_error error;
        struct made made;
        write_bytes(in_work("f.npz"), "old", 3);
        make_rows(&made, BIG_ROWS);
        limit_files(300000);
        expect_ok(snpy_archive_writer_open(&writer, in_work("f.npz"), &options, &error), &error);
        snpy_status status = snpy_archive_writer_add(writer, "x", &made.description, data, BIG_ROWS * ROW, &error);
        if (status == SNPY_OK) status = snpy_archive_writer_finish(&writer, &error);
        limit_files(0);
        expect_failure(status, &error, SNPY_IO_ERROR, "a full disk");
        assert_true(error.system_error == EFBIG && strcmp(error.call, "write") == 0);
        assert_string_equal(error.path, in_work("f.npz"));
        snpy_archive_writer_abandon(&writer);
        expect_bytes(in_work("f.npz"), (const uint8_t *)"old", 3);
        assert_int_equal(count_files(false), 1);
    }
    free(data);
    (void)count_files(true);
}

/* Deflated data can grow. So a member of nearly 4 GiB gets room for sizes of 64 bits in its header, which is written
 * before its data are known; a stored one of that size needs none.                                 NPZ-WRITE-006 */
static void test_members_of_nearly_4_gib(void **state)
{
    static const struct {
        uint64_t size;
        uint32_t level;
        bool has_zip64;
    } cases[] = {
        {0xffffffff - 1024, 1, true}, {0xffffffff - 1024, 0, false}, {0xf0000000, 1, false}, {0xffffffff, 0, true}};
    const size_t size = 2 * (size_t)SNPY_BLOCK_SIZE + 1;
    uint8_t *data = allocate(size);
    uint32_t number = 1;
    (void)state;
    for (size_t i = 0; i < size; i++) {
        number = number * 1664525u + 1013904223u;
        data[i] = (uint8_t)(number >> 24);
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        const snpy_archive_write_options options = written_as(cases[i].level, 1);
        snpy_archive_writer *writer;
        snpy_io_error error;
        uint8_t header[SNPY_ZIP_LOCAL_SIZE];
        int descriptor = open(in_work("n.npz"), O_RDWR | O_CREAT | O_TRUNC, 0600);
        expect_ok(snpy_archive_writer_open_descriptor(&writer, descriptor, &options, &error), &error);
        expect_ok(snpy_archive_writer_begin_bytes(writer, "n", cases[i].size, &error), &error);
        expect_ok(snpy_archive_writer_put(writer, data, size, &error), &error);
        snpy_archive_writer_abandon(&writer);
        assert_true(pread(descriptor, header, sizeof header, 0) == (ssize_t)sizeof header);
        expect_that((header[4] == 45) == cases[i].has_zip64, "%zu: version %u\n", i, (unsigned)header[4]);
        expect_that((memcmp(header + 18, "\xff\xff\xff\xff", 4) == 0) == cases[i].has_zip64, "%zu: its sizes\n", i);
        assert_int_equal(close(descriptor), 0);
    }
    free(data);
    (void)count_files(true);
}

/* More members than an end record can count, and more bytes than it can: 65,534, 65,535 and 65,536 empty ones.
 *                                                                                                  NPZ-WRITE-006 */
static void test_many_members(void **state)
{
    (void)state;
    for (size_t count = 65534; count <= 65536; count++) {
        snpy_archive_writer *writer;
        snpy_archive *archive;
        snpy_io_error error;
        size_t length = 0;
        char name[16];
        expect_ok(snpy_archive_writer_open(&writer, in_work("m.npz"), NULL, &error), &error);
        for (size_t i = 0; i < count; i++) {
            (void)snprintf(name, sizeof name, "%zu", i);
            expect_ok(snpy_archive_writer_begin_bytes(writer, name, 0, &error), &error);
            expect_ok(snpy_archive_writer_end(writer, &error), &error);
        }
        expect_ok(snpy_archive_writer_finish(&writer, &error), &error);
        expect_ok(snpy_archive_open(in_work("m.npz"), NULL, &archive, &error), &error);
        assert_int_equal(snpy_archive_count(archive), count);
        snpy_archive_close(&archive);
        uint8_t *bytes = read_file(in_work("m.npz"), &length);
        assert_int_equal(memcmp(bytes + length - 42, "PK\6\7", 4) == 0, count >= 65535);
        free(bytes);
    }
    (void)count_files(true);
}

/* Each member at a level of its own, and what the writer says of them. */
static void test_levels_and_numbers(void **state)
{
    static const uint32_t levels[] = {0, 9, 1, 0};
    const snpy_archive_write_options options = written_as(6, 2);
    snpy_archive_writer *writer;
    snpy_archive *archive;
    snpy_written_member member;
    snpy_io_error error;
    uint8_t *data = make_data(50000, 7);
    (void)state;
    for (size_t i = 0; i < 50000; i++) data[i] = (uint8_t)(data[i] % 8);
    expect_ok(snpy_archive_writer_open(&writer, in_work("l.npz"), &options, &error), &error);
    expect_failure(snpy_archive_writer_set_level(writer, 10, &error), &error, SNPY_BAD_ARGUMENT, "level 10");
    for (size_t i = 0; i < 4; i++) {
        const char name[] = {(char)('a' + i), '\0'};
        expect_ok(snpy_archive_writer_set_level(writer, levels[i], &error), &error);
        expect_ok(snpy_archive_writer_begin_bytes(writer, name, 50000, &error), &error);
        expect_failure(snpy_archive_writer_set_level(writer, 1, &error), &error, SNPY_BAD_ARGUMENT, "an open member");
        expect_failure(snpy_archive_writer_member(writer, 0, &member, &error), &error, SNPY_BAD_ARGUMENT,
                       "one that is open");
        expect_ok(snpy_archive_writer_put(writer, data, 50000, &error), &error);
        expect_ok(snpy_archive_writer_end(writer, &error), &error);
    }
    assert_int_equal(snpy_archive_writer_count(writer), 4);
    expect_failure(snpy_archive_writer_member(writer, 4, &member, &error), &error, SNPY_BAD_ARGUMENT, "no such member");
    snpy_written_member found[4];
    for (size_t i = 0; i < 4; i++) {
        expect_ok(snpy_archive_writer_member(writer, i, &found[i], &error), &error);
        assert_true(found[i].name_length == 1 && found[i].name[0] == 'a' + i);
    }
    expect_ok(snpy_archive_writer_finish(&writer, &error), &error);
    assert_int_equal(snpy_archive_writer_count(writer), 0);
    expect_ok(snpy_archive_open(in_work("l.npz"), NULL, &archive, &error), &error);
    for (size_t i = 0; i < 4; i++) {
        const snpy_zip_member *record = snpy_archive_member(archive, i);
        assert_int_equal(found[i].is_deflated, levels[i] > 0);
        assert_int_equal(found[i].is_deflated, record->method == SNPY_ZIP_DEFLATED);
        assert_int_equal(found[i].size, record->size);
        assert_int_equal(found[i].compressed_size, record->compressed_size);
        assert_int_equal(found[i].data_offset, record->data_offset);
        assert_int_equal(found[i].crc, record->crc);
    }
    assert_true(found[1].compressed_size < found[2].compressed_size); /* level 9 against level 1 */
    snpy_archive_close(&archive);
    expect_ok(snpy_archive_writer_open(&writer, in_work("l.npz"), NULL, &error), &error);
    expect_ok(snpy_archive_writer_set_level(writer, 0, &error), &error);
    expect_failure(snpy_archive_writer_set_level(writer, 6, &error), &error, SNPY_BAD_ARGUMENT, "opened to store");
    snpy_archive_writer_abandon(&writer);
    free(data);
    count_files(true);
}

/* Options of a program that was compiled when they were smaller, or will be when they are larger. */
static void test_options_that_have_grown(void **state)
{
    snpy_archive_writer *writer;
    snpy_io_error error;
    snpy_archive_write_options options = written_as(6, 1);
    (void)state;
    options.any_keys = true;
    options.size = (uint32_t)offsetof(snpy_archive_write_options, any_keys);
    expect_ok(snpy_archive_writer_open(&writer, in_work("g.npz"), &options, &error), &error);
    expect_ok(snpy_archive_writer_begin_bytes(writer, "a.npy", 0, &error), &error);
    expect_ok(snpy_archive_writer_end(writer, &error), &error);
    expect_failure(snpy_archive_writer_begin_bytes(writer, "a.npy.npy", 0, &error), &error, SNPY_ZIP_WRITE_DUPLICATE,
                   "any_keys is not known");
    snpy_archive_writer_abandon(&writer);
    options.size = (uint32_t)sizeof options;
    expect_ok(snpy_archive_writer_open(&writer, in_work("g.npz"), &options, &error), &error);
    expect_ok(snpy_archive_writer_begin_bytes(writer, "a.npy", 0, &error), &error);
    expect_ok(snpy_archive_writer_end(writer, &error), &error);
    expect_ok(snpy_archive_writer_begin_bytes(writer, "a.npy.npy", 0, &error), &error);
    snpy_archive_writer_abandon(&writer);
    options.size++;
    expect_failure(snpy_archive_writer_open(&writer, in_work("g.npz"), &options, &error), &error, SNPY_BAD_ARGUMENT,
                   "larger options");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels_and_numbers),
        cmocka_unit_test(test_options_that_have_grown),
        cmocka_unit_test(test_what_is_written_is_read),
        cmocka_unit_test(test_bytes_of_an_archive),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_wrong_use),
        cmocka_unit_test(test_bytes_like_end_records),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_a_full_disk),
        cmocka_unit_test(test_members_of_nearly_4_gib),
        cmocka_unit_test(test_many_members),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
