/* write_archive.c: the records of an archive that JavaScript writes. src/save.js puts names and data between them. */
#include "core/zip/write_records.h"
#include "wasm/shim.h"

static struct snpy_zip_entry entry;

/* The member of the records that follow. Its sizes and its CRC are known: no descriptor is needed.         NPZ-WRITE-007 */
EXPORT(entry)
void set_entry(uint64_t offset, uint64_t compressed_size, uint64_t size, uint32_t crc, uint32_t flags, uint32_t method,
               uint32_t name_length)
{
    const bool has_zip64 = size >= SNPY_ZIP_ALL_ONES || compressed_size >= SNPY_ZIP_ALL_ONES;
    entry = (struct snpy_zip_entry){offset,           compressed_size,       size,   crc, (uint16_t)flags,
                                    (uint16_t)method, (uint16_t)name_length, has_zip64};
}

/* Writes a local header, and the extra fields that follow its name: the second part. Returns the bytes of both; at most
 * SNPY_ZIP_LOCAL_SIZE + 20 + 69.                                                                   NPZ-WRITE-005 */
EXPORT(local_header) size_t local_header(uint8_t *out)
{
    const uint32_t zip64 = entry.has_zip64 ? SNPY_ZIP_ZIP64_FIELD : 0;
    const uint64_t unaligned = entry.offset + SNPY_ZIP_LOCAL_SIZE + entry.name_length + zip64;
    const uint32_t padding = entry.method == SNPY_ZIP_STORED ? snpy_zip_padding(unaligned) : 0;
    snpy_zip_put_local(&entry, zip64 + padding, out);
    if (zip64 > 0) snpy_zip_put_local_zip64(&entry, out + SNPY_ZIP_LOCAL_SIZE);
    if (padding > 0) snpy_zip_put_padding(padding, out + SNPY_ZIP_LOCAL_SIZE + zip64);
    return SNPY_ZIP_LOCAL_SIZE + zip64 + padding;
}

/* Likewise a central header. A long one ends with zeros, so that its extra fields have 65,535 bytes. NPZ-WRITE-010 */
EXPORT(central_header) size_t central_header(uint8_t *out, int32_t is_long)
{
    const size_t zip64 = snpy_zip_put_central_zip64(&entry, out + SNPY_ZIP_CENTRAL_SIZE);
    const size_t padding = is_long ? UINT16_MAX - zip64 : 0;
    snpy_zip_put_central(&entry, (uint32_t)(zip64 + padding), out);
    if (is_long) snpy_zip_put_padding((uint32_t)padding, out + SNPY_ZIP_CENTRAL_SIZE + zip64);
    return SNPY_ZIP_CENTRAL_SIZE + zip64 + padding;
}

/* Writes the records at the end of an archive, at most SNPY_ZIP_MAX_END bytes. Returns how many. */
EXPORT(end_records) size_t end_records(uint64_t count, uint64_t size, uint64_t offset, uint8_t *out)
{
    return snpy_zip_put_end(count, size, offset, out);
}
