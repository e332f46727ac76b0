/* names.c: reads the names and keys of members, and finds members by them.     NPZ-NAME-001, 002, 005, 007, NPZ-ERR-003
 * The core decodes characters and compares keys. */
#include "npz/npz.h"

#include <string.h>

#include "core/zip/member_name.h"

/* snpy_set_error_member decodes this many bytes from the end of a name: enough to fill error->member. */
#define MAX_ERROR_NAME (SNPY_ERROR_PATH + 4u)

/* Returns the bytes of a member's name in the directory. */
static const uint8_t *snpy_name_bytes(const snpy_archive *archive, size_t index)
{
    const snpy_zip_member *member = &archive->members[index];
    return archive->central + (size_t)(member->central_offset - archive->directory.offset) + SNPY_CENTRAL_FIXED;
}

/* One character as UTF-8; returns its bytes. */
size_t snpy_encode(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)((0xf00u >> size & 0xf0u) | code);
    return size;
}

/* Writes the characters of a name, from byte `at` up to byte `end`, in UTF-8, with a NUL. Whole characters only are
 * written; stops at an ill-formed one. Returns the bytes of the text up to there,
 * with those that `capacity` cuts off. */
static size_t snpy_write_name(const snpy_archive *archive, size_t index, size_t at, size_t end, char *out,
                              size_t capacity)
{
    const uint8_t *name = snpy_name_bytes(archive, index);
    size_t total = 0;
    size_t written = 0;
    while (at < end) {
        uint32_t code = 0;
        char character[4];
        size_t step = snpy_zip_name_next(name, end, at, archive->members[index].flags, &code);
        if (step == 0) break; /* the name is ill-formed */
        size_t size = snpy_encode(code, character);
        if (written == total && total + size < capacity) {
            memcpy(out + total, character, size);
            written += size;
        }
        total += size;
        at += step;
    }
    if (capacity > 0) out[written] = '\0';
    return total;
}

/* Writes an empty text, for an index without a member. Returns 0. */
static size_t snpy_write_nothing(char *out, size_t capacity)
{
    if (capacity > 0) out[0] = '\0';
    return 0;
}

bool snpy_is_named_array(const snpy_archive *archive, size_t index)
{
    const size_t length = archive->members[index].name_length;
    return snpy_zip_key_length(snpy_name_bytes(archive, index), length) != length;
}

size_t snpy_archive_name(const snpy_archive *archive, size_t index, char *out, size_t capacity)
{
    if (index >= snpy_archive_count(archive)) return snpy_write_nothing(out, capacity);
    return snpy_write_name(archive, index, 0, archive->members[index].name_length, out, capacity);
}

size_t snpy_archive_key(const snpy_archive *archive, size_t index, char *out, size_t capacity)
{
    if (index >= snpy_archive_count(archive)) return snpy_write_nothing(out, capacity);
    size_t length = snpy_zip_key_length(snpy_name_bytes(archive, index), archive->members[index].name_length);
    return snpy_write_name(archive, index, 0, length, out, capacity);
}

/* Returns the offset of the first character among the last MAX_ERROR_NAME bytes of a name; 0 if the name is
 * ill-formed. */
static size_t snpy_name_tail(const snpy_archive *archive, size_t index)
{
    const snpy_zip_member *member = &archive->members[index];
    const uint8_t *name = snpy_name_bytes(archive, index);
    size_t at = 0;
    while (member->name_length - at > MAX_ERROR_NAME) {
        uint32_t code = 0;
        size_t step = snpy_zip_name_next(name, member->name_length, at, member->flags, &code);
        if (step == 0) return 0;
        at += step;
    }
    return at;
}

void snpy_set_error_member(const snpy_archive *archive, size_t index, snpy_io_error *error)
{
    char name[3 * MAX_ERROR_NAME + 1];
    (void)snpy_write_name(archive, index, snpy_name_tail(archive, index), archive->members[index].name_length, name,
                          sizeof name);
    snpy_io_member(error, name);
}

/* Compares a text with the key of a member, or with its whole name: negative, 0 or positive. */
static int snpy_compare_text(const snpy_archive *archive, size_t index, bool whole, const uint8_t *text, size_t length)
{
    const snpy_zip_member *member = &archive->members[index];
    const uint8_t *name = snpy_name_bytes(archive, index);
    size_t name_length = whole ? member->name_length : snpy_zip_key_length(name, member->name_length);
    return snpy_zip_compare_names(text, length, SNPY_ZIP_FLAG_UTF8, name, name_length, member->flags);
}

/* Finds the member with a key, by binary search in the order in which the core has sorted the keys. Returns its index,
 * or archive->count if there is none.                                                                   NPZ-NAME-006 */
static size_t snpy_find_key(const snpy_archive *archive, const uint8_t *key, size_t length)
{
    size_t low = 0;
    size_t high = archive->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        size_t index = archive->members[middle].order_;
        int order = snpy_compare_text(archive, index, false, key, length);
        if (order == 0) return index;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return archive->count;
}

snpy_status snpy_archive_find(const snpy_archive *archive, const char *text, size_t *index, snpy_io_error *error)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t length = strlen(text);
    snpy_io_begin(error, archive != NULL && archive->path != NULL ? archive->path : "");
    if (archive != NULL && length <= 4 * (size_t)UINT16_MAX) { /* no name is longer */
        /* First the member whose whole name is `text`, then the one whose key it is. */
        *index = snpy_find_key(archive, bytes, snpy_zip_key_length(bytes, length));
        if (*index < archive->count && snpy_compare_text(archive, *index, true, bytes, length) == 0) return SNPY_OK;
        *index = snpy_find_key(archive, bytes, length);
        if (*index < archive->count) return SNPY_OK;
    }
    *index = 0;
    snpy_io_member(error, text);
    return snpy_io_refuse(error, SNPY_NO_MEMBER, 0);
}
