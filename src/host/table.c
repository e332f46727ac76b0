/* table.c: a field table that becomes as large as a header needs it.
 * Proves nothing. Leaves the contents to the core. */
#include "host/host.h"

#include <stdlib.h>

/* Makes the field table as large as its counts say. Returns false if there is no memory.       HOST-MEMORY */
static bool snpy_grow_table(snpy_table *table)
{
    if (table->field_count > table->field_capacity) {
        if (table->field_count > SIZE_MAX / sizeof *table->fields) return false;
        snpy_field *fields = realloc(table->fields, table->field_count * sizeof *fields);
        if (fields == NULL) return false;
        table->fields = fields;
        table->field_capacity = table->field_count;
    }
    if (table->dim_count > table->dim_capacity) {
        if (table->dim_count > SIZE_MAX / sizeof *table->dims) return false;
        int32_t *dims = realloc(table->dims, table->dim_count * sizeof *dims);
        if (dims == NULL) return false;
        table->dims = dims;
        table->dim_capacity = table->dim_count;
    }
    return true;
}

snpy_status snpy_parse_growing(const uint8_t *bytes, size_t length, const snpy_options *options, snpy_table *table,
                               snpy_header *header, snpy_error *error)
{
    for (int attempt = 0; attempt < 3; attempt++) {
        table->field_count = 0;
        table->dim_count = 0;
        if (snpy_parse_header(bytes, length, options, table, header, error) != SNPY_TABLE_TOO_SMALL) break;
        if (!snpy_grow_table(table)) {
            error->status = SNPY_NO_MEMORY;
            error->offset = 0;
        }
        if (error->status == SNPY_NO_MEMORY) break;
    }
    return error->status;
}
