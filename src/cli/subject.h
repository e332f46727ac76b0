/* subject.h: one accepted file as `info` describes it, in text and in JSON.
 * Proves nothing. Leaves the layout of the output to info.c and info_json.c. */
#ifndef SAFENPY_SUBJECT_H
#define SAFENPY_SUBJECT_H

#include "cli/cli.h"

/* A record may lie in SNPY_MAX_DEPTH types, and its fields one deeper. */
#define CLI_LEVELS (SNPY_MAX_DEPTH + 2u)

/* What `info` works with: one accepted file, and memory that one file after the other uses. */
typedef struct cli_subject {
    const char *name;
    const snpy_file *file;
    const snpy_header *header;
    snpy_table *table;
    const uint8_t *text; /* the header text */
    uint8_t *scratch;    /* owned: a decoded name */
    size_t scratch_size;
    uint8_t *descr; /* owned: NumPy's text of the whole record */
    size_t descr_size;
    size_t descr_length; /* 0: not a record, or one that has no text */
} cli_subject;

/* A walk through the fields of a record, in pre-order, without padding. path[1 .. depth] are the entries
 * from the outermost field to the one the walk is at; offset[] where they begin in the element. */
typedef struct cli_walk {
    const snpy_table *table;
    size_t entry;
    size_t depth;
    uint32_t path[CLI_LEVELS];
    int64_t offset[CLI_LEVELS];
} cli_walk;

/* Goes on to the next field. Returns false after the last one. */
bool cli_next_field(cli_walk *state);

/* The entry that says what one item of a field is, inside all levels of its sub-arrays. */
size_t cli_base_entry(const snpy_table *table, size_t entry);

/* How a name or title is put: made safe for a terminal, as a JSON string, or, where that cannot say it, as a JSON
 * array of code points. */
enum cli_name_form { CLI_NAME_SAFE, CLI_NAME_STRING, CLI_NAME_CODE_POINTS };

/* Decodes a name or title into about->scratch; returns its bytes, and whether it holds surrogates. */
size_t cli_decode_name(cli_subject *about, size_t offset, size_t length, bool *has_surrogates);

/* Puts a name or title. */
void cli_put_name(cli_subject *about, size_t offset, size_t length, enum cli_name_form form);

/* Whether a name or title holds surrogates, which a JSON string cannot say. */
bool cli_has_surrogates(cli_subject *about, size_t offset, size_t length);

/* Writes a simple type as NumPy does, "<M8[25s]", terminated. Longest: 32 bytes with the NUL. */
void cli_simple_type(const snpy_dtype *type, char out[32]);

/* Gives back the memory of a subject. */
void cli_release_subject(cli_subject *about);

/* Makes the subject speak of another file. */
void cli_describe_file(cli_subject *about, const char *name, snpy_file *file);

/* Puts the text of a type: of a simple one the type string, of the whole record NumPy's list of fields. */
void cli_put_type(const cli_subject *about, const snpy_dtype *type, bool json);

/* Puts the dimensions of a field with those of all sub-arrays nested in it, separated by ", ". Returns
 * how many there are; `put` false only counts. The columns they take are added to *columns. */
size_t cli_put_dimensions(const snpy_table *table, size_t entry, bool put, size_t *columns);

/* Puts the dimensions of the array, separated by ", ". */
void cli_put_shape(const snpy_header *header);

/* The bytes after the data; 0 for objects, whose data are all the rest. */
uint64_t cli_trailing_bytes(const cli_subject *about);

/* Puts all that is known of one file, as text. */
void cli_put_info_text(cli_subject *about);

/* Puts the object of `info --json`. */
void cli_put_info_json(cli_subject *about);

#endif
