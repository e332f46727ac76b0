/* safenpy/dtype.h: describes the dtype of one element: a simple type, or a structured one with a flat table of
 * fields. */
#ifndef SAFENPY_DTYPE_H
#define SAFENPY_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of types: NumPy's letters, and two for types without a letter. */
typedef enum snpy_kind {
    SNPY_KIND_BOOL = 'b',
    SNPY_KIND_INT = 'i',
    SNPY_KIND_UINT = 'u',
    SNPY_KIND_FLOAT = 'f',     /* 2, 4, 8 bytes: IEEE 754; 16 (10, 12 by flag): the platform's, opaque */
    SNPY_KIND_COMPLEX = 'c',   /* two floats: 8, 16 bytes; 32 (20, 24 by flag): the platform's, opaque */
    SNPY_KIND_BYTES = 'S',     /* itemsize bytes, NUL-padded */
    SNPY_KIND_STRING = 'U',    /* itemsize / 4 code points of 4 bytes, NUL-padded */
    SNPY_KIND_VOID = 'V',      /* itemsize opaque bytes */
    SNPY_KIND_DATETIME = 'M',  /* 8 bytes: a count of `multiplier` units since 1970-01-01 */
    SNPY_KIND_TIMEDELTA = 'm', /* 8 bytes: a count of `multiplier` units */
    SNPY_KIND_OBJECT = 'O',    /* 8 bytes declared; the data are a pickle, which is not read here */
    SNPY_KIND_RECORD = 'r',    /* a list of fields */
    SNPY_KIND_SUBARRAY = 's'   /* a tuple (type, shape) as a type: the next entry, once or in an array */
} snpy_kind;

/* Units of datetimes and timedeltas. */
typedef enum snpy_unit {
    SNPY_UNIT_GENERIC = 0,
    SNPY_UNIT_YEAR = 1,
    SNPY_UNIT_MONTH = 2,
    SNPY_UNIT_WEEK = 3,
    SNPY_UNIT_DAY = 4,
    SNPY_UNIT_HOUR = 5,
    SNPY_UNIT_MINUTE = 6,
    SNPY_UNIT_SECOND = 7,
    SNPY_UNIT_MILLISECOND = 8,
    SNPY_UNIT_MICROSECOND = 9,
    SNPY_UNIT_NANOSECOND = 10,
    SNPY_UNIT_PICOSECOND = 11,
    SNPY_UNIT_FEMTOSECOND = 12,
    SNPY_UNIT_ATTOSECOND = 13
} snpy_unit;

/* A type without its sub-array shape. */
typedef struct snpy_dtype {
    int8_t kind;         /* enum snpy_kind */
    int8_t byteorder;    /* '<' little, '>' big, '|' where order has no meaning */
    int8_t unit;         /* enum snpy_unit; 0 unless kind is M or m */
    uint32_t itemsize;   /* bytes of one item */
    uint32_t multiplier; /* number of units per count: 1 to 2^31 - 1; 0 unless kind is M or m */
} snpy_dtype;

/* One entry of a field table. The table of a structured dtype (a record) is flat and in pre-order: entry 0 is the
 * record itself, every other entry a type inside it, each record before its fields. Offsets of text count bytes from
 * the beginning of the header text (file offset snpy_header.text_offset).
 *
 * A nested sub-array ('a', ('<f8', (2,)), (3,)) takes two entries: field a of kind SNPY_KIND_SUBARRAY with its own
 * shape (3,), and after it a nameless entry '<f8' with the shape (2,). */
typedef struct snpy_field {
    uint32_t name_offset; /* the name as written between its quotes, with escapes: decode it with snpy_name_decode */
    uint32_t name_length;
    uint32_t title_offset; /* the title in the same way, if has_title */
    uint32_t title_length;
    uint32_t type_offset;  /* where the text of the type begins */
    uint32_t shape_offset; /* where the text of the sub-array shape begins, also of an empty one; 0: no shape */
    uint32_t parent;       /* entry of the type that contains this one; 0 for entry 0 */
    uint32_t next;         /* entry of the next type with the same parent; 0: none */
    uint32_t first_dim;    /* sub-array dimensions: dims[first_dim .. first_dim + ndim - 1] */
    uint16_t ndim;         /* 0: not a sub-array */
    uint16_t depth;        /* number of types that contain it; 0 for entry 0 */
    snpy_dtype dtype;
    bool has_name; /* false for entry 0 and for the entry inside a nested sub-array */
    bool has_title;
    bool is_padding;    /* a nameless void or sub-array: NumPy drops it and keeps its bytes */
    uint64_t itemsize;  /* bytes of the whole field, with its sub-array dimensions */
    int64_t offset;     /* bytes from the beginning of its parent */
    int32_t sort_low_;  /* for the library only: the search for duplicate names */
    int32_t sort_high_; /* for the library only */
} snpy_field;

/* A field table in the caller's memory, filled by snpy_parse_header. A table of capacity 0 (pointers may be NULL) is
 * enough for simple dtypes. After SNPY_OK the counts are the entries used; after SNPY_TABLE_TOO_SMALL, the entries
 * needed. */
typedef struct snpy_table {
    snpy_field *fields;
    size_t field_capacity; /* entries */
    int32_t *dims;         /* sub-array dimensions of all fields, in the order of the text */
    size_t dim_capacity;
    size_t field_count;
    size_t dim_count;
} snpy_table;

#endif
