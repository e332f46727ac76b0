/* pack_json.c: `safenpy pack --json`: what was packed.
 * Proves nothing; tests/cli/pack.py tries it. Leaves the archive to src/npz.
 *
 * Numbers are taken from the writer when all of them are known, and said when the archive has its name. */
#include "cli/pack.h"

#ifdef SNPY_ARCHIVES

#include <stdlib.h>
#include <string.h>

#include "cli/archive.h"
#include "npz/write.h"

snpy_status cli_take_packed(snpy_archive_writer *writer, cli_packed *packed, snpy_io_error *error)
{
    static const cli_packed none = {.count = 0};
    struct snpy_archive_state *state = writer->state_;
    *packed = none;
    snpy_status status = snpy_pack_drain(state, error);
    if (status != SNPY_OK) return status;
    const size_t count = state->keys.count;
    packed->members = malloc((count + 1) * sizeof *packed->members);
    packed->names = malloc(state->keys.text_size + 1);
    if (packed->members == NULL || packed->names == NULL) return snpy_io_no_memory(error, "malloc");
    if (state->keys.text_size > 0) memcpy(packed->names, state->keys.text, state->keys.text_size);
    for (size_t i = 0; i < count; i++) {
        const struct snpy_zip_entry *entry = &state->entries[i];
        cli_packed_member *member = &packed->members[i];
        member->name_end = state->keys.ends[i];
        member->is_deflated = entry->method == SNPY_ZIP_DEFLATED;
        member->size = entry->size;
        member->compressed_size = entry->compressed_size;
        member->crc = entry->crc;
        member->offset = snpy_pack_data_offset(entry);
    }
    packed->count = count;
    return SNPY_OK;
}

void cli_put_packed(const char *to, const cli_packed *packed)
{
    bool first = true;
    size_t begin = 0;
    cli_put(&cli_output, "{");
    cli_json_file(&cli_output, to, &first);
    cli_put(&cli_output, ", \"format\": \"npz\", \"members\": [");
    for (size_t i = 0; i < packed->count; i++) {
        const cli_packed_member *member = &packed->members[i];
        const size_t length = member->name_end - begin;
        const uint8_t *name = packed->names + begin;
        const bool is_npy = length >= 4 && memcmp(name + length - 4, ".npy", 4) == 0;
        bool is_first = true;
        cli_put(&cli_output, i > 0 ? ", {" : "{");
        cli_json_key(&cli_output, "name", &is_first);
        (void)cli_json_string(&cli_output, name, length, CLI_UTF8);
        cli_json_key(&cli_output, "key", &is_first);
        (void)cli_json_string(&cli_output, name, is_npy ? length - 4 : length, CLI_UTF8);
        cli_json_sizes(member->is_deflated, member->size, member->compressed_size, member->crc, member->offset);
        cli_put(&cli_output, "}");
        begin = member->name_end;
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
