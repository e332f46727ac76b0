/* emit.c: opcodes with their arguments, in the one way that a written pickle has them.                 NPY-PKL-029
 * Proves that nothing is written outside the buffer. Leaves to tests/oracle that the names are those of spec/objects.md. */
#include "core/object/emit.h"

#define NAME_MOST 32u /* characters of a module or a name, and a 0 */
#define NAMES (SNPY_ROLES + 2u)
#define XRANGE SNPY_ROLES /* names of Python 2 */
#define UNICODE (SNPY_ROLES + 1u)
#define SHORT 256u /* what has one byte for its length is shorter */

enum module {
    NUMPY,
    MULTIARRAY,
    NEW_MULTIARRAY,
    MA,
    NEW_INTERNAL,
    CODECS,
    BUILTINS,
    OLD_BUILTINS,
    COLLECTIONS,
    DATETIME,
    DECIMAL,
    FRACTIONS,
    PATHLIB,
    TIME,
    UUID,
    MODULES
};

static const struct {
    uint8_t text[NAME_MOST];
} MODULE_NAMES[MODULES] = {{"numpy"},
                           {"numpy.core.multiarray"},
                           {"numpy._core.multiarray"},
                           {"numpy.ma.core"},
                           {"numpy._core._internal"},
                           {"_codecs"},
                           {"builtins"},
                           {"__builtin__"},
                           {"collections"},
                           {"datetime"},
                           {"decimal"},
                           {"fractions"},
                           {"pathlib"},
                           {"time"},
                           {"uuid"}};

/* By snpy_role, from 0, then xrange and unicode; those without a name are never written. */
static const struct {
    uint8_t text[NAME_MOST];
    uint8_t module;
} GLOBALS[NAMES] = {{"", 0},
                    {"ndarray", NUMPY},
                    {"dtype", NUMPY},
                    {"_reconstruct", MULTIARRAY},
                    {"scalar", MULTIARRAY},
                    {"", 0},
                    {"encode", CODECS},
                    {"bytes", BUILTINS},
                    {"complex", BUILTINS},
                    {"bool", BUILTINS},
                    {"bytearray", BUILTINS},
                    {"date", DATETIME},
                    {"datetime", DATETIME},
                    {"Decimal", DECIMAL},
                    {"defaultdict", COLLECTIONS},
                    {"dict", BUILTINS},
                    {"float", BUILTINS},
                    {"Fraction", FRACTIONS},
                    {"frozenset", BUILTINS},
                    {"int", BUILTINS},
                    {"list", BUILTINS},
                    {"_mareconstruct", MA},
                    {"MaskedArray", MA},
                    {"matrix", NUMPY},
                    {"", 0},
                    {"OrderedDict", COLLECTIONS},
                    {"range", BUILTINS},
                    {"recarray", NUMPY},
                    {"", 0},
                    {"record", NUMPY},
                    {"set", BUILTINS},
                    {"slice", BUILTINS},
                    {"str", BUILTINS},
                    {"_convert_to_stringdtype_kwargs", NEW_INTERNAL},
                    {"struct_time", TIME},
                    {"time", DATETIME},
                    {"timedelta", DATETIME},
                    {"timezone", DATETIME},
                    {"tuple", BUILTINS},
                    {"UUID", UUID},
                    {"PosixPath", PATHLIB},
                    {"PurePosixPath", PATHLIB},
                    {"WindowsPath", PATHLIB},
                    {"PureWindowsPath", PATHLIB},
                    {"xrange", BUILTINS},
                    {"unicode", BUILTINS}};

/* The character of a module's name; 0 after its end. */
/*@ requires module < MODULES && index < NAME_MOST;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint8_t module_character(uint32_t module, uint32_t index)
{
    return MODULE_NAMES[module].text[index];
}

/* The character of a global's own name; 0 after its end. */
/*@ requires row < NAMES && index < NAME_MOST;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint8_t name_character(uint32_t row, uint32_t index)
{
    return GLOBALS[row].text[index];
}

/* The module of a global, under the name that the protocol and the version of NumPy have for it. */
/*@ requires row < NAMES;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result < MODULES;
 */
static uint32_t module_of(uint32_t row, uint64_t protocol, bool is_numpy_2)
{
    uint32_t module = GLOBALS[row].module;
    if (module == BUILTINS && protocol == 2) return OLD_BUILTINS;
    if (module == MULTIARRAY && is_numpy_2) return NEW_MULTIARRAY;
    return module % MODULES;
}

/* The row of a global: Python 2 has other names for range and str. */
/*@ requires role < SNPY_ROLES;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result < NAMES;
 */
static uint32_t row_of(uint32_t role, uint64_t protocol)
{
    if (protocol == 2 && role == SNPY_ROLE_RANGE) return XRANGE;
    if (protocol == 2 && role == SNPY_ROLE_STR) return UNICODE;
    return role;
}

/* How long a name is. */
/*@ requires row < (is_module ? MODULES : NAMES);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result < NAME_MOST;
 */
static uint32_t length_of_name(uint32_t row, bool is_module)
{
    uint32_t i = 0;
    /*@ loop invariant range: 0 <= i < NAME_MOST;
        loop assigns i;
        loop variant NAME_MOST - i; */
    while (i < NAME_MOST - 1 && (is_module ? module_character(row, i) : name_character(row, i)) != 0) i++;
    return i;
}

/* Writes a name: as a line, or from protocol 4 on as a str. */
/*@ EMIT_REQUIRES
    requires row < (is_module ? MODULES : NAMES);
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
static void emit_name(struct snpy_sink *sink, uint32_t row, bool is_module, bool is_line)
{
    uint32_t size = length_of_name(row, is_module);
    if (!is_line) {
        snpy_put(sink, SHORT_BINUNICODE);
        snpy_put(sink, (uint8_t)size);
    }
    /*@ loop invariant range: 0 <= i <= size;
        loop assigns i, EMIT_FIELDS;
        loop variant size - i; */
    for (uint32_t i = 0; i < size; i++) snpy_put(sink, is_module ? module_character(row, i) : name_character(row, i));
    if (is_line) snpy_put(sink, '\n');
}

void snpy_emit_global(struct snpy_sink *sink, uint32_t role, uint64_t protocol, bool is_numpy_2)
{
    uint32_t row = row_of(role, protocol);
    bool is_line = protocol < 4;
    if (is_line) snpy_put(sink, 'c');
    emit_name(sink, module_of(row, protocol, is_numpy_2), true, is_line);
    emit_name(sink, row, false, is_line);
    if (!is_line) snpy_put(sink, STACK_GLOBAL);
}

void snpy_emit_number(struct snpy_sink *sink, uint64_t value, uint32_t width)
{
    /*@ loop invariant range: 0 <= i <= width;
        loop assigns i, value, EMIT_FIELDS;
        loop variant width - i; */
    for (uint32_t i = 0; i < width; i++) {
        snpy_put(sink, (uint8_t)(value % 256u));
        value /= 256u;
    }
}

/* How many bytes an integer beyond 32 bits needs in two's complement, given n or -1 - n. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 5 <= \result <= 8;
 */
static uint32_t width_of(uint64_t size)
{
    uint32_t width = 5;
    uint64_t limit = (uint64_t)1 << 39;
    /*@ loop invariant range: 5 <= width <= 8;
        loop invariant limit: width == 5 && limit == 0x8000000000 || width == 6 && limit == 0x800000000000
                || width == 7 && limit == 0x80000000000000 || width == 8 && limit == 0x8000000000000000;
        loop assigns width, limit;
        loop variant 8 - width; */
    while (width < 8 && size >= limit) {
        width++;
        limit = 256u * limit;
    }
    return width;
}

void snpy_emit_integer(struct snpy_sink *sink, int64_t value)
{
    uint64_t size = value < 0 ? (uint64_t)(-1 - value) : (uint64_t)value;
    uint64_t bits = value < 0 ? UINT64_MAX - size : size;
    if (value >= 0 && size < SHORT) {
        snpy_put(sink, 'K');
        snpy_emit_number(sink, bits, 1);
    } else if (value >= 0 && size < 65536u) {
        snpy_put(sink, 'M');
        snpy_emit_number(sink, bits, 2);
    } else if (size < 2147483648u) {
        snpy_put(sink, 'J');
        snpy_emit_number(sink, bits, 4);
    } else {
        uint32_t width = width_of(size);
        snpy_put(sink, LONG1);
        snpy_put(sink, (uint8_t)width);
        snpy_emit_number(sink, bits, width);
    }
}

/* Writes an opcode and a length: one byte with the opcode `brief`, if there is one; else four. */
/*@ EMIT_REQUIRES
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
static void emit_length(struct snpy_sink *sink, uint32_t brief, uint32_t full, uint64_t size)
{
    bool is_brief = brief != 0 && size < SHORT;
    snpy_put(sink, (uint8_t)((is_brief ? brief : full) % 256u));
    snpy_emit_number(sink, size, is_brief ? 1 : 4);
}

void snpy_emit_span(const uint8_t *pickle, size_t length, const snpy_node *node, struct snpy_sink *sink)
{
    if (node->start > length || node->size > length - node->start) return;
    size_t end = (size_t)node->start + node->size;
    /*@ loop invariant range: node->start <= i <= end <= length;
        loop assigns i, EMIT_FIELDS;
        loop variant end - i; */
    for (size_t i = node->start; i < end; i++) snpy_put(sink, pickle[i]);
}

/* Whether the last byte of a number says only again what the sign of the one before says. */
/*@ requires text_ok(pickle, length) && start <= length && 2 <= size <= length - start;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static bool is_longer(const uint8_t *pickle, size_t length, size_t start, size_t size)
{
    uint8_t last = pickle[start + size - 1];
    bool is_negative = pickle[start + size - 2] > 0x7f;
    (void)length;
    return last == (is_negative ? 0xff : 0);
}

/* The bytes that an integer needs; the size of the argument for one in text. */
/*@ requires text_ok(pickle, length) && \valid_read(node) && node->at < length;
    requires node->start <= length && node->size <= length - node->start;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result <= node->size;
 */
static uint32_t size_of_int(const uint8_t *pickle, size_t length, const snpy_node *node)
{
    uint8_t code = pickle[node->at];
    uint32_t size = node->size;
    if (code != LONG1 && code != LONG4) return size;
    /*@ loop invariant range: size <= node->size;
        loop assigns size;
        loop variant size; */
    while (size >= 2 && is_longer(pickle, length, node->start, size)) size--;
    return size;
}

/* Writes an integer beyond 64 bits: text stays text. */
/*@ EMIT_NODE_REQUIRES
    requires node->at < length;
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
static void emit_long(const uint8_t *pickle, size_t length, const snpy_node *node, struct snpy_sink *sink)
{
    uint8_t code = pickle[node->at];
    if (code == LONG1 || code == LONG4) {
        emit_length(sink, LONG1, LONG4, node->size);
        snpy_emit_span(pickle, length, node, sink);
        return;
    }
    snpy_put(sink, 'L');
    snpy_emit_span(pickle, length, node, sink);
    if (code == 'I') snpy_put(sink, 'L');
    snpy_put(sink, '\n');
}

void snpy_emit_int(const uint8_t *pickle, size_t length, const snpy_node *node, struct snpy_sink *sink)
{
    int64_t value = 0;
    snpy_node number = *node;
    if (node->at >= length || node->start > length || node->size > length - node->start) return;
    number.size = size_of_int(pickle, length, node);
    if (snpy_leaf_integer(pickle, length, &number, &value)) {
        snpy_emit_integer(sink, value);
    } else {
        emit_long(pickle, length, &number, sink);
    }
}

void snpy_emit_float(const uint8_t *pickle, size_t length, const snpy_node *node, struct snpy_sink *sink)
{
    if (node->at >= length) return;
    uint8_t code = pickle[node->at];
    snpy_put(sink, code);
    snpy_emit_span(pickle, length, node, sink);
    if (code == 'F') snpy_put(sink, '\n');
}

/* The bytes of a code point in UTF-8. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: 1 <= \result <= 4;
 */
static uint32_t size_of_point(uint32_t point)
{
    if (point < 0x80) return 1;
    if (point < 0x800) return 2;
    return point < 0x10000 ? 3 : 4;
}

/* The bytes of text in UTF-8; UINT64_MAX if a character is above `most`. */
/*@ requires leaf_ok(pickle, leaf) && most <= 0x10ffff;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
static uint64_t size_of_text(const uint8_t *pickle, struct snpy_leaf leaf, uint32_t most)
{
    uint64_t size = 0;
    /*@ loop invariant leaf: leaf_ok(pickle, leaf);
        loop invariant left: size + 4 * leaf_left(leaf) <= \at(4 * leaf_left(leaf), Pre);
        loop assigns size, leaf;
        loop variant leaf_left(leaf); */
    while (leaf.point != SNPY_LEAF_END) {
        if (leaf.point > most) return UINT64_MAX;
        size += size_of_point(leaf.point);
        snpy_leaf_step(pickle, &leaf);
    }
    return size;
}

bool snpy_emit_text(const uint8_t *pickle, struct snpy_leaf leaf, uint32_t most, uint64_t protocol,
                    struct snpy_sink *sink)
{
    uint64_t size = size_of_text(pickle, leaf, most);
    if (size == UINT64_MAX) return false;
    emit_length(sink, protocol < 4 ? 0 : SHORT_BINUNICODE, 'X', size);
    /*@ loop invariant leaf: leaf_ok(pickle, leaf);
        loop assigns leaf, EMIT_FIELDS;
        loop variant leaf_left(leaf); */
    while (leaf.point <= 0x10ffff) {
        snpy_put_code_point(sink, leaf.point, true);
        snpy_leaf_step(pickle, &leaf);
    }
    return true;
}

void snpy_emit_bytes(const uint8_t *pickle, struct snpy_leaf leaf, struct snpy_sink *sink)
{
    /*@ loop invariant leaf: leaf_ok(pickle, leaf);
        loop assigns leaf, EMIT_FIELDS;
        loop variant leaf_left(leaf); */
    while (leaf.point != SNPY_LEAF_END) {
        snpy_put(sink, (uint8_t)(leaf.point % 256u));
        snpy_leaf_step(pickle, &leaf);
    }
}

void snpy_emit_length_of_bytes(struct snpy_sink *sink, uint64_t size)
{
    emit_length(sink, 'C', 'B', size);
}

void snpy_emit_word(struct snpy_sink *sink, uint32_t word, uint64_t protocol)
{
    uint32_t size = 0;
    /*@ loop invariant range: 0 <= size < SNPY_WORD_MOST;
        loop assigns size;
        loop variant SNPY_WORD_MOST - size; */
    while (size < SNPY_WORD_MOST - 1 && snpy_word_character(word, size) != 0) size++;
    emit_length(sink, protocol < 4 ? 0 : SHORT_BINUNICODE, 'X', size);
    /*@ loop invariant range: 0 <= i <= size;
        loop assigns i, EMIT_FIELDS;
        loop variant size - i; */
    for (uint32_t i = 0; i < size; i++) snpy_put(sink, (uint8_t)snpy_word_character(word, i));
}
