/* layout.h: what an entry of a table of fields may not say, as the provers know it. spec/npy.md, "Shape and sizes".
 *
 * Logic only: the compiler sees an empty file. `f` is an entry whose type has its size. */
#ifndef SAFENPY_LOGIC_LAYOUT_H
#define SAFENPY_LOGIC_LAYOUT_H

#include "safenpy/dtype.h"

/* clang-format off */
/*@
    // NPY-SHAPE-002: a shape stands behind a type of size zero: any if it is no record, one with dimensions if it is
    predicate nothing_shaped(snpy_field *f) =
        f->dtype.itemsize == 0 && (f->ndim > 0 || (f->shape_offset > 0 && f->dtype.kind != SNPY_KIND_RECORD));
*/
/* clang-format on */

#endif
