/* duplicates.c: finds equal names by sorting all names. To compare each with each would take quadratic time on a
 * hostile header.                                                                                         NPY-DTYPE-012
 * Proves that the sort sorts, and that no equal names are missed. layout.c marks padding before.
 *
 * A key is twice an entry, plus 0 for its title or 1 for its name: ascending keys are in the order of the text. The
 * array of keys is in two columns of the table, first sort_low_, then sort_high_. */
#include "core/duplicates.h"

/* clang-format off */
/*@ predicate spans_ok(snpy_field *t, integer count, integer length) =
        \forall integer k; 0 <= k < count ==> t[k].name_offset + t[k].name_length <= length
        && t[k].title_offset + t[k].title_length <= length;

    logic integer key_at(snpy_field *t, integer count, integer k) =
        k < count ? t[k].sort_low_ : t[k - count].sort_high_;

    // the array has names and titles only, each of them, and none twice
    predicate keys_ok(snpy_field *t, integer used, integer count) =
        \forall integer k; 0 <= k < used ==> 0 <= key_at(t, count, k) < 2 * count && is_key(t, key_at(t, count, k));
    predicate keys_differ(snpy_field *t, integer used, integer count) =
        \forall integer i, j; 0 <= i < j < used ==> key_at(t, count, i) != key_at(t, count, j);
    predicate has_key(snpy_field *t, integer used, integer count, integer key) =
        \exists integer i; 0 <= i < used && key_at(t, count, i) == key;
    predicate keys_whole(snpy_field *t, integer used, integer count, integer limit) =
        \forall integer key; 0 <= key < limit && is_key(t, key) ==> has_key(t, used, count, key);

    // the order that is sorted by: of equal names the first comes first
    logic integer full_order(uint8_t *text, integer e, snpy_field *t, integer a, integer b) =
        order_of_keys(text, e, t, a, b) != 0 ? order_of_keys(text, e, t, a, b) : a - b;
    predicate up_to(uint8_t *text, integer e, snpy_field *t, integer count, integer i, integer j) =
        full_order(text, e, t, key_at(t, count, i), key_at(t, count, j)) <= 0;

    // each key from `root` on sorts after the two below it, but for that at `gap`
    predicate below(uint8_t *text, integer e, snpy_field *t, integer count, integer p, integer used) =
        (2 * p + 1 < used ==> up_to(text, e, t, count, 2 * p + 1, p))
        && (2 * p + 2 < used ==> up_to(text, e, t, count, 2 * p + 2, p));
    predicate heap(uint8_t *text, integer e, snpy_field *t, integer count, integer root, integer used, integer gap) =
        \forall integer p; root <= p < used && p != gap ==> below(text, e, t, count, p, used);
    // the keys from `from` on are in order, and after all before them
    predicate sorted(uint8_t *text, integer e, snpy_field *t, integer count, integer from, integer used) =
        \forall integer i, j; 0 <= i < j && from <= j < used ==> up_to(text, e, t, count, i, j);
    predicate are_neighbours(uint8_t *text, integer e, snpy_field *t, integer count, integer i) =
        order_of_keys(text, e, t, key_at(t, count, i - 1), key_at(t, count, i)) == 0;
*/
/* clang-format on */

/* clang-format off */
#define KEYS_OK(clause, total)                  \
    clause keys: keys_ok(fields, total, count); \
    clause differ: keys_differ(fields, total, count); \
    clause whole: keys_whole(fields, total, count, 2 * count);
#define UP_TO(i, j) up_to(text, encoding, fields, count, i, j)
#define BELOW(p, used) below(text, encoding, fields, count, p, used)
#define NEIGHBOURS(i) are_neighbours(text, encoding, fields, count, i)
#define HEAP(root, used, gap) heap(text, encoding, fields, count, root, used, gap)
#define SORTED(from, used) sorted(text, encoding, fields, count, from, used)
#define ORDER(a, b) full_order(text, encoding, fields, a, b)
#define KEYS_GIVEN                                                                                           \
    (text_ok(text, length) && \valid_read(fields + (0 .. count - 1)) && count <= SNPY_MAX_FIELDS &&          \
     spans_ok(fields, count, length))
/* clang-format on */

/* for ghosts */
#define KEY_POS(a) ((a) % 2 == 1 ? fields[(a) / 2].name_offset : fields[(a) / 2].title_offset)
#define KEY_END(a)                                                                      \
    ((a) % 2 == 1 ? (size_t)(fields[(a) / 2].name_offset + fields[(a) / 2].name_length) \
                  : (size_t)(fields[(a) / 2].title_offset + fields[(a) / 2].title_length))
#define KEY_AT(k) ((k) < count ? fields[k].sort_low_ : fields[(k)-count].sort_high_)

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
    ensures span: span->pos == start_of_key(fields, key) && span->end == end_of_key(fields, key);
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
    ensures before: \result < 0 <==> order_of_names(text, a->end, a->pos, encoding, text, b->end, b->pos, encoding) < 0;
    ensures after: \result > 0 <==> order_of_names(text, a->end, a->pos, encoding, text, b->end, b->pos, encoding) > 0;
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
        loop invariant order: order_of_names(text, a->end, i, encoding, text, b->end, j, encoding)
                              == order_of_names(text, a->end, a->pos, encoding, text, b->end, b->pos, encoding);
        loop assigns i, j, left, right;
        loop variant a->end - i; */
    while (i < a->end && j < b->end) {
        size_t step = snpy_name_next(text, a->end, i, encoding, &left);
        size_t other = snpy_name_next(text, b->end, j, encoding, &right);
        if (step == 0 || other == 0) return (other == 0 ? 0 : -1) + (step == 0 ? 0 : 1); /* the parser has refused it */
        if (left != right) return left < right ? -1 : 1;
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
    ensures before: \result < 0 <==> order_of_keys(text, encoding, fields, a, b) < 0;
    ensures after: \result > 0 <==> order_of_keys(text, encoding, fields, a, b) > 0;
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

/* Ghost lemmas: the order of keys is antisymmetric and transitive. */
/*@ ghost
    /@ requires KEYS_GIVEN && 0 <= a < 2 * count && 0 <= b < 2 * count;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures mirror: ORDER(b, a) == -ORDER(a, b); @/
    static void show_mirrored(const uint8_t *text, size_t length, snpy_name_encoding encoding, const snpy_field *fields,
                              size_t count, int32_t a, int32_t b)
    {
        size_t i = KEY_POS(a);
        size_t j = KEY_POS(b);
        size_t n = KEY_END(a);
        size_t m = KEY_END(b);
        /@ assert first: i == start_of_key(fields, a) && n == end_of_key(fields, a); @/
        /@ assert second: j == start_of_key(fields, b) && m == end_of_key(fields, b); @/
        show_mirror(text, n, i, encoding, text, m, j, encoding);
        /@ assert mirror: order_of_keys(text, encoding, fields, b, a)
                          == -order_of_keys(text, encoding, fields, a, b); @/
    }

    /@ requires KEYS_GIVEN && 0 <= a < 2 * count && 0 <= b < 2 * count && 0 <= c < 2 * count;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures chain: ORDER(a, b) <= 0 && ORDER(b, c) <= 0 ==> ORDER(a, c) <= 0;
       ensures equal: ORDER(a, b) <= 0 && ORDER(b, c) <= 0 && order_of_keys(text, encoding, fields, a, c) == 0 ==>
               order_of_keys(text, encoding, fields, b, c) == 0; @/
    static void show_chained(const uint8_t *text, size_t length, snpy_name_encoding encoding, const snpy_field *fields,
                             size_t count, int32_t a, int32_t b, int32_t c)
    {
        show_chain(text, KEY_END(a), KEY_POS(a), encoding, text, KEY_END(b), KEY_POS(b), encoding,
                   text, KEY_END(c), KEY_POS(c), encoding);
    }
*/

/* Whether a key sorts before another; equal names are in the order of the text. */
/*@ requires KEYS_GIVEN && 0 <= a < 2 * count && 0 <= b < 2 * count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures before: \result <==> ORDER(a, b) < 0;
    ensures after: \result <==> ORDER(b, a) > 0;
 */
static bool is_before(const uint8_t *text, size_t length, snpy_name_encoding encoding, const snpy_field *fields,
                      size_t count, int32_t a, int32_t b)
{
    int order = compare_keys(text, length, encoding, fields, count, a, b);
    //@ ghost show_mirrored(text, length, encoding, fields, count, a, b);
    return order < 0 || (order == 0 && a < b);
}

/* Exchanges two keys. */
/*@ requires \valid(fields + (0 .. count-1)) && a < total <= 2 * count && b < total && count <= SNPY_MAX_FIELDS;
    KEYS_OK(requires, total)
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    KEYS_OK(ensures, total)
    ensures swap: key_at(fields, count, a) == \old(key_at(fields, count, b))
            && key_at(fields, count, b) == \old(key_at(fields, count, a));
    ensures rest: \forall integer j; 0 <= j < 2 * count && j != a && j != b ==>
            key_at(fields, count, j) == \old(key_at(fields, count, j));
 */
static void swap_keys(snpy_field *fields, size_t count, size_t a, size_t b, size_t total)
{
    int32_t key = get_key(fields, count, a);
    (void)total; /* used in the contract only */
    set_key(fields, count, a, get_key(fields, count, b));
    set_key(fields, count, b, key);
    /*@ assert differ_a: \forall integer j; 0 <= j < total && j != a ==>
                         key_at(fields, count, j) != key_at(fields, count, a); */
    /*@ assert differ_b: \forall integer j; 0 <= j < total && j != b ==>
                         key_at(fields, count, j) != key_at(fields, count, b); */
    /*@ assert differ_rest: \forall integer i, j; 0 <= i < j < total && i != a && i != b && j != a && j != b ==>
                            key_at(fields, count, i) != key_at(fields, count, j); */
    //@ assert first: has_key(fields, total, count, \at(key_at(fields, count, a), Pre));
    //@ assert second: has_key(fields, total, count, \at(key_at(fields, count, b), Pre));
    /*@ assert rest: \forall integer j; 0 <= j < total && j != a && j != b ==>
                     has_key(fields, total, count, \at(key_at(fields, count, j), Pre)); */
    /*@ assert each: \forall integer j; 0 <= j < total ==>
                     has_key(fields, total, count, \at(key_at(fields, count, j), Pre)); */
    //@ assert all: \forall integer key; has_key{Pre}(fields, total, count, key) ==> has_key(fields, total, count, key);
}

/* Returns which of the one or two keys below `at` sorts last. */
/*@ requires KEYS_GIVEN && 2 * at + 1 < used <= 2 * count && keys_ok(fields, used, count);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures child: at < \result < used && (\result == 2 * at + 1 || \result == 2 * at + 2);
    ensures left: UP_TO(2 * at + 1, \result);
    ensures right: 2 * at + 2 < used ==> UP_TO(2 * at + 2, \result);
 */
static size_t greater_child(const uint8_t *text, size_t length, snpy_name_encoding encoding, const snpy_field *fields,
                            size_t count, size_t at, size_t used)
{
    size_t child = 2 * at + 1;
    int32_t left = get_key(fields, count, child);
    //@ ghost show_mirrored(text, length, encoding, fields, count, left, left);
    if (child + 1 == used) return child;
    int32_t right = get_key(fields, count, child + 1);
    //@ ghost show_mirrored(text, length, encoding, fields, count, right, right);
    return is_before(text, length, encoding, fields, count, left, right) ? child + 1 : child;
}

/* Ghost lemma: a heap without a gap. */
/*@ ghost
    /@ requires KEYS_GIVEN && at < used <= 2 * count && HEAP(root, used, at);
       requires below: BELOW(at, used);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures heap: HEAP(root, used, -1); @/
    static void show_heap(const uint8_t *text, size_t length, snpy_name_encoding encoding, const snpy_field *fields,
                          size_t count, size_t root, size_t used, size_t at)
    {
        /@ loop invariant range: root <= p && (p <= used || p == root);
           loop invariant heap: \forall integer q; root <= q < p ==> BELOW(q, used);
           loop assigns p;
           loop variant used - p; @/
        for (size_t p = root; p < used; p++) {
            /@ assert below: BELOW(p, used); @/
            ;
        }
    } */

/* Exchanges a key with the greater one below it. */
/*@ requires KEYS_GIVEN && \valid(fields + (0 .. count-1)) && root <= at < child < used <= total <= 2 * count;
    requires \separated(text + (0 .. length-1), fields + (0 .. count-1));
    KEYS_OK(requires, total)
    requires child: child == 2 * at + 1 || child == 2 * at + 2;
    requires up: at == root || (root <= up && (at == 2 * up + 1 || at == 2 * up + 2));
    requires heap: HEAP(root, used, at);
    requires sorted: SORTED(used, total);
    requires greater: UP_TO(at, child);
    requires left: UP_TO(2 * at + 1, child);
    requires right: 2 * at + 2 < used ==> UP_TO(2 * at + 2, child);
    requires over: at != root ==> UP_TO(child, up);
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    KEYS_OK(ensures, total)
    ensures heap: HEAP(root, used, child);
    ensures sorted: SORTED(used, total);
    ensures left: 2 * child + 1 < used ==> UP_TO(2 * child + 1, at);
    ensures right: 2 * child + 2 < used ==> UP_TO(2 * child + 2, at);
 */
static void sink_key(const uint8_t *text, size_t length, snpy_name_encoding encoding, snpy_field *fields, size_t count,
                     size_t at, size_t child, size_t total) /*@ ghost (size_t root, size_t up, size_t used) */
{
    //@ assert last: BELOW(child, used);
    //@ assert over: at != root ==> BELOW(up, used);
    (void)text; /* used in the contract only */
    (void)length;
    (void)encoding;
    swap_keys(fields, count, at, child, total);
    //@ assert first: UP_TO(child, at);
    //@ assert low_left: child == 2 * at + 1 && 2 * at + 2 < used ==> UP_TO(2 * at + 2, at);
    //@ assert low_right: child == 2 * at + 2 ==> UP_TO(2 * at + 1, at);
    //@ assert below: BELOW(at, used);
    //@ assert sorted_at: \forall integer j; used <= j < total ==> UP_TO(at, j);
    //@ assert sorted_child: \forall integer j; used <= j < total ==> UP_TO(child, j);
    /*@ assert sorted_rest: \forall integer i, j; 0 <= i < j && used <= j < total && i != at && i != child ==>
                            UP_TO(i, j); */
    //@ assert up_left: at != root && at == 2 * up + 1 ==> UP_TO(2 * up + 1, up);
    //@ assert up_right: at != root && at == 2 * up + 1 && 2 * up + 2 < used ==> UP_TO(2 * up + 2, up);
    //@ assert up_left: at != root && at == 2 * up + 2 ==> UP_TO(2 * up + 1, up);
    //@ assert up_right: at != root && at == 2 * up + 2 ==> UP_TO(2 * up + 2, up);
    //@ assert above: at != root ==> BELOW(up, used);
    /*@ ghost
        /@ loop invariant range: root <= p <= used;
           loop invariant heap: \forall integer q; root <= q < p && q != child ==> BELOW(q, used);
           loop assigns p;
           loop variant used - p; @/
        for (size_t p = root; p < used; p++) {
            /@ assert apart: p != at && p != child && (p != up || at == root) ==>
                   2 * p + 1 != at && 2 * p + 2 != at && 2 * p + 1 != child && 2 * p + 2 != child; @/
            /@ assert before: p != at ==> below{Pre}(text, encoding, fields, count, p, used); @/
            /@ assert left: p != at && p != child && (p != up || at == root) && 2 * p + 1 < used ==>
                   UP_TO(2 * p + 1, p); @/
            /@ assert right: p != at && p != child && (p != up || at == root) && 2 * p + 2 < used ==>
                   UP_TO(2 * p + 2, p); @/
            /@ assert other: p != at && p != child && (p != up || at == root) ==> BELOW(p, used); @/
            ;
        }
    */
}

/* A step of heap sort: moves the key at `root` down, among the first `used`, until both below it sort before it. */
/*@ requires KEYS_GIVEN && \valid(fields + (0 .. count-1)) && root < used <= total <= 2 * count;
    requires \separated(text + (0 .. length-1), fields + (0 .. count-1));
    KEYS_OK(requires, total)
    requires heap: HEAP(root, used, root);
    requires sorted: SORTED(used, total);
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    KEYS_OK(ensures, total)
    ensures heap: HEAP(root, used, -1);
    ensures sorted: SORTED(used, total);
 */
static void sift_down(const uint8_t *text, size_t length, snpy_name_encoding encoding, snpy_field *fields, size_t count,
                      size_t root, size_t used, size_t total)
{
    size_t at = root;
    //@ ghost size_t up = root;
    /*@ loop invariant range: root <= at < used && root <= up;
        loop invariant up: at == root || (up < at && (at == 2 * up + 1 || at == 2 * up + 2));
        KEYS_OK(loop invariant, total)
        loop invariant heap: HEAP(root, used, at);
        loop invariant sorted: SORTED(used, total);
        loop invariant left: at != root && 2 * at + 1 < used ==> UP_TO(2 * at + 1, up);
        loop invariant right: at != root && 2 * at + 2 < used ==> UP_TO(2 * at + 2, up);
        loop assigns at, up, fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
        loop variant used - at; */
    while (at < used / 2) {
        size_t child = greater_child(text, length, encoding, fields, count, at, used);
        int32_t upper = get_key(fields, count, at);
        int32_t lower = get_key(fields, count, child);
        if (!is_before(text, length, encoding, fields, count, upper, lower)) {
            //@ assert index: 2 * at + 1 < used;
            //@ assert key: 0 <= key_at(fields, count, 2 * at + 1) < 2 * count;
            //@ ghost int32_t left = KEY_AT(2 * at + 1);
            //@ assert left: left == key_at(fields, count, 2 * at + 1) && 0 <= left < 2 * count;
            //@ ghost show_chained(text, length, encoding, fields, count, left, lower, upper);
            /*@ ghost
                if (2 * at + 2 < used) {
                    int32_t right = KEY_AT(2 * at + 2);
                    /@ assert right: right == key_at(fields, count, 2 * at + 2) && 0 <= right < 2 * count; @/
                    show_chained(text, length, encoding, fields, count, right, lower, upper);
                } */
            //@ assert low: BELOW(at, used);
            //@ ghost show_heap(text, length, encoding, fields, count, root, used, at);
            return;
        }
        sink_key(text, length, encoding, fields, count, at, child, total) /*@ ghost (root, up, used) */;
        //@ ghost up = at;
        at = child;
    }
    //@ assert low: BELOW(at, used);
    //@ ghost show_heap(text, length, encoding, fields, count, root, used, at);
}

/* Adds a key that is greater than all. Returns how many there are. */
/*@ requires used < 2 * count && count <= SNPY_MAX_FIELDS && \valid(fields + (0 .. count-1));
    requires key: 0 <= key < 2 * count && is_key(fields, key);
    requires keys: keys_ok(fields, used, count);
    requires below: \forall integer k; 0 <= k < used ==> key_at(fields, count, k) < key;
    requires differ: keys_differ(fields, used, count);
    requires whole: keys_whole(fields, used, count, key);
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    ensures count: \result == used + 1;
    ensures keys: keys_ok(fields, used + 1, count);
    ensures below: \forall integer k; 0 <= k <= used ==> key_at(fields, count, k) <= key;
    ensures differ: keys_differ(fields, used + 1, count);
    ensures whole: keys_whole(fields, used + 1, count, key + 1);
 */
static size_t add_key(snpy_field *fields, size_t count, size_t used, int32_t key)
{
    set_key(fields, count, used, key);
    /*@ assert old: \forall integer k; 0 <= k < used ==>
                    has_key(fields, used + 1, count, \at(key_at(fields, count, k), Pre)); */
    //@ assert all: \forall integer k; has_key{Pre}(fields, used, count, k) ==> has_key(fields, used + 1, count, k);
    //@ assert new: has_key(fields, used + 1, count, key);
    return used + 1;
}

/* Fills the array with the keys of all names and titles. Returns how many there are. */
/*@ requires count <= SNPY_MAX_FIELDS && \valid(fields + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    ensures range: \result <= 2 * count;
    KEYS_OK(ensures, \result)
 */
static size_t collect_keys(snpy_field *fields, size_t count)
{
    size_t used = 0;
    /*@ loop invariant range: 0 <= i <= count && used <= 2 * i;
        loop invariant keys: keys_ok(fields, used, count);
        loop invariant below: \forall integer k; 0 <= k < used ==> key_at(fields, count, k) < 2 * i;
        loop invariant differ: keys_differ(fields, used, count);
        loop invariant whole: keys_whole(fields, used, count, 2 * i);
        loop assigns i, used, fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
        loop variant count - i; */
    for (size_t i = 0; i < count; i++) {
        //@ assert halves: 2 * i / 2 == i && (2 * i + 1) / 2 == i && 2 * i % 2 == 0 && (2 * i + 1) % 2 == 1;
        if (!fields[i].has_name || fields[i].is_padding) continue;
        if (fields[i].has_title) used = add_key(fields, count, used, (int32_t)(2 * i));
        used = add_key(fields, count, used, (int32_t)(2 * i + 1));
    }
    return used;
}

/* Ghost lemma: the first key of a heap sorts after all others. */
/*@ ghost
    /@ requires KEYS_GIVEN && 0 < used <= 2 * count && keys_ok(fields, used, count);
       requires heap: HEAP(0, used, -1);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures greatest: \forall integer i; 0 <= i < used ==> UP_TO(i, 0); @/
    static void show_greatest(const uint8_t *text, size_t length, snpy_name_encoding encoding, const snpy_field *fields,
                              size_t count, size_t used)
    {
        int32_t top = KEY_AT(0);
        /@ assert top: top == key_at(fields, count, 0) && 0 <= top < 2 * count; @/
        show_mirrored(text, length, encoding, fields, count, top, top);
        /@ loop invariant range: 1 <= i <= used;
           loop invariant greatest: \forall integer j; 0 <= j < i ==> UP_TO(j, 0);
           loop assigns i;
           loop variant used - i; @/
        for (size_t i = 1; i < used; i++) {
            size_t up = (i - 1) / 2;
            /@ assert below: BELOW(up, used); @/
            /@ assert left: i == 2 * up + 1 ==> UP_TO(i, up); @/
            /@ assert right: i == 2 * up + 2 ==> UP_TO(i, up); @/
            /@ assert either: i == 2 * up + 1 || i == 2 * up + 2; @/
            /@ assert upper: UP_TO(up, 0); @/
            int32_t lower = KEY_AT(i);
            int32_t higher = KEY_AT(up);
            /@ assert lower: lower == key_at(fields, count, i) && 0 <= lower < 2 * count; @/
            /@ assert higher: higher == key_at(fields, count, up) && 0 <= higher < 2 * count; @/
            show_chained(text, length, encoding, fields, count, lower, higher, top);
            /@ assert next: UP_TO(i, 0); @/
        }
    }
*/

/* Exchanges the first key of a heap, the greatest, with its last. */
/*@ requires KEYS_GIVEN && \valid(fields + (0 .. count-1)) && 1 < end <= total <= 2 * count;
    requires \separated(text + (0 .. length-1), fields + (0 .. count-1));
    KEYS_OK(requires, total)
    requires heap: HEAP(0, end, -1);
    requires sorted: SORTED(end, total);
    requires greatest: \forall integer i; 0 <= i < end ==> UP_TO(i, 0);
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    KEYS_OK(ensures, total)
    ensures heap: HEAP(0, end - 1, 0);
    ensures sorted: SORTED(end - 1, total);
 */
static void move_greatest(const uint8_t *text, size_t length, snpy_name_encoding encoding, snpy_field *fields,
                          size_t count, size_t end, size_t total)
{
    (void)text; /* used in the contract only */
    (void)length;
    (void)encoding;
    swap_keys(fields, count, 0, end - 1, total);
    //@ assert last_first: UP_TO(0, end - 1);
    //@ assert last: \forall integer i; 0 < i < end - 1 ==> UP_TO(i, end - 1);
    //@ assert sorted_first: \forall integer j; end <= j < total ==> UP_TO(0, j);
    //@ assert sorted_last: \forall integer j; end <= j < total ==> UP_TO(end - 1, j);
    /*@ assert sorted_rest: \forall integer i, j; 0 <= i < j && end <= j < total && i != 0 && i != end - 1 ==>
                            UP_TO(i, j); */
    //@ assert to_last: \forall integer i; 0 <= i < end - 1 ==> UP_TO(i, end - 1);
    /*@ ghost
        /@ loop invariant range: end - 1 <= j <= total;
           loop invariant sorted: SORTED(end - 1, j);
           loop assigns j;
           loop variant total - j; @/
        for (size_t j = end - 1; j < total; j++) {
            /@ assert first: j == end - 1 ==> \forall integer i; 0 <= i < j ==> UP_TO(i, j); @/
            /@ assert later_first: j >= end ==> UP_TO(0, j); @/
            /@ assert later_last: j >= end ==> UP_TO(end - 1, j); @/
            /@ assert later_rest: j >= end ==> \forall integer i; 0 < i < j && i != end - 1 ==> UP_TO(i, j); @/
            /@ assert later: j >= end ==> \forall integer i; 0 <= i < j ==> UP_TO(i, j); @/
            ;
        }
        /@ loop invariant range: 1 <= p <= end;
           loop invariant heap: \forall integer q; 0 < q < p ==> BELOW(q, end - 1);
           loop assigns p;
           loop variant end - p; @/
        for (size_t p = 1; p < end; p++) {
            /@ assert before: below{Pre}(text, encoding, fields, count, p, end); @/
            /@ assert left: 2 * p + 1 < end - 1 ==> UP_TO(2 * p + 1, p); @/
            /@ assert right: 2 * p + 2 < end - 1 ==> UP_TO(2 * p + 2, p); @/
            /@ assert other: BELOW(p, end - 1); @/
            ;
        }
    */
}

/* Sorts all keys: builds the heap, then moves the greatest key to the end, again and again. */
/*@ requires KEYS_GIVEN && \valid(fields + (0 .. count-1)) && used <= 2 * count;
    requires \separated(text + (0 .. length-1), fields + (0 .. count-1));
    KEYS_OK(requires, used)
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    KEYS_OK(ensures, used)
    ensures sorted: SORTED(1, used);
 */
static void sort_keys(const uint8_t *text, size_t length, snpy_name_encoding encoding, snpy_field *fields, size_t count,
                      size_t used)
{
    /*@ loop invariant range: 0 <= i <= used / 2;
        KEYS_OK(loop invariant, used)
        loop invariant heap: HEAP(i, used, -1);
        loop assigns i, fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
        loop variant i; */
    for (size_t i = used / 2; i > 0; i--) sift_down(text, length, encoding, fields, count, i - 1, used, used);
    /*@ loop invariant range: 0 <= end <= used;
        KEYS_OK(loop invariant, used)
        loop invariant heap: HEAP(0, end, -1);
        loop invariant sorted: SORTED(end, used);
        loop assigns end, fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
        loop variant end; */
    for (size_t end = used; end > 1; end--) {
        //@ ghost show_greatest(text, length, encoding, fields, count, end);
        move_greatest(text, length, encoding, fields, count, end, used);
        sift_down(text, length, encoding, fields, count, 0, end - 1, used);
    }
}

/* Ghost lemma: between two equal keys there are only equal ones. */
/*@ ghost
    /@ requires KEYS_GIVEN && used <= 2 * count && keys_ok(fields, used, count) && SORTED(1, used);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures neighbours: \forall integer i, j; 0 <= i < j < used
               && order_of_keys(text, encoding, fields, key_at(fields, count, i), key_at(fields, count, j)) == 0 ==>
               NEIGHBOURS(j);
       ensures mirror: \forall integer i, j; 0 <= i < j < used ==>
               ORDER(key_at(fields, count, j), key_at(fields, count, i)) >= 0; @/
    static void show_neighbours(const uint8_t *text, size_t length, snpy_name_encoding encoding,
                                const snpy_field *fields, size_t count, size_t used)
    {
        /@ loop invariant range: 0 <= j <= used;
           loop invariant neighbours: \forall integer i, k; 0 <= i < k < j
               && order_of_keys(text, encoding, fields, key_at(fields, count, i), key_at(fields, count, k)) == 0 ==>
               NEIGHBOURS(k);
           loop invariant mirror: \forall integer i, k; 0 <= i < k < j ==>
               ORDER(key_at(fields, count, k), key_at(fields, count, i)) >= 0;
           loop assigns j;
           loop variant used - j; @/
        for (size_t j = 0; j < used; j++) {
            /@ loop invariant range: 0 <= i <= j;
               loop invariant neighbours: \forall integer k; 0 <= k < i
                   && order_of_keys(text, encoding, fields, key_at(fields, count, k), key_at(fields, count, j)) == 0 ==>
                   NEIGHBOURS(j);
               loop invariant mirror: \forall integer k; 0 <= k < i ==>
                   ORDER(key_at(fields, count, j), key_at(fields, count, k)) >= 0;
               loop assigns i;
               loop variant j - i; @/
            for (size_t i = 0; i < j; i++) {
                int32_t first = KEY_AT(i);
                int32_t second = KEY_AT(j);
                /@ assert first: first == key_at(fields, count, i) && 0 <= first < 2 * count; @/
                /@ assert second: second == key_at(fields, count, j) && 0 <= second < 2 * count; @/
                show_mirrored(text, length, encoding, fields, count, first, second);
                /@ assert order: UP_TO(i, j); @/
                /@ assert mirror: ORDER(key_at(fields, count, j), key_at(fields, count, i)) >= 0; @/
                /@ assert between: i + 1 < j ==> UP_TO(i, j - 1) && UP_TO(j - 1, j); @/
                if (i + 1 < j) {
                    int32_t before = KEY_AT(j - 1);
                    /@ assert before: before == key_at(fields, count, j - 1) && 0 <= before < 2 * count; @/
                    show_chained(text, length, encoding, fields, count, first, before, second);
                }
                /@ assert next: order_of_keys(text, encoding, fields, key_at(fields, count, i),
                                          key_at(fields, count, j)) == 0 ==> NEIGHBOURS(j); @/
            }
        }
    }
*/

int32_t snpy_find_duplicate(const uint8_t *text, size_t length, snpy_name_encoding encoding, snpy_field *fields,
                            size_t count)
{
    int32_t first = SNPY_NO_DUPLICATE;
    size_t used = collect_keys(fields, count);
    sort_keys(text, length, encoding, fields, count, used);
    /*@ loop invariant range: 1 <= i && (i <= used || used == 0);
        loop invariant first: first == SNPY_NO_DUPLICATE || 0 <= first < 2 * count;
        loop invariant found: first != SNPY_NO_DUPLICATE ==>
                       \exists integer a; 0 <= a < first && are_equal(text, encoding, fields, a, first);
        loop invariant all: \forall integer j; 1 <= j < i && NEIGHBOURS(j) ==>
                       first <= key_at(fields, count, j);
        loop assigns i, first;
        loop variant used - i; */
    for (size_t i = 1; i < used; i++) {
        int32_t key = get_key(fields, count, i);
        int32_t before = get_key(fields, count, i - 1);
        //@ assert order: ORDER(before, key) <= 0 && before != key;
        if (key < first && compare_keys(text, length, encoding, fields, count, before, key) == 0) {
            //@ assert equal: before < key && are_equal(text, encoding, fields, before, key);
            first = key;
        }
        //@ assert next: NEIGHBOURS(i) ==> first <= key;
    }
    //@ ghost show_neighbours(text, length, encoding, fields, count, used);
    return first;
}
