/* fuzz.h: what the harnesses share: a condition that must hold, an input that is taken bit by bit, a header that is
 * parsed with a table of the right size, and a count of the core's work.
 * A harness is one file: LLVMFuzzerTestOneInput, for libFuzzer, AFL++ and main.c alike. */
#ifndef SAFENPY_FUZZ_H
#define SAFENPY_FUZZ_H

#include "safenpy/safenpy.h"

/* Says what did not hold, and ends the process so that a fuzzer keeps the input. */
#define FUZZ_MUST(condition) ((condition) ? (void)0 : fuzz_fail(#condition, __FILE__, __LINE__))
__attribute__((noreturn)) void fuzz_fail(const char *condition, const char *file, int line);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether what is dear is checked of this input too: of all, unless SAFENPY_FUZZ_EVERY=N in the environment says of one in
 * N. Which ones, their bytes say: the same input has the same answer in every run. fuzz/campaign.py asks for it, and runs
 * what it keeps once more without. */
bool fuzz_is_chosen(const uint8_t *data, size_t size);

/* A number of 48 bits that the bytes of an input draw, in every run the same. For what is dear and cannot be left to
 * decisions that an input takes: a fuzzer keeps inputs that do much, and would soon make little else. */
uint64_t fuzz_lot(const uint8_t *data, size_t size);

/* ---- inputs that choose ------------------------------------------------------------------------------------- */

/* An input from which decisions are taken; when it is used up, all that follows is 0. */
struct fuzz_input {
    const uint8_t *bytes;
    size_t left;
};

/* A number of `bytes` bytes, at most 8. */
uint64_t fuzz_take(struct fuzz_input *input, unsigned bytes);

/* A number from 0 to bound - 1. */
uint32_t fuzz_below(struct fuzz_input *input, uint32_t bound);

/* A number as sizes are: mostly small, else near a power of two. */
uint64_t fuzz_size(struct fuzz_input *input);

/* Memory of exactly so many bytes, so that a sanitizer sees the first byte too much; never NULL. */
void *fuzz_memory(size_t count, size_t size);
uint8_t *fuzz_copy(const uint8_t *bytes, size_t length);

/* Fills memory with a pattern, and says whether it still is there. */
void fuzz_fill(void *memory, size_t size);
bool fuzz_is_filled(const void *memory, size_t size);

/* ---- headers ------------------------------------------------------------------------------------------------ */

/* A header with its table, whose memory is released by fuzz_release. */
struct fuzz_header {
    snpy_status status;
    snpy_error error;
    snpy_header header;
    snpy_table table;
    const uint8_t *bytes; /* borrowed */
    size_t length;
    bool has_plain_names; /* they are as they stand, without escapes: no parsed header's are */
};

/* Parses a header: first without a table, then with one of the size that was asked for, which must be enough. */
void fuzz_parse(const uint8_t *bytes, size_t length, const snpy_options *options, struct fuzz_header *parsed);
void fuzz_release(struct fuzz_header *parsed);

/* A header of three pieces of text, with its prefix, in memory of its own. */
uint8_t *fuzz_compose(uint8_t version, const char *before, const uint8_t *text, size_t length, const char *after,
                      size_t *size);

/* The oracle says the same of a header: status, byte and all values. For harnesses that are linked with it. */
void fuzz_must_match_oracle(const struct fuzz_header *parsed);

/* Describes a header for the functions that write, as it is, with this version. */
void fuzz_describe(struct fuzz_header *parsed, snpy_version_choice version, snpy_description *description);

/* Writes a description into memory of its own; *size is 0 if it was refused, and *error then says why. */
uint8_t *fuzz_write(const snpy_description *description, size_t *size, snpy_error *error);

/* Both headers mean the same: shape, order, type, and of records each name and place. Bytes may differ. */
void fuzz_must_agree(const struct fuzz_header *one, const struct fuzz_header *other);

/* A name as UTF-8, in memory of its own. */
uint8_t *fuzz_name(const struct fuzz_header *parsed, size_t offset, size_t length, size_t *size);

/* ---- work --------------------------------------------------------------------------------------------------- */

/* Basic blocks of the core that ran since it was last set to 0; stays 0 if the core was not built to count. */
extern uint64_t fuzz_work;

#endif
