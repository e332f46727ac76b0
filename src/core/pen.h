/* pen.h: NumPy's spelling of numbers, strings and types, into a sink. */
#ifndef SAFENPY_CORE_PEN_H
#define SAFENPY_CORE_PEN_H

#include "core/name.h"
#include "safenpy/dtype.h"

/* A sink, how it encodes characters beyond ASCII, and whether one was beyond Latin-1. */
struct snpy_pen {
    struct snpy_sink sink;
    bool utf8;
    bool wide;
};

#define SNPY_PEN_OK(p)                                                                                       \
    (\valid((p)->sink.out + (0 .. (p)->sink.capacity - 1)) &&                                                \
     \separated(p, (p)->sink.out + (0 .. (p)->sink.capacity - 1)))

#define SNPY_PEN_FIELDS(p) (p)->sink.length, (p)->sink.out[0 .. (p)->sink.capacity - 1]

/* Bytes as they are. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && \valid_read(bytes + (0 .. size-1));
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen);
 */
void snpy_pen_bytes(struct snpy_pen *pen, const uint8_t *bytes, size_t size);

/* A decimal number. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen);
 */
void snpy_pen_number(struct snpy_pen *pen, uint64_t number);

/* How many decimal digits a number has. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures digits: 1 <= \result <= 20;
 */
uint32_t snpy_count_digits(uint64_t number);

/* A name as Python's repr() writes it; false if it is not well-formed.                            NPY-WRITE-010 */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && text_ok(text, length);
    requires offset + size <= length;
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), pen->wide;
 */
bool snpy_pen_name(struct snpy_pen *pen, const uint8_t *text, size_t length, size_t offset, size_t size,
                   snpy_name_encoding encoding);

/* A type string with its quotes: '<f8'.                                                           NPY-WRITE-001 */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && \valid_read(dtype);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen);
 */
void snpy_pen_type(struct snpy_pen *pen, const snpy_dtype *dtype);

#endif
