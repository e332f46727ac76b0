/* compare.h: the values of two arrays, held against one another.
 * Proves nothing. Leaves headers to diff.c. */
#ifndef SAFENPY_CLI_COMPARE_H
#define SAFENPY_CLI_COMPARE_H

#include "cli/data.h"

/* One of two files. */
typedef struct cli_side {
    snpy_file file;
    snpy_input input;
    cli_subject about;
    snpy_view view;
    cli_steps steps;
    uint64_t trailing; /* bytes after the data; 0 if they are not known */
    bool is_member;    /* of an archive */
} cli_side;

/* What came of a comparison. */
typedef struct cli_comparison {
    cli_side *sides;     /* borrowed */
    uint64_t count;      /* elements */
    uint64_t differing;  /* those that differ */
    uint64_t first;      /* the flat number, in C order, of the first of them */
    int side;            /* the file that could not be read */
    snpy_io_error error; /* of it */
} cli_comparison;

bool cli_is_same_shape(const snpy_header *one, const snpy_header *other);

/* Whether the types are the same but for byte order and padding: names, sub-arrays, kinds, sizes, units. */
bool cli_is_same_layout(const cli_side *one, const cli_side *other);

/* Whether there are values to be compared: shapes and types agree, and there are no objects. */
bool cli_is_comparable(const cli_side *sides);

/* Makes an open file ready: its view and steps, and a stream a file that can be read anywhere. */
snpy_status cli_prepare_side(cli_side *side, snpy_io_error *error);

/* Compares all values of two comparable files. Bits count: a NaN equals itself, 0.0 is not -0.0. */
snpy_status cli_compare(cli_side *sides, cli_comparison *result, snpy_io_error *error);

/* Puts where the first difference is: "[1, 2]['x']", or the members `index` and `path` of a JSON object. */
void cli_put_place(const cli_comparison *result, bool json);

/* Puts the value of one file there. */
snpy_status cli_put_first(cli_comparison *result, int side, enum cli_style style);

#endif
