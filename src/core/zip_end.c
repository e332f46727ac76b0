/* zip_end.c: the records at the end of an archive.     NPZ-END-002 … 007, NPZ-WIDE-001 … 004, NPZ-LIMIT-001
 * Proves that the end record is the last one there, that no other reaches over it, and that the directory lies in
 * front of it. Leaves what is in the directory to zip_central.c. */
#include "core/zip_walk.h"

#define END_SIZE SNPY_ZIP_END_SIZE
#define WIDE_END_SIZE 56u
#define LOCATOR_SIZE 20u
#define END_REACH 65557u /* the end record with the longest comment */

/* What an end record says, wide or not, and where it says so. */
struct record {
    size_t at;        /* of the record */
    uint64_t members; /* on this disk */
    uint64_t count;   /* in all */
    uint64_t size;    /* of the directory */
    uint64_t offset;  /* of the directory */
    size_t count_at;  /* places of these numbers */
    size_t size_at;
    size_t offset_at;
};

/* The last place of an end record from `first` on, or `length`.                                      NPZ-END-002 */
/*@ requires \valid_read(b + (0 .. length-1)) && first <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result == length || (first <= \result && \result + END_SIZE <= length);
    ensures found: \result < length ==> zip_signature(b, \result, 5, 6);
    ensures NPZ_END_002: \result < length ==> no_end_behind(b, \result, length - END_SIZE);
    ensures none: \result == length ==> no_end_behind(b, first - 1, length - END_SIZE);
 */
static size_t last_end(const uint8_t *b, size_t length, size_t first)
{
    if (length - first < END_SIZE) return length;
    size_t at = length - END_SIZE + 1;
    /*@ loop invariant range: first <= at && at + END_SIZE <= length + 1;
        loop invariant none: no_end_behind(b, at - 1, length - END_SIZE);
        loop assigns at;
        loop variant at; */
    while (at > first) {
        at--;
        if (snpy_zip_is(b, at, 5, 6)) return at;
    }
    return length;
}

/* The first place from which another end record would reach over the one at `at`, or `at`.          NPZ-END-005 */
/*@ requires \valid_read(b + (0 .. length-1)) && first <= at && at + END_SIZE <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: first <= \result <= at;
    ensures found: \result < at ==> end_reaches(b, \result, at);
    ensures NPZ_END_005: \forall integer i; first <= i < \result ==> !end_reaches(b, i, at);
 */
static size_t other_end(const uint8_t *b, size_t length, size_t first, size_t at)
{
    (void)length; /* the contract's */
    size_t i = first;
    /*@ loop invariant range: first <= i <= at;
        loop invariant none: \forall integer j; first <= j < i ==> !end_reaches(b, j, at);
        loop assigns i;
        loop variant at - i; */
    for (; i < at; i++) {
        if (snpy_zip_is(b, i, 5, 6) && snpy_le16(b, i + 20) >= at - i) return i;
    }
    return at;
}

/* Finds the one end record that there may be; *at is its place.                             NPZ-END-002 … NPZ-END-005 */
/*@ requires \valid_read(b + (0 .. length-1)) && \valid(at) && \valid(fault) && \separated(at, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *at, *fault;
    ensures range: \result == SNPY_OK ==> *at + END_SIZE <= length;
    ensures NPZ_END_002: \result == SNPY_OK ==> zip_signature(b, *at, 5, 6) && no_end_behind(b, *at, length - END_SIZE);
    ensures NPZ_END_003: \result == SNPY_OK ==> *at + END_SIZE + le16(b, *at + 20) <= length;
    ensures NPZ_END_004: \result == SNPY_OK && !trailing ==> *at + END_SIZE + le16(b, *at + 20) == length;
    ensures NPZ_END_005: \result == SNPY_OK ==>
            \forall integer i; 0 <= i < *at && length <= i + END_REACH ==> !end_reaches(b, i, *at);
    ensures status: \result == SNPY_OK || \result == SNPY_ZIP_NO_END || \result == SNPY_ZIP_TRUNCATED_COMMENT
            || \result == SNPY_ZIP_TRAILING_DATA || \result == SNPY_ZIP_AMBIGUOUS_END;
    ensures none: \result == SNPY_ZIP_NO_END ==> *fault == length
            && no_end_behind(b, length > END_REACH ? length - END_REACH - 1 : -1, length - END_SIZE);
    ensures cut_off: \result == SNPY_ZIP_TRUNCATED_COMMENT ==> *fault == *at + 20 && *at + END_SIZE <= length
            && zip_signature(b, *at, 5, 6) && *at + END_SIZE + le16(b, *at + 20) > length;
    ensures trailing: \result == SNPY_ZIP_TRAILING_DATA ==> !trailing && zip_signature(b, *at, 5, 6)
            && *fault == *at + END_SIZE + le16(b, *at + 20) < length;
    ensures ambiguous: \result == SNPY_ZIP_AMBIGUOUS_END ==> *fault < *at && end_reaches(b, *fault, *at)
            && *at + END_SIZE + le16(b, *at + 20) <= length
            && (trailing || *at + END_SIZE + le16(b, *at + 20) == length);
    ensures fault: \result != SNPY_OK ==> *fault <= length;
 */
static snpy_status find_end(const uint8_t *b, size_t length, bool trailing, size_t *at, size_t *fault)
{
    size_t first = length > END_REACH ? length - END_REACH : 0;
    size_t end = last_end(b, length, first);
    *at = end;
    if (end == length) return snpy_zip_fault(SNPY_ZIP_NO_END, length, fault);
    size_t comment = snpy_le16(b, end + 20);
    size_t behind = length - end - END_SIZE;
    if (comment > behind) return snpy_zip_fault(SNPY_ZIP_TRUNCATED_COMMENT, end + 20, fault);
    if (comment < behind && !trailing) return snpy_zip_fault(SNPY_ZIP_TRAILING_DATA, end + END_SIZE + comment, fault);
    size_t other = other_end(b, length, first, end);
    if (other < end) return snpy_zip_fault(SNPY_ZIP_AMBIGUOUS_END, other, fault);
    return SNPY_OK;
}

/*@ requires \valid_read(b + (at .. at + END_SIZE - 1)) && at + END_SIZE <= SIZE_MAX && \valid(record);
    requires \separated(record, b + (at .. at + END_SIZE - 1));
    terminates \true;
    exits \false;
    assigns *record;
    ensures place: record->at == at && record->count_at == at + 10 && record->size_at == at + 12
                   && record->offset_at == at + 16;
    ensures numbers: record->members == le16(b, at + 8) && record->count == le16(b, at + 10)
                     && record->size == le32(b, at + 12) && record->offset == le32(b, at + 16);
 */
static void read_end(const uint8_t *b, size_t at, struct record *record)
{
    record->at = at;
    record->members = snpy_le16(b, at + 8);
    record->count = snpy_le16(b, at + 10);
    record->size = snpy_le32(b, at + 12);
    record->offset = snpy_le32(b, at + 16);
    record->count_at = at + 10;
    record->size_at = at + 12;
    record->offset_at = at + 16;
}

/*@ requires \valid_read(b + (at .. at + WIDE_END_SIZE - 1)) && at + WIDE_END_SIZE <= SIZE_MAX && \valid(record);
    requires \separated(record, b + (at .. at + WIDE_END_SIZE - 1));
    terminates \true;
    exits \false;
    assigns *record;
    ensures place: record->at == at && record->count_at == at + 32 && record->size_at == at + 40
                   && record->offset_at == at + 48;
    ensures numbers: record->members == le64(b, at + 24) && record->count == le64(b, at + 32)
                     && record->size == le64(b, at + 40) && record->offset == le64(b, at + 48);
 */
static void read_wide_end(const uint8_t *b, size_t at, struct record *record)
{
    record->at = at;
    record->members = snpy_le64(b, at + 24);
    record->count = snpy_le64(b, at + 32);
    record->size = snpy_le64(b, at + 40);
    record->offset = snpy_le64(b, at + 48);
    record->count_at = at + 32;
    record->size_at = at + 40;
    record->offset_at = at + 48;
}

/* clang-format off */
/* NPZ-WIDE-002: the locator in front of the end record at `end` leads to the wide one in front of itself. */
#define LOCATOR_OK(b, end, base, shifted) \
    (end >= LOCATOR_SIZE + WIDE_END_SIZE && zip_signature(b, end - LOCATOR_SIZE - WIDE_END_SIZE, 6, 6) \
     && le32(b, end - 4) <= 1 && le64(b, end - 12) <= base + end - LOCATOR_SIZE - WIDE_END_SIZE \
     && (shifted || le64(b, end - 12) == base + end - LOCATOR_SIZE - WIDE_END_SIZE))
/* clang-format on */

/* The locator in front of the end record, and the wide end record in front of it; `base` is the place of b[0] in the
 * file. *prefix is by how much the locator's offset is too small.                     NPZ-WIDE-002, NPZ-WIDE-003 */
/*@ requires LOCATOR_SIZE <= end <= length && \valid_read(b + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires \valid(prefix) && \valid(fault) && \separated(prefix, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *prefix, *fault;
    ensures place: \result == SNPY_OK ==> end >= LOCATOR_SIZE + WIDE_END_SIZE && *prefix <= base + end
                   && le64(b, end - 12) + *prefix == base + end - LOCATOR_SIZE - WIDE_END_SIZE
                   && (!shifted ==> *prefix == 0);
    ensures status: \result == SNPY_OK || \result == SNPY_ZIP_BAD_LOCATOR || \result == SNPY_ZIP_BAD_WIDE_END;
    ensures NPZ_WIDE_002: \result == SNPY_ZIP_BAD_LOCATOR <==> !LOCATOR_OK(b, end, base, shifted);
    ensures NPZ_WIDE_003: \result == SNPY_ZIP_BAD_WIDE_END <==> LOCATOR_OK(b, end, base, shifted)
            && le64(b, end - LOCATOR_SIZE - WIDE_END_SIZE + 4) != 44;
    ensures fault: \result != SNPY_OK ==> *fault == (\result == SNPY_ZIP_BAD_LOCATOR ? end - LOCATOR_SIZE
            : end - LOCATOR_SIZE - WIDE_END_SIZE + 4);
    ensures range: \result != SNPY_OK ==> *fault <= length;
 */
static snpy_status check_locator(const uint8_t *b, size_t length, size_t end, uint64_t base, bool shifted,
                                 uint64_t *prefix, size_t *fault)
{
    size_t locator = end - LOCATOR_SIZE;
    (void)length; /* the contract's */
    *prefix = 0;
    if (locator < WIDE_END_SIZE) return snpy_zip_fault(SNPY_ZIP_BAD_LOCATOR, locator, fault);
    size_t wide = locator - WIDE_END_SIZE;
    uint64_t offset = snpy_le64(b, locator + 8);
    if (!snpy_zip_is(b, wide, 6, 6) || snpy_le32(b, locator + 16) > 1 || offset > base + wide ||
        (offset < base + wide && !shifted))
        return snpy_zip_fault(SNPY_ZIP_BAD_LOCATOR, locator, fault);
    *prefix = base + wide - offset;
    if (snpy_le64(b, wide + 4) != WIDE_END_SIZE - 12) return snpy_zip_fault(SNPY_ZIP_BAD_WIDE_END, wide + 4, fault);
    return SNPY_OK;
}

/* Whether a narrow number is all ones or the same as the wide one.                                  NPZ-WIDE-004 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_WIDE_004: \result <==> (narrow == ones || narrow == wide);
 */
static inline bool agrees(uint64_t narrow, uint64_t ones, uint64_t wide)
{
    return narrow == ones || narrow == wide;
}

/* Whether the end record agrees with the wide one.                                                  NPZ-WIDE-004 */
/*@ requires \valid_read(end) && \valid_read(wide) && \valid(fault) && \separated(fault, end, wide);
    terminates \true;
    exits \false;
    assigns *fault;
    ensures status: \result == SNPY_OK || \result == SNPY_ZIP_WIDE_END_DIFFERS;
    ensures NPZ_WIDE_004: \result == SNPY_OK <==>
            (end->count == 0xffff || end->count == wide->count) && (end->size == SNPY_ZIP_WIDE || end->size == wide->size)
            && (end->offset == SNPY_ZIP_WIDE || end->offset == wide->offset);
    ensures fault: \result != SNPY_OK ==> *fault == \old(
            end->count != 0xffff && end->count != wide->count ? end->count_at :
            end->size != SNPY_ZIP_WIDE && end->size != wide->size ? end->size_at : end->offset_at);
 */
static snpy_status check_agreement(const struct record *end, const struct record *wide, size_t *fault)
{
    snpy_status status = SNPY_ZIP_WIDE_END_DIFFERS;
    if (!agrees(end->count, 0xffff, wide->count)) return snpy_zip_fault(status, end->count_at, fault);
    if (!agrees(end->size, SNPY_ZIP_WIDE, wide->size)) return snpy_zip_fault(status, end->size_at, fault);
    if (!agrees(end->offset, SNPY_ZIP_WIDE, wide->offset)) return snpy_zip_fault(status, end->offset_at, fault);
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

/* The disks of the wide end record and its locator.                                                 NPZ-END-006 */
/*@ requires \valid_read(wide) && wide->at + 76 <= length && \valid_read(b + (0 .. length-1)) && \valid(fault);
    requires \separated(fault, wide, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures status: \result == SNPY_OK || \result == SNPY_ZIP_MULTI_DISK;
    ensures NPZ_END_006: \result == SNPY_OK <==> le32(b, \old(wide->at) + 16) == 0 && le32(b, \old(wide->at) + 20) == 0
            && \old(wide->members == wide->count) && le32(b, \old(wide->at) + 60) == 0;
    ensures fault: \result != SNPY_OK ==> *fault == \old(wide->at) + (le32(b, \old(wide->at) + 16) != 0 ? 16 :
            le32(b, \old(wide->at) + 20) != 0 ? 20 : \old(wide->members != wide->count) ? 24 : 60);
    ensures range: \result != SNPY_OK ==> *fault <= length;
 */
static snpy_status check_wide_disks(const uint8_t *b, size_t length, const struct record *wide, size_t *fault)
{
    snpy_status status = SNPY_ZIP_MULTI_DISK;
    size_t at = wide->at;
    (void)length; /* the contract's */
    if (snpy_le32(b, at + 16) != 0) return snpy_zip_fault(status, at + 16, fault);
    if (snpy_le32(b, at + 20) != 0) return snpy_zip_fault(status, at + 20, fault);
    if (wide->members != wide->count) return snpy_zip_fault(status, at + 24, fault);
    if (snpy_le32(b, at + 60) != 0) return snpy_zip_fault(status, at + 60, fault);
    return SNPY_OK;
}

/* The disks of the end record; `count` is the number of members that counts.                        NPZ-END-006 */
/*@ requires \valid_read(end) && end->at + END_SIZE <= length && \valid_read(b + (0 .. length-1)) && \valid(fault);
    requires \separated(fault, end, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures status: \result == SNPY_OK || \result == SNPY_ZIP_MULTI_DISK;
    ensures NPZ_END_006: \result == SNPY_OK <==> first_disk(b, \old(end->at) + 4, is_wide)
            && first_disk(b, \old(end->at) + 6, is_wide)
            && \old(end->members == count || (is_wide && end->members == 0xffff));
    ensures fault: \result != SNPY_OK ==> *fault == \old(end->at) + (!first_disk(b, \old(end->at) + 4, is_wide) ? 4 :
            !first_disk(b, \old(end->at) + 6, is_wide) ? 6 : 8);
    ensures range: \result != SNPY_OK ==> *fault <= length;
 */
static snpy_status check_disks(const uint8_t *b, size_t length, const struct record *end, bool is_wide, uint64_t count,
                               size_t *fault)
{
    snpy_status status = SNPY_ZIP_MULTI_DISK;
    size_t at = end->at;
    (void)length; /* the contract's */
    if (!is_first_disk(b, at + 4, is_wide)) return snpy_zip_fault(status, at + 4, fault);
    if (!is_first_disk(b, at + 6, is_wide)) return snpy_zip_fault(status, at + 6, fault);
    if (end->members != count && !(is_wide && end->members == 0xffffu)) return snpy_zip_fault(status, at + 8, fault);
    return SNPY_OK;
}

/* Settles where the directory is: right in front of `behind`, bytes from the start of the file. Its own offset may be
 * too small by *prefix, or by any number if `shifted` and no locator has said by which.              NPZ-END-007 */
/*@ requires \valid_read(record) && \valid(directory) && behind <= SNPY_MAX_SIZE;
    requires \separated(directory, record);
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->prefix;
    ensures NPZ_END_007: \result <==> \old(record->size <= behind && record->offset <= behind - record->size
            && (any || record->offset + prefix == behind - record->size));
    ensures place: \result ==> directory->offset + directory->size == behind
            && directory->prefix <= directory->offset && directory->size == \old(record->size)
            && directory->count == \old(record->count)
            && directory->offset - directory->prefix == \old(record->offset);
 */
static bool place_directory(const struct record *record, uint64_t behind, bool any, uint64_t prefix,
                            snpy_zip_directory *directory)
{
    uint64_t size = record->size;
    uint64_t offset = record->offset;
    uint64_t count = record->count;
    if (size > behind || offset > behind - size) return false;
    uint64_t shift = behind - size - offset;
    if (!any && shift != prefix) return false;
    directory->offset = behind - size;
    directory->size = size;
    directory->count = count;
    directory->prefix = shift;
    return true;
}

/* What the end record and the wide one say of the directory, when they agree with each other. */
/*@ requires \valid_read(record) && \valid(directory) && \valid(fault) && base + record->at <= SNPY_MAX_SIZE;
    requires record->count_at <= SNPY_MAX_SIZE - base;
    requires \separated(directory, record, fault);
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix, *fault;
    ensures status: \result == SNPY_OK || \result == SNPY_ZIP_BAD_DIRECTORY || \result == SNPY_ZIP_TOO_MANY_MEMBERS;
    ensures NPZ_END_007: \result == SNPY_OK ==> directory->offset + directory->size == base + \old(record->at)
            && directory->prefix <= directory->offset && (any || directory->prefix == prefix);
    ensures NPZ_LIMIT_001: \result == SNPY_OK ==> directory->count == \old(record->count) <= max_members;
    ensures bad: \result == SNPY_ZIP_BAD_DIRECTORY <==> !\old(record->size <= base + record->at
            && record->offset <= base + record->at - record->size
            && (any || record->offset + prefix == base + record->at - record->size));
    ensures too_many: \result == SNPY_ZIP_TOO_MANY_MEMBERS ==> \old(record->count) > max_members;
    ensures fault: \result != SNPY_OK ==>
            *fault == (\result == SNPY_ZIP_BAD_DIRECTORY ? \old(record->offset_at) : \old(record->count_at));
 */
static snpy_status settle(const struct record *record, uint64_t base, bool any, uint64_t prefix, uint64_t max_members,
                          snpy_zip_directory *directory, size_t *fault)
{
    size_t offset_at = record->offset_at;
    size_t count_at = record->count_at;
    uint64_t count = record->count;
    if (!place_directory(record, base + record->at, any, prefix, directory))
        return snpy_zip_fault(SNPY_ZIP_BAD_DIRECTORY, offset_at, fault);
    directory->count_at = base + count_at;
    if (count > max_members) return snpy_zip_fault(SNPY_ZIP_TOO_MANY_MEMBERS, count_at, fault);
    return SNPY_OK;
}

/* The end record at `at` with no wide one in front of it. */
/*@ requires at + END_SIZE <= length && \valid_read(b + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires \valid_read(options) && \valid(directory) && \valid(fault);
    requires \separated(directory, fault, options, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix, *fault;
    ensures NPZ_END_007: \result == SNPY_OK ==> directory->offset + directory->size == base + at
            && directory->prefix <= directory->offset && (\old(!options->prefix) ==> directory->prefix == 0);
    ensures count: \result == SNPY_OK ==> directory->count == le16(b, at + 10) <= \old(options->max_members);
    ensures fault: \result != SNPY_OK ==> *fault <= length;
 */
static snpy_status read_narrow(const uint8_t *b, size_t length, uint64_t base, size_t at,
                               const snpy_zip_options *options, snpy_zip_directory *directory, size_t *fault)
{
    struct record end;
    read_end(b, at, &end);
    snpy_status status = check_disks(b, length, &end, false, end.count, fault);
    if (status != SNPY_OK) return status;
    return settle(&end, base, options->prefix, 0, options->max_members, directory, fault);
}

/* The end record at `at` with a locator in front of it.                                             NPZ-WIDE-001 */
/*@ requires LOCATOR_SIZE <= at && at + END_SIZE <= length && \valid_read(b + (0 .. length-1));
    requires base + length <= SNPY_MAX_SIZE && \valid_read(options) && \valid(directory) && \valid(fault);
    requires \separated(directory, fault, options, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns directory->offset, directory->size, directory->count, directory->count_at, directory->prefix, *fault;
    ensures NPZ_END_007: \result == SNPY_OK ==> at >= LOCATOR_SIZE + WIDE_END_SIZE
            && directory->offset + directory->size == base + at - LOCATOR_SIZE - WIDE_END_SIZE
            && directory->prefix <= directory->offset && (\old(!options->prefix) ==> directory->prefix == 0);
    ensures count: \result == SNPY_OK ==> directory->count == le64(b, at - 44) <= \old(options->max_members);
    ensures fault: \result != SNPY_OK ==> *fault <= length;
 */
static snpy_status read_wide(const uint8_t *b, size_t length, uint64_t base, size_t at, const snpy_zip_options *options,
                             snpy_zip_directory *directory, size_t *fault)
{
    struct record end;
    struct record wide;
    uint64_t prefix = 0;
    snpy_status status = check_locator(b, length, at, base, options->prefix, &prefix, fault);
    if (status != SNPY_OK) return status;
    read_end(b, at, &end);
    read_wide_end(b, at - LOCATOR_SIZE - WIDE_END_SIZE, &wide);
    status = check_agreement(&end, &wide, fault);
    if (status != SNPY_OK) return status;
    status = check_wide_disks(b, length, &wide, fault);
    if (status != SNPY_OK) return status;
    status = check_disks(b, length, &end, true, wide.count, fault);
    if (status != SNPY_OK) return status;
    return settle(&wide, base, false, prefix, options->max_members, directory, fault);
}

snpy_status snpy_zip_find(const uint8_t *tail, size_t length, uint64_t file_size, const snpy_zip_options *options,
                          snpy_zip_directory *directory, snpy_error *error)
{
    size_t at = 0;
    size_t fault = 0;
    if (options->size != sizeof(snpy_zip_options) || options->max_members > SNPY_ZIP_MAX_MEMBERS)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    if (file_size > SNPY_MAX_SIZE || length > file_size || (length < file_size && length < SNPY_ZIP_TAIL))
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    uint64_t base = file_size - length;
    snpy_status status = find_end(tail, length, options->trailing, &at, &fault);
    if (status != SNPY_OK) return snpy_fail(error, status, base + fault);
    directory->file_size = file_size;
    if (at >= LOCATOR_SIZE && snpy_zip_is(tail, at - LOCATOR_SIZE, 6, 7))
        status = read_wide(tail, length, base, at, options, directory, &fault);
    else
        status = read_narrow(tail, length, base, at, options, directory, &fault);
    return snpy_fail(error, status, status == SNPY_OK ? 0 : base + fault);
}
