/* data.h: what `cat` and `diff` share: parts of arrays by index, the leaves of an element, and values as text.
 * Proves nothing; tests/cli and tests/data run the command. */
#ifndef SAFENPY_CLI_DATA_H
#define SAFENPY_CLI_DATA_H

#include "cli/subject.h"

/* ---- shortest.c: floats in the fewest digits that read back as the same number ---- */

/* Room for any float's text: "-1.234567890123456789012e-4951". */
#define CLI_FLOAT_ROOM 48u

/* Writes a float of 2, 4 or 8 bytes, given its bits, as Python's repr and NumPy do: "1.0", "1e-05", "nan". Without
 * `has_point`, whole numbers go without ".0". Returns the length. */
size_t cli_float_text(uint64_t bits, uint32_t size, bool has_point, char out[CLI_FLOAT_ROOM]);

/* Likewise for the 16 bytes of an x86 machine's long double. Returns 0 if this machine has another one, or if the
 * bytes are no number of it. */
size_t cli_long_float_text(const uint8_t *bytes, bool is_big, bool has_point, char out[CLI_FLOAT_ROOM]);

/* ---- moment.c: datetimes and timedeltas ---- */

#define CLI_MOMENT_ROOM 80u

/* Writes the count of a datetime or timedelta: "2020-01-01T12", "35s", "NaT". Returns the length. */
size_t cli_moment_text(int64_t count, const snpy_dtype *dtype, char out[CLI_MOMENT_ROOM]);

/* ---- index.c: a[0:3, ::2]['x'] ---- */

/* Applies the indices of a text, "[0:3, ::2]['x']", to a view. The messages name the argument `whole`, which `text` is
 * the end of, and count bytes from its start. Returns false after a message. */
bool cli_take_index(cli_subject *about, const char *whole, const char *text, snpy_view *view);

/* Divides an argument into a file, or a member of an archive, and the indices after it. A name that exists as a whole
 * is a file; else the longest one before a '['; a key ends at the first '[' after its archive. Returns the bytes of
 * the name. */
size_t cli_name_length(const char *argument);

/* ---- element.c: the leaves of an element ---- */

enum cli_step_kind { CLI_VALUE, CLI_RECORD, CLI_RECORD_END, CLI_FIELD, CLI_AXIS, CLI_AXIS_END };

/* A step on the way through an element: a value, or where a record, a field or an axis of a sub-array begins or ends. */
typedef struct cli_step {
    enum cli_step_kind kind;
    bool is_first;           /* a field: of its record */
    bool is_pairs;           /* a record, its fields and its end: a name in it that a JSON string cannot say */
    uint32_t entry;          /* a field: of the table */
    const snpy_dtype *dtype; /* a value: borrowed from the table or the view */
    size_t match;            /* a beginning: its end; an end: its beginning */
    uint64_t offset;         /* a value: bytes from the start of the element, at index 0 of all axes */
    uint64_t length;         /* an axis */
    uint64_t stride;         /* an axis: bytes from one item to the next */
    uint64_t index;          /* an axis: the item that the walk is at */
} cli_step;

/* All steps through an element. */
typedef struct cli_steps {
    cli_step *steps; /* owned */
    size_t count;
    size_t capacity;
    snpy_dtype dtype; /* of a simple element */
} cli_steps;

/* Finds the steps through the elements of a view. Returns false if there is no memory. */
bool cli_find_steps(cli_subject *about, const snpy_view *view, cli_steps *steps);
void cli_release_steps(cli_steps *steps);

/* How many values an element is printed as. */
typedef struct cli_counts {
    uint64_t values; /* the columns of CSV */
    uint64_t empty;  /* values, lists and records without bytes: the size of the file does not bound them */
} cli_counts;

/* Counts both; UINT64_MAX if there are more. */
cli_counts cli_count_steps(const cli_steps *steps);

/* The walk: `at` is the next step, `base` what the indices of the axes around it add to its offset. Returns the step,
 * NULL after the last one. *again is set at the end of an axis that begins anew with its next item. */
typedef struct cli_stroll {
    size_t at;
    uint64_t base;
} cli_stroll;

cli_step *cli_next_step(const cli_steps *steps, cli_stroll *stroll, bool *again);

/* Whether a step is an axis without bytes: it holds only empty lists, but 20 bytes of header are enough for 2^31 of them.
 * Who looks for values continues after its end. */
static inline bool cli_is_bare(const cli_step *step)
{
    return step->kind == CLI_AXIS && (step->length == 0 || step->stride == 0);
}

/* The bytes of one element: in memory, or, if it is too large, in its file. */
typedef struct cli_element {
    const uint8_t *bytes; /* NULL: in the file */
    snpy_input *input;
    uint64_t offset; /* of the element in the file's data */
    uint64_t size;
    snpy_status status; /* SNPY_OK until a read fails */
    snpy_io_error error;
} cli_element;

/* The most bytes that are asked for at once. */
#define CLI_PIECE ((size_t)32768)

/* Bytes of an element, good until the next call. Returns NULL, with the status set, if they cannot be read. */
const uint8_t *cli_element_bytes(cli_element *element, uint64_t at, size_t size);

/* ---- value.c: one value as text ---- */

enum cli_style { CLI_STYLE_TEXT, CLI_STYLE_CSV, CLI_STYLE_JSON };

/* Puts a value that begins at a byte of an element. On failure the element's status says so. */
void cli_put_value(cli_element *element, uint64_t at, const snpy_dtype *dtype, enum cli_style style);

/* Puts a text in quotes, with the escapes of Python; `quote` within it is doubled in CSV. */
void cli_put_quoted(const uint8_t *bytes, size_t length, enum cli_style style);

/* ---- columns.c: the first line of CSV ---- */

/* The bounds of what the size of the file does not bound. */
typedef struct cli_bounds {
    uint64_t elements;  /* values, lists and records without bytes, beside one for each byte of data */
    uint64_t columns;   /* CSV columns of structured types */
    bool is_of_columns; /* `columns` was given, and bounds their names as well */
} cli_bounds;

/* Whether the columns of a structured type, of which there are `count`, and their names are within bounds; false after a
 * message. */
bool cli_has_few_columns(cli_subject *about, cli_steps *steps, uint64_t count, const cli_bounds *bounds);

/* Whether the names of fields, which JSON repeats in each element, are within bounds: 16 bytes for each byte of the header
 * and 256 for each of them, or for each of the columns that were given; false after a message. */
bool cli_has_short_keys(const cli_subject *about, const snpy_view *view, const cli_bounds *bounds);

/* Puts the names of all columns: pos.x, name[0][1]. */
void cli_put_columns(cli_subject *about, cli_steps *steps);

/* ---- print.c: elements in rows ---- */

enum cli_form { CLI_FORM_TEXT, CLI_FORM_CSV, CLI_FORM_JSON, CLI_FORM_RAW };

/* Prints all elements of a view, if they are within bounds. Returns CLI_ACCEPTED, or, after a report, what it means; the
 * end of the output is no failure. */
enum cli_exit cli_print(cli_subject *about, snpy_input *input, const snpy_view *view, enum cli_form form,
                        const cli_bounds *bounds);

#endif
