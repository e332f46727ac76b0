/* end.c: finds and checks the records at the end of an archive.    NPZ-END-002 … 007, NPZ-WIDE-001 … 004, NPZ-LIMIT-001
 * Proves that the end record is the last one in the file, that no other reaches over it, and that the directory is
 * before it. central.c reads the directory.
 *
 * The functions share these parameters. b[0 .. length-1] is the end of the file, and `base` the offset of b[0] in it.
 * `trailing` allows bytes after the end record. `allow_prefix` allows bytes before the archive, so that the declared
 * offsets may be too small. On failure *fault is the index in b of the byte at fault. */
#include "core/zip/walk.h"

#define END_SIZE SNPY_ZIP_END_SIZE
#define ZIP64_END_SIZE 56u
#define LOCATOR_SIZE 20u
/* Bytes of locator and ZIP64 end record before the end record at `at`. The latter has its number of members at at - 44, the
 * size of the directory at at - 36, and its offset at at - 28. */
#define ZIP64_REACH (LOCATOR_SIZE + ZIP64_END_SIZE)
#define END_REACH 65557u /* bytes of the end record with the longest comment */

/* Returns the last offset of an end record from `first` on; `length` if there is none.                   NPZ-END-002 */
/*@ requires \valid_read(b + (0 .. length-1)) && first <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result == length || (first <= \result && \result + END_SIZE <= length);
    ensures NPZ_END_002: last_end(b, length - END_SIZE, first) == (\result == length ? -1 : \result);
 */
static size_t find_last_end(const uint8_t *b, size_t length, size_t first)
{
    if (length - first < END_SIZE) return length;
    size_t at = length - END_SIZE + 1;
    /*@ loop invariant range: first <= at && at + END_SIZE <= length + 1;
        loop invariant none: last_end(b, length - END_SIZE, first) == last_end(b, at - 1, first);
        loop assigns at;
        loop variant at; */
    while (at > first) {
        at--;
        if (snpy_zip_is(b, at, 5, 6)) return at;
    }
    return length;
}

/* Returns the first offset, from `first` on, of another end record that would reach over the one at `at`; `at` if there
 * is none.                                                                                               NPZ-END-005 */
/*@ requires \valid_read(b + (0 .. length-1)) && first <= at && at + END_SIZE <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: first <= \result <= at;
    ensures NPZ_END_005: \result == other_end(b, first, at);
 */
static size_t find_other_end(const uint8_t *b, size_t length, size_t first, size_t at)
{
    (void)length; /* used in the contract only */
    size_t i = first;
    /*@ loop invariant range: first <= i <= at;
        loop invariant none: other_end(b, first, at) == other_end(b, i, at);
        loop assigns i;
        loop variant at - i; */
    for (; i < at; i++) {
        if (snpy_zip_is(b, i, 5, 6) && snpy_le16(b, i + 20) >= at - i) return i;
    }
    return at;
}

/* Checks the last end record, which is at `at` and has a comment of `comment` bytes. `other` is the offset of the first
 * other one that reaches over it, or `at`.                                                 NPZ-END-003 … NPZ-END-005 */
/*@ requires \valid(fault) && at + END_SIZE <= length && other <= at && comment <= 0xffff;
    terminates \true;
    exits \false;
    assigns *fault;
    ensures status: \result != SNPY_BAD_ARGUMENT;
    ensures NPZ_END_003: \result == end_status_at(length, trailing, at, at + END_SIZE + comment, other);
    ensures fault: \result != SNPY_OK ==>
            *fault == end_fault_at(length, trailing, at, at + END_SIZE + comment, other) <= length;
 */
static snpy_status check_end(size_t length, bool trailing, size_t at, size_t comment, size_t other, size_t *fault)
{
    size_t after_end = length - at - END_SIZE;
    if (comment > after_end) return snpy_zip_fault(SNPY_ZIP_TRUNCATED_COMMENT, at + 20, fault);
    if (comment < after_end && !trailing) return snpy_zip_fault(SNPY_ZIP_TRAILING_DATA, at + END_SIZE + comment, fault);
    if (other < at) return snpy_zip_fault(SNPY_ZIP_AMBIGUOUS_END, other, fault);
    return SNPY_OK;
}

/* Finds the only end record that may exist; *at is its index.                              NPZ-END-002 … NPZ-END-005 */
/*@ requires \valid_read(b + (0 .. length-1)) && \valid(at) && \valid(fault) && \separated(at, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *at, *fault;
    ensures NPZ_END_002: \result == end_status(b, length, trailing);
    ensures status: \result != SNPY_BAD_ARGUMENT;
    ensures at: \result == SNPY_OK ==> *at == end_place(b, length) && *at + END_SIZE <= length;
    ensures fault: \result != SNPY_OK ==> *fault == end_fault(b, length, trailing) <= length;
 */
static snpy_status find_end(const uint8_t *b, size_t length, bool trailing, size_t *at, size_t *fault)
{
    size_t first = length > END_REACH ? length - END_REACH : 0;
    size_t end = find_last_end(b, length, first);
    //@ assert place: end_place(b, length) == (end == length ? -1 : end);
    *at = end;
    if (end == length) return snpy_zip_fault(SNPY_ZIP_NO_END, length, fault);
    size_t other = find_other_end(b, length, first, end);
    //@ assert other: other == other_end(b, end_first(length), end);
    return check_end(length, trailing, end, snpy_le16(b, end + 20), other, fault);
}

/* Whether the locator before the end record, which is at `end`, points to the ZIP64 end record directly before itself.
 *                                                                                                       NPZ-WIDE-002 */
/*@ requires LOCATOR_SIZE <= end <= length && \valid_read(b + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_WIDE_002: \result <==> locator_leads(b, base, end, allow_prefix);
 */
static bool points_to_zip64_end(const uint8_t *b, size_t length, size_t end, uint64_t base, bool allow_prefix)
{
    (void)length; /* used in the contract only */
    if (end < ZIP64_REACH) return false;
    size_t zip64 = end - ZIP64_REACH;
    uint64_t offset = snpy_le64(b, end - 12);
    if (!snpy_zip_is(b, zip64, 6, 6) || snpy_le32(b, end - 4) > 1) return false;
    return offset == base + zip64 || (allow_prefix && offset < base + zip64);
}

/* Checks the locator before the end record, and the ZIP64 end record before it. *prefix is how much the locator's
 * offset is too small.                                                                    NPZ-WIDE-002, NPZ-WIDE-003 */
/*@ requires LOCATOR_SIZE <= end <= length && \valid_read(b + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires \valid(prefix) && \valid(fault) && \separated(prefix, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *prefix, *fault;
    ensures place: \result == SNPY_OK ==> end >= ZIP64_REACH && *prefix <= base + end
                   && le64(b, end - 12) + *prefix == base + end - ZIP64_REACH
                   && (!allow_prefix ==> *prefix == 0);
    ensures status: \result == SNPY_OK || \result == SNPY_ZIP_BAD_LOCATOR || \result == SNPY_ZIP_BAD_WIDE_END;
    ensures NPZ_WIDE_002: \result == SNPY_ZIP_BAD_LOCATOR <==> !locator_leads(b, base, end, allow_prefix);
    ensures NPZ_WIDE_003: \result == SNPY_ZIP_BAD_WIDE_END <==> locator_leads(b, base, end, allow_prefix)
            && le64(b, end - ZIP64_REACH + 4) != 44;
    ensures fault: \result != SNPY_OK ==> *fault == (\result == SNPY_ZIP_BAD_LOCATOR ? end - LOCATOR_SIZE
            : end - ZIP64_REACH + 4);
    ensures range: \result != SNPY_OK ==> *fault <= length;
 */
static snpy_status check_locator(const uint8_t *b, size_t length, size_t end, uint64_t base, bool allow_prefix,
                                 uint64_t *prefix, size_t *fault)
{
    *prefix = 0;
    if (!points_to_zip64_end(b, length, end, base, allow_prefix))
        return snpy_zip_fault(SNPY_ZIP_BAD_LOCATOR, end - LOCATOR_SIZE, fault);
    size_t zip64 = end - ZIP64_REACH;
    *prefix = base + zip64 - snpy_le64(b, end - 12);
    if (snpy_le64(b, zip64 + 4) != ZIP64_END_SIZE - 12) return snpy_zip_fault(SNPY_ZIP_BAD_WIDE_END, zip64 + 4, fault);
    return SNPY_OK;
}

/* Whether a number of the end record is all ones or equal to the ZIP64 one.                             NPZ-WIDE-004 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_WIDE_004: \result <==> (narrow == ones || narrow == zip64);
 */
static inline bool agrees(uint64_t narrow, uint64_t ones, uint64_t zip64)
{
    return narrow == ones || narrow == zip64;
}

/* Checks that the end record at `at` agrees with the ZIP64 one before its locator.                      NPZ-WIDE-004 */
/*@ requires ZIP64_REACH <= at && at + END_SIZE <= length && \valid_read(b + (0 .. length-1)) && \valid(fault);
    requires \separated(fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures NPZ_WIDE_004: \result == (ends_agree(b, at, at - 76) ? SNPY_OK : SNPY_ZIP_WIDE_END_DIFFERS);
    ensures fault: \result != SNPY_OK ==> *fault == ends_differ_at(b, at, at - 76) <= length;
 */
static snpy_status check_agreement(const uint8_t *b, size_t length, size_t at, size_t *fault)
{
    snpy_status status = SNPY_ZIP_WIDE_END_DIFFERS;
    (void)length; /* used in the contract only */
    if (!agrees(snpy_le16(b, at + 10), 0xffff, snpy_le64(b, at - 44))) return snpy_zip_fault(status, at + 10, fault);
    if (!agrees(snpy_le32(b, at + 12), SNPY_ZIP_ALL_ONES, snpy_le64(b, at - 36)))
        return snpy_zip_fault(status, at + 12, fault);
    if (!agrees(snpy_le32(b, at + 16), SNPY_ZIP_ALL_ONES, snpy_le64(b, at - 28)))
        return snpy_zip_fault(status, at + 16, fault);
    return SNPY_OK;
}

/* Whether the number of a disk is 0, or all ones if that is allowed.                                     NPZ-END-006 */
/*@ requires \valid_read(b + (at .. at + 1)) && at + 1 <= SIZE_MAX;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_END_006: \result <==> first_disk(b, at, ones);
 */
static inline bool is_first_disk(const uint8_t *b, size_t at, bool ones)
{
    uint32_t disk = snpy_le16(b, at);
    return disk == 0 || (ones && disk == 0xffffu);
}

/* Checks the disks of the ZIP64 end record at `at` and of the locator after it.                          NPZ-END-006 */
/*@ requires at + ZIP64_REACH <= length && \valid_read(b + (0 .. length-1)) && \valid(fault);
    requires \separated(fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures NPZ_END_006: \result == (one_zip64_disk(b, at) ? SNPY_OK : SNPY_ZIP_MULTI_DISK);
    ensures fault: \result != SNPY_OK ==> *fault == zip64_disk_fault(b, at) <= length;
 */
static snpy_status check_zip64_disks(const uint8_t *b, size_t length, size_t at, size_t *fault)
{
    snpy_status status = SNPY_ZIP_MULTI_DISK;
    (void)length; /* used in the contract only */
    if (snpy_le32(b, at + 16) != 0) return snpy_zip_fault(status, at + 16, fault);
    if (snpy_le32(b, at + 20) != 0) return snpy_zip_fault(status, at + 20, fault);
    if (snpy_le64(b, at + 24) != snpy_le64(b, at + 32)) return snpy_zip_fault(status, at + 24, fault);
    if (snpy_le32(b, at + 60) != 0) return snpy_zip_fault(status, at + 60, fault);
    return SNPY_OK;
}

/* Checks the disks of the end record at `at`: all must be 0, and `count` members on this one. If there is a ZIP64 end
 * record (`has_zip64`), all ones are accepted as well.                                                   NPZ-END-006 */
/*@ requires at + END_SIZE <= length && \valid_read(b + (0 .. length-1)) && \valid(fault);
    requires \separated(fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures NPZ_END_006: \result == (one_disk(b, at, has_zip64, count) ? SNPY_OK : SNPY_ZIP_MULTI_DISK);
    ensures fault: \result != SNPY_OK ==> *fault == disk_fault(b, at, has_zip64) <= length;
 */
static snpy_status check_disks(const uint8_t *b, size_t length, size_t at, bool has_zip64, uint64_t count,
                               size_t *fault)
{
    snpy_status status = SNPY_ZIP_MULTI_DISK;
    uint32_t members = snpy_le16(b, at + 8); /* on this disk */
    (void)length;                            /* used in the contract only */
    if (!is_first_disk(b, at + 4, has_zip64)) return snpy_zip_fault(status, at + 4, fault);
    if (!is_first_disk(b, at + 6, has_zip64)) return snpy_zip_fault(status, at + 6, fault);
    if (members != count && !(has_zip64 && members == 0xffffu)) return snpy_zip_fault(status, at + 8, fault);
    return SNPY_OK;
}

/* Checks the disks of the ZIP64 end record, of its locator, and of the end record at `at`.                NPZ-END-006 */
/*@ requires ZIP64_REACH <= at && at + END_SIZE <= length && \valid_read(b + (0 .. length-1)) && \valid(fault);
    requires \separated(fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures NPZ_END_006: \result == (one_disk_in_all(b, at) ? SNPY_OK : SNPY_ZIP_MULTI_DISK);
    ensures fault: \result != SNPY_OK ==> *fault == disk_in_all_fault(b, at) <= length;
 */
static snpy_status check_all_disks(const uint8_t *b, size_t length, size_t at, size_t *fault)
{
    snpy_status status = check_zip64_disks(b, length, at - ZIP64_REACH, fault);
    if (status != SNPY_OK) return status;
    return check_disks(b, length, at, true, snpy_le64(b, at - 44), fault);
}

/* Computes where the directory is: it ends at `directory_end`, an offset in the file. Its declared offset may be too
 * small by `prefix`, or by any number if `allow_prefix`.                                  NPZ-END-007, NPZ-LIMIT-001 */
/*@ requires \valid(directory) && directory_end <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->prefix;
    ensures NPZ_LIMIT_001: \result ==
            directory_status(size, offset, count, directory_end, allow_prefix, prefix, max_members);
    ensures NPZ_END_007: \result == SNPY_OK ==> directory->offset + directory->size == directory_end
            && directory->size == size && directory->count == count <= max_members
            && directory->offset - directory->prefix == offset && directory->prefix <= directory->offset;
    ensures prefix: \result == SNPY_OK && !allow_prefix ==> directory->prefix == prefix;
 */
static snpy_status locate_directory(uint64_t size, uint64_t offset, uint64_t count, uint64_t directory_end,
                                    bool allow_prefix, uint64_t prefix, uint64_t max_members,
                                    snpy_zip_directory *directory)
{
    if (size > directory_end || offset > directory_end - size) return SNPY_ZIP_BAD_DIRECTORY;
    uint64_t shift = directory_end - size - offset;
    if (!allow_prefix && shift != prefix) return SNPY_ZIP_BAD_DIRECTORY;
    directory->offset = directory_end - size;
    directory->size = size;
    directory->count = count;
    directory->prefix = shift;
    return count > max_members ? SNPY_ZIP_TOO_MANY_MEMBERS : SNPY_OK;
}

/* Reads the end record at `at`, without a ZIP64 one before it. */
/*@ requires at + END_SIZE <= length && \valid_read(b + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires \valid(directory) && \valid(fault) && \separated(directory, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix, *fault;
    ensures NPZ_END_006: \result == narrow_status(b, base, at, allow_prefix, max_members);
    ensures status: \result != SNPY_BAD_ARGUMENT;
    ensures NPZ_END_007: \result == SNPY_OK ==> directory->offset + directory->size == base + at
            && directory->size == le32(b, at + 12) && directory->offset - directory->prefix == le32(b, at + 16)
            && directory->prefix <= directory->offset && (!allow_prefix ==> directory->prefix == 0);
    ensures count: \result == SNPY_OK ==> directory->count == le16(b, at + 10) <= max_members
            && directory->count_at == base + at + 10;
    ensures fault: \result != SNPY_OK ==> *fault == narrow_fault(b, base, at, allow_prefix, max_members) <= length;
 */
static snpy_status read_plain_end(const uint8_t *b, size_t length, uint64_t base, size_t at, bool allow_prefix,
                                  uint64_t max_members, snpy_zip_directory *directory, size_t *fault)
{
    uint32_t count = snpy_le16(b, at + 10);
    snpy_status status = check_disks(b, length, at, false, count, fault);
    if (status != SNPY_OK) return status;
    status = locate_directory(snpy_le32(b, at + 12), snpy_le32(b, at + 16), count, base + at, allow_prefix, 0,
                              max_members, directory);
    directory->count_at = base + at + 10;
    return snpy_zip_fault(status, status == SNPY_ZIP_BAD_DIRECTORY ? at + 16 : at + 10, fault);
}

/* Reads the end record at `at` and the ZIP64 one that the locator between them points to. The locator's offset is too
 * small by `prefix`.                                                                      NPZ-WIDE-001, NPZ-WIDE-004 */
/*@ requires ZIP64_REACH <= at && at + END_SIZE <= length && \valid_read(b + (0 .. length-1));
    requires base + length <= SNPY_MAX_SIZE && prefix == zip64_prefix(b, base, at);
    requires \valid(directory) && \valid(fault) && \separated(directory, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix, *fault;
    ensures NPZ_WIDE_004: \result == both_status(b, base, at, max_members);
    ensures status: \result != SNPY_BAD_ARGUMENT;
    ensures NPZ_END_007: \result == SNPY_OK ==> directory->offset + directory->size == base + at - ZIP64_REACH
            && directory->size == le64(b, at - 36) && directory->offset - directory->prefix == le64(b, at - 28)
            && directory->prefix == prefix <= directory->offset;
    ensures count: \result == SNPY_OK ==> directory->count == le64(b, at - 44) <= max_members
            && directory->count_at == base + at - 44;
    ensures fault: \result != SNPY_OK ==> *fault == both_fault(b, base, at, max_members) <= length;
 */
static snpy_status read_both_ends(const uint8_t *b, size_t length, uint64_t base, size_t at, uint64_t prefix,
                                  uint64_t max_members, snpy_zip_directory *directory, size_t *fault)
{
    snpy_status status = check_agreement(b, length, at, fault);
    if (status != SNPY_OK) return status;
    status = check_all_disks(b, length, at, fault);
    if (status != SNPY_OK) return status;
    status = locate_directory(snpy_le64(b, at - 36), snpy_le64(b, at - 28), snpy_le64(b, at - 44),
                              base + (at - ZIP64_REACH), false, prefix, max_members, directory);
    directory->count_at = base + (at - 44);
    return snpy_zip_fault(status, status == SNPY_ZIP_BAD_DIRECTORY ? at - 28 : at - 44, fault);
}

/* Reads the end record at `at`, with a locator before it.                                               NPZ-WIDE-001 */
/*@ requires LOCATOR_SIZE <= at && at + END_SIZE <= length && \valid_read(b + (0 .. length-1));
    requires base + length <= SNPY_MAX_SIZE;
    requires \valid(directory) && \valid(fault) && \separated(directory, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix, *fault;
    ensures NPZ_WIDE_002: \result == zip64_end_status(b, base, at, allow_prefix, max_members);
    ensures status: \result != SNPY_BAD_ARGUMENT;
    ensures NPZ_END_007: \result == SNPY_OK ==> ZIP64_REACH <= at
            && directory->offset + directory->size == base + at - ZIP64_REACH
            && directory->size == le64(b, at - 36) && directory->offset - directory->prefix == le64(b, at - 28)
            && directory->prefix <= directory->offset && (!allow_prefix ==> directory->prefix == 0);
    ensures count: \result == SNPY_OK ==> directory->count == le64(b, at - 44) <= max_members
            && directory->count_at == base + at - 44;
    ensures fault: \result != SNPY_OK ==> *fault == zip64_end_fault(b, base, at, allow_prefix, max_members) <= length;
 */
static snpy_status read_zip64_end(const uint8_t *b, size_t length, uint64_t base, size_t at, bool allow_prefix,
                                  uint64_t max_members, snpy_zip_directory *directory, size_t *fault)
{
    uint64_t prefix = 0;
    snpy_status status = check_locator(b, length, at, base, allow_prefix, &prefix, fault);
    if (status != SNPY_OK) return status;
    return read_both_ends(b, length, base, at, prefix, max_members, directory, fault);
}

/* Reads the end record at `at`. If a locator is before it, the numbers are those of the ZIP64 end record, whether the end
 * record could hold them or not. */
/*@ requires at + END_SIZE <= length && \valid_read(b + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires \valid(directory) && \valid(fault) && \separated(directory, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix, *fault;
    ensures NPZ_WIDE_001: \result == record_status(b, base, at, allow_prefix, max_members);
    ensures status: \result != SNPY_BAD_ARGUMENT;
    ensures NPZ_END_007: \result == SNPY_OK ==> directory->offset + directory->size == found_end(b, base, at)
            && directory->size == found_size(b, at) && directory->offset - directory->prefix == found_offset(b, at)
            && directory->offset + directory->size + SNPY_ZIP_END_SIZE <= base + length
            && directory->prefix <= directory->offset && (!allow_prefix ==> directory->prefix == 0);
    ensures NPZ_LIMIT_001: \result == SNPY_OK ==> directory->count == found_count(b, at) <= max_members;
    ensures fault: \result != SNPY_OK ==> *fault == record_fault(b, base, at, allow_prefix, max_members) <= length;
 */
static snpy_status read_record(const uint8_t *b, size_t length, uint64_t base, size_t at, bool allow_prefix,
                               uint64_t max_members, snpy_zip_directory *directory, size_t *fault)
{
    if (at >= LOCATOR_SIZE && snpy_zip_is(b, at - LOCATOR_SIZE, 6, 7))
        return read_zip64_end(b, length, base, at, allow_prefix, max_members, directory, fault);
    return read_plain_end(b, length, base, at, allow_prefix, max_members, directory, fault);
}

/* Finds and reads the end records in the last bytes of a file. */
/*@ requires \valid_read(b + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires \valid(directory) && \valid(fault) && \separated(directory, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix, *fault;
    ensures NPZ_ERR_001: \result == find_status(b, length, base, trailing, allow_prefix, max_members);
    ensures status: \result != SNPY_BAD_ARGUMENT;
    ensures NPZ_END_007: \result == SNPY_OK ==>
            directory->offset + directory->size == found_end(b, base, end_place(b, length))
            && directory->size == found_size(b, end_place(b, length))
            && directory->offset - directory->prefix == found_offset(b, end_place(b, length))
            && directory->offset + directory->size + SNPY_ZIP_END_SIZE <= base + length
            && directory->prefix <= directory->offset && (!allow_prefix ==> directory->prefix == 0);
    ensures NPZ_LIMIT_001: \result == SNPY_OK ==>
            directory->count == found_count(b, end_place(b, length)) <= max_members;
    ensures fault: \result != SNPY_OK ==>
            *fault == find_fault(b, length, base, trailing, allow_prefix, max_members) <= length;
 */
static snpy_status read_tail(const uint8_t *b, size_t length, uint64_t base, bool trailing, bool allow_prefix,
                             uint64_t max_members, snpy_zip_directory *directory, size_t *fault)
{
    size_t at = 0;
    snpy_status status = find_end(b, length, trailing, &at, fault);
    if (status != SNPY_OK) return status;
    return read_record(b, length, base, at, allow_prefix, max_members, directory, fault);
}

/* Does the same, and sets the offset of an error as a byte of the file, which has `size` bytes. */
/*@ requires \valid_read(b + (0 .. length-1)) && length <= size <= SNPY_MAX_SIZE;
    requires \valid(directory) && \valid(error) && \separated(directory, error, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix,
            error->status, error->offset;
    ensures result: \result == error->status && \result != SNPY_BAD_ARGUMENT;
    ensures NPZ_ERR_001: \result == find_status(b, length, size - length, trailing, allow_prefix, max_members);
    ensures NPZ_END_007: \result == SNPY_OK ==>
            directory->offset + directory->size == found_end(b, size - length, end_place(b, length))
            && directory->size == found_size(b, end_place(b, length))
            && directory->offset - directory->prefix == found_offset(b, end_place(b, length))
            && directory->offset + directory->size + SNPY_ZIP_END_SIZE <= size
            && directory->prefix <= directory->offset && (!allow_prefix ==> directory->prefix == 0);
    ensures NPZ_LIMIT_001: \result == SNPY_OK ==>
            directory->count == found_count(b, end_place(b, length)) <= max_members;
    ensures fault: \result != SNPY_OK ==>
            error->offset == size - length + find_fault(b, length, size - length, trailing, allow_prefix, max_members)
            <= size;
 */
static snpy_status find_directory(const uint8_t *b, size_t length, uint64_t size, bool trailing, bool allow_prefix,
                                  uint64_t max_members, snpy_zip_directory *directory, snpy_error *error)
{
    size_t fault = 0;
    uint64_t base = size - length;
    snpy_status status = read_tail(b, length, base, trailing, allow_prefix, max_members, directory, &fault);
    uint64_t at = status == SNPY_OK ? 0 : base + fault;
    /*@ assert at: status != SNPY_OK ==>
                   at == size - length + find_fault(b, length, size - length, trailing, allow_prefix, max_members); */
    return snpy_fail(error, status, at);
}

/* Whether the arguments of a search are valid: options of the size that this library knows, and enough bytes of the
 * file. */
/*@ requires \valid_read(options);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures asked: \result <==> FIND_ASKED(options, length, file_size);
 */
static bool is_asked(const snpy_zip_options *options, size_t length, uint64_t file_size)
{
    if (options->size != sizeof(snpy_zip_options) || options->max_members > SNPY_ZIP_MAX_MEMBERS) return false;
    if (file_size > SNPY_MAX_SIZE || length > file_size) return false;
    return length == file_size || length >= SNPY_ZIP_TAIL;
}

snpy_status snpy_zip_find(const uint8_t *tail, size_t length, uint64_t file_size, const snpy_zip_options *options,
                          snpy_zip_directory *directory, snpy_error *error)
{
    bool allow_prefix = options->prefix;
    bool trailing = options->trailing;
    uint64_t max_members = options->max_members;
    if (!is_asked(options, length, file_size)) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    directory->file_size = file_size;
    return find_directory(tail, length, file_size, trailing, allow_prefix, max_members, directory, error);
}
