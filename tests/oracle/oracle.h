/* oracle.h: a second opinion on a header, slow and plain, written from spec/npy.md and spec/grammar.abnf alone.
 * It has nothing of the library, not even a number of a status: what it says is said in the words of the rules.
 * It knows the standard profile with its default limits; profiles, flags and data are beyond it. */
#ifndef SAFENPY_TESTS_ORACLE_H
#define SAFENPY_TESTS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A name or title, as code points. */
struct oracle_name {
    uint32_t *points;
    size_t count;
    size_t at; /* its opening quote, from the start of the text */
};

/* A shape; numbers beyond 2^64 - 1 count as that. */
struct oracle_shape {
    uint64_t *dims;
    size_t *dims_at;
    size_t count;
    size_t at;
};

struct oracle_field;

/* A type: a type string, a list of fields, or a tuple of a type and a shape. */
struct oracle_type {
    char form; /* '\'' a type string, '[' a list, '(' a tuple */
    size_t at;
    size_t text_at; /* of a type string: what is between the quotes */
    size_t text_end;
    char kind;
    char order;    /* '<', '>', '|' */
    uint32_t unit; /* 0: none, else its place in the table of NPY-DTYPE-009, from 1 on */
    uint32_t multiplier;
    struct oracle_field *fields;
    size_t field_count;
    struct oracle_type *inner;
    struct oracle_shape shape;
    uint64_t size; /* bytes */
};

struct oracle_field {
    struct oracle_name name;
    struct oracle_name title;
    bool has_title;
    bool is_padding;
    struct oracle_type type;
    bool has_shape;
    struct oracle_shape shape;
    uint64_t size; /* bytes, the shape included */
    uint64_t offset;
};

/* Everything the oracle has to say. */
struct oracle {
    const char *status; /* NULL: accepted; else the name that spec/npy.md gives the refusal */
    uint64_t at;        /* of a refusal, from the start of the file */
    unsigned version;
    uint64_t data_offset;
    bool fortran_order;
    bool has_object;
    struct oracle_type type;
    struct oracle_shape shape;
    uint64_t count;
    /* While it works. */
    const uint8_t *text;
    size_t length;
    void **memory;
    size_t memory_count;
};

/* Judges the first bytes of a file. Release the oracle afterwards, whatever it said. */
void oracle_judge(struct oracle *oracle, const uint8_t *bytes, size_t length);
void oracle_release(struct oracle *oracle);

/* Between the files of the oracle. Each returns false if it has refused the file. */
bool oracle_refuse(struct oracle *oracle, const char *status, size_t at);
void *oracle_memory(struct oracle *oracle, size_t count, size_t size);
bool oracle_read_text(struct oracle *oracle);
bool oracle_judge_types(struct oracle *oracle);
bool oracle_judge_names(struct oracle *oracle);
bool oracle_judge_shapes(struct oracle *oracle);
bool oracle_judge_sizes(struct oracle *oracle);

#endif
