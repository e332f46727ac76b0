/* index.c: reads indices as NumPy writes them: a.npy[0:3, ::2]['x'].
 * The core's views apply them.
 *
 * Each pair of brackets is applied to the result of the one before, as in Python: [2][3] is [2, 3]. */
#include "cli/data.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* The state of parsing indices. */
typedef struct reader {
    cli_subject *about;
    const char *whole; /* the argument, for messages: a file's name with its indices, or the indices of --slice */
    const char *at;    /* the next byte of it */
    snpy_view *view;
    uint32_t axis; /* the axis that the next index in these brackets applies to */
    bool has_ellipsis;
} reader;

/* Begins a message about a byte of the argument, with the file's name first if the argument has only indices. Returns its
 * stream. */
static cli_stream *complain_at(const reader *input, const char *at)
{
    cli_stream *stream = cli_complain();
    const char *name = input->about->name;
    if (strncmp(input->whole, name, strlen(name)) != 0) { /* the indices are those of --slice */
        cli_say(stream, "%-s: ", name);
    }
    cli_say(stream, "%-s: byte %" PRIu64 ": ", input->whole, (uint64_t)(at - input->whole));
    return stream;
}

/* Writes a message about a byte of the argument. Returns false. */
static bool refuse_at(const reader *input, const char *at, const char *text)
{
    cli_put(complain_at(input, at), text);
    return false;
}

static void skip_blanks(reader *input)
{
    while (*input->at == ' ') input->at++;
}

/* Skips blanks, and a character if it is next. Returns whether it was. */
static bool take(reader *input, char wanted)
{
    skip_blanks(input);
    if (*input->at != wanted) return false;
    input->at++;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads a number if one is next; returns false if not. A number that does not fit into 64 bits becomes the largest,
 * which selects the same. */
static bool take_number(reader *input, int64_t *number)
{
    skip_blanks(input);
    const char *at = input->at;
    bool is_negative = *at == '-';
    uint64_t magnitude = 0;
    if (*at == '-' || *at == '+') at++;
    if (!is_digit(*at)) return false;
    for (; is_digit(*at); at++)
        magnitude =
            magnitude > (uint64_t)INT64_MAX / 10 - 1 ? (uint64_t)INT64_MAX : magnitude * 10 + (uint64_t)(*at - '0');
    input->at = at;
    *number = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

/* Applies an index to the current axis, which goes away. Returns false after a message. */
static bool pick(reader *input, const char *begin, int64_t index)
{
    snpy_error error;
    uint64_t length = input->axis < input->view->ndim ? input->view->shape[input->axis] : 0;
    snpy_status status = snpy_view_index(input->view, input->axis, index, &error);
    if (status == SNPY_OK) return true;
    if (status != SNPY_BAD_INDEX) return refuse_at(input, begin, snpy_status_message(status));
    cli_stream *stream = complain_at(input, begin);
    cli_say(stream, "the index is outside of an axis of %" PRIu64, length);
    return false;
}

/* Reads the rest of a slice after its first colon and applies the slice. Returns false after a message. */
static bool take_slice(reader *input, const char *begin, snpy_slice *slice)
{
    snpy_error error;
    slice->has_stop = take_number(input, &slice->stop);
    if (take(input, ':')) slice->has_step = take_number(input, &slice->step);
    if (slice->has_step && slice->step == 0) return refuse_at(input, begin, "the step of a slice cannot be 0");
    snpy_status status = snpy_view_slice(input->view, input->axis, slice, &error);
    if (status != SNPY_OK) return refuse_at(input, begin, snpy_status_message(status));
    input->axis++;
    return true;
}

/* Returns the number of axes that the indices from `at` to the closing bracket need. */
static uint32_t count_indices(const char *at)
{
    uint32_t count = 0;
    bool is_empty = true;
    for (; *at != ']' && *at != '\0'; at++) {
        if (*at == ',' && !is_empty) count++;
        if (*at != ' ') is_empty = *at == ',';
    }
    return count + (is_empty ? 0 : 1);
}

/* Reads an ellipsis: skips all axes but those that the indices after it need. Returns false after a message. */
static bool take_ellipsis(reader *input)
{
    const char *begin = input->at;
    if (input->has_ellipsis) return refuse_at(input, begin, "there is an ellipsis before this one");
    input->has_ellipsis = true;
    input->at += 3;
    skip_blanks(input);
    uint32_t indices_after = *input->at == ',' ? count_indices(input->at + 1) : 0;
    if (input->view->ndim - input->axis < indices_after)
        return refuse_at(input, begin, "there are more indices than axes");
    input->axis = input->view->ndim - indices_after;
    return true;
}

/* Reports an index that Python may know and this command does not. Returns false. */
static bool refuse_index(const reader *input)
{
    static const char *const axes[] = {"None", "newaxis", "np.newaxis"};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++)
        if (strncmp(input->at, axes[i], strlen(axes[i])) == 0)
            return refuse_at(input, input->at, "no axes can be added (None, newaxis)");
    if (*input->at == '[' || *input->at == '(')
        return refuse_at(input, input->at, "lists cannot be indices; a field is written ['name']");
    return refuse_at(input, input->at, "a number, a slice, '...' or the name of a field in quotes is expected");
}

/* Reads and applies one index. Returns false after a message. */
static bool take_index(reader *input)
{
    snpy_slice slice = {0, 0, 0, false, false, false};
    skip_blanks(input);
    const char *begin = input->at;
    if (strncmp(begin, "...", 3) == 0) return take_ellipsis(input);
    bool has_number = take_number(input, &slice.start);
    bool is_slice = take(input, ':');
    if (!has_number && !is_slice) return refuse_index(input);
    if (input->axis >= input->view->ndim) return refuse_at(input, begin, "there are more indices than axes");
    if (!is_slice) return pick(input, begin, slice.start);
    slice.has_start = has_number;
    return take_slice(input, begin, &slice);
}

/* Returns the closing quote of a text, or the end of the argument if there is none. */
static const char *find_quote(const char *at, char quote)
{
    while (*at != quote && *at != '\0') at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
    return at;
}

/* Whether the name or title at `offset` of the header text, decoded, is the `size` bytes at `wanted`. Without meaning if the
 * error of standard output is set: there was no memory. */
static bool is_name_in_header(cli_subject *about, uint32_t offset, uint32_t length, const uint8_t *wanted, size_t size)
{
    bool has_surrogates;
    return cli_decode_name(about, offset, length, &has_surrogates) == size &&
           (size == 0 || memcmp(about->scratch, wanted, size) == 0);
}

/* Finds the field with a name or title in the record of the view. Returns its entry; 0 if there is none, because 0 is a
 * record. */
static uint32_t find_field(const reader *input, const uint8_t *name, size_t size)
{
    const snpy_table *table = input->about->table;
    uint32_t record = input->view->entry;
    if (record + 1 >= table->field_count || table->fields[record + 1].parent != record) return 0;
    for (uint32_t entry = record + 1; entry != 0; entry = table->fields[entry].next) {
        const snpy_field *field = &table->fields[entry];
        if (field->is_padding) continue; /* every other field has a name */
        if (is_name_in_header(input->about, field->name_offset, field->name_length, name, size)) return entry;
        if (field->has_title && is_name_in_header(input->about, field->title_offset, field->title_length, name, size))
            return entry;
    }
    return 0;
}

/* Reads a field's name, whose first quote is next, and selects the field. Returns false after a message. */
static bool take_field(reader *input)
{
    const char *begin = input->at++;
    const char *end = find_quote(input->at, *begin);
    uint8_t name[4096];
    uint64_t size = 0;
    size_t surrogates = 0;
    snpy_error error;
    if (*end == '\0') return refuse_at(input, begin, "the name has no end");
    if (input->view->dtype.kind != SNPY_KIND_RECORD) return refuse_at(input, begin, "the elements have no fields");
    snpy_status status =
        snpy_name_decode((const uint8_t *)input->at, (size_t)(end - input->at), 0, (size_t)(end - input->at),
                         SNPY_NAME_UTF8, name, sizeof name, &size, &surrogates);
    if (status == SNPY_WRITE_NAME)
        return refuse_at(input, begin, "the name is not UTF-8, or has an escape that headers do not have");
    uint32_t entry = status == SNPY_OK ? find_field(input, name, (size_t)size) : 0;
    if (cli_output.error != 0) return false; /* out of memory: no name was decoded */
    if (entry == 0) return refuse_at(input, begin, "there is no such field");
    status = snpy_view_field(input->view, input->about->table, entry, &error);
    if (status != SNPY_OK) return refuse_at(input, begin, snpy_status_message(status));
    input->at = end + 1;
    return true;
}

/* Reads and applies one pair of brackets. Returns false after a message. */
static bool take_brackets(reader *input)
{
    input->axis = 0;
    input->has_ellipsis = false;
    if (!take(input, '[')) return refuse_at(input, input->at, "'[' is expected");
    skip_blanks(input);
    bool is_field = *input->at == '\'' || *input->at == '"';
    if (is_field && !take_field(input)) return false;
    for (bool goes_on = !is_field; goes_on;) {
        if (!take_index(input)) return false;
        goes_on = take(input, ',');
        skip_blanks(input);
        if (*input->at == ']') goes_on = false; /* a trailing comma */
    }
    if (take(input, ']')) return true;
    return refuse_at(input, input->at, is_field ? "']' is expected" : "',' or ']' is expected");
}

bool cli_take_index(cli_subject *about, const char *whole, const char *text, snpy_view *view)
{
    reader input = {about, whole, text, view, 0, false};
    while (*input.at != '\0') {
        if (!take_brackets(&input)) return false;
        skip_blanks(&input);
    }
    return true;
}

/* Whether the first `length` bytes of an argument name an existing file. */
static bool is_file(const char *argument, size_t length)
{
    char name[4096];
    if (length == 1 && argument[0] == '-') return true;
    if (length == 0 || length >= sizeof name) return false;
    memcpy(name, argument, length);
    name[length] = '\0';
    return access(name, F_OK) == 0;
}

/* Returns the length of the longest existing file name that ends before a '[', at byte `least` or later; 0 if there is
 * none. */
static size_t find_file(const char *argument, size_t least)
{
    for (size_t at = strlen(argument); at-- > least;)
        if (argument[at] == '[' && is_file(argument, at)) return at;
    return 0;
}

size_t cli_name_length(const char *argument)
{
    const size_t whole = strlen(argument);
    const size_t first = strcspn(argument, "[");
    if (first == whole || is_file(argument, whole)) return whole;
    const size_t archive = cli_archive_length(argument);
    const size_t file = find_file(argument, archive > first ? archive : first);
    if (file > 0) return file;
    if (archive > first) return archive + strcspn(argument + archive, "["); /* a[1].npz:x[0:3] */
    return first > 0 ? first : whole;
}
