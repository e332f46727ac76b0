/* zip.h: how the records of an archive are read: numbers, signatures, extra fields.
 * Proves that a number is what its bytes say. Leaves the records to end.c, central.c and local.c. */
#ifndef SAFENPY_CORE_ZIP_ZIP_H
#define SAFENPY_CORE_ZIP_ZIP_H

#include "core/core.h"
#include "safenpy/zip.h"
#include "spec/logic/zip.h"

#define SNPY_ZIP_CENTRAL_SIZE 46u
#define SNPY_ZIP_LOCAL_SIZE 30u
#define SNPY_ZIP_WIDE 0xffffffffu /* all ones: the number stands in the ZIP64 field, if there is one */

/*@ predicate zip_options_ok(snpy_zip_options *options) =
        options->size == sizeof(snpy_zip_options) && options->max_members <= SNPY_ZIP_MAX_MEMBERS; */

/*@ requires \valid_read(b + (at .. at + 1)) && at + 1 <= SIZE_MAX;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures number: \result == le16(b, at);
 */
static inline uint32_t snpy_le16(const uint8_t *b, size_t at)
{
    return b[at] + 256u * b[at + 1];
}

/*@ requires \valid_read(b + (at .. at + 3)) && at + 3 <= SIZE_MAX;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures number: \result == le32(b, at);
 */
static inline uint32_t snpy_le32(const uint8_t *b, size_t at)
{
    return snpy_le16(b, at) + 65536u * snpy_le16(b, at + 2);
}

/*@ requires \valid_read(b + (at .. at + 7)) && at + 7 <= SIZE_MAX;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures number: \result == le64(b, at);
 */
static inline uint64_t snpy_le64(const uint8_t *b, size_t at)
{
    return snpy_le32(b, at) + (uint64_t)4294967296u * snpy_le32(b, at + 4);
}

/* Whether 50 4B x y stand somewhere. */
/*@ requires \valid_read(b + (at .. at + 3)) && at + 3 <= SIZE_MAX;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures signature: \result <==> zip_signature(b, at, x, y);
 */
static inline bool snpy_zip_is(const uint8_t *b, size_t at, uint8_t x, uint8_t y)
{
    return b[at] == 0x50 && b[at + 1] == 0x4b && b[at + 2] == x && b[at + 3] == y;
}

/* Keeps where a rule is broken. */
/*@ requires \valid(fault);
    terminates \true;
    exits \false;
    assigns *fault;
    ensures result: \result == status && *fault == at;
 */
static inline snpy_status snpy_zip_fault(snpy_status status, size_t at, size_t *fault)
{
    *fault = at;
    return status;
}

/* ---- extra.c ---- */

/* The extra fields that mean something: where they begin, with their ID and the length of what follows.
 * A position of 0 says that there is none: a header stands before all of them. */
struct snpy_zip_extra {
    size_t wide;
    size_t path;
};

/* clang-format off */
#define ZIP_FIELD_OK(b, at, from, to) (at == 0 || (from <= at && EXTRA_FITS(b, at, to)))
#define ZIP_EXTRA_OK(b, e, from, to) (ZIP_FIELD_OK(b, (e)->wide, from, to) && ZIP_FIELD_OK(b, (e)->path, from, to))
#define ZIP_THIRD(number, count) ((count) == 3 ? (number)[2] : (uint64_t)0)
/* clang-format on */

/* Finds them in the bytes from `from` to `to - 1`.                                       NPZ-EXTRA-001, 002, 006
 *
 * padded   whether one to three zeros may be left over: a local header */
/*@ requires 0 < from <= to && \valid_read(b + (0 .. to-1)) && \valid(extra) && \valid(fault);
    requires \separated(extra, fault, b + (0 .. to-1));
    terminates \true;
    exits \false;
    assigns extra->wide, extra->path, *fault;
    ensures NPZ_EXTRA_001: \result == extra_status(b, from, to, padded);
    ensures inside: \result == SNPY_OK ==> ZIP_EXTRA_OK(b, extra, from, to);
    ensures wide: \result == SNPY_OK ==> extra->wide == extra_first(b, from, to, 0x0001, 0);
    ensures path: \result == SNPY_OK ==> extra->path == extra_first(b, from, to, 0x7075, 0);
    ensures fault: \result != SNPY_OK ==> *fault == extra_fault(b, from, to, padded);
    ensures range: \result != SNPY_OK ==> from <= *fault < to;
 */
snpy_status snpy_zip_find_extra(const uint8_t *b, size_t from, size_t to, bool padded, struct snpy_zip_extra *extra,
                                size_t *fault);

/* Puts the wide numbers in the places of those that are all ones, and looks at the needless ones. number[0] is the
 * size, [1] the compressed size, [2] the offset, of which a local header (`count` 2) has none.
 *                                                                                  NPZ-EXTRA-003, 004, NPZ-END-006
 *
 * wide     where the ZIP64 field begins; 0 if there is none
 * zero     whether a needless number may be 0 as well: a local header with bit 3
 * disk     whether the number of the disk is all ones, so that the field has to hold it: a central header */
/*@ requires \valid_read(b + (0 .. to-1)) && (wide == 0 || EXTRA_FITS(b, wide, to));
    requires 2 <= count <= 3 && \valid(number + (0 .. count-1)) && \valid(fault);
    requires \separated(fault, b + (0 .. to-1), number + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns number[0 .. count-1], *fault;
    ensures NPZ_EXTRA_004: \result ==
            wide_status(b, wide, count, \old(number[0]), \old(number[1]), \old(ZIP_THIRD(number, count)), zero, disk);
    ensures NPZ_EXTRA_003_size: \result == SNPY_OK ==> number[0] == wide_number(b, wide, 0, \old(number[0]));
    ensures NPZ_EXTRA_003_compressed: \result == SNPY_OK ==>
            number[1] == wide_number(b, wide, ones(\old(number[0])), \old(number[1]));
    ensures NPZ_EXTRA_003_offset: \result == SNPY_OK && count == 3 ==> number[2] ==
            wide_number(b, wide, ones(\old(number[0])) + ones(\old(number[1])), \old(number[2]));
    ensures fault: \result != SNPY_OK ==> *fault ==
            wide_fault(b, wide, count, \old(number[0]), \old(number[1]), \old(ZIP_THIRD(number, count)), zero, disk);
    ensures range: \result != SNPY_OK ==> wide <= *fault < to;
 */
snpy_status snpy_zip_take_wide(const uint8_t *b, size_t to, size_t wide, uint64_t *number, size_t count, bool zero,
                               bool disk, size_t *fault);

#endif
