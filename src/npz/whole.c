/* whole.c: deflated members inflated at once, for those who trust them.                          NPZ-DATA-002
 * Proves nothing. Leaves inflating to libdeflate, which takes some streams that RFC 1951 forbids: so it is asked only
 * if the caller says so (lax_deflate), and what it refuses is left to member.c. */
#include "npz/npz.h"

#include <stdlib.h>

#include <libdeflate.h>

/* Inflates data that are in memory. Returns whether they are one whole stream of exactly the member's size and CRC. */
static bool snpy_inflate_all(const snpy_zip_member *record, const uint8_t *data, uint8_t *out, bool *has_memory)
{
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    size_t used = 0;
    size_t given = 0;
    *has_memory = decompressor != NULL;
    if (decompressor == NULL) return false;
    enum libdeflate_result result = libdeflate_deflate_decompress_ex(
        decompressor, data, (size_t)record->compressed_size, out, (size_t)record->size, &used, &given);
    libdeflate_free_decompressor(decompressor);
    if (result != LIBDEFLATE_SUCCESS || used != record->compressed_size || given != record->size) return false;
    return snpy_fast_crc(0, out, given) == record->crc;
}

snpy_status snpy_member_whole(const snpy_archive *archive, size_t index, uint8_t *out, bool *is_done,
                              snpy_io_error *error)
{
    const snpy_zip_member *record = &archive->members[index];
    const uint8_t *data = archive->bytes_ != NULL ? archive->bytes_ + record->data_offset : NULL;
    uint8_t *copy = NULL;
    bool has_memory = true;
    snpy_status status = SNPY_OK;
    if (record->compressed_size >= SIZE_MAX || record->size > SIZE_MAX) return snpy_io_no_memory(error, "malloc");
    if (data == NULL) {
        copy = malloc((size_t)record->compressed_size + 1);
        if (copy == NULL) return snpy_io_no_memory(error, "malloc");
        status = snpy_archive_fetch(archive, record->data_offset, copy, record->compressed_size, error);
        data = copy;
    }
    *is_done = status == SNPY_OK && snpy_inflate_all(record, data, out, &has_memory);
    free(copy);
    return has_memory ? status : snpy_io_no_memory(error, "malloc");
}
