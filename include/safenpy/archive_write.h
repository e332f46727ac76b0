/* safenpy/archive_write.h: writes archives of arrays (NPZ): to files, as a whole or not at all, and to pipes. POSIX,
 * zlib, libdeflate.
 *
 * The bytes of an archive depend only on its members, their order and the options: not on clock, user, machine or
 * number of threads. np.load of all versions reads it. Each function is thread-safe for a writer that no other thread
 * uses.
 *
 * A library that was built without zlib or libdeflate has none of these functions (spec/npz.md, "Writing"). */
#ifndef SAFENPY_ARCHIVE_WRITE_H
#define SAFENPY_ARCHIVE_WRITE_H

#include "safenpy/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How to write. Initialise with SNPY_ARCHIVE_WRITE_OPTIONS_INIT, then change what you need. `size` lets the struct
 * grow: the functions of this header also accept a smaller, older struct, and the fields it lacks have their defaults.
 * They refuse a larger one with SNPY_BAD_ARGUMENT. */
typedef struct snpy_archive_write_options {
    uint32_t size;  /* sizeof(snpy_archive_write_options) */
    uint32_t level; /* 0: stored, so that readers can map the arrays; 1 … 9: deflated; numpy.savez_compressed uses 6 */
    uint32_t threads;        /* threads that deflate, including the caller's; at least 1 */
    bool drop_acl;           /* do not keep the ACL of the file that is replaced: see snpy_save */
    int32_t lock_timeout_ms; /* milliseconds to wait for the lock of the old file; 0: 10,000; negative: none */
    bool any_keys;           /* accept keys that hide one another, as the members a.npy and a.npy.npy do */
} snpy_archive_write_options;

#define SNPY_ARCHIVE_WRITE_OPTIONS_INIT                                        \
    {                                                                          \
        (uint32_t)sizeof(snpy_archive_write_options), 0u, 1u, false, 0, false, \
    }

/* An archive that is being written. Open it with one of the functions below, and end it with snpy_archive_writer_finish
 * or snpy_archive_writer_abandon. After a failure only snpy_archive_writer_abandon may follow, unless
 * snpy_archive_writer_add or one of the begin functions has only refused a member. */
typedef struct snpy_archive_writer snpy_archive_writer;

/* --- opening and ending ------------------------------------------------------------------------------------ */

/* Each opens a writer.                                                                             HOST-IO, HOST-MEMORY
 *
 * options  may be NULL
 * writer   set; NULL after a failure. The old value is not closed
 * error    filled always, by all functions
 * returns  SNPY_OK; SNPY_LOCKED; SNPY_IO_ERROR; SNPY_NO_MEMORY; SNPY_BAD_ARGUMENT for options that were not
 *          initialised, or a level above 9, or no threads
 *
 * snpy_archive_writer_open writes to a path, as snpy_save does; the file gets its name in snpy_archive_writer_finish
 * (NPZ-WRITE-010). */
SNPY_API snpy_status snpy_archive_writer_open(snpy_archive_writer **writer, const char *path,
                                              const snpy_archive_write_options *options, snpy_io_error *error);

/* Opens a writer that writes from a descriptor's position on: to a file, pipe or socket, which stays open and is not
 * synced to the disk. After a failure a part may have been written. If the output cannot be overwritten (a pipe, or
 * O_APPEND), members whose CRC or sizes are not known ahead get data descriptors. The options lock_timeout_ms and drop_acl
 * have no effect.                                                                                      NPZ-WRITE-007 */
SNPY_API snpy_status snpy_archive_writer_open_descriptor(snpy_archive_writer **writer, int descriptor,
                                                         const snpy_archive_write_options *options,
                                                         snpy_io_error *error);

/* Writes the directory, completes the file, closes the writer and sets it to NULL, whatever the status. After a failure
 * the old file is as it was, as after snpy_archive_writer_abandon.                         NPZ-WRITE-003, 004, 006, 010
 *
 * returns  SNPY_OK; SNPY_BAD_ARGUMENT if a member was begun and not ended; SNPY_IO_ERROR; SNPY_NO_MEMORY */
SNPY_API snpy_status snpy_archive_writer_finish(snpy_archive_writer **writer, snpy_io_error *error);

/* Closes a writer without a result, and sets it to NULL: the temporary file is removed, and the old file is as it was.
 * What went to a descriptor stays there. Does nothing if the writer is NULL.                                 HOST-IO */
SNPY_API void snpy_archive_writer_abandon(snpy_archive_writer **writer);

/* --- members ----------------------------------------------------------------------------------------------- */

/**
 * Changes the level for the members that begin afterwards.
 *
 * level    0: stored; 1 to 9: deflated, if the writer was opened with a level above 0
 * error    filled always
 * returns  SNPY_OK; SNPY_BAD_ARGUMENT for another level, if a member is open, or for a writer that was opened with
 *          level 0
 *
 * Thread-safe for a writer that no other thread uses.                                                     NPZ-WRITE-008
 */
SNPY_API snpy_status snpy_archive_writer_set_level(snpy_archive_writer *writer, uint32_t level, snpy_io_error *error);

/* A member that was written. */
typedef struct snpy_written_member {
    const uint8_t *name; /* UTF-8, not terminated; borrowed until the next member begins or the writer ends */
    size_t name_length;  /* bytes */
    bool is_deflated;
    uint64_t size;            /* bytes of the member, inflated */
    uint64_t compressed_size; /* bytes of its data in the archive */
    uint64_t data_offset;     /* of its data, from the first byte of the archive */
    uint32_t crc;             /* CRC-32 of the member, inflated */
} snpy_written_member;

/**
 * Waits until the numbers of a member are known, and fills *member with them.
 *
 * index    in the order of writing, from 0
 * member   filled
 * error    filled always
 * returns  SNPY_OK; SNPY_BAD_ARGUMENT if there is no such index, or a member is open; SNPY_IO_ERROR; SNPY_NO_MEMORY:
 *          then only snpy_archive_writer_abandon may follow
 *
 * Thread-safe for a writer that no other thread uses.                                                     NPZ-WRITE-003
 */
SNPY_API snpy_status snpy_archive_writer_member(snpy_archive_writer *writer, size_t index, snpy_written_member *member,
                                                snpy_io_error *error);

/* Returns the number of members written so far. Thread-safe for a writer that no other thread uses. */
SNPY_API size_t snpy_archive_writer_count(const snpy_archive_writer *writer);

/* The size of a member that is not known yet. */
#define SNPY_SIZE_UNKNOWN UINT64_MAX

/* Adds a whole array, with the header that numpy.save would write.                    NPZ-WRITE-001, 002, 005, 008, 009
 *
 * key          UTF-8; the member's name is the key followed by ".npy"
 * description  borrowed for the call
 * data, size   as for snpy_save
 * returns      SNPY_OK; SNPY_IO_ERROR; SNPY_NO_MEMORY. These only refuse the member and leave the writer as it was:
 *              SNPY_ZIP_WRITE_KEY or SNPY_ZIP_WRITE_DUPLICATE at the number of the member, SNPY_OBJECT_DATA,
 *              SNPY_TRUNCATED_DATA, SNPY_TRAILING_DATA, and what snpy_write_header returns */
SNPY_API snpy_status snpy_archive_writer_add(snpy_archive_writer *writer, const char *key,
                                             const snpy_description *description, const void *data, uint64_t size,
                                             snpy_io_error *error);

/* Begins an array and writes its header; its data follow by snpy_archive_writer_put. Arguments and statuses are those
 * of snpy_archive_writer_add. */
SNPY_API snpy_status snpy_archive_writer_begin(snpy_archive_writer *writer, const char *key,
                                               const snpy_description *description, snpy_io_error *error);

/* Begins a member of any bytes, an NPY file or another one; the bytes follow by snpy_archive_writer_put.
 *
 * name     UTF-8, not empty; the whole name: that of an array ends in ".npy". A name that ends in "/" is a directory,
 *          whose size is 0
 * size     of the member, or SNPY_SIZE_UNKNOWN
 * returns  SNPY_OK; SNPY_ZIP_WRITE_KEY, SNPY_ZIP_WRITE_DUPLICATE; SNPY_IO_ERROR; SNPY_NO_MEMORY */
SNPY_API snpy_status snpy_archive_writer_begin_bytes(snpy_archive_writer *writer, const char *name, uint64_t size,
                                                     snpy_io_error *error);

/* Adds any number of bytes to the open member.
 *
 * returns  SNPY_OK; SNPY_TRAILING_DATA if the member was declared to be shorter; SNPY_BAD_ARGUMENT if no member is
 *          open; SNPY_IO_ERROR; SNPY_NO_MEMORY */
SNPY_API snpy_status snpy_archive_writer_put(snpy_archive_writer *writer, const void *data, uint64_t size,
                                             snpy_io_error *error);

/* Ends the open member.
 *
 * returns  SNPY_OK; SNPY_TRUNCATED_DATA if the member was declared to be longer; SNPY_BAD_ARGUMENT if no member is
 *          open; SNPY_IO_ERROR; SNPY_NO_MEMORY */
SNPY_API snpy_status snpy_archive_writer_end(snpy_archive_writer *writer, snpy_io_error *error);

#ifdef __cplusplus
}
#endif

#endif
