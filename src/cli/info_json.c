/* info_json.c: the object of `safenpy info --json`.
 * Proves nothing. Leaves names and types to subject.c. */
#include "cli/subject.h"

/* Puts the object of the field that the walk is at. */
static void put_field_json(cli_subject *about, const cli_walk *state)
{
    const snpy_field *field = &about->table->fields[state->entry];
    size_t base = cli_base_entry(about->table, state->entry);
    cli_stream *stream = &cli_output;
    bool first = true;
    size_t columns = 0;
    cli_put(stream, "{");
    cli_json_key(stream, "name", &first);
    cli_put_name(about, field->name_offset, field->name_length, true);
    cli_json_key(stream, "path", &first);
    cli_put(stream, "[");
    bool first_of_path = true;
    for (size_t level = 1; level <= state->depth; level++) {
        const snpy_field *outer = &about->table->fields[state->path[level]];
        if (!outer->has_name) continue;
        if (!first_of_path) cli_put(stream, ", ");
        first_of_path = false;
        cli_put_name(about, outer->name_offset, outer->name_length, true);
    }
    cli_put(stream, "]");
    cli_json_key(stream, "descr", &first);
    cli_put_type(about, &about->table->fields[base].dtype, true);
    cli_json_key(stream, "offset", &first);
    cli_put_number(stream, (uint64_t)state->offset[state->depth]);
    cli_json_key(stream, "itemsize", &first);
    cli_put_number(stream, field->itemsize);
    cli_json_key(stream, "shape", &first);
    cli_put(stream, "[");
    cli_put_dimensions(about->table, state->entry, true, &columns);
    cli_put(stream, "]");
    cli_json_key(stream, "title", &first);
    if (field->has_title)
        cli_put_name(about, field->title_offset, field->title_length, true);
    else
        cli_put(stream, "null");
    cli_put(stream, "}");
}

/* Puts the array of all fields; empty for a simple type. */
static void put_fields_json(cli_subject *about)
{
    cli_walk state = {.table = about->table};
    bool first = true;
    cli_put(&cli_output, "[");
    while (about->header->dtype.kind == SNPY_KIND_RECORD && cli_next_field(&state)) {
        if (!first) cli_put(&cli_output, ", ");
        first = false;
        put_field_json(about, &state);
    }
    cli_put(&cli_output, "]");
}

/* Puts `"key": number`, or null where the number is not known. */
static void put_member(const char *key, bool known, uint64_t number, bool *first)
{
    cli_json_key(&cli_output, key, first);
    if (known)
        cli_put_number(&cli_output, number);
    else
        cli_put(&cli_output, "null");
}

/* Puts `"key": true` or false. */
static void put_truth(const char *key, bool truth, bool *first)
{
    cli_json_key(&cli_output, key, first);
    cli_put(&cli_output, truth ? "true" : "false");
}

void cli_put_info_json(cli_subject *about)
{
    const snpy_header *header = about->header;
    const snpy_frame *frame = &header->frame;
    bool known = !header->has_object;
    bool first = true;
    cli_put(&cli_output, "{");
    cli_json_key(&cli_output, "file", &first);
    cli_json_text(&cli_output, about->name);
    cli_json_key(&cli_output, "format", &first);
    cli_json_text(&cli_output, "npy");
    char version[4] = {(char)('0' + frame->major), '.', (char)('0' + frame->minor), '\0'};
    cli_json_key(&cli_output, "version", &first);
    cli_json_text(&cli_output, version);
    put_member("header_len", true, frame->header_len, &first);
    put_member("data_offset", true, frame->data_offset, &first);
    put_member("data_size", known, header->data_size, &first);
    put_member("file_size", true, about->file->size, &first);
    put_member("trailing_bytes", known, cli_trailing_bytes(about), &first);
    put_truth("aligned", frame->data_offset % CLI_DATA_ALIGNMENT == 0, &first);
    cli_json_key(&cli_output, "descr", &first);
    cli_put_type(about, &header->dtype, true);
    cli_json_key(&cli_output, "shape", &first);
    cli_put(&cli_output, "[");
    cli_put_shape(header);
    cli_put(&cli_output, "]");
    put_truth("fortran_order", header->fortran_order, &first);
    put_member("itemsize", true, header->dtype.itemsize, &first);
    put_member("count", true, header->count, &first);
    put_truth("has_object", header->has_object, &first);
    cli_json_key(&cli_output, "fields", &first);
    put_fields_json(about);
    cli_put(&cli_output, "}\n");
}
