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

    // NPZ-END-002: the last place of an end record from `first` on and not behind i; -1 if there is none. Of n bytes, those
    // are looked at in which it may begin
    // decreases i - first
    logic integer last_end(uint8_t *b, integer i, integer first) =
        i < first ? -1 : zip_signature(b, i, 5, 6) ? i : last_end(b, i - 1, first);
    logic integer end_first(integer n) = n > 65557 ? n - 65557 : 0;
    logic integer end_place(uint8_t *b, integer n) = last_end(b, n - 22, end_first(n));

    // NPZ-END-005: at i an end record seems to stand whose comment would reach over the one at `at`
    logic boolean end_reaches(uint8_t *b, integer i, integer at) =
        zip_signature(b, i, 5, 6) && i + le16(b, i + 20) >= at;

    // and the first such place from i on; `at` if there is none
    // decreases at - i
    logic integer other_end(uint8_t *b, integer i, integer at) =
        i < at && !end_reaches(b, i, at) ? other_end(b, i + 1, at) : i;

    // NPZ-END-002 to NPZ-END-005: the first rule on finding the end record that is broken, and where
    logic integer comment_end(uint8_t *b, integer at) = at + 22 + le16(b, at + 20);
    // where the last record is at `at`, its comment ends at `stop`, and the first that reaches over it is at `other`
    logic integer end_status_at(integer n, integer trailing, integer at, integer stop, integer other) =
        at < 0 ? SNPY_ZIP_NO_END : stop > n ? SNPY_ZIP_TRUNCATED_COMMENT :
        stop < n && trailing == 0 ? SNPY_ZIP_TRAILING_DATA : other < at ? SNPY_ZIP_AMBIGUOUS_END : SNPY_OK;
    logic integer end_fault_at(integer n, integer trailing, integer at, integer stop, integer other) =
        at < 0 ? n : stop > n ? at + 20 : stop < n && trailing == 0 ? stop : other;
    logic integer end_status(uint8_t *b, integer n, integer trailing) =
        end_status_at(n, trailing, end_place(b, n), comment_end(b, end_place(b, n)),
                      other_end(b, end_first(n), end_place(b, n)));
    logic integer end_fault(uint8_t *b, integer n, integer trailing) =
        end_fault_at(n, trailing, end_place(b, n), comment_end(b, end_place(b, n)),
                     other_end(b, end_first(n), end_place(b, n)));

    // NPZ-DIR-004: bit 0, 6 or 13 of the flags
    logic boolean zip_encrypted(integer flags) =
        flags % 2 == 1 || flags / 64 % 2 == 1 || flags / 8192 % 2 == 1;

    // NPZ-DIR-005: no bits but 1, 2, 3 and 11, so none of 0, of 4 to 10 and of 12 to 15
    logic boolean zip_flags_known(integer flags) =
        flags % 2 == 0 && flags / 16 % 128 == 0 && flags / 4096 == 0;

    // NPZ-END-006: the number of a disk is 0, or all ones where a ZIP64 end record applies
    logic boolean first_disk(uint8_t *b, integer at, integer has_zip64) =
        le16(b, at) == 0 || (has_zip64 != 0 && le16(b, at) == 0xffff);

    // of the end record at `at`, where so many members count: the first number that says another disk
    logic boolean one_disk(uint8_t *b, integer at, integer has_zip64, integer count) =
        first_disk(b, at + 4, has_zip64) && first_disk(b, at + 6, has_zip64)
        && (le16(b, at + 8) == count || (has_zip64 != 0 && le16(b, at + 8) == 0xffff));
    logic integer disk_fault(uint8_t *b, integer at, integer has_zip64) =
        !first_disk(b, at + 4, has_zip64) ? at + 4 : !first_disk(b, at + 6, has_zip64) ? at + 6 : at + 8;

    // NPZ-END-007: a directory of so many bytes, in front of the byte `behind`, that begins at its offset, or by
    // `prefix` bytes behind it, or by any number
    logic boolean directory_meets(integer size, integer offset, integer behind, integer allow_prefix, integer prefix) =
        size <= behind && offset <= behind - size && (allow_prefix != 0 || offset + prefix == behind - size);
    // NPZ-LIMIT-001
    logic integer directory_status(integer size, integer offset, integer count, integer behind, integer allow_prefix,
                                   integer prefix, integer most) =
        !directory_meets(size, offset, behind, allow_prefix, prefix) ? SNPY_ZIP_BAD_DIRECTORY :
        count > most ? SNPY_ZIP_TOO_MANY_MEMBERS : SNPY_OK;

    // the end record at `at` if no ZIP64 one applies; b[0] is the file's byte `base`
    logic integer narrow_directory(uint8_t *b, integer base, integer at, integer allow_prefix, integer most) =
        directory_status(le32(b, at + 12), le32(b, at + 16), le16(b, at + 10), base + at, allow_prefix, 0, most);
    logic integer narrow_status(uint8_t *b, integer base, integer at, integer allow_prefix, integer most) =
        one_disk(b, at, 0, le16(b, at + 10)) ? narrow_directory(b, base, at, allow_prefix, most) : SNPY_ZIP_MULTI_DISK;
    logic integer narrow_fault(uint8_t *b, integer base, integer at, integer allow_prefix, integer most) =
        !one_disk(b, at, 0, le16(b, at + 10)) ? disk_fault(b, at, 0) :
        narrow_directory(b, base, at, allow_prefix, most) == SNPY_ZIP_BAD_DIRECTORY ? at + 16 : at + 10;

    // NPZ-WIDE-002: the locator before the end record at `at` leads to the ZIP64 end record before itself
    logic boolean locator_leads(uint8_t *b, integer base, integer at, integer allow_prefix) =
        at >= 76 && zip_signature(b, at - 76, 6, 6) && le32(b, at - 4) <= 1 && le64(b, at - 12) <= base + at - 76
        && (allow_prefix != 0 || le64(b, at - 12) == base + at - 76);
    // NPZ-WIDE-004: the end record says what the ZIP64 one at w says, or all ones
    logic boolean zip64_agrees(integer narrow, integer all, integer zip64) = narrow == all || narrow == zip64;
    logic boolean ends_agree(uint8_t *b, integer at, integer w) =
        zip64_agrees(le16(b, at + 10), 0xffff, le64(b, w + 32))
        && zip64_agrees(le32(b, at + 12), 0xffffffff, le64(b, w + 40))
        && zip64_agrees(le32(b, at + 16), 0xffffffff, le64(b, w + 48));
    logic integer ends_differ_at(uint8_t *b, integer at, integer w) =
        !zip64_agrees(le16(b, at + 10), 0xffff, le64(b, w + 32)) ? at + 10 :
        !zip64_agrees(le32(b, at + 12), 0xffffffff, le64(b, w + 40)) ? at + 12 : at + 16;
    // NPZ-END-006, of the ZIP64 end record at w and its locator
    logic boolean one_zip64_disk(uint8_t *b, integer w) =
        le32(b, w + 16) == 0 && le32(b, w + 20) == 0 && le64(b, w + 24) == le64(b, w + 32) && le32(b, w + 60) == 0;
    logic integer zip64_disk_fault(uint8_t *b, integer w) =
        w + (le32(b, w + 16) != 0 ? 16 : le32(b, w + 20) != 0 ? 20 : le64(b, w + 24) != le64(b, w + 32) ? 24 : 60);

    // the end record at `at` with a locator before it
    logic integer zip64_prefix(uint8_t *b, integer base, integer at) = base + at - 76 - le64(b, at - 12);
    logic integer zip64_directory(uint8_t *b, integer base, integer at, integer most) =
        directory_status(le64(b, at - 36), le64(b, at - 28), le64(b, at - 44), base + at - 76, 0,
                         zip64_prefix(b, base, at), most);
    logic boolean one_disk_in_all(uint8_t *b, integer at) =
        one_zip64_disk(b, at - 76) && one_disk(b, at, 1, le64(b, at - 44));
    logic integer disk_in_all_fault(uint8_t *b, integer at) =
        !one_zip64_disk(b, at - 76) ? zip64_disk_fault(b, at - 76) : disk_fault(b, at, 1);
    logic integer both_status(uint8_t *b, integer base, integer at, integer most) =
        !ends_agree(b, at, at - 76) ? SNPY_ZIP_WIDE_END_DIFFERS : !one_disk_in_all(b, at) ? SNPY_ZIP_MULTI_DISK :
        zip64_directory(b, base, at, most);
    logic integer both_fault(uint8_t *b, integer base, integer at, integer most) =
        !ends_agree(b, at, at - 76) ? ends_differ_at(b, at, at - 76) :
        !one_disk_in_all(b, at) ? disk_in_all_fault(b, at) :
        zip64_directory(b, base, at, most) == SNPY_ZIP_BAD_DIRECTORY ? at - 28 : at - 44;
    logic integer zip64_end_status(uint8_t *b, integer base, integer at, integer allow_prefix, integer most) =
        !locator_leads(b, base, at, allow_prefix) ? SNPY_ZIP_BAD_LOCATOR :
        le64(b, at - 72) != 44 ? SNPY_ZIP_BAD_WIDE_END :
        both_status(b, base, at, most);
    logic integer zip64_end_fault(uint8_t *b, integer base, integer at, integer allow_prefix, integer most) =
        !locator_leads(b, base, at, allow_prefix) ? at - 20 :
        le64(b, at - 72) != 44 ? at - 72 : both_fault(b, base, at, most);

    // NPZ-WIDE-001: a ZIP64 end record counts if a locator's signature is before the end record
    logic boolean has_locator(uint8_t *b, integer at) = at >= 20 && zip_signature(b, at - 20, 6, 7);

    logic integer record_status(uint8_t *b, integer base, integer at, integer allow_prefix, integer most) =
        has_locator(b, at) ? zip64_end_status(b, base, at, allow_prefix, most)
        : narrow_status(b, base, at, allow_prefix, most);
    logic integer record_fault(uint8_t *b, integer base, integer at, integer allow_prefix, integer most) =
        has_locator(b, at) ? zip64_end_fault(b, base, at, allow_prefix, most)
        : narrow_fault(b, base, at, allow_prefix, most);

    // NPZ-ERR-001: what the last n bytes of a file say of its directory, the first rule that they break, and where
    logic integer find_status(uint8_t *b, integer n, integer base, integer trailing, integer allow_prefix,
                              integer most) =
        end_status(b, n, trailing) != SNPY_OK ? end_status(b, n, trailing) :
        record_status(b, base, end_place(b, n), allow_prefix, most);
    logic integer find_fault(uint8_t *b, integer n, integer base, integer trailing, integer allow_prefix,
                             integer most) =
        end_status(b, n, trailing) != SNPY_OK ? end_fault(b, n, trailing) :
        record_fault(b, base, end_place(b, n), allow_prefix, most);

    // the numbers of an accepted one: where the directory ends, how many bytes and members it has
    logic integer found_end(uint8_t *b, integer base, integer at) = base + at - (has_locator(b, at) ? 76 : 0);
    logic integer found_size(uint8_t *b, integer at) = has_locator(b, at) ? le64(b, at - 36) : le32(b, at + 12);
    logic integer found_offset(uint8_t *b, integer at) = has_locator(b, at) ? le64(b, at - 28) : le32(b, at + 16);
    logic integer found_count(uint8_t *b, integer at) = has_locator(b, at) ? le64(b, at - 44) : le16(b, at + 10);

    // ---- extra fields: those from `at` up to `to`

    // NPZ-EXTRA-001: the first field that does not fit; `to` if all do. Zeros are fields of ID 0 and length 0, so that of a
    // run of them at the end at most three bytes are left over: the padding of a local header
    // tail call
    logic integer extra_end(uint8_t *b, integer at, integer to) =
        EXTRA_FITS(b, at, to) ? extra_end(b, at + (4 + le16(b, at + 2)), to) : at;

    logic boolean extra_padding(uint8_t *b, integer at, integer to) =
        at < to < at + 4 && b[at] == 0 && (at + 1 >= to || b[at + 1] == 0) && (at + 2 >= to || b[at + 2] == 0);
    logic boolean extra_filled(uint8_t *b, integer at, integer to, integer padded) =
        at >= to || (padded != 0 && extra_padding(b, at, to));

    // the first field of an ID, or what was found in front of `at`; 0 if there is none
    // tail call
    logic integer extra_first(uint8_t *b, integer at, integer to, integer id, integer found) =
        EXTRA_FITS(b, at, to) ?
            extra_first(b, at + (4 + le16(b, at + 2)), to, id, found == 0 && le16(b, at) == id ? at : found) : found;

    // NPZ-EXTRA-002: the first ZIP64 field or Unicode path that comes again; 0 if none does
    logic boolean extra_again(uint8_t *b, integer at, integer zip64, integer path) =
        (le16(b, at) == 0x0001 && zip64 != 0) || (le16(b, at) == 0x7075 && path != 0);
    // tail call
    logic integer extra_twice(uint8_t *b, integer at, integer to, integer zip64, integer path) =
        !EXTRA_FITS(b, at, to) ? 0 : extra_again(b, at, zip64, path) ? at :
            extra_twice(b, at + (4 + le16(b, at + 2)), to, le16(b, at) == 0x0001 ? at : zip64,
                        le16(b, at) == 0x7075 ? at : path);

    logic integer extra_status(uint8_t *b, integer from, integer to, integer padded) =
        !extra_filled(b, extra_end(b, from, to), to, padded) ? SNPY_ZIP_BAD_EXTRA :
        extra_twice(b, from, to, 0, 0) != 0 ? SNPY_ZIP_EXTRA_TWICE : SNPY_OK;
    logic integer extra_fault(uint8_t *b, integer from, integer to, integer padded) =
        !extra_filled(b, extra_end(b, from, to), to, padded) ? extra_end(b, from, to) : extra_twice(b, from, to, 0, 0);

    // ---- the ZIP64 field at `zip64`, or none if that is 0, beside the numbers x, y, z: size, compressed size, offset

    logic integer ones(integer x) = x == 0xffffffff ? 1 : 0;

    // NPZ-EXTRA-003: the number x, after as many others that are all ones
    logic integer zip64_number(uint8_t *b, integer zip64, integer behind, integer x) =
        zip64 != 0 && x == 0xffffffff ? le64(b, zip64 + 4 + 8 * behind) : x;

    // NPZ-EXTRA-004: of the numbers x, y, z from the k-th on, the first that the field says otherwise from `at` on
    logic boolean zip64_true(uint8_t *b, integer at, integer x, integer zero) =
        le64(b, at) == x || (zero != 0 && le64(b, at) == 0);
    // decreases end - at
    logic integer zip64_needless(uint8_t *b, integer at, integer end, integer k, integer count,
                                integer x, integer y, integer z, integer zero) =
        k < count && at + 8 <= end && zip64_true(b, at, k == 0 ? x : k == 1 ? y : z, zero) ?
            zip64_needless(b, at + 8, end, k + 1, count, x, y, z, zero) : at;

    logic integer zip64_next(integer x, integer y, integer z) = ones(z) == 1 ? 3 : ones(y) == 1 ? 2 : ones(x);
    // where the needless numbers of 8 bytes end
    logic integer zip64_numbers_end(uint8_t *b, integer zip64, integer count, integer x, integer y, integer z,
                                    integer zero) =
        zip64_needless(b, zip64 + 4 + 8 * (ones(x) + ones(y) + ones(z)), zip64 + 4 + le16(b, zip64 + 2),
                      zip64_next(x, y, z), count, x, y, z, zero);
    // the number of a disk, 0, behind the offset; or, if the header's is all ones (`disk`), behind what there is
    logic boolean disk_follows(integer behind, integer zip64, integer count, integer x, integer y, integer z,
                               integer disk) =
        disk != 0 || (count == 3 && behind == zip64 + 4 + 8 * (ones(x) + ones(y) + ones(z) + 3 - zip64_next(x, y, z)));
    logic integer disk_stop(uint8_t *b, integer at, integer end) = at + 4 <= end && le32(b, at) == 0 ? at + 4 : at;
    logic integer zip64_stop(uint8_t *b, integer zip64, integer count, integer x, integer y, integer z, integer zero,
                            integer disk) =
        disk_follows(zip64_numbers_end(b, zip64, count, x, y, z, zero), zip64, count, x, y, z, disk) ?
            disk_stop(b, zip64_numbers_end(b, zip64, count, x, y, z, zero), zip64 + 4 + le16(b, zip64 + 2)) :
            zip64_numbers_end(b, zip64, count, x, y, z, zero);
    logic boolean zip64_short(uint8_t *b, integer zip64, integer x, integer y, integer z) =
        8 * (ones(x) + ones(y) + ones(z)) > le16(b, zip64 + 2);
    // NPZ-EXTRA-003: a number that the field has to hold is not in it
    logic boolean zip64_missing(uint8_t *b, integer zip64, integer count, integer x, integer y, integer z, integer zero,
                               integer disk) =
        zip64_short(b, zip64, x, y, z)
        || (disk != 0 && zip64_numbers_end(b, zip64, count, x, y, z, zero) == zip64 + 4 + le16(b, zip64 + 2));
    logic integer zip64_status(uint8_t *b, integer zip64, integer count, integer x, integer y, integer z, integer zero,
                              integer disk) =
        zip64 == 0 ? SNPY_OK : zip64_missing(b, zip64, count, x, y, z, zero, disk) ? SNPY_ZIP_WIDE_MISSING :
        zip64_stop(b, zip64, count, x, y, z, zero, disk) < zip64 + 4 + le16(b, zip64 + 2) ? SNPY_ZIP_WIDE_DIFFERS
        : SNPY_OK;
    logic integer zip64_fault(uint8_t *b, integer zip64, integer count, integer x, integer y, integer z, integer zero,
                             integer disk) =
        zip64_missing(b, zip64, count, x, y, z, zero, disk) ? zip64 : zip64_stop(b, zip64, count, x, y, z, zero, disk);

    // ---- a central header at `at`, in a directory of n bytes

    logic integer central_extra(uint8_t *b, integer at) = at + 46 + le16(b, at + 28);
    logic integer central_comment(uint8_t *b, integer at) = central_extra(b, at) + le16(b, at + 30);
    logic integer central_end(uint8_t *b, integer at) = central_comment(b, at) + le16(b, at + 32);
    logic integer central_zip64(uint8_t *b, integer at) =
        extra_first(b, central_extra(b, at), central_comment(b, at), 0x0001, 0);

    // NPZ-EXTRA-003: what a central header says of its member, in a ZIP64 field or not
    logic integer central_size(uint8_t *b, integer at) = zip64_number(b, central_zip64(b, at), 0, le32(b, at + 24));
    logic integer central_compressed(uint8_t *b, integer at) =
        zip64_number(b, central_zip64(b, at), ones(le32(b, at + 24)), le32(b, at + 20));
    logic integer central_offset(uint8_t *b, integer at) =
        zip64_number(b, central_zip64(b, at), ones(le32(b, at + 24)) + ones(le32(b, at + 20)), le32(b, at + 42));

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
        le16(b, at + 34) != 0 && le16(b, at + 34) != 0xffff ? SNPY_ZIP_MULTI_DISK : SNPY_OK;
    logic integer central_fixed_fault(uint8_t *b, integer at) =
        le16(b, at + 6) > 45 ? at + 6 :
        zip_encrypted(le16(b, at + 8)) || !zip_flags_known(le16(b, at + 8)) ? at + 8 :
        le16(b, at + 10) != 0 && le16(b, at + 10) != 8 ? at + 10 : at + 34;

    // NPZ-EXTRA-001 to NPZ-EXTRA-004, NPZ-DIR-007
    logic integer central_extra_status(uint8_t *b, integer at) =
        extra_status(b, central_extra(b, at), central_comment(b, at), 0);
    // NPZ-END-006: the number of the disk is all ones, so that it stands in the ZIP64 field
    logic integer central_disk(uint8_t *b, integer at) = le16(b, at + 34) == 0xffff ? 1 : 0;
    logic integer central_zip64_status(uint8_t *b, integer at) =
        zip64_status(b, central_zip64(b, at), 3, le32(b, at + 24), le32(b, at + 20), le32(b, at + 42), 0,
                    central_disk(b, at));
    logic integer central_numbers_status(uint8_t *b, integer at) =
        central_extra_status(b, at) != SNPY_OK ? central_extra_status(b, at) :
        central_disk(b, at) != 0 && central_zip64(b, at) == 0 ? SNPY_ZIP_MULTI_DISK :
        central_zip64_status(b, at) != SNPY_OK ? central_zip64_status(b, at) :
        le16(b, at + 10) == 0 && central_size(b, at) != central_compressed(b, at) ? SNPY_ZIP_STORED_SIZE : SNPY_OK;
    logic integer central_numbers_fault(uint8_t *b, integer at) =
        central_extra_status(b, at) != SNPY_OK ? extra_fault(b, central_extra(b, at), central_comment(b, at), 0) :
        central_disk(b, at) != 0 && central_zip64(b, at) == 0 ? at + 34 :
        central_zip64_status(b, at) != SNPY_OK ?
            zip64_fault(b, central_zip64(b, at), 3, le32(b, at + 24), le32(b, at + 20), le32(b, at + 42), 0,
                       central_disk(b, at)) : at + 20;

    // NPZ-ERR-001: the first rule that a header breaks, of those in front of the name's
    logic integer central_status(uint8_t *b, integer n, integer at) =
        central_shape_status(b, n, at) != SNPY_OK ? central_shape_status(b, n, at) :
        central_fixed_status(b, at) != SNPY_OK ? central_fixed_status(b, at) : central_numbers_status(b, at);
    logic integer central_fault(uint8_t *b, integer n, integer at) =
        central_shape_status(b, n, at) != SNPY_OK ? central_shape_fault(b, n, at) :
        central_fixed_status(b, at) != SNPY_OK ? central_fixed_fault(b, at) : central_numbers_fault(b, at);

    // NPZ-END-008: how many headers fill the directory, of which `found` lie in front of `at`
    // tail call
    logic integer central_count(uint8_t *b, integer n, integer at, integer found) =
        at < n ? central_count(b, n, at + (46 + le16(b, at + 28) + le16(b, at + 30) + le16(b, at + 32)), found + 1)
               : found;
    // the first header that breaks one of the rules of central_status; n if none does
    // tail call
    logic integer central_first_bad(uint8_t *b, integer n, integer at) =
        at < n && central_status(b, n, at) == SNPY_OK ?
            central_first_bad(b, n, at + (46 + le16(b, at + 28) + le16(b, at + 30) + le16(b, at + 32))) : at;

    // ---- a local header at b[0], beside what the directory says

    logic integer local_extra(uint8_t *b) = 30 + le16(b, 26);
    logic integer local_end(uint8_t *b) = local_extra(b) + le16(b, 28);
    logic integer local_zip64(uint8_t *b) = extra_first(b, local_extra(b), local_end(b), 0x0001, 0);

    // NPZ-LOCAL-006: what a local header says of the sizes, in a ZIP64 field or not
    logic integer local_size(uint8_t *b) = zip64_number(b, local_zip64(b), 0, le32(b, 22));
    logic integer local_compressed(uint8_t *b) = zip64_number(b, local_zip64(b), ones(le32(b, 22)), le32(b, 18));

    // NPZ-LOCAL-006, NPZ-LOCAL-007: a number is that of the directory, or 0 if a descriptor follows
    logic boolean local_same(integer number, integer other, integer zero) =
        number == other || (zero != 0 && number == 0);

    logic integer local_zip64_status(uint8_t *b, integer zero) =
        zip64_status(b, local_zip64(b), 2, le32(b, 22), le32(b, 18), 0, zero, 0);
    logic integer local_extra_status(uint8_t *b) = extra_status(b, local_extra(b), local_end(b), 1);

    // the first rule on sizes and CRC that is broken, and where
    logic integer local_numbers_status(uint8_t *b, integer size, integer compressed, integer crc, integer zero) =
        local_extra_status(b) != SNPY_OK ? local_extra_status(b) :
        local_zip64_status(b, zero) != SNPY_OK ? local_zip64_status(b, zero) :
        !local_same(local_compressed(b), compressed, zero) ? SNPY_ZIP_SIZE_DIFFERS :
        !local_same(local_size(b), size, zero) ? SNPY_ZIP_SIZE_DIFFERS :
        !local_same(le32(b, 14), crc, zero) ? SNPY_ZIP_CRC_DIFFERS : SNPY_OK;
    logic integer local_numbers_fault(uint8_t *b, integer size, integer compressed, integer crc, integer zero) =
        local_extra_status(b) != SNPY_OK ? extra_fault(b, local_extra(b), local_end(b), 1) :
        local_zip64_status(b, zero) != SNPY_OK ?
            zip64_fault(b, local_zip64(b), 2, le32(b, 22), le32(b, 18), 0, zero, 0) :
        !local_same(local_compressed(b), compressed, zero) ? 18 :
        !local_same(local_size(b), size, zero) ? 22 : 14;

    // NPZ-LOCAL-003: of the n bytes at `at` and those of the name the first that differs; n if none does
    // decreases n - i
    logic integer local_differs(uint8_t *b, integer at, uint8_t *name, integer i, integer n) =
        i < n && b[at + i] == name[i] ? local_differs(b, at, name, i + 1, n) : i;
    logic boolean local_named(uint8_t *b, uint8_t *name, integer n) =
        le16(b, 26) == n && local_differs(b, 30, name, 0, n) >= n;

    // NPZ-LOCAL-001, NPZ-LOCAL-002: a local header of which n bytes are there and `most` may be
    logic integer local_shape_status(uint8_t *b, integer n, integer most) =
        most < 30 ? SNPY_ZIP_BAD_LOCAL : n < 30 ? SNPY_BUFFER_TOO_SMALL :
        !zip_signature(b, 0, 3, 4) ? SNPY_ZIP_BAD_LOCAL : local_end(b) > most ? SNPY_ZIP_TRUNCATED_LOCAL :
        local_end(b) > n ? SNPY_BUFFER_TOO_SMALL : SNPY_OK;
    logic integer local_wanted(uint8_t *b, integer n) = n < 30 ? 30 : local_end(b);

    // NPZ-DIR-003, NPZ-LOCAL-003 to NPZ-LOCAL-007: the first rule by which it differs from the directory, and where
    logic integer local_status(uint8_t *b, uint8_t *name, integer n, integer method, integer flags,
                               integer size, integer compressed, integer crc) =
        le16(b, 4) > 45 ? SNPY_ZIP_VERSION : !local_named(b, name, n) ? SNPY_ZIP_NAME_DIFFERS :
        le16(b, 8) != method ? SNPY_ZIP_METHOD_DIFFERS : le16(b, 6) != flags ? SNPY_ZIP_FLAGS_DIFFER :
        local_numbers_status(b, size, compressed, crc, flags / 8 % 2);
    logic integer local_fault(uint8_t *b, uint8_t *name, integer n, integer method, integer flags,
                              integer size, integer compressed, integer crc) =
        le16(b, 4) > 45 ? 4 : le16(b, 26) != n ? 26 :
        local_differs(b, 30, name, 0, n) < n ? 30 + local_differs(b, 30, name, 0, n) :
        le16(b, 8) != method ? 8 : le16(b, 6) != flags ? 6 :
        local_numbers_fault(b, size, compressed, crc, flags / 8 % 2);

    // NPZ-PLACE-004, NPZ-ERR-001: the same of a header whose size is asked for first, and of the data behind it
    logic integer entry_status(uint8_t *b, integer n, integer most, uint8_t *name, integer length, integer method,
                               integer flags, integer size, integer compressed, integer crc) =
        local_shape_status(b, n, most) != SNPY_OK ? local_shape_status(b, n, most) :
        local_status(b, name, length, method, flags, size, compressed, crc) != SNPY_OK ?
            local_status(b, name, length, method, flags, size, compressed, crc) :
        local_end(b) + compressed > most ? SNPY_ZIP_OUT_OF_BOUNDS : SNPY_OK;
    // in the file, where the header begins at `start` and the central one at `central`
    logic integer entry_fault(uint8_t *b, integer n, integer most, uint8_t *name, integer length, integer method,
                              integer flags, integer size, integer compressed, integer crc, integer start,
                              integer central) =
        local_shape_status(b, n, most) != SNPY_OK ? start :
        local_status(b, name, length, method, flags, size, compressed, crc) != SNPY_OK ?
            start + local_fault(b, name, length, method, flags, size, compressed, crc) : central + 20;

    // NPZ-PLACE-001 to NPZ-PLACE-003: an entry that begins at `start` where the one in front ends at `expected`
    logic integer start_status(integer prefix, integer gaps, integer is_first, integer start, integer expected,
                               integer limit) =
        start >= limit ? SNPY_OK :
        is_first != 0 ? (start == 0 || prefix != 0 ? SNPY_OK : SNPY_ZIP_PREFIX) :
        start < expected ? SNPY_ZIP_OVERLAP : start > expected && gaps == 0 ? SNPY_ZIP_GAP : SNPY_OK;
    logic integer start_fault(integer is_first, integer start, integer expected) =
        is_first != 0 ? 0 : start < expected ? start : expected;

    // ---- a descriptor of which n bytes are there

    logic integer descriptor_start(uint8_t *b, integer n) = n >= 4 && zip_signature(b, 0, 7, 8) ? 4 : 0;
    logic integer descriptor_end(uint8_t *b, integer n, integer has_zip64) =
        descriptor_start(b, n) + (has_zip64 != 0 ? 20 : 12);
    logic integer descriptor_compressed(uint8_t *b, integer at, integer has_zip64) =
        has_zip64 != 0 ? le64(b, at + 4) : le32(b, at + 4);
    logic integer descriptor_size(uint8_t *b, integer at, integer has_zip64) =
        has_zip64 != 0 ? le64(b, at + 12) : le32(b, at + 8);

    // NPZ-DESC-003: the numbers at `at`, and the first that is not the directory's
    logic boolean descriptor_true(uint8_t *b, integer at, integer has_zip64, integer size, integer compressed,
                                  integer crc) =
        le32(b, at) == crc && descriptor_compressed(b, at, has_zip64) == compressed
        && descriptor_size(b, at, has_zip64) == size;
    logic integer descriptor_false_at(uint8_t *b, integer at, integer has_zip64, integer compressed, integer crc) =
        le32(b, at) != crc ? at :
        descriptor_compressed(b, at, has_zip64) != compressed ? at + 4 : at + (has_zip64 != 0 ? 12 : 8);

    // NPZ-DESC-002: 24 bytes that say what the directory says, whether the local header announces them or not
    logic boolean descriptor_is_zip64(uint8_t *b, integer n, integer size, integer compressed, integer crc) =
        n >= 24 && zip_signature(b, 0, 7, 8) && descriptor_true(b, 4, 1, size, compressed, crc);

    // NPZ-DESC-001 to NPZ-DESC-003
    logic integer descriptor_status(uint8_t *b, integer n, integer has_zip64, integer is_lax, integer size,
                                    integer compressed, integer crc) =
        descriptor_start(b, n) == 0 && is_lax == 0 ? SNPY_ZIP_NO_DESCRIPTOR :
        descriptor_end(b, n, has_zip64) > n ? SNPY_ZIP_DESCRIPTOR_DIFFERS :
        descriptor_true(b, descriptor_start(b, n), has_zip64, size, compressed, crc) ? SNPY_OK :
        SNPY_ZIP_DESCRIPTOR_DIFFERS;
    logic integer descriptor_fault(uint8_t *b, integer n, integer has_zip64, integer is_lax, integer compressed,
                                   integer crc) =
        (descriptor_start(b, n) == 0 && is_lax == 0) || descriptor_end(b, n, has_zip64) > n ? 0 :
        descriptor_false_at(b, descriptor_start(b, n), has_zip64, compressed, crc);
*/
/* clang-format on */

#endif
