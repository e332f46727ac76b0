/* leaf.h: what a leaf of a pickle holds: characters of text, bytes, an integer.
 * Proves that a reader stays inside the leaf and goes forward.
 * Leaves what they may be to arguments.c. */
#ifndef SAFENPY_CORE_OBJECT_LEAF_H
#define SAFENPY_CORE_OBJECT_LEAF_H

#include "core/object/nodes.h"
#include "core/object/opcode.h"

#define SNPY_LEAF_END 0xffffffffu /* no character: the leaf ends */

/* Words that arguments and keys may be. */
enum snpy_word {
    SNPY_WORD_B = 0,
    SNPY_WORD_C = 1,
    SNPY_WORD_F = 2,
    SNPY_WORD_LATIN1 = 3,
    SNPY_WORD_LATIN_1 = 4,
    SNPY_WORD_TM_ZONE = 5,
    SNPY_WORD_TM_GMTOFF = 6,
    SNPY_WORD_INFINITY = 7,
    SNPY_WORD_NAN = 8,
    SNPY_WORD_INT = 9,
    SNPY_WORD_IS_SAFE = 10,
    SNPY_WORDS = 11
};

#define SNPY_WORD_MOST 10u /* characters of a word, and a 0 */

/* The character of a word; 0 after its end. */
/*@ requires word < SNPY_WORDS && index < SNPY_WORD_MOST;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures byte: \result <= 0xff;
 */
uint32_t snpy_word_character(uint32_t word, uint32_t index);

/* A reader of text or bytes, which are escaped in some opcodes. */
struct snpy_leaf {
    size_t pos;     /* after the current character */
    size_t end;     /* where the leaf ends */
    uint32_t form;  /* how characters are written, for leaf.c */
    uint32_t point; /* the current character: a code point, or a byte; SNPY_LEAF_END after the last */
};

/* clang-format off */
/* What is left of a leaf, for variants. */
/*@ logic integer leaf_left(struct snpy_leaf leaf) =
        2 * (leaf.end - leaf.pos) + (leaf.point == SNPY_LEAF_END ? 0 : 1);
    predicate leaf_ok(uint8_t *pickle, struct snpy_leaf leaf) =
        text_ok(pickle, leaf.end) && leaf.pos <= leaf.end;
*/
/* clang-format on */

/* Begins to read a leaf: text as code points, a string of Python 2 or bytes as bytes. Other nodes have no characters. */
/*@ requires text_ok(pickle, length) && \valid_read(node);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures leaf: leaf_ok(pickle, \result) && \result.end <= length;
 */
struct snpy_leaf snpy_leaf_open(const uint8_t *pickle, size_t length, const snpy_node *node);

/* Begins to read the text or the bytes of an entry, which may be the result of calls that make bytes of others. */
/*@ TABLE_REQUIRES
    requires text_ok(pickle, length) && 0 <= entry < table->count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures leaf: leaf_ok(pickle, \result) && \result.end <= length;
 */
struct snpy_leaf snpy_leaf_of(const uint8_t *pickle, size_t length, const snpy_node_table *table, int32_t entry);

/* Goes on to the next character. */
/*@ requires \valid(leaf) && leaf_ok(pickle, *leaf) && \separated(leaf, pickle + (0 .. leaf->end - 1));
    terminates \true;
    exits \false;
    assigns leaf->pos, leaf->point;
    ensures leaf: leaf_ok(pickle, *leaf);
    ensures forward: \old(leaf->pos) <= leaf->pos;
    ensures end: leaf->point == SNPY_LEAF_END || \old(leaf->pos) < leaf->pos;
 */
void snpy_leaf_step(const uint8_t *pickle, struct snpy_leaf *leaf);

/* Reads a character if it is the current one. */
/*@ requires \valid(leaf) && leaf_ok(pickle, *leaf) && \separated(leaf, pickle + (0 .. leaf->end - 1));
    requires character: point != SNPY_LEAF_END;
    terminates \true;
    exits \false;
    assigns leaf->pos, leaf->point;
    ensures leaf: leaf_ok(pickle, *leaf);
    ensures read: \result <==> \old(leaf->point) == point;
    ensures left: leaf_left(*leaf) <= \old(leaf_left(*leaf));
    ensures forward: \result ==> leaf_left(*leaf) < \old(leaf_left(*leaf));
 */
bool snpy_leaf_take(const uint8_t *pickle, struct snpy_leaf *leaf, uint32_t point);

/* Reads a word as far as it is there; returns whether it is there whole. */
/*@ requires \valid(leaf) && leaf_ok(pickle, *leaf) && \separated(leaf, pickle + (0 .. leaf->end - 1));
    requires word: word < SNPY_WORDS;
    terminates \true;
    exits \false;
    assigns leaf->pos, leaf->point;
    ensures leaf: leaf_ok(pickle, *leaf);
    ensures left: leaf_left(*leaf) <= \old(leaf_left(*leaf));
 */
bool snpy_leaf_take_word(const uint8_t *pickle, struct snpy_leaf *leaf, uint32_t word);

/* Reads the decimal digits from the current character on; returns how many. */
/*@ requires \valid(leaf) && leaf_ok(pickle, *leaf) && \separated(leaf, pickle + (0 .. leaf->end - 1));
    terminates \true;
    exits \false;
    assigns leaf->pos, leaf->point;
    ensures leaf: leaf_ok(pickle, *leaf);
    ensures left: leaf_left(*leaf) <= \old(leaf_left(*leaf));
    ensures stop: !('0' <= leaf->point <= '9');
 */
uint64_t snpy_leaf_take_digits(const uint8_t *pickle, struct snpy_leaf *leaf);

/* Whether the characters are those of a word, and no more. */
/*@ requires leaf_ok(pickle, leaf) && word < SNPY_WORDS;
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_leaf_is(const uint8_t *pickle, struct snpy_leaf leaf, uint32_t word);

/* How many characters there are, if none is above `most`; UINT64_MAX if one is. */
/*@ requires leaf_ok(pickle, leaf);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures count: \result == UINT64_MAX || \result <= 2 * SNPY_MAX_TEXT + 1;
 */
uint64_t snpy_leaf_count(const uint8_t *pickle, struct snpy_leaf leaf, uint32_t most);

/* Whether a string of Python 2 is in ASCII.                                                            NPY-PKL-018 */
/*@ requires text_ok(pickle, length) && \valid_read(node);
    terminates \true;
    exits \false;
    assigns \nothing;
 */
bool snpy_is_ascii_raw(const uint8_t *pickle, size_t length, const snpy_node *node);

/* The value of an integer, in text or in little-endian bytes. Returns false for other nodes, if it needs more than 64 bits,
 * and if it has more than 20 bytes. */
/*@ requires text_ok(pickle, length) && \valid_read(node) && \valid(value);
    requires \separated(value, node) && \separated(value, pickle + (0 .. length-1));
    terminates \true;
    exits \false;
    assigns *value;
    ensures integer: \result ==> node->kind == SNPY_NODE_INT;
 */
bool snpy_leaf_integer(const uint8_t *pickle, size_t length, const snpy_node *node, int64_t *value);

/* Whether a node is an integer from 0 to 2^128 - 1, of at most 40 bytes. */
/*@ requires text_ok(pickle, length) && \valid_read(node);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures integer: \result ==> node->kind == SNPY_NODE_INT;
 */
bool snpy_leaf_is_128_bits(const uint8_t *pickle, size_t length, const snpy_node *node);

/* The sign of an integer of any size: -1, 0 or 1; 0 for other nodes. */
/*@ requires text_ok(pickle, length) && \valid_read(node);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures sign: -1 <= \result <= 1;
    ensures integer: \result != 0 ==> node->kind == SNPY_NODE_INT;
 */
int snpy_leaf_sign(const uint8_t *pickle, size_t length, const snpy_node *node);

#endif
