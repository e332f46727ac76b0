/* safenpy/archive.h: lists, finds, loads, maps and streams the members of archives of arrays (NPZ). POSIX, zlib,
 * libdeflate.
 *
 * An open archive keeps its directory in memory and reads its members in place (pread). So all functions that take it
 * as const are thread-safe, also on the same archive. The file must not change while it is open.
 *
 * A library that was built without zlib or libdeflate has none of these functions but snpy_options_untrusted. The rules
 * are in spec/npz.md. */
#ifndef SAFENPY_ARCHIVE_H
#define SAFENPY_ARCHIVE_H

#include "safenpy/array.h"
#include "safenpy/zip_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of an archive, and what is accepted. Initialise with SNPY_ARCHIVE_OPTIONS_INIT, then change what you need.
 * `size` lets the struct grow, here and in the structs that it points to: the functions of this header also accept a
 * smaller, older struct, and the fields it lacks have their defaults. They refuse a larger one with
 * SNPY_BAD_ARGUMENT. */
typedef struct snpy_archive_options {
    uint32_t size; /* sizeof(snpy_archive_options) */
    bool strict;   /* opening reads and checks all members and refuses the archive if one is bad, or is named
                                  * .npy and is not an NPY file */
    const snpy_zip_options *zip; /* for the directory; copied; NULL: the defaults */
    const snpy_options *limits;  /* for each NPY file inside; copied; NULL: the defaults */
    uint64_t max_member_bytes;   /* of one deflated member; 4 GiB  NPZ-LIMIT-002 */
    uint64_t max_total_bytes;    /* of all deflated members that one call inflates; 16 GiB  NPZ-LIMIT-003 */
    uint64_t max_ratio;          /* bytes of a member per compressed byte; 1,032  NPZ-LIMIT-004 */
    bool strict_deflate; /* snpy_archive_load refuses what snpy_archive_check refuses: streams that RFC 1951 forbids
                                  * and libdeflate inflates (NPZ-DATA-007); slower */
    bool no_objects;     /* snpy_archive_check refuses members with objects, and so does `strict` */
    bool portable_names; /* opening refuses a name that is no good path, or collides with another, as
                                  * `safenpy unpack` does                                NPZ-PATH-001 … 003 */
    bool defer_local;    /* opening reads no local header: call snpy_archive_check_local for each member that you want.
                                  * Not with `strict` */
} snpy_archive_options;

#define SNPY_ARCHIVE_OPTIONS_INIT                                                                                      \
    {                                                                                                                  \
        (uint32_t)sizeof(snpy_archive_options), 0, 0, 0, (uint64_t)4 * 1073741824u, (uint64_t)16 * 1073741824u, 1032u, \
            0, 0, 0, 0                                                                                                 \
    }

/**
 * Sets options for untrusted files: the limits and refusals of `safenpy check --untrusted`.
 *
 * limits   64 KiB of header, 1 GiB of data
 * zip      10,000 members
 * load     `limits`; bytes after the data are refused
 * archive  `limits` and `zip`; 1 GiB for a deflated member, 4 GiB for all that one call inflates, 1,032 bytes for each
 *          deflated one; strict, strict_deflate, no_objects, portable_names
 *
 * Each may be NULL. The others must have been initialised; fields that are not named here, such as flags, stay. `load`
 * and `archive` point to `limits` and `zip`, if these are given: keep them as long. To relax something, change it
 * afterwards.
 *
 * A file is accepted if snpy_contents_open returns SNPY_OK: with these options snpy_archive_open reads and checks every
 * member. `load` needs no option against objects, because snpy_load never loads them. A build without zlib has this
 * function, too.
 *
 * Thread-safe.                                                           NPY-DATA-004, NPZ-LIMIT-001 … 004, API-ARCHIVE
 */
SNPY_API void snpy_options_untrusted(snpy_options *limits, snpy_zip_options *zip, snpy_load_options *load,
                                     snpy_archive_options *archive);

/* An open archive. */
typedef struct snpy_archive snpy_archive;

/* --- opening ----------------------------------------------------------------------------------------------- */

/* Each opens an archive (API-ARCHIVE): reads its directory and all local headers, but no data, unless `strict` is set.
 *                        NPZ-END, NPZ-WIDE, NPZ-DIR, NPZ-EXTRA, NPZ-LOCAL, NPZ-DESC, NPZ-PLACE, NPZ-NAME, NPZ-LIMIT-001
 *
 * options  may be NULL
 * archive  set; NULL after a failure. The old value is not closed
 * error    filled always; offsets are bytes of the archive, unless a member is named: see snpy_io_error
 * returns  SNPY_OK; the rule that is broken; SNPY_BAD_MAGIC at 0 if the file is no archive; SNPY_IO_ERROR;
 *          SNPY_FILE_CHANGED; SNPY_NO_MEMORY; SNPY_BAD_ARGUMENT for options that were not initialised */
SNPY_API snpy_status snpy_archive_open(const char *path, const snpy_archive_options *options, snpy_archive **archive,
                                       snpy_io_error *error);

/* Opens an archive that begins at the descriptor's position in a regular file. The descriptor must stay open until the
 * archive is closed; its position does not matter after this call. */
SNPY_API snpy_status snpy_archive_open_descriptor(int descriptor, const snpy_archive_options *options,
                                                  snpy_archive **archive, snpy_io_error *error);

/**
 * Opens an archive as snpy_archive_open_descriptor does, and takes the descriptor over: snpy_archive_close closes it.
 * After a failure the descriptor is still the caller's, and open.                                  API-ARCHIVE, HOST-IO
 */
SNPY_API snpy_status snpy_archive_open_owned(int descriptor, const snpy_archive_options *options,
                                             snpy_archive **archive, snpy_io_error *error);

/* Opens an archive in memory. The bytes are borrowed until the archive is closed, and must not change. */
SNPY_API snpy_status snpy_archive_open_memory(const void *bytes, size_t length, const snpy_archive_options *options,
                                              snpy_archive **archive, snpy_io_error *error);

/**
 * Opens an archive in a source of the caller's, such as an object store: `size` bytes that a function reads at any
 * offset.
 *
 * size     bytes of the source
 * read     called until the archive is closed, from each thread that uses it; borrowed
 * context  for `read`; borrowed until the archive is closed
 * options  may be NULL. With `defer_local` opening reads the first 4 bytes, the last 64 KiB and the directory
 * archive  set; NULL after a failure. The old value is not closed
 * error    filled always; SNPY_IO_ERROR has error->call "callback" if `read` fails or returns more than it was asked for
 * returns  as snpy_archive_open; SNPY_FILE_CHANGED if the source ends before `size`
 *
 * Its members cannot be mapped. Thread-safe if `read` is.                            API-ARCHIVE, HOST-IO, HOST-CHANGED
 */
SNPY_API snpy_status snpy_archive_open_callback(uint64_t size, snpy_read_callback *read, void *context,
                                                const snpy_archive_options *options, snpy_archive **archive,
                                                snpy_io_error *error);

/**
 * Checks the local header and data descriptor of a member of an archive that was opened with `defer_local`; does
 * nothing if they have been checked. Before this call all functions of the member return SNPY_BAD_ARGUMENT.
 *
 * index    below snpy_archive_count
 * error    filled always
 * returns  SNPY_OK; the rule that is broken; SNPY_IO_ERROR; SNPY_FILE_CHANGED; SNPY_NO_MEMORY; SNPY_BAD_ARGUMENT if
 *          there is no such index
 *
 * It changes the archive: no other thread may use it at the same time.
 *                                                                       NPZ-LOCAL, NPZ-DESC, NPZ-PLACE-002, 003, 005
 */
SNPY_API snpy_status snpy_archive_check_local(snpy_archive *archive, size_t index, snpy_io_error *error);

/* Closes an archive and sets it to NULL; does nothing if it is NULL. Arrays loaded or mapped from it stay valid, but
 * those that snpy_archive_map returned for an archive in memory need its bytes. All other functions treat NULL as an
 * archive without members. */
SNPY_API void snpy_archive_close(snpy_archive **archive);

/* The contents of a file: an array, or an archive. Do not copy the struct; close it once. */
typedef struct snpy_contents {
    bool is_archive;       /* which of the two it is; set after a failure, too */
    snpy_array array;      /* as snpy_load fills it */
    snpy_archive *archive; /* as snpy_archive_open sets it; else NULL */
} snpy_contents;

/**
 * Opens a file that is an NPY file or an archive (NPZ), by its first bytes: loads an array, or reads the directory of
 * an archive. A pipe is read as an NPY file, and so is an archive that follows other bytes; snpy_archive_open opens
 * that.
 *
 * how       for an array; may be NULL
 * options   for an archive; may be NULL
 * contents  filled; the old contents are not closed
 * error     filled always
 * returns   as snpy_load for an array; as snpy_archive_open for an archive
 *
 * Close the contents, whatever the status.                                            API-ARCHIVE, HOST-IO, HOST-MEMORY
 */
SNPY_API snpy_status snpy_contents_open(const char *path, const snpy_load_options *how,
                                        const snpy_archive_options *options, snpy_contents *contents,
                                        snpy_io_error *error);

/* Closes contents; does nothing to closed ones.                                                          HOST-MEMORY */
SNPY_API void snpy_contents_close(snpy_contents *contents);

/* --- what an archive holds ---------------------------------------------------------------------------------- */

/* Returns the number of members. Thread-safe while the archive stays open. */
SNPY_API size_t snpy_archive_count(const snpy_archive *archive);

/* Returns the size of the archive in bytes. Thread-safe while the archive stays open. */
SNPY_API uint64_t snpy_archive_size(const snpy_archive *archive);

/**
 * Returns what the directory says about a member.
 *
 * index    in the order of the directory, below snpy_archive_count
 * returns  borrowed until the archive is closed; NULL if there is no such index
 *
 * Thread-safe while the archive stays open.                                                                 API-ARCHIVE
 */
SNPY_API const snpy_zip_member *snpy_archive_member(const snpy_archive *archive, size_t index);

/* --- names ------------------------------------------------------------------------------------------------- */

/* Each writes a text in UTF-8: the name of a member, or its key, which is the name without ".npy". It contains no NUL.
 * It is untrusted: make it safe before a terminal shows it, and do not use it as a path.
 *
 * index    below snpy_archive_count
 * out      the caller's buffer, terminated if capacity > 0; a longer text is cut; three bytes for each byte of the name
 *          are always enough
 * returns  bytes of the whole text, without its NUL; 0 if there is no such index */
SNPY_API size_t snpy_archive_name(const snpy_archive *archive, size_t index, char *out, size_t capacity);
SNPY_API size_t snpy_archive_key(const snpy_archive *archive, size_t index, char *out, size_t capacity);

/* Finds a member as NumPy does: the one with this name, else the one with this key.                        NPZ-NAME-007
 *
 * text     UTF-8
 * returns  SNPY_OK and *index; or SNPY_NO_MEMBER (API-MEMBER), and error->member is the text */
SNPY_API snpy_status snpy_archive_find(const snpy_archive *archive, const char *text, size_t *index,
                                       snpy_io_error *error);

/* --- members ----------------------------------------------------------------------------------------------- */

/* Loads the array of a member. If the call returns SNPY_OK, the CRC has been verified. Until the member's size has been
 * checked, only the header is in memory. While a deflated member of a file is inflated, its compressed data are in
 * memory, too, unless strict_deflate is set or `how` has a buffer.
 *                                                          NPZ-LIMIT-002, 004, NPZ-DATA, NPZ-NPY, API-ARRAY, API-BUFFER
 *
 * how      may be NULL; `limits` NULL: those of the archive; `header_only` checks everything and keeps no data
 * array    filled; the old one is not released
 * error    filled always; offsets of rules of npy.md are bytes of the member
 * returns  as snpy_load; SNPY_NOT_AN_ARRAY for a member with good data that is no array; SNPY_BAD_ARGUMENT if there
 *          is no such index */
SNPY_API snpy_status snpy_archive_load(const snpy_archive *archive, size_t index, const snpy_load_options *how,
                                       snpy_array *array, snpy_io_error *error);

/* Loads several members with up to `threads` threads, at least 1 and at most one per member.              NPZ-LIMIT-003
 *
 * indices, arrays, errors  `count` of each. If a member fails, its array is empty and its error has the reason; the
 *                          others are still loaded
 * returns  SNPY_OK if all are loaded; else the status of the first, in the order given, that failed. If the members
 *          together exceed the limit, none is loaded and every error has SNPY_ZIP_TOTAL_TOO_LARGE */
SNPY_API snpy_status snpy_archive_load_several(const snpy_archive *archive, const size_t *indices, size_t count,
                                               unsigned threads, snpy_array *arrays, snpy_io_error *errors);

/* Checks a whole member in bounded memory: its data and its CRC, and the header and size of an NPY file.
 *
 * is_array  set: whether the member is an NPY file
 * head      filled with its header, and no data, if it is one; release it, whatever the status
 * returns   SNPY_OK, also for objects; otherwise as snpy_archive_load */
SNPY_API snpy_status snpy_archive_check(const snpy_archive *archive, size_t index, bool *is_array, snpy_array *head,
                                        snpy_io_error *error);

/**
 * Checks a member as snpy_archive_check does, or only its header.
 *
 * with_data  false: the data and the CRC are not read, so the verdict is about the header alone
 * is_array   set: whether the member is an NPY file
 * head       filled with its header, and no data, if it is one; release it, whatever the status
 * error      filled always
 * returns    as snpy_archive_check
 *
 * Thread-safe while the archive stays open.                                NPZ-DATA, NPZ-NPY, NPZ-LIMIT-002, API-MEMBER
 */
SNPY_API snpy_status snpy_archive_examine(const snpy_archive *archive, size_t index, bool with_data, bool *is_array,
                                          snpy_array *head, snpy_io_error *error);

/**
 * Checks the total size of several members against max_total_bytes, before any of them is inflated.
 *
 * indices  `count` of them; NULL: the first `count` members
 * error    filled on failure, with the member that exceeds the limit
 * returns  SNPY_OK; SNPY_ZIP_TOTAL_TOO_LARGE
 *
 * Thread-safe while the archive stays open.                                                               NPZ-LIMIT-003
 */
SNPY_API snpy_status snpy_archive_total(const snpy_archive *archive, const size_t *indices, size_t count,
                                        snpy_io_error *error);

/**
 * Locates the bytes of a member as they are stored in the file.
 *
 * index    below snpy_archive_count
 * offset   set: the offset of the member's first byte of data in the descriptor's file; compressed_size bytes follow
 * returns  the archive's descriptor, which the archive keeps; -1 if there is no such index, or the archive is in memory
 *
 * Thread-safe while the archive stays open.                                                                 API-ARCHIVE
 */
SNPY_API int snpy_archive_locate(const snpy_archive *archive, size_t index, uint64_t *offset);

/* Reads all bytes of a member, NPY file or not, and verifies its CRC.                           NPZ-NPY-006, API-BUFFER
 *
 * out, capacity  the caller's buffer: at least the member's size, of which that many bytes are filled
 * returns        SNPY_OK; SNPY_BUFFER_TOO_SMALL at the member's size; otherwise as snpy_archive_load for the member's
 *                data */
SNPY_API snpy_status snpy_archive_read(const snpy_archive *archive, size_t index, void *out, uint64_t capacity,
                                       snpy_io_error *error);

/* A member that is read from its beginning to its end in bounded memory. Open it with snpy_member_open and close it
 * with snpy_member_close. */
typedef struct snpy_member snpy_member;

/* Opens a member. The archive is borrowed until the member is closed. Members are independent of one another: two
 * threads may read two of them.                                                            NPZ-LIMIT-002, NPZ-LIMIT-004
 *
 * member   set; NULL after a failure. The old value is not closed
 * returns  SNPY_OK; the limit that is exceeded; SNPY_NO_MEMORY; SNPY_BAD_ARGUMENT if there is no such index */
SNPY_API snpy_status snpy_member_open(const snpy_archive *archive, size_t index, snpy_member **member,
                                      snpy_io_error *error);

/* Returns the size of a member in bytes, inflated; 0 for NULL. Thread-safe for a member that no other thread uses. */
SNPY_API uint64_t snpy_member_size(const snpy_member *member);

/* Returns the number of bytes read so far; 0 for NULL. Thread-safe for a member that no other thread uses. */
SNPY_API uint64_t snpy_member_position(const snpy_member *member);

/* Reads the next bytes of a member, fewer than asked for only at its end. The call that returns the last byte (of an
 * empty member: the first call) checks the data and the CRC. Treat the bytes as unverified until snpy_member_position
 * equals snpy_member_size and the status is SNPY_OK.                                                 NPZ-DATA-001 … 005
 *
 * returns  SNPY_OK; the rule that the data break; SNPY_IO_ERROR; SNPY_FILE_CHANGED; SNPY_NO_MEMORY; SNPY_BAD_ARGUMENT
 *          for a closed member */
SNPY_API snpy_status snpy_member_read(snpy_member *member, void *out, size_t capacity, size_t *received,
                                      snpy_io_error *error);

/**
 * Reads the NPY header of a member from which nothing has been read yet. The next byte to be read is then the first of
 * the data.
 *
 * limits   for the header; NULL: those of the archive
 * array    filled with the header, and no data; release it, whatever the status
 * error    filled always
 * returns  SNPY_OK, or SNPY_OBJECT_DATA, with the data yet to be read; SNPY_NOT_AN_ARRAY or the rule that the header
 *          breaks, if the member's data and CRC are good; otherwise as snpy_member_read
 *
 * Thread-safe for a member that no other thread uses.                                          NPZ-NPY-001, NPZ-ERR-001
 */
SNPY_API snpy_status snpy_member_read_header(snpy_member *member, const snpy_options *limits, snpy_array *array,
                                             snpy_io_error *error);

/**
 * Reads the rest of a member without keeping it, and verifies its data and CRC.
 *
 * error    filled on failure
 * returns  as snpy_member_read
 *
 * Thread-safe for a member that no other thread uses.                                                NPZ-DATA-002 … 005
 */
SNPY_API snpy_status snpy_member_drain(snpy_member *member, snpy_io_error *error);

/* Closes a member and sets it to NULL; does nothing if it is NULL. */
SNPY_API void snpy_member_close(snpy_member **member);

/* Maps the array of a stored member, so that its data are not copied. What array.h says about mapped files applies
 * here, too. For an archive in memory the array points into its bytes, and is read-only.     NPZ-DATA-001, NPZ-DATA-006
 *
 * mode     SNPY_MAP_READ or SNPY_MAP_COPY
 * defer    do not read the data to verify their CRC: snpy_archive_verify does it later
 * returns  as snpy_archive_load; SNPY_BAD_ARGUMENT for a deflated member, another mode, an archive that a
 *          function reads, or SNPY_MAP_COPY of an archive in memory */
SNPY_API snpy_status snpy_archive_map(const snpy_archive *archive, size_t index, snpy_map_mode mode, bool defer,
                                      snpy_array *array, snpy_io_error *error);

/* Verifies the CRC of a member that was mapped with `defer`. Call it before anything is written to the array.
 *                                                                                                          NPZ-DATA-006
 *
 * returns  SNPY_OK, SNPY_ZIP_BAD_CRC; SNPY_BAD_ARGUMENT if the array is not of this member */
SNPY_API snpy_status snpy_archive_verify(const snpy_archive *archive, size_t index, const snpy_array *array,
                                         snpy_io_error *error);

#ifdef __cplusplus
}
#endif

#endif
