/* local.c: compares what is before and after a member's data with the directory.
 *                                  NPZ-PLACE-001 … 005, NPZ-LOCAL-001 … 008, NPZ-DESC-001 … 003, NPZ-EXTRA, NPZ-DIR-003
 * Proves that the data of every member are before the directory and that no two members share a byte. src/npz reads the
 * data. */
#include "core/zip/member_name.h"
#include "core/zip/walk.h"

#define GUESS 64u /* bytes of extra fields that the first estimate includes */
#define DESCRIPTOR_SIGNATURE 4u
#define ZIP64_DESCRIPTOR 24u

/*@ requires \valid_read(directory) && \valid_read(member);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= SNPY_ZIP_LOCAL_SIZE + 0xffff + GUESS
            && (member->local_offset < directory->offset ==> member->local_offset + \result <= directory->offset);
 */
size_t snpy_zip_local_size(const snpy_zip_directory *directory, const snpy_zip_member *member)
{
    if (member->local_offset >= directory->offset) return 0;
    uint64_t most = directory->offset - member->local_offset;
    size_t wanted = SNPY_ZIP_LOCAL_SIZE + GUESS + (size_t)member->name_length;
    return wanted < most ? wanted : (size_t)most;
}

/* Checks that a member's local header may begin at `start`. `expected` is where the entry before it ends, `limit` where
 * the directory begins. Bytes before the first member need `prefix`, bytes between entries need `gaps`.
 *                                                                        NPZ-PLACE-001, NPZ-PLACE-002, NPZ-PLACE-003 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_PLACE_001: \result == start_status(prefix, gaps, is_first, start, expected, limit);
 */
static snpy_status check_start(bool prefix, bool gaps, bool is_first, uint64_t start, uint64_t expected, uint64_t limit)
{
    if (start >= limit) return SNPY_OK; /* reported later as NPZ-LOCAL-001, which is more precise */
    if (is_first) return start == 0 || prefix ? SNPY_OK : SNPY_ZIP_PREFIX;
    if (start < expected) return SNPY_ZIP_OVERLAP;
    return start > expected && !gaps ? SNPY_ZIP_GAP : SNPY_OK;
}

/* Reports that a local header begins at the wrong offset, at the byte where that is visible. Returns the status. */
/*@ requires \valid(error);
    terminates \true;
    exits \false;
    assigns error->status, error->offset;
    ensures result: \result == status && error->status == status;
    ensures NPZ_PLACE_002: error->offset == start_fault(is_first, start, expected);
 */
static snpy_status fail_start(snpy_error *error, snpy_status status, bool is_first, uint64_t start, uint64_t expected)
{
    return snpy_fail(error, status, is_first ? 0 : start < expected ? start : expected);
}

/* Measures a local header at b[0], of which `length` bytes are given and at most `most` exist. *wanted is its size.
 * Returns SNPY_BUFFER_TOO_SMALL if more bytes are needed.                               NPZ-LOCAL-001, NPZ-LOCAL-002 */
/*@ requires \valid_read(b + (0 .. length-1)) && length <= most && \valid(wanted);
    requires \separated(wanted, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *wanted;
    ensures NPZ_LOCAL_001: \result == local_shape_status(b, length, most);
    ensures NPZ_LOCAL_002: \result == SNPY_OK ==> SNPY_ZIP_LOCAL_SIZE + le16(b, 26) <= *wanted <= length
            && *wanted == local_end(b);
    ensures wanted: \result == SNPY_BUFFER_TOO_SMALL ==> length < *wanted == local_wanted(b, length) <= most;
 */
static snpy_status measure_local_header(const uint8_t *b, size_t length, uint64_t most, size_t *wanted)
{
    *wanted = SNPY_ZIP_LOCAL_SIZE;
    if (most < SNPY_ZIP_LOCAL_SIZE) return SNPY_ZIP_BAD_LOCAL;
    if (length < SNPY_ZIP_LOCAL_SIZE) return SNPY_BUFFER_TOO_SMALL;
    if (!snpy_zip_is(b, 0, 3, 4)) return SNPY_ZIP_BAD_LOCAL;
    size_t size = SNPY_ZIP_LOCAL_SIZE + snpy_le16(b, 26) + snpy_le16(b, 28);
    if (size > most) return SNPY_ZIP_TRUNCATED_LOCAL;
    *wanted = size;
    return size <= length ? SNPY_OK : SNPY_BUFFER_TOO_SMALL;
}

/* Checks that the name after the local header at b[0] is that of the directory.                        NPZ-LOCAL-003 */
/*@ requires \valid_read(b + (0 .. SNPY_ZIP_LOCAL_SIZE + le16(b, 26) - 1)) && \valid_read(name + (0 .. name_length-1));
    requires \valid(fault) && \separated(fault, name + (0 .. name_length-1));
    requires \separated(fault, b + (0 .. SNPY_ZIP_LOCAL_SIZE + le16(b, 26) - 1));
    requires name_length <= 0xffff;
    terminates \true;
    exits \false;
    assigns *fault;
    ensures NPZ_LOCAL_003: \result == (local_named(b, name, name_length) ? SNPY_OK : SNPY_ZIP_NAME_DIFFERS);
    ensures fault: \result != SNPY_OK ==> *fault == (le16(b, 26) != name_length ? 26
            : SNPY_ZIP_LOCAL_SIZE + local_differs(b, SNPY_ZIP_LOCAL_SIZE, name, 0, name_length));
    ensures range: \result != SNPY_OK ==> *fault < SNPY_ZIP_LOCAL_SIZE + name_length;
 */
static snpy_status compare_name(const uint8_t *b, const uint8_t *name, size_t name_length, size_t *fault)
{
    if (snpy_le16(b, 26) != name_length) return snpy_zip_fault(SNPY_ZIP_NAME_DIFFERS, 26, fault);
    /*@ loop invariant range: 0 <= i <= name_length;
        loop invariant same: local_differs(b, SNPY_ZIP_LOCAL_SIZE, name, 0, name_length)
                == local_differs(b, SNPY_ZIP_LOCAL_SIZE, name, i, name_length);
        loop assigns i;
        loop variant name_length - i; */
    for (size_t i = 0; i < name_length; i++) {
        if (b[SNPY_ZIP_LOCAL_SIZE + i] != name[i])
            return snpy_zip_fault(SNPY_ZIP_NAME_DIFFERS, SNPY_ZIP_LOCAL_SIZE + i, fault);
    }
    return SNPY_OK;
}

/* Whether a number of the local header is that of the directory; or 0, if `zero_allowed`: a data descriptor follows
 * then. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures same: \result <==> local_same(number, other, zero_allowed);
 */
static inline bool is_same(uint64_t number, uint64_t other, bool zero_allowed)
{
    return number == other || (zero_allowed && number == 0);
}

/* Reads the sizes in the local header at b[0], whose extra fields are from `from` to `size` - 1: number[0] is the size,
 * [1] the compressed size. *has_zip64: it has a ZIP64 field. `zero_allowed`: a data descriptor follows, so that numbers
 * of the ZIP64 field may be 0.
 *                                                                                      NPZ-EXTRA-001 … NPZ-EXTRA-004 */
/*@ requires from == local_extra(b) && size == local_end(b) && SNPY_ZIP_LOCAL_SIZE <= from <= size;
    requires \valid_read(b + (0 .. size-1)) && \valid(number + (0 .. 1));
    requires \valid(has_zip64) && \valid(fault) && \separated(has_zip64, fault, number + (0 .. 1), b + (0 .. size-1));
    terminates \true;
    exits \false;
    assigns number[0 .. 1], *has_zip64, *fault;
    ensures NPZ_EXTRA_001: local_extra_status(b) != SNPY_OK ==> \result == local_extra_status(b)
            && *fault == extra_fault(b, local_extra(b), local_end(b), 1);
    ensures NPZ_EXTRA_004: local_extra_status(b) == SNPY_OK ==> \result == local_zip64_status(b, zero_allowed);
    ensures NPZ_EXTRA_004_at: local_extra_status(b) == SNPY_OK && \result != SNPY_OK ==>
            *fault == zip64_fault(b, local_zip64(b), 2, le32(b, 22), le32(b, 18), 0, zero_allowed, 0);
    ensures NPZ_EXTRA_003: \result == SNPY_OK ==> number[0] == local_size(b) && number[1] == local_compressed(b);
    ensures NPZ_DESC_002: \result == SNPY_OK ==> (*has_zip64 <==> local_zip64(b) != 0);
    ensures status: \result == SNPY_OK || \result == SNPY_ZIP_BAD_EXTRA || \result == SNPY_ZIP_EXTRA_TWICE
            || \result == SNPY_ZIP_WIDE_MISSING || \result == SNPY_ZIP_WIDE_DIFFERS;
    ensures range: \result != SNPY_OK ==> *fault < size;
 */
static snpy_status read_sizes(const uint8_t *b, size_t from, size_t size, bool zero_allowed, uint64_t *number,
                              bool *has_zip64, size_t *fault)
{
    const bool padding_allowed = true;
    const bool needs_disk = false; /* only a central header has the number of a disk */
    struct snpy_zip_extra extra = {0, 0};
    snpy_status status = snpy_zip_find_extra(b, from, size, padding_allowed, &extra, fault);
    if (status != SNPY_OK) return status;
    *has_zip64 = extra.zip64 != 0;
    number[0] = snpy_le32(b, 22);
    number[1] = snpy_le32(b, 18);
    return snpy_zip_apply_zip64(b, size, extra.zip64, number, 2, zero_allowed, needs_disk, fault);
}

/* Compares the sizes and the CRC in the local header at b[0], of `size` bytes, with the directory. `zero_allowed`: a
 * data descriptor follows, so that they may be 0.        NPZ-EXTRA-001 … NPZ-EXTRA-004, NPZ-LOCAL-006, NPZ-LOCAL-007 */
/*@ requires \valid_read(b + (0 .. size-1)) && size == local_end(b) && SNPY_ZIP_LOCAL_SIZE <= size;
    requires \valid(has_zip64) && \valid(fault) && \separated(has_zip64, fault, b + (0 .. size-1));
    terminates \true;
    exits \false;
    assigns *has_zip64, *fault;
    ensures NPZ_LOCAL_006: \result == local_numbers_status(b, member_size, compressed_size, crc, zero_allowed);
    ensures NPZ_LOCAL_007: \result == SNPY_OK ==> local_same(le32(b, 14), crc, zero_allowed);
    ensures NPZ_DESC_002: \result == SNPY_OK ==> (*has_zip64 <==> local_zip64(b) != 0);
    ensures status: \result == SNPY_OK || \result == SNPY_ZIP_BAD_EXTRA || \result == SNPY_ZIP_EXTRA_TWICE
            || \result == SNPY_ZIP_WIDE_MISSING || \result == SNPY_ZIP_WIDE_DIFFERS
            || \result == SNPY_ZIP_SIZE_DIFFERS || \result == SNPY_ZIP_CRC_DIFFERS;
    ensures fault: \result != SNPY_OK ==>
            *fault == local_numbers_fault(b, member_size, compressed_size, crc, zero_allowed);
    ensures range: \result != SNPY_OK ==> *fault < size;
 */
static snpy_status compare_sizes(const uint8_t *b, size_t size, uint64_t member_size, uint64_t compressed_size,
                                 uint32_t crc, bool zero_allowed, bool *has_zip64, size_t *fault)
{
    uint64_t number[2] = {0, 0};
    size_t from = SNPY_ZIP_LOCAL_SIZE + snpy_le16(b, 26);
    //@ assert from: from == local_extra(b) <= local_end(b);
    snpy_status status = read_sizes(b, from, size, zero_allowed, number, has_zip64, fault);
    if (status != SNPY_OK) return status;
    if (!is_same(number[1], compressed_size, zero_allowed)) return snpy_zip_fault(SNPY_ZIP_SIZE_DIFFERS, 18, fault);
    if (!is_same(number[0], member_size, zero_allowed)) return snpy_zip_fault(SNPY_ZIP_SIZE_DIFFERS, 22, fault);
    if (!is_same(snpy_le32(b, 14), crc, zero_allowed)) return snpy_zip_fault(SNPY_ZIP_CRC_DIFFERS, 14, fault);
    return SNPY_OK;
}

/* clang-format off */
#define LOCAL_STATUS(b, name, m) \
    local_status(b, name, (m)->name_length, (m)->method, (m)->flags, (m)->size, (m)->compressed_size, (m)->crc)
#define LOCAL_FAULT(b, name, m) \
    local_fault(b, name, (m)->name_length, (m)->method, (m)->flags, (m)->size, (m)->compressed_size, (m)->crc)
/* clang-format on */

/* Compares the local header at b[0], of `size` bytes, with the directory. On failure *fault is the byte at fault.
 *                                                    NPZ-DIR-003, NPZ-LOCAL-003 … NPZ-LOCAL-007, NPZ-EXTRA-001 … 004 */
/*@ requires \valid_read(b + (0 .. size-1)) && size == local_end(b) && SNPY_ZIP_LOCAL_SIZE + le16(b, 26) <= size;
    requires \valid_read(member) && \valid_read(name + (0 .. member->name_length-1));
    requires \valid(has_zip64) && \valid(fault) && \separated(has_zip64, fault, member, b + (0 .. size-1));
    requires \separated(has_zip64, fault, name + (0 .. member->name_length-1));
    terminates \true;
    exits \false;
    assigns *has_zip64, *fault;
    ensures NPZ_LOCAL_003: \result == LOCAL_STATUS(b, name, member);
    ensures fault: \result != SNPY_OK ==> *fault == LOCAL_FAULT(b, name, member);
    ensures NPZ_DESC_002: \result == SNPY_OK ==> (*has_zip64 <==> local_zip64(b) != 0);
    ensures status: \result != SNPY_BUFFER_TOO_SMALL;
    ensures range: \result != SNPY_OK ==> *fault < size;
 */
static snpy_status compare_local_header(const uint8_t *b, size_t size, const uint8_t *name,
                                        const snpy_zip_member *member, bool *has_zip64, size_t *fault)
{
    bool zero_allowed = member->flags / SNPY_ZIP_FLAG_DESCRIPTOR % 2 == 1;
    //@ assert zero: zero_allowed == member->flags / 8 % 2;
    if (snpy_le16(b, 4) > 45) return snpy_zip_fault(SNPY_ZIP_VERSION, 4, fault);
    snpy_status status = compare_name(b, name, member->name_length, fault);
    if (status != SNPY_OK) return status;
    if (snpy_le16(b, 8) != member->method) return snpy_zip_fault(SNPY_ZIP_METHOD_DIFFERS, 8, fault);
    if (snpy_le16(b, 6) != member->flags) return snpy_zip_fault(SNPY_ZIP_FLAGS_DIFFER, 6, fault);
    return compare_sizes(b, size, member->size, member->compressed_size, member->crc, zero_allowed, has_zip64, fault);
}

/* Sets where a member's data begin and end, and has_zip64. Returns false if they do not end before the directory.
 *                                                                                       NPZ-LOCAL-008, NPZ-PLACE-004 */
/*@ requires \valid(member) && start <= limit;
    terminates \true;
    exits \false;
    assigns member->data_offset, member->end_offset, member->has_zip64;
    ensures NPZ_PLACE_004: \result <==> \old(member->compressed_size) <= limit - start;
    ensures NPZ_LOCAL_008: \result ==> member->data_offset == start && member->has_zip64 == has_zip64
            && member->end_offset == start + \old(member->compressed_size) <= limit;
 */
static bool place_data(snpy_zip_member *member, uint64_t start, uint64_t limit, bool has_zip64)
{
    uint64_t size = member->compressed_size;
    if (size > limit - start) return false;
    member->data_offset = start;
    member->end_offset = start + size;
    member->has_zip64 = has_zip64;
    return true;
}

/* clang-format off */
#define ENTRY_STATUS(b, n, limit, name, m) \
    entry_status(b, n, limit - (m)->local_offset, name, (m)->name_length, (m)->method, (m)->flags, (m)->size, \
                 (m)->compressed_size, (m)->crc)
#define ENTRY_FAULT(b, n, limit, name, m) \
    entry_fault(b, n, limit - (m)->local_offset, name, (m)->name_length, (m)->method, (m)->flags, (m)->size, \
                (m)->compressed_size, (m)->crc, (m)->local_offset, (m)->central_offset)
/* clang-format on */

/* Reads and compares the local header of a member that begins before the directory, at `limit`. */
/*@ requires \valid_read(local + (0 .. length-1)) && \valid(member) && \valid(wanted) && \valid(error);
    requires \valid_read(name + (0 .. member->name_length-1));
    requires member->local_offset < limit <= SNPY_MAX_SIZE && length <= limit - member->local_offset;
    requires member->central_offset <= SNPY_MAX_SIZE;
    requires \separated(member, wanted, error, local + (0 .. length-1));
    requires \separated(member, name + (0 .. member->name_length-1));
    requires \separated(wanted, error, name + (0 .. member->name_length-1));
    terminates \true;
    exits \false;
    assigns member->data_offset, member->end_offset, member->has_zip64, *wanted, error->status, error->offset;
    ensures result: \result == error->status;
    ensures NPZ_LOCAL_003: \result == \old(ENTRY_STATUS(local, length, limit, name, member));
    ensures fault: \result != SNPY_OK ==> error->offset == \old(ENTRY_FAULT(local, length, limit, name, member));
    ensures NPZ_PLACE_004: \result == SNPY_OK ==>
            member->data_offset == \old(member->local_offset) + local_end(local)
            && member->data_offset + \old(member->compressed_size) == member->end_offset <= limit
            && \old(member->local_offset) + SNPY_ZIP_LOCAL_SIZE <= member->data_offset
            && (member->has_zip64 <==> local_zip64(local) != 0);
    ensures wanted: \result == SNPY_BUFFER_TOO_SMALL ==>
            length < *wanted == local_wanted(local, length) <= limit - \old(member->local_offset);
 */
static snpy_status read_local(const uint8_t *local, size_t length, const uint8_t *name, uint64_t limit,
                              snpy_zip_member *member, size_t *wanted, snpy_error *error)
{
    uint64_t start = member->local_offset;
    uint64_t central = member->central_offset;
    size_t fault = 0;
    bool has_zip64 = false;
    snpy_status status = measure_local_header(local, length, limit - start, wanted);
    if (status != SNPY_OK) return snpy_fail(error, status, start);
    size_t size = *wanted;
    status = compare_local_header(local, size, name, member, &has_zip64, &fault);
    if (status != SNPY_OK) return snpy_fail(error, status, start + fault);
    if (!place_data(member, start + size, limit, has_zip64))
        return snpy_fail(error, SNPY_ZIP_OUT_OF_BOUNDS, central + 20);
    return snpy_fail(error, SNPY_OK, 0);
}

/* clang-format off */
#define ENTRY_EXPECTED(members, index) ((index) > 0 ? (members)[(index) - 1].end_offset : 0)
#define ENTRY_START(directory, options, members, index) \
    start_status((options)->prefix, (options)->gaps, (index) == 0 ? 1 : 0, (members)[index].local_offset, \
                 ENTRY_EXPECTED(members, index), (directory)->offset)
#define ENTRY_START_FAULT(members, index) \
    start_fault((index) == 0 ? 1 : 0, (members)[index].local_offset, ENTRY_EXPECTED(members, index))
// the member's name lies in the directory's bytes, and all of them in a file of a size that there may be
#define ENTRY_NAMED(directory, member, length) \
    ((directory)->offset + length <= SNPY_MAX_SIZE && (directory)->offset <= (member)->central_offset \
     && (member)->central_offset - (directory)->offset + SNPY_ZIP_CENTRAL_SIZE + (member)->name_length <= length)
#define ENTRY_NAME(central, directory, member) \
    (central + ((member)->central_offset - (directory)->offset + SNPY_ZIP_CENTRAL_SIZE))
// the bytes of it that are there, and no more than may be
#define ENTRY_THERE(length, directory, member) \
    (length < (directory)->offset - (member)->local_offset ? length : (directory)->offset - (member)->local_offset)
// a local header is looked at: it begins where it may
#define ENTRY_LOOKED_AT \
    \old(ENTRY_NAMED(directory, &members[index], central_length) \
         && ENTRY_START(directory, options, members, index) == SNPY_OK \
         && members[index].local_offset < directory->offset)
/* clang-format on */

/*@ requires \valid_read(local + (0 .. length-1)) && \valid_read(central + (0 .. central_length-1));
    requires \valid_read(directory) && \valid_read(options) && \valid(members + (0 .. index));
    requires \valid(wanted) && \valid(error);
    requires \separated(members + (0 .. index), wanted, error, local + (0 .. length-1));
    requires \separated(members + (0 .. index), directory, options, central + (0 .. central_length-1));
    requires \separated(wanted, error, directory, options, central + (0 .. central_length-1));
    terminates \true;
    exits \false;
    assigns members[index].data_offset, members[index].end_offset, members[index].has_zip64, *wanted, error->status,
            error->offset;
    ensures result: \result == error->status;
    ensures argument: \result == SNPY_BAD_ARGUMENT <==> \old(!ENTRY_NAMED(directory, &members[index], central_length));
    ensures argument_at: \old(!ENTRY_NAMED(directory, &members[index], central_length)) ==> error->offset == index;
    ensures NPZ_PLACE_001: \old(ENTRY_NAMED(directory, &members[index], central_length)
            && ENTRY_START(directory, options, members, index) != SNPY_OK) ==>
            \result == \old(ENTRY_START(directory, options, members, index))
            && error->offset == \old(ENTRY_START_FAULT(members, index));
    ensures NPZ_LOCAL_001: \old(ENTRY_NAMED(directory, &members[index], central_length)
            && members[index].local_offset >= directory->offset) ==>
            \result == SNPY_ZIP_BAD_LOCAL && error->offset == \old(members[index].local_offset);
    ensures NPZ_LOCAL_003: ENTRY_LOOKED_AT ==>
            \result == \old(ENTRY_STATUS(local, ENTRY_THERE(length, directory, &members[index]), directory->offset,
                                          ENTRY_NAME(central, directory, &members[index]), &members[index]));
    ensures fault: ENTRY_LOOKED_AT && \result != SNPY_OK ==>
            error->offset == \old(ENTRY_FAULT(local, ENTRY_THERE(length, directory, &members[index]), directory->offset,
                                              ENTRY_NAME(central, directory, &members[index]), &members[index]));
    ensures NPZ_PLACE_004: \result == SNPY_OK ==> \old(members[index].local_offset) < members[index].data_offset
            && members[index].data_offset + \old(members[index].compressed_size) == members[index].end_offset
               <= \old(directory->offset);
    ensures data: \result == SNPY_OK ==>
            members[index].data_offset == \old(members[index].local_offset) + local_end(local)
            && (members[index].has_zip64 <==> local_zip64(local) != 0);
    ensures wanted: \result == SNPY_BUFFER_TOO_SMALL ==> length < *wanted
            == local_wanted(local, \old(ENTRY_THERE(length, directory, &members[index])))
            <= \old(directory->offset - members[index].local_offset);
 */
snpy_status snpy_zip_local(const uint8_t *local, size_t length, const uint8_t *central, size_t central_length,
                           const snpy_zip_directory *directory, const snpy_zip_options *options,
                           snpy_zip_member *members, size_t index, size_t *wanted, snpy_error *error)
{
    snpy_zip_member *member = &members[index];
    uint64_t limit = directory->offset;
    uint64_t start = member->local_offset;
    uint64_t expected = index > 0 ? members[index - 1].end_offset : 0;
    uint64_t name_at = member->central_offset;
    *wanted = 0;
    if (limit > SNPY_MAX_SIZE || central_length > SNPY_MAX_SIZE - limit || name_at < limit)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, index);
    name_at -= limit;
    if (name_at > central_length || central_length - name_at < SNPY_ZIP_CENTRAL_SIZE + (uint64_t)member->name_length)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, index);
    snpy_status status = check_start(options->prefix, options->gaps, index == 0, start, expected, limit);
    if (status != SNPY_OK) return fail_start(error, status, index == 0, start, expected);
    if (start >= limit) return snpy_fail(error, SNPY_ZIP_BAD_LOCAL, start);
    size_t there = length < limit - start ? length : (size_t)(limit - start);
    return read_local(local, there, central + (size_t)name_at + SNPY_ZIP_CENTRAL_SIZE, limit, member, wanted, error);
}

/* Compares CRC and sizes of a data descriptor, at b[pos], with the directory. With `has_zip64` the sizes have 8 bytes,
 * else 4.                                                                                               NPZ-DESC-003 */
/*@ requires pos + (has_zip64 ? 20 : 12) <= length && \valid_read(b + (0 .. length-1)) && \valid_read(member);
    requires \valid(fault) && \separated(fault, member, b + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures status: \result == SNPY_OK || \result == SNPY_ZIP_DESCRIPTOR_DIFFERS;
    ensures NPZ_DESC_003: \result == SNPY_OK <==>
            descriptor_true(b, pos, has_zip64, \old(member->size), \old(member->compressed_size), \old(member->crc));
    ensures fault: \result != SNPY_OK ==>
            *fault == descriptor_false_at(b, pos, has_zip64, \old(member->compressed_size), \old(member->crc));
    ensures range: \result != SNPY_OK ==> *fault < length;
 */
static snpy_status check_descriptor(const uint8_t *b, size_t length, size_t pos, bool has_zip64,
                                    const snpy_zip_member *member, size_t *fault)
{
    snpy_status status = SNPY_ZIP_DESCRIPTOR_DIFFERS;
    uint64_t compressed_size = has_zip64 ? snpy_le64(b, pos + 4) : snpy_le32(b, pos + 4);
    uint64_t size = has_zip64 ? snpy_le64(b, pos + 12) : snpy_le32(b, pos + 8);
    (void)length; /* used in the contract only */
    if (snpy_le32(b, pos) != member->crc) return snpy_zip_fault(status, pos, fault);
    if (compressed_size != member->compressed_size) return snpy_zip_fault(status, pos + 4, fault);
    if (size != member->size) return snpy_zip_fault(status, pos + (has_zip64 ? 12 : 8), fault);
    return SNPY_OK;
}

/* Whether a data descriptor of 24 bytes agrees with the directory. If one of 16 bytes did as well, zeros would follow
 * it, where neither a header nor the directory begins.                                                  NPZ-DESC-002 */
/*@ requires \valid_read(b + (0 .. length-1)) && \valid_read(member);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_DESC_002: \result <==>
            descriptor_is_zip64(b, length, member->size, member->compressed_size, member->crc);
 */
static bool is_zip64_descriptor(const uint8_t *b, size_t length, const snpy_zip_member *member)
{
    if (length < ZIP64_DESCRIPTOR || !snpy_zip_is(b, 0, 7, 8) || snpy_le32(b, 4) != member->crc) return false;
    return snpy_le64(b, 8) == member->compressed_size && snpy_le64(b, 16) == member->size;
}

/* clang-format off */
#define DESCRIPTOR_ZIP64(b, length, m) \
    ((m)->has_zip64 != 0 || (m)->size > SNPY_ZIP_ALL_ONES || (m)->compressed_size > SNPY_ZIP_ALL_ONES \
     || descriptor_is_zip64(b, length, (m)->size, (m)->compressed_size, (m)->crc) ? 1 : 0)
#define DESCRIPTOR_PLACED(m, length) ((m)->end_offset + length <= SNPY_MAX_SIZE)
#define DESCRIPTOR_STATUS(b, length, options, m) \
    descriptor_status(b, length, DESCRIPTOR_ZIP64(b, length, m), (options)->unsigned_descriptor, (m)->size, \
                      (m)->compressed_size, (m)->crc)
#define DESCRIPTOR_FAULT(b, length, options, m) \
    descriptor_fault(b, length, DESCRIPTOR_ZIP64(b, length, m), (options)->unsigned_descriptor, \
                     (m)->compressed_size, (m)->crc)
/* clang-format on */

/*@ requires \valid_read(bytes + (0 .. length-1)) && \valid_read(options) && \valid(member) && \valid(error);
    requires \separated(member, error, options, bytes + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns member->end_offset, error->status, error->offset;
    ensures result: \result == error->status;
    ensures argument: \result == SNPY_BAD_ARGUMENT <==> \old(!DESCRIPTOR_PLACED(member, length));
    ensures NPZ_DESC_003: \old(DESCRIPTOR_PLACED(member, length)) ==>
            \result == \old(DESCRIPTOR_STATUS(bytes, length, options, member));
    ensures fault: \old(DESCRIPTOR_PLACED(member, length)) && \result != SNPY_OK ==>
            error->offset == \old(member->end_offset + DESCRIPTOR_FAULT(bytes, length, options, member));
    ensures end: member->end_offset == \old(member->end_offset) + (\result != SNPY_OK ? 0
            : \old(descriptor_end(bytes, length, DESCRIPTOR_ZIP64(bytes, length, member))));
    ensures range: \result == SNPY_OK ==> member->end_offset <= \old(member->end_offset) + length;
 */
snpy_status snpy_zip_descriptor(const uint8_t *bytes, size_t length, const snpy_zip_options *options,
                                snpy_zip_member *member, snpy_error *error)
{
    uint64_t at = member->end_offset;
    bool has_zip64 = member->has_zip64 || member->size > SNPY_ZIP_ALL_ONES ||
                     member->compressed_size > SNPY_ZIP_ALL_ONES || is_zip64_descriptor(bytes, length, member);
    bool has_signature = length >= DESCRIPTOR_SIGNATURE && snpy_zip_is(bytes, 0, 7, 8);
    size_t pos = has_signature ? DESCRIPTOR_SIGNATURE : 0;
    size_t end = pos + (has_zip64 ? 20u : 12u);
    size_t fault = 0;
    if (at > SNPY_MAX_SIZE || length > SNPY_MAX_SIZE - at) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    if (!has_signature && !options->unsigned_descriptor) return snpy_fail(error, SNPY_ZIP_NO_DESCRIPTOR, at);
    if (end > length) return snpy_fail(error, SNPY_ZIP_DESCRIPTOR_DIFFERS, at);
    snpy_status status = check_descriptor(bytes, length, pos, has_zip64, member, &fault);
    if (status != SNPY_OK) return snpy_fail(error, status, at + fault);
    member->end_offset = at + end;
    return snpy_fail(error, SNPY_OK, 0);
}

/* Whether an entry of the archive is consistent: its local header fits before its data, the data end inside the entry,
 * and the entry ends at or before `limit`, the directory.                                              NPZ-PLACE-005 */
/*@ requires \valid_read(members + index) && limit <= SNPY_MAX_SIZE && 0 <= index;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_PLACE_005: \result <==> zip_inside(members, index, limit);
 */
static bool is_inside(const snpy_zip_member *members, size_t index, uint64_t limit)
{
    const snpy_zip_member *member = &members[index];
    uint64_t end = member->end_offset;
    uint64_t data = member->data_offset;
    if (end > limit || data > end || member->compressed_size > end - data) return false;
    return data >= SNPY_ZIP_LOCAL_SIZE && member->local_offset <= data - SNPY_ZIP_LOCAL_SIZE;
}

snpy_status snpy_zip_check_ranges(const snpy_zip_directory *directory, const snpy_zip_options *options,
                                  const snpy_zip_member *members, size_t count, snpy_error *error)
{
    uint64_t limit = directory->offset;
    uint64_t expected = 0;
    bool gaps = options->gaps;
    bool prefix = options->prefix;
    if (limit > SNPY_MAX_SIZE) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    (void)snpy_fail(error, SNPY_OK, 0); /* first, so that nothing is written after the proof */
    /*@ loop invariant range: 0 <= i <= count && expected <= limit;
        loop invariant inside: \forall integer k; 0 <= k < i ==> zip_inside(members, k, limit);
        loop invariant apart: zip_apart(members, i);
        loop invariant behind: \forall integer k; 0 <= k < i ==> members[k].end_offset <= expected;
        loop invariant last: expected == (i == 0 ? 0 : members[i-1].end_offset);
        loop invariant first: i > 0 && !prefix ==> members[0].local_offset == 0;
        loop invariant joined: !gaps ==> zip_joined(members, i);
        loop assigns i, expected;
        loop variant count - i; */
    for (size_t i = 0; i < count; i++) {
        uint64_t start = members[i].local_offset;
        if (!is_inside(members, i, limit)) return snpy_fail(error, SNPY_BAD_ARGUMENT, i);
        snpy_status status = check_start(prefix, gaps, i == 0, start, expected, limit);
        if (status != SNPY_OK) return fail_start(error, status, i == 0, start, expected);
        expected = members[i].end_offset;
    }
    if (expected < limit && !gaps && !(count == 0 && prefix)) return snpy_fail(error, SNPY_ZIP_GAP, expected);
    return SNPY_OK;
}
