/* frame.c: parses the bytes before the header text.
 * Proves that nothing after `length` is read and that the header length is within the limit. dict.h parses the text. */
#include "core/frame.h"

#define MAGIC_LENGTH 6u

/* Returns how many of the first bytes match the magic, at most six.                                    NPY-FRAME-001 */
/*@ requires \valid_read(bytes + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_FRAME_001: \result == magic_end(bytes, length, 0) && \result <= MAGIC_LENGTH && \result <= length;
 */
static size_t magic_match(const uint8_t *bytes, size_t length)
{
    if (length < 1 || bytes[0] != 0x93) return 0;
    if (length < 2 || bytes[1] != 'N') return 1;
    if (length < 3 || bytes[2] != 'U') return 2;
    if (length < 4 || bytes[3] != 'M') return 3;
    if (length < 5 || bytes[4] != 'P') return 4;
    if (length < 6 || bytes[5] != 'Y') return 5;
    return MAGIC_LENGTH;
}

/* Returns the header length, little-endian, of 2 bytes in version 1.0 and 4 in the others.             NPY-FRAME-004 */
/*@ requires \valid_read(bytes + (0 .. prefix_length(bytes) - 1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_FRAME_004: \result == header_length_of(bytes);
 */
static uint32_t header_length(const uint8_t *bytes)
{
    uint32_t low = bytes[8] + 256u * bytes[9];
    if (bytes[6] == 1) return low;
    return low + 65536u * bytes[10] + 16777216u * bytes[11];
}

/* Whether the caller's options have the size that this library knows and are within what it supports. */
/*@ requires \valid_read(options);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures API_ARGUMENT: \result <==> options_ok(options);
 */
static bool options_are_valid(const snpy_options *options)
{
    return options->size == sizeof(snpy_options) && options->max_fields <= SNPY_MAX_FIELDS &&
           options->max_ndim <= SNPY_MAX_NDIM && options->max_depth <= SNPY_MAX_DEPTH;
}

/* Checks the whole prefix. *at is the byte at fault, 0 on success. */
/*@ requires \valid_read(bytes + (0 .. length-1)) && \valid(at);
    requires \separated(at, bytes + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *at;
    ensures NPY_FRAME_002: \result == prefix_status(bytes, length);
    ensures NPY_FRAME_003: \result != SNPY_OK ==> *at == prefix_at(bytes, length);
 */
static snpy_status check_prefix(const uint8_t *bytes, size_t length, size_t *at)
{
    size_t magic = magic_match(bytes, length);
    *at = magic;
    if (magic < MAGIC_LENGTH && magic < length) return SNPY_BAD_MAGIC;
    *at = length;
    if (length < 7) return SNPY_TRUNCATED_PREFIX;
    *at = 6;
    if (bytes[6] < 1 || bytes[6] > 3) return SNPY_UNSUPPORTED_VERSION;
    *at = length;
    if (length < 8) return SNPY_TRUNCATED_PREFIX;
    *at = 7;
    if (bytes[7] != 0) return SNPY_UNSUPPORTED_VERSION;
    *at = length;
    if (length < (bytes[6] == 1 ? 10u : 12u)) return SNPY_TRUNCATED_PREFIX;
    return SNPY_OK;
}

snpy_status snpy_parse_frame(const uint8_t *bytes, size_t length, const snpy_options *options, snpy_frame *frame,
                             snpy_error *error)
{
    size_t at = 0;
    if (!options_are_valid(options)) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    snpy_status status = check_prefix(bytes, length, &at);
    if (status != SNPY_OK) return snpy_fail(error, status, at);
    uint32_t header_len = header_length(bytes);
    if (header_len > options->max_header_bytes) return snpy_fail(error, SNPY_HEADER_TOO_LONG, 8);

    bool is_first = bytes[6] == 1;
    frame->major = bytes[6];
    frame->minor = 0;
    frame->text_offset = is_first ? 10 : 12;
    frame->header_len = header_len;
    frame->data_offset = (uint64_t)frame->text_offset + header_len;
    return snpy_fail(error, SNPY_OK, 0);
}
