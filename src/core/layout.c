/* layout.c: computes sizes and offsets of a table of fields.          NPY-DTYPE-014, NPY-DTYPE-015, NPY-SHAPE-001 … 003
 * Proves that no size wraps: every sum and product is capped at one above its bound, and refused there. shape.c
 * computes the array's own shape.
 *
 * Entries are in pre-order, so a backward pass reaches every type after all that it contains, and a forward pass
 * before. No pass uses the grammar. */
#include "core/layout.h"

/* A size that no type may have. A size that is capped to it stays there. */
#define OVER_SIZE (SNPY_MAX_ITEMSIZE + 1u)

/* Caps a size at OVER_SIZE. Sums and products are capped as soon as they exceed the bound, so that none can wrap. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures cut: \result == cut_size(size);
 */
static inline uint64_t cut(uint64_t size)
{
    return size > OVER_SIZE ? OVER_SIZE : size;
}

/* Whether an entry's own type is void, not that of its fields; also inside a tuple with metadata. */
/*@ requires \valid_read(fields + (0 .. count-1)) && i < count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures kind: \result <==> direct_kind(fields, count, i) == SNPY_KIND_VOID;
 */
static bool is_void(const snpy_field *fields, size_t count, size_t i)
{
    if (fields[i].dtype.kind == SNPY_KIND_SUBARRAY && i + 1 < count) i++;
    return fields[i].dtype.kind == SNPY_KIND_VOID;
}

void snpy_mark_padding(snpy_field *fields, size_t count)
{
    /*@ loop invariant range: 0 <= i <= count;
        loop invariant marked: \forall integer k; 0 <= k < i ==> (fields[k].is_padding <==> is_dropped(fields, count, k));
        loop assigns i, fields[0 .. count-1].is_padding;
        loop variant count - i; */
    for (size_t i = 0; i < count; i++) {
        bool is_unnamed = fields[i].has_name && fields[i].name_length == 0 && !fields[i].has_title;
        fields[i].is_padding = is_unnamed && (fields[i].ndim > 0 || is_void(fields, count, i));
    }
}

void snpy_link_siblings(snpy_field *fields, size_t count)
{
    uint32_t last[SNPY_MAX_DEPTH + 1] = {0}; /* the last entry at each depth; 0: none */
    /*@ loop invariant range: 0 <= i <= count;
        loop invariant last: \forall integer e; 0 <= e <= SNPY_MAX_DEPTH ==> last[e] < i || last[e] == 0;
        loop invariant done: \forall integer k; 0 <= k < i ==> fields[k].next == 0 || k < fields[k].next < count;
        loop invariant open: \forall integer e; 0 <= e <= SNPY_MAX_DEPTH && last[e] > 0 ==> fields[last[e]].depth == e;
        loop invariant latest: \forall integer k; 0 < k < i ==>
                       (none_between(fields, k, i) <==> last[fields[k].depth] == k);
        loop invariant linked: \forall integer k; 0 < k < i ==> is_next(fields, i, k, fields[k].next);
        loop invariant first: i > 0 ==> fields[0].next == 0;
        loop assigns i, last[0 .. SNPY_MAX_DEPTH], fields[0 .. count-1].next;
        loop variant count - i; */
    for (size_t i = 0; i < count; i++) {
        uint32_t before = last[fields[i].depth];
        fields[i].next = 0;
        if (before > 0 && fields[before].parent == fields[i].parent) fields[before].next = (uint32_t)i;
        //@ assert parents: \forall integer k; 0 <= k < count ==> fields[k].parent == \at(fields[k].parent, LoopCurrent);
        //@ assert others: \forall integer k; 0 < k < i && k != before ==> fields[k].next == \at(fields[k].next, LoopCurrent);
        /*@ assert far: \forall integer k; 0 < k < i && k != before && none_between(fields, k, i) ==>
                        fields[i].depth != fields[k].depth; */
        /*@ assert some: \forall integer k; 0 < k < i && k != before && fields[k].next != 0 ==>
                         is_next(fields, i + 1, k, fields[k].next); */
        /*@ assert none: \forall integer k; 0 < k < i && k != before && fields[k].next == 0 ==>
                         is_next(fields, i + 1, k, 0); */
        //@ assert kept: \forall integer k; 0 < k < i && k != before ==> is_next(fields, i + 1, k, fields[k].next);
        //@ assert near: before > 0 ==> is_next(fields, i + 1, before, fields[before].next);
        //@ assert last: is_next(fields, i + 1, i, fields[i].next);
        /*@ assert further: \forall integer k; 0 < k < i ==>
                            (none_between(fields, k, i + 1) <==> none_between(fields, k, i) && fields[i].depth != fields[k].depth); */
        last[fields[i].depth] = (uint32_t)i;
    }
}

bool snpy_has_object(const snpy_field *fields, size_t count)
{
    uint32_t hidden = SNPY_MAX_DEPTH + 1; /* entries deeper than this are inside padding */
    //@ ghost size_t last = 0; // the padding that is open, if some is
    /*@ loop invariant range: 0 <= i <= count && hidden <= SNPY_MAX_DEPTH + 1;
        loop invariant open: hidden <= SNPY_MAX_DEPTH ==> last < i && covers(fields, last, i - 1) && fields[last].depth == hidden;
        loop invariant widest: \forall integer j; 0 <= j < i && covers(fields, j, i - 1) ==> hidden <= fields[j].depth;
        loop invariant none: \forall integer k; 0 <= k < i ==> !is_kept_object(fields, k);
        loop assigns i, hidden, last;
        loop variant count - i; */
    for (size_t i = 0; i < count; i++) {
        if (fields[i].depth > hidden) continue;
        hidden = fields[i].is_padding ? fields[i].depth : SNPY_MAX_DEPTH + 1;
        //@ ghost last = i;
        //@ assert kept: fields[i].dtype.kind == SNPY_KIND_OBJECT && !fields[i].is_padding ==> is_kept_object(fields, i);
        if (fields[i].dtype.kind == SNPY_KIND_OBJECT && !fields[i].is_padding) return true;
    }
    return false;
}

uint32_t snpy_find_deep_subarray(const snpy_field *fields, size_t count)
{
    uint32_t first = 0;
    uint32_t ndim = 0; /* dimensions of entry i, with those nested in it */
    size_t i = count;
    /*@ loop invariant range: 0 <= i <= count && ndim <= SNPY_MAX_NDIM + 1;
        loop invariant place: first == 0 || \exists integer k; i <= k < count && fields[k].shape_offset == first;
        loop invariant ndim: ndim == capped(nested_ndim(fields, count, i), SNPY_MAX_NDIM);
        loop invariant deep: first == deep_shape(fields, count, i);
        loop assigns i, ndim, first;
        loop variant i; */
    while (i > 0) {
        i--;
        if (fields[i].dtype.kind != SNPY_KIND_SUBARRAY) ndim = 0;
        ndim += fields[i].ndim;
        if (ndim <= SNPY_MAX_NDIM) continue;
        ndim = SNPY_MAX_NDIM + 1;
        if (first == 0 || fields[i].shape_offset < first) first = fields[i].shape_offset;
    }
    return first;
}

/* Ghost lemma: one more dimension multiplies a size. */
/*@ ghost
    /@ requires \valid_read(dims + first + k) && first + k < SIZE_MAX && dims_extent(dims, first, k, base) >= 0;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures step: dims_extent(dims, first, k + 1, base) ==
               dims_extent(dims, first, k, base) * dim_factor(dims[first + k]);
       ensures grows: dims_extent(dims, first, k + 1, base) >= dims_extent(dims, first, k, base); @/
    static void show_extent_grows(const int32_t *dims, size_t first, size_t k, uint64_t base)
    {
        /@ assert factor: dim_factor(dims[first + k]) >= 1; @/
        /@ assert step: dims_extent(dims, first, k + 1, base) ==
                        dims_extent(dims, first, k, base) * dim_factor(dims[first + k]); @/
        ;
    } */

uint64_t snpy_subarray_size(const int32_t *dims, size_t first, size_t ndim, uint64_t base)
{
    uint64_t extent = base;
    bool empty = false;
    /*@ loop invariant range: 0 <= k <= ndim && extent <= OVER_SIZE;
        loop invariant over: base == OVER_SIZE ==> extent == OVER_SIZE;
        loop invariant extent: extent == capped(dims_extent(dims, first, k, base), SNPY_MAX_ITEMSIZE);
        loop invariant empty: empty <==> dims_empty(dims, first, k);
        loop assigns k, extent, empty;
        loop variant ndim - k; */
    for (size_t k = 0; k < ndim; k++) {
        int32_t dim = dims[first + k];
        //@ ghost show_extent_grows(dims, first, k, base);
        extent = snpy_extend(extent, dim < 0 ? OVER_SIZE : (uint64_t)dim, SNPY_MAX_ITEMSIZE);
        if (dim == 0) empty = true;
    }
    return extent <= SNPY_MAX_ITEMSIZE && empty ? 0 : extent;
}

/* Sizes and sums are kept in the columns itemsize and offset, whose types nothing that is read here has. So the provers
 * know that no write changes what is read. */

/* Clears the sums: no entry has any content yet. */
/*@ requires \valid(fields + (0 .. count-1));
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].offset;
    ensures sums: \forall integer k; 0 <= k < count ==> fields[k].offset == 0;
 */
static void clear_sums(snpy_field *fields, size_t count)
{
    /*@ loop invariant range: 0 <= i <= count;
        loop invariant sums: \forall integer k; 0 <= k < i ==> fields[k].offset == 0;
        loop assigns i, fields[0 .. count-1].offset;
        loop variant count - i; */
    for (size_t i = 0; i < count; i++) fields[i].offset = 0;
}

/* Adds to the bytes of the content of an entry. */
/*@ requires \valid(fields + (0 .. count-1)) && parent < count && size <= OVER_SIZE;
    requires 0 <= fields[parent].offset <= OVER_SIZE;
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].offset;
    ensures sum: fields[parent].offset == cut_size(\old(fields[parent].offset) + size);
    ensures rest: \forall integer k; 0 <= k < count && k != parent ==> fields[k].offset == \old(fields[k].offset);
 */
static inline void add_content(snpy_field *fields, size_t count, uint32_t parent, uint64_t size)
{
    (void)count; /* used in the contract only */
    fields[parent].offset = (int64_t)cut((uint64_t)fields[parent].offset + size);
}

/* Whether an entry gives a shape to a type of `size` bytes that may not have one because it has 0 bytes.
 *                                                                                                      NPY-SHAPE-002 */
/*@ requires \valid_read(field);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_SHAPE_002: \result <==> shapes_nothing(size, field->ndim, field->shape_offset, field->dtype.kind);
 */
static bool shapes_nothing(const snpy_field *field, uint64_t size)
{
    if (size != 0) return false;
    return field->ndim > 0 || (field->shape_offset > 0 && field->dtype.kind != SNPY_KIND_RECORD);
}

/* Computes the sizes, entry by entry backwards: each is complete when it is reached, and is added to its parent's
 * content. Here `offset` has the bytes of an entry's content. A size that will be refused is too large, so that nothing
 * around it is checked.                                                                                  NPY-ERR-001 */
/*@ requires \valid(fields + (0 .. count-1)) && \valid_read(dims + (0 .. dim_count-1));
    requires \separated(fields + (0 .. count-1), dims + (0 .. dim_count-1));
    requires dims: \forall integer k; 0 <= k < count ==> fields[k].first_dim + fields[k].ndim <= dim_count;
    requires parent: \forall integer k; 0 < k < count ==> fields[k].parent < k;
    requires size: \forall integer k; 0 <= k < count ==> fields[k].dtype.itemsize <= SNPY_MAX_ITEMSIZE;
    requires sums: \forall integer k; 0 <= k < count ==> fields[k].offset == 0;
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].itemsize, fields[0 .. count-1].offset;
    ensures sizes: \forall integer k; 0 <= k < count ==> fields[k].itemsize <= OVER_SIZE;
    ensures sums: \forall integer k; 0 <= k < count ==> 0 <= fields[k].offset <= OVER_SIZE;
    ensures bytes: \forall integer k; 0 <= k < count ==> fields[k].itemsize == entry_bytes(fields, count, dims, k);
    ensures NPY_DTYPE_015: \forall integer k; 0 <= k < count ==>
            fields[k].offset == content_bytes(fields, count, dims, k, 0);
 */
static void sum_sizes(snpy_field *fields, size_t count, const int32_t *dims, size_t dim_count)
{
    size_t i = count;
    (void)dim_count; /* used in the contract only */
    /*@ loop invariant range: 0 <= i <= count;
        loop invariant sizes: \forall integer k; i <= k < count ==> fields[k].itemsize <= OVER_SIZE;
        loop invariant sums: \forall integer k; 0 <= k < count ==> 0 <= fields[k].offset <= OVER_SIZE;
        loop invariant bytes: \forall integer k; i <= k < count ==>
                       fields[k].itemsize == entry_bytes(fields, count, dims, k);
        loop invariant content: \forall integer k; 0 <= k < count ==>
                       fields[k].offset == content_bytes(fields, count, dims, k, i);
        loop assigns i, fields[0 .. count-1].itemsize, fields[0 .. count-1].offset;
        loop variant i; */
    while (i > 0) {
        i--;
        uint64_t base = cut(fields[i].dtype.itemsize + (uint64_t)fields[i].offset);
        uint64_t size = OVER_SIZE;
        if (!shapes_nothing(&fields[i], base))
            size = snpy_subarray_size(dims, fields[i].first_dim, fields[i].ndim, base);
        uint32_t parent = fields[i].parent;
        fields[i].itemsize = size;
        //@ assert here: size == entry_bytes(fields, count, dims, i);
        /*@ assert step: \forall integer k; 0 <= k < count ==> content_bytes(fields, count, dims, k, i) ==
                         (i > 0 && parent == k ? cut_size(content_bytes(fields, count, dims, k, i + 1) + size)
                                               : content_bytes(fields, count, dims, k, i + 1)); */
        if (i > 0) add_content(fields, count, parent, size);
    }
}

/* Sets the itemsize of each record and sub-array tuple to the sum of its content.                      NPY-DTYPE-015 */
/*@ requires \valid(fields + (0 .. count-1));
    requires sums: \forall integer k; 0 <= k < count ==> 0 <= fields[k].offset <= OVER_SIZE;
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].dtype.itemsize;
    ensures type_at: \forall integer k; 0 <= k < count ==> fields[k].type_offset == \old(fields[k].type_offset);
    ensures shape_at: \forall integer k; 0 <= k < count ==> fields[k].shape_offset == \old(fields[k].shape_offset);
    ensures names: same_names{Pre, Post}(fields, count);
    ensures NPY_DTYPE_015: \forall integer k; 0 <= k < count ==> fields[k].dtype.itemsize ==
            (open_kind(fields[k].dtype.kind) ? fields[k].offset : \old(fields[k].dtype.itemsize));
 */
static void set_record_itemsizes(snpy_field *fields, size_t count)
{
    /*@ loop invariant range: 0 <= i <= count;
        loop invariant type_at: \forall integer k; 0 <= k < count ==>
                       fields[k].type_offset == \at(fields[k].type_offset, Pre);
        loop invariant shape_at: \forall integer k; 0 <= k < count ==>
                       fields[k].shape_offset == \at(fields[k].shape_offset, Pre);
        loop invariant names: same_names{Pre, Here}(fields, count);
        loop invariant done: \forall integer k; 0 <= k < i ==> fields[k].dtype.itemsize ==
                       (open_kind(fields[k].dtype.kind) ? fields[k].offset : \at(fields[k].dtype.itemsize, Pre));
        loop invariant rest: \forall integer k; i <= k < count ==>
                       fields[k].dtype.itemsize == \at(fields[k].dtype.itemsize, Pre);
        loop assigns i, fields[0 .. count-1].dtype.itemsize;
        loop variant count - i; */
    for (size_t i = 0; i < count; i++) {
        int8_t kind = fields[i].dtype.kind;
        if (kind == SNPY_KIND_RECORD || kind == SNPY_KIND_SUBARRAY)
            fields[i].dtype.itemsize = (uint32_t)fields[i].offset;
    }
}

/* clang-format off */
#define FLAGS (boolean)allow_long, (boolean)numpy_int
#define SHAPE_AT text, length, pos, FLAGS
#define ITEMS_AT text, length, pos, closing(text[pos]), FLAGS
#define OVERFLOW_FROM(k) overflow_at(SHAPE_AT, k, base, bound)
#define ITEM_ENDS(k) item_ends(text, length, shape_item(ITEMS_AT, k), closing(text[pos]), FLAGS, k == 0)
#define IS_SOUND (shape_status(text, length, pos, (boolean)1, FLAGS) == SNPY_OK)
/* clang-format on */

/* Ghost lemma: what dimension number k, which exists, decides. */
/*@ ghost
    /@ requires text_ok(text, length) && pos < length && 0 <= k;
       requires there: IS_SOUND ==> !item_is_close(text, length, shape_item(ITEMS_AT, k), closing(text[pos]));
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures found: IS_SOUND && shape_extent(SHAPE_AT, k + 1, base) > bound ==>
               OVERFLOW_FROM(k) == shape_dim_at(SHAPE_AT, k);
       ensures beyond: IS_SOUND && shape_extent(SHAPE_AT, k + 1, base) <= bound && !ITEM_ENDS(k) ==>
               OVERFLOW_FROM(k) == OVERFLOW_FROM(k + 1);
       ensures none: IS_SOUND && shape_extent(SHAPE_AT, k + 1, base) <= bound && ITEM_ENDS(k) ==>
               OVERFLOW_FROM(k) == pos; @/
    static void show_overflow(const uint8_t *text, size_t length, size_t pos, bool allow_long, bool numpy_int, size_t k,
                              uint64_t base, uint64_t bound)
    {
        ;
    } */

/* Does what snpy_locate_overflow does, for a shape that begins with a bracket. */
/*@ requires \object_pointer(text) && text_ok(text, length) && pos < length && shape_opens(text, pos, \true);
    requires 1 <= base <= bound <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: pos <= \result <= length;
    ensures at: \old(IS_SOUND) ==> \result == \old(overflow_at(SHAPE_AT, 0, base, bound));
 */
static size_t locate_item(const uint8_t *text, size_t length, size_t pos, bool allow_long, bool numpy_int,
                          uint64_t base, uint64_t bound)
{
    struct snpy_shape_form form = {text[pos] == '[' ? ']' : ')', allow_long, numpy_int};
    struct snpy_item item = {0, pos, pos + 1, false, false};
    uint64_t product = base;
    //@ ghost size_t k = 0;
    /*@ loop invariant range: pos < item.stop <= length && product <= bound && 0 <= k <= item.stop - pos - 1;
        loop invariant open: IS_SOUND && item.closed == 0 ==>
                       item.stop == shape_item(ITEMS_AT, k) && shape_last(ITEMS_AT, k) == shape_last(ITEMS_AT, 0);
        loop invariant product: IS_SOUND ==> product == shape_extent(SHAPE_AT, k, base);
        loop invariant before: IS_SOUND && item.closed == 0 ==> OVERFLOW_FROM(0) == OVERFLOW_FROM(k);
        loop invariant none: IS_SOUND && item.closed != 0 ==> OVERFLOW_FROM(0) == pos;
        loop invariant closed: IS_SOUND && item.closed != 0 ==> k == shape_ndim(SHAPE_AT);
        loop invariant first: item.closed == 0 ==> (k == 0 <==> item.stop == pos + 1);
        loop assigns item, product, k;
        loop variant length - item.stop; */
    while (!item.closed) {
        snpy_status status = snpy_lex_item(text, length, item.stop, &form, item.stop == pos + 1, &item);
        /*@ assert item: IS_SOUND ==>
                         status == item_status(text, length, shape_item(ITEMS_AT, k), form.close, FLAGS, k == 0); */
        if (status != SNPY_OK) return pos;
        //@ assert closes: IS_SOUND ==> (item.closed != 0 <==> ITEM_ENDS(k));
        //@ assert last: IS_SOUND && item.closed != 0 ==> shape_last(ITEMS_AT, k) == k;
        //@ assert next: IS_SOUND ==> item.stop == shape_item(ITEMS_AT, k + 1);
        //@ assert on: IS_SOUND && item.closed == 0 ==> shape_last(ITEMS_AT, k) == shape_last(ITEMS_AT, k + 1);
        if (item.has_value) {
            //@ assert value: IS_SOUND ==> item.value == shape_length(SHAPE_AT, k);
            //@ assert at: IS_SOUND ==> item.at == shape_dim_at(SHAPE_AT, k);
            /*@ assert step: IS_SOUND ==> shape_extent(SHAPE_AT, k + 1, base) ==
                             shape_extent(SHAPE_AT, k, base) * at_least_one(shape_length(SHAPE_AT, k)); */
            //@ assert some: IS_SOUND ==> !item_is_close(text, length, shape_item(ITEMS_AT, k), form.close);
            product = snpy_extend(product, item.value, bound);
            //@ assert product: IS_SOUND ==> product == capped(shape_extent(SHAPE_AT, k + 1, base), bound);
            //@ assert exceeds: IS_SOUND ==> (product > bound <==> shape_extent(SHAPE_AT, k + 1, base) > bound);
            //@ ghost show_overflow(text, length, pos, allow_long, numpy_int, k, base, bound);
            if (product > bound) return item.at;
            //@ ghost k++;
        }
    }
    return pos;
}

size_t snpy_locate_overflow(const struct snpy_text *text, size_t pos, uint64_t base, uint64_t bound)
{
    if (text->text[pos] != '(' && text->text[pos] != '[') return pos;
    return locate_item(text->text, text->length, pos, text->allow_long, text->numpy_int, base, bound);
}

/* Sets the offset of each entry, forwards: each follows those before it in the same record.            NPY-DTYPE-015 */
/*@ requires \valid(fields + (0 .. count-1));
    requires depth: \forall integer k; 0 <= k < count ==> fields[k].depth <= SNPY_MAX_DEPTH;
    requires sizes: \forall integer k; 0 <= k < count ==> fields[k].itemsize <= OVER_SIZE;
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].offset;
    ensures NPY_DTYPE_015: \forall integer k; 0 <= k < count ==> fields[k].offset == entry_offset(fields, k);
    ensures range: \forall integer k; 0 <= k < count ==> 0 <= fields[k].offset <= OVER_SIZE;
 */
static void place_fields(snpy_field *fields, size_t count)
{
    uint32_t fill[SNPY_MAX_DEPTH + 1] = {0}; /* offset of the next entry of the record that is open at each depth */
    /*@ loop invariant range: 0 <= i <= count;
        loop invariant size: \forall integer e; 0 <= e <= SNPY_MAX_DEPTH ==> fill[e] <= OVER_SIZE;
        loop invariant fill: \forall integer e; 0 <= e <= SNPY_MAX_DEPTH ==> fill[e] == fill_at(fields, i, e);
        loop invariant offsets: \forall integer k; 0 <= k < i ==> fields[k].offset == entry_offset(fields, k);
        loop invariant placed: \forall integer k; 0 <= k < i ==> 0 <= fields[k].offset <= OVER_SIZE;
        loop assigns i, fill[0 .. SNPY_MAX_DEPTH], fields[0 .. count-1].offset;
        loop variant count - i; */
    for (size_t i = 0; i < count; i++) {
        uint16_t depth = fields[i].depth;
        uint32_t offset = depth > 0 ? fill[depth - 1] : 0;
        fields[i].offset = offset;
        //@ assert here: fields[i].offset == entry_offset(fields, i);
        //@ assert before: \forall integer k; 0 <= k < i ==> fields[k].offset == entry_offset(fields, k);
        if (depth > 0) fill[depth - 1] = (uint32_t)cut(offset + fields[i].itemsize);
        fill[depth] = 0;
    }
}

/* Whether an entry's shape is refused, given that its base type is valid.               NPY-SHAPE-002, NPY-SHAPE-003 */
/*@ requires \valid_read(field);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_SHAPE_003: \result <==> badly_shaped(field);
 */
static bool has_bad_shape(const snpy_field *field)
{
    uint32_t base = field->dtype.itemsize;
    if (base > SNPY_MAX_ITEMSIZE) return false;
    return shapes_nothing(field, base) || (field->ndim > 0 && field->itemsize > SNPY_MAX_ITEMSIZE);
}

/* Whether a valid entry makes its parent too large. */
/*@ requires \valid_read(field) && 0 <= field->offset <= OVER_SIZE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures NPY_DTYPE_015: \result <==> over_placed(field);
 */
static bool is_over(const snpy_field *field)
{
    uint64_t size = field->itemsize;
    return field->depth > 0 && size <= SNPY_MAX_ITEMSIZE && (uint64_t)field->offset + size > SNPY_MAX_ITEMSIZE;
}

/* clang-format off */
#define REFUSING                                                                                             \
    (\valid_read(text) && text_ok(text->text, text->length) && \valid_read(field) &&                         \
     field->shape_offset < text->length && field->type_offset < text->length && 0 <= field->offset <= OVER_SIZE)
/* clang-format on */

/* Returns the byte at which an entry's shape is refused. */
/*@ requires REFUSING && (badly_shaped(field));
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= text->length;
    ensures nothing: nothing_shaped(field) ==> \result == field->shape_offset;
    ensures NPY_SHAPE_003: shape_sound(field, SNPY_TEXT_AT) ==> \result == shape_refused_at(field, SNPY_TEXT_AT);
 */
static size_t locate_shape(const struct snpy_text *text, const snpy_field *field)
{
    uint32_t base = field->dtype.itemsize;
    if (shapes_nothing(field, base)) return field->shape_offset;
    return snpy_locate_overflow(text, field->shape_offset, base, SNPY_MAX_ITEMSIZE);
}

/* Returns the byte at which an entry is refused. */
/*@ requires REFUSING && is_refused(field);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= text->length;
    ensures nothing: nothing_shaped(field) ==> \result == field->shape_offset;
    ensures place: shape_sound(field, SNPY_TEXT_AT) ==> \result == refused_at(field, SNPY_TEXT_AT);
 */
static size_t locate_refusal(const struct snpy_text *text, const snpy_field *field)
{
    return has_bad_shape(field) ? locate_shape(text, field) : field->type_offset;
}

/* Finds the refused entry at the earliest byte, *at. Returns its index; `count` if none is refused.      NPY-ERR-001 */
/*@ requires \valid_read(text) && text_ok(text->text, text->length) && \valid_read(fields + (0 .. count-1));
    requires \valid(at) && \separated(at, text, fields + (0 .. count-1));
    requires \separated(at, text->text + (0 .. text->length-1));
    requires places: \forall integer k; 0 <= k < count ==> fields[k].shape_offset < text->length
             && fields[k].type_offset < text->length && 0 <= fields[k].offset <= OVER_SIZE;
    terminates \true;
    exits \false;
    assigns *at;
    ensures range: \result <= count && *at <= text->length;
    ensures found: \forall integer k; k == \result && k < count ==> \old(is_refused(fields + k));
    ensures none: \result == count ==> \forall integer k; 0 <= k < count ==> !\old(is_refused(fields + k));
    ensures NPY_SHAPE_002: \forall integer k; 0 <= k < count && \old(nothing_shaped(fields + k)) ==>
            *at <= \old(fields[k].shape_offset);
    ensures empty: \forall integer k; k == \result && k < count && \old(nothing_shaped(fields + k)) ==>
            *at == \old(fields[k].shape_offset);
    ensures place: \old(SNPY_SHAPES_SOUND) ==> \forall integer k; k == \result && k < count ==>
            *at == \old(refused_at(fields + k, SNPY_TEXT_AT));
    ensures NPY_ERR_001: \old(SNPY_SHAPES_SOUND) ==> \forall integer k; 0 <= k < count && \old(is_refused(fields + k)) ==>
            *at <= \old(refused_at(fields + k, SNPY_TEXT_AT));
 */
static size_t find_refused(const struct snpy_text *text, const snpy_field *fields, size_t count, size_t *at)
{
    size_t found = count;
    size_t place = 0;
    /*@ loop invariant range: 0 <= i <= count && (found < i || found == count) && place <= text->length;
        loop invariant found: found < count ==> is_refused(fields + found);
        loop invariant none: found == count ==> \forall integer k; 0 <= k < i ==> !is_refused(fields + k);
        loop invariant nothing: \forall integer k; 0 <= k < i && nothing_shaped(fields + k) ==>
                       place <= fields[k].shape_offset;
        loop invariant empty: found < count && nothing_shaped(fields + found) ==> place == fields[found].shape_offset;
        loop invariant place: found < count && SNPY_SHAPES_SOUND ==> place == refused_at(fields + found, SNPY_TEXT_AT);
        loop invariant first: SNPY_SHAPES_SOUND ==> \forall integer k; 0 <= k < i && is_refused(fields + k) ==>
                       place <= refused_at(fields + k, SNPY_TEXT_AT);
        loop assigns i, found, place;
        loop variant count - i; */
    for (size_t i = 0; i < count; i++) {
        if (!has_bad_shape(&fields[i]) && !is_over(&fields[i])) continue;
        size_t here = locate_refusal(text, &fields[i]);
        if (found < count && place <= here) continue;
        found = i;
        place = here;
    }
    *at = place;
    return found;
}

/* Ghost lemma: the offset of a fault is no number of the table. */
/*@ ghost
    /@ requires \separated(at, fields + (0 .. count-1));
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures shape_at: \forall integer k; 0 <= k < count ==> \separated(&fields[k].shape_offset, at);
       ensures size: \forall integer k; 0 <= k < count ==> \separated(&fields[k].itemsize, at);
       ensures itemsize: \forall integer k; 0 <= k < count ==> \separated(&fields[k].dtype.itemsize, at); @/
    static void show_table_apart(const snpy_field *fields, size_t count, const size_t *at)
    {
        ;
    } */

void snpy_compute_layout(snpy_field *fields, size_t count, const int32_t *dims, size_t dim_count)
{
    clear_sums(fields, count);
    sum_sizes(fields, count, dims, dim_count);
    set_record_itemsizes(fields, count);
    place_fields(fields, count);
}

snpy_status snpy_check_layout(const struct snpy_text *text, const snpy_field *fields, size_t count, size_t *at)
{
    bool is_too_large = fields[0].dtype.itemsize > SNPY_MAX_ITEMSIZE;
    //@ ghost show_table_apart(fields, count, at);
    size_t found = find_refused(text, fields, count, at);
    /*@ assert same: \forall integer k; 0 <= k < count ==>
                     is_refused(fields + k) == \at(is_refused(fields + k), Pre); */
    if (found < count) {
        bool is_nothing = shapes_nothing(&fields[found], fields[found].dtype.itemsize);
        return is_nothing ? SNPY_EMPTY_SUBARRAY_TYPE : SNPY_ITEMSIZE_OVERFLOW;
    }
    /* In a table whose depths are those of its parents, every size that exceeds the bound was refused at its byte
     * before. */
    return is_too_large ? SNPY_ITEMSIZE_OVERFLOW : SNPY_OK;
}
