/* dtype.c: parses type strings: byte order, kind, size, datetime unit.                    NPY-DTYPE-001 … NPY-DTYPE-011
 * Proves that nothing outside the string is read, that a type string is refused exactly if and where spec/logic/dtype.h
 * says so, and that the result of any other is what it says. record.c parses records. */
#include "core/dtype.h"

#define MAX_NUMBER 0x7fffffffu

/* Returns a byte if it is '<', '>', '|' or '=', else 0. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures order: \result == (order_mark(byte) ? byte : 0);
 */
static int8_t byte_order(uint8_t byte)
{
    return byte == '<' || byte == '>' || byte == '|' || byte == '=' ? (int8_t)byte : 0;
}

/* Returns the bytes of a type for the kinds with a fixed list of sizes; 0 if `size` is not in the list. */
/*@ requires known_kind(kind) && kind != 'S' && kind != 'V' && kind != 'U' && kind != 'O';
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_DTYPE_004: \result == (listed_size(kind, size) ? size : 0);
 */
static uint32_t fixed_size(int8_t kind, uint64_t size)
{
    bool power = size == 1 || size == 2 || size == 4 || size == 8 || size == 16 || size == 32;
    uint32_t least = kind == 'f' ? 2 : kind == 'c' || kind == 'M' || kind == 'm' ? 8 : 1;
    uint32_t most = kind == 'b' ? 1 : kind == 'f' ? 16 : kind == 'c' ? 32 : 8;
    return power && size >= least && size <= most ? (uint32_t)size : 0;
}

/* Whether a size is that of a long double on another platform: f10, f12, c20, c24. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_DTYPE_005: \result <==> platform_size(kind, size);
 */
static bool is_platform_float(int8_t kind, uint64_t size)
{
    return (kind == 'f' && (size == 10 || size == 12)) || (kind == 'c' && (size == 20 || size == 24));
}

/* Whether a type consists of single bytes, so that it has no byte order. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_DTYPE_002: \result <==> orderless(kind, itemsize);
 */
static bool is_orderless(int8_t kind, uint32_t itemsize)
{
    return kind == 'S' || kind == 'V' || kind == 'b' || ((kind == 'i' || kind == 'u') && itemsize == 1);
}

/* Returns the kind of a letter, 0 if it is none; 'a' is an old letter for bytes.                       NPY-DTYPE-001 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_DTYPE_001: \result == kind_of_letter(byte);
 */
static int8_t kind_of(uint8_t byte)
{
    if (byte == 'a') return SNPY_KIND_BYTES;
    bool known = byte == 'b' || byte == 'i' || byte == 'u' || byte == 'f' || byte == 'c' || byte == 'S' ||
                 byte == 'U' || byte == 'V' || byte == 'M' || byte == 'm' || byte == 'O';
    return known ? (int8_t)byte : 0;
}

/* Computes the itemsize from kind and size; if none is written, `has_size` is false. `platform_float` accepts long
 * doubles of other platforms. Returns SNPY_OK, or why the size is refused.                   NPY-DTYPE-004, 005, 008 */
/*@ requires \valid(itemsize) && size <= MAX_NUMBER + 1 && known_kind(kind);
    terminates \true;
    exits \false;
    assigns *itemsize;
    ensures NPY_DTYPE_004: \result == size_status(kind, (boolean)has_size, size, (boolean)platform_float);
    ensures itemsize: \result == SNPY_OK ==> *itemsize == size_in_bytes(kind, size);
    ensures NPY_DTYPE_008: *itemsize <= SNPY_MAX_ITEMSIZE;
 */
static snpy_status compute_itemsize(int8_t kind, bool has_size, uint64_t size, bool platform_float, uint32_t *itemsize)
{
    *itemsize = 0;
    if (kind == 'O') {
        *itemsize = 8;
        return !has_size || size == 4 || size == 8 ? SNPY_OK : SNPY_BAD_TYPE_SIZE;
    }
    if (!has_size) return SNPY_BAD_TYPE_SIZE;
    if (kind == 'S' || kind == 'V' || kind == 'U') {
        if (size > (kind == 'U' ? MAX_NUMBER / 4 : MAX_NUMBER)) return SNPY_TYPE_TOO_LARGE;
        *itemsize = (uint32_t)size * (kind == 'U' ? 4 : 1);
        return SNPY_OK;
    }
    if (is_platform_float(kind, size)) {
        *itemsize = (uint32_t)size;
        return platform_float ? SNPY_OK : SNPY_PLATFORM_FLOAT;
    }
    *itemsize = fixed_size(kind, size);
    return *itemsize > 0 ? SNPY_OK : SNPY_BAD_TYPE_SIZE;
}

/* Sets the byte order of a type from its kind, its size and `order`, the order that is written, 0 if none. Padding
 * needs no order; `native_order` accepts a missing one for all types. Returns SNPY_OK, or why the order is refused.
 *                                                                                       NPY-DTYPE-002, NPY-DTYPE-003 */
/*@ requires \valid(dtype);
    requires order: order == 0 || order_mark(order);
    terminates \true;
    exits \false;
    assigns dtype->byteorder;
    ensures NPY_DTYPE_002: \result == \old(order_status(dtype->kind, dtype->itemsize, order, (boolean)is_padding,
                                                        (boolean)native_order));
    ensures order: \result == SNPY_OK ==>
            dtype->byteorder == \old(order_meant(dtype->kind, dtype->itemsize, order));
 */
static snpy_status resolve_byteorder(snpy_dtype *dtype, int8_t order, bool is_padding, bool native_order)
{
    bool missing = order == 0 || order == '=';
    bool orderless = is_orderless(dtype->kind, dtype->itemsize);
    dtype->byteorder = '|';
    if (dtype->kind == 'O') return missing || order == '|' ? SNPY_OK : SNPY_BAD_BYTE_ORDER;
    if (missing && !native_order && !(dtype->kind == 'V' && is_padding)) return SNPY_NO_BYTE_ORDER;
    if (orderless) return SNPY_OK;
    if (order == '|') return SNPY_BAD_BYTE_ORDER;
    dtype->byteorder = missing || order == '<' ? '<' : '>';
    return SNPY_OK;
}

/* Returns the unit at `pos`, 0 if there is none; *length is the number of its letters.                 NPY-DTYPE-009 */
/*@ requires text_ok(text, end) && pos <= end && \valid(length) && \separated(length, text + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *length;
    ensures NPY_DTYPE_009: \result == \old(unit_of(text, pos, end));
    ensures length: \result != SNPY_UNIT_GENERIC ==> pos + *length == \old(unit_end(text, pos, end));
    ensures range: 0 <= *length <= 2 && pos + *length <= end;
 */
static int8_t lex_unit(const uint8_t *text, size_t pos, size_t end, size_t *length)
{
    *length = 0;
    if (pos == end) return SNPY_UNIT_GENERIC;
    uint8_t letter = text[pos];
    if (end - pos > 1 && text[pos + 1] == 's') {
        *length = 2;
        if (letter == 'm') return SNPY_UNIT_MILLISECOND;
        if (letter == 'u') return SNPY_UNIT_MICROSECOND;
        if (letter == 'n') return SNPY_UNIT_NANOSECOND;
        if (letter == 'p') return SNPY_UNIT_PICOSECOND;
        if (letter == 'f') return SNPY_UNIT_FEMTOSECOND;
        if (letter == 'a') return SNPY_UNIT_ATTOSECOND;
    }
    *length = 1;
    if (letter == 'Y') return SNPY_UNIT_YEAR;
    if (letter == 'M') return SNPY_UNIT_MONTH;
    if (letter == 'W') return SNPY_UNIT_WEEK;
    if (letter == 'D') return SNPY_UNIT_DAY;
    if (letter == 'h') return SNPY_UNIT_HOUR;
    if (letter == 'm') return SNPY_UNIT_MINUTE;
    if (letter == 's') return SNPY_UNIT_SECOND;
    return SNPY_UNIT_GENERIC;
}

/* Reads a multiplier from `pos` on, 1 if there is none. *unit_at is the offset where the unit should begin.
 *                                                                                                      NPY-DTYPE-010 */
/*@ requires text_ok(text, end) && pos <= end && \valid(multiplier) && \valid(unit_at);
    requires \separated(text + (0 .. end-1), multiplier, unit_at);
    terminates \true;
    exits \false;
    assigns *multiplier, *unit_at;
    ensures NPY_DTYPE_010: \result == (\old(bad_multiplier(text, pos, end)) ? SNPY_BAD_MULTIPLIER : SNPY_OK);
    ensures stop: *unit_at == (\result == SNPY_OK ? \old(digits_end(text, end, pos)) : pos);
    ensures value: \result == SNPY_OK ==>
            *multiplier == (pos < *unit_at ? \old(dec(text, pos, digits_end(text, end, pos))) : 1);
    ensures range: pos <= *unit_at <= end && 1 <= *multiplier <= MAX_NUMBER;
 */
static snpy_status lex_multiplier(const uint8_t *text, size_t pos, size_t end, uint32_t *multiplier, size_t *unit_at)
{
    uint64_t number = 0;
    *multiplier = 1;
    *unit_at = pos;
    if (pos == end) return SNPY_OK;
    if (text[pos] == '+' || text[pos] == '-') return SNPY_BAD_MULTIPLIER;
    size_t stop = snpy_lex_digits(text, end, pos, MAX_NUMBER, &number);
    //@ assert number: number > MAX_NUMBER <==> dec(text, pos, stop) > MAX_NUMBER;
    if (stop == pos) return SNPY_OK;
    if (text[pos] == '0' || number > MAX_NUMBER) return SNPY_BAD_MULTIPLIER;
    /*@ ghost
        size_t i = pos + 1;
        /@ loop invariant range: pos < i <= stop;
           loop invariant digits: digits_end(text, end, i) == stop;
           loop invariant positive: 1 <= dec(text, pos, i);
           loop assigns i;
           loop variant stop - i; @/
        while (i < stop) i++;
     */
    *multiplier = (uint32_t)number;
    *unit_at = stop;
    return SNPY_OK;
}

/* Reads the bracket of a datetime from `pos` to the end of the type string; it may be absent.
 *                                                                                      NPY-DTYPE-009 … NPY-DTYPE-011 */
/*@ requires text_ok(text, end) && pos <= end && \valid(dtype) && \valid(at);
    requires \separated(text + (0 .. end-1), dtype, at) && time_kind(dtype->kind);
    terminates \true;
    exits \false;
    assigns dtype->unit, dtype->multiplier, *at;
    ensures NPY_DTYPE_009: \result == \old(bracket_status(text, pos, end));
    ensures at: \result != SNPY_OK ==> *at == \old(bracket_fault(text, pos, end));
    ensures unit: \result == SNPY_OK ==> dtype->unit == \old(time_unit(dtype->kind, text, pos, end));
    ensures NPY_DTYPE_010: \result == SNPY_OK ==>
            dtype->multiplier == \old(time_multiplier(dtype->kind, text, pos, end));
    ensures range: pos <= *at <= end;
    ensures bounds: SNPY_UNIT_GENERIC <= dtype->unit <= SNPY_UNIT_ATTOSECOND && 1 <= dtype->multiplier <= MAX_NUMBER;
 */
static snpy_status lex_bracket(const uint8_t *text, size_t pos, size_t end, snpy_dtype *dtype, size_t *at)
{
    uint32_t multiplier = 1;
    size_t unit_at = pos;
    size_t letters = 0;
    dtype->unit = SNPY_UNIT_GENERIC;
    dtype->multiplier = 1;
    *at = pos;
    if (pos == end) return SNPY_OK;
    if (text[pos] != '[') return SNPY_BAD_UNIT;
    snpy_status status = lex_multiplier(text, pos + 1, end, &multiplier, &unit_at);
    *at = unit_at;
    if (status != SNPY_OK) return status;
    int8_t unit = lex_unit(text, unit_at, end, &letters);
    size_t close = unit_at + letters;
    if (unit == SNPY_UNIT_GENERIC || close == end) return SNPY_BAD_UNIT;
    if (text[close] == '/') {
        *at = close;
        return SNPY_UNIT_DIVISOR;
    }
    if (text[close] != ']' || close + 1 != end) return SNPY_BAD_UNIT;
    dtype->unit = unit;
    dtype->multiplier = multiplier;
    return SNPY_OK;
}

/* Whether a type string begins as a name does: with two lower-case letters and no byte order.          NPY-DTYPE-006 */
/*@ requires \valid_read(text + (pos .. end-1)) && pos <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_DTYPE_006: \result <==> is_name(text, pos, end);
 */
static bool is_type_name(const uint8_t *text, size_t pos, size_t end)
{
    return end - pos >= 2 && text[pos] >= 'a' && text[pos] <= 'z' && text[pos + 1] >= 'a' && text[pos + 1] <= 'z';
}

/* Reads the size after the kind at `pos` into *itemsize, in bytes; *stop is where it ends. `platform_float` is as for
 * compute_itemsize.                                                                              NPY-DTYPE-004 … 008 */
/*@ requires text_ok(text, end) && pos < end && \valid(itemsize) && \valid(stop) && known_kind(kind);
    requires \separated(text + (0 .. end-1), itemsize, stop);
    terminates \true;
    exits \false;
    assigns *itemsize, *stop;
    ensures NPY_DTYPE_004: \result == \old(sized_status(text, pos, end, kind, (boolean)platform_float));
    ensures stop: *stop == (\result == SNPY_OK ? \old(number_end(text, pos, end)) : pos + 1);
    ensures itemsize: \result == SNPY_OK ==> *itemsize == \old(sized_bytes(text, pos, end, kind));
    ensures range: pos < *stop <= end;
    ensures NPY_DTYPE_008: *itemsize <= SNPY_MAX_ITEMSIZE;
 */
static snpy_status lex_size(const uint8_t *text, size_t pos, size_t end, int8_t kind, bool platform_float,
                            uint32_t *itemsize, size_t *stop)
{
    uint64_t size = 0;
    size_t size_at = pos + 1;
    size_t size_end = snpy_lex_digits(text, end, size_at, MAX_NUMBER, &size);
    *itemsize = 0;
    *stop = size_at;
    if (size_end - size_at > 1 && text[size_at] == '0') return SNPY_BAD_TYPE_SIZE;
    if (size_end < end && kind != 'M' && kind != 'm') return SNPY_BAD_TYPE_SIZE;
    snpy_status status = compute_itemsize(kind, size_end > size_at, size, platform_float, itemsize);
    if (status == SNPY_OK) *stop = size_end;
    return status;
}

/* Reads the kind and the size of a type string, from its kind on; *stop is after them.           NPY-DTYPE-001 … 008 */
/*@ requires text_ok(text, end) && pos <= end && \valid(dtype) && \valid(stop) && \valid_read(compat);
    requires \separated(text + (0 .. end-1), dtype, stop) && \separated(compat, dtype, stop);
    requires preset: dtype->itemsize == 0;
    terminates \true;
    exits \false;
    assigns dtype->kind, dtype->itemsize, *stop;
    ensures NPY_DTYPE_004: \result == \old(kind_status(text, pos, end, (boolean)compat->bytes_alias,
                                                       (boolean)compat->platform_float));
    ensures stop: *stop == (\result == SNPY_OK ? \old(number_end(text, pos, end))
                                               : \old(kind_fault(text, pos, end, (boolean)compat->bytes_alias)));
    ensures NPY_DTYPE_001: \result == SNPY_OK ==> dtype->kind == \old(kind_of_letter(text[pos]))
            && known_kind(dtype->kind);
    ensures itemsize: \result == SNPY_OK ==> dtype->itemsize == \old(kind_size(text, pos, end));
    ensures range: pos <= *stop <= end;
    ensures size: dtype->itemsize <= SNPY_MAX_ITEMSIZE;
 */
static snpy_status lex_kind_and_size(const uint8_t *text, size_t pos, size_t end, const snpy_compat *compat,
                                     snpy_dtype *dtype, size_t *stop)
{
    *stop = pos;
    if (pos == end) return SNPY_UNKNOWN_TYPE;
    if (text[pos] == 'a' && !compat->bytes_alias) return SNPY_BYTES_ALIAS;
    int8_t kind = kind_of(text[pos]);
    if (kind == 0) return SNPY_UNKNOWN_TYPE;
    dtype->kind = kind;
    return lex_size(text, pos, end, kind, compat->platform_float, &dtype->itemsize, stop);
}

/* Parses a type string that begins with a byte order, a kind and a size.                                   NPY-DTYPE */
/*@ requires text_ok(text, end) && pos <= end && \valid(dtype) && \valid(at) && \valid_read(compat);
    requires \separated(text + (0 .. end-1), dtype, at) && \separated(compat, dtype, at);
    requires symbols: !is_name(text, pos, end);
    requires preset: dtype->unit == 0 && dtype->multiplier == 0 && dtype->itemsize == 0;
    terminates \true;
    exits \false;
    assigns dtype->kind, dtype->byteorder, dtype->unit, dtype->itemsize, dtype->multiplier, *at;
    ensures status: \result ==
            \old(type_status(text, pos, end, (boolean)is_unnamed, SNPY_TYPE_FLAGS(compat)));
    ensures at: \result != SNPY_OK ==>
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
static snpy_status parse_symbols(const uint8_t *text, size_t pos, size_t end, bool is_unnamed,
                                 const snpy_compat *compat, snpy_dtype *dtype, size_t *at)
{
    int8_t order = pos < end ? byte_order(text[pos]) : 0;
    size_t stop = order != 0 ? pos + 1 : pos;
    //@ assert kind: stop == kind_at(text, pos, end) && order == order_of(text, pos, end);
    snpy_status status = lex_kind_and_size(text, stop, end, compat, dtype, &stop);
    *at = stop;
    if (status != SNPY_OK) return status;
    *at = pos;
    status = resolve_byteorder(dtype, order, is_unnamed, compat->native_order);
    if (status != SNPY_OK) return status;
    *at = end;
    if (dtype->kind != SNPY_KIND_DATETIME && dtype->kind != SNPY_KIND_TIMEDELTA) return SNPY_OK;
    return lex_bracket(text, stop, end, dtype, at);
}

/* clang-format off */
/* The most common type strings: a byte order, the letter of a number of several bytes, and a digit for its size. */
#define IS_COMMON(t, i, e)                                                                                   \
    (e == i + 3 && (t[i] == '<' || t[i] == '>') && (t[i + 1] == 'f' || t[i + 1] == 'i' || t[i + 1] == 'u') && \
     (t[i + 2] == '8' || t[i + 2] == '4' || t[i + 2] == '2'))
/* clang-format on */

/* Whether a type string is one of the most common. */
/*@ requires text_ok(text, end) && pos <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures common: \result <==> IS_COMMON(text, pos, end);
 */
static inline bool is_common_type(const uint8_t *text, size_t pos, size_t end)
{
    if (end - pos != 3) return false;
    uint8_t order = text[pos];
    uint8_t kind = text[pos + 1];
    uint8_t size = text[pos + 2];
    return (order == '<' || order == '>') && (kind == 'f' || kind == 'i' || kind == 'u') &&
           (size == '8' || size == '4' || size == '2');
}

/* Ghost lemmas, each with a memory of its own: what a common type string says,
 * first its kind and size at `k`, then the whole. */
/*@ ghost
    /@ requires text_ok(text, k + 2) && k <= SNPY_MAX_TEXT - 2;
       requires kind: text[k] == 'f' || text[k] == 'i' || text[k] == 'u';
       requires size: text[k + 1] == '8' || text[k + 1] == '4' || text[k + 1] == '2';
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures status: kind_status(text, k, k + 2, (boolean)alias, (boolean)platform) == SNPY_OK;
       ensures size: kind_size(text, k, k + 2) == text[k + 1] - 48;
       ensures letter: kind_of_letter(text[k]) == text[k]; @/
    static void show_common_size(const uint8_t *text, size_t k, bool alias, bool platform)
    {
        /@ assert behind: digits_end(text, k + 2, k + 2) == k + 2; @/
        /@ assert end: number_end(text, k, k + 2) == k + 2; @/
        /@ assert empty: dec(text, k + 1, k + 1) == 0; @/
        /@ assert number: dec(text, k + 1, k + 2) == text[k + 1] - 48; @/
        /@ assert letter: kind_of_letter(text[k]) == text[k]; @/
        /@ assert bytes: sized_bytes(text, k, k + 2, text[k]) == text[k + 1] - 48; @/
        /@ assert bad: !bad_number(text, k, k + 2, text[k]); @/
        /@ assert listed: size_status(text[k], \true, text[k + 1] - 48, (boolean)platform) == SNPY_OK; @/
        /@ assert sized: sized_status(text, k, k + 2, text[k], (boolean)platform) == SNPY_OK; @/
        ;
    }

    /@ requires text_ok(text, end) && pos <= end && \valid_read(compat);
       requires common: IS_COMMON(text, pos, end);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures status: type_status(text, pos, end, (boolean)is_unnamed, SNPY_TYPE_FLAGS(compat)) == SNPY_OK;
       ensures kind: type_kind(text, pos, end) == text[pos + 1];
       ensures byteorder: type_byteorder(text, pos, end) == text[pos];
       ensures itemsize: type_itemsize(text, pos, end) == text[pos + 2] - 48;
       ensures unit: type_unit(text, pos, end) == SNPY_UNIT_GENERIC;
       ensures multiplier: type_multiplier(text, pos, end) == 0; @/
    static void show_common_type(const uint8_t *text, size_t pos, size_t end, bool is_unnamed, const snpy_compat *compat)
    {
        show_common_size(text, pos + 1, compat->bytes_alias, compat->platform_float);
        /@ assert name: !is_name(text, pos, end); @/
        /@ assert at: kind_at(text, pos, end) == pos + 1; @/
        /@ assert order: order_of(text, pos, end) == text[pos]; @/
        /@ assert kind: type_kind(text, pos, end) == text[pos + 1]; @/
        /@ assert itemsize: type_itemsize(text, pos, end) == text[pos + 2] - 48; @/
        /@ assert meant: order_meant(text[pos + 1], text[pos + 2] - 48, text[pos]) == text[pos]; @/
        /@ assert byteorder: type_byteorder(text, pos, end) == text[pos]; @/
        /@ assert judged: order_status(text[pos + 1], text[pos + 2] - 48, text[pos], (boolean)is_unnamed,
                                       (boolean)compat->native_order) == SNPY_OK; @/
        /@ assert time: !time_kind(text[pos + 1]); @/
        ;
    } */

/* Fills a dtype from one of the most common type strings. */
/*@ requires text_ok(text, end) && pos <= end && \valid(dtype);
    requires common: IS_COMMON(text, pos, end);
    requires \separated(text + (0 .. end-1), dtype);
    terminates \true;
    exits \false;
    assigns dtype->kind, dtype->byteorder, dtype->unit, dtype->itemsize, dtype->multiplier;
    ensures kind: dtype->kind == text[pos + 1];
    ensures byteorder: dtype->byteorder == text[pos];
    ensures itemsize: dtype->itemsize == text[pos + 2] - 48;
    ensures unit: dtype->unit == SNPY_UNIT_GENERIC;
    ensures multiplier: dtype->multiplier == 0;
    ensures dtype: simple_dtype(dtype);
 */
static inline void fill_common_type(const uint8_t *text, size_t pos, size_t end, snpy_dtype *dtype)
{
    (void)end; /* used in the contract only */
    dtype->kind = (int8_t)text[pos + 1];
    dtype->byteorder = (int8_t)text[pos];
    dtype->unit = SNPY_UNIT_GENERIC;
    dtype->itemsize = text[pos + 2] - 48u;
    dtype->multiplier = 0;
}

snpy_status snpy_parse_type(const uint8_t *text, size_t pos, size_t end, bool is_unnamed, const snpy_compat *compat,
                            snpy_dtype *dtype, size_t *at)
{
    if (is_common_type(text, pos, end)) {
        //@ ghost show_common_type(text, pos, end, is_unnamed, compat);
        fill_common_type(text, pos, end, dtype);
        *at = end;
        return SNPY_OK;
    }
    dtype->kind = SNPY_KIND_VOID;
    dtype->byteorder = '|';
    dtype->unit = SNPY_UNIT_GENERIC;
    dtype->itemsize = 0;
    dtype->multiplier = 0;
    if (is_type_name(text, pos, end)) return snpy_parse_type_name(text, pos, end, compat->type_names, dtype, at);
    return parse_symbols(text, pos, end, is_unnamed, compat, dtype, at);
}

/* ---- Compatibility flag type-names --------------------------------------------------------------------- */

/* Returns the first position from `pos` on that is no lower-case letter. */
/*@ requires text_ok(text, end) && pos <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures letters: \result == letters_end(text, pos, end);
    ensures range: pos <= \result <= end;
 */
static size_t skip_letters(const uint8_t *text, size_t pos, size_t end)
{
    size_t i = pos;
    /*@ loop invariant range: pos <= i <= end;
        loop invariant letters: letters_end(text, i, end) == letters_end(text, pos, end);
        loop assigns i;
        loop variant end - i; */
    while (i < end && text[i] >= 'a' && text[i] <= 'z') i++;
    return i;
}

/* Whether the text at `pos` is three given letters. */
/*@ requires \valid_read(text + (pos .. pos + 2)) && pos < SNPY_MAX_TEXT - 2;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures letters: \result <==> text[pos] == a && text[pos + 1] == b && text[pos + 2] == c;
 */
static bool has(const uint8_t *text, size_t pos, uint8_t a, uint8_t b, uint8_t c)
{
    return text[pos] == a && text[pos + 1] == b && text[pos + 2] == c;
}

/* Returns the kind that the letters text[pos .. stop-1] name, for words of up to five letters; 0 if none. */
/*@ requires text_ok(text, stop) && pos <= stop && stop - pos <= 5;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_COMPAT_009: \result == kind_of_word(text, pos, stop);
 */
static int8_t kind_of_short_word(const uint8_t *text, size_t pos, size_t stop)
{
    size_t size = stop - pos;
    if (size == 3) return has(text, pos, 'i', 'n', 't') ? SNPY_KIND_INT : 0;
    if (size == 4 && has(text, pos, 'b', 'o', 'o') && text[pos + 3] == 'l') return SNPY_KIND_BOOL;
    if (size == 4 && has(text, pos, 'u', 'i', 'n') && text[pos + 3] == 't') return SNPY_KIND_UINT;
    if (size == 5 && has(text, pos, 'f', 'l', 'o') && text[pos + 3] == 'a' && text[pos + 4] == 't')
        return SNPY_KIND_FLOAT;
    return 0;
}

/* Returns the kind that the letters text[pos .. stop-1] name; 0 if none.                              NPY-COMPAT-009 */
/*@ requires text_ok(text, stop) && pos <= stop;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_COMPAT_009: \result == kind_of_word(text, pos, stop);
 */
static int8_t kind_of_word(const uint8_t *text, size_t pos, size_t stop)
{
    size_t size = stop - pos;
    if (size < 6) return kind_of_short_word(text, pos, stop);
    if (size == 6 && has(text, pos, 'o', 'b', 'j') && has(text, pos + 3, 'e', 'c', 't')) return SNPY_KIND_OBJECT;
    if (size == 7 && has(text, pos, 'c', 'o', 'm') && has(text, pos + 3, 'p', 'l', 'e') && text[pos + 6] == 'x')
        return SNPY_KIND_COMPLEX;
    if (size == 8 && has(text, pos, 'd', 'a', 't') && has(text, pos + 3, 'e', 't', 'i') &&
        has(text, pos + 5, 'i', 'm', 'e'))
        return SNPY_KIND_DATETIME;
    if (size == 9 && has(text, pos, 't', 'i', 'm') && has(text, pos + 3, 'e', 'd', 'e') &&
        has(text, pos + 6, 'l', 't', 'a'))
        return SNPY_KIND_TIMEDELTA;
    return 0;
}

/* Returns the itemsize of a named kind with a number of bits; 0 if that has no fixed size. */
/*@ requires known_kind(kind) && kind != 'S' && kind != 'V' && kind != 'U';
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_COMPAT_009: \result == named_size(kind, bits);
 */
static uint32_t named_bytes(int8_t kind, uint64_t bits)
{
    if (kind == 'b') return bits == 0 ? 1 : 0;
    if (kind == 'O') return bits == 0 ? 8 : 0;
    if (kind == 'M' || kind == 'm') return bits == 64 ? 8 : 0;
    if (kind == 'c') return bits == 64 ? 8 : bits == 128 ? 16 : 0;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return 0;
    return kind == 'f' && bits == 8 ? 0 : (uint32_t)bits / 8;
}

/* Reads letters and bits from `pos` on; *stop is after them. Returns false if they cannot begin a name. */
/*@ requires text_ok(text, end) && pos <= end && \valid(dtype) && \valid(stop);
    requires \separated(text + (0 .. end-1), dtype, stop);
    requires preset: dtype->itemsize == 0;
    terminates \true;
    exits \false;
    assigns dtype->kind, dtype->itemsize, *stop;
    ensures NPY_COMPAT_009: \result <==> \old(known_name(text, pos, end));
    ensures kind: \result ==> dtype->kind == \old(name_kind(text, pos, end)) && known_kind(dtype->kind);
    ensures itemsize: \result ==> dtype->itemsize == \old(name_size(text, pos, end));
    ensures stop: \result ==> *stop == \old(bits_end(text, pos, end));
    ensures range: pos <= *stop <= end && dtype->itemsize <= 16;
 */
static bool lex_name(const uint8_t *text, size_t pos, size_t end, snpy_dtype *dtype, size_t *stop)
{
    uint64_t bits = 0;
    size_t bits_at = skip_letters(text, pos, end);
    int8_t kind = kind_of_word(text, pos, bits_at);
    *stop = pos;
    if (kind == 0) return false;
    *stop = snpy_lex_digits(text, end, bits_at, 1000, &bits);
    /* "float064" and "bool0" are not names */
    if (bits_at < end && text[bits_at] == '0') return false;
    uint32_t itemsize = named_bytes(kind, bits);
    //@ assert size: itemsize == name_size(text, pos, end);
    if (itemsize == 0 || (*stop < end && kind != 'M' && kind != 'm')) return false;
    dtype->kind = kind;
    dtype->itemsize = itemsize;
    return true;
}

snpy_status snpy_parse_type_name(const uint8_t *text, size_t pos, size_t end, bool allowed, snpy_dtype *dtype,
                                 size_t *at)
{
    size_t stop = pos;
    *at = pos;
    if (!allowed || !lex_name(text, pos, end, dtype, &stop)) return SNPY_TYPE_NAME;
    dtype->byteorder = dtype->itemsize == 1 || dtype->kind == SNPY_KIND_OBJECT ? '|' : '<';
    *at = end;
    if (dtype->kind != SNPY_KIND_DATETIME && dtype->kind != SNPY_KIND_TIMEDELTA) return SNPY_OK;
    return lex_bracket(text, stop, end, dtype, at);
}
