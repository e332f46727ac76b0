/* archive.c: the walk through an archive as JavaScript calls it, step by step. One archive per instance of the module.
 * Decides nothing: src/archive.js brings the bytes that each step wants. */
#include "safenpy/zip.h"
#include "wasm/shim.h"

static const snpy_zip_options options = SNPY_ZIP_OPTIONS_INIT;
static snpy_zip_directory directory;
static snpy_zip_member *members;
static const uint8_t *central;

/* Finds the directory. Numbers: its offset, its size, its members. */
EXPORT(zip_find) int32_t zip_find(const uint8_t *tail, size_t length, uint64_t file_size)
{
    snpy_error error;
    (void)snpy_zip_find(tail, length, file_size, &options, &directory, &error);
    words[AT_NUMBERS] = directory.offset;
    words[AT_NUMBERS + 1] = directory.size;
    words[AT_NUMBERS + 2] = directory.count;
    return answer(error);
}

/* Bytes of an entry of the table of members. */
EXPORT(member_size) size_t member_size(void)
{
    return sizeof(snpy_zip_member);
}

/* Reads the directory, of which at most `capacity` members are believed. The bytes and the table stay the caller's and must
 * stay in place for the calls below. Number: members. */
EXPORT(zip_list) int32_t zip_list(const uint8_t *bytes, size_t length, snpy_zip_member *table, size_t capacity)
{
    snpy_error error;
    central = bytes;
    members = table;
    if (directory.count > capacity) directory.count = capacity;
    (void)snpy_zip_list(central, length, &directory, members, capacity, &error);
    words[AT_NUMBERS] = directory.count;
    return answer(error);
}

/* How many bytes zip_local wants, first guess. */
EXPORT(zip_local_size) size_t zip_local_size(size_t index)
{
    return snpy_zip_local_size(&directory, &members[index]);
}

/* Reads a local header. Number: bytes that it takes, after SNPY_BUFFER_TOO_SMALL. */
EXPORT(zip_local) int32_t zip_local(const uint8_t *bytes, size_t length, size_t index)
{
    snpy_error error;
    size_t wanted = length;
    (void)snpy_zip_local(bytes, length, central, (size_t)directory.size, &directory, &options, members, index, &wanted,
                         &error);
    words[AT_NUMBERS] = wanted;
    return answer(error);
}

EXPORT(zip_descriptor) int32_t zip_descriptor(const uint8_t *bytes, size_t length, size_t index)
{
    snpy_error error;
    (void)snpy_zip_descriptor(bytes, length, &options, &members[index], &error);
    return answer(error);
}

/* Compares the places of all members, then their keys. */
EXPORT(zip_compare) int32_t zip_compare(void)
{
    snpy_error error;
    const size_t count = (size_t)directory.count;
    if (snpy_zip_check_ranges(&directory, &options, members, count, &error) == SNPY_OK)
        (void)snpy_zip_keys(central, (size_t)directory.size, &directory, members, count, &error);
    return answer(error);
}

/* What the directory says of a member. Numbers: offsets of its central header, its local header, its data, what comes after
 * it; bytes in the archive, bytes that it holds, CRC, flags, method, bytes of its name. */
EXPORT(member) void member(size_t index)
{
    const snpy_zip_member *of = &members[index];
    const uint64_t found[] = {of->central_offset,  of->local_offset, of->data_offset, of->end_offset,
                              of->compressed_size, of->size,         of->crc,         of->flags,
                              of->method,          of->name_length};
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) words[AT_NUMBERS + i] = found[i];
}

/* The code points of a member's name: at most one for each byte. Returns how many. */
EXPORT(member_name) size_t member_name(size_t index, uint32_t *out)
{
    const snpy_zip_member *of = &members[index];
    const uint8_t *name = central + (size_t)(of->central_offset - directory.offset) + SNPY_ZIP_NAME_OFFSET;
    size_t count = 0;
    for (size_t at = 0; at < of->name_length; count++) {
        size_t step = snpy_zip_name_next(name, of->name_length, at, of->flags, &out[count]);
        if (step == 0) break;
        at += step;
    }
    return count;
}

#define SLICES 8

/* The CRC-32 of bytes after others, by eight bytes at a time. The CRC before the first is 0. */
EXPORT(crc32) uint32_t crc32(uint32_t crc, const uint8_t *bytes, size_t length)
{
    static uint32_t tables[SLICES][256];
    if (tables[0][1] == 0) {
        for (uint32_t i = 0; i < 256; i++) {
            const uint8_t byte = (uint8_t)i;
            tables[0][i] = snpy_zip_crc(0, &byte, 1) ^ snpy_zip_crc(0, (const uint8_t[]){0}, 1);
        }
        for (uint32_t slice = 1; slice < SLICES; slice++)
            for (uint32_t i = 0; i < 256; i++)
                tables[slice][i] = tables[slice - 1][i] >> 8 ^ tables[0][tables[slice - 1][i] & 255];
    }
    crc = ~crc;
    while (length >= SLICES) {
        uint32_t next = 0;
        crc ^= (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
        for (uint32_t i = 0; i < 4; i++) next ^= tables[7 - i][crc >> 8 * i & 255] ^ tables[3 - i][bytes[4 + i]];
        crc = next;
        bytes += SLICES;
        length -= SLICES;
    }
    while (length-- > 0) crc = crc >> 8 ^ tables[0][(crc ^ *bytes++) & 255];
    return ~crc;
}
