"""Has NumPy 2.x write the files that the suite calls NumPy's, and compares them byte for byte.

    python3 corpus/check_numpy_bytes.py     # needs NumPy 2.x on a Python with Unicode 14.0; then make.py

For every case with `rewrite`, NumPy's header writer must make the file's header from what `expect` says.
If numpy.save (or write_array, for a version that it would not choose) can make such an array, it must
make the whole file, too. Object arrays are written from the objects below. confirmed.json records which
NumPy agreed, and by a digest with which files; make.py copies that into the manifest, and --check sees
when it is out of date.
"""

import ast
import io
import json
import platform
import sys
import unicodedata
import warnings

import numpy as np

import manifest
from describe import npy, read_header

OBJECTS = [None, True, 7, 2.5, "text", b"bytes", [1, 2], {"a": 1}]


def object_array(shape, order="C"):
    """The first objects in an array."""
    array = np.empty(int(np.prod(shape)), dtype=object)
    array[:] = OBJECTS[:array.size]
    return array.reshape(shape[::-1]).T if order == "F" else array.reshape(shape)


def object_arrays():
    """The arrays of accept/numpy/object."""
    mixed = np.zeros(2, [("a", "|O"), ("b", "<f8")])
    mixed["a"] = [None, 1]
    nested = np.zeros(1, [("n", [("o", "|O", (2,)), ("x", "|u1")])])
    nested["n"]["o"] = 3
    return {"1d": object_array((8,)), "0d": object_array(()), "empty": object_array((0,)),
            "fortran": object_array((2, 3), "F"), "record": mixed, "nested": nested,
            "version-2": object_array((2,))}


def array_of(data):
    """The array that a file holds, over the file's own bytes, so that padding stays as it is."""
    _, shape, fortran_order, dtype, start = read_header(data)
    count = int(np.prod(shape, dtype=object))
    if not dtype.itemsize:
        return np.empty(shape, dtype) if dtype.names is not None or dtype.kind == "V" else None
    flat = np.frombuffer(data, dtype, count, start)
    return flat.reshape(shape[::-1]).T if fortran_order else flat.reshape(shape)


def version_of(expect):
    """The version as NumPy's writer takes it."""
    return tuple(int(part) for part in expect["version"].split("."))


def written_header(expect):
    """What NumPy's header writer makes of a description."""
    text = expect["descr"]
    descr = ast.literal_eval(text) if text.startswith("[") else text
    stream = io.BytesIO()
    npy._write_array_header(stream, {"descr": descr, "fortran_order": expect["fortran_order"],
                                     "shape": tuple(expect["shape"])}, version_of(expect))
    return stream.getvalue()


def written_file(array, expect, canonical):
    """What numpy.save makes of an array, or write_array in a version that is asked for."""
    stream = io.BytesIO()
    if canonical:
        np.save(stream, array)
    else:
        npy.write_array(stream, array, version=version_of(expect))
    return stream.getvalue()


def can_save(record, data):
    """The array to save if numpy.save can make exactly this file; None if it cannot.

    It cannot where bytes follow the data, where the flag for the order is set though both orders agree,
    where the array would not fit, or where NumPy would save another type (S0 becomes S1)."""
    expect = record["expect"]
    folder, _, name = record["id"].rpartition("/")
    if expect["has_object"]:
        return object_arrays().get(name) if folder == "accept/numpy/object" else None
    shape = expect["shape"]
    if len(data) != expect["data_offset"] + expect["data_size"] or len(data) > 1 << 20:
        return None
    if expect["fortran_order"] and (0 in shape or sum(dim != 1 for dim in shape) <= 1):
        return None
    if expect["count"] == 0 and max([1, *shape]) * max(expect["itemsize"], 1) > 1 << 30:
        return None
    if expect["count"] and not expect["itemsize"] and expect["count"] > 1 << 20:
        return None
    array = array_of(data)
    if array is None or array.dtype != read_header(data)[3]:
        return None
    return array


def compare(record):
    """("whole_file" or "header", problem or None) for one case."""
    data = (manifest.CORPUS / record["file"]).read_bytes()
    expect = record["expect"]
    if written_header(expect) != data[:expect["data_offset"]]:
        return "header", "NumPy writes another header"
    array = can_save(record, data)
    if array is None:
        return "header", None
    if written_file(array, expect, record["canonical"]) != data:
        return "whole_file", "NumPy writes another file"
    return "whole_file", None


def main():
    """Confirms all cases with `rewrite`."""
    warnings.simplefilter("ignore")
    if unicodedata.unidata_version != manifest.UNICODE or np.__version__ < "2":
        sys.exit(f"needs NumPy 2.x on a Python with Unicode {manifest.UNICODE}, not {unicodedata.unidata_version}")
    records = [record for record in json.loads(manifest.MANIFEST.read_text(encoding="ascii"))["cases"]
               if record.get("rewrite")]
    counts, failed = {"whole_file": 0, "header": 0}, 0
    for record in records:
        way, problem = compare(record)
        counts[way] += 1
        if problem:
            print(f"{record['id']}: {problem}")
            failed += 1
    whole, header = counts["whole_file"], counts["header"]
    print(f"NumPy {np.__version__} wrote {whole} files and {header} headers, {failed} differ")
    if failed:
        sys.exit(1)
    manifest.write_whole(manifest.CONFIRMED, (manifest.line({
        "numpy": np.__version__, "python": platform.python_version(), "cases": counts,
        "sha256": manifest.rewrite_digest(records)}) + "\n").encode("ascii"))


if __name__ == "__main__":
    main()
