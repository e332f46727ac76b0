/* canonical.c: whether a header is the one that NumPy writes.
 * Proves nothing. Leaves the judgement to the core (snpy_check_canonical in src/core/write.c). */
#include "host/host.h"

#include <errno.h>

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
    size_t length = (size_t)file->header.frame.data_offset;
    snpy_description description;
    if (!snpy_grow(&workspace->canonical, &workspace->canonical_capacity, length)) {
        file->system_error = ENOMEM;
        file->error.status = SNPY_NO_MEMORY;
        return SNPY_NO_MEMORY;
    }
    snpy_describe_file(file, workspace, &file->header, &description);
    return snpy_check_canonical(file->bytes, length, &description, workspace->canonical, length, &file->error);
}
