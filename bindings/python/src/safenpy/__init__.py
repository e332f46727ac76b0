"""NumPy's NPY and NPZ files, checked: limits, errors that say what and where, no pickles.

>>> import numpy as np, safenpy as sn
>>> sn.save("x.npy", np.arange(3))
>>> sn.load("x.npy")
array([0, 1, 2])
"""

from . import _core, _dtype
from ._archive import Archive, open_npz, open_npz_async
from ._check import Verdict, check, check_many
from ._core import Header
from ._disarm import disarm
from ._dtype import DType
from ._errors import Refused
from ._limits import UNTRUSTED, Limits
from ._listing import Global, Needs, objects
from ._load import header, iter_blocks, load
from ._patch import patched
from ._remote import RangedArray, check_objects, open, open_async
from ._save import append, open_memmap, save, savez, savez_compressed

__version__: str = _core.version

_core._set_make_dtype(_dtype.make)  # pyright: ignore[reportPrivateUsage]

__all__ = [
    "UNTRUSTED", "Archive", "DType", "Global", "Header", "Limits", "Needs", "RangedArray", "Refused", "Verdict", "append", "check", "check_many",
    "check_objects", "disarm", "header", "iter_blocks", "load", "objects", "open", "open_async", "open_memmap", "open_npz", "open_npz_async", "patched", "save",
    "savez", "savez_compressed",
]
