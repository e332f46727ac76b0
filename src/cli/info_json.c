/* info_json.c: the object of `safenpy info --json`.
 * Proves nothing. Leaves names and types to subject.c. */
#include "cli/subject.h"

/* Puts `"key": name` and, if the string cannot say it, `"key_code_points": [...]`. */
static void put_name_members(cli_subject *about, const char *key, const char *exact_key, size_t offset, size_t length,
                             bool *first)
{
    cli_json_key(&cli_output, key, first);
    cli_put_name(about, offset, length, CLI_NAME_STRING);
    if (!cli_has_surrogates(about, offset, length)) return;
    cli_json_key(&cli_output, exact_key, first);
    cli_put_name(about, offset, length, CLI_NAME_CODE_POINTS);
}

/* Puts the names from the outermost field to the one that the walk is at as an array. Returns whether strings can
 * say them. */
static bool put_path(cli_subject *about, const cli_walk *state, enum cli_name_form form)
{
    bool is_exact = true;
    bool first = true;
    cli_put(&cli_output, "[");
    for (size_t level = 1; level <= state->depth; level++) {
        const snpy_field *outer = &about->table->fields[state->path[level]];
        if (!outer->has_name) continue;
        if (!first) cli_put(&cli_output, ", ");
        first = false;
        cli_put_name(about, outer->name_offset, outer->name_length, form);
        if (cli_has_surrogates(about, outer->name_offset, outer->name_length)) is_exact = false;
    }
    cli_put(&cli_output, "]");
    return is_exact;
}

/* Puts the object of the field that the walk is at. */
static void put_field_json(cli_subject *about, const cli_walk *state)
{
    const snpy_field *field = &about->table->fields[state->entry];
    size_t base = cli_base_entry(about->table, state->entry);
    cli_stream *stream = &cli_output;
    bool first = true;
    size_t columns = 0;
    cli_put(stream, "{");
    put_name_members(about, "name", "name_code_points", field->name_offset, field->name_length, &first);
    cli_json_key(stream, "path", &first);
    if (!put_path(about, state, CLI_NAME_STRING)) {
        cli_json_key(stream, "path_code_points", &first);
        put_path(about, state, CLI_NAME_CODE_POINTS);
    }
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
    if (field->has_title) {
        put_name_members(about, "title", "title_code_points", field->title_offset, field->title_length, &first);
    } else {
        cli_json_key(stream, "title", &first);
        cli_put(stream, "null");
    }
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
    cli_json_file(&cli_output, about->name, &first);
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
