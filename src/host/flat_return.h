/* flat_return.h: what the files share that make a pickle of a flat archive. The pickle is a draft: it is decoded by the rules of
 * every pickle, and then written in its one form. */
#ifndef SAFENPY_HOST_FLAT_RETURN_H
#define SAFENPY_HOST_FLAT_RETURN_H

#include "host/flat.h"

#ifndef SNPY_FLAT_MOST_ITEMS           /* the harness has fewer */
#define SNPY_FLAT_MOST_ITEMS 10000000u /* as many values as a decoder makes */
#endif
#define SNPY_FLAT_NO_ROW SIZE_MAX

/* An occurrence that later ones refer to. */
typedef struct snpy_flat_target {
    uint64_t occurrence;
    uint32_t kept; /* one more than its index in the memo; 0: not yet */
} snpy_flat_target;

/* The state of coming back. */
typedef struct snpy_returning {
    snpy_flat *flat;
    snpy_flat_schema schema;
    snpy_flat_path path;
    uint8_t *draft; /* owned: the pickle */
    size_t length;
    size_t capacity;
    snpy_flat_target *targets; /* owned, by occurrence */
    size_t target_count;
    size_t next_target;
    size_t next_same;
    uint64_t count;     /* occurrences */
    uint32_t kept;      /* indices of the memo */
    uint32_t *row_kept; /* owned, by row: 0: nobody refers to it, 1: it is not complete, else 2 more than its index */
    uint32_t usual[SNPY_FLAT_USUAL]; /* by type: one more than the index of the first one; 0: none */
    uint64_t items;
    uint64_t nones; /* items of columns that have no member */
    snpy_status status;
} snpy_returning;

/* Where a value occurs. */
typedef struct snpy_flat_place {
    snpy_flat_target *target; /* what it is the same as, or what refers to it; NULL: none */
    bool is_same;
    bool is_apart;
    size_t row; /* SNPY_FLAT_NO_ROW: it has none */
    size_t start;
} snpy_flat_place;

/* ---- flat_draft.c ---- */

/* Sets the status, unless it is set. Returns false. */
bool snpy_return_fail(snpy_returning *back, snpy_status status);

/* Makes the table of targets from $same. */
void snpy_return_open_targets(snpy_returning *back);

/* Write opcodes to the draft. */
void snpy_draft_put(snpy_returning *back, const void *bytes, size_t size);
void snpy_draft_byte(snpy_returning *back, uint8_t byte);
void snpy_draft_global(snpy_returning *back, const char *module, const char *name);
void snpy_draft_int(snpy_returning *back, uint64_t bits, bool is_unsigned);
void snpy_draft_sized(snpy_returning *back, uint8_t opcode, const uint8_t *bytes, size_t size);

/* Counts an occurrence, before its value is written. */
snpy_flat_place snpy_return_begin(snpy_returning *back, size_t row);

/* After a value was written: keeps it, or replaces it by a reference. */
void snpy_return_end(snpy_returning *back, snpy_flat_place *place);

/* Writes a reference to what is kept. */
void snpy_draft_get(snpy_returning *back, uint32_t kept);

/* Write a str, given its code points or its bytes, and a dtype with its occurrence. */
void snpy_draft_word(snpy_returning *back, const char *word);
void snpy_draft_text(snpy_returning *back, const uint8_t *points, size_t count);
void snpy_draft_dtype(snpy_returning *back, const snpy_dtype *dtype);

/* Writes an int of any size, or with is_text a LONG, given its digits as code points. */
void snpy_draft_digits(snpy_returning *back, const uint8_t *points, size_t count, bool is_text);

/* Begins an array: up to its shape in the state. */
void snpy_draft_array(snpy_returning *back, uint32_t kind, const uint64_t *shape, uint32_t ndim);

/* ---- flat_source.c ---- */

/* An open column. */
typedef struct snpy_flat_source {
    snpy_array values;
    snpy_array offsets; /* owned, like the others */
    snpy_array shapes;
    snpy_array nones;
    uint32_t kind;
    uint64_t count;
    bool is_single;
    bool has_offsets;
    bool is_optional;
    bool has_shapes;
} snpy_flat_source;

/* Opens the column of `count` items at the path and checks its types and sizes; is_single: of one value
 * without a shape; has_any_shape: that of an object array. The caller releases it, whatever the status. */
void snpy_source_open(snpy_returning *back, uint32_t items, uint64_t count, bool is_single, bool has_any_shape,
                      snpy_flat_source *source);
void snpy_source_release(snpy_flat_source *source);

/* Writes an item to the draft. */
void snpy_source_put(snpy_returning *back, const snpy_flat_source *source, uint64_t index, size_t row);

/* Opens the member at the path. */
bool snpy_return_open(snpy_returning *back, const char *word, snpy_array *array);

/* ---- flat_begin.c ---- */

/* The columns of a dictionary. */
typedef struct snpy_back_columns {
    snpy_flat_source keys;
    snpy_flat_source values;
} snpy_back_columns;

/* A value whose children are being read. */
typedef struct snpy_back_frame {
    snpy_flat_entry entry;
    size_t row;
    uint64_t next; /* the child that comes next */
    size_t path;   /* bytes */
    snpy_flat_place place;
    bool has_place;
    snpy_back_columns *columns; /* owned; NULL: none */
} snpy_back_frame;

/* The walk. */
typedef struct snpy_walk_back {
    snpy_returning back;
    size_t *starts; /* owned, by row: where its value begins in the draft */
    size_t next_row;
    snpy_back_frame *frames; /* owned */
    size_t depth;
    size_t capacity;
} snpy_walk_back;

/* Refuses the row that was read last. */
void snpy_back_refuse(snpy_walk_back *walk);

/* Frees the columns of a frame. */
void snpy_back_release_columns(snpy_back_frame *frame);

/* Reads the next row, whose value is at the path, and begins it. */
void snpy_back_row(snpy_walk_back *walk);

/* Writes what comes between the arguments of a call and its state. */
void snpy_back_close_arguments(snpy_walk_back *walk, const snpy_flat_entry *entry);

/* Writes what comes after the children of a value, and keeps it. */
void snpy_back_close(snpy_walk_back *walk, const snpy_flat_entry *entry, snpy_flat_place *place, bool has_place);

/* Writes the flag and the data of an array. */
void snpy_back_data(snpy_walk_back *walk, const snpy_array *array);

#endif
