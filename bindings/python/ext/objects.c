/* objects.c: the values of pickles, and what pickles need.
 * The library decodes and checks; safenpy/_objects.py has what the globals stand for. */
#include "core.h"

#include "safenpy/object_data.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ARRAYS ((size_t)1000) /* in one another, as containers in NPY-PKL-024 */

/* --- values --- */

/* A pickle whose values are being made. Nodes ascend by the bytes of their opcodes: what a tuple or a call has comes before it. So one
 * pass makes each value; what may contain itself is filled in a second pass. Only states come after what they belong to. */
typedef struct builder {
    Py_buffer pickle;
    snpy_object_data *data;
    const snpy_node *nodes; /* also those that refer to others */
    PyObject **values;      /* by node; NULL: not made yet */
    PyObject *globals;      /* a tuple: what a global stands for, by snpy_role */
    PyObject *fill;         /* called with an array and a list of its elements */
    uint64_t base;          /* the byte of the file where the pickle begins */
    PyObject *path;         /* or NULL */
} builder;

static PyObject *make(builder *self, int32_t value);

/* NOLINTBEGIN(misc-no-recursion): only parts of states are made early, dtypes in one another 64 deep at most (NPY-PKL-019) */

/* Returns a value, borrowed, and makes it if it is part of a state that comes later. NULL with an exception. */
static PyObject *value_of(builder *self, int32_t value)
{
    if (self->values[value] == NULL) self->values[value] = make(self, value);
    return self->values[value];
}

static bool append_value(builder *self, PyObject *list, int32_t value)
{
    PyObject *made = value_of(self, value);
    return made != NULL && PyList_Append(list, made) == 0;
}

/* Appends the members of a value to a list; of dictionaries, keys and values. */
static bool append_members(builder *self, PyObject *list, int32_t value)
{
    snpy_object_members members = snpy_object_begin(self->data, value);
    for (int32_t member; (member = snpy_object_next(self->data, &members)) != 0;) {
        snpy_object_members pair = snpy_object_begin(self->data, member);
        if (members.is_pair && !append_value(self, list, snpy_object_next(self->data, &pair))) return false;
        if (!append_value(self, list, members.is_pair ? snpy_object_next(self->data, &pair) : member)) return false;
    }
    return true;
}

static PyObject *members_of(builder *self, int32_t value)
{
    PyObject *list = PyList_New(0);
    if (list != NULL && !append_members(self, list, value)) Py_CLEAR(list);
    return list;
}

/* Makes a tuple or frozenset of the members. */
static PyObject *converted(builder *self, int32_t value, PyObject *convert(PyObject *))
{
    PyObject *list = members_of(self, value);
    PyObject *made = list != NULL ? convert(list) : NULL;
    Py_XDECREF(list);
    return made;
}

/* Returns a member of a tuple, or a key or value of a dictionary; 0 if it has fewer. */
static int32_t part_of(const builder *self, int32_t value, unsigned place)
{
    snpy_object_members members = snpy_object_begin(self->data, value);
    while (place-- > 0) (void)snpy_object_next(self->data, &members);
    return snpy_object_next(self->data, &members);
}

static PyObject *refuse(const builder *self, const snpy_node *node, snpy_status status)
{
    const snpy_io_error error = {.error = {status, self->base + node->at}};
    return raise_status(status, &error, self->path);
}

/* Whether a value is an array of objects. */
static bool has_objects(const builder *self, int32_t value)
{
    const snpy_node *node = &self->nodes[value];
    if (node->kind != SNPY_NODE_CALL || node->state == 0) return false;
    if (node->role != SNPY_ROLE_RECONSTRUCT && node->role != SNPY_ROLE_MARECONSTRUCT) return false;
    return self->nodes[part_of(self, snpy_object_state(self->data, value), 4)].kind == SNPY_NODE_LIST;
}

/* --- arrays in arrays --- */

/* A value whose members are looked at. */
struct level {
    int32_t value;
    int32_t fill_value; /* of a masked array, which comes before the members; 0: none, or no more */
    snpy_object_members members;
};

static struct level level_of(const builder *self, int32_t value)
{
    struct level level = {value, 0, snpy_object_begin(self->data, value)};
    if (self->nodes[value].role == SNPY_ROLE_MARECONSTRUCT && has_objects(self, value))
        level.fill_value = part_of(self, snpy_object_state(self->data, value), 6);
    return level;
}

static int32_t next_of(const builder *self, struct level *level)
{
    const int32_t fill_value = level->fill_value;
    level->fill_value = 0;
    return fill_value != 0 ? fill_value : snpy_object_next(self->data, &level->members);
}

/* Whether at most MOST_ARRAYS arrays of objects are in one another on any path from a value. heights[] has how many are on the longest
 * path from each, and 1; 0: not known yet. */
static bool measure(const builder *self, int32_t value, uint16_t *heights, struct level *stack)
{
    size_t depth = 1;
    size_t arrays = has_objects(self, value); /* on the stack */
    stack[0] = level_of(self, value);
    heights[value] = (uint16_t)(1 + arrays);
    while (depth > 0) {
        struct level *top = &stack[depth - 1];
        int32_t member = next_of(self, top);
        if (member == 0) {
            arrays -= has_objects(self, top->value);
            if (--depth == 0) break;
            member = top->value;
            top--;
        } else if (self->nodes[member].kind >= SNPY_NODE_TUPLE && heights[member] == 0) {
            heights[member] = (uint16_t)(1 + has_objects(self, member));
            arrays += has_objects(self, member);
            stack[depth++] = level_of(self, member);
            continue;
        }
        if (arrays + heights[member] > MOST_ARRAYS + 1) return false;
        const uint16_t height = (uint16_t)(heights[member] + has_objects(self, top->value));
        if (heights[top->value] < height) heights[top->value] = height;
    }
    return true;
}

/* Refuses arrays of objects in one another that are too many: NumPy frees them by recursion. NPY-PKL-024 counts containers along the
 * first path to each, which may be shorter. */
static bool limit_arrays(const builder *self, size_t count)
{
    size_t arrays = 0;
    for (size_t i = 0; i < count; i++) arrays += has_objects(self, (int32_t)i);
    if (arrays <= MOST_ARRAYS) return true;
    uint16_t *heights = calloc(count, sizeof *heights);
    struct level *stack = malloc(count * sizeof *stack);
    bool is_good = heights != NULL && stack != NULL;
    if (!is_good) PyErr_NoMemory();
    for (size_t i = 0; is_good && i < count; i++) {
        if (heights[i] != 0 || !has_objects(self, (int32_t)i)) continue;
        is_good = measure(self, (int32_t)i, heights, stack);
        if (!is_good) (void)refuse(self, &self->nodes[i], SNPY_PKL_TOO_DEEP);
    }
    free(heights);
    free(stack);
    return is_good;
}

/* --- leaves --- */

static PyObject *bytes_of(const builder *self, int32_t value)
{
    const uint64_t size = snpy_object_text(self->data, value, NULL, 0);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes != NULL) (void)snpy_object_text(self->data, value, (uint8_t *)PyBytes_AsString(bytes), size);
    return bytes;
}

static PyObject *bytearray_of(const builder *self, int32_t value)
{
    const uint64_t size = snpy_object_text(self->data, value, NULL, 0);
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes != NULL) (void)snpy_object_text(self->data, value, (uint8_t *)PyByteArray_AsString(bytes), size);
    return bytes;
}

/* Makes a str. Only that of the opcode UNICODE has escapes. */
static PyObject *text_of(const builder *self, int32_t value, const snpy_node *node)
{
    const char *pickle = self->pickle.buf;
    if (pickle[node->at] != 'V')
        return PyUnicode_DecodeUTF8(pickle + node->start, (Py_ssize_t)node->size, "surrogatepass");
    PyObject *bytes = bytes_of(self, value);
    PyObject *text = bytes != NULL ? PyUnicode_FromEncodedObject(bytes, "utf-8", "surrogatepass") : NULL;
    Py_XDECREF(bytes);
    return text;
}

/* Makes a str of a string of Python 2, or bytes if it is not ASCII: then it is the data of something. */
static PyObject *raw_of(const builder *self, int32_t value)
{
    PyObject *bytes = bytes_of(self, value);
    PyObject *text = bytes != NULL ? PyUnicode_FromEncodedObject(bytes, "ascii", "strict") : NULL;
    if (text == NULL && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
        PyErr_Clear();
        return bytes;
    }
    Py_XDECREF(bytes);
    return text;
}

/* Makes an int of any size. Python converts 4,300 decimal digits at most, as many as text may have, but more bytes. */
static PyObject *int_of(const builder *self, int32_t value, const snpy_node *node)
{
    const char *pickle = self->pickle.buf;
    int64_t number = 0;
    if (snpy_object_int(self->data, value, &number) == SNPY_OK) return PyLong_FromLongLong(number);
    if (pickle[node->at] == 'I' || pickle[node->at] == 'L') {
        char digits[SNPY_OBJECT_DIGITS + 1];
        digits[snpy_object_digits(self->data, value, digits)] = '\0';
        return PyLong_FromString(digits, NULL, 10);
    }
    PyObject *convert = PyObject_GetAttrString((PyObject *)&PyLong_Type, "from_bytes");
    PyObject *bytes = PyBytes_FromStringAndSize(pickle + node->start, (Py_ssize_t)node->size);
    PyObject *arguments = bytes != NULL ? Py_BuildValue("(Ns)", bytes, "little") : NULL;
    PyObject *options = Py_BuildValue("{sO}", "signed", Py_True);
    PyObject *made = NULL;
    if (convert != NULL && arguments != NULL && options != NULL) made = PyObject_Call(convert, arguments, options);
    Py_XDECREF(convert);
    Py_XDECREF(arguments);
    Py_XDECREF(options);
    return made;
}

/* --- calls --- */

/* Returns what the global of a call stands for. */
static PyObject *called(const builder *self, const snpy_node *node)
{
    return PyTuple_GetItem(self->globals, node->role);
}

static bool is_leaf(const builder *self, int32_t value)
{
    const int32_t kind = snpy_object_node(self->data, value)->kind;
    return kind >= SNPY_NODE_NONE && kind <= SNPY_NODE_BYTES;
}

/* Finds the value of a word in the dictionary of a struct_time or UUID, which has at most two; it may have grown since. Borrowed; None
 * if there is none; NULL with an exception. */
static PyObject *find(builder *self, int32_t dictionary, const char *word)
{
    for (unsigned place = 0; place < 4; place += 2) {
        const int32_t key = part_of(self, dictionary, place);
        const int32_t value = part_of(self, dictionary, place + 1);
        PyObject *text = is_leaf(self, key) && is_leaf(self, value) ? value_of(self, key) : Py_None;
        if (text == NULL) return NULL;
        if (PyUnicode_Check(text) && PyUnicode_CompareWithASCIIString(text, word) == 0) return value_of(self, value);
    }
    return Py_None;
}

/* Makes a struct_time or UUID of two words of a dictionary. */
static PyObject *from_words(builder *self, const snpy_node *node, int32_t dictionary, const char *words[2],
                            PyObject *first)
{
    PyObject *one = find(self, dictionary, words[0]);
    PyObject *two = find(self, dictionary, words[1]);
    if (one == NULL || two == NULL || first == NULL) return NULL;
    return PyObject_CallFunctionObjArgs(called(self, node), first, one, two, NULL);
}

/* Makes a list of the fields of a record, (dtype, offset) or (dtype, offset, title), in the order of their names. The dictionary has
 * a key for each name and each title, and perhaps others that were added later. */
static PyObject *fields_of(builder *self, PyObject *names, int32_t dictionary)
{
    const Py_ssize_t count = PyTuple_Size(names);
    snpy_object_members members = snpy_object_begin(self->data, dictionary);
    PyObject *known = PyDict_New();
    PyObject *list = PyList_New(0);
    bool is_good = known != NULL && list != NULL;
    for (Py_ssize_t i = 0; is_good && i < 2 * count; i++) {
        const int32_t key = snpy_object_next(self->data, &members);
        PyObject *field = PyLong_FromLong(snpy_object_next(self->data, &members));
        PyObject *name = is_leaf(self, key) ? value_of(self, key) : Py_None;
        is_good = field != NULL && name != NULL && PyDict_SetItem(known, name, field) == 0;
        Py_XDECREF(field);
    }
    for (Py_ssize_t i = 0; is_good && i < count; i++) {
        PyObject *field = PyDict_GetItemWithError(known, PyTuple_GetItem(names, i));
        is_good = field != NULL && append_value(self, list, (int32_t)PyLong_AsLong(field));
    }
    Py_XDECREF(known);
    if (!is_good) Py_CLEAR(list);
    return list;
}

/* Makes a dtype: of its type string or numpy.record, its state, and the fields of a record. */
static PyObject *dtype_of(builder *self, int32_t value, const snpy_node *node)
{
    const int32_t state = snpy_object_state(self->data, value);
    PyObject *name = value_of(self, part_of(self, snpy_object_arguments(self->data, value), 0));
    PyObject *parts = name != NULL ? value_of(self, state) : NULL;
    PyObject *names = parts != NULL ? PyTuple_GetItem(parts, 3) : NULL;
    if (names == NULL) return NULL;
    PyObject *fields = PyTuple_Check(names) ? fields_of(self, names, part_of(self, state, 4)) : Py_NewRef(Py_None);
    PyObject *made =
        fields != NULL ? PyObject_CallFunctionObjArgs(called(self, node), name, parts, fields, NULL) : NULL;
    Py_XDECREF(fields);
    return made;
}

/* Notes that no value need be made of the data in a state, unless something else has them, too. */
static void skip_data(builder *self, int32_t state)
{
    const int32_t data = part_of(self, state, 4);
    const bool is_shared = snpy_object_is_shared(self->data, state) || snpy_object_is_shared(self->data, data);
    if (!is_shared && self->values[data] == NULL) self->values[data] = Py_NewRef(Py_None);
}

/* Makes an array of its class, shape, dtype, order, data and mask: bytes, or None. Objects come later. */
static PyObject *array_of(builder *self, int32_t value, const snpy_node *node)
{
    const int32_t state = snpy_object_state(self->data, value);
    const bool has_mask = node->role == SNPY_ROLE_MARECONSTRUCT;
    PyObject *class_ = value_of(self, part_of(self, snpy_object_arguments(self->data, value), 0));
    PyObject *shape = value_of(self, part_of(self, state, 1));
    PyObject *dtype = value_of(self, part_of(self, state, 2));
    PyObject *order = value_of(self, part_of(self, state, 3));
    if (class_ == NULL || shape == NULL || dtype == NULL || order == NULL) return NULL;
    PyObject *data = has_objects(self, value) ? Py_NewRef(Py_None) : bytearray_of(self, part_of(self, state, 4));
    PyObject *mask = has_mask ? bytearray_of(self, part_of(self, state, 5)) : Py_NewRef(Py_None);
    PyObject *made = NULL;
    if (data != NULL && mask != NULL)
        made = PyObject_CallFunctionObjArgs(called(self, node), class_, shape, dtype, order, data, mask, NULL);
    Py_XDECREF(data);
    Py_XDECREF(mask);
    skip_data(self, state);
    return made;
}

/* Makes the result of a call. Lists are still empty, and so are the sets and dictionaries that are made of them. */
static PyObject *result_of(builder *self, int32_t value, const snpy_node *node)
{
    static const char *time_words[2] = {"tm_zone", "tm_gmtoff"};
    static const char *uuid_words[2] = {"int", "is_safe"};
    const int32_t arguments = snpy_object_arguments(self->data, value);
    PyObject *tuple = value_of(self, arguments);
    if (tuple == NULL) return NULL;
    switch (node->role) {
    case SNPY_ROLE_ENCODE:
    case SNPY_ROLE_BYTES:
        return bytes_of(self, value);
    case SNPY_ROLE_BYTEARRAY:
        return bytearray_of(self, value);
    case SNPY_ROLE_FROZENSET:
        return converted(self, value, PyFrozenSet_New);
    case SNPY_ROLE_STRUCT_TIME:
        return from_words(self, node, part_of(self, arguments, 1), time_words, PyTuple_GetItem(tuple, 0));
    case SNPY_ROLE_UUID:
    case SNPY_ROLE_RECONSTRUCTOR:
        return from_words(self, node, snpy_object_state(self->data, value), uuid_words, Py_None);
    case SNPY_ROLE_DTYPE:
        return node->state != 0 ? dtype_of(self, value, node) : Py_NewRef(Py_None);
    case SNPY_ROLE_RECONSTRUCT:
    case SNPY_ROLE_MARECONSTRUCT:
        return node->state != 0 ? array_of(self, value, node) : Py_NewRef(Py_None);
    default:
        return PyObject_CallObject(called(self, node), tuple);
    }
}

static PyObject *make(builder *self, int32_t value)
{
    const snpy_node *node = &self->nodes[value];
    double number = 0;
    switch (node->kind) {
    case SNPY_NODE_FALSE:
    case SNPY_NODE_TRUE:
        return PyBool_FromLong(node->kind == SNPY_NODE_TRUE);
    case SNPY_NODE_INT:
        return int_of(self, value, node);
    case SNPY_NODE_FLOAT:
        (void)snpy_object_float(self->data, value, &number);
        return PyFloat_FromDouble(number);
    case SNPY_NODE_STR:
        return text_of(self, value, node);
    case SNPY_NODE_RAW:
        return raw_of(self, value);
    case SNPY_NODE_BYTES:
        return bytes_of(self, value);
    case SNPY_NODE_BYTEARRAY:
        return bytearray_of(self, value);
    case SNPY_NODE_TUPLE:
        return converted(self, value, PyList_AsTuple);
    case SNPY_NODE_LIST:
        return PyList_New(0);
    case SNPY_NODE_DICT:
        return PyDict_New();
    case SNPY_NODE_SET:
        return PySet_New(NULL);
    case SNPY_NODE_FROZENSET:
        return converted(self, value, PyFrozenSet_New);
    case SNPY_NODE_GLOBAL:
        return Py_XNewRef(called(self, node));
    case SNPY_NODE_CALL:
        return result_of(self, value, node);
    default:
        return Py_NewRef(Py_None); /* also for what is no value, and is in none */
    }
}

/* NOLINTEND(misc-no-recursion) */

/* --- filling --- */

/* Adds keys and values, of a list, to a dictionary. */
static bool add_pairs(PyObject *dictionary, PyObject *list)
{
    const Py_ssize_t count = PyList_Size(list);
    for (Py_ssize_t i = 0; i + 1 < count; i += 2)
        if (PyObject_SetItem(dictionary, PyList_GetItem(list, i), PyList_GetItem(list, i + 1)) != 0) return false;
    return true;
}

/* Fills a value that may contain itself. */
static bool fill(builder *self, int32_t value)
{
    const snpy_node *node = &self->nodes[value];
    PyObject *made = self->values[value];
    const bool is_set = node->kind == SNPY_NODE_SET || (node->kind == SNPY_NODE_CALL && node->role == SNPY_ROLE_SET);
    const bool is_objects = has_objects(self, value);
    if (node->kind == SNPY_NODE_LIST) return made == Py_None || append_members(self, made, value);
    if (!is_set && !is_objects && !snpy_object_is_dict(self->data, value)) return true;
    PyObject *list = members_of(self, value);
    PyObject *done = NULL;
    if (list != NULL && is_set)
        done = PyObject_CallMethod(made, "update", "(O)", list);
    else if (list != NULL && is_objects)
        done = PyObject_CallFunctionObjArgs(self->fill, made, list, NULL);
    else if (list != NULL && add_pairs(made, list))
        done = Py_NewRef(Py_None);
    Py_XDECREF(list);
    Py_XDECREF(done);
    return done != NULL;
}

/* Sets the fill value of a masked array, when all arrays have their elements. */
static bool set_fill_value(builder *self, int32_t value)
{
    const snpy_node *node = &self->nodes[value];
    if (node->kind != SNPY_NODE_CALL || node->role != SNPY_ROLE_MARECONSTRUCT || node->state == 0) return true;
    PyObject *fill_value = self->values[part_of(self, snpy_object_state(self->data, value), 6)];
    return fill_value == Py_None || PyObject_SetAttrString(self->values[value], "fill_value", fill_value) == 0;
}

static bool make_one(builder *self, int32_t value)
{
    return value_of(self, value) != NULL;
}

/* Refuses a node that Python or NumPy does not take, as an array of 40 dimensions. Other exceptions stay. */
static void convert_exception(const builder *self, const snpy_node *node)
{
    const bool is_array = node->role == SNPY_ROLE_RECONSTRUCT || node->role == SNPY_ROLE_MARECONSTRUCT ||
                          node->role == SNPY_ROLE_SCALAR || node->role == SNPY_ROLE_FROMBUFFER;
    if (PyErr_ExceptionMatches(refused_class)) return;
    if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_TypeError) &&
        !PyErr_ExceptionMatches(PyExc_ArithmeticError))
        return;
    PyErr_Clear();
    (void)refuse(self, node,
                 is_array                        ? SNPY_PKL_ARRAY
                 : node->role == SNPY_ROLE_DTYPE ? SNPY_PKL_DTYPE
                                                 : SNPY_PKL_CALL);
}

/* Makes the value of a decoded pickle. */
static PyObject *build(builder *self)
{
    bool (*const passes[])(builder *, int32_t) = {make_one, fill, set_fill_value};
    const size_t count = snpy_object_count(self->data);
    PyObject *root = NULL;
    self->nodes = snpy_object_node(self->data, 0); /* a mark, the first of the table */
    if (!limit_arrays(self, count)) return NULL;
    self->values = calloc(count, sizeof(void *));
    if (self->values == NULL) return PyErr_NoMemory();
    bool is_good = true;
    for (size_t pass = 0; is_good && pass < sizeof passes / sizeof passes[0]; pass++) {
        for (size_t i = 0; is_good && i < count; i++) {
            if (self->nodes[i].kind == SNPY_NODE_REF) continue;
            is_good = passes[pass](self, (int32_t)i);
            if (!is_good) convert_exception(self, &self->nodes[i]);
        }
    }
    if (is_good) root = Py_NewRef(self->values[snpy_object_root(self->data)]);
    for (size_t i = 0; i < count; i++) Py_XDECREF(self->values[i]);
    free(self->values);
    return root;
}

/* Decodes a pickle, and compares it with a header, unless that is None. */
static snpy_status decode(builder *self, snpy_set allowed, PyObject *header, snpy_io_error *error)
{
    snpy_status status = SNPY_PKL_TOO_MANY_BYTES;
    *error = (snpy_io_error){.error = {status, 0}};
    if ((uint64_t)self->pickle.len > SNPY_MAX_PICKLE) return status;
    Py_BEGIN_ALLOW_THREADS;
    status = snpy_object_data_open(self->pickle.buf, (size_t)self->pickle.len, allowed, &self->data, error);
    Py_END_ALLOW_THREADS;
    if (status != SNPY_OK || header == Py_None) return status;
    error->error.offset = 0;
    const header_object *about = (header_object *)header;
    snpy_array head = {.header = about->header, .table = about->table, .text = about->text};
    return snpy_object_data_match(self->data, &head);
}

/* decode_objects(data, allowed, base, path, header, globals, fill) -> the value of a pickle. A refusal counts bytes from `base`. */
PyObject *core_decode_objects(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    builder self = {.data = NULL};
    snpy_io_error error;
    PyObject *result = NULL;
    (void)module;
    if (!takes("decode_objects", count, 7)) return NULL;
    self.path = arguments[3] == Py_None ? NULL : arguments[3];
    const long allowed = PyLong_AsLong(arguments[1]);
    self.base = PyLong_AsUnsignedLongLong(arguments[2]);
    if (PyErr_Occurred()) return NULL;
    if ((arguments[4] != Py_None && Py_TYPE(arguments[4]) != header_type) || !PyTuple_Check(arguments[5])) {
        PyErr_SetString(PyExc_TypeError, "decode_objects needs a Header and a tuple");
        return NULL;
    }
    if (PyObject_GetBuffer(arguments[0], &self.pickle, PyBUF_SIMPLE) != 0) return NULL;
    self.globals = arguments[5];
    self.fill = arguments[6];
    const snpy_status status =
        decode(&self, allowed == SNPY_SET_DATA ? SNPY_SET_DATA : SNPY_SET_PLAIN, arguments[4], &error);
    error.error.offset += self.base;
    result = status == SNPY_OK ? build(&self) : raise_status(status, &error, self.path);
    snpy_object_data_close(&self.data);
    PyBuffer_Release(&self.pickle);
    return result;
}

/* --- values that are written --- */

/* Makes (header, pickle) of the array that a decoded pickle is. */
static PyObject *file_parts(builder *self, snpy_version_choice version, const snpy_pickle_form *form)
{
    snpy_array array;
    snpy_io_error error;
    snpy_description description;
    PyObject *head = NULL;
    PyObject *pickle = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    snpy_status status = snpy_object_array(self->data, snpy_object_root(self->data), &array, &error);
    if (status == SNPY_OK && !array.header.has_object) status = error.error.status = SNPY_WRONG_TYPE;
    if (status == SNPY_OK) {
        snpy_array_describe(&array, &description);
        description.version = version;
        status = write_head(&description, &head, &error.error);
        if (status == SNPY_WRITE_VERSION) {
            description.version = SNPY_VERSION_AUTO;
            status = write_head(&description, &head, &error.error);
        }
    }
    if (status == SNPY_OK && head != NULL) {
        Py_BEGIN_ALLOW_THREADS;
        status = snpy_object_data_write(self->data, form, &bytes, &size, &error);
        Py_END_ALLOW_THREADS;
        if (status == SNPY_OK) pickle = PyBytes_FromStringAndSize((char *)bytes, (Py_ssize_t)size);
    }
    snpy_object_bytes_free(&bytes);
    snpy_array_release(&array);
    error.error.offset += self->base;
    if (status != SNPY_OK) (void)raise_status(status, &error, self->path);
    if (pickle != NULL) return Py_BuildValue("(NN)", head, pickle);
    Py_XDECREF(head);
    return NULL;
}

/* Saves the array that a decoded pickle is. Returns None. */
static PyObject *save_values(builder *self, PyObject *target, snpy_version_choice version, const snpy_pickle_form *form)
{
    snpy_io_error error;
    snpy_status status;
    PyObject *bytes = path_bytes(target);
    if (bytes == NULL) return NULL;
    const char *name = PyBytes_AsString(bytes);
    Py_BEGIN_ALLOW_THREADS;
    status = snpy_object_data_save(name, self->data, version, form, &error);
    Py_END_ALLOW_THREADS;
    Py_DECREF(bytes);
    if (status == SNPY_OK) return Py_NewRef(Py_None);
    error.error.offset += self->base;
    return raise_status(status, &error, error.call != NULL ? target : self->path);
}

/* write_objects(target, data, allowed, base, path, header, protocol, is_numpy_2): decodes a pickle and saves its values in plain form
 * to a path; target None: returns (header, pickle). With a header, it must be that of the array, and its version stays. */
PyObject *core_write_objects(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    builder self = {.data = NULL};
    snpy_io_error error;
    PyObject *result = NULL;
    snpy_version_choice version = SNPY_VERSION_AUTO;
    (void)module;
    if (!takes("write_objects", count, 8)) return NULL;
    self.path = arguments[4] == Py_None ? NULL : arguments[4];
    const long allowed = PyLong_AsLong(arguments[2]);
    self.base = PyLong_AsUnsignedLongLong(arguments[3]);
    const unsigned long protocol = PyLong_AsUnsignedLong(arguments[6]);
    const int is_numpy_2 = PyObject_IsTrue(arguments[7]);
    if (PyErr_Occurred()) return NULL;
    if (arguments[5] != Py_None && Py_TYPE(arguments[5]) != header_type) {
        PyErr_SetString(PyExc_TypeError, "write_objects needs a Header");
        return NULL;
    }
    if (arguments[5] != Py_None) version = (snpy_version_choice)((header_object *)arguments[5])->header.frame.major;
    if (PyObject_GetBuffer(arguments[1], &self.pickle, PyBUF_SIMPLE) != 0) return NULL;
    const snpy_pickle_form form = {(uint32_t)protocol, is_numpy_2 != 0};
    const snpy_status status =
        decode(&self, allowed == SNPY_SET_DATA ? SNPY_SET_DATA : SNPY_SET_PLAIN, arguments[5], &error);
    error.error.offset += self.base;
    if (status != SNPY_OK)
        result = raise_status(status, &error, self.path);
    else if (arguments[0] == Py_None)
        result = file_parts(&self, version, &form);
    else
        result = save_values(&self, arguments[0], version, &form);
    snpy_object_data_close(&self.data);
    PyBuffer_Release(&self.pickle);
    return result;
}

/* --- what a pickle needs --- */

#define FIRST_ENTRIES ((uint64_t)1024)

/* A pickle that is scanned. */
typedef struct scanner {
    Py_buffer data;
    snpy_object_scan scan;
    snpy_error error;
} scanner;

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
static bool step(scanner *self, snpy_opcode *opcode)
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
static bool append_global(PyObject *list, const scanner *self, const snpy_opcode *opcode)
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
static bool count_opcodes(scanner *self, unsigned long long counts[256], uint64_t *set, PyObject *globals)
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
    scanner self = {.error = {SNPY_OK, 0}};
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
    free(self.scan.stack);
    free(self.scan.memo);
    PyBuffer_Release(&self.data);
    return result;
}
