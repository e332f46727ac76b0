/* headers.c: every header of a small grammar is written, read back, and written again.
 *
 *   headers check SIZE      checks all headers of that size, 0 or 1, and counts those of each family
 *   headers print SIZE      prints what each header is and what is written for it, for comparison with NumPy
 *
 * Of each header in each version: it is written if and only if nothing is wrong with it, else refused with the right
 * status and entry; the size is the announced one; the bytes are those of a second writer, below, which builds the text
 * beside the table; reading them succeeds and finds the same header and table; the canonical profile accepts them if
 * and only if NumPy would choose that version and order; writing what was read gives the same bytes. No two headers
 * share a text: a set of hashes holds all texts.
 *
 * A header is a sequence of choices. The next one has the last choice raised that can be, and all that follow at 0.
 * After the choice that makes a header impossible, the rest is fixed: of those one is tried for each fault. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "safenpy/safenpy.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ENTRIES 16u
#define ROOM 4096u

/* ---- choices ------------------------------------------------------------------------------------------------ */

static struct {
    unsigned taken[256], of[256];
    unsigned count, given; /* choices made so far; how many are given from the header before */
    bool is_over;          /* the header can't be written: nothing is left to choose */
} choices;

static unsigned choose(unsigned of)
{
    unsigned at = choices.count++;
    if (at >= choices.given) choices.taken[at] = 0;
    choices.of[at] = choices.is_over ? 1 : of;
    return choices.taken[at];
}

/* Moves to the next header; false after the last one. */
static bool next_header(void)
{
    while (choices.count > 0 && choices.taken[choices.count - 1] + 1 == choices.of[choices.count - 1]) choices.count--;
    if (choices.count == 0) return false;
    choices.taken[choices.count - 1]++;
    choices.given = choices.count;
    return true;
}

/* ---- the grammar -------------------------------------------------------------------------------------------- */

/* What a family chooses from: fields in all, and how deep records are; then how many of each list below. Depth 0: all
 * types without fields. */
struct family {
    const char *name;
    unsigned fields, depth, names, titles, types, dims, gaps, tuples, shapes, orders, versions;
};

/* Characters of names: in UTF-8, and as repr() writes them where they are not the quote. */
static const struct {
    const char *plain, *repr;
} characters[] = {
    {"a", "a"},   {"'", "'"},       {"\\", "\\\\"}, {"\xc3\xa9", "\xc3\xa9"}, {"\xe2\x82\xac", "\xe2\x82\xac"},
    {"\"", "\""}, {"\x01", "\\x01"}};

/* Names have one character, then none, then two. */
#define EMPTY_NAME COUNT(characters)
#define SHORT_NAMES (1u + COUNT(characters))
#define ALL_NAMES (SHORT_NAMES + COUNT(characters) * COUNT(characters))

/* The first types of a list that has all of them after these. */
static const snpy_dtype first_types[] = {{'u', '|', 0, 1, 0},  {'f', '<', 0, 8, 0},   {'V', '|', 0, 3, 0},
                                         {'U', '>', 0, 12, 0}, {'M', '<', 10, 8, 25}, {'S', '|', 0, 0, 0},
                                         {'O', '|', 0, 8, 0}};
static const struct {
    char kind;
    const char *orders;
    uint32_t sizes[7]; /* ends in 99 */
} kinds[] = {
    {'b', "|", {1, 99}},
    {'i', "|", {1, 99}},
    {'u', "|", {1, 99}},
    {'i', "<>", {2, 4, 8, 99}},
    {'u', "<>", {2, 4, 8, 99}},
    {'f', "<>", {2, 4, 8, 10, 12, 16, 99}},
    {'c', "<>", {8, 16, 20, 24, 32, 99}},
    {'S', "|", {0, 1, 10, 2147483647, 99}},
    {'V', "|", {0, 1, 10, 2147483647, 99}},
    {'U', "<>", {0, 4, 40, 2147483644, 99}},
    {'M', "<>", {8, 99}},
    {'m', "<>", {8, 99}},
    {'O', "|", {8, 99}},
};
static const char *const units[] = {"", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"};
static const uint32_t multipliers[] = {1, 2, 25, 2147483647};

/* Dimensions of a field, and bytes before a field or at the end of a record. */
static const struct {
    uint16_t ndim;
    int32_t dims[2];
} dims_of[] = {{0, {0}}, {1, {2}}, {2, {1, 12}}, {1, {0}}};
static const uint32_t gaps_of[] = {0, 3, 10};
static const uint64_t axes[] = {2, 0, 1, 12};
static const snpy_version_choice versions[] = {SNPY_VERSION_AUTO, SNPY_VERSION_3_0, SNPY_VERSION_1_0, SNPY_VERSION_2_0};

/* The families of each size. */
static const struct family sizes[][5] = {
    {
        {"simple", 0, 0, 0, 0, 0, 0, 0, 0, 21, 2, 4},
        {"one field", 1, 1, 8, 8, 7, 4, 3, 1, 1, 1, 4},
        {"flat", 2, 1, 8, 1, 1, 2, 2, 0, 1, 1, 4},
        {"nested", 3, 3, 1, 0, 1, 2, 2, 1, 1, 1, 1},
    },
    {
        {"simple", 0, 0, 0, 0, 0, 0, 0, 0, 21, 2, 4},
        {"one field", 1, 1, ALL_NAMES, 8, 7, 4, 3, 1, 1, 1, 4},
        {"flat", 3, 1, 8, 1, 1, 2, 2, 0, 1, 1, 2},
        {"nested", 4, 3, 1, 0, 1, 2, 2, 1, 1, 1, 1},
        {"shapes", 2, 2, 2, 1, 1, 2, 2, 0, 21, 2, 4},
    },
};

/* ---- one header, and what is to be written for it ----------------------------------------------------------- */

static struct {
    const struct family *family;
    snpy_header header;
    snpy_table table;
    snpy_field fields[ENTRIES];
    int32_t dims[ENTRIES * 2];
    uint8_t names[ENTRIES * 16];
    size_t names_length;
    unsigned name_of[ENTRIES], title_of[ENTRIES];
    unsigned fields_left;
    snpy_version_choice version;
    /* the text of the type in UTF-8; whether a character is beyond Latin-1 */
    char text[ROOM];
    size_t length;
    bool is_wide;
    /* the first entry of the table that can't be written, and why; whether a name stands twice */
    snpy_status refusal;
    uint64_t refused;
    bool is_duplicate;
} made;

static snpy_dtype types[512];
static unsigned type_count;

static void list_types(void)
{
    memcpy(types, first_types, sizeof first_types);
    type_count = COUNT(first_types);
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (const char *order = kinds[k].orders; *order != '\0'; order++)
            for (const uint32_t *size = kinds[k].sizes; *size != 99; size++) {
                bool is_time = kinds[k].kind == 'M' || kinds[k].kind == 'm';
                for (unsigned unit = 0; unit < (is_time ? COUNT(units) : 1u); unit++)
                    for (unsigned m = 0; m < (unit > 0 ? COUNT(multipliers) : 1u); m++) {
                        snpy_dtype type = {(int8_t)kinds[k].kind, (int8_t)*order, (int8_t)unit, *size,
                                           is_time ? multipliers[m] : 0};
                        bool is_first = false;
                        for (size_t i = 0; i < COUNT(first_types); i++) {
                            const snpy_dtype *t = &types[i];
                            is_first |= t->kind == type.kind && t->byteorder == type.byteorder &&
                                        t->unit == type.unit && t->itemsize == type.itemsize &&
                                        t->multiplier == type.multiplier;
                        }
                        if (!is_first) types[type_count++] = type;
                    }
            }
}

static void put(const char *text)
{
    size_t length = strlen(text);
    if (length >= ROOM - made.length) abort();
    memcpy(made.text + made.length, text, length + 1);
    made.length += length;
}

static void put_number(const char *before, unsigned long long number, const char *after)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%s%llu%s", before, number, after);
    put(text);
}

static void put_type(const snpy_dtype *type)
{
    char start[] = {'\'', (char)type->byteorder, (char)type->kind, '\0'};
    put(start);
    if (type->kind != 'O') put_number("", type->kind == 'U' ? type->itemsize / 4 : type->itemsize, "");
    if (type->unit != 0) {
        put("[");
        if (type->multiplier != 1) put_number("", type->multiplier, "");
        put(units[type->unit]);
        put("]");
    }
    put("'");
}

static void put_dims(const int32_t *dims, unsigned ndim)
{
    put("(");
    for (unsigned i = 0; i < ndim; i++)
        put_number(i > 0 ? ", " : "", (unsigned long long)dims[i], ndim == 1 ? "," : "");
    put(")");
}

/* Appends a name to the names, and its repr() to the text. */
static void put_name(unsigned name, uint32_t *offset, uint32_t *length)
{
    size_t parts[2] = {name, 0};
    unsigned count = name < EMPTY_NAME ? 1 : name == EMPTY_NAME ? 0 : 2;
    bool has_single = false;
    bool has_double = false;
    if (count == 2) {
        parts[0] = (name - SHORT_NAMES) / COUNT(characters);
        parts[1] = (name - SHORT_NAMES) % COUNT(characters);
    }
    *offset = (uint32_t)made.names_length;
    for (unsigned i = 0; i < count; i++) {
        const char *plain = characters[parts[i]].plain;
        memcpy(made.names + made.names_length, plain, strlen(plain));
        made.names_length += strlen(plain);
        has_single |= plain[0] == '\'';
        has_double |= plain[0] == '"';
        made.is_wide |= strlen(plain) == 3;
    }
    *length = (uint32_t)made.names_length - *offset;
    const char *quote = has_single && !has_double ? "\"" : "'";
    put(quote);
    for (unsigned i = 0; i < count; i++) {
        const char *repr = characters[parts[i]].repr;
        if (repr[0] == quote[0]) put("\\");
        put(repr);
    }
    put(quote);
}

static void refuse(snpy_status status, size_t entry)
{
    choices.is_over = true;
    if (made.refusal != SNPY_OK && made.refused <= entry) return;
    made.refusal = status;
    made.refused = entry;
}

/* Takes dimensions for an entry from those of the family, from `first` on. The length of the
 * first choice grows with the entry, so that no two entries of a header have it in common. */
static void choose_dims(size_t entry, unsigned first)
{
    snpy_field *field = &made.fields[entry];
    unsigned i = first + choose(made.family->dims - first);
    int32_t dims[2] = {dims_of[i].dims[0], dims_of[i].dims[1]};
    if (i == 1) dims[0] += (int32_t)entry - 1;
    field->ndim = dims_of[i].ndim;
    field->first_dim = (uint32_t)made.table.dim_count;
    field->itemsize = field->dtype.itemsize;
    for (unsigned k = 0; k < field->ndim; k++) {
        made.dims[made.table.dim_count++] = dims[k];
        field->itemsize *= (uint64_t)dims[k];
    }
    if (field->ndim == 0) return;
    if (field->dtype.itemsize == 0) refuse(SNPY_WRITE_SHAPE, entry);
    put(", ");
    put_dims(dims, field->ndim);
}

static size_t add_entry(size_t parent)
{
    size_t entry = made.table.field_count++;
    made.fields[entry].parent = (uint32_t)parent;
    made.fields[entry].depth = (uint16_t)(entry == 0 ? 0 : made.fields[parent].depth + 1);
    made.name_of[entry] = made.title_of[entry] = UINT32_MAX;
    return entry;
}

static void put_gap(uint64_t *end, bool *has_content)
{
    uint32_t gap = gaps_of[choose(made.family->gaps)];
    *end += gap;
    if (gap == 0) return;
    put_number(*has_content ? ", ('', '|V" : "('', '|V", gap, "')");
    *has_content = true;
}

static void set_open(size_t entry, char kind, uint64_t size)
{
    snpy_dtype type = {(int8_t)kind, '|', 0, (uint32_t)size, 0};
    made.fields[entry].dtype = type;
    made.fields[entry].itemsize = size;
}

static void choose_type(size_t entry, unsigned depth);

/* Whether an entry before, or the entry's own title, has a name. */
static bool is_taken(size_t entry, unsigned name)
{
    for (size_t i = 1; i <= entry; i++)
        if (made.fields[i].parent == made.fields[entry].parent && (made.name_of[i] == name || made.title_of[i] == name))
            return true;
    return false;
}

/* Chooses a name: one of the first `count` that are not taken, or one that is. */
static unsigned choose_name(size_t entry, unsigned count)
{
    unsigned names[ALL_NAMES];
    unsigned free = 0;
    unsigned taken = UINT32_MAX;
    for (unsigned name = 0; name < ALL_NAMES && free < count; name++) {
        if (is_taken(entry, name))
            taken = name;
        else
            names[free++] = name;
    }
    unsigned chosen = choose(free + (taken != UINT32_MAX ? 1 : 0));
    if (chosen < free) return names[chosen];
    made.is_duplicate = choices.is_over = true;
    return taken;
}

static void choose_names(size_t entry)
{
    snpy_field *field = &made.fields[entry];
    field->has_name = true;
    field->has_title = made.family->titles > 0 && choose(2) == 1;
    put(field->has_title ? "((" : "(");
    if (field->has_title) {
        made.title_of[entry] = choose_name(entry, made.family->titles);
        put_name(made.title_of[entry], &field->title_offset, &field->title_length);
        put(", ");
    }
    made.name_of[entry] = choose_name(entry, made.family->names);
    put_name(made.name_of[entry], &field->name_offset, &field->name_length);
    put(field->has_title ? "), " : ", ");
}

/* The fields of a record. */
static void choose_fields(size_t record, unsigned depth)
{
    uint64_t end = 0;
    bool has_content = false;
    put("[");
    while (made.fields_left > 0 && choose(2) == 1) {
        made.fields_left--;
        put_gap(&end, &has_content);
        if (has_content) put(", ");
        size_t entry = add_entry(record);
        snpy_field *field = &made.fields[entry];
        choose_names(entry);
        choose_type(entry, depth);
        choose_dims(entry, field->dtype.kind == SNPY_KIND_SUBARRAY ? 1 : 0);
        put(")");
        if (field->name_length == 0 && !field->has_title && (field->ndim > 0 || field->dtype.kind == 'V'))
            refuse(SNPY_WRITE_UNREADABLE, entry);
        field->offset = (int64_t)end;
        end += field->itemsize;
        has_content = true;
    }
    put_gap(&end, &has_content);
    put("]");
    set_open(record, SNPY_KIND_RECORD, end);
}

/* The type of an entry: a simple one, a record, or a sub-array of either. */
static void choose_type(size_t entry, unsigned depth)
{
    unsigned can_open = depth < made.family->depth ? 1u + made.family->tuples : made.family->tuples;
    unsigned type = choose(made.family->types + can_open);
    if (type < made.family->types) {
        made.fields[entry].dtype = types[type];
        put_type(&types[type]);
    } else if (type == made.family->types && depth < made.family->depth) {
        choose_fields(entry, depth + 1);
    } else {
        put("(");
        size_t inner = add_entry(entry);
        if (depth < made.family->depth && made.fields_left > 0 && choose(2) == 1) {
            choose_fields(inner, depth + 1);
        } else {
            made.fields[inner].dtype = types[0];
            put_type(&types[0]);
        }
        choose_dims(inner, 1);
        put(")");
        set_open(entry, SNPY_KIND_SUBARRAY, made.fields[inner].itemsize);
    }
}

static void choose_header(const struct family *family)
{
    memset(&made, 0, sizeof made);
    choices.count = 0;
    choices.is_over = false;
    made.family = family;
    made.table.fields = made.fields;
    made.table.dims = made.dims;
    made.table.field_capacity = ENTRIES;
    made.table.dim_capacity = COUNT(made.dims);
    made.fields_left = family->fields;
    if (family->depth == 0) {
        made.header.dtype = types[choose(type_count)];
        put_type(&made.header.dtype);
    } else {
        choose_fields(add_entry(0), 1);
        made.header.dtype = made.fields[0].dtype;
    }
    unsigned shape = choose(family->shapes);
    made.header.ndim = shape == 0 ? 0 : shape <= COUNT(axes) ? 1 : 2;
    if (made.header.ndim == 1) made.header.shape[0] = axes[shape - 1];
    if (made.header.ndim == 2) made.header.shape[0] = axes[(shape - 1) / COUNT(axes) - 1];
    if (made.header.ndim == 2) made.header.shape[1] = axes[(shape - 1) % COUNT(axes)];
    made.header.fortran_order = choose(family->orders) == 1;
    choices.is_over = false;
    made.version = versions[choose(family->versions)];
}

/* ---- what is expected --------------------------------------------------------------------------------------- */

/* The status with which the header must be refused, if it must. */
static snpy_status expected_status(void)
{
    if (made.refusal != SNPY_OK) return made.refusal;
    if (made.is_duplicate) return SNPY_DUPLICATE_NAME;
    bool is_narrow = made.version == SNPY_VERSION_1_0 || made.version == SNPY_VERSION_2_0;
    return made.is_wide && is_narrow ? SNPY_WRITE_VERSION : SNPY_OK;
}

/* Builds the bytes of the header. */
static size_t expected_bytes(uint8_t *bytes)
{
    char text[ROOM];
    const snpy_header *h = &made.header;
    int32_t shape[2] = {(int32_t)h->shape[0], (int32_t)h->shape[1]};
    unsigned major = made.version != SNPY_VERSION_AUTO ? (unsigned)made.version : made.is_wide ? 3 : 1;
    size_t at = major == 1 ? 10 : 12;
    size_t type_length = made.length;
    put(", 'fortran_order': ");
    put(h->fortran_order ? "True" : "False");
    put(", 'shape': ");
    put_dims(shape, h->ndim);
    int length = snprintf(text, sizeof text, "{'descr': %s, }", made.text);
    made.length = type_length;
    made.text[type_length] = '\0';
    if (length < 0 || length > (int)ROOM - 200) abort();
    memset(bytes, 0, at);
    for (const char *c = text; *c != '\0'; c++) {
        bool is_latin = major != 3 && (uint8_t)*c == 0xc3; /* U+00C0 to U+00FF */
        if (is_latin) c++;
        bytes[at++] = (uint8_t)(is_latin ? *c + 0x40 : *c);
    }
    uint64_t grows = h->ndim == 0 ? 0 : h->shape[h->fortran_order ? h->ndim - 1 : 0];
    for (unsigned k = 0; h->ndim > 0 && k < (grows > 9 ? 19 : 20); k++) bytes[at++] = ' ';
    do bytes[at++] = ' ';
    while (at % 64 != 63);
    bytes[at++] = '\n';
    size_t rest = at - (major == 1 ? 10 : 12);
    memcpy(bytes, "\x93NUMPY", 6);
    bytes[6] = (uint8_t)major;
    bytes[8] = (uint8_t)(rest % 256);
    bytes[9] = (uint8_t)(rest / 256);
    return at;
}

/* Whether NumPy would choose this version and this order. */
static bool is_expected_canonical(unsigned major)
{
    const snpy_header *h = &made.header;
    bool is_empty = (h->ndim > 0 && h->shape[0] == 0) || (h->ndim > 1 && h->shape[1] == 0);
    bool has_two = h->ndim == 2 && h->shape[0] != 1 && h->shape[1] != 1;
    return major == (made.is_wide ? 3 : 1) && (!h->fortran_order || (has_two && !is_empty));
}

/* ---- the check ---------------------------------------------------------------------------------------------- */

#define MUST(condition)                         \
    do {                                        \
        if (!(condition)) complain(#condition); \
    } while (0)

static void complain(const char *what)
{
    printf("FAIL  %s, %s, order %d, version %d: not %s\n", made.family->name, made.text, made.header.fortran_order,
           (int)made.version, what);
    exit(1);
}

/* What was read back. */
static struct {
    snpy_header header;
    snpy_table table;
    snpy_field fields[2 * ENTRIES];
    int32_t dims[ENTRIES * 2];
} read_;

static void same_name(const uint8_t *text, uint32_t offset, uint32_t length, uint32_t made_offset, uint32_t made_length)
{
    uint8_t name[32];
    uint64_t size = 0;
    size_t surrogates = 0;
    MUST(snpy_name_decode(text, read_.header.frame.header_len, offset, length,
                          read_.header.frame.major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1, name, sizeof name, &size,
                          &surrogates) == SNPY_OK);
    MUST(size == made_length && memcmp(name, made.names + made_offset, made_length) == 0);
}

static void same_type(const snpy_dtype *a, const snpy_dtype *b)
{
    MUST(a->kind == b->kind && a->byteorder == b->byteorder && a->unit == b->unit && a->itemsize == b->itemsize &&
         a->multiplier == b->multiplier);
}

/* Compares the tables. What the reader has besides is padding. */
static bool same_table(const uint8_t *text)
{
    size_t entry_of[2 * ENTRIES] = {0};
    size_t k = 0;
    bool has_object = false;
    for (size_t i = 0; i < read_.table.field_count; i++) {
        const snpy_field *got = &read_.fields[i];
        const snpy_field *field = &made.fields[k];
        if (got->is_padding) continue;
        MUST(k < made.table.field_count);
        entry_of[i] = k++;
        same_type(&got->dtype, &field->dtype);
        MUST(got->depth == field->depth && entry_of[got->parent] == field->parent && got->offset == field->offset);
        MUST(got->itemsize == field->itemsize && got->ndim == field->ndim);
        for (unsigned d = 0; d < got->ndim; d++)
            MUST(read_.dims[got->first_dim + d] == made.dims[field->first_dim + d]);
        MUST(got->has_name == field->has_name && got->has_title == field->has_title);
        if (got->has_name) same_name(text, got->name_offset, got->name_length, field->name_offset, field->name_length);
        if (got->has_title)
            same_name(text, got->title_offset, got->title_length, field->title_offset, field->title_length);
        has_object |= got->dtype.kind == 'O';
    }
    MUST(k == made.table.field_count);
    return has_object;
}

static void same_header(const uint8_t *bytes, uint64_t size)
{
    const snpy_header *h = &read_.header;
    bool has_object = same_table(bytes + h->frame.text_offset) || made.header.dtype.kind == 'O';
    uint64_t count = 1;
    same_type(&h->dtype, &made.header.dtype);
    MUST(h->fortran_order == made.header.fortran_order && h->ndim == made.header.ndim);
    for (unsigned d = 0; d < h->ndim; d++) {
        MUST(h->shape[d] == made.header.shape[d]);
        count *= h->shape[d];
    }
    MUST(h->frame.data_offset == size && h->count == count && h->has_object == has_object);
    MUST(h->data_size == (has_object ? 0 : count * h->dtype.itemsize));
}

/* Writes a description to `bytes`, of exactly the size that is announced. */
static snpy_status write_as_announced(const snpy_description *description, uint8_t *bytes, uint64_t *size,
                                      uint64_t *entry)
{
    snpy_error error;
    uint64_t announced = 0;
    snpy_status status = snpy_header_size(description, &announced, &error);
    *size = 0;
    *entry = error.offset;
    if (status != SNPY_OK) return status;
    MUST(announced <= ROOM);
    bytes[announced] = 0xa5;
    MUST(snpy_write_header(description, bytes, (size_t)announced, size, &error) == SNPY_OK);
    MUST(*size == announced && bytes[announced] == 0xa5);
    return SNPY_OK;
}

/* Checks a header in one version. Returns whether it is written. */
static bool check_header(uint8_t *bytes, uint64_t *size)
{
    uint8_t expected[ROOM + 1];
    uint8_t again[ROOM + 1];
    uint64_t entry = 0;
    uint64_t size_again = 0;
    snpy_error error;
    snpy_options options = SNPY_OPTIONS_INIT;
    snpy_description description = {&made.header,      &made.table,     made.names,
                                    made.names_length, SNPY_NAME_PLAIN, made.version};
    snpy_status status = write_as_announced(&description, bytes, size, &entry);
    MUST(status == expected_status());
    MUST(made.refusal == SNPY_OK || entry == made.refused);
    if (status != SNPY_OK) return false;
    MUST(*size == expected_bytes(expected) && memcmp(bytes, expected, (size_t)*size) == 0);

    options.compat.platform_float = true;
    read_.table.fields = read_.fields;
    read_.table.field_capacity = COUNT(read_.fields);
    read_.table.dims = read_.dims;
    read_.table.dim_capacity = COUNT(read_.dims);
    MUST(snpy_parse_header(bytes, (size_t)*size, &options, &read_.table, &read_.header, &error) == SNPY_OK);
    same_header(bytes, *size);

    unsigned major = read_.header.frame.major;
    snpy_description parsed = {&read_.header,
                               &read_.table,
                               bytes + read_.header.frame.text_offset,
                               read_.header.frame.header_len,
                               major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1,
                               (snpy_version_choice)major};
    MUST(write_as_announced(&parsed, again, &size_again, &entry) == SNPY_OK);
    MUST(size_again == *size && memcmp(bytes, again, (size_t)*size) == 0);
    status = snpy_check_canonical(bytes, (size_t)*size, &parsed, again, (size_t)*size, &error);
    MUST(status == (is_expected_canonical(major) ? SNPY_OK : SNPY_NOT_CANONICAL));
    return true;
}

/* ---- all texts ---------------------------------------------------------------------------------------------- */

static struct {
    uint64_t *hashes;
    size_t capacity, count;
} texts;

/* Adds the text of a header. Returns false if it is there, from the same family: from another one, the header may be
 * the same. */
static bool add_text(const uint8_t *bytes, uint64_t size, unsigned family)
{
    uint64_t hash = 14695981039346656037u;
    for (uint64_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    hash = (hash ^ hash >> 31) << 4 | (family + 1);
    size_t at = (size_t)(hash >> 4) % texts.capacity;
    while (texts.hashes[at] != 0 && texts.hashes[at] >> 4 != hash >> 4) at = (at + 1) % texts.capacity;
    if (texts.hashes[at] == hash) return false;
    if (texts.hashes[at] == 0) texts.count++;
    if (texts.hashes[at] == 0) texts.hashes[at] = hash;
    return texts.count < texts.capacity;
}

/* ---- print -------------------------------------------------------------------------------------------------- */

static void print_hex(const uint8_t *bytes, size_t length)
{
    putchar('\'');
    for (size_t i = 0; i < length; i++) printf("%02x", bytes[i]);
    putchar('\'');
}

/* A tuple for Python: entries, each with depth, title, name, type, dimensions, offset and size; order, shape, version,
 * bytes. */
static void print_header(const uint8_t *bytes, uint64_t size)
{
    printf("([");
    for (size_t i = 0; i < made.table.field_count || i == 0; i++) {
        const snpy_field *field = &made.fields[i];
        const snpy_dtype *type = made.table.field_count == 0 ? &made.header.dtype : &field->dtype;
        printf("(%d,", field->depth);
        if (field->has_title) print_hex(made.names + field->title_offset, field->title_length);
        printf(field->has_title ? "," : "None,");
        if (field->has_name) print_hex(made.names + field->name_offset, field->name_length);
        if (!field->has_name) printf("None");
        made.length = 0;
        if (type->kind == SNPY_KIND_RECORD || type->kind == SNPY_KIND_SUBARRAY)
            put("None");
        else
            put_type(type);
        printf(",%s,(", made.text);
        for (unsigned d = 0; d < field->ndim; d++) printf("%d,", made.dims[field->first_dim + d]);
        printf("),%lld,%llu),", (long long)field->offset, (unsigned long long)field->dtype.itemsize);
    }
    printf("],%s,(", made.header.fortran_order ? "True" : "False");
    for (unsigned d = 0; d < made.header.ndim; d++) printf("%llu,", (unsigned long long)made.header.shape[d]);
    printf("),%d,", made.version);
    print_hex(bytes, (size_t)size);
    printf(")\n");
}

/* ---- families ----------------------------------------------------------------------------------------------- */

static void run_family(const struct family *family, unsigned number, bool is_print)
{
    uint8_t bytes[ROOM + 1];
    uint64_t size = 0;
    unsigned long long headers = 0;
    unsigned long long refused = 0;
    unsigned long long writes = 0;
    choices.given = 0;
    do {
        choose_header(family);
        bool is_written = check_header(bytes, &size);
        refused += !is_written;
        writes += is_written;
        if (!is_written) continue;
        if (is_print) print_header(bytes, size);
        if (made.version != SNPY_VERSION_AUTO) continue;
        MUST(add_text(bytes, size, number));
        headers++;
    } while (next_header());
    if (!is_print) printf("%s: %llu headers, %llu writes, %llu refused\n", family->name, headers, writes, refused);
}

int main(int argc, char **argv)
{
    unsigned long size = argc == 3 ? strtoul(argv[2], NULL, 10) : COUNT(sizes);
    if (size >= COUNT(sizes)) {
        fputs("usage: headers check|print SIZE\n", stderr);
        return 2;
    }
    texts.capacity = (size_t)1 << 22;
    texts.hashes = calloc(texts.capacity, sizeof(uint64_t));
    if (texts.hashes == NULL) abort();
    list_types();
    for (unsigned i = 0; i < COUNT(sizes[0]) && sizes[size][i].name != NULL; i++)
        run_family(&sizes[size][i], i, strcmp(argv[1], "print") == 0);
    if (strcmp(argv[1], "check") == 0) printf("all: %zu different headers\n", texts.count);
    free(texts.hashes);
    return 0;
}
