/* member_path.c: checks whether names of members are good paths, and maps other names to good ones.  NPZ-PATH-001 … 004
 * The callers create the files. */
#include "npz/member_path.h"

#include <string.h>

/* The longest part of a path, in bytes. */
#define MAX_PART_LENGTH 255u

/* A part of a name, between two slashes. */
typedef struct part {
    const uint8_t *bytes;
    size_t length;
} part;

/* Returns the part that begins at `at`. Sets *next to the byte after the part and its slash; it exceeds `length` after
 * the last part. */
static part part_at(const uint8_t *name, size_t length, size_t at, size_t *next)
{
    part found = {name + at, 0};
    while (at + found.length < length && name[at + found.length] != '/') found.length++;
    *next = at + found.length + 1;
    return found;
}

/* Whether a part is "", "." or "..": a path with it has no name, or can lead out of the directory. */
static bool is_empty_or_dots(part one)
{
    bool is_dots =
        one.length <= 2 && (one.length < 1 || one.bytes[0] == '.') && (one.length < 2 || one.bytes[1] == '.');
    return one.length == 0 || is_dots;
}

/* Whether the character at `bytes` is a control character, or one that Windows forbids in names. `length` bytes are
 * left. */
static bool is_forbidden(const uint8_t *bytes, size_t length)
{
    uint8_t byte = bytes[0];
    bool is_control = byte < 0x20 || byte == 0x7f || (byte == 0xc2 && length > 1 && bytes[1] < 0xa0);
    return is_control || (byte < 0x80 && strchr("\\:*?\"<>|", byte) != NULL);
}

/* Whether a part is the name of a Windows device, such as "con" or "COM1.txt". */
static bool is_device(part one)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul", "com", "lpt"};
    size_t stem = 0;
    while (stem < one.length && one.bytes[stem] != '.') stem++;
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        size_t letters = 0;
        while (letters < 3 && letters < stem && (one.bytes[letters] | 0x20) == devices[i][letters]) letters++;
        if (letters < 3) continue;
        if (i < 4 && stem == 3) return true;
        if (i >= 4 && stem == 4 && one.bytes[3] >= '1' && one.bytes[3] <= '9') return true;
    }
    return false;
}

/* Whether byte `at` of a part is not allowed there, so that snpy_map_path replaces it. */
static bool is_at_fault(part one, size_t at)
{
    bool is_last = at + 1 == one.length;
    uint8_t byte = one.bytes[at];
    if (is_last && (byte == ' ' || byte == '.')) return true;
    if (at == 0 && is_device(one)) return true;
    if (is_empty_or_dots(one)) return true;
    bool is_second = at > 0 && one.bytes[at - 1] == 0xc2 && byte < 0xa0; /* second byte of a control character */
    return is_second || is_forbidden(one.bytes + at, one.length - at);
}

snpy_status snpy_check_path(const uint8_t *name, size_t length, size_t *fault)
{
    size_t used = length > 1 && name[length - 1] == '/' ? length - 1 : length;
    size_t next = 0;
    *fault = 0;
    for (size_t at = 0; at <= used; at = next)
        if (is_empty_or_dots(part_at(name, used, at, &next))) return SNPY_ZIP_PATH_ESCAPES;
    for (size_t at = 0; at <= used; at = next) {
        part one = part_at(name, used, at, &next);
        for (size_t i = 0; i < one.length; i++) {
            *fault = at + i;
            if (i >= MAX_PART_LENGTH || is_at_fault(one, i)) return SNPY_ZIP_PATH_NOT_PORTABLE;
        }
    }
    return SNPY_OK;
}

uint64_t snpy_place_in_name(const snpy_zip_member *record, const char *name, size_t at)
{
    size_t place = 0;
    bool is_utf8 = (record->flags & SNPY_ZIP_FLAG_UTF8) != 0;
    for (size_t i = 0; i < at; i++) place += is_utf8 || ((uint8_t)name[i] & 0xc0) != 0x80;
    return record->central_offset + SNPY_ZIP_NAME_OFFSET + place;
}

/* Writes a byte at out + at, as it is or as % and two hex digits. Returns the offset after it. */
static size_t put_mapped(uint8_t byte, bool is_mapped, char *out, size_t at)
{
    static const char digits[] = "0123456789ABCDEF";
    if (!is_mapped) {
        out[at] = (char)byte;
        return at + 1;
    }
    out[at] = '%';
    out[at + 1] = digits[byte / 16];
    out[at + 2] = digits[byte % 16];
    return at + 3;
}

size_t snpy_map_path(const uint8_t *name, size_t length, char *out)
{
    size_t used = length > 1 && name[length - 1] == '/' ? length - 1 : length;
    size_t next = 0;
    size_t done = 0;
    for (size_t at = 0; at <= used; at = next) {
        part one = part_at(name, used, at, &next);
        for (size_t i = 0; i < one.length; i++)
            done = put_mapped(one.bytes[i], one.bytes[i] == '%' || is_at_fault(one, i), out, done);
        if (next > used) break;
        /* The slash next to an empty part is replaced, too: the result must not have empty parts. */
        bool is_empty = next == used || name[next] == '/' || (at == 0 && one.length == 0);
        done = put_mapped('/', is_empty, out, done);
    }
    if (used < length) out[done++] = '/';
    out[done] = '\0';
    return done;
}

/* Returns the rank of a byte in the order of paths: ASCII letters without case, the slash before all others. */
static int fold(char letter)
{
    if (letter == '/') return 0;
    if (letter >= 'A' && letter <= 'Z') return letter + ('a' - 'A') + 1;
    return (uint8_t)letter + 1;
}

int snpy_compare_paths(const char *one, size_t one_length, const char *other, size_t other_length)
{
    for (size_t i = 0; i < one_length && i < other_length; i++)
        if (fold(one[i]) != fold(other[i])) return fold(one[i]) < fold(other[i]) ? -1 : 1;
    return one_length == other_length ? 0 : one_length < other_length ? -1 : 1;
}

bool snpy_paths_collide(const char *one, const char *other)
{
    size_t length = strlen(one);
    size_t other_length = strlen(other);
    bool is_directory = length > 0 && one[length - 1] == '/';
    if (is_directory) length--;
    if (other_length > 0 && other[other_length - 1] == '/' && other_length == length + 1) other_length--;
    if (other_length < length || snpy_compare_paths(one, length, other, length) != 0) return false;
    return other_length == length || (other[length] == '/' && !is_directory);
}
