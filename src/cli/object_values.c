/* object_values.c: prints the values of object data as JSON.
 * The host decodes them; object_walk.c sorts them; print.c prints arrays of numbers.
 *
 * A value that contains itself must end, and one that occurs a thousand times is printed once: so containers that may occur
 * more than once have a number ($id), and later ones refer to it ($ref). A preview is short whatever the values are: $more
 * counts what it leaves out. */
#include "cli/data.h"
#include "cli/object_walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bounds of a preview. */
#define PREVIEW_VALUES 60u
#define PREVIEW_BYTES ((uint64_t)200) /* of a text, bytes, or the data or the type of an array */

/* How the members of a container are written. */
enum shape_of_members { MEMBERS_LIST, MEMBERS_OBJECT, MEMBERS_PAIRS, MEMBERS_ELEMENTS };

/* A container that is being written. */
struct level {
    enum shape_of_members form;
    cli_entries entries; /* members, or keys and values */
    bool has_key;        /* a key was written, so that its value comes next */
    uint64_t written;    /* members, or keys and values */
    const char *close;   /* what ends it */
    bool is_numbered;    /* it has an $id, so that one more brace ends it */
    uint32_t ndim;       /* of elements */
    uint64_t shape[SNPY_MAX_NDIM];
};

struct printer {
    const cli_values *objects;
    const snpy_object_data *data;
    bool is_lines; /* the outermost elements have a line each */
    bool is_preview;
    uint32_t rest;     /* of a preview: values that may still be written */
    uint32_t *numbers; /* owned: by value, 1 more than the number it has been written under */
    uint32_t count;    /* of numbers */
    uint64_t left;     /* bytes of texts that may still be written */
    uint8_t *text;     /* owned: the text that is being written */
    uint64_t capacity;
    enum cli_exit result;
    uint32_t depth;
    struct level *levels; /* owned: CLI_OBJECT_LEVELS */
};

static void fail(struct printer *print, enum cli_exit result)
{
    if (print->result == CLI_ACCEPTED) print->result = result;
}

static void fail_for_memory(struct printer *print)
{
    snpy_io_error error = {.call = NULL};
    (void)snpy_io_no_memory(&error, "malloc");
    fail(print, cli_report_read(print->objects->name, &error));
}

/* ---- leaves ------------------------------------------------------------------------------------------------ */

/* Reads a text or bytes into print->text. Returns false, after a message, if there is no memory, or too much output. */
static bool read_text(struct printer *print, int32_t value, uint64_t *length)
{
    *length = snpy_object_text(print->data, value, print->text, print->capacity);
    if (*length > print->left) {
        cli_warn("%-s: the values have more than 1 GiB of text; take a part of them", print->objects->name);
        fail(print, CLI_REFUSED);
        return false;
    }
    print->left -= *length;
    if (*length <= print->capacity) return true;
    uint8_t *grown = *length <= SIZE_MAX ? realloc(print->text, (size_t)*length) : NULL;
    if (grown == NULL) {
        fail_for_memory(print);
        return false;
    }
    print->text = grown;
    print->capacity = *length;
    (void)snpy_object_text(print->data, value, print->text, print->capacity);
    return true;
}

/* Whether a text can be a JSON string: it has no surrogates. */
static bool is_sayable(const uint8_t *text, uint64_t length)
{
    for (uint64_t i = 0; i + 1 < length; i++)
        if (text[i] == 0xed && text[i + 1] >= 0xa0) return false;
    return true;
}

/* How many bytes of a text, or of bytes, are written. Text is cut between characters. */
static uint64_t shown_bytes(const struct printer *print, uint64_t length, bool is_text)
{
    uint64_t shown = PREVIEW_BYTES;
    if (!print->is_preview || length <= shown) return length;
    while (is_text && shown > 0 && (print->text[shown] & 0xc0u) == 0x80) shown--;
    return shown;
}

/* Writes how many bytes, elements or members were left out, as the last key of an object. */
static void put_more(uint64_t count)
{
    cli_say(&cli_output, ", \"$more\": %" PRIu64 "}", count);
}

/* Writes a text as a JSON string; one with surrogates, which no JSON string holds, as code points. */
static void put_text(struct printer *print, int32_t value)
{
    uint64_t length = 0;
    if (!read_text(print, value, &length)) return;
    const uint64_t shown = shown_bytes(print, length, true);
    const bool is_string = is_sayable(print->text, length);
    if (!is_string)
        cli_put(&cli_output, "{\"$codepoints\": ");
    else if (shown < length)
        cli_put(&cli_output, "{\"$text\": ");
    if (is_string)
        (void)cli_json_string(&cli_output, print->text, (size_t)shown, SNPY_TEXT_UTF8);
    else
        cli_json_code_points(&cli_output, print->text, (size_t)shown);
    if (shown < length)
        put_more(length - shown);
    else if (!is_string)
        cli_put(&cli_output, "}");
}

/* Writes bytes: {"$bytes": "00ff"}. */
static void put_bytes(struct printer *print, int32_t value, const char *name)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t length = 0;
    if (!read_text(print, value, &length)) return;
    const uint64_t shown = shown_bytes(print, length, false);
    cli_say(&cli_output, "{\"%s\": \"", name);
    for (uint64_t i = 0; i < shown && cli_output.error == 0; i++) {
        const char pair[2] = {digits[print->text[i] / 16], digits[print->text[i] % 16]};
        cli_put_bytes(&cli_output, pair, sizeof pair);
    }
    cli_put(&cli_output, "\"");
    if (shown < length)
        put_more(length - shown);
    else
        cli_put(&cli_output, "}");
}

static void put_int(const struct printer *print, int32_t value)
{
    char digits[SNPY_OBJECT_DIGITS];
    cli_put_bytes(&cli_output, digits, snpy_object_digits(print->data, value, digits));
}

/* Writes a float; JSON has no numbers for the others: {"$float": "nan"}. */
static void put_float(const struct printer *print, int32_t value)
{
    char text[CLI_FLOAT_CAPACITY];
    double number = 0;
    uint64_t bits = 0;
    (void)snpy_object_float(print->data, value, &number);
    memcpy(&bits, &number, sizeof bits);
    const size_t length = cli_float_text(bits, 8, true, text);
    const bool is_number = text[length - 1] != 'n' && text[length - 1] != 'f';
    if (!is_number) cli_put(&cli_output, "{\"$float\": \"");
    cli_put_bytes(&cli_output, text, length);
    if (!is_number) cli_put(&cli_output, "\"}");
}

/* ---- calls ------------------------------------------------------------------------------------------------- */

/* Writes the time of a day that begins at bytes[0]: hour, minute, second, microseconds. */
static void put_time(const uint8_t *bytes)
{
    char text[32];
    const unsigned fraction = (unsigned)bytes[3] << 16 | (unsigned)bytes[4] << 8 | bytes[5];
    const int length = snprintf(text, sizeof text, fraction > 0 ? "%02u:%02u:%02u.%06u" : "%02u:%02u:%02u",
                                bytes[0] & 0x7fu, (unsigned)bytes[1], (unsigned)bytes[2], fraction);
    cli_put_bytes(&cli_output, text, (size_t)length);
}

/* Writes a date, datetime or time without a zone, {"$datetime": "2020-01-02T03:04:05"}. Returns false, having written
 * nothing, if the value is another one: with a zone, or with a fold. */
static bool put_moment(const struct printer *print, int32_t value, int32_t role)
{
    uint8_t bytes[10];
    const size_t size = role == SNPY_ROLE_DATE ? 4 : role == SNPY_ROLE_DATETIME ? 10 : 6;
    snpy_object_members members = snpy_object_begin(print->data, snpy_object_arguments(print->data, value));
    const int32_t first = snpy_object_next(print->data, &members);
    if (first == 0 || snpy_object_next(print->data, &members) != 0) return false;
    if (snpy_object_text(print->data, first, bytes, sizeof bytes) != size) return false;
    if ((role == SNPY_ROLE_TIME && bytes[0] > 23) || (role == SNPY_ROLE_DATETIME && bytes[2] > 12)) return false;
    cli_say(&cli_output, "{\"%s\": \"", role == SNPY_ROLE_DATE ? "$date" : size == 10 ? "$datetime" : "$time");
    if (size > 6 || size == 4) {
        char text[24];
        const int length = snprintf(text, sizeof text, "%04u-%02u-%02u", (unsigned)bytes[0] << 8 | bytes[1],
                                    (unsigned)bytes[2], (unsigned)bytes[3]);
        cli_put_bytes(&cli_output, text, (size_t)length);
    }
    if (size == 10) cli_put(&cli_output, "T");
    if (size > 4) put_time(bytes + size - 6);
    cli_put(&cli_output, "\"}");
    return true;
}

/* Writes a complex number: {"$complex": [1.0, -2.0]}. */
static void put_complex(const struct printer *print, int32_t value)
{
    snpy_object_members members = snpy_object_begin(print->data, snpy_object_arguments(print->data, value));
    cli_put(&cli_output, "{\"$complex\": [");
    put_float(print, snpy_object_next(print->data, &members));
    cli_put(&cli_output, ", ");
    put_float(print, snpy_object_next(print->data, &members));
    cli_put(&cli_output, "]}");
}

/* ---- containers -------------------------------------------------------------------------------------------- */

/* Begins a container. Returns NULL, after a message, if there are too many in one another. */
static struct level *open_level(struct printer *print, enum shape_of_members form, snpy_object_members members,
                                const char *open, const char *close)
{
    if (print->depth == CLI_OBJECT_LEVELS) {
        cli_warn("%-s: more than 1,000 containers in one another; take a part of them", print->objects->name);
        fail(print, CLI_REFUSED);
        return NULL;
    }
    struct level *level = &print->levels[print->depth++];
    level->form = form;
    level->entries = (cli_entries){members, 0};
    level->has_key = false;
    level->written = 0;
    level->close = close;
    level->is_numbered = false;
    level->ndim = 0;
    cli_put(&cli_output, open);
    return level;
}

/* Whether a key can be one of a JSON object: a string without surrogates that does not begin with a dollar sign, and in a
 * preview is short. */
static bool is_plain_key(struct printer *print, int32_t key)
{
    uint64_t length = 0;
    if (cli_object_sort(snpy_object_node(print->data, key)) != CLI_SORT_TEXT) return false;
    if (!read_text(print, key, &length)) return false;
    print->left += length; /* it is written later */
    if (length > 0 && print->text[0] == '$') return false;
    return is_sayable(print->text, length) && shown_bytes(print, length, true) == length;
}

/* Whether all keys of a dictionary can be keys of a JSON object. */
static bool has_plain_keys(struct printer *print, int32_t value)
{
    cli_entries entries = cli_begin_entries(print->data, value);
    for (int32_t key; (key = cli_next_entry(print->data, &entries)) != 0; (void)cli_next_entry(print->data, &entries))
        if (!is_plain_key(print, key)) return false;
    return true;
}

static struct level *open_dict(struct printer *print, int32_t value)
{
    const snpy_object_members members = snpy_object_begin(print->data, value);
    if (has_plain_keys(print, value)) return open_level(print, MEMBERS_OBJECT, members, "{", "}");
    return open_level(print, MEMBERS_PAIRS, members, "{\"$dict\": [", "]}");
}

/* Writes a number for a container that may occur again; or refers to one that did. Returns false then. */
static bool begin_shared(struct printer *print, int32_t value, bool *is_numbered)
{
    *is_numbered = false;
    if (!snpy_object_is_shared(print->data, value)) return true;
    if (print->numbers[value] > 0) {
        cli_say(&cli_output, "{\"$ref\": %" PRIu64 "}", (uint64_t)print->numbers[value] - 1);
        return false;
    }
    print->numbers[value] = ++print->count;
    cli_say(&cli_output, "{\"$id\": %" PRIu64 ", \"$value\": ", (uint64_t)print->count - 1);
    *is_numbered = true;
    return true;
}

/* Begins the elements of an array of objects. */
static struct level *open_elements(struct printer *print, int32_t value, const snpy_header *header, const char *close)
{
    struct level *level = open_level(print, MEMBERS_ELEMENTS, snpy_object_begin(print->data, value), "", close);
    if (level == NULL) return NULL;
    level->ndim = header->ndim;
    memcpy(level->shape, header->shape, sizeof level->shape);
    return level;
}

/* Writes the type of an array as a JSON string. */
static void put_type(const snpy_array *array, const char *name)
{
    snpy_file file = {.head = *array}; /* borrowed */
    cli_subject about = {.name = NULL};
    cli_describe_file(&about, name, &file);
    cli_put_type(&about, &array->header.dtype, true);
    cli_release_subject(&about);
}

/* Writes the type and the shape of an array. */
static void put_array_head(const snpy_array *array, const char *name)
{
    cli_put(&cli_output, "\"descr\": ");
    put_type(array, name);
    cli_put(&cli_output, ", \"shape\": [");
    cli_put_shape(&array->header);
    cli_put(&cli_output, "], ");
}

/* Writes an array of numbers or texts in its file's order of axes. */
static enum cli_exit print_array(const cli_values *objects, snpy_array *array, const char *whole, const char *indices,
                                 enum cli_form form)
{
    static const snpy_input empty = {.reader = {.descriptor = -1}};
    snpy_input *input = malloc(sizeof *input);
    snpy_file file = {.head = *array, .size = array->header.frame.data_offset + array->data_size};
    cli_subject about = {.name = NULL};
    snpy_io_error error = {.call = NULL};
    snpy_view view;
    if (input == NULL) {
        (void)snpy_io_no_memory(&error, "malloc");
        return cli_report_read(objects->name, &error);
    }
    *input = empty;
    snpy_reader_of_memory(&input->reader, array->data, (size_t)array->data_size);
    cli_describe_file(&about, objects->name, &file);
    enum cli_exit result = CLI_TROUBLE;
    if (snpy_view_open(&array->header, array->data_size, &view, &error.error) != SNPY_OK)
        result = cli_report_read(objects->name, &error);
    else if (!cli_take_index(&about, whole, indices, &view))
        result = cli_output.error == 0 ? cli_wrong_usage(&cli_messages) : CLI_TROUBLE;
    else
        result = cli_print(&about, input, &view, form, objects->bounds);
    cli_release_subject(&about);
    free(input);
    return result;
}

enum cli_exit cli_print_inner(const cli_values *objects, int32_t value, const char *whole, const char *indices,
                              enum cli_form form)
{
    snpy_array array;
    snpy_io_error error;
    enum cli_exit result = CLI_REFUSED;
    if (snpy_object_array(objects->data, value, &array, &error) != SNPY_OK)
        result = cli_report_read(objects->name, &error);
    else
        result = print_array(objects, &array, whole, indices, form);
    snpy_array_release(&array);
    return result;
}

/* Whether a preview leaves out the type and the shape of an array, because they are long. */
static bool has_long_type(const struct printer *print, const snpy_array *array)
{
    return print->is_preview && array->header.frame.header_len > 2 * PREVIEW_BYTES;
}

/* Writes the elements of an array of numbers or texts, and what ends the array. */
static void put_elements(struct printer *print, snpy_array *array, bool is_scalar)
{
    if (print->is_preview &&
        (array->data_size > PREVIEW_BYTES || array->header.count > PREVIEW_BYTES || has_long_type(print, array))) {
        cli_say(&cli_output, "{\"$more\": %" PRIu64 "}", array->header.count);
    } else {
        const enum cli_exit result = print_array(print->objects, array, "", "", CLI_FORM_INNER_JSON);
        if (result != CLI_ACCEPTED) fail(print, result);
    }
    if (!is_scalar) cli_put(&cli_output, "}");
}

/* Whether an array has a mask. */
static bool is_masked(const snpy_object_data *data, int32_t value)
{
    return snpy_object_node(data, value)->role == SNPY_ROLE_MARECONSTRUCT;
}

/* Writes the mask of a masked array as an array of bools; that of a structured dtype, which has one for each field, as bytes. */
static void put_mask(struct printer *print, int32_t value, const snpy_array *array)
{
    const int32_t state = snpy_object_state(print->data, value);
    snpy_object_members parts = snpy_object_begin(print->data, state);
    int32_t mask = 0;
    uint64_t length = 0;
    for (unsigned i = 0; i <= 5; i++) mask = snpy_object_next(print->data, &parts); /* NPY-PKL-014: the sixth */
    if (array->header.dtype.kind == SNPY_KIND_RECORD || array->header.count > print->left) {
        cli_put(&cli_output, "\"$mask\": ");
        put_bytes(print, mask, "$bytes");
        cli_put(&cli_output, ", ");
        return;
    }
    snpy_array bools = *array; /* borrowed */
    bools.header.dtype = (snpy_dtype){.kind = SNPY_KIND_BOOL, .byteorder = '|', .itemsize = 1, .multiplier = 1};
    bools.header.has_object = false;
    bools.header.data_size = array->header.count;
    if (!read_text(print, mask, &length)) return;
    bools.data = print->text;
    bools.data_size = length;
    cli_put(&cli_output, "\"$mask\": ");
    put_elements(print, &bools, true);
    cli_put(&cli_output, ", ");
}

/* Writes what comes before the elements of an array. */
static void put_before_elements(struct printer *print, int32_t value, const snpy_array *array)
{
    cli_put(&cli_output, "{");
    if (!has_long_type(print, array)) put_array_head(array, print->objects->name);
    if (is_masked(print->data, value)) put_mask(print, value, array);
    cli_put(&cli_output, "\"$array\": ");
}

/* Writes an array or a scalar, or begins an array of objects. */
static struct level *put_array(struct printer *print, int32_t value)
{
    snpy_array array;
    snpy_io_error error;
    struct level *level = NULL;
    const bool is_scalar = snpy_object_node(print->data, value)->role == SNPY_ROLE_SCALAR;
    if (snpy_object_array(print->data, value, &array, &error) != SNPY_OK) {
        fail(print, cli_report_read(print->objects->name, &error));
    } else if (array.data_size > print->left) {
        cli_warn("%-s: the values have more than 1 GiB of data; take a part of them", print->objects->name);
        fail(print, CLI_REFUSED);
    } else {
        print->left -= array.data_size;
        if (!is_scalar) put_before_elements(print, value, &array);
        if (array.header.has_object)
            level = open_elements(print, value, &array.header, "}");
        else
            put_elements(print, &array, is_scalar);
    }
    snpy_array_release(&array);
    return level;
}

/* Writes a dtype as the descr of a header: {"$dtype": "<f8"}. Returns false, having written nothing, if none has it. */
static bool put_dtype(const struct printer *print, int32_t value)
{
    snpy_array array;
    snpy_io_error error;
    const bool is_descr = snpy_object_array(print->data, value, &array, &error) == SNPY_OK;
    if (is_descr) {
        cli_put(&cli_output, "{\"$dtype\": ");
        if (has_long_type(print, &array))
            cli_put(&cli_output, "{\"$more\": 1}");
        else
            put_type(&array, print->objects->name);
        cli_put(&cli_output, "}");
    }
    snpy_array_release(&array);
    return is_descr;
}

/* Writes any other call by its name and arguments: {"$call": "decimal.Decimal", "args": ["1.5"]}. */
static struct level *open_call(struct printer *print, int32_t value, int32_t role)
{
    const int32_t state = snpy_object_state(print->data, value);
    const int32_t arguments = snpy_object_arguments(print->data, value);
    cli_say(&cli_output, "{\"$call\": \"%s\", ", cli_global_name(role));
    if (snpy_object_node(print->data, state)->kind == SNPY_NODE_DICT) /* of a UUID: its keys are words */
        return open_level(print, MEMBERS_OBJECT, snpy_object_begin(print->data, state), "\"state\": {", "}}");
    return open_level(print, MEMBERS_LIST, snpy_object_begin(print->data, arguments), "\"args\": [", "]}");
}

/* Writes a container, an array or the result of a call, or begins it. */
static struct level *begin_value(struct printer *print, int32_t value, enum cli_sort sort)
{
    const snpy_object_members members = snpy_object_begin(print->data, value);
    const int32_t role = snpy_object_node(print->data, value)->role;
    switch (sort) {
    case CLI_SORT_LIST:
    case CLI_SORT_TUPLE:
        return open_level(print, MEMBERS_LIST, members, "[", "]");
    case CLI_SORT_SET:
        return open_level(print, MEMBERS_LIST, members, "{\"$set\": [", "]}");
    case CLI_SORT_FROZENSET:
        return open_level(print, MEMBERS_LIST, members, "{\"$frozenset\": [", "]}");
    case CLI_SORT_DICT:
        return open_dict(print, value);
    case CLI_SORT_ARRAY:
    case CLI_SORT_SCALAR:
        return put_array(print, value);
    case CLI_SORT_BYTES:
        put_bytes(print, value, "$bytes");
        return NULL;
    case CLI_SORT_BYTEARRAY:
        put_bytes(print, value, "$bytearray");
        return NULL;
    case CLI_SORT_COMPLEX:
        put_complex(print, value);
        return NULL;
    case CLI_SORT_DTYPE:
        return put_dtype(print, value) ? NULL : open_call(print, value, role);
    case CLI_SORT_MOMENT:
        return put_moment(print, value, role) ? NULL : open_call(print, value, role);
    default:
        return open_call(print, value, role);
    }
}

/* Whether a value is written once and referred to afterwards. */
static bool is_container(const snpy_node *node, enum cli_sort sort)
{
    const bool is_call = sort == CLI_SORT_MOMENT || sort == CLI_SORT_CALL || sort == CLI_SORT_BYTEARRAY;
    return sort >= CLI_SORT_LIST || (is_call && node->kind == SNPY_NODE_CALL);
}

/* Writes a value that is none of several values. Returns false, having written nothing, for others. */
static bool put_leaf(struct printer *print, int32_t value, enum cli_sort sort)
{
    switch (sort) {
    case CLI_SORT_NONE:
        cli_put(&cli_output, "null");
        return true;
    case CLI_SORT_FALSE:
        cli_put(&cli_output, "false");
        return true;
    case CLI_SORT_TRUE:
        cli_put(&cli_output, "true");
        return true;
    case CLI_SORT_INT:
        put_int(print, value);
        return true;
    case CLI_SORT_FLOAT:
        put_float(print, value);
        return true;
    case CLI_SORT_TEXT:
        put_text(print, value);
        return true;
    case CLI_SORT_GLOBAL:
        cli_say(&cli_output, "{\"$global\": \"%s\"}", cli_global_name(snpy_object_node(print->data, value)->role));
        return true;
    default:
        return false;
    }
}

/* Writes a value, or begins it. */
static void put_value(struct printer *print, int32_t value)
{
    const snpy_node *node = snpy_object_node(print->data, value);
    const enum cli_sort sort = cli_object_sort(node);
    bool is_numbered = false;
    if (print->rest > 0) print->rest--;
    if (put_leaf(print, value, sort)) return;
    if (is_container(node, sort) && !begin_shared(print, value, &is_numbered)) return;
    struct level *level = begin_value(print, value, sort);
    if (level != NULL)
        level->is_numbered = is_numbered;
    else if (is_numbered)
        cli_put(&cli_output, "}");
}

/* ---- all members ------------------------------------------------------------------------------------------- */

/* How many of the last axes begin with element `index`. */
static uint32_t begun_axes(const struct level *level, uint64_t index)
{
    uint32_t count = 0;
    for (uint32_t k = level->ndim; k > 0 && index % level->shape[k - 1] == 0; k--, count++)
        index /= level->shape[k - 1];
    return count;
}

/* Writes the brackets that end after the last element, and those that begin before the next one. */
static void put_brackets(const struct printer *print, const struct level *level, bool is_end)
{
    const bool is_line = print->is_lines && print->depth == 1;
    const bool is_outer = print->depth == 1 && !level->is_numbered && level->close[0] == '\0';
    const uint32_t ended = level->written == 0 ? 0 : is_end ? level->ndim : begun_axes(level, level->written);
    const uint32_t begun = is_end ? 0 : level->written == 0 ? level->ndim : ended;
    if (is_line) {
        if (level->written > 0 && !is_end) cli_put(&cli_output, "\n");
        return;
    }
    for (uint32_t k = 0; k < ended; k++) cli_put(&cli_output, "]");
    if (level->written > 0 && !is_end) cli_put(&cli_output, begun > 0 && is_outer && !print->is_preview ? ",\n" : ", ");
    for (uint32_t k = 0; k < begun; k++) cli_put(&cli_output, "[");
    if (is_end && level->written == 0) cli_put(&cli_output, "[]"); /* its shape is told elsewhere */
}

/* Writes what separates the next member from the one before. */
static void put_separator(const struct printer *print, const struct level *level)
{
    if (level->form == MEMBERS_ELEMENTS)
        put_brackets(print, level, false);
    else if (level->has_key)
        cli_put(&cli_output, level->form == MEMBERS_OBJECT ? ": " : ", ");
    else if (level->written > 0)
        cli_put(&cli_output, ", ");
    if (level->form == MEMBERS_PAIRS && !level->has_key) cli_put(&cli_output, "[");
}

/* Ends the innermost container. */
static void close_level(struct printer *print)
{
    struct level *level = &print->levels[print->depth - 1];
    if (level->form == MEMBERS_PAIRS && level->written > 0) cli_put(&cli_output, "]");
    if (level->form == MEMBERS_ELEMENTS) put_brackets(print, level, true);
    cli_put(&cli_output, level->close);
    if (level->is_numbered) cli_put(&cli_output, "}");
    print->depth--;
}

/* Writes how many members of the innermost container, from `value` on, are left out. */
static void put_rest(struct printer *print, struct level *level, int32_t value)
{
    const bool is_dict = level->form == MEMBERS_OBJECT || level->form == MEMBERS_PAIRS;
    uint64_t count = 0;
    for (; value != 0; count++) value = cli_next_entry(print->data, &level->entries);
    if (is_dict) count /= 2;
    if (level->form == MEMBERS_PAIRS) {
        if (level->written > 0) cli_put(&cli_output, "], ");
        level->form = MEMBERS_LIST;
    } else {
        put_separator(print, level);
    }
    cli_say(&cli_output, level->form == MEMBERS_OBJECT ? "\"$more\": %" PRIu64 : "{\"$more\": %" PRIu64 "}", count);
    level->written++;
    close_level(print);
}

/* Writes the next member of the innermost container, or ends it. */
static void put_next(struct printer *print)
{
    struct level *level = &print->levels[print->depth - 1];
    const bool is_dict = level->form == MEMBERS_OBJECT || level->form == MEMBERS_PAIRS;
    const int32_t value =
        is_dict ? cli_next_entry(print->data, &level->entries) : snpy_object_next(print->data, &level->entries.members);
    if (value == 0) {
        close_level(print);
        return;
    }
    if (print->is_preview && print->rest == 0 && !level->has_key) {
        put_rest(print, level, value);
        return;
    }
    if (level->form == MEMBERS_PAIRS && level->written > 0 && !level->has_key) cli_put(&cli_output, "]");
    put_separator(print, level);
    level->written++;
    if (is_dict) level->has_key = !level->has_key;
    put_value(print, value);
}

/* Writes a value and all in it. */
static void put_all(struct printer *print, int32_t value, bool is_elements)
{
    snpy_array array;
    snpy_io_error error;
    if (!is_elements) {
        put_value(print, value);
    } else if (snpy_object_array(print->data, value, &array, &error) == SNPY_OK) {
        (void)open_elements(print, value, &array.header, "");
        if (snpy_object_is_shared(print->data, value)) print->numbers[value] = ++print->count;
        snpy_array_release(&array);
    } else {
        fail(print, cli_report_read(print->objects->name, &error));
    }
    while (print->depth > 0 && print->result == CLI_ACCEPTED && cli_output.error == 0) put_next(print);
}

/* Prints a value with a printer that was begun. */
static enum cli_exit run(struct printer *print, int32_t value, bool is_elements)
{
    print->numbers = calloc(snpy_object_count(print->data), sizeof *print->numbers);
    print->levels = calloc(CLI_OBJECT_LEVELS, sizeof *print->levels);
    if (print->numbers == NULL || print->levels == NULL)
        fail_for_memory(print);
    else
        put_all(print, value, is_elements);
    free(print->numbers);
    free(print->levels);
    free(print->text);
    return print->result;
}

enum cli_exit cli_print_value(const cli_values *objects, int32_t value, bool is_elements)
{
    struct printer print = {.objects = objects, .data = objects->data, .left = CLI_OBJECT_BYTES};
    print.result = CLI_ACCEPTED;
    if (is_masked(objects->data, value)) is_elements = false; /* with the mask */
    print.is_lines = is_elements && objects->form == CLI_FORM_TEXT;
    const enum cli_exit result = run(&print, value, is_elements);
    if (result == CLI_ACCEPTED) cli_put(&cli_output, "\n");
    return result;
}

enum cli_exit cli_preview_value(const cli_values *objects, int32_t value, bool is_elements)
{
    struct printer print = {.objects = objects, .data = objects->data, .left = CLI_OBJECT_BYTES};
    print.result = CLI_ACCEPTED;
    print.is_preview = true;
    print.rest = PREVIEW_VALUES;
    return run(&print, value, is_elements && !is_masked(objects->data, value));
}
