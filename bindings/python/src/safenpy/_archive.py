"""Archives: a Mapping of keys to arrays, lazy, for threads and across fork."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any

from . import _core
from ._array import MODES, array, memmap
from ._errors import Refused
from ._limits import Limits
from ._objects import load_objects
from ._source import Source, descriptor_of, is_bytes, is_path, read_header, threads_of

__all__ = ["Archive", "open_npz", "open_npz_async"]


class Archive(Mapping[str, Any]):
    """An open NPZ file: keys to arrays; members that are not NPY files to their bytes.

    Members are loaded each time they are asked for, and their CRC is verified. Reading needs no lock: threads may share an
    archive, and a child process may go on with it after a fork. Made by `open_npz` and `load`.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> sn.savez("m.npz", w=np.arange(4.0), b=np.zeros(2))
    >>> with sn.open_npz("m.npz") as z:
    ...     sorted(z), z["w"], z.slice("w", 1, 3)
    (['b', 'w'], array([0., 1., 2., 3.]), array([1., 2.]))
    """

    def __init__(self, opened: _core.Archive, limits: Limits, path: Any = None, mode: str | None = None,
                 verify: bool = True, objects: str | None = None) -> None:
        self._opened = opened
        self._limits = limits
        self._mode = mode
        self._verify = verify
        self._objects = objects
        self.path = path
        names = opened.names()
        self.files: list[str] = opened.keys()
        self._names = names
        self._index = {key: index for index, key in enumerate(self.files)}
        self._index.update((name, index) for index, name in enumerate(names))

    # --- the mapping ---

    def __getitem__(self, key: str) -> Any:
        index = self._find(key)
        try:
            if self._mode is not None:
                return self._mapped(index)
            return array(*self._opened.load(index))
        except Refused as refusal:
            if refusal.number == _core.SNPY_NOT_AN_ARRAY and (
                    self._limits.non_arrays or not self._names[index].endswith(".npy")):
                return self._opened.read(index)
            if self._objects is None or self._mode is not None or refusal.number != _core.SNPY_OBJECT_DATA:
                raise
            return self._values(index, self._objects)

    async def get_async(self, key: str) -> Any:
        """What ``z[key]`` gives, for programs with an event loop: a thread waits for the bytes."""
        from asyncio import to_thread

        return await to_thread(self.__getitem__, key)

    def _values(self, index: int, allowed: str) -> Any:
        """The array of a member whose elements are objects."""
        whole = memoryview(self._opened.read(index))
        about = _core.parse(whole, self._limits.native, self.path)
        return load_objects(about, whole[about.data_offset:], allowed, self.path)

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __contains__(self, key: object) -> bool:
        return key in self._index

    @property
    def f(self) -> Attributes:
        """The members as attributes, as of numpy's NpzFile."""
        return Attributes(self)

    #: The file object of numpy's NpzFile; the descriptor here belongs to the archive.
    fid: None = None

    def __repr__(self) -> str:
        name = "" if self.path is None else f" {os.fsdecode(self.path)!r}"
        shown = ", ".join(self.files[:5]) + (", …" if len(self.files) > 5 else "")
        return f"<safenpy.Archive{name} with keys: {shown}>"

    def _find(self, key: str) -> int:
        try:
            return self._index[key]
        except KeyError:
            raise KeyError(f"{key} is not a key of {self!r}") from None

    # --- members ---

    def _mapped(self, index: int) -> Any:
        if self._opened.info(index)[0]:
            raise ValueError(f"member {self._names[index]!r} is deflated and cannot be mapped: load it")
        mode = self._mode or "r"
        if MODES[mode] not in (1, 2):
            raise ValueError("members are mapped with mode 'r' or 'c'")
        about, memory = self._opened.map(index, MODES[mode], not self._verify)
        return memmap(about, memory, self.path, mode)

    def map(self, key: str, mode: str = "r", *, verify: bool = True) -> Any:
        """Map a stored member without a copy.

        With ``verify=False`` the CRC is not verified now, which takes constant time; `verify` does it later.
        """
        if mode not in MODES:
            raise ValueError(f"mode is {mode!r}, not 'r' or 'c'")
        return Archive._mapped(self._like(mode, verify), self._find(key))

    def _like(self, mode: str, verify: bool) -> Archive:
        other = object.__new__(Archive)
        other.__dict__.update(self.__dict__, _mode=mode, _verify=verify)
        return other

    def verify(self, key: str) -> None:
        """Read a member as a whole and verify its CRC, in bounded memory."""
        with self.member(key) as member:
            buffer = bytearray(1 << 20)
            while member.readinto(buffer):
                pass

    def member(self, key: str) -> Member:
        """The bytes of a member, from the first to the last, as a raw file object. The last ones verify the CRC."""
        return Member(self._opened.open_member(self._find(key)))

    def header(self, key: str) -> _core.Header:
        """The header of a member. Its data are not read, nor its CRC verified."""
        index = self._find(key)
        with self.member(key) as member:
            source = Source(member)
            start = source.take(6)
            if start != b"\x93NUMPY":
                raise Refused(_core.SNPY_NOT_AN_ARRAY, 0, self._names[index], self.path)
            about = read_header(source, self._limits, start, self.path)
        _core.check_size(about, self._opened.info(index)[1], False, self.path)
        return about

    def slice(self, key: str, start: int, stop: int) -> Any:
        """Elements `start` to `stop` along the first axis, as ``z[key][start:stop]``, without the rest.

        Of a stored member, only these bytes are read; of a deflated one, what is before them is inflated, too. The CRC,
        which is of the whole, is not verified. Arrays in Fortran order are loaded as a whole.
        """
        from ._load import part

        index = self._find(key)
        about = self.header(key)
        shape = about.shape
        if len(shape) == 0:
            raise IndexError("an array without dimensions has no slices")
        if about.has_object or (about.fortran_order and len(shape) > 1) or not about.nbytes:
            return self[key][start:stop].copy()
        first, last, _ = slice(start, stop).indices(shape[0])
        row = about.nbytes // shape[0]
        count = max(0, last - first)
        buffer = bytearray(count * row)
        position = about.data_offset + first * row
        if not self._opened.info(index)[0]:
            self._opened.read_at(index, position, buffer)
        else:
            with self.member(key) as member:
                source = Source(member)
                skipped = bytearray(1 << 20)
                while position > 0:
                    with memoryview(skipped) as view:
                        position -= source.fill(view[:min(position, len(view))])
                with memoryview(buffer) as view:
                    source.fill(view)
        block = part(about, count) if len(shape) == 1 or not about.fortran_order else about
        return array(block, _core.wrap(block, buffer))

    def arrays(self, keys: Iterable[str] | None = None, *, threads: int = 1) -> dict[str, Any]:
        """Load several members at once, by several threads: a dict of them, by default all that there are."""
        chosen = list(self.files if keys is None else keys)
        loaded = self._opened.load_several([self._find(key) for key in chosen], threads_of(threads))
        return {key: array(*pair) for key, pair in zip(chosen, loaded, strict=True)}

    # --- closing ---

    def close(self) -> None:
        """Close the file, as soon as no thread reads it any more. Arrays stay."""
        self._opened.close()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Attributes:
    """The members of an archive as attributes."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__"):
            return object.__getattribute__(self, name)
        try:
            return object.__getattribute__(self, "_archive")[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        archive: Archive = object.__getattribute__(self, "_archive")
        return list(archive.files)


class Member:
    """The bytes of a member of an archive, read from the first to the last; see `Archive.member`."""

    def __init__(self, opened: _core.Member) -> None:
        self._opened = opened

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; returns fewer bytes at the end only."""
        return self._opened.readinto(buffer)

    def read(self, size: int = -1) -> bytes:
        """The next bytes; all that are left if `size` is negative."""
        source = Source(self)
        return source.rest() if size < 0 else source.take(size)

    def close(self) -> None:
        """Give back what it holds."""
        self._opened.close()

    def __enter__(self) -> Member:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def open_npz(file: Any, *, limits: Limits | None = None, mmap_mode: str | None = None, verify: bool = True,
             info: Mapping[str, Any] | None = None, **options: Any) -> Archive:
    """Open an archive: a Mapping that loads members when they are asked for.

    Of an archive in an object store, opening requests the first 4 KiB, the last 128 KiB, and the directory if it begins
    before these; local headers are checked when their members are asked for. A member is one request more. Its CRC is
    verified; a look at the object (a HEAD request) shows that it has not changed.

    Parameters
    ----------
    file : str, os.PathLike, fsspec.core.OpenFile, bytes or buffer, or binary file object
        A string with ``://`` is a URL for fsspec, as of `open`. A file object with a descriptor is read by that; any other
        one is read into memory.
    limits : Limits, optional
        What may be read.
    mmap_mode : {None, 'r', 'c'}
        Map stored members instead of reading them.
    verify : bool
        Whether the CRC of a mapped member is verified.
    info : mapping, optional
        Of a URL: what a listing of the store has said about the object, as of `open`.
    **options
        For the file system of a URL, as of `open`.

    Raises
    ------
    Refused
        The archive breaks a rule or exceeds a limit.
    OSError
        The file or the object cannot be read, or has changed.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> sn.savez("m.npz", w=np.arange(4.0))
    >>> with sn.open_npz("m.npz") as z:
    ...     z.header("w").shape
    (4,)
    """
    chosen = Limits() if limits is None else limits
    path = None
    wanted: Any = file
    is_url = isinstance(file, str) and "://" in file
    if is_url or (hasattr(file, "fs") and not hasattr(file, "read")):
        from ._ranged import open_ranged

        if mmap_mode is not None:
            raise ValueError("an archive in an object store cannot be mapped")
        return open_ranged(file, chosen, info, options)
    if options or info is not None:
        raise TypeError("options of a store, and info, need a URL")
    if is_path(file):
        path = file
    elif is_bytes(file):
        wanted = memoryview(file)
    else:
        descriptor = descriptor_of(file)
        wanted = memoryview(Source(file).rest()) if descriptor is None else descriptor
    if mmap_mode is not None and mmap_mode not in MODES:
        raise ValueError(f"mmap_mode is {mmap_mode!r}, not 'r' or 'c'")
    return Archive(_core.open_archive(wanted, chosen.native, None), chosen, path, mmap_mode, verify)


async def open_npz_async(file: Any, **options: Any) -> Archive:
    """Open an archive, as `open_npz` does, for programs with an event loop: a thread waits for the bytes.

    Parameters
    ----------
    file, **options
        As of `open_npz`.

    Examples
    --------
    >>> import asyncio, numpy as np, safenpy as sn
    >>> sn.savez("m.npz", w=np.arange(4.0))
    >>> async def sum_of_w():
    ...     with await sn.open_npz_async("m.npz") as z:
    ...         return (await z.get_async("w")).sum()
    >>> float(asyncio.run(sum_of_w()))
    6.0
    """
    from asyncio import to_thread

    return await to_thread(open_npz, file, **options)
