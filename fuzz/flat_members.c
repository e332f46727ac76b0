/* flat_members.c: the members of a flat archive that a harness begins with, and what is changed in them. */
#include "fuzz/flat.h"
#include "host/io.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ROWS 4096u /* of an array that gets more */

static const char *const words[] = {"",
                                    "none",
                                    "bool",
                                    "int",
                                    "bigint",
                                    "bigint-text",
                                    "float",
                                    "float-text",
                                    "complex",
                                    "date",
                                    "str",
                                    "datetime",
                                    "text",
                                    "timedelta",
                                    "bytes",
                                    "array",
                                    "scalar",
                                    "arrays",
                                    "matrix",
                                    "masked",
                                    "recarray",
                                    "object",
                                    "objects",
                                    "objects-nd",
                                    "objects-F",
                                    "list",
                                    "tuple",
                                    "set",
                                    "dict",
                                    "frozenset",
                                    "ref",
                                    "dict str",
                                    "dict mixed",
                                    "dict int",
                                    "OrderedDict",
                                    "defaultdict",
                                    "type:<f8",
                                    "type:|b1",
                                    "type:<U3",
                                    "global:numpy.ndarray",
                                    "call:builtins.slice",
                                    "build:numpy.dtype",
                                    "new:uuid.UUID",
                                    "call:os.system",
                                    "int?",
                                    "str?",
                                    "bool?",
                                    "float?",
                                    "bytes?",
                                    "defaultdict:list",
                                    "dict bytes"};

/* ---- whole sets --------------------------------------------------------------------------------------------- */

/* Whether there is a member with this name. */
static bool has_member(const snpy_flat *flat, const char *name)
{
    for (size_t i = 0; i < flat->count; i++)
        if (strcmp(flat->members[i].name, name) == 0) return true;
    return false;
}

static void keep(snpy_flat *flat, const char *name, const uint8_t *bytes, size_t size)
{
    FUZZ_MUST(snpy_flat_keep(flat, name, fuzz_copy(bytes, size), size) == SNPY_OK);
}

void fuzz_cut_members(struct fuzz_input *input, snpy_flat *flat)
{
    while (input->left > 0) {
        char name[256];
        const size_t length = fuzz_take(input, 1);
        size_t size = fuzz_take(input, 2);
        const size_t named = length < input->left ? length : input->left;
        memcpy(name, input->bytes, named);
        name[named] = '\0';
        input->bytes += named;
        input->left -= named;
        if (size > input->left) size = input->left;
        if (!has_member(flat, name)) keep(flat, name, input->bytes, size);
        input->bytes += size;
        input->left -= size;
    }
}

void fuzz_copy_members(const snpy_flat *from, snpy_flat *to)
{
    *to = (snpy_flat){.form = from->form};
    for (size_t i = 0; i < from->count; i++)
        keep(to, from->members[i].name, from->members[i].bytes, from->members[i].size);
}

bool fuzz_are_members_equal(snpy_flat *one, snpy_flat *other)
{
    snpy_flat_sort(one);
    snpy_flat_sort(other);
    if (one->count != other->count) return false;
    for (size_t i = 0; i < one->count; i++) {
        const snpy_flat_member *left = &one->members[i];
        const snpy_flat_member *right = &other->members[i];
        if (strcmp(left->name, right->name) != 0 || left->size != right->size) return false;
        if (memcmp(left->bytes, right->bytes, left->size) != 0) return false;
    }
    return true;
}

/* ---- changes ------------------------------------------------------------------------------------------------ */

/* The bytes of a member's header; all, if it has none. */
static size_t find_data(const snpy_flat_member *member)
{
    const uint8_t *bytes = member->bytes;
    if (member->size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return member->size;
    const size_t length = bytes[8] + 256u * (size_t)bytes[9] + (bytes[6] == 1 ? 10u : 12u);
    return length < member->size ? length : member->size;
}

/* Removes a row of an array, or adds a copy of one: its header has the new shape. */
static void change_rows(snpy_flat_member *member, size_t at, bool is_more)
{
    snpy_array array;
    snpy_array made;
    snpy_io_error error;
    snpy_description description;
    if (snpy_load_memory(member->bytes, member->size, NULL, &array, &error) != SNPY_OK) {
        snpy_array_release(&array);
        return;
    }
    const uint64_t rows = array.header.ndim > 0 ? array.header.shape[0] : 0;
    const size_t size = rows > 0 ? (size_t)(array.data_size / rows) : 0;
    if (rows > 0 && rows < MOST_ROWS) {
        const size_t place = at % rows * size;
        const size_t from = is_more ? place : place + size;
        array.header.shape[0] = is_more ? rows + 1 : rows - 1;
        snpy_array_describe(&array, &description);
        description.version = SNPY_VERSION_AUTO;
        if (snpy_make_new_head(description, 0, SNPY_BYTEORDER_KEEP, false, &made, &error) == SNPY_OK) {
            const size_t start = (size_t)made.header.frame.data_offset;
            const size_t rest = (size_t)array.data_size - from;
            uint8_t *bytes = fuzz_memory(start + array.data_size + size, 1);
            memcpy(bytes, made.head_, start);
            const size_t kept = is_more ? place + size : place;
            if (array.data_size > 0) {
                memcpy(bytes + start, array.data, kept);
                memcpy(bytes + start + kept, array.data + from, rest);
            }
            free(member->bytes);
            member->bytes = bytes;
            member->size = start + kept + rest;
        }
        snpy_array_release(&made);
    }
    snpy_array_release(&array);
}

/* Changes a field of a row of the schema: 1: its kind, 2: how its items are kept, 3: their number, 4: its key. */
static void change_row(snpy_flat_member *member, unsigned field, size_t at, size_t value)
{
    snpy_array array;
    snpy_io_error error;
    const snpy_status status = snpy_load_memory(member->bytes, member->size, NULL, &array, &error);
    if (status == SNPY_OK && array.table.field_count == 5 && array.header.ndim == 1 && array.header.count > 0) {
        const snpy_field *of = &array.table.fields[field];
        const size_t size = of->dtype.itemsize;
        uint8_t *row = member->bytes + array.header.frame.data_offset +
                       at % array.header.count * array.header.dtype.itemsize + (uint64_t)of->offset;
        if (field == 1 || field == 2) {
            const char *word = words[value % (sizeof words / sizeof words[0])];
            const size_t length = strlen(word);
            memset(row, 0, size);
            memcpy(row, word, length < size ? length : size);
        } else if (field == 3) {
            for (size_t i = 0; i < size; i++)
                row[i] = value < 0xf0 ? (i == 0 ? (uint8_t)value : 0) : (uint8_t)(value + 8);
        } else if (size > 0) {
            row[value / 128 % size] = (uint8_t)(value % 128);
        }
    }
    snpy_array_release(&array);
}

/* Adds to a digit of a header, or to a byte of its text. */
static void change_header(snpy_flat_member *member, size_t at, size_t value)
{
    const size_t end = find_data(member);
    size_t place = end > 8 ? 8 + at % (end - 8) : 0;
    for (size_t i = 0; i < end && end > 8 && value % 8 != 0; i++) {
        const size_t digit = 8 + (place - 8 + i) % (end - 8);
        if (member->bytes[digit] < '0' || member->bytes[digit] > '9') continue;
        member->bytes[digit] = (uint8_t)('0' + value / 8 % 10);
        return;
    }
    if (member->size > 0) member->bytes[place % member->size] = (uint8_t)(value / 8);
}

/* Changes a number of the data. */
static void change_number(snpy_flat_member *member, size_t at, size_t value)
{
    const size_t start = find_data(member);
    const size_t count = (member->size - start) / 8;
    if (count == 0) return;
    for (size_t i = 0; i < 8; i++)
        member->bytes[start + 8 * (at % count) + i] =
            value < 0xff00 ? (i < 2 ? (uint8_t)(value >> (8 * i)) : 0) : (uint8_t)value;
}

/* Removes a member. */
static void drop(snpy_flat *flat, snpy_flat_member *member)
{
    free(member->name);
    free(member->bytes);
    *member = flat->members[--flat->count];
}

/* Gives a member another name, unless there is one. */
static void rename_member(const snpy_flat *flat, snpy_flat_member *member, size_t at, size_t value)
{
    char name[256] = "";
    const size_t length = strlen(member->name);
    if (length == 0 || length >= sizeof name) return;
    memcpy(name, member->name, length + 1);
    name[at % length] = (char)(value % 95 + 32);
    if (!has_member(flat, name)) memcpy(member->name, name, length + 1);
}

/* Writes the header another way: with a longer version, or with more or fewer blanks at the end. */
static void respell(snpy_flat_member *member, size_t value)
{
    const size_t start = find_data(member);
    if (start == member->size || start < 12 || member->bytes[6] != 1) return;
    const size_t added = value % 3 == 0 ? 2 : value % 3 == 1 ? 64 : 0;
    const size_t removed = value % 3 == 2 && member->bytes[start - 2] == ' ' ? 1 : 0;
    const size_t old = start - 10;
    const size_t length = added == 2 ? old : old + added - removed;
    uint8_t *bytes = fuzz_memory(member->size + added, 1);
    const size_t prefix = added == 2 ? 12 : 10;
    memcpy(bytes, member->bytes, 8);
    memset(bytes + 8, 0, 4);
    bytes[6] = added == 2 ? 2 : 1;
    bytes[8] = (uint8_t)length;
    bytes[9] = (uint8_t)(length >> 8);
    memset(bytes + prefix, ' ', length);
    memcpy(bytes + prefix, member->bytes + 10, old - 1 < length - 1 ? old - 1 : length - 1);
    bytes[prefix + length - 1] = '\n';
    memcpy(bytes + prefix + length, member->bytes + start, member->size - start);
    member->size = prefix + length + member->size - start;
    free(member->bytes);
    member->bytes = bytes;
}

/* Gives a member the bytes of another one. */
static void copy_bytes(snpy_flat_member *member, const snpy_flat_member *from)
{
    uint8_t *bytes = fuzz_copy(from->bytes, from->size);
    member->size = from->size;
    free(member->bytes);
    member->bytes = bytes;
}

/* Changes a byte of the data, counted from the front or from the end. */
static void change_byte(snpy_flat_member *member, size_t at, size_t value, bool is_last)
{
    const size_t start = find_data(member);
    const size_t length = member->size - start;
    if (length == 0) return;
    member->bytes[is_last ? member->size - 1 - at % 16 % length : start + at % length] = (uint8_t)value;
}

/* Changes a member, or the schema. */
static void edit(snpy_flat *flat, unsigned what, snpy_flat_member *member, size_t at, size_t value)
{
    const bool has_same = flat->count > 1 && strcmp(flat->members[0].name, "$same") == 0;
    snpy_flat_member *schema = &flat->members[has_same ? 1 : 0]; /* no other name sorts before them */
    switch (what) {
    case 4:
    case 5:
        change_rows(value % 2 == 0 ? schema : member, at, what == 4);
        break;
    case 6:
    case 7:
        change_number(member, at, value);
        break;
    case 8:
        change_header(member, at, value);
        break;
    case 9:
        rename_member(flat, member, at, value);
        break;
    case 10:
        drop(flat, member);
        break;
    case 11:
        copy_bytes(member, &flat->members[value % flat->count]);
        break;
    case 12:
        if (member->size > 0) member->size -= at % member->size;
        break;
    case 13:
    case 14:
        change_byte(member, at, value, what == 14);
        break;
    case 15:
        respell(member, value);
        break;
    default:
        change_row(schema, 1 + what, at, value);
        break;
    }
}

void fuzz_edit_members(struct fuzz_input *input, unsigned count, snpy_flat *flat)
{
    while (count-- > 0 && flat->count > 0) {
        const unsigned what = fuzz_below(input, 16);
        const size_t member = fuzz_take(input, 1) % flat->count;
        const size_t at = fuzz_take(input, 2);
        const size_t value = fuzz_take(input, 2);
        edit(flat, what, &flat->members[member], at, value);
        snpy_flat_sort(flat);
    }
}
