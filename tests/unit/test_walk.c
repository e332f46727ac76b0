/* test_walk.c: the walk through deflate streams at several places at once finds what a walk alone finds, whatever it
 * guesses: where the guess meets it soon, late, never, or behind the end of the block.               NPZ-DATA-007
 * SNPY_TEST_STREAMS in the environment is how many streams are tried, each of them whole and spoilt. */
#include <libdeflate.h>
#include <zlib.h>

#include "npz/walk.h"
#include "tests/unit/files.h"
#include "tests/unit/streams.h"

#define ROUNDS 800u
#define STREAMS 1500u
#define BODY ((size_t)3000) /* bytes of a block's codewords */
#define MOST_DATA ((size_t)20000)
#define MOST_STREAM (2 * MOST_DATA)

/* --- blocks of random codewords ---------------------------------------------------------------------------- */

/* A walk through a block, and the tables that a walk alone asks: 1 and the table, 0 where it never is. */
struct block {
    snpy_walk walk;
    uint8_t body[BODY];
    uint32_t asked[8 * BODY + 1];
    snpy_walk_spot end; /* where it comes to alone */
};

/* How often guesses were of which kind. */
struct kinds {
    size_t soon;
    size_t late;
    size_t never;
    size_t behind;
};

/* A random code without gaps: codewords are split until there are enough, the same ones more often where they shall be
 * of very different lengths. */
static void make_code(snpy_walk_code *code, unsigned symbols, uint64_t *seed)
{
    uint8_t lengths[SNPY_LITERALS] = {0};
    const unsigned favourite = (unsigned)(next_random(seed) % 4);
    for (unsigned count = 1; count < symbols;) {
        const unsigned split = favourite > 0 ? (unsigned)(next_random(seed) % count) : count - 1;
        if (lengths[split] == SNPY_CODE_BITS || (favourite > 1 && lengths[split] > 9)) {
            if (favourite > 0) continue;
            break;
        }
        lengths[split]++;
        lengths[count++] = lengths[split];
    }
    for (unsigned i = symbols; i-- > 1;) { /* in any order */
        const unsigned other = (unsigned)(next_random(seed) % (i + 1));
        const uint8_t length = lengths[i];
        lengths[i] = lengths[other];
        lengths[other] = length;
    }
    assert_true(snpy_walk_make(code, lengths, symbols, true));
}

/* Walks alone, and takes down where. */
static void walk_alone(struct block *block)
{
    snpy_walk_spot spot = {0, SNPY_AT_LITERAL, false};
    memset(block->asked, 0, sizeof block->asked);
    while (spot.at != SNPY_AT_END) {
        block->asked[spot.place] = 1 + spot.at;
        snpy_walk_on(&block->walk, &spot);
    }
    block->end = spot;
}

static void make_block(struct block *block, uint64_t *seed)
{
    for (size_t i = 0; i < BODY; i++) block->body[i] = (uint8_t)(next_random(seed) >> 32);
    block->walk.stream = block->body;
    block->walk.size = BODY;
    make_code(&block->walk.literals, SNPY_LITERALS - (unsigned)(next_random(seed) % 4), seed);
    make_code(&block->walk.distances, SNPY_DISTANCES - (unsigned)(next_random(seed) % 4), seed);
    snpy_walk_tables(block->walk.table, &block->walk.literals, &block->walk.distances);
    walk_alone(block);
}

/* Which kind of guess it is that another walk begins at a bit, if it takes so many steps. */
static size_t *kind_of(const struct block *block, uint64_t start, unsigned steps, struct kinds *kinds)
{
    snpy_walk_spot spot = {start, SNPY_AT_LITERAL, false};
    if (start >= block->end.place) return &kinds->behind;
    for (unsigned i = 0; i < 2 * steps && spot.at != SNPY_AT_END; i++) {
        if (block->asked[spot.place] == 1 + spot.at) return i < steps / 2 ? &kinds->soon : &kinds->late;
        snpy_walk_on(&block->walk, &spot);
    }
    return &kinds->never;
}

/* Looks ahead time and again: at each spot that is come to, a walk alone is, too, and both end at the same. */
static void expect_same_way(struct block *block, unsigned steps, uint64_t gap, struct kinds *kinds)
{
    snpy_walk_spot spot = {0, SNPY_AT_LITERAL, false};
    block->walk.steps = steps;
    block->walk.gap = gap;
    block->walk.alone = 0;
    while (spot.at != SNPY_AT_END) {
        const uint64_t next = spot.place + block->walk.gap;
        if (next < 8 * BODY) ++*kind_of(block, next, steps, kinds);
        const uint64_t before = spot.place;
        unsigned alone = snpy_walk_ahead(&block->walk, &spot);
        assert_true(alone > 0 || spot.place > before || spot.at == SNPY_AT_END);
        if (spot.at != SNPY_AT_END) assert_true(block->asked[spot.place] == 1 + spot.at);
        if (alone > 3) alone = 3; /* the next try comes soon */
        for (; alone > 0 && spot.at != SNPY_AT_END; alone--) snpy_walk_on(&block->walk, &spot);
    }
    assert_true(spot.place == block->end.place && spot.is_bad == block->end.is_bad);
}

static void test_any_guess(void **state)
{
    struct block *block = allocate(sizeof *block);
    struct kinds kinds = {0, 0, 0, 0};
    uint64_t seed = 2463534242u;
    size_t bad = 0;
    (void)state;
    for (size_t i = 0; i < ROUNDS; i++) {
        make_block(block, &seed);
        for (size_t k = 0; k < 4; k++) {
            const unsigned steps = 1 + (unsigned)(next_random(&seed) % (k == 0 ? 3 : 40));
            expect_same_way(block, steps, next_random(&seed) % ((uint64_t)30 * steps), &kinds);
        }
        bad += block->end.is_bad;
    }
    assert_true(kinds.soon > ROUNDS && kinds.late > ROUNDS && kinds.never > ROUNDS && kinds.behind > ROUNDS);
    assert_true(bad > ROUNDS / 20 && bad < ROUNDS - ROUNDS / 20);
    free(block);
}

/* Where all codewords have eight bits, a guess is right or never meets. */
static void test_equal_codewords(void **state)
{
    struct block *block = allocate(sizeof *block);
    uint8_t lengths[SNPY_LITERALS];
    uint64_t seed = 88675123u;
    (void)state;
    memset(lengths, 8, sizeof lengths);
    lengths[0] = 0;
    for (size_t i = 0; i < BODY; i++) block->body[i] = (uint8_t)(next_random(&seed) % 255); /* 255 ends the block */
    block->walk.stream = block->body;
    block->walk.size = BODY;
    assert_true(snpy_walk_make(&block->walk.literals, lengths, 257, true));
    memset(lengths, 0, sizeof lengths);
    assert_true(snpy_walk_make(&block->walk.distances, lengths, SNPY_DISTANCES, false));
    snpy_walk_tables(block->walk.table, &block->walk.literals, &block->walk.distances);
    for (uint64_t gap = 500; gap < 516; gap++) {
        snpy_walk_spot spot = {0, SNPY_AT_LITERAL, false};
        block->walk.steps = 40; /* that is 80 codewords, of 640 bits */
        block->walk.gap = gap;
        block->walk.alone = 0;
        const unsigned alone = snpy_walk_ahead(&block->walk, &spot);
        assert_true(gap % 8 == 0 ? alone == 0 && spot.place == 3 * gap + 640 : alone > 0 && spot.place >= 640);
        assert_true(spot.at == SNPY_AT_LITERAL && spot.place % 8 == 0 && block->walk.gap == 560);
    }
    free(block);
}

/* --- streams ----------------------------------------------------------------------------------------------- */

/* Deflates by libdeflate or, with blocks of many sizes, by zlib. */
static size_t make_stream(uint8_t *data, size_t size, uint8_t *out, uint64_t *seed)
{
    static const int strategies[] = {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED, Z_FILTERED};
    const int level = (int)(next_random(seed) % 10);
    if (next_random(seed) % 4 == 0) {
        struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level > 0 ? level : 12);
        if (compressor == NULL) abort();
        const size_t length = libdeflate_deflate_compress(compressor, data, size, out, MOST_STREAM);
        libdeflate_free_compressor(compressor);
        assert_true(length > 0);
        return length;
    }
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    const int memory = 1 + (int)(next_random(seed) % 9); /* 1: a block has 128 codewords at most */
    if (deflateInit2(&stream, level, Z_DEFLATED, -15, memory, strategies[next_random(seed) % 5]) != Z_OK) abort();
    stream.next_in = data;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = MOST_STREAM;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    (void)deflateEnd(&stream);
    return MOST_STREAM - stream.avail_out;
}

/* What zlib says: that a stream ends within these bytes, that it is forbidden, or that only a distance is. */
enum saying { IS_STREAM, IS_FORBIDDEN, IS_TOO_FAR };

static enum saying by_zlib(uint8_t *bytes, size_t length, size_t *used)
{
    uint8_t out[4096];
    z_stream stream;
    int result = Z_OK;
    memset(&stream, 0, sizeof stream);
    if (inflateInit2(&stream, -15) != Z_OK) abort();
    stream.next_in = bytes;
    stream.avail_in = (uInt)length;
    while (result == Z_OK) {
        stream.next_out = out;
        stream.avail_out = sizeof out;
        result = inflate(&stream, Z_NO_FLUSH);
    }
    const bool is_far = stream.msg != NULL && strcmp(stream.msg, "invalid distance too far back") == 0;
    *used = length - stream.avail_in;
    (void)inflateEnd(&stream);
    return result == Z_STREAM_END ? IS_STREAM : is_far ? IS_TOO_FAR : IS_FORBIDDEN;
}

/* A walk alone says what zlib says, and one that looks ahead what a walk alone says. */
static enum saying expect_same_verdict(uint8_t *bytes, size_t length, uint64_t *seed, size_t number)
{
    snpy_deflate_ends alone = {0, 0};
    size_t used = 0;
    const enum saying saying = by_zlib(bytes, length, &used);
    const bool is_stream = snpy_deflate_walk_by(bytes, length, 0, 0, &alone);
    if (saying != IS_TOO_FAR) expect_that(is_stream == (saying == IS_STREAM), "stream %zu: %d\n", number, is_stream);
    if (saying == IS_STREAM) assert_true((alone.end + 7) / 8 == used);
    for (unsigned turn = 0; turn < 4; turn++) {
        snpy_deflate_ends ends = {0, 0};
        const unsigned steps = turn == 0 ? SNPY_MOST_STEPS : 1 + (unsigned)(next_random(seed) % 60);
        const uint64_t gap = next_random(seed) % (turn == 3 ? 65537 : 20 * steps);
        const bool is_same = is_stream == (turn == 0 ? snpy_deflate_walk(bytes, length, &ends)
                                                     : snpy_deflate_walk_by(bytes, length, steps, gap, &ends));
        expect_that(is_same && ends.end == alone.end && ends.last_block == alone.last_block,
                    "stream %zu: %u steps at once, gap %lu: another end\n", number, steps, (unsigned long)gap);
    }
    return saying;
}

static void test_streams(void **state)
{
    const char *wish = getenv("SNPY_TEST_STREAMS");
    const size_t count = wish != NULL ? (size_t)strtoul(wish, NULL, 10) : STREAMS;
    uint8_t *data = allocate(MOST_DATA);
    uint8_t *stream = allocate(MOST_STREAM);
    uint64_t seed = 521288629u;
    size_t said[3] = {0, 0, 0};
    (void)state;
    for (size_t i = 0; i < count; i++) {
        const size_t size = (size_t)(next_random(&seed) % (i % 8 == 0 ? MOST_DATA : MOST_DATA / 10));
        fill(data, size, &seed);
        const size_t length = make_stream(data, size, stream, &seed);
        uint8_t *copy = allocate(length); /* of exactly its size: nothing is read behind it */
        memcpy(copy, stream, length);
        assert_int_equal(expect_same_verdict(copy, length, &seed, i), IS_STREAM);
        for (unsigned spoilt = 0; spoilt < 3; spoilt++) {
            const size_t reach = spoilt == 0 && length > 60 ? 60 : length;
            copy[next_random(&seed) % reach] ^= (uint8_t)(1u << next_random(&seed) % 8);
            said[expect_same_verdict(copy, length, &seed, i)]++;
        }
        free(copy);
    }
    for (size_t i = 0; i < COUNT(said); i++) assert_true(said[i] > count / 50);
    free(data);
    free(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_guess),
        cmocka_unit_test(test_equal_codewords),
        cmocka_unit_test(test_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
