/* write.h: what the writer writes, and how long it is, as the provers know it. spec/npy.md, "Writing".
 *
 * Logic only: the compiler sees an empty file. Functions named _length take numbers, and say how many bytes their
 * canonical text has. Those named append_ or _text take a text, and say what it is with one more behind it. Of
 * records only the parts are said: a gap, a shape, what begins a type and ends it.
 *
 * A text is the number whose digits to the base of 256 are a one and then its bytes, so that two texts are equal if and
 * only if their numbers are (proofs/theorems/write.c). */
#ifndef SAFENPY_LOGIC_WRITE_H
#define SAFENPY_LOGIC_WRITE_H

#include "safenpy/header.h"

/* clang-format off */
/*@ // the first n bytes at p, and one byte more
    logic integer append(integer t, integer byte) = 256 * t + byte;
    // decreases n
    logic integer text(uint8_t *p, integer n) = n <= 0 ? 1 : append(text(p, n - 1), p[n - 1]);

    // the bytes of a word of up to eight characters, least byte first
    logic integer word_length(integer w) =
        w < 1 ? 0 : w < 256 ? 1 : w < 65536 ? 2 : w < 16777216 ? 3 : w < 4294967296 ? 4 :
        w < 1099511627776 ? 5 : w < 281474976710656 ? 6 : w < 72057594037927936 ? 7 : 8;

    logic integer word(integer a, integer b, integer c, integer d, integer e, integer f, integer g, integer h) =
        a + 256 * b + 65536 * c + 16777216 * d + 4294967296 * e + 1099511627776 * f + 281474976710656 * g
        + 72057594037927936 * h;
    // decreases w
    logic integer append_word(integer t, integer w) = w < 1 ? t : append_word(append(t, w % 256), w / 256);

    // the decimal digits of a number
    // decreases v
    logic integer append_number(integer t, integer v) =
        append(v < 10 ? t : append_number(t, v / 10), '0' + v % 10);
    // decreases k
    logic integer without(integer v, integer k) = k <= 0 ? v : without(v, k - 1) / 10; // its last k digits
    logic integer number_length(integer v) =
        v < 10 ? 1 : v < 100 ? 2 : v < 1000 ? 3 : v < 10000 ? 4 : v < 100000 ? 5 : v < 1000000 ? 6 :
        v < 10000000 ? 7 : v < 100000000 ? 8 : v < 1000000000 ? 9 : v < 10000000000 ? 10 :
        v < 100000000000 ? 11 : v < 1000000000000 ? 12 : v < 10000000000000 ? 13 : v < 100000000000000 ? 14 :
        v < 1000000000000000 ? 15 : v < 10000000000000000 ? 16 : v < 100000000000000000 ? 17 :
        v < 1000000000000000000 ? 18 : v < 10000000000000000000 ? 19 : 20;

    // a unit in its brackets, with its multiplier if that is more than one: [25ms]; nothing if there is none
    logic integer unit_length(integer unit, integer multiplier) =
        unit == SNPY_UNIT_GENERIC ? 0 :
        3 + (multiplier > 1 ? number_length(multiplier) : 0) + (unit >= SNPY_UNIT_MILLISECOND ? 1 : 0);

    // NPY-WRITE-010: the last n hexadecimal digits of a number; an escape with the fewest digits; a backslash and a byte
    // decreases k
    logic integer without_hex(integer v, integer k) = k <= 0 ? v : without_hex(v, k - 1) / 16; // its last k digits
    logic integer hex_character(integer d) = d < 10 ? '0' + d : 'a' + (d - 10);
    // decreases n
    logic integer append_hex(integer t, integer v, integer n) =
        n <= 0 ? t : append(append_hex(t, v / 16, n - 1), hex_character(v % 16));
    logic integer escaped_text(integer t, integer byte) = append(append(t, '\\'), byte);
    logic integer escape_text(integer t, integer c) =
        c <= 0xff ? append_hex(escaped_text(t, 'x'), c, 2) :
        c <= 0xffff ? append_hex(escaped_text(t, 'u'), c, 4) : append_hex(escaped_text(t, 'U'), c, 8);

    // NPY-WRITE-001: a type string with its quotes. An object has no size, and that of a string counts characters.
    logic integer size_length(integer kind, integer size) =
        kind == SNPY_KIND_OBJECT ? 0 : number_length(kind == SNPY_KIND_STRING ? size / 4 : size);
    logic integer type_length(integer kind, integer size, integer unit, integer multiplier) =
        4 + size_length(kind, size) + unit_length(unit, multiplier);

    // NPY-WRITE-001: the same as texts. A type that can be written has no letter below zero.
    logic integer unit_letter(integer u) =
        u == SNPY_UNIT_YEAR ? 'Y' : u == SNPY_UNIT_MONTH ? 'M' : u == SNPY_UNIT_WEEK ? 'W' : u == SNPY_UNIT_DAY ? 'D' :
        u == SNPY_UNIT_HOUR ? 'h' : u == SNPY_UNIT_MINUTE || u == SNPY_UNIT_MILLISECOND ? 'm' :
        u == SNPY_UNIT_SECOND ? 's' : u == SNPY_UNIT_MICROSECOND ? 'u' : u == SNPY_UNIT_NANOSECOND ? 'n' :
        u == SNPY_UNIT_PICOSECOND ? 'p' : u == SNPY_UNIT_FEMTOSECOND ? 'f' : 'a';
    logic integer append_multiplier(integer t, integer multiplier) =
        multiplier > 1 ? append_number(t, multiplier) : t;
    logic integer append_unit_word(integer t, integer u) =
        u >= SNPY_UNIT_MILLISECOND ? append(append(t, unit_letter(u)), 's') : append(t, unit_letter(u));
    logic integer append_unit(integer t, integer unit, integer multiplier) =
        unit == SNPY_UNIT_GENERIC ? t :
        append(append_unit_word(append_multiplier(append(t, '['), multiplier), unit), ']');
    logic integer append_size(integer t, integer kind, integer size) =
        kind == SNPY_KIND_OBJECT ? t : append_number(t, kind == SNPY_KIND_STRING ? size / 4 : size);
    logic integer letter(integer c) = c < 0 ? '?' : c;
    logic integer append_type(integer t, integer kind, integer order, integer size, integer unit, integer multiplier) =
        append(append_unit(append_size(append(append(append(t, '\''), letter(order)), letter(kind)), kind, size),
                           unit, multiplier), '\'');

    // the first k dimensions, a comma and a space between two
    // decreases k
    logic integer dims_length(snpy_header h, integer k) =
        k > 0 ? dims_length(h, k - 1) + number_length(h.shape[k - 1]) + (k > 1 ? 2 : 0) : 0;
    logic integer append_comma(integer t, integer k) = k > 1 ? append_word(t, word(',', ' ', 0, 0, 0, 0, 0, 0)) : t;
    // decreases k
    logic integer append_dims(integer t, snpy_header h, integer k) =
        k > 0 ? append_number(append_comma(append_dims(t, h, k - 1), k), h.shape[k - 1]) : t;
    // and of the shape inside its parentheses: one dimension has a comma behind it
    logic integer shape_length(snpy_header h) = dims_length(h, h.ndim) + (h.ndim == 1 ? 1 : 0);
    logic integer append_shape(integer t, snpy_header h) =
        h.ndim == 1 ? append(append_dims(t, h, h.ndim), ',') : append_dims(t, h, h.ndim);

    // NPY-WRITE-008: the first axis, or in Fortran order the last, may grow to 21 digits
    logic integer growth_length(snpy_header h) =
        h.ndim == 0 ? 0 : 21 - number_length(h.shape[h.fortran_order != 0 ? h.ndim - 1 : 0]);
    // decreases n
    logic integer append_spaces(integer t, integer n) = n <= 0 ? t : append(append_spaces(t, n - 1), ' ');

    // NPY-WRITE-008: what lies between the text and the newline
    predicate are_spaces(uint8_t *p, integer from, integer to) = \forall integer k; from <= k < to ==> p[k] == ' ';

    // NPY-WRITE-009: the text of a header of a simple type: what is in front of the type; what is between type and
    // dimensions; those, and what is behind
    logic integer descr_text(integer t) =
        append_word(append_word(t, word('{', '\'', 'd', 'e', 's', 'c', 'r', '\'')), word(':', ' ', 0, 0, 0, 0, 0, 0));
    logic integer order_text(integer t, integer fortran) =
        append_word(append_word(append_word(append_word(append_word(append_word(t,
            word(',', ' ', '\'', 'f', 'o', 'r', 't', 'r')),
            word('a', 'n', '_', 'o', 'r', 'd', 'e', 'r')),
            word('\'', ':', ' ', 0, 0, 0, 0, 0)),
            fortran != 0 ? word('T', 'r', 'u', 'e', 0, 0, 0, 0) : word('F', 'a', 'l', 's', 'e', 0, 0, 0)),
            word(',', ' ', '\'', 's', 'h', 'a', 'p', 'e')),
            word('\'', ':', ' ', '(', 0, 0, 0, 0));
    logic integer shape_text(integer t, snpy_header h) =
        append_spaces(append_word(append_shape(t, h), word(')', ',', ' ', '}', 0, 0, 0, 0)), growth_length(h));
    logic integer type_text(integer t, snpy_dtype d) =
        append_type(t, d.kind, d.byteorder, d.itemsize, d.unit, d.multiplier);
    logic integer simple_text(integer t, snpy_header h) =
        shape_text(order_text(type_text(descr_text(t), h.dtype), h.fortran_order), h);

    // and how long it is
    logic integer order_length(integer fortran) = 31 + (fortran != 0 ? 4 : 5);
    logic integer simple_length(snpy_header h) =
        10 + type_length(h.dtype.kind, h.dtype.itemsize, h.dtype.unit, h.dtype.multiplier)
        + order_length(h.fortran_order) + shape_length(h) + 4 + growth_length(h);

    // ---- the parts of a record's text

    // the first k dimensions of a sub-array, and its whole shape behind a comma: ", (2, 3)"
    // decreases k
    logic integer append_items(integer t, int32_t *d, integer k) =
        k > 0 ? append_number(append_comma(append_items(t, d, k - 1), k), d[k - 1] < 0 ? 0 : d[k - 1]) : t;
    logic integer tuple_text(integer t, int32_t *d, integer n) =
        \let all = append_items(append_word(t, word(',', ' ', '(', 0, 0, 0, 0, 0)), d, n);
        append(n == 1 ? append(all, ',') : all, ')');

    // NPY-WRITE-003: what stands between two fields, and a gap of n bytes as a field: ('', '|V3')
    logic integer separated_text(integer t, integer has_content) =
        has_content != 0 ? append_word(t, word(',', ' ', 0, 0, 0, 0, 0, 0)) : t;
    logic integer gap_text(integer t, integer has_content, integer n) = n <= 0 ? t :
        append_word(append_number(append_word(separated_text(t, has_content),
            word('(', '\'', '\'', ',', ' ', '\'', '|', 'V')), n), word('\'', ')', 0, 0, 0, 0, 0, 0));

    // what stands in front of a field: the gap before it, and what parts it from the field before
    logic integer front_text(integer t, integer has_content, integer gap) =
        separated_text(gap_text(t, has_content, gap), gap > 0 ? 1 : has_content);

    // what stands between a field's name and its type
    logic integer names_end_text(integer t, integer has_title) =
        append_word(has_title != 0 ? append(t, ')') : t, word(',', ' ', 0, 0, 0, 0, 0, 0));

    // what ends an entry's tuple; and what ends a list, of which the last n bytes are a gap
    logic integer tail_text(integer t, integer has_name, integer ndim, int32_t *d) =
        has_name == 0 && ndim == 0 ? t : append(ndim > 0 ? tuple_text(t, d, ndim) : t, ')');
    logic integer list_end_text(integer t, integer kind, integer has_content, integer n) =
        kind == SNPY_KIND_RECORD ? append(gap_text(t, has_content, n), ']') : t; */
/* clang-format on */

#endif
