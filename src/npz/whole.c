/* whole.c: deflated members inflated at once.                                              NPZ-DATA-002, NPZ-DATA-007
 * Proves nothing. Leaves inflating to libdeflate, and whether the stream is one to walk.c, because libdeflate takes some
 * that RFC 1951 forbids; those that one of them refuses are left to member.c, whose verdict counts. */
#include "npz/npz.h"

#include <pthread.h>

#include <libdeflate.h>

/* A member's data, in memory. */
typedef struct snpy_whole {
    const uint8_t *data;
    const snpy_zip_member *record;
    bool is_stream;
} snpy_whole;

/* Finds out whether data are one whole stream. */
static void *snpy_whole_walk(void *argument)
{
    snpy_whole *whole = argument;
    const uint64_t size = whole->record->compressed_size;
    snpy_deflate_ends ends;
    whole->is_stream = snpy_deflate_walk(whole->data, (size_t)size, &ends) && (ends.end + 7) / 8 == size;
    return NULL;
}

/* Inflates data. Returns whether libdeflate takes them for one whole stream of exactly the member's size and CRC. */
static bool snpy_whole_inflate(const snpy_whole *whole, uint8_t *out, bool *has_memory)
{
    const snpy_zip_member *record = whole->record;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    size_t used = 0;
    size_t given = 0;
    *has_memory = decompressor != NULL;
    if (decompressor == NULL) return false;
    enum libdeflate_result result = libdeflate_deflate_decompress_ex(
        decompressor, whole->data, (size_t)record->compressed_size, out, (size_t)record->size, &used, &given);
    libdeflate_free_decompressor(decompressor);
    if (result != LIBDEFLATE_SUCCESS || used != record->compressed_size || given != record->size) return false;
    return snpy_fast_crc(0, out, given) == record->crc;
}

/* Does both, at the same time if there is a thread to be had. */
static bool snpy_whole_judge(snpy_whole *whole, bool is_lax, bool has_helper, uint8_t *out, bool *has_memory)
{
    pthread_t helper;
    has_helper = has_helper && !is_lax && pthread_create(&helper, NULL, snpy_whole_walk, whole) == 0;
    bool is_good = snpy_whole_inflate(whole, out, has_memory);
    if (has_helper)
        (void)pthread_join(helper, NULL);
    else if (is_good && !is_lax)
        (void)snpy_whole_walk(whole);
    return is_good && (is_lax || whole->is_stream);
}

snpy_status snpy_member_whole(const snpy_archive *archive, size_t index, bool has_helper, uint8_t *out, bool *is_done,
                              snpy_io_error *error)
{
    const snpy_zip_member *record = &archive->members[index];
    snpy_whole whole = {archive->bytes_, record, false};
    snpy_array copy; /* both must see the same bytes: a file may change in between */
    bool has_memory = true;
    snpy_status status = SNPY_OK;
    snpy_array_clear(&copy);
    if (record->compressed_size >= SIZE_MAX || record->size > SIZE_MAX) return snpy_io_no_memory(error, "malloc");
    if (whole.data != NULL) {
        whole.data += record->data_offset;
    } else {
        status = snpy_array_reserve(&copy, record->compressed_size + 1, error);
        whole.data = copy.data;
        if (status == SNPY_OK)
            status = snpy_archive_fetch(archive, record->data_offset, copy.data, record->compressed_size, error);
    }
    *is_done =
        status == SNPY_OK && snpy_whole_judge(&whole, archive->options_.lax_deflate, has_helper, out, &has_memory);
    snpy_array_release(&copy);
    return has_memory ? status : snpy_io_no_memory(error, "malloc");
}
