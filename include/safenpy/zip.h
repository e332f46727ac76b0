/* safenpy/zip.h: the steps by which safenpy/archive.h checks the directory of an archive (NPZ) against every local header.
 * For those who bring the bytes themselves; safenpy.h leaves it out. */
#ifndef SAFENPY_ZIP_H
#define SAFENPY_ZIP_H

#include <stddef.h>

#include "safenpy/status.h"
#include "safenpy/zip_types.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * central   the directory's bytes, as many as directory->size; keep them for the steps that follow
 * members   the caller's table of `capacity` members, of which directory->count are filled
 * returns   SNPY_OK, or the rule that is broken; SNPY_TABLE_TOO_SMALL at directory->count if that exceeds capacity */
SNPY_API snpy_status snpy_zip_list(const uint8_t *central, size_t length, const snpy_zip_directory *directory,
                                   snpy_zip_member *members, size_t capacity, snpy_error *error);

/* How many bytes from its local_offset on snpy_zip_local wants to see of a member, first guess; never beyond the
 * directory. */
SNPY_API size_t snpy_zip_local_size(const snpy_zip_directory *directory, const snpy_zip_member *member);

/* Step 3, for each member in turn: its local header. NPZ-PLACE-001 … 004, NPZ-LOCAL-001 … 007, NPZ-EXTRA, NPZ-DIR-003
 *
 * local    the file's bytes from members[index].local_offset on; none if that lies after the directory
 * length   how many they are; where they are too few, *wanted says how many it takes, and SNPY_BUFFER_TOO_SMALL is
 *          returned
 * returns  SNPY_OK, or the rule that is broken. data_offset, end_offset and is_wide are then computed, end_offset
 *          but for the descriptor */
SNPY_API snpy_status snpy_zip_local(const uint8_t *local, size_t length, const uint8_t *central, size_t central_length,
                                    const snpy_zip_directory *directory, const snpy_zip_options *options,
                                    snpy_zip_member *members, size_t index, size_t *wanted, snpy_error *error);

/* Step 3, for a member with SNPY_ZIP_FLAG_DESCRIPTOR: what stands after its data.               NPZ-DESC-001 … 003
 *
 * bytes    the file's bytes from member->end_offset on, up to the directory but no more than 24
 * returns  SNPY_OK, end_offset then lies after the descriptor; or the rule that is broken */
SNPY_API snpy_status snpy_zip_descriptor(const uint8_t *bytes, size_t length, const snpy_zip_options *options,
                                         snpy_zip_member *member, snpy_error *error);

/* Step 4: whether all members lie inside the file, before the directory, none in another, and nothing
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
