/* safenpy/archive_write.h: archives of arrays (NPZ) written: to files, as a whole or not at all, and to pipes. POSIX,
 * zlib, libdeflate.
 *
 * What is written depends on the members, their order and the options alone: no clock, user or machine is in it, and
 * the number of threads makes no difference. np.load of all versions reads it. Each function is thread-safe for a
 * writer that no other thread uses.
 *
 * A library that was built without zlib or libdeflate has none of these functions (spec/npz.md, "Writing"). */
#ifndef SAFENPY_ARCHIVE_WRITE_H
#define SAFENPY_ARCHIVE_WRITE_H

#include "safenpy/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How to write. Initialise with SNPY_ARCHIVE_WRITE_OPTIONS_INIT, then change what you need. `size` lets the struct grow:
 * fields that a smaller struct has not are their defaults; one that is larger than the library knows is refused with
 * SNPY_BAD_ARGUMENT. */
typedef struct snpy_archive_write_options {
    uint32_t size;  /* sizeof(snpy_archive_write_options) */
    uint32_t level; /* 0: stored, so that readers can map the arrays; 1 … 9: deflated, numpy.savez_compressed has 6 */
    uint32_t threads;        /* that deflate, the caller's one of them; at least 1 */
    bool drop_acl;           /* go without the ACL of the file that is replaced: see snpy_save */
    int32_t lock_timeout_ms; /* how long to wait for the lock of the old file: 0, for 10 seconds; below 0, not at all */
    bool any_keys;           /* accept keys that hide one another, as the members a.npy and a.npy.npy do */
} snpy_archive_write_options;

#define SNPY_ARCHIVE_WRITE_OPTIONS_INIT                                        \
    {                                                                          \
        (uint32_t)sizeof(snpy_archive_write_options), 0u, 1u, false, 0, false, \
    }

/* An archive that is being written. Opened by one of two functions, ended by snpy_archive_writer_finish or
 * snpy_archive_writer_abandon. After a failure, other than a refusal by snpy_archive_writer_add or one of the begin
 * functions, only snpy_archive_writer_abandon may follow. */
typedef struct snpy_archive_writer snpy_archive_writer;

/* --- opening and ending ------------------------------------------------------------------------------------ */

/* Each opens a writer.                                                                        HOST-IO, HOST-MEMORY
 *
 * options  may be NULL
 * writer   set; NULL after a failure. What it was is not closed
 * error    filled always, by all functions
 * returns  SNPY_OK; SNPY_LOCKED; SNPY_IO_ERROR; SNPY_NO_MEMORY; SNPY_BAD_ARGUMENT for options that were not initialised,
 *          or a level above 9, or no threads
 *
 * To a path: as snpy_save; the file takes its name in snpy_archive_writer_finish.                     NPZ-WRITE-010 */
SNPY_API snpy_status snpy_archive_writer_open(snpy_archive_writer **writer, const char *path,
                                              const snpy_archive_write_options *options, snpy_io_error *error);

/* To where a descriptor stands: a file, pipe or socket, which stays open and is not synchronised. After a failure a part
 * may have been written. To what is no regular file, or appends (O_APPEND), members whose numbers are not known ahead get
 * descriptors.                                                                                        NPZ-WRITE-007 */
SNPY_API snpy_status snpy_archive_writer_open_descriptor(snpy_archive_writer **writer, int descriptor,
                                                         const snpy_archive_write_options *options,
                                                         snpy_io_error *error);

/* Writes the directory, completes the file, closes the writer and sets it to NULL, whatever the status; on failure the old file is left as by
 * snpy_archive_writer_abandon.
 * returns  SNPY_OK; SNPY_BAD_ARGUMENT if a member was begun and not ended; SNPY_IO_ERROR; SNPY_NO_MEMORY
 *                                                                                   NPZ-WRITE-003, 004, 006, 010 */
SNPY_API snpy_status snpy_archive_writer_finish(snpy_archive_writer **writer, snpy_io_error *error);

/* Closes a writer without a result, and sets it to NULL: the temporary file is removed, the old one is as it was. What went to a descriptor
 * stays there. A closed writer (NULL) stays closed.                                                            HOST-IO */
SNPY_API void snpy_archive_writer_abandon(snpy_archive_writer **writer);

/* --- members ----------------------------------------------------------------------------------------------- */

/**
 * Changes the level at which the members that begin afterwards are deflated.
 *
 * level    0: stored; 1 to 9: deflated, if the writer was opened with a level above 0
 * error    filled always
 * returns  SNPY_OK; SNPY_BAD_ARGUMENT for another level, an open member, or a writer that was opened to store
 *
 * Thread-safe for a writer that no other thread uses.                                              NPZ-WRITE-008
 */
SNPY_API snpy_status snpy_archive_writer_set_level(snpy_archive_writer *writer, uint32_t level, snpy_io_error *error);

/** A member that was written. */
typedef struct snpy_written_member {
    const uint8_t *name; /* UTF-8, not terminated; borrowed until the next member begins or the writer ends */
    size_t name_length;  /* bytes */
    bool is_deflated;
    uint64_t size;            /* bytes that it holds */
    uint64_t compressed_size; /* bytes of its data in the archive */
    uint64_t data_offset;     /* of its data, from the archive's first byte */
    uint32_t crc;             /* CRC-32 of what it holds */
} snpy_written_member;

/**
 * Describes a member that was written, and waits until its numbers are known.
 *
 * index    in the order of writing, from 0
 * member   filled
 * error    filled always
 * returns  SNPY_OK; SNPY_BAD_ARGUMENT for no such index, or an open member; SNPY_IO_ERROR; SNPY_NO_MEMORY: then only
 *          snpy_archive_writer_abandon may follow
 *
 * Thread-safe for a writer that no other thread uses.                                              NPZ-WRITE-003
 */
SNPY_API snpy_status snpy_archive_writer_member(snpy_archive_writer *writer, size_t index, snpy_written_member *member,
                                                snpy_io_error *error);

/** The number of members that were written. Thread-safe for a writer that no other thread uses. */
SNPY_API size_t snpy_archive_writer_count(const snpy_archive_writer *writer);

/* A size that says: not known yet. */
#define SNPY_SIZE_UNKNOWN UINT64_MAX

/* Adds a whole array, with the header that numpy.save would write.            NPZ-WRITE-001, 002, 005, 008, 009
 *
 * key          UTF-8; the member's name is the key and ".npy"
 * description  borrowed for the call
 * data, size   as for snpy_save
 * returns      SNPY_OK; SNPY_ZIP_WRITE_KEY or SNPY_ZIP_WRITE_DUPLICATE at the number of the member, what
 *              snpy_write_header returns, SNPY_OBJECT_DATA, SNPY_TRUNCATED_DATA, SNPY_TRAILING_DATA: refused, and the
 *              writer is as it was; SNPY_IO_ERROR; SNPY_NO_MEMORY */
SNPY_API snpy_status snpy_archive_writer_add(snpy_archive_writer *writer, const char *key,
                                             const snpy_description *description, const void *data, uint64_t size,
                                             snpy_io_error *error);

/* Begins an array whose data are then put; its header is written.                  as snpy_archive_writer_add */
SNPY_API snpy_status snpy_archive_writer_begin(snpy_archive_writer *writer, const char *key,
                                               const snpy_description *description, snpy_io_error *error);

/* Begins a member of any bytes, which are then put: an NPY file as it is, or no NPY file at all.
 *
 * name     UTF-8; the whole of it: that of an array ends in ".npy". Not empty; one that ends in "/" is a directory,
 *          whose size is 0
 * size     of the member, or SNPY_SIZE_UNKNOWN
 * returns  SNPY_OK; SNPY_ZIP_WRITE_KEY, SNPY_ZIP_WRITE_DUPLICATE; SNPY_IO_ERROR; SNPY_NO_MEMORY */
SNPY_API snpy_status snpy_archive_writer_begin_bytes(snpy_archive_writer *writer, const char *name, uint64_t size,
                                                     snpy_io_error *error);

/* Puts data: any number of bytes.
 * returns  SNPY_OK; SNPY_TRAILING_DATA if fewer were declared; SNPY_BAD_ARGUMENT if no member was begun; SNPY_IO_ERROR;
 *          SNPY_NO_MEMORY */
SNPY_API snpy_status snpy_archive_writer_put(snpy_archive_writer *writer, const void *data, uint64_t size,
                                             snpy_io_error *error);

/* Ends a member.
 * returns  SNPY_OK; SNPY_TRUNCATED_DATA if more was declared; SNPY_BAD_ARGUMENT if none was begun; SNPY_IO_ERROR;
 *          SNPY_NO_MEMORY */
SNPY_API snpy_status snpy_archive_writer_end(snpy_archive_writer *writer, snpy_io_error *error);

#ifdef __cplusplus
}
#endif

#endif
