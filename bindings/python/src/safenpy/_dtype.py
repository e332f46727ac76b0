"""From the fields of a header to NumPy's dtype, or to a description of it where there is no NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from ._core import Header

    HAS_NUMPY = True
else:
    try:
        import numpy as np

        HAS_NUMPY = True
    except ModuleNotFoundError:
        HAS_NUMPY = False

__all__ = ["HAS_NUMPY", "DType", "make"]


@dataclass(frozen=True)
class DType:
    """A dtype where there is no NumPy.

    `descr` is the text that numpy.save would write, `kind` NumPy's letter; `fields` of a structured dtype are its
    ``(name, DType, offset, shape)``.
    """

    descr: str
    kind: str
    itemsize: int
    fields: tuple[tuple[str, DType, int, tuple[int, ...]], ...] = ()

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the fields; None for simple dtypes."""
        return tuple(field[0] for field in self.fields) if self.kind == "V" and self.descr.startswith("[") else None


def _simple(text: str, itemsize: int) -> Any:
    """NumPy's dtype of a type string; what this machine's NumPy does not know is opaque bytes."""
    try:
        return np.dtype(text)
    except TypeError:
        return np.dtype(f"V{itemsize}")


def _build(entries: list[Any], children: list[list[int]], index: int) -> Any:
    """The dtype of one entry, without its sub-array shape: what numpy.lib.format.descr_to_dtype makes."""
    _parent, _name, _title, _offset, itemsize, text, _shape, _padding = entries[index]
    if text == "s":
        inner = children[index][0]
        return np.dtype((_build(entries, children, inner), entries[inner][6]))
    if text != "r":
        return _simple(text, itemsize)
    fields = [entries[child] for child in children[index]]
    kept = [(field, child) for field, child in zip(fields, children[index], strict=True) if not field[7]]
    formats: list[Any] = []
    for field, child in kept:
        dtype = _build(entries, children, child)
        formats.append(dtype if field[6] is None else np.dtype((dtype, field[6])))
    size = max((field[3] + field[4] for field in fields), default=0)
    return np.dtype({
        "names": [field[1] for field, _ in kept], "formats": formats, "titles": [field[2] for field, _ in kept],
        "offsets": [field[3] for field, _ in kept], "itemsize": size,
    })


def _describe(entries: list[Any], children: list[list[int]], index: int, descr: str) -> DType:
    _parent, _name, _title, _offset, itemsize, text, _shape, _padding = entries[index]
    if text == "s":
        return _describe(entries, children, children[index][0], descr)
    if text != "r":
        return DType(text, text[1], itemsize)
    fields: list[tuple[str, DType, int, tuple[int, ...]]] = []
    for child in children[index]:
        field = entries[child]
        if not field[7]:
            fields.append((field[1], _describe(entries, children, child, ""), field[3], field[6] or ()))
    return DType(descr or "[...]", "V", itemsize, tuple(fields))


def make(header: Header, descr: str) -> Any:
    """The dtype of a header: numpy.dtype, or DType without NumPy."""
    entries = header._fields  # pyright: ignore[reportPrivateUsage]
    if not entries:
        return _simple(descr, header.itemsize) if HAS_NUMPY else DType(descr, descr[1], header.itemsize)
    children: list[list[int]] = [[] for _ in entries]
    for index in range(1, len(entries)):
        children[entries[index][0]].append(index)
    return _build(entries, children, 0) if HAS_NUMPY else _describe(entries, children, 0, descr)
