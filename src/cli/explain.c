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
    {SNPY_BAD_MAGIC, "a file that begins with 1F 8B: gzip", NULL, NULL},
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
    {SNPY_OK, "data at byte 127: ten bytes of prefix and 117 of text", "NPY-FRAME-008",
     "a reader asks for no alignment of the data"},
    {SNPY_OK, "a text that ends with its closing brace", "NPY-FRAME-009",
     "any run of blanks may stand behind the closing brace, an empty one too, and no newline is needed at its end"},
    {SNPY_OK, "the same 118 bytes of text in versions 1.0, 2.0 and 3.0", "NPY-FRAME-010",
     "a text of ASCII characters without the suffix L means the same in all versions"},
    {SNPY_OK, "a line break behind each comma", "NPY-LIT-024",
     "any number of spaces, tabs, line feeds, carriage returns and form feeds may stand between two tokens inside the "
     "braces, no other white space"},
    {SNPY_OK, "{'descr': ('<f8'), ... or 'shape': (0x3,)", "NPY-LIT-025",
     "what Python allows and the grammar does not name is refused, by the rule that the text leaves first"},
    {SNPY_OK, "[(\"'shape': (9,)\", '<f8')]: a field with a strange name", "NPY-HDR-008",
     "keys are found by parsing the dictionary, never by a search of the text"},
    {SNPY_OK, "[(('speed in m/s', 'v'), '<f8')]: the field v", "NPY-DTYPE-016",
     "of a pair of strings the first is the title, the second the name"},
    {SNPY_OK, "[('a', ('<f8', (2,)), (3,))]: shape (3, 2)", "NPY-DTYPE-017",
     "nested sub-arrays are arrays of arrays, the field's own shape outermost"},
    {SNPY_OK, "[] or [('', '|V8')]", "NPY-DTYPE-018", "a record may have no fields, or padding only"},
    {SNPY_OK, "[('a', '|O4'), ('b', '<i4')]: b begins at byte 8", "NPY-DTYPE-019",
     "an object counts as 8 bytes, whatever its type string says"},
    {SNPY_OK, "'|O' with the shape (1152921504606846976,)", "NPY-SHAPE-006",
     "the bounds on dimensions and sizes hold for arrays with objects, too, with 8 bytes for each object"},
    {SNPY_OK, "(2, 3): the elements (0,0) (0,1) (0,2) (1,0) (1,1) (1,2)", "NPY-DATA-005",
     "in C order the last index varies fastest"},
    {SNPY_OK, "(2, 3): the elements (0,0) (1,0) (0,1) (1,1) (0,2) (1,2)", "NPY-DATA-006",
     "in Fortran order the first index varies fastest, and the shape stays as it is written"},
    {SNPY_OK, "'fortran_order': True with 'shape': (5,)", "NPY-DATA-007",
     "fortran_order may be True for any shape, also where both orders are the same bytes"},
    {SNPY_OK, "'|V3' and (2,): elements at 0 and 3, six bytes", "NPY-DATA-008",
     "elements follow one another without gaps"},
    {SNPY_OK, "(3,) of '<f8' in a file with 40 bytes of data: three elements", "NPY-DATA-009",
     "the shape comes from the header alone, never from the file's length"},
    {SNPY_OK, "'>i2' and 01 02: 258", "NPY-VALUE-001", "each number has the byte order that its own type string names"},
    {SNPY_OK, "'|b1' and 02: true", "NPY-VALUE-002", "a bool is false for 0 and true for every other byte"},
    {SNPY_OK, "'|i1' and FF: -1", "NPY-VALUE-003", "signed integers are two's complement"},
    {SNPY_OK, "'<f2' and 00 3C: 1.0", "NPY-VALUE-004", "f2, f4 and f8 are binary16, binary32 and binary64 of IEEE 754"},
    {SNPY_OK, "'>c8' and 3F 80 00 00 40 00 00 00: 1 + 2i", "NPY-VALUE-005",
     "a complex number is its real part, then its imaginary part, each in the byte order"},
    {SNPY_OK, "'<f16': 10 bytes of x87 and 6 without meaning, or IEEE binary128", "NPY-VALUE-006",
     "f16 and c32 are opaque: their layout is that of the machine that wrote them"},
    {SNPY_OK, "'|S5' and 61 00 62 00 00: the bytes 61 00 62", "NPY-VALUE-007",
     "NULs at the end of a byte string are padding, those inside belong to the value"},
    {SNPY_OK, "'<U2' and 29 6E 00 00 00 00 00 00: one character, U+6E29", "NPY-VALUE-008",
     "a string is a row of code points of four bytes each, zeros at its end are padding"},
    {SNPY_OK, "'<V2' and 80 3F: the bytes 80 3F", "NPY-VALUE-009", "void is opaque bytes in the order of the file"},
    {SNPY_OK, "'<M8[D]' and 01 00 00 00 00 00 00 00: 1970-01-02", "NPY-VALUE-010",
     "datetimes and timedeltas are 64-bit counts of their unit; the smallest number is NaT"},
    {SNPY_OK, "[('a', '|u1'), ('', '|V3'), ('b', '<i4')]: bytes 1 to 3", "NPY-VALUE-011",
     "the padding bytes of a record have no meaning"},
    {SNPY_OK, "[('a', '<f8', (2, 3))] with 'fortran_order': True", "NPY-VALUE-012",
     "the elements of a sub-array are in C order, whatever fortran_order says"},
    {SNPY_OK, "'|O': safenpy reports the header and leaves the pickle alone", "NPY-OBJ-001",
     "a reader does not unpickle unless its user asks for it"},
    {SNPY_OK, "'|O' and (2,): 154 bytes of pickle", "NPY-OBJ-002",
     "the length of a pickle is not computed from the header"},
    {SNPY_OK, "[('r', [('o', '|O')]), ('x', '<f8')]", "NPY-OBJ-003",
     "an array has objects if any field at any depth is one, padding excepted"},
    {SNPY_OK, "'|O' with 'fortran_order': True: the pickle's list is in C order", "NPY-OBJ-004",
     "fortran_order says nothing of the order of objects in the pickle"},
    {SNPY_OK, "a file of 100 bytes that declares 1,000", "NPY-MAP-001",
     "who maps a file compares the end of the data with its length first, and never lengthens it"},
    {SNPY_OK, "data at byte 127", "NPY-MAP-002", "who maps a file copes with data that begin at any byte"},
    {SNPY_OK, "'shape': (0,)", "NPY-MAP-003", "who maps a file accepts an array without bytes"},
    {SNPY_OK, "a header of 65,536 bytes, 64 dimensions, 64 levels", "NPY-LIMIT-001",
     "default limits are not lower than 65,536 bytes of text, 64 dimensions and 64 levels of nesting"},
    {SNPY_OK, "twelve bytes that claim a header of 4 GiB", "NPY-LIMIT-002",
     "the header length is judged before memory is taken for the text"},
    {SNPY_OK, "128 bytes that declare 2^62 bytes of data", "NPY-LIMIT-003",
     "the size of the data is judged before memory is taken for them"},
    {SNPY_OK, "a wrong type and a missing key: the missing key, which is found while parsing", "NPY-ERR-001",
     "of several broken rules the one of the earliest phase wins, then the one at the earliest byte"},
    {SNPY_OK, "version 2.0 for a text of 118 bytes is not canonical", "NPY-CANON-001",
     "a canonical header has version 1.0 if the text is Latin-1 and fits, else 2.0 if it is Latin-1, else 3.0"},
    {SNPY_OK, "{'shape': (3,), 'descr': ... is not canonical", "NPY-CANON-002",
     "a canonical dictionary has its keys sorted and NumPy's blanks and commas"},
    {SNPY_OK, "'<i1', 'O' and '<M8[1s]' are not canonical", "NPY-CANON-003",
     "a canonical type string is the one that NumPy writes for the type"},
    {SNPY_OK, "\"a\", u'a' and '\\x41' are not canonical", "NPY-CANON-004",
     "a canonical string is spelt as Python's repr does with the Unicode database 14.0.0"},
    {SNPY_OK, "('a', '<f8', ()) and two paddings in a row are not canonical", "NPY-CANON-005",
     "a canonical record is a list of tuples, with each gap as one padding field"},
    {SNPY_OK, "'fortran_order': True with 'shape': (3,) is not canonical", "NPY-CANON-006",
     "in a canonical header fortran_order is False where the array is C-contiguous as well"},
    {SNPY_OK, "(2,3) and (2, 3,) are not canonical", "NPY-CANON-007",
     "a canonical shape is spelt as Python's repr of a tuple"},
    {SNPY_OK, "a text without growth spaces is not canonical", "NPY-CANON-008",
     "a canonical header ends with growth spaces, 1 to 64 more to a multiple of 64 bytes, and a newline"},
    {SNPY_OK, "[('a', '|u1'), ('', '|V3'), ('b', '<i4')]: bytes 1 to 3 are zero", "NPY-WRITE-011",
     "a writer puts zeros into the padding bytes of records"},
    {SNPY_OK, "(1,) becomes (1000000,) in a header of 128 bytes", "NPY-WRITE-012",
     "a header may be overwritten in place when the growing axis gets longer, if its length stays"},
    {SNPY_OK, "'fortran_order': 1 is read as True", "NPY-COMPAT-001",
     "--compat int-fortran-order lets 1 and 0 stand for fortran_order"},
    {SNPY_OK, "'fortran_order': np.True_ is read as True", "NPY-COMPAT-002",
     "--compat numpy-bool lets np.True_ and np.False_ stand for fortran_order"},
    {SNPY_OK, "(np.int64(2), 3) is read as (2, 3)", "NPY-COMPAT-003",
     "--compat numpy-int lets NumPy's integers stand as dimensions"},
    {SNPY_OK, "[2, 3] is read as (2, 3)", "NPY-COMPAT-004", "--compat list-shape lets a list stand as a shape"},
    {SNPY_OK, "('a', '<f8', 2) is read as ('a', '<f8', (2,))", "NPY-COMPAT-005",
     "--compat int-shape lets an integer other than 1 stand as a sub-array shape"},
    {SNPY_OK, "[['a', '<f8']] is read as [('a', '<f8')]", "NPY-COMPAT-006",
     "--compat list-field lets a list stand as a field"},
    {SNPY_OK, "('a', ('|O', {'vlen': 1})) is read as ('a', '|O')", "NPY-COMPAT-007",
     "--compat metadata skips a dictionary behind a field's type"},
    {SNPY_OK, "'f8' and '=f8' are read as '<f8'", "NPY-COMPAT-008",
     "--compat native-order takes a missing or native byte order as little-endian"},
    {SNPY_OK, "'float64' is read as '<f8'", "NPY-COMPAT-009",
     "--compat type-names takes names of types that have one size everywhere"},
    {SNPY_OK, "'|a5' is read as '|S5'", "NPY-COMPAT-010", "--compat bytes-alias takes the letter a for bytes"},
    {SNPY_OK, "'<f12': 12 opaque bytes", "NPY-COMPAT-011",
     "--compat platform-float takes long doubles of other platforms as opaque bytes"},
    {SNPY_OK, "two deviations in one file need both flags", "NPY-COMPAT-012",
     "flags are off by default, and none changes what a file says that is accepted without it"},
    {SNPY_TABLE_TOO_SMALL, "a table of 2 entries for a record of 2 fields, which takes 3", NULL, NULL},
    {SNPY_BAD_ARGUMENT, "an options struct that was not initialised", NULL, NULL},
    {SNPY_BUFFER_TOO_SMALL, "a buffer of 64 bytes for a header of 128", NULL, NULL},
    {SNPY_OBJECT_DATA, "the elements of an array of '|O'", NULL, NULL},
    {SNPY_BAD_INDEX, "index 3 of an axis of 3 elements", NULL, NULL},
    {SNPY_BAD_SLICE, "[::0]", NULL, NULL},
    {SNPY_WRONG_TYPE, "an integer asked of '<f8'", NULL, NULL},
    {SNPY_VALUE_RANGE, "300 into '|u1'", NULL, NULL},
    {SNPY_BAD_CODE_POINT, "'<U1' with the bytes 00 00 11 00", NULL, NULL},
    {SNPY_OK, "the element (1, 2) of a (2, 3) array of '<f8' takes the bytes 40 to 47", "API-VIEW",
     "a view reaches no byte outside the data it was opened on"},
    {SNPY_OK, "128 bytes of header in two pieces, cut at byte 7", "API-STREAM",
     "a file read in pieces is judged as the whole file is, wherever it is cut"},
    {SNPY_OK, "snpy_status_name(SNPY_BAD_MAGIC) is \"SNPY_BAD_MAGIC\"", "API-STATUS",
     "every status has a stable number, a name, a rule, a sentence and a remedy"},
    {SNPY_OK, "snpy_version() is \"" SNPY_VERSION_STRING "\"", "API-VERSION", "the library says which version runs"},
    {SNPY_IO_ERROR, "a file without read permission, or a directory", NULL, NULL},
    {SNPY_NO_MEMORY, "a header of 3 GiB under --max-header 4294967295 on a small machine", NULL, NULL},
    {SNPY_HEADER_FULL, "10 elements and one more, in a header of NumPy 1.19 that ends right behind its brace", NULL,
     NULL},
    {SNPY_FILE_CHANGED, "a file that another program cuts while it is read", NULL, NULL},
    {SNPY_NOT_ALIKE, "rows of (1, 4) appended to an array of (10, 3)", NULL, NULL},
    {SNPY_LOCKED, "an append to a file that another process is converting in place", NULL, NULL},
    {SNPY_ZIP_NO_END, "an archive that was cut off", NULL, NULL},
    {SNPY_ZIP_TRUNCATED_COMMENT, "a comment of 20 bytes, 5 of them there", NULL, NULL},
    {SNPY_ZIP_TRAILING_DATA, "a line of text behind the archive", NULL, NULL},
    {SNPY_ZIP_AMBIGUOUS_END, "a whole archive in the comment", NULL, NULL},
    {SNPY_ZIP_MULTI_DISK, "part 2 of an archive of several disks", NULL, NULL},
    {SNPY_ZIP_BAD_DIRECTORY, "a directory offset that is 4 too small", NULL, NULL},
    {SNPY_ZIP_BAD_COUNT, "a count of 1 for two members", NULL, NULL},
    {SNPY_ZIP_BAD_LOCATOR, "a locator that leads elsewhere", NULL, NULL},
    {SNPY_ZIP_BAD_WIDE_END, "a size field of 45", NULL, NULL},
    {SNPY_ZIP_WIDE_END_DIFFERS, "counts of 1 and 2", NULL, NULL},
    {SNPY_ZIP_TOO_MANY_MEMBERS, "two million members under a limit of one", NULL, NULL},
    {SNPY_ZIP_BAD_CENTRAL, "a digital signature in the directory", NULL, NULL},
    {SNPY_ZIP_TRUNCATED_CENTRAL, "a name longer than the directory", NULL, NULL},
    {SNPY_ZIP_VERSION, "version 63", NULL, NULL},
    {SNPY_ZIP_ENCRYPTED, "a member with a password", NULL, NULL},
    {SNPY_ZIP_FLAGS, "bit 5: patched data", NULL, NULL},
    {SNPY_ZIP_METHOD, "method 12: bzip2", NULL, NULL},
    {SNPY_ZIP_STORED_SIZE, "a stored member of 100 and 200 bytes", NULL, NULL},
    {SNPY_ZIP_BAD_EXTRA, "a field of 9 bytes where 8 are left", NULL, NULL},
    {SNPY_ZIP_EXTRA_TWICE, "two ZIP64 fields", NULL, NULL},
    {SNPY_ZIP_WIDE_MISSING, "a ZIP64 field of 8 bytes for two numbers", NULL, NULL},
    {SNPY_ZIP_WIDE_DIFFERS, "a size of 5 with a ZIP64 size of 6", NULL, NULL},
    {SNPY_ZIP_NAME_UTF8, "a name with the byte FF, said to be UTF-8", NULL, NULL},
    {SNPY_ZIP_UNICODE_PATH, "the name a.npy with the Unicode path b.npy", NULL, NULL},
    {SNPY_ZIP_NUL_IN_NAME, "a.npy, a NUL byte and .txt", NULL, NULL},
    {SNPY_ZIP_EMPTY_NAME, "a name of no bytes", NULL, NULL},
    {SNPY_ZIP_DIRECTORY_DATA, "the name x/ with 128 bytes", NULL, NULL},
    {SNPY_ZIP_PREFIX, "a program in front of the archive", NULL, NULL},
    {SNPY_ZIP_OVERLAP, "two members with the same data", NULL, NULL},
    {SNPY_ZIP_GAP, "a deleted member", NULL, NULL},
    {SNPY_ZIP_BAD_LOCAL, "an offset that leads into the data", NULL, NULL},
    {SNPY_ZIP_TRUNCATED_LOCAL, "a name that reaches into the directory", NULL, NULL},
    {SNPY_ZIP_NAME_DIFFERS, "a.npy in the directory, b.npy in front of the data", NULL, NULL},
    {SNPY_ZIP_METHOD_DIFFERS, "stored in the directory, deflated in front of the data", NULL, NULL},
    {SNPY_ZIP_FLAGS_DIFFER, "bit 3 in the directory only", NULL, NULL},
    {SNPY_ZIP_SIZE_DIFFERS, "100 bytes in the directory, 200 in front of the data", NULL, NULL},
    {SNPY_ZIP_CRC_DIFFERS, "two different checksums", NULL, NULL},
    {SNPY_ZIP_OUT_OF_BOUNDS, "4 GiB of data in a file of 300 bytes", NULL, NULL},
    {SNPY_ZIP_NO_DESCRIPTOR, "bit 3, and the next member right behind the data", NULL, NULL},
    {SNPY_ZIP_DESCRIPTOR_DIFFERS, "a descriptor with another CRC", NULL, NULL},
    {SNPY_ZIP_DUPLICATE_KEY, "a and a.npy", NULL, NULL},
    {SNPY_ZIP_MEMBER_TOO_LARGE, "5 GiB under a limit of 4", NULL, NULL},
    {SNPY_ZIP_TOTAL_TOO_LARGE, "a thousand members just below the limit of one", NULL, NULL},
    {SNPY_ZIP_RATIO, "a gigabyte from a kilobyte", NULL, NULL},
    {SNPY_ZIP_BAD_DEFLATE, "a deflate stream without its end", NULL, NULL},
    {SNPY_ZIP_DEFLATE_TRAILING, "a deflate stream with a message behind it", NULL, NULL},
    {SNPY_ZIP_INFLATED_SIZE, "a stream of 136 bytes, said to be 128", NULL, NULL},
    {SNPY_ZIP_BAD_CRC, "one bit that a disk has flipped", NULL, NULL},
    {SNPY_ZIP_PATH_ESCAPES, "../x.npy or /etc/passwd", NULL, NULL},
    {SNPY_ZIP_PATH_NOT_PORTABLE, "a:b.npy or CON.npy", NULL, NULL},
    {SNPY_ZIP_PATH_COLLIDES, "X.npy beside x.npy", NULL, NULL},
    {SNPY_ZIP_WRITE_KEY, "a key with a NUL in it", NULL, NULL},
    {SNPY_ZIP_WRITE_DUPLICATE, "a and a.npy", NULL, NULL},
    {SNPY_NO_MEMBER, "the key y of an archive of x", NULL, NULL},
    {SNPY_NOT_AN_ARRAY, "readme.txt in an archive", NULL, NULL},
    {SNPY_OK, "snpy_archive_open_descriptor of a file that something else stands in front of", "API-ARCHIVE",
     "an archive is opened from a path, from where a descriptor stands or from memory, and none of them is changed"}};

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
            one->status != SNPY_OK ? snpy_status_hint(one->status) : "none of its own: no refusal reports this rule");
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
