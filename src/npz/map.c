/* map.c: maps stored members, so that their data are not copied.               NPZ-DATA-001, NPZ-DATA-005, NPZ-DATA-006
 * load.c reads headers, the host maps files. */
#include "npz/npz.h"

#include <string.h>
#include <sys/mman.h>

/* Makes the array point into an archive in memory. is_writable stays false: these bytes are borrowed. */
static void snpy_set_data_pointer(const snpy_archive *archive, const snpy_zip_member *record, snpy_array *array)
{
    const uint8_t *data = archive->bytes + record->data_offset + array->header.frame.data_offset;
    memcpy(&array->data, &data, sizeof data); /* one pointer serves for both; memcpy drops the const */
    array->data_size = array->header.data_size;
}

/* Maps the whole member, so that its CRC can be computed, and sets array->data to the part after the header. Fails with
 * SNPY_FILE_CHANGED if the file has become shorter. */
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
    return snpy_check_not_shorter(archive->descriptor, start + record->size, error);
}

snpy_status snpy_archive_verify(const snpy_archive *archive, size_t index, const snpy_array *array,
                                snpy_io_error *error)
{
    snpy_status status = snpy_archive_begin(archive, index, error);
    if (status != SNPY_OK) return status;
    const snpy_zip_member *record = &archive->members[index];
    const uint64_t start = array->header.frame.data_offset;
    if (record->method != SNPY_ZIP_STORED || array->head_ == NULL || start > record->size ||
        array->data_size != record->size - start)
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, index);
    uint32_t crc = snpy_fast_crc(0, array->head_, start); /* the private copy of the header, which was parsed */
    if (array->data_size > 0) crc = snpy_fast_crc(crc, array->data, array->data_size);
    if (crc == record->crc) return SNPY_OK;
    snpy_set_error_member(archive, index, error);
    return snpy_io_refuse(error, SNPY_ZIP_BAD_CRC, record->central_offset + SNPY_CENTRAL_CRC);
}

/* Reads the header of an open member, then maps its data. Verifies the CRC unless `defer`. */
static snpy_status snpy_map_array(snpy_member *member, snpy_map_mode mode, bool defer, snpy_array *array,
                                  snpy_io_error *error)
{
    const snpy_archive *archive = member->archive;
    const snpy_zip_member *record = &archive->members[member->index];
    snpy_status status = snpy_read_head_or_check_rest(member, &archive->limits, array, error);
    if (status != SNPY_OK) return status;
    if (array->header.data_size == 0)
        status = SNPY_OK;
    else if (archive->bytes != NULL)
        snpy_set_data_pointer(archive, record, array);
    else
        status = snpy_map_member(archive, record, mode, array, error);
    if (status == SNPY_OK && !defer) status = snpy_archive_verify(archive, member->index, array, error);
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
    if (archive->members[index].method != SNPY_ZIP_STORED || archive->source != NULL || !is_mappable)
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, index);
    status = snpy_member_begin(archive, index, &member, error);
    if (status == SNPY_OK) status = snpy_map_array(&member, mode, defer, array, error);
    snpy_member_end(&member);
    if (status != SNPY_OK && status != SNPY_OBJECT_DATA) snpy_array_release(array);
    return status;
}
