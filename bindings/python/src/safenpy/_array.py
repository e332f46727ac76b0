"""From a header and memory to what the caller gets: an ndarray, a memmap, or a memoryview without NumPy."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ._dtype import HAS_NUMPY

if TYPE_CHECKING:
    import numpy as np

    from ._core import Header, Memory
elif HAS_NUMPY:
    import numpy as np

MODES = {"r": 1, "readonly": 1, "c": 2, "copyonwrite": 2, "r+": 3, "readwrite": 3}


def array(header: Header, memory: Memory) -> Any:
    """The array in a memory, without a copy."""
    if not HAS_NUMPY:
        return memoryview(memory)
    buffer: Any = memory
    order: Any = header.order
    return np.ndarray(header.shape, header.dtype, buffer, 0, None, order)


def memmap(header: Header, memory: Memory, path: Any, mode: str) -> Any:
    """A numpy.memmap of a mapped file; its flush() is that of the memory."""
    if not HAS_NUMPY:
        return memoryview(memory)
    buffer: Any = memory
    order: Any = header.order
    mapped: Any = np.ndarray.__new__(np.memmap, header.shape, header.dtype, buffer, 0, None, order)
    mapped._mmap = memory
    name: os.PathLike[Any] = path
    mapped.filename = None if path is None else os.path.abspath(os.fspath(name))
    mapped.offset = header.data_offset
    mapped.mode = mode
    return mapped
