/* header.c: the type Header: what a header says, with sizes, and its table of fields.
 * Leaves how NumPy spells a dtype to safenpy/_dtype.py. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *header_type;
static PyObject *dtypes;     /* of simple types, by their text */
static PyObject *make_dtype; /* safenpy._dtype.make */

/* --- making --- */

static void *copy_of(const void *bytes, size_t size)
{
    void *copy = malloc(size > 0 ? size : 1);
    if (copy != NULL && size > 0) memcpy(copy, bytes, size);
    return copy;
}

static bool is_record(const snpy_header *header)
{
    return header->dtype.kind == SNPY_KIND_RECORD;
}

static bool copy_table(const snpy_table *from, snpy_table *to)
{
    *to = *from;
    to->field_capacity = from->field_count;
    to->dim_capacity = from->dim_count;
    to->fields = copy_of(from->fields, from->field_count * sizeof *from->fields);
    to->dims = copy_of(from->dims, from->dim_count * sizeof *from->dims);
    if (to->fields != NULL && to->dims != NULL) return true;
    free(to->fields);
    free(to->dims);
    *to = (snpy_table){0};
    PyErr_NoMemory();
    return false;
}

static header_object *empty_header(void)
{
    return (header_object *)PyType_GenericAlloc(header_type, 0); /* all zero */
}

PyObject *header_new(const snpy_header *header, const snpy_table *table, const uint8_t *text)
{
    header_object *self = empty_header();
    if (self == NULL) return NULL;
    self->header = *header;
    if (!is_record(header)) return (PyObject *)self;
    self->text = copy_of(text, header->frame.header_len);
    if (self->text == NULL || !copy_table(table, &self->table)) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

enum { FEW_FIELDS = 64 };

PyObject *header_parse(const uint8_t *bytes, size_t length, const snpy_options *options, PyObject *path)
{
    snpy_field fields[FEW_FIELDS];
    int32_t dims[FEW_FIELDS];
    snpy_table table = {.fields = fields, .field_capacity = FEW_FIELDS, .dims = dims, .dim_capacity = FEW_FIELDS};
    snpy_table larger = {0};
    snpy_header header;
    snpy_io_error error;
    PyObject *result = NULL;

    snpy_status status = snpy_parse_header(bytes, length, options, &table, &header, &error.error);
    if (status == SNPY_TABLE_TOO_SMALL) {
        larger.field_capacity = table.field_count;
        larger.dim_capacity = table.dim_count;
        larger.fields = malloc((larger.field_capacity + 1) * sizeof *larger.fields);
        larger.dims = malloc((larger.dim_capacity + 1) * sizeof *larger.dims);
        if (larger.fields == NULL || larger.dims == NULL)
            status = SNPY_NO_MEMORY;
        else
            status = snpy_parse_header(bytes, length, options, &larger, &header, &error.error);
        table = larger;
    }
    if (status == SNPY_OK) {
        result = header_new(&header, &table, bytes + header.frame.text_offset);
    } else {
        error.member[0] = '\0';
        raise_status(status, &error, path);
    }
    free(larger.fields);
    free(larger.dims);
    return result;
}

static void header_free(PyObject *object)
{
    header_object *self = (header_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    free(self->table.fields);
    free(self->table.dims);
    free(self->text);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* --- describing --- */

bool header_describe(const header_object *self, snpy_description *description, snpy_table *scratch)
{
    if (!copy_table(&self->table, scratch)) return false;
    *description = (snpy_description){
        .header = &self->header,
        .table = scratch,
        .names = self->text,
        .names_length = self->text != NULL ? self->header.frame.header_len : 0,
        .encoding = self->header.frame.major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1,
        .version = SNPY_VERSION_AUTO,
    };
    return true;
}

static PyObject *descr_text(const header_object *self)
{
    snpy_description description;
    snpy_table scratch;
    snpy_io_error error = {.member = ""};
    uint64_t size = 0;
    PyObject *text = NULL;
    if (!header_describe(self, &description, &scratch)) return NULL;
    snpy_status status = snpy_write_descr(&description, 0, NULL, 0, &size, &error.error);
    if (status == SNPY_BUFFER_TOO_SMALL) {
        uint8_t *out = malloc((size_t)size);
        status =
            out == NULL ? SNPY_NO_MEMORY : snpy_write_descr(&description, 0, out, (size_t)size, &size, &error.error);
        if (status == SNPY_OK) text = PyUnicode_DecodeUTF8((char *)out, (Py_ssize_t)size, "surrogatepass");
        free(out);
    }
    if (text == NULL && !PyErr_Occurred()) raise_status(status, &error, NULL);
    free(scratch.fields);
    free(scratch.dims);
    return text;
}

static const char *const units[] = {"", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"};

/* The type string of a simple type: "<f8", "<M8[25s]". Returns its length. */
static int type_string(const snpy_dtype *dtype, char *out, size_t capacity)
{
    unsigned size = dtype->kind == SNPY_KIND_STRING ? dtype->itemsize / 4 : dtype->itemsize;
    if (dtype->kind == SNPY_KIND_OBJECT) return PyOS_snprintf(out, capacity, "|O");
    int length = PyOS_snprintf(out, capacity, "%c%c%u", dtype->byteorder, dtype->kind, size);
    if (dtype->unit <= 0 || (size_t)dtype->unit >= sizeof units / sizeof units[0]) return length;
    char multiplier[16] = "";
    if (dtype->multiplier != 1) PyOS_snprintf(multiplier, sizeof multiplier, "%u", (unsigned)dtype->multiplier);
    return length + PyOS_snprintf(out + length, capacity - (size_t)length, "[%s%s]", multiplier, units[dtype->unit]);
}

static PyObject *decoded(const header_object *self, uint32_t offset, uint32_t length)
{
    size_t capacity = 4 * (size_t)length + 1;
    uint8_t *out = malloc(capacity);
    uint64_t size = 0;
    size_t surrogates = 0;
    PyObject *text = NULL;
    if (out == NULL) return PyErr_NoMemory();
    snpy_status status = snpy_name_decode(self->text, self->header.frame.header_len, offset, length,
                                          self->header.frame.major == 3 ? SNPY_NAME_UTF8 : SNPY_NAME_LATIN1, out,
                                          capacity, &size, &surrogates);
    if (status == SNPY_OK)
        text = PyUnicode_DecodeUTF8((char *)out, (Py_ssize_t)size, "surrogatepass");
    else
        PyErr_SetString(PyExc_SystemError, "a name of a parsed header cannot be decoded");
    free(out);
    return text;
}

static PyObject *dimensions(const header_object *self, const snpy_field *field)
{
    if (field->shape_offset == 0) return Py_NewRef(Py_None);
    PyObject *shape = PyTuple_New(field->ndim);
    for (uint16_t i = 0; shape != NULL && i < field->ndim; i++) {
        PyObject *length = PyLong_FromLong(self->table.dims[field->first_dim + i]);
        if (length == NULL || PyTuple_SetItem(shape, i, length) != 0) Py_CLEAR(shape);
    }
    return shape;
}

/* One entry: (parent, name, title, offset, itemsize, type, shape, is_padding); name None: it has none. */
static PyObject *field_tuple(const header_object *self, const snpy_field *field)
{
    char type[64];
    type_string(&field->dtype, type, sizeof type);
    if (field->dtype.kind == SNPY_KIND_RECORD || field->dtype.kind == SNPY_KIND_SUBARRAY) {
        type[0] = (char)field->dtype.kind;
        type[1] = '\0';
    }
    PyObject *name = field->has_name ? decoded(self, field->name_offset, field->name_length) : Py_NewRef(Py_None);
    PyObject *title = field->has_title ? decoded(self, field->title_offset, field->title_length) : Py_NewRef(Py_None);
    PyObject *shape = dimensions(self, field);
    if (name == NULL || title == NULL || shape == NULL) {
        Py_XDECREF(name);
        Py_XDECREF(title);
        Py_XDECREF(shape);
        return NULL;
    }
    return Py_BuildValue("(INNLKsNO)", field->parent, name, title, (long long)field->offset,
                         (unsigned long long)field->itemsize, type, shape, field->is_padding ? Py_True : Py_False);
}

static PyObject *get_fields(PyObject *object, void *closure)
{
    header_object *self = (header_object *)object;
    (void)closure;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < self->table.field_count; i++) {
        PyObject *one = field_tuple(self, &self->table.fields[i]);
        if (one == NULL || PyList_Append(list, one) != 0) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *get_descr(PyObject *object, void *closure)
{
    header_object *self = (header_object *)object;
    char text[64];
    (void)closure;
    if (is_record(&self->header)) return descr_text(self);
    int length = type_string(&self->header.dtype, text, sizeof text);
    return PyUnicode_FromStringAndSize(text, length);
}

/* The dtype; a simple one from the cache where it is there. Records have none: whoever sets the names of a record's dtype,
 * which NumPy allows, would set them for all. */
static PyObject *get_dtype(PyObject *object, void *closure)
{
    PyObject *key = get_descr(object, closure);
    if (key == NULL) return NULL;
    const bool is_simple = !is_record(&((header_object *)object)->header);
    PyObject *dtype = is_simple ? PyDict_GetItemWithError(dtypes, key) : NULL;
    if (dtype != NULL) {
        Py_INCREF(dtype);
    } else if (!PyErr_Occurred()) {
        dtype = PyObject_CallFunctionObjArgs(make_dtype, object, key, NULL);
        if (dtype != NULL && PyDict_Size(dtypes) >= 1024) PyDict_Clear(dtypes);
        if (dtype != NULL && is_simple && PyDict_SetItem(dtypes, key, dtype) != 0) Py_CLEAR(dtype);
    }
    Py_DECREF(key);
    return dtype;
}

static PyObject *get_shape(PyObject *object, void *closure)
{
    const snpy_header *header = &((header_object *)object)->header;
    (void)closure;
    PyObject *shape = PyTuple_New((Py_ssize_t)header->ndim);
    for (uint32_t i = 0; shape != NULL && i < header->ndim; i++) {
        PyObject *length = PyLong_FromUnsignedLongLong(header->shape[i]);
        if (length == NULL || PyTuple_SetItem(shape, (Py_ssize_t)i, length) != 0) Py_CLEAR(shape);
    }
    return shape;
}

static PyObject *get_fortran_order(PyObject *object, void *closure)
{
    (void)closure;
    return PyBool_FromLong(((header_object *)object)->header.fortran_order);
}

static PyObject *get_order(PyObject *object, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(((header_object *)object)->header.fortran_order ? "F" : "C");
}

static PyObject *get_version(PyObject *object, void *closure)
{
    const snpy_frame *frame = &((header_object *)object)->header.frame;
    (void)closure;
    return Py_BuildValue("(ii)", frame->major, frame->minor);
}

static PyObject *get_has_object(PyObject *object, void *closure)
{
    (void)closure;
    return PyBool_FromLong(((header_object *)object)->header.has_object);
}

static PyObject *get_nbytes(PyObject *object, void *closure)
{
    const snpy_header *header = &((header_object *)object)->header;
    (void)closure;
    if (header->has_object) return Py_NewRef(Py_None);
    return PyLong_FromUnsignedLongLong(header->data_size);
}

static PyObject *get_size(PyObject *object, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLongLong(((header_object *)object)->header.count);
}

static PyObject *get_itemsize(PyObject *object, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLong(((header_object *)object)->header.dtype.itemsize);
}

static PyObject *get_offset(PyObject *object, void *closure)
{
    (void)closure;
    return PyLong_FromUnsignedLongLong(((header_object *)object)->header.frame.data_offset);
}

const char *header_format(const snpy_header *header, char *out)
{
    const snpy_dtype *dtype = &header->dtype;
    static const char signs[] = "?1b1h2i4q8", unsigned_signs[] = "B1H2I4Q8", floats[] = "e2f4d8";
    const char *pairs = dtype->kind == SNPY_KIND_UINT    ? unsigned_signs
                        : dtype->kind == SNPY_KIND_FLOAT ? floats
                                                         : signs + 2;
    const char *order = dtype->byteorder == '>' ? ">" : "";
    if (dtype->kind == SNPY_KIND_BOOL) return "?";
    if (dtype->kind == SNPY_KIND_INT || dtype->kind == SNPY_KIND_UINT || dtype->kind == SNPY_KIND_FLOAT)
        for (const char *pair = pairs; pair[0] != '\0'; pair += 2)
            if ((unsigned)(pair[1] - '0') == dtype->itemsize) {
                PyOS_snprintf(out, 32, "%s%c", order, pair[0]);
                return out;
            }
    if (dtype->kind == SNPY_KIND_COMPLEX && (dtype->itemsize == 8 || dtype->itemsize == 16)) {
        PyOS_snprintf(out, 32, "%sZ%c", order, dtype->itemsize == 8 ? 'f' : 'd');
        return out;
    }
    if (dtype->kind == SNPY_KIND_STRING)
        PyOS_snprintf(out, 32, "%s%uw", order, (unsigned)dtype->itemsize / 4);
    else
        PyOS_snprintf(out, 32, "%us", (unsigned)dtype->itemsize);
    return out;
}

static PyObject *header_repr(PyObject *object)
{
    PyObject *descr = get_descr(object, NULL);
    PyObject *shape = get_shape(object, NULL);
    PyObject *text = NULL;
    const snpy_header *header = &((header_object *)object)->header;
    if (descr != NULL && shape != NULL)
        text = PyUnicode_FromFormat("<Header %U %R order='%c' version=%d.%d data at byte %llu>", descr, shape,
                                    header->fortran_order ? 'F' : 'C', (int)header->frame.major,
                                    (int)header->frame.minor, (unsigned long long)header->frame.data_offset);
    Py_XDECREF(descr);
    Py_XDECREF(shape);
    return text;
}

static PyGetSetDef header_attributes[] = {
    {"dtype", get_dtype, NULL, "numpy.dtype, as NumPy makes it of this header; without NumPy a DType.", NULL},
    {"descr", get_descr, NULL, "The type as numpy.save would write it.", NULL},
    {"shape", get_shape, NULL, "Elements along each axis.", NULL},
    {"fortran_order", get_fortran_order, NULL, "Whether the first index varies fastest.", NULL},
    {"order", get_order, NULL, "'C' or 'F'.", NULL},
    {"version", get_version, NULL, "Of the format: (1, 0), (2, 0) or (3, 0).", NULL},
    {"has_object", get_has_object, NULL, "Whether the elements are Python objects: the data are a pickle.", NULL},
    {"nbytes", get_nbytes, NULL, "Bytes of the data; None for objects.", NULL},
    {"size", get_size, NULL, "Elements.", NULL},
    {"itemsize", get_itemsize, NULL, "Bytes of one element.", NULL},
    {"data_offset", get_offset, NULL, "Bytes before the data.", NULL},
    {"_fields", get_fields, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot header_slots[] = {
    {Py_tp_dealloc, header_free},
    {Py_tp_repr, header_repr},
    {Py_tp_getset, header_attributes},
    {Py_tp_doc, "What the header of an NPY file says. Made by header(), Archive.header() and check()."},
    {0, NULL},
};

static PyType_Spec header_spec = {"safenpy._core.Header", sizeof(header_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
                                  header_slots};

static PyObject *set_make_dtype(PyObject *module, PyObject *callable)
{
    (void)module;
    PyObject *old = make_dtype;
    make_dtype = Py_NewRef(callable);
    Py_XDECREF(old);
    PyDict_Clear(dtypes);
    return Py_NewRef(Py_None);
}

static PyMethodDef set_make_dtype_method = {"_set_make_dtype", set_make_dtype, METH_O, NULL};

bool header_ready(PyObject *module)
{
    dtypes = PyDict_New();
    header_type = (PyTypeObject *)PyType_FromSpec(&header_spec);
    if (dtypes == NULL || header_type == NULL) return false;
    PyObject *hook = PyCFunction_New(&set_make_dtype_method, NULL);
    return hook != NULL && PyModule_AddObject(module, "_set_make_dtype", hook) == 0 &&
           PyModule_AddObjectRef(module, "Header", (PyObject *)header_type) == 0;
}
