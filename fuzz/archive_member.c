/* archive_member.c: an archive opened from memory and from a file, and each member read in every way there is: at once,
 * in random pieces, loaded, into a buffer, mapped, by several threads, checked. Holds: each way gives the bytes and the
 * verdict that a plain inflater, a plain CRC and the core's header give; limits are kept, of sizes and of memory; a
 * member at fault hides no other; a strict archive is refused for the first of them. What is salvaged, of a good archive or
 * a broken one, are the good members with their bytes. */
#define _GNU_SOURCE /* NOLINT: memfd_create */
#include "fuzz/inflate.h"
#include "fuzz/memory.h"
#include "fuzz/zip.h"
#include "fuzz/zip_parts.h"
#include "npz/npz.h"
#include "npz/salvage.h"
#include "safenpy/archive.h"
#include "safenpy/zip.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST_MEMBER 65536u /* limits of this harness: the plain inflater is slow */
#define MOST_TOTAL 131072u
#define AHEAD 5u /* bytes of a file in front of the archive that is opened by a descriptor */

/* ---- memory ------------------------------------------------------------------------------------------------- */

/* Since then no more was taken at any time than this, and an allocator's rounding. */
static void must_have_taken(size_t begin, uint64_t most)
{
    FUZZ_MUST(fuzz_memory_most(begin) <= most + most / 8 + 4096);
}

/* ---- what a member is --------------------------------------------------------------------------------------- */

/* What all ways have to say of a member. */
struct wanted {
    snpy_status bytes_status; /* of its bytes */
    uint64_t bytes_offset;
    snpy_status status; /* of its array */
    uint64_t offset;
    uint8_t *bytes;
    struct fuzz_header head; /* if the bytes are a good header */
};

static void refuse(struct wanted *wanted, snpy_status status, uint64_t offset)
{
    wanted->bytes_status = wanted->status = status;
    wanted->bytes_offset = wanted->offset = offset;
}

/* What a deflate stream gives, against the size that it should have. One byte more is enough to know of a stream that
 * it is too long.                                                                             NPZ-DATA-002 … 004 */
static void want_inflated(const uint8_t *file, const snpy_zip_member *member, struct wanted *wanted)
{
    size_t size = (size_t)member->size;
    uint8_t *out = fuzz_memory(size + 1, 1);
    uint64_t size_at = member->central_offset + 24;
    struct inflated got = plain_inflate(file + member->data_offset, (size_t)member->compressed_size, out, size + 1);
    wanted->bytes = out;
    if (got.given <= size && !got.is_whole)
        refuse(wanted, SNPY_ZIP_BAD_DEFLATE, member->data_offset);
    else if (got.is_whole && got.used < member->compressed_size)
        refuse(wanted, SNPY_ZIP_DEFLATE_TRAILING, member->data_offset + got.used);
    else if (got.given != size)
        refuse(wanted, SNPY_ZIP_INFLATED_SIZE, size_at);
}

static void want_bytes(const uint8_t *file, const snpy_zip_member *member, const snpy_archive_options *options,
                       struct wanted *wanted)
{
    uint64_t size_at = member->central_offset + 24;
    if (member->method == SNPY_ZIP_DEFLATED && member->size > options->max_member_bytes)
        refuse(wanted, SNPY_ZIP_MEMBER_TOO_LARGE, size_at);
    else if (member->method == SNPY_ZIP_DEFLATED && member->size > member->compressed_size * options->max_ratio)
        refuse(wanted, SNPY_ZIP_RATIO, size_at);
    else if (member->method == SNPY_ZIP_DEFLATED)
        want_inflated(file, member, wanted);
    else
        wanted->bytes = fuzz_copy(file + member->data_offset, (size_t)member->size);
    if (wanted->bytes_status != SNPY_OK) return;
    if (zip_parts_crc(wanted->bytes, (size_t)member->size) != member->crc)
        refuse(wanted, SNPY_ZIP_BAD_CRC, member->central_offset + 16);
}

/* Whether the bytes are an array, and of what.                                                NPZ-NPY-001 … 005 */
static void want_array(uint64_t size, struct wanted *wanted)
{
    snpy_options limits = SNPY_OPTIONS_INIT;
    snpy_error error = {SNPY_NOT_AN_ARRAY, 0};
    bool is_array = size >= 6 && memcmp(wanted->bytes, "\x93NUMPY", 6) == 0;
    if (is_array) {
        fuzz_parse(wanted->bytes, (size_t)size, &limits, &wanted->head);
        error = wanted->head.error;
        if (error.status == SNPY_OK) (void)snpy_check_data(&wanted->head.header, size, false, &error);
        if (error.status == SNPY_OK && wanted->head.header.has_object) {
            error.status = SNPY_OBJECT_DATA;
            error.offset = wanted->head.header.frame.data_offset;
        }
    }
    wanted->status = error.status;
    wanted->offset = error.offset;
}

static void want(const uint8_t *file, const snpy_zip_member *member, const snpy_archive_options *options,
                 struct wanted *wanted)
{
    memset(wanted, 0, sizeof *wanted);
    want_bytes(file, member, options, wanted);
    if (wanted->bytes_status == SNPY_OK) want_array(member->size, wanted);
}

/* Memory that reading a member may take: what inflating takes; its header, of a limited length, with its table; and if
 * it is loaded, its data once. Nothing, if it is refused for its size.                NPZ-LIMIT-002, NPZ-NPY-004 */
static uint64_t most_memory(const snpy_zip_member *member, const struct wanted *wanted, bool is_loaded)
{
    if (wanted->status == SNPY_ZIP_MEMBER_TOO_LARGE || wanted->status == SNPY_ZIP_RATIO) return 0;
    uint64_t head = member->size < 65548 ? member->size : 65548;
    return 262144 + 24 * head + (is_loaded ? member->size : 0);
}

/* ---- ways --------------------------------------------------------------------------------------------------- */

static void must_be_status(snpy_status status, snpy_status wanted, uint64_t offset, const snpy_io_error *error)
{
    char text[512];
    FUZZ_MUST(error->error.status == status && error->system_error == 0);
    if (status != wanted) fuzz_fail(snpy_status_name(status), snpy_status_name(wanted), 0);
    FUZZ_MUST(error->error.offset == offset);
    FUZZ_MUST(status == SNPY_OK || snpy_io_error_text(error, text, sizeof text) > 0);
    FUZZ_MUST(status == SNPY_OK || status == SNPY_BAD_ARGUMENT || error->member[0] != '\0');
}

/* An array as it was wanted, or none. */
static void must_be_array(const struct wanted *wanted, snpy_status status, const snpy_array *array,
                          const snpy_io_error *error, bool has_data)
{
    must_be_status(status, wanted->status, wanted->offset, error);
    if (status != SNPY_OK && status != SNPY_OBJECT_DATA) {
        FUZZ_MUST(array->data == NULL && array->text == NULL);
        return;
    }
    const snpy_header *header = &wanted->head.header;
    FUZZ_MUST(array->header.count == header->count && array->header.ndim == header->ndim);
    FUZZ_MUST(array->header.frame.data_offset == header->frame.data_offset);
    if (status != SNPY_OK || !has_data) return;
    FUZZ_MUST(array->data_size == header->data_size);
    FUZZ_MUST(array->data_size == 0 ||
              memcmp(array->data, wanted->bytes + header->frame.data_offset, (size_t)array->data_size) == 0);
}

static void read_at_once(const snpy_archive *archive, size_t index, const struct wanted *wanted)
{
    uint64_t size = snpy_archive_member(archive, index)->size;
    snpy_io_error error;
    bool is_small = wanted->bytes_status == SNPY_ZIP_MEMBER_TOO_LARGE || wanted->bytes_status == SNPY_ZIP_RATIO;
    uint8_t *out = fuzz_memory(is_small ? 0 : (size_t)size, 1);
    size_t begin = fuzz_memory_begin();
    snpy_status status = snpy_archive_read(archive, index, out, size, &error);
    must_have_taken(begin, most_memory(snpy_archive_member(archive, index), wanted, false));
    must_be_status(status, wanted->bytes_status, wanted->bytes_offset, &error);
    if (status == SNPY_OK && size > 0) {
        FUZZ_MUST(memcmp(out, wanted->bytes, (size_t)size) == 0);
        fuzz_fill(out, (size_t)size);
        FUZZ_MUST(snpy_archive_read(archive, index, out, size - 1, &error) == SNPY_BUFFER_TOO_SMALL);
        FUZZ_MUST(error.error.offset == size && fuzz_is_filled(out, (size_t)size));
    }
    free(out);
}

/* In pieces, some of them of nothing; each in memory of its own. */
static void read_pieces(const snpy_archive *archive, size_t index, const struct wanted *wanted, uint32_t random)
{
    snpy_member *member;
    snpy_io_error error;
    snpy_status status = snpy_member_open(archive, index, &member, &error);
    for (bool is_over = status != SNPY_OK; !is_over;) {
        random = random * 1664525u + 1013904223u;
        size_t room = random >> 30 == 0 ? random >> 8 & 0xfff : random >> 8 & 0x3f;
        size_t received = 0;
        uint64_t before = snpy_member_position(member);
        uint8_t *out = fuzz_memory(room, 1);
        status = snpy_member_read(member, out, room, &received, &error);
        FUZZ_MUST(received <= room && received <= snpy_member_size(member) - before);
        is_over = status != SNPY_OK || (snpy_member_position(member) == snpy_member_size(member) && received < room);
        if (status == SNPY_OK) {
            FUZZ_MUST(snpy_member_position(member) == before + received &&
                      (received == room || snpy_member_position(member) == snpy_member_size(member)));
            if (wanted->bytes_status == SNPY_OK && received > 0)
                FUZZ_MUST(memcmp(out, wanted->bytes + before, received) == 0);
        }
        free(out);
    }
    must_be_status(status, wanted->bytes_status, wanted->bytes_offset, &error);
    snpy_member_close(&member);
    snpy_member_close(&member);
}

static void load(const snpy_archive *archive, size_t index, const struct wanted *wanted)
{
    snpy_array array;
    snpy_io_error error;
    snpy_load_options how = {.size = sizeof(snpy_load_options), .header_only = true};
    size_t begin = fuzz_memory_begin();
    snpy_status status = snpy_archive_load(archive, index, NULL, &array, &error);
    must_have_taken(begin, most_memory(snpy_archive_member(archive, index), wanted, wanted->status == SNPY_OK));
    must_be_array(wanted, status, &array, &error, true);
    FUZZ_MUST(array.data == NULL || (uintptr_t)array.data % 64 == 0);
    snpy_array_release(&array);
    FUZZ_MUST(fuzz_memory_begin() == begin);
    status = snpy_archive_load(archive, index, &how, &array, &error);
    must_be_array(wanted, status, &array, &error, false);
    FUZZ_MUST(array.data == NULL);
    snpy_array_release(&array);
    FUZZ_MUST(fuzz_memory_begin() == begin);
}

/* Into a buffer that has just the size, and into one that lacks a byte. */
static void load_into(const snpy_archive *archive, size_t index, const struct wanted *wanted)
{
    snpy_array array;
    snpy_io_error error;
    uint64_t size = wanted->status == SNPY_OK ? wanted->head.header.data_size : 0;
    uint8_t *buffer = fuzz_memory((size_t)size, 1);
    snpy_load_options how = {.size = sizeof(snpy_load_options), .buffer = buffer, .capacity = size};
    if (wanted->status == SNPY_OK) {
        must_be_array(wanted, snpy_archive_load(archive, index, &how, &array, &error), &array, &error, true);
        FUZZ_MUST(size == 0 || array.data == buffer);
        snpy_array_release(&array);
    }
    if (size > 0) {
        fuzz_fill(buffer, (size_t)size);
        how.capacity = size - 1;
        FUZZ_MUST(snpy_archive_load(archive, index, &how, &array, &error) == SNPY_BUFFER_TOO_SMALL);
        FUZZ_MUST(array.data == NULL && array.header.data_size == size && fuzz_is_filled(buffer, (size_t)size));
        snpy_array_release(&array);
    }
    free(buffer);
}

static void check(const snpy_archive *archive, size_t index, const struct wanted *wanted)
{
    snpy_array head;
    snpy_io_error error;
    bool is_array;
    snpy_status status = snpy_archive_check(archive, index, &is_array, &head, &error);
    bool is_good =
        wanted->status == SNPY_OK || wanted->status == SNPY_NOT_AN_ARRAY || wanted->status == SNPY_OBJECT_DATA;
    must_be_status(status, is_good ? SNPY_OK : wanted->status, is_good ? 0 : wanted->offset, &error);
    if (wanted->bytes_status == SNPY_OK) FUZZ_MUST(is_array == (wanted->status != SNPY_NOT_AN_ARRAY));
    FUZZ_MUST(head.data == NULL);
    if (status == SNPY_OK && is_array) FUZZ_MUST(head.header.count == wanted->head.header.count);
    snpy_array_release(&head);
}

/* Without a copy: what is stored, and nothing else. A CRC that was put off is verified later.       NPZ-DATA-006 */
static void map(const snpy_archive *archive, size_t index, const struct wanted *wanted, snpy_map_mode mode)
{
    snpy_array array;
    snpy_io_error error;
    snpy_status status = snpy_archive_map(archive, index, mode, false, &array, &error);
    if (snpy_archive_member(archive, index)->method != SNPY_ZIP_STORED ||
        (mode == SNPY_MAP_COPY && archive->bytes != NULL)) {
        FUZZ_MUST(status == SNPY_BAD_ARGUMENT && array.data == NULL);
        return;
    }
    must_be_array(wanted, status, &array, &error, true);
    snpy_array_release(&array);
    status = snpy_archive_map(archive, index, mode, true, &array, &error);
    if (wanted->bytes_status == SNPY_OK) must_be_array(wanted, status, &array, &error, true);
    if (status == SNPY_OK) {
        status = snpy_archive_verify(archive, index, &array, &error);
        must_be_status(status, wanted->bytes_status, wanted->bytes_offset, &error);
    }
    snpy_array_release(&array);
}

/* ---- names -------------------------------------------------------------------------------------------------- */

/* A name or a key, which is whole in a buffer of its size and cut between characters in a smaller one. */
static char *text_of(size_t (*get)(const snpy_archive *, size_t, char *, size_t), const snpy_archive *archive,
                     size_t index)
{
    size_t length = get(archive, index, NULL, 0);
    char *text = fuzz_memory(length + 1, 1);
    FUZZ_MUST(length <= 3 * (size_t)snpy_archive_member(archive, index)->name_length);
    for (size_t room = length < 8 ? 1 : length - 7; room <= length + 1; room++) {
        fuzz_fill(text, length + 1);
        FUZZ_MUST(get(archive, index, text, room) == length);
        size_t cut = strlen(text);
        FUZZ_MUST(cut < room && cut + 4 >= room && fuzz_is_filled(text + room, length + 1 - room));
        for (size_t at = 0, step; at < cut; at += step) {
            uint32_t code;
            step = snpy_zip_name_next((const uint8_t *)text, cut, at, SNPY_ZIP_FLAG_UTF8, &code);
            FUZZ_MUST(step > 0 && code != 0);
        }
    }
    FUZZ_MUST(strlen(text) == length);
    return text;
}

/* A name finds its member; a key finds it, or the one that has it as its name.                     NPZ-NAME-007 */
static void must_be_found(const snpy_archive *archive, size_t index)
{
    snpy_io_error error;
    size_t found;
    char *name = text_of(snpy_archive_name, archive, index);
    char *key = text_of(snpy_archive_key, archive, index);
    FUZZ_MUST(snpy_archive_find(archive, name, &found, &error) == SNPY_OK && found == index);
    FUZZ_MUST(snpy_archive_find(archive, key, &found, &error) == SNPY_OK && found < snpy_archive_count(archive));
    if (found != index) {
        char *other = text_of(snpy_archive_name, archive, found);
        FUZZ_MUST(strcmp(other, key) == 0);
        free(other);
    }
    size_t length = strlen(key);
    FUZZ_MUST(strncmp(name, key, length) == 0 && (name[length] == '\0' || strcmp(name + length, ".npy") == 0));
    free(name);
    free(key);
}

/* ---- archives ----------------------------------------------------------------------------------------------- */

static void read_all_ways(const snpy_archive *archive, size_t index, const struct wanted *wanted, uint32_t random)
{
    read_at_once(archive, index, wanted);
    read_pieces(archive, index, wanted, random + (uint32_t)index);
    load(archive, index, wanted);
    load_into(archive, index, wanted);
    check(archive, index, wanted);
    map(archive, index, wanted, SNPY_MAP_READ);
    map(archive, index, wanted, SNPY_MAP_COPY);
    must_be_found(archive, index);
}

/* Which member is the first beyond the limit of one call, or count.                               NPZ-LIMIT-003 */
static size_t first_beyond(const snpy_archive *archive, const snpy_archive_options *options)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < snpy_archive_count(archive); i++) {
        const snpy_zip_member *member = snpy_archive_member(archive, i);
        if (member->method != SNPY_ZIP_DEFLATED || member->size > options->max_member_bytes) continue;
        sum += member->size;
        if (sum > options->max_total_bytes) return i;
    }
    return snpy_archive_count(archive);
}

/* All at once: each as it is alone, whatever the others are.                                        NPZ-ERR-002 */
static void load_together(const snpy_archive *archive, const struct wanted *wanted, size_t beyond, unsigned threads)
{
    size_t count = snpy_archive_count(archive);
    size_t *indices = fuzz_memory(count, sizeof *indices);
    snpy_array *arrays = fuzz_memory(count, sizeof *arrays);
    snpy_io_error *errors = fuzz_memory(count, sizeof *errors);
    snpy_status first = SNPY_OK;
    for (size_t i = 0; i < count; i++) indices[i] = i;
    snpy_status status = snpy_archive_load_several(archive, indices, count, threads, arrays, errors);
    for (size_t i = 0; i < count; i++) {
        if (beyond < count) {
            FUZZ_MUST(errors[i].error.status == SNPY_ZIP_TOTAL_TOO_LARGE && arrays[i].data == NULL);
            FUZZ_MUST(errors[i].error.offset == snpy_archive_member(archive, beyond)->central_offset + 24);
        } else {
            must_be_array(&wanted[i], errors[i].error.status, &arrays[i], &errors[i], true);
        }
        if (first == SNPY_OK) first = errors[i].error.status;
        snpy_array_release(&arrays[i]);
    }
    FUZZ_MUST(status == first);
    free(indices);
    free(arrays);
    free(errors);
}

/* Whether a strict archive is refused for a member: it breaks a rule, or is named ".npy" and is no NPY file.
 *                                                                                     NPZ-ERR-002, NPZ-NPY-001 */
static bool is_at_fault(const snpy_archive *archive, size_t index, snpy_status status)
{
    const bool is_named_array = snpy_archive_name(archive, index, NULL, 0) != snpy_archive_key(archive, index, NULL, 0);
    if (status == SNPY_NOT_AN_ARRAY) return is_named_array;
    return status != SNPY_OK && status != SNPY_OBJECT_DATA;
}

/* A strict archive is refused for the first member at fault.                                        NPZ-ERR-002 */
static void open_strictly(const uint8_t *data, size_t size, const snpy_archive_options *options,
                          const snpy_archive *archive, const struct wanted *wanted, size_t beyond)
{
    snpy_archive_options strict = *options;
    snpy_archive *opened;
    snpy_io_error error;
    size_t bad = 0;
    strict.strict = true;
    while (bad < snpy_archive_count(archive) && !is_at_fault(archive, bad, wanted[bad].status)) bad++;
    snpy_status status = snpy_archive_open_memory(data, size, &strict, &opened, &error);
    if (beyond < snpy_archive_count(archive))
        must_be_status(status, SNPY_ZIP_TOTAL_TOO_LARGE, snpy_archive_member(archive, beyond)->central_offset + 24,
                       &error);
    else if (bad < snpy_archive_count(archive))
        must_be_status(status, wanted[bad].status, wanted[bad].status == SNPY_NOT_AN_ARRAY ? 0 : wanted[bad].offset,
                       &error);
    else
        FUZZ_MUST(status == SNPY_OK && snpy_archive_count(opened) == snpy_archive_count(archive));
    FUZZ_MUST(status == SNPY_OK || opened == NULL);
    snpy_archive_close(&opened);
}

/* At once, by libdeflate: what is good is the same; it may accept streams that are forbidden, and nothing else. */
static void load_at_once(const uint8_t *data, size_t size, const snpy_archive_options *options,
                         const struct wanted *wanted)
{
    snpy_archive_options at_once = *options;
    snpy_archive *archive;
    snpy_io_error error;
    at_once.strict_deflate = false;
    FUZZ_MUST(snpy_archive_open_memory(data, size, &at_once, &archive, &error) == SNPY_OK);
    for (size_t i = 0; i < snpy_archive_count(archive); i++) {
        snpy_array array;
        snpy_status status = snpy_archive_load(archive, i, NULL, &array, &error);
        if (wanted[i].status != SNPY_ZIP_BAD_DEFLATE || status != SNPY_OK)
            must_be_array(&wanted[i], status, &array, &error, true);
        snpy_array_release(&array);
    }
    snpy_archive_close(&archive);
}

/* A descriptor that stands where the archive begins, behind other bytes. */
static int open_file(const uint8_t *data, size_t size)
{
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_MUST(descriptor >= 0 && write(descriptor, "ahead", AHEAD) == (ssize_t)AHEAD);
    FUZZ_MUST(size == 0 || write(descriptor, data, size) == (ssize_t)size);
    FUZZ_MUST(lseek(descriptor, AHEAD, SEEK_SET) == (off_t)AHEAD);
    return descriptor;
}

/* The same archive from a file: the same verdict, and all members read in all ways once more. */
static void open_again(const uint8_t *data, size_t size, const snpy_archive_options *options, snpy_status wanted_status,
                       uint64_t offset, const struct wanted *wanted, uint32_t random)
{
    snpy_archive *archive;
    snpy_io_error error;
    int descriptor = open_file(data, size);
    snpy_status status = snpy_archive_open_descriptor(descriptor, options, &archive, &error);
    FUZZ_MUST(status == wanted_status && error.error.offset == offset && error.system_error == 0);
    for (size_t i = 0; i < snpy_archive_count(archive); i++) read_all_ways(archive, i, &wanted[i], random);
    snpy_archive_close(&archive);
    close(descriptor);
}

/* ---- salvage ------------------------------------------------------------------------------------------------ */

/* What salvage has reported, against what it has to say of each member of an archive that can be opened. */
struct salvaged {
    const uint8_t *data;
    size_t size;
    const struct wanted *wanted; /* NULL: it cannot be opened */
    size_t count;
    size_t kept;
};

static void take_report(void *context, const snpy_salvaged *member)
{
    struct salvaged *told = context;
    if (told->wanted != NULL) FUZZ_MUST(member->is_kept == (told->wanted[told->count].bytes_status == SNPY_OK));
    if (member->is_kept) {
        FUZZ_MUST(member->offset < told->size && told->size - member->offset >= 30 &&
                  memcmp(told->data + member->offset, "PK\3\4", 4) == 0);
        FUZZ_MUST(member->is_array || member->error.status == SNPY_OK);
        told->kept++;
    } else {
        FUZZ_MUST(member->error.status != SNPY_OK);
    }
    told->count++;
}

/* The new archive has the members that were kept, each whole; of an archive that can be opened, with the wanted bytes. */
static void must_be_saved(int descriptor, const snpy_archive *old, const struct salvaged *told)
{
    snpy_archive *archive;
    snpy_io_error error;
    size_t next = 0;
    FUZZ_MUST(lseek(descriptor, 0, SEEK_SET) == 0);
    FUZZ_MUST(snpy_archive_open_descriptor(descriptor, NULL, &archive, &error) == SNPY_OK);
    FUZZ_MUST(snpy_archive_count(archive) == told->kept);
    for (size_t i = 0; i < snpy_archive_count(archive); i++) {
        const size_t size = (size_t)snpy_archive_member(archive, i)->size;
        uint8_t *bytes = fuzz_memory(size + 1, 1);
        FUZZ_MUST(snpy_archive_read(archive, i, bytes, size, &error) == SNPY_OK);
        if (told->wanted != NULL) {
            while (next < snpy_archive_count(old) && told->wanted[next].bytes_status != SNPY_OK) next++;
            FUZZ_MUST(next < snpy_archive_count(old));
            FUZZ_MUST(snpy_archive_member(old, next)->size == size &&
                      memcmp(bytes, told->wanted[next].bytes, size) == 0);
            next++;
        }
        free(bytes);
    }
    snpy_archive_close(&archive);
}

static void salvage(const uint8_t *data, size_t size, const snpy_archive_options *options, const snpy_archive *old,
                    const struct wanted *wanted)
{
    snpy_archive_write_options how = SNPY_ARCHIVE_WRITE_OPTIONS_INIT;
    struct salvaged told = {data, size, wanted, 0, 0};
    snpy_archive_writer *writer;
    snpy_reader reader;
    snpy_io_error error;
    int descriptor = memfd_create("salvaged", MFD_CLOEXEC);
    FUZZ_MUST(descriptor >= 0);
    how.level = 1;
    how.any_keys = true;
    snpy_reader_of_memory(&reader, data, size);
    FUZZ_MUST(snpy_archive_writer_open_descriptor(&writer, descriptor, &how, &error) == SNPY_OK);
    const snpy_salvage_request order = {&reader, options, writer, 1, take_report, &told};
    FUZZ_MUST(snpy_archive_salvage(&order, &error) == SNPY_OK);
    FUZZ_MUST(snpy_archive_writer_finish(&writer, &error) == SNPY_OK);
    if (wanted != NULL) FUZZ_MUST(told.count == snpy_archive_count(old));
    must_be_saved(descriptor, old, &told);
    close(descriptor);
}

/* Limits that the input chooses, mostly wide ones. */
static snpy_archive_options choose_options(uint32_t random)
{
    static snpy_zip_options walk = SNPY_ZIP_OPTIONS_INIT;
    snpy_archive_options options = SNPY_ARCHIVE_OPTIONS_INIT;
    options.zip = &walk;
    options.strict_deflate = true; /* so that all ways agree; load_at_once loads without */
    options.max_member_bytes = random % 8 == 0 ? 200 : MOST_MEMBER;
    options.max_total_bytes = random / 8 % 8 == 0 ? 500 : MOST_TOTAL;
    if (random / 64 % 8 == 0) options.max_ratio = 1 + random / 512 % 4;
    walk.prefix = random / 2048 % 8 == 0;
    walk.trailing = walk.gaps = walk.unsigned_descriptor = random / 16384 % 2 == 0;
    return options;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t random = zip_mix(data, size);
    snpy_archive_options options = choose_options(random);
    snpy_archive *archive;
    snpy_io_error error;
    size_t begin = fuzz_memory_begin();
    snpy_status status = snpy_archive_open_memory(data, size, &options, &archive, &error);
    must_have_taken(begin, 262144 + 4 * (uint64_t)size);
    FUZZ_MUST(status == error.error.status && error.system_error == 0);
    FUZZ_MUST(status == SNPY_OK || (archive == NULL && fuzz_memory_begin() == begin));
    uint64_t at = error.error.offset;
    size_t count = snpy_archive_count(archive);
    struct wanted *wanted = fuzz_memory(count, sizeof *wanted);
    for (size_t i = 0; i < count; i++) {
        want(data, snpy_archive_member(archive, i), &options, &wanted[i]);
        read_all_ways(archive, i, &wanted[i], random);
    }
    bool is_chosen = fuzz_is_chosen(data, size); /* to open it in four more ways takes longer than all of this */
    if (status == SNPY_OK && is_chosen) {
        size_t beyond = first_beyond(archive, &options);
        load_together(archive, wanted, beyond, 1 + random % 3);
        open_strictly(data, size, &options, archive, wanted, beyond);
        load_at_once(data, size, &options, wanted);
    }
    if (is_chosen) {
        salvage(data, size, &options, archive, status == SNPY_OK && count > 0 ? wanted : NULL);
        open_again(data, size, &options, status, at, wanted, random);
    }
    for (size_t i = 0; i < count; i++) {
        free(wanted[i].bytes);
        fuzz_release(&wanted[i].head);
    }
    free(wanted);
    snpy_archive_close(&archive);
    return 0;
}
