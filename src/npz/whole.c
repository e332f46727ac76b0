/* whole.c: inflates whole deflated members at once, with libdeflate.                   NPZ-DATA-002 … 005, NPZ-DATA-007
 * What libdeflate does not accept is left to member.c, which finds the reason. */
#include "npz/npz.h"

#include <libdeflate.h>

/* Inflates the data of a member. Returns true if they fill the member exactly, no byte is left over and the CRC is
 * right. Sets *has_memory to false, and returns false, if libdeflate cannot be set up. */
static bool snpy_whole_inflate(const snpy_zip_member *record, const uint8_t *data, uint8_t *out, bool *has_memory)
{
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    size_t used = 0;
    size_t given = 0;
    *has_memory = decompressor != NULL;
    if (decompressor == NULL) return false;
    enum libdeflate_result result = libdeflate_deflate_decompress_ex(
        decompressor, data, (size_t)record->compressed_size, out, (size_t)record->size, &used, &given);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS && used == record->compressed_size && given == record->size &&
           snpy_fast_crc(0, out, record->size) == record->crc;
}

snpy_status snpy_member_whole(const snpy_archive *archive, size_t index, uint8_t *out, bool *is_done,
                              snpy_io_error *error)
{
    const snpy_zip_member *record = &archive->members[index];
    const uint8_t *data = archive->bytes != NULL ? archive->bytes + record->data_offset : NULL;
    snpy_array copy;
    bool has_memory = true;
    snpy_status status = SNPY_OK;
    snpy_array_clear(&copy);
    if (data == NULL) {
        status = snpy_array_reserve(&copy, record->compressed_size + 1, error);
        if (status == SNPY_OK)
            status = snpy_archive_fetch(archive, record->data_offset, copy.data, record->compressed_size, error);
        data = copy.data;
    }
    *is_done = status == SNPY_OK && snpy_whole_inflate(record, data, out, &has_memory);
    snpy_array_release(&copy);
    return has_memory ? status : snpy_io_no_memory(error, "malloc");
}
