/* safenpy/looks_like.h: recognises the format of a file that is no NPY or NPZ file, by its first bytes. */
#ifndef SAFENPY_LOOKS_LIKE_H
#define SAFENPY_LOOKS_LIKE_H

#include <stddef.h>
#include <stdint.h>

#include "safenpy/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a file looks like, by its first bytes. */
typedef enum snpy_look_kind {
    SNPY_LOOK_UNKNOWN = 0,
    SNPY_LOOK_EMPTY = 1,
    SNPY_LOOK_ZEROS = 2, /* zero bytes only */
    SNPY_LOOK_NPY = 3,
    SNPY_LOOK_ZIP = 4,     /* an NPZ file, or another ZIP file */
    SNPY_LOOK_MANGLED = 5, /* an NPY file that was decoded as text and encoded again */
    SNPY_LOOK_GIT_LFS = 6, /* a Git LFS pointer */
    SNPY_LOOK_HTML = 7,
    SNPY_LOOK_XML = 8,
    SNPY_LOOK_GZIP = 9,
    SNPY_LOOK_BZIP2 = 10,
    SNPY_LOOK_XZ = 11,
    SNPY_LOOK_ZSTD = 12,
    SNPY_LOOK_PICKLE = 13, /* a Python pickle that is not inside an NPY file */
    SNPY_LOOK_HDF5 = 14,
    SNPY_LOOK_MATLAB = 15, /* a MATLAB file of version 5 */
    SNPY_LOOK_TEXT = 16    /* ASCII text of another kind */
} snpy_look_kind;

/* The most bytes that snpy_looks_like uses. */
#define SNPY_LOOK_BYTES 512u

/* Recognises the format of a file by its first bytes. This is a guess, to explain why a file was refused; base no
 * decision on it.                                                                                              API-LOOK
 *
 * bytes, length  the first bytes of the file, borrowed: all of them, or SNPY_LOOK_BYTES. NULL if length is 0
 * returns        SNPY_LOOK_UNKNOWN if no format matches
 *
 * Thread-safe. */
SNPY_API snpy_look_kind snpy_looks_like(const uint8_t *bytes, size_t length);

/* Returns the short name of a format, as in JSON output: "git-lfs". Static text; NULL for SNPY_LOOK_UNKNOWN and for
 * numbers that are no snpy_look_kind. Thread-safe.                                                          API-LOOK */
SNPY_API const char *snpy_look_name(snpy_look_kind look);

/* Returns a noun for a format, to be used in a sentence: "a Git LFS pointer". NULL as for snpy_look_name. Static text,
 * thread-safe.                                                                                              API-LOOK */
SNPY_API const char *snpy_look_noun(snpy_look_kind look);

/* Returns how to get from such a file to the array: "run 'git lfs pull' to download the file itself". NULL as for
 * snpy_look_name, and for SNPY_LOOK_NPY and SNPY_LOOK_ZIP. Static text, thread-safe.                        API-LOOK */
SNPY_API const char *snpy_look_hint(snpy_look_kind look);

#ifdef __cplusplus
}
#endif

#endif
