/* host.h: judging files with the core, through POSIX.
 * Proves nothing; it is tested. Leaves every decision about bytes to the core: this layer opens, reads
 * and counts. No function here is thread-safe for one file; each thread may have its own. */
#ifndef SAFENPY_HOST_H
#define SAFENPY_HOST_H

#include "safenpy/safenpy.h"

/* What is known of a file, or of a member of an archive as if it were one. Owns the memory of its head, which is to be
 * released, whatever the verdict. All zero: nothing is known. */
typedef struct snpy_file {
    snpy_error error; /* SNPY_OK: accepted; SNPY_IO_ERROR, SNPY_NO_MEMORY: not judged; else refused */
    int system_error; /* errno of a file that was not judged, else 0 */
    uint64_t size;    /* bytes of the whole file, from `start` on; only where the verdict needs it (or is SNPY_OK) */
    uint64_t start;   /* byte of the file that the array begins at; all other offsets count from it */
    uint64_t another; /* offset at which another array begins, right after the data; 0: none does */
    snpy_array head;  /* without data; `head_` has the first bytes, of a refused file, too */
} snpy_file;

/* The first bytes of a file, as far as they were read: the header of an accepted one, and perhaps more. NULL and 0 if
 * none were, or without a file. They are the file's until its head is released. */
const uint8_t *snpy_file_start(const snpy_file *file, size_t *size);

/* Makes an array's header of bytes from malloc, which the array owns from then on; they are not parsed. */
void snpy_array_own_header(snpy_array *array, uint8_t *bytes, size_t size);

/* Makes a buffer at least `wanted` bytes large; what it holds stays. Returns false and leaves it as it is if there is
 * no memory.                                                                                         HOST-MEMORY */
bool snpy_grow(uint8_t **buffer, size_t *capacity, uint64_t wanted);

/* Opens, reads and judges one file: its header and, against its size, its data. "-" is standard input.
 * At most the header is held in memory, and no more of it than the file really has.
 *
 * path            borrowed
 * options         limits and flags, borrowed
 * allow_trailing  whether bytes after the data are accepted
 * file            filled always; what it held is not released
 * returns         file->error.status                                                      HOST-IO, HOST-MEMORY */
snpy_status snpy_judge_file(const char *path, const snpy_options *options, bool allow_trailing, snpy_file *file);

/* Which bytes of a file are checked. All zero: all of them. */
typedef struct snpy_extent {
    uint64_t start;  /* the array begins there; above 0 only in a regular file */
    bool is_partial; /* the file has only the first bytes of an object that is elsewhere */
    uint64_t size;   /* bytes of that object; UINT64_MAX: not known, and not compared */
} snpy_extent;

/* Likewise a part of a file. Of a partial one nothing after the header is needed, and no more is read than came with it.
 *
 * file     filled as by snpy_judge_file; if it is partial, SNPY_FILE_CHANGED at the number of bytes that there are if the
 *          header of a larger object does not end before it
 * returns  file->error.status                                                      HOST-IO, HOST-MEMORY */
snpy_status snpy_judge_extent(const char *path, const snpy_options *options, bool allow_trailing,
                              const snpy_extent *extent, snpy_file *file);

/* Ends a judgement with an error. Returns its status. */
snpy_status snpy_file_fail(snpy_file *file, const snpy_io_error *error);

/* Checks an accepted file once more: whether its header is byte for byte what NumPy writes. Changes the
 * verdict to SNPY_NOT_CANONICAL, at the first byte that differs, if not. Returns file->error.status.
 *                                                                                    NPY-HDR-006, HOST-MEMORY */
snpy_status snpy_judge_canonical(snpy_file *file);

#endif
