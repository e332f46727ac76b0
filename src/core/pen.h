/* pen.h: writes numbers, strings and types into a sink, as NumPy spells them. */
#ifndef SAFENPY_CORE_PEN_H
#define SAFENPY_CORE_PEN_H

#include "core/name.h"
#include "safenpy/dtype.h"
#include "spec/logic/write.h"

/* A sink, the encoding of characters beyond ASCII, and whether one was beyond Latin-1. */
struct snpy_pen {
    struct snpy_sink sink;
    bool utf8;
    bool wide;
};

/* clang-format off */
#define SNPY_PEN_OK(p)                                                                                       \
    (\valid((p)->sink.out + (0 .. (p)->sink.capacity - 1)) &&                                                \
     \separated(p, (p)->sink.out + (0 .. (p)->sink.capacity - 1)))

#define SNPY_PEN_FIELDS(p) (p)->sink.length, (p)->sink.out[0 .. (p)->sink.capacity - 1]

/* A pen advances by `n` bytes, whether its buffer has space for them or not, as long as they can be counted. */
#define SNPY_PEN_MOVES(p, n)                                                                                 \
    (\old((p)->sink.length) + (n) <= 0xffffffffffffffff ==>                                                   \
     (p)->sink.length == \old((p)->sink.length) + (n))

/* A pen writes a text after its own, which was `t`, as far as the buffer has space. */
#define SNPY_PEN_WRITES(p, text)                                                                             \
    ((p)->sink.length >= \old((p)->sink.length) && (sink_fits(&(p)->sink) ==> sink_text(&(p)->sink) == (text)))
#define SNPY_PEN_TEXT(p) \old(sink_text(&(p)->sink))
/* clang-format on */

/* Packs up to eight characters into one number. A table of characters would be memory beside the caller's, and the
 * provers would have to be told that both do not overlap. */
#define SNPY_WORD(a, b, c, d, e, f, g, h) (SNPY_WORD4(a, b, c, d) + 4294967296u * SNPY_WORD4(e, f, g, h))
#define SNPY_WORD4(a, b, c, d) \
    ((uint64_t)(a) + 256u * (uint64_t)(b) + 65536u * (uint64_t)(c) + 16777216u * (uint64_t)(d))

/* Writes the characters of such a number, which has no NUL before its last character. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen);
    ensures length: SNPY_PEN_MOVES(pen, word_length(word));
    ensures text: SNPY_PEN_WRITES(pen, append_word(SNPY_PEN_TEXT(pen), word));
 */
void snpy_pen_word(struct snpy_pen *pen, uint64_t word);

/* Writes a decimal number. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen);
    ensures length: SNPY_PEN_MOVES(pen, number_length(number));
    ensures text: SNPY_PEN_WRITES(pen, append_number(SNPY_PEN_TEXT(pen), number));
 */
void snpy_pen_number(struct snpy_pen *pen, uint64_t number);

/* Returns the number of decimal digits of a number. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures digits: 1 <= \result <= 20;
    ensures length: \result == number_length(number);
 */
uint32_t snpy_count_digits(uint64_t number);

/* Writes a name as Python's repr() does. Returns false if it is ill-formed.                            NPY-WRITE-010 */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && text_ok(text, length);
    requires offset + size <= length;
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), pen->wide;
 */
bool snpy_pen_name(struct snpy_pen *pen, const uint8_t *text, size_t length, size_t offset, size_t size,
                   snpy_name_encoding encoding);

/* Writes a type string with its quotes: '<f8'.                                                         NPY-WRITE-001 */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && \valid_read(dtype);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen);
    ensures length: SNPY_PEN_MOVES(pen, \old(type_length(dtype->kind, dtype->itemsize, dtype->unit, dtype->multiplier)));
    ensures bound: \old(0 <= type_length(dtype->kind, dtype->itemsize, dtype->unit, dtype->multiplier) <= 48);
    ensures NPY_WRITE_001: SNPY_PEN_WRITES(pen, \old(append_type(sink_text(&pen->sink), dtype->kind, dtype->byteorder,
            dtype->itemsize, dtype->unit, dtype->multiplier)));
 */
void snpy_pen_type(struct snpy_pen *pen, const snpy_dtype *dtype);

#endif
