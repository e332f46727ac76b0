/* safenpy/archive.h: archives of arrays (NPZ): listed, found by key, loaded, mapped, streamed. POSIX, zlib, libdeflate.
 *
 * An archive that is open keeps its directory in memory and reads members where they stand (pread), so that all
 * functions that take it as const are thread-safe, for the same archive too. The file must not change meanwhile.
 *
 * A library that was built without zlib or libdeflate has none of these functions but snpy_options_untrusted (spec/npz.md
 * has the rules). */
#ifndef SAFENPY_ARCHIVE_H
#define SAFENPY_ARCHIVE_H

#include "safenpy/array.h"
#include "safenpy/zip_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of an archive, and what it lets pass. Initialise with SNPY_ARCHIVE_OPTIONS_INIT, then change what you need.
 * `size` lets the struct grow, here and in what it points to: fields that a smaller struct has not are their defaults; one
 * that is larger than the library knows is refused with SNPY_BAD_ARGUMENT. */
typedef struct snpy_archive_options {
    uint32_t size; /* sizeof(snpy_archive_options) */
    bool strict;   /* one bad member refuses the archive, also one named .npy that is no NPY file: opening it
                                  * reads and checks them all */
    const snpy_zip_options *zip; /* of the directory; copied; NULL: the defaults */
    const snpy_options *limits;  /* of each NPY file inside; copied; NULL: the defaults */
    uint64_t max_member_bytes;   /* of one deflated member; 4 GiB                            NPZ-LIMIT-002 */
    uint64_t max_total_bytes;    /* of all deflated members that one call inflates; 16 GiB   NPZ-LIMIT-003 */
    uint64_t max_ratio;          /* bytes of a member for each byte of its data; 1,032       NPZ-LIMIT-004 */
    bool strict_deflate;         /* snpy_archive_load refuses what snpy_archive_check refuses: the streams that RFC 1951
                                 * forbids and libdeflate inflates (NPZ-DATA-007); slower */
    bool no_objects;             /* snpy_archive_check refuses members with objects, and so does `strict` */
    bool portable_names;         /* a name that is no good path refuses the archive, and one that collides with another:
                                  * what `safenpy unpack` refuses                       NPZ-PATH-001 … 003 */
} snpy_archive_options;

#define SNPY_ARCHIVE_OPTIONS_INIT                                                                                      \
    {                                                                                                                  \
        (uint32_t)sizeof(snpy_archive_options), 0, 0, 0, (uint64_t)4 * 1073741824u, (uint64_t)16 * 1073741824u, 1032u, \
            0, 0, 0                                                                                                    \
    }

/**
 * Sets options for files from strangers: the limits and refusals of `safenpy check --untrusted`.
 *
 * limits   64 KiB of header, 1 GiB of data
 * zip      10,000 members
 * load     `limits`; bytes after the data are refused
 * archive  `limits` and `zip`; 1 GiB for a deflated member, 4 GiB for all that one call inflates, 1,032 bytes for each
 *          deflated one; strict, strict_deflate, no_objects, portable_names
 *
 * Each may be NULL. The others have been initialised; what is not named here, such as flags, stays. `load` and `archive`
 * point to `limits` and `zip`, if these are given, which must live as long. To relax something, change it afterwards.
 *
 * A file is let in if snpy_contents_open returns SNPY_OK. snpy_load never loads objects, so `load` needs no switch for them;
 * snpy_archive_open with these options reads and checks every member. A build without zlib has this function, too.
 *
 * Thread-safe.                                                          NPY-DATA-004, NPZ-LIMIT-001 … 004, API-ARCHIVE
 */
SNPY_API void snpy_options_untrusted(snpy_options *limits, snpy_zip_options *zip, snpy_load_options *load,
                                     snpy_archive_options *archive);

/* An open archive. */
typedef struct snpy_archive snpy_archive;

/* --- opening ----------------------------------------------------------------------------------------------- */

/* Each opens an archive (API-ARCHIVE): reads its directory and all its local headers, and no data (all of them if strict).
 *                        NPZ-END, NPZ-WIDE, NPZ-DIR, NPZ-EXTRA, NPZ-LOCAL, NPZ-DESC, NPZ-PLACE, NPZ-NAME, NPZ-LIMIT-001
 * options  may be NULL
 * archive  set; NULL after a failure. What it was is not closed
 * error    filled always; offsets are bytes of the archive, unless a member is named: see snpy_io_error
 * returns  SNPY_OK; the rule that is broken; SNPY_BAD_MAGIC at 0 if the file is no archive; SNPY_IO_ERROR;
 *          SNPY_FILE_CHANGED; SNPY_NO_MEMORY; SNPY_BAD_ARGUMENT for options that were not initialised */
SNPY_API snpy_status snpy_archive_open(const char *path, const snpy_archive_options *options, snpy_archive **archive,
                                       snpy_io_error *error);

/* The archive begins where the descriptor stands, which must be a file's. It stays open, and must do so until the
 * archive is closed; where it stands is of no importance then. */
SNPY_API snpy_status snpy_archive_open_descriptor(int descriptor, const snpy_archive_options *options,
                                                  snpy_archive **archive, snpy_io_error *error);

/**
 * Opens an archive as snpy_archive_open_descriptor does, and takes the descriptor over: snpy_archive_close closes it.
 * After a failure it is still the caller's, and open.                                       API-ARCHIVE, HOST-IO
 */
SNPY_API snpy_status snpy_archive_open_owned(int descriptor, const snpy_archive_options *options,
                                             snpy_archive **archive, snpy_io_error *error);

/* The bytes are borrowed until the archive is closed, and must not change. */
SNPY_API snpy_status snpy_archive_open_memory(const void *bytes, size_t length, const snpy_archive_options *options,
                                              snpy_archive **archive, snpy_io_error *error);

/* Closes an archive and sets it to NULL; a closed one (NULL) stays closed. Arrays that were loaded or mapped from it stay, but
 * those of snpy_archive_map need the bytes of an archive in memory. To all other functions NULL is an archive without members. */
SNPY_API void snpy_archive_close(snpy_archive **archive);

/* What a file holds: an array, or an archive of them. Do not copy it; close it once. */
typedef struct snpy_contents {
    bool is_archive;       /* which of the two is meant, also after a failure */
    snpy_array array;      /* as from snpy_load */
    snpy_archive *archive; /* as from snpy_archive_open; else NULL */
} snpy_contents;

/**
 * Opens a file that is an NPY file or an archive (NPZ), whichever its first bytes show. An array is loaded; of an archive
 * the directory is read. A pipe is read as an NPY file, and so is an archive after other bytes: snpy_archive_open takes
 * these.
 *
 * how       for an array; may be NULL
 * options   for an archive; may be NULL
 * contents  filled; what it held is not closed
 * error     filled always
 * returns   as snpy_load for an array; as snpy_archive_open for an archive
 *
 * Close the contents, whatever the status.                                            API-ARCHIVE, HOST-IO, HOST-MEMORY
 */
SNPY_API snpy_status snpy_contents_open(const char *path, const snpy_load_options *how,
                                        const snpy_archive_options *options, snpy_contents *contents,
                                        snpy_io_error *error);

/* Closes what was opened. Closed contents stay closed.                                                    HOST-MEMORY */
SNPY_API void snpy_contents_close(snpy_contents *contents);

/* --- what an archive holds ---------------------------------------------------------------------------------- */

/** The number of members. Thread-safe for an archive that stays open. */
SNPY_API size_t snpy_archive_count(const snpy_archive *archive);

/** The bytes of the whole archive. Thread-safe for an archive that stays open. */
SNPY_API uint64_t snpy_archive_size(const snpy_archive *archive);

/**
 * What the directory says of a member.
 *
 * index    in the order of the directory, below snpy_archive_count
 * returns  borrowed until the archive is closed; NULL for no such index
 *
 * Thread-safe for an archive that stays open.                                                          API-ARCHIVE
 */
SNPY_API const snpy_zip_member *snpy_archive_member(const snpy_archive *archive, size_t index);

/* --- names ------------------------------------------------------------------------------------------------- */

/* Each writes a text in UTF-8, without NUL inside: the name of a member, or its key (the name without ".npy"). It is as
 * strangers chose it: make it safe before a terminal sees it, and do not use it as a path. NPZ-NAME-001, 002, 005, 008
 *
 * index    below snpy_archive_count
 * out      the caller's buffer, terminated if capacity > 0; a longer text is cut; three bytes for each of the name are
 *          always enough
 * returns  bytes of the whole text, without its NUL; 0 for no such index */
SNPY_API size_t snpy_archive_name(const snpy_archive *archive, size_t index, char *out, size_t capacity);
SNPY_API size_t snpy_archive_key(const snpy_archive *archive, size_t index, char *out, size_t capacity);

/* Finds a member as NumPy does: the one of this name, else the one of this key.                       NPZ-NAME-007
 *
 * text     UTF-8
 * returns  SNPY_OK and *index, or SNPY_NO_MEMBER (API-MEMBER); error->member is the text then */
SNPY_API snpy_status snpy_archive_find(const snpy_archive *archive, const char *text, size_t *index,
                                       snpy_io_error *error);

/* --- members ----------------------------------------------------------------------------------------------- */

/* Loads the array of a member. Its CRC has been verified when the call returns SNPY_OK. No more of it than the
 * header is held until it is known that its size is right. While a deflated member of a
 * file is inflated, its compressed data are in memory, too, unless strict_deflate is set or `how` has a buffer.
 *                                                       NPZ-LIMIT-002, 004, NPZ-DATA, NPZ-NPY, API-ARRAY, API-BUFFER
 * how      may be NULL; `limits` NULL: those of the archive; `header_only` checks all and keeps no data
 * array    filled; what it held is not released
 * error    filled always; offsets of rules of npy.md are bytes of the member
 * returns  as snpy_load; SNPY_NOT_AN_ARRAY for a member with good data that is no NPY file; SNPY_BAD_ARGUMENT for no
 *          such index */
SNPY_API snpy_status snpy_archive_load(const snpy_archive *archive, size_t index, const snpy_load_options *how,
                                       snpy_array *array, snpy_io_error *error);

/* Loads several members at once, by up to `threads` threads (at least 1; one per member at most).   NPZ-LIMIT-003
 *
 * indices, arrays, errors  `count` of each: a member that fails leaves its array empty and says why in its error, the
 *                          others are loaded all the same
 * returns  SNPY_OK if all are loaded; else the status of the first, in the order given, that is not. If the members
 *          together exceed the limit, none is loaded and SNPY_ZIP_TOTAL_TOO_LARGE stands in every error */
SNPY_API snpy_status snpy_archive_load_several(const snpy_archive *archive, const size_t *indices, size_t count,
                                               unsigned threads, snpy_array *arrays, snpy_io_error *errors);

/* Checks a member as a whole, in bounded memory: its data, its CRC, and if it is an NPY file its header and size.
 *
 * is_array  whether it is an NPY file
 * head      its header, and no data, if it is one; to be released, whatever the status
 * returns   SNPY_OK, also for objects; what snpy_archive_load returns else */
SNPY_API snpy_status snpy_archive_check(const snpy_archive *archive, size_t index, bool *is_array, snpy_array *head,
                                        snpy_io_error *error);

/**
 * Checks a member as snpy_archive_check does, or only its header.
 *
 * with_data  false: the data and the CRC are not read, so the verdict is about the header alone
 * is_array   set: whether the member is an NPY file
 * head       filled with its header, and no data, if it is one; to be released, whatever the status
 * error      filled always
 * returns    as snpy_archive_check
 *
 * Thread-safe for an archive that stays open.                        NPZ-DATA, NPZ-NPY, NPZ-LIMIT-002, API-MEMBER
 */
SNPY_API snpy_status snpy_archive_examine(const snpy_archive *archive, size_t index, bool with_data, bool *is_array,
                                          snpy_array *head, snpy_io_error *error);

/**
 * Checks several members together against max_total_bytes, before any of them is inflated.
 *
 * indices  `count` of them; NULL: the first `count` members
 * error    filled on failure, with the member that exceeds the limit
 * returns  SNPY_OK; SNPY_ZIP_TOTAL_TOO_LARGE
 *
 * Thread-safe for an archive that stays open.                                                       NPZ-LIMIT-003
 */
SNPY_API snpy_status snpy_archive_total(const snpy_archive *archive, const size_t *indices, size_t count,
                                        snpy_io_error *error);

/**
 * Locates the bytes of a member as they are stored in the file.
 *
 * index    below snpy_archive_count
 * offset   set: bytes from the beginning of the descriptor's file to the member's first byte of data, of which there
 *          are compressed_size
 * returns  the archive's descriptor, which stays the archive's; -1 for no such index, or an archive in memory
 *
 * Thread-safe for an archive that stays open.                                                          API-ARCHIVE
 */
SNPY_API int snpy_archive_locate(const snpy_archive *archive, size_t index, uint64_t *offset);

/* Reads the bytes of a member, whatever it is; its CRC is verified.                           NPZ-NPY-006, API-BUFFER
 *
 * out, capacity  the caller's: at least the member's size, of which that many bytes are filled
 * returns        SNPY_OK; SNPY_BUFFER_TOO_SMALL at that size; what snpy_archive_load returns for the member's data */
SNPY_API snpy_status snpy_archive_read(const snpy_archive *archive, size_t index, void *out, uint64_t capacity,
                                       snpy_io_error *error);

/* A member that is read from its beginning to its end in bounded memory. Open it with snpy_member_open, end it with
 * snpy_member_close. */
typedef struct snpy_member snpy_member;

/* The archive is borrowed until the member is closed. Two members are independent of one another, and may be read by
 * two threads.                                                                             NPZ-LIMIT-002, NPZ-LIMIT-004
 * member   set; NULL after a failure. What it was is not closed
 * returns  SNPY_OK; the limit that is exceeded; SNPY_NO_MEMORY; SNPY_BAD_ARGUMENT for no such index */
SNPY_API snpy_status snpy_member_open(const snpy_archive *archive, size_t index, snpy_member **member,
                                      snpy_io_error *error);

/** The bytes that a member has. Thread-safe for a member that no other thread uses. */
SNPY_API uint64_t snpy_member_size(const snpy_member *member);

/** The bytes that were read of a member. Thread-safe for a member that no other thread uses. */
SNPY_API uint64_t snpy_member_position(const snpy_member *member);

/* Reads the next bytes, fewer than asked for at the end only. With the last one (of an empty member: with the first
 * call) the data and the CRC are judged: until snpy_member_position is snpy_member_size and the status SNPY_OK, treat the bytes as unverified.
 *                                                                                          NPZ-DATA-001 … 005
 * returns  SNPY_OK; the rule that the data break; SNPY_IO_ERROR; SNPY_FILE_CHANGED; SNPY_NO_MEMORY */
SNPY_API snpy_status snpy_member_read(snpy_member *member, void *out, size_t capacity, size_t *received,
                                      snpy_io_error *error);

/**
 * Reads the header of an NPY file from a member of which nothing was read yet. The next byte to be read is the first
 * of the data.
 *
 * limits   of the header; NULL: those of the archive
 * array    filled with the header, and no data; to be released, whatever the status
 * error    filled always
 * returns  SNPY_OK, or SNPY_OBJECT_DATA with the data yet to be read; SNPY_NOT_AN_ARRAY or the rule that the header
 *          breaks, if the member's data and CRC are good; else what snpy_member_read returns
 *
 * Thread-safe for a member that no other thread uses.                                    NPZ-NPY-001, NPZ-ERR-001
 */
SNPY_API snpy_status snpy_member_read_header(snpy_member *member, const snpy_options *limits, snpy_array *array,
                                             snpy_io_error *error);

/**
 * Reads what is left of a member without keeping it, and verifies its data and CRC.
 *
 * error    filled on failure
 * returns  as snpy_member_read
 *
 * Thread-safe for a member that no other thread uses.                                            NPZ-DATA-002 … 005
 */
SNPY_API snpy_status snpy_member_drain(snpy_member *member, snpy_io_error *error);

/* Closes a member and sets it to NULL; a closed one (NULL) stays closed. */
SNPY_API void snpy_member_close(snpy_member **member);

/* Maps the array of a stored member without a copy. What array.h says of mapped files holds here too; of an archive in
 * memory the array points into its bytes, for reading only.                                 NPZ-DATA-001, NPZ-DATA-006
 *
 * mode     SNPY_MAP_READ or SNPY_MAP_COPY
 * defer    do not read the data to verify their CRC: snpy_archive_settle does it later
 * returns  as snpy_archive_load; SNPY_BAD_ARGUMENT for a deflated member, or another mode */
SNPY_API snpy_status snpy_archive_map(const snpy_archive *archive, size_t index, snpy_map_mode mode, bool defer,
                                      snpy_array *array, snpy_io_error *error);

/* Verifies the CRC of a member that was mapped with `defer`, before anything was written to it.       NPZ-DATA-006
 * returns  SNPY_OK, SNPY_ZIP_BAD_CRC; SNPY_BAD_ARGUMENT if the array is not of this member */
SNPY_API snpy_status snpy_archive_settle(const snpy_archive *archive, size_t index, const snpy_array *array,
                                         snpy_io_error *error);

#ifdef __cplusplus
}
#endif

#endif
