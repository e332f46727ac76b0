/* write.c: a text is what its number says, which the contracts of the writer speak of.
 * Proves that two texts of the same number are of the same length, and equal in each byte. */
#include "core/pen.h"

/* No text is less than the empty one. */
/*@ requires \valid_read(p + (0 .. n-1));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures positive: text(p, n) >= 1;
 */
static void show_positive(const uint8_t *p, size_t n)
{
    /*@ loop invariant range: 0 <= k <= n;
        loop invariant positive: text(p, k) >= 1;
        loop assigns k;
        loop variant n - k; */
    for (size_t k = 0; k < n; k++) {
        //@ assert step: text(p, k + 1) == append(text(p, k), p[k]);
    }
    (void)p;
}

/* Two texts of the same number are equally long. */
/*@ requires \valid_read(p + (0 .. n-1)) && \valid_read(q + (0 .. m-1)) && text(p, n) == text(q, m);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures length: n == m;
 */
static void show_same_length(const uint8_t *p, size_t n, const uint8_t *q, size_t m)
{
    size_t i = n;
    size_t j = m;
    /*@ loop invariant range: 0 <= i <= n && 0 <= j <= m && n - i == m - j;
        loop invariant same: text(p, i) == text(q, j);
        loop assigns i, j;
        loop variant i; */
    while (i > 0 && j > 0) {
        //@ assert step: text(p, i) == append(text(p, i - 1), p[i - 1]) && text(q, j) == append(text(q, j - 1), q[j - 1]);
        i--;
        j--;
    }
    if (i > 0) show_positive(p, i - 1);
    if (j > 0) show_positive(q, j - 1);
    //@ assert last: i > 0 ==> text(p, i) == append(text(p, i - 1), p[i - 1]);
    //@ assert other: j > 0 ==> text(q, j) == append(text(q, j - 1), q[j - 1]);
}

/* The theorem: and equal in each byte. */
/*@ requires \valid_read(p + (0 .. n-1)) && \valid_read(q + (0 .. m-1)) && text(p, n) == text(q, m);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_WRITE_009: n == m && \forall integer k; 0 <= k < n ==> p[k] == q[k];
 */
void theorem_same_text(const uint8_t *p, size_t n, const uint8_t *q, size_t m)
{
    size_t i = n;
    show_same_length(p, n, q, m);
    /*@ loop invariant range: 0 <= i <= n;
        loop invariant same: text(p, i) == text(q, i);
        loop invariant bytes: \forall integer k; i <= k < n ==> p[k] == q[k];
        loop assigns i;
        loop variant i; */
    while (i > 0) {
        //@ assert step: text(p, i) == append(text(p, i - 1), p[i - 1]) && text(q, i) == append(text(q, i - 1), q[i - 1]);
        i--;
    }
}
