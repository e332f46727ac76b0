/* zip_extra.c: extra fields of central and local headers.                                    NPZ-EXTRA-001 … 004
 * Proves that a field that is found lies inside its place, and that only numbers that are all ones are replaced.
 * Leaves the Unicode path to zip_name.c. */
#include "core/zip.h"

#define ID_WIDE 0x0001u
#define ID_PATH 0x7075u

/* Keeps the first field of an ID; the first one that comes again is kept in *twice. */
/*@ requires \valid(place) && \valid(place_length) && \valid(twice) && \separated(place, place_length, twice);
    terminates \true;
    exits \false;
    assigns *place, *place_length, *twice;
    ensures first: \old(*place) == 0 ==> *place == at && *place_length == length && *twice == \old(*twice);
    ensures again: \old(*place) != 0 ==> *place == \old(*place) && *place_length == \old(*place_length);
    ensures twice: *twice == \old(*twice) || *twice == at;
 */
static void keep(size_t *place, size_t *place_length, size_t *twice, size_t at, size_t length)
{
    if (*place == 0) {
        *place = at;
        *place_length = length;
    } else if (*twice == 0) {
        *twice = at;
    }
}

snpy_status snpy_zip_find_extra(const uint8_t *b, size_t from, size_t to, struct snpy_zip_extra *extra, size_t *fault)
{
    size_t at = from;
    size_t twice = 0;
    extra->wide = 0;
    extra->wide_length = 0;
    extra->path = 0;
    extra->path_length = 0;
    /*@ loop invariant range: from <= at <= to && (twice == 0 || from <= twice < to);
        loop invariant fields: ZIP_EXTRA_OK(extra, from, to);
        loop assigns at, twice, extra->wide, extra->wide_length, extra->path, extra->path_length;
        loop variant to - at; */
    while (at < to) {
        if (to - at < 4) return snpy_zip_fault(SNPY_ZIP_BAD_EXTRA, at, fault);
        uint32_t id = snpy_le16(b, at);
        size_t length = snpy_le16(b, at + 2);
        if (to - at - 4 < length) return snpy_zip_fault(SNPY_ZIP_BAD_EXTRA, at, fault);
        if (id == ID_WIDE) keep(&extra->wide, &extra->wide_length, &twice, at, length);
        if (id == ID_PATH) keep(&extra->path, &extra->path_length, &twice, at, length);
        at += 4 + length;
    }
    if (twice != 0) return snpy_zip_fault(SNPY_ZIP_EXTRA_TWICE, twice, fault);
    return SNPY_OK;
}

/* Looks at the numbers from `pos` to `end - 1`, which are needless.                                 NPZ-EXTRA-004 */
/*@ requires pos <= end && \valid_read(b + (0 .. end-1)) && next <= count <= 3;
    requires \valid_read(number + (0 .. count-1)) && \valid(fault);
    requires \separated(fault, b + (0 .. end-1), number + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns *fault;
    ensures status: \result == SNPY_OK || \result == SNPY_ZIP_WIDE_DIFFERS;
    ensures fault: \result != SNPY_OK ==> pos <= *fault < end;
 */
static snpy_status check_needless(const uint8_t *b, size_t pos, size_t end, const uint64_t *number, size_t next,
                                  size_t count, bool zero, size_t *fault)
{
    size_t at = pos;
    /*@ loop invariant range: next <= k <= count && pos <= at <= end;
        loop assigns k, at;
        loop variant count - k; */
    for (size_t k = next; k < count; k++) {
        if (end - at < 8) break;
        uint64_t other = snpy_le64(b, at);
        if (other != number[k] && !(zero && other == 0)) return snpy_zip_fault(SNPY_ZIP_WIDE_DIFFERS, at, fault);
        at += 8;
    }
    if (at < end) return snpy_zip_fault(SNPY_ZIP_WIDE_DIFFERS, at, fault);
    return SNPY_OK;
}

snpy_status snpy_zip_take_wide(const uint8_t *b, size_t from, size_t to, const struct snpy_zip_extra *extra,
                               uint64_t *number, size_t count, bool zero, size_t *fault)
{
    if (extra->wide == 0) return SNPY_OK;
    size_t field = extra->wide;
    size_t end = field + 4 + extra->wide_length;
    size_t at = field + 4;
    size_t next = 0;
    (void)from; /* the contract's */
    (void)to;
    /*@ loop invariant range: 0 <= k <= count && next <= k && field + 4 <= at <= end;
        loop invariant kept: \forall integer j; 0 <= j < count ==>
                number[j] == \at(number[j], Pre) || \at(number[j], Pre) == SNPY_ZIP_WIDE;
        loop invariant rest: \forall integer j; k <= j < count ==> number[j] == \at(number[j], Pre);
        loop assigns k, next, at, number[0 .. count-1];
        loop variant count - k; */
    for (size_t k = 0; k < count; k++) {
        if (number[k] != SNPY_ZIP_WIDE) continue;
        if (end - at < 8) return snpy_zip_fault(SNPY_ZIP_WIDE_MISSING, field, fault);
        number[k] = snpy_le64(b, at);
        at += 8;
        next = k + 1;
    }
    return check_needless(b, at, end, number, next, count, zero, fault);
}
