/* stream.c: a file that arrives in pieces.                       NPY-FRAME-001 … 006, NPY-DATA-001, API-STREAM
 * Proves that nothing is read outside a piece or written outside the caller's buffer, and that data are handed out
 * up to their size and not beyond. Leaves the meaning of the header to header.c. */
#include "safenpy/stream.h"
#include "core/frame.h"

enum phase {
    PHASE_PREFIX, /* collecting the prefix */
    PHASE_TEXT,   /* collecting the header text */
    PHASE_PARSE,  /* waiting for snpy_stream_data */
    PHASE_DATA,
    PHASE_END
};

#define SHORT_PREFIX 10u

/* clang-format off */
#define STREAM_OK(s) \
    ((s)->used <= (s)->capacity && \valid((s)->buffer + (0 .. (s)->capacity - 1)) && \object_pointer((s)->buffer) && \
     \separated(s, (s)->buffer + (0 .. (s)->capacity - 1)) && (s)->left <= 0xffffffffffffffff - (s)->position)
/* clang-format on */

/*@ requires \valid(stream);
    terminates \true;
    exits \false;
    assigns *stream;
    ensures API_STREAM: stream->buffer == buffer && stream->capacity == capacity && stream->used == 0
                        && stream->position == 0 && stream->left == 0 && stream->phase == PHASE_PREFIX;
 */
void snpy_stream_start(snpy_stream *stream, uint8_t *buffer, size_t capacity)
{
    stream->buffer = buffer;
    stream->capacity = capacity;
    stream->used = 0;
    stream->wanted = SHORT_PREFIX;
    stream->position = 0;
    stream->left = 0;
    stream->phase = PHASE_PREFIX;
    stream->error.status = SNPY_OK;
    stream->error.offset = 0;
}

/* Ends with an error. */
/*@ requires \valid(stream) && \valid(error) && \separated(stream, error);
    terminates \true;
    exits \false;
    assigns stream->phase, stream->error.status, stream->error.offset, error->status, error->offset;
    ensures error: \result == SNPY_EVENT_END && error->status == status && error->offset == offset;
    ensures kept: stream->error.status == status && stream->error.offset == offset;
 */
static snpy_event refuse(snpy_stream *stream, snpy_status status, uint64_t offset, snpy_error *error)
{
    stream->phase = PHASE_END;
    stream->error.status = status;
    stream->error.offset = offset;
    error->status = status;
    error->offset = offset;
    return SNPY_EVENT_END;
}

/* As much of the piece as is wanted and fits goes into the buffer. */
/*@ requires \valid(stream) && STREAM_OK(stream) && \valid(taken) && *taken <= length;
    requires \valid_read(piece + (0 .. length-1)) && \object_pointer(piece);
    requires \separated(stream->buffer + (0 .. stream->capacity-1), piece + (0 .. length-1));
    requires \separated(taken, stream, piece + (0 .. length-1)) && \separated(taken, stream->buffer + (0 .. stream->capacity-1));
    requires \separated(stream, piece + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns stream->used, stream->buffer[0 .. stream->capacity-1], *taken;
    ensures range: \old(*taken) <= *taken <= length && \old(stream->used) <= stream->used <= stream->capacity;
    ensures used: stream->used - \old(stream->used) == *taken - \old(*taken);
 */
static void collect(snpy_stream *stream, const uint8_t *piece, size_t length, size_t *taken)
{
    size_t from = *taken;
    size_t to = stream->used;
    size_t most = stream->wanted < stream->capacity ? (size_t)stream->wanted : stream->capacity;
    uint8_t *buffer = stream->buffer;
    /*@ loop invariant range: \at(*taken, Pre) <= from <= length && \at(stream->used, Pre) <= to <= \at(stream->capacity, Pre);
        loop invariant pace: to - \at(stream->used, Pre) == from - \at(*taken, Pre);
        loop assigns from, to, buffer[0 .. \at(stream->capacity, Pre)-1];
        loop variant length - from; */
    while (from < length && to < most) {
        buffer[to] = piece[from];
        to++;
        from++;
    }
    stream->used = to;
    *taken = from;
}

/* What the bytes collected so far say: go on, collect more, or stop. */
/*@ requires \valid(stream) && STREAM_OK(stream) && \valid_read(options) && \valid(error);
    requires \separated(error, stream, options, stream->buffer + (0 .. stream->capacity-1));
    requires \separated(stream, options) && \separated(options, stream->buffer + (0 .. stream->capacity-1));
    terminates \true;
    exits \false;
    assigns stream->wanted, stream->phase, stream->error.status, stream->error.offset, error->status, error->offset;
    ensures event: \result == SNPY_EVENT_MORE || \result == SNPY_EVENT_END || \result == SNPY_EVENT_HEADER;
    ensures status: \result != SNPY_EVENT_END ==> error->status == SNPY_OK;
 */
static snpy_event judge(snpy_stream *stream, const snpy_options *options, snpy_error *error)
{
    snpy_frame frame = {0, 0, 0, 0, 0};
    snpy_status status = snpy_parse_frame(stream->buffer, stream->used, options, &frame, error);
    if (status == SNPY_TRUNCATED_PREFIX) {
        if (stream->used >= SHORT_PREFIX) stream->wanted = SNPY_MAX_PREFIX;
        if (stream->capacity < stream->wanted) return refuse(stream, SNPY_BUFFER_TOO_SMALL, stream->wanted, error);
        error->status = SNPY_OK;
        error->offset = 0;
        return SNPY_EVENT_MORE;
    }
    if (status != SNPY_OK) return refuse(stream, status, error->offset, error);
    stream->phase = PHASE_TEXT;
    stream->wanted = frame.data_offset;
    if (stream->capacity < stream->wanted) return refuse(stream, SNPY_BUFFER_TOO_SMALL, stream->wanted, error);
    if (stream->used < stream->wanted) return SNPY_EVENT_MORE;
    stream->phase = PHASE_PARSE;
    return SNPY_EVENT_HEADER;
}

/* The header part of a piece. */
/*@ requires \valid(stream) && STREAM_OK(stream) && \valid_read(options) && \valid(error) && \valid(taken);
    requires \valid_read(piece + (0 .. length-1)) && \object_pointer(piece) && *taken <= length;
    requires \separated(stream->buffer + (0 .. stream->capacity-1), piece + (0 .. length-1), options, error, taken);
    requires \separated(taken, stream, piece + (0 .. length-1)) && \separated(taken, options, error);
    requires \separated(stream, piece + (0 .. length-1)) && \separated(error, stream, options) && \separated(stream, options);
    requires \separated(error, piece + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns stream->used, stream->wanted, stream->phase, stream->error.status, stream->error.offset,
            stream->buffer[0 .. stream->capacity-1], *taken, error->status, error->offset;
    ensures range: \old(*taken) <= *taken <= length && stream->used <= stream->capacity;
    ensures event: \result == SNPY_EVENT_MORE || \result == SNPY_EVENT_END || \result == SNPY_EVENT_HEADER;
 */
static snpy_event take_header(snpy_stream *stream, const uint8_t *piece, size_t length, size_t *taken,
                              const snpy_options *options, snpy_error *error)
{
    snpy_event event = SNPY_EVENT_MORE;
    /* Prefix of 10 bytes, two more of versions 2.0 and 3.0, text: three rounds bring all that is there. */
    /*@ loop invariant range: 0 <= round <= 3 && \at(*taken, Pre) <= *taken <= length && stream->used <= stream->capacity;
        loop invariant event: event == SNPY_EVENT_MORE;
        loop assigns round, event, stream->used, stream->wanted, stream->phase, stream->error.status,
                     stream->error.offset, stream->buffer[0 .. stream->capacity-1], *taken, error->status, error->offset;
        loop variant 3 - round; */
    for (int round = 0; round < 3; round++) {
        collect(stream, piece, length, taken);
        event = judge(stream, options, error);
        if (event != SNPY_EVENT_MORE) return event;
    }
    return event;
}

/*@ requires \valid(stream) && STREAM_OK(stream) && \valid_read(options) && \valid(error) && \valid(taken) && \valid(part);
    requires \valid_read(piece + (0 .. length-1)) && \object_pointer(piece) && *taken <= length;
    requires \separated(stream->buffer + (0 .. stream->capacity-1), piece + (0 .. length-1), options, error, taken, part);
    requires \separated(taken, stream, piece + (0 .. length-1)) && \separated(taken, options, error, part);
    requires \separated(stream, piece + (0 .. length-1)) && \separated(error, stream, options, part);
    requires \separated(stream, options, part) && \separated(error, piece + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *part, *taken, stream->used, stream->wanted, stream->phase, stream->position, stream->left,
            stream->error.status, stream->error.offset,
            stream->buffer[0 .. stream->capacity-1], error->status, error->offset;
    ensures range: \old(*taken) <= *taken <= length;
    ensures API_STREAM: \result == SNPY_EVENT_DATA ==> 1 <= part->size && part->from == \old(*taken)
            && part->from + part->size == *taken && part->size <= \old(stream->left)
            && stream->position == \old(stream->position) + part->size
            && stream->left == \old(stream->left) - part->size;
 */
snpy_event snpy_stream_feed(snpy_stream *stream, const uint8_t *piece, size_t length, size_t *taken,
                            const snpy_options *options, snpy_part *part, snpy_error *error)
{
    size_t from = *taken;
    size_t there = length - from;
    part->from = from;
    part->size = 0;
    error->status = SNPY_OK;
    error->offset = 0;
    if (stream->phase == PHASE_PREFIX || stream->phase == PHASE_TEXT)
        return take_header(stream, piece, length, taken, options, error);
    if (stream->phase == PHASE_PARSE) return SNPY_EVENT_HEADER;
    if (stream->phase != PHASE_DATA || stream->left == 0) return SNPY_EVENT_END;
    if (there == 0) return SNPY_EVENT_MORE;
    size_t size = there < stream->left ? there : (size_t)stream->left;
    stream->position += size;
    stream->left -= size;
    part->size = size;
    *taken = from + size;
    return SNPY_EVENT_DATA;
}

/*@ requires \valid(stream) && stream->position == 0;
    terminates \true;
    exits \false;
    assigns stream->left, stream->phase;
    ensures API_STREAM: stream->left == size && stream->phase == PHASE_DATA;
 */
void snpy_stream_data(snpy_stream *stream, uint64_t size)
{
    stream->left = size;
    stream->phase = PHASE_DATA;
}

/*@ requires \valid_read(stream) && \valid(error) && \separated(stream, error);
    terminates \true;
    exits \false;
    assigns error->status, error->offset;
    ensures result: \result == error->status;
    ensures NPY_DATA_001: \old(stream->phase) == PHASE_DATA ==> (\result == SNPY_OK <==> \old(stream->left) == 0);
    ensures refused: \old(stream->phase) == PHASE_END ==> \result == \old(stream->error.status);
    ensures unparsed: \old(stream->phase) == PHASE_PARSE ==> \result == SNPY_BAD_ARGUMENT;
 */
snpy_status snpy_stream_finish(const snpy_stream *stream, snpy_error *error)
{
    uint64_t used = stream->used;
    uint64_t length = stream->position <= UINT64_MAX - used ? used + stream->position : UINT64_MAX;
    if (stream->phase == PHASE_END) return snpy_fail(error, stream->error.status, stream->error.offset);
    if (stream->phase == PHASE_PARSE) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    if (stream->phase == PHASE_PREFIX) return snpy_fail(error, SNPY_TRUNCATED_PREFIX, length);
    if (stream->phase == PHASE_TEXT) return snpy_fail(error, SNPY_TRUNCATED_HEADER, length);
    if (stream->left > 0) return snpy_fail(error, SNPY_TRUNCATED_DATA, length);
    return snpy_fail(error, SNPY_OK, 0);
}
