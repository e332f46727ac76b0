/* key.c: finds equal keys by sorting all names. To compare each with each would take quadratic time on a hostile
 * archive.                                                                                   NPZ-NAME-005, NPZ-NAME-006
 * Proves that the sort sorts, and that no equal keys are missed. member_name.c decodes names.
 *
 * The column order_ has the numbers of all members, in the order of their keys. */
#include "core/zip/member_name.h"

/* clang-format off */
/*@ // the names of the members below n lie in the directory's bytes, which begin at `base` in the file
    predicate zip_names_ok(snpy_zip_member *m, integer n, integer base, integer length) =
        \forall integer k; 0 <= k < n ==> base <= m[k].central_offset
        && m[k].central_offset + SNPY_ZIP_CENTRAL_SIZE + m[k].name_length <= base + length;

    // the column has the numbers of members only, each of them, and none twice
    logic integer member_at(snpy_zip_member *m, integer k) = m[k].order_;
    predicate zip_order_ok(snpy_zip_member *m, integer used, integer n) =
        \forall integer k; 0 <= k < used ==> 0 <= member_at(m, k) < n;
    predicate zip_order_differs(snpy_zip_member *m, integer n) =
        \forall integer i, j; 0 <= i < j < n ==> member_at(m, i) != member_at(m, j);
    predicate has_member(snpy_zip_member *m, integer n, integer k) =
        \exists integer i; 0 <= i < n && member_at(m, i) == k;
    predicate zip_order_whole(snpy_zip_member *m, integer n) = \forall integer k; 0 <= k < n ==> has_member(m, n, k);

    // the order that is sorted by: of equal keys the first comes first
    logic integer full_order(uint8_t *c, integer base, snpy_zip_member *m, integer a, integer b) =
        order_of_members(c, base, m, a, b) != 0 ? order_of_members(c, base, m, a, b) : a - b;
    predicate up_to(uint8_t *c, integer base, snpy_zip_member *m, integer i, integer j) =
        full_order(c, base, m, member_at(m, i), member_at(m, j)) <= 0;

    // each member from `root` on sorts after the two below it, but for that at `gap`
    predicate below(uint8_t *c, integer base, snpy_zip_member *m, integer p, integer used) =
        (2 * p + 1 < used ==> up_to(c, base, m, 2 * p + 1, p))
        && (2 * p + 2 < used ==> up_to(c, base, m, 2 * p + 2, p));
    predicate heap(uint8_t *c, integer base, snpy_zip_member *m, integer root, integer used, integer gap) =
        \forall integer p; root <= p < used && p != gap ==> below(c, base, m, p, used);
    // the members from `from` on are in order, and after all before them
    predicate sorted(uint8_t *c, integer base, snpy_zip_member *m, integer from, integer used) =
        \forall integer i, j; 0 <= i < j && from <= j < used ==> up_to(c, base, m, i, j);
    predicate are_neighbours(uint8_t *c, integer base, snpy_zip_member *m, integer i) =
        order_of_members(c, base, m, member_at(m, i - 1), member_at(m, i)) == 0;
*/
#define ORDER_OK(clause)                            \
    clause order: zip_order_ok(members, count, count); \
    clause differ: zip_order_differs(members, count); \
    clause whole: zip_order_whole(members, count);
#define UP_TO(i, j) up_to(central, base, members, i, j)
#define BELOW(p, used) below(central, base, members, p, used)
#define NEIGHBOURS(i) are_neighbours(central, base, members, i)
#define HEAP(root, used, gap) heap(central, base, members, root, used, gap)
#define SORTED(from, used) sorted(central, base, members, from, used)
#define ORDER(a, b) full_order(central, base, members, a, b)
#define KEY_ORDER(a, b) order_of_members(central, base, members, a, b)
#define ARE_SAME(a, b) same_keys(central, base, members, a, b)
#define MEMBERS_GIVEN                                                                                          \
    (\valid_read(central + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE && count <= SNPY_ZIP_MAX_MEMBERS \
     && \valid_read(members + (0 .. count-1)) && zip_names_ok(members, count, base, length))
#define MEMBERS_SORTABLE \
    (\valid(members + (0 .. count-1)) && \separated(members + (0 .. count-1), central + (0 .. length-1)))
/* clang-format on */

/* The name of member k. */
#define NAME_OF(k) (central + (size_t)(members[k].central_offset - base) + SNPY_ZIP_CENTRAL_SIZE)

/* Compares the keys of two members. Returns -1, 0 or 1.                                                 NPZ-NAME-006 */
/*@ requires MEMBERS_GIVEN && a < count && b < count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures before: \result < 0 <==> KEY_ORDER(a, b) < 0;
    ensures after: \result > 0 <==> KEY_ORDER(a, b) > 0;
 */
static int compare_keys(const uint8_t *central, size_t length, uint64_t base, const snpy_zip_member *members,
                        size_t count, uint32_t a, uint32_t b)
{
    const uint8_t *left = NAME_OF(a);
    const uint8_t *right = NAME_OF(b);
    size_t left_length = snpy_zip_key_length(left, members[a].name_length);
    size_t right_length = snpy_zip_key_length(right, members[b].name_length);
    (void)length; /* used in the contract only */
    (void)count;
    return snpy_zip_compare_names(left, left_length, members[a].flags, right, right_length, members[b].flags);
}

/* Whether the key of a member is well-formed. */
/*@ requires MEMBERS_GIVEN && k < count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPZ_NAME_001: \result <==> is_decodable(central, base, members, k);
 */
static bool is_well_formed(const uint8_t *central, size_t length, uint64_t base, const snpy_zip_member *members,
                           size_t count, uint32_t k)
{
    const uint8_t *name = NAME_OF(k);
    size_t end = snpy_zip_key_length(name, members[k].name_length);
    uint32_t flags = members[k].flags;
    size_t pos = 0;
    uint32_t character = 0;
    (void)length; /* used in the contract only */
    (void)count;
    /*@ loop invariant range: 0 <= pos <= end;
        loop invariant rest: characters_end(name, end, 0, flags) == characters_end(name, end, pos, flags);
        loop assigns pos, character;
        loop variant end - pos; */
    while (pos < end) {
        size_t step = snpy_zip_name_next(name, end, pos, flags, &character);
        if (step == 0) return false;
        pos += step;
    }
    return true;
}

/* Ghost lemmas: the order of texts is antisymmetric and transitive, and equal texts are both well-formed or neither. */
/*@ ghost
    /@ requires i <= n <= SNPY_MAX_TEXT;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures mirror: order_of_texts(t, n, i, e, u, m, j, f) == -order_of_texts(u, m, j, f, t, n, i, e); @/
    static void show_mirror(const uint8_t *t, size_t n, size_t i, uint32_t e, const uint8_t *u, size_t m, size_t j,
                            uint32_t f)
    {
        /@ loop invariant range: 0 <= d <= n - i + 1;
           loop invariant mirror: \forall integer p, q; n - p < d ==>
               order_of_texts(t, n, p, e, u, m, q, f) == -order_of_texts(u, m, q, f, t, n, p, e);
           loop assigns d;
           loop variant n - d; @/
        for (uint64_t d = 0; d <= n - i; d++) ;
    }

    /@ requires i <= n <= SNPY_MAX_TEXT;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures chain: order_of_texts(t, n, i, e, u, m, j, f) <= 0 && order_of_texts(u, m, j, f, v, o, k, g) <= 0 ==>
               order_of_texts(t, n, i, e, v, o, k, g) <= 0;
       ensures strict: order_of_texts(t, n, i, e, u, m, j, f) <= 0 && order_of_texts(u, m, j, f, v, o, k, g) <= 0
               && order_of_texts(t, n, i, e, v, o, k, g) == 0 ==>
               order_of_texts(t, n, i, e, u, m, j, f) == 0 && order_of_texts(u, m, j, f, v, o, k, g) == 0; @/
    static void show_chain(const uint8_t *t, size_t n, size_t i, uint32_t e, const uint8_t *u, size_t m, size_t j,
                           uint32_t f, const uint8_t *v, size_t o, size_t k, uint32_t g)
    {
        /@ loop invariant range: 0 <= d <= n - i + 1;
           loop invariant chain: \forall integer p, q, r; n - p < d
               && order_of_texts(t, n, p, e, u, m, q, f) <= 0 && order_of_texts(u, m, q, f, v, o, r, g) <= 0 ==>
               order_of_texts(t, n, p, e, v, o, r, g) <= 0
               && (order_of_texts(t, n, p, e, v, o, r, g) == 0 ==>
                   order_of_texts(t, n, p, e, u, m, q, f) == 0 && order_of_texts(u, m, q, f, v, o, r, g) == 0);
           loop assigns d;
           loop variant n - d; @/
        for (uint64_t d = 0; d <= n - i; d++) ;
    }

    /@ requires i <= n <= SNPY_MAX_TEXT;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures formed: order_of_texts(t, n, i, e, u, m, j, f) == 0 && characters_end(u, m, j, f) >= m ==>
               characters_end(t, n, i, e) >= n; @/
    static void show_formed(const uint8_t *t, size_t n, size_t i, uint32_t e, const uint8_t *u, size_t m, size_t j,
                            uint32_t f)
    {
        /@ loop invariant range: 0 <= d <= n - i + 1;
           loop invariant formed: \forall integer p, q; n - p < d && order_of_texts(t, n, p, e, u, m, q, f) == 0
               && characters_end(u, m, q, f) >= m ==> characters_end(t, n, p, e) >= n;
           loop assigns d;
           loop variant n - d; @/
        for (uint64_t d = 0; d <= n - i; d++) ;
    }
*/

/* Ghost lemmas: the same of the keys of members. */
/*@ ghost
    /@ requires MEMBERS_GIVEN && k < count;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures length: \result == member_length(central, base, members, k) <= SNPY_MAX_TEXT; @/
    static size_t length_of_member(const uint8_t *central, size_t length, uint64_t base,
                                   const snpy_zip_member *members, size_t count, uint32_t k)
    {
        const uint8_t *name = NAME_OF(k);
        size_t n = members[k].name_length;
        if (n < 4 || name[n - 4] != '.' || name[n - 3] != 'n') return n;
        return name[n - 2] == 'p' && name[n - 1] == 'y' ? n - 4 : n;
    }

    /@ requires MEMBERS_GIVEN && a < count && b < count;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures mirror: ORDER(b, a) == -ORDER(a, b); @/
    static void show_mirrored(const uint8_t *central, size_t length, uint64_t base, const snpy_zip_member *members,
                              size_t count, uint32_t a, uint32_t b)
    {
        size_t n = length_of_member(central, length, base, members, count, a);
        size_t m = length_of_member(central, length, base, members, count, b);
        show_mirror(NAME_OF(a), n, 0, members[a].flags, NAME_OF(b), m, 0, members[b].flags);
        /@ assert mirror: KEY_ORDER(b, a) == -KEY_ORDER(a, b); @/
    }

    /@ requires MEMBERS_GIVEN && a < count && b < count && c < count;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures chain: ORDER(a, b) <= 0 && ORDER(b, c) <= 0 ==> ORDER(a, c) <= 0;
       ensures equal: ORDER(a, b) <= 0 && ORDER(b, c) <= 0 && KEY_ORDER(a, c) == 0 ==> KEY_ORDER(b, c) == 0; @/
    static void show_chained(const uint8_t *central, size_t length, uint64_t base, const snpy_zip_member *members,
                             size_t count, uint32_t a, uint32_t b, uint32_t c)
    {
        size_t n = length_of_member(central, length, base, members, count, a);
        size_t m = length_of_member(central, length, base, members, count, b);
        size_t o = length_of_member(central, length, base, members, count, c);
        show_chain(NAME_OF(a), n, 0, members[a].flags, NAME_OF(b), m, 0, members[b].flags,
                   NAME_OF(c), o, 0, members[c].flags);
    }

    /@ requires MEMBERS_GIVEN && a < count && b < count;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures same: KEY_ORDER(a, b) == 0 && is_decodable(central, base, members, b) ==> ARE_SAME(a, b); @/
    static void show_same(const uint8_t *central, size_t length, uint64_t base, const snpy_zip_member *members,
                          size_t count, uint32_t a, uint32_t b)
    {
        size_t n = length_of_member(central, length, base, members, count, a);
        size_t m = length_of_member(central, length, base, members, count, b);
        show_formed(NAME_OF(a), n, 0, members[a].flags, NAME_OF(b), m, 0, members[b].flags);
    }
*/

/* Whether a member sorts before another; equal keys are in the order of the directory. */
/*@ requires MEMBERS_GIVEN && a < count && b < count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures before: \result <==> ORDER(a, b) < 0;
    ensures after: \result <==> ORDER(b, a) > 0;
 */
static bool is_before(const uint8_t *central, size_t length, uint64_t base, const snpy_zip_member *members,
                      size_t count, uint32_t a, uint32_t b)
{
    int order = compare_keys(central, length, base, members, count, a, b);
    //@ ghost show_mirrored(central, length, base, members, count, a, b);
    return order < 0 || (order == 0 && a < b);
}

/* Exchanges two positions of the order. */
/*@ requires a < count && b < count && count <= SNPY_ZIP_MAX_MEMBERS && \valid(members + (0 .. count-1));
    ORDER_OK(requires)
    terminates \true;
    exits \false;
    assigns members[0 .. count-1].order_;
    ORDER_OK(ensures)
    ensures swap: member_at(members, a) == \old(member_at(members, b))
            && member_at(members, b) == \old(member_at(members, a));
    ensures rest: \forall integer j; 0 <= j < count && j != a && j != b ==>
            member_at(members, j) == \old(member_at(members, j));
 */
static void swap_order(snpy_zip_member *members, size_t a, size_t b, size_t count)
{
    uint32_t order = members[a].order_;
    (void)count; /* used in the contract only */
    members[a].order_ = members[b].order_;
    members[b].order_ = order;
    /*@ assert differ_a: \forall integer j; 0 <= j < count && j != a ==>
                         member_at(members, j) != member_at(members, a); */
    /*@ assert differ_b: \forall integer j; 0 <= j < count && j != b ==>
                         member_at(members, j) != member_at(members, b); */
    /*@ assert differ_rest: \forall integer i, j; 0 <= i < j < count && i != a && i != b && j != a && j != b ==>
                            member_at(members, i) != member_at(members, j); */
    //@ assert first: has_member(members, count, \at(member_at(members, a), Pre));
    //@ assert second: has_member(members, count, \at(member_at(members, b), Pre));
    /*@ assert rest: \forall integer j; 0 <= j < count && j != a && j != b ==>
                     has_member(members, count, \at(member_at(members, j), Pre)); */
    /*@ assert each: \forall integer j; 0 <= j < count ==>
                     has_member(members, count, \at(member_at(members, j), Pre)); */
    //@ assert all: \forall integer k; has_member{Pre}(members, count, k) ==> has_member(members, count, k);
}

/* Returns which of the one or two members below `at` sorts last. */
/*@ requires MEMBERS_GIVEN && 2 * at + 1 < used <= count && zip_order_ok(members, count, count);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures child: at < \result < used && (\result == 2 * at + 1 || \result == 2 * at + 2);
    ensures left: UP_TO(2 * at + 1, \result);
    ensures right: 2 * at + 2 < used ==> UP_TO(2 * at + 2, \result);
 */
static size_t greater_child(const uint8_t *central, size_t length, uint64_t base, const snpy_zip_member *members,
                            size_t count, size_t at, size_t used)
{
    size_t child = 2 * at + 1;
    //@ assert left: 0 <= member_at(members, child) < count;
    uint32_t left = members[child].order_;
    //@ ghost show_mirrored(central, length, base, members, count, left, left);
    if (child + 1 == used) return child;
    //@ assert right: 0 <= member_at(members, child + 1) < count;
    uint32_t right = members[child + 1].order_;
    //@ ghost show_mirrored(central, length, base, members, count, right, right);
    return is_before(central, length, base, members, count, left, right) ? child + 1 : child;
}

/* Ghost lemma: a heap without a gap. */
/*@ ghost
    /@ requires at < used <= count && HEAP(root, used, at);
       requires below: BELOW(at, used);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures heap: HEAP(root, used, -1); @/
    static void show_heap(const uint8_t *central, uint64_t base, const snpy_zip_member *members, size_t count,
                          size_t root, size_t used, size_t at)
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

/* Exchanges a member with the greater one below it. */
/*@ requires MEMBERS_GIVEN && MEMBERS_SORTABLE && root <= at < child < used <= count;
    ORDER_OK(requires)
    requires child: child == 2 * at + 1 || child == 2 * at + 2;
    requires up: at == root || (root <= up && (at == 2 * up + 1 || at == 2 * up + 2));
    requires heap: HEAP(root, used, at);
    requires sorted: SORTED(used, count);
    requires greater: UP_TO(at, child);
    requires left: UP_TO(2 * at + 1, child);
    requires right: 2 * at + 2 < used ==> UP_TO(2 * at + 2, child);
    requires over: at != root ==> UP_TO(child, up);
    terminates \true;
    exits \false;
    assigns members[0 .. count-1].order_;
    ORDER_OK(ensures)
    ensures heap: HEAP(root, used, child);
    ensures sorted: SORTED(used, count);
    ensures left: 2 * child + 1 < used ==> UP_TO(2 * child + 1, at);
    ensures right: 2 * child + 2 < used ==> UP_TO(2 * child + 2, at);
 */
static void sink_member(const uint8_t *central, size_t length, uint64_t base, snpy_zip_member *members, size_t count,
                        size_t at, size_t child) /*@ ghost (size_t root, size_t up, size_t used) */
{
    //@ assert last: BELOW(child, used);
    //@ assert over: at != root ==> BELOW(up, used);
    (void)central; /* used in the contract only */
    (void)length;
    (void)base;
    swap_order(members, at, child, count);
    //@ assert first: UP_TO(child, at);
    //@ assert low_left: child == 2 * at + 1 && 2 * at + 2 < used ==> UP_TO(2 * at + 2, at);
    //@ assert low_right: child == 2 * at + 2 ==> UP_TO(2 * at + 1, at);
    //@ assert below: BELOW(at, used);
    //@ assert sorted_at: \forall integer j; used <= j < count ==> UP_TO(at, j);
    //@ assert sorted_child: \forall integer j; used <= j < count ==> UP_TO(child, j);
    /*@ assert sorted_rest: \forall integer i, j; 0 <= i < j && used <= j < count && i != at && i != child ==>
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
            /@ assert before: p != at ==> below{Pre}(central, base, members, p, used); @/
            /@ assert left: p != at && p != child && (p != up || at == root) && 2 * p + 1 < used ==>
                   UP_TO(2 * p + 1, p); @/
            /@ assert right: p != at && p != child && (p != up || at == root) && 2 * p + 2 < used ==>
                   UP_TO(2 * p + 2, p); @/
            /@ assert other: p != at && p != child && (p != up || at == root) ==> BELOW(p, used); @/
            ;
        }
    */
}

/* A step of heap sort: moves the member at `root` down, among the first `used`, until both below it sort before it. */
/*@ requires MEMBERS_GIVEN && MEMBERS_SORTABLE && root < used <= count;
    ORDER_OK(requires)
    requires heap: HEAP(root, used, root);
    requires sorted: SORTED(used, count);
    terminates \true;
    exits \false;
    assigns members[0 .. count-1].order_;
    ORDER_OK(ensures)
    ensures heap: HEAP(root, used, -1);
    ensures sorted: SORTED(used, count);
 */
static void sift_down(const uint8_t *central, size_t length, uint64_t base, snpy_zip_member *members, size_t count,
                      size_t root, size_t used)
{
    size_t at = root;
    //@ ghost size_t up = root;
    /*@ loop invariant range: root <= at < used && root <= up;
        loop invariant up: at == root || (up < at && (at == 2 * up + 1 || at == 2 * up + 2));
        ORDER_OK(loop invariant)
        loop invariant heap: HEAP(root, used, at);
        loop invariant sorted: SORTED(used, count);
        loop invariant left: at != root && 2 * at + 1 < used ==> UP_TO(2 * at + 1, up);
        loop invariant right: at != root && 2 * at + 2 < used ==> UP_TO(2 * at + 2, up);
        loop assigns at, up, members[0 .. count-1].order_;
        loop variant used - at; */
    while (at < used / 2) {
        size_t child = greater_child(central, length, base, members, count, at, used);
        //@ assert range: 0 <= member_at(members, at) < count && 0 <= member_at(members, child) < count;
        uint32_t upper = members[at].order_;
        uint32_t lower = members[child].order_;
        if (!is_before(central, length, base, members, count, upper, lower)) {
            //@ assert index: 2 * at + 1 < used;
            //@ ghost uint32_t left = members[2 * at + 1].order_;
            //@ assert left: left == member_at(members, 2 * at + 1) < count;
            //@ ghost show_chained(central, length, base, members, count, left, lower, upper);
            /*@ ghost
                if (2 * at + 2 < used) {
                    uint32_t right = members[2 * at + 2].order_;
                    /@ assert right: right == member_at(members, 2 * at + 2) < count; @/
                    show_chained(central, length, base, members, count, right, lower, upper);
                } */
            //@ assert low: BELOW(at, used);
            //@ ghost show_heap(central, base, members, count, root, used, at);
            return;
        }
        sink_member(central, length, base, members, count, at, child) /*@ ghost (root, up, used) */;
        //@ ghost up = at;
        at = child;
    }
    //@ assert low: BELOW(at, used);
    //@ ghost show_heap(central, base, members, count, root, used, at);
}

/* Ghost lemma: the first member of a heap sorts after all others. */
/*@ ghost
    /@ requires MEMBERS_GIVEN && 0 < used <= count && zip_order_ok(members, count, count);
       requires heap: HEAP(0, used, -1);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures greatest: \forall integer i; 0 <= i < used ==> UP_TO(i, 0); @/
    static void show_greatest(const uint8_t *central, size_t length, uint64_t base, const snpy_zip_member *members,
                              size_t count, size_t used)
    {
        uint32_t top = members[0].order_;
        /@ assert top: top == member_at(members, 0) < count; @/
        show_mirrored(central, length, base, members, count, top, top);
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
            uint32_t lower = members[i].order_;
            uint32_t higher = members[up].order_;
            /@ assert lower: lower == member_at(members, i) < count; @/
            /@ assert higher: higher == member_at(members, up) < count; @/
            show_chained(central, length, base, members, count, lower, higher, top);
            /@ assert next: UP_TO(i, 0); @/
        }
    }
*/

/* Exchanges the first member of a heap, the greatest, with its last. */
/*@ requires MEMBERS_GIVEN && MEMBERS_SORTABLE && 1 < end <= count;
    ORDER_OK(requires)
    requires heap: HEAP(0, end, -1);
    requires sorted: SORTED(end, count);
    requires greatest: \forall integer i; 0 <= i < end ==> UP_TO(i, 0);
    terminates \true;
    exits \false;
    assigns members[0 .. count-1].order_;
    ORDER_OK(ensures)
    ensures heap: HEAP(0, end - 1, 0);
    ensures sorted: SORTED(end - 1, count);
 */
static void move_greatest(const uint8_t *central, size_t length, uint64_t base, snpy_zip_member *members, size_t count,
                          size_t end)
{
    (void)central; /* used in the contract only */
    (void)length;
    (void)base;
    swap_order(members, 0, end - 1, count);
    //@ assert last_first: UP_TO(0, end - 1);
    //@ assert last: \forall integer i; 0 < i < end - 1 ==> UP_TO(i, end - 1);
    //@ assert sorted_first: \forall integer j; end <= j < count ==> UP_TO(0, j);
    //@ assert sorted_last: \forall integer j; end <= j < count ==> UP_TO(end - 1, j);
    /*@ assert sorted_rest: \forall integer i, j; 0 <= i < j && end <= j < count && i != 0 && i != end - 1 ==>
                            UP_TO(i, j); */
    //@ assert to_last: \forall integer i; 0 <= i < end - 1 ==> UP_TO(i, end - 1);
    /*@ ghost
        /@ loop invariant range: end - 1 <= j <= count;
           loop invariant sorted: SORTED(end - 1, j);
           loop assigns j;
           loop variant count - j; @/
        for (size_t j = end - 1; j < count; j++) {
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
            /@ assert before: below{Pre}(central, base, members, p, end); @/
            /@ assert left: 2 * p + 1 < end - 1 ==> UP_TO(2 * p + 1, p); @/
            /@ assert right: 2 * p + 2 < end - 1 ==> UP_TO(2 * p + 2, p); @/
            /@ assert other: BELOW(p, end - 1); @/
            ;
        }
    */
}

/* Fills the column with the numbers of all members. */
/*@ requires count <= SNPY_ZIP_MAX_MEMBERS && \valid(members + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns members[0 .. count-1].order_;
    ORDER_OK(ensures)
 */
static void number_members(snpy_zip_member *members, size_t count)
{
    /*@ loop invariant range: 0 <= i <= count;
        loop invariant each: \forall integer k; 0 <= k < i ==> member_at(members, k) == k;
        loop assigns i, members[0 .. count-1].order_;
        loop variant count - i; */
    for (size_t i = 0; i < count; i++) members[i].order_ = (uint32_t)i;
    //@ assert has: \forall integer k; 0 <= k < count ==> member_at(members, k) == k && has_member(members, count, k);
}

/* Sorts all members: builds the heap, then moves the greatest key to the end, again and again. */
/*@ requires MEMBERS_GIVEN && MEMBERS_SORTABLE;
    terminates \true;
    exits \false;
    assigns members[0 .. count-1].order_;
    ORDER_OK(ensures)
    ensures sorted: SORTED(1, count);
 */
static void sort(const uint8_t *central, size_t length, uint64_t base, snpy_zip_member *members, size_t count)
{
    number_members(members, count);
    /*@ loop invariant range: 0 <= i <= count / 2;
        ORDER_OK(loop invariant)
        loop invariant heap: HEAP(i, count, -1);
        loop assigns i, members[0 .. count-1].order_;
        loop variant i; */
    for (size_t i = count / 2; i > 0; i--) sift_down(central, length, base, members, count, i - 1, count);
    /*@ loop invariant range: 0 <= end <= count;
        ORDER_OK(loop invariant)
        loop invariant heap: HEAP(0, end, -1);
        loop invariant sorted: SORTED(end, count);
        loop assigns end, members[0 .. count-1].order_;
        loop variant end; */
    for (size_t end = count; end > 1; end--) {
        //@ ghost show_greatest(central, length, base, members, count, end);
        move_greatest(central, length, base, members, count, end);
        sift_down(central, length, base, members, count, 0, end - 1);
    }
}

/* Whether all names are inside the directory. */
/*@ requires \valid_read(members + (0 .. count-1)) && base + length <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures names: \result <==> zip_names_ok(members, count, base, length);
 */
static bool names_lie_inside(const snpy_zip_member *members, size_t count, uint64_t base, size_t length)
{
    /*@ loop invariant range: 0 <= i <= count;
        loop invariant names: zip_names_ok(members, i, base, length);
        loop assigns i;
        loop variant count - i; */
    for (size_t i = 0; i < count; i++) {
        uint64_t at = members[i].central_offset;
        uint64_t size = SNPY_ZIP_CENTRAL_SIZE + (uint64_t)members[i].name_length;
        if (at < base || size > length || at - base > length - size) return false;
    }
    return true;
}

/* Ghost lemma: between two equal keys there are only equal ones. */
/*@ ghost
    /@ requires MEMBERS_GIVEN && zip_order_ok(members, count, count) && SORTED(1, count);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures neighbours: \forall integer i, j; 0 <= i < j < count
               && KEY_ORDER(member_at(members, i), member_at(members, j)) == 0 ==> NEIGHBOURS(j);
       ensures mirror: \forall integer i, j; 0 <= i < j < count ==>
               ORDER(member_at(members, j), member_at(members, i)) >= 0; @/
    static void show_neighbours(const uint8_t *central, size_t length, uint64_t base, const snpy_zip_member *members,
                                size_t count)
    {
        /@ loop invariant range: 0 <= j <= count;
           loop invariant neighbours: \forall integer i, k; 0 <= i < k < j
               && KEY_ORDER(member_at(members, i), member_at(members, k)) == 0 ==> NEIGHBOURS(k);
           loop invariant mirror: \forall integer i, k; 0 <= i < k < j ==>
               ORDER(member_at(members, k), member_at(members, i)) >= 0;
           loop assigns j;
           loop variant count - j; @/
        for (size_t j = 0; j < count; j++) {
            /@ loop invariant range: 0 <= i <= j;
               loop invariant neighbours: \forall integer k; 0 <= k < i
                   && KEY_ORDER(member_at(members, k), member_at(members, j)) == 0 ==> NEIGHBOURS(j);
               loop invariant mirror: \forall integer k; 0 <= k < i ==>
                   ORDER(member_at(members, j), member_at(members, k)) >= 0;
               loop assigns i;
               loop variant j - i; @/
            for (size_t i = 0; i < j; i++) {
                uint32_t first = members[i].order_;
                uint32_t second = members[j].order_;
                /@ assert first: first == member_at(members, i) < count; @/
                /@ assert second: second == member_at(members, j) < count; @/
                show_mirrored(central, length, base, members, count, first, second);
                /@ assert order: UP_TO(i, j); @/
                /@ assert mirror: ORDER(member_at(members, j), member_at(members, i)) >= 0; @/
                /@ assert between: i + 1 < j ==> UP_TO(i, j - 1) && UP_TO(j - 1, j); @/
                if (i + 1 < j) {
                    uint32_t before = members[j - 1].order_;
                    /@ assert before: before == member_at(members, j - 1) < count; @/
                    show_chained(central, length, base, members, count, first, before, second);
                }
                /@ assert next: KEY_ORDER(member_at(members, i), member_at(members, j)) == 0 ==> NEIGHBOURS(j); @/
            }
        }
    }
*/

/* Returns the first member whose key an earlier member has; `count` if there is none. */
/*@ requires MEMBERS_GIVEN;
    ORDER_OK(requires)
    requires sorted: SORTED(1, count);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= count;
    ensures found: \result < count ==> \exists integer a; 0 <= a < \result && ARE_SAME(a, \result);
    ensures all: \forall integer a, b; 0 <= a < b < count && ARE_SAME(a, b) ==> \result <= b;
    ensures first: \result < count ==> first_key_again(central, base, members, count, \result);
 */
static size_t first_again(const uint8_t *central, size_t length, uint64_t base, const snpy_zip_member *members,
                          size_t count)
{
    size_t first = count;
    /*@ loop invariant range: 1 <= i && (i <= count || count == 0) && first <= count;
        loop invariant found: first < count ==> \exists integer a; 0 <= a < first && ARE_SAME(a, first);
        loop invariant all: \forall integer j; 1 <= j < i && NEIGHBOURS(j)
                       && is_decodable(central, base, members, member_at(members, j)) ==>
                       first <= member_at(members, j);
        loop assigns i, first;
        loop variant count - i; */
    for (size_t i = 1; i < count; i++) {
        //@ assert range: 0 <= member_at(members, i - 1) < count && 0 <= member_at(members, i) < count;
        uint32_t before = members[i - 1].order_;
        uint32_t member = members[i].order_;
        //@ assert order: UP_TO(i - 1, i) && ORDER(before, member) <= 0 && before != member;
        if (member < first && compare_keys(central, length, base, members, count, before, member) == 0 &&
            is_well_formed(central, length, base, members, count, member)) {
            //@ ghost show_same(central, length, base, members, count, before, member);
            //@ assert same: before < member && ARE_SAME(before, member);
            first = member;
        }
        /*@ assert next: NEIGHBOURS(i) && is_decodable(central, base, members, member_at(members, i)) ==>
                         first <= member; */
    }
    //@ ghost show_neighbours(central, length, base, members, count);
    /*@ assert later: \forall integer i, j; 0 <= i < j < count && ARE_SAME(member_at(members, i), member_at(members, j))
                      ==> first <= member_at(members, j); */
    /*@ assert order: \forall integer i, j; 0 <= j < i < count && ARE_SAME(member_at(members, i), member_at(members, j))
                      ==> member_at(members, i) >= member_at(members, j); */
    /*@ assert both: \forall integer i, j; 0 <= i < count && 0 <= j < count
                     && member_at(members, i) < member_at(members, j)
                     && ARE_SAME(member_at(members, i), member_at(members, j)) ==> first <= member_at(members, j); */
    //@ assert named: \forall integer a; 0 <= a < count ==> has_member(members, count, a);
    /*@ assert half: \forall integer a, j; has_member(members, count, a) && 0 <= j < count && a < member_at(members, j)
                     && ARE_SAME(a, member_at(members, j)) ==> first <= member_at(members, j); */
    /*@ assert whole: \forall integer a, b; has_member(members, count, a) && has_member(members, count, b) && a < b
                      && ARE_SAME(a, b) ==> first <= b; */
    return first;
}

/* Reports the first member whose key an earlier one has; `count` if there is none.                      NPZ-NAME-006 */
/*@ requires MEMBERS_GIVEN && \valid(error) && first <= count;
    requires \separated(members + (0 .. count-1), error, central + (0 .. length-1));
    requires again: first < count ==> first_key_again(central, base, members, count, first);
    requires all: first == count ==> \forall integer a, b; 0 <= a < b < count ==> !ARE_SAME(a, b);
    requires sorted: SORTED(1, count);
    ORDER_OK(requires)
    terminates \true;
    exits \false;
    assigns error->status, error->offset;
    ensures result: \result == error->status == (first < count ? SNPY_ZIP_DUPLICATE_KEY : SNPY_OK);
    ensures offset: first < count ==> error->offset == members[first].central_offset + SNPY_ZIP_NAME_OFFSET;
    ensures again: first < count ==> first_key_again(central, base, members, count, first);
    ensures all: first == count ==> \forall integer a, b; 0 <= a < b < count ==> !ARE_SAME(a, b);
    ensures sorted: SORTED(1, count);
    ORDER_OK(ensures)
 */
static snpy_status report_keys(const uint8_t *central, size_t length, uint64_t base, const snpy_zip_member *members,
                               size_t count, size_t first, snpy_error *error)
{
    const snpy_status status = first < count ? SNPY_ZIP_DUPLICATE_KEY : SNPY_OK;
    (void)central; /* used in the contract only */
    (void)length;
    (void)base;
    (void)snpy_fail(error, status, first < count ? members[first].central_offset + SNPY_ZIP_CENTRAL_SIZE : 0);
    //@ assert at: \forall integer k; 0 <= k < count ==> member_at(members, k) == \at(member_at(members, k), Pre);
    /*@ assert start: \forall integer k; 0 <= k < count ==>
                      member_start(members, base, k) == \at(member_start(members, base, k), Pre); */
    /*@ assert length: \forall integer k; 0 <= k < count ==>
                       member_length(central, base, members, k)
                       == \at(member_length(central, base, members, k), Pre); */
    /*@ assert formed: \forall integer k; 0 <= k < count ==>
                       (is_decodable(central, base, members, k) <==> is_decodable{Pre}(central, base, members, k)); */
    /*@ assert order: \forall integer a, b; 0 <= a < count && 0 <= b < count ==>
                      KEY_ORDER(a, b) == \at(KEY_ORDER(a, b), Pre); */
    /*@ assert same: \forall integer a, b; 0 <= a < count && 0 <= b < count ==>
                     (ARE_SAME(a, b) <==> same_keys{Pre}(central, base, members, a, b)); */
    /*@ assert up_to: \forall integer i, j; 0 <= i < count && 0 <= j < count ==>
                      (UP_TO(i, j) <==> up_to{Pre}(central, base, members, i, j)); */
    //@ assert has: \forall integer k; has_member{Pre}(members, count, k) ==> has_member(members, count, k);
    return status;
}

/*@ requires \valid_read(central + (0 .. length-1)) && \valid_read(directory) && \valid(error);
    requires \valid(members + (0 .. count-1)) && \object_pointer(members);
    requires \separated(members + (0 .. count-1), error, directory, central + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns members[0 .. count-1].order_, error->status, error->offset;
    ensures result: \result == error->status;
    ensures status: \result == SNPY_OK || \result == SNPY_BAD_ARGUMENT || \result == SNPY_ZIP_DUPLICATE_KEY;
    ensures API_ARGUMENT: \result == SNPY_BAD_ARGUMENT <==>
            count > SNPY_ZIP_MAX_MEMBERS || \old(directory->offset) + length > SNPY_MAX_SIZE
            || !\old(zip_names_ok(members, count, directory->offset, length));
    ensures NPZ_NAME_006: \result == SNPY_ZIP_DUPLICATE_KEY ==> \exists integer b; 0 < b < count
            && first_key_again(central, \old(directory->offset), members, count, b)
            && error->offset == members[b].central_offset + SNPY_ZIP_NAME_OFFSET;
    ensures all: \result == SNPY_OK ==> \forall integer a, b; 0 <= a < b < count ==>
            !same_keys(central, \old(directory->offset), members, a, b);
    ensures order: \result == SNPY_OK ==> zip_order_ok(members, count, count) && zip_order_whole(members, count);
    ensures sorted: \result == SNPY_OK ==> sorted(central, \old(directory->offset), members, 1, count);
 */
snpy_status snpy_zip_keys(const uint8_t *central, size_t length, const snpy_zip_directory *directory,
                          snpy_zip_member *members, size_t count, snpy_error *error)
{
    uint64_t base = directory->offset;
    if (count > SNPY_ZIP_MAX_MEMBERS || base > SNPY_MAX_SIZE || length > SNPY_MAX_SIZE - base)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    if (!names_lie_inside(members, count, base, length)) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    sort(central, length, base, members, count);
    size_t first = first_again(central, length, base, members, count);
    return report_keys(central, length, base, members, count, first, error);
}
