/* canonical.c: what the canonical profile accepts is written again as it was read.
 * Proves it of headers of simple types, over the contracts of snpy_check_canonical and snpy_write_header alone. */
#include "core/write.h"

/*@ predicate same_bytes(uint8_t *p, uint8_t *q, integer a, integer b) = \forall integer k; a <= k < b ==> p[k] == q[k]; */

/* The last byte of a text. */
/*@ requires n > 0;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures last: text(b, n) == append(text(b, n - 1), b[n - 1]);
 */
static void show_last(const uint8_t *b, uint64_t n)
{
    (void)b;
    (void)n;
}

/* The prefix of a header of version 1.0 and n bytes. */
/* clang-format off */
#define PREFIX_SAYS(p, n)                                                                                    \
    (p[0] == 0x93 && p[1] == 'N' && p[2] == 'U' && p[3] == 'M' && p[4] == 'P' && p[5] == 'Y' && p[6] == 1 &&  \
     p[7] == 0 && p[8] == (n - 10) % 256 && p[9] == (n - 10) / 256)
/* clang-format on */

/* A sound frame begins with the magic, and says its length in two bytes. */
/*@ requires \valid_read(p + (0 .. 9)) && n >= 64 && SNPY_SOUND_FRAME(p, n) && p[6] == 1;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures prefix: PREFIX_SAYS(p, n);
 */
static void show_prefix(const uint8_t *p, uint64_t n)
{
    //@ assert m5: magic_end(p, n, 6) == 6;
    //@ assert m0: p[0] == 0x93 && p[1] == 'N' && p[2] == 'U' && p[3] == 'M' && p[4] == 'P' && p[5] == 'Y';
    (void)p;
    (void)n;
}

/* One byte more that is the same. */
/*@ requires \valid_read(p + at) && \valid_read(q + at) && same_bytes(p, q, at + 1, end) && p[at] == q[at];
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures same: same_bytes(p, q, at, end);
 */
static void show_one_more(const uint8_t *p, const uint8_t *q, uint64_t at, uint64_t end)
{
    (void)p;
    (void)q;
    (void)at;
    (void)end;
}

/* A prefix, what is behind it, and the newline are all. */
/*@ requires n >= 64 && same_bytes(p, q, 10, n - 1) && p[n - 1] == q[n - 1];
    requires magic: p[0] == q[0] && p[1] == q[1] && p[2] == q[2] && p[3] == q[3] && p[4] == q[4] && p[5] == q[5];
    requires prefix: p[6] == q[6] && p[7] == q[7] && p[8] == q[8] && p[9] == q[9];
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures same: same_bytes(p, q, 0, n);
 */
static void show_all(const uint8_t *p, const uint8_t *q, uint64_t n)
{
    (void)p;
    (void)q;
    (void)n;
}

/* Two canonical headers of one array are the same bytes: from the end on, where their texts differ in nothing. */
/*@ requires \valid_read(p + (0 .. n-1)) && \valid_read(q + (0 .. n-1)) && n >= 64 && \valid_read(h);
    requires n == padded(1, simple_length(*h)) && PREFIX_SAYS(p, n) && PREFIX_SAYS(q, n);
    requires text: text(p + 10, simple_length(*h)) == text(q + 10, simple_length(*h));
    requires spaces: are_spaces(p, 10 + simple_length(*h), n - 1) && are_spaces(q, 10 + simple_length(*h), n - 1);
    requires newline: p[n - 1] == '\n' && q[n - 1] == '\n';
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures same: same_bytes(p, q, 0, n);
 */
static void show_same_header(const uint8_t *p, const uint8_t *q, uint64_t n, const snpy_header *h)
{
    uint64_t at = n - 1;
    //@ assert room: simple_length(*h) <= n - 11;
    /*@ loop invariant range: 10 <= at <= n - 1;
        loop invariant text: at - 10 <= simple_length(*h) ==> text(p + 10, at - 10) == text(q + 10, at - 10);
        loop invariant same: same_bytes(p, q, at, n - 1);
        loop assigns at;
        loop variant at; */
    while (at > 10) {
        at--;
        show_last(p + 10, at - 9);
        show_last(q + 10, at - 9);
        //@ assert byte: p[at] == q[at];
        show_one_more(p, q, at, n - 1);
    }
    show_all(p, q, n);
    (void)h;
}

/* The header of an array of a simple type, of so many bytes, is what the writer writes, if it writes one. */
/*@ requires SNPY_GIVEN(description) && \valid(size) && \valid(error) && \separated(size, error);
    requires SNPY_APART_FROM_GIVEN(size, description) && SNPY_APART_FROM_GIVEN(error, description);
    requires \valid_read(bytes + (0 .. length-1)) && \object_pointer(bytes);
    requires \valid(out + (0 .. length-1)) && \object_pointer(out);
    requires SNPY_APART_FROM_GIVEN(out + (0 .. length-1), description);
    requires \separated(bytes + (0 .. length-1), out + (0 .. length-1), size, error,
                        description->table->fields + (0 .. description->table->field_capacity-1));
    requires simple: SNPY_SIMPLE(description) && description->version == SNPY_VERSION_AUTO;
    requires length: 64 <= end <= length && end == padded(1, simple_length(*description->header));
    requires prefix: PREFIX_SAYS(bytes, end);
    requires text: text(bytes + 10, simple_length(*description->header)) == simple_text(1, *description->header);
    requires spaces: are_spaces(bytes, 10 + simple_length(*description->header), end - 1);
    requires newline: bytes[end - 1] == '\n';
    terminates \true;
    exits \false;
    assigns *size, error->status, error->offset, out[0 .. length-1], SNPY_SCRATCH(description);
    ensures size: \result == SNPY_OK ==> *size == end;
    ensures same: \result == SNPY_OK ==> same_bytes(bytes, out, 0, end);
 */
static snpy_status write_again(const uint8_t *bytes, size_t length, uint64_t end, const snpy_description *description,
                               uint8_t *out, uint64_t *size, snpy_error *error)
{
    snpy_header header = *description->header;
    //@ assert copied: header == *description->header;
    //@ ghost Before:;
    snpy_status status = snpy_write_header(description, out, length, size, error);
    if (status != SNPY_OK) return status;
    //@ assert same: header == \at(header, Before);
    //@ assert version: out[6] == 1;
    //@ assert size: *size == end;
    //@ assert written: text(out + 10, simple_length(header)) == simple_text(1, header);
    //@ assert filled: are_spaces(out, 10 + simple_length(header), end - 1);
    //@ assert kept: \forall integer j; 0 <= j < end ==> bytes[j] == \at(bytes[j], Before);
    /*@ ghost
        uint64_t k = 0;
        /@ loop invariant range: 0 <= k <= end - 11;
           loop invariant same: text(bytes + 10, k) == \at(text(bytes + 10, \at(k, Here)), Before);
           loop invariant text: k >= simple_length(header) ==>
                   text(bytes + 10, simple_length(header)) == simple_text(1, header);
           loop assigns k;
           loop variant end - k; @/
        while (k + 11 < end) {
            /@ assert byte: (bytes + 10)[k] == \at((bytes + 10)[\at(k, Here)], Before); @/
            /@ assert last: k + 1 == simple_length(header) ==> text(bytes + 10, k + 1) == simple_text(1, header); @/
            k++;
        } */
    //@ assert text: text(bytes + 10, simple_length(header)) == simple_text(1, header);
    //@ assert prefix: PREFIX_SAYS(bytes, end);
    //@ assert spaces: are_spaces(bytes, 10 + simple_length(header), end - 1);
    //@ assert newline: bytes[end - 1] == '\n';
    show_prefix(out, end);
    show_same_header(bytes, out, end, &header);
    (void)end;
    return SNPY_OK;
}

/* The theorem: what the canonical profile accepts, the writer writes, byte for byte. */
/*@ requires SNPY_GIVEN(description) && \valid(size) && \valid(error) && \separated(size, error);
    requires SNPY_APART_FROM_GIVEN(size, description) && SNPY_APART_FROM_GIVEN(error, description);
    requires \valid_read(bytes + (0 .. length-1)) && \object_pointer(bytes);
    requires \valid(room + (0 .. length-1)) && \object_pointer(room) && \valid(out + (0 .. length-1)) && \object_pointer(out);
    requires SNPY_APART_FROM_GIVEN(room + (0 .. length-1), description);
    requires SNPY_APART_FROM_GIVEN(out + (0 .. length-1), description);
    requires \separated(bytes + (0 .. length-1), room + (0 .. length-1), out + (0 .. length-1), size, error,
                        description->table->fields + (0 .. description->table->field_capacity-1));
    requires simple: SNPY_SIMPLE(description) && description->version == SNPY_VERSION_AUTO;
    terminates \true;
    exits \false;
    assigns *size, error->status, error->offset, room[0 .. length-1], out[0 .. length-1], SNPY_SCRATCH(description);
    ensures written: \result ==> *size <= length;
    ensures NPY_HDR_006: \result ==> same_bytes(bytes, out, 0, *size);
 */
bool theorem_canonical(const uint8_t *bytes, size_t length, const snpy_description *description, uint8_t *room,
                       uint8_t *out, uint64_t *size, snpy_error *error)
{
    if (snpy_check_canonical(bytes, length, description, room, length, error) != SNPY_OK) return false;
    uint64_t end = (uint64_t)bytes[8] + 256u * (uint64_t)bytes[9] + 10;
    //@ assert end: end == SNPY_HEADER_END(bytes);
    //@ assert there: *description->header == \at(*description->header, Pre);
    show_prefix(bytes, end);
    return write_again(bytes, length, end, description, out, size, error) == SNPY_OK;
}
