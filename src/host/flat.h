/* flat.h: object arrays as plain arrays: what the files that flatten and those that come back share.
 * flatten.h has what the command uses.                                                      NPY-PKL-031 to NPY-PKL-035 */
#ifndef SAFENPY_HOST_FLAT_H
#define SAFENPY_HOST_FLAT_H

#include "host/flatten.h"
#include "host/object_data.h"

#define SNPY_FLAT_SCHEMA_NAME "$schema" /* the key of the member that says how to come back */
#define SNPY_FLAT_SAME_NAME "$same"     /* and of the one that says which values are one */
#define SNPY_FLAT_MOST_ROWS 1048576u    /* rows, and members */
#define SNPY_FLAT_KEY 64u               /* code points of a key that stands in a path */
#define SNPY_FLAT_USUAL 128u            /* numbers of types that NumPy has once */
#define SNPY_FLAT_APART (-1)            /* in $same: the value is none of those before */
#define SNPY_FLAT_KEYS 1000u            /* keys of a dictionary whose keys stand in paths */

/* ---- flat_members.c: plain arrays, in memory ---- */

/* A shape. */
typedef struct snpy_flat_shape {
    uint32_t ndim;
    uint64_t dims[SNPY_MAX_NDIM];
} snpy_flat_shape;

/* Adds an array with this type, as a header has it, and `size` bytes of data in C order.
 * returns  SNPY_OK; SNPY_PKL_NOT_FLAT; SNPY_NO_MEMORY */
snpy_status snpy_flat_add(snpy_flat *flat, const char *name, const char *descr, const snpy_flat_shape *shape,
                          const void *data, size_t size);

/* Adds an array as numpy.save would write it. */
snpy_status snpy_flat_add_array(snpy_flat *flat, const char *name, snpy_array *array);

/* Loads a member and marks it as used. A member is the value of one path: what comes back must not have it twice, or a small
 * archive would take any amount of memory. The caller releases the array, whatever the status.
 * returns  SNPY_OK; SNPY_PKL_FLAT_SCHEMA if there is none, it is used already, or it is no plain array; SNPY_NO_MEMORY */
snpy_status snpy_flat_open(snpy_flat *flat, const char *name, snpy_array *array);

/* Marks a member as not used, so that it can be opened again. */
void snpy_flat_forget(snpy_flat *flat, const char *name);

/* ---- flat_path.c: names of members ---- */

/* Where a value is: the text of keys and indices, with slashes between them. */
typedef struct snpy_flat_path {
    char *text; /* owned; NULL: empty */
    size_t length;
    size_t capacity;
    snpy_status status; /* SNPY_PKL_NOT_FLAT if it has become too long, or SNPY_NO_MEMORY */
} snpy_flat_path;

/* Adds a part: a word as it is, an index, or a key, in which all but letters, digits, '-' and '_' are escaped. */
void snpy_flat_push_word(snpy_flat_path *path, const char *word);
void snpy_flat_push_index(snpy_flat_path *path, uint64_t index);
void snpy_flat_push_key(snpy_flat_path *path, const uint32_t *points, size_t count);

/* Shortens a path to an earlier length. */
void snpy_flat_cut(snpy_flat_path *path, size_t length);

/* Returns the name of the member of a value: its path, or "values" if that is empty. */
const char *snpy_flat_name(const snpy_flat_path *path);

/* ---- flat_rows.c: what the schema says ---- */

/* The kinds of rows; those up to ARRAYS are also kinds of items in one column. */
typedef enum snpy_flat_kind {
    SNPY_FLAT_ROWS = 0, /* of items: each has its own row */
    SNPY_FLAT_NONE,
    SNPY_FLAT_BOOL,
    SNPY_FLAT_INT,
    SNPY_FLAT_BIG,      /* an int as decimal text */
    SNPY_FLAT_BIG_TEXT, /* the same, which the pickle has as text, too */
    SNPY_FLAT_FLOAT,
    SNPY_FLAT_FLOAT_TEXT,
    SNPY_FLAT_COMPLEX,
    SNPY_FLAT_DATE,
    SNPY_FLAT_DATETIME, /* without a time zone */
    SNPY_FLAT_TIMEDELTA,
    SNPY_FLAT_STR,
    SNPY_FLAT_TEXT, /* a str as UTF-8 */
    SNPY_FLAT_BYTES,
    SNPY_FLAT_ARRAY, /* as items: of one dimension each */
    SNPY_FLAT_SCALAR,
    SNPY_FLAT_ARRAYS, /* as items only: of more dimensions */
    SNPY_FLAT_MATRIX,
    SNPY_FLAT_RECARRAY,
    SNPY_FLAT_MASKED,
    SNPY_FLAT_OBJECT,     /* an object array without dimensions */
    SNPY_FLAT_OBJECTS,    /* one with dimensions */
    SNPY_FLAT_OBJECTS_ND, /* one whose shape is a member */
    SNPY_FLAT_OBJECTS_F,  /* in Fortran order */
    SNPY_FLAT_LIST,
    SNPY_FLAT_TUPLE,
    SNPY_FLAT_SET,
    SNPY_FLAT_FROZENSET,
    SNPY_FLAT_DICT,
    SNPY_FLAT_ORDERED_DICT,
    SNPY_FLAT_DEFAULTDICT, /* with a type of `builtins` */
    SNPY_FLAT_MIXED,       /* of keys: each has its own row */
    SNPY_FLAT_REF,         /* the value of an earlier row */
    SNPY_FLAT_TYPE,        /* a simple type, with its string */
    SNPY_FLAT_GLOBAL,      /* with a name */
    SNPY_FLAT_CALL,        /* with a name and arguments */
    SNPY_FLAT_BUILD,       /* the same, and a state */
    SNPY_FLAT_NEW          /* the same, made by NEWOBJ */
} snpy_flat_kind;

#define SNPY_FLAT_OPTIONAL 0x40u /* added to the kind of items: some of them are None */
#define SNPY_FLAT_WORD 96u       /* bytes of the longest text of a kind, with its NUL */

/* A row. */
typedef struct snpy_flat_row {
    uint8_t kind;  /* a snpy_flat_kind */
    uint8_t items; /* how its items are kept: a kind, and perhaps SNPY_FLAT_OPTIONAL */
    uint8_t keys;  /* of a dictionary: SNPY_FLAT_ROWS if they stand in paths, else how they are kept */
    uint8_t role;  /* of a kind with a name, when flattening: a snpy_role */
    uint32_t key;  /* when flattening: the first code point of its key among all keys */
    uint32_t key_length;
    snpy_dtype type; /* of a TYPE */
    int64_t count;   /* of items or children; of a REF: the row that it refers to, or -1: $same says which value */
} snpy_flat_row;

/* Returns the text of a kind without a name. */
const char *snpy_flat_word(uint32_t kind);

/* Writes the text of a row's kind. */
void snpy_flat_describe(const snpy_flat_row *row, char out[SNPY_FLAT_WORD]);

/* Reads the text of a kind, `length` bytes, and sets kind and keys of a row, and where the name is. Returns false for others. */
bool snpy_flat_parse(const char *text, size_t length, snpy_flat_row *row, size_t *name, size_t *name_length);

/* Writes how items are kept. */
void snpy_flat_describe_items(uint8_t items, char out[SNPY_FLAT_WORD]);

/* Finds how items are kept. Returns false for other texts. */
bool snpy_flat_parse_items(const char *text, size_t length, uint8_t *items);

bool snpy_flat_is_dict(uint32_t kind);
bool snpy_flat_is_array(uint32_t kind); /* ARRAY, MATRIX, RECARRAY, MASKED */

/* ---- flat_columns.c: values of one kind, when flattening ---- */

/* The state of flattening. */
typedef struct snpy_flattening {
    const snpy_object_data *data;
    snpy_flat *flat;
    snpy_flat_path path;
    uint32_t *first;                 /* owned, by value: one more than the number of its first occurrence; 0: none */
    uint32_t *row_of;                /* owned, by value: one more than the number of its row; 0: none */
    uint32_t count;                  /* occurrences */
    uint32_t usual[SNPY_FLAT_USUAL]; /* by type: one more than its first occurrence; 0: none */
    uint64_t budget;                 /* bytes that columns may still take */
    uint64_t nones;                  /* items of columns that have no member */
    int64_t *same;                   /* owned: pairs of an occurrence and the first one */
    size_t same_count;
    size_t same_capacity;
    snpy_status status;
    uint32_t *points; /* owned: the code points of all keys in paths, and of the one that is looked at */
    size_t point_count;
    size_t point_capacity;
} snpy_flattening;

/* Sets the status, unless it is set. Returns false. */
bool snpy_flat_fail(snpy_flattening *work, snpy_status status);

/* Counts an occurrence of a value. Returns whether it is the first one. */
bool snpy_flat_visit(snpy_flattening *work, int32_t value);

/* How a value is kept by itself; SNPY_FLAT_ROWS for a container. */
snpy_flat_kind snpy_flat_kind_of(const snpy_object_data *data, int32_t value);

/* Reads an int that has 64 bits, with or without a sign: its bits. Returns false for others. */
bool snpy_flat_number(const snpy_object_data *data, int32_t value, uint64_t *number);
bool snpy_flat_is_negative(const snpy_object_data *data, int32_t value);

/* The items that may be one column: those of a container, from `skip` on in steps of `step`, or, with step 0, the value itself. */
typedef struct snpy_flat_items {
    int32_t value;
    uint32_t skip;
    uint32_t step;
} snpy_flat_items;

/* Steps through items: begin, then next until it returns 0. */
snpy_object_members snpy_flat_begin(const snpy_object_data *data, const snpy_flat_items *items);
int32_t snpy_flat_next(const snpy_object_data *data, const snpy_flat_items *items, snpy_object_members *members);

/* flat_moment.c: reads a date, a datetime without zone and fold, or a timedelta, as the number that NumPy has for it. Returns
 * false for others. */
bool snpy_flat_moment(const snpy_object_data *data, int32_t value, snpy_flat_kind *kind, int64_t *number);

/* flat_moment.c: splits such a number: into the bytes of a date (4) or datetime (10), or into days, seconds and microseconds.
 * Returns false for a day that is none of the years 1 to 9999. */
bool snpy_flat_moment_parts(snpy_flat_kind kind, int64_t number, uint8_t bytes[10], int64_t numbers[3]);

/* Returns how all items can be kept in one column, and takes its bytes from the budget; SNPY_FLAT_ROWS if they cannot. */
uint32_t snpy_flat_column_kind(snpy_flattening *work, const snpy_flat_items *items);

/* Whether the values of a column are one member, which has the shape itself. */
bool snpy_flat_has_shape(uint32_t items);

/* Writes a column at the path, or the value itself if items->step is 0. */
void snpy_flat_column(snpy_flattening *work, uint32_t of_items, const snpy_flat_items *items,
                      const snpy_flat_shape *shape);

/* Counts the occurrences in one value of a column. */
void snpy_flat_visit_leaf(snpy_flattening *work, uint32_t kind, int32_t value);

/* Sets a code point among those of all keys. */
void snpy_flat_add_point(snpy_flattening *work, size_t place, uint32_t point);

/* Reads the text of a str or number to the end of work->points. Returns how many code points it has. */
size_t snpy_flat_points(snpy_flattening *work, uint32_t kind, int32_t value);

/* The parts of an array, masked array or scalar. */
int32_t snpy_flat_dtype(const snpy_object_data *data, int32_t value);
int32_t snpy_flat_bytes(const snpy_object_data *data, int32_t value);

/* Whether a dtype is one that follows from a header. */
bool snpy_flat_is_simple(const snpy_object_data *data, int32_t dtype);

/* Counts an occurrence of a dtype that is simple, or that of objects. It is the same as the one before with the same number, if
 * it has one, unless $same says otherwise. */
void snpy_flat_visit_dtype(snpy_flattening *work, int32_t dtype);

/* The number of a type that NumPy has once: booleans, numbers in little-endian order, objects. 0: it is none. */
uint32_t snpy_flat_usual(const snpy_dtype *dtype);

/* Reads the text of a simple type after its order: "f8". Returns false for others. */
bool snpy_flat_parse_type(const char *text, snpy_dtype *type);

/* Reads the type string of a dtype. Returns false if it is not that of a simple type or of objects. */
bool snpy_flat_read_type(const snpy_object_data *data, int32_t dtype, snpy_dtype *type);

/* The text of a simple type, as a pickle has it: "f8". Returns false for others. */
bool snpy_flat_type(const snpy_dtype *dtype, char out[16], int64_t *size, int64_t *alignment, int64_t *flags);

/* ---- flat_row_kind.c ---- */

/* The kind of the row of a value that is no leaf. Sets the status if there is no memory. */
uint8_t snpy_flat_row_kind(snpy_flattening *work, int32_t value);

/* Whether all keys of a dictionary can stand in paths. *count is set to their number. */
bool snpy_flat_are_keys_short(snpy_flattening *work, int32_t value, uint64_t *count);

/* ---- flat_schema.c ---- */

/* Adds the members $schema and $same. */
void snpy_flat_put_schema(snpy_flattening *work, const snpy_flat_row *rows, size_t count);

/* The schema that was read. */
typedef struct snpy_flat_schema {
    snpy_array array; /* owned */
    size_t count;     /* rows */
    uint32_t kind_size;
    uint32_t items_size;
    uint32_t key_size;
    snpy_array same; /* owned: pairs of int64 */
    size_t same_count;
} snpy_flat_schema;

/* A row that was read. Its texts are borrowed from the schema. */
typedef struct snpy_flat_entry {
    snpy_flat_row row;
    const char *name; /* of a kind with a name: "module.name" */
    size_t name_length;
    const uint8_t *key; /* little-endian code points */
    size_t key_length;
} snpy_flat_entry;

/* Opens the schema: checks its type and the size of $same. The caller releases it, whatever the status.
 * returns  SNPY_OK; SNPY_PKL_FLAT_SCHEMA; SNPY_NO_MEMORY */
snpy_status snpy_flat_open_schema(snpy_flat *flat, snpy_flat_schema *schema);
void snpy_flat_release_schema(snpy_flat_schema *schema);

/* Reads a row. Returns false if it is none. */
bool snpy_flat_read_row(const snpy_flat_schema *schema, size_t index, snpy_flat_entry *entry);

/* Reads a pair of $same. */
void snpy_flat_read_same(const snpy_flat_schema *schema, size_t index, uint64_t *occurrence, uint64_t *first);

/* ---- flat_input.c, object_flatten.c ---- */

/* Flattens decoded data that snpy_object_data_write has written. `version` becomes the key of the first row, "" for none. */
snpy_status snpy_flatten_data(const snpy_object_data *data, const char *version, snpy_flat *flat);

/* Returns a value that contains itself; 0 if there is none. *status is SNPY_NO_MEMORY if that cannot be found. */
int32_t snpy_find_cycle(const snpy_object_data *data, snpy_status *status);

#endif
