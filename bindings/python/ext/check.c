/* check.c: verdicts about whole files, many of them in one call without the GIL. */
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A verdict while it is made. */
struct verdict {
    snpy_io_error error; /* SNPY_OK: accepted */
    bool is_archive;
    bool is_known;       /* the format is */
    snpy_look_kind look; /* of what has neither format; else SNPY_LOOK_UNKNOWN */
    char *notes;         /* of the heap, each ended by a newline, those of members after "name: " */
    size_t notes_size;
};

static bool put(char **text, size_t *size, const char *piece, size_t length)
{
    char *grown = realloc(*text, *size + length + 1);
    if (grown == NULL) return false;
    memcpy(grown + *size, piece, length);
    *size += length;
    grown[*size] = '\0';
    *text = grown;
    return true;
}

static void note(verdict *about, const char *member, const char *text)
{
    bool is_whole = member == NULL || (put(&about->notes, &about->notes_size, member, strlen(member)) &&
                                       put(&about->notes, &about->notes_size, ": ", 2));
    if (!is_whole || !put(&about->notes, &about->notes_size, text, strlen(text)) ||
        !put(&about->notes, &about->notes_size, "\n", 1))
        about->error.error.status = SNPY_NO_MEMORY;
}

/* Notes about a header that is accepted; those of `safenpy check`. */
static void note_header(verdict *about, const char *member, const snpy_header *header, const uint8_t *text_bytes,
                        uint64_t size)
{
    uint64_t offset = header->frame.data_offset;
    char text[96];
    if (header->has_object) {
        note(about, member, "object data are a pickle, which is not checked");
    } else if (size > offset && size - offset > header->data_size) {
        unsigned long long trailing = (unsigned long long)(size - offset - header->data_size);
        PyOS_snprintf(text, sizeof text, trailing == 1 ? "%llu trailing byte" : "%llu trailing bytes", trailing);
        note(about, member, text);
    }
    if (offset % 64 != 0) {
        PyOS_snprintf(text, sizeof text, "data begin at byte %llu, not a multiple of 64", (unsigned long long)offset);
        note(about, member, text);
    }
    if (text_bytes[header->frame.header_len - 1] != '\n') note(about, member, "header does not end with a newline");
}

static snpy_status refuse(verdict *about, snpy_status status, uint64_t offset)
{
    about->error.error.status = status;
    about->error.error.offset = offset;
    return status;
}

/* What a file looks like that does not begin as an NPY file.                                              API-LOOK */
static void look_at(verdict *about, const uint8_t *bytes, size_t length)
{
    const snpy_look_kind look = snpy_looks_like(bytes, length);
    if (snpy_look_hint(look) != NULL) about->look = look;
}

/* --- archives --- */

static void check_member(const snpy_archive *archive, size_t index, const limits *limit, char *name, verdict *about)
{
    snpy_array head = {.text = NULL};
    bool is_array = false;
    size_t length = strlen(name);
    bool is_named_so = length >= 4 && strcmp(name + length - 4, ".npy") == 0;
    snpy_status status = snpy_archive_check(archive, index, &is_array, &head, &about->error);
    if (status == SNPY_OK && is_array && head.header.has_object && !limit->objects)
        status = refuse(about, SNPY_OBJECT_DATA, head.header.frame.data_offset);
    if (status == SNPY_OK && !is_array && is_named_so && !limit->non_arrays)
        status = refuse(about, SNPY_NOT_AN_ARRAY, 0);
    if (status == SNPY_OK && is_array)
        note_header(about, name, &head.header, head.text, snpy_archive_member(archive, index)->size);
    else if (status == SNPY_OK)
        note(about, name, is_named_so ? "named .npy, but not an NPY file" : "not an NPY file");
    else if (about->error.member[0] == '\0')
        strncpy(about->error.member, name, sizeof about->error.member - 1);
    snpy_array_release(&head);
}

static const size_t name_capacity =
    (size_t)3 * 65536; /* Latin-1 letters become two bytes, those of CP437 up to three */

static void check_members(const snpy_archive *archive, size_t first, size_t stop, const limits *limit, verdict *about)
{
    uint64_t total = 0;
    char *name = malloc(name_capacity);
    if (name == NULL) {
        refuse(about, SNPY_NO_MEMORY, 0);
        return;
    }
    for (size_t i = 0; i < snpy_archive_count(archive); i++) {
        const snpy_zip_member *member = snpy_archive_member(archive, i);
        if (member->method != SNPY_ZIP_DEFLATED) continue;
        if (member->size > limit->archive.max_total_bytes - total) {
            refuse(about, SNPY_ZIP_TOTAL_TOO_LARGE, member->central_offset);
            break;
        }
        total += member->size;
    }
    for (size_t i = first; i < stop && about->error.error.status == SNPY_OK; i++) {
        (void)snpy_archive_name(archive, i, name, name_capacity);
        check_member(archive, i, limit, name, about);
    }
    free(name);
}

static void check_archive(snpy_archive *archive, snpy_status status, const limits *limit, verdict *about)
{
    about->is_archive = true;
    about->is_known = true;
    if (status != SNPY_OK) return;
    check_members(archive, 0, snpy_archive_count(archive), limit, about);
    snpy_archive_close(&archive);
}

verdict *check_opened(snpy_archive *archive, size_t first, size_t stop, const limits *limit)
{
    verdict *about = calloc(1, sizeof *about);
    if (about == NULL) return NULL;
    about->is_archive = about->is_known = true;
    if (stop > snpy_archive_count(archive)) stop = snpy_archive_count(archive);
    for (size_t i = first; i < stop; i++)
        if (snpy_archive_check_local(archive, i, &about->error) != SNPY_OK) return about;
    check_members(archive, first, stop, limit, about);
    return about;
}

/* --- files --- */

/* Ends the verdict about an NPY file whose header was read; `size` 0: not known. */
static void check_header(const snpy_array *array, snpy_status status, uint64_t size, const limits *limit,
                         verdict *about)
{
    about->is_known = status != SNPY_BAD_MAGIC && status != SNPY_IO_ERROR && status != SNPY_TRUNCATED_PREFIX;
    if (status == SNPY_OBJECT_DATA && limit->objects) {
        refuse(about, SNPY_OK, 0);
        status = SNPY_OK;
    }
    if (status == SNPY_OK) note_header(about, NULL, &array->header, array->text, size);
}

static void check_descriptor(int descriptor, const limits *limit, verdict *about)
{
    snpy_load_options how = {.size = sizeof(snpy_load_options),
                             .limits = &limit->header,
                             .no_trailing = !limit->trailing,
                             .header_only = true};
    snpy_array array;
    struct stat state;
    uint8_t bytes[SNPY_LOOK_BYTES];
    snpy_status status = snpy_load_descriptor(descriptor, &how, &array, &about->error);
    const ssize_t got = status == SNPY_BAD_MAGIC ? pread(descriptor, bytes, sizeof bytes, 0) : 0;
    if (got > 0 && is_archive(bytes, (size_t)got) && lseek(descriptor, 0, SEEK_SET) == 0) {
        snpy_archive *archive;
        snpy_array_release(&array);
        status = snpy_archive_open_descriptor(descriptor, &limit->archive, &archive, &about->error);
        check_archive(archive, status, limit, about);
        return;
    }
    if (got > 0) look_at(about, bytes, (size_t)got);
    bool knows_size = fstat(descriptor, &state) == 0 && S_ISREG(state.st_mode);
    check_header(&array, status, knows_size ? (uint64_t)state.st_size : 0, limit, about);
    snpy_array_release(&array);
}

enum { FIRST_READ = 4096, FEW_FIELDS = 32 };

/* Accepts a file whose header is short and in order, with one read; false: somebody else must look. A file that ends
 * within that read, where its data end, is not measured: a system call of four. */
static bool accept_quickly(int descriptor, const limits *limit, verdict *about)
{
    uint8_t bytes[FIRST_READ];
    snpy_field fields[FEW_FIELDS];
    int32_t dims[FEW_FIELDS];
    snpy_table table = {.fields = fields, .field_capacity = FEW_FIELDS, .dims = dims, .dim_capacity = FEW_FIELDS};
    snpy_header header;
    snpy_error error;
    struct stat state;
    const ssize_t got = pread(descriptor, bytes, sizeof bytes, 0);
    if (got < (ssize_t)SNPY_MAX_PREFIX) return false;
    if (snpy_parse_header(bytes, (size_t)got, &limit->header, &table, &header, &error) != SNPY_OK || header.has_object)
        return false;
    uint64_t size = (uint64_t)got;
    const bool ends_here = got < FIRST_READ && size - header.frame.data_offset == header.data_size;
    if (!ends_here || !limit->trailing) {
        if (fstat(descriptor, &state) != 0 || !S_ISREG(state.st_mode) || got > state.st_size) return false;
        size = (uint64_t)state.st_size;
    }
    if (snpy_check_data(&header, size, limit->trailing, &error) != SNPY_OK) return false;
    about->is_known = true;
    note_header(about, NULL, &header, bytes + header.frame.text_offset, size);
    return true;
}

static void check_path(const char *path, const limits *limit, verdict *about)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) {
        about->error.system_error = errno;
        refuse(about, SNPY_IO_ERROR, 0);
        return;
    }
    if (!accept_quickly(descriptor, limit, about)) check_descriptor(descriptor, limit, about);
    close(descriptor);
}

/* --- to Python --- */

static PyObject *lines(const char *text, size_t size)
{
    PyObject *list = PyList_New(0);
    for (const char *at = text; list != NULL && at != NULL && at < text + size;) {
        const char *stop = memchr(at, '\n', (size_t)(text + size - at));
        PyObject *one = PyUnicode_DecodeUTF8(at, stop - at, "surrogateescape");
        if (one == NULL || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
        at = stop + 1;
    }
    return list;
}

PyObject *verdict_tuple(verdict *about)
{
    const char *format = !about->is_known ? NULL : about->is_archive ? "npz" : "npy";
    PyObject *notes = about->notes_size > 0 ? lines(about->notes, about->notes_size) : Py_NewRef(Py_None);
    PyObject *member =
        about->error.member[0] == '\0'
            ? Py_NewRef(Py_None)
            : PyUnicode_DecodeUTF8(about->error.member, (Py_ssize_t)strlen(about->error.member), "surrogateescape");
    free(about->notes);
    about->notes = NULL;
    if (notes != NULL && member != NULL)
        return Py_BuildValue("(iKiNzNi)", (int)about->error.error.status, (unsigned long long)about->error.error.offset,
                             about->error.system_error, member, format, notes, (int)about->look);
    Py_XDECREF(notes);
    Py_XDECREF(member);
    return NULL;
}

enum { MILLISECONDS = 100 }; /* that a call of check_paths goes on before it returns what it has */

/* Checks files until it has been at work for MILLISECONDS; the number of those that are checked, at least one. */
static Py_ssize_t check_some(const char **names, Py_ssize_t n, const limits *limit, verdict *verdicts)
{
    struct timespec began, now;
    Py_ssize_t done = 0;
    (void)clock_gettime(CLOCK_MONOTONIC, &began);
    do {
        check_path(names[done], limit, &verdicts[done]);
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        done++;
    } while (done < n && (now.tv_sec - began.tv_sec) * 1000 + (now.tv_nsec - began.tv_nsec) / 1000000 < MILLISECONDS);
    return done;
}

/* check_paths([path, …], limits) -> [tuple, …]: one call without the GIL. It ends after the file at which time is up: of
 * large files, there are fewer verdicts than paths. */
PyObject *core_check_paths(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    limits limit;
    PyObject *result = NULL;
    (void)module;
    if (!takes("check_paths", count, 2) || !limits_from(arguments[1], &limit)) return NULL;
    if (!PyList_Check(arguments[0])) {
        PyErr_SetString(PyExc_TypeError, "check_paths needs a list");
        return NULL;
    }
    Py_ssize_t n = PyList_Size(arguments[0]);
    verdict *verdicts = calloc((size_t)n + 1, sizeof *verdicts);
    const char **names = calloc((size_t)n + 1, sizeof *names);
    PyObject *held = PyList_New(0);
    if (verdicts == NULL || names == NULL || held == NULL) goto done;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *bytes = path_bytes(PyList_GetItem(arguments[0], i));
        if (bytes == NULL || PyList_Append(held, bytes) != 0) {
            Py_XDECREF(bytes);
            goto done;
        }
        names[i] = PyBytes_AsString(bytes);
        Py_DECREF(bytes); /* the list holds it */
    }
    Py_BEGIN_ALLOW_THREADS;
    if (n > 0) n = check_some(names, n, &limit, verdicts);
    Py_END_ALLOW_THREADS;
    result = PyList_New(0);
    for (Py_ssize_t i = 0; i < n; i++) {
        while (verdicts[i].error.system_error == EINTR) { /* opening a FIFO: PEP 475 */
            if (PyErr_CheckSignals() != 0) {
                Py_CLEAR(result);
                goto done;
            }
            memset(&verdicts[i], 0, sizeof verdicts[i]);
            Py_BEGIN_ALLOW_THREADS;
            check_path(names[i], &limit, &verdicts[i]);
            Py_END_ALLOW_THREADS;
        }
        PyObject *one = verdict_tuple(&verdicts[i]);
        if (result != NULL && (one == NULL || PyList_Append(result, one) != 0)) Py_CLEAR(result);
        Py_XDECREF(one);
    }
done:
    for (Py_ssize_t i = 0; i < n && verdicts != NULL; i++) free(verdicts[i].notes);
    free(verdicts);
    free(names);
    Py_XDECREF(held);
    return result != NULL || PyErr_Occurred() ? result : PyErr_NoMemory();
}

/* check_head(buffer, size, limits) -> tuple: an NPY file of `size` bytes, more than the buffer, which ends after the header or
 * later. Raises what the header breaks. */
PyObject *core_check_head(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    limits limit;
    Py_buffer buffer;
    verdict about = {.is_known = true};
    (void)module;
    if (!takes("check_head", count, 3) || !limits_from(arguments[2], &limit)) return NULL;
    const unsigned long long size = PyLong_AsUnsignedLongLong(arguments[1]);
    if (PyErr_Occurred() || PyObject_GetBuffer(arguments[0], &buffer, PyBUF_SIMPLE) != 0) return NULL;
    PyObject *parsed = header_parse(buffer.buf, (size_t)buffer.len, &limit.header, NULL);
    if (parsed != NULL) {
        const snpy_header *header = &((header_object *)parsed)->header;
        snpy_error *error = &about.error.error;
        if (snpy_check_data(header, size, limit.trailing, error) == SNPY_OK && header->has_object && !limit.objects)
            refuse(&about, SNPY_OBJECT_DATA, header->frame.data_offset);
        if (error->status == SNPY_OK)
            note_header(&about, NULL, header, (const uint8_t *)buffer.buf + header->frame.text_offset, size);
        Py_DECREF(parsed);
    }
    PyBuffer_Release(&buffer);
    return parsed != NULL ? verdict_tuple(&about) : NULL;
}

/* check_bytes(buffer, limits) -> tuple */
PyObject *core_check_bytes(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    limits limit;
    Py_buffer buffer;
    verdict about;
    (void)module;
    if (!takes("check_bytes", count, 2) || !limits_from(arguments[1], &limit)) return NULL;
    if (PyObject_GetBuffer(arguments[0], &buffer, PyBUF_SIMPLE) != 0) return NULL;
    memset(&about, 0, sizeof about);
    Py_BEGIN_ALLOW_THREADS;
    if (is_archive(buffer.buf, (size_t)buffer.len)) {
        snpy_archive *archive;
        snpy_status status =
            snpy_archive_open_memory(buffer.buf, (size_t)buffer.len, &limit.archive, &archive, &about.error);
        check_archive(archive, status, &limit, &about);
    } else {
        snpy_load_options how = {.size = sizeof(snpy_load_options),
                                 .limits = &limit.header,
                                 .no_trailing = !limit.trailing,
                                 .header_only = true};
        snpy_array array;
        snpy_status status = snpy_load_memory(buffer.buf, (size_t)buffer.len, &how, &array, &about.error);
        check_header(&array, status, (uint64_t)buffer.len, &limit, &about);
        if (status == SNPY_BAD_MAGIC) look_at(&about, buffer.buf, (size_t)buffer.len);
        snpy_array_release(&array);
    }
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&buffer);
    return verdict_tuple(&about);
}
