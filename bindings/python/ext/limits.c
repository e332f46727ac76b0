/* limits.c: limits from a tuple that safenpy._limits makes. */
#include "core.h"

#include <string.h>

enum { NUMBERS = 9, SWITCHES = 5, LIMITS = NUMBERS + SWITCHES + 2 };

/* Sets the switches of a struct of bools from the bits of a mask, the first one from the lowest. */
static void spread(unsigned long long mask, bool **switches, size_t count)
{
    for (size_t i = 0; i < count; i++) *switches[i] = (mask >> i & 1u) != 0;
}

static void spread_compat(unsigned long long mask, snpy_compat *compat)
{
    bool *switches[] = {&compat->int_fortran_order, &compat->numpy_bool,  &compat->numpy_int,     &compat->list_shape,
                        &compat->int_shape,         &compat->list_field,  &compat->metadata,      &compat->native_order,
                        &compat->type_names,        &compat->bytes_alias, &compat->platform_float};
    spread(mask, switches, sizeof switches / sizeof switches[0]);
}

static void spread_zip(unsigned long long mask, snpy_zip_options *zip)
{
    bool *switches[] = {&zip->prefix, &zip->trailing, &zip->gaps, &zip->unsigned_descriptor};
    spread(mask, switches, sizeof switches / sizeof switches[0]);
}

bool limits_from(PyObject *argument, limits *out)
{
    const snpy_options header = SNPY_OPTIONS_INIT;
    const snpy_archive_options archive = SNPY_ARCHIVE_OPTIONS_INIT;
    unsigned long long numbers[LIMITS];
    *out = (limits){header, SNPY_ZIP_OPTIONS_INIT, archive, true, true, true};
    out->archive.limits = &out->header;
    out->archive.zip = &out->zip;
    if (argument == Py_None) return true;
    if (!PyTuple_Check(argument) || PyTuple_Size(argument) != LIMITS) {
        PyErr_SetString(PyExc_TypeError, "limits must be a safenpy.Limits");
        return false;
    }
    for (Py_ssize_t i = 0; i < LIMITS; i++) {
        numbers[i] = PyLong_AsUnsignedLongLong(PyTuple_GetItem(argument, i));
        if (numbers[i] == (unsigned long long)-1 && PyErr_Occurred()) return false;
    }
    out->header.max_header_bytes = numbers[0];
    out->header.max_fields = numbers[1];
    out->header.max_ndim = numbers[2];
    out->header.max_depth = numbers[3];
    out->header.max_data_bytes = numbers[4];
    out->archive.max_member_bytes = numbers[5];
    out->archive.max_total_bytes = numbers[6];
    out->zip.max_members = numbers[7];
    out->archive.max_ratio = numbers[8];
    out->archive.strict_deflate = numbers[9] != 0;
    out->objects = numbers[10] != 0;
    out->trailing = numbers[11] != 0;
    out->non_arrays = numbers[12] != 0;
    out->archive.portable_names = numbers[13] == 0;
    spread_compat(numbers[14], &out->header.compat);
    spread_zip(numbers[15], &out->zip);
    return true;
}
