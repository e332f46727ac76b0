/* key_number.c: numbers as keys compare them.                                                              NPY-PKL-017
 * Proves that it stays inside the pickle and its own memory. Leaves to scan.c that numbers in text are well-formed. */
#include "core/object/key_number.h"

#define BASE 4294967296u   /* of limbs */
#define MAX_HALVES 320u    /* bits of all limbs of a number */
#define DECIMAL_LIMBS 48u  /* 32 digits times 10^400 need 1,436 bits */
#define FRACTION_LIMBS 44u /* those after the point, where a decimal is divided by up to 10^400 */
#define FRACTION_BITS 1408u
#define BELOW_SMALLEST 334u    /* of the bits after the point: those below 2^-1074, which no float has */
#define MAX_TEN 400            /* exponents beyond make infinity or 0 */
#define LARGE_STEP 1000000000u /* 10^9 */

/* A float in text, as an integer times a power of 10, and then without it. */
struct decimal {
    int32_t ten;
    uint32_t is_inexact; /* 1: a rest was lost */
    uint32_t limbs[DECIMAL_LIMBS];
};

/* Sets a number to 0. */
/*@ requires \valid(number);
    terminates \true;
    exits \false;
    assigns *number;
    ensures zero: number->count == 0 && number->exponent == 0;
 */
static void clear(struct snpy_number *number)
{
    number->kind = SNPY_NUMBER_FINITE;
    number->sign = 0;
    number->exponent = 0;
    number->count = 0;
    /*@ loop invariant range: 0 <= i <= SNPY_NUMBER_LIMBS;
        loop assigns i, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
        loop variant SNPY_NUMBER_LIMBS - i; */
    for (uint32_t i = 0; i < SNPY_NUMBER_LIMBS; i++) number->limbs[i] = 0;
}

/* Drops limbs that are 0. */
/*@ requires \valid(number) && number->count <= SNPY_NUMBER_LIMBS;
    terminates \true;
    exits \false;
    assigns number->count;
    ensures count: number->count <= \old(number->count);
 */
static void trim(struct snpy_number *number)
{
    /*@ loop invariant range: number->count <= \at(number->count, Pre);
        loop assigns number->count;
        loop variant number->count; */
    while (number->count > 0 && number->limbs[number->count - 1u] == 0) number->count--;
}

/* Divides by 2. */
/*@ requires \valid(number) && number->count <= SNPY_NUMBER_LIMBS;
    terminates \true;
    exits \false;
    assigns number->count, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
 */
static void halve(struct snpy_number *number)
{
    uint64_t rest = 0;
    /*@ loop invariant range: 0 <= i <= number->count && rest <= 1;
        loop assigns i, rest, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
        loop variant i; */
    for (uint32_t i = number->count; i > 0; i--) {
        uint64_t sum = rest * BASE + number->limbs[i - 1u];
        number->limbs[i - 1u] = (uint32_t)(sum / 2u);
        rest = sum % 2u;
    }
    trim(number);
}

/* Adds 1. */
/*@ requires \valid(number) && number->count <= SNPY_NUMBER_LIMBS;
    terminates \true;
    exits \false;
    assigns number->count, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
 */
static void add_one(struct snpy_number *number)
{
    /*@ loop invariant range: 0 <= i <= number->count <= SNPY_NUMBER_LIMBS;
        loop assigns i, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
        loop variant number->count - i; */
    for (uint32_t i = 0; i < number->count; i++) {
        if (number->limbs[i] != UINT32_MAX) {
            number->limbs[i]++;
            return;
        }
        number->limbs[i] = 0;
    }
    if (number->count == SNPY_NUMBER_LIMBS) return;
    number->limbs[number->count] = 1;
    number->count++;
}

/* Appends a digit: a decimal one, or a byte. */
/*@ requires \valid(number) && number->count <= SNPY_NUMBER_LIMBS && digit <= 255;
    terminates \true;
    exits \false;
    assigns number->count, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
 */
static void append_digit(struct snpy_number *number, bool is_decimal, uint32_t digit)
{
    uint64_t carry = digit;
    /*@ loop invariant range: 0 <= i <= number->count && carry <= 255;
        loop assigns i, carry, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
        loop variant number->count - i; */
    for (uint32_t i = 0; i < number->count; i++) {
        uint64_t limb = number->limbs[i];
        uint64_t sum = (is_decimal ? 10u * limb : 256u * limb) + carry;
        number->limbs[i] = (uint32_t)(sum % BASE);
        carry = sum / BASE;
    }
    if (carry == 0 || number->count == SNPY_NUMBER_LIMBS) return;
    number->limbs[number->count] = (uint32_t)carry;
    number->count++;
}

/* Makes the integer odd, or the exponent 0. */
/*@ requires \valid(number) && number->count <= SNPY_NUMBER_LIMBS && -10000 <= number->exponent <= 10000;
    terminates \true;
    exits \false;
    assigns number->sign, number->exponent, number->count, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
    ensures exponent: -10320 <= number->exponent <= 10320;
 */
static void normalise(struct snpy_number *number)
{
    /*@ loop invariant range: 0 <= i <= MAX_HALVES && number->count <= SNPY_NUMBER_LIMBS;
        loop invariant exponent: -10000 <= number->exponent <= 10000 + i;
        loop assigns i, number->exponent, number->count, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
        loop variant MAX_HALVES - i; */
    for (uint32_t i = 0; i < MAX_HALVES && number->count > 0 && number->limbs[0] % 2u == 0; i++) {
        halve(number);
        number->exponent++;
    }
    if (number->count > 0) return;
    number->sign = 0;
    number->exponent = 0;
}

void snpy_number_of_bytes(const struct snpy_number_bytes *bytes, bool is_signed, struct snpy_number *number)
{
    bool is_negative = is_signed && bytes->count > 0 && bytes->bytes[bytes->count - 1u] > 0x7f;
    clear(number);
    /*@ loop invariant range: 0 <= i <= bytes->count && number->count <= SNPY_NUMBER_LIMBS;
        loop assigns i, number->count, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
        loop variant i; */
    for (uint32_t i = bytes->count; i > 0; i--) {
        uint32_t byte = bytes->bytes[i - 1u];
        append_digit(number, false, is_negative ? 255u - byte : byte);
    }
    if (is_negative) add_one(number);
    number->sign = is_negative ? 1 : 0;
    normalise(number);
}

/* A float from its bits, how many fractions and exponents there are, and the exponent before the least. */
/*@ requires \valid(number) && 1 <= fractions <= 4503599627370496 && 2 <= exponents <= 2048;
    requires -2000 <= before_least <= 0;
    terminates \true;
    exits \false;
    assigns *number;
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
 */
static void number_of_bits(uint64_t bits, uint64_t fractions, uint64_t exponents, int32_t before_least,
                           struct snpy_number *number)
{
    uint64_t fraction = bits % fractions;
    uint64_t exponent = (bits / fractions) % exponents;
    clear(number);
    number->sign = bits / fractions >= exponents ? 1 : 0;
    if (exponent == exponents - 1u) {
        number->kind = fraction == 0 ? SNPY_NUMBER_INFINITE : SNPY_NUMBER_NAN;
        if (fraction != 0) number->sign = 0;
        return;
    }
    if (exponent > 0) fraction += fractions;
    number->limbs[0] = (uint32_t)(fraction % BASE);
    number->limbs[1] = (uint32_t)(fraction / BASE);
    number->count = 2;
    number->exponent = (exponent > 0 ? (int64_t)exponent : 1) + before_least;
    trim(number);
    normalise(number);
}

void snpy_number_of_float(const struct snpy_number_bytes *bytes, struct snpy_number *number)
{
    uint64_t bits = snpy_opcode_number(bytes->bytes, 0, 8);
    if (bytes->count == 2)
        number_of_bits(bits % 65536u, 1024, 32, -25, number);
    else if (bytes->count == 4)
        number_of_bits(bits % BASE, 8388608, 256, -150, number);
    else
        number_of_bits(bits, 4503599627370496u, 2048, -1075, number);
}

/* ---- floats in text --------------------------------------------------------------------------------------- */

/* Multiplies by 10 or 10^9, and adds a digit. */
/*@ requires \valid(decimal) && digit <= 9;
    terminates \true;
    exits \false;
    assigns decimal->limbs[0 .. DECIMAL_LIMBS-1];
 */
static void multiply(struct decimal *decimal, bool is_large, uint32_t digit)
{
    uint64_t carry = digit;
    /*@ loop invariant range: 0 <= i <= DECIMAL_LIMBS && carry <= 999999999;
        loop assigns i, carry, decimal->limbs[0 .. DECIMAL_LIMBS-1];
        loop variant DECIMAL_LIMBS - i; */
    for (uint32_t i = 0; i < DECIMAL_LIMBS; i++) {
        uint64_t limb = decimal->limbs[i];
        uint64_t sum = (is_large ? LARGE_STEP * limb : 10u * limb) + carry;
        decimal->limbs[i] = (uint32_t)(sum % BASE);
        carry = sum / BASE;
    }
}

/* Divides by 10 or 10^9. */
/*@ requires \valid(decimal);
    terminates \true;
    exits \false;
    assigns decimal->is_inexact, decimal->limbs[0 .. DECIMAL_LIMBS-1];
 */
static void divide(struct decimal *decimal, bool is_large)
{
    uint64_t rest = 0;
    /*@ loop invariant range: 0 <= i <= DECIMAL_LIMBS && rest < (is_large ? LARGE_STEP : 10);
        loop assigns i, rest, decimal->limbs[0 .. DECIMAL_LIMBS-1];
        loop variant i; */
    for (uint32_t i = DECIMAL_LIMBS; i > 0; i--) {
        uint64_t sum = rest * BASE + decimal->limbs[i - 1u];
        decimal->limbs[i - 1u] = (uint32_t)(is_large ? sum / LARGE_STEP : sum / 10u);
        rest = is_large ? sum % LARGE_STEP : sum % 10u;
    }
    if (rest > 0) decimal->is_inexact = 1;
}

/* The exponent in text that begins with e, up to about 10,000 either way; 0 at the end of the text. */
/*@ requires text_ok(pickle, end) && pos <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: -10000 <= \result <= 10000;
 */
static int32_t read_exponent(const uint8_t *pickle, size_t pos, size_t end)
{
    int32_t value = 0;
    bool is_negative = end - pos >= 2 && pickle[pos + 1] == '-';
    /*@ loop invariant range: pos <= i <= end && 0 <= value <= 9999;
        loop assigns i, value;
        loop variant end - i; */
    for (size_t i = pos; i < end; i++) {
        if (pickle[i] >= '0' && pickle[i] <= '9' && value < 1000) value = 10 * value + (int32_t)(pickle[i] - '0');
    }
    return is_negative ? -value : value;
}

/* Reads a decimal, of at most 32 characters. */
/*@ requires text_ok(pickle, end) && from <= end <= from + 32 && \valid(decimal);
    requires \separated(decimal, pickle + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns decimal->ten, decimal->limbs[0 .. DECIMAL_LIMBS-1];
    ensures range: -MAX_TEN <= decimal->ten <= MAX_TEN;
 */
static void read_decimal(const uint8_t *pickle, size_t from, size_t end, struct decimal *decimal)
{
    size_t pos = from;
    int32_t places = 0;
    bool is_fraction = false;
    /*@ loop invariant range: from <= pos <= end && 0 <= places <= pos - from;
        loop assigns pos, places, is_fraction, decimal->limbs[0 .. DECIMAL_LIMBS-1];
        loop variant end - pos; */
    while (pos < end && pickle[pos] != 'e') {
        if (pickle[pos] >= '0' && pickle[pos] <= '9') {
            multiply(decimal, false, (uint32_t)(pickle[pos] - '0'));
            if (is_fraction) places++;
        }
        if (pickle[pos] == '.') is_fraction = true;
        pos++;
    }
    int32_t ten = read_exponent(pickle, pos, end) - places;
    decimal->ten = ten > MAX_TEN ? MAX_TEN : ten < -MAX_TEN ? -MAX_TEN : ten;
}

/* Moves the limbs after the point, where they can be divided. */
/*@ requires \valid(decimal);
    terminates \true;
    exits \false;
    assigns decimal->limbs[0 .. DECIMAL_LIMBS-1];
 */
static void move_up(struct decimal *decimal)
{
    /*@ loop invariant range: 0 <= i <= DECIMAL_LIMBS - FRACTION_LIMBS;
        loop assigns i, decimal->limbs[0 .. DECIMAL_LIMBS-1];
        loop variant DECIMAL_LIMBS - FRACTION_LIMBS - i; */
    for (uint32_t i = 0; i < DECIMAL_LIMBS - FRACTION_LIMBS; i++) {
        decimal->limbs[FRACTION_LIMBS + i] = decimal->limbs[i];
        decimal->limbs[i] = 0;
    }
}

/* Multiplies by the power of 10. */
/*@ requires \valid(decimal) && -MAX_TEN <= decimal->ten <= MAX_TEN;
    terminates \true;
    exits \false;
    assigns decimal->is_inexact, decimal->limbs[0 .. DECIMAL_LIMBS-1];
 */
static void scale(struct decimal *decimal)
{
    bool is_negative = decimal->ten < 0;
    int32_t left = is_negative ? -decimal->ten : decimal->ten;
    if (is_negative) move_up(decimal);
    /*@ loop invariant range: 0 <= left <= MAX_TEN;
        loop assigns left, decimal->is_inexact, decimal->limbs[0 .. DECIMAL_LIMBS-1];
        loop variant left; */
    while (left > 0) {
        bool is_large = left >= 9;
        if (is_negative)
            divide(decimal, is_large);
        else
            multiply(decimal, is_large, 0);
        left -= is_large ? 9 : 1;
    }
}

/* How many bits an integer of some limbs has. */
/*@ requires \valid_read(limbs + (0 .. count-1)) && count <= DECIMAL_LIMBS;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= 32 * count;
 */
static uint32_t bit_length(const uint32_t *limbs, uint32_t count)
{
    uint32_t top = count;
    /*@ loop invariant range: 0 <= top <= count;
        loop assigns top;
        loop variant top; */
    while (top > 0 && limbs[top - 1u] == 0) top--;
    if (top == 0) return 0;
    uint32_t bits = 0;
    /*@ loop invariant range: 0 <= bits <= 32;
        loop assigns bits, limb;
        loop variant 32 - bits; */
    for (uint32_t limb = limbs[top - 1u]; limb > 0 && bits < 32; limb /= 2u) bits++;
    return 32u * (top - 1u) + bits;
}

/* Notes whether one of the first limbs is other than 0. */
/*@ requires \valid(decimal) && count <= DECIMAL_LIMBS;
    terminates \true;
    exits \false;
    assigns decimal->is_inexact;
 */
static void lose(struct decimal *decimal, uint32_t count)
{
    /*@ loop invariant range: 0 <= i <= count;
        loop assigns i, decimal->is_inexact;
        loop variant count - i; */
    for (uint32_t i = 0; i < count; i++) {
        if (decimal->limbs[i] != 0) decimal->is_inexact = 1;
    }
}

/* Takes the three limbs from `from` on. */
/*@ requires \valid_read(decimal) && \valid(number) && \separated(decimal, number) && from <= DECIMAL_LIMBS;
    terminates \true;
    exits \false;
    assigns number->count, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
    ensures count: number->count <= 3;
 */
static void take_limbs(const struct decimal *decimal, uint32_t from, struct snpy_number *number)
{
    /*@ loop invariant range: 0 <= i <= 3;
        loop assigns i, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
        loop variant 3 - i; */
    for (uint32_t i = 0; i < 3; i++) number->limbs[i] = from + i < DECIMAL_LIMBS ? decimal->limbs[from + i] : 0;
    number->count = 3;
    trim(number);
}

/* Drops bits of a number, and rounds to the nearest, of two to the even one. */
/*@ requires \valid(number) && number->count <= SNPY_NUMBER_LIMBS && bits <= 32;
    terminates \true;
    exits \false;
    assigns number->count, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
 */
static void round_off(struct snpy_number *number, uint32_t bits, bool is_inexact)
{
    bool is_lost = is_inexact;
    bool half = false;
    /*@ loop invariant range: 0 <= i <= bits && number->count <= SNPY_NUMBER_LIMBS;
        loop assigns i, is_lost, half, number->count, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
        loop variant bits - i; */
    for (uint32_t i = 0; i < bits; i++) {
        is_lost = is_lost || half;
        half = number->count > 0 && number->limbs[0] % 2u != 0;
        halve(number);
    }
    bool is_odd = number->count > 0 && number->limbs[0] % 2u != 0;
    if (half && (is_lost || is_odd)) add_one(number);
}

/* Rounds a decimal to a float of 64 bits. */
/*@ requires \valid(decimal) && \valid(number) && \separated(decimal, number);
    requires -MAX_TEN <= decimal->ten <= MAX_TEN && number->exponent == 0;
    terminates \true;
    exits \false;
    assigns decimal->is_inexact, *number;
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
 */
static void round_decimal(struct decimal *decimal, struct snpy_number *number)
{
    uint32_t bits = bit_length(decimal->limbs, DECIMAL_LIMBS);
    uint32_t least = decimal->ten < 0 ? BELOW_SMALLEST : 0;
    uint32_t drop = bits > 53u + least ? bits - 53u : least;
    uint32_t whole = drop > 0 ? (drop - 1u) / 32u : 0;
    lose(decimal, whole);
    take_limbs(decimal, whole, number);
    round_off(number, drop - 32u * whole, decimal->is_inexact != 0);
    number->exponent = (int64_t)drop - (decimal->ten < 0 ? (int64_t)FRACTION_BITS : 0);
    if ((int64_t)bit_length(number->limbs, number->count) + number->exponent > 1024) {
        uint32_t sign = number->sign;
        clear(number);
        number->kind = SNPY_NUMBER_INFINITE;
        number->sign = sign;
        return;
    }
    normalise(number);
}

/* A float in text, of at most 32 characters. */
/*@ requires text_ok(pickle, end) && from < end <= from + 32 && \valid(number);
    requires \separated(number, pickle + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *number;
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
 */
static void number_of_text(const uint8_t *pickle, size_t from, size_t end, struct snpy_number *number)
{
    struct decimal decimal = {.ten = 0};
    uint8_t last = pickle[end - 1];
    clear(number);
    number->sign = pickle[from] == '-' ? 1 : 0;
    if (last == 'f' || last == 'n') { /* inf and nan */
        number->kind = last == 'f' ? SNPY_NUMBER_INFINITE : SNPY_NUMBER_NAN;
        return;
    }
    read_decimal(pickle, from, end, &decimal);
    scale(&decimal);
    round_decimal(&decimal, number);
}

/* ---- nodes ------------------------------------------------------------------------------------------------ */

/* An integer in text: its digits, a sign before, and perhaps an L after them. */
/*@ requires text_ok(pickle, end) && from < end && \valid(number);
    requires \separated(number, pickle + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *number;
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
 */
static void number_of_digits(const uint8_t *pickle, size_t from, size_t end, struct snpy_number *number)
{
    clear(number);
    number->sign = pickle[from] == '-' ? 1 : 0;
    /*@ loop invariant range: from <= i <= end && number->count <= SNPY_NUMBER_LIMBS;
        loop assigns i, number->count, number->limbs[0 .. SNPY_NUMBER_LIMBS-1];
        loop variant end - i; */
    for (size_t i = from; i < end; i++) {
        uint32_t digit = pickle[i];
        if (digit >= '0' && digit <= '9') append_digit(number, true, digit - '0');
    }
    normalise(number);
}

/* Bytes of the pickle, in either order. */
/*@ requires text_ok(pickle, end) && from <= end <= from + SNPY_NUMBER_BYTES && \valid(bytes);
    requires \separated(bytes, pickle + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *bytes;
    ensures count: bytes->count == end - from;
 */
static void take_bytes(const uint8_t *pickle, size_t from, size_t end, bool is_reversed,
                       struct snpy_number_bytes *bytes)
{
    bytes->count = (uint32_t)(end - from);
    /*@ loop invariant range: 0 <= i <= end - from && bytes->count == end - from;
        loop assigns i, bytes->bytes[0 .. SNPY_NUMBER_BYTES-1];
        loop variant end - from - i; */
    for (size_t i = 0; i < end - from; i++) bytes->bytes[i] = pickle[is_reversed ? end - 1 - i : from + i];
}

/* A float, by its opcode. */
/*@ requires text_ok(pickle, end) && from < end <= from + SNPY_NUMBER_BYTES && \valid(number);
    requires \separated(number, pickle + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *number;
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
 */
static void number_of_float(const uint8_t *pickle, uint8_t code, size_t from, size_t end, struct snpy_number *number)
{
    struct snpy_number_bytes bytes = {.count = 0};
    if (code == 'F') {
        number_of_text(pickle, from, end - from > 32 ? from + 32 : end, number);
        return;
    }
    take_bytes(pickle, from, end, true, &bytes);
    snpy_number_of_float(&bytes, number);
}

/* An integer, by its opcode. */
/*@ requires text_ok(pickle, end) && from < end <= from + SNPY_NUMBER_BYTES + 1 && \valid(number);
    requires \separated(number, pickle + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *number;
    ensures count: number->count <= SNPY_NUMBER_LIMBS;
 */
static void number_of_int(const uint8_t *pickle, uint8_t code, size_t from, size_t end, struct snpy_number *number)
{
    struct snpy_number_bytes bytes = {.count = 0};
    if (code == 'I' || code == 'L') {
        number_of_digits(pickle, from, end, number);
        return;
    }
    take_bytes(pickle, from, end - from > SNPY_NUMBER_BYTES ? from + SNPY_NUMBER_BYTES : end, false, &bytes);
    snpy_number_of_bytes(&bytes, code != 'K' && code != 'M', number);
}

void snpy_number_of_node(const uint8_t *pickle, size_t length, const snpy_node *node, struct snpy_number *number)
{
    clear(number);
    if (node->kind == SNPY_NODE_TRUE) add_one(number);
    if (node->at >= length || node->start > length || node->size > length - node->start || node->size == 0) return;
    size_t from = node->start;
    size_t end = from + node->size;
    uint8_t code = pickle[node->at];
    if (node->kind == SNPY_NODE_INT && node->size <= SNPY_NUMBER_BYTES + 1u)
        number_of_int(pickle, code, from, end, number);
    if (node->kind == SNPY_NODE_FLOAT && node->size <= SNPY_NUMBER_BYTES)
        number_of_float(pickle, code, from, end, number);
}

bool snpy_number_is(const struct snpy_number *left, const struct snpy_number *right)
{
    if (left->kind != right->kind || left->sign != right->sign) return false;
    if (left->exponent != right->exponent || left->count != right->count) return false;
    /*@ loop invariant range: 0 <= i <= SNPY_NUMBER_LIMBS;
        loop assigns i;
        loop variant SNPY_NUMBER_LIMBS - i; */
    for (uint32_t i = 0; i < SNPY_NUMBER_LIMBS; i++) {
        if (i == left->count) return true;
        if (left->limbs[i] != right->limbs[i]) return false;
    }
    return true;
}
