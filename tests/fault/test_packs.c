/* test_packs.c: archives with many members, whose calls fail in their midst; members loaded in rare ways.
 *                                                                   HOST-IO, HOST-MEMORY, NPZ-WRITE-003, NPZ-DATA-006 */
#include "tests/fault/wrap.h"
#ifdef SNPY_ARCHIVES
#include "safenpy/archive_write.h"
#include "tests/unit/zips.h"

#define MANY 700u
#define LARGE 300000u

static uint8_t *data; /* LARGE bytes that hardly deflate */
static snpy_io_error error;

/* --- writing -------------------------------------------------------------------------------------------------- */

/* Adds many small members and a large one, which comes by parts. */
static snpy_status add_all(snpy_archive_writer *writer)
{
    const uint64_t large[1] = {LARGE};
    char key[300];
    struct made made;
    snpy_status status = SNPY_OK;
    for (unsigned i = 0; i < MANY && status == SNPY_OK; i++) {
        make_rows(&made, 1 + i % 40);
        (void)snprintf(key, sizeof key, "a key that takes some room in the directory %u/%0200u", i, i);
        status = snpy_archive_writer_add(writer, key, &made.description, data, made.header.shape[0] * ROW, &error);
    }
    make(&made, 'u', 1, false, 1, large);
    if (status == SNPY_OK) status = snpy_archive_writer_begin(writer, "large", &made.description, &error);
    for (size_t at = 0; at < LARGE && status == SNPY_OK; at += 50000)
        status = snpy_archive_writer_put(writer, data + at, 50000, &error);
    if (status == SNPY_OK) status = snpy_archive_writer_end(writer, &error);
    return status;
}

static snpy_status pack(const char *path, uint32_t level, uint32_t threads)
{
    snpy_archive_write_options options = SNPY_ARCHIVE_WRITE_OPTIONS_INIT;
    snpy_archive_writer *writer;
    options.level = level;
    options.threads = threads;
    snpy_status status = snpy_archive_writer_open(&writer, path, &options, &error);
    if (status != SNPY_OK) return status;
    status = add_all(writer);
    if (status == SNPY_OK) status = snpy_archive_writer_finish(&writer, &error);
    snpy_archive_writer_abandon(&writer);
    return status;
}

static void expect_packed(const char *path)
{
    snpy_archive *archive;
    snpy_array array;
    size_t index = 0;
    expect_ok(snpy_archive_open(path, NULL, &archive, &error), &error);
    assert_int_equal(snpy_archive_count(archive), MANY + 1);
    expect_ok(snpy_archive_find(archive, "large", &index, &error), &error);
    expect_ok(snpy_archive_load(archive, index, NULL, &array, &error), &error);
    assert_memory_equal(array.data, data, LARGE);
    snpy_array_release(&array);
    snpy_archive_close(&archive);
}

/* Whatever fails in the midst of an archive, the old file stays, and no other is left. */
static void fail_at(const char *call, uint32_t level, uint32_t threads, int reason)
{
    unsigned failures = 0;
    for (unsigned number = 1;; number += 1 + number / 4) {
        write_bytes(in_work("p.npz"), "old", 3);
        arm_fault_for(call, FAULT_ONCE, number, reason);
        snpy_status status = pack(in_work("p.npz"), level, threads);
        if (!disarm_fault()) {
            expect_ok(status, &error);
            break;
        }
        failures++;
        expect_failure(status, &error, reason == ENOMEM ? SNPY_NO_MEMORY : SNPY_IO_ERROR, call);
        assert_string_equal(error.call, call);
        expect_bytes(in_work("p.npz"), (const uint8_t *)"old", 3);
        assert_int_equal(count_files(false), 1);
    }
    assert_true(failures >= 2);
    expect_packed(in_work("p.npz"));
}

static void test_packing_fails_in_the_midst(void **state)
{
    (void)state;
    fail_at("write", 0, 1, ENOSPC);
    fail_at("pwrite", 0, 1, ENOSPC);
    fail_at("write", 6, 1, ENOSPC);
    fail_at("write", 1, 3, ENOSPC);
    fail_at("malloc", 0, 1, ENOMEM);
    fail_at("malloc", 6, 1, ENOMEM);
    fail_at("realloc", 6, 1, ENOMEM);
}

/* More threads than anyone has are as many as there may be; without any, the caller does the work. */
static void test_threads_that_there_are_not(void **state)
{
    (void)state;
    expect_ok(pack(in_work("p.npz"), 1, 64), &error);
    expect_packed(in_work("p.npz"));
    arm_fault_for("pthread_create", FAULT_FOR_GOOD, 2, EAGAIN);
    expect_ok(pack(in_work("p.npz"), 1, 4), &error);
    assert_true(disarm_fault());
    expect_packed(in_work("p.npz"));
}

/* Calls in the wrong order are refused, and the archive can be written all the same. */
static void test_calls_in_the_wrong_order(void **state)
{
    snpy_archive_writer *writer;
    struct made made;
    (void)state;
    make_rows(&made, 1);
    expect_ok(snpy_archive_writer_open(&writer, in_work("p.npz"), NULL, &error), &error);
    expect_failure(snpy_archive_writer_put(writer, data, 1, &error), &error, SNPY_BAD_ARGUMENT, "put");
    expect_failure(snpy_archive_writer_end(writer, &error), &error, SNPY_BAD_ARGUMENT, "end");
    expect_ok(snpy_archive_writer_begin_bytes(writer, "note", 4, &error), &error);
    expect_failure(snpy_archive_writer_begin_bytes(writer, "b", 4, &error), &error, SNPY_BAD_ARGUMENT, "begin");
    expect_failure(snpy_archive_writer_begin(writer, "b", &made.description, &error), &error, SNPY_BAD_ARGUMENT,
                   "begin");
    expect_failure(snpy_archive_writer_add(writer, "b", &made.description, data, ROW, &error), &error,
                   SNPY_BAD_ARGUMENT, "add");
    expect_ok(snpy_archive_writer_put(writer, "note", 4, &error), &error);
    expect_ok(snpy_archive_writer_end(writer, &error), &error);
    expect_ok(snpy_archive_writer_finish(&writer, &error), &error);
    expect_failure(snpy_archive_writer_end(writer, &error), &error, SNPY_BAD_ARGUMENT, "end of what is closed");
    (void)unlink(in_work("p.npz"));
}

/* --- reading -------------------------------------------------------------------------------------------------- */

enum { STORED, DEFLATED, NOTE, SPOILED, WASTEFUL, EMPTY };

/* An archive of a stored and a deflated array, a note, an array whose CRC is wrong, one that deflates to more than it
 * is, and one without elements. */
static void make_archive(void)
{
    static const uint64_t none[1] = {0};
    static uint8_t wasteful[8 * 40000];
    struct made made;
    size_t length = 0;
    size_t used = 0;
    make_rows(&made, 2);
    expect_ok(snpy_save(in_work("a.npy"), &made.description, data, 2 * ROW, &error), &error);
    uint8_t *array = read_file(in_work("a.npy"), &length);
    make(&made, 'i', 4, false, 1, none);
    expect_ok(snpy_save(in_work("a.npy"), &made.description, data, 0, &error), &error);
    size_t empty_length = 0;
    uint8_t *empty = read_file(in_work("a.npy"), &empty_length);
    for (; used < 30000 * 5; used += 5) memcpy(wasteful + used, "\0\0\0\xff\xff", 5); /* blocks of no bytes */
    wasteful[used] = 1;
    wasteful[used + 1] = (uint8_t)length;
    wasteful[used + 2] = (uint8_t)(length >> 8);
    wasteful[used + 3] = (uint8_t)~length;
    wasteful[used + 4] = (uint8_t)(~length >> 8);
    memcpy(wasteful + used + 5, array, length);
    struct entry entries[] = {stored("s.npy", array, length),   deflated("d.npy", array, length),
                              stored("note", "note", 4),        deflated("x.npy", array, length),
                              deflated("w.npy", array, length), stored("e.npy", empty, empty_length)};
    entries[SPOILED].crc ^= 1;
    free_data(&entries[WASTEFUL]);
    entries[WASTEFUL].data = wasteful;
    entries[WASTEFUL].data_size = used + 5 + length;
    struct zip zip = build(entries, COUNT(entries), false, "");
    write_bytes(in_work("a.npz"), zip.bytes, zip.length);
    free(zip.bytes);
    free_data(&entries[DEFLATED]);
    free_data(&entries[SPOILED]);
    free(array);
    free(empty);
}

/* Opens the archive from its file or from memory. */
static void open_archive(snpy_archive **archive, bool is_strict, const uint8_t *bytes, size_t length)
{
    snpy_archive_options options = SNPY_ARCHIVE_OPTIONS_INIT;
    options.strict_deflate = is_strict;
    options.max_ratio = 1000000;
    if (bytes == NULL)
        expect_ok(snpy_archive_open(in_work("a.npz"), &options, archive, &error), &error);
    else
        expect_ok(snpy_archive_open_memory(bytes, length, &options, archive, &error), &error);
}

/* Strict or not, from a file or from memory, into memory of the caller's or not: the array, or the same refusal. */
static void test_ways_to_load(void **state)
{
    const snpy_options limits = SNPY_OPTIONS_INIT;
    uint8_t room[2 * ROW];
    size_t length = 0;
    (void)state;
    make_archive();
    uint8_t *bytes = read_file(in_work("a.npz"), &length);
    for (unsigned way = 0; way < 16; way++) {
        snpy_load_options how = {.size = sizeof(snpy_load_options), .limits = way & 1 ? &limits : NULL};
        snpy_archive *archive;
        snpy_array array;
        open_archive(&archive, (way & 4) != 0, way & 8 ? bytes : NULL, length);
        how.buffer = way & 2 ? room : NULL;
        how.capacity = sizeof room;
        for (size_t index = STORED; index <= EMPTY; index++) {
            snpy_status status = snpy_archive_load(archive, index, &how, &array, &error);
            if (index == NOTE || index == SPOILED) {
                expect_failure(status, &error, index == NOTE ? SNPY_NOT_AN_ARRAY : SNPY_ZIP_BAD_CRC, "a bad member");
                continue;
            }
            expect_ok(status, &error);
            if (index != EMPTY) assert_memory_equal(array.data, data, 2 * ROW);
            if (index != EMPTY) assert_true((array.data == room) == ((way & 2) != 0));
            snpy_array_release(&array);
        }
        snpy_archive_close(&archive);
    }
    free(bytes);
}

/* Loads a deflated member, each time with the next call of `name` failing, until none is left to fail. */
static void expect_faults_of_load(const snpy_archive *archive, const char *name, int number, snpy_status wanted)
{
    snpy_array array;
    for (unsigned call = 1;; call++) {
        arm_fault_for(name, FAULT_ONCE, call, number);
        snpy_status status = snpy_archive_load(archive, DEFLATED, NULL, &array, &error);
        if (!disarm_fault()) {
            assert_true(call > 1);
            expect_ok(status, &error);
            break;
        }
        expect_failure(status, &error, wanted, name);
        assert_true(array.data == NULL && array.head_ == NULL);
        if (wanted == SNPY_IO_ERROR) assert_string_equal(error.call, name);
    }
    snpy_array_release(&array);
}

/* To inflate at once takes memory, and reads what may fail. */
static void test_loads_at_once_that_fail(void **state)
{
    snpy_archive *archive;
    (void)state;
    make_archive();
    open_archive(&archive, false, NULL, 0);
    expect_faults_of_load(archive, "malloc", ENOMEM, SNPY_NO_MEMORY);
    expect_faults_of_load(archive, "pread", EIO, SNPY_IO_ERROR);
    snpy_archive_close(&archive);
}

#define BLOCK_HEAD 5u
#define MOST_IN_BLOCK 65535u

/* Begins a block of deflate that holds bytes as they are. */
static uint8_t *put_block_head(uint8_t *out, bool is_last, size_t length)
{
    const uint8_t head[BLOCK_HEAD] = {is_last, (uint8_t)length, (uint8_t)(length >> 8), (uint8_t)~length,
                                      (uint8_t)(~length >> 8)};
    memcpy(out, head, BLOCK_HEAD);
    return out + BLOCK_HEAD;
}

/* An archive of an array that is deflated, but not compressed: two blocks that hold it as it is. */
static struct zip make_plain_blocks(void)
{
    const uint64_t shape[1] = {MOST_IN_BLOCK};
    struct made made;
    size_t length = 0;
    make(&made, 'u', 1, false, 1, shape);
    expect_ok(snpy_save(in_work("a.npy"), &made.description, data, MOST_IN_BLOCK, &error), &error);
    uint8_t *array = read_file(in_work("a.npy"), &length);
    uint8_t *blocks = allocate(length + 2 * BLOCK_HEAD);
    uint8_t *out = put_block_head(blocks, false, MOST_IN_BLOCK);
    memcpy(out, array, MOST_IN_BLOCK);
    out = put_block_head(out + MOST_IN_BLOCK, true, length - MOST_IN_BLOCK);
    memcpy(out, array + MOST_IN_BLOCK, length - MOST_IN_BLOCK);
    struct entry entry = stored("a.npy", array, length);
    entry.method = 8;
    entry.data = blocks;
    entry.data_size = length + 2 * BLOCK_HEAD;
    struct zip zip = build(&entry, 1, false, "");
    free(blocks);
    free(array);
    return zip;
}

/* The header of an array is read twice, the second time with its CRC. One that is another by then is never handed out. */
static void test_a_header_that_changes_while_it_is_read(void **state)
{
    enum { MOST = 20, KIND = 22 }; /* "{'descr': '|u1'" behind ten bytes */
    unsigned refused = 0;
    (void)state;
    struct zip zip = make_plain_blocks();
    const long at = (long)zip.data[0] + BLOCK_HEAD + KIND;
    assert_int_equal(zip.bytes[at], 'u');
    for (unsigned number = 1; number <= MOST; number++) {
        snpy_archive *archive;
        snpy_array array;
        zip.bytes[at] = 'i';
        write_bytes(in_work("c.npz"), zip.bytes, zip.length);
        expect_ok(snpy_archive_open(in_work("c.npz"), NULL, &archive, &error), &error);
        change_on_pread(in_work("c.npz"), at, 'u', number); /* the right one */
        snpy_status status = snpy_archive_load(archive, 0, NULL, &array, &error);
        if (leave_unchanged()) number = MOST;
        if (status == SNPY_OK) {
            assert_int_equal(array.header.dtype.kind, SNPY_KIND_UINT);
        } else if (status == SNPY_FILE_CHANGED) {
            assert_true(error.error.offset == zip.data[0]);
            refused++;
        } else {
            expect_failure(status, &error, SNPY_ZIP_BAD_CRC, "a header that was wrong for too long");
        }
        snpy_array_release(&array);
        snpy_archive_close(&archive);
    }
    assert_int_equal(refused, 1);
    free(zip.bytes);
}

/* A single load makes no thread; one of several members does. */
static void test_threads_only_where_they_are_asked_for(void **state)
{
    const size_t twice[2] = {0, 0};
    snpy_io_error errors[2];
    snpy_archive *archive;
    snpy_array arrays[2];
    (void)state;
    struct zip zip = make_plain_blocks();
    expect_ok(snpy_archive_open_memory(zip.bytes, zip.length, NULL, &archive, &error), &error);
    for (size_t count = 1; count <= 2; count++) {
        arm_fault_for("pthread_create", FAULT_FOR_GOOD, 1, EAGAIN);
        assert_int_equal(snpy_archive_load_several(archive, twice, count, 2, arrays, errors), SNPY_OK);
        assert_int_equal(disarm_fault(), count == 2);
        for (size_t i = 0; i < count; i++) {
            assert_memory_equal(arrays[i].data, data, MOST_IN_BLOCK);
            snpy_array_release(&arrays[i]);
        }
    }
    snpy_archive_close(&archive);
    free(zip.bytes);
}

static void test_many_threads_load(void **state)
{
    enum { TIMES = 100 };
    size_t indices[TIMES];
    snpy_array arrays[TIMES];
    snpy_io_error errors[TIMES];
    snpy_archive *archive;
    (void)state;
    make_archive();
    open_archive(&archive, false, NULL, 0);
    for (int has_threads = 0; has_threads < 2; has_threads++) {
        for (size_t i = 0; i < TIMES; i++) indices[i] = i % 2 == 0 ? STORED : DEFLATED;
        if (!has_threads) arm_fault_for("pthread_create", FAULT_FOR_GOOD, 1, EAGAIN);
        assert_int_equal(snpy_archive_load_several(archive, indices, TIMES, 1000, arrays, errors), SNPY_OK);
        if (!has_threads) assert_true(disarm_fault());
        for (size_t i = 0; i < TIMES; i++) {
            assert_memory_equal(arrays[i].data, data, 2 * ROW);
            snpy_array_release(&arrays[i]);
        }
    }
    indices[3] = 99; /* there is no such member */
    assert_int_equal(snpy_archive_load_several(archive, indices, TIMES, 4, arrays, errors), SNPY_BAD_ARGUMENT);
    assert_int_equal(errors[3].error.status, SNPY_BAD_ARGUMENT);
    for (size_t i = 0; i < TIMES; i++) snpy_array_release(&arrays[i]);
    snpy_archive_close(&archive);
}

/* Only an array that was mapped from a member can be settled with it. */
static void test_settling_what_is_not_mapped(void **state)
{
    char name[8];
    uint8_t byte;
    size_t received = 0;
    snpy_archive *archive;
    snpy_array array;
    snpy_array other;
    snpy_member *member;
    (void)state;
    make_archive();
    open_archive(&archive, false, NULL, 0);
    expect_ok(snpy_archive_map(archive, STORED, SNPY_MAP_READ, true, &array, &error), &error);
    expect_ok(snpy_archive_verify(archive, STORED, &array, &error), &error);
    expect_failure(snpy_archive_verify(archive, DEFLATED, &array, &error), &error, SNPY_BAD_ARGUMENT, "deflated");
    expect_failure(snpy_archive_verify(archive, NOTE, &array, &error), &error, SNPY_BAD_ARGUMENT, "too small");
    expect_failure(snpy_archive_verify(archive, EMPTY, &array, &error), &error, SNPY_BAD_ARGUMENT, "another");
    other = array;
    other.head_ = NULL;
    expect_failure(snpy_archive_verify(archive, STORED, &other, &error), &error, SNPY_BAD_ARGUMENT, "no header");
    snpy_array_release(&array);
    expect_failure(snpy_archive_map(archive, NOTE, SNPY_MAP_READ, false, &array, &error), &error, SNPY_NOT_AN_ARRAY,
                   "no array");
    expect_ok(snpy_member_open(archive, NOTE, &member, &error), &error);
    snpy_member_close(&member);
    expect_failure(snpy_member_read(member, &byte, 1, &received, &error), &error, SNPY_BAD_ARGUMENT, "closed");
    assert_int_equal(snpy_archive_name(archive, 99, name, sizeof name), 0);
    assert_int_equal(snpy_archive_key(archive, 99, name, sizeof name), 0);
    char *long_name = calloc(300001, 1);
    if (long_name == NULL) abort();
    memset(long_name, 'a', 300000);
    assert_int_not_equal(snpy_archive_find(archive, long_name, &received, &error), SNPY_OK);
    free(long_name);
    snpy_archive_close(&archive);
}

static int set_up_data(void **state)
{
    data = allocate(LARGE);
    uint32_t number = 1;
    for (size_t i = 0; i < LARGE; i++) data[i] = (uint8_t)((number = number * 1103515245u + 12345u) >> 16);
    pretend_to_sync();
    return set_up(state);
}

static int tear_down_data(void **state)
{
    free(data);
    return tear_down(state);
}
#else
#include "tests/unit/files.h"

static void test_no_archives(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
#ifdef SNPY_ARCHIVES
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packing_fails_in_the_midst),
        cmocka_unit_test(test_calls_in_the_wrong_order),
        cmocka_unit_test(test_threads_that_there_are_not),
        cmocka_unit_test(test_ways_to_load),
        cmocka_unit_test(test_loads_at_once_that_fail),
        cmocka_unit_test(test_many_threads_load),
        cmocka_unit_test(test_settling_what_is_not_mapped),
        cmocka_unit_test(test_a_header_that_changes_while_it_is_read),
        cmocka_unit_test(test_threads_only_where_they_are_asked_for),
    };
    return cmocka_run_group_tests(tests, set_up_data, tear_down_data);
#else
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_archives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
