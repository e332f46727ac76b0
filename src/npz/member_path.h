/* member_path.h: names of members as paths.
 * Leaves files to whoever writes them. */
#ifndef SNPY_MEMBER_PATH_H
#define SNPY_MEMBER_PATH_H

#include "safenpy/archive.h"

/* ---- member_path.c ---- */

/* Whether a name in UTF-8 is a good path: SNPY_OK, or SNPY_ZIP_PATH_ESCAPES or SNPY_ZIP_PATH_NOT_PORTABLE at the byte
 * *fault of the name.                                                                     NPZ-PATH-001, NPZ-PATH-002 */
snpy_status snpy_judge_path(const uint8_t *name, size_t length, size_t *fault);

/* Where a byte of a name in UTF-8 stands in the archive: of code page 437 each character has one byte there. */
uint64_t snpy_place_in_name(const snpy_zip_member *record, const char *name, size_t at);

/* Maps a name to a path: at most three bytes for each of its own, and a NUL. Returns its bytes.        NPZ-PATH-004 */
size_t snpy_map_path(const uint8_t *name, size_t length, char *out);

/* -1, 0 or 1: two paths but for the case of ASCII letters; a directory comes right before what is in it. */
int snpy_compare_paths(const char *one, size_t one_length, const char *other, size_t other_length);

/* Whether two paths, the first not after the second in this order, cannot both be files.               NPZ-PATH-003 */
bool snpy_paths_collide(const char *one, const char *other);

/* ---- collisions.c ---- */

/* The path of a member. */
typedef struct snpy_place {
    char *path; /* owned by the caller; NULL: it takes no part */
    size_t index;
    bool collides; /* with a member of a lower index */
    bool is_made;  /* unpacked: there is a file of it */
} snpy_place;

/* Sorts members by their paths, those without one last, and marks the later of two whose paths collide.   NPZ-PATH-003 */
void snpy_mark_collisions(snpy_place *places, size_t count);

/* Marks the members whose names collide with that of an earlier one. `collides` has one value for each member, all false.
 * Returns false if there is no memory.                                                                     NPZ-PATH-003 */
bool snpy_find_collisions(const snpy_archive *archive, bool *collides);

/* Refuses a member whose name is no good path, or collides, at its byte in the archive.
 *
 * collides  as snpy_find_collisions fills it
 * returns   SNPY_OK, the rule, or SNPY_NO_MEMORY                                                    NPZ-PATH-001 … 003 */
snpy_error snpy_judge_member_name(const snpy_archive *archive, size_t index, const bool *collides);

/* Refuses an archive for the first of its members whose name is no good path, or collides.          NPZ-PATH-001 … 003 */
snpy_status snpy_archive_judge_names(const snpy_archive *archive, snpy_io_error *error);

#endif
