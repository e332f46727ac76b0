/* number_text.c: Decimals and fractions in text.                                                       NPY-PKL-013
 * Proves that they end. Leaves numbers that opcodes write to opcode.c. */
#include "core/object/arguments.h"

#define MOST_EXPONENT 9u  /* digits */
#define MOST_DIGITS 4300u /* of a numerator or denominator, as Python reads them */

/* Reads the digits after a point, if there is one. Returns false if none follows. */
/*@ requires \valid(leaf) && leaf_ok(pickle, *leaf) && \separated(leaf, pickle + (0 .. leaf->end - 1));
    terminates \true;
    exits \false;
    assigns leaf->pos, leaf->point;
    ensures leaf: leaf_ok(pickle, *leaf);
 */
static bool take_places(const uint8_t *pickle, struct snpy_leaf *leaf)
{
    return !snpy_leaf_take(pickle, leaf, '.') || snpy_leaf_take_digits(pickle, leaf) > 0;
}

/* Reads an exponent, if there is one. Returns false if it has no digits, or too many. */
/*@ requires \valid(leaf) && leaf_ok(pickle, *leaf) && \separated(leaf, pickle + (0 .. leaf->end - 1));
    terminates \true;
    exits \false;
    assigns leaf->pos, leaf->point;
    ensures leaf: leaf_ok(pickle, *leaf);
 */
static bool take_exponent(const uint8_t *pickle, struct snpy_leaf *leaf)
{
    if (!snpy_leaf_take(pickle, leaf, 'E')) return true;
    if (!snpy_leaf_take(pickle, leaf, '+')) (void)snpy_leaf_take(pickle, leaf, '-');
    uint64_t digits = snpy_leaf_take_digits(pickle, leaf);
    return digits > 0 && digits <= MOST_EXPONENT;
}

/* Reads NaN or sNaN with its digits. */
/*@ requires \valid(leaf) && leaf_ok(pickle, *leaf) && \separated(leaf, pickle + (0 .. leaf->end - 1));
    terminates \true;
    exits \false;
    assigns leaf->pos, leaf->point;
    ensures leaf: leaf_ok(pickle, *leaf);
 */
static bool take_nan(const uint8_t *pickle, struct snpy_leaf *leaf)
{
    (void)snpy_leaf_take(pickle, leaf, 's');
    if (!snpy_leaf_take_word(pickle, leaf, SNPY_WORD_NAN)) return false;
    (void)snpy_leaf_take_digits(pickle, leaf);
    return true;
}

bool snpy_is_decimal(const uint8_t *pickle, struct snpy_leaf leaf)
{
    bool is_whole = true;
    (void)snpy_leaf_take(pickle, &leaf, '-');
    if (leaf.point == 'I') {
        is_whole = snpy_leaf_take_word(pickle, &leaf, SNPY_WORD_INFINITY);
    } else if (leaf.point == 's' || leaf.point == 'N') {
        is_whole = take_nan(pickle, &leaf);
    } else {
        is_whole =
            snpy_leaf_take_digits(pickle, &leaf) > 0 && take_places(pickle, &leaf) && take_exponent(pickle, &leaf);
    }
    return is_whole && leaf.point == SNPY_LEAF_END;
}

/* Reads an integer that does not begin with 0. */
/*@ requires \valid(leaf) && leaf_ok(pickle, *leaf) && \separated(leaf, pickle + (0 .. leaf->end - 1));
    terminates \true;
    exits \false;
    assigns leaf->pos, leaf->point;
    ensures leaf: leaf_ok(pickle, *leaf);
 */
static bool take_positive(const uint8_t *pickle, struct snpy_leaf *leaf)
{
    if (leaf->point == '0') return false;
    uint64_t digits = snpy_leaf_take_digits(pickle, leaf);
    return digits > 0 && digits <= MOST_DIGITS;
}

bool snpy_is_fraction(const uint8_t *pickle, struct snpy_leaf leaf)
{
    if (!snpy_leaf_take(pickle, &leaf, '0')) {
        (void)snpy_leaf_take(pickle, &leaf, '-');
        if (!take_positive(pickle, &leaf)) return false;
    }
    if (snpy_leaf_take(pickle, &leaf, '/') && !take_positive(pickle, &leaf)) return false;
    return leaf.point == SNPY_LEAF_END;
}
