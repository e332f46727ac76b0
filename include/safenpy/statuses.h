/* safenpy/statuses.h: the table of statuses, one entry each:
 *
 *     SNPY_STATUS(name, number, rule, message, hint, example)
 *
 * number   never changes; new ones go to the end of their block of hundred
 * rule     of spec/npy.md, spec/npz.md or spec/objects.md that the status reports
 * message  what was wrong, without full stop
 * hint     how to fix the file, or what to ask its author for
 * example  what triggers it
 *
 * Define SNPY_STATUS, then include this file; it undefines the macro. status.h makes the enumeration of it, status.c
 * the functions, and the command the texts of `safenpy explain`. SNPY_OK, 0, has no entry. */
#ifndef SNPY_STATUS
#define SNPY_STATUS(name, number, rule, message, hint, example)
#endif

/* clang-format off */
/* NOLINTBEGIN(bugprone-branch-clone): statuses may share a hint */

/* Frame: the bytes before the header text. */
SNPY_STATUS(SNPY_BAD_MAGIC, 101, "NPY-FRAME-001",
            "the file does not begin with the magic bytes of an NPY file",
            "check that the file is an .npy file, not a raw dump, a pickle or an .npz archive",
            "a file that begins with 1F 8B: gzip")
SNPY_STATUS(SNPY_TRUNCATED_PREFIX, 102, "NPY-FRAME-002",
            "the file ends before its version and header length are complete",
            "download the file again: it is truncated",
            "a file of 8 bytes")
SNPY_STATUS(SNPY_UNSUPPORTED_VERSION, 103, "NPY-FRAME-003",
            "the format version is not 1.0, 2.0 or 3.0",
            "save the array again with numpy.save, which writes version 1.0, 2.0 or 3.0",
            "version 1.1 or 4.0")

/* Limits: the sizes that the header declares, compared with what is allowed and present. */
SNPY_STATUS(SNPY_HEADER_TOO_LONG, 201, "NPY-FRAME-005",
            "the header length exceeds the limit",
            "if you trust the file and its record type is large, raise the limit max-header",
            "a header length of 4 GiB under a limit of 64 KiB")
SNPY_STATUS(SNPY_TRUNCATED_HEADER, 202, "NPY-FRAME-006",
            "the file ends inside its header",
            "download the file again: it is truncated, or its header length is wrong",
            "a header length of 118 where 40 bytes are left")

/* Text encoding. */
SNPY_STATUS(SNPY_BAD_UTF8, 301, "NPY-FRAME-007",
            "the header text of version 3.0 is not well-formed UTF-8",
            "write the names in UTF-8, or save the array again with numpy.save",
            "version 3.0 with the byte FF in a name")

/* Literal: the header text against the grammar. */
SNPY_STATUS(SNPY_UNEXPECTED_END, 401, "NPY-LIT-001",
            "the header text ends before its closing brace",
            "complete the dictionary in the header, or correct the header length that cuts it off",
            "{'descr': '<f8', 'fortran_order'")
SNPY_STATUS(SNPY_NOT_A_DICT, 402, "NPY-LIT-002",
            "the header text does not begin with an opening brace",
            "begin the header text with {, with nothing before it, not even a blank",
            "['<f8', (3,)], or a blank before the brace")
SNPY_STATUS(SNPY_TRAILING_TEXT, 403, "NPY-LIT-003",
            "there is text after the closing brace of the header",
            "fill the header after the closing brace with spaces and a final newline only",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), } # three numbers")
SNPY_STATUS(SNPY_EXPECTED_STRING, 404, "NPY-LIT-004",
            "expected a quoted string",
            "write keys, names and titles as plain quoted strings, without a prefix b, r or f",
            "{1: 2}, or b'descr'")
SNPY_STATUS(SNPY_CONTROL_IN_STRING, 405, "NPY-LIT-005",
            "a string contains a raw control character",
            "write the control character as an escape, such as \\n or \\x1f",
            "a line break between the quotes of a name")
SNPY_STATUS(SNPY_BAD_ESCAPE, 406, "NPY-LIT-006",
            "a backslash begins an escape that Python's repr does not write",
            "use only the escapes \\\\ \\' \\\" \\n \\r \\t \\xHH \\uHHHH and \\UHHHHHHHH",
            "[('\\q', '<f8')], '\\101', '\\x4'")
SNPY_STATUS(SNPY_CODE_POINT_RANGE, 407, "NPY-LIT-007",
            "an escape names a code point above U+10FFFF",
            "correct the escape: Unicode ends at \\U0010ffff",
            "[('\\U00110000', '<f8')]")
SNPY_STATUS(SNPY_ESCAPE_IN_TYPE, 408, "NPY-LIT-008",
            "a type string contains a backslash",
            "write the type string out, such as '<f8', without escapes",
            "'descr': '\\x3cf8'")
SNPY_STATUS(SNPY_EXPECTED_COLON, 409, "NPY-LIT-009",
            "expected a colon after the key",
            "put a colon between the key and its value",
            "{'descr', '<f8'}")
SNPY_STATUS(SNPY_EXPECTED_COMMA, 410, "NPY-LIT-010",
            "expected a comma or the closing bracket",
            "separate entries, fields and the parts of a field with one comma each",
            "{'descr': '<f8' 'shape': ()}")
SNPY_STATUS(SNPY_EXPECTED_CLOSE, 411, "NPY-LIT-011",
            "expected a closing parenthesis",
            "give a field a name, a type and at most one shape, a title one name, and close the tuple after them",
            "[('a', '<f8', (2,), 4)]")
SNPY_STATUS(SNPY_EXPECTED_TYPE, 412, "NPY-LIT-012",
            "expected a type: a type string or a list of fields",
            "write the type as a string such as '<f8' or as a list of fields such as [('a', '<f8')]",
            "'descr': None")
SNPY_STATUS(SNPY_TOP_LEVEL_SUBARRAY, 413, "NPY-LIT-013",
            "the type of the whole array is a tuple",
            "append the sub-array's dimensions to 'shape' and leave the plain type in 'descr'",
            "'descr': ('<f8', (2,))")
SNPY_STATUS(SNPY_EXPECTED_FIELD, 414, "NPY-LIT-014",
            "expected a field: a tuple of a name, a type and an optional shape",
            "write each field as a tuple such as ('a', '<f8'); the flag list-field accepts a list",
            "'descr': ['<f8']")
SNPY_STATUS(SNPY_EXPECTED_SHAPE, 415, "NPY-LIT-015",
            "expected a shape: a tuple of dimensions",
            "write the shape as a tuple such as (3,); the flag list-shape accepts a list, int-shape an integer, metadata a "
            "dictionary",
            "'shape': 3, or 'shape': [3]")
SNPY_STATUS(SNPY_SHAPE_NOT_A_TUPLE, 416, "NPY-LIT-016",
            "a shape of one dimension lacks the comma that makes it a tuple",
            "put a comma after the dimension: (3,)",
            "'shape': (3)")
SNPY_STATUS(SNPY_BAD_DIMENSION, 417, "NPY-LIT-017",
            "a dimension is not a plain decimal integer",
            "write dimensions as decimal digits separated by commas; the flag numpy-int accepts np.int64(2)",
            "'shape': (3.0,), (0x3,), (True,) or (1_0,)")
SNPY_STATUS(SNPY_SIGNED_DIMENSION, 418, "NPY-LIT-018",
            "a dimension has a sign",
            "write the true length of the dimension, without a sign",
            "'shape': (-1, 3)")
SNPY_STATUS(SNPY_LEADING_ZERO, 419, "NPY-LIT-019",
            "a dimension has a leading zero",
            "write the dimension without leading zeros",
            "'shape': (03,)")
SNPY_STATUS(SNPY_LONG_SUFFIX, 420, "NPY-LIT-020",
            "a dimension has the suffix L in version 3.0",
            "remove the L: Python 2 wrote it, and Python 2 never wrote version 3.0",
            "'shape': (3L,) in version 3.0")
SNPY_STATUS(SNPY_UNKNOWN_KEY, 421, "NPY-HDR-001",
            "the header has a key other than descr, fortran_order and shape",
            "remove the key, or write it as one of the three without escapes",
            "{'dtype': '<f8'}")
SNPY_STATUS(SNPY_DUPLICATE_KEY, 422, "NPY-HDR-002",
            "the header has the same key twice",
            "remove the entry that does not describe the data",
            "{'shape': (2,), 'shape': (3,)}")
SNPY_STATUS(SNPY_MISSING_KEY, 423, "NPY-HDR-003",
            "the header lacks one of the keys descr, fortran_order and shape",
            "add the missing entry to the dictionary",
            "{'descr': '<f8', 'shape': ()}")
SNPY_STATUS(SNPY_BAD_FORTRAN_ORDER, 424, "NPY-HDR-004",
            "fortran_order is neither True nor False",
            "write True or False; the flag int-fortran-order accepts 1 and 0, numpy-bool np.True_ and np.False_",
            "'fortran_order': 1")
SNPY_STATUS(SNPY_TOO_DEEP, 425, "NPY-LIT-021",
            "records and sub-arrays are nested deeper than the limit",
            "flatten the record type to at most 64 levels",
            "65 lists of fields inside one another")
SNPY_STATUS(SNPY_SUBARRAY_NEEDS_SHAPE, 426, "NPY-LIT-022",
            "a sub-array type has no shape, or an empty one",
            "give the dimensions as a non-empty tuple, or write the plain type without a tuple around it",
            "[('a', ('<f8', (2,)))]: the field has no shape of its own")
SNPY_STATUS(SNPY_ONE_AS_SHAPE, 427, "NPY-LIT-023",
            "the integer 1 as a sub-array shape is ambiguous: NumPy reads it in two ways",
            "omit the shape for a single value, or write (1,) for an array of one",
            "[('a', '<f8', 1)]")

/* Dtype: the type strings. */
SNPY_STATUS(SNPY_UNKNOWN_TYPE, 501, "NPY-DTYPE-001",
            "a type string has an unknown kind",
            "use one of the kinds b i u f c S U V M m O after the byte order",
            "'<z8', '' or '3i4'")
SNPY_STATUS(SNPY_BAD_BYTE_ORDER, 502, "NPY-DTYPE-002",
            "the byte order does not fit the type",
            "write < or > for numbers, dates and U, and | for single bytes, S, V and O",
            "'|i4' or '<O'")
SNPY_STATUS(SNPY_NO_BYTE_ORDER, 503, "NPY-DTYPE-003",
            "the type string has no byte order",
            "write < for little-endian or > for big-endian; the flag native-order reads the type as little-endian",
            "'f8' or '=f8'")
SNPY_STATUS(SNPY_BAD_TYPE_SIZE, 504, "NPY-DTYPE-004",
            "the size of the type is missing, malformed or does not exist for this kind",
            "write a size that the kind has, in plain decimal digits, and nothing after it",
            "'<f3', '|S', '<f08' or 'i4,f8'")
SNPY_STATUS(SNPY_PLATFORM_FLOAT, 505, "NPY-DTYPE-005",
            "the type is an extended float whose layout depends on the platform",
            "convert the data to <f8 or <c16 where they were written; the flag platform-float accepts them as opaque bytes",
            "'<f12' or '<c24'")
SNPY_STATUS(SNPY_TYPE_NAME, 506, "NPY-DTYPE-006",
            "the type is a name instead of a type string",
            "write the type string, such as '<f8' for float64; the flag type-names accepts names of fixed size",
            "'float64'")
SNPY_STATUS(SNPY_BYTES_ALIAS, 507, "NPY-DTYPE-007",
            "the kind a is an old alias of S",
            "write S instead of a; the flag bytes-alias accepts it",
            "'|a5'")
SNPY_STATUS(SNPY_TYPE_TOO_LARGE, 508, "NPY-DTYPE-008",
            "the type is larger than 2,147,483,647 bytes",
            "use a smaller item and more elements, or check whether the number is damaged",
            "'|S2147483648' or '<U536870912'")
SNPY_STATUS(SNPY_BAD_UNIT, 509, "NPY-DTYPE-009",
            "the unit of a datetime or timedelta is missing or unknown",
            "write one of the units Y M W D h m s ms us ns ps fs as in brackets, or no brackets at all",
            "'<M8[B]', '<M8[]' or '<M8[ns'")
SNPY_STATUS(SNPY_BAD_MULTIPLIER, 510, "NPY-DTYPE-010",
            "the multiplier of a datetime unit is not a number from 1 to 2,147,483,647",
            "write the multiplier as plain decimal digits without sign or leading zeros, or leave it out for 1",
            "'<M8[0s]', '<M8[01s]' or '<M8[2147483648s]'")
SNPY_STATUS(SNPY_UNIT_DIVISOR, 511, "NPY-DTYPE-011",
            "the unit of a datetime has a divisor",
            "write the unit without a divisor: 'M8[500ms]' instead of 'M8[s/2]'",
            "'<M8[s/2]'")

/* Table: the caller's capacity for fields. */
SNPY_STATUS(SNPY_TOO_MANY_FIELDS, 601, "NPY-HDR-005",
            "the record type has more fields than the limit",
            "if you trust the file, raise the limit max-fields; in the command it rises with max-header",
            "a record of 70,000 fields under the limit of 65,536")
SNPY_STATUS(SNPY_TABLE_TOO_SMALL, 602, "API-TABLE",
            "the field table is too small",
            "call again with at least the capacities that the counts in the table give",
            "a table of 2 entries for a record of 2 fields, which takes 3")

/* Duplicates. */
SNPY_STATUS(SNPY_DUPLICATE_NAME, 701, "NPY-DTYPE-012",
            "a field name or title occurs twice in one record",
            "rename one of the fields or titles",
            "[('a', '|i1'), ('a', '|i1')]")

/* Shape. */
SNPY_STATUS(SNPY_TOO_MANY_DIMENSIONS, 801, "NPY-SHAPE-001",
            "there are more than 64 dimensions, or more than the limit",
            "reshape the array to at most 64 dimensions",
            "a shape of 65 dimensions")

/* Sizes. */
SNPY_STATUS(SNPY_EMPTY_SUBARRAY_TYPE, 901, "NPY-SHAPE-002",
            "a type of size zero has a sub-array shape",
            "remove the field's shape, or give its type a size",
            "[('a', '|S0', (5,))]")
SNPY_STATUS(SNPY_ITEMSIZE_OVERFLOW, 902, "NPY-SHAPE-003",
            "one element is larger than 2,147,483,647 bytes",
            "make the sub-array or record smaller and the array's shape larger",
            "[('a', '<f8', (1073741824,))]")
SNPY_STATUS(SNPY_SIZE_OVERFLOW, 903, "NPY-SHAPE-004",
            "the array would be larger than 2^63 - 1 bytes",
            "check the dimensions: no file can hold this many elements",
            "'shape': (4294967296, 4294967296)")
SNPY_STATUS(SNPY_DATA_TOO_LARGE, 904, "NPY-DATA-004",
            "the header declares more data than the limit",
            "if you trust the file and its array is that large, raise the limit max-data-bytes",
            "8 GiB declared under a limit of 1 GiB")

/* Data. */
SNPY_STATUS(SNPY_TRUNCATED_DATA, 1001, "NPY-DATA-001",
            "the file ends before its data are complete",
            "download the file again: it is truncated, or its shape is wrong",
            "24 bytes declared, 23 present")
SNPY_STATUS(SNPY_TRAILING_DATA, 1002, "NPY-DATA-002",
            "there are bytes after the data",
            "cut the file at this byte, or allow trailing bytes",
            "24 bytes declared, 25 present, and trailing bytes not allowed")
SNPY_STATUS(SNPY_NO_OBJECTS, 1003, "NPY-DATA-003",
            "an object array has no data after its header",
            "save the array again with numpy.save(allow_pickle=True), or with a type that holds no objects",
            "an object array that ends after its header")

/* Profile. */
SNPY_STATUS(SNPY_NOT_CANONICAL, 1101, "NPY-HDR-006",
            "the header is not, byte for byte, what NumPy writes today",
            "save the array again with numpy.save, or check with the standard profile",
            "keys in another order than NumPy writes, or no final newline")

/* Writing: headers that are not well-formed. The offset is the entry of the table at fault. */
SNPY_STATUS(SNPY_WRITE_DTYPE, 1201, "NPY-WRITE-001",
            "the type to write does not exist",
            "give kind, byte order and size as spec/npy.md lists them",
            "a float of 3 bytes")
SNPY_STATUS(SNPY_WRITE_TABLE, 1202, "NPY-WRITE-002",
            "the field table to write is not a tree in pre-order",
            "put each record before its fields, with matching depths and kinds",
            "a field that is two levels deeper than the entry before it")
SNPY_STATUS(SNPY_WRITE_LAYOUT, 1203, "NPY-WRITE-003",
            "the fields to write overlap, are out of order or extend beyond their record",
            "sort the fields by offset and make room for each",
            "two fields that overlap, or one beyond its record")
SNPY_STATUS(SNPY_WRITE_SHAPE, 1204, "NPY-WRITE-004",
            "the shape to write has too many dimensions or is too large",
            "keep to 64 dimensions and 2^63 - 1 bytes",
            "65 dimensions, or a product beyond 2^63 - 1")
SNPY_STATUS(SNPY_WRITE_NAME, 1205, "NPY-WRITE-005",
            "a name is not text in the encoding it is given in",
            "give the name as well-formed UTF-8, a surrogate as three bytes",
            "a name that is not UTF-8")
SNPY_STATUS(SNPY_WRITE_UNREADABLE, 1206, "NPY-WRITE-006",
            "the field to write would be read back as padding",
            "give the field a name or a title",
            "a sub-array without a name")
SNPY_STATUS(SNPY_WRITE_VERSION, 1207, "NPY-WRITE-007",
            "the requested version cannot hold the header",
            "let the writer choose the version, or request a higher one",
            "version 1.0 for a name in Chinese")

/* The caller's arguments. */
SNPY_STATUS(SNPY_BAD_ARGUMENT, 1301, "API-ARGUMENT",
            "an argument of the call is not valid",
            "pass what the function's comment asks for; initialise options with SNPY_OPTIONS_INIT",
            "an options struct that was not initialised")
SNPY_STATUS(SNPY_BUFFER_TOO_SMALL, 1302, "API-BUFFER",
            "the buffer is too small",
            "call again with a buffer of the size that was returned",
            "a buffer of 64 bytes for a header of 128")
SNPY_STATUS(SNPY_OBJECT_DATA, 1303, "API-OBJECTS",
            "the elements are Python objects, whose pickle is not read",
            "allow objects of the set plain, which are decoded and not run, or ask for elements of fixed size",
            "the elements of an array of '|O'")
SNPY_STATUS(SNPY_BAD_INDEX, 1304, "API-INDEX",
            "the index is outside the axis",
            "use an index below the length of the axis",
            "index 3 of an axis of 3 elements")
SNPY_STATUS(SNPY_BAD_SLICE, 1305, "API-SLICE",
            "the step of a slice is 0",
            "use a step other than 0",
            "[::0]")
SNPY_STATUS(SNPY_WRONG_TYPE, 1306, "API-TYPE",
            "the element is not of the requested kind",
            "check the dtype first",
            "an integer requested from '<f8'")
SNPY_STATUS(SNPY_VALUE_RANGE, 1307, "API-RANGE",
            "the value does not fit the type",
            "use a wider type, or a value within the type's range",
            "300 into '|u1'")
SNPY_STATUS(SNPY_BAD_CODE_POINT, 1308, "API-TEXT",
            "a string element contains a number that is not a code point",
            "the data are damaged or are not strings: look at the bytes at the offset",
            "'<U1' with the bytes 00 00 11 00")

/* The host's file layer. */
SNPY_STATUS(SNPY_IO_ERROR, 1401, "HOST-IO",
            "the file cannot be read or written",
            "check that the path exists, that you have the rights to it, and that the disk is not full",
            "a file without read permission, or a directory")
SNPY_STATUS(SNPY_NO_MEMORY, 1402, "HOST-MEMORY",
            "there is not enough memory",
            "lower the limit max-header, or read the file on a machine with more memory",
            "a header of 3 GiB under a limit of 4 GiB on a small machine")
SNPY_STATUS(SNPY_HEADER_FULL, 1403, "HOST-GROWTH",
            "the header has no space for the new length of the array",
            "save the whole array again with safenpy or numpy.save, whose headers have space to grow",
            "10 elements and one more, in a header of NumPy 1.19 that ends right after its brace")
SNPY_STATUS(SNPY_FILE_CHANGED, 1404, "HOST-CHANGED",
            "the file became shorter while it was in use",
            "let the program that writes the file finish, then read it again",
            "a file that another program truncates while it is read")
SNPY_STATUS(SNPY_NOT_ALIKE, 1405, "HOST-MATCH",
            "the appended array differs in type or shape from the array in the file",
            "append elements of the same dtype, with the same dimensions except for the axis that grows",
            "rows of (1, 4) appended to an array of (10, 3)")
SNPY_STATUS(SNPY_LOCKED, 1406, "HOST-LOCK",
            "the file is locked: another process is changing it",
            "try again when it has finished, or wait longer (lock-timeout)",
            "an append to a file that another process is converting in place")

/* Archives, the records at the end. */
SNPY_STATUS(SNPY_ZIP_NO_END, 1501, "NPZ-END-002",
            "the archive has no end record",
            "download the archive again: it is truncated, or not a ZIP file",
            "an archive without its last bytes")
SNPY_STATUS(SNPY_ZIP_TRUNCATED_COMMENT, 1502, "NPZ-END-003",
            "the archive's comment extends beyond the end of the file",
            "download the archive again: it is truncated",
            "a comment of 20 bytes, 5 of them present")
SNPY_STATUS(SNPY_ZIP_TRAILING_DATA, 1503, "NPZ-END-004",
            "there are bytes after the archive's end record and its comment",
            "cut the file at this byte, or accept the bytes with the flag zip-trailing: bsdtar adds zeros when it writes to a pipe",
            "a line of text after the archive")
SNPY_STATUS(SNPY_ZIP_AMBIGUOUS_END, 1504, "NPZ-END-005",
            "another end record overlaps the last one, so the archive can be read in two ways",
            "do not trust the file; pack the arrays again without a comment",
            "a whole archive in the comment")
SNPY_STATUS(SNPY_ZIP_MULTI_DISK, 1505, "NPZ-END-006",
            "the archive is one part of a multi-disk archive",
            "join the parts with the program that made them",
            "part 2 of an archive of several disks")
SNPY_STATUS(SNPY_ZIP_BAD_DIRECTORY, 1506, "NPZ-END-007",
            "the directory does not end where the end record begins",
            "download the archive again, or repair it with a ZIP program",
            "a directory offset that is 4 too small")
SNPY_STATUS(SNPY_ZIP_BAD_COUNT, 1507, "NPZ-END-008",
            "the number of members differs from the number of headers in the directory",
            "do not trust the file; pack the arrays again",
            "a count of 1 for two members")
SNPY_STATUS(SNPY_ZIP_BAD_LOCATOR, 1508, "NPZ-WIDE-002",
            "the ZIP64 locator does not point to the record before it",
            "do not trust the file; pack the arrays again",
            "a locator with another offset")
SNPY_STATUS(SNPY_ZIP_BAD_WIDE_END, 1509, "NPZ-WIDE-003",
            "the ZIP64 end record is not 56 bytes long",
            "pack the arrays again with a plain ZIP program",
            "a size field of 45")
SNPY_STATUS(SNPY_ZIP_WIDE_END_DIFFERS, 1510, "NPZ-WIDE-004",
            "the end record contradicts the ZIP64 end record",
            "do not trust the file; pack the arrays again",
            "counts of 1 and 2")
SNPY_STATUS(SNPY_ZIP_TOO_MANY_MEMBERS, 1511, "NPZ-LIMIT-001",
            "the archive has more members than the limit",
            "if you trust the file, raise the limit max-members",
            "two million members under a limit of one million")

/* Archives, the directory. */
SNPY_STATUS(SNPY_ZIP_BAD_CENTRAL, 1601, "NPZ-DIR-001",
            "the directory has no central header where one should begin",
            "download the archive again, or pack the arrays with a plain ZIP program",
            "a digital signature in the directory")
SNPY_STATUS(SNPY_ZIP_TRUNCATED_CENTRAL, 1602, "NPZ-DIR-002",
            "a central header extends beyond the directory",
            "download the archive again: its directory is damaged",
            "a name longer than the directory")
SNPY_STATUS(SNPY_ZIP_VERSION, 1603, "NPZ-DIR-003",
            "the member needs a ZIP version above 4.5, as bzip2, LZMA and encryption do",
            "pack it again, stored or deflated",
            "version 63")
SNPY_STATUS(SNPY_ZIP_ENCRYPTED, 1604, "NPZ-DIR-004",
            "the member is encrypted",
            "decrypt the archive with the program that made it",
            "a member with a password")
SNPY_STATUS(SNPY_ZIP_FLAGS, 1605, "NPZ-DIR-005",
            "the member has flags that are reserved or change the meaning of its data",
            "pack it again with a plain ZIP program",
            "bit 5: patched data")
SNPY_STATUS(SNPY_ZIP_METHOD, 1606, "NPZ-DIR-006",
            "the member's compression method is neither stored nor deflated",
            "pack it again, stored or deflated",
            "method 12: bzip2")
SNPY_STATUS(SNPY_ZIP_STORED_SIZE, 1607, "NPZ-DIR-007",
            "the stored member has two different sizes",
            "do not trust the file; pack the arrays again",
            "a stored member of 100 and 200 bytes")
SNPY_STATUS(SNPY_ZIP_BAD_EXTRA, 1608, "NPZ-EXTRA-001",
            "the extra fields do not add up to their length",
            "pack the arrays again",
            "a field of 9 bytes where 8 are left")
SNPY_STATUS(SNPY_ZIP_EXTRA_TWICE, 1609, "NPZ-EXTRA-002",
            "an extra field that may occur once occurs twice",
            "do not trust the file; pack the arrays again",
            "two ZIP64 fields")
SNPY_STATUS(SNPY_ZIP_WIDE_MISSING, 1610, "NPZ-EXTRA-003",
            "the ZIP64 field is too short for the numbers that it must hold",
            "download the archive again, or pack the arrays again",
            "a ZIP64 field of 8 bytes for two numbers")
SNPY_STATUS(SNPY_ZIP_WIDE_DIFFERS, 1611, "NPZ-EXTRA-004",
            "the ZIP64 field contradicts the header, or is too long",
            "do not trust the file; pack the arrays again",
            "a size of 5 with a ZIP64 size of 6")
SNPY_STATUS(SNPY_ZIP_NAME_UTF8, 1612, "NPZ-NAME-001",
            "the member's name is not well-formed UTF-8",
            "rename the member with a ZIP program",
            "a name with the byte FF, marked as UTF-8")
SNPY_STATUS(SNPY_ZIP_UNICODE_PATH, 1613, "NPZ-EXTRA-005",
            "the Unicode path differs from the member's name",
            "pack the arrays again with names in UTF-8 or ASCII: on Windows 7-Zip needs -mcu=on",
            "the name a.npy with the Unicode path b.npy")
SNPY_STATUS(SNPY_ZIP_NUL_IN_NAME, 1614, "NPZ-NAME-003",
            "the member's name contains a NUL byte",
            "do not trust the file; pack the arrays again",
            "a.npy, a NUL byte and .txt")
SNPY_STATUS(SNPY_ZIP_EMPTY_NAME, 1615, "NPZ-NAME-004",
            "the member has no name",
            "pack the array again under a name",
            "a name of no bytes")
SNPY_STATUS(SNPY_ZIP_DIRECTORY_DATA, 1616, "NPZ-NAME-009",
            "the member's name is that of a directory, but it has data",
            "pack the array again under a name that does not end in a slash",
            "the name x/ with 128 bytes")

/* Archives, the local headers. */
SNPY_STATUS(SNPY_ZIP_PREFIX, 1701, "NPZ-PLACE-001",
            "the first member does not begin at byte 0",
            "remove the bytes before it, or accept them with the flag zip-prefix",
            "a program before the archive")
SNPY_STATUS(SNPY_ZIP_OVERLAP, 1702, "NPZ-PLACE-002",
            "the member begins inside the one before it",
            "do not trust the file: it may be a bomb; pack the arrays again",
            "two members with the same data")
SNPY_STATUS(SNPY_ZIP_GAP, 1703, "NPZ-PLACE-003",
            "the archive has bytes that belong to no member",
            "pack the arrays again, or accept them with the flag zip-gaps",
            "a deleted member")
SNPY_STATUS(SNPY_ZIP_BAD_LOCAL, 1704, "NPZ-LOCAL-001",
            "there is no local header at the offset in the directory",
            "download the archive again: it is damaged",
            "an offset inside the data")
SNPY_STATUS(SNPY_ZIP_TRUNCATED_LOCAL, 1705, "NPZ-LOCAL-002",
            "the local header extends into the directory",
            "download the archive again: it is damaged",
            "a name that extends into the directory")
SNPY_STATUS(SNPY_ZIP_NAME_DIFFERS, 1706, "NPZ-LOCAL-003",
            "the local header's name differs from the directory's",
            "do not trust the file; pack the arrays again",
            "a.npy in the directory, b.npy before the data")
SNPY_STATUS(SNPY_ZIP_METHOD_DIFFERS, 1707, "NPZ-LOCAL-004",
            "the local header's method differs from the directory's",
            "do not trust the file; pack the arrays again",
            "stored in the directory, deflated before the data")
SNPY_STATUS(SNPY_ZIP_FLAGS_DIFFER, 1708, "NPZ-LOCAL-005",
            "the local header's flags differ from the directory's",
            "do not trust the file; pack the arrays again",
            "bit 3 in the directory only")
SNPY_STATUS(SNPY_ZIP_SIZE_DIFFERS, 1709, "NPZ-LOCAL-006",
            "the local header's size differs from the directory's",
            "do not trust the file; pack the arrays again",
            "100 bytes in the directory, 200 before the data")
SNPY_STATUS(SNPY_ZIP_CRC_DIFFERS, 1710, "NPZ-LOCAL-007",
            "the local header's CRC differs from the directory's",
            "do not trust the file; pack the arrays again",
            "two different checksums")
SNPY_STATUS(SNPY_ZIP_OUT_OF_BOUNDS, 1711, "NPZ-PLACE-004",
            "the member's data extend into the directory or beyond the file",
            "download the archive again: it is damaged",
            "4 GiB of data in a file of 300 bytes")
SNPY_STATUS(SNPY_ZIP_NO_DESCRIPTOR, 1712, "NPZ-DESC-001",
            "there is no data descriptor after the member's data",
            "pack the arrays again, or accept descriptors without a signature with the flag unsigned-descriptor",
            "bit 3, and the next member right after the data")
SNPY_STATUS(SNPY_ZIP_DESCRIPTOR_DIFFERS, 1713, "NPZ-DESC-003",
            "the data descriptor contradicts the directory",
            "do not trust the file; pack the arrays again",
            "a descriptor with another CRC")

/* Archives, the keys. */
SNPY_STATUS(SNPY_ZIP_DUPLICATE_KEY, 1801, "NPZ-NAME-006",
            "two members have the same key",
            "pack the arrays again under keys that differ",
            "a and a.npy")

/* Archives, what members hold. */
SNPY_STATUS(SNPY_ZIP_MEMBER_TOO_LARGE, 1901, "NPZ-LIMIT-002",
            "the member inflates to more than the limit",
            "if you trust the file, raise the limit max-member-bytes",
            "5 GiB under a limit of 4 GiB")
SNPY_STATUS(SNPY_ZIP_TOTAL_TOO_LARGE, 1902, "NPZ-LIMIT-003",
            "the deflated members together inflate to more than the limit",
            "if you trust the file, raise the limit max-total-bytes, or read the members one by one",
            "a thousand members, each just below the limit for one member")
SNPY_STATUS(SNPY_ZIP_RATIO, 1903, "NPZ-LIMIT-004",
            "the member's compression ratio exceeds the limit",
            "do not trust the file; if the limit was set below 1032, raise it",
            "a gigabyte from a kilobyte")
SNPY_STATUS(SNPY_ZIP_BAD_DEFLATE, 1904, "NPZ-DATA-002",
            "the member's data are not a complete deflate stream",
            "download the archive again: this member is damaged",
            "a deflate stream without its end")
SNPY_STATUS(SNPY_ZIP_DEFLATE_TRAILING, 1905, "NPZ-DATA-003",
            "there are bytes after the deflate stream",
            "do not trust the file; pack the array again",
            "a deflate stream with a message after it")
SNPY_STATUS(SNPY_ZIP_INFLATED_SIZE, 1906, "NPZ-DATA-004",
            "the member inflates to a size other than the directory's",
            "do not trust the file; pack the array again",
            "a stream of 136 bytes for a member of 128")
SNPY_STATUS(SNPY_ZIP_BAD_CRC, 1907, "NPZ-DATA-005",
            "the CRC of the member's bytes differs from the directory's",
            "download the archive again: this member is damaged",
            "one flipped bit")

/* Unpacking: names that cannot be used as paths. */
SNPY_STATUS(SNPY_ZIP_PATH_ESCAPES, 2001, "NPZ-PATH-001",
            "the member's name leads outside the directory",
            "unpack it under another name (map-names), if you need it",
            "../x.npy or /etc/passwd")
SNPY_STATUS(SNPY_ZIP_PATH_NOT_PORTABLE, 2002, "NPZ-PATH-002",
            "the member's name is not a portable path",
            "unpack it under another name (map-names)",
            "a:b.npy or CON.npy")
SNPY_STATUS(SNPY_ZIP_PATH_COLLIDES, 2003, "NPZ-PATH-003",
            "the member's path collides with another member's",
            "unpack the members into different directories, key by key",
            "X.npy beside x.npy")

/* Writing archives. The offset is the number of the key at fault. */
SNPY_STATUS(SNPY_ZIP_WRITE_KEY, 2101, "NPZ-WRITE-001",
            "the key cannot be the name of a member",
            "use a key of UTF-8 without NUL, of at most 65,531 bytes",
            "a key with a NUL in it")
SNPY_STATUS(SNPY_ZIP_WRITE_DUPLICATE, 2102, "NPZ-WRITE-002",
            "the key is used twice, or hides another key",
            "use keys that differ, also after .npy is appended",
            "a and a.npy")

/* Archives: requests. */
SNPY_STATUS(SNPY_NO_MEMBER, 2201, "API-MEMBER",
            "the archive has no member of this name or key",
            "use a name or key that the archive lists",
            "the key y of an archive of x")
SNPY_STATUS(SNPY_NOT_AN_ARRAY, 2202, "API-ARRAY",
            "the member is not an NPY file",
            "read its bytes instead, or another member",
            "readme.txt in an archive")

/* Object arrays, decoded: the bytes of the payload against spec/objects.md. */
SNPY_STATUS(SNPY_PKL_TRUNCATED, 2301, "NPY-PKL-002",
            "the pickle ends before its STOP, or in an opcode",
            "copy or download the file again: it is cut off",
            "a string of 2^60 bytes in a file of 100")
SNPY_STATUS(SNPY_PKL_OPCODE, 2302, "NPY-PKL-003",
            "the pickle has an opcode that no value needs",
            "ask the author for the array as plain values: this pickle calls code",
            "INST, OBJ, EXT1 or PERSID")
SNPY_STATUS(SNPY_PKL_PROTOCOL, 2303, "NPY-PKL-004",
            "PROTO is not at the pickle's first byte, or names no protocol from 2 to 5",
            "save the array again with numpy.save",
            "80 04 in the middle of the pickle")
SNPY_STATUS(SNPY_PKL_FRAME, 2304, "NPY-PKL-005",
            "a frame of the pickle is empty, inside another one, or does not end where an opcode ends",
            "save the array again with numpy.save",
            "a frame of 5 bytes that begins with an opcode of 20")
SNPY_STATUS(SNPY_PKL_TRAILING, 2305, "NPY-PKL-006",
            "there are bytes after the end of the pickle",
            "remove them, after asking the author what they are",
            "an archive appended to the file")
SNPY_STATUS(SNPY_PKL_STACK, 2306, "NPY-PKL-007",
            "the pickle's stack does not hold what the opcode needs",
            "save the array again with numpy.save: no pickler writes this",
            "APPEND on an empty stack")
SNPY_STATUS(SNPY_PKL_MEMO, 2307, "NPY-PKL-008",
            "a memo index is set twice, too large or not set",
            "save the array again with numpy.save: no pickler writes this",
            "BINGET 7 where nothing is kept as 7")
SNPY_STATUS(SNPY_PKL_NUMBER, 2308, "NPY-PKL-009",
            "a number in the pickle is not spelt as Python writes it",
            "write decimal digits without a plus sign, blanks, leading zeros or underscores",
            "I0x10")
SNPY_STATUS(SNPY_PKL_TEXT, 2309, "NPY-PKL-010",
            "a string in the pickle is not UTF-8, or has a bad escape",
            "encode the string as UTF-8",
            "C0 80 in a string")
SNPY_STATUS(SNPY_PKL_GLOBAL, 2310, "NPY-PKL-011",
            "the pickle names a class or function that is not on the list of values",
            "ask the author for the array as plain values: loading this file would call it",
            "posix system")
SNPY_STATUS(SNPY_PKL_NOT_DATA, 2311, "NPY-PKL-012",
            "the pickle needs more than the set 'data' allows",
            "allow the set 'plain', if you can use sets, dates and paths",
            "a set, where only data is allowed")
SNPY_STATUS(SNPY_PKL_CALL, 2312, "NPY-PKL-013",
            "the pickle calls a function with arguments that are not allowed",
            "ask the author for the array as plain values",
            "builtins bytes with the number 10**10")
SNPY_STATUS(SNPY_PKL_STATE, 2313, "NPY-PKL-014",
            "the pickle sets a state that its object does not have",
            "ask the author for the array as plain values",
            "attributes set on a dictionary")
SNPY_STATUS(SNPY_PKL_CONTAINER, 2314, "NPY-PKL-015",
            "the opcode adds items to a value of the wrong type",
            "save the array again with numpy.save: no pickler writes this",
            "APPEND to a tuple")
SNPY_STATUS(SNPY_PKL_KEY, 2315, "NPY-PKL-016",
            "a key of a dictionary, or a member of a set, cannot be compared safely",
            "use strings, numbers or tuples of them as keys",
            "a list as a key")
SNPY_STATUS(SNPY_PKL_DUPLICATE_KEY, 2316, "NPY-PKL-017",
            "a dictionary or set has two keys that Python finds equal",
            "remove one of them",
            "1 and True in one dictionary")
SNPY_STATUS(SNPY_PKL_RAW_STRING, 2317, "NPY-PKL-018",
            "a string of Python 2 is not ASCII, and its encoding is unknown",
            "ask the author to save it with Python 3: no reader can know the encoding",
            "a byte E9 in a string of Python 2")
SNPY_STATUS(SNPY_PKL_DTYPE, 2318, "NPY-PKL-019",
            "the state of a dtype in the pickle is not one that NumPy writes",
            "save the array again with numpy.save",
            "fields that overlap")
SNPY_STATUS(SNPY_PKL_ARRAY, 2319, "NPY-PKL-020",
            "shape, type and data of an array in the pickle do not agree",
            "save the array again with numpy.save",
            "3 objects for the shape (2,)")
SNPY_STATUS(SNPY_PKL_RESULT, 2320, "NPY-PKL-021",
            "the pickle's result contains a class, a function or an unfinished object",
            "ask the author for the array as plain values",
            "a list that holds the function encode")
SNPY_STATUS(SNPY_PKL_HEADER, 2321, "NPY-PKL-022",
            "header and pickle differ in shape, order or type",
            "save the array again with numpy.save: header and pickle describe different arrays",
            "(1,) in the header and (2,) in the pickle")
SNPY_STATUS(SNPY_PKL_TOO_MANY_NODES, 2322, "NPY-PKL-023",
            "the pickle has more values than the limit",
            "save the values in several smaller arrays: this limit is fixed",
            "a list of 10^8 times None under a limit of 10^7")
SNPY_STATUS(SNPY_PKL_TOO_DEEP, 2323, "NPY-PKL-024",
            "containers in the pickle are nested more deeply than the limit",
            "store the values less deeply nested: this limit is fixed",
            "1,001 lists in one another")
SNPY_STATUS(SNPY_PKL_INTEGER_TOO_LONG, 2324, "NPY-PKL-025",
            "an integer in the pickle is longer than the limit",
            "store the number as bytes or as a string",
            "an integer of 4,097 bytes")
SNPY_STATUS(SNPY_PKL_TOO_MANY_BYTES, 2325, "NPY-PKL-026",
            "strings and arrays in the pickle have more bytes than the limit",
            "save the values in several smaller arrays: this limit is fixed",
            "one buffer in a thousand arrays")
SNPY_STATUS(SNPY_PKL_NOT_FLAT, 2326, "NPY-PKL-031",
            "the objects contain themselves, or need more than 1,048,576 members or rows",
            "keep the array as objects, and disarm it",
            "a list that contains itself")
SNPY_STATUS(SNPY_PKL_FLAT_SCHEMA, 2327, "NPY-PKL-035",
            "the schema does not describe the members of the archive",
            "flatten the object array again: only what was flattened comes back",
            "a row that counts more items than its member has")

/* NOLINTEND(bugprone-branch-clone) */
/* clang-format on */
#undef SNPY_STATUS
