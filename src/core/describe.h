/* describe.h: checks a field table and writes it as NumPy's list of fields. */
#ifndef SAFENPY_CORE_DESCRIBE_H
#define SAFENPY_CORE_DESCRIBE_H

#include "core/pen.h"
#include "safenpy/write.h"
#include "spec/logic/table.h"

/*@ // What the writer relies on once a table has been found well-formed.
    predicate table_ok(snpy_field *t, integer count, integer names_length, integer dim_count) =
        \forall integer k; 0 <= k < count ==> t[k].depth <= SNPY_MAX_DEPTH
        && t[k].name_offset + t[k].name_length <= names_length
        && t[k].title_offset + t[k].title_length <= names_length && t[k].first_dim + t[k].ndim <= dim_count;

    predicate sizes_ok(snpy_field *t, integer count) =
        \forall integer k; 0 <= k < count ==> t[k].itemsize <= SNPY_MAX_ITEMSIZE
        && 0 <= t[k].offset <= SNPY_MAX_ITEMSIZE; */

/* The entries and dimensions of a table can be read, up to its counts. */
/* clang-format off */
#define SNPY_TABLE_READABLE(t)                                                                               \
    (\valid_read(t) && (t)->field_count <= SNPY_MAX_FIELDS && \object_pointer((t)->dims) &&                   \
     \valid_read((t)->fields + (0 .. (t)->field_count - 1)) && \valid_read((t)->dims + (0 .. (t)->dim_count - 1)))
/* clang-format on */

/* `p` does not overlap a table or what it points to. */
/* clang-format off */
#define SNPY_APART(p, t)                                                                                     \
    (\separated(p, t) && \separated(p, (t)->fields + (0 .. (t)->field_count - 1)) &&                         \
     \separated(p, (t)->dims + (0 .. (t)->dim_count - 1)))
/* clang-format on */

/* The arguments of logic functions about a table. */
#define SNPY_TABLE_NUMBERS(t) (t)->fields, (t)->field_count, (t)->dims, (t)->dim_count

/* Whether the writer can write a simple type.                                                          NPY-WRITE-001 */
/*@ requires \valid_read(dtype);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures size: \result ==> dtype->itemsize <= SNPY_MAX_ITEMSIZE;
    ensures NPY_WRITE_001: \result <==> writable_type(dtype);
 */
bool snpy_is_writable_type(const snpy_dtype *dtype);

/* Checks that a table is well-formed. Returns SNPY_OK, or the rule that *entry, an index of the table, breaks.
 *                                                                                      NPY-WRITE-001 … NPY-WRITE-006 */
/*@ requires \valid_read(table) && \valid_read(table->fields + (0 .. table->field_count-1));
    requires \object_pointer(table->dims) && \valid_read(table->dims + (0 .. table->dim_count-1));
    requires \valid(entry) && SNPY_APART(entry, table);
    terminates \true;
    exits \false;
    assigns *entry;
    ensures table: \result == SNPY_OK ==>
                   1 <= table->field_count <= SNPY_MAX_FIELDS
                   && table_ok(table->fields, table->field_count, names_length, table->dim_count);
    ensures sizes: \result == SNPY_OK ==> sizes_ok(table->fields, table->field_count);
    ensures status: \result == \old(table_status(SNPY_TABLE_NUMBERS(table), names_length));
    ensures entry: *entry == \old(table_fault(SNPY_TABLE_NUMBERS(table), names_length));
 */
snpy_status snpy_check_table(const snpy_table *table, size_t names_length, uint64_t *entry);

/* Writes the type of one entry without its sub-array shape, with everything inside it. Returns SNPY_WRITE_NAME, with
 * the index in *entry, if a name is ill-formed. */
/*@ requires \valid(pen) && SNPY_PEN_OK(pen) && SNPY_TABLE_READABLE(table) && text_ok(names, names_length);
    requires first < table->field_count && \valid(entry) && \separated(entry, pen);
    requires table_ok(table->fields, table->field_count, names_length, table->dim_count);
    requires sizes_ok(table->fields, table->field_count);
    requires SNPY_APART(pen, table) && SNPY_APART(pen->sink.out + (0 .. pen->sink.capacity-1), table);
    requires SNPY_APART(entry, table) && \separated(entry, pen->sink.out + (0 .. pen->sink.capacity-1));
    requires \separated(names + (0 .. names_length-1), pen, entry);
    requires \separated(names + (0 .. names_length-1), pen->sink.out + (0 .. pen->sink.capacity-1));
    terminates \true;
    exits \false;
    assigns SNPY_PEN_FIELDS(pen), pen->wide, *entry;
 */
snpy_status snpy_pen_descr(struct snpy_pen *pen, const snpy_table *table, const uint8_t *names, size_t names_length,
                           snpy_name_encoding encoding, size_t first, uint64_t *entry);

#endif
