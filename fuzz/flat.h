/* flat.h: the members of a flat archive that a harness begins with: cut from its input, or made and then changed. */
#ifndef SAFENPY_FUZZ_FLAT_H
#define SAFENPY_FUZZ_FLAT_H

#include "fuzz/fuzz.h"
#include "host/flatten.h"

/* Cuts members from an input, until it is used up: the length of a name, that of the file, then both. */
void fuzz_cut_members(struct fuzz_input *input, snpy_flat *flat);

/* Changes members as the input says, `count` times. */
void fuzz_edit_members(struct fuzz_input *input, unsigned count, snpy_flat *flat);

/* Copies members. */
void fuzz_copy_members(const snpy_flat *from, snpy_flat *to);

/* Whether both have the same members. Sorts them. */
bool fuzz_are_members_equal(snpy_flat *one, snpy_flat *other);

#endif
