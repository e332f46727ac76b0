/* describe.c: a field table as NumPy's list of fields.                                NPY-WRITE-003, NPY-WRITE-010
 * Proves that the walk stays inside its stack and the pen inside its sink.
 * Relies on check.c having found the table well-formed; leaves what is around the list to write.c.
 *
 * Entries stand in pre-order: when one is met, whatever is as deep or deeper and still open ends. */
#include "core/describe.h"

/* What is written from, and for each depth the entry open there, where its content ends so far, and
 * whether it has content. */
struct walk {
    const snpy_table *table;
    uint32_t open[SNPY_MAX_DEPTH + 1];
    int64_t end[SNPY_MAX_DEPTH + 1];
    int8_t has_content[SNPY_MAX_DEPTH + 1];
};

/* A sub-array shape behind its comma: ", (2, 3)". */
static void pen_shape(struct snpy_pen *pen, const int32_t *dims, uint32_t ndim)
{
    snpy_put(&pen->sink, ',');
    snpy_put(&pen->sink, ' ');
    snpy_put(&pen->sink, '(');
    for (uint32_t k = 0; k < ndim; k++) {
        if (k > 0) {
            snpy_put(&pen->sink, ',');
            snpy_put(&pen->sink, ' ');
        }
        snpy_pen_number(pen, dims[k] < 0 ? 0 : (uint64_t)dims[k]);
    }
    if (ndim == 1) snpy_put(&pen->sink, ',');
    snpy_put(&pen->sink, ')');
}

/* A comma between two fields of a list, none before the first. */
static void pen_separator(struct snpy_pen *pen, int8_t *has_content)
{
    if (*has_content) {
        snpy_put(&pen->sink, ',');
        snpy_put(&pen->sink, ' ');
    }
    *has_content = 1;
}

/* A gap of so many bytes as one padding field: ('', '|V3'), if there is one.                      NPY-WRITE-003 */
static void pen_gap(struct snpy_pen *pen, int8_t *has_content, int64_t size)
{
    static const uint8_t padding[] = {'(', '\'', '\'', ',', ' ', '\'', '|', 'V'};
    if (size <= 0) return;
    pen_separator(pen, has_content);
    snpy_pen_bytes(pen, padding, sizeof padding);
    snpy_pen_number(pen, (uint64_t)size);
    snpy_put(&pen->sink, '\'');
    snpy_put(&pen->sink, ')');
}

/* A tuple whose type stood in it with metadata only: written as that type. */
static bool is_transparent(const snpy_table *table, size_t entry)
{
    return table->fields[entry].dtype.kind == SNPY_KIND_SUBARRAY && entry + 1 < table->field_count &&
           table->fields[entry + 1].ndim == 0;
}

/* What ends an entry's tuple, the first entry's excepted: its shape and the parenthesis. */
static void pen_tail(struct snpy_pen *pen, const snpy_table *table, size_t entry)
{
    const snpy_field *field = &table->fields[entry];
    if (!field->has_name && field->ndim == 0) return; /* inside a transparent tuple */
    if (field->ndim > 0) pen_shape(pen, table->dims + field->first_dim, field->ndim);
    snpy_put(&pen->sink, ')');
}

/* Ends the list that is open at a depth. */
static void close_depth(struct snpy_pen *pen, struct walk *walk, uint32_t depth, size_t first)
{
    uint32_t entry = walk->open[depth];
    const snpy_dtype *dtype = &walk->table->fields[entry].dtype;
    if (dtype->kind == SNPY_KIND_RECORD) {
        pen_gap(pen, &walk->has_content[depth], (int64_t)dtype->itemsize - walk->end[depth]);
        snpy_put(&pen->sink, ']');
    }
    if (entry != first) pen_tail(pen, walk->table, entry);
}

/* Ends what is open, from one depth up to another: the deepest first. */
static void close_depths(struct snpy_pen *pen, struct walk *walk, uint32_t from, uint32_t to, size_t first)
{
    uint32_t depth = from;
    while (depth > to) {
        depth--;
        close_depth(pen, walk, depth, first);
    }
}

/* A field's name, or its title and name. */
static bool pen_names(struct snpy_pen *pen, const snpy_field *field, const uint8_t *names, size_t length,
                      snpy_name_encoding encoding)
{
    snpy_put(&pen->sink, '(');
    if (field->has_title) {
        snpy_put(&pen->sink, '(');
        if (!snpy_pen_name(pen, names, length, field->title_offset, field->title_length, encoding)) return false;
        snpy_put(&pen->sink, ',');
        snpy_put(&pen->sink, ' ');
    }
    if (!snpy_pen_name(pen, names, length, field->name_offset, field->name_length, encoding)) return false;
    if (field->has_title) snpy_put(&pen->sink, ')');
    snpy_put(&pen->sink, ',');
    snpy_put(&pen->sink, ' ');
    return true;
}

/* Begins the type of an entry: whole if it is simple, its bracket if not. Returns whether something is open. */
static bool open_type(struct snpy_pen *pen, struct walk *walk, size_t entry)
{
    const snpy_field *field = &walk->table->fields[entry];
    uint16_t depth = field->depth;
    walk->open[depth] = (uint32_t)entry;
    walk->end[depth] = 0;
    walk->has_content[depth] = 0;
    if (field->dtype.kind == SNPY_KIND_RECORD) {
        snpy_put(&pen->sink, '[');
        return true;
    }
    if (field->dtype.kind == SNPY_KIND_SUBARRAY) {
        if (!is_transparent(walk->table, entry)) snpy_put(&pen->sink, '(');
        return true;
    }
    snpy_pen_type(pen, &field->dtype);
    return false;
}

/* One visible entry: what ends before it, the gap in front of it, its names and the beginning of its type.
 * *top is one more than the deepest depth that is open. */
static bool pen_entry(struct snpy_pen *pen, struct walk *walk, const uint8_t *names, size_t names_length,
                      snpy_name_encoding encoding, size_t first, size_t entry, uint32_t *top)
{
    const snpy_field *field = &walk->table->fields[entry];
    uint16_t depth = field->depth;
    uint32_t above = depth - 1u;
    close_depths(pen, walk, *top, depth, first);
    *top = depth;
    if (field->has_name) {
        pen_gap(pen, &walk->has_content[above], field->offset - walk->end[above]);
        pen_separator(pen, &walk->has_content[above]);
        if (!pen_names(pen, field, names, names_length, encoding)) return false;
        walk->end[above] = field->offset + (int64_t)field->itemsize;
    }
    if (open_type(pen, walk, entry))
        *top = depth + 1u;
    else
        pen_tail(pen, walk->table, entry);
    return true;
}

snpy_status snpy_pen_descr(struct snpy_pen *pen, const snpy_table *table, const uint8_t *names, size_t names_length,
                           snpy_name_encoding encoding, size_t first, uint64_t *entry)
{
    struct walk walk = {table, {0}, {0}, {0}};
    uint32_t base = table->fields[first].depth;
    uint32_t top = base + 1;
    uint32_t hidden = SNPY_MAX_DEPTH + 1; /* entries deeper than this lie in padding */
    *entry = first;
    if (!open_type(pen, &walk, first)) return SNPY_OK;
    for (size_t i = first + 1; i < table->field_count && table->fields[i].depth > base; i++) {
        if (table->fields[i].depth > hidden) continue;
        hidden = table->fields[i].is_padding ? table->fields[i].depth : SNPY_MAX_DEPTH + 1;
        if (table->fields[i].is_padding) continue;
        *entry = i;
        if (!pen_entry(pen, &walk, names, names_length, encoding, first, i, &top)) return SNPY_WRITE_NAME;
    }
    close_depths(pen, &walk, top, base, first);
    return SNPY_OK;
}
