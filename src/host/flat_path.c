/* flat_path.c: the names of the members of a flat archive.                                     NPY-PKL-032, HOST-MEMORY */
#include "host/flat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST ((size_t)60000) /* bytes: a ZIP file has at most 65,535 for a name */

/* Adds text. */
static void add_text(snpy_flat_path *path, const char *text, size_t size)
{
    if (path->status != SNPY_OK) return;
    if (size > LONGEST || path->length + size > LONGEST) {
        path->status = SNPY_PKL_NOT_FLAT;
        return;
    }
    if (path->length + size + 1 > path->capacity) {
        const size_t wanted = 2 * (path->length + size) + 64;
        char *grown = realloc(path->text, wanted);
        if (grown == NULL) {
            path->status = SNPY_NO_MEMORY;
            return;
        }
        path->text = grown;
        path->capacity = wanted;
    }
    memcpy(path->text + path->length, text, size);
    path->length += size;
    path->text[path->length] = '\0';
}

/* Begins a part. */
static void add_slash(snpy_flat_path *path)
{
    if (path->length > 0) add_text(path, "/", 1);
}

void snpy_flat_push_word(snpy_flat_path *path, const char *word)
{
    add_slash(path);
    add_text(path, word, strlen(word));
}

void snpy_flat_push_index(snpy_flat_path *path, uint64_t index)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, index);
    snpy_flat_push_word(path, text);
}

/* Whether a point is an ASCII letter. */
static bool is_letter(uint32_t point)
{
    return (point >= 'A' && point <= 'Z') || (point >= 'a' && point <= 'z');
}

/* Whether ".npy" begins here and ends the key: two members would have one key. */
static bool is_ending(const uint32_t *points, size_t left)
{
    static const char ending[] = ".npy";
    if (left != sizeof ending - 1) return false;
    for (size_t i = 0; i < left; i++)
        if ((is_letter(points[i]) ? points[i] | 0x20 : points[i]) != (uint32_t)ending[i]) return false;
    return true;
}

/* Whether a character of a key stands for itself. */
static bool is_itself(const uint32_t *points, size_t count, size_t i)
{
    const uint32_t point = points[i];
    if (point == '.') return i > 0 && !is_ending(points + i, count - i);
    return (point >= '0' && point <= '9') || is_letter(point) || point == '-' || point == '_';
}

void snpy_flat_push_key(snpy_flat_path *path, const uint32_t *points, size_t count)
{
    add_slash(path);
    if (count == 0) add_text(path, "%", 1);
    for (size_t i = 0; i < count; i++) {
        char text[16];
        const char *form = is_itself(points, count, i) ? "%c" : points[i] < 256 ? "%%%02" PRIX32 : "%%{%" PRIX32 "}";
        add_text(path, text, (size_t)snprintf(text, sizeof text, form, points[i]));
    }
}

void snpy_flat_cut(snpy_flat_path *path, size_t length)
{
    if (length > path->length || path->text == NULL) return;
    path->length = length;
    path->text[length] = '\0';
}

const char *snpy_flat_name(const snpy_flat_path *path)
{
    return path->length == 0 ? "values" : path->text;
}
