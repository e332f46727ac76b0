"""Object arrays: what the globals of a pickle stand for. The core decodes and checks a pickle, and calls these with values that the
rules of spec/objects.md allow; nothing is imported or called because a pickle names it.
"""

from __future__ import annotations

import datetime as dt
import os
import pathlib
import uuid
from collections import OrderedDict, defaultdict
from decimal import Decimal
from fractions import Fraction
from time import struct_time
from typing import TYPE_CHECKING, Any

from . import _core
from ._dtype import HAS_NUMPY

if TYPE_CHECKING or HAS_NUMPY:
    import numpy as np

__all__ = ["load_objects"]

#: Sets of values by name.
SETS = {"data": 0, "plain": 1}
_ALIGNED = 128


def _bytes(data: Any) -> Any:
    """The bytes of a string of Python 2."""
    return data.encode("latin-1") if isinstance(data, str) else data


def _dtype(name: Any, state: tuple[Any, ...], fields: list[tuple[Any, ...]]) -> Any:
    """A dtype of a type string, or numpy.record. The fields are (dtype, offset), or (dtype, offset, title), in order."""
    _version, order, subarray, names, _fields, size, _alignment, flags, *moment = state
    if names is not None:
        made = np.dtype({
            "names": names, "formats": [field[0] for field in fields], "offsets": [field[1] for field in fields],
            "titles": [field[2] if len(field) > 2 else None for field in fields], "itemsize": size}, align=flags & _ALIGNED != 0)
        return np.dtype((np.record, made)) if name is np.record else made
    if subarray is not None:
        return np.dtype(subarray)
    if moment:
        unit, multiple, *_ = moment[0][1]
        text = _bytes(unit).decode()
        return np.dtype(order + name + ("" if text == "generic" else f"[{multiple}{text}]"))
    return np.dtype("O" if name == "O8" else order + name)


def _string_dtype(coerce: Any, *missing: Any) -> Any:
    """The type of an array of strings, where NumPy has it."""
    strings: Any = getattr(getattr(np, "dtypes", None), "StringDType", None)
    if strings is None:
        return np.dtype(object)
    return strings(coerce=bool(coerce), na_object=missing[0]) if missing else strings(coerce=bool(coerce))


def _scalar(dtype: Any, data: Any) -> Any:
    return np.ndarray((), dtype, _bytes(data) or bytes(1)).copy()[()]


def _frombuffer(data: Any, dtype: Any, shape: tuple[int, ...], order: Any) -> Any:
    return np.ndarray(shape, dtype, bytearray(_bytes(data)) or bytearray(1), order=order)


def _array(kind: Any, shape: tuple[int, ...], dtype: Any, is_fortran: Any, data: bytearray | None, mask: bytearray | None) -> Any:
    """An array; one of objects is filled later."""
    order: Any = "F" if is_fortran else "C"
    made = np.empty(shape, dtype, order) if data is None else np.ndarray(shape, dtype, data or bytearray(1), order=order)
    if kind is np.ndarray:
        return made
    viewed: Any = made.view(kind)
    if mask is not None:
        ma: Any = np.ma
        viewed.mask = np.ndarray(shape, ma.make_mask_descr(dtype), mask or bytearray(1), order=order)
    return viewed


def _fill(array: Any, elements: list[Any]) -> None:
    """Gives an array its elements, in C order."""
    data = np.asarray(array)    # of masked arrays and matrices, too
    data[...] = np.fromiter(elements, data.dtype if data.dtype.names else object, len(elements)).reshape(data.shape)


def _struct_time(numbers: tuple[int, ...], zone: Any, offset: Any) -> struct_time:
    return struct_time((*numbers, zone, offset))


def _uuid(_: None, number: Any, safe: Any) -> uuid.UUID | None:
    return None if number is None else uuid.UUID(int=number, is_safe=uuid.SafeUUID(safe))


_POSIX = os.name == "posix"
_GLOBALS: tuple[Any, ...] = () if not HAS_NUMPY else (      # by snpy_role of safenpy/object.h; None: the core makes it, or nobody does
    None, np.ndarray, _dtype, _array, _scalar, _frombuffer, None, bytes, complex,
    bool, bytearray, dt.date, dt.datetime, Decimal, defaultdict, dict, float, Fraction, frozenset, int, list,
    _array, np.ma.MaskedArray, np.matrix, object, OrderedDict, range, np.recarray, _uuid, np.record, set, slice, str,
    _string_dtype, _struct_time, dt.time, dt.timedelta, dt.timezone, tuple, _uuid,
    pathlib.PosixPath if _POSIX else pathlib.PurePosixPath, pathlib.PurePosixPath,
    pathlib.PureWindowsPath if _POSIX else pathlib.WindowsPath, pathlib.PureWindowsPath)


def value_of(payload: Any, allowed: str, base: int = 0, path: Any = None, about: _core.Header | None = None) -> Any:
    """The value of a payload that begins at byte `base`, which must be the array of a header. Raises Refused for what breaks a rule, or
    is not in the set."""
    if not HAS_NUMPY:
        raise NotImplementedError("arrays of objects need NumPy")
    return _core.decode_objects(payload, SETS[allowed], base, path, about, _GLOBALS, _fill)


def load_objects(about: _core.Header, payload: Any, allowed: str, path: Any = None) -> Any:
    """The array of a payload, whose header has been checked."""
    return value_of(payload, allowed, about.data_offset, path, about)
