/* safenpy/array.h: loads, maps, saves and copies whole arrays, writes them by parts, appends to them. POSIX.
 *                                                                                                           HOST-MEMORY
 *
 * Loading, mapping, saving and appending change no byte of the data: these keep the byte order and the order (C or
 * Fortran) that the header declares; safenpy/view.h tells where each element is. No function keeps a pointer that it
 * was given longer than its comment says. All are thread-safe for arrays, writers and errors that no other thread uses.
 *
 * A struct that holds memory or a file, here and in the headers of archives, holds nothing while all its bytes are
 * zero. Then, and after each call that failed to fill it, it may be released, closed or abandoned, also twice.
 *
 * A write to a pipe whose reader has gone raises SIGPIPE. Ignore that signal to get SNPY_IO_ERROR instead. */
#ifndef SAFENPY_ARRAY_H
#define SAFENPY_ARRAY_H

#include <stdio.h>

#include "safenpy/copy.h"
#include "safenpy/header.h"
#include "safenpy/view.h"
#include "safenpy/write.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- errors ------------------------------------------------------------------------------------------------ */

#define SNPY_ERROR_PATH 256u

/* What was wrong with a file, or with the system. If a member of an archive is at fault, `member` is its name, and
 * offsets of rules of NPY files count from the first byte of the member; those of all other rules count from the first
 * byte of the archive.                                                                                   NPZ-ERR-003 */
typedef struct snpy_io_error {
    snpy_error error;             /* the status, and the byte of the file (or the entry of the table) at fault */
    int system_error;             /* errno of the system call that failed; 0: none did */
    const char *call;             /* the name of that call, such as "fsync": static text; NULL: none */
    char path[SNPY_ERROR_PATH];   /* the file or directory, terminated; a longer path loses its beginning */
    char member[SNPY_ERROR_PATH]; /* the member, in the same way; empty if no member is at fault */
    unsigned lost;                /* flags of snpy_lost; calls that succeed set them, too */
} snpy_io_error;

/* What a new file could not keep of the file that it replaced. It grants fewer rights then, never more: see
 * snpy_save. */
typedef enum snpy_lost {
    SNPY_LOST_OWNER = 1, /* the owner: group, others and the ACL have at most the old owner's rights */
    SNPY_LOST_GROUP = 2, /* the group: the new group has no rights, and others have at most those of the old group */
    SNPY_LOST_ATTRIBUTES = 4, /* at least one extended attribute of the user's (user.*) */
    SNPY_LOST_ALL = 8         /* another file had replaced the old one: only the writer of the new file has access */
} snpy_lost;

/* Writes an error as a sentence: "a.npy: write failed: No space left on device". The path is in it unchanged: use
 * snpy_safe_text before a terminal shows it.                                                                    HOST-IO
 *
 * out, capacity  the caller's buffer, terminated if capacity > 0; a longer text is cut
 * returns        bytes of the whole text, without its NUL */
SNPY_API size_t snpy_io_error_text(const snpy_io_error *error, char *out, size_t capacity);

/* --- arrays ------------------------------------------------------------------------------------------------ */

/* An array and the memory that holds it. Do not copy it; release it. */
typedef struct snpy_array {
    snpy_header header;
    snpy_table table;    /* the fields of a structured dtype */
    const uint8_t *text; /* a private copy of the header text, header.frame.header_len bytes; has the names */
    uint8_t *data;       /* the first byte of the data; NULL if there are none, or none were loaded */
    uint64_t data_size;  /* bytes at `data` */
    bool is_writable;    /* whether `data` may be written to; to write to a file mapped read-only would crash */
    bool is_shared;      /* whether writes to `data` go to the file */
    /* For the library only: how the memory is held. */
    uint8_t *head_;
    size_t head_size_;
    void *base_;
    size_t base_length_;
    int8_t held_;
    char *path_;
} snpy_array;

/* Frees all memory of an array and leaves it empty; does nothing to an empty one. Changes of a shared map reach the
 * file at a time that the system chooses; call snpy_map_flush before to be sure, and to get errors. A buffer that the
 * caller lent is not freed.                                                                              HOST-MEMORY */
SNPY_API void snpy_array_release(snpy_array *array);

/* Fills a description of an array for the functions that write: its header, table, names and version. The description
 * borrows them until the array is released.                                                            NPY-WRITE-009 */
SNPY_API void snpy_array_describe(snpy_array *array, snpy_description *description);

/**
 * Narrows a view of structured elements to the field that a path names: the names of nested fields, joined by dots, as
 * in "position.x". The dimensions of sub-arrays become the last axes, as in snpy_view_field. Titles are not names here.
 * Names may contain dots: each step takes the longest name that matches.
 *
 * array    whose header the view comes from
 * path     UTF-8, terminated
 * view     of the array's elements; unchanged if the call fails
 * error    filled always
 * returns  SNPY_OK; SNPY_WRONG_TYPE if there is no such field, at the byte of the path where its name would begin;
 *          SNPY_TOO_MANY_DIMENSIONS; SNPY_NO_MEMORY
 *
 * Thread-safe for a view that no other thread uses.                                               API-TYPE, HOST-MEMORY
 */
SNPY_API snpy_status snpy_view_path(const snpy_array *array, const char *path, snpy_view *view, snpy_io_error *error);

/* --- loading ----------------------------------------------------------------------------------------------- */

/* How to load or map. Initialise with SNPY_LOAD_OPTIONS_INIT, then change what you need. `size` lets the struct grow:
 * the functions of this header also accept a smaller, older struct, and the fields it lacks have their defaults. They
 * refuse a larger one with SNPY_BAD_ARGUMENT. The same holds for `limits`. */
typedef struct snpy_load_options {
    uint32_t size;              /* sizeof(snpy_load_options) */
    const snpy_options *limits; /* borrowed; NULL: the defaults */
    bool no_trailing;           /* bytes after the data are an error */
    bool header_only;           /* do not read the data; the array has none */
    void *buffer;               /* buffer of the caller's for the data, which the caller frees; NULL: allocate one */
    uint64_t capacity;          /* bytes of `buffer` */
} snpy_load_options;

/* Default limits; trailing bytes are ignored; the library allocates memory for the data. */
#define SNPY_LOAD_OPTIONS_INIT                                     \
    {                                                              \
        (uint32_t)sizeof(snpy_load_options), 0, false, false, 0, 0 \
    }

/* Each loads one array.                             NPY-FRAME … NPY-DATA, API-BUFFER, API-OBJECTS, HOST-IO, HOST-MEMORY
 *
 * Memory is allocated only after the size of the data has been compared with limits->max_data_bytes
 * (SNPY_DATA_TOO_LARGE) and with the size of the file; for a pipe, as its bytes arrive. A descriptor or stream is read
 * from its position on, and offsets of errors count from there. At most the array's own bytes are read (one more with
 * no_trailing, unless it is a file), so that several arrays can follow one another.
 *
 * how      may be NULL
 * array    filled; the old one is not released
 * error    filled always
 * returns  SNPY_OK;
 *          SNPY_OBJECT_DATA: the elements are Python objects; the array has its header and no data;
 *          SNPY_BUFFER_TOO_SMALL: the array has its header, whose data_size says what is needed, and no data;
 *          any other status: the array is empty. These are the statuses of the header and its data; SNPY_IO_ERROR;
 *          SNPY_FILE_CHANGED if a file ends before the size it had at first; SNPY_NO_MEMORY
 *
 * Release the array after the first three; after the others you may.
 *
 * snpy_load loads the array in the file at a path. */
SNPY_API snpy_status snpy_load(const char *path, const snpy_load_options *how, snpy_array *array, snpy_io_error *error);

/* Loads an array from a descriptor, which stays open. If it is non-blocking, the call waits for bytes. */
SNPY_API snpy_status snpy_load_descriptor(int descriptor, const snpy_load_options *how, snpy_array *array,
                                          snpy_io_error *error);

/* Loads an array from a stream, by fread. The stream stays open. */
SNPY_API snpy_status snpy_load_stream(FILE *stream, const snpy_load_options *how, snpy_array *array,
                                      snpy_io_error *error);

/* Loads an array from the first bytes of `length` bytes in memory, which are copied. */
SNPY_API snpy_status snpy_load_memory(const void *bytes, size_t length, const snpy_load_options *how, snpy_array *array,
                                      snpy_io_error *error);

/* Reads bytes for snpy_load_callback from `offset` on: at least one, unless the source ends there, and at most
 * `length`.
 *
 * context  what snpy_load_callback was given
 * out      buffer of `length` bytes
 * returns  how many bytes were read; 0 at the end of the source; a negative errno if that fails */
typedef int64_t snpy_read_callback(void *context, uint64_t offset, size_t length, void *out);

/* Loads an array from a source of the caller's, such as an object store or a part of another file: `size` bytes that a
 * function reads at any offset. The function is called from this thread only, and not after the call returns. A header
 * of at most 4 KiB takes one call of it; with header_only nothing else is read. SNPY_IO_ERROR, with error->call
 * "callback", if the function fails or returns more than `length`; SNPY_FILE_CHANGED if the source ends before `size`.
 *                                                                                              HOST-IO, HOST-CHANGED */
SNPY_API snpy_status snpy_load_callback(uint64_t size, snpy_read_callback *read, void *context,
                                        const snpy_load_options *how, snpy_array *array, snpy_io_error *error);

/* --- copying ----------------------------------------------------------------------------------------------- */

/* Copies the elements of an array to a new one in memory, in C or Fortran order and in a byte order. The new header
 * says so, and is otherwise the one that numpy.save would write. The padding of structured elements is set to zeros.
 * The copy runs at the speed of memory, as snpy_copy_fast; large arrays get huge pages if the system has them.
 *                                                              NPY-WRITE-009, NPY-VALUE-001, NPY-VALUE-011, HOST-MEMORY
 *
 * array      loaded or mapped, with its data; not changed
 * order      'C', 'F', or 0 to keep it
 * byteorder  for all numbers
 * copy       filled; the old one is not released; not `array`
 * error      filled always
 * returns    SNPY_OK; SNPY_OBJECT_DATA; SNPY_BAD_ARGUMENT for another order, or an array without its data;
 *            SNPY_TOO_MANY_FIELDS (a sub-array of very many records); what snpy_write_header returns; SNPY_NO_MEMORY;
 *            the new array is empty after all but SNPY_OK */
SNPY_API snpy_status snpy_array_copy(const snpy_array *array, char order, snpy_byteorder byteorder, snpy_array *copy,
                                     snpy_io_error *error);

/* --- mapping ----------------------------------------------------------------------------------------------- */

/* How a file is mapped. The map is the file itself: if another program truncates the file, an access after its new end
 * kills this process (SIGBUS); if another program changes it, what was checked may no longer hold. The header is a
 * private copy, but the data can only be trusted as far as everyone who may write to the file. Load files that you do
 * not trust. */
typedef enum snpy_map_mode {
    SNPY_MAP_READ = 1, /* NumPy's "r": read only */
    SNPY_MAP_COPY = 2, /* NumPy's "c": changes stay in this process */
    SNPY_MAP_WRITE = 3 /* NumPy's "r+": changes go to the file, whose length stays as it is */
} snpy_map_mode;

/* Maps the data of a file. Their size is compared with the limit and with the size of the open file before they are
 * mapped, and with the latter once more afterwards. Empty data are not mapped.
 *                                                                              NPY-MAP-001 … 003, HOST-IO, HOST-CHANGED
 *
 * how      may be NULL; `buffer` and `header_only` are ignored
 * array    as for snpy_load; `data` may begin at any address
 * returns  as snpy_load: SNPY_OBJECT_DATA without data; SNPY_FILE_CHANGED if the file became shorter meanwhile;
 *          SNPY_BAD_ARGUMENT for another mode */
SNPY_API snpy_status snpy_map(const char *path, snpy_map_mode mode, const snpy_load_options *how, snpy_array *array,
                              snpy_io_error *error);

/* What snpy_map_create does if the file exists: fail, replace it, or replace it without its ACL. */
typedef enum snpy_replacing { SNPY_REPLACE_NOT = 0, SNPY_REPLACE = 1, SNPY_REPLACE_DROP_ACL = 2 } snpy_replacing;

/* Creates a file with this header and zeros for data, and maps it for writing: NumPy's "w+". Disk space is reserved, so
 * that a full disk is an error of this call, not a signal later.                                 NPY-WRITE-009, HOST-IO
 *
 * With SNPY_REPLACE_NOT the file itself is created, not a temporary one: other processes can map it as soon as the call
 * returns, and after a crash it may be partly filled. It is an error (EEXIST) if the file exists. The file is removed
 * if the call fails.
 *
 * Otherwise the new file is created beside the old one and takes its name once it has its header and its space.
 * Processes that have mapped the old one keep that. The new file gets the old one's rights, as by snpy_save;
 * SNPY_REPLACE_DROP_ACL does not keep its ACL. The old file is locked meanwhile, as by snpy_save.
 *
 * description  borrowed for the call
 * returns      SNPY_OK; what snpy_write_header returns; SNPY_OBJECT_DATA; SNPY_LOCKED; SNPY_IO_ERROR; SNPY_NO_MEMORY;
 *              the array is empty after all but SNPY_OK */
SNPY_API snpy_status snpy_map_create(const char *path, const snpy_description *description, snpy_replacing replace,
                                     snpy_array *array, snpy_io_error *error);

/* Writes the changes of a shared map to the disk, and waits for that. Does nothing for other arrays.            HOST-IO
 *
 * returns  SNPY_OK, or SNPY_IO_ERROR */
SNPY_API snpy_status snpy_map_flush(const snpy_array *array, snpy_io_error *error);

/* --- saving ------------------------------------------------------------------------------------------------ */

/* Saves a whole array, with the header that numpy.save would write.                              NPY-WRITE-009, HOST-IO
 *
 * A file is replaced as a whole: a temporary file in its directory is filled and synced to the disk (fsync), renamed to
 * the file, and the directory is synced. Whatever fails, and whenever the system stops, the old file or the new one is
 * there; only if fsync of the directory fails, the new one is in place and its name may not survive a power failure. A
 * symbolic link is followed; hard links are separated. Anything but a regular file, such as /dev/null, is written to
 * directly, and so is whatever /dev/stdout, /dev/fd/N or /proc/self/fd/N refers to. The file must be writable if it
 * exists.
 *
 * The new file never grants more rights than the old one, not even for a moment. The temporary file is private (mode
 * 0600) until all is written; then it gets the old one's user attributes (user.*), group, owner, and mode or POSIX ACL,
 * without set-user-ID, set-group-ID and sticky bit. If group or owner cannot be kept, rights are removed, and
 * error->lost says so. If the ACL cannot be kept, the call fails with an SNPY_IO_ERROR of fsetxattr, unless the caller
 * allows to drop it (snpy_writer_forget_acl and similar); then the mode grants nobody more than the ACL did. A file
 * that replaces no other has the rights of any new file.
 *
 * A call that replaces or appends to a file locks it meanwhile; a writer locks it until it is closed. Other calls of
 * this library that change the same file, in other processes, other threads or by a second writer of the same thread,
 * wait for up to 10 seconds, then return SNPY_LOCKED. The lock belongs to the open file description (or is that of
 * flock, if the system has no such locks). It affects only callers that ask for it; readers do not. If the name leads
 * to another file when the lock is granted, the call starts again with that file. Files that do not exist yet are not
 * locked, nor are files on a file system without locks (HOST-LOCK).
 *
 * description  borrowed for the call
 * data, size   in the order that the header says; size in bytes, exactly what the header declares
 * error        filled always
 * returns      SNPY_OK; what snpy_write_header returns; SNPY_OBJECT_DATA; SNPY_BAD_ARGUMENT if `size` is not what the
 *              header declares; SNPY_LOCKED; SNPY_IO_ERROR; SNPY_NO_MEMORY */
SNPY_API snpy_status snpy_save(const char *path, const snpy_description *description, const void *data, uint64_t size,
                               snpy_io_error *error);

/* Saves an array from a descriptor's position on: to a file, pipe or socket, which stays open and is not synced to the
 * disk. After a failure a part may have been written. If the descriptor is non-blocking, the call waits for it. */
SNPY_API snpy_status snpy_save_descriptor(int descriptor, const snpy_description *description, const void *data,
                                          uint64_t size, snpy_io_error *error);

/* Saves an array to a stream, which is flushed before and after; otherwise as snpy_save_descriptor. */
SNPY_API snpy_status snpy_save_stream(FILE *stream, const snpy_description *description, const void *data,
                                      uint64_t size, snpy_io_error *error);

/* --- writing by parts -------------------------------------------------------------------------------------- */

/* An array that is being written. Open it with one of the three functions below, and end it with snpy_writer_finish or
 * snpy_writer_abandon. After a failure of any other call only snpy_writer_abandon may follow. */
typedef struct snpy_writer snpy_writer;

/* Each opens a writer and writes the header.                                                NPY-WRITE-009, 012, HOST-IO
 *
 * grows        whether the length along the growing axis (the first in C order, the last in Fortran order) is unknown:
 *              the length in the description is ignored, and snpy_writer_finish writes the final one into the header.
 *              Then the output must be seekable, and the descriptor must not have O_APPEND. If a row has no bytes, the
 *              length of the description is final.
 * description  borrowed for the call
 * writer       set; NULL after a failure. The old value is not closed
 * returns      as snpy_save; SNPY_BAD_ARGUMENT for a scalar with `grows`
 *
 * snpy_writer_open writes to a path, as snpy_save does; the file gets its name in snpy_writer_finish. */
SNPY_API snpy_status snpy_writer_open(snpy_writer **writer, const char *path, const snpy_description *description,
                                      bool grows, snpy_io_error *error);

SNPY_API snpy_status snpy_writer_open_descriptor(snpy_writer **writer, int descriptor,
                                                 const snpy_description *description, bool grows, snpy_io_error *error);

SNPY_API snpy_status snpy_writer_open_stream(snpy_writer **writer, FILE *stream, const snpy_description *description,
                                             bool grows, snpy_io_error *error);

/**
 * Allows the new file to drop the ACL of the file that it replaces, if it cannot be kept: see snpy_save.
 *
 * Thread-safe for a writer that no other thread uses.                                                           HOST-IO
 */
SNPY_API void snpy_writer_forget_acl(snpy_writer *writer);

/**
 * Returns the bytes of data added so far.
 *
 * returns  0 for a closed writer (NULL)
 */
SNPY_API uint64_t snpy_writer_written(const snpy_writer *writer);

/* Adds data: any number of bytes, whole elements or not.                                          NPY-DATA-001, HOST-IO
 *
 * returns  SNPY_OK; SNPY_TRAILING_DATA if the header declares fewer bytes, and nothing is written; SNPY_SIZE_OVERFLOW;
 *          SNPY_IO_ERROR */
SNPY_API snpy_status snpy_writer_add(snpy_writer *writer, const void *data, uint64_t size, snpy_io_error *error);

/* Completes the header and the file, closes the writer and sets it to NULL, whatever the status. After a failure the
 * old file is as it was, as after snpy_writer_abandon.                                            NPY-DATA-001, HOST-IO
 *
 * returns  SNPY_OK; SNPY_BAD_ARGUMENT for a closed writer (NULL), or after a failure; SNPY_TRUNCATED_DATA if data are
 *          missing, or the last row is incomplete; SNPY_HEADER_FULL; SNPY_IO_ERROR */
SNPY_API snpy_status snpy_writer_finish(snpy_writer **writer, snpy_io_error *error);

/* Closes a writer without a result, and sets it to NULL: the temporary file is removed, and the old file is as it was.
 * What went to a descriptor or stream stays there. Does nothing if the writer is NULL.                       HOST-IO */
SNPY_API void snpy_writer_abandon(snpy_writer **writer);

/* Removes the temporary files of this process, and truncates a file that it is appending to to its old length. For a
 * handler of SIGINT, SIGTERM or SIGHUP that ends the process. Up to 528 temporary files with paths of up to 4,095
 * bytes, and one append, are remembered at a time. Async-signal-safe.                                        HOST-IO */
SNPY_API void snpy_remove_temporaries(void);

/* --- appending --------------------------------------------------------------------------------------------- */

/* How to append. Initialise with SNPY_APPEND_OPTIONS_INIT, then change what you need. `size` lets the struct grow, as
 * in snpy_load_options. */
typedef struct snpy_append_options {
    uint32_t size;              /* sizeof(snpy_append_options) */
    const snpy_options *limits; /* borrowed; NULL: the defaults */
    bool drop_trailing;         /* overwrite bytes after the data, which an append that was killed leaves */
    int32_t lock_timeout_ms;    /* milliseconds to wait for the file's lock; 0: 10,000; negative: none */
} snpy_append_options;

/* Default limits; trailing bytes are an error; the call waits up to 10 seconds for the lock. */
#define SNPY_APPEND_OPTIONS_INIT                           \
    {                                                      \
        (uint32_t)sizeof(snpy_append_options), 0, false, 0 \
    }

/* Appends to the array of a file in place, along its first axis (C order) or its last (Fortran order).
 *                                                                       NPY-WRITE-012, HOST-GROWTH, HOST-MATCH, HOST-IO
 *
 * First the data are written after the old ones and synced to the disk, then the bytes of the header that differ are
 * written with one call, and synced. So whenever the system stops, the file has the old array or the new one, the old
 * one perhaps with bytes after it. After a failure the file is as it was, as far as the system allows. The file is
 * locked meanwhile: other processes and threads that append to it or replace it wait (see snpy_save).
 *
 * description  of what is appended: dtype, order, and a shape that may differ from the file's only along the growing
 *              axis; borrowed for the call
 * data, size   in bytes, exactly what the description declares
 * how          may be NULL
 * error        filled always
 * returns      SNPY_OK; what snpy_load and snpy_write_header return; SNPY_TRAILING_DATA; SNPY_OBJECT_DATA;
 *              SNPY_NOT_ALIKE (another dtype or shape, or an array without axes); SNPY_HEADER_FULL: save the whole
 *              array again instead; SNPY_LOCKED; SNPY_BAD_ARGUMENT if `size` is not what the description declares */
SNPY_API snpy_status snpy_append(const char *path, const snpy_description *description, const void *data, uint64_t size,
                                 const snpy_append_options *how, snpy_io_error *error);

/* An append by parts, in bounded memory: open it; announce and add each array; then finish or abandon it. All of it
 * takes effect at once, in snpy_appender_finish. */
typedef struct snpy_appender snpy_appender;

/* Opens a file to append to its array, locks it until the appender is closed, and reads its header.
 *                                                                                       HOST-LOCK, HOST-IO, HOST-MEMORY
 *
 * appender  set; NULL after a failure. The old value is not closed
 * returns   SNPY_OK; as snpy_append; SNPY_NOT_ALIKE for an array without axes */
SNPY_API snpy_status snpy_appender_open(snpy_appender **appender, const char *path, const snpy_append_options *how,
                                        snpy_io_error *error);

/* Announces the array whose data are added next. The file's header is not changed yet.          HOST-MATCH, HOST-GROWTH
 *
 * returns  SNPY_OK; as snpy_append. After a refusal the appender is as it was */
SNPY_API snpy_status snpy_appender_announce(snpy_appender *appender, const snpy_description *description,
                                            snpy_io_error *error);

/* Adds data: any number of bytes, whole elements or not, at most what was announced (SNPY_TRAILING_DATA). After any
 * other failure only snpy_appender_abandon may follow.                                                       HOST-IO */
SNPY_API snpy_status snpy_appender_add(snpy_appender *appender, const void *data, uint64_t size, snpy_io_error *error);

/* Syncs the data to the disk, writes the header, syncs it, closes the appender and sets it to NULL, whatever the
 * status. After a failure the file is as it was, as far as the system allows.                    NPY-WRITE-012, HOST-IO
 *
 * returns  SNPY_OK; SNPY_TRUNCATED_DATA if less was added than announced; SNPY_IO_ERROR, with EINTR if
 *          snpy_remove_temporaries has truncated the file */
SNPY_API snpy_status snpy_appender_finish(snpy_appender **appender, snpy_io_error *error);

/**
 * Returns the array of the file as it was when the appender was opened: its header, names and fields, and no data.
 *
 * returns  borrowed until the appender is finished or abandoned; NULL for a closed one
 *
 * Thread-safe for an appender that no other thread uses.                                                     HOST-MATCH
 */
SNPY_API snpy_array *snpy_appender_array(snpy_appender *appender);

/**
 * Returns the descriptor of the file, to compare it with another one. The appender keeps it.
 *
 * returns  -1 for a closed appender
 */
SNPY_API int snpy_appender_descriptor(const snpy_appender *appender);

/* Closes an appender without a result, and sets it to NULL: the file is truncated to its old length. Does nothing if
 * the appender is NULL.                                                                                      HOST-IO */
SNPY_API void snpy_appender_abandon(snpy_appender **appender);

#ifdef __cplusplus
}
#endif

#endif
