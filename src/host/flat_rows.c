/* flat_rows.c: the texts of the schema of a flat archive.                                                   NPY-PKL-034 */
#include "core/object/emit.h"
#include "host/flat.h"

#include <stdio.h>
#include <string.h>

static const char *const words[] = {
    "",          "none",   "bool",     "int",       "bigint",    "bigint-text", "float",       "float-text",
    "complex",   "date",   "datetime", "timedelta", "str",       "text",        "bytes",       "array",
    "scalar",    "arrays", "matrix",   "recarray",  "masked",    "object",      "objects",     "objects-nd",
    "objects-F", "list",   "tuple",    "set",       "frozenset", "dict",        "OrderedDict", "defaultdict",
    "mixed",     "ref",    "type",     "global",    "call",      "build",       "new"};
#define WORDS (sizeof words / sizeof words[0])

const char *snpy_flat_word(uint32_t kind)
{
    return words[kind < WORDS ? kind : 0];
}

bool snpy_flat_is_dict(uint32_t kind)
{
    return kind == SNPY_FLAT_DICT || kind == SNPY_FLAT_ORDERED_DICT || kind == SNPY_FLAT_DEFAULTDICT;
}

bool snpy_flat_is_array(uint32_t kind)
{
    return kind == SNPY_FLAT_ARRAY || (kind >= SNPY_FLAT_MATRIX && kind <= SNPY_FLAT_MASKED);
}

/* ---- simple types ---- */

bool snpy_flat_type(const snpy_dtype *dtype, char out[16], int64_t *size, int64_t *alignment, int64_t *flags)
{
    const bool is_text = dtype->kind == SNPY_KIND_STRING;
    const bool is_sized = is_text || dtype->kind == SNPY_KIND_BYTES;
    *size = is_sized ? (int64_t)dtype->itemsize : -1;
    *alignment = is_sized ? (is_text ? 4 : 1) : -1;
    *flags = is_text ? 8 : 0;
    (void)snprintf(out, 16, "%c%u", dtype->kind, dtype->itemsize / (is_text ? 4 : 1));
    return is_sized || (dtype->kind != 0 && strchr("biufc", dtype->kind) != NULL);
}

uint32_t snpy_flat_usual(const snpy_dtype *dtype)
{
    static const char kinds[] = "biufcO";
    const char *kind = dtype->kind != 0 ? strchr(kinds, dtype->kind) : NULL;
    uint32_t power = 0;
    if (kind == NULL || dtype->byteorder == '>' || dtype->itemsize > 32) return 0;
    while (power < 5 && 1u << power < dtype->itemsize) power++;
    return 1u << power == dtype->itemsize ? 1 + 6 * power + (uint32_t)(kind - kinds) : 0;
}

bool snpy_flat_parse_type(const char *text, snpy_dtype *type)
{
    unsigned size = 0;
    char again[16];
    int64_t unused;
    for (size_t i = 1; text[0] != '\0' && text[i] >= '0' && text[i] <= '9' && size < 100000000u; i++)
        size = 10 * size + (unsigned)(text[i] - '0');
    type->kind = (int8_t)text[0];
    type->itemsize = text[0] == 'U' ? 4 * size : size;
    const bool has_order = type->kind != 'S' && (size > 1 || type->kind == 'U');
    const bool is_good = has_order ? type->byteorder == '<' || type->byteorder == '>' : type->byteorder == '|';
    return is_good && snpy_flat_type(type, again, &unused, &unused, &unused) && strcmp(again, text) == 0;
}

/* ---- kinds ---- */

/* Whether a colon and a name may follow. */
static bool has_name(uint32_t kind)
{
    return kind == SNPY_FLAT_DEFAULTDICT || kind >= SNPY_FLAT_TYPE;
}

/* Writes the name of a global: module, dot, name. */
static void describe_global(uint32_t role, char out[SNPY_FLAT_WORD])
{
    uint8_t opcode[SNPY_FLAT_WORD] = {0};
    struct snpy_sink sink = {opcode, sizeof opcode - 1, 0};
    snpy_emit_global(&sink, role < SNPY_ROLES ? role : 0, 3, false); /* c, module, line feed, name, line feed */
    const size_t length = sink.length < 2 || sink.length > sizeof opcode - 1 ? 0 : (size_t)sink.length - 2;
    for (size_t i = 0; i < length; i++) out[i] = opcode[i + 1] == '\n' ? '.' : (char)opcode[i + 1];
    out[length] = '\0';
}

void snpy_flat_describe(const snpy_flat_row *row, char out[SNPY_FLAT_WORD])
{
    char name[SNPY_FLAT_WORD] = "";
    if (row->kind == SNPY_FLAT_TYPE) {
        char type[16];
        int64_t unused;
        (void)snpy_flat_type(&row->type, type, &unused, &unused, &unused);
        (void)snprintf(out, SNPY_FLAT_WORD, "type:%c%s", row->type.byteorder, type);
        return;
    }
    const bool is_named = has_name(row->kind) && row->role != 0;
    const char *keys = snpy_flat_word(row->keys);
    if (is_named) describe_global(row->role, name);
    const char *shown = name;
    if (row->kind == SNPY_FLAT_DEFAULTDICT && is_named && memcmp(name, "builtins.", 9) == 0) shown += 9;
    (void)snprintf(out, SNPY_FLAT_WORD, "%s%s%.80s%s%s", snpy_flat_word(row->kind), is_named ? ":" : "", shown,
                   keys[0] == '\0' ? "" : " ", keys);
}

/* Finds a word. Returns its kind; 0 if there is none. */
static uint8_t find_word(const char *text, size_t length)
{
    for (uint32_t kind = 1; kind < WORDS; kind++)
        if (strlen(words[kind]) == length && memcmp(words[kind], text, length) == 0) return (uint8_t)kind;
    return 0;
}

bool snpy_flat_parse(const char *text, size_t length, snpy_flat_row *row, size_t *name, size_t *name_length)
{
    const char *blank = memchr(text, ' ', length);
    const size_t end = blank != NULL ? (size_t)(blank - text) : length;
    const char *colon = memchr(text, ':', end);
    const size_t stop = colon != NULL ? (size_t)(colon - text) : end;
    row->kind = find_word(text, stop);
    row->keys = blank != NULL ? find_word(blank + 1, length - end - 1) : 0;
    *name = colon != NULL ? stop + 1 : stop;
    *name_length = end - *name;
    const bool is_keyed = row->keys != SNPY_FLAT_ROWS;
    if (row->kind == 0 || row->kind == SNPY_FLAT_MIXED || row->kind == SNPY_FLAT_ARRAYS || (blank != NULL) != is_keyed)
        return false;
    if (is_keyed && !snpy_flat_is_dict(row->kind)) return false;
    if (is_keyed && row->keys > SNPY_FLAT_BYTES && row->keys != SNPY_FLAT_SCALAR && row->keys != SNPY_FLAT_MIXED)
        return false;
    if ((colon != NULL) != (*name_length > 0)) return false;
    if (row->kind == SNPY_FLAT_DEFAULTDICT) return true;
    return has_name(row->kind) == (colon != NULL);
}

void snpy_flat_describe_items(uint8_t items, char out[SNPY_FLAT_WORD])
{
    const bool is_optional = (items & SNPY_FLAT_OPTIONAL) != 0;
    (void)snprintf(out, SNPY_FLAT_WORD, "%s%s", snpy_flat_word(items & ~SNPY_FLAT_OPTIONAL), is_optional ? "?" : "");
}

bool snpy_flat_parse_items(const char *text, size_t length, uint8_t *items)
{
    const bool is_optional = length > 0 && text[length - 1] == '?';
    const uint8_t kind = length == 0 ? 0 : find_word(text, length - (is_optional ? 1 : 0));
    *items = (uint8_t)(kind | (is_optional ? SNPY_FLAT_OPTIONAL : 0));
    if (is_optional) return kind >= SNPY_FLAT_BOOL && kind <= SNPY_FLAT_BYTES;
    return length == 0 || (kind > SNPY_FLAT_ROWS && kind <= SNPY_FLAT_ARRAYS);
}
