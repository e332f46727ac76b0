"""What NumPy itself says about a file, in the words of the manifest's `expect`. Needs NumPy 1.19 or later."""

import io
import math

import numpy as np

try:
    from numpy.lib import _format_impl as npy
except ImportError:                      # before NumPy 2.3
    from numpy.lib import format as npy

NO_LIMIT = 2 ** 32
VERSION = tuple(int(part) for part in np.__version__.split(".")[:2])
# Before 1.23.5 there was no limit on the length of a header, and no way to lift it.
LIFTED = {"max_header_size": NO_LIMIT} if VERSION >= (1, 24) else {}


def levels(dtype):
    """(dimensions of all nested sub-array levels, outermost first; innermost base type)."""
    dims = []
    while dtype.subdtype is not None:
        dtype, shape = dtype.subdtype
        dims.extend(shape)
    return dims, dtype


def descr_text(dtype):
    """NumPy's text for a type: the bare type string, or the list of fields."""
    descr = npy.dtype_to_descr(dtype)
    return descr if isinstance(descr, str) else repr(descr)


def fields_of(dtype, path=(), start=0):
    """All fields of a record in pre-order, nested ones behind their parent."""
    found = []
    for name in dtype.names:
        entry = dtype.fields[name]
        field, offset = entry[0], start + entry[1]
        dims, base = levels(field)
        found.append({
            "name": name,
            "path": [*path, name],
            "descr": descr_text(base),
            "offset": offset,
            "itemsize": field.itemsize,
            "shape": dims,
            "title": entry[2] if len(entry) > 2 else None,
        })
        if base.names is not None:
            found.extend(fields_of(base, (*path, name), offset))
    return found


def expectation(version, dtype, shape, fortran_order, data_offset):
    """The manifest's `expect` for a header, without the digest of the elements."""
    count = math.prod(shape)
    expect = {
        "version": f"{version[0]}.{version[1]}",
        "descr": descr_text(dtype),
        "shape": list(shape),
        "fortran_order": fortran_order,
        "itemsize": dtype.itemsize,
        "count": count,
        "data_offset": data_offset,
        "data_size": None if dtype.hasobject else count * dtype.itemsize,
        "has_object": dtype.hasobject,
    }
    if dtype.names is not None:
        expect["fields"] = fields_of(dtype)
    return expect


def read_header(data):
    """NumPy's reading of a file's header, its limit on the length lifted."""
    stream = io.BytesIO(data)
    version = npy.read_magic(stream)
    npy._check_version(version)
    shape, fortran_order, dtype = npy._read_array_header(stream, version, **LIFTED)
    return version, shape, fortran_order, dtype, stream.tell()


def describe(data):
    """The `expect` of a whole file, from NumPy's own reader."""
    version, shape, fortran_order, dtype, data_offset = read_header(data)
    return expectation(version, dtype, shape, fortran_order, data_offset)


# ---- Elements -------------------------------------------------------------------------------------

def little(rows, dtype):
    """Elements, one a row of bytes, with NumPy turning the numbers and finding the padding."""
    if dtype.names is not None:
        clean = np.zeros_like(rows)
        for name in dtype.names:
            field, start = dtype.fields[name][:2]
            clean[:, start:start + field.itemsize] = little(rows[:, start:start + field.itemsize], field)
        return clean
    if not dtype.itemsize or not len(rows):
        return rows
    if dtype.subdtype is not None:
        _, base = levels(dtype)
        return little(np.ascontiguousarray(rows).reshape(-1, base.itemsize), base).reshape(len(rows), -1)
    if dtype.byteorder != ">":
        return rows
    items = np.frombuffer(rows.tobytes(), dtype)
    return items.byteswap().view(np.uint8).reshape(rows.shape)


def elements(array):
    """The bytes of which `expect.elements_sha256` is the digest, from an array that NumPy loaded."""
    flat = np.ascontiguousarray(array).reshape(-1)          # C order; padding may be anything
    if not array.dtype.itemsize or not flat.size:
        return b""
    rows = np.frombuffer(flat.tobytes(), np.uint8).reshape(flat.size, array.dtype.itemsize)
    return little(rows, array.dtype).tobytes()
