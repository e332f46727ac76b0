"""File objects: read exactly what is needed, whatever they are."""

from __future__ import annotations

import mmap
import operator
import os
import stat
from typing import TYPE_CHECKING, Any

from . import _core
from ._errors import Refused

if TYPE_CHECKING:
    from typing import TypeGuard

    from typing_extensions import Buffer

    from ._limits import Limits

#: The first bytes of an archive.
ARCHIVE = (b"PK\x03\x04", b"PK\x05\x06")

_CHUNK = 1 << 20
_LARGE = 64 << 20
_MOST_THREADS = 256


def is_path(file: Any) -> TypeGuard[str | os.PathLike[Any]]:
    """Whether a file is given by its path."""
    return isinstance(file, str | os.PathLike)


def is_bytes(file: Any) -> TypeGuard[bytes | bytearray | memoryview[int]]:
    """Whether the file itself is given."""
    return isinstance(file, bytes | bytearray | memoryview)


def _count(given: object, most: int) -> int:
    """What a file object says it has read; a hostile one says anything."""
    if given is None:
        raise BlockingIOError("the file object is non-blocking and has no data")
    if not isinstance(given, int) or not 0 <= given <= most:
        raise TypeError(f"readinto() of the file object returned {given!r} for a buffer of {most} bytes")
    return given


class Source:
    """Reads a file object with readinto or read, never beyond what is asked for."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.readinto = getattr(file, "readinto", None)
        if self.readinto is None and not hasattr(file, "read"):
            raise TypeError(f"neither a path, nor bytes, nor a binary file: {type(file).__name__}")

    def _some(self, view: memoryview) -> int:
        if self.readinto is not None:
            return _count(self.readinto(view), len(view))
        data: Any = self.file.read(min(len(view), _CHUNK))
        if data is None:
            raise BlockingIOError("the file object is non-blocking and has no data")
        if isinstance(data, str):
            raise TypeError("the file is open as text: open it with mode 'rb'")
        got = memoryview(data).cast("B")
        if len(got) > len(view):
            raise TypeError(f"read({len(view)}) of the file object returned {len(got)} bytes")
        view[: len(got)] = got
        return len(got)

    def fill(self, view: memoryview) -> int:
        """Fills a buffer; returns fewer bytes at the end of the file only."""
        done = 0
        while done < len(view):
            with view[done:] as rest:
                got = self._some(rest)
            if got == 0:
                break
            done += got
        return done

    def take(self, size: int) -> bytes:
        """The next bytes, fewer at the end; memory grows as they arrive."""
        out = bytearray()
        while len(out) < size:
            piece = bytearray(min(size - len(out), _CHUNK))
            with memoryview(piece) as view:
                got = self.fill(view)
            out += memoryview(piece)[:got]
            if got < len(piece):
                break
        return bytes(out)

    def rest(self) -> bytes:
        """All that is left."""
        out = bytearray()
        while piece := self.take(_CHUNK):
            out += piece
        return bytes(out)

    def left(self) -> int | None:
        """Bytes from here to the end, where the file object can say so."""
        try:
            here = self.file.tell()
            end = self.file.seek(0, os.SEEK_END)
            self.file.seek(here)
        except (AttributeError, OSError, ValueError):
            return None
        return end - here if isinstance(end, int) and isinstance(here, int) else None


def threads_of(threads: Any) -> int:
    """A number of threads that a caller has given."""
    number = operator.index(threads)
    if number < 1:
        raise ValueError("threads must be positive")
    return min(number, _MOST_THREADS)


def archive_error(path: Any, instead: str = "name the member with key=") -> ValueError:
    """What is raised where an array was asked for, and an archive is there."""
    name = "this" if path is None else repr(os.fsdecode(path))
    return ValueError(f"{name} is an archive: {instead}")


def refuse_archive(start: bytes, path: Any, instead: str = "name the member with key=") -> None:
    """Raises if an archive begins where an array was asked for."""
    if start[:4] in ARCHIVE:
        raise archive_error(path, instead)


def read_head(source: Source, limits: Limits, start: bytes) -> bytes:
    """The bytes of a header, of which the first are there already; fewer if it will be refused."""
    head = start + source.take(10 - len(start)) if len(start) < 10 else start
    if len(head) == 10 and head[6] in (2, 3):
        head += source.take(2)
    size = 12 if len(head) > 10 else 10
    if len(head) < size or head[:6] != b"\x93NUMPY":
        return head
    length = int.from_bytes(head[8:size], "little")
    return head + source.take(length) if length <= limits.max_header else head


def read_header(source: Source, limits: Limits, start: bytes, path: Any = None) -> _core.Header:
    """Reads a header, of which the first bytes are there already."""
    return _core.parse(read_head(source, limits, start), limits.native, path)


def read_file_header(source: Source, limits: Limits, path: Any = None) -> _core.Header:
    """Reads the header of a file, which must be no archive."""
    start = source.take(4)
    refuse_archive(start, path)
    return read_header(source, limits, start, path)


def read_data(source: Source, header: _core.Header, limits: Limits, path: Any = None) -> _core.Memory:
    """Reads the data after a header, up to their last byte."""
    size = header.nbytes
    if size is None:
        _core.check_size(header, header.data_offset + len(source.take(1)), True, path)
        raise Refused(_core.SNPY_OBJECT_DATA, header.data_offset, None, path)
    buffer: Buffer
    left = source.left() if size > _LARGE else None
    if left is not None:
        _core.check_size(header, header.data_offset + left, True, path)
        buffer = mmap.mmap(-1, size)
        with memoryview(buffer) as view:
            got = source.fill(view)
        if got < size:
            raise Refused(_core.SNPY_TRUNCATED_DATA, header.data_offset + got, None, path)
    else:
        buffer = read_exactly(source, size, header.data_offset, path)
    if not limits.trailing and source.take(1):
        raise Refused(_core.SNPY_TRAILING_DATA, header.data_offset + size, None, path)
    return _core.wrap(header, buffer)


def read_exactly(source: Source, size: int, offset: int, path: Any) -> bytearray:
    """The next bytes, of which many take memory only as they come; `offset` is that of the first in the file."""
    out = bytearray(size if size <= _LARGE else 0)
    got = 0
    if out:
        with memoryview(out) as view:
            got = source.fill(view)
    while size > _LARGE and got < size and (piece := source.take(min(16 * _CHUNK, size - got))):
        out += piece
        got += len(piece)
    if got < size:
        raise Refused(_core.SNPY_TRUNCATED_DATA, offset + got, None, path)
    return out


def descriptor_of(file: Any) -> int | None:
    """The descriptor of a file object that is a whole regular file, or None."""
    import io

    if not isinstance(file, (io.FileIO, io.BufferedReader, io.BufferedRandom, io.BufferedWriter)):
        return None
    try:
        descriptor = file.fileno()
        return descriptor if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    except OSError:
        return None
