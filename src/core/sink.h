/* sink.h: writes text into a buffer as far as it has space, and counts the rest.
 * Proves that nothing is written outside the buffer, and that text is appended. name.c and the writer decide what is
 * written. */
#ifndef SAFENPY_CORE_SINK_H
#define SAFENPY_CORE_SINK_H

#include "core/literal.h"
#include "spec/logic/write.h"

/* A buffer with its text. `length` may exceed `capacity`: the bytes beyond are only counted. */
struct snpy_sink {
    uint8_t *out;
    size_t capacity;
    uint64_t length;
};

/*@ predicate sink_ok(struct snpy_sink *s) = \valid(s->out + (0 .. s->capacity-1))
        && \separated(s, s->out + (0 .. s->capacity-1));

    // the buffer holds all that was put
    predicate sink_fits(struct snpy_sink *s) = s->length <= s->capacity && s->length < 0xffffffffffffffff;
    logic integer sink_text(struct snpy_sink *s) = text(s->out, s->length); */

/* Appends a byte. */
/*@ requires \valid(sink) && sink_ok(sink);
    terminates \true;
    exits \false;
    assigns sink->length, sink->out[0 .. sink->capacity-1];
    ensures length: \old(sink->length) < 0xffffffffffffffff ==> sink->length == \old(sink->length) + 1;
    ensures written: \old(sink->length) < sink->capacity ==> sink->out[\old(sink->length)] == byte;
    ensures rest: \forall integer k; 0 <= k < sink->capacity && k != \old(sink->length) ==>
            sink->out[k] == \old(sink->out[k]);
    ensures grows: sink->length >= \old(sink->length);
    ensures text: sink_fits(sink) ==> sink_text(sink) == append(\old(sink_text(sink)), byte);
 */
static inline void snpy_put(struct snpy_sink *sink, uint8_t byte)
{
    if (sink->length < sink->capacity) sink->out[sink->length] = byte;
    /*@ ghost
        uint64_t k = 0;
        /@ loop invariant range: 0 <= k <= sink->length;
           loop invariant before: k <= sink->capacity ==> text(sink->out, k) == \at(text(sink->out, \at(k, Here)), Pre);
           loop assigns k;
           loop variant sink->length - k; @/
        while (k < sink->length) k++; */
    if (sink->length < UINT64_MAX) sink->length++;
}

/* Appends a code point in UTF-8, or as one byte of Latin-1 if it is at most U+00FF and `utf8` is false. A surrogate
 * takes three bytes. */
/*@ requires \valid(sink) && sink_ok(sink) && code_point <= 0x10ffff;
    terminates \true;
    exits \false;
    assigns sink->length, sink->out[0 .. sink->capacity-1];
 */
void snpy_put_code_point(struct snpy_sink *sink, uint32_t code_point, bool utf8);

#endif
