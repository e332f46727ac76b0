/* duplicates.h: finds equal names and titles among the fields of one record. */
#ifndef SAFENPY_CORE_DUPLICATES_H
#define SAFENPY_CORE_DUPLICATES_H

#include "core/name.h"

#define SNPY_NO_DUPLICATE 0x7fffffff

/* Finds the first name or title, in the order of the table, that equals an earlier one of the same record. Returns
 * twice its entry, plus 1 if it is a name, 0 if it is a title; SNPY_NO_DUPLICATE if all differ. Padding has no name.
 * Sorts names in two columns of the table, with n log n comparisons.                                   NPY-DTYPE-012 */
/*@ requires text_ok(text, length) && count <= SNPY_MAX_FIELDS && \valid(fields + (0 .. count-1));
    requires \separated(text + (0 .. length-1), fields + (0 .. count-1));
    requires spans: \forall integer k; 0 <= k < count ==>
             fields[k].name_offset + fields[k].name_length <= length
             && fields[k].title_offset + fields[k].title_length <= length;
    terminates \true;
    exits \false;
    assigns fields[0 .. count-1].sort_low_, fields[0 .. count-1].sort_high_;
    ensures range: \result == SNPY_NO_DUPLICATE || 0 <= \result < 2 * count;
    ensures NPY_DTYPE_012: \result != SNPY_NO_DUPLICATE ==>
            \exists integer a; 0 <= a < \result && are_equal(text, encoding, fields, a, \result);
    ensures all: \forall integer a, b; 0 <= a < b < 2 * count && are_equal(text, encoding, fields, a, b) ==>
            \result <= b;
 */
int32_t snpy_find_duplicate(const uint8_t *text, size_t length, snpy_name_encoding encoding, snpy_field *fields,
                            size_t count);

#endif
