/* copy.c: copies and converts elements, one by one and byte by byte.              NPY-VALUE-001, 011, 012, NPY-DATA-008
 * Proves that nothing outside the data is read and nothing outside the caller's memory is written, that the work ends,
 * and that every element gets the bytes that its plan says. view.c computes offsets, the host's plan.c makes plans.
 * src/data/copy_fast.c is faster, and is tested against this reference on every shape. */
#include "safenpy/copy.h"
#include "core/view.h"
#include "spec/logic/copy.h"

/* clang-format off */
/* A run is inside an element of `itemsize` bytes. */
#define RUN_OK(r, itemsize) \
    (0 <= (r).offset <= (r).end && (r).end <= (itemsize) && 1 <= (r).unit <= 16 && \
     SNPY_ACTION_KEEP <= (r).action <= SNPY_ACTION_ZERO)

/*@ predicate plan_ok(snpy_plan *p) =
        p->itemsize <= SNPY_MAX_ITEMSIZE && \valid_read(p->runs + (0 .. p->count - 1)) && \object_pointer(p->runs)
        && \forall integer k; 0 <= k < p->count ==> RUN_OK(p->runs[k], p->itemsize); */
/* clang-format on */

/* Returns the index of the first run of a plan that is not inside the element; plan->count if all are; plan->count + 1
 * if the itemsize is too large. */
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

/* Whether a unit is 1, 2, 4, 8 or 16: `is_unit` of the logic. */
#define FILLS_BLOCKS(unit) ((unit) == 1 || (unit) == 2 || (unit) == 4 || (unit) == 8 || (unit) == 16)

/* Ghost lemmas: where numbers of a unit begin. Each unit has its own proof, because provers can handle remainders by
 * constants. */
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

/* Copies the bytes offset .. end-1 of an element to another one that does not overlap it. */
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

/* Sets the bytes offset .. end-1 of an element to 0. */
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

/* Copies the number of `unit` bytes at `at`, with its bytes reversed. */
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

/* Reverses the bytes of the number of `unit` bytes at `at` in place. */
/*@ requires \valid(p + (at .. at+unit-1)) && 0 <= at && 1 <= unit <= 16 && at + unit <= INT32_MAX;
    terminates \true;
    exits \false;
    assigns p[at .. at+unit-1];
    ensures NPY_VALUE_001: \forall integer k; at <= k < at + unit ==> p[k] == \old(p[2 * at + unit - 1 - k]);
 */
static inline void reverse_in_place(uint8_t *p, int32_t at, int32_t unit)
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

/* Copies all numbers of a run, each reversed. */
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

/* Reverses all numbers of a run in place. */
/*@ requires \valid(p + (offset .. end-1)) && 1 <= unit <= 16 && 0 <= offset <= end;
    terminates \true;
    exits \false;
    assigns p[offset .. end-1];
    ensures NPY_VALUE_001: is_unit(unit) && (end - offset) % unit == 0 ==>
            \forall integer k; offset <= k < end ==> p[k] == \old(p[mirror(k, offset, unit)]);
 */
static void swap_in_place(uint8_t *p, int32_t offset, int32_t end, int32_t unit)
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
        reverse_in_place(p, at, unit);
        /*@ assert here: is_unit(unit) ==>
                \forall integer k; at <= k < at + unit ==> p[k] == \at(p[mirror(k, offset, unit)], Pre); */
        at += unit;
    }
    /*@ ghost if (FILLS_BLOCKS(unit) && (end - offset) % unit == 0)
                  show_last((uint64_t)(at - offset), (uint64_t)(end - offset), unit); */
}

/* Copies one run of an element, as its action says. */
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

/* Converts one run of an element in place, as its action says. */
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
    if (run->action == SNPY_ACTION_SWAP) swap_in_place(p, run->offset, run->end, run->unit);
    if (run->action == SNPY_ACTION_ZERO) zero(p, run->offset, run->end);
}

/* Copies one element, by its plan. */
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

/* Converts one element in place, by its plan. */
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

/* Copies all elements, one after another. */
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

/* Converts all elements in place, one after another. */
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
    if (plan->itemsize > 0) copy_each(from, data, plan, to, out); /* there can be 2^62 elements without bytes */
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
    if (plan->itemsize > 0) convert_each(view, data, plan);
    return snpy_fail(error, SNPY_OK, 0);
}
