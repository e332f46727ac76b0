/* zip.h: what the harnesses of archives share: what has to hold of members that were accepted, found out without the
 * library wherever that is possible. */
#ifndef SAFENPY_FUZZ_ZIP_H
#define SAFENPY_FUZZ_ZIP_H

#include "fuzz/fuzz.h"

/* A little-endian number of `width` bytes. */
uint64_t zip_number(const uint8_t *bytes, unsigned width);

/* A number that depends on every byte of an input: what an input of plain bytes takes its decisions from. */
uint32_t zip_mix(const uint8_t *bytes, size_t size);

/* Every member lies in front of `limit`, which is where the directory begins, none shares a byte with another, and
 * nothing lies between them unless the options let it.                                   NPZ-PLACE-001 … 003, 005 */
void zip_must_stand_apart(const snpy_zip_member *members, size_t count, uint64_t limit,
                          const snpy_zip_options *options);

/* The first member whose key another one in front of it has, or `count`: each is compared with each. `central` is the
 * directory, which begins at `base`.                                                    NPZ-NAME-005, NPZ-NAME-006 */
size_t zip_first_again(const uint8_t *central, uint64_t base, const snpy_zip_member *members, size_t count);

/* A reader that goes from the first byte to the last, and has the directory only for what a header leaves open, sees
 * these members and no others. Of an archive that was accepted without flags.  NPZ-LOCAL, NPZ-DESC-002, NPZ-PLACE */
void zip_must_stream(const uint8_t *file, size_t size, const snpy_zip_directory *directory,
                     const snpy_zip_member *members);

#endif
