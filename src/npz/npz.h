/* npz.h: what opening, reading and mapping archives share.
 * Proves nothing; it is tested. Leaves the directory to the core, deflate to zlib and libdeflate, CRCs to the latter.
 *
 * Functions that return a status fill the error they are given when they fail, and leave it alone else. */
#ifndef SAFENPY_NPZ_H
#define SAFENPY_NPZ_H

#include "host/io.h"
#include "safenpy/archive.h"
#include "safenpy/zip.h"

/* Places of numbers in a central header. */
#define SNPY_CENTRAL_CRC 16u
#define SNPY_CENTRAL_SIZE_AT 24u
#define SNPY_CENTRAL_FIXED 46u

/* An open archive. */
struct snpy_archive {
    size_t count;             /* members */
    snpy_zip_member *members; /* in the order of the directory */
    uint64_t file_size;
    uint64_t start; /* byte of the file that the archive begins at */
    snpy_zip_directory directory;
    snpy_archive_options options;
    snpy_zip_options zip;
    snpy_options limits;
    uint8_t *central;                         /* the bytes of the directory */
    const uint8_t *bytes;                     /* of an archive in memory; NULL: of a file or a function */
    const struct snpy_archive_source *source; /* NULL: of a file */
    char *path;                               /* NULL: none is known */
    int descriptor;
    bool owns; /* the descriptor is closed with the archive */
};

/* A member that is being read. */
struct snpy_member {
    const snpy_archive *archive; /* NULL: closed */
    size_t index;
    uint64_t size;     /* bytes that it has */
    uint64_t position; /* bytes that were read */
    uint64_t taken;    /* bytes of its data that were read from the archive */
    void *inflater;    /* NULL: stored */
    uint32_t crc;
    bool is_verified; /* all data were read, and are good */
};

/* --- open.c ------------------------------------------------------------------------------------------------ */

/* Opens an archive as snpy_archive_open does, by a descriptor that the archive owns whatever the status; -1: it is to be
 * opened.                                                                                       API-ARCHIVE, HOST-IO */
snpy_status snpy_archive_open_file(const char *path, int descriptor, const snpy_archive_options *options,
                                   snpy_archive **archive, snpy_io_error *error);

/* What a function reads, which an archive may be. */
struct snpy_archive_source {
    snpy_read_bytes *read;
    void *context;
};

/* Opens an archive of `size` bytes that a function reads. The source is borrowed until the archive is closed.
 *                                                                                            API-ARCHIVE, HOST-IO */
snpy_status snpy_archive_open_function(uint64_t size, const struct snpy_archive_source *source,
                                       const snpy_archive_options *options, snpy_archive **archive,
                                       snpy_io_error *error);

/* --- fetch.c ----------------------------------------------------------------------------------------------- */

/* Reads bytes of an archive, all of them.                                                   HOST-IO, HOST-CHANGED */
snpy_status snpy_archive_fetch(const snpy_archive *archive, uint64_t offset, uint8_t *out, uint64_t size,
                               snpy_io_error *error);

/* Begins an error about a member, and refuses an index that there is none of. */
snpy_status snpy_archive_begin(const snpy_archive *archive, size_t index, snpy_io_error *error);

/* --- names.c ----------------------------------------------------------------------------------------------- */

/* Writes a code point in UTF-8. Returns its bytes. */
size_t snpy_encode(uint32_t code, char out[4]);

/* Whether a member's name ends in ".npy". */
bool snpy_is_named_array(const snpy_archive *archive, size_t index);

/* Lets an error speak of a member. */
void snpy_archive_blame(const snpy_archive *archive, size_t index, snpy_io_error *error);

/* --- member.c ---------------------------------------------------------------------------------------------- */

/* Opens a member as snpy_member_open does, in the caller's memory. To be ended, whatever the status. */
snpy_status snpy_member_begin(const snpy_archive *archive, size_t index, snpy_member *member, snpy_io_error *error);

/* Gives back what a member holds, and leaves it closed. */
void snpy_member_end(snpy_member *member);

/* Whether a member may be inflated at all.                                           NPZ-LIMIT-002, NPZ-LIMIT-004 */
snpy_status snpy_member_limit(const snpy_archive *archive, size_t index, snpy_io_error *error);

/* The CRC of some bytes after others, fast. */
uint32_t snpy_fast_crc(uint32_t crc, const uint8_t *bytes, uint64_t size);

/* Memory for zlib: ours, so that a machine without memory can be tried. */
void *snpy_zlib_allocate(void *opaque, unsigned count, unsigned size);
void snpy_zlib_free(void *opaque, void *memory);

/* --- whole.c ----------------------------------------------------------------------------------------------- */

/* Inflates all bytes of a deflated member to `out` at once. *is_done is false if libdeflate, the size or the CRC refuses
 * them: then `out` is unspecified, and member.c finds out what is wrong. */
snpy_status snpy_member_whole(const snpy_archive *archive, size_t index, uint8_t *out, bool *is_done,
                              snpy_io_error *error);

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

/* --- several.c --------------------------------------------------------------------------------------------- */

/* Checks all members of an archive that has to be good as a whole; fails at the first that is not.
 *                                                                                       NPZ-ERR-002, NPZ-LIMIT-003 */
snpy_status snpy_archive_check_all(const snpy_archive *archive, snpy_io_error *error);

#endif
