/* place.c: where a member is in the file, and its header read ahead of its data.        API-ARCHIVE, NPZ-ERR-001
 * Leaves bytes to member.c, headers to load.c. */
#include "npz/npz.h"

int snpy_archive_locate(const snpy_archive *archive, size_t index, uint64_t *offset)
{
    *offset = 0;
    if (index >= archive->count || archive->bytes_ != NULL) return -1;
    *offset = archive->start_ + archive->members[index].data_offset;
    return archive->descriptor_;
}

snpy_status snpy_member_read_header(snpy_member *member, const snpy_options *limits, snpy_array *array,
                                    snpy_io_error *error)
{
    snpy_array_clear(array);
    if (member->archive_ == NULL || member->position > 0) {
        snpy_io_begin(error, "");
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    }
    (void)snpy_archive_begin(member->archive_, member->index_, error);
    snpy_status status = snpy_member_head(member, limits != NULL ? limits : &member->archive_->limits_, array, error);
    if (status == SNPY_OK || status == SNPY_OBJECT_DATA) return status;
    return snpy_member_rest(member, status, error);
}
