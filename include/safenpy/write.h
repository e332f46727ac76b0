/* safenpy/write.h: from a header to bytes, exactly as NumPy 2.x writes them. */
#ifndef SAFENPY_WRITE_H
#define SAFENPY_WRITE_H

#include "safenpy/header.h"
#include "safenpy/name.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which version the writer takes. */
typedef enum snpy_version_choice {
    SNPY_VERSION_AUTO = 0, /* as NumPy chooses: 1.0, else 2.0 for length, else 3.0 for names */
    SNPY_VERSION_1_0 = 1,
    SNPY_VERSION_2_0 = 2,
    SNPY_VERSION_3_0 = 3
} snpy_version_choice;

/* What is to be written. All pointers are borrowed for the call.
 *
 * Of `header` only dtype, fortran_order, ndim and shape are read. Of `table`, for records, the entries
 * with names, titles, depth, parent, ndim, first_dim, dtype, has_name, has_title, is_padding, itemsize and offset;
 * padding entries may be there or not: gaps between offsets are what counts. A table that
 * snpy_parse_header filled can be written as it is, with `names` the header's text.
 * The scratch columns of the table change. The table must be there for simple dtypes too, empty.
 *
 * The contracts of the functions below stand in src/core/write.h. */
typedef struct snpy_description {
    const snpy_header *header;
    snpy_table *table;
    const uint8_t *names; /* what name_offset and title_offset count in */
    size_t names_length;  /* bytes, at most 2^32 - 1 */
    snpy_name_encoding encoding;
    snpy_version_choice version;
} snpy_description;

/* Both calls below check that the description is well-formed and say what is not:
 *   SNPY_WRITE_DTYPE, SNPY_WRITE_TABLE, SNPY_WRITE_LAYOUT, SNPY_WRITE_SHAPE, SNPY_WRITE_NAME,
 *   SNPY_WRITE_UNREADABLE, SNPY_WRITE_VERSION, SNPY_DUPLICATE_NAME, SNPY_BAD_ARGUMENT;
 * error->offset is then the entry of the table at fault (0 for the array itself). */

/* How many bytes the header takes, from the magic to the newline: always a multiple of 64.
 * *size is in bytes, 0 on failure. Thread-safe as long as no other thread uses the table.  NPY-WRITE-008 */
SNPY_API snpy_status snpy_header_size(const snpy_description *description, uint64_t *size, snpy_error *error);

/* Writes the header into `out`, the caller's buffer of `capacity` bytes: what numpy.save would write,
 * byte for byte, if numpy wrote that version. *size is the number of bytes written, 0 on failure.
 * SNPY_BUFFER_TOO_SMALL if capacity is less than snpy_header_size says; then out is untouched, as it
 * is after every other failure.                                                           NPY-WRITE-009 */
SNPY_API snpy_status snpy_write_header(const snpy_description *description, uint8_t *out, size_t capacity,
                                       uint64_t *size, snpy_error *error);

/* Writes NumPy's text for the type of one entry of the table without its sub-array shape, or for the
 * whole dtype (entry 0): "'<f8'", "[('a', '<f8'), ('', '|V3')]". UTF-8, not terminated. *size is the
 * number of bytes it takes, whether they fitted or not; SNPY_BUFFER_TOO_SMALL if they did not, and then
 * `out` is unspecified. NULL with 0 to measure. The whole table is checked on each call: work is linear in the table, not in what
 * is written; for the types of many entries ask for entry 0 once.                          NPY-WRITE-001 */
SNPY_API snpy_status snpy_write_descr(const snpy_description *description, size_t entry, uint8_t *out, size_t capacity,
                                      uint64_t *size, snpy_error *error);

/* Clears fortran_order where numpy.save would not set it: in an array that is C-contiguous as well,
 * that is one that is empty or has at most one dimension other than 1.  Thread-safe.      NPY-HDR-007 */
SNPY_API void snpy_normalise_order(snpy_header *header);

/* The canonical profile: whether a header that was read is, byte for byte, the one that numpy.save would write.
 *
 * bytes        the file's first `length` bytes, at least up to the end of the header, read only
 * description  what snpy_parse_header has read of them: header and table, and the header's text as names, which are
 *              UTF-8 in version 3.0, else Latin-1. Its version is not looked at
 * out          room for `capacity` bytes, the caller's: what would be written, if it is told apart there; as long as the
 *              header is enough. Unspecified afterwards, but the header itself on SNPY_OK
 * error        filled always: SNPY_OK and 0, or the status returned; of SNPY_NOT_CANONICAL the offset in `bytes` of the
 *              first byte that is another one, 0 if no such header can be written; else 0
 * returns      SNPY_OK, SNPY_NOT_CANONICAL, SNPY_BUFFER_TOO_SMALL, SNPY_BAD_ARGUMENT
 * Thread-safe as long as no other thread uses the table.                       NPY-HDR-006, NPY-CANON-001 … 008 */
SNPY_API snpy_status snpy_check_canonical(const uint8_t *bytes, size_t length, const snpy_description *description,
                                          uint8_t *out, size_t capacity, snpy_error *error);

#ifdef __cplusplus
}
#endif

#endif
