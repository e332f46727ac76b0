/* object_data.h: what object_open.c, object_data.c, object_array.c, object_check.c and object_save.c share. */
#ifndef SAFENPY_HOST_OBJECT_DATA_H
#define SAFENPY_HOST_OBJECT_DATA_H

#include "core/object/key_number.h"
#include "core/object/leaf.h"
#include "core/object/result.h"
#include "host/io.h"
#include "safenpy/object_data.h"

struct snpy_object_data {
    const uint8_t *pickle; /* borrowed from the caller, or from `own` */
    uint8_t *own;          /* owned: a pickle that was read from a file; else NULL */
    size_t length;
    snpy_node_table table; /* its nodes are owned */
    uint8_t *shared;       /* owned: by index, whether a node is referred to */
};

/* Checks the arrays, scalars and dtypes in what was decoded, also of a pickle that was refused, up to there. `scan` has tables
 * that were enough, and is at the beginning. Returns SNPY_OK; SNPY_PKL_DTYPE, SNPY_PKL_ARRAY or SNPY_PKL_TOO_MANY_NODES with
 * *offset, the opcode that finishes the value; SNPY_NO_MEMORY.              NPY-PKL-019, NPY-PKL-020, NPY-PKL-023 */
snpy_status snpy_object_check(const snpy_object_data *data, snpy_object_scan *scan, uint64_t *offset);

/* Whether the payload is an array of the shape, the order and the kind of a header: what snpy_object_data_match finds before it
 * compares fields.                                                                                        NPY-PKL-022 */
bool snpy_object_matches(const snpy_object_data *data, const snpy_header *header);

/* Returns the value at a place of a tuple, counted from 0; 0 if it has fewer. */
int32_t snpy_object_part(const snpy_object_data *data, int32_t tuple, uint32_t place);

/* Makes the header of the array of objects that the whole pickle is, as numpy.save would write it, or in another version if that can
 * hold it. The caller releases `head`, whatever the status. SNPY_WRONG_TYPE for a pickle that is no such array; what
 * snpy_object_array and snpy_object_data_match return; SNPY_NO_MEMORY.                                       NPY-WRITE-009 */
snpy_status snpy_make_object_head(const snpy_object_data *data, snpy_version_choice version, snpy_array *head,
                                  snpy_io_error *error);

#endif
