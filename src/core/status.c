/* status.c: names, rules, sentences and remedies of the statuses, and the library's version.
 * Proves that every call ends and changes nothing. Leaves to tests/ that each text fits its status.
 *
 * The switches have no default, so that the compiler warns about a status that is missing in one. */
#include "core/core.h"

/* What the four functions say of a number that is no status. */
#define UNKNOWN_NAME "SNPY_UNKNOWN"
#define UNKNOWN_RULE "API-STATUS"
#define UNKNOWN_MESSAGE "the status is not one of this library"
#define UNKNOWN_HINT "use the library and the headers of one version"

/* The name of a status as the enumeration spells it.                                       API-STATUS */
/*@ terminates \true;
    exits \false;
    assigns \result \from status;
 */
const char *snpy_status_name(snpy_status status)
{
    switch (status) {
    case SNPY_OK:
        return "SNPY_OK";
    case SNPY_BAD_MAGIC:
        return "SNPY_BAD_MAGIC";
    case SNPY_TRUNCATED_PREFIX:
        return "SNPY_TRUNCATED_PREFIX";
    case SNPY_UNSUPPORTED_VERSION:
        return "SNPY_UNSUPPORTED_VERSION";
    case SNPY_HEADER_TOO_LONG:
        return "SNPY_HEADER_TOO_LONG";
    case SNPY_TRUNCATED_HEADER:
        return "SNPY_TRUNCATED_HEADER";
    case SNPY_BAD_UTF8:
        return "SNPY_BAD_UTF8";
    case SNPY_UNEXPECTED_END:
        return "SNPY_UNEXPECTED_END";
    case SNPY_NOT_A_DICT:
        return "SNPY_NOT_A_DICT";
    case SNPY_TRAILING_TEXT:
        return "SNPY_TRAILING_TEXT";
    case SNPY_EXPECTED_STRING:
        return "SNPY_EXPECTED_STRING";
    case SNPY_CONTROL_IN_STRING:
        return "SNPY_CONTROL_IN_STRING";
    case SNPY_BAD_ESCAPE:
        return "SNPY_BAD_ESCAPE";
    case SNPY_CODE_POINT_RANGE:
        return "SNPY_CODE_POINT_RANGE";
    case SNPY_ESCAPE_IN_TYPE:
        return "SNPY_ESCAPE_IN_TYPE";
    case SNPY_EXPECTED_COLON:
        return "SNPY_EXPECTED_COLON";
    case SNPY_EXPECTED_COMMA:
        return "SNPY_EXPECTED_COMMA";
    case SNPY_EXPECTED_CLOSE:
        return "SNPY_EXPECTED_CLOSE";
    case SNPY_EXPECTED_TYPE:
        return "SNPY_EXPECTED_TYPE";
    case SNPY_TOP_LEVEL_SUBARRAY:
        return "SNPY_TOP_LEVEL_SUBARRAY";
    case SNPY_EXPECTED_FIELD:
        return "SNPY_EXPECTED_FIELD";
    case SNPY_EXPECTED_SHAPE:
        return "SNPY_EXPECTED_SHAPE";
    case SNPY_SHAPE_NOT_A_TUPLE:
        return "SNPY_SHAPE_NOT_A_TUPLE";
    case SNPY_BAD_DIMENSION:
        return "SNPY_BAD_DIMENSION";
    case SNPY_SIGNED_DIMENSION:
        return "SNPY_SIGNED_DIMENSION";
    case SNPY_LEADING_ZERO:
        return "SNPY_LEADING_ZERO";
    case SNPY_LONG_SUFFIX:
        return "SNPY_LONG_SUFFIX";
    case SNPY_UNKNOWN_KEY:
        return "SNPY_UNKNOWN_KEY";
    case SNPY_DUPLICATE_KEY:
        return "SNPY_DUPLICATE_KEY";
    case SNPY_MISSING_KEY:
        return "SNPY_MISSING_KEY";
    case SNPY_BAD_FORTRAN_ORDER:
        return "SNPY_BAD_FORTRAN_ORDER";
    case SNPY_TOO_DEEP:
        return "SNPY_TOO_DEEP";
    case SNPY_SUBARRAY_NEEDS_SHAPE:
        return "SNPY_SUBARRAY_NEEDS_SHAPE";
    case SNPY_ONE_AS_SHAPE:
        return "SNPY_ONE_AS_SHAPE";
    case SNPY_UNKNOWN_TYPE:
        return "SNPY_UNKNOWN_TYPE";
    case SNPY_BAD_BYTE_ORDER:
        return "SNPY_BAD_BYTE_ORDER";
    case SNPY_NO_BYTE_ORDER:
        return "SNPY_NO_BYTE_ORDER";
    case SNPY_BAD_TYPE_SIZE:
        return "SNPY_BAD_TYPE_SIZE";
    case SNPY_PLATFORM_FLOAT:
        return "SNPY_PLATFORM_FLOAT";
    case SNPY_TYPE_NAME:
        return "SNPY_TYPE_NAME";
    case SNPY_BYTES_ALIAS:
        return "SNPY_BYTES_ALIAS";
    case SNPY_TYPE_TOO_LARGE:
        return "SNPY_TYPE_TOO_LARGE";
    case SNPY_BAD_UNIT:
        return "SNPY_BAD_UNIT";
    case SNPY_BAD_MULTIPLIER:
        return "SNPY_BAD_MULTIPLIER";
    case SNPY_UNIT_DIVISOR:
        return "SNPY_UNIT_DIVISOR";
    case SNPY_TOO_MANY_FIELDS:
        return "SNPY_TOO_MANY_FIELDS";
    case SNPY_TABLE_TOO_SMALL:
        return "SNPY_TABLE_TOO_SMALL";
    case SNPY_DUPLICATE_NAME:
        return "SNPY_DUPLICATE_NAME";
    case SNPY_TOO_MANY_DIMENSIONS:
        return "SNPY_TOO_MANY_DIMENSIONS";
    case SNPY_EMPTY_SUBARRAY_TYPE:
        return "SNPY_EMPTY_SUBARRAY_TYPE";
    case SNPY_ITEMSIZE_OVERFLOW:
        return "SNPY_ITEMSIZE_OVERFLOW";
    case SNPY_SIZE_OVERFLOW:
        return "SNPY_SIZE_OVERFLOW";
    case SNPY_DATA_TOO_LARGE:
        return "SNPY_DATA_TOO_LARGE";
    case SNPY_TRUNCATED_DATA:
        return "SNPY_TRUNCATED_DATA";
    case SNPY_TRAILING_DATA:
        return "SNPY_TRAILING_DATA";
    case SNPY_NO_OBJECTS:
        return "SNPY_NO_OBJECTS";
    case SNPY_NOT_CANONICAL:
        return "SNPY_NOT_CANONICAL";
    case SNPY_WRITE_DTYPE:
        return "SNPY_WRITE_DTYPE";
    case SNPY_WRITE_TABLE:
        return "SNPY_WRITE_TABLE";
    case SNPY_WRITE_LAYOUT:
        return "SNPY_WRITE_LAYOUT";
    case SNPY_WRITE_SHAPE:
        return "SNPY_WRITE_SHAPE";
    case SNPY_WRITE_NAME:
        return "SNPY_WRITE_NAME";
    case SNPY_WRITE_UNREADABLE:
        return "SNPY_WRITE_UNREADABLE";
    case SNPY_WRITE_VERSION:
        return "SNPY_WRITE_VERSION";
    case SNPY_BAD_ARGUMENT:
        return "SNPY_BAD_ARGUMENT";
    case SNPY_BUFFER_TOO_SMALL:
        return "SNPY_BUFFER_TOO_SMALL";
    case SNPY_OBJECT_DATA:
        return "SNPY_OBJECT_DATA";
    case SNPY_BAD_INDEX:
        return "SNPY_BAD_INDEX";
    case SNPY_BAD_SLICE:
        return "SNPY_BAD_SLICE";
    case SNPY_WRONG_TYPE:
        return "SNPY_WRONG_TYPE";
    case SNPY_VALUE_RANGE:
        return "SNPY_VALUE_RANGE";
    case SNPY_BAD_CODE_POINT:
        return "SNPY_BAD_CODE_POINT";
    case SNPY_IO_ERROR:
        return "SNPY_IO_ERROR";
    case SNPY_NO_MEMORY:
        return "SNPY_NO_MEMORY";
    case SNPY_HEADER_FULL:
        return "SNPY_HEADER_FULL";
    case SNPY_FILE_CHANGED:
        return "SNPY_FILE_CHANGED";
    case SNPY_NOT_ALIKE:
        return "SNPY_NOT_ALIKE";
    case SNPY_ZIP_NO_END:
        return "SNPY_ZIP_NO_END";
    case SNPY_ZIP_TRUNCATED_COMMENT:
        return "SNPY_ZIP_TRUNCATED_COMMENT";
    case SNPY_ZIP_TRAILING_DATA:
        return "SNPY_ZIP_TRAILING_DATA";
    case SNPY_ZIP_AMBIGUOUS_END:
        return "SNPY_ZIP_AMBIGUOUS_END";
    case SNPY_ZIP_MULTI_DISK:
        return "SNPY_ZIP_MULTI_DISK";
    case SNPY_ZIP_BAD_DIRECTORY:
        return "SNPY_ZIP_BAD_DIRECTORY";
    case SNPY_ZIP_BAD_COUNT:
        return "SNPY_ZIP_BAD_COUNT";
    case SNPY_ZIP_BAD_LOCATOR:
        return "SNPY_ZIP_BAD_LOCATOR";
    case SNPY_ZIP_BAD_WIDE_END:
        return "SNPY_ZIP_BAD_WIDE_END";
    case SNPY_ZIP_WIDE_END_DIFFERS:
        return "SNPY_ZIP_WIDE_END_DIFFERS";
    case SNPY_ZIP_TOO_MANY_MEMBERS:
        return "SNPY_ZIP_TOO_MANY_MEMBERS";
    case SNPY_ZIP_BAD_CENTRAL:
        return "SNPY_ZIP_BAD_CENTRAL";
    case SNPY_ZIP_TRUNCATED_CENTRAL:
        return "SNPY_ZIP_TRUNCATED_CENTRAL";
    case SNPY_ZIP_VERSION:
        return "SNPY_ZIP_VERSION";
    case SNPY_ZIP_ENCRYPTED:
        return "SNPY_ZIP_ENCRYPTED";
    case SNPY_ZIP_FLAGS:
        return "SNPY_ZIP_FLAGS";
    case SNPY_ZIP_METHOD:
        return "SNPY_ZIP_METHOD";
    case SNPY_ZIP_STORED_SIZE:
        return "SNPY_ZIP_STORED_SIZE";
    case SNPY_ZIP_BAD_EXTRA:
        return "SNPY_ZIP_BAD_EXTRA";
    case SNPY_ZIP_EXTRA_TWICE:
        return "SNPY_ZIP_EXTRA_TWICE";
    case SNPY_ZIP_WIDE_MISSING:
        return "SNPY_ZIP_WIDE_MISSING";
    case SNPY_ZIP_WIDE_DIFFERS:
        return "SNPY_ZIP_WIDE_DIFFERS";
    case SNPY_ZIP_NAME_UTF8:
        return "SNPY_ZIP_NAME_UTF8";
    case SNPY_ZIP_UNICODE_PATH:
        return "SNPY_ZIP_UNICODE_PATH";
    case SNPY_ZIP_NUL_IN_NAME:
        return "SNPY_ZIP_NUL_IN_NAME";
    case SNPY_ZIP_EMPTY_NAME:
        return "SNPY_ZIP_EMPTY_NAME";
    case SNPY_ZIP_DIRECTORY_DATA:
        return "SNPY_ZIP_DIRECTORY_DATA";
    case SNPY_ZIP_PREFIX:
        return "SNPY_ZIP_PREFIX";
    case SNPY_ZIP_OVERLAP:
        return "SNPY_ZIP_OVERLAP";
    case SNPY_ZIP_GAP:
        return "SNPY_ZIP_GAP";
    case SNPY_ZIP_BAD_LOCAL:
        return "SNPY_ZIP_BAD_LOCAL";
    case SNPY_ZIP_TRUNCATED_LOCAL:
        return "SNPY_ZIP_TRUNCATED_LOCAL";
    case SNPY_ZIP_NAME_DIFFERS:
        return "SNPY_ZIP_NAME_DIFFERS";
    case SNPY_ZIP_METHOD_DIFFERS:
        return "SNPY_ZIP_METHOD_DIFFERS";
    case SNPY_ZIP_FLAGS_DIFFER:
        return "SNPY_ZIP_FLAGS_DIFFER";
    case SNPY_ZIP_SIZE_DIFFERS:
        return "SNPY_ZIP_SIZE_DIFFERS";
    case SNPY_ZIP_CRC_DIFFERS:
        return "SNPY_ZIP_CRC_DIFFERS";
    case SNPY_ZIP_OUT_OF_BOUNDS:
        return "SNPY_ZIP_OUT_OF_BOUNDS";
    case SNPY_ZIP_NO_DESCRIPTOR:
        return "SNPY_ZIP_NO_DESCRIPTOR";
    case SNPY_ZIP_DESCRIPTOR_DIFFERS:
        return "SNPY_ZIP_DESCRIPTOR_DIFFERS";
    case SNPY_ZIP_DUPLICATE_KEY:
        return "SNPY_ZIP_DUPLICATE_KEY";
    case SNPY_ZIP_MEMBER_TOO_LARGE:
        return "SNPY_ZIP_MEMBER_TOO_LARGE";
    case SNPY_ZIP_TOTAL_TOO_LARGE:
        return "SNPY_ZIP_TOTAL_TOO_LARGE";
    case SNPY_ZIP_RATIO:
        return "SNPY_ZIP_RATIO";
    case SNPY_ZIP_BAD_DEFLATE:
        return "SNPY_ZIP_BAD_DEFLATE";
    case SNPY_ZIP_DEFLATE_TRAILING:
        return "SNPY_ZIP_DEFLATE_TRAILING";
    case SNPY_ZIP_INFLATED_SIZE:
        return "SNPY_ZIP_INFLATED_SIZE";
    case SNPY_ZIP_BAD_CRC:
        return "SNPY_ZIP_BAD_CRC";
    case SNPY_ZIP_PATH_ESCAPES:
        return "SNPY_ZIP_PATH_ESCAPES";
    case SNPY_ZIP_PATH_NOT_PORTABLE:
        return "SNPY_ZIP_PATH_NOT_PORTABLE";
    case SNPY_ZIP_PATH_COLLIDES:
        return "SNPY_ZIP_PATH_COLLIDES";
    case SNPY_ZIP_WRITE_KEY:
        return "SNPY_ZIP_WRITE_KEY";
    case SNPY_ZIP_WRITE_DUPLICATE:
        return "SNPY_ZIP_WRITE_DUPLICATE";
    case SNPY_NO_MEMBER:
        return "SNPY_NO_MEMBER";
    case SNPY_NOT_AN_ARRAY:
        return "SNPY_NOT_AN_ARRAY";
    }
    return UNKNOWN_NAME;
}

/* The rule of spec/npy.md that a status reports.                                          API-STATUS */
/*@ terminates \true;
    exits \false;
    assigns \result \from status;
 */
const char *snpy_status_rule(snpy_status status)
{
    switch (status) {
    case SNPY_OK:
        return "NPY-OK";
    case SNPY_BAD_MAGIC:
        return "NPY-FRAME-001";
    case SNPY_TRUNCATED_PREFIX:
        return "NPY-FRAME-002";
    case SNPY_UNSUPPORTED_VERSION:
        return "NPY-FRAME-003";
    case SNPY_HEADER_TOO_LONG:
        return "NPY-FRAME-005";
    case SNPY_TRUNCATED_HEADER:
        return "NPY-FRAME-006";
    case SNPY_BAD_UTF8:
        return "NPY-FRAME-007";
    case SNPY_UNEXPECTED_END:
        return "NPY-LIT-001";
    case SNPY_NOT_A_DICT:
        return "NPY-LIT-002";
    case SNPY_TRAILING_TEXT:
        return "NPY-LIT-003";
    case SNPY_EXPECTED_STRING:
        return "NPY-LIT-004";
    case SNPY_CONTROL_IN_STRING:
        return "NPY-LIT-005";
    case SNPY_BAD_ESCAPE:
        return "NPY-LIT-006";
    case SNPY_CODE_POINT_RANGE:
        return "NPY-LIT-007";
    case SNPY_ESCAPE_IN_TYPE:
        return "NPY-LIT-008";
    case SNPY_EXPECTED_COLON:
        return "NPY-LIT-009";
    case SNPY_EXPECTED_COMMA:
        return "NPY-LIT-010";
    case SNPY_EXPECTED_CLOSE:
        return "NPY-LIT-011";
    case SNPY_EXPECTED_TYPE:
        return "NPY-LIT-012";
    case SNPY_TOP_LEVEL_SUBARRAY:
        return "NPY-LIT-013";
    case SNPY_EXPECTED_FIELD:
        return "NPY-LIT-014";
    case SNPY_EXPECTED_SHAPE:
        return "NPY-LIT-015";
    case SNPY_SHAPE_NOT_A_TUPLE:
        return "NPY-LIT-016";
    case SNPY_BAD_DIMENSION:
        return "NPY-LIT-017";
    case SNPY_SIGNED_DIMENSION:
        return "NPY-LIT-018";
    case SNPY_LEADING_ZERO:
        return "NPY-LIT-019";
    case SNPY_LONG_SUFFIX:
        return "NPY-LIT-020";
    case SNPY_UNKNOWN_KEY:
        return "NPY-HDR-001";
    case SNPY_DUPLICATE_KEY:
        return "NPY-HDR-002";
    case SNPY_MISSING_KEY:
        return "NPY-HDR-003";
    case SNPY_BAD_FORTRAN_ORDER:
        return "NPY-HDR-004";
    case SNPY_TOO_DEEP:
        return "NPY-LIT-021";
    case SNPY_SUBARRAY_NEEDS_SHAPE:
        return "NPY-LIT-022";
    case SNPY_ONE_AS_SHAPE:
        return "NPY-LIT-023";
    case SNPY_UNKNOWN_TYPE:
        return "NPY-DTYPE-001";
    case SNPY_BAD_BYTE_ORDER:
        return "NPY-DTYPE-002";
    case SNPY_NO_BYTE_ORDER:
        return "NPY-DTYPE-003";
    case SNPY_BAD_TYPE_SIZE:
        return "NPY-DTYPE-004";
    case SNPY_PLATFORM_FLOAT:
        return "NPY-DTYPE-005";
    case SNPY_TYPE_NAME:
        return "NPY-DTYPE-006";
    case SNPY_BYTES_ALIAS:
        return "NPY-DTYPE-007";
    case SNPY_TYPE_TOO_LARGE:
        return "NPY-DTYPE-008";
    case SNPY_BAD_UNIT:
        return "NPY-DTYPE-009";
    case SNPY_BAD_MULTIPLIER:
        return "NPY-DTYPE-010";
    case SNPY_UNIT_DIVISOR:
        return "NPY-DTYPE-011";
    case SNPY_TOO_MANY_FIELDS:
        return "NPY-HDR-005";
    case SNPY_TABLE_TOO_SMALL:
        return "API-TABLE";
    case SNPY_DUPLICATE_NAME:
        return "NPY-DTYPE-012";
    case SNPY_TOO_MANY_DIMENSIONS:
        return "NPY-SHAPE-001";
    case SNPY_EMPTY_SUBARRAY_TYPE:
        return "NPY-SHAPE-002";
    case SNPY_ITEMSIZE_OVERFLOW:
        return "NPY-SHAPE-003";
    case SNPY_SIZE_OVERFLOW:
        return "NPY-SHAPE-004";
    case SNPY_DATA_TOO_LARGE:
        return "NPY-DATA-004";
    case SNPY_TRUNCATED_DATA:
        return "NPY-DATA-001";
    case SNPY_TRAILING_DATA:
        return "NPY-DATA-002";
    case SNPY_NO_OBJECTS:
        return "NPY-DATA-003";
    case SNPY_NOT_CANONICAL:
        return "NPY-HDR-006";
    case SNPY_WRITE_DTYPE:
        return "NPY-WRITE-001";
    case SNPY_WRITE_TABLE:
        return "NPY-WRITE-002";
    case SNPY_WRITE_LAYOUT:
        return "NPY-WRITE-003";
    case SNPY_WRITE_SHAPE:
        return "NPY-WRITE-004";
    case SNPY_WRITE_NAME:
        return "NPY-WRITE-005";
    case SNPY_WRITE_UNREADABLE:
        return "NPY-WRITE-006";
    case SNPY_WRITE_VERSION:
        return "NPY-WRITE-007";
    case SNPY_BAD_ARGUMENT:
        return "API-ARGUMENT";
    case SNPY_BUFFER_TOO_SMALL:
        return "API-BUFFER";
    case SNPY_OBJECT_DATA:
        return "API-OBJECTS";
    case SNPY_BAD_INDEX:
        return "API-INDEX";
    case SNPY_BAD_SLICE:
        return "API-SLICE";
    case SNPY_WRONG_TYPE:
        return "API-TYPE";
    case SNPY_VALUE_RANGE:
        return "API-RANGE";
    case SNPY_BAD_CODE_POINT:
        return "API-TEXT";
    case SNPY_IO_ERROR:
        return "HOST-IO";
    case SNPY_NO_MEMORY:
        return "HOST-MEMORY";
    case SNPY_HEADER_FULL:
        return "HOST-GROWTH";
    case SNPY_FILE_CHANGED:
        return "HOST-CHANGED";
    case SNPY_NOT_ALIKE:
        return "HOST-MATCH";
    case SNPY_ZIP_NO_END:
        return "NPZ-END-002";
    case SNPY_ZIP_TRUNCATED_COMMENT:
        return "NPZ-END-003";
    case SNPY_ZIP_TRAILING_DATA:
        return "NPZ-END-004";
    case SNPY_ZIP_AMBIGUOUS_END:
        return "NPZ-END-005";
    case SNPY_ZIP_MULTI_DISK:
        return "NPZ-END-006";
    case SNPY_ZIP_BAD_DIRECTORY:
        return "NPZ-END-007";
    case SNPY_ZIP_BAD_COUNT:
        return "NPZ-END-008";
    case SNPY_ZIP_BAD_LOCATOR:
        return "NPZ-WIDE-002";
    case SNPY_ZIP_BAD_WIDE_END:
        return "NPZ-WIDE-003";
    case SNPY_ZIP_WIDE_END_DIFFERS:
        return "NPZ-WIDE-004";
    case SNPY_ZIP_TOO_MANY_MEMBERS:
        return "NPZ-LIMIT-001";
    case SNPY_ZIP_BAD_CENTRAL:
        return "NPZ-DIR-001";
    case SNPY_ZIP_TRUNCATED_CENTRAL:
        return "NPZ-DIR-002";
    case SNPY_ZIP_VERSION:
        return "NPZ-DIR-003";
    case SNPY_ZIP_ENCRYPTED:
        return "NPZ-DIR-004";
    case SNPY_ZIP_FLAGS:
        return "NPZ-DIR-005";
    case SNPY_ZIP_METHOD:
        return "NPZ-DIR-006";
    case SNPY_ZIP_STORED_SIZE:
        return "NPZ-DIR-007";
    case SNPY_ZIP_BAD_EXTRA:
        return "NPZ-EXTRA-001";
    case SNPY_ZIP_EXTRA_TWICE:
        return "NPZ-EXTRA-002";
    case SNPY_ZIP_WIDE_MISSING:
        return "NPZ-EXTRA-003";
    case SNPY_ZIP_WIDE_DIFFERS:
        return "NPZ-EXTRA-004";
    case SNPY_ZIP_NAME_UTF8:
        return "NPZ-NAME-001";
    case SNPY_ZIP_UNICODE_PATH:
        return "NPZ-EXTRA-005";
    case SNPY_ZIP_NUL_IN_NAME:
        return "NPZ-NAME-003";
    case SNPY_ZIP_EMPTY_NAME:
        return "NPZ-NAME-004";
    case SNPY_ZIP_DIRECTORY_DATA:
        return "NPZ-NAME-009";
    case SNPY_ZIP_PREFIX:
        return "NPZ-PLACE-001";
    case SNPY_ZIP_OVERLAP:
        return "NPZ-PLACE-002";
    case SNPY_ZIP_GAP:
        return "NPZ-PLACE-003";
    case SNPY_ZIP_BAD_LOCAL:
        return "NPZ-LOCAL-001";
    case SNPY_ZIP_TRUNCATED_LOCAL:
        return "NPZ-LOCAL-002";
    case SNPY_ZIP_NAME_DIFFERS:
        return "NPZ-LOCAL-003";
    case SNPY_ZIP_METHOD_DIFFERS:
        return "NPZ-LOCAL-004";
    case SNPY_ZIP_FLAGS_DIFFER:
        return "NPZ-LOCAL-005";
    case SNPY_ZIP_SIZE_DIFFERS:
        return "NPZ-LOCAL-006";
    case SNPY_ZIP_CRC_DIFFERS:
        return "NPZ-LOCAL-007";
    case SNPY_ZIP_OUT_OF_BOUNDS:
        return "NPZ-PLACE-004";
    case SNPY_ZIP_NO_DESCRIPTOR:
        return "NPZ-DESC-001";
    case SNPY_ZIP_DESCRIPTOR_DIFFERS:
        return "NPZ-DESC-003";
    case SNPY_ZIP_DUPLICATE_KEY:
        return "NPZ-NAME-006";
    case SNPY_ZIP_MEMBER_TOO_LARGE:
        return "NPZ-LIMIT-002";
    case SNPY_ZIP_TOTAL_TOO_LARGE:
        return "NPZ-LIMIT-003";
    case SNPY_ZIP_RATIO:
        return "NPZ-LIMIT-004";
    case SNPY_ZIP_BAD_DEFLATE:
        return "NPZ-DATA-002";
    case SNPY_ZIP_DEFLATE_TRAILING:
        return "NPZ-DATA-003";
    case SNPY_ZIP_INFLATED_SIZE:
        return "NPZ-DATA-004";
    case SNPY_ZIP_BAD_CRC:
        return "NPZ-DATA-005";
    case SNPY_ZIP_PATH_ESCAPES:
        return "NPZ-PATH-001";
    case SNPY_ZIP_PATH_NOT_PORTABLE:
        return "NPZ-PATH-002";
    case SNPY_ZIP_PATH_COLLIDES:
        return "NPZ-PATH-003";
    case SNPY_ZIP_WRITE_KEY:
        return "NPZ-WRITE-001";
    case SNPY_ZIP_WRITE_DUPLICATE:
        return "NPZ-WRITE-002";
    case SNPY_NO_MEMBER:
        return "API-MEMBER";
    case SNPY_NOT_AN_ARRAY:
        return "API-ARRAY";
    }
    return UNKNOWN_RULE;
}

/* What was wrong, in one sentence.                                                        API-STATUS */
/*@ terminates \true;
    exits \false;
    assigns \result \from status;
 */
const char *snpy_status_message(snpy_status status)
{
    switch (status) {
    case SNPY_OK:
        return "the file is accepted";
    case SNPY_BAD_MAGIC:
        return "the file does not begin with the magic bytes of an NPY file";
    case SNPY_TRUNCATED_PREFIX:
        return "the file ends before its version and header length are complete";
    case SNPY_UNSUPPORTED_VERSION:
        return "the format version is none of 1.0, 2.0 and 3.0";
    case SNPY_HEADER_TOO_LONG:
        return "the header claims to be longer than the limit";
    case SNPY_TRUNCATED_HEADER:
        return "the file ends before its header does";
    case SNPY_BAD_UTF8:
        return "the header text of version 3.0 is not well-formed UTF-8";
    case SNPY_UNEXPECTED_END:
        return "the header text ends before its closing brace";
    case SNPY_NOT_A_DICT:
        return "the header text does not begin with an opening brace";
    case SNPY_TRAILING_TEXT:
        return "there is text behind the closing brace of the header";
    case SNPY_EXPECTED_STRING:
        return "a quoted string should stand here";
    case SNPY_CONTROL_IN_STRING:
        return "a string holds a raw control character";
    case SNPY_BAD_ESCAPE:
        return "a backslash begins an escape that Python's repr does not write";
    case SNPY_CODE_POINT_RANGE:
        return "an escape names a code point above U+10FFFF";
    case SNPY_ESCAPE_IN_TYPE:
        return "a type string holds a backslash";
    case SNPY_EXPECTED_COLON:
        return "a colon should stand behind the key";
    case SNPY_EXPECTED_COMMA:
        return "a comma or the closing bracket should stand here";
    case SNPY_EXPECTED_CLOSE:
        return "a closing parenthesis should stand here";
    case SNPY_EXPECTED_TYPE:
        return "a type should stand here: a type string or a list of fields";
    case SNPY_TOP_LEVEL_SUBARRAY:
        return "the type of the whole array is a tuple";
    case SNPY_EXPECTED_FIELD:
        return "a field should stand here: a tuple of a name, a type and possibly a shape";
    case SNPY_EXPECTED_SHAPE:
        return "a shape should stand here: a tuple of dimensions";
    case SNPY_SHAPE_NOT_A_TUPLE:
        return "a shape of one dimension lacks the comma that makes it a tuple";
    case SNPY_BAD_DIMENSION:
        return "a dimension is not a plain decimal integer";
    case SNPY_SIGNED_DIMENSION:
        return "a dimension has a sign";
    case SNPY_LEADING_ZERO:
        return "a dimension has a leading zero";
    case SNPY_LONG_SUFFIX:
        return "a dimension has the suffix L in version 3.0";
    case SNPY_UNKNOWN_KEY:
        return "the header has a key other than descr, fortran_order and shape";
    case SNPY_DUPLICATE_KEY:
        return "the header has the same key twice";
    case SNPY_MISSING_KEY:
        return "the header lacks one of the keys descr, fortran_order and shape";
    case SNPY_BAD_FORTRAN_ORDER:
        return "fortran_order is neither True nor False";
    case SNPY_TOO_DEEP:
        return "records and sub-arrays are nested deeper than the limit";
    case SNPY_SUBARRAY_NEEDS_SHAPE:
        return "a sub-array type lacks a shape that is not empty";
    case SNPY_ONE_AS_SHAPE:
        return "the integer 1 stands for a sub-array shape, which NumPy reads in two ways";
    case SNPY_UNKNOWN_TYPE:
        return "a type string names no known kind of data";
    case SNPY_BAD_BYTE_ORDER:
        return "the byte order does not fit the type";
    case SNPY_NO_BYTE_ORDER:
        return "the type string does not say its byte order";
    case SNPY_BAD_TYPE_SIZE:
        return "the size of the type is missing, malformed or does not exist for this kind";
    case SNPY_PLATFORM_FLOAT:
        return "the type is an extended float whose layout depends on the platform";
    case SNPY_TYPE_NAME:
        return "the type is given by its name instead of a type string";
    case SNPY_BYTES_ALIAS:
        return "the kind a is an old alias of S";
    case SNPY_TYPE_TOO_LARGE:
        return "the type is larger than 2,147,483,647 bytes";
    case SNPY_BAD_UNIT:
        return "the unit of a datetime or timedelta is missing or unknown";
    case SNPY_BAD_MULTIPLIER:
        return "the multiplier of a datetime unit is not a number from 1 to 2,147,483,647";
    case SNPY_UNIT_DIVISOR:
        return "the unit of a datetime has a divisor";
    case SNPY_TOO_MANY_FIELDS:
        return "the record type has more fields than the limit";
    case SNPY_TABLE_TOO_SMALL:
        return "the field table handed in is too small";
    case SNPY_DUPLICATE_NAME:
        return "a field name or title stands twice in one record";
    case SNPY_TOO_MANY_DIMENSIONS:
        return "there are more dimensions than 64 or the limit";
    case SNPY_EMPTY_SUBARRAY_TYPE:
        return "a sub-array shape is given to a type of size zero";
    case SNPY_ITEMSIZE_OVERFLOW:
        return "one element is larger than 2,147,483,647 bytes";
    case SNPY_SIZE_OVERFLOW:
        return "the array would be larger than 2^63 - 1 bytes";
    case SNPY_DATA_TOO_LARGE:
        return "the header declares more data than the limit";
    case SNPY_TRUNCATED_DATA:
        return "the file ends before its data do";
    case SNPY_TRAILING_DATA:
        return "there are bytes behind the data";
    case SNPY_NO_OBJECTS:
        return "an object array has no data behind its header";
    case SNPY_NOT_CANONICAL:
        return "the header is not, byte for byte, what NumPy writes today";
    case SNPY_WRITE_DTYPE:
        return "the type to be written does not exist";
    case SNPY_WRITE_TABLE:
        return "the field table to be written is not a tree in pre-order";
    case SNPY_WRITE_LAYOUT:
        return "the fields to be written overlap, are out of order or lie beyond their record";
    case SNPY_WRITE_SHAPE:
        return "the shape to be written has too many dimensions or is too large";
    case SNPY_WRITE_NAME:
        return "a name is not text in the encoding it is given in";
    case SNPY_WRITE_UNREADABLE:
        return "the field to be written would be read back as padding";
    case SNPY_WRITE_VERSION:
        return "the version asked for cannot hold the header";
    case SNPY_BAD_ARGUMENT:
        return "an argument of the call is not valid";
    case SNPY_BUFFER_TOO_SMALL:
        return "the buffer handed in is too small";
    case SNPY_OBJECT_DATA:
        return "the elements are Python objects, whose pickle is not read";
    case SNPY_BAD_INDEX:
        return "the index lies outside the axis";
    case SNPY_BAD_SLICE:
        return "the step of a slice is 0";
    case SNPY_WRONG_TYPE:
        return "the element is not of the kind asked for";
    case SNPY_VALUE_RANGE:
        return "the value does not fit the type";
    case SNPY_BAD_CODE_POINT:
        return "a string element holds a number that is no code point";
    case SNPY_IO_ERROR:
        return "the file cannot be read or written";
    case SNPY_NO_MEMORY:
        return "there is not enough memory";
    case SNPY_HEADER_FULL:
        return "the header has no room for the new length of the array";
    case SNPY_FILE_CHANGED:
        return "the file became shorter while it was in use";
    case SNPY_NOT_ALIKE:
        return "what is to be appended differs in type or shape from the array in the file";
    case SNPY_ZIP_NO_END:
        return "the archive has no end record";
    case SNPY_ZIP_TRUNCATED_COMMENT:
        return "the archive's comment reaches beyond the end of the file";
    case SNPY_ZIP_TRAILING_DATA:
        return "bytes stand behind the archive's end record and its comment";
    case SNPY_ZIP_AMBIGUOUS_END:
        return "another end record reaches over the last one, so that the archive can be read in two ways";
    case SNPY_ZIP_MULTI_DISK:
        return "the archive is part of one on several disks";
    case SNPY_ZIP_BAD_DIRECTORY:
        return "the directory does not end where the end record begins";
    case SNPY_ZIP_BAD_COUNT:
        return "the number of members is not that of the headers in the directory";
    case SNPY_ZIP_BAD_LOCATOR:
        return "the ZIP64 locator does not lead to the record in front of it";
    case SNPY_ZIP_BAD_WIDE_END:
        return "the ZIP64 end record has another size than 56 bytes";
    case SNPY_ZIP_WIDE_END_DIFFERS:
        return "the end record contradicts the ZIP64 end record";
    case SNPY_ZIP_TOO_MANY_MEMBERS:
        return "the archive has more members than the limit allows";
    case SNPY_ZIP_BAD_CENTRAL:
        return "no member's header stands where one should begin in the directory";
    case SNPY_ZIP_TRUNCATED_CENTRAL:
        return "a member's header reaches beyond the directory";
    case SNPY_ZIP_VERSION:
        return "the member asks for a version of ZIP above 4.5";
    case SNPY_ZIP_ENCRYPTED:
        return "the member is encrypted";
    case SNPY_ZIP_FLAGS:
        return "the member has flags that are reserved, or change what its data mean";
    case SNPY_ZIP_METHOD:
        return "the member is compressed by a method other than stored and deflated";
    case SNPY_ZIP_STORED_SIZE:
        return "the stored member has two different sizes";
    case SNPY_ZIP_BAD_EXTRA:
        return "the extra fields do not fill their place";
    case SNPY_ZIP_EXTRA_TWICE:
        return "an extra field that may stand once stands twice";
    case SNPY_ZIP_WIDE_MISSING:
        return "the ZIP64 field is too short for the numbers that it has to hold";
    case SNPY_ZIP_WIDE_DIFFERS:
        return "the ZIP64 field contradicts the header, or is too long";
    case SNPY_ZIP_NAME_UTF8:
        return "the member's name is not well-formed UTF-8";
    case SNPY_ZIP_UNICODE_PATH:
        return "the Unicode path is not the member's name";
    case SNPY_ZIP_NUL_IN_NAME:
        return "the member's name holds a NUL byte";
    case SNPY_ZIP_EMPTY_NAME:
        return "the member has no name";
    case SNPY_ZIP_DIRECTORY_DATA:
        return "the member is a directory by its name, and has data";
    case SNPY_ZIP_PREFIX:
        return "the first member does not begin at the first byte of the file";
    case SNPY_ZIP_OVERLAP:
        return "the member begins inside the one in front of it";
    case SNPY_ZIP_GAP:
        return "bytes that belong to no member stand in the archive";
    case SNPY_ZIP_BAD_LOCAL:
        return "no local header stands where the directory says";
    case SNPY_ZIP_TRUNCATED_LOCAL:
        return "the local header reaches into the directory";
    case SNPY_ZIP_NAME_DIFFERS:
        return "the local header has another name than the directory";
    case SNPY_ZIP_METHOD_DIFFERS:
        return "the local header has another method than the directory";
    case SNPY_ZIP_FLAGS_DIFFER:
        return "the local header has other flags than the directory";
    case SNPY_ZIP_SIZE_DIFFERS:
        return "the local header has another size than the directory";
    case SNPY_ZIP_CRC_DIFFERS:
        return "the local header has another CRC than the directory";
    case SNPY_ZIP_OUT_OF_BOUNDS:
        return "the member's data reach into the directory or beyond the file";
    case SNPY_ZIP_NO_DESCRIPTOR:
        return "no data descriptor stands behind the member's data";
    case SNPY_ZIP_DESCRIPTOR_DIFFERS:
        return "the data descriptor contradicts the directory";
    case SNPY_ZIP_DUPLICATE_KEY:
        return "two members have the same key";
    case SNPY_ZIP_MEMBER_TOO_LARGE:
        return "the deflated member is larger than the limit allows";
    case SNPY_ZIP_TOTAL_TOO_LARGE:
        return "the deflated members together are larger than the limit allows";
    case SNPY_ZIP_RATIO:
        return "the deflated member claims to be more times its data than the limit allows";
    case SNPY_ZIP_BAD_DEFLATE:
        return "the member's data are not a complete deflate stream";
    case SNPY_ZIP_DEFLATE_TRAILING:
        return "bytes stand behind the deflate stream";
    case SNPY_ZIP_INFLATED_SIZE:
        return "the member inflates to another size than the directory says";
    case SNPY_ZIP_BAD_CRC:
        return "the member's bytes do not have the CRC of the directory";
    case SNPY_ZIP_PATH_ESCAPES:
        return "the member's name leads out of the directory";
    case SNPY_ZIP_PATH_NOT_PORTABLE:
        return "the member's name is not a portable path";
    case SNPY_ZIP_PATH_COLLIDES:
        return "the member's path collides with that of another one";
    case SNPY_ZIP_WRITE_KEY:
        return "the key cannot be the name of a member";
    case SNPY_ZIP_WRITE_DUPLICATE:
        return "the key is used twice, or hides another one";
    case SNPY_NO_MEMBER:
        return "the archive has no member of this name or key";
    case SNPY_NOT_AN_ARRAY:
        return "the member is not an NPY file";
    }
    return UNKNOWN_MESSAGE;
}

/* How to mend it.                                                                         API-STATUS */
/*@ terminates \true;
    exits \false;
    assigns \result \from status;
 */
const char *snpy_status_hint(snpy_status status)
{
    switch (status) {
    case SNPY_OK:
        return "nothing is to be done";
    case SNPY_BAD_MAGIC:
        return "check that it is an .npy file at all: an .npz archive, a raw dump or a pickle is another format";
    case SNPY_TRUNCATED_PREFIX:
        return "copy or download the file again: it is cut off";
    case SNPY_UNSUPPORTED_VERSION:
        return "save the array again with numpy.save, which writes version 1.0, 2.0 or 3.0";
    case SNPY_HEADER_TOO_LONG:
        return "if the file is trusted and its record type is large, raise the limit with --max-header BYTES";
    case SNPY_TRUNCATED_HEADER:
        return "copy or download the file again: it is cut off, or its header length is wrong";
    case SNPY_BAD_UTF8:
        return "write the names in UTF-8, or save the array again with numpy.save";
    case SNPY_UNEXPECTED_END:
        return "complete the dictionary in the header, or correct the header length that cuts it off";
    case SNPY_NOT_A_DICT:
        return "begin the header text with { and put nothing, not even a blank, in front of it";
    case SNPY_TRAILING_TEXT:
        return "fill the header behind the closing brace with spaces and a final newline only";
    case SNPY_EXPECTED_STRING:
        return "write keys, names and titles as plain quoted strings, without a prefix b, r or f";
    case SNPY_CONTROL_IN_STRING:
        return "write the control character as an escape, such as \\n or \\x1f";
    case SNPY_BAD_ESCAPE:
        return "use only the escapes \\\\ \\' \\\" \\n \\r \\t \\xHH \\uHHHH and \\UHHHHHHHH";
    case SNPY_CODE_POINT_RANGE:
        return "correct the escape: Unicode ends at \\U0010ffff";
    case SNPY_ESCAPE_IN_TYPE:
        return "write the type string out, such as '<f8', without escapes";
    case SNPY_EXPECTED_COLON:
        return "put a colon between the key and its value";
    case SNPY_EXPECTED_COMMA:
        return "separate entries, fields and the parts of a field by one comma each";
    case SNPY_EXPECTED_CLOSE:
        return "give a field a name, a type and at most one shape, a title one name, and close the tuple behind them";
    case SNPY_EXPECTED_TYPE:
        return "write the type as a string such as '<f8' or as a list of fields such as [('a', '<f8')]";
    case SNPY_TOP_LEVEL_SUBARRAY:
        return "append the sub-array's dimensions to 'shape' and leave the plain type in 'descr'";
    case SNPY_EXPECTED_FIELD:
        return "write each field as a tuple such as ('a', '<f8'); --compat list-field lets a list pass";
    case SNPY_EXPECTED_SHAPE:
        return "write the shape as a tuple such as (3,); --compat list-shape lets a list pass, --compat int-shape an "
               "integer, --compat metadata a dictionary";
    case SNPY_SHAPE_NOT_A_TUPLE:
        return "put a comma behind the dimension: (3,)";
    case SNPY_BAD_DIMENSION:
        return "write dimensions as decimal digits separated by commas; --compat numpy-int lets np.int64(2) pass";
    case SNPY_SIGNED_DIMENSION:
        return "write the dimension's true length: it is neither negative nor signed";
    case SNPY_LEADING_ZERO:
        return "write the dimension without leading zeros";
    case SNPY_LONG_SUFFIX:
        return "remove the L: Python 2 wrote it, and Python 2 never wrote version 3.0";
    case SNPY_UNKNOWN_KEY:
        return "remove the key, or write it as one of the three without escapes";
    case SNPY_DUPLICATE_KEY:
        return "remove the entry that does not describe the data";
    case SNPY_MISSING_KEY:
        return "add the missing entry to the dictionary";
    case SNPY_BAD_FORTRAN_ORDER:
        return "write True or False; --compat int-fortran-order lets 1 and 0 pass, --compat numpy-bool np.True_ and "
               "np.False_";
    case SNPY_TOO_DEEP:
        return "flatten the record type: 64 levels are the most";
    case SNPY_SUBARRAY_NEEDS_SHAPE:
        return "give the dimensions as a non-empty tuple, or write the plain type without a tuple around it";
    case SNPY_ONE_AS_SHAPE:
        return "leave the shape out for a single value, or write (1,) for an array of one";
    case SNPY_UNKNOWN_TYPE:
        return "use one of the kinds b i u f c S U V M m O behind the byte order";
    case SNPY_BAD_BYTE_ORDER:
        return "write < or > for numbers, dates and U, and | for single bytes, S, V and O";
    case SNPY_NO_BYTE_ORDER:
        return "write < for little-endian or > for big-endian; --compat native-order reads the type as little-endian";
    case SNPY_BAD_TYPE_SIZE:
        return "write a size that the kind has, in plain decimal digits, and nothing behind it";
    case SNPY_PLATFORM_FLOAT:
        return "convert the data to <f8 or <c16 where they were written; --compat platform-float lets them pass as "
               "opaque bytes";
    case SNPY_TYPE_NAME:
        return "write the type string, such as '<f8' for float64; --compat type-names lets names of fixed size pass";
    case SNPY_BYTES_ALIAS:
        return "write S instead of a; --compat bytes-alias lets it pass";
    case SNPY_TYPE_TOO_LARGE:
        return "use a smaller item and more elements, or check whether the number is damaged";
    case SNPY_BAD_UNIT:
        return "write one of the units Y M W D h m s ms us ns ps fs as in brackets, or no brackets at all";
    case SNPY_BAD_MULTIPLIER:
        return "write the multiplier as plain decimal digits without sign or leading zeros, or leave it out for 1";
    case SNPY_UNIT_DIVISOR:
        return "write the unit without a divisor: 'M8[500ms]' instead of 'M8[s/2]'";
    case SNPY_TOO_MANY_FIELDS:
        return "if the file is trusted, raise --max-header BYTES (the limit on fields rises with it), or max_fields in "
               "the options of the library";
    case SNPY_TABLE_TOO_SMALL:
        return "call again with as many entries as the counts in the table say";
    case SNPY_DUPLICATE_NAME:
        return "rename one of the fields or titles";
    case SNPY_TOO_MANY_DIMENSIONS:
        return "reshape the array to at most 64 dimensions";
    case SNPY_EMPTY_SUBARRAY_TYPE:
        return "remove the field's shape, or give its type a size";
    case SNPY_ITEMSIZE_OVERFLOW:
        return "make the sub-array or record smaller and the array's shape larger";
    case SNPY_SIZE_OVERFLOW:
        return "check the dimensions: no file can hold as many elements as they say";
    case SNPY_DATA_TOO_LARGE:
        return "raise max_data_bytes in the options if the file is trusted";
    case SNPY_TRUNCATED_DATA:
        return "copy or download the file again: it is cut off, or its shape is wrong";
    case SNPY_TRAILING_DATA:
        return "cut the file at this byte, or check without --no-trailing";
    case SNPY_NO_OBJECTS:
        return "save the array again with numpy.save(allow_pickle=True), or with a type that holds no objects";
    case SNPY_NOT_CANONICAL:
        return "save the array again with numpy.save, or check with the standard profile";
    case SNPY_WRITE_DTYPE:
        return "give kind, byte order and size as spec/npy.md lists them";
    case SNPY_WRITE_TABLE:
        return "put each record before its fields, with depths and kinds that fit their place";
    case SNPY_WRITE_LAYOUT:
        return "sort the fields by offset and make room for each";
    case SNPY_WRITE_SHAPE:
        return "keep to 64 dimensions and 2^63 - 1 bytes";
    case SNPY_WRITE_NAME:
        return "give the name as well-formed UTF-8, a surrogate as three bytes";
    case SNPY_WRITE_UNREADABLE:
        return "give the field a name or a title";
    case SNPY_WRITE_VERSION:
        return "let the writer choose the version, or ask for a higher one";
    case SNPY_BAD_ARGUMENT:
        return "hand over what the comment above the function asks for; options begin as SNPY_OPTIONS_INIT";
    case SNPY_BUFFER_TOO_SMALL:
        return "call again with a buffer of the size announced";
    case SNPY_OBJECT_DATA:
        return "read the array with NumPy and allow_pickle, if you trust it; convert it to a type of fixed size";
    case SNPY_BAD_INDEX:
        return "use an index below the length of the axis";
    case SNPY_BAD_SLICE:
        return "use a step other than 0";
    case SNPY_WRONG_TYPE:
        return "look at the dtype first";
    case SNPY_VALUE_RANGE:
        return "use a wider type, or a value within the type's range";
    case SNPY_BAD_CODE_POINT:
        return "the data are damaged or are not strings: look at the bytes at the offset";
    case SNPY_IO_ERROR:
        return "check that the file exists and that you may read it";
    case SNPY_NO_MEMORY:
        return "lower --max-header BYTES, or read the file where more memory is available";
    case SNPY_HEADER_FULL:
        return "save the whole array once more, with snpy_save or numpy.save: a header they write has room to grow";
    case SNPY_FILE_CHANGED:
        return "let the program that writes the file finish, then read it again";
    case SNPY_NOT_ALIKE:
        return "append elements of the same dtype, with the same dimensions but for the axis that grows";
    case SNPY_ZIP_NO_END:
        return "get the archive again: its end is missing, or it is none";
    case SNPY_ZIP_TRUNCATED_COMMENT:
        return "get the archive again: it was cut off";
    case SNPY_ZIP_TRAILING_DATA:
        return "cut the file there, or accept them with the flag zip-trailing: bsdtar --format zip -cf - adds zeros";
    case SNPY_ZIP_AMBIGUOUS_END:
        return "do not trust the file; pack the arrays again without a comment";
    case SNPY_ZIP_MULTI_DISK:
        return "join the parts with the program that made them";
    case SNPY_ZIP_BAD_DIRECTORY:
        return "get the archive again, or let a ZIP program repair it";
    case SNPY_ZIP_BAD_COUNT:
    case SNPY_ZIP_BAD_LOCATOR:
        return "do not trust the file; pack the arrays again";
    case SNPY_ZIP_BAD_WIDE_END:
        return "pack the arrays again with a plain ZIP program";
    case SNPY_ZIP_WIDE_END_DIFFERS:
        return "do not trust the file; pack the arrays again";
    case SNPY_ZIP_TOO_MANY_MEMBERS:
        return "raise the limit if you trust the file";
    case SNPY_ZIP_BAD_CENTRAL:
        return "get the archive again, or pack the arrays with a plain ZIP program";
    case SNPY_ZIP_TRUNCATED_CENTRAL:
        return "get the archive again: its directory is damaged";
    case SNPY_ZIP_VERSION:
        return "pack it again, stored or deflated";
    case SNPY_ZIP_ENCRYPTED:
        return "decrypt the archive with the program that made it";
    case SNPY_ZIP_FLAGS:
        return "pack it again with a plain ZIP program";
    case SNPY_ZIP_METHOD:
        return "pack it again, stored or deflated";
    case SNPY_ZIP_STORED_SIZE:
        return "do not trust the file; pack the arrays again";
    case SNPY_ZIP_BAD_EXTRA:
        return "pack the arrays again";
    case SNPY_ZIP_EXTRA_TWICE:
        return "do not trust the file; pack the arrays again";
    case SNPY_ZIP_WIDE_MISSING:
        return "get the archive again, or pack the arrays again";
    case SNPY_ZIP_WIDE_DIFFERS:
        return "do not trust the file; pack the arrays again";
    case SNPY_ZIP_NAME_UTF8:
        return "rename the member with a ZIP program";
    case SNPY_ZIP_UNICODE_PATH:
        return "pack the arrays again with names in UTF-8 or ASCII: on Windows 7-Zip needs -mcu=on";
    case SNPY_ZIP_NUL_IN_NAME:
        return "do not trust the file; pack the arrays again";
    case SNPY_ZIP_EMPTY_NAME:
        return "pack the array again under a name";
    case SNPY_ZIP_DIRECTORY_DATA:
        return "pack the array again under a name that does not end in a slash";
    case SNPY_ZIP_PREFIX:
        return "cut off what stands in front, or accept it with the flag zip-prefix";
    case SNPY_ZIP_OVERLAP:
        return "do not trust the file: it may be a bomb; pack the arrays again";
    case SNPY_ZIP_GAP:
        return "pack the arrays again, or accept them with the flag zip-gaps";
    case SNPY_ZIP_BAD_LOCAL:
    case SNPY_ZIP_TRUNCATED_LOCAL:
        return "get the archive again: it is damaged";
    case SNPY_ZIP_NAME_DIFFERS:
    case SNPY_ZIP_METHOD_DIFFERS:
    case SNPY_ZIP_FLAGS_DIFFER:
    case SNPY_ZIP_SIZE_DIFFERS:
    case SNPY_ZIP_CRC_DIFFERS:
        return "do not trust the file; pack the arrays again";
    case SNPY_ZIP_OUT_OF_BOUNDS:
        return "get the archive again: it is damaged";
    case SNPY_ZIP_NO_DESCRIPTOR:
        return "pack the arrays again, or accept descriptors without a signature with the flag unsigned-descriptor";
    case SNPY_ZIP_DESCRIPTOR_DIFFERS:
        return "do not trust the file; pack the arrays again";
    case SNPY_ZIP_DUPLICATE_KEY:
        return "pack the arrays again under keys that differ";
    case SNPY_ZIP_MEMBER_TOO_LARGE:
        return "raise the limit if you trust the file";
    case SNPY_ZIP_TOTAL_TOO_LARGE:
        return "raise the limit if you trust the file, or read the members one by one";
    case SNPY_ZIP_RATIO:
        return "do not trust the file; raise the limit if it was set below 1032";
    case SNPY_ZIP_BAD_DEFLATE:
        return "get the archive again: this member is damaged";
    case SNPY_ZIP_DEFLATE_TRAILING:
    case SNPY_ZIP_INFLATED_SIZE:
        return "do not trust the file; pack the array again";
    case SNPY_ZIP_BAD_CRC:
        return "get the archive again: this member is damaged";
    case SNPY_ZIP_PATH_ESCAPES:
        return "unpack it under another name with --map-names, if you need it";
    case SNPY_ZIP_PATH_NOT_PORTABLE:
        return "unpack it under another name with --map-names";
    case SNPY_ZIP_PATH_COLLIDES:
        return "unpack the members into different directories, key by key";
    case SNPY_ZIP_WRITE_KEY:
        return "use a key of UTF-8 without NUL, of at most 65,531 bytes";
    case SNPY_ZIP_WRITE_DUPLICATE:
        return "use keys that differ, also with .npy behind them";
    case SNPY_NO_MEMBER:
        return "ask for one that the archive lists";
    case SNPY_NOT_AN_ARRAY:
        return "ask for its bytes, or for another member";
    }
    return UNKNOWN_HINT;
}

/* The version of the library that runs.                                                  API-VERSION */
/*@ terminates \true;
    exits \false;
    assigns \result \from \nothing;
 */
const char *snpy_version(void)
{
    return SNPY_VERSION_STRING;
}
