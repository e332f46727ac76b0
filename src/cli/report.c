/* report.c: reports files that were refused or could not be read.
 * The core's status.c has the sentences. */
#include "cli/cli.h"
#include "cli/summary.h"

#include <inttypes.h>
#include <string.h>

/* Columns of header text shown before the caret, and in all. */
#define COLUMNS_BEFORE 60u
#define COLUMNS 100u
/* Bytes after the caret in which the end of its line is searched: padding may be long. */
#define FARTHEST 400u

#define INDENT "    "

/* The most bytes of a frame that are shown. */
#define HEX_BYTES 16u

/* The part of the header text that is shown. Offsets count from the beginning of the text. */
typedef struct excerpt {
    const uint8_t *text;
    size_t begin; /* beginning of the line, or of the part of it that is shown */
    size_t end;
    size_t caret; /* begin <= caret <= end */
    bool cut_before;
    snpy_text_encoding encoding;
} excerpt;

/* A character as it is shown: in ASCII, escaped if it is anything else. */
typedef struct glyph {
    size_t bytes; /* of the text */
    size_t columns;
    char shown[SNPY_TEXT_ESCAPE_CAPACITY];
} glyph;

/* Returns the character at a byte. All but printable ASCII is escaped, so that the caret is in the right column on
 * every terminal. */
static glyph glyph_at(const excerpt *part, size_t at)
{
    static const char digits[] = "0123456789abcdef";
    glyph result = {1, 1, {0}};
    uint32_t code = 0;
    size_t size = snpy_text_decode(part->text + at, part->end - at, part->encoding, &code);
    if (size == 0) {
        uint8_t byte = part->text[at];
        result.columns = 4;
        result.shown[0] = '\\';
        result.shown[1] = 'x';
        result.shown[2] = digits[byte / 16];
        result.shown[3] = digits[byte % 16];
        return result;
    }
    result.bytes = size;
    if (code >= 0x20 && code < 0x7f)
        result.shown[0] = (char)code;
    else
        result.columns = snpy_text_escape(code, result.shown);
    return result;
}

/* Finds the line with the caret, but searches no further than can be shown: a line may be 4 GiB long. */
static excerpt find_line(const uint8_t *text, size_t length, size_t caret, snpy_text_encoding encoding)
{
    excerpt part = {text, 0, 0, caret, true, encoding};
    /* The end of the text is shown in its last line, not after the newline. */
    if (part.caret == length && length > 0 && text[length - 1] == '\n') part.caret--;
    part.begin = part.caret;
    while (part.begin > 0 && text[part.begin - 1] != '\n' && part.caret - part.begin < COLUMNS_BEFORE) part.begin--;
    part.cut_before = part.begin > 0 && text[part.begin - 1] != '\n';
    part.end = part.caret;
    while (part.end < length && text[part.end] != '\n' && part.end - part.caret < FARTHEST) part.end++;
    const bool is_whole = part.end == length || text[part.end] == '\n';
    while (is_whole && part.end > part.caret && text[part.end - 1] == ' ') part.end--;
    /* Begin with a whole character. */
    while (part.cut_before && encoding != SNPY_TEXT_LATIN1 && part.begin < part.caret &&
           (text[part.begin] & 0xc0) == 0x80)
        part.begin++;
    return part;
}

/* Moves the beginning of the excerpt until at most COLUMNS_BEFORE columns are before the caret. Returns how many
 * are. */
static size_t narrow(excerpt *part)
{
    size_t columns = 0;
    size_t at = part->begin;
    while (at < part->caret) {
        glyph next = glyph_at(part, at);
        if (next.bytes > part->caret - at) break;
        columns += next.columns;
        at += next.bytes;
    }
    while (columns > COLUMNS_BEFORE) {
        glyph first = glyph_at(part, part->begin);
        part->begin += first.bytes;
        part->cut_before = true;
        columns -= first.columns;
    }
    return columns;
}

/* Writes the line of the header text around a byte, and a caret under that byte. */
static void put_excerpt(cli_stream *stream, const uint8_t *text, size_t length, size_t caret,
                        snpy_text_encoding encoding)
{
    excerpt part = find_line(text, length, caret, encoding);
    size_t before = narrow(&part);
    size_t columns = 0;
    size_t at = part.begin;
    cli_put(stream, INDENT);
    if (part.cut_before) cli_put(stream, "...");
    while (at < part.end) {
        glyph next = glyph_at(&part, at);
        if (columns + next.columns > COLUMNS) break;
        cli_put_bytes(stream, next.shown, next.columns);
        columns += next.columns;
        at += next.bytes;
    }
    /* No character has fewer columns than bytes, so FARTHEST bytes always exceed COLUMNS. */
    if (at < part.end) cli_put(stream, "...");
    cli_put(stream, "\n" INDENT);
    cli_put_spaces(stream, before + (part.cut_before ? 3 : 0));
    cli_put(stream, "^\n");
}

/* Writes the file's first bytes in hexadecimal, and a caret under one of them or after the last. */
static void put_hex(cli_stream *stream, const uint8_t *bytes, size_t length, size_t caret)
{
    static const char digits[] = "0123456789abcdef";
    if (length == 0 || caret > HEX_BYTES) return;
    cli_put(stream, INDENT);
    for (size_t i = 0; i < length && i < HEX_BYTES; i++) {
        char pair[3] = {' ', digits[bytes[i] / 16], digits[bytes[i] % 16]};
        cli_put_bytes(stream, i == 0 ? pair + 1 : pair, i == 0 ? 2 : 3);
    }
    cli_put(stream, "\n" INDENT);
    cli_put_spaces(stream, 3 * caret);
    cli_put(stream, "^\n");
}

/* Shows the bytes or the text around the error, if it is in the frame or in the header text. */
static void put_place(cli_stream *stream, const snpy_file *file)
{
    const snpy_frame *frame = &file->head.header.frame;
    uint64_t offset = file->error.offset;
    snpy_status status = file->error.status;
    size_t length = 0;
    const uint8_t *start = snpy_file_start(file, &length);
    if (status < SNPY_TRUNCATED_HEADER || (status == SNPY_NOT_CANONICAL && offset < frame->text_offset)) {
        put_hex(stream, start, length, offset < length ? (size_t)offset : length);
        return;
    }
    bool is_in_text = (status >= SNPY_BAD_UTF8 && status < SNPY_DATA_TOO_LARGE) || status == SNPY_NOT_CANONICAL;
    if (!is_in_text || frame->major == 0 || offset < frame->text_offset || offset > frame->data_offset) return;
    put_excerpt(stream, start + frame->text_offset, frame->header_len, (size_t)(offset - frame->text_offset),
                frame->major == 3 ? SNPY_TEXT_UTF8 : SNPY_TEXT_LATIN1);
}

/* The sentence and the hint for a refusal. */
typedef struct words {
    const char *message;
    const char *hint;
    snpy_look_kind look; /* another format that the file looks like; then `message` is only the end of the sentence */
} words;

/* Returns the sentence and the hint of a status. */
static words words_of(snpy_status status)
{
    return (words){snpy_status_message(status), snpy_status_hint(status), SNPY_LOOK_UNKNOWN};
}

/* Returns words that name another format, if the file's first bytes show one; else `why`. `is_no_archive`: an archive
 * was expected, else an NPY file.                                                                           API-LOOK */
static words with_look(words why, const snpy_file *file, bool is_no_archive)
{
    size_t length = 0;
    const uint8_t *start = snpy_file_start(file, &length);
    if (file->error.status != SNPY_BAD_MAGIC || length == 0) return why;
    const snpy_look_kind look = snpy_looks_like(start, length);
    if (snpy_look_hint(look) == NULL) return why;
    return (words){is_no_archive ? ", not an NPZ file" : ", not an NPY file", snpy_look_hint(look), look};
}

/* Returns words for an array that begins where the trailing bytes do; else `why`. */
static words with_another(words why, const snpy_file *file)
{
    if (file->error.status != SNPY_TRAILING_DATA || file->another == 0) return why;
    return (words){"another array begins", "the option all-arrays reads all of them; numpy.load reads the first only",
                   SNPY_LOOK_UNKNOWN};
}

/* Returns the words for a refused file. With --npz a missing magic is that of an archive.                NPZ-END-001 */
static words words_of_file(const snpy_file *file, const cli_options *options)
{
    words no_archive = {"the file does not begin as an archive (NPZ) does",
                        "leave out --npz if the file may be in the NPY format", SNPY_LOOK_UNKNOWN};
    if (options->no_archive_hint != NULL) no_archive.hint = options->no_archive_hint;
    const bool is_no_archive = options->npz && file->error.status == SNPY_BAD_MAGIC;
    return with_look(is_no_archive ? no_archive : with_another(words_of(file->error.status), file), file,
                     is_no_archive);
}

/* Writes the sentence. If it names a format, it is plain ASCII without quotation marks, so that JSON needs no
 * escapes. */
static void put_message(cli_stream *stream, words why)
{
    if (why.look != SNPY_LOOK_UNKNOWN) {
        cli_say(stream, "the file looks like %s", snpy_look_noun(why.look));
    }
    cli_put(stream, why.message);
}

/* Writes ": reject: ", the sentence, its offset and its rule. */
static void put_sentence(cli_stream *stream, words why, const snpy_error *error)
{
    cli_put(stream, ": reject: ");
    put_message(stream, why);
    cli_say(stream, " at byte %" PRIu64 " [%s]", error->offset, snpy_status_rule(error->status));
}

void cli_put_start(cli_stream *stream, const snpy_file *file)
{
    if (file->start == 0) return;
    cli_say(stream, ", array at byte %" PRIu64, file->start);
}

void cli_json_start(const snpy_file *file, bool *first)
{
    if (file->start == 0) return;
    cli_json_key(&cli_output, "array_offset", first);
    cli_put_number(&cli_output, file->start);
}

void cli_put_refusal(cli_stream *stream, const snpy_error *error)
{
    put_sentence(stream, words_of(error->status), error);
}

void cli_put_hint(cli_stream *stream, const snpy_error *error)
{
    cli_say(stream, "\n  hint: %s\n", words_of(error->status).hint);
}

/* Writes a refusal as text, with an excerpt and a hint. */
static void put_refusal(cli_stream *stream, const char *name, const snpy_file *file, words why)
{
    const snpy_error error = {file->error.status, file->start + file->error.offset};
    cli_put_argument(stream, name);
    cli_put_start(stream, file);
    put_sentence(stream, why, &error);
    cli_put(stream, "\n");
    put_place(stream, file);
    cli_say(stream, "  hint: %s\n", why.hint);
}

/* Reports a file that could not be read, as text on standard error. */
static void put_trouble(const char *name, const snpy_file *file)
{
    cli_stream *stream = cli_complain();
    if (name[0] == '\0')
        cli_put(stream, "'' (an empty name)");
    else
        cli_put_argument(stream, name);
    cli_say(stream, ": %s\n", strerror(file->system_error));
    cli_flush(stream);
}

/* Writes the JSON keys from `verdict` to `hint`. */
static void put_verdict(const snpy_file *file, words why, bool *first)
{
    cli_stream *stream = &cli_output;
    snpy_status status = file->error.status;
    bool is_trouble = file->system_error != 0;
    cli_json_key(stream, "verdict", first);
    cli_json_text(stream, is_trouble ? "error" : "reject");
    cli_json_key(stream, "status", first);
    cli_json_text(stream, snpy_status_name(status));
    cli_json_key(stream, "rule", first);
    cli_json_text(stream, snpy_status_rule(status));
    if (!is_trouble) {
        cli_json_key(stream, "offset", first);
        cli_put_number(stream, file->start + file->error.offset);
    }
    cli_json_key(stream, "message", first);
    if (why.look == SNPY_LOOK_UNKNOWN) {
        cli_json_text(stream, is_trouble ? strerror(file->system_error) : why.message);
    } else {
        cli_put(stream, "\"");
        put_message(stream, why);
        cli_put(stream, "\"");
    }
    cli_json_key(stream, "hint", first);
    cli_json_text(stream, why.hint);
    if (why.look == SNPY_LOOK_UNKNOWN) return;
    cli_json_key(stream, "looks_like", first);
    cli_json_text(stream, snpy_look_name(why.look));
}

void cli_json_verdict(const snpy_file *file, bool *first)
{
    put_verdict(file, words_of(file->error.status), first);
}

/* Writes a refusal, or a file that could not be read, as a JSON object. */
static void put_json(const char *name, const snpy_file *file, words why)
{
    bool first = true;
    cli_put(&cli_output, "{");
    cli_json_file(&cli_output, name, &first);
    cli_json_start(file, &first);
    put_verdict(file, why, &first);
    cli_put(&cli_output, "}\n");
}

/* Writes a refusal, or a file that could not be read, as a test case of JUnit. */
static void put_junit(const char *name, const snpy_file *file, words why)
{
    const bool is_trouble = file->system_error != 0;
    cli_junit_begin_failure(name, snpy_status_rule(file->error.status), is_trouble);
    if (is_trouble) {
        cli_junit_text(strerror(file->system_error));
    } else {
        if (why.look != SNPY_LOOK_UNKNOWN) {
            cli_junit_text("the file looks like ");
            cli_junit_text(snpy_look_noun(why.look));
        }
        cli_junit_text(why.message);
        cli_say(&cli_output, " at byte %" PRIu64, file->start + file->error.offset);
    }
    cli_junit_end_failure();
}

enum cli_exit cli_report(const char *name, const snpy_file *file, const cli_options *options)
{
    bool is_trouble = file->system_error != 0;
    if (!is_trouble) cli_count_refusal(file->error.status);
    if (options->summary_only && !is_trouble) return CLI_REFUSED;
    if (options->junit)
        put_junit(name, file, words_of_file(file, options));
    else if (options->json && !options->summary_only)
        put_json(name, file, words_of_file(file, options));
    else if (is_trouble)
        put_trouble(name, file);
    else
        put_refusal(&cli_output, name, file, words_of_file(file, options));
    return is_trouble ? CLI_TROUBLE : CLI_REFUSED;
}

enum cli_exit cli_refuse_by(const char *name, const snpy_file *file, const cli_options *options)
{
    return options->refuse != NULL ? options->refuse(name, file) : cli_report(name, file, options);
}

enum cli_exit cli_report_to(cli_stream *stream, const char *name, const snpy_file *file)
{
    if (file->system_error != 0) {
        put_trouble(name, file);
        return CLI_TROUBLE;
    }
    cli_flush(&cli_output);
    put_refusal(stream, name, file, with_look(words_of(file->error.status), file, false));
    cli_flush(stream);
    return CLI_REFUSED;
}

enum cli_exit cli_report_read(const char *name, const snpy_io_error *error)
{
    snpy_status status = error->error.status;
    cli_stream *stream = cli_complain();
    bool is_trouble = status == SNPY_IO_ERROR || status == SNPY_NO_MEMORY || status == SNPY_FILE_CHANGED;
    cli_say(stream, "%-s: ", error->call != NULL && error->path[0] != '\0' ? error->path : name);
    if (error->call != NULL) {
        cli_say(stream, "%s failed: %s", error->call, strerror(error->system_error));
    } else {
        cli_say(stream, "%s at byte %" PRIu64 " [%s]\n  hint: %s", snpy_status_message(status), error->error.offset,
                snpy_status_rule(status), snpy_status_hint(status));
    }
    cli_put(stream, "\n");
    cli_flush(stream);
    return is_trouble ? CLI_TROUBLE : CLI_REFUSED;
}
