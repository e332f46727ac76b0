/* map.c: stored members used where they are.                                    NPZ-DATA-001, NPZ-DATA-005, NPZ-DATA-006
 * Proves nothing. Leaves the header to load.c, and the map to the host. */
#include "npz/npz.h"

#include <string.h>
#include <sys/mman.h>

/* Lets the array point into the bytes of an archive in memory. They are not written to: is_writable stays false. */
static void snpy_point(const snpy_archive *archive, const snpy_zip_member *record, snpy_array *array)
{
    const uint8_t *data = archive->bytes + record->data_offset + array->header.frame.data_offset;
    memcpy(&array->data, &data, sizeof data); /* snpy_array has one pointer for both kinds */
    array->data_size = array->header.data_size;
}

/* Maps the whole member, so that its CRC can be computed over what is mapped; the array has the part after the
 * header. */
static snpy_status snpy_map_member(const snpy_archive *archive, const snpy_zip_member *record, snpy_map_mode mode,
                                   snpy_array *array, snpy_io_error *error)
{
    const uint64_t start = archive->start + record->data_offset;
    const bool is_copy = mode == SNPY_MAP_COPY;
    snpy_status status =
        snpy_map_range(archive->descriptor, start, record->size, is_copy ? PROT_READ | PROT_WRITE : PROT_READ,
                       is_copy ? MAP_PRIVATE : MAP_SHARED, array, error);
    if (status != SNPY_OK) return status;
    array->data += array->header.frame.data_offset;
    array->data_size = array->header.data_size;
    array->is_writable = is_copy;
    return snpy_look_again(archive->descriptor, start + record->size, error);
}

snpy_status snpy_archive_settle(const snpy_archive *archive, size_t index, const snpy_array *array,
                                snpy_io_error *error)
{
    snpy_status status = snpy_archive_begin(archive, index, error);
    if (status != SNPY_OK) return status;
    const snpy_zip_member *record = &archive->members[index];
    const uint64_t start = array->header.frame.data_offset;
    if (record->method != SNPY_ZIP_STORED || array->head_ == NULL || start > record->size ||
        array->data_size != record->size - start)
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, index);
    uint32_t crc = snpy_fast_crc(0, array->head_, start); /* our copy of it is what was parsed */
    if (array->data_size > 0) crc = snpy_fast_crc(crc, array->data, array->data_size);
    if (crc == record->crc) return SNPY_OK;
    snpy_archive_blame(archive, index, error);
    return snpy_io_refuse(error, SNPY_ZIP_BAD_CRC, record->central_offset + SNPY_CENTRAL_CRC);
}

/* Maps the array of an open member. */
static snpy_status snpy_map_array(snpy_member *member, snpy_map_mode mode, bool defer, snpy_array *array,
                                  snpy_io_error *error)
{
    const snpy_archive *archive = member->archive;
    const snpy_zip_member *record = &archive->members[member->index];
    snpy_status status = snpy_settle_head(member, &archive->limits, array, error);
    if (status != SNPY_OK) return status;
    if (array->header.data_size == 0)
        status = SNPY_OK;
    else if (archive->bytes != NULL)
        snpy_point(archive, record, array);
    else
        status = snpy_map_member(archive, record, mode, array, error);
    if (status == SNPY_OK && !defer) status = snpy_archive_settle(archive, member->index, array, error);
    return status;
}

snpy_status snpy_archive_map(const snpy_archive *archive, size_t index, snpy_map_mode mode, bool defer,
                             snpy_array *array, snpy_io_error *error)
{
    snpy_member member;
    snpy_array_clear(array);
    snpy_status status = snpy_archive_begin(archive, index, error);
    if (status != SNPY_OK) return status;
    bool is_mappable = mode == SNPY_MAP_READ || (mode == SNPY_MAP_COPY && archive->bytes == NULL);
    if (archive->members[index].method != SNPY_ZIP_STORED || !is_mappable)
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, index);
    status = snpy_member_begin(archive, index, &member, error);
    if (status == SNPY_OK) status = snpy_map_array(&member, mode, defer, array, error);
    snpy_member_end(&member);
    if (status != SNPY_OK && status != SNPY_OBJECT_DATA) snpy_array_release(array);
    return status;
}
