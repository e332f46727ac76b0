/* test_stream.c: a file in pieces says what the whole file says, wherever it is cut.                        API-STREAM */
#include "support.h"

#define ROOM 512

/* What came out of a file, whatever its pieces were. */
struct outcome {
    snpy_status status; /* of the stream, of the header, or of the end */
    uint64_t offset;
    size_t header_length;
    uint8_t header[ROOM];
    size_t data_length;
    uint8_t data[ROOM];
};

static void parse(snpy_stream *stream, struct outcome *outcome)
{
    snpy_table table = {NULL, 0, NULL, 0, 0, 0};
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_header header;
    snpy_error error;
    outcome->header_length = stream->used;
    memcpy(outcome->header, stream->buffer, stream->used);
    if (snpy_parse_header(stream->buffer, stream->used, &options, &table, &header, &error) == SNPY_OK)
        snpy_stream_data(stream, header.data_size);
    outcome->status = error.status;
    outcome->offset = error.offset;
}

/* Feeds one piece from exactly sized memory; false once the stream is at its end. */
static bool feed(snpy_stream *stream, const uint8_t *bytes, size_t length, struct outcome *outcome)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    uint8_t *piece = allocate(length);
    size_t taken = 0;
    snpy_event event = SNPY_EVENT_HEADER;
    snpy_part part;
    snpy_error error;
    if (length > 0) memcpy(piece, bytes, length);
    while (event == SNPY_EVENT_HEADER || event == SNPY_EVENT_DATA) {
        event = snpy_stream_feed(stream, piece, length, &taken, &options, &part, &error);
        assert_true(taken <= length);
        if (event == SNPY_EVENT_HEADER) parse(stream, outcome);
        if (event == SNPY_EVENT_HEADER && outcome->status != SNPY_OK) event = SNPY_EVENT_END;
        if (event == SNPY_EVENT_DATA) {
            assert_true(part.from + part.size == taken && outcome->data_length + part.size <= ROOM);
            assert_true(stream->position == outcome->data_length + part.size);
            memcpy(outcome->data + outcome->data_length, piece + part.from, part.size);
            outcome->data_length += part.size;
        }
    }
    if (error.status != SNPY_OK) {
        outcome->status = error.status;
        outcome->offset = error.offset;
    }
    free(piece);
    return event == SNPY_EVENT_MORE;
}

/* A file in up to three pieces: cut at `first` and `second`. */
static void read_pieces(const uint8_t *bytes, size_t length, size_t first, size_t second, size_t capacity,
                        struct outcome *outcome)
{
    uint8_t *buffer = allocate(capacity);
    snpy_stream stream;
    snpy_error error;
    memset(outcome, 0, sizeof *outcome);
    snpy_stream_start(&stream, buffer, capacity);
    bool more = feed(&stream, bytes, first, outcome) && feed(&stream, bytes + first, second - first, outcome) &&
                feed(&stream, bytes + second, length - second, outcome);
    if (outcome->status == SNPY_OK) {
        outcome->status = snpy_stream_finish(&stream, &error);
        outcome->offset = error.offset;
    }
    assert_true(!more || stream.left > 0 || outcome->status != SNPY_OK);
    if (stream.error.status != SNPY_OK) { /* a file that was refused stays so */
        assert_int_equal(snpy_stream_finish(&stream, &error), outcome->status);
        assert_true(error.offset == outcome->offset);
    } else if (outcome->status == SNPY_SIGNED_DIMENSION) { /* the header is whole, and nobody has said what follows */
        assert_int_equal(snpy_stream_finish(&stream, &error), SNPY_BAD_ARGUMENT);
    }
    free(buffer);
}

/* Builds a file; returns its length. */
static size_t build(uint8_t *out, int major, const char *text, size_t data)
{
    size_t length = strlen(text);
    size_t at = major == 1 ? 10 : 12;
    memcpy(out, "\x93NUMPY\0\0\0\0\0\0", 12);
    out[6] = (uint8_t)major;
    out[8] = (uint8_t)(length % 256);
    out[9] = (uint8_t)(length / 256);
    memcpy(out + at, text, length);
    for (size_t i = 0; i < data; i++) out[at + length + i] = (uint8_t)(i + 1);
    return at + length + data;
}

#define THREE_FLOATS "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n"

static const struct {
    int major;
    const char *text;
    size_t data;
    snpy_status status;
} files[] = {
    {1, THREE_FLOATS, 24, SNPY_OK},
    {2, THREE_FLOATS, 24, SNPY_OK},
    {3, THREE_FLOATS, 24, SNPY_OK},
    {1, THREE_FLOATS, 25, SNPY_OK},
    {1, THREE_FLOATS, 23, SNPY_TRUNCATED_DATA},
    {2, THREE_FLOATS, 0, SNPY_TRUNCATED_DATA},
    {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }\n", 0, SNPY_OK},
    {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }\n", 24, SNPY_SIGNED_DIMENSION},
    {4, THREE_FLOATS, 24, SNPY_UNSUPPORTED_VERSION},
};

static void test_every_cut_gives_the_same(void **state)
{
    uint8_t bytes[ROOM];
    struct outcome whole;
    struct outcome cut;
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        size_t length = build(bytes, files[i].major, files[i].text, files[i].data);
        read_pieces(bytes, length, length, length, 256, &whole);
        expect_that(whole.status == files[i].status, "file %zu: %s\n", i, snpy_status_name(whole.status));
        for (size_t first = 0; first <= length; first++) {
            for (size_t second = first; second <= length; second++) {
                read_pieces(bytes, length, first, second, 256, &cut);
                expect_that(memcmp(&whole, &cut, sizeof cut) == 0, "file %zu, cut at %zu and %zu\n", i, first, second);
            }
        }
    }
}

static void test_every_end_is_named(void **state)
{
    uint8_t bytes[ROOM];
    struct outcome outcome;
    (void)state;
    size_t length = build(bytes, 2, THREE_FLOATS, 24);
    for (size_t end = 0; end < length; end++) {
        snpy_status status = end < 12            ? SNPY_TRUNCATED_PREFIX
                             : end < length - 24 ? SNPY_TRUNCATED_HEADER
                                                 : SNPY_TRUNCATED_DATA;
        read_pieces(bytes, end, end, end, 256, &outcome);
        expect_that(outcome.status == status && outcome.offset == end, "%zu bytes: %s at %d\n", end,
                    snpy_status_name(outcome.status), (int)outcome.offset);
    }
}

/* A claim costs no memory: what does not fit is refused before the text is read, and the size is told. */
static void test_small_buffer(void **state)
{
    uint8_t bytes[ROOM];
    struct outcome outcome;
    (void)state;
    size_t length = build(bytes, 1, THREE_FLOATS, 24);
    for (size_t capacity = 0; capacity < length - 24; capacity++) {
        read_pieces(bytes, length, length, length, capacity, &outcome);
        expect_that(outcome.status == SNPY_BUFFER_TOO_SMALL && outcome.offset == (capacity < 10 ? 10 : length - 24),
                    "capacity %zu: %s at %d\n", capacity, snpy_status_name(outcome.status), (int)outcome.offset);
    }
    read_pieces(bytes, length, length, length, length - 24, &outcome);
    assert_int_equal(outcome.status, SNPY_OK);
}

static void test_bad_prefixes(void **state)
{
    static const struct {
        struct text bytes;
        snpy_status status;
        uint64_t offset;
    } cases[] = {
        {T("\x93NUMPx"), SNPY_BAD_MAGIC, 5},
        {T("P"), SNPY_BAD_MAGIC, 0},
        {T("\x93NUMPY\1\1\2\0"), SNPY_UNSUPPORTED_VERSION, 7},
        {T("\x93NUMPY\2\0\xff\xff\xff\xff"), SNPY_HEADER_TOO_LONG, 8},
    };
    struct outcome outcome;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const uint8_t *bytes = (const uint8_t *)cases[i].bytes.bytes;
        size_t length = cases[i].bytes.length;
        for (size_t cut = 0; cut <= length; cut++) {
            read_pieces(bytes, length, cut, length, 256, &outcome);
            expect_that(outcome.status == cases[i].status && outcome.offset == cases[i].offset, "case %zu: %s at %d\n",
                        i, snpy_status_name(outcome.status), (int)outcome.offset);
        }
    }
}

/* A stream that has been started, and what its calls give back. */
struct feeding {
    snpy_stream stream;
    uint8_t buffer[256];
    size_t taken;
    snpy_part part;
    snpy_error error;
};

static void start(struct feeding *feeding)
{
    feeding->taken = 0;
    snpy_stream_start(&feeding->stream, feeding->buffer, sizeof feeding->buffer);
}

static void expect_event(struct feeding *feeding, const uint8_t *bytes, size_t length, snpy_event event, size_t size)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    assert_int_equal(
        snpy_stream_feed(&feeding->stream, bytes, length, &feeding->taken, &options, &feeding->part, &feeding->error),
        event);
    assert_int_equal(feeding->part.size, size);
}

static void expect_finish(struct feeding *feeding, snpy_status status, uint64_t offset)
{
    assert_int_equal(snpy_stream_finish(&feeding->stream, &feeding->error), status);
    assert_true(feeding->error.offset == offset);
}

/* Calls out of turn change nothing: a header that is whole is told again, a stream at its end stays there. */
static void test_calls_out_of_turn(void **state)
{
    uint8_t bytes[ROOM];
    struct feeding feeding;
    (void)state;
    size_t length = build(bytes, 1, THREE_FLOATS, 24);
    start(&feeding);
    for (int again = 0; again < 3; again++) {
        expect_event(&feeding, bytes, length, SNPY_EVENT_HEADER, 0);
        assert_int_equal(feeding.taken, length - 24);
        expect_finish(&feeding, SNPY_BAD_ARGUMENT, 0);
    }
    snpy_stream_data(&feeding.stream, 24);
    expect_event(&feeding, bytes, length, SNPY_EVENT_DATA, 24);
    for (int again = 0; again < 2; again++) expect_event(&feeding, bytes, length, SNPY_EVENT_END, 0);
    assert_int_equal(snpy_stream_finish(&feeding.stream, &feeding.error), SNPY_OK);
    start(&feeding);
    for (int again = 0; again < 2; again++) {
        expect_event(&feeding, (const uint8_t *)"PK", 2, SNPY_EVENT_END, 0);
        expect_finish(&feeding, SNPY_BAD_MAGIC, 0);
    }
}

/* As long as nothing is wrong, no byte is at fault, wherever the pieces end. */
static void test_no_error_before_the_end(void **state)
{
    uint8_t bytes[ROOM];
    struct feeding feeding;
    (void)state;
    size_t length = build(bytes, 2, THREE_FLOATS, 24);
    for (size_t end = 0; end < length - 24; end++) {
        start(&feeding);
        feeding.error.status = SNPY_BAD_MAGIC;
        feeding.error.offset = 77;
        expect_event(&feeding, bytes, end, SNPY_EVENT_MORE, 0);
        assert_int_equal(feeding.taken, end);
        assert_int_equal(feeding.error.status, SNPY_OK);
        assert_true(feeding.error.offset == 0);
    }
}

/* Where data end too early is told up to the last number that there is. */
static void test_position_does_not_wrap_around(void **state)
{
    uint8_t bytes[ROOM];
    struct feeding feeding;
    (void)state;
    size_t header = build(bytes, 1, THREE_FLOATS, 0);
    start(&feeding);
    expect_event(&feeding, bytes, header, SNPY_EVENT_HEADER, 0);
    snpy_stream_data(&feeding.stream, 24);
    feeding.stream.position = UINT64_MAX - header; /* as if so much had been handed out */
    expect_finish(&feeding, SNPY_TRUNCATED_DATA, UINT64_MAX);
    feeding.stream.position++;
    expect_finish(&feeding, SNPY_TRUNCATED_DATA, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cut_gives_the_same),
        cmocka_unit_test(test_every_end_is_named),
        cmocka_unit_test(test_small_buffer),
        cmocka_unit_test(test_bad_prefixes),
        cmocka_unit_test(test_calls_out_of_turn),
        cmocka_unit_test(test_no_error_before_the_end),
        cmocka_unit_test(test_position_does_not_wrap_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
