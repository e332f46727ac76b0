/* literal.c: reads the longer tokens: dimensions, escapes, names, and UTF-8.
 * Proves what literal.h declares. name.c decodes whole names. */
#include "core/literal.h"

/* Whether the text has eight spaces at `pos`. Most of a header is padding, which is tested eight bytes at a time. */
/*@ requires \valid_read(text + (pos .. pos + 7)) && pos <= SNPY_MAX_TEXT - 8;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures spaces: \result <==> \forall integer k; pos <= k < pos + 8 ==> text[k] == ' ';
 */
static bool is_run(const uint8_t *text, size_t pos)
{
    return text[pos] == ' ' && text[pos + 1] == ' ' && text[pos + 2] == ' ' && text[pos + 3] == ' ' &&
           text[pos + 4] == ' ' && text[pos + 5] == ' ' && text[pos + 6] == ' ' && text[pos + 7] == ' ';
}

/* Returns the position after all runs of eight spaces that begin at `pos`. */
/*@ requires text_ok(text, length) && pos <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: pos <= \result <= length;
    ensures spaces: blanks_end(text, length, \result) == blanks_end(text, length, pos);
    ensures runs: (\result - pos) % 8 == 0 && \forall integer k; pos <= k < \result ==> text[k] == ' ';
    ensures all: length - \result < 8 || !(\forall integer k; \result <= k < \result + 8 ==> text[k] == ' ');
 */
static size_t skip_runs(const uint8_t *text, size_t length, size_t pos)
{
    /*@ loop invariant range: \at(pos, Pre) <= pos <= length;
        loop invariant spaces: blanks_end(text, length, pos) == blanks_end(text, length, \at(pos, Pre));
        loop invariant steps: (pos - \at(pos, Pre)) % 8 == 0;
        loop invariant runs: \forall integer k; \at(pos, Pre) <= k < pos ==> text[k] == ' ';
        loop assigns pos;
        loop variant length - pos; */
    while (length - pos >= 8 && is_run(text, pos)) {
        //@ assert four: blanks_end(text, length, pos + 4) == blanks_end(text, length, pos);
        //@ assert eight: blanks_end(text, length, pos + 8) == blanks_end(text, length, pos);
        pos += 8;
    }
    return pos;
}

size_t snpy_skip_many(const uint8_t *text, size_t length, size_t pos)
{
    size_t i = skip_runs(text, length, pos);
    /*@ loop invariant range: pos <= i <= length;
        loop invariant blanks: blanks_end(text, length, i) == blanks_end(text, length, pos);
        loop assigns i;
        loop variant length - i; */
    while (i < length && snpy_is_blank(text[i])) i++;
    return i;
}

/* Whether the sixteen bytes from `pos` on are spaces and line feeds. They are counted without an early exit, so that a
 * compiler may test all at once. */
/*@ requires \valid_read(text + (pos .. pos + 15)) && pos <= SNPY_MAX_TEXT - 16;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures padding: \result <==> \forall integer k; pos <= k < pos + 16 ==> text[k] == ' ' || text[k] == '\n';
 */
static bool is_block(const uint8_t *text, size_t pos)
{
    uint8_t others = 0;
    /*@ loop invariant range: 0 <= k <= 16 && others <= k;
        loop invariant others: others == 0 <==>
                       \forall integer j; pos <= j < pos + k ==> text[j] == ' ' || text[j] == '\n';
        loop assigns k, others;
        loop variant 16 - k; */
    for (size_t k = 0; k < 16; k++) others = (uint8_t)(others + (text[pos + k] != ' ' && text[pos + k] != '\n'));
    return others == 0;
}

bool snpy_is_padding(const uint8_t *text, size_t length, size_t pos)
{
    size_t i = pos;
    if (length - pos < 16) return false;
    /*@ loop invariant range: pos <= i <= length;
        loop invariant blanks: \forall integer k; pos <= k < i ==> blank(text[k]);
        loop assigns i;
        loop variant length - i; */
    while (length - i >= 16) {
        if (!is_block(text, i)) return false;
        i += 16;
    }
    /* The last block ends with the text and may overlap the one before it. */
    if (!is_block(text, length - 16)) return false;
    /*@ ghost
        size_t j = length;
        /@ loop invariant range: pos <= j <= length;
           loop invariant end: blanks_end(text, length, j) == length;
           loop assigns j;
           loop variant j; @/
        while (j > pos) {
            j--;
            /@ assert blank: blank(text[j]); @/
        } */
    return true;
}

/* Reads the digits of a dimension, without sign or leading zero, into *value.              NPY-LIT-017 … NPY-LIT-019 */
/*@ requires text_ok(text, length) && pos < length && \valid(value) && \valid(stop);
    requires \separated(text + (0 .. length-1), value, stop);
    terminates \true;
    exits \false;
    assigns *value, *stop;
    ensures NPY_LIT_017: \result == \old(number_status(text, length, pos));
    ensures stop: *stop == (\result == SNPY_OK ? \old(digits_end(text, length, pos)) : pos);
    ensures value: \result == SNPY_OK ==>
            *value == \old(capped(dec(text, pos, digits_end(text, length, pos)), SNPY_MAX_SIZE));
    ensures range: pos <= *stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < *stop;
    ensures bound: *value <= SNPY_MAX_SIZE + 1;
 */
static snpy_status lex_number(const uint8_t *text, size_t length, size_t pos, uint64_t *value, size_t *stop)
{
    *value = 0;
    *stop = pos;
    if (text[pos] == '-' || text[pos] == '+') return SNPY_SIGNED_DIMENSION;
    if (!snpy_is_digit(text[pos])) return SNPY_BAD_DIMENSION;
    size_t end = snpy_lex_digits(text, length, pos, SNPY_MAX_SIZE, value);
    if (text[pos] == '0' && end - pos > 1) return SNPY_LEADING_ZERO;
    *stop = end;
    return SNPY_OK;
}

/* Returns the length of "int64(" or a similar name at `pos`; 0 if there is none. */
/*@ requires text_ok(text, length) && pos + 6 <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures length: \result == int_name_length(text, pos);
    ensures range: 0 <= \result <= 6;
 */
static size_t int_name_length(const uint8_t *text, size_t length, size_t pos)
{
    const uint8_t *name = text + pos;
    (void)length;
    if (name[0] != 'i' || name[1] != 'n' || name[2] != 't') return 0;
    if (name[3] == '8') return name[4] == '(' ? 5 : 0;
    if (!(name[3] == '1' && name[4] == '6') && !(name[3] == '3' && name[4] == '2') &&
        !(name[3] == '6' && name[4] == '4'))
        return 0;
    return name[5] == '(' ? 6 : 0;
}

/* Returns the length of "np.int64(" or a similar name at `pos`, with or without the module; 0 if there is none. For the
 * compatibility flag numpy-int. */
/*@ requires text_ok(text, length) && pos <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures prefix: \result == numpy_prefix(text, length, pos);
    ensures range: 0 <= \result <= 10 && pos + \result <= length;
 */
static size_t numpy_int_prefix(const uint8_t *text, size_t length, size_t pos)
{
    if (length - pos < 10) return 0;
    if (text[pos] != 'n' || text[pos + 1] != 'p' || text[pos + 2] != '.') return 0;
    size_t start = text[pos + 3] == 'u' ? 4 : 3;
    size_t name = int_name_length(text, length, pos + start);
    return name > 0 ? start + name : 0;
}

/* Reads what follows the digits of a dimension: the bracket that ends np.int64( if it is `wrapped`, else an L, which is
 * refused without `allow_long`. */
/*@ requires text_ok(text, length) && pos <= length && \valid(stop);
    requires \separated(text + (0 .. length-1), stop);
    terminates \true;
    exits \false;
    assigns *stop;
    ensures NPY_LIT_020: \result == \old(suffix_status(text, length, pos, (boolean)wrapped, (boolean)allow_long));
    ensures stop: *stop == \old(suffix_stop(text, length, pos, (boolean)wrapped, (boolean)allow_long));
    ensures range: pos <= *stop <= length;
 */
static snpy_status lex_suffix(const uint8_t *text, size_t length, size_t pos, bool wrapped, bool allow_long,
                              size_t *stop)
{
    *stop = pos;
    if (pos == length) return SNPY_OK;
    if (wrapped && text[pos] != ')') return SNPY_BAD_DIMENSION;
    if (!wrapped && text[pos] != 'L') return SNPY_OK;
    if (!wrapped && !allow_long) return SNPY_LONG_SUFFIX;
    *stop = pos + 1;
    return SNPY_OK;
}

/* Reads a dimension in any of its spellings: 3, 3L, np.int64(3).                           NPY-LIT-017 … NPY-LIT-020 */
/*@ requires text_ok(text, length) && pos < length && \valid(value) && \valid(stop) && \valid_read(form);
    requires \separated(text + (0 .. length-1), value, stop) && \separated(form, value, stop);
    terminates \true;
    exits \false;
    assigns *value, *stop;
    ensures NPY_LIT_017: \result == \old(dimension_status(text, length, pos, (boolean)form->allow_long,
                                          (boolean)form->numpy_int));
    ensures stop: *stop == \old(dimension_stop(text, length, pos, (boolean)form->allow_long,
                                 (boolean)form->numpy_int));
    ensures value: \result == SNPY_OK ==>
            *value == \old(capped(dimension_value(text, length, pos, (boolean)form->numpy_int), SNPY_MAX_SIZE));
    ensures range: pos <= *stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < *stop;
    ensures bound: *value <= SNPY_MAX_SIZE + 1;
 */
static snpy_status lex_dimension(const uint8_t *text, size_t length, size_t pos, const struct snpy_shape_form *form,
                                 uint64_t *value, size_t *stop)
{
    size_t start = form->numpy_int ? pos + numpy_int_prefix(text, length, pos) : pos;
    //@ assert start: start == dimension_at(text, length, pos, (boolean)form->numpy_int);
    *value = 0;
    *stop = length;
    if (start == length) return SNPY_UNEXPECTED_END;
    snpy_status status = lex_number(text, length, start, value, stop);
    if (status != SNPY_OK) return status;
    //@ assert digits: *stop == digits_end(text, length, start);
    return lex_suffix(text, length, *stop, start > pos, form->allow_long, stop);
}

snpy_status snpy_lex_item(const uint8_t *text, size_t length, size_t pos, const struct snpy_shape_form *form,
                          bool first, struct snpy_item *item)
{
    size_t i = snpy_skip_blanks(text, length, pos);
    uint64_t value = 0;
    size_t stop = i;
    item->value = 0;
    item->at = i;
    item->stop = i;
    item->has_value = false;
    item->closed = false;
    if (i == length) return SNPY_UNEXPECTED_END;
    if (text[i] == form->close) {
        item->closed = true;
        item->stop = i + 1;
        return SNPY_OK;
    }
    snpy_status status = lex_dimension(text, length, i, form, &value, &stop);
    if (status == SNPY_OK) stop = snpy_skip_blanks(text, length, stop);
    item->value = value;
    item->has_value = true;
    item->stop = stop;
    if (status != SNPY_OK) return status;
    if (stop == length) return SNPY_UNEXPECTED_END;
    if (text[stop] != ',' && text[stop] != form->close) return SNPY_BAD_DIMENSION;
    if (text[stop] == ')' && first) return SNPY_SHAPE_NOT_A_TUPLE;
    item->closed = text[stop] != ',';
    item->stop = stop + 1;
    return SNPY_OK;
}

/* Returns the value of a hexadecimal digit of either case, 16 for any other byte. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures value: \result == hex(byte);
    ensures range: 0 <= \result <= 16;
 */
static uint32_t hex_value(uint8_t byte)
{
    if (snpy_is_digit(byte)) return (uint32_t)(byte - '0');
    if (byte >= 'a' && byte <= 'f') return (uint32_t)(byte - 'a') + 10;
    if (byte >= 'A' && byte <= 'F') return (uint32_t)(byte - 'A') + 10;
    return 16;
}

/* Reads `digits` hexadecimal digits from `pos` on into *code_point; a number above U+10FFFF becomes U+110000. Returns
 * how many bytes are such digits. */
/*@ requires text_ok(text, length) && pos <= length && \valid(code_point);
    requires \separated(code_point, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *code_point;
    ensures count: \result == \old(hex_count(text, length, pos, 0, digits));
    ensures value: *code_point == \old(capped(hex_value_of(text, pos, hex_count(text, length, pos, 0, digits)),
                                          0x10ffff));
    ensures range: \result <= digits && pos + \result <= length;
    ensures bound: *code_point <= 0x110000;
 */
static size_t lex_hex(const uint8_t *text, size_t length, size_t pos, size_t digits, uint32_t *code_point)
{
    uint32_t value = 0;
    size_t i = 0;
    /*@ loop invariant range: 0 <= i <= digits && pos + i <= length;
        loop invariant count: hex_count(text, length, pos, i, digits) == hex_count(text, length, pos, 0, digits);
        loop invariant value: value == capped(hex_value_of(text, pos, i), 0x10ffff);
        loop invariant bound: value <= 0x110000;
        loop assigns i, value;
        loop variant digits - i; */
    while (i < digits && i < length - pos && hex_value(text[pos + i]) < 16) {
        value = value * 16 + hex_value(text[pos + i]);
        if (value > 0x110000) value = 0x110000;
        i++;
    }
    *code_point = value;
    return i;
}

/* Returns how many hexadecimal digits an escape has; 0 for escapes without. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures digits: \result == escape_size(letter);
 */
static size_t escape_digits(uint8_t letter)
{
    return letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
}

/* Returns the character that an escape of one letter means; 0 if it is none. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures value: \result == escape_char(letter);
 */
static uint32_t escape_letter(uint8_t letter)
{
    if (letter == '\\' || letter == '\'' || letter == '"') return letter;
    return letter == 'n' ? '\n' : letter == 'r' ? '\r' : letter == 't' ? '\t' : 0;
}

snpy_status snpy_lex_escape(const uint8_t *text, size_t length, size_t pos, uint32_t *code_point, size_t *stop)
{
    uint32_t value = 0;
    *code_point = 0;
    *stop = pos;
    if (length - pos < 2) return SNPY_BAD_ESCAPE;
    size_t digits = escape_digits(text[pos + 1]);
    if (digits == 0) {
        value = escape_letter(text[pos + 1]);
        if (value == 0) return SNPY_BAD_ESCAPE;
    } else {
        if (lex_hex(text, length, pos + 2, digits, &value) < digits) return SNPY_BAD_ESCAPE;
        if (value > 0x10ffff) return SNPY_CODE_POINT_RANGE;
    }
    *code_point = value;
    *stop = pos + 2 + digits;
    return SNPY_OK;
}

/* Reads one character of a name, a byte or an escape. *stop is after it, or on failure at it. */
/*@ requires text_ok(text, length) && pos < length && \valid(stop) && \separated(stop, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *stop;
    ensures status: \result == \old(character_status(text, length, pos));
    ensures stop: *stop == (\result == SNPY_OK ? \old(pos + character_length(text, pos)) : pos);
    ensures range: pos <= *stop <= length;
    ensures forward: \result == SNPY_OK ==> pos < *stop;
 */
static snpy_status lex_character(const uint8_t *text, size_t length, size_t pos, size_t *stop)
{
    uint32_t code_point = 0;
    if (text[pos] == '\\') return snpy_lex_escape(text, length, pos, &code_point, stop);
    *stop = pos + 1;
    return SNPY_OK;
}

/* Reads a name from the byte after its opening quote. *stop is at the closing quote, or at the byte at fault. */
/*@ requires text_ok(text, length) && pos <= length && \valid(stop) && \separated(stop, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *stop;
    ensures stop: *stop == \old(name_end(text, length, pos, quote));
    ensures status: \result == \old(name_status_at(text, length, name_end(text, length, pos, quote), quote));
    ensures range: pos <= *stop <= length;
    ensures closed: \result == SNPY_OK ==> *stop < length;
 */
static snpy_status lex_name(const uint8_t *text, size_t length, size_t pos, uint8_t quote, size_t *stop)
{
    size_t i = pos;
    snpy_status status = SNPY_OK;
    /*@ loop invariant range: pos <= i <= length;
        loop invariant status: status != SNPY_OK ==> i < length && text[i] != quote && !control(text[i])
                       && status == character_status(text, length, i);
        loop invariant end: name_end(text, length, i, quote) == name_end(text, length, pos, quote);
        loop assigns i, status;
        loop variant length - i + (status == SNPY_OK ? 1 : 0); */
    while (status == SNPY_OK && i < length && text[i] != quote && !snpy_is_control(text[i])) {
        /*@ assert step: character_status(text, length, i) == SNPY_OK ==> name_end(text, length, i, quote)
                   == name_end(text, length, i + character_length(text, i), quote); */
        status = lex_character(text, length, i, &i);
    }
    //@ assert end: name_end(text, length, i, quote) == i;
    *stop = i;
    if (status != SNPY_OK || i == length) return status != SNPY_OK ? status : SNPY_UNEXPECTED_END;
    return text[i] == quote ? SNPY_OK : SNPY_CONTROL_IN_STRING;
}

snpy_status snpy_lex_string(const uint8_t *text, size_t length, size_t pos, size_t *start, size_t *stop)
{
    size_t begin = pos;
    size_t end = pos;
    snpy_status status = snpy_lex_quote(text, length, pos, &begin);
    *start = begin;
    *stop = begin;
    if (status != SNPY_OK) return status;
    status = lex_name(text, length, begin, text[begin - 1], &end);
    *stop = status == SNPY_OK ? end + 1 : end;
    return status;
}

/* Whether there is a byte at `pos` that continues a UTF-8 sequence. */
/*@ requires text_ok(text, length);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures tail: \result <==> tail(text, length, pos);
 */
static bool continues(const uint8_t *text, size_t length, size_t pos)
{
    return pos < length && text[pos] >= 0x80 && text[pos] <= 0xbf;
}

/* Decodes a sequence of three bytes, U+0800 to U+FFFF; surrogates, U+D800 to U+DFFF, only if they are allowed. Returns
 * 3, or 0 if it is ill-formed.                                                                         NPY-FRAME-007 */
/*@ requires text_ok(text, length) && pos < length && 0xe0 <= text[pos] <= 0xef && \valid(code_point);
    requires \separated(code_point, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *code_point;
    ensures size: \result == \old(utf8_three_size(text, length, pos, (boolean)allow_surrogates));
    ensures value: \result == 3 ==> *code_point == \old(utf8_three_value(text, pos));
    ensures range: (\result == 0 || \result == 3) && pos + \result <= length;
    ensures bound: *code_point <= 0x10ffff;
 */
static size_t utf8_three(const uint8_t *text, size_t length, size_t pos, bool allow_surrogates, uint32_t *code_point)
{
    *code_point = 0;
    if (!continues(text, length, pos + 1) || !continues(text, length, pos + 2)) return 0;
    uint32_t value = (text[pos] - 0xe0u) * 4096u + (text[pos + 1] - 0x80u) * 64u + (text[pos + 2] - 0x80u);
    if (value < 0x800) return 0;
    if (!allow_surrogates && value >= 0xd800 && value <= 0xdfff) return 0;
    *code_point = value;
    return 3;
}

/* Decodes a sequence of four bytes, U+10000 to U+10FFFF. Returns 4, or 0 if it is ill-formed.          NPY-FRAME-007 */
/*@ requires text_ok(text, length) && pos < length && 0xf0 <= text[pos] && \valid(code_point);
    requires \separated(code_point, text + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *code_point;
    ensures size: \result == \old(utf8_four_size(text, length, pos));
    ensures value: \result == 4 ==> *code_point == \old(utf8_four_value(text, pos));
    ensures range: (\result == 0 || \result == 4) && pos + \result <= length;
    ensures bound: *code_point <= 0x10ffff;
 */
static size_t utf8_four(const uint8_t *text, size_t length, size_t pos, uint32_t *code_point)
{
    *code_point = 0;
    if (text[pos] > 0xf4 || !continues(text, length, pos + 1)) return 0;
    if (!continues(text, length, pos + 2) || !continues(text, length, pos + 3)) return 0;
    uint32_t value = (text[pos] - 0xf0u) * 262144u + (text[pos + 1] - 0x80u) * 4096u + (text[pos + 2] - 0x80u) * 64u +
                     (text[pos + 3] - 0x80u);
    if (value < 0x10000 || value > 0x10ffff) return 0;
    *code_point = value;
    return 4;
}

size_t snpy_utf8_next(const uint8_t *text, size_t length, size_t pos, bool allow_surrogates, uint32_t *code_point)
{
    uint32_t lead = text[pos];
    *code_point = lead;
    if (lead < 0x80) return 1;
    *code_point = 0;
    /* C0 and C1 would encode ASCII in two bytes; only the shortest form is allowed. */
    if (lead < 0xc2) return 0;
    if (lead >= 0xf0) return utf8_four(text, length, pos, code_point);
    if (lead >= 0xe0) return utf8_three(text, length, pos, allow_surrogates, code_point);
    if (!continues(text, length, pos + 1)) return 0;
    *code_point = (lead - 0xc0u) * 64u + (text[pos + 1] - 0x80u);
    return 2;
}

size_t snpy_utf8_check(const uint8_t *text, size_t length)
{
    size_t i = 0;
    uint32_t code_point = 0;
    /*@ loop invariant range: i <= length;
        loop invariant end: utf8_end(text, length, i) == utf8_end(text, length, 0);
        loop assigns i, code_point;
        loop variant length - i; */
    while (i < length) {
        size_t size = snpy_utf8_next(text, length, i, false, &code_point);
        if (size == 0) return i;
        i += size;
    }
    return length;
}
