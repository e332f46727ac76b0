/* member_path.h: checks the names of members as paths of files, and makes paths of names.
 * The callers create the files. */
#ifndef SNPY_MEMBER_PATH_H
#define SNPY_MEMBER_PATH_H

#include "safenpy/archive.h"

/* ---- member_path.c ---- */

/* Checks that a name can be used as a path on every system: relative, without "..", and portable. A final slash marks a
 * directory. Returns SNPY_OK; or SNPY_ZIP_PATH_ESCAPES with *fault 0, or SNPY_ZIP_PATH_NOT_PORTABLE with *fault at the
 * offending byte of the name, which is UTF-8.                                             NPZ-PATH-001, NPZ-PATH-002 */
snpy_status snpy_check_path(const uint8_t *name, size_t length, size_t *fault);

/* Returns the offset in the archive of byte `at` of a member's name, which is given in UTF-8. A name in code page 437
 * has one byte for each character in the archive. */
uint64_t snpy_place_in_name(const snpy_zip_member *record, const char *name, size_t at);

/* Makes a portable path of a name: replaces each byte that is not allowed, and "%", by "%" and two hex digits. `out`
 * needs three bytes per byte of the name, and one for the NUL. Returns the length of the path.          NPZ-PATH-004 */
size_t snpy_map_path(const uint8_t *name, size_t length, char *out);

/* Compares two paths, ignoring the case of ASCII letters: -1, 0 or 1. The slash sorts before all other bytes, so that a
 * directory comes directly before its contents. */
int snpy_compare_paths(const char *one, size_t one_length, const char *other, size_t other_length);

/* Whether two paths cannot both be created: they differ at most in the case of ASCII letters, or `one` is a file where
 * `other` needs a directory. `one` must not sort after `other` in the order of snpy_compare_paths.      NPZ-PATH-003 */
bool snpy_paths_collide(const char *one, const char *other);

/* ---- collisions.c ---- */

/* The path of a member, for the search for collisions. */
typedef struct snpy_place {
    char *path; /* owned by the caller; NULL: the member is left out of the search */
    size_t index;
    bool collides; /* its path collides with that of a member of a lower index */
    bool is_made;  /* set by the command: the member's file has been created */
} snpy_place;

/* Sorts `places` by path, those without a path last. Where two paths collide, sets `collides` of the member with the
 * higher index.                                                                                         NPZ-PATH-003 */
void snpy_mark_collisions(snpy_place *places, size_t count);

/* Sets collides[i] for each member whose name collides with that of a member of a lower index. The caller has set all
 * of them to false. Returns false if there is no memory.                                                NPZ-PATH-003 */
bool snpy_find_collisions(const snpy_archive *archive, bool *collides);

/* Checks the name of a member as a path. The offset of the error is that of the byte at fault in the archive.
 *                                                                                                    NPZ-PATH-001 … 003
 *
 * collides  as snpy_find_collisions filled it
 * returns   SNPY_OK, the rule that the name breaks, or SNPY_NO_MEMORY */
snpy_error snpy_check_member_name(const snpy_archive *archive, size_t index, const bool *collides);

/* Checks the names of all members as paths. Fails at the first that is no good path, or that collides with one of a
 * lower index.                                                                                    NPZ-PATH-001 … 003 */
snpy_status snpy_archive_check_names(const snpy_archive *archive, snpy_io_error *error);

#endif
