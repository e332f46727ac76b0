/* info_archive.c: `safenpy info` of an archive: writes one line per member; for a single member, its whole header.
 * archive.c reads members, info_text.c and info_json.c write headers. */
#include "cli/archive.h"
#include "cli/payload.h"
#include "cli/subject.h"

#ifdef SNPY_ARCHIVES

#include <inttypes.h>
#include <stdlib.h>

/* Writes a number, right-aligned in a column. */
static void put_right(uint64_t number, size_t width)
{
    size_t digits = cli_digits(number);
    cli_put_spaces(&cli_output, digits < width ? width - digits : 0);
    cli_put_number(&cli_output, number);
}

/* Writes a CRC as 8 hexadecimal digits. */
static void put_crc(uint32_t crc)
{
    static const char digits[] = "0123456789abcdef";
    char text[8];
    for (size_t i = 8; i > 0; i--, crc >>= 4) text[i - 1] = digits[crc & 15];
    cli_put_bytes(&cli_output, text, sizeof text);
}

/* Writes dtype, shape and order of a member. */
static void put_header(cli_subject *subject, const snpy_file *file)
{
    const snpy_header *header = &file->head.header;
    cli_put(&cli_output, ": ");
    cli_put_type(subject, &header->dtype, false);
    cli_put(&cli_output, " (");
    cli_put_shape(header);
    cli_put(&cli_output, header->ndim == 1 ? ",)" : ")");
    if (header->fortran_order) cli_put(&cli_output, " Fortran");
}

/* The widths of the columns "size" and "compressed". */
typedef struct columns {
    size_t size;
    size_t compressed;
} columns;

/* Returns the widths that the numbers of all members need. */
static columns column_widths(const cli_archive *about)
{
    columns width = {sizeof "size" - 1, sizeof "compressed" - 1};
    for (size_t i = 0; i < snpy_archive_count(about->archive); i++) {
        size_t size = cli_digits(snpy_archive_member(about->archive, i)->size);
        size_t compressed = cli_digits(snpy_archive_member(about->archive, i)->compressed_size);
        if (size > width.size) width.size = size;
        if (compressed > width.compressed) width.compressed = compressed;
    }
    return width;
}

/* Writes the line of a member. */
static void put_row(cli_archive *about, size_t index, const columns *width, cli_subject *subject,
                    const cli_member *member)
{
    const snpy_zip_member *record = snpy_archive_member(about->archive, index);
    cli_put(&cli_output, record->method == SNPY_ZIP_DEFLATED ? "  deflated  " : "  stored    ");
    put_right(record->size, width->size);
    cli_put(&cli_output, "  ");
    put_right(record->compressed_size, width->compressed);
    cli_put(&cli_output, "  ");
    put_crc(record->crc);
    cli_put(&cli_output, "  ");
    cli_put_argument(&cli_output, cli_member_name(about, index));
    if (member->file.error.status != SNPY_OK) {
        cli_put_refusal(&cli_output, &member->file.error);
    } else if (member->is_array) {
        put_header(subject, &member->file);
    } else {
        cli_put(&cli_output, ": not an NPY file");
    }
    cli_put(&cli_output, "\n");
}

/* Writes `"key": number`. */
static void put_json_number(const char *key, uint64_t number, bool *first)
{
    cli_json_key(&cli_output, key, first);
    cli_put_number(&cli_output, number);
}

void cli_json_sizes(bool is_deflated, uint64_t size, uint64_t compressed_size, uint32_t crc, uint64_t offset)
{
    bool first = false;
    cli_json_key(&cli_output, "method", &first);
    cli_json_text(&cli_output, is_deflated ? "deflated" : "stored");
    put_json_number("size", size, &first);
    put_json_number("compressed_size", compressed_size, &first);
    put_json_number("crc", crc, &first);
    put_json_number("archive_offset", offset, &first);
}

/* Writes the JSON object of a member. */
static void put_row_json(cli_archive *about, size_t index, cli_subject *subject, const cli_member *member)
{
    const snpy_zip_member *record = snpy_archive_member(about->archive, index);
    const snpy_header *header = &member->file.head.header;
    bool first = true;
    cli_put(&cli_output, index > 0 ? ", {" : "{");
    cli_json_member(about, index, &first);
    cli_json_sizes(record->method == SNPY_ZIP_DEFLATED, record->size, record->compressed_size, record->crc,
                   record->data_offset);
    cli_json_key(&cli_output, "format", &first);
    cli_put(&cli_output, member->is_array ? "\"npy\"" : "null");
    if (member->file.error.status != SNPY_OK) {
        cli_json_verdict(&member->file, &first);
    } else if (member->is_array) {
        cli_json_key(&cli_output, "descr", &first);
        cli_put_type(subject, &header->dtype, true);
        cli_json_key(&cli_output, "shape", &first);
        cli_put(&cli_output, "[");
        cli_put_shape(header);
        cli_put(&cli_output, "]");
        cli_json_key(&cli_output, "fortran_order", &first);
        cli_put(&cli_output, header->fortran_order ? "true" : "false");
        put_json_number("data_offset", header->frame.data_offset, &first);
    }
    cli_put(&cli_output, "}");
}

/* Returns the exit status for a member. */
static enum cli_exit meaning(const cli_member *member)
{
    if (member->file.error.status == SNPY_OK) return CLI_ACCEPTED;
    return member->file.system_error != 0 ? CLI_TROUBLE : CLI_REFUSED;
}

/* Writes all members. Returns the greatest exit status of any. */
static enum cli_exit put_members(cli_archive *about, const cli_options *options, cli_subject *subject)
{
    enum cli_exit result = CLI_ACCEPTED;
    columns width = column_widths(about);
    for (size_t i = 0; i < snpy_archive_count(about->archive) && cli_output.error == 0; i++) {
        cli_member member;
        snpy_status status = cli_read_member(about, i, &member);
        if (status == SNPY_OK && member.is_array) cli_describe_file(subject, about->name, &member.file);
        if (options->json)
            put_row_json(about, i, subject, &member);
        else
            put_row(about, i, &width, subject, &member);
        if (meaning(&member) > result) result = meaning(&member);
        snpy_array_release(&member.file.head);
    }
    return result;
}

/* Writes the archive as a whole: its size, and all members. */
static enum cli_exit put_archive(cli_archive *about, const cli_options *options, cli_subject *subject)
{
    bool first = true;
    if (options->json) {
        cli_put(&cli_output, "{");
        cli_json_file(&cli_output, about->name, &first);
        cli_put(&cli_output, ", \"format\": \"npz\"");
        put_json_number("file_size", snpy_archive_size(about->archive), &first);
        cli_put(&cli_output, ", \"members\": [");
        enum cli_exit result = put_members(about, options, subject);
        cli_put(&cli_output, "]}\n");
        return result;
    }
    cli_say(&cli_output,
            "file:           %-s\nformat:         npz\nfile_size:      %" PRIu64 "\nmembers:        %" PRIu64 "\n",
            about->name, snpy_archive_size(about->archive), (uint64_t)snpy_archive_count(about->archive));
    return put_members(about, options, subject);
}

/* Writes the whole header of one member, which must be an NPY file. */
static enum cli_exit put_single(cli_archive *about, const cli_options *options, cli_subject *subject)
{
    cli_member member;
    cli_object_data objects = {.is_known = false};
    enum cli_exit result = CLI_ACCEPTED;
    snpy_status status = cli_read_member(about, about->only, &member);
    if (status == SNPY_OK && options->objects != CLI_OBJECTS_ANY)
        status = cli_check_member_objects(about, about->only, options, &member, &objects);
    if (status == SNPY_OK && !member.is_array) member.file.error.status = SNPY_NOT_AN_ARRAY;
    const char *shown = cli_member_shown(about, about->only);
    if (member.file.error.status != SNPY_OK) {
        result = cli_report(shown, &member.file, options);
    } else {
        cli_describe_file(subject, shown, &member.file);
        result = cli_put_info(subject, &objects, options);
    }
    cli_release_objects(&objects);
    snpy_array_release(&member.file.head);
    return result;
}

enum cli_exit cli_info_archive(const char *name, const snpy_file *file, const cli_options *options)
{
    cli_archive about;
    cli_subject subject = {0};
    enum cli_exit result = cli_open_archive(name, file, options, &about);
    if (result != CLI_ACCEPTED) return result;
    if (about.is_single)
        result = put_single(&about, options, &subject);
    else
        result = put_archive(&about, options, &subject);
    cli_close_archive(&about);
    free(subject.scratch);
    free(subject.descr);
    return result;
}

#else
typedef int cli_no_archives; /* a file of C is not empty */
#endif
