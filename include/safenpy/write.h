/* safenpy/write.h: writes headers, exactly as NumPy 2.x does. */
#ifndef SAFENPY_WRITE_H
#define SAFENPY_WRITE_H

#include "safenpy/header.h"
#include "safenpy/name.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the format that the writer uses. */
typedef enum snpy_version_choice {
    SNPY_VERSION_AUTO = 0, /* as NumPy chooses: 1.0; else 2.0, for its length; else 3.0, for its names */
    SNPY_VERSION_1_0 = 1,
    SNPY_VERSION_2_0 = 2,
    SNPY_VERSION_3_0 = 3
} snpy_version_choice;

/* What is written. All pointers are borrowed for the call.
 *
 * Only dtype, fortran_order, ndim and shape of `header` are read; and for structured dtypes the entries of `table`:
 * names, titles, depth, parent, ndim, first_dim, dtype, has_name, has_title, is_padding, itemsize and offset. Entries
 * for padding are optional: gaps between offsets decide. A table that snpy_parse_header filled can be written
 * unchanged, with the header's text as `names`. The scratch columns of the table change. A simple dtype needs a table,
 * too: an empty one.
 *
 * The contracts of the functions below are in src/core/write.h. */
typedef struct snpy_description {
    const snpy_header *header;
    snpy_table *table;
    const uint8_t *names; /* the text that name_offset and title_offset refer to */
    size_t names_length;  /* bytes, at most 2^32 - 1 */
    snpy_name_encoding encoding;
    snpy_version_choice version;
} snpy_description;

/* snpy_header_size, snpy_write_header and snpy_write_descr check that the description is well-formed. They return what
 * is not:
 *   SNPY_WRITE_DTYPE, SNPY_WRITE_TABLE, SNPY_WRITE_LAYOUT, SNPY_WRITE_SHAPE, SNPY_WRITE_NAME,
 *   SNPY_WRITE_UNREADABLE, SNPY_WRITE_VERSION, SNPY_DUPLICATE_NAME, SNPY_BAD_ARGUMENT;
 * error->offset is then the entry of the table at fault (0 for the array itself). They are thread-safe as long as no
 * other thread uses the table. */

/* Computes the size of the header in bytes, from the magic to the newline: always a multiple of 64. *size is 0 on
 * failure.                                                                                             NPY-WRITE-008 */
SNPY_API snpy_status snpy_header_size(const snpy_description *description, uint64_t *size, snpy_error *error);

/* Writes the header to `out`, a buffer of `capacity` bytes: what numpy.save would write for that version, byte for
 * byte. *size is the number of bytes written, 0 on failure. SNPY_BUFFER_TOO_SMALL if capacity is less than
 * snpy_header_size computes. After every failure `out` is unchanged.                                   NPY-WRITE-009 */
SNPY_API snpy_status snpy_write_header(const snpy_description *description, uint8_t *out, size_t capacity,
                                       uint64_t *size, snpy_error *error);

/* Writes NumPy's text for the type of one entry of the table without its sub-array shape, or for the whole dtype (entry
 * 0): "'<f8'", "[('a', '<f8'), ('', '|V3')]". UTF-8, not terminated. *size is the number of bytes of the text, also if
 * it did not fit; then SNPY_BUFFER_TOO_SMALL is returned and `out` is unspecified. NULL with 0 measures. The whole
 * table is checked by each call, so the time is linear in the table, not in the text; to get the types of many entries,
 * get the text of entry 0 once.                                                                        NPY-WRITE-001 */
SNPY_API snpy_status snpy_write_descr(const snpy_description *description, size_t entry, uint8_t *out, size_t capacity,
                                      uint64_t *size, snpy_error *error);

/* Clears fortran_order where numpy.save would not set it: for an array that is C-contiguous as well, because it is
 * empty or has at most one dimension other than 1. Thread-safe.                                          NPY-HDR-007 */
SNPY_API void snpy_normalise_order(snpy_header *header);

/* Checks the canonical profile: whether a header that was read is, byte for byte, the one that numpy.save would write.
 *                                                                                      NPY-HDR-006, NPY-CANON-001 … 008
 *
 * bytes        the file's first `length` bytes, at least up to the end of the header, read only
 * description  what snpy_parse_header has read from them: header and table, and the header's text as names, which are
 *              UTF-8 in version 3.0, else Latin-1. Its version is ignored
 * out          scratch memory of `capacity` bytes, the caller's: as many as the header has are enough. Afterwards it
 *              has the header on SNPY_OK; otherwise it is unspecified
 * error        filled always: SNPY_OK and 0, or the status returned; for SNPY_NOT_CANONICAL the offset in `bytes` of
 *              the first byte that differs, 0 if no such header can be written; else 0
 * returns      SNPY_OK, SNPY_NOT_CANONICAL, SNPY_BUFFER_TOO_SMALL, SNPY_BAD_ARGUMENT
 *
 * Thread-safe as long as no other thread uses the table. */
SNPY_API snpy_status snpy_check_canonical(const uint8_t *bytes, size_t length, const snpy_description *description,
                                          uint8_t *out, size_t capacity, snpy_error *error);

#ifdef __cplusplus
}
#endif

#endif
