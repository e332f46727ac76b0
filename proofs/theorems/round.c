/* round.c: a number that is written is read back the same.
 * Proves it by reading the text from its end, as logic/write.h makes it from the front, and then by what
 * logic/tokens.h finds in these bytes. Whole headers are checked up to a size only (tests/every). */
#include "core/pen.h"

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
