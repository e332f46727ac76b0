/* test_header.c: whole headers: orders of keys, precedence of phases, missing keys, truncation, limits.        NPY-HDR */
#include "support.h"

static const char *const entries[] = {"'descr': [('a', '<f8', (2,)), ('b', '|i1')]", "'fortran_order': True",
                                      "'shape': (3, 4)"};

static void test_all_orders_of_keys(void **state)
{
    static const unsigned orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const char *const ends[] = {"}", ",}", ", }", " }   \n"};
    snpy_options options = default_options();
    (void)state;
    for (size_t i = 0; i < COUNT(orders); i++) {
        for (size_t end = 0; end < COUNT(ends); end++) {
            for (unsigned major = 1; major <= 3; major++) {
                char text[256];
                int length = snprintf(text, sizeof text, "{%s, %s, %s%s", entries[orders[i][0]], entries[orders[i][1]],
                                      entries[orders[i][2]], ends[end]);
                struct parsed parsed = parse_text(major, text, (size_t)length, &options);
                const snpy_header *header = &parsed.header;
                assert_int_equal(parsed.status, SNPY_OK);
                assert_int_equal(parsed.error.offset, 0);
                assert_int_equal(header->frame.major, major);
                assert_int_equal(header->frame.minor, 0);
                assert_int_equal(header->frame.text_offset, major == 1 ? 10 : 12);
                assert_int_equal(header->frame.header_len, length);
                assert_true(header->frame.data_offset == parsed.length);
                assert_int_equal(header->dtype.kind, 'r');
                assert_int_equal(header->dtype.itemsize, 17);
                assert_int_equal(header->dtype.unit, 0);
                assert_int_equal(header->dtype.multiplier, 0);
                assert_true(header->fortran_order);
                assert_false(header->has_object);
                assert_int_equal(header->ndim, 2);
                assert_true(header->shape[0] == 3 && header->shape[1] == 4);
                assert_true(is_filled(header->shape + 2, GUARD, 62 * sizeof(uint64_t)));
                assert_true(header->count == 12 && header->data_size == 204);
                release(&parsed);
            }
        }
    }
}

/* Every set of keys that is not all of them: at the closing brace. */
static void test_missing_keys(void **state)
{
    snpy_options options = default_options();
    (void)state;
    for (unsigned keys = 0; keys < 7; keys++) {
        for (unsigned comma = 0; comma < 2; comma++) {
            char text[256] = "{";
            size_t length = 1;
            for (unsigned i = 0; i < 3; i++)
                if (keys >> i & 1) length += (size_t)sprintf(text + length, "%s%s", length > 1 ? ", " : "", entries[i]);
            if (comma && keys > 0) length += (size_t)sprintf(text + length, ",");
            size_t at = length;
            length += (size_t)sprintf(text + length, "}   \n");
            for (unsigned major = 1; major <= 3; major++)
                expect_status(major, text, length, &options, SNPY_MISSING_KEY, at);
        }
    }
}

/* The text cut at every byte, with a header length that says so. */
static size_t key_around(const char *text, size_t cut)
{
    static const char *const keys[] = {"'shape'", "'descr'", "'fortran_order'"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        size_t quote = (size_t)(strstr(text, keys[k]) - text);
        if (cut > quote && cut < quote + strlen(keys[k])) return quote;
    }
    return 0;
}

static void test_text_cut_at_every_byte(void **state)
{
    static const char text[] = "{'shape': (3L, 4), u'descr': [(('t', \"a\"), ('<f8', (2,)), (3,)), ('b', [('c', 'O')], "
                               "(5, 6))], 'fortran_order': True, }  \n";
    size_t order = (size_t)(strstr(text, "True") - text);
    size_t end = (size_t)(strchr(text, '}') - text) + 1;
    snpy_options options = default_options();
    (void)state;
    for (unsigned major = 1; major <= 2; major++) {
        for (size_t cut = 0; cut < sizeof text; cut++) {
            if (cut >= end)
                expect_status(major, text, cut, &options, SNPY_OK, 0);
            else if (cut > order && cut < order + 4) /* a value that is not True is known at its first byte */
                expect_status(major, text, cut, &options, SNPY_BAD_FORTRAN_ORDER, order);
            else if (key_around(text, cut) > 0) /* and so is a key that is cut off, at its quote */
                expect_status(major, text, cut, &options, SNPY_UNKNOWN_KEY, key_around(text, cut));
            else
                expect_status(major, text, cut, &options, SNPY_UNEXPECTED_END, cut);
        }
    }
}

/* The file cut at every byte, with a header length that says otherwise: before anything in the text. */
static void test_file_cut_at_every_byte(void **state)
{
    static const char text[] = "\xff[('a', '<z3')] and no dictionary at all";
    snpy_options options = default_options();
    (void)state;
    for (unsigned major = 1; major <= 3; major++) {
        size_t length = 0;
        uint8_t *file = make_file(major, text, sizeof text - 1, &length);
        for (size_t cut = 0; cut < length; cut++) {
            struct parsed parsed = parse_file(file, cut, &options);
            assert_int_equal(parsed.status, cut < prefix_length(major) ? SNPY_TRUNCATED_PREFIX : SNPY_TRUNCATED_HEADER);
            assert_int_equal(parsed.error.offset, cut);
            assert_int_equal(parsed.table.field_count, 0);
            release(&parsed);
        }
        free(file);
    }
}

/* Two faults in one text: the earlier phase wins, wherever its byte is; within a phase, the earlier byte. */
static void test_precedence_of_phases(void **state)
{
    static const struct marked cases[] = {
        /* literal before dtype */
        BAD("{'descr': '<z8', 'fortran_order': ^1, 'shape': ()}", SNPY_BAD_FORTRAN_ORDER),
        BAD("{'descr': '<f3', 'fortran_order': False, 'shape': (3^)}", SNPY_SHAPE_NOT_A_TUPLE),
        BAD("{'descr': 'float64', 'fortran_order': False, 'shape': ()} ^x", SNPY_TRAILING_TEXT),
        BAD("{'descr': '<f3', 'fortran_order': False^}", SNPY_MISSING_KEY),
        BAD("{'descr': '<f3', ^'descr': '<f8'}", SNPY_DUPLICATE_KEY),
        BAD("{'descr': '<f3', ^'x': 1}", SNPY_UNKNOWN_KEY),
        BAD(DESCR("[('a', '<f3'), ^'b']"), SNPY_EXPECTED_FIELD),
        BAD(DESCR("[('a', '<f3', (2^))]"), SNPY_SHAPE_NOT_A_TUPLE),
        BAD(DESCR("[('a', '<M8[s/2]'), ('^\\q', '<f8')]"), SNPY_BAD_ESCAPE),
        /* literal before duplicates, shape and sizes */
        BAD("{'descr': [('a', '|u1'), ('a', '|u1')], 'shape': (), 'fortran_order': ^0}", SNPY_BAD_FORTRAN_ORDER),
        BAD("{'descr': '|u1', 'shape': (9223372036854775808,), 'fortran_order': False} ^;", SNPY_TRAILING_TEXT),
        /* dtype before duplicates, shape and sizes */
        BAD(DESCR("[('a', '|u1'), ('a', '<f^3')]"), SNPY_BAD_TYPE_SIZE),
        BAD(DESCR("[('a', '|S0', (5,)), ('b', '<^z8')]"), SNPY_UNKNOWN_TYPE),
        BAD("{'shape': (9223372036854775808,), 'fortran_order': False, 'descr': '<^z8'}", SNPY_UNKNOWN_TYPE),
        BAD("{'shape': "
            "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
            "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), 'fortran_order': False, 'descr': '<^z8'}",
            SNPY_UNKNOWN_TYPE),
        /* duplicates before shape and sizes */
        BAD("{'shape': (9223372036854775808,), 'fortran_order': False, 'descr': [('a', '|u1'), (^'a', '|u1')]}",
            SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('a', '|S0', (5,)), (^'a', '|S0', (5,))]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('a', '<f8', (1073741824,)), ('b', [('c', '|u1'), (^'c', '|u1')])]"), SNPY_DUPLICATE_NAME),
        /* shape before sizes */
        BAD("{'descr': [('a', '|S0', (5,))], 'fortran_order': False, 'shape': "
            "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
            "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,^1)}",
            SNPY_TOO_MANY_DIMENSIONS),
        BAD("{'descr': '|u1', 'fortran_order': False, 'shape': "
            "(9223372036854775808,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
            "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,^1)}",
            SNPY_TOO_MANY_DIMENSIONS),
        /* the earlier byte */
        BAD("{'shape': (3^), 'fortran_order': 1, 'descr': None}", SNPY_SHAPE_NOT_A_TUPLE),
        BAD("{'fortran_order': ^1, 'shape': (3), 'descr': None}", SNPY_BAD_FORTRAN_ORDER),
        BAD("{'descr': ^None, 'fortran_order': 1, 'shape': (3)}", SNPY_EXPECTED_TYPE),
        BAD(DESCR("[('a', '<f^3'), ('b', '|i4')]"), SNPY_BAD_TYPE_SIZE),
        BAD(DESCR("[('a', '^|i4'), ('b', '<f3')]"), SNPY_BAD_BYTE_ORDER),
    };
    snpy_options options = default_options();
    (void)state;
    expect_all_marked(1, 3, cases, COUNT(cases), &options);
}

/* The table phase lies between dtype and duplicates. */
static void test_precedence_of_the_table(void **state)
{
    static const struct marked over_limit[] = {
        BAD(DESCR("[('a', '|u1'), ('b', ^'|u1'), ('b', '|u1')]"), SNPY_TOO_MANY_FIELDS),
        BAD(DESCR("[('a', '|u1'), ('a', ^'|S0', (5,))]"), SNPY_TOO_MANY_FIELDS),
        BAD(DESCR("[('a', '|u1'), ('b', '|u1'), ('c', '<f^3')]"), SNPY_BAD_TYPE_SIZE),
        BAD("{'descr': [('a', '|u1'), ('b', '|u1')], 'shape': ^3, 'fortran_order': False}", SNPY_EXPECTED_SHAPE),
    };
    static const char small[] = DESCR("[('a', '|u1'), ('a', '|S0', (5,))]");
    snpy_options options = default_options();
    snpy_field field;
    snpy_table table = {&field, 1, NULL, 0, 0, 0};
    snpy_header header;
    snpy_error error;
    size_t length = 0;
    (void)state;
    options.max_fields = 2;
    expect_all_marked(1, 3, over_limit, COUNT(over_limit), &options);

    options = default_options();
    uint8_t *file = make_file(1, small, sizeof small - 1, &length);
    assert_int_equal(snpy_parse_header(file, length, &options, &table, &header, &error), SNPY_TABLE_TOO_SMALL);
    assert_int_equal(table.field_count, 3);
    assert_int_equal(table.dim_count, 1);
    free(file);
}

/* NPY-DATA-004: at the first byte of the data. */
static void test_max_data_bytes(void **state)
{
    static const char text[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)} \n";
    static const char empty[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 0)} \n";
    static const char object[] = "{'descr': '|O', 'fortran_order': False, 'shape': (3, 4)} \n";
    static const char huge[] = "{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807,)} \n";
    snpy_options options = default_options();
    (void)state;
    expect_status(1, huge, sizeof huge - 1, &options, SNPY_OK, 0);
    options.max_data_bytes = SNPY_MAX_SIZE - 1;
    expect_status(1, huge, sizeof huge - 1, &options, SNPY_DATA_TOO_LARGE, sizeof huge - 1);
    options.max_data_bytes = 96;
    expect_status(1, text, sizeof text - 1, &options, SNPY_OK, 0);
    options.max_data_bytes = 95;
    expect_status(2, text, sizeof text - 1, &options, SNPY_DATA_TOO_LARGE, sizeof text - 1);
    options.max_data_bytes = 0;
    expect_status(3, text, sizeof text - 1, &options, SNPY_DATA_TOO_LARGE, sizeof text - 1);
    expect_status(3, empty, sizeof empty - 1, &options, SNPY_OK, 0);
    expect_status(3, object, sizeof object - 1, &options, SNPY_OK, 0);
    options.max_data_bytes = UINT64_MAX;
    expect_status(3, huge, sizeof huge - 1, &options, SNPY_OK, 0);
}

/* Real lengths around the default limit, and one that is raised. */
static void test_long_headers(void **state)
{
    static const char start[] = SHAPE("(3,)");
    char *text = allocate(200000);
    snpy_options options = default_options();
    (void)state;
    memset(text, ' ', 200000);
    memcpy(text, start, sizeof start - 1);
    expect_status(1, text, 65535, &options, SNPY_OK, 0);
    expect_status(2, text, 65536, &options, SNPY_OK, 0);
    struct parsed parsed = parse_text(3, text, 65537, &options);
    assert_int_equal(parsed.status, SNPY_HEADER_TOO_LONG);
    assert_int_equal(parsed.error.offset, 8);
    release(&parsed);
    options.max_header_bytes = 200000;
    expect_status(3, text, 200000, &options, SNPY_OK, 0);
    text[199999] = 'x';
    expect_status(3, text, 200000, &options, SNPY_TRAILING_TEXT, 199999);
    free(text);
}

/* Nothing but the arguments that are outputs is written, and the data need not be there. */
static void test_input_is_left_alone(void **state)
{
    static const char text[] = "{'descr': [('a', '<f8', (2,))], 'fortran_order': False, 'shape': (3, 4)} \n";
    snpy_options options = default_options();
    snpy_options before = options;
    size_t length = 0;
    (void)state;
    uint8_t *file = make_file(1, text, sizeof text - 1, &length);
    struct parsed parsed = parse_file(file, length, &options);
    assert_int_equal(parsed.status, SNPY_OK);
    assert_memory_equal(file, parsed.file, length);
    assert_memory_equal(&options, &before, sizeof before);
    release(&parsed);
    free(file);
}

/* What stands behind the header is not read: it may be anything. */
static void test_data_is_ignored(void **state)
{
    static const char text[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}";
    snpy_options options = default_options();
    size_t length = 0;
    (void)state;
    uint8_t *file = make_file(3, text, sizeof text - 1, &length);
    uint8_t *longer = allocate(length + 100);
    memcpy(longer, file, length);
    memset(longer + length, 0xff, 100);
    struct parsed parsed = parse_file(longer, length + 100, &options);
    assert_int_equal(parsed.status, SNPY_OK);
    assert_true(parsed.header.frame.data_offset == length);
    release(&parsed);
    free(longer);
    free(file);
}

/* Options of another size are refused before anything is read, whatever the file is. */
static void test_size_member_of_options(void **state)
{
    static const char text[] = SHAPE("(3,)");
    snpy_options options = default_options();
    size_t length = 0;
    (void)state;
    options.size--;
    uint8_t *file = make_file(1, text, sizeof text - 1, &length);
    struct parsed parsed = parse_file(file, length, &options);
    assert_int_equal(parsed.status, SNPY_BAD_ARGUMENT);
    assert_int_equal(parsed.error.offset, 0);
    assert_int_equal(parsed.table.field_count, 0);
    assert_int_equal(parsed.table.dim_count, 0);
    release(&parsed);
    free(file);
}

/* ---- Compatibility flags of the literal ------------------------------------------------------------------------------ */

static void test_flag_fortran_order(void **state)
{
    static const struct marked integers[] = {
        GOOD(ORDER("1")),
        GOOD(ORDER("0")),
        GOOD(ORDER("True")),
        BAD(ORDER("^2"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^-1"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^np.True_"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("1 ^1"), SNPY_EXPECTED_COMMA),
    };
    static const struct marked booleans[] = {
        GOOD(ORDER("np.True_")),
        GOOD(ORDER("np.False_")),
        GOOD(ORDER("False")),
        BAD(ORDER("^1"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^np.True"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^np.bool_(True)"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^numpy.True_"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^np .True_"), SNPY_BAD_FORTRAN_ORDER),
        BAD("{'fortran_order': ^np.False", SNPY_BAD_FORTRAN_ORDER),
        BAD("{'fortran_order': np.False_^", SNPY_UNEXPECTED_END),
    };
    static const struct {
        const char *text;
        bool value;
    } values[] = {{ORDER("1"), true}, {ORDER("0"), false}, {ORDER("np.True_"), true}, {ORDER("np.False_"), false}};
    snpy_options options = default_options();
    (void)state;
    options.compat.int_fortran_order = true;
    expect_all_marked(1, 3, integers, COUNT(integers), &options);
    options = default_options();
    options.compat.numpy_bool = true;
    expect_all_marked(1, 3, booleans, COUNT(booleans), &options);
    options.compat.int_fortran_order = true;
    for (size_t i = 0; i < COUNT(values); i++) {
        struct parsed parsed = parse_text(1, values[i].text, strlen(values[i].text), &options);
        assert_int_equal(parsed.status, SNPY_OK);
        assert_int_equal(parsed.header.fortran_order, values[i].value);
        release(&parsed);
    }
}

static void test_flags_of_shapes(void **state)
{
    static const struct marked lists[] = {
        GOOD(SHAPE("[]")),
        GOOD(SHAPE("[3]")),
        GOOD(SHAPE("[3,]")),
        GOOD(SHAPE("[2, 3]")),
        GOOD(DESCR("[('a', '<f8', [2]), ('b', ('<f8', [2, 3]), (4,))]")),
        BAD(SHAPE("(3^)"), SNPY_SHAPE_NOT_A_TUPLE),
        BAD(SHAPE("[3^)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(3,^]"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("[^-3]"), SNPY_SIGNED_DIMENSION),
        BAD(SHAPE("^3"), SNPY_EXPECTED_SHAPE),
        BAD(DESCR("[('a', ('<f8', ^[]), (4,))]"), SNPY_SUBARRAY_NEEDS_SHAPE),
        BAD(DESCR("[('a', '<f8', [2, ^268435456])]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(SHAPE("[2, ^9223372036854775807]"), SNPY_SIZE_OVERFLOW),
    };
    static const struct marked integers[] = {
        GOOD(DESCR("[('a', '<f8', 2)]")),
        GOOD(DESCR("[('a', '<f8', 10,)]")),
        GOOD(DESCR("[('a', ('<f8', 2), (3,))]")),
        GOOD(DESCR("[('a', '<f8', 0)]")),
        BAD(DESCR("[('a', '|V2147483647', ^12)]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '|V1', ^2147483648)]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '<f8', ^1)]"), SNPY_ONE_AS_SHAPE),
        BAD(DESCR("[('a', ('<f8', ^1), (2,))]"), SNPY_ONE_AS_SHAPE),
        BAD(DESCR("[('a', '<f8', ^02)]"), SNPY_LEADING_ZERO),
        BAD(DESCR("[('a', '<f8', ^00)]"), SNPY_LEADING_ZERO),
        BAD(DESCR("[('a', '<f8', ^-2)]"), SNPY_EXPECTED_SHAPE),
        BAD(DESCR("[('a', '<f8', 2^.0)]"), SNPY_EXPECTED_CLOSE),
        BAD("{'descr': [('a', '<f8', 2^", SNPY_UNEXPECTED_END),
        BAD(DESCR("[('a', '<f8', ^268435456)]"), SNPY_ITEMSIZE_OVERFLOW),
        BAD(DESCR("[('a', '<f8', ^[2])]"), SNPY_EXPECTED_SHAPE),
        BAD(SHAPE("^2"), SNPY_EXPECTED_SHAPE),
    };
    static const struct marked numpy[] = {
        GOOD(SHAPE("(np.int64(2), 3)")),
        GOOD(SHAPE("(np.int8(2), np.int16(2), np.int32(2), np.uint8(2), np.uint16(2), np.uint32(2), np.uint64(2))")),
        GOOD(DESCR("[('a', '<f8', (np.int64(2),))]")),
        BAD(SHAPE("(np.int64(2)^)"), SNPY_SHAPE_NOT_A_TUPLE),
        BAD(SHAPE("(np.int64(^-2),)"), SNPY_SIGNED_DIMENSION),
        BAD(SHAPE("(np.int64(^02),)"), SNPY_LEADING_ZERO),
        BAD(SHAPE("(^np.int(2),)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(^np.int24(2),)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(^np.int128(2),)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(^numpy.int64(2),)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(^np.float64(2),)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(np.int64(2^,)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(np.int64(2)^L,)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(^nq.int64(2),)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(^np_int64(2),)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(^np.imt64(2),)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(^np.inx64(2),)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(^np.int8[2],)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(^np.int18(2),)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(^np.int31(2),)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(^np.int62(2),)"), SNPY_BAD_DIMENSION),
        BAD(SHAPE("(^np.int64[2],)"), SNPY_BAD_DIMENSION),
        BAD("{'descr': '<f8', 'fortran_order': False, 'shape': (np.uint64(^", SNPY_UNEXPECTED_END),
        BAD("{'descr': '<f8', 'fortran_order': False, 'shape': (^np.int64(", SNPY_BAD_DIMENSION),
    };
    static const struct marked longs[] = {
        GOOD(DESCR("[('a', '<f8', 2L)]")),
        BAD(DESCR("[('a', '<f8', ^1L)]"), SNPY_ONE_AS_SHAPE),
        BAD(DESCR("[('a', '<f8', 2L^L)]"), SNPY_EXPECTED_CLOSE),
    };
    static const struct marked no_longs[] = {BAD(DESCR("[('a', '<f8', 2^L)]"), SNPY_LONG_SUFFIX)};
    snpy_options options = default_options();
    (void)state;
    options.compat.list_shape = true;
    expect_all_marked(1, 3, lists, COUNT(lists), &options);
    options = default_options();
    options.compat.int_shape = true;
    expect_all_marked(1, 3, integers, COUNT(integers), &options);
    expect_all_marked(1, 2, longs, COUNT(longs), &options);
    expect_all_marked(3, 3, no_longs, COUNT(no_longs), &options);
    options = default_options();
    options.compat.numpy_int = true;
    expect_all_marked(1, 3, numpy, COUNT(numpy), &options);
}

static void test_flags_of_fields(void **state)
{
    static const struct marked lists[] = {
        GOOD(DESCR("[['a', '<f8']]")),
        GOOD(DESCR("[['a', '<f8', (2,)], ('b', '<f8'), [('t', 'c'), '<f8',]]")),
        BAD(DESCR("[['a', '<f8'^)]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[('a', '<f8'^]]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[[^['t', 'a'], '<f8']]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[^'a']"), SNPY_EXPECTED_FIELD),
        BAD(DESCR("[['a', ('<f8', (2,)^], (3,)]]"), SNPY_EXPECTED_CLOSE),
    };
    static const struct marked metadata[] = {
        GOOD(DESCR("[('a', ('|O', {'vlen': 'str'}))]")),
        GOOD(DESCR("[('a', ('<i4', {}), (2,))]")),
        GOOD(DESCR("[('a', ('|O', {'x': <class 'str'>}))]")),
        GOOD(DESCR("[('a', ('<i4', {'x': {'y': [1, (2, '}')]}}))]")),
        GOOD(DESCR("[('a', ('<i4', {'}\\'': \"}\"},))]")),
        BAD(DESCR("[('a', '<i4', ^{})]"), SNPY_EXPECTED_SHAPE),
        BAD(DESCR("^('<i4', {})"), SNPY_TOP_LEVEL_SUBARRAY),
        BAD("{'descr': [('a', ('<i4', {'x': [}^", SNPY_UNEXPECTED_END),
        BAD(DESCR("[('a', ('<i4', {} ^2))]"), SNPY_EXPECTED_CLOSE),
        BAD("{'descr': [('a', ('<i4', {'x^", SNPY_UNEXPECTED_END),
        BAD(DESCR("[('a', ('<i4', {'x': '^\n'}))]"), SNPY_CONTROL_IN_STRING),
        BAD(DESCR("[('a', ('<f^3', {}))]"), SNPY_BAD_TYPE_SIZE),
    };
    snpy_options options = default_options();
    (void)state;
    options.compat.list_field = true;
    expect_all_marked(1, 3, lists, COUNT(lists), &options);
    options = default_options();
    options.compat.metadata = true;
    expect_all_marked(1, 3, metadata, COUNT(metadata), &options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_orders_of_keys),     cmocka_unit_test(test_missing_keys),
        cmocka_unit_test(test_text_cut_at_every_byte), cmocka_unit_test(test_file_cut_at_every_byte),
        cmocka_unit_test(test_precedence_of_phases),   cmocka_unit_test(test_precedence_of_the_table),
        cmocka_unit_test(test_max_data_bytes),         cmocka_unit_test(test_long_headers),
        cmocka_unit_test(test_input_is_left_alone),    cmocka_unit_test(test_data_is_ignored),
        cmocka_unit_test(test_size_member_of_options), cmocka_unit_test(test_flag_fortran_order),
        cmocka_unit_test(test_flags_of_shapes),        cmocka_unit_test(test_flags_of_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
