/* test_view.c: views, values and copies where NumPy cannot be asked: what is refused, and by which number.
 *                                            API-VIEW, API-INDEX, API-SLICE, API-TYPE, API-RANGE, API-TEXT, API-OBJECTS */
#include "safenpy/double.h"
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
    header.shape[0] = UINT64_MAX;
    assert_int_equal(snpy_view_open(&header, 24, &view, &error), SNPY_BAD_ARGUMENT);
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
    assert_int_equal(snpy_view_flat(&view, 0, &offset, &error), SNPY_BAD_INDEX);
    assert_int_equal(snpy_view_pick(&view, 1, 0, &error), SNPY_BAD_INDEX);
    assert_int_equal(offset, 77);
}

static void test_pick_and_slice_refuse(void **state)
{
    const uint64_t shape[] = {2, 3};
    const snpy_slice still = {0, 0, 0, false, false, true};
    (void)state;
    snpy_view view = view_of(8, 2, shape);
    assert_int_equal(snpy_view_pick(&view, 1, 3, &error), SNPY_BAD_INDEX);
    assert_int_equal(error.offset, 1);
    assert_int_equal(snpy_view_pick(&view, 1, -4, &error), SNPY_BAD_INDEX);
    assert_int_equal(snpy_view_pick(&view, 1, INT64_MIN, &error), SNPY_BAD_INDEX);
    assert_int_equal(snpy_view_pick(&view, 2, 0, &error), SNPY_BAD_ARGUMENT);
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

static void test_values_refuse(void **state)
{
    const snpy_dtype byte = {'u', '|', 0, 1, 0};
    const snpy_dtype small = {'i', '<', 0, 2, 0};
    const snpy_dtype wide = {'u', '>', 0, 8, 0};
    const snpy_dtype real = {'f', '<', 0, 8, 0};
    const snpy_dtype platform = {'f', '<', 0, 16, 0};
    uint8_t element[16] = {1, 2, 3, 4, 5, 6, 7, 8};
    int64_t number = 77;
    uint64_t natural = 77;
    (void)state;
    assert_int_equal(snpy_set_int(element, &byte, 256), SNPY_VALUE_RANGE);
    assert_int_equal(snpy_set_int(element, &byte, -1), SNPY_VALUE_RANGE);
    assert_int_equal(snpy_set_int(element, &small, 32768), SNPY_VALUE_RANGE);
    assert_int_equal(snpy_set_int(element, &small, -32769), SNPY_VALUE_RANGE);
    assert_int_equal(element[0], 1);
    assert_int_equal(snpy_set_int(element, &small, -32768), SNPY_OK);
    assert_int_equal(element[0], 0);
    assert_int_equal(element[1], 0x80);
    assert_int_equal(snpy_get_int(element, &small, &number), SNPY_OK);
    assert_true(number == -32768);
    assert_int_equal(snpy_get_uint(element, &small, &natural), SNPY_VALUE_RANGE);
    assert_int_equal(snpy_set_uint(element, &wide, UINT64_MAX), SNPY_OK);
    assert_int_equal(snpy_get_int(element, &wide, &number), SNPY_VALUE_RANGE);
    assert_int_equal(snpy_get_uint(element, &wide, &natural), SNPY_OK);
    assert_true(natural == UINT64_MAX);
    assert_int_equal(snpy_get_int(element, &real, &number), SNPY_WRONG_TYPE);
    assert_int_equal(snpy_get_float(element, &platform, &natural), SNPY_WRONG_TYPE);
    assert_int_equal(snpy_get_float(element, &small, &natural), SNPY_WRONG_TYPE);
    assert_true(number == -32768 && natural == UINT64_MAX);
}

/* Rounding to nearest, ties to even, into 16 and 32 bits. */
static void test_floats_are_rounded(void **state)
{
    static const struct {
        double value;
        uint32_t half;
        uint32_t single;
    } cases[] = {
        {0.0, 0x0000, 0x00000000},
        {-0.0, 0x8000, 0x80000000},
        {1.0, 0x3c00, 0x3f800000},
        {65504.0, 0x7bff, 0x477fe000},
        {65519.9, 0x7bff, 0x477fefe6},
        {65520.0, 0x7c00, 0x477ff000},
        {-1e300, 0xfc00, 0xff800000},
        {0x1p-24, 0x0001, 0x33800000},
        {0x1p-25, 0x0000, 0x33000000},
        {0x3p-25, 0x0002, 0x33c00000},
        {0x1.8p-25, 0x0001, 0x33400000},
        {0x1p-149, 0x0000, 0x00000001},
        {0x1p-150, 0x0000, 0x00000000},
        {0x1.8p-150, 0x0000, 0x00000001},
        {0x1p-1074, 0x0000, 0x00000000},
        {2049.0, 0x6800, 0x45001000},
        {2051.0, 0x6802, 0x45003000},
        {0x1.ffffffp0, 0x4000, 0x40000000},
        {0x1.fffffefffffffp0, 0x4000, 0x3fffffff},
    };
    const snpy_dtype half = {'f', '>', 0, 2, 0};
    const snpy_dtype single = {'f', '>', 0, 4, 0};
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t bytes[4];
        assert_int_equal(snpy_set_float(bytes, &half, snpy_double_bits(cases[i].value)), SNPY_OK);
        expect_that(bytes[0] * 256u + bytes[1] == cases[i].half, "%a: %02x%02x\n", cases[i].value, bytes[0], bytes[1]);
        assert_int_equal(snpy_set_float(bytes, &single, snpy_double_bits(cases[i].value)), SNPY_OK);
        uint32_t found = ((bytes[0] * 256u + bytes[1]) * 256u + bytes[2]) * 256u + bytes[3];
        expect_that(found == cases[i].single, "%a: %08x\n", cases[i].value, found);
    }
}

static void test_texts(void **state)
{
    const snpy_dtype narrow = {'S', '|', 0, 4, 0};
    const snpy_dtype wide = {'U', '>', 0, 8, 0};
    const snpy_dtype number = {'i', '<', 0, 4, 0};
    uint8_t element[8];
    uint8_t out[16];
    uint64_t size = 0;
    (void)state;
    memset(element, GUARD, sizeof element);
    assert_int_equal(snpy_set_text(element, &narrow, (const uint8_t *)"abcde", 5), SNPY_VALUE_RANGE);
    assert_int_equal(snpy_set_text(element, &number, (const uint8_t *)"a", 1), SNPY_WRONG_TYPE);
    assert_int_equal(snpy_set_text(element, &wide, (const uint8_t *)"abc", 3), SNPY_VALUE_RANGE);
    assert_int_equal(snpy_set_text(element, &wide, (const uint8_t *)"\xff", 1), SNPY_BAD_CODE_POINT);
    assert_int_equal(snpy_set_text(element, &wide, (const uint8_t *)"\xed\xa0\x80", 3), SNPY_BAD_CODE_POINT);
    assert_int_equal(element[0], GUARD);
    assert_int_equal(snpy_set_text(element, &wide, (const uint8_t *)"\xf0\x9f\x98\x80!", 5), SNPY_OK);
    assert_memory_equal(element, "\0\1\xf6\0\0\0\0!", 8);
    assert_int_equal(snpy_get_text(element, &wide, out, sizeof out, &size), SNPY_OK);
    assert_int_equal(size, 5);
    assert_memory_equal(out, "\xf0\x9f\x98\x80!", 5);
    assert_int_equal(snpy_get_text(element, &wide, NULL, 0, &size), SNPY_BUFFER_TOO_SMALL);
    assert_int_equal(size, 5);
    element[5] = 0x11; /* the second number is U+110021 */
    assert_int_equal(snpy_get_text(element, &wide, out, sizeof out, &size), SNPY_BAD_CODE_POINT);
    assert_int_equal(size, 4);
    assert_int_equal(snpy_set_text(element, &narrow, (const uint8_t *)"a\0b", 3), SNPY_OK);
    assert_int_equal(snpy_get_text(element, &narrow, out, sizeof out, &size), SNPY_OK);
    assert_int_equal(size, 3);
    assert_memory_equal(out, "a\0b", 3);
    assert_int_equal(snpy_get_text(element, &number, out, sizeof out, &size), SNPY_WRONG_TYPE);
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
    assert_int_equal(snpy_plan_make(&view, &table, SNPY_ORDER_LITTLE, &plan, &error), SNPY_TABLE_TOO_SMALL);
    assert_int_equal(plan.count, 5);
    assert_int_equal(runs[3].unit, 99);
    plan.capacity = 8;
    assert_int_equal(snpy_plan_make(&view, &table, SNPY_ORDER_LITTLE, &plan, &error), SNPY_OK);
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
        cmocka_unit_test(test_index),
        cmocka_unit_test(test_no_element_of_an_empty_array),
        cmocka_unit_test(test_pick_and_slice_refuse),
        cmocka_unit_test(test_slice_extremes),
        cmocka_unit_test(test_check_refuses),
        cmocka_unit_test(test_values_refuse),
        cmocka_unit_test(test_floats_are_rounded),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_copy_refuses),
        cmocka_unit_test(test_plan_says_how_many_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
