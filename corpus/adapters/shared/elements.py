"""The elements of an array in the form of `expect.elements_sha256`, worked out from a reader's own numbers.

A layout is a list of leaves (offset, length, unit, big): `length` bytes at `offset` of each element are
numbers of `unit` bytes each, big-endian if `big`. What no leaf covers is padding and becomes zero. Written
apart from the script that puts the digests into the manifest, so that the two check each other. Standard
library only.
"""

import hashlib
import math


def number_of(descr):
    """(bytes of what is swapped as one, whether it is big-endian) of a type string such as `>f8`."""
    order, kind, rest = descr[0], descr[1], descr[2:]
    size = int(rest.partition("[")[0])
    unit = {"b": 1, "S": 1, "V": 1, "U": 4, "c": size // 2}.get(kind, size)
    return unit, order == ">" and unit > 1


def leaf(descr, offset, length):
    """A leaf of a simple type, or of a sub-array of it."""
    return (offset, length, *number_of(descr))


def is_record(field):
    """Whether a field is a record: its type is a list of fields, or, beside its fields, not told."""
    return (field.get("descr") or "[").startswith("[")


def layout_of(descr, itemsize, fields):
    """The layout of an element, from its type string or from the list of a record's fields."""
    if not descr.startswith("["):
        return [leaf(descr, 0, itemsize)]
    leaves, _ = record_layout(fields, 0, 1, 0)
    return leaves


def record_layout(fields, index, level, shift):
    """The leaves of the fields of one record, moved by `shift`, and where the list goes on behind them.

    `fields` is in pre-order: those of an inner record follow it, one level deeper in their `path`."""
    leaves = []
    while index < len(fields) and len(fields[index]["path"]) == level:
        field = fields[index]
        if not is_record(field):
            leaves.append(leaf(field["descr"], field["offset"] + shift, field["itemsize"]))
            index += 1
            continue
        items = math.prod(field["shape"])
        stride = field["itemsize"] // items if items else 0
        behind = index + 1
        while behind < len(fields) and len(fields[behind]["path"]) > level:
            behind += 1
        if stride:
            for item in range(items):
                inner, _ = record_layout(fields, index + 1, level + 1, shift + item * stride)
                leaves += inner
        index = behind
    return leaves, index


def swapped(piece, unit):
    """Each number of `unit` bytes with its bytes reversed."""
    out = bytearray(len(piece))
    for at in range(unit):
        out[at::unit] = piece[unit - 1 - at::unit]
    return bytes(out)


def little_endian(raw, descr, itemsize, fields):
    """Elements with little-endian numbers and zero for padding. Big-endian ones come back if done twice."""
    if not raw:
        return b""                  # and no layout: that of a type of 2 GiB is too long to be written down
    layout = layout_of(descr, itemsize, fields)
    if len(layout) == 1 and layout[0][:2] == (0, itemsize):
        _, _, unit, big = layout[0]
        return swapped(raw, unit) if big else bytes(raw)
    out = bytearray(len(raw))
    for start in range(0, len(raw), itemsize):
        for offset, length, unit, big in layout:
            at = start + offset
            piece = raw[at:at + length]
            out[at:at + length] = swapped(piece, unit) if big else piece
    return bytes(out)


def in_c_order(raw, itemsize, shape):
    """Elements that lie in Fortran order, put into C order."""
    places, step = [0], 1
    for dim in shape:
        places = [place + index * step for place in places for index in range(dim)]
        step *= dim
    return b"".join(raw[place * itemsize:(place + 1) * itemsize] for place in places)


def digest(raw, descr, itemsize, fields):
    """SHA-256 of elements that already lie in C order."""
    return hashlib.sha256(little_endian(raw, descr, itemsize, fields)).hexdigest()
