/* test_view.c: views and copies where NumPy cannot be asked: what is refused, and by which number.
 *                                                          API-VIEW, API-INDEX, API-SLICE, API-TYPE, API-OBJECTS */
#include "support.h"

static snpy_error error;

/* A header of a shape, C order, of elements of one kind. */
static snpy_header header_of(int8_t kind, uint32_t itemsize, uint32_t ndim, const uint64_t *shape)
{
    snpy_header header;
    memset(&header, 0, sizeof header);
    header.dtype.kind = kind;
    header.dtype.byteorder = '<';
    header.dtype.itemsize = itemsize;
    header.ndim = ndim;
    header.count = 1;
    for (uint32_t k = 0; k < ndim; k++) {
        header.shape[k] = shape[k];
        header.count *= shape[k];
    }
    header.data_size = header.count * itemsize;
    return header;
}

static snpy_view view_of(uint32_t itemsize, uint32_t ndim, const uint64_t *shape)
{
    snpy_header header = header_of('i', itemsize, ndim, shape);
    snpy_view view;
    assert_int_equal(snpy_view_open(&header, header.data_size, &view, &error), SNPY_OK);
    return view;
}

static void test_open_refuses(void **state)
{
    const uint64_t shape[] = {2, 3};
    snpy_view view;
    (void)state;
    snpy_header header = header_of('i', 4, 2, shape);
    assert_int_equal(snpy_view_open(&header, 23, &view, &error), SNPY_TRUNCATED_DATA);
    assert_int_equal(error.offset, 23);
    assert_int_equal(snpy_view_open(&header, 25, &view, &error), SNPY_OK);
    assert_int_equal(view.data_size, 24);
    header.has_object = true;
    assert_int_equal(snpy_view_open(&header, 24, &view, &error), SNPY_OBJECT_DATA);
    header.has_object = false;
    header.data_size = 23; /* less than the shape takes: no parsed header says so */
    assert_int_equal(snpy_view_open(&header, 24, &view, &error), SNPY_BAD_ARGUMENT);
    header = header_of('i', 4, 2, shape);
    header.ndim = 65;
    assert_int_equal(snpy_view_open(&header, 24, &view, &error), SNPY_BAD_ARGUMENT);
    header = header_of('i', 4, 2, shape);
    for (int fortran = 0; fortran < 2; fortran++) {
        header.fortran_order = fortran == 1;
        for (int axis = 0; axis < 2; axis++) {
            header.shape[axis] = UINT64_MAX;
            assert_int_equal(snpy_view_open(&header, 24, &view, &error), SNPY_BAD_ARGUMENT);
            assert_int_equal(error.offset, 0);
            header.shape[axis] = shape[axis];
        }
    }
}

/* The most dimensions, and the largest element, are none too many. */
static void test_open_at_its_limits(void **state)
{
    uint64_t shape[SNPY_MAX_NDIM];
    snpy_view view;
    (void)state;
    for (uint32_t k = 0; k < SNPY_MAX_NDIM; k++) shape[k] = 1;
    snpy_header header = header_of('i', 4, SNPY_MAX_NDIM, shape);
    assert_int_equal(snpy_view_open(&header, 4, &view, &error), SNPY_OK);
    shape[0] = 0;
    header = header_of('V', (uint32_t)SNPY_MAX_ITEMSIZE, 1, shape);
    assert_int_equal(snpy_view_open(&header, 0, &view, &error), SNPY_OK);
    assert_int_equal(view.itemsize, SNPY_MAX_ITEMSIZE);
}

/* Where an axis is empty, the strides around it are those of an axis of one, as NumPy has them. */
static void test_strides_of_an_empty_array(void **state)
{
    const uint64_t shape[] = {2, 0, 3};
    (void)state;
    snpy_header header = header_of('i', 8, 3, shape);
    snpy_view view;
    assert_int_equal(snpy_view_open(&header, 0, &view, &error), SNPY_OK);
    assert_true(view.strides[0] == 24 && view.strides[1] == 24 && view.strides[2] == 8);
    header.fortran_order = true;
    assert_int_equal(snpy_view_open(&header, 0, &view, &error), SNPY_OK);
    assert_true(view.strides[0] == 8 && view.strides[1] == 16 && view.strides[2] == 16);
}

/* An array of one element, with an axis and without. */
static void test_one_element(void **state)
{
    const uint64_t shape[] = {1};
    const uint64_t index[] = {0};
    (void)state;
    for (uint32_t ndim = 0; ndim < 2; ndim++) {
        snpy_view view = view_of(8, ndim, shape);
        uint64_t offset = 77;
        assert_int_equal(snpy_view_at(&view, index, &offset, &error), SNPY_OK);
        assert_int_equal(offset, 0);
        offset = 77;
        assert_int_equal(snpy_view_flat(&view, 0, &offset, &error), SNPY_OK);
        assert_int_equal(offset, 0);
    }
}

/* The longest way back from the last byte that there may be. */
static void test_the_longest_way_back(void **state)
{
    const uint64_t shape[] = {3};
    (void)state;
    snpy_view view = view_of(1, 1, shape);
    view.data_size = SNPY_MAX_SIZE;
    view.offset = SNPY_MAX_SIZE - 1;
    view.strides[0] = -(int64_t)(SNPY_MAX_SIZE / 2);
    assert_int_equal(snpy_view_check(&view, &error), SNPY_OK);
    view.strides[0]--;
    assert_int_equal(snpy_view_check(&view, &error), SNPY_BAD_ARGUMENT);
}

static void test_index(void **state)
{
    const uint64_t shape[] = {2, 3};
    uint64_t offset = 77;
    (void)state;
    snpy_view view = view_of(8, 2, shape);
    for (uint64_t i = 0; i < 2; i++) {
        for (uint64_t k = 0; k < 3; k++) {
            const uint64_t index[] = {i, k};
            assert_int_equal(snpy_view_at(&view, index, &offset, &error), SNPY_OK);
            assert_int_equal(offset, (i * 3 + k) * 8);
            assert_int_equal(snpy_view_flat(&view, i * 3 + k, &offset, &error), SNPY_OK);
            assert_int_equal(offset, (i * 3 + k) * 8);
        }
    }
    const uint64_t beyond_first[] = {2, 0};
    const uint64_t beyond_second[] = {1, 3};
    offset = 77;
    assert_int_equal(snpy_view_at(&view, beyond_first, &offset, &error), SNPY_BAD_INDEX);
    assert_int_equal(error.offset, 0);
    assert_int_equal(snpy_view_at(&view, beyond_second, &offset, &error), SNPY_BAD_INDEX);
    assert_int_equal(error.offset, 1);
    assert_int_equal(snpy_view_flat(&view, 6, &offset, &error), SNPY_BAD_INDEX);
    assert_int_equal(error.offset, 6);
    assert_int_equal(offset, 77);
}

static void test_no_element_of_an_empty_array(void **state)
{
    const uint64_t shape[] = {2, 0, 3};
    const uint64_t index[] = {0, 0, 0};
    uint64_t offset = 77;
    (void)state;
    snpy_view view = view_of(8, 3, shape);
    assert_int_equal(view.count, 0);
    assert_int_equal(snpy_view_at(&view, index, &offset, &error), SNPY_BAD_INDEX);
    assert_int_equal(error.offset, 3);
    assert_int_equal(snpy_view_flat(&view, 0, &offset, &error), SNPY_BAD_INDEX);
    assert_int_equal(snpy_view_index(&view, 1, 0, &error), SNPY_BAD_INDEX);
    assert_int_equal(offset, 77);
}

static void test_pick_and_slice_refuse(void **state)
{
    const uint64_t shape[] = {2, 3};
    const snpy_slice still = {0, 0, 0, false, false, true};
    (void)state;
    snpy_view view = view_of(8, 2, shape);
    assert_int_equal(snpy_view_index(&view, 1, 3, &error), SNPY_BAD_INDEX);
    assert_int_equal(error.offset, 1);
    assert_int_equal(snpy_view_index(&view, 1, -4, &error), SNPY_BAD_INDEX);
    assert_int_equal(snpy_view_index(&view, 1, INT64_MIN, &error), SNPY_BAD_INDEX);
    assert_int_equal(snpy_view_index(&view, 2, 0, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(snpy_view_slice(&view, 0, &still, &error), SNPY_BAD_SLICE);
    assert_int_equal(snpy_view_slice(&view, 2, &still, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(view.ndim, 2);
    assert_int_equal(view.count, 6);
}

/* The extreme bounds of a slice are as Python has them: cut to the axis. */
static void test_slice_extremes(void **state)
{
    static const struct {
        snpy_slice slice;
        uint64_t count;
        uint64_t first;
    } cases[] = {
        {{INT64_MIN, INT64_MAX, 1, true, true, true}, 5, 0},
        {{INT64_MAX, INT64_MIN, -1, true, true, true}, 5, 4},
        {{INT64_MAX, INT64_MIN, INT64_MIN, true, true, true}, 1, 4},
        {{0, 0, INT64_MAX, false, false, true}, 1, 0},
        {{0, 0, INT64_MIN, false, false, true}, 1, 4},
        {{5, 0, 1, true, false, false}, 0, 0},
        {{-5, 0, 1, true, false, false}, 5, 0},
        {{4, -6, -2, true, true, true}, 3, 4},
        {{3, 3, 1, true, true, false}, 0, 0},
    };
    const uint64_t shape[] = {5};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        snpy_view view = view_of(8, 1, shape);
        assert_int_equal(snpy_view_slice(&view, 0, &cases[i].slice, &error), SNPY_OK);
        expect_that(view.count == cases[i].count && view.offset == cases[i].first * 8,
                    "slice %zu: %d elements from %d\n", i, (int)view.count, (int)view.offset);
    }
}

/* A view that does not come from here is believed in nothing. */
static void test_check_refuses(void **state)
{
    const uint64_t shape[] = {2, 3};
    (void)state;
    snpy_view good = view_of(8, 2, shape);
    snpy_view view = good;
    assert_int_equal(snpy_view_check(&view, &error), SNPY_OK);
    view.strides[0] = 25;
    assert_int_equal(snpy_view_check(&view, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(error.offset, 0);
    view = good;
    view.strides[1] = -8;
    assert_int_equal(snpy_view_check(&view, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(error.offset, 1);
    view.offset = 16;
    assert_int_equal(snpy_view_check(&view, &error), SNPY_OK);
    view.strides[0] = INT64_MIN;
    assert_int_equal(snpy_view_check(&view, &error), SNPY_BAD_ARGUMENT);
    view = good;
    view.offset = 1;
    assert_int_equal(snpy_view_check(&view, &error), SNPY_BAD_ARGUMENT);
    view.offset = UINT64_MAX;
    assert_int_equal(snpy_view_check(&view, &error), SNPY_BAD_ARGUMENT);
    view = good;
    view.itemsize = 9;
    assert_int_equal(snpy_view_check(&view, &error), SNPY_BAD_ARGUMENT);
    view = good;
    view.ndim = 65;
    assert_int_equal(snpy_view_check(&view, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(snpy_view_transpose(&view, &error), SNPY_BAD_ARGUMENT);
}

/* One element of an axis is the array without that axis: each of its elements lies where it lay before. */
static void test_view_index(void **state)
{
    const uint64_t shape[] = {2, 3, 4};
    (void)state;
    for (uint32_t axis = 0; axis < 3; axis++) {
        for (int64_t index = -(int64_t)shape[axis]; index < (int64_t)shape[axis]; index++) {
            const snpy_view whole = view_of(8, 3, shape);
            snpy_view view = whole;
            assert_int_equal(snpy_view_index(&view, axis, index, &error), SNPY_OK);
            assert_int_equal(view.ndim, 2);
            assert_int_equal(view.count, 24 / shape[axis]);
            for (uint64_t i = 0; i < view.shape[0]; i++) {
                for (uint64_t k = 0; k < view.shape[1]; k++) {
                    const uint64_t from_start = (uint64_t)(index < 0 ? index + (int64_t)shape[axis] : index);
                    const uint64_t inner[] = {i, k};
                    const uint64_t outer[] = {axis == 0 ? from_start : i,
                                              axis == 1   ? from_start
                                              : axis == 0 ? i
                                                          : k,
                                              axis == 2 ? from_start : k};
                    uint64_t found = 77;
                    uint64_t expected = 78;
                    assert_int_equal(snpy_view_at(&view, inner, &found, &error), SNPY_OK);
                    assert_int_equal(snpy_view_at(&whole, outer, &expected, &error), SNPY_OK);
                    assert_int_equal(found, expected);
                }
            }
        }
    }
}

/* Headers that no parser has made. */
static void test_open_refuses_what_no_parser_says(void **state)
{
    const uint64_t shape[] = {2, 3};
    snpy_view view;
    (void)state;
    snpy_header header = header_of('V', 4, 2, shape);
    header.dtype.itemsize = (uint32_t)SNPY_MAX_ITEMSIZE + 1;
    assert_int_equal(snpy_view_open(&header, UINT64_MAX, &view, &error), SNPY_BAD_ARGUMENT);
    header = header_of('V', 4, 2, shape);
    header.data_size = SNPY_MAX_SIZE + 1;
    assert_int_equal(snpy_view_open(&header, UINT64_MAX, &view, &error), SNPY_BAD_ARGUMENT);
    for (int fortran_order = 0; fortran_order < 2; fortran_order++) {
        header = header_of('V', 4, 2, shape);
        header.fortran_order = fortran_order == 1;
        header.shape[0] = header.shape[1] = UINT64_C(1) << 62;
        assert_int_equal(snpy_view_open(&header, 24, &view, &error), SNPY_BAD_ARGUMENT);
    }
}

/* Numbers that multiplied or added would wrap around: each is refused, with the axis at fault, none is computed. */
static void test_views_that_would_wrap_around(void **state)
{
    static const struct {
        uint64_t shape[2];
        int64_t strides[2];
        uint64_t offset;
        uint64_t data_size;
        uint32_t itemsize;
        uint64_t axis;
    } cases[] = {
        {{2, 3}, {24, 8}, 0, SNPY_MAX_SIZE + 1, 8, 2},
        {{2, 3}, {24, 8}, 0, 48, (uint32_t)SNPY_MAX_ITEMSIZE + 1, 2},
        {{UINT64_C(1) << 32, UINT64_C(1) << 32}, {0, 0}, 0, 48, 8, 2},
        {{1, UINT64_MAX}, {0, 0}, 0, 48, 8, 2},
        {{3, 3}, {INT64_MAX, 8}, 0, 48, 8, 0},
        {{3, 3}, {-INT64_MAX, -8}, 40, 48, 8, 0},
        {{2, 3}, {24, INT64_MIN}, 40, 48, 8, 1},
        {{2, 3}, {24, -INT64_MAX / 2}, 40, 48, 8, 1},
        {{2, 3}, {24, 8}, 49, 48, 8, 2},
        {{2, 3}, {24, 8}, 41, 48, 8, 2},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        snpy_view view = view_of(8, 2, (const uint64_t[]){2, 3});
        memcpy(view.shape, cases[i].shape, sizeof cases[i].shape);
        memcpy(view.strides, cases[i].strides, sizeof cases[i].strides);
        view.offset = cases[i].offset;
        view.data_size = cases[i].data_size;
        view.itemsize = cases[i].itemsize;
        assert_int_equal(snpy_view_check(&view, &error), SNPY_BAD_ARGUMENT);
        expect_that(error.offset == cases[i].axis, "case %zu: axis %d\n", i, (int)error.offset);
    }
}

/* A view that is not sound gives none that is: neither by an element of an axis nor by a slice. */
static void test_parts_of_unsound_views(void **state)
{
    static const struct {
        uint64_t length;
        int64_t stride;
        uint64_t offset;
        uint32_t ndim;
    } cases[] = {
        {3, 8, 0, 65},                        /* more axes than there can be */
        {SNPY_MAX_SIZE + 1, 8, 0, 1},         /* an axis that is too long */
        {3, 8, UINT64_MAX, 1},                /* it begins nowhere */
        {3, -8, 0, 1},                        /* the second element lies in front of the data */
        {3, 8, SNPY_MAX_SIZE, 1},             /* or behind what there can be */
        {SNPY_MAX_SIZE, SNPY_MAX_SIZE, 0, 1}, /* or where no number leads */
        {3, INT64_MIN, 0, 1},
    };
    const snpy_slice behind_first = {-2, 0, 1, true, false, true};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        snpy_view view = view_of(8, 1, (const uint64_t[]){3});
        view.shape[0] = cases[i].length;
        view.strides[0] = cases[i].stride;
        view.offset = cases[i].offset;
        view.ndim = cases[i].ndim;
        snpy_view other = view;
        expect_that(snpy_view_index(&view, 0, -2, &error) == SNPY_BAD_ARGUMENT, "element, case %zu\n", i);
        expect_that(snpy_view_slice(&other, 0, &behind_first, &error) == SNPY_BAD_ARGUMENT, "slice, case %zu\n", i);
    }
}

/* A step over more bytes than there can be. */
static void test_slice_steps_too_far(void **state)
{
    const snpy_slice steps = {0, 0, INT64_C(1) << 62, false, false, true};
    snpy_view view = view_of(8, 1, (const uint64_t[]){3});
    (void)state;
    view.shape[0] = SNPY_MAX_SIZE;
    assert_int_equal(snpy_view_slice(&view, 0, &steps, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(error.offset, 0);
}

/* What a dense copy takes must be a size that there can be. */
static void test_dense_refuses(void **state)
{
    snpy_view like = view_of(8, 1, (const uint64_t[]){3});
    snpy_view view;
    (void)state;
    memset(&view, 77, sizeof view);
    like.dtype.unit = SNPY_UNIT_DAY;
    like.dtype.multiplier = 5;
    assert_int_equal(snpy_view_dense(&like, true, &view, &error), SNPY_OK);
    assert_int_equal(view.data_size, 24);
    assert_true(view.dtype.kind == 'i' && view.dtype.byteorder == '<' && view.dtype.unit == SNPY_UNIT_DAY);
    assert_true(view.dtype.itemsize == 8 && view.dtype.multiplier == 5);
    like.count = SNPY_MAX_SIZE / 8 + 1;
    assert_int_equal(snpy_view_dense(&like, false, &view, &error), SNPY_BAD_ARGUMENT);
    like.count = 3;
    like.itemsize = (uint32_t)SNPY_MAX_ITEMSIZE + 1;
    assert_int_equal(snpy_view_dense(&like, false, &view, &error), SNPY_BAD_ARGUMENT);
    like.itemsize = 8;
    like.ndim = 65;
    assert_int_equal(snpy_view_dense(&like, false, &view, &error), SNPY_BAD_ARGUMENT);
}

/* A record of one field, a sub-array of a sub-array: entries 0 to 2 of a table, with room for a third axis. */
struct nest {
    snpy_field fields[3];
    int32_t dims[4];
    snpy_table table;
    snpy_view view;
};

static void make_nest(struct nest *nest)
{
    const uint64_t shape[] = {2};
    memset(nest, 0, sizeof *nest);
    snpy_header header = header_of(SNPY_KIND_RECORD, 96, 1, shape);
    assert_int_equal(snpy_view_open(&header, header.data_size, &nest->view, &error), SNPY_OK);
    nest->fields[0].dtype = header.dtype;
    nest->fields[1].dtype.kind = SNPY_KIND_SUBARRAY;
    nest->fields[1].dtype.itemsize = 24;
    nest->fields[1].ndim = 2;
    nest->fields[2].parent = 1;
    nest->fields[2].dtype.kind = SNPY_KIND_INT;
    nest->fields[2].dtype.byteorder = '<';
    nest->fields[2].dtype.itemsize = 8;
    nest->fields[2].first_dim = 2;
    nest->fields[2].ndim = 1;
    const int32_t dims[4] = {2, 2, 3, 7};
    memcpy(nest->dims, dims, sizeof dims);
    nest->table.fields = nest->fields;
    nest->table.field_count = nest->table.field_capacity = 3;
    nest->table.dims = nest->dims;
    nest->table.dim_count = 3;
    nest->table.dim_capacity = 4;
}

static void test_field_of_nested_subarrays(void **state)
{
    static const uint64_t shape[] = {2, 2, 2, 3};
    static const int64_t strides[] = {96, 48, 24, 8};
    struct nest nest;
    (void)state;
    make_nest(&nest);
    assert_int_equal(snpy_view_field(&nest.view, &nest.table, 1, &error), SNPY_OK);
    assert_int_equal(nest.view.ndim, 4);
    assert_memory_equal(nest.view.shape, shape, sizeof shape);
    assert_memory_equal(nest.view.strides, strides, sizeof strides);
    assert_int_equal(nest.view.count, 24);
    assert_int_equal(nest.view.dtype.kind, 'i');
    assert_int_equal(nest.view.entry, 2);
    assert_int_equal(snpy_view_field(&nest.view, &nest.table, 2, &error), SNPY_WRONG_TYPE); /* no record any more */
    make_nest(&nest);
    nest.fields[1].dtype.kind = SNPY_KIND_INT;
    nest.fields[1].ndim = 0;
    nest.fields[1].first_dim = 9; /* says nothing, because there is no shape */
    assert_int_equal(snpy_view_field(&nest.view, &nest.table, 1, &error), SNPY_OK);
    assert_int_equal(nest.view.ndim, 1);
}

/* The axes that a field of a parsed header adds to an array of 11 records: all lengths differ, so an axis that is
 * swapped, repeated or dropped has another shape.                                 NPY-DTYPE-017, NPY-DATA-005, API-VIEW */
static void test_axes_of_subarrays(void **state)
{
    static const char text[] =
        "{'descr': [('h', '|u1', (4,)), ('m', '<i2', (2, 3, 5)), ('n', ('|u1', (2, 3)), (5, 7)), "
        "('r', [('x', '<i4', (3, 2))], (7, 5))], 'fortran_order': False, 'shape': (11,), }\n";
    static const struct {
        uint32_t entries[2]; /* of the field and of a field of it; 0: none */
        uint32_t ndim;
        uint64_t offset;
        uint64_t shape[5];
        int64_t strides[5];
    } cases[] = {
        {{1, 0}, 2, 0, {11, 4}, {1114, 1}},
        {{2, 0}, 4, 4, {11, 2, 3, 5}, {1114, 30, 10, 2}},
        {{3, 0}, 5, 64, {11, 5, 7, 2, 3}, {1114, 42, 6, 3, 1}}, /* the outer sub-array's axes come first */
        {{5, 0}, 3, 274, {11, 7, 5}, {1114, 120, 24}},
        {{5, 6}, 5, 274, {11, 7, 5, 3, 2}, {1114, 120, 24, 8, 4}},
    };
    snpy_options options = SNPY_OPTIONS_INIT;
    (void)state;
    struct parsed parsed = parse_text(1, text, sizeof text - 1, &options);
    assert_int_equal(parsed.error.status, SNPY_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const size_t size = cases[i].ndim * sizeof(uint64_t);
        snpy_view view;
        assert_int_equal(snpy_view_open(&parsed.header, parsed.header.data_size, &view, &error), SNPY_OK);
        for (uint32_t k = 0; k < 2 && cases[i].entries[k] != 0; k++)
            assert_int_equal(snpy_view_field(&view, &parsed.table, cases[i].entries[k], &error), SNPY_OK);
        assert_int_equal(view.ndim, cases[i].ndim);
        assert_int_equal(view.offset, cases[i].offset);
        assert_memory_equal(view.shape, cases[i].shape, size);
        assert_memory_equal(view.strides, cases[i].strides, size);
    }
    release(&parsed);
}

/* Each number of a table that no parser has filled so. */
static void test_field_refuses_tables(void **state)
{
    struct nest nest;
    (void)state;
    for (int fault = 0;; fault++) {
        snpy_status status = SNPY_BAD_ARGUMENT;
        make_nest(&nest);
        switch (fault) {
        case 0:
            nest.table.field_count = 2;
            break; /* the sub-array has no type */
        case 1:
            nest.table.dim_count = 2;
            break; /* its dimensions lie outside the table */
        case 2:
            nest.table.dim_count = 1;
            break;
        case 3:
            nest.fields[2].first_dim = 4;
            break;
        case 4:
            nest.dims[1] = -1;
            break;
        case 5:
            nest.fields[1].offset = -1;
            break;
        case 6:
            nest.fields[1].offset = (int64_t)SNPY_MAX_ITEMSIZE + 1;
            break;
        case 7:
            nest.fields[1].offset = 48;
            break; /* it reaches beyond the record */
        case 8:
            nest.fields[2].dtype.itemsize = (uint32_t)SNPY_MAX_ITEMSIZE + 1;
            break;
        case 9:
            nest.view.offset = SNPY_MAX_SIZE + 1;
            break;
        case 10:
            nest.dims[0] = nest.dims[1] = nest.dims[2] = INT32_MAX;
            break;
        case 11:
            nest.view.ndim = 65;
            break;
        case 12:
            nest.view.ndim = 63;
            for (uint32_t k = 1; k < 63; k++) nest.view.shape[k] = 1;
            status = SNPY_TOO_MANY_DIMENSIONS;
            break;
        case 13:
            nest.table.field_count = (size_t)SNPY_MAX_FIELDS + 1;
            break; /* more than any header makes */
        default:
            return;
        }
        const uint32_t ndim = nest.view.ndim;
        expect_that(snpy_view_field(&nest.view, &nest.table, 1, &error) == status, "fault %d: %s\n", fault,
                    snpy_status_name(error.status));
        if (status == SNPY_TOO_MANY_DIMENSIONS) assert_int_equal(nest.view.ndim, ndim);
    }
}

/* A copy checks all before it writes a byte. */
static void test_copy_refuses(void **state)
{
    const uint64_t shape[] = {2};
    snpy_run run = {0, 8, 8, SNPY_ACTION_SWAP};
    snpy_plan plan = {&run, 1, 1, 8};
    uint8_t out[16];
    const uint8_t data[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    (void)state;
    snpy_view view = view_of(8, 1, shape);
    memset(out, GUARD, sizeof out);
    run.end = 9;
    assert_int_equal(snpy_plan_check(&plan, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(snpy_copy(&view, data, &plan, &view, out, &error), SNPY_BAD_ARGUMENT);
    run.end = 8;
    run.unit = 0;
    assert_int_equal(snpy_copy(&view, data, &plan, &view, out, &error), SNPY_BAD_ARGUMENT);
    run.unit = 17;
    assert_int_equal(snpy_copy(&view, data, &plan, &view, out, &error), SNPY_BAD_ARGUMENT);
    run.unit = 8;
    run.action = 3;
    assert_int_equal(snpy_copy(&view, data, &plan, &view, out, &error), SNPY_BAD_ARGUMENT);
    run.action = SNPY_ACTION_SWAP;
    plan.itemsize = 4;
    assert_int_equal(snpy_copy(&view, data, &plan, &view, out, &error), SNPY_BAD_ARGUMENT);
    plan.itemsize = 8;
    assert_int_equal(out[0], GUARD);
    assert_int_equal(snpy_copy(&view, data, &plan, &view, out, &error), SNPY_OK);
    assert_memory_equal(out, "\10\7\6\5\4\3\2\1\20\17\16\15\14\13\12\11", 16);
    assert_int_equal(snpy_convert(&view, out, &plan, &error), SNPY_OK);
    assert_memory_equal(out, data, 16);
}

/* Every number of a run that lies outside, and plans and views that do not fit each other: nothing is written. */
static void test_copy_refuses_what_does_not_fit(void **state)
{
    static const struct {
        snpy_run run;
        uint32_t itemsize;
        uint64_t at;
    } cases[] = {
        {{-1, 8, 8, SNPY_ACTION_SWAP}, 8, 0},
        {{5, 4, 1, SNPY_ACTION_KEEP}, 8, 0},
        {{0, 8, 0, SNPY_ACTION_SWAP}, 8, 0},
        {{0, 8, 17, SNPY_ACTION_SWAP}, 8, 0},
        {{0, 8, 8, -1}, 8, 0},
        {{0, 8, 8, 3}, 8, 0},
        {{0, 8, 8, SNPY_ACTION_SWAP}, 7, 0},
        {{0, 8, 8, SNPY_ACTION_SWAP}, (uint32_t)SNPY_MAX_ITEMSIZE + 1, 2},
    };
    const uint8_t data[16] = {0};
    uint8_t out[16];
    snpy_view view = view_of(8, 1, (const uint64_t[]){2});
    snpy_view less = view_of(8, 1, (const uint64_t[]){1});
    snpy_view smaller = view_of(4, 1, (const uint64_t[]){2});
    (void)state;
    memset(out, GUARD, sizeof out);
    for (size_t i = 0; i < COUNT(cases); i++) {
        snpy_run run = cases[i].run;
        snpy_plan plan = {&run, 1, 1, cases[i].itemsize};
        assert_int_equal(snpy_plan_check(&plan, &error), SNPY_BAD_ARGUMENT);
        expect_that(error.offset == cases[i].at, "case %zu: run %d\n", i, (int)error.offset);
        assert_int_equal(snpy_copy(&view, data, &plan, &view, out, &error), SNPY_BAD_ARGUMENT);
        assert_int_equal(snpy_convert(&view, out, &plan, &error), SNPY_BAD_ARGUMENT);
    }
    snpy_run run = {0, 8, 8, SNPY_ACTION_SWAP};
    snpy_plan plan = {&run, 1, 1, 8};
    assert_int_equal(snpy_plan_check(&plan, &error), SNPY_OK);
    assert_int_equal(snpy_copy(&view, data, &plan, &less, out, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(snpy_copy(&view, data, &plan, &smaller, out, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(snpy_copy(&smaller, data, &plan, &view, out, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(snpy_convert(&smaller, out, &plan, &error), SNPY_BAD_ARGUMENT);
    assert_true(is_filled(out, GUARD, sizeof out));
}

/* Plans that take more than blocks of numbers: parts of an element, and units that no block is made of. */
static void test_copy_by_odd_runs(void **state)
{
    static const struct {
        snpy_run run;
        const char *copied; /* of the element ABCDEF; a dot is left as it was */
    } cases[] = {
        {{0, 4, 2, SNPY_ACTION_SWAP}, "BADC.."}, {{2, 6, 1, SNPY_ACTION_KEEP}, "..CDEF"},
        {{0, 6, 3, SNPY_ACTION_SWAP}, "CBAFED"}, {{0, 6, 4, SNPY_ACTION_SWAP}, "DCBA.."},
        {{0, 6, 1, SNPY_ACTION_SWAP}, "ABCDEF"}, {{0, 0, 1, SNPY_ACTION_KEEP}, "......"},
    };
    const snpy_view view = view_of(6, 1, (const uint64_t[]){2});
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        snpy_run run = cases[i].run;
        snpy_plan plan = {&run, 1, 1, 6};
        char out[13] = "............";
        char here[13] = "ABCDEFABCDEF";
        assert_int_equal(snpy_copy(&view, (const uint8_t *)here, &plan, &view, (uint8_t *)out, &error), SNPY_OK);
        expect_that(memcmp(out, cases[i].copied, 6) == 0 && memcmp(out + 6, cases[i].copied, 6) == 0, "case %zu: %s\n",
                    i, out);
        assert_int_equal(snpy_convert(&view, (uint8_t *)here, &plan, &error), SNPY_OK);
        for (size_t k = 0; k < 12; k++)
            assert_int_equal(here[k], cases[i].copied[k % 6] == '.' ? "ABCDEF"[k % 6] : cases[i].copied[k % 6]);
    }
}

/* Equal numbers of elements that lie densely in Fortran order: in other shapes that is another order of elements. */
static void test_copy_between_shapes(void **state)
{
    static const struct {
        uint32_t ndim;
        uint64_t shape[3];
    } cases[] = {{2, {3, 4}}, {2, {4, 3}}, {2, {6, 2}}, {3, {3, 2, 2}}};
    snpy_run run = {0, 1, 1, SNPY_ACTION_KEEP};
    snpy_plan plan = {&run, 1, 1, 1};
    snpy_view from;
    (void)state;
    snpy_header header = header_of('S', 1, 2, (const uint64_t[]){3, 4});
    header.fortran_order = true;
    assert_int_equal(snpy_view_open(&header, 12, &from, &error), SNPY_OK);
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t out[12];
        snpy_view to;
        header = header_of('S', 1, cases[i].ndim, cases[i].shape);
        header.fortran_order = true;
        assert_int_equal(snpy_view_open(&header, 12, &to, &error), SNPY_OK);
        assert_int_equal(snpy_copy(&from, (const uint8_t *)"ABCDEFGHIJKL", &plan, &to, out, &error), SNPY_OK);
        for (uint64_t f = 0; f < 12; f++) { /* element f of each, wherever it lies */
            uint64_t source = 77;
            uint64_t target = 77;
            assert_int_equal(snpy_view_flat(&from, f, &source, &error), SNPY_OK);
            assert_int_equal(snpy_view_flat(&to, f, &target, &error), SNPY_OK);
            assert_int_equal(out[target], "ABCDEFGHIJKL"[source]);
        }
    }
}

/* Views without elements may lie anywhere and be of any length: nothing is touched. */
static void test_copy_of_nothing(void **state)
{
    static const struct {
        uint64_t shape[2];
        int64_t strides[2];
        uint64_t offset;
    } cases[] = {
        {{0, 3}, {24, 8}, 0},
        {{0, 1}, {8, 8}, 1000},               /* begins after the data */
        {{2, 3}, {24, 8}, 0},                 /* as if it held more than there is */
        {{UINT64_C(1) << 60, 3}, {24, 8}, 0}, /* or than there can be */
        {{UINT64_C(1) << 60, UINT64_C(1) << 60}, {8, 8}, 0},
    };
    snpy_run run = {0, 8, 8, SNPY_ACTION_SWAP};
    snpy_plan plan = {&run, 1, 1, 8};
    uint8_t data[16];
    uint8_t out[16];
    (void)state;
    memset(data, 1, sizeof data);
    memset(out, GUARD, sizeof out);
    for (size_t i = 0; i < COUNT(cases); i++) {
        snpy_view view = view_of(8, 2, (const uint64_t[]){1, 2});
        memcpy(view.shape, cases[i].shape, sizeof cases[i].shape);
        memcpy(view.strides, cases[i].strides, sizeof cases[i].strides);
        view.offset = cases[i].offset;
        view.count = 0;
        assert_int_equal(snpy_copy(&view, data, &plan, &view, out, &error), SNPY_OK);
        assert_int_equal(snpy_convert(&view, data, &plan, &error), SNPY_OK);
    }
    assert_true(is_filled(data, 1, sizeof data) && is_filled(out, GUARD, sizeof out));
}

/* More runs than there is room for are counted, and none is written beyond the room. */
static void test_plan_says_how_many_runs(void **state)
{
    static const char text[] =
        "{'descr': [('a', '<i2'), ('b', [('c', '>i4'), ('', '|V3')], (2,))], 'fortran_order': False, "
        "'shape': (1,), }\n";
    static snpy_field fields[8];
    static int32_t dims[8];
    snpy_table table = {fields, 8, dims, 8, 0, 0};
    snpy_options options = SNPY_OPTIONS_INIT;
    uint8_t bytes[10 + sizeof text];
    snpy_run runs[8];
    snpy_plan plan = {runs, 3, 0, 0};
    snpy_header header;
    snpy_view view;
    (void)state;
    memcpy(bytes, "\x93NUMPY\1\0", 8);
    bytes[8] = (uint8_t)(sizeof text - 1);
    bytes[9] = 0;
    memcpy(bytes + 10, text, sizeof text);
    assert_int_equal(snpy_parse_header(bytes, 10 + sizeof text - 1, &options, &table, &header, &error), SNPY_OK);
    assert_int_equal(snpy_view_open(&header, header.data_size, &view, &error), SNPY_OK);
    runs[3].unit = 99;
    assert_int_equal(snpy_plan_make(&view, &table, SNPY_BYTEORDER_LITTLE, &plan, &error), SNPY_TABLE_TOO_SMALL);
    assert_int_equal(plan.count, 5);
    assert_int_equal(runs[3].unit, 99);
    plan.capacity = 8;
    assert_int_equal(snpy_plan_make(&view, &table, SNPY_BYTEORDER_LITTLE, &plan, &error), SNPY_OK);
    assert_int_equal(plan.count, 5); /* a, c, padding, c, padding */
    assert_int_equal(runs[1].action, SNPY_ACTION_SWAP);
    assert_int_equal(runs[2].action, SNPY_ACTION_ZERO);
    assert_int_equal(runs[4].end, 16);
    assert_int_equal(snpy_view_field(&view, &table, 0, &error), SNPY_WRONG_TYPE);
    assert_int_equal(snpy_view_field(&view, &table, 3, &error), SNPY_WRONG_TYPE); /* a field of b, not of the record */
    assert_int_equal(snpy_view_field(&view, &table, 9, &error), SNPY_WRONG_TYPE);
    assert_int_equal(snpy_view_field(&view, &table, 2, &error), SNPY_OK);
    assert_int_equal(view.ndim, 2);
    assert_int_equal(snpy_view_field(&view, &table, 3, &error), SNPY_OK);
    assert_int_equal(view.strides[1], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open_refuses),
        cmocka_unit_test(test_open_at_its_limits),
        cmocka_unit_test(test_strides_of_an_empty_array),
        cmocka_unit_test(test_one_element),
        cmocka_unit_test(test_the_longest_way_back),
        cmocka_unit_test(test_index),
        cmocka_unit_test(test_no_element_of_an_empty_array),
        cmocka_unit_test(test_pick_and_slice_refuse),
        cmocka_unit_test(test_slice_extremes),
        cmocka_unit_test(test_check_refuses),
        cmocka_unit_test(test_view_index),
        cmocka_unit_test(test_open_refuses_what_no_parser_says),
        cmocka_unit_test(test_views_that_would_wrap_around),
        cmocka_unit_test(test_parts_of_unsound_views),
        cmocka_unit_test(test_slice_steps_too_far),
        cmocka_unit_test(test_dense_refuses),
        cmocka_unit_test(test_field_of_nested_subarrays),
        cmocka_unit_test(test_axes_of_subarrays),
        cmocka_unit_test(test_field_refuses_tables),
        cmocka_unit_test(test_copy_refuses),
        cmocka_unit_test(test_copy_refuses_what_does_not_fit),
        cmocka_unit_test(test_copy_by_odd_runs),
        cmocka_unit_test(test_copy_between_shapes),
        cmocka_unit_test(test_copy_of_nothing),
        cmocka_unit_test(test_plan_says_how_many_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
