/* archive.c: recognises and opens the archives of the command line, and checks their members like files. src/npz reads
 * the archives. A build without zlib and libdeflate has no src/npz: it recognises archives and refuses them. */
#include "cli/archive.h"
#include "cli/data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The most bytes of a member that are read at once. */
#define PIECE ((size_t)65536)

/* Bytes for a path with its NUL; the system accepts no longer one. */
#define MAX_PATH_LENGTH 4096u

/* Returns whether bytes begin with the signature of a local header or, in an empty archive, of the end record.
 *                                                                                                      NPZ-END-001 */
static bool has_signature(const uint8_t *bytes, size_t length)
{
    return length >= 4 && (memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0);
}

/* Returns whether a file that was read begins with an archive's signature. */
static bool file_has_signature(const snpy_file *file)
{
    size_t length = 0;
    const uint8_t *bytes = snpy_file_start(file, &length);
    return has_signature(bytes, length);
}

/* Returns whether the path may be that of an archive: the file begins with an archive's signature, or it exists but
 * cannot be read. In the second case the caller's attempt to open it fails and reports the reason. */
static bool may_be_archive(const char *path)
{
    uint8_t first[4];
    size_t length = 0;
    ptrdiff_t received = 1;
    int descriptor = snpy_open(path, O_RDONLY | O_NONBLOCK, 0);
    if (descriptor < 0) /* with these errors there is no such file, or, ENXIO, it is a socket */
        return errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG && errno != ENXIO;
    while (received > 0 && length < sizeof first) {
        received = snpy_read_some(descriptor, first + length, sizeof first - length);
        if (received > 0) length += (size_t)received;
    }
    const bool is_unreadable = received < 0 && errno != EISDIR;
    (void)close(descriptor); /* only read from */
    return is_unreadable || has_signature(first, length);
}

size_t cli_archive_length(const char *name)
{
    char path[MAX_PATH_LENGTH];
    for (size_t at = 0; at < sizeof path && name[at] != '\0'; at++) {
        if (name[at] == ':' && at > 0) {
            path[at] = '\0';
            if (may_be_archive(path)) return at;
        }
        path[at] = name[at];
    }
    return 0;
}

bool cli_is_archive(const char *name, const snpy_file *file, const cli_options *options)
{
    if (options->npy) return false;
    if (file->error.status == SNPY_BAD_MAGIC) return options->archives.prefix || file_has_signature(file);
    return (file->system_error == ENOENT || file->system_error == ENOTDIR) && options->member == NULL &&
           cli_archive_length(name) > 0;
}

bool cli_is_whole_archive(const snpy_file *file, const cli_options *options)
{
    return options->member == NULL && file->error.status == SNPY_BAD_MAGIC && file_has_signature(file);
}

enum cli_exit cli_report_trouble(const char *name, const char *sentence, int reason, const cli_options *options)
{
    snpy_file file = {.error = {SNPY_IO_ERROR, 0}, .system_error = reason};
    if (options->json) return cli_report(name, &file, options);
    cli_warn("%-s: %s", name, sentence);
    return CLI_TROUBLE;
}

bool cli_check_no_member(const char *name, const cli_options *options)
{
    static const char sentence[] = "--member is for archives (NPZ), and this is an NPY file";
    if (options->member == NULL) return true;
    (void)cli_report_trouble(name, sentence, EINVAL, options);
    return false;
}

#ifdef SNPY_ARCHIVES

/* Allocates about->text and about->shown, large enough for any member, so that messages cannot fail for lack of memory.
 * Returns false if there is none. */
static bool reserve_names(cli_archive *about)
{
    size_t longest = 0;
    for (size_t i = 0; i < snpy_archive_count(about->archive); i++)
        if (snpy_archive_member(about->archive, i)->name_length > longest)
            longest = snpy_archive_member(about->archive, i)->name_length;
    about->capacity = 4 * longest + 1;
    about->text = malloc(about->capacity);
    about->shown = malloc(strlen(about->name) + 1 + about->capacity);
    return about->text != NULL && about->shown != NULL;
}

/* Opens the archive at `path`, the part of `name` before the key, or, if the name is "-", on standard input; then
 * `file` has the bytes that were read of it already. */
static snpy_status open_by_name(const char *name, const char *path, const snpy_file *file, const cli_options *options,
                                snpy_archive **archive, snpy_io_error *error)
{
    snpy_archive_options how;
    cli_archive_how(options, &how);
    if (strcmp(name, "-") != 0) return snpy_archive_open(path, &how, archive, error);
    size_t length = 0;
    const uint8_t *start = snpy_file_start(file, &length);
    return cli_open_archive_input(start, length, &how, archive, error);
}

/* Finds the member with a key and stores its index in about->only; does nothing if the key is NULL. If there is no such
 * member, reports that, closes the archive and returns CLI_TROUBLE. */
static enum cli_exit find_member(const char *key, const cli_options *options, cli_archive *about)
{
    snpy_io_error error;
    if (key == NULL) return CLI_ACCEPTED;
    about->is_single = true;
    if (snpy_archive_find(about->archive, key, &about->only, &error) == SNPY_OK) return CLI_ACCEPTED;
    enum cli_exit result = cli_report_trouble(about->name, snpy_status_message(error.error.status), ENOENT, options);
    cli_close_archive(about);
    return result;
}

/* Reports an archive that is refused as a whole because of one member. Text names the member, JSON only the archive. */
static enum cli_exit report_member(const char *name, const char *key, const snpy_file *file, const cli_options *options)
{
    char shown[MAX_PATH_LENGTH];
    (void)snprintf(shown, sizeof shown, "%s:%s", name, key);
    return cli_refuse_by(options->json ? name : shown, file, options);
}

/* Reports why an archive could not be opened. Returns the exit status for it. */
static enum cli_exit report_failure(const char *name, const snpy_io_error *error, const cli_options *options)
{
    snpy_file refused = {.size = 0};
    const bool is_input = strcmp(name, "-") == 0;
    if (error->call != NULL && error->system_error == ESPIPE)
        return cli_report_trouble(name, "an archive is read from its end: it needs a file, or a pipe as '-'", ESPIPE,
                                  options);
    const bool is_of_copy = is_input && error->path[0] != '\0';
    if (is_of_copy && !options->json) return cli_report_read(name, error);
    if (is_input) cli_explain_copy_limit(name, options, error);
    (void)snpy_file_fail(&refused, error);
    if (options->strict && error->member[0] != '\0') return report_member(name, error->member, &refused, options);
    return cli_refuse_by(name, &refused, options);
}

enum cli_exit cli_open_archive(const char *name, const snpy_file *file, const cli_options *options, cli_archive *about)
{
    static const cli_archive empty = {.name = NULL};
    const bool is_whole = file == NULL || file->error.status == SNPY_BAD_MAGIC;
    snpy_io_error error = {.error = {SNPY_IO_ERROR, 0}};
    char path[MAX_PATH_LENGTH];
    size_t length = is_whole ? 0 : cli_archive_length(name);
    memcpy(path, name, length);
    path[length] = '\0';
    *about = empty;
    about->name = name;
    about->is_named = length > 0;
    const char *key = length > 0 ? name + length + 1 : options->member;
    snpy_status status = open_by_name(name, length > 0 ? path : name, file, options, &about->archive, &error);
    if (status == SNPY_OK && reserve_names(about)) return find_member(key, options, about);
    if (status == SNPY_OK) {
        cli_close_archive(about);
        return cli_report_trouble(name, "there is not enough memory", ENOMEM, options);
    }
    /* With --compat zip-prefix any file is tried as an archive. If it is not one, it is refused as an NPY file. */
    bool was_a_guess = file != NULL && is_whole && !file_has_signature(file);
    bool is_pipe = status == SNPY_IO_ERROR && error.system_error == ESPIPE;
    if (was_a_guess && (status == SNPY_ZIP_NO_END || is_pipe)) return cli_refuse_by(name, file, options);
    return report_failure(name, &error, options);
}

void cli_close_archive(cli_archive *about)
{
    snpy_archive_close(&about->archive);
    free(about->shown);
    free(about->text);
    free(about->collides);
    about->shown = NULL;
    about->text = NULL;
    about->collides = NULL;
}

const char *cli_member_shown(cli_archive *about, size_t index)
{
    size_t length = strlen(about->name);
    if (about->is_named) return about->name;
    memcpy(about->shown, about->name, length);
    about->shown[length] = ':';
    (void)snpy_archive_key(about->archive, index, about->shown + length + 1, about->capacity);
    return about->shown;
}

const char *cli_member_name(cli_archive *about, size_t index)
{
    (void)snpy_archive_name(about->archive, index, about->text, about->capacity);
    return about->text;
}

const char *cli_member_key(cli_archive *about, size_t index)
{
    (void)snpy_archive_key(about->archive, index, about->text, about->capacity);
    return about->text;
}

void cli_json_member(cli_archive *about, size_t index, bool *first)
{
    cli_json_key(&cli_output, "name", first);
    cli_json_text(&cli_output, cli_member_name(about, index));
    cli_json_key(&cli_output, "key", first);
    cli_json_text(&cli_output, cli_member_key(about, index));
}

bool cli_is_within_total(const cli_archive *about, const size_t *indices, size_t count, const cli_options *options,
                         enum cli_exit *result)
{
    snpy_io_error error;
    snpy_file refused = {.size = 0};
    if (snpy_archive_total(about->archive, indices, count, &error) == SNPY_OK) return true;
    (void)snpy_file_fail(&refused, &error);
    *result = cli_refuse_by(about->name, &refused, options);
    return false;
}

snpy_status cli_pour_member(snpy_member *member, int descriptor, snpy_io_error *error)
{
    uint8_t *piece = malloc(PIECE);
    size_t received = 1;
    snpy_status status = piece != NULL ? SNPY_OK : snpy_io_no_memory(error, "malloc");
    while (status == SNPY_OK && received > 0) {
        status = snpy_member_read(member, piece, PIECE, &received, error);
        if (status == SNPY_OK) status = snpy_write_all(descriptor, piece, received, error);
    }
    free(piece);
    return status;
}

/* Checks a member, with its data or only its header, and fills *member with the result. */
static snpy_status examine(cli_archive *about, size_t index, bool with_data, cli_member *member)
{
    snpy_io_error error;
    snpy_file *file = &member->file;
    snpy_status status = snpy_archive_examine(about->archive, index, with_data, &member->is_array, &file->head, &error);
    file->size = snpy_archive_member(about->archive, index)->size;
    file->start = 0;
    file->another = 0;
    (void)snpy_file_fail(file, &error);
    return status;
}

snpy_status cli_read_member(cli_archive *about, size_t index, cli_member *member)
{
    return examine(about, index, false, member);
}

snpy_status cli_check_member(cli_archive *about, size_t index, const cli_options *options, cli_member *member)
{
    /* A strict archive has been checked as a whole when it was opened. */
    snpy_status status = examine(about, index, !options->strict, member);
    if (status == SNPY_OK && member->is_array && options->profile == CLI_CANONICAL)
        status = snpy_check_canonical_file(&member->file);
    return status;
}

#else

/* Reports that this build cannot read archives. Returns CLI_TROUBLE. */
static enum cli_exit refuse_archive(const char *name, const cli_options *options)
{
    return cli_report_trouble(name, "an archive, and this build reads none: it was made without zlib and libdeflate",
                              ENOTSUP, options);
}

enum cli_exit cli_check_archive(const char *name, const snpy_file *file, const cli_options *options)
{
    (void)file;
    return refuse_archive(name, options);
}

enum cli_exit cli_info_archive(const char *name, const snpy_file *file, const cli_options *options)
{
    (void)file;
    return refuse_archive(name, options);
}

enum cli_exit cli_open_member(const char *name, const cli_options *options, snpy_file *file, struct snpy_input *input)
{
    (void)file;
    (void)input;
    return refuse_archive(name, options);
}

#endif
