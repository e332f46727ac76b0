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

/* Puts `"key": number`, or null where the number is not known. */
static void put_member(const char *key, bool known, uint64_t number, bool *first)
{
    cli_json_key(&cli_output, key, first);
    if (known)
        cli_put_number(&cli_output, number);
    else
        cli_put(&cli_output, "null");
}

/* The level of the field whose record the one that the walk is at belongs to; 0: none. */
static size_t parent_level(const cli_walk *state)
{
    size_t level = state->depth - 1;
    while (level > 0 && !state->table->fields[state->path[level]].has_name) level--; /* sub-arrays have none */
    return level;
}

/* Puts the object of the field that the walk is at. Each name and type is written once: a field has the number of its
 * parent, not a path, and a record has no type beside those of its fields. Otherwise the output would grow with the square
 * of the header. */
static void put_field_json(cli_subject *about, const cli_walk *state, const size_t *numbers)
{
    const snpy_field *field = &about->table->fields[state->entry];
    size_t base = cli_base_entry(about->table, state->entry);
    size_t parent = parent_level(state);
    cli_stream *stream = &cli_output;
    bool first = true;
    size_t columns = 0;
    cli_put(stream, "{");
    put_name_members(about, "name", "name_code_points", field->name_offset, field->name_length, &first);
    put_member("parent", parent > 0, numbers[parent], &first);
    cli_json_key(stream, "descr", &first);
    if (about->table->fields[base].dtype.kind == SNPY_KIND_RECORD)
        cli_put(stream, "null");
    else
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
    size_t numbers[CLI_LEVELS] = {0}; /* of the fields around the one that the walk is at */
    size_t count = 0;
    cli_put(&cli_output, "[");
    while (about->header->dtype.kind == SNPY_KIND_RECORD && cli_next_field(&state)) {
        if (count > 0) cli_put(&cli_output, ", ");
        numbers[state.depth] = count++;
        put_field_json(about, &state, numbers);
    }
    cli_put(&cli_output, "]");
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
    const bool has_size = about->file->size != UINT64_MAX;
    bool first = true;
    cli_put(&cli_output, "{");
    cli_json_file(&cli_output, about->name, &first);
    cli_json_start(about->file, &first);
    cli_json_format(frame, &first);
    put_member("header_len", true, frame->header_len, &first);
    put_member("data_offset", true, frame->data_offset, &first);
    put_member("data_size", known, header->data_size, &first);
    put_member("file_size", has_size, about->file->size, &first);
    put_member("trailing_bytes", known && has_size, cli_trailing_bytes(about), &first);
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
