/* safenpy/status.h: why a file was refused.
 *
 * Errors are data: a status with a stable number and the byte offset at which its rule was broken.
 * The comment beside each status gives the rule of spec/npy.md and an example of what triggers it.
 * Numbers never change meaning; new ones are added at the end of their block of hundred.
 *
 * When several rules are broken, the earliest failing phase wins, then the earliest byte. The phases
 * are the blocks below in their order: frame, limits, text encoding, literal, dtype, table,
 * duplicates, shape, sizes, data.
 */
#ifndef SAFENPY_STATUS_H
#define SAFENPY_STATUS_H

#include <stdint.h>

#include "safenpy/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum snpy_status {
    SNPY_OK = 0,

    /* Frame: the bytes before the header text. */
    SNPY_BAD_MAGIC = 101,           /* NPY-FRAME-001  "PK\3\4…" */
    SNPY_TRUNCATED_PREFIX = 102,    /* NPY-FRAME-002  a file of 8 bytes */
    SNPY_UNSUPPORTED_VERSION = 103, /* NPY-FRAME-003  version 1.1 or 4.0 */

    /* Limits: what the header claims against what is allowed and what is there. */
    SNPY_HEADER_TOO_LONG = 201,  /* NPY-FRAME-005  a length of 4 GiB under a limit of 64 KiB */
    SNPY_TRUNCATED_HEADER = 202, /* NPY-FRAME-006  a length of 118, but 40 bytes are left */

    /* Text encoding. */
    SNPY_BAD_UTF8 = 301, /* NPY-FRAME-007  version 3.0 with the byte 0xFF */

    /* Literal: the header text against the grammar. */
    SNPY_UNEXPECTED_END = 401,       /* NPY-LIT-001  {'descr': '<f8', */
    SNPY_NOT_A_DICT = 402,           /* NPY-LIT-002  ['<f8', (3,)], or a blank before the brace */
    SNPY_TRAILING_TEXT = 403,        /* NPY-LIT-003  {…} # comment */
    SNPY_EXPECTED_STRING = 404,      /* NPY-LIT-004  {1: 2}, or b'descr' */
    SNPY_CONTROL_IN_STRING = 405,    /* NPY-LIT-005  a raw newline between quotes */
    SNPY_BAD_ESCAPE = 406,           /* NPY-LIT-006  '\q', '\101', '\x4' */
    SNPY_CODE_POINT_RANGE = 407,     /* NPY-LIT-007  '\U00110000' */
    SNPY_ESCAPE_IN_TYPE = 408,       /* NPY-LIT-008  'descr': '\x3cf8' */
    SNPY_EXPECTED_COLON = 409,       /* NPY-LIT-009  {'descr', '<f8'} */
    SNPY_EXPECTED_COMMA = 410,       /* NPY-LIT-010  {'descr': '<f8' 'shape': ()} */
    SNPY_EXPECTED_CLOSE = 411,       /* NPY-LIT-011  ('a', '<f8', (2,), 4) */
    SNPY_EXPECTED_TYPE = 412,        /* NPY-LIT-012  'descr': None, or b'<f8' */
    SNPY_TOP_LEVEL_SUBARRAY = 413,   /* NPY-LIT-013  'descr': ('<f8', (2,)) */
    SNPY_EXPECTED_FIELD = 414,       /* NPY-LIT-014  'descr': ['<f8'] */
    SNPY_EXPECTED_SHAPE = 415,       /* NPY-LIT-015  'shape': 3, or 'shape': [3] */
    SNPY_SHAPE_NOT_A_TUPLE = 416,    /* NPY-LIT-016  'shape': (3) */
    SNPY_BAD_DIMENSION = 417,        /* NPY-LIT-017  (3.0,), (0x3,), (True,), (1_0,) */
    SNPY_SIGNED_DIMENSION = 418,     /* NPY-LIT-018  (-1, 3) */
    SNPY_LEADING_ZERO = 419,         /* NPY-LIT-019  (03,) */
    SNPY_LONG_SUFFIX = 420,          /* NPY-LIT-020  (3L,) in version 3.0 */
    SNPY_UNKNOWN_KEY = 421,          /* NPY-HDR-001  {'dtype': …} */
    SNPY_DUPLICATE_KEY = 422,        /* NPY-HDR-002  two 'shape' */
    SNPY_MISSING_KEY = 423,          /* NPY-HDR-003  {'descr': '<f8', 'shape': ()} */
    SNPY_BAD_FORTRAN_ORDER = 424,    /* NPY-HDR-004  'fortran_order': 1 */
    SNPY_TOO_DEEP = 425,             /* NPY-LIT-021  65 nested lists */
    SNPY_SUBARRAY_NEEDS_SHAPE = 426, /* NPY-LIT-022  ('a', ('<f8', (2,))) without a shape behind it */
    SNPY_ONE_AS_SHAPE = 427,         /* NPY-LIT-023  ('a', '<f8', 1) under the flag int-shape */

    /* Dtype: the type strings. */
    SNPY_UNKNOWN_TYPE = 501,   /* NPY-DTYPE-001  '<z8', '', '3i4' */
    SNPY_BAD_BYTE_ORDER = 502, /* NPY-DTYPE-002  '|i4', '<O' */
    SNPY_NO_BYTE_ORDER = 503,  /* NPY-DTYPE-003  'f8', '=f8' */
    SNPY_BAD_TYPE_SIZE = 504,  /* NPY-DTYPE-004  '<f3', '|S', '<f08', 'i4,f8' */
    SNPY_PLATFORM_FLOAT = 505, /* NPY-DTYPE-005  '<f12', '<c24' */
    SNPY_TYPE_NAME = 506,      /* NPY-DTYPE-006  'float64' */
    SNPY_BYTES_ALIAS = 507,    /* NPY-DTYPE-007  '|a5' */
    SNPY_TYPE_TOO_LARGE = 508, /* NPY-DTYPE-008  '|S2147483648', '<U536870912' */
    SNPY_BAD_UNIT = 509,       /* NPY-DTYPE-009  '<M8[B]', '<M8[]', '<M8[ns' */
    SNPY_BAD_MULTIPLIER = 510, /* NPY-DTYPE-010  '<M8[0s]', '<M8[01s]', '<M8[2147483648s]' */
    SNPY_UNIT_DIVISOR = 511,   /* NPY-DTYPE-011  '<M8[s/2]' */

    /* Table: the caller's room for fields. */
    SNPY_TOO_MANY_FIELDS = 601, /* NPY-HDR-005  more entries than the limit allows */
    SNPY_TABLE_TOO_SMALL = 602, /* API-TABLE    more entries than the caller's table holds */

    /* Duplicates. */
    SNPY_DUPLICATE_NAME = 701, /* NPY-DTYPE-012  [('a', '|i1'), ('a', '|i1')] */

    /* Shape. */
    SNPY_TOO_MANY_DIMENSIONS = 801, /* NPY-SHAPE-001  65 dimensions */

    /* Sizes. */
    SNPY_EMPTY_SUBARRAY_TYPE = 901, /* NPY-SHAPE-002  ('a', '|S0', (5,)) */
    SNPY_ITEMSIZE_OVERFLOW = 902,   /* NPY-SHAPE-003  ('a', '<f8', (1073741824,)) */
    SNPY_SIZE_OVERFLOW = 903,       /* NPY-SHAPE-004  (4294967296, 4294967296) */
    SNPY_DATA_TOO_LARGE = 904,      /* NPY-DATA-004  more bytes than the limit allows */

    /* Data. */
    SNPY_TRUNCATED_DATA = 1001, /* NPY-DATA-001  24 bytes declared, 23 there */
    SNPY_TRAILING_DATA = 1002,  /* NPY-DATA-002  24 bytes declared, 25 there, none to spare allowed */
    SNPY_NO_OBJECTS = 1003,     /* NPY-DATA-003  an object array without a payload */

    /* Profile. */
    SNPY_NOT_CANONICAL = 1101, /* NPY-HDR-006  keys in another order than NumPy writes */

    /* Writing: headers that are not well-formed. The offset is the entry of the table at fault. */
    SNPY_WRITE_DTYPE = 1201,      /* NPY-WRITE-001  a float of 3 bytes */
    SNPY_WRITE_TABLE = 1202,      /* NPY-WRITE-002  an entry whose depth or kind does not fit its place */
    SNPY_WRITE_LAYOUT = 1203,     /* NPY-WRITE-003  overlapping fields, or a field beyond its record */
    SNPY_WRITE_SHAPE = 1204,      /* NPY-WRITE-004  65 dimensions, or a product beyond 2^63 - 1 */
    SNPY_WRITE_NAME = 1205,       /* NPY-WRITE-005  a name that is not UTF-8 */
    SNPY_WRITE_UNREADABLE = 1206, /* NPY-WRITE-006  an unnamed sub-array: read back as padding */
    SNPY_WRITE_VERSION = 1207,    /* NPY-WRITE-007  version 1.0 for a name in Chinese */

    /* The caller's arguments. */
    SNPY_BAD_ARGUMENT = 1301,     /* API-ARGUMENT  an options struct that was not initialised */
    SNPY_BUFFER_TOO_SMALL = 1302, /* API-BUFFER   less room than the size announced */
    SNPY_OBJECT_DATA = 1303,      /* API-OBJECTS  the elements of an object array */
    SNPY_BAD_INDEX = 1304,        /* API-INDEX  index 3 of an axis of 3 */
    SNPY_BAD_SLICE = 1305,        /* API-SLICE  a step of 0 */
    SNPY_WRONG_TYPE = 1306,       /* API-TYPE  an integer asked of a string, a field asked of a number */
    SNPY_VALUE_RANGE = 1307,      /* API-RANGE  300 into one byte */
    SNPY_BAD_CODE_POINT = 1308,   /* API-TEXT  a string element with U+110000 */

    /* The host's file layer. */
    SNPY_IO_ERROR = 1401,     /* HOST-IO      a file that cannot be read, a full disk */
    SNPY_NO_MEMORY = 1402,    /* HOST-MEMORY  no memory for a header of the size claimed */
    SNPY_HEADER_FULL = 1403,  /* HOST-GROWTH  a longer shape in a header without spaces to spare */
    SNPY_FILE_CHANGED = 1404, /* HOST-CHANGED a file that became shorter while it was read */
    SNPY_NOT_ALIKE = 1405,    /* HOST-MATCH   rows of '<f4' appended to an array of '<f8' */
    SNPY_LOCKED = 1406,       /* HOST-LOCK    an append to a file that another process is converting in place */

    /* Archives, the records at the end. */
    SNPY_ZIP_NO_END = 1501,            /* NPZ-END-002  an archive that was cut off */
    SNPY_ZIP_TRUNCATED_COMMENT = 1502, /* NPZ-END-003  a comment of 20 bytes, 5 of them there */
    SNPY_ZIP_TRAILING_DATA = 1503,     /* NPZ-END-004  a line of text behind the archive */
    SNPY_ZIP_AMBIGUOUS_END = 1504,     /* NPZ-END-005  a whole archive in the comment */
    SNPY_ZIP_MULTI_DISK = 1505,        /* NPZ-END-006  part 2 of an archive of several disks */
    SNPY_ZIP_BAD_DIRECTORY = 1506,     /* NPZ-END-007  a directory offset that is 4 too small */
    SNPY_ZIP_BAD_COUNT = 1507,         /* NPZ-END-008  a count of 1 for two members */
    SNPY_ZIP_BAD_LOCATOR = 1508,       /* NPZ-WIDE-002  a locator that leads elsewhere */
    SNPY_ZIP_BAD_WIDE_END = 1509,      /* NPZ-WIDE-003  a size field of 45 */
    SNPY_ZIP_WIDE_END_DIFFERS = 1510,  /* NPZ-WIDE-004  counts of 1 and 2 */
    SNPY_ZIP_TOO_MANY_MEMBERS = 1511,  /* NPZ-LIMIT-001  two million members under a limit of one */

    /* Archives, the directory. */
    SNPY_ZIP_BAD_CENTRAL = 1601,       /* NPZ-DIR-001  a digital signature in the directory */
    SNPY_ZIP_TRUNCATED_CENTRAL = 1602, /* NPZ-DIR-002  a name longer than the directory */
    SNPY_ZIP_VERSION = 1603,           /* NPZ-DIR-003  version 63 */
    SNPY_ZIP_ENCRYPTED = 1604,         /* NPZ-DIR-004  a member with a password */
    SNPY_ZIP_FLAGS = 1605,             /* NPZ-DIR-005  bit 5: patched data */
    SNPY_ZIP_METHOD = 1606,            /* NPZ-DIR-006  method 12: bzip2 */
    SNPY_ZIP_STORED_SIZE = 1607,       /* NPZ-DIR-007  a stored member of 100 and 200 bytes */
    SNPY_ZIP_BAD_EXTRA = 1608,         /* NPZ-EXTRA-001  a field of 9 bytes where 8 are left */
    SNPY_ZIP_EXTRA_TWICE = 1609,       /* NPZ-EXTRA-002  two ZIP64 fields */
    SNPY_ZIP_WIDE_MISSING = 1610,      /* NPZ-EXTRA-003  a ZIP64 field of 8 bytes for two numbers */
    SNPY_ZIP_WIDE_DIFFERS = 1611,      /* NPZ-EXTRA-004  a size of 5 with a ZIP64 size of 6 */
    SNPY_ZIP_NAME_UTF8 = 1612,         /* NPZ-NAME-001  a name with the byte FF, said to be UTF-8 */
    SNPY_ZIP_UNICODE_PATH = 1613,      /* NPZ-EXTRA-005  the name a.npy with the Unicode path b.npy */
    SNPY_ZIP_NUL_IN_NAME = 1614,       /* NPZ-NAME-003  a.npy, a NUL byte and .txt */
    SNPY_ZIP_EMPTY_NAME = 1615,        /* NPZ-NAME-004  a name of no bytes */
    SNPY_ZIP_DIRECTORY_DATA = 1616,    /* NPZ-NAME-009  the name x/ with 128 bytes */

    /* Archives, the local headers. */
    SNPY_ZIP_PREFIX = 1701,             /* NPZ-PLACE-001  a program in front of the archive */
    SNPY_ZIP_OVERLAP = 1702,            /* NPZ-PLACE-002  two members with the same data */
    SNPY_ZIP_GAP = 1703,                /* NPZ-PLACE-003  a deleted member */
    SNPY_ZIP_BAD_LOCAL = 1704,          /* NPZ-LOCAL-001  an offset that leads into the data */
    SNPY_ZIP_TRUNCATED_LOCAL = 1705,    /* NPZ-LOCAL-002  a name that reaches into the directory */
    SNPY_ZIP_NAME_DIFFERS = 1706,       /* NPZ-LOCAL-003  a.npy in the directory, b.npy in front of the data */
    SNPY_ZIP_METHOD_DIFFERS = 1707,     /* NPZ-LOCAL-004  stored in the directory, deflated in front of the data */
    SNPY_ZIP_FLAGS_DIFFER = 1708,       /* NPZ-LOCAL-005  bit 3 in the directory only */
    SNPY_ZIP_SIZE_DIFFERS = 1709,       /* NPZ-LOCAL-006  100 bytes in the directory, 200 in front of the data */
    SNPY_ZIP_CRC_DIFFERS = 1710,        /* NPZ-LOCAL-007  two different checksums */
    SNPY_ZIP_OUT_OF_BOUNDS = 1711,      /* NPZ-PLACE-004  4 GiB of data in a file of 300 bytes */
    SNPY_ZIP_NO_DESCRIPTOR = 1712,      /* NPZ-DESC-001  bit 3, and the next member right behind the data */
    SNPY_ZIP_DESCRIPTOR_DIFFERS = 1713, /* NPZ-DESC-003  a descriptor with another CRC */

    /* Archives, the keys. */
    SNPY_ZIP_DUPLICATE_KEY = 1801, /* NPZ-NAME-006  a and a.npy */

    /* Archives, what members hold. */
    SNPY_ZIP_MEMBER_TOO_LARGE = 1901, /* NPZ-LIMIT-002  5 GiB under a limit of 4 */
    SNPY_ZIP_TOTAL_TOO_LARGE = 1902,  /* NPZ-LIMIT-003  a thousand members just below the limit of one */
    SNPY_ZIP_RATIO = 1903,            /* NPZ-LIMIT-004  a gigabyte from a kilobyte */
    SNPY_ZIP_BAD_DEFLATE = 1904,      /* NPZ-DATA-002  a deflate stream without its end */
    SNPY_ZIP_DEFLATE_TRAILING = 1905, /* NPZ-DATA-003  a deflate stream with a message behind it */
    SNPY_ZIP_INFLATED_SIZE = 1906,    /* NPZ-DATA-004  a stream of 136 bytes, said to be 128 */
    SNPY_ZIP_BAD_CRC = 1907,          /* NPZ-DATA-005  one bit that a disk has flipped */

    /* Unpacking: names that are no good paths. */
    SNPY_ZIP_PATH_ESCAPES = 2001,      /* NPZ-PATH-001  ../x.npy or /etc/passwd */
    SNPY_ZIP_PATH_NOT_PORTABLE = 2002, /* NPZ-PATH-002  a:b.npy or CON.npy */
    SNPY_ZIP_PATH_COLLIDES = 2003,     /* NPZ-PATH-003  X.npy beside x.npy */

    /* Writing archives. The offset is the number of the key at fault. */
    SNPY_ZIP_WRITE_KEY = 2101,       /* NPZ-WRITE-001  a key with a NUL in it */
    SNPY_ZIP_WRITE_DUPLICATE = 2102, /* NPZ-WRITE-002  a and a.npy */

    /* Archives: what is asked of them. */
    SNPY_NO_MEMBER = 2201,   /* API-MEMBER  the key y of an archive of x */
    SNPY_NOT_AN_ARRAY = 2202 /* API-ARRAY  readme.txt in an archive */
} snpy_status;

/* What was wrong, and where. `offset` counts bytes from the start of the file (of the buffer handed in);
 * when writing it is the entry of the field table at fault. */
typedef struct snpy_error {
    snpy_status status;
    uint64_t offset;
} snpy_error;

/* The four functions below return static text, never NULL, for every value, known or not: do not free it.
 * Thread-safe: they read constants only. */

/* The stable name of a status, as the enumeration spells it: "SNPY_BAD_MAGIC".             API-STATUS */
SNPY_API const char *snpy_status_name(snpy_status status);

/* The rule a status reports: "NPY-FRAME-001".                                             API-STATUS */
SNPY_API const char *snpy_status_rule(snpy_status status);

/* One sentence that a person understands, without full stop: "the file does not begin with …". API-STATUS */
SNPY_API const char *snpy_status_message(snpy_status status);

/* How to mend the file: one sentence, or what to ask of its author.                        API-STATUS */
SNPY_API const char *snpy_status_hint(snpy_status status);

#ifdef __cplusplus
}
#endif

#endif
