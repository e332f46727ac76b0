/* object_types.c: the dtypes in object data: whether the state of a record or a sub-array is one that NumPy writes.
 *                                                                                      NPY-PKL-019, HOST-MEMORY
 * The core has checked the states of other dtypes. object_check.c checks arrays. */
#include "host/object_types.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SIZE 0x7fffffff /* bytes of an element */
#define MAX_LEVELS 64u
#define MAX_LEAVES 65536u
#define FLAGS_FROM_FIELDS 0x1bu /* what a record has if a field has it: objects, and how they are handled */
#define FLAG_OBJECTS 0x01u
#define FLAG_UNICODE 0x08u
#define FLAG_RECORD 0x10u
#define FLAG_ALIGNED 0x80u

const struct snpy_type *snpy_type_of(const struct snpy_types *types, int32_t value)
{
    const snpy_node *node = snpy_object_node(types->data, value);
    const uint32_t number = types->numbers[node - types->data->table.nodes];
    return number != 0 && types->types[number - 1].is_built ? &types->types[number - 1] : NULL;
}

bool snpy_look(struct snpy_types *types, uint64_t count)
{
    const bool is_allowed = count <= types->looks;
    types->looks -= is_allowed ? count : types->looks;
    return is_allowed;
}

uint64_t snpy_shape_product(struct snpy_types *types, int32_t shape, uint64_t zero, uint32_t most, uint32_t *count)
{
    snpy_object_members members = snpy_object_begin(types->data, shape);
    uint64_t product = 1;
    *count = 0;
    if (snpy_object_node(types->data, shape)->kind != SNPY_NODE_TUPLE) return UINT64_MAX;
    for (int32_t dim; (dim = snpy_object_next(types->data, &members)) != 0; ++*count) {
        int64_t length = -1;
        if (*count == most || !snpy_look(types, 1) || snpy_object_int(types->data, dim, &length) != SNPY_OK ||
            length < 0)
            return UINT64_MAX;
        const uint64_t factor = length == 0 ? zero : (uint64_t)length;
        if (factor != 0 && product > INT64_MAX / factor) return UINT64_MAX;
        product *= factor;
    }
    return product;
}

/* ---- texts ------------------------------------------------------------------------------------------------ */

bool snpy_is_text(const snpy_object_data *data, int32_t value)
{
    const snpy_node *node = snpy_object_node(data, value);
    if (node->kind == SNPY_NODE_RAW) return snpy_is_ascii_raw(data->pickle, data->length, node);
    return node->kind == SNPY_NODE_STR;
}

/* Whether two texts are equal; looks at each character. */
static bool is_same_text(struct snpy_types *types, int32_t a, int32_t b)
{
    const snpy_object_data *data = types->data;
    if (a == b) return true;
    struct snpy_leaf one = snpy_leaf_of(data->pickle, data->length, &data->table, a);
    struct snpy_leaf two = snpy_leaf_of(data->pickle, data->length, &data->table, b);
    while (one.point == two.point && one.point != SNPY_LEAF_END && snpy_look(types, 1)) {
        snpy_leaf_step(data->pickle, &one);
        snpy_leaf_step(data->pickle, &two);
    }
    return one.point == two.point;
}

/* Reads the letter of a type string, and the number after it. */
static char read_type_string(const snpy_object_data *data, int32_t text, uint64_t *number)
{
    struct snpy_leaf leaf = snpy_leaf_of(data->pickle, data->length, &data->table, text);
    const char kind = (char)leaf.point;
    *number = 0;
    snpy_leaf_step(data->pickle, &leaf);
    for (; leaf.point >= '0' && leaf.point <= '9' && *number <= MAX_SIZE; snpy_leaf_step(data->pickle, &leaf))
        *number = 10 * *number + (leaf.point - '0');
    return kind;
}

/* ---- states ----------------------------------------------------------------------------------------------- */

/* Reads an integer at a place of a state. Returns false if it is none, or not in the range. */
static bool read_part(const snpy_object_data *data, int32_t state, uint32_t place, int64_t low, int64_t high,
                      int64_t *number)
{
    return snpy_object_int(data, snpy_object_part(data, state, place), number) == SNPY_OK && low <= *number &&
           *number <= high;
}

static bool is_none(const snpy_object_data *data, int32_t state, uint32_t place)
{
    return snpy_object_node(data, snpy_object_part(data, state, place))->kind == SNPY_NODE_NONE;
}

/* Whether the order, the size, the alignment and the flags of a state are those of a record or sub-array. */
static bool has_numbers(const snpy_object_data *data, int32_t state, const struct snpy_type *type)
{
    const int32_t order = snpy_object_part(data, state, 1);
    int64_t size = 0;
    int64_t alignment = 0;
    int64_t flags = 0;
    const int64_t expected = (int64_t)type->flags;
    uint8_t text = 0;
    if (!snpy_is_text(data, order) || snpy_object_text(data, order, &text, 1) != 1 || text != '|') return false;
    if (!read_part(data, state, 5, 0, MAX_SIZE, &size) || (uint64_t)size != type->itemsize) return false;
    if (!read_part(data, state, 6, 1, 16, &alignment) || (alignment & (alignment - 1)) != 0) return false;
    if (!read_part(data, state, 7, INT64_MIN, INT64_MAX, &flags)) return false;
    return flags == expected || flags == expected - 256; /* NumPy 1 writes it as a signed byte */
}

/* A type without fields and shape, whose state the core has checked. */
static struct snpy_type simple_type(const snpy_object_data *data, char kind, uint64_t number, int32_t state)
{
    uint8_t order = 0;
    struct snpy_type type = {.is_built = true, .kind = kind, .leaves = 1, .mask = 1};
    type.itemsize = kind == 'U' ? 4 * number : number;
    type.has_objects = kind == 'O';
    type.has_text = kind == 'U' && number > 0;
    type.flags = kind == 'O' ? 0x3fu : kind == 'U' ? FLAG_UNICODE : 0;
    (void)snpy_object_text(data, snpy_object_part(data, state, 1), &order, 1);
    type.is_big_endian = order == '>';
    return type;
}

/* A sub-array: (type, shape). */
static snpy_status build_subarray(struct snpy_types *types, int32_t state, uint64_t size, struct snpy_type *type)
{
    const snpy_object_data *data = types->data;
    const int32_t pair = snpy_object_part(data, state, 2);
    const struct snpy_type *base = snpy_type_of(types, snpy_object_part(data, pair, 0));
    const int32_t shape = snpy_object_part(data, pair, 1);
    uint32_t axes = 0;
    if (snpy_object_node(data, pair)->kind != SNPY_NODE_TUPLE || snpy_object_part(data, pair, 2) != 0 || shape == 0)
        return SNPY_PKL_DTYPE;
    if (!is_none(data, state, 3) || !is_none(data, state, 4) || base == NULL) return SNPY_PKL_DTYPE;
    const uint64_t repeat = snpy_shape_product(types, shape, 0, MAX_LEVELS, &axes);
    if (axes == 0 || axes + base->axes > MAX_LEVELS || base->itemsize == 0) return SNPY_PKL_DTYPE;
    if (repeat > MAX_SIZE || repeat * base->itemsize != size) return SNPY_PKL_DTYPE;
    *type = (struct snpy_type){.kind = 'V', .is_subarray = true, .itemsize = size, .repeat = repeat};
    type->axes = axes + base->axes;
    type->base = (uint32_t)(base - types->types);
    type->flags = base->flags;
    type->levels = base->levels + 1;
    type->leaves = base->leaves;
    type->mask = repeat * base->mask;
    type->has_objects = base->has_objects;
    type->has_text = base->has_text && repeat > 0;
    return SNPY_OK;
}

/* An entry of the dictionary of fields. */
struct entry {
    int32_t key;
    int32_t value;
    bool is_used;
};

/* Reads the entries that a dictionary had at the byte `until`. Returns SNPY_NO_MEMORY, or SNPY_PKL_DTYPE if a key is no text. */
static snpy_status read_entries(struct snpy_types *types, int32_t dictionary, uint32_t until, struct entry **entries,
                                size_t *count)
{
    const snpy_object_data *data = types->data;
    size_t room = 0;
    *count = 0;
    if (snpy_object_node(data, dictionary)->kind != SNPY_NODE_DICT) return SNPY_PKL_DTYPE;
    snpy_object_members members = snpy_object_begin(data, dictionary);
    while (members.next_ != 0 && data->table.nodes[members.next_].at < until) {
        if (!snpy_look(types, 1)) return SNPY_PKL_TOO_MANY_NODES;
        if (*count == room) {
            room = 2 * room + 8;
            struct entry *grown = realloc(*entries, room * sizeof *grown);
            if (grown == NULL) return SNPY_NO_MEMORY;
            *entries = grown;
        }
        struct entry *entry = &(*entries)[(*count)++];
        entry->key = snpy_object_next(data, &members);
        entry->value = snpy_object_next(data, &members);
        entry->is_used = false;
        if (!snpy_is_text(data, entry->key)) return SNPY_PKL_DTYPE;
    }
    return SNPY_OK;
}

/* Finds the entry of a name; NULL if there is none, or if it is used. Looks from *hint on, because dictionaries have the order of
 * the names. */
static struct entry *find_entry(struct snpy_types *types, struct entry *entries, size_t count, int32_t name,
                                size_t *hint)
{
    for (size_t i = 0; i < count && snpy_look(types, 1); i++) {
        const size_t at = *hint + i < count ? *hint + i : *hint + i - count;
        if (!is_same_text(types, entries[at].key, name)) continue;
        *hint = at + 1 < count ? at + 1 : 0;
        return entries[at].is_used ? NULL : &entries[at];
    }
    return NULL;
}

/* Whether two entries have the same parts, so that a title leads where the name does. */
static bool has_same_parts(const snpy_object_data *data, int32_t a, int32_t b)
{
    if (snpy_object_node(data, b)->kind != SNPY_NODE_TUPLE || snpy_object_part(data, b, 3) != 0) return false;
    for (uint32_t i = 0; i < 3; i++)
        if (snpy_object_part(data, a, i) != snpy_object_part(data, b, i)) return false;
    return true;
}

/* Appends a field to those of all records. */
static bool append_field(struct snpy_types *types, struct snpy_type_field field)
{
    if (types->field_count == types->field_capacity) {
        const size_t room = 2 * types->field_capacity + 16;
        struct snpy_type_field *grown = realloc(types->fields, room * sizeof *grown);
        if (grown == NULL) return false;
        types->fields = grown;
        types->field_capacity = room;
    }
    types->fields[types->field_count++] = field;
    return true;
}

/* The fields of a record while they are read. */
struct record {
    struct snpy_types *types;
    struct snpy_type *type;
    struct entry *entries;
    size_t count;
    size_t hint;
    size_t last_text; /* 1 more than the number of the last field that has text */
    uint64_t end;     /* of the last field */
};

/* Reads the title of a field, if it has one: it leads to the same parts as the name. */
static bool take_title(struct record *record, int32_t field)
{
    const snpy_object_data *data = record->types->data;
    const int32_t title = snpy_object_part(data, field, 2);
    if (title == 0) return true;
    if (!snpy_is_text(data, title)) return false;
    struct entry *entry = find_entry(record->types, record->entries, record->count, title, &record->hint);
    if (entry == NULL || !has_same_parts(data, field, entry->value)) return false;
    entry->is_used = true;
    return true;
}

/* Reads the field of a name: (type, offset) or (type, offset, title). */
static snpy_status take_field(struct record *record, int32_t name)
{
    struct snpy_types *types = record->types;
    const snpy_object_data *data = types->data;
    struct snpy_type *type = record->type;
    int64_t offset = -1;
    if (!snpy_is_text(data, name)) return SNPY_PKL_DTYPE;
    struct entry *entry = find_entry(types, record->entries, record->count, name, &record->hint);
    if (entry == NULL) return types->looks == 0 ? SNPY_PKL_TOO_MANY_NODES : SNPY_PKL_DTYPE;
    entry->is_used = true;
    const int32_t field = entry->value;
    if (snpy_object_node(data, field)->kind != SNPY_NODE_TUPLE || snpy_object_part(data, field, 3) != 0)
        return SNPY_PKL_DTYPE;
    const struct snpy_type *inner = snpy_type_of(types, snpy_object_part(data, field, 0));
    if (inner == NULL || !take_title(record, field)) return SNPY_PKL_DTYPE;
    if (inner->itemsize > type->itemsize) return SNPY_PKL_DTYPE;
    if (!read_part(data, field, 1, (int64_t)record->end, (int64_t)(type->itemsize - inner->itemsize), &offset))
        return SNPY_PKL_DTYPE;
    record->end = (uint64_t)offset + inner->itemsize;
    type->flags |= inner->flags & FLAGS_FROM_FIELDS;
    if (type->levels < inner->levels + 1) type->levels = inner->levels + 1;
    type->leaves += inner->leaves;
    type->mask += inner->mask;
    type->has_objects = type->has_objects || inner->has_objects;
    if (type->leaves > MAX_LEAVES) return SNPY_PKL_DTYPE;
    const struct snpy_type_field made = {(uint32_t)(inner - types->types), (uint64_t)offset, 0};
    if (!append_field(types, made)) return SNPY_NO_MEMORY;
    if (!inner->has_text) return SNPY_OK;
    if (record->last_text != 0)
        types->fields[record->last_text - 1].next_text = types->field_count;
    else
        type->first_text = types->field_count;
    record->last_text = types->field_count;
    type->has_text = true;
    return SNPY_OK;
}

/* Reads the fields in the order of their names. */
static snpy_status take_fields(struct record *record, int32_t names)
{
    const snpy_object_data *data = record->types->data;
    snpy_object_members members = snpy_object_begin(data, names);
    snpy_status status = SNPY_OK;
    for (int32_t name; status == SNPY_OK && (name = snpy_object_next(data, &members)) != 0; record->type->count++)
        status = take_field(record, name);
    for (size_t i = 0; status == SNPY_OK && i < record->count; i++)
        if (!record->entries[i].is_used) status = SNPY_PKL_DTYPE;
    return status;
}

/* A record: names, and a dictionary of fields. */
static snpy_status build_record(struct snpy_types *types, int32_t state, uint64_t size, uint32_t until,
                                struct snpy_type *type)
{
    const snpy_object_data *data = types->data;
    const int32_t names = snpy_object_part(data, state, 3);
    int64_t flags = 0;
    *type = (struct snpy_type){.kind = 'V', .is_record = true, .itemsize = size, .leaves = 1, .flags = FLAG_RECORD};
    type->first = types->field_count;
    if (!is_none(data, state, 2) || snpy_object_node(data, names)->kind != SNPY_NODE_TUPLE) return SNPY_PKL_DTYPE;
    struct record record = {.types = types, .type = type};
    snpy_status status = read_entries(types, snpy_object_part(data, state, 4), until, &record.entries, &record.count);
    if (status == SNPY_OK) status = take_fields(&record, names);
    free(record.entries);
    if (snpy_object_int(data, snpy_object_part(data, state, 7), &flags) == SNPY_OK && (flags & FLAG_ALIGNED) != 0)
        type->flags |= FLAG_ALIGNED;
    return status;
}

snpy_status snpy_build_type(struct snpy_types *types, int32_t dtype, uint32_t until)
{
    const snpy_object_data *data = types->data;
    const int32_t state = snpy_object_state(data, dtype);
    const int32_t text = snpy_object_part(data, snpy_object_arguments(data, dtype), 0);
    const bool is_record = snpy_object_node(data, text)->kind == SNPY_NODE_GLOBAL; /* numpy.record */
    struct snpy_type *made = &types->types[types->numbers[dtype] - 1];
    struct snpy_type type = {.is_built = false};
    uint64_t size = 0;
    int64_t own = 0;
    snpy_status status = SNPY_OK;
    const char kind = is_record ? 'V' : read_type_string(data, text, &size);
    if (is_none(data, state, 2) && is_none(data, state, 3) && is_none(data, state, 4) && !is_record) {
        *made = simple_type(data, kind, size, state);
        return SNPY_OK;
    }
    if (is_record && !read_part(data, state, 5, 0, MAX_SIZE, &own)) return SNPY_PKL_DTYPE;
    if (is_record) size = (uint64_t)own;
    if (!is_record && is_none(data, state, 3))
        status = build_subarray(types, state, size, &type);
    else
        status = build_record(types, state, size, until, &type);
    if (status != SNPY_OK) return status;
    if (!has_numbers(data, state, &type) || type.levels > MAX_LEVELS) return SNPY_PKL_DTYPE;
    if (!snpy_look(types, type.leaves)) return SNPY_PKL_TOO_MANY_NODES;
    type.is_built = true;
    type.has_objects = (type.flags & FLAG_OBJECTS) != 0;
    *made = type;
    return SNPY_OK;
}
