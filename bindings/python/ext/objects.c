/* objects.c: pickles, decoded to a table of nodes, and what they need.
 * Leaves to safenpy/_objects.py what values the nodes are. */
#include "core.h"

#include "safenpy/object.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ENTRIES ((uint64_t)1024)
#define MOST_LOOKS ((uint64_t)10000000)
#define MOST_AGAIN ((uint64_t)1 << 30) // bytes besides those of the pickle

/* A pickle, and the memory for it. */
typedef struct decoder {
    Py_buffer data;
    snpy_object_scan scan;
    snpy_node_table table;
    snpy_object_keys keys;
    uint64_t seed;
    snpy_error error;
} decoder;

static void release_tables(decoder *self)
{
    free(self->scan.stack);
    free(self->scan.memo);
    free(self->table.nodes);
    free(self->keys.slots);
    memset(&self->scan, 0, sizeof self->scan);
    memset(&self->table, 0, sizeof self->table);
    memset(&self->keys, 0, sizeof self->keys);
}

/* A number that nobody can know who writes a pickle: Python's hash of a string has a random key. */
static uint64_t make_seed(const decoder *self)
{
    PyObject *text = PyUnicode_FromFormat("%p %p", (const void *)self, self->data.buf);
    const Py_hash_t hash = text != NULL ? PyObject_Hash(text) : 0;
    Py_XDECREF(text);
    PyErr_Clear(); // without memory there is no random number
    return (uint64_t)hash;
}

/* Decodes with tables of so many entries, and so many slots for keys. */
static void decode(decoder *self, snpy_set allowed, uint64_t entries, uint64_t slots)
{
    release_tables(self);
    self->scan.stack_capacity = self->scan.memo_capacity = self->table.capacity = entries;
    self->table.looks = MOST_LOOKS;
    self->table.bytes = 2 * (uint64_t)self->data.len + MOST_AGAIN;
    self->keys.capacity = slots;
    self->keys.seed = self->seed;
    self->scan.stack = malloc((size_t)entries * sizeof *self->scan.stack);
    self->scan.memo = calloc((size_t)entries, sizeof *self->scan.memo);
    self->table.nodes = malloc((size_t)entries * sizeof *self->table.nodes);
    self->keys.slots = calloc((size_t)slots, sizeof *self->keys.slots);
    self->error = (snpy_error){SNPY_NO_MEMORY, 0};
    if (self->scan.stack == NULL || self->scan.memo == NULL || self->table.nodes == NULL || self->keys.slots == NULL)
        return;
    (void)snpy_decode_objects(self->data.buf, (size_t)self->data.len, allowed, &self->scan, &self->table, &self->keys,
                              &self->error);
}

/* Whether half of the slots for keys are in use, which are then too few. Looks end before they are too many. */
static bool lacks_slots(const decoder *self)
{
    return self->keys.count >= self->keys.capacity / 2 && self->keys.capacity < 4 * MOST_LOOKS;
}

/* Decodes, with larger tables while they are too small: none needs more entries than the pickle has bytes, and one. */
static void decode_all(decoder *self, snpy_set allowed)
{
    const uint64_t length = (uint64_t)self->data.len;
    const uint64_t most = length < INT32_MAX ? length + 1 : INT32_MAX;
    uint64_t entries = FIRST_ENTRIES < most ? FIRST_ENTRIES : most;
    uint64_t slots = 2 * entries;
    decode(self, allowed, entries, slots);
    while (self->error.status == SNPY_PKL_TOO_MANY_NODES && (entries < most || lacks_slots(self))) {
        slots = lacks_slots(self) ? 4 * slots : slots;
        entries = entries < most / 4 ? 4 * entries : most;
        slots = slots < 2 * entries ? 2 * entries : slots;
        decode(self, allowed, entries, slots);
    }
}

/* (nodes, top), or NULL with the refusal. */
static PyObject *result_of(const decoder *self, uint64_t base, PyObject *path)
{
    snpy_io_error error = {.error = {self->error.status, base + self->error.offset}};
    if (self->error.status != SNPY_OK) return raise_status(self->error.status, &error, path == Py_None ? NULL : path);
    // N takes the bytes, and passes on that there are none. `y#` means another function from one version to the next.
    Py_ssize_t size = (Py_ssize_t)(self->table.count * sizeof *self->table.nodes);
    return Py_BuildValue("(NK)", PyBytes_FromStringAndSize((const char *)self->table.nodes, size),
                         (unsigned long long)self->table.top);
}

/* decode_objects(data, allowed, base, path) -> (nodes, top): the fields of each node as numbers of four bytes. A refusal
 * counts bytes from `base`. */
PyObject *core_decode_objects(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    decoder self = {.error = {SNPY_OK, 0}};
    PyObject *result = NULL;
    (void)module;
    if (!takes("decode_objects", count, 4)) return NULL;
    const long allowed = PyLong_AsLong(arguments[1]);
    const unsigned long long base = PyLong_AsUnsignedLongLong(arguments[2]);
    if (PyErr_Occurred() || PyObject_GetBuffer(arguments[0], &self.data, PyBUF_SIMPLE) != 0) return NULL;
    if ((uint64_t)self.data.len <= SNPY_MAX_PICKLE) {
        self.seed = make_seed(&self);
        PyThreadState *thread = PyEval_SaveThread();
        decode_all(&self, allowed == SNPY_SET_DATA ? SNPY_SET_DATA : SNPY_SET_PLAIN);
        PyEval_RestoreThread(thread);
        result = result_of(&self, base, arguments[3]);
    } else {
        PyErr_SetString(PyExc_OverflowError, "a pickle of 4 GiB or more");
    }
    release_tables(&self);
    PyBuffer_Release(&self.data);
    return result;
}

/* --- what a pickle needs --- */

/* Lengthens the tables of a scan, which are too small. Returns false if there is no memory. */
static bool lengthen(snpy_object_scan *scan)
{
    const uint64_t wanted = scan->stack_capacity < FIRST_ENTRIES ? FIRST_ENTRIES : 2 * scan->stack_capacity;
    uint32_t *stack = realloc(scan->stack, (size_t)wanted * sizeof *stack);
    if (stack != NULL) scan->stack = stack;
    uint32_t *memo = realloc(scan->memo, (size_t)wanted * sizeof *memo);
    if (memo != NULL) scan->memo = memo;
    if (stack == NULL || memo == NULL) return false;
    memset(scan->memo + scan->memo_capacity, 0, (size_t)(wanted - scan->memo_capacity) * sizeof *memo);
    scan->stack_capacity = scan->memo_capacity = wanted;
    return true;
}

/* Reads the next opcode; false with self->error if there is none that keeps the rules. */
static bool step(decoder *self, snpy_opcode *opcode)
{
    while (snpy_scan_opcode(self->data.buf, (size_t)self->data.len, &self->scan, opcode, &self->error) != SNPY_OK) {
        if (self->error.status != SNPY_PKL_TOO_MANY_NODES) return false;
        if (lengthen(&self->scan)) continue;
        self->error.status = SNPY_NO_MEMORY;
        return false;
    }
    return true;
}

/* Appends (offset, module, name, set) of a global to a list. */
static bool append_global(PyObject *list, const decoder *self, const snpy_opcode *opcode)
{
    const char *bytes = self->data.buf;
    PyObject *one =
        Py_BuildValue("(KNNK)", (unsigned long long)opcode->at,
                      PyUnicode_DecodeUTF8(bytes + opcode->module, (Py_ssize_t)opcode->module_size, "replace"),
                      PyUnicode_DecodeUTF8(bytes + opcode->name, (Py_ssize_t)opcode->name_size, "replace"),
                      (unsigned long long)opcode->set);
    const bool is_appended = one != NULL && PyList_Append(list, one) == 0;
    Py_XDECREF(one);
    return is_appended;
}

/* Counts the opcodes up to STOP, or the first that breaks a rule. Sets *set to the largest that one needs. Returns false with an exception. */
static bool count_opcodes(decoder *self, unsigned long long counts[256], uint64_t *set, PyObject *globals)
{
    snpy_opcode opcode = {.code = 0};
    while (opcode.code != '.' && step(self, &opcode)) {
        counts[opcode.code]++;
        if (opcode.set > *set) *set = opcode.set;
        const bool is_global = opcode.code == 'c' || opcode.code == 0x93;
        if (is_global && !append_global(globals, self, &opcode)) return false;
    }
    if (self->error.status == SNPY_NO_MEMORY) PyErr_NoMemory();
    return self->error.status != SNPY_NO_MEMORY;
}

/* scan_objects(data) -> (protocol, set, counts of the 256 opcodes, [(offset, module, name, set)], status, offset): what a pickle
 * needs of its reader. Nothing is decoded. */
PyObject *core_scan_objects(PyObject *module, PyObject *data)
{
    decoder self = {.error = {SNPY_OK, 0}};
    unsigned long long counts[256] = {0};
    uint64_t set = SNPY_SET_DATA;
    PyObject *result = NULL;
    (void)module;
    if (PyObject_GetBuffer(data, &self.data, PyBUF_SIMPLE) != 0) return NULL;
    PyObject *globals = PyList_New(0);
    PyObject *list = PyList_New(0);
    if ((uint64_t)self.data.len > SNPY_MAX_PICKLE) PyErr_SetString(PyExc_OverflowError, "a pickle of 4 GiB or more");
    bool is_good = globals != NULL && list != NULL && !PyErr_Occurred() && count_opcodes(&self, counts, &set, globals);
    for (size_t i = 0; is_good && i < 256; i++) {
        PyObject *number = PyLong_FromUnsignedLongLong(counts[i]);
        is_good = number != NULL && PyList_Append(list, number) == 0;
        Py_XDECREF(number);
    }
    if (is_good)
        result = Py_BuildValue("(KKOOiK)", (unsigned long long)self.scan.protocol, (unsigned long long)set, list,
                               globals, (int)self.error.status, (unsigned long long)self.error.offset);
    Py_XDECREF(list);
    Py_XDECREF(globals);
    release_tables(&self);
    PyBuffer_Release(&self.data);
    return result;
}
