/* test_deflate.c: spoilt deflate streams, with the size and the CRC that they would have: what check accepts, load
 * accepts with the same bytes, and with strict_deflate all ways agree. SNPY_TEST_STREAMS in the environment is how many are tried. And blocks that were joined to one stream:
 * zlib reads them.                                     NPZ-DATA-002 to 005, NPZ-DATA-007, NPZ-WRITE-008 */
#include <glob.h>

#include <libdeflate.h>

#include "npz/write.h"
#include "tests/unit/streams.h"
#include "tests/unit/zips.h"

#define STREAMS 6000u
#define HEAD 128u        /* bytes of the header, which stand in a block of their own, unharmed */
#define HEAD_BLOCK 133u  /* and of that block */
#define MOST_BYTES 4096u /* bytes that a stream may give behind it */
#define MOST_STREAM 2048u

/* A good stream, of one of the kinds that zlib writes. */
static size_t make_stream(uint8_t *out, uint64_t *seed)
{
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED, Z_DEFAULT_STRATEGY};
    uint8_t data[600];
    size_t size = (size_t)(next_random(seed) % sizeof data);
    z_stream stream;
    fill(data, size, seed);
    memset(&stream, 0, sizeof stream);
    if (deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, strategies[next_random(seed) % COUNT(strategies)]) != Z_OK)
        abort();
    stream.next_in = data;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = MOST_STREAM;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) abort();
    size_t length = (size_t)stream.total_out;
    (void)deflateEnd(&stream);
    return length;
}

/* Spoils a stream: some bits, most of them where the codes are described, and sometimes its end. */
static size_t spoil(uint8_t *stream, size_t length, uint64_t *seed)
{
    for (size_t count = 1 + (size_t)(next_random(seed) % 3); count > 0 && length > 0; count--) {
        size_t reach = next_random(seed) % 4 == 0 || length < 40 ? length : 40;
        stream[next_random(seed) % reach] ^= (uint8_t)(1u << next_random(seed) % 8);
    }
    if (next_random(seed) % 32 == 0 && length > 0) length--;
    return length;
}

/* What must be said of a stream. */
struct verdict {
    snpy_status status;
    size_t given;  /* bytes that it gives, as far as it goes */
    size_t offset; /* of the byte at fault, from the beginning of the data */
};

/* What zlib makes of a stream at once. */
static struct verdict by_zlib(const uint8_t *bytes, size_t length, uint8_t *out)
{
    struct verdict verdict = {SNPY_ZIP_BAD_DEFLATE, 0, 0};
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (inflateInit2(&stream, -15) != Z_OK) abort();
    uint8_t *copy = allocate(length);
    if (length > 0) memcpy(copy, bytes, length);
    stream.next_in = copy;
    stream.avail_in = (uInt)length;
    stream.next_out = out;
    stream.avail_out = MOST_BYTES + 1;
    int result = inflate(&stream, Z_FINISH);
    verdict.given = (size_t)stream.total_out;
    if (verdict.given > MOST_BYTES) {
        verdict.given = MOST_BYTES;
        verdict.status = SNPY_ZIP_INFLATED_SIZE;
    } else if (result == Z_STREAM_END) {
        verdict.status = stream.avail_in == 0 ? SNPY_OK : SNPY_ZIP_DEFLATE_TRAILING;
        verdict.offset = length - stream.avail_in;
    }
    (void)inflateEnd(&stream);
    free(copy);
    return verdict;
}

/* What libdeflate makes of it. */
static size_t by_libdeflate(const uint8_t *bytes, size_t length, uint8_t *out)
{
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    size_t used = 0;
    size_t given = 0;
    if (decompressor == NULL) abort();
    enum libdeflate_result result =
        libdeflate_deflate_decompress_ex(decompressor, bytes, length, out, MOST_BYTES, &used, &given);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS && used == length ? given : SIZE_MAX;
}

/* The header of an array of so many bytes, in a block that is stored; its length is always the same. */
static void put_head(uint8_t *out, size_t count)
{
    char text[HEAD - 9];
    (void)snprintf(text, sizeof text, "{'descr': '|u1', 'fortran_order': False, 'shape': (%6zu,), }", count);
    memset(out + 15, ' ', HEAD - 11);
    memcpy(out, "\0\x80\0\x7f\xff", 5);
    memcpy(out + 5, "\x93NUMPY\1\0\x76\0", 10);
    memcpy(out + 15, text, strlen(text));
    out[HEAD_BLOCK - 1] = '\n';
}

/* The member that a stream is. */
static struct entry make_entry(const uint8_t *stream, size_t length, const uint8_t *bytes, size_t size)
{
    struct entry entry = stored("x.npy", bytes, size);
    entry.data = stream;
    entry.data_size = length;
    entry.method = 8;
    return entry;
}

/* Reads a member to its end, in pieces. */
static snpy_status read_pieces(const snpy_archive *archive, size_t piece, uint8_t *out, snpy_io_error *error)
{
    snpy_member *member;
    size_t received = 1;
    snpy_status status = snpy_member_open(archive, 0, &member, error);
    while (status == SNPY_OK && received > 0) {
        uint64_t left = snpy_member_size(member) - snpy_member_position(member);
        status = snpy_member_read(member, out + snpy_member_position(member), left < piece ? (size_t)left : piece,
                                  &received, error);
    }
    snpy_member_close(&member);
    return status;
}

/* Reads the member in one of the ways there are; whatever is handed out goes to `out`, header and all. */
static snpy_status read_it(const snpy_archive *archive, int way, uint8_t *out, const uint8_t *head,
                           snpy_io_error *error)
{
    static const size_t first = 0;
    snpy_load_options how = {.size = sizeof(snpy_load_options), .header_only = way == 2};
    snpy_array array = {.data = NULL};
    bool is_array = false;
    if (way == 0) return snpy_archive_read(archive, 0, out, MOST_BYTES, error);
    if (way == 3) return read_pieces(archive, 1, out, error);
    if (way == 4) return read_pieces(archive, 100, out, error);
    memcpy(out, head, HEAD);
    if (way == 5) {
        how.buffer = out + HEAD;
        how.capacity = MOST_BYTES - HEAD;
    }
    snpy_status status = way == 1   ? snpy_archive_check(archive, 0, &is_array, &array, error)
                         : way == 6 ? snpy_archive_load_several(archive, &first, 1, 1, &array, error)
                                    : snpy_archive_load(archive, 0, &how, &array, error);
    if (status == SNPY_OK && way >= 5 && array.data_size > 0) memmove(out + HEAD, array.data, (size_t)array.data_size);
    snpy_array_release(&array);
    return status;
}

/* Where an error points to. */
static uint64_t place_of(const struct zip *zip, const struct verdict *verdict)
{
    if (verdict->status == SNPY_OK) return 0;
    return verdict->status == SNPY_ZIP_INFLATED_SIZE ? zip->central[0] + 24 : zip->data[0] + verdict->offset;
}

/* With strict_deflate all ways to read a member agree. */
static void expect_all_ways(const struct zip *zip, const uint8_t *bytes, const struct verdict *verdict, size_t number)
{
    uint64_t offset = place_of(zip, verdict);
    snpy_archive *archive;
    snpy_io_error error;
    uint8_t out[MOST_BYTES];
    snpy_archive_options options = archive_defaults();
    options.strict_deflate = true;
    expect_ok(snpy_archive_open_memory(zip->bytes, zip->length, &options, &archive, &error), &error);
    for (int way = 0; way < 8; way++) {
        memset(out, GUARD, sizeof out);
        snpy_status got = read_it(archive, way, out, bytes, &error);
        expect_that(got == verdict->status && error.error.status == got && error.error.offset == offset,
                    "stream %zu, way %d: %s at %llu, not %s at %llu\n", number, way, snpy_status_name(got),
                    (unsigned long long)error.error.offset, snpy_status_name(verdict->status),
                    (unsigned long long)offset);
        if (got == SNPY_OK && way != 1 && way != 2) assert_memory_equal(out, bytes, verdict->given);
    }
    snpy_archive_close(&archive);
}

/* By default a load may accept what libdeflate accepts and zlib refuses. What check accepts it accepts with the same
 * bytes, at once; what it refuses it refuses as check does. Returns whether it accepted more.        NPZ-DATA-007 */
static bool expect_load(const struct zip *zip, const uint8_t *bytes, const struct verdict *verdict, bool may_accept,
                        size_t number)
{
    snpy_archive *archive;
    snpy_io_error error;
    uint8_t out[MOST_BYTES];
    bool is_done = false;
    expect_ok(snpy_archive_open_memory(zip->bytes, zip->length, NULL, &archive, &error), &error);
    snpy_status got = read_it(archive, 7, out, bytes, &error);
    expect_that(got == verdict->status || (got == SNPY_OK && may_accept), "stream %zu: %s\n", number,
                snpy_status_name(got));
    if (got == SNPY_OK) assert_memory_equal(out, bytes, verdict->given);
    if (got != SNPY_OK) assert_true(error.error.offset == place_of(zip, verdict));
    assert_int_equal(snpy_member_whole(archive, 0, out, &is_done, &error), SNPY_OK);
    expect_that(is_done == (got == SNPY_OK), "stream %zu: at once: %d\n", number, is_done);
    snpy_archive_close(&archive);
    return got == SNPY_OK && verdict->status != SNPY_OK;
}

/* Tries one stream, which has room for the header at its beginning. Returns the verdict, and whether it is another if
 * libdeflate is asked. What stands in the header may be repeated behind it, so all is inflated once more when its size
 * is known. */
static struct verdict try_stream(uint8_t *stream, size_t length, bool *is_lax, size_t number)
{
    uint8_t bytes[MOST_BYTES + 1];
    uint8_t other[MOST_BYTES + 1];
    struct verdict verdict = {SNPY_OK, HEAD, 0};
    size_t given = HEAD;
    bool differs = false;
    for (int turn = 0; turn < 2; turn++) {
        put_head(stream, verdict.given - HEAD);
        memset(bytes, 0, sizeof bytes);
        verdict = by_zlib(stream, length, bytes);
        given = by_libdeflate(stream, length, other);
        differs = (verdict.status == SNPY_OK) != (given != SIZE_MAX);
        if (verdict.status == SNPY_OK) assert_true(given == verdict.given);
        if (differs) verdict.given = given;
    }
    if (differs) memcpy(bytes, other, given);
    struct entry entry = make_entry(stream, length, bytes, verdict.given);
    struct zip zip = build(&entry, 1, false, "");
    expect_all_ways(&zip, bytes, &verdict, number);
    *is_lax = expect_load(&zip, bytes, &verdict, differs, number);
    free(zip.bytes);
    return verdict;
}

static void test_spoilt_streams(void **state)
{
    const char *wish = getenv("SNPY_TEST_STREAMS");
    size_t count = wish != NULL ? (size_t)strtoul(wish, NULL, 10) : STREAMS;
    uint64_t seed = 88172645463325252u;
    size_t taken = 0;
    size_t lax = 0;
    (void)state;
    for (size_t i = 0; i < count; i++) {
        uint8_t stream[HEAD_BLOCK + MOST_STREAM];
        bool is_lax = false;
        size_t length = make_stream(stream + HEAD_BLOCK, &seed);
        length = HEAD_BLOCK + spoil(stream + HEAD_BLOCK, length, &seed);
        taken += try_stream(stream, length, &is_lax, i).status == SNPY_OK;
        lax += is_lax;
    }
    if (wish != NULL) print_message("%zu streams: %zu accepted, %zu only by libdeflate\n", count, taken, lax);
    assert_true(taken > count / 20 && taken < count && (lax > 0 || count < STREAMS));
}

/* What can be read is also inflated at once. */
static void expect_whole_of_file(const char *path)
{
    snpy_archive *archive;
    snpy_io_error error;
    uint8_t *out = allocate(1u << 20);
    bool is_done = false;
    expect_ok(snpy_archive_open(path, NULL, &archive, &error), &error);
    assert_true(snpy_archive_count(archive) > 0 && snpy_archive_member(archive, 0)->method == SNPY_ZIP_DEFLATED);
    assert_true(snpy_archive_member(archive, 0)->size <= 1u << 20);
    const bool is_good = snpy_archive_read(archive, 0, out, 1u << 20, &error) == SNPY_OK;
    assert_int_equal(snpy_member_whole(archive, 0, out, &is_done, &error), SNPY_OK);
    expect_that(is_done || !is_good, "%s: at once: %d\n", path, is_done);
    snpy_archive_close(&archive);
    free(out);
}

/* All that the corpus knows of streams. */
static void test_streams_of_the_corpus(void **state)
{
    glob_t found;
    (void)state;
    assert_int_equal(glob("corpus/archives/*/deflate/*.npz", 0, NULL, &found), 0);
    assert_true(found.gl_pathc > 50);
    for (size_t i = 0; i < found.gl_pathc; i++) expect_whole_of_file(found.gl_pathv[i]);
    globfree(&found);
}

#define LARGE ((size_t)150000) /* bytes of a member that is inflated at once, where that is possible */

/* Loads a member by so many threads. */
static snpy_status load_by(const snpy_archive *archive, unsigned threads, snpy_array *array, snpy_io_error *error)
{
    static const size_t first = 0;
    return snpy_archive_load_several(archive, &first, 1, threads, array, error);
}

/* A member with a bit that is wrong is refused for the same and at the same place as if it were read by zlib. */
static void expect_same(const struct zip *zip, size_t size, uint8_t *out, bool *is_good)
{
    snpy_archive *archive;
    snpy_io_error wanted;
    expect_ok(snpy_archive_open_memory(zip->bytes, zip->length, NULL, &archive, &wanted), &wanted);
    snpy_status status = snpy_archive_read(archive, 0, out, size, &wanted);
    for (unsigned threads = 1; threads < 3; threads++) {
        snpy_io_error error;
        snpy_array array;
        assert_int_equal(load_by(archive, threads, &array, &error), status);
        assert_true(error.error.status == status && error.error.offset == wanted.error.offset);
        if (status == SNPY_OK) {
            assert_true(array.data_size == size - HEAD);
            assert_memory_equal(array.data, out + HEAD, size - HEAD);
        }
        snpy_array_release(&array);
    }
    snpy_archive_close(&archive);
    *is_good = status == SNPY_OK;
}

static void test_large_members(void **state)
{
    uint8_t *bytes = allocate(LARGE);
    uint8_t *out = allocate(LARGE);
    uint8_t *stream = allocate(2 * LARGE);
    uint64_t seed = 521288629u;
    size_t good = 0;
    (void)state;
    for (size_t i = 0; i < 300; i++) {
        uint8_t head[HEAD_BLOCK];
        uLong length = 2 * LARGE;
        bool is_good = false;
        put_head(head, LARGE - HEAD);
        memcpy(bytes, head + HEAD_BLOCK - HEAD, HEAD);
        fill(bytes + HEAD, LARGE - HEAD, &seed);
        assert_int_equal(compress2(stream, &length, bytes, LARGE, 1 + (int)(i % 9)), Z_OK);
        struct entry entry = make_entry(stream + 2, length - 6, bytes, LARGE); /* without zlib's frame */
        if (i % 5 > 0) stream[2 + next_random(&seed) % (length - 6)] ^= (uint8_t)(1u << next_random(&seed) % 8);
        struct zip zip = build(&entry, 1, false, "");
        expect_same(&zip, LARGE, out, &is_good);
        if (i % 5 == 0) assert_true(is_good);
        if (is_good) assert_memory_equal(out, bytes, LARGE);
        good += is_good;
        free(zip.bytes);
    }
    assert_true(good < 100);
    free(bytes);
    free(out);
    free(stream);
}

#define SHARED (((size_t)4 << 20) + 77) /* bytes of a large member */

/* Loads it from a file. */
static void expect_shared(const struct entry *entry, const uint8_t *bytes, snpy_status status)
{
    struct zip zip = build(entry, 1, false, "");
    write_bytes(in_work("shared.npz"), zip.bytes, zip.length);
    for (unsigned threads = 1; threads < 3; threads++) {
        snpy_archive *archive;
        snpy_io_error error;
        snpy_array array;
        expect_ok(snpy_archive_open(in_work("shared.npz"), NULL, &archive, &error), &error);
        const snpy_status got = load_by(archive, threads, &array, &error);
        expect_that(got == status, "%u threads: %s\n", threads, snpy_status_name(got));
        if (status == SNPY_OK) assert_memory_equal(array.data, bytes + HEAD, SHARED - HEAD);
        snpy_array_release(&array);
        snpy_archive_close(&archive);
    }
    free(zip.bytes);
}

/* A wrong CRC is found, wherever the byte is that differs, whichever thread has it. */
static void test_shared_crc(void **state)
{
    uint8_t *bytes = allocate(SHARED);
    uint8_t head[HEAD_BLOCK];
    uint64_t seed = 5783321u;
    (void)state;
    put_head(head, SHARED - HEAD);
    memcpy(bytes, head + HEAD_BLOCK - HEAD, HEAD);
    fill(bytes + HEAD, SHARED - HEAD, &seed);
    struct entry entry = deflated("x.npy", bytes, SHARED);
    expect_shared(&entry, bytes, SNPY_OK);
    for (size_t at = SHARED - 1; at > HEAD; at /= 128) { /* as if this byte were another one */
        struct entry other = entry;
        bytes[at] ^= 1;
        other.crc = (uint32_t)crc32(0, bytes, (uInt)SHARED);
        bytes[at] ^= 1;
        expect_shared(&other, bytes, SNPY_ZIP_BAD_CRC);
    }
    free_data(&entry);
    free(bytes);
}

/* One block in the fixed code, of literals: nowhere can it be cut. */
static size_t deflate_in_one_block(const uint8_t *bytes, size_t size, uint8_t *out)
{
    unsigned bits = 3; /* the last block, in the fixed code */
    unsigned count = 3;
    size_t length = 0;
    for (size_t i = 0; i <= size; i++) {
        const unsigned word = i == size ? 0 : bytes[i] < 144 ? 0x30u + bytes[i] : 0x100u + bytes[i];
        for (unsigned bit = i == size ? 7 : bytes[i] < 144 ? 8 : 9; bit-- > 0;) bits |= (word >> bit & 1) << count++;
        for (; count >= 8; count -= 8, bits >>= 8) out[length++] = (uint8_t)bits;
    }
    if (count > 0) out[length++] = (uint8_t)bits;
    return length;
}

/* By zlib: with blocks that end at whole bytes after so many bytes, and, every other time, an empty one behind them. */
static size_t deflate_with_ends(const uint8_t *bytes, size_t size, int level, size_t piece, uint8_t *out)
{
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (deflateInit2(&stream, level, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK) abort();
    stream.next_out = out;
    stream.avail_out = (uInt)(2 * size);
    for (size_t at = 0; at < size; at += piece) {
        stream.next_in = (uint8_t *)(uintptr_t)(bytes + at);
        stream.avail_in = (uInt)(size - at < piece ? size - at : piece);
        assert_int_equal(deflate(&stream, at / piece % 2 == 0 ? Z_SYNC_FLUSH : Z_FULL_FLUSH), Z_OK);
    }
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t length = (size_t)stream.total_out;
    (void)deflateEnd(&stream);
    return length;
}

/* Deflates at once, with repetitions of all distances. */
static size_t deflate_at_once(const uint8_t *bytes, size_t size, uint8_t *out)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
    const size_t length = libdeflate_deflate_compress(compressor, bytes, size, out, 2 * size);
    libdeflate_free_compressor(compressor);
    return length;
}

enum { ONE_BLOCK, STORED_BLOCKS, FEW_ENDS, MANY_ENDS, AT_ONCE, KINDS };

static size_t deflate_kind(int kind, const uint8_t *bytes, uint8_t *out)
{
    if (kind == ONE_BLOCK) return deflate_in_one_block(bytes, SHARED, out);
    if (kind == AT_ONCE) return deflate_at_once(bytes, SHARED, out);
    return deflate_with_ends(bytes, SHARED, kind == STORED_BLOCKS ? 0 : 6, kind == MANY_ENDS ? 500 : SHARED / 3, out);
}

/* Noise below 128; but each second 32 KiB are those in front of them, as far back as can be repeated. */
static void fill_far(uint8_t *bytes, size_t size, uint64_t *seed)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = i / 32768 % 2 == 1 ? bytes[i - 32768] : (uint8_t)(next_random(seed) % 128);
}

/* What can be read is also inflated at once. Else zlib would read it once more, and nobody would see that. */
static void expect_at_once(const struct zip *zip, uint8_t *out)
{
    snpy_archive *archive;
    snpy_io_error error;
    bool is_done = false;
    expect_ok(snpy_archive_open_memory(zip->bytes, zip->length, NULL, &archive, &error), &error);
    assert_int_equal(snpy_member_whole(archive, 0, out, &is_done, &error), SNPY_OK);
    assert_true(is_done);
    snpy_archive_close(&archive);
}

/* A large member is accepted as zlib accepts it: sound, harmed, cut off, and with a byte after it. */
static void expect_large(uint8_t *stream, size_t length, const uint8_t *bytes, uint8_t *out, uint64_t *seed)
{
    for (unsigned i = 0; i < 8; i++) {
        const size_t at = length / 4 + next_random(seed) % (length - length / 4);
        const uint8_t before = stream[at];
        bool is_good = false;
        stream[length] = 0;
        if (i > 2) stream[at] ^= (uint8_t)(1u << next_random(seed) % 8);
        struct entry entry = make_entry(stream, i == 1 ? length - 1 : i == 2 ? length + 1 : length, bytes, SHARED);
        struct zip zip = build(&entry, 1, false, "");
        expect_same(&zip, SHARED, out, &is_good);
        assert_true(is_good == (i == 0) || i > 2); /* of the last byte some bits mean nothing */
        if (is_good) assert_memory_equal(out, bytes, SHARED);
        if (is_good) expect_at_once(&zip, out);
        if (i == 0) expect_shared(&entry, bytes, SNPY_OK);
        stream[at] = before;
        free(zip.bytes);
    }
}

static void test_members_of_all_encoders(void **state)
{
    uint8_t *bytes = allocate(SHARED);
    uint8_t *out = allocate(SHARED);
    uint8_t *stream = allocate(2 * SHARED);
    uint64_t seed = 77777777u;
    uint8_t head[HEAD_BLOCK];
    (void)state;
    put_head(head, SHARED - HEAD);
    for (int kind = 0; kind < KINDS; kind++) {
        memcpy(bytes, head + HEAD_BLOCK - HEAD, HEAD);
        fill_far(bytes + HEAD, SHARED - HEAD, &seed);
        const size_t length = deflate_kind(kind, bytes, stream);
        assert_true(length > SHARED / 3);
        expect_large(stream, length, bytes, out, &seed);
    }
    free(bytes);
    free(out);
    free(stream);
}

#define PIECES 4u
#define PIECE 3000u

/* Deflates data in pieces, all but the last one open at their ends. Returns the bytes of the stream. */
static size_t deflate_pieces(const uint8_t *data, const size_t *sizes, int level, uint8_t *out)
{
    snpy_io_error error;
    snpy_job job;
    size_t length = 0;
    memset(&job, 0, sizeof job);
    job.level = level;
    for (size_t i = 0; i < PIECES; i++) {
        expect_ok(snpy_job_reserve(&job, sizes[i] + 1, &error), &error);
        memcpy(job.in, data, sizes[i]);
        job.size = sizes[i];
        job.is_last = i + 1 == PIECES;
        snpy_job_run(&job);
        assert_true(job.failed == NULL && job.crc == (uint32_t)crc32(0, data, (uInt)sizes[i]));
        memcpy(out + length, job.out, job.out_size);
        length += job.out_size;
        data += sizes[i];
    }
    snpy_job_release(&job);
    return length;
}

/* Blocks make one stream, whatever they hold, how long they are and at which bit they end. */
static void test_joints(void **state)
{
    uint64_t seed = 362436069u;
    bool seen[8] = {false};
    (void)state;
    for (size_t i = 0; i < 3000; i++) {
        uint8_t data[PIECES * PIECE];
        uint8_t stream[2 * PIECES * PIECE];
        uint8_t out[PIECES * PIECE + 1];
        snpy_deflate_ends ends;
        size_t sizes[PIECES];
        size_t size = 0;
        for (size_t k = 0; k < PIECES; k++) sizes[k] = next_random(&seed) % 8 == 0 ? 0 : next_random(&seed) % PIECE;
        for (size_t k = 0; k < PIECES; size += sizes[k++]) fill(data + size, sizes[k], &seed);
        size_t length = deflate_pieces(data, sizes, 1 + (int)(i % 9), stream);
        z_stream inflated;
        memset(&inflated, 0, sizeof inflated);
        assert_int_equal(inflateInit2(&inflated, -15), Z_OK);
        inflated.next_in = stream;
        inflated.avail_in = (uInt)length;
        inflated.next_out = out;
        inflated.avail_out = (uInt)sizeof out;
        assert_int_equal(inflate(&inflated, Z_FINISH), Z_STREAM_END);
        assert_true(inflated.total_in == length && inflated.total_out == size);
        assert_memory_equal(out, data, size);
        (void)inflateEnd(&inflated);
        assert_true(snpy_deflate_find_end(stream, length, &ends));
        seen[ends.end % 8] = true;
    }
    for (size_t bit = 0; bit < COUNT(seen); bit++) assert_true(seen[bit]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spoilt_streams),          cmocka_unit_test(test_streams_of_the_corpus),
        cmocka_unit_test(test_large_members),           cmocka_unit_test(test_shared_crc),
        cmocka_unit_test(test_members_of_all_encoders), cmocka_unit_test(test_joints),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
