/* safenpy/options.h: the limits and compatibility flags of a parser, fixed before the first byte is read. */
#ifndef SAFENPY_OPTIONS_H
#define SAFENPY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* The limits of the library itself. */
#define SNPY_MAX_NDIM 64u                 /* dimensions of an array, and of a sub-array with all its levels */
#define SNPY_MAX_DEPTH 64u                /* nested lists and sub-array tuples */
#define SNPY_MAX_FIELDS 0x10000000u       /* entries of a field table: 2^28 */
#define SNPY_MAX_HEADER 0xffffffffu       /* bytes of header text: the most that the length field can hold */
#define SNPY_MAX_ITEMSIZE 0x7fffffffu     /* bytes of one element: as many as a C int, which NumPy uses */
#define SNPY_MAX_SIZE 0x7fffffffffffffffu /* bytes of an array, empty dimensions counted as one */

/* Spellings that the standard profile refuses, although real files have them, each with a flag of its own (spec/npy.md,
 * "Compatibility flags"). All are off by default. Each comment begins with the name that `safenpy check --compat`
 * uses. */
typedef struct snpy_compat {
    bool int_fortran_order; /* int-fortran-order  'fortran_order': 1 */
    bool numpy_bool;        /* numpy-bool         'fortran_order': np.True_ */
    bool numpy_int;         /* numpy-int          'shape': (np.int64(2), 3) */
    bool list_shape;        /* list-shape         'shape': [2, 3], ('a', '<f8', [2]) */
    bool int_shape;         /* int-shape          ('a', '<f8', 2); never 1, which NumPy reads in two ways */
    bool list_field;        /* list-field         [['a', '<f8']] */
    bool metadata;          /* metadata           ('a', ('|O', {'vlen': str})): the dict is ignored */
    bool native_order;      /* native-order       'f8', '=f8': read as little-endian */
    bool type_names;        /* type-names         'float64', 'datetime64[ns]'; only names of fixed size */
    bool bytes_alias;       /* bytes-alias        '|a5': read as '|S5' */
    bool platform_float;    /* platform-float     '<f12', '<f10', '<c24', '<c20': opaque bytes */
} snpy_compat;

/* The limits and flags of a parser. Initialise with SNPY_OPTIONS_INIT, then change what you need. More fields,
 * dimensions or depth than the library supports are SNPY_BAD_ARGUMENT. `size` lets the struct grow. The functions of
 * header.h refuse any size but their own (SNPY_BAD_ARGUMENT). Those of array.h and archive.h also accept a smaller,
 * older struct: the fields it lacks have their defaults. */
typedef struct snpy_options {
    uint32_t size;             /* sizeof(snpy_options) */
    uint64_t max_header_bytes; /* of header text; 64 KiB; SNPY_MAX_HEADER or more: no limit */
    uint64_t max_fields;       /* entries of the field table; 65,536, at most SNPY_MAX_FIELDS */
    uint64_t max_ndim;         /* 64, at most SNPY_MAX_NDIM */
    uint64_t max_depth;        /* 64, at most SNPY_MAX_DEPTH */
    uint64_t max_data_bytes;   /* that the header may declare; SNPY_MAX_SIZE, from which on there is no limit;
                                * checked before memory is taken for data or they are mapped      NPY-DATA-004 */
    snpy_compat compat;
} snpy_options;

#define SNPY_OPTIONS_INIT                                                                             \
    {                                                                                                 \
        (uint32_t)sizeof(snpy_options), 65536u, 65536u, SNPY_MAX_NDIM, SNPY_MAX_DEPTH, SNPY_MAX_SIZE, \
        {                                                                                             \
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                                                           \
        }                                                                                             \
    }

#endif
