/* embed.c: the header of an NPY file that is in memory, on a machine without files, heap or C library.
 *
 * Only src/core is needed; snpy_parse_header calls nothing. */
#include "safenpy/header.h"

/* Returns whether the file holds `count` little-endian 32-bit floats, and sets *start to the offset of the first. */
bool find_floats(const uint8_t *file, size_t length, uint64_t count, uint64_t *start)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_table table = {0, 0, 0, 0, 0, 0}; /* simple dtypes only: a structured one is SNPY_TABLE_TOO_SMALL */
    snpy_header header;
    snpy_error error;

    options.max_data_bytes = 4 * count;
    if (snpy_parse_header(file, length, &options, &table, &header, &error) != SNPY_OK) return false;
    if (snpy_check_data(&header, length, false, &error) != SNPY_OK) return false;
    if (header.dtype.kind != SNPY_KIND_FLOAT || header.dtype.itemsize != 4 || header.dtype.byteorder != '<')
        return false;
    *start = header.frame.data_offset;
    return header.count == count;
}
