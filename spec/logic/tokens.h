/* tokens.h: the tokens of the header text, as the provers know them. spec/npy.md, "Literal";
 * spec/grammar.abnf.
 *
 * Logic only: the compiler sees an empty file. Each function reads the input and nothing else: `t` is the
 * header text of `n` bytes, `i` a position in it. A token has a status (SNPY_OK: it is well-formed) and a
 * stop: the byte behind it, or the byte at fault.
 *
 * A recursive function steps by a sum, i + length: the provers choose their triggers so that they see it. */
#ifndef SAFENPY_LOGIC_TOKENS_H
#define SAFENPY_LOGIC_TOKENS_H

#include "safenpy/status.h"

/* clang-format off */
/*@ // ---- bytes

    // space, TAB, LF, FF, CR
    logic boolean blank(integer c) = c == 32 || c == 9 || c == 10 || c == 12 || c == 13;

    logic boolean digit(integer c) = 48 <= c && c <= 57;

    // NPY-LIT-005: U+0000 to U+001F and U+007F
    logic boolean control(integer c) = c < 32 || c == 127;

    logic boolean quote_mark(integer c) = c == '\'' || c == '"';

    // ---- runs

    // decreases n - i
    logic integer blanks_end(uint8_t *t, integer n, integer i) =
        i < n && blank(t[i]) ? blanks_end(t, n, i + 1) : i;

    // decreases n - i
    logic integer digits_end(uint8_t *t, integer n, integer i) =
        i < n && digit(t[i]) ? digits_end(t, n, i + 1) : i;

    // the number that the digits t[a .. b-1] make
    // decreases b - a
    logic integer dec(uint8_t *t, integer a, integer b) =
        a < b ? 10 * dec(t, a, b - 1) + (t[b - 1] - 48) : 0;

    // ---- UTF-8

    // NPY-FRAME-007: the bytes of the code point at i, 0 if they are ill-formed; `s` allows surrogates
    logic boolean tail(uint8_t *t, integer n, integer i) = i < n && 0x80 <= t[i] && t[i] <= 0xbf;
    logic integer utf8_three_value(uint8_t *t, integer i) =
        (t[i] - 0xe0) * 4096 + (t[i + 1] - 0x80) * 64 + (t[i + 2] - 0x80);
    logic integer utf8_four_value(uint8_t *t, integer i) =
        (t[i] - 0xf0) * 262144 + (t[i + 1] - 0x80) * 4096 + (t[i + 2] - 0x80) * 64 + (t[i + 3] - 0x80);
    logic integer utf8_three_size(uint8_t *t, integer n, integer i, boolean s) =
        tail(t, n, i + 1) && tail(t, n, i + 2) && utf8_three_value(t, i) >= 0x800
        && (s || utf8_three_value(t, i) < 0xd800 || utf8_three_value(t, i) > 0xdfff) ? 3 : 0;
    logic integer utf8_four_size(uint8_t *t, integer n, integer i) =
        t[i] <= 0xf4 && tail(t, n, i + 1) && tail(t, n, i + 2) && tail(t, n, i + 3)
        && 0x10000 <= utf8_four_value(t, i) && utf8_four_value(t, i) <= 0x10ffff ? 4 : 0;
    logic integer utf8_size(uint8_t *t, integer n, integer i, boolean s) =
        t[i] < 0x80 ? 1 : t[i] < 0xc2 ? 0 :
        t[i] < 0xe0 ? (tail(t, n, i + 1) ? 2 : 0) :
        t[i] < 0xf0 ? utf8_three_size(t, n, i, s) : utf8_four_size(t, n, i);
    logic integer utf8_value(uint8_t *t, integer i) =
        t[i] < 0x80 ? t[i] : t[i] < 0xe0 ? (t[i] - 0xc0) * 64 + (t[i + 1] - 0x80) :
        t[i] < 0xf0 ? utf8_three_value(t, i) : utf8_four_value(t, i);
    // where the first ill-formed sequence begins; n if there is none
    // decreases n - i
    logic integer utf8_end(uint8_t *t, integer n, integer i) =
        i < n && utf8_size(t, n, i, \false) > 0 ? utf8_end(t, n, i + utf8_size(t, n, i, \false)) : i;

    // ---- strings

    // NPY-LIT-004: a quote, with a lower-case u in front of it or not
    logic integer quote_at(uint8_t *t, integer n, integer i) = i < n && t[i] == 'u' ? i + 1 : i;
    logic integer quote_status(uint8_t *t, integer n, integer i) =
        quote_at(t, n, i) >= n ? SNPY_UNEXPECTED_END :
        quote_mark(t[quote_at(t, n, i)]) ? SNPY_OK : SNPY_EXPECTED_STRING;
    logic integer quote_stop(uint8_t *t, integer n, integer i) =
        quote_status(t, n, i) == SNPY_OK ? quote_at(t, n, i) + 1 : quote_at(t, n, i);

    // NPY-LIT-008: a type string holds no backslash; from behind its opening quote q to the byte that ends it
    // decreases n - i
    logic integer type_end(uint8_t *t, integer n, integer i, integer q) =
        i < n && t[i] != q && t[i] != '\\' && !control(t[i]) ? type_end(t, n, i + 1, q) : i;
    logic integer type_status_at(uint8_t *t, integer n, integer stop, integer q) =
        stop >= n ? SNPY_UNEXPECTED_END : t[stop] == q ? SNPY_OK :
        t[stop] == '\\' ? SNPY_ESCAPE_IN_TYPE : SNPY_CONTROL_IN_STRING;

    // the value of a hexadecimal digit of either case, 16 for any other byte
    logic integer hex(integer c) =
        digit(c) ? c - 48 : 'a' <= c && c <= 'f' ? c - 'a' + 10 : 'A' <= c && c <= 'F' ? c - 'A' + 10 : 16;
    // how many of the bytes from i on are hexadecimal digits, at most `most` of them
    // decreases most - k
    logic integer hex_count(uint8_t *t, integer n, integer i, integer k, integer most) =
        k < most && i + k < n && hex(t[i + k]) < 16 ? hex_count(t, n, i, k + 1, most) : k;
    // the number that k of them make
    // decreases k
    logic integer hex_value_of(uint8_t *t, integer i, integer k) =
        k > 0 ? 16 * hex_value_of(t, i, k - 1) + hex(t[i + k - 1]) : 0;

    // NPY-LIT-006: escapes. The letter behind the backslash says how many hexadecimal digits follow it,
    logic integer escape_size(integer c) = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    // or what it stands for (0: it is no escape).
    logic integer escape_char(integer c) =
        c == '\\' || c == '\'' || c == '"' ? c : c == 'n' ? 10 : c == 'r' ? 13 : c == 't' ? 9 : 0;
    logic boolean escape_ok(uint8_t *t, integer n, integer i) =
        i + 1 < n
        && (escape_size(t[i + 1]) == 0 ? escape_char(t[i + 1]) != 0
            : hex_count(t, n, i + 2, 0, escape_size(t[i + 1])) == escape_size(t[i + 1]));
    logic integer escape_value(uint8_t *t, integer i) =
        escape_size(t[i + 1]) == 0 ? escape_char(t[i + 1]) : hex_value_of(t, i + 2, escape_size(t[i + 1]));
    // NPY-LIT-007: and no code point above U+10FFFF
    logic integer escape_status(uint8_t *t, integer n, integer i) =
        !escape_ok(t, n, i) ? SNPY_BAD_ESCAPE :
        escape_value(t, i) > 0x10ffff ? SNPY_CODE_POINT_RANGE : SNPY_OK;
    logic integer escape_length(uint8_t *t, integer i) = 2 + escape_size(t[i + 1]);

    // one character of a name: a byte, or an escape
    logic integer character_status(uint8_t *t, integer n, integer i) =
        t[i] == '\\' ? escape_status(t, n, i) : SNPY_OK;
    logic integer character_length(uint8_t *t, integer i) = t[i] == '\\' ? escape_length(t, i) : 1;

    // a name or title from behind its opening quote q: the byte that ends it, or is at fault
    // tail call
    logic integer name_end(uint8_t *t, integer n, integer i, integer q) =
        i >= n || t[i] == q || control(t[i]) || character_status(t, n, i) != SNPY_OK
            ? i : name_end(t, n, i + character_length(t, i), q);
    logic integer name_status_at(uint8_t *t, integer n, integer stop, integer q) =
        stop >= n ? SNPY_UNEXPECTED_END : t[stop] == q ? SNPY_OK :
        control(t[stop]) ? SNPY_CONTROL_IN_STRING : character_status(t, n, stop);

    // with prefix and quotes
    logic integer string_status(uint8_t *t, integer n, integer i) =
        quote_status(t, n, i) != SNPY_OK ? quote_status(t, n, i) :
        \let start = quote_stop(t, n, i);
        name_status_at(t, n, name_end(t, n, start, t[start - 1]), t[start - 1]);
    logic integer string_stop(uint8_t *t, integer n, integer i) =
        quote_status(t, n, i) != SNPY_OK ? quote_stop(t, n, i) :
        \let start = quote_stop(t, n, i);
        \let stop = name_end(t, n, start, t[start - 1]);
        string_status(t, n, i) == SNPY_OK ? stop + 1 : stop;

    // ---- keys

    logic boolean word5(uint8_t *t, integer n, integer i, integer a, integer b, integer c, integer d, integer e) =
        i + 5 <= n && t[i] == a && t[i + 1] == b && t[i + 2] == c && t[i + 3] == d && t[i + 4] == e;

    // NPY-HDR-001: 1 for descr, 2 for fortran_order, 3 for shape, each with the closing quote q; 0 for none
    logic integer key_at(uint8_t *t, integer n, integer i, integer q) =
        word5(t, n, i, 'd', 'e', 's', 'c', 'r') && i + 5 < n && t[i + 5] == q ? 1 :
        word5(t, n, i, 's', 'h', 'a', 'p', 'e') && i + 5 < n && t[i + 5] == q ? 3 :
        word5(t, n, i, 'f', 'o', 'r', 't', 'r') && word5(t, n, i + 5, 'a', 'n', '_', 'o', 'r')
        && word5(t, n, i + 8, 'o', 'r', 'd', 'e', 'r') && i + 13 < n && t[i + 13] == q ? 2 : 0;
    logic integer key_length(integer key) = key == 2 ? 13 : 5;

    // ---- dimensions

    // NPY-LIT-017 … NPY-LIT-019: a decimal integer
    logic integer number_status(uint8_t *t, integer n, integer i) =
        t[i] == '-' || t[i] == '+' ? SNPY_SIGNED_DIMENSION :
        !digit(t[i]) ? SNPY_BAD_DIMENSION :
        t[i] == '0' && digits_end(t, n, i) > i + 1 ? SNPY_LEADING_ZERO : SNPY_OK;

    // flag numpy-int: the length of `np.int8(`, `np.int16(`, `np.int32(`, `np.int64(`, or of these with `uint`;
    // 0 if none of them stands there. The shortest whole one, with a digit and `)`, has 10 bytes.
    logic integer int_name_length(uint8_t *t, integer i) =
        !(t[i] == 'i' && t[i + 1] == 'n' && t[i + 2] == 't') ? 0 :
        t[i + 3] == '8' ? (t[i + 4] == '(' ? 5 : 0) :
        (t[i + 3] == '1' && t[i + 4] == '6') || (t[i + 3] == '3' && t[i + 4] == '2')
        || (t[i + 3] == '6' && t[i + 4] == '4') ? (t[i + 5] == '(' ? 6 : 0) : 0;
    logic integer numpy_prefix(uint8_t *t, integer n, integer i) =
        !(i + 10 <= n && t[i] == 'n' && t[i + 1] == 'p' && t[i + 2] == '.') ? 0 :
        \let u = t[i + 3] == 'u' ? 4 : 3;
        \let m = int_name_length(t, i + u);
        m > 0 ? u + m : 0;

    // a number as the C code keeps it: all that is larger than the bound is one
    logic integer capped(integer value, integer bound) = value > bound ? bound + 1 : value;

    // NPY-LIT-017 … NPY-LIT-020: 3, 3L (versions 1.0 and 2.0: `l`), np.int64(3) (flag numpy-int: `np`)
    logic integer dimension_at(uint8_t *t, integer n, integer i, boolean np) = np ? i + numpy_prefix(t, n, i) : i;
    // what stands behind its digits: the bracket of np.int64(, or the suffix
    logic integer suffix_status(uint8_t *t, integer n, integer e, boolean wrapped, boolean l) =
        e >= n ? SNPY_OK :
        wrapped ? (t[e] == ')' ? SNPY_OK : SNPY_BAD_DIMENSION) :
        t[e] == 'L' && !l ? SNPY_LONG_SUFFIX : SNPY_OK;
    logic integer suffix_stop(uint8_t *t, integer n, integer e, boolean wrapped, boolean l) =
        e < n && suffix_status(t, n, e, wrapped, l) == SNPY_OK && (wrapped || t[e] == 'L') ? e + 1 : e;
    logic integer dimension_status(uint8_t *t, integer n, integer i, boolean l, boolean np) =
        \let s = dimension_at(t, n, i, np);
        s >= n ? SNPY_UNEXPECTED_END :
        number_status(t, n, s) != SNPY_OK ? number_status(t, n, s) :
        suffix_status(t, n, digits_end(t, n, s), s > i, l);
    logic integer dimension_stop(uint8_t *t, integer n, integer i, boolean l, boolean np) =
        \let s = dimension_at(t, n, i, np);
        s >= n ? n :
        number_status(t, n, s) != SNPY_OK ? s :
        suffix_stop(t, n, digits_end(t, n, s), s > i, l);
    logic integer dimension_value(uint8_t *t, integer n, integer i, boolean np) =
        dec(t, dimension_at(t, n, i, np), digits_end(t, n, dimension_at(t, n, i, np)));

    // ---- items of a shape: a dimension with the comma or the bracket behind it, or the bracket `c` alone

    logic integer item_at(uint8_t *t, integer n, integer i) = blanks_end(t, n, i);
    logic boolean item_is_close(uint8_t *t, integer n, integer i, integer c) =
        item_at(t, n, i) < n && t[item_at(t, n, i)] == c;
    // where the comma or the bracket should be, behind a sound dimension
    logic integer item_mark(uint8_t *t, integer n, integer i, boolean l, boolean np) =
        blanks_end(t, n, dimension_stop(t, n, item_at(t, n, i), l, np));
    // NPY-LIT-016, NPY-LIT-017: `first` says that a tuple would be closed behind one dimension without comma
    logic integer item_status(uint8_t *t, integer n, integer i, integer c, boolean l, boolean np, boolean first) =
        item_at(t, n, i) >= n ? SNPY_UNEXPECTED_END :
        item_is_close(t, n, i, c) ? SNPY_OK :
        dimension_status(t, n, item_at(t, n, i), l, np) != SNPY_OK
            ? dimension_status(t, n, item_at(t, n, i), l, np) :
        \let m = item_mark(t, n, i, l, np);
        m >= n ? SNPY_UNEXPECTED_END :
        t[m] != ',' && t[m] != c ? SNPY_BAD_DIMENSION :
        t[m] == ')' && first ? SNPY_SHAPE_NOT_A_TUPLE : SNPY_OK;
    logic integer item_stop(uint8_t *t, integer n, integer i, integer c, boolean l, boolean np, boolean first) =
        item_at(t, n, i) >= n ? n :
        item_is_close(t, n, i, c) ? item_at(t, n, i) + 1 :
        dimension_status(t, n, item_at(t, n, i), l, np) != SNPY_OK
            ? dimension_stop(t, n, item_at(t, n, i), l, np) :
        \let m = item_mark(t, n, i, l, np);
        item_status(t, n, i, c, l, np, first) == SNPY_OK ? m + 1 : m;
    // whether the bracket was read; only of a sound item
    logic boolean item_closes(uint8_t *t, integer n, integer i, integer c, boolean l, boolean np) =
        item_is_close(t, n, i, c) || t[item_mark(t, n, i, l, np)] != ',';
    logic integer item_value(uint8_t *t, integer n, integer i, boolean np) =
        dimension_value(t, n, item_at(t, n, i), np);
*/
/* clang-format on */

#endif
