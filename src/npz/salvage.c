/* salvage.c: copies the intact members of a broken archive to a new one.
 * The rest of the library decides whether a member is intact. For that, an archive of this one member is composed:
 * its bytes in the file, followed by a directory with one entry. It is opened and read like any other archive. The
 * entry is that of the broken directory, or is made from the local header. */
#include "npz/npz.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "core/zip/member_name.h"
#include "core/zip/write_records.h"
#include "core/zip/zip.h"
#include "npz/salvage.h"

#define MAX_NAME ((size_t)65535)
#define NAME_CAPACITY (3 * MAX_NAME + 1)
#define STEP ((size_t)65536)
#define COMMENT ((size_t)65535)
#define TAIL_CAPACITY (SNPY_ZIP_CENTRAL_SIZE + MAX_NAME + SNPY_ZIP_MAX_ZIP64_FIELD + COMMENT + SNPY_ZIP_MAX_END)

/* A member that may be intact: found, not checked yet. */
typedef struct snpy_candidate {
    uint64_t start;          /* offset of its local header */
    uint64_t data;           /* offset of its data */
    uint64_t end;            /* offset after its data and descriptor, as far as known */
    uint64_t central_offset; /* offset of its entry in the broken directory; 0: there is none */
    struct snpy_zip_entry entry;
    const uint8_t *name; /* entry.name_length bytes */
} snpy_candidate;

/* The state of the work, and the current one-member archive: the bytes of the file from `start` to `end`, followed by
 * the tail. */
typedef struct snpy_salvage {
    const snpy_salvage_request *request;
    uint64_t size;        /* bytes of the broken file */
    uint64_t max_bytes;   /* most bytes that a member may inflate to */
    snpy_io_error *error; /* filled when the work cannot go on */
    uint64_t start;
    uint64_t end;
    size_t tail_length;
    uint8_t *tail;  /* TAIL_CAPACITY bytes */
    uint8_t *local; /* buffer for a local header: SNPY_ZIP_LOCAL_SIZE + 2 * MAX_NAME bytes */
    uint8_t *step;  /* buffer of STEP bytes */
    char *name;     /* name of the current member: buffer of NAME_CAPACITY bytes */
} snpy_salvage;

/* --- reading ------------------------------------------------------------------------------------------------- */

/* Reads up to `length` bytes of the broken file, fewer only at its end. SNPY_FILE_CHANGED if it has become shorter. */
static snpy_status snpy_salvage_fetch(snpy_salvage *work, uint64_t offset, uint8_t *out, size_t length, size_t *got)
{
    const uint64_t left = offset < work->size ? work->size - offset : 0;
    uint64_t count = 0;
    if (left < length) length = (size_t)left;
    snpy_status status = snpy_reader_read(work->request->file, offset, out, length, &count, work->error);
    *got = (size_t)count;
    if (status == SNPY_OK && count < length) return snpy_io_refuse(work->error, SNPY_FILE_CHANGED, offset + count);
    return status;
}

/* Reads bytes of the current one-member archive, from the file or the tail: the callback of a snpy_reader. Sets *got to
 * 0 at its end. */
static snpy_status snpy_read_one_member_archive(void *context, uint64_t offset, uint8_t *out, size_t wanted,
                                                size_t *got, snpy_io_error *error)
{
    snpy_salvage *work = context;
    const uint64_t before = work->end - work->start;
    uint64_t count = 0;
    *got = 0;
    if (offset < before) {
        if (wanted > before - offset) wanted = (size_t)(before - offset);
        snpy_status status = snpy_reader_some(work->request->file, work->start + offset, out, wanted, &count, error);
        *got = (size_t)count;
        return status;
    }
    const uint64_t skipped = offset - before;
    if (skipped >= work->tail_length) return SNPY_OK;
    if (wanted > work->tail_length - skipped) wanted = (size_t)(work->tail_length - skipped);
    memcpy(out, work->tail + skipped, wanted);
    *got = wanted;
    return SNPY_OK;
}

/* Reads the local header at `start` into work->local and fills `candidate`. Sets *is_there to false if there is none,
 * or the file ends within it. */
static snpy_status snpy_read_local(snpy_salvage *work, uint64_t start, snpy_candidate *candidate, bool *is_there)
{
    static const snpy_candidate nothing = {.start = 0};
    uint8_t *b = work->local;
    size_t got = 0;
    *candidate = nothing;
    *is_there = false;
    snpy_status status = snpy_salvage_fetch(work, start, b, SNPY_ZIP_LOCAL_SIZE, &got);
    if (status != SNPY_OK || got < SNPY_ZIP_LOCAL_SIZE || memcmp(b, "PK\3\4", 4) != 0) return status;
    const size_t more = (size_t)snpy_le16(b, 26) + snpy_le16(b, 28);
    status = snpy_salvage_fetch(work, start + SNPY_ZIP_LOCAL_SIZE, b + SNPY_ZIP_LOCAL_SIZE, more, &got);
    if (status != SNPY_OK) return status;
    candidate->start = start;
    candidate->data = start + SNPY_ZIP_LOCAL_SIZE + more;
    candidate->name = b + SNPY_ZIP_LOCAL_SIZE;
    candidate->entry.flags = (uint16_t)snpy_le16(b, 6);
    candidate->entry.method = (uint16_t)snpy_le16(b, 8);
    candidate->entry.crc = snpy_le32(b, 14);
    candidate->entry.compressed_size = snpy_le32(b, 18);
    candidate->entry.size = snpy_le32(b, 22);
    candidate->entry.name_length = (uint16_t)snpy_le16(b, 26);
    *is_there = got == more;
    return SNPY_OK;
}

/* Takes the sizes from the ZIP64 field of the local header in work->local, if the header refers to it and the field has
 * both. */
static void snpy_read_local_zip64(const snpy_salvage *work, snpy_candidate *candidate)
{
    const uint8_t *b = work->local;
    size_t at = (size_t)SNPY_ZIP_LOCAL_SIZE + candidate->entry.name_length;
    const size_t to = (size_t)(candidate->data - candidate->start);
    if (candidate->entry.size != SNPY_ZIP_ALL_ONES && candidate->entry.compressed_size != SNPY_ZIP_ALL_ONES) return;
    while (to - at >= 4 && snpy_le16(b, at) != 1 && to - at - 4 >= snpy_le16(b, at + 2))
        at += 4 + (size_t)snpy_le16(b, at + 2);
    if (to - at < 20 || snpy_le16(b, at) != 1 || snpy_le16(b, at + 2) < 16) return;
    candidate->entry.size = snpy_le64(b, at + 4);
    candidate->entry.compressed_size = snpy_le64(b, at + 12);
}

/* --- sizes that no header has -------------------------------------------------------------------------------- */

/* Measures a deflated member without sizes: inflates it to the end of its stream and sets both sizes. Sets *is_known to
 * false if the stream is broken, the file ends within it, or it exceeds work->max_bytes. */
static snpy_status snpy_measure_stream(snpy_salvage *work, snpy_candidate *candidate, bool *is_known)
{
    z_stream stream = {.zalloc = snpy_zlib_allocate, .zfree = snpy_zlib_free};
    uint8_t scratch[4096];
    uint64_t at = candidate->data;
    int result = inflateInit2(&stream, -MAX_WBITS);
    snpy_status status = result == Z_OK ? SNPY_OK : snpy_io_no_memory(work->error, "malloc");
    if (status != SNPY_OK) return status;
    while (result == Z_OK && status == SNPY_OK) {
        size_t got = 0;
        if (stream.avail_in == 0) {
            status = snpy_salvage_fetch(work, at, work->step, STEP, &got);
            stream.next_in = work->step;
            stream.avail_in = (uInt)got;
            at += got;
        }
        stream.next_out = scratch;
        stream.avail_out = sizeof scratch;
        if (status == SNPY_OK) result = inflate(&stream, Z_NO_FLUSH); /* Z_BUF_ERROR at the end of the file */
        candidate->entry.size += sizeof scratch - stream.avail_out;
        if (candidate->entry.size > work->max_bytes) result = Z_DATA_ERROR;
    }
    candidate->entry.compressed_size = at - stream.avail_in - candidate->data;
    *is_known = result == Z_STREAM_END;
    (void)inflateEnd(&stream);
    if (status == SNPY_OK && result == Z_MEM_ERROR) status = snpy_io_no_memory(work->error, "malloc");
    return status;
}

/* Measures a stored member without sizes: reads its NPY header, which declares how long it is. Sets *is_known to false
 * if that is refused or has objects. Fails only if reading fails. */
static snpy_status snpy_measure_array(snpy_salvage *work, snpy_candidate *candidate, bool *is_known)
{
    snpy_array array;
    snpy_io_error error;
    snpy_reader reader;
    snpy_io_begin(&error, "");
    work->start = candidate->data;
    work->end = work->size;
    work->tail_length = 0;
    snpy_reader_of_function(&reader, snpy_read_one_member_archive, work, work->size - candidate->data, false);
    snpy_status status = snpy_read_header(&reader, work->request->how->limits, false, &array, &error);
    *is_known = status == SNPY_OK && !array.header.has_object;
    candidate->entry.size = *is_known ? array.header.frame.data_offset + array.header.data_size : 0;
    candidate->entry.compressed_size = candidate->entry.size;
    snpy_array_release(&array);
    if (error.call != NULL) *work->error = error;
    return error.call != NULL ? status : SNPY_OK;
}

/* Returns the length of the descriptor in `b`, including `skip` bytes of signature, if it has the sizes of `entry` in 8
 * or 4 bytes each; else 0. */
static size_t snpy_match_descriptor(const uint8_t *b, size_t length, size_t skip, const struct snpy_zip_entry *entry)
{
    const size_t sizes = skip + 4;
    if (length >= sizes + 16 && snpy_le64(b, sizes) == entry->compressed_size && snpy_le64(b, sizes + 8) == entry->size)
        return sizes + 16;
    if (length >= sizes + 8 && snpy_le32(b, sizes) == entry->compressed_size && snpy_le32(b, sizes + 4) == entry->size)
        return sizes + 8;
    return 0;
}

/* Looks for the descriptor at candidate->end. If its sizes match, takes its CRC and moves `end` after it; else changes
 * nothing.                                                                                        NPZ-DESC-001 … 003 */
static snpy_status snpy_take_descriptor(snpy_salvage *work, snpy_candidate *candidate)
{
    uint8_t b[SNPY_ZIP_MAX_DESCRIPTOR] = {0};
    size_t got = 0;
    snpy_status status = snpy_salvage_fetch(work, candidate->end, b, sizeof b, &got);
    if (status != SNPY_OK) return status;
    size_t skip = got >= 4 && memcmp(b, "PK\x07\x08", 4) == 0 ? 4 : 0;
    size_t length = snpy_match_descriptor(b, got, skip, &candidate->entry);
    if (length == 0) return SNPY_OK;
    candidate->entry.crc = snpy_le32(b, skip);
    candidate->end += length;
    return SNPY_OK;
}

/* Sets *is_empty if the data are directly followed by a descriptor that declares 0 bytes: a directory, or an empty
 * file. */
static snpy_status snpy_is_empty_candidate(snpy_salvage *work, const snpy_candidate *candidate, bool *is_empty)
{
    static const uint8_t nothing[16] = {'P', 'K', 7, 8};
    uint8_t b[sizeof nothing];
    size_t got = 0;
    snpy_status status = snpy_salvage_fetch(work, candidate->data, b, sizeof b, &got);
    *is_empty = status == SNPY_OK && got == sizeof b && memcmp(b, nothing, sizeof b) == 0;
    return status;
}

/* Measures a stored member whose sizes are only in its descriptor: it is empty, or an NPY file. Sets *is_known to false
 * if it is neither. */
static snpy_status snpy_measure_stored(snpy_salvage *work, snpy_candidate *candidate, bool *is_known)
{
    bool is_empty = false;
    snpy_status status = snpy_is_empty_candidate(work, candidate, &is_empty);
    if (status != SNPY_OK || is_empty) return status;
    return snpy_measure_array(work, candidate, is_known);
}

/* Finds where a member ends: sets its sizes, if they are missing, and candidate->end; takes the CRC of a data
 * descriptor. Sets *is_known to false if the end is unknown or exceeds the file. Fails only if reading fails. */
static snpy_status snpy_find_extent(snpy_salvage *work, snpy_candidate *candidate, bool *is_known)
{
    struct snpy_zip_entry *entry = &candidate->entry;
    const bool has_descriptor = (entry->flags & SNPY_ZIP_FLAG_DESCRIPTOR) != 0;
    snpy_status status = SNPY_OK;
    *is_known = true;
    const bool has_sizes =
        !has_descriptor || candidate->central_offset != 0 || (entry->compressed_size > 0 && entry->size > 0);
    if (!has_sizes) {
        entry->compressed_size = entry->size = 0; /* some writers fill in one of the two */
        status = entry->method == SNPY_ZIP_DEFLATED ? snpy_measure_stream(work, candidate, is_known)
                                                    : snpy_measure_stored(work, candidate, is_known);
    }
    if (status != SNPY_OK) return status;
    *is_known = *is_known && candidate->data <= work->size && entry->compressed_size <= work->size - candidate->data;
    candidate->end = *is_known ? candidate->data + entry->compressed_size : work->size;
    return has_descriptor && *is_known ? snpy_take_descriptor(work, candidate) : SNPY_OK;
}

/* --- one member ---------------------------------------------------------------------------------------------- */

/* Makes an archive of one member: fills the tail with its directory. The entry gets the longest possible comment, of
 * zeros. So a reader that searches for the end record from the end of the file meets no bytes of data or name, which
 * might look like one. */
static void snpy_make_one_member_archive(snpy_salvage *work, const snpy_candidate *candidate)
{
    const size_t name_length = candidate->entry.name_length;
    uint8_t *central = work->tail;
    struct snpy_zip_entry entry = candidate->entry;
    entry.offset = 0;
    const size_t extra = snpy_zip_put_central_zip64(&entry, central + SNPY_ZIP_CENTRAL_SIZE + name_length);
    snpy_zip_put_central(&entry, (uint32_t)extra, central);
    memcpy(central + SNPY_ZIP_CENTRAL_SIZE, candidate->name, name_length);
    memset(central + 32, 0xff, 2); /* the length of the comment */
    memset(central + SNPY_ZIP_CENTRAL_SIZE + name_length + extra, 0, COMMENT);
    const size_t length = SNPY_ZIP_CENTRAL_SIZE + name_length + extra + COMMENT;
    work->start = candidate->start;
    work->end = candidate->end;
    work->tail_length = length + snpy_zip_put_end(1, length, candidate->end - candidate->start, central + length);
}

/* Converts an offset in the one-member archive into one in the broken file. A byte of the directory becomes the same
 * byte of the broken directory; or, if there is none, of the local header, where the numbers at 10 to 27 are 2 bytes
 * earlier. */
static uint64_t snpy_offset_in_file(const snpy_salvage *work, const snpy_candidate *candidate, uint64_t offset)
{
    const uint64_t before = work->end - work->start;
    if (offset < before) return work->start + offset;
    if (candidate->central_offset != 0) return candidate->central_offset + (offset - before);
    return offset - before >= 10 && offset - before < 28 ? work->start + (offset - before) - 2 : work->start;
}

/* Whether an error ends the whole work: no memory, or the file cannot be read. Copies it to work->error then. */
static bool snpy_is_fatal(snpy_salvage *work, snpy_status status, const snpy_io_error *error)
{
    const bool is_fatal = status == SNPY_IO_ERROR || status == SNPY_NO_MEMORY || status == SNPY_FILE_CHANGED;
    if (is_fatal) *work->error = *error;
    return is_fatal;
}

/* Reads and checks all bytes of a member, then its NPY header. Returns an error of the data; one of the header goes to
 * said->error, and SNPY_OK is returned. */
static snpy_status snpy_verify_member(const snpy_archive *archive, snpy_salvaged *said, snpy_io_error *error)
{
    snpy_member member;
    snpy_array array;
    snpy_status status = snpy_member_begin(archive, 0, &member, error);
    if (status == SNPY_OK) status = snpy_member_drain(&member, error);
    snpy_member_end(&member);
    if (status != SNPY_OK) return status;
    snpy_status verdict = snpy_archive_examine(archive, 0, false, &said->is_array, &array, error);
    snpy_array_release(&array);
    if (error->call != NULL || verdict == SNPY_NO_MEMORY) return verdict;
    if (verdict != SNPY_NOT_AN_ARRAY) said->error = error->error;
    return SNPY_OK;
}

/* Begins a member of the new archive, deflated or stored as it was. Refuses a key that the archive has already. */
static snpy_status snpy_begin_copy(snpy_salvage *work, const snpy_archive *archive, snpy_io_error *error)
{
    const bool is_deflated = archive->members[0].method == SNPY_ZIP_DEFLATED;
    snpy_status status =
        snpy_archive_writer_set_level(work->request->writer, is_deflated ? work->request->level : 0, error);
    if (status != SNPY_OK) return status;
    return snpy_archive_writer_begin_bytes(work->request->writer, work->name, archive->members[0].size, error);
}

/* Copies the bytes of an intact member to the new member that was begun, and ends that. */
static snpy_status snpy_copy_member(snpy_salvage *work, const snpy_archive *archive)
{
    snpy_member member;
    size_t received = 1;
    snpy_status status = snpy_member_begin(archive, 0, &member, work->error);
    while (status == SNPY_OK && received > 0) {
        status = snpy_member_read(&member, work->step, STEP, &received, work->error);
        if (status == SNPY_OK)
            status = snpy_archive_writer_put(work->request->writer, work->step, received, work->error);
    }
    snpy_member_end(&member);
    return status == SNPY_OK ? snpy_archive_writer_end(work->request->writer, work->error) : status;
}

/* Copies a member to the new archive if it is intact; else sets said->error to the reason, with its offset in the
 * broken file. Fails only if the work cannot go on. */
static snpy_status snpy_try_member(snpy_salvage *work, const snpy_candidate *candidate, snpy_salvaged *said)
{
    snpy_archive *archive;
    snpy_io_error error;
    snpy_make_one_member_archive(work, candidate);
    const struct snpy_archive_source source = {snpy_read_one_member_archive, work};
    const uint64_t size = work->end - work->start + work->tail_length;
    snpy_status status = snpy_archive_open_function(size, &source, work->request->how, &archive, &error);
    if (status == SNPY_OK) {
        (void)snpy_archive_name(archive, 0, work->name, NAME_CAPACITY);
        status = snpy_verify_member(archive, said, &error);
    }
    if (status == SNPY_OK) status = snpy_begin_copy(work, archive, &error);
    if (status == SNPY_OK) {
        said->size = archive->members[0].size;
        said->is_kept = true;
        status = snpy_copy_member(work, archive);
    } else if (!snpy_is_fatal(work, status, &error)) {
        const bool is_key = status == SNPY_ZIP_WRITE_KEY || status == SNPY_ZIP_WRITE_DUPLICATE;
        said->is_array = false;
        said->error = error.error;
        said->error.offset = is_key ? candidate->start : snpy_offset_in_file(work, candidate, error.error.offset);
        status = SNPY_OK;
    }
    snpy_archive_close(&archive);
    return status;
}

/* Sets work->name to the name of a candidate in UTF-8, up to the first ill-formed character. */
static void snpy_decode_candidate_name(snpy_salvage *work, const snpy_candidate *candidate)
{
    const size_t length = candidate->entry.name_length;
    size_t total = 0;
    for (size_t at = 0, step = 1; at < length && step > 0; at += step) {
        uint32_t code = 0;
        step = snpy_zip_name_next(candidate->name, length, at, candidate->entry.flags, &code);
        if (step > 0) total += snpy_encode(code, work->name + total);
    }
    work->name[total] = '\0';
}

/* Reports a member as lost, for a reason at an offset of the broken file. */
static void snpy_report_lost(snpy_salvage *work, const snpy_candidate *candidate, snpy_status status, uint64_t offset)
{
    const snpy_salvaged said = {work->name, candidate->start, 0, false, false, {status, offset}};
    snpy_decode_candidate_name(work, candidate);
    work->request->report(work->request->context, &said);
}

/* Copies a member if it is intact, and reports the result. Sets *is_kept. Fails only if the work cannot go on. */
static snpy_status snpy_salvage_member(snpy_salvage *work, const snpy_candidate *candidate, bool *is_kept)
{
    snpy_salvaged said = {work->name, candidate->start, 0, false, false, {SNPY_OK, 0}};
    snpy_decode_candidate_name(work, candidate);
    snpy_status status = snpy_try_member(work, candidate, &said);
    *is_kept = said.is_kept;
    if (status == SNPY_OK) work->request->report(work->request->context, &said);
    return status;
}

/* --- without a directory ------------------------------------------------------------------------------------- */

/* Moves *at forward to the next signature of a local header; to the size of the file if there is none. */
static snpy_status snpy_find_header(snpy_salvage *work, uint64_t *at)
{
    size_t got = STEP;
    while (got == STEP) {
        snpy_status status = snpy_salvage_fetch(work, *at, work->step, STEP, &got);
        if (status != SNPY_OK) return status;
        for (size_t i = 0; i + 4 <= got; i++) {
            if (memcmp(work->step + i, "PK\3\4", 4) != 0) continue;
            *at += i;
            return SNPY_OK;
        }
        *at += got == STEP ? STEP - 3 : got;
    }
    *at = work->size;
    return SNPY_OK;
}

/* Sets *is_directory if the directory, or an end record, begins at an offset: no member follows it. */
static snpy_status snpy_begins_directory(snpy_salvage *work, uint64_t at, bool *is_directory)
{
    uint8_t b[4] = {0};
    size_t got = 0;
    snpy_status status = snpy_salvage_fetch(work, at, b, sizeof b, &got);
    *is_directory = snpy_zip_is(b, 0, 1, 2) || snpy_zip_is(b, 0, 5, 6) || snpy_zip_is(b, 0, 6, 6);
    return status;
}

/* Searches the file for members from its beginning and salvages each. Skips what lies within the extent of a member.
 * Ends where an extent is not known. */
static snpy_status snpy_salvage_by_headers(snpy_salvage *work)
{
    uint64_t at = 0;
    for (;;) {
        snpy_candidate candidate;
        bool is_there = false;
        bool is_known = false;
        bool is_kept = false;
        bool is_done = false;
        snpy_status status = snpy_begins_directory(work, at, &is_done);
        if (status == SNPY_OK && !is_done) status = snpy_find_header(work, &at);
        if (status != SNPY_OK || is_done || at == work->size) return status;
        status = snpy_read_local(work, at, &candidate, &is_there);
        if (status != SNPY_OK) return status;
        if (!is_there) {
            candidate.start = at;
            snpy_report_lost(work, &candidate, SNPY_TRUNCATED_DATA, work->size);
            return SNPY_OK;
        }
        snpy_read_local_zip64(work, &candidate);
        status = snpy_find_extent(work, &candidate, &is_known);
        if (status != SNPY_OK) return status;
        if (!is_known) {
            snpy_report_lost(work, &candidate, SNPY_TRUNCATED_DATA, work->size);
            return SNPY_OK;
        }
        status = snpy_salvage_member(work, &candidate, &is_kept);
        if (status != SNPY_OK) return status;
        at = candidate.end;
    }
}

/* --- with a directory ----------------------------------------------------------------------------------------- */

/* The directory of the broken archive. */
typedef struct snpy_listing {
    snpy_zip_directory directory;
    uint8_t *central;
    snpy_zip_member *members;
    size_t count;
} snpy_listing;

/* Reads the directory; listing->count is 0 if it is not valid. Bytes before or after the archive are allowed only by
 * request->how: if the archive's own directory is lost, that of an archive stored as a member would be found
 * instead. */
static snpy_status snpy_list_broken(snpy_salvage *work, snpy_listing *listing)
{
    snpy_zip_options zip = SNPY_ZIP_OPTIONS_INIT;
    snpy_error refused;
    const size_t length = work->size < SNPY_ZIP_TAIL ? (size_t)work->size : SNPY_ZIP_TAIL;
    size_t got = 0;
    if (work->request->how->zip != NULL) zip = *work->request->how->zip;
    snpy_status status = snpy_salvage_fetch(work, work->size - length, work->tail, length, &got);
    if (status != SNPY_OK) return status;
    if (snpy_zip_find(work->tail, length, work->size, &zip, &listing->directory, &refused) != SNPY_OK) return SNPY_OK;
    const snpy_zip_directory *directory = &listing->directory;
    if (directory->count > directory->size / SNPY_ZIP_CENTRAL_SIZE || directory->size >= SIZE_MAX) return SNPY_OK;
    listing->central = malloc((size_t)directory->size + 1);
    listing->members = calloc((size_t)directory->count + 1, sizeof(snpy_zip_member));
    if (listing->central == NULL || listing->members == NULL) return snpy_io_no_memory(work->error, "malloc");
    status = snpy_salvage_fetch(work, directory->offset, listing->central, (size_t)directory->size, &got);
    if (status != SNPY_OK) return status;
    if (snpy_zip_list(listing->central, got, directory, listing->members, (size_t)directory->count, &refused) ==
        SNPY_OK)
        listing->count = (size_t)directory->count;
    return SNPY_OK;
}

/* Orders members by their offset in the file. For qsort. */
static int snpy_compare_places(const void *left, const void *right)
{
    const snpy_zip_member *a = left;
    const snpy_zip_member *b = right;
    if (a->local_offset != b->local_offset) return a->local_offset < b->local_offset ? -1 : 1;
    return a->central_offset < b->central_offset ? -1 : a->central_offset > b->central_offset;
}

/* Salvages a member of the directory, or reports it as lost. `last_end` is the offset where the last kept member ends;
 * it is moved on. */
static snpy_status snpy_salvage_listed(snpy_salvage *work, const snpy_listing *listing, size_t index,
                                       uint64_t *last_end)
{
    const snpy_zip_member *member = &listing->members[index];
    snpy_candidate candidate;
    bool is_there = false;
    bool is_known = false;
    bool is_kept = false;
    snpy_status status = snpy_read_local(work, member->local_offset, &candidate, &is_there);
    if (status != SNPY_OK) return status;
    candidate.start = member->local_offset;
    candidate.central_offset = member->central_offset;
    candidate.name =
        listing->central + (size_t)(member->central_offset - listing->directory.offset) + SNPY_ZIP_CENTRAL_SIZE;
    candidate.entry.name_length = member->name_length;
    candidate.entry.flags = member->flags;
    candidate.entry.method = member->method;
    candidate.entry.crc = member->crc;
    candidate.entry.size = member->size;
    candidate.entry.compressed_size = member->compressed_size;
    if (is_there) status = snpy_find_extent(work, &candidate, &is_known);
    if (status != SNPY_OK) return status;
    candidate.entry.crc = member->crc; /* the directory decides, not a descriptor */
    if (!is_there) {
        snpy_report_lost(work, &candidate, SNPY_ZIP_BAD_LOCAL, member->local_offset);
    } else if (!is_known) {
        snpy_report_lost(work, &candidate, SNPY_TRUNCATED_DATA, work->size);
    } else if (member->local_offset < *last_end) {
        snpy_report_lost(work, &candidate, SNPY_ZIP_OVERLAP, member->central_offset);
    } else {
        status = snpy_salvage_member(work, &candidate, &is_kept);
        if (is_kept) *last_end = candidate.end;
    }
    return status;
}

/* Salvages the members that the directory lists; if it is not valid or empty, those that a search finds. */
static snpy_status snpy_salvage_all(snpy_salvage *work)
{
    snpy_listing listing = {.central = NULL};
    uint64_t last_end = 0;
    snpy_status status = snpy_list_broken(work, &listing);
    if (listing.count > 0) qsort(listing.members, listing.count, sizeof *listing.members, snpy_compare_places);
    for (size_t i = 0; i < listing.count && status == SNPY_OK; i++)
        status = snpy_salvage_listed(work, &listing, i, &last_end);
    if (status == SNPY_OK && listing.count == 0) status = snpy_salvage_by_headers(work);
    free(listing.central);
    free(listing.members);
    return status;
}

snpy_status snpy_archive_salvage(const snpy_salvage_request *request, snpy_io_error *error)
{
    typedef char tail_is_large_enough[TAIL_CAPACITY >= SNPY_ZIP_TAIL ? 1 : -1];
    snpy_salvage work = {
        .request = request, .size = request->file->size, .max_bytes = request->how->max_member_bytes, .error = error};
    snpy_io_begin(error, "");
    (void)sizeof(tail_is_large_enough);
    work.tail = malloc(TAIL_CAPACITY);
    work.local = malloc(SNPY_ZIP_LOCAL_SIZE + 2 * MAX_NAME);
    work.step = malloc(STEP);
    work.name = malloc(NAME_CAPACITY);
    const bool has_memory = work.tail != NULL && work.local != NULL && work.step != NULL && work.name != NULL;
    snpy_status status = has_memory ? snpy_salvage_all(&work) : snpy_io_no_memory(error, "malloc");
    free(work.tail);
    free(work.local);
    free(work.step);
    free(work.name);
    return status;
}
