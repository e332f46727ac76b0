/* safenpy/zip.h: checks the directory of an archive (NPZ) against every local header, in the steps that
 * safenpy/archive.h takes.
 * For callers who read the bytes themselves; safenpy.h does not include it. */
#ifndef SAFENPY_ZIP_H
#define SAFENPY_ZIP_H

#include <stddef.h>

#include "safenpy/status.h"
#include "safenpy/zip_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All functions below are thread-safe: they keep no state. None allocates memory. They are the steps of a walk; take
 * them in this order, as snpy_archive_open does. Offsets of errors are bytes of the file.                NPZ-ERR-001 */

/* Step 1: finds the directory by the end records.     NPZ-END-002 … 007, NPZ-WIDE-001 … 004, NPZ-LIMIT-001, API-ARCHIVE
 *
 * tail     the last `length` bytes of the file: all of it, or at least SNPY_ZIP_TAIL
 * returns  SNPY_OK, or the rule that the end records break; SNPY_BAD_ARGUMENT for a tail that is too short or a file of
 *          more than SNPY_MAX_SIZE bytes */
SNPY_API snpy_status snpy_zip_find(const uint8_t *tail, size_t length, uint64_t file_size,
                                   const snpy_zip_options *options, snpy_zip_directory *directory, snpy_error *error);

/* Step 2: parses all central headers.      NPZ-DIR-001 … 007, NPZ-EXTRA-001 … 005, NPZ-NAME-001 … 009, NPZ-END-006, 008
 *
 * central  the bytes of the directory, directory->size of them; keep them for the steps that follow
 * members  the caller's table of `capacity` members, of which directory->count are filled
 * returns  SNPY_OK, or the rule that is broken; SNPY_TABLE_TOO_SMALL at directory->count if that exceeds capacity */
SNPY_API snpy_status snpy_zip_list(const uint8_t *central, size_t length, const snpy_zip_directory *directory,
                                   snpy_zip_member *members, size_t capacity, snpy_error *error);

/* Estimates how many bytes of a member, from its local_offset on, snpy_zip_local needs. The range never reaches into
 * the directory. */
SNPY_API size_t snpy_zip_local_size(const snpy_zip_directory *directory, const snpy_zip_member *member);

/* Step 3, for each member in turn: compares its local header with the directory.
 *
 * local    the file's bytes from members[index].local_offset on; none if that is after the directory
 * length   bytes of `local`; if they are too few, *wanted is how many are needed, and SNPY_BUFFER_TOO_SMALL is returned
 * returns  SNPY_OK, or the rule that is broken. Then data_offset, end_offset (without a data descriptor) and has_zip64
 *          are set */
SNPY_API snpy_status snpy_zip_local(const uint8_t *local, size_t length, const uint8_t *central, size_t central_length,
                                    const snpy_zip_directory *directory, const snpy_zip_options *options,
                                    snpy_zip_member *members, size_t index, size_t *wanted, snpy_error *error);

/* Step 3, for a member with SNPY_ZIP_FLAG_DESCRIPTOR: checks the data descriptor after its data.     NPZ-DESC-001 … 003
 *
 * bytes    the file's bytes from member->end_offset on, up to the directory but at most 24
 * returns  SNPY_OK, with end_offset moved after the descriptor; or the rule that is broken */
SNPY_API snpy_status snpy_zip_descriptor(const uint8_t *bytes, size_t length, const snpy_zip_options *options,
                                         snpy_zip_member *member, snpy_error *error);

/* Step 4: checks that all members are inside the file and before the directory, that no two overlap, and that nothing
 * is between them. It does not rely on the steps before: it returns SNPY_OK only if the ranges in members[0 .. count-1]
 * are good.                                                                                  NPZ-PLACE-002, 003, 005 */
SNPY_API snpy_status snpy_zip_check_ranges(const snpy_zip_directory *directory, const snpy_zip_options *options,
                                           const snpy_zip_member *members, size_t count, snpy_error *error);

/* Step 5: checks that all keys differ. Sorts the members by key, in the field order_.                   NPZ-NAME-006 */
SNPY_API snpy_status snpy_zip_keys(const uint8_t *central, size_t length, const snpy_zip_directory *directory,
                                   snpy_zip_member *members, size_t count, snpy_error *error);

/* --- names ------------------------------------------------------------------------------------------------- */

/* Decodes the next character of a name. Returns the number of its bytes, 0 if they are ill-formed.    NPZ-NAME-001, 002
 *
 * name     `length` bytes, of which `pos` have been read; pos < length
 * flags    of the member */
SNPY_API size_t snpy_zip_name_next(const uint8_t *name, size_t length, size_t pos, uint32_t flags,
                                   uint32_t *code_point);

/* Returns the length of the key in a name: the whole name, or without one ".npy" at its end.            NPZ-NAME-005 */
SNPY_API size_t snpy_zip_key_length(const uint8_t *name, size_t length);

/* Computes the CRC-32 of bytes that follow others whose CRC is `crc`, 0 for the first. It works bit by bit: use it for
 * short texts.                                                                                         NPZ-EXTRA-005 */
SNPY_API uint32_t snpy_zip_crc(uint32_t crc, const uint8_t *bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
