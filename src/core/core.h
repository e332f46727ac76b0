/* core.h: includes what all files of the core use.
 * Proves that an error is filled completely. literal.h has the tokens.
 *
 * It does not include all of safenpy.h: array.h needs the C library. */
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

/* Fills an error and returns its status, so that a refusal is one line. With SNPY_OK and 0 it reports success. */
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
