/* test_core.c: what the lower functions of the core do with what the functions above them never hand on. Their contracts
 * allow it, so they have an answer.                                   NPY-WRITE-001, NPY-WRITE-002, NPY-SHAPE-003, NPY-LIT-017 */
#include <inttypes.h>

#include "core/describe.h"
#include "core/layout.h"
#include "core/printable.h"
#include "support.h"

static struct snpy_pen pen_into(uint8_t *out, size_t capacity)
{
    struct snpy_pen pen = {{out, capacity, 0}, true, false};
    return pen;
}

static void expect_penned(const struct snpy_pen *pen, const char *text)
{
    expect_that(pen->sink.length == strlen(text) && memcmp(pen->sink.out, text, strlen(text)) == 0, "%s, not %s\n",
                legible(pen->sink.out, (size_t)pen->sink.length), text);
}

/* Letters of a type below zero are no bytes of a text: they are shown as question marks. */
static void test_letters_below_zero(void **state)
{
    static const snpy_dtype dtypes[] = {{-1, '<', 0, 8, 0}, {'f', -128, 0, 8, 0}, {-1, -1, 0, 8, 0}};
    static const char *const texts[] = {"'<?8'", "'?f8'", "'??8'"};
    uint8_t out[16];
    (void)state;
    for (size_t i = 0; i < COUNT(dtypes); i++) {
        struct snpy_pen pen = pen_into(out, sizeof out);
        snpy_pen_type(&pen, &dtypes[i]);
        expect_penned(&pen, texts[i]);
    }
}

/* A record of a sub-array, whose dimensions and whose type inside the checks in front of the writer would refuse. */
static void test_tables_that_no_check_has_seen(void **state)
{
    snpy_field fields[3];
    int32_t dims[2] = {2, -3};
    uint8_t out[64];
    uint64_t entry = 77;
    snpy_table table = {fields, 3, dims, 2, 3, 2};
    (void)state;
    memset(fields, 0, sizeof fields);
    fields[0].dtype.kind = SNPY_KIND_RECORD;
    fields[0].itemsize = fields[0].dtype.itemsize = 8;
    fields[1].dtype.kind = SNPY_KIND_SUBARRAY;
    fields[1].itemsize = fields[1].dtype.itemsize = 8;
    fields[1].depth = 1;
    fields[1].has_name = true;
    fields[1].name_length = 1;
    fields[1].ndim = 2;
    fields[2].dtype.kind = SNPY_KIND_INT;
    fields[2].dtype.byteorder = '|';
    fields[2].itemsize = fields[2].dtype.itemsize = 1;
    fields[2].parent = 1;
    fields[2].depth = 2;
    fields[2].ndim = 1;
    struct snpy_pen pen = pen_into(out, sizeof out);
    assert_int_equal(snpy_pen_descr(&pen, &table, (const uint8_t *)"a", 1, SNPY_NAME_PLAIN, 0, &entry), SNPY_OK);
    expect_penned(&pen, "[('a', ('|i1', (2,)), (2, 0))]"); /* no dimension is negative */
    table.field_count = 2;                                 /* the sub-array ends the table */
    pen = pen_into(out, sizeof out);
    assert_int_equal(snpy_pen_descr(&pen, &table, (const uint8_t *)"a", 1, SNPY_NAME_PLAIN, 0, &entry), SNPY_OK);
    expect_penned(&pen, "[('a', (, (2, 0))]");
}

/* A sub-array at the end of a table has no type to look at, and is no padding. */
static void test_padding_at_the_end_of_a_table(void **state)
{
    snpy_field fields[2];
    (void)state;
    memset(fields, 0, sizeof fields);
    fields[0].dtype.kind = SNPY_KIND_RECORD;
    fields[1].dtype.kind = SNPY_KIND_SUBARRAY;
    fields[1].has_name = true;
    fields[1].depth = 1;
    snpy_mark_padding(fields, 2);
    assert_false(fields[1].is_padding);
    fields[1].dtype.kind = SNPY_KIND_VOID;
    snpy_mark_padding(fields, 2);
    assert_true(fields[1].is_padding);
}

/* The place of an overflow is looked for where there is one; where there is none, the answer is where the shape begins. */
static void test_no_overflow_to_locate(void **state)
{
    static const struct {
        struct text text;
        size_t at;
    } cases[] = {
        {T("x(2, 3)"), 1}, {T("x(2, 3,)"), 1}, {T("x()"), 1},      {T("x(2, 9)"), 5},
        {T("x(2, 3"), 1},  {T("x(2, ?)"), 1},  {T("x(11, ?)"), 2},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct snpy_text text = {(const uint8_t *)cases[i].text.bytes, cases[i].text.length, false, false};
        size_t at = snpy_locate_overflow(&text, 1, 1, 10);
        expect_that(at == cases[i].at, "%s: %zu, not %zu\n", cases[i].text.bytes, at, cases[i].at);
    }
}

/* Brackets that are none: a digit that closes is no dimension, and what closes is the bracket that was asked for. */
static void test_other_brackets(void **state)
{
    static const struct {
        const char *text;
        uint8_t close;
        bool first;
        snpy_status status;
        size_t stop;
        bool has_value;
        bool closed;
    } cases[] = {
        {"5", '5', false, SNPY_OK, 1, false, true},
        {"12,", '1', false, SNPY_OK, 1, false, true},
        {"2>", '>', false, SNPY_OK, 2, true, true},
        {"2)", ')', false, SNPY_OK, 2, true, true},
        {"2)", ')', true, SNPY_SHAPE_NOT_A_TUPLE, 1, false, false},
        {"2]", ']', true, SNPY_OK, 2, true, true},
        {"2]", ')', false, SNPY_BAD_DIMENSION, 1, false, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct snpy_shape_form form = {cases[i].close, false, false};
        struct snpy_item item = {0, 0, 0, false, false};
        snpy_status status =
            snpy_lex_item((const uint8_t *)cases[i].text, strlen(cases[i].text), 0, &form, cases[i].first, &item);
        expect_that(status == cases[i].status && item.stop == cases[i].stop, "%s: %s at %zu\n", cases[i].text,
                    snpy_status_name(status), item.stop);
        if (status != SNPY_OK) continue;
        expect_that(item.has_value == cases[i].has_value && item.closed == cases[i].closed, "%s: another item\n",
                    cases[i].text);
    }
}

/* Behind the last code point nothing is escaped: nothing is there. */
static void test_printable_at_the_ends(void **state)
{
    (void)state;
    assert_false(snpy_is_printable(0));
    assert_true(snpy_is_printable(' '));
    assert_false(snpy_is_printable(0x7f));
    assert_false(snpy_is_printable(0x10ffff));
    assert_true(snpy_is_printable(0x110000));
}

/* Numbers have up to 20 digits; what a header writes has 19 at most. */
static void test_numbers_of_all_lengths(void **state)
{
    uint64_t power = 1;
    (void)state;
    for (uint32_t digits = 1; digits <= 20; digits++) {
        const uint64_t most = digits == 20 ? UINT64_MAX : power * 10 - 1;
        const uint64_t numbers[] = {digits == 1 ? 0 : power, power + 1, most - 1, most};
        for (size_t i = 0; i < COUNT(numbers); i++) {
            char text[32];
            uint8_t out[20];
            struct snpy_pen pen = pen_into(out, sizeof out);
            snpy_pen_number(&pen, numbers[i]);
            (void)snprintf(text, sizeof text, "%" PRIu64, numbers[i]);
            expect_penned(&pen, text);
            assert_int_equal(snpy_count_digits(numbers[i]), digits);
        }
        if (digits < 20) power *= 10;
    }
}

/* Each entry fits where its depth puts it, and both are too much for the record that their parents put them in. */
static void test_layout_of_depths_without_parents(void **state)
{
    static const uint8_t bytes[] = "()";
    const struct snpy_text text = {bytes, 2, false, false};
    snpy_field fields[3];
    uint64_t at = 77;
    (void)state;
    memset(fields, 0, sizeof fields);
    fields[0].dtype.kind = SNPY_KIND_RECORD;
    fields[1].dtype.kind = fields[2].dtype.kind = SNPY_KIND_VOID;
    fields[1].dtype.itemsize = fields[2].dtype.itemsize = SNPY_MAX_ITEMSIZE / 2 + 1;
    fields[1].depth = 1;
    fields[2].depth = 2;
    snpy_compute_layout(fields, 3, NULL, 0);
    assert_int_equal(snpy_check_layout(&text, fields, 3, &at), SNPY_ITEMSIZE_OVERFLOW);
    assert_int_equal(at, 0);
    fields[2].dtype.itemsize--;
    fields[0].dtype.itemsize = 0;
    snpy_compute_layout(fields, 3, NULL, 0);
    assert_int_equal(snpy_check_layout(&text, fields, 3, &at), SNPY_OK);
    assert_int_equal(fields[0].dtype.itemsize, SNPY_MAX_ITEMSIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letters_below_zero),
        cmocka_unit_test(test_tables_that_no_check_has_seen),
        cmocka_unit_test(test_padding_at_the_end_of_a_table),
        cmocka_unit_test(test_no_overflow_to_locate),
        cmocka_unit_test(test_other_brackets),
        cmocka_unit_test(test_printable_at_the_ends),
        cmocka_unit_test(test_numbers_of_all_lengths),
        cmocka_unit_test(test_layout_of_depths_without_parents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
