/* apart.c: two headers of simple types that differ never share a text.
 * Proves it by reading both texts from the end, as logic/write.h makes them from the front: a text's last character
 * says which part it ends with, and no number has a digit in front of it. */
#include "core/pen.h"
#include "spec/logic/table.h"

/* clang-format off */
/*@ predicate digit_last(integer t) = '0' <= t % 256 <= '9';

    // a header's text up to its dimensions, and up to its brace
    logic integer front_of(snpy_header h) = order_text(type_text(descr_text(1), h.dtype), h.fortran_order);
    logic integer whole_of(snpy_header h) =
        append_word(append_shape(front_of(h), h), word(')', ',', ' ', '}', 0, 0, 0, 0)); */
/* clang-format on */

/* ---- Words and numbers */

/* A word behind two texts leaves them as different as they were. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures positive: \forall integer s; s >= 0 ==> append_word(s, w) >= 0;
    ensures same: \forall integer s, t; append_word(s, w) == append_word(t, w) ==> s == t;
 */
static void show_word(uint64_t w)
{
    uint64_t w1 = w / 256;
    uint64_t w2 = w1 / 256;
    uint64_t w3 = w2 / 256;
    uint64_t w4 = w3 / 256;
    uint64_t w5 = w4 / 256;
    uint64_t w6 = w5 / 256;
    uint64_t w7 = w6 / 256;
    //@ assert last: w7 / 256 == 0;
    //@ assert positive7: \forall integer s; s >= 0 ==> append_word(s, w7) >= 0;
    //@ assert positive6: \forall integer s; s >= 0 ==> append_word(s, w6) >= 0;
    //@ assert positive5: \forall integer s; s >= 0 ==> append_word(s, w5) >= 0;
    //@ assert positive4: \forall integer s; s >= 0 ==> append_word(s, w4) >= 0;
    //@ assert positive3: \forall integer s; s >= 0 ==> append_word(s, w3) >= 0;
    //@ assert positive2: \forall integer s; s >= 0 ==> append_word(s, w2) >= 0;
    //@ assert positive1: \forall integer s; s >= 0 ==> append_word(s, w1) >= 0;
    //@ assert same7: \forall integer s, t; append_word(s, w7) == append_word(t, w7) ==> s == t;
    //@ assert same6: \forall integer s, t; append_word(s, w6) == append_word(t, w6) ==> s == t;
    //@ assert same5: \forall integer s, t; append_word(s, w5) == append_word(t, w5) ==> s == t;
    //@ assert same4: \forall integer s, t; append_word(s, w4) == append_word(t, w4) ==> s == t;
    //@ assert same3: \forall integer s, t; append_word(s, w3) == append_word(t, w3) ==> s == t;
    //@ assert same2: \forall integer s, t; append_word(s, w2) == append_word(t, w2) ==> s == t;
    //@ assert same1: \forall integer s, t; append_word(s, w1) == append_word(t, w1) ==> s == t;
    (void)w7;
}

/* The four letters of a word of four. */
/*@ requires 16777216 <= w <= 0xffffffff;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures letters: \forall integer s; append_word(s, w)
            == append(append(append(append(s, w % 256), w / 256 % 256), w / 65536 % 256), w / 16777216);
 */
static void show_four(uint64_t w)
{
    uint64_t w1 = w / 256;
    uint64_t w2 = w1 / 256;
    uint64_t w3 = w2 / 256;
    //@ assert shifted: w2 == w / 65536 && w3 == w / 16777216 && 1 <= w3 < 256;
    //@ assert last: \forall integer s; append_word(s, w3) == append(s, w3);
    //@ assert two: \forall integer s; append_word(s, w2) == append(append(s, w2 % 256), w3);
    //@ assert three: \forall integer s; append_word(s, w1) == append(append(append(s, w1 % 256), w2 % 256), w3);
    (void)w3;
}

/* A number's last digit, and what is in front of it. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures last: \forall integer s; append_number(s, v) == append(v < 10 ? s : append_number(s, v / 10), '0' + v % 10);
 */
static void show_last(uint64_t v)
{
    (void)v;
}

/* A number's text is no less than nothing. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures positive: \forall integer s; s >= 0 ==> append_number(s, v) >= 0;
 */
static void show_number_positive(uint64_t v)
{
    uint64_t x = v;
    /*@ loop invariant link: \forall integer s; append_number(s, v) < 0 ==> append_number(s, x) < 0;
        loop assigns x;
        loop variant x; */
    while (x >= 10) x /= 10;
    show_last(x);
}

/* It ends in a digit. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures positive: \forall integer s; s >= 0 ==> append_number(s, v) >= 0;
    ensures digit: \forall integer s; s >= 0 ==> digit_last(append_number(s, v));
 */
static void show_digit(uint64_t v)
{
    show_number_positive(v);
    show_number_positive(v / 10);
    show_last(v);
    //@ assert letter: \forall integer s, c; s >= 0 && '0' <= c <= '9' ==> append(s, c) % 256 == c;
}

/* Two numbers behind texts that do not end in a digit: if all is the same, the numbers are, and the texts. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures same: \forall integer s, t; s >= 0 && t >= 0 && !digit_last(s) && !digit_last(t)
            && append_number(s, v) == append_number(t, w) ==> s == t && v == w;
 */
static void show_number(uint64_t v, uint64_t w)
{
    uint64_t x = v;
    uint64_t y = w;
    /*@ loop invariant link: \forall integer s, t; append_number(s, v) == append_number(t, w)
            ==> append_number(s, x) == append_number(t, y);
        loop invariant same: x == y ==> v == w;
        loop assigns x, y;
        loop variant x; */
    while (x >= 10 && y >= 10 && x % 10 == y % 10) {
        x /= 10;
        y /= 10;
    }
    show_digit(x / 10);
    show_digit(y / 10);
    show_last(x);
    show_last(y);
    /*@ assert equal: \forall integer s, t, c, d; 0 <= c < 256 && 0 <= d < 256 && append(s, c) == append(t, d)
            ==> s == t && c == d; */
    /*@ assert end: \forall integer s, t; append_number(s, v) == append_number(t, w) ==> x % 10 == y % 10
            && (x < 10 ? s : append_number(s, x / 10)) == (y < 10 ? t : append_number(t, y / 10)); */
}

/* ---- Types */

/* What stands in a unit's brackets: a multiplier that is more than one. */
/*@ requires v >= 1 && w >= 1;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures end: \forall integer s; s >= 0 ==> append_multiplier(append(s, '['), v) >= 0
            && (append_multiplier(append(s, '['), v) % 256 == '[' || digit_last(append_multiplier(append(s, '['), v)));
    ensures same: \forall integer s, t; s >= 0 && t >= 0
            && append_multiplier(append(s, '['), v) == append_multiplier(append(t, '['), w) ==> s == t && v == w;
 */
static void show_multiplier(uint64_t v, uint64_t w)
{
    //@ assert bracket: \forall integer s; s >= 0 ==> append(s, '[') >= 0 && append(s, '[') % 256 == '[';
    show_digit(v);
    show_digit(w);
    show_number(v, w);
}

/* A unit's letters, behind a bracket or a digit. */
/*@ requires SNPY_UNIT_YEAR <= u <= SNPY_UNIT_ATTOSECOND && SNPY_UNIT_YEAR <= r <= SNPY_UNIT_ATTOSECOND;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures same: \forall integer x, y; x >= 0 && y >= 0 && (x % 256 == '[' || digit_last(x))
            && (y % 256 == '[' || digit_last(y)) && append_unit_word(x, u) == append_unit_word(y, r) ==> x == y && u == r;
 */
static void show_unit_word(int u, int r)
{
    //@ assert letter: 'A' <= unit_letter(u) < 256 && unit_letter(u) != '[';
    //@ assert other: 'A' <= unit_letter(r) < 256 && unit_letter(r) != '[';
    /*@ assert one: unit_letter(u) == unit_letter(r) && (u >= SNPY_UNIT_MILLISECOND <==> r >= SNPY_UNIT_MILLISECOND)
            ==> u == r; */
    /*@ assert long: u >= SNPY_UNIT_MILLISECOND && r < SNPY_UNIT_MILLISECOND ==> \forall integer x, y; y >= 0
            && (y % 256 == '[' || digit_last(y)) ==> append_unit_word(x, u) != append_unit_word(y, r); */
    /*@ assert short: u < SNPY_UNIT_MILLISECOND && r >= SNPY_UNIT_MILLISECOND ==> \forall integer x, y; x >= 0
            && (x % 256 == '[' || digit_last(x)) ==> append_unit_word(x, u) != append_unit_word(y, r); */
    /*@ assert alike: (u >= SNPY_UNIT_MILLISECOND <==> r >= SNPY_UNIT_MILLISECOND) ==> \forall integer x, y;
            append_unit_word(x, u) == append_unit_word(y, r) ==> x == y && unit_letter(u) == unit_letter(r); */
    (void)u;
    (void)r;
}

/* A unit in its brackets, or none. */
/*@ requires SNPY_UNIT_GENERIC <= u <= SNPY_UNIT_ATTOSECOND && SNPY_UNIT_GENERIC <= r <= SNPY_UNIT_ATTOSECOND;
    requires (u != SNPY_UNIT_GENERIC ==> v >= 1) && (r != SNPY_UNIT_GENERIC ==> w >= 1);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures positive: \forall integer s; s >= 0 ==> append_unit(s, u, v) >= 0;
    ensures same: \forall integer s, t; s >= 0 && t >= 0 && s % 256 != ']' && t % 256 != ']'
            && append_unit(s, u, v) == append_unit(t, r, w) ==> s == t && u == r && (u != SNPY_UNIT_GENERIC ==> v == w);
 */
static void show_unit(int u, uint64_t v, int r, uint64_t w)
{
    /*@ assert bracket: \forall integer s, x; append(s, ']') == append(x, ']') ==> s == x; */
    //@ assert none: u == SNPY_UNIT_GENERIC ==> \forall integer s; append_unit(s, u, v) == s;
    //@ assert nor: r == SNPY_UNIT_GENERIC ==> \forall integer s; append_unit(s, r, w) == s;
    if (u != SNPY_UNIT_GENERIC) show_multiplier(v, v);
    if (u == SNPY_UNIT_GENERIC || r == SNPY_UNIT_GENERIC) return;
    show_multiplier(v, w);
    show_multiplier(w, v);
    /*@ assert words: \forall integer s, t; append_unit(s, u, v) == append_unit(t, r, w) ==>
            append_unit_word(append_multiplier(append(s, '['), v), u)
            == append_unit_word(append_multiplier(append(t, '['), w), r); */
    show_unit_word(u, r);
    /*@ assert inside: \forall integer s, t; s >= 0 && t >= 0 && append_unit(s, u, v) == append_unit(t, r, w) ==> u == r
            && append_multiplier(append(s, '['), v) == append_multiplier(append(t, '['), w); */
}

/* The letter of a kind and the number behind it. */
/*@ requires known_kind(k) && known_kind(l) && writable_size(k, v) && writable_size(l, w);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures end: \forall integer s; s >= 0 ==> append_size(append(s, k), k, v) >= 0
            && append_size(append(s, k), k, v) % 256 != ']';
    ensures same: \forall integer s, t; s >= 0 && t >= 0
            && append_size(append(s, k), k, v) == append_size(append(t, l), l, w) ==> s == t && k == l && v == w;
 */
static void show_size(int k, uint64_t v, int l, uint64_t w)
{
    uint64_t m = k == SNPY_KIND_STRING ? v / 4 : v;
    uint64_t n = l == SNPY_KIND_STRING ? w / 4 : w;
    show_digit(m);
    show_digit(n);
    show_number(m, n);
    /*@ assert letter: \forall integer s; s >= 0 ==> append(s, k) >= 0 && append(s, k) % 256 == k
            && append(s, l) >= 0 && append(s, l) % 256 == l; */
}

/* clang-format off */
#define SAME_TYPE(a, b)                                                                                      \
    ((a)->kind == (b)->kind && (a)->byteorder == (b)->byteorder && (a)->itemsize == (b)->itemsize &&         \
     (a)->unit == (b)->unit && (a)->multiplier == (b)->multiplier)
#define TYPE_TEXT(a) type_text(descr_text(1), *(a))
/* clang-format on */

/* A whole type string. */
/*@ requires \valid_read(a) && \valid_read(b) && writable_type(a) && writable_type(b);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures positive: TYPE_TEXT(a) >= 0;
    ensures same: TYPE_TEXT(a) == TYPE_TEXT(b) ==> SAME_TYPE(a, b);
 */
static void show_type(const snpy_dtype *a, const snpy_dtype *b)
{
    show_word(SNPY_WORD('{', '\'', 'd', 'e', 's', 'c', 'r', '\''));
    show_word(SNPY_WORD(':', ' ', 0, 0, 0, 0, 0, 0));
    //@ assert positive: descr_text(1) >= 0;
    show_size(a->kind, a->itemsize, b->kind, b->itemsize);
    show_size(b->kind, b->itemsize, a->kind, a->itemsize);
    show_unit(a->unit, a->multiplier, b->unit, b->multiplier);
    /*@ assert parts: TYPE_TEXT(a) == TYPE_TEXT(b) ==>
            append(append(descr_text(1), '\''), a->byteorder) == append(append(descr_text(1), '\''), b->byteorder)
            && a->kind == b->kind && a->itemsize == b->itemsize && a->unit == b->unit
            && (a->unit != SNPY_UNIT_GENERIC ==> a->multiplier == b->multiplier); */
}

/* ---- The order of axes, and the shape */

/* What is between the type and the dimensions. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures end: \forall integer s; s >= 0 ==> order_text(s, f) >= 0 && order_text(s, f) % 256 == '(';
    ensures same: \forall integer s, t; order_text(s, f) == order_text(t, g) ==> s == t && (f <==> g);
 */
static void show_order(bool f, bool g)
{
    show_word(SNPY_WORD(',', ' ', '\'', 'f', 'o', 'r', 't', 'r'));
    show_word(SNPY_WORD('a', 'n', '_', 'o', 'r', 'd', 'e', 'r'));
    show_word(SNPY_WORD('\'', ':', ' ', 0, 0, 0, 0, 0));
    show_word(SNPY_WORD('T', 'r', 'u', 'e', 0, 0, 0, 0));
    show_word(SNPY_WORD('F', 'a', 'l', 's', 'e', 0, 0, 0));
    show_word(SNPY_WORD(',', ' ', '\'', 's', 'h', 'a', 'p', 'e'));
    show_word(SNPY_WORD('\'', ':', ' ', '(', 0, 0, 0, 0));
    show_four(SNPY_WORD('\'', ':', ' ', '(', 0, 0, 0, 0));
    show_four(SNPY_WORD('T', 'r', 'u', 'e', 0, 0, 0, 0));
    show_four(SNPY_WORD('a', 'l', 's', 'e', 0, 0, 0, 0));
    /*@ assert five: \forall integer s; append_word(s, word('F', 'a', 'l', 's', 'e', 0, 0, 0))
            == append_word(append(s, 'F'), word('a', 'l', 's', 'e', 0, 0, 0, 0)); */
    /*@ assert differ: \forall integer s, t; append_word(s, word('F', 'a', 'l', 's', 'e', 0, 0, 0))
            != append_word(t, word('T', 'r', 'u', 'e', 0, 0, 0, 0)); */
    (void)f;
    (void)g;
}

/* clang-format off */
#define FRONT(h) front_of(*(h))
#define DIMS(h, k) append_dims(FRONT(h), *(h), k)
#define IS_FRONT(h) (FRONT(h) >= 0 && FRONT(h) % 256 == '(')
#define SAME_SHAPE(a, b)                                                                                     \
    ((a)->ndim == (b)->ndim && \forall integer k; 0 <= k < (a)->ndim ==> (a)->shape[k] == (b)->shape[k])
/* clang-format on */

/* What is between two dimensions. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures comma: \forall integer s; append_comma(s, k) == (k > 1 ? append(append(s, ','), ' ') : s);
 */
static void show_comma(uint32_t k)
{
    //@ assert two: \forall integer s; append_word(s, word(',', ' ', 0, 0, 0, 0, 0, 0)) == append(append(s, ','), ' ');
    (void)k;
}

/* Dimensions end in a digit. */
/*@ requires \valid_read(h) && k <= h->ndim <= SNPY_MAX_NDIM && IS_FRONT(h);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures digit: DIMS(h, k) >= 0 && (k > 0 ==> digit_last(DIMS(h, k)));
 */
static void show_digits(const snpy_header *h, uint32_t k)
{
    /*@ loop invariant range: 0 <= n <= k;
        loop invariant digit: DIMS(h, n) >= 0 && (n > 0 ==> digit_last(DIMS(h, n)));
        loop assigns n;
        loop variant k - n; */
    for (uint32_t n = 0; n < k; n++) {
        show_comma(n + 1);
        show_digit(h->shape[n]);
        //@ assert step: DIMS(h, n + 1) == append_number(append_comma(DIMS(h, n), n + 1), h->shape[n]);
    }
}

/* Two lists of dimensions. */
/*@ requires \valid_read(a) && \valid_read(b) && a->ndim <= SNPY_MAX_NDIM && b->ndim <= SNPY_MAX_NDIM;
    requires IS_FRONT(a) && IS_FRONT(b) && DIMS(a, a->ndim) == DIMS(b, b->ndim);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures same: FRONT(a) == FRONT(b) && SAME_SHAPE(a, b);
 */
static void show_dims(const snpy_header *a, const snpy_header *b)
{
    uint32_t i = a->ndim;
    uint32_t j = b->ndim;
    show_digits(a, i);
    show_digits(b, j);
    /*@ loop invariant range: 0 <= i <= a->ndim && 0 <= j <= b->ndim && a->ndim - i == b->ndim - j;
        loop invariant link: DIMS(a, i) == DIMS(b, j);
        loop invariant left: DIMS(a, i) >= 0 && (i > 0 ==> digit_last(DIMS(a, i)));
        loop invariant right: DIMS(b, j) >= 0 && (j > 0 ==> digit_last(DIMS(b, j)));
        loop invariant same: i == j ==> \forall integer k; i <= k < a->ndim ==> a->shape[k] == b->shape[k];
        loop assigns i, j;
        loop variant i; */
    while (i > 0 && j > 0) {
        show_comma(i);
        show_comma(j);
        show_digits(a, i - 1);
        show_digits(b, j - 1);
        show_number(a->shape[i - 1], b->shape[j - 1]);
        //@ assert left: DIMS(a, i) == append_number(append_comma(DIMS(a, i - 1), i), a->shape[i - 1]);
        //@ assert right: DIMS(b, j) == append_number(append_comma(DIMS(b, j - 1), j), b->shape[j - 1]);
        //@ assert commas: append_comma(DIMS(a, i - 1), i) == append_comma(DIMS(b, j - 1), j);
        //@ assert both: i > 1 <==> j > 1;
        i--;
        j--;
    }
}

/* ---- Headers */

/* Two texts up to their braces. */
/*@ requires \valid_read(a) && \valid_read(b) && a->ndim <= SNPY_MAX_NDIM && b->ndim <= SNPY_MAX_NDIM;
    requires writable_type(&a->dtype) && writable_type(&b->dtype) && whole_of(*a) == whole_of(*b);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures same: SAME_TYPE(&a->dtype, &b->dtype) && (a->fortran_order <==> b->fortran_order) && SAME_SHAPE(a, b);
 */
static void show_whole(const snpy_header *a, const snpy_header *b)
{
    show_word(SNPY_WORD(')', ',', ' ', '}', 0, 0, 0, 0));
    show_type(&a->dtype, &b->dtype);
    show_type(&b->dtype, &a->dtype);
    show_order(a->fortran_order, b->fortran_order);
    show_order(b->fortran_order, a->fortran_order);
    //@ assert fronts: IS_FRONT(a) && IS_FRONT(b);
    show_digits(a, a->ndim);
    show_digits(b, b->ndim);
    //@ assert dims: DIMS(a, a->ndim) == DIMS(b, b->ndim);
    show_dims(a, b);
}

/* Where the spaces at the end of n bytes begin. */
/*@ requires \valid_read(p + (0 .. n-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result <= n && (\result > 0 ==> p[\result - 1] != ' ');
    ensures spaces: are_spaces(p, \result, n);
 */
static size_t find_spaces(const uint8_t *p, size_t n)
{
    size_t c = n;
    /*@ loop invariant range: 0 <= c <= n;
        loop invariant spaces: are_spaces(p, c, n);
        loop assigns c;
        loop variant c; */
    while (c > 0 && p[c - 1] == ' ') c--;
    return c;
}

/* Where a text has no space at its end, none is left of those that it had. */
/*@ requires \valid_read(p + (0 .. c-1)) && \valid_read(h) && (c > 0 ==> p[c - 1] != ' ');
    requires text(p, c) == append_spaces(whole_of(*h), growth_length(*h) - gone);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures whole: text(p, c) == whole_of(*h);
 */
static void show_no_space(const uint8_t *p, size_t c, size_t gone, const snpy_header *h)
{
    //@ assert last: c > 0 ==> text(p, c) == append(text(p, c - 1), p[c - 1]);
    //@ assert none: growth_length(*h) - gone <= 0;
    (void)p;
    (void)c;
    (void)gone;
    (void)h;
}

/* In front of them is the text up to its brace. */
/*@ requires \valid_read(p + (0 .. n-1)) && \valid_read(h) && text(p, n) == simple_text(1, *h);
    requires c <= n && are_spaces(p, c, n) && (c > 0 ==> p[c - 1] != ' ');
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures whole: text(p, c) == whole_of(*h);
 */
static void show_spaces(const uint8_t *p, size_t n, size_t c, const snpy_header *h)
{
    size_t k = n;
    show_four(SNPY_WORD(')', ',', ' ', '}', 0, 0, 0, 0));
    /*@ loop invariant range: c <= k <= n;
        loop invariant rest: text(p, k) == append_spaces(whole_of(*h), growth_length(*h) - (n - k));
        loop assigns k;
        loop variant k; */
    while (k > c) {
        //@ assert space: p[k - 1] == ' ';
        //@ assert step: text(p, k) == append(text(p, k - 1), p[k - 1]);
        //@ assert more: growth_length(*h) - (n - k) > 0;
        k--;
    }
    show_no_space(p, c, n - c, h);
}

/* It ends in a brace. */
/*@ requires \valid_read(p + (0 .. c-1)) && \valid_read(h) && text(p, c) == whole_of(*h);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures brace: c > 0 && p[c - 1] == '}';
 */
static void show_brace(const uint8_t *p, size_t c, const snpy_header *h)
{
    show_four(SNPY_WORD(')', ',', ' ', '}', 0, 0, 0, 0));
    /*@ assert end: text(p, c)
            == append(append(append(append(append_shape(front_of(*h), *h), ')'), ','), ' '), '}'); */
    //@ assert some: c > 0;
    //@ assert last: text(p, c) == append(text(p, c - 1), p[c - 1]);
    (void)p;
    (void)c;
    (void)h;
}

/* The theorem: of one text there is one header. A text as snpy_write_header leaves it has n bytes in front of its
 * newline, of which the first are the canonical text of the header and the rest are spaces. */
/*@ requires \valid_read(p + (0 .. n-1)) && \valid_read(a) && \valid_read(b);
    requires a->ndim <= SNPY_MAX_NDIM && b->ndim <= SNPY_MAX_NDIM;
    requires writable_type(&a->dtype) && writable_type(&b->dtype);
    requires k <= n && text(p, k) == simple_text(1, *a) && are_spaces(p, k, n);
    requires m <= n && text(p, m) == simple_text(1, *b) && are_spaces(p, m, n);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_WRITE_009: SAME_TYPE(&a->dtype, &b->dtype) && (a->fortran_order <==> b->fortran_order) && SAME_SHAPE(a, b);
 */
void theorem_apart(const uint8_t *p, size_t n, size_t k, const snpy_header *a, size_t m, const snpy_header *b)
{
    size_t i = find_spaces(p, k);
    size_t j = find_spaces(p, m);
    show_spaces(p, k, i, a);
    show_spaces(p, m, j, b);
    show_brace(p, i, a);
    show_brace(p, j, b);
    //@ assert one: i == j;
    show_whole(a, b);
    (void)n;
    (void)i;
    (void)j;
}
