/* host.h: checks files with the core, through POSIX.
 * This layer opens, reads and counts; the core decides about bytes. Threads may call these
 * functions at the same time, each with its own snpy_file. */
#ifndef SAFENPY_HOST_H
#define SAFENPY_HOST_H

#include "safenpy/safenpy.h"

/* What is known about a file, or about a member of an archive. Owns the memory of `head`; the caller releases it with
 * snpy_array_release, whatever the verdict. All zero: nothing is known. */
typedef struct snpy_file {
    snpy_error error; /* SNPY_OK: accepted; SNPY_IO_ERROR, SNPY_NO_MEMORY: not checked; else refused */
    int system_error; /* errno of a file that could not be checked, else 0 */
    uint64_t size;    /* bytes of the file from `start` on; set if the verdict is SNPY_OK or depends on it */
    uint64_t start;   /* byte of the file at which the array begins; all other offsets count from it */
    uint64_t another; /* offset at which another array begins, right after the data; 0: none does */
    snpy_array head;  /* the header, without data; `head_` has the first bytes, also of a refused file */
} snpy_file;

/* Returns the first bytes of a file, as far as they were read, and sets *size: at least the header, if it was accepted.
 * NULL and 0 if none were read or `file` is NULL. The file owns them until its head is released. */
const uint8_t *snpy_file_start(const snpy_file *file, size_t *size);

/* Gives an array the bytes of its header, which are from malloc. The array owns them from then on. Parses nothing. */
void snpy_array_own_header(snpy_array *array, uint8_t *bytes, size_t size);

/* Enlarges a buffer to at least `wanted` bytes and keeps its contents. Returns false, with the buffer unchanged, if there
 * is no memory.                                                                                      HOST-MEMORY */
bool snpy_grow(uint8_t **buffer, size_t *capacity, uint64_t wanted);

/* Opens and checks one file: its header, and its size against the header. "-" is standard input. At most the header is
 * in memory, and no more of it than the file really has.
 *
 * path            borrowed
 * options         limits and flags, borrowed
 * allow_trailing  whether bytes after the data are accepted
 * file            always filled; its old contents are not released
 * returns         file->error.status                                                      HOST-IO, HOST-MEMORY */
snpy_status snpy_check_file(const char *path, const snpy_options *options, bool allow_trailing, snpy_file *file);

/* The data of an object array. */
typedef struct snpy_pickle {
    uint8_t *bytes; /* owned by the caller; NULL: not read */
    size_t size;
} snpy_pickle;

/* Which bytes of a file are checked. All zero: all of them. */
typedef struct snpy_extent {
    uint64_t start;       /* the array begins there; above 0 only in a regular file */
    bool is_partial;      /* the file has only the first bytes of an object that is elsewhere */
    uint64_t size;        /* bytes of that object; UINT64_MAX: not known, and not checked */
    snpy_pickle *objects; /* NULL, or filled with the data of an object array */
    bool needs_objects;   /* the check fails without them; else those from a pipe, and too many, are left out */
} snpy_extent;

/* Checks an extent of a file like snpy_check_file. If it is partial, only the header is read and checked.
 *
 * file     filled as by snpy_check_file. SNPY_FILE_CHANGED, at the end of the bytes, if a partial file ends within the
 *          header of a larger object
 * returns  file->error.status                                                      HOST-IO, HOST-MEMORY */
snpy_status snpy_check_extent(const char *path, const snpy_options *options, bool allow_trailing,
                              const snpy_extent *extent, snpy_file *file);

/* Copies status, offset and errno of an error to `file`. Returns the status. */
snpy_status snpy_file_fail(snpy_file *file, const snpy_io_error *error);

/* Checks whether the header of an accepted file is byte for byte what NumPy writes. If not, sets file->error to
 * SNPY_NOT_CANONICAL at the first byte that differs. Returns file->error.status.      NPY-HDR-006, HOST-MEMORY */
snpy_status snpy_check_canonical_file(snpy_file *file);

#endif
