/* flatten.h: object arrays as plain arrays, and back: what the command uses. flat.h has what the files share that do it.
 * src/cli/flatten.c reads and writes the archive. */
#ifndef SAFENPY_HOST_FLATTEN_H
#define SAFENPY_HOST_FLATTEN_H

#include "host/flow.h"

/* --- flat_members.c: plain arrays in memory ---------------------------------------------------------------- */

/* A member: an NPY file. */
typedef struct snpy_flat_member {
    char *name;     /* owned: its key, without ".npy" */
    uint8_t *bytes; /* owned */
    size_t size;
    bool is_used;
} snpy_flat_member;

/* The members of an archive. All zero: none. */
typedef struct snpy_flat {
    snpy_flat_member *members; /* owned */
    size_t count;
    size_t capacity;
    uint64_t name_bytes;   /* of all names */
    uint64_t most_names;   /* how many they may have; 0: 256 MiB */
    snpy_pickle_form form; /* how to write the pickle when coming back */
} snpy_flat;

/* Frees all members. */
void snpy_flat_release(snpy_flat *flat);

/* Adds a member. It owns `bytes`, whatever the status.
 * returns  SNPY_OK; SNPY_PKL_NOT_FLAT if there are too many, or names are too long; SNPY_NO_MEMORY */
snpy_status snpy_flat_keep(snpy_flat *flat, const char *name, uint8_t *bytes, size_t size);

/* Sorts the members by name, so that snpy_flat_open finds them. */
void snpy_flat_sort(snpy_flat *flat);

/* --- flat_input.c ------------------------------------------------------------------------------------------ */

/* Flattens the payload of an input that was opened together with `file`: adds members to `flat`. error->offset counts bytes of
 * the file.
 * returns  SNPY_OK; those of snpy_disarm_input; SNPY_PKL_NOT_FLAT; SNPY_NO_MEMORY               NPY-PKL-031 to 034 */
snpy_status snpy_flatten_input(snpy_input *input, snpy_file *file, snpy_flat *flat, snpy_io_error *error);

/* --- object_unflatten.c ------------------------------------------------------------------------------------ */

/* Makes the NPY file of members: its header, and its pickle, both as `convert --disarm` writes them. With is_checked, they must be
 * the members that flattening it gives. error->offset counts bytes of the member error->member. The caller releases *head
 * and frees *pickle.
 * returns  SNPY_OK; SNPY_PKL_FLAT_SCHEMA; those of snpy_object_data_open and _write; SNPY_NO_MEMORY  NPY-PKL-035 */
snpy_status snpy_unflatten(snpy_flat *flat, bool is_checked, snpy_array *head, uint8_t **pickle, size_t *size,
                           snpy_io_error *error);

#endif
