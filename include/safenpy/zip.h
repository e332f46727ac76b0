/* safenpy/zip.h: what an archive (NPZ) holds, and where: its directory, checked against every local header. */
#ifndef SAFENPY_ZIP_H
#define SAFENPY_ZIP_H

#include <stddef.h>

#include "safenpy/options.h"
#include "safenpy/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SNPY_ZIP_MAX_MEMBERS 0x7fffffffu /* members that a walk can go through */
#define SNPY_ZIP_TAIL 65633u             /* bytes at the end of a file among which the end records are */

#define SNPY_ZIP_NAME_OFFSET 46u /* bytes from a central header to the name in it */

#define SNPY_ZIP_STORED 0u   /* method: the data are the member's bytes */
#define SNPY_ZIP_DEFLATED 8u /* method: the data are a deflate stream (RFC 1951) */

#define SNPY_ZIP_FLAG_DESCRIPTOR 0x0008u /* a descriptor stands behind the data */
#define SNPY_ZIP_FLAG_UTF8 0x0800u       /* the name is UTF-8; otherwise code page 437 */

/* Limits of a walk, and what it lets pass (spec/npz.md, "Flags of archives"). Initialise with
 * SNPY_ZIP_OPTIONS_INIT, then change what you need. `size` lets the struct grow: a library that knows another
 * size refuses with SNPY_BAD_ARGUMENT. */
typedef struct snpy_zip_options {
    uint32_t size;            /* sizeof(snpy_zip_options) */
    bool prefix;              /* zip-prefix           bytes in front of the first local header */
    bool trailing;            /* zip-trailing         bytes behind the end record and its comment */
    bool gaps;                /* zip-gaps             bytes between entries and in front of the directory */
    bool unsigned_descriptor; /* unsigned-descriptor  descriptors without a signature */
    uint64_t max_members;     /* 1,048,576; at most SNPY_ZIP_MAX_MEMBERS */
} snpy_zip_options;

#define SNPY_ZIP_OPTIONS_INIT                                   \
    {                                                           \
        (uint32_t)sizeof(snpy_zip_options), 0, 0, 0, 0, 1048576 \
    }

/* Where the directory lies, as the end records say. All in bytes from the start of the file. */
typedef struct snpy_zip_directory {
    uint64_t file_size;
    uint64_t offset;   /* of the first central header */
    uint64_t size;     /* of all central headers */
    uint64_t count;    /* members */
    uint64_t count_at; /* where the count stands */
    uint64_t prefix;   /* bytes in front of the archive that its own offsets leave out; 0 without the flag */
} snpy_zip_directory;

/* One member. Offsets are in bytes from the start of the file, whatever stands in front of the archive. */
typedef struct snpy_zip_member {
    uint64_t central_offset;  /* of its central header; its name stands 46 bytes behind */
    uint64_t local_offset;    /* of its local header */
    uint64_t data_offset;     /* of its data; settled by snpy_zip_local */
    uint64_t end_offset;      /* of the first byte behind data and descriptor; settled likewise */
    uint64_t compressed_size; /* bytes of its data in the archive */
    uint64_t size;            /* bytes that it holds */
    uint32_t crc;             /* CRC-32 of these */
    uint32_t order_;          /* for the library only */
    uint16_t flags;
    uint16_t method;      /* SNPY_ZIP_STORED or SNPY_ZIP_DEFLATED */
    uint16_t name_length; /* bytes */
    bool is_wide;         /* whether its local header has a wide field; settled likewise */
} snpy_zip_member;

/* All functions below are thread-safe: they keep nothing. None allocates. They are the steps of a walk, to be
 * taken in this order; snpy_archive_open takes them all. Offsets of errors are bytes of the file.     NPZ-ERR-001 */

/* Step 1: finds the directory.             NPZ-END-002 … 007, NPZ-WIDE-001 … 004, NPZ-LIMIT-001, API-ARCHIVE
 *
 * tail     the last `length` bytes of the file: all of it, or at least SNPY_ZIP_TAIL
 * returns  SNPY_OK, or the rule that the end records break; SNPY_BAD_ARGUMENT for a tail that is too short or a file of
 *          more than SNPY_MAX_SIZE bytes */
SNPY_API snpy_status snpy_zip_find(const uint8_t *tail, size_t length, uint64_t file_size,
                                   const snpy_zip_options *options, snpy_zip_directory *directory, snpy_error *error);

/* Step 2: reads all central headers.
 *                                   NPZ-DIR-001 … 007, NPZ-EXTRA-001 … 005, NPZ-NAME-001 … 009, NPZ-END-006, 008
 *
 * central   the directory's bytes, as many as directory->size; keep them for the steps behind
 * members   the caller's table of `capacity` members, of which directory->count are filled
 * returns   SNPY_OK, or the rule that is broken; SNPY_TABLE_TOO_SMALL at directory->count if that exceeds capacity */
SNPY_API snpy_status snpy_zip_list(const uint8_t *central, size_t length, const snpy_zip_directory *directory,
                                   snpy_zip_member *members, size_t capacity, snpy_error *error);

/* How many bytes from its local_offset on snpy_zip_local wants to see of a member, first guess; never beyond the
 * directory. */
SNPY_API size_t snpy_zip_local_size(const snpy_zip_directory *directory, const snpy_zip_member *member);

/* Step 3, for each member in turn: its local header. NPZ-PLACE-001 … 004, NPZ-LOCAL-001 … 007, NPZ-EXTRA, NPZ-DIR-003
 *
 * local    the file's bytes from members[index].local_offset on; none if that lies behind the directory
 * length   how many they are; where they are too few, *wanted says how many it takes, and SNPY_BUFFER_TOO_SMALL is
 *          returned
 * returns  SNPY_OK, or the rule that is broken. data_offset, end_offset and is_wide are then settled, end_offset
 *          but for the descriptor */
SNPY_API snpy_status snpy_zip_local(const uint8_t *local, size_t length, const uint8_t *central, size_t central_length,
                                    const snpy_zip_directory *directory, const snpy_zip_options *options,
                                    snpy_zip_member *members, size_t index, size_t *wanted, snpy_error *error);

/* Step 3, for a member with SNPY_ZIP_FLAG_DESCRIPTOR: what stands behind its data.              NPZ-DESC-001 … 003
 *
 * bytes    the file's bytes from member->end_offset on, up to the directory but no more than 24
 * returns  SNPY_OK, end_offset then lies behind the descriptor; or the rule that is broken */
SNPY_API snpy_status snpy_zip_descriptor(const uint8_t *bytes, size_t length, const snpy_zip_options *options,
                                         snpy_zip_member *member, snpy_error *error);

/* Step 4: whether all members lie inside the file, in front of the directory, none in another, and nothing
 * between them.                                                                        NPZ-PLACE-002, 003, 005
 * Believes nothing that the steps before have found, but looks again: for members[0 .. count-1] it returns SNPY_OK
 * only if these ranges are good. */
SNPY_API snpy_status snpy_zip_settle(const snpy_zip_directory *directory, const snpy_zip_options *options,
                                     const snpy_zip_member *members, size_t count, snpy_error *error);

/* Step 5: whether all keys differ. Sorts by the field order_.                                      NPZ-NAME-006 */
SNPY_API snpy_status snpy_zip_keys(const uint8_t *central, size_t length, const snpy_zip_directory *directory,
                                   snpy_zip_member *members, size_t count, snpy_error *error);

/* --- names ------------------------------------------------------------------------------------------------- */

/* The next character of a name: how many bytes of it there are, 0 if they are ill-formed.          NPZ-NAME-001, 002
 *
 * name     `length` bytes, of which `pos` have been read, pos < length
 * flags    of the member */
SNPY_API size_t snpy_zip_name_next(const uint8_t *name, size_t length, size_t pos, uint32_t flags,
                                   uint32_t *code_point);

/* The length of the key in a name: all of it, or without one ".npy" at its end.                    NPZ-NAME-005 */
SNPY_API size_t snpy_zip_key_length(const uint8_t *name, size_t length);

/* The CRC-32 of some bytes; the one in front is 0 for the first. For short texts: bit by bit.      NPZ-EXTRA-005 */
SNPY_API uint32_t snpy_zip_crc(uint32_t crc, const uint8_t *bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
