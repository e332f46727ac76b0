"""What NumPy itself says about a header, in the words of the manifest's `expect`. Needs NumPy 2.x."""

import io
import math

try:
    from numpy.lib import _format_impl as npy
except ImportError:                      # before NumPy 2.3
    from numpy.lib import format as npy

NO_LIMIT = 2 ** 32


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
    """The manifest's `expect` for a header."""
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
    shape, fortran_order, dtype = npy._read_array_header(stream, version, max_header_size=NO_LIMIT)
    return version, shape, fortran_order, dtype, stream.tell()


def describe(data):
    """The `expect` of a whole file, from NumPy's own reader."""
    version, shape, fortran_order, dtype, data_offset = read_header(data)
    return expectation(version, dtype, shape, fortran_order, data_offset)


def c_contiguous_too(shape):
    """Whether an array of this shape lies the same way in either order."""
    return 0 in shape or sum(dim != 1 for dim in shape) <= 1


def canonical_header(data):
    """The header bytes that numpy.save writes for what a file's header says."""
    _, shape, fortran_order, dtype, _ = read_header(data)
    stream = io.BytesIO()
    npy._write_array_header(stream, {
        "descr": npy.dtype_to_descr(dtype),
        "fortran_order": fortran_order and not c_contiguous_too(shape),
        "shape": shape,
    }, None)
    return stream.getvalue()


def first_difference(data):
    """The first byte in which a file's header is not the canonical one; None if there is none."""
    header = data[:read_header(data)[4]]
    wanted = canonical_header(data)
    if header == wanted:
        return None
    for offset, (left, right) in enumerate(zip(header, wanted)):
        if left != right:
            return offset
    return min(len(header), len(wanted))
