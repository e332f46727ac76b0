/* member.h: the characters of a member's name, its key, and which keys of an archive are equal.
 *                                                   NPZ-NAME-001, NPZ-NAME-002, NPZ-NAME-005, NPZ-NAME-006 */
#ifndef SAFENPY_LOGIC_MEMBER_H
#define SAFENPY_LOGIC_MEMBER_H

#include "safenpy/zip_types.h"
#include "spec/logic/tokens.h"
#include "spec/logic/zip.h"

/* clang-format off */
/*@ // NPZ-NAME-002: the characters of code page 437; those below 80 are ASCII
    logic integer cp437_80(integer b) =
        b == 0x80 ? 0xc7 : b == 0x81 ? 0xfc : b == 0x82 ? 0xe9 : b == 0x83 ? 0xe2 : b == 0x84 ? 0xe4 :
        b == 0x85 ? 0xe0 : b == 0x86 ? 0xe5 : b == 0x87 ? 0xe7 : b == 0x88 ? 0xea : b == 0x89 ? 0xeb :
        b == 0x8a ? 0xe8 : b == 0x8b ? 0xef : b == 0x8c ? 0xee : b == 0x8d ? 0xec : b == 0x8e ? 0xc4 : 0xc5;
    logic integer cp437_90(integer b) =
        b == 0x90 ? 0xc9 : b == 0x91 ? 0xe6 : b == 0x92 ? 0xc6 : b == 0x93 ? 0xf4 : b == 0x94 ? 0xf6 :
        b == 0x95 ? 0xf2 : b == 0x96 ? 0xfb : b == 0x97 ? 0xf9 : b == 0x98 ? 0xff : b == 0x99 ? 0xd6 :
        b == 0x9a ? 0xdc : b == 0x9b ? 0xa2 : b == 0x9c ? 0xa3 : b == 0x9d ? 0xa5 : b == 0x9e ? 0x20a7 : 0x192;
    logic integer cp437_a0(integer b) =
        b == 0xa0 ? 0xe1 : b == 0xa1 ? 0xed : b == 0xa2 ? 0xf3 : b == 0xa3 ? 0xfa : b == 0xa4 ? 0xf1 :
        b == 0xa5 ? 0xd1 : b == 0xa6 ? 0xaa : b == 0xa7 ? 0xba : b == 0xa8 ? 0xbf : b == 0xa9 ? 0x2310 :
        b == 0xaa ? 0xac : b == 0xab ? 0xbd : b == 0xac ? 0xbc : b == 0xad ? 0xa1 : b == 0xae ? 0xab : 0xbb;
    logic integer cp437_b0(integer b) =
        b == 0xb0 ? 0x2591 : b == 0xb1 ? 0x2592 : b == 0xb2 ? 0x2593 : b == 0xb3 ? 0x2502 : b == 0xb4 ? 0x2524 :
        b == 0xb5 ? 0x2561 : b == 0xb6 ? 0x2562 : b == 0xb7 ? 0x2556 : b == 0xb8 ? 0x2555 : b == 0xb9 ? 0x2563 :
        b == 0xba ? 0x2551 : b == 0xbb ? 0x2557 : b == 0xbc ? 0x255d : b == 0xbd ? 0x255c : b == 0xbe ? 0x255b :
        0x2510;
    logic integer cp437_c0(integer b) =
        b == 0xc0 ? 0x2514 : b == 0xc1 ? 0x2534 : b == 0xc2 ? 0x252c : b == 0xc3 ? 0x251c : b == 0xc4 ? 0x2500 :
        b == 0xc5 ? 0x253c : b == 0xc6 ? 0x255e : b == 0xc7 ? 0x255f : b == 0xc8 ? 0x255a : b == 0xc9 ? 0x2554 :
        b == 0xca ? 0x2569 : b == 0xcb ? 0x2566 : b == 0xcc ? 0x2560 : b == 0xcd ? 0x2550 : b == 0xce ? 0x256c :
        0x2567;
    logic integer cp437_d0(integer b) =
        b == 0xd0 ? 0x2568 : b == 0xd1 ? 0x2564 : b == 0xd2 ? 0x2565 : b == 0xd3 ? 0x2559 : b == 0xd4 ? 0x2558 :
        b == 0xd5 ? 0x2552 : b == 0xd6 ? 0x2553 : b == 0xd7 ? 0x256b : b == 0xd8 ? 0x256a : b == 0xd9 ? 0x2518 :
        b == 0xda ? 0x250c : b == 0xdb ? 0x2588 : b == 0xdc ? 0x2584 : b == 0xdd ? 0x258c : b == 0xde ? 0x2590 :
        0x2580;
    logic integer cp437_e0(integer b) =
        b == 0xe0 ? 0x3b1 : b == 0xe1 ? 0xdf : b == 0xe2 ? 0x393 : b == 0xe3 ? 0x3c0 : b == 0xe4 ? 0x3a3 :
        b == 0xe5 ? 0x3c3 : b == 0xe6 ? 0xb5 : b == 0xe7 ? 0x3c4 : b == 0xe8 ? 0x3a6 : b == 0xe9 ? 0x398 :
        b == 0xea ? 0x3a9 : b == 0xeb ? 0x3b4 : b == 0xec ? 0x221e : b == 0xed ? 0x3c6 : b == 0xee ? 0x3b5 : 0x2229;
    logic integer cp437_f0(integer b) =
        b == 0xf0 ? 0x2261 : b == 0xf1 ? 0xb1 : b == 0xf2 ? 0x2265 : b == 0xf3 ? 0x2264 : b == 0xf4 ? 0x2320 :
        b == 0xf5 ? 0x2321 : b == 0xf6 ? 0xf7 : b == 0xf7 ? 0x2248 : b == 0xf8 ? 0xb0 : b == 0xf9 ? 0x2219 :
        b == 0xfa ? 0xb7 : b == 0xfb ? 0x221a : b == 0xfc ? 0x207f : b == 0xfd ? 0xb2 : b == 0xfe ? 0x25a0 : 0xa0;
    logic integer cp437(integer b) =
        b < 0x80 ? b :
        b < 0x90 ? cp437_80(b) : b < 0xa0 ? cp437_90(b) : b < 0xb0 ? cp437_a0(b) : b < 0xc0 ? cp437_b0(b) :
        b < 0xd0 ? cp437_c0(b) : b < 0xe0 ? cp437_d0(b) : b < 0xf0 ? cp437_e0(b) : cp437_f0(b);

    // NPZ-NAME-001: bytes of the character at i of a name of n bytes; 0 if it is not well-formed
    logic boolean in_utf8(integer flags) = flags / SNPY_ZIP_FLAG_UTF8 % 2 == 1;
    logic integer member_step(uint8_t *t, integer n, integer i, integer flags) =
        in_utf8(flags) ? utf8_size(t, n, i, \false) : 1;
    // the character at i, if it is well-formed
    logic integer member_value(uint8_t *t, integer i, integer flags) =
        in_utf8(flags) ? utf8_value(t, i) : cp437(t[i]);

    // where the first ill-formed sequence from i on begins; n if there is none
    // decreases n - i
    logic integer characters_end(uint8_t *t, integer n, integer i, integer flags) =
        i < n && member_step(t, n, i, flags) > 0 ? characters_end(t, n, i + member_step(t, n, i, flags), flags) : i;

    // The order of two names by characters, t from i to n and u from j to m: 0 if they are equal, negative if the
    // first sorts before. A name that ends sorts before one that goes on; an ill-formed sequence ends it and sorts
    // between.
    // decreases n - i
    logic integer order_of_texts(uint8_t *t, integer n, integer i, integer e,
                                 uint8_t *u, integer m, integer j, integer f) =
        i >= n || j >= m ? (i < n ? 1 : 0) - (j < m ? 1 : 0) :
        member_step(t, n, i, e) <= 0 || member_step(u, m, j, f) <= 0
            ? (member_step(u, m, j, f) <= 0 ? 0 : -1) + (member_step(t, n, i, e) <= 0 ? 0 : 1) :
        member_value(t, i, e) != member_value(u, j, f) ? member_value(t, i, e) - member_value(u, j, f) :
        order_of_texts(t, n, i + member_step(t, n, i, e), e, u, m, j + member_step(u, m, j, f), f);

    // ---- what is checked of the name in a central header at `at`, in a directory of n bytes

    // a CRC-32 without its inversions: of k bits that are left, and of the bytes from i on
    // decreases k
    logic integer crc_bits(integer s, integer k) =
        k <= 0 ? s : crc_bits(s % 2 == 1 ? (uint32_t)((uint32_t)(s / 2) ^ 0xedb88320) : s / 2, k - 1);
    // decreases n - i
    logic integer crc_bytes(uint8_t *t, integer n, integer i, integer s) =
        i < n ? crc_bytes(t, n, i + 1, crc_bits((uint32_t)(s ^ t[i]), 8)) : s;
    logic integer crc_of(uint8_t *t, integer n, integer crc) =
        (uint32_t)(crc_bytes(t, n, 0, (uint32_t)(crc ^ 0xffffffff)) ^ 0xffffffff);

    // NPZ-EXTRA-005: the Unicode path in the field at `path` is of version 1, and has the name's CRC and characters
    logic boolean path_agrees(uint8_t *b, integer path, uint8_t *name, integer length, integer flags) =
        le16(b, path + 2) >= 5 && b[path + 4] == 1 && le32(b, path + 5) == crc_of(name, length, 0)
        && order_of_texts(name, length, 0, flags, b + (path + 9), le16(b, path + 2) - 5, 0, SNPY_ZIP_FLAG_UTF8) == 0;

    // NPZ-NAME-003: the first NUL from i on, n if there is none
    // decreases n - i
    logic integer first_nul(uint8_t *b, integer i, integer n) = i < n && b[i] != 0 ? first_nul(b, i + 1, n) : i;

    // NPZ-NAME-001, NPZ-EXTRA-005, NPZ-NAME-003, NPZ-NAME-004: the first rule that a name breaks
    logic boolean name_in_bad_utf8(uint8_t *b, integer at, integer length, integer flags) =
        in_utf8(flags) && utf8_end(b + (at + SNPY_ZIP_NAME_OFFSET), length, 0) < length;
    logic boolean name_has_other_path(uint8_t *b, integer at, integer length, integer flags, integer path) =
        path != 0 && !path_agrees(b, path, b + (at + SNPY_ZIP_NAME_OFFSET), length, flags);
    logic integer name_nul(uint8_t *b, integer at, integer length) =
        first_nul(b, at + SNPY_ZIP_NAME_OFFSET, at + SNPY_ZIP_NAME_OFFSET + length);
    logic integer name_status(uint8_t *b, integer at, integer length, integer flags, integer path) =
        name_in_bad_utf8(b, at, length, flags) ? SNPY_ZIP_NAME_UTF8 :
        name_has_other_path(b, at, length, flags, path) ? SNPY_ZIP_UNICODE_PATH :
        name_nul(b, at, length) < at + SNPY_ZIP_NAME_OFFSET + length ? SNPY_ZIP_NUL_IN_NAME :
        length == 0 ? SNPY_ZIP_EMPTY_NAME : SNPY_OK;
    logic integer name_fault(uint8_t *b, integer at, integer length, integer flags, integer path) =
        name_in_bad_utf8(b, at, length, flags) ?
            at + SNPY_ZIP_NAME_OFFSET + utf8_end(b + (at + SNPY_ZIP_NAME_OFFSET), length, 0) :
        name_has_other_path(b, at, length, flags, path) ? path :
        length > 0 ? name_nul(b, at, length) : at + 28;

    // NPZ-NAME-009: the same of the member's name, and of a directory that has data
    logic integer central_path(uint8_t *b, integer at) =
        extra_first(b, central_extra(b, at), central_comment(b, at), 0x7075, 0);
    logic integer central_name_status(uint8_t *b, integer at) =
        name_status(b, at, le16(b, at + 28), le16(b, at + 8), central_path(b, at)) != SNPY_OK ?
            name_status(b, at, le16(b, at + 28), le16(b, at + 8), central_path(b, at)) :
        b[central_extra(b, at) - 1] == '/' && central_size(b, at) != 0 ? SNPY_ZIP_DIRECTORY_DATA : SNPY_OK;
    logic integer central_name_fault(uint8_t *b, integer at) =
        name_status(b, at, le16(b, at + 28), le16(b, at + 8), central_path(b, at)) != SNPY_OK ?
            name_fault(b, at, le16(b, at + 28), le16(b, at + 8), central_path(b, at)) : at + 24;

    // NPZ-ERR-001: the first rule that a header breaks, and the first header of the directory that breaks one; n if
    // none does
    logic integer header_status(uint8_t *b, integer n, integer at) =
        central_status(b, n, at) != SNPY_OK ? central_status(b, n, at) : central_name_status(b, at);
    logic integer header_fault(uint8_t *b, integer n, integer at) =
        central_status(b, n, at) != SNPY_OK ? central_fault(b, n, at) : central_name_fault(b, at);
    // tail call
    logic integer first_bad_header(uint8_t *b, integer n, integer at) =
        at < n && header_status(b, n, at) == SNPY_OK ?
            first_bad_header(b, n, at + (46 + le16(b, at + 28) + le16(b, at + 30) + le16(b, at + 32))) : at;

    // ---- the keys of members; the bytes of the directory begin at `base` in the file

    // NPZ-NAME-005: bytes of the key in a name of n bytes
    logic integer length_of_key(uint8_t *t, integer n) =
        n >= 4 && t[n - 4] == '.' && t[n - 3] == 'n' && t[n - 2] == 'p' && t[n - 1] == 'y' ? n - 4 : n;
    logic integer member_start(snpy_zip_member *m, integer base, integer k) =
        m[k].central_offset - base + SNPY_ZIP_NAME_OFFSET;
    logic integer member_length(uint8_t *b, integer base, snpy_zip_member *m, integer k) =
        length_of_key(b + member_start(m, base, k), m[k].name_length);
    logic integer order_of_members(uint8_t *b, integer base, snpy_zip_member *m, integer i, integer j) =
        order_of_texts(b + member_start(m, base, i), member_length(b, base, m, i), 0, m[i].flags,
                       b + member_start(m, base, j), member_length(b, base, m, j), 0, m[j].flags);
    predicate is_decodable(uint8_t *b, integer base, snpy_zip_member *m, integer k) =
        characters_end(b + member_start(m, base, k), member_length(b, base, m, k), 0, m[k].flags)
        >= member_length(b, base, m, k);

    // NPZ-NAME-006: two members have the same key
    predicate same_keys(uint8_t *b, integer base, snpy_zip_member *m, integer i, integer j) =
        order_of_members(b, base, m, i, j) == 0 && is_decodable(b, base, m, i) && is_decodable(b, base, m, j);
    // member k has the key of an earlier one, and is the first of the n that has
    predicate first_key_again(uint8_t *b, integer base, snpy_zip_member *m, integer n, integer k) =
        (\exists integer i; 0 <= i < k && same_keys(b, base, m, i, k))
        && \forall integer i, j; 0 <= i < j < n && same_keys(b, base, m, i, j) ==> k <= j;
*/
/* clang-format on */

#endif
