/* objects.c: `safenpy objects`: lists what a pickle needs of its reader, without running or building anything.
 * payload.c scans the pickle, src/npz reads archives. */
#include "cli/archive.h"
#include "cli/payload.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE ((size_t)65536)
#define PREFIX_SIZE 12u /* the most bytes before the text of a header */

static const struct option long_options[] = {{"json", no_argument, NULL, CLI_OPTION_JSON},
                                             {"max-header", required_argument, NULL, CLI_OPTION_MAX_HEADER},
                                             {"compat", required_argument, NULL, CLI_OPTION_COMPAT},
                                             CLI_MEMBER_OPTIONS,
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

static void put_name(const cli_payload *of)
{
    cli_put_argument(&cli_output, of->name);
    if (of->member != NULL) {
        cli_say(&cli_output, ":%-s", of->member);
    }
    cli_put(&cli_output, ": ");
}

/* Puts a line for the pickle, one for each global, and one for what is wrong. */
static void put_text(const cli_payload *of, const cli_needs *found)
{
    cli_scan_state one;
    put_name(of);
    cli_put_objects_word(of, found);
    cli_say(&cli_output, ", protocol %" PRIu64 ", %" PRIu64 " bytes, %" PRIu64 " opcodes\n", found->protocol,
            (uint64_t)of->length, found->opcodes);
    cli_begin_scan(&one, of);
    while (cli_next_opcode(&one)) {
        if (one.opcode.code != 'c' && one.opcode.code != 0x93) continue;
        cli_say(&cli_output, "  byte %" PRIu64 ": ", of->offset + one.opcode.at);
        cli_put_global(of, &one.opcode);
        cli_say(&cli_output, " (%s)\n", cli_set_name(one.opcode.set));
    }
    cli_end_scan(&one);
    if (found->error.status == SNPY_OK) return;
    cli_say(&cli_output, "  byte %" PRIu64 ": %s [%s]\n", of->offset + found->error.offset,
            snpy_status_message(found->error.status), snpy_status_rule(found->error.status));
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
static void json_globals(const cli_payload *of, bool *first)
{
    cli_scan_state one;
    bool is_first = true;
    cli_json_key(&cli_output, "globals", first);
    cli_put(&cli_output, "[");
    cli_begin_scan(&one, of);
    while (cli_next_opcode(&one)) {
        bool inner = true;
        if (one.opcode.code != 'c' && one.opcode.code != 0x93) continue;
        cli_put(&cli_output, is_first ? "{" : ", {");
        is_first = false;
        json_number("offset", of->offset + one.opcode.at, &inner);
        cli_json_key(&cli_output, "module", &inner);
        cli_json_string(&cli_output, of->bytes + one.opcode.module, (size_t)one.opcode.module_size, SNPY_TEXT_UTF8);
        cli_json_key(&cli_output, "name", &inner);
        cli_json_string(&cli_output, of->bytes + one.opcode.name, (size_t)one.opcode.name_size, SNPY_TEXT_UTF8);
        json_text("set", cli_set_name(one.opcode.set), &inner);
        cli_put(&cli_output, "}");
    }
    cli_end_scan(&one);
    cli_put(&cli_output, "]");
}

static void json_begin(const cli_payload *of, const char *fits, bool *first)
{
    cli_put(&cli_output, "{");
    cli_json_file(&cli_output, of->name, first);
    if (of->member != NULL) json_text("key", of->member, first);
    json_text("format", of->format, first);
    json_text("objects", fits, first);
}

static void put_json(const cli_payload *of, const cli_needs *found)
{
    bool first = true;
    bool inner = true;
    json_begin(of, cli_objects_word(of, found), &first);
    json_number("protocol", found->protocol, &first);
    json_number("offset", of->offset, &first);
    json_number("size", of->length, &first);
    cli_json_key(&cli_output, "opcodes", &first);
    cli_put(&cli_output, "{");
    for (size_t i = 0; i < 256; i++) {
        if (found->counts[i] > 0) json_number(cli_opcode_name(i), found->counts[i], &inner);
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
static enum cli_exit put_none(const cli_payload *of, const cli_options *options)
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

static enum cli_exit list(const cli_payload *of, const cli_options *options)
{
    cli_needs found;
    cli_summarize(of, &found);
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

/* A file, and what was read of it. */
typedef struct input {
    FILE *file;
    uint8_t *bytes;
    size_t length;
    size_t capacity;
} input;

/* Reads until from->bytes has `most` bytes or the file ends. Returns false, with errno, if that fails. */
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
        size_t part = most - from->length < PIECE ? most - from->length : PIECE;
        from->length += fread(from->bytes + from->length, 1, part, from->file);
        if (ferror(from->file) != 0) return false;
    }
    return true;
}

/* Reports why a file cannot be listed. Returns CLI_TROUBLE. */
static enum cli_exit report_trouble(const char *name, const char *why)
{
    cli_warn("%-s: %s", name, why);
    return CLI_TROUBLE;
}

/* Reports that a file cannot be listed, by errno. Returns CLI_TROUBLE. */
static enum cli_exit report_system(const char *name)
{
    return report_trouble(name, strerror(errno));
}

/* Lists a whole file that is read, from `offset` on. */
static enum cli_exit list_rest(input *from, cli_payload *of, uint64_t offset, const cli_options *options)
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
static enum cli_exit list_npy(input *from, cli_payload *of, const cli_options *options)
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
static enum cli_exit list_payload(const snpy_archive *archive, size_t index, cli_payload *of,
                                  const cli_options *options)
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

/* Lists the pickle of a member, or writes that it has none. */
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
    cli_payload of = {name, key, "npz", NULL, 0, 0};
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

/* Lists all members, or the one that --member names. Returns the greatest exit status. */
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

/* Lists the members of an archive; one on standard input is read into memory. */
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

/* Lists a file by its first bytes: an NPY file, an archive, or else a pickle. */
static enum cli_exit list_input(input *from, const char *name, const cli_options *options)
{
    cli_payload of = {name, NULL, "pickle", NULL, 0, 0};
    if (!read_up_to(from, 6)) return report_system(name);
    if (from->length == 6 && memcmp(from->bytes, "\x93NUMPY", 6) == 0) return list_npy(from, &of, options);
#ifdef SNPY_ARCHIVES
    if (from->length >= 4 && (memcmp(from->bytes, "PK\3\4", 4) == 0 || memcmp(from->bytes, "PK\5\6", 4) == 0))
        return list_archive(from, name, options);
#endif
    return list_rest(from, &of, 0, options);
}

/* Opens a file and lists it. */
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

/* Reads the command line into `options`. Returns CLI_WRONG after a message. */
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
