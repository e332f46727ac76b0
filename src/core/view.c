/* view.c: where an element, a field or a slice lies within the data.                NPY-DATA-005 … 008, API-VIEW
 * Proves that each offset it hands out, with the itemsize behind it, lies inside the data.
 * Leaves the bytes themselves to value.c and copy.c.
 *
 * Slices and fields build a view from the old one's numbers and then have it checked as a whole; so there is
 * one place that says what is sound, and no caller's view can make it lie. */
#include "core/view.h"
#include "safenpy/copy.h"

/* The product of an axis' length less one and its stride, if it is in range. */
/*@ requires \valid(product);
    terminates \true;
    exits \false;
    assigns *product;
    ensures exact: \result ==> *product == count * stride;
    ensures sign: \result ==> (stride >= 0 ==> *product >= 0) && (stride <= 0 ==> *product <= 0);
    ensures range: -SNPY_MAX_SIZE <= *product <= SNPY_MAX_SIZE;
 */
static bool multiply(uint64_t count, int64_t stride, int64_t *product)
{
    const int64_t most = (int64_t)SNPY_MAX_SIZE;
    *product = 0;
    if (count == 0 || stride == 0) return true;
    if (count > SNPY_MAX_SIZE || stride < -most) return false;
    int64_t times = (int64_t)count;
    int64_t limit = most / times;
    if (stride > limit || stride < -limit) return false;
    *product = times * stride;
    return true;
}

/* hop is a product. */
/*@ ghost
    /@ terminates \true;
       exits \false;
       assigns \nothing;
       ensures hop: hop(index, stride) == index * stride; @/
    static void show_hop(uint64_t index, int64_t stride)
    {
        uint64_t i = 0;
        /@ loop invariant range: 0 <= i <= index;
           loop invariant hop: hop(i, stride) == i * stride;
           loop assigns i;
           loop variant index - i; @/
        while (i < index) {
            /@ assert step: hop(i + 1, stride) == hop(i, stride) + stride; @/
            i++;
        }
    }
*/

/* The bytes from an axis' first element to the one at an index. */
/*@ requires index < count <= SNPY_MAX_SIZE && -SNPY_MAX_SIZE <= reach(count, stride) <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures exact: \result == hop(index, stride);
    ensures up: stride >= 0 ==> 0 <= \result <= reach(count, stride);
    ensures down: stride <= 0 ==> reach(count, stride) <= \result <= 0;
 */
static inline int64_t along(uint64_t index, int64_t stride) /*@ ghost (uint64_t count) */
{
    //@ assert up: stride >= 0 ==> 0 <= index * stride <= (count - 1) * stride;
    //@ assert down: stride <= 0 ==> (count - 1) * stride <= index * stride <= 0;
    //@ ghost show_hop(index, stride);
    return (int64_t)index * stride;
}

/* The number of elements of a view, if it is in range: the product of its shape, 0 if an axis is empty. */
/*@ requires \valid(view) && view->ndim <= SNPY_MAX_NDIM;
    terminates \true;
    exits \false;
    assigns view->count;
    ensures full: \result && view->count != 0 ==>
            \forall integer k; 0 <= k < view->ndim ==> 1 <= view->shape[k] <= SNPY_MAX_SIZE;
    ensures range: view->count <= SNPY_MAX_SIZE;
 */
static bool count_view(snpy_view *view)
{
    uint64_t count = 1;
    view->count = 0;
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant full: \forall integer j; 0 <= j < k ==> 1 <= view->shape[j];
        loop assigns k;
        loop variant view->ndim - k; */
    for (uint32_t k = 0; k < view->ndim; k++)
        if (view->shape[k] == 0) return true;
    /*@ loop invariant range: 0 <= k <= view->ndim && 1 <= count <= SNPY_MAX_SIZE;
        loop invariant full: \forall integer j; 0 <= j < k ==> 1 <= view->shape[j] <= SNPY_MAX_SIZE;
        loop assigns k, count;
        loop variant view->ndim - k; */
    for (uint32_t k = 0; k < view->ndim; k++) {
        if (view->shape[k] > SNPY_MAX_SIZE / count) return false;
        count *= view->shape[k];
    }
    view->count = count;
    return true;
}

/* Whether the axes of a view, none of them empty, reach no byte outside its data; *axis is the one at fault. */
/*@ requires \valid_read(view) && \valid(axis) && \separated(axis, view) && SNPY_VIEW_RANGES(view);
    requires \forall integer k; 0 <= k < view->ndim ==> 1 <= view->shape[k] <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns *axis;
    ensures inside: \result ==> view_inside(view);
    ensures range: *axis <= view->ndim;
 */
static bool fits(const snpy_view *view, uint32_t *axis)
{
    *axis = view->ndim;
    if (view->offset > view->data_size || view->itemsize > view->data_size - view->offset) return false;
    const uint64_t room = view->data_size - view->offset - view->itemsize;
    uint64_t below = 0;
    uint64_t above = 0;
    /*@ loop invariant range: 0 <= k <= view->ndim && *axis <= view->ndim && below <= view->offset && above <= room;
        loop invariant low: lowest(&view->shape[0], &view->strides[0], k, view->ndim) == -below;
        loop invariant high: highest(&view->shape[0], &view->strides[0], k, view->ndim) == above;
        loop invariant here: SNPY_VIEW_FITS(view, view->ndim);
        loop invariant inside: \forall integer j; k <= j < view->ndim ==> SNPY_AXIS_FULL(view, j) && SNPY_VIEW_FITS(view, j);
        loop assigns k, below, above, *axis;
        loop variant k; */
    for (uint32_t k = view->ndim; k > 0;) {
        int64_t product = 0;
        k--;
        *axis = k;
        if (!multiply(view->shape[k] - 1, view->strides[k], &product)) return false;
        //@ assert product: product == reach(view->shape[k], view->strides[k]);
        if (product < 0) {
            uint64_t drop = (uint64_t)-product;
            if (drop > view->offset - below) return false;
            below += drop;
        } else {
            if ((uint64_t)product > room - above) return false;
            above += (uint64_t)product;
        }
        //@ assert low: lowest(&view->shape[0], &view->strides[0], k, view->ndim) == -below;
        //@ assert high: highest(&view->shape[0], &view->strides[0], k, view->ndim) == above;
    }
    return true;
}

/*@ requires \valid(view) && \valid(error) && \separated(view, error);
    terminates \true;
    exits \false;
    assigns view->count, error->status, error->offset;
    ensures result: \result == error->status && (\result == SNPY_OK || \result == SNPY_BAD_ARGUMENT);
    ensures API_VIEW: \result == SNPY_OK ==> view_ok(view);
 */
snpy_status snpy_view_check(snpy_view *view, snpy_error *error)
{
    uint32_t axis = view->ndim;
    snpy_fail(error, SNPY_OK, 0); /* at first: behind the proof nothing may be written */
    if (view->ndim > SNPY_MAX_NDIM || view->data_size > SNPY_MAX_SIZE || view->itemsize > SNPY_MAX_ITEMSIZE)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, axis);
    if (!count_view(view)) return snpy_fail(error, SNPY_BAD_ARGUMENT, axis);
    if (view->count != 0 && !fits(view, &axis)) return snpy_fail(error, SNPY_BAD_ARGUMENT, axis);
    return SNPY_OK;
}

snpy_status snpy_view_at(const snpy_view *view, const uint64_t *index, uint64_t *offset, snpy_error *error)
{
    if (view->count == 0) return snpy_fail(error, SNPY_BAD_INDEX, view->ndim);
    int64_t place = (int64_t)view->offset;
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant inside: \forall integer j; k <= j < view->ndim ==> index[j] < view->shape[j];
        loop invariant place: place == view->offset + distance(index, &view->strides[0], k, view->ndim);
        loop invariant low: lowest(&view->shape[0], &view->strides[0], k, view->ndim)
                            <= distance(index, &view->strides[0], k, view->ndim);
        loop invariant high: distance(index, &view->strides[0], k, view->ndim)
                             <= highest(&view->shape[0], &view->strides[0], k, view->ndim);
        loop assigns k, place;
        loop variant k; */
    for (uint32_t k = view->ndim; k > 0;) {
        k--;
        if (index[k] >= view->shape[k]) return snpy_fail(error, SNPY_BAD_INDEX, k);
        //@ assert axis: SNPY_AXIS_FULL(view, k) && SNPY_VIEW_FITS(view, k);
        int64_t leap = along(index[k], view->strides[k]) /*@ ghost (view->shape[k]) */;
        //@ assert leap: distance(index, &view->strides[0], k, view->ndim) == distance(index, &view->strides[0], k + 1, view->ndim) + leap;
        //@ assert low: lowest(&view->shape[0], &view->strides[0], k, view->ndim) <= lowest(&view->shape[0], &view->strides[0], k + 1, view->ndim) + (leap < 0 ? leap : 0);
        place += leap;
    }
    *offset = (uint64_t)place;
    return snpy_fail(error, SNPY_OK, 0);
}

uint64_t snpy_view_place(const snpy_view *view, uint64_t flat)
{
    int64_t place = (int64_t)view->offset;
    uint64_t rest = flat;
    /*@ loop invariant range: 0 <= k <= view->ndim;
        loop invariant place: place + flat_distance(&view->shape[0], &view->strides[0], k, rest)
            == view->offset + flat_distance(&view->shape[0], &view->strides[0], view->ndim, flat);
        loop invariant low: view->offset + lowest(&view->shape[0], &view->strides[0], k, view->ndim) <= place;
        loop invariant high: place <= view->offset + highest(&view->shape[0], &view->strides[0], k, view->ndim);
        loop assigns k, place, rest;
        loop variant k; */
    for (uint32_t k = view->ndim; k > 0;) {
        k--;
        uint64_t length = view->shape[k];
        //@ assert axis: SNPY_AXIS_FULL(view, k) && SNPY_VIEW_FITS(view, k);
        //@ assert step: flat_distance(&view->shape[0], &view->strides[0], k + 1, rest) == flat_distance(&view->shape[0], &view->strides[0], k, rest / length) + hop(rest % length, view->strides[k]);
        place += along(rest % length, view->strides[k]) /*@ ghost (length) */;
        rest /= length;
    }
    return (uint64_t)place;
}

snpy_status snpy_view_flat(const snpy_view *view, uint64_t flat, uint64_t *offset, snpy_error *error)
{
    if (flat >= view->count) return snpy_fail(error, SNPY_BAD_INDEX, flat);
    *offset = snpy_view_place(view, flat);
    return snpy_fail(error, SNPY_OK, 0);
}

/* A place moved by a distance, if it stays a place. */
/*@ requires \valid(moved) && -SNPY_MAX_SIZE <= by <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns *moved;
    ensures exact: \result ==> *moved == offset + by;
    ensures refused: !\result <==> offset > SNPY_MAX_SIZE || offset + by < 0 || offset + by > SNPY_MAX_SIZE;
 */
static bool move(uint64_t offset, int64_t by, uint64_t *moved)
{
    *moved = 0;
    if (offset > SNPY_MAX_SIZE) return false;
    if (by < 0 && (uint64_t)-by > offset) return false;
    if (by > 0 && (uint64_t)by > SNPY_MAX_SIZE - offset) return false;
    *moved = (uint64_t)((int64_t)offset + by);
    return true;
}

/* Strides of axes first .. last-1 that lie packed around an item of `size` bytes, the last axis innermost. */
/*@ requires \valid(view) && first <= last <= SNPY_MAX_NDIM && size <= SNPY_MAX_ITEMSIZE;
    terminates \true;
    exits \false;
    assigns view->strides[0 .. SNPY_MAX_NDIM-1];
    ensures innermost: \result && first < last ==> view->strides[last - 1] == size;
 */
static bool pack_c(snpy_view *view, uint32_t first, uint32_t last, uint32_t size)
{
    int64_t stride = (int64_t)size;
    /*@ loop invariant range: first <= k <= last && 0 <= stride <= SNPY_MAX_SIZE;
        loop invariant innermost: k < last ==> view->strides[last - 1] == size;
        loop invariant start: k == last ==> stride == size;
        loop assigns k, stride, view->strides[0 .. SNPY_MAX_NDIM-1];
        loop variant k; */
    for (uint32_t k = last; k > first;) {
        k--;
        view->strides[k] = stride;
        if (!multiply(view->shape[k] == 0 ? 1 : view->shape[k], stride, &stride)) return false;
    }
    return true;
}

/* Likewise for all axes with the first axis innermost. */
/*@ requires \valid(view) && view->ndim <= SNPY_MAX_NDIM && size <= SNPY_MAX_ITEMSIZE;
    terminates \true;
    exits \false;
    assigns view->strides[0 .. SNPY_MAX_NDIM-1];
    ensures innermost: \result && 0 < view->ndim ==> view->strides[0] == size;
 */
static bool pack_fortran(snpy_view *view, uint32_t size)
{
    int64_t stride = (int64_t)size;
    /*@ loop invariant range: 0 <= k <= view->ndim && 0 <= stride <= SNPY_MAX_SIZE;
        loop invariant innermost: 0 < k ==> view->strides[0] == size;
        loop invariant start: k == 0 ==> stride == size;
        loop assigns k, stride, view->strides[0 .. SNPY_MAX_NDIM-1];
        loop variant view->ndim - k; */
    for (uint32_t k = 0; k < view->ndim; k++) {
        view->strides[k] = stride;
        if (!multiply(view->shape[k] == 0 ? 1 : view->shape[k], stride, &stride)) return false;
    }
    return true;
}

/* The numbers of a header become those of a view; strides are still missing. */
/*@ requires \valid(view) && \valid_read(header) && \separated(view, header) && header->ndim <= SNPY_MAX_NDIM;
    terminates \true;
    exits \false;
    assigns view->data_size, view->offset, view->count, view->itemsize, view->ndim, view->dtype.kind,
            view->dtype.byteorder, view->dtype.unit, view->dtype.itemsize, view->dtype.multiplier, view->entry,
            view->shape[0 .. SNPY_MAX_NDIM-1];
    ensures numbers: view->data_size == header->data_size && view->ndim == header->ndim && view->offset == 0
                     && view->itemsize == header->dtype.itemsize && view->entry == 0;
 */
static void take_header(const snpy_header *header, snpy_view *view)
{
    view->data_size = header->data_size;
    view->offset = 0;
    view->count = 0;
    view->itemsize = header->dtype.itemsize;
    view->ndim = header->ndim;
    view->dtype.kind = header->dtype.kind;
    view->dtype.byteorder = header->dtype.byteorder;
    view->dtype.unit = header->dtype.unit;
    view->dtype.itemsize = header->dtype.itemsize;
    view->dtype.multiplier = header->dtype.multiplier;
    view->entry = 0;
    /*@ loop invariant range: 0 <= k <= header->ndim;
        loop assigns k, view->shape[0 .. SNPY_MAX_NDIM-1];
        loop variant header->ndim - k; */
    for (uint32_t k = 0; k < header->ndim; k++) view->shape[k] = header->shape[k];
}

/*@ requires \valid_read(header) && \valid(view) && \valid(error);
    requires \separated(header, view, error);
    terminates \true;
    exits \false;
    assigns view->data_size, view->offset, view->count, view->itemsize, view->ndim, view->dtype.kind,
            view->dtype.byteorder, view->dtype.unit, view->dtype.itemsize, view->dtype.multiplier, view->entry,
            view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1], error->status, error->offset;
    ensures result: \result == error->status;
    ensures API_VIEW: \result == SNPY_OK ==> view_ok(view) && view->data_size <= length;
    ensures API_OBJECTS: header->has_object ==> \result == SNPY_OBJECT_DATA;
    ensures NPY_DATA_001: !header->has_object && \old(header->data_size) > length ==> \result == SNPY_TRUNCATED_DATA;
 */
snpy_status snpy_view_open(const snpy_header *header, uint64_t length, snpy_view *view, snpy_error *error)
{
    uint32_t itemsize = header->dtype.itemsize;
    if (header->has_object) return snpy_fail(error, SNPY_OBJECT_DATA, header->frame.data_offset);
    if (header->data_size > length) return snpy_fail(error, SNPY_TRUNCATED_DATA, length);
    if (header->ndim > SNPY_MAX_NDIM || itemsize > SNPY_MAX_ITEMSIZE) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    take_header(header, view);
    if (!(header->fortran_order ? pack_fortran(view, itemsize) : pack_c(view, 0, view->ndim, itemsize)))
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    return snpy_view_check(view, error);
}

/* An axis goes away. */
/*@ requires \valid(view) && axis < view->ndim <= SNPY_MAX_NDIM;
    terminates \true;
    exits \false;
    assigns view->ndim, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1];
    ensures ndim: view->ndim == \old(view->ndim) - 1;
 */
static void drop_axis(snpy_view *view, uint32_t axis)
{
    /*@ loop invariant range: axis <= k < view->ndim;
        loop assigns k, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1];
        loop variant view->ndim - k; */
    for (uint32_t k = axis; k + 1 < view->ndim; k++) {
        view->shape[k] = view->shape[k + 1];
        view->strides[k] = view->strides[k + 1];
    }
    view->ndim--;
}

/*@ requires \valid(view) && \valid(error) && \separated(view, error);
    terminates \true;
    exits \false;
    assigns view->offset, view->count, view->ndim, view->shape[0 .. SNPY_MAX_NDIM-1],
            view->strides[0 .. SNPY_MAX_NDIM-1], error->status, error->offset;
    ensures result: \result == error->status;
    ensures API_VIEW: \result == SNPY_OK ==> view_ok(view) && view->ndim == \old(view->ndim) - 1;
    ensures API_INDEX: \result == SNPY_OK ==>
            -\old(view->shape[axis]) <= index < \old(view->shape[axis]) && axis < \old(view->ndim);
 */
snpy_status snpy_view_pick(snpy_view *view, uint32_t axis, int64_t index, snpy_error *error)
{
    if (view->ndim > SNPY_MAX_NDIM || axis >= view->ndim) return snpy_fail(error, SNPY_BAD_ARGUMENT, axis);
    uint64_t length = view->shape[axis];
    if (length > SNPY_MAX_SIZE) return snpy_fail(error, SNPY_BAD_ARGUMENT, axis);
    if (index >= (int64_t)length || index < -(int64_t)length) return snpy_fail(error, SNPY_BAD_INDEX, axis);
    int64_t from_start = index < 0 ? index + (int64_t)length : index;
    int64_t leap = 0;
    uint64_t offset = 0;
    if (!multiply((uint64_t)from_start, view->strides[axis], &leap) || !move(view->offset, leap, &offset))
        return snpy_fail(error, SNPY_BAD_ARGUMENT, axis);
    view->offset = offset;
    drop_axis(view, axis);
    return snpy_view_check(view, error);
}

/* A slice of an axis of known length: its first element, how many it has, and the step between them. */
struct range {
    int64_t first;
    int64_t count;
    int64_t step;
};

/* Where a bound of a slice lies: a negative one counts from the end, and none lies outside low .. high. */
/*@ requires 0 <= length <= SNPY_MAX_SIZE && -1 <= low <= high <= length;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures inside: low <= \result <= high;
    ensures exact: \let b = bound < 0 ? bound + length : bound;
                   \result == (b < low ? low : b > high ? high : b);
 */
static int64_t clamp(int64_t bound, int64_t length, int64_t low, int64_t high)
{
    int64_t from_start = bound < 0 ? bound + length : bound;
    if (from_start < low) return low;
    return from_start > high ? high : from_start;
}

/* A slice of an axis of `length` elements, as Python's slice.indices() has it. */
/*@ requires \valid_read(slice) && \valid(range) && \separated(slice, range) && 0 <= length <= SNPY_MAX_SIZE;
    requires slice->has_step ==> slice->step != 0;
    terminates \true;
    exits \false;
    assigns range->first, range->count, range->step;
    ensures count: 0 <= range->count <= length;
    ensures first: range->count > 0 ==> 0 <= range->first < length;
    ensures step: range->step != 0 && -SNPY_MAX_SIZE <= range->step;
 */
static void resolve(const snpy_slice *slice, int64_t length, struct range *range)
{
    int64_t step = slice->has_step ? slice->step : 1;
    if (step < -INT64_MAX) step = -INT64_MAX;
    int64_t low = step < 0 ? -1 : 0;
    int64_t high = step < 0 ? length - 1 : length;
    int64_t start = step < 0 ? high : low;
    int64_t stop = step < 0 ? low : high;
    if (slice->has_start) start = clamp(slice->start, length, low, high);
    if (slice->has_stop) stop = clamp(slice->stop, length, low, high);
    int64_t distance = step < 0 ? start - stop : stop - start;
    int64_t pace = step < 0 ? -step : step;
    range->first = start;
    range->step = step;
    range->count = distance > 0 ? (distance - 1) / pace + 1 : 0;
}

/* An axis becomes what a slice leaves of it. */
/*@ requires \valid(view) && axis < view->ndim <= SNPY_MAX_NDIM && \valid_read(range) && \separated(view, range);
    requires 0 <= range->count && (range->count > 0 ==> 0 <= range->first);
    requires range->step != 0 && -SNPY_MAX_SIZE <= range->step;
    terminates \true;
    exits \false;
    assigns view->offset, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1];
 */
static bool cut_axis(snpy_view *view, uint32_t axis, const struct range *range)
{
    int64_t leap = 0;
    int64_t stride = 0;
    uint64_t offset = 0;
    view->shape[axis] = (uint64_t)range->count;
    if (range->count == 0) return true;
    if (!multiply((uint64_t)range->first, view->strides[axis], &leap)) return false;
    if (!move(view->offset, leap, &offset)) return false;
    view->offset = offset;
    if (range->count == 1) return true; /* the stride says nothing any more */
    uint64_t pace = (uint64_t)(range->step < 0 ? -range->step : range->step);
    if (!multiply(pace, view->strides[axis], &stride)) return false;
    view->strides[axis] = range->step < 0 ? -stride : stride;
    return true;
}

/*@ requires \valid(view) && \valid(error) && \valid_read(slice) && \separated(view, error, slice);
    terminates \true;
    exits \false;
    assigns view->offset, view->count, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1],
            error->status, error->offset;
    ensures result: \result == error->status;
    ensures API_VIEW: \result == SNPY_OK ==> view_ok(view);
    ensures API_SLICE: \old(slice->has_step) && \old(slice->step) == 0 && axis < \old(view->ndim) <= SNPY_MAX_NDIM
            && \old(view->shape[axis]) <= SNPY_MAX_SIZE ==> \result == SNPY_BAD_SLICE;
 */
snpy_status snpy_view_slice(snpy_view *view, uint32_t axis, const snpy_slice *slice, snpy_error *error)
{
    struct range range;
    if (view->ndim > SNPY_MAX_NDIM || axis >= view->ndim || view->shape[axis] > SNPY_MAX_SIZE)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, axis);
    if (slice->has_step && slice->step == 0) return snpy_fail(error, SNPY_BAD_SLICE, axis);
    resolve(slice, (int64_t)view->shape[axis], &range);
    if (!cut_axis(view, axis, &range)) return snpy_fail(error, SNPY_BAD_ARGUMENT, axis);
    return snpy_view_check(view, error);
}

/*@ requires \valid(view) && \valid(error) && \separated(view, error);
    terminates \true;
    exits \false;
    assigns view->count, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1], error->status,
            error->offset;
    ensures result: \result == error->status;
    ensures API_VIEW: \result == SNPY_OK ==> view_ok(view);
 */
snpy_status snpy_view_transpose(snpy_view *view, snpy_error *error)
{
    uint32_t ndim = view->ndim;
    if (ndim > SNPY_MAX_NDIM) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    /*@ loop invariant range: 0 <= k <= ndim / 2;
        loop assigns k, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1];
        loop variant ndim - k; */
    for (uint32_t k = 0; k < ndim / 2; k++) {
        uint64_t length = view->shape[k];
        int64_t stride = view->strides[k];
        view->shape[k] = view->shape[ndim - 1 - k];
        view->strides[k] = view->strides[ndim - 1 - k];
        view->shape[ndim - 1 - k] = length;
        view->strides[ndim - 1 - k] = stride;
    }
    return snpy_view_check(view, error);
}

/* The dimensions of a sub-array field become the last axes of a view, from entry to entry where sub-arrays
 * nest; view->entry becomes that of the type inside. */
/*@ requires \valid(view) && \valid_read(table) && view->ndim <= SNPY_MAX_NDIM && first < table->field_count;
    requires \valid_read(table->fields + (0 .. table->field_count-1));
    requires \valid_read(table->dims + (0 .. table->dim_count-1)) && \object_pointer(table->dims);
    requires \separated(view, table) && \separated(view, table->fields + (0 .. table->field_count-1));
    requires \separated(view, table->dims + (0 .. table->dim_count-1));
    terminates \true;
    exits \false;
    assigns view->entry, view->ndim, view->shape[0 .. SNPY_MAX_NDIM-1];
    ensures result: \result == SNPY_OK || \result == SNPY_TOO_MANY_DIMENSIONS || \result == SNPY_BAD_ARGUMENT;
    ensures ndim: view->ndim <= SNPY_MAX_NDIM && \old(view->ndim) <= view->ndim;
    ensures last: \result == SNPY_OK ==> view->entry < table->field_count;
 */
static snpy_status add_axes(snpy_view *view, const snpy_table *table, uint32_t first)
{
    uint32_t entry = first;
    uint32_t k = 0; /* dimensions of the entry that were added */
    /*@ loop invariant range: entry < table->field_count && k <= table->fields[entry].ndim;
        loop invariant ndim: \at(view->ndim, Pre) <= view->ndim <= SNPY_MAX_NDIM;
        loop assigns k, entry, view->ndim, view->shape[0 .. SNPY_MAX_NDIM-1];
        loop variant (table->field_count - entry) * 65536 - k; */
    while (k < table->fields[entry].ndim || table->fields[entry].dtype.kind == SNPY_KIND_SUBARRAY) {
        if (k == table->fields[entry].ndim) {
            if (entry == UINT32_MAX || entry + 1 >= table->field_count) return SNPY_BAD_ARGUMENT;
            entry++;
            k = 0;
            continue;
        }
        size_t at = (size_t)table->fields[entry].first_dim;
        if (view->ndim == SNPY_MAX_NDIM) return SNPY_TOO_MANY_DIMENSIONS;
        if (at >= table->dim_count || k >= table->dim_count - at || table->dims[at + k] < 0) return SNPY_BAD_ARGUMENT;
        view->shape[view->ndim] = (uint64_t)table->dims[at + k];
        view->ndim++;
        k++;
    }
    view->entry = entry;
    return SNPY_OK;
}

/* The element of a view becomes one of its fields, whose axes have been added already. */
/*@ requires \valid(view) && \valid_read(dtype) && \separated(view, dtype) && ndim <= view->ndim <= SNPY_MAX_NDIM;
    terminates \true;
    exits \false;
    assigns view->offset, view->itemsize, view->dtype.kind, view->dtype.byteorder, view->dtype.unit,
            view->dtype.itemsize, view->dtype.multiplier, view->strides[0 .. SNPY_MAX_NDIM-1];
    ensures element: \result ==> view->itemsize == \old(dtype->itemsize);
 */
static bool narrow(snpy_view *view, uint32_t ndim, const snpy_dtype *dtype, int64_t by)
{
    uint64_t offset = 0;
    if (by < 0 || by > (int64_t)SNPY_MAX_ITEMSIZE || dtype->itemsize > SNPY_MAX_ITEMSIZE) return false;
    if (!move(view->offset, by, &offset) || !pack_c(view, ndim, view->ndim, dtype->itemsize)) return false;
    view->offset = offset;
    view->itemsize = dtype->itemsize;
    view->dtype.kind = dtype->kind;
    view->dtype.byteorder = dtype->byteorder;
    view->dtype.unit = dtype->unit;
    view->dtype.itemsize = dtype->itemsize;
    view->dtype.multiplier = dtype->multiplier;
    return true;
}

/*@ requires \valid(view) && \valid(error) && \valid_read(table) && \separated(view, error, table);
    requires \valid_read(table->fields + (0 .. table->field_count-1));
    requires \valid_read(table->dims + (0 .. table->dim_count-1)) && \object_pointer(table->dims);
    requires \separated(view, error, table->fields + (0 .. table->field_count-1));
    requires \separated(view, error, table->dims + (0 .. table->dim_count-1));
    terminates \true;
    exits \false;
    assigns view->offset, view->count, view->itemsize, view->ndim, view->dtype.kind, view->dtype.byteorder,
            view->dtype.unit, view->dtype.itemsize, view->dtype.multiplier, view->entry,
            view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1], error->status, error->offset;
    ensures result: \result == error->status;
    ensures API_VIEW: \result == SNPY_OK ==> view_ok(view);
    ensures API_TYPE: \result == SNPY_OK ==> \old(view->dtype.kind) == SNPY_KIND_RECORD
                      && entry < \old(table->field_count);
 */
snpy_status snpy_view_field(snpy_view *view, const snpy_table *table, uint32_t entry, snpy_error *error)
{
    const uint32_t ndim = view->ndim;
    const uint32_t record = view->entry;
    if (ndim > SNPY_MAX_NDIM) return snpy_fail(error, SNPY_BAD_ARGUMENT, ndim);
    if (view->dtype.kind != SNPY_KIND_RECORD || entry <= record || entry >= table->field_count)
        return snpy_fail(error, SNPY_WRONG_TYPE, entry);
    if (table->fields[entry].parent != record) return snpy_fail(error, SNPY_WRONG_TYPE, entry);
    snpy_status status = add_axes(view, table, entry);
    if (status != SNPY_OK) {
        view->ndim = ndim;
        return snpy_fail(error, status, entry);
    }
    if (!narrow(view, ndim, &table->fields[view->entry].dtype, table->fields[entry].offset))
        return snpy_fail(error, SNPY_BAD_ARGUMENT, entry);
    return snpy_view_check(view, error);
}

/* The shape and the element of another view; offset 0, strides and data are still missing. */
/*@ requires \valid(view) && \valid_read(like) && \separated(view, like) && like->ndim <= SNPY_MAX_NDIM;
    terminates \true;
    exits \false;
    assigns view->offset, view->count, view->itemsize, view->ndim, view->dtype.kind, view->dtype.byteorder,
            view->dtype.unit, view->dtype.itemsize, view->dtype.multiplier, view->entry,
            view->shape[0 .. SNPY_MAX_NDIM-1];
    ensures numbers: view->ndim == like->ndim && view->offset == 0 && view->itemsize == like->itemsize;
 */
static void take_view(const snpy_view *like, snpy_view *view)
{
    view->offset = 0;
    view->count = 0;
    view->itemsize = like->itemsize;
    view->ndim = like->ndim;
    view->dtype.kind = like->dtype.kind;
    view->dtype.byteorder = like->dtype.byteorder;
    view->dtype.unit = like->dtype.unit;
    view->dtype.itemsize = like->dtype.itemsize;
    view->dtype.multiplier = like->dtype.multiplier;
    view->entry = like->entry;
    /*@ loop invariant range: 0 <= k <= like->ndim;
        loop assigns k, view->shape[0 .. SNPY_MAX_NDIM-1];
        loop variant like->ndim - k; */
    for (uint32_t k = 0; k < like->ndim; k++) view->shape[k] = like->shape[k];
}

/*@ requires \valid_read(like) && \valid(view) && \valid(error) && \separated(like, view, error);
    terminates \true;
    exits \false;
    assigns view->data_size, view->offset, view->count, view->itemsize, view->ndim, view->dtype.kind,
            view->dtype.byteorder, view->dtype.unit, view->dtype.itemsize, view->dtype.multiplier, view->entry,
            view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1], error->status, error->offset;
    ensures result: \result == error->status;
    ensures API_VIEW: \result == SNPY_OK ==> view_ok(view);
 */
snpy_status snpy_view_dense(const snpy_view *like, bool fortran_order, snpy_view *view, snpy_error *error)
{
    int64_t size = 0;
    if (like->ndim > SNPY_MAX_NDIM || like->itemsize > SNPY_MAX_ITEMSIZE) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    if (!multiply(like->count, (int64_t)like->itemsize, &size)) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    take_view(like, view);
    view->data_size = (uint64_t)size;
    if (!(fortran_order ? pack_fortran(view, view->itemsize) : pack_c(view, 0, view->ndim, view->itemsize)))
        return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    return snpy_view_check(view, error);
}
