/* record.h: lists of fields, as the provers know them. For now their names alone: what they mean is to be defined. */
#ifndef SAFENPY_LOGIC_RECORD_H
#define SAFENPY_LOGIC_RECORD_H

#include "spec/logic/dtype.h"
#include "spec/logic/shape.h"

/* clang-format off */
/*@ axiomatic records {
    logic integer record_status(uint8_t *t, integer n, integer i, boolean l, boolean np, boolean ls, boolean si,
                                boolean lf, boolean md, integer most) reads t[0 .. n - 1];
    logic integer record_stop(uint8_t *t, integer n, integer i, boolean l, boolean np, boolean ls, boolean si,
                              boolean lf, boolean md, integer most) reads t[0 .. n - 1];
    logic integer record_fields(uint8_t *t, integer n, integer i, boolean l, boolean np, boolean ls, boolean si,
                                boolean lf, boolean md, integer most) reads t[0 .. n - 1];
    logic integer record_dims(uint8_t *t, integer n, integer i, boolean l, boolean np, boolean ls, boolean si,
                              boolean lf, boolean md, integer most) reads t[0 .. n - 1];
    logic integer record_type_status(uint8_t *t, integer n, integer i, boolean l, boolean np, boolean ls, boolean si,
                                     boolean lf, boolean md, integer most, boolean no, boolean tn, boolean ba,
                                     boolean pf) reads t[0 .. n - 1];
    logic integer record_type_at(uint8_t *t, integer n, integer i, boolean l, boolean np, boolean ls, boolean si,
                                 boolean lf, boolean md, integer most, boolean no, boolean tn, boolean ba,
                                 boolean pf) reads t[0 .. n - 1];
} */
/* clang-format on */

#endif
