/* write_keys.c: keeps the names of an archive that is written, and finds whether a key is new.
 *                                                                                          NPZ-WRITE-001, NPZ-WRITE-002
 * The core decodes characters and finds keys in names.
 *
 * The keys are in a crit-bit tree: a node has the first bit in which the keys below it differ. Adding a key takes time
 * linear in its length, whatever the keys are. A key is treated as if NULs followed it, which no key contains. */
#include "npz/write.h"

#include <stdlib.h>
#include <string.h>

#include "core/zip/member_name.h"

/* The bytes of a key. */
typedef struct snpy_key_span {
    const uint8_t *bytes;
    size_t length;
} snpy_key_span;

void snpy_keys_release(snpy_key_set *keys)
{
    static const snpy_key_set empty = {.count = 0};
    free(keys->text);
    free(keys->ends);
    free(keys->nodes);
    *keys = empty;
}

const uint8_t *snpy_keys_name(const snpy_key_set *keys, size_t index, size_t *length)
{
    size_t from = index > 0 ? keys->ends[index - 1] : 0;
    *length = keys->ends[index] - from;
    return keys->text + from;
}

/* Returns the key of a name.                                                                            NPZ-NAME-005 */
static snpy_key_span snpy_key_of(const uint8_t *name, size_t length)
{
    snpy_key_span key = {name, snpy_zip_key_length(name, length)};
    return key;
}

/* Returns byte `at` of a key; 0 after its end. */
static uint8_t snpy_byte_of(snpy_key_span key, size_t at)
{
    return at < key.length ? key.bytes[at] : 0;
}

/* Returns which child of a node a key belongs to: its bit at the node. */
static unsigned snpy_child_of(const snpy_key_node *node, snpy_key_span key)
{
    return (snpy_byte_of(key, node->byte) & node->mask) != 0;
}

/* Returns the key at the leaf that is reached by following the bits of `key`. It shares the longest prefix with `key`
 * that any key in the set does. The set must not be empty. */
static snpy_key_span snpy_find_nearest_key(const snpy_key_set *keys, snpy_key_span key)
{
    uint32_t at = keys->root;
    size_t length = 0;
    while (at % 2 == 0) at = keys->nodes[at / 2].child[snpy_child_of(&keys->nodes[at / 2], key)];
    const uint8_t *name = snpy_keys_name(keys, at / 2, &length);
    return snpy_key_of(name, length);
}

/* Whether the set has this key. */
static bool snpy_has_key(const snpy_key_set *keys, snpy_key_span key)
{
    if (keys->count == 0) return false;
    snpy_key_span nearest = snpy_find_nearest_key(keys, key);
    return nearest.length == key.length && memcmp(nearest.bytes, key.bytes, key.length) == 0;
}

/* Whether the key of a name is new. With `strict`, the name must not be confused with another either: it is not the key
 * of a member, nor does its key end in ".npy" and name one.                                            NPZ-WRITE-002 */
static bool snpy_is_new(const snpy_key_set *keys, const uint8_t *name, size_t length, bool strict)
{
    snpy_key_span key = snpy_key_of(name, length);
    if (snpy_has_key(keys, key)) return false;
    if (!strict) return true;
    snpy_key_span hidden = {name, length}; /* who looks for a key equal to the whole name finds this member */
    if (hidden.length != key.length && snpy_has_key(keys, hidden)) return false;
    snpy_key_span hiding = snpy_key_of(key.bytes, key.length);
    return hiding.length == key.length || !snpy_has_key(keys, hiding);
}

/* Inserts a key that is new into the tree, as that of member keys->count. */
static void snpy_keys_insert(snpy_key_set *keys, snpy_key_span key)
{
    const uint32_t mine = 2 * (uint32_t)keys->count + 1;
    if (keys->count == 0) {
        keys->root = mine;
        return;
    }
    snpy_key_span nearest = snpy_find_nearest_key(keys, key);
    snpy_key_node *fresh = &keys->nodes[keys->count - 1];
    size_t byte = 0;
    while (snpy_byte_of(nearest, byte) == snpy_byte_of(key, byte)) byte++;
    unsigned differs = snpy_byte_of(nearest, byte) ^ snpy_byte_of(key, byte);
    fresh->mask = 0x80;
    while ((differs & fresh->mask) == 0) fresh->mask = (uint8_t)(fresh->mask >> 1);
    fresh->byte = (uint32_t)byte;
    uint32_t *place = &keys->root;
    while (*place % 2 == 0) {
        snpy_key_node *node = &keys->nodes[*place / 2];
        if (node->byte > byte || (node->byte == byte && node->mask < fresh->mask)) break;
        place = &node->child[snpy_child_of(node, key)];
    }
    unsigned way = snpy_child_of(fresh, key);
    fresh->child[way] = mine;
    fresh->child[1 - way] = *place;
    *place = 2 * ((uint32_t)keys->count - 1);
}

/* Makes the set hold one more name of `length` bytes. Existing names may move. */
static snpy_status snpy_keys_grow(snpy_key_set *keys, size_t length, snpy_io_error *error)
{
    if (keys->count == keys->capacity) {
        size_t capacity = keys->capacity + keys->capacity / 2 + 64;
        size_t *ends = realloc(keys->ends, capacity * sizeof *ends);
        if (ends == NULL) return snpy_io_no_memory(error, "realloc");
        keys->ends = ends;
        snpy_key_node *nodes = realloc(keys->nodes, capacity * sizeof *nodes);
        if (nodes == NULL) return snpy_io_no_memory(error, "realloc");
        keys->nodes = nodes;
        keys->capacity = capacity;
    }
    if (length <= keys->text_capacity - keys->text_size) return SNPY_OK;
    size_t capacity = keys->text_size + keys->text_size / 2 + length + 1024;
    uint8_t *text = realloc(keys->text, capacity);
    if (text == NULL) return snpy_io_no_memory(error, "realloc");
    keys->text = text;
    keys->text_capacity = capacity;
    return SNPY_OK;
}

/* Whether a name can be written: well-formed UTF-8 of 1 to 65,535 bytes.                               NPZ-WRITE-001 */
static bool snpy_is_name(const uint8_t *name, size_t length)
{
    if (length == 0 || length > UINT16_MAX) return false;
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t step = snpy_zip_name_next(name, length, at, SNPY_ZIP_FLAG_UTF8, &code);
        if (step == 0) return false;
        at += step;
    }
    return true;
}

snpy_status snpy_keys_add(snpy_key_set *keys, const uint8_t *name, size_t length, bool strict, snpy_io_error *error)
{
    if (keys->count >= SNPY_ZIP_MAX_MEMBERS) return snpy_io_refuse(error, SNPY_ZIP_TOO_MANY_MEMBERS, keys->count);
    if (!snpy_is_name(name, length)) return snpy_io_refuse(error, SNPY_ZIP_WRITE_KEY, keys->count);
    if (!snpy_is_new(keys, name, length, strict)) return snpy_io_refuse(error, SNPY_ZIP_WRITE_DUPLICATE, keys->count);
    snpy_status status = snpy_keys_grow(keys, length, error);
    if (status != SNPY_OK) return status;
    memcpy(keys->text + keys->text_size, name, length);
    snpy_keys_insert(keys, snpy_key_of(keys->text + keys->text_size, length));
    keys->text_size += length;
    keys->ends[keys->count++] = keys->text_size;
    return SNPY_OK;
}
