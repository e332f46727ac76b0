/* key.c: finds equal keys by sorting all names. To compare each with each would take quadratic time on a hostile
 * archive.                                                                                   NPZ-NAME-005, NPZ-NAME-006
 * Proves that the sort stays inside its column. member_name.c decodes names. */
#include "core/zip/member_name.h"

/* clang-format off */
/*@ // the names of the members below n lie in the directory's bytes, which begin at `base` in the file
    predicate zip_names_ok(snpy_zip_member *m, integer n, integer base, integer length) =
        \forall integer k; 0 <= k < n ==> base <= m[k].central_offset
        && m[k].central_offset + SNPY_ZIP_CENTRAL_SIZE + m[k].name_length <= base + length;
    predicate zip_order_ok(snpy_zip_member *m, integer used, integer n) =
        \forall integer k; 0 <= k < used ==> 0 <= m[k].order_ < n;
*/
/* clang-format on */

/* Compares the keys of two members. Returns -1, 0 or 1.                                                 NPZ-NAME-006 */
/*@ requires \valid_read(central + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE && a < count && b < count;
    requires \valid_read(members + (0 .. count-1)) && zip_names_ok(members, count, base, length);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: -1 <= \result <= 1;
 */
static int compare_keys(const uint8_t *central, size_t length, uint64_t base, const snpy_zip_member *members,
                        size_t count, uint32_t a, uint32_t b)
{
    const uint8_t *left = central + (size_t)(members[a].central_offset - base) + SNPY_ZIP_CENTRAL_SIZE;
    const uint8_t *right = central + (size_t)(members[b].central_offset - base) + SNPY_ZIP_CENTRAL_SIZE;
    size_t left_length = snpy_zip_key_length(left, members[a].name_length);
    size_t right_length = snpy_zip_key_length(right, members[b].name_length);
    (void)length; /* used in the contract only */
    (void)count;
    return snpy_zip_compare_names(left, left_length, members[a].flags, right, right_length, members[b].flags);
}

/* Whether a member sorts before another; equal keys are in the order of the directory. */
/*@ requires \valid_read(central + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE && a < count && b < count;
    requires \valid_read(members + (0 .. count-1)) && zip_names_ok(members, count, base, length);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_before(const uint8_t *central, size_t length, uint64_t base, const snpy_zip_member *members,
                      size_t count, uint32_t a, uint32_t b)
{
    int order = compare_keys(central, length, base, members, count, a, b);
    return order < 0 || (order == 0 && a < b);
}

/* Swaps two positions of the order. */
/*@ requires a < total && b < total && total <= count && \valid(members + (0 .. count-1));
    requires zip_order_ok(members, total, count);
    terminates \true;
    exits \false;
    assigns members[0 .. count-1].order_;
    ensures order: zip_order_ok(members, total, count);
 */
static void swap_order(snpy_zip_member *members, size_t a, size_t b, size_t total, size_t count)
{
    uint32_t order = members[a].order_;
    (void)total; /* used in the contract only */
    (void)count;
    members[a].order_ = members[b].order_;
    members[b].order_ = order;
}

/* A step of heap sort: moves the member at `root` down, among the first `used`, until both below it sort before it. */
/*@ requires \valid_read(central + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires root < used <= count <= SNPY_ZIP_MAX_MEMBERS && \valid(members + (0 .. count-1));
    requires zip_names_ok(members, count, base, length) && zip_order_ok(members, count, count);
    requires \separated(members + (0 .. count-1), central + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns members[0 .. count-1].order_;
    ensures order: zip_order_ok(members, count, count);
 */
static void sift_down(const uint8_t *central, size_t length, uint64_t base, snpy_zip_member *members, size_t count,
                      size_t root, size_t used)
{
    size_t at = root;
    /*@ loop invariant range: root <= at < used;
        loop invariant order: zip_order_ok(members, count, count);
        loop assigns at, members[0 .. count-1].order_;
        loop variant used - at; */
    while (at < used / 2) {
        size_t child = 2 * at + 1;
        if (child + 1 < used &&
            is_before(central, length, base, members, count, members[child].order_, members[child + 1].order_))
            child++;
        if (!is_before(central, length, base, members, count, members[at].order_, members[child].order_)) return;
        swap_order(members, at, child, count, count);
        at = child;
    }
}

/* Sorts all members: builds the heap, then moves the greatest key to the end, again and again. */
/*@ requires \valid_read(central + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires count <= SNPY_ZIP_MAX_MEMBERS && \valid(members + (0 .. count-1));
    requires zip_names_ok(members, count, base, length);
    requires \separated(members + (0 .. count-1), central + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns members[0 .. count-1].order_;
    ensures order: zip_order_ok(members, count, count);
 */
static void sort(const uint8_t *central, size_t length, uint64_t base, snpy_zip_member *members, size_t count)
{
    /*@ loop invariant range: 0 <= i <= count;
        loop invariant order: zip_order_ok(members, i, count);
        loop assigns i, members[0 .. count-1].order_;
        loop variant count - i; */
    for (size_t i = 0; i < count; i++) members[i].order_ = (uint32_t)i;
    /*@ loop invariant range: 0 <= i <= count / 2;
        loop invariant order: zip_order_ok(members, count, count);
        loop assigns i, members[0 .. count-1].order_;
        loop variant i; */
    for (size_t i = count / 2; i > 0; i--) sift_down(central, length, base, members, count, i - 1, count);
    /*@ loop invariant range: 0 <= end <= count;
        loop invariant order: zip_order_ok(members, count, count);
        loop assigns end, members[0 .. count-1].order_;
        loop variant end; */
    for (size_t end = count; end > 1; end--) {
        swap_order(members, 0, end - 1, count, count);
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

/* Returns the first member whose key an earlier member has; `count` if there is none. */
/*@ requires \valid_read(central + (0 .. length-1)) && base + length <= SNPY_MAX_SIZE;
    requires count <= SNPY_ZIP_MAX_MEMBERS && \valid_read(members + (0 .. count-1));
    requires zip_names_ok(members, count, base, length) && zip_order_ok(members, count, count);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= count;
 */
static size_t first_again(const uint8_t *central, size_t length, uint64_t base, const snpy_zip_member *members,
                          size_t count)
{
    size_t first = count;
    /*@ loop invariant range: 1 <= i && (i <= count || count == 0) && first <= count;
        loop assigns i, first;
        loop variant count - i; */
    for (size_t i = 1; i < count; i++) {
        uint32_t member = members[i].order_;
        if (member < first && compare_keys(central, length, base, members, count, members[i - 1].order_, member) == 0)
            first = member;
    }
    return first;
}

/*@ requires \valid_read(central + (0 .. length-1)) && \valid_read(directory) && \valid(error);
    requires \valid(members + (0 .. count-1)) && \object_pointer(members);
    requires \separated(members + (0 .. count-1), error, directory, central + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns members[0 .. count-1].order_, error->status, error->offset;
    ensures result: \result == error->status;
    ensures status: \result == SNPY_OK || \result == SNPY_BAD_ARGUMENT || \result == SNPY_ZIP_DUPLICATE_KEY;
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
    if (first == count) return snpy_fail(error, SNPY_OK, 0);
    return snpy_fail(error, SNPY_ZIP_DUPLICATE_KEY, members[first].central_offset + SNPY_ZIP_CENTRAL_SIZE);
}
