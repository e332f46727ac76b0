"""What is raised: Refused for what a file breaks; trouble of the system stays OSError."""

from __future__ import annotations

import os
from typing import Any

__all__ = ["Refused"]


def _texts(number: int) -> tuple[str, str, str, str]:
    from . import _core

    return _core.status_texts(number)


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

    Examples
    --------
    >>> import safenpy as sn
    >>> try:
    ...     sn.load(b"not an array")
    ... except sn.Refused as refusal:
    ...     print(refusal.status, refusal.rule, refusal.offset)
    SNPY_BAD_MAGIC NPY-FRAME-001 0
    """

    def __init__(self, number: int, offset: int = 0, member: str | None = None, path: Any = None) -> None:
        self.number = number
        self.offset = offset
        self.member = member
        self.path = path
        self.status, self.rule, self.message, self.hint = _texts(number)
        super().__init__(number, offset, member, path)

    def __str__(self) -> str:
        where = "" if self.path is None else f"{os.fsdecode(self.path)}: "
        inside = "" if self.member is None else f"member {self.member!r}: "
        return f"{where}{inside}{self.message} at byte {self.offset} [{self.rule}]; hint: {self.hint}"


class NothingLeft(Refused, EOFError):
    """A file object is at its end: what numpy.load says by EOFError, for loops over several arrays."""
