"""NumPy as an implementation, with one of its three ways to read.

    numpy_adapter.py PACKAGES file|stream|map      PACKAGES is the directory that NumPy is installed in

file    numpy.load(path)                          writes with numpy.save
stream  numpy.lib.format.read_array(BytesIO)      writes with numpy.lib.format.write_array
map     numpy.load(path, mmap_mode="r")           writes with numpy.lib.format.open_memmap

NumPy keeps its own defaults: its limit of 10,000 characters of header, and no pickles. An array of objects
is never unpickled: it counts by its header, and by whether anything follows that could be its pickle; it
cannot be mapped. Any exception is a refusal, as NumPy's reader refuses with many kinds of them.
"""

import ast
import base64
import io
import math
import os
import sys
import warnings
from collections import namedtuple

sys.path.insert(0, sys.argv[1])
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")     # its buffers for threads would count as memory

import numpy as np  # noqa: E402

try:
    from numpy.lib import _format_impl as npy
except ImportError:                                    # before NumPy 2.3
    from numpy.lib import format as npy

import elements  # noqa: E402
from lines import accept, reject, serve, unsupported  # noqa: E402


Header = namedtuple("Header", "version shape fortran_order dtype data_offset")


def read_header(file):
    """A header by NumPy's own functions, and with its own limit."""
    version = npy.read_magic(file)
    npy._check_version(version)
    shape, fortran_order, dtype = npy._read_array_header(file, version)
    return Header(version, shape, fortran_order, dtype, file.tell())


def load_file(path):
    """Reads a file as most programs do."""
    return np.load(path, allow_pickle=False)


def load_stream(path):
    """Reads from memory, as from any stream."""
    with open(path, "rb") as file:
        return npy.read_array(io.BytesIO(file.read()), allow_pickle=False)


def load_map(path):
    """Maps a file."""
    return np.load(path, mmap_mode="r", allow_pickle=False)


def descr_text(dtype):
    """NumPy's text for a type: the type string, or the list of fields."""
    descr = npy.dtype_to_descr(dtype)
    return descr if isinstance(descr, str) else repr(descr)


def base_of(dtype):
    """(dimensions of all levels of sub-arrays, the type inside them)."""
    dims = []
    while dtype.subdtype is not None:
        dtype, shape = dtype.subdtype
        dims += shape
    return dims, dtype


def fields_of(dtype, path=(), start=0):
    """The fields of a record in pre-order, as the manifest lists them."""
    found = []
    for name in dtype.names:
        field, offset, *title = dtype.fields[name]
        shape, base = base_of(field)
        found.append({"name": name, "path": [*path, name], "descr": descr_text(base), "offset": start + offset,
                      "itemsize": field.itemsize, "shape": shape})
        if not title or isinstance(title[0], str):     # NumPy takes any constant for a title
            found[-1]["title"] = title[0] if title else None
        if base.names is not None:
            found += fields_of(base, (*path, name), start + offset)
    return found


def type_of(dtype):
    """What `elements` wants to know of a type that NumPy made."""
    return descr_text(dtype), dtype.itemsize, fields_of(dtype) if dtype.names is not None else []


def answer(dtype, shape, header):
    """What NumPy tells about an array, apart from its elements."""
    count = math.prod(shape)
    values = {
        "version": "{}.{}".format(*header.version), "descr": descr_text(dtype), "shape": list(shape),
        "fortran_order": header.fortran_order, "itemsize": dtype.itemsize, "count": count,
        "data_offset": header.data_offset, "data_size": None if dtype.hasobject else count * dtype.itemsize,
        "has_object": dtype.hasobject,
    }
    if dtype.names is not None:
        values["fields"] = fields_of(dtype)
    if dtype.itemsize < 0:                  # NumPy 1.26 has such types; the protocol has no such numbers
        values["x-itemsize"], values["x-data-size"] = values.pop("itemsize"), values.pop("data_size")
    return accept(**values)


def reader(loader, load):
    """The function that reads a file with one of the loaders."""
    def read(path):
        try:
            with open(path, "rb") as file:
                header = read_header(file)
                size = os.fstat(file.fileno()).st_size
            has_object = header.dtype.hasobject
            array = None if has_object else load(path)
        except Exception as error:
            return reject(f"{type(error).__name__}: {error}")
        if has_object and loader == "map":
            return unsupported("NumPy does not map objects")
        if has_object and size == header.data_offset:
            return reject("no pickle follows the header")
        if has_object:
            return answer(header.dtype, header.shape, header)
        digest = elements.digest(array.tobytes(), *type_of(array.dtype))
        return {**answer(array.dtype, array.shape, header), "elements_sha256": digest}

    return read


def array_of(request):
    """The array that a request describes."""
    descr = request["descr"]
    dtype = npy.descr_to_dtype(ast.literal_eval(descr) if descr.startswith("[") else descr)
    if dtype.hasobject:
        return None
    raw = base64.b64decode(request["elements_base64"])
    raw = elements.little_endian(raw, *type_of(dtype))
    array = np.ndarray(tuple(request["shape"]), dtype, bytearray(raw) or bytearray(1))
    return array.copy(order="F") if request["fortran_order"] else array


def version_of(request):
    """The version that is asked for, as NumPy wants it."""
    version = request.get("version")
    return version and tuple(int(part) for part in version.split("."))


def write_file(array, version, request, path):
    """numpy.save, which chooses the version; write_array if one is asked for."""
    with open(path, "wb") as file:
        if version is None:
            np.save(file, array, allow_pickle=False)
        else:
            npy.write_array(file, array, version, allow_pickle=False)


def write_stream(array, version, request, path):
    """Into memory first: NumPy writes in another way to what is no real file."""
    stream = io.BytesIO()
    npy.write_array(stream, array, version, allow_pickle=False)
    with open(path, "wb") as file:
        file.write(stream.getvalue())


def write_map(array, version, request, path):
    """Into a new file that is mapped."""
    mapped = npy.open_memmap(path, "w+", array.dtype, array.shape, request["fortran_order"], version)
    if array.nbytes:                        # elements of no bytes are still copied one by one
        mapped[...] = array
        mapped.flush()


def writer(save):
    """The function that writes a request in one of the three ways."""
    def write(request, path):
        array = array_of(request)
        if array is None:
            return "objects are never pickled here"
        return save(array, version_of(request), request, path)

    return write


WAYS = {"file": (load_file, write_file), "stream": (load_stream, write_stream), "map": (load_map, write_map)}


def main():
    """Speaks the protocol."""
    warnings.simplefilter("ignore")
    loader = sys.argv[2]
    load, save = WAYS[loader]
    serve("NumPy", np.__version__, "Python", reader(loader, load), writer(save))


if __name__ == "__main__":
    main()
