/* pack_json.c: `safenpy pack --json`: reports what was packed.
 *
 * The numbers are copied from the writer before it ends, and reported once the archive has its name. */
#include "cli/pack.h"

#ifdef SNPY_ARCHIVES

#include <stdlib.h>
#include <string.h>

#include "cli/archive.h"

snpy_status cli_take_packed(snpy_archive_writer *writer, cli_packed *packed, snpy_io_error *error)
{
    static const cli_packed none = {.count = 0};
    const size_t count = snpy_archive_writer_count(writer);
    snpy_status status = SNPY_OK;
    size_t size = 0;
    *packed = none;
    packed->members = malloc((count + 1) * sizeof *packed->members);
    if (packed->members == NULL) return snpy_io_no_memory(error, "malloc");
    for (size_t i = 0; i < count && status == SNPY_OK; i++) {
        status = snpy_archive_writer_member(writer, i, &packed->members[i], error);
        if (status == SNPY_OK) size += packed->members[i].name_length;
    }
    if (status != SNPY_OK) return status;
    packed->names = malloc(size + 1);
    if (packed->names == NULL) return snpy_io_no_memory(error, "malloc");
    size = 0;
    for (size_t i = 0; i < count; i++) {
        snpy_written_member *member = &packed->members[i];
        memcpy(packed->names + size, member->name, member->name_length);
        member->name = packed->names + size; /* the writer's copy is freed with it */
        size += member->name_length;
    }
    packed->count = count;
    return SNPY_OK;
}

void cli_put_packed(const char *to, const cli_packed *packed)
{
    bool first = true;
    cli_put(&cli_output, "{");
    cli_json_file(&cli_output, to, &first);
    cli_put(&cli_output, ", \"format\": \"npz\", \"members\": [");
    for (size_t i = 0; i < packed->count; i++) {
        const snpy_written_member *member = &packed->members[i];
        const size_t length = member->name_length;
        const uint8_t *name = member->name;
        const bool is_npy = length >= 4 && memcmp(name + length - 4, ".npy", 4) == 0;
        bool is_first = true;
        cli_put(&cli_output, i > 0 ? ", {" : "{");
        cli_json_key(&cli_output, "name", &is_first);
        (void)cli_json_string(&cli_output, name, length, SNPY_TEXT_UTF8);
        cli_json_key(&cli_output, "key", &is_first);
        (void)cli_json_string(&cli_output, name, is_npy ? length - 4 : length, SNPY_TEXT_UTF8);
        cli_json_sizes(member->is_deflated, member->size, member->compressed_size, member->crc, member->data_offset);
        cli_put(&cli_output, "}");
    }
    cli_put(&cli_output, "]}\n");
}

void cli_release_packed(cli_packed *packed)
{
    free(packed->members);
    free(packed->names);
    packed->members = NULL;
    packed->names = NULL;
}

#else
typedef int cli_no_archives; /* a file of C is not empty */
#endif
