/* safenpy/array.h: whole arrays: loaded, mapped, saved, written by parts, appended to. POSIX.
 *
 * Nothing here changes a byte of the data: they are in the byte order and in the order (C or Fortran) that the
 * header says; safenpy/view.h tells where each element lies. No function keeps a pointer that it was handed
 * longer than its comment says. All are thread-safe for arrays, writers and errors that no other thread uses.
 *
 * A struct that holds something, here and in the headers of archives, holds nothing while all its bytes are zero. It may
 * be released, closed or abandoned then, and twice, and after each call that failed to fill it.        HOST-MEMORY
 *
 * A write to a pipe that nobody reads raises SIGPIPE: ignore it to have SNPY_IO_ERROR instead. */
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

/* What was wrong with a file, or with the system below it. If it was with a member of an archive, `member` is its name,
 * and the offset of a rule of NPY files counts from the first byte of the member; of all other rules, from that of the
 * archive.                                                                                             NPZ-ERR-003 */
typedef struct snpy_io_error {
    snpy_error error;             /* the status, and the byte of the file (or entry of the table) at fault */
    int system_error;             /* errno of the system call that failed; 0 if none did */
    const char *call;             /* its name, "fsync": static text; NULL if none did */
    char path[SNPY_ERROR_PATH];   /* the file or directory, terminated; a longer path without its beginning */
    char member[SNPY_ERROR_PATH]; /* of an archive: likewise; empty if it is not a member's fault */
    unsigned lost;                /* flags of snpy_lost: set by calls that succeed, too */
} snpy_io_error;

/* What a file has not kept of the file that it replaced. It grants fewer rights then, never more: see snpy_save. */
enum snpy_lost {
    SNPY_LOST_OWNER = 1,      /* the owner: group, others and the ACL have at most what the old owner had */
    SNPY_LOST_GROUP = 2,      /* the group: it has no rights, and others at most those of the old group */
    SNPY_LOST_ATTRIBUTES = 4, /* extended attributes of the user's (user.*), at least one of them */
    SNPY_LOST_ALL = 8         /* another file had taken the old one's place: only its writer has access */
};

/* Writes an error as a sentence: "a.npy: write failed: No space left on device". The path's bytes are in it as
 * they are: snpy_safe_text makes them fit for a terminal.                                               HOST-IO
 *
 * out, capacity  the caller's buffer, terminated if capacity > 0; a longer text is cut
 * returns        bytes of the whole text, without its NUL */
SNPY_API size_t snpy_io_error_text(const snpy_io_error *error, char *out, size_t capacity);

/* --- arrays ------------------------------------------------------------------------------------------------ */

/* An array and the memory that holds it. Do not copy it; release it. */
typedef struct snpy_array {
    snpy_header header;
    snpy_table table;    /* the fields of a record */
    const uint8_t *text; /* a private copy of the header text, header.frame.header_len bytes: names lie in it */
    uint8_t *data;       /* the first byte of the data; NULL if there are none, or none were asked for */
    uint64_t data_size;  /* bytes at `data` */
    bool is_writable;    /* whether `data` may be written to; an access to a file mapped read-only would trap */
    bool is_shared;      /* whether what is written to `data` goes to the file */
    /* How the memory is held; for the library only. */
    uint8_t *head_;
    size_t head_size_;
    void *base_;
    size_t base_length_;
    int8_t held_;
    char *path_;
} snpy_array;

/* Gives back all memory of an array, and leaves it empty; an empty one stays so. What was written to a shared map
 * reaches the file in the system's own time: snpy_map_flush before it to be sure, and to hear of errors. A buffer
 * that the caller lent is left alone.                                                               HOST-MEMORY */
SNPY_API void snpy_array_release(snpy_array *array);

/* Describes an array for the functions that write, with its own version: its header, table and names, which the
 * description borrows until the array is released.                                                NPY-WRITE-009 */
SNPY_API void snpy_array_describe(snpy_array *array, snpy_description *description);

/**
 * Narrows a view of structured elements to the field that a path names: the names of nested fields, joined by dots, as in
 * "position.x". The dimensions of sub-arrays become the last axes, as in snpy_view_field. A title is not a name. Names
 * may contain dots: each step takes the longest name that fits.
 *
 * array    whose header the view comes from
 * path     UTF-8, terminated
 * view     of the array's elements; it stays as it was if the call fails
 * error    filled always
 * returns  SNPY_OK; SNPY_WRONG_TYPE if there is no such field, at the byte of the path where it would begin;
 *          SNPY_TOO_MANY_DIMENSIONS; SNPY_NO_MEMORY
 *
 * Thread-safe for a view that no other thread uses.                                           API-TYPE, HOST-MEMORY
 */
SNPY_API snpy_status snpy_view_path(const snpy_array *array, const char *path, snpy_view *view, snpy_io_error *error);

/* --- loading ----------------------------------------------------------------------------------------------- */

/* How to load or map. Initialise with SNPY_LOAD_OPTIONS_INIT, then change what you need. `size` lets the struct grow:
 * fields that a smaller struct lacks have their defaults; a struct that is larger than the library knows is refused with
 * SNPY_BAD_ARGUMENT. The same holds for `limits`. */
typedef struct snpy_load_options {
    uint32_t size;              /* sizeof(snpy_load_options) */
    const snpy_options *limits; /* borrowed; NULL: the defaults */
    bool no_trailing;           /* bytes after the data are an error */
    bool header_only;           /* stop before the data; the array has none */
    void *buffer;               /* where the data shall go, if not NULL: the caller's, who frees it */
    uint64_t capacity;          /* its bytes */
} snpy_load_options;

/* Default limits; trailing bytes are ignored; the data are in memory of the library's own. */
#define SNPY_LOAD_OPTIONS_INIT                                     \
    {                                                              \
        (uint32_t)sizeof(snpy_load_options), 0, false, false, 0, 0 \
    }

/* Each loads one array.                          NPY-FRAME … NPY-DATA, API-BUFFER, API-OBJECTS, HOST-IO, HOST-MEMORY
 *
 * Memory is asked for only after the size of the data was held against limits->max_data_bytes, which gives
 * SNPY_DATA_TOO_LARGE, and against that of the file; of a pipe, as its bytes arrive. At most the
 * array's own bytes are taken from a descriptor or stream (and one more with no_trailing, unless it is a file), so
 * that several arrays can follow one another. They begin where the descriptor or stream stands. Offsets of errors
 * count from there.
 *
 * how      may be NULL
 * array    filled; what it held is not released
 * error    filled always
 * returns  SNPY_OK;
 *          SNPY_OBJECT_DATA: the elements are Python objects; the array has its header and no data;
 *          SNPY_BUFFER_TOO_SMALL: the array has its header, whose data_size says what is needed, and no data;
 *          any other status: the array is empty. Those of the header and its data; SNPY_IO_ERROR;
 *          SNPY_FILE_CHANGED if a file ends before the size it had at first; SNPY_NO_MEMORY.
 * Release the array after the first three; after the others you may. */
SNPY_API snpy_status snpy_load(const char *path, const snpy_load_options *how, snpy_array *array, snpy_io_error *error);

/* The descriptor stays open. It may be non-blocking: the call waits. */
SNPY_API snpy_status snpy_load_descriptor(int descriptor, const snpy_load_options *how, snpy_array *array,
                                          snpy_io_error *error);

/* The stream stays open; it is read with fread. */
SNPY_API snpy_status snpy_load_stream(FILE *stream, const snpy_load_options *how, snpy_array *array,
                                      snpy_io_error *error);

/* From the first bytes of a memory of `length` bytes, which is copied. */
SNPY_API snpy_status snpy_load_memory(const void *bytes, size_t length, const snpy_load_options *how, snpy_array *array,
                                      snpy_io_error *error);

/* Reads bytes for snpy_load_callback: at least one from `offset` on, unless the source ends there, and at most `length`.
 *
 * context  what snpy_load_callback was given
 * out      `length` bytes
 * returns  how many bytes were read; 0 at the end of the source; a negative errno if that fails */
typedef int64_t snpy_read_callback(void *context, uint64_t offset, size_t length, void *out);

/* From a source of the caller's, as an object store or a part of another file: `size` bytes that a function reads at any
 * offset. It is called from this thread only, and not after the call returns. A header of at most 4 KiB takes one call;
 * with header_only nothing else is read. SNPY_IO_ERROR if the function fails or returns more than `length`, with
 * error->call "callback"; SNPY_FILE_CHANGED if the source ends before `size`.               HOST-IO, HOST-CHANGED */
SNPY_API snpy_status snpy_load_callback(uint64_t size, snpy_read_callback *read, void *context,
                                        const snpy_load_options *how, snpy_array *array, snpy_io_error *error);

/* --- copying ----------------------------------------------------------------------------------------------- */

/* Makes a new array of the elements of another one, in memory of its own: in C or Fortran order, and in a byte order. Its
 * header says so, and is otherwise as numpy.save would write it. Padding of records is zeros. Done at the speed of
 * memory, as by snpy_transfer; large arrays get huge pages where the system has them.
 *                                                          NPY-WRITE-009, NPY-VALUE-001, NPY-VALUE-011, HOST-MEMORY
 * array      loaded or mapped, with its data; it stays as it is
 * order      'C', 'F', or 0: as it is
 * byteorder  of all numbers in it
 * copy       filled; what it held is not released; not `array`
 * error      filled always
 * returns    SNPY_OK; SNPY_OBJECT_DATA; SNPY_BAD_ARGUMENT for no such order, or an array without its data;
 *            SNPY_TOO_MANY_FIELDS (a sub-array of very many records); what snpy_write_header returns;
 *            SNPY_NO_MEMORY; the array is empty after all but SNPY_OK */
SNPY_API snpy_status snpy_array_copy(const snpy_array *array, char order, snpy_target_order byteorder, snpy_array *copy,
                                     snpy_io_error *error);

/* --- mapping ----------------------------------------------------------------------------------------------- */

/* A mapped file is the file itself: if another program cuts it, an access after its new end kills this process
 * (SIGBUS), and if another changes it, what was checked may no longer hold. Of the header a private copy is kept;
 * the data can only be trusted as far as whoever may write to the file. Load what you do not trust. */
typedef enum snpy_map_mode {
    SNPY_MAP_READ = 1, /* NumPy's "r" */
    SNPY_MAP_COPY = 2, /* "c": changes stay in this process */
    SNPY_MAP_WRITE = 3 /* "r+": changes go to the file, whose length stays as it is */
} snpy_map_mode;

/* Maps the data of a file. The size is held against the limit and the open descriptor before it is mapped, and once more
 * against the descriptor afterwards. Empty data are not mapped.                         NPY-MAP-001 … 003, HOST-IO, HOST-CHANGED
 *
 * how      may be NULL; `buffer` and `header_only` are not looked at
 * array    as for snpy_load; `data` need not be aligned to anything
 * returns  as snpy_load: SNPY_OBJECT_DATA without data; SNPY_FILE_CHANGED if the file became shorter meanwhile;
 *          SNPY_BAD_ARGUMENT for no such mode */
SNPY_API snpy_status snpy_map(const char *path, snpy_map_mode mode, const snpy_load_options *how, snpy_array *array,
                              snpy_io_error *error);

/* Makes a file with this header and zeros for data, and maps it for writing: NumPy's "w+". The disk space is
 * reserved, so that a full disk is an error here and not a signal later.               NPY-WRITE-009, HOST-IO
 *
 * The file itself is made, not a temporary one: other processes can map it as soon as the call returns, and after
 * a crash it may be half filled. It is removed if the call fails. With SNPY_REPLACE_NOT, a file that exists
 * is an error (EEXIST). Else the new file is made beside the old one and takes its name when it has its header and
 * its space; who has mapped the old one keeps it. It has the old one's rights, as by snpy_save, and
 * SNPY_REPLACE_DROP_ACL goes without its ACL. The old one is locked meanwhile, as by snpy_save.
 *
 * description  borrowed for the call
 * returns      SNPY_OK; what snpy_write_header returns; SNPY_OBJECT_DATA; SNPY_LOCKED; SNPY_IO_ERROR; SNPY_NO_MEMORY;
 *              the array is empty after all but SNPY_OK */
typedef enum snpy_replacing { SNPY_REPLACE_NOT = 0, SNPY_REPLACE = 1, SNPY_REPLACE_DROP_ACL = 2 } snpy_replacing;
SNPY_API snpy_status snpy_map_create(const char *path, const snpy_description *description, snpy_replacing replace,
                                     snpy_array *array, snpy_io_error *error);

/* Writes what was changed in a shared map to the disk, and waits for it. Nothing to do for other arrays.
 * returns  SNPY_OK, or SNPY_IO_ERROR                                                                    HOST-IO */
SNPY_API snpy_status snpy_map_flush(const snpy_array *array, snpy_io_error *error);

/* --- saving ------------------------------------------------------------------------------------------------ */

/* Saves a whole array, with the header that numpy.save would write.                    NPY-WRITE-009, HOST-IO
 *
 * A file is replaced as a whole: a temporary file in its directory is filled, made safe on the disk (fsync), given
 * its name (rename), and the directory made safe. Whatever fails, and whenever the system stops, there is the old
 * file or the new one; only if fsync of the directory fails, the new one is in place and its name may not survive
 * a power cut. A symbolic link is followed, hard links are parted. What is no regular file, as /dev/null, is written to as it is, and so is what
 * /dev/stdout, /dev/fd/N or /proc/self/fd/N stands for. The file must be writable if it exists.
 *
 * Nobody gains access by a replacement, at no moment. The temporary file is private (mode 0600) until all is written;
 * then it gets the old one's user attributes (user.*), group, owner, and mode or POSIX ACL, without set-user-ID,
 * set-group-ID and sticky bit. Where group or owner cannot be kept, rights are taken away: error->lost says so. An ACL
 * that cannot be kept is an SNPY_IO_ERROR of fsetxattr, unless snpy_writer_forget_acl or its like goes without it: the
 * mode then grants nobody more than the ACL did. A file that replaces none has the rights of any new file.
 *
 * A call that replaces or lengthens a file holds the file's lock meanwhile; a writer holds it until it is closed. Other
 * calls of this library that change the same file wait for up to 10 seconds, then return SNPY_LOCKED: those of other
 * processes, of other threads, and a second writer of the same thread. The lock belongs to the open file description (or
 * is that of flock, where the system has no such locks). It binds only callers that ask for it, and readers do not. If
 * the name leads to another file by the time the lock is granted, the call starts again with that file. Files that do
 * not exist yet are not locked, nor are files on a file system without locks.                             HOST-LOCK
 *
 * description  borrowed for the call
 * data, size   in the order that the header says; size in bytes, exactly what the header declares
 * error        filled always
 * returns      SNPY_OK; what snpy_write_header returns; SNPY_OBJECT_DATA; SNPY_BAD_ARGUMENT if `size` is not what the
 *              header declares; SNPY_LOCKED; SNPY_IO_ERROR; SNPY_NO_MEMORY */
SNPY_API snpy_status snpy_save(const char *path, const snpy_description *description, const void *data, uint64_t size,
                               snpy_io_error *error);

/* To where the descriptor stands: a file, pipe or socket, which stays open and is not synchronised. After a failure
 * a part may have been written. A non-blocking one is waited for. */
SNPY_API snpy_status snpy_save_descriptor(int descriptor, const snpy_description *description, const void *data,
                                          uint64_t size, snpy_io_error *error);

/* To a stream, which is flushed before and after; otherwise likewise. */
SNPY_API snpy_status snpy_save_stream(FILE *stream, const snpy_description *description, const void *data,
                                      uint64_t size, snpy_io_error *error);

/* --- writing by parts -------------------------------------------------------------------------------------- */

/* An array that is being written. Opened by one of three functions, ended by snpy_writer_finish or
 * snpy_writer_abandon; after a failure of any other call only snpy_writer_abandon may follow. */
typedef struct snpy_writer snpy_writer;

/* Each opens a writer and writes the header.                                  NPY-WRITE-009, 012, HOST-IO
 *
 * grows        whether the length along the growing axis (the first in C order, the last in Fortran order) is
 *              unknown: what the description says of it is ignored, and snpy_writer_finish writes it into the
 *              header. The output must be seekable then, and the descriptor must not append (O_APPEND). If a row takes
 *              no bytes, the length stands as the description says it.
 * description  borrowed for the call
 * writer       set; NULL after a failure. What it was is not closed
 * returns      as snpy_save; SNPY_BAD_ARGUMENT for a scalar that shall grow
 *
 * To a path: all is as for snpy_save; the file takes its name in snpy_writer_finish. */
SNPY_API snpy_status snpy_writer_open(snpy_writer **writer, const char *path, const snpy_description *description,
                                      bool grows, snpy_io_error *error);

SNPY_API snpy_status snpy_writer_open_descriptor(snpy_writer **writer, int descriptor,
                                                 const snpy_description *description, bool grows, snpy_io_error *error);

SNPY_API snpy_status snpy_writer_open_stream(snpy_writer **writer, FILE *stream, const snpy_description *description,
                                             bool grows, snpy_io_error *error);

/**
 * Lets the new file go without the ACL of the file that it replaces, where that cannot be kept: see snpy_save.
 *
 * Thread-safe for a writer that no other thread uses.                                                    HOST-IO
 */
SNPY_API void snpy_writer_forget_acl(snpy_writer *writer);

/**
 * The bytes of data that were added so far.
 *
 * returns  0 for a closed writer (NULL)
 */
SNPY_API uint64_t snpy_writer_written(const snpy_writer *writer);

/* Adds data: any number of bytes, whole elements or not.
 * returns  SNPY_OK; SNPY_TRAILING_DATA if the header declares fewer, and nothing is written; SNPY_SIZE_OVERFLOW;
 *          SNPY_IO_ERROR                                                                   NPY-DATA-001, HOST-IO */
SNPY_API snpy_status snpy_writer_add(snpy_writer *writer, const void *data, uint64_t size, snpy_io_error *error);

/* Completes the header and the file, closes the writer and sets it to NULL, whatever the status; on failure the old file is left as by
 * snpy_writer_abandon.
 * returns  SNPY_OK; SNPY_BAD_ARGUMENT for a closed writer (NULL), or after a failure; SNPY_TRUNCATED_DATA if data are missing, or the last row is not whole; SNPY_HEADER_FULL;
 *          SNPY_IO_ERROR                                                                   NPY-DATA-001, HOST-IO */
SNPY_API snpy_status snpy_writer_finish(snpy_writer **writer, snpy_io_error *error);

/* Closes a writer without a result, and sets it to NULL: the temporary file is removed, the old one is as it was. What
 * went to a descriptor or stream stays there. A closed writer (NULL) stays closed.                                       HOST-IO */
SNPY_API void snpy_writer_abandon(snpy_writer **writer);

/* Removes the temporary files of this process, and cuts a file that it is appending to back to its old end: for a
 * handler of SIGINT, SIGTERM or SIGHUP that ends the process. Up to 528 temporary files at once are remembered, with
 * paths of up to 4,095 bytes, and one append. Async-signal-safe.                                        HOST-IO */
SNPY_API void snpy_remove_temporaries(void);

/* --- appending --------------------------------------------------------------------------------------------- */

/* How to append. Initialise with SNPY_APPEND_OPTIONS_INIT, then change what you need. `size` lets the struct grow, as in
 * snpy_load_options. */
typedef struct snpy_append_options {
    uint32_t size;              /* sizeof(snpy_append_options) */
    const snpy_options *limits; /* borrowed; NULL: the defaults */
    bool drop_trailing;         /* bytes after the data are overwritten: what an append that was killed leaves */
    int32_t lock_timeout_ms;    /* how long to wait for the file's lock: 0, for 10 seconds; below 0, not at all */
} snpy_append_options;

/* Default limits; trailing bytes are an error; waits up to 10 seconds for the lock. */
#define SNPY_APPEND_OPTIONS_INIT                           \
    {                                                      \
        (uint32_t)sizeof(snpy_append_options), 0, false, 0 \
    }

/* Lengthens the array of a file in place, along its first axis (C order) or its last (Fortran order).
 *                                                            NPY-WRITE-012, HOST-GROWTH, HOST-MATCH, HOST-IO
 * First the data are written after the old ones and made safe on the disk, then the bytes of the header that
 * differ are written, at once, and made safe. So whenever the system stops there is the old array or the new one,
 * the old one perhaps with bytes after it. After a failure the file is as it was, as far as the system lets us.
 * The file is locked meanwhile: others that append to it or replace it, processes and threads, take turns (snpy_save
 * says more).
 *
 * description  of what is appended: dtype, order, and a shape that differs from the file's along the growing axis
 *              at most; borrowed for the call
 * data, size   in bytes, exactly what the description says
 * how          may be NULL
 * error        filled always
 * returns      SNPY_OK; what snpy_load and snpy_write_header return; SNPY_TRAILING_DATA; SNPY_OBJECT_DATA;
 *              SNPY_NOT_ALIKE (another dtype or shape, or an array without axes); SNPY_HEADER_FULL: save the
 *              array once more instead; SNPY_LOCKED; SNPY_BAD_ARGUMENT if `size` is not what the description says */
SNPY_API snpy_status snpy_append(const char *path, const snpy_description *description, const void *data, uint64_t size,
                                 const snpy_append_options *how, snpy_io_error *error);

/* An append by parts, in bounded memory: opened, then for each array that shall follow announced and added, then
 * finished or abandoned. All of it takes effect at once, in snpy_appender_finish. */
typedef struct snpy_appender snpy_appender;

/* Opens a file that an array shall grow in, locks it until the appender is closed, and reads its header.
 *                                                                                    HOST-LOCK, HOST-IO, HOST-MEMORY
 * appender  set; NULL after a failure. What it was is not closed
 * returns   SNPY_OK; as snpy_append; SNPY_NOT_ALIKE for an array without axes */
SNPY_API snpy_status snpy_appender_open(snpy_appender **appender, const char *path, const snpy_append_options *how,
                                        snpy_io_error *error);

/* Says which array follows; its data are then added. The file's header is not changed yet.  HOST-MATCH, HOST-GROWTH
 * returns  SNPY_OK; as snpy_append. After a refusal the appender is as it was. */
SNPY_API snpy_status snpy_appender_announce(snpy_appender *appender, const snpy_description *description,
                                            snpy_io_error *error);

/* Adds data: any number of bytes, whole elements or not; at most what was announced (SNPY_TRAILING_DATA). After any
 * other failure only snpy_appender_abandon may follow.                                                   HOST-IO */
SNPY_API snpy_status snpy_appender_add(snpy_appender *appender, const void *data, uint64_t size, snpy_io_error *error);

/* Makes the data safe on the disk, writes the header, makes it safe, closes the appender and sets it to NULL, whatever the
 * status. After a failure the file is as it was, as far as the system lets us.
 * returns  SNPY_OK; SNPY_TRUNCATED_DATA if less was added than announced; SNPY_IO_ERROR, with EINTR if
 *          snpy_remove_temporaries has cut the file                                        NPY-WRITE-012, HOST-IO */
SNPY_API snpy_status snpy_appender_finish(snpy_appender **appender, snpy_io_error *error);

/**
 * The array of the file as it was when the appender was opened: its header, names and fields, and no data.
 *
 * returns  borrowed until the appender is finished or abandoned; NULL for a closed one
 *
 * Thread-safe for an appender that no other thread uses.                                               HOST-MATCH
 */
SNPY_API snpy_array *snpy_appender_array(snpy_appender *appender);

/**
 * The descriptor of the file that grows, to compare it with another one; it stays the appender's.
 *
 * returns  -1 for a closed appender
 */
SNPY_API int snpy_appender_descriptor(const snpy_appender *appender);

/* Closes an appender without a result, and sets it to NULL: the file is cut back to what it was. A closed one (NULL) stays
 * closed.   HOST-IO */
SNPY_API void snpy_appender_abandon(snpy_appender **appender);

#ifdef __cplusplus
}
#endif

#endif
