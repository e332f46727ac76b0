/* inflate.h: a deflate stream read bit by bit: slow, from RFC 1951 and NPZ-DATA-007 alone, for the harnesses to hold the
 * library against. */
#ifndef SAFENPY_FUZZ_INFLATE_H
#define SAFENPY_FUZZ_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What came of a stream. */
struct inflated {
    bool is_whole; /* it ended as it should */
    bool has_more; /* it was left where it gave more than there was room for */
    size_t given;  /* bytes that it gave */
    size_t used;   /* bytes that it took, if it is whole */
};

struct inflated plain_inflate(const uint8_t *stream, size_t length, uint8_t *out, size_t room);

#endif
