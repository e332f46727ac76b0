"""Verdicts: check, check_many."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from . import _core
from ._errors import Refused, texts_of
from ._limits import Limits
from ._source import Source, descriptor_of, is_bytes, is_path, read_header

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["Verdict", "check", "check_many"]

_DEFAULT = Limits()
_BATCH = 64
_SECONDS = 0.1
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

    def __init__(self, path: Any, found: tuple[Any, ...]) -> None:
        self.path = path
        self._number: int
        self._offset: int
        self._look: int
        self.member: str | None
        self.format: str | None
        self._number, self._offset, system, self.member, self.format, notes, self._look = found
        self.notes: list[str] = notes or []
        self.error = OSError(system, os.strerror(system), path) if system else None
        if self.error is None and self._number == _core.SNPY_IO_ERROR:
            self.error = OSError(f"{path}: cannot be read")

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
        verdict = Verdict(file, _core.check_paths([file], chosen.native)[0])
        if verdict.error is not None:
            raise verdict.error
        return verdict
    if is_bytes(file):
        return Verdict(None, _core.check_bytes(file, chosen.native))
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
        return Verdict(None, (refusal.number, refusal.offset, 0, refusal.member, known, None, 0))
    notes = ["object data are a pickle, which is not checked"] if about.has_object else None
    return Verdict(None, (0, 0, 0, None, "npy", notes, 0))


def check_many(paths: Iterable[Any], *, jobs: int = 1, limits: Limits | None = None) -> Iterator[Verdict]:
    """Check many files: a verdict of each, in their order, as they come.

    Parameters
    ----------
    paths : iterable of str or os.PathLike
        Consumed bit by bit: any number of files takes the same memory. What is no path raises after the verdicts of the
        paths before it.
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
    native = (_DEFAULT if limits is None else limits).native
    if jobs <= 1:
        for batch in _batches(paths, [_BATCH]):
            while batch:
                found = _check_some(batch, native)
                yield from map(Verdict, batch, found)
                del batch[: len(found)]
        return
    from concurrent.futures import ThreadPoolExecutor  # loads logging, so only who needs threads pays

    pool = ThreadPoolExecutor(jobs)
    stopped: list[bool] = []

    size = [1]  # of a batch: large while files are small, so that no verdict waits for many others

    def check_batch(batch: list[Any]) -> tuple[list[tuple[Any, ...]], Exception | None]:
        found: list[tuple[Any, ...]] = []
        try:
            found += _check_some(batch, native)
            size[0] = min(2 * size[0], _BATCH) if len(found) == len(batch) else 1
            while len(found) < len(batch) and not stopped:
                found += _check_some(batch[len(found):], native)
        except (TypeError, ValueError) as error:
            return found, error
        return found, None

    waiting: deque[tuple[list[Any], Future[tuple[list[tuple[Any, ...]], Exception | None]]]] = deque()
    batches = _batches(paths, size)
    failure: Exception | None = None
    try:
        while True:
            while failure is None and len(waiting) < 2 * jobs and not (waiting and waiting[0][1].done()):
                try:
                    batch = next(batches)
                except StopIteration:
                    break
                except Exception as raised:  # comes after the verdicts of the paths before
                    failure = raised
                    break
                waiting.append((batch, pool.submit(check_batch, batch)))
            if not waiting:
                if failure is not None:
                    raise failure
                return
            batch, future = waiting.popleft()
            found, error = future.result()
            yield from map(Verdict, batch, found)
            if error is not None:
                raise error
    finally:
        stopped.append(True)
        pool.shutdown(cancel_futures=True)


def _batches(paths: Iterable[Any], size: list[int]) -> Iterator[list[Any]]:
    """Paths in lists of size[0], or of what comes within a tenth of a second; an error comes after the paths before it."""
    left = iter(paths)
    while True:
        batch: list[Any] = []
        until = time.monotonic() + _SECONDS
        try:
            for path in islice(left, size[0]):
                batch.append(path)
                if time.monotonic() > until:
                    break
        except Exception:
            if batch:
                yield batch
            raise
        if not batch:
            return
        yield batch


def _check_some(batch: list[Any], native: tuple[int, ...]) -> list[tuple[Any, ...]]:
    """What was found of the first files of a list, of which the first at least is checked. Raises only for that one."""
    try:
        return _core.check_paths(batch, native)
    except (TypeError, ValueError):  # of what is no path
        return _core.check_paths(batch[:1], native)
