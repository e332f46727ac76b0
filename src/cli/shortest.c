/* shortest.c: writes floats in the fewest digits that read back as the same number.
 * tests/data compares them with NumPy.
 *
 * The algorithm is Schubfach (R. Giulietti). Of the multiples of a power of ten in the interval that rounds to the
 * number, it takes the only one that is a multiple of the next power, if there is exactly one, else the nearest. The
 * 128-bit powers of ten are computed when the first float is printed, so that no table has to be trusted. */
#include "cli/data.h"

#include "safenpy/double.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The powers of ten that a double needs. */
#define MIN_POWER (-292)
#define MAX_POWER 324
#define POWER_COUNT (MAX_POWER - MIN_POWER + 1)

/* 32-bit words of a large number: 2^1216, divided by 10^292, still has more than 128 bits. */
#define WORDS 39

/* The leading 128 bits of a power of ten, rounded up. */
struct power {
    uint64_t high;
    uint64_t low;
};

static struct power powers[POWER_COUNT];
static bool has_powers;

/* Returns 64 bits of a large number, from bit `from` on; bits outside it are 0. */
static uint64_t bits_from(const uint32_t *words, int from)
{
    uint64_t result = 0;
    for (int bit = from + 63; bit >= from; bit--) {
        bool is_set = bit >= 0 && bit < 32 * WORDS && (words[bit / 32] >> (bit % 32) & 1) != 0;
        result = result * 2 + (is_set ? 1 : 0);
    }
    return result;
}

/* Returns the leading 128 bits of a large number, which is not 0. Rounds up if bits below them are set, or if the number
 * `has_more`: a fraction that `words` lacks. */
static struct power leading(const uint32_t *words, bool has_more)
{
    int top = 32 * WORDS - 1;
    while ((words[top / 32] >> (top % 32) & 1) == 0) top--;
    struct power result = {bits_from(words, top - 63), bits_from(words, top - 127)};
    for (int bit = 0; bit < top - 127 && !has_more; bit++) has_more = (words[bit / 32] >> (bit % 32) & 1) != 0;
    if (has_more && ++result.low == 0) result.high++;
    return result;
}

/* Computes all powers: the positive ones by multiplying, the negative ones by dividing a power of two. */
static void make_powers(void)
{
    uint32_t words[WORDS] = {1};
    for (int power = 0; power <= MAX_POWER; power++) {
        uint64_t carry = 0;
        powers[power - MIN_POWER] = leading(words, false);
        for (int i = 0; i < WORDS; i++) {
            carry += (uint64_t)words[i] * 10;
            words[i] = (uint32_t)(carry & 0xffffffff);
            carry >>= 32;
        }
    }
    memset(words, 0, sizeof words);
    words[WORDS - 1] = 1;
    for (int power = -1; power >= MIN_POWER; power--) {
        uint64_t rest = 0;
        for (int i = WORDS - 1; i >= 0; i--) {
            rest = rest << 32 | words[i];
            words[i] = (uint32_t)(rest / 10);
            rest %= 10;
        }
        powers[power - MIN_POWER] = leading(words, true);
    }
    has_powers = true;
}

/* Returns the high 64 bits of a product; *low receives the low 64 bits. */
static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *low)
{
    uint64_t a0 = a & 0xffffffff;
    uint64_t a1 = a >> 32;
    uint64_t b0 = b & 0xffffffff;
    uint64_t b1 = b >> 32;
    uint64_t middle = a0 * b0;
    *low = middle & 0xffffffff;
    middle = (middle >> 32) + a1 * b0;
    uint64_t upper = middle >> 32;
    middle = (middle & 0xffffffff) + a0 * b1;
    *low |= middle << 32;
    return a1 * b1 + upper + (middle >> 32);
}

/* Returns the integer part of power * number / 2^128; a fraction sets its last bit. */
static uint64_t scale(struct power power, uint64_t number)
{
    uint64_t low;
    uint64_t middle;
    uint64_t carried = multiply(power.low, number, &low);
    uint64_t high = multiply(power.high, number, &middle);
    middle += carried;
    if (middle < carried) high++;
    return high | (middle > 1 ? 1 : 0);
}

/* Returns number / 2^shift, rounded down. */
static int32_t divide_down(int32_t number, int shift)
{
    int32_t unit = (int32_t)1 << shift;
    return number >= 0 ? number / unit : -((unit - 1 - number) / unit);
}

/* A decimal number: digits * 10^exponent. */
struct decimal {
    uint64_t digits;
    int32_t exponent;
};

/* Returns the shortest decimal that reads back as c * 2^q; c is not 0. With `is_uneven`, c is the smallest significand
 * of its exponent, so that the number below is half as far away as the one above. */
static struct decimal shorten(uint64_t c, int32_t q, bool is_uneven)
{
    const bool is_even = c % 2 == 0;
    int32_t k = divide_down(q * 1262611 - (is_uneven ? 524031 : 0), 22);
    int32_t shift = q + divide_down(-k * 1741647, 19) + 1;
    struct power power = powers[-k - MIN_POWER];
    uint64_t lower = scale(power, (4 * c - (is_uneven ? 1 : 2)) << shift) + (is_even ? 0 : 1);
    uint64_t exact = scale(power, (4 * c) << shift);
    uint64_t upper = scale(power, (4 * c + 2) << shift) - (is_even ? 0 : 1);
    uint64_t below = exact / 4;
    if (below >= 10) {
        uint64_t tens = below / 10;
        bool has_lower = lower <= 40 * tens;
        bool has_upper = 40 * tens + 40 <= upper;
        if (has_lower != has_upper) return (struct decimal){tens + (has_upper ? 1 : 0), k + 1};
    }
    bool has_lower = lower <= 4 * below;
    bool has_upper = 4 * below + 4 <= upper;
    if (has_lower != has_upper) return (struct decimal){below + (has_upper ? 1 : 0), k};
    uint64_t middle = 4 * below + 2;
    bool rounds_up = exact > middle || (exact == middle && below % 2 == 1);
    return (struct decimal){below + (rounds_up ? 1 : 0), k};
}

/* Writes digits with a decimal point before digit `point`, or with an exponent if `is_scientific`. A whole number gets
 * ".0" if `has_point`. Returns the length. */
static size_t lay_out(const char *digits, int count, int point, bool is_scientific, bool has_point, char *out)
{
    size_t at = 0;
    if (is_scientific) {
        out[at++] = digits[0];
        if (count > 1) out[at++] = '.';
        for (int i = 1; i < count; i++) out[at++] = digits[i];
        return at + (size_t)snprintf(out + at, 8, "e%c%02d", point < 1 ? '-' : '+', abs(point - 1));
    }
    if (point <= 0) out[at++] = '0';
    for (int i = 0; i < point; i++) out[at++] = i < count ? digits[i] : '0';
    if (!has_point && point >= count) return at;
    out[at++] = '.';
    for (int i = point; i < 0; i++) out[at++] = '0';
    for (int i = point < 0 ? 0 : point; i < count; i++) out[at++] = digits[i];
    if (point >= count) out[at++] = '0';
    return at;
}

/* Writes the digits of a number without trailing zeros, which are added to its exponent. Returns how many digits there
 * are. */
static int write_digits(struct decimal *number, char digits[20])
{
    int count = 0;
    while (number->digits % 10 == 0) {
        number->digits /= 10;
        number->exponent++;
    }
    for (uint64_t rest = number->digits; rest > 0; rest /= 10) count++;
    for (int i = count; i > 0; i--) {
        digits[i - 1] = (char)('0' + number->digits % 10);
        number->digits /= 10;
    }
    return count;
}

/* Appends "nan", "inf" or zero at `at`, after a sign. Returns the length. */
static size_t write_special(const char *text, size_t at, char *out)
{
    for (; *text != '\0'; text++) out[at++] = *text;
    return at;
}

size_t cli_float_text(uint64_t bits, uint32_t size, bool has_point, char out[CLI_FLOAT_CAPACITY])
{
    const int fraction = size == 8 ? 52 : size == 4 ? 23 : 10;
    const int32_t most = size == 8 ? 2047 : size == 4 ? 255 : 31;
    const uint64_t significand = bits & (((uint64_t)1 << fraction) - 1);
    const int32_t exponent = (int32_t)(bits >> fraction) & most;
    const bool is_negative = (bits >> (8 * size - 1) & 1) != 0;
    char digits[20] = {0};
    size_t at = 0;
    if (exponent == most && significand != 0) return write_special("nan", 0, out);
    if (is_negative) out[at++] = '-';
    if (exponent == most) return write_special("inf", at, out);
    if (exponent == 0 && significand == 0) return write_special(has_point ? "0.0" : "0", at, out);
    if (!has_powers) make_powers();
    uint64_t c = exponent == 0 ? significand : significand + ((uint64_t)1 << fraction);
    int32_t q = (exponent == 0 ? 1 : exponent) - most / 2 - fraction;
    bool is_whole = q <= 0 && q > -fraction - 1 && (c & (((uint64_t)1 << -q) - 1)) == 0;
    struct decimal number = is_whole ? (struct decimal){c >> -q, 0} : shorten(c, q, significand == 0 && exponent > 1);
    int count = write_digits(&number, digits);
    int point = count + number.exponent;
    /* NumPy compares the number itself with 1e-4: the 4-byte float nearest to 0.0001 is less, and written "1e-04". */
    bool is_small = point < -3 || (size == 4 && (bits & 0x7fffffff) == 0x38d1b717);
    return at + lay_out(digits, count, point, is_small || point > 16, has_point, out + at);
}

#if LDBL_MANT_DIG == 64 && (defined(__x86_64__) || defined(__i386__))
/* Writes a decimal of `digits` digits. Returns whether it reads back as `value`. The nearest decimal is tried and,
 * because the numbers below a power of two are closer than those above it, the next one. 21 digits are always
 * enough. */
static bool finds_digits(char *text, size_t capacity, int digits, long double value)
{
    (void)snprintf(text, capacity, "%.*Le", digits - 1, value);
    if (digits >= 21 || strtold(text, NULL) == value) return true;
    char *last = strchr(text, 'e') - 1;
    if (*last == '9' || *last == '.') return false;
    ++*last;
    return strtold(text, NULL) == value;
}

size_t cli_long_float_text(const uint8_t *bytes, bool is_big, bool has_point, char out[CLI_FLOAT_CAPACITY])
{
    uint8_t ordered[10];
    char text[64];
    long double value = 0;
    size_t at = 0;
    int digits = 18; /* 18 digits are kept by any number, but not by subnormal ones */
    for (size_t i = 0; i < sizeof ordered; i++) ordered[i] = is_big ? bytes[15 - i] : bytes[i];
    uint32_t exponent = (uint32_t)(ordered[8] + 256u * ordered[9]) & 0x7fff;
    /* Numbers without their leading bit are invalid, and some C libraries write past their buffer for them. */
    if (exponent != 0 && ordered[7] < 0x80) return 0;
    memcpy(&value, ordered, sizeof ordered);
    if (value != value) return write_special("nan", 0, out);
    if (ordered[9] >= 0x80) {
        out[at++] = '-';
        value = -value;
    }
    if (exponent == 0x7fff) return write_special("inf", at, out);
    if (value == 0) return write_special(has_point ? "0.0" : "0", at, out);
    if (exponent == 0) digits = 1;
    while (!finds_digits(text, sizeof text, digits, value)) digits++;
    int point = (int)strtol(strchr(text, 'e') + 1, NULL, 10) + 1;
    int count = 0;
    for (const char *c = text; *c != 'e'; c++)
        if (*c != '.') text[count++] = *c;
    while (count > 1 && text[count - 1] == '0') count--;
    return at + lay_out(text, count, point, value < 1e-4L || value >= 1e16L, has_point, out + at);
}
#else
size_t cli_long_float_text(const uint8_t *bytes, bool is_big, bool has_point, char out[CLI_FLOAT_CAPACITY])
{
    (void)bytes, (void)is_big, (void)has_point, (void)out;
    return 0;
}
#endif
