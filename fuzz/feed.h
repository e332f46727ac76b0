/* feed.h: what is told of a mutated file, in numbers that are little-endian. */
#ifndef SAFENPY_FUZZ_FEED_H
#define SAFENPY_FUZZ_FEED_H

#include <stddef.h>
#include <stdint.h>

void put_number(uint64_t number, unsigned bytes);

/* Tells what the library makes of an archive. */
void feed_archive(const uint8_t *bytes, size_t size);

#endif
