/* member.c: reads a member from its beginning to its end, in bounded memory.     NPZ-DATA-001 … 005, NPZ-LIMIT-002, 004
 * zlib inflates; load.c parses the bytes. */
#include "npz/npz.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>
#include <zlib.h>

/* Bytes read from the archive at once, and bytes of the buffer for a member that is only checked. */
#define INPUT_CAPACITY 65536u
#define SCRATCH_CAPACITY 65536u

/* The state of inflating a member. */
typedef struct snpy_inflater {
    z_stream stream;
    bool has_ended; /* zlib has returned Z_STREAM_END */
    uint8_t input[INPUT_CAPACITY];
} snpy_inflater;

uint32_t snpy_fast_crc(uint32_t crc, const uint8_t *bytes, uint64_t size)
{
    return libdeflate_crc32(crc, bytes, (size_t)size);
}

void *snpy_zlib_allocate(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    const uint64_t wanted = (uint64_t)count * size;
    return wanted <= SIZE_MAX ? malloc((size_t)wanted) : NULL;
}

void snpy_zlib_free(void *opaque, void *memory)
{
    (void)opaque;
    free(memory);
}

/* Returns the member's entry of the directory. */
static const snpy_zip_member *snpy_entry_of(const snpy_member *member)
{
    return &member->archive->members[member->index];
}

/* Refuses a member at an offset of the archive. Returns the status. */
static snpy_status snpy_refuse_member(const snpy_archive *archive, size_t index, snpy_status status, uint64_t offset,
                                      snpy_io_error *error)
{
    snpy_set_error_member(archive, index, error);
    return snpy_io_refuse(error, status, offset);
}

snpy_status snpy_member_limit(const snpy_archive *archive, size_t index, snpy_io_error *error)
{
    const snpy_zip_member *record = &archive->members[index];
    const snpy_archive_options *options = &archive->options;
    uint64_t at = record->central_offset + SNPY_CENTRAL_SIZE_AT;
    if (record->method != SNPY_ZIP_DEFLATED) return SNPY_OK;
    if (record->size > options->max_member_bytes)
        return snpy_refuse_member(archive, index, SNPY_ZIP_MEMBER_TOO_LARGE, at, error);
    bool is_bounded = record->compressed_size == 0 || options->max_ratio < UINT64_MAX / record->compressed_size;
    if (is_bounded && record->size > record->compressed_size * options->max_ratio)
        return snpy_refuse_member(archive, index, SNPY_ZIP_RATIO, at, error);
    return SNPY_OK;
}

snpy_status snpy_member_begin(const snpy_archive *archive, size_t index, snpy_member *member, snpy_io_error *error)
{
    static const snpy_member empty = {.archive = NULL};
    *member = empty;
    snpy_status status = snpy_archive_begin(archive, index, error);
    if (status == SNPY_OK) status = snpy_member_limit(archive, index, error);
    if (status != SNPY_OK) return status;
    member->archive = archive;
    member->index = index;
    member->size = archive->members[index].size;
    if (archive->members[index].method != SNPY_ZIP_DEFLATED) return SNPY_OK;
    static const z_stream nothing = {.next_in = NULL};
    snpy_inflater *inflater = malloc(sizeof *inflater);
    if (inflater == NULL) return snpy_io_no_memory(error, "malloc");
    inflater->stream = nothing;
    inflater->has_ended = false;
    inflater->stream.zalloc = snpy_zlib_allocate;
    inflater->stream.zfree = snpy_zlib_free;
    if (inflateInit2(&inflater->stream, -MAX_WBITS) != Z_OK) {
        free(inflater);
        return snpy_io_no_memory(error, "malloc");
    }
    member->inflater = inflater;
    return SNPY_OK;
}

void snpy_member_end(snpy_member *member)
{
    snpy_inflater *inflater = member->inflater;
    if (inflater != NULL) (void)inflateEnd(&inflater->stream);
    free(inflater);
    member->inflater = NULL;
    member->archive = NULL; /* snpy_member_read refuses it from now on */
}

snpy_status snpy_member_open(const snpy_archive *archive, size_t index, snpy_member **member, snpy_io_error *error)
{
    *member = malloc(sizeof **member);
    if (*member == NULL) {
        (void)snpy_archive_begin(archive, index, error);
        return snpy_io_no_memory(error, "malloc");
    }
    snpy_status status = snpy_member_begin(archive, index, *member, error);
    if (status != SNPY_OK) snpy_member_close(member);
    return status;
}

void snpy_member_close(snpy_member **member)
{
    if (*member != NULL) snpy_member_end(*member);
    free(*member);
    *member = NULL;
}

uint64_t snpy_member_size(const snpy_member *member)
{
    return member != NULL ? member->size : 0;
}

uint64_t snpy_member_position(const snpy_member *member)
{
    return member != NULL ? member->position : 0;
}

/* Reads the next compressed bytes of a member into the input of zlib, if that is empty and there are more. */
static snpy_status snpy_refill(snpy_member *member, snpy_inflater *inflater, snpy_io_error *error)
{
    const snpy_zip_member *record = snpy_entry_of(member);
    uint64_t left = record->compressed_size - member->taken;
    size_t length = (size_t)(left < INPUT_CAPACITY ? left : INPUT_CAPACITY);
    if (inflater->stream.avail_in > 0 || length == 0) return SNPY_OK;
    snpy_status status =
        snpy_archive_fetch(member->archive, record->data_offset + member->taken, inflater->input, length, error);
    if (status != SNPY_OK) return status;
    member->taken += length;
    inflater->stream.next_in = inflater->input;
    inflater->stream.avail_in = (uInt)length;
    return SNPY_OK;
}

/* Inflates up to `wanted` bytes; fewer if the stream ends. Returns SNPY_ZIP_BAD_DEFLATE if the stream is not valid, or
 * needs more bytes than the member has.                                                                 NPZ-DATA-002 */
static snpy_status snpy_inflate(snpy_member *member, uint8_t *out, size_t wanted, size_t *received,
                                snpy_io_error *error)
{
    snpy_inflater *inflater = member->inflater;
    z_stream *stream = &inflater->stream;
    int result = Z_OK;
    *received = 0;
    while (*received < wanted && !inflater->has_ended && result == Z_OK) {
        size_t left = wanted - *received;
        snpy_status status = snpy_refill(member, inflater, error);
        if (status != SNPY_OK) return status;
        stream->next_out = out + *received;
        stream->avail_out = (uInt)(left < UINT_MAX ? left : UINT_MAX);
        uInt available = stream->avail_out;
        result = inflate(stream, Z_NO_FLUSH); /* Z_BUF_ERROR: no progress, because there are no more bytes */
        *received += available - stream->avail_out;
        inflater->has_ended = result == Z_STREAM_END;
    }
    /* If all bytes were delivered, an error is reported by the next call. */
    if (result == Z_OK || inflater->has_ended || *received == wanted) return SNPY_OK;
    if (result == Z_MEM_ERROR) return snpy_io_no_memory(error, "malloc");
    return snpy_refuse_member(member->archive, member->index, SNPY_ZIP_BAD_DEFLATE, snpy_entry_of(member)->data_offset,
                              error);
}

/* Checks that the deflate stream ends exactly where data and member end. Called when the member's size is reached, or
 * when the stream has ended before.                                                               NPZ-DATA-002 … 004 */
static snpy_status snpy_check_stream(snpy_member *member, snpy_io_error *error)
{
    const snpy_zip_member *record = snpy_entry_of(member);
    snpy_inflater *inflater = member->inflater;
    uint8_t beyond = 0;
    size_t received = 0;
    if (inflater == NULL) return SNPY_OK;
    snpy_status status = snpy_inflate(member, &beyond, 1, &received, error);
    if (status != SNPY_OK && received == 0) return status; /* a byte too many is reported below, whatever the status */
    uint64_t used = member->taken - inflater->stream.avail_in;
    if (inflater->has_ended && used < record->compressed_size)
        return snpy_refuse_member(member->archive, member->index, SNPY_ZIP_DEFLATE_TRAILING, record->data_offset + used,
                                  error);
    if (received > 0 || member->position < member->size)
        return snpy_refuse_member(member->archive, member->index, SNPY_ZIP_INFLATED_SIZE,
                                  record->central_offset + SNPY_CENTRAL_SIZE_AT, error);
    return SNPY_OK;
}

/* Checks end of stream, size and CRC of a member that was read to its end. Sets is_verified if they are right.
 *                                                                                                 NPZ-DATA-002 … 005 */
static snpy_status snpy_check_member(snpy_member *member, snpy_io_error *error)
{
    const snpy_zip_member *record = snpy_entry_of(member);
    snpy_status status = snpy_check_stream(member, error);
    if (status != SNPY_OK) return status;
    if (member->crc != record->crc)
        return snpy_refuse_member(member->archive, member->index, SNPY_ZIP_BAD_CRC,
                                  record->central_offset + SNPY_CENTRAL_CRC, error);
    member->is_verified = true;
    return SNPY_OK;
}

snpy_status snpy_member_read(snpy_member *member, void *out, size_t capacity, size_t *received, snpy_io_error *error)
{
    snpy_status status = SNPY_OK;
    *received = 0;
    if (member == NULL || member->archive == NULL) {
        snpy_io_begin(error, "");
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    }
    (void)snpy_archive_begin(member->archive, member->index, error);
    const uint64_t left = member->size - member->position;
    const size_t wanted = left < capacity ? (size_t)left : capacity;
    if (member->inflater != NULL) {
        status = snpy_inflate(member, out, wanted, received, error);
    } else {
        status = snpy_archive_fetch(member->archive, snpy_entry_of(member)->data_offset + member->position, out, wanted,
                                    error);
        if (status == SNPY_OK) *received = wanted;
    }
    if (status != SNPY_OK) return status;
    member->crc = snpy_fast_crc(member->crc, out, *received);
    member->position += *received;
    bool is_over = member->position == member->size || *received < wanted;
    return is_over && !member->is_verified ? snpy_check_member(member, error) : SNPY_OK;
}

snpy_status snpy_member_drain(snpy_member *member, snpy_io_error *error)
{
    uint8_t *scratch = malloc(SCRATCH_CAPACITY);
    snpy_status status = scratch != NULL ? SNPY_OK : snpy_io_no_memory(error, "malloc");
    while (status == SNPY_OK && (member == NULL || !member->is_verified)) {
        size_t received = 0;
        status = snpy_member_read(member, scratch, SCRATCH_CAPACITY, &received, error);
    }
    free(scratch);
    return status;
}
