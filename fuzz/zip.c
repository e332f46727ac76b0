/* zip.c: what the harnesses of archives share. */
#include "fuzz/zip.h"
#include "safenpy/zip.h"

#include <string.h>

uint64_t zip_number(const uint8_t *bytes, unsigned width)
{
    uint64_t number = 0;
    while (width > 0) number = number * 256 + bytes[--width];
    return number;
}

uint32_t zip_mix(const uint8_t *bytes, size_t size)
{
    uint32_t mixed = 2166136261u;
    for (size_t i = 0; i < size; i++) mixed = (mixed ^ bytes[i]) * 16777619u;
    mixed ^= mixed >> 15;
    return mixed;
}

/* ---- places ------------------------------------------------------------------------------------------------- */

void zip_must_stand_apart(const snpy_zip_member *members, size_t count, uint64_t limit, const snpy_zip_options *options)
{
    uint64_t end = 0;
    for (size_t i = 0; i < count; i++) {
        const snpy_zip_member *member = &members[i];
        FUZZ_MUST(member->local_offset >= end);
        FUZZ_MUST(member->local_offset == end || options->gaps || (i == 0 && options->prefix));
        FUZZ_MUST(member->data_offset > member->local_offset && member->data_offset - member->local_offset >= 30);
        FUZZ_MUST(member->data_offset <= member->end_offset && member->end_offset <= limit);
        FUZZ_MUST(member->compressed_size <= member->end_offset - member->data_offset);
        end = member->end_offset;
    }
    FUZZ_MUST(end == limit || options->gaps || (count == 0 && options->prefix));
}

/* ---- keys --------------------------------------------------------------------------------------------------- */

/* The next character of a key. */
static uint32_t next_character(const uint8_t *name, size_t length, size_t *at, uint32_t flags)
{
    uint32_t code = 0;
    size_t step = snpy_zip_name_next(name, length, *at, flags, &code);
    FUZZ_MUST(step > 0 && step <= length - *at);
    *at += step;
    return code;
}

static bool is_same_key(const uint8_t *one, const snpy_zip_member *first, const uint8_t *other,
                        const snpy_zip_member *second)
{
    size_t length = first->name_length;
    size_t other_length = second->name_length;
    size_t at = 0;
    size_t other_at = 0;
    if (length >= 4 && memcmp(one + length - 4, ".npy", 4) == 0) length -= 4;
    if (other_length >= 4 && memcmp(other + other_length - 4, ".npy", 4) == 0) other_length -= 4;
    while (at < length && other_at < other_length)
        if (next_character(one, length, &at, first->flags) !=
            next_character(other, other_length, &other_at, second->flags))
            return false;
    return at == length && other_at == other_length;
}

size_t zip_first_again(const uint8_t *central, uint64_t base, const snpy_zip_member *members, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint8_t *name = central + (members[i].central_offset - base) + 46;
        for (size_t k = 0; k < i; k++)
            if (is_same_key(name, &members[i], central + (members[k].central_offset - base) + 46, &members[k]))
                return i;
    }
    return count;
}

/* ---- streaming ---------------------------------------------------------------------------------------------- */

/* Whether a number of a local header is the directory's, or is to be found elsewhere. */
static bool agrees(uint64_t local, uint64_t central, bool is_late)
{
    return local == central || local == 0xffffffff || (is_late && local == 0);
}

/* One local header; returns where its data begin. */
static uint64_t must_be_local(const uint8_t *file, uint64_t at, const snpy_zip_member *member)
{
    const uint8_t *local = file + at;
    const uint8_t *central = file + member->central_offset;
    bool is_late = (member->flags & SNPY_ZIP_FLAG_DESCRIPTOR) != 0;
    FUZZ_MUST(member->local_offset == at && memcmp(local, "PK\3\4", 4) == 0);
    FUZZ_MUST(zip_number(local + 6, 2) == member->flags && zip_number(local + 8, 2) == member->method);
    FUZZ_MUST(zip_number(local + 14, 4) == member->crc || (is_late && zip_number(local + 14, 4) == 0));
    FUZZ_MUST(agrees(zip_number(local + 18, 4), member->compressed_size, is_late));
    FUZZ_MUST(agrees(zip_number(local + 22, 4), member->size, is_late));
    FUZZ_MUST(zip_number(local + 26, 2) == member->name_length);
    FUZZ_MUST(memcmp(local + 30, central + 46, member->name_length) == 0);
    FUZZ_MUST(memchr(local + 30, 0, member->name_length) == NULL && member->name_length > 0);
    return at + 30 + member->name_length + zip_number(local + 28, 2);
}

/* The numbers of a descriptor; returns where it ends. Sizes of 8 bytes may stand in one that nothing has announced. */
static uint64_t must_be_descriptor(const uint8_t *file, uint64_t at, const snpy_zip_member *member)
{
    bool has_zip64 = member->has_zip64 || member->size > 0xffffffff || member->compressed_size > 0xffffffff;
    unsigned width = has_zip64 || member->end_offset - at == 24 ? 8 : 4;
    FUZZ_MUST(memcmp(file + at, "PK\7\10", 4) == 0 && zip_number(file + at + 4, 4) == member->crc);
    FUZZ_MUST(zip_number(file + at + 8, width) == member->compressed_size);
    FUZZ_MUST(zip_number(file + at + 8 + width, width) == member->size);
    return at + 8 + 2 * (uint64_t)width;
}

void zip_must_stream(const uint8_t *file, size_t size, const snpy_zip_directory *directory,
                     const snpy_zip_member *members)
{
    uint64_t at = 0;
    FUZZ_MUST(directory->file_size == size);
    for (uint64_t i = 0; i < directory->count; i++) {
        at = must_be_local(file, at, &members[i]);
        FUZZ_MUST(members[i].data_offset == at);
        FUZZ_MUST(members[i].method == SNPY_ZIP_DEFLATED || members[i].compressed_size == members[i].size);
        at += members[i].compressed_size;
        if (members[i].flags & SNPY_ZIP_FLAG_DESCRIPTOR) at = must_be_descriptor(file, at, &members[i]);
        FUZZ_MUST(members[i].end_offset == at);
    }
    FUZZ_MUST(at == directory->offset);
    for (uint64_t i = 0; i < directory->count; i++) {
        const uint8_t *central = file + at;
        FUZZ_MUST(members[i].central_offset == at && memcmp(central, "PK\1\2", 4) == 0);
        at += 46 + zip_number(central + 28, 2) + zip_number(central + 30, 2) + zip_number(central + 32, 2);
    }
    FUZZ_MUST(at == directory->offset + directory->size && at + 22 <= size);
    FUZZ_MUST(memcmp(file + at, "PK\5\6", 4) == 0 || memcmp(file + at, "PK\6\6", 4) == 0);
}
