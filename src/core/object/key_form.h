/* key_form.h: the values in keys as Python compares them: equal values have equal parts.                       NPY-PKL-017
 * Leaves tuples to keys.c, and which values may be keys. */
#ifndef SAFENPY_CORE_OBJECT_KEY_FORM_H
#define SAFENPY_CORE_OBJECT_KEY_FORM_H

#include "core/object/arguments.h"
#include "core/object/key_number.h"

#define SNPY_KEY_NUMBERS 3u
#define SNPY_KEY_PRIME 2147483647u /* hashes are below */

/* What a value is compared by: numbers and characters. A form without either is equal to itself. */
struct snpy_key_part {
    uint32_t form;
    uint32_t numbers; /* how many of `number` */
    struct snpy_number number[SNPY_KEY_NUMBERS];
    struct snpy_leaf leaf; /* of text and bytes */
    uint64_t units;        /* at most so many characters are left in it */
    uint32_t width;        /* bytes of the leaf for a character of a NumPy string; else 1 */
    bool is_big_endian;
    uint64_t cost; /* how many bytes the work on it counts as */
};

/* A hash that nobody knows who does not know its factor, which is random. */
struct snpy_key_hash {
    uint64_t value;
    uint64_t factor;
};

/* clang-format off */
/*@ predicate part_ok(uint8_t *pickle, struct snpy_key_part *part, integer length) =
        text_ok(pickle, part->leaf.end) && part->leaf.pos <= part->leaf.end <= length;
    predicate hash_ok(struct snpy_key_hash *hash) =
        hash->value < SNPY_KEY_PRIME && 1 <= hash->factor < SNPY_KEY_PRIME;
*/
/* clang-format on */

/* Adds a number to a hash. */
/*@ requires \valid(hash) && hash_ok(hash);
    terminates \true;
    exits \false;
    assigns hash->value;
    ensures hash: hash_ok(hash);
 */
void snpy_key_mix(struct snpy_key_hash *hash, uint32_t number);

/* Reads what a value is compared by, which may be part of a key. Of a tuple not the members. */
/*@ READ_REQUIRES
    requires 0 <= index < table->count && \valid(part);
    requires \separated(part, table, pickle + (0 .. length-1), table->nodes + (0 .. table->capacity-1));
    terminates \true;
    exits \false;
    assigns *part;
    ensures part: part_ok(pickle, part, length);
 */
void snpy_key_load(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t index,
                   struct snpy_key_part *part);

/* Adds a value to a hash, and reads its characters. */
/*@ requires text_ok(pickle, length) && length <= SNPY_MAX_PICKLE && \valid(part) && part_ok(pickle, part, length);
    requires \valid(hash) && hash_ok(hash) && \separated(part, hash, pickle + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *part, hash->value;
    ensures hash: hash_ok(hash);
 */
void snpy_key_hash_part(const uint8_t *pickle, size_t length, struct snpy_key_part *part, struct snpy_key_hash *hash);

/* Whether two values are equal; reads their characters. */
/*@ requires text_ok(pickle, length) && length <= SNPY_MAX_PICKLE && \valid(left) && \valid(right);
    requires part_ok(pickle, left, length) && part_ok(pickle, right, length);
    requires \separated(left, right, pickle + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *left, *right;
 */
bool snpy_key_is_part(const uint8_t *pickle, size_t length, struct snpy_key_part *left, struct snpy_key_part *right);

#endif
