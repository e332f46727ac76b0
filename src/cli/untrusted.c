/* untrusted.c: which accepted members of an archive `check --untrusted` refuses.
 * Leaves limits to options.c, files to accept.c, names to unpack_path.c. */
#include "cli/archive.h"

#ifdef SNPY_ARCHIVES

#include "cli/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool cli_find_collisions(cli_archive *about)
{
    const size_t count = snpy_archive_count(about->archive);
    cli_place *places = calloc(count + 1, sizeof *places);
    bool is_complete = places != NULL;
    about->collides = calloc(count + 1, sizeof *about->collides);
    is_complete = is_complete && about->collides != NULL;
    for (size_t i = 0; i < count && is_complete; i++) {
        const char *name = cli_member_name(about, i);
        const size_t size = strlen(name) + 1;
        places[i] = (cli_place){.path = malloc(size), .index = i};
        is_complete = places[i].path != NULL;
        if (is_complete) memcpy(places[i].path, name, size);
    }
    if (is_complete) cli_mark_collisions(places, count);
    for (size_t i = 0; i < count && is_complete; i++) about->collides[places[i].index] = places[i].collides;
    for (size_t i = 0; i < count && places != NULL; i++) free(places[i].path);
    free(places);
    return is_complete;
}

/* What is wrong with the name of a member.                                                 NPZ-PATH-001 … 003 */
static snpy_error judge_name(cli_archive *about, size_t index)
{
    const snpy_zip_member *record = snpy_archive_member(about->archive, index);
    const char *name = cli_member_name(about, index);
    size_t fault = 0;
    snpy_error error = {cli_judge_path((const uint8_t *)name, strlen(name), &fault), 0};
    if (error.status == SNPY_OK && about->collides != NULL && about->collides[index])
        error.status = SNPY_ZIP_PATH_COLLIDES;
    if (error.status != SNPY_OK) error.offset = cli_place_in_name(record, name, fault);
    return error;
}

snpy_status cli_refuse_member(cli_archive *about, size_t index, const cli_options *options, cli_member *member)
{
    snpy_file *file = &member->file;
    if ((options->refused & CLI_REFUSE_NAMES) != 0) file->error = judge_name(about, index);
    if (file->error.status != SNPY_OK) return file->error.status;
    if (member->is_array) return cli_refuse_objects(file, options);
    const size_t length = snpy_archive_name(about->archive, index, NULL, 0);
    const bool is_named_so = length != snpy_archive_key(about->archive, index, NULL, 0);
    if (is_named_so && (options->refused & CLI_REFUSE_MEMBERS) != 0) file->error = (snpy_error){SNPY_NOT_AN_ARRAY, 0};
    return file->error.status;
}

#else
typedef int cli_no_archives; /* a file of C is not empty */
#endif
