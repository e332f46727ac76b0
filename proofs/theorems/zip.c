/* zip.c: what the walk through an archive hands out lies in the file, and no two members share a byte of it.
 *
 * Nor is there doubt about the length of a descriptor. The first two theorems are over the contracts of the first step,
 * which finds the directory, and of the last, which looks at all ranges again. What happens in between is of no account
 * there. */
#include "core/zip/walk.h"

/* clang-format off */
/* Whether byte x of the file belongs to member i: to its data, or to its whole entry. */
#define IN_DATA(m, i, x) (m[i].data_offset <= x < m[i].data_offset + m[i].compressed_size)
#define IN_ENTRY(m, i, x) (m[i].local_offset <= x < m[i].end_offset)
#define STRICT(options) (!(options)->gaps && !(options)->prefix)
/* clang-format on */

/* Of two entries that stand apart, one ends before the other begins. */
/*@ requires \valid_read(members + (0 .. count-1)) && zip_apart(members, count) && i < count && j < count && i != j;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures apart: members[i].end_offset <= members[j].local_offset || members[j].end_offset <= members[i].local_offset;
 */
static void show_apart(const snpy_zip_member *members, size_t count, size_t i, size_t j)
{
    //@ assert up: i < j ==> members[i].end_offset <= members[j].local_offset;
    //@ assert down: j < i ==> members[j].end_offset <= members[i].local_offset;
    (void)members;
    (void)count;
    (void)i;
    (void)j;
}

/* Theorem: the data of any member i lie in its entry, this in front of the directory, and this in front of the end
 * record, which the file holds; a byte x of the file that belongs to it belongs to no other member j. */
/*@ requires \valid_read(tail + (0 .. length-1)) && \valid_read(options) && \valid(directory) && \valid(error);
    requires \separated(directory, error, options, tail + (0 .. length-1));
    requires \valid_read(members + (0 .. count-1)) && \object_pointer(members);
    requires \separated(error, directory, options, members + (0 .. count-1));
    requires i < count && j < count && i != j;
    terminates \true;
    exits \false;
    assigns *directory, error->status, error->offset;
    ensures file: \result ==> members[i].local_offset < members[i].data_offset
            && members[i].data_offset + members[i].compressed_size <= members[i].end_offset <= directory->offset
            && directory->offset + directory->size + SNPY_ZIP_END_SIZE <= file_size;
    ensures NPZ_PLACE_005_entries: \result && IN_ENTRY(members, i, x) ==> !IN_ENTRY(members, j, x);
    ensures NPZ_PLACE_005_data: \result && IN_DATA(members, i, x) ==> !IN_DATA(members, j, x);
 */
bool theorem_ranges(const uint8_t *tail, size_t length, uint64_t file_size, const snpy_zip_options *options,
                    snpy_zip_directory *directory, const snpy_zip_member *members, size_t count, size_t i, size_t j,
                    uint64_t x, snpy_error *error)
{
    if (snpy_zip_find(tail, length, file_size, options, directory, error) != SNPY_OK) return false;
    if (snpy_zip_check_ranges(directory, options, members, count, error) != SNPY_OK) return false;
    //@ assert inside: zip_inside(members, i, directory->offset) && zip_inside(members, j, directory->offset);
    show_apart(members, count, i, j);
    (void)x;
    return true;
}

/* Theorem: without the flags for gaps and prefixes, every byte x in front of the directory belongs to an entry, the one
 * that is returned; and to no other, j. */
/*@ requires \valid_read(directory) && \valid_read(options) && \valid_read(members + (0 .. count-1)) && \valid(error);
    requires \object_pointer(members) && \separated(error, directory, options, members + (0 .. count-1));
    requires flags: STRICT(options);
    requires byte: x < directory->offset && j < count;
    terminates \true;
    exits \false;
    assigns error->status, error->offset;
    ensures NPZ_PLACE_003: error->status == SNPY_OK ==> \result < count && IN_ENTRY(members, \result, x);
    ensures NPZ_PLACE_005: error->status == SNPY_OK && \result != j ==> !IN_ENTRY(members, j, x);
 */
size_t theorem_covered(const snpy_zip_directory *directory, const snpy_zip_options *options,
                       const snpy_zip_member *members, size_t count, uint64_t x, size_t j, snpy_error *error)
{
    size_t i = 0;
    if (snpy_zip_check_ranges(directory, options, members, count, error) != SNPY_OK) return count;
    /*@ loop invariant range: 0 <= i <= count;
        loop invariant behind: i == 0 ? members[0].local_offset <= x : members[i-1].end_offset <= x;
        loop assigns i;
        loop variant count - i; */
    while (i < count && members[i].end_offset <= x) i++;
    //@ assert found: i < count;
    if (i != j) show_apart(members, count, i, j);
    return i;
}

/* Theorem: where the bytes behind a member's data are a descriptor of 16 bytes and one of 24, zeros stand behind the first
 * 16, so that no header and no directory begins there. The length of a descriptor is never in doubt. */
/*@ requires \valid_read(b + (0 .. length-1));
    requires narrow: descriptor_true(b, 4, 0, size, compressed, crc);
    requires zip64: descriptor_is_zip64(b, length, size, compressed, crc);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_DESC_002: b[16] == 0 && b[17] == 0 && b[18] == 0 && b[19] == 0;
    ensures record: !zip_signature(b, 16, 1, 2) && !zip_signature(b, 16, 3, 4);
    ensures size: size == 0;
 */
void theorem_one_length(const uint8_t *b, size_t length, uint64_t size, uint64_t compressed, uint32_t crc)
{
    //@ assert compressed: le64(b, 8) == le32(b, 8) + 4294967296 * le32(b, 12) == le32(b, 8);
    //@ assert size: le32(b, 12) == 0 == le64(b, 16);
    //@ assert zeros: le32(b, 16) == 0 && le16(b, 16) == 0 && le16(b, 18) == 0;
    (void)b;
    (void)length;
    (void)size;
    (void)compressed;
    (void)crc;
}
