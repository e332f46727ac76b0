/* safenpy/object_data.h: the values of object arrays: decoded from their pickle without running it, and walked.
 *
 * An array of objects is a pickle. snpy_object_data_open decodes it by the rules of spec/objects.md: it calls nothing and
 * imports nothing, and refuses what is not in the set that the caller allows. A value is the index of a node; a value that
 * occurs twice has the same index twice, and may contain itself. */
#ifndef SAFENPY_OBJECT_DATA_H
#define SAFENPY_OBJECT_DATA_H

#include "safenpy/array.h"
#include "safenpy/object.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A decoded pickle. Opaque: snpy_object_data_close frees it. */
typedef struct snpy_object_data snpy_object_data;

/**
 * Decodes a pickle: the data of an object array, from header.frame.data_offset on, or a whole pickle file.
 *
 * pickle   length bytes, at most SNPY_MAX_PICKLE; borrowed until snpy_object_data_close
 * allowed  SNPY_SET_DATA or SNPY_SET_PLAIN: the largest set that an opcode may need
 * data     set on success, and NULL otherwise; the caller closes it
 * error    filled always; its offset counts bytes of the pickle
 * returns  SNPY_OK; the status of the rule that is broken (NPY-PKL-002 to 027); SNPY_NO_MEMORY; SNPY_BAD_ARGUMENT for a
 *          longer pickle
 *
 * At most 10,000,000 values are decoded, 85 bytes of memory each. Thread-safe.               NPY-PKL-001, HOST-MEMORY
 */
SNPY_API snpy_status snpy_object_data_open(const uint8_t *pickle, size_t length, snpy_set allowed,
                                           snpy_object_data **data, snpy_io_error *error);

/**
 * Reads an NPY file with an array of objects, decodes its pickle, and checks that it is the array of the header.
 *
 * path     a file or FIFO
 * allowed  SNPY_SET_DATA or SNPY_SET_PLAIN: the largest set that an opcode may need
 * data     set on success, and NULL otherwise; it owns a copy of the pickle; the caller closes it
 * error    filled always; its offset counts bytes of the file
 * returns  SNPY_OK; SNPY_WRONG_TYPE for an array without objects; what snpy_load returns for headers and files; what
 *          snpy_object_data_open and snpy_object_data_match return
 *
 * Thread-safe.                                                              NPY-PKL-001, NPY-PKL-022, HOST-IO, HOST-MEMORY
 */
SNPY_API snpy_status snpy_object_data_load(const char *path, snpy_set allowed, snpy_object_data **data,
                                           snpy_io_error *error);

/* Frees decoded data and sets *data to NULL, which it may be before. Arrays that snpy_object_array made stay.
 *                                                                                                        HOST-MEMORY */
SNPY_API void snpy_object_data_close(snpy_object_data **data);

/**
 * Checks that the payload is an array with the shape, the order and the type of the header of its file.
 *
 * head     the header, as snpy_load reads it; borrowed
 * returns  SNPY_OK; SNPY_PKL_HEADER; SNPY_NO_MEMORY
 *
 * Thread-safe as long as no other thread uses the array.                                     NPY-PKL-022, HOST-MEMORY
 */
SNPY_API snpy_status snpy_object_data_match(const snpy_object_data *data, snpy_array *head);

/* Returns the value of the whole pickle. */
SNPY_API int32_t snpy_object_root(const snpy_object_data *data);

/* Returns the node of a value: its kind is none of SNPY_NODE_MARK and SNPY_NODE_REF. Borrowed until the data is closed.
 * Other functions of this header read its bytes and its members. */
SNPY_API const snpy_node *snpy_object_node(const snpy_object_data *data, int32_t value);

/* Returns the number of nodes: every value is a smaller number. For tables of what was seen. */
SNPY_API size_t snpy_object_count(const snpy_object_data *data);

/* Whether a value may occur more than once in what was decoded. */
SNPY_API bool snpy_object_is_shared(const snpy_object_data *data, int32_t value);

/* Steps through the members of a list, tuple, set, dictionary or object array. Of a dictionary each key is followed by its
 * value; of an OrderedDict, each pair that it was made of is one member, a list of two (is_pair), before the keys and values
 * that were added later. The elements of an array come in C order. Names that end in _ are the library's. */
typedef struct snpy_object_members {
    int32_t next_; /* the entry that comes next; 0: none */
    int32_t stop_; /* the last one of a list that a call has taken; 0: none */
    int32_t then_; /* the entry after that one */
    bool is_ordered_;
    bool is_pair; /* the member that was returned last is a key with its value */
} snpy_object_members;

/* Begins to step through the members of a value. A value without members has none. */
SNPY_API snpy_object_members snpy_object_begin(const snpy_object_data *data, int32_t value);

/* Returns the next member; 0 after the last one. */
SNPY_API int32_t snpy_object_next(const snpy_object_data *data, snpy_object_members *members);

/* Whether a value is a dictionary, a defaultdict or an OrderedDict. */
SNPY_API bool snpy_object_is_dict(const snpy_object_data *data, int32_t value);

/**
 * Finds the value of a key that is a string in a dictionary, a defaultdict or an OrderedDict. No key occurs twice
 * (NPY-PKL-017).
 *
 * key, length  UTF-8
 * returns      the value; 0 if there is none
 *
 * Thread-safe; takes time in the number of keys.
 */
SNPY_API int32_t snpy_object_find(const snpy_object_data *data, int32_t value, const char *key, size_t length);

/* Returns the arguments, a tuple, of a call, or the state that it was given; 0 if there is none. */
SNPY_API int32_t snpy_object_arguments(const snpy_object_data *data, int32_t value);
SNPY_API int32_t snpy_object_state(const snpy_object_data *data, int32_t value);

/* Reads an int of at most 64 bits. SNPY_WRONG_TYPE for others and for other values. */
SNPY_API snpy_status snpy_object_int(const snpy_object_data *data, int32_t value, int64_t *number);

#define SNPY_OBJECT_DIGITS 9870u /* the bytes of the longest int in decimal, with its sign */

/* Writes an int of any size in decimal, without a NUL. Returns its bytes; 0 for other values. */
SNPY_API size_t snpy_object_digits(const snpy_object_data *data, int32_t value, char out[SNPY_OBJECT_DIGITS]);

/* Reads a float. SNPY_WRONG_TYPE for other values. */
SNPY_API snpy_status snpy_object_float(const snpy_object_data *data, int32_t value, double *number);

/**
 * Copies the text of a str, in UTF-8 in which surrogates may occur, or the bytes of a bytes, a bytearray or a string of
 * Python 2.
 *
 * out, capacity  the caller's buffer, in bytes; what does not fit is left out
 * returns        bytes of the whole text; UINT64_MAX for other values
 *
 * Thread-safe.
 */
SNPY_API uint64_t snpy_object_text(const snpy_object_data *data, int32_t value, uint8_t *out, uint64_t capacity);

/**
 * Makes an array of a NumPy array or scalar in the data: its header, as numpy.save would write it, and a copy of its bytes.
 * Of a dtype that is no sub-array, makes an array without dimensions and data that has it. An array of objects has no
 * data; snpy_object_begin steps through its elements. A masked array has its data; the mask is in its state. The data of the
 * array of strings of NumPy 2 are objects here.
 *
 * array    always filled; the caller releases it with snpy_array_release
 * error    filled always; the offset is that of the opcode that made the value
 * returns  SNPY_OK; SNPY_WRONG_TYPE for other values; SNPY_PKL_DTYPE; SNPY_PKL_ARRAY if shape and data disagree;
 *          SNPY_NO_MEMORY
 *
 * Thread-safe.                                                       NPY-PKL-019, NPY-PKL-020, HOST-MEMORY
 */
SNPY_API snpy_status snpy_object_array(const snpy_object_data *data, int32_t value, snpy_array *array,
                                       snpy_io_error *error);

/* How a pickle is written. All zero: as by default. */
typedef struct snpy_pickle_form {
    uint32_t protocol; /* 2 to 5; 0: 4 */
    bool
        is_numpy_2; /* names that only NumPy 2 has, such as numpy._core.multiarray; false: names that every NumPy has */
} snpy_pickle_form;

/**
 * Writes the values as a pickle that calls only what spec/objects.md lists, each value in one form: equal values, of which
 * the same containers, arrays and calls are one object, are the same bytes; numbers that the pickle has as text stay text.
 * NumPy and Python load values that are equal to those decoded.
 *
 * form   NULL: the default
 * bytes  set on success, and NULL otherwise; the caller frees it with snpy_object_bytes_free
 * size   bytes
 * error  filled always; its offset counts bytes of the pickle that was decoded
 * returns  SNPY_OK; SNPY_BAD_ARGUMENT for another protocol; SNPY_PKL_TOO_DEEP; SNPY_PKL_TOO_MANY_BYTES for more than 64 MiB and 64
 *          bytes for each of the old pickle, or more than SNPY_MAX_PICKLE;
 *          SNPY_PKL_RAW_STRING for a string of Python 2 beyond ASCII that is text; what snpy_object_data_open returns for
 *          what was written; SNPY_NO_MEMORY
 *
 * Thread-safe.                                                   NPY-PKL-028, NPY-PKL-029, NPY-PKL-030, HOST-MEMORY
 */
SNPY_API snpy_status snpy_object_data_write(const snpy_object_data *data, const snpy_pickle_form *form, uint8_t **bytes,
                                            size_t *size, snpy_io_error *error);

/**
 * Saves the array of objects that the whole pickle is: the NPY file that numpy.save would write of its values, with the pickle of
 * snpy_object_data_write. A file is replaced as a whole or not at all, as by snpy_save.
 *
 * path     of the file
 * version  of the header; one that cannot hold it is replaced by the one that NumPy chooses
 * form     NULL: the default
 * error    filled always; its offset counts bytes of the pickle that was decoded
 * returns  SNPY_OK; SNPY_WRONG_TYPE if the pickle is no array of objects; SNPY_PKL_HEADER if it has a dtype that a header cannot
 *          declare; what snpy_object_array and snpy_object_data_write return; what snpy_save returns for files
 *
 * Thread-safe.                                              NPY-WRITE-009, NPY-PKL-028, HOST-IO, HOST-LOCK, HOST-MEMORY
 */
SNPY_API snpy_status snpy_object_data_save(const char *path, const snpy_object_data *data, snpy_version_choice version,
                                           const snpy_pickle_form *form, snpy_io_error *error);

/* Frees what snpy_object_data_write has made and sets *bytes to NULL, which it may be before.              HOST-MEMORY */
SNPY_API void snpy_object_bytes_free(uint8_t **bytes);

#ifdef __cplusplus
}
#endif

#endif
