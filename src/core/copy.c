/* copy.c: elements from one place to another.                                   NPY-VALUE-001, 011, 012, NPY-DATA-008
 * Proves that nothing is read outside the data and nothing written outside the caller's memory, that the work ends, and
 * that every element of a copy has the bytes that its plan says; of a conversion in place, that of each way by itself.
 * Leaves where elements lie to view.c, which plan is right to the host's plan.c, and speed to the host's transfer.c,
 * which is tested against this.
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

/* Shown as ghost functions, which are proved like any other: where numbers of a unit begin. A proof of its own for each
 * unit, since a remainder by a constant is what provers know. */
#define RETURN_BY_UNIT(unit)  \
    if ((unit) == 16) return; \
    if ((unit) == 8) return;  \
    if ((unit) == 4) return;  \
    if ((unit) == 2) return;

/*@ ghost
    /@ requires is_unit(unit) && 0 <= at && at % unit == 0 && 0 <= k < unit;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures next: (at + unit) % unit == 0;
       ensures within: (at + k) % unit == k; @/
    static void show_byte(uint64_t at, uint64_t k, int32_t unit)
    {
        RETURN_BY_UNIT(unit)
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
        RETURN_BY_UNIT(unit)
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
        RETURN_BY_UNIT(unit)
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
    ensures NPY_VALUE_001: in_order(plan) ==> is_copied{Pre, Post, Post}(from, to, plan);
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
    ensures NPY_VALUE_001: in_order(plan) ==> is_copied{Pre, Pre, Post}(p, p, plan);
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
    /@ requires is_unit(unit) && at % unit == 0;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures shifted: mirror(at + k, 0, unit) == at + mirror(k, 0, unit);
       ensures number: (at + k) % unit == k % unit; @/
    static void show_shift(uint64_t at, uint64_t k, int32_t unit)
    {
        /@ assert two: unit == 2 ==> (at + k) % 2 == k % 2; @/
        /@ assert four: unit == 4 ==> (at + k) % 4 == k % 4; @/
        /@ assert eight: unit == 8 ==> (at + k) % 8 == k % 8; @/
        /@ assert sixteen: unit == 16 ==> (at + k) % 16 == k % 16; @/
        /@ assert all: (at + k) % unit == k % unit; @/
        ;
    }

    /@ requires is_unit(unit) && at % BLOCK == 0;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures number: at % unit == 0 && BLOCK % unit == 0; @/
    static void show_block(uint64_t at, int32_t unit)
    {
        /@ assert two: at % 2 == 0; @/
        /@ assert four: at % 4 == 0; @/
        /@ assert eight: at % 8 == 0; @/
        /@ assert sixteen: at % 16 == 0; @/
        ;
    }

    /@ requires is_unit(unit) && at % unit == 0 && i < count && count % unit == 0 && place == at + i;
       requires \valid_read(to + place) && to[at + i] == block[mirror(i, 0, unit)];
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures placed: to[place] == block[mirror(place, 0, unit) - at];
       ensures inside: at <= mirror(place, 0, unit) < at + count; @/
    static void show_one_placed(const uint8_t *block, const uint8_t *to, uint64_t at, uint64_t i, uint64_t place,
                                uint64_t count, int32_t unit)
    {
        show_inside(0, count, i, unit);
        show_shift(at, i, unit);
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
        show_block(at, unit);
        /@ loop invariant range: at <= place <= at + count;
           loop invariant placed: \forall integer k; at <= k < place ==> to[k] == block[mirror(k, 0, unit) - at];
           loop invariant inside: \forall integer k; at <= k < place ==> at <= mirror(k, 0, unit) < at + count;
           loop assigns place;
           loop variant at + count - place; @/
        while (place < at + count) {
            uint64_t i = place - at;
            /@ assert there: to[at + i] == block[mirror(i, 0, unit)]; @/
            show_one_placed(block, to, at, i, place, count, unit);
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
        //@ ghost if (FILLS_BLOCKS(unit)) show_block(at, unit);
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
        //@ ghost show_block(at, unit);
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
    ensures NPY_VALUE_001: is_mirrored{Pre, Post}(p, p, size, unit);
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
        //@ ghost show_block(at, unit);
        keep_block(p + at, old);
        copy_block(old, p + at, unit);
        //@ ghost show_placed(old, p, at, BLOCK, unit);
        at += BLOCK;
    }
    if (at < size) {
        const int32_t rest = (int32_t)(size - at);
        //@ ghost show_block(at, unit);
        //@ ghost show_shift(at, size - at, unit);
        keep(p + at, old, 0, rest);
        swap(old, p + at, 0, rest, unit);
        //@ ghost show_placed(old, p, at, size - at, unit);
    }
}

/* Shown as a ghost function, which is proved like any other: a multiple of a unit stays one. */
/*@ ghost
    /@ requires is_unit(unit) && is_multiple(size, unit);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures multiple: is_multiple(size * length, unit); @/
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
    }

    /@ requires 1 < length && 0 <= stride && stride == size;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures grown: hop(length - 1, stride) == size * length - size; @/
    static void show_more(uint64_t size, uint64_t length, int64_t stride)
    {
        show_hop(length - 1, stride);
    }

    /@ requires 0 <= stride && stride == size;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures grown: 1 <= length ==> hop(length - 1, stride) == size * length - size; @/
    static void show_grown(uint64_t size, uint64_t length, int64_t stride)
    {
        if (length > 1) show_more(size, length, stride);
    } */

/* A size times a length, 0 if that is out of range. */
/*@ requires is_unit(unit) && is_multiple(size, unit);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 0 <= \result <= SNPY_MAX_SIZE;
    ensures product: \result == 0 || size > 0 && length > 0 && \result == size * length;
    ensures multiple: is_multiple(\result, unit);
 */
static uint64_t enlarge(uint64_t size, uint64_t length) /*@ ghost (int32_t unit) */
{
    if (length == 0 || size > SNPY_MAX_SIZE / length) return 0;
    //@ ghost show_multiple(size, length, (uint64_t)unit);
    return size * length;
}

/* clang-format off */
#define LEAD(v, n) lead(&(v)->shape[0], &(v)->strides[0], n)
#define FLAT(v, n, f) flat_distance(&(v)->shape[0], &(v)->strides[0], n, f)
#define LEVEL(v, k) is_level((v)->shape[k], (v)->strides[k], unit)
/* clang-format on */

/* clang-format off */
/*@ // a plan that makes the same of all bytes of an element: they stay as they are, or are numbers of `unit` bytes
    predicate is_dense_plan(snpy_plan *p, integer unit) =
        p->count == 1 && is_unit(unit) && p->runs[0].offset == 0 && p->runs[0].end == p->itemsize
        && is_multiple(p->itemsize, unit)
        && (p->runs[0].action == SNPY_ACTION_KEEP && unit == 1
            || p->runs[0].action == SNPY_ACTION_SWAP && unit == p->runs[0].unit);

    // two views of the same shape whose elements fill `size` bytes, in the same order
    predicate are_dense(snpy_view *a, snpy_view *b, integer size, integer unit) =
        a->ndim == b->ndim && a->offset + size <= a->data_size && b->offset + size <= b->data_size
        && is_multiple(size, unit) && LEAD(a, a->ndim) == size - a->itemsize
        && \forall integer k; 0 <= k < a->ndim ==>
            LEVEL(a, k) && a->shape[k] == b->shape[k] && (a->shape[k] == 1 || a->strides[k] == b->strides[k]); */
/* clang-format on */

/* Shown as a ghost function, which is proved like any other: an axis more. */
/*@ ghost
    /@ requires \valid_read(view) && k < view->ndim <= SNPY_MAX_NDIM;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures lead: LEAD(view, k + 1) == LEAD(view, k) + hop(view->shape[k] - 1, view->strides[k]); @/
    static void show_lead_step(const snpy_view *view, uint32_t k)
    {
        ;
    } */

/* The bytes of all elements together if each lies directly behind the one before it, in C or Fortran order; else 0.
 * How far they reach is checked once more: that is cheaper than to prove it. */
/*@ requires \valid_read(view) && view_ok(view) && is_unit(unit) && is_multiple(view->itemsize, unit);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures room: \result != 0 ==> view->offset + \result <= view->data_size && \result <= SNPY_MAX_SIZE;
    ensures multiple: is_multiple(\result, unit);
    ensures level: \result != 0 ==> \forall integer k; 0 <= k < view->ndim ==> LEVEL(view, k);
    ensures lead: \result != 0 ==> LEAD(view, view->ndim) == \result - view->itemsize;
 */
static uint64_t dense_size(const snpy_view *view, bool fortran_order) /*@ ghost (int32_t unit) */
{
    uint64_t size = view->itemsize;
    /*@ loop invariant range: 0 <= i <= view->ndim && size <= SNPY_MAX_SIZE;
        loop invariant multiple: is_multiple(size, unit);
        loop invariant level: size != 0 && fortran_order ==> \forall integer k; 0 <= k < i ==> LEVEL(view, k);
        loop invariant level_c: size != 0 && !fortran_order ==>
            \forall integer k; view->ndim - i <= k < view->ndim ==> LEVEL(view, k);
        loop invariant lead: size != 0 && fortran_order ==> LEAD(view, i) == size - view->itemsize;
        loop invariant lead_c: size != 0 && !fortran_order ==>
            LEAD(view, view->ndim) == LEAD(view, view->ndim - i) + size - view->itemsize;
        loop assigns i, size;
        loop variant view->ndim - i; */
    for (uint32_t i = 0; i < view->ndim; i++) {
        uint32_t k = fortran_order ? i : view->ndim - 1 - i;
        uint64_t length = view->shape[k];
        //@ ghost uint64_t before = size;
        //@ ghost show_lead_step(view, k);
        if (length != 1) {
            if (view->strides[k] < 0 || (uint64_t)view->strides[k] != size) return 0;
            //@ ghost show_grown(size, length, view->strides[k]);
            size = enlarge(size, length) /*@ ghost (unit) */;
            //@ assert product: size != 0 ==> length >= 1 && size == before * length;
            //@ assert hop: size != 0 ==> hop(length - 1, view->strides[k]) == size - before;
        }
        //@ assert nonzero: size != 0 ==> before != 0;
        //@ assert hop: size != 0 ==> hop(length - 1, view->strides[k]) == size - before;
        //@ assert level: size != 0 ==> LEVEL(view, k);
        //@ assert lead: size != 0 ==> LEAD(view, k + 1) == LEAD(view, k) + size - before;
    }
    return view->offset <= view->data_size && size <= view->data_size - view->offset ? size : 0;
}

/* Whether two views have the same shape and, along axes of several elements, the same strides. */
/*@ requires \valid_read(from) && view_ok(from) && \valid_read(to) && view_ok(to);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures ndim: \result ==> from->ndim == to->ndim;
    ensures same: \result ==> \forall integer k; 0 <= k < from->ndim ==> from->shape[k] == to->shape[k]
            && (from->shape[k] == 1 || from->strides[k] == to->strides[k]);
 */
static bool have_one_layout(const snpy_view *from, const snpy_view *to)
{
    if (from->ndim != to->ndim) return false;
    /*@ loop invariant range: 0 <= k <= from->ndim;
        loop invariant same: \forall integer j; 0 <= j < k ==> from->shape[j] == to->shape[j]
            && (from->shape[j] == 1 || from->strides[j] == to->strides[j]);
        loop assigns k;
        loop variant from->ndim - k; */
    for (uint32_t k = 0; k < from->ndim; k++) {
        if (from->shape[k] != to->shape[k]) return false;
        if (from->shape[k] != 1 && from->strides[k] != to->strides[k]) return false;
    }
    return true;
}

/* The bytes of all elements of two views if they lie one behind the other, in the same order; else 0. */
/*@ requires \valid_read(from) && view_ok(from) && \valid_read(to) && view_ok(to);
    requires is_unit(unit) && is_multiple(from->itemsize, unit);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures dense: \result != 0 ==> are_dense(from, to, \result, unit);
    ensures range: \result <= SNPY_MAX_SIZE;
 */
static uint64_t common_size(const snpy_view *from, const snpy_view *to) /*@ ghost (int32_t unit) */
{
    if (!have_one_layout(from, to)) return 0;
    uint64_t size = dense_size(from, false) /*@ ghost (unit) */;
    if (size == 0) size = dense_size(from, true) /*@ ghost (unit) */;
    return to->offset <= to->data_size && size <= to->data_size - to->offset ? size : 0;
}

/* Shown as ghost functions, which are proved like any other: where the elements of such views lie. */
/*@ ghost
    /@ terminates \true;
       exits \false;
       assigns \nothing;
       ensures product: 0 <= a * b; @/
    static void show_product(uint64_t a, uint64_t b)
    {
        ;
    }

    /@ requires a <= b;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures less: 0 <= a * c <= b * c; @/
    static void show_less(uint64_t a, uint64_t b, uint64_t c)
    {
        show_product(a, c);
        show_product(b - a, c);
        /@ assert rest: b * c == a * c + (b - a) * c; @/
    }

    /@ requires stride >= 0 && index < length;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures range: 0 <= hop(index, stride) <= hop(length - 1, stride); @/
    static void show_hops(uint64_t length, int64_t stride, uint64_t index)
    {
        show_less(index, length - 1, (uint64_t)stride);
        show_hop(index, stride);
        show_hop(length - 1, stride);
    }

    /@ requires is_unit(unit) && stride >= 0 && is_multiple(stride, unit);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures multiple: is_multiple(hop(index, stride), unit); @/
    static void show_even_hop(int64_t stride, uint64_t index, int32_t unit)
    {
        show_multiple((uint64_t)stride, index, (uint64_t)unit);
        show_hop(index, stride);
    }

    /@ requires stride >= 0 && hop(index, stride) <= SNPY_MAX_SIZE;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures hop: \result == hop(index, stride); @/
    static uint64_t hop_by(uint64_t index, int64_t stride)
    {
        show_hop(index, stride);
        show_product(index, (uint64_t)stride);
        return index * (uint64_t)stride;
    }

    /@ requires is_unit(unit) && is_level(length, stride, unit) && index < length;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures range: 0 <= hop(index, stride) <= hop(length - 1, stride);
       ensures multiple: is_multiple(hop(index, stride), unit); @/
    static void show_level(uint64_t length, int64_t stride, uint64_t index, int32_t unit)
    {
        if (length > 1) {
            show_hops(length, stride, index);
            show_even_hop(stride, index, unit);
        }
    }

    /@ requires \valid_read(view) && view->ndim <= SNPY_MAX_NDIM && is_unit(unit);
       requires level: \forall integer k; 0 <= k < view->ndim ==> LEVEL(view, k);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures lead: \forall integer k; 0 <= k <= view->ndim ==> LEAD(view, k) >= 0; @/
    static void show_lead(const snpy_view *view, int32_t unit)
    {
        uint32_t n = 0;
        /@ loop invariant range: 0 <= n <= view->ndim;
           loop invariant lead: \forall integer k; 0 <= k <= n ==> LEAD(view, k) >= 0;
           loop assigns n;
           loop variant view->ndim - n; @/
        while (n < view->ndim) {
            show_level(view->shape[n], view->strides[n], 0, unit);
            show_lead_step(view, n);
            n++;
        }
    }

    /@ requires \valid_read(view) && k < view->ndim <= SNPY_MAX_NDIM && length == view->shape[k] && length >= 1;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures flat: FLAT(view, k + 1, g) == FLAT(view, k, g / length) + hop(g % length, view->strides[k]); @/
    static void show_flat_step(const snpy_view *view, uint32_t k, uint64_t g, uint64_t length)
    {
        ;
    }

    /@ requires \valid_read(view) && k < view->ndim <= SNPY_MAX_NDIM && is_unit(unit) && LEVEL(view, k);
       requires 0 <= LEAD(view, k) && LEAD(view, k + 1) <= SNPY_MAX_SIZE;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures flat: FLAT(view, k + 1, g) == FLAT(view, k, g / view->shape[k]) + \result;
       ensures range: 0 <= \result <= LEAD(view, k + 1) - LEAD(view, k);
       ensures multiple: is_multiple(\result, unit); @/
    static uint64_t hop_of(const snpy_view *view, uint32_t k, uint64_t g, int32_t unit)
    {
        uint64_t length = view->shape[k];
        int64_t stride = view->strides[k];
        show_flat_step(view, k, g, length);
        show_lead_step(view, k);
        show_level(length, stride, g % length, unit);
        if (length == 1) return 0;
        return hop_by(g % length, stride);
    }

    /@ requires is_unit(unit) && is_multiple(a, unit) && is_multiple(b, unit);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures multiple: is_multiple(a + b, unit); @/
    static void show_sum(uint64_t a, uint64_t b, int32_t unit)
    {
        show_shift(a, b, unit);
    }

    /@ requires \valid_read(view) && view->ndim <= SNPY_MAX_NDIM && is_unit(unit);
       requires level: \forall integer k; 0 <= k < view->ndim ==> LEVEL(view, k);
       requires lead: LEAD(view, view->ndim) <= SNPY_MAX_SIZE;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures flat: \result == FLAT(view, view->ndim, f);
       ensures range: 0 <= \result <= LEAD(view, view->ndim);
       ensures multiple: is_multiple(\result, unit); @/
    static uint64_t flat_of(const snpy_view *view, uint64_t f, int32_t unit)
    {
        uint32_t n = view->ndim;
        uint64_t g = f;
        uint64_t far = 0;
        show_lead(view, unit);
        /@ loop invariant range: 0 <= n <= view->ndim && 0 <= far;
           loop invariant place: FLAT(view, view->ndim, f) == FLAT(view, n, g) + far;
           loop invariant high: far <= LEAD(view, view->ndim) - LEAD(view, n);
           loop invariant multiple: is_multiple(far, unit);
           loop assigns n, g, far;
           loop variant n; @/
        while (n > 0) {
            n--;
            /@ assert low: 0 <= LEAD(view, n) && LEAD(view, n + 1) <= LEAD(view, view->ndim); @/
            uint64_t by = hop_of(view, n, g, unit);
            show_sum(far, by, unit);
            far += by;
            g /= view->shape[n];
        }
        return far;
    }

    /@ requires \valid_read(from) && \valid_read(to) && from->ndim == to->ndim && from->ndim <= SNPY_MAX_NDIM;
       requires level: \forall integer k; 0 <= k < from->ndim ==> from->shape[k] >= 1;
       requires same: \forall integer k; 0 <= k < from->ndim ==> from->shape[k] == to->shape[k]
            && (from->shape[k] == 1 || from->strides[k] == to->strides[k]);
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures same: FLAT(from, from->ndim, f) == FLAT(to, to->ndim, f); @/
    static void show_same_flat(const snpy_view *from, const snpy_view *to, uint64_t f)
    {
        uint32_t n = from->ndim;
        uint64_t g = f;
        /@ loop invariant range: 0 <= n <= from->ndim;
           loop invariant same: FLAT(from, from->ndim, f) - FLAT(from, n, g) == FLAT(to, to->ndim, f) - FLAT(to, n, g);
           loop assigns n, g;
           loop variant n; @/
        while (n > 0) {
            n--;
            uint64_t length = from->shape[n];
            show_flat_step(from, n, g, length);
            show_flat_step(to, n, g, length);
            /@ assert hop: hop(g % length, from->strides[n]) == hop(g % length, to->strides[n]); @/
            g /= length;
        }
    } */

/* The unit in which all bytes of all elements can be copied at once, 0 if there is none. */
/*@ requires \valid_read(plan) && plan_ok(plan);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures dense: \result == 0 || is_dense_plan(plan, \result);
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
            is_copied{Pre, Post, Post}(data + place(from, g), out + place(to, g), plan);
 */
static void copy_each(const snpy_view *from, const uint8_t *data, const snpy_plan *plan, const snpy_view *to,
                      uint8_t *out)
{
    /*@ loop invariant range: 0 <= f <= from->count;
        loop invariant copied: in_order(plan) && is_spread(to) ==> \forall integer g; 0 <= g < f ==>
            is_copied{Pre, Here, Here}(data + place(from, g), out + place(to, g), plan);
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
        //@ assert this: in_order(plan) ==> is_copied{Pre, Here, Here}(data + place(from, f), out + place(to, f), plan);
        /*@ assert others: in_order(plan) && is_spread(to) ==> \forall integer g; 0 <= g < f ==>
                is_copied{Pre, Here, Here}(data + place(from, g), out + place(to, g), plan); */
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
            is_copied{Pre, Pre, Post}(data + place(view, g), data + place(view, g), plan);
 */
static void convert_each(const snpy_view *view, uint8_t *data, const snpy_plan *plan)
{
    /*@ loop invariant range: 0 <= f <= view->count;
        loop invariant copied: in_order(plan) && is_spread(view) ==> \forall integer g; 0 <= g < f ==>
            is_copied{Pre, Pre, Here}(data + place(view, g), data + place(view, g), plan);
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
                is_copied{Pre, Pre, Here}(data + place(view, f), data + place(view, f), plan); */
        /*@ assert others: in_order(plan) && is_spread(view) ==> \forall integer g; 0 <= g < f ==>
                is_copied{Pre, Pre, Here}(data + place(view, g), data + place(view, g), plan); */
    }
}

/* Shown as ghost functions, which are proved like any other: an element in the midst of all. */
/*@ ghost
    /@ requires is_unit(unit) && is_multiple(at, unit) && is_multiple(end, unit) && i < end;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures mirror: \result == mirror(i, 0, unit);
       ensures shifted: mirror(at + i, 0, unit) == at + \result;
       ensures inside: 0 <= \result < end; @/
    static uint64_t mirror_of(uint64_t at, uint64_t i, uint64_t end, int32_t unit)
    {
        show_shift(at, i, unit);
        show_inside(0, end, i, unit);
        return (i + (uint64_t)unit - 1) - 2 * (i % (uint64_t)unit);
    }

    /@ requires \valid_read(to + (at .. at+k)) && \valid_read(from + (at .. at+i)) && to[at + k] == from[at + i];
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures comes: comes_from{Here, Here}(from + at, to + at, k, i); @/
    static void show_comes(const uint8_t *from, const uint8_t *to, uint64_t at, uint64_t k, uint64_t i)
    {
        ;
    }

    /@ requires is_dense_plan(plan, unit) && \valid_read(plan) && \valid_read(plan->runs) && is_multiple(at, unit);
       requires at + plan->itemsize <= UINT64_MAX;
       requires \valid_read(from + (at .. at+plan->itemsize-1)) && \valid_read(to + (at .. at+plan->itemsize-1));
       requires \object_pointer(from + at) && \object_pointer(to + at);
       requires done: \forall integer k; at <= k < at + plan->itemsize ==> to[k] == from[mirror(k, 0, unit)];
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures copied: is_copied{Pre, Here, Here}(from + at, to + at, plan); @/
    static void show_element(const uint8_t *from, const uint8_t *to, uint64_t at, const snpy_plan *plan, int32_t unit)
    {
        uint64_t end = plan->itemsize;
        const uint8_t *source = from + at;
        const uint8_t *target = to + at;
        uint64_t i = 0;
        /@ loop invariant range: 0 <= i <= end;
           loop invariant inside: \forall integer k; 0 <= k < i ==> 0 <= mirror(k, 0, unit) < end;
           loop invariant done: is_mirrored{Here, Here}(source, target, i, unit);
           loop assigns i;
           loop variant end - i; @/
        while (i < end) {
            /@ assert here: to[at + i] == from[mirror(at + i, 0, unit)]; @/
            uint64_t j = mirror_of(at, i, end, unit);
            show_comes(from, to, at, i, j);
            i++;
        }
        /@ assert origin: \forall integer k; 0 <= k < end ==> origin(plan->runs[0], k) == mirror(k, 0, unit); @/
        /@ assert run: plan->runs[0].offset == 0 && plan->runs[0].end == end && plan->runs[0].action != SNPY_ACTION_ZERO; @/
        /@ assert done: is_done{Here, Here}(source, target, plan->runs[0]); @/
    } */

/* All elements at once. */
/*@ requires \valid_read(from) && view_ok(from) && \valid_read(to) && view_ok(to) && \valid_read(plan);
    requires \valid_read(plan->runs + (0 .. plan->count-1)) && is_dense_plan(plan, unit) && are_dense(from, to, size, unit);
    requires from->itemsize == plan->itemsize && size <= SNPY_MAX_SIZE;
    requires \valid_read(data + (0 .. from->data_size-1)) && \valid(out + (0 .. to->data_size-1));
    requires \object_pointer(data) && \object_pointer(out);
    requires \separated(out + (0 .. to->data_size-1), data + (0 .. from->data_size-1));
    requires \separated(out + (0 .. to->data_size-1), from, to, plan, plan->runs + (0 .. plan->count-1));
    terminates \true;
    exits \false;
    assigns out[0 .. to->data_size-1];
    ensures NPY_DATA_008: \forall integer g; 0 <= g < from->count ==>
            is_copied{Pre, Post, Post}(data + place(from, g), out + place(to, g), plan);
 */
static void copy_whole(const snpy_view *from, const uint8_t *data, const snpy_plan *plan, const snpy_view *to,
                       uint8_t *out, uint64_t size, int32_t unit)
{
    (void)plan;
    copy_dense(data + from->offset, out + to->offset, size, unit);
    /*@ ghost
        uint64_t f = 0;
        const uint8_t *source = data + from->offset;
        const uint8_t *target = out + to->offset;
        /@ loop invariant range: 0 <= f <= from->count;
           loop invariant copied: \forall integer g; 0 <= g < f ==>
                                  is_copied{Pre, Here, Here}(data + place(from, g), out + place(to, g), plan);
           loop assigns f;
           loop variant from->count - f; @/
        while (f < from->count) {
            uint64_t at = flat_of(from, f, unit);
            show_same_flat(from, to, f);
            show_element(source, target, at, plan, unit);
            /@ assert places: place(from, f) == from->offset + at && place(to, f) == to->offset + at; @/
            f++;
        } */
}

/* All elements at once, where they are. */
/*@ requires \valid_read(view) && view_ok(view) && \valid_read(plan) && is_unit(unit);
    requires \valid_read(plan->runs + (0 .. plan->count-1)) && is_dense_plan(plan, unit) && are_dense(view, view, size, unit);
    requires view->itemsize == plan->itemsize && size <= SNPY_MAX_SIZE;
    requires \valid(data + (0 .. view->data_size-1)) && \object_pointer(data);
    requires \separated(data + (0 .. view->data_size-1), view, plan, plan->runs + (0 .. plan->count-1));
    terminates \true;
    exits \false;
    assigns data[0 .. view->data_size-1];
    ensures NPY_DATA_008: \forall integer g; 0 <= g < view->count ==>
            is_copied{Pre, Pre, Post}(data + place(view, g), data + place(view, g), plan);
 */
static void convert_whole(const snpy_view *view, uint8_t *data, const snpy_plan *plan, uint64_t size, int32_t unit)
{
    uint8_t *p = data + view->offset;
    (void)plan;
    if (unit > 1) convert_dense(p, size, unit);
    //@ assert mirrored: is_mirrored{Pre, Here}(p, p, size, unit);
    /*@ ghost
        uint64_t f = 0;
        uint64_t end = plan->itemsize;
        /@ loop invariant range: 0 <= f <= view->count;
           loop invariant converted: are_converted{Pre, Here}(data, view, plan, f);
           loop assigns f;
           loop variant view->count - f; @/
        while (f < view->count) {
            uint64_t at = flat_of(view, f, unit);
            uint8_t *q = p + at;
            uint64_t i = 0;
            /@ loop invariant range: 0 <= i <= end;
               loop invariant inside: \forall integer k; 0 <= k < i ==> 0 <= mirror(k, 0, unit) < end;
               loop invariant done: is_mirrored{Pre, Here}(q, q, i, unit);
               loop assigns i;
               loop variant end - i; @/
            while (i < end) {
                uint64_t j = mirror_of(at, i, end, unit);
                /@ assert from: comes_from{Pre, Here}(p, p, at + i, mirror(at + i, 0, unit)); @/
                /@ assert to: comes_from{Pre, Here}(q, q, i, j); @/
                i++;
            }
            /@ assert origin: \forall integer k; 0 <= k < end ==> origin(plan->runs[0], k) == mirror(k, 0, unit); @/
            /@ assert run: plan->runs[0].offset == 0 && plan->runs[0].end == end && plan->runs[0].action != SNPY_ACTION_ZERO; @/
            /@ assert done: is_done{Pre, Here}(q, q, plan->runs[0]); @/
            /@ assert place: place(view, f) == view->offset + at; @/
            /@ assert copied: is_copied{Pre, Pre, Here}(data + place(view, f), data + place(view, f), plan); @/
            f++;
        }
        /@ loop invariant range: 0 <= f <= view->count;
           loop invariant converted: are_converted{Pre, Here}(data, view, plan, f);
           loop invariant copied: \forall integer g; f <= g < view->count ==>
                                  is_copied{Pre, Pre, Here}(data + place(view, g), data + place(view, g), plan);
           loop assigns f;
           loop variant f; @/
        while (f > 0) {
            f--;
            /@ assert this: is_copied{Pre, Pre, Here}(data + place(view, f), data + place(view, f), plan); @/
        } */
}

/* All elements, at once if that can be. */
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
            is_copied{Pre, Post, Post}(data + place(from, g), out + place(to, g), plan);
 */
static void copy_all(const snpy_view *from, const uint8_t *data, const snpy_plan *plan, const snpy_view *to,
                     uint8_t *out)
{
    if (plan->itemsize == 0) return; /* there may be 2^62 elements without a byte */
    const int32_t unit = dense_unit(plan);
    const uint64_t size = unit != 0 ? common_size(from, to) /*@ ghost (unit) */ : 0;
    if (size != 0)
        copy_whole(from, data, plan, to, out, size, unit);
    else
        copy_each(from, data, plan, to, out);
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
            is_copied{Pre, Pre, Post}(data + place(view, g), data + place(view, g), plan);
 */
static void convert_all(const snpy_view *view, uint8_t *data, const snpy_plan *plan)
{
    if (plan->itemsize == 0) return;
    const int32_t unit = dense_unit(plan);
    const uint64_t size = unit != 0 ? common_size(view, view) /*@ ghost (unit) */ : 0;
    if (size != 0)
        convert_whole(view, data, plan, size, unit);
    else
        convert_each(view, data, plan);
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
    ensures result: \result == error->status && (\result == SNPY_OK || \result == SNPY_BAD_ARGUMENT);
    ensures API_VIEW: \result == SNPY_OK <==>
            plan_ok(plan) && from->count == to->count && from->itemsize == to->itemsize == plan->itemsize;
    ensures NPY_DATA_008: \result == SNPY_OK && \old(in_order(plan) && is_spread(to)) ==>
            \forall integer g; 0 <= g < \old(from->count) ==>
                is_copied{Pre, Post, Post}(data + \old(place(from, g)), out + \old(place(to, g)), plan);
 */
snpy_status snpy_copy(const snpy_view *from, const uint8_t *data, const snpy_plan *plan, const snpy_view *to,
                      uint8_t *out, snpy_error *error)
{
    if (find_bad_run(plan) != plan->count || from->count != to->count || from->itemsize != plan->itemsize ||
        to->itemsize != plan->itemsize)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    copy_all(from, data, plan, to, out);
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
    ensures result: \result == error->status && (\result == SNPY_OK || \result == SNPY_BAD_ARGUMENT);
    ensures API_VIEW: \result == SNPY_OK <==> plan_ok(plan) && view->itemsize == plan->itemsize;
    ensures NPY_DATA_008: \result == SNPY_OK && \old(in_order(plan) && is_spread(view)) ==>
            \forall integer g; 0 <= g < \old(view->count) ==>
                is_copied{Pre, Pre, Post}(data + \old(place(view, g)), data + \old(place(view, g)), plan);
 */
snpy_status snpy_convert(const snpy_view *view, uint8_t *data, const snpy_plan *plan, snpy_error *error)
{
    if (find_bad_run(plan) != plan->count || view->itemsize != plan->itemsize)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    convert_all(view, data, plan);
    return snpy_fail(error, SNPY_OK, 0);
}
