/* name.h: the code points of a name, in each of its encodings, and which names of a table are equal.
 *                                                                                 NPY-DTYPE-012, NPY-DTYPE-013 */
#ifndef SAFENPY_LOGIC_NAME_H
#define SAFENPY_LOGIC_NAME_H

#include "safenpy/dtype.h"
#include "safenpy/name.h"
#include "spec/logic/tokens.h"

/* clang-format off */
/*@ // bytes of the code point at i of a name that ends at n; 0 if it is not well-formed
    logic integer name_step(uint8_t *t, integer n, integer i, integer encoding) =
        encoding != SNPY_NAME_PLAIN && t[i] == '\\' ? (escape_status(t, n, i) == SNPY_OK ? escape_length(t, i) : 0)
        : encoding == SNPY_NAME_LATIN1 ? 1
        : encoding == SNPY_NAME_PLAIN ? utf8_size(t, n, i, \true) : utf8_size(t, n, i, \false);

    // the code point at i, if it is well-formed
    logic integer name_value(uint8_t *t, integer i, integer encoding) =
        encoding != SNPY_NAME_PLAIN && t[i] == '\\' ? escape_value(t, i)
        : encoding == SNPY_NAME_LATIN1 ? t[i] : utf8_value(t, i);

    // The order of two names by code points, t from i to n and u from j to m: 0 if they are equal, negative if the
    // first sorts before. A name that ends sorts before one that goes on; an ill-formed sequence ends it and sorts
    // between.
    // decreases n - i
    logic integer order_of_names(uint8_t *t, integer n, integer i, integer e,
                                 uint8_t *u, integer m, integer j, integer f) =
        i >= n || j >= m ? (i < n ? 1 : 0) - (j < m ? 1 : 0) :
        name_step(t, n, i, e) <= 0 || name_step(u, m, j, f) <= 0
            ? (name_step(u, m, j, f) <= 0 ? 0 : -1) + (name_step(t, n, i, e) <= 0 ? 0 : 1) :
        name_value(t, i, e) != name_value(u, j, f) ? name_value(t, i, e) - name_value(u, j, f) :
        order_of_names(t, n, i + name_step(t, n, i, e), e, u, m, j + name_step(u, m, j, f), f);

    // ---- the names of a table: key 2 k + 1 is the name of entry k, key 2 k its title

    predicate is_key(snpy_field *f, integer key) =
        f[key / 2].has_name && !f[key / 2].is_padding && (key % 2 == 1 || f[key / 2].has_title);
    logic integer start_of_key(snpy_field *f, integer key) =
        key % 2 == 1 ? f[key / 2].name_offset : f[key / 2].title_offset;
    logic integer end_of_key(snpy_field *f, integer key) =
        key % 2 == 1 ? f[key / 2].name_offset + f[key / 2].name_length :
                       f[key / 2].title_offset + f[key / 2].title_length;
    // the byte before it, its opening quote
    logic integer quote_of_key(snpy_field *f, integer key) = start_of_key(f, key) > 0 ? start_of_key(f, key) - 1 : 0;
    // by record, then by name
    logic integer order_of_keys(uint8_t *t, integer e, snpy_field *f, integer a, integer b) =
        f[a / 2].parent != f[b / 2].parent ? f[a / 2].parent - f[b / 2].parent :
        order_of_names(t, end_of_key(f, a), start_of_key(f, a), e, t, end_of_key(f, b), start_of_key(f, b), e);

    // NPY-DTYPE-012: two names or titles of one record are equal
    predicate are_equal(uint8_t *t, integer e, snpy_field *f, integer a, integer b) =
        is_key(f, a) && is_key(f, b) && order_of_keys(t, e, f, a, b) == 0;
    // a name or title equals an earlier one; of n entries none does; it is the first that does
    predicate is_duplicate(uint8_t *t, integer e, snpy_field *f, integer key) =
        \exists integer a; 0 <= a < key && are_equal(t, e, f, a, key);
    predicate names_differ(uint8_t *t, integer e, snpy_field *f, integer n) =
        \forall integer a, b; 0 <= a < b < 2 * n ==> !are_equal(t, e, f, a, b);
    predicate first_duplicate(uint8_t *t, integer e, snpy_field *f, integer n, integer key) =
        0 <= key < 2 * n && is_duplicate(t, e, f, key)
        && \forall integer a, b; 0 <= a < b < key ==> !are_equal(t, e, f, a, b);
    // of n entries, those whose names or titles are equal are the same in two states
    predicate equals_kept{A, B}(uint8_t *t, integer e, snpy_field *f, integer n) =
        \forall integer a, b; 0 <= a < 2 * n && 0 <= b < 2 * n ==>
        (\at(are_equal(t, e, f, a, b), A) <==> \at(are_equal(t, e, f, a, b), B));

    // the names of a header whose dimensions may end in L are in Latin-1
    logic integer header_encoding(boolean l) = l ? SNPY_NAME_LATIN1 : SNPY_NAME_UTF8;
*/
/* clang-format on */

#endif
