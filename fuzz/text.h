/* text.h: what the mutators share: bytes that change in place, and a source of decisions. */
#ifndef SAFENPY_FUZZ_TEXT_H
#define SAFENPY_FUZZ_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The text being changed, which may grow up to its capacity. */
struct text {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
    uint32_t random;
};

/* A part of a text. */
struct span {
    size_t at;
    size_t length;
};

/* Begins to take decisions. */
void text_seed(struct text *t, uint32_t seed);

/* A number from 0 to bound - 1; 0 if there is none. */
uint32_t text_below(struct text *t, size_t bound);

/* Puts bytes in place of a part, if there is room. */
void text_replace(struct text *t, struct span old, const uint8_t *with, size_t length);

/* Changes one byte. */
void text_change_byte(struct text *t);

#endif
