/* core.h: what the files of the core share.
 * Proves that an error is filled as a whole. Leaves the lexical level to literal.h.
 *
 * Not all of safenpy.h: array.h needs the C library. */
#ifndef SAFENPY_CORE_H
#define SAFENPY_CORE_H

#include "safenpy/copy.h"
#include "safenpy/dtype.h"
#include "safenpy/export.h"
#include "safenpy/header.h"
#include "safenpy/name.h"
#include "safenpy/options.h"
#include "safenpy/status.h"
#include "safenpy/value.h"
#include "safenpy/view.h"
#include "safenpy/write.h"
#include "safenpy/zip.h"

/* Fills an error and hands its status back, so that a refusal is one line. */
/*@ requires \valid(error);
    terminates \true;
    exits \false;
    assigns error->status, error->offset;
    ensures result: \result == status && error->status == status && error->offset == offset;
 */
static inline snpy_status snpy_fail(snpy_error *error, snpy_status status, uint64_t offset)
{
    error->status = status;
    error->offset = offset;
    return status;
}

#endif
