/* fetch.c: reads bytes of an open archive, and answers what it holds.                          HOST-IO, HOST-CHANGED */
#include "npz/npz.h"

snpy_status snpy_archive_fetch(const snpy_archive *archive, uint64_t offset, uint8_t *out, uint64_t size,
                               snpy_io_error *error)
{
    snpy_reader reader; /* a new one for each call: threads share the archive */
    uint64_t got = 0;
    if (archive->bytes != NULL)
        snpy_reader_of_memory(&reader, archive->bytes, (size_t)(offset + size));
    else if (archive->source != NULL)
        snpy_reader_of_function(&reader, archive->source->read, archive->source->context, archive->file_size, false);
    else
        snpy_reader_of_part(&reader, archive->descriptor, archive->start);
    snpy_status status = snpy_reader_read(&reader, offset, out, size, &got, error);
    if (status != SNPY_OK || got == size) return status;
    return snpy_io_refuse(error, SNPY_FILE_CHANGED, offset + got);
}

snpy_status snpy_archive_begin(const snpy_archive *archive, size_t index, snpy_io_error *error)
{
    snpy_io_begin(error, archive != NULL && archive->path != NULL ? archive->path : "");
    if (archive == NULL || index >= archive->count || archive->members[index].data_offset == 0)
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, index);
    return SNPY_OK;
}

size_t snpy_archive_count(const snpy_archive *archive)
{
    return archive != NULL ? archive->count : 0;
}

uint64_t snpy_archive_size(const snpy_archive *archive)
{
    return archive != NULL ? archive->file_size : 0;
}

const snpy_zip_member *snpy_archive_member(const snpy_archive *archive, size_t index)
{
    return index < snpy_archive_count(archive) ? &archive->members[index] : NULL;
}
