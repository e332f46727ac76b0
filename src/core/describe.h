/* describe.h: a field table, checked and written as NumPy's list of fields. */
#ifndef SAFENPY_CORE_DESCRIBE_H
#define SAFENPY_CORE_DESCRIBE_H

#include "core/pen.h"
#include "safenpy/write.h"

/*@ // What the writer relies on once a table has been found well-formed.
    predicate table_ok(snpy_field *t, integer count, integer names_length, integer dim_count) =
        \forall integer k; 0 <= k < count ==> t[k].depth <= SNPY_MAX_DEPTH
        && t[k].name_offset + t[k].name_length <= names_length
        && t[k].title_offset + t[k].title_length <= names_length && t[k].first_dim + t[k].ndim <= dim_count; */

/* Whether a simple type is one that can be written.                                               NPY-WRITE-001 */
/*@ requires \valid_read(dtype);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures size: \result ==> dtype->itemsize <= SNPY_MAX_ITEMSIZE;
 */
bool snpy_is_writable_type(const snpy_dtype *dtype);

/* Whether a table is well-formed; *entry is the one at fault.                     NPY-WRITE-001 … NPY-WRITE-006 */
/*@ requires \valid_read(table) && \valid_read(table->fields + (0 .. table->field_count-1));
    requires \valid_read(table->dims + (0 .. table->dim_count-1)) && \valid(entry);
    requires \separated(entry, table, table->fields + (0 .. table->field_count-1));
    requires \separated(entry, table->dims + (0 .. table->dim_count-1));
    terminates \true;
    exits \false;
    assigns *entry;
    ensures table: \result == SNPY_OK ==>
                   1 <= table->field_count
                   && table_ok(table->fields, table->field_count, names_length, table->dim_count);
 */
snpy_status snpy_check_table(const snpy_table *table, size_t names_length, uint64_t *entry);

/* The type of one entry without its sub-array shape, with all that lies in it.
 * SNPY_WRITE_NAME with *entry if a name is not well-formed. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && \valid_read(table) && text_ok(names, names_length);
    requires \valid_read(table->fields + (0 .. table->field_count-1));
    requires \valid_read(table->dims + (0 .. table->dim_count-1)) && first < table->field_count;
    requires table_ok(table->fields, table->field_count, names_length, table->dim_count) && \valid(entry);
    requires \separated(pen, table, table->fields + (0 .. table->field_count-1), table->dims + (0 .. table->dim_count-1), entry);
    requires \separated(pen->sink.out + (0 .. pen->sink.capacity-1), table, table->fields + (0 .. table->field_count-1),
                        table->dims + (0 .. table->dim_count-1), entry);
    requires \separated(names + (0 .. names_length-1), pen, pen->sink.out + (0 .. pen->sink.capacity-1), entry);
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), pen->wide, *entry;
 */
snpy_status snpy_pen_descr(struct snpy_pen *pen, const snpy_table *table, const uint8_t *names, size_t names_length,
                           snpy_name_encoding encoding, size_t first, uint64_t *entry);

#endif
