/* walk.h: has the contracts of the first and the last step of the walk through an archive, for these and for
 * proofs/theorems/zip.c.
 * end.c and local.c take the steps. */
#ifndef SAFENPY_CORE_ZIP_WALK_H
#define SAFENPY_CORE_ZIP_WALK_H

#include "core/zip/zip.h"

#define SNPY_ZIP_END_SIZE 22u

/* clang-format off */
/*@ // entry i keeps its place: its data lie behind its local header and in front of the directory
    predicate zip_inside(snpy_zip_member *m, integer i, integer limit) =
        m[i].local_offset + SNPY_ZIP_LOCAL_SIZE <= m[i].data_offset
        && m[i].data_offset + m[i].compressed_size <= m[i].end_offset <= limit;
    // the entries below n stand one behind the other
    predicate zip_apart(snpy_zip_member *m, integer n) =
        \forall integer i, j; 0 <= i < j < n ==> m[i].end_offset <= m[j].local_offset;
    // with nothing between them
    predicate zip_joined(snpy_zip_member *m, integer n) =
        \forall integer i; 0 < i < n ==> m[i-1].end_offset == m[i].local_offset;
*/

/* The arguments of snpy_zip_find are valid: `tail` is the last `length` bytes of a file, all of it or enough. */
#define FIND_ASKED(options, length, file_size) \
    ((options)->size == sizeof(snpy_zip_options) && (options)->max_members <= SNPY_ZIP_MAX_MEMBERS \
     && length <= file_size <= SNPY_MAX_SIZE && (length == file_size || length >= SNPY_ZIP_TAIL))
#define FIND(tail, length, file_size, options) \
    tail, length, file_size - length, (options)->trailing, (options)->prefix, (options)->max_members
/* clang-format on */

/*@ requires \valid_read(tail + (0 .. length-1)) && \valid_read(options) && \valid(directory) && \valid(error);
    requires \separated(directory, error, options, tail + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *directory, error->status, error->offset;
    ensures result: \result == error->status;
    ensures NPZ_END_007: \result == SNPY_OK ==> directory->file_size == file_size
            && directory->offset + directory->size + SNPY_ZIP_END_SIZE <= file_size <= SNPY_MAX_SIZE
            && directory->prefix <= directory->offset && (\old(!options->prefix) ==> directory->prefix == 0);
    ensures NPZ_LIMIT_001: \result == SNPY_OK ==> directory->count <= \old(options->max_members) <= SNPY_ZIP_MAX_MEMBERS;
    ensures argument: \result == SNPY_BAD_ARGUMENT <==> \old(!FIND_ASKED(options, length, file_size));
    ensures NPZ_ERR_001: \old(FIND_ASKED(options, length, file_size)) ==>
            \result == \old(find_status(FIND(tail, length, file_size, options)));
    ensures argument_at: \old(!FIND_ASKED(options, length, file_size)) ==> error->offset == 0;
    ensures fault: \old(FIND_ASKED(options, length, file_size)) && \result != SNPY_OK ==>
            error->offset == file_size - length + \old(find_fault(FIND(tail, length, file_size, options)));
    ensures range: \result != SNPY_OK ==> error->offset <= file_size;
    ensures NPZ_END_002: \result == SNPY_OK ==>
            directory->offset + directory->size == found_end(tail, file_size - length, end_place(tail, length))
            && directory->size == found_size(tail, end_place(tail, length))
            && directory->offset - directory->prefix == found_offset(tail, end_place(tail, length))
            && directory->count == found_count(tail, end_place(tail, length));
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_zip_find(const uint8_t *tail, size_t length, uint64_t file_size, const snpy_zip_options *options,
                          snpy_zip_directory *directory, snpy_error *error);

/*@ requires \valid_read(directory) && \valid_read(options) && \valid_read(members + (0 .. count-1)) && \valid(error);
    requires \object_pointer(members) && \separated(error, directory, options, members + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns error->status, error->offset;
    ensures result: \result == error->status;
    ensures status: \result == SNPY_OK || \result == SNPY_BAD_ARGUMENT || \result == SNPY_ZIP_PREFIX
            || \result == SNPY_ZIP_OVERLAP || \result == SNPY_ZIP_GAP;
    ensures NPZ_PLACE_005_inside: \result == SNPY_OK ==>
            \forall integer i; 0 <= i < count ==> zip_inside(members, i, \old(directory->offset));
    ensures NPZ_PLACE_005_apart: \result == SNPY_OK ==> zip_apart(members, count);
    ensures NPZ_PLACE_003: \result == SNPY_OK && \old(!options->gaps) ==> zip_joined(members, count);
    ensures NPZ_PLACE_003_last: \result == SNPY_OK && \old(!options->gaps) ==>
            (count == 0 ? \old(options->prefix) || \old(directory->offset) == 0
             : members[count-1].end_offset == \old(directory->offset));
    ensures NPZ_PLACE_001: \result == SNPY_OK && count > 0 && \old(!options->prefix) ==> members[0].local_offset == 0;
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_zip_check_ranges(const snpy_zip_directory *directory, const snpy_zip_options *options,
                                  const snpy_zip_member *members, size_t count, snpy_error *error);

#endif
