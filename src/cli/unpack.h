/* unpack.h: names of members as paths.
 * Proves nothing. Leaves files to unpack.c. */
#ifndef SAFENPY_CLI_UNPACK_H
#define SAFENPY_CLI_UNPACK_H

#include "cli/cli.h"
#include "safenpy/zip_types.h"

/* Whether a name in UTF-8 is a good path: SNPY_OK, or SNPY_ZIP_PATH_ESCAPES or SNPY_ZIP_PATH_NOT_PORTABLE at the byte
 * *fault of the name.                                                                     NPZ-PATH-001, NPZ-PATH-002 */
snpy_status cli_judge_path(const uint8_t *name, size_t length, size_t *fault);

/* Where a byte of a name in UTF-8 stands in the archive: of code page 437 each character has one byte there. */
uint64_t cli_place_in_name(const snpy_zip_member *record, const char *name, size_t at);

/* Maps a name to a path: at most three bytes for each of its own, and a NUL. Returns its bytes.        NPZ-PATH-004 */
size_t cli_map_path(const uint8_t *name, size_t length, char *out);

/* -1, 0 or 1: two paths but for the case of ASCII letters; a directory comes right before what is in it. */
int cli_compare_paths(const char *one, size_t one_length, const char *other, size_t other_length);

/* Whether two paths, the first not after the second in this order, cannot both be files.               NPZ-PATH-003 */
bool cli_paths_collide(const char *one, const char *other);

/* ---- collisions.c ---- */

/* The path of a member. */
typedef struct cli_place {
    char *path; /* owned by the caller; NULL: it takes no part */
    size_t index;
    bool collides; /* with a member of a lower index */
    bool is_made;  /* unpacked: there is a file of it */
} cli_place;

/* Sorts members by their paths, those without one last, and marks the later of two whose paths collide.   NPZ-PATH-003 */
void cli_mark_collisions(cli_place *places, size_t count);

#endif
