/* canonical.c: whether a header is the one that NumPy writes.
 * Proves nothing. Leaves what NumPy writes to the core's writer. */
#include "host/host.h"

#include <errno.h>

/* Changes the verdict of an accepted file.                                                     NPY-HDR-006 */
static snpy_status snpy_not_canonical(snpy_file *file, uint64_t offset)
{
    file->error.status = SNPY_NOT_CANONICAL;
    file->error.offset = offset;
    return SNPY_NOT_CANONICAL;
}

/* The number of leading bytes that two byte strings share; at most the shorter's length. */
static size_t snpy_common_prefix(const uint8_t *one, size_t one_length, const uint8_t *other, size_t other_length)
{
    size_t length = one_length < other_length ? one_length : other_length;
    size_t at = 0;
    while (at < length && one[at] == other[at]) at++;
    return at;
}

void snpy_describe_file(const snpy_file *file, snpy_workspace *workspace, const snpy_header *header,
                        snpy_description *description)
{
    const snpy_frame *frame = &file->header.frame;
    description->header = header;
    description->table = &workspace->table;
    description->names = file->bytes + frame->text_offset;
    description->names_length = frame->header_len;
    description->encoding = frame->major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1;
    description->version = (snpy_version_choice)frame->major;
}

snpy_status snpy_judge_canonical(snpy_workspace *workspace, snpy_file *file)
{
    snpy_header header = file->header;
    snpy_description description;
    snpy_error error;
    uint64_t size;
    snpy_describe_file(file, workspace, &header, &description);
    description.version = SNPY_VERSION_AUTO;
    snpy_normalise_order(&header);
    if (snpy_header_size(&description, &size, &error) != SNPY_OK) return snpy_not_canonical(file, 0);
    if (!snpy_grow(&workspace->canonical, &workspace->canonical_capacity, size)) {
        file->system_error = ENOMEM;
        file->error.status = SNPY_NO_MEMORY;
        return SNPY_NO_MEMORY;
    }
    if (snpy_write_header(&description, workspace->canonical, (size_t)size, &size, &error) != SNPY_OK)
        return snpy_not_canonical(file, 0);
    size_t written = (size_t)size;
    size_t read = (size_t)header.frame.data_offset;
    size_t common = snpy_common_prefix(file->bytes, read, workspace->canonical, written);
    /* A header says its own length: one that is longer differs before the end of what was read. */
    return common < read ? snpy_not_canonical(file, common) : SNPY_OK;
}
