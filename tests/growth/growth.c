/* growth.c: how much the core works for inputs of one kind that grow: a line `kind what bytes count` for each size.
 *
 *   growth MOST NAMES       sizes from 1 KiB, each twice the one before, up to MOST bytes; up to NAMES where the
 *                           input is full of names, which have to be compared
 *
 * The core is compiled so that it calls __sanitizer_cov_trace_pc in each basic block: the count of these, and of bytes
 * that memset and its like touch, is the same on every machine and never more than the instructions, never less than
 * a fixed part of them. Under callgrind the count is left to callgrind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <valgrind/callgrind.h>

#include "core/core.h"
#include "safenpy/object.h"
#include "safenpy/zip.h"

static unsigned long long blocks;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    blocks++;
}

void *__real_memset(void *to, int byte, size_t size);
void *__wrap_memset(void *to, int byte, size_t size);
void *__wrap_memset(void *to, int byte, size_t size)
{
    blocks += size;
    return __real_memset(to, byte, size);
}

void *__real_memcpy(void *to, const void *from, size_t size);
void *__wrap_memcpy(void *to, const void *from, size_t size);
void *__wrap_memcpy(void *to, const void *from, size_t size)
{
    blocks += size;
    return __real_memcpy(to, from, size);
}

/* --- building --------------------------------------------------------------------------------------------- */

struct text {
    char *bytes;
    size_t length;
    size_t capacity;
};

static void put(struct text *text, const void *bytes, size_t length)
{
    if (text->capacity - text->length < length) {
        text->capacity = 2 * text->capacity + length + 4096;
        text->bytes = realloc(text->bytes, text->capacity);
        if (text->bytes == NULL) exit(2);
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

static void puts_of(struct text *text, const char *words)
{
    put(text, words, strlen(words));
}

static void repeat(struct text *text, const char *words, size_t size)
{
    for (size_t from = text->length; text->length - from < size;) puts_of(text, words);
}

/* Words with a number in them, once or twice. */
static void put_number(struct text *text, const char *format, unsigned long number)
{
    char words[2048];
    (void)snprintf(words, sizeof words, format, number, number);
    puts_of(text, words);
}

/* Fields that differ in a number only, in an order that is not sorted. */
static void put_fields(struct text *text, const char *format, size_t size)
{
    puts_of(text, "[");
    for (unsigned long i = 0; text->length < size; i++) put_number(text, format, i * 2654435761u & 0xffffffffu);
    puts_of(text, "]");
}

#define LONG8(text) text text text text text text text text
#define PREFIX LONG8(LONG8("aaaaaaaaaaaaaaaa"))
#define NEST8 "[('a', [('a', [('a', [('a', [('a', [('a', [('a', [('a', "
#define TSEN8 ")])])])])])])])]"
#define ONES16 "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "

enum { DESCR, SHAPE, BEFORE, BEHIND };

/* What is repeated, and where it stands. */
static const struct kind {
    const char *name;
    int place;
    const char *format; /* of one field, or NULL */
    const char *words;  /* behind `from` as often as it takes, in front of `end` */
    const char *from, *end;
    unsigned major;
} kinds[] = {
    {"blanks-before", BEFORE, NULL, " \t\r\n\f", "", "", 2},
    {"blanks-behind", BEHIND, NULL, " ", "", "", 2},
    {"blanks-in-shape", SHAPE, NULL, " ", "(3", ",)", 2},
    {"digits", SHAPE, NULL, "7", "(7", ",)", 2},
    {"dimensions", SHAPE, NULL, "1, ", "(", ")", 2},
    {"signs", SHAPE, NULL, "-", "(", ")", 2},
    {"type-digits", DESCR, NULL, "1", "'|S", "'", 2},
    {"unit-digits", DESCR, NULL, "1", "'<M8[", "s]'", 2},
    {"fields", DESCR, "('%010lu', '<f8'), ", NULL, "", "", 2},
    {"padding", DESCR, "('', '|V1'), ('%010lu', '<f8'), ", NULL, "", "", 2},
    {"titles", DESCR, "(('t%010lu', 'n%010lu'), '<f8'), ", NULL, "", "", 2},
    {"escapes", DESCR, "('\\x41\\u0042\\U00000043\\n%010lu', '<f8'), ", NULL, "", "", 2},
    {"one-escape", DESCR, NULL, "\\x41", "[('", "', '<f8')]", 2},
    {"one-name", DESCR, NULL, "name", "[('", "', '<f8')]", 2},
    {"bad-string", DESCR, NULL, "\\x41", "[('", "\\q', '<f8')]", 2},
    {"no-end", DESCR, NULL, "\\'", "[('", "", 2},
    {"utf8", DESCR, "('\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80%010lu', '<f8'), ", NULL, "", "", 3},
    {"sub-arrays", DESCR, "('%010lu', '<f8', (" ONES16 ONES16 ONES16 "1, )), ", NULL, "", "", 2},
    {"nesting", DESCR, "('%010lu', " NEST8 NEST8 NEST8 NEST8 "'<f8'" TSEN8 TSEN8 TSEN8 TSEN8 "), ", NULL, "", "", 2},
    {"nested-sub-arrays", DESCR, "('%010lu', (((('|i1', (1,)), (1,)), (1,)), (1,)), (1,)), ", NULL, "", "", 2},
    {"open-lists", DESCR, NULL, "[('a', ", "", "", 2},
    {"brackets", DESCR, NULL, "[", "", "", 2},
    {"names-with-a-long-prefix", DESCR, "('" PREFIX "%010lu', '<f8'), ", NULL, "", "", 2},
    {"titles-like-names", DESCR, "(('" PREFIX "%010lu', 'n%010lu'), '<f8'), ", NULL, "", "", 2},
    {"types", DESCR, "('%010lu', '<U536870911'), ", NULL, "", "", 2},
    {"objects", DESCR, "('%010lu', '|O'), ", NULL, "", "", 2},
};

static void make_header(const struct kind *kind, size_t size, struct text *text)
{
    static const char magic[] = "\x93NUMPY";
    text->length = 0;
    put(text, magic, 6);
    char version[6] = {(char)kind->major, 0, 0, 0, 0, 0};
    put(text, version, 6);
    puts_of(text, "{");
    if (kind->place == BEFORE) repeat(text, kind->words, size);
    puts_of(text, "'descr': ");
    if (kind->place == DESCR && kind->format != NULL) {
        put_fields(text, kind->format, size);
    } else if (kind->place == DESCR) {
        puts_of(text, kind->from);
        repeat(text, kind->words, size);
        puts_of(text, kind->end);
    } else {
        puts_of(text, "'<f8'");
    }
    puts_of(text, ", 'fortran_order': False, 'shape': ");
    puts_of(text, kind->place == SHAPE ? kind->from : "()");
    if (kind->place == SHAPE) repeat(text, kind->words, size);
    if (kind->place == SHAPE) puts_of(text, kind->end);
    puts_of(text, ", }");
    if (kind->place == BEHIND) repeat(text, kind->words, size);
    puts_of(text, "\n");
    for (size_t i = 0; i < 4; i++) text->bytes[8 + i] = (char)((text->length - 12) >> (8 * i));
}

/* --- measuring -------------------------------------------------------------------------------------------- */

static void begin(void)
{
    blocks = 0;
    CALLGRIND_TOGGLE_COLLECT;
}

static void end(const char *kind, const char *what, size_t bytes, snpy_status status)
{
    char line[256];
    CALLGRIND_TOGGLE_COLLECT;
    unsigned long long counted = blocks;
    (void)snprintf(line, sizeof line, "%s %s %lu %d", kind, what, (unsigned long)bytes, (int)status);
    CALLGRIND_DUMP_STATS_AT(line);
    printf("%s %llu\n", line, counted);
    (void)fflush(stdout);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count == 0 ? 1 : count, size);
    if (memory == NULL) exit(2);
    return memory;
}

/* Reading, writing what was read, and decoding all names. */
static void measure_header(const char *kind, const struct text *text)
{
    snpy_options options = SNPY_OPTIONS_INIT;
    options.max_header_bytes = SNPY_MAX_HEADER;
    options.max_fields = SNPY_MAX_FIELDS;
    snpy_header header;
    snpy_error error;
    const uint8_t *bytes = (const uint8_t *)text->bytes;
    size_t room = text->length / 7 + 8;
    snpy_table table = {NULL, room, NULL, text->length / 2, 0, 0};
    table.fields = allocate(room, sizeof(snpy_field));
    table.dims = allocate(table.dim_capacity, sizeof(int32_t));
    begin();
    snpy_status status = snpy_parse_header(bytes, text->length, &options, &table, &header, &error);
    end(kind, "read", text->length, status);
    if (status == SNPY_OK) {
        size_t capacity = 4 * text->length + 1024;
        uint64_t size = 0;
        uint8_t *out = allocate(capacity, 1);
        snpy_name_encoding encoding = header.frame.major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1;
        snpy_description description = {&header, &table, bytes + 12, text->length - 12, encoding, SNPY_VERSION_AUTO};
        begin();
        status = snpy_write_header(&description, out, capacity, &size, &error);
        end(kind, "write", text->length, status);
        free(out);
    }
    free(table.fields);
    free(table.dims);
}

static void put_little(struct text *text, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = i < 8 ? (uint8_t)(number >> (8 * i)) : 0;
        put(text, &byte, 1);
    }
}

/* What a local and a central header have in common: version needed up to the length of the extra field. */
static void put_common(struct text *text, size_t name_length)
{
    put_little(text, 20, 2);
    put_little(text, 0, 2 + 2 + 4);
    put_little(text, 0, 4 + 4 + 4);
    put_little(text, name_length, 2);
    put_little(text, 0, 2);
}

/* An archive of empty members whose names differ in a number only. */
static void make_archive(const char *format, size_t size, size_t comment, struct text *text)
{
    struct text central = {NULL, 0, 0};
    unsigned long count = 0;
    text->length = 0;
    for (; text->length + central.length < size && count < 65535; count++) {
        char name[2048];
        size_t length = (size_t)snprintf(name, sizeof name, format, count * 2654435761u & 0xffffffffu);
        size_t offset = text->length;
        puts_of(text, "PK\3\4");
        put_common(text, length);
        put(text, name, length);
        puts_of(&central, "PK\1\2");
        put_little(&central, 20, 2);
        put_common(&central, length);
        put_little(&central, 0, 6);
        put_little(&central, 0, 4);
        put_little(&central, offset, 4);
        put(&central, name, length);
    }
    size_t at = text->length;
    put(text, central.bytes == NULL ? "" : central.bytes, central.length);
    puts_of(text, "PK\5\6");
    put_little(text, 0, 4);
    put_little(text, count, 2);
    put_little(text, count, 2);
    put_little(text, central.length, 4);
    put_little(text, at, 4);
    put_little(text, comment, 2);
    repeat(text, "PK\5", comment);
    text->length -= comment % 3 == 0 ? 0 : 3 - comment % 3;
    free(central.bytes);
}

/* All steps of a walk, as zip.h has them: NPZ-LIMIT-005. */
static snpy_status walk(const uint8_t *bytes, size_t length, snpy_zip_member *members, size_t capacity)
{
    snpy_zip_options options = SNPY_ZIP_OPTIONS_INIT;
    snpy_zip_directory directory;
    snpy_error error;
    size_t tail = length < SNPY_ZIP_TAIL ? length : SNPY_ZIP_TAIL;
    snpy_status status = snpy_zip_find(bytes + length - tail, tail, length, &options, &directory, &error);
    if (status != SNPY_OK) return status;
    const uint8_t *central = bytes + directory.offset;
    size_t size = (size_t)directory.size;
    status = snpy_zip_list(central, size, &directory, members, capacity, &error);
    for (size_t i = 0; i < directory.count && status == SNPY_OK; i++) {
        size_t wanted = 0;
        const uint8_t *local = bytes + members[i].local_offset;
        status = snpy_zip_local(local, (size_t)(directory.offset - members[i].local_offset), central, size, &directory,
                                &options, members, i, &wanted, &error);
    }
    if (status != SNPY_OK) return status;
    status = snpy_zip_check_ranges(&directory, &options, members, (size_t)directory.count, &error);
    if (status != SNPY_OK) return status;
    return snpy_zip_keys(central, size, &directory, members, (size_t)directory.count, &error);
}

static void measure_archive(const char *kind, const struct text *text)
{
    size_t capacity = text->length / 76 + 1;
    snpy_zip_member *members = allocate(capacity, sizeof(snpy_zip_member));
    begin();
    snpy_status status = walk((const uint8_t *)text->bytes, text->length, members, capacity);
    end(kind, "walk", text->length, status);
    free(members);
}

#define DIGITS LONG8(LONG8("1111111111111111"))
#define NONES LONG8("NNNNNNNNNNNNNNNN")

/* Pickles: `words` as often as it takes, between `from` and `end`. */
static const struct pickle {
    const char *name;
    const char *from, *words, *end;
} pickles[] = {
    {"pickle-values", "", "N0", "N."},
    {"pickle-memo", "",
     "N\x94"
     "0",
     "N."},
    {"pickle-tuples", "", "(NNNt0", "N."},
    {"pickle-list", "(", "N", "l."},
    {"pickle-marks", "", "(", ""},
    {"pickle-marks-in-pairs", "", "(1", "N."},
    {"pickle-text", "V", "\\u0041", "\n."},
    {"pickle-string", "S'", "\\x41", "'\n."},
    {"pickle-integer", "I", "7", "\n."},
    {"pickle-globals", "", "cnumpy._core._internal\n_convert_to_stringdtype_kwargs\n0", "N."},
    {"pickle-names-by-memo", "V" PREFIX "\np0\n",
     "g0\ng0\n\x93"
     "0",
     "."},
    {"pickle-references", "]p0\n", "g0\n0N0", "."},
    {"pickle-decimals", "cdecimal\nDecimal\np0\n0V" DIGITS "\n\x85p1\n0", "g0\ng1\nR0", "N."},
    {"pickle-keys", "(" NONES "tp0\n0", "}g0\nNs0", "N."},
};

static void measure_pickle(const struct pickle *pickle, size_t size, struct text *text)
{
    snpy_opcode opcode;
    snpy_error error;
    text->length = 0;
    puts_of(text, pickle->from);
    repeat(text, pickle->words, size);
    puts_of(text, pickle->end);
    snpy_object_scan scan = {NULL, NULL, text->length + 1, text->length, 0, 0, 0, 0, 0};
    scan.stack = allocate(text->length + 1, sizeof(uint32_t));
    scan.memo = allocate(text->length, sizeof(uint32_t));
    snpy_status status = SNPY_OK;
    opcode.code = 0;
    begin();
    while (status == SNPY_OK && opcode.code != '.')
        status = snpy_scan_opcode((const uint8_t *)text->bytes, text->length, &scan, &opcode, &error);
    end(pickle->name, "scan", text->length, status);
    free(scan.stack);
    free(scan.memo);
}

/* Decodes the pickle that was measured last. */
static void measure_decoder(const struct pickle *pickle, const struct text *text)
{
    snpy_error error;
    snpy_object_scan scan = {NULL, NULL, text->length + 1, text->length, 0, 0, 0, 0, 0};
    snpy_node_table table = {NULL, text->length + 1, 2 * text->length, 3 * text->length, 0, 0};
    snpy_object_keys keys = {NULL, 2 * text->length + 2, 0, 1};
    scan.stack = allocate(text->length + 1, sizeof(uint32_t));
    scan.memo = allocate(text->length, sizeof(uint32_t));
    table.nodes = allocate(text->length + 1, sizeof(snpy_node));
    keys.slots = allocate(2 * text->length + 2, sizeof(snpy_object_key));
    begin();
    snpy_status status =
        snpy_decode_objects((const uint8_t *)text->bytes, text->length, SNPY_SET_PLAIN, &scan, &table, &keys, &error);
    end(pickle->name, "decode", text->length, status);
    free(scan.stack);
    free(scan.memo);
    free(table.nodes);
    free(keys.slots);
}

int main(int argc, char **argv)
{
    unsigned long most = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned long names = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    struct text text = {NULL, 0, 0};
    if (most < 1024) {
        fputs("usage: work MOST NAMES\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (size_t size = 1024; size <= (kinds[i].format == NULL ? most : names); size *= 2) {
            make_header(&kinds[i], size, &text);
            measure_header(kinds[i].name, &text);
        }
    }
    for (size_t size = 1024; size <= names; size *= 2) {
        make_archive("%010lu", size, 0, &text);
        measure_archive("members", &text);
    }
    for (size_t size = 1024; size <= names; size *= 2) {
        make_archive(PREFIX "%010lu", size, 0, &text);
        measure_archive("members-with-a-long-prefix", &text);
    }
    for (size_t size = 1024; size <= most && size < 65536; size *= 2) {
        make_archive("%010lu", 0, size, &text);
        measure_archive("comment", &text);
    }
    for (size_t i = 0; i < sizeof pickles / sizeof pickles[0]; i++) {
        for (size_t size = 1024; size <= most; size *= 2) {
            measure_pickle(&pickles[i], size, &text);
            if (size <= names) measure_decoder(&pickles[i], &text); /* a node takes 48 bytes */
        }
    }
    free(text.bytes);
    return 0;
}
