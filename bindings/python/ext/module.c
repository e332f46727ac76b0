/* module.c: safenpy._core, which the modules in Python call; what it has may change with each version. */
#include "core.h"

#include <errno.h>
#include <fcntl.h>

bool takes(const char *name, Py_ssize_t count, Py_ssize_t n)
{
    if (count == n) return true;
    PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, not %zd", name, n, count);
    return false;
}

PyObject *path_bytes(PyObject *path)
{
    PyObject *bytes = NULL;
    return PyUnicode_FSConverter(path, &bytes) ? bytes : NULL;
}

int open_for_reading(PyObject *path)
{
    PyObject *bytes = path_bytes(path);
    if (bytes == NULL) return -1;
    const char *name = PyBytes_AsString(bytes);
    int descriptor, number;
    do {
        Py_BEGIN_ALLOW_THREADS;
        descriptor = open(name, O_RDONLY | O_CLOEXEC);
        number = errno;
        Py_END_ALLOW_THREADS;
    } while (descriptor < 0 && number == EINTR && PyErr_CheckSignals() == 0); /* of a FIFO: PEP 475 */
    Py_DECREF(bytes);
    if (descriptor < 0 && !PyErr_Occurred()) raise_errno(number, path);
    return descriptor;
}

/* parse(bytes, limits, path) -> Header */
static PyObject *core_parse(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    limits limit;
    Py_buffer buffer;
    (void)module;
    if (!takes("parse", count, 3) || !limits_from(arguments[1], &limit)) return NULL;
    if (PyObject_GetBuffer(arguments[0], &buffer, PyBUF_SIMPLE) != 0) return NULL;
    PyObject *path = arguments[2] != Py_None ? arguments[2] : NULL;
    PyObject *header = header_parse(buffer.buf, (size_t)buffer.len, &limit.header, path);
    PyBuffer_Release(&buffer);
    return header;
}

/* check_size(header, file size, allow trailing, path): raises what the size of the file breaks */
static PyObject *core_check_size(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    snpy_io_error error = {.member = ""};
    (void)module;
    if (!takes("check_size", count, 4) || Py_TYPE(arguments[0]) != header_type) return NULL;
    unsigned long long size = PyLong_AsUnsignedLongLong(arguments[1]);
    if (PyErr_Occurred()) return NULL;
    snpy_status status =
        snpy_check_data(&((header_object *)arguments[0])->header, size, arguments[2] == Py_True, &error.error);
    if (status == SNPY_OK) return Py_NewRef(Py_None);
    return raise_status(status, &error, arguments[3] != Py_None ? arguments[3] : NULL);
}

/* status_texts(number) -> (name, rule, message, hint) */
static PyObject *core_status_texts(PyObject *module, PyObject *number)
{
    long status = PyLong_AsLong(number);
    (void)module;
    if (status == -1 && PyErr_Occurred()) return NULL;
    return Py_BuildValue("(ssss)", snpy_status_name((snpy_status)status), snpy_status_rule((snpy_status)status),
                         snpy_status_message((snpy_status)status), snpy_status_hint((snpy_status)status));
}

/* look_texts(number) -> (name, noun, hint) */
static PyObject *core_look_texts(PyObject *module, PyObject *number)
{
    long look = PyLong_AsLong(number);
    (void)module;
    if (look == -1 && PyErr_Occurred()) return NULL;
    return Py_BuildValue("(zzz)", snpy_look_name((snpy_look_kind)look), snpy_look_noun((snpy_look_kind)look),
                         snpy_look_hint((snpy_look_kind)look));
}

#define FAST(function) (PyCFunction)(void (*)(void))(function)

static PyMethodDef methods[] = {
    {"parse", FAST(core_parse), METH_FASTCALL, NULL},
    {"check_size", FAST(core_check_size), METH_FASTCALL, NULL},
    {"status_texts", core_status_texts, METH_O, NULL},
    {"look_texts", core_look_texts, METH_O, NULL},
    {"load_path", FAST(core_load_path), METH_FASTCALL, NULL},
    {"load_bytes", FAST(core_load_bytes), METH_FASTCALL, NULL},
    {"map_path", FAST(core_map_path), METH_FASTCALL, NULL},
    {"map_create", FAST(core_map_create), METH_FASTCALL, NULL},
    {"wrap", FAST(core_wrap), METH_FASTCALL, NULL},
    {"open_archive", FAST(core_open_archive), METH_FASTCALL, NULL},
    {"save_path", FAST(core_save_path), METH_FASTCALL, NULL},
    {"append", FAST(core_append), METH_FASTCALL, NULL},
    {"clean", FAST(core_clean), METH_FASTCALL, NULL},
    {"check_paths", FAST(core_check_paths), METH_FASTCALL, NULL},
    {"check_head", FAST(core_check_head), METH_FASTCALL, NULL},
    {"check_bytes", FAST(core_check_bytes), METH_FASTCALL, NULL},
    {"decode_objects", FAST(core_decode_objects), METH_FASTCALL, NULL},
    {"write_objects", FAST(core_write_objects), METH_FASTCALL, NULL},
    {"scan_objects", core_scan_objects, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "safenpy._core", NULL, -1, methods, NULL, NULL, NULL, NULL};

static bool add_statuses(PyObject *module)
{
#define SNPY_STATUS(name, number, rule, message, hint, example) \
    if (PyModule_AddIntConstant(module, #name, number) != 0) return false;
#include "safenpy/statuses.h"
    return true;
}

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    if (header_type != NULL) {
        PyErr_SetString(PyExc_ImportError, "safenpy works in one interpreter of a process");
        return NULL;
    }
    PyObject *module = PyModule_Create(&definition);
    PyObject *errors = module != NULL ? PyImport_ImportModule("safenpy._errors") : NULL;
    if (errors != NULL) refused_class = PyObject_GetAttrString(errors, "Refused");
    Py_XDECREF(errors);
    if (refused_class != NULL && header_ready(module) && memory_ready(module) && archive_ready(module) &&
        writer_ready(module) && add_statuses(module) &&
        PyModule_AddStringConstant(module, "version", snpy_version()) == 0)
        return module;
    Py_XDECREF(module);
    return NULL;
}
