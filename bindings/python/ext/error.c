/* error.c: from a status to an exception. */
#include "core.h"

#include <errno.h>
#include <string.h>

PyObject *refused_class;

PyObject *raise_errno(int number, PyObject *path)
{
    errno = number;
    return path != NULL ? PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path) : PyErr_SetFromErrno(PyExc_OSError);
}

/* A text of the library as a string: names of members are what strangers chose. */
static PyObject *text_or_none(const char *text)
{
    if (text[0] == '\0') return Py_NewRef(Py_None);
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

PyObject *raise_status(snpy_status status, const snpy_io_error *error, PyObject *path)
{
    if (status == SNPY_NO_MEMORY) return PyErr_NoMemory();
    if (status == SNPY_IO_ERROR) return raise_errno(error->system_error != 0 ? error->system_error : EIO, path);
    if (status == SNPY_LOCKED) return raise_errno(EAGAIN, path);
    if (status == SNPY_FILE_CHANGED) {
        PyObject *arguments = Py_BuildValue("(isO)", EIO, snpy_status_message(status), path != NULL ? path : Py_None);
        if (arguments != NULL) PyErr_SetObject(PyExc_OSError, arguments);
        Py_XDECREF(arguments);
        return NULL;
    }
    if (status == SNPY_NO_MEMBER) {
        PyObject *name = text_or_none(error->member);
        if (name != NULL) PyErr_SetObject(PyExc_KeyError, name);
        Py_XDECREF(name);
        return NULL;
    }
    PyObject *member = text_or_none(error->member);
    if (member == NULL) return NULL;
    PyObject *refusal =
        PyObject_CallFunction(refused_class, "iKNO", (int)status, (unsigned long long)error->error.offset, member,
                              path != NULL ? path : Py_None);
    if (refusal != NULL) PyErr_SetObject(refused_class, refusal);
    Py_XDECREF(refusal);
    return NULL;
}
