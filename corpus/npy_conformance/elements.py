"""The elements of a file, read by a reader of its own: nothing of safenpy, of NumPy or of the suite's generators.

Elements come in C order, numbers little-endian, padding zero, as `elements_sha256` has them.
"""

import itertools
from math import prod

from . import descr as dtypes

PADDING = -1


def byte_order(kind):
    """Where each byte of a normalised element lies in the file's element; PADDING where it is zero."""
    return list(_places(kind, 0))


def _places(kind, start):
    if kind[0] == "pad":
        return itertools.repeat(PADDING, kind[1])
    if kind[0] == "record":
        return _record_places(kind[1], start)
    _, order, letter, size, _ = kind
    size = dtypes.itemsize(kind)
    places = range(start, start + size)
    if order != ">":
        return places
    unit = {"c": size // 2, "U": 4}.get(letter, size)
    return [place for first in range(0, size, unit) for place in reversed(places[first:first + unit])]


def _record_places(fields, start):
    for _, _, kind, dims in fields:
        size = dtypes.itemsize(kind)
        for _ in range(prod(dims)):
            yield from _places(kind, start)
            start += size


def positions(shape, fortran_order):
    """The place in the file of each element, in C order."""
    if not fortran_order:
        return range(prod(shape))
    strides = [prod(shape[:axis]) for axis in range(len(shape))]
    return [sum(index * stride for index, stride in zip(indices, strides))
            for indices in itertools.product(*map(range, shape))]


def normalised(raw, descr, shape, fortran_order):
    """(elements as elements_sha256 has them, whether all padding bytes in `raw` are zero)."""
    if not raw:
        return b"", True                 # also of shapes and types too large to walk through
    order = byte_order(dtypes.parse(descr))
    size = len(order)
    gaps = sorted(set(range(size)) - set(order))
    found, clean = bytearray(), True
    for place in positions(shape, fortran_order):
        item = raw[place * size:(place + 1) * size]
        found += bytes(0 if source == PADDING else item[source] for source in order)
        clean = clean and not any(item[gap] for gap in gaps)
    return bytes(found), clean


def of_file(path, expect):
    """`normalised` of a whole file whose header says `expect`."""
    with open(path, "rb") as file:
        file.seek(expect["data_offset"])
        raw = file.read(expect["data_size"])
    if len(raw) != expect["data_size"]:
        raise ValueError("the file is shorter than its header says")
    return normalised(raw, expect["descr"], expect["shape"], expect["fortran_order"])
