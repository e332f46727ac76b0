/* dtype.h: type strings, as the provers know them. spec/npy.md, "Dtype"; spec/grammar.abnf, `type-string`.
 *
 * Logic only: the compiler sees an empty file. Each function reads the input and nothing else: `t` is the header
 * text, `i` a position in it, `e` where the type string ends, its closing quote. A type string has a status
 * (SNPY_OK: it is a type), on refusal a byte at fault, and else five values: kind, byteorder, itemsize, unit,
 * multiplier. The compatibility flags that bear on it: `native` order, type `names`, bytes `alias`,
 * `platform` float. */
#ifndef SAFENPY_LOGIC_DTYPE_H
#define SAFENPY_LOGIC_DTYPE_H

#include "safenpy/dtype.h"
#include "safenpy/status.h"
#include "spec/logic/tokens.h"

/* clang-format off */
/*@ // ---- order, kind, size

    logic boolean order_mark(integer c) = c == '<' || c == '>' || c == '|' || c == '=';
    logic boolean time_kind(integer kind) = kind == 'M' || kind == 'm';

    // the order as written, 0 if none is, and where the kind should be
    logic integer order_of(uint8_t *t, integer i, integer e) = i < e && order_mark(t[i]) ? t[i] : 0;
    logic integer kind_at(uint8_t *t, integer i, integer e) = i < e && order_mark(t[i]) ? i + 1 : i;

    // NPY-DTYPE-001: the kinds of the table
    logic boolean known_kind(integer c) =
        c == 'b' || c == 'i' || c == 'u' || c == 'f' || c == 'c' || c == 'S' || c == 'V' || c == 'U' || c == 'M'
        || c == 'm' || c == 'O';
    // the kind that a letter stands for, 0 if for none; NPY-COMPAT-010: `a` is `S`
    logic integer kind_of_letter(integer c) = c == 'a' ? 'S' : known_kind(c) ? c : 0;

    // NPY-DTYPE-004: the sizes of the table, for the kinds with a few
    logic boolean listed_size(integer kind, integer size) =
        kind == 'b' ? size == 1 :
        kind == 'i' || kind == 'u' ? size == 1 || size == 2 || size == 4 || size == 8 :
        kind == 'f' ? size == 2 || size == 4 || size == 8 || size == 16 :
        kind == 'c' ? size == 8 || size == 16 || size == 32 : time_kind(kind) && size == 8;
    // NPY-DTYPE-005: long doubles of other platforms
    logic boolean platform_size(integer kind, integer size) =
        kind == 'f' ? size == 10 || size == 12 : kind == 'c' && (size == 20 || size == 24);
    // NPY-DTYPE-008: the largest size of the others
    logic boolean large_size(integer kind, integer size) =
        kind == 'S' || kind == 'V' ? size > 2147483647 : kind == 'U' && size > 536870911;

    // what is wrong with a kind's size; `sized` says that one is written
    logic integer size_status(integer kind, boolean sized, integer size, boolean platform) =
        kind == 'O' ? (!sized || size == 4 || size == 8 ? SNPY_OK : SNPY_BAD_TYPE_SIZE) :
        !sized ? SNPY_BAD_TYPE_SIZE :
        kind == 'S' || kind == 'V' || kind == 'U' ? (large_size(kind, size) ? SNPY_TYPE_TOO_LARGE : SNPY_OK) :
        platform_size(kind, size) ? (platform ? SNPY_OK : SNPY_PLATFORM_FLOAT) :
        listed_size(kind, size) ? SNPY_OK : SNPY_BAD_TYPE_SIZE;
    // code points have four bytes; NPY-DTYPE-019: an object counts as 8
    logic integer size_in_bytes(integer kind, integer size) = kind == 'O' ? 8 : kind == 'U' ? 4 * size : size;

    // the number behind a kind at k: no leading zero, and nothing behind it but a datetime's bracket
    logic integer number_end(uint8_t *t, integer k, integer e) = digits_end(t, e, k + 1);
    logic boolean bad_number(uint8_t *t, integer k, integer e, integer kind) =
        (number_end(t, k, e) > k + 2 && t[k + 1] == '0') || (number_end(t, k, e) < e && !time_kind(kind));
    logic integer sized_status(uint8_t *t, integer k, integer e, integer kind, boolean platform) =
        bad_number(t, k, e, kind) ? SNPY_BAD_TYPE_SIZE :
        size_status(kind, number_end(t, k, e) > k + 1, dec(t, k + 1, number_end(t, k, e)), platform);
    logic integer sized_bytes(uint8_t *t, integer k, integer e, integer kind) =
        size_in_bytes(kind, dec(t, k + 1, number_end(t, k, e)));

    logic integer kind_status(uint8_t *t, integer k, integer e, boolean alias, boolean platform) =
        k >= e ? SNPY_UNKNOWN_TYPE :
        t[k] == 'a' && !alias ? SNPY_BYTES_ALIAS :
        kind_of_letter(t[k]) == 0 ? SNPY_UNKNOWN_TYPE : sized_status(t, k, e, kind_of_letter(t[k]), platform);
    logic integer kind_fault(uint8_t *t, integer k, integer e, boolean alias) =
        k >= e || (t[k] == 'a' && !alias) || kind_of_letter(t[k]) == 0 ? k : k + 1;
    logic integer kind_size(uint8_t *t, integer k, integer e) = sized_bytes(t, k, e, kind_of_letter(t[k]));

    // ---- what the order means

    logic boolean missing_order(integer order) = order == 0 || order == '=';
    // kinds of single bytes: their order is ignored
    logic boolean orderless(integer kind, integer size) =
        kind == 'S' || kind == 'V' || kind == 'b' || ((kind == 'i' || kind == 'u') && size == 1);
    // NPY-DTYPE-002, NPY-DTYPE-003, NPY-COMPAT-008
    logic integer order_status(integer kind, integer size, integer order, boolean unnamed, boolean native) =
        kind == 'O' ? (missing_order(order) || order == '|' ? SNPY_OK : SNPY_BAD_BYTE_ORDER) :
        missing_order(order) && !native && !(kind == 'V' && unnamed) ? SNPY_NO_BYTE_ORDER :
        order == '|' && !orderless(kind, size) ? SNPY_BAD_BYTE_ORDER : SNPY_OK;
    logic integer order_meant(integer kind, integer size, integer order) =
        kind == 'O' || orderless(kind, size) ? '|' : order == '>' ? '>' : '<';

    // ---- a datetime's bracket, from b to the end of the type string, or nothing

    // NPY-DTYPE-009: `ms us ns ps fs as`, by their first letter, and `Y M W D h m s`; 0 for no unit
    logic integer second_part(integer c) =
        c == 'm' ? SNPY_UNIT_MILLISECOND : c == 'u' ? SNPY_UNIT_MICROSECOND : c == 'n' ? SNPY_UNIT_NANOSECOND :
        c == 'p' ? SNPY_UNIT_PICOSECOND : c == 'f' ? SNPY_UNIT_FEMTOSECOND : c == 'a' ? SNPY_UNIT_ATTOSECOND : 0;
    logic integer unit_of_letter(integer c) =
        c == 'Y' ? SNPY_UNIT_YEAR : c == 'M' ? SNPY_UNIT_MONTH : c == 'W' ? SNPY_UNIT_WEEK :
        c == 'D' ? SNPY_UNIT_DAY : c == 'h' ? SNPY_UNIT_HOUR : c == 'm' ? SNPY_UNIT_MINUTE :
        c == 's' ? SNPY_UNIT_SECOND : 0;
    logic boolean two_letters(uint8_t *t, integer i, integer e) =
        i + 1 < e && t[i + 1] == 's' && second_part(t[i]) != 0;
    logic integer unit_of(uint8_t *t, integer i, integer e) =
        i >= e ? 0 : two_letters(t, i, e) ? second_part(t[i]) : unit_of_letter(t[i]);
    logic integer unit_end(uint8_t *t, integer i, integer e) = two_letters(t, i, e) ? i + 2 : i + 1;

    // NPY-DTYPE-010: the multiplier from i on, if there is one: no sign, no zero in front
    logic boolean bad_multiplier(uint8_t *t, integer i, integer e) =
        i < e
        && (t[i] == '+' || t[i] == '-'
            || (digits_end(t, e, i) > i && (t[i] == '0' || dec(t, i, digits_end(t, e, i)) > 2147483647)));
    // where the unit should begin
    logic integer unit_at(uint8_t *t, integer b, integer e) = digits_end(t, e, b + 1);

    // NPY-DTYPE-011: a divisor
    logic integer bracket_status(uint8_t *t, integer b, integer e) =
        b >= e ? SNPY_OK :
        t[b] != '[' ? SNPY_BAD_UNIT :
        bad_multiplier(t, b + 1, e) ? SNPY_BAD_MULTIPLIER :
        \let u = unit_at(t, b, e);
        \let c = unit_end(t, u, e);
        unit_of(t, u, e) == 0 || c >= e ? SNPY_BAD_UNIT :
        t[c] == '/' ? SNPY_UNIT_DIVISOR :
        t[c] == ']' && c + 1 == e ? SNPY_OK : SNPY_BAD_UNIT;
    logic integer bracket_fault(uint8_t *t, integer b, integer e) =
        t[b] != '[' ? b :
        bad_multiplier(t, b + 1, e) ? b + 1 :
        bracket_status(t, b, e) == SNPY_UNIT_DIVISOR ? unit_end(t, unit_at(t, b, e), e) : unit_at(t, b, e);
    // what the bracket says of a type of that kind: nothing, unless it is a datetime or a timedelta
    logic integer time_unit(integer kind, uint8_t *t, integer b, integer e) =
        time_kind(kind) && b < e ? unit_of(t, unit_at(t, b, e), e) : SNPY_UNIT_GENERIC;
    logic integer time_multiplier(integer kind, uint8_t *t, integer b, integer e) =
        !time_kind(kind) ? 0 :
        b < e && unit_at(t, b, e) > b + 1 ? dec(t, b + 1, unit_at(t, b, e)) : 1;

    // ---- names of types: letters, a number of bits, and a datetime's bracket

    logic boolean lower(integer c) = 'a' <= c && c <= 'z';
    // NPY-DTYPE-006: two lower-case letters at the start make a name
    logic boolean is_name(uint8_t *t, integer i, integer e) = i + 2 <= e && lower(t[i]) && lower(t[i + 1]);
    // decreases e - i
    logic integer letters_end(uint8_t *t, integer i, integer e) =
        i < e && lower(t[i]) ? letters_end(t, i + 1, e) : i;

    // NPY-COMPAT-009: the words, each the whole of t[i .. w-1]
    logic boolean word_int(uint8_t *t, integer i, integer w) =
        w == i + 3 && t[i] == 'i' && t[i + 1] == 'n' && t[i + 2] == 't';
    logic boolean word_bool(uint8_t *t, integer i, integer w) =
        w == i + 4 && t[i] == 'b' && t[i + 1] == 'o' && t[i + 2] == 'o' && t[i + 3] == 'l';
    logic boolean word_uint(uint8_t *t, integer i, integer w) =
        w == i + 4 && t[i] == 'u' && t[i + 1] == 'i' && t[i + 2] == 'n' && t[i + 3] == 't';
    logic boolean word_float(uint8_t *t, integer i, integer w) =
        w == i + 5 && t[i] == 'f' && t[i + 1] == 'l' && t[i + 2] == 'o' && t[i + 3] == 'a' && t[i + 4] == 't';
    logic boolean word_object(uint8_t *t, integer i, integer w) =
        w == i + 6 && t[i] == 'o' && t[i + 1] == 'b' && t[i + 2] == 'j' && t[i + 3] == 'e' && t[i + 4] == 'c'
        && t[i + 5] == 't';
    logic boolean word_complex(uint8_t *t, integer i, integer w) =
        w == i + 7 && t[i] == 'c' && t[i + 1] == 'o' && t[i + 2] == 'm' && t[i + 3] == 'p' && t[i + 4] == 'l'
        && t[i + 5] == 'e' && t[i + 6] == 'x';
    logic boolean word_datetime(uint8_t *t, integer i, integer w) =
        w == i + 8 && t[i] == 'd' && t[i + 1] == 'a' && t[i + 2] == 't' && t[i + 3] == 'e' && t[i + 4] == 't'
        && t[i + 5] == 'i' && t[i + 6] == 'm' && t[i + 7] == 'e';
    logic boolean word_timedelta(uint8_t *t, integer i, integer w) =
        w == i + 9 && t[i] == 't' && t[i + 1] == 'i' && t[i + 2] == 'm' && t[i + 3] == 'e' && t[i + 4] == 'd'
        && t[i + 5] == 'e' && t[i + 6] == 'l' && t[i + 7] == 't' && t[i + 8] == 'a';
    // and the kind that it names, 0 if none
    logic integer kind_of_word(uint8_t *t, integer i, integer w) =
        word_int(t, i, w) ? 'i' : word_bool(t, i, w) ? 'b' : word_uint(t, i, w) ? 'u' :
        word_float(t, i, w) ? 'f' : word_object(t, i, w) ? 'O' : word_complex(t, i, w) ? 'c' :
        word_datetime(t, i, w) ? 'M' : word_timedelta(t, i, w) ? 'm' : 0;
    // the bytes that so many bits are, 0 if the kind has no such name; 0 bits: none are written
    logic integer named_size(integer kind, integer bits) =
        kind == 'b' ? (bits == 0 ? 1 : 0) :
        kind == 'O' ? (bits == 0 ? 8 : 0) :
        time_kind(kind) ? (bits == 64 ? 8 : 0) :
        kind == 'c' ? (bits == 64 ? 8 : bits == 128 ? 16 : 0) :
        bits == 8 ? (kind == 'f' ? 0 : 1) : bits == 16 ? 2 : bits == 32 ? 4 : bits == 64 ? 8 : 0;

    logic integer name_kind(uint8_t *t, integer i, integer e) = kind_of_word(t, i, letters_end(t, i, e));
    logic integer bits_end(uint8_t *t, integer i, integer e) = digits_end(t, e, letters_end(t, i, e));
    logic integer name_size(uint8_t *t, integer i, integer e) =
        named_size(name_kind(t, i, e), dec(t, letters_end(t, i, e), bits_end(t, i, e)));
    // no bits with a leading zero, and nothing behind them but a datetime's bracket
    logic boolean known_name(uint8_t *t, integer i, integer e) =
        name_kind(t, i, e) != 0 && name_size(t, i, e) != 0
        && !(letters_end(t, i, e) < e && t[letters_end(t, i, e)] == '0')
        && (bits_end(t, i, e) == e || time_kind(name_kind(t, i, e)));
    logic integer name_status(uint8_t *t, integer i, integer e, boolean names) =
        !names || !known_name(t, i, e) ? SNPY_TYPE_NAME :
        time_kind(name_kind(t, i, e)) ? bracket_status(t, bits_end(t, i, e), e) : SNPY_OK;
    logic integer name_fault(uint8_t *t, integer i, integer e, boolean names) =
        !names || !known_name(t, i, e) ? i : bracket_fault(t, bits_end(t, i, e), e);
    logic integer name_order(uint8_t *t, integer i, integer e) =
        name_kind(t, i, e) == 'O' || name_size(t, i, e) == 1 ? '|' : '<';

    logic integer name_unit(uint8_t *t, integer i, integer e) =
        time_unit(name_kind(t, i, e), t, bits_end(t, i, e), e);
    logic integer name_multiplier(uint8_t *t, integer i, integer e) =
        time_multiplier(name_kind(t, i, e), t, bits_end(t, i, e), e);

    // ---- types

    // NPY-DTYPE-001 to NPY-DTYPE-011
    logic integer type_status(uint8_t *t, integer i, integer e, boolean unnamed, boolean native, boolean names,
                              boolean alias, boolean platform) =
        is_name(t, i, e) ? name_status(t, i, e, names) :
        \let k = kind_at(t, i, e);
        kind_status(t, k, e, alias, platform) != SNPY_OK ? kind_status(t, k, e, alias, platform) :
        \let kind = kind_of_letter(t[k]);
        \let o = order_status(kind, kind_size(t, k, e), order_of(t, i, e), unnamed, native);
        o != SNPY_OK ? o :
        time_kind(kind) ? bracket_status(t, number_end(t, k, e), e) : SNPY_OK;
    // only of what is refused: the byte at fault
    logic integer type_at(uint8_t *t, integer i, integer e, boolean unnamed, boolean native, boolean names,
                          boolean alias, boolean platform) =
        is_name(t, i, e) ? name_fault(t, i, e, names) :
        \let k = kind_at(t, i, e);
        kind_status(t, k, e, alias, platform) != SNPY_OK ? kind_fault(t, k, e, alias) :
        \let kind = kind_of_letter(t[k]);
        order_status(kind, kind_size(t, k, e), order_of(t, i, e), unnamed, native) != SNPY_OK
            ? i : bracket_fault(t, number_end(t, k, e), e);

    // only of what is accepted
    logic integer type_kind(uint8_t *t, integer i, integer e) =
        is_name(t, i, e) ? name_kind(t, i, e) : kind_of_letter(t[kind_at(t, i, e)]);
    logic integer type_itemsize(uint8_t *t, integer i, integer e) =
        is_name(t, i, e) ? name_size(t, i, e) : kind_size(t, kind_at(t, i, e), e);
    logic integer type_byteorder(uint8_t *t, integer i, integer e) =
        is_name(t, i, e) ? name_order(t, i, e)
                         : order_meant(type_kind(t, i, e), type_itemsize(t, i, e), order_of(t, i, e));
    logic integer type_unit(uint8_t *t, integer i, integer e) =
        is_name(t, i, e) ? name_unit(t, i, e)
                         : time_unit(type_kind(t, i, e), t, number_end(t, kind_at(t, i, e), e), e);
    logic integer type_multiplier(uint8_t *t, integer i, integer e) =
        is_name(t, i, e) ? name_multiplier(t, i, e)
                         : time_multiplier(type_kind(t, i, e), t, number_end(t, kind_at(t, i, e), e), e);

    // ---- a type string with prefix and quotes, in the text of n bytes

    logic integer type_string_status(uint8_t *t, integer n, integer i) =
        quote_status(t, n, i) == SNPY_EXPECTED_STRING ? SNPY_EXPECTED_TYPE :
        quote_status(t, n, i) != SNPY_OK ? quote_status(t, n, i) :
        \let start = quote_stop(t, n, i);
        type_status_at(t, n, type_end(t, n, start, t[start - 1]), t[start - 1]);
    // where its closing quote is
    logic integer type_string_end(uint8_t *t, integer n, integer i) =
        \let start = quote_stop(t, n, i);
        type_end(t, n, start, t[start - 1]);
    logic integer type_string_stop(uint8_t *t, integer n, integer i) =
        quote_status(t, n, i) != SNPY_OK ? quote_stop(t, n, i) :
        type_string_status(t, n, i) == SNPY_OK ? type_string_end(t, n, i) + 1 : type_string_end(t, n, i);

    // the type between the quotes of a sound type string
    logic integer simple_status(uint8_t *t, integer n, integer i, boolean unnamed, boolean native, boolean names,
                                boolean alias, boolean platform) =
        type_status(t, quote_stop(t, n, i), type_string_end(t, n, i), unnamed, native, names, alias, platform);
    logic integer simple_at(uint8_t *t, integer n, integer i, boolean unnamed, boolean native, boolean names,
                            boolean alias, boolean platform) =
        type_at(t, quote_stop(t, n, i), type_string_end(t, n, i), unnamed, native, names, alias, platform);
    logic integer simple_kind(uint8_t *t, integer n, integer i) =
        type_kind(t, quote_stop(t, n, i), type_string_end(t, n, i));
    logic integer simple_byteorder(uint8_t *t, integer n, integer i) =
        type_byteorder(t, quote_stop(t, n, i), type_string_end(t, n, i));
    logic integer simple_itemsize(uint8_t *t, integer n, integer i) =
        type_itemsize(t, quote_stop(t, n, i), type_string_end(t, n, i));
    logic integer simple_unit(uint8_t *t, integer n, integer i) =
        type_unit(t, quote_stop(t, n, i), type_string_end(t, n, i));
    logic integer simple_multiplier(uint8_t *t, integer n, integer i) =
        type_multiplier(t, quote_stop(t, n, i), type_string_end(t, n, i));
*/
/* clang-format on */

#endif
