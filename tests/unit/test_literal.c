/* test_literal.c: the header text against the grammar: blanks, strings, escapes, keys, brackets, dimensions, and
 * the encoding that comes before all of them.                            NPY-LIT-001 … NPY-LIT-023, NPY-FRAME-007 */
#include "support.h"

#define CHECK(first, last, cases)                                       \
    do {                                                                \
        snpy_options options_ = default_options();                      \
        (void)state;                                                    \
        expect_all_marked(first, last, cases, COUNT(cases), &options_); \
    } while (0)

/* NPY-LIT-001 … NPY-LIT-003 */
static void test_begin_and_end(void **state)
{
    static const struct marked cases[] = {
        GOOD(SHAPE("()")),
        GOOD(SHAPE("()") " \t\n\f\r"),
        GOOD(SHAPE("()") "\n\n\n"),
        GOOD("{'descr':'<f8','fortran_order':False,'shape':()}"),
        GOOD("{ 'descr' : '<f8' , 'fortran_order' : False , 'shape' : ( ) , } "),
        BAD("^", SNPY_UNEXPECTED_END),
        BAD("{^", SNPY_UNEXPECTED_END),
        BAD("{ \t\n\f\r^", SNPY_UNEXPECTED_END),
        BAD("{u^", SNPY_UNEXPECTED_END),
        BAD("{'descr'^", SNPY_UNEXPECTED_END),
        BAD("{'descr':^", SNPY_UNEXPECTED_END),
        BAD("{'descr': u^", SNPY_UNEXPECTED_END),
        BAD("{'descr': '^", SNPY_UNEXPECTED_END),
        BAD("{'descr': '<f8', 'fortran_order': False, 'shape': () ^", SNPY_UNEXPECTED_END),
        BAD("{'descr': '<f8', 'fortran_order': False, 'shape': (), \n^", SNPY_UNEXPECTED_END),
        BAD("^ " SHAPE("()"), SNPY_NOT_A_DICT),
        BAD("^\t" SHAPE("()"), SNPY_NOT_A_DICT),
        BAD("^\n" SHAPE("()"), SNPY_NOT_A_DICT),
        BAD("^\0" SHAPE("()"), SNPY_NOT_A_DICT),
        BAD("^(" SHAPE("()") ")", SNPY_NOT_A_DICT),
        BAD("^['<f8', False, ()]", SNPY_NOT_A_DICT),
        BAD("^}", SNPY_NOT_A_DICT),
        BAD("^dict()", SNPY_NOT_A_DICT),
        BAD("^# comment\n" SHAPE("()"), SNPY_NOT_A_DICT),
        BAD(SHAPE("()") "^\v", SNPY_TRAILING_TEXT),
        BAD(SHAPE("()") "^\0\0\0", SNPY_TRAILING_TEXT),
        BAD(SHAPE("()") "    ^\0\n", SNPY_TRAILING_TEXT),
        BAD(SHAPE("()") "^,", SNPY_TRAILING_TEXT),
        BAD(SHAPE("()") " ^# comment", SNPY_TRAILING_TEXT),
        BAD(SHAPE("()") " ^;", SNPY_TRAILING_TEXT),
        BAD(SHAPE("()") "^}", SNPY_TRAILING_TEXT),
        BAD(SHAPE("()") "\n^" SHAPE("()"), SNPY_TRAILING_TEXT),
        BAD(SHAPE("()") " ^\x1a", SNPY_TRAILING_TEXT),
        BAD(SHAPE("()") "      ^\\\n", SNPY_TRAILING_TEXT),
    };
    static const struct marked latin1[] = {
        BAD(SHAPE("()") "^\x85", SNPY_TRAILING_TEXT),
        BAD(SHAPE("()") "^\xa0", SNPY_TRAILING_TEXT),
        BAD("^\xef\xbb\xbf" SHAPE("()"), SNPY_NOT_A_DICT),
    };
    static const struct marked utf8[] = {
        BAD(SHAPE("()") "^\xc2\x85", SNPY_TRAILING_TEXT),
        BAD(SHAPE("()") "^\xc2\xa0", SNPY_TRAILING_TEXT),
        BAD(SHAPE("()") "^\xe2\x80\xa8", SNPY_TRAILING_TEXT),
        BAD("^\xef\xbb\xbf" SHAPE("()"), SNPY_NOT_A_DICT),
    };
    CHECK(1, 3, cases);
    CHECK(1, 2, latin1);
    CHECK(3, 3, utf8);
}

/* NPY-LIT-004: where a string must stand, and what its prefix may be. */
static void test_strings_are_expected(void **state)
{
    static const struct marked cases[] = {
        GOOD("{u'descr': u'<f8', u'fortran_order': False, u'shape': ()}"),
        GOOD("{\"descr\": \"<f8\", u\"fortran_order\": False, 'shape': ()}"),
        GOOD(DESCR("[(u'a', u'<f8'), (u\"b\", u\"<f8\")]")),
        GOOD(DESCR("[((u't', u'a'), u'<f8')]")),
        GOOD(DESCR("[('a\"b', '<f8'), (\"a'b\", '<f8')]")),
        GOOD(DESCR("[('', '<f8')]")),
        BAD("{^1: 2}", SNPY_EXPECTED_STRING),
        BAD("{^b'descr': '<f8'}", SNPY_EXPECTED_STRING),
        BAD("{^r'descr': '<f8'}", SNPY_EXPECTED_STRING),
        BAD("{^U'descr': '<f8'}", SNPY_EXPECTED_STRING),
        BAD("{u^u'descr': '<f8'}", SNPY_EXPECTED_STRING),
        BAD("{u^r'descr': '<f8'}", SNPY_EXPECTED_STRING),
        BAD("{u^ 'descr': '<f8'}", SNPY_EXPECTED_STRING),
        BAD("{u^}", SNPY_EXPECTED_STRING),
        BAD("{^descr: '<f8'}", SNPY_EXPECTED_STRING),
        BAD("{^`descr`: '<f8'}", SNPY_EXPECTED_STRING),
        BAD("{^('descr'): '<f8'}", SNPY_EXPECTED_STRING),
        BAD("{^**{}}", SNPY_EXPECTED_STRING),
        BAD("{^,}", SNPY_EXPECTED_STRING),
        BAD("{'descr': '<f8',^, 'shape': ()}", SNPY_EXPECTED_STRING),
        BAD("{^# comment\n'descr': '<f8'}", SNPY_EXPECTED_STRING),
        BAD("{^\\\n'descr': '<f8'}", SNPY_EXPECTED_STRING),
        BAD(DESCR("[(^1, '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[(^b'a', '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[(^U'a', '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[(u^ 'a', '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[(u^1, '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[(^None, '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[(^, '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[(^)]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[(^['t', 'a'], '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[((^1, 'a'), '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[((^None, 'a'), '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[((u^1, 'a'), '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[((^), '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[((^('t', 'u'), 'a'), '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[(('t', ^1), '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[(('t', ^), '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[(('t', ^b'a'), '<f8')]"), SNPY_EXPECTED_STRING),
        BAD(DESCR("[(('t', u^x), '<f8')]"), SNPY_EXPECTED_STRING),
    };
    CHECK(1, 3, cases);
}

/* Where a text is cut inside a string. */
static void test_open_strings(void **state)
{
    static const struct marked cases[] = {
        BAD("{^'", SNPY_UNKNOWN_KEY),
        BAD("{^'desc", SNPY_UNKNOWN_KEY),
        BAD("{^'descr", SNPY_UNKNOWN_KEY),
        BAD("{^\"descr", SNPY_UNKNOWN_KEY),
        BAD("{'descr': '<f8', ^'fortran_ord", SNPY_UNKNOWN_KEY),
        BAD("{'descr': '<f8', u^'shape", SNPY_UNKNOWN_KEY),
        BAD("{'descr': '<f8^", SNPY_UNEXPECTED_END),
        BAD("{'descr': '<f8\"^", SNPY_UNEXPECTED_END),
        BAD("{'descr': [('^", SNPY_UNEXPECTED_END),
        BAD("{'descr': [('a^", SNPY_UNEXPECTED_END),
        BAD("{'descr': [('a\\'^", SNPY_UNEXPECTED_END),
        BAD("{'descr': [(\"a'^", SNPY_UNEXPECTED_END),
        BAD("{'descr': [(('t^", SNPY_UNEXPECTED_END),
        BAD("{'descr': [('a', '<f8^", SNPY_UNEXPECTED_END),
    };
    CHECK(1, 3, cases);
}

/* NPY-LIT-005: in names, titles and types, every control character is refused where it stands. */
static void test_control_characters(void **state)
{
    static const char *const places[] = {
        DESCR("[('a@b', '<f8')]"),
        DESCR("[('@', '<f8')]"),
        DESCR("[('a@', '<f8')]"),
        DESCR("[(('@', 'a'), '<f8')]"),
        DESCR("[(('t', '@'), '<f8')]"),
        DESCR("'@<f8'"),
        DESCR("'<f8@'"),
        DESCR("[('a', '<@f8')]"),
        DESCR("[('a', ('<f8@', (2,)), (3,))]"),
    };
    snpy_options options = default_options();
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        const char *at = strchr(places[i], '@');
        assert_non_null(at);
        size_t length = strlen(places[i]);
        for (unsigned major = 1; major <= 3; major++) {
            for (unsigned byte = 0; byte < 0x80; byte++) {
                char text[128];
                bool is_control = byte < 0x20 || byte == 0x7f;
                memcpy(text, places[i], length);
                text[at - places[i]] = (char)byte;
                if (is_control)
                    expect_status(major, text, length, &options, SNPY_CONTROL_IN_STRING, (size_t)(at - places[i]));
            }
        }
    }
}

/* Every byte that is neither control character nor quote nor backslash stands for itself in a name. */
static void test_plain_characters(void **state)
{
    snpy_options options = default_options();
    (void)state;
    for (unsigned major = 1; major <= 3; major++) {
        for (unsigned byte = 0x20; byte < 0x100; byte++) {
            char text[] = DESCR("[('@', '<f8')]");
            if (byte == 0x7f || byte == '\'' || byte == '\\') continue;
            char *at = strchr(text, '@');
            assert_non_null(at);
            *at = (char)byte;
            bool good = byte < 0x80 || major < 3;
            expect_status(major, text, sizeof text - 1, &options, good ? SNPY_OK : SNPY_BAD_UTF8,
                          good ? 0 : (size_t)(at - text));
        }
    }
}

/* NPY-LIT-006: which byte may follow a backslash. */
static void test_every_escape_letter(void **state)
{
    snpy_options options = default_options();
    (void)state;
    for (unsigned major = 1; major <= 3; major++) {
        for (unsigned byte = 0; byte < 0x80; byte++) {
            char text[] = DESCR("[('ab\\@0041004100', '<f8')]");
            char *at = strchr(text, '@');
            assert_non_null(at);
            *at = (char)byte;
            bool good = byte != 0 && strchr("\\'\"nrtxu", (int)byte) != NULL;
            /* \' does not end the string, so what follows belongs to it as well */
            if (byte == 'U')
                expect_status(major, text, sizeof text - 1, &options, SNPY_CODE_POINT_RANGE, (size_t)(at - 1 - text));
            else
                expect_status(major, text, sizeof text - 1, &options, good ? SNPY_OK : SNPY_BAD_ESCAPE,
                              good ? 0 : (size_t)(at - 1 - text));
        }
    }
}

/* NPY-LIT-006: each hexadecimal digit of each escape, against every byte. */
static void test_every_hexadecimal_digit(void **state)
{
    static const struct {
        const char *escape;
        size_t digits;
    } forms[] = {{"\\x00", 2}, {"\\u0000", 4}, {"\\U00000000", 8}};
    snpy_options options = default_options();
    (void)state;
    for (size_t form = 0; form < COUNT(forms); form++) {
        for (size_t digit = 0; digit < forms[form].digits; digit++) {
            for (unsigned byte = 0; byte < 0x80; byte++) {
                char text[128];
                int length = snprintf(text, sizeof text, DESCR("[('%s', '<f8')]"), forms[form].escape);
                char *at = strchr(text, '\\');
                assert_non_null(at);
                at[2 + digit] = (char)byte;
                bool is_hex =
                    (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') || (byte >= 'A' && byte <= 'F');
                /* the third and fourth of eight digits count units of 2^20 and 2^16: 10 is the most */
                bool in_range = forms[form].digits < 8 || digit >= 3 || byte == '0' || (digit == 2 && byte == '1');
                snpy_status status = !is_hex ? SNPY_BAD_ESCAPE : in_range ? SNPY_OK : SNPY_CODE_POINT_RANGE;
                expect_status(1, text, (size_t)length, &options, status, status == SNPY_OK ? 0 : (size_t)(at - text));
            }
        }
    }
}

/* NPY-LIT-006, NPY-LIT-007, NPY-LIT-008 */
static void test_escapes(void **state)
{
    static const struct marked cases[] = {
        GOOD(DESCR("[('\\\\\\'\\\"\\n\\r\\t', '<f8')]")),
        GOOD(DESCR("[('\\x00\\u0000\\U00000000', '<f8')]")),
        GOOD(DESCR("[('\\xfF\\uFfFf\\U0010fFfF', '<f8')]")),
        GOOD(DESCR("[('\\ud800', '<f8'), ('\\udfff', '<f8'), ('\\U0000d800\\U0000dfff', '<f8')]")),
        GOOD(DESCR("[((\"\\'\\\"\", '\\\\'), '<f8')]")),
        BAD(DESCR("[('^\\U00110000', '<f8')]"), SNPY_CODE_POINT_RANGE),
        BAD(DESCR("[('^\\U00200000', '<f8')]"), SNPY_CODE_POINT_RANGE),
        BAD(DESCR("[('^\\U0011ffff', '<f8')]"), SNPY_CODE_POINT_RANGE),
        BAD(DESCR("[('a^\\Uffffffff', '<f8')]"), SNPY_CODE_POINT_RANGE),
        BAD(DESCR("[('a^\\U80000000', '<f8')]"), SNPY_CODE_POINT_RANGE),
        BAD(DESCR("[(('^\\U00110000', 'a'), '<f8')]"), SNPY_CODE_POINT_RANGE),
        BAD(DESCR("[('^\\101', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('^\\0', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('^\\a', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('^\\v', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('^\\N{DASH}', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('^\\\n', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('^\\x', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('^\\x4', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('^\\x4g', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('^\\x+4', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('^\\u123', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('^\\u{41}', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('^\\U0001f60', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('ab\\ncd^\\q', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('^\\U0011000', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[(('t', '^\\X41'), '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("'^\\x3cf8'"), SNPY_ESCAPE_IN_TYPE),
        BAD(DESCR("'<f8^\\n'"), SNPY_ESCAPE_IN_TYPE),
        BAD(DESCR("'<^\\\\f8'"), SNPY_ESCAPE_IN_TYPE),
        BAD(DESCR("'<^\\q'"), SNPY_ESCAPE_IN_TYPE),
        BAD(DESCR("[('a', '<f^\\x38')]"), SNPY_ESCAPE_IN_TYPE),
        BAD(DESCR("[('a', ('<f8^\\'', (2,)), (3,))]"), SNPY_ESCAPE_IN_TYPE),
        /* the earliest byte */
        BAD(DESCR("[('^\\q\n', '<f8')]"), SNPY_BAD_ESCAPE),
        BAD(DESCR("[('^\n\\q', '<f8')]"), SNPY_CONTROL_IN_STRING),
        BAD(DESCR("'^\\\n'"), SNPY_ESCAPE_IN_TYPE),
        BAD(DESCR("'^\n\\'"), SNPY_CONTROL_IN_STRING),
    };
    CHECK(1, 3, cases);
}

/* NPY-HDR-001, NPY-HDR-002, NPY-HDR-003, NPY-LIT-009 */
static void test_keys(void **state)
{
    static const struct marked cases[] = {
        BAD("{^'dtype': '<f8'}", SNPY_UNKNOWN_KEY),
        BAD("{^'': '<f8'}", SNPY_UNKNOWN_KEY),
        BAD("{^'desc': '<f8'}", SNPY_UNKNOWN_KEY),
        BAD("{^'descr_': '<f8'}", SNPY_UNKNOWN_KEY),
        BAD("{^'Descr': '<f8'}", SNPY_UNKNOWN_KEY),
        BAD("{^' descr': '<f8'}", SNPY_UNKNOWN_KEY),
        BAD("{^'descr\"': '<f8'}", SNPY_UNKNOWN_KEY),
        BAD("{^'descr\\x00': '<f8'}", SNPY_UNKNOWN_KEY),
        BAD("{^'\\x64escr': '<f8'}", SNPY_UNKNOWN_KEY),
        BAD("{^'\\U00110000': '<f8'}", SNPY_UNKNOWN_KEY),
        BAD("{^'de\nscr': '<f8'}", SNPY_UNKNOWN_KEY),
        BAD("{^'des' 'cr': '<f8'}", SNPY_UNKNOWN_KEY),
        BAD("{^'''descr''': '<f8'}", SNPY_UNKNOWN_KEY),
        BAD("{u^'shap': ()}", SNPY_UNKNOWN_KEY),
        BAD("{^'fortran-order': False}", SNPY_UNKNOWN_KEY),
        BAD("{^'fortran_orde': False}", SNPY_UNKNOWN_KEY),
        BAD("{'shape': (), ^'Shape': ()}", SNPY_UNKNOWN_KEY),
        BAD("{'descr': '<f8', 'fortran_order': False, 'shape': (), ^'x': 1}", SNPY_UNKNOWN_KEY),
        BAD("{'shape': (), ^'shape': ()}", SNPY_DUPLICATE_KEY),
        BAD("{'shape': (), u^'shape': ()}", SNPY_DUPLICATE_KEY),
        BAD("{'shape': (), ^\"shape\": 1}", SNPY_DUPLICATE_KEY),
        BAD("{'shape': (), ^'shape'}", SNPY_DUPLICATE_KEY),
        BAD("{'descr': '<f8', ^'descr': '<f8'}", SNPY_DUPLICATE_KEY),
        BAD("{'fortran_order': True, 'shape': (), ^'fortran_order': True}", SNPY_DUPLICATE_KEY),
        BAD("{'descr'^, '<f8'}", SNPY_EXPECTED_COLON),
        BAD("{'descr' ^'<f8'}", SNPY_EXPECTED_COLON),
        BAD("{'descr'^= '<f8'}", SNPY_EXPECTED_COLON),
        BAD("{'descr' \n ^; '<f8'}", SNPY_EXPECTED_COLON),
        BAD("{'descr'^}", SNPY_EXPECTED_COLON),
        BAD("{'fortran_order'^False}", SNPY_EXPECTED_COLON),
        BAD("{'shape'^()}", SNPY_EXPECTED_COLON),
        BAD("{^}", SNPY_MISSING_KEY),
        BAD("{ \n^}", SNPY_MISSING_KEY),
        BAD("{'descr': '<f8'^}", SNPY_MISSING_KEY),
        BAD("{'descr': '<f8', ^}", SNPY_MISSING_KEY),
        BAD("{'shape': (), 'descr': '<f8',^}   \n", SNPY_MISSING_KEY),
        BAD("{'shape': (), 'fortran_order': False ^}", SNPY_MISSING_KEY),
        BAD("{'fortran_order': False, 'descr': '<f8'^} x", SNPY_MISSING_KEY),
    };
    CHECK(1, 3, cases);
}

/* NPY-HDR-004 */
static void test_fortran_order(void **state)
{
    static const struct marked cases[] = {
        GOOD(ORDER("True")),
        GOOD(ORDER("False")),
        BAD(ORDER("^true"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^FALSE"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^1"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^0"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^None"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^'True'"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^(True)"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^np.True_"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^np.False_"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^not True"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^Tru"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^Fals"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^Faxse"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^Falze"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^Falso"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^Trxe"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^Trus"), SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("^"), SNPY_BAD_FORTRAN_ORDER),
        BAD("{'fortran_order':^}", SNPY_BAD_FORTRAN_ORDER),
        BAD(ORDER("True ^or False"), SNPY_EXPECTED_COMMA),
        BAD(ORDER("True^("), SNPY_EXPECTED_COMMA),
    };
    CHECK(1, 3, cases);
}

/* NPY-LIT-010, NPY-LIT-011 */
static void test_commas_and_brackets(void **state)
{
    static const struct marked cases[] = {
        GOOD("{'descr': [('a', '<f8',), (('t', 'b',), '<f8', (2,),),], 'fortran_order': False, 'shape': (),}"),
        GOOD(DESCR("[('a', ('<f8', (2,),), (3,),),]")),
        GOOD(DESCR("[('a', [('b', '<f8',),],),]")),
        GOOD(DESCR("[]")),
        GOOD(DESCR("[ ]")),
        BAD("{'descr': '<f8' ^'shape': ()}", SNPY_EXPECTED_COMMA),
        BAD("{'descr': '<f8'^; 'shape': ()}", SNPY_EXPECTED_COMMA),
        BAD("{'descr': '<f8' ^'<f8'}", SNPY_EXPECTED_COMMA),
        BAD("{'descr': '<f8'^]", SNPY_EXPECTED_COMMA),
        BAD("{'descr': '<f8'^)", SNPY_EXPECTED_COMMA),
        BAD("{'descr': '<f8'^[0]}", SNPY_EXPECTED_COMMA),
        BAD("{'descr': []^]", SNPY_EXPECTED_COMMA),
        BAD("{'descr': [] ^* 2}", SNPY_EXPECTED_COMMA),
        BAD("{'shape': (3,) ^'descr': '<f8'}", SNPY_EXPECTED_COMMA),
        BAD("{'shape': ()^)", SNPY_EXPECTED_COMMA),
        BAD(DESCR("[('a', '<f8') ^('b', '<f8')]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[('a', '<f8')^}"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[('a', '<f8')^)"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[('a', '<f8'^]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[('a', '<f8' ^(2,))]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[('a', '<f8' ^'<f8')]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[('a' ^'<f8')]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[('a'^)]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[('a'^: '<f8')]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[(('t' ^'a'), '<f8')]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[(('t'^), '<f8')]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[(('t', 'a') ^'<f8')]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[(('t', 'a')^)]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[('a', [('b', '<f8')] ^(2,))]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[('a', ('<f8' ^(2,)), (3,))]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[('a', ('<f8', (2,)) ^(3,))]"), SNPY_EXPECTED_COMMA),
        BAD(DESCR("[('a', '<f8', (2,) ^(3,))]"), SNPY_EXPECTED_CLOSE),
        BAD(DESCR("[('a', '<f8', (2,), ^4)]"), SNPY_EXPECTED_CLOSE),
        BAD(DESCR("[('a', '<f8', (2,),^,)]"), SNPY_EXPECTED_CLOSE),
        BAD(DESCR("[('a', '<f8', (2,)^]"), SNPY_EXPECTED_CLOSE),
        BAD(DESCR("[('a', '<f8', ()^]"), SNPY_EXPECTED_CLOSE),
        BAD(DESCR("[(('t', 'a' ^'b'), '<f8')]"), SNPY_EXPECTED_CLOSE),
        BAD(DESCR("[(('t', 'a', ^'b'), '<f8')]"), SNPY_EXPECTED_CLOSE),
        BAD(DESCR("[(('t', 'a',^,), '<f8')]"), SNPY_EXPECTED_CLOSE),
        BAD(DESCR("[(('t', 'a'^], '<f8')]"), SNPY_EXPECTED_CLOSE),
        BAD(DESCR("[('a', ('<f8', (2,)^], (3,))]"), SNPY_EXPECTED_CLOSE),
        BAD(DESCR("[('a', ('<f8', (2,), ^3), (3,))]"), SNPY_EXPECTED_CLOSE),
    };
    CHECK(1, 3, cases);
}

/* NPY-LIT-012 … NPY-LIT-014, NPY-LIT-022 */
static void test_types_and_fields(void **state)
{
    static const struct marked cases[] = {
        GOOD(DESCR("[('a', ('<f8', (2,)), (3,))]")),
        GOOD(DESCR("[('a', (('<f8', (2,)), (3,)), (4,))]")),
        GOOD(DESCR("[('a', ([('b', '<f8')], (2,)), (3,))]")),
        GOOD(DESCR("[('a', '<f8', ())]")),
        GOOD(DESCR("[('a', [('b', '<f8')], ())]")),
        BAD(DESCR("^None"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("^b'<f8'"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("^r'<f8'"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("^f8"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("^8"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("^{'names': ['a'], 'formats': ['<f8']}"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("u^x"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("u^ '<f8'"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("u^b'<f8'"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("^"), SNPY_EXPECTED_TYPE),
        BAD("{'descr':^}", SNPY_EXPECTED_TYPE),
        BAD(DESCR("[('a', ^None)]"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("[('a', ^)]"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("[('a',^, '<f8')]"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("[('a', ^{'b': '<f8'})]"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("[('a', u^1)]"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("[('a', (^None, (2,)), (3,))]"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("[('a', (^), (3,))]"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("[('a', (^2, '<f8'), (3,))]"), SNPY_EXPECTED_TYPE),
        BAD(DESCR("^('<f8', (2,))"), SNPY_TOP_LEVEL_SUBARRAY),
        BAD(DESCR("^()"), SNPY_TOP_LEVEL_SUBARRAY),
        BAD(DESCR("^('<f8')"), SNPY_TOP_LEVEL_SUBARRAY),
        BAD("{'descr': ^(", SNPY_TOP_LEVEL_SUBARRAY),
        BAD(DESCR("[^'<f8']"), SNPY_EXPECTED_FIELD),
        BAD(DESCR("[^['a', '<f8']]"), SNPY_EXPECTED_FIELD),
        BAD(DESCR("[^{}]"), SNPY_EXPECTED_FIELD),
        BAD(DESCR("[^None]"), SNPY_EXPECTED_FIELD),
        BAD(DESCR("[^, ('a', '<f8')]"), SNPY_EXPECTED_FIELD),
        BAD(DESCR("[^)]"), SNPY_EXPECTED_FIELD),
        BAD(DESCR("[('a', '<f8'),^, ('b', '<f8')]"), SNPY_EXPECTED_FIELD),
        BAD(DESCR("[('a', '<f8'), ^'b']"), SNPY_EXPECTED_FIELD),
        BAD(DESCR("[('a', [^'b'])]"), SNPY_EXPECTED_FIELD),
        BAD(DESCR("[('a', ('<f8', (2,))^)]"), SNPY_SUBARRAY_NEEDS_SHAPE),
        BAD(DESCR("[('a', ('<f8', (2,)), ^)]"), SNPY_SUBARRAY_NEEDS_SHAPE),
        BAD(DESCR("[('a', ('<f8', (2,)), ^())]"), SNPY_SUBARRAY_NEEDS_SHAPE),
        BAD(DESCR("[('a', ('<f8'^), (2,))]"), SNPY_SUBARRAY_NEEDS_SHAPE),
        BAD(DESCR("[('a', ('<f8',^), (2,))]"), SNPY_SUBARRAY_NEEDS_SHAPE),
        BAD(DESCR("[('a', ('<f8', ^()), (2,))]"), SNPY_SUBARRAY_NEEDS_SHAPE),
        BAD(DESCR("[('a', ([('b', '<f8')], ^( )), (2,))]"), SNPY_SUBARRAY_NEEDS_SHAPE),
        BAD(DESCR("[('a', (('<f8', (2,)), (3,)) \n^)]"), SNPY_SUBARRAY_NEEDS_SHAPE),
        BAD(DESCR("[('a', (('<f8', (2,))^), (3,))]"), SNPY_SUBARRAY_NEEDS_SHAPE),
    };
    CHECK(1, 3, cases);
}

/* NPY-LIT-015 … NPY-LIT-020, in the array's shape and in a sub-array's alike. */
static void test_shapes(void **state)
{
    static const struct marked shapes[] = {
        GOOD("()"),
        GOOD("( )"),
        GOOD("(3,)"),
        GOOD("(3 ,)"),
        GOOD("(3, 4)"),
        GOOD("( 3 , 4 , )"),
        GOOD("(3,4,5)"),
        GOOD("(0,)"),
        GOOD("(0, 10, 100)"),
        BAD("^3", SNPY_EXPECTED_SHAPE),
        BAD("^1", SNPY_EXPECTED_SHAPE),
        BAD("^[3]", SNPY_EXPECTED_SHAPE),
        BAD("^[3, 4]", SNPY_EXPECTED_SHAPE),
        BAD("^None", SNPY_EXPECTED_SHAPE),
        BAD("^'(3,)'", SNPY_EXPECTED_SHAPE),
        BAD("^{3}", SNPY_EXPECTED_SHAPE),
        BAD("^-3", SNPY_EXPECTED_SHAPE),
        BAD("^tuple()", SNPY_EXPECTED_SHAPE),
        BAD("(3^)", SNPY_SHAPE_NOT_A_TUPLE),
        BAD("( 3 ^)", SNPY_SHAPE_NOT_A_TUPLE),
        BAD("(0^)", SNPY_SHAPE_NOT_A_TUPLE),
        BAD("(18446744073709551616^)", SNPY_SHAPE_NOT_A_TUPLE),
        BAD("(^a,)", SNPY_BAD_DIMENSION),
        BAD("(^,)", SNPY_BAD_DIMENSION),
        BAD("(^, 3)", SNPY_BAD_DIMENSION),
        BAD("(3,^,)", SNPY_BAD_DIMENSION),
        BAD("(3,^, 4)", SNPY_BAD_DIMENSION),
        BAD("(3 ^4)", SNPY_BAD_DIMENSION),
        BAD("(3^.0,)", SNPY_BAD_DIMENSION),
        BAD("(3^e5,)", SNPY_BAD_DIMENSION),
        BAD("(3^j,)", SNPY_BAD_DIMENSION),
        BAD("(3^l,)", SNPY_BAD_DIMENSION),
        BAD("(3 ^L,)", SNPY_BAD_DIMENSION),
        BAD("(^L,)", SNPY_BAD_DIMENSION),
        BAD("(0^x3,)", SNPY_BAD_DIMENSION),
        BAD("(0^b1,)", SNPY_BAD_DIMENSION),
        BAD("(1^_0,)", SNPY_BAD_DIMENSION),
        BAD("(^True,)", SNPY_BAD_DIMENSION),
        BAD("(^None,)", SNPY_BAD_DIMENSION),
        BAD("(^'3',)", SNPY_BAD_DIMENSION),
        BAD("(^(3), 4)", SNPY_BAD_DIMENSION),
        BAD("(^np.int64(3),)", SNPY_BAD_DIMENSION),
        BAD("(3^;)", SNPY_BAD_DIMENSION),
        BAD("(3^]", SNPY_BAD_DIMENSION),
        BAD("(^]", SNPY_BAD_DIMENSION),
        BAD("(3,^]", SNPY_BAD_DIMENSION),
        BAD("(3^*2,)", SNPY_BAD_DIMENSION),
        BAD("(3, 4^%)", SNPY_BAD_DIMENSION),
        BAD("(3,^\\\n4)", SNPY_BAD_DIMENSION),
        BAD("(^-1,)", SNPY_SIGNED_DIMENSION),
        BAD("(^+1,)", SNPY_SIGNED_DIMENSION),
        BAD("(^-0,)", SNPY_SIGNED_DIMENSION),
        BAD("(3, ^-1)", SNPY_SIGNED_DIMENSION),
        BAD("(^--1,)", SNPY_SIGNED_DIMENSION),
        BAD("(^- 1,)", SNPY_SIGNED_DIMENSION),
        BAD("(^00,)", SNPY_LEADING_ZERO),
        BAD("(^03,)", SNPY_LEADING_ZERO),
        BAD("(3, ^007)", SNPY_LEADING_ZERO),
        BAD("(^00)", SNPY_LEADING_ZERO),
        BAD("(^0018446744073709551616,)", SNPY_LEADING_ZERO),
    };
    static const struct marked long_suffix[] = {
        GOOD("(3L,)"),
        GOOD("(3L, 4, 5L)"),
        GOOD("(0L , 7L ,)"),
        BAD("(3L^)", SNPY_SHAPE_NOT_A_TUPLE),
        BAD("(3L^L,)", SNPY_BAD_DIMENSION),
        BAD("(3L^l,)", SNPY_BAD_DIMENSION),
        BAD("(3L^4,)", SNPY_BAD_DIMENSION),
        BAD("(^03L,)", SNPY_LEADING_ZERO),
        BAD("(^-3L,)", SNPY_SIGNED_DIMENSION),
    };
    static const struct marked no_suffix[] = {
        BAD("(3^L,)", SNPY_LONG_SUFFIX),   BAD("(3, 4^L)", SNPY_LONG_SUFFIX),     BAD("(3^LL,)", SNPY_LONG_SUFFIX),
        BAD("(^03L,)", SNPY_LEADING_ZERO), BAD("(^-3L,)", SNPY_SIGNED_DIMENSION),
    };
    static const struct {
        const struct marked *cases;
        size_t count;
        unsigned first;
        unsigned last;
    } groups[] = {
        {shapes, COUNT(shapes), 1, 3}, {long_suffix, COUNT(long_suffix), 1, 2}, {no_suffix, COUNT(no_suffix), 3, 3}};
    static const char *const before[] = {
        "{'descr': '|u1', 'fortran_order': False, 'shape': ", "{'shape':", "{'descr': [('a', '|u1', "};
    static const char *const behind[] = {", }", ",'descr': '|u1', 'fortran_order': False}",
                                         ")], 'fortran_order': False, 'shape': ()}"};
    snpy_options options = default_options();
    (void)state;
    for (size_t group = 0; group < COUNT(groups); group++) {
        for (size_t i = 0; i < groups[group].count; i++) {
            for (size_t place = 0; place < COUNT(before); place++) {
                const struct marked *shape = &groups[group].cases[i];
                char text[256];
                int length = snprintf(text, sizeof text, "%s%s%s", before[place], shape->text, behind[place]);
                struct marked marked = {text, (size_t)length, shape->status};
                expect_all_marked(groups[group].first, groups[group].last, &marked, 1, &options);
            }
        }
    }
}

/* In a sub-array tuple, too, a shape is a tuple of decimal integers. */
static void test_shapes_of_inner_tuples(void **state)
{
    static const struct marked cases[] = {
        BAD(DESCR("[('a', ('<f8', ^2), (3,))]"), SNPY_EXPECTED_SHAPE),
        BAD(DESCR("[('a', ('<f8', ^1), (3,))]"), SNPY_EXPECTED_SHAPE),
        BAD(DESCR("[('a', ('<f8', ^{}), (3,))]"), SNPY_EXPECTED_SHAPE),
        BAD(DESCR("[('a', ('<f8', ^'<f4'), (3,))]"), SNPY_EXPECTED_SHAPE),
        BAD(DESCR("[('a', ('<f8', (2^)), (3,))]"), SNPY_SHAPE_NOT_A_TUPLE),
        BAD(DESCR("[('a', ('<f8', (^-2,)), (3,))]"), SNPY_SIGNED_DIMENSION),
        BAD(DESCR("[('a', ('<f8', (^02,)), (3,))]"), SNPY_LEADING_ZERO),
        BAD(DESCR("[('a', '<f8',^,)]"), SNPY_EXPECTED_SHAPE),
        BAD(DESCR("[('a', '<f8', ^'<f8')]"), SNPY_EXPECTED_SHAPE),
    };
    CHECK(1, 3, cases);
}

/* The tokens of a header in which everything occurs. */
static const char *const tokens[] = {
    "{", "'descr'", ":",   "[",       "(",     "'a'", ",", "'<f8'", ",",
    "(", "2",       ",",   "3",       ",",     ")",   ",", ")",     ",",
    "(", "(",       "'t'", ",",       "u'b'",  ",",   ")", ",",     "(",
    "[", "(",       "'c'", ",",       "'|u1'", ",",   ")", ",",     "]",
    ",", "(",       "4",   ",",       ")",     ",",   ")", ",",     "(",
    "5", ",",       ")",   ",",       ")",     ",",   "]", ",",     "'fortran_order'",
    ":", "True",    ",",   "'shape'", ":",     "(",   "6", ",",     "7",
    ",", ")",       ",",   "}",
};

/* Writes the tokens with `blank` behind token `place`, or behind all if place is their number. */
static size_t join(char *text, const char *blank, size_t blank_length, size_t place)
{
    size_t length = 0;
    for (size_t i = 0; i < COUNT(tokens); i++) {
        size_t size = strlen(tokens[i]);
        memcpy(text + length, tokens[i], size);
        length += size;
        if (place != i && place != COUNT(tokens)) continue;
        memcpy(text + length, blank, blank_length);
        length += blank_length;
    }
    return length;
}

/* Any of the blanks may stand between any two tokens, and changes nothing. */
static void test_blanks_between_all_tokens(void **state)
{
    static const char *const blanks[] = {"", " ", "\t", "\n", "\f", "\r", "  ", " \t\n\f\r", "\r\n"};
    snpy_options options = default_options();
    (void)state;
    for (size_t i = 0; i < COUNT(blanks); i++) {
        for (size_t place = 0; place <= COUNT(tokens); place++) {
            for (unsigned major = 1; major <= 3; major++) {
                char text[1024];
                size_t length = join(text, blanks[i], strlen(blanks[i]), place);
                struct parsed parsed = parse_text(major, text, length, &options);
                expect_that(parsed.status == SNPY_OK, "%s: %s\n", legible(text, length),
                            snpy_status_name(parsed.status));
                assert_int_equal(parsed.header.ndim, 2);
                assert_true(parsed.header.shape[0] == 6 && parsed.header.shape[1] == 7);
                assert_true(parsed.header.fortran_order);
                assert_int_equal(parsed.header.dtype.itemsize, 48 + 20);
                assert_int_equal(parsed.table.field_count, 5);
                assert_int_equal(parsed.table.dim_count, 4);
                release(&parsed);
            }
        }
    }
}

/* What is no blank is refused between any two tokens, where it stands. */
static void test_no_other_blanks(void **state)
{
    static const char others[] = {'\v', '\0', '#', '\\', ';', '!', '\x7f', '\x1c'};
    snpy_options options = default_options();
    (void)state;
    for (size_t i = 0; i < sizeof others; i++) {
        for (size_t place = 0; place < COUNT(tokens); place++) {
            for (unsigned major = 1; major <= 3; major++) {
                char text[1024];
                size_t length = join(text, &others[i], 1, place);
                size_t at = 0;
                for (size_t k = 0; k <= place; k++) at += strlen(tokens[k]);
                struct parsed parsed = parse_text(major, text, length, &options);
                expect_that(parsed.status >= 400 && parsed.status < 500 &&
                                parsed.error.offset == parsed.text_offset + at,
                            "%s: %s at %llu\n", legible(text, length), snpy_status_name(parsed.status),
                            (unsigned long long)parsed.error.offset);
                release(&parsed);
            }
        }
    }
}

/* Whether the bytes are one well-formed sequence: table 3-7 of the Unicode standard, written out. */
static bool is_well_formed(const uint8_t *bytes, size_t length)
{
    static const struct {
        size_t length;
        uint8_t first[2];
        uint8_t second[2];
    } rows[] = {
        {1, {0x00, 0x7f}, {0, 0}},       {2, {0xc2, 0xdf}, {0x80, 0xbf}}, {3, {0xe0, 0xe0}, {0xa0, 0xbf}},
        {3, {0xe1, 0xec}, {0x80, 0xbf}}, {3, {0xed, 0xed}, {0x80, 0x9f}}, {3, {0xee, 0xef}, {0x80, 0xbf}},
        {4, {0xf0, 0xf0}, {0x90, 0xbf}}, {4, {0xf1, 0xf3}, {0x80, 0xbf}}, {4, {0xf4, 0xf4}, {0x80, 0x8f}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (length != rows[i].length || bytes[0] < rows[i].first[0] || bytes[0] > rows[i].first[1]) continue;
        if (length >= 2 && (bytes[1] < rows[i].second[0] || bytes[1] > rows[i].second[1])) continue;
        if (length >= 3 && (bytes[2] < 0x80 || bytes[2] > 0xbf)) continue;
        if (length >= 4 && (bytes[3] < 0x80 || bytes[3] > 0xbf)) continue;
        return true;
    }
    return false;
}

/* Splits bytes into sequences; the place of the first that is ill-formed, the length if there is none. */
static size_t find_ill_formed(const uint8_t *bytes, size_t length)
{
    size_t pos = 0;
    while (pos < length) {
        size_t size = 1;
        while (size <= 4 && !(size <= length - pos && is_well_formed(bytes + pos, size))) size++;
        if (size > 4) return pos;
        pos += size;
    }
    return length;
}

/* A name of version 3.0 made of these bytes. */
static void check_utf8_name(const uint8_t *bytes, size_t count)
{
    static const char before[] = "{'descr': [('";
    static const char behind[] = "', '<f8')], 'fortran_order': False, 'shape': ()}";
    snpy_options options = default_options();
    char text[sizeof before + sizeof behind + 8];
    size_t length = sizeof before - 1;
    memcpy(text, before, length);
    memcpy(text + length, bytes, count);
    memcpy(text + length + count, behind, sizeof behind - 1);
    size_t at = find_ill_formed(bytes, count);
    size_t whole = length + count + sizeof behind - 1;
    expect_status(3, text, whole, &options, at < count ? SNPY_BAD_UTF8 : SNPY_OK, at < count ? length + at : 0);
}

/* NPY-FRAME-007: all pairs of bytes above ASCII, and the borders of what may follow in three and four. */
static void test_utf8_exhaustively(void **state)
{
    static const uint8_t borders[] = {0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
    (void)state;
    for (unsigned a = 0x80; a < 0x100; a++) {
        uint8_t one[] = {(uint8_t)a};
        check_utf8_name(one, 1);
        for (unsigned b = 0x28; b < 0x100; b++) {
            uint8_t two[] = {(uint8_t)a, (uint8_t)b};
            if (b != '\\') check_utf8_name(two, 2);
        }
    }
    for (unsigned a = 0xc0; a < 0x100; a++) {
        for (size_t b = 0; b < COUNT(borders); b++) {
            for (size_t c = 0; c < COUNT(borders); c++) {
                uint8_t three[] = {(uint8_t)a, borders[b], borders[c]};
                check_utf8_name(three, 3);
                for (size_t d = 0; a >= 0xe0 && d < COUNT(borders); d++) {
                    uint8_t four[] = {(uint8_t)a, borders[b], borders[c], borders[d]};
                    check_utf8_name(four, 4);
                }
            }
        }
    }
}

/* The encoding is judged before anything else in the text, wherever the bytes stand. */
static void test_utf8_before_literal(void **state)
{
    static const struct marked cases[] = {
        BAD("^\xff", SNPY_BAD_UTF8),
        BAD("[^\xff", SNPY_BAD_UTF8),
        BAD("{'x': ^\xc0\x80}", SNPY_BAD_UTF8),
        BAD(SHAPE("(3)") " ^\x80", SNPY_BAD_UTF8),
        BAD(SHAPE("()") "      \n^\xed\xa0\x80", SNPY_BAD_UTF8),
        BAD(DESCR("'<q\xc3\xa9^\xe9'"), SNPY_BAD_UTF8),
        BAD(SHAPE("()") "^\xf0\x9f\x98", SNPY_BAD_UTF8),
        BAD(SHAPE("()") "^\xc3", SNPY_BAD_UTF8),
        GOOD(DESCR("[('\xc3\xa9\xe6\x95\xb4\xf0\x9f\x98\x80\xef\xbf\xbf\xf4\x8f\xbf\xbf', '<f8')]")),
    };
    static const struct marked latin1[] = {
        GOOD(DESCR("[('\xff\xc0\x80\xed\xa0\x80', '<f8')]")),
        BAD("{^\xff", SNPY_EXPECTED_STRING),
        BAD("{^'\xff': 1", SNPY_UNKNOWN_KEY),
    };
    CHECK(3, 3, cases);
    CHECK(1, 2, latin1);
}

/* Blanks are skipped eight at a time, padding sixteen: none of their bytes goes unseen, wherever it stands; nor are the
 * blanks in front of the brace taken for those behind it. */
static void test_a_letter_among_blanks(void **state)
{
    static const char whole[] = "{'descr': '<f8', 'fortran_order': False, 'shape': ()       }";
    const size_t head = sizeof whole - 1;
    const snpy_options options = default_options();
    char text[256];
    (void)state;
    for (size_t blanks = 1; blanks <= 48; blanks++)
        for (size_t at = 0; at < blanks; at++) {
            memcpy(text, whole, head);
            memset(text + head, ' ', blanks);
            text[head + at] = 'x';
            expect_status(1, text, head + blanks, &options, SNPY_TRAILING_TEXT, head + at);
            text[0] = '{';
            memset(text + 1, ' ', blanks);
            text[1 + at] = 'x';
            memcpy(text + 1 + blanks, whole + 1, head - 1);
            expect_status(1, text, head + blanks, &options, SNPY_EXPECTED_STRING, 1 + at);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_begin_and_end),
        cmocka_unit_test(test_strings_are_expected),
        cmocka_unit_test(test_open_strings),
        cmocka_unit_test(test_control_characters),
        cmocka_unit_test(test_plain_characters),
        cmocka_unit_test(test_every_escape_letter),
        cmocka_unit_test(test_every_hexadecimal_digit),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_fortran_order),
        cmocka_unit_test(test_commas_and_brackets),
        cmocka_unit_test(test_types_and_fields),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_shapes_of_inner_tuples),
        cmocka_unit_test(test_blanks_between_all_tokens),
        cmocka_unit_test(test_no_other_blanks),
        cmocka_unit_test(test_a_letter_among_blanks),
        cmocka_unit_test(test_utf8_exhaustively),
        cmocka_unit_test(test_utf8_before_literal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
