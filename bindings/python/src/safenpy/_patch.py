"""patched(): what other libraries load and save with NumPy goes through safenpy, in this context only."""

from __future__ import annotations

import functools
from _thread import allocate_lock  # threading takes a millisecond to import
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ._limits import Limits
from ._load import load
from ._save import named, save, save_arrays

__all__ = ["patched"]

_active: ContextVar[Limits | None] = ContextVar("safenpy.patched", default=None)
_lock = allocate_lock()
_users = 0
_originals: dict[str, Any] = {}


def _load(file: Any, mmap_mode: Any = None, allow_pickle: bool = False, fix_imports: bool = True, encoding: str = "ASCII",
          *, max_header_size: int | None = None) -> Any:
    if encoding not in ("ASCII", "latin1", "bytes"):
        raise ValueError("encoding must be 'ASCII', 'latin1', or 'bytes'")
    if isinstance(file, bytes):
        file = _Path(file)
    return load(file, mmap_mode, allow_pickle, max_header_size=max_header_size, limits=_active.get())


class _Path:
    """bytes are a path for NumPy, and a file for us."""

    def __init__(self, path: bytes) -> None:
        self.path = path

    def __fspath__(self) -> bytes:
        return self.path


def _save(file: Any, arr: Any, allow_pickle: bool = True, fix_imports: Any = None) -> None:
    save(file, arr, allow_pickle)


def _savez(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    save_arrays(file, named(args, kwds), 0, 1, "plain" if allow_pickle else None)


def _savez_compressed(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    save_arrays(file, named(args, kwds), 6, 1, "plain" if allow_pickle else None)


_replacements: dict[str, Callable[..., Any]] = {
    "load": _load, "save": _save, "savez": _savez, "savez_compressed": _savez_compressed}


def _dispatching(original: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def dispatch(*args: Any, **kwds: Any) -> Any:
        return (original if _active.get() is None else ours)(*args, **kwds)

    return dispatch


def _install() -> None:
    global _users
    import numpy as np

    with _lock:
        _users += 1
        if _users == 1:
            for name, ours in _replacements.items():
                _originals[name] = getattr(np, name)
                setattr(np, name, _dispatching(_originals[name], ours))


def _remove() -> None:
    global _users
    import numpy as np

    with _lock:
        _users -= 1
        if _users == 0:
            for name, original in _originals.items():
                setattr(np, name, original)
            _originals.clear()


@contextmanager
def patched(limits: Limits | None = None) -> Generator[None, None, None]:
    """Send np.load, np.save, np.savez and np.savez_compressed of this context through safenpy.

    A context variable decides: other threads, and tasks that were begun before, keep NumPy. Code that has imported the
    functions by name (``from numpy import load``) keeps NumPy, too.

    Parameters
    ----------
    limits : Limits, optional
        What may be read.

    Examples
    --------
    >>> import numpy as np, safenpy as sn
    >>> np.save("o.npy", np.array([None, [1]], object), allow_pickle=True)
    >>> with sn.patched():
    ...     np.load("o.npy", allow_pickle=True)     # values only; the pickle is not run
    array([None, list([1])], dtype=object)
    """
    _install()
    token = _active.set(Limits() if limits is None else limits)
    try:
        yield
    finally:
        _active.reset(token)
        _remove()
