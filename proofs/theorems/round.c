/* round.c: what is written is read back the same: the type strings of simple types.
 * Proves it by reading the text from its end, as logic/write.h makes it from the front, and then by what logic/dtype.h
 * finds in these bytes. Headers are checked up to a size only (tests/every). */
#include "core/dtype.h"
#include "core/write.h"
#include "spec/logic/table.h"

/* No text is less than the empty one, and no other is equal to it. */
/*@ requires \valid_read(p + (0 .. n-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures positive: text(p, n) >= 1;
    ensures some: n > 0 ==> text(p, n) > 1;
 */
static void show_some(const uint8_t *p, size_t n)
{
    /*@ loop invariant range: 0 <= k <= n;
        loop invariant positive: text(p, k) >= 1 && (k > 0 ==> text(p, k) > 1);
        loop assigns k;
        loop variant n - k; */
    for (size_t k = 0; k < n; k++) {
        //@ assert step: text(p, k + 1) == append(text(p, k), p[k]);
    }
    (void)p;
}

/* The last byte of a text is what was appended last. */
/*@ requires \valid_read(p + (0 .. n-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures none: n == 0 ==> \forall integer s, c; s >= 1 && 0 <= c < 256 ==> text(p, n) != append(s, c);
    ensures last: n > 0 ==> \forall integer s, c; 0 <= c < 256 && text(p, n) == append(s, c)
            ==> p[n - 1] == c && text(p, n - 1) == s;
 */
static void show_byte(const uint8_t *p, size_t n)
{
    //@ assert step: n > 0 ==> text(p, n) == append(text(p, n - 1), p[n - 1]);
    (void)p;
    (void)n;
}

/* ---- numbers */

/* clang-format off */
/*@ // byte j of the text p[0 .. n-1], which ends with the number v, is the digit that belongs there
    predicate digit_of(uint8_t *p, integer n, integer v, integer j) =
        without(v, n - 1 - j) >= 0 && p[j] == '0' + without(v, n - 1 - j) % 10;
    predicate digits_of(uint8_t *p, integer n, integer v, integer from) =
        \forall integer j; from <= j < n ==> digit_of(p, n, v, j); */
/* clang-format on */

/* A number's last digit, and what is before it. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures last: \forall integer s; append_number(s, v) == append(v < 10 ? s : append_number(s, v / 10), '0' + v % 10);
 */
static void show_last_digit(uint64_t v)
{
    (void)v;
}

/* One digit more. */
/*@ requires \valid_read(p + (0 .. n-1)) && k < n && digits_of(p, n, v, k + 1) && digit_of(p, n, v, k);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures digits: digits_of(p, n, v, k);
 */
static void show_more_digits(const uint8_t *p, size_t n, uint64_t v, size_t k)
{
    (void)p;
    (void)n;
    (void)v;
    (void)k;
}

/* Finds where the digits of a number begin that a text ends with. */
/*@ requires \valid_read(p + (0 .. n-1)) && \exists integer s; s >= 1 && text(p, n) == append_number(s, v);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures start: \result < n;
    ensures front: \forall integer s; s >= 1 && text(p, n) == append_number(s, v) ==> text(p, \result) == s;
    ensures digits: digits_of(p, n, v, \result);
    ensures whole: without(v, n - \result) == 0;
    ensures zero: n > \result + 1 ==> p[\result] != '0';
 */
static size_t find_number(const uint8_t *p, size_t n, uint64_t v)
{
    size_t k = n;
    uint64_t x = v;
    /*@ loop invariant range: 0 <= k <= n && (k < n ==> x >= 1) && x == without(v, n - k);
        loop invariant front: \forall integer s; s >= 1 && text(p, n) == append_number(s, v)
                ==> text(p, k) == append_number(s, x);
        loop invariant digits: digits_of(p, n, v, k);
        loop assigns k, x;
        loop variant x; */
    while (x >= 10) {
        show_byte(p, k);
        show_last_digit(x);
        //@ assert some: \exists integer s; s >= 1 && text(p, k) == append(append_number(s, x / 10), '0' + x % 10);
        //@ assert byte: k > 0 && p[k - 1] == '0' + x % 10;
        //@ assert place: digit_of(p, n, v, k - 1);
        show_more_digits(p, n, v, k - 1);
        //@ assert next: without(v, n - k + 1) == x / 10;
        k--;
        x /= 10;
    }
    show_byte(p, k);
    show_last_digit(x);
    //@ assert some: \exists integer s; s >= 1 && text(p, k) == append(s, '0' + x % 10);
    //@ assert byte: k > 0 && p[k - 1] == '0' + x % 10;
    //@ assert place: digit_of(p, n, v, k - 1);
    show_more_digits(p, n, v, k - 1);
    //@ assert next: without(v, n - k + 1) == x / 10;
    return k - 1;
}

/* Digits after the start, and no digit after them: the lexer finds their end, and their number. */
/*@ requires \valid_read(p + (0 .. e-1)) && start < n <= e && (n == e || !digit(p[n]));
    requires digits: digits_of(p, n, v, start);
    requires whole: without(v, n - start) == 0;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures end: digits_end(p, e, start) == n;
    ensures value: dec(p, start, n) == v;
 */
static void show_lexed(const uint8_t *p, size_t start, size_t n, size_t e, uint64_t v)
{
    /*@ loop invariant range: start <= k <= n;
        loop invariant end: digits_end(p, e, k) == n;
        loop assigns k;
        loop variant k; */
    for (size_t k = n; k > start; k--) {
        //@ assert place: digit_of(p, n, v, k - 1);
        //@ assert digit: digit(p[k - 1]);
        //@ assert step: digits_end(p, e, k - 1) == digits_end(p, e, k - 1 + 1);
    }
    /*@ loop invariant range: start <= k <= n;
        loop invariant value: dec(p, start, k) == without(v, n - k);
        loop assigns k;
        loop variant n - k; */
    for (size_t k = start; k < n; k++) {
        //@ assert digit: digit_of(p, n, v, k);
        //@ assert less: without(v, n - k) == without(v, n - 1 - k) / 10;
    }
    (void)p;
    (void)e;
    (void)v;
}

/* The theorem: a number that is written is read back. */
/*@ requires \valid(out + (0 .. capacity-1)) && \object_pointer(out) && capacity <= SNPY_MAX_TEXT;
    requires \valid(value) && \separated(value, out + (0 .. capacity-1)) && number <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns out[0 .. capacity-1], *value;
    ensures fits: capacity >= 20 ==> \result;
    ensures number: \result ==> *value == number;
 */
bool theorem_number(uint8_t *out, size_t capacity, uint64_t number, uint64_t *value)
{
    struct snpy_pen pen = {{out, capacity, 0}, true, false};
    //@ assert empty: text(out, 0) == 1;
    snpy_pen_number(&pen, number);
    //@ assert length: number_length(number) <= 20 && pen.sink.length == number_length(number);
    if (pen.sink.length > capacity) return false;
    size_t length = (size_t)pen.sink.length;
    //@ assert text: text(out, length) == append_number(1, number);
    size_t start = find_number(out, length, number);
    //@ assert front: text(out, start) == 1;
    show_some(out, start);
    //@ assert start: start == 0;
    show_lexed(out, 0, length, length, number);
    //@ assert value: dec(out, 0, digits_end(out, length, 0)) == number;
    return snpy_lex_digits(out, length, 0, SNPY_MAX_SIZE, value) == length;
}

/* ---- units */

/* A number after a text is no less than the text. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures positive: \forall integer s; s >= 1 ==> append_number(s, v) >= 1;
 */
static void show_positive_number(uint64_t v)
{
    uint64_t x = v;
    /*@ loop invariant link: \forall integer s; append_number(s, v) < 1 ==> append_number(s, x) < 1;
        loop assigns x;
        loop variant x; */
    while (x >= 10) {
        show_last_digit(x);
        x /= 10;
    }
    show_last_digit(x);
}

/* Finds the first letter of a unit that a text ends with. */
/*@ requires \valid_read(p + (0 .. n-1)) && SNPY_UNIT_YEAR <= unit <= SNPY_UNIT_ATTOSECOND;
    requires \exists integer s; s >= 1 && text(p, n) == append_unit_word(s, unit);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result == n - (unit >= SNPY_UNIT_MILLISECOND ? 2 : 1) && \result < n;
    ensures front: \forall integer s; s >= 1 && text(p, n) == append_unit_word(s, unit) ==> text(p, \result) == s;
    ensures first: p[\result] == unit_letter(unit);
    ensures second: unit >= SNPY_UNIT_MILLISECOND ==> p[\result + 1] == 's';
 */
static size_t find_unit_word(const uint8_t *p, size_t n, int8_t unit)
{
    size_t k = n;
    //@ assert letter: 'A' <= unit_letter(unit) <= 'z';
    show_byte(p, k);
    if (unit >= SNPY_UNIT_MILLISECOND) {
        //@ assert some: \exists integer s; s >= 1 && text(p, n) == append(append(s, unit_letter(unit)), 's');
        k--;
        show_byte(p, k);
    }
    //@ assert one: \exists integer s; s >= 1 && text(p, k) == append(s, unit_letter(unit));
    return k - 1;
}

/* Letters of a unit before the bracket that closes are read as that unit. */
/*@ requires \valid_read(p + (0 .. n-1)) && SNPY_UNIT_YEAR <= unit <= SNPY_UNIT_ATTOSECOND;
    requires range: u < n && n - 1 == u + (unit >= SNPY_UNIT_MILLISECOND ? 2 : 1) && p[n - 1] == ']';
    requires first: p[u] == unit_letter(unit) && (unit >= SNPY_UNIT_MILLISECOND ==> p[u + 1] == 's');
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures unit: unit_of(p, u, n) == unit && unit_end(p, u, n) == n - 1;
    ensures letter: 'A' <= p[u] <= 'z';
 */
static void show_unit_read(const uint8_t *p, size_t u, size_t n, int8_t unit)
{
    (void)p;
    (void)u;
    (void)n;
    (void)unit;
}

/* Finds where the multiplier begins that a text ends with, or its end if there is none. */
/*@ requires \valid_read(p + (0 .. n-1)) && 1 <= m <= 0x7fffffff && n < e && !digit(p[n]) && \valid_read(p + (0 .. e-1));
    requires \exists integer s; s >= 1 && text(p, n) == append_multiplier(append(s, '['), m);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 1 <= \result <= n && (\result == n <==> m == 1);
    ensures front: \forall integer s; s >= 1 && text(p, n) == append_multiplier(append(s, '['), m)
            ==> text(p, \result - 1) == s;
    ensures bracket: p[\result - 1] == '[';
    ensures end: digits_end(p, e, \result) == n;
    ensures value: m > 1 ==> dec(p, \result, n) == m && digit(p[\result]) && p[\result] != '0';
 */
static size_t find_multiplier(const uint8_t *p, size_t n, size_t e, uint32_t m)
{
    size_t k = n;
    if (m > 1) {
        //@ assert some: \exists integer s; s >= 1 && text(p, n) == append_number(append(s, '['), m);
        k = find_number(p, n, m);
        show_lexed(p, k, n, e, m);
        //@ assert digit: digit_of(p, n, m, k);
        //@ assert one: n == k + 1 ==> dec(p, k, n) == 10 * dec(p, k, k) + (p[k] - 48) && dec(p, k, k) == 0;
    }
    //@ assert bracket: \exists integer s; s >= 1 && text(p, k) == append(s, '[');
    show_byte(p, k);
    return k;
}

/* A bracket with these parts is sound. */
/*@ requires \valid_read(p + (0 .. n-1)) && b + 1 < n && p[b] == '[' && p[n - 1] == ']' && SNPY_UNIT_YEAR <= unit;
    requires number: !bad_multiplier(p, b + 1, n);
    requires unit: unit_of(p, unit_at(p, b, n), n) == unit && unit_end(p, unit_at(p, b, n), n) == n - 1;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures status: bracket_status(p, b, n) == SNPY_OK;
 */
static void show_bracket(const uint8_t *p, size_t b, size_t n, int8_t unit)
{
    (void)p;
    (void)b;
    (void)n;
    (void)unit;
}

/* Finds the bracket of a unit that a text ends with, or the text's end if there is none. It is read as that unit. */
/*@ requires \valid_read(p + (0 .. n-1)) && SNPY_UNIT_GENERIC <= unit <= SNPY_UNIT_ATTOSECOND;
    requires unit != SNPY_UNIT_GENERIC ==> 1 <= m <= 0x7fffffff;
    requires \exists integer s; s >= 1 && text(p, n) == append_unit(s, unit, m);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= n && (\result == n <==> unit == SNPY_UNIT_GENERIC);
    ensures front: \forall integer s; s >= 1 && text(p, n) == append_unit(s, unit, m) ==> text(p, \result) == s;
    ensures bracket: \result < n ==> p[\result] == '[';
    ensures status: bracket_status(p, \result, n) == SNPY_OK;
    ensures unit: unit != SNPY_UNIT_GENERIC ==> unit_of(p, unit_at(p, \result, n), n) == unit;
    ensures multiplier: unit != SNPY_UNIT_GENERIC ==> m ==
            (unit_at(p, \result, n) > \result + 1 ? dec(p, \result + 1, unit_at(p, \result, n)) : 1);
 */
static size_t find_unit(const uint8_t *p, size_t n, int8_t unit, uint32_t m)
{
    if (unit == SNPY_UNIT_GENERIC) return n;
    //@ assert letters: 'A' <= unit_letter(unit) <= 'z';
    /*@ assert some: \exists integer s; s >= 1
            && text(p, n) == append(append_unit_word(append_multiplier(append(s, '['), m), unit), ']'); */
    show_byte(p, n);
    //@ assert close: p[n - 1] == ']';
    if (m > 1) show_positive_number(m);
    /*@ assert word: \exists integer s; s >= 1 && append_multiplier(append(s, '['), m) >= 1
            && text(p, n - 1) == append_unit_word(append_multiplier(append(s, '['), m), unit); */
    size_t u = find_unit_word(p, n - 1, unit);
    //@ assert number: \exists integer s; s >= 1 && text(p, u) == append_multiplier(append(s, '['), m);
    show_unit_read(p, u, n, unit);
    size_t k = find_multiplier(p, u, n, m);
    //@ assert at: unit_at(p, k - 1, n) == u;
    //@ assert sound: !bad_multiplier(p, k, n);
    show_bracket(p, k - 1, n, unit);
    return k - 1;
}

/* ---- sizes */

/* Finds the number that follows a kind, or its end if there is none. */
/*@ requires \valid_read(p + (0 .. e-1)) && n <= e && (n == e || !digit(p[n]));
    requires \exists integer s; s >= 1 && text(p, n) == append_size(s, kind, size);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= n && (\result == n <==> kind == SNPY_KIND_OBJECT);
    ensures front: \forall integer s; s >= 1 && text(p, n) == append_size(s, kind, size) ==> text(p, \result) == s;
    ensures end: digits_end(p, e, \result) == n;
    ensures value: kind != SNPY_KIND_OBJECT ==> dec(p, \result, n) == (kind == SNPY_KIND_STRING ? size / 4 : size);
    ensures zero: n > \result + 1 ==> p[\result] != '0';
 */
static size_t find_size(const uint8_t *p, size_t n, size_t e, int8_t kind, uint32_t size)
{
    uint64_t v = kind == SNPY_KIND_STRING ? size / 4 : size;
    if (kind == SNPY_KIND_OBJECT) return n;
    //@ assert some: \exists integer s; s >= 1 && text(p, n) == append_number(s, v);
    size_t k = find_number(p, n, v);
    show_lexed(p, k, n, e, v);
    return k;
}

/* ---- type strings */

/* What the parts of a type string mean, from its order at 1 to its closing quote at e; its unit begins at n. */
/*@ requires \valid_read(p + (0 .. e)) && \valid_read(d) && writable_type(d) && 3 <= n <= e;
    requires letters: p[1] == d->byteorder && p[2] == d->kind;
    requires end: number_end(p, 2, e) == n && (d->kind == SNPY_KIND_OBJECT <==> n == 3);
    requires value: d->kind != SNPY_KIND_OBJECT ==>
            dec(p, 3, n) == (d->kind == SNPY_KIND_STRING ? d->itemsize / 4 : d->itemsize);
    requires zero: n > 4 ==> p[3] != '0';
    requires none: n == e <==> d->unit == SNPY_UNIT_GENERIC;
    requires status: bracket_status(p, n, e) == SNPY_OK;
    requires unit: d->unit != SNPY_UNIT_GENERIC ==> unit_of(p, unit_at(p, n, e), e) == d->unit;
    requires multiplier: d->unit != SNPY_UNIT_GENERIC ==>
            d->multiplier == (unit_at(p, n, e) > n + 1 ? dec(p, n + 1, unit_at(p, n, e)) : 1);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures status: \forall boolean u, v, w, x; type_status(p, 1, e, u, v, w, x, \true) == SNPY_OK;
    ensures kind: type_kind(p, 1, e) == d->kind;
    ensures itemsize: type_itemsize(p, 1, e) == d->itemsize;
    ensures byteorder: type_byteorder(p, 1, e) == d->byteorder;
    ensures unit: type_unit(p, 1, e) == d->unit;
    ensures multiplier: type_multiplier(p, 1, e) == d->multiplier;
 */
static void show_parts(const uint8_t *p, size_t n, size_t e, const snpy_dtype *d)
{
    //@ assert other: !time_kind(d->kind) ==> d->multiplier == 0 && n == e;
    //@ assert generic: time_kind(d->kind) && n == e ==> d->multiplier == 1;
    //@ assert multiplier: time_multiplier(d->kind, p, n, e) == d->multiplier;
    //@ assert name: !is_name(p, 1, e);
    //@ assert at: kind_at(p, 1, e) == 2 && order_of(p, 1, e) == d->byteorder;
    //@ assert letter: kind_of_letter(p[2]) == d->kind && p[2] != 'a';
    //@ assert number: !bad_number(p, 2, e, d->kind);
    //@ assert size: kind_size(p, 2, e) == d->itemsize;
    //@ assert sized: sized_status(p, 2, e, d->kind, \true) == SNPY_OK;
    //@ assert known: \forall boolean x; kind_status(p, 2, e, x, \true) == SNPY_OK;
    /*@ assert order: \forall boolean u, v; order_status(d->kind, d->itemsize, d->byteorder, u, v) == SNPY_OK
            && order_meant(d->kind, d->itemsize, d->byteorder) == d->byteorder; */
    (void)p;
    (void)n;
    (void)e;
    (void)d;
}

/* A type string is read from its end. */
/*@ requires \valid_read(p + (0 .. n-1)) && \valid_read(d) && writable_type(d) && text(p, n) == type_text(1, *d);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures quotes: n >= 4 && p[0] == '\'' && p[n - 1] == '\'';
    ensures status: \forall boolean u, v, w, x; type_status(p, 1, n - 1, u, v, w, x, \true) == SNPY_OK;
    ensures kind: type_kind(p, 1, n - 1) == d->kind;
    ensures itemsize: type_itemsize(p, 1, n - 1) == d->itemsize;
    ensures byteorder: type_byteorder(p, 1, n - 1) == d->byteorder;
    ensures unit: type_unit(p, 1, n - 1) == d->unit;
    ensures multiplier: type_multiplier(p, 1, n - 1) == d->multiplier;
 */
static void show_type_read(const uint8_t *p, size_t n, const snpy_dtype *d)
{
    uint64_t v = d->kind == SNPY_KIND_STRING ? d->itemsize / 4 : d->itemsize;
    //@ assert letters: 0 < d->byteorder && 0 < d->kind;
    show_positive_number(v);
    if (d->multiplier > 1) show_positive_number(d->multiplier);
    /*@ assert start: \let s = append(append(append(1, '\''), d->byteorder), d->kind); s >= 1
            && append_size(s, d->kind, d->itemsize) >= 1; */
    show_byte(p, n);
    /*@ assert all: text(p, n - 1) == append_unit(append_size(append(append(append(1, '\''), d->byteorder), d->kind),
            d->kind, d->itemsize), d->unit, d->multiplier); */
    size_t e = n - 1;
    size_t b = find_unit(p, e, d->unit, d->multiplier);
    /*@ assert sized: text(p, b) == append_size(append(append(append(1, '\''), d->byteorder), d->kind), d->kind,
            d->itemsize); */
    size_t k = find_size(p, b, e, d->kind, d->itemsize);
    //@ assert kind: text(p, k) == append(append(append(1, '\''), d->byteorder), d->kind);
    show_byte(p, k);
    //@ assert order: text(p, k - 1) == append(append(1, '\''), d->byteorder);
    show_byte(p, k - 1);
    //@ assert quote: text(p, k - 2) == append(1, '\'');
    show_byte(p, k - 2);
    //@ assert first: text(p, k - 3) == 1;
    show_some(p, k - 3);
    //@ assert place: k == 3;
    show_parts(p, b, e, d);
}

/* The theorem: a type string that is written is read back as it was. */
/*@ requires SNPY_GIVEN(description) && \valid(size) && \valid(error) && \separated(size, error);
    requires \valid(out + (0 .. capacity-1)) && \separated(out + (0 .. capacity-1), size, error);
    requires SNPY_APART_FROM_GIVEN(size, description) && SNPY_APART_FROM_GIVEN(error, description);
    requires SNPY_APART_FROM_GIVEN(out + (0 .. capacity-1), description) && \object_pointer(out);
    requires simple: SNPY_SIMPLE(description) && writable_type(&description->header->dtype);
    requires \valid(read) && \valid(at) && \valid_read(compat) && \separated(out + (0 .. capacity-1), read, at);
    requires \separated(compat, read, at) && \separated(compat, size, error) && \separated(read, at, size, error);
    requires \separated(compat, out + (0 .. capacity-1)) && SNPY_APART_FROM_GIVEN(compat, description);
    requires SNPY_APART_FROM_GIVEN(read, description) && SNPY_APART_FROM_GIVEN(at, description);
    requires flag: compat->platform_float && capacity <= SNPY_MAX_TEXT;
    terminates \true;
    exits \false;
    assigns *size, error->status, error->offset, out[0 .. capacity-1], SNPY_SCRATCH(description), *at,
            read->kind, read->byteorder, read->unit, read->itemsize, read->multiplier;
    ensures kind: \result ==> read->kind == description->header->dtype.kind;
    ensures byteorder: \result ==> read->byteorder == description->header->dtype.byteorder;
    ensures itemsize: \result ==> read->itemsize == description->header->dtype.itemsize;
    ensures unit: \result ==> read->unit == description->header->dtype.unit;
    ensures multiplier: \result ==> read->multiplier == description->header->dtype.multiplier;
 */
bool theorem_type(const snpy_description *description, uint8_t *out, size_t capacity, uint64_t *size,
                  const snpy_compat *compat, snpy_dtype *read, size_t *at, snpy_error *error)
{
    snpy_status status = snpy_write_descr(description, 0, out, capacity, size, error);
    if (status != SNPY_OK) return false;
    //@ assert same: description->header->dtype == \at(description->header->dtype, Pre);
    show_type_read(out, (size_t)*size, &description->header->dtype);
    status = snpy_parse_type(out, 1, (size_t)*size - 1, true, compat, read, at);
    //@ assert accepted: status == SNPY_OK;
    return status == SNPY_OK;
}
