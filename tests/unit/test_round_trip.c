/* test_round_trip.c: what is written is read back as it was, and written again to the same bytes.   NPY-WRITE-001 … 010 */
#include "support.h"

/* ---- Simple types ------------------------------------------------------------------------------------------------ */

static const struct {
    char kind;
    const char *orders;
    uint32_t itemsizes[6]; /* ends in 99 */
} simple_types[] = {
    {'b', "|", {1, 99}},
    {'i', "|", {1, 99}},
    {'u', "|", {1, 99}},
    {'i', "<>", {2, 4, 8, 99}},
    {'u', "<>", {2, 4, 8, 99}},
    {'f', "<>", {2, 4, 8, 16, 99}},
    {'c', "<>", {8, 16, 32, 99}},
    {'S', "|", {0, 1, 10, 2147483647, 99}},
    {'V', "|", {0, 1, 10, 2147483647, 99}},
    {'U', "<>", {0, 4, 40, 2147483644, 99}},
    {'M', "<>", {8, 99}},
    {'m', "<>", {8, 99}},
    {'O', "|", {8, 99}},
};

static const struct {
    uint8_t ndim;
    uint64_t shape[3];
} shapes[] = {
    {0, {0}},       {1, {0}},        {1, {1}}, {1, {12345678}}, {2, {2, 3}}, {2, {3, 0}}, {2, {1, 4294967295}},
    {3, {2, 3, 4}}, {3, {0, 1, 10}},
};

static unsigned round_trips;

static bool same_dtype(const snpy_dtype *a, const snpy_dtype *b)
{
    return a->kind == b->kind && a->byteorder == b->byteorder && a->unit == b->unit && a->itemsize == b->itemsize &&
           a->multiplier == b->multiplier;
}

/* Writes, in memory of exactly the size announced. */
static uint8_t *write_all(const snpy_description *description, uint64_t *size)
{
    snpy_error error;
    uint64_t announced = 0;
    snpy_status status = snpy_header_size(description, &announced, &error);
    expect_that(status == SNPY_OK, "%s at entry %llu\n", snpy_status_name(status), (unsigned long long)error.offset);
    uint8_t *out = allocate((size_t)announced);
    assert_int_equal(snpy_write_header(description, out, (size_t)announced, size, &error), SNPY_OK);
    assert_true(*size == announced);
    return out;
}

/* Reads what was written and writes it again in the version it has. */
static struct parsed read_back(const uint8_t *file, uint64_t size)
{
    snpy_options options = default_options();
    uint64_t again = 0;
    struct parsed parsed = parse_file(file, (size_t)size, &options);
    expect_that(parsed.status == SNPY_OK, "%s at %llu: %s\n", snpy_status_name(parsed.status),
                (unsigned long long)parsed.error.offset, legible(file, (size_t)size));
    assert_true(parsed.header.frame.data_offset == size);
    snpy_description description = {&parsed.header,
                                    &parsed.table,
                                    parsed.file + parsed.text_offset,
                                    parsed.length - parsed.text_offset,
                                    parsed.header.frame.major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1,
                                    (snpy_version_choice)parsed.header.frame.major};
    uint8_t *second = write_all(&description, &again);
    expect_that(again == size && memcmp(file, second, (size_t)size) == 0, "first  %s\nsecond %s\n",
                legible(file, (size_t)size), legible(second, (size_t)again));
    free(second);
    return parsed;
}

static void compare_headers(const snpy_header *got, const snpy_header *expected)
{
    uint64_t count = 1;
    assert_true(same_dtype(&got->dtype, &expected->dtype));
    assert_int_equal(got->fortran_order, expected->fortran_order);
    assert_int_equal(got->ndim, expected->ndim);
    for (unsigned i = 0; i < got->ndim; i++) {
        assert_true(got->shape[i] == expected->shape[i]);
        count *= got->shape[i];
    }
    assert_true(got->count == count);
    assert_true(got->data_size == (got->has_object ? 0 : count * got->dtype.itemsize));
    round_trips++;
}

static void check_simple(snpy_dtype dtype)
{
    for (size_t i = 0; i < COUNT(shapes); i++) {
        for (unsigned order = 0; order < 2; order++) {
            for (unsigned version = 0; version <= 3; version++) {
                snpy_header header;
                snpy_table table = {NULL, 0, NULL, 0, 0, 0};
                uint64_t size = 0;
                memset(&header, 0, sizeof header);
                header.dtype = dtype;
                header.fortran_order = order == 1;
                header.ndim = shapes[i].ndim;
                memcpy(header.shape, shapes[i].shape, sizeof shapes[i].shape);
                snpy_description description = {&header, &table,          NULL,
                                                0,       SNPY_NAME_PLAIN, (snpy_version_choice)version};
                uint8_t *file = write_all(&description, &size);
                struct parsed parsed = read_back(file, size);
                assert_int_equal(parsed.header.frame.major, version == 0 ? 1 : version);
                assert_int_equal(parsed.header.has_object, dtype.kind == 'O');
                assert_int_equal(parsed.table.field_count, 0);
                compare_headers(&parsed.header, &header);
                release(&parsed);
                free(file);
            }
        }
    }
}

static void test_simple_headers(void **state)
{
    static const uint32_t multipliers[] = {1, 2, 10, 2147483647};
    (void)state;
    round_trips = 0;
    for (size_t i = 0; i < COUNT(simple_types); i++) {
        bool is_time = simple_types[i].kind == 'M' || simple_types[i].kind == 'm';
        for (const char *order = simple_types[i].orders; *order != '\0'; order++) {
            for (size_t k = 0; simple_types[i].itemsizes[k] != 99; k++) {
                snpy_dtype dtype = {(int8_t)simple_types[i].kind, (int8_t)*order, 0, simple_types[i].itemsizes[k],
                                    is_time ? 1 : 0};
                check_simple(dtype);
                for (int8_t unit = 1; is_time && unit <= SNPY_UNIT_ATTOSECOND; unit++) {
                    for (size_t m = 0; m < COUNT(multipliers); m++) {
                        dtype.unit = unit;
                        dtype.multiplier = multipliers[m];
                        check_simple(dtype);
                    }
                }
            }
        }
    }
    print_message("%u headers\n", round_trips);
    assert_true(round_trips > 10000);
}

/* ---- Random records ---------------------------------------------------------------------------------------------- */

enum { MAX_FIELDS = 12, MAX_ENTRIES = 40, MAX_LEVEL = 4, TREES = 20000 };

static uint64_t random_state;

static uint32_t below(uint32_t bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 20) % bound;
}

struct tree {
    snpy_header header;
    snpy_field fields[MAX_ENTRIES];
    int32_t dims[MAX_ENTRIES * 3];
    snpy_table table;
    uint8_t names[MAX_ENTRIES * 2 * 40];
    size_t names_length;
    unsigned fields_left;
    bool is_wide;
};

/* What happened in all trees: a generator that never does something proves nothing. */
static struct {
    unsigned nested, tuples, titles, gaps, empty_names, empty_dims, wide, surrogates, deepest;
} seen;

static void put_utf8(struct tree *t, uint32_t c)
{
    uint8_t *out = t->names + t->names_length;
    if (c < 0x80) {
        out[0] = (uint8_t)c;
        t->names_length += 1;
    } else if (c < 0x800) {
        out[0] = (uint8_t)(0xc0 | c >> 6);
        out[1] = (uint8_t)(0x80 | (c & 0x3f));
        t->names_length += 2;
    } else if (c < 0x10000) {
        out[0] = (uint8_t)(0xe0 | c >> 12);
        out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (c & 0x3f));
        t->names_length += 3;
    } else {
        out[0] = (uint8_t)(0xf0 | c >> 18);
        out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
        out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        out[3] = (uint8_t)(0x80 | (c & 0x3f));
        t->names_length += 4;
    }
}

static void put_random_character(struct tree *t)
{
    static const uint8_t awkward[] = {'\'', '"', '\\', '\n', '\r', '\t', 0,   0x1f,
                                      0x7f, ' ', ',',  ')',  ']',  '}',  '#', 'u'};
    switch (below(10)) {
    case 0:
        put_utf8(t, 0x80 + below(0x80));
        break;
    case 1:
        if (below(4) > 0) break;
        t->is_wide = true;
        put_utf8(t, 0x4e00 + below(0x5000)); /* CJK: all printable in Unicode 14.0 */
        break;
    case 2:
        if (below(2) > 0) break;
        seen.surrogates++;
        put_utf8(t, 0xd800 + below(0x800));
        break;
    case 3:
        put_utf8(t, 0xe000 + below(0x1900)); /* private use: always escaped */
        break;
    case 4:
    case 5:
        put_utf8(t, awkward[below(sizeof awkward)]);
        break;
    case 6:
        if (below(8) > 0) break;
        t->is_wide = true;
        put_utf8(t, 0x1f600 + below(0x40));
        break;
    default:
        put_utf8(t, 0x20 + below(0x5f));
        break;
    }
}

/* Whether a sibling has that name or title already. */
static bool is_taken(const struct tree *t, uint32_t parent, size_t offset, size_t length)
{
    for (size_t i = 1; i < t->table.field_count; i++) {
        const snpy_field *field = &t->fields[i];
        if (field->parent != parent || !field->has_name) continue;
        if (field->name_length == length && memcmp(t->names + field->name_offset, t->names + offset, length) == 0)
            return true;
        if (field->has_title && field->title_length == length &&
            memcmp(t->names + field->title_offset, t->names + offset, length) == 0)
            return true;
    }
    return false;
}

/* A new name that no sibling has; an empty one where that is allowed. */
static void make_name(struct tree *t, uint32_t parent, bool may_be_empty, uint32_t *offset, uint32_t *length)
{
    bool was_wide = t->is_wide;
    for (;;) {
        size_t start = t->names_length;
        for (uint32_t k = below(6) + (may_be_empty ? 0 : 1); k > 0; k--) put_random_character(t);
        size_t size = t->names_length - start;
        if ((size > 0 || may_be_empty) && !is_taken(t, parent, start, size)) {
            *offset = (uint32_t)start;
            *length = (uint32_t)size;
            return;
        }
        t->names_length = start;
        t->is_wide = was_wide;
    }
}

static void make_simple(snpy_dtype *dtype)
{
    uint32_t row = below(COUNT(simple_types));
    uint32_t sizes = 0;
    while (simple_types[row].itemsizes[sizes] != 99) sizes++;
    dtype->kind = (int8_t)simple_types[row].kind;
    dtype->byteorder = (int8_t)simple_types[row].orders[below((uint32_t)strlen(simple_types[row].orders))];
    dtype->itemsize = simple_types[row].itemsizes[below(sizes)];
    if (dtype->itemsize > 100) dtype->itemsize = 20;
    if (dtype->kind == 'M' || dtype->kind == 'm') {
        dtype->unit = (int8_t)below(14);
        dtype->multiplier = dtype->unit == 0 || below(2) == 0 ? 1 : 1 + below(100);
    }
}

/* Up to three dimensions of a product of at most four, sometimes an empty one. */
static void make_shape(struct tree *t, snpy_field *field, uint32_t least, bool may_be_empty)
{
    uint32_t ndim = least + below(3);
    field->itemsize = field->dtype.itemsize;
    if (field->dtype.itemsize == 0) return;
    field->first_dim = (uint32_t)t->table.dim_count;
    field->ndim = (uint16_t)ndim;
    uint32_t product = 1;
    for (uint32_t k = 0; k < ndim; k++) {
        int32_t dim = product > 2 ? 1 : 1 + (int32_t)below(2);
        if (may_be_empty && below(20) == 0) {
            dim = 0;
            seen.empty_dims++;
        }
        if (dim > 0) product *= (uint32_t)dim;
        t->dims[t->table.dim_count++] = dim;
        field->itemsize *= (uint64_t)dim;
    }
}

static snpy_field *new_entry(struct tree *t, uint16_t depth, uint32_t parent, uint32_t *entry)
{
    *entry = (uint32_t)t->table.field_count++;
    snpy_field *field = &t->fields[*entry];
    field->depth = depth;
    field->parent = parent;
    if (depth > seen.deepest) seen.deepest = depth;
    return field;
}

static void make_type(struct tree *t, uint32_t entry, uint16_t depth);

static void make_record(struct tree *t, uint32_t entry, uint16_t depth)
{
    snpy_dtype *dtype = &t->fields[entry].dtype;
    uint32_t count = below(5) + (entry == 0 ? 1 : 0);
    uint64_t end = 0;
    dtype->kind = SNPY_KIND_RECORD;
    dtype->byteorder = '|';
    for (uint32_t k = 0; k < count && t->fields_left > 0; k++) {
        uint32_t child = 0;
        t->fields_left--;
        if (below(5) == 0) {
            end += 1 + below(12);
            seen.gaps++;
        }
        snpy_field *field = new_entry(t, (uint16_t)(depth + 1), entry, &child);
        field->offset = (int64_t)end;
        make_type(t, child, (uint16_t)(depth + 1));
        if (field->dtype.kind == SNPY_KIND_SUBARRAY)
            make_shape(t, field, 1, true);
        else
            make_shape(t, field, 0, true);
        if (below(4) == 0) {
            make_name(t, entry, true, &field->title_offset, &field->title_length);
            field->has_title = true;
            seen.titles++;
        }
        bool may_be_empty = field->has_title || (field->ndim == 0 && field->dtype.kind != SNPY_KIND_VOID);
        field->has_name = true;
        field->name_length = 0xffffffff; /* not a name yet */
        make_name(t, entry, may_be_empty, &field->name_offset, &field->name_length);
        if (field->name_length == 0) seen.empty_names++;
        end += field->itemsize;
    }
    if (below(6) == 0) end += below(9);
    dtype->itemsize = (uint32_t)end;
    t->fields[entry].itemsize = end;
}

/* A tuple around a type: only where that type has bytes. */
static bool make_tuple(struct tree *t, uint32_t entry, uint16_t depth)
{
    uint32_t inner = 0;
    size_t fields = t->table.field_count;
    size_t dims = t->table.dim_count;
    snpy_field *field = new_entry(t, (uint16_t)(depth + 1), entry, &inner);
    make_type(t, inner, (uint16_t)(depth + 1));
    if (field->dtype.itemsize == 0) {
        memset(&t->fields[fields], 0, (t->table.field_count - fields) * sizeof(snpy_field));
        t->table.field_count = fields;
        t->table.dim_count = dims;
        return false;
    }
    make_shape(t, field, 1, false);
    t->fields[entry].dtype.kind = SNPY_KIND_SUBARRAY;
    t->fields[entry].dtype.byteorder = '|';
    t->fields[entry].dtype.itemsize = (uint32_t)field->itemsize;
    seen.tuples++;
    return true;
}

static void make_type(struct tree *t, uint32_t entry, uint16_t depth)
{
    uint32_t choice = depth < MAX_LEVEL ? below(8) : 7;
    if (choice == 0 && t->fields_left > 0 && make_tuple(t, entry, depth)) return;
    if (choice <= 2) {
        seen.nested++;
        make_record(t, entry, depth);
        return;
    }
    make_simple(&t->fields[entry].dtype);
}

static void make_tree(struct tree *t)
{
    uint32_t root = 0;
    memset(t, 0, sizeof *t);
    t->table.fields = t->fields;
    t->table.field_capacity = MAX_ENTRIES;
    t->table.dims = t->dims;
    t->table.dim_capacity = COUNT(t->dims);
    t->fields_left = MAX_FIELDS;
    (void)new_entry(t, 0, 0, &root);
    make_record(t, 0, 0);
    t->header.dtype = t->fields[0].dtype;
    t->header.fortran_order = below(2) == 0;
    t->header.ndim = (uint8_t)below(4);
    for (unsigned i = 0; i < t->header.ndim; i++) t->header.shape[i] = below(100);
}

/* A name that was read, decoded, against one that was written. */
static void compare_name(const struct parsed *parsed, uint32_t offset, uint32_t length, const struct tree *t,
                         uint32_t plain_offset, uint32_t plain_length)
{
    uint8_t decoded[128];
    uint64_t size = 0;
    size_t surrogates = 0;
    snpy_name_encoding encoding = parsed->header.frame.major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1;
    assert_int_equal(snpy_name_decode(parsed->file + parsed->text_offset, parsed->length - parsed->text_offset, offset,
                                      length, encoding, decoded, sizeof decoded, &size, &surrogates),
                     SNPY_OK);
    expect_that(size == plain_length && memcmp(decoded, t->names + plain_offset, plain_length) == 0, "%s, not %s\n",
                legible(decoded, (size_t)size), legible(t->names + plain_offset, plain_length));
}

/* Every field that was written, in the order of the table; what the parser adds besides is padding. */
static void compare_tables(const struct parsed *parsed, const struct tree *t)
{
    size_t k = 0;
    for (size_t i = 0; i < parsed->table.field_count; i++) {
        const snpy_field *got = &parsed->table.fields[i];
        const snpy_field *expected = &t->fields[k];
        if (got->is_padding) {
            assert_int_equal(got->dtype.kind, 'V');
            assert_int_equal(got->ndim, 0);
            continue;
        }
        assert_true(k < t->table.field_count);
        k++;
        expect_that(same_dtype(&got->dtype, &expected->dtype), "entry %zu: kind %c and size %u, not %c and %u\n", i,
                    got->dtype.kind, got->dtype.itemsize, expected->dtype.kind, expected->dtype.itemsize);
        assert_int_equal(got->depth, expected->depth);
        assert_true(got->offset == expected->offset);
        assert_true(got->itemsize == expected->itemsize);
        assert_int_equal(got->has_name, expected->has_name);
        assert_int_equal(got->has_title, expected->has_title);
        assert_int_equal(got->ndim, expected->ndim);
        assert_memory_equal(parsed->table.dims + got->first_dim, t->dims + expected->first_dim,
                            got->ndim * sizeof(int32_t));
        if (got->has_name)
            compare_name(parsed, got->name_offset, got->name_length, t, expected->name_offset, expected->name_length);
        if (got->has_title)
            compare_name(parsed, got->title_offset, got->title_length, t, expected->title_offset,
                         expected->title_length);
    }
    assert_int_equal(k, t->table.field_count);
}

static void test_random_records(void **state)
{
    static struct tree tree;
    (void)state;
    memset(&seen, 0, sizeof seen);
    random_state = 88172645463325252u;
    print_message("seed %llu\n", (unsigned long long)random_state);
    for (unsigned round = 0; round < TREES; round++) {
        uint64_t before = random_state;
        uint64_t size = 0;
        snpy_error error;
        make_tree(&tree);
        snpy_description description = {&tree.header,      &tree.table,     tree.names,
                                        tree.names_length, SNPY_NAME_PLAIN, (snpy_version_choice)below(4)};
        snpy_status status = snpy_header_size(&description, &size, &error);
        bool needs_utf8 = false;
        if (status == SNPY_WRITE_VERSION) { /* only for wide names, and only where 1.0 or 2.0 was asked for */
            assert_true(tree.is_wide);
            assert_true(description.version == SNPY_VERSION_1_0 || description.version == SNPY_VERSION_2_0);
            description.version = SNPY_VERSION_AUTO;
            needs_utf8 = true;
        }
        status = snpy_header_size(&description, &size, &error);
        expect_that(status == SNPY_OK, "tree %u (state %llu): %s at entry %llu\n", round, (unsigned long long)before,
                    snpy_status_name(status), (unsigned long long)error.offset);
        uint8_t *file = write_all(&description, &size);
        struct parsed parsed = read_back(file, size);
        if (needs_utf8) assert_int_equal(parsed.header.frame.major, 3);
        if (parsed.header.frame.major == 3 && description.version == SNPY_VERSION_AUTO) {
            assert_true(tree.is_wide);
            seen.wide++;
        }
        compare_headers(&parsed.header, &tree.header);
        compare_tables(&parsed, &tree);
        release(&parsed);
        free(file);
    }
    print_message("%u records, %u tuples, %u titles, %u gaps, %u empty names, %u empty dimensions, %u of version 3.0\n",
                  seen.nested, seen.tuples, seen.titles, seen.gaps, seen.empty_names, seen.empty_dims, seen.wide);
    assert_true(seen.nested > 1000 && seen.tuples > 1000 && seen.titles > 1000 && seen.gaps > 1000);
    assert_true(seen.empty_names > 100 && seen.empty_dims > 100 && seen.wide > 100 && seen.surrogates > 100);
    assert_int_equal(seen.deepest, MAX_LEVEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simple_headers),
        cmocka_unit_test(test_random_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
