/* copy.c: elements from one place to another.                                   NPY-VALUE-001, 011, 012, NPY-DATA-008
 * Proves that nothing is read outside the data and nothing written outside the caller's memory, and that the work
 * ends. Leaves where elements lie to view.c, and speed to the host's transfer.c, which is tested against this.
 *
 * It is the plain way: element for element, byte for byte; but where all elements of both views lie one behind the
 * other, they are taken in blocks of constant length, which compilers turn into a few wide instructions. */
#include "safenpy/copy.h"
#include "core/view.h"
#include "spec/logic/copy.h"

/* clang-format off */
/* A run within an element of `itemsize` bytes. */
#define RUN_OK(r, itemsize) \
    (0 <= (r).offset <= (r).end && (r).end <= (itemsize) && 1 <= (r).unit <= 16 && \
     SNPY_ACTION_KEEP <= (r).action <= SNPY_ACTION_ZERO)

/*@ predicate plan_ok(snpy_plan *p) =
        p->itemsize <= SNPY_MAX_ITEMSIZE && \valid_read(p->runs + (0 .. p->count - 1)) && \object_pointer(p->runs)
        && \forall integer k; 0 <= k < p->count ==> RUN_OK(p->runs[k], p->itemsize); */
/* clang-format on */

/* Whether every run of a plan lies within the element; *at is the one at fault. */
/*@ requires \valid_read(plan) && \valid_read(plan->runs + (0 .. plan->count-1)) && \object_pointer(plan->runs);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures ok: \result == plan->count <==> plan_ok(plan);
    ensures range: 0 <= \result <= plan->count + 1;
 */
static uint64_t find_bad_run(const snpy_plan *plan)
{
    uint64_t count = plan->count;
    if (plan->itemsize > SNPY_MAX_ITEMSIZE) return count + 1;
    /*@ loop invariant range: 0 <= k <= count;
        loop invariant ok: \forall integer j; 0 <= j < k ==> RUN_OK(plan->runs[j], plan->itemsize);
        loop assigns k;
        loop variant count - k; */
    for (uint64_t k = 0; k < count; k++) {
        const snpy_run *run = &plan->runs[k];
        if (run->offset < 0 || run->offset > run->end || run->end > (int64_t)plan->itemsize || run->unit < 1 ||
            run->unit > 16 || run->action < SNPY_ACTION_KEEP || run->action > SNPY_ACTION_ZERO)
            return k;
    }
    return count;
}

/*@ requires \valid_read(plan) && \valid(error) && \separated(plan, error);
    requires \valid_read(plan->runs + (0 .. plan->count-1)) && \object_pointer(plan->runs);
    requires \separated(error, plan->runs + (0 .. plan->count-1));
    terminates \true;
    exits \false;
    assigns error->status, error->offset;
    ensures result: \result == error->status && (\result == SNPY_OK || \result == SNPY_BAD_ARGUMENT);
    ensures API_VIEW: \result == SNPY_OK <==> \old(plan_ok(plan));
 */
snpy_status snpy_plan_check(const snpy_plan *plan, snpy_error *error)
{
    uint64_t at = find_bad_run(plan);
    return at == plan->count ? snpy_fail(error, SNPY_OK, 0) : snpy_fail(error, SNPY_BAD_ARGUMENT, at);
}

/* Shown as ghost functions, which are proved like any other: where numbers of a unit begin. */
/*@ ghost
    /@ requires is_unit(unit) && 0 <= at && at % unit == 0 && 0 <= k < unit;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures next: (at + unit) % unit == 0;
       ensures within: (at + k) % unit == k; @/
    static void show_byte(uint64_t at, uint64_t k, int32_t unit)
    {
        if (unit == 16) return;
        if (unit == 8) return;
        if (unit == 4) return;
        if (unit == 2) return;
        /@ assert one: unit == 1; @/
        ;
    }

    /@ requires is_unit(unit) && 0 <= offset <= at && (at - offset) % unit == 0 && at + unit <= UINT64_MAX;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures next: (at + unit - offset) % unit == 0;
       ensures within: \forall integer k; at <= k < at + unit ==>
                       mirror(k, offset, unit) == 2 * at - k + unit - 1; @/
    static void show_number(uint64_t offset, uint64_t at, int32_t unit)
    {
        uint64_t i = at;
        show_byte(at - offset, 0, unit);
        /@ loop invariant range: at <= i <= at + unit;
           loop invariant within: \forall integer k; at <= k < i ==>
                                  mirror(k, offset, unit) == 2 * at - k + unit - 1;
           loop assigns i;
           loop variant at + unit - i; @/
        while (i < at + (uint64_t)unit) {
            show_byte(at - offset, i - at, unit);
            /@ assert here: mirror(i, offset, unit) == 2 * at - i + unit - 1; @/
            i++;
        }
    }

    /@ requires is_unit(unit) && 0 <= offset <= k < end && (end - offset) % unit == 0;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures inside: offset <= mirror(k, offset, unit) < end; @/
    static void show_inside(uint64_t offset, uint64_t end, uint64_t k, int32_t unit)
    {
        if (unit == 16) return;
        if (unit == 8) return;
        if (unit == 4) return;
        if (unit == 2) return;
        /@ assert one: unit == 1; @/
        ;
    }

    /@ requires is_unit(unit) && 0 <= offset <= end && (end - offset) % unit == 0;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures inside: \forall integer k; offset <= k < end ==> offset <= mirror(k, offset, unit) < end; @/
    static void show_all_inside(uint64_t offset, uint64_t end, int32_t unit)
    {
        uint64_t i = offset;
        /@ loop invariant range: offset <= i <= end;
           loop invariant inside: \forall integer k; offset <= k < i ==> offset <= mirror(k, offset, unit) < end;
           loop assigns i;
           loop variant end - i; @/
        while (i < end) {
            show_inside(offset, end, i, unit);
            i++;
        }
    }

    /@ requires is_unit(unit) && 0 <= at <= end && at % unit == 0 && end % unit == 0 && end - at < unit;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures last: at == end; @/
    static void show_last(uint64_t at, uint64_t end, int32_t unit)
    {
        if (unit == 16) return;
        if (unit == 8) return;
        if (unit == 4) return;
        if (unit == 2) return;
        /@ assert one: unit == 1; @/
        ;
    } */

/* The bytes offset .. end-1 of an element, from one place to another that does not overlap it. */
/*@ requires \valid_read(from + (offset .. end-1)) && \valid(to + (offset .. end-1)) && 0 <= offset <= end;
    requires \separated(from + (offset .. end-1), to + (offset .. end-1));
    terminates \true;
    exits \false;
    assigns to[offset .. end-1];
    ensures same: \forall integer k; offset <= k < end ==> to[k] == from[k];
 */
static void keep(const uint8_t *from, uint8_t *to, int32_t offset, int32_t end)
{
    /*@ loop invariant range: offset <= i <= end;
        loop invariant same: \forall integer k; offset <= k < i ==> to[k] == from[k];
        loop assigns i, to[offset .. end-1];
        loop variant end - i; */
    for (int32_t i = offset; i < end; i++) to[i] = from[i];
}

/*@ requires \valid(to + (offset .. end-1)) && 0 <= offset <= end;
    terminates \true;
    exits \false;
    assigns to[offset .. end-1];
    ensures zeros: \forall integer k; offset <= k < end ==> to[k] == 0;
 */
static void zero(uint8_t *to, int32_t offset, int32_t end)
{
    /*@ loop invariant range: offset <= i <= end;
        loop invariant zeros: \forall integer k; offset <= k < i ==> to[k] == 0;
        loop assigns i, to[offset .. end-1];
        loop variant end - i; */
    for (int32_t i = offset; i < end; i++) to[i] = 0;
}

/* The number of `unit` bytes that begins at `at`, its bytes reversed. */
/*@ requires \valid_read(from + (at .. at+unit-1)) && \valid(to + (at .. at+unit-1));
    requires 0 <= at && 1 <= unit <= 16 && at + unit <= INT32_MAX;
    requires \separated(from + (at .. at+unit-1), to + (at .. at+unit-1));
    terminates \true;
    exits \false;
    assigns to[at .. at+unit-1];
    ensures NPY_VALUE_001: \forall integer k; at <= k < at + unit ==> to[k] == from[2 * at + unit - 1 - k];
 */
static inline void reverse(const uint8_t *from, uint8_t *to, int32_t at, int32_t unit)
{
    int32_t last = at + unit - 1;
    /*@ loop invariant range: 0 <= i <= unit;
        loop invariant reversed: \forall integer k; at <= k < at + i ==> to[k] == from[2 * at + unit - 1 - k];
        loop assigns i, to[at .. at+unit-1];
        loop variant unit - i; */
    for (int32_t i = 0; i < unit; i++) to[at + i] = from[last - i];
}

/* Likewise where it is. */
/*@ requires \valid(p + (at .. at+unit-1)) && 0 <= at && 1 <= unit <= 16 && at + unit <= INT32_MAX;
    terminates \true;
    exits \false;
    assigns p[at .. at+unit-1];
    ensures NPY_VALUE_001: \forall integer k; at <= k < at + unit ==> p[k] == \old(p[2 * at + unit - 1 - k]);
 */
static inline void reverse_here(uint8_t *p, int32_t at, int32_t unit)
{
    int32_t low = at;
    int32_t high = at + unit - 1;
    /*@ loop invariant range: at <= low <= high + 1 && low + high == 2 * at + unit - 1;
        loop invariant below: \forall integer k; at <= k < low ==> p[k] == \at(p[2 * at + unit - 1 - k], Pre);
        loop invariant above: \forall integer k; high < k < at + unit ==> p[k] == \at(p[2 * at + unit - 1 - k], Pre);
        loop invariant between: \forall integer k; low <= k <= high ==> p[k] == \at(p[k], Pre);
        loop assigns low, high, p[at .. at+unit-1];
        loop variant high - low; */
    while (low < high) {
        uint8_t byte = p[low];
        p[low++] = p[high];
        p[high--] = byte;
    }
}

/* All numbers of a run. */
/*@ requires \valid_read(from + (offset .. end-1)) && \valid(to + (offset .. end-1)) && 1 <= unit <= 16;
    requires 0 <= offset <= end && \separated(from + (offset .. end-1), to + (offset .. end-1));
    terminates \true;
    exits \false;
    assigns to[offset .. end-1];
    ensures NPY_VALUE_001: is_unit(unit) && (end - offset) % unit == 0 ==>
            \forall integer k; offset <= k < end ==> to[k] == from[mirror(k, offset, unit)];
 */
static void swap(const uint8_t *from, uint8_t *to, int32_t offset, int32_t end, int32_t unit)
{
    int32_t at = offset;
    /*@ loop invariant range: offset <= at <= end;
        loop invariant number: is_unit(unit) ==> (at - offset) % unit == 0;
        loop invariant reversed: is_unit(unit) ==>
            \forall integer k; offset <= k < at ==> to[k] == from[mirror(k, offset, unit)];
        loop assigns at, to[offset .. end-1];
        loop variant end - at; */
    while (end - at >= unit) {
        /*@ ghost if (unit == 1 || unit == 2 || unit == 4 || unit == 8 || unit == 16)
                      show_number((uint64_t)offset, (uint64_t)at, unit); */
        reverse(from, to, at, unit);
        /*@ assert here: is_unit(unit) ==>
                         \forall integer k; at <= k < at + unit ==> to[k] == from[mirror(k, offset, unit)]; */
        at += unit;
    }
    /*@ ghost if ((unit == 1 || unit == 2 || unit == 4 || unit == 8 || unit == 16) && (end - offset) % unit == 0)
                  show_last((uint64_t)(at - offset), (uint64_t)(end - offset), unit); */
}

/*@ requires \valid(p + (offset .. end-1)) && 1 <= unit <= 16 && 0 <= offset <= end;
    terminates \true;
    exits \false;
    assigns p[offset .. end-1];
    ensures NPY_VALUE_001: is_unit(unit) && (end - offset) % unit == 0 ==>
            \forall integer k; offset <= k < end ==> p[k] == \old(p[mirror(k, offset, unit)]);
 */
static void swap_here(uint8_t *p, int32_t offset, int32_t end, int32_t unit)
{
    int32_t at = offset;
    /*@ loop invariant range: offset <= at <= end;
        loop invariant number: is_unit(unit) ==> (at - offset) % unit == 0;
        loop invariant reversed: is_unit(unit) ==>
            \forall integer k; offset <= k < at ==> p[k] == \at(p[mirror(k, offset, unit)], Pre);
        loop invariant rest: \forall integer k; at <= k < end ==> p[k] == \at(p[k], Pre);
        loop assigns at, p[offset .. end-1];
        loop variant end - at; */
    while (end - at >= unit) {
        /*@ ghost if (unit == 1 || unit == 2 || unit == 4 || unit == 8 || unit == 16)
                      show_number((uint64_t)offset, (uint64_t)at, unit); */
        reverse_here(p, at, unit);
        /*@ assert here: is_unit(unit) ==>
                \forall integer k; at <= k < at + unit ==> p[k] == \at(p[mirror(k, offset, unit)], Pre); */
        at += unit;
    }
    /*@ ghost if ((unit == 1 || unit == 2 || unit == 4 || unit == 8 || unit == 16) && (end - offset) % unit == 0)
                  show_last((uint64_t)(at - offset), (uint64_t)(end - offset), unit); */
}

/* One run of an element. */
/*@ requires \valid_read(run) && 0 <= run->offset <= run->end && 1 <= run->unit <= 16;
    requires SNPY_ACTION_KEEP <= run->action <= SNPY_ACTION_ZERO;
    requires \valid_read(from + (run->offset .. run->end-1)) && \valid(to + (run->offset .. run->end-1));
    requires \separated(from + (run->offset .. run->end-1), to + (run->offset .. run->end-1));
    requires \separated(to + (run->offset .. run->end-1), run);
    terminates \true;
    exits \false;
    assigns to[run->offset .. run->end-1];
    ensures done: is_whole(*run) ==> is_done{Post, Post}(from, to, *run);
 */
static void copy_run(const uint8_t *from, uint8_t *to, const snpy_run *run)
{
    if (run->action == SNPY_ACTION_KEEP) keep(from, to, run->offset, run->end);
    if (run->action == SNPY_ACTION_SWAP) swap(from, to, run->offset, run->end, run->unit);
    if (run->action == SNPY_ACTION_ZERO) zero(to, run->offset, run->end);
}

/* Likewise where it is. */
/*@ requires \valid_read(run) && 0 <= run->offset <= run->end && 1 <= run->unit <= 16;
    requires SNPY_ACTION_KEEP <= run->action <= SNPY_ACTION_ZERO;
    requires \valid(p + (run->offset .. run->end-1)) && \separated(p + (run->offset .. run->end-1), run);
    terminates \true;
    exits \false;
    assigns p[run->offset .. run->end-1];
    ensures done: is_whole(*run) ==> is_done{Pre, Post}(p, p, *run);
    ensures inside: is_whole(*run) ==>
            \forall integer k; run->offset <= k < run->end ==> run->offset <= origin(*run, k) < run->end;
 */
static void convert_run(uint8_t *p, const snpy_run *run)
{
    /*@ ghost if (run->action == SNPY_ACTION_SWAP && (run->unit == 1 || run->unit == 2 || run->unit == 4
                  || run->unit == 8 || run->unit == 16) && (run->end - run->offset) % run->unit == 0)
                  show_all_inside((uint64_t)run->offset, (uint64_t)run->end, run->unit); */
    if (run->action == SNPY_ACTION_SWAP) swap_here(p, run->offset, run->end, run->unit);
    if (run->action == SNPY_ACTION_ZERO) zero(p, run->offset, run->end);
}

/* One element. */
/*@ requires \valid_read(plan) && plan_ok(plan);
    requires \valid_read(from + (0 .. plan->itemsize-1)) && \valid(to + (0 .. plan->itemsize-1));
    requires \separated(from + (0 .. plan->itemsize-1), to + (0 .. plan->itemsize-1));
    requires \separated(to + (0 .. plan->itemsize-1), plan, plan->runs + (0 .. plan->count-1));
    terminates \true;
    exits \false;
    assigns to[0 .. plan->itemsize-1];
    ensures NPY_VALUE_001: in_order(plan) ==>
            \forall integer k; 0 <= k < plan->count ==> is_done{Post, Post}(from, to, plan->runs[k]);
 */
static void copy_element(const uint8_t *from, uint8_t *to, const snpy_plan *plan)
{
    /*@ loop invariant range: 0 <= k <= plan->count;
        loop invariant done: in_order(plan) ==>
            \forall integer j; 0 <= j < k ==> is_done{Here, Here}(from, to, plan->runs[j]);
        loop assigns k, to[0 .. plan->itemsize-1];
        loop variant plan->count - k; */
    for (uint32_t k = 0; k < plan->count; k++) copy_run(from, to, &plan->runs[k]);
}

/*@ requires \valid_read(plan) && plan_ok(plan) && \valid(p + (0 .. plan->itemsize-1));
    requires \separated(p + (0 .. plan->itemsize-1), plan, plan->runs + (0 .. plan->count-1));
    terminates \true;
    exits \false;
    assigns p[0 .. plan->itemsize-1];
    ensures NPY_VALUE_001: \old(in_order(plan)) ==>
            \forall integer k; 0 <= k < plan->count ==> is_done{Pre, Post}(p, p, plan->runs[k]);
 */
static void convert_element(uint8_t *p, const snpy_plan *plan)
{
    /*@ loop invariant range: 0 <= k <= plan->count;
        loop invariant done: in_order(plan) ==>
            \forall integer j; 0 <= j < k ==> is_done{Pre, Here}(p, p, plan->runs[j]);
        loop invariant rest: in_order(plan) ==> \forall integer j, i;
            k <= j < plan->count && plan->runs[j].offset <= i < plan->runs[j].end ==> p[i] == \at(p[i], Pre);
        loop assigns k, p[0 .. plan->itemsize-1];
        loop variant plan->count - k; */
    for (uint32_t k = 0; k < plan->count; k++) convert_run(p, &plan->runs[k]);
}

/* Blocks of dense elements. */
#define BLOCK 64

/*@ requires \valid_read(from + (0 .. BLOCK-1)) && \valid(to + (0 .. BLOCK-1));
    requires \separated(from + (0 .. BLOCK-1), to + (0 .. BLOCK-1));
    terminates \true;
    exits \false;
    assigns to[0 .. BLOCK-1];
    ensures same: \forall integer k; 0 <= k < BLOCK ==> to[k] == from[k];
 */
static inline void keep_block(const uint8_t *restrict from, uint8_t *restrict to)
{
    /*@ loop invariant range: 0 <= i <= BLOCK;
        loop invariant same: \forall integer k; 0 <= k < i ==> to[k] == from[k];
        loop assigns i, to[0 .. BLOCK-1];
        loop variant BLOCK - i; */
    for (uint32_t i = 0; i < BLOCK; i++) to[i] = from[i];
}

/* Numbers of 2 bytes. */
/*@ requires \valid_read(from + (0 .. BLOCK-1)) && \valid(to + (0 .. BLOCK-1));
    requires \separated(from + (0 .. BLOCK-1), to + (0 .. BLOCK-1));
    terminates \true;
    exits \false;
    assigns to[0 .. BLOCK-1];
    ensures NPY_VALUE_001: \forall integer k; 0 <= k < BLOCK ==> to[k] == from[k + 1 - 2 * (k % 2)];
 */
static inline void reverse_2(const uint8_t *restrict from, uint8_t *restrict to)
{
    /*@ loop invariant range: 0 <= i <= BLOCK && i % 2 == 0;
        loop invariant reversed: \forall integer k; 0 <= k < i ==> to[k] == from[k + 1 - 2 * (k % 2)];
        loop assigns i, to[0 .. BLOCK-1];
        loop variant BLOCK - i; */
    for (uint32_t i = 0; i < BLOCK; i += 2) {
        to[i] = from[i + 1];
        to[i + 1] = from[i];
    }
}

/* Numbers of 4 bytes. */
/*@ requires \valid_read(from + (0 .. BLOCK-1)) && \valid(to + (0 .. BLOCK-1));
    requires \separated(from + (0 .. BLOCK-1), to + (0 .. BLOCK-1));
    terminates \true;
    exits \false;
    assigns to[0 .. BLOCK-1];
    ensures NPY_VALUE_001: \forall integer k; 0 <= k < BLOCK ==> to[k] == from[k + 3 - 2 * (k % 4)];
 */
static inline void reverse_4(const uint8_t *restrict from, uint8_t *restrict to)
{
    /*@ loop invariant range: 0 <= i <= BLOCK && i % 4 == 0;
        loop invariant reversed: \forall integer k; 0 <= k < i ==> to[k] == from[k + 3 - 2 * (k % 4)];
        loop assigns i, to[0 .. BLOCK-1];
        loop variant BLOCK - i; */
    for (uint32_t i = 0; i < BLOCK; i += 4) {
        to[i] = from[i + 3];
        to[i + 1] = from[i + 2];
        to[i + 2] = from[i + 1];
        to[i + 3] = from[i];
        //@ assert here: \forall integer k; i <= k < i + 4 ==> k % 4 == k - i;
    }
}

/* The pairs of bytes in each 8 bytes, in reverse; the bytes of a pair stay as they are. */
/*@ requires \valid_read(from + (0 .. BLOCK-1)) && \valid(to + (0 .. BLOCK-1));
    requires \separated(from + (0 .. BLOCK-1), to + (0 .. BLOCK-1));
    terminates \true;
    exits \false;
    assigns to[0 .. BLOCK-1];
 */
static inline void reverse_pairs(const uint8_t *restrict from, uint8_t *restrict to)
{
    /*@ loop invariant range: 0 <= i <= BLOCK && i % 8 == 0;
        loop assigns i, to[0 .. BLOCK-1];
        loop variant BLOCK - i; */
    for (uint32_t i = 0; i < BLOCK; i += 8) {
        to[i] = from[i + 6];
        to[i + 1] = from[i + 7];
        to[i + 2] = from[i + 4];
        to[i + 3] = from[i + 5];
        to[i + 4] = from[i + 2];
        to[i + 5] = from[i + 3];
        to[i + 6] = from[i];
        to[i + 7] = from[i + 1];
    }
}

/* Numbers of 8 bytes: in two steps, each of which is an instruction or two; all at once would be none. */
/*@ requires \valid_read(from + (0 .. BLOCK-1)) && \valid(to + (0 .. BLOCK-1));
    requires \separated(from + (0 .. BLOCK-1), to + (0 .. BLOCK-1));
    terminates \true;
    exits \false;
    assigns to[0 .. BLOCK-1];
 */
static inline void reverse_8(const uint8_t *restrict from, uint8_t *restrict to)
{
    uint8_t pairs[BLOCK];
    reverse_2(from, pairs);
    reverse_pairs(pairs, to);
}

/* The pairs of bytes in each 16 bytes, in reverse. */
/*@ requires \valid_read(from + (0 .. BLOCK-1)) && \valid(to + (0 .. BLOCK-1));
    requires \separated(from + (0 .. BLOCK-1), to + (0 .. BLOCK-1));
    terminates \true;
    exits \false;
    assigns to[0 .. BLOCK-1];
 */
static inline void reverse_more_pairs(const uint8_t *restrict from, uint8_t *restrict to)
{
    /*@ loop invariant range: 0 <= i <= BLOCK && i % 16 == 0;
        loop assigns i, to[0 .. BLOCK-1];
        loop variant BLOCK - i; */
    for (uint32_t i = 0; i < BLOCK; i += 16) {
        to[i] = from[i + 14];
        to[i + 1] = from[i + 15];
        to[i + 2] = from[i + 12];
        to[i + 3] = from[i + 13];
        to[i + 4] = from[i + 10];
        to[i + 5] = from[i + 11];
        to[i + 6] = from[i + 8];
        to[i + 7] = from[i + 9];
        to[i + 8] = from[i + 6];
        to[i + 9] = from[i + 7];
        to[i + 10] = from[i + 4];
        to[i + 11] = from[i + 5];
        to[i + 12] = from[i + 2];
        to[i + 13] = from[i + 3];
        to[i + 14] = from[i];
        to[i + 15] = from[i + 1];
    }
}

/* Numbers of 16 bytes, likewise. */
/*@ requires \valid_read(from + (0 .. BLOCK-1)) && \valid(to + (0 .. BLOCK-1));
    requires \separated(from + (0 .. BLOCK-1), to + (0 .. BLOCK-1));
    terminates \true;
    exits \false;
    assigns to[0 .. BLOCK-1];
 */
static inline void reverse_16(const uint8_t *restrict from, uint8_t *restrict to)
{
    uint8_t pairs[BLOCK];
    reverse_2(from, pairs);
    reverse_more_pairs(pairs, to);
}

/* One block of numbers; a unit of 1 stands for bytes that stay in order. */
/*@ requires \valid_read(from + (0 .. BLOCK-1)) && \valid(to + (0 .. BLOCK-1));
    requires \separated(from + (0 .. BLOCK-1), to + (0 .. BLOCK-1));
    terminates \true;
    exits \false;
    assigns to[0 .. BLOCK-1];
 */
static inline void copy_block(const uint8_t *from, uint8_t *to, int32_t unit)
{
    if (unit == 16)
        reverse_16(from, to);
    else if (unit == 8)
        reverse_8(from, to);
    else if (unit == 4)
        reverse_4(from, to);
    else if (unit == 2)
        reverse_2(from, to);
    else
        keep_block(from, to);
}

/* Blocks of numbers as far as there are whole ones; gives how far that is. Each caller names one unit, so that a compiler
 * can leave the choice out of the loop. */
/*@ requires \valid_read(from + (0 .. size-1)) && \valid(to + (0 .. size-1));
    requires \separated(from + (0 .. size-1), to + (0 .. size-1));
    terminates \true;
    exits \false;
    assigns to[0 .. size-1];
    ensures rest: \result <= size && size - \result < BLOCK;
 */
static inline uint64_t copy_blocks(const uint8_t *from, uint8_t *to, uint64_t size, int32_t unit)
{
    uint64_t at = 0;
    /*@ loop invariant range: 0 <= at <= size;
        loop assigns at, to[0 .. size-1];
        loop variant size - at; */
    while (size - at >= BLOCK) {
        copy_block(from + at, to + at, unit);
        at += BLOCK;
    }
    return at;
}

/* Numbers that lie one behind the other. */
/*@ requires \valid_read(from + (0 .. size-1)) && \valid(to + (0 .. size-1)) && 1 <= unit <= 16;
    requires \separated(from + (0 .. size-1), to + (0 .. size-1));
    terminates \true;
    exits \false;
    assigns to[0 .. size-1];
 */
static void copy_dense(const uint8_t *from, uint8_t *to, uint64_t size, int32_t unit)
{
    uint64_t at = unit == 16  ? copy_blocks(from, to, size, 16)
                  : unit == 8 ? copy_blocks(from, to, size, 8)
                  : unit == 4 ? copy_blocks(from, to, size, 4)
                  : unit == 2 ? copy_blocks(from, to, size, 2)
                              : copy_blocks(from, to, size, 1);
    if (at < size) swap(from + at, to + at, 0, (int32_t)(size - at), unit);
}

/* Likewise where they are. */
/*@ requires \valid(p + (0 .. size-1)) && 1 <= unit <= 16;
    terminates \true;
    exits \false;
    assigns p[0 .. size-1];
 */
static void convert_dense(uint8_t *p, uint64_t size, int32_t unit)
{
    uint8_t old[BLOCK];
    uint64_t at = 0;
    /*@ loop invariant range: 0 <= at <= size;
        loop assigns at, p[0 .. size-1], old[0 .. BLOCK-1];
        loop variant size - at; */
    while (size - at >= BLOCK) {
        keep_block(p + at, old);
        copy_block(old, p + at, unit);
        at += BLOCK;
    }
    if (at < size) swap_here(p + at, 0, (int32_t)(size - at), unit);
}

/* A size times a length, 0 if that is out of range. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result <= SNPY_MAX_SIZE;
 */
static uint64_t enlarge(uint64_t size, uint64_t length)
{
    return length == 0 || size > SNPY_MAX_SIZE / length ? 0 : size * length;
}

/* The bytes of all elements together if each lies directly behind the one before it, in C or Fortran order; else 0.
 * How far they reach is checked once more: that is cheaper than to prove it. */
/*@ requires \valid_read(view) && view_ok(view);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures room: \result != 0 ==> view->offset + \result <= view->data_size;
 */
static uint64_t dense_size(const snpy_view *view, bool fortran_order)
{
    uint64_t size = view->itemsize;
    /*@ loop invariant range: 0 <= i <= view->ndim && size <= SNPY_MAX_SIZE;
        loop assigns i, size;
        loop variant view->ndim - i; */
    for (uint32_t i = 0; i < view->ndim; i++) {
        uint32_t k = fortran_order ? i : view->ndim - 1 - i;
        uint64_t length = view->shape[k];
        if (length == 1) continue;
        if (view->strides[k] < 0 || (uint64_t)view->strides[k] != size) return 0;
        size = enlarge(size, length);
    }
    return view->offset <= view->data_size && size <= view->data_size - view->offset ? size : 0;
}

/* Whether two views with as many elements have the same shape. */
/*@ requires \valid_read(from) && view_ok(from) && \valid_read(to) && view_ok(to);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool have_one_shape(const snpy_view *from, const snpy_view *to)
{
    if (from->ndim != to->ndim) return false;
    /*@ loop invariant range: 0 <= k <= from->ndim;
        loop assigns k;
        loop variant from->ndim - k; */
    for (uint32_t k = 0; k < from->ndim; k++)
        if (from->shape[k] != to->shape[k]) return false;
    return true;
}

/* The bytes of all elements of two views if they lie one behind the other, in the same order; else 0. */
/*@ requires \valid_read(from) && view_ok(from) && \valid_read(to) && view_ok(to);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures from: \result != 0 ==> from->offset + \result <= from->data_size;
    ensures to: \result != 0 ==> to->offset + \result <= to->data_size;
 */
static uint64_t common_size(const snpy_view *from, const snpy_view *to)
{
    uint64_t size = dense_size(from, false);
    if (size != 0 && size == dense_size(to, false)) return size;
    size = dense_size(from, true);
    return size != 0 && size == dense_size(to, true) && have_one_shape(from, to) ? size : 0;
}

/* The unit in which all bytes of all elements can be copied at once, 0 if there is none. */
/*@ requires \valid_read(plan) && plan_ok(plan);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result <= 16;
 */
static int32_t dense_unit(const snpy_plan *plan)
{
    if (plan->count != 1) return 0;
    const snpy_run *run = &plan->runs[0];
    if (run->offset != 0 || run->end != (int64_t)plan->itemsize || run->action == SNPY_ACTION_ZERO) return 0;
    if (run->action == SNPY_ACTION_KEEP) return 1;
    if (BLOCK % run->unit != 0) return 0;
    return run->end % run->unit == 0 ? run->unit : 0;
}

/*@ requires \valid_read(from) && view_ok(from) && \valid_read(to) && view_ok(to) && \valid_read(plan) && \valid(error);
    requires \valid_read(data + (0 .. from->data_size-1)) && \valid(out + (0 .. to->data_size-1));
    requires \valid_read(plan->runs + (0 .. plan->count-1)) && \object_pointer(plan->runs);
    requires \object_pointer(data) && \object_pointer(out);
    requires \separated(out + (0 .. to->data_size-1), data + (0 .. from->data_size-1));
    requires \separated(out + (0 .. to->data_size-1), from, to, plan, error, plan->runs + (0 .. plan->count-1));
    requires \separated(error, from, to, plan, plan->runs + (0 .. plan->count-1));
    terminates \true;
    exits \false;
    assigns out[0 .. to->data_size-1], error->status, error->offset;
    ensures result: \result == error->status;
 */
snpy_status snpy_copy(const snpy_view *from, const uint8_t *data, const snpy_plan *plan, const snpy_view *to,
                      uint8_t *out, snpy_error *error)
{
    if (find_bad_run(plan) != plan->count || from->count != to->count || from->itemsize != plan->itemsize ||
        to->itemsize != plan->itemsize)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    const int32_t unit = dense_unit(plan);
    const uint64_t size = unit != 0 ? common_size(from, to) : 0;
    if (size != 0) {
        copy_dense(data + from->offset, out + to->offset, size, unit);
        return snpy_fail(error, SNPY_OK, 0);
    }
    if (plan->itemsize == 0) return snpy_fail(error, SNPY_OK, 0); /* there may be 2^62 elements without a byte */
    /*@ loop invariant range: 0 <= f <= from->count;
        loop assigns f, out[0 .. to->data_size-1];
        loop variant from->count - f; */
    for (uint64_t f = 0; f < from->count; f++) {
        uint64_t source = snpy_view_place(from, f);
        uint64_t target = snpy_view_place(to, f);
        copy_element(data + source, out + target, plan);
    }
    return snpy_fail(error, SNPY_OK, 0);
}

/*@ requires \valid_read(view) && view_ok(view) && \valid_read(plan) && \valid(error);
    requires \valid(data + (0 .. view->data_size-1)) && \object_pointer(data);
    requires \valid_read(plan->runs + (0 .. plan->count-1)) && \object_pointer(plan->runs);
    requires \separated(data + (0 .. view->data_size-1), view, plan, error, plan->runs + (0 .. plan->count-1));
    requires \separated(error, view, plan, plan->runs + (0 .. plan->count-1));
    terminates \true;
    exits \false;
    assigns data[0 .. view->data_size-1], error->status, error->offset;
    ensures result: \result == error->status;
 */
snpy_status snpy_convert(const snpy_view *view, uint8_t *data, const snpy_plan *plan, snpy_error *error)
{
    if (find_bad_run(plan) != plan->count || view->itemsize != plan->itemsize)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    const int32_t unit = dense_unit(plan);
    const uint64_t size = unit != 0 ? common_size(view, view) : 0;
    if (size != 0) {
        if (unit > 1) convert_dense(data + view->offset, size, unit);
        return snpy_fail(error, SNPY_OK, 0);
    }
    if (plan->itemsize == 0) return snpy_fail(error, SNPY_OK, 0);
    /*@ loop invariant range: 0 <= f <= view->count;
        loop assigns f, data[0 .. view->data_size-1];
        loop variant view->count - f; */
    for (uint64_t f = 0; f < view->count; f++) {
        uint64_t place = snpy_view_place(view, f);
        convert_element(data + place, plan);
    }
    return snpy_fail(error, SNPY_OK, 0);
}
