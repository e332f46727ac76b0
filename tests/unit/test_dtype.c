/* test_dtype.c: type strings, held against a slow and independent reading of spec/npy.md.      NPY-DTYPE-001 … 011 */
#include "support.h"

/* What a type string must give: a status and the byte at fault, or a type. */
struct verdict {
    snpy_status status;
    size_t at;
    snpy_dtype dtype;
};

static struct verdict refused(snpy_status status, size_t at)
{
    struct verdict verdict = {status, at, {0, 0, 0, 0, 0}};
    return verdict;
}

/* The table of the specification: one line a kind. Sizes as a list that ends in -1, or a range. */
static const struct kind_row {
    char kind;
    int sizes[8];
    unsigned long long most; /* for kinds of any size */
    unsigned unit_bytes;
    const char *orders; /* allowed */
    char canonical;     /* 0: as written */
} kind_rows[] = {
    {'b', {1, -1}, 0, 1, "|<>", '|'},       {'i', {1, -1}, 0, 1, "|<>", '|'},
    {'u', {1, -1}, 0, 1, "|<>", '|'},       {'i', {2, 4, 8, -1}, 0, 1, "<>", 0},
    {'u', {2, 4, 8, -1}, 0, 1, "<>", 0},    {'f', {2, 4, 8, 16, -1}, 0, 1, "<>", 0},
    {'c', {8, 16, 32, -1}, 0, 1, "<>", 0},  {'S', {-1}, 2147483647, 1, "|<>", '|'},
    {'V', {-1}, 2147483647, 1, "|<>", '|'}, {'U', {-1}, 536870911, 4, "<>", 0},
    {'M', {8, -1}, 0, 1, "<>", 0},          {'m', {8, -1}, 0, 1, "<>", 0},
    {'O', {4, 8, -1}, 0, 1, "|=-", '|'}, /* '-': none */
};

static const char *const units[] = {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"};

static bool is_known_kind(char kind)
{
    for (size_t i = 0; i < COUNT(kind_rows); i++)
        if (kind_rows[i].kind == kind) return true;
    return false;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The line of the table for a kind and size; *too_large where only the bound is missed. */
static const struct kind_row *find_row(char kind, bool has_size, unsigned long long size, bool *too_large)
{
    *too_large = false;
    for (size_t i = 0; i < COUNT(kind_rows); i++) {
        const struct kind_row *row = &kind_rows[i];
        if (row->kind != kind) continue;
        if (kind == 'O' && !has_size) return row;
        if (!has_size) continue;
        if (row->most > 0 && size <= row->most) return row;
        if (row->most > 0) *too_large = true;
        for (size_t k = 0; row->sizes[k] >= 0; k++)
            if ((unsigned long long)row->sizes[k] == size) return row;
    }
    return NULL;
}

/* A datetime's bracket from byte `i` on. */
static struct verdict judge_bracket(const char *type, size_t i, struct verdict verdict)
{
    size_t length = strlen(type);
    verdict.dtype.unit = SNPY_UNIT_GENERIC;
    verdict.dtype.multiplier = 1;
    if (type[i] == '\0') return verdict;
    if (type[i] != '[') return refused(SNPY_BAD_UNIT, i);
    size_t number = ++i;
    if (type[i] == '+' || type[i] == '-') return refused(SNPY_BAD_MULTIPLIER, number);
    while (is_digit(type[i])) i++;
    if (i > number) {
        unsigned long long value = i - number > 12 ? 999999999999 : strtoull(type + number, NULL, 10);
        if (type[number] == '0' || value > 2147483647) return refused(SNPY_BAD_MULTIPLIER, number);
        verdict.dtype.multiplier = (uint32_t)value;
    }
    for (size_t k = 0; k < COUNT(units); k++) {
        size_t letters = strlen(units[k]);
        if (strncmp(type + i, units[k], letters) != 0) continue;
        if (type[i + letters] == '/') return refused(SNPY_UNIT_DIVISOR, i + letters);
        if (type[i + letters] != ']' || i + letters + 1 != length) continue;
        verdict.dtype.unit = (int8_t)(k + 1);
        return verdict;
    }
    return refused(SNPY_BAD_UNIT, i);
}

/* A whole type string without flags; `padding` for the direct type of a field with neither name nor title. */
static struct verdict judge(const char *type, bool padding)
{
    size_t i = 0;
    char order = '-';
    if (type[0] >= 'a' && type[0] <= 'z' && type[1] >= 'a' && type[1] <= 'z') return refused(SNPY_TYPE_NAME, 0);
    if (type[0] != '\0' && strchr("<>=|", type[0]) != NULL) order = type[i++];
    char kind = type[i];
    if (kind == 'a') return refused(SNPY_BYTES_ALIAS, i);
    if (!is_known_kind(kind)) return refused(SNPY_UNKNOWN_TYPE, i);

    size_t first = ++i;
    while (is_digit(type[i])) i++;
    unsigned long long size = i - first > 15 ? 999999999999999 : strtoull(type + first, NULL, 10);
    bool is_time = kind == 'M' || kind == 'm';
    bool too_large = false;
    const struct kind_row *row = find_row(kind, i > first, size, &too_large);
    if (i - first > 1 && type[first] == '0') return refused(SNPY_BAD_TYPE_SIZE, first);
    if (type[i] != '\0' && !is_time) return refused(SNPY_BAD_TYPE_SIZE, first);
    if (row == NULL && ((kind == 'f' && (size == 10 || size == 12)) || (kind == 'c' && (size == 20 || size == 24))))
        return refused(SNPY_PLATFORM_FLOAT, first);
    if (row == NULL) return refused(too_large ? SNPY_TYPE_TOO_LARGE : SNPY_BAD_TYPE_SIZE, first);

    bool allowed = strchr(row->orders, order) != NULL;
    if (!allowed && padding && kind == 'V') allowed = order == '-' || order == '=';
    if (!allowed) return refused(order == '-' || order == '=' ? SNPY_NO_BYTE_ORDER : SNPY_BAD_BYTE_ORDER, 0);
    struct verdict verdict = {SNPY_OK, 0, {0, 0, 0, 0, 0}};
    verdict.dtype.kind = (int8_t)kind;
    verdict.dtype.byteorder = (int8_t)(row->canonical != 0 ? row->canonical : order);
    verdict.dtype.itemsize = kind == 'O' ? 8 : (uint32_t)size * row->unit_bytes;
    return is_time ? judge_bracket(type, i, verdict) : verdict;
}

static bool same_dtype(const snpy_dtype *a, const snpy_dtype *b)
{
    return a->kind == b->kind && a->byteorder == b->byteorder && a->unit == b->unit && a->itemsize == b->itemsize &&
           a->multiplier == b->multiplier;
}

static void check_against(const char *type, const struct verdict *expected, const snpy_options *options,
                          const struct text *before, const struct text *behind, bool is_field)
{
    char text[256];
    int length = snprintf(text, sizeof text, "%s%s%s", before->bytes, type, behind->bytes);
    struct parsed parsed = parse_text(1, text, (size_t)length, options);
    uint64_t offset = expected->status == SNPY_OK ? 0 : 10 + before->length + expected->at;
    expect_that(parsed.status == expected->status && parsed.error.offset == offset,
                "'%s': %s at byte %lld of the string, not %s at %zu\n", legible(type, strlen(type)),
                snpy_status_name(parsed.status), (long long)parsed.error.offset - 10 - (long long)before->length,
                snpy_status_name(expected->status), expected->at);
    if (expected->status == SNPY_OK) {
        const snpy_dtype *got = is_field ? &parsed.table.fields[1].dtype : &parsed.header.dtype;
        expect_that(same_dtype(got, &expected->dtype), "'%s': kind %c, order %c, unit %u, size %u, multiplier %u\n",
                    legible(type, strlen(type)), got->kind, got->byteorder, got->unit, got->itemsize, got->multiplier);
        assert_int_equal(parsed.header.dtype.itemsize, expected->dtype.itemsize);
        assert_int_equal(parsed.header.has_object,
                         expected->dtype.kind == 'O' && !(is_field && parsed.table.fields[1].is_padding));
    }
    release(&parsed);
}

/* As the type of the whole array, of a field, and of a field that may be padding. */
static void check_type(const char *type)
{
    static const struct text before[] = {T("{'descr': '"), T("{'descr': [('a', '"), T("{'descr': [('', '")};
    static const struct text behind[] = {T("', 'fortran_order': False, 'shape': ()}"),
                                         T("')], 'fortran_order': False, 'shape': ()}")};
    snpy_options options = default_options();
    struct verdict verdict = judge(type, false);
    struct verdict padding = judge(type, true);
    check_against(type, &verdict, &options, &before[0], &behind[0], false);
    check_against(type, &verdict, &options, &before[1], &behind[1], true);
    check_against(type, &padding, &options, &before[2], &behind[1], true);
}

static const char *const orders[] = {"", "<", ">", "=", "|", "!", "@", "^", "<<", " ", "u"};

/* Every byte that a string can hold as a kind, with every order and size. */
static void test_every_kind_order_and_size(void **state)
{
    static const char *const odd_sizes[] = {"",
                                            "00",
                                            "01",
                                            "08",
                                            "016",
                                            " 8",
                                            "+8",
                                            "-8",
                                            "8 ",
                                            "8x",
                                            "8,",
                                            "8[s]",
                                            "8.0",
                                            "64",
                                            "127",
                                            "255",
                                            "256",
                                            "264",
                                            "65544",
                                            "536870911",
                                            "536870912",
                                            "1073741824",
                                            "2147483647",
                                            "2147483648",
                                            "4294967295",
                                            "4294967296",
                                            "4294967304",
                                            "9223372036854775808",
                                            "18446744073709551615",
                                            "18446744073709551616",
                                            "18446744073709551624",
                                            "99999999999999999999999999999999999999999"};
    (void)state;
    for (unsigned kind = 0x20; kind < 0x100; kind++) {
        bool known = is_known_kind((char)kind) || kind == 'a';
        if (kind == '\'' || kind == '\\' || kind == 0x7f) continue;
        for (size_t order = 0; order < COUNT(orders); order++) {
            char type[64];
            for (unsigned size = 0; size <= 40; size++) {
                if (!known && size > 8) break;
                (void)snprintf(type, sizeof type, "%s%c%u", orders[order], (int)kind, size);
                check_type(type);
            }
            for (size_t i = 0; i < COUNT(odd_sizes); i++) {
                if (!known && i > 4) break;
                (void)snprintf(type, sizeof type, "%s%c%s", orders[order], (int)kind, odd_sizes[i]);
                check_type(type);
            }
        }
    }
}

/* All units, all multipliers of interest, all endings. */
static void test_every_unit_and_multiplier(void **state)
{
    static const char *const multipliers[] = {"",           "1",          "2",          "7",
                                              "10",         "25",         "1000000",    "2147483646",
                                              "2147483647", "2147483648", "4294967297", "99999999999999999999999",
                                              "0",          "00",         "01",         "+1",
                                              "-1",         "+",          "-",          "18446744073709551617",
                                              " 1",         "1 ",         "0x1"};
    static const char *const more_units[] = {"",    "B",   "generic", "y",  "d",   "H",  "S",  "Ms",    "min",
                                             "nsx", "Ys",  "u",       "n",  "p",   "f",  "a",  "\xb5s", "m ",
                                             " s",  "[s]", "ss",      "mm", "s,s", "Xs", "nS", "NS",    "sm"};
    static const char *const endings[] = {"]", "", "]]", "] ", "/", "/1]", "/2]", "]x", ")"};
    static const char *const starts[] = {"<M8[", ">m8[", "M8[", "=M8[", "|M8[", "<M8", "<M8(", "<M[", "<M4[", "<m08["};
    (void)state;
    for (size_t start = 0; start < COUNT(starts); start++)
        for (size_t i = 0; i < COUNT(multipliers); i++)
            for (size_t k = 0; k < COUNT(units) + COUNT(more_units); k++)
                for (size_t end = 0; end < COUNT(endings); end++) {
                    const char *unit = k < COUNT(units) ? units[k] : more_units[k - COUNT(units)];
                    char type[96];
                    if (start > 1 && (k % 5 > 0 || i % 4 > 0)) continue;
                    if (k >= COUNT(units) && endings[end][0] == '/') continue;
                    (void)snprintf(type, sizeof type, "%s%s%s%s", starts[start], multipliers[i], unit, endings[end]);
                    check_type(type);
                }
}

/* Strings that look like types, or that NumPy takes for one. */
static void test_strings_of_other_kinds(void **state)
{
    static const char *const types[] = {
        "",
        "<",
        ">",
        "=",
        "|",
        "<>",
        "i4,f8",
        "3i4",
        "(2,3)f8",
        "<f8,<f8",
        "f",
        "d",
        "?",
        "e",
        "g",
        "l",
        "q",
        "P",
        "T",
        "T16",
        "|T",
        "<f",
        "|S",
        "<U",
        "|V",
        "O",
        "|O",
        "=O",
        "<O",
        ">O",
        "O4",
        "O8",
        "|O8",
        "<O8",
        "O0",
        "O16",
        "O04",
        "OO",
        "a",
        "a5",
        "|a5",
        "<a5",
        "=a",
        "<f12",
        ">f10",
        "=f12",
        "f12",
        "|f12",
        "<c24",
        ">c20",
        "=f3",
        "f3",
        "|f3",
        "|i4",
        "|U3",
        "=i1",
        "b1",
        "=S3",
        "V3",
        "=V3",
        "<V3",
        "|V0",
        "|S0",
        "<U0",
        "float64",
        "int",
        "bool",
        "object",
        "str",
        "datetime64[ns]",
        "ab",
        "zz",
        "aB",
        "f\xe9",
        "M8",
        "=M8",
        "m8[s]",
        "|m8[s]",
        "<M8[s/2]",
        "<M8[D/24]",
        "<M8[",
        "<M8[]",
        "<M8[5]",
        "<M8[s",
        "<M8[5s",
        "<M8[s]]",
        "<M8[s] ",
        "<M8x",
        "<M8 [s]",
        "<M88[s]",
        "<m8[]",
        "<M8[s/]",
        "<M8[25s/",
        "<M8[m/2",
        "<U536870911",
        "<U536870912",
        "|S2147483648",
        "|V2147483647",
        "<g8",
        "<<f8",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(types); i++) check_type(types[i]);
}

/* A field with an empty name and no title: its direct void type, and nothing else, may lack its order. */
static void test_order_of_padding(void **state)
{
    static const struct marked cases[] = {
        GOOD(DESCR("[('', 'V3')]")),
        GOOD(DESCR("[('', '=V3')]")),
        GOOD(DESCR("[('', '|V3')]")),
        GOOD(DESCR("[('', '>V3')]")),
        GOOD(DESCR("[('', 'V3', (2,))]")),
        GOOD(DESCR("[('a', [('', 'V3')])]")),
        BAD(DESCR("[('a', '^V3')]"), SNPY_NO_BYTE_ORDER),
        BAD(DESCR("[(('', ''), '^V3')]"), SNPY_NO_BYTE_ORDER),
        BAD(DESCR("[(('t', ''), '^=V3')]"), SNPY_NO_BYTE_ORDER),
        BAD(DESCR("[('', ('^V3', (2,)), (3,))]"), SNPY_NO_BYTE_ORDER),
        BAD(DESCR("[('', [('a', '^V3')])]"), SNPY_NO_BYTE_ORDER),
        BAD(DESCR("[('', '^S3')]"), SNPY_NO_BYTE_ORDER),
        BAD(DESCR("[('', '^i4', (2,))]"), SNPY_NO_BYTE_ORDER),
        BAD(DESCR("'^V3'"), SNPY_NO_BYTE_ORDER),
    };
    snpy_options options = default_options();
    (void)state;
    expect_all_marked(1, 3, cases, COUNT(cases), &options);
}

/* The earliest type at fault, wherever it is nested. */
static void test_earliest_type(void **state)
{
    static const struct marked cases[] = {
        BAD(DESCR("[('a', '<f^3'), ('b', '<z8')]"), SNPY_BAD_TYPE_SIZE),
        BAD(DESCR("[('a', '<^z8'), ('b', '<f3')]"), SNPY_UNKNOWN_TYPE),
        BAD(DESCR("[('a', [('b', '<f8'), ('c', '^|f8')]), ('d', '<z8')]"), SNPY_BAD_BYTE_ORDER),
        BAD(DESCR("[('a', ('^f8', (2,)), (3,)), ('d', '<z8')]"), SNPY_NO_BYTE_ORDER),
    };
    snpy_options options = default_options();
    (void)state;
    expect_all_marked(1, 3, cases, COUNT(cases), &options);
}

/* ---- Flags ------------------------------------------------------------------------------------------------------- */

/* One type string under one flag: what it is read as, or NULL if the flag does not make it pass. */
struct flagged {
    const char *type;
    const char *read_as;
};

static void check_flagged(const struct flagged *cases, size_t count, const snpy_options *options)
{
    static const struct text before = T("{'descr': '");
    static const struct text behind = T("', 'fortran_order': False, 'shape': ()}");
    for (size_t i = 0; i < count; i++) {
        struct verdict expected = judge(cases[i].read_as != NULL ? cases[i].read_as : cases[i].type, false);
        assert_int_equal(cases[i].read_as != NULL, expected.status == SNPY_OK);
        check_against(cases[i].type, &expected, options, &before, &behind, false);
    }
}

static void test_flag_native_order(void **state)
{
    static const struct flagged cases[] = {
        {"f8", "<f8"},
        {"=f8", "<f8"},
        {"i2", "<i2"},
        {"=U3", "<U3"},
        {"U0", "<U0"},
        {"b1", "|b1"},
        {"=i1", "|i1"},
        {"S5", "|S5"},
        {"=V5", "|V5"},
        {"M8", "<M8"},
        {"=m8[5ns]", "<m8[5ns]"},
        {">f8", ">f8"},
        {"O", "|O"},
        {"=O8", "|O"},
        {"c16", "<c16"},
        {"|f8", NULL},
        {"f3", NULL},
        {"=f12", NULL},
        {"float64", NULL},
        {"<O", NULL},
        {"a5", NULL},
        {"<M8[s/2]", NULL},
        {"", NULL},
    };
    snpy_options options = default_options();
    (void)state;
    options.compat.native_order = true;
    check_flagged(cases, COUNT(cases), &options);
}

static void test_flag_type_names(void **state)
{
    static const struct flagged cases[] = {
        {"bool", "|b1"},
        {"int8", "|i1"},
        {"int16", "<i2"},
        {"int32", "<i4"},
        {"int64", "<i8"},
        {"uint8", "|u1"},
        {"uint16", "<u2"},
        {"uint32", "<u4"},
        {"uint64", "<u8"},
        {"float16", "<f2"},
        {"float32", "<f4"},
        {"float64", "<f8"},
        {"complex64", "<c8"},
        {"complex128", "<c16"},
        {"object", "|O"},
        {"datetime64", "<M8"},
        {"timedelta64", "<m8"},
        {"datetime64[ns]", "<M8[ns]"},
        {"timedelta64[25s]", "<m8[25s]"},
        {"int", NULL},
        {"uint", NULL},
        {"float", NULL},
        {"complex", NULL},
        {"str", NULL},
        {"bytes", NULL},
        {"long", NULL},
        {"longdouble", NULL},
        {"int128", NULL},
        {"int1", NULL},
        {"int064", NULL},
        {"float8", NULL},
        {"float128", NULL},
        {"float064", NULL},
        {"complex32", NULL},
        {"complex256", NULL},
        {"bool8", NULL},
        {"bool0", NULL},
        {"object8", NULL},
        {"object0", NULL},
        {"datetime32", NULL},
        {"datetime", NULL},
        {"datetimes64", NULL},
        {"float64x", NULL},
        {"float64 ", NULL},
        {"int32,int32", NULL},
        {"boolean", NULL},
        {"uint18446744073709551624", NULL},
        {"int4294967304", NULL},
        {"unt8", NULL},
        {"imt8", NULL},
        {"inx8", NULL},
        {"boom", NULL},
        {"uinx8", NULL},
        {"flout64", NULL},
        {"floax64", NULL},
        {"objekt", NULL},
        {"complicated", NULL},
        {"comblex64", NULL},
        {"compley64", NULL},
        {"datatime64", NULL},
        {"datetine64", NULL},
        {"timezelta64", NULL},
        {"timedelto64", NULL},
        {"int|8", NULL},
        {"float{64", NULL},
    };
    static const struct marked brackets[] = {
        BAD(DESCR("'datetime64[^B]'"), SNPY_BAD_UNIT),
        BAD(DESCR("'datetime64[^0s]'"), SNPY_BAD_MULTIPLIER),
        BAD(DESCR("'timedelta64[s^/2]'"), SNPY_UNIT_DIVISOR),
        BAD(DESCR("'<f^loat64'"), SNPY_BAD_TYPE_SIZE),
    };
    snpy_options options = default_options();
    (void)state;
    options.compat.type_names = true;
    check_flagged(cases, COUNT(cases), &options);
    expect_all_marked(1, 3, brackets, COUNT(brackets), &options);
}

static void test_flag_bytes_alias(void **state)
{
    static const struct flagged cases[] = {
        {"|a5", "|S5"},
        {"<a5", "|S5"},
        {">a0", "|S0"},
        {"|a2147483647", "|S2147483647"},
    };
    static const struct marked others[] = {
        BAD(DESCR("'^a5'"), SNPY_NO_BYTE_ORDER),
        BAD(DESCR("'^=a5'"), SNPY_NO_BYTE_ORDER),
        BAD(DESCR("'|a^'"), SNPY_BAD_TYPE_SIZE),
        BAD(DESCR("'|a^05'"), SNPY_BAD_TYPE_SIZE),
        BAD(DESCR("'|a^2147483648'"), SNPY_TYPE_TOO_LARGE),
    };
    snpy_options options = default_options();
    (void)state;
    options.compat.bytes_alias = true;
    check_flagged(cases, COUNT(cases), &options);
    expect_all_marked(1, 3, others, COUNT(others), &options);
}

static void test_flag_platform_float(void **state)
{
    static const struct {
        const char *type;
        snpy_dtype dtype;
    } cases[] = {
        {"<f10", {'f', '<', 0, 10, 0}}, {">f10", {'f', '>', 0, 10, 0}}, {"<f12", {'f', '<', 0, 12, 0}},
        {">f12", {'f', '>', 0, 12, 0}}, {"<c20", {'c', '<', 0, 20, 0}}, {">c24", {'c', '>', 0, 24, 0}},
    };
    static const struct marked others[] = {
        BAD(DESCR("'^f12'"), SNPY_NO_BYTE_ORDER),   BAD(DESCR("'^|f10'"), SNPY_BAD_BYTE_ORDER),
        BAD(DESCR("'<f^20'"), SNPY_BAD_TYPE_SIZE),  BAD(DESCR("'<c^10'"), SNPY_BAD_TYPE_SIZE),
        BAD(DESCR("'<f^14'"), SNPY_BAD_TYPE_SIZE),  BAD(DESCR("'<i^12'"), SNPY_BAD_TYPE_SIZE),
        BAD(DESCR("'<f^012'"), SNPY_BAD_TYPE_SIZE),
    };
    static const struct text before = T("{'descr': '");
    static const struct text behind = T("', 'fortran_order': False, 'shape': ()}");
    snpy_options options = default_options();
    (void)state;
    options.compat.platform_float = true;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct verdict expected = {SNPY_OK, 0, cases[i].dtype};
        check_against(cases[i].type, &expected, &options, &before, &behind, false);
    }
    expect_all_marked(1, 3, others, COUNT(others), &options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_order_and_size),
        cmocka_unit_test(test_every_unit_and_multiplier),
        cmocka_unit_test(test_strings_of_other_kinds),
        cmocka_unit_test(test_order_of_padding),
        cmocka_unit_test(test_earliest_type),
        cmocka_unit_test(test_flag_native_order),
        cmocka_unit_test(test_flag_type_names),
        cmocka_unit_test(test_flag_bytes_alias),
        cmocka_unit_test(test_flag_platform_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
