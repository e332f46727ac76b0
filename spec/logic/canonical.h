/* canonical.h: the whole header that is written, as the provers know it: whether it can be, in which version, how long it
 * is. spec/npy.md, "Writing".
 *
 * Logic only: the compiler sees an empty file. Functions read the header that is given and nothing else. */
#ifndef SAFENPY_LOGIC_CANONICAL_H
#define SAFENPY_LOGIC_CANONICAL_H

#include "safenpy/write.h"
#include "spec/logic/shape.h"
#include "spec/logic/table.h"
#include "spec/logic/write.h"

/* clang-format off */
/*@ // NPY-WRITE-008: for a text of so many bytes: the text, 1 to 64 spaces and the newline
    logic integer prefix_of(integer version) = version == 1 ? 10 : 12;
    logic integer padded(integer version, integer text) = ((prefix_of(version) + text + 1) / 64 + 1) * 64;

    // NPY-WRITE-007: the version that is asked for, or 1.0
    logic integer first_version(integer choice) = choice == SNPY_VERSION_AUTO ? 1 : choice;

    // whether the length field of a version can say it
    logic boolean can_say(integer version, integer text) =
        text <= SNPY_MAX_HEADER
        && padded(version, text) - prefix_of(version) <= (version == 1 ? 65535 : SNPY_MAX_HEADER);

    // NPY-WRITE-001, NPY-WRITE-004: what is wrong with the array itself; of a record its size and its shape only
    logic integer array_refusal(snpy_header *h) =
        (h->dtype.kind != SNPY_KIND_RECORD && !writable_type(&h->dtype)) || h->dtype.itemsize > SNPY_MAX_ITEMSIZE
        ? SNPY_WRITE_DTYPE
        : h->ndim > SNPY_MAX_NDIM || extent(&h->shape[0], h->ndim, at_least_one(h->dtype.itemsize)) > SNPY_MAX_SIZE
        ? SNPY_WRITE_SHAPE : SNPY_OK;

    // NPY-HDR-007: an array that is C-contiguous in Fortran order, too: it is empty, or one dimension at most is not 1
    // decreases k
    logic integer wide_dims(snpy_header h, integer k) = k > 0 ? wide_dims(h, k - 1) + (h.shape[k - 1] != 1 ? 1 : 0) : 0;
    // decreases k
    logic boolean empty_dim(snpy_header h, integer k) = k > 0 && (h.shape[k - 1] == 0 || empty_dim(h, k - 1));
    logic integer dims_looked_at(snpy_header h) = h.ndim < SNPY_MAX_NDIM ? h.ndim : SNPY_MAX_NDIM;
    logic boolean either_order(snpy_header h) = empty_dim(h, dims_looked_at(h)) || wide_dims(h, dims_looked_at(h)) <= 1; */
/* clang-format on */

#endif
