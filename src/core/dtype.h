/* dtype.h: from a type string to a type. The table of kinds and sizes is in spec/npy.md, "Dtype". */
#ifndef SAFENPY_CORE_DTYPE_H
#define SAFENPY_CORE_DTYPE_H

#include "core/literal.h"

/*@ predicate simple_kind(integer kind) =
        kind == 'b' || kind == 'i' || kind == 'u' || kind == 'f' || kind == 'c' || kind == 'S' || kind == 'U'
        || kind == 'V' || kind == 'M' || kind == 'm' || kind == 'O';

    predicate simple_dtype(snpy_dtype *dtype) =
        simple_kind(dtype->kind) && dtype->itemsize <= SNPY_MAX_ITEMSIZE
        && (dtype->byteorder == '<' || dtype->byteorder == '>' || dtype->byteorder == '|')
        && dtype->unit <= SNPY_UNIT_ATTOSECOND && dtype->multiplier <= 0x7fffffff; */

/* The type that the string text[pos .. end-1] stands for. `is_unnamed` is true for the direct type of a
 * field that has an empty name and no title: a void type needs no byte order there.
 * *at is the byte at fault on failure.                                       NPY-DTYPE-001 … NPY-DTYPE-011 */
/*@ requires text_ok(text, end) && pos <= end && \valid(dtype) && \valid(at) && \valid_read(compat);
    requires \separated(text + (0 .. end-1), dtype, at) && \separated(compat, dtype, at);
    terminates \true;
    exits \false;
    assigns dtype->kind, dtype->byteorder, dtype->unit, dtype->itemsize, dtype->multiplier, *at;
    ensures range: pos <= *at <= end;
    ensures dtype: \result == SNPY_OK ==> simple_dtype(dtype);
    ensures size: dtype->itemsize <= SNPY_MAX_ITEMSIZE;
 */
snpy_status snpy_parse_type(const uint8_t *text, size_t pos, size_t end, bool is_unnamed, const snpy_compat *compat,
                            snpy_dtype *dtype, size_t *at);

/* Likewise for a name such as float64, if `allowed`; byteorder, unit and multiplier are preset for a type
 * without a unit.                                                                           NPY-DTYPE-006 */
/*@ requires text_ok(text, end) && pos <= end && \valid(dtype) && \valid(at);
    requires \separated(text + (0 .. end-1), dtype, at);
    requires preset: dtype->byteorder == '|' && dtype->unit == 0 && dtype->multiplier == 0 && dtype->itemsize == 0;
    terminates \true;
    exits \false;
    assigns dtype->kind, dtype->byteorder, dtype->unit, dtype->itemsize, dtype->multiplier, *at;
    ensures range: pos <= *at <= end;
    ensures dtype: \result == SNPY_OK ==> simple_dtype(dtype);
    ensures size: dtype->itemsize <= SNPY_MAX_ITEMSIZE;
 */
snpy_status snpy_parse_type_name(const uint8_t *text, size_t pos, size_t end, bool allowed, snpy_dtype *dtype,
                                 size_t *at);

#endif
