/* info_text.c: writes what the header of an NPY file says, as text.
 * subject.c decodes names and types. */
#include "cli/payload.h"
#include "cli/subject.h"

#include <inttypes.h>
#include <string.h>

/* The table of fields is not widened for cells above this width. */
#define WIDEST_CELL 24u

/* The widths of the columns of the table of fields. */
typedef struct widths {
    size_t offset;
    size_t itemsize;
    size_t type;
    size_t shape;
} widths;

/* Returns the width of a field's shape, written as a tuple. */
static size_t shape_columns(const snpy_table *table, size_t entry)
{
    size_t columns = 2;
    size_t count = cli_put_dimensions(table, entry, false, &columns);
    return columns + (count == 1 ? 1 : 0);
}

/* Writes the type of a field for the table: "record" for a record, whose fields have lines of their own. */
static void cell_type(const snpy_dtype *type, char out[32])
{
    if (type->kind == SNPY_KIND_RECORD)
        memcpy(out, "record", sizeof "record");
    else
        cli_simple_type(type, out);
}

/* Makes a column as wide as a cell, unless the cell is too wide for the table. */
static void widen(size_t *width, size_t columns)
{
    if (columns > *width && columns <= WIDEST_CELL) *width = columns;
}

/* Returns the widths of the columns of the table. */
static widths measure_fields(const cli_subject *about)
{
    widths result = {sizeof "offset" - 1, sizeof "itemsize" - 1, sizeof "descr" - 1, sizeof "shape" - 1};
    cli_field_iterator state = {.table = about->table};
    char type[32];
    while (cli_next_field(&state)) {
        cell_type(&about->table->fields[cli_base_entry(about->table, state.entry)].dtype, type);
        widen(&result.offset, cli_digits((uint64_t)state.offset[state.depth]));
        widen(&result.itemsize, cli_digits(about->table->fields[state.entry].itemsize));
        widen(&result.type, strlen(type));
        widen(&result.shape, shape_columns(about->table, state.entry));
    }
    return result;
}

/* Writes a text, left-aligned in its column, and two spaces. */
static void put_cell(const char *text, size_t width)
{
    size_t columns = strlen(text);
    cli_put(&cli_output, text);
    cli_put_spaces(&cli_output, 2 + (columns < width ? width - columns : 0));
}

/* Writes a number, right-aligned in its column, and two spaces. */
static void put_number_cell(uint64_t number, size_t width)
{
    size_t columns = cli_digits(number);
    cli_put_spaces(&cli_output, columns < width ? width - columns : 0);
    cli_say(&cli_output, "%" PRIu64 "  ", number);
}

/* Writes the row of the iterator's field. The name is last, because its width on the terminal is not known. */
static void put_field_row(cli_subject *about, const cli_field_iterator *state, const widths *width)
{
    const snpy_field *field = &about->table->fields[state->entry];
    char type[32];
    size_t columns = 0;
    cli_put(&cli_output, "  ");
    put_number_cell((uint64_t)state->offset[state->depth], width->offset);
    put_number_cell(field->itemsize, width->itemsize);
    cell_type(&about->table->fields[cli_base_entry(about->table, state->entry)].dtype, type);
    put_cell(type, width->type);
    cli_put(&cli_output, "(");
    cli_put(&cli_output, cli_put_dimensions(about->table, state->entry, true, &columns) == 1 ? ",)" : ")");
    columns = shape_columns(about->table, state->entry);
    cli_put_spaces(&cli_output, 2 + (columns < width->shape ? width->shape - columns : 0));
    for (size_t level = 1; level < state->depth; level++) {
        if (about->table->fields[state->path[level]].has_name) cli_put(&cli_output, "  ");
    }
    cli_put(&cli_output, "'");
    cli_put_name(about, field->name_offset, field->name_length, CLI_NAME_SAFE);
    cli_put(&cli_output, "'");
    if (field->has_title) {
        cli_put(&cli_output, ", title '");
        cli_put_name(about, field->title_offset, field->title_length, CLI_NAME_SAFE);
        cli_put(&cli_output, "'");
    }
    cli_put(&cli_output, "\n");
}

/* Writes the table of fields of a structured dtype; nothing for a simple one. */
static void put_fields(cli_subject *about)
{
    cli_field_iterator state = {.table = about->table};
    if (about->header->dtype.kind != SNPY_KIND_RECORD) return;
    widths width = measure_fields(about);
    cli_put(&cli_output, "fields:\n  ");
    cli_put_spaces(&cli_output, width.offset - (sizeof "offset" - 1));
    cli_put(&cli_output, "offset  ");
    cli_put_spaces(&cli_output, width.itemsize - (sizeof "itemsize" - 1));
    cli_put(&cli_output, "itemsize  ");
    put_cell("descr", width.type);
    put_cell("shape", width.shape);
    cli_put(&cli_output, "name\n");
    while (cli_next_field(&state)) put_field_row(about, &state, &width);
}

/* Writes a key and spaces up to the column of the values. */
static void put_key(const char *key)
{
    static const size_t width = sizeof "trailing_bytes: " - 1;
    size_t columns = strlen(key) + 1;
    cli_say(&cli_output, "%s:", key);
    cli_put_spaces(&cli_output, columns < width ? width - columns : 1);
}

/* Writes a key and its value. */
static void put_line(const char *key, const char *value)
{
    put_key(key);
    cli_say(&cli_output, "%s\n", value);
}

/* Writes a key and a number, or the reason why the number is not known. */
static void put_number_line(const char *key, bool known, uint64_t number, const char *reason)
{
    put_key(key);
    if (known) {
        cli_put_number(&cli_output, number);
    } else {
        cli_say(&cli_output, "unknown (%s)", reason);
    }
    cli_put(&cli_output, "\n");
}

void cli_put_info_text(cli_subject *about, const cli_object_data *objects)
{
    const snpy_header *header = about->header;
    const snpy_frame *frame = &header->frame;
    static const char pickle[] = "the data are a pickle";
    static const char header_only[] = "only the header was read";
    bool known = !header->has_object;
    const bool has_size = about->file->size != UINT64_MAX;
    char version[4] = {(char)('0' + frame->major), '.', (char)('0' + frame->minor), '\0'};
    put_key("file");
    cli_say(&cli_output, "%-s\n", about->name);
    if (about->file->start > 0) put_number_line("array_offset", true, about->file->start, NULL);
    put_line("format", "npy");
    put_line("version", version);
    put_number_line("header_len", true, frame->header_len, NULL);
    put_number_line("data_offset", true, frame->data_offset, NULL);
    put_number_line("data_size", known, header->data_size, pickle);
    put_number_line("file_size", has_size, about->file->size, header_only);
    put_number_line("trailing_bytes", known && has_size, cli_trailing_bytes(about), known ? header_only : pickle);
    put_line("aligned", frame->data_offset % CLI_DATA_ALIGNMENT == 0 ? "true" : "false");
    put_key("descr");
    cli_put_type(about, &header->dtype, false);
    cli_put(&cli_output, "\n");
    put_key("shape");
    cli_put(&cli_output, "(");
    cli_put_shape(header);
    cli_put(&cli_output, header->ndim == 1 ? ",)\n" : ")\n");
    put_line("fortran_order", header->fortran_order ? "true" : "false");
    put_number_line("itemsize", true, header->dtype.itemsize, NULL);
    put_number_line("count", true, header->count, NULL);
    put_line("has_object", header->has_object ? "true" : "false");
    if (objects->is_known) put_line("objects", cli_objects_word(&objects->of, &objects->needs));
    put_fields(about);
}
