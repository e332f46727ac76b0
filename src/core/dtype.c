/* dtype.c: type strings: byte order, kind, size, datetime unit.                  NPY-DTYPE-001 … NPY-DTYPE-011
 * Proves that nothing outside the string is read and that what comes out is a type of the table of sizes.
 * Leaves records to record.c. */
#include "core/dtype.h"

/* A type string between its quotes, and how far it has been read. */
struct cursor {
    size_t at;     /* the next byte; on failure the byte at fault */
    uint8_t order; /* '<', '>', '|', '=', or 0 for none */
    bool has_size; /* digits stand behind the kind */
    uint64_t size; /* their number; MAX_NUMBER + 1 for more */
};

#define MAX_NUMBER 0x7fffffffu

/* '<', '>', '|' or '=', 0 for any other byte. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures order: \result == 0 || \result == '<' || \result == '>' || \result == '|' || \result == '=';
    ensures same: \result == 0 || \result == byte;
 */
static uint8_t byte_order(uint8_t byte)
{
    return byte == '<' || byte == '>' || byte == '|' || byte == '=' ? byte : 0;
}

/* Kinds of one fixed list of sizes: how many bytes `size` of that kind are, 0 if there is no such size. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_DTYPE_004: \result == 0 || (1 <= \result <= 32 && \result == size);
 */
static uint32_t fixed_size(uint8_t kind, uint64_t size)
{
    bool power = size == 1 || size == 2 || size == 4 || size == 8 || size == 16 || size == 32;
    uint32_t least = kind == 'f' ? 2 : kind == 'c' || kind == 'M' || kind == 'm' ? 8 : 1;
    uint32_t most = kind == 'b' ? 1 : kind == 'f' ? 16 : kind == 'c' ? 32 : 8;
    return power && size >= least && size <= most ? (uint32_t)size : 0;
}

/* Layouts of long double on other platforms: f10, f12, c20, c24. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_DTYPE_005: \result ==> 10 <= size <= 24;
 */
static bool is_platform_float(uint8_t kind, uint64_t size)
{
    return (kind == 'f' && (size == 10 || size == 12)) || (kind == 'c' && (size == 20 || size == 24));
}

/* Kinds whose byte order has no meaning: those of single bytes. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_DTYPE_002: \result <==> (kind == 'S' || kind == 'V' || kind == 'b'
                           || ((kind == 'i' || kind == 'u') && itemsize == 1));
 */
static bool is_orderless(uint8_t kind, uint32_t itemsize)
{
    return kind == 'S' || kind == 'V' || kind == 'b' || ((kind == 'i' || kind == 'u') && itemsize == 1);
}

/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures kind: \result ==> kind == 'b' || kind == 'i' || kind == 'u' || kind == 'f' || kind == 'c' || kind == 'S'
                  || kind == 'U' || kind == 'V' || kind == 'M' || kind == 'm' || kind == 'O';
 */
static bool is_kind(uint8_t kind)
{
    return kind == 'b' || kind == 'i' || kind == 'u' || kind == 'f' || kind == 'c' || kind == 'S' || kind == 'U' ||
           kind == 'V' || kind == 'M' || kind == 'm' || kind == 'O';
}

/* The itemsize that kind and size make.                              NPY-DTYPE-004, NPY-DTYPE-005, NPY-DTYPE-008 */
/*@ requires \valid_read(cursor) && \valid(itemsize) && \separated(cursor, itemsize);
    requires cursor->size <= MAX_NUMBER + 1;
    terminates \true;
    exits \false;
    assigns *itemsize;
    ensures NPY_DTYPE_008: *itemsize <= SNPY_MAX_ITEMSIZE;
 */
static snpy_status settle_size(const struct cursor *cursor, uint8_t kind, bool platform_float, uint32_t *itemsize)
{
    uint64_t size = cursor->size;
    *itemsize = 0;
    if (kind == 'O') {
        *itemsize = 8;
        return !cursor->has_size || size == 4 || size == 8 ? SNPY_OK : SNPY_BAD_TYPE_SIZE;
    }
    if (!cursor->has_size) return SNPY_BAD_TYPE_SIZE;
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

/* The order that a type of this kind and size gets from what is written.             NPY-DTYPE-002, NPY-DTYPE-003 */
/*@ requires \valid(dtype);
    terminates \true;
    exits \false;
    assigns dtype->byteorder;
    ensures order: \result == SNPY_OK ==>
            dtype->byteorder == '<' || dtype->byteorder == '>' || dtype->byteorder == '|';
 */
static snpy_status settle_order(snpy_dtype *dtype, uint8_t order, bool is_padding, bool native_order)
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

/* The unit at `pos`, 0 if it is none; *length is the number of its letters.                        NPY-DTYPE-009 */
/*@ requires \valid_read(text + (pos .. end-1)) && pos <= end && \valid(length);
    requires \separated(length, text + (pos .. end-1));
    terminates \true;
    exits \false;
    assigns *length;
    ensures unit: SNPY_UNIT_GENERIC <= \result <= SNPY_UNIT_ATTOSECOND;
    ensures range: 0 <= *length <= 2 && pos + *length <= end;
 */
static uint8_t lex_unit(const uint8_t *text, size_t pos, size_t end, size_t *length)
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

/* A datetime's bracket from `pos` to the end of the type string, or its absence.   NPY-DTYPE-009 … NPY-DTYPE-011 */
/*@ requires text_ok(text, end) && pos <= end && \valid(dtype) && \valid(at);
    requires \separated(text + (0 .. end-1), dtype, at);
    terminates \true;
    exits \false;
    assigns dtype->unit, dtype->multiplier, *at;
    ensures range: pos <= *at <= end;
    ensures unit: dtype->unit <= SNPY_UNIT_ATTOSECOND;
    ensures NPY_DTYPE_010: 1 <= dtype->multiplier <= MAX_NUMBER;
 */
static snpy_status lex_bracket(const uint8_t *text, size_t pos, size_t end, snpy_dtype *dtype, size_t *at)
{
    uint64_t number = 0;
    size_t letters = 0;
    dtype->unit = SNPY_UNIT_GENERIC;
    dtype->multiplier = 1;
    *at = pos;
    if (pos == end) return SNPY_OK;
    if (text[pos] != '[') return SNPY_BAD_UNIT;
    *at = pos + 1;
    if (pos + 1 == end) return SNPY_BAD_UNIT;
    if (text[pos + 1] == '+' || text[pos + 1] == '-') return SNPY_BAD_MULTIPLIER;
    size_t unit_at = snpy_lex_digits(text, end, pos + 1, MAX_NUMBER, &number);
    if (unit_at > pos + 1) {
        if (text[pos + 1] == '0' || number > MAX_NUMBER) return SNPY_BAD_MULTIPLIER;
        if (number > 1) dtype->multiplier = (uint32_t)number;
    }
    *at = unit_at;
    uint8_t unit = lex_unit(text, unit_at, end, &letters);
    size_t close = unit_at + letters;
    if (unit == SNPY_UNIT_GENERIC || close == end) return SNPY_BAD_UNIT;
    if (text[close] == '/') {
        *at = close;
        return SNPY_UNIT_DIVISOR;
    }
    if (text[close] != ']' || close + 1 != end) return SNPY_BAD_UNIT;
    dtype->unit = unit;
    return SNPY_OK;
}

/* Whether a type string begins as a name does: with two lower-case letters, and no byte order.     NPY-DTYPE-006 */
/*@ requires \valid_read(text + (pos .. end-1)) && pos <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_DTYPE_006: \result <==>
            (end - pos >= 2 && 'a' <= text[pos] <= 'z' && 'a' <= text[pos + 1] <= 'z');
 */
static bool is_type_name(const uint8_t *text, size_t pos, size_t end)
{
    return end - pos >= 2 && text[pos] >= 'a' && text[pos] <= 'z' && text[pos + 1] >= 'a' && text[pos + 1] <= 'z';
}

/* The type strings that begin with an order, a kind and a size.                                      NPY-DTYPE */
/*@ requires text_ok(text, end) && pos <= end && \valid(cursor) && \valid(dtype) && \valid_read(compat);
    requires \separated(text + (0 .. end-1), cursor, dtype) && \separated(compat, cursor, dtype);
    terminates \true;
    exits \false;
    assigns cursor->at, cursor->order, cursor->has_size, cursor->size, dtype->kind, dtype->itemsize;
    ensures range: pos <= cursor->at <= end;
    ensures kind: \result == SNPY_OK ==> dtype->kind == 'b' || dtype->kind == 'i' || dtype->kind == 'u'
                  || dtype->kind == 'f' || dtype->kind == 'c' || dtype->kind == 'S' || dtype->kind == 'U'
                  || dtype->kind == 'V' || dtype->kind == 'M' || dtype->kind == 'm' || dtype->kind == 'O';
    ensures size: dtype->itemsize <= SNPY_MAX_ITEMSIZE;
 */
static snpy_status lex_kind_and_size(const uint8_t *text, size_t pos, size_t end, const snpy_compat *compat,
                                     struct cursor *cursor, snpy_dtype *dtype)
{
    uint64_t size = 0;
    uint32_t itemsize = 0;
    dtype->kind = SNPY_KIND_VOID;
    dtype->itemsize = 0;
    cursor->order = pos < end ? byte_order(text[pos]) : 0;
    cursor->has_size = false;
    cursor->size = 0;
    size_t kind_at = cursor->order != 0 ? pos + 1 : pos;
    cursor->at = kind_at;
    if (kind_at == end) return SNPY_UNKNOWN_TYPE;
    uint8_t kind = text[kind_at];
    if (kind == 'a') {
        if (!compat->bytes_alias) return SNPY_BYTES_ALIAS;
        kind = SNPY_KIND_BYTES;
    }
    if (!is_kind(kind)) return SNPY_UNKNOWN_TYPE;

    size_t size_at = kind_at + 1;
    size_t size_end = snpy_lex_digits(text, end, size_at, MAX_NUMBER, &size);
    cursor->at = size_at;
    cursor->has_size = size_end > size_at;
    cursor->size = size;
    if (size_end - size_at > 1 && text[size_at] == '0') return SNPY_BAD_TYPE_SIZE;
    if (size_end < end && kind != 'M' && kind != 'm') return SNPY_BAD_TYPE_SIZE;
    snpy_status status = settle_size(cursor, kind, compat->platform_float, &itemsize);
    dtype->kind = kind;
    dtype->itemsize = itemsize;
    if (status == SNPY_OK) cursor->at = size_end;
    return status;
}

snpy_status snpy_parse_type(const uint8_t *text, size_t pos, size_t end, bool is_unnamed, const snpy_compat *compat,
                            snpy_dtype *dtype, size_t *at)
{
    struct cursor cursor = {pos, 0, false, 0};
    dtype->kind = SNPY_KIND_VOID;
    dtype->byteorder = '|';
    dtype->unit = SNPY_UNIT_GENERIC;
    dtype->itemsize = 0;
    dtype->multiplier = 0;
    if (is_type_name(text, pos, end)) return snpy_parse_type_name(text, pos, end, compat->type_names, dtype, at);
    snpy_status status = lex_kind_and_size(text, pos, end, compat, &cursor, dtype);
    *at = cursor.at;
    if (status != SNPY_OK) return status;
    *at = pos;
    status = settle_order(dtype, cursor.order, is_unnamed, compat->native_order);
    if (status != SNPY_OK) return status;
    *at = end;
    if (dtype->kind != SNPY_KIND_DATETIME && dtype->kind != SNPY_KIND_TIMEDELTA) return SNPY_OK;
    return lex_bracket(text, cursor.at, end, dtype, at);
}

/* ---- Compatibility flag type-names --------------------------------------------------------------------- */

/* A name's letters packed into one number, 5 bits each ('a' is 1), 0 for more than 12 letters. */
/*@ requires text_ok(text, end) && pos <= end && \valid(letters_end) && \separated(letters_end, text + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *letters_end;
    ensures range: pos <= *letters_end <= end;
 */
static uint64_t pack_letters(const uint8_t *text, size_t pos, size_t end, size_t *letters_end)
{
    uint64_t packed = 0;
    size_t i = pos;
    /*@ loop invariant range: pos <= i <= end;
        loop invariant fits: packed < 0x800000000000000;
        loop assigns i, packed;
        loop variant end - i; */
    while (i < end && text[i] >= 'a' && text[i] <= 'z' && packed < 0x40000000000000) {
        packed = packed * 32 + (uint64_t)(text[i] - 'a') + 1;
        i++;
    }
    *letters_end = i;
    return packed;
}

#define L2(a, b) ((a - 96ull) * 32 + (b - 96ull))
#define L4(a, b, c, d) (L2(a, b) * 1024 + L2(c, d))

/* The kind that the letters of a name stand for, 0 if none. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures kind: \result == 0 || \result == 'b' || \result == 'i' || \result == 'u' || \result == 'f' || \result == 'c'
                  || \result == 'M' || \result == 'm' || \result == 'O';
 */
static uint8_t kind_of_letters(uint64_t letters)
{
    if (letters == L4('b', 'o', 'o', 'l')) return SNPY_KIND_BOOL;
    if (letters == L2('i', 'n') * 32 + 20) return SNPY_KIND_INT;
    if (letters == L4('u', 'i', 'n', 't')) return SNPY_KIND_UINT;
    if (letters == L4('f', 'l', 'o', 'a') * 32 + 20) return SNPY_KIND_FLOAT;
    if (letters == L4('c', 'o', 'm', 'p') * 32768 + L2('l', 'e') * 32 + 24) return SNPY_KIND_COMPLEX;
    if (letters == L4('o', 'b', 'j', 'e') * 1024 + L2('c', 't')) return SNPY_KIND_OBJECT;
    if (letters == L4('d', 'a', 't', 'e') * 1048576 + L4('t', 'i', 'm', 'e')) return SNPY_KIND_DATETIME;
    if (letters == L4('t', 'i', 'm', 'e') * 33554432 + L4('d', 'e', 'l', 't') * 32 + 1) return SNPY_KIND_TIMEDELTA;
    return 0;
}

/* The itemsize of a named kind with that number of bits, 0 if it has no fixed one. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures size: 0 <= \result <= 16;
 */
static uint32_t named_size(uint8_t kind, uint64_t bits)
{
    if (kind == 'b') return bits == 0 ? 1 : 0;
    if (kind == 'O') return bits == 0 ? 8 : 0;
    if (kind == 'M' || kind == 'm') return bits == 64 ? 8 : 0;
    if (kind == 'c') return bits == 64 ? 8 : bits == 128 ? 16 : 0;
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return 0;
    return kind == 'f' && bits == 8 ? 0 : (uint32_t)bits / 8;
}

snpy_status snpy_parse_type_name(const uint8_t *text, size_t pos, size_t end, bool allowed, snpy_dtype *dtype,
                                 size_t *at)
{
    uint64_t bits = 0;
    size_t letters_end = pos;
    *at = pos;
    if (!allowed) return SNPY_TYPE_NAME;
    uint8_t kind = kind_of_letters(pack_letters(text, pos, end, &letters_end));
    size_t bits_end = snpy_lex_digits(text, end, letters_end, 1000, &bits);
    /* "float064" and "bool0" are no names. */
    if (kind == 0 || (letters_end < end && text[letters_end] == '0')) return SNPY_TYPE_NAME;
    uint32_t itemsize = named_size(kind, bits);
    bool is_time = kind == SNPY_KIND_DATETIME || kind == SNPY_KIND_TIMEDELTA;
    if (itemsize == 0 || (bits_end < end && !is_time)) return SNPY_TYPE_NAME;
    dtype->kind = kind;
    dtype->itemsize = itemsize;
    dtype->byteorder = itemsize == 1 || kind == SNPY_KIND_OBJECT ? '|' : '<';
    *at = end;
    return is_time ? lex_bracket(text, bits_end, end, dtype, at) : SNPY_OK;
}
