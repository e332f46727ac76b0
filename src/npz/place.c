/* place.c: locates a member in the file, and reads its header ahead of its data.            API-ARCHIVE, NPZ-ERR-001 */
#include "npz/npz.h"

int snpy_archive_locate(const snpy_archive *archive, size_t index, uint64_t *offset)
{
    *offset = 0;
    if (index >= snpy_archive_count(archive) || archive->bytes != NULL || archive->members[index].data_offset == 0)
        return -1;
    *offset = archive->start + archive->members[index].data_offset;
    return archive->descriptor;
}

snpy_status snpy_member_read_header(snpy_member *member, const snpy_options *limits, snpy_array *array,
                                    snpy_io_error *error)
{
    snpy_array_clear(array);
    if (member == NULL || member->position > 0) {
        snpy_io_begin(error, "");
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    }
    (void)snpy_archive_begin(member->archive, member->index, error);
    snpy_status status = snpy_member_head(member, limits != NULL ? limits : &member->archive->limits, array, error);
    if (status == SNPY_OK || status == SNPY_OBJECT_DATA) return status;
    return snpy_member_rest(member, status, error);
}
