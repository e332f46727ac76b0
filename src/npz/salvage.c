/* salvage.c: what is whole in a broken archive.
 * Leaves the verdict about a member to the rest of the library: it makes an archive of each, of the member's bytes in the
 * file and a directory of one entry, and opens and reads that like any other. The entry is the member's in the broken
 * directory, or repeats what the local header says. */
#include "npz/npz.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "core/zip/member_name.h"
#include "core/zip/write_records.h"
#include "core/zip/zip.h"
#include "npz/salvage.h"

#define NAME_MOST ((size_t)65535)
#define NAME_ROOM (3 * NAME_MOST + 1)
#define STEP ((size_t)65536)
#define COMMENT ((size_t)65535)
#define TAIL_ROOM (SNPY_ZIP_CENTRAL_SIZE + NAME_MOST + SNPY_ZIP_MOST_WIDE + COMMENT + SNPY_ZIP_MOST_END)

/* A member that may be whole. */
typedef struct snpy_suspect {
    uint64_t start;          /* of its local header */
    uint64_t data;           /* of its data */
    uint64_t end;            /* after its data and descriptor, as far as is known */
    uint64_t central_offset; /* of its entry in the broken directory; 0: it has none */
    struct snpy_zip_entry entry;
    const uint8_t *name; /* entry.name_length bytes */
} snpy_suspect;

/* The work. The archive of one member is the bytes of the file from `start` to `end`, and then the tail. */
typedef struct snpy_salvage {
    const snpy_salvage_order *order;
    uint64_t size;        /* of the file */
    uint64_t max_bytes;   /* of what is inflated */
    snpy_io_error *error; /* of what ends the work */
    uint64_t start;
    uint64_t end;
    size_t tail_length;
    uint8_t *tail;  /* TAIL_ROOM bytes */
    uint8_t *local; /* a local header: SNPY_ZIP_LOCAL_SIZE + 2 * NAME_MOST bytes */
    uint8_t *step;  /* STEP bytes that are looked at or moved */
    char *name;     /* of a member, with room for any */
} snpy_salvage;

/* --- reading ------------------------------------------------------------------------------------------------- */

/* Reads up to `length` bytes of the file; fewer only at its end. */
static snpy_status snpy_salvage_fetch(snpy_salvage *work, uint64_t offset, uint8_t *out, size_t length, size_t *got)
{
    const uint64_t left = offset < work->size ? work->size - offset : 0;
    uint64_t count = 0;
    if (left < length) length = (size_t)left;
    snpy_status status = snpy_reader_read(work->order->file, offset, out, length, &count, work->error);
    *got = (size_t)count;
    if (status == SNPY_OK && count < length) return snpy_io_refuse(work->error, SNPY_FILE_CHANGED, offset + count);
    return status;
}

/* Reads bytes of the archive of one member. */
static snpy_status snpy_read_single(void *context, uint64_t offset, uint8_t *out, size_t wanted, size_t *got,
                                    snpy_io_error *error)
{
    snpy_salvage *work = context;
    const uint64_t before = work->end - work->start;
    uint64_t count = 0;
    *got = 0;
    if (offset < before) {
        if (wanted > before - offset) wanted = (size_t)(before - offset);
        snpy_status status = snpy_reader_some(work->order->file, work->start + offset, out, wanted, &count, error);
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

/* Reads the local header at `start`; *is_there says whether there is one. */
static snpy_status snpy_read_local(snpy_salvage *work, uint64_t start, snpy_suspect *suspect, bool *is_there)
{
    static const snpy_suspect nothing = {.start = 0};
    uint8_t *b = work->local;
    size_t got = 0;
    *suspect = nothing;
    *is_there = false;
    snpy_status status = snpy_salvage_fetch(work, start, b, SNPY_ZIP_LOCAL_SIZE, &got);
    if (status != SNPY_OK || got < SNPY_ZIP_LOCAL_SIZE || memcmp(b, "PK\3\4", 4) != 0) return status;
    const size_t more = (size_t)snpy_le16(b, 26) + snpy_le16(b, 28);
    status = snpy_salvage_fetch(work, start + SNPY_ZIP_LOCAL_SIZE, b + SNPY_ZIP_LOCAL_SIZE, more, &got);
    if (status != SNPY_OK) return status;
    suspect->start = start;
    suspect->data = start + SNPY_ZIP_LOCAL_SIZE + more;
    suspect->name = b + SNPY_ZIP_LOCAL_SIZE;
    suspect->entry.flags = (uint16_t)snpy_le16(b, 6);
    suspect->entry.method = (uint16_t)snpy_le16(b, 8);
    suspect->entry.crc = snpy_le32(b, 14);
    suspect->entry.compressed_size = snpy_le32(b, 18);
    suspect->entry.size = snpy_le32(b, 22);
    suspect->entry.name_length = (uint16_t)snpy_le16(b, 26);
    *is_there = got == more;
    return SNPY_OK;
}

/* Takes the sizes of the wide field, if both are there. */
static void snpy_take_local_wide(const snpy_salvage *work, snpy_suspect *suspect)
{
    const uint8_t *b = work->local;
    size_t at = (size_t)SNPY_ZIP_LOCAL_SIZE + suspect->entry.name_length;
    const size_t to = (size_t)(suspect->data - suspect->start);
    if (suspect->entry.size != SNPY_ZIP_WIDE && suspect->entry.compressed_size != SNPY_ZIP_WIDE) return;
    while (to - at >= 4 && snpy_le16(b, at) != 1 && to - at - 4 >= snpy_le16(b, at + 2))
        at += 4 + (size_t)snpy_le16(b, at + 2);
    if (to - at < 20 || snpy_le16(b, at) != 1 || snpy_le16(b, at + 2) < 16) return;
    suspect->entry.size = snpy_le64(b, at + 4);
    suspect->entry.compressed_size = snpy_le64(b, at + 12);
}

/* --- sizes that only the data tell --------------------------------------------------------------------------- */

/* Inflates from `data` to the end of the stream, and counts. *is_known is false if it does not end well. */
static snpy_status snpy_measure_stream(snpy_salvage *work, snpy_suspect *suspect, bool *is_known)
{
    z_stream stream = {.zalloc = snpy_zlib_allocate, .zfree = snpy_zlib_free};
    uint8_t scratch[4096];
    uint64_t at = suspect->data;
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
        suspect->entry.size += sizeof scratch - stream.avail_out;
        if (suspect->entry.size > work->max_bytes) result = Z_DATA_ERROR;
    }
    suspect->entry.compressed_size = at - stream.avail_in - suspect->data;
    *is_known = result == Z_STREAM_END;
    (void)inflateEnd(&stream);
    if (status == SNPY_OK && result == Z_MEM_ERROR) status = snpy_io_no_memory(work->error, "malloc");
    return status;
}

/* Takes the size of a stored NPY file from its header. */
static snpy_status snpy_measure_array(snpy_salvage *work, snpy_suspect *suspect, bool *is_known)
{
    snpy_array array;
    snpy_io_error error;
    snpy_reader reader;
    snpy_io_begin(&error, "");
    work->start = suspect->data;
    work->end = work->size;
    work->tail_length = 0;
    snpy_reader_of_function(&reader, snpy_read_single, work, work->size - suspect->data, false);
    snpy_status status = snpy_read_header(&reader, work->order->how->limits, false, &array, &error);
    *is_known = status == SNPY_OK && !array.header.has_object;
    suspect->entry.size = *is_known ? array.header.frame.data_offset + array.header.data_size : 0;
    suspect->entry.compressed_size = suspect->entry.size;
    snpy_array_release(&array);
    if (error.call != NULL) *work->error = error;
    return error.call != NULL ? status : SNPY_OK;
}

/* The bytes of the descriptor that begins after `skip` bytes, if it says the sizes of an entry; else 0. */
static size_t snpy_match_descriptor(const uint8_t *b, size_t length, size_t skip, const struct snpy_zip_entry *entry)
{
    const size_t sizes = skip + 4;
    if (length >= sizes + 16 && snpy_le64(b, sizes) == entry->compressed_size && snpy_le64(b, sizes + 8) == entry->size)
        return sizes + 16;
    if (length >= sizes + 8 && snpy_le32(b, sizes) == entry->compressed_size && snpy_le32(b, sizes + 4) == entry->size)
        return sizes + 8;
    return 0;
}

/* Finds the descriptor after the data: takes its CRC, and lets the member end after it.          NPZ-DESC-001 … 003 */
static snpy_status snpy_take_descriptor(snpy_salvage *work, snpy_suspect *suspect)
{
    uint8_t b[SNPY_ZIP_MOST_DESCRIPTOR] = {0};
    size_t got = 0;
    snpy_status status = snpy_salvage_fetch(work, suspect->end, b, sizeof b, &got);
    if (status != SNPY_OK) return status;
    size_t skip = got >= 4 && memcmp(b, "PK\x07\x08", 4) == 0 ? 4 : 0;
    size_t length = snpy_match_descriptor(b, got, skip, &suspect->entry);
    if (length == 0) return SNPY_OK;
    suspect->entry.crc = snpy_le32(b, skip);
    suspect->end += length;
    return SNPY_OK;
}

/* Whether a descriptor with a signature says that there are no bytes: those of a directory, or of an empty file. */
static snpy_status snpy_is_empty_suspect(snpy_salvage *work, const snpy_suspect *suspect, bool *is_empty)
{
    static const uint8_t nothing[16] = {'P', 'K', 7, 8};
    uint8_t b[sizeof nothing];
    size_t got = 0;
    snpy_status status = snpy_salvage_fetch(work, suspect->data, b, sizeof b, &got);
    *is_empty = status == SNPY_OK && got == sizeof b && memcmp(b, nothing, sizeof b) == 0;
    return status;
}

/* Finds the size of a stored member of which only its descriptor has it. */
static snpy_status snpy_measure_stored(snpy_salvage *work, snpy_suspect *suspect, bool *is_known)
{
    bool is_empty = false;
    snpy_status status = snpy_is_empty_suspect(work, suspect, &is_empty);
    if (status != SNPY_OK || is_empty) return status;
    return snpy_measure_array(work, suspect, is_known);
}

/* Finds where a member ends. *is_known is false if its extent is not known, or exceeds the file. */
static snpy_status snpy_find_extent(snpy_salvage *work, snpy_suspect *suspect, bool *is_known)
{
    struct snpy_zip_entry *entry = &suspect->entry;
    const bool has_descriptor = (entry->flags & SNPY_ZIP_FLAG_DESCRIPTOR) != 0;
    snpy_status status = SNPY_OK;
    *is_known = true;
    const bool has_sizes =
        !has_descriptor || suspect->central_offset != 0 || (entry->compressed_size > 0 && entry->size > 0);
    if (!has_sizes) {
        entry->compressed_size = entry->size = 0; /* a writer may know one of the two */
        status = entry->method == SNPY_ZIP_DEFLATED ? snpy_measure_stream(work, suspect, is_known)
                                                    : snpy_measure_stored(work, suspect, is_known);
    }
    if (status != SNPY_OK) return status;
    *is_known = *is_known && suspect->data <= work->size && entry->compressed_size <= work->size - suspect->data;
    suspect->end = *is_known ? suspect->data + entry->compressed_size : work->size;
    return has_descriptor && *is_known ? snpy_take_descriptor(work, suspect) : SNPY_OK;
}

/* --- one member ---------------------------------------------------------------------------------------------- */

/* Makes the archive of a member. The longest comment, of zeros, stands before its end: no bytes of the data or of the name
 * can be taken for an end record that reaches there. */
static void snpy_make_single(snpy_salvage *work, const snpy_suspect *suspect)
{
    const size_t name_length = suspect->entry.name_length;
    uint8_t *central = work->tail;
    struct snpy_zip_entry entry = suspect->entry;
    entry.offset = 0;
    const size_t extra = snpy_zip_put_central_wide(&entry, central + SNPY_ZIP_CENTRAL_SIZE + name_length);
    snpy_zip_put_central(&entry, (uint32_t)extra, central);
    memcpy(central + SNPY_ZIP_CENTRAL_SIZE, suspect->name, name_length);
    memset(central + 32, 0xff, 2); /* the length of the comment */
    memset(central + SNPY_ZIP_CENTRAL_SIZE + name_length + extra, 0, COMMENT);
    const size_t length = SNPY_ZIP_CENTRAL_SIZE + name_length + extra + COMMENT;
    work->start = suspect->start;
    work->end = suspect->end;
    work->tail_length = length + snpy_zip_put_end(1, length, suspect->end - suspect->start, central + length);
}

/* A byte of the archive of a member, in the broken file: one of its entry is that of the broken directory, or of the
 * local header, where the same numbers stand 2 bytes further in front. */
static uint64_t snpy_place(const snpy_salvage *work, const snpy_suspect *suspect, uint64_t offset)
{
    const uint64_t before = work->end - work->start;
    if (offset < before) return work->start + offset;
    if (suspect->central_offset != 0) return suspect->central_offset + (offset - before);
    return offset - before >= 10 && offset - before < 28 ? work->start + (offset - before) - 2 : work->start;
}

/* Whether the work cannot go on: then the error is the call's. */
static bool snpy_is_fatal(snpy_salvage *work, snpy_status status, const snpy_io_error *error)
{
    const bool is_fatal = status == SNPY_IO_ERROR || status == SNPY_NO_MEMORY || status == SNPY_FILE_CHANGED;
    if (is_fatal) *work->error = *error;
    return is_fatal;
}

/* Reads all bytes of a member, and the header if it is an NPY file. */
static snpy_status snpy_verify_single(const snpy_archive *archive, snpy_salvaged *said, snpy_io_error *error)
{
    snpy_member member;
    snpy_array array;
    snpy_status status = snpy_member_open(archive, 0, &member, error);
    if (status == SNPY_OK) status = snpy_member_drain(&member, error);
    snpy_member_close(&member);
    if (status != SNPY_OK) return status;
    snpy_status verdict = snpy_archive_examine(archive, 0, false, &said->is_array, &array, error);
    snpy_array_release(&array);
    if (error->call != NULL || verdict == SNPY_NO_MEMORY) return verdict;
    if (verdict != SNPY_NOT_AN_ARRAY) said->error = error->error;
    return SNPY_OK;
}

/* Begins the new member. Refuses a key that there is already. */
static snpy_status snpy_begin_single(snpy_salvage *work, const snpy_archive *archive, snpy_io_error *error)
{
    const bool is_deflated = archive->members[0].method == SNPY_ZIP_DEFLATED;
    snpy_status status =
        snpy_archive_writer_set_level(work->order->writer, is_deflated ? work->order->level : 0, error);
    if (status != SNPY_OK) return status;
    return snpy_archive_writer_begin_bytes(work->order->writer, work->name, archive->members[0].size, error);
}

/* Copies the bytes of a member that is whole, and was begun. */
static snpy_status snpy_copy_single(snpy_salvage *work, const snpy_archive *archive)
{
    snpy_member member;
    size_t received = 1;
    snpy_status status = snpy_member_open(archive, 0, &member, work->error);
    while (status == SNPY_OK && received > 0) {
        status = snpy_member_read(&member, work->step, STEP, &received, work->error);
        if (status == SNPY_OK) status = snpy_archive_writer_put(work->order->writer, work->step, received, work->error);
    }
    snpy_member_close(&member);
    return status == SNPY_OK ? snpy_archive_writer_end(work->order->writer, work->error) : status;
}

/* Keeps a member if it is whole, else finds out why not. */
static snpy_status snpy_try_single(snpy_salvage *work, const snpy_suspect *suspect, snpy_salvaged *said)
{
    snpy_archive archive;
    snpy_io_error error;
    snpy_make_single(work, suspect);
    const struct snpy_archive_source source = {snpy_read_single, work};
    const uint64_t size = work->end - work->start + work->tail_length;
    snpy_status status = snpy_archive_open_function(size, &source, work->order->how, &archive, &error);
    if (status == SNPY_OK) {
        (void)snpy_archive_name(&archive, 0, work->name, NAME_ROOM);
        status = snpy_verify_single(&archive, said, &error);
    }
    if (status == SNPY_OK) status = snpy_begin_single(work, &archive, &error);
    if (status == SNPY_OK) {
        said->size = archive.members[0].size;
        said->is_kept = true;
        status = snpy_copy_single(work, &archive);
    } else if (!snpy_is_fatal(work, status, &error)) {
        const bool is_key = status == SNPY_ZIP_WRITE_KEY || status == SNPY_ZIP_WRITE_DUPLICATE;
        said->is_array = false;
        said->error = error.error;
        said->error.offset = is_key ? suspect->start : snpy_place(work, suspect, error.error.offset);
        status = SNPY_OK;
    }
    snpy_archive_close(&archive);
    return status;
}

/* Writes the name of a member that no archive could be opened of, as far as it can be read. */
static void snpy_name_suspect(snpy_salvage *work, const snpy_suspect *suspect)
{
    const size_t length = suspect->entry.name_length;
    size_t total = 0;
    for (size_t at = 0, step = 1; at < length && step > 0; at += step) {
        uint32_t code = 0;
        step = snpy_zip_name_next(suspect->name, length, at, suspect->entry.flags, &code);
        if (step > 0) total += snpy_encode(code, work->name + total);
    }
    work->name[total] = '\0';
}

/* Reports a member that is lost. */
static void snpy_report_lost(snpy_salvage *work, const snpy_suspect *suspect, snpy_status status, uint64_t offset)
{
    const snpy_salvaged said = {work->name, suspect->start, 0, false, false, {status, offset}};
    snpy_name_suspect(work, suspect);
    work->order->report(work->order->context, &said);
}

/* Tries a member, and reports what became of it. */
static snpy_status snpy_salvage_single(snpy_salvage *work, const snpy_suspect *suspect, bool *is_kept)
{
    snpy_salvaged said = {work->name, suspect->start, 0, false, false, {SNPY_OK, 0}};
    snpy_name_suspect(work, suspect);
    snpy_status status = snpy_try_single(work, suspect, &said);
    *is_kept = said.is_kept;
    if (status == SNPY_OK) work->order->report(work->order->context, &said);
    return status;
}

/* --- without a directory ------------------------------------------------------------------------------------- */

/* Finds the next local header from an offset on; the size of the file if there is none. */
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

/* Whether the directory begins at an offset: no member follows it. */
static snpy_status snpy_begins_directory(snpy_salvage *work, uint64_t at, bool *is_directory)
{
    uint8_t b[4] = {0};
    size_t got = 0;
    snpy_status status = snpy_salvage_fetch(work, at, b, sizeof b, &got);
    *is_directory = snpy_zip_is(b, 0, 1, 2) || snpy_zip_is(b, 0, 5, 6) || snpy_zip_is(b, 0, 6, 6);
    return status;
}

/* Searches the file from its front. What lies in the extent of a member is none; where an extent is not known, the
 * search ends. */
static snpy_status snpy_salvage_by_headers(snpy_salvage *work)
{
    uint64_t at = 0;
    for (;;) {
        snpy_suspect suspect;
        bool is_there = false;
        bool is_known = false;
        bool is_kept = false;
        bool is_done = false;
        snpy_status status = snpy_begins_directory(work, at, &is_done);
        if (status == SNPY_OK && !is_done) status = snpy_find_header(work, &at);
        if (status != SNPY_OK || is_done || at == work->size) return status;
        status = snpy_read_local(work, at, &suspect, &is_there);
        if (status != SNPY_OK) return status;
        if (!is_there) {
            suspect.start = at;
            snpy_report_lost(work, &suspect, SNPY_TRUNCATED_DATA, work->size);
            return SNPY_OK;
        }
        snpy_take_local_wide(work, &suspect);
        status = snpy_find_extent(work, &suspect, &is_known);
        if (status != SNPY_OK) return status;
        if (!is_known) {
            snpy_report_lost(work, &suspect, SNPY_TRUNCATED_DATA, work->size);
            return SNPY_OK;
        }
        status = snpy_salvage_single(work, &suspect, &is_kept);
        if (status != SNPY_OK) return status;
        at = suspect.end;
    }
}

/* --- with one ------------------------------------------------------------------------------------------------ */

/* A directory that can be read. */
typedef struct snpy_listing {
    snpy_zip_directory directory;
    uint8_t *central;
    snpy_zip_member *members;
    size_t count;
} snpy_listing;

/* Reads the directory; `count` is 0 if it cannot be read. Bytes before or after the archive are allowed only if that was
 * asked for: where the directory is gone, that of an archive which is a member would be found instead. */
static snpy_status snpy_list_broken(snpy_salvage *work, snpy_listing *listing)
{
    snpy_zip_options zip = SNPY_ZIP_OPTIONS_INIT;
    snpy_error refused;
    const size_t room = work->size < SNPY_ZIP_TAIL ? (size_t)work->size : SNPY_ZIP_TAIL;
    size_t got = 0;
    if (work->order->how->zip != NULL) zip = *work->order->how->zip;
    snpy_status status = snpy_salvage_fetch(work, work->size - room, work->tail, room, &got);
    if (status != SNPY_OK) return status;
    if (snpy_zip_find(work->tail, room, work->size, &zip, &listing->directory, &refused) != SNPY_OK) return SNPY_OK;
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

/* By their places in the file. */
static int snpy_compare_places(const void *left, const void *right)
{
    const snpy_zip_member *a = left;
    const snpy_zip_member *b = right;
    if (a->local_offset != b->local_offset) return a->local_offset < b->local_offset ? -1 : 1;
    return a->central_offset < b->central_offset ? -1 : a->central_offset > b->central_offset;
}

/* Tries a member of the directory. `behind` is where the last that was kept ends. */
static snpy_status snpy_salvage_listed(snpy_salvage *work, const snpy_listing *listing, size_t index, uint64_t *behind)
{
    const snpy_zip_member *member = &listing->members[index];
    snpy_suspect suspect;
    bool is_there = false;
    bool is_known = false;
    bool is_kept = false;
    snpy_status status = snpy_read_local(work, member->local_offset, &suspect, &is_there);
    if (status != SNPY_OK) return status;
    suspect.start = member->local_offset;
    suspect.central_offset = member->central_offset;
    suspect.name =
        listing->central + (size_t)(member->central_offset - listing->directory.offset) + SNPY_ZIP_CENTRAL_SIZE;
    suspect.entry.name_length = member->name_length;
    suspect.entry.flags = member->flags;
    suspect.entry.method = member->method;
    suspect.entry.crc = member->crc;
    suspect.entry.size = member->size;
    suspect.entry.compressed_size = member->compressed_size;
    if (is_there) status = snpy_find_extent(work, &suspect, &is_known);
    if (status != SNPY_OK) return status;
    suspect.entry.crc = member->crc; /* whatever a descriptor says */
    if (!is_there) {
        snpy_report_lost(work, &suspect, SNPY_ZIP_BAD_LOCAL, member->local_offset);
    } else if (!is_known) {
        snpy_report_lost(work, &suspect, SNPY_TRUNCATED_DATA, work->size);
    } else if (member->local_offset < *behind) {
        snpy_report_lost(work, &suspect, SNPY_ZIP_OVERLAP, member->central_offset);
    } else {
        status = snpy_salvage_single(work, &suspect, &is_kept);
        if (is_kept) *behind = suspect.end;
    }
    return status;
}

/* Tries all members of the directory, or if it cannot be read, those that are found. */
static snpy_status snpy_salvage_all(snpy_salvage *work)
{
    snpy_listing listing = {.central = NULL};
    uint64_t behind = 0;
    snpy_status status = snpy_list_broken(work, &listing);
    if (listing.count > 0) qsort(listing.members, listing.count, sizeof *listing.members, snpy_compare_places);
    for (size_t i = 0; i < listing.count && status == SNPY_OK; i++)
        status = snpy_salvage_listed(work, &listing, i, &behind);
    if (status == SNPY_OK && listing.count == 0) status = snpy_salvage_by_headers(work);
    free(listing.central);
    free(listing.members);
    return status;
}

snpy_status snpy_archive_salvage(const snpy_salvage_order *order, snpy_io_error *error)
{
    typedef char tail_has_room[TAIL_ROOM >= SNPY_ZIP_TAIL ? 1 : -1];
    snpy_salvage work = {
        .order = order, .size = order->file->size, .max_bytes = order->how->max_member_bytes, .error = error};
    snpy_io_begin(error, "");
    (void)sizeof(tail_has_room);
    work.tail = malloc(TAIL_ROOM);
    work.local = malloc(SNPY_ZIP_LOCAL_SIZE + 2 * NAME_MOST);
    work.step = malloc(STEP);
    work.name = malloc(NAME_ROOM);
    const bool has_memory = work.tail != NULL && work.local != NULL && work.step != NULL && work.name != NULL;
    snpy_status status = has_memory ? snpy_salvage_all(&work) : snpy_io_no_memory(error, "malloc");
    free(work.tail);
    free(work.local);
    free(work.step);
    free(work.name);
    return status;
}
