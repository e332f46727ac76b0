/* zip.h: reads numbers, signatures and extra fields of the records of an archive.
 * Proves that a number is what its bytes mean. end.c, central.c and local.c read the records. */
#ifndef SAFENPY_CORE_ZIP_ZIP_H
#define SAFENPY_CORE_ZIP_ZIP_H

#include "core/core.h"
#include "safenpy/zip.h"
#include "spec/logic/zip.h"

#define SNPY_ZIP_CENTRAL_SIZE 46u
#define SNPY_ZIP_LOCAL_SIZE 30u
#define SNPY_ZIP_ALL_ONES 0xffffffffu /* all ones: the number is in the ZIP64 field, if there is one */

/*@ predicate zip_options_ok(snpy_zip_options *options) =
        options->size == sizeof(snpy_zip_options) && options->max_members <= SNPY_ZIP_MAX_MEMBERS; */

/* Reads a little-endian number of 2 bytes. */
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

/* Reads a little-endian number of 4 bytes. */
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

/* Reads a little-endian number of 8 bytes. */
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

/* Whether the bytes at `at` are the signature 50 4B x y. */
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

/* Stores the offset of an error in *fault. Returns the status. */
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

/* The offsets of the extra fields that have a meaning here, each at its ID. 0: there is none, as a header precedes all
 * of them. */
struct snpy_zip_extra {
    size_t zip64;
    size_t path;
};

/* clang-format off */
#define ZIP_FIELD_OK(b, at, from, to) (at == 0 || (from <= at && EXTRA_FITS(b, at, to)))
#define ZIP_EXTRA_OK(b, e, from, to) (ZIP_FIELD_OK(b, (e)->zip64, from, to) && ZIP_FIELD_OK(b, (e)->path, from, to))
#define ZIP_THIRD(number, count) ((count) == 3 ? (number)[2] : (uint64_t)0)
/* clang-format on */

/* Finds the extra fields in the bytes from `from` to `to - 1`.                                  NPZ-EXTRA-001, 002, 006
 *
 * padding_allowed  whether one to three zeros may be left over: in a local header */
/*@ requires 0 < from <= to && \valid_read(b + (0 .. to-1)) && \valid(extra) && \valid(fault);
    requires \separated(extra, fault, b + (0 .. to-1));
    terminates \true;
    exits \false;
    assigns extra->zip64, extra->path, *fault;
    ensures NPZ_EXTRA_001: \result == extra_status(b, from, to, padding_allowed);
    ensures inside: \result == SNPY_OK ==> ZIP_EXTRA_OK(b, extra, from, to);
    ensures zip64: \result == SNPY_OK ==> extra->zip64 == extra_first(b, from, to, 0x0001, 0);
    ensures path: \result == SNPY_OK ==> extra->path == extra_first(b, from, to, 0x7075, 0);
    ensures fault: \result != SNPY_OK ==> *fault == extra_fault(b, from, to, padding_allowed);
    ensures range: \result != SNPY_OK ==> from <= *fault < to;
 */
snpy_status snpy_zip_find_extra(const uint8_t *b, size_t from, size_t to, bool padding_allowed,
                                struct snpy_zip_extra *extra, size_t *fault);

/* Replaces the numbers that are all ones by those of the ZIP64 field, and checks the field's other numbers. number[0]
 * is the size, [1] the compressed size, [2] the offset, which a local header (`count` 2) does not have.
 *                                                                                       NPZ-EXTRA-003, 004, NPZ-END-006
 *
 * zip64         offset of the ZIP64 field; 0: there is none
 * zero_allowed  whether a number that the field has needlessly may be 0: in a local header with bit 3
 * needs_disk    whether the number of the disk is all ones, so that the field must have it: in a central header */
/*@ requires \valid_read(b + (0 .. to-1)) && (zip64 == 0 || EXTRA_FITS(b, zip64, to));
    requires 2 <= count <= 3 && \valid(number + (0 .. count-1)) && \valid(fault);
    requires \separated(fault, b + (0 .. to-1), number + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns number[0 .. count-1], *fault;
    ensures NPZ_EXTRA_004: \result ==
            zip64_status(b, zip64, count, \old(number[0]), \old(number[1]), \old(ZIP_THIRD(number, count)),
                         zero_allowed, needs_disk);
    ensures NPZ_EXTRA_003_size: \result == SNPY_OK ==> number[0] == zip64_number(b, zip64, 0, \old(number[0]));
    ensures NPZ_EXTRA_003_compressed: \result == SNPY_OK ==>
            number[1] == zip64_number(b, zip64, ones(\old(number[0])), \old(number[1]));
    ensures NPZ_EXTRA_003_offset: \result == SNPY_OK && count == 3 ==> number[2] ==
            zip64_number(b, zip64, ones(\old(number[0])) + ones(\old(number[1])), \old(number[2]));
    ensures fault: \result != SNPY_OK ==> *fault ==
            zip64_fault(b, zip64, count, \old(number[0]), \old(number[1]), \old(ZIP_THIRD(number, count)),
                        zero_allowed, needs_disk);
    ensures range: \result != SNPY_OK ==> zip64 <= *fault < to;
 */
snpy_status snpy_zip_apply_zip64(const uint8_t *b, size_t to, size_t zip64, uint64_t *number, size_t count,
                                 bool zero_allowed, bool needs_disk, size_t *fault);

#endif
