/* object_compare.c: compares the values of two object arrays, and writes where they differ.
 * object_walk.c steps through members, compare.c compares arrays of numbers, object_values.c writes values.
 *
 * Pairs of values are compared, each pair once: so what contains itself ends, and what occurs a thousand times costs one
 * comparison. Two files can still have more pairs than values, which a limit is for. Values without members are compared
 * by an encoding, which also sorts the keys of dictionaries. */
#include "cli/object_compare.h"
#include "cli/object_walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PAIRS ((uint64_t)1 << 24) /* a table of nodes has 10,000,000 entries */
#define MOST_SHOWN 10u
#define CODE_LEVELS 256u /* of tuples and calls in one another in a key or in the arguments of a call */

/* ---- encodings ------------------------------------------------------------------------------------------------ */

/* Bytes that grow. */
struct code {
    uint8_t *bytes; /* owned */
    size_t length;
    size_t capacity;
};

/* A key of a dictionary, or a member of a set. */
struct key {
    size_t at; /* of its encoding */
    size_t size;
    const uint8_t *bytes; /* its encoding */
    int32_t key;
    int32_t value; /* 0: a member of a set */
    bool is_found; /* the other side has it, too */
};

/* A key in the order of encodings. */
struct sorted {
    struct key *key;
};

/* The keys of one side. */
struct keys {
    struct code code;
    struct key *keys;     /* owned, in their order in the file */
    struct sorted *order; /* owned: in the order of their encodings */
    size_t count;
};

enum form { FORM_ELEMENTS, FORM_MEMBERS, FORM_DICT, FORM_SET };

/* Two containers that are compared. */
struct level {
    enum form form;
    bool differs;
    int32_t values[2];
    size_t slot;    /* of the pair in `seen`; SIZE_MAX: none */
    uint64_t index; /* of the members that are compared */
    bool is_begun;  /* members were compared */
    uint32_t ndim;  /* of elements */
    uint64_t shape[SNPY_MAX_NDIM];
    snpy_object_members members[2];
    struct keys keys[2];
    size_t next;           /* of keys: the first that was not compared; those of side 1 follow those of side 0 */
    size_t last;           /* of keys: the greatest number that one of side 0 has had on side 1 */
    bool is_mixed;         /* the keys have another order on side 1 */
    const struct key *key; /* whose values are compared; NULL: none */
};

/* The pairs that were seen, by open addressing: bit 63 is set in all, bit 31 in those that differ. 0: free. */
struct seen {
    uint64_t *pairs; /* owned */
    size_t capacity; /* a power of two */
    size_t count;
};

#define IN_USE ((uint64_t)1 << 63)
#define DIFFERS ((uint64_t)1 << 31)

struct comparer {
    const cli_values *sides; /* two */
    bool json;
    uint64_t pairs; /* that may still be compared */
    uint64_t bytes;
    struct seen seen;
    struct code codes[2];
    cli_side *inner; /* owned: two, for arrays of numbers */
    enum cli_exit result;
    cli_object_differences *found;
    uint32_t depth;
    struct level *levels; /* owned: CLI_OBJECT_LEVELS */
};

static void fail(struct comparer *about, enum cli_exit result)
{
    if (about->result == CLI_ACCEPTED) about->result = result;
}

static void fail_for_memory(struct comparer *about, int side)
{
    snpy_io_error error = {.call = NULL};
    (void)snpy_io_no_memory(&error, "malloc");
    fail(about, cli_report_read(about->sides[side].name, &error));
}

/* Counts bytes that are compared. Returns false, after a message, if there are too many. */
static bool charge(struct comparer *about, int side, uint64_t bytes)
{
    if (bytes <= about->bytes) {
        about->bytes -= bytes;
        return true;
    }
    if (about->result == CLI_ACCEPTED)
        cli_warn("%-s: the values have more than 4 GiB of text and data to compare", about->sides[side].name);
    fail(about, CLI_TROUBLE);
    return false;
}

/* Lengthens an encoding by `size` bytes, which the caller fills in. Returns NULL after a message. */
static uint8_t *extend(struct comparer *about, int side, struct code *code, uint64_t size)
{
    if (!charge(about, side, size)) return NULL;
    if (size > code->capacity - code->length) {
        const uint64_t wanted = 2 * (code->length + size) + 64;
        uint8_t *grown = wanted <= SIZE_MAX ? realloc(code->bytes, (size_t)wanted) : NULL;
        if (grown == NULL) {
            fail_for_memory(about, side);
            return NULL;
        }
        code->bytes = grown;
        code->capacity = (size_t)wanted;
    }
    uint8_t *at = code->bytes + code->length;
    code->length += (size_t)size;
    return at;
}

static void add(struct comparer *about, int side, struct code *code, const void *bytes, size_t size)
{
    uint8_t *at = extend(about, side, code, size);
    if (at != NULL && size > 0) memcpy(at, bytes, size);
}

/* Adds bytes of which the number is not known from what was added before. */
static void add_counted(struct comparer *about, int side, struct code *code, const void *bytes, uint64_t size)
{
    add(about, side, code, &size, sizeof size);
    add(about, side, code, bytes, (size_t)size);
}

/* Adds a text or bytes. */
static void add_text(struct comparer *about, int side, struct code *code, int32_t value)
{
    const snpy_object_data *data = about->sides[side].data;
    const uint64_t length = snpy_object_text(data, value, NULL, 0);
    add(about, side, code, &length, sizeof length);
    uint8_t *at = extend(about, side, code, length);
    if (at != NULL) (void)snpy_object_text(data, value, at, length);
}

/* Adds the header of a dtype, scalar or array, which says what it is, and the data. Returns false if that is not all. */
static bool add_array(struct comparer *about, int side, struct code *code, int32_t value)
{
    snpy_array array;
    snpy_io_error error;
    const snpy_status status = snpy_object_array(about->sides[side].data, value, &array, &error);
    if (status == SNPY_OK) {
        add_counted(about, side, code, array.text, array.header.frame.header_len);
        add_counted(about, side, code, array.data, array.data_size);
    }
    const bool is_whole = status == SNPY_OK && !array.header.has_object;
    if (status == SNPY_NO_MEMORY) fail_for_memory(about, side);
    snpy_array_release(&array);
    return is_whole;
}

/* Adds what a value is, and its content if it has no members. */
static void add_leaf(struct comparer *about, int side, struct code *code, int32_t value, enum cli_sort sort)
{
    const snpy_object_data *data = about->sides[side].data;
    const uint8_t tag = (uint8_t)sort;
    char digits[SNPY_OBJECT_DIGITS];
    double number = 0;
    const char *name = cli_global_name(snpy_object_node(data, value)->role);
    add(about, side, code, &tag, 1);
    switch (sort) {
    case CLI_SORT_INT:
        add_counted(about, side, code, digits, snpy_object_digits(data, value, digits));
        return;
    case CLI_SORT_FLOAT:
        (void)snpy_object_float(data, value, &number);
        add(about, side, code, &number, sizeof number);
        return;
    case CLI_SORT_TEXT:
    case CLI_SORT_BYTES:
    case CLI_SORT_BYTEARRAY:
        add_text(about, side, code, value);
        return;
    case CLI_SORT_COMPLEX:
    case CLI_SORT_SCALAR:
    case CLI_SORT_DTYPE:
    case CLI_SORT_MOMENT:
    case CLI_SORT_CALL:
    case CLI_SORT_GLOBAL:
    case CLI_SORT_ARRAY:
        add_counted(about, side, code, name, strlen(name));
        return;
    default:
        return;
    }
}

/* Adds a value without members, or a tuple of such: a key, or what a call has as arguments and state. */
static void encode(struct comparer *about, int side, struct code *code, int32_t value)
{
    static const uint8_t end = 0xff;
    const snpy_object_data *data = about->sides[side].data;
    int32_t pending[CODE_LEVELS] = {value}; /* a value that comes before the members of its level; 0: none */
    snpy_object_members members[CODE_LEVELS];
    uint32_t depth = 0;
    members[0] = (snpy_object_members){0, 0, 0, false, false};
    while (about->result == CLI_ACCEPTED) {
        const int32_t one = pending[depth] != 0 ? pending[depth] : snpy_object_next(data, &members[depth]);
        pending[depth] = 0;
        if (one == 0) {
            if (depth == 0) return;
            depth--;
            add(about, side, code, &end, 1);
            continue;
        }
        const enum cli_sort sort = cli_object_sort(snpy_object_node(data, one));
        add_leaf(about, side, code, one, sort);
        const bool is_array = sort == CLI_SORT_SCALAR || sort == CLI_SORT_DTYPE || sort == CLI_SORT_ARRAY;
        if (is_array && add_array(about, side, code, one)) continue;
        if (sort < CLI_SORT_COMPLEX || sort == CLI_SORT_GLOBAL) continue;
        if (depth + 1 == CODE_LEVELS) {
            cli_warn("%-s: more than 255 values in one another in a key", about->sides[side].name);
            fail(about, CLI_TROUBLE);
            return;
        }
        depth++;
        pending[depth] = sort < CLI_SORT_LIST ? snpy_object_arguments(data, one) : 0;
        const int32_t state = sort < CLI_SORT_LIST ? snpy_object_state(data, one) : one;
        members[depth] = snpy_object_begin(data, state);
    }
}

/* Whether two encodings are the same. */
static bool is_same_code(const struct code *one, const struct code *other)
{
    return one->length == other->length && (one->length == 0 || memcmp(one->bytes, other->bytes, one->length) == 0);
}

/* Whether two values without members are the same. */
static bool is_same_leaf(struct comparer *about, const int32_t values[2])
{
    for (int i = 0; i < 2; i++) {
        about->codes[i].length = 0;
        encode(about, i, &about->codes[i], values[i]);
    }
    return is_same_code(&about->codes[0], &about->codes[1]);
}

/* ---- keys ----------------------------------------------------------------------------------------------------- */

static int compare_keys(const void *one, const void *other)
{
    const struct key *left = ((const struct sorted *)one)->key;
    const struct key *right = ((const struct sorted *)other)->key;
    const size_t size = left->size < right->size ? left->size : right->size;
    const int order = memcmp(left->bytes, right->bytes, size); /* no encoding is empty */
    if (order != 0) return order;
    return left->size < right->size ? -1 : left->size > right->size ? 1 : 0;
}

static void release_keys(struct keys *keys)
{
    free(keys->code.bytes);
    free(keys->keys);
    free(keys->order);
}

/* Encodes the keys of a dictionary, or the members of a set, and sorts them. Returns false after a message. */
static bool take_keys(struct comparer *about, int side, int32_t value, bool is_set, struct keys *keys)
{
    const snpy_object_data *data = about->sides[side].data;
    cli_entries entries = cli_begin_entries(data, value);
    size_t count = 0;
    while (cli_next_entry(data, &entries) != 0) count++;
    count = is_set ? count : count / 2;
    keys->keys = calloc(count + 1, sizeof *keys->keys); /* never 0 */
    keys->order = calloc(count + 1, sizeof *keys->order);
    if (keys->keys == NULL || keys->order == NULL) {
        fail_for_memory(about, side);
        return false;
    }
    entries = cli_begin_entries(data, value);
    for (; keys->count < count && about->result == CLI_ACCEPTED; keys->count++) {
        struct key *one = &keys->keys[keys->count];
        one->key = cli_next_entry(data, &entries);
        one->value = is_set ? 0 : cli_next_entry(data, &entries);
        one->at = keys->code.length;
        encode(about, side, &keys->code, one->key);
        one->size = keys->code.length - one->at;
    }
    if (about->result != CLI_ACCEPTED) return false;
    for (size_t i = 0; i < count; i++) {
        keys->keys[i].bytes = keys->code.bytes + keys->keys[i].at;
        keys->order[i].key = &keys->keys[i];
    }
    if (count > 0) qsort(keys->order, count, sizeof *keys->order, compare_keys);
    return true;
}

/* Finds a key of one side on the other; NULL if it is not there. */
static struct key *find_key(const struct keys *keys, struct key *wanted)
{
    const struct sorted sought = {wanted};
    if (keys->count == 0) return NULL;
    const struct sorted *found = bsearch(&sought, keys->order, keys->count, sizeof *keys->order, compare_keys);
    return found != NULL ? found->key : NULL;
}

/* ---- pairs that were seen ------------------------------------------------------------------------------------- */

/* Returns the slot of a pair, or that where it belongs. */
static size_t slot_of(const struct seen *seen, uint64_t pair)
{
    const size_t mask = seen->capacity - 1;
    size_t slot = (size_t)((pair * 0x9e3779b97f4a7c15u) >> 20) & mask;
    while (seen->pairs[slot] != 0 && (seen->pairs[slot] & ~DIFFERS) != pair) slot = (slot + 1) & mask;
    return slot;
}

/* Doubles the table. Returns false if there is no memory. */
static bool grow_seen(struct comparer *about)
{
    struct seen *seen = &about->seen;
    struct seen larger = {.capacity = seen->capacity > 0 ? 2 * seen->capacity : 1024, .count = seen->count};
    larger.pairs = calloc(larger.capacity, sizeof *larger.pairs);
    if (larger.pairs == NULL) return false;
    for (size_t i = 0; i < seen->capacity; i++)
        if (seen->pairs[i] != 0) larger.pairs[slot_of(&larger, seen->pairs[i] & ~DIFFERS)] = seen->pairs[i];
    for (uint32_t i = 0; i < about->depth; i++) {
        size_t *slot = &about->levels[i].slot;
        if (*slot != SIZE_MAX) *slot = slot_of(&larger, seen->pairs[*slot] & ~DIFFERS);
    }
    free(seen->pairs);
    *seen = larger;
    return true;
}

/* Notes a pair if one of its values may occur again. Returns false if it was seen before, or after a message. */
static bool note_pair(struct comparer *about, const int32_t values[2], size_t *slot)
{
    *slot = SIZE_MAX;
    if (about->pairs == 0) {
        cli_warn("%-s: more than 16,777,216 pairs of values to compare", about->sides[0].name);
        fail(about, CLI_TROUBLE);
        return false;
    }
    about->pairs--;
    if (!snpy_object_is_shared(about->sides[0].data, values[0]) &&
        !snpy_object_is_shared(about->sides[1].data, values[1]))
        return true;
    if (2 * about->seen.count >= about->seen.capacity && !grow_seen(about)) {
        fail_for_memory(about, 0);
        return false;
    }
    const uint64_t pair = IN_USE | (uint64_t)(uint32_t)values[0] << 32 | (uint32_t)values[1];
    const size_t at = slot_of(&about->seen, pair);
    if (about->seen.pairs[at] != 0) {
        if ((about->seen.pairs[at] & DIFFERS) != 0 && about->depth > 0) about->levels[about->depth - 1].differs = true;
        return false;
    }
    about->seen.pairs[at] = pair;
    about->seen.count++;
    *slot = at;
    return true;
}

/* ---- differences ---------------------------------------------------------------------------------------------- */

/* Writes the indices of the element of an array that has a number in C order: "1, 2". */
static void put_element(const struct level *level)
{
    uint64_t index[SNPY_MAX_NDIM];
    uint64_t number = level->index;
    for (uint32_t k = level->ndim; k > 0; number /= level->shape[k - 1], k--)
        index[k - 1] = number % level->shape[k - 1];
    for (uint32_t k = 0; k < level->ndim; k++) {
        if (k > 0) cli_put(&cli_output, ", ");
        cli_put_number(&cli_output, index[k]);
    }
}

/* Writes a key as Python writes it, if it is a string, else as JSON. */
static void put_key(struct comparer *about, int side, int32_t key)
{
    const snpy_object_data *data = about->sides[side].data;
    struct code *code = &about->codes[side];
    if (about->json || cli_object_sort(snpy_object_node(data, key)) != CLI_SORT_TEXT) {
        fail(about, cli_preview_value(&about->sides[side], key, false));
        return;
    }
    code->length = 0;
    const uint64_t length = snpy_object_text(data, key, NULL, 0);
    uint8_t *at = extend(about, side, code, length);
    if (at == NULL) return;
    (void)snpy_object_text(data, key, at, length);
    cli_put_quoted(at, (size_t)length, CLI_STYLE_TEXT);
}

/* Writes the index of the members of a level that are compared. */
static void put_index(struct comparer *about, const struct level *level)
{
    const bool is_element = level->form == FORM_ELEMENTS;
    if (!about->json || is_element) cli_put(&cli_output, "[");
    if (is_element)
        put_element(level);
    else if (level->form == FORM_MEMBERS)
        cli_put_number(&cli_output, level->index);
    else
        put_key(about, level->next <= level->keys[0].count ? 0 : 1, level->key->key);
    if (is_element && !about->json && level->ndim == 0) cli_put(&cli_output, "()");
    if (!about->json || is_element) cli_put(&cli_output, "]");
}

/* Writes the path to the values that are compared: "[0]['x'][2]", or as the keys `index` and `path`, without what ends
 * them. */
static void put_path(struct comparer *about)
{
    cli_put(&cli_output, about->json ? (about->found->shown > 0 ? ", {\"index\": " : "{\"index\": ") : "at ");
    for (uint32_t i = 0; i < about->depth; i++) {
        const struct level *level = &about->levels[i];
        const bool is_last = i + 1 == about->depth;
        if (is_last && (level->form == FORM_SET || (level->form == FORM_DICT && level->key == NULL))) break;
        if (i > 1 && about->json) cli_put(&cli_output, ", ");
        put_index(about, level);
        if (i == 0 && about->json) cli_put(&cli_output, ", \"path\": [");
    }
}

/* Begins to write a difference: its path. Returns false if enough were written. */
static bool begin_difference(struct comparer *about)
{
    struct level *level = &about->levels[about->depth - 1];
    level->differs = true;
    about->found->count++;
    if (about->found->count > MOST_SHOWN) return false;
    put_path(about);
    about->found->shown++;
    return true;
}

/* Returns the name of the type of a value, as Python has it. */
static const char *type_name(const snpy_object_data *data, int32_t value)
{
    static const char *const names[] = {
        [CLI_SORT_NONE] = "None",   [CLI_SORT_FALSE] = "bool",          [CLI_SORT_TRUE] = "bool",
        [CLI_SORT_INT] = "int",     [CLI_SORT_FLOAT] = "float",         [CLI_SORT_TEXT] = "str",
        [CLI_SORT_BYTES] = "bytes", [CLI_SORT_BYTEARRAY] = "bytearray", [CLI_SORT_COMPLEX] = "complex",
        [CLI_SORT_LIST] = "list",   [CLI_SORT_TUPLE] = "tuple",         [CLI_SORT_SET] = "set",
        [CLI_SORT_DICT] = "dict",   [CLI_SORT_FROZENSET] = "frozenset", [CLI_SORT_ARRAY] = NULL};
    const snpy_node *node = snpy_object_node(data, value);
    const enum cli_sort sort = cli_object_sort(node);
    if (node->kind == SNPY_NODE_CALL && node->role == SNPY_ROLE_RECONSTRUCT) { /* of a subclass, too */
        snpy_object_members members = snpy_object_begin(data, snpy_object_arguments(data, value));
        return cli_global_name(snpy_object_node(data, snpy_object_next(data, &members))->role);
    }
    return names[sort] != NULL && (sort != CLI_SORT_DICT || node->kind != SNPY_NODE_CALL) ? names[sort]
                                                                                          : cli_global_name(node->role);
}

/* Writes one of two values, 0 if there is none, with its type if the types differ. */
static void put_side(struct comparer *about, int side, const int32_t values[2])
{
    const cli_values *objects = &about->sides[side];
    const char *types[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++)
        if (values[i] != 0) types[i] = type_name(about->sides[i].data, values[i]);
    const bool has_types = types[0] != NULL && types[1] != NULL && strcmp(types[0], types[1]) != 0;
    if (values[side] == 0) {
        if (!about->json) cli_put(&cli_output, "missing");
        return;
    }
    if (about->json) cli_say(&cli_output, side == 0 ? ", \"a\": " : ", \"b\": ");
    if (has_types && !about->json) cli_say(&cli_output, "%s ", types[side]);
    fail(about, cli_preview_value(objects, values[side], false));
    if (has_types && about->json)
        cli_say(&cli_output, side == 0 ? ", \"a_type\": \"%s\"" : ", \"b_type\": \"%s\"", types[side]);
}

/* Writes a difference of two values; 0: one that only the other side has. `what` says what of them differs, or NULL. */
static void put_difference(struct comparer *about, int32_t one, int32_t other, const char *what)
{
    const int32_t values[2] = {one, other};
    if (!begin_difference(about)) return;
    if (about->json) cli_put(&cli_output, "]");
    if (what != NULL) cli_say(&cli_output, about->json ? ", \"what\": \"%s\"" : ", %s", what);
    if (!about->json) cli_put(&cli_output, ": ");
    put_side(about, 0, values);
    if (!about->json) cli_put(&cli_output, " | ");
    put_side(about, 1, values);
    cli_put(&cli_output, about->json ? "}" : "\n");
}

/* ---- arrays --------------------------------------------------------------------------------------------------- */

/* Writes where the elements of two arrays of numbers differ. */
static void put_elements(struct comparer *about, cli_comparison *result)
{
    snpy_status status = SNPY_OK;
    if (!begin_difference(about)) return;
    cli_put_inner_place(result, about->json, about->depth == 1);
    for (int i = 0; i < 2 && status == SNPY_OK; i++) {
        if (about->json)
            cli_put(&cli_output, i == 0 ? "], \"a\": " : ", \"b\": ");
        else
            cli_put(&cli_output, i == 0 ? ": " : " | ");
        status = cli_put_first(result, i, about->json ? CLI_STYLE_JSON : CLI_STYLE_TEXT);
    }
    cli_say(&cli_output, about->json ? ", \"differing\": %" PRIu64 : " (%" PRIu64, result->differing);
    cli_say(&cli_output, about->json ? ", \"count\": %" PRIu64 "}" : " of %" PRIu64 ")\n", result->count);
    if (status != SNPY_OK) fail(about, cli_report_read(about->sides[result->side].name, &result->error));
}

/* Whether two arrays of numbers have the same header and the same bytes. */
static bool is_same_array(const snpy_array *one, const snpy_array *other)
{
    const size_t length = one->header.frame.header_len;
    return length == other->header.frame.header_len && one->data_size == other->data_size &&
           memcmp(one->text, other->text, length) == 0 &&
           (one->data_size == 0 || memcmp(one->data, other->data, (size_t)one->data_size) == 0);
}

/* Compares two arrays of numbers or texts, of which about->inner has the headers. */
static void compare_numbers(struct comparer *about, const int32_t values[2])
{
    cli_side *sides = about->inner;
    cli_comparison result;
    snpy_io_error error = {.call = NULL};
    if (!charge(about, 0, sides[0].file.head.data_size + sides[1].file.head.data_size)) return;
    if (is_same_array(&sides[0].file.head, &sides[1].file.head)) return;
    for (int i = 0; i < 2; i++) {
        snpy_array *array = &sides[i].file.head;
        sides[i].file.size = array->header.frame.data_offset + array->data_size;
        snpy_reader_of_memory(&sides[i].input.reader, array->data, (size_t)array->data_size);
        sides[i].input.window_size = 0;
        cli_describe_file(&sides[i].about, about->sides[i].name, &sides[i].file);
        if (cli_prepare_side(&sides[i], &error) == SNPY_OK) continue;
        fail(about, cli_report_read(about->sides[i].name, &error));
        return;
    }
    if (!cli_is_comparable(sides))
        put_difference(about, values[0], values[1], "type or shape");
    else if (cli_compare(sides, &result, &error) != SNPY_OK)
        fail(about, cli_report_read(about->sides[result.side].name,
                                    result.error.error.status != SNPY_OK ? &result.error : &error));
    else if (result.differing > 0)
        put_elements(about, &result);
}

/* Begins to compare two containers. Returns NULL, after a message, if there are too many in one another. */
static struct level *open_level(struct comparer *about, enum form form, const int32_t values[2], size_t slot)
{
    static const struct level empty = {.differs = false};
    if (about->depth == CLI_OBJECT_LEVELS) {
        cli_warn("%-s: more than 1,000 containers in one another", about->sides[0].name);
        fail(about, CLI_TROUBLE);
        return NULL;
    }
    struct level *level = &about->levels[about->depth++];
    *level = empty;
    level->form = form;
    level->slot = slot;
    for (int i = 0; i < 2; i++) {
        level->values[i] = values[i];
        level->members[i] = snpy_object_begin(about->sides[i].data, values[i]);
    }
    return level;
}

/* Compares two arrays of objects: begins their elements. */
static void open_elements(struct comparer *about, const int32_t values[2], size_t slot)
{
    const snpy_header *headers[2] = {&about->inner[0].file.head.header, &about->inner[1].file.head.header};
    const bool is_alike = headers[0]->has_object && headers[1]->has_object &&
                          cli_is_same_shape(headers[0], headers[1]) && headers[0]->dtype.kind == headers[1]->dtype.kind;
    if (!is_alike) {
        put_difference(about, values[0], values[1], "type or shape");
        return;
    }
    struct level *level = open_level(about, FORM_ELEMENTS, values, slot);
    if (level == NULL) return;
    level->ndim = headers[0]->ndim;
    memcpy(level->shape, headers[0]->shape, sizeof level->shape);
}

/* Compares two arrays, or two scalars. */
static void compare_arrays(struct comparer *about, const int32_t values[2], size_t slot)
{
    snpy_io_error error;
    bool is_known = true;
    for (int i = 0; i < 2; i++) {
        snpy_array *array = &about->inner[i].file.head;
        if (!is_known || snpy_object_array(about->sides[i].data, values[i], array, &error) == SNPY_OK) continue;
        fail(about, cli_report_read(about->sides[i].name, &error));
        is_known = false;
    }
    if (is_known && (about->inner[0].file.head.header.has_object || about->inner[1].file.head.header.has_object))
        open_elements(about, values, slot);
    else if (is_known)
        compare_numbers(about, values);
    for (int i = 0; i < 2; i++) {
        cli_release_steps(&about->inner[i].steps);
        snpy_array_release(&about->inner[i].file.head);
    }
}

/* Compares the part of the states of two masked arrays that follows the data: the mask, and then the fill value. */
static void compare_masks(struct comparer *about, const int32_t values[2])
{
    static const char *const parts[] = {"mask", "fill value"};
    int32_t states[2][7] = {{0}};
    for (int i = 0; i < 2; i++) {
        const snpy_object_data *data = about->sides[i].data;
        snpy_object_members members = snpy_object_begin(data, snpy_object_state(data, values[i]));
        for (size_t k = 0; k < 7; k++) states[i][k] = snpy_object_next(data, &members);
    }
    for (size_t k = 5; k < 7; k++) {
        const int32_t pair[2] = {states[0][k], states[1][k]};
        if (pair[0] != 0 && pair[1] != 0 && !is_same_leaf(about, pair))
            put_difference(about, values[0], values[1], parts[k - 5]);
    }
}

/* ---- all pairs ------------------------------------------------------------------------------------------------ */

/* Begins to compare two dictionaries or sets. */
static void open_keys(struct comparer *about, const int32_t values[2], enum form form, size_t slot)
{
    if (form == FORM_DICT && snpy_object_node(about->sides[0].data, values[0])->role == SNPY_ROLE_DEFAULTDICT) {
        const int32_t factories[2] = {snpy_object_arguments(about->sides[0].data, values[0]),
                                      snpy_object_arguments(about->sides[1].data, values[1])};
        if (!is_same_leaf(about, factories)) put_difference(about, values[0], values[1], "factory");
    }
    struct level *level = open_level(about, form, values, slot);
    for (int i = 0; i < 2 && level != NULL; i++)
        if (!take_keys(about, i, values[i], form == FORM_SET, &level->keys[i])) return;
}

/* Compares two values of the same type that were not compared before, or begins to. */
static void compare_noted(struct comparer *about, const int32_t values[2], size_t slot)
{
    const snpy_node *node = snpy_object_node(about->sides[0].data, values[0]);
    switch (cli_object_sort(node)) {
    case CLI_SORT_LIST:
    case CLI_SORT_TUPLE:
        (void)open_level(about, FORM_MEMBERS, values, slot);
        return;
    case CLI_SORT_DICT:
        open_keys(about, values, FORM_DICT, slot);
        return;
    case CLI_SORT_SET:
    case CLI_SORT_FROZENSET:
        open_keys(about, values, FORM_SET, slot);
        return;
    case CLI_SORT_ARRAY:
    case CLI_SORT_SCALAR:
        if (node->role == SNPY_ROLE_MARECONSTRUCT) compare_masks(about, values);
        compare_arrays(about, values, slot);
        return;
    default:
        if (!is_same_leaf(about, values)) put_difference(about, values[0], values[1], NULL);
    }
}

/* Compares two values, or begins to. */
static void compare_values(struct comparer *about, int32_t one, int32_t other)
{
    const int32_t values[2] = {one, other};
    const uint64_t count = about->found->count;
    const uint32_t depth = about->depth;
    size_t slot = SIZE_MAX;
    if (!note_pair(about, values, &slot)) return;
    if (strcmp(type_name(about->sides[0].data, one), type_name(about->sides[1].data, other)) != 0)
        put_difference(about, one, other, NULL);
    else
        compare_noted(about, values, slot);
    if (about->found->count == count) return;
    if (slot != SIZE_MAX) about->seen.pairs[slot] |= DIFFERS;
    if (about->depth > depth) about->levels[depth].differs = true;
}

/* Compares the values of the next key. Returns false after the last one. */
static bool compare_next_key(struct comparer *about, struct level *level)
{
    const bool is_set = level->form == FORM_SET;
    const size_t count = level->keys[0].count;
    if (level->next == count + level->keys[1].count) return false;
    const size_t at = level->next++;
    struct key *key = at < count ? &level->keys[0].keys[at] : &level->keys[1].keys[at - count];
    level->key = key;
    if (at >= count) {
        if (!key->is_found) put_difference(about, 0, is_set ? key->key : key->value, is_set ? "member" : NULL);
        return true;
    }
    struct key *twin = find_key(&level->keys[1], key);
    if (twin == NULL) {
        put_difference(about, is_set ? key->key : key->value, 0, is_set ? "member" : NULL);
        return true;
    }
    const size_t number = (size_t)(twin - level->keys[1].keys);
    twin->is_found = true;
    if (number < level->last) level->is_mixed = true;
    level->last = number;
    if (!is_set) compare_values(about, key->value, twin->value);
    return true;
}

/* Compares the next members. Returns false after the last ones. */
static bool compare_next_members(struct comparer *about, struct level *level)
{
    int32_t values[2];
    for (int i = 0; i < 2; i++) values[i] = snpy_object_next(about->sides[i].data, &level->members[i]);
    if (level->is_begun) level->index++;
    level->is_begun = true;
    if (values[0] != 0 && values[1] != 0) {
        compare_values(about, values[0], values[1]);
        return true;
    }
    if (values[0] != values[1]) put_difference(about, values[0], values[1], NULL);
    return false;
}

/* Ends the comparison of two containers. */
static void close_level(struct comparer *about)
{
    struct level *level = &about->levels[about->depth - 1];
    const bool is_ordered = snpy_object_node(about->sides[0].data, level->values[0])->role == SNPY_ROLE_ORDERED_DICT;
    level->key = NULL;
    if (is_ordered && level->is_mixed && about->result == CLI_ACCEPTED)
        put_difference(about, level->values[0], level->values[1], "order of keys");
    release_keys(&level->keys[0]);
    release_keys(&level->keys[1]);
    if (level->differs && level->slot != SIZE_MAX) about->seen.pairs[level->slot] |= DIFFERS;
    about->depth--;
    if (level->differs && about->depth > 0) about->levels[about->depth - 1].differs = true;
}

/* Counts an element of the whole array that differs, when all in it was compared. */
static void count_element(struct comparer *about)
{
    if (about->depth > 1 || !about->levels[0].differs) return;
    about->found->differing++;
    about->levels[0].differs = false;
}

/* Compares all. */
static void run(struct comparer *about)
{
    const int32_t roots[2] = {snpy_object_root(about->sides[0].data), snpy_object_root(about->sides[1].data)};
    size_t slot = SIZE_MAX;
    if (!note_pair(about, roots, &slot)) return;
    compare_arrays(about, roots, slot);
    while (about->depth > 0 && about->result == CLI_ACCEPTED && cli_output.error == 0) {
        struct level *level = &about->levels[about->depth - 1];
        const bool is_keyed = level->form == FORM_DICT || level->form == FORM_SET;
        const bool goes_on = is_keyed ? compare_next_key(about, level) : compare_next_members(about, level);
        if (!goes_on && about->depth > 1) close_level(about);
        count_element(about);
        if (!goes_on && about->depth == 1 && level == about->levels) break;
    }
    while (about->depth > 0) close_level(about);
}

enum cli_exit cli_compare_objects(const cli_values sides[2], bool json, cli_object_differences *result)
{
    static const cli_object_differences none = {0, 0, 0};
    struct comparer about = {.sides = sides, .json = json, .pairs = MOST_PAIRS, .found = result};
    about.bytes = 4 * CLI_OBJECT_BYTES;
    about.result = CLI_ACCEPTED;
    *result = none;
    about.inner = calloc(2, sizeof *about.inner);
    about.levels = calloc(CLI_OBJECT_LEVELS, sizeof *about.levels);
    if (about.inner == NULL || about.levels == NULL)
        fail_for_memory(&about, 0);
    else
        run(&about);
    for (int i = 0; i < 2; i++) {
        if (about.inner != NULL) cli_release_subject(&about.inner[i].about);
        free(about.codes[i].bytes);
    }
    free(about.inner);
    free(about.levels);
    free(about.seen.pairs);
    return about.result;
}
