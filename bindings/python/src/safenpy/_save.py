"""Saving: save, savez, savez_compressed, append, open_memmap."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from . import _core
from ._array import MODES, memmap
from ._dtype import HAS_NUMPY
from ._errors import Refused
from ._limits import Limits
from ._load import describe, load
from ._objects import SETS
from ._source import descriptor_of, threads_of

if TYPE_CHECKING:
    import numpy as np
elif HAS_NUMPY:
    import numpy as np

__all__ = ["append", "open_memmap", "save", "savez", "savez_compressed"]

_CHUNK = 1 << 20
_FORMATS = {"?": "|b1", "b": "|i1", "B": "|u1", "c": "|S1", "e": "f2", "f": "f4", "d": "f8", "Zf": "c8", "Zd": "c16"}


def _of_dtype(dtype: Any) -> Any:
    """The type as numpy.save would write it; opaque types of other packages as the void that they are stored as."""
    from numpy.lib import format as npy

    if dtype.hasobject:
        raise Refused(_core.SNPY_OBJECT_DATA)
    descr: Any = npy.dtype_to_descr(dtype)
    return "|" + descr[1:] if isinstance(descr, str) and descr[1:2] == "V" else descr


def _of_format(view: memoryview) -> str:
    """The type of a memoryview's elements."""
    import sys

    text = view.format
    order = "<" if sys.byteorder == "little" else ">"
    if text[0] in "<>=@":
        order = text[0] if text[0] in "<>" else order
        text = text[1:]
    if text in "hilqHILQnN" and len(text) == 1:
        return f"{order}{'i' if text.islower() else 'u'}{view.itemsize}"
    known = _FORMATS.get(text)
    if known is None:
        raise TypeError(f"no NPY type for elements of format {view.format!r}")
    return known if known[0] == "|" else order + known


def _prepare(given: Any) -> tuple[_core.Header, Any]:
    """The header of what shall be saved, and its bytes in the order that the header says."""
    if not HAS_NUMPY:
        view = memoryview(given)
        fortran = view.f_contiguous and not view.c_contiguous
        data = view.tobytes("F" if fortran else "C") if view.ndim != 1 or not view.c_contiguous else view.cast("B")
        return describe(_of_format(view), tuple(view.shape or ()), fortran), data
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError("a masked array would lose its mask: save its data and its mask")
    if not hasattr(given, "__array__") and hasattr(given, "__dlpack__"):
        given = np.from_dlpack(given)
    anything: Any = np.asanyarray(given)
    whole: Any = np.asarray(anything)
    descr = _of_dtype(whole.dtype)
    if not whole.flags.forc:
        whole = whole.copy("C")
    fortran = whole.flags.fnc
    about = describe(descr, whole.shape, fortran)
    if whole.nbytes == 0:
        return about, b""
    return about, (whole.T if fortran else whole).reshape(-1).view(np.uint8)


def _named(file: Any, ending: str) -> Any:
    """A path, with its ending, as NumPy adds it; a file object as it is."""
    if hasattr(file, "write"):
        return file
    name: os.PathLike[Any] = file
    path = os.fspath(name)
    if isinstance(path, bytes):
        return path if path.endswith(ending.encode()) else path + ending.encode()
    return path if path.endswith(ending) else path + ending


def _write(file: Any, data: Any) -> None:
    """Writes all bytes to a file object, which may take them in pieces."""
    with memoryview(data) as view, view.cast("B") as left:
        done = 0
        while done < len(left):
            with left[done:] as piece:
                count: Any = file.write(piece)
            if count is None:
                if isinstance(file, io.RawIOBase):
                    raise BlockingIOError("the file object is non-blocking and takes no data")
                count = len(left) - done  # write() of objects of other kinds may say nothing
            if not isinstance(count, int) or not 0 < count <= len(left) - done:
                raise OSError(f"write() of the file object returned {count!r} for {len(left) - done} bytes")
            done += count


def save_bytes(target: Any, about: _core.Header, data: Any) -> None:
    """Writes an array without objects to a path or a file object."""
    if not hasattr(target, "write"):
        _core.save_path(target, about, data)
        return
    head, clean = _core.clean(about, data)
    _write(target, head)
    if about.nbytes:
        _write(target, data if clean is None else clean)


def save_objects(target: Any, payload: Any, allowed: str, about: _core.Header | None = None, path: Any = None, protocol: int = 4,
                 is_numpy_2: bool = False) -> None:
    """Writes the array of objects that a pickle is to a path or a file object. With a header, the pickle must be its array."""
    is_file = hasattr(target, "write")
    base = 0 if about is None else about.data_offset
    parts = _core.write_objects(None if is_file else target, payload, SETS[allowed], base, path, about, protocol, is_numpy_2)
    for part in parts or ():
        _write(target, part)


def _pickle(given: Any) -> bytes:
    """The pickle of an array of objects, as numpy.save writes it; the classes of what is in it say how."""
    import pickle

    try:
        return pickle.dumps(given, protocol=4)
    except (AttributeError, pickle.PicklingError) as error:  # of functions and classes that have no name
        raise TypeError(f"a value cannot be saved: {error}") from error


def _other(payload: bytes, refusal: Refused) -> TypeError | Refused:
    """Why values cannot be saved: the byte of a refusal is one of a pickle that nobody sees."""
    for offset, module, name, _set in _core.scan_objects(payload)[3]:
        if offset == refusal.offset:
            return TypeError(f"{module}.{name} is none of the values that can be saved: {refusal.message} [{refusal.rule}]")
    return TypeError(f"the values cannot be saved: {refusal.message} [{refusal.rule}]")


def _objects_of(arr: Any, objects: Any) -> Any:
    """What numpy.save would pickle, if objects shall be saved; None for arrays without."""
    if not (objects is None or (isinstance(objects, str) and objects in SETS)):
        raise ValueError("objects must be None, 'data' or 'plain'")
    if objects is None or not HAS_NUMPY:
        return None
    given: Any = np.asanyarray(arr)
    return given if given.dtype.hasobject else None


def save(file: Any, arr: Any, allow_pickle: bool = False, fix_imports: bool = True, *, objects: str | None = None) -> None:
    """Save an array: what numpy.save would write, byte for byte, with zeros for the padding of structured dtypes.

    Parameters
    ----------
    file : str, os.PathLike, or binary file object
        A file is replaced as a whole or not at all, and survives a power cut; ``.npy`` is added if it is missing. A file
        object is written to where it stands.
    arr : array_like, or anything with ``__dlpack__``
        Without NumPy: anything with the buffer protocol.
    allow_pickle : bool
        The same as ``objects="plain"``.
    fix_imports
        Ignored: it concerns Python 2.
    objects : {None, 'data', 'plain'}
        What to do with arrays of objects: refuse them, or write values of this set, as of `load`. They are pickled by Python, as
        numpy.save does, then decoded and written in plain form, as by `disarm`.

    Raises
    ------
    Refused
        An array of objects without `objects`.
    TypeError
        A value is not in the set: an object of a class of your own, a function.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> sn.save("x.npy", np.eye(2))
    >>> sn.load("x.npy").tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> sn.save("o.npy", {"a": [1, 2]}, objects="data")
    >>> sn.load("o.npy", objects="data").item()
    {'a': [1, 2]}
    """
    target = _named(file, ".npy")
    wanted = "plain" if allow_pickle and objects is None else objects
    given = _objects_of(arr, wanted)
    if given is None or wanted is None:
        save_bytes(target, *_prepare(arr))
        return
    payload = _pickle(given)
    try:
        save_objects(target, payload, wanted)
    except Refused as refusal:
        raise _other(payload, refusal) from None


def _add_all(writer: _core.Writer, arrays: Mapping[str, Any], level: int, objects: str | None) -> None:
    """Writes arrays as members."""
    for key, one in arrays.items():
        given = _objects_of(one, objects)
        if given is None or objects is None:
            writer.add(key, *_prepare(one))
            continue
        payload = _pickle(given)
        try:
            parts = _core.write_objects(None, payload, SETS[objects], 0, None, None, 4, False)
        except Refused as refusal:
            raise _other(payload, refusal) from None
        writer.begin(f"{key}.npy", sum(map(len, parts)), level)
        for part in parts:
            writer.put(part)
        writer.end()


def _fill(writer: _core.Writer, fill: Callable[[_core.Writer], None]) -> None:
    try:
        fill(writer)
        writer.finish()
    except BaseException:
        writer.abandon()
        raise


def save_archive(file: Any, fill: Callable[[_core.Writer], None], level: int, threads: int, any_keys: bool = False) -> None:
    """Writes an archive to a path or a file object."""
    if not hasattr(file, "write"):
        _fill(_core.Writer(file, level, threads, any_keys), fill)
        return
    descriptor = descriptor_of(file)
    if descriptor is not None:
        file.flush()
        raw = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, file.tell(), os.SEEK_SET)
        try:
            _fill(_core.Writer(descriptor, level, threads, any_keys), fill)
            end = os.lseek(descriptor, 0, os.SEEK_CUR)
        finally:
            os.lseek(descriptor, raw, os.SEEK_SET)  # where the file object's own buffer believes it to be
        file.seek(end)
        return
    import tempfile  # loads shutil and random, so only who needs it pays

    with tempfile.TemporaryFile() as spool:
        _fill(_core.Writer(spool.fileno(), level, threads, any_keys), fill)
        spool.seek(0)
        while piece := spool.read(_CHUNK):
            _write(file, piece)


def save_arrays(file: Any, arrays: Mapping[str, Any], level: int, threads: int, objects: str | None = None) -> None:
    """Writes arrays to an archive, at a path that gets NumPy's ending, or a file object."""
    save_archive(_named(file, ".npz"), lambda writer: _add_all(writer, arrays, level, objects), level, threads)


def named(arrays: tuple[Any, ...], named_arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Keys as numpy.savez gives them: those with names first, then arr_0, arr_1, …"""
    both = dict(named_arrays)
    for number, given in enumerate(arrays):
        if f"arr_{number}" in both:
            raise ValueError(f"cannot use positional arrays and the key arr_{number}")
        both[f"arr_{number}"] = given
    return both


def savez(file: Any, *arrays: Any, objects: str | None = None, **named_arrays: Any) -> None:
    """Save arrays to an archive without compression, aligned so that each can be mapped.

    The bytes depend on the arrays and their order alone. A file is replaced as a whole or not at all; ``.npz`` is added if
    it is missing.

    Parameters
    ----------
    file, arrays, named_arrays
        As for `numpy.savez`. An array named ``objects`` needs `numpy.savez` inside `patched`.
    objects : {None, 'data', 'plain'}
        What to do with arrays of objects, as of `save`.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> sn.savez("m.npz", np.arange(3), w=np.ones(2))
    >>> sorted(sn.load("m.npz"))
    ['arr_0', 'w']
    """
    save_arrays(file, named(arrays, named_arrays), 0, 1, objects)


def savez_compressed(file: Any, *arrays: Any, level: int = 6, threads: int = 1, objects: str | None = None, **named_arrays: Any) -> None:
    """Save arrays to an archive, deflated.

    Parameters
    ----------
    file, arrays, named_arrays
        As for `savez`. Arrays named ``level``, ``threads`` or ``objects`` need `numpy.savez_compressed` inside `patched`.
    level : int
        1 is fastest, 9 smallest; numpy.savez_compressed has 6.
    threads : int
        That deflate; the bytes do not depend on them.
    objects : {None, 'data', 'plain'}
        What to do with arrays of objects, as of `save`.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> sn.savez_compressed("m.npz", level=9, threads=2, a=np.zeros(1000))
    >>> sn.load("m.npz", key="a").sum()
    np.float64(0.0)
    """
    if not 1 <= level <= 9:
        raise ValueError("level must be 1 to 9; savez does not compress")
    save_arrays(file, named(arrays, named_arrays), level, threads_of(threads), objects)


def append(file: Any, arr: Any, *, limits: Limits | None = None) -> None:
    """Lengthen the array of a file in place, along its first axis (C order) or its last (Fortran order).

    Whenever the system stops, the file holds the old array or the new one. Other processes that append take turns.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> sn.save("log.npy", np.arange(3))
    >>> sn.append("log.npy", np.arange(2))
    >>> sn.load("log.npy")
    array([0, 1, 2, 0, 1])
    """
    about, data = _prepare(arr)
    _core.append(os.fspath(file), about, data, (Limits() if limits is None else limits).native)


def open_memmap(filename: Any, mode: str = "r+", dtype: Any = None, shape: int | tuple[int, ...] | None = None,
                fortran_order: bool = False, version: tuple[int, int] | None = None, max_header_size: int | None = None) -> Any:
    """Map a file, or make one of zeros and map it (mode 'w+'), as numpy.lib.format.open_memmap.

    Several processes may map one file and fill their parts. With 'w+' the disk space is reserved, and a file that is there
    is replaced; who has mapped the old one keeps it.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> m = sn.open_memmap("big.npy", mode="w+", dtype="f4", shape=(2, 2))
    >>> m[0] = 1
    >>> m.flush()
    >>> sn.load("big.npy").tolist()
    [[1.0, 1.0], [0.0, 0.0]]
    """
    if mode not in ("w+", "write"):
        if mode not in MODES:
            raise ValueError(f"mode is {mode!r}, not 'r', 'c', 'r+' or 'w+'")
        return load(filename, mmap_mode=mode, max_header_size=max_header_size)
    if shape is None:
        raise ValueError("a new file needs a shape")
    lengths = tuple(int(length) for length in shape) if not isinstance(shape, int) else (shape,)
    descr: Any = _of_dtype(np.dtype(dtype)) if HAS_NUMPY else dtype
    about, memory = _core.map_create(os.fspath(filename), describe(descr, lengths, bool(fortran_order)), True)
    return memmap(about, memory, filename, "w+")
