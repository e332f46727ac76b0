/* data.h: what `cat` and `diff` share: indices, the values inside an element, and values as text. */
#ifndef SAFENPY_CLI_DATA_H
#define SAFENPY_CLI_DATA_H

#include "cli/subject.h"
#include "safenpy/object_data.h"

/* ---- shortest.c: floats in the fewest digits that read back as the same number ---- */

/* Bytes that are enough for the text of any float, such as "-1.234567890123456789012e-4951", and a NUL. */
#define CLI_FLOAT_CAPACITY 48u

/* Writes a float of 2, 4 or 8 bytes, given its bits, to `out` as Python's repr and NumPy do: "1.0", "1e-05", "nan".
 * With has_point false, whole numbers have no ".0". Returns the length of the text, which has no NUL. */
size_t cli_float_text(uint64_t bits, uint32_t size, bool has_point, char out[CLI_FLOAT_CAPACITY]);

/* As cli_float_text, for the 16 bytes of an x86 long double. Returns 0 if this machine's long double is another one, or
 * if the bytes are not a valid encoding of a number. */
size_t cli_long_float_text(const uint8_t *bytes, bool is_big, bool has_point, char out[CLI_FLOAT_CAPACITY]);

/* ---- moment.c: datetimes and timedeltas ---- */

/* Bytes that are enough for the text of any datetime or timedelta. */
#define CLI_MOMENT_CAPACITY 80u

/* Writes a datetime or timedelta, stored as a count of units, to `out`: "2020-01-01T12", "35s", "NaT". Returns the
 * length of the text, which has no NUL. */
size_t cli_moment_text(int64_t count, const snpy_dtype *dtype, char out[CLI_MOMENT_CAPACITY]);

/* ---- index.c: a[0:3, ::2]['x'] ---- */

/* Parses indices such as "[0:3, ::2]['x']" and applies them to a view. `text` is the end of the argument `whole`, which
 * messages quote; they count bytes from its start. Returns false after beginning a message, which cli_wrong_usage ends,
 * or, without memory, with no message and the error of standard output set; the view is unusable then. */
bool cli_take_index(cli_subject *about, const char *whole, const char *text, snpy_view *view);

/* Divides an argument into a name, of a file or of a member of an archive, and the indices after it. The name is the
 * whole argument if that is a file; else the longest part before a '[' that is a file; else, if the argument begins
 * with the path of an archive, the part before the first '[' after that path. Returns the length of the name in
 * bytes. */
size_t cli_name_length(const char *argument);

/* ---- element.c: the values inside an element ---- */

/* The kinds of steps. A record is the value of a structured dtype; an axis belongs to a sub-array. */
enum cli_step_kind { CLI_VALUE, CLI_RECORD, CLI_RECORD_END, CLI_FIELD, CLI_AXIS, CLI_AXIS_END };

/* A step of the iteration through an element: a value, the beginning of a field, or the beginning or end of a record or
 * an axis. */
typedef struct cli_step {
    enum cli_step_kind kind;
    bool is_first;           /* of a field: it is the first one of its record */
    bool is_pairs;           /* of a record, its fields and its end: JSON writes pairs, because a name has surrogates */
    uint32_t entry;          /* of a field: its index in the table */
    const snpy_dtype *dtype; /* of a value; borrowed from the table or the view */
    size_t match;            /* of a beginning: the index of its end; of an end: that of its beginning */
    uint64_t offset;         /* of a value: bytes from the start of the element, at index 0 of all axes */
    uint64_t length;         /* of an axis: its items */
    uint64_t stride;         /* of an axis: bytes from one item to the next */
    uint64_t index;          /* of an axis: the item that the iteration is at */
} cli_step;

/* All steps through an element; those through the items of an axis are listed once. */
typedef struct cli_steps {
    cli_step *steps; /* owned */
    size_t count;
    size_t capacity;
    snpy_dtype dtype; /* of an element that is no record */
} cli_steps;

/* Lists the steps through the elements of a view. Returns false if there is not enough memory. */
bool cli_find_steps(cli_subject *about, const snpy_view *view, cli_steps *steps);

/* Frees a list of steps and empties it. */
void cli_release_steps(cli_steps *steps);

/* How many values an element is printed as. */
typedef struct cli_counts {
    uint64_t values; /* also the number of CSV columns */
    uint64_t empty;  /* values, lists and records without bytes, whose number the file's size does not limit */
} cli_counts;

/* Counts the values of an element; a count that exceeds UINT64_MAX is UINT64_MAX. */
cli_counts cli_count_steps(const cli_steps *steps);

/* The state of an iteration through an element. Begin with {0, 0}. */
typedef struct cli_iterator {
    size_t at;     /* the index of the next step */
    uint64_t base; /* bytes to be added to the offset of a value, for the current indices of the axes around it */
} cli_iterator;

/* Advances the iterator and returns the step that it was at; NULL after the last one. At the end of an axis that has
 * more items, continues with the next item and sets *again, else clears it. */
cli_step *cli_next_step(const cli_steps *steps, cli_iterator *iterator, bool *again);

/* Returns whether a step is an axis that has no bytes, only empty lists. As 20 bytes of header can describe 2^31 of
 * them, code that looks for values continues after its end. */
static inline bool cli_is_bare(const cli_step *step)
{
    return step->kind == CLI_AXIS && (step->length == 0 || step->stride == 0);
}

/* One element: in memory, or, if it is too large for that, in its file. */
typedef struct cli_element {
    const uint8_t *bytes; /* NULL: read from the input */
    snpy_input *input;
    uint64_t offset; /* of the element in the file's data */
    uint64_t size;
    snpy_status status; /* SNPY_OK until a read fails */
    snpy_io_error error;
} cli_element;

/* The most bytes to ask cli_element_bytes for. */
#define CLI_PIECE ((size_t)32768)

/* Returns `size` bytes of an element, from its byte `at` on; valid until the next call. Returns NULL and sets
 * element->status and element->error if they cannot be read. */
const uint8_t *cli_element_bytes(cli_element *element, uint64_t at, size_t size);

/* ---- value.c: one value as text ---- */

enum cli_style { CLI_STYLE_TEXT, CLI_STYLE_CSV, CLI_STYLE_JSON };

/* Writes the value at byte `at` of an element. Sets element->status if it cannot be read. */
void cli_put_value(cli_element *element, uint64_t at, const snpy_dtype *dtype, enum cli_style style);

/* Writes a text in quotes. In text, escapes are those of Python; in CSV, a double quote inside is doubled. */
void cli_put_quoted(const uint8_t *bytes, size_t length, enum cli_style style);

/* ---- columns.c: the first line of CSV ---- */

/* Limits on output that a small file could make huge. */
typedef struct cli_bounds {
    uint64_t elements; /* values, lists and records without bytes, in addition to one per byte of data */
    uint64_t columns;  /* CSV columns of a structured dtype */
    bool has_columns;  /* --max-columns was given: `columns` then limits the bytes of names as well */
} cli_bounds;

/* Returns whether a structured dtype with `count` CSV columns has no more columns than bounds->columns, and no more
 * bytes of column names than 16 per byte of the header and 256 per column (with --max-columns: per allowed column).
 * Returns false after a message. */
bool cli_check_columns(cli_subject *about, cli_steps *steps, uint64_t count, const cli_bounds *bounds);

/* Returns whether the field names, which JSON repeats in each record, take no more bytes in all than 16 per byte of the
 * header and 256 per key (with --max-columns: per allowed column). Returns false after a message. */
bool cli_check_keys(const cli_subject *about, const snpy_view *view, const cli_bounds *bounds);

/* Writes the header line of CSV, the names of all columns: pos.x, name[0][1]. */
void cli_put_columns(cli_subject *about, cli_steps *steps);

/* ---- print.c: elements in rows ---- */

/* INNER_JSON: JSON on one line, without its end. */
enum cli_form { CLI_FORM_TEXT, CLI_FORM_CSV, CLI_FORM_JSON, CLI_FORM_RAW, CLI_FORM_INNER_JSON };

/* Prints all elements of a view, if the output stays within the bounds. Returns CLI_ACCEPTED, also if standard output
 * failed, which cli_finish reports; else the exit status for the failure that was reported. */
enum cli_exit cli_print(cli_subject *about, snpy_input *input, const snpy_view *view, enum cli_form form,
                        const cli_bounds *bounds);

/* ---- object_values.c, object_index.c: the values of object arrays ---- */

/* Object data that are printed. */
typedef struct cli_values {
    const char *name; /* of the file, for messages */
    const snpy_object_data *data;
    enum cli_form form;
    const cli_bounds *bounds;
} cli_values;

/* Prints a value as JSON, and the end of the line; the elements of an array of objects, if `is_elements`, each on a line of its
 * own as text, and as JSON in one array. Returns the exit status, after a message unless it is CLI_ACCEPTED. */
enum cli_exit cli_print_value(const cli_values *objects, int32_t value, bool is_elements);

/* Prints a short form of a value as JSON: of long texts and arrays, and of many members, only the first, and the number of
 * the others. */
enum cli_exit cli_preview_value(const cli_values *objects, int32_t value, bool is_elements);

/* Prints an array in object data as cli_print does. `indices` select a part, as in cli_take_index. */
enum cli_exit cli_print_inner(const cli_values *objects, int32_t value, const char *whole, const char *indices,
                              enum cli_form form);

/* Prints what indices select: "[()]['weights'][0,:5]". `whole` ends with them. */
enum cli_exit cli_print_selected(const cli_values *objects, const char *whole, const char *indices);

#endif
