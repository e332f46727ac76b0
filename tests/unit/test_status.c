/* test_status.c: names, rules, sentences and hints of the statuses, and their frozen numbers.               API-STATUS */
#include "support.h"

#define RULES "spec/npy.md"
#define ARCHIVE_RULES "spec/npz.md"
#define OBJECT_RULES "spec/objects.md"

/* Numbers, names and rules never change meaning: a line may be added here, none may be altered. */
static const struct frozen {
    int number;
    const char *name;
    const char *rule;
} frozen[] = {
    {0, "SNPY_OK", NULL},
    {101, "SNPY_BAD_MAGIC", "NPY-FRAME-001"},
    {102, "SNPY_TRUNCATED_PREFIX", "NPY-FRAME-002"},
    {103, "SNPY_UNSUPPORTED_VERSION", "NPY-FRAME-003"},
    {201, "SNPY_HEADER_TOO_LONG", "NPY-FRAME-005"},
    {202, "SNPY_TRUNCATED_HEADER", "NPY-FRAME-006"},
    {301, "SNPY_BAD_UTF8", "NPY-FRAME-007"},
    {401, "SNPY_UNEXPECTED_END", "NPY-LIT-001"},
    {402, "SNPY_NOT_A_DICT", "NPY-LIT-002"},
    {403, "SNPY_TRAILING_TEXT", "NPY-LIT-003"},
    {404, "SNPY_EXPECTED_STRING", "NPY-LIT-004"},
    {405, "SNPY_CONTROL_IN_STRING", "NPY-LIT-005"},
    {406, "SNPY_BAD_ESCAPE", "NPY-LIT-006"},
    {407, "SNPY_CODE_POINT_RANGE", "NPY-LIT-007"},
    {408, "SNPY_ESCAPE_IN_TYPE", "NPY-LIT-008"},
    {409, "SNPY_EXPECTED_COLON", "NPY-LIT-009"},
    {410, "SNPY_EXPECTED_COMMA", "NPY-LIT-010"},
    {411, "SNPY_EXPECTED_CLOSE", "NPY-LIT-011"},
    {412, "SNPY_EXPECTED_TYPE", "NPY-LIT-012"},
    {413, "SNPY_TOP_LEVEL_SUBARRAY", "NPY-LIT-013"},
    {414, "SNPY_EXPECTED_FIELD", "NPY-LIT-014"},
    {415, "SNPY_EXPECTED_SHAPE", "NPY-LIT-015"},
    {416, "SNPY_SHAPE_NOT_A_TUPLE", "NPY-LIT-016"},
    {417, "SNPY_BAD_DIMENSION", "NPY-LIT-017"},
    {418, "SNPY_SIGNED_DIMENSION", "NPY-LIT-018"},
    {419, "SNPY_LEADING_ZERO", "NPY-LIT-019"},
    {420, "SNPY_LONG_SUFFIX", "NPY-LIT-020"},
    {421, "SNPY_UNKNOWN_KEY", "NPY-HDR-001"},
    {422, "SNPY_DUPLICATE_KEY", "NPY-HDR-002"},
    {423, "SNPY_MISSING_KEY", "NPY-HDR-003"},
    {424, "SNPY_BAD_FORTRAN_ORDER", "NPY-HDR-004"},
    {425, "SNPY_TOO_DEEP", "NPY-LIT-021"},
    {426, "SNPY_SUBARRAY_NEEDS_SHAPE", "NPY-LIT-022"},
    {427, "SNPY_ONE_AS_SHAPE", "NPY-LIT-023"},
    {501, "SNPY_UNKNOWN_TYPE", "NPY-DTYPE-001"},
    {502, "SNPY_BAD_BYTE_ORDER", "NPY-DTYPE-002"},
    {503, "SNPY_NO_BYTE_ORDER", "NPY-DTYPE-003"},
    {504, "SNPY_BAD_TYPE_SIZE", "NPY-DTYPE-004"},
    {505, "SNPY_PLATFORM_FLOAT", "NPY-DTYPE-005"},
    {506, "SNPY_TYPE_NAME", "NPY-DTYPE-006"},
    {507, "SNPY_BYTES_ALIAS", "NPY-DTYPE-007"},
    {508, "SNPY_TYPE_TOO_LARGE", "NPY-DTYPE-008"},
    {509, "SNPY_BAD_UNIT", "NPY-DTYPE-009"},
    {510, "SNPY_BAD_MULTIPLIER", "NPY-DTYPE-010"},
    {511, "SNPY_UNIT_DIVISOR", "NPY-DTYPE-011"},
    {601, "SNPY_TOO_MANY_FIELDS", "NPY-HDR-005"},
    {602, "SNPY_TABLE_TOO_SMALL", "API-TABLE"},
    {701, "SNPY_DUPLICATE_NAME", "NPY-DTYPE-012"},
    {801, "SNPY_TOO_MANY_DIMENSIONS", "NPY-SHAPE-001"},
    {901, "SNPY_EMPTY_SUBARRAY_TYPE", "NPY-SHAPE-002"},
    {902, "SNPY_ITEMSIZE_OVERFLOW", "NPY-SHAPE-003"},
    {903, "SNPY_SIZE_OVERFLOW", "NPY-SHAPE-004"},
    {904, "SNPY_DATA_TOO_LARGE", "NPY-DATA-004"},
    {1001, "SNPY_TRUNCATED_DATA", "NPY-DATA-001"},
    {1002, "SNPY_TRAILING_DATA", "NPY-DATA-002"},
    {1003, "SNPY_NO_OBJECTS", "NPY-DATA-003"},
    {1101, "SNPY_NOT_CANONICAL", "NPY-HDR-006"},
    {1201, "SNPY_WRITE_DTYPE", "NPY-WRITE-001"},
    {1202, "SNPY_WRITE_TABLE", "NPY-WRITE-002"},
    {1203, "SNPY_WRITE_LAYOUT", "NPY-WRITE-003"},
    {1204, "SNPY_WRITE_SHAPE", "NPY-WRITE-004"},
    {1205, "SNPY_WRITE_NAME", "NPY-WRITE-005"},
    {1206, "SNPY_WRITE_UNREADABLE", "NPY-WRITE-006"},
    {1207, "SNPY_WRITE_VERSION", "NPY-WRITE-007"},
    {1301, "SNPY_BAD_ARGUMENT", "API-ARGUMENT"},
    {1302, "SNPY_BUFFER_TOO_SMALL", "API-BUFFER"},
    {1303, "SNPY_OBJECT_DATA", "API-OBJECTS"},
    {1304, "SNPY_BAD_INDEX", "API-INDEX"},
    {1305, "SNPY_BAD_SLICE", "API-SLICE"},
    {1306, "SNPY_WRONG_TYPE", "API-TYPE"},
    {1307, "SNPY_VALUE_RANGE", "API-RANGE"},
    {1308, "SNPY_BAD_CODE_POINT", "API-TEXT"},
    {1401, "SNPY_IO_ERROR", "HOST-IO"},
    {1402, "SNPY_NO_MEMORY", "HOST-MEMORY"},
    {1403, "SNPY_HEADER_FULL", "HOST-GROWTH"},
    {1404, "SNPY_FILE_CHANGED", "HOST-CHANGED"},
    {1405, "SNPY_NOT_ALIKE", "HOST-MATCH"},
    {1406, "SNPY_LOCKED", "HOST-LOCK"},
    {1501, "SNPY_ZIP_NO_END", "NPZ-END-002"},
    {1502, "SNPY_ZIP_TRUNCATED_COMMENT", "NPZ-END-003"},
    {1503, "SNPY_ZIP_TRAILING_DATA", "NPZ-END-004"},
    {1504, "SNPY_ZIP_AMBIGUOUS_END", "NPZ-END-005"},
    {1505, "SNPY_ZIP_MULTI_DISK", "NPZ-END-006"},
    {1506, "SNPY_ZIP_BAD_DIRECTORY", "NPZ-END-007"},
    {1507, "SNPY_ZIP_BAD_COUNT", "NPZ-END-008"},
    {1508, "SNPY_ZIP_BAD_LOCATOR", "NPZ-WIDE-002"},
    {1509, "SNPY_ZIP_BAD_WIDE_END", "NPZ-WIDE-003"},
    {1510, "SNPY_ZIP_WIDE_END_DIFFERS", "NPZ-WIDE-004"},
    {1511, "SNPY_ZIP_TOO_MANY_MEMBERS", "NPZ-LIMIT-001"},
    {1601, "SNPY_ZIP_BAD_CENTRAL", "NPZ-DIR-001"},
    {1602, "SNPY_ZIP_TRUNCATED_CENTRAL", "NPZ-DIR-002"},
    {1603, "SNPY_ZIP_VERSION", "NPZ-DIR-003"},
    {1604, "SNPY_ZIP_ENCRYPTED", "NPZ-DIR-004"},
    {1605, "SNPY_ZIP_FLAGS", "NPZ-DIR-005"},
    {1606, "SNPY_ZIP_METHOD", "NPZ-DIR-006"},
    {1607, "SNPY_ZIP_STORED_SIZE", "NPZ-DIR-007"},
    {1608, "SNPY_ZIP_BAD_EXTRA", "NPZ-EXTRA-001"},
    {1609, "SNPY_ZIP_EXTRA_TWICE", "NPZ-EXTRA-002"},
    {1610, "SNPY_ZIP_WIDE_MISSING", "NPZ-EXTRA-003"},
    {1611, "SNPY_ZIP_WIDE_DIFFERS", "NPZ-EXTRA-004"},
    {1612, "SNPY_ZIP_NAME_UTF8", "NPZ-NAME-001"},
    {1613, "SNPY_ZIP_UNICODE_PATH", "NPZ-EXTRA-005"},
    {1614, "SNPY_ZIP_NUL_IN_NAME", "NPZ-NAME-003"},
    {1615, "SNPY_ZIP_EMPTY_NAME", "NPZ-NAME-004"},
    {1616, "SNPY_ZIP_DIRECTORY_DATA", "NPZ-NAME-009"},
    {1701, "SNPY_ZIP_PREFIX", "NPZ-PLACE-001"},
    {1702, "SNPY_ZIP_OVERLAP", "NPZ-PLACE-002"},
    {1703, "SNPY_ZIP_GAP", "NPZ-PLACE-003"},
    {1704, "SNPY_ZIP_BAD_LOCAL", "NPZ-LOCAL-001"},
    {1705, "SNPY_ZIP_TRUNCATED_LOCAL", "NPZ-LOCAL-002"},
    {1706, "SNPY_ZIP_NAME_DIFFERS", "NPZ-LOCAL-003"},
    {1707, "SNPY_ZIP_METHOD_DIFFERS", "NPZ-LOCAL-004"},
    {1708, "SNPY_ZIP_FLAGS_DIFFER", "NPZ-LOCAL-005"},
    {1709, "SNPY_ZIP_SIZE_DIFFERS", "NPZ-LOCAL-006"},
    {1710, "SNPY_ZIP_CRC_DIFFERS", "NPZ-LOCAL-007"},
    {1711, "SNPY_ZIP_OUT_OF_BOUNDS", "NPZ-PLACE-004"},
    {1712, "SNPY_ZIP_NO_DESCRIPTOR", "NPZ-DESC-001"},
    {1713, "SNPY_ZIP_DESCRIPTOR_DIFFERS", "NPZ-DESC-003"},
    {1801, "SNPY_ZIP_DUPLICATE_KEY", "NPZ-NAME-006"},
    {1901, "SNPY_ZIP_MEMBER_TOO_LARGE", "NPZ-LIMIT-002"},
    {1902, "SNPY_ZIP_TOTAL_TOO_LARGE", "NPZ-LIMIT-003"},
    {1903, "SNPY_ZIP_RATIO", "NPZ-LIMIT-004"},
    {1904, "SNPY_ZIP_BAD_DEFLATE", "NPZ-DATA-002"},
    {1905, "SNPY_ZIP_DEFLATE_TRAILING", "NPZ-DATA-003"},
    {1906, "SNPY_ZIP_INFLATED_SIZE", "NPZ-DATA-004"},
    {1907, "SNPY_ZIP_BAD_CRC", "NPZ-DATA-005"},
    {2001, "SNPY_ZIP_PATH_ESCAPES", "NPZ-PATH-001"},
    {2002, "SNPY_ZIP_PATH_NOT_PORTABLE", "NPZ-PATH-002"},
    {2003, "SNPY_ZIP_PATH_COLLIDES", "NPZ-PATH-003"},
    {2101, "SNPY_ZIP_WRITE_KEY", "NPZ-WRITE-001"},
    {2102, "SNPY_ZIP_WRITE_DUPLICATE", "NPZ-WRITE-002"},
    {2201, "SNPY_NO_MEMBER", "API-MEMBER"},
    {2202, "SNPY_NOT_AN_ARRAY", "API-ARRAY"},
    {2301, "SNPY_PKL_TRUNCATED", "NPY-PKL-002"},
    {2302, "SNPY_PKL_OPCODE", "NPY-PKL-003"},
    {2303, "SNPY_PKL_PROTOCOL", "NPY-PKL-004"},
    {2304, "SNPY_PKL_FRAME", "NPY-PKL-005"},
    {2305, "SNPY_PKL_TRAILING", "NPY-PKL-006"},
    {2306, "SNPY_PKL_STACK", "NPY-PKL-007"},
    {2307, "SNPY_PKL_MEMO", "NPY-PKL-008"},
    {2308, "SNPY_PKL_NUMBER", "NPY-PKL-009"},
    {2309, "SNPY_PKL_TEXT", "NPY-PKL-010"},
    {2310, "SNPY_PKL_GLOBAL", "NPY-PKL-011"},
    {2311, "SNPY_PKL_NOT_DATA", "NPY-PKL-012"},
    {2312, "SNPY_PKL_CALL", "NPY-PKL-013"},
    {2313, "SNPY_PKL_STATE", "NPY-PKL-014"},
    {2314, "SNPY_PKL_CONTAINER", "NPY-PKL-015"},
    {2315, "SNPY_PKL_KEY", "NPY-PKL-016"},
    {2316, "SNPY_PKL_DUPLICATE_KEY", "NPY-PKL-017"},
    {2317, "SNPY_PKL_RAW_STRING", "NPY-PKL-018"},
    {2318, "SNPY_PKL_DTYPE", "NPY-PKL-019"},
    {2319, "SNPY_PKL_ARRAY", "NPY-PKL-020"},
    {2320, "SNPY_PKL_RESULT", "NPY-PKL-021"},
    {2321, "SNPY_PKL_HEADER", "NPY-PKL-022"},
    {2322, "SNPY_PKL_TOO_MANY_NODES", "NPY-PKL-023"},
    {2323, "SNPY_PKL_TOO_DEEP", "NPY-PKL-024"},
    {2324, "SNPY_PKL_INTEGER_TOO_LONG", "NPY-PKL-025"},
    {2325, "SNPY_PKL_TOO_MANY_BYTES", "NPY-PKL-026"},
    {2326, "SNPY_PKL_NOT_FLAT", "NPY-PKL-031"},
    {2327, "SNPY_PKL_FLAT_SCHEMA", "NPY-PKL-035"},
};

static char *read_text(const char *path)
{
    size_t length = 0;
    uint8_t *bytes = read_file(path, &length);
    expect_that(bytes != NULL, "%s cannot be read: the tests run from the root of the repository\n", path);
    if (bytes == NULL) abort();
    char *text = realloc(bytes, length + 1);
    if (text == NULL) abort();
    text[length] = '\0';
    return text;
}

static void test_numbers_are_frozen(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(frozen); i++) {
        const char *name = snpy_status_name((snpy_status)frozen[i].number);
        expect_that(strcmp(name, frozen[i].name) == 0, "%d is %s, not %s\n", frozen[i].number, name, frozen[i].name);
        if (i > 0) assert_true(frozen[i - 1].number < frozen[i].number);
    }
}

/* Every entry of the table of statuses, and nothing else, stands in the test's own. */
static void test_table_has_the_same(void **state)
{
    static const struct frozen entries[] = {
#define SNPY_STATUS(name, number, rule, message, hint, example) {number, #name, rule},
#include "safenpy/statuses.h"
    };
    (void)state;
    assert_int_equal(COUNT(entries) + 1, COUNT(frozen)); /* SNPY_OK is no entry */
    for (size_t i = 0; i < COUNT(entries); i++) {
        assert_int_equal(entries[i].number, frozen[i + 1].number);
        assert_string_equal(entries[i].name, frozen[i + 1].name);
        assert_string_equal(entries[i].rule, frozen[i + 1].rule);
    }
}

/* The rule of each status stands in the specification, in one line with the status. */
static void test_rules_are_in_the_specification(void **state)
{
    static const char *const paths[3] = {RULES, ARCHIVE_RULES, OBJECT_RULES};
    char *texts[3] = {read_text(RULES), read_text(ARCHIVE_RULES), read_text(OBJECT_RULES)};
    (void)state;
    for (size_t i = 0; i < COUNT(frozen); i++) {
        snpy_status status = (snpy_status)frozen[i].number;
        if (status == SNPY_OK) continue;
        const char *rule = snpy_status_rule(status);
        bool is_of_archives = strncmp(rule, "NPZ-", 4) == 0;
        size_t document = is_of_archives ? 1 : strncmp(rule, "NPY-PKL-", 8) == 0 ? 2 : 0;
        const char *text = texts[document];
        bool together = false;
        expect_that(strcmp(rule, frozen[i].rule) == 0, "%s reports %s\n", frozen[i].name, rule);
        for (const char *at = strstr(text, rule); at != NULL && !together; at = strstr(at + 1, rule)) {
            /* a row of a table, or the paragraph on the statuses that say nothing of a file */
            bool in_row = is_of_archives || strncmp(rule, "NPY-", 4) == 0;
            const char *end = strstr(at, in_row ? "\n" : "\n\n");
            const char *name = strstr(at, frozen[i].name);
            together = name != NULL && (end == NULL || name < end);
        }
        expect_that(together, "%s and %s do not stand together in %s\n", rule, frozen[i].name, paths[document]);
    }
    free(texts[0]);
    free(texts[1]);
    free(texts[2]);
}

/* Each rule that a status reports has the shape that tools look for. */
static void test_texts_are_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(frozen); i++) {
        snpy_status status = (snpy_status)frozen[i].number;
        const char *message = snpy_status_message(status);
        const char *hint = snpy_status_hint(status);
        assert_non_null(snpy_status_rule(status));
        assert_non_null(message);
        assert_non_null(hint);
        if (status == SNPY_OK) continue;
        expect_that(strlen(message) >= 10 && strlen(hint) >= 10, "%s: too short\n", frozen[i].name);
        expect_that(message[strlen(message) - 1] != '.', "%s: the message ends in a full stop\n", frozen[i].name);
        for (const char *byte = message; *byte != '\0'; byte++) assert_true(*byte >= 0x20 && *byte < 0x7f);
        for (const char *byte = hint; *byte != '\0'; byte++) assert_true(*byte >= 0x20 && *byte < 0x7f);
        for (size_t k = 0; k < i; k++)
            expect_that(strcmp(message, snpy_status_message((snpy_status)frozen[k].number)) != 0,
                        "%s and %s have one message\n", frozen[i].name, frozen[k].name);
    }
}

/* Hints to archives that honest programs write name the program and the way out. */
static void test_hints_name_the_writer(void **state)
{
    const char *trailing = snpy_status_hint(SNPY_ZIP_TRAILING_DATA);
    const char *path = snpy_status_hint(SNPY_ZIP_UNICODE_PATH);
    (void)state;
    assert_non_null(strstr(trailing, "bsdtar adds zeros"));
    assert_non_null(strstr(trailing, "flag zip-trailing"));
    assert_non_null(strstr(path, "7-Zip needs -mcu=on"));
    assert_non_null(strstr(path, "UTF-8"));
}

/* Every other number, and those a caller may make up: the same four texts, never NULL. */
static void test_unknown_values(void **state)
{
    static const int made_up[] = {1407, 1500, 9999, 65536, 0x7fffffff};
    const char *name = snpy_status_name((snpy_status)2000);
    const char *rule = snpy_status_rule((snpy_status)2000);
    const char *message = snpy_status_message((snpy_status)2000);
    const char *hint = snpy_status_hint((snpy_status)2000);
    (void)state;
    assert_string_equal(name, "SNPY_UNKNOWN");
    assert_true(strlen(rule) > 0 && strlen(message) > 0 && strlen(hint) > 0);
    for (int number = 0; number < 3000 + (int)COUNT(made_up); number++) {
        int value = number < 3000 ? number : made_up[number - 3000];
        bool known = false;
        for (size_t i = 0; i < COUNT(frozen); i++) known = known || frozen[i].number == value;
        if (known) {
            assert_string_not_equal(snpy_status_name((snpy_status)value), name);
            continue;
        }
        assert_string_equal(snpy_status_name((snpy_status)value), name);
        assert_string_equal(snpy_status_rule((snpy_status)value), rule);
        assert_string_equal(snpy_status_message((snpy_status)value), message);
        assert_string_equal(snpy_status_hint((snpy_status)value), hint);
    }
}

/* API-VERSION */
static void test_version(void **state)
{
    char expected[32];
    (void)state;
    (void)snprintf(expected, sizeof expected, "%d.%d.%d", SNPY_VERSION_MAJOR, SNPY_VERSION_MINOR, SNPY_VERSION_PATCH);
    assert_string_equal(snpy_version(), expected);
    assert_string_equal(snpy_version(), SNPY_VERSION_STRING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_frozen),
        cmocka_unit_test(test_table_has_the_same),
        cmocka_unit_test(test_rules_are_in_the_specification),
        cmocka_unit_test(test_texts_are_there),
        cmocka_unit_test(test_hints_name_the_writer),
        cmocka_unit_test(test_unknown_values),
        cmocka_unit_test(test_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
