/* write_records.h: writes the records of an archive.
 * Proves the offset of each number. src/npz writes names, and chooses which records go where. */
#ifndef SAFENPY_CORE_ZIP_WRITE_RECORDS_H
#define SAFENPY_CORE_ZIP_WRITE_RECORDS_H

#include "core/zip/zip.h"

#define SNPY_ZIP_ZIP64_FIELD 20u     /* bytes of the ZIP64 field of a local header */
#define SNPY_ZIP_MIN_PADDING 6       /* bytes of the smallest alignment field */
#define SNPY_ZIP_ALIGNMENT 64u       /* alignment of the data of stored members, in bytes  NPZ-WRITE-005 */
#define SNPY_ZIP_MAX_ZIP64_FIELD 28u /* bytes of the ZIP64 field of a central header */
#define SNPY_ZIP_MAX_DESCRIPTOR 24u
#define SNPY_ZIP_MAX_END 98u /* bytes of the end record with a ZIP64 end record and its locator */

/* The entry of a member that is written. */
struct snpy_zip_entry {
    uint64_t offset;          /* offset of its local header from the first byte of the archive */
    uint64_t compressed_size; /* bytes of its data, compressed */
    uint64_t size;            /* bytes of the member */
    uint32_t crc;
    uint16_t flags;
    uint16_t method;
    uint16_t name_length;
    bool has_zip64; /* its local header has a ZIP64 field, and all ones for both sizes */
};

/* clang-format off */
/*@ predicate zip_needs_zip64(integer number) = number >= SNPY_ZIP_ALL_ONES;
    logic integer zip_narrow(integer number) = number >= SNPY_ZIP_ALL_ONES ? SNPY_ZIP_ALL_ONES : number;
    predicate zip_entry_ok(struct snpy_zip_entry *e) =
        e->has_zip64 || (!zip_needs_zip64(e->size) && !zip_needs_zip64(e->compressed_size));
    // how many of the three numbers of a central header are in the ZIP64 field
    logic integer zip64_count(struct snpy_zip_entry *e) = (e->size >= SNPY_ZIP_ALL_ONES ? 1 : 0)
        + (e->compressed_size >= SNPY_ZIP_ALL_ONES ? 1 : 0) + (e->offset >= SNPY_ZIP_ALL_ONES ? 1 : 0);
*/
/* clang-format on */

/* Returns the length of the alignment field after `before` bytes of the archive, with which the bytes after it are
 * aligned.                                                                                             NPZ-WRITE-005 */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: SNPY_ZIP_MIN_PADDING <= \result < SNPY_ZIP_MIN_PADDING + SNPY_ZIP_ALIGNMENT;
    ensures NPZ_WRITE_005: (before + \result) % SNPY_ZIP_ALIGNMENT == 0;
 */
uint32_t snpy_zip_padding(uint64_t before);

/* Writes a local header, without name and extra fields; the latter have `extra_length` bytes.     NPZ-WRITE-004, 006 */
/*@ requires \valid_read(entry) && \valid(out + (0 .. 29)) && \separated(entry, out + (0 .. 29));
    requires zip_entry_ok(entry) && extra_length <= 0xffff;
    terminates \true;
    exits \false;
    assigns out[0 .. 29];
    ensures signature: zip_signature(out, 0, 3, 4);
    ensures flags: le16(out, 6) == entry->flags && le16(out, 8) == entry->method;
    ensures crc: le32(out, 14) == entry->crc;
    ensures compressed: le32(out, 18) == (entry->has_zip64 ? SNPY_ZIP_ALL_ONES : entry->compressed_size);
    ensures size: le32(out, 22) == (entry->has_zip64 ? SNPY_ZIP_ALL_ONES : entry->size);
    ensures lengths: le16(out, 26) == entry->name_length && le16(out, 28) == extra_length;
 */
void snpy_zip_put_local(const struct snpy_zip_entry *entry, uint32_t extra_length, uint8_t *out);

/* Writes the ZIP64 field of a local header.                                                            NPZ-WRITE-006 */
/*@ requires \valid_read(entry) && \valid(out + (0 .. 19)) && \separated(entry, out + (0 .. 19));
    terminates \true;
    exits \false;
    assigns out[0 .. 19];
    ensures field: le16(out, 0) == 1 && le16(out, 2) == 16;
    ensures sizes: le64(out, 4) == entry->size && le64(out, 12) == entry->compressed_size;
 */
void snpy_zip_put_local_zip64(const struct snpy_zip_entry *entry, uint8_t *out);

/* Writes an alignment field: ID, length, the alignment, zeros.                                         NPZ-WRITE-005 */
/*@ requires SNPY_ZIP_MIN_PADDING <= length <= 0xffff && \valid(out + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns out[0 .. length-1];
    ensures field: le16(out, 0) == 0xd935 && le16(out, 2) == length - 4;
 */
void snpy_zip_put_padding(uint32_t length, uint8_t *out);

/* Writes a central header, without name and extra fields.                                         NPZ-WRITE-004, 006 */
/*@ requires \valid_read(entry) && \valid(out + (0 .. 45)) && \separated(entry, out + (0 .. 45));
    requires extra_length <= 0xffff;
    terminates \true;
    exits \false;
    assigns out[0 .. 45];
    ensures signature: zip_signature(out, 0, 1, 2);
    ensures flags: le16(out, 8) == entry->flags && le16(out, 10) == entry->method;
    ensures crc: le32(out, 16) == entry->crc;
    ensures compressed: le32(out, 20) == zip_narrow(entry->compressed_size);
    ensures size: le32(out, 24) == zip_narrow(entry->size);
    ensures lengths: le16(out, 28) == entry->name_length && le16(out, 30) == extra_length;
    ensures offset: le32(out, 42) == zip_narrow(entry->offset);
 */
void snpy_zip_put_central(const struct snpy_zip_entry *entry, uint32_t extra_length, uint8_t *out);

/* Writes the ZIP64 field of a central header, with the numbers that do not fit. Returns its length, 0 if all fit.
 *                                                                                                      NPZ-WRITE-006 */
/*@ requires \valid_read(entry) && \valid(out + (0 .. SNPY_ZIP_MAX_ZIP64_FIELD-1));
    requires \separated(entry, out + (0 .. SNPY_ZIP_MAX_ZIP64_FIELD-1));
    terminates \true;
    exits \false;
    assigns out[0 .. SNPY_ZIP_MAX_ZIP64_FIELD-1];
    ensures length: \result == (zip64_count(entry) == 0 ? 0 : 4 + 8 * zip64_count(entry));
    ensures field: zip64_count(entry) != 0 ==> le16(out, 0) == 1 && le16(out, 2) == 8 * zip64_count(entry);
    ensures size: zip_needs_zip64(entry->size) ==> le64(out, 4) == entry->size;
 */
size_t snpy_zip_put_central_zip64(const struct snpy_zip_entry *entry, uint8_t *out);

/* Writes a data descriptor. Returns its length.                                                        NPZ-WRITE-007 */
/*@ requires \valid_read(entry) && \valid(out + (0 .. SNPY_ZIP_MAX_DESCRIPTOR-1)) && zip_entry_ok(entry);
    requires \separated(entry, out + (0 .. SNPY_ZIP_MAX_DESCRIPTOR-1));
    terminates \true;
    exits \false;
    assigns out[0 .. SNPY_ZIP_MAX_DESCRIPTOR-1];
    ensures length: \result == (entry->has_zip64 ? 24 : 16);
    ensures signature: zip_signature(out, 0, 7, 8) && le32(out, 4) == entry->crc;
    ensures zip64: entry->has_zip64 ==> le64(out, 8) == entry->compressed_size && le64(out, 16) == entry->size;
    ensures narrow: !entry->has_zip64 ==> le32(out, 8) == entry->compressed_size && le32(out, 12) == entry->size;
 */
size_t snpy_zip_put_descriptor(const struct snpy_zip_entry *entry, uint8_t *out);

/* Writes the end of an archive: a ZIP64 end record and its locator, if they are needed, then the end record. Returns
 * the length.                                                                                          NPZ-WRITE-006 */
/*@ requires \valid(out + (0 .. SNPY_ZIP_MAX_END-1)) && offset <= SNPY_MAX_SIZE && size <= SNPY_MAX_SIZE;
    terminates \true;
    exits \false;
    assigns out[0 .. SNPY_ZIP_MAX_END-1];
    ensures length: \result == (count >= 0xffff || offset + size >= SNPY_ZIP_ALL_ONES ? 98 : 22);
    ensures signature: zip_signature(out, \result - 22, 5, 6) && le16(out, \result - 2) == 0;
    ensures narrow: \result == 22 ==> le16(out, 10) == count && le32(out, 12) == size && le32(out, 16) == offset;
    ensures zip64: \result == 98 ==>
            le64(out, 32) == count && le64(out, 40) == size && le64(out, 48) == offset;
    ensures locator: \result == 98 ==> zip_signature(out, 56, 6, 7);
    ensures zip64_signature: \result == 98 ==> zip_signature(out, 0, 6, 6);
 */
size_t snpy_zip_put_end(uint64_t count, uint64_t size, uint64_t offset, uint8_t *out);

#endif
