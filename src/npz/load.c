/* load.c: loads and checks the arrays of members.  NPZ-NPY-001 … 006, NPZ-LIMIT-003, API-BUFFER, API-ARRAY, HOST-MEMORY
 * member.c and whole.c read the bytes of members, the core parses headers.
 *
 * Errors of a member's data win over errors of its header (NPZ-ERR-001). So a member whose header is refused is still
 * read to its end, in bounded memory: damaged data may be the reason. */
#include "npz/npz.h"

#include <stdlib.h>
#include <string.h>

/* Alignment of an array's data in memory, in bytes. */
#define DATA_ALIGNMENT 64u

/* The data of a member may exceed its size by an eighth and this many bytes. No compressor makes longer ones; they are
 * not read into memory as a whole. */
#define MAX_WASTE ((uint64_t)1 << 20)

/* Reads exactly `size` bytes, which must be left in the member. */
static snpy_status snpy_read_exactly(snpy_member *member, uint8_t *out, size_t size, snpy_io_error *error)
{
    size_t received = 0;
    return snpy_member_read(member, out, size, &received, error);
}

/* Whether bytes begin with the magic of NPY files.                                                       NPZ-NPY-001 */
static bool snpy_is_npy(const uint8_t *bytes, size_t length)
{
    static const uint8_t magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    return length >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

/* Refuses a member for a rule of NPY files; `offset` counts from the member's first byte. Returns the status.
 *                                                                                                        NPZ-ERR-003 */
static snpy_status snpy_refuse_array(const snpy_member *member, snpy_status status, uint64_t offset,
                                     snpy_io_error *error)
{
    snpy_set_error_member(member->archive, member->index, error);
    return snpy_io_refuse(error, status, offset);
}

/* Whether a status comes from the header of an array, so that the data of the member must still be checked. */
static bool snpy_is_of_array(snpy_status status)
{
    return (status >= SNPY_BAD_MAGIC && status <= SNPY_NO_OBJECTS) || status == SNPY_OBJECT_DATA ||
           status == SNPY_BAD_ARGUMENT;
}

/* Reads the next bytes of a member: the callback of a snpy_reader. */
static snpy_status snpy_next_of_member(void *context, uint64_t offset, uint8_t *out, size_t wanted, size_t *got,
                                       snpy_io_error *error)
{
    (void)offset; /* always the member's position */
    return snpy_member_read(context, out, wanted, got, error);
}

snpy_status snpy_member_head(snpy_member *member, const snpy_options *limits, snpy_array *array, snpy_io_error *error)
{
    snpy_reader reader;
    snpy_reader_of_function(&reader, snpy_next_of_member, member, member->size, true);
    snpy_status status = snpy_read_array_header(&reader, limits, true, array, error);
    bool is_doubtful = status == SNPY_BAD_MAGIC || status == SNPY_TRUNCATED_PREFIX;
    if (is_doubtful && !snpy_is_npy(array->head_, array->head_size_))
        status = snpy_io_refuse(error, SNPY_NOT_AN_ARRAY, 0);
    if (snpy_is_of_array(status) || status == SNPY_NOT_AN_ARRAY)
        snpy_set_error_member(member->archive, member->index, error);
    return status;
}

snpy_status snpy_member_rest(snpy_member *member, snpy_status status, snpy_io_error *error)
{
    snpy_io_error later;
    if (status != SNPY_OK && status != SNPY_NOT_AN_ARRAY && !snpy_is_of_array(status)) return status;
    if (snpy_member_drain(member, &later) == SNPY_OK) return status;
    *error = later;
    return later.error.status;
}

snpy_status snpy_read_head_or_check_rest(snpy_member *member, const snpy_options *limits, snpy_array *array,
                                         snpy_io_error *error)
{
    snpy_status status = snpy_member_head(member, limits, array, error);
    return status == SNPY_OK ? SNPY_OK : snpy_member_rest(member, status, error);
}

/* Allocates memory for `size` bytes of data after `ahead` bytes of header. Sets array->data to where the data begin,
 * which is aligned. */
static snpy_status snpy_reserve_aligned(uint64_t ahead, uint64_t size, snpy_array *array, snpy_io_error *error)
{
    snpy_status status = snpy_array_reserve(array, ahead + size + DATA_ALIGNMENT, error);
    if (status != SNPY_OK) return status;
    size_t misfit = (size_t)(((uintptr_t)array->data + ahead) % DATA_ALIGNMENT);
    array->data += ahead + (DATA_ALIGNMENT - misfit) % DATA_ALIGNMENT;
    return SNPY_OK;
}

/* Inflates a whole member, header included, with libdeflate, so that the data are at array->data. *is_done as in
 * snpy_member_whole. After success the member's own stream is not needed any more. */
static snpy_status snpy_load_whole(const snpy_member *member, const snpy_array *array, bool *is_done,
                                   snpy_io_error *error)
{
    const uint64_t start = array->header.frame.data_offset;
    snpy_status status = snpy_member_whole(member->archive, member->index, array->data - start, is_done, error);
    if (status != SNPY_OK || !*is_done) return status;
    /* The header that was parsed must be the one that the CRC covers: the file may have changed in between. */
    if (memcmp(array->head_, array->data - start, (size_t)start) == 0) return SNPY_OK;
    return snpy_refuse_array(member, SNPY_FILE_CHANGED, member->archive->members[member->index].data_offset, error);
}

/* Reads the data of a member whose header is good into the caller's buffer or new memory, and checks the CRC. With
 * header_only, only checks them. libdeflate inflates a deflated member at once; if it fails, or may not be used, the member is
 * read as a stream, which also finds out what is wrong with it. */
static snpy_status snpy_load_member_data(snpy_member *member, const snpy_load_options *how, snpy_array *array,
                                         snpy_io_error *error)
{
    const snpy_zip_member *record = &member->archive->members[member->index];
    uint64_t size = array->header.data_size;
    if (how->header_only || size == 0) return snpy_member_drain(member, error);
    if (how->buffer != NULL && how->capacity < size) return snpy_io_refuse(error, SNPY_BUFFER_TOO_SMALL, 0);
    bool has_usual_size = record->compressed_size <= record->size + record->size / 8 + MAX_WASTE;
    bool at_once = has_usual_size && !member->archive->options.strict_deflate && record->method == SNPY_ZIP_DEFLATED &&
                   how->buffer == NULL;
    bool is_done = false;
    snpy_status status = SNPY_OK;
    if (how->buffer != NULL)
        array->data = how->buffer;
    else
        status = snpy_reserve_aligned(at_once ? array->header.frame.data_offset : 0, size, array, error);
    if (status == SNPY_OK && at_once) status = snpy_load_whole(member, array, &is_done, error);
    if (status != SNPY_OK || is_done) return status;
    return snpy_read_exactly(member, array->data, (size_t)size, error);
}

/* Loads the array of an open member. */
static snpy_status snpy_load_member(snpy_member *member, const snpy_load_options *how, snpy_array *array,
                                    snpy_io_error *error)
{
    const snpy_options *limits = how->limits != NULL ? how->limits : &member->archive->limits;
    snpy_status status = snpy_read_head_or_check_rest(member, limits, array, error);
    if (status == SNPY_OK) status = snpy_load_member_data(member, how, array, error);
    if (status != SNPY_OK) return status;
    if (how->header_only) return SNPY_OK;
    array->data_size = array->header.data_size;
    array->is_writable = array->data_size > 0;
    return SNPY_OK;
}

snpy_status snpy_archive_load(const snpy_archive *archive, size_t index, const snpy_load_options *how,
                              snpy_array *array, snpy_io_error *error)
{
    snpy_load_options own;
    snpy_member member;
    snpy_array_clear(array);
    snpy_status status = snpy_member_begin(archive, index, &member, error);
    if (status == SNPY_OK) status = snpy_take_load_options(&own, how, error);
    if (status == SNPY_OK) status = snpy_load_member(&member, &own, array, error);
    snpy_member_end(&member);
    if (status != SNPY_OK && status != SNPY_OBJECT_DATA && status != SNPY_BUFFER_TOO_SMALL) snpy_array_release(array);
    return status;
}

snpy_status snpy_archive_examine(const snpy_archive *archive, size_t index, bool with_data, bool *is_array,
                                 snpy_array *head, snpy_io_error *error)
{
    snpy_member member;
    *is_array = false;
    snpy_array_clear(head);
    snpy_status status = snpy_member_begin(archive, index, &member, error);
    if (status != SNPY_OK) return status;
    status = snpy_member_head(&member, &archive->limits, head, error);
    *is_array = head->header.frame.major != 0 || snpy_is_of_array(status);
    if (with_data) status = snpy_member_rest(&member, status, error);
    const bool is_passed = status == SNPY_NOT_AN_ARRAY || (status == SNPY_OBJECT_DATA && !archive->options.no_objects);
    if (is_passed) status = SNPY_OK;
    if (status == SNPY_OK) (void)snpy_archive_begin(archive, index, error);
    snpy_member_end(&member);
    if (status != SNPY_OK || !*is_array) snpy_array_release(head);
    return status;
}

snpy_status snpy_archive_check(const snpy_archive *archive, size_t index, bool *is_array, snpy_array *head,
                               snpy_io_error *error)
{
    return snpy_archive_examine(archive, index, true, is_array, head, error);
}

snpy_status snpy_archive_read(const snpy_archive *archive, size_t index, void *out, uint64_t capacity,
                              snpy_io_error *error)
{
    snpy_member member;
    snpy_status status = snpy_member_begin(archive, index, &member, error);
    if (status == SNPY_OK && capacity < member.size) status = snpy_io_refuse(error, SNPY_BUFFER_TOO_SMALL, member.size);
    if (status == SNPY_OK && member.size > 0) status = snpy_read_exactly(&member, out, (size_t)member.size, error);
    if (status == SNPY_OK) status = snpy_member_drain(&member, error);
    snpy_member_end(&member);
    return status;
}
