"""Archives in object stores: the end and the directory when they are opened, then a range for each member that is wanted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from . import _core
from ._archive import Archive
from ._limits import Limits
from ._remote import _ended, _File, _Object, _store_of

__all__ = ["Ranges", "RangedMembers", "open_ranged"]

_FIRST = 4096  # bytes of the first request, which has the first local header
_TAIL = 128 << 10  # of the request for the end records; of a thousand members the directory, too
_HEADER = 4096  # of the request for a header of a stored member
_INPUT = (64 << 10) + 512  # of a deflated one: what the library inflates at once, and the local header
_HELD = 64 << 20  # bytes of a member that are requested at once


class Ranges:
    """What an archive's reader asks for: from memory if it is there, else by a request."""

    def __init__(self, store: _Object | _File, ahead: int = 0) -> None:
        if store.size is None:
            raise OSError(f"{store.path!r}: the store does not say its size, which an archive needs")
        self.store = store
        self.size = store.size
        self.ahead = ahead  # bytes that are requested at least, for a reader that goes on
        self._held: list[tuple[int, Any]] = []
        self._first: list[tuple[int, Any]] = []
        tail = max(0, self.size - _TAIL)
        self._first = self._fetch([(0, min(_FIRST, tail)), (tail, self.size - tail)])

    def _fetch(self, ranges: list[tuple[int, int]]) -> list[tuple[int, Any]]:
        wanted = [(at, size) for at, size in ranges if size > 0]
        found = self.store.read(wanted) if wanted else []
        for (at, size), data in zip(wanted, found, strict=True):
            if len(data) < size:
                _ended(self.store.path, at + len(data), self.size)
        return [(at, memoryview(data)) for (at, _), data in zip(wanted, found, strict=True)]

    def _known(self, offset: int, length: int) -> Any:
        for at, data in (*self._held, *self._first):
            if at <= offset < at + len(data):
                return data[offset - at:offset - at + length]
        return None

    def hold(self, start: int, stop: int) -> None:
        """Requests a range, unless it is there, and keeps it until the next one."""
        known = self._known(start, stop - start)
        if known is None or len(known) < stop - start:
            self._held = self._fetch([(start, stop - start)])

    def read(self, offset: int, length: int) -> Any:
        """Up to `length` bytes, fewer if only these are in memory."""
        length = min(length, self.size - offset)
        if length <= 0:
            return b""
        known = self._known(offset, length)
        if known is None and self.ahead > length:
            self.hold(offset, min(self.size, offset + self.ahead))
            known = self._known(offset, length)
        return self._fetch([(offset, length)])[0][1] if known is None else known


class RangedMembers:
    """The members of an archive in a store, with the methods of _core.Archive; one thread at a time reads."""

    def __init__(self, store: _Object | _File, limits: Limits, ahead: int = 0) -> None:
        self.ranges = Ranges(store, ahead)
        self._store = store
        self._lock = threading.RLock()
        self._opened = _core.open_archive((self.ranges.size, self.ranges.read), limits.native, store.path)

    def _prepare(self, index: int, wanted: int | None = None) -> None:
        """Requests a member, or its first bytes, together with the local header, which is checked."""
        start, stop = self._opened.info(index)[5:7]
        self.ranges.hold(start, min(stop, start + (_HELD if wanted is None else wanted)))
        self._opened.check_local(index)

    def _now(self, function: Callable[[], Any]) -> Any:
        with self._lock:
            found = function()
        self._store.verify()
        return found

    def names(self) -> list[str]:
        return self._opened.names()

    def keys(self) -> list[str]:
        return self._opened.keys()

    def info(self, index: int) -> tuple[bool, int, int, int, int, int, int]:
        return self._opened.info(index)

    def load(self, index: int) -> tuple[_core.Header, _core.Memory]:
        def load() -> tuple[_core.Header, _core.Memory]:
            self._prepare(index)
            return self._opened.load(index)

        found: tuple[_core.Header, _core.Memory] = self._now(load)
        return found

    def read(self, index: int) -> bytes:
        def read() -> bytes:
            self._prepare(index)
            return self._opened.read(index)

        found: bytes = self._now(read)
        return found

    def map(self, index: int, mode: int, defer: bool) -> tuple[_core.Header, _core.Memory]:
        raise ValueError("a member of an archive in a store cannot be mapped: load it")

    def load_several(self, indices: list[int], threads: int) -> list[tuple[_core.Header, _core.Memory]]:
        return [self.load(index) for index in indices]

    def read_at(self, index: int, position: int, buffer: Any) -> None:
        def read() -> None:
            if not self._opened.info(index)[4]:
                self._prepare(index, _HEADER)
            self._opened.read_at(index, position, buffer)

        self._now(read)

    def open_member(self, index: int) -> _RangedMember:
        with self._lock:
            self._prepare(index, _INPUT if self._opened.info(index)[0] else _HEADER)
            return _RangedMember(self._opened.open_member(index), self._lock)

    def check(self, first: int, stop: int) -> tuple[Any, ...]:
        """The verdict about members `first` to `stop` - 1."""
        with self._lock:
            return self._opened.check(first, stop)

    def close(self) -> None:
        self._opened.close()
        self._store.close()


class _RangedMember:
    """The bytes of a member, with the methods of _core.Member."""

    def __init__(self, opened: _core.Member, lock: threading.RLock) -> None:
        self._opened = opened
        self._lock = lock

    def readinto(self, buffer: Any) -> int:
        with self._lock:
            return self._opened.readinto(buffer)

    def close(self) -> None:
        self._opened.close()


def open_ranged(file: Any, limits: Limits, info: Mapping[str, Any] | None, options: Mapping[str, Any]) -> Archive:
    """Opens an archive by its URL, or by what fsspec.open returns."""
    store = _store_of(file, info, options)
    try:
        members: Any = RangedMembers(store, limits)
        return Archive(members, limits, store.path)
    except BaseException:
        store.close()
        raise
