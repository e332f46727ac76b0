/* safenpy/stream.h: a file that arrives in pieces: its header, then its data, in bounded memory. */
#ifndef SAFENPY_STREAM_H
#define SAFENPY_STREAM_H

#include "safenpy/header.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a reader of pieces has found. */
typedef enum snpy_event {
    SNPY_EVENT_MORE = 0,   /* the piece is used up: give the next */
    SNPY_EVENT_HEADER = 1, /* the header is whole: parse stream->buffer[0 .. stream->used-1] */
    SNPY_EVENT_DATA = 2,   /* the bytes `from` to `from + size - 1` of the piece are data */
    SNPY_EVENT_END = 3     /* the data are whole; what is left of the piece lies behind them */
} snpy_event;

/* A file that arrives in pieces. Initialise with snpy_stream_start. */
typedef struct snpy_stream {
    uint8_t *buffer;   /* the caller's: prefix and header text are collected here */
    size_t capacity;   /* bytes */
    size_t used;       /* bytes of the header that are there */
    uint64_t wanted;   /* bytes that the part being collected has: prefix, or prefix and text */
    uint64_t position; /* bytes of data handed out so far */
    uint64_t left;     /* bytes of data still to come */
    int phase;         /* private */
    snpy_error error;  /* what the file was refused for */
} snpy_stream;

/* A part of a piece. */
typedef struct snpy_part {
    size_t from; /* bytes from the start of the piece */
    size_t size;
} snpy_part;

/* Begins. `buffer` of `capacity` bytes is the caller's, borrowed until the header has been parsed; 12 bytes and
 * the limit on header text are enough for every file that the limit lets through.                      API-STREAM */
SNPY_API void snpy_stream_start(snpy_stream *stream, uint8_t *buffer, size_t capacity);

/* Looks at a piece of the file from *taken on, moves *taken behind what it has used, and says what it found.
 * Call it until it says SNPY_EVENT_MORE, then with the next piece and *taken 0; pieces may have any size, also 0.
 *
 * After SNPY_EVENT_HEADER, parse the buffer and tell the stream how much data follows with snpy_stream_data, before
 * the next call. SNPY_EVENT_DATA fills `part`; it is the data's next bytes, stream->position of them having come
 * before. At most the header is collected, data are never copied.
 *
 * error    SNPY_OK; SNPY_BAD_MAGIC, SNPY_TRUNCATED_PREFIX (never here), SNPY_UNSUPPORTED_VERSION,
 *          SNPY_HEADER_TOO_LONG as snpy_parse_frame has them; SNPY_BUFFER_TOO_SMALL at the header's size if the
 *          buffer cannot hold it: stream->wanted says how large it has to be. The stream is then at its end.
 * returns  the event; SNPY_EVENT_END after an error                              NPY-FRAME-001 … 005, API-STREAM */
SNPY_API snpy_event snpy_stream_feed(snpy_stream *stream, const uint8_t *piece, size_t length, size_t *taken,
                                     const snpy_options *options, snpy_part *part, snpy_error *error);

/* How many bytes of data follow the header: header.data_size.                                         API-STREAM */
SNPY_API void snpy_stream_data(snpy_stream *stream, uint64_t size);

/* At the end of the file: whether it held all it declared. SNPY_OK; what snpy_stream_feed has refused it for;
 * SNPY_TRUNCATED_PREFIX, SNPY_TRUNCATED_HEADER or SNPY_TRUNCATED_DATA at the file's length; SNPY_BAD_ARGUMENT if the
 * header is whole and snpy_stream_data was not called.                                    NPY-FRAME-002, NPY-FRAME-006, NPY-DATA-001 */
SNPY_API snpy_status snpy_stream_finish(const snpy_stream *stream, snpy_error *error);

#ifdef __cplusplus
}
#endif

#endif
