/* literal.h: reads the tokens of the header text: blanks, quotes, strings, digits, dimensions, keys.
 * Proves that a token is inside the text and that every step goes forward. dtype.c, shape.c, record.c and dict.h
 * interpret the tokens.
 *
 * All functions have one form: a text, its length and a position come first; *stop is where the token ends, or on
 * failure the byte at which the rule is broken; the status is returned. The text has at most 2^32 - 1 bytes, so that
 * positions fit the 32 bits that they have in field tables. */
#ifndef SAFENPY_LITERAL_H
#define SAFENPY_LITERAL_H

#include "core/core.h"
#include "spec/logic/tokens.h"

#define SNPY_MAX_TEXT 0xffffffffu

/*@ predicate text_ok(uint8_t *text, integer length) =
        0 <= length <= SNPY_MAX_TEXT && \valid_read(text + (0 .. length-1)); */

/* Whether a byte is a space, TAB, LF, FF or CR, which Python allows between tokens inside brackets. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures blank: \result <==> blank(byte);
 */
static inline bool snpy_is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\f' || byte == '\r';
}

/* Whether a byte is a decimal digit. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures digit: \result <==> digit(byte);
 */
static inline bool snpy_is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* Whether a byte is U+0000 to U+001F or U+007F, which may not be in a string unescaped.                  NPY-LIT-005 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_LIT_005: \result <==> control(byte);
 */
static inline bool snpy_is_control(uint8_t byte)
{
    return byte < 0x20 || byte == 0x7f;
}

/* Returns the position after the blanks that begin at `pos`. Tests runs of spaces at once. */
/*@ requires text_ok(text, length) && pos <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: pos <= \result <= length;
    ensures blanks: \result == blanks_end(text, length, pos);
 */
size_t snpy_skip_many(const uint8_t *text, size_t length, size_t pos);

/* Returns the first position from `pos` on that is no blank, or the length. It is fast for no blank or one space, the
 * usual cases; no blank is above the space. */
/*@ requires text_ok(text, length) && pos <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: pos <= \result <= length;
    ensures blanks: \result == blanks_end(text, length, pos);
 */
static inline size_t snpy_skip_blanks(const uint8_t *text, size_t length, size_t pos)
{
    if (pos < length) {
        if (text[pos] > ' ') return pos;
        if (length - pos > 1 && text[pos] == ' ' && text[pos + 1] > ' ') return pos + 1;
    }
    return snpy_skip_many(text, length, pos);
}

/* Whether the rest of the text from `pos` on is the usual padding after a dictionary: at least sixteen bytes, spaces
 * and line feeds only. If false, the rest may still be blanks. */
/*@ requires text_ok(text, length) && pos <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures padding: \result ==> blanks_end(text, length, pos) == length;
    ensures found: pos + 16 <= length && (\forall integer k; pos <= k < length ==> text[k] == ' ' || text[k] == '\n')
            ==> \result;
 */
bool snpy_is_padding(const uint8_t *text, size_t length, size_t pos);

/* Reads the digits from `pos` on into *value. Returns the first position that is no digit. A number above `bound` is
 * stored as bound + 1, which no caller accepts, so no digits are lost unnoticed. */
/*@ requires text_ok(text, length) && pos <= length && \valid(value) && \separated(value, text + (0 .. length-1));
    requires bound: 10 <= bound < 0xffffffffffffffff;
    terminates \true;
    exits \false;
    assigns *value;
    ensures range: pos <= \result <= length;
    ensures digits: \result == \old(digits_end(text, length, pos));
    ensures forward: pos < length && digit(text[pos]) ==> pos < \result;
    ensures value: *value == \old(capped(dec(text, pos, digits_end(text, length, pos)), bound));
    ensures bound: *value <= bound + 1;
 */
static inline size_t snpy_lex_digits(const uint8_t *text, size_t length, size_t pos, uint64_t bound, uint64_t *value)
{
    uint64_t number = 0;
    /*@ loop invariant range: \at(pos, Pre) <= pos <= length;
        loop invariant digits: digits_end(text, length, pos) == digits_end(text, length, \at(pos, Pre));
        loop invariant value: number == capped(dec(text, \at(pos, Pre), pos), bound);
        loop invariant bound: number <= bound + 1;
        loop assigns pos, number;
        loop variant length - pos; */
    while (pos < length && snpy_is_digit(text[pos])) {
        uint64_t digit = (uint64_t)text[pos] - '0';
        number = number > (bound - digit) / 10 ? bound + 1 : number * 10 + digit;
        pos++;
    }
    *value = number;
    return pos;
}

/* Reads a quote, which may have a lower-case u before it. *stop is after the quote.                      NPY-LIT-004 */
/*@ requires text_ok(text, length) && pos <= length && \valid(stop) && \separated(stop, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *stop;
    ensures status: \result == \old(quote_status(text, length, pos));
    ensures stop: *stop == \old(quote_stop(text, length, pos));
    ensures range: pos <= *stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < *stop && quote_mark(text[*stop - 1]);
 */
static inline snpy_status snpy_lex_quote(const uint8_t *text, size_t length, size_t pos, size_t *stop)
{
    size_t i = pos;
    if (i < length && text[i] == '\'') {
        *stop = i + 1;
        return SNPY_OK;
    }
    if (i < length && text[i] == 'u') i++;
    *stop = i;
    if (i == length) return SNPY_UNEXPECTED_END;
    if (text[i] != '\'' && text[i] != '"') return SNPY_EXPECTED_STRING;
    *stop = i + 1;
    return SNPY_OK;
}

/* Reads the inside of a type string. *stop is at its closing quote.                         NPY-LIT-005, NPY-LIT-008 */
/*@ requires text_ok(text, length) && pos <= length && \valid(stop) && \separated(stop, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *stop;
    ensures stop: *stop == \old(type_end(text, length, pos, quote));
    ensures NPY_LIT_008: \result == \old(type_status_at(text, length, type_end(text, length, pos, quote), quote));
    ensures range: pos <= *stop <= length;
    ensures closed: \result == SNPY_OK ==> *stop < length && text[*stop] == quote;
 */
static inline snpy_status snpy_lex_type_string(const uint8_t *text, size_t length, size_t pos, uint8_t quote,
                                               size_t *stop)
{
    size_t i = pos;
    /*@ loop invariant range: pos <= i <= length;
        loop invariant end: type_end(text, length, i, quote) == type_end(text, length, pos, quote);
        loop assigns i;
        loop variant length - i; */
    while (i < length && text[i] != quote && text[i] != '\\' && !snpy_is_control(text[i])) i++;
    *stop = i;
    if (i == length) return SNPY_UNEXPECTED_END;
    if (text[i] == quote) return SNPY_OK;
    return text[i] == '\\' ? SNPY_ESCAPE_IN_TYPE : SNPY_CONTROL_IN_STRING;
}

enum snpy_key { SNPY_KEY_NONE = 0, SNPY_KEY_DESCR = 1, SNPY_KEY_FORTRAN_ORDER = 2, SNPY_KEY_SHAPE = 3 };

/* Whether the text at `pos`, of which `left` bytes remain, begins with five given bytes. */
/*@ requires \valid_read(text + (pos .. pos + left - 1)) && pos + left <= SNPY_MAX_TEXT;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures word: \result <==> word5(text, pos + left, pos, a, b, c, d, e);
 */
static inline bool snpy_is_word(const uint8_t *text, size_t pos, size_t left, uint8_t a, uint8_t b, uint8_t c,
                                uint8_t d, uint8_t e)
{
    return left >= 5 && text[pos] == a && text[pos + 1] == b && text[pos + 2] == c && text[pos + 3] == d &&
           text[pos + 4] == e;
}

/* Reads the key from `pos` on, with its closing quote; *stop is after it. Returns which key it is, SNPY_KEY_NONE if
 * none.                                                                                                  NPY-HDR-001 */
/*@ requires text_ok(text, length) && pos <= length && \valid(stop) && \separated(stop, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *stop;
    ensures NPY_HDR_001: \result == \old(key_at(text, length, pos, quote));
    ensures key: SNPY_KEY_NONE <= \result <= SNPY_KEY_SHAPE;
    ensures stop: *stop == (\result == SNPY_KEY_NONE ? pos : pos + key_length(\result) + 1);
    ensures forward: \result != SNPY_KEY_NONE ==> pos < *stop;
    ensures range: pos <= *stop <= length;
 */
static inline unsigned snpy_lex_key(const uint8_t *text, size_t length, size_t pos, uint8_t quote, size_t *stop)
{
    size_t left = length - pos;
    unsigned key = SNPY_KEY_NONE;
    size_t size = 5;
    *stop = pos;
    if (snpy_is_word(text, pos, left, 'd', 'e', 's', 'c', 'r')) {
        key = SNPY_KEY_DESCR;
    } else if (snpy_is_word(text, pos, left, 's', 'h', 'a', 'p', 'e')) {
        key = SNPY_KEY_SHAPE;
    } else if (left >= 14 && snpy_is_word(text, pos, left, 'f', 'o', 'r', 't', 'r') &&
               snpy_is_word(text, pos + 5, left - 5, 'a', 'n', '_', 'o', 'r') &&
               snpy_is_word(text, pos + 8, left - 8, 'o', 'r', 'd', 'e', 'r')) {
        key = SNPY_KEY_FORTRAN_ORDER;
        size = 13;
    }
    if (key == SNPY_KEY_NONE || left <= size || text[pos + size] != quote) return SNPY_KEY_NONE;
    *stop = pos + size + 1;
    return key;
}

/* One item of a shape, read from the byte after the opening bracket or a comma on: a dimension with the comma or
 * bracket after it, or only the closing bracket. */
struct snpy_item {
    uint64_t value; /* the dimension; SNPY_MAX_SIZE + 1 if it is larger than SNPY_MAX_SIZE */
    size_t at;      /* offset of the dimension */
    size_t stop;    /* offset after the comma or the bracket; on failure of the byte at fault */
    bool has_value; /* false: only the closing bracket was read */
    bool closed;    /* the closing bracket was read */
};

/* How a shape may be written. */
struct snpy_shape_form {
    uint8_t close;   /* ')' or ']' */
    bool allow_long; /* a dimension may end in L: versions 1.0 and 2.0 */
    bool numpy_int;  /* np.int64(2) is accepted: the flag numpy-int */
};

/* clang-format off */
/* What is known about an item once it has been read, besides its status. */
#define SNPY_ITEM_SAYS                                                                                       \
    ensures stop: item->stop == \old(item_stop(text, length, pos, form->close, (boolean)form->allow_long,    \
                                      (boolean)form->numpy_int, (boolean)first));                            \
    ensures at: item->at == \old(item_at(text, length, pos));                                                \
    ensures has_value: \result == SNPY_OK ==>                                                                \
            (item->has_value == 0 <==> \old(item_is_close(text, length, pos, form->close)));                 \
    ensures closed: \result == SNPY_OK ==>                                                                   \
            (item->closed != 0 <==> \old(item_closes(text, length, pos, form->close, (boolean)form->allow_long,\
                                                 (boolean)form->numpy_int)));                                \
    ensures value: \result == SNPY_OK && item->has_value != 0 ==>                                            \
            item->value == \old(capped(item_value(text, length, pos, (boolean)form->numpy_int), SNPY_MAX_SIZE));\
    ensures range: pos <= item->stop <= length && pos <= item->at <= length;                                 \
    ensures forward: \result == SNPY_OK ==> pos < item->stop;                                                \
    ensures bound: item->value <= SNPY_MAX_SIZE + 1;                                                         \
    ensures more: \result == SNPY_OK && !item->closed ==> item->has_value != 0;
/* clang-format on */

/*@ requires text_ok(text, length) && pos <= length;
    requires \valid_read(form) && \valid(item) && \separated(item, text + (0 .. length-1)) && \separated(item, form);
    terminates \true;
    exits \false;
    assigns item->value, item->at, item->stop, item->has_value, item->closed;
    ensures NPY_LIT_017: \result == \old(item_status(text, length, pos, form->close, (boolean)form->allow_long,
                                          (boolean)form->numpy_int, (boolean)first));
    SNPY_ITEM_SAYS
 */
snpy_status snpy_lex_item(const uint8_t *text, size_t length, size_t pos, const struct snpy_shape_form *form,
                          bool first, struct snpy_item *item);

/* Reads one escape of a name, from its backslash on. *code_point may be a surrogate.        NPY-LIT-006, NPY-LIT-007 */
/*@ requires text_ok(text, length) && pos < length && \valid(code_point) && \valid(stop);
    requires \separated(text + (0 .. length-1), code_point, stop);
    terminates \true;
    exits \false;
    assigns *code_point, *stop;
    ensures NPY_LIT_006: \result == \old(escape_status(text, length, pos));
    ensures stop: *stop == \old(escape_status(text, length, pos) == SNPY_OK ? pos + escape_length(text, pos) : pos);
    ensures value: \result == SNPY_OK ==> *code_point == \old(escape_value(text, pos));
    ensures range: pos <= *stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < *stop;
    ensures NPY_LIT_007: *code_point <= 0x10ffff;
 */
snpy_status snpy_lex_escape(const uint8_t *text, size_t length, size_t pos, uint32_t *code_point, size_t *stop);

/* Reads a name or title, from its prefix or quote on. *start is after the opening quote, *stop after the closing one.
 *                                                                                          NPY-LIT-004 … NPY-LIT-007 */
/*@ requires text_ok(text, length) && pos <= length && \valid(start) && \valid(stop);
    requires \separated(text + (0 .. length-1), start, stop);
    terminates \true;
    exits \false;
    assigns *start, *stop;
    ensures NPY_LIT_004: \result == \old(string_status(text, length, pos));
    ensures start: *start == \old(quote_stop(text, length, pos));
    ensures stop: *stop == \old(string_stop(text, length, pos));
    ensures range: pos <= *stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < *start < *stop;
 */
snpy_status snpy_lex_string(const uint8_t *text, size_t length, size_t pos, size_t *start, size_t *stop);

/* Decodes one code point of UTF-8 at `pos`. Returns the number of its bytes, 0 if they are ill-formed.
 *                                                                                                      NPY-FRAME-007 */
/*@ requires text_ok(text, length) && pos < length && \valid(code_point);
    requires \separated(code_point, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *code_point;
    ensures NPY_FRAME_007: \result == \old(utf8_size(text, length, pos, (boolean)allow_surrogates));
    ensures value: \result > 0 ==> *code_point == \old(utf8_value(text, pos));
    ensures range: 0 <= \result <= 4 && pos + \result <= length;
    ensures bound: *code_point <= 0x10ffff;
 */
size_t snpy_utf8_next(const uint8_t *text, size_t length, size_t pos, bool allow_surrogates, uint32_t *code_point);

/* Returns the offset of the first ill-formed sequence of a text; its length if there is none.          NPY-FRAME-007 */
/*@ requires text_ok(text, length);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_FRAME_007: \result == utf8_end(text, length, 0);
    ensures range: \result <= length;
 */
size_t snpy_utf8_check(const uint8_t *text, size_t length);

#endif
