/* compare.h: compares the values of two arrays. diff.c compares their headers. */
#ifndef SAFENPY_CLI_COMPARE_H
#define SAFENPY_CLI_COMPARE_H

#include "cli/data.h"

/* One of the two files that are compared. */
typedef struct cli_side {
    snpy_file file;
    snpy_input input;
    cli_subject about;
    snpy_view view;
    cli_steps steps;
    uint64_t trailing; /* bytes after the data; 0 if they are not known */
    bool is_member;    /* the array is a member of an archive */
} cli_side;

/* The result of a comparison. */
typedef struct cli_comparison {
    cli_side *sides;     /* borrowed: an array of two */
    uint64_t count;      /* elements */
    uint64_t differing;  /* elements that differ */
    uint64_t first;      /* the flat index, in C order, of the first element that differs */
    int side;            /* after a failure: the index of the file that could not be read */
    snpy_io_error error; /* after a failure: why it could not */
} cli_comparison;

/* Returns whether two arrays have the same shape. */
bool cli_is_same_shape(const snpy_header *one, const snpy_header *other);

/* Returns whether two dtypes differ in byte order and padding at most: field names, sub-arrays, kinds, sizes and units
 * are the same. */
bool cli_is_same_layout(const cli_side *one, const cli_side *other);

/* Returns whether the values of two arrays can be compared: same shape, same layout, no objects. */
bool cli_is_comparable(const cli_side *sides);

/* Prepares an open file for a comparison: sets its view, steps and trailing bytes, and copies a stream to a temporary
 * file, because values are not read in file order. */
snpy_status cli_prepare_side(cli_side *side, snpy_io_error *error);

/* Compares all values of two comparable arrays, by their bits: a NaN equals the same NaN, and 0.0 differs from -0.0. If
 * a file cannot be read, sets result->side and result->error. */
snpy_status cli_compare(cli_side *sides, cli_comparison *result, snpy_io_error *error);

/* Writes the location of the first difference, "[1, 2]['x']", or as the keys `index` and `path` of a JSON object. */
void cli_put_place(const cli_comparison *result, bool json);

/* The same for an array inside of a value: without index if it has no axes; as members of a JSON array, after a comma
 * unless `is_first`. */
void cli_put_inner_place(const cli_comparison *result, bool json, bool is_first);

/* Writes the value that one of the files has at the first difference. Sets result->side and result->error if it cannot
 * be read. */
snpy_status cli_put_first(cli_comparison *result, int side, enum cli_style style);

#endif
