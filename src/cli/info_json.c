/* info_json.c: writes the JSON object of `safenpy info --json`.
 * subject.c decodes names and types. */
#include "cli/data.h"
#include "cli/payload.h"
#include "cli/subject.h"

/* Writes `"key": name`, and `"exact_key": [code points]` if the name has surrogates, which a JSON string cannot
 * hold. */
static void put_name_members(cli_subject *about, const char *key, const char *exact_key, size_t offset, size_t length,
                             bool *first)
{
    cli_json_key(&cli_output, key, first);
    cli_put_name(about, offset, length, CLI_NAME_STRING);
    if (!cli_has_surrogates(about, offset, length)) return;
    cli_json_key(&cli_output, exact_key, first);
    cli_put_name(about, offset, length, CLI_NAME_CODE_POINTS);
}

/* Writes `"key": number`, or `"key": null` if the number is not known. */
static void put_member(const char *key, bool known, uint64_t number, bool *first)
{
    cli_json_key(&cli_output, key, first);
    if (known)
        cli_put_number(&cli_output, number);
    else
        cli_put(&cli_output, "null");
}

/* Returns the level of the field that contains the iterator's field; 0 if there is none. */
static size_t parent_level(const cli_field_iterator *state)
{
    size_t level = state->depth - 1;
    while (level > 0 && !state->table->fields[state->path[level]].has_name) level--; /* nested sub-arrays have none */
    return level;
}

/* Writes the JSON object of the iterator's field. Each name and type is written once: a field refers to its parent by
 * number, not by path, and a record has no type beside those of its fields. Otherwise the output could grow with the
 * square of the header. */
static void put_field_json(cli_subject *about, const cli_field_iterator *state, const size_t *numbers)
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

/* Writes the JSON array of all fields; it is empty for a simple dtype. */
static void put_fields_json(cli_subject *about)
{
    cli_field_iterator state = {.table = about->table};
    size_t numbers[CLI_LEVELS] = {0}; /* numbers of the fields around the iterator's */
    size_t count = 0;
    cli_put(&cli_output, "[");
    while (about->header->dtype.kind == SNPY_KIND_RECORD && cli_next_field(&state)) {
        if (count > 0) cli_put(&cli_output, ", ");
        numbers[state.depth] = count++;
        put_field_json(about, &state, numbers);
    }
    cli_put(&cli_output, "]");
}

/* Writes `"key": true` or `"key": false`. */
static void put_truth(const char *key, bool truth, bool *first)
{
    cli_json_key(&cli_output, key, first);
    cli_put(&cli_output, truth ? "true" : "false");
}

enum cli_exit cli_put_info_json(cli_subject *about, const cli_object_data *objects)
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
    cli_json_objects(objects, &first);
    enum cli_exit result = CLI_ACCEPTED;
    if (objects->data != NULL) {
        static const cli_bounds bounds = {1000, 1000, false}; /* a preview has few elements and columns */
        const cli_values values = {about->name, objects->data, CLI_FORM_JSON, &bounds};
        cli_json_key(&cli_output, "preview", &first);
        result = cli_preview_value(&values, snpy_object_root(objects->data), true);
    }
    cli_put(&cli_output, "}\n");
    return result;
}

enum cli_exit cli_put_info(cli_subject *about, const cli_object_data *objects, const cli_options *options)
{
    if (options->json) return cli_put_info_json(about, objects);
    cli_put_info_text(about, objects);
    return CLI_ACCEPTED;
}
