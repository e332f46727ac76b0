"""Object arrays written anew as plain values: disarm."""

from __future__ import annotations

import contextlib
import io
from typing import Any

from . import _core
from ._archive import Member
from ._errors import Refused
from ._limits import Limits
from ._save import save_archive, save_bytes, save_objects
from ._source import ARCHIVE, Source, is_bytes, is_path, read_data, read_head, read_header

__all__ = ["disarm"]

_CHUNK = 1 << 20
_MAGIC = b"\x93NUMPY"
_LEVEL = 6  # of members that are deflated


def _disarm_array(source: Source, start: bytes, target: Any, how: tuple[int, bool], limits: Limits, path: Any) -> None:
    """Writes the array of a file, whose first bytes have been read."""
    about = read_header(source, limits, start, path)
    if about.has_object:
        save_objects(target, source.rest(), "plain", about, path, *how)
    else:
        save_bytes(target, about, read_data(source, about, limits, path))


def _disarm_member(opened: _core.Archive, index: int, name: str, writer: _core.Writer, how: tuple[int, bool], limits: Limits) -> None:
    """Writes a member; one that is no array, or an array without objects, as it is."""
    is_deflated, size, *_ = opened.info(index)
    level = _LEVEL if is_deflated else 0
    with Member(opened.open_member(index)) as member:
        source = Source(member)
        head = source.take(len(_MAGIC))
        if head == _MAGIC:
            head = read_head(source, limits, head)
            about = _core.parse(head, limits.native, None)
            if about.has_object:
                pickle = _core.write_objects(None, source.rest(), 1, about.data_offset, None, about, *how)[1]
                writer.begin(name, len(head) + len(pickle), level)
                writer.put(head)
                writer.put(pickle)
                writer.end()
                return
            _core.check_size(about, size, False, None)
        writer.begin(name, size, level)
        writer.put(head)
        while piece := source.take(_CHUNK):
            writer.put(piece)
        writer.end()


def _disarm_members(opened: _core.Archive, writer: _core.Writer, how: tuple[int, bool], limits: Limits, path: Any) -> None:
    for index, name in enumerate(opened.names()):
        try:
            _disarm_member(opened, index, name, writer, how, limits)
        except Refused as refusal:
            raise Refused(refusal.number, refusal.offset, refusal.member or name, path) from None


def disarm(file: Any, target: Any, *, protocol: int = 4, numpy: int = 1, limits: Limits | None = None) -> None:
    """Write a file anew, each array of objects as plain values: `numpy.load` with ``allow_pickle=True`` then calls nothing but what the
    specification lists.

    A pickle is decoded, not run, and written in one form: the same values are the same bytes, and disarming again changes none.
    Other arrays, and members that are no arrays, keep their bytes.

    Parameters
    ----------
    file : str, os.PathLike, bytes or buffer, or binary file object
        An NPY file or an archive; arrays of objects in it have to fit into memory.
    target : str, os.PathLike, or binary file object
        A file is replaced as a whole or not at all; it may be `file`.
    protocol : int
        Of the pickles: 2 to 5.
    numpy : {1, 2}
        1 writes names that every NumPy reads, 2 those of NumPy 2.
    limits : Limits, optional
        What may be read; arrays of objects always.

    Raises
    ------
    Refused
        The file breaks a rule, or a pickle has more than plain values. Nothing is written to a path then.
    OSError
        The system cannot read or write.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> np.save("got.npy", np.array([{"a": 1}, None]), allow_pickle=True)
    >>> sn.disarm("got.npy", "plain.npy")
    >>> np.load("plain.npy", allow_pickle=True)
    array([{'a': 1}, None], dtype=object)
    """
    if numpy not in (1, 2) or not 2 <= protocol <= 5:
        raise ValueError("protocol must be 2 to 5, and numpy 1 or 2")
    how = (protocol, numpy == 2)
    chosen = Limits() if limits is None else limits
    path = file if is_path(file) else None
    with contextlib.ExitStack() as stack:
        source = Source(io.BytesIO(file) if is_bytes(file) else file if path is None else stack.enter_context(open(path, "rb", buffering=0)))
        start = source.take(4)
        if start not in ARCHIVE:
            _disarm_array(source, start, target, how, chosen, path)
            return
        whole: Any = path if path is not None else memoryview(start + source.rest())
    opened = _core.open_archive(whole, chosen.native, None)
    try:
        save_archive(target, lambda writer: _disarm_members(opened, writer, how, chosen, path), _LEVEL, 1, any_keys=True)
    finally:
        opened.close()
