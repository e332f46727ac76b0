/* subject.c: iterates over the fields of an accepted file, and decodes their names and types.
 * The core's writer writes the text of a structured dtype. */
#include "cli/subject.h"

#include <stdlib.h>

bool cli_next_field(cli_field_iterator *state)
{
    const snpy_field *fields = state->table->fields;
    size_t skip_below = CLI_LEVELS;
    for (size_t at = state->entry + 1; at < state->table->field_count; at++) {
        const snpy_field *field = &fields[at];
        if (field->depth > skip_below || field->depth == 0 || field->depth >= CLI_LEVELS) continue;
        skip_below = field->is_padding ? field->depth : CLI_LEVELS;
        state->path[field->depth] = (uint32_t)at;
        state->offset[field->depth] = state->offset[field->depth - 1] + field->offset;
        if (field->is_padding || !field->has_name) continue;
        state->entry = at;
        state->depth = field->depth;
        return true;
    }
    return false;
}

size_t cli_base_entry(const snpy_table *table, size_t entry)
{
    while (table->fields[entry].dtype.kind == SNPY_KIND_SUBARRAY && entry + 1 < table->field_count) entry++;
    return entry;
}

/* Returns the encoding of the names of a header. */
static snpy_name_encoding name_encoding(const cli_subject *about)
{
    return about->header->frame.major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1;
}

/* A decoded name has at most twice the bytes of the encoded one (Latin-1 in UTF-8). */
size_t cli_decode_name(cli_subject *about, size_t offset, size_t length, bool *has_surrogates)
{
    uint64_t size = 0;
    size_t surrogates = 0;
    *has_surrogates = false;
    if (!snpy_grow(&about->scratch, &about->scratch_size, 2 * length + 1)) {
        cli_lack_memory();
        return 0;
    }
    snpy_status status =
        snpy_name_decode(about->text, about->header->frame.header_len, offset, length, name_encoding(about),
                         about->scratch, about->scratch_size, &size, &surrogates);
    *has_surrogates = surrogates > 0;
    return status == SNPY_OK ? (size_t)size : 0;
}

bool cli_has_surrogates(cli_subject *about, size_t offset, size_t length)
{
    bool has_surrogates;
    cli_decode_name(about, offset, length, &has_surrogates);
    return has_surrogates;
}

void cli_put_name(cli_subject *about, size_t offset, size_t length, enum cli_name_form form)
{
    bool has_surrogates;
    size_t size = cli_decode_name(about, offset, length, &has_surrogates);
    if (form == CLI_NAME_CODE_POINTS)
        cli_json_code_points(&cli_output, about->scratch, size);
    else if (form == CLI_NAME_STRING)
        cli_json_string(&cli_output, about->scratch, size, SNPY_TEXT_SURROGATES);
    else
        cli_put_exact(&cli_output, about->scratch, size, SNPY_TEXT_SURROGATES);
}

/* Appends a number to a text of `length` bytes. Returns the new length. */
static size_t append_number(char *out, size_t length, uint64_t number)
{
    size_t digits = cli_digits(number);
    for (size_t i = digits; i > 0; i--) {
        out[length + i - 1] = (char)('0' + number % 10);
        number /= 10;
    }
    return length + digits;
}

void cli_simple_type(const snpy_dtype *type, char out[32])
{
    static const char *const units[] = {"", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"};
    size_t length = 0;
    out[length++] = (char)type->byteorder;
    out[length++] = (char)type->kind;
    if (type->kind != SNPY_KIND_OBJECT)
        length = append_number(out, length, type->kind == SNPY_KIND_STRING ? type->itemsize / 4 : type->itemsize);
    if (type->unit > SNPY_UNIT_GENERIC && type->unit <= SNPY_UNIT_ATTOSECOND) {
        out[length++] = '[';
        if (type->multiplier != 1) length = append_number(out, length, type->multiplier);
        for (const char *letter = units[type->unit]; *letter != '\0'; letter++) out[length++] = *letter;
        out[length++] = ']';
    }
    out[length] = '\0';
}

/* Fills about->descr with NumPy's text of a structured dtype. Leaves it empty if NumPy has none here: it has types of
 * another platform. */
static void load_descr(cli_subject *about)
{
    snpy_error error;
    uint64_t size = 0;
    snpy_description description = {about->header,        about->table,
                                    about->text,          about->header->frame.header_len,
                                    name_encoding(about), SNPY_VERSION_AUTO};
    snpy_status status = snpy_write_descr(&description, 0, about->descr, about->descr_size, &size, &error);
    if (status == SNPY_BUFFER_TOO_SMALL) {
        if (snpy_grow(&about->descr, &about->descr_size, (size_t)size))
            status = snpy_write_descr(&description, 0, about->descr, about->descr_size, &size, &error);
        else
            cli_lack_memory();
    }
    about->descr_length = status == SNPY_OK ? (size_t)size : 0;
}

void cli_release_subject(cli_subject *about)
{
    free(about->scratch);
    free(about->descr);
    about->scratch = NULL;
    about->descr = NULL;
    about->scratch_size = 0;
    about->descr_size = 0;
}

void cli_describe_file(cli_subject *about, const char *name, snpy_file *file)
{
    about->name = name;
    about->file = file;
    about->header = &file->head.header;
    about->table = &file->head.table;
    about->text = file->head.text;
    about->descr_length = 0;
    if (file->head.header.dtype.kind == SNPY_KIND_RECORD) load_descr(about);
}

void cli_put_type(const cli_subject *about, const snpy_dtype *type, bool json)
{
    if (type->kind != SNPY_KIND_RECORD) {
        char simple[32];
        cli_simple_type(type, simple);
        if (json)
            cli_json_text(&cli_output, simple);
        else
            cli_put(&cli_output, simple);
        return;
    }
    if (json && about->descr_length == 0)
        cli_put(&cli_output, "null");
    else if (json)
        cli_json_string(&cli_output, about->descr, about->descr_length, SNPY_TEXT_SURROGATES);
    else if (about->descr_length == 0)
        cli_put(&cli_output, "a record that NumPy does not write here");
    else
        cli_put_safe(&cli_output, about->descr, about->descr_length, SNPY_TEXT_SURROGATES);
}

size_t cli_put_dimensions(const snpy_table *table, size_t entry, bool put, size_t *columns)
{
    size_t count = 0;
    size_t last = cli_base_entry(table, entry);
    for (; entry <= last; entry++) {
        const snpy_field *field = &table->fields[entry];
        for (size_t i = 0; i < field->ndim; i++) {
            uint64_t dimension = (uint64_t)table->dims[field->first_dim + i]; /* never negative */
            *columns += cli_digits(dimension) + (count > 0 ? 2 : 0);
            if (put && count > 0) cli_put(&cli_output, ", ");
            if (put) cli_put_number(&cli_output, dimension);
            count++;
        }
    }
    return count;
}

void cli_put_shape(const snpy_header *header)
{
    for (size_t i = 0; i < header->ndim; i++) {
        if (i > 0) cli_put(&cli_output, ", ");
        cli_put_number(&cli_output, header->shape[i]);
    }
}

uint64_t cli_trailing_bytes(const cli_subject *about)
{
    const snpy_header *header = about->header;
    return header->has_object ? 0 : about->file->size - header->frame.data_offset - header->data_size;
}
