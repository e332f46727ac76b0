/* stream.c: a file in pieces, of sizes that its bytes decide. Holds: whatever the pieces, the header, the data and the
 * verdict are those of the file in one; a buffer that is too small is told how large it has to be. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* What came out of a stream. */
struct outcome {
    snpy_status status;
    uint64_t offset;
    bool has_header;
    uint8_t *data;
    size_t data_size;
};

/* The size of the next piece: often tiny. */
static size_t next_piece(uint32_t *random, size_t left)
{
    *random = *random * 1664525u + 1013904223u;
    size_t size = *random >> 30 == 0 ? *random >> 8 & 0xff : *random >> 8 & 7;
    return size < left ? size : left;
}

static void settle_header(snpy_stream *stream, const uint8_t *file, const snpy_options *options,
                          struct outcome *outcome)
{
    struct fuzz_header parsed;
    FUZZ_MUST(!outcome->has_header && stream->used <= stream->capacity);
    FUZZ_MUST(memcmp(stream->buffer, file, stream->used) == 0);
    outcome->has_header = true;
    fuzz_parse(stream->buffer, stream->used, options, &parsed);
    outcome->status = parsed.status;
    outcome->offset = parsed.error.offset;
    snpy_stream_data(stream, parsed.status == SNPY_OK ? parsed.header.data_size : 0);
    fuzz_release(&parsed);
}

/* Feeds one piece. Returns whether the stream goes on. */
static bool feed_piece(snpy_stream *stream, const uint8_t *file, size_t from, size_t size, const snpy_options *options,
                       struct outcome *outcome)
{
    uint8_t *piece = fuzz_copy(file + from, size);
    size_t taken = 0;
    bool goes_on = true;
    for (snpy_event event = SNPY_EVENT_HEADER; goes_on && event != SNPY_EVENT_MORE;) {
        snpy_part part;
        snpy_error error;
        size_t before = taken;
        event = snpy_stream_feed(stream, piece, size, &taken, options, &part, &error);
        FUZZ_MUST(taken >= before && taken <= size);
        if (event == SNPY_EVENT_HEADER) settle_header(stream, file, options, outcome);
        if (event == SNPY_EVENT_MORE) FUZZ_MUST(taken == size);
        if (event == SNPY_EVENT_DATA) {
            FUZZ_MUST(part.from <= size && part.size <= size - part.from && part.size > 0);
            memcpy(outcome->data + outcome->data_size, piece + part.from, part.size);
            outcome->data_size += part.size;
        }
        if (error.status != SNPY_OK) {
            FUZZ_MUST(event == SNPY_EVENT_END);
            outcome->status = error.status;
            outcome->offset = error.offset;
        }
        goes_on = event != SNPY_EVENT_END && outcome->status == SNPY_OK;
    }
    free(piece);
    return goes_on;
}

static void run(const uint8_t *file, size_t size, size_t capacity, uint32_t random, const snpy_options *options,
                struct outcome *outcome)
{
    snpy_stream stream;
    snpy_error error;
    uint8_t *buffer = fuzz_memory(capacity, 1);
    bool goes_on = true;
    memset(outcome, 0, sizeof *outcome);
    outcome->data = fuzz_memory(size, 1);
    snpy_stream_start(&stream, buffer, capacity);
    for (size_t at = 0; goes_on && at < size;) {
        size_t piece = next_piece(&random, size - at);
        goes_on = feed_piece(&stream, file, at, piece, options, outcome);
        at += piece;
    }
    if (outcome->status == SNPY_OK) {
        outcome->status = snpy_stream_finish(&stream, &error);
        FUZZ_MUST(outcome->status == error.status);
        outcome->offset = error.offset;
    } else if (outcome->status == SNPY_BUFFER_TOO_SMALL) {
        FUZZ_MUST(stream.wanted > capacity && stream.wanted <= 12 + options->max_header_bytes);
    }
    free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    struct fuzz_header whole;
    struct outcome outcome;
    snpy_error error;
    uint32_t random = 2166136261u;
    for (size_t i = 0; i < size; i++) random = (random ^ data[i]) * 16777619u;
    fuzz_parse(data, size, &options, &whole);
    snpy_status status = whole.status;
    error = whole.error;
    if (status == SNPY_OK && !whole.header.has_object) status = snpy_check_data(&whole.header, size, true, &error);
    run(data, size, 12 + 65536, random, &options, &outcome);
    FUZZ_MUST(outcome.status == status && outcome.offset == error.offset);
    if (status == SNPY_OK) {
        FUZZ_MUST(outcome.data_size == whole.header.data_size);
        FUZZ_MUST(memcmp(outcome.data, data + whole.header.frame.data_offset, outcome.data_size) == 0);
    }
    free(outcome.data);
    size_t small = random % 160;
    run(data, size, small, random, &options, &outcome);
    if (outcome.status == SNPY_BUFFER_TOO_SMALL)
        FUZZ_MUST(whole.status != SNPY_OK || whole.header.frame.data_offset > small);
    else
        FUZZ_MUST(outcome.status == status && outcome.offset == error.offset);
    free(outcome.data);
    fuzz_release(&whole);
    return 0;
}
