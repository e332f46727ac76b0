/* objects.c: `safenpy objects`: what a pickle needs of its reader, without running or building anything.
 * Proves nothing. Leaves the opcodes to the core, and archives to the library. */
#include "cli/archive.h"
#include "safenpy/object.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Entries of the stack and of the memo that a scan may use: 256 MiB each. */
#define MOST_ENTRIES ((uint64_t)1 << 26)
#define PIECE ((size_t)65536)
#define PREFIX_SIZE 12u /* bytes before the text of a header, at most */

static const struct option long_options[] = {{"json", no_argument, NULL, CLI_OPTION_JSON},
                                             {"max-header", required_argument, NULL, CLI_OPTION_MAX_HEADER},
                                             {"compat", required_argument, NULL, CLI_OPTION_COMPAT},
                                             CLI_MEMBER_OPTIONS,
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

/* The names of opcodes in pickletools, also of those that spec/objects.md refuses. */
static const char *const opcode_names[256] = {['('] = "MARK",          [')'] = "EMPTY_TUPLE",
                                              ['.'] = "STOP",          ['0'] = "POP",
                                              ['1'] = "POP_MARK",      ['2'] = "DUP",
                                              ['B'] = "BINBYTES",      ['C'] = "SHORT_BINBYTES",
                                              ['F'] = "FLOAT",         ['G'] = "BINFLOAT",
                                              ['I'] = "INT",           ['J'] = "BININT",
                                              ['K'] = "BININT1",       ['L'] = "LONG",
                                              ['M'] = "BININT2",       ['N'] = "NONE",
                                              ['P'] = "PERSID",        ['Q'] = "BINPERSID",
                                              ['R'] = "REDUCE",        ['S'] = "STRING",
                                              ['T'] = "BINSTRING",     ['U'] = "SHORT_BINSTRING",
                                              ['V'] = "UNICODE",       ['X'] = "BINUNICODE",
                                              [']'] = "EMPTY_LIST",    ['a'] = "APPEND",
                                              ['b'] = "BUILD",         ['c'] = "GLOBAL",
                                              ['d'] = "DICT",          ['e'] = "APPENDS",
                                              ['g'] = "GET",           ['h'] = "BINGET",
                                              ['i'] = "INST",          ['j'] = "LONG_BINGET",
                                              ['l'] = "LIST",          ['o'] = "OBJ",
                                              ['p'] = "PUT",           ['q'] = "BINPUT",
                                              ['r'] = "LONG_BINPUT",   ['s'] = "SETITEM",
                                              ['t'] = "TUPLE",         ['u'] = "SETITEMS",
                                              ['}'] = "EMPTY_DICT",    [0x80] = "PROTO",
                                              [0x81] = "NEWOBJ",       [0x82] = "EXT1",
                                              [0x83] = "EXT2",         [0x84] = "EXT4",
                                              [0x85] = "TUPLE1",       [0x86] = "TUPLE2",
                                              [0x87] = "TUPLE3",       [0x88] = "NEWTRUE",
                                              [0x89] = "NEWFALSE",     [0x8a] = "LONG1",
                                              [0x8b] = "LONG4",        [0x8c] = "SHORT_BINUNICODE",
                                              [0x8d] = "BINUNICODE8",  [0x8e] = "BINBYTES8",
                                              [0x8f] = "EMPTY_SET",    [0x90] = "ADDITEMS",
                                              [0x91] = "FROZENSET",    [0x92] = "NEWOBJ_EX",
                                              [0x93] = "STACK_GLOBAL", [0x94] = "MEMOIZE",
                                              [0x95] = "FRAME",        [0x96] = "BYTEARRAY8",
                                              [0x97] = "NEXT_BUFFER",  [0x98] = "READONLY_BUFFER"};

static const char *const set_names[] = {"data", "plain", "other"};

/* One pickle, and where it was found. */
typedef struct payload {
    const char *name;   /* of the file */
    const char *member; /* the key of a member, or NULL */
    const char *format; /* npy, npz or pickle */
    const uint8_t *bytes;
    size_t length;
    uint64_t offset; /* of its first byte in the file or member: errors count from there */
} payload;

/* A scan through a pickle. */
typedef struct scan {
    const payload *of;
    snpy_object_scan state;
    snpy_opcode opcode;
    snpy_error error; /* SNPY_OK after STOP; SNPY_NO_MEMORY */
} scan;

/* What a whole scan has found. */
typedef struct summary {
    unsigned set;        /* the largest that an opcode needs */
    snpy_opcode foreign; /* the first with a global of no set, if set is SNPY_SET_OTHER */
    snpy_error error;
    uint64_t protocol;
    uint64_t opcodes;
    uint64_t counts[256];
} summary;

/* ---- scans ---- */

/* Lengthens a table. Returns false, with the table as it was, if there is no memory. */
static bool lengthen(uint32_t **table, uint64_t *capacity, uint64_t wanted)
{
    uint32_t *longer = wanted <= SIZE_MAX / sizeof **table ? realloc(*table, (size_t)wanted * sizeof **table) : NULL;
    if (longer == NULL) return false;
    memset(longer + *capacity, 0, (size_t)(wanted - *capacity) * sizeof **table);
    *table = longer;
    *capacity = wanted;
    return true;
}

/* Gives a scan larger tables, if they are what it lacks. */
static bool grow(scan *one)
{
    uint64_t wanted = one->state.stack_capacity < 32 ? 64 : 2 * one->state.stack_capacity;
    if (one->error.status != SNPY_PKL_TOO_MANY_NODES || wanted > MOST_ENTRIES) return false;
    if (lengthen(&one->state.stack, &one->state.stack_capacity, wanted) &&
        lengthen(&one->state.memo, &one->state.memo_capacity, wanted))
        return true;
    one->error.status = SNPY_NO_MEMORY;
    return false;
}

static void begin_scan(scan *one, const payload *of)
{
    static const scan empty = {.of = NULL};
    *one = empty;
    one->of = of;
}

/* Reads the next opcode; false after STOP, or if there is none that keeps the rules. */
static bool step(scan *one)
{
    if (one->opcode.code == '.') return false;
    while (snpy_scan_opcode(one->of->bytes, one->of->length, &one->state, &one->opcode, &one->error) != SNPY_OK) {
        if (!grow(one)) return false;
    }
    return true;
}

static void end_scan(scan *one)
{
    free(one->state.stack);
    free(one->state.memo);
}

static void summarize(const payload *of, summary *found)
{
    static const summary empty = {.set = SNPY_SET_DATA};
    scan one;
    *found = empty;
    begin_scan(&one, of);
    while (step(&one)) {
        found->opcodes++;
        found->counts[one.opcode.code]++;
        if (one.opcode.set == SNPY_SET_OTHER && found->set != SNPY_SET_OTHER) found->foreign = one.opcode;
        if (one.opcode.set > found->set) found->set = (unsigned)one.opcode.set;
    }
    found->error = one.error;
    found->protocol = one.state.protocol;
    end_scan(&one);
}

/* ---- what is said ---- */

/* Whether a pickle ends at an opcode that Python knows and no set has. */
static bool has_foreign_opcode(const payload *of, const summary *found)
{
    return found->error.status == SNPY_PKL_OPCODE && opcode_names[of->bytes[found->error.offset]] != NULL;
}

static const char *verdict(const payload *of, const summary *found)
{
    if (found->set == SNPY_SET_OTHER || has_foreign_opcode(of, found)) return "other";
    return found->error.status != SNPY_OK ? "damaged" : set_names[found->set];
}

/* Puts the name of a global, as it stands in the pickle. */
static void put_global(const payload *of, const snpy_opcode *opcode)
{
    if (opcode->module_size == 0 && opcode->name_size == 0) {
        cli_put(&cli_output, "a global without a name");
        return;
    }
    cli_put_safe(&cli_output, of->bytes + opcode->module, (size_t)opcode->module_size, SNPY_TEXT_UTF8);
    cli_put(&cli_output, " ");
    cli_put_safe(&cli_output, of->bytes + opcode->name, (size_t)opcode->name_size, SNPY_TEXT_UTF8);
}

/* Puts the verdict: "plain", "other (posix system at byte 135)", "damaged (byte 12)". */
static void put_verdict(const payload *of, const summary *found)
{
    const char *word = verdict(of, found);
    cli_put(&cli_output, word);
    if (strcmp(word, "other") == 0) {
        const bool is_global = found->set == SNPY_SET_OTHER;
        cli_put(&cli_output, " (");
        if (is_global) put_global(of, &found->foreign);
        if (!is_global) cli_put(&cli_output, opcode_names[of->bytes[found->error.offset]]);
        cli_put(&cli_output, " at byte ");
        cli_put_number(&cli_output, of->offset + (is_global ? found->foreign.at : found->error.offset));
        cli_put(&cli_output, ")");
    } else if (strcmp(word, "damaged") == 0) {
        cli_put(&cli_output, " (byte ");
        cli_put_number(&cli_output, of->offset + found->error.offset);
        cli_put(&cli_output, ")");
    }
}

static void put_name(const payload *of)
{
    cli_put_argument(&cli_output, of->name);
    if (of->member != NULL) {
        cli_put(&cli_output, ":");
        cli_put_argument(&cli_output, of->member);
    }
    cli_put(&cli_output, ": ");
}

/* Puts a line for the pickle, one for each global, and one for what is wrong. */
static void put_text(const payload *of, const summary *found)
{
    scan one;
    put_name(of);
    put_verdict(of, found);
    cli_put(&cli_output, ", protocol ");
    cli_put_number(&cli_output, found->protocol);
    cli_put(&cli_output, ", ");
    cli_put_number(&cli_output, of->length);
    cli_put(&cli_output, " bytes, ");
    cli_put_number(&cli_output, found->opcodes);
    cli_put(&cli_output, " opcodes\n");
    begin_scan(&one, of);
    while (step(&one)) {
        if (one.opcode.code != 'c' && one.opcode.code != 0x93) continue;
        cli_put(&cli_output, "  byte ");
        cli_put_number(&cli_output, of->offset + one.opcode.at);
        cli_put(&cli_output, ": ");
        put_global(of, &one.opcode);
        cli_put(&cli_output, " (");
        cli_put(&cli_output, set_names[one.opcode.set]);
        cli_put(&cli_output, ")\n");
    }
    end_scan(&one);
    if (found->error.status == SNPY_OK) return;
    cli_put(&cli_output, "  byte ");
    cli_put_number(&cli_output, of->offset + found->error.offset);
    cli_put(&cli_output, ": ");
    cli_put(&cli_output, snpy_status_message(found->error.status));
    cli_put(&cli_output, " [");
    cli_put(&cli_output, snpy_status_rule(found->error.status));
    cli_put(&cli_output, "]\n");
}

static void json_number(const char *key, uint64_t number, bool *first)
{
    cli_json_key(&cli_output, key, first);
    cli_put_number(&cli_output, number);
}

static void json_text(const char *key, const char *text, bool *first)
{
    cli_json_key(&cli_output, key, first);
    cli_json_text(&cli_output, text);
}

/* Puts `"globals": [...]`. */
static void json_globals(const payload *of, bool *first)
{
    scan one;
    bool is_first = true;
    cli_json_key(&cli_output, "globals", first);
    cli_put(&cli_output, "[");
    begin_scan(&one, of);
    while (step(&one)) {
        bool inner = true;
        if (one.opcode.code != 'c' && one.opcode.code != 0x93) continue;
        cli_put(&cli_output, is_first ? "{" : ", {");
        is_first = false;
        json_number("offset", of->offset + one.opcode.at, &inner);
        cli_json_key(&cli_output, "module", &inner);
        cli_json_string(&cli_output, of->bytes + one.opcode.module, (size_t)one.opcode.module_size, SNPY_TEXT_UTF8);
        cli_json_key(&cli_output, "name", &inner);
        cli_json_string(&cli_output, of->bytes + one.opcode.name, (size_t)one.opcode.name_size, SNPY_TEXT_UTF8);
        json_text("set", set_names[one.opcode.set], &inner);
        cli_put(&cli_output, "}");
    }
    end_scan(&one);
    cli_put(&cli_output, "]");
}

static void json_begin(const payload *of, const char *fits, bool *first)
{
    cli_put(&cli_output, "{");
    cli_json_file(&cli_output, of->name, first);
    if (of->member != NULL) json_text("key", of->member, first);
    json_text("format", of->format, first);
    json_text("objects", fits, first);
}

static void put_json(const payload *of, const summary *found)
{
    bool first = true;
    bool inner = true;
    json_begin(of, verdict(of, found), &first);
    json_number("protocol", found->protocol, &first);
    json_number("offset", of->offset, &first);
    json_number("size", of->length, &first);
    cli_json_key(&cli_output, "opcodes", &first);
    cli_put(&cli_output, "{");
    for (size_t i = 0; i < 256; i++) {
        if (found->counts[i] > 0) json_number(opcode_names[i], found->counts[i], &inner);
    }
    cli_put(&cli_output, "}");
    json_globals(of, &first);
    if (found->error.status != SNPY_OK) {
        inner = true;
        cli_json_key(&cli_output, "error", &first);
        cli_put(&cli_output, "{");
        json_text("rule", snpy_status_rule(found->error.status), &inner);
        json_text("status", snpy_status_name(found->error.status), &inner);
        json_number("offset", of->offset + found->error.offset, &inner);
        json_text("message", snpy_status_message(found->error.status), &inner);
        cli_put(&cli_output, "}");
    }
    cli_put(&cli_output, "}\n");
}

/* Puts that there is no pickle. */
static enum cli_exit put_none(const payload *of, const cli_options *options)
{
    if (options->json) {
        bool first = true;
        json_begin(of, "none", &first);
        cli_put(&cli_output, "}\n");
    } else {
        put_name(of);
        cli_put(&cli_output, "none\n");
    }
    return CLI_ACCEPTED;
}

static enum cli_exit list(const payload *of, const cli_options *options)
{
    summary found;
    summarize(of, &found);
    if (found.error.status == SNPY_NO_MEMORY) {
        cli_lack_memory();
        return CLI_TROUBLE;
    }
    if (options->json) {
        put_json(of, &found);
    } else {
        put_text(of, &found);
    }
    cli_end_file();
    return found.error.status == SNPY_OK && found.set != SNPY_SET_OTHER ? CLI_ACCEPTED : CLI_REFUSED;
}

/* ---- files ---- */

/* What was read of a file. */
typedef struct input {
    FILE *file;
    uint8_t *bytes;
    size_t length;
    size_t capacity;
} input;

/* Reads until `most` bytes are there, or the file ends. Returns false, with errno, if that fails. */
static bool read_up_to(input *from, size_t most)
{
    while (from->length < most && feof(from->file) == 0) {
        if (from->capacity - from->length < PIECE) {
            size_t wanted = from->capacity < PIECE ? 2 * PIECE : 2 * from->capacity;
            uint8_t *longer = wanted > from->capacity ? realloc(from->bytes, wanted) : NULL;
            if (longer == NULL) return false;
            from->bytes = longer;
            from->capacity = wanted;
        }
        size_t room = most - from->length < PIECE ? most - from->length : PIECE;
        from->length += fread(from->bytes + from->length, 1, room, from->file);
        if (ferror(from->file) != 0) return false;
    }
    return true;
}

/* Reports why a file cannot be listed. */
static enum cli_exit report_trouble(const char *name, const char *why)
{
    cli_stream *stream = cli_complain();
    cli_put_argument(stream, name);
    cli_put(stream, ": ");
    cli_put(stream, why);
    cli_put(stream, "\n");
    cli_flush(stream);
    return CLI_TROUBLE;
}

static enum cli_exit report_system(const char *name)
{
    return report_trouble(name, strerror(errno));
}

/* Lists a whole file that is read, from `offset` on. */
static enum cli_exit list_rest(input *from, payload *of, uint64_t offset, const cli_options *options)
{
    if (!read_up_to(from, SIZE_MAX)) return report_system(of->name);
    of->bytes = from->bytes + offset;
    of->length = from->length - (size_t)offset;
    of->offset = offset;
    if (of->length <= SNPY_MAX_PICKLE) return list(of, options);
    errno = EFBIG;
    return report_system(of->name);
}

/* An NPY file: its payload, if it has objects. */
static enum cli_exit list_npy(input *from, payload *of, const cli_options *options)
{
    snpy_load_options how = SNPY_LOAD_OPTIONS_INIT;
    snpy_array head;
    snpy_io_error error;
    size_t most = PREFIX_SIZE + (size_t)options->limits.max_header_bytes;
    of->format = "npy";
    how.limits = &options->limits;
    how.header_only = true;
    if (!read_up_to(from, most)) return report_system(of->name);
    snpy_status status = snpy_load_memory(from->bytes, from->length, &how, &head, &error);
    uint64_t offset = head.header.frame.data_offset;
    snpy_array_release(&head);
    if (status == SNPY_OK) return put_none(of, options);
    return status == SNPY_OBJECT_DATA ? list_rest(from, of, offset, options) : cli_report_read(of->name, &error);
}

#ifdef SNPY_ARCHIVES

/* The payload of a member that has objects. */
static enum cli_exit list_payload(const snpy_archive *archive, size_t index, payload *of, const cli_options *options)
{
    snpy_io_error error;
    uint64_t size = snpy_archive_member(archive, index)->size;
    uint8_t *bytes = size <= SIZE_MAX ? malloc((size_t)size) : NULL;
    if (bytes == NULL) return report_system(of->name);
    enum cli_exit result = CLI_TROUBLE;
    if (snpy_archive_read(archive, index, bytes, size, &error) != SNPY_OK) {
        result = cli_report_read(of->name, &error);
    } else {
        of->bytes = bytes + of->offset;
        of->length = (size_t)(size - of->offset);
        errno = EFBIG;
        result = of->length <= SNPY_MAX_PICKLE ? list(of, options) : report_system(of->name);
    }
    free(bytes);
    return result;
}

static enum cli_exit list_member(const snpy_archive *archive, size_t index, const char *name,
                                 const cli_options *options)
{
    snpy_load_options how = SNPY_LOAD_OPTIONS_INIT;
    snpy_array head;
    snpy_io_error error;
    size_t size = snpy_archive_key(archive, index, NULL, 0) + 1;
    char *key = malloc(size);
    if (key == NULL) return report_system(name);
    (void)snpy_archive_key(archive, index, key, size);
    payload of = {name, key, "npz", NULL, 0, 0};
    how.limits = &options->limits;
    how.header_only = true;
    snpy_status status = snpy_archive_load(archive, index, &how, &head, &error);
    of.offset = head.header.frame.data_offset;
    snpy_array_release(&head);
    enum cli_exit result = status == SNPY_OBJECT_DATA ? list_payload(archive, index, &of, options)
                           : status == SNPY_OK || status == SNPY_NOT_AN_ARRAY ? put_none(&of, options)
                                                                              : cli_report_read(name, &error);
    free(key);
    return result;
}

static enum cli_exit list_members(const snpy_archive *archive, const char *name, const cli_options *options)
{
    enum cli_exit worst = CLI_ACCEPTED;
    size_t first = 0;
    size_t end = snpy_archive_count(archive);
    snpy_io_error error;
    if (options->member != NULL) {
        if (snpy_archive_find(archive, options->member, &first, &error) != SNPY_OK)
            return report_trouble(name, snpy_status_message(error.error.status));
        end = first + 1;
    }
    for (size_t i = first; i < end; i++) {
        enum cli_exit result = list_member(archive, i, name, options);
        if (result > worst) worst = result;
    }
    return worst;
}

/* An archive, where it stands, or in memory if it is standard input. */
static enum cli_exit list_archive(input *from, const char *name, const cli_options *options)
{
    snpy_archive *archive;
    snpy_io_error error;
    snpy_archive_options how;
    cli_archive_how(options, &how);
    bool is_input = strcmp(name, "-") == 0;
    if (is_input && !read_up_to(from, SIZE_MAX)) return report_system(name);
    snpy_status status = is_input ? snpy_archive_open_memory(from->bytes, from->length, &how, &archive, &error)
                                  : snpy_archive_open(name, &how, &archive, &error);
    if (status != SNPY_OK) return cli_report_read(name, &error);
    enum cli_exit result = list_members(archive, name, options);
    snpy_archive_close(&archive);
    return result;
}

#endif

/* What a file is, by its first bytes. All that is neither NPY nor an archive is read as a pickle. */
static enum cli_exit list_input(input *from, const char *name, const cli_options *options)
{
    payload of = {name, NULL, "pickle", NULL, 0, 0};
    if (!read_up_to(from, 6)) return report_system(name);
    if (from->length == 6 && memcmp(from->bytes, "\x93NUMPY", 6) == 0) return list_npy(from, &of, options);
#ifdef SNPY_ARCHIVES
    if (from->length >= 4 && (memcmp(from->bytes, "PK\3\4", 4) == 0 || memcmp(from->bytes, "PK\5\6", 4) == 0))
        return list_archive(from, name, options);
#endif
    return list_rest(from, &of, 0, options);
}

static enum cli_exit list_file(const char *name, const cli_options *options)
{
    input from = {NULL, NULL, 0, 0};
    bool is_input = strcmp(name, "-") == 0;
    from.file = is_input ? stdin : fopen(name, "rb");
    if (from.file == NULL) return report_system(name);
    enum cli_exit result = list_input(&from, name, options);
    free(from.bytes);
    if (!is_input) (void)fclose(from.file); /* nothing was written */
    return result;
}

static enum cli_parsed read_options(int argc, char **argv, cli_options *options)
{
    bool understood = true;
    int option;
    cli_begin_options(options);
    while (understood && (option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
        if (option == 'h') return CLI_HELP;
        understood = cli_take_option(option, argv, options);
    }
    options->files = argv + optind;
    options->file_count = argc - optind;
    if (understood && cli_has_file(options, argv[0])) return CLI_RUN;
    cli_wrong_usage(&cli_messages);
    return CLI_WRONG;
}

enum cli_exit cli_objects(int argc, char **argv)
{
    cli_options options;
    enum cli_exit worst = CLI_ACCEPTED;
    enum cli_parsed parsed = read_options(argc, argv, &options);
    if (parsed != CLI_RUN) return parsed == CLI_HELP ? cli_help(argv[0]) : CLI_TROUBLE;
    for (int i = 0; i < options.file_count; i++) {
        enum cli_exit result = list_file(options.files[i], &options);
        if (result > worst) worst = result;
    }
    return worst;
}
