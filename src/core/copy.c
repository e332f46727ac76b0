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

/* Whether numbers of so many bytes fill blocks; `is_unit` of the logic. */
#define FILLS_BLOCKS(unit) ((unit) == 1 || (unit) == 2 || (unit) == 4 || (unit) == 8 || (unit) == 16)

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
        //@ ghost if (FILLS_BLOCKS(unit)) show_number((uint64_t)offset, (uint64_t)at, unit);
        reverse(from, to, at, unit);
        /*@ assert here: is_unit(unit) ==>
                         \forall integer k; at <= k < at + unit ==> to[k] == from[mirror(k, offset, unit)]; */
        at += unit;
    }
    /*@ ghost if (FILLS_BLOCKS(unit) && (end - offset) % unit == 0)
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
        //@ ghost if (FILLS_BLOCKS(unit)) show_number((uint64_t)offset, (uint64_t)at, unit);
        reverse_here(p, at, unit);
        /*@ assert here: is_unit(unit) ==>
                \forall integer k; at <= k < at + unit ==> p[k] == \at(p[mirror(k, offset, unit)], Pre); */
        at += unit;
    }
    /*@ ghost if (FILLS_BLOCKS(unit) && (end - offset) % unit == 0)
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
    /*@ ghost if (run->action == SNPY_ACTION_SWAP && FILLS_BLOCKS(run->unit) && (run->end - run->offset) % run->unit == 0)
                  show_all_inside((uint64_t)run->offset, (uint64_t)run->end, run->unit); */
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
 */
static void convert_run(uint8_t *p, const snpy_run *run)
{
    /*@ ghost if (run->action == SNPY_ACTION_SWAP && FILLS_BLOCKS(run->unit) && (run->end - run->offset) % run->unit == 0)
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
    ensures NPY_VALUE_001: in_order(plan) ==> is_copied{Post, Post}(from, to, plan);
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
    ensures NPY_VALUE_001: in_order(plan) ==> is_copied{Pre, Post}(p, p, plan);
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

/* Shown as ghost functions, which are proved like any other: what is true of a block is true where the block lies. */
/*@ ghost
    /@ requires is_unit(unit) && at % BLOCK == 0;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures shifted: mirror(at + k, 0, unit) == at + mirror(k, 0, unit);
       ensures number: (at + k) % unit == k % unit;
       ensures block: BLOCK % unit == 0; @/
    static void show_shift(uint64_t at, uint64_t k, int32_t unit)
    {
        /@ assert two: at % 2 == 0 && (at + k) % 2 == k % 2; @/
        /@ assert four: at % 4 == 0 && (at + k) % 4 == k % 4; @/
        /@ assert eight: at % 8 == 0 && (at + k) % 8 == k % 8; @/
        /@ assert sixteen: at % 16 == 0 && (at + k) % 16 == k % 16; @/
        /@ assert all: (at + k) % unit == k % unit; @/
        ;
    }

    /@ requires is_unit(unit) && at % BLOCK == 0 && count <= BLOCK && count % unit == 0 && at + count <= UINT64_MAX;
       requires \valid_read(to + (at .. at+count-1));
       requires placed: \forall integer k; 0 <= k < count ==> to[at + k] == block[mirror(k, 0, unit)];
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures placed: \forall integer k; at <= k < at + count ==> to[k] == block[mirror(k, 0, unit) - at];
       ensures inside: \forall integer k; at <= k < at + count ==> at <= mirror(k, 0, unit) < at + count; @/
    static void show_placed(const uint8_t *block, const uint8_t *to, uint64_t at, uint64_t count, int32_t unit)
    {
        uint64_t place = at;
        /@ loop invariant range: at <= place <= at + count;
           loop invariant placed: \forall integer k; at <= k < place ==> to[k] == block[mirror(k, 0, unit) - at];
           loop invariant inside: \forall integer k; at <= k < place ==> at <= mirror(k, 0, unit) < at + count;
           loop assigns place;
           loop variant at + count - place; @/
        while (place < at + count) {
            uint64_t i = place - at;
            show_inside(0, count, i, unit);
            show_shift(at, i, unit);
            /@ assert there: to[at + i] == block[mirror(i, 0, unit)]; @/
            /@ assert here: to[place] == block[mirror(place, 0, unit) - at]; @/
            /@ assert inside: at <= mirror(place, 0, unit) < at + count; @/
            place++;
        }
    } */

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
    ensures NPY_VALUE_001: \forall integer k; 0 <= k < BLOCK ==> to[k] == from[mirror(k, 0, 2)];
 */
static inline void reverse_2(const uint8_t *restrict from, uint8_t *restrict to)
{
    /*@ loop invariant range: 0 <= i <= BLOCK && i % 2 == 0;
        loop invariant reversed: \forall integer k; 0 <= k < i ==> to[k] == from[mirror(k, 0, 2)];
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
    ensures NPY_VALUE_001: \forall integer k; 0 <= k < BLOCK ==> to[k] == from[mirror(k, 0, 4)];
 */
static inline void reverse_4(const uint8_t *restrict from, uint8_t *restrict to)
{
    /*@ loop invariant range: 0 <= i <= BLOCK && i % 4 == 0;
        loop invariant reversed: \forall integer k; 0 <= k < i ==> to[k] == from[mirror(k, 0, 4)];
        loop assigns i, to[0 .. BLOCK-1];
        loop variant BLOCK - i; */
    for (uint32_t i = 0; i < BLOCK; i += 4) {
        to[i] = from[i + 3];
        to[i + 1] = from[i + 2];
        to[i + 2] = from[i + 1];
        to[i + 3] = from[i];
        //@ assert here: \forall integer k; i <= k < i + 4 ==> mirror(k, 0, 4) == 2 * i + 3 - k;
    }
}

/* The two pairs of bytes that begin at `j`, in reverse, to `i`; the bytes of a pair stay as they are. */
/*@ requires \valid_read(from + (j .. j+3)) && \valid(to + (i .. i+3)) && i % 4 == 0 && i <= 2 * BLOCK && j <= 2 * BLOCK;
    requires \separated(from + (j .. j+3), to + (i .. i+3));
    terminates \true;
    exits \false;
    assigns to[i .. i+3];
    ensures pairs: \forall integer k; i <= k < i + 4 ==> to[k] == from[pair(k, 4) + j - i];
 */
static inline void reverse_2_pairs(const uint8_t *restrict from, uint8_t *restrict to, uint32_t i, uint32_t j)
{
    //@ assert first: pair(i, 4) == i + 2 && pair(i + 1, 4) == i + 3;
    //@ assert last: pair(i + 2, 4) == i && pair(i + 3, 4) == i + 1;
    to[i] = from[j + 2];
    to[i + 1] = from[j + 3];
    //@ assert so_far: \forall integer k; i <= k < i + 2 ==> to[k] == from[pair(k, 4) + j - i];
    to[i + 2] = from[j];
    to[i + 3] = from[j + 1];
}

/* Likewise the four pairs. */
/*@ requires \valid_read(from + (j .. j+7)) && \valid(to + (i .. i+7)) && i % 8 == 0 && j <= BLOCK && i <= BLOCK;
    requires \separated(from + (j .. j+7), to + (i .. i+7));
    terminates \true;
    exits \false;
    assigns to[i .. i+7];
    ensures pairs: \forall integer k; i <= k < i + 8 ==> to[k] == from[pair(k, 8) + j - i];
 */
static inline void reverse_4_pairs(const uint8_t *restrict from, uint8_t *restrict to, uint32_t i, uint32_t j)
{
    //@ assert low: \forall integer k; i <= k < i + 4 ==> pair(k, 8) == pair(k, 4) + 4;
    //@ assert high: \forall integer k; i + 4 <= k < i + 8 ==> pair(k, 8) == pair(k, 4) - 4;
    reverse_2_pairs(from, to, i, j + 4);
    reverse_2_pairs(from, to, i + 4, j);
}

/* The pairs of bytes in each 8 bytes, in reverse. */
/*@ requires \valid_read(from + (0 .. BLOCK-1)) && \valid(to + (0 .. BLOCK-1));
    requires \separated(from + (0 .. BLOCK-1), to + (0 .. BLOCK-1));
    terminates \true;
    exits \false;
    assigns to[0 .. BLOCK-1];
    ensures pairs: \forall integer k; 0 <= k < BLOCK ==> to[k] == from[pair(k, 8)];
 */
static inline void reverse_pairs(const uint8_t *restrict from, uint8_t *restrict to)
{
    /*@ loop invariant range: 0 <= i <= BLOCK && i % 8 == 0;
        loop invariant pairs: \forall integer k; 0 <= k < i ==> to[k] == from[pair(k, 8)];
        loop assigns i, to[0 .. BLOCK-1];
        loop variant BLOCK - i; */
    for (uint32_t i = 0; i < BLOCK; i += 8) reverse_4_pairs(from, to, i, i);
}

/* Numbers of 8 bytes: in two steps, each of which is an instruction or two; all at once would be none. */
/*@ requires \valid_read(from + (0 .. BLOCK-1)) && \valid(to + (0 .. BLOCK-1));
    requires \separated(from + (0 .. BLOCK-1), to + (0 .. BLOCK-1));
    terminates \true;
    exits \false;
    assigns to[0 .. BLOCK-1];
    ensures NPY_VALUE_001: \forall integer k; 0 <= k < BLOCK ==> to[k] == from[mirror(k, 0, 8)];
 */
static inline void reverse_8(const uint8_t *restrict from, uint8_t *restrict to)
{
    uint8_t pairs[BLOCK];
    reverse_2(from, pairs);
    reverse_pairs(pairs, to);
    //@ assert both: \forall integer k; 0 <= k < BLOCK ==> mirror(pair(k, 8), 0, 2) == mirror(k, 0, 8) && 0 <= pair(k, 8) < BLOCK;
}

/* The pairs of bytes in each 16 bytes, in reverse. */
/*@ requires \valid_read(from + (0 .. BLOCK-1)) && \valid(to + (0 .. BLOCK-1));
    requires \separated(from + (0 .. BLOCK-1), to + (0 .. BLOCK-1));
    terminates \true;
    exits \false;
    assigns to[0 .. BLOCK-1];
    ensures pairs: \forall integer k; 0 <= k < BLOCK ==> to[k] == from[pair(k, 16)];
 */
static inline void reverse_more_pairs(const uint8_t *restrict from, uint8_t *restrict to)
{
    /*@ loop invariant range: 0 <= i <= BLOCK && i % 16 == 0;
        loop invariant pairs: \forall integer k; 0 <= k < i ==> to[k] == from[pair(k, 16)];
        loop assigns i, to[0 .. BLOCK-1];
        loop variant BLOCK - i; */
    for (uint32_t i = 0; i < BLOCK; i += 16) {
        //@ assert low: \forall integer k; i <= k < i + 8 ==> pair(k, 16) == pair(k, 8) + 8;
        //@ assert high: \forall integer k; i + 8 <= k < i + 16 ==> pair(k, 16) == pair(k, 8) - 8;
        reverse_4_pairs(from, to, i, i + 8);
        reverse_4_pairs(from, to, i + 8, i);
    }
}

/* Numbers of 16 bytes, likewise. */
/*@ requires \valid_read(from + (0 .. BLOCK-1)) && \valid(to + (0 .. BLOCK-1));
    requires \separated(from + (0 .. BLOCK-1), to + (0 .. BLOCK-1));
    terminates \true;
    exits \false;
    assigns to[0 .. BLOCK-1];
    ensures NPY_VALUE_001: \forall integer k; 0 <= k < BLOCK ==> to[k] == from[mirror(k, 0, 16)];
 */
static inline void reverse_16(const uint8_t *restrict from, uint8_t *restrict to)
{
    uint8_t pairs[BLOCK];
    reverse_2(from, pairs);
    reverse_more_pairs(pairs, to);
    //@ assert both: \forall integer k; 0 <= k < BLOCK ==> mirror(pair(k, 16), 0, 2) == mirror(k, 0, 16) && 0 <= pair(k, 16) < BLOCK;
}

/* One block of numbers; a unit of 1 stands for bytes that stay in order. */
/*@ requires \valid_read(from + (0 .. BLOCK-1)) && \valid(to + (0 .. BLOCK-1));
    requires \separated(from + (0 .. BLOCK-1), to + (0 .. BLOCK-1));
    terminates \true;
    exits \false;
    assigns to[0 .. BLOCK-1];
    ensures NPY_VALUE_001: is_unit(unit) ==> \forall integer k; 0 <= k < BLOCK ==> to[k] == from[mirror(k, 0, unit)];
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
    ensures rest: \result <= size && size - \result < BLOCK && \result % BLOCK == 0;
    ensures NPY_VALUE_001: is_unit(unit) ==>
            \forall integer k; 0 <= k < \result ==> to[k] == from[mirror(k, 0, unit)];
 */
static inline uint64_t copy_blocks(const uint8_t *from, uint8_t *to, uint64_t size, int32_t unit)
{
    uint64_t at = 0;
    /*@ loop invariant range: 0 <= at <= size && at % BLOCK == 0;
        loop invariant reversed: is_unit(unit) ==> \forall integer k; 0 <= k < at ==> to[k] == from[mirror(k, 0, unit)];
        loop assigns at, to[0 .. size-1];
        loop variant size - at; */
    while (size - at >= BLOCK) {
        copy_block(from + at, to + at, unit);
        //@ ghost if (FILLS_BLOCKS(unit)) show_placed(from + at, to, at, BLOCK, unit);
        at += BLOCK;
    }
    return at;
}

/* Numbers that lie one behind the other. */
/*@ requires \valid_read(from + (0 .. size-1)) && \valid(to + (0 .. size-1)) && is_unit(unit) && size % unit == 0;
    requires \separated(from + (0 .. size-1), to + (0 .. size-1));
    terminates \true;
    exits \false;
    assigns to[0 .. size-1];
    ensures NPY_VALUE_001: \forall integer k; 0 <= k < size ==> to[k] == from[mirror(k, 0, unit)];
 */
static void copy_dense(const uint8_t *from, uint8_t *to, uint64_t size, int32_t unit)
{
    uint64_t at = unit == 16  ? copy_blocks(from, to, size, 16)
                  : unit == 8 ? copy_blocks(from, to, size, 8)
                  : unit == 4 ? copy_blocks(from, to, size, 4)
                  : unit == 2 ? copy_blocks(from, to, size, 2)
                              : copy_blocks(from, to, size, 1);
    if (at < size) {
        //@ ghost show_shift(at, size - at, unit);
        swap(from + at, to + at, 0, (int32_t)(size - at), unit);
        //@ ghost show_placed(from + at, to, at, size - at, unit);
    }
}

/* Likewise where they are. */
/*@ requires \valid(p + (0 .. size-1)) && is_unit(unit) && size % unit == 0;
    terminates \true;
    exits \false;
    assigns p[0 .. size-1];
    ensures NPY_VALUE_001: \forall integer k; 0 <= k < size ==> p[k] == \old(p[mirror(k, 0, unit)]);
 */
static void convert_dense(uint8_t *p, uint64_t size, int32_t unit)
{
    uint8_t old[BLOCK];
    uint64_t at = 0;
    /*@ loop invariant range: 0 <= at <= size && at % BLOCK == 0;
        loop invariant reversed: \forall integer k; 0 <= k < at ==> p[k] == \at(p[mirror(k, 0, unit)], Pre);
        loop invariant rest: \forall integer k; at <= k < size ==> p[k] == \at(p[k], Pre);
        loop assigns at, p[0 .. size-1], old[0 .. BLOCK-1];
        loop variant size - at; */
    while (size - at >= BLOCK) {
        //@ ghost show_shift(at, 0, unit);
        keep_block(p + at, old);
        copy_block(old, p + at, unit);
        //@ ghost show_placed(old, p, at, BLOCK, unit);
        at += BLOCK;
    }
    if (at < size) {
        const int32_t rest = (int32_t)(size - at);
        //@ ghost show_shift(at, size - at, unit);
        keep(p + at, old, 0, rest);
        swap(old, p + at, 0, rest, unit);
        //@ ghost show_placed(old, p, at, size - at, unit);
    }
}

/* Shown as a ghost function, which is proved like any other: a multiple of a unit stays one. */
/*@ ghost
    /@ requires is_unit(unit) && size % unit == 0 && size * length <= SNPY_MAX_SIZE;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures multiple: (size * length) % unit == 0; @/
    static void show_multiple(uint64_t size, uint64_t length, uint64_t unit)
    {
        uint64_t count = size / unit;
        /@ assert count: size == count * unit; @/
        /@ assert product: size * length == (count * length) * unit; @/
        /@ assert two: ((count * length) * 2) % 2 == 0; @/
        /@ assert of_two: unit == 2 ==> (size * length) % 2 == 0; @/
        /@ assert four: ((count * length) * 4) % 4 == 0; @/
        /@ assert of_four: unit == 4 ==> (size * length) % 4 == 0; @/
        /@ assert eight: ((count * length) * 8) % 8 == 0; @/
        /@ assert of_eight: unit == 8 ==> (size * length) % 8 == 0; @/
        /@ assert sixteen: ((count * length) * 16) % 16 == 0; @/
        /@ assert of_sixteen: unit == 16 ==> (size * length) % 16 == 0; @/
        ;
    } */

/* A size times a length, 0 if that is out of range. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result <= SNPY_MAX_SIZE;
    ensures product: \result == 0 || \result == size * length;
    ensures multiple: \forall integer u; is_unit(u) && size % u == 0 ==> \result % u == 0;
 */
static uint64_t enlarge(uint64_t size, uint64_t length)
{
    if (length == 0 || size > SNPY_MAX_SIZE / length) return 0;
    //@ ghost if (size % 2 == 0) show_multiple(size, length, 2);
    //@ ghost if (size % 4 == 0) show_multiple(size, length, 4);
    //@ ghost if (size % 8 == 0) show_multiple(size, length, 8);
    //@ ghost if (size % 16 == 0) show_multiple(size, length, 16);
    return size * length;
}

/* The bytes of all elements together if each lies directly behind the one before it, in C or Fortran order; else 0.
 * How far they reach is checked once more: that is cheaper than to prove it. */
/*@ requires \valid_read(view) && view_ok(view);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures room: \result != 0 ==> view->offset + \result <= view->data_size;
    ensures multiple: \forall integer u; is_unit(u) && view->itemsize % u == 0 ==> \result % u == 0;
 */
static uint64_t dense_size(const snpy_view *view, bool fortran_order)
{
    uint64_t size = view->itemsize;
    /*@ loop invariant range: 0 <= i <= view->ndim && size <= SNPY_MAX_SIZE;
        loop invariant multiple: \forall integer u; is_unit(u) && view->itemsize % u == 0 ==> size % u == 0;
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
    ensures multiple: \forall integer u; is_unit(u) && from->itemsize % u == 0 ==> \result % u == 0;
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
    ensures range: \result == 0 || is_unit(\result);
    ensures whole: \result != 0 ==> plan->count == 1 && plan->runs[0].offset == 0 && plan->runs[0].end == plan->itemsize
            && plan->itemsize % \result == 0;
    ensures action: \result != 0 ==> plan->runs[0].action == SNPY_ACTION_KEEP && \result == 1
            || plan->runs[0].action == SNPY_ACTION_SWAP && \result == plan->runs[0].unit;
 */
static int32_t dense_unit(const snpy_plan *plan)
{
    if (plan->count != 1) return 0;
    const snpy_run *run = &plan->runs[0];
    if (run->offset != 0 || run->end != (int64_t)plan->itemsize || run->action == SNPY_ACTION_ZERO) return 0;
    if (run->action == SNPY_ACTION_KEEP) return 1;
    if (!FILLS_BLOCKS(run->unit)) return 0;
    return run->end % run->unit == 0 ? run->unit : 0;
}

/* All elements, one after the other. */
/*@ requires \valid_read(from) && view_ok(from) && \valid_read(to) && view_ok(to) && \valid_read(plan) && plan_ok(plan);
    requires from->count == to->count && from->itemsize == plan->itemsize && to->itemsize == plan->itemsize;
    requires \valid_read(data + (0 .. from->data_size-1)) && \valid(out + (0 .. to->data_size-1));
    requires \object_pointer(data) && \object_pointer(out);
    requires \separated(out + (0 .. to->data_size-1), data + (0 .. from->data_size-1));
    requires \separated(out + (0 .. to->data_size-1), from, to, plan, plan->runs + (0 .. plan->count-1));
    terminates \true;
    exits \false;
    assigns out[0 .. to->data_size-1];
    ensures NPY_DATA_008: in_order(plan) && is_spread(to) ==> \forall integer g; 0 <= g < from->count ==>
            is_copied{Post, Post}(data + place(from, g), out + place(to, g), plan);
 */
static void copy_each(const snpy_view *from, const uint8_t *data, const snpy_plan *plan, const snpy_view *to,
                      uint8_t *out)
{
    /*@ loop invariant range: 0 <= f <= from->count;
        loop invariant copied: in_order(plan) && is_spread(to) ==> \forall integer g; 0 <= g < f ==>
            is_copied{Here, Here}(data + place(from, g), out + place(to, g), plan);
        loop invariant source: \forall integer g; 0 <= g < f ==>
            0 <= place(from, g) && place(from, g) + from->itemsize <= from->data_size;
        loop assigns f, out[0 .. to->data_size-1];
        loop variant from->count - f; */
    for (uint64_t f = 0; f < from->count; f++) {
        uint64_t source = snpy_view_place(from, f);
        uint64_t target = snpy_view_place(to, f);
        //@ assert places: source == place(from, f) && target == place(to, f);
        /*@ assert apart: is_spread(to) ==> \forall integer g; 0 <= g < f ==>
                place(to, g) + to->itemsize <= target || target + to->itemsize <= place(to, g); */
        //@ ghost Before:;
        copy_element(data + source, out + target, plan);
        /*@ assert kept: is_spread(to) ==> \forall integer g; 0 <= g < f ==>
                is_same{Before, Here}(out + place(to, g), to->itemsize); */
        //@ assert source: \forall integer g; 0 <= g < f ==> is_same{Before, Here}(data + place(from, g), from->itemsize);
        //@ assert this: in_order(plan) ==> is_copied{Here, Here}(data + place(from, f), out + place(to, f), plan);
        /*@ assert others: in_order(plan) && is_spread(to) ==> \forall integer g; 0 <= g < f ==>
                is_copied{Here, Here}(data + place(from, g), out + place(to, g), plan); */
    }
}

/* Likewise where they are. */
/*@ requires \valid_read(view) && view_ok(view) && \valid_read(plan) && plan_ok(plan);
    requires view->itemsize == plan->itemsize;
    requires \valid(data + (0 .. view->data_size-1)) && \object_pointer(data);
    requires \separated(data + (0 .. view->data_size-1), view, plan, plan->runs + (0 .. plan->count-1));
    terminates \true;
    exits \false;
    assigns data[0 .. view->data_size-1];
    ensures NPY_DATA_008: in_order(plan) && is_spread(view) ==> \forall integer g; 0 <= g < view->count ==>
            is_copied{Pre, Post}(data + place(view, g), data + place(view, g), plan);
 */
static void convert_each(const snpy_view *view, uint8_t *data, const snpy_plan *plan)
{
    /*@ loop invariant range: 0 <= f <= view->count;
        loop invariant copied: in_order(plan) && is_spread(view) ==> \forall integer g; 0 <= g < f ==>
            is_copied{Pre, Here}(data + place(view, g), data + place(view, g), plan);
        loop invariant rest: is_spread(view) ==> \forall integer g; f <= g < view->count ==>
            is_same{Pre, Here}(data + place(view, g), view->itemsize);
        loop assigns f, data[0 .. view->data_size-1];
        loop variant view->count - f; */
    for (uint64_t f = 0; f < view->count; f++) {
        uint64_t at = snpy_view_place(view, f);
        //@ assert place: at == place(view, f);
        /*@ assert apart: is_spread(view) ==> \forall integer g; 0 <= g < view->count && g != f ==>
                place(view, g) + view->itemsize <= at || at + view->itemsize <= place(view, g); */
        //@ ghost Before:;
        convert_element(data + at, plan);
        /*@ assert kept: is_spread(view) ==> \forall integer g; 0 <= g < view->count && g != f ==>
                is_same{Before, Here}(data + place(view, g), view->itemsize); */
        /*@ assert this: in_order(plan) && is_spread(view) ==>
                is_copied{Pre, Here}(data + place(view, f), data + place(view, f), plan); */
        /*@ assert others: in_order(plan) && is_spread(view) ==> \forall integer g; 0 <= g < f ==>
                is_copied{Pre, Here}(data + place(view, g), data + place(view, g), plan); */
    }
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
    copy_each(from, data, plan, to, out);
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
    convert_each(view, data, plan);
    return snpy_fail(error, SNPY_OK, 0);
}
