/* check.c: checks whether a field table can be written.                                   NPY-WRITE-001 … NPY-WRITE-006
 * Proves that in a table that passes, every index that the writer uses is in range. duplicates.c finds equal names,
 * pen.c spells names. */
#include "core/describe.h"
#include "core/layout.h"

bool snpy_is_writable_type(const snpy_dtype *dtype)
{
    int8_t kind = dtype->kind;
    int8_t order = dtype->byteorder;
    uint32_t size = dtype->itemsize;
    bool has_order = order == '<' || order == '>';
    bool power = size == 1 || size == 2 || size == 4 || size == 8 || size == 16 || size == 32;
    if (size > SNPY_MAX_ITEMSIZE) return false;
    if (kind == SNPY_KIND_DATETIME || kind == SNPY_KIND_TIMEDELTA)
        return size == 8 && has_order && dtype->unit >= 0 && dtype->unit <= SNPY_UNIT_ATTOSECOND &&
               dtype->multiplier >= 1 && dtype->multiplier <= 0x7fffffff &&
               (dtype->unit != SNPY_UNIT_GENERIC || dtype->multiplier == 1);
    if (dtype->unit != SNPY_UNIT_GENERIC || dtype->multiplier != 0) return false;
    if (kind == SNPY_KIND_BYTES || kind == SNPY_KIND_VOID) return order == '|';
    if (kind == SNPY_KIND_OBJECT) return order == '|' && size == 8;
    if (kind == SNPY_KIND_BOOL) return order == '|' && size == 1;
    if (kind == SNPY_KIND_INT || kind == SNPY_KIND_UINT)
        return size == 1 ? order == '|' : has_order && power && size <= 8;
    if (!has_order) return false;
    if (kind == SNPY_KIND_STRING) return size % 4 == 0;
    if (kind == SNPY_KIND_FLOAT) return (power && size >= 2 && size <= 16) || size == 10 || size == 12;
    if (kind == SNPY_KIND_COMPLEX) return (power && size >= 8) || size == 20 || size == 24;
    return false;
}

/* Whether types of this kind contain other entries. */
/*@ terminates \true;
    exits \false;
    assigns \nothing;
    ensures open: \result <==> open_kind(kind);
 */
static bool is_open_kind(int8_t kind)
{
    return kind == SNPY_KIND_RECORD || kind == SNPY_KIND_SUBARRAY;
}

/* Returns the bytes of an entry from its base type and dimensions; SNPY_MAX_ITEMSIZE + 1 if it has no valid size.
 *                                                                                       NPY-SHAPE-002, NPY-SHAPE-003 */
/*@ requires \valid_read(dims + (first .. first + ndim - 1)) && first + ndim <= SIZE_MAX;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures size: \result == (base > SNPY_MAX_ITEMSIZE || (base == 0 && ndim > 0)
                              ? SNPY_MAX_ITEMSIZE + 1 : dims_bytes(dims, first, ndim, base));
 */
static uint64_t size_with_dims(const int32_t *dims, size_t first, uint32_t ndim, uint32_t base)
{
    if (base > SNPY_MAX_ITEMSIZE || (base == 0 && ndim > 0)) return (uint64_t)SNPY_MAX_ITEMSIZE + 1;
    return snpy_subarray_size(dims, first, ndim, base);
}

/* Checks that depth, spans and type of an entry are in range, wherever it is in the table. */
/*@ requires \valid_read(table) && \valid_read(table->fields + (0 .. table->field_count-1));
    requires i < table->field_count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures status: \result == spans_status(table->fields, i, table->dim_count, names_length);
 */
static snpy_status check_spans(const snpy_table *table, size_t names_length, size_t i)
{
    const snpy_field *field = &table->fields[i];
    int8_t kind = field->dtype.kind;
    /* Entries inside an entry are one deeper, and readers support SNPY_MAX_DEPTH only. */
    if (field->depth > SNPY_MAX_DEPTH || (field->depth == SNPY_MAX_DEPTH && is_open_kind(kind)))
        return SNPY_WRITE_TABLE;
    if (field->name_offset > names_length || field->name_length > names_length - field->name_offset)
        return SNPY_WRITE_NAME;
    if (field->title_offset > names_length || field->title_length > names_length - field->title_offset)
        return SNPY_WRITE_NAME;
    if (!is_open_kind(kind) && !snpy_is_writable_type(&field->dtype)) return SNPY_WRITE_DTYPE;
    if (field->ndim > SNPY_MAX_NDIM) return SNPY_WRITE_SHAPE;
    if (field->first_dim > table->dim_count || field->ndim > table->dim_count - field->first_dim)
        return SNPY_WRITE_SHAPE;
    return SNPY_OK;
}

/* Checks that offset and size of an entry agree with its type and dimensions. */
/*@ requires \valid_read(table) && \valid_read(table->fields + (0 .. table->field_count-1));
    requires \object_pointer(table->dims) && \valid_read(table->dims + (0 .. table->dim_count-1));
    requires i < table->field_count;
    requires table->fields[i].first_dim + table->fields[i].ndim <= table->dim_count;
    requires table->fields[i].ndim <= SNPY_MAX_NDIM;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures size: \result == SNPY_OK ==> table->fields[i].itemsize <= SNPY_MAX_ITEMSIZE
            && 0 <= table->fields[i].offset <= SNPY_MAX_ITEMSIZE;
    ensures status: \result == sizes_status(table->fields, i, table->dims);
 */
static snpy_status check_sizes(const snpy_table *table, size_t i)
{
    const snpy_field *field = &table->fields[i];
    if (i == 0)
        return field->ndim == 0 && field->offset == 0 && field->itemsize == field->dtype.itemsize &&
                       field->itemsize <= SNPY_MAX_ITEMSIZE
                   ? SNPY_OK
                   : SNPY_WRITE_TABLE;
    if (field->offset < 0 || field->offset > (int64_t)SNPY_MAX_ITEMSIZE) return SNPY_WRITE_LAYOUT;
    uint64_t size = size_with_dims(table->dims, field->first_dim, field->ndim, field->dtype.itemsize);
    if (size > SNPY_MAX_ITEMSIZE) return SNPY_WRITE_SHAPE;
    return field->itemsize == size ? SNPY_OK : SNPY_WRITE_LAYOUT;
}

/* Checks that all numbers of an entry are in range. */
/*@ requires \valid_read(table) && \valid_read(table->fields + (0 .. table->field_count-1));
    requires \object_pointer(table->dims) && \valid_read(table->dims + (0 .. table->dim_count-1));
    requires i < table->field_count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result == SNPY_OK ==> table->fields[i].depth <= SNPY_MAX_DEPTH
            && table->fields[i].name_offset + table->fields[i].name_length <= names_length
            && table->fields[i].title_offset + table->fields[i].title_length <= names_length
            && table->fields[i].first_dim + table->fields[i].ndim <= table->dim_count;
    ensures size: \result == SNPY_OK ==> table->fields[i].itemsize <= SNPY_MAX_ITEMSIZE
            && 0 <= table->fields[i].offset <= SNPY_MAX_ITEMSIZE;
    ensures ndim: \result == SNPY_OK ==> table->fields[i].ndim <= SNPY_MAX_NDIM;
    ensures status: \result == numbers_status(table->fields, i, table->dims, table->dim_count, names_length);
 */
static snpy_status check_numbers(const snpy_table *table, size_t names_length, size_t i)
{
    snpy_status status = check_spans(table, names_length, i);
    return status == SNPY_OK ? check_sizes(table, i) : status;
}

/* Whether a reader would see a field without name and title that is not padding. */
/*@ requires \valid_read(field);
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures nameless: \result <==> nameless(field);
 */
static bool is_nameless(const snpy_field *field)
{
    return field->has_name && !field->has_title && field->name_length == 0 && !field->is_padding;
}

/* Checks that an entry may follow the one before it, `before`, inside its parent. */
/*@ requires \valid_read(before) && \valid_read(field) && \valid_read(parent);
    requires field->depth <= SNPY_MAX_DEPTH && parent_entry < entry;
    requires field->itemsize <= SNPY_MAX_ITEMSIZE && 0 <= field->offset <= SNPY_MAX_ITEMSIZE;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures status: \result == place_status(before, field, parent, parent_entry, entry, parent_end);
 */
static snpy_status check_place(const snpy_field *before, const snpy_field *field, const snpy_field *parent,
                               size_t parent_entry, size_t entry, uint64_t parent_end)
{
    int8_t kind = field->dtype.kind;
    bool in_record = parent->dtype.kind == SNPY_KIND_RECORD;
    uint64_t end = (uint64_t)field->offset + field->itemsize;
    if (field->depth > before->depth && !is_open_kind(before->dtype.kind)) return SNPY_WRITE_TABLE;
    if (field->depth <= before->depth && before->dtype.kind == SNPY_KIND_SUBARRAY) return SNPY_WRITE_TABLE;
    if (field->parent != parent_entry || field->has_name != in_record) return SNPY_WRITE_TABLE;
    if (!in_record && (parent_entry + 1 != entry || field->is_padding)) return SNPY_WRITE_TABLE;
    if (!in_record && (field->offset != 0 || field->itemsize != parent->dtype.itemsize)) return SNPY_WRITE_LAYOUT;
    /* The parent is a tuple without dimensions, (type, {metadata}), of which the type alone is written: dimensions of that
     * type would be lost. */
    if (!in_record && parent->ndim == 0 && field->ndim > 0) return SNPY_WRITE_UNREADABLE;
    if (!in_record && is_nameless(parent) && kind == SNPY_KIND_VOID) return SNPY_WRITE_UNREADABLE;
    if ((uint64_t)field->offset < parent_end || end > parent->dtype.itemsize) return SNPY_WRITE_LAYOUT;
    if (!in_record || !is_nameless(field)) return SNPY_OK;
    return field->ndim > 0 || kind == SNPY_KIND_VOID ? SNPY_WRITE_UNREADABLE : SNPY_OK;
}

/* Returns the entry of the first sub-array with more than 64 dimensions, with those nested in it; 0 if there is none.
 *                                                                                                      NPY-SHAPE-001 */
/*@ requires \valid_read(fields + (0 .. count-1));
    requires ndim: \forall integer k; 0 <= k < count ==> fields[k].ndim <= SNPY_MAX_NDIM;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result == 0 || \result < count;
    ensures NPY_SHAPE_001: \result == deep_entry(fields, count, count);
 */
static size_t find_deep_entry(const snpy_field *fields, size_t count)
{
    uint32_t ndim = 0;
    size_t i = count;
    /*@ loop invariant range: 0 <= i <= count && ndim <= SNPY_MAX_NDIM;
        loop invariant ndim: ndim == nested_ndim(fields, count, i);
        loop invariant none: deep_entry(fields, count, count) == deep_entry(fields, count, i);
        loop assigns i, ndim;
        loop variant i; */
    while (i > 0) {
        i--;
        if (fields[i].dtype.kind != SNPY_KIND_SUBARRAY) ndim = 0;
        ndim += fields[i].ndim;
        if (ndim > SNPY_MAX_NDIM) return i;
    }
    return 0;
}

/* Checks an entry after the first: its numbers and its place in `parent`, the entry that contains it. `parent_end` is
 * where the parent's content has ended so far. */
/*@ requires \valid_read(table) && \valid_read(table->fields + (0 .. table->field_count-1));
    requires \object_pointer(table->dims) && \valid_read(table->dims + (0 .. table->dim_count-1));
    requires 1 <= i < table->field_count <= SNPY_MAX_FIELDS && parent < i;
    requires parent: parent == open_at(table->fields, i, table->fields[i].depth - 1) || table->fields[i].depth == 0
                     || table->fields[i].depth > SNPY_MAX_DEPTH;
    requires end: parent_end == end_at(table->fields, i, table->fields[i].depth - 1) || table->fields[i].depth == 0
                  || table->fields[i].depth > SNPY_MAX_DEPTH;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result == SNPY_OK ==> 1 <= table->fields[i].depth <= SNPY_MAX_DEPTH
            && table->fields[i].name_offset + table->fields[i].name_length <= names_length
            && table->fields[i].title_offset + table->fields[i].title_length <= names_length
            && table->fields[i].first_dim + table->fields[i].ndim <= table->dim_count;
    ensures size: \result == SNPY_OK ==> table->fields[i].itemsize <= SNPY_MAX_ITEMSIZE
            && 0 <= table->fields[i].offset <= SNPY_MAX_ITEMSIZE;
    ensures ndim: \result == SNPY_OK ==> table->fields[i].ndim <= SNPY_MAX_NDIM;
    ensures status: \result == entry_status(table->fields, i, table->dims, table->dim_count, names_length);
 */
static snpy_status check_entry(const snpy_table *table, size_t names_length, size_t i, size_t parent,
                               uint64_t parent_end)
{
    const snpy_field *field = &table->fields[i];
    snpy_status status = check_numbers(table, names_length, i);
    if (status != SNPY_OK) return status;
    if (field->depth == 0 || field->depth > table->fields[i - 1].depth + 1) return SNPY_WRITE_TABLE;
    return check_place(&table->fields[i - 1], field, &table->fields[parent], parent, i, parent_end);
}

/* Checks the first entry: the array's type, a record. */
/*@ requires \valid_read(table) && \valid_read(table->fields + (0 .. table->field_count-1));
    requires \object_pointer(table->dims) && \valid_read(table->dims + (0 .. table->dim_count-1));
    requires 1 <= table->field_count;
    terminates \true;
    exits \false;
    assigns \nothing;
    ensures range: \result == SNPY_OK ==> table->fields[0].depth == 0
            && table->fields[0].name_offset + table->fields[0].name_length <= names_length
            && table->fields[0].title_offset + table->fields[0].title_length <= names_length
            && table->fields[0].first_dim + table->fields[0].ndim <= table->dim_count;
    ensures size: \result == SNPY_OK ==> table->fields[0].itemsize <= SNPY_MAX_ITEMSIZE
            && 0 <= table->fields[0].offset <= SNPY_MAX_ITEMSIZE;
    ensures ndim: \result == SNPY_OK ==> table->fields[0].ndim <= SNPY_MAX_NDIM;
    ensures status: \result == root_status(table->fields, table->dims, table->dim_count, names_length);
 */
static snpy_status check_root(const snpy_table *table, size_t names_length)
{
    if (table->fields[0].depth != 0 || table->fields[0].dtype.kind != SNPY_KIND_RECORD) return SNPY_WRITE_TABLE;
    return check_numbers(table, names_length, 0);
}

snpy_status snpy_check_table(const snpy_table *table, size_t names_length, uint64_t *entry)
{
    size_t count = table->field_count;
    size_t open[SNPY_MAX_DEPTH + 1] = {0};  /* the entry that is open at each depth, */
    uint64_t end[SNPY_MAX_DEPTH + 1] = {0}; /* and where its content ends so far */
    snpy_status status = count == 0 || count > SNPY_MAX_FIELDS ? SNPY_WRITE_TABLE : check_root(table, names_length);
    if (status != SNPY_OK) {
        *entry = 0;
        return status;
    }
    const snpy_field *fields = table->fields;
    /*@ loop invariant range: 1 <= i <= count;
        loop invariant open: \forall integer e; 0 <= e <= SNPY_MAX_DEPTH ==> open[e] == open_at(fields, i, e);
        loop invariant before: \forall integer e; 0 <= e <= SNPY_MAX_DEPTH ==> open[e] < i;
        loop invariant end: \forall integer e; 0 <= e <= SNPY_MAX_DEPTH ==> end[e] == end_at(fields, i, e);
        loop invariant passed: refused_entry(fields, count, 1, table->dims, table->dim_count, names_length)
                       == refused_entry(fields, count, i, table->dims, table->dim_count, names_length);
        loop invariant table: table_ok(table->fields, i, names_length, table->dim_count);
        loop invariant sizes: sizes_ok(table->fields, i);
        loop invariant ndim: \forall integer k; 0 <= k < i ==> table->fields[k].ndim <= SNPY_MAX_NDIM;
        loop assigns i, status, open[0 .. SNPY_MAX_DEPTH], end[0 .. SNPY_MAX_DEPTH];
        loop variant count - i; */
    for (size_t i = 1; i < count; i++) {
        uint16_t depth = fields[i].depth;
        uint16_t above = depth > 0 && depth <= SNPY_MAX_DEPTH ? (uint16_t)(depth - 1) : 0;
        status = check_entry(table, names_length, i, open[above], end[above]);
        if (status != SNPY_OK) {
            *entry = i;
            return status;
        }
        open[depth] = i;
        end[depth] = 0;
        end[above] = (uint64_t)fields[i].offset + fields[i].itemsize;
    }
    size_t deep = find_deep_entry(fields, count);
    bool is_unfinished = fields[count - 1].dtype.kind == SNPY_KIND_SUBARRAY;
    *entry = is_unfinished ? count - 1 : deep;
    if (is_unfinished) return SNPY_WRITE_TABLE;
    return deep == 0 ? SNPY_OK : SNPY_WRITE_SHAPE;
}
