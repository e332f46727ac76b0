/* end.c: the records at the end of an archive.     NPZ-END-002 … 007, NPZ-WIDE-001 … 004, NPZ-LIMIT-001
 * Proves that the end record is the last one there, that no other reaches over it, and that the directory lies in
 * front of it. Leaves what is in the directory to central.c. */
#include "core/zip/walk.h"

#define END_SIZE SNPY_ZIP_END_SIZE
#define WIDE_END_SIZE 56u
#define LOCATOR_SIZE 20u
#define WIDE_REACH (LOCATOR_SIZE + WIDE_END_SIZE) /* both, before the end record */
#define END_REACH 65557u                          /* the end record with the longest comment */

/* The last offset of an end record from `first` on, or `length`.                                     NPZ-END-002 */
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

/* The first offset from which another end record would reach over the one at `at`, or `at`.         NPZ-END-005 */
/*@ requires \valid_read(b + (0 .. length-1)) && first <= at && at + END_SIZE <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: first <= \result <= at;
    ensures NPZ_END_005: \result == other_end(b, first, at);
 */
static size_t find_other_end(const uint8_t *b, size_t length, size_t first, size_t at)
{
    (void)length; /* the contract's */
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

/* Checks the last end record, which is at `at` and has a comment of this many bytes; `other` is the first offset from which
 * another one reaches over it, or `at`.                                                     NPZ-END-003 … NPZ-END-005 */
/*@ requires \valid(fault) && at + END_SIZE <= length && other <= at && comment <= 0xffff;
    terminates \true;
    exits \false;
    assigns *fault;
    ensures status: \result != SNPY_BAD_ARGUMENT;
    ensures NPZ_END_003: \result == end_status_at(length, trailing, at, at + END_SIZE + comment, other);
    ensures fault: \result != SNPY_OK ==>
            *fault == end_fault_at(length, trailing, at, at + END_SIZE + comment, other) <= length;
 */
static snpy_status judge_end(size_t length, bool trailing, size_t at, size_t comment, size_t other, size_t *fault)
{
    size_t behind = length - at - END_SIZE;
    if (comment > behind) return snpy_zip_fault(SNPY_ZIP_TRUNCATED_COMMENT, at + 20, fault);
    if (comment < behind && !trailing) return snpy_zip_fault(SNPY_ZIP_TRAILING_DATA, at + END_SIZE + comment, fault);
    if (other < at) return snpy_zip_fault(SNPY_ZIP_AMBIGUOUS_END, other, fault);
    return SNPY_OK;
}

/* Finds the one end record that there may be; *at is its offset.                            NPZ-END-002 … NPZ-END-005 */
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
    return judge_end(length, trailing, end, snpy_le16(b, end + 20), other, fault);
}

/* Whether the locator before the end record leads to the ZIP64 end record before itself; `base` is the offset of
 * b[0] in the file.                                                                                   NPZ-WIDE-002 */
/*@ requires LOCATOR_SIZE <= end <= length && \valid_read(b + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_WIDE_002: \result <==> locator_leads(b, base, end, shifted);
 */
static bool leads(const uint8_t *b, size_t length, size_t end, uint64_t base, bool shifted)
{
    (void)length; /* the contract's */
    if (end < WIDE_REACH) return false;
    size_t wide = end - WIDE_REACH;
    uint64_t offset = snpy_le64(b, end - 12);
    if (!snpy_zip_is(b, wide, 6, 6) || snpy_le32(b, end - 4) > 1) return false;
    return offset == base + wide || (shifted && offset < base + wide);
}

/* The locator before the end record, and the ZIP64 end record before it; `base` is the offset of b[0] in the
 * file. *prefix is by how much the locator's offset is too small.                     NPZ-WIDE-002, NPZ-WIDE-003 */
/*@ requires LOCATOR_SIZE <= end <= length && \valid_read(b + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires \valid(prefix) && \valid(fault) && \separated(prefix, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *prefix, *fault;
    ensures place: \result == SNPY_OK ==> end >= WIDE_REACH && *prefix <= base + end
                   && le64(b, end - 12) + *prefix == base + end - WIDE_REACH
                   && (!shifted ==> *prefix == 0);
    ensures status: \result == SNPY_OK || \result == SNPY_ZIP_BAD_LOCATOR || \result == SNPY_ZIP_BAD_WIDE_END;
    ensures NPZ_WIDE_002: \result == SNPY_ZIP_BAD_LOCATOR <==> !locator_leads(b, base, end, shifted);
    ensures NPZ_WIDE_003: \result == SNPY_ZIP_BAD_WIDE_END <==> locator_leads(b, base, end, shifted)
            && le64(b, end - WIDE_REACH + 4) != 44;
    ensures fault: \result != SNPY_OK ==> *fault == (\result == SNPY_ZIP_BAD_LOCATOR ? end - LOCATOR_SIZE
            : end - WIDE_REACH + 4);
    ensures range: \result != SNPY_OK ==> *fault <= length;
 */
static snpy_status check_locator(const uint8_t *b, size_t length, size_t end, uint64_t base, bool shifted,
                                 uint64_t *prefix, size_t *fault)
{
    *prefix = 0;
    if (!leads(b, length, end, base, shifted)) return snpy_zip_fault(SNPY_ZIP_BAD_LOCATOR, end - LOCATOR_SIZE, fault);
    size_t wide = end - WIDE_REACH;
    *prefix = base + wide - snpy_le64(b, end - 12);
    if (snpy_le64(b, wide + 4) != WIDE_END_SIZE - 12) return snpy_zip_fault(SNPY_ZIP_BAD_WIDE_END, wide + 4, fault);
    return SNPY_OK;
}

/* Whether a narrow number is all ones or the same as the ZIP64 one.                                 NPZ-WIDE-004 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_WIDE_004: \result <==> (narrow == ones || narrow == wide);
 */
static inline bool agrees(uint64_t narrow, uint64_t ones, uint64_t wide)
{
    return narrow == ones || narrow == wide;
}

/* Whether the end record at `at` agrees with the ZIP64 one before its locator.                      NPZ-WIDE-004 */
/*@ requires WIDE_REACH <= at && at + END_SIZE <= length && \valid_read(b + (0 .. length-1)) && \valid(fault);
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
    (void)length; /* the contract's */
    if (!agrees(snpy_le16(b, at + 10), 0xffff, snpy_le64(b, at - 44))) return snpy_zip_fault(status, at + 10, fault);
    if (!agrees(snpy_le32(b, at + 12), SNPY_ZIP_WIDE, snpy_le64(b, at - 36)))
        return snpy_zip_fault(status, at + 12, fault);
    if (!agrees(snpy_le32(b, at + 16), SNPY_ZIP_WIDE, snpy_le64(b, at - 28)))
        return snpy_zip_fault(status, at + 16, fault);
    return SNPY_OK;
}

/* Whether a number of a disk is 0, or all ones where that is allowed.                               NPZ-END-006 */
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

/* The disks of the ZIP64 end record at `at` and of the locator after it.                            NPZ-END-006 */
/*@ requires at + WIDE_REACH <= length && \valid_read(b + (0 .. length-1)) && \valid(fault);
    requires \separated(fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures NPZ_END_006: \result == (one_wide_disk(b, at) ? SNPY_OK : SNPY_ZIP_MULTI_DISK);
    ensures fault: \result != SNPY_OK ==> *fault == wide_disk_fault(b, at) <= length;
 */
static snpy_status check_wide_disks(const uint8_t *b, size_t length, size_t at, size_t *fault)
{
    snpy_status status = SNPY_ZIP_MULTI_DISK;
    (void)length; /* the contract's */
    if (snpy_le32(b, at + 16) != 0) return snpy_zip_fault(status, at + 16, fault);
    if (snpy_le32(b, at + 20) != 0) return snpy_zip_fault(status, at + 20, fault);
    if (snpy_le64(b, at + 24) != snpy_le64(b, at + 32)) return snpy_zip_fault(status, at + 24, fault);
    if (snpy_le32(b, at + 60) != 0) return snpy_zip_fault(status, at + 60, fault);
    return SNPY_OK;
}

/* The disks of the end record at `at`; `count` is the number of members that counts.                NPZ-END-006 */
/*@ requires at + END_SIZE <= length && \valid_read(b + (0 .. length-1)) && \valid(fault);
    requires \separated(fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures NPZ_END_006: \result == (one_disk(b, at, is_wide, count) ? SNPY_OK : SNPY_ZIP_MULTI_DISK);
    ensures fault: \result != SNPY_OK ==> *fault == disk_fault(b, at, is_wide) <= length;
 */
static snpy_status check_disks(const uint8_t *b, size_t length, size_t at, bool is_wide, uint64_t count, size_t *fault)
{
    snpy_status status = SNPY_ZIP_MULTI_DISK;
    uint32_t members = snpy_le16(b, at + 8); /* on this disk */
    (void)length;                            /* the contract's */
    if (!is_first_disk(b, at + 4, is_wide)) return snpy_zip_fault(status, at + 4, fault);
    if (!is_first_disk(b, at + 6, is_wide)) return snpy_zip_fault(status, at + 6, fault);
    if (members != count && !(is_wide && members == 0xffffu)) return snpy_zip_fault(status, at + 8, fault);
    return SNPY_OK;
}

/* The disks of both end records, that at `at` and the ZIP64 one.                                    NPZ-END-006 */
/*@ requires WIDE_REACH <= at && at + END_SIZE <= length && \valid_read(b + (0 .. length-1)) && \valid(fault);
    requires \separated(fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures NPZ_END_006: \result == (one_disk_in_all(b, at) ? SNPY_OK : SNPY_ZIP_MULTI_DISK);
    ensures fault: \result != SNPY_OK ==> *fault == disk_in_all_fault(b, at) <= length;
 */
static snpy_status check_all_disks(const uint8_t *b, size_t length, size_t at, size_t *fault)
{
    snpy_status status = check_wide_disks(b, length, at - WIDE_REACH, fault);
    if (status != SNPY_OK) return status;
    return check_disks(b, length, at, true, snpy_le64(b, at - 44), fault);
}

/* Computes where the directory is: right before `behind`, bytes from the start of the file. Its own offset may be
 * too small by `prefix`, or by any number if `any`.                                        NPZ-END-007, NPZ-LIMIT-001 */
/*@ requires \valid(directory) && behind <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->prefix;
    ensures NPZ_LIMIT_001: \result == directory_status(size, offset, count, behind, any, prefix, max_members);
    ensures NPZ_END_007: \result == SNPY_OK ==> directory->offset + directory->size == behind
            && directory->size == size && directory->count == count <= max_members
            && directory->offset - directory->prefix == offset && directory->prefix <= directory->offset;
    ensures prefix: \result == SNPY_OK && !any ==> directory->prefix == prefix;
 */
static snpy_status settle(uint64_t size, uint64_t offset, uint64_t count, uint64_t behind, bool any, uint64_t prefix,
                          uint64_t max_members, snpy_zip_directory *directory)
{
    if (size > behind || offset > behind - size) return SNPY_ZIP_BAD_DIRECTORY;
    uint64_t shift = behind - size - offset;
    if (!any && shift != prefix) return SNPY_ZIP_BAD_DIRECTORY;
    directory->offset = behind - size;
    directory->size = size;
    directory->count = count;
    directory->prefix = shift;
    return count > max_members ? SNPY_ZIP_TOO_MANY_MEMBERS : SNPY_OK;
}

/* The end record at `at` with no ZIP64 one before it. */
/*@ requires at + END_SIZE <= length && \valid_read(b + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires \valid(directory) && \valid(fault) && \separated(directory, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix, *fault;
    ensures NPZ_END_006: \result == narrow_status(b, base, at, any, max_members);
    ensures status: \result != SNPY_BAD_ARGUMENT;
    ensures NPZ_END_007: \result == SNPY_OK ==> directory->offset + directory->size == base + at
            && directory->size == le32(b, at + 12) && directory->offset - directory->prefix == le32(b, at + 16)
            && directory->prefix <= directory->offset && (!any ==> directory->prefix == 0);
    ensures count: \result == SNPY_OK ==> directory->count == le16(b, at + 10) <= max_members
            && directory->count_at == base + at + 10;
    ensures fault: \result != SNPY_OK ==> *fault == narrow_fault(b, base, at, any, max_members) <= length;
 */
static snpy_status read_narrow(const uint8_t *b, size_t length, uint64_t base, size_t at, bool any,
                               uint64_t max_members, snpy_zip_directory *directory, size_t *fault)
{
    uint32_t count = snpy_le16(b, at + 10);
    snpy_status status = check_disks(b, length, at, false, count, fault);
    if (status != SNPY_OK) return status;
    status = settle(snpy_le32(b, at + 12), snpy_le32(b, at + 16), count, base + at, any, 0, max_members, directory);
    directory->count_at = base + at + 10;
    return snpy_zip_fault(status, status == SNPY_ZIP_BAD_DIRECTORY ? at + 16 : at + 10, fault);
}

/* The end record at `at` and the ZIP64 one to which the locator between them leads; the locator's offset is too small by
 * `prefix`.                                                                              NPZ-WIDE-001, NPZ-WIDE-004 */
/*@ requires WIDE_REACH <= at && at + END_SIZE <= length && \valid_read(b + (0 .. length-1));
    requires base + length <= SNPY_MAX_SIZE && prefix == wide_prefix(b, base, at);
    requires \valid(directory) && \valid(fault) && \separated(directory, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix, *fault;
    ensures NPZ_WIDE_004: \result == both_status(b, base, at, max_members);
    ensures status: \result != SNPY_BAD_ARGUMENT;
    ensures NPZ_END_007: \result == SNPY_OK ==> directory->offset + directory->size == base + at - WIDE_REACH
            && directory->size == le64(b, at - 36) && directory->offset - directory->prefix == le64(b, at - 28)
            && directory->prefix == prefix <= directory->offset;
    ensures count: \result == SNPY_OK ==> directory->count == le64(b, at - 44) <= max_members
            && directory->count_at == base + at - 44;
    ensures fault: \result != SNPY_OK ==> *fault == both_fault(b, base, at, max_members) <= length;
 */
static snpy_status read_both(const uint8_t *b, size_t length, uint64_t base, size_t at, uint64_t prefix,
                             uint64_t max_members, snpy_zip_directory *directory, size_t *fault)
{
    snpy_status status = check_agreement(b, length, at, fault);
    if (status != SNPY_OK) return status;
    status = check_all_disks(b, length, at, fault);
    if (status != SNPY_OK) return status;
    status = settle(snpy_le64(b, at - 36), snpy_le64(b, at - 28), snpy_le64(b, at - 44), base + (at - WIDE_REACH),
                    false, prefix, max_members, directory);
    directory->count_at = base + (at - 44);
    return snpy_zip_fault(status, status == SNPY_ZIP_BAD_DIRECTORY ? at - 28 : at - 44, fault);
}

/* The end record at `at` with a locator before it.                                                  NPZ-WIDE-001 */
/*@ requires LOCATOR_SIZE <= at && at + END_SIZE <= length && \valid_read(b + (0 .. length-1));
    requires base + length <= SNPY_MAX_SIZE;
    requires \valid(directory) && \valid(fault) && \separated(directory, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix, *fault;
    ensures NPZ_WIDE_002: \result == wide_end_status(b, base, at, any, max_members);
    ensures status: \result != SNPY_BAD_ARGUMENT;
    ensures NPZ_END_007: \result == SNPY_OK ==> WIDE_REACH <= at
            && directory->offset + directory->size == base + at - WIDE_REACH
            && directory->size == le64(b, at - 36) && directory->offset - directory->prefix == le64(b, at - 28)
            && directory->prefix <= directory->offset && (!any ==> directory->prefix == 0);
    ensures count: \result == SNPY_OK ==> directory->count == le64(b, at - 44) <= max_members
            && directory->count_at == base + at - 44;
    ensures fault: \result != SNPY_OK ==> *fault == wide_end_fault(b, base, at, any, max_members) <= length;
 */
static snpy_status read_wide(const uint8_t *b, size_t length, uint64_t base, size_t at, bool any, uint64_t max_members,
                             snpy_zip_directory *directory, size_t *fault)
{
    uint64_t prefix = 0;
    snpy_status status = check_locator(b, length, at, base, any, &prefix, fault);
    if (status != SNPY_OK) return status;
    return read_both(b, length, base, at, prefix, max_members, directory, fault);
}

/* The end record at `at`, and the ZIP64 one if it counts. */
/*@ requires at + END_SIZE <= length && \valid_read(b + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires \valid(directory) && \valid(fault) && \separated(directory, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix, *fault;
    ensures NPZ_WIDE_001: \result == record_status(b, base, at, any, max_members);
    ensures status: \result != SNPY_BAD_ARGUMENT;
    ensures NPZ_END_007: \result == SNPY_OK ==> directory->offset + directory->size == found_end(b, base, at)
            && directory->size == found_size(b, at) && directory->offset - directory->prefix == found_offset(b, at)
            && directory->offset + directory->size + SNPY_ZIP_END_SIZE <= base + length
            && directory->prefix <= directory->offset && (!any ==> directory->prefix == 0);
    ensures NPZ_LIMIT_001: \result == SNPY_OK ==> directory->count == found_count(b, at) <= max_members;
    ensures fault: \result != SNPY_OK ==> *fault == record_fault(b, base, at, any, max_members) <= length;
 */
static snpy_status read_record(const uint8_t *b, size_t length, uint64_t base, size_t at, bool any,
                               uint64_t max_members, snpy_zip_directory *directory, size_t *fault)
{
    if (at >= LOCATOR_SIZE && snpy_zip_is(b, at - LOCATOR_SIZE, 6, 7))
        return read_wide(b, length, base, at, any, max_members, directory, fault);
    return read_narrow(b, length, base, at, any, max_members, directory, fault);
}

/* The last bytes of a file. */
/*@ requires \valid_read(b + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires \valid(directory) && \valid(fault) && \separated(directory, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix, *fault;
    ensures NPZ_ERR_001: \result == find_status(b, length, base, trailing, any, max_members);
    ensures status: \result != SNPY_BAD_ARGUMENT;
    ensures NPZ_END_007: \result == SNPY_OK ==>
            directory->offset + directory->size == found_end(b, base, end_place(b, length))
            && directory->size == found_size(b, end_place(b, length))
            && directory->offset - directory->prefix == found_offset(b, end_place(b, length))
            && directory->offset + directory->size + SNPY_ZIP_END_SIZE <= base + length
            && directory->prefix <= directory->offset && (!any ==> directory->prefix == 0);
    ensures NPZ_LIMIT_001: \result == SNPY_OK ==>
            directory->count == found_count(b, end_place(b, length)) <= max_members;
    ensures fault: \result != SNPY_OK ==>
            *fault == find_fault(b, length, base, trailing, any, max_members) <= length;
 */
static snpy_status read_tail(const uint8_t *b, size_t length, uint64_t base, bool trailing, bool any,
                             uint64_t max_members, snpy_zip_directory *directory, size_t *fault)
{
    size_t at = 0;
    snpy_status status = find_end(b, length, trailing, &at, fault);
    if (status != SNPY_OK) return status;
    return read_record(b, length, base, at, any, max_members, directory, fault);
}

/* The same, with the byte of the file, which has `size` bytes, at which a rule is broken. */
/*@ requires \valid_read(b + (0 .. length-1)) && length <= size <= SNPY_MAX_SIZE;
    requires \valid(directory) && \valid(error) && \separated(directory, error, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix,
            error->status, error->offset;
    ensures result: \result == error->status && \result != SNPY_BAD_ARGUMENT;
    ensures NPZ_ERR_001: \result == find_status(b, length, size - length, trailing, any, max_members);
    ensures NPZ_END_007: \result == SNPY_OK ==>
            directory->offset + directory->size == found_end(b, size - length, end_place(b, length))
            && directory->size == found_size(b, end_place(b, length))
            && directory->offset - directory->prefix == found_offset(b, end_place(b, length))
            && directory->offset + directory->size + SNPY_ZIP_END_SIZE <= size
            && directory->prefix <= directory->offset && (!any ==> directory->prefix == 0);
    ensures NPZ_LIMIT_001: \result == SNPY_OK ==>
            directory->count == found_count(b, end_place(b, length)) <= max_members;
    ensures fault: \result != SNPY_OK ==>
            error->offset == size - length + find_fault(b, length, size - length, trailing, any, max_members) <= size;
 */
static snpy_status find_directory(const uint8_t *b, size_t length, uint64_t size, bool trailing, bool any,
                                  uint64_t max_members, snpy_zip_directory *directory, snpy_error *error)
{
    size_t fault = 0;
    uint64_t base = size - length;
    snpy_status status = read_tail(b, length, base, trailing, any, max_members, directory, &fault);
    uint64_t at = status == SNPY_OK ? 0 : base + fault;
    /*@ assert at: status != SNPY_OK ==>
                   at == size - length + find_fault(b, length, size - length, trailing, any, max_members); */
    return snpy_fail(error, status, at);
}

/* Whether a search can begin: options as this library knows them, and enough bytes of a file that can be one. */
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
    bool any = options->prefix;
    bool trailing = options->trailing;
    uint64_t max_members = options->max_members;
    if (!is_asked(options, length, file_size)) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    directory->file_size = file_size;
    return find_directory(tail, length, file_size, trailing, any, max_members, directory, error);
}
