/* write.c: opens archives to be written, adds arrays, writes the directory.                NPZ-WRITE-001 … 010, HOST-IO
 * write_member.c writes members, the host makes headers of arrays and files. */
#include "npz/write.h"
#include "npz/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the last central header and the end records, at most. */
#define LAST_CAPACITY (SNPY_ZIP_CENTRAL_SIZE + 2 * (size_t)UINT16_MAX + SNPY_ZIP_MAX_END)

/* --- states ------------------------------------------------------------------------------------------------ */

/* Clears an error and sets its path. Returns SNPY_BAD_ARGUMENT for a closed writer, or one that has failed. */
static snpy_status snpy_pack_error(const snpy_archive_writer *writer, snpy_io_error *error)
{
    snpy_io_begin(error, writer != NULL && writer->sink.output.path != NULL ? writer->sink.output.path : "");
    if (writer == NULL || writer->failed) return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    return SNPY_OK;
}

/* Returns `status`. Unless it is SNPY_OK or the call only refused a member, marks the writer as failed, so that nothing
 * more can be added. */
static snpy_status snpy_pack_result(snpy_archive_writer *writer, snpy_status status, bool is_refusal,
                                    snpy_io_error *error)
{
    if (status == SNPY_OK || is_refusal) return status;
    writer->failed = true;
    if (writer->sink.output.path != NULL) snpy_io_name(error, writer->sink.output.path);
    return status;
}

void snpy_archive_writer_abandon(snpy_archive_writer **writer)
{
    snpy_archive_writer *own = *writer;
    *writer = NULL;
    if (own == NULL) return;
    if (own->has_pool) snpy_pool_end(&own->pool);
    snpy_output_abandon(&own->sink.output);
    snpy_sink_end(&own->sink);
    snpy_keys_release(&own->keys);
    free(own->entries);
    free(own);
}

/* --- opening ----------------------------------------------------------------------------------------------- */

/* Allocates a writer without an output, and starts its threads if it deflates. Fills *how with the options. Returns
 * NULL after a failure, with `error` filled. */
static snpy_archive_writer *snpy_zip_writer_make(const snpy_archive_write_options *options,
                                                 snpy_archive_write_options *how, snpy_io_error *error)
{
    static const snpy_archive_write_options plain = SNPY_ARCHIVE_WRITE_OPTIONS_INIT;
    *how = plain;
    const bool is_known = options == NULL || snpy_take_options(how, sizeof *how, options, options->size);
    if (!is_known || how->level > 9 || how->threads < 1) {
        (void)snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
        return NULL;
    }
    snpy_archive_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        (void)snpy_io_no_memory(error, "calloc");
        return NULL;
    }
    snpy_output_clear(&writer->sink.output);
    writer->level = how->level;
    writer->any_keys = how->any_keys;
    if (writer->level == 0) return writer;
    writer->has_pool = snpy_pool_begin(&writer->pool, (int)writer->level, how->threads, error) == SNPY_OK;
    if (!writer->has_pool) snpy_archive_writer_abandon(&writer);
    return writer;
}

/* Finishes the opening of a writer, if `status` is SNPY_OK; abandons the writer if that is an error or preparing the
 * output fails. */
static snpy_status snpy_zip_writer_ready(snpy_archive_writer **writer, snpy_status status, snpy_io_error *error)
{
    if (status == SNPY_OK) status = snpy_sink_begin(&(*writer)->sink, error);
    if (status != SNPY_OK) snpy_archive_writer_abandon(writer);
    return status;
}

snpy_status snpy_archive_writer_open(snpy_archive_writer **writer, const char *path,
                                     const snpy_archive_write_options *options, snpy_io_error *error)
{
    snpy_io_begin(error, path);
    snpy_archive_write_options how;
    *writer = snpy_zip_writer_make(options, &how, error);
    if (*writer == NULL) return error->error.status;
    snpy_output *output = &(*writer)->sink.output;
    const snpy_status status = snpy_output_open(output, path, how.lock_timeout_ms, error);
    output->drop_acl = how.drop_acl;
    return snpy_zip_writer_ready(writer, status, error);
}

snpy_status snpy_archive_writer_open_claimed(snpy_archive_writer **writer, snpy_output *output,
                                             const snpy_archive_write_options *options, snpy_io_error *error)
{
    snpy_io_begin(error, output->path != NULL ? output->path : "");
    snpy_archive_write_options how;
    *writer = snpy_zip_writer_make(options, &how, error);
    if (*writer == NULL) {
        snpy_output_abandon(output);
        return error->error.status;
    }
    snpy_output *own = &(*writer)->sink.output;
    *own = *output;
    snpy_output_clear(output);
    own->drop_acl = how.drop_acl;
    return snpy_zip_writer_ready(writer, snpy_output_open_claimed(own, error), error);
}

snpy_status snpy_archive_writer_open_descriptor(snpy_archive_writer **writer, int descriptor,
                                                const snpy_archive_write_options *options, snpy_io_error *error)
{
    snpy_io_begin(error, "");
    snpy_archive_write_options how;
    *writer = snpy_zip_writer_make(options, &how, error);
    if (*writer == NULL) return error->error.status;
    const snpy_status status = descriptor >= 0 ? SNPY_OK : snpy_io_fail(error, "write", EBADF);
    if (status == SNPY_OK) snpy_output_lend(&(*writer)->sink.output, descriptor);
    return snpy_zip_writer_ready(writer, status, error);
}

/* --- members ----------------------------------------------------------------------------------------------- */

/* Begins a member. If only its name is refused, the writer can go on. */
static snpy_status snpy_pack_enter(snpy_archive_writer *writer, const char *name, uint64_t size, const uint32_t *crc,
                                   snpy_io_error *error)
{
    snpy_status status = snpy_pack_begin(writer, (const uint8_t *)name, strlen(name), size, crc, error);
    if (status != SNPY_OK) snpy_io_member(error, name);
    bool is_refusal = status == SNPY_ZIP_WRITE_KEY || status == SNPY_ZIP_WRITE_DUPLICATE;
    return snpy_pack_result(writer, status, is_refusal, error);
}

/* Checks that a writer is usable, and that a member is open or not, as `is_open` says. SNPY_BAD_ARGUMENT otherwise. */
static snpy_status snpy_pack_expect(const snpy_archive_writer *writer, bool is_open, snpy_io_error *error)
{
    snpy_status status = snpy_pack_error(writer, error);
    if (status == SNPY_OK && writer->open.is_open != is_open) status = snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    return status;
}

snpy_status snpy_archive_writer_begin_bytes(snpy_archive_writer *writer, const char *name, uint64_t size,
                                            snpy_io_error *error)
{
    snpy_status status = snpy_pack_expect(writer, false, error);
    return status == SNPY_OK ? snpy_pack_enter(writer, name, size, NULL, error) : status;
}

/* Makes the name of a member from a key, by adding ".npy". The caller frees it.                        NPZ-WRITE-001 */
static snpy_status snpy_name_of_key(const char *key, char **name, snpy_io_error *error)
{
    size_t length = strlen(key);
    *name = malloc(length + sizeof ".npy");
    if (*name == NULL) return snpy_io_no_memory(error, "malloc");
    memcpy(*name, key, length);
    memcpy(*name + length, ".npy", sizeof ".npy");
    return SNPY_OK;
}

/* Makes the header that numpy.save would write.                                                        NPZ-WRITE-009 */
static snpy_status snpy_pack_head(const snpy_description *description, snpy_array *head, snpy_io_error *error)
{
    snpy_header header = *description->header;
    snpy_description normal = *description;
    normal.header = &header;
    snpy_normalise_order(&header);
    return snpy_make_head(&normal, head, error);
}

/* Begins a member for an array and writes its header. `data` is NULL, or all data that will follow: then the CRC can be
 * computed ahead, if the output needs that. */
static snpy_status snpy_pack_array(snpy_archive_writer *writer, const char *key, const snpy_array *head,
                                   const void *data, snpy_io_error *error)
{
    const snpy_zip_sink *sink = &writer->sink;
    const uint64_t start = head->header.frame.data_offset;
    const bool is_ahead = data != NULL && writer->level == 0 && !sink->can_patch;
    uint32_t crc = 0;
    char *name = NULL;
    snpy_status status = snpy_name_of_key(key, &name, error);
    if (status != SNPY_OK) return snpy_pack_result(writer, status, false, error);
    if (is_ahead) crc = snpy_fast_crc(snpy_fast_crc(0, head->head_, start), data, head->header.data_size);
    status = snpy_pack_enter(writer, name, start + head->header.data_size, is_ahead ? &crc : NULL, error);
    free(name);
    if (status != SNPY_OK) return status;
    status = snpy_pack_put(writer, head->head_, start, error);
    return snpy_pack_result(writer, status, false, error);
}

snpy_status snpy_archive_writer_begin(snpy_archive_writer *writer, const char *key, const snpy_description *description,
                                      snpy_io_error *error)
{
    snpy_array head;
    snpy_status status = snpy_pack_expect(writer, false, error);
    if (status != SNPY_OK) return status;
    status = snpy_pack_head(description, &head, error);
    if (status == SNPY_OK) status = snpy_pack_array(writer, key, &head, NULL, error);
    snpy_array_release(&head);
    return status;
}

snpy_status snpy_archive_writer_put(snpy_archive_writer *writer, const void *data, uint64_t size, snpy_io_error *error)
{
    snpy_status status = snpy_pack_expect(writer, true, error);
    if (status != SNPY_OK) return status;
    return snpy_pack_result(writer, snpy_pack_put(writer, data, size, error), false, error);
}

snpy_status snpy_archive_writer_end(snpy_archive_writer *writer, snpy_io_error *error)
{
    snpy_status status = snpy_pack_expect(writer, true, error);
    if (status != SNPY_OK) return status;
    return snpy_pack_result(writer, snpy_pack_end(writer, error), false, error);
}

snpy_status snpy_archive_writer_add(snpy_archive_writer *writer, const char *key, const snpy_description *description,
                                    const void *data, uint64_t size, snpy_io_error *error)
{
    static const uint8_t nothing[1] = {0};
    snpy_array head;
    snpy_status status = snpy_pack_expect(writer, false, error);
    if (status != SNPY_OK) return status;
    status = snpy_pack_head(description, &head, error);
    const snpy_header *header = &head.header;
    if (status == SNPY_OK && size < header->data_size)
        status = snpy_io_refuse(error, SNPY_TRUNCATED_DATA, header->frame.data_offset + size);
    if (status == SNPY_OK && size > header->data_size)
        status = snpy_io_refuse(error, SNPY_TRAILING_DATA, header->frame.data_offset + header->data_size);
    if (status == SNPY_OK) status = snpy_pack_array(writer, key, &head, size > 0 ? data : nothing, error);
    snpy_array_release(&head);
    if (status == SNPY_OK && size > 0) status = snpy_archive_writer_put(writer, data, size, error);
    return status == SNPY_OK ? snpy_archive_writer_end(writer, error) : status;
}

/* --- what was written -------------------------------------------------------------------------------------- */

snpy_status snpy_archive_writer_set_level(snpy_archive_writer *writer, uint32_t level, snpy_io_error *error)
{
    snpy_status status = snpy_pack_expect(writer, false, error);
    if (status != SNPY_OK) return status;
    if (level > 9 || (level > 0 && !writer->has_pool)) return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    writer->level = level;
    return SNPY_OK;
}

size_t snpy_archive_writer_count(const snpy_archive_writer *writer)
{
    return writer != NULL ? writer->keys.count : 0;
}

snpy_status snpy_archive_writer_member(snpy_archive_writer *writer, size_t index, snpy_written_member *member,
                                       snpy_io_error *error)
{
    snpy_status status = snpy_pack_expect(writer, false, error);
    if (status == SNPY_OK && index >= writer->keys.count) return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, index);
    if (status != SNPY_OK) return status;
    status = snpy_pack_drain(writer, error);
    if (status != SNPY_OK) return snpy_pack_result(writer, status, false, error);
    const struct snpy_zip_entry *entry = &writer->entries[index];
    member->name = snpy_keys_name(&writer->keys, index, &member->name_length);
    member->is_deflated = entry->method == SNPY_ZIP_DEFLATED;
    member->size = entry->size;
    member->compressed_size = entry->compressed_size;
    member->data_offset = snpy_pack_data_offset(entry);
    member->crc = entry->crc;
    return SNPY_OK;
}

/* --- the directory ----------------------------------------------------------------------------------------- */

/* Writes a member's central header to `out`. If `padding` is not 0, adds a field of zeros that makes the extra fields
 * as long as they can be. Returns the length.                                                     NPZ-WRITE-004, 006 */
static size_t snpy_make_central(const snpy_archive_writer *writer, size_t index, size_t padding, uint8_t *out)
{
    uint8_t zip64[SNPY_ZIP_MAX_ZIP64_FIELD];
    size_t length = 0;
    const uint8_t *name = snpy_keys_name(&writer->keys, index, &length);
    const size_t zip64_length = snpy_zip_put_central_zip64(&writer->entries[index], zip64);
    if (padding > 0) padding = UINT16_MAX - zip64_length;
    size_t at = SNPY_ZIP_CENTRAL_SIZE;
    snpy_zip_put_central(&writer->entries[index], (uint32_t)(zip64_length + padding), out);
    memcpy(out + at, name, length);
    at += length;
    memcpy(out + at, zip64, zip64_length);
    at += zip64_length;
    if (padding > 0) snpy_zip_put_padding((uint32_t)padding, out + at);
    return at + padding;
}

/* Writes the last central header, if there is a member, and the end records to `out`. With `is_padded` the header gets
 * a long field of zeros. `directory` is the offset of the directory. Returns the length. */
static size_t snpy_make_last(const snpy_archive_writer *writer, uint64_t directory, bool is_padded, uint8_t *out)
{
    const size_t count = writer->keys.count;
    size_t size = count > 0 ? snpy_make_central(writer, count - 1, is_padded, out) : 0;
    return size + snpy_zip_put_end(count, writer->sink.position + size - directory, directory, out + size);
}

/* Writes the last central header and the end records so that a reader finds the end. Data, names or numbers may contain
 * the signature of an end record or locator; if a reader would be misled, the last central header gets a long field of
 * zeros, which moves them out of the range that it searches.                   NPZ-END-005, NPZ-WIDE-001, NPZ-WRITE-010
 *
 * tail, tail_size  the last bytes of the archive so far; at most LAST_CAPACITY bytes of records are written after them
 * returns          SNPY_OK and the length of the records; or the error that a reader would report */
static snpy_status snpy_make_findable(const snpy_archive_writer *writer, uint64_t directory, uint8_t *tail,
                                      size_t tail_size, size_t *last_size, snpy_io_error *error)
{
    static const snpy_zip_options plain = SNPY_ZIP_OPTIONS_INIT;
    snpy_zip_options options = plain;
    snpy_zip_directory found;
    snpy_status status = SNPY_OK;
    options.max_members = SNPY_ZIP_MAX_MEMBERS;
    for (int attempt = 0; attempt < 2; attempt++) {
        *last_size = snpy_make_last(writer, directory, attempt > 0, tail + tail_size);
        status = snpy_zip_find(tail, tail_size + *last_size, writer->sink.position + *last_size, &options, &found,
                               &error->error);
        if (status == SNPY_OK) return SNPY_OK;
    }
    return status;
}

/* Adds the last central header and the end records to the archive. */
static snpy_status snpy_put_last(snpy_archive_writer *writer, uint64_t directory, snpy_io_error *error)
{
    uint8_t *tail = malloc(SNPY_ZIP_TAIL + LAST_CAPACITY);
    size_t last_size = 0;
    if (tail == NULL) return snpy_io_no_memory(error, "malloc");
    size_t tail_size = snpy_sink_tail(&writer->sink, tail);
    snpy_status status = snpy_make_findable(writer, directory, tail, tail_size, &last_size, error);
    if (status == SNPY_OK) status = snpy_sink_put(&writer->sink, tail + tail_size, last_size, error);
    free(tail);
    return status;
}

/* Adds the directory and the end records to the archive, and writes the buffer to the output.          NPZ-WRITE-003 */
static snpy_status snpy_put_directory(snpy_archive_writer *writer, snpy_io_error *error)
{
    const uint64_t directory = writer->sink.position;
    uint8_t *central = malloc(SNPY_ZIP_CENTRAL_SIZE + 2 * (size_t)UINT16_MAX);
    if (central == NULL) return snpy_io_no_memory(error, "malloc");
    snpy_status status = SNPY_OK;
    for (size_t i = 0; i + 1 < writer->keys.count && status == SNPY_OK; i++)
        status = snpy_sink_put(&writer->sink, central, snpy_make_central(writer, i, 0, central), error);
    free(central);
    if (status == SNPY_OK) status = snpy_put_last(writer, directory, error);
    return status == SNPY_OK ? snpy_sink_flush(&writer->sink, error) : status;
}

snpy_status snpy_archive_writer_finish(snpy_archive_writer **writer, snpy_io_error *error)
{
    snpy_status status = snpy_pack_expect(*writer, false, error);
    if (status == SNPY_OK) status = snpy_pack_drain(*writer, error);
    if (status == SNPY_OK) status = snpy_put_directory(*writer, error);
    if (status == SNPY_OK) status = snpy_output_finish(&(*writer)->sink.output, error);
    snpy_archive_writer_abandon(writer);
    return status;
}
