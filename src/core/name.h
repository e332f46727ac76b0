/* name.h: decodes names by code points, in any of their encodings. */
#ifndef SAFENPY_CORE_NAME_H
#define SAFENPY_CORE_NAME_H

#include "core/sink.h"
#include "safenpy/name.h"
#include "spec/logic/name.h"

/* Decodes one code point of a name that ends at `end`. Returns the number of its bytes, 0 if they are ill-formed. */
/*@ requires text_ok(text, end) && pos < end && \valid(code_point);
    requires \separated(code_point, text + (0 .. end-1));
    terminates \true;
    exits \false;
    assigns *code_point;
    ensures NPY_DTYPE_013: \result == \old(name_step(text, end, pos, encoding));
    ensures value: \result > 0 ==> *code_point == \old(name_value(text, pos, encoding));
    ensures range: pos + \result <= end;
    ensures bound: *code_point <= 0x10ffff;
 */
size_t snpy_name_next(const uint8_t *text, size_t end, size_t pos, snpy_name_encoding encoding, uint32_t *code_point);

/* Ghost lemmas: the order of names is antisymmetric and transitive. */
/*@ ghost
    /@ requires i <= n <= SNPY_MAX_TEXT;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures mirror: order_of_names(t, n, i, e, u, m, j, f) == -order_of_names(u, m, j, f, t, n, i, e); @/
    static void show_mirror(const uint8_t *t, size_t n, size_t i, uint32_t e, const uint8_t *u, size_t m, size_t j,
                            uint32_t f)
    {
        /@ loop invariant range: 0 <= d <= n - i + 1;
           loop invariant mirror: \forall integer p, q; n - p < d ==>
               order_of_names(t, n, p, e, u, m, q, f) == -order_of_names(u, m, q, f, t, n, p, e);
           loop assigns d;
           loop variant n - d; @/
        for (uint64_t d = 0; d <= n - i; d++) ;
    }

    /@ requires i <= n <= SNPY_MAX_TEXT;
       terminates \true;
       exits \false;
       assigns \nothing;
       ensures chain: order_of_names(t, n, i, e, u, m, j, f) <= 0 && order_of_names(u, m, j, f, v, o, k, g) <= 0 ==>
               order_of_names(t, n, i, e, v, o, k, g) <= 0;
       ensures strict: order_of_names(t, n, i, e, u, m, j, f) <= 0 && order_of_names(u, m, j, f, v, o, k, g) <= 0
               && order_of_names(t, n, i, e, v, o, k, g) == 0 ==>
               order_of_names(t, n, i, e, u, m, j, f) == 0 && order_of_names(u, m, j, f, v, o, k, g) == 0; @/
    static void show_chain(const uint8_t *t, size_t n, size_t i, uint32_t e, const uint8_t *u, size_t m, size_t j,
                           uint32_t f, const uint8_t *v, size_t o, size_t k, uint32_t g)
    {
        /@ loop invariant range: 0 <= d <= n - i + 1;
           loop invariant chain: \forall integer p, q, r; n - p < d
               && order_of_names(t, n, p, e, u, m, q, f) <= 0 && order_of_names(u, m, q, f, v, o, r, g) <= 0 ==>
               order_of_names(t, n, p, e, v, o, r, g) <= 0
               && (order_of_names(t, n, p, e, v, o, r, g) == 0 ==>
                   order_of_names(t, n, p, e, u, m, q, f) == 0 && order_of_names(u, m, q, f, v, o, r, g) == 0);
           loop assigns d;
           loop variant n - d; @/
        for (uint64_t d = 0; d <= n - i; d++) ;
    }
*/

#endif
