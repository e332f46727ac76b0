/* save.c: arrays and archives written, and the type Writer. The padding of records is written as zeros. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

/* What is to be written: a header and the bytes of a buffer. */
typedef struct job {
    snpy_description description;
    snpy_table scratch;
    Py_buffer buffer;
    uint8_t *clean; /* a copy whose padding is zero, if there is any */
    const void *data;
    bool is_ready;
} job;

static void end_job(job *work)
{
    free(work->scratch.fields);
    free(work->scratch.dims);
    free(work->clean);
    if (work->is_ready) PyBuffer_Release(&work->buffer);
}

/* Whether a plan has bytes that must become zero. */
static bool has_padding(const snpy_plan *plan)
{
    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->runs[i].action == SNPY_ACTION_ZERO) return true;
    return false;
}

/* Copies a record array without its padding, so that no old memory gets into a file.                NPY-VALUE-011 */
static snpy_status clean_record(job *work, const snpy_header *header)
{
    snpy_view view;
    snpy_error error;
    snpy_plan plan = {NULL, 0, 0, 0};
    snpy_status status = snpy_view_open(header, (uint64_t)work->buffer.len, &view, &error);
    for (uint32_t room = 64; status == SNPY_OK; room *= 4) {
        snpy_run *runs = realloc(plan.runs, room * sizeof *runs);
        if (runs == NULL) {
            status = SNPY_NO_MEMORY;
            break;
        }
        plan.runs = runs;
        plan.capacity = room;
        status = snpy_plan_make(&view, &work->scratch, SNPY_BYTEORDER_KEEP, &plan, &error);
        if (status == SNPY_OK) break;
        if (status == SNPY_TABLE_TOO_SMALL && room < SNPY_MAX_RUNS) status = SNPY_OK;
    }
    if (status == SNPY_OK && has_padding(&plan)) {
        work->clean = malloc((size_t)work->buffer.len + 1);
        if (work->clean == NULL)
            status = SNPY_NO_MEMORY;
        else
            status = snpy_copy_fast(&view, work->buffer.buf, &plan, &view, work->clean, &error);
        work->data = work->clean;
    }
    free(plan.runs);
    return status;
}

/* Prepares a job of (Header, buffer). False with an exception. */
static bool begin_job(PyObject *header, PyObject *buffer, job *work)
{
    memset(work, 0, sizeof *work);
    if (Py_TYPE(header) != header_type) {
        PyErr_SetString(PyExc_TypeError, "a Header is needed");
        return false;
    }
    const snpy_header *about = &((header_object *)header)->header;
    if (!header_describe((header_object *)header, &work->description, &work->scratch)) return false;
    if (PyObject_GetBuffer(buffer, &work->buffer, PyBUF_SIMPLE) != 0) {
        end_job(work);
        return false;
    }
    work->is_ready = true;
    work->data = work->buffer.buf;
    if (about->dtype.kind != SNPY_KIND_RECORD || about->has_object || about->data_size != (uint64_t)work->buffer.len ||
        about->data_size == 0)
        return true;
    snpy_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = clean_record(work, about);
    Py_END_ALLOW_THREADS;
    if (status == SNPY_OK) return true;
    snpy_io_error error = {.member = ""};
    end_job(work);
    raise_status(status, &error, NULL);
    return false;
}

/* Likewise for a path, a Header and a buffer. Returns the bytes of the path, or NULL with an exception. */
static PyObject *begin_path_job(PyObject *const *arguments, job *work)
{
    PyObject *bytes = path_bytes(arguments[0]);
    if (bytes == NULL || begin_job(arguments[1], arguments[2], work)) return bytes;
    Py_DECREF(bytes);
    return NULL;
}

/* save_path(path, header, buffer) */
PyObject *core_save_path(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    job work;
    snpy_io_error error;
    snpy_status status;
    (void)module;
    if (!takes("save_path", count, 3)) return NULL;
    PyObject *bytes = begin_path_job(arguments, &work);
    if (bytes == NULL) return NULL;
    const char *name = PyBytes_AsString(bytes);
    Py_BEGIN_ALLOW_THREADS;
    status = snpy_save(name, &work.description, work.data, (uint64_t)work.buffer.len, &error);
    Py_END_ALLOW_THREADS;
    end_job(&work);
    Py_DECREF(bytes);
    if (status != SNPY_OK) return raise_status(status, &error, arguments[0]);
    return Py_NewRef(Py_None);
}

/* append(path, header, buffer, limits) */
PyObject *core_append(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    job work;
    limits limit;
    snpy_io_error error;
    snpy_status status;
    (void)module;
    if (!takes("append", count, 4) || !limits_from(arguments[3], &limit)) return NULL;
    PyObject *bytes = begin_path_job(arguments, &work);
    if (bytes == NULL) return NULL;
    const char *name = PyBytes_AsString(bytes);
    snpy_append_options how = {.size = sizeof(snpy_append_options), .limits = &limit.header};
    Py_BEGIN_ALLOW_THREADS;
    status = snpy_append(name, &work.description, work.data, (uint64_t)work.buffer.len, &how, &error);
    Py_END_ALLOW_THREADS;
    end_job(&work);
    Py_DECREF(bytes);
    if (status != SNPY_OK) return raise_status(status, &error, arguments[0]);
    return Py_NewRef(Py_None);
}

snpy_status write_head(const snpy_description *description, PyObject **head, snpy_error *error)
{
    uint64_t size = 0;
    *head = NULL;
    snpy_status status = snpy_header_size(description, &size, error);
    if (status != SNPY_OK) return status;
    *head = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (*head == NULL) return SNPY_OK;
    return snpy_write_header(description, (uint8_t *)PyBytes_AsString(*head), (size_t)size, &size, error);
}

/* clean(header, buffer) -> (the bytes of the header, None or a copy of the data without padding): for file objects */
PyObject *core_clean(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    job work;
    snpy_io_error error = {.member = ""};
    (void)module;
    if (!takes("clean", count, 2) || !begin_job(arguments[0], arguments[1], &work)) return NULL;
    PyObject *head = NULL;
    snpy_status status = write_head(&work.description, &head, &error.error);
    PyObject *data = Py_None;
    if (status == SNPY_OK && head != NULL && work.clean != NULL)
        data = PyBytes_FromStringAndSize((char *)work.clean, work.buffer.len);
    else
        Py_INCREF(data);
    end_job(&work);
    if (status == SNPY_OK && head != NULL && data != NULL) return Py_BuildValue("(NN)", head, data);
    Py_XDECREF(head);
    Py_XDECREF(data);
    return PyErr_Occurred() ? NULL : raise_status(status, &error, NULL);
}

/* --- archives --- */

typedef struct writer_object {
    PyObject_HEAD snpy_archive_writer *writer;
    PyObject *path;
    bool is_open;
    bool is_busy;
} writer_object;

static PyTypeObject *writer_type;

/* Writer(path or descriptor, level, threads, any_keys) */
/* cppcheck-suppress constParameter ; the type is CPython's */
static PyObject *writer_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    PyObject *target;
    snpy_archive_write_options options = SNPY_ARCHIVE_WRITE_OPTIONS_INIT;
    unsigned level, threads;
    int any_keys;
    snpy_io_error error;
    snpy_status status;
    if (keywords != NULL || !PyArg_ParseTuple(arguments, "OIIp", &target, &level, &threads, &any_keys)) return NULL;
    options.level = level;
    options.threads = threads;
    options.any_keys = any_keys != 0;
    writer_object *self = (writer_object *)PyType_GenericAlloc(type, 0);
    if (self == NULL) return NULL;
    if (PyLong_Check(target)) {
        int descriptor = (int)PyLong_AsLong(target);
        Py_BEGIN_ALLOW_THREADS;
        status = snpy_archive_writer_open_descriptor(&self->writer, descriptor, &options, &error);
        Py_END_ALLOW_THREADS;
    } else {
        PyObject *bytes = path_bytes(target);
        if (bytes == NULL) {
            Py_DECREF(self);
            return NULL;
        }
        self->path = Py_NewRef(target);
        const char *name = PyBytes_AsString(bytes);
        Py_BEGIN_ALLOW_THREADS;
        status = snpy_archive_writer_open(&self->writer, name, &options, &error);
        Py_END_ALLOW_THREADS;
        Py_DECREF(bytes);
    }
    self->is_open = status == SNPY_OK;
    if (self->is_open) return (PyObject *)self;
    raise_status(status, &error, self->path);
    Py_DECREF(self);
    return NULL;
}

static bool can_write(writer_object *self)
{
    if (self->is_open && !self->is_busy) return true;
    PyErr_SetString(PyExc_ValueError, self->is_busy ? "another thread writes this archive" : "the archive is closed");
    return false;
}

/* The UTF-8 of a key or name, as a new reference to bytes; NULL with an exception. */
static PyObject *name_bytes(const writer_object *self, PyObject *name)
{
    PyObject *bytes = PyUnicode_AsUTF8String(name);
    if (bytes == NULL || strlen(PyBytes_AsString(bytes)) == (size_t)PyBytes_Size(bytes)) return bytes;
    snpy_io_error error = {.error = {SNPY_ZIP_WRITE_KEY, 0}}; /* a NUL would cut the name */
    Py_DECREF(bytes);
    return raise_status(SNPY_ZIP_WRITE_KEY, &error, self->path);
}

/* Ends a call that wrote without the GIL. */
static PyObject *end_call(writer_object *self, snpy_status status, const snpy_io_error *error)
{
    self->is_busy = false;
    if (status != SNPY_OK) return raise_status(status, error, self->path);
    return Py_NewRef(Py_None);
}

/* add(key, header, buffer) */
static PyObject *writer_add(PyObject *object, PyObject *const *arguments, Py_ssize_t count)
{
    writer_object *self = (writer_object *)object;
    job work;
    snpy_io_error error;
    snpy_status status;
    if (!takes("add", count, 3) || !can_write(self)) return NULL;
    PyObject *key = name_bytes(self, arguments[0]);
    if (key == NULL) return NULL;
    const char *text = PyBytes_AsString(key);
    if (!begin_job(arguments[1], arguments[2], &work)) {
        Py_DECREF(key);
        return NULL;
    }
    self->is_busy = true;
    Py_BEGIN_ALLOW_THREADS;
    status =
        snpy_archive_writer_add(self->writer, text, &work.description, work.data, (uint64_t)work.buffer.len, &error);
    Py_END_ALLOW_THREADS;
    end_job(&work);
    Py_DECREF(key);
    return end_call(self, status, &error);
}

/* begin(name, size, level): a member of any bytes, of a writer that was opened with a level */
static PyObject *writer_begin(PyObject *object, PyObject *const *arguments, Py_ssize_t count)
{
    writer_object *self = (writer_object *)object;
    snpy_io_error error;
    if (!takes("begin", count, 3) || !can_write(self)) return NULL;
    const unsigned long long size = PyLong_AsUnsignedLongLong(arguments[1]);
    const unsigned long level = PyLong_AsUnsignedLong(arguments[2]);
    if (PyErr_Occurred()) return NULL;
    PyObject *name = name_bytes(self, arguments[0]);
    if (name == NULL) return NULL;
    const char *text = PyBytes_AsString(name);
    snpy_status status;
    self->is_busy = true;
    Py_BEGIN_ALLOW_THREADS;
    status = snpy_archive_writer_set_level(self->writer, (uint32_t)level, &error);
    if (status == SNPY_OK) status = snpy_archive_writer_begin_bytes(self->writer, text, size, &error);
    Py_END_ALLOW_THREADS;
    Py_DECREF(name);
    return end_call(self, status, &error);
}

/* put(buffer): bytes of the member that was begun */
static PyObject *writer_put(PyObject *object, PyObject *data)
{
    writer_object *self = (writer_object *)object;
    Py_buffer buffer;
    snpy_io_error error;
    snpy_status status;
    if (!can_write(self) || PyObject_GetBuffer(data, &buffer, PyBUF_SIMPLE) != 0) return NULL;
    self->is_busy = true;
    Py_BEGIN_ALLOW_THREADS;
    status = snpy_archive_writer_put(self->writer, buffer.buf, (uint64_t)buffer.len, &error);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&buffer);
    return end_call(self, status, &error);
}

/* end(): of the member that was begun */
static PyObject *writer_end(PyObject *object, PyObject *unused)
{
    writer_object *self = (writer_object *)object;
    snpy_io_error error;
    snpy_status status;
    (void)unused;
    if (!can_write(self)) return NULL;
    self->is_busy = true;
    Py_BEGIN_ALLOW_THREADS;
    status = snpy_archive_writer_end(self->writer, &error);
    Py_END_ALLOW_THREADS;
    return end_call(self, status, &error);
}

static PyObject *writer_finish(PyObject *object, PyObject *unused)
{
    writer_object *self = (writer_object *)object;
    snpy_io_error error;
    snpy_status status;
    (void)unused;
    if (!can_write(self)) return NULL;
    self->is_busy = true;
    Py_BEGIN_ALLOW_THREADS;
    status = snpy_archive_writer_finish(&self->writer, &error);
    Py_END_ALLOW_THREADS;
    self->is_open = false;
    return end_call(self, status, &error);
}

static PyObject *writer_abandon(PyObject *object, PyObject *unused)
{
    writer_object *self = (writer_object *)object;
    (void)unused;
    if (self->is_open && !self->is_busy) snpy_archive_writer_abandon(&self->writer);
    self->is_open = self->is_open && self->is_busy;
    return Py_NewRef(Py_None);
}

static void writer_free(PyObject *object)
{
    writer_object *self = (writer_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    if (self->is_open) snpy_archive_writer_abandon(&self->writer);
    Py_XDECREF(self->path);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyMethodDef writer_methods[] = {
    {"add", (PyCFunction)(void (*)(void))writer_add, METH_FASTCALL, NULL},
    {"begin", (PyCFunction)(void (*)(void))writer_begin, METH_FASTCALL, NULL},
    {"put", writer_put, METH_O, NULL},
    {"end", writer_end, METH_NOARGS, NULL},
    {"finish", writer_finish, METH_NOARGS, NULL},
    {"abandon", writer_abandon, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot writer_slots[] = {
    {Py_tp_new, writer_new}, {Py_tp_dealloc, writer_free}, {Py_tp_methods, writer_methods}, {0, NULL}};
static PyType_Spec writer_spec = {"safenpy._core.Writer", sizeof(writer_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, writer_slots};

bool writer_ready(PyObject *module)
{
    writer_type = (PyTypeObject *)PyType_FromSpec(&writer_spec);
    return writer_type != NULL && PyModule_AddObjectRef(module, "Writer", (PyObject *)writer_type) == 0;
}
