/* model.h: what a view should be, kept plainly: the place of each element, one by one. */
#ifndef SAFENPY_FUZZ_MODEL_H
#define SAFENPY_FUZZ_MODEL_H

#include "fuzz/fuzz.h"

#define MODEL_AXES 12u
#define MODEL_ELEMENTS 4096u

struct model {
    uint32_t ndim;
    uint64_t shape[MODEL_AXES];
    uint64_t count;
    uint64_t places[MODEL_ELEMENTS]; /* of all elements in C order, from the start of the data */
};

/* A header chosen by the input, its view and its model. Its memory is released by fuzz_release and free(bytes). */
struct model_case {
    uint8_t *bytes;
    struct fuzz_header parsed;
    snpy_view view;
    struct model model;
};

/* Makes an array of at most MODEL_ELEMENTS elements. */
void model_make(struct fuzz_input *input, struct model_case *c);
void model_release(struct model_case *c);

/* Takes a slice, an element, a transpose or a field, of view and model alike. Returns false if the input has no more. */
bool model_step(struct fuzz_input *input, struct model_case *c);

/* The view and the model give each element the same place; of more than `most`, about so many are asked, and the last. */
void model_must_agree(const struct model_case *c, uint64_t most);

#endif
