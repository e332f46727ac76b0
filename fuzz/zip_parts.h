/* zip_parts.h: an archive taken apart, and put together again with numbers that are right: for the mutator, which then
 * lies in one of them. Knows nothing of the library. */
#ifndef SAFENPY_FUZZ_ZIP_PARTS_H
#define SAFENPY_FUZZ_ZIP_PARTS_H

#include <stdbool.h>

#include "fuzz/text.h"

#define ZIP_MOST_MEMBERS 24u
#define ZIP_MOST_FIELDS 512u

/* Bytes that belong to someone else. */
struct zip_part {
    const uint8_t *bytes;
    size_t length;
};

/* A member; what is said of it twice in an archive is here once. */
struct zip_member {
    struct zip_part name;
    struct zip_part local_extra; /* without the wide field */
    struct zip_part central_extra;
    struct zip_part comment;
    struct zip_part data;
    uint64_t size; /* of its bytes */
    uint32_t crc;
    unsigned flags; /* bit 3: a descriptor follows */
    unsigned method;
    bool has_zip64;       /* the local header has a wide field, and a descriptor wide numbers */
    bool is_wide_central; /* so does the central header */
    bool is_unsigned;     /* the descriptor has no signature */
};

/* A number in an archive. */
struct zip_field {
    size_t at;
    unsigned width;
};

struct zip_parts {
    struct zip_member members[ZIP_MOST_MEMBERS];
    size_t count;
    struct zip_part comment;
    bool has_wide_end;
    struct zip_field fields[ZIP_MOST_FIELDS]; /* of what zip_put has written */
    size_t field_count;
};

/* A little-endian number. */
uint64_t zip_parts_number(const uint8_t *bytes, unsigned width);

uint32_t zip_parts_crc(const uint8_t *bytes, size_t length);

/* Takes an archive apart as far as that is possible; believes the directory. Returns false if there is none. */
bool zip_take(const uint8_t *bytes, size_t size, struct zip_parts *parts);

/* Puts it together; returns false if there is no room. */
bool zip_put(struct zip_parts *parts, struct text *out);

#endif
