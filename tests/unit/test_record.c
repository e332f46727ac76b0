/* test_record.c: field tables: contents, capacities, equal names, limits.   NPY-DTYPE-012 … 015, NPY-LIT-021, NPY-HDR-005 */
#include "support.h"

/* What one entry must say. Spans are given as they stand between their quotes, places by what stands there. */
struct entry {
    const char *name;  /* NULL: has none */
    const char *title; /* NULL: has none */
    const char *type;  /* the text at type_offset begins so */
    char kind;
    uint32_t item;     /* dtype.itemsize */
    uint64_t itemsize; /* with dimensions */
    int64_t offset;
    uint32_t parent;
    uint32_t next;
    uint16_t depth;
    uint16_t ndim;
    uint32_t first_dim; /* if ndim > 0 */
    const char *shape;  /* the text at shape_offset begins so, if ndim > 0 */
    bool is_padding;
};

struct record {
    const char *descr;
    size_t field_count;
    struct entry entries[12];
    size_t dim_count;
    int32_t dims[12];
    bool has_object;
};

static const struct record records[] = {
    {"[]", 1, {{NULL, NULL, "[]", 'r', 0, 0, 0, 0, 0, 0, 0, 0, NULL, false}}, 0, {0}, false},
    {"[('a', '<f8'), ('b', u'|i1'), (u\"c\", '>U3')]",
     4,
     {{NULL, NULL, "[('a'", 'r', 21, 21, 0, 0, 0, 0, 0, 0, NULL, false},
      {"a", NULL, "'<f8'", 'f', 8, 8, 0, 0, 2, 1, 0, 0, NULL, false},
      {"b", NULL, "u'|i1'", 'i', 1, 1, 8, 0, 3, 1, 0, 0, NULL, false},
      {"c", NULL, "'>U3'", 'U', 12, 12, 9, 0, 0, 1, 0, 0, NULL, false}},
     0,
     {0},
     false},
    /* padding and what only looks like it */
    {"[('', '|V3'), ('a', '<i4', (2, 3)), ('', '<i2', ( 2,)), ('f', '<f8'), (('t', ''), '|V2'), ('p', '|V3'), "
     "('', 'V0'), ('', '<V4', ()), (('v', 'q'), '<i4', (1,))]",
     10,
     {{NULL, NULL, "[('', '|V3')", 'r', 52, 52, 0, 0, 0, 0, 0, 0, NULL, false},
      {"", NULL, "'|V3')", 'V', 3, 3, 0, 0, 2, 1, 0, 0, NULL, true},
      {"a", NULL, "'<i4'", 'i', 4, 24, 3, 0, 3, 1, 2, 0, "(2, 3)", false},
      {"", NULL, "'<i2'", 'i', 2, 4, 27, 0, 4, 1, 1, 2, "( 2,)", true},
      {"f", NULL, "'<f8'", 'f', 8, 8, 31, 0, 5, 1, 0, 0, NULL, false},
      {"", "t", "'|V2'", 'V', 2, 2, 39, 0, 6, 1, 0, 0, NULL, false},
      {"p", NULL, "'|V3'), ('',", 'V', 3, 3, 41, 0, 7, 1, 0, 0, NULL, false},
      {"", NULL, "'V0'", 'V', 0, 0, 44, 0, 8, 1, 0, 0, NULL, true},
      {"", NULL, "'<V4'", 'V', 4, 4, 44, 0, 9, 1, 0, 0, NULL, true},
      {"q", "v", "'<i4'", 'i', 4, 4, 48, 0, 0, 1, 1, 3, "(1,)", false}},
     4,
     {2, 3, 2, 1},
     false},
    {"[('', '|V8')]",
     2,
     {{NULL, NULL, "[", 'r', 8, 8, 0, 0, 0, 0, 0, 0, NULL, false},
      {"", NULL, "'|V8'", 'V', 8, 8, 0, 0, 0, 1, 0, 0, NULL, true}},
     0,
     {0},
     false},
    /* a record inside a record: its shape stands behind its fields in the text, and so do its dimensions */
    {"[('r', [('x', '|u1'), ('s', [('y', '<f4')], (2,))], (3,)), ('z', '|u1')]",
     6,
     {{NULL, NULL, "[('r'", 'r', 28, 28, 0, 0, 0, 0, 0, 0, NULL, false},
      {"r", NULL, "[('x'", 'r', 9, 27, 0, 0, 5, 1, 1, 1, "(3,)", false},
      {"x", NULL, "'|u1'), ('s'", 'u', 1, 1, 0, 1, 3, 2, 0, 0, NULL, false},
      {"s", NULL, "[('y'", 'r', 4, 8, 1, 1, 0, 2, 1, 0, "(2,)", false},
      {"y", NULL, "'<f4'", 'f', 4, 4, 0, 3, 0, 3, 0, 0, NULL, false},
      {"z", NULL, "'|u1')]", 'u', 1, 1, 27, 0, 0, 1, 0, 0, NULL, false}},
     2,
     {2, 3},
     false},
    /* a sub-array of sub-arrays takes an entry for each level */
    {"[('a', ('<f8', (2,)), (3,))]",
     3,
     {{NULL, NULL, "[", 'r', 48, 48, 0, 0, 0, 0, 0, 0, NULL, false},
      {"a", NULL, "('<f8'", 's', 16, 48, 0, 0, 0, 1, 1, 1, "(3,)", false},
      {NULL, NULL, "'<f8'", 'f', 8, 16, 0, 1, 0, 2, 1, 0, "(2,)", false}},
     2,
     {2, 3},
     false},
    {"[('a', (('<f8', (2,)), (3, 4)), (5,)), ('b', ([('c', '|i1')], (6,)), (7,))]",
     7,
     {{NULL, NULL, "[", 'r', 1002, 1002, 0, 0, 0, 0, 0, 0, NULL, false},
      {"a", NULL, "(('<f8'", 's', 192, 960, 0, 0, 4, 1, 1, 3, "(5,)", false},
      {NULL, NULL, "('<f8'", 's', 16, 192, 0, 1, 0, 2, 2, 1, "(3, 4)", false},
      {NULL, NULL, "'<f8'", 'f', 8, 16, 0, 2, 0, 3, 1, 0, "(2,)", false},
      {"b", NULL, "([('c'", 's', 6, 42, 960, 0, 0, 1, 1, 5, "(7,)", false},
      {NULL, NULL, "[('c'", 'r', 1, 6, 0, 4, 0, 2, 1, 4, "(6,)", false},
      {"c", NULL, "'|i1'", 'i', 1, 1, 0, 5, 0, 3, 0, 0, NULL, false}},
     6,
     {2, 3, 4, 5, 6, 7},
     false},
    /* nameless records are fields, unless they have a shape; what lies in padding is in the table as well */
    {"[('', [('x', '|u1')]), ('', [('y', '<i2')], (2,)), ('', ('|V1', (2,)), (3,))]",
     7,
     {{NULL, NULL, "[", 'r', 11, 11, 0, 0, 0, 0, 0, 0, NULL, false},
      {"", NULL, "[('x'", 'r', 1, 1, 0, 0, 3, 1, 0, 0, NULL, false},
      {"x", NULL, "'|u1'", 'u', 1, 1, 0, 1, 0, 2, 0, 0, NULL, false},
      {"", NULL, "[('y'", 'r', 2, 4, 1, 0, 5, 1, 1, 0, "(2,)", true},
      {"y", NULL, "'<i2'", 'i', 2, 2, 0, 3, 0, 2, 0, 0, NULL, false},
      {"", NULL, "('|V1'", 's', 2, 6, 5, 0, 0, 1, 1, 2, "(3,)", true},
      {NULL, NULL, "'|V1'", 'V', 1, 2, 0, 5, 0, 2, 1, 1, "(2,)", false}},
     3,
     {2, 2, 3},
     false},
    /* empty dimensions make fields without bytes */
    {"[('a', '<f8', (0,)), ('b', '<f8', (2, 0, 3)), ('c', '|u1'), ('d', [('e', '<f8', (0,))]), ('f', '|S0'), "
     "('g', [])]",
     8,
     {{NULL, NULL, "[", 'r', 1, 1, 0, 0, 0, 0, 0, 0, NULL, false},
      {"a", NULL, "'<f8'", 'f', 8, 0, 0, 0, 2, 1, 1, 0, "(0,)", false},
      {"b", NULL, "'<f8'", 'f', 8, 0, 0, 0, 3, 1, 3, 1, "(2, 0, 3)", false},
      {"c", NULL, "'|u1'", 'u', 1, 1, 0, 0, 4, 1, 0, 0, NULL, false},
      {"d", NULL, "[('e'", 'r', 0, 0, 1, 0, 6, 1, 0, 0, NULL, false},
      {"e", NULL, "'<f8'", 'f', 8, 0, 0, 4, 0, 2, 1, 4, "(0,)", false},
      {"f", NULL, "'|S0'", 'S', 0, 0, 1, 0, 7, 1, 0, 0, NULL, false},
      {"g", NULL, "[]", 'r', 0, 0, 1, 0, 0, 1, 0, 0, NULL, false}},
     5,
     {0, 2, 0, 3, 0},
     false},
    /* objects count 8 bytes each; those in padding are dropped with it */
    {"[('a', '|u1'), ('o', [('p', 'O4', (2,))])]",
     4,
     {{NULL, NULL, "[", 'r', 17, 17, 0, 0, 0, 0, 0, 0, NULL, false},
      {"a", NULL, "'|u1'", 'u', 1, 1, 0, 0, 2, 1, 0, 0, NULL, false},
      {"o", NULL, "[", 'r', 16, 16, 1, 0, 0, 1, 0, 0, NULL, false},
      {"p", NULL, "'O4'", 'O', 8, 16, 0, 2, 0, 2, 1, 0, "(2,)", false}},
     1,
     {2},
     true},
    {"[('', '|O', (2,)), ('', [('p', '|O')], (3,)), ('b', '|u1')]",
     5,
     {{NULL, NULL, "[", 'r', 41, 41, 0, 0, 0, 0, 0, 0, NULL, false},
      {"", NULL, "'|O'", 'O', 8, 16, 0, 0, 2, 1, 1, 0, "(2,)", true},
      {"", NULL, "[('p'", 'r', 8, 24, 16, 0, 4, 1, 1, 1, "(3,)", true},
      {"p", NULL, "'|O')]", 'O', 8, 8, 0, 2, 0, 2, 0, 0, NULL, false},
      {"b", NULL, "'|u1'", 'u', 1, 1, 40, 0, 0, 1, 0, 0, NULL, false}},
     2,
     {2, 3},
     false},
    /* an object behind padding is seen again */
    {"[('', [('p', '|O')], (3,)), ('b', ('|O', (1,)), (1,))]",
     5,
     {{NULL, NULL, "[", 'r', 32, 32, 0, 0, 0, 0, 0, 0, NULL, false},
      {"", NULL, "[('p'", 'r', 8, 24, 0, 0, 3, 1, 1, 0, "(3,)", true},
      {"p", NULL, "'|O')]", 'O', 8, 8, 0, 1, 0, 2, 0, 0, NULL, false},
      {"b", NULL, "('|O'", 's', 8, 8, 24, 0, 0, 1, 1, 2, "(1,))]", false},
      {NULL, NULL, "'|O', (1,)", 'O', 8, 8, 0, 3, 0, 2, 1, 1, "(1,)), (1,)", false}},
     3,
     {3, 1, 1},
     true},
    /* spans are as written, escapes and all */
    {"[(('\\x41\\'', \"it's\"), '|u1'), (u'\\ud800\\\\', '|b1')]",
     3,
     {{NULL, NULL, "[", 'r', 2, 2, 0, 0, 0, 0, 0, 0, NULL, false},
      {"it's", "\\x41\\'", "'|u1'", 'u', 1, 1, 0, 0, 2, 1, 0, 0, NULL, false},
      {"\\ud800\\\\", NULL, "'|b1'", 'b', 1, 1, 1, 0, 0, 1, 0, 0, NULL, false}},
     0,
     {0},
     false},
};

static size_t wrap_descr(char *text, size_t size, const char *descr)
{
    int length = snprintf(text, size, "{'descr': %s, 'fortran_order': False, 'shape': (2,)}", descr);
    assert_true(length > 0 && (size_t)length < size);
    return (size_t)length;
}

static bool span_is(const struct parsed *parsed, uint32_t offset, uint32_t length, const char *expected)
{
    const char *text = (const char *)parsed->file + parsed->text_offset;
    return strlen(expected) == length && memcmp(text + offset, expected, length) == 0;
}

static bool stands_at(const struct parsed *parsed, uint32_t offset, const char *expected)
{
    const char *text = (const char *)parsed->file + parsed->text_offset;
    return strncmp(text + offset, expected, strlen(expected)) == 0;
}

static void check_entry(const struct parsed *parsed, const char *descr, size_t i, const struct entry *expected)
{
    const snpy_field *field = &parsed->table.fields[i];
#define FIELD_IS(condition) expect_that(condition, "%s, entry %zu: not %s\n", descr, i, #condition)
    FIELD_IS(field->has_name == (expected->name != NULL));
    FIELD_IS(field->has_title == (expected->title != NULL));
    if (expected->name != NULL) FIELD_IS(span_is(parsed, field->name_offset, field->name_length, expected->name));
    if (expected->title != NULL) FIELD_IS(span_is(parsed, field->title_offset, field->title_length, expected->title));
    FIELD_IS(stands_at(parsed, field->type_offset, expected->type));
    FIELD_IS(field->dtype.kind == (uint8_t)expected->kind);
    FIELD_IS(field->dtype.itemsize == expected->item);
    FIELD_IS(field->itemsize == expected->itemsize);
    FIELD_IS(field->offset == expected->offset);
    FIELD_IS(field->parent == expected->parent);
    FIELD_IS(field->next == expected->next);
    FIELD_IS(field->depth == expected->depth);
    FIELD_IS(field->ndim == expected->ndim);
    if (expected->ndim > 0) {
        FIELD_IS(field->first_dim == expected->first_dim);
        FIELD_IS(stands_at(parsed, field->shape_offset, expected->shape));
    }
    FIELD_IS(field->is_padding == expected->is_padding);
#undef FIELD_IS
}

static void test_table_contents(void **state)
{
    snpy_options options = default_options();
    (void)state;
    for (size_t i = 0; i < COUNT(records); i++) {
        char text[512];
        size_t length = wrap_descr(text, sizeof text, records[i].descr);
        for (unsigned major = 1; major <= 3; major++) {
            struct parsed parsed = parse_text(major, text, length, &options);
            expect_that(parsed.status == SNPY_OK, "%s: %s\n", records[i].descr, snpy_status_name(parsed.status));
            assert_int_equal(parsed.table.field_count, records[i].field_count);
            for (size_t k = 0; k < records[i].field_count; k++)
                check_entry(&parsed, records[i].descr, k, &records[i].entries[k]);
            assert_int_equal(parsed.table.dim_count, records[i].dim_count);
            assert_memory_equal(parsed.table.dims, records[i].dims, records[i].dim_count * sizeof(int32_t));
            assert_int_equal(parsed.header.dtype.kind, 'r');
            assert_int_equal(parsed.header.dtype.itemsize, records[i].entries[0].item);
            assert_int_equal(parsed.header.has_object, records[i].has_object);
            assert_true(parsed.header.data_size ==
                        (records[i].has_object ? 0 : 2 * (uint64_t)records[i].entries[0].item));
            /* nothing behind the entries that are used */
            size_t used = records[i].field_count;
            assert_true(is_filled(parsed.table.fields + used, GUARD,
                                  (parsed.table.field_capacity - used) * sizeof(snpy_field)));
            used = records[i].dim_count;
            assert_true(
                is_filled(parsed.table.dims + used, GUARD, (parsed.table.dim_capacity - used) * sizeof(int32_t)));
            release(&parsed);
        }
    }
}

/* A table of every capacity that is too small: what is needed is said, and nothing is written beyond. */
static void test_every_capacity(void **state)
{
    snpy_options options = default_options();
    (void)state;
    for (size_t i = 0; i < COUNT(records); i++) {
        const struct record *record = &records[i];
        char text[512];
        size_t length = 0;
        uint8_t *file = make_file(1, text, wrap_descr(text, sizeof text, record->descr), &length);
        struct parsed whole = parse_file(file, length, &options);
        assert_int_equal(whole.status, SNPY_OK);
        for (size_t fields = 0; fields <= record->field_count; fields++) {
            for (size_t dims = 0; dims <= record->dim_count; dims++) {
                size_t room = fields * sizeof(snpy_field);
                uint8_t *field_memory = allocate(room + sizeof(snpy_field));
                uint8_t *dim_memory = allocate((dims + 1) * sizeof(int32_t));
                memset(field_memory, GUARD, room + sizeof(snpy_field));
                memset(dim_memory, GUARD, (dims + 1) * sizeof(int32_t));
                snpy_table table = {
                    (snpy_field *)(void *)field_memory, fields, (int32_t *)(void *)dim_memory, dims, 99, 99};
                snpy_header header;
                snpy_error error;
                snpy_status status = snpy_parse_header(file, length, &options, &table, &header, &error);
                bool fits = fields == record->field_count && dims == record->dim_count;
                expect_that(status == (fits ? SNPY_OK : SNPY_TABLE_TOO_SMALL) && error.status == status,
                            "%s with room for %zu and %zu: %s\n", record->descr, fields, dims,
                            snpy_status_name(status));
                assert_int_equal(table.field_count, record->field_count);
                assert_int_equal(table.dim_count, record->dim_count);
                assert_true(is_filled(field_memory + room, GUARD, sizeof(snpy_field)));
                assert_true(is_filled(dim_memory + dims * sizeof(int32_t), GUARD, sizeof(int32_t)));
                if (fits) assert_int_equal(error.offset, 0);
                /* at the first type that did not fit */
                if (fields < record->field_count && dims == record->dim_count)
                    assert_int_equal(error.offset, 10 + whole.table.fields[fields].type_offset);
                free(field_memory);
                free(dim_memory);
            }
        }
        release(&whole);
        free(file);
    }
}

/* Capacity 0 with NULL is enough for simple dtypes, and an answer for records. */
static void test_no_table_at_all(void **state)
{
    static const char simple[] = SHAPE("(3,)");
    static const char record[] = DESCR("[('a', '<f8', (2,)), ('b', '<f8')]");
    snpy_options options = default_options();
    snpy_table table = {NULL, 0, NULL, 0, 99, 99};
    snpy_header header;
    snpy_error error;
    size_t length = 0;
    (void)state;
    uint8_t *file = make_file(1, simple, sizeof simple - 1, &length);
    assert_int_equal(snpy_parse_header(file, length, &options, &table, &header, &error), SNPY_OK);
    assert_int_equal(table.field_count, 0);
    assert_int_equal(table.dim_count, 0);
    free(file);
    file = make_file(1, record, sizeof record - 1, &length);
    assert_int_equal(snpy_parse_header(file, length, &options, &table, &header, &error), SNPY_TABLE_TOO_SMALL);
    assert_int_equal(error.offset, 20); /* the record's bracket */
    assert_int_equal(table.field_count, 3);
    assert_int_equal(table.dim_count, 1);
    free(file);
}

/* ---- Duplicates -------------------------------------------------------------------------------------------------- */

static void test_duplicates(void **state)
{
    static const struct marked cases[] = {
        BAD(DESCR("[('a', '|u1'), (^'a', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('a', '|u1'), (u^'a', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[(u'a', '|u1'), (^\"a\", '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('a', '|u1'), ('b', '|u1'), (^'a', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('a', '|u1'), ('b', '|u1'), (^'b', '|u1'), ('a', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('a', '|u1'), (^'a', '|u1'), ('a', '|u1')]"), SNPY_DUPLICATE_NAME),
        /* titles and names are one set */
        BAD(DESCR("[(('a', ^'a'), '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[(('a', u^'a'), '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('a', '|u1'), ((^'a', 'b'), '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('a', '|u1'), (('b', ^'a'), '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[(('t', 'a'), '|u1'), (^'t', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[(('t', 'a'), '|u1'), (^'a', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[(('t', 'a'), '|u1'), ((^'t', 'b'), '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[(('t', 'a'), '|u1'), ((^'a', 't'), '|u1')]"), SNPY_DUPLICATE_NAME),
        /* compared as decoded */
        BAD(DESCR("[('a', '|u1'), (^'\\x61', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('\\u0061', '|u1'), (^'a', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('\\U00000061', '|u1'), (^'\\x61', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('\\'', '|u1'), (^\"'\", '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('\\\"', '|u1'), (^'\"', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('\\\\', '|u1'), (^'\\x5c', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('\\n', '|u1'), (^'\\x0A', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('\\xab', '|u1'), (^'\\u00AB', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('\\x00', '|u1'), (^'\\u0000', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('\\x00a', '|u1'), (^'\\x00\\x61', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('\\ud800', '|u1'), (^'\\U0000d800', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('\\ud83d\\ude00', '|u1'), (^'\\uD83D\\uDE00', '|u1')]"), SNPY_DUPLICATE_NAME),
        GOOD(DESCR("[('\\ud83d\\ude00', '|u1'), ('\\U0001f600', '|u1')]")),
        GOOD(DESCR("[('a', '|u1'), ('a\\x00', '|u1'), ('\\x00a', '|u1'), ('\\x00', '|u1'), ('\\x00\\x00', '|u1')]")),
        GOOD(DESCR("[('', '<u2'), ('\\x00', '|u1')]")),
        GOOD(DESCR("[('a', '|u1'), ('A', '|u1'), ('a ', '|u1'), (' a', '|u1'), ('aa', '|u1')]")),
        GOOD(DESCR("[('e\\u0301', '|u1'), ('\\xe9', '|u1')]")),
        /* empty names and titles */
        BAD(DESCR("[('', '<f8'), (^'', '<f8')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[(('', ^''), '<f8')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[(('', 'a'), '<f8'), (^'', '<f8')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[(('', 'a'), '<f8'), ((^'', 'b'), '<f8')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[(('a', ''), '|V1'), (^'', '<f8')]"), SNPY_DUPLICATE_NAME),
        /* padding has no name */
        GOOD(DESCR("[('', '|V1'), ('', '|V1'), ('', 'V1', (2,)), ('', '<f8', (2,))]")),
        GOOD(DESCR("[('', '|V1'), ('', '<f8'), ('', '|V1')]")),
        GOOD(DESCR("[('', '|V1'), (('', 'a'), '<f8')]")),
        BAD(DESCR("[('', '<f8'), ('', '|V1'), (^'', '<f8', ())]"), SNPY_DUPLICATE_NAME),
        /* records are apart from each other */
        GOOD(DESCR("[('a', [('a', '|u1'), ('b', '|u1')]), ('b', [('a', [('a', '|u1')])])]")),
        GOOD(DESCR("[('a', ([('a', '|u1')], (2,)), (2,)), ('b', ([('a', '|u1')], (2,)), (2,))]")),
        BAD(DESCR("[('r', [('x', '|u1'), (^'x', '|u1')]), ('s', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('r', [('r', '|u1'), ('x', '|u1')]), (^'r', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('q', '|u1'), ('r', [('x', '|u1'), (^'x', '|u1')]), ('q', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('q', '|u1'), (^'q', '|u1'), ('r', [('x', '|u1'), ('x', '|u1')])]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('q', '|u1'), (^'q', [('x', '|u1'), ('x', '|u1')])]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('r', [('s', [('x', '|u1')]), (('t', 'x'), '|u1'), (^'s', '|u1')])]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('', [('x', '|u1'), (^'x', '|u1')], (2,))]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('a', ([('x', '|u1'), (^'x', '|u1')], (2,)), (2,))]"), SNPY_DUPLICATE_NAME),
    };
    static const struct marked latin1[] = {
        BAD(DESCR("[('\xe9', '|u1'), (^'\\xe9', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('\\u00ff', '|u1'), (^'\xff', '|u1')]"), SNPY_DUPLICATE_NAME),
        GOOD(DESCR("[('\xe9', '|u1'), ('\xc3\xa9', '|u1'), ('\\u20ac', '|u1'), ('\xe2\x82\xac', '|u1')]")),
    };
    static const struct marked utf8[] = {
        BAD(DESCR("[('\xc3\xa9', '|u1'), (^'\\xe9', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('\\u6574', '|u1'), (^'\xe6\x95\xb4', '|u1')]"), SNPY_DUPLICATE_NAME),
        BAD(DESCR("[('\xf0\x9f\x98\x80', '|u1'), (^'\\U0001F600', '|u1')]"), SNPY_DUPLICATE_NAME),
        GOOD(DESCR("[('\xf0\x9f\x98\x80', '|u1'), ('\\ud83d\\ude00', '|u1')]")),
        GOOD(DESCR("[('\xc3\xa9', '|u1'), ('\\xc3\\xa9', '|u1')]")),
    };
    snpy_options options = default_options();
    (void)state;
    expect_all_marked(1, 3, cases, COUNT(cases), &options);
    expect_all_marked(1, 2, latin1, COUNT(latin1), &options);
    expect_all_marked(3, 3, utf8, COUNT(utf8), &options);
}

/* A record of `count` spellings of different names, of which number `twin` is spelt as `original`, escaped. Every
 * third field has a title, which is the name in front of its own. Returns the text's length and where the twin is. */
static size_t name_list(char *text, size_t count, size_t original, size_t twin, size_t *at)
{
    size_t length = (size_t)sprintf(text, "{'descr': [");
    for (size_t i = 0; i < count; i++) {
        bool is_title = i % 3 == 0 && i + 1 < count;
        bool is_titled = i % 3 == 1;
        length += (size_t)sprintf(text + length, is_titled ? "" : is_title ? "((" : "(");
        if (i == twin) {
            *at = length;
            length += (size_t)sprintf(text + length, "'n\\x%02zx'", 0x41 + original);
        } else {
            length += (size_t)sprintf(text + length, "'n%c'", (int)(0x41 + i));
        }
        length += (size_t)sprintf(text + length, is_title ? ", " : is_titled ? "), '|u1'), " : ", '|u1'), ");
    }
    return length + (size_t)sprintf(text + length, "], 'fortran_order': False, 'shape': ()}");
}

/* Every pair of places among names and titles. */
static void test_duplicates_in_all_places(void **state)
{
    enum { NAMES = 26 };
    snpy_options options = default_options();
    (void)state;
    for (size_t count = 2; count <= NAMES; count++) {
        for (size_t twin = 1; twin <= count; twin++) {
            for (size_t original = 0; original < twin && original < count; original++) {
                char text[1024];
                size_t at = 0;
                size_t length = name_list(text, count, original, twin, &at);
                expect_status(1, text, length, &options, twin < count ? SNPY_DUPLICATE_NAME : SNPY_OK, at);
            }
        }
    }
}

/* Thousands of names, ascending, descending and alike but for the end; one is there twice. */
static void test_duplicates_among_many(void **state)
{
    enum { MANY = 3000 };
    snpy_options options = default_options();
    (void)state;
    options.max_header_bytes = 1u << 20;
    for (unsigned form = 0; form < 3; form++) {
        for (unsigned twice = 0; twice < 2; twice++) {
            char *text = allocate(100 * MANY);
            size_t length = (size_t)sprintf(text, "{'shape': (), 'fortran_order': False, 'descr': [");
            size_t at = 0;
            for (unsigned i = 0; i < MANY; i++) {
                unsigned number = form == 0 ? i : form == 1 ? MANY - i : i * 7919 % MANY;
                if (twice && i == MANY - 1) number = form == 0 ? 0 : form == 1 ? MANY : 7919 * 1234 % MANY;
                at = length + 1;
                length +=
                    (size_t)sprintf(text + length, "('%s%06u', '|u1'),", form == 2 ? "a_common_prefix_" : "", number);
            }
            length += (size_t)sprintf(text + length, "]}");
            expect_status(2, text, length, &options, twice ? SNPY_DUPLICATE_NAME : SNPY_OK, at);
            free(text);
        }
    }
}

/* ---- Limits ------------------------------------------------------------------------------------------------------ */

/* A type of that many brackets: all lists, all tuples behind the first list, or one after the other. */
static size_t nested_type(char *text, unsigned brackets, unsigned form, size_t *last_open)
{
    bool is_list[SNPY_MAX_DEPTH + 2];
    size_t length = 0;
    for (unsigned i = 0; i < brackets; i++) {
        is_list[i] = i == 0 || form == 0 || (form == 2 && i % 2 == 0);
        *last_open = length;
        length += (size_t)sprintf(text + length, is_list[i] ? "[('a', " : "(");
    }
    length += (size_t)sprintf(text + length, "'|u1'");
    for (unsigned i = brackets; i > 0; i--) {
        bool has_shape = !is_list[i - 1] || (i < brackets && !is_list[i]);
        length += (size_t)sprintf(text + length, "%s%s", has_shape ? ", (1,)" : "", is_list[i - 1] ? ")]" : ")");
    }
    return length;
}

/* NPY-LIT-021: lists and sub-array tuples on both sides of every limit. */
static void test_depth(void **state)
{
    (void)state;
    for (unsigned form = 0; form < 3; form++) {
        for (unsigned limit = 0; limit <= SNPY_MAX_DEPTH; limit++) {
            for (unsigned brackets = limit; brackets <= limit + 1; brackets++) {
                char type[4096];
                char text[4352];
                size_t last_open = 0;
                snpy_options options = default_options();
                options.max_depth = limit;
                size_t length = nested_type(type, brackets, form, &last_open);
                assert_true(length < sizeof type);
                length =
                    (size_t)snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': False, 'shape': ()}", type);
                expect_status(1, text, length, &options, brackets <= limit ? SNPY_OK : SNPY_TOO_DEEP,
                              strlen("{'descr': ") + last_open);
            }
        }
    }
}

static void test_depth_counts_no_fields(void **state)
{
    static const struct marked cases[] = {
        GOOD(DESCR("[(('t', 'a'), [('b', '|u1', (1, 2, 3))], (2,)), ('c', ('<f8', (2,)), (3,))]")),
        BAD(DESCR("[('a', [('b', ^[('c', '<z3')])])]"), SNPY_TOO_DEEP),
        BAD(DESCR("[('a', [('b', ^('<f8', (2,)), (3,))])]"), SNPY_TOO_DEEP),
        BAD(DESCR("[('a', (^('<f8', (2,)), (3,)), (4,))]"), SNPY_TOO_DEEP),
        BAD(DESCR("[('a', ('<f8', (2,)), (3,)), ('b', [('c', ^[])])]"), SNPY_TOO_DEEP),
    };
    snpy_options options = default_options();
    (void)state;
    options.max_depth = 2;
    expect_all_marked(1, 3, cases, COUNT(cases), &options);
}

/* NPY-HDR-005: at the type of the first entry beyond the limit, however large the table is. */
static void test_max_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(records); i++) {
        char text[512];
        size_t length = wrap_descr(text, sizeof text, records[i].descr);
        snpy_options options = default_options();
        struct parsed whole = parse_text(2, text, length, &options);
        for (uint32_t limit = 0; limit <= records[i].field_count + 1; limit++) {
            bool fits = limit >= records[i].field_count;
            options.max_fields = limit;
            expect_status(2, text, length, &options, fits ? SNPY_OK : SNPY_TOO_MANY_FIELDS,
                          fits ? 0 : whole.table.fields[limit].type_offset);
        }
        release(&whole);
    }
}

/* A simple dtype takes no entry. */
static void test_max_fields_of_simple_types(void **state)
{
    static const struct marked cases[] = {GOOD(SHAPE("(3,)")), BAD(DESCR("^[]"), SNPY_TOO_MANY_FIELDS)};
    snpy_options options = default_options();
    (void)state;
    options.max_fields = 0;
    expect_all_marked(1, 3, cases, COUNT(cases), &options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_contents),
        cmocka_unit_test(test_every_capacity),
        cmocka_unit_test(test_no_table_at_all),
        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_duplicates_in_all_places),
        cmocka_unit_test(test_duplicates_among_many),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_depth_counts_no_fields),
        cmocka_unit_test(test_max_fields),
        cmocka_unit_test(test_max_fields_of_simple_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
