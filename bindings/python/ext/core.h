/* core.h: what the files of the extension share. CPython's limited API of 3.11, and public functions of safenpy only.
 *
 * Every type lives as long as the process: the module is for one interpreter, and says so. */
#ifndef SAFENPY_PYTHON_CORE_H
#define SAFENPY_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <structmember.h>

#include "safenpy/archive.h"
#include "safenpy/archive_write.h"
#include "safenpy/copy_fast.h"
#include "safenpy/safenpy.h"

/* --- limits.c --- */

/* What may be read: limits of headers and archives, and what a service refuses. */
typedef struct limits {
    snpy_options header;
    snpy_zip_options zip;
    snpy_archive_options archive; /* points to both: a limits stays where it was filled */
    bool objects;                 /* headers of object arrays are accepted by a check */
    bool trailing;                /* bytes after the data are left alone */
    bool non_arrays;              /* members named .npy need not be NPY files */
} limits;

/* Those of an argument: None, or an object of the type Limits. False with an exception set for anything else. */
bool limits_from(PyObject *argument, limits *out);

/* --- error.c --- */

extern PyObject *refused_class; /* safenpy.Refused */

/* Raises what a status means: MemoryError, OSError, KeyError or Refused. Returns NULL. `path` may be NULL. */
PyObject *raise_status(snpy_status status, const snpy_io_error *error, PyObject *path);

/* Likewise for an errno of our own calls. */
PyObject *raise_errno(int number, PyObject *path);

/* --- header.c --- */

/* A header of its own memory: (descr, shape, order, sizes) and, of a record, the table of fields. */
typedef struct header_object {
    PyObject_HEAD snpy_header header;
    snpy_table table;
    uint8_t *text; /* of a record: the header text, in which names lie */
} header_object;

extern PyTypeObject *header_type;
bool header_ready(PyObject *module);

/* A copy of a header that the library has filled; `text` as in snpy_array. */
PyObject *header_new(const snpy_header *header, const snpy_table *table, const uint8_t *text);

/* Parses the first bytes of a file. NULL with an exception. */
PyObject *header_parse(const uint8_t *bytes, size_t length, const snpy_options *options, PyObject *path);

/* Describes a header for writing, with a copy of the table, which writing changes; free *scratch. */
bool header_describe(const header_object *self, snpy_description *description, snpy_table *scratch);

/* A format of the buffer protocol for the elements, "d" or ">i4"-like; static or the caller's `out` of 32 bytes. */
const char *header_format(const snpy_header *header, char *out);

/* --- memory.c --- */

extern PyTypeObject *memory_type;
bool memory_ready(PyObject *module);

/* Memory that holds the data of an array: the library's, a map, or bytes that a caller lent. Exports the data as a
 * buffer with shape and format. Fill `array` in place; afterwards call memory_settle. */
typedef struct memory_object {
    PyObject_HEAD snpy_array array;
    Py_buffer lent; /* obj NULL: nothing is lent */
    uint8_t *bytes;
    uint64_t size;
    bool is_writable;
    PyObject *header;
    Py_ssize_t shape[SNPY_MAX_NDIM];
    Py_ssize_t strides[SNPY_MAX_NDIM];
    char format[32];
} memory_object;

memory_object *memory_new(void);

/* Takes over what was loaded into self->array. Steals self; returns (Header, Memory), or NULL with an exception. */
PyObject *memory_settle(memory_object *self);

PyObject *core_load_path(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *core_load_bytes(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *core_map_path(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *core_map_create(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *core_wrap(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* --- archive.c --- */

bool archive_ready(PyObject *module);

/* An archive of a descriptor, which is owned then, or of bytes. NULL with an exception. */
PyObject *archive_from_descriptor(int descriptor, PyObject *path, PyObject *wanted);
PyObject *core_open_archive(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* Whether the bytes begin as an archive does. */
bool is_archive(const uint8_t *bytes, size_t length);

/* --- save.c --- */

bool writer_ready(PyObject *module);
PyObject *core_save_path(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *core_append(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* Writes a header as bytes: *head is NULL after a failure, with an exception if the status is SNPY_OK. */
snpy_status write_head(const snpy_description *description, PyObject **head, snpy_error *error);
PyObject *core_clean(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* --- check.c --- */

typedef struct verdict verdict;

/* The verdict about members `first` to `stop` - 1 of an open archive, local headers included; the caller frees it. NULL:
 * no memory. */
verdict *check_opened(snpy_archive *archive, size_t first, size_t stop, const limits *limit);

/* (status, offset, errno, member, format, notes, look), and frees what the verdict holds. */
PyObject *verdict_tuple(verdict *about);

PyObject *core_check_paths(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *core_check_head(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *core_check_bytes(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* --- objects.c --- */

PyObject *core_decode_objects(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *core_write_objects(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
PyObject *core_scan_objects(PyObject *module, PyObject *data);

/* --- module.c --- */

/* The bytes of a path for the system, as a new reference to bytes; NULL with an exception. */
PyObject *path_bytes(PyObject *path);

/* Whether a call has `n` arguments; else sets TypeError. */
bool takes(const char *name, Py_ssize_t count, Py_ssize_t n);

/* Opens a file for reading: the descriptor, or -1 with an exception. Without the GIL; a signal that raises nothing does
 * not end it. */
int open_for_reading(PyObject *path);

#endif
