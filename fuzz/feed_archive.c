/* feed_archive.c: what the library makes of an archive, for fuzz/numpy_archives.py.
 *
 * Tells its size, the status of opening it and the number of members (4 bytes each), then the archive's bytes, and of each
 * member the length of its name, the status of loading it, whether it is an array, whether its order is Fortran's, the CRC
 * of its data as they stand (4 bytes each), the size of these (8 bytes), the name. */
#include "fuzz/feed.h"

#include <stdio.h>
#include <stdlib.h>

#include <zlib.h>

#include "fuzz/fuzz.h"
#include "safenpy/archive.h"

/* Where the name stands in a central header. */
#define NAME_AT 46u

/* What was loaded of a member. */
struct loaded {
    snpy_status status;
    bool is_array;
    bool is_fortran;
    uint32_t crc;
    uint64_t size;
};

static struct loaded load_array(const snpy_archive *archive, size_t index)
{
    struct loaded loaded = {SNPY_OK, true, false, 0, 0};
    snpy_array array;
    snpy_io_error error;
    loaded.status = snpy_archive_load(archive, index, NULL, &array, &error);
    if (loaded.status == SNPY_OK) {
        loaded.is_fortran = array.header.fortran_order;
        loaded.size = array.data_size;
        loaded.crc = (uint32_t)crc32(0, array.data_size > 0 ? array.data : (const uint8_t *)"", (uInt)array.data_size);
    }
    snpy_array_release(&array);
    return loaded;
}

static struct loaded load_bytes(const snpy_archive *archive, size_t index)
{
    struct loaded loaded = {SNPY_OK, false, false, 0, snpy_archive_member(archive, index)->size};
    uint8_t *bytes = fuzz_memory((size_t)loaded.size + 1, 1);
    snpy_io_error error;
    loaded.status = snpy_archive_read(archive, index, bytes, loaded.size, &error);
    if (loaded.status == SNPY_OK) loaded.crc = (uint32_t)crc32(0, bytes, (uInt)loaded.size);
    free(bytes);
    return loaded;
}

static void feed_member(const snpy_archive *archive, size_t index, const uint8_t *bytes)
{
    const snpy_zip_member *member = snpy_archive_member(archive, index);
    struct loaded loaded = load_array(archive, index);
    if (loaded.status == SNPY_NOT_AN_ARRAY) loaded = load_bytes(archive, index);
    put_number(member->name_length, 4);
    put_number((uint64_t)loaded.status, 4);
    put_number(loaded.is_array, 4);
    put_number(loaded.is_fortran, 4);
    put_number(loaded.crc, 4);
    put_number(loaded.size, 8);
    fwrite(bytes + member->central_offset + NAME_AT, 1, member->name_length, stdout);
}

void feed_archive(const uint8_t *bytes, size_t size)
{
    snpy_archive_options options = SNPY_ARCHIVE_OPTIONS_INIT;
    snpy_archive *archive;
    snpy_io_error error;
    options.strict_deflate = true; /* NumPy inflates by zlib */
    snpy_status status = snpy_archive_open_memory(bytes, size, &options, &archive, &error);
    put_number(size, 4);
    put_number((uint64_t)status, 4);
    put_number(snpy_archive_count(archive), 4);
    fwrite(bytes, 1, size, stdout);
    for (size_t i = 0; i < snpy_archive_count(archive); i++) feed_member(archive, i, bytes);
    snpy_archive_close(&archive);
}
