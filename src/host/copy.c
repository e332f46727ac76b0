/* copy.c: copies an array in memory, in another order or byte order. NPY-WRITE-009, NPY-VALUE-001, 011, HOST-MEMORY
 * copy_fast.c copies the elements. The first functions here are shared with convert.c, which does the same for files. */
#include "host/io.h"
#include "safenpy/copy_fast.h"

#include <stdlib.h>
#include <string.h>

bool snpy_wants_fortran(char order, const snpy_header *header)
{
    bool says_so = order != 0 ? order == 'F' : header->fortran_order;
    return says_so && snpy_order_matters(header);
}

/* Sets the byte order of a dtype, if it has one. */
static void snpy_order_type(snpy_dtype *dtype, snpy_byteorder order)
{
    if (order == SNPY_BYTEORDER_KEEP || dtype->byteorder == '|') return;
    dtype->byteorder = order == SNPY_BYTEORDER_LITTLE ? '<' : '>';
}

snpy_status snpy_make_new_head(snpy_description description, char order, snpy_byteorder byteorder, bool keeps_version,
                               snpy_array *head, snpy_io_error *error)
{
    snpy_header header = *description.header;
    description.header = &header;
    header.fortran_order = snpy_wants_fortran(order, &header);
    snpy_order_type(&header.dtype, byteorder);
    for (size_t i = 0; i < description.table->field_count; i++)
        snpy_order_type(&description.table->fields[i].dtype, byteorder);
    snpy_status status = snpy_make_head(&description, head, error);
    if (status == SNPY_WRITE_VERSION && !keeps_version) {
        snpy_array_release(head);
        description.version = SNPY_VERSION_AUTO;
        status = snpy_make_head(&description, head, error);
    }
    return status == SNPY_OBJECT_DATA ? SNPY_OK : status; /* the caller decides what becomes of objects */
}

snpy_status snpy_find_places(const snpy_header *header, char order, snpy_view *from, snpy_view *to,
                             snpy_io_error *error)
{
    snpy_status status = snpy_view_open(header, header->data_size, from, &error->error);
    if (status != SNPY_OK) return status;
    if (snpy_wants_fortran(order, header)) status = snpy_view_transpose(from, &error->error);
    return status == SNPY_OK ? snpy_view_dense(from, false, to, &error->error) : status;
}

snpy_status snpy_make_plan(const snpy_view *from, const snpy_table *table, snpy_byteorder order, snpy_plan *plan,
                           snpy_io_error *error)
{
    static const snpy_plan none = {.runs = NULL};
    *plan = none;
    snpy_status status = snpy_plan_make(from, table, order, plan, &error->error);
    if (status != SNPY_TABLE_TOO_SMALL) return status;
    plan->runs = malloc(plan->count * sizeof *plan->runs);
    if (plan->runs == NULL) return snpy_io_no_memory(error, "malloc");
    plan->capacity = plan->count;
    return snpy_plan_make(from, table, order, plan, &error->error);
}

/* --- arrays in memory -------------------------------------------------------------------------------------- */

/* Makes the new array's header. Works on a copy of the table, whose byte orders change. */
static snpy_status snpy_copy_head(const snpy_array *array, char order, snpy_byteorder byteorder, snpy_array *copy,
                                  snpy_io_error *error)
{
    snpy_array old = *array; /* borrows all it points to */
    snpy_description description;
    const size_t size = array->table.field_count * sizeof *array->table.fields;
    old.table.fields = size > 0 ? malloc(size) : NULL;
    if (old.table.fields == NULL && size > 0) return snpy_io_no_memory(error, "malloc");
    if (size > 0) memcpy(old.table.fields, array->table.fields, size);
    old.table.field_capacity = old.table.field_count;
    snpy_array_describe(&old, &description);
    snpy_status status = snpy_make_new_head(description, order, byteorder, false, copy, error);
    free(old.table.fields);
    return status;
}

/* Allocates memory for the new array's data and copies the elements to it. */
static snpy_status snpy_copy_data(const snpy_array *array, char order, snpy_byteorder byteorder, snpy_array *copy,
                                  snpy_io_error *error)
{
    snpy_view from;
    snpy_view to = {.data_size = 0};
    snpy_plan plan = {.runs = NULL};
    snpy_status status = snpy_find_places(&array->header, order, &from, &to, error);
    if (status == SNPY_OK) status = snpy_make_plan(&from, &array->table, byteorder, &plan, error);
    if (status == SNPY_OK) status = snpy_array_reserve(copy, to.data_size, error);
    if (status == SNPY_OK) status = snpy_copy_fast(&from, array->data, &plan, &to, copy->data, &error->error);
    free(plan.runs);
    copy->data_size = to.data_size;
    copy->is_writable = true;
    return status;
}

snpy_status snpy_array_copy(const snpy_array *array, char order, snpy_byteorder byteorder, snpy_array *copy,
                            snpy_io_error *error)
{
    const bool is_order = order == 0 || order == 'C' || order == 'F';
    const bool is_byteorder = (unsigned)byteorder <= SNPY_BYTEORDER_BIG;
    snpy_io_begin(error, "");
    snpy_array_clear(copy);
    if (array->header.has_object) return snpy_io_refuse(error, SNPY_OBJECT_DATA, 0);
    if (!is_order || !is_byteorder || array->text == NULL || array->data_size != array->header.data_size)
        return snpy_io_refuse(error, SNPY_BAD_ARGUMENT, 0);
    snpy_status status = snpy_copy_head(array, order, byteorder, copy, error);
    if (status == SNPY_OK && array->data_size > 0) status = snpy_copy_data(array, order, byteorder, copy, error);
    if (status != SNPY_OK) snpy_array_release(copy);
    return status;
}
