/* plan.c: plans what happens to each byte of an element when it is copied.        NPY-VALUE-001, 011, 012, API-VIEW
 * The copying is left to the core's copy.c, which checks every run of a plan before it
 * writes.
 *
 * The fields of a record are visited in the order of their offsets; a sub-array of records is visited once per record.
 * Bytes that no field covers are padding. A step counter bounds the work for any table, valid or not. */
#include "core/core.h"
#include "safenpy/copy.h"

/* How far a plan has got. */
struct plan_state {
    uint64_t needed;   /* runs, including those that exceed the plan's capacity */
    int32_t covered;   /* bytes from the start of the element that have a run */
    int32_t last_unit; /* of the last run */
    int8_t last_action;
};

/* A record whose fields are being visited. */
struct place {
    uint64_t base; /* bytes from the start of the element */
    uint64_t left; /* records of its sub-array that remain, this one included */
    uint32_t size; /* bytes of one record */
    uint32_t entry;
    uint32_t resume; /* the field after it; 0 if none */
};

/* Plans the bytes from `covered` to `end` as one run, or extends the last run if that does the same. */
static void add_run(snpy_plan *plan, struct plan_state *state, int32_t end, int32_t unit, int8_t action)
{
    int32_t offset = state->covered;
    uint64_t needed = state->needed;
    if (offset == end) return;
    state->covered = end;
    if (needed > 0 && state->last_unit == unit && state->last_action == action) {
        if (needed <= plan->capacity) plan->runs[needed - 1].end = end;
        return;
    }
    state->last_unit = unit;
    state->last_action = action;
    if (needed < plan->capacity) {
        plan->runs[needed].offset = offset;
        plan->runs[needed].end = end;
        plan->runs[needed].unit = unit;
        plan->runs[needed].action = action;
    }
    state->needed = needed + 1;
}

/* Returns the bytes of one number of a dtype: those that a change of byte order reverses. 1 if it has no byte order. */
static int32_t unit_of(const snpy_dtype *dtype)
{
    uint32_t unit = dtype->itemsize;
    if (dtype->kind == SNPY_KIND_COMPLEX) unit = dtype->itemsize / 2;
    if (dtype->kind == SNPY_KIND_STRING) unit = 4;
    if (dtype->kind == SNPY_KIND_BYTES || dtype->kind == SNPY_KIND_VOID || dtype->byteorder == '|') unit = 1;
    return unit >= 1 && unit <= 16 ? (int32_t)unit : 1;
}

/* Whether a dtype's byte order differs from the one asked for. */
static inline bool must_swap(int8_t present, snpy_byteorder wanted)
{
    return (wanted == SNPY_BYTEORDER_LITTLE && present == '>') || (wanted == SNPY_BYTEORDER_BIG && present == '<');
}

/* Adds the padding before a field, then the field: a simple dtype or a sub-array of one. Returns false if the field
 * overlaps the one before it or leaves the element. */
static bool add_field(snpy_plan *plan, struct plan_state *state, uint64_t offset, uint64_t size,
                      const snpy_dtype *dtype, snpy_byteorder byteorder)
{
    if (size == 0) return true;
    if (offset < (uint64_t)state->covered || offset > plan->itemsize || size > plan->itemsize - offset) return false;
    int32_t unit = unit_of(dtype);
    bool swap = unit > 1 && must_swap(dtype->byteorder, byteorder);
    add_run(plan, state, (int32_t)offset, 1, SNPY_ACTION_ZERO);
    add_run(plan, state, (int32_t)(offset + size), swap ? unit : 1, swap ? SNPY_ACTION_SWAP : SNPY_ACTION_KEEP);
    return true;
}

/* Returns the entry of a record's first field; 0 if the record has no fields. */
static uint32_t first_field(const snpy_table *table, uint32_t record)
{
    if (table->field_count - record < 2) return 0;
    return table->fields[record + 1].parent == record ? record + 1 : 0;
}

/* Returns the entry of the dtype inside nested sub-arrays; field_count if the table ends before it. */
static size_t inner_type(const snpy_table *table, size_t entry)
{
    size_t e = entry;
    while (e < table->field_count && table->fields[e].dtype.kind == SNPY_KIND_SUBARRAY) e++;
    return e;
}

/* The position of the traversal: at `field` of the record on top of the stack. */
struct traversal {
    struct place open[SNPY_MAX_DEPTH + 1];
    uint32_t depth;
    uint32_t field; /* 0: after the record's last field */
};

/* Leaves a finished record: goes to the next record of its sub-array, or to the field after it. Returns false if it was
 * the outermost record. */
static bool leave_record(struct traversal *traversal, const snpy_table *table)
{
    struct place *top = &traversal->open[traversal->depth];
    if (top->left > 1) { /* SNPY_MAX_RUNS steps are too few for `base` to overflow */
        top->left--;
        top->base += top->size;
        traversal->field = first_field(table, top->entry);
        return true;
    }
    if (traversal->depth == 0) return false;
    traversal->field = top->resume;
    traversal->depth--;
    return true;
}

/* Enters a field that is a record or a sub-array of records: `bytes` bytes at `base`, `size` per record. Returns false if
 * records are nested too deeply. */
static bool enter_record(struct traversal *traversal, const snpy_table *table, uint32_t entry, uint64_t base,
                         uint64_t bytes, uint32_t size, uint32_t resume)
{
    if (traversal->depth == SNPY_MAX_DEPTH) return false;
    traversal->depth++;
    traversal->open[traversal->depth].base = base;
    traversal->open[traversal->depth].left = bytes / size;
    traversal->open[traversal->depth].size = size;
    traversal->open[traversal->depth].entry = entry;
    traversal->open[traversal->depth].resume = resume;
    traversal->field = first_field(table, entry);
    return true;
}

/* Visits one field: plans it if its dtype is simple, enters it if it is a record, skips it if it is padding. Returns
 * false if the table or the field's offset is invalid. */
static bool visit(struct traversal *traversal, const snpy_table *table, snpy_byteorder byteorder, snpy_plan *plan,
                  struct plan_state *state)
{
    if (traversal->field >= table->field_count) return false;
    const snpy_field *field = &table->fields[traversal->field];
    size_t entry = inner_type(table, traversal->field);
    uint64_t base = traversal->open[traversal->depth].base;
    if (entry >= table->field_count || entry > UINT32_MAX || base > plan->itemsize) return false;
    if (field->offset < 0 || field->offset > (int64_t)SNPY_MAX_ITEMSIZE) return false;
    const snpy_dtype *dtype = &table->fields[entry].dtype;
    uint64_t offset = base + (uint64_t)field->offset;
    traversal->field = field->next;
    if (field->is_padding) return true;
    if (dtype->kind != SNPY_KIND_RECORD) return add_field(plan, state, offset, field->itemsize, dtype, byteorder);
    if (dtype->itemsize == 0 || field->itemsize == 0) return true;
    return enter_record(traversal, table, (uint32_t)entry, offset, field->itemsize, dtype->itemsize, field->next);
}

/* Plans all fields of a record. Returns SNPY_BAD_ARGUMENT for an invalid table, SNPY_TOO_MANY_FIELDS if SNPY_MAX_RUNS
 * steps are not enough. */
static snpy_status plan_record(const snpy_table *table, uint32_t record, snpy_byteorder byteorder, snpy_plan *plan,
                               struct plan_state *state)
{
    struct traversal traversal;
    if (record >= table->field_count) return SNPY_BAD_ARGUMENT;
    traversal.depth = 0;
    traversal.field = first_field(table, record);
    traversal.open[0].base = 0;
    traversal.open[0].left = 1;
    traversal.open[0].size = 0;
    traversal.open[0].entry = record;
    traversal.open[0].resume = 0;
    for (uint32_t steps = 0; steps < SNPY_MAX_RUNS; steps++) {
        if (traversal.field != 0) {
            if (!visit(&traversal, table, byteorder, plan, state)) return SNPY_BAD_ARGUMENT;
        } else if (!leave_record(&traversal, table)) {
            return SNPY_OK;
        }
    }
    return SNPY_TOO_MANY_FIELDS;
}

snpy_status snpy_plan_make(const snpy_view *view, const snpy_table *table, snpy_byteorder byteorder, snpy_plan *plan,
                           snpy_error *error)
{
    struct plan_state state = {0, 0, 0, 0};
    snpy_status status = SNPY_OK;
    plan->count = 0;
    plan->itemsize = view->itemsize;
    if (view->itemsize > SNPY_MAX_ITEMSIZE) return snpy_fail(error, SNPY_BAD_ARGUMENT, 0);
    if (view->dtype.kind == SNPY_KIND_RECORD)
        status = plan_record(table, view->entry, byteorder, plan, &state);
    else
        (void)add_field(plan, &state, 0, view->itemsize, &view->dtype, byteorder); /* fits: it is the whole element */
    if (status != SNPY_OK) return snpy_fail(error, status, 0);
    add_run(plan, &state, (int32_t)plan->itemsize, 1, SNPY_ACTION_ZERO);
    plan->count = (uint32_t)state.needed;
    if (state.needed > plan->capacity) return snpy_fail(error, SNPY_TABLE_TOO_SMALL, 0);
    return snpy_fail(error, SNPY_OK, 0);
}
