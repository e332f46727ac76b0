/* frame.h: the frame, as the provers know it. spec/npy.md, "Frame"; spec/grammar.abnf, `prefix`.
 *
 * Logic only: the compiler sees an empty file. Each function reads the input and nothing else. `b` is the
 * file's first `n` bytes; a status and the byte at which its rule is broken are functions of their own. */
#ifndef SAFENPY_LOGIC_FRAME_H
#define SAFENPY_LOGIC_FRAME_H

#include "safenpy/status.h"

/* clang-format off */
/*@ // NPY-FRAME-001: 93 4E 55 4D 50 59
    logic integer magic_byte(integer i) =
        i == 0 ? 0x93 : i == 1 ? 'N' : i == 2 ? 'U' : i == 3 ? 'M' : i == 4 ? 'P' : 'Y';

    // the first byte from i on that is none of the magic's, or is not there; 6 if all are
    // decreases n - i
    logic integer magic_end(uint8_t *b, integer n, integer i) =
        i < 6 && i < n && b[i] == magic_byte(i) ? magic_end(b, n, i + 1) : i;

    // NPY-FRAME-002: magic, version, header length
    logic integer prefix_length(uint8_t *b) = b[6] == 1 ? 10 : 12;

    // NPY-FRAME-003
    logic integer major_of(uint8_t *b) = b[6];
    logic boolean known_major(integer major) = 1 <= major && major <= 3;

    // NPY-FRAME-004: little-endian, 2 bytes in version 1.0, 4 in the others
    logic integer header_length_of(uint8_t *b) =
        b[6] == 1 ? b[8] + 256 * b[9] : b[8] + 256 * b[9] + 65536 * b[10] + 16777216 * b[11];

    // what is wrong with the prefix, and where; SNPY_OK if nothing is
    logic integer prefix_status(uint8_t *b, integer n) =
        magic_end(b, n, 0) < 6 && magic_end(b, n, 0) < n ? SNPY_BAD_MAGIC :
        n < 7 ? SNPY_TRUNCATED_PREFIX :
        !known_major(b[6]) ? SNPY_UNSUPPORTED_VERSION :
        n < 8 ? SNPY_TRUNCATED_PREFIX :
        b[7] != 0 ? SNPY_UNSUPPORTED_VERSION :
        n < prefix_length(b) ? SNPY_TRUNCATED_PREFIX : SNPY_OK;
    logic integer prefix_at(uint8_t *b, integer n) =
        \let status = prefix_status(b, n);
        status == SNPY_BAD_MAGIC ? magic_end(b, n, 0) :
        status == SNPY_UNSUPPORTED_VERSION ? (known_major(b[6]) ? 7 : 6) : n;

    // NPY-FRAME-005: with the limit on the header's length
    logic integer frame_status(uint8_t *b, integer n, integer limit) =
        prefix_status(b, n) != SNPY_OK ? prefix_status(b, n) :
        header_length_of(b) > limit ? SNPY_HEADER_TOO_LONG : SNPY_OK;
    logic integer frame_at(uint8_t *b, integer n, integer limit) =
        prefix_status(b, n) != SNPY_OK ? prefix_at(b, n) : header_length_of(b) > limit ? 8 : 0;
*/
/* clang-format on */

#endif
