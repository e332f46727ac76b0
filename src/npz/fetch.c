/* fetch.c: bytes of an open archive, wherever it is, and errors that name it.                     HOST-IO, HOST-CHANGED
 * Leaves all decisions about the bytes to those who ask for them. */
#include "npz/npz.h"

#include <errno.h>
#include <string.h>

snpy_status snpy_archive_fetch(const snpy_archive *archive, uint64_t offset, uint8_t *out, uint64_t size,
                               snpy_io_error *error)
{
    uint64_t done = 0;
    if (archive->bytes_ != NULL && size > 0) memcpy(out, archive->bytes_ + offset, (size_t)size);
    while (archive->bytes_ == NULL && done < size) {
        uint64_t left = size - done;
        size_t request = (size_t)(left < PTRDIFF_MAX ? left : PTRDIFF_MAX);
        ptrdiff_t got = snpy_read_some_at(archive->descriptor_, out + done, request, archive->start_ + offset + done);
        if (got < 0) return snpy_io_fail(error, "pread", errno);
        if (got == 0) return snpy_io_refuse(error, SNPY_FILE_CHANGED, offset + done);
        done += (uint64_t)got;
    }
    return SNPY_OK;
}

snpy_status snpy_archive_begin(const snpy_archive *archive, size_t index, snpy_io_error *error)
{
    snpy_io_begin(error, archive->path_ != NULL ? archive->path_ : "");
    if (index >= archive->count) return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, index);
    return SNPY_OK;
}
