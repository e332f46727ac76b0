/* value.c: converts between the bytes of an element and numbers or texts.                 NPY-VALUE-001 … NPY-VALUE-010
 * Proves what integers are, and that nothing beyond the element and the caller's buffer is used. Floating-point
 * arithmetic is left to the host: here floats are bits. That they are widened and rounded correctly is tested, for all
 * values of binary16. */
#include "safenpy/value.h"
#include "core/name.h"
#include "spec/logic/value.h"

/* clang-format off */
/* The element can be read; the caller's dtype has its size. */
#define ELEMENT_READ (\valid_read(dtype) && \valid_read(element + (0 .. dtype->itemsize - 1)))
#define ELEMENT_WRITTEN \
    (\valid_read(dtype) && \valid(element + (0 .. dtype->itemsize - 1)) && \
     \separated(dtype, element + (0 .. dtype->itemsize - 1)))
#define WORD(n) ((n) == 1 || (n) == 2 || (n) == 4 || (n) == 8)
/* clang-format on */

/* --- bytes and unsigned numbers ---------------------------------------------------------------------------- */

/* Reads 2 bytes as a number, big-endian if `big`. */
/*@ requires \valid_read(p + (0 .. 1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_VALUE_001: \result == number2(p, (boolean)big);
    ensures range: 0 <= \result <= 0xffff;
 */
static inline uint32_t load2(const uint8_t *p, bool big)
{
    return big ? 256u * p[0] + p[1] : p[0] + 256u * p[1];
}

/* Reads 4 bytes as a number, big-endian if `big`. */
/*@ requires \valid_read(p + (0 .. 3));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_VALUE_001: \result == number4(p, (boolean)big);
    ensures range: 0 <= \result <= 0xffffffff;
 */
static inline uint32_t load4(const uint8_t *p, bool big)
{
    return big ? 65536u * load2(p, true) + load2(p + 2, true) : load2(p, false) + 65536u * load2(p + 2, false);
}

/* Reads 1, 2, 4 or 8 bytes as a number, big-endian if `big`. */
/*@ requires WORD(size) && \valid_read(p + (0 .. size-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_VALUE_001: \result == number(p, size, (boolean)big);
    ensures range: 0 <= \result < numbers(size);
 */
static uint64_t load(const uint8_t *p, uint32_t size, bool big)
{
    if (size == 1) return p[0];
    if (size == 2) return load2(p, big);
    if (size == 4) return load4(p, big);
    uint64_t first = load4(p, big);
    uint64_t second = load4(p + 4, big);
    return big ? first * 0x100000000u + second : first + second * 0x100000000u;
}

/* Writes a number as 2 bytes, big-endian if `big`. */
/*@ requires \valid(p + (0 .. 1)) && value <= 0xffff;
    terminates \true;
    exits \false;
    assigns p[0 .. 1];
    ensures NPY_VALUE_001: number2(p, (boolean)big) == value;
 */
static inline void store2(uint8_t *p, uint32_t value, bool big)
{
    p[big ? 1 : 0] = (uint8_t)(value % 256);
    p[big ? 0 : 1] = (uint8_t)(value / 256);
}

/* Writes a number as 4 bytes, big-endian if `big`. */
/*@ requires \valid(p + (0 .. 3));
    terminates \true;
    exits \false;
    assigns p[0 .. 3];
    ensures NPY_VALUE_001: number4(p, (boolean)big) == value;
 */
static inline void store4(uint8_t *p, uint32_t value, bool big)
{
    uint32_t low = value % 65536;
    uint32_t high = value / 65536;
    store2(p, big ? high : low, big);
    store2(p + 2, big ? low : high, big);
}

/* Writes a number as 1, 2, 4 or 8 bytes, big-endian if `big`. */
/*@ requires WORD(size) && \valid(p + (0 .. size-1)) && value < numbers(size);
    terminates \true;
    exits \false;
    assigns p[0 .. size-1];
    ensures NPY_VALUE_001: number(p, size, (boolean)big) == value;
 */
static void store(uint8_t *p, uint32_t size, bool big, uint64_t value)
{
    if (size == 1) {
        p[0] = (uint8_t)value;
    } else if (size == 2) {
        store2(p, (uint32_t)value, big);
    } else if (size == 4) {
        store4(p, (uint32_t)value, big);
    } else {
        uint32_t low = (uint32_t)(value % 0x100000000u);
        uint32_t high = (uint32_t)(value / 0x100000000u);
        store4(p, big ? high : low, big);
        store4(p + 4, big ? low : high, big);
    }
}

/* --- integers ---------------------------------------------------------------------------------------------- */

/* Whether integers can have this many bytes: 1, 2, 4 or 8. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures word: \result <==> WORD(size);
 */
static inline bool is_word(uint32_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Whether elements of a kind are stored as signed integers: integers, datetimes, timedeltas. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures kind: \result <==> (kind == SNPY_KIND_INT || kind == SNPY_KIND_DATETIME || kind == SNPY_KIND_TIMEDELTA);
 */
static inline bool is_signed(int8_t kind)
{
    return kind == SNPY_KIND_INT || kind == SNPY_KIND_DATETIME || kind == SNPY_KIND_TIMEDELTA;
}

/* Whether elements of a kind are unsigned integers or booleans. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures kind: \result <==> (kind == SNPY_KIND_UINT || kind == SNPY_KIND_BOOL);
 */
static inline bool is_unsigned(int8_t kind)
{
    return kind == SNPY_KIND_UINT || kind == SNPY_KIND_BOOL;
}

/* Returns the largest signed number of `size` bytes. */
/*@ requires WORD(size);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures most: \result == numbers(size) / 2 - 1;
 */
static inline uint64_t largest_signed(uint32_t size)
{
    return size == 1 ? 0x7fu : size == 2 ? 0x7fffu : size == 4 ? 0x7fffffffu : 0x7fffffffffffffffu;
}

/*@ requires ELEMENT_READ && \valid(value);
    requires \separated(value, element + (0 .. dtype->itemsize-1)) && \separated(value, dtype);
    terminates \true;
    exits \false;
    assigns *value;
    ensures result: \result == SNPY_OK || \result == SNPY_WRONG_TYPE || \result == SNPY_VALUE_RANGE;
    ensures API_TYPE: \result == SNPY_WRONG_TYPE <==> !(WORD(\old(dtype->itemsize)) && (is_signed_kind(\old(dtype->kind)) || \old(dtype->kind) == SNPY_KIND_UINT
            || \old(dtype->kind) == SNPY_KIND_BOOL));
    ensures API_RANGE: \result == SNPY_VALUE_RANGE ==> !is_signed_kind(\old(dtype->kind)) && \old(number(element,
            dtype->itemsize, (boolean)(dtype->byteorder == '>'))) > 0x7fffffffffffffff;
    ensures NPY_VALUE_003: \result == SNPY_OK && is_signed_kind(\old(dtype->kind)) ==> *value == \old(signed_of(
            number(element, dtype->itemsize, (boolean)(dtype->byteorder == '>')), dtype->itemsize));
    ensures unsigned: \result == SNPY_OK && \old(dtype->kind) == SNPY_KIND_UINT ==>
            *value == \old(number(element, dtype->itemsize, (boolean)(dtype->byteorder == '>')));
    ensures NPY_VALUE_002: \result == SNPY_OK && \old(dtype->kind) == SNPY_KIND_BOOL ==>
            *value == (\old(number(element, dtype->itemsize, (boolean)(dtype->byteorder == '>'))) == 0 ? 0 : 1);
    ensures untouched: \result != SNPY_OK ==> *value == \old(*value);
 */
snpy_status snpy_get_int(const uint8_t *element, const snpy_dtype *dtype, int64_t *value)
{
    uint32_t size = dtype->itemsize;
    if (!is_word(size) || (!is_signed(dtype->kind) && !is_unsigned(dtype->kind))) return SNPY_WRONG_TYPE;
    uint64_t number = load(element, size, dtype->byteorder == '>');
    uint64_t most = largest_signed(size);
    if (is_unsigned(dtype->kind)) {
        if (number > INT64_MAX) return SNPY_VALUE_RANGE;
        *value = dtype->kind == SNPY_KIND_BOOL ? number != 0 : (int64_t)number;
    } else if (number <= most) {
        *value = (int64_t)number;
    } else {
        *value = -(int64_t)(most - (number - most - 1)) - 1;
    }
    return SNPY_OK;
}

/*@ requires ELEMENT_READ && \valid(value);
    requires \separated(value, element + (0 .. dtype->itemsize-1)) && \separated(value, dtype);
    terminates \true;
    exits \false;
    assigns *value;
    ensures result: \result == SNPY_OK || \result == SNPY_WRONG_TYPE || \result == SNPY_VALUE_RANGE;
    ensures API_TYPE: \result == SNPY_WRONG_TYPE <==> !(WORD(\old(dtype->itemsize)) && (is_signed_kind(\old(dtype->kind)) || \old(dtype->kind) == SNPY_KIND_UINT
            || \old(dtype->kind) == SNPY_KIND_BOOL));
    ensures API_RANGE: \result == SNPY_VALUE_RANGE ==> is_signed_kind(\old(dtype->kind)) && \old(signed_of(number(element,
            dtype->itemsize, (boolean)(dtype->byteorder == '>')), dtype->itemsize)) < 0;
    ensures NPY_VALUE_003: \result == SNPY_OK && \old(dtype->kind) != SNPY_KIND_BOOL ==>
            *value == \old(number(element, dtype->itemsize, (boolean)(dtype->byteorder == '>')));
    ensures untouched: \result != SNPY_OK ==> *value == \old(*value);
 */
snpy_status snpy_get_uint(const uint8_t *element, const snpy_dtype *dtype, uint64_t *value)
{
    uint32_t size = dtype->itemsize;
    if (!is_word(size) || (!is_signed(dtype->kind) && !is_unsigned(dtype->kind))) return SNPY_WRONG_TYPE;
    uint64_t number = load(element, size, dtype->byteorder == '>');
    if (is_signed(dtype->kind) && number > largest_signed(size)) return SNPY_VALUE_RANGE;
    *value = dtype->kind == SNPY_KIND_BOOL ? number != 0 : number;
    return SNPY_OK;
}

/*@ requires ELEMENT_WRITTEN;
    terminates \true;
    exits \false;
    assigns element[0 .. dtype->itemsize-1];
    ensures result: \result == SNPY_OK || \result == SNPY_WRONG_TYPE || \result == SNPY_VALUE_RANGE;
    ensures API_TYPE: \result == SNPY_WRONG_TYPE <==> !(WORD(dtype->itemsize) && (is_signed_kind(dtype->kind) || dtype->kind == SNPY_KIND_UINT
            || dtype->kind == SNPY_KIND_BOOL));
    ensures API_RANGE: \result == SNPY_VALUE_RANGE ==> value >= (dtype->kind == SNPY_KIND_BOOL ? 2 :
            is_signed_kind(dtype->kind) ? numbers(dtype->itemsize) / 2 : numbers(dtype->itemsize));
    ensures NPY_VALUE_003: \result == SNPY_OK ==> number(element, dtype->itemsize, (boolean)(dtype->byteorder == '>'))
                           == value;
    ensures range: \result == SNPY_OK && is_signed_kind(dtype->kind) ==> 2 * value < numbers(dtype->itemsize);
    ensures untouched: \result != SNPY_OK ==>
            \forall integer k; 0 <= k < dtype->itemsize ==> element[k] == \old(element[k]);
 */
snpy_status snpy_set_uint(uint8_t *element, const snpy_dtype *dtype, uint64_t value)
{
    uint32_t size = dtype->itemsize;
    if (!is_word(size) || (!is_signed(dtype->kind) && !is_unsigned(dtype->kind))) return SNPY_WRONG_TYPE;
    uint64_t most = largest_signed(size);
    if (dtype->kind == SNPY_KIND_BOOL) most = 1;
    if (dtype->kind == SNPY_KIND_UINT) most = size == 8 ? UINT64_MAX : 2 * most + 1;
    if (value > most) return SNPY_VALUE_RANGE;
    store(element, size, dtype->byteorder == '>', value);
    return SNPY_OK;
}

/*@ requires ELEMENT_WRITTEN;
    terminates \true;
    exits \false;
    assigns element[0 .. dtype->itemsize-1];
    ensures result: \result == SNPY_OK || \result == SNPY_WRONG_TYPE || \result == SNPY_VALUE_RANGE;
    ensures API_TYPE: \result == SNPY_WRONG_TYPE <==> !(WORD(dtype->itemsize) && (is_signed_kind(dtype->kind) || dtype->kind == SNPY_KIND_UINT
            || dtype->kind == SNPY_KIND_BOOL));
    ensures NPY_VALUE_003: \result == SNPY_OK && is_signed_kind(dtype->kind) ==> signed_of(
            number(element, dtype->itemsize, (boolean)(dtype->byteorder == '>')), dtype->itemsize) == value;
    ensures untouched: \result != SNPY_OK ==>
            \forall integer k; 0 <= k < dtype->itemsize ==> element[k] == \old(element[k]);
 */
snpy_status snpy_set_int(uint8_t *element, const snpy_dtype *dtype, int64_t value)
{
    uint32_t size = dtype->itemsize;
    if (value >= 0) return snpy_set_uint(element, dtype, (uint64_t)value);
    if (!is_word(size) || (!is_signed(dtype->kind) && !is_unsigned(dtype->kind))) return SNPY_WRONG_TYPE;
    uint64_t most = largest_signed(size);
    uint64_t below = (uint64_t)(-(value + 1)); /* 0 for -1 */
    if (is_unsigned(dtype->kind) || below > most) return SNPY_VALUE_RANGE;
    store(element, size, dtype->byteorder == '>', most + (most - below) + 1);
    return SNPY_OK;
}

/* --- floats ------------------------------------------------------------------------------------------------ */

/* The layout of a floating-point format: the bits of its significand after the point, and its largest biased
 * exponent. */
struct format {
    uint64_t one;      /* 2 to the power of that number of bits */
    uint32_t infinite; /* the exponent of infinities and NaNs */
    uint32_t bias;
};

#define HALF_ONE 0x400u
#define SINGLE_ONE 0x800000u
#define DOUBLE_ONE 0x10000000000000u
#define DOUBLE_SIGN 0x8000000000000000u

/* clang-format off */
#define FORMAT_OK(f) \
    (((f)->one == HALF_ONE && (f)->infinite == 31 && (f)->bias == 15) || \
     ((f)->one == SINGLE_ONE && (f)->infinite == 255 && (f)->bias == 127))
/* clang-format on */

/* Sets *format to that of floats of 2 or 4 bytes. */
/*@ requires size == 2 || size == 4;
    requires \valid(format);
    terminates \true;
    exits \false;
    assigns format->one, format->infinite, format->bias;
    ensures format: FORMAT_OK(format);
    ensures size: format->one == (size == 2 ? HALF_ONE : SINGLE_ONE);
 */
static void choose_format(uint32_t size, struct format *format)
{
    format->one = size == 2 ? HALF_ONE : SINGLE_ONE;
    format->infinite = size == 2 ? 31 : 255;
    format->bias = size == 2 ? 15 : 127;
}

/* Converts a subnormal number of a smaller format, whose significand is not 0, to binary64. There it is normal. */
/*@ requires \valid_read(format) && FORMAT_OK(format) && 1 <= significand < format->one;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result < 2047 * DOUBLE_ONE;
 */
static uint64_t widen_subnormal(const struct format *format, uint64_t significand)
{
    uint64_t scaled = significand;
    uint64_t steps = 0;
    /* At most 23 steps are needed; this bound ends the loop without a proof about powers of two. */
    /*@ loop invariant range: 0 <= steps <= round <= 23 && 1 <= scaled < 2 * format->one;
        loop assigns round, scaled, steps;
        loop variant 23 - round; */
    for (uint32_t round = 0; round < 23; round++) {
        if (scaled >= format->one) break;
        scaled *= 2;
        steps++;
    }
    return (1024 - format->bias - steps) * DOUBLE_ONE + scaled % format->one * (DOUBLE_ONE / format->one);
}

/* Converts a float of a smaller format to binary64, exactly. */
/*@ requires \valid_read(format) && FORMAT_OK(format) && number < 2 * (format->infinite + 1) * format->one;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint64_t widen(const struct format *format, uint64_t number)
{
    uint64_t significand = number % format->one;
    uint64_t exponent = number / format->one;
    uint64_t sign = 0;
    if (exponent > format->infinite) {
        sign = DOUBLE_SIGN;
        exponent -= format->infinite + 1;
    }
    if (exponent == 0) return significand == 0 ? sign : sign + widen_subnormal(format, significand);
    uint64_t wide = exponent == format->infinite ? 2047 : exponent + 1023 - format->bias;
    return sign + wide * DOUBLE_ONE + significand * (DOUBLE_ONE / format->one);
}

/* Returns number / 2^times, rounded to nearest, ties to even. */
/*@ requires number < 2 * DOUBLE_ONE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result <= number + 1;
    ensures small: times >= 1 ==> \result <= DOUBLE_ONE;
 */
static uint64_t halve(uint64_t number, uint64_t times)
{
    uint64_t rest = number;
    bool half = false;  /* the bit that was shifted out last */
    bool below = false; /* whether a bit shifted out before it was set */
    /*@ loop invariant range: 0 <= i <= 55 && i <= times && rest <= number;
        loop invariant one: i >= 1 ==> rest < DOUBLE_ONE;
        loop assigns i, rest, half, below;
        loop variant 55 - i; */
    for (uint64_t i = 0; i < times && i < 55; i++) {
        below = below || half;
        half = rest % 2 == 1;
        rest /= 2;
    }
    if (half && (below || rest % 2 == 1)) rest++;
    return rest;
}

/* Converts a binary64 to a float of a smaller format, rounded to nearest, ties to even. */
/*@ requires \valid_read(format) && FORMAT_OK(format);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result < 2 * (format->infinite + 1) * format->one;
 */
static uint64_t narrow(const struct format *format, uint64_t bits)
{
    uint64_t sign = bits >= DOUBLE_SIGN ? (format->infinite + 1) * format->one : 0;
    uint64_t exponent = bits / DOUBLE_ONE % 2048;
    uint64_t significand = bits % DOUBLE_ONE;
    uint64_t infinite = format->infinite * format->one;
    uint64_t drop = format->one == HALF_ONE ? 42 : 29;
    if (exponent == 2047) {
        uint64_t payload = significand / (DOUBLE_ONE / format->one);
        if (significand != 0 && payload == 0) payload = 1; /* it must stay a NaN */
        return sign + infinite + payload;
    }
    if (exponent + format->bias + 60 < 1023) return sign; /* far below the smallest number */
    uint64_t small = exponent + format->bias < 1024 ? 1024 - exponent - format->bias : 0;
    uint64_t rounded = halve(DOUBLE_ONE + significand, drop + small);
    uint64_t number = small > 0 ? rounded : (exponent + format->bias - 1024) * format->one + rounded;
    return sign + (number < infinite ? number : infinite);
}

/* Whether floats of this many bytes are defined by IEEE 754, so that they can be converted here. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures size: \result <==> (size == 2 || size == 4 || size == 8);
 */
static inline bool is_float_size(uint32_t size)
{
    return size == 2 || size == 4 || size == 8;
}

/* Reads a float of 2, 4 or 8 bytes, big-endian if `big`, as the bits of a binary64. */
/*@ requires (size == 2 || size == 4 || size == 8) && \valid_read(p + (0 .. size-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_VALUE_004: size == 8 ==> \result == number(p, 8, (boolean)big);
 */
static uint64_t load_float(const uint8_t *p, uint32_t size, bool big)
{
    struct format format;
    uint64_t number = load(p, size, big);
    if (size == 8) return number;
    choose_format(size, &format);
    return widen(&format, number);
}

/* Writes the bits of a binary64 as a float of 2, 4 or 8 bytes, big-endian if `big`. */
/*@ requires (size == 2 || size == 4 || size == 8) && \valid(p + (0 .. size-1));
    terminates \true;
    exits \false;
    assigns p[0 .. size-1];
    ensures NPY_VALUE_004: size == 8 ==> number(p, 8, (boolean)big) == bits;
 */
static void store_float(uint8_t *p, uint32_t size, bool big, uint64_t bits)
{
    struct format format;
    uint64_t number = bits;
    if (size < 8) {
        choose_format(size, &format);
        number = narrow(&format, bits);
    }
    store(p, size, big, number);
}

/*@ requires ELEMENT_READ && \valid(bits);
    requires \separated(bits, element + (0 .. dtype->itemsize-1)) && \separated(bits, dtype);
    terminates \true;
    exits \false;
    assigns *bits;
    ensures API_TYPE: \result == (\old(dtype->kind) == SNPY_KIND_FLOAT && (\old(dtype->itemsize) == 2
            || \old(dtype->itemsize) == 4 || \old(dtype->itemsize) == 8) ? SNPY_OK : SNPY_WRONG_TYPE);
    ensures NPY_VALUE_004: \result == SNPY_OK && \old(dtype->itemsize) == 8 ==>
            *bits == \old(number(element, 8, (boolean)(dtype->byteorder == '>')));
    ensures untouched: \result != SNPY_OK ==> *bits == \old(*bits);
 */
snpy_status snpy_get_float(const uint8_t *element, const snpy_dtype *dtype, uint64_t *bits)
{
    if (dtype->kind != SNPY_KIND_FLOAT || !is_float_size(dtype->itemsize)) return SNPY_WRONG_TYPE;
    *bits = load_float(element, dtype->itemsize, dtype->byteorder == '>');
    return SNPY_OK;
}

/*@ requires ELEMENT_WRITTEN;
    terminates \true;
    exits \false;
    assigns element[0 .. dtype->itemsize-1];
    ensures API_TYPE: \result == (dtype->kind == SNPY_KIND_FLOAT && (dtype->itemsize == 2 || dtype->itemsize == 4
            || dtype->itemsize == 8) ? SNPY_OK : SNPY_WRONG_TYPE);
    ensures NPY_VALUE_004: \result == SNPY_OK && dtype->itemsize == 8 ==>
            number(element, 8, (boolean)(dtype->byteorder == '>')) == bits;
    ensures untouched: \result != SNPY_OK ==>
            \forall integer k; 0 <= k < dtype->itemsize ==> element[k] == \old(element[k]);
 */
snpy_status snpy_set_float(uint8_t *element, const snpy_dtype *dtype, uint64_t bits)
{
    if (dtype->kind != SNPY_KIND_FLOAT || !is_float_size(dtype->itemsize)) return SNPY_WRONG_TYPE;
    store_float(element, dtype->itemsize, dtype->byteorder == '>', bits);
    return SNPY_OK;
}

/*@ requires ELEMENT_READ && \valid(bits + (0 .. 1));
    requires \separated(bits + (0 .. 1), element + (0 .. dtype->itemsize-1)) && \separated(bits + (0 .. 1), dtype);
    terminates \true;
    exits \false;
    assigns bits[0 .. 1];
    ensures API_TYPE: \result == (\old(dtype->kind) == SNPY_KIND_COMPLEX
            && (\old(dtype->itemsize) == 8 || \old(dtype->itemsize) == 16) ? SNPY_OK : SNPY_WRONG_TYPE);
    ensures NPY_VALUE_005: \result == SNPY_OK && \old(dtype->itemsize) == 16 ==>
            bits[0] == \old(number(element, 8, (boolean)(dtype->byteorder == '>')))
            && bits[1] == \old(number(element + 8, 8, (boolean)(dtype->byteorder == '>')));
 */
snpy_status snpy_get_complex(const uint8_t *element, const snpy_dtype *dtype, uint64_t bits[2])
{
    uint32_t half = dtype->itemsize / 2;
    bool big = dtype->byteorder == '>';
    if (dtype->kind != SNPY_KIND_COMPLEX || (dtype->itemsize != 8 && dtype->itemsize != 16)) return SNPY_WRONG_TYPE;
    bits[0] = load_float(element, half, big);
    bits[1] = load_float(element + half, half, big);
    return SNPY_OK;
}

/*@ requires ELEMENT_WRITTEN && \valid_read(bits + (0 .. 1));
    requires \separated(bits + (0 .. 1), element + (0 .. dtype->itemsize-1));
    terminates \true;
    exits \false;
    assigns element[0 .. dtype->itemsize-1];
    ensures API_TYPE: \result == (dtype->kind == SNPY_KIND_COMPLEX
            && (dtype->itemsize == 8 || dtype->itemsize == 16) ? SNPY_OK : SNPY_WRONG_TYPE);
    ensures NPY_VALUE_005: \result == SNPY_OK && dtype->itemsize == 16 ==>
            number(element, 8, (boolean)(dtype->byteorder == '>')) == bits[0]
            && number(element + 8, 8, (boolean)(dtype->byteorder == '>')) == bits[1];
 */
snpy_status snpy_set_complex(uint8_t *element, const snpy_dtype *dtype, const uint64_t bits[2])
{
    uint32_t half = dtype->itemsize / 2;
    bool big = dtype->byteorder == '>';
    if (dtype->kind != SNPY_KIND_COMPLEX || (dtype->itemsize != 8 && dtype->itemsize != 16)) return SNPY_WRONG_TYPE;
    store_float(element, half, big, bits[0]);
    store_float(element + half, half, big, bits[1]);
    return SNPY_OK;
}

/* --- texts ------------------------------------------------------------------------------------------------- */

/* Whether UTF-8 can encode a code point: it is at most U+10FFFF and no surrogate. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures scalar: \result <==> (code_point < 0xd800 || 0xdfff < code_point <= 0x10ffff);
 */
static inline bool is_scalar(uint32_t code_point)
{
    return code_point < 0xd800 || (code_point > 0xdfff && code_point <= 0x10ffff);
}

/* Returns the number of bytes of an element without the zeros at its end, in units of 1 or 4 bytes.
 *                                                                                                 NPY-VALUE-007, 008 */
/*@ requires \valid_read(element + (0 .. size-1)) && (unit == 1 || unit == 4) && size <= SNPY_MAX_ITEMSIZE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result <= size && (unit == 4 ==> \result % 4 == 0);
    ensures zeros: \forall integer k; \result <= k < (unit == 4 ? size - size % 4 : size) ==> element[k] == 0;
 */
static uint32_t trim(const uint8_t *element, uint32_t size, uint32_t unit)
{
    uint32_t end = unit == 4 ? size - size % 4 : size;
    /*@ loop invariant range: 0 <= end <= size && (unit == 4 ==> end % 4 == 0);
        loop invariant zeros: \forall integer k; end <= k < (unit == 4 ? size - size % 4 : size) ==> element[k] == 0;
        loop assigns end;
        loop variant end; */
    while (end > 0) {
        if (element[end - 1] != 0) return end;
        if (unit == 4 && (element[end - 2] != 0 || element[end - 3] != 0 || element[end - 4] != 0)) return end;
        end -= unit;
    }
    return end;
}

/* Writes the bytes of an element of kind S to a sink. */
/*@ requires \valid_read(element + (0 .. end-1)) && \valid(sink) && sink_ok(sink);
    requires \separated(sink, element + (0 .. end-1)) && \separated(sink->out + (0 .. sink->capacity-1), element + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns sink->length, sink->out[0 .. sink->capacity-1];
 */
static void put_bytes(struct snpy_sink *sink, const uint8_t *element, uint32_t end)
{
    /*@ loop invariant range: 0 <= i <= end && sink_ok(sink);
        loop assigns i, sink->length, sink->out[0 .. sink->capacity-1];
        loop variant end - i; */
    for (uint32_t i = 0; i < end; i++) snpy_put(sink, element[i]);
}

/* Writes the code points of an element of kind U in UTF-8 to a sink. Returns false, with the offset in *at, if a number
 * is no code point. */
/*@ requires \valid_read(element + (0 .. end-1)) && \valid(sink) && sink_ok(sink) && end % 4 == 0;
    requires end <= SNPY_MAX_ITEMSIZE && \valid(at) && \separated(at, sink);
    requires \separated(sink, element + (0 .. end-1)) && \separated(sink->out + (0 .. sink->capacity-1), element + (0 .. end-1));
    requires \separated(at, element + (0 .. end-1)) && \separated(at, sink->out + (0 .. sink->capacity-1));
    terminates \true;
    exits \false;
    assigns sink->length, sink->out[0 .. sink->capacity-1], *at;
    ensures range: *at <= end;
    ensures API_TEXT: \result <==> *at == end;
 */
static bool put_code_points(struct snpy_sink *sink, const uint8_t *element, uint32_t end, bool big, uint32_t *at)
{
    /*@ loop invariant range: 0 <= i <= end && i % 4 == 0 && sink_ok(sink);
        loop assigns i, sink->length, sink->out[0 .. sink->capacity-1], *at;
        loop variant end - i; */
    for (uint32_t i = 0; i < end; i += 4) {
        uint32_t code_point = load4(element + i, big);
        *at = i;
        if (!is_scalar(code_point)) return false;
        snpy_put_code_point(sink, code_point, true);
    }
    *at = end;
    return true;
}

/*@ requires ELEMENT_READ && dtype->itemsize <= SNPY_MAX_ITEMSIZE && \valid(size) && \valid(out + (0 .. capacity-1));
    requires \separated(size, element + (0 .. dtype->itemsize-1), out + (0 .. capacity-1)) && \separated(size, dtype);
    requires \separated(out + (0 .. capacity-1), element + (0 .. dtype->itemsize-1)) && \object_pointer(out);
    requires \separated(out + (0 .. capacity-1), dtype);
    terminates \true;
    exits \false;
    assigns *size, out[0 .. capacity-1];
    ensures result: \result == SNPY_OK || \result == SNPY_WRONG_TYPE || \result == SNPY_BAD_CODE_POINT
                    || \result == SNPY_BUFFER_TOO_SMALL;
    ensures fits: \result == SNPY_OK ==> *size <= capacity;
 */
snpy_status snpy_get_text(const uint8_t *element, const snpy_dtype *dtype, uint8_t *out, size_t capacity,
                          uint64_t *size)
{
    struct snpy_sink sink = {out, capacity, 0};
    const uint32_t itemsize = dtype->itemsize;
    const bool big = dtype->byteorder == '>';
    uint32_t at = 0;
    if (dtype->kind == SNPY_KIND_BYTES) {
        put_bytes(&sink, element, trim(element, itemsize, 1));
    } else if (dtype->kind == SNPY_KIND_STRING) {
        if (!put_code_points(&sink, element, trim(element, itemsize, 4), big, &at)) {
            *size = at;
            return SNPY_BAD_CODE_POINT;
        }
    } else {
        return SNPY_WRONG_TYPE;
    }
    *size = sink.length;
    return sink.length <= capacity ? SNPY_OK : SNPY_BUFFER_TOO_SMALL;
}

/* Counts the code points of a text. Returns false if it is not UTF-8. */
/*@ requires text_ok(text, length) && \valid(count) && \separated(count, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *count;
    ensures range: 0 <= *count <= length;
 */
static bool count_code_points(const uint8_t *text, size_t length, size_t *count)
{
    size_t found = 0;
    size_t pos = 0;
    uint32_t code_point = 0;
    *count = 0;
    /*@ loop invariant range: 0 <= found <= pos <= length;
        loop assigns found, pos, code_point;
        loop variant length - pos; */
    while (pos < length) {
        size_t step = snpy_utf8_next(text, length, pos, false, &code_point);
        if (step == 0) return false;
        pos += step;
        found++;
    }
    *count = found;
    return true;
}

/* Sets the bytes from `from` to the end of an element to zero. */
/*@ requires \valid(element + (0 .. size-1)) && from <= size <= SNPY_MAX_ITEMSIZE;
    terminates \true;
    exits \false;
    assigns element[from .. size-1];
    ensures zeros: \forall integer k; from <= k < size ==> element[k] == 0;
 */
static void clear(uint8_t *element, uint32_t from, uint32_t size)
{
    /*@ loop invariant range: from <= i <= size;
        loop invariant zeros: \forall integer k; from <= k < i ==> element[k] == 0;
        loop assigns i, element[from .. size-1];
        loop variant size - i; */
    for (uint32_t i = from; i < size; i++) element[i] = 0;
}

/* Stores a text in an element of kind S and fills the rest with zeros. */
/*@ requires \valid(element + (0 .. size-1)) && \valid_read(text + (0 .. length-1)) && length <= size <= SNPY_MAX_ITEMSIZE;
    requires \separated(element + (0 .. size-1), text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns element[0 .. size-1];
    ensures NPY_VALUE_007: \forall integer k; 0 <= k < size ==> element[k] == (k < length ? text[k] : 0);
 */
static void write_bytes(uint8_t *element, uint32_t size, const uint8_t *text, uint32_t length)
{
    clear(element, 0, size);
    /*@ loop invariant range: 0 <= i <= length;
        loop invariant bytes: \forall integer k; 0 <= k < size ==> element[k] == (k < i ? text[k] : 0);
        loop assigns i, element[0 .. size-1];
        loop variant length - i; */
    for (uint32_t i = 0; i < length; i++) element[i] = text[i];
}

/* Stores a text of UTF-8, known to fit, in an element of kind U and fills the rest with zeros. */
/*@ requires \valid(element + (0 .. size-1)) && text_ok(text, length) && size <= SNPY_MAX_ITEMSIZE;
    requires \separated(element + (0 .. size-1), text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns element[0 .. size-1];
 */
static void write_code_points(uint8_t *element, uint32_t size, const uint8_t *text, size_t length, bool big)
{
    size_t pos = 0;
    uint32_t i = 0;
    uint32_t code_point = 0;
    clear(element, 0, size);
    /*@ loop invariant range: 0 <= i <= size && 0 <= pos <= length;
        loop assigns i, pos, code_point, element[0 .. size-1];
        loop variant size - i; */
    while (size - i >= 4 && pos < length) {
        size_t step = snpy_utf8_next(text, length, pos, false, &code_point);
        store4(element + i, code_point, big);
        pos += step;
        i += 4;
    }
}

/*@ requires ELEMENT_WRITTEN && dtype->itemsize <= SNPY_MAX_ITEMSIZE && \valid_read(text + (0 .. length-1));
    requires \separated(element + (0 .. dtype->itemsize-1), text + (0 .. length-1)) && \object_pointer(text);
    terminates \true;
    exits \false;
    assigns element[0 .. dtype->itemsize-1];
    ensures result: \result == SNPY_OK || \result == SNPY_WRONG_TYPE || \result == SNPY_BAD_CODE_POINT
                    || \result == SNPY_VALUE_RANGE;
    ensures untouched: \result != SNPY_OK ==>
            \forall integer k; 0 <= k < dtype->itemsize ==> element[k] == \old(element[k]);
    ensures NPY_VALUE_007: \result == SNPY_OK && dtype->kind == SNPY_KIND_BYTES ==>
            \forall integer k; 0 <= k < dtype->itemsize ==> element[k] == (k < length ? text[k] : 0);
 */
snpy_status snpy_set_text(uint8_t *element, const snpy_dtype *dtype, const uint8_t *text, size_t length)
{
    const uint32_t size = dtype->itemsize;
    if (dtype->kind == SNPY_KIND_BYTES) {
        if (length > size) return SNPY_VALUE_RANGE;
        write_bytes(element, size, text, (uint32_t)length);
        return SNPY_OK;
    }
    if (dtype->kind != SNPY_KIND_STRING) return SNPY_WRONG_TYPE;
    if (length > size) return SNPY_VALUE_RANGE; /* no code point has fewer bytes here than in UTF-8 */
    size_t count = 0;
    if (!count_code_points(text, length, &count)) return SNPY_BAD_CODE_POINT;
    if (count > size / 4) return SNPY_VALUE_RANGE;
    write_code_points(element, size, text, length, dtype->byteorder == '>');
    return SNPY_OK;
}
