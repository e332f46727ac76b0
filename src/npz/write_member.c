/* write_member.c: writes the members of an archive: local header, data, descriptor.                 NPZ-WRITE-005 … 007
 * The core makes the records, write_sink.c writes bytes, write_pool.c deflates.
 *
 * CRC and sizes that are known ahead are in the local header from the beginning. If they are not, the header is
 * overwritten later; in an output that cannot be overwritten, a data descriptor follows the data. */
#include "npz/write.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

/* The longest local header, without its name. */
#define HEADER_CAPACITY (SNPY_ZIP_LOCAL_SIZE + SNPY_ZIP_ZIP64_FIELD + SNPY_ZIP_MIN_PADDING + SNPY_ZIP_ALIGNMENT)

/* Stored data are written in pieces of this size, so that they are still in the processor's cache when their CRC has
 * been computed. */
#define PIECE ((uint64_t)1 << 20)

/* --- records ----------------------------------------------------------------------------------------------- */

/* Returns the offset where a member's local header would end without the field that aligns stored data. */
static uint64_t snpy_unaligned(const struct snpy_zip_entry *entry)
{
    return entry->offset + SNPY_ZIP_LOCAL_SIZE + entry->name_length + (entry->has_zip64 ? SNPY_ZIP_ZIP64_FIELD : 0);
}

/* Returns the length of the field that aligns a stored member's data; 0 for a deflated one. */
static uint32_t snpy_padding_of(const struct snpy_zip_entry *entry)
{
    return entry->method == SNPY_ZIP_STORED ? snpy_zip_padding(snpy_unaligned(entry)) : 0;
}

uint64_t snpy_pack_data_offset(const struct snpy_zip_entry *entry)
{
    return snpy_unaligned(entry) + snpy_padding_of(entry);
}

/* Writes a member's local header at the end of the archive so far. Sets entry->offset. */
static snpy_status snpy_put_local(snpy_archive_writer *writer, size_t index, snpy_io_error *error)
{
    struct snpy_zip_entry *entry = &writer->entries[index];
    uint8_t header[HEADER_CAPACITY];
    size_t length = 0;
    uint32_t extra = entry->has_zip64 ? SNPY_ZIP_ZIP64_FIELD : 0;
    const uint8_t *name = snpy_keys_name(&writer->keys, index, &length);
    entry->offset = writer->sink.position;
    const uint32_t padding = snpy_padding_of(entry);
    snpy_zip_put_local(entry, extra + padding, header);
    if (extra > 0) snpy_zip_put_local_zip64(entry, header + SNPY_ZIP_LOCAL_SIZE);
    if (padding > 0) snpy_zip_put_padding(padding, header + SNPY_ZIP_LOCAL_SIZE + extra);
    snpy_status status = snpy_sink_put(&writer->sink, header, SNPY_ZIP_LOCAL_SIZE, error);
    if (status == SNPY_OK) status = snpy_sink_put(&writer->sink, name, length, error);
    if (status == SNPY_OK) status = snpy_sink_put(&writer->sink, header + SNPY_ZIP_LOCAL_SIZE, extra + padding, error);
    return status;
}

/* Writes a local header without its CRC, and perhaps sizes. Announces a data descriptor if the header cannot be
 * overwritten later.                                                                                   NPZ-WRITE-007 */
static snpy_status snpy_put_early_local(snpy_archive_writer *writer, size_t index, snpy_io_error *error)
{
    struct snpy_zip_entry *entry = &writer->entries[index];
    if (!writer->sink.can_patch) entry->flags |= SNPY_ZIP_FLAG_DESCRIPTOR;
    return snpy_put_local(writer, index, error);
}

/* Adds the CRC and sizes of a member that were not known when it began: overwrites its local header, or writes a data
 * descriptor.                                                                                          NPZ-WRITE-007 */
static snpy_status snpy_complete_member(snpy_archive_writer *writer, size_t index, snpy_io_error *error)
{
    const struct snpy_zip_entry *entry = &writer->entries[index];
    uint8_t record[SNPY_ZIP_LOCAL_SIZE + SNPY_ZIP_MAX_DESCRIPTOR];
    const uint64_t zip64_at = entry->offset + SNPY_ZIP_LOCAL_SIZE + entry->name_length;
    if (entry->flags & SNPY_ZIP_FLAG_DESCRIPTOR)
        return snpy_sink_put(&writer->sink, record, snpy_zip_put_descriptor(entry, record), error);
    snpy_zip_put_local(entry, 0, record); /* up to the lengths, which stay */
    snpy_status status = snpy_sink_patch(&writer->sink, entry->offset, record, SNPY_ZIP_LOCAL_SIZE - 4, error);
    if (status != SNPY_OK || !entry->has_zip64) return status;
    snpy_zip_put_local_zip64(entry, record);
    return snpy_sink_patch(&writer->sink, zip64_at, record, SNPY_ZIP_ZIP64_FIELD, error);
}

/* --- deflated data ----------------------------------------------------------------------------------------- */

/* Writes a member that was deflated in one piece: its header, complete, and data. */
static snpy_status snpy_write_whole(snpy_archive_writer *writer, const snpy_job *job, snpy_io_error *error)
{
    struct snpy_zip_entry *entry = &writer->entries[job->member];
    entry->crc = job->crc;
    entry->size = job->size;
    entry->compressed_size = job->out_size;
    snpy_status status = snpy_put_local(writer, job->member, error);
    return status == SNPY_OK ? snpy_sink_put(&writer->sink, job->out, job->out_size, error) : status;
}

/* Writes a block of a member: its local header before the first block, and what completes it after the last. */
static snpy_status snpy_write_block(snpy_archive_writer *writer, const snpy_job *job, snpy_io_error *error)
{
    struct snpy_zip_entry *entry = &writer->entries[job->member];
    snpy_status status = SNPY_OK;
    if (entry->compressed_size == 0) status = snpy_put_early_local(writer, job->member, error);
    if (status == SNPY_OK) status = snpy_sink_put(&writer->sink, job->out, job->out_size, error);
    entry->crc = (uint32_t)crc32_combine(entry->crc, job->crc, (z_off_t)job->size);
    entry->size += job->size;
    entry->compressed_size += job->out_size;
    return status == SNPY_OK && job->is_last ? snpy_complete_member(writer, job->member, error) : status;
}

/* Waits for the oldest job, writes its output, and removes it from the queue. */
static snpy_status snpy_write_oldest(snpy_archive_writer *writer, snpy_io_error *error)
{
    snpy_job *job = snpy_pool_oldest(&writer->pool);
    snpy_status status = SNPY_OK;
    if (job->failed != NULL)
        status = snpy_io_no_memory(error, job->failed);
    else
        status = job->is_whole ? snpy_write_whole(writer, job, error) : snpy_write_block(writer, job, error);
    snpy_pool_drop(&writer->pool);
    return status;
}

snpy_status snpy_pack_drain(snpy_archive_writer *writer, snpy_io_error *error)
{
    snpy_status status = SNPY_OK;
    while (status == SNPY_OK && writer->has_pool && writer->pool.count > 0) status = snpy_write_oldest(writer, error);
    return status;
}

/* Sets writer->open.job to an empty job of up to `capacity` bytes. Writes the oldest job first if the queue is full. */
static snpy_status snpy_next_job(snpy_archive_writer *writer, size_t capacity, snpy_io_error *error)
{
    snpy_status status = SNPY_OK;
    if (snpy_pool_is_full(&writer->pool)) status = snpy_write_oldest(writer, error);
    if (status != SNPY_OK) return status;
    snpy_job *job = snpy_pool_next(&writer->pool);
    status = snpy_job_reserve(job, capacity, error);
    if (status != SNPY_OK) return status;
    job->level = (int)writer->level;
    job->member = writer->keys.count - 1;
    job->is_whole = writer->open.expected <= SNPY_MAX_WHOLE;
    job->is_last = false;
    job->size = 0;
    writer->open.job = job;
    return SNPY_OK;
}

/* Returns the capacity of each job of the open member, in bytes. */
static size_t snpy_job_capacity(const snpy_zip_open_member *open)
{
    return open->expected <= SNPY_MAX_WHOLE ? (size_t)open->expected : SNPY_BLOCK_SIZE;
}

/* Copies bytes into jobs. A full job is given to the pool only when more bytes follow: the last one must be marked as
 * such. */
static snpy_status snpy_fill_jobs(snpy_archive_writer *writer, const uint8_t *bytes, uint64_t size,
                                  snpy_io_error *error)
{
    const size_t capacity = snpy_job_capacity(&writer->open);
    while (size > 0) {
        snpy_job *job = writer->open.job;
        if (job->size == capacity) {
            snpy_pool_give(&writer->pool);
            snpy_status status = snpy_next_job(writer, capacity, error);
            if (status != SNPY_OK) return status;
            job = writer->open.job;
        }
        size_t part = capacity - job->size;
        if (part > size) part = (size_t)size;
        memcpy(job->in + job->size, bytes, part);
        job->size += part;
        bytes += part;
        size -= part;
    }
    return SNPY_OK;
}

/* --- stored data ------------------------------------------------------------------------------------------- */

/* Writes bytes of a stored member, and computes their CRC unless the caller gave it. */
static snpy_status snpy_write_stored(snpy_archive_writer *writer, const uint8_t *bytes, uint64_t size,
                                     snpy_io_error *error)
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

/* Whether a member, or its data, may have 4 GiB or more, so that its header needs a ZIP64 field. Data that cannot be
 * compressed grow a little. */
static bool snpy_may_need_zip64(uint64_t size, bool is_deflated)
{
    if (size >= SNPY_ZIP_ALL_ONES) return true; /* SNPY_SIZE_UNKNOWN, too */
    return is_deflated && size + size / 1024 + 1024 >= SNPY_ZIP_ALL_ONES;
}

/* Whether a name is pure ASCII, so that it needs no flag for UTF-8. */
static bool snpy_is_ascii(const uint8_t *name, size_t length)
{
    while (length > 0 && name[length - 1] < 0x80) length--;
    return length == 0;
}

/* Adds a name to the keys and makes sure that there is memory for its entry. Refuses a name that is not valid or not
 * new. */
static snpy_status snpy_add_entry(snpy_archive_writer *writer, const uint8_t *name, size_t length, snpy_io_error *error)
{
    const size_t index = writer->keys.count;
    if (index == writer->entry_capacity) {
        size_t capacity = index + index / 2 + 64;
        struct snpy_zip_entry *grown = realloc(writer->entries, capacity * sizeof *grown);
        if (grown == NULL) return snpy_io_no_memory(error, "realloc");
        writer->entries = grown;
        writer->entry_capacity = capacity;
    }
    return snpy_keys_add(&writer->keys, name, length, !writer->any_keys, error);
}

/* Begins a stored member: writes all jobs before it, then its local header. */
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
    /* Readers refuse a directory that has data, ours included.                           NPZ-NAME-009, NPZ-WRITE-010 */
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
    entry->has_zip64 = snpy_may_need_zip64(size, is_deflated);
    entry->crc = crc != NULL ? *crc : 0; /* callers that give a CRC do not deflate */
    writer->open = none;
    writer->open.is_open = true;
    writer->open.is_deflated = is_deflated;
    writer->open.has_crc = crc != NULL;
    writer->open.expected = size;
    return is_deflated ? snpy_next_job(writer, snpy_job_capacity(&writer->open), error)
                       : snpy_begin_stored(writer, entry, error);
}

snpy_status snpy_pack_put(snpy_archive_writer *writer, const uint8_t *bytes, uint64_t size, snpy_io_error *error)
{
    snpy_zip_open_member *open = &writer->open;
    if (size > open->expected - open->received) return snpy_io_refuse(error, SNPY_TRAILING_DATA, open->expected);
    open->received += size;
    return open->is_deflated ? snpy_fill_jobs(writer, bytes, size, error)
                             : snpy_write_stored(writer, bytes, size, error);
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
        snpy_pool_give(&writer->pool);
        return SNPY_OK;
    }
    entry->size = open->received;
    entry->compressed_size = open->received;
    return open->has_crc ? SNPY_OK : snpy_complete_member(writer, writer->keys.count - 1, error);
}
