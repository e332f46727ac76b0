/* member_name.h: decodes and compares the names of members. */
#ifndef SAFENPY_CORE_ZIP_MEMBER_NAME_H
#define SAFENPY_CORE_ZIP_MEMBER_NAME_H

#include "core/literal.h"
#include "core/zip/zip.h"
#include "spec/logic/member.h"

/*@ requires pos < length <= SNPY_MAX_TEXT && \valid_read(name + (0 .. length-1)) && \valid(code_point);
    requires \separated(code_point, name + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *code_point;
    ensures NPZ_NAME_001: \result == \old(member_step(name, length, pos, flags));
    ensures NPZ_NAME_002: \result > 0 ==> *code_point == \old(member_value(name, pos, flags));
    ensures range: \result <= length - pos;
    ensures bound: *code_point <= 0x10ffff;
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
size_t snpy_zip_name_next(const uint8_t *name, size_t length, size_t pos, uint32_t flags, uint32_t *code_point);

/*@ requires \valid_read(name + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_NAME_005: \result == length_of_key(name, length);
    ensures range: \result <= length;
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
size_t snpy_zip_key_length(const uint8_t *name, size_t length);

/*@ requires \valid_read(bytes + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_EXTRA_005: \result == crc_of(bytes, length, crc);
 */
/* NOLINTNEXTLINE(readability-redundant-declaration): a contract needs a declaration */
uint32_t snpy_zip_crc(uint32_t crc, const uint8_t *bytes, size_t length);

/* Compares two names character by character; a prefix sorts before what it begins. Returns -1, 0 or 1.  NPZ-NAME-006 */
/*@ requires length <= SNPY_MAX_TEXT && \valid_read(name + (0 .. length-1));
    requires other_length <= SNPY_MAX_TEXT && \valid_read(other + (0 .. other_length-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: -1 <= \result <= 1;
    ensures before: \result < 0 <==> order_of_texts(name, length, 0, flags, other, other_length, 0, other_flags) < 0;
    ensures after: \result > 0 <==> order_of_texts(name, length, 0, flags, other, other_length, 0, other_flags) > 0;
 */
int snpy_zip_compare_names(const uint8_t *name, size_t length, uint32_t flags, const uint8_t *other,
                           size_t other_length, uint32_t other_flags);

#define ZIP_IS_UTF8(flags) ((flags) / SNPY_ZIP_FLAG_UTF8 % 2 == 1)

/* Checks the name of a central header: its length, its bytes and its Unicode path. The header begins at `at`, its
 * fields are within `length` bytes, and `path` is as in snpy_zip_extra. On failure *fault is the byte at fault.
 *                                                                              NPZ-NAME-001, 003, 004, NPZ-EXTRA-005 */
/*@ requires \valid_read(b + (0 .. length-1)) && \valid(fault) && \separated(fault, b + (0 .. length-1));
    requires at + SNPY_ZIP_CENTRAL_SIZE + name_length <= length && 0 <= name_length <= 0xffff;
    requires path == 0 || EXTRA_FITS(b, path, length);
    terminates \true;
    exits \false;
    assigns *fault;
    ensures status: \result == SNPY_OK || \result == SNPY_ZIP_NAME_UTF8 || \result == SNPY_ZIP_UNICODE_PATH
            || \result == SNPY_ZIP_NUL_IN_NAME || \result == SNPY_ZIP_EMPTY_NAME;
    ensures NPZ_ERR_001: \result == name_status(b, at, name_length, flags, path);
    ensures where: \result != SNPY_OK ==> *fault == name_fault(b, at, name_length, flags, path);
    ensures NPZ_NAME_001: \result == SNPY_ZIP_NAME_UTF8 <==> ZIP_IS_UTF8(flags)
            && utf8_end(b + (at + SNPY_ZIP_CENTRAL_SIZE), name_length, 0) < name_length;
    ensures utf8_at: \result == SNPY_ZIP_NAME_UTF8 ==>
            *fault == at + SNPY_ZIP_CENTRAL_SIZE + utf8_end(b + (at + SNPY_ZIP_CENTRAL_SIZE), name_length, 0);
    ensures NPZ_EXTRA_005: \result == SNPY_ZIP_UNICODE_PATH ==> path != 0 && *fault == path;
    ensures NPZ_NAME_003: \result == SNPY_OK ==> \forall integer i;
            at + SNPY_ZIP_CENTRAL_SIZE <= i < at + SNPY_ZIP_CENTRAL_SIZE + name_length ==> b[i] != 0;
    ensures nul_at: \result == SNPY_ZIP_NUL_IN_NAME ==> b[*fault] == 0
            && at + SNPY_ZIP_CENTRAL_SIZE <= *fault < at + SNPY_ZIP_CENTRAL_SIZE + name_length
            && \forall integer i; at + SNPY_ZIP_CENTRAL_SIZE <= i < *fault ==> b[i] != 0;
    ensures NPZ_NAME_004: \result == SNPY_OK ==> name_length >= 1;
    ensures empty_at: \result == SNPY_ZIP_EMPTY_NAME ==> name_length == 0 && *fault == at + 28;
    ensures fault: \result != SNPY_OK ==> *fault < length;
 */
snpy_status snpy_zip_check_name(const uint8_t *b, size_t length, size_t at, size_t name_length, uint32_t flags,
                                size_t path, size_t *fault);

#endif
