/* test_plan.c: plans of records whose table no header has, and fast copies by plans that nobody made.
 *                                                                                NPY-VALUE-001, API-VIEW, API-TYPE
 * Tables and plans are the caller's: what is wrong with one is refused, and no byte outside of it is looked at. What
 * sound tables and plans do, test_copy.c, test_copy_fast.c and tests/data say. */
#include "safenpy/copy_fast.h"
#include "tests/unit/support.h"

/* Entries: 0 the record, 1 'a', 2 'b', 3 'c' and 4 'd' inside of 'b'. */
#define RECORD "[('a', '>i2'), ('b', [('c', '>i4'), ('d', '|S3')], (2,))]"

#define MOST_RUNS 16u

static snpy_run runs[MOST_RUNS];

/* Makes a plan for a record after `spoil` has changed its table. */
static snpy_status plan_spoiled(const char *text, void (*spoil)(snpy_table *table), snpy_plan *plan)
{
    snpy_options options = default_options();
    struct parsed parsed = parse_text(1, text, strlen(text), &options);
    snpy_view view;
    snpy_error error;
    snpy_plan empty = {runs, MOST_RUNS, 0, 0};
    *plan = empty;
    assert_int_equal(parsed.status, SNPY_OK);
    assert_int_equal(snpy_view_open(&parsed.header, parsed.header.data_size, &view, &error), SNPY_OK);
    if (spoil != NULL) spoil(&parsed.table);
    snpy_status status = snpy_plan_make(&view, &parsed.table, SNPY_BYTEORDER_LITTLE, plan, &error);
    assert_int_equal(error.status, status);
    release(&parsed);
    return status;
}

static void negative_offset(snpy_table *table)
{
    table->fields[1].offset = -1;
}

static void far_offset(snpy_table *table)
{
    table->fields[1].offset = (int64_t)SNPY_MAX_ITEMSIZE + 1;
}

static void offset_behind_the_element(snpy_table *table)
{
    table->fields[4].offset = 100;
}

static void overlap(snpy_table *table)
{
    table->fields[2].offset = 0;
}

static void long_field(snpy_table *table)
{
    table->fields[1].itemsize = 100;
}

static void next_outside(snpy_table *table)
{
    table->fields[1].next = 77;
}

static void endless_sub_array(snpy_table *table)
{
    table->fields[4].dtype.kind = SNPY_KIND_SUBARRAY;
}

static void records_behind_the_element(snpy_table *table)
{
    table->fields[2].itemsize = (uint64_t)1 << 40;
    table->fields[3].is_padding = true;
    table->fields[4].is_padding = true;
}

static void no_entries(snpy_table *table)
{
    table->field_count = 0;
}

static void test_tables_that_no_header_has(void **state)
{
    static const struct {
        const char *name;
        void (*spoil)(snpy_table *table);
    } cases[] = {
        {"an offset in front of the record", negative_offset},
        {"an offset above all limits", far_offset},
        {"an offset behind the element", offset_behind_the_element},
        {"fields that share bytes", overlap},
        {"a field that ends behind the element", long_field},
        {"a next field outside of the table", next_outside},
        {"a sub-array without a type", endless_sub_array},
        {"records behind the element", records_behind_the_element},
        {"a record outside of the table", no_entries},
    };
    snpy_plan plan;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        snpy_status status = plan_spoiled(DESCR(RECORD), cases[i].spoil, &plan);
        expect_that(status == SNPY_BAD_ARGUMENT, "%s: %s\n", cases[i].name, snpy_status_name(status));
        assert_int_equal(plan.count, 0);
    }
}

/* Nothing but a count of steps ends a walk in a ring of fields without bytes. */
static void ring(snpy_table *table)
{
    table->fields[1].itemsize = 0;
    table->fields[1].next = 1;
}

static void test_a_ring_of_fields(void **state)
{
    snpy_plan plan;
    (void)state;
    assert_int_equal(plan_spoiled(DESCR(RECORD), ring, &plan), SNPY_TOO_MANY_FIELDS);
}

/* More records in records than any header may have. */
static void test_records_too_deep(void **state)
{
    snpy_field fields[SNPY_MAX_DEPTH + 3];
    snpy_table table = {fields, COUNT(fields), NULL, 0, COUNT(fields), 0};
    snpy_view view = {.data_size = 4, .count = 1, .itemsize = 4};
    snpy_plan plan = {runs, MOST_RUNS, 0, 0};
    snpy_error error;
    (void)state;
    memset(fields, 0, sizeof fields);
    for (uint32_t i = 0; i < COUNT(fields); i++) {
        fields[i].parent = i > 0 ? i - 1 : 0;
        fields[i].dtype.kind = SNPY_KIND_RECORD;
        fields[i].dtype.itemsize = 4;
        fields[i].itemsize = 4;
    }
    view.dtype = fields[0].dtype;
    assert_int_equal(snpy_plan_make(&view, &table, SNPY_BYTEORDER_KEEP, &plan, &error), SNPY_BAD_ARGUMENT);
    fields[SNPY_MAX_DEPTH].dtype.kind = SNPY_KIND_VOID;
    assert_int_equal(snpy_plan_make(&view, &table, SNPY_BYTEORDER_KEEP, &plan, &error), SNPY_OK);
    assert_int_equal(plan.count, 1);
}

/* Bytes of numbers of no known size are not turned. */
static void no_size(snpy_table *table)
{
    table->fields[1].dtype.itemsize = 0;
    table->fields[3].dtype.itemsize = 100;
}

static void test_sizes_of_numbers(void **state)
{
    snpy_plan plan;
    (void)state;
    assert_int_equal(plan_spoiled(DESCR(RECORD), NULL, &plan), SNPY_OK);
    assert_int_equal(plan.count, 5);
    assert_int_equal(runs[0].action, SNPY_ACTION_SWAP);
    assert_int_equal(plan_spoiled(DESCR(RECORD), no_size, &plan), SNPY_OK);
    assert_int_equal(plan.count, 1);
    assert_int_equal(runs[0].action, SNPY_ACTION_KEEP);
    assert_int_equal(runs[0].end, 16);
}

/* Sub-arrays without records, and records without bytes. */
static void test_records_without_bytes(void **state)
{
    snpy_plan plan;
    (void)state;
    assert_int_equal(plan_spoiled(DESCR("[('a', '<i2'), ('b', [('c', '<i4')], (0,))]"), NULL, &plan), SNPY_OK);
    assert_int_equal(plan.count, 1);
    assert_int_equal(plan_spoiled(DESCR("[('a', '<i2'), ('b', [('c', '|S0')])]"), NULL, &plan), SNPY_OK);
    assert_int_equal(plan.count, 1);
    assert_int_equal(plan.itemsize, 2);
}

static void test_elements_too_large(void **state)
{
    snpy_view view = {.count = 1, .itemsize = SNPY_MAX_ITEMSIZE + 1u};
    snpy_plan plan = {runs, MOST_RUNS, 0, 0};
    snpy_error error;
    (void)state;
    view.dtype.kind = SNPY_KIND_VOID;
    assert_int_equal(snpy_plan_make(&view, NULL, SNPY_BYTEORDER_KEEP, &plan, &error), SNPY_BAD_ARGUMENT);
}

/* Elements of four bytes, in a shape of two axes. */
static snpy_view make_view(uint64_t rows, uint64_t columns)
{
    snpy_view view = {.count = rows * columns, .itemsize = 4, .ndim = 2, .shape = {rows, columns}};
    view.data_size = view.count * view.itemsize;
    view.strides[0] = (int64_t)(columns * view.itemsize);
    view.strides[1] = view.itemsize;
    view.dtype.kind = SNPY_KIND_VOID;
    view.dtype.byteorder = '|';
    view.dtype.itemsize = view.itemsize;
    return view;
}

/* Both ways to copy must do the same. */
static void expect_same_copy(const snpy_view *from, const snpy_plan *plan, const snpy_view *to)
{
    uint8_t data[24];
    uint8_t copied[24];
    uint8_t fast[24];
    snpy_error error;
    for (uint8_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i + 1);
    memset(copied, GUARD, sizeof copied);
    memset(fast, GUARD, sizeof fast);
    snpy_status status = snpy_copy(from, data, plan, to, copied, &error);
    assert_int_equal(snpy_copy_fast(from, data, plan, to, fast, &error), status);
    assert_memory_equal(fast, copied, sizeof copied);
    memcpy(copied, data, sizeof data);
    status = snpy_convert(from, copied, plan, &error);
    memcpy(fast, data, sizeof data);
    assert_int_equal(snpy_copy_fast_in_place(from, fast, plan, &error), status);
    assert_memory_equal(fast, copied, sizeof copied);
}

static void test_fast_copies_by_odd_plans(void **state)
{
    const snpy_view wide = make_view(2, 3);
    const snpy_view tall = make_view(3, 2);
    snpy_view close = make_view(2, 3);
    snpy_run part = {0, 3, 1, SNPY_ACTION_KEEP};
    snpy_run whole = {0, 4, 4, SNPY_ACTION_SWAP};
    snpy_plan part_plan = {&part, 1, 1, 4};
    snpy_plan plan = {&whole, 1, 1, 4};
    (void)state;
    expect_same_copy(&wide, &part_plan, &wide); /* the last byte of each element has no run */
    expect_same_copy(&wide, &plan, &tall);      /* as many elements in another shape */
    close.strides[1] = 2;                       /* elements that share bytes */
    expect_same_copy(&close, &plan, &wide);
}

static void test_fast_copies_of_other_sizes(void **state)
{
    snpy_view view = make_view(2, 3);
    snpy_run run = {0, 2, 1, SNPY_ACTION_KEEP};
    snpy_plan plan = {&run, 1, 1, 2};
    uint8_t data[24] = {0};
    uint8_t out[24] = {0};
    snpy_error error;
    (void)state;
    assert_int_equal(snpy_copy_fast_in_place(&view, data, &plan, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(snpy_copy_fast(&view, data, &plan, &view, out, &error), SNPY_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_that_no_header_has), cmocka_unit_test(test_a_ring_of_fields),
        cmocka_unit_test(test_records_too_deep),          cmocka_unit_test(test_sizes_of_numbers),
        cmocka_unit_test(test_records_without_bytes),     cmocka_unit_test(test_elements_too_large),
        cmocka_unit_test(test_fast_copies_by_odd_plans),  cmocka_unit_test(test_fast_copies_of_other_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
