/* npz.h: what opening, reading and mapping archives share.
 * Proves nothing; it is tested. Leaves the directory to the core, deflate to zlib and libdeflate, CRCs to the latter.
 *
 * Functions that return a status fill the error they are given when they fail, and leave it alone else. */
#ifndef SAFENPY_NPZ_H
#define SAFENPY_NPZ_H

#include "host/io.h"
#include "safenpy/archive.h"

/* Places of numbers in a central header. */
#define SNPY_CENTRAL_CRC 16u
#define SNPY_CENTRAL_SIZE_AT 24u
#define SNPY_CENTRAL_FIXED 46u

/* --- open.c ------------------------------------------------------------------------------------------------ */

/* Reads bytes of an archive, all of them.                                                   HOST-IO, HOST-CHANGED */
snpy_status snpy_archive_fetch(const snpy_archive *archive, uint64_t offset, uint8_t *out, uint64_t size,
                               snpy_io_error *error);

/* Begins an error about a member, and refuses an index that there is none of. */
snpy_status snpy_archive_begin(const snpy_archive *archive, size_t index, snpy_io_error *error);

/* --- names.c ----------------------------------------------------------------------------------------------- */

/* Lets an error speak of a member. */
void snpy_archive_blame(const snpy_archive *archive, size_t index, snpy_io_error *error);

/* --- member.c ---------------------------------------------------------------------------------------------- */

/* Whether a member may be inflated at all.                                           NPZ-LIMIT-002, NPZ-LIMIT-004 */
snpy_status snpy_member_limit(const snpy_archive *archive, size_t index, snpy_io_error *error);

/* Reads what is left of a member, and judges it.                                             NPZ-DATA-002 … 005 */
snpy_status snpy_member_drain(snpy_member *member, snpy_io_error *error);

/* The CRC of some bytes behind others, fast. */
uint32_t snpy_fast_crc(uint32_t crc, const uint8_t *bytes, uint64_t size);

/* Memory for zlib: ours, so that a machine without memory can be tried. */
void *snpy_zlib_allocate(void *opaque, unsigned count, unsigned size);
void snpy_zlib_free(void *opaque, void *memory);

/* --- whole.c ----------------------------------------------------------------------------------------------- */

/* Brings all bytes of a deflated member to `out`, at once, with the help of another thread if there may be one. Whether
 * they are right stands in *is_done; if not, what is in `out` means nothing, and only member.c can say what is wrong. */
snpy_status snpy_member_whole(const snpy_archive *archive, size_t index, bool has_helper, uint8_t *out, bool *is_done,
                              snpy_io_error *error);

/* --- pieces.c ---------------------------------------------------------------------------------------------- */

/* What is read at once. If no piece of the stream ends in it, more is. */
#ifndef SNPY_CHUNK_SIZE /* harnesses have smaller ones */
#define SNPY_CHUNK_SIZE ((size_t)512 << 10)
#endif

/* As snpy_member_whole, of a member whose stream is to be one by NPZ-DATA-007. */
snpy_status snpy_member_pieces(const snpy_archive *archive, const snpy_zip_member *record, bool has_helper,
                               uint8_t *out, bool *is_done, snpy_io_error *error);

/* --- walk.c ------------------------------------------------------------------------------------------------ */

/* Bits of a deflate stream, from its beginning. */
typedef struct snpy_deflate_ends {
    uint64_t last_block; /* its first one: set, as in no other block */
    uint64_t end;        /* that behind the last one */
} snpy_deflate_ends;

/* Whether bytes begin with a deflate stream that ends within them, by NPZ-DATA-007 but for what distances lead to. */
bool snpy_deflate_walk(const uint8_t *stream, size_t size, snpy_deflate_ends *ends);

/* --- load.c ------------------------------------------------------------------------------------------------ */

/* Reads the header of a member, and no more of it, and compares its data size with the member's size. The array is to be
 * released, whatever the status. SNPY_OBJECT_DATA: it has objects; SNPY_NOT_AN_ARRAY: the member is no NPY file.
 *                                                                                           NPZ-NPY-001 … 005 */
snpy_status snpy_member_head(snpy_member *member, const snpy_options *limits, snpy_array *array, snpy_io_error *error);

/* Reads the rest of a member whose header gave `status`, and checks it. Returns what is wrong with the data, else that
 * status.                                                                                         NPZ-ERR-001 */
snpy_status snpy_member_rest(snpy_member *member, snpy_status status, snpy_io_error *error);

/* Both of them: the header, and if it is not accepted, or has objects, the rest.
 *                                                                                                 NPZ-ERR-001 */
snpy_status snpy_settle_head(snpy_member *member, const snpy_options *limits, snpy_array *array, snpy_io_error *error);

/* As snpy_archive_check; without `with_data` only the header is read, and its verdict says nothing about data and CRC. */
snpy_status snpy_archive_examine(const snpy_archive *archive, size_t index, bool with_data, bool *is_array,
                                 snpy_array *head, snpy_io_error *error);

/* As snpy_archive_load; another thread may help. */
snpy_status snpy_archive_load_helped(const snpy_archive *archive, size_t index, const snpy_load_options *how,
                                     bool has_helper, snpy_array *array, snpy_io_error *error);

/* --- several.c --------------------------------------------------------------------------------------------- */

/* Checks the members that are given together against the limit of one call.                       NPZ-LIMIT-003 */
snpy_status snpy_archive_total(const snpy_archive *archive, const size_t *indices, size_t count, snpy_io_error *error);

#endif
