/* object_compare.h: compares the values of two object arrays. diff.c compares their headers. */
#ifndef SAFENPY_CLI_OBJECT_COMPARE_H
#define SAFENPY_CLI_OBJECT_COMPARE_H

#include "cli/compare.h"
#include "cli/data.h"

/* The result of a comparison of objects. */
typedef struct cli_object_differences {
    uint64_t differing; /* elements that differ */
    uint64_t count;     /* differences: of one element there may be many */
    uint64_t shown;     /* differences that were written */
} cli_object_differences;

/* Compares two arrays of objects of the same shape and type, and writes the first differences as lines, or as the
 * members of a JSON array. Returns the exit status of a failure, after a message, or CLI_ACCEPTED. */
enum cli_exit cli_compare_objects(const cli_values sides[2], bool json, cli_object_differences *result);

#endif
