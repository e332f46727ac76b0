"""The elements of an array in the order and form that `expect.elements_sha256` is taken of.

Elements in C order, each as its type says, every number little-endian:
- booleans, one-byte integers, `S` and `V`: the bytes as they stand in the file;
- integers, floats, datetimes: the bytes of the number, reversed if it is big-endian (`f10`, `f12` and
  `f16` are opaque: all their bytes are kept, and reversed as one);
- complex numbers: each of the two components by itself;
- `U`: each code unit of four bytes by itself;
- sub-arrays: their elements one behind the other, as they stand (a sub-array is always in C order);
- records: their fields, and zero for every byte of padding.

Works on the bytes of the file and on the manifest's `expect`, with the standard library alone, so that
anybody can compute it for another reader without NumPy and without safenpy. Arrays that hold objects
have none.
"""

import ast
import hashlib
import math

ORDERS = "<>|="


# ---- What is swapped, what is kept, what is zero --------------------------------------------------

def plan_of(descr):
    """The pieces of one element: a list of (kind, size), kind being "keep", "swap" or "zero".

    `descr` is a type string, a list of fields or, inside a field, a pair of type and shape."""
    if isinstance(descr, str):
        return plan_of_string(descr)
    if isinstance(descr, tuple):
        return plan_of(descr[0]) * math.prod(descr[1])
    plan = []
    for name, kind, *shape in descr:
        pieces = plan_of(kind) * (math.prod(shape[0]) if shape else 1)
        if is_padding(name, kind, shape):
            pieces = [("zero", sum(size for _, size in pieces))]
        plan += pieces
    return plan


def plan_of_string(text):
    """The pieces of a simple type."""
    order = text[0] if text[0] in ORDERS else "|"
    kind, digits = text.lstrip(ORDERS)[0], text.lstrip(ORDERS)[1:].partition("[")[0]
    if kind == "O":
        raise ValueError("objects have no elements that can be hashed")
    size, count = int(digits), 1
    if kind == "U":
        size, count = 4, size
    if kind == "c":
        size, count = size // 2, 2
    swapped = order == ">" and kind not in "SVb" and size > 1
    return [("swap", size)] * count if swapped else [("keep", size * count)]


def is_padding(name, kind, shape):
    """Whether a field is padding (NPY-DTYPE-014)."""
    if name != "":
        return False
    if isinstance(kind, tuple) or (shape and shape[0] != ()):
        return True
    return isinstance(kind, str) and kind.lstrip(ORDERS)[0] == "V"


def joined(plan):
    """The plan with neighbours that are copied alike made one, so that a long string is one step."""
    short = []
    for kind, size in plan:
        if short and kind != "swap" and short[-1][0] == kind:
            size += short.pop()[1]
        if size:
            short.append((kind, size))
    return short


def little(element, plan):
    """One element with its numbers little-endian and its padding zero."""
    parts, at = [], 0
    for kind, size in plan:
        piece = element[at:at + size]
        parts.append(bytes(size) if kind == "zero" else piece[::-1] if kind == "swap" else piece)
        at += size
    assert at == len(element), (at, len(element))
    return b"".join(parts)


# ---- The order of the elements --------------------------------------------------------------------

def c_order(shape):
    """For each element in C order, its place in Fortran order."""
    places = [0]
    step = math.prod(shape)
    for dim in reversed(shape):          # the last dimension has the largest step in Fortran order
        step //= dim
        places = [index * step + place for index in range(dim) for place in places]
    return places


def elements(data, expect):
    """The elements of a file, `data` being all its bytes and `expect` what the manifest says of it."""
    itemsize, count = expect["itemsize"], expect["count"]
    if not itemsize or not count:
        return b""
    start = expect["data_offset"]
    raw = data[start:start + expect["data_size"]]
    assert len(raw) == itemsize * count
    text = expect["descr"]
    plan = joined(plan_of(ast.literal_eval(text) if text.startswith("[") else text))
    items = [raw[at:at + itemsize] for at in range(0, len(raw), itemsize)]
    if expect["fortran_order"]:
        items = [items[place] for place in c_order(expect["shape"])]
    if plan == [("keep", itemsize)]:
        return b"".join(items)
    return b"".join(little(item, plan) for item in items)


def digest(data, expect):
    """`elements_sha256` of a file; None for arrays with objects."""
    if expect["has_object"]:
        return None
    return hashlib.sha256(elements(data, expect)).hexdigest()
