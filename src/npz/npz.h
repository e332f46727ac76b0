/* npz.h: the declarations shared by the files that open, read and map archives.
 * The core checks the directory, zlib and libdeflate inflate, libdeflate computes CRCs.
 *
 * Functions that return a status fill `error` if they fail and leave it alone otherwise. */
#ifndef SAFENPY_NPZ_H
#define SAFENPY_NPZ_H

#include "host/io.h"
#include "safenpy/archive.h"
#include "safenpy/zip.h"

/* Offsets of numbers in a central header, and its size without name, extra fields and comment. */
#define SNPY_CENTRAL_CRC 16u
#define SNPY_CENTRAL_SIZE_AT 24u
#define SNPY_CENTRAL_FIXED 46u

/* A function that reads the bytes of an archive. */
struct snpy_archive_source {
    snpy_read_bytes *read;
    void *context;
};

/* An open archive. */
struct snpy_archive {
    size_t count;             /* number of members; 0 until the directory has been checked */
    snpy_zip_member *members; /* in the order of the directory */
    uint64_t file_size;
    uint64_t start; /* offset in the file of the archive's first byte */
    snpy_zip_directory directory;
    snpy_archive_options options;
    snpy_zip_options zip;
    snpy_options limits;
    uint8_t *central;                         /* copy of all central headers */
    const uint8_t *bytes;                     /* the archive, if it is in memory; borrowed. NULL: it is not */
    const struct snpy_archive_source *source; /* reads the archive, if a function does; borrowed. NULL: a file */
    struct snpy_archive_source own_source;    /* `source` of an archive that the caller's function reads */
    snpy_lent lent;                           /* that function */
    char *path;                               /* for messages; NULL: unknown */
    int descriptor;
    bool owns; /* snpy_archive_close closes the descriptor */
};

/* A member that is being read, from its beginning to its end. */
struct snpy_member {
    const snpy_archive *archive; /* NULL: closed */
    size_t index;
    uint64_t size;     /* bytes of the member, inflated */
    uint64_t position; /* bytes of the member that the caller has read */
    uint64_t taken;    /* compressed bytes that were read from the archive */
    void *inflater;    /* zlib's state; NULL: the member is stored */
    uint32_t crc;
    bool is_verified; /* all bytes were read, and size, end of stream and CRC are right */
};

/* --- open.c ------------------------------------------------------------------------------------------------ */

/* Opens an archive as snpy_archive_open does, from a descriptor that is open already; -1: opens `path`. Takes the
 * descriptor over: it is closed if the call fails, else by snpy_archive_close.                  API-ARCHIVE, HOST-IO */
snpy_status snpy_archive_open_file(const char *path, int descriptor, const snpy_archive_options *options,
                                   snpy_archive **archive, snpy_io_error *error);

/* Opens an archive of `size` bytes that a function reads. The source is borrowed until the archive is closed.
 *                                                                                            API-ARCHIVE, HOST-IO */
snpy_status snpy_archive_open_function(uint64_t size, const struct snpy_archive_source *source,
                                       const snpy_archive_options *options, snpy_archive **archive,
                                       snpy_io_error *error);

/* --- fetch.c ----------------------------------------------------------------------------------------------- */

/* Reads exactly `size` bytes of an archive. Fails with SNPY_FILE_CHANGED if it ends before.    HOST-IO, HOST-CHANGED */
snpy_status snpy_archive_fetch(const snpy_archive *archive, uint64_t offset, uint8_t *out, uint64_t size,
                               snpy_io_error *error);

/* Clears an error and sets its path. Returns SNPY_BAD_ARGUMENT if there is no member of this index, or its local header
 * has not been checked. */
snpy_status snpy_archive_begin(const snpy_archive *archive, size_t index, snpy_io_error *error);

/* --- names.c ----------------------------------------------------------------------------------------------- */

/* Encodes a code point in UTF-8. Returns the number of bytes. */
size_t snpy_encode(uint32_t code, char out[4]);

/* Whether a member's name ends in ".npy". */
bool snpy_is_named_array(const snpy_archive *archive, size_t index);

/* Sets error->member to the name of a member; a long name loses its beginning. */
void snpy_set_error_member(const snpy_archive *archive, size_t index, snpy_io_error *error);

/* --- member.c ---------------------------------------------------------------------------------------------- */

/* Opens a member as snpy_member_open does, in memory of the caller's. Call snpy_member_end afterwards, whatever the
 * status. */
snpy_status snpy_member_begin(const snpy_archive *archive, size_t index, snpy_member *member, snpy_io_error *error);

/* Frees zlib's state of a member and marks the member as closed. */
void snpy_member_end(snpy_member *member);

/* Checks a deflated member against max_member_bytes and max_ratio. Returns SNPY_OK, also for a stored member, or the
 * limit that is exceeded.                                                               NPZ-LIMIT-002, NPZ-LIMIT-004 */
snpy_status snpy_member_limit(const snpy_archive *archive, size_t index, snpy_io_error *error);

/* Computes the CRC-32 of bytes that follow others whose CRC is `crc`; 0 if there are none. Uses libdeflate. */
uint32_t snpy_fast_crc(uint32_t crc, const uint8_t *bytes, uint64_t size);

/* Allocate and free memory for zlib. They call our malloc, so that tests can make it fail. */
void *snpy_zlib_allocate(void *opaque, unsigned count, unsigned size);
void snpy_zlib_free(void *opaque, void *memory);

/* --- whole.c ----------------------------------------------------------------------------------------------- */

/* Inflates a whole deflated member into `out` with libdeflate. Sets *is_done to false and returns SNPY_OK if stream,
 * size or CRC is wrong: then `out` is unspecified, and the caller reads the member with member.c to find out the
 * reason. */
snpy_status snpy_member_whole(const snpy_archive *archive, size_t index, uint8_t *out, bool *is_done,
                              snpy_io_error *error);

/* --- load.c ------------------------------------------------------------------------------------------------ */

/* Reads the header of a member, and nothing after it, and checks that header and data fill the member exactly. Release
 * the array, whatever the status. SNPY_OBJECT_DATA: the header is good, the elements are objects. SNPY_NOT_AN_ARRAY:
 * the member is not an NPY file.                                                                   NPZ-NPY-001 … 005 */
snpy_status snpy_member_head(snpy_member *member, const snpy_options *limits, snpy_array *array, snpy_io_error *error);

/* Reads the rest of a member and checks its data and CRC. `status` is that of snpy_member_head. Returns the error of
 * the data if there is one, else `status`.                                                               NPZ-ERR-001 */
snpy_status snpy_member_rest(snpy_member *member, snpy_status status, snpy_io_error *error);

/* Reads the header of a member as snpy_member_head does. Unless that returns SNPY_OK, reads the rest too and returns as
 * snpy_member_rest does.                                                                                 NPZ-ERR-001 */
snpy_status snpy_read_head_or_check_rest(snpy_member *member, const snpy_options *limits, snpy_array *array,
                                         snpy_io_error *error);

/* --- several.c --------------------------------------------------------------------------------------------- */

/* Checks every member of an archive, and the limit on their total size. Fails at the first bad member; one that is
 * named .npy and is not an NPY file is bad, too.                                          NPZ-ERR-002, NPZ-LIMIT-003 */
snpy_status snpy_archive_check_all(const snpy_archive *archive, snpy_io_error *error);

#endif
