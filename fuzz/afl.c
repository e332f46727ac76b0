/* afl.c: hands the mutator to AFL++ as a library: AFL_CUSTOM_MUTATOR_LIBRARY=build/afl/mutator.so. */
#include "fuzz/mutate.h"

#include <stdlib.h>
#include <string.h>

struct state {
    uint8_t *out;
    size_t capacity;
    uint32_t seed;
};

void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_fuzz(void *data, uint8_t *bytes, size_t size, uint8_t **out, uint8_t *other, size_t other_size,
                       size_t most);
void afl_custom_deinit(void *data);

void *afl_custom_init(void *afl, unsigned seed)
{
    struct state *state = calloc(1, sizeof *state);
    (void)afl;
    if (state != NULL) state->seed = seed;
    return state;
}

/* Returns 0, which AFL++ takes as "nothing to try", if there is no memory. */
size_t afl_custom_fuzz(void *data, uint8_t *bytes, size_t size, uint8_t **out, uint8_t *other, size_t other_size,
                       size_t most)
{
    struct state *state = data;
    *out = bytes;
    if (most > state->capacity) {
        uint8_t *grown = realloc(state->out, most);
        if (grown == NULL) return 0;
        state->out = grown;
        state->capacity = most;
    }
    if (size > most) size = most;
    memcpy(state->out, bytes, size);
    *out = state->out;
    return fuzz_mutate(state->out, size, most, other, other_size, ++state->seed);
}

void afl_custom_deinit(void *data)
{
    struct state *state = data;
    free(state->out);
    free(state);
}
