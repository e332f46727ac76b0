"""What is raised: Refused for what a file breaks; trouble of the system stays OSError."""

from __future__ import annotations

import os
from typing import Any

__all__ = ["Refused"]


def texts_of(number: int, look: int) -> tuple[str, str, str, str, str | None]:
    """Status, rule, message, hint, and what the file looks like: the words of ``safenpy check``."""
    from . import _core

    status, rule, message, hint = _core.status_texts(number)
    if not look:
        return status, rule, message, hint, None
    name, noun, advice = _core.look_texts(look)
    return status, rule, f"the file looks like {noun}, not an NPY file", advice or hint, name


class Refused(ValueError):
    """A file breaks a rule of the formats, or exceeds a limit.

    Attributes
    ----------
    status : str
        The stable name, ``"SNPY_BAD_MAGIC"``.
    rule : str
        The rule that was broken, ``"NPY-FRAME-001"``: ``safenpy explain RULE`` prints it.
    offset : int
        The byte of the file at fault; of the member, if `member` is set and the rule is one of NPY files.
    member : str or None
        The name of the member of an archive, if the fault is in one.
    message, hint : str
        What is wrong, and what to do about it.
    path : str, bytes, os.PathLike or None
        The file, if it has a name.
    looks_like : str or None
        What the file looks like, if it is neither NPY nor NPZ: ``"html"``, ``"gzip"``, ``"git-lfs"``. A guess.

    Examples
    --------
    >>> import safenpy as sn
    >>> try:
    ...     sn.load(b"not an array")
    ... except sn.Refused as refusal:
    ...     print(refusal.status, refusal.rule, refusal.offset)
    SNPY_BAD_MAGIC NPY-FRAME-001 0
    """

    def __init__(self, number: int, offset: int = 0, member: str | None = None, path: Any = None,
                 look: int = 0) -> None:
        self.number = number
        self.offset = offset
        self.member = member
        self.path = path
        self.status, self.rule, self.message, self.hint, self.looks_like = texts_of(number, look)
        super().__init__(number, offset, member, path, look)

    def __str__(self) -> str:
        where = "" if self.path is None else f"{os.fsdecode(self.path)}: "
        inside = "" if self.member is None else f"member {self.member!r}: "
        return f"{where}{inside}{self.message} at byte {self.offset} [{self.rule}]; hint: {self.hint}"


class NothingLeft(Refused, EOFError):
    """A file object is at its end: what numpy.load says by EOFError, for loops over several arrays."""
