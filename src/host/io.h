/* io.h: what loading, mapping, saving and appending share.
 * Proves nothing; it is tested, and each system call made to fail. Leaves every decision about bytes to the core.
 *
 * Functions that return a status fill the error they are given when they fail, and leave it alone else. */
#ifndef SAFENPY_HOST_IO_H
#define SAFENPY_HOST_IO_H

#include <sys/types.h>

#include "host/host.h"
#include "host/reader.h"
#include "safenpy/array.h"
#include "safenpy/copy.h"

/* --- file.c --------------------------------------------------------------------------------------------------- */

/* Sets file->another, if the reader can read what is after the data of the header that it has just read. Best effort. */
void snpy_find_another(const snpy_reader *reader, snpy_file *file);

/* --- grow.c: option structs that grow ------------------------------------------------------------------------ */

/* Takes over an option struct of which the caller knows `size` bytes, its first field. What follows them keeps the
 * defaults that `own`, of `known` bytes, has. Returns false if the caller knows more, or the size was not filled. */
bool snpy_take_options(void *own, size_t known, const void *given, uint32_t size);

/* Likewise the options of loading and mapping; NULL: the defaults. SNPY_BAD_ARGUMENT for a size that is not known. */
snpy_status snpy_take_load_options(snpy_load_options *own, const snpy_load_options *how, snpy_io_error *error);

/* --- error.c: errors of files and of the system ------------------------------------------------------------ */

/* Empties an error and lets it speak of a file. */
void snpy_io_begin(snpy_io_error *error, const char *path);

/* Lets an error speak of a file, whatever else it says. */
void snpy_io_name(snpy_io_error *error, const char *path);

/* Lets an error speak of a member of an archive, "" for none. */
void snpy_io_member(snpy_io_error *error, const char *name);

/* A verdict of the core's. Returns the status. */
snpy_status snpy_io_refuse(snpy_io_error *error, snpy_status status, uint64_t offset);

/* A system call failed; `reason` is an errno. Returns SNPY_IO_ERROR.                                    HOST-IO */
snpy_status snpy_io_fail(snpy_io_error *error, const char *call, int reason);

/* There is no memory. Returns SNPY_NO_MEMORY.                                                       HOST-MEMORY */
snpy_status snpy_io_no_memory(snpy_io_error *error, const char *call);

/* --- calls.c: system calls without their surprises --------------------------------------------------------- */

/* Opens a file, never as a controlling terminal, closed on exec. `mode` is for a new one. -1 with errno. */
int snpy_open(const char *path, int flags, mode_t mode);

/* Closes a descriptor, once. A signal is no failure: the descriptor is closed then.                     HOST-IO */
snpy_status snpy_close(int descriptor, snpy_io_error *error);

/* Writes all bytes where the descriptor stands; waits for one that does not block.                      HOST-IO */
snpy_status snpy_write_all(int descriptor, const uint8_t *bytes, uint64_t size, snpy_io_error *error);

/* Writes all bytes at an offset of a file.                                                              HOST-IO */
snpy_status snpy_write_at(int descriptor, const uint8_t *bytes, uint64_t size, uint64_t offset, snpy_io_error *error);

/* Asks the system to begin to bring bytes of a file to the disk, which it does while we go on: else nothing may happen
 * before snpy_sync, which then takes as long as all of it. A wish: what fails is heard of there. */
void snpy_begin_writing(int descriptor, uint64_t offset, uint64_t size);

/* Sets a file's length. -1 with errno. */
int snpy_cut(int descriptor, uint64_t size);

/* Makes a file safe on the disk.                                                                        HOST-IO */
snpy_status snpy_sync(int descriptor, snpy_io_error *error);

/* Whether snpy_sync_all makes everything on an open file's file system safe and reports what it could not: true for
 * local Linux file systems. FUSE does not pass syncfs on, and overlays do not report errors of the layers below. */
bool snpy_can_sync_all(int descriptor);

/* Makes everything on an open file's file system safe on the disk. Reports all failures since the file was opened, those
 * of other programs too.                                                                                HOST-IO */
snpy_status snpy_sync_all(int descriptor, snpy_io_error *error);

/* Opens the directory that a path lies in.                                                  HOST-IO, HOST-MEMORY */
snpy_status snpy_open_directory(const char *path, int *descriptor, snpy_io_error *error);

/* Makes an open directory safe on the disk. Some file systems cannot, and say EINVAL: what they promise without is
 * all there is.                                                                                         HOST-IO */
snpy_status snpy_sync_directory(int descriptor, const char *path, snpy_io_error *error);

/* --- load.c -------------------------------------------------------------------------------------------------- */

/* Loads as snpy_load does, from a file that was just opened and stays open; the error names it.                HOST-IO */
snpy_status snpy_load_file(int descriptor, const snpy_load_options *how, snpy_array *array, snpy_io_error *error);

/* --- lock.c: files that one process at a time changes ------------------------------------------------------- */

/* A file that others do not change meanwhile */
typedef struct snpy_lock {
    int descriptor;
    bool is_held; /* the descriptor is open */
} snpy_lock;

/* The time that is waited for a lock where an option gives none. */
#define SNPY_LOCK_TIMEOUT_MS 10000u

/* Each opens a regular file and locks it for this process and this call alone: against other processes, threads and calls
 * that do the same, until the lock is released or the process ends. Where file systems have no locks, nothing is locked.
 *
 * timeout_ms  0: SNPY_LOCK_TIMEOUT_MS; below: no wait
 * lock        filled; empty after a failure
 * returns     SNPY_OK; SNPY_LOCKED if the time was too short; SNPY_IO_ERROR                        HOST-LOCK, HOST-IO
 *
 * A file that is to grow: lock->descriptor reads and writes it. What is no regular file is only opened. */
snpy_status snpy_lock_to_grow(const char *path, int32_t timeout_ms, snpy_lock *lock, snpy_io_error *error);

/* A file that another one will replace. One that is not there, or that may neither be written to nor read, is not locked;
 * one that may only be read is locked against those that write to it. */
snpy_status snpy_lock_to_replace(const char *path, int32_t timeout_ms, snpy_lock *lock, snpy_io_error *error);

/* Likewise one in an open directory; not what a link of that name leads to. */
snpy_status snpy_lock_entry(int directory, const char *name, int32_t timeout_ms, snpy_lock *lock, snpy_io_error *error);

/* Closes the file, and gives its lock to the next one. Nothing to do for a lock that is all zero. */
void snpy_lock_release(snpy_lock *lock);

/* --- memory.c: memory for data ----------------------------------------------------------------------------- */

/* How an array's memory is held. */
enum snpy_held { SNPY_HELD_NOT = 0, SNPY_HELD_HEAP = 1, SNPY_HELD_PAGES = 2 };

/* Empties an array; what it held is not released. */
void snpy_array_clear(snpy_array *array);

/* Gives an array `size` bytes of its own for data, not 0: from the heap, or, if they are many, pages of their own,
 * huge ones where the system has them.                                                              HOST-MEMORY */
snpy_status snpy_array_reserve(snpy_array *array, uint64_t size, snpy_io_error *error);

/* Makes heap memory for data larger; what it holds stays.                                           HOST-MEMORY */
snpy_status snpy_array_extend(snpy_array *array, uint64_t size, snpy_io_error *error);

/* --- map.c: data that stay in their file ------------------------------------------------------------------- */

/* Maps a range of a file, not empty, for an array, which it shares with the file or not; `data` is its first byte.
 *                                                                                                      HOST-IO */
snpy_status snpy_map_range(int descriptor, uint64_t start, uint64_t size, int protection, int sharing,
                           snpy_array *array, snpy_io_error *error);

/* Whether a file still has `size` bytes, now that the map stands.                          NPY-MAP-001, HOST-CHANGED */
snpy_status snpy_look_again(int descriptor, uint64_t size, snpy_io_error *error);

/* --- head.c: headers to be written ------------------------------------------------------------------------- */

/* The axis along which an array grows: its first, or its last in Fortran order; 0 for a scalar. NPY-WRITE-012 */
uint32_t snpy_growing_axis(const snpy_header *header);

/* Writes the header of a description into memory of its own, and finalises it: the array has it then, and no data.
 * The array is to be released, whatever the status. SNPY_OBJECT_DATA: it holds objects.          NPY-WRITE-009 */
snpy_status snpy_make_head(const snpy_description *description, snpy_array *array, snpy_io_error *error);

/* Makes the header of an array whose growing axis has another length, in as many bytes as its header has, and
 * finalises it. `grown` is to be released, whatever the status.                       NPY-WRITE-012, HOST-GROWTH */
snpy_status snpy_make_grown_head(snpy_array *array, uint64_t length, snpy_array *grown, snpy_io_error *error);

/* Whether elements lie in another order in C order than in Fortran order.                          NPY-DATA-007 */
bool snpy_order_matters(const snpy_header *header);

/* Whether two arrays agree in all but the length along the growing axis of the first one: dtype with names and
 * titles, the other dimensions, the order of the elements. SNPY_NOT_ALIKE if not.                    HOST-MATCH */
snpy_status snpy_compare_heads(snpy_array *array, snpy_array *more, snpy_io_error *error);

/* --- copy.c: arrays in another order or byte order ---------------------------------------------------------- */

/* Whether elements are to be in Fortran order, and not in C order as well, if `order` is asked for: 'C', 'F', or 0 for
 * that of the header.                                                                              NPY-HDR-007 */
bool snpy_wants_fortran(char order, const snpy_header *header);

/* Makes the header of an array in the orders asked for; the types in the description's table get the new byte order.
 * keeps_version: the description's version or none; else another one, where that cannot hold the header. The head is
 * to be released, whatever the status. Objects are no error.                                     NPY-WRITE-009 */
snpy_status snpy_make_new_head(snpy_description description, char order, snpy_target_order byteorder,
                               bool keeps_version, snpy_array *head, snpy_io_error *error);

/* Finds where the elements of an array are in its data, and where in new data in the order asked for: always in C order
 * of the axes, which are reversed for a new Fortran order.                                            API-VIEW */
snpy_status snpy_find_places(const snpy_header *header, char order, snpy_view *from, snpy_view *to,
                             snpy_io_error *error);

/* Makes the plan of the elements. Its runs are the caller's to free, whatever the status. NPY-VALUE-001, HOST-MEMORY */
snpy_status snpy_make_plan(const snpy_view *from, const snpy_table *table, snpy_target_order order, snpy_plan *plan,
                           snpy_io_error *error);

/* --- append.c ---------------------------------------------------------------------------------------------- */

/* Cuts a file that this process lengthens back to its old end, while its header is the old one. For signal handlers:
 * async-signal-safe. */
void snpy_cut_growing(void);

/* --- temporary.c: files that a signal handler has to remove ------------------------------------------------ */

/* Remembers a file. Returns a number above 0 for snpy_forget_temporary, or 0 if there is no slot free: to forget 0 is
 * to do nothing. */
int snpy_remember_temporary(const char *path);
void snpy_forget_temporary(int slot);

/* Makes a file of a new name in the directory of a path: a private one, or one with the rights of a new file, which
 * only one may have that replaces no other. *name is the caller's to free, *slot to forget.   HOST-IO, HOST-MEMORY */
snpy_status snpy_make_temporary(const char *path, bool is_private, int *descriptor, char **name, int *slot,
                                snpy_io_error *error);

/* Removes a temporary file, and forgets and frees its name, if there is one. */
void snpy_drop_temporary(char **name, int *slot);

/* Gives a temporary file the name of a path. Drops it on failure.                                         HOST-IO */
snpy_status snpy_rename_temporary(const char *path, char **name, int *slot, snpy_io_error *error);

/* Likewise, and makes the directory safe. Only if that fails, the file has its name in spite of the failure.
 *                                                                                          HOST-IO, HOST-MEMORY */
snpy_status snpy_place_temporary(const char *path, char **name, int *slot, snpy_io_error *error);

/* What a path to be written to leads to. */
typedef struct snpy_target {
    char *path; /* with symbolic links followed; the caller's to free */
    int old;    /* descriptor of the regular file that is there, whose rights count; the caller's to close; -1: none */
    bool is_device; /* there is a file that is no regular one: it can only be written to as it is */
} snpy_target;

/* Follows a path. A directory, or a file that may not be written to, is an error.          HOST-IO, HOST-MEMORY */
snpy_status snpy_find_target(const char *path, snpy_target *target, snpy_io_error *error);

/* --- rights.c: the rights of a file that replaces another --------------------------------------------------- */

/* Opens the regular file of a name in a directory (AT_FDCWD: of a path), so that its rights can be read in the end;
 * a link is not followed. -1 with errno; ENOENT if there is none. */
int snpy_open_replaced(int directory, const char *name);

/* Takes away the ACL that a file, just made with mode 0600, has inherited from its directory: a later change of the
 * mode would open it.                                                                                     HOST-IO */
snpy_status snpy_make_private(int descriptor, snpy_io_error *error);

/* Gives a private file the rights of another one, or fewer: user attributes, group, owner, mode and ACL. What is lost
 * is added to error->lost. An ACL that cannot be kept is an error of fsetxattr; without it the mode lets nobody in whom
 * the ACL has kept out.                                                                      HOST-IO, HOST-MEMORY */
snpy_status snpy_copy_rights(int from, int to, bool drop_acl, snpy_io_error *error);

/* Gives a complete file, which is to be renamed to a name in a directory, the rights of the file that it replaces.
 *
 * old  what snpy_open_replaced has returned before the new file was made; the new file is a private one then. -1: there was
 *      no old file, and the new one has the rights of a new file. If a file has appeared since, its rights count; if
 *      another has taken the place of `old`, the new file stays private.
 *
 * error->lost is set, whatever the status.                                                   HOST-IO, HOST-MEMORY */
snpy_status snpy_hand_over(int descriptor, int old, int directory, const char *name, bool drop_acl,
                           snpy_io_error *error);

/* --- output.c: files that are written ---------------------------------------------------------------------- */

/* Where bytes are written to */
typedef struct snpy_output {
    char *path;      /* of the file, links followed; NULL: a descriptor that was lent */
    char *temporary; /* the file that will take its name; NULL: none, the output is written to as it is */
    snpy_lock lock;  /* of the file that had that name before */
    int descriptor;
    int slot;      /* where a signal's handler finds `temporary`; 0: nowhere */
    int old;       /* the file that will be replaced, for its rights; -1: none */
    bool owns;     /* the descriptors are closed in the end */
    bool drop_acl; /* the ACL of the old file goes */
} snpy_output;

/* An output that is closed. */
void snpy_output_clear(snpy_output *output);

/* Finds out what a path to be written to leads to, and locks the file that will be replaced, so that it can be read and
 * then changed: until the output is finished or abandoned. Closed on failure.     HOST-LOCK, HOST-IO, HOST-MEMORY */
snpy_status snpy_output_claim(snpy_output *output, const char *path, int32_t timeout_ms, snpy_io_error *error);

/* Opens what was claimed: a temporary file in its directory, private if it will replace another; a
 * FIFO or device as it is; /dev/stdout, /dev/fd/N and their like by the descriptor. Closed on failure.
 *                                                                                              HOST-IO, HOST-MEMORY */
snpy_status snpy_output_open_claimed(snpy_output *output, snpy_io_error *error);

/* Both at once.                                                                   HOST-LOCK, HOST-IO, HOST-MEMORY */
snpy_status snpy_output_open(snpy_output *output, const char *path, int32_t timeout_ms, snpy_io_error *error);

/* Makes a descriptor, which stays open, an output. */
void snpy_output_lend(snpy_output *output, int descriptor);

/* Gives what was written its rights, makes it safe on the disk, gives it its name, and closes the output; on failure the old file is
 * left.                                                                                    HOST-IO, HOST-MEMORY */
snpy_status snpy_output_finish(snpy_output *output, snpy_io_error *error);

/* Closes an output without a result: the old file is as it was. */
void snpy_output_abandon(snpy_output *output);

/* --- save.c ------------------------------------------------------------------------------------------------- */

/* As snpy_writer_open, to an output that was claimed or lent, which the writer takes over, whatever the status. */
snpy_status snpy_writer_open_claimed(snpy_writer **writer, snpy_output *output, const snpy_description *description,
                                     bool grows, snpy_io_error *error);

#endif
