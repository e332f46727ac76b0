/* test_write.c: headers as NumPy 2.x writes them, and what cannot be written.               NPY-WRITE-001 … NPY-WRITE-010 */
#include "support.h"

/* A description built by hand: entries are added in pre-order. */
struct builder {
    snpy_header header;
    snpy_field fields[80];
    int32_t dims[200];
    snpy_table table;
    uint8_t names[4096];
    snpy_description description;
};

/* "<f8", "|S3", ">U2", "|O", "<M8": without units. */
static snpy_dtype dtype_of(const char *type)
{
    snpy_dtype dtype = {(int8_t)type[1], (int8_t)type[0], 0, 0, 0};
    dtype.itemsize = type[1] == 'O' ? 8 : (uint32_t)strtoul(type + 2, NULL, 10) * (type[1] == 'U' ? 4 : 1);
    if (type[1] == 'M' || type[1] == 'm') dtype.multiplier = 1;
    return dtype;
}

static snpy_dtype record_of(uint32_t itemsize)
{
    snpy_dtype dtype = {SNPY_KIND_RECORD, '|', 0, itemsize, 0};
    return dtype;
}

static snpy_dtype tuple_of(uint32_t itemsize)
{
    snpy_dtype dtype = {SNPY_KIND_SUBARRAY, '|', 0, itemsize, 0};
    return dtype;
}

static void begin(struct builder *b, snpy_dtype dtype)
{
    memset(b, 0, sizeof *b);
    b->header.dtype = dtype;
    b->table.fields = b->fields;
    b->table.field_capacity = COUNT(b->fields);
    b->table.dims = b->dims;
    b->table.dim_capacity = COUNT(b->dims);
    b->description.header = &b->header;
    b->description.table = &b->table;
    b->description.names = b->names;
    b->description.encoding = SNPY_NAME_PLAIN;
    if (dtype.kind != SNPY_KIND_RECORD) return;
    b->table.field_count = 1;
    b->fields[0].dtype = dtype;
    b->fields[0].itemsize = dtype.itemsize;
}

static uint32_t add_name(struct builder *b, const char *name, size_t length)
{
    size_t offset = b->description.names_length;
    assert_true(offset + length <= sizeof b->names);
    memcpy(b->names + offset, name, length);
    b->description.names_length += length;
    return (uint32_t)offset;
}

/* A further entry; name NULL for the one inside a sub-array. */
static snpy_field *add(struct builder *b, uint16_t depth, const char *name, snpy_dtype dtype, int64_t offset)
{
    size_t entry = b->table.field_count++;
    snpy_field *field = &b->fields[entry];
    assert_true(entry < COUNT(b->fields));
    field->dtype = dtype;
    field->itemsize = dtype.itemsize;
    field->offset = offset;
    field->depth = depth;
    for (size_t i = 0; i < entry; i++)
        if (b->fields[i].depth + 1 == depth) field->parent = (uint32_t)i;
    if (name != NULL) {
        field->has_name = true;
        field->name_length = (uint32_t)strlen(name);
        field->name_offset = add_name(b, name, strlen(name));
    }
    return field;
}

static void give_title(struct builder *b, snpy_field *field, const char *title)
{
    field->has_title = true;
    field->title_length = (uint32_t)strlen(title);
    field->title_offset = add_name(b, title, strlen(title));
}

/* A sub-array shape of up to three dimensions; -1 ends it. */
static void give_shape(struct builder *b, snpy_field *field, int32_t first, int32_t second, int32_t third)
{
    const int32_t dims[] = {first, second, third};
    field->first_dim = (uint32_t)b->table.dim_count;
    for (size_t i = 0; i < 3 && dims[i] >= 0; i++) {
        b->dims[b->table.dim_count++] = dims[i];
        field->ndim++;
        field->itemsize *= (uint64_t)dims[i];
    }
}

static void set_shape(struct builder *b, uint8_t ndim, const uint64_t *shape)
{
    b->header.ndim = ndim;
    if (ndim > 0) memcpy(b->header.shape, shape, ndim * sizeof *shape);
}

/* Writes into memory of exactly the size announced; NULL if it is refused, with *error. Both calls must agree, a
 * buffer that is too small stays untouched, and so does any buffer of a description that is refused. */
static uint8_t *write_header(const snpy_description *description, uint64_t *size, snpy_error *error)
{
    snpy_error again;
    uint64_t needed = 12345;
    snpy_status status = snpy_header_size(description, &needed, error);
    size_t announced = (size_t)needed;
    assert_int_equal(status, error->status);
    if (status != SNPY_OK) {
        uint8_t buffer[256];
        memset(buffer, GUARD, sizeof buffer);
        assert_true(announced == 0);
        *size = 12345;
        assert_int_equal(snpy_write_header(description, buffer, sizeof buffer, size, &again), status);
        assert_true(again.status == error->status && again.offset == error->offset);
        assert_true(*size == 0);
        assert_true(is_filled(buffer, GUARD, sizeof buffer));
        return NULL;
    }
    assert_true(announced % 64 == 0 && announced > 0 && error->offset == 0);
    uint8_t *out = allocate(announced);
    for (size_t capacity = 0; capacity < announced; capacity += capacity + 1 < announced ? announced - 1 : 1) {
        memset(out, GUARD, announced);
        *size = 12345;
        assert_int_equal(snpy_write_header(description, out, capacity, size, &again), SNPY_BUFFER_TOO_SMALL);
        assert_int_equal(again.status, SNPY_BUFFER_TOO_SMALL);
        assert_true(*size == 0);
        assert_true(is_filled(out, GUARD, announced));
    }
    assert_int_equal(snpy_write_header(description, out, announced, size, &again), SNPY_OK);
    assert_true(again.status == SNPY_OK && again.offset == 0);
    assert_true(*size == announced);
    /* more room changes nothing, and nothing behind the header is touched */
    uint8_t *more = allocate(announced + 64);
    memset(more, GUARD, announced + 64);
    assert_int_equal(snpy_write_header(description, more, announced + 64, size, &again), SNPY_OK);
    assert_true(*size == announced);
    assert_memory_equal(more, out, announced);
    assert_true(is_filled(more + announced, GUARD, 64));
    free(more);
    return out;
}

/* The bytes that belong around a text: prefix, room to grow, spaces, newline. An independent NPY-WRITE-008. */
static uint8_t *frame_text(unsigned major, const char *text, size_t length, unsigned ndim, uint64_t growing,
                           size_t *size)
{
    char digits[32];
    size_t prefix = prefix_length(major);
    char *padded = allocate(length + 200);
    memcpy(padded, text, length);
    if (ndim > 0) {
        int used = snprintf(digits, sizeof digits, "%llu", (unsigned long long)growing);
        for (int i = used; i < 21; i++) padded[length++] = ' ';
    }
    do padded[length++] = ' ';
    while ((prefix + length + 1) % 64 != 0);
    padded[length++] = '\n';
    uint8_t *file = make_file(major, padded, length, size);
    free(padded);
    return file;
}

/* A description must be written as this text in this version. */
static void expect_text(struct builder *b, unsigned major, const char *text, size_t length)
{
    snpy_error error;
    uint64_t size = 0;
    size_t expected_size = 0;
    uint64_t growing = b->header.ndim == 0 ? 0 : b->header.shape[b->header.fortran_order ? b->header.ndim - 1 : 0];
    uint8_t *expected = frame_text(major, text, length, b->header.ndim, growing, &expected_size);
    uint8_t *got = write_header(&b->description, &size, &error);
    expect_that(got != NULL, "%s: %s at entry %llu\n", legible(text, length), snpy_status_name(error.status),
                (unsigned long long)error.offset);
    expect_that(size == expected_size && memcmp(got, expected, expected_size) == 0, "expected %s\n     got %s\n",
                legible(expected, expected_size), legible(got, (size_t)size));
    free(got);
    free(expected);
}

static void expect_refused(struct builder *b, snpy_status status, uint64_t entry, const char *what)
{
    snpy_error error;
    uint64_t size = 0;
    uint8_t *got = write_header(&b->description, &size, &error);
    expect_that(got == NULL && error.status == status && error.offset == entry,
                "%s: %s at entry %llu, not %s at %llu\n", what, snpy_status_name(error.status),
                (unsigned long long)error.offset, snpy_status_name(status), (unsigned long long)entry);
    uint8_t text[8];
    assert_int_equal(snpy_write_descr(&b->description, 0, text, sizeof text, &size, &error),
                     status == SNPY_WRITE_VERSION ? SNPY_BUFFER_TOO_SMALL : status);
}

/* The golden sample of shared measurements: <i4, Fortran order, (2, 3): 118 bytes of text, data at 128. */
static void test_golden_bytes(void **state)
{
    static const char golden[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }"
                                 "                                                           \n";
    static const uint64_t shape[] = {2, 3};
    struct builder b;
    snpy_error error;
    uint64_t size = 0;
    (void)state;
    begin(&b, dtype_of("<i4"));
    b.header.fortran_order = true;
    set_shape(&b, 2, shape);
    uint8_t *got = write_header(&b.description, &size, &error);
    assert_int_equal(size, 128);
    assert_int_equal(sizeof golden - 1, 128);
    assert_memory_equal(got, golden, 128);
    free(got);
}

#define AS(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

static void test_simple_types(void **state)
{
    static const struct {
        snpy_dtype dtype;
        const char *text;
    } cases[] = {
        {{'b', '|', 0, 1, 0}, "'|b1'"},
        {{'i', '|', 0, 1, 0}, "'|i1'"},
        {{'u', '|', 0, 1, 0}, "'|u1'"},
        {{'i', '<', 0, 2, 0}, "'<i2'"},
        {{'u', '>', 0, 8, 0}, "'>u8'"},
        {{'f', '<', 0, 2, 0}, "'<f2'"},
        {{'f', '>', 0, 16, 0}, "'>f16'"},
        {{'f', '<', 0, 10, 0}, "'<f10'"},
        {{'f', '<', 0, 12, 0}, "'<f12'"},
        {{'c', '<', 0, 8, 0}, "'<c8'"},
        {{'c', '>', 0, 32, 0}, "'>c32'"},
        {{'c', '<', 0, 20, 0}, "'<c20'"},
        {{'c', '<', 0, 24, 0}, "'<c24'"},
        {{'S', '|', 0, 0, 0}, "'|S0'"},
        {{'S', '|', 0, 2147483647, 0}, "'|S2147483647'"},
        {{'V', '|', 0, 10, 0}, "'|V10'"},
        {{'U', '<', 0, 0, 0}, "'<U0'"},
        {{'U', '>', 0, 12, 0}, "'>U3'"},
        {{'U', '<', 0, 2147483644, 0}, "'<U536870911'"},
        {{'O', '|', 0, 8, 0}, "'|O'"},
        {{'M', '<', 0, 8, 1}, "'<M8'"},
        {{'m', '>', 0, 8, 1}, "'>m8'"},
        {{'M', '<', SNPY_UNIT_YEAR, 8, 1}, "'<M8[Y]'"},
        {{'M', '<', SNPY_UNIT_MONTH, 8, 2}, "'<M8[2M]'"},
        {{'m', '<', SNPY_UNIT_WEEK, 8, 1}, "'<m8[W]'"},
        {{'m', '<', SNPY_UNIT_DAY, 8, 7}, "'<m8[7D]'"},
        {{'M', '<', SNPY_UNIT_HOUR, 8, 1}, "'<M8[h]'"},
        {{'M', '<', SNPY_UNIT_MINUTE, 8, 1}, "'<M8[m]'"},
        {{'M', '<', SNPY_UNIT_SECOND, 8, 2147483647}, "'<M8[2147483647s]'"},
        {{'M', '<', SNPY_UNIT_MILLISECOND, 8, 1}, "'<M8[ms]'"},
        {{'M', '<', SNPY_UNIT_MICROSECOND, 8, 1}, "'<M8[us]'"},
        {{'M', '>', SNPY_UNIT_NANOSECOND, 8, 25}, "'>M8[25ns]'"},
        {{'M', '<', SNPY_UNIT_PICOSECOND, 8, 1}, "'<M8[ps]'"},
        {{'M', '<', SNPY_UNIT_FEMTOSECOND, 8, 1}, "'<M8[fs]'"},
        {{'M', '<', SNPY_UNIT_ATTOSECOND, 8, 1}, "'<M8[as]'"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder b;
        char text[128];
        int length = snprintf(text, sizeof text, AS("%s", "False", "()"), cases[i].text);
        begin(&b, cases[i].dtype);
        expect_text(&b, 1, text, (size_t)length);
        uint8_t descr[32];
        uint64_t size = 0;
        snpy_error error;
        assert_int_equal(snpy_write_descr(&b.description, 0, descr, sizeof descr, &size, &error), SNPY_OK);
        assert_int_equal(size, strlen(cases[i].text));
        assert_memory_equal(descr, cases[i].text, strlen(cases[i].text));
        assert_int_equal(snpy_write_descr(&b.description, 1, descr, sizeof descr, &size, &error), SNPY_BAD_ARGUMENT);
        assert_true(size == 0);
    }
}

static void test_types_that_cannot_be_written(void **state)
{
    static const snpy_dtype wrong[] = {
        {'f', '<', 0, 3, 0},  {'M', '<', -1, 8, 1},          {'f', '<', 0, 1, 0},
        {'f', '<', 0, 32, 0}, {'f', '|', 0, 8, 0},           {'f', '=', 0, 8, 0},
        {'f', 0, 0, 8, 0},    {'b', '<', 0, 1, 0},           {'b', '|', 0, 2, 0},
        {'i', '<', 0, 1, 0},  {'i', '|', 0, 2, 0},           {'i', '<', 0, 16, 0},
        {'i', '<', 0, 0, 0},  {'u', '<', 0, 3, 0},           {'c', '<', 0, 4, 0},
        {'c', '<', 0, 64, 0}, {'S', '<', 0, 5, 0},           {'S', '|', 0, 0x80000000, 0},
        {'V', '>', 0, 5, 0},  {'V', '|', 0, 0xffffffff, 0},  {'U', '|', 0, 4, 0},
        {'U', '<', 0, 5, 0},  {'U', '<', 0, 0x80000000, 0},  {'O', '<', 0, 8, 0},
        {'O', '|', 0, 4, 0},  {'M', '<', 0, 4, 1},           {'M', '|', 0, 8, 1},
        {'M', '<', 0, 8, 0},  {'M', '<', 0, 8, 2},           {'M', '<', 14, 8, 1},
        {'m', '<', 10, 8, 0}, {'m', '<', 10, 8, 0x80000000}, {'i', '<', 1, 8, 0},
        {'i', '<', 0, 8, 1},  {'z', '<', 0, 8, 0},           {0, '<', 0, 8, 0},
        {'a', '|', 0, 5, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct builder b;
        char what[64];
        (void)snprintf(what, sizeof what, "type %zu, kind %c", i, wrong[i].kind > 0 ? wrong[i].kind : '?');
        begin(&b, wrong[i]);
        expect_refused(&b, SNPY_WRITE_DTYPE, 0, what);
        begin(&b, record_of(0x7fffffff));
        add(&b, 1, "a", dtype_of("|u1"), 0);
        add(&b, 1, "b", wrong[i], 1);
        expect_refused(&b, SNPY_WRITE_DTYPE, 2, what);
    }
    struct builder b;
    begin(&b, tuple_of(8));
    expect_refused(&b, SNPY_WRITE_DTYPE, 0, "a sub-array as the type of the array");
}

static void test_shapes_and_growth(void **state)
{
    static const struct {
        bool fortran;
        uint8_t ndim;
        uint64_t shape[4];
        const char *text;
    } cases[] = {
        {false, 0, {0}, AS("'|V0'", "False", "()")},
        {true, 0, {0}, AS("'|V0'", "True", "()")},
        {false, 1, {0}, AS("'|V0'", "False", "(0,)")},
        {false, 1, {9}, AS("'|V0'", "False", "(9,)")},
        {false, 1, {10}, AS("'|V0'", "False", "(10,)")},
        {false, 1, {99}, AS("'|V0'", "False", "(99,)")},
        {false, 1, {100}, AS("'|V0'", "False", "(100,)")},
        {false, 1, {999999999999999999}, AS("'|V0'", "False", "(999999999999999999,)")},
        {false, 1, {1000000000000000000}, AS("'|V0'", "False", "(1000000000000000000,)")},
        {false, 1, {9223372036854775807}, AS("'|V0'", "False", "(9223372036854775807,)")},
        {false, 2, {2, 1000}, AS("'|V0'", "False", "(2, 1000)")},
        {true, 2, {2, 1000}, AS("'|V0'", "True", "(2, 1000)")},
        {true, 1, {1000}, AS("'|V0'", "True", "(1000,)")},
        {false, 4, {1, 0, 3, 44}, AS("'|V0'", "False", "(1, 0, 3, 44)")},
        {true, 4, {1, 0, 3, 44}, AS("'|V0'", "True", "(1, 0, 3, 44)")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder b;
        begin(&b, dtype_of("|V0"));
        b.header.fortran_order = cases[i].fortran;
        set_shape(&b, cases[i].ndim, cases[i].shape);
        expect_text(&b, 1, cases[i].text, strlen(cases[i].text));
    }
    struct builder b;
    uint64_t shape[65];
    char text[512];
    begin(&b, dtype_of("|u1"));
    size_t length = (size_t)sprintf(text, "{'descr': '|u1', 'fortran_order': False, 'shape': (");
    for (unsigned i = 0; i < 64; i++) {
        shape[i] = 1;
        length += (size_t)sprintf(text + length, i < 63 ? "1, " : "1), }");
    }
    set_shape(&b, 64, shape);
    expect_text(&b, 1, text, length);
    b.header.ndim = 65;
    expect_refused(&b, SNPY_WRITE_SHAPE, 0, "65 dimensions");
    b.header.ndim = 255;
    expect_refused(&b, SNPY_WRITE_SHAPE, 0, "255 dimensions");
}

static void test_array_shapes_that_cannot_be_written(void **state)
{
    static const struct {
        const char *type;
        uint8_t ndim;
        uint64_t shape[3];
        bool good;
    } cases[] = {
        {"|u1", 1, {0x7fffffffffffffff}, true},
        {"|u1", 1, {0x8000000000000000}, false},
        {"|u1", 1, {UINT64_MAX}, false},
        {"|V0", 1, {0x7fffffffffffffff}, true},
        {"|V0", 1, {0x8000000000000000}, false},
        {"<f8", 1, {0x0fffffffffffffff}, true},
        {"<f8", 1, {0x1000000000000000}, false},
        {"|u1", 2, {0x100000000, 0x7fffffff}, true},
        {"|u1", 2, {0x100000000, 0x80000000}, false},
        {"|u1", 2, {0x100000000, 0x100000000}, false},
        {"|u1", 2, {0, 0x7fffffffffffffff}, true},
        {"|u1", 2, {0, 0x8000000000000000}, false},
        {"<f8", 3, {0, 0x100000000, 0x100000000}, false},
        {"|S2147483647", 1, {0x100000002}, true},
        {"|S2147483647", 1, {0x100000003}, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct builder b;
        begin(&b, dtype_of(cases[i].type));
        set_shape(&b, cases[i].ndim, cases[i].shape);
        if (!cases[i].good) {
            expect_refused(&b, SNPY_WRITE_SHAPE, 0, "size of the array");
            continue;
        }
        snpy_error error;
        uint64_t size = 0;
        assert_int_equal(snpy_header_size(&b.description, &size, &error), SNPY_OK);
    }
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

#define RECORD(list) AS(list, "False", "()")
#define expect_record(b, list) expect_text(b, 1, RECORD(list), sizeof(RECORD(list)) - 1)

static void test_records(void **state)
{
    struct builder b;
    (void)state;
    begin(&b, record_of(0));
    expect_record(&b, "[]");

    begin(&b, record_of(9));
    add(&b, 1, "a", dtype_of("<f8"), 0);
    add(&b, 1, "b", dtype_of("|i1"), 8);
    expect_record(&b, "[('a', '<f8'), ('b', '|i1')]");

    begin(&b, record_of(52));
    give_shape(&b, add(&b, 1, "a", dtype_of("<i2"), 0), 2, 3, -1);
    give_title(&b, add(&b, 1, "b", dtype_of("<f8"), 12), "t");
    snpy_field *field = add(&b, 1, "c", dtype_of(">U2"), 20);
    give_title(&b, field, "a title");
    give_shape(&b, field, 4, -1, -1);
    expect_record(&b, "[('a', '<i2', (2, 3)), (('t', 'b'), '<f8'), (('a title', 'c'), '>U2', (4,))]");
}

/* Gaps are written as one padding field each, in front, between and behind, at every level. */
static void test_gaps(void **state)
{
    struct builder b;
    (void)state;
    begin(&b, record_of(8));
    expect_record(&b, "[('', '|V8')]");

    begin(&b, record_of(40));
    add(&b, 1, "a", dtype_of("|u1"), 3);
    add(&b, 1, "b", dtype_of("<i4"), 8);
    add(&b, 1, "c", dtype_of("<i4"), 12);
    add(&b, 1, "d", dtype_of("|S0"), 20);
    add(&b, 1, "e", dtype_of("|S0"), 20);
    expect_record(&b, "[('', '|V3'), ('a', '|u1'), ('', '|V4'), ('b', '<i4'), ('c', '<i4'), ('', '|V4'), ('d', '|S0'), "
                      "('e', '|S0'), ('', '|V20')]");

    begin(&b, record_of(100));
    give_shape(&b, add(&b, 1, "r", record_of(16), 4), 3, -1, -1);
    add(&b, 2, "x", dtype_of("|u1"), 1);
    add(&b, 2, "y", dtype_of("<f4"), 8);
    add(&b, 1, "s", record_of(10), 60);
    add(&b, 2, "q", record_of(5), 5);
    expect_record(&b, "[('', '|V4'), ('r', [('', '|V1'), ('x', '|u1'), ('', '|V6'), ('y', '<f4'), ('', '|V4')], (3,)), "
                      "('', '|V8'), ('s', [('', '|V5'), ('q', [('', '|V5')])]), ('', '|V30')]");

    /* padding entries may be there or not: what counts are gaps */
    begin(&b, record_of(12));
    add(&b, 1, "", dtype_of("|V3"), 0)->is_padding = true;
    add(&b, 1, "", dtype_of("|V1"), 3)->is_padding = true;
    add(&b, 1, "a", dtype_of("<i4"), 4);
    snpy_field *field = add(&b, 1, "", dtype_of("<i2"), 8);
    field->is_padding = true;
    give_shape(&b, field, 2, -1, -1);
    expect_record(&b, "[('', '|V4'), ('a', '<i4'), ('', '|V4')]");

    /* padding with a record in it */
    begin(&b, record_of(9));
    field = add(&b, 1, "", record_of(4), 0);
    field->is_padding = true;
    give_shape(&b, field, 2, -1, -1);
    add(&b, 2, "x", dtype_of("<i4"), 0);
    add(&b, 1, "a", dtype_of("|u1"), 8);
    expect_record(&b, "[('', '|V8'), ('a', '|u1')]");
}

static void test_nested_records_and_subarrays(void **state)
{
    struct builder b;
    (void)state;
    begin(&b, record_of(8));
    add(&b, 1, "a", record_of(7), 0);
    add(&b, 2, "b", record_of(6), 0);
    add(&b, 3, "c", dtype_of("<i2"), 0);
    add(&b, 3, "d", dtype_of("<f4"), 2);
    add(&b, 2, "e", dtype_of("|b1"), 6);
    add(&b, 1, "f", dtype_of("|O"), 7)->dtype = dtype_of("|S1");
    b.fields[6].itemsize = 1;
    expect_record(&b, "[('a', [('b', [('c', '<i2'), ('d', '<f4')]), ('e', '|b1')]), ('f', '|S1')]");

    begin(&b, record_of(49));
    give_shape(&b, add(&b, 1, "a", tuple_of(16), 0), 3, -1, -1);
    give_shape(&b, add(&b, 2, NULL, dtype_of("<f8"), 0), 2, -1, -1);
    add(&b, 1, "b", dtype_of("|u1"), 48);
    expect_record(&b, "[('a', ('<f8', (2,)), (3,)), ('b', '|u1')]");

    begin(&b, record_of(60));
    snpy_field *field = add(&b, 1, "a", tuple_of(12), 0);
    give_title(&b, field, "t");
    give_shape(&b, field, 5, 1, -1);
    give_shape(&b, add(&b, 2, NULL, tuple_of(3), 0), 4, -1, -1);
    give_shape(&b, add(&b, 3, NULL, record_of(3), 0), 1, -1, -1);
    add(&b, 4, "x", dtype_of("|u1"), 0);
    add(&b, 4, "y", dtype_of("|u1"), 2);
    expect_record(&b, "[(('t', 'a'), (([('x', '|u1'), ('', '|V1'), ('y', '|u1')], (1,)), (4,)), (5, 1))]");

    begin(&b, record_of(1));
    give_shape(&b, add(&b, 1, "a", dtype_of("<f8"), 0), 0, 5, -1);
    add(&b, 1, "b", record_of(0), 0);
    add(&b, 1, "c", dtype_of("|u1"), 0);
    expect_record(&b, "[('a', '<f8', (0, 5)), ('b', []), ('c', '|u1')]");
}

/* Empty names that a reader sees as fields. */
static void test_empty_names(void **state)
{
    struct builder b;
    (void)state;
    begin(&b, record_of(9));
    add(&b, 1, "", dtype_of("<f8"), 0);
    add(&b, 1, "z", dtype_of("|u1"), 8);
    expect_record(&b, "[('', '<f8'), ('z', '|u1')]");
    begin(&b, record_of(3));
    add(&b, 1, "", record_of(1), 0);
    add(&b, 2, "", dtype_of("|S1"), 0);
    give_title(&b, add(&b, 1, "z", dtype_of("|V2"), 1), "t");
    expect_record(&b, "[('', [('', '|S1')]), (('t', 'z'), '|V2')]");
    begin(&b, record_of(6));
    snpy_field *field = add(&b, 1, "", dtype_of("|V3"), 0);
    give_title(&b, field, "t");
    give_shape(&b, field, 2, -1, -1);
    expect_record(&b, "[(('t', ''), '|V3', (2,))]");
}

static void test_unreadable_fields(void **state)
{
    struct builder b;
    (void)state;
    begin(&b, record_of(11));
    add(&b, 1, "a", dtype_of("<f8"), 0);
    add(&b, 1, "", dtype_of("|V3"), 8);
    expect_refused(&b, SNPY_WRITE_UNREADABLE, 2, "a void without name");
    begin(&b, record_of(8));
    give_shape(&b, add(&b, 1, "", dtype_of("<i4"), 0), 2, -1, -1);
    expect_refused(&b, SNPY_WRITE_UNREADABLE, 1, "a sub-array without name");
    begin(&b, record_of(8));
    give_shape(&b, add(&b, 1, "", record_of(4), 0), 2, -1, -1);
    add(&b, 2, "x", dtype_of("<i4"), 0);
    expect_refused(&b, SNPY_WRITE_UNREADABLE, 1, "a sub-array of records without name");
    begin(&b, record_of(8));
    give_shape(&b, add(&b, 1, "", tuple_of(4), 0), 2, -1, -1);
    give_shape(&b, add(&b, 2, NULL, dtype_of("<i2"), 0), 2, -1, -1);
    expect_refused(&b, SNPY_WRITE_UNREADABLE, 1, "nested sub-arrays without name");
    begin(&b, record_of(5));
    add(&b, 1, "r", record_of(5), 0);
    add(&b, 2, "", dtype_of("|V5"), 0);
    expect_refused(&b, SNPY_WRITE_UNREADABLE, 2, "a void without name inside a record");
}

static void test_tables_that_are_no_trees(void **state)
{
    struct builder b;
    (void)state;
    begin(&b, record_of(0));
    b.table.field_count = 0;
    expect_refused(&b, SNPY_WRITE_TABLE, 0, "no entry");

    begin(&b, record_of(8));
    b.fields[0].dtype = dtype_of("<f8");
    expect_refused(&b, SNPY_WRITE_TABLE, 0, "entry 0 no record");

    begin(&b, record_of(8));
    b.fields[0].depth = 1;
    expect_refused(&b, SNPY_WRITE_TABLE, 0, "entry 0 not at depth 0");

    begin(&b, record_of(8));
    add(&b, 1, "a", dtype_of("<f8"), 0)->depth = 0;
    expect_refused(&b, SNPY_WRITE_TABLE, 1, "a second entry at depth 0");

    begin(&b, record_of(8));
    add(&b, 1, "a", dtype_of("<f8"), 0)->depth = 65;
    expect_refused(&b, SNPY_WRITE_TABLE, 1, "deeper than there is");

    begin(&b, record_of(8));
    b.description.names_length = SIZE_MAX; /* refused before a name is looked at */
    if (sizeof(size_t) > 4) expect_refused(&b, SNPY_BAD_ARGUMENT, 0, "more bytes of names than there are offsets");

    begin(&b, record_of(8));
    add(&b, 1, "a", dtype_of("<f8"), 0)->depth = 2;
    expect_refused(&b, SNPY_WRITE_TABLE, 1, "a level left out");

    begin(&b, record_of(8));
    add(&b, 1, "a", dtype_of("<f8"), 0);
    add(&b, 2, "b", dtype_of("<f8"), 0);
    expect_refused(&b, SNPY_WRITE_TABLE, 2, "an entry inside a float");

    begin(&b, record_of(16));
    give_shape(&b, add(&b, 1, "a", tuple_of(8), 0), 2, -1, -1);
    expect_refused(&b, SNPY_WRITE_TABLE, 1, "a sub-array of nothing, at the end");

    begin(&b, record_of(24));
    give_shape(&b, add(&b, 1, "a", tuple_of(8), 0), 2, -1, -1);
    add(&b, 1, "b", dtype_of("<f8"), 16);
    expect_refused(&b, SNPY_WRITE_TABLE, 2, "a sub-array of nothing, in front of a field");

    begin(&b, record_of(32));
    give_shape(&b, add(&b, 1, "a", tuple_of(16), 0), 2, -1, -1);
    give_shape(&b, add(&b, 2, NULL, dtype_of("<f4"), 0), 4, -1, -1);
    give_shape(&b, add(&b, 2, NULL, dtype_of("<f4"), 0), 4, -1, -1);
    expect_refused(&b, SNPY_WRITE_TABLE, 3, "a sub-array of two");

    /* Found by fuzz/writer.c: it was left out as padding, and "(, (2,))" was written. */
    begin(&b, record_of(16));
    give_shape(&b, add(&b, 1, "a", tuple_of(8), 0), 2, -1, -1);
    snpy_field *inside = add(&b, 2, NULL, dtype_of("<f4"), 0);
    give_shape(&b, inside, 2, -1, -1);
    inside->is_padding = true;
    expect_refused(&b, SNPY_WRITE_TABLE, 2, "padding inside a sub-array");

    begin(&b, record_of(8));
    add(&b, 1, NULL, dtype_of("<f8"), 0);
    expect_refused(&b, SNPY_WRITE_TABLE, 1, "a field of a record without name");

    begin(&b, record_of(32));
    give_shape(&b, add(&b, 1, "a", tuple_of(16), 0), 2, -1, -1);
    give_shape(&b, add(&b, 2, "b", dtype_of("<f4"), 0), 4, -1, -1);
    expect_refused(&b, SNPY_WRITE_TABLE, 2, "a name inside a sub-array");

    begin(&b, record_of(16));
    give_shape(&b, add(&b, 1, "a", tuple_of(8), 0), 2, -1, -1);
    add(&b, 2, NULL, dtype_of("<f8"), 0)->parent = 0;
    expect_refused(&b, SNPY_WRITE_TABLE, 2, "an entry that names another parent");

    begin(&b, record_of(8));
    b.table.field_count = b.table.field_capacity = (size_t)SNPY_MAX_FIELDS + 1; /* refused before one is looked at */
    expect_refused(&b, SNPY_WRITE_TABLE, 0, "more entries than there are indices");

    begin(&b, record_of(8));
    b.table.field_count = b.table.field_capacity + 1;
    expect_refused(&b, SNPY_BAD_ARGUMENT, 0, "more entries than the table holds");
    begin(&b, record_of(8));
    b.table.dim_count = b.table.dim_capacity + 1;
    expect_refused(&b, SNPY_BAD_ARGUMENT, 0, "more dimensions than the table holds");
}

/* The first entry is the element: it has no place, no shape, and one size. */
static void test_first_entries(void **state)
{
    struct builder b;
    (void)state;
    for (int fault = 0; fault < 5; fault++) {
        begin(&b, record_of(8));
        add(&b, 1, "a", dtype_of("<f8"), 0);
        if (fault == 1) give_shape(&b, &b.fields[0], 1, -1, -1);
        if (fault == 2) b.fields[0].offset = 8;
        if (fault == 3) b.fields[0].itemsize = 16;
        if (fault == 4) b.fields[0].itemsize = b.fields[0].dtype.itemsize = (uint32_t)SNPY_MAX_ITEMSIZE + 1;
        if (fault == 0)
            expect_record(&b, "[('a', '<f8')]");
        else
            expect_refused(&b, SNPY_WRITE_TABLE, 0, "an element with a place, a shape or two sizes");
    }
    begin(&b, record_of((uint32_t)SNPY_MAX_ITEMSIZE + 1));
    expect_refused(&b, SNPY_WRITE_DTYPE, 0, "an element that is too large");
}

/* What a tuple holds lies where the tuple lies, and is no shape where the tuple has none. */
static void test_inner_entries(void **state)
{
    struct builder b;
    (void)state;
    begin(&b, record_of(32));
    give_shape(&b, add(&b, 1, "a", tuple_of(16), 0), 2, -1, -1);
    snpy_field *inside = add(&b, 2, NULL, dtype_of("<f4"), 0);
    give_shape(&b, inside, 4, -1, -1);
    expect_record(&b, "[('a', ('<f4', (4,)), (2,))]");
    inside->offset = 4;
    expect_refused(&b, SNPY_WRITE_LAYOUT, 2, "an inner type with an offset");
    inside->offset = 0;
    b.fields[1].dtype.itemsize = 8;
    b.fields[1].itemsize = 16;
    expect_refused(&b, SNPY_WRITE_LAYOUT, 2, "an inner type of another size");

    begin(&b, record_of(16));
    add(&b, 1, "a", tuple_of(16), 0);
    give_shape(&b, add(&b, 2, NULL, dtype_of("<f4"), 0), 4, -1, -1);
    expect_refused(&b, SNPY_WRITE_UNREADABLE, 2, "a shape inside a tuple without one");

    begin(&b, record_of(4));
    add(&b, 1, "", tuple_of(4), 0);
    add(&b, 2, NULL, dtype_of("<f4"), 0);
    expect_record(&b, "[('', '<f4')]");
    b.fields[2].dtype = dtype_of("|V4");
    expect_refused(&b, SNPY_WRITE_UNREADABLE, 2, "padding by way of a tuple");

    begin(&b, record_of(8));
    add(&b, 1, "a", tuple_of((uint32_t)SNPY_MAX_ITEMSIZE + 1), 0);
    expect_refused(&b, SNPY_WRITE_SHAPE, 1, "a tuple that is too large");
}

/* Records inside one another: 64 levels can be read, 65 cannot. */
static void test_depth(void **state)
{
    struct builder b;
    snpy_error error;
    uint64_t size = 0;
    (void)state;
    begin(&b, record_of(0));
    for (uint16_t depth = 1; depth < 64; depth++) add(&b, depth, "a", record_of(0), 0);
    uint8_t *file = write_header(&b.description, &size, &error);
    assert_non_null(file);
    snpy_options options = default_options();
    struct parsed parsed = parse_file(file, (size_t)size, &options);
    assert_int_equal(parsed.status, SNPY_OK);
    assert_int_equal(parsed.table.field_count, 64);
    release(&parsed);
    free(file);
    /* a simple type inside the 64th list */
    b.fields[0].dtype.itemsize = b.header.dtype.itemsize = 1;
    for (unsigned i = 0; i < 64; i++) b.fields[i].itemsize = b.fields[i].dtype.itemsize = 1;
    add(&b, 64, "a", dtype_of("|u1"), 0);
    file = write_header(&b.description, &size, &error);
    assert_non_null(file);
    parsed = parse_file(file, (size_t)size, &options);
    assert_int_equal(parsed.status, SNPY_OK);
    release(&parsed);
    free(file);
    /* one list more: what is written must be readable */
    b.fields[64].dtype = record_of(1);
    expect_refused(&b, SNPY_WRITE_TABLE, 64, "65 lists inside one another");
    add(&b, 65, "a", dtype_of("|u1"), 0);
    b.fields[65].parent = 64;
    expect_refused(&b, SNPY_WRITE_TABLE, 64, "65 lists inside one another, with a field");
}

static void test_layouts_that_cannot_be_written(void **state)
{
    static const struct {
        const char *what;
        uint32_t itemsize;
        int64_t first;
        int64_t second;
        uint64_t entry; /* at fault; 0: none */
    } cases[] = {
        {"packed", 16, 0, 8, 0},
        {"a gap", 17, 0, 9, 0},
        {"overlap of one", 16, 0, 7, 2},
        {"overlap of all", 16, 0, 0, 2},
        {"descending", 16, 8, 0, 2},
        {"the second beyond the end", 16, 0, 9, 2},
        {"the first beyond the end", 16, 9, 20, 1},
        {"negative", 16, -1, 8, 1},
        {"far beyond", 16, 0, INT64_MAX, 2},
        {"far in front", 16, INT64_MIN, 8, 1},
        {"no room at all", 0, 0, 8, 1},
    };
    struct builder b;
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        begin(&b, record_of(cases[i].itemsize));
        add(&b, 1, "a", dtype_of("<f8"), cases[i].first);
        add(&b, 1, "b", dtype_of("<f8"), cases[i].second);
        if (cases[i].entry > 0) {
            expect_refused(&b, SNPY_WRITE_LAYOUT, cases[i].entry, cases[i].what);
            continue;
        }
        snpy_error error;
        uint64_t size = 0;
        assert_int_equal(snpy_header_size(&b.description, &size, &error), SNPY_OK);
    }
    begin(&b, record_of(8));
    add(&b, 1, "a", record_of(8), 0);
    add(&b, 2, "b", dtype_of("<f8"), 1);
    expect_refused(&b, SNPY_WRITE_LAYOUT, 2, "beyond the inner record");

    begin(&b, record_of(8));
    add(&b, 1, "a", dtype_of("<f4"), 0)->itemsize = 8;
    expect_refused(&b, SNPY_WRITE_LAYOUT, 1, "an itemsize that is not the type's");

    begin(&b, record_of(9));
    give_shape(&b, add(&b, 1, "a", dtype_of("<f4"), 0), 2, -1, -1);
    b.fields[1].itemsize = 9;
    expect_refused(&b, SNPY_WRITE_LAYOUT, 1, "an itemsize that is not the sub-array's");

    begin(&b, record_of(48));
    give_shape(&b, add(&b, 1, "a", tuple_of(16), 0), 3, -1, -1);
    give_shape(&b, add(&b, 2, NULL, dtype_of("<f8"), 0), 1, -1, -1);
    expect_refused(&b, SNPY_WRITE_LAYOUT, 2, "a sub-array of another size than what it holds");

    begin(&b, record_of(8));
    add(&b, 1, "a", dtype_of("<f8"), 0);
    b.header.dtype.itemsize = 9;
    expect_refused(&b, SNPY_WRITE_LAYOUT, 0, "an element of another size than its record");
}

static void test_subarrays_that_cannot_be_written(void **state)
{
    static const struct {
        const char *type;
        int32_t dims[3];
        uint64_t itemsize;
    } wrong[] = {
        {"|S0", {5, -1, -1}, 0},          {"<U0", {1, -1, -1}, 0},         {"|V0", {0, -1, -1}, 0},
        {"<f8", {0x10000000, -1, -1}, 0}, {"|u1", {2, 0x40000000, -1}, 0}, {"|u1", {0, 0x7fffffff, 2}, 0},
    };
    struct builder b;
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        begin(&b, record_of(0x7fffffff));
        add(&b, 1, "a", dtype_of("|u1"), 0);
        snpy_field *field = add(&b, 1, "b", dtype_of(wrong[i].type), 1);
        give_shape(&b, field, wrong[i].dims[0], wrong[i].dims[1], wrong[i].dims[2]);
        field->itemsize = wrong[i].itemsize;
        expect_refused(&b, SNPY_WRITE_SHAPE, 2, wrong[i].type);
    }
    begin(&b, record_of(8));
    give_shape(&b, add(&b, 1, "a", dtype_of("<f4"), 0), 2, -1, -1);
    b.dims[0] = -2;
    expect_refused(&b, SNPY_WRITE_SHAPE, 1, "a negative dimension");

    begin(&b, record_of(8));
    give_shape(&b, add(&b, 1, "a", dtype_of("<f4"), 0), 2, -1, -1);
    b.fields[1].first_dim = 1;
    expect_refused(&b, SNPY_WRITE_SHAPE, 1, "dimensions that are not there");
    b.fields[1].first_dim = 0xffffffff;
    expect_refused(&b, SNPY_WRITE_SHAPE, 1, "dimensions far away");

    for (uint16_t ndim = 63; ndim <= 66; ndim++) {
        begin(&b, record_of(1));
        snpy_field *field = add(&b, 1, "a", dtype_of("|u1"), 0);
        field->ndim = ndim;
        b.table.dim_count = ndim;
        for (unsigned k = 0; k < ndim; k++) b.dims[k] = 1;
        snpy_error error;
        uint64_t size = 0;
        if (ndim > 64)
            expect_refused(&b, SNPY_WRITE_SHAPE, 1, "too many dimensions");
        else
            assert_int_equal(snpy_header_size(&b.description, &size, &error), SNPY_OK);

        /* the same number over two levels */
        begin(&b, record_of(1));
        field = add(&b, 1, "a", tuple_of(1), 0);
        field->ndim = (uint16_t)(ndim - 20);
        field->first_dim = 20;
        add(&b, 2, NULL, dtype_of("|u1"), 0)->ndim = 20;
        b.table.dim_count = ndim;
        for (unsigned k = 0; k < ndim; k++) b.dims[k] = 1;
        if (ndim > 64)
            expect_refused(&b, SNPY_WRITE_SHAPE, 1, "too many dimensions with the nested ones");
        else
            assert_int_equal(snpy_header_size(&b.description, &size, &error), SNPY_OK);
    }
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    static const struct {
        struct text name;
        struct text repr;
        unsigned major;
    } cases[] = {
        {T("a"), T("'a'"), 1},
        {T("a b"), T("'a b'"), 1},
        {T("it's"), T("\"it's\""), 1},
        {T("say \"x\""), T("'say \"x\"'"), 1},
        {T("'\""), T("'\\'\"'"), 1},
        {T("'"), T("\"'\""), 1},
        {T("\""), T("'\"'"), 1},
        {T("a\\b"), T("'a\\\\b'"), 1},
        {T("\\"), T("'\\\\'"), 1},
        {T("\\'"), T("\"\\\\'\""), 1},
        {T("\n\r\t"), T("'\\n\\r\\t'"), 1},
        {T("\0"), T("'\\x00'"), 1},
        {T("a\0b"), T("'a\\x00b'"), 1},
        {T("\x01\x07\x0b\x0c\x1b\x1f\x7f"), T("'\\x01\\x07\\x0b\\x0c\\x1b\\x1f\\x7f'"), 1},
        {T("\xc2\x80\xc2\x9f\xc2\xa0\xc2\xad"), T("'\\x80\\x9f\\xa0\\xad'"), 1},
        {T("\xc2\xa1\xc3\xa9\xc3\xbf"), T("'\xa1\xe9\xff'"), 1},
        {T("\xc4\x80"), T("'\xc4\x80'"), 3},                         /* U+0100 */
        {T("\xc3\xa9\xe6\x95\xb4"), T("'\xc3\xa9\xe6\x95\xb4'"), 3}, /* the one in Latin-1 is UTF-8 as well */
        {T("e\xcc\x81"), T("'e\xcc\x81'"), 3},                       /* U+0301, combining */
        {T("\xcd\xb8"), T("'\\u0378'"), 1},                          /* unassigned */
        {T("\xd8\x9c"), T("'\\u061c'"), 1},                          /* U+061C, format */
        {T("\xe2\x80\x8b"), T("'\\u200b'"), 1},                      /* zero width space */
        {T("\xe2\x80\xa8\xe2\x80\xa9"), T("'\\u2028\\u2029'"), 1},   /* separators */
        {T("\xe3\x80\x80"), T("'\\u3000'"), 1},                      /* ideographic space */
        {T("\xee\x80\x80"), T("'\\ue000'"), 1},                      /* private use */
        {T("\xef\xbb\xbf"), T("'\\ufeff'"), 1},                      /* byte order mark */
        {T("\xef\xbf\xbd"), T("'\xef\xbf\xbd'"), 3},                 /* U+FFFD is printable */
        {T("\xef\xbf\xbf"), T("'\\uffff'"), 1},                      /* noncharacter */
        {T("\xed\xa0\x80"), T("'\\ud800'"), 1},                      /* lone surrogate */
        {T("\xed\xbf\xbf\xed\xa0\x80"), T("'\\udfff\\ud800'"), 1},
        {T("\xed\xa0\xbd\xed\xb8\x80"), T("'\\ud83d\\ude00'"), 1}, /* a pair is not joined */
        {T("\xed\xa0\x80\xe6\x95\xb4"), T("'\\ud800\xe6\x95\xb4'"), 3},
        {T("\xf0\x9f\x98\x80"), T("'\xf0\x9f\x98\x80'"), 3}, /* emoji */
        {T("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac"), T("'\xf0\x9f\x91\xa9\\u200d\xf0\x9f\x94\xac'"), 3},
        {T("\xf0\x90\x80\x8c"), T("'\\U0001000c'"), 1}, /* unassigned */
        {T("\xf3\xa0\x80\x81"), T("'\\U000e0001'"), 1}, /* tag */
        {T("\xf4\x8f\xbf\xbf"), T("'\\U0010ffff'"), 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned as_title = 0; as_title < 2; as_title++) {
            struct builder b;
            char text[256];
            begin(&b, record_of(1));
            snpy_field *field = add(&b, 1, as_title ? "plain name" : "", dtype_of("|u1"), 0);
            uint32_t offset = add_name(&b, cases[i].name.bytes, cases[i].name.length);
            if (as_title) {
                field->has_title = true;
                field->title_offset = offset;
                field->title_length = (uint32_t)cases[i].name.length;
            } else {
                field->name_offset = offset;
                field->name_length = (uint32_t)cases[i].name.length;
            }
            size_t length = (size_t)sprintf(text, "{'descr': [(%s", as_title ? "(" : "");
            memcpy(text + length, cases[i].repr.bytes, cases[i].repr.length);
            length += cases[i].repr.length;
            length += (size_t)sprintf(text + length, "%s, '|u1')], 'fortran_order': False, 'shape': (), }",
                                      as_title ? ", 'plain name')" : "");
            expect_text(&b, cases[i].major, text, length);
            b.description.version = SNPY_VERSION_1_0;
            if (cases[i].major == 3) expect_refused(&b, SNPY_WRITE_VERSION, 0, "a wide name in version 1.0");
            b.description.version = SNPY_VERSION_2_0;
            if (cases[i].major == 3) expect_refused(&b, SNPY_WRITE_VERSION, 0, "a wide name in version 2.0");
        }
    }
}

static void test_names_that_cannot_be_written(void **state)
{
    static const struct {
        snpy_name_encoding encoding;
        struct text name;
    } wrong[] = {
        {SNPY_NAME_PLAIN, T("\x80")},         {SNPY_NAME_PLAIN, T("\xc0\x80")},
        {SNPY_NAME_PLAIN, T("\xe6\x95")},     {SNPY_NAME_PLAIN, T("\xf4\x90\x80\x80")},
        {SNPY_NAME_PLAIN, T("ok\xff")},       {SNPY_NAME_UTF8, T("\xed\xa0\x80")},
        {SNPY_NAME_UTF8, T("\xc3")},          {SNPY_NAME_UTF8, T("\\")},
        {SNPY_NAME_UTF8, T("\\q")},           {SNPY_NAME_LATIN1, T("\\x4")},
        {SNPY_NAME_LATIN1, T("\\U00110000")}, {SNPY_NAME_LATIN1, T("\\u12")},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        for (unsigned as_title = 0; as_title < 2; as_title++) {
            struct builder b;
            begin(&b, record_of(2));
            b.description.encoding = wrong[i].encoding;
            add(&b, 1, "good", dtype_of("|u1"), 0);
            snpy_field *field = add(&b, 1, "fine", dtype_of("|u1"), 1);
            uint32_t offset = add_name(&b, wrong[i].name.bytes, wrong[i].name.length);
            field->has_title = as_title > 0;
            *(as_title ? &field->title_offset : &field->name_offset) = offset;
            *(as_title ? &field->title_length : &field->name_length) = (uint32_t)wrong[i].name.length;
            expect_refused(&b, SNPY_WRITE_NAME, 2, legible(wrong[i].name.bytes, wrong[i].name.length));
        }
    }
    struct builder b;
    for (unsigned i = 0; i < 4; i++) {
        begin(&b, record_of(1));
        snpy_field *field = add(&b, 1, "abc", dtype_of("|u1"), 0);
        give_title(&b, field, "def");
        if (i == 0) field->name_length = 7;
        if (i == 1) field->name_offset = 7;
        if (i == 2) field->title_length = 0xffffffff;
        if (i == 3) field->title_offset = 0xffffffff;
        expect_refused(&b, SNPY_WRITE_NAME, 1, "a span beyond the names");
    }
}

/* The contract has names apart from the room. A caller who lays them into it all the same, so that they change while
 * they are written, is refused, and no reader takes what stands there for a header. */
static void test_names_that_are_written_over(void **state)
{
    uint8_t room[256] = {0};
    struct builder b;
    snpy_error error;
    snpy_header header;
    uint64_t size = 12345;
    const snpy_options options = SNPY_OPTIONS_INIT;
    (void)state;
    begin(&b, record_of(1));
    add(&b, 1, "\xc3\xa9", dtype_of("|u1"), 0);
    memcpy(room + 9, "\xc3\xa9", 2); /* the text begins at byte 10 */
    b.description.names = room + 9;
    assert_int_equal(snpy_header_size(&b.description, &size, &error), SNPY_OK);
    assert_int_equal(size, 128);
    assert_int_equal(snpy_write_header(&b.description, room, sizeof room, &size, &error), SNPY_WRITE_NAME);
    assert_true(size == 0 && error.status == SNPY_WRITE_NAME && error.offset == 1);
    assert_int_equal(snpy_parse_header(room, sizeof room, &options, &b.table, &header, &error), SNPY_BAD_MAGIC);
}

static void test_duplicate_names(void **state)
{
    struct builder b;
    (void)state;
    begin(&b, record_of(3));
    add(&b, 1, "a", dtype_of("|u1"), 0);
    add(&b, 1, "b", dtype_of("|u1"), 1);
    add(&b, 1, "a", dtype_of("|u1"), 2);
    expect_refused(&b, SNPY_DUPLICATE_NAME, 3, "two fields of one name");
    begin(&b, record_of(2));
    add(&b, 1, "a", dtype_of("|u1"), 0);
    give_title(&b, add(&b, 1, "b", dtype_of("|u1"), 1), "a");
    expect_refused(&b, SNPY_DUPLICATE_NAME, 2, "a title that is a name");
    begin(&b, record_of(1));
    give_title(&b, add(&b, 1, "a", dtype_of("|u1"), 0), "a");
    expect_refused(&b, SNPY_DUPLICATE_NAME, 1, "a title that is its own name");
    /* Bytes that are no name end it where they stand: they equal each other, and nothing else. */
    begin(&b, record_of(2));
    add(&b, 1, "a\xff", dtype_of("|u1"), 0);
    add(&b, 1, "a\xff", dtype_of("|u1"), 1);
    expect_refused(&b, SNPY_DUPLICATE_NAME, 2, "two names that are none");
    for (uint32_t order = 0; order < 2; order++) {
        begin(&b, record_of(2));
        for (uint32_t i = 0; i < 2; i++) {
            snpy_field *field = add(&b, 1, "", dtype_of("|u1"), i);
            field->name_offset = add_name(&b, i == order ? "\0" : "\xff", 1);
            field->name_length = 1;
        }
        expect_refused(&b, SNPY_WRITE_NAME, 2 - order, "a NUL beside a name that is none");
    }
    begin(&b, record_of(2));
    b.description.encoding = SNPY_NAME_UTF8;
    add(&b, 1, "\xc3\xa9", dtype_of("|u1"), 0);
    add(&b, 1, "\\xe9", dtype_of("|u1"), 1);
    expect_refused(&b, SNPY_DUPLICATE_NAME, 2, "two spellings of one name");
    b.description.encoding = SNPY_NAME_PLAIN;
    expect_text(&b, 1, RECORD("[('\xe9', '|u1'), ('\\\\xe9', '|u1')]"),
                sizeof RECORD("[('\xe9', '|u1'), ('\\\\xe9', '|u1')]") - 1);
    begin(&b, record_of(2));
    add(&b, 1, "a", record_of(1), 0);
    add(&b, 2, "a", dtype_of("|u1"), 0);
    add(&b, 1, "b", record_of(1), 1);
    add(&b, 2, "a", dtype_of("|u1"), 0);
    expect_record(&b, "[('a', [('a', '|u1')]), ('b', [('a', '|u1')])]");
}

/* ---- Versions ---------------------------------------------------------------------------------------------------- */

/* A record whose text, room to grow included, takes exactly that many characters. */
static char *text_of_length(size_t length, size_t *name_length)
{
    static const char before[] = "{'descr': [('";
    static const char behind[] = "', '|u1')], 'fortran_order': False, 'shape': (), }";
    char *text = allocate(length);
    *name_length = length - (sizeof before - 1) - (sizeof behind - 1);
    memcpy(text, before, sizeof before - 1);
    memset(text + sizeof before - 1, 'n', *name_length);
    memcpy(text + sizeof before - 1 + *name_length, behind, sizeof behind - 1);
    return text;
}

static void check_length(size_t length, snpy_version_choice choice, unsigned major, const char *first)
{
    struct builder b;
    size_t name_length = 0;
    char *text = text_of_length(length, &name_length);
    uint8_t *names = allocate(name_length);
    memset(names, 'n', name_length);
    begin(&b, record_of(1));
    add(&b, 1, "", dtype_of("|u1"), 0)->name_length = (uint32_t)name_length;
    b.description.names = names;
    b.description.names_length = name_length;
    b.description.version = choice;
    if (first != NULL) { /* a wide character in place of the first letters */
        memcpy(names, first, strlen(first));
        memcpy(text + strlen("{'descr': [('"), first, strlen(first));
    }
    if (major > 0)
        expect_text(&b, major, text, length);
    else
        expect_refused(&b, SNPY_WRITE_VERSION, 0, "too long for its version");
    free(names);
    free(text);
}

/* The longest text of version 1.0 has 65,524 characters: its header fills 65,536 bytes. */
static void test_version_by_length(void **state)
{
    static const size_t lengths[] = {100, 65460, 65461, 65522, 65523, 65524, 65525, 65526, 65535, 65536, 70000};
    (void)state;
    for (size_t i = 0; i < COUNT(lengths); i++) {
        bool fits = lengths[i] <= 65524;
        check_length(lengths[i], SNPY_VERSION_AUTO, fits ? 1 : 2, NULL);
        check_length(lengths[i], SNPY_VERSION_1_0, fits ? 1 : 0, NULL);
        check_length(lengths[i], SNPY_VERSION_2_0, 2, NULL);
        check_length(lengths[i], SNPY_VERSION_3_0, 3, NULL);
        check_length(lengths[i], SNPY_VERSION_AUTO, 3, "\xe6\x95\xb4");
        check_length(lengths[i], SNPY_VERSION_1_0, 0, "\xe6\x95\xb4");
        check_length(lengths[i], SNPY_VERSION_2_0, 0, "\xe6\x95\xb4");
    }
}

/* Never without a space: where the text ends on the boundary, a full line of padding. */
static void test_padding_of_all_lengths(void **state)
{
    (void)state;
    for (size_t length = 70; length < 70 + 130; length++)
        for (unsigned major = 1; major <= 3; major++) check_length(length, (snpy_version_choice)major, major, NULL);
}

static void test_explicit_versions(void **state)
{
    static const char latin1[] = RECORD("[('\xe9', '|u1')]");
    static const char utf8[] = RECORD("[('\xc3\xa9', '|u1')]");
    struct builder b;
    (void)state;
    begin(&b, record_of(1));
    add(&b, 1, "\xc3\xa9", dtype_of("|u1"), 0);
    for (unsigned major = 0; major <= 3; major++) {
        b.description.version = (snpy_version_choice)major;
        if (major < 3)
            expect_text(&b, major == 0 ? 1 : major, latin1, sizeof latin1 - 1);
        else
            expect_text(&b, 3, utf8, sizeof utf8 - 1);
    }
    b.description.version = (snpy_version_choice)4;
    expect_refused(&b, SNPY_BAD_ARGUMENT, 0, "version 4");
    begin(&b, dtype_of("<f8"));
    for (unsigned encoding = 0; encoding < 7; encoding++) {
        b.description.encoding = (snpy_name_encoding)encoding;
        if (encoding == 1 || encoding == 3 || encoding == 4) continue;
        expect_refused(&b, SNPY_BAD_ARGUMENT, 0, "an encoding that is none");
    }
}

/* write.h names the columns that are read: parent, next and the places of text are not among them. */
static void test_columns_that_are_not_read(void **state)
{
    struct builder b;
    (void)state;
    begin(&b, record_of(49));
    give_shape(&b, add(&b, 1, "a", tuple_of(16), 0), 3, -1, -1);
    give_shape(&b, add(&b, 2, NULL, dtype_of("<f8"), 0), 2, -1, -1);
    add(&b, 1, "b", record_of(1), 48);
    add(&b, 2, "c", dtype_of("|u1"), 0);
    b.header.count = b.header.data_size = 77;
    memset(&b.header.frame, GUARD, sizeof b.header.frame);
    for (size_t i = 0; i < b.table.field_count; i++) {
        b.fields[i].next = 99;
        b.fields[i].type_offset = 0xffffffff;
        b.fields[i].shape_offset = 0xffffffff;
    }
    expect_record(&b, "[('a', ('<f8', (2,)), (3,)), ('b', [('c', '|u1')])]");
}

/* ---- Types of single entries --------------------------------------------------------------------------------------- */

static void test_descr_of_entries(void **state)
{
    static const char text[] =
        "{'descr': [(('t', 'a'), (('<f8', (2,)), (3, 4)), (5,)), ('', '|V3'), ('r', [('x', '|u1'), ('', '|V1'), "
        "('\xe9', "
        "'>U3')], (6,)), ('d', '<M8[25ns]'), ('', [('p', '|O')], (2,))], 'fortran_order': False, 'shape': ()}";
    static const char *const types[] = {
        ("[(('t', 'a'), (('<f8', (2,)), (3, 4)), (5,)), ('', '|V3'), ('r', [('x', '|u1'), ('', '|V1'), ('\xc3\xa9', "
         "'>U3')], (6,)), ('d', '<M8[25ns]'), ('', '|V16')]"),
        "(('<f8', (2,)), (3, 4))",
        "('<f8', (2,))",
        "'<f8'",
        "'|V3'",
        "[('x', '|u1'), ('', '|V1'), ('\xc3\xa9', '>U3')]",
        "'|u1'",
        "'|V1'",
        "'>U3'",
        "'<M8[25ns]'",
        "[('p', '|O')]",
        "'|O'",
    };
    snpy_options options = default_options();
    struct parsed parsed = parse_text(1, text, sizeof text - 1, &options);
    snpy_description description = {&parsed.header,     &parsed.table,    parsed.file + 10,
                                    parsed.length - 10, SNPY_NAME_LATIN1, SNPY_VERSION_AUTO};
    (void)state;
    assert_int_equal(parsed.status, SNPY_OK);
    assert_int_equal(parsed.table.field_count, COUNT(types));
    for (size_t i = 0; i < COUNT(types); i++) {
        size_t length = strlen(types[i]);
        snpy_error error;
        uint64_t size = 0;
        for (size_t capacity = 0; capacity <= length + 1; capacity++) {
            uint8_t *out = allocate(capacity + 8);
            memset(out, GUARD, capacity + 8);
            snpy_status status = snpy_write_descr(&description, i, out, capacity, &size, &error);
            assert_int_equal(status, capacity >= length ? SNPY_OK : SNPY_BUFFER_TOO_SMALL);
            assert_int_equal(error.status, status);
            assert_true(size == length);
            if (status == SNPY_OK)
                expect_that(memcmp(out, types[i], length) == 0, "entry %zu: %s\n", i, legible(out, length));
            assert_true(is_filled(out + capacity, GUARD, 8));
            free(out);
        }
        assert_int_equal(snpy_write_descr(&description, i, NULL, 0, &size, &error), SNPY_BUFFER_TOO_SMALL);
        assert_true(size == length);
    }
    snpy_error error;
    uint64_t size = 0;
    uint8_t out[8];
    assert_int_equal(snpy_write_descr(&description, COUNT(types), out, sizeof out, &size, &error), SNPY_BAD_ARGUMENT);
    assert_int_equal(snpy_write_descr(&description, SIZE_MAX, out, sizeof out, &size, &error), SNPY_BAD_ARGUMENT);
    release(&parsed);
}

/* A type that was read with metadata beside it is written as the type alone. */
static void test_metadata_is_dropped(void **state)
{
    static const char text[] = DESCR("[('a', ('|O', {'vlen': 'str'})), ('b', ('<i4', {}), (2,)), ('', ('|V3', {}))]");
    static const char list[] = "[('a', '|O'), ('b', '<i4', (2,)), ('', '|V3')]";
    snpy_options options = default_options();
    snpy_error error;
    uint64_t size = 0;
    uint8_t out[128];
    (void)state;
    options.compat.metadata = true;
    struct parsed parsed = parse_text(1, text, sizeof text - 1, &options);
    assert_int_equal(parsed.status, SNPY_OK);
    assert_true(parsed.header.has_object);
    assert_int_equal(parsed.header.dtype.itemsize, 19);
    snpy_description description = {&parsed.header,     &parsed.table,    parsed.file + 10,
                                    parsed.length - 10, SNPY_NAME_LATIN1, SNPY_VERSION_AUTO};
    assert_int_equal(snpy_write_descr(&description, 0, out, sizeof out, &size, &error), SNPY_OK);
    expect_that(size == sizeof list - 1 && memcmp(out, list, sizeof list - 1) == 0, "%s\n", legible(out, (size_t)size));
    release(&parsed);
}

/* NPY-HDR-007 */
static void test_normalise_order(void **state)
{
    static const struct {
        uint8_t ndim;
        uint64_t shape[4];
        bool kept;
    } cases[] = {
        {0, {0}, false},       {1, {5}, false},          {1, {0}, false},         {1, {1}, false},
        {2, {2, 3}, true},     {2, {1, 3}, false},       {2, {3, 1}, false},      {2, {1, 1}, false},
        {2, {0, 3}, false},    {2, {3, 0}, false},       {3, {1, 5, 1}, false},   {3, {2, 1, 3}, true},
        {3, {2, 3, 0}, false}, {4, {1, 1, 1, 7}, false}, {4, {1, 2, 1, 2}, true}, {4, {0, 0, 2, 2}, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned order = 0; order < 2; order++) {
            snpy_header header;
            snpy_header expected;
            memset(&header, GUARD, sizeof header);
            header.ndim = cases[i].ndim;
            memcpy(header.shape, cases[i].shape, sizeof cases[i].shape);
            header.fortran_order = order == 1;
            expected = header;
            expected.fortran_order = order == 1 && cases[i].kept;
            snpy_normalise_order(&header);
            assert_memory_equal(&header, &expected, sizeof header);
        }
    }
    snpy_header header;
    memset(&header, 0, sizeof header);
    header.fortran_order = true;
    header.ndim = 64;
    for (unsigned i = 0; i < 64; i++) header.shape[i] = 1;
    header.shape[63] = header.shape[0] = 2;
    snpy_normalise_order(&header);
    assert_true(header.fortran_order);
    header.shape[63] = 0;
    snpy_normalise_order(&header);
    assert_false(header.fortran_order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_bytes),
        cmocka_unit_test(test_simple_types),
        cmocka_unit_test(test_types_that_cannot_be_written),
        cmocka_unit_test(test_shapes_and_growth),
        cmocka_unit_test(test_array_shapes_that_cannot_be_written),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_nested_records_and_subarrays),
        cmocka_unit_test(test_empty_names),
        cmocka_unit_test(test_unreadable_fields),
        cmocka_unit_test(test_tables_that_are_no_trees),
        cmocka_unit_test(test_first_entries),
        cmocka_unit_test(test_inner_entries),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_layouts_that_cannot_be_written),
        cmocka_unit_test(test_subarrays_that_cannot_be_written),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_names_that_cannot_be_written),
        cmocka_unit_test(test_names_that_are_written_over),
        cmocka_unit_test(test_duplicate_names),
        cmocka_unit_test(test_version_by_length),
        cmocka_unit_test(test_padding_of_all_lengths),
        cmocka_unit_test(test_explicit_versions),
        cmocka_unit_test(test_columns_that_are_not_read),
        cmocka_unit_test(test_descr_of_entries),
        cmocka_unit_test(test_metadata_is_dropped),
        cmocka_unit_test(test_normalise_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
