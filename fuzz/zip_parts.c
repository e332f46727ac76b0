/* zip_parts.c: an archive taken apart, and put together again. */
#include "fuzz/zip_parts.h"

#include <string.h>

#define ONES 0xffffffffu
#define LATE 8u /* the flag of a descriptor */

uint64_t zip_parts_number(const uint8_t *bytes, unsigned width)
{
    uint64_t number = 0;
    while (width > 0) number = number * 256 + bytes[--width];
    return number;
}

uint32_t zip_parts_crc(const uint8_t *bytes, size_t length)
{
    uint32_t crc = ONES;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc % 2 == 0 ? 0 : 0xedb88320u);
    }
    return crc ^ ONES;
}

/* ---- apart -------------------------------------------------------------------------------------------------- */

/* A part of a file, as much of it as there is. */
static struct zip_part part_of(const uint8_t *bytes, size_t size, uint64_t at, uint64_t length)
{
    struct zip_part part = {bytes, 0};
    if (at >= size) return part;
    part.bytes = bytes + at;
    part.length = length < size - at ? (size_t)length : size - (size_t)at;
    return part;
}

/* Extra fields without the wide one, if that is the first; *has_zip64 is whether it was. */
static struct zip_part without_wide(struct zip_part extra, bool *has_zip64)
{
    *has_zip64 = extra.length >= 4 && zip_parts_number(extra.bytes, 2) == 1;
    if (!*has_zip64) return extra;
    return part_of(extra.bytes, extra.length, 4 + zip_parts_number(extra.bytes + 2, 2), extra.length);
}

/* What stands at a local header that the directory names. */
static void take_local(const uint8_t *bytes, size_t size, uint64_t at, uint64_t compressed, struct zip_member *member)
{
    if (at >= size || size - at < 30) return;
    uint64_t name = zip_parts_number(bytes + at + 26, 2);
    uint64_t extra = zip_parts_number(bytes + at + 28, 2);
    member->local_extra = without_wide(part_of(bytes, size, at + 30 + name, extra), &member->has_zip64);
    member->data = part_of(bytes, size, at + 30 + name + extra, compressed);
    if (member->method == 0) member->size = member->data.length;
}

/* One central header; returns where it ends. */
static size_t take_central(const uint8_t *bytes, size_t size, size_t at, struct zip_member *member)
{
    uint64_t name = zip_parts_number(bytes + at + 28, 2);
    uint64_t extra = zip_parts_number(bytes + at + 30, 2);
    uint64_t comment = zip_parts_number(bytes + at + 32, 2);
    memset(member, 0, sizeof *member);
    member->data = member->local_extra = part_of(bytes, size, size, 0);
    member->flags = (unsigned)zip_parts_number(bytes + at + 8, 2);
    member->method = (unsigned)zip_parts_number(bytes + at + 10, 2);
    member->crc = (uint32_t)zip_parts_number(bytes + at + 16, 4);
    member->size = zip_parts_number(bytes + at + 24, 4);
    member->name = part_of(bytes, size, at + 46, name);
    member->central_extra = without_wide(part_of(bytes, size, at + 46 + name, extra), &member->is_wide_central);
    member->comment = part_of(bytes, size, at + 46 + name + extra, comment);
    take_local(bytes, size, zip_parts_number(bytes + at + 42, 4), zip_parts_number(bytes + at + 20, 4), member);
    return at + 46 + (size_t)(name + extra + comment);
}

bool zip_take(const uint8_t *bytes, size_t size, struct zip_parts *parts)
{
    size_t end = size;
    memset(parts, 0, sizeof *parts);
    if (size < 22) return false;
    for (size_t at = size - 22 + 1; at > 0 && end == size; at--)
        if (memcmp(bytes + at - 1, "PK\5\6", 4) == 0) end = at - 1;
    if (end == size) return false;
    uint64_t directory = zip_parts_number(bytes + end + 16, 4);
    parts->has_wide_end = end >= 76 && memcmp(bytes + end - 20, "PK\6\7", 4) == 0;
    if (parts->has_wide_end && directory == ONES) directory = zip_parts_number(bytes + end - 76 + 48, 8);
    parts->comment = part_of(bytes, size, end + 22, zip_parts_number(bytes + end + 20, 2));
    for (uint64_t at = directory; at < end && end - at >= 46 && parts->count < ZIP_MOST_MEMBERS; parts->count++) {
        if (memcmp(bytes + at, "PK\1\2", 4) != 0) break;
        at = take_central(bytes, size, (size_t)at, &parts->members[parts->count]);
    }
    return true;
}

/* ---- together ----------------------------------------------------------------------------------------------- */

/* Puts bytes behind what there is. What has no room is left out, and found out in the end. */
static void put(struct text *out, const void *bytes, size_t length, bool *fits)
{
    *fits = *fits && length <= out->capacity - out->length;
    if (!*fits || length == 0) return;
    memcpy(out->bytes + out->length, bytes, length);
    out->length += length;
}

static void put_part(struct text *out, struct zip_part part, bool *fits)
{
    put(out, part.bytes, part.length, fits);
}

static void put_number(struct zip_parts *parts, struct text *out, uint64_t number, unsigned width, bool *fits)
{
    uint8_t bytes[8];
    struct zip_field field = {out->length, width};
    for (unsigned i = 0; i < width; i++, number /= 256) bytes[i] = (uint8_t)(number % 256);
    put(out, bytes, width, fits);
    if (*fits && parts->field_count < ZIP_MOST_FIELDS) parts->fields[parts->field_count++] = field;
}

/* From the version to the length of the name, alike in both headers. */
static void put_common(struct zip_parts *parts, const struct zip_member *member, bool has_zip64, bool is_late,
                       struct text *out, bool *fits)
{
    put_number(parts, out, has_zip64 ? 45 : 20, 2, fits);
    put_number(parts, out, member->flags, 2, fits);
    put_number(parts, out, member->method, 2, fits);
    put_number(parts, out, (uint64_t)33 << 16, 4, fits);
    put_number(parts, out, is_late ? 0 : member->crc, 4, fits);
    put_number(parts, out, has_zip64 ? ONES : is_late ? 0 : member->data.length, 4, fits);
    put_number(parts, out, has_zip64 ? ONES : is_late ? 0 : member->size, 4, fits);
    put_number(parts, out, member->name.length, 2, fits);
}

static void put_wide(struct zip_parts *parts, const struct zip_member *member, bool is_late, struct text *out,
                     bool *fits)
{
    put_number(parts, out, 1, 2, fits);
    put_number(parts, out, 16, 2, fits);
    put_number(parts, out, is_late ? 0 : member->size, 8, fits);
    put_number(parts, out, is_late ? 0 : member->data.length, 8, fits);
}

static void put_entry(struct zip_parts *parts, const struct zip_member *member, struct text *out, bool *fits)
{
    bool is_late = (member->flags & LATE) != 0;
    unsigned width = member->has_zip64 ? 8 : 4;
    put(out, "PK\3\4", 4, fits);
    put_common(parts, member, member->has_zip64, is_late, out, fits);
    put_number(parts, out, member->local_extra.length + (member->has_zip64 ? 20 : 0), 2, fits);
    put_part(out, member->name, fits);
    if (member->has_zip64) put_wide(parts, member, is_late, out, fits);
    put_part(out, member->local_extra, fits);
    put_part(out, member->data, fits);
    if (!is_late) return;
    if (!member->is_unsigned) put(out, "PK\7\10", 4, fits);
    put_number(parts, out, member->crc, 4, fits);
    put_number(parts, out, member->data.length, width, fits);
    put_number(parts, out, member->size, width, fits);
}

static void put_central(struct zip_parts *parts, const struct zip_member *member, size_t offset, struct text *out,
                        bool *fits)
{
    put(out, "PK\1\2", 4, fits);
    put_number(parts, out, 0x0314, 2, fits);
    put_common(parts, member, member->is_wide_central, false, out, fits);
    put_number(parts, out, member->central_extra.length + (member->is_wide_central ? 20 : 0), 2, fits);
    put_number(parts, out, member->comment.length, 2, fits);
    put_number(parts, out, 0, 2, fits);
    put_number(parts, out, 0, 2, fits);
    put_number(parts, out, 0x01800000, 4, fits);
    put_number(parts, out, offset, 4, fits);
    put_part(out, member->name, fits);
    if (member->is_wide_central) put_wide(parts, member, false, out, fits);
    put_part(out, member->central_extra, fits);
    put_part(out, member->comment, fits);
}

static void put_wide_end(struct zip_parts *parts, size_t directory, struct text *out, bool *fits)
{
    size_t at = out->length;
    put(out, "PK\6\6", 4, fits);
    put_number(parts, out, 44, 8, fits);
    put_number(parts, out, 45, 2, fits);
    put_number(parts, out, 45, 2, fits);
    put_number(parts, out, 0, 4, fits);
    put_number(parts, out, 0, 4, fits);
    put_number(parts, out, parts->count, 8, fits);
    put_number(parts, out, parts->count, 8, fits);
    put_number(parts, out, at - directory, 8, fits);
    put_number(parts, out, directory, 8, fits);
    put(out, "PK\6\7", 4, fits);
    put_number(parts, out, 0, 4, fits);
    put_number(parts, out, at, 8, fits);
    put_number(parts, out, 1, 4, fits);
}

bool zip_put(struct zip_parts *parts, struct text *out)
{
    size_t offsets[ZIP_MOST_MEMBERS] = {0};
    bool fits = true;
    parts->field_count = 0;
    out->length = 0;
    for (size_t i = 0; i < parts->count; i++) {
        offsets[i] = out->length;
        put_entry(parts, &parts->members[i], out, &fits);
    }
    size_t directory = out->length;
    for (size_t i = 0; i < parts->count; i++) put_central(parts, &parts->members[i], offsets[i], out, &fits);
    size_t size = out->length - directory;
    if (parts->has_wide_end) put_wide_end(parts, directory, out, &fits);
    put(out, "PK\5\6", 4, &fits);
    put_number(parts, out, 0, 2, &fits);
    put_number(parts, out, 0, 2, &fits);
    put_number(parts, out, parts->count, 2, &fits);
    put_number(parts, out, parts->count, 2, &fits);
    put_number(parts, out, size, 4, &fits);
    put_number(parts, out, directory, 4, &fits);
    put_number(parts, out, parts->comment.length, 2, &fits);
    put_part(out, parts->comment, &fits);
    return fits;
}
