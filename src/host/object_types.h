/* object_types.h: what object_types.c and object_check.c share: the dtypes in object data. */
#ifndef SAFENPY_HOST_OBJECT_TYPES_H
#define SAFENPY_HOST_OBJECT_TYPES_H

#include "host/object_data.h"

/* A dtype that has its state. */
struct snpy_type {
    bool is_built; /* false: it has no state yet, or one that is refused */
    char kind;     /* the letter of its type string */
    bool is_record;
    bool is_subarray;
    bool is_big_endian;
    bool has_objects;
    bool has_text;     /* of the kind U, also in its fields */
    unsigned flags;    /* as NumPy has them in the state */
    uint32_t levels;   /* of dtypes inside */
    uint32_t axes;     /* of sub-arrays in one another */
    uint32_t leaves;   /* fields, with those of inner records; 1 of another type */
    uint64_t itemsize; /* bytes */
    uint64_t mask;     /* bytes of the mask of an element */
    uint32_t base;     /* of a sub-array: the type of its elements; types are counted from 0 */
    uint64_t repeat;   /* and their number */
    size_t first;      /* of a record: its first field */
    size_t count;      /* fields */
    size_t first_text; /* the first field that has text: 1 more than its number; 0: none */
};

/* A field of a record. */
struct snpy_type_field {
    uint32_t type;
    uint64_t offset;  /* bytes from the start of the record */
    size_t next_text; /* the next field that has text: 1 more than its number; 0: none */
};

/* The dtypes of a pickle. */
struct snpy_types {
    const snpy_object_data *data;
    uint64_t looks;                 /* what may still be looked at                              NPY-PKL-023 */
    uint32_t *numbers;              /* owned: by node, 1 more than the number of its type; 0: it is no dtype */
    struct snpy_type *types;        /* owned */
    struct snpy_type_field *fields; /* owned: of all records */
    size_t field_count;
    size_t field_capacity;
};

/* Returns the type of a dtype that has its state; NULL for another value. */
const struct snpy_type *snpy_type_of(const struct snpy_types *types, int32_t value);

/* Whether so many things may be looked at, which then count.                                           NPY-PKL-023 */
bool snpy_look(struct snpy_types *types, uint64_t count);

/* Whether a value is a str, or a string of Python 2 in ASCII. */
bool snpy_is_text(const snpy_object_data *data, int32_t value);

/* Returns the product of the dimensions of a shape; UINT64_MAX if it is larger than 2^63 - 1, if a dimension is negative, or if
 * there are more than `most` of them. A dimension of 0 counts as `zero`. *count is how many there are. */
uint64_t snpy_shape_product(struct snpy_types *types, int32_t shape, uint64_t zero, uint32_t most, uint32_t *count);

/* Fills the type of a dtype from its state, as it is at the byte `until`: dictionaries may have grown since. Returns SNPY_OK;
 * SNPY_PKL_DTYPE; SNPY_PKL_TOO_MANY_NODES; SNPY_NO_MEMORY.                                         NPY-PKL-019 */
snpy_status snpy_build_type(struct snpy_types *types, int32_t dtype, uint32_t until);

#endif
