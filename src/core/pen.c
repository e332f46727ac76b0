/* pen.c: writes numbers, strings and types as NumPy spells them.                           NPY-WRITE-001, NPY-WRITE-010
 * Proves that a pen never leaves its sink, and which bytes words, numbers, escapes and types become. describe.c and
 * write.c decide the order. */
#include "core/pen.h"

#include "core/printable.h"

void snpy_pen_word(struct snpy_pen *pen, uint64_t word)
{
    /*@ loop invariant range: 0 <= word;
        loop invariant length: \at(pen->sink.length, Pre) + word_length(\at(word, Pre)) <= 0xffffffffffffffff ==>
                pen->sink.length + word_length(word) == \at(pen->sink.length, Pre) + word_length(\at(word, Pre));
        loop invariant grows: pen->sink.length >= \at(pen->sink.length, Pre);
        loop invariant text: sink_fits(&pen->sink) ==> append_word(sink_text(&pen->sink), word)
                == append_word(\at(sink_text(&pen->sink), Pre), \at(word, Pre));
        loop assigns word, SNPY_PEN_FIELDS(pen);
        loop variant word; */
    while (word > 0) {
        snpy_put(&pen->sink, (uint8_t)(word % 256));
        word /= 256;
    }
}

uint32_t snpy_count_digits(uint64_t number)
{
    uint32_t digits = 1;
    /*@ loop invariant range: 1 <= digits <= 20;
        loop invariant length: digits + number_length(number) == 1 + number_length(\at(number, Pre));
        loop assigns digits, number;
        loop variant 20 - digits; */
    while (number >= 10) {
        number /= 10;
        digits++;
    }
    return digits;
}

void snpy_pen_number(struct snpy_pen *pen, uint64_t number)
{
    uint16_t digits[20] = {0}; /* last first; not uint8_t, which the text is */
    uint32_t count = 0;
    /*@ loop invariant range: 0 <= count <= 20;
        loop invariant length: count + (number > 0 || count == 0 ? number_length(number) : 0)
                               == number_length(\at(number, Pre));
        loop invariant rest: number == without(\at(number, Pre), count);
        loop invariant digits: \forall integer k; 0 <= k < count ==>
                digits[k] == '0' + without(\at(number, Pre), k) % 10;
        loop invariant some: \forall integer k; 0 < k < count ==> without(\at(number, Pre), k) > 0;
        loop assigns count, number, digits[0 .. 19];
        loop variant 20 - count; */
    while (number > 0 || count == 0) {
        digits[count] = (uint16_t)('0' + number % 10);
        number /= 10;
        count++;
    }
    //@ ghost uint32_t all = count;
    /*@ loop invariant range: 0 <= count <= all && without(\at(number, Pre), all) == 0;
        loop invariant length: \at(pen->sink.length, Pre) + number_length(\at(number, Pre)) <= 0xffffffffffffffff ==>
                pen->sink.length + count == \at(pen->sink.length, Pre) + number_length(\at(number, Pre));
        loop invariant grows: pen->sink.length >= \at(pen->sink.length, Pre);
        loop invariant text: sink_fits(&pen->sink) ==> sink_text(&pen->sink) ==
                (count == all ? \at(sink_text(&pen->sink), Pre)
                 : append_number(\at(sink_text(&pen->sink), Pre), without(\at(number, Pre), count)));
        loop assigns count, SNPY_PEN_FIELDS(pen);
        loop variant count; */
    while (count > 0) {
        count--;
        //@ assert step: without(\at(number, Pre), count + 1) == without(\at(number, Pre), count) / 10;
        //@ assert first: count + 1 == all <==> without(\at(number, Pre), count) < 10;
        //@ assert digit: digits[count] == '0' + without(\at(number, Pre), count) % 10 && digits[count] <= '9';
        snpy_put(&pen->sink, (uint8_t)digits[count]);
    }
}

/* Returns a hexadecimal digit as a character. */
/*@ requires digit < 16;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures digit: \result == hex_character(digit);
 */
static uint8_t hex_digit(uint32_t digit)
{
    return (uint8_t)(digit < 10 ? '0' + digit : 'a' + (digit - 10));
}

/* Returns a number without its last `count` hexadecimal digits. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures rest: \result == without_hex(number, count);
 */
static uint32_t drop_digits(uint32_t number, uint32_t count)
{
    /*@ loop invariant range: 0 <= k <= count;
        loop invariant rest: number == without_hex(\at(number, Pre), k);
        loop assigns k, number;
        loop variant count - k; */
    for (uint32_t k = 0; k < count; k++) number /= 16;
    return number;
}

/* Writes an escape, \xHH, \uHHHH or \UHHHHHHHH, whichever is the shortest. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && code_point <= 0x10ffff;
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen);
    ensures NPY_WRITE_010: SNPY_PEN_WRITES(pen, escape_text(SNPY_PEN_TEXT(pen), code_point));
 */
static void pen_escape(struct snpy_pen *pen, uint32_t code_point)
{
    uint32_t digits = code_point <= 0xff ? 2 : code_point <= 0xffff ? 4 : 8;
    snpy_put(&pen->sink, '\\');
    snpy_put(&pen->sink, code_point <= 0xff ? 'x' : code_point <= 0xffff ? 'u' : 'U');
    //@ ghost Begun:;
    //@ ghost uint32_t all = digits;
    /*@ loop invariant range: 0 <= digits <= all && all <= 8;
        loop invariant grows: pen->sink.length >= \at(pen->sink.length, Begun);
        loop invariant text: sink_fits(&pen->sink) ==> sink_text(&pen->sink) ==
                append_hex(\at(sink_text(&pen->sink), Begun), without_hex(code_point, digits), all - digits);
        loop assigns digits, SNPY_PEN_FIELDS(pen);
        loop variant digits; */
    while (digits > 0) {
        digits--;
        snpy_put(&pen->sink, hex_digit(drop_digits(code_point, digits) % 16));
    }
}

/* Writes one character of a repr(). */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && code_point <= 0x10ffff;
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), pen->wide;
    ensures quoted: code_point == quote || code_point == '\\' ==>
            SNPY_PEN_WRITES(pen, escaped_text(SNPY_PEN_TEXT(pen), code_point));
    ensures control: code_point != quote && (code_point == '\n' || code_point == '\r' || code_point == '\t') ==>
            SNPY_PEN_WRITES(pen, escaped_text(SNPY_PEN_TEXT(pen), code_point == '\n' ? 'n' : code_point == '\r' ? 'r' : 't'));
 */
static void pen_character(struct snpy_pen *pen, uint32_t code_point, uint8_t quote)
{
    if (code_point == quote || code_point == '\\') {
        snpy_put(&pen->sink, '\\');
        snpy_put(&pen->sink, (uint8_t)code_point);
    } else if (code_point == '\n' || code_point == '\r' || code_point == '\t') {
        snpy_put(&pen->sink, '\\');
        snpy_put(&pen->sink, code_point == '\n' ? 'n' : code_point == '\r' ? 'r' : 't');
    } else if (!snpy_is_printable(code_point)) {
        pen_escape(pen, code_point);
    } else {
        if (code_point > 0xff) pen->wide = true;
        snpy_put_code_point(&pen->sink, code_point, pen->utf8 || code_point > 0xff);
    }
}

/* Returns the quote for a name: a double quote if the name has single ones and no double ones. An ill-formed name is
 * detected by the function that writes it. */
/*@ requires text_ok(text, end) && pos <= end;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures quote: \result == '\'' || \result == '"';
 */
static uint8_t choose_quote(const uint8_t *text, size_t pos, size_t end, snpy_name_encoding encoding)
{
    bool has_single = false;
    bool has_double = false;
    uint32_t code_point = 0;
    /*@ loop invariant range: \at(pos, Pre) <= pos <= end;
        loop assigns pos, has_single, has_double, code_point;
        loop variant end - pos; */
    while (pos < end) {
        size_t step = snpy_name_next(text, end, pos, encoding, &code_point);
        if (step == 0) break;
        if (code_point == '\'') has_single = true;
        if (code_point == '"') has_double = true;
        pos += step;
    }
    return has_single && !has_double ? '"' : '\'';
}

bool snpy_pen_name(struct snpy_pen *pen, const uint8_t *text, size_t length, size_t offset, size_t size,
                   snpy_name_encoding encoding)
{
    size_t pos = offset;
    size_t end = offset + size;
    uint32_t code_point = 0;
    (void)length; /* used in the contract only: the span is inside the text */
    uint8_t quote = choose_quote(text, pos, end, encoding);
    snpy_put(&pen->sink, quote);
    /*@ loop invariant range: offset <= pos <= end;
        loop assigns pos, code_point, SNPY_PEN_FIELDS(pen), pen->wide;
        loop variant end - pos; */
    while (pos < end) {
        size_t step = snpy_name_next(text, end, pos, encoding, &code_point);
        if (step == 0) return false;
        pen_character(pen, code_point, quote);
        pos += step;
    }
    snpy_put(&pen->sink, quote);
    return true;
}

/* Converts a letter of a type to a byte. A type that can be written has no negative letter. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures letter: \result == letter(letter);
 */
static uint8_t as_byte(int8_t letter)
{
    return letter < 0 ? (uint8_t)'?' : (uint8_t)letter;
}

/* Returns the first letter of a unit; units of milliseconds or less have an s after it. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures letter: \result == unit_letter(unit);
 */
static uint8_t unit_letter(int8_t unit)
{
    if (unit == SNPY_UNIT_YEAR) return 'Y';
    if (unit == SNPY_UNIT_MONTH) return 'M';
    if (unit == SNPY_UNIT_WEEK) return 'W';
    if (unit == SNPY_UNIT_DAY) return 'D';
    if (unit == SNPY_UNIT_HOUR) return 'h';
    if (unit == SNPY_UNIT_MINUTE || unit == SNPY_UNIT_MILLISECOND) return 'm';
    if (unit == SNPY_UNIT_SECOND) return 's';
    if (unit == SNPY_UNIT_MICROSECOND) return 'u';
    if (unit == SNPY_UNIT_NANOSECOND) return 'n';
    if (unit == SNPY_UNIT_PICOSECOND) return 'p';
    return unit == SNPY_UNIT_FEMTOSECOND ? 'f' : 'a';
}

void snpy_pen_type(struct snpy_pen *pen, const snpy_dtype *dtype)
{
    uint32_t size = dtype->kind == SNPY_KIND_STRING ? dtype->itemsize / 4 : dtype->itemsize;
    uint32_t multiplier = dtype->multiplier;
    int8_t unit = dtype->unit;
    int8_t kind = dtype->kind;
    snpy_put(&pen->sink, '\'');
    snpy_put(&pen->sink, as_byte(dtype->byteorder));
    snpy_put(&pen->sink, as_byte(kind));
    if (kind != SNPY_KIND_OBJECT) snpy_pen_number(pen, size);
    if (unit != SNPY_UNIT_GENERIC) {
        snpy_put(&pen->sink, '[');
        if (multiplier > 1) snpy_pen_number(pen, multiplier);
        snpy_put(&pen->sink, unit_letter(unit));
        if (unit >= SNPY_UNIT_MILLISECOND) snpy_put(&pen->sink, 's');
        snpy_put(&pen->sink, ']');
    }
    snpy_put(&pen->sink, '\'');
}
