/* plan.c: what happens to the bytes of one element when it is copied.              NPY-VALUE-001, 011, 012, API-VIEW
 * Proves nothing; it is tested. Leaves copying to the core's copy.c, which believes no plan: it looks at every run
 * before it writes.
 *
 * The fields of a record are walked in the order of their offsets, a sub-array of records as often as it has
 * records. What no field covers is padding. A step counter bounds the work for every table, sound or not. */
#include "core/core.h"
#include "safenpy/copy.h"

/* The plan so far. */
struct cover {
    uint64_t needed;   /* runs, whether there is room for them or not */
    int32_t covered;   /* bytes from the start of the element that have a run */
    int32_t last_unit; /* of the last run */
    int8_t last_action;
};

/* A record inside the element that is being walked. */
struct place {
    uint64_t base; /* bytes from the start of the element */
    uint64_t left; /* records of its sub-array that remain, this one included */
    uint32_t size; /* bytes of one record */
    uint32_t entry;
    uint32_t resume; /* the field after it; 0 if none */
};

/* The bytes up to `end` are treated alike: they prolong the last run, or are a new one. */
static void add_run(snpy_plan *plan, struct cover *cover, int32_t end, int32_t unit, int8_t action)
{
    int32_t offset = cover->covered;
    uint64_t needed = cover->needed;
    if (offset == end) return;
    cover->covered = end;
    if (needed > 0 && cover->last_unit == unit && cover->last_action == action) {
        if (needed <= plan->capacity) plan->runs[needed - 1].end = end;
        return;
    }
    cover->last_unit = unit;
    cover->last_action = action;
    if (needed < plan->capacity) {
        plan->runs[needed].offset = offset;
        plan->runs[needed].end = end;
        plan->runs[needed].unit = unit;
        plan->runs[needed].action = action;
    }
    cover->needed = needed + 1;
}

/* How many bytes one number of a type has, whose order matters; 1 where it does not. */
static int32_t unit_of(const snpy_dtype *dtype)
{
    uint32_t unit = dtype->itemsize;
    if (dtype->kind == SNPY_KIND_COMPLEX) unit = dtype->itemsize / 2;
    if (dtype->kind == SNPY_KIND_STRING) unit = 4;
    if (dtype->kind == SNPY_KIND_BYTES || dtype->kind == SNPY_KIND_VOID || dtype->byteorder == '|') unit = 1;
    return unit >= 1 && unit <= 16 ? (int32_t)unit : 1;
}

static inline bool must_swap(int8_t byteorder, snpy_target_order order)
{
    return (order == SNPY_ORDER_LITTLE && byteorder == '>') || (order == SNPY_ORDER_BIG && byteorder == '<');
}

/* A field of simple type, or a sub-array of them, with the padding before it. */
static bool add_field(snpy_plan *plan, struct cover *cover, uint64_t offset, uint64_t size, const snpy_dtype *dtype,
                      snpy_target_order order)
{
    if (size == 0) return true;
    if (offset < (uint64_t)cover->covered || offset > plan->itemsize || size > plan->itemsize - offset) return false;
    int32_t unit = unit_of(dtype);
    bool swap = unit > 1 && must_swap(dtype->byteorder, order);
    add_run(plan, cover, (int32_t)offset, 1, SNPY_ACTION_ZERO);
    add_run(plan, cover, (int32_t)(offset + size), swap ? unit : 1, swap ? SNPY_ACTION_SWAP : SNPY_ACTION_KEEP);
    return true;
}

/* The first field of a record, which is an entry of the table; 0 if it has none. */
static uint32_t first_field(const snpy_table *table, uint32_t record)
{
    if (table->field_count - record < 2) return 0;
    return table->fields[record + 1].parent == record ? record + 1 : 0;
}

/* The entry of the type inside nested sub-arrays; the table's end if it is not sound. */
static size_t inner_type(const snpy_table *table, size_t entry)
{
    size_t e = entry;
    while (e < table->field_count && table->fields[e].dtype.kind == SNPY_KIND_SUBARRAY) e++;
    return e;
}

/* Where the walk is: at the field `field` of the record on top. */
struct walk {
    struct place open[SNPY_MAX_DEPTH + 1];
    uint32_t depth;
    uint32_t field; /* 0: after the last */
};

/* After a record: the next one of its sub-array, or the field after it. False at the end of the walk. */
static bool leave_record(struct walk *walk, const snpy_table *table)
{
    struct place *top = &walk->open[walk->depth];
    if (top->left > 1) { /* the steps are too few for `base` to overflow */
        top->left--;
        top->base += top->size;
        walk->field = first_field(table, top->entry);
        return true;
    }
    if (walk->depth == 0) return false;
    walk->field = top->resume;
    walk->depth--;
    return true;
}

/* Into a field that is a record or a sub-array of records of `size` bytes each. */
static bool enter_record(struct walk *walk, const snpy_table *table, uint32_t entry, uint64_t base, uint64_t bytes,
                         uint32_t size, uint32_t resume)
{
    if (walk->depth == SNPY_MAX_DEPTH) return false;
    walk->depth++;
    walk->open[walk->depth].base = base;
    walk->open[walk->depth].left = bytes / size;
    walk->open[walk->depth].size = size;
    walk->open[walk->depth].entry = entry;
    walk->open[walk->depth].resume = resume;
    walk->field = first_field(table, entry);
    return true;
}

/* One field: copied if its type is simple, entered if it is a record, left out if it is padding. */
static bool visit(struct walk *walk, const snpy_table *table, snpy_target_order order, snpy_plan *plan,
                  struct cover *cover)
{
    if (walk->field >= table->field_count) return false;
    const snpy_field *field = &table->fields[walk->field];
    size_t entry = inner_type(table, walk->field);
    uint64_t base = walk->open[walk->depth].base;
    if (entry >= table->field_count || entry > UINT32_MAX || base > plan->itemsize) return false;
    if (field->offset < 0 || field->offset > (int64_t)SNPY_MAX_ITEMSIZE) return false;
    const snpy_dtype *dtype = &table->fields[entry].dtype;
    uint64_t offset = base + (uint64_t)field->offset;
    walk->field = field->next;
    if (field->is_padding) return true;
    if (dtype->kind != SNPY_KIND_RECORD) return add_field(plan, cover, offset, field->itemsize, dtype, order);
    if (dtype->itemsize == 0 || field->itemsize == 0) return true;
    return enter_record(walk, table, (uint32_t)entry, offset, field->itemsize, dtype->itemsize, field->next);
}

/* All fields of a record. */
static snpy_status walk_record(const snpy_table *table, uint32_t record, snpy_target_order order, snpy_plan *plan,
                               struct cover *cover)
{
    struct walk walk;
    if (record >= table->field_count) return SNPY_BAD_ARGUMENT;
    walk.depth = 0;
    walk.field = first_field(table, record);
    walk.open[0].base = 0;
    walk.open[0].left = 1;
    walk.open[0].size = 0;
    walk.open[0].entry = record;
    walk.open[0].resume = 0;
    for (uint32_t steps = 0; steps < SNPY_MAX_RUNS; steps++) {
        if (walk.field != 0) {
            if (!visit(&walk, table, order, plan, cover)) return SNPY_BAD_ARGUMENT;
        } else if (!leave_record(&walk, table)) {
            return SNPY_OK;
        }
    }
    return SNPY_TOO_MANY_FIELDS;
}

snpy_status snpy_plan_make(const snpy_view *view, const snpy_table *table, snpy_target_order order, snpy_plan *plan,
                           snpy_error *error)
{
    struct cover cover = {0, 0, 0, 0};
    snpy_status status = SNPY_OK;
    plan->count = 0;
    plan->itemsize = view->itemsize;
    if (view->itemsize > SNPY_MAX_ITEMSIZE) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    if (view->dtype.kind == SNPY_KIND_RECORD)
        status = walk_record(table, view->entry, order, plan, &cover);
    else
        (void)add_field(plan, &cover, 0, view->itemsize, &view->dtype, order); /* as large as the element */
    if (status != SNPY_OK) return snpy_fail(error, status, 0);
    add_run(plan, &cover, (int32_t)plan->itemsize, 1, SNPY_ACTION_ZERO);
    plan->count = (uint32_t)cover.needed;
    if (cover.needed > plan->capacity) return snpy_fail(error, SNPY_TABLE_TOO_SMALL, 0);
    return snpy_fail(error, SNPY_OK, 0);
}
