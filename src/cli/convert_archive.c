/* convert_archive.c: `safenpy convert` of an archive: stores or deflates its members again.
 * src/npz reads and writes archives.
 *
 * Members keep their bytes, names and order, also those that are not NPY files; with --canonical each array gets the
 * header that NumPy writes, with --disarm the pickle of each object array is decoded and written again. Each member is checked
 * as it is read, and OUT gets its name only if all are good. */
#include "cli/archive.h"
#include "cli/pack.h"

#ifdef SNPY_ARCHIVES

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes that are copied at once. */
#define STEP ((size_t)262144)

/* The level for members that were deflated, if no option says otherwise: that of numpy.savez_compressed. */
#define USUAL_LEVEL 6u

/* The state of the conversion. */
typedef struct conversion {
    const cli_change *change;
    const snpy_file *file; /* the first bytes of standard input, read already; NULL: none */
    const char *from;
    const char *to;
    snpy_archive *archive;
    snpy_output *output; /* claimed by the caller */
    snpy_archive_writer *writer;
    uint32_t level; /* the level for members that are deflated */
    cli_progress progress;
    uint8_t *step;    /* buffer of STEP bytes */
    char *shown;      /* owned: "ARCHIVE:NAME" of the current member, for messages */
    char *name;       /* the part of `shown` after the colon */
    bool is_repaired; /* every header written so far is canonical */
} conversion;

/* Bytes of the longest name in UTF-8, with its NUL. */
#define NAME_CAPACITY (3 * (size_t)UINT16_MAX + 1)

enum cli_exit cli_fail_open(const cli_change *change, const char *hint, snpy_io_error *error)
{
    const char *from = change->common.files[0];
    if (error->call != NULL && error->system_error == ESPIPE) {
        cli_put(cli_complain_of(from), "an archive is read from its end: it needs a file, or a pipe as '-'\n");
        cli_flush(&cli_messages);
        return CLI_TROUBLE;
    }
    if (strcmp(from, "-") == 0) cli_explain_copy_limit(from, &change->common, error);
    if (error->path[0] == '\0') snpy_io_name(error, from);
    if (error->error.status == SNPY_BAD_MAGIC) return cli_refuse(from, &error->error, hint);
    return cli_fail(error);
}

/* Opens the archive and checks the total size of its members. Returns the exit status, after a message unless it is
 * CLI_ACCEPTED. */
static enum cli_exit open_from(conversion *work)
{
    const bool is_input = strcmp(work->from, "-") == 0;
    size_t length = 0;
    const uint8_t *start = snpy_file_start(work->file, &length);
    snpy_archive_options how;
    snpy_io_error error;
    cli_archive_how(&work->change->common, &how);
    snpy_status status = is_input ? cli_open_archive_input(start, length, &how, &work->archive, &error)
                                  : snpy_archive_open(work->from, &how, &work->archive, &error);
    if (status == SNPY_OK) status = snpy_archive_total(work->archive, NULL, snpy_archive_count(work->archive), &error);
    if (status == SNPY_OK) return CLI_ACCEPTED;
    return cli_fail_open(work->change, "--store and --deflate are for archives: 'safenpy pack' makes one", &error);
}

/* Reports why the current member could not be read. Returns the exit status for it. */
static enum cli_exit fail_read(const conversion *work, snpy_io_error *error)
{
    if (error->call != NULL) {
        snpy_io_name(error, work->from);
        return cli_fail(error);
    }
    cli_stream *stream = cli_complain_of(work->from);
    cli_put_argument(stream, work->name);
    cli_put_refusal(stream, &error->error);
    cli_put_hint(stream, &error->error);
    cli_flush(stream);
    return error->error.status == SNPY_FILE_CHANGED ? CLI_TROUBLE : CLI_REFUSED;
}

/* Copies the rest of an open member to the new one. */
static enum cli_exit convert_bytes(conversion *work, snpy_member *member)
{
    snpy_io_error error;
    size_t received = 1;
    while (received > 0) { /* one call more than needed: it checks the CRC of an empty member */
        if (snpy_member_read(member, work->step, STEP, &received, &error) != SNPY_OK) return fail_read(work, &error);
        if (snpy_archive_writer_put(work->writer, work->step, received, &error) != SNPY_OK)
            return cli_fail_member(work->to, work->name, &error);
        cli_progress_add(&work->progress, received);
    }
    return CLI_ACCEPTED;
}

/* What is written of a member: a new header, and the bytes of the old member after its own header. */
typedef struct contents {
    snpy_array old;  /* the old header; empty if the member is copied unchanged */
    snpy_array head; /* the new header; empty: the old one stays */
    uint64_t size;   /* bytes left to copy from the old member */
    uint8_t *bytes;  /* owned: a pickle that is written instead, of `length` bytes; NULL: none */
    size_t length;
} contents;

/* Reads a member's header and, with --canonical, makes the one that NumPy would write. The next byte to be read is then the first of the
 * data. SNPY_NOT_AN_ARRAY: the member has been read to its end.                                          NPY-HDR-006 */
static snpy_status make_header(const conversion *work, snpy_member *member, contents *made, snpy_io_error *error)
{
    snpy_description description;
    snpy_status status = snpy_member_read_header(member, &work->change->common.limits, &made->old, error);
    if (status != SNPY_OK && status != SNPY_OBJECT_DATA) return status;
    made->size = snpy_member_size(member) - snpy_member_position(member);
    if (!work->change->is_canonical) return SNPY_OK;
    snpy_array_describe(&made->old, &description);
    description.version = SNPY_VERSION_AUTO;
    return snpy_make_new_head(description, 0, SNPY_BYTEORDER_KEEP, true, &made->head, error);
}

/* Reads the pickle of an open member to its end, and disarms it.                                   NPY-PKL-022, NPY-PKL-028 */
static snpy_status disarm(const conversion *work, snpy_member *member, contents *made, snpy_io_error *error)
{
    size_t received = 1;
    size_t size = 0;
    const uint64_t room = made->size + 1; /* never 0, and one byte more, so that the CRC is checked */
    snpy_status status = SNPY_OK;
    if (made->size > SNPY_MAX_PICKLE)
        return snpy_io_refuse(error, SNPY_PKL_TOO_MANY_BYTES, snpy_member_position(member));
    uint8_t *pickle = room <= SIZE_MAX ? malloc((size_t)room) : NULL;
    if (pickle == NULL) return snpy_io_no_memory(error, "malloc");
    while (status == SNPY_OK && received > 0) {
        status = snpy_member_read(member, pickle + size, (size_t)room - size, &received, error);
        size += received;
    }
    if (status == SNPY_OK)
        status = snpy_disarm_payload(pickle, size, &made->old, &work->change->form, &made->bytes, &made->length, error);
    free(pickle);
    made->size = 0;
    return status;
}

/* Opens a member and finds what is to be written. Close the member and release the headers, whatever the status. */
static snpy_status open_contents(conversion *work, size_t index, snpy_member **member, contents *made,
                                 snpy_io_error *error)
{
    static const contents none = {.size = 0};
    *made = none;
    snpy_status status = snpy_member_open(work->archive, index, member, error);
    if (status == SNPY_OK && (work->change->is_canonical || work->change->disarms)) {
        status = make_header(work, *member, made, error);
        if (status == SNPY_OK && work->change->disarms && made->old.header.has_object)
            return disarm(work, *member, made, error);
        if (status != SNPY_NOT_AN_ARRAY) return status;
        snpy_array_release(&made->old);
        snpy_member_close(member); /* it was read to its end: open it again */
        status = snpy_member_open(work->archive, index, member, error);
    }
    if (status == SNPY_OK) made->size = snpy_member_size(*member);
    return status;
}

/* Reports what was repaired in the header of a member; clears work->is_repaired if it is still not canonical. */
static void put_repairs(conversion *work, const contents *made)
{
    const snpy_file file = {.head = made->old}; /* borrowed */
    cli_repairs found;
    cli_find_repairs(&file, &work->change->common.limits, &found);
    if (!cli_put_repairs(work->shown, &found)) work->is_repaired = false;
}

/* Writes an open member to the new archive. */
static enum cli_exit write_member(conversion *work, snpy_member *member, const contents *made)
{
    snpy_io_error error;
    const snpy_file file = {.head = work->change->is_canonical ? made->head : made->old}; /* borrowed */
    size_t head = 0; /* 0: the member is copied unchanged */
    const uint8_t *start = snpy_file_start(&file, &head);
    if (snpy_archive_writer_begin_bytes(work->writer, work->name, head + made->size + made->length, &error) !=
            SNPY_OK ||
        snpy_archive_writer_put(work->writer, start, head, &error) != SNPY_OK ||
        snpy_archive_writer_put(work->writer, made->bytes, made->length, &error) != SNPY_OK)
        return cli_fail_member(work->to, work->name, &error);
    cli_progress_add(&work->progress, snpy_member_position(member));
    enum cli_exit result = convert_bytes(work, member);
    if (result != CLI_ACCEPTED) return result;
    if (snpy_archive_writer_end(work->writer, &error) != SNPY_OK) return cli_fail_member(work->to, work->name, &error);
    if (head > 0 && work->change->is_canonical) put_repairs(work, made);
    return CLI_ACCEPTED;
}

/* Converts one member. */
static enum cli_exit convert_member(conversion *work, size_t index)
{
    contents made;
    snpy_member *member;
    snpy_io_error error;
    (void)snpy_archive_name(work->archive, index, work->name, NAME_CAPACITY);
    const bool is_stored =
        !work->change->has_level && snpy_archive_member(work->archive, index)->method == SNPY_ZIP_STORED;
    if (snpy_archive_writer_set_level(work->writer, is_stored ? 0 : work->level, &error) != SNPY_OK)
        return cli_fail_member(work->to, work->name, &error);
    enum cli_exit result = open_contents(work, index, &member, &made, &error) == SNPY_OK
                               ? write_member(work, member, &made)
                               : fail_read(work, &error);
    snpy_member_close(&member);
    snpy_array_release(&made.old);
    snpy_array_release(&made.head);
    snpy_object_bytes_free(&made.bytes);
    return result;
}

/* Converts all members of the open archive and finishes the new one. */
static enum cli_exit convert_members(conversion *work)
{
    snpy_io_error error;
    uint64_t total = 0;
    cli_change change = *work->change;
    if (!change.has_level) change.level = USUAL_LEVEL;
    work->level = change.level;
    for (size_t i = 0; i < snpy_archive_count(work->archive); i++) total += snpy_archive_member(work->archive, i)->size;
    if (cli_open_writer(&change, true, work->output, &work->writer, &error) != SNPY_OK)
        return cli_fail_member(work->to, work->to, &error);
    enum cli_exit result = CLI_ACCEPTED;
    cli_progress_begin(&work->progress, total);
    for (size_t i = 0; i < snpy_archive_count(work->archive) && result == CLI_ACCEPTED; i++)
        result = convert_member(work, i);
    result = cli_close_writer(work->to, &work->writer, result);
    cli_progress_end(&work->progress);
    return result == CLI_ACCEPTED && !work->is_repaired ? CLI_REFUSED : result; /* written, but not canonical */
}

enum cli_exit cli_convert_archive(const cli_change *change, const snpy_file *file, snpy_output *output)
{
    conversion work = {.change = change,
                       .file = file,
                       .from = change->common.files[0],
                       .to = change->common.files[1],
                       .output = output,
                       .is_repaired = true};
    const size_t length = strlen(work.from);
    work.step = malloc(STEP);
    work.shown = malloc(length + 1 + NAME_CAPACITY);
    enum cli_exit result = CLI_TROUBLE;
    if (work.step == NULL || work.shown == NULL) {
        cli_put(cli_complain_of(work.to), "there is not enough memory\n");
        cli_flush(&cli_messages);
    } else {
        memcpy(work.shown, work.from, length);
        work.shown[length] = ':';
        work.name = work.shown + length + 1;
        result = open_from(&work);
        if (result == CLI_ACCEPTED) result = convert_members(&work);
    }
    snpy_archive_close(&work.archive);
    free(work.step);
    free(work.shown);
    return result;
}

#endif
