/* extra.c: reads the extra fields of central and local headers.                                     NPZ-EXTRA-001 … 004
 * Proves which fields are found, which numbers they give, and what is refused, at which byte. member_name.c reads the
 * Unicode path.
 *
 * The functions on ZIP64 share parameters: `field` is the offset of the ZIP64 field; x, y, z are the size, the compressed size
 * and the offset as the header has them; `count` is 3, or 2 for a local header, which has no z. A number is needless if the
 * field has it although the header's is not all ones. */
#include "core/zip/zip.h"

#define ID_ZIP64 0x0001u
#define ID_PATH 0x7075u

/* Notes the offset of a field in *place, which is for its ID, if that is still 0; else the field is a repetition, which is
 * noted in *twice if it is the first of all. */
/*@ requires \valid(place) && \valid(twice) && \separated(place, twice);
    terminates \true;
    exits \false;
    assigns *place, *twice;
    ensures first: *place == (\old(*place) == 0 ? at : \old(*place));
    ensures twice: *twice == (\old(*place) != 0 && \old(*twice) == 0 ? at : \old(*twice));
 */
static void keep(size_t *place, size_t *twice, size_t at)
{
    if (*place == 0) {
        *place = at;
    } else if (*twice == 0) {
        *twice = at;
    }
}

/* Whether the field at `at` ends at `to` or before. */
/*@ requires at <= to && \valid_read(b + (0 .. to-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_EXTRA_001: \result <==> EXTRA_FITS(b, at, to);
 */
static bool field_fits(const uint8_t *b, size_t at, size_t to)
{
    return to - at >= 4 && to - at - 4 >= snpy_le16(b, at + 2);
}

/* Whether the bytes from `at` on, too few for a field, are the padding of a local header. */
/*@ requires at < to && \valid_read(b + (0 .. to-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_EXTRA_001: \result <==> extra_padding(b, at, to);
 */
static bool is_padding(const uint8_t *b, size_t at, size_t to)
{
    size_t left = to - at;
    if (left > 3 || b[at] != 0) return false;
    if (left > 1 && b[at + 1] != 0) return false;
    return left < 3 || b[at + 2] == 0;
}

/* Stores the field at `at` if its ID has a meaning here; stores in *twice the first repetition of an ID. */
/*@ requires 0 < at < to && \valid_read(b + (0 .. to-1)) && EXTRA_FITS(b, at, to) && \valid(extra) && \valid(twice);
    requires \separated(extra, twice, b + (0 .. to-1));
    terminates \true;
    exits \false;
    assigns extra->zip64, extra->path, *twice;
    ensures zip64: extra->zip64 == (\old(extra->zip64) == 0 && le16(b, at) == 0x0001 ? at : \old(extra->zip64));
    ensures path: extra->path == (\old(extra->path) == 0 && le16(b, at) == 0x7075 ? at : \old(extra->path));
    ensures NPZ_EXTRA_002: *twice == (\old(*twice) == 0 && extra_again(b, at, \old(extra->zip64), \old(extra->path))
            ? at : \old(*twice));
 */
static void take_field(const uint8_t *b, size_t to, size_t at, struct snpy_zip_extra *extra, size_t *twice)
{
    uint32_t id = snpy_le16(b, at);
    (void)to; /* used in the contract only */
    if (id == ID_ZIP64) keep(&extra->zip64, twice, at);
    if (id == ID_PATH) keep(&extra->path, twice, at);
}

/* How a field that fits determines the meaning of the rest. */
/*@ ghost
    /@ requires at < to && EXTRA_FITS(b, at, to);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures end: extra_end(b, at, to) == extra_end(b, at + (4 + le16(b, at + 2)), to);
       ensures first: \forall integer id, found; extra_first(b, at, to, id, found) ==
               extra_first(b, at + (4 + le16(b, at + 2)), to, id, found == 0 && le16(b, at) == id ? at : found);
       ensures again: extra_again(b, at, zip64, path) ==> extra_twice(b, at, to, zip64, path) == at;
       ensures twice: !extra_again(b, at, zip64, path) ==> extra_twice(b, at, to, zip64, path) ==
               extra_twice(b, at + (4 + le16(b, at + 2)), to, le16(b, at) == 0x0001 ? at : zip64,
                           le16(b, at) == 0x7075 ? at : path); @/
    static void show_step(const uint8_t *b, size_t at, size_t to, size_t zip64, size_t path)
    {
        ;
    }
*/

snpy_status snpy_zip_find_extra(const uint8_t *b, size_t from, size_t to, bool padding_allowed,
                                struct snpy_zip_extra *extra, size_t *fault)
{
    size_t at = from;
    size_t twice = 0;
    extra->zip64 = 0;
    extra->path = 0;
    /*@ loop invariant range: from <= at <= to && (twice == 0 || from <= twice < to);
        loop invariant fields: ZIP_EXTRA_OK(b, extra, from, to);
        loop invariant end: extra_end(b, from, to) == extra_end(b, at, to);
        loop invariant zip64: extra_first(b, from, to, 0x0001, 0) == extra_first(b, at, to, 0x0001, extra->zip64);
        loop invariant path: extra_first(b, from, to, 0x7075, 0) == extra_first(b, at, to, 0x7075, extra->path);
        loop invariant twice: extra_twice(b, from, to, 0, 0) ==
                       (twice != 0 ? twice : extra_twice(b, at, to, extra->zip64, extra->path));
        loop assigns at, twice, extra->zip64, extra->path;
        loop variant to - at; */
    while (at < to && field_fits(b, at, to)) {
        //@ ghost show_step(b, at, to, extra->zip64, extra->path);
        take_field(b, to, at, extra, &twice);
        at += 4 + snpy_le16(b, at + 2);
    }
    if (at < to && !(padding_allowed && is_padding(b, at, to))) return snpy_zip_fault(SNPY_ZIP_BAD_EXTRA, at, fault);
    if (twice != 0) return snpy_zip_fault(SNPY_ZIP_EXTRA_TWICE, twice, fault);
    return SNPY_OK;
}

/* How a needless number that is correct determines the meaning of the rest. */
/*@ ghost
    /@ requires k < count && at + 8 <= end && zip64_true(b, at, k == 0 ? x : k == 1 ? y : z, zero_allowed);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures same: zip64_needless(b, at, end, k, count, x, y, z, zero_allowed) ==
               zip64_needless(b, at + 8, end, k + 1, count, x, y, z, zero_allowed); @/
    static void show_needless(const uint8_t *b, size_t at, size_t end, size_t k, size_t count, uint64_t x, uint64_t y,
                              uint64_t z, bool zero_allowed)
    {
        ;
    }
*/

/* Returns the first byte of a ZIP64 field, from `pos` on, at which a needless number differs from the header's (unless
 * it is 0 and `zero_allowed`), or that belongs to no number; `end` if all is well.                     NPZ-EXTRA-004 */
/*@ requires pos <= end && \valid_read(b + (0 .. end-1)) && next <= count <= 3;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_EXTRA_004: \result == zip64_needless(b, pos, end, next, count, x, y, z, zero_allowed);
    ensures range: pos <= \result <= end;
 */
static size_t needless_stop(const uint8_t *b, size_t pos, size_t end, size_t next, size_t count, uint64_t x, uint64_t y,
                            uint64_t z, bool zero_allowed)
{
    size_t at = pos;
    /*@ loop invariant range: next <= k <= count && pos <= at <= end;
        loop invariant same: zip64_needless(b, pos, end, next, count, x, y, z, zero_allowed) ==
                       zip64_needless(b, at, end, k, count, x, y, z, zero_allowed);
        loop assigns k, at;
        loop variant count - k; */
    for (size_t k = next; k < count; k++) {
        if (end - at < 8) return at;
        uint64_t other = snpy_le64(b, at);
        if (other != (k == 0 ? x : k == 1 ? y : z) && !(zero_allowed && other == 0)) return at;
        //@ ghost show_needless(b, at, end, k, count, x, y, z, zero_allowed);
        at += 8;
    }
    return at;
}

/* Returns 1 for a number that is all ones, else 0. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures ones: \result == ones(number);
 */
static inline size_t ones_of(uint64_t number)
{
    return number == SNPY_ZIP_ALL_ONES ? 1 : 0;
}

/* Returns a number of a header, from the ZIP64 field if it is all ones. `preceding`: how many numbers are before it in
 * that field.                                                                                          NPZ-EXTRA-003 */
/*@ requires 0 < field && preceding <= 2 && \valid_read(b + (0 .. end-1));
    requires there: number == SNPY_ZIP_ALL_ONES ==> field + 12 + 8 * preceding <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_EXTRA_003: \result == zip64_number(b, field, preceding, number);
 */
static uint64_t resolve_number(const uint8_t *b, size_t end, size_t field, size_t preceding, uint64_t number)
{
    (void)end; /* used in the contract only */
    return number == SNPY_ZIP_ALL_ONES ? snpy_le64(b, field + 4 + 8 * preceding) : number;
}

/* Returns how many of a header's numbers are all ones. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures ones: \result == ones(x) + ones(y) + ones(z) <= 3;
 */
static inline size_t count_ones(uint64_t x, uint64_t y, uint64_t z)
{
    return ones_of(x) + ones_of(y) + ones_of(z);
}

/* Returns the first number that a ZIP64 field has needlessly: the one after all that are all ones. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures next: \result == zip64_next(x, y, z) <= 3;
 */
static inline size_t next_number(uint64_t x, uint64_t y, uint64_t z)
{
    return ones_of(z) == 1 ? 3 : ones_of(y) == 1 ? 2 : ones_of(x);
}

/* Returns where the sizes and the offset of a ZIP64 field that is long enough end, or first differ from the header's.
 * With `zero_allowed` needless numbers may be 0.                                                       NPZ-EXTRA-004 */
/*@ requires EXTRA_FITS(b, field, to) && \valid_read(b + (0 .. to-1)) && 2 <= count <= 3 && (count == 3 || z == 0);
    requires long_enough: !zip64_short(b, field, x, y, z);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_EXTRA_004: \result == zip64_numbers_end(b, field, count, x, y, z, zero_allowed);
    ensures range: field + 4 <= \result <= field + 4 + le16(b, field + 2);
 */
static size_t find_numbers_end(const uint8_t *b, size_t to, size_t field, size_t count, uint64_t x, uint64_t y,
                               uint64_t z, bool zero_allowed)
{
    size_t end = field + 4 + snpy_le16(b, field + 2);
    size_t pos = field + 4 + 8 * count_ones(x, y, z);
    (void)to; /* used in the contract only */
    return needless_stop(b, pos, end, next_number(x, y, z), count, x, y, z, zero_allowed);
}

/* Whether the number of a disk may follow at `numbers_end`, where the sizes and the offset end: if it is needed, or in a central
 * header after all numbers from the first in the field on.                                             NPZ-EXTRA-004 */
/*@ requires field + 4 <= numbers_end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_EXTRA_004: \result <==> disk_follows(numbers_end, field, count, x, y, z, needs_disk);
 */
static bool may_have_disk(size_t numbers_end, size_t field, size_t count, uint64_t x, uint64_t y, uint64_t z,
                          bool needs_disk)
{
    if (needs_disk) return true;
    return count == 3 && numbers_end - field - 4 == 8 * (count_ones(x, y, z) + 3 - next_number(x, y, z));
}

/* Returns the offset after the number of a disk at `at`, if there is one and it is 0; else `at`.         NPZ-END-006 */
/*@ requires at <= end && \valid_read(b + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_END_006: \result == disk_stop(b, at, end);
    ensures range: at <= \result <= end;
 */
static size_t skip_disk(const uint8_t *b, size_t at, size_t end)
{
    return end - at >= 4 && snpy_le32(b, at) == 0 ? at + 4 : at;
}

/* Checks a ZIP64 field against the numbers of a header; `zero_allowed` and `needs_disk` are as for snpy_zip_apply_zip64.
 * On failure *fault is the byte at fault.                                            NPZ-EXTRA-003, 004, NPZ-END-006 */
/*@ requires 0 < field && EXTRA_FITS(b, field, to) && \valid_read(b + (0 .. to-1)) && \valid(fault);
    requires 2 <= count <= 3 && (count == 3 || z == 0) && \separated(fault, b + (0 .. to-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures NPZ_EXTRA_004: \result == zip64_status(b, field, count, x, y, z, zero_allowed, needs_disk);
    ensures NPZ_EXTRA_003: \result == SNPY_OK ==> !zip64_short(b, field, x, y, z);
    ensures fault: \result != SNPY_OK ==> *fault == zip64_fault(b, field, count, x, y, z, zero_allowed, needs_disk);
    ensures range: \result != SNPY_OK ==> field <= *fault < to;
 */
static snpy_status check_zip64(const uint8_t *b, size_t to, size_t field, size_t count, uint64_t x, uint64_t y,
                               uint64_t z, bool zero_allowed, bool needs_disk, size_t *fault)
{
    size_t length = snpy_le16(b, field + 2);
    size_t end = field + 4 + length;
    if (8 * count_ones(x, y, z) > length) return snpy_zip_fault(SNPY_ZIP_WIDE_MISSING, field, fault);
    size_t numbers_end = find_numbers_end(b, to, field, count, x, y, z, zero_allowed);
    if (needs_disk && numbers_end == end) return snpy_zip_fault(SNPY_ZIP_WIDE_MISSING, field, fault);
    size_t stop =
        may_have_disk(numbers_end, field, count, x, y, z, needs_disk) ? skip_disk(b, numbers_end, end) : numbers_end;
    return stop < end ? snpy_zip_fault(SNPY_ZIP_WIDE_DIFFERS, stop, fault) : SNPY_OK;
}

snpy_status snpy_zip_apply_zip64(const uint8_t *b, size_t to, size_t zip64, uint64_t *number, size_t count,
                                 bool zero_allowed, bool needs_disk, size_t *fault)
{
    uint64_t x = number[0];
    uint64_t y = number[1];
    uint64_t z = count == 3 ? number[2] : 0;
    if (zip64 == 0) return SNPY_OK;
    snpy_status status = check_zip64(b, to, zip64, count, x, y, z, zero_allowed, needs_disk, fault);
    if (status != SNPY_OK) return status;
    number[0] = resolve_number(b, to, zip64, 0, x);
    number[1] = resolve_number(b, to, zip64, ones_of(x), y);
    if (count == 3) number[2] = resolve_number(b, to, zip64, ones_of(x) + ones_of(y), z);
    return SNPY_OK;
}
