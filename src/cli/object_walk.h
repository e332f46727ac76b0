/* object_walk.h: what cat and diff see in object data: the sort of a value, its members, the names of types.
 * object_values.c prints values, object_compare.c compares them. */
#ifndef SAFENPY_CLI_OBJECT_WALK_H
#define SAFENPY_CLI_OBJECT_WALK_H

#include "cli/cli.h"
#include "safenpy/object_data.h"

#define CLI_OBJECT_LEVELS 1000u              /* containers in one another, as spec/objects.md has it */
#define CLI_OBJECT_BYTES ((uint64_t)1 << 30) /* of texts and arrays: one may occur a thousand times */

/* What a value is, whatever the opcodes that made it. Those from LIST to ARRAY have members or elements. */
enum cli_sort {
    CLI_SORT_NONE,
    CLI_SORT_FALSE,
    CLI_SORT_TRUE,
    CLI_SORT_INT,
    CLI_SORT_FLOAT,
    CLI_SORT_TEXT,
    CLI_SORT_BYTES,
    CLI_SORT_BYTEARRAY,
    CLI_SORT_COMPLEX,
    CLI_SORT_SCALAR,
    CLI_SORT_DTYPE,
    CLI_SORT_MOMENT, /* date, datetime, time */
    CLI_SORT_CALL,   /* any other call */
    CLI_SORT_GLOBAL,
    CLI_SORT_LIST,
    CLI_SORT_TUPLE,
    CLI_SORT_DICT, /* also OrderedDict and defaultdict */
    CLI_SORT_SET,
    CLI_SORT_FROZENSET,
    CLI_SORT_ARRAY
};

/* Returns the sort of a value. */
enum cli_sort cli_object_sort(const snpy_node *node);

/* Returns the name of a global, by its role: "numpy.ndarray". */
const char *cli_global_name(int32_t role);

/* Steps through the keys and values of a dictionary. */
typedef struct cli_entries {
    snpy_object_members members;
    int32_t held; /* of a pair: its value, which comes next */
} cli_entries;

/* Begins with the first key. */
cli_entries cli_begin_entries(const snpy_object_data *data, int32_t value);

/* Returns the next key, or the value of the key before; 0 after the last one. */
int32_t cli_next_entry(const snpy_object_data *data, cli_entries *entries);

#endif
