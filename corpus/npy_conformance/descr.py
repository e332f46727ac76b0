"""Types by meaning: two texts of a dtype are compared as what they say, not as they are spelt.

The texts are Python literals; `ast.literal_eval` reads them without running anything. A type becomes a
tuple: ("simple", order, kind, size, unit) or ("record", [(name, title, type, dims), …]); padding in a
record is ("", None, ("pad", n), ()).
"""

import ast
import re

SIMPLE = re.compile(r"([<>=|]?)([?biufcSVUMmO])([0-9]*)(?:\[([0-9]*)([A-Za-z]+)\])?")
ORDERLESS = frozenset("bSVO?")      # kinds of which no size has a byte order
DEFAULT_SIZE = {"M": 8, "m": 8, "O": 8, "b": 1, "?": 1}
LONGEST = 16 << 20


class DescrError(ValueError):
    """A text that is no type."""


def parse(text):
    """The meaning of a `descr` text: a type string, or the text of a list of fields."""
    if len(text) > LONGEST:
        raise DescrError("too long")
    if text[:1] != "[":
        return simple(text)
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError) as error:
        raise DescrError("no literal") from error
    return meaning(value)


def meaning(value):
    """The meaning of a type inside a record."""
    if isinstance(value, str):
        return simple(value)
    if isinstance(value, list):
        return "record", tuple(merged(field(item) for item in value))
    raise DescrError("a type is a string or a list")


def simple(text):
    """A type string: `|u1`, `<u1` and `u1` are one type; no order and `=` are little-endian."""
    match = SIMPLE.fullmatch(text)
    if not match:
        raise DescrError(f"no type: {text[:40]!r}")
    order, kind, digits, multiplier, unit = match.groups()
    size = int(digits) if digits else DEFAULT_SIZE.get(kind)
    if size is None or (unit and kind not in "Mm"):
        raise DescrError(f"no type: {text[:40]!r}")
    if kind == "O":
        size = 8
    if kind in ORDERLESS or (kind in "iu" and size == 1):
        order = "|"
    elif order == "|":
        raise DescrError(f"a type of several bytes has an order: {text[:40]!r}")
    elif order != ">":
        order = "<"
    return "simple", order, kind.replace("?", "b"), size, _unit(multiplier, unit)


def _unit(multiplier, unit):
    """A datetime's unit; generic is no unit."""
    if unit is None or unit == "generic":
        return None
    return int(multiplier or 1), unit


def base_of(value):
    """A type and the dimensions that its nested sub-array tuples give it, the outermost first."""
    dims = []
    while isinstance(value, tuple):
        if len(value) != 2:
            raise DescrError("a sub-array is a type and a shape")
        value, shape = value
        dims = dims + list(dims_of(shape))
    return meaning(value), dims


def dims_of(value):
    """A sub-array's shape."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value,)
    if not isinstance(value, tuple) or any(type(dim) is not int or dim < 0 for dim in value):
        raise DescrError("a shape is a tuple of integers")
    return value


def field(item):
    """One field: (name, title, type, all dimensions)."""
    if not isinstance(item, (tuple, list)) or len(item) not in (2, 3):
        raise DescrError("a field is a name, a type and perhaps a shape")
    name, title = item[0], None
    if isinstance(name, tuple):
        if len(name) != 2:
            raise DescrError("a title stands in front of a name")
        title, name = name
    if not isinstance(name, str) or not isinstance(title, (str, type(None))):
        raise DescrError("a name is a string")
    outer = dims_of(item[2]) if len(item) == 3 else ()
    kind, inner = base_of(item[1])
    dims = (*outer, *inner)
    if name == "" and title is None and (dims or (kind[0] == "simple" and kind[2] == "V")):
        return "", None, ("pad", itemsize(kind) * product(dims)), ()
    return name, title, kind, dims


def merged(fields):
    """Fields with padding joined: how a gap is divided says nothing."""
    found = []
    for name, title, kind, dims in fields:
        if kind[0] == "pad":
            if kind[1] == 0:
                continue
            if found and found[-1][2][0] == "pad":
                found[-1] = ("", None, ("pad", found[-1][2][1] + kind[1]), ())
                continue
        found.append((name, title, kind, dims))
    return found


def product(dims):
    """How many elements a shape has."""
    count = 1
    for dim in dims:
        count *= dim
    return count


def itemsize(kind):
    """The bytes of a type."""
    if kind[0] == "pad":
        return kind[1]
    if kind[0] == "simple":
        return kind[3] * 4 if kind[2] == "U" else kind[3]
    return sum(itemsize(inner) * product(dims) for _, _, inner, dims in kind[1])


def same(left, right):
    """Whether two texts are one type; a text that is none is like no other."""
    if left == right:
        return True
    try:
        return parse(left) == parse(right)
    except DescrError:
        return False
