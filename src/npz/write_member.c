/* write_member.c: members of an archive, one after another: header, data, descriptor.      NPZ-WRITE-005 … 007
 * Proves nothing. Leaves the records to the core, bytes to write_sink.c, deflating to write_press.c.
 *
 * What is known ahead stands in the local header from the first. Where it is not, the header is completed later, or, in
 * an output that cannot go back, a descriptor follows. */
#include "npz/write.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

/* The longest local header, but for its name. */
#define HEADER_ROOM (SNPY_ZIP_LOCAL_SIZE + SNPY_ZIP_WIDE_FIELD + SNPY_ZIP_LEAST_PADDING + SNPY_ZIP_ALIGNMENT)

/* Bytes of which CRCs are computed while they are in the processor's cache. */
#define PIECE ((uint64_t)1 << 20)

/* --- records ----------------------------------------------------------------------------------------------- */

/* Where the local header of a member ends, but for the field that aligns what is stored. */
static uint64_t snpy_unaligned(const struct snpy_zip_entry *entry)
{
    return entry->offset + SNPY_ZIP_LOCAL_SIZE + entry->name_length + (entry->is_wide ? SNPY_ZIP_WIDE_FIELD : 0);
}

/* The bytes of that field. */
static uint32_t snpy_padding_of(const struct snpy_zip_entry *entry)
{
    return entry->method == SNPY_ZIP_STORED ? snpy_zip_padding(snpy_unaligned(entry)) : 0;
}

uint64_t snpy_pack_data_offset(const struct snpy_zip_entry *entry)
{
    return snpy_unaligned(entry) + snpy_padding_of(entry);
}

/* Puts the local header of a member where the archive stands. */
static snpy_status snpy_put_local(snpy_archive_writer *writer, size_t index, snpy_io_error *error)
{
    struct snpy_zip_entry *entry = &writer->entries[index];
    uint8_t header[HEADER_ROOM];
    size_t length = 0;
    uint32_t extra = entry->is_wide ? SNPY_ZIP_WIDE_FIELD : 0;
    const uint8_t *name = snpy_keys_name(&writer->keys, index, &length);
    entry->offset = writer->sink.position;
    const uint32_t padding = snpy_padding_of(entry);
    snpy_zip_put_local(entry, extra + padding, header);
    if (extra > 0) snpy_zip_put_wide(entry, header + SNPY_ZIP_LOCAL_SIZE);
    if (padding > 0) snpy_zip_put_padding(padding, header + SNPY_ZIP_LOCAL_SIZE + extra);
    snpy_status status = snpy_sink_put(&writer->sink, header, SNPY_ZIP_LOCAL_SIZE, error);
    if (status == SNPY_OK) status = snpy_sink_put(&writer->sink, name, length, error);
    if (status == SNPY_OK) status = snpy_sink_put(&writer->sink, header + SNPY_ZIP_LOCAL_SIZE, extra + padding, error);
    return status;
}

/* Puts a local header whose CRC, and perhaps sizes, are not known yet.                             NPZ-WRITE-007 */
static snpy_status snpy_put_early_local(snpy_archive_writer *writer, size_t index, snpy_io_error *error)
{
    struct snpy_zip_entry *entry = &writer->entries[index];
    if (!writer->sink.can_patch) entry->flags |= SNPY_ZIP_FLAG_DESCRIPTOR;
    return snpy_put_local(writer, index, error);
}

/* Completes what was said of a member too early: its header, or by a descriptor.                   NPZ-WRITE-007 */
static snpy_status snpy_settle_member(snpy_archive_writer *writer, size_t index, snpy_io_error *error)
{
    const struct snpy_zip_entry *entry = &writer->entries[index];
    uint8_t record[SNPY_ZIP_LOCAL_SIZE + SNPY_ZIP_MOST_DESCRIPTOR];
    const uint64_t wide_at = entry->offset + SNPY_ZIP_LOCAL_SIZE + entry->name_length;
    if (entry->flags & SNPY_ZIP_FLAG_DESCRIPTOR)
        return snpy_sink_put(&writer->sink, record, snpy_zip_put_descriptor(entry, record), error);
    snpy_zip_put_local(entry, 0, record); /* up to the lengths, which stay */
    snpy_status status = snpy_sink_patch(&writer->sink, entry->offset, record, SNPY_ZIP_LOCAL_SIZE - 4, error);
    if (status != SNPY_OK || !entry->is_wide) return status;
    snpy_zip_put_wide(entry, record);
    return snpy_sink_patch(&writer->sink, wide_at, record, SNPY_ZIP_WIDE_FIELD, error);
}

/* --- deflated data ----------------------------------------------------------------------------------------- */

/* Writes a whole member: all of it is known. */
static snpy_status snpy_write_whole(snpy_archive_writer *writer, const snpy_job *job, snpy_io_error *error)
{
    struct snpy_zip_entry *entry = &writer->entries[job->member];
    entry->crc = job->crc;
    entry->size = job->size;
    entry->compressed_size = job->out_size;
    snpy_status status = snpy_put_local(writer, job->member, error);
    return status == SNPY_OK ? snpy_sink_put(&writer->sink, job->out, job->out_size, error) : status;
}

/* Writes a block of a member. */
static snpy_status snpy_write_block(snpy_archive_writer *writer, const snpy_job *job, snpy_io_error *error)
{
    struct snpy_zip_entry *entry = &writer->entries[job->member];
    snpy_status status = SNPY_OK;
    if (entry->compressed_size == 0) status = snpy_put_early_local(writer, job->member, error);
    if (status == SNPY_OK) status = snpy_sink_put(&writer->sink, job->out, job->out_size, error);
    entry->crc = (uint32_t)crc32_combine(entry->crc, job->crc, (z_off_t)job->size);
    entry->size += job->size;
    entry->compressed_size += job->out_size;
    return status == SNPY_OK && job->is_last ? snpy_settle_member(writer, job->member, error) : status;
}

/* Takes the oldest job back, and writes what came of it. */
static snpy_status snpy_write_oldest(snpy_archive_writer *writer, snpy_io_error *error)
{
    snpy_job *job = snpy_press_oldest(&writer->press);
    snpy_status status = SNPY_OK;
    if (job->failed != NULL)
        status = snpy_io_no_memory(error, job->failed);
    else
        status = job->is_whole ? snpy_write_whole(writer, job, error) : snpy_write_block(writer, job, error);
    snpy_press_drop(&writer->press);
    return status;
}

snpy_status snpy_pack_drain(snpy_archive_writer *writer, snpy_io_error *error)
{
    snpy_status status = SNPY_OK;
    while (status == SNPY_OK && writer->has_press && writer->press.count > 0) status = snpy_write_oldest(writer, error);
    return status;
}

/* Begins a job of this many bytes at most. */
static snpy_status snpy_next_job(snpy_archive_writer *writer, size_t room, snpy_io_error *error)
{
    snpy_status status = SNPY_OK;
    if (snpy_press_is_full(&writer->press)) status = snpy_write_oldest(writer, error);
    if (status != SNPY_OK) return status;
    snpy_job *job = snpy_press_next(&writer->press);
    status = snpy_job_reserve(job, room, error);
    if (status != SNPY_OK) return status;
    job->level = (int)writer->level;
    job->member = writer->keys.count - 1;
    job->is_whole = writer->open.expected <= SNPY_WHOLE_MOST;
    job->is_last = false;
    job->size = 0;
    writer->open.job = job;
    return SNPY_OK;
}

/* How many bytes the job of the open member takes. */
static size_t snpy_job_room(const snpy_zip_open_member *open)
{
    return open->expected <= SNPY_WHOLE_MOST ? (size_t)open->expected : SNPY_BLOCK_SIZE;
}

/* Fills jobs. A full one is given when it is known whether more follows. */
static snpy_status snpy_fill(snpy_archive_writer *writer, const uint8_t *bytes, uint64_t size, snpy_io_error *error)
{
    const size_t room = snpy_job_room(&writer->open);
    while (size > 0) {
        snpy_job *job = writer->open.job;
        if (job->size == room) {
            snpy_press_give(&writer->press);
            snpy_status status = snpy_next_job(writer, room, error);
            if (status != SNPY_OK) return status;
            job = writer->open.job;
        }
        size_t part = room - job->size;
        if (part > size) part = (size_t)size;
        memcpy(job->in + job->size, bytes, part);
        job->size += part;
        bytes += part;
        size -= part;
    }
    return SNPY_OK;
}

/* --- stored data ------------------------------------------------------------------------------------------- */

/* Writes bytes as they are. */
static snpy_status snpy_store(snpy_archive_writer *writer, const uint8_t *bytes, uint64_t size, snpy_io_error *error)
{
    struct snpy_zip_entry *entry = &writer->entries[writer->keys.count - 1];
    if (writer->open.has_crc) return snpy_sink_put(&writer->sink, bytes, size, error);
    while (size > 0) {
        uint64_t part = size < PIECE ? size : PIECE;
        entry->crc = snpy_fast_crc(entry->crc, bytes, part);
        snpy_status status = snpy_sink_put(&writer->sink, bytes, part, error);
        if (status != SNPY_OK) return status;
        bytes += part;
        size -= part;
    }
    return SNPY_OK;
}

/* --- members ----------------------------------------------------------------------------------------------- */

/* Whether the data of a member may take 4 GiB: those of a deflated one grow a little where nothing can be saved. */
static bool snpy_may_be_wide(uint64_t size, bool is_deflated)
{
    if (size >= SNPY_ZIP_WIDE) return true; /* or is not known */
    return is_deflated && size + size / 1024 + 1024 >= SNPY_ZIP_WIDE;
}

static bool snpy_is_ascii(const uint8_t *name, size_t length)
{
    while (length > 0 && name[length - 1] < 0x80) length--;
    return length == 0;
}

/* Adds the entry of a member, whose name must be good. */
static snpy_status snpy_add_entry(snpy_archive_writer *writer, const uint8_t *name, size_t length, snpy_io_error *error)
{
    const size_t index = writer->keys.count;
    if (index == writer->entry_room) {
        size_t room = index + index / 2 + 64;
        struct snpy_zip_entry *grown = realloc(writer->entries, room * sizeof *grown);
        if (grown == NULL) return snpy_io_no_memory(error, "realloc");
        writer->entries = grown;
        writer->entry_room = room;
    }
    return snpy_keys_add(&writer->keys, name, length, !writer->any_keys, error);
}

/* Begins a stored member: its header is written. */
static snpy_status snpy_begin_stored(snpy_archive_writer *writer, struct snpy_zip_entry *entry, snpy_io_error *error)
{
    const size_t index = writer->keys.count - 1;
    entry->size = writer->open.expected != SNPY_SIZE_UNKNOWN ? writer->open.expected : 0;
    entry->compressed_size = entry->size;
    snpy_status status = snpy_pack_drain(writer, error);
    if (status != SNPY_OK) return status;
    return writer->open.has_crc ? snpy_put_local(writer, index, error) : snpy_put_early_local(writer, index, error);
}

snpy_status snpy_pack_begin(snpy_archive_writer *writer, const uint8_t *name, size_t length, uint64_t size,
                            const uint32_t *crc, snpy_io_error *error)
{
    static const snpy_zip_open_member none = {.is_open = false};
    static const uint32_t crc_of_nothing = 0;
    /* A directory with data is what every reader of ours would refuse the archive for.  NPZ-NAME-009, NPZ-WRITE-010 */
    if (size > 0 && length > 0 && name[length - 1] == '/')
        return snpy_io_refuse(error, SNPY_ZIP_WRITE_KEY, writer->keys.count);
    snpy_status status = snpy_add_entry(writer, name, length, error);
    if (status != SNPY_OK) return status;
    const bool is_deflated = writer->level > 0 && size > 0;
    if (size == 0) crc = &crc_of_nothing;
    struct snpy_zip_entry *entry = &writer->entries[writer->keys.count - 1];
    memset(entry, 0, sizeof *entry);
    entry->flags = snpy_is_ascii(name, length) ? 0 : SNPY_ZIP_FLAG_UTF8;
    entry->method = is_deflated ? SNPY_ZIP_DEFLATED : SNPY_ZIP_STORED;
    entry->name_length = (uint16_t)length;
    entry->is_wide = snpy_may_be_wide(size, is_deflated);
    entry->crc = crc != NULL ? *crc : 0; /* who knows it does not deflate */
    writer->open = none;
    writer->open.is_open = true;
    writer->open.is_deflated = is_deflated;
    writer->open.has_crc = crc != NULL;
    writer->open.expected = size;
    return is_deflated ? snpy_next_job(writer, snpy_job_room(&writer->open), error)
                       : snpy_begin_stored(writer, entry, error);
}

snpy_status snpy_pack_put(snpy_archive_writer *writer, const uint8_t *bytes, uint64_t size, snpy_io_error *error)
{
    snpy_zip_open_member *open = &writer->open;
    if (size > open->expected - open->received) return snpy_io_refuse(error, SNPY_TRAILING_DATA, open->expected);
    open->received += size;
    return open->is_deflated ? snpy_fill(writer, bytes, size, error) : snpy_store(writer, bytes, size, error);
}

snpy_status snpy_pack_end(snpy_archive_writer *writer, snpy_io_error *error)
{
    snpy_zip_open_member *open = &writer->open;
    struct snpy_zip_entry *entry = &writer->entries[writer->keys.count - 1];
    if (open->expected != SNPY_SIZE_UNKNOWN && open->received < open->expected)
        return snpy_io_refuse(error, SNPY_TRUNCATED_DATA, open->received);
    open->is_open = false;
    if (open->is_deflated) {
        open->job->is_last = true;
        snpy_press_give(&writer->press);
        return SNPY_OK;
    }
    entry->size = open->received;
    entry->compressed_size = open->received;
    return open->has_crc ? SNPY_OK : snpy_settle_member(writer, writer->keys.count - 1, error);
}
