/* view.c: finds where an element, a field or a slice is within the data.                   NPY-DATA-005 … 008, API-VIEW
 * Proves that each offset that it returns, with the itemsize after it, is inside the data. value.c and copy.c use the
 * bytes.
 *
 * Slices and fields build a view from the numbers of the old one; then it is checked as a whole. So one function
 * decides what is valid, whatever a caller's view says. */
#include "core/view.h"
#include "safenpy/copy.h"

/* Sets *product to (count - 1) * stride. Returns false if it is out of range. */
/*@ requires \valid(product);
    terminates \true;
    exits \false;
    assigns *product;
    ensures exact: \result ==> *product == count * stride;
    ensures sign: \result ==> (stride >= 0 ==> *product >= 0) && (stride <= 0 ==> *product <= 0);
    ensures range: -SNPY_MAX_SIZE <= *product <= SNPY_MAX_SIZE;
    ensures none: count == 0 ==> \result && *product == 0;
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

/* Returns the bytes from the first element of an axis to the one at an index. */
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

/* The product of a shape, extended by an axis. times() hides the multiplication, which misleads the provers. */
/*@ ghost
    /@ requires \valid_read(shape + (0 .. k));
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures step: times(product(shape, k + 1), product(shape, k), shape[k]); @/
    static void show_product_step(const uint64_t *shape, uint32_t k)
    {
        ;
    }
*/

/* A shape with an empty axis has no elements. */
/*@ ghost
    /@ requires \valid_read(shape + (0 .. ndim-1)) && empty < ndim && shape[empty] == 0;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures empty: product(shape, ndim) == 0; @/
    static void show_product_empty(const uint64_t *shape, uint32_t ndim, uint32_t empty)
    {
        uint32_t k = empty;
        show_product_step(shape, k);
        k++;
        /@ loop invariant range: empty < k <= ndim;
           loop invariant empty: product(shape, k) == 0;
           loop assigns k;
           loop variant ndim - k; @/
        while (k < ndim) {
            show_product_step(shape, k);
            k++;
        }
    }
*/

/* A product has one value only. */
/*@ ghost
    /@ terminates \true;
       exits \false;
       assigns \nothing;
       ensures unique: \forall integer a, b, x, y; times(a, x, y) && times(b, x, y) ==> a == b; @/
    static void show_times_unique(void)
    {
        ;
    }
*/

/* Sets the count of a view; its shape stays as it is, and so does the product of the shape. */
/*@ requires \valid(view) && view->ndim <= SNPY_MAX_NDIM && count == product(&view->shape[0], view->ndim);
    terminates \true;
    exits \false;
    assigns view->count;
    ensures exact: view->count == count && count == product(&view->shape[0], view->ndim);
 */
static void set_count(snpy_view *view, uint64_t count)
{
    //@ ghost uint32_t k = 0;
    /*@ ghost
        /@ loop invariant range: 0 <= k <= view->ndim;
           loop invariant old: \forall integer j; 0 <= j < k ==>
                   times(product(&view->shape[0], j + 1), product(&view->shape[0], j), view->shape[j]);
           loop assigns k;
           loop variant view->ndim - k; @/
        while (k < view->ndim) {
            show_product_step(&view->shape[0], k);
            k++;
        }
    */
    //@ ghost k = 0;
    //@ ghost show_times_unique();
    view->count = count;
    //@ assert old: \forall integer j; 0 <= j < view->ndim ==> times(\at(product(&view->shape[0], \at(j, Here) + 1), Pre), \at(product(&view->shape[0], \at(j, Here)), Pre), view->shape[j]);
    /*@ ghost
        /@ loop invariant range: 0 <= k <= view->ndim;
           loop invariant same: product(&view->shape[0], k) == \at(product(&view->shape[0], \at(k, Here)), Pre);
           loop assigns k;
           loop variant view->ndim - k; @/
        while (k < view->ndim) {
            show_product_step(&view->shape[0], k);
            /@ assert old: times(\at(product(&view->shape[0], \at(k, Here) + 1), Pre), \at(product(&view->shape[0], \at(k, Here)), Pre), view->shape[k]); @/
            /@ assert new: times(product(&view->shape[0], k + 1), \at(product(&view->shape[0], \at(k, Here)), Pre), view->shape[k]); @/
            /@ assert same: product(&view->shape[0], k + 1) == \at(product(&view->shape[0], \at(k, Here) + 1), Pre); @/
            k++;
        }
    */
}

/* Multiplies *count by the length of one more axis. Returns false if the product is out of range. */
/*@ requires \valid(count) && 1 <= *count <= SNPY_MAX_SIZE && 1 <= length;
    terminates \true;
    exits \false;
    assigns *count;
    ensures exact: \result ==> times(*count, \old(*count), length) && length <= SNPY_MAX_SIZE;
    ensures range: 1 <= *count <= SNPY_MAX_SIZE;
 */
static bool count_axis(uint64_t length, uint64_t *count)
{
    if (length > SNPY_MAX_SIZE / *count) return false;
    *count *= length;
    return true;
}

/* Sets view->count to the product of its shape, 0 if an axis is empty. Returns false if it is out of range. */
/*@ requires \valid(view) && view->ndim <= SNPY_MAX_NDIM;
    terminates \true;
    exits \false;
    assigns view->count;
    ensures full: \result && view->count != 0 ==>
            \forall integer k; 0 <= k < view->ndim ==> 1 <= view->shape[k] <= SNPY_MAX_SIZE;
    ensures exact: \result ==> view->count == product(&view->shape[0], view->ndim);
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
    for (uint32_t k = 0; k < view->ndim; k++) {
        if (view->shape[k] != 0) continue;
        //@ ghost show_product_empty(&view->shape[0], view->ndim, k);
        return true;
    }
    /*@ loop invariant range: 0 <= k <= view->ndim && 1 <= count <= SNPY_MAX_SIZE;
        loop invariant full: \forall integer j; 0 <= j < k ==> 1 <= view->shape[j] <= SNPY_MAX_SIZE;
        loop invariant exact: count == product(&view->shape[0], k);
        loop assigns k, count;
        loop variant view->ndim - k; */
    for (uint32_t k = 0; k < view->ndim; k++) {
        //@ ghost show_product_step(&view->shape[0], k);
        //@ ghost show_times_unique();
        if (!count_axis(view->shape[k], &count)) return false;
    }
    set_count(view, count);
    return true;
}

/* Whether the axes of a view, none of them empty, refer to no byte outside its data. If false, *axis is the one at
 * fault. */
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

snpy_status snpy_view_check(snpy_view *view, snpy_error *error)
{
    uint32_t axis = view->ndim;
    snpy_fail(error, SNPY_OK, 0); /* first, because after the proof nothing may be written */
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

/* Adds a distance to an offset. Returns false if the sum is out of range. */
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

/* Multiplies a stride by the length of its axis, which gives the stride of the axis around it. Returns false if it is
 * out of range. */
/*@ requires \valid(stride) && 0 <= *stride <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns *stride;
    ensures exact: \result ==> encloses(*stride, \old(*stride), length);
    ensures range: \result ==> 0 <= *stride <= SNPY_MAX_SIZE;
 */
static bool step_over(uint64_t length, int64_t *stride)
{
    return multiply(length == 0 ? 1 : length, *stride, stride);
}

/* Sets the strides of axes first .. last-1 so that they are packed around an item of `size` bytes, the last axis
 * innermost. Returns false if one is out of range. */
/*@ requires \valid(view) && first <= last <= SNPY_MAX_NDIM && size <= SNPY_MAX_ITEMSIZE;
    terminates \true;
    exits \false;
    assigns view->strides[first .. last - 1];
    ensures NPY_DATA_005: \result ==> SNPY_PACKED_C(view, first, last, size);
 */
static bool pack_c(snpy_view *view, uint32_t first, uint32_t last, uint32_t size)
{
    int64_t stride = (int64_t)size;
    /*@ loop invariant range: first <= k <= last && 0 <= stride <= SNPY_MAX_SIZE;
        loop invariant packed: SNPY_PACKED_C(view, k, last, size);
        loop invariant start: k == last ==> stride == size;
        loop invariant next: k < last ==> encloses(stride, view->strides[k], view->shape[k]);
        loop assigns k, stride, view->strides[first .. last - 1];
        loop variant k; */
    for (uint32_t k = last; k > first;) {
        k--;
        view->strides[k] = stride;
        if (!step_over(view->shape[k], &stride)) return false;
    }
    return true;
}

/* Sets the strides of all axes in the same way, with the first axis innermost. */
/*@ requires \valid(view) && view->ndim <= SNPY_MAX_NDIM && size <= SNPY_MAX_ITEMSIZE;
    terminates \true;
    exits \false;
    assigns view->strides[0 .. view->ndim - 1];
    ensures NPY_DATA_006: \result ==> SNPY_PACKED_FORTRAN(view, view->ndim, size);
 */
static bool pack_fortran(snpy_view *view, uint32_t size)
{
    int64_t stride = (int64_t)size;
    /*@ loop invariant range: 0 <= k <= view->ndim && 0 <= stride <= SNPY_MAX_SIZE;
        loop invariant packed: SNPY_PACKED_FORTRAN(view, k, size);
        loop invariant start: k == 0 ==> stride == size;
        loop invariant next: 0 < k ==> encloses(stride, view->strides[k - 1], view->shape[k - 1]);
        loop assigns k, stride, view->strides[0 .. view->ndim - 1];
        loop variant view->ndim - k; */
    for (uint32_t k = 0; k < view->ndim; k++) {
        view->strides[k] = stride;
        if (!step_over(view->shape[k], &stride)) return false;
    }
    return true;
}

/* Sets the strides of a contiguous array and checks that all of it is inside its data. */
/*@ requires \valid(view) && \valid(error) && \separated(view, error);
    requires view->ndim <= SNPY_MAX_NDIM && view->itemsize <= SNPY_MAX_ITEMSIZE;
    terminates \true;
    exits \false;
    assigns view->count, view->strides[0 .. view->ndim - 1], error->status, error->offset;
    ensures result: \result == error->status;
    ensures API_VIEW: \result == SNPY_OK ==> view_ok(view);
    ensures count: \result == SNPY_OK ==> view->count == product(&view->shape[0], view->ndim);
    ensures NPY_DATA_005: \result == SNPY_OK && !fortran_order ==> SNPY_PACKED_C(view, 0, view->ndim, view->itemsize);
    ensures NPY_DATA_006: \result == SNPY_OK && fortran_order ==>
            SNPY_PACKED_FORTRAN(view, view->ndim, view->itemsize);
 */
static snpy_status set_contiguous_strides(snpy_view *view, bool fortran_order, snpy_error *error)
{
    bool packed = fortran_order ? pack_fortran(view, view->itemsize) : pack_c(view, 0, view->ndim, view->itemsize);
    return packed ? snpy_view_check(view, error) : snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
}

/* Copies the numbers of a header to a view; strides are not set. */
/*@ requires \valid(view) && \valid_read(header) && \separated(view, header) && header->ndim <= SNPY_MAX_NDIM;
    terminates \true;
    exits \false;
    assigns view->data_size, view->offset, view->count, view->itemsize, view->ndim, view->dtype.kind,
            view->dtype.byteorder, view->dtype.unit, view->dtype.itemsize, view->dtype.multiplier, view->entry,
            view->shape[0 .. SNPY_MAX_NDIM-1];
    ensures numbers: view->data_size == header->data_size && view->ndim == header->ndim && view->offset == 0
                     && view->itemsize == header->dtype.itemsize && view->entry == 0;
    ensures shape: \forall integer k; 0 <= k < view->ndim ==> view->shape[k] == header->shape[k];
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
        loop invariant shape: \forall integer j; 0 <= j < k ==> view->shape[j] == header->shape[j];
        loop assigns k, view->shape[0 .. SNPY_MAX_NDIM-1];
        loop variant header->ndim - k; */
    for (uint32_t k = 0; k < header->ndim; k++) view->shape[k] = header->shape[k];
}

snpy_status snpy_view_open(const snpy_header *header, uint64_t length, snpy_view *view, snpy_error *error)
{
    uint32_t itemsize = header->dtype.itemsize;
    if (header->has_object) return snpy_fail(error, SNPY_OBJECT_DATA, header->frame.data_offset);
    if (header->data_size > length) return snpy_fail(error, SNPY_TRUNCATED_DATA, length);
    if (header->ndim > SNPY_MAX_NDIM || itemsize > SNPY_MAX_ITEMSIZE) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    take_header(header, view);
    return set_contiguous_strides(view, header->fortran_order, error);
}

/* Moves the beginning of a view to another index of an axis. Returns false if the offset is out of range. */
/*@ requires \valid(view) && axis < view->ndim <= SNPY_MAX_NDIM && 0 <= index;
    terminates \true;
    exits \false;
    assigns view->offset;
    ensures moved: \result ==> shifted(view->offset, \old(view->offset), index, view->strides[axis]);
    ensures stays: index == 0 && \old(view->offset) <= SNPY_MAX_SIZE ==> \result;
 */
static bool advance(snpy_view *view, uint32_t axis, int64_t index)
{
    int64_t leap = 0;
    uint64_t offset = 0;
    if (!multiply((uint64_t)index, view->strides[axis], &leap) || !move(view->offset, leap, &offset)) return false;
    view->offset = offset;
    return true;
}

/* Removes an axis. */
/*@ requires \valid(view) && axis < view->ndim <= SNPY_MAX_NDIM;
    terminates \true;
    exits \false;
    assigns view->ndim, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1];
    ensures ndim: view->ndim == \old(view->ndim) - 1;
    ensures before: \forall integer k; 0 <= k < axis ==>
            view->shape[k] == \old(view->shape[k]) && view->strides[k] == \old(view->strides[k]);
    ensures behind: \forall integer k; axis <= k < view->ndim ==>
            view->shape[k] == \old(view->shape[k + 1]) && view->strides[k] == \old(view->strides[k + 1]);
 */
static void drop_axis(snpy_view *view, uint32_t axis)
{
    /*@ loop invariant range: axis <= k < view->ndim;
        loop invariant moved: \forall integer j; axis <= j < k ==>
                view->shape[j] == \at(view->shape[j + 1], Pre) && view->strides[j] == \at(view->strides[j + 1], Pre);
        loop invariant kept: \forall integer j; 0 <= j < view->ndim && (j < axis || k <= j) ==>
                view->shape[j] == \at(view->shape[j], Pre) && view->strides[j] == \at(view->strides[j], Pre);
        loop assigns k, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1];
        loop variant view->ndim - k; */
    for (uint32_t k = axis; k + 1 < view->ndim; k++) {
        view->shape[k] = view->shape[k + 1];
        view->strides[k] = view->strides[k + 1];
    }
    view->ndim--;
}

snpy_status snpy_view_index(snpy_view *view, uint32_t axis, int64_t index, snpy_error *error)
{
    if (view->ndim > SNPY_MAX_NDIM || axis >= view->ndim) return snpy_fail(error, SNPY_BAD_ARGUMENT, axis);
    uint64_t length = view->shape[axis];
    if (length > SNPY_MAX_SIZE) return snpy_fail(error, SNPY_BAD_ARGUMENT, axis);
    if (index >= (int64_t)length || index < -(int64_t)length) return snpy_fail(error, SNPY_BAD_INDEX, axis);
    int64_t from_start = index < 0 ? index + (int64_t)length : index;
    if (!advance(view, axis, from_start)) return snpy_fail(error, SNPY_BAD_ARGUMENT, axis);
    drop_axis(view, axis);
    return snpy_view_check(view, error);
}

/* A slice of an axis of known length: its first element, the number of elements, and the step between them. */
struct range {
    int64_t first;
    int64_t count;
    int64_t step;
};

/* Returns a bound of a slice as an index: a negative one counts from the end; the result is within low .. high. */
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

/* Returns how many numbers Python's range(first, stop, step) has. */
/*@ requires -1 <= first <= SNPY_MAX_SIZE && -1 <= stop <= SNPY_MAX_SIZE && step != 0;
    requires step < 0 ? first < SNPY_MAX_SIZE : 0 <= first;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures exact: \result == range_count(first, stop, step);
    ensures up: 0 < step ==> 0 <= \result <= (first < stop ? stop - first : 0);
    ensures down: step < 0 ==> 0 <= \result <= (stop < first ? first - stop : 0);
    ensures one: step < -INT64_MAX ==> \result <= 1;
 */
static int64_t count_range(int64_t first, int64_t stop, int64_t step)
{
    int64_t distance = step < 0 ? first - stop : stop - first;
    if (distance <= 0) return 0;
    if (step < -INT64_MAX) return 1;
    int64_t pace = step < 0 ? -step : step;
    // cppcheck-suppress zerodivcond ; the contract asks for a step that is not 0
    return (distance - 1) / pace + 1;
}

/* Resolves a slice of an axis of `length` elements, as Python's slice.indices() does. */
/*@ requires \valid_read(slice) && \valid(range) && \separated(slice, range) && 0 <= length <= SNPY_MAX_SIZE;
    requires slice->has_step ==> slice->step != 0;
    terminates \true;
    exits \false;
    assigns range->first, range->count, range->step;
    ensures API_SLICE: range->count == SNPY_SLICE_COUNT(slice, length);
    ensures first: range->first == SNPY_SLICE_FIRST(slice, length);
    ensures step: range->count > 1 ==> range->step == SNPY_SLICE_STEP(slice);
    ensures count: 0 <= range->count <= length;
    ensures inside: range->count > 0 ==> 0 <= range->first < length;
    ensures pace: range->step != 0 && -SNPY_MAX_SIZE <= range->step;
 */
static void resolve(const snpy_slice *slice, int64_t length, struct range *range)
{
    int64_t step = slice->has_step ? slice->step : 1;
    int64_t low = step < 0 ? -1 : 0;
    int64_t high = step < 0 ? length - 1 : length;
    int64_t start = step < 0 ? high : low;
    int64_t stop = step < 0 ? low : high;
    if (slice->has_start) start = clamp(slice->start, length, low, high);
    if (slice->has_stop) stop = clamp(slice->stop, length, low, high);
    //@ assert first: start == SNPY_SLICE_FIRST(slice, length);
    //@ assert stop: stop == SNPY_SLICE_STOP(slice, length);
    range->first = start;
    range->step = step < -INT64_MAX ? -INT64_MAX : step; /* the same, because no second step is taken */
    range->count = count_range(start, stop, step);
}

/* Sets *after to step * stride. Returns false if it is out of range. */
/*@ requires \valid(after) && -SNPY_MAX_SIZE <= step;
    terminates \true;
    exits \false;
    assigns *after;
    ensures exact: \result ==> times(*after, step, stride);
 */
static bool multiply_stride(int64_t step, int64_t stride, int64_t *after)
{
    if (!multiply((uint64_t)(step < 0 ? -step : step), stride, after)) return false;
    if (step < 0) *after = -*after;
    return true;
}

/* Replaces an axis by what a slice selects. Returns false if the new offset or stride is out of range. */
/*@ requires \valid(view) && axis < view->ndim <= SNPY_MAX_NDIM && \valid_read(range) && \separated(view, range);
    requires 0 <= range->count && (range->count > 0 ==> 0 <= range->first);
    requires range->step != 0 && -SNPY_MAX_SIZE <= range->step;
    terminates \true;
    exits \false;
    assigns view->offset, view->shape[axis], view->strides[axis];
    ensures length: view->shape[axis] == range->count;
    ensures offset: \result ==>
            shifted(view->offset, \old(view->offset), range->count > 0 ? range->first : 0, \old(view->strides[axis]));
    ensures stride: \result ==>
            times(view->strides[axis], range->count > 1 ? range->step : 1, \old(view->strides[axis]));
    ensures one: range->count <= 1 && range->first == 0 && \old(view->offset) <= SNPY_MAX_SIZE ==> \result;
 */
static bool cut_axis(snpy_view *view, uint32_t axis, const struct range *range)
{
    int64_t stride = 0;
    view->shape[axis] = (uint64_t)range->count;
    if (range->count == 0) return true;
    if (!advance(view, axis, range->first)) return false;
    if (range->count == 1) return true; /* the stride has no effect any more */
    if (!multiply_stride(range->step, view->strides[axis], &stride)) return false;
    view->strides[axis] = stride;
    return true;
}

/* Replaces an axis by its slice. Returns false if the new offset or stride is out of range. */
/*@ requires \valid(view) && \valid_read(slice) && \separated(view, slice);
    requires axis < view->ndim <= SNPY_MAX_NDIM && view->shape[axis] <= SNPY_MAX_SIZE;
    requires slice->has_step ==> slice->step != 0;
    terminates \true;
    exits \false;
    assigns view->offset, view->shape[axis], view->strides[axis];
    ensures API_SLICE: view->shape[axis] == \old(SNPY_SLICE_COUNT(slice, view->shape[axis]));
    ensures offset: \result ==> shifted(view->offset, \old(view->offset),
            view->shape[axis] > 0 ? \old(SNPY_SLICE_FIRST(slice, view->shape[axis])) : 0, \old(view->strides[axis]));
    ensures stride: \result ==> times(view->strides[axis],
            view->shape[axis] > 1 ? \old(SNPY_SLICE_STEP(slice)) : 1, \old(view->strides[axis]));
 */
static bool slice_axis(snpy_view *view, uint32_t axis, const snpy_slice *slice)
{
    struct range range;
    resolve(slice, (int64_t)view->shape[axis], &range);
    return cut_axis(view, axis, &range);
}

snpy_status snpy_view_slice(snpy_view *view, uint32_t axis, const snpy_slice *slice, snpy_error *error)
{
    if (view->ndim > SNPY_MAX_NDIM || axis >= view->ndim || view->shape[axis] > SNPY_MAX_SIZE)
        return snpy_fail(error, SNPY_BAD_ARGUMENT, axis);
    if (slice->has_step && slice->step == 0) return snpy_fail(error, SNPY_BAD_SLICE, axis);
    if (!slice_axis(view, axis, slice)) return snpy_fail(error, SNPY_BAD_ARGUMENT, axis);
    return snpy_view_check(view, error);
}

/* Swaps two axes. */
/*@ requires \valid(view) && j < k < SNPY_MAX_NDIM;
    terminates \true;
    exits \false;
    assigns view->shape[j], view->shape[k], view->strides[j], view->strides[k];
    ensures shape: view->shape[j] == \old(view->shape[k]) && view->shape[k] == \old(view->shape[j]);
    ensures strides: view->strides[j] == \old(view->strides[k]) && view->strides[k] == \old(view->strides[j]);
 */
static void swap_axes(snpy_view *view, uint32_t j, uint32_t k)
{
    uint64_t length = view->shape[j];
    int64_t stride = view->strides[j];
    view->shape[j] = view->shape[k];
    view->strides[j] = view->strides[k];
    view->shape[k] = length;
    view->strides[k] = stride;
}

snpy_status snpy_view_transpose(snpy_view *view, snpy_error *error)
{
    uint32_t ndim = view->ndim;
    if (ndim > SNPY_MAX_NDIM) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    /*@ loop invariant range: 0 <= k <= ndim / 2;
        loop invariant swapped: \forall integer j; 0 <= j < ndim && (j < k || ndim - k <= j) ==>
                view->shape[j] == \at(view->shape[view->ndim - 1 - j], Pre)
                && view->strides[j] == \at(view->strides[view->ndim - 1 - j], Pre);
        loop invariant kept: \forall integer j; k <= j < ndim - k ==>
                view->shape[j] == \at(view->shape[j], Pre) && view->strides[j] == \at(view->strides[j], Pre);
        loop assigns k, view->shape[0 .. SNPY_MAX_NDIM-1], view->strides[0 .. SNPY_MAX_NDIM-1];
        loop variant ndim - k; */
    for (uint32_t k = 0; k < ndim / 2; k++) {
        swap_axes(view, k, ndim - 1 - k);
    }
    //@ assert halves: \forall integer k; 0 <= k < ndim ==> k < ndim / 2 || ndim - ndim / 2 <= k || k == ndim - 1 - k;
    //@ assert reversed: \forall integer k; 0 <= k < ndim ==> view->shape[k] == \at(view->shape[view->ndim - 1 - k], Pre) && view->strides[k] == \at(view->strides[view->ndim - 1 - k], Pre);
    return snpy_view_check(view, error);
}

/* Appends `count` dimensions to the axes of a view. */
/*@ requires \valid(view) && view->ndim <= SNPY_MAX_NDIM && \valid_read(dims + (0 .. count-1));
    requires \separated(view, dims + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns view->ndim, view->shape[0 .. SNPY_MAX_NDIM-1];
    ensures result: \result == SNPY_OK || \result == SNPY_TOO_MANY_DIMENSIONS || \result == SNPY_BAD_ARGUMENT;
    ensures ndim: \old(view->ndim) <= view->ndim <= SNPY_MAX_NDIM;
    ensures all: \result == SNPY_OK ==> view->ndim == \old(view->ndim) + count;
    ensures shape: \result == SNPY_OK ==> \forall integer k; 0 <= k < count ==>
            view->shape[\old(view->ndim) + k] == dims[k];
    ensures kept: \forall integer k; 0 <= k < \old(view->ndim) ==> view->shape[k] == \old(view->shape[k]);
 */
static snpy_status add_axes(snpy_view *view, const int32_t *dims, uint32_t count)
{
    const uint32_t ndim = view->ndim;
    /*@ loop invariant range: 0 <= k <= count && view->ndim == ndim + k <= SNPY_MAX_NDIM;
        loop invariant shape: \forall integer j; 0 <= j < k ==> view->shape[ndim + j] == dims[j];
        loop invariant kept: \forall integer j; 0 <= j < ndim ==> view->shape[j] == \at(view->shape[j], Pre);
        loop assigns k, view->ndim, view->shape[0 .. SNPY_MAX_NDIM-1];
        loop variant count - k; */
    for (uint32_t k = 0; k < count; k++) {
        if (view->ndim == SNPY_MAX_NDIM) return SNPY_TOO_MANY_DIMENSIONS;
        if (dims[k] < 0) return SNPY_BAD_ARGUMENT;
        view->shape[ndim + k] = (uint64_t)dims[k];
        view->ndim++;
    }
    return SNPY_OK;
}

/* Appends the dimensions of a sub-array field to the axes of a view, entry by entry if sub-arrays are nested. Sets
 * view->entry to the type inside. */
/*@ requires \valid(view) && \valid_read(table) && view->ndim <= SNPY_MAX_NDIM;
    requires first < table->field_count <= SNPY_MAX_FIELDS && \valid_read(table->fields + (0 .. table->field_count-1));
    requires \valid_read(table->dims + (0 .. table->dim_count-1)) && \object_pointer(table->dims);
    requires \separated(view, table) && \separated(view, table->fields + (0 .. table->field_count-1));
    requires \separated(view, table->dims + (0 .. table->dim_count-1));
    terminates \true;
    exits \false;
    assigns view->entry, view->ndim, view->shape[0 .. SNPY_MAX_NDIM-1];
    ensures result: \result == SNPY_OK || \result == SNPY_TOO_MANY_DIMENSIONS || \result == SNPY_BAD_ARGUMENT;
    ensures ndim: view->ndim <= SNPY_MAX_NDIM && \old(view->ndim) <= view->ndim;
    ensures last: \result == SNPY_OK ==> view->entry < table->field_count;
    ensures kept: \forall integer k; 0 <= k < \old(view->ndim) ==> view->shape[k] == \old(view->shape[k]);
    ensures own: \result == SNPY_OK && table->fields[first].dtype.kind != SNPY_KIND_SUBARRAY ==>
            view->entry == first && view->ndim == \old(view->ndim) + table->fields[first].ndim;
 */
static snpy_status enter_subarray(snpy_view *view, const snpy_table *table, uint32_t first)
{
    uint32_t entry = first;
    /*@ loop invariant range: first <= entry < table->field_count;
        loop invariant ndim: \at(view->ndim, Pre) <= view->ndim <= SNPY_MAX_NDIM;
        loop invariant kept: \forall integer j; 0 <= j < \at(view->ndim, Pre) ==>
                view->shape[j] == \at(view->shape[j], Pre);
        loop invariant first: table->fields[first].dtype.kind != SNPY_KIND_SUBARRAY ==> entry == first;
        loop invariant before: entry == first ==> view->ndim == \at(view->ndim, Pre);
        loop assigns entry, view->ndim, view->shape[0 .. SNPY_MAX_NDIM-1];
        loop variant table->field_count - entry; */
    for (;;) {
        const snpy_field *field = &table->fields[entry];
        size_t at = field->ndim > 0 ? (size_t)field->first_dim : 0;
        if (at > table->dim_count || field->ndim > table->dim_count - at) return SNPY_BAD_ARGUMENT;
        snpy_status status = add_axes(view, table->dims + at, field->ndim);
        if (status != SNPY_OK) return status;
        if (field->dtype.kind != SNPY_KIND_SUBARRAY) break;
        if (entry + 1 >= table->field_count) return SNPY_BAD_ARGUMENT;
        entry++;
    }
    view->entry = entry;
    return SNPY_OK;
}

/* Narrows the elements of a view to one of their fields, whose axes have been added already. Returns false if a number
 * is out of range. */
/*@ requires \valid(view) && \valid_read(dtype) && \separated(view, dtype) && ndim <= view->ndim <= SNPY_MAX_NDIM;
    terminates \true;
    exits \false;
    assigns view->offset, view->itemsize, view->dtype.kind, view->dtype.byteorder, view->dtype.unit,
            view->dtype.itemsize, view->dtype.multiplier, view->strides[0 .. SNPY_MAX_NDIM-1];
    ensures element: \result ==> view->itemsize == \old(dtype->itemsize);
    ensures kept: \forall integer k; 0 <= k < ndim ==> view->strides[k] == \old(view->strides[k]);
    ensures NPY_DATA_005: \result ==> SNPY_PACKED_C(view, ndim, view->ndim, view->itemsize);
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
    ensures axes: \result == SNPY_OK ==> \old(view->ndim) <= view->ndim;
    ensures kept: \result == SNPY_OK ==> \forall integer k; 0 <= k < \old(view->ndim) ==>
            view->shape[k] == \old(view->shape[k]) && view->strides[k] == \old(view->strides[k]);
    ensures NPY_DATA_005: \result == SNPY_OK ==>
            SNPY_PACKED_C(view, \old(view->ndim), view->ndim, view->itemsize);
 */
snpy_status snpy_view_field(snpy_view *view, const snpy_table *table, uint32_t entry, snpy_error *error)
{
    const uint32_t ndim = view->ndim;
    const uint32_t record = view->entry;
    if (ndim > SNPY_MAX_NDIM) return snpy_fail(error, SNPY_BAD_ARGUMENT, ndim);
    if (table->field_count > SNPY_MAX_FIELDS) return snpy_fail(error, SNPY_BAD_ARGUMENT, entry);
    if (view->dtype.kind != SNPY_KIND_RECORD || entry <= record || entry >= table->field_count)
        return snpy_fail(error, SNPY_WRONG_TYPE, entry);
    if (table->fields[entry].parent != record) return snpy_fail(error, SNPY_WRONG_TYPE, entry);
    snpy_status status = enter_subarray(view, table, entry);
    if (status != SNPY_OK) {
        view->ndim = ndim;
        return snpy_fail(error, status, entry);
    }
    if (!narrow(view, ndim, &table->fields[view->entry].dtype, table->fields[entry].offset))
        return snpy_fail(error, SNPY_BAD_ARGUMENT, entry);
    return snpy_view_check(view, error);
}

/* Copies shape and dtype of another view; the offset is 0, strides and data are not set. */
/*@ requires \valid(view) && \valid_read(like) && \separated(view, like) && like->ndim <= SNPY_MAX_NDIM;
    terminates \true;
    exits \false;
    assigns view->offset, view->count, view->itemsize, view->ndim, view->dtype.kind, view->dtype.byteorder,
            view->dtype.unit, view->dtype.itemsize, view->dtype.multiplier, view->entry,
            view->shape[0 .. SNPY_MAX_NDIM-1];
    ensures numbers: view->ndim == like->ndim && view->offset == 0 && view->itemsize == like->itemsize;
    ensures shape: \forall integer k; 0 <= k < view->ndim ==> view->shape[k] == like->shape[k];
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
        loop invariant shape: \forall integer j; 0 <= j < k ==> view->shape[j] == like->shape[j];
        loop assigns k, view->shape[0 .. SNPY_MAX_NDIM-1];
        loop variant like->ndim - k; */
    for (uint32_t k = 0; k < like->ndim; k++) view->shape[k] = like->shape[k];
}

snpy_status snpy_view_dense(const snpy_view *like, bool fortran_order, snpy_view *view, snpy_error *error)
{
    int64_t size = 0;
    if (like->ndim > SNPY_MAX_NDIM || like->itemsize > SNPY_MAX_ITEMSIZE) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    if (!multiply(like->count, (int64_t)like->itemsize, &size)) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    take_view(like, view);
    view->data_size = (uint64_t)size;
    return set_contiguous_strides(view, fortran_order, error);
}
