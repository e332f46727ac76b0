/* write_records.c: writes the records of an archive, byte by byte.                                  NPZ-WRITE-004 … 007
 * Proves that each number is at the offset where readers look for it. src/npz decides the order of the records. */
#include "core/zip/write_records.h"

#define VERSION_PLAIN 20u
#define VERSION_ZIP64 45u
#define MADE_ON_UNIX 0x0300u
#define DATE_1980 33u          /* January 1st, 1980 */
#define OWNER_ONLY 0x01800000u /* Unix permissions: read and write for the owner */

/* Writes a little-endian number of 2 bytes. */
/*@ requires \valid(out + (at .. at + 1)) && at + 1 <= SIZE_MAX && number <= 0xffff;
    terminates \true;
    exits \false;
    assigns out[at .. at + 1];
    ensures number: le16(out, at) == number;
 */
static void put16(uint8_t *out, size_t at, uint32_t number)
{
    out[at] = (uint8_t)(number % 256u);
    out[at + 1] = (uint8_t)(number / 256u);
}

/* Writes a little-endian number of 4 bytes. */
/*@ requires \valid(out + (at .. at + 3)) && at + 3 <= SIZE_MAX;
    terminates \true;
    exits \false;
    assigns out[at .. at + 3];
    ensures number: le32(out, at) == number;
 */
static void put32(uint8_t *out, size_t at, uint32_t number)
{
    put16(out, at, number % 65536u);
    put16(out, at + 2, number / 65536u);
}

/* Writes a little-endian number of 8 bytes. */
/*@ requires \valid(out + (at .. at + 7)) && at + 7 <= SIZE_MAX;
    terminates \true;
    exits \false;
    assigns out[at .. at + 7];
    ensures number: le64(out, at) == number;
 */
static void put64(uint8_t *out, size_t at, uint64_t number)
{
    put32(out, at, (uint32_t)(number % 4294967296u));
    put32(out, at + 4, (uint32_t)(number / 4294967296u));
}

/* Writes the signature 50 4B x y. */
/*@ requires \valid(out + (at .. at + 3)) && at + 3 <= SIZE_MAX;
    terminates \true;
    exits \false;
    assigns out[at .. at + 3];
    ensures signature: zip_signature(out, at, x, y);
 */
static void put_signature(uint8_t *out, size_t at, uint8_t x, uint8_t y)
{
    out[at] = 0x50;
    out[at + 1] = 0x4b;
    out[at + 2] = x;
    out[at + 3] = y;
}

/* Returns a number, or all ones if it does not fit into 4 bytes.                                       NPZ-WRITE-006 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures narrow: \result == zip_narrow(number);
 */
static uint32_t narrow(uint64_t number)
{
    return number >= SNPY_ZIP_ALL_ONES ? SNPY_ZIP_ALL_ONES : (uint32_t)number;
}

uint32_t snpy_zip_padding(uint64_t before)
{
    uint32_t misaligned = (uint32_t)((before % SNPY_ZIP_ALIGNMENT + SNPY_ZIP_MIN_PADDING) % SNPY_ZIP_ALIGNMENT);
    return misaligned == 0 ? SNPY_ZIP_MIN_PADDING : SNPY_ZIP_MIN_PADDING + (SNPY_ZIP_ALIGNMENT - misaligned);
}

/* Writes what local and central headers have in common: flags, method, time, CRC, sizes and the length of the name. */
/*@ requires \valid_read(entry) && \valid(out + (at .. at + 21)) && \separated(entry, out + (at .. at + 21));
    requires at <= 100;
    terminates \true;
    exits \false;
    assigns out[at .. at + 21];
    ensures flags: le16(out, at) == entry->flags && le16(out, at + 2) == entry->method;
    ensures crc: le32(out, at + 8) == entry->crc;
    ensures sizes: le32(out, at + 12) == compressed_size && le32(out, at + 16) == size;
    ensures name: le16(out, at + 20) == entry->name_length;
 */
static void put_common(const struct snpy_zip_entry *entry, uint32_t compressed_size, uint32_t size, uint8_t *out,
                       size_t at)
{
    put16(out, at, entry->flags);
    put16(out, at + 2, entry->method);
    put16(out, at + 4, 0);
    put16(out, at + 6, DATE_1980);
    put32(out, at + 8, entry->crc);
    put32(out, at + 12, compressed_size);
    put32(out, at + 16, size);
    put16(out, at + 20, entry->name_length);
}

void snpy_zip_put_local(const struct snpy_zip_entry *entry, uint32_t extra_length, uint8_t *out)
{
    bool has_zip64 = entry->has_zip64;
    put_signature(out, 0, 3, 4);
    put16(out, 4, has_zip64 ? VERSION_ZIP64 : VERSION_PLAIN);
    put_common(entry, has_zip64 ? SNPY_ZIP_ALL_ONES : (uint32_t)entry->compressed_size,
               has_zip64 ? SNPY_ZIP_ALL_ONES : (uint32_t)entry->size, out, 6);
    put16(out, 28, extra_length);
}

void snpy_zip_put_local_zip64(const struct snpy_zip_entry *entry, uint8_t *out)
{
    put16(out, 0, 1);
    put16(out, 2, 16);
    put64(out, 4, entry->size);
    put64(out, 12, entry->compressed_size);
}

void snpy_zip_put_padding(uint32_t length, uint8_t *out)
{
    put16(out, 0, 0xd935);
    put16(out, 2, length - 4);
    put16(out, 4, SNPY_ZIP_ALIGNMENT);
    /*@ loop invariant range: SNPY_ZIP_MIN_PADDING <= i <= length;
        loop assigns i, out[SNPY_ZIP_MIN_PADDING .. length-1];
        loop variant length - i; */
    for (uint32_t i = SNPY_ZIP_MIN_PADDING; i < length; i++) out[i] = 0;
}

/* Writes what only central headers have, from the length of the extra fields on: no comment, disk 0, no internal
 * attributes. */
/*@ requires \valid(out + (30 .. 45)) && extra_length <= 0xffff;
    terminates \true;
    exits \false;
    assigns out[30 .. 45];
    ensures length: le16(out, 30) == extra_length;
    ensures offset: le32(out, 42) == offset;
 */
static void put_central_rest(uint32_t extra_length, uint32_t offset, uint8_t *out)
{
    put16(out, 30, extra_length);
    put64(out, 32, 0);
    put16(out, 36, 0);
    put32(out, 38, OWNER_ONLY);
    put32(out, 42, offset);
}

void snpy_zip_put_central(const struct snpy_zip_entry *entry, uint32_t extra_length, uint8_t *out)
{
    bool has_zip64 = entry->has_zip64 || entry->size >= SNPY_ZIP_ALL_ONES ||
                     entry->compressed_size >= SNPY_ZIP_ALL_ONES || entry->offset >= SNPY_ZIP_ALL_ONES;
    uint32_t version = has_zip64 ? VERSION_ZIP64 : VERSION_PLAIN;
    put16(out, 4, MADE_ON_UNIX + version);
    put16(out, 6, version);
    put_common(entry, narrow(entry->compressed_size), narrow(entry->size), out, 8);
    put_central_rest(extra_length, narrow(entry->offset), out);
    put_signature(out, 0, 1, 2);
}

size_t snpy_zip_put_central_zip64(const struct snpy_zip_entry *entry, uint8_t *out)
{
    size_t at = 4;
    if (entry->size >= SNPY_ZIP_ALL_ONES) {
        put64(out, at, entry->size);
        at += 8;
    }
    if (entry->compressed_size >= SNPY_ZIP_ALL_ONES) {
        put64(out, at, entry->compressed_size);
        at += 8;
    }
    if (entry->offset >= SNPY_ZIP_ALL_ONES) {
        put64(out, at, entry->offset);
        at += 8;
    }
    if (at == 4) return 0;
    put16(out, 0, 1);
    put16(out, 2, (uint32_t)at - 4);
    return at;
}

/* Writes signature and CRC of a data descriptor. */
/*@ requires \valid(out + (0 .. 7));
    terminates \true;
    exits \false;
    assigns out[0 .. 7];
    ensures signature: zip_signature(out, 0, 7, 8) && le32(out, 4) == crc;
 */
static void put_descriptor_crc(uint32_t crc, uint8_t *out)
{
    put32(out, 4, crc);
    put_signature(out, 0, 7, 8);
}

size_t snpy_zip_put_descriptor(const struct snpy_zip_entry *entry, uint8_t *out)
{
    bool has_zip64 = entry->has_zip64;
    if (has_zip64) {
        put64(out, 8, entry->compressed_size);
        put64(out, 16, entry->size);
    } else {
        put32(out, 8, (uint32_t)entry->compressed_size);
        put32(out, 12, (uint32_t)entry->size);
    }
    put_descriptor_crc(entry->crc, out);
    return has_zip64 ? 24 : 16;
}

/* Writes the numbers of the ZIP64 end record. */
/*@ requires \valid(out + (24 .. 55));
    terminates \true;
    exits \false;
    assigns out[24 .. 55];
    ensures numbers: le64(out, 32) == count && le64(out, 40) == size && le64(out, 48) == offset;
 */
static void put_zip64_end_numbers(uint64_t count, uint64_t size, uint64_t offset, uint8_t *out)
{
    put64(out, 24, count);
    put64(out, 32, count);
    put64(out, 40, size);
    put64(out, 48, offset);
}

/* Writes what precedes the numbers of the ZIP64 end record: versions, no disks. */
/*@ requires \valid(out + (0 .. 23));
    terminates \true;
    exits \false;
    assigns out[0 .. 23];
    ensures signature: zip_signature(out, 0, 6, 6);
 */
static void put_zip64_end_start(uint8_t *out)
{
    put64(out, 4, 44);
    put16(out, 12, MADE_ON_UNIX + VERSION_ZIP64);
    put16(out, 14, VERSION_ZIP64);
    put64(out, 16, 0);
    put_signature(out, 0, 6, 6);
}

/* Writes the locator of a ZIP64 end record, which is at `place`. */
/*@ requires \valid(out + (56 .. 75));
    terminates \true;
    exits \false;
    assigns out[56 .. 75];
    ensures locator: zip_signature(out, 56, 6, 7) && le64(out, 64) == place;
 */
static void put_locator(uint64_t place, uint8_t *out)
{
    put32(out, 60, 0);
    put32(out, 72, 1);
    put64(out, 64, place);
    put_signature(out, 56, 6, 7);
}

/* Writes the numbers of an end record. */
/*@ requires \valid(out + (8 .. 19)) && count <= 0xffff;
    terminates \true;
    exits \false;
    assigns out[8 .. 19];
    ensures numbers: le16(out, 10) == count && le32(out, 12) == size && le32(out, 16) == offset;
 */
static void put_end_numbers(uint32_t count, uint32_t size, uint32_t offset, uint8_t *out)
{
    put16(out, 8, count);
    put16(out, 10, count);
    put32(out, 12, size);
    put32(out, 16, offset);
}

/* Writes an end record. */
/*@ requires \valid(out + (0 .. 21)) && count <= 0xffff;
    terminates \true;
    exits \false;
    assigns out[0 .. 21];
    ensures signature: zip_signature(out, 0, 5, 6) && le16(out, 20) == 0;
    ensures numbers: le16(out, 10) == count && le32(out, 12) == size && le32(out, 16) == offset;
 */
static void put_plain_end(uint32_t count, uint32_t size, uint32_t offset, uint8_t *out)
{
    put32(out, 4, 0);
    put_signature(out, 0, 5, 6);
    put_end_numbers(count, size, offset, out);
    put16(out, 20, 0);
}

size_t snpy_zip_put_end(uint64_t count, uint64_t size, uint64_t offset, uint8_t *out)
{
    bool has_zip64 = count >= 0xffffu || offset + size >= SNPY_ZIP_ALL_ONES;
    uint32_t members = count >= 0xffffu ? 0xffffu : (uint32_t)count;
    if (!has_zip64) {
        put_plain_end(members, (uint32_t)size, (uint32_t)offset, out);
        return 22;
    }
    put_zip64_end_start(out);
    put_locator(offset + size, out);
    put_zip64_end_numbers(count, size, offset, out);
    put_plain_end(members, narrow(size), narrow(offset), out + 76);
    return 98;
}
