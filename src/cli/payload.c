/* payload.c: the pickle of an object array: what it needs, in a word, and whether a set has it.
 * Leaves the opcodes to the core. */
#include "cli/payload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Entries of the stack and of the memo that a scan may use: 256 MiB each. */
#define MOST_ENTRIES ((uint64_t)1 << 26)

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
static bool grow(cli_scan_state *one)
{
    uint64_t wanted = one->state.stack_capacity < 32 ? 64 : 2 * one->state.stack_capacity;
    if (one->error.status != SNPY_PKL_TOO_MANY_NODES || wanted > MOST_ENTRIES) return false;
    if (lengthen(&one->state.stack, &one->state.stack_capacity, wanted) &&
        lengthen(&one->state.memo, &one->state.memo_capacity, wanted))
        return true;
    one->error.status = SNPY_NO_MEMORY;
    return false;
}

void cli_begin_scan(cli_scan_state *one, const cli_payload *of)
{
    static const cli_scan_state empty = {.of = NULL};
    *one = empty;
    one->of = of;
}

/* Reads the next opcode; false after STOP, or if there is none that keeps the rules. */
bool cli_next_opcode(cli_scan_state *one)
{
    if (one->opcode.code == '.') return false;
    while (snpy_scan_opcode(one->of->bytes, one->of->length, &one->state, &one->opcode, &one->error) != SNPY_OK) {
        if (!grow(one)) return false;
    }
    return true;
}

void cli_end_scan(cli_scan_state *one)
{
    free(one->state.stack);
    free(one->state.memo);
}

void cli_summarize(const cli_payload *of, cli_needs *found)
{
    static const cli_needs empty = {.set = SNPY_SET_DATA};
    cli_scan_state one;
    *found = empty;
    cli_begin_scan(&one, of);
    while (cli_next_opcode(&one)) {
        found->opcodes++;
        found->counts[one.opcode.code]++;
        if (one.opcode.set == SNPY_SET_OTHER && found->set != SNPY_SET_OTHER) found->foreign = one.opcode;
        if (one.opcode.set > found->set) found->set = (unsigned)one.opcode.set;
    }
    found->error = one.error;
    found->protocol = one.state.protocol;
    cli_end_scan(&one);
}

/* Whether a pickle ends at an opcode that Python knows and no set has. */
static bool has_foreign_opcode(const cli_payload *of, const cli_needs *found)
{
    return found->error.status == SNPY_PKL_OPCODE && opcode_names[of->bytes[found->error.offset]] != NULL;
}

const char *cli_objects_word(const cli_payload *of, const cli_needs *found)
{
    if (found->set == SNPY_SET_OTHER || has_foreign_opcode(of, found)) return "other";
    return found->error.status != SNPY_OK ? "damaged" : set_names[found->set];
}

/* Puts the name of a global, as it stands in the pickle. */
void cli_put_global(const cli_payload *of, const snpy_opcode *opcode)
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
void cli_put_objects_word(const cli_payload *of, const cli_needs *found)
{
    const char *word = cli_objects_word(of, found);
    cli_put(&cli_output, word);
    if (strcmp(word, "other") == 0) {
        const bool is_global = found->set == SNPY_SET_OTHER;
        cli_put(&cli_output, " (");
        if (is_global) cli_put_global(of, &found->foreign);
        if (!is_global) cli_put(&cli_output, opcode_names[of->bytes[found->error.offset]]);
        cli_say(&cli_output, " at byte %" PRIu64 ")",
                of->offset + (is_global ? found->foreign.at : found->error.offset));
    } else if (strcmp(word, "damaged") == 0) {
        cli_say(&cli_output, " (byte %" PRIu64 ")", of->offset + found->error.offset);
    }
}

const char *cli_opcode_name(size_t code)
{
    return opcode_names[code];
}

const char *cli_set_name(uint64_t set)
{
    return set_names[set];
}

void cli_json_objects(const cli_object_data *objects, bool *first)
{
    if (!objects->is_known) return;
    const char *word = cli_objects_word(&objects->of, &objects->needs);
    const bool is_global = objects->needs.set == SNPY_SET_OTHER;
    cli_json_key(&cli_output, "objects", first);
    cli_json_text(&cli_output, word);
    if (strcmp(word, "other") != 0 && strcmp(word, "damaged") != 0) return;
    const uint64_t at = is_global ? objects->needs.foreign.at : objects->needs.error.offset;
    cli_json_key(&cli_output, "objects_offset", first);
    cli_put_number(&cli_output, objects->of.offset + at);
}

/* ---- whether a set has it ---- */

void cli_release_objects(cli_object_data *objects)
{
    snpy_object_data_close(&objects->data);
    free(objects->read.bytes);
    objects->read.bytes = NULL;
}

/* Decodes object data, and checks that they are the array of the header. */
static snpy_status decode(const cli_options *options, snpy_array *head, const uint8_t *bytes, size_t size,
                          snpy_object_data **data, snpy_io_error *error)
{
    const snpy_set allowed = options->objects == CLI_OBJECTS_DATA ? SNPY_SET_DATA : SNPY_SET_PLAIN;
    snpy_status status = snpy_object_data_open(bytes, size, allowed, data, error);
    if (status == SNPY_OK) {
        status = snpy_object_data_match(*data, head);
        error->error = (snpy_error){status, 0};
    }
    error->error.offset += head->header.frame.data_offset;
    return status;
}

snpy_status cli_decode_objects(const cli_options *options, snpy_file *file, snpy_input *input, cli_decoded *decoded,
                               snpy_io_error *error)
{
    const snpy_header *header = &file->head.header;
    snpy_reader *reader = &input->reader; /* its offset 0 is the first byte of the pickle */
    const uint64_t known = reader->is_stream ? SNPY_SIZE_UNKNOWN : file->size - header->frame.data_offset;
    size_t size = 0;
    *decoded = (cli_decoded){NULL, NULL};
    const snpy_status status = snpy_read_payload(reader, 0, known, &decoded->bytes, &size, error);
    if (status == SNPY_OK) return decode(options, &file->head, decoded->bytes, size, &decoded->data, error);
    error->error.offset += header->frame.data_offset;
    return status;
}

void cli_release_decoded(cli_decoded *decoded)
{
    snpy_object_data_close(&decoded->data);
    free(decoded->bytes);
    decoded->bytes = NULL;
}

/* Refuses a file whose object data the set of the options does not have. */
static snpy_status judge(const cli_options *options, snpy_file *file, cli_object_data *objects)
{
    snpy_io_error error;
    if (options->objects == CLI_OBJECTS_ANY) return file->error.status;
    file->error.status = decode(options, &file->head, objects->of.bytes, objects->of.length, &objects->data, &error);
    file->error.offset = file->error.status == SNPY_OK ? 0 : error.error.offset;
    if (file->error.status == SNPY_NO_MEMORY) file->system_error = ENOMEM;
    return file->error.status;
}

/* Without a scan, object data are accepted only if nothing is asked of them. */
static snpy_status lack_memory(const cli_options *options, snpy_file *file)
{
    if (options->objects == CLI_OBJECTS_ANY) return SNPY_OK;
    file->error = (snpy_error){SNPY_NO_MEMORY, 0};
    file->system_error = ENOMEM;
    return SNPY_NO_MEMORY;
}

/* Scans object data, if a line will say what they need, and refuses the file if the options ask for it. */
static snpy_status scan_and_check(const cli_options *options, snpy_file *file, cli_object_data *objects)
{
    objects->of.format = "npy";
    objects->of.offset = file->start + file->head.header.frame.data_offset;
    if (!options->quiet || options->json) {
        cli_summarize(&objects->of, &objects->needs);
        objects->is_known = objects->needs.error.status != SNPY_NO_MEMORY;
        if (!objects->is_known) return lack_memory(options, file);
    }
    return judge(options, file, objects);
}

snpy_status cli_check_objects(const cli_options *options, snpy_file *file, cli_object_data *objects)
{
    if (file->error.status != SNPY_OK || objects->read.bytes == NULL) return file->error.status;
    objects->of.bytes = objects->read.bytes;
    objects->of.length = objects->read.size;
    return scan_and_check(options, file, objects);
}

snpy_status cli_check_payload(uint8_t *bytes, size_t size, const cli_options *options, snpy_file *file,
                              cli_object_data *objects)
{
    const size_t offset = (size_t)file->head.header.frame.data_offset;
    static const cli_object_data none = {.is_known = false};
    *objects = none;
    objects->read = (snpy_pickle){bytes, size};
    objects->of.bytes = bytes + offset;
    objects->of.length = size - offset;
    return scan_and_check(options, file, objects);
}
