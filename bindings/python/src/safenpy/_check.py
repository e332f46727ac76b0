"""Verdicts: check, check_many."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from . import _core, _names
from ._errors import Refused, texts_of
from ._limits import Limits
from ._source import Source, descriptor_of, is_bytes, is_path, read_header

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["Verdict", "check", "check_many"]

_DEFAULT = Limits()
_BATCH = 64
_LOOK = 512  # SNPY_LOOK_BYTES


class Verdict:
    """What a check has found. True if the file is accepted.

    Attributes
    ----------
    path : str, bytes, os.PathLike or None
        The file.
    accepted : bool
    format : {'npy', 'npz', None}
        None: it is neither, or cannot be read.
    status, rule, message, hint : str or None
        Why the file was refused, as of `Refused`.
    offset : int or None
        The byte at fault.
    member : str or None
        The member at fault.
    notes : list of str
        What deserves a word about an accepted file: a pickle, trailing bytes, a member that is no array.
    looks_like : str or None
        What the file looks like, if it is neither NPY nor NPZ: ``"html"``, ``"gzip"``, ``"git-lfs"``. A guess.
    error : OSError or None
        The system could not read the file; there is no verdict then.
    """

    __slots__ = ("_look", "_number", "_offset", "error", "format", "member", "notes", "path")

    def __init__(self, path: Any, found: tuple[Any, ...], limits: Limits) -> None:
        self.path = path
        self._number: int
        self._offset: int
        self._look: int
        self.member: str | None
        self.format: str | None
        self._number, self._offset, system, self.member, self.format, notes, names, self._look = found
        self.notes: list[str] = notes or []
        self.error = OSError(system, os.strerror(system), path) if system else None
        if self.error is None and self._number == _core.SNPY_IO_ERROR:
            self.error = OSError(f"{path}: cannot be read")
        if not limits.unsafe_names and names and self._number == 0:
            fault = _names.first_fault(names)
            if fault is not None:
                self.member = names[fault[0]]
                self._number = fault[1]

    @property
    def accepted(self) -> bool:
        """Whether the file keeps all rules and limits."""
        return self._number == 0

    def __bool__(self) -> bool:
        return self._number == 0

    def _text(self, which: int) -> str | None:
        return None if self._number == 0 else texts_of(self._number, self._look)[which]

    @property
    def status(self) -> str | None:
        """The stable name of what was refused."""
        return self._text(0)

    @property
    def rule(self) -> str | None:
        """The rule that was broken."""
        return self._text(1)

    @property
    def message(self) -> str | None:
        """What is wrong."""
        return self._text(2)

    @property
    def hint(self) -> str | None:
        """What to do about it."""
        return self._text(3)

    @property
    def looks_like(self) -> str | None:
        """What the file looks like, if it is neither NPY nor NPZ."""
        return self._text(4)

    @property
    def offset(self) -> int | None:
        """The byte at fault."""
        return None if self._number == 0 else self._offset

    def __repr__(self) -> str:
        if self:
            return f"<Verdict {self.path!r}: accept, {self.format}{''.join(', note: ' + note for note in self.notes)}>"
        inside = "" if self.member is None else f" member {self.member!r}:"
        return f"<Verdict {self.path!r}:{inside} {self.message} at byte {self.offset} [{self.rule}]>"


def check(file: Any, *, limits: Limits | None = None) -> Verdict:
    """Check a file: header and size of an array; all of an archive, data and CRC included.

    Parameters
    ----------
    file : str, os.PathLike, bytes or buffer, or binary file object
        As for `load`. Of a file object that is no regular file, an array is read to its end.
    limits : Limits, optional
        What is accepted; `UNTRUSTED` for files of strangers.

    Raises
    ------
    OSError
        The system cannot read the file.

    Examples
    --------
    >>> import safenpy as sn
    >>> v = sn.check(b"PK\\x05\\x06" + bytes(18))
    >>> v.accepted, v.format, v.notes
    (True, 'npz', [])
    >>> v = sn.check(b"\\x93NUMPY\\x01\\x01")
    >>> bool(v), v.rule, v.offset
    (False, 'NPY-FRAME-003', 7)
    """
    chosen = _DEFAULT if limits is None else limits
    if is_path(file):
        verdict = Verdict(file, _core.check_paths([file], chosen.native)[0], chosen)
        if verdict.error is not None:
            raise verdict.error
        return verdict
    if is_bytes(file):
        return Verdict(None, _core.check_bytes(file, chosen.native), chosen)
    return _check_file(file, chosen)


def _check_file(file: Any, limits: Limits) -> Verdict:
    source = Source(file)
    descriptor = descriptor_of(file)
    if descriptor is not None and file.tell() == 0:
        return check(f"/dev/fd/{descriptor}", limits=limits)
    start = source.take(6)
    if start[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return check(start + source.rest(), limits=limits)
    if start != b"\x93NUMPY":
        return check(start + source.take(_LOOK - 6), limits=limits)
    try:
        about = read_header(source, limits, start)
        size = about.data_offset
        if about.nbytes is not None:
            left = about.nbytes
            while left > 0 and (piece := source.take(min(left, 1 << 20))):
                left -= len(piece)
            size += about.nbytes - left
        if about.has_object or not limits.trailing:
            size += len(source.take(1))
        _core.check_size(about, size, limits.trailing, None)
        if about.has_object and not limits.objects:
            raise Refused(_core.SNPY_OBJECT_DATA, about.data_offset)
    except Refused as refusal:
        known = None if refusal.number == _core.SNPY_TRUNCATED_PREFIX else "npy"
        return Verdict(None, (refusal.number, refusal.offset, 0, refusal.member, known, None, None, 0), limits)
    notes = ["object data are a pickle, which is not checked"] if about.has_object else None
    return Verdict(None, (0, 0, 0, None, "npy", notes, None, 0), limits)


def check_many(paths: Iterable[Any], *, jobs: int = 1, limits: Limits | None = None) -> Iterator[Verdict]:
    """Check many files: a verdict of each, in their order, as they come.

    Parameters
    ----------
    paths : iterable of str or os.PathLike
        Consumed bit by bit: any number of files takes the same memory.
    jobs : int
        Threads that check.
    limits : Limits, optional
        What is accepted.

    Yields
    ------
    Verdict
        With `error` set where the system cannot read a file.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> sn.save("x.npy", np.eye(2))
    >>> [(v.path, v.accepted) for v in sn.check_many(["x.npy", "missing.npy"], jobs=2)]
    [('x.npy', True), ('missing.npy', False)]
    """
    chosen = _DEFAULT if limits is None else limits
    left = iter(paths)
    if jobs <= 1:
        while batch := list(islice(left, _BATCH)):
            for path, found in zip(batch, _core.check_paths(batch, chosen.native), strict=True):
                yield Verdict(path, found, chosen)
        return
    from concurrent.futures import ThreadPoolExecutor  # loads logging, so only who needs threads pays

    with ThreadPoolExecutor(jobs) as pool:
        waiting: deque[tuple[list[Any], Future[list[tuple[Any, ...]]]]] = deque()
        while True:
            while len(waiting) < 2 * jobs and (batch := list(islice(left, _BATCH))):
                waiting.append((batch, pool.submit(_core.check_paths, batch, chosen.native)))
            if not waiting:
                return
            batch, future = waiting.popleft()
            for path, found in zip(batch, future.result(), strict=True):
                yield Verdict(path, found, chosen)
