/* fetch.c: bytes of an open archive, wherever it is, and errors that name it.                     HOST-IO, HOST-CHANGED
 * Leaves all decisions about the bytes to those who ask for them. */
#include "npz/npz.h"

snpy_status snpy_archive_fetch(const snpy_archive *archive, uint64_t offset, uint8_t *out, uint64_t size,
                               snpy_io_error *error)
{
    snpy_reader reader; /* one for each call: threads share the archive */
    uint64_t got = 0;
    if (archive->bytes_ != NULL)
        snpy_reader_of_memory(&reader, archive->bytes_, (size_t)(offset + size));
    else if (archive->source_ != NULL)
        snpy_reader_of_function(&reader, archive->source_->read, archive->source_->context, archive->file_size, false);
    else
        snpy_reader_of_part(&reader, archive->descriptor_, archive->start_);
    snpy_status status = snpy_reader_read(&reader, offset, out, size, &got, error);
    if (status != SNPY_OK || got == size) return status;
    return snpy_io_refuse(error, SNPY_FILE_CHANGED, offset + got);
}

snpy_status snpy_archive_begin(const snpy_archive *archive, size_t index, snpy_io_error *error)
{
    snpy_io_begin(error, archive->path_ != NULL ? archive->path_ : "");
    if (index >= archive->count) return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, index);
    return SNPY_OK;
}
