"""Loading: load, header, open_memmap, iter_blocks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from . import _core
from ._archive import Archive, open_npz
from ._array import MODES, array, memmap
from ._errors import NothingLeft, Refused
from ._limits import OWN, Limits
from ._objects import load_objects
from ._source import (ARCHIVE, Source, archive_error, descriptor_of, is_bytes, is_path, read_data, read_exactly, read_file_header,
                      read_header, refuse_archive)

__all__ = ["header", "iter_blocks", "load"]

_DEFAULT = Limits()
_BLOCK = 16 << 20


def limits_of(limits: Limits | None, max_header_size: int | None = None) -> Limits:
    """The limits of a call."""
    chosen = _DEFAULT if limits is None else limits
    return chosen if max_header_size is None else chosen.replace(max_header=max_header_size)


def _objects_of(file: Any, limits: Limits, allowed: str) -> Any:
    """The array of a path or of bytes whose elements are objects."""
    if is_bytes(file):
        view = memoryview(file).cast("B")
        about = _core.parse(view, limits.native, None)
        return load_objects(about, view[about.data_offset:], allowed)
    with open(file, "rb", buffering=0) as opened:
        source = Source(opened)
        about = read_file_header(source, limits, file)
        return load_objects(about, source.rest(), allowed, file)


def _from_archive(opened: _core.Archive, limits: Limits, path: Any, key: str | None, mode: str | None, verify: bool,
                  objects: str | None) -> Any:
    archive = Archive(opened, limits, path, mode, verify, objects)
    if key is None:
        return archive
    with archive:
        return archive[key]


def _from_file(file: Any, limits: Limits, key: str | None, verify: bool, objects: str | None) -> Any:
    source = Source(file)
    path = getattr(file, "name", None)
    path = path if isinstance(path, str | bytes) else None
    start = source.take(4)
    if not start:
        raise NothingLeft(_core.SNPY_TRUNCATED_PREFIX, 0, None, path)
    if start[:4] in ARCHIVE:
        descriptor = descriptor_of(file)
        is_whole = descriptor is not None and file.tell() == len(start)  # or the archive begins somewhere inside
        whole: Any = descriptor if is_whole else memoryview(start + source.rest())
        return _from_archive(_core.open_archive(whole, limits.native, path), limits, path, key, None, verify, objects)
    about = read_header(source, limits, start, path)
    if about.has_object and objects is not None:
        return load_objects(about, source.rest(), objects, path)
    return array(about, read_data(source, about, limits, path))


def load(file: Any, mmap_mode: str | None = None, allow_pickle: bool = False, fix_imports: bool = True,
         encoding: str = "ASCII", *, max_header_size: int | None = None, key: str | None = None,
         limits: Limits | None = None, objects: str | None = None, verify: bool = True) -> Any:
    """Load an array, or open an archive, after checking it.

    Parameters
    ----------
    file : str, os.PathLike, bytes or buffer, or binary file object
        Bytes are the file itself, and the array looks into them without a copy. A file object is left at the byte
        after the array.
    mmap_mode : {None, 'r', 'c', 'r+'}
        Map the data of a file instead of reading them; stored members of an archive, too ('r' and 'c').
    allow_pickle : bool
        Never runs a pickle: the same as ``objects="plain"``.
    fix_imports, encoding
        Ignored: they concern pickles.
    max_header_size : int, optional
        Bytes of header text, instead of ``limits.max_header``.
    key : str, optional
        Of an archive: load this member only.
    limits : Limits, optional
        What may be read; `UNTRUSTED` for files of strangers.
    objects : {None, 'data', 'plain'}
        What to do with arrays of objects: refuse them, or make values of them without running their pickle. ``'data'`` allows
        numbers, strings, lists, tuples, dictionaries and arrays; ``'plain'`` also sets, dates, paths and the like.
    verify : bool
        Whether the CRC of a mapped member is verified, which reads all of it.

    Returns
    -------
    numpy.ndarray, numpy.memmap or Archive
        Without NumPy, a memoryview with shape and format instead of an array.

    Raises
    ------
    Refused
        The file breaks a rule, or exceeds a limit.
    OSError
        The system cannot read it.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> sn.save("x.npy", np.arange(6).reshape(2, 3))
    >>> sn.load("x.npy")
    array([[0, 1, 2],
           [3, 4, 5]])
    >>> sn.load("x.npy", mmap_mode="r")[1, 2]
    np.int64(5)
    >>> np.save("o.npy", np.array([None, {"a": 1}]), allow_pickle=True)
    >>> sn.load("o.npy", objects="data")
    array([None, {'a': 1}], dtype=object)
    """
    chosen = limits_of(limits, max_header_size)
    if objects not in (None, "data", "plain"):
        raise ValueError("objects must be None, 'data' or 'plain'")
    wanted = "plain" if allow_pickle and objects is None else objects
    try:
        if is_path(file):
            if mmap_mode is not None:
                return _map(file, mmap_mode, chosen, key, verify, wanted)
            loaded = _core.load_path(file, chosen.native, False)
            if isinstance(loaded, tuple):
                return array(*loaded)
            return _from_archive(loaded, chosen, file, key, None, verify, wanted)
        if mmap_mode is not None:
            raise ValueError("mmap_mode needs a path")
        if is_bytes(file):
            return _from_bytes(file, chosen, key, verify, wanted)
        return _from_file(file, chosen, key, verify, wanted)
    except Refused as refusal:
        look = _look(file, chosen) if refusal.number == _core.SNPY_BAD_MAGIC and refusal.member is None else 0
        if look:
            raise Refused(refusal.number, refusal.offset, None, refusal.path, look) from None
        if wanted is None or refusal.number != _core.SNPY_OBJECT_DATA or refusal.member is not None:
            raise
        if mmap_mode is not None:
            raise ValueError("an array of objects cannot be mapped: load it without mmap_mode") from refusal
        return _objects_of(file, chosen, wanted)


def _look(file: Any, limits: Limits) -> int:
    """What a file looks like that is neither NPY nor NPZ; 0: nothing known, or it can be read only once."""
    if is_bytes(file):
        return int(_core.check_bytes(file, limits.native)[6])
    is_file = is_path(file) and os.path.isfile(file)
    return int(_core.check_paths([file], limits.native)[0][6]) if is_file else 0


def _from_bytes(data: Any, limits: Limits, key: str | None, verify: bool, objects: str | None) -> Any:
    view = memoryview(data)
    if bytes(view[:4]) in ARCHIVE:
        return _from_archive(_core.open_archive(view, limits.native, None), limits, None, key, None, verify, objects)
    return array(*_core.load_bytes(data, limits.native))


def _map(file: Any, mode: str, limits: Limits, key: str | None, verify: bool, objects: str | None) -> Any:
    if mode not in MODES:
        raise ValueError(f"mmap_mode is {mode!r}, not 'r', 'c' or 'r+'; open_memmap makes new files")
    try:
        about, memory = _core.map_path(file, limits.native, MODES[mode])
    except Refused as refusal:
        if refusal.number != _core.SNPY_BAD_MAGIC:
            raise
        try:
            opened = _core.open_archive(file, limits.native, None)
        except Refused:
            with open(file, "rb") as begun:
                is_archive = begun.read(2) == b"PK"
            if is_archive:
                raise
            raise refusal from None
        return _from_archive(opened, limits, file, key, mode, verify, objects)
    return memmap(about, memory, file, mode)


def header(file: Any, *, key: str | None = None, file_size: int | None = None, limits: Limits | None = None) -> _core.Header:
    """Read a header: dtype, shape, order, offsets, version. No data are read.

    Parameters
    ----------
    file : str, os.PathLike, bytes or buffer, or binary file object
        Bytes need only reach to the end of the header, as from a range request; a file object is left after it.
    key : str, optional
        Of an archive: the member. Its CRC is not verified.
    file_size : int, optional
        Bytes of the whole file, if `file` is its beginning: must be large enough for the data.
    limits : Limits, optional
        What may be read.

    Examples
    --------
    >>> import io, numpy as np, safenpy as sn
    >>> with io.BytesIO() as out:
    ...     sn.save(out, np.zeros((2, 3), ">i4"))
    ...     start = out.getvalue()[:128]
    >>> h = sn.header(start, file_size=152)
    >>> h.dtype, h.shape, h.data_offset
    (dtype('>i4'), (2, 3), 128)
    """
    chosen = _DEFAULT if limits is None else limits
    if file_size is not None and file_size < 0:
        raise ValueError("file_size must not be negative")
    if key is not None:
        with open_npz(file, limits=limits) as archive:
            return archive.header(key)
    if is_bytes(file):
        refuse_archive(bytes(memoryview(file)[:4]), None)
        about = _core.parse(file, chosen.native, None)
    elif is_path(file):
        loaded = _core.load_path(file, chosen.native, True)
        if not isinstance(loaded, tuple):
            loaded.close()
            raise archive_error(file)
        about = loaded[0]
    else:
        about = read_file_header(Source(file), chosen)
    if file_size is not None:
        _core.check_size(about, file_size, chosen.trailing, None)
    return about


def describe(descr: Any, shape: tuple[int, ...], fortran_order: bool) -> _core.Header:
    """A header for writing, of a dtype as numpy.lib.format.dtype_to_descr spells it."""
    text = f"{{'descr': {descr!r}, 'fortran_order': {fortran_order!r}, 'shape': {shape!r}, }}\n".encode()
    return _core.parse(b"\x93NUMPY\x03\x00" + len(text).to_bytes(4, "little") + text, OWN.native, None)


def part(about: _core.Header, length: int) -> _core.Header:
    """The header of a block of an array: its shape along the axis that grows is `length`."""
    shape = about.shape
    axis = len(shape) - 1 if about.fortran_order else 0
    changed = (*shape[:axis], length, *shape[axis + 1:])
    descr = about.descr if about.descr.startswith("[") else repr(about.descr)
    text = f"{{'descr': {descr}, 'fortran_order': {about.fortran_order!r}, 'shape': {changed!r}, }}\n"
    raw = text.encode("utf-8", "surrogatepass")
    return _core.parse(b"\x93NUMPY\x03\x00" + len(raw).to_bytes(4, "little") + raw, OWN.native, None)


def _blocks(source: Source, about: _core.Header, rows: int | None, limits: Limits, path: Any) -> Iterator[Any]:
    shape = about.shape
    left = source.left()
    if left is not None:
        _core.check_size(about, about.data_offset + left, limits.trailing, path)
    if about.has_object or not shape or not about.nbytes:
        yield array(about, read_data(source, about, limits, path))
        return
    length = shape[-1] if about.fortran_order else shape[0]
    row = about.nbytes // length
    each = max(1, _BLOCK // row) if rows is None else rows
    done = 0
    while done < length:
        count = min(each, length - done)
        buffer = read_exactly(source, count * row, about.data_offset + done * row, path)
        done += count
        if done == length and not limits.trailing and source.take(1):
            raise Refused(_core.SNPY_TRAILING_DATA, about.data_offset + about.nbytes, None, path)
        yield array(part(about, count), _core.wrap(part(about, count), buffer))


def iter_blocks(file: Any, rows: int | None = None, *, key: str | None = None, limits: Limits | None = None) -> Iterator[Any]:
    """Iterate over an array larger than memory, block by block.

    Blocks are consecutive along the first axis, in Fortran order along the last one. Each is an array of its own.

    Parameters
    ----------
    file : str, os.PathLike, bytes or buffer, or binary file object
        As for `load`.
    rows : int, optional
        Length of a block along that axis; by default about 16 MiB.
    key : str, optional
        Of an archive: the member. Its CRC is verified with the last block.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> sn.save("long.npy", np.arange(10))
    >>> [int(block.sum()) for block in sn.iter_blocks("long.npy", rows=4)]
    [6, 22, 17]
    """
    import io

    if rows is not None and rows < 1:
        raise ValueError("rows must be positive")
    chosen = _DEFAULT if limits is None else limits
    if key is not None:
        with open_npz(file, limits=limits) as archive, archive.member(key) as member:
            source = Source(member)
            yield from _blocks(source, read_header(source, chosen, b"", archive.path), rows, chosen, archive.path)
            source.take(1)  # the end verifies the CRC of empty members
    elif is_path(file):
        with open(file, "rb", buffering=0) as opened:
            source = Source(opened)
            yield from _blocks(source, read_file_header(source, chosen, file), rows, chosen, file)
    else:
        source = Source(io.BytesIO(file) if is_bytes(file) else file)
        yield from _blocks(source, read_file_header(source, chosen), rows, chosen, None)


