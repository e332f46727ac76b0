/* subject.h: names, dtypes and fields of one accepted file, as text and as JSON. */
#ifndef SAFENPY_SUBJECT_H
#define SAFENPY_SUBJECT_H

#include "cli/cli.h"

/* Levels of nested dtypes, with the element itself: at most SNPY_MAX_DEPTH around a record, and its fields one
 * deeper. */
#define CLI_LEVELS (SNPY_MAX_DEPTH + 2u)

/* An accepted file that is described, and buffers that are kept from one file to the next. Begin with zeros. */
typedef struct cli_subject {
    const char *name;
    const snpy_file *file;
    const snpy_header *header;
    snpy_table *table;
    const uint8_t *text; /* the header text */
    uint8_t *scratch;    /* owned: the name that cli_decode_name has decoded */
    size_t scratch_size;
    uint8_t *descr; /* owned: the descr of a structured dtype, as NumPy writes it */
    size_t descr_size;
    size_t descr_length; /* 0: the dtype is not structured, or NumPy on this machine could not write it */
} cli_subject;

/* An iterator over the named fields of a structured dtype, in pre-order: each field is followed by the fields inside
 * it. Begin with zeros and the table. path[1 .. depth] are the table's entries from the outermost field to the current
 * one, `entry`; offset[1 .. depth] are the bytes at which they begin in the element. */
typedef struct cli_field_iterator {
    const snpy_table *table;
    size_t entry;
    size_t depth;
    uint32_t path[CLI_LEVELS];
    int64_t offset[CLI_LEVELS];
} cli_field_iterator;

/* Advances to the next field that is not padding. Returns false after the last one. */
bool cli_next_field(cli_field_iterator *state);

/* Returns the entry that describes one item of a field: the field's own, or, if that is a sub-array, the innermost
 * one. */
size_t cli_base_entry(const snpy_table *table, size_t entry);

/* The forms in which a name or title is written: escaped for a terminal, as a JSON string, or, because a JSON string
 * cannot hold surrogates, as a JSON array of code points. */
enum cli_name_form { CLI_NAME_SAFE, CLI_NAME_STRING, CLI_NAME_CODE_POINTS };

/* Decodes a name or title, `length` bytes of the header text at `offset`, into about->scratch as UTF-8 in which
 * surrogates may occur. Returns the number of bytes; 0, with the error of standard output set, if there is not enough
 * memory. */
size_t cli_decode_name(cli_subject *about, size_t offset, size_t length, bool *has_surrogates);

/* Writes a name or title. */
void cli_put_name(cli_subject *about, size_t offset, size_t length, enum cli_name_form form);

/* Returns whether a name or title has surrogates, which a JSON string cannot hold. */
bool cli_has_surrogates(cli_subject *about, size_t offset, size_t length);

/* Writes the type string of a dtype that is not structured, such as "<M8[25s]", and a NUL to `out`. */
void cli_simple_type(const snpy_dtype *type, char out[32]);

/* Frees the buffers of a subject. */
void cli_release_subject(cli_subject *about);

/* Sets the file that the subject describes. The file and its name are borrowed. */
void cli_describe_file(cli_subject *about, const char *name, snpy_file *file);

/* Writes a dtype: the type string, or, for a structured dtype, the descr of the whole element as NumPy writes it. */
void cli_put_type(const cli_subject *about, const snpy_dtype *type, bool json);

/* Writes the dimensions of a field and of all sub-arrays nested in it, separated by ", ". With `put` false, writes
 * nothing. Returns how many there are, and adds the width of their text to *columns. */
size_t cli_put_dimensions(const snpy_table *table, size_t entry, bool put, size_t *columns);

/* Writes the dimensions of the array, separated by ", ". */
void cli_put_shape(const snpy_header *header);

/* Returns the number of bytes after the data; 0 for object data, which extend to the end of the file. */
uint64_t cli_trailing_bytes(const cli_subject *about);

/* Writes the whole description of a file as text, with the word of its object data if they are known. */
void cli_put_info_text(cli_subject *about, const struct cli_object_data *objects);

/* Writes the whole description of a file as a JSON object, with the word and a preview of its object data if they are known.
 * Returns the exit status, after a message unless it is CLI_ACCEPTED. */
enum cli_exit cli_put_info_json(cli_subject *about, const struct cli_object_data *objects);

/* Writes either, as the options say. */
enum cli_exit cli_put_info(cli_subject *about, const struct cli_object_data *objects, const cli_options *options);

#endif
