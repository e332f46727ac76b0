/* host.h: judging files with the core, through POSIX.
 * Proves nothing; it is tested. Leaves every decision about bytes to the core: this layer opens, reads
 * and counts. No function here is thread-safe for one workspace; each thread may have its own. */
#ifndef SAFENPY_HOST_H
#define SAFENPY_HOST_H

#include "safenpy/safenpy.h"

/* Memory that one file after the other uses, so that an ordinary file costs no allocation. All zero is
 * an empty workspace. Owned by the caller; snpy_workspace_release gives its memory back. */
typedef struct snpy_workspace {
    uint8_t *bytes; /* the file's first bytes: prefix and header */
    size_t capacity;
    snpy_table table;   /* the fields of the last header that was parsed */
    uint8_t *canonical; /* the header as NumPy writes it */
    size_t canonical_capacity;
} snpy_workspace;

/* What is known of a file after snpy_judge_file. `bytes` is borrowed from the workspace and good until
 * the workspace is used again. */
typedef struct snpy_file {
    snpy_error error;     /* SNPY_OK: accepted; SNPY_IO_ERROR, SNPY_NO_MEMORY: not judged; else refused */
    int system_error;     /* errno of a file that was not judged, else 0 */
    const uint8_t *bytes; /* the file's first bytes */
    size_t length;        /* how many of them are in memory */
    uint64_t size;        /* bytes of the whole file; only where the verdict needs it (or is SNPY_OK) */
    bool has_frame;       /* `header.frame` is filled */
    snpy_header header;   /* filled as a whole if the file is accepted */
} snpy_file;

/* Gives back the memory of a workspace and leaves it empty.                                   HOST-MEMORY */
void snpy_workspace_release(snpy_workspace *workspace);

/* Makes a buffer of the workspace at least `wanted` bytes large; what it holds stays. Returns false and
 * leaves it as it is if there is no memory.                                                    HOST-MEMORY */
bool snpy_grow(uint8_t **buffer, size_t *capacity, uint64_t wanted);

/* Parses a header as snpy_parse_header does, if need be once more with a table as large as it needs: its memory is
 * from the heap, and the caller frees it. SNPY_NO_MEMORY if there is none.            API-TABLE, HOST-MEMORY */
snpy_status snpy_parse_growing(const uint8_t *bytes, size_t length, const snpy_options *options, snpy_table *table,
                               snpy_header *header, snpy_error *error);

/* Reads up to `capacity` bytes like read(2), but goes on after a signal and waits where a descriptor
 * does not block. Returns the bytes read, 0 at the end, -1 with errno.                              HOST-IO */
ptrdiff_t snpy_read_some(int descriptor, uint8_t *out, size_t capacity);

/* Likewise from an offset of a file, like pread(2).                                                HOST-IO */
ptrdiff_t snpy_read_some_at(int descriptor, uint8_t *out, size_t capacity, uint64_t offset);

/* Opens, reads and judges one file: its header and, against its size, its data. "-" is standard input.
 * At most the header is held in memory, and no more of it than the file really has.
 *
 * path            borrowed
 * options         limits and flags, borrowed
 * allow_trailing  whether bytes behind the data are accepted
 * file            filled always
 * returns         file->error.status                                                      HOST-IO, HOST-MEMORY */
snpy_status snpy_judge_file(const char *path, const snpy_options *options, bool allow_trailing,
                            snpy_workspace *workspace, snpy_file *file);

/* Judges what a descriptor holds from where it stands, and leaves it open. Of a regular file *knows_size is true; of
 * what does not know its size, only the header is judged, and its data are left, but for those in file->bytes.
 *                                                                                        HOST-IO, HOST-MEMORY */
snpy_status snpy_judge_descriptor(int descriptor, const snpy_options *options, snpy_workspace *workspace,
                                  snpy_file *file, bool *knows_size);

/* Judges an accepted file once more: whether its header is byte for byte what NumPy writes. Changes the
 * verdict to SNPY_NOT_CANONICAL, at the first byte that differs, if not.                       NPY-HDR-006
 *
 * workspace  the one the file was judged with
 * returns    file->error.status */
snpy_status snpy_judge_canonical(snpy_workspace *workspace, snpy_file *file);

/* Describes an accepted file for the functions that write, with its own version and the caller's header: a copy of
 * its own that may say another order. Table and names are borrowed from workspace and file. */
void snpy_describe_file(const snpy_file *file, snpy_workspace *workspace, const snpy_header *header,
                        snpy_description *description);

#endif
