/* explain.c: `safenpy explain`: writes a rule, what it says, an example and the remedy.
 * The core's status.c has the sentences and remedies. */
#include "cli/cli.h"

#include <ctype.h>
#include <string.h>

/* The explanation of a rule. */
typedef struct lesson {
    snpy_status status; /* the status that reports the rule; SNPY_OK: none does */
    const char *rule;
    const char *sentence;
    const char *example;
} lesson;

/* The rules that statuses report, then those that no status reports. */
static const lesson lessons[] = {
#define SNPY_STATUS(name, number, rule, message, hint, example) {name, rule, message, example},
#include "safenpy/statuses.h"
    {SNPY_OK, "NPY-FRAME-004",
     "the header length is little-endian, of 2 bytes in version 1.0 and 4 in the others, and the data begin right "
     "after the text",
     "76 00 in version 1.0: 118 bytes of text, data at byte 128"},
    {SNPY_OK, "NPY-HDR-007",
     "a writer should not set fortran_order for an array that is C-contiguous as well; only the canonical profile "
     "refuses it",
     "'fortran_order': True with 'shape': (3,)"},
    {SNPY_OK, "NPY-DTYPE-013",
     "a name is the sequence of code points between its quotes, escapes resolved; it may be empty and may hold NUL "
     "and lone surrogates",
     "'\\u00e9' and a raw \\xe9 of version 1.0 are the same name"},
    {SNPY_OK, "NPY-DTYPE-014",
     "a field with an empty name, no title and either the kind V or a sub-array shape is padding",
     "[('a', '|i1'), ('', '|V3'), ('b', '<i4')]: b begins at byte 4"},
    {SNPY_OK, "NPY-DTYPE-015", "fields are packed: each begins where the one before it ends",
     "[('a', '|i1'), ('b', '<i4')]: b begins at byte 1, an element has 5 bytes"},
    {SNPY_OK, "NPY-SHAPE-005",
     "the number of elements is the product of the dimensions, 1 for (), and the data are that many times the "
     "itemsize",
     "'<f8' with 'shape': (2, 3): 6 elements, 48 bytes"},
    {SNPY_OK, "NPY-WRITE-008",
     "a writer fills the text with spaces and a newline so that the data begin at a multiple of 64, and leaves room "
     "for the growing dimension",
     "a header of 118 bytes for '<f8' and (3,): data at byte 128"},
    {SNPY_OK, "NPY-WRITE-009",
     "a writer takes version 1.0 if the text is Latin-1 and fits, else 2.0 if it is Latin-1, else 3.0",
     "a name in Chinese makes version 3.0"},
    {SNPY_OK, "NPY-WRITE-010", "strings are written as Python's repr writes them with the Unicode database 14.0.0",
     "a name with a no-break space is written '\\xa0'"},
    {SNPY_OK, "NPY-FRAME-008", "a reader asks for no alignment of the data",
     "data at byte 127: ten bytes of prefix and 117 of text"},
    {SNPY_OK, "NPY-FRAME-009",
     "any run of blanks may follow the closing brace, also an empty one, and no newline is needed at its end",
     "a text that ends with its closing brace"},
    {SNPY_OK, "NPY-FRAME-010", "a text of ASCII characters without the suffix L means the same in all versions",
     "the same 118 bytes of text in versions 1.0, 2.0 and 3.0"},
    {SNPY_OK, "NPY-LIT-024",
     "any number of spaces, tabs, line feeds, carriage returns and form feeds may stand between two tokens inside the "
     "braces, no other white space",
     "a line break after each comma"},
    {SNPY_OK, "NPY-LIT-025",
     "what Python allows and the grammar does not contain is refused, by the rule that the text breaks first",
     "{'descr': ('<f8'), ... or 'shape': (0x3,)"},
    {SNPY_OK, "NPY-HDR-008", "keys are found by parsing the dictionary, never by a search of the text",
     "[(\"'shape': (9,)\", '<f8')]: a field with a strange name"},
    {SNPY_OK, "NPY-DTYPE-016", "of a pair of strings the first is the title, the second the name",
     "[(('speed in m/s', 'v'), '<f8')]: the field v"},
    {SNPY_OK, "NPY-DTYPE-017", "nested sub-arrays are arrays of arrays, the field's own shape outermost",
     "[('a', ('<f8', (2,)), (3,))]: shape (3, 2)"},
    {SNPY_OK, "NPY-DTYPE-018", "a record may have no fields, or padding only", "[] or [('', '|V8')]"},
    {SNPY_OK, "NPY-DTYPE-019", "an object counts as 8 bytes, whatever its type string says",
     "[('a', '|O4'), ('b', '<i4')]: b begins at byte 8"},
    {SNPY_OK, "NPY-SHAPE-006",
     "the bounds on dimensions and sizes hold for arrays with objects, too, with 8 bytes for each object",
     "'|O' with the shape (1152921504606846976,)"},
    {SNPY_OK, "NPY-DATA-005", "in C order the last index varies fastest",
     "(2, 3): the elements (0,0) (0,1) (0,2) (1,0) (1,1) (1,2)"},
    {SNPY_OK, "NPY-DATA-006", "in Fortran order the first index varies fastest, and the shape stays as it is written",
     "(2, 3): the elements (0,0) (1,0) (0,1) (1,1) (0,2) (1,2)"},
    {SNPY_OK, "NPY-DATA-007", "fortran_order may be True for any shape, also where both orders are the same bytes",
     "'fortran_order': True with 'shape': (5,)"},
    {SNPY_OK, "NPY-DATA-008", "elements follow one another without gaps",
     "'|V3' and (2,): elements at 0 and 3, six bytes"},
    {SNPY_OK, "NPY-DATA-009", "the shape comes from the header alone, never from the file's length",
     "(3,) of '<f8' in a file with 40 bytes of data: three elements"},
    {SNPY_OK, "NPY-VALUE-001", "each number has the byte order that its own type string names", "'>i2' and 01 02: 258"},
    {SNPY_OK, "NPY-VALUE-002", "a bool is false for 0 and true for every other byte", "'|b1' and 02: true"},
    {SNPY_OK, "NPY-VALUE-003", "signed integers are two's complement", "'|i1' and FF: -1"},
    {SNPY_OK, "NPY-VALUE-004", "f2, f4 and f8 are binary16, binary32 and binary64 of IEEE 754", "'<f2' and 00 3C: 1.0"},
    {SNPY_OK, "NPY-VALUE-005", "a complex number is its real part, then its imaginary part, each in the byte order",
     "'>c8' and 3F 80 00 00 40 00 00 00: 1 + 2i"},
    {SNPY_OK, "NPY-VALUE-006", "f16 and c32 are opaque: their layout is that of the machine that wrote them",
     "'<f16': 10 bytes of x87 and 6 without meaning, or IEEE binary128"},
    {SNPY_OK, "NPY-VALUE-007", "NULs at the end of a byte string are padding, those inside belong to the value",
     "'|S5' and 61 00 62 00 00: the bytes 61 00 62"},
    {SNPY_OK, "NPY-VALUE-008", "a string is a row of code points of four bytes each, zeros at its end are padding",
     "'<U2' and 29 6E 00 00 00 00 00 00: one character, U+6E29"},
    {SNPY_OK, "NPY-VALUE-009", "void is opaque bytes in the order of the file", "'<V2' and 80 3F: the bytes 80 3F"},
    {SNPY_OK, "NPY-VALUE-010", "datetimes and timedeltas are 64-bit counts of their unit; the smallest number is NaT",
     "'<M8[D]' and 01 00 00 00 00 00 00 00: 1970-01-02"},
    {SNPY_OK, "NPY-VALUE-011", "the padding bytes of a record have no meaning",
     "[('a', '|u1'), ('', '|V3'), ('b', '<i4')]: bytes 1 to 3"},
    {SNPY_OK, "NPY-VALUE-012", "the elements of a sub-array are in C order, whatever fortran_order says",
     "[('a', '<f8', (2, 3))] with 'fortran_order': True"},
    {SNPY_OK, "NPY-OBJ-001", "a pickle is never run; a decoder builds values by the rules of spec/objects.md",
     "'|O': safenpy reports the header and leaves the pickle alone"},
    {SNPY_OK, "NPY-OBJ-002", "the length of a pickle is not computed from the header",
     "'|O' and (2,): 154 bytes of pickle"},
    {SNPY_OK, "NPY-OBJ-003", "an array has objects if any field at any depth is one, padding excepted",
     "[('r', [('o', '|O')]), ('x', '<f8')]"},
    {SNPY_OK, "NPY-OBJ-004", "fortran_order does not change the order of objects in the pickle",
     "'|O' with 'fortran_order': True: the pickle's list is in C order"},
    {SNPY_OK, "NPY-PKL-001", "a decoder builds values from the tables, and imports and calls nothing",
     "posix system is a name that is not in the table"},
    {SNPY_OK, "NPY-PKL-028", "a writer of pickles writes only values, and what a decoder accepts again",
     "what convert --disarm writes calls nothing that is not listed"},
    {SNPY_OK, "NPY-PKL-029", "a writer of pickles writes a value in one form",
     "disarming a file again changes no byte"},
    {SNPY_OK, "NPY-PKL-030", "a writer of pickles writes protocol 4 and names that every NumPy has, unless asked",
     "numpy.core.multiarray, and with --numpy 2 numpy._core.multiarray"},
    {SNPY_OK, "NPY-PKL-032", "the key of a member of a flat archive is the path of its value, with keys escaped",
     "{'a': {'b.c': 1}} has the member a/b%2Ec"},
    {SNPY_OK, "NPY-PKL-033", "items of one kind are one column of a flat archive", "['a', None] is values, $none"},
    {SNPY_OK, "NPY-PKL-034", "the member $schema of a flat archive says what its members were",
     "a row: list, float, 3"},
    {SNPY_OK, "NPY-PKL-027", "a container or array that occurs twice is one value",
     "40 lists, each of which holds the one before twice"},
    {SNPY_OK, "NPY-MAP-001",
     "a program that maps a file first compares the end of the data with its length, and never lengthens it",
     "a file of 100 bytes that declares 1,000"},
    {SNPY_OK, "NPY-MAP-002", "a program that maps a file handles data that begin at any byte", "data at byte 127"},
    {SNPY_OK, "NPY-MAP-003", "a program that maps a file accepts an array without bytes", "'shape': (0,)"},
    {SNPY_OK, "NPY-LIMIT-001",
     "default limits are not lower than 65,536 bytes of text, 64 dimensions and 64 levels of nesting",
     "a header of 65,536 bytes, 64 dimensions, 64 levels"},
    {SNPY_OK, "NPY-LIMIT-002", "the header length is checked before memory is allocated for the text",
     "twelve bytes that claim a header of 4 GiB"},
    {SNPY_OK, "NPY-LIMIT-003", "the size of the data is checked before memory is allocated for them",
     "128 bytes that declare 2^62 bytes of data"},
    {SNPY_OK, "NPY-ERR-001",
     "if several rules are broken, the one of the earliest phase is reported, then the one at the earliest byte",
     "a wrong type and a missing key: the missing key, which is found while parsing"},
    {SNPY_OK, "NPY-CANON-001",
     "a canonical header has version 1.0 if the text is Latin-1 and fits, else 2.0 if it is Latin-1, else 3.0",
     "version 2.0 for a text of 118 bytes is not canonical"},
    {SNPY_OK, "NPY-CANON-002", "a canonical dictionary has its keys sorted and NumPy's blanks and commas",
     "{'shape': (3,), 'descr': ... is not canonical"},
    {SNPY_OK, "NPY-CANON-003", "a canonical type string is the one that NumPy writes for the type",
     "'<i1', 'O' and '<M8[1s]' are not canonical"},
    {SNPY_OK, "NPY-CANON-004",
     "a canonical string is spelt as Python's repr spells it with the Unicode database 14.0.0",
     "\"a\", u'a' and '\\x41' are not canonical"},
    {SNPY_OK, "NPY-CANON-005", "a canonical record is a list of tuples, with each gap as one padding field",
     "('a', '<f8', ()) and two paddings in a row are not canonical"},
    {SNPY_OK, "NPY-CANON-006", "in a canonical header fortran_order is False where the array is C-contiguous as well",
     "'fortran_order': True with 'shape': (3,) is not canonical"},
    {SNPY_OK, "NPY-CANON-007", "a canonical shape is spelt as Python's repr of a tuple",
     "(2,3) and (2, 3,) are not canonical"},
    {SNPY_OK, "NPY-CANON-008",
     "a canonical header ends with growth spaces, 1 to 64 more to a multiple of 64 bytes, and a newline",
     "a text without growth spaces is not canonical"},
    {SNPY_OK, "NPY-WRITE-011", "a writer puts zeros into the padding bytes of records",
     "[('a', '|u1'), ('', '|V3'), ('b', '<i4')]: bytes 1 to 3 are zero"},
    {SNPY_OK, "NPY-WRITE-012",
     "a header may be overwritten in place when the growing axis gets longer, if its length does not change",
     "(1,) becomes (1000000,) in a header of 128 bytes"},
    {SNPY_OK, "NPY-COMPAT-001", "--compat int-fortran-order accepts 1 and 0 for fortran_order",
     "'fortran_order': 1 is read as True"},
    {SNPY_OK, "NPY-COMPAT-002", "--compat numpy-bool accepts np.True_ and np.False_ for fortran_order",
     "'fortran_order': np.True_ is read as True"},
    {SNPY_OK, "NPY-COMPAT-003", "--compat numpy-int accepts NumPy's integers as dimensions",
     "(np.int64(2), 3) is read as (2, 3)"},
    {SNPY_OK, "NPY-COMPAT-004", "--compat list-shape accepts a list as a shape", "[2, 3] is read as (2, 3)"},
    {SNPY_OK, "NPY-COMPAT-005", "--compat int-shape accepts an integer other than 1 as a sub-array shape",
     "('a', '<f8', 2) is read as ('a', '<f8', (2,))"},
    {SNPY_OK, "NPY-COMPAT-006", "--compat list-field accepts a list as a field",
     "[['a', '<f8']] is read as [('a', '<f8')]"},
    {SNPY_OK, "NPY-COMPAT-007", "--compat metadata skips a dictionary after a field's type",
     "('a', ('|O', {'vlen': 1})) is read as ('a', '|O')"},
    {SNPY_OK, "NPY-COMPAT-008", "--compat native-order reads a missing or native byte order as little-endian",
     "'f8' and '=f8' are read as '<f8'"},
    {SNPY_OK, "NPY-COMPAT-009", "--compat type-names accepts names of types that have one size everywhere",
     "'float64' is read as '<f8'"},
    {SNPY_OK, "NPY-COMPAT-010", "--compat bytes-alias accepts the letter a for bytes", "'|a5' is read as '|S5'"},
    {SNPY_OK, "NPY-COMPAT-011", "--compat platform-float accepts long doubles of other platforms as opaque bytes",
     "'<f12': 12 opaque bytes"},
    {SNPY_OK, "NPY-COMPAT-012",
     "flags are off by default, and none changes the meaning of a file that is accepted without it",
     "two deviations in one file need both flags"},
    {SNPY_OK, "API-VIEW", "a view reaches no byte outside the data it was opened on",
     "the element (1, 2) of a (2, 3) array of '<f8' takes the bytes 40 to 47"},
    {SNPY_OK, "API-STREAM", "a file read in pieces gets the verdict of the whole file, wherever it is cut",
     "128 bytes of header in two pieces, cut at byte 7"},
    {SNPY_OK, "API-LOOK", "a file in another format is named, if its first bytes show which one it is",
     "'version https://git-lfs' begins a Git LFS pointer"},
    {SNPY_OK, "API-STATUS", "every status has a stable number, a name, a rule, a message and a hint",
     "snpy_status_name(SNPY_BAD_MAGIC) is \"SNPY_BAD_MAGIC\""},
    {SNPY_OK, "API-VERSION", "the library returns its version", "snpy_version() is \"" SNPY_VERSION_STRING "\""},
    {SNPY_OK, "API-ARCHIVE",
     "an archive is opened from a path, from the position of a descriptor or from memory, and none of them is changed",
     "snpy_archive_open_descriptor at the end of other data in a file"},
};

#define LESSON_COUNT (sizeof lessons / sizeof lessons[0])

/* Whether two texts are equal, ignoring the case of ASCII letters. */
static bool same_word(const char *one, const char *other)
{
    while (*one != '\0' && toupper((unsigned char)*one) == toupper((unsigned char)*other)) {
        one++;
        other++;
    }
    return *one == *other;
}

/* Returns the lesson for a rule or the name of a status; NULL if there is none. */
static const lesson *find_lesson(const char *word)
{
    for (size_t i = 0; i < LESSON_COUNT; i++) {
        const lesson *one = &lessons[i];
        if (same_word(one->rule, word)) return one;
        if (one->status != SNPY_OK && same_word(snpy_status_name(one->status), word)) return one;
    }
    return NULL;
}

/* Writes rule, status, sentence, example and remedy. */
static void put_lesson(const lesson *one)
{
    cli_put(&cli_output, one->rule);
    if (one->status != SNPY_OK) {
        cli_say(&cli_output, "  %s", snpy_status_name(one->status));
    }
    cli_say(&cli_output, "\n  %s%s\n  example: %s\n  remedy: %s\n",
            one->status != SNPY_OK ? "refused: " : "rule: ", one->sentence, one->example,
            one->status != SNPY_OK ? snpy_status_hint(one->status) : "none of its own: no refusal reports this rule");
}

/* Writes one line per rule, with its sentence. */
static enum cli_exit put_list(void)
{
    for (size_t i = 0; i < LESSON_COUNT; i++) {
        const char *rule = lessons[i].rule;
        cli_put(&cli_output, rule);
        cli_put_spaces(&cli_output, 15 - strlen(rule));
        cli_say(&cli_output, "%s\n", lessons[i].sentence);
    }
    return CLI_ACCEPTED;
}

enum cli_exit cli_explain(int argc, char **argv)
{
    int word = 1;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) return put_list();
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) return cli_help(argv[0]);
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
            cli_say(stream, "explain: no rule or status '%-s'; 'safenpy explain --list' lists them", argv[word]);
            return cli_wrong_usage(stream);
        }
        if (word > first) cli_put(&cli_output, "\n");
        put_lesson(one);
    }
    return CLI_ACCEPTED;
}
