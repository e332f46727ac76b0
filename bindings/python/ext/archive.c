/* archive.c: the types Archive and Member: an open NPZ file, and the bytes of one member in order.
 *
 * Members are read at their offsets (pread), so that threads share an archive, and a child keeps it after a fork. close()
 * while other threads read waits with closing until the last of them is done. */
#include "core.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct archive_object {
    PyObject_HEAD snpy_archive *archive;
    int descriptor; /* owned; -1: none */
    Py_buffer lent;
    PyObject *read; /* a function that reads the archive, see core_open_archive; NULL: none */
    unsigned users; /* calls that read without the GIL, and members that are open */
    bool is_open;
    bool shall_close;
    limits limit;
    PyObject *path; /* for errors; may be NULL */
} archive_object;

typedef struct member_object {
    PyObject_HEAD snpy_member *member;
    archive_object *archive;
    bool is_open;
    bool is_busy;
} member_object;

static PyTypeObject *archive_type, *member_type;

bool is_archive(const uint8_t *bytes, size_t length)
{
    return length >= 4 && bytes[0] == 'P' && bytes[1] == 'K' &&
           ((bytes[2] == 3 && bytes[3] == 4) || (bytes[2] == 5 && bytes[3] == 6));
}

/* --- opening and closing --- */

static archive_object *archive_new(PyObject *path, PyObject *wanted)
{
    archive_object *self = (archive_object *)PyType_GenericAlloc(archive_type, 0);
    if (self == NULL) return NULL;
    self->descriptor = -1;
    if (!limits_from(wanted, &self->limit)) {
        Py_DECREF(self);
        return NULL;
    }
    if (path != NULL && path != Py_None) self->path = Py_NewRef(path);
    return self;
}

static void end_archive(archive_object *self)
{
    if (self->is_open) snpy_archive_close(&self->archive);
    if (self->descriptor >= 0) close(self->descriptor);
    if (self->lent.obj != NULL) PyBuffer_Release(&self->lent);
    self->is_open = false;
    self->descriptor = -1;
}

/* Reads for the library with the function of an archive. An exception stays set, and raise_for leaves it.
 * snpy_read_callback */
static int64_t ask(void *context, uint64_t offset, size_t length, void *out)
{
    archive_object *self = context;
    Py_buffer data;
    if (PyErr_Occurred()) return -EIO;
    PyObject *answer = PyObject_CallFunction(self->read, "Kn", (unsigned long long)offset, (Py_ssize_t)length);
    if (answer == NULL) return -EIO;
    if (PyObject_GetBuffer(answer, &data, PyBUF_SIMPLE) != 0) {
        Py_DECREF(answer);
        return -EIO;
    }
    const bool fits = (size_t)data.len <= length;
    const int64_t received = fits ? (int64_t)data.len : -EIO;
    if (fits) memcpy(out, data.buf, (size_t)data.len);
    if (!fits) PyErr_Format(PyExc_OSError, "%zd bytes came for a range of %zu", data.len, length);
    PyBuffer_Release(&data);
    Py_DECREF(answer);
    return received;
}

/* Gives up the GIL while the library reads, and takes it again; keeps it if the archive's function needs it. */
static PyThreadState *leave(const archive_object *self)
{
    return self->read == NULL ? PyEval_SaveThread() : NULL;
}

static void enter(PyThreadState *state)
{
    if (state != NULL) PyEval_RestoreThread(state);
}

/* Raises what a status of the library says, or what the archive's function has raised. Returns NULL. */
static PyObject *raise_for(snpy_status status, const snpy_io_error *error, const archive_object *self)
{
    return PyErr_Occurred() ? NULL : raise_status(status, error, self->path);
}

/* Before and after a call that reads without the GIL. */
static bool begin_use(archive_object *self)
{
    if (!self->is_open || self->shall_close) {
        PyErr_SetString(PyExc_ValueError, "the archive is closed");
        return false;
    }
    self->users++;
    return true;
}

static void end_use(archive_object *self)
{
    if (--self->users == 0 && self->shall_close) end_archive(self);
}

PyObject *archive_from_descriptor(int descriptor, PyObject *path, PyObject *wanted)
{
    snpy_io_error error;
    snpy_status status;
    archive_object *self = archive_new(path, wanted);
    if (self == NULL) {
        close(descriptor);
        return NULL;
    }
    self->descriptor = descriptor;
    Py_BEGIN_ALLOW_THREADS;
    (void)lseek(descriptor, 0, SEEK_SET);
    status = snpy_archive_open_descriptor(descriptor, &self->limit.archive, &self->archive, &error);
    Py_END_ALLOW_THREADS;
    self->is_open = status == SNPY_OK;
    if (self->is_open) return (PyObject *)self;
    raise_status(status, &error, path);
    Py_DECREF(self);
    return NULL;
}

/* Opens an archive of `size` bytes that a function reads: (size, function of offset and length that returns at most that
 * many bytes, none at the end). Local headers are checked by check_local. */
static PyObject *open_by_function(PyObject *source, PyObject *wanted, PyObject *path)
{
    snpy_io_error error;
    unsigned long long size;
    PyObject *read;
    if (!PyArg_ParseTuple(source, "KO", &size, &read)) return NULL;
    archive_object *self = archive_new(path, wanted);
    if (self == NULL) return NULL;
    self->read = Py_NewRef(read);
    self->limit.archive.defer_local = true;
    const snpy_status status =
        snpy_archive_open_callback(size, ask, self, &self->limit.archive, &self->archive, &error);
    self->is_open = status == SNPY_OK;
    if (self->is_open) return (PyObject *)self;
    (void)raise_for(status, &error, self);
    Py_DECREF(self);
    return NULL;
}

/* open_archive(source, limits, path): a str, bytes or PathLike is a path, an int a descriptor that is duplicated, a
 * memoryview the archive itself, and a tuple what open_by_function takes. */
PyObject *core_open_archive(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    if (!takes("open_archive", count, 3)) return NULL;
    PyObject *path = arguments[2] != Py_None ? arguments[2] : NULL;
    if (PyLong_Check(arguments[0])) {
        long number = PyLong_AsLong(arguments[0]);
        if (number == -1 && PyErr_Occurred()) return NULL;
        int given = number >= 0 && number <= INT_MAX ? (int)number : -1; /* which dup refuses */
        int descriptor = dup(given);
        if (descriptor < 0) return raise_errno(errno, path);
        off_t before = lseek(given, 0, SEEK_CUR);
        PyObject *archive = archive_from_descriptor(descriptor, path, arguments[1]);
        (void)lseek(given, before, SEEK_SET); /* which both share: a file object relies on it */
        return archive;
    }
    if (PyTuple_Check(arguments[0])) return open_by_function(arguments[0], arguments[1], path);
    if (!PyMemoryView_Check(arguments[0])) {
        int descriptor = open_for_reading(arguments[0]);
        return descriptor < 0 ? NULL : archive_from_descriptor(descriptor, arguments[0], arguments[1]);
    }
    snpy_io_error error;
    snpy_status status;
    archive_object *self = archive_new(path, arguments[1]);
    if (self == NULL) return NULL;
    if (PyObject_GetBuffer(arguments[0], &self->lent, PyBUF_SIMPLE) != 0) {
        Py_DECREF(self);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    status =
        snpy_archive_open_memory(self->lent.buf, (size_t)self->lent.len, &self->limit.archive, &self->archive, &error);
    Py_END_ALLOW_THREADS;
    self->is_open = status == SNPY_OK;
    if (self->is_open) return (PyObject *)self;
    raise_status(status, &error, path);
    Py_DECREF(self);
    return NULL;
}

static PyObject *archive_close(PyObject *object, PyObject *unused)
{
    archive_object *self = (archive_object *)object;
    (void)unused;
    self->shall_close = true;
    if (self->users == 0) end_archive(self);
    return Py_NewRef(Py_None);
}

static void archive_free(PyObject *object)
{
    archive_object *self = (archive_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    end_archive(self);
    Py_XDECREF(self->read);
    Py_XDECREF(self->path);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* --- the directory --- */

typedef size_t (*naming)(const snpy_archive *, size_t, char *, size_t);

static PyObject *names_by(archive_object *self, naming name)
{
    if (!begin_use(self)) return NULL;
    PyObject *list = PyList_New(0);
    char *text = NULL;
    size_t capacity = 0;
    for (size_t i = 0; list != NULL && i < snpy_archive_count(self->archive); i++) {
        size_t size = name(self->archive, i, text, capacity);
        if (size + 1 > capacity) {
            capacity = 2 * size + 64;
            free(text);
            text = malloc(capacity);
            if (text != NULL) size = name(self->archive, i, text, capacity);
        }
        PyObject *one =
            text != NULL ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "surrogateescape") : PyErr_NoMemory();
        if (one == NULL || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    free(text);
    end_use(self);
    return list;
}

static PyObject *archive_names(PyObject *object, PyObject *unused)
{
    (void)unused;
    return names_by((archive_object *)object, snpy_archive_name);
}

static PyObject *archive_keys(PyObject *object, PyObject *unused)
{
    (void)unused;
    return names_by((archive_object *)object, snpy_archive_key);
}

/* The member of a number, with the archive in use; false with an exception. */
static bool begin_member(archive_object *self, PyObject *number, size_t *index)
{
    *index = PyLong_AsSize_t(number);
    if (*index == (size_t)-1 && PyErr_Occurred()) return false;
    if (!begin_use(self)) return false;
    if (*index < snpy_archive_count(self->archive)) return true;
    end_use(self);
    PyErr_SetString(PyExc_IndexError, "no such member");
    return false;
}

/* info(index) -> (is_deflated, size, compressed size, crc, offset of the data, 0 before check_local; offset of the local
 * header; offset at or after the member's last byte) */
static PyObject *archive_info(PyObject *object, PyObject *number)
{
    archive_object *self = (archive_object *)object;
    size_t index;
    if (!begin_member(self, number, &index)) return NULL;
    const snpy_zip_member *member = snpy_archive_member(self->archive, index);
    const bool is_last = index + 1 == snpy_archive_count(self->archive);
    const snpy_zip_member *first = snpy_archive_member(self->archive, 0); /* its central header begins the directory */
    const uint64_t next = is_last ? first->central_offset : member[1].local_offset;
    PyObject *info = Py_BuildValue("(OKKkKKK)", member->method == SNPY_ZIP_DEFLATED ? Py_True : Py_False,
                                   (unsigned long long)member->size, (unsigned long long)member->compressed_size,
                                   (unsigned long)member->crc, (unsigned long long)member->data_offset,
                                   (unsigned long long)member->local_offset, (unsigned long long)next);
    end_use(self);
    return info;
}

/* --- whole members --- */

static PyObject *archive_load(PyObject *object, PyObject *number)
{
    archive_object *self = (archive_object *)object;
    size_t index;
    snpy_io_error error;
    snpy_status status;
    memory_object *memory = memory_new();
    if (memory == NULL || !begin_member(self, number, &index)) {
        Py_XDECREF((PyObject *)memory);
        return NULL;
    }
    snpy_load_options how = {.size = sizeof(snpy_load_options), .limits = &self->limit.header};
    PyThreadState *state = leave(self);
    status = snpy_archive_load(self->archive, index, &how, &memory->array, &error);
    enter(state);
    end_use(self);
    if (status == SNPY_OK) return memory_settle(memory);
    Py_DECREF(memory);
    return raise_for(status, &error, self);
}

static PyObject *archive_read(PyObject *object, PyObject *number)
{
    archive_object *self = (archive_object *)object;
    size_t index;
    snpy_io_error error;
    snpy_status status;
    if (!begin_member(self, number, &index)) return NULL;
    uint64_t size = snpy_archive_member(self->archive, index)->size;
    if (size > self->limit.header.max_data_bytes || size > self->limit.archive.max_member_bytes) {
        end_use(self);
        error = (snpy_io_error){.error = {SNPY_ZIP_MEMBER_TOO_LARGE, 0}};
        return raise_status(SNPY_ZIP_MEMBER_TOO_LARGE, &error, self->path);
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    char *out = bytes != NULL ? PyBytes_AsString(bytes) : NULL;
    if (out == NULL) {
        end_use(self);
        return NULL;
    }
    PyThreadState *state = leave(self);
    status = snpy_archive_read(self->archive, index, out, size, &error);
    enter(state);
    end_use(self);
    if (status == SNPY_OK) return bytes;
    Py_DECREF(bytes);
    return raise_for(status, &error, self);
}

/* map(index, mode, defer) -> (Header, Memory) */
static PyObject *archive_map(PyObject *object, PyObject *const *arguments, Py_ssize_t count)
{
    archive_object *self = (archive_object *)object;
    size_t index;
    snpy_io_error error;
    snpy_status status;
    if (!takes("map", count, 3)) return NULL;
    long mode = PyLong_AsLong(arguments[1]);
    if (mode == -1 && PyErr_Occurred()) return NULL;
    bool defer = arguments[2] == Py_True;
    memory_object *memory = memory_new();
    if (memory == NULL || !begin_member(self, arguments[0], &index)) {
        Py_XDECREF((PyObject *)memory);
        return NULL;
    }
    PyThreadState *state = leave(self);
    status = snpy_archive_map(self->archive, index, (snpy_map_mode)mode, defer, &memory->array, &error);
    enter(state);
    end_use(self);
    if (status == SNPY_OK) return memory_settle(memory);
    Py_DECREF(memory);
    return raise_for(status, &error, self);
}

/* load_several(indices, threads) -> [(Header, Memory), …]; raises the error of the first that fails. */
static PyObject *archive_load_several(PyObject *object, PyObject *const *arguments, Py_ssize_t count)
{
    archive_object *self = (archive_object *)object;
    PyObject *result = NULL;
    if (!takes("load_several", count, 2) || !PyList_Check(arguments[0])) return NULL;
    size_t n = (size_t)PyList_Size(arguments[0]);
    unsigned long threads = PyLong_AsUnsignedLong(arguments[1]);
    if (PyErr_Occurred() || !begin_use(self)) return NULL;
    size_t *indices = calloc(n + 1, sizeof *indices);
    snpy_array *arrays = calloc(n + 1, sizeof *arrays);
    snpy_io_error *errors = calloc(n + 1, sizeof *errors);
    if (indices == NULL || arrays == NULL || errors == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (size_t i = 0; i < n; i++) indices[i] = PyLong_AsSize_t(PyList_GetItem(arguments[0], (Py_ssize_t)i));
    if (PyErr_Occurred()) goto done;
    snpy_status status;
    PyThreadState *state = leave(self);
    status = snpy_archive_load_several(self->archive, indices, n,
                                       self->read == NULL && threads > 1 ? (unsigned)threads : 1, arrays, errors);
    enter(state);
    for (size_t i = 0; i < n && status != SNPY_OK; i++)
        if (errors[i].error.status == status) {
            (void)raise_for(status, &errors[i], self);
            goto done;
        }
    result = PyList_New(0);
    for (size_t i = 0; i < n && result != NULL; i++) {
        memory_object *memory = memory_new();
        if (memory != NULL) {
            memory->array = arrays[i]; /* moved: the array of the library is empty from here on */
            memset(&arrays[i], 0, sizeof arrays[i]);
        }
        PyObject *pair = memory != NULL ? memory_settle(memory) : NULL;
        if (pair == NULL || PyList_Append(result, pair) != 0) Py_CLEAR(result);
        Py_XDECREF(pair);
    }
done:
    for (size_t i = 0; arrays != NULL && i < n; i++) snpy_array_release(&arrays[i]);
    free(indices);
    free(arrays);
    free(errors);
    end_use(self);
    return result;
}

/* read_at(index, position, buffer): bytes of a stored member, from the file or the memory; their CRC is not verified. */
static PyObject *archive_read_at(PyObject *object, PyObject *const *arguments, Py_ssize_t count)
{
    archive_object *self = (archive_object *)object;
    size_t index;
    Py_buffer out;
    if (!takes("read_at", count, 3)) return NULL;
    unsigned long long position = PyLong_AsUnsignedLongLong(arguments[1]);
    if (PyErr_Occurred() || !begin_member(self, arguments[0], &index)) return NULL;
    const snpy_zip_member *member = snpy_archive_member(self->archive, index);
    if (PyObject_GetBuffer(arguments[2], &out, PyBUF_WRITABLE) != 0) {
        end_use(self);
        return NULL;
    }
    size_t length = (size_t)out.len;
    size_t done = 0;
    int number = 0;
    bool is_inside = member->method == SNPY_ZIP_STORED && position <= member->size && length <= member->size - position;
    uint64_t from = member->data_offset + position;
    if (is_inside && self->read != NULL) {
        while (done < length && number == 0) {
            const int64_t got = ask(self, from + done, length - done, (char *)out.buf + done);
            if (got > 0) done += (size_t)got;
            if (got <= 0) number = EIO; /* shorter than when it was opened */
        }
    } else if (is_inside && self->descriptor < 0) {
        memcpy(out.buf, (const uint8_t *)self->lent.buf + from, length);
    } else if (is_inside) {
        Py_BEGIN_ALLOW_THREADS;
        while (done < length && number == 0) {
            ssize_t got = pread(self->descriptor, (char *)out.buf + done, length - done, (off_t)(from + done));
            if (got > 0) done += (size_t)got;
            if (got == 0) number = EIO; /* shorter than when it was opened */
            if (got < 0 && errno != EINTR) number = errno;
        }
        Py_END_ALLOW_THREADS;
    }
    PyBuffer_Release(&out);
    end_use(self);
    if (number != 0) return PyErr_Occurred() ? NULL : raise_errno(number, self->path);
    if (is_inside) return Py_NewRef(Py_None);
    PyErr_SetString(PyExc_ValueError, "not inside a stored member");
    return NULL;
}

/* check_local(index): the local header of a member of an archive that a function reads. */
static PyObject *archive_check_local(PyObject *object, PyObject *number)
{
    archive_object *self = (archive_object *)object;
    size_t index;
    snpy_io_error error;
    if (!begin_member(self, number, &index)) return NULL;
    const snpy_status status = snpy_archive_check_local(self->archive, index, &error); /* with the GIL: it changes */
    end_use(self);
    return status == SNPY_OK ? Py_NewRef(Py_None) : raise_for(status, &error, self);
}

/* check(first, stop) -> tuple: the verdict about these members, data and CRC included; see check.c. */
static PyObject *archive_check(PyObject *object, PyObject *const *arguments, Py_ssize_t count)
{
    archive_object *self = (archive_object *)object;
    if (!takes("check", count, 2)) return NULL;
    const size_t first = PyLong_AsSize_t(arguments[0]);
    const size_t stop = PyLong_AsSize_t(arguments[1]);
    if (PyErr_Occurred() || !begin_use(self)) return NULL;
    PyThreadState *state = leave(self);
    verdict *about = check_opened(self->archive, first, stop, &self->limit);
    enter(state);
    end_use(self);
    if (about == NULL) return PyErr_NoMemory();
    PyObject *tuple = verdict_tuple(about);
    free(about);
    if (!PyErr_Occurred()) return tuple;
    Py_XDECREF(tuple); /* the function has raised */
    return NULL;
}

/* --- members as streams --- */

static PyObject *archive_open_member(PyObject *object, PyObject *number)
{
    archive_object *self = (archive_object *)object;
    size_t index;
    snpy_io_error error;
    if (!begin_member(self, number, &index)) return NULL;
    member_object *member = (member_object *)PyType_GenericAlloc(member_type, 0);
    if (member == NULL) {
        end_use(self);
        return NULL;
    }
    snpy_status status = snpy_member_open(self->archive, index, &member->member, &error);
    if (status != SNPY_OK) {
        Py_DECREF(member);
        end_use(self);
        return raise_for(status, &error, self);
    }
    member->archive = (archive_object *)Py_NewRef(object);
    member->is_open = true;
    return (PyObject *)member;
}

static void end_member(member_object *self)
{
    if (!self->is_open) return;
    snpy_member_close(&self->member);
    self->is_open = false;
    end_use(self->archive);
}

static PyObject *member_close(PyObject *object, PyObject *unused)
{
    (void)unused;
    if (!((member_object *)object)->is_busy) end_member((member_object *)object);
    return Py_NewRef(Py_None);
}

/* readinto(buffer) -> bytes read, fewer than asked for at the end only. The last bytes verify the CRC. */
static PyObject *member_readinto(PyObject *object, PyObject *buffer)
{
    member_object *self = (member_object *)object;
    Py_buffer out;
    size_t received = 0;
    snpy_io_error error;
    snpy_status status;
    if (!self->is_open || self->is_busy) {
        PyErr_SetString(PyExc_ValueError, self->is_busy ? "another thread reads this member" : "the member is closed");
        return NULL;
    }
    if (PyObject_GetBuffer(buffer, &out, PyBUF_WRITABLE) != 0) return NULL;
    self->is_busy = true;
    PyThreadState *state = leave(self->archive);
    status = snpy_member_read(self->member, out.buf, (size_t)out.len, &received, &error);
    enter(state);
    self->is_busy = false;
    PyBuffer_Release(&out);
    if (status != SNPY_OK) return raise_for(status, &error, self->archive);
    return PyLong_FromSize_t(received);
}

static void member_free(PyObject *object)
{
    member_object *self = (member_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    end_member(self);
    Py_XDECREF((PyObject *)self->archive);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* --- the types --- */

#define FAST(function) (PyCFunction)(void (*)(void))(function)

static PyMethodDef archive_methods[] = {
    {"names", archive_names, METH_NOARGS, NULL},
    {"keys", archive_keys, METH_NOARGS, NULL},
    {"info", archive_info, METH_O, NULL},
    {"load", archive_load, METH_O, NULL},
    {"read", archive_read, METH_O, NULL},
    {"map", FAST(archive_map), METH_FASTCALL, NULL},
    {"load_several", FAST(archive_load_several), METH_FASTCALL, NULL},
    {"read_at", FAST(archive_read_at), METH_FASTCALL, NULL},
    {"check_local", archive_check_local, METH_O, NULL},
    {"check", FAST(archive_check), METH_FASTCALL, NULL},
    {"open_member", archive_open_member, METH_O, NULL},
    {"close", archive_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef member_methods[] = {
    {"readinto", member_readinto, METH_O, NULL},
    {"close", member_close, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot archive_slots[] = {{Py_tp_dealloc, archive_free}, {Py_tp_methods, archive_methods}, {0, NULL}};
static PyType_Slot member_slots[] = {{Py_tp_dealloc, member_free}, {Py_tp_methods, member_methods}, {0, NULL}};

#define FLAGS (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE)
static PyType_Spec archive_spec = {"safenpy._core.Archive", sizeof(archive_object), 0, FLAGS, archive_slots};
static PyType_Spec member_spec = {"safenpy._core.Member", sizeof(member_object), 0, FLAGS, member_slots};

bool archive_ready(PyObject *module)
{
    archive_type = (PyTypeObject *)PyType_FromSpec(&archive_spec);
    member_type = (PyTypeObject *)PyType_FromSpec(&member_spec);
    return archive_type != NULL && member_type != NULL &&
           PyModule_AddObjectRef(module, "Archive", (PyObject *)archive_type) == 0 &&
           PyModule_AddObjectRef(module, "Member", (PyObject *)member_type) == 0;
}
