"""Object arrays: values from the table of nodes that the core makes of a pickle. Nothing that a pickle names is imported or called.

The nodes ascend by the bytes of their opcodes. So what a tuple, a call or a frozenset has was made before it, and one pass makes
each value; lists, dictionaries, sets and arrays are filled in a second pass, because they may reach themselves.
"""

from __future__ import annotations

import datetime as dt
import math
import os
import pathlib
import re
import struct
import uuid
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from time import struct_time as StructTime  # noqa: N812 (a method here has its name)
from typing import Any

from . import _core
from ._dtype import HAS_NUMPY
from ._errors import Refused

if HAS_NUMPY:
    import numpy as np

__all__ = ["load_objects"]

# As in safenpy/object.h.
(MARK, REF, NONE, FALSE, TRUE, INT, FLOAT, STR, RAW, BYTES, BYTEARRAY, TUPLE, LIST, DICT, SET, FROZENSET, GLOBAL, CALL) = range(18)
(KIND, AT, START, SIZE, FIRST, _LAST, NEXT, _BELOW, TARGET, ARGS, STATE, ROLE) = range(12)
(_, NDARRAY, DTYPE, RECONSTRUCT, SCALAR, FROMBUFFER, ENCODE, R_BYTES, COMPLEX, R_BOOL, R_BYTEARRAY, DATE, DATETIME, DECIMAL, DEFAULTDICT,
 R_DICT, R_FLOAT, FRACTION, R_FROZENSET, R_INT, R_LIST, MARECONSTRUCT, _MASKED, MATRIX, _OBJECT, ORDERED, RANGE, RECARRAY,
 RECONSTRUCTOR, RECORD, R_SET, SLICE, R_STR, STRINGDTYPE, STRUCT_TIME, TIME, TIMEDELTA, TIMEZONE, R_TUPLE, UUID,
 POSIX, PURE_POSIX, WINDOWS, PURE_WINDOWS) = range(44)
SETS = {"data": 0, "plain": 1}
FACTORIES = {R_BOOL: bool, R_BYTES: bytes, COMPLEX: complex, R_DICT: dict, R_FLOAT: float, R_FROZENSET: frozenset, R_INT: int,
             R_LIST: list, R_SET: set, R_STR: str, R_TUPLE: tuple}
PATHS = {POSIX: pathlib.PosixPath if os.name == "posix" else pathlib.PurePosixPath, PURE_POSIX: pathlib.PurePosixPath,
         WINDOWS: pathlib.PureWindowsPath if os.name == "posix" else pathlib.WindowsPath, PURE_WINDOWS: pathlib.PureWindowsPath}
TYPE_STRING = re.compile(r"(?:b1|[iu][1248]|f(?:2|4|8|16)|c(?:8|16|32)|[mM]8|O8|[SUV](?:0|[1-9][0-9]{0,9}))", re.ASCII)
UNITS = {b"Y", b"M", b"W", b"D", b"h", b"m", b"s", b"ms", b"us", b"ns", b"ps", b"fs", b"as", b"generic"}
DECIMAL_TEXT = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?(?:E[+-]?[0-9]{1,9})?|Infinity|s?NaN[0-9]*)", re.ASCII)
FRACTION_TEXT = re.compile(r"(?:0|-?[1-9][0-9]{0,4299})(?:/[1-9][0-9]{0,4299})?", re.ASCII)
ALIGNED = 128
MOST_LEVELS, MOST_PARTS = 64, 1000      # of a key that is a tuple
MOST_DTYPES = 64                        # dtypes in one another
KEYS = (type(None), bool, int, float, complex, str, bytes, dt.date, dt.timedelta, uuid.UUID)


class Builder:
    """The values of the nodes of one pickle."""

    def __init__(self, payload: memoryview, nodes: bytes, base: int, path: Any) -> None:
        self.payload, self.base, self.path = payload, base, path
        view = memoryview(nodes).cast("i")
        self.nodes = [view[at:at + 12] for at in range(0, len(view), 12)]
        self.values: list[Any] = [None] * len(self.nodes)
        self.dtypes: dict[int, Any] = {}
        self.fills: list[Callable[[], None]] = []
        self.orders: dict[int, bool] = {}       # of arrays: their Fortran flag

    def refuse(self, status: str, index: int) -> Refused:
        """What is raised for a rule that a node breaks."""
        return Refused(getattr(_core, "SNPY_PKL_" + status), self.base + (self.nodes[index][AT] & 0xFFFFFFFF), None, self.path)

    # --- nodes ---

    def index(self, entry: int) -> int:
        """The node that an entry is or stands for."""
        return self.nodes[entry][TARGET] if self.nodes[entry][KIND] == REF else entry

    def chain(self, entry: int, last: int = 0) -> Iterator[int]:
        """The nodes of members from an entry on, up to `last` if that is not 0."""
        while entry:
            yield self.index(entry)
            if entry == last:
                return
            entry = self.nodes[entry][NEXT]

    def members(self, index: int) -> list[int]:
        return list(self.chain(self.nodes[index][FIRST]))

    def taken(self, index: int, lists: int) -> list[int]:
        """What a call or state took from a list."""
        last = self.nodes[index][SIZE]
        return list(self.chain(self.nodes[lists][FIRST], last)) if last else []

    def text(self, index: int) -> bytes:
        """The bytes of a leaf, as they stand in the pickle."""
        node = self.nodes[index]
        start = node[START] & 0xFFFFFFFF
        return bytes(self.payload[start:start + (node[SIZE] & 0xFFFFFFFF)])

    def raw(self, index: int) -> bytes:
        """The bytes of bytes, of a string of Python 2, of a byte array, or of a call that makes bytes."""
        kind = self.nodes[index][KIND]
        if kind == RAW:
            text = self.text(index)
            if self.payload[self.nodes[index][AT] & 0xFFFFFFFF] != ord("S"):
                return text
            return text[1:-1].decode("unicode-escape").encode("latin-1")
        value = self.values[index]
        if not isinstance(value, bytes | bytearray):
            raise ValueError("no bytes")
        return bytes(value)

    def word(self, index: int) -> str:
        """The text of a string, also of Python 2's if it is ASCII."""
        if self.nodes[index][KIND] == RAW:
            return self.raw(index).decode("ascii")
        if self.nodes[index][KIND] != STR:
            raise ValueError("no text")
        return str(self.values[index])

    def number(self, index: int, low: int = -(2**63), high: int = 2**63 - 1) -> int:
        """An integer in a range."""
        value = self.values[index]
        if self.nodes[index][KIND] != INT or not low <= value <= high:
            raise ValueError("no integer in its range")
        return int(value)

    def flag(self, index: int) -> bool:
        """A bool, which old picklers write as 0 or 1."""
        if self.nodes[index][KIND] in (TRUE, FALSE):
            return bool(self.values[index])
        return bool(self.number(index, 0, 1))

    def shape(self, index: int) -> tuple[int, ...]:
        if self.nodes[index][KIND] != TUPLE:
            raise ValueError("no shape")
        found = tuple(self.shallow(one) for one in self.members(index))
        if len(found) > 64:
            raise ValueError("too many dimensions")
        return found

    def shallow(self, index: int) -> int:
        """An integer that is not negative, which may stand after the node that asks."""
        if self.nodes[index][KIND] != INT:
            raise ValueError("no integer")
        self.values[index] = value = self.leaf(index)
        return self.number(index, 0) if value is not None else 0

    # --- values ---

    def leaf(self, index: int) -> Any:
        """The value of a node that has no members."""
        node = self.nodes[index]
        kind, text = node[KIND], self.text(index)
        code = self.payload[node[AT] & 0xFFFFFFFF]
        if kind == INT:
            if code in b"IL":
                return int(text.removesuffix(b"L"))
            return int.from_bytes(text, "little", signed=code not in b"KM")
        if kind == FLOAT:
            return struct.unpack(">d", text)[0] if code == ord("G") else float(text)
        if kind == STR:
            return text.decode("raw-unicode-escape") if code == ord("V") else text.decode("utf-8", "surrogatepass")
        if kind == RAW:
            content = self.raw(index)
            return content.decode("ascii") if content.isascii() else content
        return bytearray(text) if kind == BYTEARRAY else text

    def make(self) -> None:
        """Makes each value, then fills what may reach itself."""
        for index, node in enumerate(self.nodes):
            kind = node[KIND]
            if kind in (TRUE, FALSE):
                self.values[index] = kind == TRUE
            elif INT <= kind <= BYTEARRAY:
                self.values[index] = self.leaf(index)
            elif kind == TUPLE:
                self.values[index] = tuple(self.values[one] for one in self.members(index))
            elif kind == LIST:
                self.values[index] = []
                self.later(self.fill_list, index)
            elif kind == DICT:
                self.values[index] = {}
                self.later(self.fill_pairs, index, [])
            elif kind == SET:
                self.values[index] = set()
                self.later(self.fill_set, index, [])
            elif kind == FROZENSET:
                self.values[index] = self.frozen(index, self.members(index))
            elif kind == REF:
                self.values[index] = self.values[node[TARGET]]
            elif kind == CALL:
                self.values[index] = self.call(index)
        for fill in self.fills:
            fill()

    def later(self, fill: Callable[..., None], *arguments: Any) -> None:
        self.fills.append(lambda: fill(*arguments))

    def fill_list(self, index: int) -> None:
        self.values[index].extend(self.values[one] for one in self.members(index))

    def fill_pairs(self, index: int, taken: list[int]) -> None:
        """Keys and values, those of a list first."""
        made, nans = self.values[index], 0
        parts = taken + self.members(index)
        for key, value in zip(parts[::2], parts[1::2], strict=True):
            nans += self.check_key(key)
            before = len(made)
            made[self.values[key]] = self.values[value]
            if len(made) == before or nans > 1:
                raise self.refuse("DUPLICATE_KEY", key)

    def fill_set(self, index: int, taken: list[int]) -> None:
        made, nans = self.values[index], 0
        for key in taken + self.members(index):
            nans += self.check_key(key)
            before = len(made)
            made.add(self.values[key])
            if len(made) == before or nans > 1:
                raise self.refuse("DUPLICATE_KEY", key)

    def frozen(self, index: int, members: list[int]) -> frozenset[Any]:
        nans = sum(self.check_key(key) for key in members)
        made = frozenset(self.values[key] for key in members)
        if len(made) != len(members) or nans > 1:
            raise self.refuse("DUPLICATE_KEY", index)
        return made

    def check_key(self, index: int) -> bool:
        """Whether a key is NaN. Refuses what may be no key, and tuples that a hash would take long for: NPY-PKL-016."""
        value = self.values[index]
        left, seen = [(value, 0)], 0
        while left:
            one, level = left.pop()
            seen += 1
            if seen > MOST_PARTS + 1 or level > MOST_LEVELS:
                raise self.refuse("KEY", index)
            if type(one) is tuple:
                left += [(part, level + 1) for part in one]
            elif not self.is_key(one):
                raise self.refuse("KEY", index)
        return type(value) is not tuple and isinstance(value, float | complex) and value != value

    @staticmethod
    def is_key(value: Any) -> bool:
        if isinstance(value, dt.datetime):
            return value.tzinfo is None
        if HAS_NUMPY and isinstance(value, np.generic):
            return value.dtype.kind in "biufcSU" and value.dtype.char not in "gG"
        return type(value) in KEYS

    # --- calls ---

    def call(self, index: int) -> Any:
        """The value of a call."""
        node = self.nodes[index]
        role = node[ROLE]
        form = FORMS.get(role)
        try:
            if form is not None:
                return form(self, index, *self.members(node[ARGS]))
            if node[STATE] and role in (RECONSTRUCT, MARECONSTRUCT):
                return self.array(index, self.members(node[STATE]))
            if node[STATE] and role in (UUID, RECONSTRUCTOR):
                return self.uuid(node[STATE])
            return self.dtype(index) if node[STATE] and role == DTYPE else None
        except (ValueError, TypeError, LookupError, ArithmeticError, struct.error) as why:
            if isinstance(why, Refused):
                raise
            status = "ARRAY" if role in (RECONSTRUCT, MARECONSTRUCT, SCALAR, FROMBUFFER) else "DTYPE" if role == DTYPE else "CALL"
            raise self.refuse(status, index) from why

    def encode(self, _index: int, text: int, encoding: int) -> bytes:
        if self.word(encoding) != "latin1":
            raise ValueError("another encoding")
        return str(self.values[text]).encode("latin-1")

    def bytearray(self, _index: int, *args: int) -> bytearray:
        if len(args) == 2:
            if self.word(args[1]) != "latin-1":
                raise ValueError("another encoding")
            return bytearray(str(self.values[args[0]]).encode("latin-1"))
        return bytearray(self.raw(args[0])) if args else bytearray()

    def set(self, index: int, lists: int) -> set[Any]:
        self.later(self.fill_set, index, self.taken(index, lists))
        return set()

    def frozenset(self, index: int, lists: int) -> frozenset[Any]:
        return self.frozen(index, self.taken(index, lists))

    def ordered(self, index: int, *args: int) -> OrderedDict[Any, Any]:
        pairs = [list(self.chain(self.nodes[pair][FIRST])) for pair in (self.taken(index, args[0]) if args else [])]
        lists = [pair for pair in (self.taken(index, args[0]) if args else []) if self.nodes[pair][KIND] == LIST]
        if len(lists) != len(pairs) or any(len(pair) < 2 for pair in pairs):
            raise ValueError("no pairs")
        self.later(self.fill_pairs, index, [one for pair in pairs for one in pair[:2]])
        return OrderedDict()

    def defaultdict(self, index: int, *args: int) -> defaultdict[Any, Any]:
        self.later(self.fill_pairs, index, [])
        return defaultdict(FACTORIES[self.nodes[args[0]][ROLE]] if args else None)

    def slice(self, _index: int, *args: int) -> slice:
        return slice(*(self.values[one] for one in args))

    def range(self, _index: int, *args: int) -> range:
        return range(*(self.values[one] for one in args))

    def date(self, _index: int, state: int) -> dt.date:
        year, month, day = struct.unpack(">HBB", self.raw(state))
        return dt.date(year, month, day)

    @staticmethod
    def clock(data: bytes) -> tuple[int, int, int, int]:
        hour, minute, second, high, low = struct.unpack(">BBBBH", data)
        return hour, minute, second, high * 65536 + low

    def datetime(self, _index: int, state: int, *zone: int) -> dt.datetime:
        data = self.raw(state)
        year, month, day = struct.unpack(">HBB", data[:4])
        return dt.datetime(year, month % 128, day, *self.clock(data[4:]), *(self.values[one] for one in zone), fold=month // 128)

    def time(self, _index: int, state: int, *zone: int) -> dt.time:
        hour, minute, second, microsecond = self.clock(self.raw(state))
        return dt.time(hour % 128, minute, second, microsecond, *(self.values[one] for one in zone), fold=hour // 128)

    def timedelta(self, _index: int, days: int, seconds: int, microseconds: int) -> dt.timedelta:
        return dt.timedelta(self.number(days, -999999999, 999999999), self.number(seconds, 0, 86399),
                                  self.number(microseconds, 0, 999999))

    def timezone(self, _index: int, *args: int) -> dt.timezone:
        return dt.timezone(*(self.values[one] for one in args))

    def decimal(self, _index: int, text: int) -> Decimal:
        if not DECIMAL_TEXT.fullmatch(self.word(text)):
            raise ValueError("no Decimal")
        return Decimal(self.word(text))

    def fraction(self, _index: int, *args: int) -> Fraction:
        if len(args) == 2:
            if self.values[args[1]] <= 0:
                raise ValueError("no denominator")
            return Fraction(self.values[args[0]], self.values[args[1]])
        if not FRACTION_TEXT.fullmatch(self.word(args[0])):
            raise ValueError("no Fraction")
        return Fraction(self.word(args[0]))

    def struct_time(self, _index: int, numbers: int, names: int) -> StructTime:
        values = self.values[numbers]
        parts = self.members(names)
        known = {self.word(key): self.leaf_or_none(value) for key, value in zip(parts[::2], parts[1::2], strict=True)}
        if len(values) != 9 or not all(type(one) is int for one in values) or not {*known} <= {"tm_zone", "tm_gmtoff"}:
            raise ValueError("no struct_time")
        return StructTime((*values, known.get("tm_zone"), known.get("tm_gmtoff")))

    def leaf_or_none(self, index: int) -> Any:
        return None if self.nodes[index][KIND] == NONE else self.leaf(index)

    def path_of(self, index: int, *args: int) -> pathlib.PurePath:
        parts = [self.word(one) for one in args]
        if "" in parts:
            raise ValueError("an empty part")
        return PATHS[self.nodes[index][ROLE]](*parts)

    def uuid(self, state: int) -> uuid.UUID:
        """{'int': …} and perhaps 'is_safe'; the dictionary stands after the call."""
        parts = self.members(state)
        known = {self.leaf(key): self.leaf(value) for key, value in zip(parts[::2], parts[1::2], strict=True)
                 if self.nodes[key][KIND] in (STR, RAW) and self.nodes[value][KIND] == INT}
        if len(parts) != 2 * len(known) or not {"int"} <= {*known} <= {"int", "is_safe"}:
            raise ValueError("no state of a UUID")
        safe = uuid.SafeUUID(known["is_safe"]) if "is_safe" in known else uuid.SafeUUID.unknown
        return uuid.UUID(int=known["int"], is_safe=safe)

    # --- NumPy ---

    def dtype(self, index: int, level: int = 0) -> Any:
        """The dtype of a call with its state; the parts may stand after the node that asks."""
        if index not in self.dtypes:
            node = self.nodes[index]
            if node[KIND] != CALL or node[ROLE] != DTYPE or not node[STATE] or level > MOST_DTYPES:
                raise self.refuse("DTYPE", index)
            made = self.read_dtype(index, level)
            self.check_state(index, made)
            self.dtypes[index] = made
        return self.dtypes[index]

    def check_state(self, index: int, made: Any) -> None:
        """Whether the state of a dtype has the numbers that NumPy writes for it: NPY-PKL-014 and NPY-PKL-019."""
        name, *_ = self.members(self.nodes[index][ARGS])
        state = self.members(self.nodes[index][STATE])
        text = "V" if self.nodes[name][KIND] == GLOBAL else self.leaf(name)
        version, size, alignment, flags = (self.leaf(state[part]) for part in (0, 5, 6, 7))
        is_time, is_sized = text[0] in "mM", text[0] in "SUV"
        if version != (4 if is_time else 3) or len(state) != (9 if is_time else 8):
            raise self.refuse("STATE", index)
        has_order = text[0] not in "OSVb" and text not in ("i1", "u1")
        is_good = (self.leaf(state[1]) in (("<", ">") if has_order else ("|",))
                   and size == (made.itemsize if is_sized else -1) and made.itemsize < 2**31
                   and (alignment in (1, 2, 4, 8, 16) if is_sized else alignment == -1)
                   and flags in (made.flags & 255, (made.flags & 255) - 256))
        if text[0] != "V":
            is_good = is_good and all(self.nodes[state[part]][KIND] == NONE for part in (2, 3, 4))
        if text[1:].isdecimal() and is_sized:
            is_good = is_good and made.itemsize == int(text[1:]) * (4 if text[0] == "U" else 1)
        if not is_good:
            raise self.refuse("DTYPE", index)

    def read_dtype(self, index: int, level: int) -> Any:
        name, *_ = self.members(self.nodes[index][ARGS])
        state = self.members(self.nodes[index][STATE])
        is_record = self.nodes[name][KIND] == GLOBAL
        text = f"V{self.size_of(state[5])}" if is_record else str(self.leaf(name))
        order = str(self.leaf(state[1])) if self.nodes[state[1]][KIND] in (STR, RAW) else ""
        if not TYPE_STRING.fullmatch(text) or order not in ("<", ">", "|"):
            raise self.refuse("DTYPE", index)
        if self.nodes[state[3]][KIND] == TUPLE:
            made = self.record(index, state, level)
            return np.dtype((np.record, made)) if is_record else made
        if self.nodes[state[2]][KIND] == TUPLE:
            base, shape = self.members(state[2])
            return np.dtype((self.dtype(base, level + 1), self.shape(shape)))
        if text[0] in "mM":
            return np.dtype(order + text + self.unit(index, state[8]))
        return np.dtype("O") if text == "O8" else np.dtype(order + text)

    def size_of(self, index: int) -> int:
        return self.shallow(index)

    def unit(self, index: int, metadata: int) -> str:
        """(None or {}, (unit, multiple, 1, 1)) as [25s]."""
        _, unit = self.members(metadata)
        name, multiple, *_ = self.members(unit)
        letters = self.early(name)
        number = self.shallow(multiple)
        if letters not in UNITS or not 1 <= number < 2**31:
            raise self.refuse("DTYPE", index)
        return "" if letters == b"generic" else f"[{number if number > 1 else ''}{letters.decode()}]"

    def record(self, index: int, state: list[int], level: int) -> Any:
        """A dtype with fields, in the order of their names."""
        parts = self.members(state[4])
        known = {str(self.leaf(key)): self.members(value) for key, value in zip(parts[::2], parts[1::2], strict=True)}
        names = [str(self.leaf(one)) for one in self.members(state[3])]
        fields = [known[name] for name in names]
        titles = [str(self.leaf(field[2])) if len(field) > 2 else None for field in fields]
        flags = self.leaf(state[7])
        made = np.dtype({
            "names": names, "formats": [self.dtype(field[0], level + 1) for field in fields],
            "offsets": [self.shallow(field[1]) for field in fields], "titles": titles, "itemsize": self.size_of(state[5])},
            align=flags & ALIGNED != 0)
        end = 0
        fields_of: Any = made.fields
        for name in names:
            inner, at, *_ = fields_of[name]
            if at < end:
                raise self.refuse("DTYPE", index)
            end = at + inner.itemsize
        return made

    def scalar(self, index: int, dtype: int, data: int) -> Any:
        made, content = self.dtype(dtype), self.raw(data)
        if made.hasobject or made.subdtype is not None or (made.itemsize != len(content) and made.itemsize):
            raise self.refuse("ARRAY", index)
        self.check_points(made, content)
        return np.ndarray((), made, content if made.itemsize else bytes(1)).copy()[()]

    def frombuffer(self, index: int, buffer: int, dtype: int, shape: int, order: int) -> Any:
        if self.word(order) not in ("C", "F"):
            raise ValueError("another order")
        return self.filled(self.dtype(dtype), self.shape(shape), self.word(order) == "F", self.raw(buffer))

    def filled(self, dtype: Any, shape: tuple[int, ...], is_fortran: bool, content: bytes) -> Any:
        """An array without objects."""
        if dtype.hasobject or math.prod(shape) * dtype.itemsize != len(content) or not dtype.itemsize and math.prod(shape):
            raise ValueError("shape and bytes differ")
        self.check_points(dtype, content)
        return np.ndarray(shape, dtype, bytearray(content) or bytearray(1), order="F" if is_fortran else "C")

    @staticmethod
    def check_points(dtype: Any, content: bytes) -> None:
        """Strings have code points up to U+10FFFF."""
        if dtype.kind == "U" and content and np.frombuffer(content, dtype.byteorder + "u4").max() > 0x10FFFF:
            raise ValueError("a code point above U+10FFFF")

    def array(self, index: int, state: list[int]) -> Any:
        """An array by its state, which stands after it."""
        args = self.members(self.nodes[index][ARGS])
        is_masked = self.nodes[index][ROLE] == MARECONSTRUCT
        shape, is_fortran = self.shape(state[1]), self.nodes[state[3]][KIND] == TRUE
        if self.nodes[state[3]][KIND] == INT:
            is_fortran = self.shallow(state[3]) == 1
        self.orders[index] = is_fortran
        if self.leaf(state[0]) != 1:
            raise self.refuse("STATE", index)
        if self.nodes[state[2]][ROLE] == STRINGDTYPE:
            return self.strings(index, state, shape)
        dtype = self.dtype(state[2])
        if dtype.subdtype is not None:
            raise self.refuse("STATE", index)
        if self.nodes[state[4]][KIND] == LIST:
            if not dtype.hasobject:
                raise ValueError("a list of what is no object")
            made = self.objects(index, state, dtype, shape, is_fortran)
        else:
            made = self.filled(dtype, shape, is_fortran, self.early(state[4]))
        if is_masked:
            return self.masked(index, made, state)
        role = self.nodes[args[0]][ROLE]
        if role == MATRIX and len(shape) != 2:
            raise ValueError("a matrix has two dimensions")
        return made.view(np.matrix) if role == MATRIX else made.view(np.recarray) if role == RECARRAY else made

    def early(self, index: int) -> bytes:
        """Bytes that may stand after the node that asks for them: a leaf, or a call of encode or bytes."""
        node = self.nodes[index]
        if node[KIND] == CALL:
            if node[ROLE] == R_BYTES:
                return b""
            text, encoding = self.members(node[ARGS])
            if node[ROLE] != ENCODE or self.leaf(encoding) != "latin1":
                raise ValueError("no bytes")
            return str(self.leaf(text)).encode("latin-1")
        if node[KIND] == RAW:
            return self.raw(index)
        if node[KIND] != BYTES:
            raise ValueError("no bytes")
        return self.text(index)

    def objects(self, index: int, state: list[int], dtype: Any, shape: tuple[int, ...], is_fortran: bool) -> Any:
        """An array with objects, which is filled later in C order."""
        taken = self.taken(index, state[4])
        if len(taken) != math.prod(shape):
            raise ValueError("shape and list differ")
        made = np.empty(shape, dtype, order="F" if is_fortran else "C")
        self.later(self.fill_array, index, made, taken)
        return made

    def fill_array(self, index: int, made: Any, taken: list[int]) -> None:
        flat = np.arange(made.size).reshape(made.shape, order="F").ravel() if not made.flags.c_contiguous else range(made.size)
        memory = made.T.reshape(-1) if not made.flags.c_contiguous else made.reshape(-1)
        for at, one in zip(flat, taken, strict=True):
            value = self.values[one]
            try:
                memory[at] = value
            except (ValueError, TypeError, OverflowError) as why:
                raise self.refuse("ARRAY", index) from why

    def strings(self, index: int, state: list[int], shape: tuple[int, ...]) -> Any:
        """An array of StringDType, where NumPy has it; else of strings as objects."""
        taken = self.taken(index, state[4])
        coerce, *missing = self.members(self.nodes[state[2]][ARGS])
        if len(taken) != math.prod(shape):
            raise ValueError("shape and list differ")
        kinds = {self.nodes[one][KIND] for one in taken} - {STR, RAW} - {self.nodes[one][KIND] for one in missing}
        if kinds:
            raise ValueError("no strings")
        values = np.empty(len(taken), object)
        for at, one in enumerate(taken):
            values[at] = self.leaf_or_none(one)
        if not hasattr(np, "dtypes") or not hasattr(np.dtypes, "StringDType"):
            return values.reshape(shape)
        known: dict[str, Any] = {"na_object": self.leaf_or_none(missing[0])} if missing else {}
        is_coerced = self.nodes[coerce][KIND] == TRUE or self.nodes[coerce][KIND] == INT and self.shallow(coerce) == 1
        return values.astype(np.dtypes.StringDType(coerce=is_coerced, **known)).reshape(shape)

    def masked(self, index: int, data: Any, state: list[int]) -> Any:
        mask_type = np.ma.make_mask_descr(data.dtype)
        content = self.early(state[5])
        if content.strip(b"\0\1"):
            raise ValueError("a mask has the bytes 0 and 1")
        mask = self.filled(mask_type, data.shape, data.flags.fnc, content)
        made = data.view(np.ma.MaskedArray)
        made.mask = mask
        fill = state[6]
        if self.nodes[fill][KIND] != NONE:
            self.later(self.set_fill, index, made, fill)
        return made

    def set_fill(self, index: int, made: Any, fill: int) -> None:
        value = self.values[fill]
        if not isinstance(value, np.ndarray) or value.shape != ():
            raise self.refuse("ARRAY", index)
        try:
            made.fill_value = value[()]     # NumPy makes it one of the array's type
        except (OverflowError, TypeError, ValueError):
            raise self.refuse("ARRAY", index) from None


FORMS: dict[int, Callable[..., Any]] = {
    SCALAR: Builder.scalar, FROMBUFFER: Builder.frombuffer, ENCODE: Builder.encode, R_BYTES: lambda _builder, _index: b"",
    COMPLEX: lambda builder, _index, real, imaginary: complex(builder.values[real], builder.values[imaginary]),
    R_BYTEARRAY: Builder.bytearray, R_SET: Builder.set, R_FROZENSET: Builder.frozenset, SLICE: Builder.slice, RANGE: Builder.range,
    DATE: Builder.date, DATETIME: Builder.datetime, TIME: Builder.time, TIMEDELTA: Builder.timedelta, TIMEZONE: Builder.timezone,
    DECIMAL: Builder.decimal, FRACTION: Builder.fraction, ORDERED: Builder.ordered, DEFAULTDICT: Builder.defaultdict,
    STRUCT_TIME: Builder.struct_time, STRINGDTYPE: lambda _builder, _index, *_args: None, **{role: Builder.path_of for role in PATHS},
}


def value_of(payload: Any, allowed: str, base: int = 0, path: Any = None) -> tuple[Any, bool | None]:
    """The value of a payload that begins at byte `base`, and the Fortran flag if it is an array with a state. Raises Refused for
    what its set does not have."""
    if not HAS_NUMPY:
        raise NotImplementedError("arrays of objects need NumPy")
    view = memoryview(payload).cast("B")
    nodes, top = _core.decode_objects(view, SETS[allowed], base, path)
    builder = Builder(view, nodes, base, path)
    builder.make()
    return builder.values[top], builder.orders.get(builder.index(top))


def load_objects(about: _core.Header, payload: Any, allowed: str, path: Any = None) -> Any:
    """The array of a payload, whose header has been checked."""
    made, is_fortran = value_of(payload, allowed, about.data_offset, path)
    is_string = isinstance(made, np.ndarray) and made.dtype.kind == "T"
    is_same = isinstance(made, np.ndarray) and made.shape == about.shape and is_fortran == about.fortran_order
    if not is_same or not (is_string or made.dtype == about.dtype):
        raise Refused(_core.SNPY_PKL_HEADER, about.data_offset, None, path)
    return made
