/* key_number.h: numbers as keys compare them: integers, floats and scalars of NumPy, exactly.               NPY-PKL-017
 * Proves that it stays inside the pickle. That equal numbers have one form is tested against tests/oracle. */
#ifndef SAFENPY_CORE_OBJECT_KEY_NUMBER_H
#define SAFENPY_CORE_OBJECT_KEY_NUMBER_H

#include "core/object/leaf.h"

#define SNPY_NUMBER_LIMBS 10u
#define SNPY_NUMBER_BYTES 40u /* of an integer that is a key */

enum snpy_number_kind { SNPY_NUMBER_FINITE = 0, SNPY_NUMBER_INFINITE = 1, SNPY_NUMBER_NAN = 2 };

/* An integer, odd or 0, times a power of two. Equal numbers have equal parts. */
struct snpy_number {
    uint32_t kind;    /* a snpy_number_kind */
    uint32_t sign;    /* 1: negative */
    int64_t exponent; /* of 2; 0 for 0 */
    uint32_t count;   /* limbs that are in use */
    uint32_t limbs[SNPY_NUMBER_LIMBS];
};

/* Bytes of a number, the least significant first. */
struct snpy_number_bytes {
    uint32_t count;
    uint8_t bytes[SNPY_NUMBER_BYTES];
};

/* An integer from its bytes, in two's complement if it is signed. */
/*@ requires \valid(number) && \valid_read(bytes) && \separated(number, bytes) && bytes->count <= SNPY_NUMBER_BYTES;
    terminates \true;
    exits \false;
    assigns *number;
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
 */
void snpy_number_of_bytes(const struct snpy_number_bytes *bytes, bool is_signed, struct snpy_number *number);

/* A float from its 2, 4 or 8 bytes. */
/*@ requires \valid(number) && \valid_read(bytes) && \separated(number, bytes) && bytes->count <= SNPY_NUMBER_BYTES;
    terminates \true;
    exits \false;
    assigns *number;
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
 */
void snpy_number_of_float(const struct snpy_number_bytes *bytes, struct snpy_number *number);

/* A bool, int or float. Others are 0. */
/*@ requires text_ok(pickle, length) && \valid_read(node) && \valid(number);
    requires \separated(number, node) && \separated(number, pickle + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *number;
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
 */
void snpy_number_of_node(const uint8_t *pickle, size_t length, const snpy_node *node, struct snpy_number *number);

/* Whether two numbers are equal. */
/*@ requires \valid_read(left) && \valid_read(right);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_number_is(const struct snpy_number *left, const struct snpy_number *right);

#endif
