/* write.h: has the contracts of the writer, for the provers and check_canonical.
 * They are not in the public header because they use spec/logic, which is not installed. */
#ifndef SAFENPY_CORE_WRITE_H
#define SAFENPY_CORE_WRITE_H

#include "core/describe.h"
#include "core/shape.h"
#include "spec/logic/canonical.h"
#include "spec/logic/frame.h"
#include "spec/logic/name.h"

#define SNPY_ALIGNMENT 64u

/* The array has a simple type; then text and length of its header are specified. */
#define SNPY_SIMPLE(d) ((d)->header->dtype.kind != SNPY_KIND_RECORD)

/* What a caller passes: valid buffers that do not overlap what is written. */
/* clang-format off */
#define SNPY_GIVEN(d)                                                                                        \
    (\valid_read(d) && \valid_read((d)->header) && \object_pointer((d)->names) && \object_pointer((d)->table) && \
     \valid_read((d)->names + (0 .. (d)->names_length - 1)) && \valid((d)->table) &&                         \
     \object_pointer((d)->table->dims) && \valid((d)->table->fields + (0 .. (d)->table->field_capacity - 1)) && \
     \valid_read((d)->table->dims + (0 .. (d)->table->dim_capacity - 1)) &&                                  \
     \separated((d)->table->fields + (0 .. (d)->table->field_capacity - 1), d, (d)->header, (d)->table,      \
                (d)->names + (0 .. (d)->names_length - 1),                                                   \
                (d)->table->dims + (0 .. (d)->table->dim_capacity - 1)))

#define SNPY_APART_FROM_GIVEN(p, d)                                                                          \
    (\separated(p, d) && \separated(p, (d)->header) && \separated(p, (d)->names + (0 .. (d)->names_length - 1)) && \
     \separated(p, (d)->table) && \separated(p, (d)->table->fields + (0 .. (d)->table->field_capacity - 1)) && \
     \separated(p, (d)->table->dims + (0 .. (d)->table->dim_capacity - 1)))

/* What checking a description changes: scratch columns of the table. */
#define SNPY_SCRATCH(d)                                                                                      \
    (d)->table->fields[0 .. (d)->table->field_capacity - 1].sort_low_,                                       \
        (d)->table->fields[0 .. (d)->table->field_capacity - 1].sort_high_

/* Parameters that this library knows. */
#define SNPY_KNOWN_ARGUMENTS(d)                                                                              \
    ((d)->names_length <= SNPY_MAX_TEXT && SNPY_VERSION_AUTO <= (d)->version <= SNPY_VERSION_3_0 &&          \
     ((d)->encoding == SNPY_NAME_LATIN1 || (d)->encoding == SNPY_NAME_UTF8 || (d)->encoding == SNPY_NAME_PLAIN))

/* For a simple type: why it is refused, and the size of its header. */
#define SNPY_REFUSAL(d) (SNPY_KNOWN_ARGUMENTS(d) ? array_refusal((d)->header) : SNPY_BAD_ARGUMENT)
#define SNPY_TOTAL(d) padded(first_version((d)->version), simple_length(*(d)->header))

/* No name or title in the table equals another one of its record. */
#define SNPY_NAMES_DIFFER(d) names_differ((d)->names, (d)->encoding, (d)->table->fields, (d)->table->field_count)

/* A reader finds a valid frame in `out`, and the data right after its first `size` bytes. */
#define SNPY_HEADER_END(out) (prefix_length(out) + header_length_of(out))
#define SNPY_SOUND_FRAME(out, size)                                                                          \
    (frame_status(out, size, SNPY_MAX_HEADER) == SNPY_OK && SNPY_HEADER_END(out) == (size))
/* clang-format on */

/* The header of an array of a simple type is as numpy.save writes it: version 1.0, the text, spaces, a newline. */
/* clang-format off */
#define SNPY_IS_CANONICAL(bytes, header)                                                                     \
    (bytes[6] == 1 && SNPY_HEADER_END(bytes) == padded(1, simple_length(header)) &&                          \
     text(bytes + 10, simple_length(header)) == simple_text(1, header) &&                                    \
     are_spaces(bytes, 10 + simple_length(header), padded(1, simple_length(header)) - 1) &&                  \
     bytes[padded(1, simple_length(header)) - 1] == '\n')
/* clang-format on */

/*@ requires SNPY_GIVEN(description) && \valid(size) && \valid(error) && \separated(size, error);
    requires SNPY_APART_FROM_GIVEN(size, description) && SNPY_APART_FROM_GIVEN(error, description);
    terminates \true;
    exits \false;
    assigns *size, error->status, error->offset, SNPY_SCRATCH(description);
    ensures result: \result == error->status;
    ensures NPY_WRITE_004: \old(SNPY_SIMPLE(description)) ==> \result == \old(SNPY_REFUSAL(description));
    ensures NPY_WRITE_008: \result == SNPY_OK ==> *size % SNPY_ALIGNMENT == 0 && SNPY_ALIGNMENT <= *size;
    ensures NPY_WRITE_009: \result == SNPY_OK && \old(SNPY_SIMPLE(description)) ==> *size == \old(SNPY_TOTAL(description));
    ensures failed: \result != SNPY_OK ==> *size == 0;
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_header_size(const snpy_description *description, uint64_t *size, snpy_error *error);

/*@ requires SNPY_GIVEN(description) && \valid(size) && \valid(error) && \separated(size, error);
    requires \valid(out + (0 .. capacity-1)) && \separated(out + (0 .. capacity-1), size, error);
    requires SNPY_APART_FROM_GIVEN(size, description) && SNPY_APART_FROM_GIVEN(error, description);
    requires SNPY_APART_FROM_GIVEN(out + (0 .. capacity-1), description) && \object_pointer(out);
    terminates \true;
    exits \false;
    assigns *size, error->status, error->offset, out[0 .. capacity-1], SNPY_SCRATCH(description);
    ensures result: \result == error->status;
    ensures NPY_WRITE_004: \old(SNPY_SIMPLE(description)) ==>
            \result == \old(SNPY_REFUSAL(description) != SNPY_OK ? SNPY_REFUSAL(description)
                             : capacity < SNPY_TOTAL(description) ? SNPY_BUFFER_TOO_SMALL : SNPY_OK);
    ensures NPY_WRITE_009: \result == SNPY_OK ==> *size <= capacity;
    ensures NPY_FRAME: \result == SNPY_OK ==> SNPY_SOUND_FRAME(out, *size);
    ensures NPY_WRITE_007: \result == SNPY_OK && description->version != SNPY_VERSION_AUTO ==>
            out[6] == description->version;
    ensures NPY_WRITE_008: \result == SNPY_OK ==>
            *size % SNPY_ALIGNMENT == 0 && SNPY_ALIGNMENT <= *size && out[*size - 1] == '\n';
    ensures NPY_WRITE_001: \result == SNPY_OK && SNPY_SIMPLE(description) ==>
            writable_type(&description->header->dtype) && description->header->ndim <= SNPY_MAX_NDIM;
    ensures version: \result == SNPY_OK && \old(SNPY_SIMPLE(description)) ==> out[6] == first_version(description->version);
    ensures size: \result == SNPY_OK && \old(SNPY_SIMPLE(description)) ==> *size == \old(SNPY_TOTAL(description));
    ensures text: \result == SNPY_OK && \old(SNPY_SIMPLE(description)) ==>
            text(out + prefix_length(out), \old(simple_length(*description->header)))
            == simple_text(1, \old(*description->header));
    ensures spaces: \result == SNPY_OK && \old(SNPY_SIMPLE(description)) ==>
            are_spaces(out, prefix_length(out) + \old(simple_length(*description->header)), *size - 1);
    ensures failed: \result != SNPY_OK ==> *size == 0;
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_write_header(const snpy_description *description, uint8_t *out, size_t capacity, uint64_t *size,
                              snpy_error *error);

/*@ requires SNPY_GIVEN(description) && \valid(size) && \valid(error) && \separated(size, error);
    requires \valid(out + (0 .. capacity-1)) && \separated(out + (0 .. capacity-1), size, error);
    requires SNPY_APART_FROM_GIVEN(size, description) && SNPY_APART_FROM_GIVEN(error, description);
    requires SNPY_APART_FROM_GIVEN(out + (0 .. capacity-1), description) && \object_pointer(out);
    terminates \true;
    exits \false;
    assigns *size, error->status, error->offset, out[0 .. capacity-1], SNPY_SCRATCH(description);
    ensures result: \result == error->status;
    ensures fits: \result == SNPY_OK ==> *size <= capacity;
    ensures NPY_WRITE_001: \result == SNPY_OK && \old(SNPY_SIMPLE(description)) ==>
            text(out, *size) == type_text(1, \old(description->header->dtype));
    ensures NPY_DTYPE_012: \result == SNPY_OK && \old(!SNPY_SIMPLE(description)) ==>
            \old(SNPY_NAMES_DIFFER(description));
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_write_descr(const snpy_description *description, size_t entry, uint8_t *out, size_t capacity,
                             uint64_t *size, snpy_error *error);

/*@ requires \valid(header);
    terminates \true;
    exits \false;
    assigns header->fortran_order;
    ensures NPY_HDR_007: header->fortran_order != 0 <==> \old(header->fortran_order != 0 && !either_order(*header));
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
void snpy_normalise_order(snpy_header *header);

/*@ requires SNPY_GIVEN(description) && \valid(error) && \valid_read(bytes + (0 .. length-1)) && \object_pointer(bytes);
    requires \valid(out + (0 .. capacity-1)) && \object_pointer(out) && \separated(out + (0 .. capacity-1), error);
    requires SNPY_APART_FROM_GIVEN(error, description) && SNPY_APART_FROM_GIVEN(out + (0 .. capacity-1), description);
    requires \separated(bytes + (0 .. length-1), error, out + (0 .. capacity-1), description->table->fields
                        + (0 .. description->table->field_capacity-1));
    terminates \true;
    exits \false;
    assigns error->status, error->offset, out[0 .. capacity-1], SNPY_SCRATCH(description);
    ensures result: \result == error->status;
    ensures NPY_FRAME: \result == SNPY_OK ==> SNPY_SOUND_FRAME(bytes, SNPY_HEADER_END(bytes))
            && SNPY_HEADER_END(bytes) <= length && SNPY_HEADER_END(bytes) <= capacity;
    ensures same: \result == SNPY_OK ==> \forall integer k; 0 <= k < SNPY_HEADER_END(bytes) ==> out[k] == bytes[k];
    ensures NPY_HDR_006: \result == SNPY_OK && \old(SNPY_SIMPLE(description)) ==>
            SNPY_IS_CANONICAL(bytes, \old(*description->header));
    ensures NPY_HDR_007: \result == SNPY_OK ==> \old(description->header->fortran_order == 0
            || !either_order(*description->header));
    ensures fault: \result == SNPY_NOT_CANONICAL ==> error->offset <= length;
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
snpy_status snpy_check_canonical(const uint8_t *bytes, size_t length, const snpy_description *description, uint8_t *out,
                                 size_t capacity, snpy_error *error);

#endif
