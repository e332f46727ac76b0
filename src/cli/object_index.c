/* object_index.c: selects a value of object data by indices as Python writes them: d.npy[()]['weights'][0, :5].
 * index.c reads the indices of arrays of numbers, and of those in object data. */
#include "cli/data.h"

#include <inttypes.h>
#include <string.h>

#define MAX_KEY 4096u /* bytes of a key */

/* The state of reading indices. */
struct reader {
    const cli_values *objects;
    const char *whole;
    const char *at;
    int32_t value; /* selected so far */
    bool is_array; /* it is a NumPy array or scalar */
    bool has_object;
    snpy_header header;   /* of an array of objects */
    enum cli_exit result; /* unless it is CLI_ACCEPTED, what was reported */
};

/* Writes a message about a byte of the argument. Returns false. */
static bool refuse_at(const struct reader *input, const char *at, const char *text)
{
    cli_stream *stream = cli_complain();
    cli_say(stream, "%-s: byte %" PRIu64 ": %s", input->whole, (uint64_t)(at - input->whole), text);
    return false;
}

static void skip_blanks(struct reader *input)
{
    while (*input->at == ' ') input->at++;
}

/* Skips a character if it is next. */
static bool take(struct reader *input, char wanted)
{
    skip_blanks(input);
    if (*input->at != wanted) return false;
    input->at++;
    return true;
}

/* Reads an integer of at most 18 digits if one is next. */
static bool take_number(struct reader *input, int64_t *number)
{
    skip_blanks(input);
    const char *at = input->at;
    const bool is_negative = *at == '-';
    uint64_t magnitude = 0;
    size_t digits = 0;
    if (is_negative) at++;
    for (; *at >= '0' && *at <= '9' && digits < 18; at++, digits++) magnitude = magnitude * 10 + (uint64_t)(*at - '0');
    if (digits == 0) return false;
    input->at = at;
    *number = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

/* Looks whether the selected value is a NumPy array or scalar, and whether of objects. Returns false, after a message, if there
 * is no memory. */
static bool look(struct reader *input)
{
    snpy_array array;
    snpy_io_error error;
    const snpy_object_data *data = input->objects->data;
    const bool is_dtype = snpy_object_node(data, input->value)->role == SNPY_ROLE_DTYPE;
    const snpy_status status = is_dtype ? SNPY_WRONG_TYPE : snpy_object_array(data, input->value, &array, &error);
    input->is_array = status == SNPY_OK;
    input->has_object = input->is_array && array.header.has_object;
    input->header.ndim = 0;
    if (input->has_object) input->header = array.header;
    if (!is_dtype) snpy_array_release(&array);
    if (status != SNPY_NO_MEMORY) return true;
    input->result = cli_report_read(input->objects->name, &error);
    return false;
}

/* Selects the value of a key in quotes, of which the first is next. */
static bool take_key(struct reader *input)
{
    const char *begin = input->at++;
    uint8_t key[MAX_KEY];
    uint64_t size = 0;
    size_t surrogates = 0;
    const char *end = input->at;
    while (*end != *begin && *end != '\0') end += end[0] == '\\' && end[1] != '\0' ? 2 : 1;
    if (*end == '\0') return refuse_at(input, begin, "the key has no end");
    if (!snpy_object_is_dict(input->objects->data, input->value))
        return refuse_at(input, begin,
                         input->has_object ? "the array has no keys; [()] takes the value of one without dimensions"
                                           : "the value is not a dictionary");
    const size_t length = (size_t)(end - input->at);
    if (snpy_name_decode((const uint8_t *)input->at, length, 0, length, SNPY_NAME_UTF8, key, sizeof key, &size,
                         &surrogates) != SNPY_OK)
        return refuse_at(input, begin, "the key is not UTF-8, is longer than 4,096 bytes, or has an unknown escape");
    const int32_t found = snpy_object_find(input->objects->data, input->value, (const char *)key, (size_t)size);
    if (found == 0) return refuse_at(input, begin, "there is no such key");
    input->value = found;
    input->at = end + 1;
    return true;
}

/* Selects a member by its number, counted from the end if it is negative. */
static bool pick(struct reader *input, const char *begin, int64_t index)
{
    const snpy_object_data *data = input->objects->data;
    snpy_object_members members = snpy_object_begin(data, input->value);
    int64_t count = 0;
    while (snpy_object_next(data, &members) != 0) count++;
    if (index < -count || index >= count) {
        cli_stream *stream = cli_complain();
        cli_say(stream, "%-s: byte %" PRIu64 ": the index is outside of %" PRIu64 " members", input->whole,
                (uint64_t)(begin - input->whole), (uint64_t)count);
        return false;
    }
    if (index < 0) index += count;
    members = snpy_object_begin(data, input->value);
    while (index-- >= 0) input->value = snpy_object_next(data, &members);
    return true;
}

/* Selects the value of an integer key. */
static bool pick_key(struct reader *input, const char *begin, int64_t wanted)
{
    const snpy_object_data *data = input->objects->data;
    snpy_object_members members = snpy_object_begin(data, input->value);
    int32_t found = 0;
    for (int32_t key; (key = snpy_object_next(data, &members)) != 0 && !members.is_pair;) {
        int64_t number = 0;
        const int32_t value = snpy_object_next(data, &members);
        if (snpy_object_int(data, key, &number) == SNPY_OK && number == wanted) found = value;
    }
    if (found == 0) return refuse_at(input, begin, "there is no such key");
    input->value = found;
    return true;
}

/* Selects an element of an array of objects: by one number for each axis. */
static bool take_element(struct reader *input)
{
    const snpy_header *header = &input->header;
    const char *begin = input->at;
    const bool has_parentheses = take(input, '(');
    uint64_t index = 0;
    uint32_t axis = 0;
    for (int64_t number = 0; take_number(input, &number); axis++) {
        if (axis >= header->ndim) return refuse_at(input, begin, "there are more indices than axes");
        if (number < 0) number += (int64_t)header->shape[axis];
        if (number < 0 || (uint64_t)number >= header->shape[axis])
            return refuse_at(input, begin, "the index is outside of the array");
        index = index * header->shape[axis] + (uint64_t)number;
        if (!take(input, ',')) {
            axis++;
            break;
        }
    }
    if (has_parentheses && !take(input, ')')) return refuse_at(input, input->at, "')' is expected");
    if (axis != header->ndim)
        return refuse_at(input, begin,
                         "one number for each axis is expected: slices of object arrays are not supported");
    return pick(input, begin, (int64_t)index);
}

/* Reads one pair of brackets. */
static bool take_brackets(struct reader *input)
{
    int64_t number = 0;
    const snpy_node *node = snpy_object_node(input->objects->data, input->value);
    if (!take(input, '[')) return refuse_at(input, input->at, "'[' is expected");
    skip_blanks(input);
    const char *begin = input->at;
    bool is_taken = false;
    if (*begin == '\'' || *begin == '"')
        is_taken = take_key(input);
    else if (input->has_object)
        is_taken = take_element(input);
    else if (!take_number(input, &number))
        return refuse_at(input, begin, "a number or a key in quotes is expected");
    else if (snpy_object_is_dict(input->objects->data, input->value))
        is_taken = pick_key(input, begin, number);
    else if (node->kind == SNPY_NODE_LIST || node->kind == SNPY_NODE_TUPLE)
        is_taken = pick(input, begin, number);
    else
        return refuse_at(input, begin, "the value has no members to select");
    return is_taken && (take(input, ']') || refuse_at(input, input->at, "']' is expected"));
}

enum cli_exit cli_print_selected(const cli_values *objects, const char *whole, const char *indices)
{
    struct reader input = {.objects = objects, .whole = whole, .at = indices, .result = CLI_ACCEPTED};
    input.value = snpy_object_root(objects->data);
    bool is_known = look(&input);
    while (is_known && *input.at != '\0') {
        if (input.is_array && !input.has_object) break; /* the rest are indices of an array of numbers */
        if (!take_brackets(&input)) return cli_wrong_usage(&cli_messages);
        is_known = look(&input);
        skip_blanks(&input);
    }
    if (!is_known) return input.result;
    if (input.is_array && !input.has_object)
        return cli_print_inner(objects, input.value, whole, input.at, objects->form);
    if (objects->form == CLI_FORM_TEXT || objects->form == CLI_FORM_JSON)
        return cli_print_value(objects, input.value, input.has_object);
    cli_warn("%-s: objects are printed as text or JSON", objects->name);
    return CLI_TROUBLE;
}
