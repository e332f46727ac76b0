/* shape.c: parses the array's own shape and computes sizes from it.                   NPY-SHAPE-001, 004, NPY-SHAPE-005
 * Proves that no dimension after the 64th is written and that no product wraps. field.h and layout.c handle sub-array
 * shapes. */
#include "core/shape.h"

/* clang-format off */
#define T text, length
#define FLAGS (boolean)allow_long, (boolean)numpy_int
#define FLAGS_OF(form) (boolean)form->allow_long, (boolean)form->numpy_int
#define ITEM(k) shape_item(T, pos, closing(text[pos]), FLAGS, k)
#define LAST(k) shape_last(T, pos, closing(text[pos]), FLAGS, k)
/* clang-format on */

/* Stores a dimension in the shape, if there is space. */
/*@ requires max_ndim <= SNPY_MAX_NDIM && \valid(dims + (0 .. SNPY_MAX_NDIM-1)) && value <= SNPY_MAX_SIZE + 1;
    terminates \true;
    exits \false;
    assigns dims[0 .. SNPY_MAX_NDIM-1];
    ensures stored: ndim < max_ndim ==> dims[ndim] == value;
    ensures kept: \forall integer k; 0 <= k < SNPY_MAX_NDIM && k != ndim ==> dims[k] == \old(dims[k]);
 */
static void store_dimension(uint64_t *dims, uint32_t max_ndim, size_t ndim, uint64_t value)
{
    if (ndim < max_ndim) dims[ndim] = value;
}

/* An item in its most common form: at most one space, digits, and directly after them the comma or the bracket. */
/* clang-format off */
/*@ logic integer common_at(uint8_t *text, integer length, integer pos) =
        pos < length && text[pos] == ' ' ? pos + 1 : pos;

    predicate common_digits(uint8_t *text, integer length, integer i) = i < length && '1' <= text[i] <= '9';

    predicate common_end(uint8_t *text, integer length, integer end, integer close, boolean first) =
        end < length && (text[end] == ',' || (text[end] == close && (text[end] == ']' || !first)));

    predicate common_item(uint8_t *text, integer length, integer pos, integer close, boolean first) =
        common_digits(text, length, common_at(text, length, pos))
        && common_end(text, length, digits_end(text, length, common_at(text, length, pos)), close, first); */
/* clang-format on */

/* Reads an item in exactly this form; `first`: it is the first of the shape. Returns false, with *item unspecified, if
 * the next item has another form, or there is none. */
/*@ requires text_ok(text, length) && pos <= length && \valid_read(form) && \valid(item);
    requires \separated(item, text + (0 .. length-1)) && \separated(item, form);
    requires bracket: form->close == ')' || form->close == ']';
    terminates \true;
    exits \false;
    assigns item->value, item->at, item->stop, item->has_value, item->closed;
    ensures exact: \result <==> \old(common_item(text, length, pos, form->close, (boolean)first));
    ensures status: \result ==>
            \old(item_status(text, length, pos, form->close, FLAGS_OF(form), (boolean)first)) == SNPY_OK;
    ensures stop: \result ==>
            item->stop == \old(item_stop(text, length, pos, form->close, FLAGS_OF(form), (boolean)first));
    ensures at: \result ==> item->at == \old(item_at(text, length, pos));
    ensures has_value: \result ==> item->has_value != 0 && !\old(item_is_close(text, length, pos, form->close));
    ensures closed: \result ==>
            (item->closed != 0 <==> \old(item_closes(text, length, pos, form->close, FLAGS_OF(form))));
    ensures value: \result ==>
            item->value == \old(capped(item_value(text, length, pos, (boolean)form->numpy_int), SNPY_MAX_SIZE));
    ensures range: \result ==> pos < item->stop <= length && pos <= item->at <= length;
    ensures bound: \result ==> item->value <= SNPY_MAX_SIZE + 1;
 */
static inline bool lex_common_item(const uint8_t *text, size_t length, size_t pos, const struct snpy_shape_form *form,
                                   bool first, struct snpy_item *item)
{
    uint64_t value = 0;
    size_t i = pos < length && text[pos] == ' ' ? pos + 1 : pos;
    if (i == length || text[i] < '1' || text[i] > '9') return false;
    //@ assert at: i == item_at(text, length, pos);
    //@ assert plain: dimension_at(text, length, i, (boolean)form->numpy_int) == i;
    size_t end = snpy_lex_digits(text, length, i, SNPY_MAX_SIZE, &value);
    if (end == length) return false;
    uint8_t mark = text[end];
    bool closes = mark == form->close && (mark == ']' || !first);
    if (mark != ',' && !closes) return false;
    //@ assert digits: end == digits_end(text, length, i);
    //@ assert number: number_status(text, length, i) == SNPY_OK;
    //@ assert suffix: suffix_status(text, length, end, \false, (boolean)form->allow_long) == SNPY_OK;
    //@ assert behind: suffix_stop(text, length, end, \false, (boolean)form->allow_long) == end;
    //@ assert sound: dimension_status(text, length, i, FLAGS_OF(form)) == SNPY_OK;
    //@ assert stop: dimension_stop(text, length, i, FLAGS_OF(form)) == end;
    //@ assert blanks: blanks_end(text, length, end) == end;
    //@ assert mark: item_mark(text, length, pos, FLAGS_OF(form)) == end;
    //@ assert closes: closes != 0 <==> item_closes(text, length, pos, form->close, FLAGS_OF(form));
    item->value = value;
    item->at = i;
    item->stop = end + 1;
    item->has_value = true;
    item->closed = closes;
    return true;
}

/* Reads the next item, in any form; `first`: it is the first of the shape. */
/*@ requires text_ok(text, length) && pos <= length;
    requires \valid_read(form) && \valid(item) && \separated(item, text + (0 .. length-1)) && \separated(item, form);
    requires bracket: form->close == ')' || form->close == ']';
    terminates \true;
    exits \false;
    assigns item->value, item->at, item->stop, item->has_value, item->closed;
    ensures NPY_LIT_017: \result == \old(item_status(text, length, pos, form->close, (boolean)form->allow_long,
                                          (boolean)form->numpy_int, (boolean)first));
    SNPY_ITEM_SAYS
 */
static inline snpy_status next_item(const uint8_t *text, size_t length, size_t pos, const struct snpy_shape_form *form,
                                    bool first, struct snpy_item *item)
{
    if (lex_common_item(text, length, pos, form, first, item)) return SNPY_OK;
    return snpy_lex_item(text, length, pos, form, first, item);
}

/* Reads the items of a shape, from the byte after its opening bracket on.                  NPY-LIT-016 … NPY-LIT-020 */
/*@ requires text_ok(text, length) && pos < length;
    requires \valid(shape) && max_ndim <= SNPY_MAX_NDIM && \valid(dims + (0 .. SNPY_MAX_NDIM-1));
    requires \separated(text + (0 .. length-1), shape, dims + (0 .. SNPY_MAX_NDIM-1));
    terminates \true;
    exits \false;
    assigns shape->stop, shape->extra_at, shape->ndim, dims[0 .. SNPY_MAX_NDIM-1];
    ensures status: \result == items_status(T, pos, FLAGS);
    ensures stop: shape->stop == items_stop(T, pos, FLAGS);
    ensures ndim: \result == SNPY_OK ==> shape->ndim == shape_ndim(T, pos, FLAGS);
    ensures NPY_SHAPE_001: \result == SNPY_OK ==>
            shape->extra_at == (shape->ndim <= max_ndim ? 0 : item_at(T, ITEM(max_ndim)));
    ensures limit: \result == SNPY_OK && shape->extra_at == 0 ==> shape->ndim <= max_ndim;
    ensures value: \result == SNPY_OK ==> \forall integer k; 0 <= k < shape->ndim && k < max_ndim ==>
            dims[k] == capped(item_value(T, ITEM(k), (boolean)numpy_int), SNPY_MAX_SIZE);
    ensures range: pos <= shape->stop <= length && shape->extra_at <= length;
    ensures forward: \result == SNPY_OK ==> pos < shape->stop;
    ensures bound: \forall integer k; 0 <= k < shape->ndim && k < max_ndim ==> dims[k] <= SNPY_MAX_SIZE + 1;
 */
static snpy_status read_items(const uint8_t *text, size_t length, size_t pos, bool allow_long, bool numpy_int,
                              uint32_t max_ndim, struct snpy_shape *shape, uint64_t *dims)
{
    struct snpy_shape_form form = {text[pos] == '[' ? ']' : ')', allow_long, numpy_int};
    struct snpy_item item = {0, pos, pos + 1, false, false};
    snpy_status status = SNPY_OK;
    size_t ndim = 0;
    size_t extra_at = 0;
    /*@ loop invariant range: pos < item.stop <= length && ndim <= item.stop - pos - 1;
        loop invariant extra_range: extra_at <= length;
        loop invariant limit: extra_at == 0 ==> ndim <= max_ndim;
        loop invariant extra: extra_at == (ndim <= max_ndim ? 0 : item_at(T, ITEM(max_ndim)));
        loop invariant bound: \forall integer k; 0 <= k < ndim && k < max_ndim ==> dims[k] <= SNPY_MAX_SIZE + 1;
        loop invariant value: \forall integer k; 0 <= k < ndim && k < max_ndim ==>
                       dims[k] == capped(item_value(T, ITEM(k), (boolean)numpy_int), SNPY_MAX_SIZE);
        loop invariant open: status == SNPY_OK && item.closed == 0 ==>
                       item.stop == ITEM(ndim) && LAST(ndim) == LAST(0);
        loop invariant closed: status != SNPY_OK || item.closed != 0 ==>
                       status == items_status(T, pos, FLAGS) && item.stop == items_stop(T, pos, FLAGS);
        loop invariant ndim: status == SNPY_OK && item.closed != 0 ==> ndim == shape_ndim(T, pos, FLAGS);
        loop assigns item.value, item.at, item.stop, item.has_value, item.closed, status, ndim, extra_at,
                     dims[0 .. SNPY_MAX_NDIM-1];
        loop variant length - item.stop + (status == SNPY_OK ? 1 : 0); */
    while (status == SNPY_OK && !item.closed) {
        status = next_item(text, length, item.stop, &form, ndim == 0, &item);
        //@ assert item: status == item_status(T, ITEM(ndim), form.close, FLAGS, ndim == 0);
        //@ assert behind: item.stop == item_stop(T, ITEM(ndim), form.close, FLAGS, ndim == 0);
        //@ assert last: status != SNPY_OK || item.closed != 0 ==> LAST(ndim) == ndim;
        //@ assert next: status == SNPY_OK ==> item.stop == ITEM(ndim + 1);
        //@ assert on: status == SNPY_OK && item.closed == 0 ==> LAST(ndim) == LAST(ndim + 1);
        if (status == SNPY_OK && item.has_value) {
            if (ndim == max_ndim) extra_at = item.at;
            store_dimension(dims, max_ndim, ndim, item.value);
            ndim++;
        }
    }
    shape->stop = item.stop;
    shape->extra_at = extra_at;
    shape->ndim = ndim;
    return status;
}

snpy_status snpy_parse_shape(const struct snpy_text *text, size_t pos, bool list_shape, uint32_t max_ndim,
                             struct snpy_shape *shape, uint64_t *dims)
{
    const uint8_t *bytes = text->text;
    size_t length = text->length;
    shape->stop = pos;
    shape->at = pos;
    shape->extra_at = 0;
    shape->ndim = 0;
    if (bytes[pos] != '(' && !(bytes[pos] == '[' && list_shape)) return SNPY_EXPECTED_SHAPE;
    return read_items(bytes, length, pos, text->allow_long, text->numpy_int, max_ndim, shape, dims);
}

/* Returns the number of elements with one more dimension. It stays within the extent.                  NPY-SHAPE-005 */
/*@ requires 1 <= base && number * base <= extent && extent * at_least_one(dim) <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_SHAPE_005: \result == number * dim;
    ensures within: \result * base <= extent * at_least_one(dim);
 */
static inline uint64_t count_dimension(uint64_t number, uint64_t dim, uint64_t base, uint64_t extent)
{
    (void)base;
    (void)extent; /* used in the contract only */
    //@ assert within: number * base * at_least_one(dim) <= extent * at_least_one(dim);
    //@ assert number: number * dim * base <= extent * at_least_one(dim);
    //@ assert alone: number * dim <= number * dim * base;
    return number * dim;
}

/* Ghost lemma: a product that is too large stays so with one more dimension. */
/*@ ghost
    /@ requires \valid_read(dims + (0 .. j)) && extent(dims, j, base) > SNPY_MAX_SIZE;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures beyond: extent(dims, j + 1, base) > SNPY_MAX_SIZE; @/
    static void show_extent_grows(const uint64_t *dims, size_t j, uint64_t base)
    {
        /@ assert least: at_least_one(dims[j]) >= 1; @/
        /@ assert step: extent(dims, j + 1, base) == extent(dims, j, base) * at_least_one(dims[j]); @/
        ;
    } */

bool snpy_count_elements(const uint64_t *dims, size_t ndim, uint32_t itemsize, uint64_t *count)
{
    uint64_t base = itemsize == 0 ? 1 : itemsize;
    uint64_t extent = base; /* bytes of the array, with empty dimensions counted as 1 */
    uint64_t number = 1;
    /*@ loop invariant range: 0 <= k <= ndim && 1 <= extent <= SNPY_MAX_SIZE && number * base <= extent;
        loop invariant extent: extent == extent(dims, k, base);
        loop invariant number: number == product(dims, k);
        loop assigns k, extent, number;
        loop variant ndim - k; */
    for (size_t k = 0; k < ndim; k++) {
        //@ assert extent: extent(dims, k + 1, base) == extent * at_least_one(dims[k]);
        //@ assert number: product(dims, k + 1) == number * dims[k];
        uint64_t after = snpy_extend(extent, dims[k], SNPY_MAX_SIZE);
        if (after > SNPY_MAX_SIZE) {
            /* A product that is too large stays so. */
            //@ ghost size_t j = k + 1;
            /*@ ghost
                /@ loop invariant range: k < j <= ndim;
                   loop invariant beyond: extent(dims, j, base) > SNPY_MAX_SIZE;
                   loop assigns j;
                   loop variant ndim - j; @/
                while (j < ndim) {
                    show_extent_grows(dims, j, base);
                    j++;
                }
            */
            return false;
        }
        number = count_dimension(number, dims[k], base, extent);
        extent = after;
    }
    //@ assert bytes: number * itemsize <= number * base;
    *count = number;
    return true;
}
