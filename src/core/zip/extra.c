/* extra.c: extra fields of central and local headers.                                    NPZ-EXTRA-001 … 004
 * Proves which fields are found, which numbers they give, and what is refused, at which byte.
 * Leaves the Unicode path to member_name.c. */
#include "core/zip/zip.h"

#define ID_WIDE 0x0001u
#define ID_PATH 0x7075u

/* Keeps the first field of an ID; the first one that comes again is kept in *twice. */
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

/* Whether the field at `at` ends before `to`. */
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

/* Keeps the field at `at` if it means something; the first one that comes again is kept in *twice. */
/*@ requires 0 < at < to && \valid_read(b + (0 .. to-1)) && EXTRA_FITS(b, at, to) && \valid(extra) && \valid(twice);
    requires \separated(extra, twice, b + (0 .. to-1));
    terminates \true;
    exits \false;
    assigns extra->wide, extra->path, *twice;
    ensures wide: extra->wide == (\old(extra->wide) == 0 && le16(b, at) == 0x0001 ? at : \old(extra->wide));
    ensures path: extra->path == (\old(extra->path) == 0 && le16(b, at) == 0x7075 ? at : \old(extra->path));
    ensures NPZ_EXTRA_002: *twice == (\old(*twice) == 0 && extra_again(b, at, \old(extra->wide), \old(extra->path))
            ? at : \old(*twice));
 */
static void take_field(const uint8_t *b, size_t to, size_t at, struct snpy_zip_extra *extra, size_t *twice)
{
    uint32_t id = snpy_le16(b, at);
    (void)to; /* the contract's */
    if (id == ID_WIDE) keep(&extra->wide, twice, at);
    if (id == ID_PATH) keep(&extra->path, twice, at);
}

/* What a field that fits does to the meaning of the rest. */
/*@ ghost
    /@ requires at < to && EXTRA_FITS(b, at, to);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures end: extra_end(b, at, to) == extra_end(b, at + (4 + le16(b, at + 2)), to);
       ensures first: \forall integer id, found; extra_first(b, at, to, id, found) ==
               extra_first(b, at + (4 + le16(b, at + 2)), to, id, found == 0 && le16(b, at) == id ? at : found);
       ensures again: extra_again(b, at, wide, path) ==> extra_twice(b, at, to, wide, path) == at;
       ensures twice: !extra_again(b, at, wide, path) ==> extra_twice(b, at, to, wide, path) ==
               extra_twice(b, at + (4 + le16(b, at + 2)), to, le16(b, at) == 0x0001 ? at : wide,
                           le16(b, at) == 0x7075 ? at : path); @/
    static void show_step(const uint8_t *b, size_t at, size_t to, size_t wide, size_t path)
    {
        ;
    }
*/

snpy_status snpy_zip_find_extra(const uint8_t *b, size_t from, size_t to, bool padded, struct snpy_zip_extra *extra,
                                size_t *fault)
{
    size_t at = from;
    size_t twice = 0;
    extra->wide = 0;
    extra->path = 0;
    /*@ loop invariant range: from <= at <= to && (twice == 0 || from <= twice < to);
        loop invariant fields: ZIP_EXTRA_OK(b, extra, from, to);
        loop invariant end: extra_end(b, from, to) == extra_end(b, at, to);
        loop invariant wide: extra_first(b, from, to, 0x0001, 0) == extra_first(b, at, to, 0x0001, extra->wide);
        loop invariant path: extra_first(b, from, to, 0x7075, 0) == extra_first(b, at, to, 0x7075, extra->path);
        loop invariant twice: extra_twice(b, from, to, 0, 0) ==
                       (twice != 0 ? twice : extra_twice(b, at, to, extra->wide, extra->path));
        loop assigns at, twice, extra->wide, extra->path;
        loop variant to - at; */
    while (at < to && field_fits(b, at, to)) {
        //@ ghost show_step(b, at, to, extra->wide, extra->path);
        take_field(b, to, at, extra, &twice);
        at += 4 + snpy_le16(b, at + 2);
    }
    if (at < to && !(padded && is_padding(b, at, to))) return snpy_zip_fault(SNPY_ZIP_BAD_EXTRA, at, fault);
    if (twice != 0) return snpy_zip_fault(SNPY_ZIP_EXTRA_TWICE, twice, fault);
    return SNPY_OK;
}

/* What a needless number that is true does to the meaning of the rest. */
/*@ ghost
    /@ requires k < count && at + 8 <= end && wide_true(b, at, k == 0 ? x : k == 1 ? y : z, zero);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures same: wide_needless(b, at, end, k, count, x, y, z, zero) ==
               wide_needless(b, at + 8, end, k + 1, count, x, y, z, zero); @/
    static void show_needless(const uint8_t *b, size_t at, size_t end, size_t k, size_t count, uint64_t x, uint64_t y,
                              uint64_t z, bool zero)
    {
        ;
    }
*/

/* The first byte of a ZIP64 field from `pos` on that says of the needless numbers what the header does not, or that
 * belongs to none; `end` if all is well.                                                            NPZ-EXTRA-004 */
/*@ requires pos <= end && \valid_read(b + (0 .. end-1)) && next <= count <= 3;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_EXTRA_004: \result == wide_needless(b, pos, end, next, count, x, y, z, zero);
    ensures range: pos <= \result <= end;
 */
static size_t needless_stop(const uint8_t *b, size_t pos, size_t end, size_t next, size_t count, uint64_t x, uint64_t y,
                            uint64_t z, bool zero)
{
    size_t at = pos;
    /*@ loop invariant range: next <= k <= count && pos <= at <= end;
        loop invariant same: wide_needless(b, pos, end, next, count, x, y, z, zero) ==
                       wide_needless(b, at, end, k, count, x, y, z, zero);
        loop assigns k, at;
        loop variant count - k; */
    for (size_t k = next; k < count; k++) {
        if (end - at < 8) return at;
        uint64_t other = snpy_le64(b, at);
        if (other != (k == 0 ? x : k == 1 ? y : z) && !(zero && other == 0)) return at;
        //@ ghost show_needless(b, at, end, k, count, x, y, z, zero);
        at += 8;
    }
    return at;
}

/* 1 for a number that is all ones. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures ones: \result == ones(number);
 */
static inline size_t ones_of(uint64_t number)
{
    return number == SNPY_ZIP_WIDE ? 1 : 0;
}

/* A number of a header, from the ZIP64 field if it is all ones there; `behind` others stand before it in the field.
 *                                                                                                   NPZ-EXTRA-003 */
/*@ requires 0 < field && behind <= 2 && \valid_read(b + (0 .. end-1));
    requires there: number == SNPY_ZIP_WIDE ==> field + 12 + 8 * behind <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_EXTRA_003: \result == wide_number(b, field, behind, number);
 */
static uint64_t widen(const uint8_t *b, size_t end, size_t field, size_t behind, uint64_t number)
{
    (void)end; /* the contract's */
    return number == SNPY_ZIP_WIDE ? snpy_le64(b, field + 4 + 8 * behind) : number;
}

/* How many of a header's numbers are all ones. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures ones: \result == ones(x) + ones(y) + ones(z) <= 3;
 */
static inline size_t count_ones(uint64_t x, uint64_t y, uint64_t z)
{
    return ones_of(x) + ones_of(y) + ones_of(z);
}

/* The first number, as a ZIP64 field counts them, after all that are all ones. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures next: \result == wide_next(x, y, z) <= 3;
 */
static inline size_t next_number(uint64_t x, uint64_t y, uint64_t z)
{
    return ones_of(z) == 1 ? 3 : ones_of(y) == 1 ? 2 : ones_of(x);
}

/* Where the sizes and the offset of a ZIP64 field that is long enough end, or stop saying what the header says.
 *                                                                                                   NPZ-EXTRA-004 */
/*@ requires EXTRA_FITS(b, field, to) && \valid_read(b + (0 .. to-1)) && 2 <= count <= 3 && (count == 3 || z == 0);
    requires long_enough: !wide_short(b, field, x, y, z);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_EXTRA_004: \result == wide_behind(b, field, count, x, y, z, zero);
    ensures range: field + 4 <= \result <= field + 4 + le16(b, field + 2);
 */
static size_t find_behind(const uint8_t *b, size_t to, size_t field, size_t count, uint64_t x, uint64_t y, uint64_t z,
                          bool zero)
{
    size_t end = field + 4 + snpy_le16(b, field + 2);
    size_t pos = field + 4 + 8 * count_ones(x, y, z);
    (void)to; /* the contract's */
    return needless_stop(b, pos, end, next_number(x, y, z), count, x, y, z, zero);
}

/* Whether the number of a disk may follow, where the sizes and the offset end.                      NPZ-EXTRA-004 */
/*@ requires field + 4 <= behind;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_EXTRA_004: \result <==> disk_follows(behind, field, count, x, y, z, disk);
 */
static bool may_have_disk(size_t behind, size_t field, size_t count, uint64_t x, uint64_t y, uint64_t z, bool disk)
{
    if (disk) return true;
    return count == 3 && behind - field - 4 == 8 * (count_ones(x, y, z) + 3 - next_number(x, y, z));
}

/* Steps over the number of a disk, 0, if it stands at `at`.                                           NPZ-END-006 */
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

/* Whether a ZIP64 field is wrong beside the numbers of a header.                 NPZ-EXTRA-003, 004, NPZ-END-006 */
/*@ requires 0 < field && EXTRA_FITS(b, field, to) && \valid_read(b + (0 .. to-1)) && \valid(fault);
    requires 2 <= count <= 3 && (count == 3 || z == 0) && \separated(fault, b + (0 .. to-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures NPZ_EXTRA_004: \result == wide_status(b, field, count, x, y, z, zero, disk);
    ensures NPZ_EXTRA_003: \result == SNPY_OK ==> !wide_short(b, field, x, y, z);
    ensures fault: \result != SNPY_OK ==> *fault == wide_fault(b, field, count, x, y, z, zero, disk);
    ensures range: \result != SNPY_OK ==> field <= *fault < to;
 */
static snpy_status check_wide(const uint8_t *b, size_t to, size_t field, size_t count, uint64_t x, uint64_t y,
                              uint64_t z, bool zero, bool disk, size_t *fault)
{
    size_t length = snpy_le16(b, field + 2);
    size_t end = field + 4 + length;
    if (8 * count_ones(x, y, z) > length) return snpy_zip_fault(SNPY_ZIP_WIDE_MISSING, field, fault);
    size_t behind = find_behind(b, to, field, count, x, y, z, zero);
    if (disk && behind == end) return snpy_zip_fault(SNPY_ZIP_WIDE_MISSING, field, fault);
    size_t stop = may_have_disk(behind, field, count, x, y, z, disk) ? skip_disk(b, behind, end) : behind;
    return stop < end ? snpy_zip_fault(SNPY_ZIP_WIDE_DIFFERS, stop, fault) : SNPY_OK;
}

snpy_status snpy_zip_take_wide(const uint8_t *b, size_t to, size_t wide, uint64_t *number, size_t count, bool zero,
                               bool disk, size_t *fault)
{
    uint64_t x = number[0];
    uint64_t y = number[1];
    uint64_t z = count == 3 ? number[2] : 0;
    if (wide == 0) return SNPY_OK;
    snpy_status status = check_wide(b, to, wide, count, x, y, z, zero, disk, fault);
    if (status != SNPY_OK) return status;
    number[0] = widen(b, to, wide, 0, x);
    number[1] = widen(b, to, wide, ones_of(x), y);
    if (count == 3) number[2] = widen(b, to, wide, ones_of(x) + ones_of(y), z);
    return SNPY_OK;
}
