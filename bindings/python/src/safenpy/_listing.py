"""What pickles need of their reader, without decoding: objects."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from . import _core
from ._errors import Refused
from ._limits import Limits
from ._source import Source, is_bytes, is_path

__all__ = ["Global", "Needs", "objects"]

_SETS = ("data", "plain", "other")
_KNOWN = frozenset(b"().012BCFGIJKLMNPQRSTUVX]abcdeghijlopqrstu}" + bytes(range(0x80, 0x99)))  # opcodes of Python


@dataclass(frozen=True)
class Global:
    """A class or function that a pickle names.

    Attributes
    ----------
    offset : int
        The byte of the file, or of the member, where its opcode is.
    module, name : str
        Empty if the pickle computes the name.
    set : {'data', 'plain', 'other'}
        The smallest set of values that has it.
    """

    offset: int
    module: str
    name: str
    set: str


@dataclass(frozen=True)
class Needs:
    """What a pickle needs of its reader, as `objects` lists it.

    Attributes
    ----------
    key : str or None
        Of a member of an archive: its key.
    format : {'npy', 'npz', 'pickle'}
    fits : {'none', 'data', 'plain', 'other', 'damaged'}
        ``'none'``: no objects, and no pickle. ``'data'`` and ``'plain'`` are sets that `load` takes as ``objects=``, which then
        also checks arguments. ``'other'`` needs more: to unpickle it runs what it names. ``'damaged'`` is no pickle that ends
        where its bytes do.
    offset, size : int
        Where the pickle begins in the file or member, and its bytes.
    protocol : int
    opcodes : dict
        From bytes of opcodes, as ``ord("c")``, to how many there are.
    globals : tuple of Global
    error : Refused or None
        The rule that the pickle breaks, and where.
    """

    key: str | None
    format: str
    fits: str
    offset: int = 0
    size: int = 0
    protocol: int = 0
    opcodes: dict[int, int] | None = None
    globals: tuple[Global, ...] = ()
    error: Refused | None = None


def _needs(data: Any, offset: int, form: str, key: str | None, path: Any) -> Needs:
    pickle = memoryview(data).cast("B")[offset:]
    protocol, largest, counts, found, status, at = _core.scan_objects(pickle)
    names = tuple(Global(offset + at, module, name, _SETS[number]) for at, module, name, number in found)
    is_foreign = status == _core.SNPY_PKL_OPCODE and at < len(pickle) and pickle[at] in _KNOWN
    fits = "other" if largest == 2 or is_foreign else _SETS[largest] if status == 0 else "damaged"
    error = Refused(status, offset + at, key, path) if status else None
    opcodes = {code: count for code, count in enumerate(counts) if count}
    return Needs(key, form, fits, offset, len(pickle), protocol, opcodes, names, error)


def _of_array(data: Any, limits: Limits, form: str, key: str | None, path: Any) -> Needs:
    about = _core.parse(data, limits.native, path)
    return _needs(data, about.data_offset, form, key, path) if about.has_object else Needs(key, form, "none")


def _of_members(data: Any, limits: Limits, path: Any) -> Iterator[Needs]:
    from ._archive import Archive

    with Archive(_core.open_archive(data, limits.native, path), limits, path) as archive:
        for key in archive.files:
            try:
                is_object = archive.header(key).has_object
            except Refused as refusal:
                if refusal.number != _core.SNPY_NOT_AN_ARRAY:
                    raise
                is_object = False
            if is_object:
                with archive.member(key) as member:
                    yield _of_array(member.read(), limits, "npz", key, path)
            else:
                yield Needs(key, "npz", "none")


def objects(file: Any, *, limits: Limits | None = None) -> list[Needs]:
    """List what pickles need of their reader: of an array of objects, of each member of an archive, or of a raw pickle.

    Nothing is decoded or run, and nothing that a pickle names is imported. It takes time linear in the bytes.

    Parameters
    ----------
    file : str, os.PathLike, bytes or buffer, or binary file object
        A file that is neither NPY nor NPZ is taken for a pickle.
    limits : Limits, optional
        For headers and archives.

    Returns
    -------
    list of Needs
        One; of an archive one for each member, in its order.

    Raises
    ------
    Refused
        A header or the archive breaks a rule. A pickle that does is listed, with its error.
    OSError
        The system cannot read the file.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> np.save("o.npy", np.array([None, {1, 2}]), allow_pickle=True)
    >>> [(need.fits, [one.name for one in need.globals]) for need in sn.objects("o.npy")]
    [('plain', ['_reconstruct', 'ndarray', 'dtype'])]
    >>> [(need.fits, need.globals[0].module, need.globals[0].offset) for need in sn.objects(b"cos\\nsystem\\n(S'ls'\\ntR.")]
    [('other', 'os', 0)]
    """
    chosen = Limits() if limits is None else limits
    path: Any = None
    if is_path(file):
        path = file
        with open(os.fspath(file), "rb") as opened:
            data: Any = opened.read()
    else:
        data = memoryview(file).cast("B") if is_bytes(file) else Source(file).rest()
    start = bytes(data[:6])
    if start[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return list(_of_members(memoryview(data), chosen, path))
    if start == b"\x93NUMPY":
        return [_of_array(data, chosen, "npy", None, path)]
    return [_needs(data, 0, "pickle", None, path)]
