/* io.h: what loading, mapping, saving and appending share.
 * Tested with each system call made to fail. The core decides about bytes.
 *
 * Functions that return a status fill `error` if they fail and leave it alone otherwise. */
#ifndef SAFENPY_HOST_IO_H
#define SAFENPY_HOST_IO_H

#include <sys/types.h>

#include "host/host.h"
#include "host/reader.h"
#include "safenpy/array.h"
#include "safenpy/copy.h"

/* --- file.c --------------------------------------------------------------------------------------------------- */

/* Sets file->another if another array begins right after the data and the reader can read there. Best effort. */
void snpy_find_another(const snpy_reader *reader, snpy_file *file);

/* --- grow.c: option structs that grow ------------------------------------------------------------------------ */

/* Copies a caller's option struct, whose first field is its size in bytes, over the defaults in `own`, a struct of
 * `known` bytes. Fields beyond `size` keep their defaults. Returns false if `size` is larger than `known`, or 0. */
bool snpy_take_options(void *own, size_t known, const void *given, uint32_t size);

/* Does the same with the options of loading and mapping; NULL means the defaults. SNPY_BAD_ARGUMENT for a bad size. */
snpy_status snpy_take_load_options(snpy_load_options *own, const snpy_load_options *how, snpy_io_error *error);

/* --- error.c: errors of files and of the system ------------------------------------------------------------ */

/* Clears an error and sets error->path. */
void snpy_io_begin(snpy_io_error *error, const char *path);

/* Sets error->path and leaves the rest. */
void snpy_io_name(snpy_io_error *error, const char *path);

/* Sets error->member, the name of a member of an archive; "" for none. */
void snpy_io_member(snpy_io_error *error, const char *name);

/* Sets status and offset of an error. Returns the status. */
snpy_status snpy_io_refuse(snpy_io_error *error, snpy_status status, uint64_t offset);

/* Reports that a system call failed; `reason` is an errno. Returns SNPY_IO_ERROR.                       HOST-IO */
snpy_status snpy_io_fail(snpy_io_error *error, const char *call, int reason);

/* Reports that there is no memory. Returns SNPY_NO_MEMORY.                                          HOST-MEMORY */
snpy_status snpy_io_no_memory(snpy_io_error *error, const char *call);

/* --- calls.c: system calls without their surprises --------------------------------------------------------- */

/* Opens a file, close-on-exec and never as a controlling terminal. `mode` is for a new file. Returns the descriptor, or
 * -1 with errno. */
int snpy_open(const char *path, int flags, mode_t mode);

/* Closes a descriptor, once. EINTR is not a failure: the descriptor is closed then.                     HOST-IO */
snpy_status snpy_close(int descriptor, snpy_io_error *error);

/* Writes all bytes at the descriptor's position; waits if the descriptor is non-blocking.               HOST-IO */
snpy_status snpy_write_all(int descriptor, const uint8_t *bytes, uint64_t size, snpy_io_error *error);

/* Writes all bytes at an offset of a file.                                                              HOST-IO */
snpy_status snpy_write_at(int descriptor, const uint8_t *bytes, uint64_t size, uint64_t offset, snpy_io_error *error);

/* Asks the system to start writing a range of a file to the disk in the background, so that snpy_sync need not wait for
 * all of it. Best effort: snpy_sync reports errors. */
void snpy_begin_writing(int descriptor, uint64_t offset, uint64_t size);

/* Sets a file's length. Returns 0, or -1 with errno. */
int snpy_cut(int descriptor, uint64_t size);

/* Waits until a file's data are on the disk (fsync).                                                    HOST-IO */
snpy_status snpy_sync(int descriptor, snpy_io_error *error);

/* Whether snpy_sync_all syncs everything on an open file's file system and reports errors. True for local file systems
 * of Linux; FUSE does not pass syncfs on, and overlays do not report errors of the layers below. */
bool snpy_can_sync_all(int descriptor);

/* Waits until everything on an open file's file system is on the disk (syncfs). Reports all failures since the file was
 * opened, also those of other programs' writes.                                                         HOST-IO */
snpy_status snpy_sync_all(int descriptor, snpy_io_error *error);

/* Opens the directory of a path. The caller closes *descriptor; -1 after a failure.         HOST-IO, HOST-MEMORY */
snpy_status snpy_open_directory(const char *path, int *descriptor, snpy_io_error *error);

/* Syncs an open directory to the disk. EINVAL is not a failure: some file systems cannot sync directories.  HOST-IO */
snpy_status snpy_sync_directory(int descriptor, const char *path, snpy_io_error *error);

/* --- separator.c --------------------------------------------------------------------------------------------- */

/* Returns the last separator of a path, NULL if it has none: a slash; on Windows also a backslash and a colon. */
const char *snpy_last_separator(const char *path);

/* --- load.c -------------------------------------------------------------------------------------------------- */

/* Loads like snpy_load from a file that was just opened; it stays open, and error->path stays.                 HOST-IO */
snpy_status snpy_load_file(int descriptor, const snpy_load_options *how, snpy_array *array, snpy_io_error *error);

/* --- object_open.c ------------------------------------------------------------------------------------------- */

#define SNPY_SIZE_UNKNOWN UINT64_MAX

/* Reads the pickle that begins at `start` and has `known` bytes, or ends where the reader ends: memory then grows as bytes
 * arrive. *bytes is NULL before; the caller frees it, also after a failure. SNPY_PKL_TOO_MANY_BYTES if it is longer than
 * SNPY_MAX_PICKLE.                                                                             HOST-IO, HOST-MEMORY */
snpy_status snpy_read_payload(snpy_reader *reader, uint64_t start, uint64_t known, uint8_t **bytes, size_t *size,
                              snpy_io_error *error);

/* --- lock.c: files that only one process at a time changes --------------------------------------------------- */

/* A locked file. All zero: none. */
typedef struct snpy_lock {
    int descriptor;
    bool is_held; /* the descriptor is open and locked */
} snpy_lock;

/* How long to wait for a lock unless an option says otherwise, in milliseconds. */
#define SNPY_LOCK_TIMEOUT_MS 10000u

/* Each of these opens a regular file and locks it against other processes and threads that call them, until the lock is
 * released or the process ends. On a file system without locks nothing is locked.
 *
 * timeout_ms  milliseconds to wait; 0: SNPY_LOCK_TIMEOUT_MS; negative: do not wait
 * lock        always filled; empty after a failure
 * returns     SNPY_OK; SNPY_LOCKED if the lock was not free in time; SNPY_IO_ERROR                 HOST-LOCK, HOST-IO
 *
 * snpy_lock_to_grow: for appending. lock->descriptor reads and writes the file. Anything but a regular file is opened
 * without a lock. */
snpy_status snpy_lock_to_grow(const char *path, int32_t timeout_ms, snpy_lock *lock, snpy_io_error *error);

/* For a file that another one will replace. If there is no such file, or it can be neither written nor read, nothing is
 * locked. A file that can only be read is locked against its writers. */
snpy_status snpy_lock_to_replace(const char *path, int32_t timeout_ms, snpy_lock *lock, snpy_io_error *error);

/* The same for a name in an open directory; a symbolic link of that name is not followed, and not locked. */
snpy_status snpy_lock_entry(int directory, const char *name, int32_t timeout_ms, snpy_lock *lock, snpy_io_error *error);

/* Releases the lock and closes the file. Does nothing for a lock that is all zero. */
void snpy_lock_release(snpy_lock *lock);

/* --- memory.c: memory for data ----------------------------------------------------------------------------- */

/* How an array's memory was allocated. */
enum snpy_held { SNPY_HELD_NOT = 0, SNPY_HELD_HEAP = 1, SNPY_HELD_PAGES = 2 };

/* Sets an array to empty without releasing what it held. */
void snpy_array_clear(snpy_array *array);

/* Allocates `size` bytes, not 0, for an array's data: from the heap or, if they are many, as pages of their own, huge
 * ones if the system has them. The array owns them.                                                 HOST-MEMORY */
snpy_status snpy_array_reserve(snpy_array *array, uint64_t size, snpy_io_error *error);

/* Enlarges an array's heap memory for data to `size` bytes and keeps its contents.                  HOST-MEMORY */
snpy_status snpy_array_extend(snpy_array *array, uint64_t size, snpy_io_error *error);

/* --- map.c: mapped files ----------------------------------------------------------------------------------- */

/* Maps a range of a file, not empty, as an array's data; array->data points to the range's first byte. `protection` and
 * `sharing` are those of mmap(2).                                                                         HOST-IO */
snpy_status snpy_map_range(int descriptor, uint64_t start, uint64_t size, int protection, int sharing,
                           snpy_array *array, snpy_io_error *error);

/* Checks that a file still has `size` bytes after it was mapped; else SNPY_FILE_CHANGED.   NPY-MAP-001, HOST-CHANGED */
snpy_status snpy_check_not_shorter(int descriptor, uint64_t size, snpy_io_error *error);

/* --- head.c: headers to be written ------------------------------------------------------------------------- */

/* Returns the axis along which an array grows: the first, or in Fortran order the last; 0 for a scalar. NPY-WRITE-012 */
uint32_t snpy_growing_axis(const snpy_header *header);

/* Makes an array without data from a description: writes its header into new memory and parses it. The caller releases
 * the array, whatever the status. SNPY_OBJECT_DATA if its dtype has objects; the array is filled then, too.
 *                                                                                                NPY-WRITE-009 */
snpy_status snpy_make_head(const snpy_description *description, snpy_array *array, snpy_io_error *error);

/* Makes the header that `array` has with another length along its growing axis, in as many bytes as its own header.
 * SNPY_HEADER_FULL if it does not fit. The caller releases `grown`, whatever the status.   NPY-WRITE-012, HOST-GROWTH */
snpy_status snpy_make_grown_head(snpy_array *array, uint64_t length, snpy_array *grown, snpy_io_error *error);

/* Whether C order and Fortran order differ for an array of this shape.                             NPY-DATA-007 */
bool snpy_order_matters(const snpy_header *header);

/* Checks that two arrays agree in everything but the length along the growing axis of the first: dtype with names and
 * titles, the other dimensions, order. SNPY_NOT_ALIKE if not.                                        HOST-MATCH */
snpy_status snpy_compare_heads(snpy_array *array, snpy_array *more, snpy_io_error *error);

/* --- copy.c: arrays in another order or byte order ---------------------------------------------------------- */

/* Whether the elements will be in Fortran order and C order would differ. `order` is 'C', 'F', or 0 for the header's
 * order.                                                                                           NPY-HDR-007 */
bool snpy_wants_fortran(char order, const snpy_header *header);

/* Makes the header of an array in another order and byte order. Changes the byte orders in the description's table. If
 * the description's version cannot hold the header, takes a later one, or fails if `keeps_version`. Objects are not an
 * error. The caller releases `head`, whatever the status.                                        NPY-WRITE-009 */
snpy_status snpy_make_new_head(snpy_description description, char order, snpy_byteorder byteorder, bool keeps_version,
                               snpy_array *head, snpy_io_error *error);

/* Sets `from` to the view of an array's data, and `to` to that of new data in the order asked for. `to` is always in C
 * order of the axes, which both views have reversed for a new Fortran order.                          API-VIEW */
snpy_status snpy_find_places(const snpy_header *header, char order, snpy_view *from, snpy_view *to,
                             snpy_io_error *error);

/* Makes the plan for converting elements. The caller frees plan->runs, whatever the status. NPY-VALUE-001, HOST-MEMORY */
snpy_status snpy_make_plan(const snpy_view *from, const snpy_table *table, snpy_byteorder order, snpy_plan *plan,
                           snpy_io_error *error);

/* --- append.c ---------------------------------------------------------------------------------------------- */

/* Truncates the file to which this process is appending, if any, to its old length, unless its new header is written.
 * For signal handlers: async-signal-safe. */
void snpy_cut_pending_append(void);

/* --- temporary.c: files that a signal handler has to remove ------------------------------------------------ */

/* Remembers a file that a signal handler shall remove. Returns a slot for snpy_forget_temporary, or 0 if none is free;
 * forgetting 0 does nothing. */
int snpy_remember_temporary(const char *path);
void snpy_forget_temporary(int slot);

/* Creates a file with a new name in the directory of a path and remembers it. It is private (mode 0600, no ACL) or has
 * the usual rights of a new file; a file that will replace another must be private. The caller closes *descriptor and
 * passes *name and *slot to one of the next three functions.                                  HOST-IO, HOST-MEMORY */
snpy_status snpy_make_temporary(const char *path, bool is_private, int *descriptor, char **name, int *slot,
                                snpy_io_error *error);

/* Removes a temporary file, frees its name and forgets its slot; sets both to empty. Does nothing if they are. */
void snpy_drop_temporary(char **name, int *slot);

/* Renames a temporary file to a path, replacing what is there. Removes the file on failure.                HOST-IO */
snpy_status snpy_rename_temporary(const char *path, char **name, int *slot, snpy_io_error *error);

/* The same, and syncs the directory. If only that fails, the file keeps its new name.     HOST-IO, HOST-MEMORY */
snpy_status snpy_place_temporary(const char *path, char **name, int *slot, snpy_io_error *error);

/* What is at a path that will be written. */
typedef struct snpy_target {
    char *path; /* with symbolic links followed; the caller frees it */
    int old;    /* descriptor of the regular file there, whose rights are kept; the caller closes it; -1: none */
    bool is_not_regular; /* not a regular file: it is written in place, never replaced */
} snpy_target;

/* Finds what is at a path. A directory or a file that cannot be written is an error.       HOST-IO, HOST-MEMORY */
snpy_status snpy_find_target(const char *path, snpy_target *target, snpy_io_error *error);

/* --- rights.c: the rights of a file that replaces another --------------------------------------------------- */

/* Opens the regular file that will be replaced, so that its rights can be read later. `name` is in `directory`, or a path
 * if that is AT_FDCWD; a symbolic link is not followed. Returns the descriptor, for reading or, if that is forbidden, for
 * writing; or -1 with errno, ENOENT if there is no regular file. */
int snpy_open_replaced(int directory, const char *name);

/* Removes the ACL that a new file has inherited from its directory: a later change of the mode would put it into effect.
 *                                                                                                         HOST-IO */
snpy_status snpy_make_private(int descriptor, snpy_io_error *error);

/* Gives a private file the rights of another file, or fewer: user attributes, group, owner, mode and ACL. Adds what could
 * not be kept to error->lost. An ACL that cannot be set is an error of fsetxattr. If drop_acl, the mode admits nobody
 * whom the ACL keeps out.                                                                    HOST-IO, HOST-MEMORY */
snpy_status snpy_copy_rights(int from, int to, bool drop_acl, snpy_io_error *error);

/* Gives a complete file, which will be renamed to `name` in `directory`, the rights of the file that it replaces.
 *
 * old  what snpy_open_replaced returned before the new, private file was made; -1 if there was no old file and the new
 *      one has the usual rights. If a file has appeared since, its rights are taken. If another file has replaced `old`,
 *      the new file stays private.
 *
 * Sets error->lost, whatever the status.                                                     HOST-IO, HOST-MEMORY */
snpy_status snpy_hand_over(int descriptor, int old, int directory, const char *name, bool drop_acl,
                           snpy_io_error *error);

/* --- output.c: files that are written ---------------------------------------------------------------------- */

/* A file that is written. */
typedef struct snpy_output {
    char *path;      /* with symbolic links followed; NULL: a lent descriptor */
    char *temporary; /* the file that will be renamed to `path`; NULL: the output is written in place */
    snpy_lock lock;  /* on the file that is replaced */
    int descriptor;
    int slot;      /* of `temporary`, for signal handlers; 0: none */
    int old;       /* the file that is replaced, for its rights; -1: none */
    bool owns;     /* closes the descriptors */
    bool drop_acl; /* does not keep the ACL of the old file */
} snpy_output;

/* Sets an output to closed, without closing anything. */
void snpy_output_clear(snpy_output *output);

/* Finds what is at a path and locks the file that will be replaced, until the output is finished or abandoned: the caller
 * can read it and write it anew. The output is closed on failure.                HOST-LOCK, HOST-IO, HOST-MEMORY */
snpy_status snpy_output_claim(snpy_output *output, const char *path, int32_t timeout_ms, snpy_io_error *error);

/* Opens a claimed output for writing: a temporary file in its directory, private if it will replace another; a FIFO or
 * device in place; /dev/stdout, /dev/fd/N and the like by their descriptor. The output is closed on failure.
 *                                                                                              HOST-IO, HOST-MEMORY */
snpy_status snpy_output_open_claimed(snpy_output *output, snpy_io_error *error);

/* Claims and opens an output.                                                     HOST-LOCK, HOST-IO, HOST-MEMORY */
snpy_status snpy_output_open(snpy_output *output, const char *path, int32_t timeout_ms, snpy_io_error *error);

/* Makes an output of a descriptor, which the output never closes. */
void snpy_output_lend(snpy_output *output, int descriptor);

/* Gives what was written its rights, syncs it to the disk, renames it to its path, and closes the output. On failure the
 * old file stays as it was.                                                                HOST-IO, HOST-MEMORY */
snpy_status snpy_output_finish(snpy_output *output, snpy_io_error *error);

/* Closes an output and removes its temporary file. The old file stays as it was. */
void snpy_output_abandon(snpy_output *output);

/* --- save.c ------------------------------------------------------------------------------------------------- */

/* Like snpy_writer_open, for an output that was claimed or lent. The writer takes it over, whatever the status. */
snpy_status snpy_writer_open_claimed(snpy_writer **writer, snpy_output *output, const snpy_description *description,
                                     bool grows, snpy_io_error *error);

#endif
