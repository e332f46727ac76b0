/* contents.c: opens a file that is an NPY file or an archive.                                      API-ARCHIVE, HOST-IO
 * host/load.c loads arrays, open.c opens archives. */
#include "npz/npz.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "safenpy/looks_like.h"

/* Sets *is_archive if a regular file begins as ZIP files do. A pipe or device is never an archive: it cannot be read
 * from its end. */
static snpy_status snpy_is_archive(int descriptor, bool *is_archive, snpy_io_error *error)
{
    uint8_t first[4];
    struct stat about;
    snpy_reader reader;
    uint64_t got = 0;
    *is_archive = false;
    if (fstat(descriptor, &about) != 0) return snpy_io_fail(error, "fstat", errno);
    if (!S_ISREG(about.st_mode)) return SNPY_OK;
    snpy_reader_of_part(&reader, descriptor, 0);
    snpy_status status = snpy_reader_read(&reader, 0, first, sizeof first, &got, error);
    *is_archive = status == SNPY_OK && snpy_looks_like(first, (size_t)got) == SNPY_LOOK_ZIP;
    return status;
}

snpy_status snpy_contents_open(const char *path, const snpy_load_options *how, const snpy_archive_options *options,
                               snpy_contents *contents, snpy_io_error *error)
{
    static const snpy_contents empty = {.is_archive = false};
    snpy_io_begin(error, path);
    *contents = empty;
    int descriptor = snpy_open(path, O_RDONLY, 0);
    if (descriptor < 0) return snpy_io_fail(error, "open", errno);
    snpy_status status = snpy_is_archive(descriptor, &contents->is_archive, error);
    if (contents->is_archive) return snpy_archive_open_file(path, descriptor, options, &contents->archive, error);
    if (status == SNPY_OK) status = snpy_load_file(descriptor, how, &contents->array, error);
    (void)close(descriptor); /* only read from */
    return status;
}

void snpy_contents_close(snpy_contents *contents)
{
    static const snpy_contents empty = {.is_archive = false};
    if (contents->is_archive) snpy_archive_close(&contents->archive);
    snpy_array_release(&contents->array);
    *contents = empty;
}
