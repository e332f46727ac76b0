/* emit.h: opcodes with their arguments, in the one way that a written pickle has them.                 NPY-PKL-029
 * Proves that nothing is written outside the buffer. Leaves the order of values to write_values.c. */
#ifndef SAFENPY_CORE_OBJECT_EMIT_H
#define SAFENPY_CORE_OBJECT_EMIT_H

#include "core/object/leaf.h"
#include "core/sink.h"

#define SNPY_ROLES 44u /* one more than the largest snpy_role */

/* clang-format off */
/* What all functions here ask for that only write. */
#define EMIT_REQUIRES                                                                                                 \
    requires \valid(sink) && sink_ok(sink);
/* What those ask for that also read a node of the pickle. */
#define EMIT_NODE_REQUIRES                                                                                            \
    EMIT_REQUIRES                                                                                                     \
    requires text_ok(pickle, length) && length <= SNPY_MAX_PICKLE && \valid_read(node);                               \
    requires \separated(sink, node, sink->out + (0 .. sink->capacity-1), pickle + (0 .. length-1));
#define EMIT_FIELDS sink->length, sink->out[0 .. sink->capacity-1]
/* clang-format on */

/* Writes a little-endian number of `width` bytes. */
/*@ EMIT_REQUIRES
    requires width <= 8;
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
void snpy_emit_number(struct snpy_sink *sink, uint64_t value, uint32_t width);

/* Writes an integer of 64 bits. */
/*@ EMIT_REQUIRES
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
void snpy_emit_integer(struct snpy_sink *sink, int64_t value);

/* Writes an integer of any size. */
/*@ EMIT_NODE_REQUIRES
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
void snpy_emit_int(const uint8_t *pickle, size_t length, const snpy_node *node, struct snpy_sink *sink);

/* Writes a float. */
/*@ EMIT_NODE_REQUIRES
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
void snpy_emit_float(const uint8_t *pickle, size_t length, const snpy_node *node, struct snpy_sink *sink);

/* Writes a str. Returns false, and writes nothing, if a character is above `most`. */
/*@ EMIT_REQUIRES
    requires most <= 0x10ffff;
    requires leaf_ok(pickle, leaf) && \separated(sink, sink->out + (0 .. sink->capacity-1), pickle + (0 .. leaf.end-1));
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
bool snpy_emit_text(const uint8_t *pickle, struct snpy_leaf leaf, uint32_t most, uint64_t protocol,
                    struct snpy_sink *sink);

/* Writes characters up to U+00FF as bytes, without their number. */
/*@ EMIT_REQUIRES
    requires leaf_ok(pickle, leaf) && \separated(sink, sink->out + (0 .. sink->capacity-1), pickle + (0 .. leaf.end-1));
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
void snpy_emit_bytes(const uint8_t *pickle, struct snpy_leaf leaf, struct snpy_sink *sink);

/* Writes bytes of the pickle, without their number. */
/*@ EMIT_NODE_REQUIRES
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
void snpy_emit_span(const uint8_t *pickle, size_t length, const snpy_node *node, struct snpy_sink *sink);

/* Writes the beginning of bytes, of which there are `size`; not for protocol 2. */
/*@ EMIT_REQUIRES
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
void snpy_emit_length_of_bytes(struct snpy_sink *sink, uint64_t size);

/* Writes a short word as a str. */
/*@ EMIT_REQUIRES
    requires word < SNPY_WORDS;
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
void snpy_emit_word(struct snpy_sink *sink, uint32_t word, uint64_t protocol);

/* Writes a global by its role. */
/*@ EMIT_REQUIRES
    requires role < SNPY_ROLES;
    terminates \true;
    exits \false;
    assigns EMIT_FIELDS;
 */
void snpy_emit_global(struct snpy_sink *sink, uint32_t role, uint64_t protocol, bool is_numpy_2);

#endif
