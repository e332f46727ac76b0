/* memory.c: the type Memory, which holds the data of an array and exports them; loading and mapping files.
 *
 * The GIL is released while bytes move. An object that is being filled is known to one thread only. */
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

PyTypeObject *memory_type;
static uint8_t nothing[1]; /* where empty data are */

memory_object *memory_new(void)
{
    return (memory_object *)PyType_GenericAlloc(memory_type, 0); /* all zero: an empty array */
}

static void memory_free(PyObject *object)
{
    memory_object *self = (memory_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    snpy_array_release(&self->array);
    if (self->lent.obj != NULL) PyBuffer_Release(&self->lent);
    Py_XDECREF(self->header);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* --- the buffer protocol --- */

/* Fills in shape and strides, in bytes, from the header. */
static void lay_out(memory_object *self, const snpy_header *header)
{
    uint64_t step = header->dtype.itemsize;
    for (uint32_t i = 0; i < header->ndim; i++) {
        uint32_t axis = header->fortran_order ? i : header->ndim - 1 - i;
        self->shape[axis] = (Py_ssize_t)header->shape[axis];
        self->strides[axis] = (Py_ssize_t)step;
        step *= header->shape[axis] > 0 ? header->shape[axis] : 1;
    }
    header_format(header, self->format);
    if (header->dtype.kind == SNPY_KIND_BOOL) strcpy(self->format, "?");
}

/* Who asks for no strides takes the bytes to be in C order, and gets no array in Fortran order, as from NumPy. */
static int memory_export(PyObject *object, Py_buffer *view, int flags)
{
    memory_object *self = (memory_object *)object;
    if (PyBuffer_FillInfo(view, object, self->bytes, (Py_ssize_t)self->size, !self->is_writable, flags) != 0) return -1;
    const snpy_header *header = self->header != NULL ? &((header_object *)self->header)->header : NULL;
    if (header == NULL || header->dtype.itemsize == 0) return 0;
    const bool wants_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    const bool wants_c = !wants_strides || (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS;
    const bool wants_fortran = (flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS;
    Py_buffer whole = *view;
    whole.itemsize = (Py_ssize_t)header->dtype.itemsize;
    whole.ndim = (int)header->ndim;
    whole.shape = self->shape;
    whole.strides = self->strides;
    if ((wants_c && !PyBuffer_IsContiguous(&whole, 'C')) || (wants_fortran && !PyBuffer_IsContiguous(&whole, 'F'))) {
        PyBuffer_Release(view);
        PyErr_SetString(PyExc_BufferError, "the array has the other order: ask for strides, or copy it");
        return -1;
    }
    if (!wants_strides) return 0;
    if ((flags & PyBUF_FORMAT) == PyBUF_FORMAT) whole.format = self->format;
    *view = whole;
    return 0;
}

/* --- filling --- */

/* The pair that functions which load return: (Header, Memory). Takes the reference to self. */
static PyObject *with_header(memory_object *self, const snpy_header *header)
{
    lay_out(self, header);
    PyObject *pair = PyTuple_Pack(2, self->header, (PyObject *)self);
    Py_DECREF(self);
    return pair;
}

PyObject *memory_settle(memory_object *self)
{
    const snpy_array *array = &self->array;
    self->header = header_new(&array->header, &array->table, array->text);
    if (self->header == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    self->bytes = array->data != NULL ? array->data : nothing;
    self->size = array->data_size;
    self->is_writable = array->is_writable || array->data == NULL;
    return with_header(self, &array->header);
}

PyObject *core_load_path(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    limits limit;
    snpy_io_error error;
    (void)module;
    if (!takes("load_path", count, 3) || !limits_from(arguments[1], &limit)) return NULL;
    bool header_only = arguments[2] == Py_True;
    int descriptor = open_for_reading(arguments[0]);
    if (descriptor < 0) return NULL;
    memory_object *self = memory_new();
    if (self == NULL) {
        close(descriptor);
        return NULL;
    }
    snpy_load_options how = {
        .size = sizeof how, .limits = &limit.header, .no_trailing = !limit.trailing, .header_only = header_only};
    snpy_status status;
    Py_BEGIN_ALLOW_THREADS;
    uint8_t magic[4] = {0};
    status = snpy_load_descriptor(descriptor, &how, &self->array, &error);
    if (status != SNPY_BAD_MAGIC || pread(descriptor, magic, sizeof magic, 0) != (ssize_t)sizeof magic ||
        !is_archive(magic, sizeof magic)) {
        close(descriptor);
        descriptor = -1;
    }
    Py_END_ALLOW_THREADS;
    if (descriptor >= 0) {
        Py_DECREF(self);
        return archive_from_descriptor(descriptor, arguments[0], arguments[1]);
    }
    if (status == SNPY_OK || (status == SNPY_OBJECT_DATA && header_only)) return memory_settle(self);
    Py_DECREF(self);
    return raise_status(status, &error, arguments[0]);
}

PyObject *core_load_bytes(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    limits limit;
    snpy_io_error error = {.member = ""};
    (void)module;
    if (!takes("load_bytes", count, 2) || !limits_from(arguments[1], &limit)) return NULL;
    memory_object *self = memory_new();
    if (self == NULL) return NULL;
    if (PyObject_GetBuffer(arguments[0], &self->lent, PyBUF_SIMPLE) != 0) {
        Py_DECREF(self);
        return NULL;
    }
    const uint8_t *bytes = self->lent.buf;
    size_t length = (size_t)self->lent.len;
    self->header = header_parse(bytes, length, &limit.header, NULL);
    if (self->header == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    const snpy_header *header = &((header_object *)self->header)->header;
    snpy_status status = snpy_check_data(header, length, limit.trailing, &error.error);
    if (status == SNPY_OK && header->has_object) {
        status = SNPY_OBJECT_DATA;
        error.error.offset = header->frame.data_offset;
    }
    if (status != SNPY_OK) {
        Py_DECREF(self);
        return raise_status(status, &error, NULL);
    }
    self->bytes = (uint8_t *)self->lent.buf + header->frame.data_offset;
    self->size = header->data_size;
    self->is_writable = !self->lent.readonly;
    return with_header(self, header);
}

PyObject *core_map_path(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    limits limit;
    snpy_io_error error;
    (void)module;
    if (!takes("map_path", count, 3) || !limits_from(arguments[1], &limit)) return NULL;
    long mode = PyLong_AsLong(arguments[2]);
    if (mode == -1 && PyErr_Occurred()) return NULL;
    PyObject *bytes = path_bytes(arguments[0]);
    if (bytes == NULL) return NULL;
    memory_object *self = memory_new();
    if (self == NULL) {
        Py_DECREF(bytes);
        return NULL;
    }
    snpy_load_options how = {.size = sizeof how, .limits = &limit.header, .no_trailing = !limit.trailing};
    const char *name = PyBytes_AsString(bytes);
    snpy_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = snpy_map(name, (snpy_map_mode)mode, &how, &self->array, &error);
    Py_END_ALLOW_THREADS;
    Py_DECREF(bytes);
    if (status == SNPY_OK) return memory_settle(self);
    Py_DECREF(self);
    return raise_status(status, &error, arguments[0]);
}

PyObject *core_map_create(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    snpy_description description;
    snpy_table scratch;
    snpy_io_error error;
    (void)module;
    if (!takes("map_create", count, 3)) return NULL;
    if (Py_TYPE(arguments[1]) != header_type) {
        PyErr_SetString(PyExc_TypeError, "map_create needs a Header");
        return NULL;
    }
    PyObject *bytes = path_bytes(arguments[0]);
    memory_object *self = bytes != NULL ? memory_new() : NULL;
    if (self == NULL || !header_describe((header_object *)arguments[1], &description, &scratch)) {
        Py_XDECREF(bytes);
        Py_XDECREF((PyObject *)self);
        return NULL;
    }
    const char *name = PyBytes_AsString(bytes);
    snpy_replacing replace = arguments[2] == Py_True ? SNPY_REPLACE : SNPY_REPLACE_NOT;
    snpy_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = snpy_map_create(name, &description, replace, &self->array, &error);
    Py_END_ALLOW_THREADS;
    free(scratch.fields);
    free(scratch.dims);
    Py_DECREF(bytes);
    if (status == SNPY_OK) return memory_settle(self);
    Py_DECREF(self);
    return raise_status(status, &error, arguments[0]);
}

/* wrap(header, buffer) -> Memory: bytes that somebody else has read, exactly those that the header declares. */
PyObject *core_wrap(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    if (!takes("wrap", count, 2)) return NULL;
    if (Py_TYPE(arguments[0]) != header_type) {
        PyErr_SetString(PyExc_TypeError, "wrap needs a Header");
        return NULL;
    }
    const snpy_header *header = &((header_object *)arguments[0])->header;
    memory_object *self = memory_new();
    if (self == NULL) return NULL;
    if (PyObject_GetBuffer(arguments[1], &self->lent, PyBUF_SIMPLE) != 0) {
        Py_DECREF(self);
        return NULL;
    }
    if ((uint64_t)self->lent.len != header->data_size || header->has_object) {
        Py_DECREF(self);
        PyErr_SetString(PyExc_ValueError, "the buffer has another size than the header declares");
        return NULL;
    }
    self->bytes = self->lent.buf;
    self->size = header->data_size;
    self->is_writable = !self->lent.readonly;
    self->header = Py_NewRef(arguments[0]);
    lay_out(self, header);
    return (PyObject *)self;
}

/* --- the type --- */

static PyObject *memory_flush(PyObject *object, PyObject *unused)
{
    memory_object *self = (memory_object *)object;
    snpy_io_error error;
    snpy_status status;
    (void)unused;
    Py_BEGIN_ALLOW_THREADS;
    status = snpy_map_flush(&self->array, &error);
    Py_END_ALLOW_THREADS;
    if (status != SNPY_OK) return raise_status(status, &error, NULL);
    return Py_NewRef(Py_None);
}

static PyMethodDef memory_methods[] = {
    {"flush", memory_flush, METH_NOARGS, "Writes what was changed in a shared map to the disk, and waits for it."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot memory_slots[] = {
    {Py_tp_dealloc, memory_free},
    {Py_tp_methods, memory_methods},
    {Py_bf_getbuffer, memory_export},
    {Py_tp_doc, "The data of an array, as a buffer with shape and format."},
    {0, NULL},
};

static PyType_Spec memory_spec = {"safenpy._core.Memory", sizeof(memory_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                                  memory_slots};

bool memory_ready(PyObject *module)
{
    memory_type = (PyTypeObject *)PyType_FromSpec(&memory_spec);
    return memory_type != NULL && PyModule_AddObjectRef(module, "Memory", (PyObject *)memory_type) == 0;
}
