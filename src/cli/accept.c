/* accept.c: checks a file of the command line as an NPY file, and reports one that is accepted.
 * report.c reports refusals. */
#include "cli/payload.h"

#include <errno.h>
#include <inttypes.h>

/* Begins a note after the name of an accepted file, or the next string of the array of notes in JSON. */
static void begin_note(bool json, bool *first)
{
    if (json)
        cli_put(&cli_output, *first ? "\"" : ", \"");
    else
        cli_put(&cli_output, ", note: ");
    *first = false;
}

/* Writes the text of a note, or its last part, and ends the note. The text is plain ASCII, so that JSON needs no
 * escapes. */
static void end_note(bool json, const char *text)
{
    cli_put(&cli_output, text);
    if (json) cli_put(&cli_output, "\"");
}

/* Puts what the object data need; in JSON, keys of the file have it. */
static void put_objects(const cli_object_data *objects)
{
    cli_put(&cli_output, ", objects: ");
    cli_put_objects_word(&objects->of, &objects->needs);
}

void cli_put_notes(const snpy_file *file, const cli_object_data *objects, bool json)
{
    const snpy_header *header = &file->head.header;
    const snpy_frame *frame = &header->frame;
    bool first = true;
    if (header->has_object && objects->is_known) {
        if (!json) put_objects(objects);
    } else if (header->has_object) {
        begin_note(json, &first);
        end_note(json, "object data are a pickle, which is not checked");
    } else if (file->another != 0 && file->another < file->size) {
        begin_note(json, &first);
        cli_say(&cli_output, "another array begins at byte %" PRIu64, file->start + file->another);
        end_note(json, "");
    } else if (file->size - frame->data_offset > header->data_size) {
        uint64_t trailing = file->size - frame->data_offset - header->data_size;
        begin_note(json, &first);
        cli_put_number(&cli_output, trailing);
        end_note(json, trailing == 1 ? " trailing byte" : " trailing bytes");
    }
    if (header->dtype.kind == SNPY_KIND_VOID && header->dtype.itemsize == 2) {
        begin_note(json, &first);
        end_note(json, "the type |V2 may be bfloat16, which the format cannot name");
    }
    if (frame->data_offset % CLI_DATA_ALIGNMENT != 0) {
        begin_note(json, &first);
        cli_say(&cli_output, "data begin at byte %" PRIu64, frame->data_offset);
        end_note(json, ", not a multiple of 64");
    }
    if (file->head.text[frame->header_len - 1] != '\n') { /* the header has at least one byte */
        begin_note(json, &first);
        end_note(json, "header does not end with a newline");
    }
}

/* Writes the version of the format, such as "1.0". */
static void put_version(const snpy_frame *frame)
{
    cli_say(&cli_output, "%" PRIu64 ".%" PRIu64, (uint64_t)frame->major, (uint64_t)frame->minor);
}

void cli_json_format(const snpy_frame *frame, bool *first)
{
    cli_json_key(&cli_output, "format", first);
    cli_put(&cli_output, "\"npy\"");
    cli_json_key(&cli_output, "version", first);
    cli_put(&cli_output, "\"");
    put_version(frame);
    cli_put(&cli_output, "\"");
}

enum cli_exit cli_put_acceptance(const char *name, const snpy_file *file, const cli_object_data *objects,
                                 const cli_options *options)
{
    if (options->quiet) return CLI_ACCEPTED;
    if (options->junit) {
        cli_junit_accept(name);
    } else if (options->json) {
        bool first = true;
        cli_put(&cli_output, "{");
        cli_json_file(&cli_output, name, &first);
        cli_json_start(file, &first);
        cli_json_format(&file->head.header.frame, &first);
        cli_put(&cli_output, ", \"verdict\": \"accept\"");
        cli_json_objects(objects, &first);
        cli_put(&cli_output, ", \"notes\": [");
        cli_put_notes(file, objects, true);
        cli_put(&cli_output, "]}\n");
    } else {
        cli_put_argument(&cli_output, name);
        cli_put_start(&cli_output, file);
        cli_put(&cli_output, ": accept, npy ");
        put_version(&file->head.header.frame);
        cli_put_notes(file, objects, false);
        cli_put(&cli_output, "\n");
    }
    return CLI_ACCEPTED;
}

snpy_status cli_check_file(const char *name, const cli_options *options, bool allow_trailing, snpy_file *file,
                           cli_object_data *objects)
{
    static const cli_object_data none = {.is_known = false};
    snpy_extent extent = {options->array_start, options->is_start, options->file_size, NULL, false};
    if (objects != NULL) *objects = none;
    extent.needs_objects = options->objects != CLI_OBJECTS_ANY;
    if (objects != NULL && (extent.needs_objects || !options->quiet)) /* else no line will say what they need */
        extent.objects = &objects->read;
    (void)snpy_check_extent(name, &options->limits, allow_trailing || options->all_arrays, &extent, file);
    if (options->all_arrays && file->another != 0)
        file->size = file->another; /* what follows is another array, not trailing bytes */
    else if (options->all_arrays && file->error.status == SNPY_OK)
        (void)snpy_check_data(&file->head.header, file->size, allow_trailing || options->is_start, &file->error);
    if (options->npz && file->system_error == 0) file->error = (snpy_error){SNPY_BAD_MAGIC, 0};
    return file->error.status == SNPY_OK ? cli_refuse_objects(file, options) : file->error.status;
}

bool cli_is_start_enough(const char *name, const snpy_file *file, const cli_options *options, enum cli_exit *result)
{
    const char *why = NULL;
    if (options->is_start && file->error.status == SNPY_FILE_CHANGED) why = "the header is longer than the bytes given";
    if (options->is_start && cli_is_archive(name, file, options))
        why = "an archive is read from its end, but only its first bytes were given";
    if (why != NULL) *result = cli_report_trouble(name, why, ENODATA, options);
    return why == NULL;
}

snpy_status cli_refuse_objects(snpy_file *file, const cli_options *options)
{
    const snpy_header *header = &file->head.header;
    if (header->has_object && (options->refused & CLI_REFUSE_OBJECTS) != 0)
        file->error = (snpy_error){SNPY_OBJECT_DATA, header->frame.data_offset};
    return file->error.status;
}
