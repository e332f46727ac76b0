/* whole.c: deflated members inflated at once.                                              NPZ-DATA-002, NPZ-DATA-007
 * Proves nothing. Leaves inflating to libdeflate, and whether the stream is one to walk.c, because libdeflate takes some
 * that RFC 1951 forbids; those that one of them refuses are left to member.c, whose verdict counts. */
#include "npz/npz.h"

#include <pthread.h>

#include <libdeflate.h>
#include <zlib.h>

/* The usual size of a page; larger ones are touched more than once. */
#define PAGE 4096u

/* From so many bytes on, clearing pages and half of a CRC take much longer than to begin a thread for it. */
#define MANY_BYTES ((uint64_t)4 << 20)

/* A member's data, in memory. */
typedef struct snpy_whole {
    const uint8_t *data;
    const snpy_zip_member *record;
    uint8_t *out;
    bool has_helper; /* another thread may do a part of the work */
    bool is_stream;
    uint32_t second_crc; /* of the second half of `out` */
} snpy_whole;

/* --- what a helper does, if there is one ------------------------------------------------------------------- */

/* Touches the memory to be filled: clearing its pages takes about as long as reading the data. */
static void *snpy_whole_touch(void *argument)
{
    const snpy_whole *whole = argument;
    for (uint64_t at = 0; at < whole->record->size; at += PAGE) whole->out[at] = 0;
    return NULL;
}

/* Finds out whether data are one whole stream. */
static void *snpy_whole_walk(void *argument)
{
    snpy_whole *whole = argument;
    const uint64_t size = whole->record->compressed_size;
    snpy_deflate_ends ends;
    whole->is_stream = snpy_deflate_walk(whole->data, (size_t)size, &ends) && (ends.end + 7) / 8 == size;
    return NULL;
}

/* The CRC of the second half. */
static void *snpy_whole_second_crc(void *argument)
{
    snpy_whole *whole = argument;
    const uint64_t half = whole->record->size / 2;
    whole->second_crc = snpy_fast_crc(0, whole->out + half, whole->record->size - half);
    return NULL;
}

/* Begins a part of the work beside the rest. Returns whether there is a thread for it. */
static bool snpy_whole_begin(snpy_whole *whole, void *(*part)(void *), pthread_t *helper)
{
    return whole->has_helper && pthread_create(helper, NULL, part, whole) == 0;
}

/* --- the work ---------------------------------------------------------------------------------------------- */

/* Inflates data. Returns whether libdeflate takes them for one whole stream of exactly the member's size. */
static bool snpy_whole_inflate(const snpy_whole *whole, bool *has_memory)
{
    const snpy_zip_member *record = whole->record;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    size_t used = 0;
    size_t given = 0;
    *has_memory = decompressor != NULL;
    if (decompressor == NULL) return false;
    enum libdeflate_result result = libdeflate_deflate_decompress_ex(
        decompressor, whole->data, (size_t)record->compressed_size, whole->out, (size_t)record->size, &used, &given);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS && used == record->compressed_size && given == record->size;
}

/* The CRC of all that was inflated: of both halves at once, if there are many bytes and a thread to be had. */
static uint32_t snpy_whole_crc(snpy_whole *whole)
{
    const uint64_t size = whole->record->size;
    pthread_t helper;
    if (size < MANY_BYTES || !snpy_whole_begin(whole, snpy_whole_second_crc, &helper))
        return snpy_fast_crc(0, whole->out, size);
    const uint32_t first = snpy_fast_crc(0, whole->out, size / 2);
    (void)pthread_join(helper, NULL);
    return (uint32_t)crc32_combine(first, whole->second_crc, (z_off_t)(size - size / 2));
}

/* Inflates and walks, at the same time if there is a thread to be had; then the bytes are held against their CRC. */
static bool snpy_whole_judge(snpy_whole *whole, bool is_lax, bool *has_memory)
{
    pthread_t helper;
    const bool has_begun = !is_lax && snpy_whole_begin(whole, snpy_whole_walk, &helper);
    bool is_good = snpy_whole_inflate(whole, has_memory);
    if (has_begun)
        (void)pthread_join(helper, NULL);
    else if (is_good && !is_lax)
        (void)snpy_whole_walk(whole);
    return is_good && (is_lax || whole->is_stream) && snpy_whole_crc(whole) == whole->record->crc;
}

/* Brings data into memory: both must see the same bytes, and a file may change in between. */
static snpy_status snpy_whole_fetch(const snpy_archive *archive, snpy_whole *whole, snpy_array *copy,
                                    snpy_io_error *error)
{
    const snpy_zip_member *record = whole->record;
    pthread_t helper;
    snpy_status status = snpy_array_reserve(copy, record->compressed_size + 1, error);
    if (status != SNPY_OK) return status;
    const bool has_begun = record->size >= MANY_BYTES && snpy_whole_begin(whole, snpy_whole_touch, &helper);
    status = snpy_archive_fetch(archive, record->data_offset, copy->data, record->compressed_size, error);
    if (has_begun) (void)pthread_join(helper, NULL);
    whole->data = copy->data;
    return status;
}

snpy_status snpy_member_whole(const snpy_archive *archive, size_t index, bool has_helper, uint8_t *out, bool *is_done,
                              snpy_io_error *error)
{
    const snpy_zip_member *record = &archive->members[index];
    snpy_whole whole = {archive->bytes_, record, out, has_helper, false, 0};
    snpy_array copy;
    bool has_memory = true;
    snpy_status status = SNPY_OK;
    snpy_array_clear(&copy);
    if (whole.data != NULL)
        whole.data += record->data_offset;
    else
        status = snpy_whole_fetch(archive, &whole, &copy, error);
    *is_done = status == SNPY_OK && snpy_whole_judge(&whole, archive->options_.lax_deflate, &has_memory);
    snpy_array_release(&copy);
    return has_memory ? status : snpy_io_no_memory(error, "malloc");
}
