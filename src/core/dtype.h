/* dtype.h: parses type strings. spec/npy.md, "Dtype", has the table of kinds and sizes. */
#ifndef SAFENPY_CORE_DTYPE_H
#define SAFENPY_CORE_DTYPE_H

#include "core/literal.h"
#include "spec/logic/dtype.h"

/* clang-format off */
/*@ predicate simple_dtype(snpy_dtype *dtype) =
        known_kind(dtype->kind) && dtype->itemsize <= SNPY_MAX_ITEMSIZE
        && (dtype->byteorder == '<' || dtype->byteorder == '>' || dtype->byteorder == '|')
        && SNPY_UNIT_GENERIC <= dtype->unit <= SNPY_UNIT_ATTOSECOND && dtype->multiplier <= 0x7fffffff; */

/* The flags that affect type strings, in the order in which type_status and type_at take them. */
#define SNPY_TYPE_FLAGS(c)                                                                                   \
    (boolean)(c)->native_order, (boolean)(c)->type_names, (boolean)(c)->bytes_alias, (boolean)(c)->platform_float
/* clang-format on */

/* Parses the type string text[pos .. end-1]. `is_unnamed` is true for the direct type of a field with an empty name and
 * no title: a void type needs no byte order there. On failure *at is the byte at fault.
 *                                                                                      NPY-DTYPE-001 … NPY-DTYPE-011 */
/*@ requires text_ok(text, end) && pos <= end && \valid(dtype) && \valid(at) && \valid_read(compat);
    requires \separated(text + (0 .. end-1), dtype, at) && \separated(compat, dtype, at);
    terminates \true;
    exits \false;
    assigns dtype->kind, dtype->byteorder, dtype->unit, dtype->itemsize, dtype->multiplier, *at;
    ensures NPY_DTYPE_status: \result ==
            \old(type_status(text, pos, end, (boolean)is_unnamed, SNPY_TYPE_FLAGS(compat)));
    ensures NPY_DTYPE_at: \result != SNPY_OK ==>
            *at == \old(type_at(text, pos, end, (boolean)is_unnamed, SNPY_TYPE_FLAGS(compat)));
    ensures kind: \result == SNPY_OK ==> dtype->kind == \old(type_kind(text, pos, end));
    ensures byteorder: \result == SNPY_OK ==> dtype->byteorder == \old(type_byteorder(text, pos, end));
    ensures itemsize: \result == SNPY_OK ==> dtype->itemsize == \old(type_itemsize(text, pos, end));
    ensures unit: \result == SNPY_OK ==> dtype->unit == \old(type_unit(text, pos, end));
    ensures multiplier: \result == SNPY_OK ==> dtype->multiplier == \old(type_multiplier(text, pos, end));
    ensures range: pos <= *at <= end;
    ensures dtype: \result == SNPY_OK ==> simple_dtype(dtype);
    ensures size: dtype->itemsize <= SNPY_MAX_ITEMSIZE;
 */
snpy_status snpy_parse_type(const uint8_t *text, size_t pos, size_t end, bool is_unnamed, const snpy_compat *compat,
                            snpy_dtype *dtype, size_t *at);

/* Parses the name of a type, such as float64, if `allowed`. Presets byteorder, unit and multiplier for a type without a
 * unit. On failure *at is the byte at fault.                                           NPY-DTYPE-006, NPY-COMPAT-009 */
/*@ requires text_ok(text, end) && pos <= end && \valid(dtype) && \valid(at);
    requires \separated(text + (0 .. end-1), dtype, at);
    requires preset: dtype->byteorder == '|' && dtype->unit == 0 && dtype->multiplier == 0 && dtype->itemsize == 0;
    terminates \true;
    exits \false;
    assigns dtype->kind, dtype->byteorder, dtype->unit, dtype->itemsize, dtype->multiplier, *at;
    ensures NPY_DTYPE_006: \result == \old(name_status(text, pos, end, (boolean)allowed));
    ensures at: \result != SNPY_OK ==> *at == \old(name_fault(text, pos, end, (boolean)allowed));
    ensures kind: \result == SNPY_OK ==> dtype->kind == \old(name_kind(text, pos, end));
    ensures byteorder: \result == SNPY_OK ==> dtype->byteorder == \old(name_order(text, pos, end));
    ensures itemsize: \result == SNPY_OK ==> dtype->itemsize == \old(name_size(text, pos, end));
    ensures unit: \result == SNPY_OK ==> dtype->unit == \old(name_unit(text, pos, end));
    ensures multiplier: \result == SNPY_OK ==> dtype->multiplier == \old(name_multiplier(text, pos, end));
    ensures range: pos <= *at <= end;
    ensures dtype: \result == SNPY_OK ==> simple_dtype(dtype);
    ensures size: dtype->itemsize <= SNPY_MAX_ITEMSIZE;
 */
snpy_status snpy_parse_type_name(const uint8_t *text, size_t pos, size_t end, bool allowed, snpy_dtype *dtype,
                                 size_t *at);

#endif
