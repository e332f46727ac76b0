/* zip.c: the records of an archive that are written are read back as they were. */
#include "any.h"
#include "core/zip/end.c"
#include "core/zip/write_records.h"

#define MOST_MEMBERS 1048576

/* The end of an archive of a directory and nothing else is found, whatever the count, the size and the offset. */
void end(void)
{
    uint8_t out[SNPY_ZIP_MAX_END];
    const uint64_t count = nondet_uint64();
    const uint64_t size = nondet_uint64();
    const uint64_t offset = nondet_uint64();
    snpy_zip_directory directory = {0};
    snpy_error error = {SNPY_OK, 0};
    ASSUME(count <= MOST_MEMBERS && size <= SNPY_MAX_SIZE / 4 && offset <= SNPY_MAX_SIZE / 4);
    ASSUME(size >= 46 * count);
    const size_t length = snpy_zip_put_end(count, size, offset, out);
    for (size_t i = 0; i + 22 < length; i++)
        ASSUME(out[i] != 'P' || out[i + 1] != 'K' || out[i + 2] != 5 || out[i + 3] != 6);
    const snpy_status status =
        find_directory(out, length, offset + size + length, false, false, MOST_MEMBERS, &directory, &error);
    CHECK(status == SNPY_OK);
    CHECK(directory.count == count && directory.size == size && directory.offset == offset && directory.prefix == 0);
}

static struct snpy_zip_entry some_entry(void)
{
    struct snpy_zip_entry entry = {
        nondet_uint64(), nondet_uint64(), nondet_uint64(), nondet_uint32(), 0, SNPY_ZIP_DEFLATED, 1, nondet_bool()};
    const uint64_t most = SNPY_MAX_SIZE / 4;
    ASSUME(entry.offset <= most && entry.size <= most && entry.compressed_size <= most);
    if (entry.size >= SNPY_ZIP_ALL_ONES || entry.compressed_size >= SNPY_ZIP_ALL_ONES) entry.has_zip64 = true;
    return entry;
}

/* A central header is listed with the numbers that were written, in 32 or 64 bits. */
void central(void)
{
    uint8_t out[46 + 1 + SNPY_ZIP_MAX_ZIP64_FIELD] = {0};
    const struct snpy_zip_entry entry = some_entry();
    const size_t extra_length = snpy_zip_put_central_zip64(&entry, out + 47);
    snpy_zip_member member = {0};
    snpy_error error = {SNPY_OK, 0};
    CHECK(extra_length <= SNPY_ZIP_MAX_ZIP64_FIELD);
    snpy_zip_put_central(&entry, (uint32_t)extra_length, out);
    out[46] = 'a';
    const snpy_zip_directory directory = {SNPY_MAX_SIZE, SNPY_MAX_SIZE / 2, 47 + extra_length, 1, 0, 0};
    CHECK(snpy_zip_list(out, 47 + extra_length, &directory, &member, 1, &error) == SNPY_OK);
    CHECK(member.local_offset == entry.offset && member.size == entry.size);
    CHECK(member.compressed_size == entry.compressed_size && member.crc == entry.crc && member.name_length == 1);
}

/* A data descriptor agrees with the member that it was written for, and ends where it was written. */
void descriptor(void)
{
    uint8_t out[SNPY_ZIP_MAX_DESCRIPTOR];
    const struct snpy_zip_entry entry = some_entry();
    const snpy_zip_options options = SNPY_ZIP_OPTIONS_INIT;
    snpy_zip_member member = {0};
    snpy_error error = {SNPY_OK, 0};
    const size_t length = snpy_zip_put_descriptor(&entry, out);
    member.size = entry.size;
    member.compressed_size = entry.compressed_size;
    member.crc = entry.crc;
    member.has_zip64 = entry.has_zip64;
    CHECK(snpy_zip_descriptor(out, length, &options, &member, &error) == SNPY_OK && member.end_offset == length);
}
