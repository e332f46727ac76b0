/* untrusted.c: refuses accepted members of an archive for `check --untrusted`.
 * options.c sets limits, accept.c refuses files, npz/member_path.c checks names. */
#include "cli/archive.h"

#ifdef SNPY_ARCHIVES

#include <errno.h>
#include <stdlib.h>

bool cli_find_collisions(cli_archive *about)
{
    about->collides = calloc(snpy_archive_count(about->archive) + 1, sizeof *about->collides);
    return about->collides != NULL && snpy_find_collisions(about->archive, about->collides);
}

snpy_status cli_refuse_member(cli_archive *about, size_t index, const cli_options *options, cli_member *member)
{
    snpy_file *file = &member->file;
    if (about->collides != NULL) file->error = snpy_check_member_name(about->archive, index, about->collides);
    if (file->error.status == SNPY_NO_MEMORY) file->system_error = ENOMEM;
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
