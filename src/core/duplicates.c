/* duplicates.c: finds equal names by sorting all names. To compare each with each would take quadratic time on a
 * hostile header.                                                                                         NPY-DTYPE-012
 * Proves that the sort stays inside its column. layout.c marks padding before.
 *
 * A key is twice an entry, plus 0 for its title or 1 for its name: ascending keys are in the order of the text. The
 * array of keys is in two columns of the table, first sort_low_, then sort_high_. */
#include "core/duplicates.h"

/*@ predicate spans_ok(snpy_field *t, integer count, integer length) =
        \forall integer k; 0 <= k < count ==> t[k].name_offset + t[k].name_length <= length
        && t[k].title_offset + t[k].title_length <= length;

    logic integer key_at(snpy_field *t, integer count, integer k) =
        k < count ? t[k].sort_low_ : t[k - count].sort_high_;

    predicate keys_ok(snpy_field *t, integer used, integer count) =
        \forall integer k; 0 <= k < used ==> 0 <= key_at(t, count, k) < 2 * count; */

/* Returns key number k of the array. */
/*@ requires \valid_read(fields + (0 .. count-1)) && k < 2 * count && count <= SNPY_MAX_FIELDS;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures key: \result == key_at(fields, count, k);
 */
static inline int32_t get_key(const snpy_field *fields, size_t count, size_t k)
{
    return k < count ? fields[k].sort_low_ : fields[k - count].sort_high_;
}

/* Sets key number k of the array. */
/*@ requires \valid(fields + (0 .. count-1)) && k < 2 * count && count <= SNPY_MAX_FIELDS;
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    ensures key: key_at(fields, count, k) == key;
    ensures rest: \forall integer j; 0 <= j < 2 * count && j != k ==>
            key_at(fields, count, j) == \old(key_at(fields, count, j));
 */
static inline void set_key(snpy_field *fields, size_t count, size_t k, int32_t key)
{
    if (k < count)
        fields[k].sort_low_ = key;
    else
        fields[k - count].sort_high_ = key;
}

/* The span of a name or title in the text. */
struct span {
    size_t pos;
    size_t end;
};

/* Sets *span to the name or title that a key stands for. */
/*@ requires \valid_read(fields + (0 .. count-1)) && spans_ok(fields, count, length) && 0 <= key < 2 * count;
    requires length <= SNPY_MAX_TEXT && \valid(span) && \separated(span, fields + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns span->pos, span->end;
    ensures range: span->pos <= span->end <= length;
 */
static void span_of(const snpy_field *fields, size_t count, size_t length, int32_t key, struct span *span)
{
    const snpy_field *field = &fields[key / 2];
    (void)count;
    (void)length; /* used in the contract only */
    span->pos = key % 2 == 1 ? field->name_offset : field->title_offset;
    span->end = span->pos + (key % 2 == 1 ? field->name_length : field->title_length);
}

/* Compares two names code point by code point; a prefix sorts before what it begins. Returns -1, 0 or 1. */
/*@ requires text_ok(text, length) && \valid_read(a) && \valid_read(b);
    requires a->pos <= a->end <= length && b->pos <= b->end <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: -1 <= \result <= 1;
 */
static int compare_names(const uint8_t *text, size_t length, snpy_name_encoding encoding, const struct span *a,
                         const struct span *b)
{
    size_t i = a->pos;
    size_t j = b->pos;
    uint32_t left = 0;
    uint32_t right = 0;
    (void)length;
    /*@ loop invariant range: a->pos <= i <= a->end && b->pos <= j <= b->end;
        loop assigns i, j, left, right;
        loop variant a->end - i; */
    while (i < a->end && j < b->end) {
        size_t step = snpy_name_next(text, a->end, i, encoding, &left);
        size_t other = snpy_name_next(text, b->end, j, encoding, &right);
        if (left != right) return left < right ? -1 : 1;
        if (step == 0 || other == 0) return 0; /* not a name: the parser has refused it */
        i += step;
        j += other;
    }
    if (i < a->end) return 1;
    return j < b->end ? -1 : 0;
}

/* Compares two keys by parent, then by name. Returns -1, 0 or 1. */
/*@ requires text_ok(text, length) && \valid_read(fields + (0 .. count-1)) && spans_ok(fields, count, length);
    requires 0 <= a < 2 * count && 0 <= b < 2 * count && count <= SNPY_MAX_FIELDS;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: -1 <= \result <= 1;
 */
static int compare_keys(const uint8_t *text, size_t length, snpy_name_encoding encoding, const snpy_field *fields,
                        size_t count, int32_t a, int32_t b)
{
    struct span left = {0, 0};
    struct span right = {0, 0};
    uint32_t parent = fields[a / 2].parent;
    uint32_t other = fields[b / 2].parent;
    if (parent != other) return parent < other ? -1 : 1;
    span_of(fields, count, length, a, &left);
    span_of(fields, count, length, b, &right);
    return compare_names(text, length, encoding, &left, &right);
}

/* Whether a key sorts before another; equal names are in the order of the text. */
/*@ requires text_ok(text, length) && \valid_read(fields + (0 .. count-1)) && spans_ok(fields, count, length);
    requires 0 <= a < 2 * count && 0 <= b < 2 * count && count <= SNPY_MAX_FIELDS;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_before(const uint8_t *text, size_t length, snpy_name_encoding encoding, const snpy_field *fields,
                      size_t count, int32_t a, int32_t b)
{
    int order = compare_keys(text, length, encoding, fields, count, a, b);
    return order < 0 || (order == 0 && a < b);
}

/* Exchanges two keys. */
/*@ requires \valid(fields + (0 .. count-1)) && a < total <= 2 * count && b < total && count <= SNPY_MAX_FIELDS;
    requires keys: keys_ok(fields, total, count);
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    ensures keys: keys_ok(fields, total, count);
 */
static void swap_keys(snpy_field *fields, size_t count, size_t a, size_t b, size_t total)
{
    int32_t key = get_key(fields, count, a);
    (void)total; /* used in the contract only */
    set_key(fields, count, a, get_key(fields, count, b));
    set_key(fields, count, b, key);
}

/* A step of heap sort: moves the key at `root` down, among the first `used`, until both below it sort before it. */
/*@ requires text_ok(text, length) && \valid(fields + (0 .. count-1)) && spans_ok(fields, count, length);
    requires root < used <= 2 * count <= 2 * SNPY_MAX_FIELDS;
    requires \separated(text + (0 .. length-1), fields + (0 .. count-1));
    requires keys: keys_ok(fields, total, count) && used <= total <= 2 * count;
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    ensures keys: keys_ok(fields, total, count);
 */
static void sift_down(const uint8_t *text, size_t length, snpy_name_encoding encoding, snpy_field *fields, size_t count,
                      size_t root, size_t used, size_t total)
{
    size_t at = root;
    /*@ loop invariant range: root <= at < used;
        loop invariant keys: keys_ok(fields, total, count);
        loop assigns at, fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
        loop variant used - at; */
    while (at < used / 2) {
        size_t child = 2 * at + 1;
        if (child + 1 < used && is_before(text, length, encoding, fields, count, get_key(fields, count, child),
                                          get_key(fields, count, child + 1)))
            child++;
        int32_t upper = get_key(fields, count, at);
        int32_t lower = get_key(fields, count, child);
        if (!is_before(text, length, encoding, fields, count, upper, lower)) return;
        swap_keys(fields, count, at, child, total);
        at = child;
    }
}

/* Fills the array with the keys of all names and titles. Returns how many there are. */
/*@ requires count <= SNPY_MAX_FIELDS && \valid(fields + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    ensures keys: \result <= 2 * count && keys_ok(fields, \result, count);
 */
static size_t collect_keys(snpy_field *fields, size_t count)
{
    size_t used = 0;
    /*@ loop invariant range: 0 <= i <= count && used <= 2 * i;
        loop invariant keys: keys_ok(fields, used, count);
        loop assigns i, used, fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
        loop variant count - i; */
    for (size_t i = 0; i < count; i++) {
        if (!fields[i].has_name || fields[i].is_padding) continue;
        if (fields[i].has_title) set_key(fields, count, used++, (int32_t)(2 * i));
        set_key(fields, count, used++, (int32_t)(2 * i + 1));
    }
    return used;
}

/* Sorts all keys: builds the heap, then moves the greatest key to the end, again and again. */
/*@ requires text_ok(text, length) && \valid(fields + (0 .. count-1)) && spans_ok(fields, count, length);
    requires used <= 2 * count <= 2 * SNPY_MAX_FIELDS && \separated(text + (0 .. length-1), fields + (0 .. count-1));
    requires keys: keys_ok(fields, used, count);
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    ensures keys: keys_ok(fields, used, count);
 */
static void sort_keys(const uint8_t *text, size_t length, snpy_name_encoding encoding, snpy_field *fields, size_t count,
                      size_t used)
{
    /*@ loop invariant range: 0 <= i <= used / 2;
        loop invariant keys: keys_ok(fields, used, count);
        loop assigns i, fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
        loop variant i; */
    for (size_t i = used / 2; i > 0; i--) sift_down(text, length, encoding, fields, count, i - 1, used, used);
    /*@ loop invariant range: 0 <= end <= used;
        loop invariant keys: keys_ok(fields, used, count);
        loop assigns end, fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
        loop variant end; */
    for (size_t end = used; end > 1; end--) {
        swap_keys(fields, count, 0, end - 1, used);
        sift_down(text, length, encoding, fields, count, 0, end - 1, used);
    }
}

int32_t snpy_find_duplicate(const uint8_t *text, size_t length, snpy_name_encoding encoding, snpy_field *fields,
                            size_t count)
{
    int32_t first = SNPY_NO_DUPLICATE;
    size_t used = collect_keys(fields, count);
    sort_keys(text, length, encoding, fields, count, used);
    /*@ loop invariant range: 1 <= i && (i <= used || used == 0);
        loop invariant first: first == SNPY_NO_DUPLICATE || 0 <= first < 2 * count;
        loop assigns i, first;
        loop variant used - i; */
    for (size_t i = 1; i < used; i++) {
        int32_t key = get_key(fields, count, i);
        if (key < first && compare_keys(text, length, encoding, fields, count, get_key(fields, count, i - 1), key) == 0)
            first = key;
    }
    return first;
}
