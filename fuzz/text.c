/* text.c: bytes that change in place, and a source of decisions. */
#include "fuzz/text.h"

#include <string.h>

void text_seed(struct text *t, uint32_t seed)
{
    t->random = (seed * 2654435761u) | 1u; /* never 0, which would stay so */
    for (unsigned i = 0; i < 4; i++) text_below(t, 1);
}

uint32_t text_below(struct text *t, size_t bound)
{
    t->random ^= t->random << 13;
    t->random ^= t->random >> 17;
    t->random ^= t->random << 5;
    return bound == 0 ? 0 : (uint32_t)(t->random % bound);
}

void text_replace(struct text *t, struct span old, const uint8_t *with, size_t length)
{
    size_t rest = t->length - old.at - old.length;
    if (length > old.length && length - old.length > t->capacity - t->length) return;
    memmove(t->bytes + old.at + length, t->bytes + old.at + old.length, rest);
    if (length > 0) memcpy(t->bytes + old.at, with, length);
    t->length += length - old.length;
}

void text_change_byte(struct text *t)
{
    if (t->length == 0) return;
    size_t at = text_below(t, t->length);
    uint32_t changed = text_below(t, 2) == 0 ? t->bytes[at] ^ (1u << text_below(t, 8)) : text_below(t, 256);
    t->bytes[at] = (uint8_t)changed;
}
