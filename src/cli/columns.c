/* columns.c: writes the first line of CSV, the names of the columns of a structured type, and checks how long it is.
 * print.c prints elements.
 *
 * The name of a column is the path to its value. A long name of a record is repeated in each of its columns, and 20
 * bytes of header can describe a sub-array of 2^31 columns. So both are checked before anything is written. */
#include "cli/data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How many bytes of names are allowed: for each column, and for each byte of the header. */
#define BYTES_PER_COLUMN 256u
#define BYTES_PER_BYTE 16u

/* The state of a pass over all columns. */
typedef struct pass {
    cli_subject *about;
    cli_steps *steps;
    bool is_put;    /* the names are written; false: only measured */
    uint64_t bytes; /* total length of the columns so far */
    uint64_t most;  /* the pass ends when there are more */
    uint8_t *path;  /* owned: the name of a column */
    size_t path_size;
    size_t path_length;
} pass;

/* Appends text to the name of the current column. Without memory it sets the error of standard output. */
static void add_to_path(pass *columns, const char *bytes, size_t length)
{
    if (!snpy_grow(&columns->path, &columns->path_size, columns->path_length + length + 1)) {
        cli_lack_memory();
        return;
    }
    if (length > 0) memcpy(columns->path + columns->path_length, bytes, length);
    columns->path_length += length;
}

/* Appends an index, "[3]", to the name of the current column. */
static void add_index(pass *columns, uint64_t index)
{
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = ']';
    do digits[--at] = (char)('0' + index % 10);
    while ((index /= 10) > 0);
    digits[--at] = '[';
    add_to_path(columns, digits + at, sizeof digits - at);
}

/* Appends the name of a field to the name of the current column, after a dot if that is not empty. */
static void add_name(pass *columns, uint32_t entry)
{
    const snpy_field *field = &columns->about->table->fields[entry];
    bool has_surrogates;
    size_t size = cli_decode_name(columns->about, field->name_offset, field->name_length, &has_surrogates);
    if (columns->path_length > 0) add_to_path(columns, ".", 1);
    add_to_path(columns, (const char *)columns->about->scratch, size);
}

/* Writes the current column, if columns->is_put, and adds its length to columns->bytes. */
static void end_column(pass *columns)
{
    if (columns->is_put && columns->bytes > 0) cli_put(&cli_output, ",");
    if (columns->is_put) cli_put_quoted(columns->path, columns->path_length, CLI_STYLE_CSV);
    columns->bytes += columns->path_length + sizeof "\"\"," - 1;
}

/* Visits all columns, up to columns->most bytes, and frees columns->path. The steps of records and axes save the length
 * of the path at their beginning in a member that they do not use otherwise; a record also saves the record around
 * it. */
static void visit_columns(pass *columns)
{
    cli_step *steps = columns->steps->steps;
    cli_iterator iterator = {0, 0};
    bool again = false;
    size_t record = 0;
    for (cli_step *step; (step = cli_next_step(columns->steps, &iterator, &again)) != NULL;) {
        cli_step *begin = &steps[step->match];
        if (cli_output.error != 0 || columns->bytes > columns->most) break;
        if (step->kind == CLI_RECORD) {
            step->length = columns->path_length;
            step->stride = record;
            record = (size_t)(step - steps);
        } else if (step->kind == CLI_RECORD_END) {
            record = (size_t)begin->stride;
        } else if (step->kind == CLI_FIELD) {
            columns->path_length = (size_t)steps[record].length;
            add_name(columns, step->entry);
        } else if (cli_is_bare(step)) {
            iterator.at = step->match + 1;
        } else if (step->kind == CLI_AXIS) {
            step->offset = columns->path_length;
            add_index(columns, 0);
        } else if (step->kind == CLI_AXIS_END) {
            columns->path_length = (size_t)begin->offset;
            if (again) add_index(columns, begin->index);
        } else {
            end_column(columns);
        }
    }
    free(columns->path);
}

/* Reports that there are too many columns, or that their names are too long. Returns false. */
static bool refuse_columns(const cli_subject *about, uint64_t count, uint64_t most, const char *of_what)
{
    cli_warn("%-s: %" PRIu64 " columns of CSV, %s%" PRIu64 "; take a field of it, or raise --max-columns", about->name,
             count, of_what, most);
    return false;
}

/* Return a product and a sum, or UINT64_MAX if that is exceeded. */
static uint64_t multiply(uint64_t one, uint64_t other)
{
    return other != 0 && one > UINT64_MAX / other ? UINT64_MAX : one * other;
}

static uint64_t add(uint64_t one, uint64_t other)
{
    return one > UINT64_MAX - other ? UINT64_MAX : one + other;
}

bool cli_check_columns(cli_subject *about, cli_steps *steps, uint64_t count, const cli_bounds *bounds)
{
    const uint64_t columns = bounds->has_columns ? bounds->columns : count;
    pass measured = {.about = about, .steps = steps};
    if (count > bounds->columns) return refuse_columns(about, count, bounds->columns, "more than ");
    measured.most = add(BYTES_PER_BYTE * about->header->frame.data_offset, multiply(BYTES_PER_COLUMN, columns));
    visit_columns(&measured);
    return measured.bytes <= measured.most ||
           refuse_columns(about, count, measured.most, "whose names take more bytes than ");
}

/* Returns how many records of the field's parent one element of the view has; `top` is the entry of the view. */
static uint64_t count_records(const snpy_table *table, uint32_t entry, uint32_t top)
{
    uint64_t count = 1;
    for (uint32_t k = table->fields[entry].parent; k != top; k = table->fields[k].parent)
        for (uint32_t i = 0; i < table->fields[k].ndim; i++)
            count = multiply(count, (uint64_t)table->dims[table->fields[k].first_dim + i]);
    return count;
}

bool cli_check_keys(const cli_subject *about, const snpy_view *view, const cli_bounds *bounds)
{
    const snpy_table *table = about->table;
    uint64_t bytes = 0;
    uint64_t most = BYTES_PER_BYTE * about->header->frame.data_offset;
    if (bounds->has_columns) most = add(most, multiply(BYTES_PER_COLUMN, bounds->columns));
    for (uint32_t k = view->entry + 1;
         k < table->field_count && table->fields[k].depth > table->fields[view->entry].depth; k++) {
        const uint64_t keys = multiply(view->count, count_records(table, k, view->entry));
        bytes = add(bytes, multiply(keys, table->fields[k].name_length));
        if (!bounds->has_columns) most = add(most, multiply(BYTES_PER_COLUMN, keys));
    }
    if (bytes <= most) return true;
    cli_warn("%-s: in JSON the names of its fields take %" PRIu64 " bytes, more than %" PRIu64
             "; take a field of it, print it as text, or raise --max-columns",
             about->name, bytes, most);
    return false;
}

void cli_put_columns(cli_subject *about, cli_steps *steps)
{
    pass columns = {.about = about, .steps = steps, .is_put = true, .most = UINT64_MAX};
    visit_columns(&columns);
    cli_put(&cli_output, "\n");
}
