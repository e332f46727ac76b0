/* zip.h: the records of an archive, as the provers know them. spec/npz.md, "Layouts".
 *
 * Logic only: the compiler sees an empty file. Each function reads the input and nothing else. */
#ifndef SAFENPY_LOGIC_ZIP_H
#define SAFENPY_LOGIC_ZIP_H

#include <stdint.h>

#include "safenpy/status.h"

/* clang-format off */
#define EXTRA_FITS(b, at, to) (at + 4 <= to && at + 4 + le16(b, at + 2) <= to)

/*@ // numbers are unsigned and little-endian
    logic integer le16(uint8_t *b, integer at) = b[at] + 256 * b[at + 1];
    logic integer le32(uint8_t *b, integer at) = le16(b, at) + 65536 * le16(b, at + 2);
    logic integer le64(uint8_t *b, integer at) = le32(b, at) + 4294967296 * le32(b, at + 4);

    // 50 4B x y
    logic boolean zip_signature(uint8_t *b, integer at, integer x, integer y) =
        b[at] == 0x50 && b[at + 1] == 0x4b && b[at + 2] == x && b[at + 3] == y;

    // NPZ-END-002: no place behind `at` and up to `last` has the signature of an end record
    predicate no_end_behind(uint8_t *b, integer at, integer last) =
        \forall integer i; at < i <= last ==> !zip_signature(b, i, 5, 6);

    // NPZ-END-005: at i an end record seems to stand whose comment would reach over the one at `at`
    logic boolean end_reaches(uint8_t *b, integer i, integer at) =
        zip_signature(b, i, 5, 6) && i + le16(b, i + 20) >= at;

    // NPZ-DIR-004: bit 0, 6 or 13 of the flags
    logic boolean zip_encrypted(integer flags) =
        flags % 2 == 1 || flags / 64 % 2 == 1 || flags / 8192 % 2 == 1;

    // NPZ-DIR-005: no bits but 1, 2, 3 and 11, so none of 0, of 4 to 10 and of 12 to 15
    logic boolean zip_flags_known(integer flags) =
        flags % 2 == 0 && flags / 16 % 128 == 0 && flags / 4096 == 0;

    // NPZ-END-006: the number of a disk is 0, or all ones where a wide end record applies
    logic boolean first_disk(uint8_t *b, integer at, integer is_wide) =
        le16(b, at) == 0 || (is_wide != 0 && le16(b, at) == 0xffff);

    // ---- extra fields: those from `at` up to `to`

    // NPZ-EXTRA-001: the first field that does not fit; `to` if all do
    logic integer extra_end(uint8_t *b, integer at, integer to) =
        EXTRA_FITS(b, at, to) ? extra_end(b, at + (4 + le16(b, at + 2)), to) : at;

    // the first field of an ID, or what was found in front of `at`; 0 if there is none
    logic integer extra_first(uint8_t *b, integer at, integer to, integer id, integer found) =
        EXTRA_FITS(b, at, to) ?
            extra_first(b, at + (4 + le16(b, at + 2)), to, id, found == 0 && le16(b, at) == id ? at : found) : found;

    // NPZ-EXTRA-002: the first wide field or Unicode path that comes again; 0 if none does
    logic boolean extra_again(uint8_t *b, integer at, integer wide, integer path) =
        (le16(b, at) == 0x0001 && wide != 0) || (le16(b, at) == 0x7075 && path != 0);
    logic integer extra_twice(uint8_t *b, integer at, integer to, integer wide, integer path) =
        !EXTRA_FITS(b, at, to) ? 0 : extra_again(b, at, wide, path) ? at :
            extra_twice(b, at + (4 + le16(b, at + 2)), to, le16(b, at) == 0x0001 ? at : wide,
                        le16(b, at) == 0x7075 ? at : path);

    logic integer extra_status(uint8_t *b, integer from, integer to) =
        extra_end(b, from, to) < to ? SNPY_ZIP_BAD_EXTRA :
        extra_twice(b, from, to, 0, 0) != 0 ? SNPY_ZIP_EXTRA_TWICE : SNPY_OK;
    logic integer extra_fault(uint8_t *b, integer from, integer to) =
        extra_end(b, from, to) < to ? extra_end(b, from, to) : extra_twice(b, from, to, 0, 0);

    // ---- the wide field at `wide`, or none if that is 0, beside the numbers x, y, z: size, compressed size, offset

    logic integer ones(integer x) = x == 0xffffffff ? 1 : 0;

    // NPZ-EXTRA-003: the number x, behind as many others that are wide
    logic integer wide_number(uint8_t *b, integer wide, integer behind, integer x) =
        wide != 0 && x == 0xffffffff ? le64(b, wide + 4 + 8 * behind) : x;

    // NPZ-EXTRA-004: of the numbers x, y, z from the k-th on, the first that the field says otherwise from `at` on
    logic boolean wide_true(uint8_t *b, integer at, integer x, integer zero) =
        le64(b, at) == x || (zero != 0 && le64(b, at) == 0);
    logic integer wide_needless(uint8_t *b, integer at, integer end, integer k, integer count,
                                integer x, integer y, integer z, integer zero) =
        k < count && at + 8 <= end && wide_true(b, at, k == 0 ? x : k == 1 ? y : z, zero) ?
            wide_needless(b, at + 8, end, k + 1, count, x, y, z, zero) : at;

    logic integer wide_next(integer x, integer y, integer z) = ones(z) == 1 ? 3 : ones(y) == 1 ? 2 : ones(x);
    logic integer wide_stop(uint8_t *b, integer wide, integer count, integer x, integer y, integer z, integer zero) =
        wide_needless(b, wide + 4 + 8 * (ones(x) + ones(y) + ones(z)), wide + 4 + le16(b, wide + 2),
                      wide_next(x, y, z), count, x, y, z, zero);
    logic boolean wide_short(uint8_t *b, integer wide, integer x, integer y, integer z) =
        8 * (ones(x) + ones(y) + ones(z)) > le16(b, wide + 2);
    logic integer wide_status(uint8_t *b, integer wide, integer count, integer x, integer y, integer z, integer zero) =
        wide == 0 ? SNPY_OK : wide_short(b, wide, x, y, z) ? SNPY_ZIP_WIDE_MISSING :
        wide_stop(b, wide, count, x, y, z, zero) < wide + 4 + le16(b, wide + 2) ? SNPY_ZIP_WIDE_DIFFERS : SNPY_OK;
    logic integer wide_fault(uint8_t *b, integer wide, integer count, integer x, integer y, integer z, integer zero) =
        wide_short(b, wide, x, y, z) ? wide : wide_stop(b, wide, count, x, y, z, zero);

    // ---- a central header at `at`, in a directory of n bytes

    logic integer central_extra(uint8_t *b, integer at) = at + 46 + le16(b, at + 28);
    logic integer central_comment(uint8_t *b, integer at) = central_extra(b, at) + le16(b, at + 30);
    logic integer central_end(uint8_t *b, integer at) = central_comment(b, at) + le16(b, at + 32);
    logic integer central_wide(uint8_t *b, integer at) =
        extra_first(b, central_extra(b, at), central_comment(b, at), 0x0001, 0);

    // NPZ-EXTRA-003: what a central header says of its member, wide or not
    logic integer central_size(uint8_t *b, integer at) = wide_number(b, central_wide(b, at), 0, le32(b, at + 24));
    logic integer central_compressed(uint8_t *b, integer at) =
        wide_number(b, central_wide(b, at), ones(le32(b, at + 24)), le32(b, at + 20));
    logic integer central_offset(uint8_t *b, integer at) =
        wide_number(b, central_wide(b, at), ones(le32(b, at + 24)) + ones(le32(b, at + 20)), le32(b, at + 42));

    // NPZ-DIR-001: as many bytes of the signature as are there
    logic boolean central_begins(uint8_t *b, integer n, integer at) =
        b[at] == 0x50 && (at + 1 >= n || b[at + 1] == 0x4b) && (at + 2 >= n || b[at + 2] == 1)
        && (at + 3 >= n || b[at + 3] == 2);
    logic integer central_shape_status(uint8_t *b, integer n, integer at) =
        !central_begins(b, n, at) ? SNPY_ZIP_BAD_CENTRAL :
        at + 46 > n ? SNPY_ZIP_TRUNCATED_CENTRAL :
        central_end(b, at) > n ? SNPY_ZIP_TRUNCATED_CENTRAL : SNPY_OK;
    logic integer central_shape_fault(uint8_t *b, integer n, integer at) = central_begins(b, n, at) ? n : at;

    // NPZ-DIR-003 to NPZ-DIR-006, NPZ-END-006
    logic integer central_fixed_status(uint8_t *b, integer at) =
        le16(b, at + 6) > 45 ? SNPY_ZIP_VERSION :
        zip_encrypted(le16(b, at + 8)) ? SNPY_ZIP_ENCRYPTED :
        !zip_flags_known(le16(b, at + 8)) ? SNPY_ZIP_FLAGS :
        le16(b, at + 10) != 0 && le16(b, at + 10) != 8 ? SNPY_ZIP_METHOD :
        le16(b, at + 34) != 0 ? SNPY_ZIP_MULTI_DISK : SNPY_OK;
    logic integer central_fixed_fault(uint8_t *b, integer at) =
        le16(b, at + 6) > 45 ? at + 6 :
        zip_encrypted(le16(b, at + 8)) || !zip_flags_known(le16(b, at + 8)) ? at + 8 :
        le16(b, at + 10) != 0 && le16(b, at + 10) != 8 ? at + 10 : at + 34;

    // NPZ-EXTRA-001 to NPZ-EXTRA-004, NPZ-DIR-007
    logic integer central_extra_status(uint8_t *b, integer at) =
        extra_status(b, central_extra(b, at), central_comment(b, at));
    logic integer central_wide_status(uint8_t *b, integer at) =
        wide_status(b, central_wide(b, at), 3, le32(b, at + 24), le32(b, at + 20), le32(b, at + 42), 0);
    logic integer central_numbers_status(uint8_t *b, integer at) =
        central_extra_status(b, at) != SNPY_OK ? central_extra_status(b, at) :
        central_wide_status(b, at) != SNPY_OK ? central_wide_status(b, at) :
        le16(b, at + 10) == 0 && central_size(b, at) != central_compressed(b, at) ? SNPY_ZIP_STORED_SIZE : SNPY_OK;
    logic integer central_numbers_fault(uint8_t *b, integer at) =
        central_extra_status(b, at) != SNPY_OK ? extra_fault(b, central_extra(b, at), central_comment(b, at)) :
        central_wide_status(b, at) != SNPY_OK ?
            wide_fault(b, central_wide(b, at), 3, le32(b, at + 24), le32(b, at + 20), le32(b, at + 42), 0) : at + 20;

    // NPZ-ERR-001: the first rule that a header breaks, of those in front of the name's
    logic integer central_status(uint8_t *b, integer n, integer at) =
        central_shape_status(b, n, at) != SNPY_OK ? central_shape_status(b, n, at) :
        central_fixed_status(b, at) != SNPY_OK ? central_fixed_status(b, at) : central_numbers_status(b, at);
    logic integer central_fault(uint8_t *b, integer n, integer at) =
        central_shape_status(b, n, at) != SNPY_OK ? central_shape_fault(b, n, at) :
        central_fixed_status(b, at) != SNPY_OK ? central_fixed_fault(b, at) : central_numbers_fault(b, at);

    // NPZ-END-008: how many headers fill the directory, of which `found` lie in front of `at`
    logic integer central_count(uint8_t *b, integer n, integer at, integer found) =
        at < n ? central_count(b, n, at + (46 + le16(b, at + 28) + le16(b, at + 30) + le16(b, at + 32)), found + 1)
               : found;
    // the first header that breaks one of the rules of central_status; n if none does
    logic integer central_first_bad(uint8_t *b, integer n, integer at) =
        at < n && central_status(b, n, at) == SNPY_OK ?
            central_first_bad(b, n, at + (46 + le16(b, at + 28) + le16(b, at + 30) + le16(b, at + 32))) : at;

    // ---- a local header at b[0], beside what the directory says

    logic integer local_extra(uint8_t *b) = 30 + le16(b, 26);
    logic integer local_end(uint8_t *b) = local_extra(b) + le16(b, 28);
    logic integer local_wide(uint8_t *b) = extra_first(b, local_extra(b), local_end(b), 0x0001, 0);

    // NPZ-LOCAL-006: what a local header says of the sizes, wide or not
    logic integer local_size(uint8_t *b) = wide_number(b, local_wide(b), 0, le32(b, 22));
    logic integer local_compressed(uint8_t *b) = wide_number(b, local_wide(b), ones(le32(b, 22)), le32(b, 18));

    // NPZ-LOCAL-006, NPZ-LOCAL-007: a number is that of the directory, or 0 if a descriptor follows
    logic boolean local_same(integer number, integer other, integer zero) =
        number == other || (zero != 0 && number == 0);

    logic integer local_wide_status(uint8_t *b, integer zero) =
        wide_status(b, local_wide(b), 2, le32(b, 22), le32(b, 18), 0, zero);
    logic integer local_extra_status(uint8_t *b) = extra_status(b, local_extra(b), local_end(b));

    // the first rule on sizes and CRC that is broken, and where
    logic integer local_numbers_status(uint8_t *b, integer size, integer compressed, integer crc, integer zero) =
        local_extra_status(b) != SNPY_OK ? local_extra_status(b) :
        local_wide_status(b, zero) != SNPY_OK ? local_wide_status(b, zero) :
        !local_same(local_compressed(b), compressed, zero) ? SNPY_ZIP_SIZE_DIFFERS :
        !local_same(local_size(b), size, zero) ? SNPY_ZIP_SIZE_DIFFERS :
        !local_same(le32(b, 14), crc, zero) ? SNPY_ZIP_CRC_DIFFERS : SNPY_OK;
    logic integer local_numbers_fault(uint8_t *b, integer size, integer compressed, integer crc, integer zero) =
        local_extra_status(b) != SNPY_OK ? extra_fault(b, local_extra(b), local_end(b)) :
        local_wide_status(b, zero) != SNPY_OK ?
            wide_fault(b, local_wide(b), 2, le32(b, 22), le32(b, 18), 0, zero) :
        !local_same(local_compressed(b), compressed, zero) ? 18 :
        !local_same(local_size(b), size, zero) ? 22 : 14;
*/
/* clang-format on */

#endif
