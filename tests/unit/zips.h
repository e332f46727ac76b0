/* zips.h: archives for the tests: built byte by byte, so that each number in them can be made to lie. */
#ifndef SAFENPY_TESTS_ZIPS_H
#define SAFENPY_TESTS_ZIPS_H

#include <zlib.h>

#include "safenpy/archive.h"
#include "tests/unit/files.h"

#define MOST_ENTRIES 8u

/* How a descriptor is written. */
enum descriptor { NO_DESCRIPTOR, NARROW, WIDE, UNSIGNED };

/* A member to be written. */
struct entry {
    const char *name;
    size_t name_length;  /* 0: as many bytes as the name has */
    const uint8_t *data; /* as it stands in the archive */
    size_t data_size;
    uint64_t size; /* of the member */
    uint32_t crc;
    unsigned method;
    unsigned flags;
    struct text local_extra;
    struct text central_extra;
    enum descriptor descriptor; /* local CRC and sizes are 0 then, and bit 3 is set */
    bool has_zip64;             /* all ones for both local sizes, and a wide field behind local_extra */
};

/* An archive that was built, and where things stand in it. */
struct zip {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
    size_t local[MOST_ENTRIES];
    size_t data[MOST_ENTRIES];
    size_t behind[MOST_ENTRIES]; /* the data: the descriptor, if there is one */
    size_t central[MOST_ENTRIES];
    size_t wide_end; /* 0: none */
    size_t end;
};

static inline void put(struct zip *zip, const void *bytes, size_t length)
{
    if (zip->length + length > zip->capacity) {
        zip->capacity = 2 * (zip->length + length);
        zip->bytes = realloc(zip->bytes, zip->capacity);
        if (zip->bytes == NULL) abort();
    }
    if (length > 0) memcpy(zip->bytes + zip->length, bytes, length);
    zip->length += length;
}

static inline void put_number(struct zip *zip, uint64_t number, size_t size)
{
    for (; size > 0; size--, number >>= 8) {
        uint8_t byte = (uint8_t)number;
        put(zip, &byte, 1);
    }
}

/* Changes a number where it stands. */
static inline void patch(struct zip *zip, size_t at, uint64_t number, size_t size)
{
    assert_true(at + size <= zip->length);
    for (size_t i = 0; i < size; i++, number >>= 8) zip->bytes[at + i] = (uint8_t)number;
}

/* What local and central headers share: flags to the length of the name. */
static inline void put_common(struct zip *zip, const struct entry *entry, bool is_local)
{
    bool is_empty = is_local && entry->descriptor != NO_DESCRIPTOR;
    bool has_zip64 = is_local && entry->has_zip64;
    put_number(zip, entry->flags | (entry->descriptor != NO_DESCRIPTOR ? 8u : 0u), 2);
    put_number(zip, entry->method, 2);
    put_number(zip, (uint64_t)33 << 16, 4);
    put_number(zip, is_empty ? 0 : entry->crc, 4);
    put_number(zip, has_zip64 ? 0xffffffff : is_empty ? 0 : entry->data_size, 4);
    put_number(zip, has_zip64 ? 0xffffffff : is_empty ? 0 : entry->size, 4);
    put_number(zip, entry->name_length > 0 ? entry->name_length : strlen(entry->name), 2);
}

static inline void put_local(struct zip *zip, const struct entry *entry)
{
    size_t name_length = entry->name_length > 0 ? entry->name_length : strlen(entry->name);
    put(zip, "PK\3\4", 4);
    put_number(zip, entry->has_zip64 ? 45 : 20, 2);
    put_common(zip, entry, true);
    put_number(zip, entry->local_extra.length + (entry->has_zip64 ? 20 : 0), 2);
    put(zip, entry->name, name_length);
    put(zip, entry->local_extra.bytes, entry->local_extra.length);
    if (!entry->has_zip64) return;
    put(zip, "\1\0\20\0", 4);
    put_number(zip, entry->descriptor != NO_DESCRIPTOR ? 0 : entry->size, 8);
    put_number(zip, entry->descriptor != NO_DESCRIPTOR ? 0 : entry->data_size, 8);
}

static inline void put_descriptor(struct zip *zip, const struct entry *entry)
{
    size_t width = entry->descriptor == WIDE ? 8 : 4;
    if (entry->descriptor == NO_DESCRIPTOR) return;
    if (entry->descriptor != UNSIGNED) put(zip, "PK\7\10", 4);
    put_number(zip, entry->crc, 4);
    put_number(zip, entry->data_size, width);
    put_number(zip, entry->size, width);
}

static inline void put_central(struct zip *zip, const struct entry *entry, size_t local)
{
    size_t name_length = entry->name_length > 0 ? entry->name_length : strlen(entry->name);
    put(zip, "PK\1\2\24\3\24\0", 8);
    put_common(zip, entry, false);
    put_number(zip, entry->central_extra.length, 2);
    put_number(zip, 0, 2 + 2 + 2);
    put_number(zip, 0x01800000, 4);
    put_number(zip, local, 4);
    put(zip, entry->name, name_length);
    put(zip, entry->central_extra.bytes, entry->central_extra.length);
}

/* The end of an archive, with a wide end record if told so. */
static inline void put_end(struct zip *zip, size_t count, size_t directory, bool has_zip64, const char *comment)
{
    size_t size = zip->length - directory;
    if (has_zip64) {
        zip->wide_end = zip->length;
        put(zip, "PK\6\6\54\0\0\0\0\0\0\0\55\3\55\0\0\0\0\0\0\0\0\0", 24);
        put_number(zip, count, 8);
        put_number(zip, count, 8);
        put_number(zip, size, 8);
        put_number(zip, directory, 8);
        put(zip, "PK\6\7\0\0\0\0", 8);
        put_number(zip, zip->wide_end, 8);
        put_number(zip, 1, 4);
    }
    zip->end = zip->length;
    put(zip, "PK\5\6\0\0\0\0", 8);
    put_number(zip, count, 2);
    put_number(zip, count, 2);
    put_number(zip, size, 4);
    put_number(zip, directory, 4);
    put_number(zip, strlen(comment), 2);
    put(zip, comment, strlen(comment));
}

static inline struct zip build(const struct entry *entries, size_t count, bool has_zip64, const char *comment)
{
    struct zip zip;
    memset(&zip, 0, sizeof zip);
    assert_true(count <= MOST_ENTRIES);
    for (size_t i = 0; i < count; i++) {
        zip.local[i] = zip.length;
        put_local(&zip, &entries[i]);
        zip.data[i] = zip.length;
        put(&zip, entries[i].data, entries[i].data_size);
        zip.behind[i] = zip.length;
        put_descriptor(&zip, &entries[i]);
    }
    size_t directory = zip.length;
    for (size_t i = 0; i < count; i++) {
        zip.central[i] = zip.length;
        put_central(&zip, &entries[i], zip.local[i]);
    }
    put_end(&zip, count, directory, has_zip64, comment);
    return zip;
}

/* A stored member. */
static inline struct entry stored(const char *name, const void *bytes, size_t size)
{
    struct entry entry;
    memset(&entry, 0, sizeof entry);
    entry.name = name;
    entry.data = bytes;
    entry.data_size = size;
    entry.size = size;
    entry.crc = (uint32_t)crc32(0, bytes, (uInt)size);
    return entry;
}

/* A deflated one; its data are to be freed. */
static inline struct entry deflated(const char *name, const void *bytes, size_t size)
{
    struct entry entry = stored(name, bytes, size);
    size_t room = compressBound((uLong)size) + 64;
    uint8_t *out = allocate(room);
    uint8_t *in = allocate(size);
    z_stream stream;
    if (size > 0) memcpy(in, bytes, size);
    memset(&stream, 0, sizeof stream);
    if (deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) abort();
    stream.next_in = in;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) abort();
    entry.data = out;
    entry.data_size = (size_t)stream.total_out;
    entry.method = 8;
    (void)deflateEnd(&stream);
    free(in);
    return entry;
}

static inline void free_data(const struct entry *entry)
{
    void *data;
    memcpy(&data, &entry->data, sizeof data);
    free(data);
}

static inline snpy_zip_options zip_defaults(void)
{
    snpy_zip_options options = SNPY_ZIP_OPTIONS_INIT;
    return options;
}

static inline snpy_archive_options archive_defaults(void)
{
    snpy_archive_options options = SNPY_ARCHIVE_OPTIONS_INIT;
    return options;
}

#endif
