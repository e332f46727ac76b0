"""Arrays in object stores: the header and slices by ranged reads, through fsspec or any file that can seek."""

from __future__ import annotations

import errno
import importlib
import io
import itertools
import math
import operator
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from . import _core
from ._check import Verdict
from ._dtype import HAS_NUMPY
from ._errors import Refused
from ._limits import Limits
from ._source import Source, is_path, read_head, read_header, refuse_archive

if TYPE_CHECKING:
    import numpy as np
elif HAS_NUMPY:
    import numpy as np

__all__ = ["RangedArray", "check_objects", "open", "open_async"]

_FIRST = 4096  # bytes of the request for a header
_GAP = 64 << 10
_BATCH = 64 << 20  # bytes that are requested at once, where more than one range is needed
_WHOLE = 64 << 20  # bytes of the largest archive that is fetched by one request
_AHEAD = 8 << 20  # bytes of a large archive that are requested at once
_AT_ONCE = 64  # ranges that are requested at once
_TAGS = ("ETag", "etag", "e_tag", "md5Hash", "content_md5")
_TIMES = ("LastModified", "last_modified", "Last-Modified", "updated", "mtime", "created")
_INFOS = ("size", *_TAGS, *_TIMES)

_Range = tuple[int, int]


def _changed(path: Any) -> NoReturn:
    raise OSError(errno.EIO, "the object has changed since it was opened", path)


def _ended(path: Any, offset: int, size: int) -> NoReturn:
    raise OSError(errno.EIO, f"the object has no byte {offset}, but its size is {size}", path)


def _pair(one: Mapping[str, Any], other: Mapping[str, Any], keys: tuple[str, ...]) -> tuple[Any, Any] | None:
    """What both say by the first key that both have; a listing may have a number where info has a datetime."""
    for key in keys:
        pair = [about[key].timestamp() if hasattr(about[key], "timestamp") else about[key]
                for about in (one, other) if about.get(key) is not None]
        if len(pair) == 2:
            return pair[0], pair[1]
    return None


class _Object:
    """An object of an fsspec file system: ranges are requested together, where the file system can."""

    def __init__(self, fs: Any, path: str, info: Mapping[str, Any] | None) -> None:
        self.fs = fs
        self.path = path
        self.info = {key: value for key, value in (self._look() if info is None else info).items() if key in _INFOS}
        size = self.info.get("size")
        self.size: int | None = None if size is None else operator.index(size)
        tag = _pair(self.info, self.info, _TAGS)
        self.etag = None if tag is None else str(tag[0])

    def _look(self) -> Mapping[str, Any]:
        self.fs.invalidate_cache(self.path)
        info: Mapping[str, Any] = self._call(lambda: self.fs.info(self.path))
        return info

    def _call(self, function: Callable[[], Any]) -> Any:
        try:
            return function()
        except OSError:
            raise
        except Exception as error:
            raise OSError(errno.EIO, f"{type(error).__name__}: {error}", self.path) from error

    def read(self, ranges: list[_Range]) -> list[Any]:
        """The bytes of ranges, fewer only after the end."""
        starts, stops = [at for at, _ in ranges], [at + size for at, size in ranges]
        if len(ranges) == 1:
            found = [self._call(lambda: self.fs.cat_file(self.path, start=starts[0], end=stops[0]))]
        else:
            found = self._call(lambda: self.fs.cat_ranges([self.path] * len(ranges), starts, stops, on_error="raise"))
        for (at, size), data in zip(ranges, found, strict=True):
            if len(data) > size:
                raise OSError(errno.EIO, f"{len(data)} bytes came for a range of {size} from {at}", self.path)
        return found

    def verify(self) -> None:
        """Raises if the object is no longer the one that was opened: size, and ETag or else time of change."""
        now = self._look()
        pair = _pair(now, self.info, _TAGS) or _pair(now, self.info, _TIMES) or (None, None)
        if now.get("size") != self.size or pair[0] != pair[1]:
            _changed(self.path)

    def close(self) -> None:
        """Nothing is open."""


class _File:
    """A file object that can seek."""

    etag = None

    def __init__(self, file: Any, path: Any, is_owned: bool) -> None:
        self.file = file
        self.path = path
        self.is_owned = is_owned
        self.lock = threading.Lock()    # between a seek and what is read there
        self.size: int | None = self._measure()

    def _measure(self) -> int:
        with self.lock:
            self.file.seek(0, os.SEEK_END)
            return operator.index(self.file.tell())

    def _take(self, at: int, size: int) -> Any:
        out = bytearray(min(size, max(0, (self.size or 0) - at)))
        self.file.seek(at)
        if not hasattr(self.file, "readinto"):
            data = memoryview(self.file.read(len(out))).cast("B")
            if len(data) > len(out):
                raise TypeError(f"read({len(out)}) of the file object returned {len(data)} bytes")
            return data
        with memoryview(out) as view:
            got = Source(self.file).fill(view)
        return memoryview(out)[:got]

    def read(self, ranges: list[_Range]) -> list[Any]:
        """The bytes of ranges, fewer only after the end."""
        with self.lock:
            return [self._take(*one) for one in ranges]

    def verify(self) -> None:
        """Raises if the length is another one."""
        if self._measure() != self.size:
            _changed(self.path)

    def close(self) -> None:
        """Closes the file, if it was opened by its path."""
        if self.is_owned:
            self.file.close()


class _Head:
    """Reads from the front: what the first request brought, then by one request for each call."""

    def __init__(self, store: _Object | _File, head: Any) -> None:
        self.store = store
        self.head = memoryview(head)
        self.at = 0

    def readinto(self, view: memoryview) -> int:
        """Fills what it can of a buffer."""
        data = self.head[self.at:self.at + len(view)]
        if not data:
            data = memoryview(self.store.read([(self.at, len(view))])[0])
        view[:len(data)] = data
        self.at += len(data)
        return len(data)


def _words(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)  # pyright: ignore[reportUnknownVariableType]


def _axes(index: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, list[tuple[int, int]]]:
    """The byte of the first element that an index names, and count and stride of each axis that is left."""
    words: list[Any] = list(_words(index))
    dots = [at for at, word in enumerate(words) if word is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can have one ellipsis only")
    missing = len(shape) - (len(words) - len(dots))
    if missing < 0:
        raise IndexError(f"too many indices: {len(words) - len(dots)} for {len(shape)} dimensions")
    at = dots[0] if dots else len(words)
    words[at:at + len(dots)] = [slice(None)] * missing
    first = 0
    axes: list[tuple[int, int]] = []
    for word, length, stride in zip(words, shape, strides, strict=True):
        if isinstance(word, slice):
            chosen = range(*word.indices(length))
            axes.append((len(chosen), chosen.step * stride))
            first += chosen.start * stride if len(chosen) else 0
            continue
        if isinstance(word, bool) or not hasattr(word, "__index__"):
            raise TypeError("an index consists of integers, slices and an ellipsis")
        number = operator.index(word)
        if not -length <= number < length:
            raise IndexError(f"index {word!r} is out of bounds for a dimension of {length}")
        first += (number + length if number < 0 else number) * stride
    return first, axes


def _has_dots(index: Any) -> bool:
    """Whether an index has an ellipsis: NumPy makes no scalar then."""
    return any(word is Ellipsis for word in _words(index))


class _Plan:
    """Which ranges a slice needs: blocks that are read as a whole, each at some index of the outer axes.

    All strides are positive here. The innermost axes form a block while the bytes between their elements that are not
    wanted are no more than `gap` each, and the block is no longer than a batch, if there are such bytes at all.
    """

    def __init__(self, axes: list[tuple[int, int]], itemsize: int, gap: int) -> None:
        order = sorted(range(len(axes)), key=lambda axis: axes[axis][1])
        self.length = itemsize
        self.inner: set[int] = set()
        for axis in order:
            count, stride = axes[axis]
            unwanted = stride - self.length
            longer = (count - 1) * stride + self.length
            if count > 1 and unwanted > 0 and (unwanted > gap or longer > _BATCH):
                break
            self.length = longer
            self.inner.add(axis)
        self.outer = [axis for axis in reversed(order) if axis not in self.inner]
        self.axes = axes
        self.gap = gap

    def blocks(self, first: int) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """The byte at which each block begins, ascending, and its index in the result."""
        for numbers in itertools.product(*(range(self.axes[axis][0]) for axis in self.outer)):
            where: list[Any] = [slice(None)] * len(self.axes)
            at = first
            for axis, number in zip(self.outer, numbers, strict=True):
                where[axis] = number
                at += number * self.axes[axis][1]
            yield at, (*where, Ellipsis)

    def ranges(self, first: int) -> Iterator[tuple[_Range, list[tuple[int, tuple[Any, ...]]]]]:
        """Ranges, and the blocks in each: those with small gaps between them share one."""
        begin = stop = -1
        held: list[tuple[int, tuple[Any, ...]]] = []
        for at, where in self.blocks(first):
            if held and (at - stop > self.gap or at + self.length - begin > _BATCH):
                yield (begin, stop - begin), held
                held = []
            begin = begin if held else at
            stop = at + self.length
            held.append((at, where))
        yield (begin, stop - begin), held


class RangedArray:
    """An array of which only the header was read: indexing reads the ranges that it needs. Made by `open`.

    An index consists of integers, slices and an ellipsis, as of a numpy.ndarray; the result is an array of its own.
    After the reads the object is looked at once more, and OSError is raised if it is no longer the one that was opened: by
    size, and ETag or else time of change; of a file object, by size. Threads may share one that was opened by a URL.

    Attributes
    ----------
    header : Header
    shape, dtype, ndim
        As of a numpy.ndarray.
    path : str, os.PathLike or None
    file_size : int or None
        Bytes of the object; None if the store does not say.
    etag : str or None
        What the store calls the content, if it does.

    Examples
    --------
    >>> import io, numpy as np, safenpy as sn
    >>> with io.BytesIO() as file:
    ...     sn.save(file, np.arange(12).reshape(3, 4))
    ...     with sn.open(file) as a:
    ...         a.shape, a[1:, ::2]
    ((3, 4), array([[ 4,  6],
           [ 8, 10]]))
    """

    def __init__(self, store: _Object | _File, header: _core.Header, gap: int) -> None:
        self._store = store
        self._gap = gap
        self.header = header
        self.path = store.path
        self.file_size = store.size
        self.etag = store.etag

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements along each axis."""
        return self.header.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.header.shape)

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self.header.dtype

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<safenpy.RangedArray {self.path!r}: {self.header!r}>"

    def __getitem__(self, index: Any) -> Any:
        if not HAS_NUMPY:
            raise ImportError("reading slices needs NumPy")
        about = self.header
        if about.has_object:
            raise Refused(_core.SNPY_OBJECT_DATA, about.data_offset, None, self.path)
        shape = about.shape
        strides = tuple(about.itemsize * math.prod(shape[:axis] if about.fortran_order else shape[axis + 1:])
                        for axis in range(len(shape)))
        first, axes = _axes(index, shape, strides)
        counts = tuple(count for count, _ in axes)
        if 0 in counts or not about.itemsize:
            found: Any = np.ndarray(counts, about.dtype, bytearray())
        else:
            first += sum((count - 1) * stride for count, stride in axes if stride < 0)
            found = self._read(about.data_offset + first, [(count, abs(stride)) for count, stride in axes], about.dtype)
            self._store.verify()
        if axes:
            return found[tuple(slice(None, None, -1 if stride < 0 else 1) for _, stride in axes)]
        return found if _has_dots(index) else found[()]

    async def get_async(self, index: Any) -> Any:
        """What ``a[index]`` gives, for programs with an event loop: a thread waits for the store, see `open_async`."""
        from asyncio import to_thread

        return await to_thread(self.__getitem__, index)

    def _read(self, first: int, axes: list[tuple[int, int]], dtype: Any) -> Any:
        plan = _Plan(axes, dtype.itemsize, self._gap)
        counts = tuple(count for count, _ in axes)
        shape = tuple(axes[axis][0] for axis in range(len(axes)) if axis in plan.inner)
        strides = tuple(axes[axis][1] for axis in range(len(axes)) if axis in plan.inner)
        out: Any = None
        batch: list[tuple[_Range, list[tuple[int, tuple[Any, ...]]]]] = []
        left = plan.ranges(first)
        while batch := _take(left):
            for (one, blocks), data in zip(batch, self._store.read([one for one, _ in batch]), strict=True):
                if len(data) < one[1]:
                    self._ended(one[0] + len(data))
                for at, where in blocks:
                    block: Any = np.ndarray(shape, dtype, data, at - one[0], strides)
                    if out is None and not plan.outer and block.nbytes == len(data):
                        return block if block.flags.writeable else block.copy(order="K")
                    out = np.empty(counts, dtype, order="F" if self.header.fortran_order else "C") if out is None else out
                    out[where] = block
        return out

    def _ended(self, offset: int) -> NoReturn:
        if self.file_size is not None:
            _ended(self.path, offset, self.file_size)
        raise Refused(_core.SNPY_TRUNCATED_DATA, offset, None, self.path)

    def close(self) -> None:
        """Close the file, if it was opened by its path. Arrays stay."""
        self._store.close()

    def __enter__(self) -> RangedArray:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _take(left: Iterator[tuple[_Range, list[Any]]]) -> list[tuple[_Range, list[Any]]]:
    """The ranges that are requested next."""
    batch: list[tuple[_Range, list[Any]]] = []
    size = 0
    for one in itertools.islice(left, _AT_ONCE):
        batch.append(one)
        size += one[0][1]
        if size >= _BATCH:
            break
    return batch


def _store_of(file: Any, info: Mapping[str, Any] | None, options: Mapping[str, Any]) -> _Object | _File:
    if isinstance(file, str) and "://" in file:
        try:
            core: Any = importlib.import_module("fsspec.core")
        except ImportError as error:
            raise ImportError(f"{file} needs fsspec, and the package of its file system") from error
        there: tuple[Any, str] = core.url_to_fs(file, **options)
        return _Object(there[0], there[1], info)
    if options or (info is not None and not hasattr(file, "fs")):
        raise TypeError("options of a store, and info, need a URL")
    if is_path(file):
        return _File(io.FileIO(file), file, True)
    fs: Any = getattr(file, "fs", None)
    if fs is not None and not hasattr(file, "read"):  # fsspec.core.OpenFile
        return _Object(fs, getattr(file, "path", ""), info)
    if not (hasattr(file, "seek") and hasattr(file, "read")):
        raise TypeError(f"neither a URL, nor a path, nor a binary file that can seek: {type(file).__name__}")
    path = getattr(file, "name", None)
    return _File(file, path if isinstance(path, str | bytes) else None, False)


def open(file: Any, *, limits: Limits | None = None, gap: int = _GAP, info: Mapping[str, Any] | None = None,
         **options: Any) -> RangedArray:
    """Open an array where it lies, in an object store for example: its header is read and checked, no data.

    A URL costs one look at the object (a HEAD request; none with `info`) and one request of at most 4 KiB, and one more
    if the header is longer. The size of the object must be large enough for the data that the header declares.

    Parameters
    ----------
    file : str, os.PathLike, fsspec.core.OpenFile, or binary file object
        A string with ``://`` is a URL for fsspec, which must be installed: ``s3://…``, ``https://…``, also chained ones. A
        file object must be able to seek; it starts at its byte 0, and stays open.
    limits : Limits, optional
        What may be read.
    gap : int
        Bytes: ranges with no more than this between them are requested as one.
    info : mapping, optional
        Of a URL: what a listing of the store has said about the object (``fs.ls(folder, detail=True)``), with ``size``.
    **options
        For the file system of a URL, as of ``fsspec.open``: ``key=``, ``anon=``, ``client_kwargs=``.

    Raises
    ------
    Refused
        The header breaks a rule or exceeds a limit, or the object is too short for the data.
    OSError
        The store cannot read the object, or the object has changed.
    ValueError
        It is an archive.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> sn.save("long.npy", np.arange(1000).reshape(100, 10))
    >>> with sn.open("long.npy") as a:
    ...     a.shape, a[10:12, ::4]
    ((100, 10), array([[100, 104, 108],
           [110, 114, 118]]))
    """
    if gap < 0:
        raise ValueError("gap must not be negative")
    chosen = Limits() if limits is None else limits
    store = _store_of(file, info, options)
    try:
        return RangedArray(store, _header_of(store, chosen), gap)
    except BaseException:
        store.close()
        raise


async def open_async(file: Any, **options: Any) -> RangedArray:
    """Open an array where it lies, as `open` does, for programs with an event loop: a thread waits for the store.

    Parameters
    ----------
    file, **options
        As of `open`.

    Examples
    --------
    >>> import asyncio, numpy as np, safenpy as sn
    >>> sn.save("long.npy", np.arange(1000))
    >>> async def first_and_last():
    ...     with await sn.open_async("long.npy") as a:
    ...         return await asyncio.gather(a.get_async(0), a.get_async(-1))
    >>> [int(number) for number in asyncio.run(first_and_last())]
    [0, 999]
    """
    from asyncio import to_thread

    return await to_thread(open, file, **options)


def _first_bytes(store: _Object | _File) -> bytes:
    """What the first request brings."""
    wanted = _FIRST if store.size is None else min(_FIRST, store.size)
    head = bytes(store.read([(0, wanted)])[0]) if wanted else b""
    if store.size is not None and len(head) < wanted:
        _ended(store.path, len(head), store.size)
    return head


def _header_of(store: _Object | _File, limits: Limits) -> _core.Header:
    head = _first_bytes(store)
    refuse_archive(head, store.path, "open_npz reads it")
    try:
        about = read_header(Source(_Head(store, head)), limits, b"", store.path)
    except Refused as refusal:
        look = int(_core.check_bytes(head, limits.native)[6]) if refusal.number == _core.SNPY_BAD_MAGIC else 0
        if not look:
            raise
        raise Refused(refusal.number, refusal.offset, None, store.path, look) from None
    if store.size is not None:
        _core.check_size(about, store.size, limits.trailing, store.path)
    return about


class Examined(NamedTuple):
    """What was found about an object of a store."""

    verdict: Verdict
    head: bytes = b""  # of an array: its first bytes, with the header
    members: int | None = None  # of an archive that can be opened: how many there are


def _is_archive(head: bytes) -> bool:
    return head[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def _examine_archive(store: _Object, head: bytes, limits: Limits, max_whole: int, wanted: tuple[int, int] | None) -> Examined:
    """Checks an archive: fetched as a whole, or by ranges if it is longer than that; or only some of its members."""
    from ._ranged import RangedMembers

    size = store.size or 0
    try:
        members: Any
        if size > max_whole or wanted is not None:
            members = RangedMembers(store, limits, _AHEAD)
        else:
            data = head if len(head) == size else store.read([(0, size)])[0]
            if len(data) < size:
                _ended(store.path, len(data), size)
            members = _core.open_archive(memoryview(data), limits.native, store.path)
    except Refused as refusal:
        return Examined(Verdict(store.path, (refusal.number, refusal.offset, 0, refusal.member, "npz", None, 0)))
    count = len(members.names())
    first, stop = wanted or (0, count)
    return Examined(Verdict(store.path, members.check(first, stop)), members=count)


def examine(fs: Any, entry: Mapping[str, Any], limits: Limits, max_whole: int = _WHOLE,
            members: tuple[int, int] | None = None) -> Examined:
    """Checks an object that a listing names; of an archive only members first to stop - 1, if these are given."""
    path = entry["name"]
    try:
        store = _Object(fs, path, entry)
        if store.size is None:
            raise OSError(errno.EIO, "the listing does not say its size", path)
        head = _first_bytes(store)
        if _is_archive(head):
            return _examine_archive(store, head, limits, max_whole, members)
        if len(head) == store.size or head[:6] != b"\x93NUMPY":
            return Examined(Verdict(path, _core.check_bytes(head, limits.native)), head)
        head = read_head(Source(_Head(store, head)), limits, b"")
        return Examined(Verdict(path, _core.check_head(head, store.size, limits.native)), head)
    except Refused as refusal:
        return Examined(Verdict(path, (refusal.number, refusal.offset, 0, None, "npy", None, 0)))
    except OSError as error:
        verdict = Verdict(path, (_core.SNPY_IO_ERROR, 0, 0, None, None, None, 0))
        verdict.error = error
        return Examined(verdict)


def member_ranges(fs: Any, entry: Mapping[str, Any], limits: Limits, size: int) -> list[tuple[int, int]]:
    """Ranges of the members of an archive, each of at most about `size` bytes in the archive; none of what is no archive."""
    from ._ranged import RangedMembers

    store = _Object(fs, entry["name"], entry)
    if not _is_archive(_first_bytes(store)):
        return []
    members = RangedMembers(store, limits)
    count = len(members.names())
    starts = [members.info(index)[5] for index in range(count)]
    cuts = [0, *(index for index in range(1, count) if starts[index] // size > starts[index - 1] // size), count]
    return list(itertools.pairwise(cuts))


def check_objects(fs: Any, entries: Iterable[Mapping[str, Any]], *, jobs: int = 8, limits: Limits | None = None,
                  max_archive: int = _WHOLE) -> Iterator[Verdict]:
    """Check many objects of a store: a verdict of each, in their order, as they come.

    An NPY object costs one request of at most 4 KiB, and one more if the header is longer: header and size are checked, as by
    `check`. An archive is fetched as a whole, by a second request if it is longer than 4 KiB; a large one is read by ranges
    of 8 MiB, in bounded memory. Of two faults in different members of a large one, another may be reported than by `check`.

    Parameters
    ----------
    fs : fsspec.AbstractFileSystem
        The store.
    entries : iterable of mapping
        What a listing says of each object, with ``name`` and ``size``: ``fs.find(folder, detail=True).values()``. Consumed
        bit by bit. If an object has changed since, its header is compared with the size of before.
    jobs : int
        Threads that wait for answers; each holds one archive of up to `max_archive` bytes in memory.
    limits : Limits, optional
        What is accepted.
    max_archive : int
        Bytes: larger archives are read by ranges.

    Yields
    ------
    Verdict
        With ``path`` the name, and ``error`` set where the store cannot read an object.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> from fsspec.implementations.memory import MemoryFileSystem
    >>> store = MemoryFileSystem()
    >>> with store.open("/checked/x.npy", "wb") as file:
    ...     sn.save(file, np.arange(3))
    >>> store.pipe_file("/checked/y.npy", b"<html>")
    >>> [(v.path, v.rule) for v in sn.check_objects(store, store.find("/checked", detail=True).values())]
    [('/checked/x.npy', None), ('/checked/y.npy', 'NPY-FRAME-001')]
    """
    from concurrent.futures import Future, ThreadPoolExecutor  # loads logging

    if jobs < 1:
        raise ValueError("jobs must be positive")
    chosen = Limits() if limits is None else limits
    pool = ThreadPoolExecutor(jobs)
    waiting: deque[Future[Examined]] = deque()
    try:
        for entry in entries:
            waiting.append(pool.submit(examine, fs, entry, chosen, max_archive))
            while waiting and (len(waiting) >= 4 * jobs or waiting[0].done()):
                yield waiting.popleft().result().verdict
        while waiting:
            yield waiting.popleft().result().verdict
    finally:
        pool.shutdown(cancel_futures=True)
