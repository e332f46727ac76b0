"""Which names of members are unsafe as paths: NPZ-PATH-001 to 003, as `safenpy unpack` has them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from . import _core

_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f\x80-\x9f\\:*?"<>|]')
_DEVICE = re.compile(r"(con|prn|aux|nul|com[1-9]|lpt[1-9])(\.|$)", re.IGNORECASE | re.ASCII)
_UPPER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def fault(name: str) -> int:
    """The status that a name deserves as a path; 0: none."""
    parts = (name[:-1] if len(name) > 1 and name.endswith("/") else name).split("/")
    if any(part in ("", ".", "..") for part in parts):
        return _core.SNPY_ZIP_PATH_ESCAPES
    for part in parts:
        too_long = len(part.encode("utf-8", "surrogateescape")) > 255
        if too_long or _FORBIDDEN.search(part) or _DEVICE.match(part) or part[-1] in " .":
            return _core.SNPY_ZIP_PATH_NOT_PORTABLE
    return 0


def first_fault(names: Iterable[str]) -> tuple[int, int] | None:
    """The first unsafe name: its number and status."""
    files: set[str] = set()
    folders: set[str] = set()
    for index, name in enumerate(names):
        status = fault(name)
        if status:
            return index, status
        path = name.translate(_UPPER)
        is_folder = path.endswith("/")
        path = path.rstrip("/")
        above = [path[:at] for at, letter in enumerate(path) if letter == "/"]
        if path in files or (path in folders and not is_folder) or any(folder in files for folder in above):
            return index, _core.SNPY_ZIP_PATH_COLLIDES
        folders.update(above)
        (folders if is_folder else files).add(path)
    return None
