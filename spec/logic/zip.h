/* zip.h: the records of an archive, as the provers know them. spec/npz.md, "Layouts".
 *
 * Logic only: the compiler sees an empty file. Each function reads the input and nothing else. */
#ifndef SAFENPY_LOGIC_ZIP_H
#define SAFENPY_LOGIC_ZIP_H

#include <stdint.h>

/* clang-format off */
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
*/
/* clang-format on */

#endif
