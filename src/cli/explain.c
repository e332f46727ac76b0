/* explain.c: `safenpy explain`: a rule, what it says, an example and the remedy.
 * Proves nothing. Leaves sentences and remedies to the core's status.c. */
#include "cli/cli.h"

#include <ctype.h>
#include <string.h>

/* What is known of a rule here. Rules that no refusal reports have a sentence of their own. */
typedef struct lesson {
    snpy_status status; /* SNPY_OK if none */
    const char *example;
    const char *rule; /* NULL: the status knows */
    const char *sentence;
} lesson;

static const lesson lessons[] = {
    {SNPY_BAD_MAGIC, "a file that begins with PK\\3\\4: an .npz archive", NULL, NULL},
    {SNPY_TRUNCATED_PREFIX, "a file of 8 bytes", NULL, NULL},
    {SNPY_UNSUPPORTED_VERSION, "version 1.1 or 4.0", NULL, NULL},
    {SNPY_OK, "76 00 in version 1.0: 118 bytes of text, data at byte 128", "NPY-FRAME-004",
     "the header length is little-endian, of 2 bytes in version 1.0 and 4 in the others, and the data begin right "
     "behind the text"},
    {SNPY_HEADER_TOO_LONG, "a header length of 4 GiB under a limit of 64 KiB", NULL, NULL},
    {SNPY_TRUNCATED_HEADER, "a header length of 118 where 40 bytes are left", NULL, NULL},
    {SNPY_BAD_UTF8, "version 3.0 with the byte FF in a name", NULL, NULL},
    {SNPY_UNEXPECTED_END, "{'descr': '<f8', 'fortran_order'", NULL, NULL},
    {SNPY_NOT_A_DICT, "['<f8', (3,)], or a blank in front of the brace", NULL, NULL},
    {SNPY_TRAILING_TEXT, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), } # three numbers", NULL, NULL},
    {SNPY_EXPECTED_STRING, "{1: 2}, or b'descr'", NULL, NULL},
    {SNPY_CONTROL_IN_STRING, "a line break between the quotes of a name", NULL, NULL},
    {SNPY_BAD_ESCAPE, "[('\\q', '<f8')], '\\101', '\\x4'", NULL, NULL},
    {SNPY_CODE_POINT_RANGE, "[('\\U00110000', '<f8')]", NULL, NULL},
    {SNPY_ESCAPE_IN_TYPE, "'descr': '\\x3cf8'", NULL, NULL},
    {SNPY_EXPECTED_COLON, "{'descr', '<f8'}", NULL, NULL},
    {SNPY_EXPECTED_COMMA, "{'descr': '<f8' 'shape': ()}", NULL, NULL},
    {SNPY_EXPECTED_CLOSE, "[('a', '<f8', (2,), 4)]", NULL, NULL},
    {SNPY_EXPECTED_TYPE, "'descr': None", NULL, NULL},
    {SNPY_TOP_LEVEL_SUBARRAY, "'descr': ('<f8', (2,))", NULL, NULL},
    {SNPY_EXPECTED_FIELD, "'descr': ['<f8']", NULL, NULL},
    {SNPY_EXPECTED_SHAPE, "'shape': 3, or 'shape': [3]", NULL, NULL},
    {SNPY_SHAPE_NOT_A_TUPLE, "'shape': (3)", NULL, NULL},
    {SNPY_BAD_DIMENSION, "'shape': (3.0,), (0x3,), (True,) or (1_0,)", NULL, NULL},
    {SNPY_SIGNED_DIMENSION, "'shape': (-1, 3)", NULL, NULL},
    {SNPY_LEADING_ZERO, "'shape': (03,)", NULL, NULL},
    {SNPY_LONG_SUFFIX, "'shape': (3L,) in version 3.0", NULL, NULL},
    {SNPY_TOO_DEEP, "65 lists of fields inside one another", NULL, NULL},
    {SNPY_SUBARRAY_NEEDS_SHAPE, "[('a', ('<f8', (2,)))]: the field has no shape of its own", NULL, NULL},
    {SNPY_ONE_AS_SHAPE, "[('a', '<f8', 1)]", NULL, NULL},
    {SNPY_UNKNOWN_KEY, "{'dtype': '<f8'}", NULL, NULL},
    {SNPY_DUPLICATE_KEY, "{'shape': (2,), 'shape': (3,)}", NULL, NULL},
    {SNPY_MISSING_KEY, "{'descr': '<f8', 'shape': ()}", NULL, NULL},
    {SNPY_BAD_FORTRAN_ORDER, "'fortran_order': 1", NULL, NULL},
    {SNPY_TOO_MANY_FIELDS, "a record of 70,000 fields under the limit of 65,536", NULL, NULL},
    {SNPY_NOT_CANONICAL, "keys in another order than NumPy writes, or no final newline", NULL, NULL},
    {SNPY_OK, "'fortran_order': True with 'shape': (3,)", "NPY-HDR-007",
     "a writer should not set fortran_order for an array that is C-contiguous as well; only the canonical profile "
     "refuses it"},
    {SNPY_UNKNOWN_TYPE, "'<z8', '' or '3i4'", NULL, NULL},
    {SNPY_BAD_BYTE_ORDER, "'|i4' or '<O'", NULL, NULL},
    {SNPY_NO_BYTE_ORDER, "'f8' or '=f8'", NULL, NULL},
    {SNPY_BAD_TYPE_SIZE, "'<f3', '|S', '<f08' or 'i4,f8'", NULL, NULL},
    {SNPY_PLATFORM_FLOAT, "'<f12' or '<c24'", NULL, NULL},
    {SNPY_TYPE_NAME, "'float64'", NULL, NULL},
    {SNPY_BYTES_ALIAS, "'|a5'", NULL, NULL},
    {SNPY_TYPE_TOO_LARGE, "'|S2147483648' or '<U536870912'", NULL, NULL},
    {SNPY_BAD_UNIT, "'<M8[B]', '<M8[]' or '<M8[ns'", NULL, NULL},
    {SNPY_BAD_MULTIPLIER, "'<M8[0s]', '<M8[01s]' or '<M8[2147483648s]'", NULL, NULL},
    {SNPY_UNIT_DIVISOR, "'<M8[s/2]'", NULL, NULL},
    {SNPY_DUPLICATE_NAME, "[('a', '|i1'), ('a', '|i1')]", NULL, NULL},
    {SNPY_OK, "'\\u00e9' and a raw \\xe9 of version 1.0 are the same name", "NPY-DTYPE-013",
     "a name is the sequence of code points between its quotes, escapes resolved; it may be empty and may hold NUL "
     "and lone surrogates"},
    {SNPY_OK, "[('a', '|i1'), ('', '|V3'), ('b', '<i4')]: b begins at byte 4", "NPY-DTYPE-014",
     "a field with an empty name, no title and either the kind V or a sub-array shape is padding"},
    {SNPY_OK, "[('a', '|i1'), ('b', '<i4')]: b begins at byte 1, an element has 5 bytes", "NPY-DTYPE-015",
     "fields are packed: each begins where the one before it ends"},
    {SNPY_TOO_MANY_DIMENSIONS, "a shape of 65 dimensions", NULL, NULL},
    {SNPY_EMPTY_SUBARRAY_TYPE, "[('a', '|S0', (5,))]", NULL, NULL},
    {SNPY_ITEMSIZE_OVERFLOW, "[('a', '<f8', (1073741824,))]", NULL, NULL},
    {SNPY_SIZE_OVERFLOW, "'shape': (4294967296, 4294967296)", NULL, NULL},
    {SNPY_OK, "'<f8' with 'shape': (2, 3): 6 elements, 48 bytes", "NPY-SHAPE-005",
     "the number of elements is the product of the dimensions, 1 for (), and the data are that many times the "
     "itemsize"},
    {SNPY_TRUNCATED_DATA, "24 bytes declared, 23 there", NULL, NULL},
    {SNPY_TRAILING_DATA, "24 bytes declared, 25 there, and --no-trailing", NULL, NULL},
    {SNPY_NO_OBJECTS, "an object array that ends behind its header", NULL, NULL},
    {SNPY_DATA_TOO_LARGE, "8 GiB declared under a limit of 1 GiB", NULL, NULL},
    {SNPY_WRITE_DTYPE, "a float of 3 bytes", NULL, NULL},
    {SNPY_WRITE_TABLE, "a field whose depth does not fit its place", NULL, NULL},
    {SNPY_WRITE_LAYOUT, "two fields that overlap, or one beyond its record", NULL, NULL},
    {SNPY_WRITE_SHAPE, "65 dimensions, or a product beyond 2^63 - 1", NULL, NULL},
    {SNPY_WRITE_NAME, "a name that is not UTF-8", NULL, NULL},
    {SNPY_WRITE_UNREADABLE, "a sub-array without a name", NULL, NULL},
    {SNPY_WRITE_VERSION, "version 1.0 for a name in Chinese", NULL, NULL},
    {SNPY_OK, "a header of 118 bytes for '<f8' and (3,): data at byte 128", "NPY-WRITE-008",
     "a writer fills the text with spaces and a newline so that the data begin at a multiple of 64, and leaves room "
     "for the growing dimension"},
    {SNPY_OK, "a name in Chinese makes version 3.0", "NPY-WRITE-009",
     "a writer takes version 1.0 if the text is Latin-1 and fits, else 2.0 if it is Latin-1, else 3.0"},
    {SNPY_OK, "a name with a no-break space is written '\\xa0'", "NPY-WRITE-010",
     "strings are written as Python's repr does with the Unicode database 14.0.0"},
    {SNPY_TABLE_TOO_SMALL, "a table of 2 entries for a record of 2 fields, which takes 3", NULL, NULL},
    {SNPY_BAD_ARGUMENT, "an options struct that was not initialised", NULL, NULL},
    {SNPY_BUFFER_TOO_SMALL, "a buffer of 64 bytes for a header of 128", NULL, NULL},
    {SNPY_OK, "snpy_status_name(SNPY_BAD_MAGIC) is \"SNPY_BAD_MAGIC\"", "API-STATUS",
     "every status has a stable number, a name, a rule, a sentence and a remedy"},
    {SNPY_OK, "snpy_version() is \"" SNPY_VERSION_STRING "\"", "API-VERSION", "the library says which version runs"},
    {SNPY_IO_ERROR, "a file without read permission, or a directory", NULL, NULL},
    {SNPY_NO_MEMORY, "a header of 3 GiB under --max-header 4294967295 on a small machine", NULL, NULL}};

#define LESSON_COUNT (sizeof lessons / sizeof lessons[0])

/* The rule of a lesson: its own or its status's. */
static const char *rule_of(const lesson *one)
{
    return one->rule != NULL ? one->rule : snpy_status_rule(one->status);
}

/* The sentence of a lesson: its own or its status's. */
static const char *sentence_of(const lesson *one)
{
    return one->sentence != NULL ? one->sentence : snpy_status_message(one->status);
}

/* Whether two texts are equal but for the case of ASCII letters. */
static bool same_word(const char *one, const char *other)
{
    while (*one != '\0' && toupper((unsigned char)*one) == toupper((unsigned char)*other)) {
        one++;
        other++;
    }
    return *one == *other;
}

/* The lesson of a rule or status; NULL if there is none. */
static const lesson *find_lesson(const char *word)
{
    for (size_t i = 0; i < LESSON_COUNT; i++) {
        const lesson *one = &lessons[i];
        if (same_word(rule_of(one), word)) return one;
        if (one->status != SNPY_OK && same_word(snpy_status_name(one->status), word)) return one;
    }
    return NULL;
}

/* Puts rule, status, sentence, example and remedy. */
static void put_lesson(const lesson *one)
{
    cli_put(&cli_output, rule_of(one));
    if (one->status != SNPY_OK) {
        cli_put(&cli_output, "  ");
        cli_put(&cli_output, snpy_status_name(one->status));
    }
    cli_put(&cli_output, "\n  ");
    cli_put(&cli_output, one->status != SNPY_OK ? "refused: " : "rule: ");
    cli_put(&cli_output, sentence_of(one));
    cli_put(&cli_output, "\n  example: ");
    cli_put(&cli_output, one->example);
    cli_put(&cli_output, "\n  remedy: ");
    cli_put(&cli_output,
            one->status != SNPY_OK ? snpy_status_hint(one->status) : "none needed: no file is refused for it");
    cli_put(&cli_output, "\n");
}

/* Puts every rule with its sentence, a line each. */
static enum cli_exit put_list(void)
{
    for (size_t i = 0; i < LESSON_COUNT; i++) {
        const char *rule = rule_of(&lessons[i]);
        cli_put(&cli_output, rule);
        cli_put_spaces(&cli_output, 15 - strlen(rule));
        cli_put(&cli_output, sentence_of(&lessons[i]));
        cli_put(&cli_output, "\n");
    }
    return CLI_ACCEPTED;
}

enum cli_exit cli_explain(int argc, char **argv)
{
    int word = 1;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) return put_list();
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) return cli_help();
    if (argc > 1 && strcmp(argv[1], "--") == 0) word++;
    if (word >= argc) {
        cli_stream *stream = cli_complain();
        cli_put(stream, "explain: no rule given; 'safenpy explain --list' lists them");
        return cli_wrong_usage(stream);
    }
    for (int first = word; word < argc; word++) {
        const lesson *one = find_lesson(argv[word]);
        if (one == NULL) {
            cli_stream *stream = cli_complain();
            cli_put(stream, "explain: no rule or status '");
            cli_put_argument(stream, argv[word]);
            cli_put(stream, "'; 'safenpy explain --list' lists them");
            return cli_wrong_usage(stream);
        }
        if (word > first) cli_put(&cli_output, "\n");
        put_lesson(one);
    }
    return CLI_ACCEPTED;
}
