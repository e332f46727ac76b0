/* central.c: parses the directory: the central headers, one after another.
 *                                                    NPZ-DIR-001 … 007, NPZ-END-006, 008, NPZ-EXTRA, NPZ-NAME-001 … 009
 * Proves that no header is read beyond the directory, and that the number of members is the number of headers that fill
 * it. local.c reads what the offsets lead to. */
#include "core/zip/member_name.h"

/* Offsets of the numbers in a central header. */
#define AT_VERSION 6 /* of the format that is needed to extract the member */
#define AT_FLAGS 8
#define AT_METHOD 10
#define AT_CRC 16
#define AT_COMPRESSED_SIZE 20
#define AT_SIZE 24
#define AT_NAME_LENGTH 28
#define AT_EXTRA_LENGTH 30
#define AT_COMMENT_LENGTH 32
#define AT_DISK 34
#define AT_OFFSET 42

#define NEWEST_VERSION 45u    /* the version that ZIP64 needs */
#define DISK_IN_ZIP64 0xffffu /* all ones: the number of the disk is in the ZIP64 field */

/* clang-format off */
#define ZIP_MEMBER_CELLS(m) \
    (m).central_offset, (m).local_offset, (m).data_offset, (m).end_offset, (m).compressed_size, (m).size, (m).crc, \
    (m).order_, (m).flags, (m).method, (m).name_length, (m).has_zip64
/* clang-format on */

/* clang-format off */
#define ZIP_SHIFTED(offset, prefix) (offset + prefix <= 0xffffffffffffffff ? offset + prefix : 0xffffffffffffffff)
/* clang-format on */

/* The offsets of the parts of a central header after its name. */
struct central {
    size_t extra; /* of the first extra field */
    size_t comment;
    size_t end; /* of the end of the header */
};

/* Whether the bytes at `at` begin with the signature of a central header, as far as the directory has them. */
/*@ requires at < length && \valid_read(b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_DIR_001: \result <==> central_begins(b, length, at);
 */
static bool begins_central(const uint8_t *b, size_t length, size_t at)
{
    if (b[at] != 0x50) return false;
    if (length - at > 1 && b[at + 1] != 0x4b) return false;
    if (length - at > 2 && b[at + 2] != 1) return false;
    return length - at <= 3 || b[at + 3] == 2;
}

/* Finds the parts of the header that begins at `at`. Fails at *fault if it exceeds the directory or has no signature.
 *                                                                                           NPZ-DIR-001, NPZ-DIR-002 */
/*@ requires at < length && \valid_read(b + (0 .. length-1)) && \valid(header) && \valid(fault);
    requires \separated(header, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *header, *fault;
    ensures NPZ_DIR_001: \result == central_shape_status(b, length, at);
    ensures NPZ_DIR_002: \result == SNPY_OK ==> header->extra == central_extra(b, at)
            && header->comment == central_comment(b, at)
            && header->extra <= header->comment <= header->end == central_end(b, at) <= length;
    ensures fault: \result != SNPY_OK ==> *fault == central_shape_fault(b, length, at) <= length;
 */
static snpy_status find_parts(const uint8_t *b, size_t length, size_t at, struct central *header, size_t *fault)
{
    if (!begins_central(b, length, at)) return snpy_zip_fault(SNPY_ZIP_BAD_CENTRAL, at, fault);
    if (length - at < SNPY_ZIP_CENTRAL_SIZE) return snpy_zip_fault(SNPY_ZIP_TRUNCATED_CENTRAL, length, fault);
    size_t name_length = snpy_le16(b, at + AT_NAME_LENGTH);
    size_t extra_length = snpy_le16(b, at + AT_EXTRA_LENGTH);
    size_t comment_length = snpy_le16(b, at + AT_COMMENT_LENGTH);
    if (length - at - SNPY_ZIP_CENTRAL_SIZE < name_length + extra_length + comment_length)
        return snpy_zip_fault(SNPY_ZIP_TRUNCATED_CENTRAL, length, fault);
    header->extra = at + SNPY_ZIP_CENTRAL_SIZE + name_length;
    header->comment = header->extra + extra_length;
    header->end = header->comment + comment_length;
    return SNPY_OK;
}

/* Whether the flags of a member declare encryption. */
/*@ requires flags <= 0xffff;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_DIR_004: \result == zip_encrypted(flags);
 */
static bool is_encrypted(uint32_t flags)
{
    return flags % 2u == 1u || flags / 64u % 2u == 1u || flags / 8192u % 2u == 1u;
}

/* Whether all other flags of a member are known. */
/*@ requires flags <= 0xffff && !zip_encrypted(flags);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_DIR_005: \result == zip_flags_known(flags);
 */
static bool are_known(uint32_t flags)
{
    return flags / 16u % 128u == 0 && flags / 4096u == 0;
}

/* Checks that version, flags, method and disk of a member are supported. On failure *fault is the byte at fault.
 *                                                                             NPZ-DIR-003 … NPZ-DIR-006, NPZ-END-006 */
/*@ requires at + SNPY_ZIP_CENTRAL_SIZE <= length && \valid_read(b + (0 .. length-1)) && \valid(fault);
    requires \separated(fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures NPZ_ERR_001: \result == central_fixed_status(b, at);
    ensures NPZ_DIR_003: \result == SNPY_OK ==> le16(b, at + 6) <= NEWEST_VERSION;
    ensures NPZ_DIR_004: \result == SNPY_OK ==> !zip_encrypted(le16(b, at + 8));
    ensures NPZ_DIR_005: \result == SNPY_OK ==> zip_flags_known(le16(b, at + 8));
    ensures NPZ_DIR_006: \result == SNPY_OK ==> le16(b, at + 10) == SNPY_ZIP_STORED
            || le16(b, at + 10) == SNPY_ZIP_DEFLATED;
    ensures NPZ_END_006: \result == SNPY_OK ==> le16(b, at + 34) == 0 || le16(b, at + 34) == DISK_IN_ZIP64;
    ensures fault: \result != SNPY_OK ==> *fault == central_fixed_fault(b, at);
    ensures range: \result != SNPY_OK ==> at <= *fault < length;
 */
static snpy_status check_fixed(const uint8_t *b, size_t length, size_t at, size_t *fault)
{
    uint32_t flags = snpy_le16(b, at + AT_FLAGS);
    uint32_t method = snpy_le16(b, at + AT_METHOD);
    uint32_t disk = snpy_le16(b, at + AT_DISK);
    (void)length; /* used in the contract only */
    if (snpy_le16(b, at + AT_VERSION) > NEWEST_VERSION) return snpy_zip_fault(SNPY_ZIP_VERSION, at + AT_VERSION, fault);
    if (is_encrypted(flags)) return snpy_zip_fault(SNPY_ZIP_ENCRYPTED, at + AT_FLAGS, fault);
    if (!are_known(flags)) return snpy_zip_fault(SNPY_ZIP_FLAGS, at + AT_FLAGS, fault);
    if (method != SNPY_ZIP_STORED && method != SNPY_ZIP_DEFLATED)
        return snpy_zip_fault(SNPY_ZIP_METHOD, at + AT_METHOD, fault);
    if (disk != 0 && disk != DISK_IN_ZIP64) return snpy_zip_fault(SNPY_ZIP_MULTI_DISK, at + AT_DISK, fault);
    return SNPY_OK;
}

/* Fills a member from its central header and the numbers that may come from the ZIP64 field. `base` is the offset of
 * b[0] in the file. */
/*@ requires at + SNPY_ZIP_CENTRAL_SIZE <= length && \valid_read(b + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires \valid(member) && \valid_read(number + (0 .. 2));
    requires \separated(member, number + (0 .. 2), b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns ZIP_MEMBER_CELLS(*member);
    ensures numbers: member->central_offset == base + at && member->size == number[0]
            && member->compressed_size == number[1] && member->crc == le32(b, at + 16)
            && member->flags == le16(b, at + 8) && member->method == le16(b, at + 10)
            && member->name_length == le16(b, at + 28);
    ensures offset: member->local_offset == ZIP_SHIFTED(number[2], prefix);
    ensures open: member->data_offset == 0 && member->end_offset == 0;
 */
static void fill_member(const uint8_t *b, size_t length, size_t at, uint64_t base, uint64_t prefix,
                        const uint64_t *number, snpy_zip_member *member)
{
    uint64_t size = number[0];
    uint64_t compressed_size = number[1];
    uint64_t offset = number[2];
    (void)length; /* used in the contract only */
    member->central_offset = base + at;
    member->local_offset = offset <= UINT64_MAX - prefix ? offset + prefix : UINT64_MAX;
    member->data_offset = 0;
    member->end_offset = 0;
    member->compressed_size = compressed_size;
    member->size = size;
    member->crc = snpy_le32(b, at + AT_CRC);
    member->order_ = 0;
    member->flags = (uint16_t)snpy_le16(b, at + AT_FLAGS);
    member->method = (uint16_t)snpy_le16(b, at + AT_METHOD);
    member->name_length = (uint16_t)snpy_le16(b, at + AT_NAME_LENGTH);
    member->has_zip64 = false;
}

/* Reads the sizes and the offset of the member whose central header begins at `at` and whose extra fields end at `to`;
 * `zip64` is the offset of its ZIP64 field. number[0] becomes the size, [1] the compressed size, [2] the offset.
 *                                                             NPZ-END-006, NPZ-EXTRA-003, NPZ-EXTRA-004, NPZ-DIR-007 */
/*@ requires at + SNPY_ZIP_CENTRAL_SIZE <= to && \valid_read(b + (0 .. to-1));
    requires zip64 == central_zip64(b, at) && (zip64 == 0 || EXTRA_FITS(b, zip64, to));
    requires central_extra_status(b, at) == SNPY_OK;
    requires \valid(number + (0 .. 2)) && \valid(fault) && \separated(number + (0 .. 2), fault, b + (0 .. to-1));
    terminates \true;
    exits \false;
    assigns number[0 .. 2], *fault;
    ensures NPZ_DIR_007: \result == central_numbers_status(b, at);
    ensures NPZ_END_006: \result == SNPY_OK && le16(b, at + 34) == DISK_IN_ZIP64 ==> zip64 != 0;
    ensures size: \result == SNPY_OK ==> number[0] == central_size(b, at);
    ensures compressed: \result == SNPY_OK ==> number[1] == central_compressed(b, at);
    ensures offset: \result == SNPY_OK ==> number[2] == central_offset(b, at);
    ensures fault: \result != SNPY_OK ==> *fault == central_numbers_fault(b, at) < to;
 */
static snpy_status resolve_numbers(const uint8_t *b, size_t at, size_t to, size_t zip64, uint64_t *number,
                                   size_t *fault)
{
    number[0] = snpy_le32(b, at + AT_SIZE);
    number[1] = snpy_le32(b, at + AT_COMPRESSED_SIZE);
    number[2] = snpy_le32(b, at + AT_OFFSET);
    const bool zero_allowed = false;
    const bool needs_disk = snpy_le16(b, at + AT_DISK) == DISK_IN_ZIP64;
    if (needs_disk && zip64 == 0) return snpy_zip_fault(SNPY_ZIP_MULTI_DISK, at + AT_DISK, fault);
    snpy_status status = snpy_zip_apply_zip64(b, to, zip64, number, 3, zero_allowed, needs_disk, fault);
    if (status != SNPY_OK) return status;
    if (snpy_le16(b, at + AT_METHOD) == SNPY_ZIP_STORED && number[0] != number[1])
        return snpy_zip_fault(SNPY_ZIP_STORED_SIZE, at + AT_COMPRESSED_SIZE, fault);
    return SNPY_OK;
}

/* Finds the extra fields from `from` to `to - 1`, then reads the numbers. *path is the offset of the Unicode path. On
 * failure *fault is the byte at fault.                                                  NPZ-EXTRA-001, NPZ-EXTRA-002 */
/*@ requires from == central_extra(b, at) && to == central_comment(b, at);
    requires at + SNPY_ZIP_CENTRAL_SIZE <= from <= to && \valid_read(b + (0 .. to-1)) && \valid(path);
    requires \valid(number + (0 .. 2)) && \valid(fault);
    requires \separated(number + (0 .. 2), fault, path, b + (0 .. to-1));
    terminates \true;
    exits \false;
    assigns number[0 .. 2], *fault, *path;
    ensures NPZ_EXTRA_001: \result == SNPY_OK ==> *path == 0 || EXTRA_FITS(b, *path, to);
    ensures path: \result == SNPY_OK ==> *path == central_path(b, at);
    ensures NPZ_DIR_007: \result == central_numbers_status(b, at);
    ensures size: \result == SNPY_OK ==> number[0] == central_size(b, at);
    ensures compressed: \result == SNPY_OK ==> number[1] == central_compressed(b, at);
    ensures offset: \result == SNPY_OK ==> number[2] == central_offset(b, at);
    ensures fault: \result != SNPY_OK ==> *fault == central_numbers_fault(b, at) < to;
 */
static snpy_status read_numbers(const uint8_t *b, size_t at, size_t from, size_t to, size_t *path, uint64_t *number,
                                size_t *fault)
{
    const bool padding_allowed = false;
    struct snpy_zip_extra extra = {0, 0};
    snpy_status status = snpy_zip_find_extra(b, from, to, padding_allowed, &extra, fault);
    if (status != SNPY_OK) return status;
    *path = extra.path;
    return resolve_numbers(b, at, to, extra.zip64, number, fault);
}

/* clang-format off */
#define FULL_DIRECTORY(b, at) (b[central_extra(b, at) - 1] == '/' && central_size(b, at) != 0)
#define ZIP_NAME_FAULT(status) \
    (status == SNPY_ZIP_NAME_UTF8 || status == SNPY_ZIP_UNICODE_PATH || status == SNPY_ZIP_NUL_IN_NAME \
     || status == SNPY_ZIP_EMPTY_NAME || status == SNPY_ZIP_DIRECTORY_DATA)
/* clang-format on */

/* Checks the name of a member of `size` bytes; the name ends at `extra`, the header at `end`. On failure *fault is the
 * byte at fault.                               NPZ-NAME-001, NPZ-NAME-003, NPZ-NAME-004, NPZ-NAME-009, NPZ-EXTRA-005 */
/*@ requires extra == central_extra(b, at) <= end && \valid_read(b + (0 .. end-1)) && size == central_size(b, at);
    requires path == 0 || EXTRA_FITS(b, path, end);
    requires path: path == central_path(b, at);
    requires \valid(fault) && \separated(fault, b + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures status: \result == SNPY_OK || ZIP_NAME_FAULT(\result);
    ensures NPZ_ERR_001: \result == central_name_status(b, at);
    ensures fault: \result != SNPY_OK ==> *fault == central_name_fault(b, at);
    ensures NPZ_NAME_004: \result == SNPY_OK ==> le16(b, at + 28) >= 1;
    ensures NPZ_NAME_009: \result == SNPY_OK ==> !FULL_DIRECTORY(b, at);
    ensures directory: \result == SNPY_ZIP_DIRECTORY_DATA ==> FULL_DIRECTORY(b, at) && *fault == at + 24;
    ensures range: \result != SNPY_OK ==> *fault < end;
 */
static snpy_status check_member_name(const uint8_t *b, size_t at, size_t extra, size_t end, uint64_t size, size_t path,
                                     size_t *fault)
{
    snpy_status status =
        snpy_zip_check_name(b, end, at, snpy_le16(b, at + AT_NAME_LENGTH), snpy_le16(b, at + AT_FLAGS), path, fault);
    if (status != SNPY_OK) return status;
    if (b[extra - 1] == '/' && size != 0) return snpy_zip_fault(SNPY_ZIP_DIRECTORY_DATA, at + AT_SIZE, fault);
    return SNPY_OK;
}

/* Reads one central header into *member; *end is where it ends. On failure *fault is the byte at fault. */
/*@ requires at < length && \valid_read(b + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires \valid(member) && \valid(end) && \valid(fault);
    requires \separated(member, end, fault, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns ZIP_MEMBER_CELLS(*member), *end, *fault;
    ensures forward: \result == SNPY_OK ==> at + SNPY_ZIP_CENTRAL_SIZE < *end == central_end(b, at) <= length;
    ensures member: \result == SNPY_OK ==> member->central_offset == base + at
            && member->name_length == le16(b, at + 28) >= 1
            && at + SNPY_ZIP_CENTRAL_SIZE + member->name_length <= *end;
    ensures numbers: \result == SNPY_OK ==> member->size == central_size(b, at)
            && member->compressed_size == central_compressed(b, at) && member->crc == le32(b, at + 16)
            && member->flags == le16(b, at + 8) && member->method == le16(b, at + 10);
    ensures offset: \result == SNPY_OK ==> member->local_offset == ZIP_SHIFTED(central_offset(b, at), prefix);
    ensures accepted: \result == SNPY_OK ==> central_status(b, length, at) == SNPY_OK;
    ensures NPZ_ERR_001: central_status(b, length, at) != SNPY_OK ==> \result == central_status(b, length, at)
            && *fault == central_fault(b, length, at);
    ensures names: central_status(b, length, at) == SNPY_OK ==> \result == SNPY_OK || ZIP_NAME_FAULT(\result);
    ensures status: \result == header_status(b, length, at);
    ensures where: \result != SNPY_OK ==> *fault == header_fault(b, length, at);
    ensures NPZ_NAME_009: \result == SNPY_OK ==> !FULL_DIRECTORY(b, at);
    ensures directory: central_status(b, length, at) == SNPY_OK && \result == SNPY_ZIP_DIRECTORY_DATA ==>
            FULL_DIRECTORY(b, at) && *fault == at + 24;
    ensures fault: \result != SNPY_OK ==> *fault <= length;
 */
static snpy_status read_central(const uint8_t *b, size_t length, size_t at, uint64_t base, uint64_t prefix,
                                snpy_zip_member *member, size_t *end, size_t *fault)
{
    struct central header = {0, 0, 0};
    size_t path = 0;
    uint64_t number[3] = {0, 0, 0};
    snpy_status status = find_parts(b, length, at, &header, fault);
    if (status != SNPY_OK) return status;
    status = check_fixed(b, length, at, fault);
    if (status != SNPY_OK) return status;
    status = read_numbers(b, at, header.extra, header.comment, &path, number, fault);
    if (status != SNPY_OK) return status;
    status = check_member_name(b, at, header.extra, header.end, number[0], path, fault);
    if (status != SNPY_OK) return status;
    fill_member(b, length, at, base, prefix, number, member);
    *end = header.end;
    return SNPY_OK;
}

/* clang-format off */
/* The names of the first n members are in the bytes of the directory, which begin at `base` in the file. */
#define ZIP_NAMED(m, n, base, length) \
    (\forall integer i; 0 <= i < n ==> base <= m[i].central_offset && m[i].name_length >= 1 && \
     m[i].central_offset + SNPY_ZIP_CENTRAL_SIZE + m[i].name_length <= base + length)
#define ZIP_KEPT(found, count) ((found) < (count) ? (found) : (count))
#define LIST_ASKED(directory, length) \
    ((directory)->size == length && length <= SNPY_MAX_SIZE && (directory)->offset + length <= SNPY_MAX_SIZE)
/* clang-format on */

/* Two members have the same numbers. */
/* clang-format off */
#define SAME_MEMBER(a, b)                                                                                    \
    ((a)->central_offset == (b)->central_offset && (a)->local_offset == (b)->local_offset &&                 \
     (a)->data_offset == (b)->data_offset && (a)->end_offset == (b)->end_offset &&                           \
     (a)->compressed_size == (b)->compressed_size && (a)->size == (b)->size && (a)->crc == (b)->crc &&       \
     (a)->order_ == (b)->order_ && (a)->flags == (b)->flags && (a)->method == (b)->method &&                 \
     (a)->name_length == (b)->name_length && (a)->has_zip64 == (b)->has_zip64)
/* clang-format on */

/* Stores a member in the table. */
/*@ requires \valid(members + (0 .. index)) && \valid_read(member) && \separated(member, members + (0 .. index));
    requires named: ZIP_NAMED(members, index, base, length);
    requires member: base <= member->central_offset && member->name_length >= 1
                     && member->central_offset + SNPY_ZIP_CENTRAL_SIZE + member->name_length <= base + length;
    terminates \true;
    exits \false;
    assigns members[index];
    ensures named: ZIP_NAMED(members, index + 1, base, length);
    ensures kept: SAME_MEMBER(&members[index], member);
 */
static void keep_member(snpy_zip_member *members, size_t index, const snpy_zip_member *member, uint64_t base,
                        size_t length)
{
    (void)base; /* used in the contract only */
    (void)length;
    snpy_zip_member *place = &members[index];
    place->central_offset = member->central_offset;
    place->local_offset = member->local_offset;
    place->data_offset = member->data_offset;
    place->end_offset = member->end_offset;
    place->compressed_size = member->compressed_size;
    place->size = member->size;
    place->crc = member->crc;
    place->order_ = member->order_;
    place->flags = member->flags;
    place->method = member->method;
    place->name_length = member->name_length;
    place->has_zip64 = member->has_zip64;
}

/* Stores the member of the found-th header, if the directory counts that many; one too many is not stored. */
/*@ requires \valid(members + (0 .. count-1)) && \valid_read(member) && \separated(member, members + (0 .. count-1));
    requires named: ZIP_NAMED(members, ZIP_KEPT(found, count), base, length);
    requires member: base <= member->central_offset && member->name_length >= 1
                     && member->central_offset + SNPY_ZIP_CENTRAL_SIZE + member->name_length <= base + length;
    terminates \true;
    exits \false;
    assigns members[0 .. count-1];
    ensures named: ZIP_NAMED(members, ZIP_KEPT(found + 1, count), base, length);
    ensures kept: found < count ==> SAME_MEMBER(&members[found], member);
 */
static void keep_counted(snpy_zip_member *members, size_t count, uint64_t found, const snpy_zip_member *member,
                         uint64_t base, size_t length)
{
    if (found < count) keep_member(members, (size_t)found, member, base, length);
}

/* How one header determines the meaning of the rest of the directory. */
/*@ ghost
    /@ requires at < n;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures count: central_count(b, n, at, found) == central_count(b, n, central_end(b, at), found + 1);
       ensures good: central_status(b, n, at) == SNPY_OK ==>
               central_first_bad(b, n, at) == central_first_bad(b, n, central_end(b, at));
       ensures bad: central_status(b, n, at) != SNPY_OK ==> central_first_bad(b, n, at) == at;
       ensures accepted: header_status(b, n, at) == SNPY_OK ==>
               first_bad_header(b, n, at) == first_bad_header(b, n, central_end(b, at));
       ensures refused: header_status(b, n, at) != SNPY_OK ==> first_bad_header(b, n, at) == at; @/
    static void show_header(const uint8_t *b, size_t n, size_t at, uint64_t found)
    {
        //@ assert sum: central_end(b, at) == at + (46 + le16(b, at + 28) + le16(b, at + 30) + le16(b, at + 32));
        ;
    }
*/

/*@ requires \valid_read(central + (0 .. length-1)) && \valid_read(directory) && \valid(error);
    requires \valid(members + (0 .. capacity-1)) && \object_pointer(members);
    requires \separated(members + (0 .. capacity-1), error, directory, central + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns members[0 .. capacity-1], error->status, error->offset;
    ensures result: \result == error->status;
    ensures API_ARGUMENT: \result == SNPY_OK ==> \old(directory->size) == length && \old(directory->count) <= capacity;
    ensures named: \result == SNPY_OK ==>
            ZIP_NAMED(members, \old(directory->count), \old(directory->offset), length);
    ensures NPZ_END_008: \result == SNPY_OK ==> central_count(central, length, 0, 0) == \old(directory->count);
    ensures accepted: \result == SNPY_OK ==> central_first_bad(central, length, 0) == length;
    ensures NPZ_ERR_001: \result == SNPY_OK || \result == SNPY_BAD_ARGUMENT || \result == SNPY_TABLE_TOO_SMALL
            || \result == SNPY_ZIP_BAD_COUNT || ZIP_NAME_FAULT(\result)
            || (\result == central_status(central, length, central_first_bad(central, length, 0))
                && error->offset == \old(directory->offset)
                   + central_fault(central, length, central_first_bad(central, length, 0)));
    ensures headers: \result == SNPY_OK ==> first_bad_header(central, length, 0) == length;
    ensures argument: \old(!LIST_ASKED(directory, length)) ==> \result == SNPY_BAD_ARGUMENT && error->offset == 0;
    ensures table: \old(LIST_ASKED(directory, length) && directory->count > capacity) ==>
            \result == SNPY_TABLE_TOO_SMALL && error->offset == \old(directory->count);
    ensures header: \old(LIST_ASKED(directory, length) && directory->count <= capacity)
            && first_bad_header(central, length, 0) < length ==>
            \result == header_status(central, length, first_bad_header(central, length, 0))
            && error->offset == \old(directory->offset)
               + header_fault(central, length, first_bad_header(central, length, 0));
    ensures counted: \old(LIST_ASKED(directory, length) && directory->count <= capacity)
            && first_bad_header(central, length, 0) == length ==>
            \result == (central_count(central, length, 0, 0) == \old(directory->count) ? SNPY_OK : SNPY_ZIP_BAD_COUNT)
            && error->offset == (\result == SNPY_OK ? 0 : \old(directory->count_at));
    ensures NPZ_LIMIT_005: \result == SNPY_OK ==> SNPY_ZIP_CENTRAL_SIZE * \old(directory->count) <= length;
 */
snpy_status snpy_zip_list(const uint8_t *central, size_t length, const snpy_zip_directory *directory,
                          snpy_zip_member *members, size_t capacity, snpy_error *error)
{
    uint64_t base = directory->offset;
    uint64_t prefix = directory->prefix;
    uint64_t count = directory->count;
    uint64_t count_at = directory->count_at;
    size_t at = 0;
    size_t fault = 0;
    uint64_t found = 0;
    if (length != directory->size || directory->size > SNPY_MAX_SIZE || base > SNPY_MAX_SIZE - directory->size)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    if (count > capacity) return snpy_fail(error, SNPY_TABLE_TOO_SMALL, count);
    /*@ loop invariant range: 0 <= at <= length && 0 <= found && SNPY_ZIP_CENTRAL_SIZE * found <= at;
        loop invariant count: central_count(central, length, 0, 0) == central_count(central, length, at, found);
        loop invariant good: central_first_bad(central, length, 0) == central_first_bad(central, length, at);
        loop invariant accepted: first_bad_header(central, length, 0) == first_bad_header(central, length, at);
        loop invariant named: ZIP_NAMED(members, ZIP_KEPT(found, count), base, length);
        loop assigns at, found, fault, members[0 .. capacity-1];
        loop variant length - at; */
    while (at < length) {
        snpy_zip_member member;
        size_t end = 0;
        //@ ghost show_header(central, length, at, found);
        snpy_status status = read_central(central, length, at, base, prefix, &member, &end, &fault);
        if (status != SNPY_OK) return snpy_fail(error, status, base + fault);
        keep_counted(members, (size_t)count, found, &member, base, length);
        found++;
        at = end;
    }
    if (found != count) return snpy_fail(error, SNPY_ZIP_BAD_COUNT, count_at);
    return snpy_fail(error, SNPY_OK, 0);
}
