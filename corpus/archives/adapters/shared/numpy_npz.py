"""NumPy as a reader of archives: numpy.load(path), every member taken.

    numpy_npz.py PACKAGES       PACKAGES is the directory that NumPy is installed in

An array of objects is not unpickled: of it only the bytes are told, with zipfile, which NumPy reads with. What it
hands out as bytes is no NPY file. Any exception is a refusal, as NumPy and zipfile refuse with many kinds of them.
"""

import hashlib
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "adapters" / "shared"))

import numpy_adapter  # noqa: E402
from numpy_adapter import elements, np  # noqa: E402
from lines import accept, reject, serve  # noqa: E402


def array_of(array):
    """What numpy.load tells of an array that it has read; order and header are gone by then."""
    values = {
        "descr": numpy_adapter.descr_text(array.dtype), "shape": list(array.shape), "itemsize": array.dtype.itemsize,
        "count": array.size, "has_object": False,
        "elements_sha256": elements.digest(array.tobytes(), *numpy_adapter.type_of(array.dtype)),
    }
    if array.dtype.names is not None:
        values["fields"] = numpy_adapter.fields_of(array.dtype)
    return values


def member_of(archive, key):
    """One member."""
    try:
        got = archive[key]
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        got = archive.zip.read(next(name for name in archive.zip.namelist() if key in (name, name[:-4])))
        if got.endswith(b"\n"):             # the header's last byte: no pickle follows
            raise
        return {"key": key, "sha256": hashlib.sha256(got).hexdigest()}
    if isinstance(got, bytes):
        return {"key": key, "sha256": hashlib.sha256(got).hexdigest(), "array": None}
    return {"key": key, "array": array_of(got)}


def read(path):
    """All members."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            if not isinstance(archive, np.lib.npyio.NpzFile):
                return reject("numpy.load takes it for something else")
            return accept(members=[member_of(archive, key) for key in archive.files])
    except Exception as error:
        return reject(f"{type(error).__name__}: {error}")


def main():
    """Speaks the protocol."""
    warnings.simplefilter("ignore")
    serve("NumPy", np.__version__, "Python", read)


if __name__ == "__main__":
    main()
