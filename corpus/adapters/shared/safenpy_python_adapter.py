"""safenpy for Python as an implementation, in one of four ways: file, memory, stream, map.

    safenpy_python_adapter.py NUMPY WAY [SAFENPY]      folders with the packages; without SAFENPY the installed one

The elements come from the array that safenpy.load returns. Arrays of objects are not loaded: safenpy.check gives the
verdict.
"""

import io
import sys

sys.path[:0] = sys.argv[3:]

from lines import accept, reject, serve  # noqa: E402
from numpy_adapter import answer, array_of, type_of  # noqa: E402

import elements  # noqa: E402
import safenpy as sn  # noqa: E402


class Stream:
    """Bytes that come in pieces, and cannot be read twice."""

    def __init__(self, data):
        self.file = io.BytesIO(data)

    def read(self, size):
        return self.file.read(min(size, 1000))


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


SOURCES = {"file": lambda path: path, "memory": bytes_of, "stream": lambda path: Stream(bytes_of(path)), "map": lambda path: path}


def reader(way):
    """The function that reads a file in one of the ways."""
    source = SOURCES[way]
    options = {"mmap_mode": "r"} if way == "map" else {}

    def read(path):
        try:
            array = sn.load(source(path), **options)
        except sn.Refused as refusal:
            verdict = sn.check(source(path))
            if not verdict and (verdict.status, verdict.offset) != (refusal.status, refusal.offset):
                raise RuntimeError(f"load says {refusal}, and check {verdict}") from refusal
            if verdict and refusal.status != "SNPY_OBJECT_DATA":
                raise RuntimeError(f"load says {refusal}, and check accepts") from refusal
            if not verdict and verdict.status.startswith("SNPY_ZIP_"):
                return reject(verdict.message)
            if not verdict:
                return reject(verdict.message, status=verdict.status, offset=verdict.offset)
            array = None
        if isinstance(array, sn.Archive):
            return reject("it is an archive, and no array")
        header = sn.header(source(path))
        told = {**answer(header.dtype, header.shape, header), "descr": header.descr}
        if array is not None:
            if array.shape != header.shape or array.dtype != header.dtype:
                raise RuntimeError(f"the array is {array.dtype} {array.shape}, the header {header}")
            told["elements_sha256"] = elements.digest(array.tobytes(), *type_of(array.dtype))
        return told

    return read


def writer(way):
    """The function that writes a request in one of the ways."""
    def write(request, path):
        array = array_of(request)
        if array is None:
            return "objects are never pickled here"
        if request.get("version"):
            return "it chooses the version as NumPy does"
        if way == "map":
            mapped = sn.open_memmap(path, "w+", array.dtype, array.shape, request["fortran_order"])
            if array.nbytes:
                mapped[...] = array
                mapped.flush()
        elif way == "file":
            sn.save(path, array)
        else:
            out = io.BytesIO()
            sn.save(out, array)
            with open(path, "wb") as file:
                file.write(out.getvalue())
        return None

    return write


if __name__ == "__main__":
    serve("safenpy for Python", sn.__version__, "Python, C", reader(sys.argv[2]), writer(sys.argv[2]))
