/* write.h: how long what the writer writes is, as the provers know it. spec/npy.md, "Writing".
 *
 * Logic only: the compiler sees an empty file. Each function takes numbers, and says how many bytes their canonical
 * text has. Nothing is said here of records, nor of which bytes they are. */
#ifndef SAFENPY_LOGIC_WRITE_H
#define SAFENPY_LOGIC_WRITE_H

#include "safenpy/dtype.h"

/* clang-format off */
/*@ // the bytes of a word of up to eight characters, least byte first
    logic integer word_length(integer w) =
        w < 1 ? 0 : w < 256 ? 1 : w < 65536 ? 2 : w < 16777216 ? 3 : w < 4294967296 ? 4 :
        w < 1099511627776 ? 5 : w < 281474976710656 ? 6 : w < 72057594037927936 ? 7 : 8;

    // the decimal digits of a number
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

    // NPY-WRITE-001: a type string with its quotes. An object has no size, and that of a string counts characters.
    logic integer size_length(integer kind, integer size) =
        kind == SNPY_KIND_OBJECT ? 0 : number_length(kind == SNPY_KIND_STRING ? size / 4 : size);
    logic integer type_length(integer kind, integer size, integer unit, integer multiplier) =
        4 + size_length(kind, size) + unit_length(unit, multiplier);

    // the first k dimensions, a comma and a space between two
    logic integer dims_length(uint64_t *d, integer k) =
        k > 0 ? dims_length(d, k - 1) + number_length(d[k - 1]) + (k > 1 ? 2 : 0) : 0;
    // and of the shape inside its parentheses: one dimension has a comma behind it
    logic integer shape_length(uint64_t *d, integer n) = dims_length(d, n) + (n == 1 ? 1 : 0);

    // NPY-WRITE-008: the first axis, or in Fortran order the last, may grow to 21 digits
    logic integer growth_length(uint64_t *d, integer n, integer fortran) =
        n == 0 ? 0 : 21 - number_length(d[fortran != 0 ? n - 1 : 0]); */
/* clang-format on */

#endif
